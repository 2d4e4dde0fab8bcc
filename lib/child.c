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
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "exits.h"
#include "file.h"
#include "msg.h"
#include "sys.h"

#define INFO_MAX 65536	/* bytes of a file in /proc/PID */
#define END_MS	1000	/* for a process to end that was killed */
#define END_S	5	/* for all of them, one after another */

int
child_status(int wstatus)
{
	return WIFSIGNALED(wstatus) ? EXIT_SIGNAL + WTERMSIG(wstatus) :
	    WEXITSTATUS(wstatus);
}

DIR *
child_proc(void)
{
	return sys_proc_is_ours() ? opendir("/proc") : NULL;
}

pid_t
child_next(DIR *proc, const char **name)
{
	struct dirent *d;
	pid_t pid;

	while ((d = readdir(proc)) != NULL) {
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		*name = d->d_name;
		if (pid > 0 && pid != getpid())
			return pid;
	}
	return 0;
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
	DIR *proc = child_proc();
	const char *name;
	pid_t pid;
	int pidfd, n = 0;

	if (proc == NULL)
		return 0;
	while ((pid = child_next(proc, &name)) != 0) {
		if (!is_holder(name, st, lock_only) ||
		    (pidfd = sys_pidfd_open(pid)) == -1)
			continue;
		/* looked again: the pid may have been another's by now */
		if (is_holder(name, st, lock_only) &&
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
			sys_signal(sig, SIG_DFL);	/* not KILL and STOP */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void
child_block_signals(sigset_t *set)
{
	signal(SIGCHLD, SIG_DFL);	/* or nothing could be waited for */
	memset(set, 0xff, sizeof(*set));
	sigprocmask(SIG_SETMASK, set, NULL);
}

int
child_catch_signals(void)
{
	sigset_t set;

	child_block_signals(&set);
	if (child_ignores_hangup())
		sigdelset(&set, SIGHUP);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Other codes above 0 are CLD_* and POLL_*; a SIGPIPE says that it is ours. */
int
child_signal(int fd, int *group)
{
	struct signalfd_siginfo si;

	while (read(fd, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		int sig = (int)si.ssi_signo;

		*group = si.ssi_code == SI_KERNEL && sig != SIGHUP &&
		    sig != SIGALRM;
		if (si.ssi_code == SI_KERNEL || (si.ssi_code <= 0 &&
		    si.ssi_pid != (unsigned)getpid()))
			return sig;
	}
	return 0;
}

void
child_stop_as(int sig)
{
	sigset_t set;

	if (sig != SIGTSTP && sig != SIGTTIN && sig != SIGTTOU) {
		raise(SIGSTOP);
		return;
	}
	sigemptyset(&set);
	sigaddset(&set, sig);
	signal(sig, SIG_DFL);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);	/* here */
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void
child_die_of(int sig)
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &no_core);
	sigemptyset(&set);
	sigaddset(&set, sig);
	signal(sig, SIG_DFL);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int
child_stat(const char *pid, struct child_stat *st)
{
	char path[64], *buf, *p, *name;
	size_t len;
	int fd, field, r = -1;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return -1;
	if (file_slurp(fd, INFO_MAX, &buf, &len) == 0) {
		/* "pid (name) state ppid": anything can be in a name */
		if ((p = strrchr(buf, ')')) != NULL && strlen(p) > 4 &&
		    (name = strchr(buf, '(')) != NULL) {
			*p = '\0';
			strlcpy(st->name, name + 1, sizeof(st->name));
			st->state = p[2];
			st->parent = (pid_t)strtol(p + 4, &p, 10);
			for (field = 5; p != NULL && field < 22; field++)
				p = strchr(p + 1, ' ');
			st->started = p == NULL ? 0 : strtoull(p, NULL, 10);
			r = 0;
		}
		free(buf);
	}
	close(fd);
	return r;
}

static pid_t
parent_of(const char *pid)
{
	struct child_stat st;

	return child_stat(pid, &st) == 0 ? st.parent : 0;
}

/* Where a link in /proc/PID leads: to dir, or below it? */
static int
leads_into(int proc, const char *name, const char *dir)
{
	char link[PATH_MAX];
	ssize_t n = readlinkat(proc, name, link, sizeof(link) - 1);

	link[n > 0 ? n : 0] = '\0';
	return path_within(link, dir);
}

/* Has process pid a directory open, or for its own, that is path or below? */
static int
is_in(const char *pid, const char *path)
{
	char name[64];
	struct dirent *d;
	struct stat st;
	int found;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%.20s/cwd", pid);
	found = leads_into(AT_FDCWD, name, path);
	snprintf(name, sizeof(name), "/proc/%.20s/fd", pid);
	if ((dir = opendir(name)) == NULL)
		return found;
	while (!found && (d = readdir(dir)) != NULL)
		found = leads_into(dirfd(dir), d->d_name, path) &&
		    fstatat(dirfd(dir), d->d_name, &st, 0) == 0 &&
		    S_ISDIR(st.st_mode);
	closedir(dir);
	return found;
}

int
child_others_in(const char *path)
{
	struct child_stat st, us;
	const char *name;
	int found = 0;
	DIR *proc;

	if (child_stat("self", &us) == -1 || (proc = child_proc()) == NULL)
		return 0;
	while (!found && child_next(proc, &name) != 0)
		found = child_stat(name, &st) == 0 &&
		    strcmp(st.name, us.name) != 0 &&
		    (st.state == 'R' || st.state == 'D') && is_in(name, path);
	closedir(proc);
	return found;
}

static int
is_listed(const struct child_list *list, pid_t pid)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->pid[i] == pid)
			return 1;
	return 0;
}

/*
 * Call f for each child of ours that is not in the list; returns how many, or
 * -1.  Nobody else reaps them, so that their pids stay theirs.
 */
static int
for_children(struct child_list *list, int (*f)(struct child_list *, pid_t))
{
	DIR *proc = child_proc();
	const char *name;
	pid_t pid;
	int n = 0;

	if (proc == NULL)
		return -1;
	while (n != -1 && (pid = child_next(proc, &name)) != 0)
		if (parent_of(name) == getpid() && !is_listed(list, pid))
			n = f(list, pid) == -1 ? -1 : n + 1;
	closedir(proc);
	return n;
}

static int
add_child(struct child_list *list, pid_t pid)
{
	pid_t *more = reallocarray(list->pid, list->n + 1, sizeof(*more));

	if (more == NULL)
		return -1;
	list->pid = more;
	more[list->n++] = pid;
	return 0;
}

static int
kill_child(struct child_list *list, pid_t pid)
{
	(void)list;
	kill(pid, SIGKILL);	/* EPERM: it may end by itself */
	return 0;
}

int
child_list(struct child_list *list)
{
	list->pid = NULL;
	list->n = 0;
	if (waitid(P_ALL, 0, NULL, WEXITED | WNOHANG | WNOWAIT) == -1)
		return errno == ECHILD ? 0 : -1;
	if (!sys_proc_is_ours())
		return 0;	/* nor could they be ended */
	return for_children(list, add_child) == -1 ? -1 : 0;
}

int
child_end_all(struct child_list *but)
{
	const struct timespec nap = { 0, 50000000 };
	time_t deadline = child_now_s() + END_S;
	sigset_t chld;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	for (;;) {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid == -1)
			return errno == ECHILD ? 0 : -1;
		if (for_children(but, kill_child) == 0)
			return 0;
		if (child_now_s() >= deadline) {
			errno = EBUSY;
			return -1;
		}
		sigtimedwait(&chld, NULL, &nap);
	}
}

void
child_end_with(pid_t supervisor)
{
	pid_t parent;

	/* 0: it cannot be seen from the PID namespace that we are in */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1 ||
	    ((parent = getppid()) != supervisor && parent != 0))
		_exit(EXIT_OURS);
}

int
child_lives_elsewhere(void)
{
	struct stat ours, theirs;

	return stat("/proc/self/ns/pid", &ours) == 0 &&
	    (stat("/proc/self/ns/pid_for_children", &theirs) == -1 ||
	    theirs.st_ino != ours.st_ino);
}

time_t
child_now_s(void)
{
	return (time_t)(sys_now_ms() / 1000);
}

/*
 * A file without a magic number is a script for sh (POSIX execvp(3); musl
 * leaves that to its callers).  The file is the one that execvp found.
 */
static void
become_script(char **argv)
{
	const char *dirs = getenv("PATH");
	char *path = argv[0], **shell;
	size_t n = 0, len;

	if (dirs == NULL)
		dirs = "/usr/local/bin:/bin:/usr/bin";
	while (strchr(argv[0], '/') == NULL && *dirs != '\0') {
		len = strcspn(dirs, ":");
		if (asprintf(&path, "%.*s/%s", (int)len, dirs, argv[0]) == -1)
			return;
		if (access(path, X_OK) == 0)
			break;
		dirs += len + (dirs[len] == ':');
	}
	while (argv[n] != NULL)
		n++;
	if ((shell = calloc(n + 2, sizeof(*shell))) == NULL)
		return;
	shell[0] = (char *)(uintptr_t)"sh";
	shell[1] = path;
	memcpy(shell + 2, argv + 1, (n - 1) * sizeof(*shell));
	execv("/bin/sh", shell);
	free(shell);
	errno = ENOEXEC;
}

int
child_become(char **argv)
{
	int status;

	execvp(argv[0], argv);
	if (errno == ENOEXEC)
		become_script(argv);
	status = errno == ENOENT || errno == ENOTDIR ? EXIT_NOTFOUND :
	    EXIT_NOEXEC;
	msg_path(argv[0], "cannot be run");
	return status;
}
