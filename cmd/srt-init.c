/* SPDX-License-Identifier: ISC */
/*
 * srt-init: PID 1 of a sandbox.  Closes the doors, says "ready", waits for
 * "go", runs the command, passes signals on to it, reaps, and ends with the
 * command's status; the kernel then ends whatever else is left.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "exits.h"
#include "file.h"
#include "gate.h"
#include "msg.h"
#include "opt.h"
#include "sandbox.h"
#include "sys.h"

#define FDS	PASS_FDS_MAX
#define OURS	8	/* descriptors of our own */
#define STOP_MS	100	/* for a process to stop */
#define GROUP_MS 1000	/* for what the supervisor passes on to come here */

static const char usage[] =
	"srt-init [-hnuV] [-c fd] [-e fd] [-g fd] [-l fd] [-p fd] [-s fd]\n"
	"                [-- prog [arg ...]]";

static const struct option longopts[] = {
	{ "help",	no_argument,	NULL, 'h' },
	{ "version",	no_argument,	NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static int command_fd = -1;
static int gate_fd = -1;
static int error_fd = -1;
static int stop_fd = -1;
static int nohup;	/* the caller ignores hangups: so does the command */
static int paused;	/* by the watcher: all the others are stopped */
static struct others {		/* when they were */
	struct other {
		pid_t		  pid;
		char		  name[24];	/* the same as text */
		struct child_stat st;		/* T: stopped before */
	} *p;
	size_t n;
} seen;
static int setfcap;	/* the command keeps that capability */
static int keep[FDS + OURS], nkeep;	/* open in us: gate and locks, too */
static int pass[FDS], npass;		/* open in the command */

static void
close_all_but(int *fd, int n, unsigned from)
{
	unsigned next = from;
	int i, j, low;

	for (i = 0; i < n; i++) {
		for (low = i, j = i + 1; j < n; j++)
			if (fd[j] < fd[low])
				low = j;
		j = fd[i];
		fd[i] = fd[low];
		fd[low] = j;
		if (fd[i] < 0 || (unsigned)fd[i] < next)
			continue;
		if ((unsigned)fd[i] > next)
			sys_close_range(next, (unsigned)fd[i] - 1);
		next = (unsigned)fd[i] + 1;
	}
	sys_close_range(next, ~0U);
}

/*
 * No capability, now or by any exec: not as root either.  bubblewrap has
 * dropped them (--cap-drop ALL); this makes sure.  CAP_SETFCAP is the one that
 * root can keep, as no user namespace that has root in it can be made without
 * (user_namespaces(7)).
 */
static void
drop_capabilities(void)
{
	const __u32 spare = setfcap ? CAP_TO_MASK(CAP_SETFCAP) : 0;
	struct __user_cap_header_struct head = {
		_LINUX_CAPABILITY_VERSION_3, 0
	};
	struct __user_cap_data_struct want[2] = {
		{ .effective = spare, .permitted = spare }
	}, now[2];
	int cap;

	for (cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) != -1; cap++)
		if (cap != CAP_SETFCAP || !setfcap)
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	syscall(SYS_capset, &head, want);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    syscall(SYS_capget, &head, now) == -1)
		err(EXIT_OURS, "capabilities");
	if (memcmp(now, want, sizeof(now)) != 0)
		errx(EXIT_OURS, "capabilities cannot be dropped");
}

/*
 * The other end finishes the sandbox from outside meanwhile.  At end of file
 * nobody will: whoever was there has ended or found a fault, and said so.
 */
static void
wait_for_go(void)
{
	const char ready = GATE_READY;
	char c = 0;
	ssize_t n;

	if (write(gate_fd, &ready, 1) != 1)
		exit(EXIT_OURS);
	do
		n = read(gate_fd, &c, 1);
	while (n == -1 && errno == EINTR);
	if (n != 1 || c != GATE_GO)
		exit(EXIT_OURS);
}

/* The words of the command from a descriptor, NUL-ended each. */
static char **
read_command(int fd)
{
	static char **argv;	/* for as long as we live */
	char *buf, *p;
	size_t len, n = 0;

	if (file_slurp(fd, SIZE_MAX, &buf, &len) == -1)
		err(EXIT_OURS, "command");
	for (p = buf; p < buf + len; p += strlen(p) + 1)
		n++;
	if ((argv = calloc(n + 1, sizeof(*argv))) == NULL)
		err(EXIT_OURS, "command");
	for (n = 0, p = buf; p < buf + len; p += strlen(p) + 1)
		argv[n++] = p;
	return argv;
}

/* Standard descriptors that were opened anew, and what they were before. */
static struct { int fd, before; off_t at; } anew[3];
static int nanew;

/* The path by which the file of fd was opened; -1: it has none, as a pipe. */
static int
path_of(int fd, char path[PATH_MAX])
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if ((n = readlink(link, path, PATH_MAX - 1)) <= 0 || *path != '/')
		return -1;
	path[n] = '\0';
	return 0;
}

/* The same file by its path in here, at the same offset; or -1. */
static int
open_by_path(int fd, const struct stat *st, int flags)
{
	char path[PATH_MAX];
	struct stat now;
	int new;

	if (path_of(fd, path) == -1)
		return -1;
	new = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
	    (flags & O_APPEND));
	if (new == -1)
		return -1;
	if (fstat(new, &now) == 0 && now.st_ino == st->st_ino &&
	    now.st_dev == st->st_dev && fcntl(new, F_SETFL, flags) == 0 &&
	    lseek(new, lseek(fd, 0, SEEK_CUR), SEEK_SET) != -1)
		return new;
	close(new);
	return -1;
}

/* A pipe into which a child of ours writes what it reads from fd. */
static int
open_by_pipe(int fd)
{
	char buf[65536];
	ssize_t n;
	int p[2];

	if (pipe2(p, O_CLOEXEC) == -1)
		err(EXIT_OURS, "pipe");
	switch (fork()) {
	case -1:
		err(EXIT_OURS, "fork");
	case 0:
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			if (file_write(p[1], buf, (size_t)n) == -1)
				break;
		_exit(0);
	}
	close(p[1]);
	return p[0];
}

/* Could the command write it, if it opened it again, or after a chmod? */
static int
is_writable_again(int fd, const struct stat *st)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return st->st_uid == geteuid() ||
	    faccessat(AT_FDCWD, link, W_OK, AT_EACCESS) == 0;
}

/*
 * A pipe, or a FIFO that its path in here leads to, which can be written there
 * in any case: a read-only mount does not stop that.
 */
static int
is_open_fifo(int fd, const struct stat *st)
{
	char path[PATH_MAX];
	struct stat now;

	return S_ISFIFO(st->st_mode) && (path_of(fd, path) == -1 ||
	    (lstat(path, &now) == 0 && now.st_ino == st->st_ino &&
	    now.st_dev == st->st_dev));
}

/*
 * A file that the caller has opened for reading could be opened again for
 * writing through /proc/self/fd, by its mount outside, where nothing is
 * read-only.  So the command gets one that is opened by its path in here, or
 * where that does not lead to the file, a pipe.  A file without a name is no
 * matter.
 */
static void
open_anew(int fd)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL), new, before;

	if (flags == -1 || (flags & O_ACCMODE) != O_RDONLY ||
	    fstat(fd, &st) == -1 || st.st_nlink == 0 ||
	    (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode) &&
	    !S_ISFIFO(st.st_mode)) || is_open_fifo(fd, &st) ||
	    !is_writable_again(fd, &st))
		return;
	if ((new = open_by_path(fd, &st, flags)) == -1)
		new = open_by_pipe(fd);
	else if ((before = fcntl(fd, F_DUPFD_CLOEXEC, 3)) != -1) {
		anew[nanew].fd = fd;
		anew[nanew].at = lseek(new, 0, SEEK_CUR);
		anew[nanew++].before = before;
	}
	dup2(new, fd);
	close(new);
}

/*
 * Whoever shares the file with us outside goes on where the command ended,
 * if that has read, and nobody else has.
 */
static void
share_offsets(void)
{
	off_t now;
	int i;

	for (i = 0; i < nanew; i++) {
		now = lseek(anew[i].fd, 0, SEEK_CUR);
		if (now != anew[i].at &&
		    lseek(anew[i].before, 0, SEEK_CUR) == anew[i].at)
			lseek(anew[i].before, now, SEEK_SET);
	}
}

static void
become(char **argv)
{
	if (!nohup)
		signal(SIGHUP, SIG_DFL);
	child_reset_signals();
	close_all_but(pass, npass, 3);
	_exit(child_become(argv));
}

/*
 * Reap all that have ended; the command's end is ours.  That it was stopped
 * or continued is for the supervisor to know: the shell that waits for it has
 * to, unless the watcher wanted it.
 */
static void
reap(pid_t command)
{
	unsigned char sig;
	int wstatus;
	pid_t pid;

	while ((pid = waitpid(-1, &wstatus, WNOHANG | WUNTRACED | WCONTINUED))
	    > 0) {
		if (pid != command)
			continue;
		if (WIFEXITED(wstatus) || WIFSIGNALED(wstatus)) {
			share_offsets();
			exit(child_status(wstatus));
		}
		sig = WIFSTOPPED(wstatus) ? (unsigned char)WSTOPSIG(wstatus) :
		    SIGCONT;
		if (stop_fd != -1 && !paused && write(stop_fd, &sig, 1) != 1)
			stop_fd = -1;	/* nobody is interested */
	}
}

/* Whoever started first first; in the same tick, as pids are given. */
static int
compare_start(const void *x, const void *y)
{
	const struct other *a = x, *b = y;

	if (a->st.started != b->st.started)
		return a->st.started < b->st.started ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* The others in the sandbox, in that order; -1: /proc does not show them. */
static int
list_others(struct others *o)
{
	DIR *proc = child_proc();
	struct other *p;
	const char *name;
	pid_t pid;

	o->p = NULL;
	o->n = 0;
	while (proc != NULL && (pid = child_next(proc, &name)) != 0) {
		if ((p = reallocarray(o->p, o->n + 1, sizeof(*p))) == NULL) {
			free(o->p);
			o->p = NULL;
			break;
		}
		o->p = p;
		p += o->n;
		p->pid = pid;
		snprintf(p->name, sizeof(p->name), "%s", name);
		o->n += child_stat(name, &p->st) == 0;
	}
	if (proc != NULL)
		closedir(proc);
	if (o->p == NULL)
		return -1;
	qsort(o->p, o->n, sizeof(*o->p), compare_start);
	return 0;
}

/* It stops at the end of its system call; one that waits for a disk, later. */
static int
has_stopped(const struct other *p)
{
	const long long until = sys_now_ms() + STOP_MS;
	struct child_stat now;

	do {
		if (child_stat(p->name, &now) == -1)
			return 1;
		if (now.state != 'R')	/* a signal pending wakes a sleeper */
			return now.state != 'S';
		sched_yield();
	} while (sys_now_ms() < until);
	return 0;
}

static void
stop(struct other *p)
{
	if (child_stat(p->name, &p->st) == -1 || p->st.state == 'T')
		return;
	kill(p->pid, SIGSTOP);
	has_stopped(p);
}

/*
 * All others stop for a moment, parents first: a shell that waits for its job
 * would be told that it has stopped, and stops itself only then.  Then all at
 * once (not us: kill(2)), for those that came meanwhile: no fork(2) gets past a
 * signal.
 */
static void
pause_all(void)
{
	size_t i;

	if (list_others(&seen) == 0)
		for (i = 0; i < seen.n; i++)
			stop(&seen.p[i]);
	paused = 1;
	kill(-1, SIGSTOP);
}

/* What has SIGCONT sent to itself, by a timer, is not. */
static int
all_have_stopped(void)
{
	struct others now;
	size_t i;
	int all;

	if (list_others(&now) == -1)
		return 0;
	for (i = 0; i < now.n && has_stopped(&now.p[i]); i++)
		;
	all = i == now.n;
	free(now.p);
	return all;
}

static int
was_stopped(pid_t pid)
{
	size_t i;

	for (i = 0; i < seen.n; i++)
		if (seen.p[i].pid == pid)
			return seen.p[i].st.state == 'T';
	return 0;
}

/*
 * And go on, children first, so that who waits for them finds them running.
 * What was stopped before stays so.
 */
static void
resume_all(void)
{
	struct others now;
	size_t i;

	paused = 0;
	if (seen.p == NULL || list_others(&now) == -1)
		kill(-1, SIGCONT);
	else {
		for (i = now.n; i-- > 0;)
			if (!was_stopped(now.p[i].pid))
				kill(now.p[i].pid, SIGCONT);
		free(now.p);
	}
	free(seen.p);
	seen.p = NULL;
}

/* What the watcher wants. */
static void
obey(void)
{
	char word, answer;

	while (recv(gate_fd, &word, 1, MSG_DONTWAIT) == 1)
		if (word == GATE_PAUSE) {
			if (!paused)
				pause_all();
			answer = all_have_stopped() ? GATE_YES : GATE_NO;
			send(gate_fd, &answer, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
		} else if (word == GATE_RESUME)
			resume_all();
}

/*
 * Signals come from the supervisor (GATE_SIGNAL), for the command; or from
 * outside to our whole process group, by the terminal or kill(2), and then
 * the command has its own already, as long as it is in the group.  Has it made
 * a group of its own, as timeout(1) does, that would be the one without us.
 * But what continues us is left to the supervisor, who first makes that group
 * the terminal's again: a shell inside would not go on without.
 * The supervisor is in ours, too, and passes its own on, unless it is the
 * terminal's: that one is left out.  A sender inside (si_pid is not 0) cannot
 * end init.  Not PID 1, we are run by hand, and all that kill(2) sends is
 * meant for the command.
 */
static void
pass_on(pid_t command, const siginfo_t *info)
{
	static long long had[NSIG];	/* when the group had it, ms; 0: passed */
	pid_t group = getpgid(command);
	int sig = info->si_signo;

	if (getpid() != 1) {
		if (info->si_code <= SI_USER)
			kill(command, sig);
	} else if (sig == GATE_SIGNAL && info->si_code == SI_QUEUE) {
		sig = info->si_value.sival_int;
		if (sig <= 0 || sig >= NSIG)
			return;
		if ((group != command && group != getpgrp()) ||
		    had[sig] == 0 || sys_now_ms() - had[sig] > GROUP_MS)
			kill(sig == SIGCONT && group == command ? -command :
			    command, sig);
		had[sig] = 0;
	} else if (info->si_pid == 0 && (sig != SIGCONT || group != command)) {
		if (info->si_code != SI_KERNEL || sig == SIGHUP)
			had[sig] = sys_now_ms();
		if (group == command)
			kill(-command, sig);
	}
}

/*
 * The supervisor, too, has had what has been sent to the group until now, and
 * passes that on.
 */
static void
forget_signals(sigset_t set)
{
	const struct timespec now = { 0, 0 };

	sigdelset(&set, GATE_SIGNAL);
	while (sigtimedwait(&set, NULL, &now) > 0)
		;
}

static void
serve(pid_t command, const sigset_t *all)
{
	siginfo_t info;
	int sig;

	for (;;) {
		sig = sigwaitinfo(all, &info);
		obey();
		if (sig == SIGCHLD)
			reap(command);
		else if (sig > 0)
			pass_on(command, &info);
	}
}

static void
add_fd(int *list, int *n, int max, int fd)
{
	if (*n == max)
		errx(EXIT_OURS, "more than %d descriptors", FDS);
	list[(*n)++] = fd;
}

int
main(int argc, char **argv)
{
	sigset_t all;
	pid_t command;
	int ch, fd;

	/* first: until here nobody else is in the sandbox */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1)
		err(EXIT_OURS, "prctl");
	/* we are run by descriptor, which gives no name */
	if (strncmp(argv[0], "/proc/", 6) == 0)
		argv[0] = (char *)(uintptr_t)"srt-init";
	program_invocation_short_name = (char *)(uintptr_t)"srt-init";
	while ((ch = getopt_long(argc, argv, "+c:e:g:hl:np:s:uV", longopts,
	    NULL)) != -1) {
		if (ch == 'h')
			help_and_exit(usage, EXIT_OURS);
		if (ch == 'V')
			version_and_exit(EXIT_OURS);
		if (ch == '?')
			usage_and_exit(usage, EXIT_OURS);
		if (ch == 'n' || ch == 'u') {
			*(ch == 'n' ? &nohup : &setfcap) = 1;
			continue;
		}
		fd = (int)num_or_die(EXIT_OURS, "descriptor", optarg, 0,
		    1 << 20);
		if (ch == 'c')
			command_fd = fd;
		else if (ch == 'e')
			error_fd = fd;
		else if (ch == 'g')
			gate_fd = fd;
		else if (ch == 's')
			stop_fd = fd;
		else if (ch == 'p')
			add_fd(pass, &npass, FDS, fd);
		add_fd(keep, &nkeep, FDS + OURS, fd);
	}
	argv += optind;
	if (error_fd != -1)
		dup2(error_fd, 2);
	drop_capabilities();
	close_all_but(keep, nkeep, 3);
	if (command_fd != -1)
		argv = read_command(command_fd);
	if (argv[0] == NULL)
		usage_and_exit(usage, EXIT_OURS);
	child_block_signals(&all);
	if (gate_fd != -1)
		wait_for_go();
	for (fd = 0; fd < 3; fd++)
		open_anew(fd);
	if (gate_fd != -1)
		forget_signals(all);
	if ((command = fork()) == -1)
		err(EXIT_OURS, "fork");
	if (command == 0)
		become(argv);
	serve(command, &all);
}
