/* SPDX-License-Identifier: ISC */
/*
 * swap dir out host: until it is told to end, puts a directory with files in
 * dir, replaces it and what is in it by links to host, moves it out of dir to
 * out and back, as fast as it can: for a wipe that must not be led outside.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

int
main(int argc, char **argv)
{
	const char *host = argc == 4 ? argv[3] : NULL;
	int i;

	if (host == NULL || chdir(argv[1]) == -1)
		errx(64, "usage: swap dir out host");
	signal(SIGTERM, on_term);
	puts("ready");
	fflush(stdout);
	while (!over) {
		mkdir("a", 0700);
		mkdir("a/b", 0700);
		for (i = 0; i < 3; i++) {
			file("a/b/x");
			rename("a/b", "a/c");
			if (symlink(host, "a/b") == 0)
				unlink("a/b");
			rename("a/c", "a/b");
		}
		rename("a", "d");
		if (symlink(host, "a") == 0)
			unlink("a");
		rename("d", "a");
		if (rename("a/b", argv[2]) == 0)
			rename(argv[2], "a/b");
		file("a/y");
	}
	return 0;
}
