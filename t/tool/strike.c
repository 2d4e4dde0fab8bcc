/* SPDX-License-Identifier: ISC */
/*
 * strike who usec program [arg ...]: run a program, SIGKILL one process of it
 * that many microseconds after it is there, and see what comes of the rest.
 *
 * who is "self", the program's own process, "monitor", a child of that which
 * calls itself bwrap, "init", a child of the monitor, or "gate", the second
 * child of the program.
 *
 * Says "missed" if there was nobody to strike; "status N" (what a shell would
 * show of the program), or "stuck" if it does not end within LIMIT_S seconds;
 * "left PID COMMAND" for every process of it that is there LEFT_MS milliseconds
 * later; and the milliseconds from the strike until all were gone.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S	10
#define LEFT_MS	500

static long long
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000LL + ts.tv_nsec / 1000;
}

static ssize_t
slurp(const char *fmt, int pid, char *buf, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), fmt, pid, pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) != -1) {
		n = read(fd, buf, size - 1);
		close(fd);
	}
	buf[n < 0 ? 0 : n] = '\0';
	return n;
}

/* Child number i of pid, or 0. */
static pid_t
child(pid_t pid, int i)
{
	char buf[4096], *p = buf, *end;
	long n = 0;

	slurp("/proc/%d/task/%d/children", pid, buf, sizeof(buf));
	for (; i >= 0; i--, p = end)
		if ((n = strtol(p, &end, 10)) == 0)
			return 0;
	return (pid_t)n;
}

static pid_t
monitor_of(pid_t pid)
{
	char buf[256];
	pid_t c;
	int i;

	for (i = 0; (c = child(pid, i)) != 0; i++)
		if (slurp("/proc/%d/cmdline", c, buf, sizeof(buf)) > 0 &&
		    strcmp(buf, "bwrap") == 0)
			return c;
	return 0;
}

static pid_t
find(const char *who, pid_t pid)
{
	pid_t c;

	if (strcmp(who, "self") == 0)
		return pid;
	if (strcmp(who, "gate") == 0)
		return child(pid, 1);
	c = monitor_of(pid);
	if (strcmp(who, "init") == 0)
		return c == 0 ? 0 : child(c, 0);
	return c;
}

/* A process that has ended, and waits to be reaped, counts as ended. */
static int
has_ended(pid_t pid)
{
	siginfo_t info;

	info.si_pid = 0;
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT)
	    == -1 || info.si_pid == pid;
}

static void
say_left(void)
{
	char buf[256];
	pid_t c;
	int i;

	for (i = 0; (c = child(getpid(), i)) != 0; i++) {
		slurp("/proc/%d/cmdline", c, buf, sizeof(buf));
		printf("left %d %s\n", (int)c, buf);
	}
}

int
main(int argc, char **argv)
{
	const struct timespec nap = { 0, 200000 };
	long long start, delay, struck;
	pid_t pid, target = 0;
	int wstatus = 0, fd, r = 0;

	if (argc < 4)
		errx(64, "usage: strike who usec program [arg ...]");
	delay = atoll(argv[2]);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == -1 ||
	    (pid = fork()) == -1)
		err(1, "start");
	if (pid == 0) {
		execvp(argv[3], argv + 3);
		err(127, "%s", argv[3]);
	}
	while ((target = find(argv[1], pid)) == 0 && !has_ended(pid))
		;
	fd = target == 0 ? -1 : (int)syscall(SYS_pidfd_open, target, 0);
	for (start = now_us(); now_us() < start + delay;)
		;
	if (fd == -1 ||
	    syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == -1)
		puts("missed");
	struck = now_us();
	while (!has_ended(pid) && now_us() < struck + LIMIT_S * 1000000LL)
		nanosleep(&nap, NULL);
	if (has_ended(pid)) {
		waitpid(pid, &wstatus, 0);
		printf("status %d\n", WIFSIGNALED(wstatus) ?
		    128 + WTERMSIG(wstatus) : WEXITSTATUS(wstatus));
	} else
		puts("stuck");
	start = now_us();
	while (now_us() < start + LEFT_MS * 1000LL &&
	    (r = waitpid(-1, NULL, WNOHANG)) != -1)
		if (r == 0)
			nanosleep(&nap, NULL);
	if (r != -1)
		say_left();
	printf("%lld\n", (now_us() - struck) / 1000);
	return 0;
}
