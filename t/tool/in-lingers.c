/* SPDX-License-Identifier: ISC */
/*
 * in-lingers path file: leaves behind a process that has detached itself in
 * every way there is, with descriptors and mappings of all it may open: it
 * tries again and again to write path, in every way, and counts in file how
 * often it has tried.  Says "gone on" when that process has begun.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void
try(const char *path)
{
	char aside[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK, 0644);

	if (fd != -1 && write(fd, "landed\n", 7) == 7)
		close(fd);
	snprintf(aside, sizeof(aside), "%s.%d", path, (int)getpid());
	if ((fd = open(aside, O_WRONLY | O_CREAT, 0644)) != -1 &&
	    write(fd, "landed\n", 7) == 7)
		rename(aside, path);
	close(fd);
	unlink(aside);
	if (unlink(path) == 0)
		symlink("/etc/passwd", path);
}

static void
linger(const char *path, const char *file, int ready)
{
	int sig, fd = open(file, O_RDWR | O_CREAT, 0644);
	long *count;

	if (ftruncate(fd, sizeof(*count)) == -1)
		err(1, "%s", file);
	count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_IGN);
	prctl(PR_SET_NAME, "lingers");
	prctl(PR_SET_DUMPABLE, 0);
	open(path, O_RDONLY | O_NONBLOCK);
	open(path, O_PATH);
	open(".", O_RDONLY | O_DIRECTORY);
	open("/", O_PATH | O_DIRECTORY);
	for (;;) {
		try(path);
		if (++*count == 1 && write(ready, "x", 1) != 1)
			_exit(1);
	}
}

int
main(int argc, char **argv)
{
	char c;
	int p[2];

	if (argc != 3 || pipe(p) == -1)
		return 64;
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			setsid();
			setpgid(0, 0);
			close(p[0]);
			linger(argv[1], argv[2], p[1]);
		}
		_exit(0);
	}
	close(p[1]);
	if (read(p[0], &c, 1) == 1)
		puts("gone on");
	return 0;
}
