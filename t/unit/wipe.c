/* SPDX-License-Identifier: ISC */
/* wipe.h: deep and closed trees, links, what stays and is said. */
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "unit.h"
#include "wipe.h"

static int top;

static int
open_dir(const char *name)
{
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	CHECK(fd != -1);
	return fd;
}

/* Make directories in each other, and come back. */
static void
make_deep(const char *name, int n)
{
	CHECK_INT(mkdir(name, 0700), 0);
	CHECK_INT(chdir(name), 0);
	while (n-- > 0) {
		CHECK_INT(mkdir("d", 0700), 0);
		unit_write("f", "x");
		CHECK_INT(chdir("d"), 0);
	}
	CHECK_INT(fchdir(top), 0);
}

static void
deep(void)
{
	struct rlimit few = { 160, 160 }, before;
	int fd;

	make_deep("deep", 1000);
	fd = open_dir("deep");
	getrlimit(RLIMIT_NOFILE, &before);
	few.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_NOFILE, &few);
	CHECK_INT(wipe_below(fd, "deep"), 0);
	CHECK_INT(rmdir("deep"), 0);
	setrlimit(RLIMIT_NOFILE, &before);
	close(fd);
}

/* The names that directories are moved up to may be taken. */
static void
names_taken(void)
{
	int fd;

	make_deep("taken", 200);
	CHECK_INT(mkdir("taken/.srt-wipe.0", 0700), 0);
	CHECK_INT(mkdir("taken/.srt-wipe.0/x", 0700), 0);
	unit_write("taken/.srt-wipe.1", "x");
	fd = open_dir("taken");
	CHECK_INT(wipe_dir(fd, top, "taken", "taken"), 0);
	CHECK_INT(access("taken", F_OK), -1);
	close(fd);
}

static void
closed(void)
{
	int fd;

	CHECK_INT(mkdir("closed", 0700), 0);
	CHECK_INT(mkdir("closed/a", 0700), 0);
	CHECK_INT(mkdir("closed/a/b", 0700), 0);
	unit_write("closed/a/b/f", "x");
	CHECK_INT(chmod("closed/a/b", 0), 0);
	CHECK_INT(chmod("closed/a", 0), 0);
	CHECK_INT(chmod("closed", 0), 0);
	fd = wipe_open(top, "closed");
	CHECK(fd != -1);
	CHECK_INT(wipe_dir(fd, top, "closed", "closed"), 0);
	close(fd);
}

static void
links(void)
{
	struct stat st;
	int fd;

	CHECK_INT(mkdir("host", 0700), 0);
	unit_write("host/f", "x");
	CHECK_INT(mkdir("w", 0700), 0);
	CHECK_INT(symlink("../host", "w/link"), 0);
	CHECK_INT(symlink("host", "l"), 0);
	CHECK_INT(wipe_open(top, "l"), -1);
	CHECK(errno == ELOOP || errno == ENOTDIR);
	CHECK_INT(wipe_open(top, "host/f"), -1);
	CHECK_INT(wipe_open(top, "../unit"), -1);
	CHECK_INT(errno, EXDEV);	/* leaves what it is opened beneath */
	CHECK_INT(wipe_open(top, "absent"), -1);
	CHECK_INT(errno, ENOENT);
	fd = wipe_open(top, "w");
	CHECK_INT(wipe_dir(fd, top, "w", "w"), 0);
	CHECK_INT(stat("host/f", &st), 0);
	close(fd);
}

/* A directory that is not the one that fd is, not empty: it stays. */
static void
wipe_wrong(void)
{
	int fd;

	mkdir("one", 0700);
	mkdir("two", 0700);
	unit_write("two/f", "x");
	fd = open_dir("one");
	_exit(wipe_dir(fd, top, "two", "/where") == -1 ? 7 : 0);
}

static void
stays(void)
{
	struct unit_end e = unit_end_of(wipe_wrong);

	CHECK_INT(e.status, 7);
	CHECK(strstr(e.err, ": /where: cannot be removed: Directory not "
	    "empty\n") != NULL);
	CHECK_INT(access("two/f", F_OK), 0);
}

static void
flags(void)
{
	int fd = open("flagged", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd != -1);
	if (flag_set(fd) == 0) {	/* only root, and not everywhere */
		CHECK_INT(unlink("flagged"), -1);
		CHECK_INT(errno, EPERM);
		CHECK_INT(flag_clear(fd), 0);
	}
	CHECK_INT(unlink("flagged"), 0);
	close(fd);
	CHECK_INT(flag_set(-1), -1);
	CHECK_INT(errno, EBADF);
	CHECK_INT(flag_clear(-1), -1);
}

int
main(void)
{
	const char *dir = unit_dir();

	top = open_dir(".");
	deep();
	names_taken();
	closed();
	links();
	stays();
	flags();
	close(top);
	unit_rmdir(dir);
	return unit_failures != 0;
}
