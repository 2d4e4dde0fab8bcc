/* SPDX-License-Identifier: ISC */
/*
 * lock file ...: hold a write lock on each, of the kind that runs hold
 * (F_OFD_SETLK), until the end of standard input.  Says "locked".
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct flock fl = { .l_type = F_WRLCK };
	char c;
	int i, fd;

	for (i = 1; i < argc; i++)
		if ((fd = open(argv[i], O_RDWR)) == -1 ||
		    fcntl(fd, F_OFD_SETLK, &fl) == -1)
			err(1, "%s", argv[i]);
	puts("locked");
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		;
	return 0;
}
