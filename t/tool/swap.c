/* SPDX-License-Identifier: ISC */
/*
 * swap dir out host: until SIGTERM ends it, exchanges directories in dir with
 * links to host, and moves one out to out and back, as fast as it can: for a
 * wipe that must not be led outside.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N 64

static volatile sig_atomic_t over;

static void
on_term(int sig)
{
	(void)sig;
	over = 1;
}

static void
file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd != -1)
		close(fd);
}

/* What the wipe has removed is made again. */
static void
make(const char *host, int i)
{
	char dir[32], sub[64], link[32];

	snprintf(dir, sizeof(dir), "d%d", i);
	snprintf(sub, sizeof(sub), "d%d/sub", i);
	snprintf(link, sizeof(link), "l%d", i);
	if (mkdir(dir, 0700) == 0 && mkdir(sub, 0700) == 0)
		file(sub);
	if (symlink(host, link) == -1)
		return;		/* it is there, or dir has gone */
}

static void
exchange(int i)
{
	char dir[32], link[32];

	snprintf(dir, sizeof(dir), "d%d", i);
	snprintf(link, sizeof(link), "l%d", i);
	syscall(SYS_renameat2, AT_FDCWD, dir, AT_FDCWD, link, 2);
}

int
main(int argc, char **argv)
{
	int i;

	if (argc != 4 || chdir(argv[1]) == -1)
		errx(64, "usage: swap dir out host");
	signal(SIGTERM, on_term);
	for (i = 0; i < N; i++)
		make(argv[3], i);
	puts("ready");
	fflush(stdout);
	for (i = 0; !over; i = (i + 1) % N) {
		exchange(i);
		if (i % 8 == 0)
			make(argv[3], i);
		if (rename("d1", argv[2]) == 0)
			rename(argv[2], "d1");
	}
	return 0;
}
