/* SPDX-License-Identifier: ISC */
#ifndef SRT_SYS_H
#define SRT_SYS_H

#include <sys/types.h>

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <signal.h>
#include <time.h>

/*
 * System calls that musl has no function for, under their own names.  All
 * return -1 with errno; descriptors they make are close-on-exec.  Their
 * numbers are the same on every architecture since Linux 5.0
 * (include/uapi/asm-generic/unistd.h).
 */

/* openat2(2), Linux 5.6; resolve is RESOLVE_* of <linux/openat2.h>. */
int	sys_openat2(int dirfd, const char *path, int flags,
	    unsigned long long resolve);

/* open_tree(2) and move_mount(2), Linux 5.2. */
int	sys_open_tree(int dirfd, const char *path, unsigned flags);
int	sys_move_mount(int from_fd, const char *from, int to_fd,
	    const char *to, unsigned flags);

/*
 * A new tmpfs that is mounted nowhere yet, its root of mode 0755: a
 * descriptor for sys_move_mount().  fsopen(2), Linux 5.2.
 */
int	sys_tmpfs(void);

/* mount_setattr(2), Linux 5.12; set is MOUNT_ATTR_*. */
int	sys_mount_setattr(int fd, unsigned flags, unsigned long long set);

/* pidfd_open(2), Linux 5.3, and pidfd_send_signal(2), Linux 5.1. */
int	sys_pidfd_open(pid_t pid);
int	sys_pidfd_kill(int pidfd, int sig);

/* The same with a value, as sigqueue(3) does: si_code is SI_QUEUE. */
int	sys_pidfd_queue(int pidfd, int sig, int value);

/*
 * sigaction(2): SIG_DFL or SIG_IGN, also for 32 to 34, which musl keeps for
 * itself; programs of another libc may use them, glibc's SIGRTMIN is 34.
 */
int	sys_signal(int sig, void (*handler)(int));

/* Whether the process has ended and its PID namespace, if it was init of
 * one, is empty: poll(2) on a pidfd, kernel/fork.c pidfd_poll(). */
int	sys_pidfd_over(int pidfd);

/* renameat2(2) with RENAME_NOREPLACE. */
int	sys_rename_noreplace(int from_fd, const char *from, int to_fd,
	    const char *to);

/* Whether fd is the root of a mount: statx(2), Linux 5.8.  1, 0 or -1. */
int	sys_is_mount_root(int fd);

/* The mount that fd was opened by, as in mountinfo; 0: Linux before 5.8. */
unsigned long long sys_mount_id(int fd);

/*
 * When the inode at name in dirfd was made; 0.0 where the file system does
 * not know (statx(2), STATX_BTIME).  No link is followed.
 */
void	sys_btime(int dirfd, const char *name, struct timespec *);

/*
 * Whether /proc shows the processes of our own PID namespace, so that its
 * numbers are those that we know.
 */
int	sys_proc_is_ours(void);

/* The flags of an open file or directory, FS_*_FL: ioctl_iflags(2). */
int	sys_get_flags(int fd, unsigned *flags);
int	sys_set_flags(int fd, unsigned flags);

/* close_range(2), Linux 5.9. */
int	sys_close_range(unsigned first, unsigned last);

/* Milliseconds of the clock that is never set, clock_gettime(2). */
long long sys_now_ms(void);

#endif
