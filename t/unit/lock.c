/* SPDX-License-Identifier: ISC */
/* lock.h: whose locks they are, and the mutex that nobody waits long for. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "child.h"
#include "lock.h"
#include "unit.h"

static int dir_fd;

static int
open_file(int flags)
{
	int fd = open("file", flags | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd != -1);
	return fd;
}

static void
descriptions(void)
{
	int a = open_file(O_RDWR), b = open_file(O_RDWR), c = dup(a);
	int look = open_file(O_RDONLY), wstatus;
	pid_t pid;

	CHECK_INT(lock_held(look), 0);
	CHECK_INT(lock_take(a), 0);
	CHECK_INT(lock_held(look), 1);
	CHECK_INT(lock_held(b), 1);
	CHECK_INT(lock_held(a), 0);	/* it is our own */
	CHECK_INT(lock_held(c), 0);
	CHECK_INT(lock_take(b), -1);
	CHECK_INT(errno, EAGAIN);
	CHECK_INT(lock_take(c), 0);
	/* to ask takes nothing: it is free for somebody afterwards */
	close(a);
	CHECK_INT(lock_held(look), 1);
	/* inherited: the child's end is not ours */
	if ((pid = fork()) == 0)
		_exit(0);
	waitpid(pid, &wstatus, 0);
	CHECK_INT(lock_held(look), 1);
	close(c);
	CHECK_INT(lock_held(look), 0);
	CHECK_INT(lock_take(b), 0);
	CHECK_INT(lock_take(look), -1);	/* not open for writing */
	close(b);
	close(look);
	CHECK_INT(lock_held(-1), -1);
}

/* A child has the descriptor, but not the lock. */
static void
alone(void)
{
	int a, look = open_file(O_RDONLY), up[2], hold[2], wstatus;
	char c = 'x';
	pid_t pid;

	if (pipe(up) == -1 || pipe(hold) == -1 || (pid = fork()) == -1)
		exit(1);
	if (pid == 0) {
		a = open_file(O_RDWR);
		if (lock_take_alone(a) == -1 || lock_held(look) != 1)
			_exit(1);
		if (fork() == 0) {
			close(hold[1]);
			_exit((int)read(hold[0], &c, 1));
		}
		CHECK_INT(write(up[1], &c, 1), 1);
		_exit(0);
	}
	close(hold[0]);
	CHECK_INT(read(up[0], &c, 1), 1);
	CHECK_INT(waitpid(pid, &wstatus, 0), pid);
	CHECK_INT(wstatus, 0);
	/* the grandchild lives */
	CHECK_INT(lock_held(look), 0);
	a = open_file(O_RDWR);
	CHECK_INT(lock_take(a), 0);
	close(a);
	close(look);
	close(hold[1]);
	close(up[0]);
	close(up[1]);
	CHECK_INT(lock_take_alone(-1), -1);
	CHECK_INT(errno, EBADF);
}

static long long
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static void
mutex(void)
{
	struct itimerval timer;
	struct sigaction sa;
	struct stat st;
	char text[32] = "", pid[32];
	long holder = -1;
	long long start;
	int fd, again;

	umask(0777);
	fd = lock_mutex(dir_fd, &holder);
	umask(022);
	CHECK(fd != -1);
	CHECK_INT(holder, 0);
	CHECK_INT(stat("lock", &st), 0);
	CHECK_INT(st.st_mode & 07777, 0600);
	CHECK(pread(fd, text, sizeof(text) - 1, 0) > 0);
	snprintf(pid, sizeof(pid), "%-10ld\n", (long)getpid());
	CHECK_STR(text, pid);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	/* held by another description, ours or not */
	start = now_ms();
	again = lock_mutex(dir_fd, &holder);
	CHECK_INT(again, -1);
	CHECK_INT(errno, EAGAIN);
	CHECK_INT(holder, getpid());
	start = now_ms() - start;
	CHECK(start >= LOCK_WAIT_S * 1000 - 100);
	CHECK(start < LOCK_WAIT_S * 1000 + 3000);
	/* as before: no timer runs, nobody catches its signal */
	CHECK_INT(getitimer(ITIMER_REAL, &timer), 0);
	CHECK_INT(timer.it_value.tv_sec + timer.it_value.tv_usec, 0);
	CHECK_INT(sigaction(SIGALRM, NULL, &sa), 0);
	CHECK(sa.sa_handler == SIG_DFL);
	close(fd);
	fd = lock_mutex(dir_fd, &holder);
	CHECK(fd != -1);
	close(fd);
}

/* A file of ours that is too narrow is put right. */
static void
narrow(void)
{
	struct stat st;
	long holder;
	int fd;

	CHECK_INT(chmod("lock", 0400), 0);
	fd = lock_mutex(dir_fd, &holder);
	CHECK(fd != -1);
	if (geteuid() != 0) {
		CHECK_INT(stat("lock", &st), 0);
		CHECK_INT(st.st_mode & 07777, 0600);
	}
	close(fd);
}

/* Replaced while it was waited for: the new one counts. */
static void
replaced(void)
{
	struct stat st, named;
	sigset_t all;
	long holder;
	int fd, ready[2], wstatus;
	pid_t pid;
	char c;

	fd = lock_mutex(dir_fd, &holder);
	if (pipe(ready) == -1 || (pid = fork()) == -1)
		exit(1);
	if (pid == 0) {
		close(fd);
		close(ready[0]);
		close(ready[1]);
		child_block_signals(&all);
		fd = lock_mutex(dir_fd, &holder);
		/* as before: blocked, also what musl has for itself */
		kill(getpid(), SIGALRM);
		kill(getpid(), 34);
		_exit(fd != -1 && fstat(fd, &st) == 0 &&
		    stat("lock", &named) == 0 && st.st_ino == named.st_ino ?
		    0 : 1);
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &c, 1), 0);
	close(ready[0]);
	usleep(100000);
	CHECK_INT(rename("lock", "old"), 0);
	unit_write("lock", "");
	close(fd);
	CHECK_INT(waitpid(pid, &wstatus, 0), pid);
	CHECK_INT(wstatus, 0);
}

static void
odd_files(void)
{
	long holder;

	CHECK_INT(unlink("lock"), 0);
	CHECK_INT(symlink("elsewhere", "lock"), 0);
	CHECK_INT(lock_mutex(dir_fd, &holder), -1);
	CHECK_INT(errno, ELOOP);
	CHECK_INT(access("elsewhere", F_OK), -1);
	CHECK_INT(unlink("lock"), 0);
	CHECK_INT(mkdir("lock", 0700), 0);
	CHECK_INT(lock_mutex(dir_fd, &holder), -1);
	CHECK_INT(errno, EISDIR);
	CHECK_INT(rmdir("lock"), 0);
	CHECK_INT(lock_mutex(-1, &holder), -1);
	CHECK_INT(errno, EBADF);
}

static void
say_busy(void)
{
	errno = EAGAIN;
	lock_say("/a place", 42);
}

static void
say_failed(void)
{
	errno = EISDIR;
	lock_say("/x", 0);
}

static void
says(void)
{
	struct unit_end e = unit_end_of(say_busy);

	CHECK(strstr(e.err, ": the lock is held by process 42 for more than 5 "
	    "seconds\n") != NULL);
	e = unit_end_of(say_failed);
	CHECK(strstr(e.err, ": /x: cannot be locked: Is a directory\n") !=
	    NULL);
}

int
main(void)
{
	const char *dir = unit_dir();

	dir_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	descriptions();
	alone();
	mutex();
	narrow();
	replaced();
	odd_files();
	says();
	close(dir_fd);
	unit_rmdir(dir);
	return unit_failures != 0;
}
