/* SPDX-License-Identifier: ISC */
/* sys.h: each call does what its page in section 2 says, and closes on exec. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "sys.h"
#include "unit.h"

static int
is_cloexec(int fd)
{
	return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

static void
opening(const char *dir)
{
	int fd, dirfd = open(dir, O_RDONLY | O_DIRECTORY);

	mkdir("real", 0755);
	unit_write("real/file", "x");
	CHECK_INT(symlink("real", "link"), 0);
	CHECK_INT(symlink("file", "real/end"), 0);
	fd = sys_openat2(dirfd, "real/file", O_RDONLY, RESOLVE_NO_SYMLINKS);
	CHECK(fd != -1 && is_cloexec(fd));
	close(fd);
	CHECK_INT(sys_openat2(dirfd, "link/file", O_RDONLY,
	    RESOLVE_NO_SYMLINKS), -1);
	CHECK_INT(errno, ELOOP);
	CHECK_INT(sys_openat2(dirfd, "real/end", O_RDONLY,
	    RESOLVE_NO_SYMLINKS), -1);
	CHECK_INT(errno, ELOOP);
	fd = sys_openat2(dirfd, "real/end", O_PATH | O_NOFOLLOW,
	    RESOLVE_NO_SYMLINKS);
	CHECK(fd != -1);
	close(fd);
	fd = sys_openat2(dirfd, "link/file", O_RDONLY, 0);
	CHECK(fd != -1);
	close(fd);
	CHECK_INT(sys_openat2(dirfd, "none", O_RDONLY, 0), -1);
	CHECK_INT(errno, ENOENT);
	fd = sys_open_tree(dirfd, "real", 0);
	CHECK(fd != -1 && is_cloexec(fd));
	close(fd);
	CHECK_INT(sys_open_tree(dirfd, "none", 0), -1);
	CHECK_INT(errno, ENOENT);
	close(dirfd);
}

static void
renaming(void)
{
	struct stat a, b;

	unit_write("from", "1");
	unit_write("to", "22");
	stat("to", &b);
	CHECK_INT(sys_rename_noreplace(AT_FDCWD, "from", AT_FDCWD, "to"), -1);
	CHECK_INT(errno, EEXIST);
	stat("to", &a);
	CHECK(a.st_ino == b.st_ino && a.st_size == 2);
	CHECK_INT(sys_rename_noreplace(AT_FDCWD, "from", AT_FDCWD, "new"), 0);
	CHECK_INT(stat("from", &a), -1);
	CHECK_INT(stat("new", &a), 0);
	CHECK_INT(symlink("nowhere", "dangling"), 0);
	CHECK_INT(sys_rename_noreplace(AT_FDCWD, "new", AT_FDCWD, "dangling"),
	    -1);
	CHECK_INT(errno, EEXIST);
	mkdir("d1", 0755);
	mkdir("d2", 0755);
	CHECK_INT(sys_rename_noreplace(AT_FDCWD, "d1", AT_FDCWD, "d2"), -1);
	CHECK_INT(errno, EEXIST);
}

/* A process counts as over once it has ended, reaped or not. */
static void
processes(void)
{
	int hold[2], pidfd, wstatus;
	siginfo_t info;
	pid_t pid;
	char c;

	CHECK_INT(pipe(hold), 0);
	if ((pid = fork()) == 0) {
		close(hold[1]);
		_exit(read(hold[0], &c, 1) == 1);
	}
	pidfd = sys_pidfd_open(pid);
	CHECK(pidfd != -1 && is_cloexec(pidfd));
	CHECK_INT(sys_pidfd_over(pidfd), 0);
	CHECK_INT(sys_pidfd_kill(pidfd, 0), 0);
	CHECK_INT(sys_pidfd_over(pidfd), 0);
	CHECK_INT(sys_pidfd_kill(pidfd, SIGTERM), 0);
	CHECK_INT(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	CHECK_INT(sys_pidfd_over(pidfd), 1);
	CHECK_INT(waitpid(pid, &wstatus, 0), pid);
	CHECK(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGTERM);
	CHECK_INT(sys_pidfd_over(pidfd), 1);
	CHECK_INT(sys_pidfd_kill(pidfd, 0), -1);
	CHECK_INT(errno, ESRCH);
	CHECK_INT(sys_pidfd_open(pid), -1);
	CHECK_INT(errno, ESRCH);
	CHECK_INT(sys_pidfd_kill(-1, 0), -1);
	CHECK_INT(errno, EBADF);
	close(pidfd);
	close(hold[0]);
	close(hold[1]);
}

static void
mount_roots(void)
{
	int fd = open("/proc", O_PATH);

	CHECK_INT(sys_is_mount_root(fd), 1);
	close(fd);
	fd = open("/proc/self", O_PATH);
	CHECK_INT(sys_is_mount_root(fd), 0);
	close(fd);
	CHECK_INT(sys_is_mount_root(-1), -1);
	CHECK_INT(errno, EBADF);
}

static void
ranges(void)
{
	int fd[5], i;

	for (i = 0; i < 5; i++)
		fd[i] = fcntl(0, F_DUPFD, 100 + i);
	CHECK_INT(sys_close_range(101, 103), 0);
	CHECK(fcntl(fd[0], F_GETFD) != -1);
	for (i = 1; i < 4; i++)
		CHECK_INT(fcntl(fd[i], F_GETFD), -1);
	CHECK(fcntl(fd[4], F_GETFD) != -1);
	CHECK_INT(sys_close_range(100, ~0U), 0);
	CHECK_INT(fcntl(fd[4], F_GETFD), -1);
	CHECK_INT(sys_close_range(7, 6), -1);
	CHECK_INT(errno, EINVAL);
}

/* In namespaces of our own: a clone of a file, read-only, over another. */
static void
mounting(void)
{
	int copy, target, fd;

	unit_write("over", "over");
	unit_write("under", "under");
	/* before that nobody may */
	if (geteuid() != 0) {
		CHECK_INT(sys_open_tree(AT_FDCWD, "over", OPEN_TREE_CLONE),
		    -1);
		CHECK_INT(errno, EPERM);
	}
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == -1) {
		CHECK(errno == EPERM || errno == ENOSPC);
		return;
	}
	copy = sys_open_tree(AT_FDCWD, "over", OPEN_TREE_CLONE);
	CHECK(copy != -1 && is_cloexec(copy));
	CHECK_INT(sys_mount_setattr(copy, 0, MOUNT_ATTR_RDONLY), 0);
	target = open("under", O_PATH);
	CHECK_INT(sys_move_mount(copy, "", target, "",
	    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH), 0);
	fd = open("under", O_PATH);
	CHECK_INT(sys_is_mount_root(fd), 1);
	CHECK_INT(open("under", O_WRONLY), -1);
	CHECK_INT(errno, EROFS);
	CHECK_INT(sys_mount_setattr(-1, 0, MOUNT_ATTR_RDONLY), -1);
	CHECK_INT(errno, EBADF);
	close(fd);
	close(copy);
	close(target);
	CHECK_INT(umount2("under", MNT_DETACH), 0);
}

int
main(void)
{
	const char *dir = unit_dir();

	opening(dir);
	renaming();
	processes();
	mount_roots();
	ranges();
	mounting();
	unit_rmdir(dir);
	return unit_failures != 0;
}
