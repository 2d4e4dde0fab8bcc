/* SPDX-License-Identifier: ISC */
/*
 * in-unpin how dir name: in a mount namespace of its own, in which dir is all
 * there is and nothing pinned, move name in dir aside, to name.moved.  how is
 * the way to get it: clone, clone3, unshare, or twice, which is unshare for the
 * user namespace and then for the other.  Says "landed" if it works.
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

/*
 * All that is to be done once we are in: 0 if the directory was moved.  Mounts
 * that came with the namespace cannot be taken away one by one, but with the
 * whole old root, pins and all: pivot_root(2), "pivot_root(".", ".")".
 */
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
	snprintf(from, sizeof(from), "/%s", name);
	snprintf(to, sizeof(to), "%s.moved", from);
	if (mount(dir, "/tmp/unpin", NULL, MS_BIND | MS_REC, NULL) == -1 ||
	    chdir("/tmp/unpin") == -1 ||
	    syscall(SYS_pivot_root, ".", ".") == -1 ||
	    umount2(".", MNT_DETACH) == -1 || chdir("/") == -1)
		return -1;
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
		{ "twice", by_steps }, { "unshare", by_unshare }
	};
	unsigned uid = getuid(), gid = getgid();
	int wstatus, i, r;
	long pid;

	for (i = 0; argc == 4 && i < 4; i++)
		if (strcmp(argv[1], way[i].name) == 0)
			break;
	if (argc != 4 || i == 4)
		return 64;
	dir = argv[2];
	name = argv[3];
	/* with a user namespace, which is what lets a user; and without */
	for (r = 0; r < 2; r++) {
		pid = way[i].fork(CLONE_NEWNS | (r == 0 ? CLONE_NEWUSER : 0));
		if (pid == 0)
			_exit(move(uid, gid) == 0 ? 0 : 1);
		if (pid != -1 && waitpid((pid_t)pid, &wstatus, 0) != -1 &&
		    wstatus == 0)
			puts("landed");
	}
	return 0;
}
