/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "exits.h"
#include "file.h"
#include "sys.h"

#define INFO_MAX 65536	/* bytes of a /proc/PID/fdinfo file */
#define END_MS 1000	/* for a process to end that was killed */

int
child_status(int wstatus)
{
	return WIFSIGNALED(wstatus) ? EXIT_SIGNAL + WTERMSIG(wstatus) :
	    WEXITSTATUS(wstatus);
}

/* Is descriptor fd of process pid the description that holds a lock? */
static int
holds_lock(const char *pid, const char *fd)
{
	char path[PATH_MAX], *buf;
	size_t len;
	int info, found = 0;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, fd);
	if ((info = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return 0;
	if (file_slurp(info, INFO_MAX, &buf, &len) == 0) {
		found = strstr(buf, "OFDLCK") != NULL;
		free(buf);
	}
	close(info);
	return found;
}

/* Does process pid have the file open?  lock_only: judges only open it. */
static int
is_holder(const char *pid, const struct stat *st, int lock_only)
{
	char path[PATH_MAX];
	struct stat seen;
	struct dirent *d;
	DIR *dir;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	if ((dir = opendir(path)) == NULL)
		return 0;
	while (!found && (d = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, d->d_name);
		found = stat(path, &seen) == 0 && seen.st_ino == st->st_ino &&
		    seen.st_dev == st->st_dev &&
		    (!lock_only || holds_lock(pid, d->d_name));
	}
	closedir(dir);
	return found;
}

static void
wait_for(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	while (poll(&p, 1, END_MS) == -1 && errno == EINTR)
		;
}

int
child_end_holders(const struct stat *st, int lock_only)
{
	struct dirent *d;
	DIR *proc = opendir("/proc");
	pid_t pid;
	int pidfd, n = 0;

	if (proc == NULL || !sys_proc_is_ours()) {
		if (proc != NULL)
			closedir(proc);
		return 0;
	}
	while ((d = readdir(proc)) != NULL) {
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		if (pid <= 0 || pid == getpid() ||
		    !is_holder(d->d_name, st, lock_only))
			continue;
		if ((pidfd = sys_pidfd_open(pid)) == -1)
			continue;
		/* looked again: the pid may have been another's by now */
		if (is_holder(d->d_name, st, lock_only) &&
		    sys_pidfd_kill(pidfd, SIGKILL) == 0) {
			wait_for(pidfd);
			n++;
		}
		close(pidfd);
	}
	closedir(proc);
	return n;
}

int
child_ignores_hangup(void)
{
	struct sigaction sa;

	return sigaction(SIGHUP, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN;
}

void
child_reset_signals(void)
{
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		if (sig != SIGHUP || !child_ignores_hangup())
			signal(sig, SIG_DFL);	/* fails for KILL and STOP */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
