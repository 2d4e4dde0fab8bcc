/* SPDX-License-Identifier: ISC */
/*
 * in-spoil how ...: what a command can do so that it is hard for whoever
 * comes after it.  Made to be run inside a sandbox.
 *
 *	acl dir		a default ACL by which nobody has any right to what
 *			is made in it
 *	deep dir n	n levels of directories
 *	far link	a link to a file whose path is longer than a path can
 *			be, though the link is not
 *	files dir n	n empty files
 *	fill file	write until the disk is full
 *	inodes dir	make files until there can be no more
 *	fds		open as many descriptors as there can be
 *	pids n		have as many processes as there can be, at most n
 *	watches dir	have as many inotify instances and watches as there
 *			can be, at most a million
 *
 * The last three say "full N", and go on until standard input ends.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MANY 1000000

/* linux/posix_acl_xattr.h */
struct acl {
	uint32_t version;
	struct { uint16_t tag, perm; uint32_t id; } entry[3];
};

static void
put_acl(const char *dir)
{
	const struct acl none = { 2, {
		{ 0x01, 0, UINT32_MAX },	/* the owner */
		{ 0x04, 0, UINT32_MAX },	/* the group */
		{ 0x20, 0, UINT32_MAX }		/* others */
	} };

	if (setxattr(dir, "system.posix_acl_default", &none, sizeof(none), 0)
	    == -1)
		err(1, "%s: default ACL", dir);
}

static void
go_down(const char *name, long n)
{
	for (; n > 0; n--)
		if ((mkdir(name, 0755) == -1 && errno != EEXIST) ||
		    chdir(name) == -1)
			err(1, "%s", name);
}

/* The link is in the working directory, whose path makes it too long. */
static void
put_far(const char *link)
{
	char name[201], to[PATH_MAX] = "";
	int i, top = open(".", O_RDONLY | O_DIRECTORY), fd;

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (i = 0; i < 20; i++) {
		strcat(to, name);
		strcat(to, "/");
	}
	strcat(to, "far");
	/* and more until it is as long as it may be */
	while (strlen(to) < PATH_MAX - 1)
		strcat(to, "r");
	go_down(name, 20);
	fd = open(strrchr(to, '/') + 1, O_WRONLY | O_CREAT, 0644);
	if (fd == -1 || write(fd, "far\n", 4) != 4 || fchdir(top) == -1 ||
	    symlink(to, link) == -1)
		err(1, "%s", link);
}

static void
put_files(const char *dir, long n)
{
	char name[32];
	int fd;

	if (chdir(dir) == -1)
		err(1, "%s", dir);
	for (; n > 0; n--) {
		snprintf(name, sizeof(name), "%ld", n);
		if ((fd = open(name, O_WRONLY | O_CREAT, 0644)) == -1) {
			if (errno == ENOSPC || errno == EDQUOT)
				return;
			err(1, "%s", name);
		}
		close(fd);
	}
}

static void
fill(const char *file)
{
	static char buf[65536];
	int fd = open(file, O_WRONLY | O_CREAT, 0644);
	size_t len = sizeof(buf);
	ssize_t n;

	/* to the last byte */
	while (len > 0)
		if ((n = write(fd, buf, len)) <= 0)
			len /= 2;
	close(fd);
}

static void
hold(long n)
{
	char c;

	printf("full %ld\n", n);
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		;
}

static void
take_fds(void)
{
	struct rlimit most;
	long n = 0;

	if (getrlimit(RLIMIT_NOFILE, &most) == -1)
		err(1, "getrlimit");
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
	while (n < MANY && dup(0) != -1)
		n++;
	hold(n);
}

static void
take_pids(long max)
{
	long n;
	pid_t pid = 0;

	for (n = 0; n < max && (pid = fork()) > 0; n++)
		;
	if (n < max && pid == 0)
		for (;;)
			pause();
	hold(n);
}

static void
take_watches(const char *dir)
{
	char name[32];
	int fd, last = -1;
	long n = 0;

	while (n < MANY && (fd = inotify_init1(0)) != -1) {
		last = fd;
		n++;
	}
	if (chdir(dir) == -1)
		err(1, "%s", dir);
	for (; n < MANY; n++) {
		snprintf(name, sizeof(name), "%ld", n);
		if ((fd = open(name, O_WRONLY | O_CREAT, 0644)) == -1)
			break;
		close(fd);
		if (inotify_add_watch(last, name, IN_ALL_EVENTS) == -1)
			break;
	}
	hold(n);
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const char *where = argc > 2 ? argv[2] : ".";
	long n = argc > 3 ? atol(argv[3]) : LONG_MAX;

	if (strcmp(how, "acl") == 0)
		put_acl(where);
	else if (strcmp(how, "deep") == 0) {
		if (chdir(where) == -1)
			err(1, "%s", where);
		go_down("d", n);
	} else if (strcmp(how, "far") == 0)
		put_far(where);
	else if (strcmp(how, "files") == 0)
		put_files(where, n);
	else if (strcmp(how, "fill") == 0)
		fill(where);
	else if (strcmp(how, "inodes") == 0)
		put_files(where, LONG_MAX);
	else if (strcmp(how, "fds") == 0)
		take_fds();
	else if (strcmp(how, "pids") == 0)
		take_pids(atol(where));
	else if (strcmp(how, "watches") == 0)
		take_watches(where);
	else
		errx(64, "usage: in-spoil how ...");
	return 0;
}
