/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sys.h"

/* musl 1.2.3 and the kernel headers beside it may be older than these. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

int
sys_openat2(int dirfd, const char *path, int flags, unsigned long long resolve)
{
	struct open_how how;

	memset(&how, 0, sizeof(how));
	how.flags = (unsigned)(flags | O_CLOEXEC);
	how.resolve = resolve;
	return (int)syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
}

int
sys_open_tree(int dirfd, const char *path, unsigned flags)
{
	return (int)syscall(SYS_open_tree, dirfd, path,
	    flags | OPEN_TREE_CLOEXEC);
}

int
sys_move_mount(int from_fd, const char *from, int to_fd, const char *to,
    unsigned flags)
{
	return (int)syscall(SYS_move_mount, from_fd, from, to_fd, to, flags);
}

int
sys_tmpfs(void)
{
	int fs = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC), fd = -1;

	if (fs == -1)
		return -1;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "mode", "755", 0)
	    == 0 && syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL,
	    0) == 0)
		fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	return fd;
}

int
sys_mount_setattr(int fd, unsigned flags, unsigned long long set)
{
	struct {
		unsigned long long set, clr, propagation, userns_fd;
	} attr = { set, 0, 0, 0 };

	return (int)syscall(SYS_mount_setattr, fd, "",
	    flags | AT_EMPTY_PATH, &attr, sizeof(attr));
}

int
sys_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

int
sys_pidfd_kill(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

int
sys_pidfd_queue(int pidfd, int sig, int value)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = sig;
	info.si_code = SI_QUEUE;
	info.si_value.sival_int = value;
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, &info, 0);
}

int
sys_signal(int sig, void (*handler)(int))
{
	/* without the third word on aarch64 (kernel, asm-generic/signal.h) */
	const struct {
		void (*handler)(int);
		unsigned long flags, restorer, mask;
	} sa = { handler, 0, 0, 0 };

	return (int)syscall(SYS_rt_sigaction, sig, &sa, NULL, NSIG / 8);
}

int
sys_pidfd_over(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	int n;

	do
		n = poll(&p, 1, 0);
	while (n == -1 && errno == EINTR);
	return n == 1 && (p.revents & POLLIN) != 0;
}

int
sys_rename_noreplace(int from_fd, const char *from, int to_fd, const char *to)
{
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to,
	    RENAME_NOREPLACE);
}

int
sys_is_mount_root(int fd)
{
	struct statx stx;

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &stx) == -1)
		return -1;
	return (stx.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

unsigned long long
sys_mount_id(int fd)
{
	struct statx stx;

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) ==
	    -1 || (stx.stx_mask & STATX_MNT_ID) == 0)
		return 0;
	return stx.stx_mnt_id;
}

void
sys_btime(int dirfd, const char *name, struct timespec *ts)
{
	struct statx stx;

	ts->tv_sec = ts->tv_nsec = 0;
	if (syscall(SYS_statx, dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME,
	    &stx) == -1 || (stx.stx_mask & STATX_BTIME) == 0)
		return;
	ts->tv_sec = stx.stx_btime.tv_sec;
	ts->tv_nsec = stx.stx_btime.tv_nsec;
}

int
sys_proc_is_ours(void)
{
	char pid[24];
	ssize_t n = readlink("/proc/self", pid, sizeof(pid) - 1);

	if (n <= 0)
		return 0;
	pid[n] = '\0';
	return strtol(pid, NULL, 10) == getpid();
}

/* musl's ioctl(2) takes an int, which not every request is. */
int
sys_get_flags(int fd, unsigned *flags)
{
	return (int)syscall(SYS_ioctl, fd, FS_IOC_GETFLAGS, flags);
}

int
sys_set_flags(int fd, unsigned flags)
{
	return (int)syscall(SYS_ioctl, fd, FS_IOC_SETFLAGS, &flags);
}

int
sys_close_range(unsigned first, unsigned last)
{
	return (int)syscall(SYS_close_range, first, last, 0);
}

long long
sys_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}
