/* SPDX-License-Identifier: ISC */
/*
 * in-unpin dir name: in a mount namespace of its own, in which nothing is
 * pinned, move name in dir aside, to name.moved.  Prints "landed HOW" for each
 * way to get such a namespace that works.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *dir, *name;

static void
put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	if (fd != -1 && write(fd, text, strlen(text)) == -1)
		errno = 0;	/* without it, then */
	close(fd);
}

/* All that is to be done once we are in: 0 if the directory was moved. */
static int
move(unsigned uid, unsigned gid)
{
	char from[PATH_MAX], to[PATH_MAX + 8], map[64];

	put("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	put("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	put("/proc/self/gid_map", map);
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mkdir("/tmp/unpin", 0755);
	if (mount(dir, "/tmp/unpin", NULL, MS_BIND, NULL) == -1 &&
	    mount(dir, "/tmp/unpin", NULL, MS_BIND | MS_REC, NULL) == -1)
		return -1;
	snprintf(from, sizeof(from), "/tmp/unpin/%s", name);
	snprintf(to, sizeof(to), "%s.moved", from);
	return rename(from, to);
}

static long
by_clone(unsigned long flags)
{
	return syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

static long
by_clone3(unsigned long flags)
{
	struct clone_args args;

	memset(&args, 0, sizeof(args));
	args.flags = flags;
	args.exit_signal = SIGCHLD;
	return syscall(SYS_clone3, &args, sizeof(args));
}

static long
by_unshare(unsigned long flags)
{
	long pid = fork();

	if (pid == 0 && unshare((int)flags) == -1)
		_exit(1);
	return pid;
}

/* The user namespace first, and another process in it the other. */
static long
by_steps(unsigned long flags)
{
	long pid = fork();

	if (pid == 0 && (unshare((int)flags & CLONE_NEWUSER) == -1 ||
	    unshare((int)flags & ~CLONE_NEWUSER) == -1))
		_exit(1);
	return pid;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char	*name;
		long		(*fork)(unsigned long);
	} way[] = {
		{ "clone", by_clone }, { "clone3", by_clone3 },
		{ "unshare", by_unshare }, { "unshare twice", by_steps }
	};
	char back[PATH_MAX], moved[PATH_MAX + 8];
	unsigned uid = getuid(), gid = getgid();
	int wstatus;
	size_t i;
	long pid;

	if (argc != 3)
		return 64;
	dir = argv[1];
	name = argv[2];
	snprintf(back, sizeof(back), "%s/%s", dir, name);
	snprintf(moved, sizeof(moved), "%s.moved", back);
	for (i = 0; i < 2 * sizeof(way) / sizeof(*way); i++) {
		pid = way[i / 2].fork(CLONE_NEWNS |
		    (i % 2 == 0 ? CLONE_NEWUSER : 0));
		if (pid == 0)
			_exit(move(uid, gid) == 0 ? 0 : 1);
		if (pid == -1 || waitpid((pid_t)pid, &wstatus, 0) == -1 ||
		    wstatus != 0)
			continue;
		printf("landed by %s%s\n", way[i / 2].name,
		    i % 2 == 0 ? ", with a user namespace" : "");
		fflush(stdout);
		rename(moved, back);
	}
	return 0;
}
