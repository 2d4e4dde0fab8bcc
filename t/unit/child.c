/* SPDX-License-Identifier: ISC */
/* child.h: statuses, whom child_end_holders() ends, who is at work, signals. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "child.h"
#include "exits.h"
#include "lock.h"
#include "sys.h"
#include "unit.h"

static void
statuses(void)
{
	int wstatus, i;
	pid_t pid;

	for (i = 0; i < 256; i++) {
		CHECK_INT(child_status(i << 8), i);
		if (i > 0 && i < 127)
			CHECK_INT(child_status(i), EXIT_SIGNAL + i);
	}
	CHECK_INT(child_status(SIGSEGV | 0x80), EXIT_SIGNAL + SIGSEGV);
	if ((pid = fork()) == 0)
		raise(SIGTERM);
	waitpid(pid, &wstatus, 0);
	CHECK_INT(child_status(wstatus), EXIT_SIGNAL + SIGTERM);
}

/* A process that has the file open, locked or not, until it is killed. */
static pid_t
holder(const char *path, int locked)
{
	int ready[2], fd;
	pid_t pid;
	char c;

	if (pipe(ready) == -1 || (pid = fork()) == -1)
		exit(1);
	if (pid == 0) {
		fd = open(path, O_RDWR);
		if (fd == -1 || (locked && lock_take(fd) == -1))
			_exit(1);
		close(ready[0]);
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &c, 1), 0);
	close(ready[0]);
	return pid;
}

static void
ended_by_kill(pid_t pid)
{
	int wstatus;

	CHECK_INT(waitpid(pid, &wstatus, 0), pid);
	CHECK(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGKILL);
}

static void
holders(void)
{
	struct stat st, other;
	pid_t a, b, c;
	int fd;

	unit_write("file", "");
	unit_write("other", "");
	CHECK_INT(stat("file", &st), 0);
	CHECK_INT(stat("other", &other), 0);
	CHECK_INT(child_end_holders(&st, 0), 0);
	a = holder("file", 0);
	b = holder("file", 1);
	c = holder("other", 1);
	CHECK_INT(child_end_holders(&st, 1), 1);
	ended_by_kill(b);
	CHECK_INT(kill(a, 0), 0);
	CHECK_INT(child_end_holders(&st, 0), 1);
	ended_by_kill(a);
	CHECK_INT(waitpid(c, NULL, WNOHANG), 0);
	/* and never ourselves */
	fd = open("other", O_RDWR);
	CHECK(fd != -1);
	CHECK_INT(child_end_holders(&other, 0), 1);
	ended_by_kill(c);
	close(fd);
}

/* A process that works for ever, and has the file or directory open. */
static pid_t
worker(const char *path, const char *dir)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready) == -1 || (pid = fork()) == -1)
		exit(1);
	if (pid == 0) {
		if (open(path, O_RDONLY) == -1 || chdir(dir) == -1 ||
		    prctl(PR_SET_NAME, "worker") == -1)
			_exit(1);
		close(ready[0]);
		close(ready[1]);
		for (;;)
			;
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &c, 1), 0);
	close(ready[0]);
	return pid;
}

/* Who is at work below a directory. */
static void
others(void)
{
	char in[4096], sub[4200], beside[4200];
	int wstatus, fd;
	pid_t pid;

	CHECK_INT(mkdir("in", 0755) | mkdir("in/sub", 0755), 0);
	unit_write("in/file", "");
	CHECK(realpath("in", in) != NULL);
	snprintf(sub, sizeof(sub), "%s/sub", in);
	snprintf(beside, sizeof(beside), "%s/su", in);
	fd = open("in/sub", O_RDONLY);	/* we do not count */
	CHECK_INT(child_others_in(in), 0);
	close(fd);
	pid = worker("in/sub", "/");
	CHECK_INT(child_others_in(in), 1);
	CHECK_INT(child_others_in(sub), 1);
	CHECK_INT(child_others_in(beside), 0);
	kill(pid, SIGSTOP);
	CHECK_INT(waitpid(pid, &wstatus, WUNTRACED), pid);
	CHECK_INT(child_others_in(in), 0);
	kill(pid, SIGKILL);
	ended_by_kill(pid);
	pid = worker(in, "/");
	CHECK_INT(child_others_in(sub), 0);
	kill(pid, SIGKILL);
	ended_by_kill(pid);
	pid = worker("in/file", "in/sub");
	CHECK_INT(child_others_in(sub), 1);
	kill(pid, SIGKILL);
	ended_by_kill(pid);
	pid = worker("in/file", "/");
	CHECK_INT(child_others_in(in), 0);
	kill(pid, SIGKILL);
	ended_by_kill(pid);
}

static void
signals(void)
{
	struct sigaction sa;
	sigset_t set;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP && sig != SIGHUP)
			CHECK_INT(sys_signal(sig, SIG_IGN), 0);
	CHECK_INT(child_ignores_hangup(), 0);
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	child_reset_signals();
	for (sig = 1; sig < NSIG; sig++)
		if (sigaction(sig, NULL, &sa) == 0)
			CHECK(sa.sa_handler == SIG_DFL);
	sigprocmask(SIG_BLOCK, NULL, &set);
	CHECK_INT(sigisemptyset(&set), 1);
	signal(SIGHUP, SIG_IGN);
	CHECK_INT(child_ignores_hangup(), 1);
	child_reset_signals();
	CHECK_INT(child_ignores_hangup(), 1);
}

/* A fault of our own is no signal that somebody sends. */
static void
blocked(void)
{
	sigset_t set;
	int wstatus;
	pid_t pid;

	if ((pid = fork()) == 0) {
		child_block_signals(&set);
		raise(SIGILL);
		raise(SIGTRAP);
		if (sigtimedwait(&set, NULL, &(struct timespec){ 0 }) > 0)
			__builtin_trap();
		_exit(0);
	}
	waitpid(pid, &wstatus, 0);
	CHECK(WIFSIGNALED(wstatus) && (WTERMSIG(wstatus) == SIGILL ||
	    WTERMSIG(wstatus) == SIGTRAP));
}

/* Those that were there before are left alone. */
static void
ending(void)
{
	struct child_list before;
	sigset_t chld;
	pid_t old, new;
	int wstatus;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	CHECK_INT(child_list(&before), 0);
	CHECK_INT(before.n, 0);
	CHECK_INT(child_end_all(&before), 0);
	if ((old = fork()) == 0)
		for (;;)
			pause();
	CHECK_INT(child_list(&before), 0);
	CHECK_INT(before.n, 1);
	if ((new = fork()) == 0)
		for (;;)
			pause();
	CHECK_INT(child_end_all(&before), 0);
	CHECK_INT(kill(new, 0), -1);
	CHECK_INT(kill(old, SIGTERM), 0);
	CHECK_INT(waitpid(old, &wstatus, 0), old);
	CHECK_INT(wstatus, SIGTERM);
	free(before.pid);
	sigprocmask(SIG_UNBLOCK, &chld, NULL);
}

int
main(void)
{
	const char *dir = unit_dir();

	statuses();
	holders();
	others();
	signals();
	blocked();
	unit_rmdir(dir);
	ending();
	return unit_failures != 0;
}
