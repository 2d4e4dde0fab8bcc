/* SPDX-License-Identifier: ISC */
/*
 * hostile path		tries everything that could write, replace, remove
 *			or change what is, or is not, at path
 * hostile -d dir	tries to move the directory aside, or away
 * hostile -s path	makes a socket there, for the tests that need one
 *
 * Prints "landed HOW" for whatever succeeded, and undoes nothing: where it
 * prints nothing, nothing has changed.  Made to be run inside a sandbox.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *path;		/* what is tried */
static char name[NAME_MAX + 1];		/* its last component */
static char temp[PATH_MAX], temp2[PATH_MAX];	/* beside it */
static int sibling;			/* there is a file at temp */

static void
say(int ok, const char *how)
{
	if (ok)
		{
		printf("landed %s\n", how);
		fflush(stdout);
	}
}

/* The result of a system call: 0 or a descriptor, which is closed. */
static int
good(long r)
{
	if (r > 2)
		close((int)r);
	return r >= 0;
}

static long
rename2(const char *from, const char *to, unsigned flags)
{
	return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

/* A fresh file at temp, if the directory lets us. */
static void
fresh(void)
{
	int fd = open(temp, O_NONBLOCK | O_WRONLY | O_CREAT | O_TRUNC, 0644);

	sibling = fd != -1 && write(fd, "x\n", 2) == 2;
	if (fd != -1)
		close(fd);
}

static int
by_proc(int fd, char *buf)
{
	return sprintf(buf, "/proc/self/fd/%d", fd);
}

/* Through a descriptor that may be had. */
static void
through(int flags, const char *how)
{
	const struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };
	int fd = open(path, flags | O_CLOEXEC), attr = 0;
	char proc[64], what[64];

	if (fd == -1)
		return;
#define SAY(ok, verb) \
	(snprintf(what, sizeof(what), "%s %s", verb, how), say(ok, what))
	by_proc(fd, proc);
	SAY(good(open(proc, O_NONBLOCK | O_WRONLY)), "reopen");
	SAY(good(open(proc, O_RDWR | O_TRUNC)), "reopen and truncate");
	SAY(truncate(proc, 0) == 0, "truncate");
	SAY(ftruncate(fd, 0) == 0, "ftruncate");
	SAY(fchmod(fd, 0777) == 0, "fchmod");
	SAY(chmod(proc, 0777) == 0, "chmod");
	SAY(futimens(fd, now) == 0, "futimens");
	SAY(fsetxattr(fd, "user.x", "y", 1, 0) == 0, "setxattr");
	SAY(write(fd, "x", 1) == 1, "write");
	SAY(fallocate(fd, 0, 0, 1) == 0, "fallocate");
	SAY(linkat(AT_FDCWD, proc, AT_FDCWD, temp2, AT_SYMLINK_FOLLOW) == 0,
	    "hard link");
	SAY(linkat(fd, "", AT_FDCWD, temp2, AT_EMPTY_PATH) == 0, "link of");
	if (ioctl(fd, FS_IOC_GETFLAGS, &attr) == 0)
		SAY(ioctl(fd, FS_IOC_SETFLAGS, &(int){ attr |
		    FS_NODUMP_FL }) == 0, "chattr");
	SAY(mmap(NULL, 1, PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED,
	    "mmap");
#undef SAY
	close(fd);
}

static void
change(void)
{
	const struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };

	say(good(open(path, O_NONBLOCK | O_WRONLY)), "open for writing");
	say(good(open(path, O_NONBLOCK | O_RDWR)), "open for both");
	say(good(open(path, O_NONBLOCK | O_WRONLY | O_APPEND)), "open for appending");
	say(good(open(path, O_NONBLOCK | O_WRONLY | O_TRUNC)), "open truncating");
	say(good(open(path, O_NONBLOCK | O_WRONLY | O_CREAT, 0644)), "open creating");
	say(good(open(path, O_NONBLOCK | O_WRONLY | O_CREAT | O_EXCL, 0644)), "create");
	say(good(open(path, O_RDONLY | O_CREAT | O_EXCL, 0644)), "create ro");
	say(truncate(path, 0) == 0, "truncate by name");
	say(chmod(path, 0777) == 0, "chmod by name");
	say(lchown(path, getuid(), getgid()) == 0, "chown by name");
	say(utimensat(AT_FDCWD, path, now, AT_SYMLINK_NOFOLLOW) == 0,
	    "utimensat by name");
	say(setxattr(path, "user.x", "y", 1, 0) == 0, "setxattr by name");
	through(O_RDONLY | O_NONBLOCK, "of what is open to read");
	through(O_PATH, "of what is open by path");
	through(O_PATH | O_NOFOLLOW, "of what is open itself");
}

static void
displace(void)
{
	say(unlink(path) == 0, "unlink");
	say(rmdir(path) == 0, "rmdir");
	say(rename(path, temp2) == 0, "move away");
	say(rename2(path, temp2, RENAME_NOREPLACE) == 0, "move away new");
	say(rename2(path, temp2, RENAME_WHITEOUT) == 0, "white out");
	say(link(path, temp2) == 0, "hard link by name");
	say(symlink("/etc/passwd", path) == 0, "symlink");
	say(mkdir(path, 0755) == 0, "mkdir");
	say(mknod(path, S_IFREG | 0644, 0) == 0, "mknod file");
	say(mknod(path, S_IFIFO | 0644, 0) == 0, "mknod fifo");
	say(mknod(path, S_IFSOCK | 0644, 0) == 0, "mknod socket");
}

static void
put_over(void)
{
	fresh();
	if (!sibling)
		return;
	say(rename(temp, path) == 0, "rename over");
	fresh();
	say(rename2(temp, path, RENAME_NOREPLACE) == 0, "rename new");
	fresh();
	say(rename2(temp, path, RENAME_EXCHANGE) == 0, "exchange");
	fresh();
	say(rename2(path, temp, RENAME_EXCHANGE) == 0, "exchange back");
	fresh();
	say(link(temp, path) == 0, "link over");
	unlink(temp);
	if (mkdir(temp, 0755) == 0) {
		say(rename(temp, path) == 0, "rename a directory over");
		say(rename2(temp, path, RENAME_EXCHANGE) == 0,
		    "exchange with a directory");
		rmdir(temp);
	}
	if (symlink("/etc/passwd", temp) == 0) {
		say(rename(temp, path) == 0, "rename a link over");
		unlink(temp);
	}
}

/* A file without a name that is given one. */
static void
nameless(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR, 0644);
	char proc[64];

	if (fd == -1)
		return;
	by_proc(fd, proc);
	say(linkat(AT_FDCWD, proc, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0,
	    "link of a nameless file");
	close(fd);
}

/* Relative to the directory, and by binding a socket. */
static void
relative(const char *dir)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int dirfd = open(dir, O_PATH | O_DIRECTORY), s;

	say(good(openat(dirfd, name, O_NONBLOCK | O_WRONLY | O_CREAT, 0644)), "openat");
	say(unlinkat(dirfd, name, 0) == 0, "unlinkat");
	say(mkdirat(dirfd, name, 0755) == 0, "mkdirat");
	if (dirfd != -1 && fchdir(dirfd) == 0 &&
	    strlen(name) < sizeof(sun.sun_path) &&
	    (s = socket(AF_UNIX, SOCK_STREAM, 0)) != -1) {
		strcpy(sun.sun_path, name);
		say(bind(s, (struct sockaddr *)&sun, sizeof(sun)) == 0,
		    "bind");
		close(s);
	}
	close(dirfd);
}

/* The mounts that protect it, and namespaces in which they would not. */
static void
uncover(void)
{
	say(umount2(path, MNT_DETACH) == 0, "umount");
	say(mount(NULL, path, NULL, MS_REMOUNT | MS_BIND, NULL) == 0,
	    "remount");
	say(mount("/tmp", path, NULL, MS_BIND, NULL) == 0, "bind over");
	say(mount(path, "/tmp", NULL, MS_MOVE, NULL) == 0, "move the mount");
	say(chroot("/tmp") == 0, "chroot");
	say(unshare(CLONE_NEWNS) == 0, "unshare -m");
	say(unshare(CLONE_NEWUSER) == 0, "unshare -U");
	say(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0, "unshare -Um");
}

/* A directory on the way: moved, swapped, replaced. */
static void
move_dir(void)
{
	char sub[PATH_MAX + 8];

	say(rename(path, temp2) == 0, "move aside");
	say(rename2(path, temp2, RENAME_NOREPLACE) == 0, "move aside new");
	say(rmdir(path) == 0, "rmdir");
	say(unlink(path) == 0, "unlink");
	if (mkdir(temp, 0755) == 0) {
		say(rename(temp, path) == 0, "replace");
		say(rename2(temp, path, RENAME_EXCHANGE) == 0, "exchange");
		say(rename2(path, temp, RENAME_EXCHANGE) == 0,
		    "exchange back");
		snprintf(sub, sizeof(sub), "%s/sub", temp);
		say(rename(path, sub) == 0, "move into a sibling");
		rmdir(temp);
	}
	fresh();
	if (sibling) {
		say(rename2(temp, path, RENAME_EXCHANGE) == 0,
		    "exchange with a file");
		say(rename(temp, path) == 0, "replace by a file");
	}
	unlink(temp);
	if (symlink("/tmp", temp) == 0) {
		say(rename2(temp, path, RENAME_EXCHANGE) == 0,
		    "exchange with a link");
		unlink(temp);
	}
}

int
main(int argc, char **argv)
{
	int is_dir = argc == 3 && strcmp(argv[1], "-d") == 0;
	char dir[PATH_MAX];
	const char *slash;

	if (argc == 3 && strcmp(argv[1], "-s") == 0)
		return mknod(argv[2], S_IFSOCK | 0666, 0) == -1;
	if (argc != 2 && !is_dir) {
		fputs("usage: hostile [-d] path\n", stderr);
		return 64;
	}
	path = argv[argc - 1];
	slash = strrchr(path, '/');
	snprintf(dir, sizeof(dir), "%.*s", slash == NULL ? 1 :
	    slash == path ? 1 : (int)(slash - path), slash == NULL ? "." :
	    path);
	snprintf(name, sizeof(name), "%s", slash == NULL ? path : slash + 1);
	if (snprintf(temp, sizeof(temp), "%s/.hostile.%d", dir, getpid()) >=
	    PATH_MAX || snprintf(temp2, sizeof(temp2), "%s/.hostile2.%d", dir,
	    getpid()) >= PATH_MAX)
		return 1;
	if (is_dir) {
		move_dir();
	} else {
		change();
		displace();
		put_over();
		nameless(dir);
		if (fork() == 0) {
			relative(dir);
			fflush(stdout);
			_exit(0);
		}
		wait(NULL);
		uncover();
		unlink(temp);
	}
	return 0;
}
