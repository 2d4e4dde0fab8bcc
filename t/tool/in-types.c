/* SPDX-License-Identifier: ISC */
/* in-types: types a letter into the terminal it runs on; 1 if it cannot. */
#include <fcntl.h>
#include <sys/ioctl.h>

int
main(void)
{
	int tty = open("/dev/tty", O_RDWR);

	return tty == -1 || ioctl(tty, TIOCSTI, "x") == -1;
}
