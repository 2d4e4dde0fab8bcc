/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "file.h"
#include "lock.h"
#include "msg.h"

int
lock_take(int fd)
{
	struct flock fl = { .l_type = F_WRLCK };	/* the whole file */

	return fcntl(fd, F_OFD_SETLK, &fl);
}

int
lock_take_alone(int fd)
{
	struct flock fl = { .l_type = F_WRLCK };

	return fcntl(fd, F_SETLK, &fl);
}

int
lock_held(int fd)
{
	struct flock fl = { .l_type = F_WRLCK };

	if (fcntl(fd, F_OFD_GETLK, &fl) == -1)
		return -1;
	return fl.l_type != F_UNLCK;
}

static void
on_alarm(int sig)
{
	(void)sig;	/* only there to interrupt fcntl */
}

/*
 * Wait for the lock with an alarm to end the wait.  The alarm repeats: the
 * first may come before fcntl has begun to sleep.
 */
static int
take_waiting(int fd)
{
	struct itimerval limit = { { 0, 100000 }, { LOCK_WAIT_S, 0 } }, off;
	struct sigaction sa, old_sa;
	sigset_t alrm, old_mask;
	struct flock fl = { .l_type = F_WRLCK };
	int r, saved;

	if (lock_take(fd) == 0)
		return 0;
	memset(&off, 0, sizeof(off));
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_alarm;	/* and no SA_RESTART */
	sigaction(SIGALRM, &sa, &old_sa);
	sigemptyset(&alrm);
	sigaddset(&alrm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alrm, &old_mask);
	setitimer(ITIMER_REAL, &limit, NULL);
	r = fcntl(fd, F_OFD_SETLKW, &fl);
	saved = errno == EINTR ? EAGAIN : errno;
	setitimer(ITIMER_REAL, &off, NULL);
	/* not all of it: musl leaves out 32 to 34 when it gives a mask */
	if (sigismember(&old_mask, SIGALRM))
		sigprocmask(SIG_BLOCK, &alrm, NULL);
	sigaction(SIGALRM, &old_sa, NULL);
	errno = saved;
	return r;
}

static long
pid_in(int fd)
{
	char buf[24];
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);

	if (n <= 0)
		return 0;
	buf[n] = '\0';
	return strtol(buf, NULL, 10);
}

/* Is the file that was locked still the one at the name?  (unlink, restore) */
static int
still_named(int dirfd, int fd)
{
	struct stat st, named;

	return fstat(fd, &st) == 0 &&
	    fstatat(dirfd, "lock", &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_ino == named.st_ino && st.st_dev == named.st_dev;
}

/* Mode 0600 whatever the umask, also where an earlier one made it less. */
static int
open_lock(int dirfd)
{
	const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC;
	mode_t old = umask(077);
	int fd = openat(dirfd, "lock", flags, 0600), saved;

	if (fd == -1 && errno == EACCES) {
		errno = EACCES;
		if (fchmodat(dirfd, "lock", 0600, 0) == 0)
			fd = openat(dirfd, "lock", flags, 0600);
	}
	saved = errno;
	umask(old);
	errno = saved;
	return fd;
}

int
lock_mutex(int dirfd, long *holder)
{
	char pid[24];
	int fd, n;

	*holder = 0;
	for (;;) {
		if ((fd = open_lock(dirfd)) == -1)
			return -1;
		if (take_waiting(fd) == -1) {
			*holder = pid_in(fd);
			file_close(&fd);
			return -1;
		}
		if (still_named(dirfd, fd))
			break;
		file_close(&fd);
	}
	/* Only for messages: a full disk must not stop anybody here. */
	n = snprintf(pid, sizeof(pid), "%-10ld\n", (long)getpid());
	if (pwrite(fd, pid, (size_t)n, 0) == -1)
		errno = 0;
	return fd;
}

void
lock_say(const char *path, long holder)
{
	if (errno != EAGAIN)
		msg_path(path, "cannot be locked");
	else {
		errno = 0;
		msg_path(path, "the lock is held by process %ld for more than "
		    "%d seconds", holder, LOCK_WAIT_S);
	}
}
