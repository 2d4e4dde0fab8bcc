/* SPDX-License-Identifier: ISC */
/*
 * srt-run: supervise one run.  Plan, record, start bubblewrap, finish the
 * sandbox from outside, wait for its end, claim, collect.
 *
 *	srt-run ── bubblewrap (monitor) ── srt-init ── command
 *	   └────── gate: enters the sandbox, says "go", watches its covers
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "claim.h"
#include "collect.h"
#include "exits.h"
#include "file.h"
#include "gate.h"
#include "lock.h"
#include "msg.h"
#include "opt.h"
#include "place.h"
#include "plan.h"
#include "profile.h"
#include "record.h"
#include "sandbox.h"
#include "sys.h"

#define ATTEMPTS	5	/* to start, while paths go on changing */
#define LOCKED_ATTEMPT	2	/* this one and later plan under the mutex */
#define TICK_S		60	/* how often the manifest is looked after */
#define GRACE_S		5	/* from TERM to KILL at the time limit */
#define GATE_MS		1000	/* for a watcher to notice the end */

static const char usage[] =
	"srt-run [-hqVvW] [--bwrap path] [-e lines] [-p profile] [-t seconds]\n"
	"               [--on-lost-cover=check|end|report] -- prog [arg ...]";

static const struct option longopts[] = {
	{ "bwrap",	required_argument,	NULL, 'b' },
	{ "help",	no_argument,		NULL, 'h' },
	{ "on-lost-cover", required_argument,	NULL, 'l' },
	{ "version",	no_argument,		NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static struct profile profile;
static struct programs programs;
static struct places places;
static char **command;
static int quiet, verbose;
static enum on_lost on_lost = LOST_CHECK;
static long long limit_s;	/* 0: none */
static int signals;		/* descriptor */
static int tty = -1;		/* the controlling terminal, or -1 */
static int in_foreground;	/* our group was, when last started */
static int interrupt;		/* INT or QUIT that the terminal has sent */

/* One attempt to run the command. */
struct run {
	struct plan	 plan;
	struct record	 record;
	int		 status_fd;	/* bubblewrap's JSON lines */
	off_t		 status_from;
	int		 messages;	/* its stderr */
	int		 sock[2];	/* the gate: ours, init's */
	int		 told[2];	/* pipe: "go" is about to be said */
	int		 ask[2];	/* what the watcher asks: ours, its */
	int		 stops[2];	/* pipe: command stopped, continued */
	struct stat	 sock_st;	/* of init's end: who holds it? */
	pid_t		 bwrap, gate;
	int		 bwrap_pidfd;
	int		 init_pidfd;	/* -1: not known (yet) */
	int		 gate_status;	/* -1 while it runs */
	int		 bwrap_wstatus;
	int		 wanted;	/* what ended it before "go", or 0 */
	unsigned long long early;	/* others that came before it, bits */
	int		 over_time;	/* TERM has been sent */
	int		 was_told;	/* the command may have started */
	int		 lost;		/* the manifest has gone, or a cover */
	time_t		 deadline;	/* monotonic seconds, 0: none */
	time_t		 tick;		/* when the manifest is looked after */
};

/* starting -------------------------------------------------------------- */

static void
run_init(struct run *r)
{
	memset(r, 0, sizeof(*r));
	r->status_fd = r->messages = r->bwrap_pidfd = r->init_pidfd = -1;
	r->sock[0] = r->sock[1] = r->told[0] = r->told[1] = -1;
	r->stops[0] = r->stops[1] = r->ask[0] = r->ask[1] = -1;
	r->gate_status = -1;
	r->bwrap = r->gate = -1;
}

static void
run_close(struct run *r)
{
	if (r->record.vouch.manifest[0] == -1)
		file_close(&r->status_fd);
	file_close(&r->messages);
	file_close(&r->sock[0]);
	file_close(&r->sock[1]);
	file_close(&r->told[0]);
	file_close(&r->told[1]);
	file_close(&r->stops[0]);
	file_close(&r->stops[1]);
	file_close(&r->ask[0]);
	file_close(&r->ask[1]);
	file_close(&r->bwrap_pidfd);
	file_close(&r->init_pidfd);
	record_free(&r->record);
	plan_free(&r->plan);
}

/* Plan and record, in this process: the manifest's locks stay ours, too. */
static int
prepare(struct run *r, int attempt, int *args, int bind_proc)
{
	struct sandbox sb = { .plan = &r->plan, .bind_proc = bind_proc };
	struct place *who;
	long holder;
	int locked = attempt >= LOCKED_ATTEMPT, status;

	if (locked && places_lock(&places, &who, &holder) == -1) {
		lock_say(who->path, holder);
		return RECORD_BUSY;
	}
	status = plan_make(&profile, &places, quiet || attempt > 0, &r->plan);
	if (status == 0)
		status = programs_check(&programs, &r->plan,
		    quiet || attempt > 0);
	if (status == 0)
		status = (*args = sandbox_args(&sb)) == -1 ? EXIT_OURS : 0;
	if (status == 0)
		status = record_make(&r->plan, &places, locked, 1, &r->record);
	places_unlock(&places);
	return status == 0 || status == EXIT_AGAIN || status == RECORD_BUSY ?
	    status : EXIT_OURS;
}

/* See take_stops(). */
static void
may_continue_us(int fd)
{
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETSIG, SIGCONT);
}

static int
open_descriptors(struct run *r)
{
	r->status_fd = r->record.vouch.manifest[0];
	if (r->status_fd == -1)
		r->status_fd = memfd_create("bwrap-status", MFD_CLOEXEC);
	r->messages = memfd_create("bwrap-messages", MFD_CLOEXEC);
	if (r->status_fd == -1 || r->messages == -1 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, r->sock) ==
	    -1 || pipe2(r->told, O_CLOEXEC) == -1 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
	    0, r->ask) == -1 ||
	    pipe2(r->stops, O_CLOEXEC | O_NONBLOCK) == -1 ||
	    fstat(r->sock[1], &r->sock_st) == -1)
		return -1;
	may_continue_us(r->stops[0]);
	may_continue_us(r->told[0]);
	r->status_from = lseek(r->status_fd, 0, SEEK_END);
	return 0;
}

static void
be_bwrap(struct run *r, int args, int bind_proc, pid_t supervisor)
{
	struct sandbox sb = {
		.plan = &r->plan, .programs = &programs,
		.vouch = &r->record.vouch, .status = r->status_fd,
		.gate = r->sock[1], .stops = r->stops[1],
		.messages = r->messages,
		.bind_proc = bind_proc, .argv = command
	};

	child_reset_signals();
	child_end_with(supervisor);
	_exit(sandbox_exec(&sb, args));
}

static void
be_gate(struct run *r, pid_t supervisor)
{
	struct gate g = {
		.sock = r->sock[0], .status = r->status_fd,
		.status_from = r->status_from, .monitor = r->bwrap_pidfd,
		.peer = r->sock_st, .told = r->told[1], .ask = r->ask[1],
		.stay = 1, .places = &places, .on_lost = on_lost
	};

	child_end_with(supervisor);
	setpgid(0, 0);		/* Ctrl-Z must not stop the watcher */
	close(r->sock[1]);	/* or the end of init would not be seen */
	close(r->stops[1]);
	_exit(gate_serve(&r->plan, &r->record, &g));
}

static int
start(struct run *r, int args, int bind_proc)
{
	pid_t self = getpid();

	if (open_descriptors(r) == -1 || (r->bwrap = fork()) == -1)
		return -1;
	if (r->bwrap == 0)
		be_bwrap(r, args, bind_proc, self);
	r->bwrap_pidfd = sys_pidfd_open(r->bwrap);
	if (r->bwrap_pidfd != -1 && (r->gate = fork()) == 0)
		be_gate(r, self);
	/* only the gate has our end: if there is none, init ends */
	file_close(&r->sock[0]);
	file_close(&r->sock[1]);
	file_close(&r->told[1]);
	file_close(&r->stops[1]);
	file_close(&r->ask[1]);
	return r->gate == -1 ? -1 : 0;
}

/* terminal -------------------------------------------------------------- */

static void
terminal_open(void)
{
	tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	in_foreground = tty != -1 && tcgetpgrp(tty) == getpgrp();
}

/*
 * A shell inside makes its own group the terminal's, and cannot give it back
 * to ours, which it does not see from its PID namespace.  (SIGTTOU, which a
 * process in the background would be stopped by, is blocked.)  Were it a
 * group outside that has ended, its shell takes the terminal by itself.
 */
static void
terminal_take_back(void)
{
	pid_t group = tcgetpgrp(tty);

	if (group > 0 && kill(-group, 0) == -1 && errno == ESRCH)
		tcsetpgrp(tty, getpgrp());
}

/*
 * The shell that continues us makes our group the terminal's; it was that of
 * a shell inside before, perhaps.
 */
static void
stop_as(int sig)
{
	pid_t group = tcgetpgrp(tty);
	int was_in_foreground = in_foreground;

	child_stop_as(sig);
	in_foreground = tcgetpgrp(tty) == getpgrp();
	if (was_in_foreground && in_foreground && group > 0)
		tcsetpgrp(tty, group);
}

/*
 * The command was stopped: so are we, for the shell that waits.  Without a
 * terminal nobody would continue us.  What comes next of the command, its end
 * included, does as well (F_SETSIG): it need not be the shell's doing.  So does
 * the end of the watcher, with whom the rest of the sandbox has to end.
 */
static void
take_stops(struct run *r)
{
	unsigned char sig, last = SIGCONT;
	ssize_t n;

	fcntl(r->stops[0], F_SETFL, O_ASYNC | O_NONBLOCK);
	fcntl(r->told[0], F_SETFL, O_ASYNC);
	while ((n = read(r->stops[0], &sig, 1)) == 1)
		last = sig;
	if (n == -1 && last != SIGCONT && tty != -1)
		stop_as(last);
	fcntl(r->told[0], F_SETFL, 0);
	fcntl(r->stops[0], F_SETFL, O_NONBLOCK);
}

/* waiting --------------------------------------------------------------- */

/* The watcher has ended, and said why unless it was killed: so does the run. */
static void
end_unwatched(struct run *r)
{
	if (r->gate_status == EXIT_FAIL) {
		errno = 0;
		msg_path("watcher", "was killed, so the run is ended");
	}
	r->lost = 1;
	sys_pidfd_kill(r->bwrap_pidfd, SIGKILL);
}

static void
pass_to_init(const struct run *r, int sig)
{
	sys_pidfd_queue(r->init_pidfd, GATE_SIGNAL, sig);
}

/*
 * Before init is there, what the user sends is kept for the command; but
 * what would end that ends the run.
 */
static void
signal_command(struct run *r, int sig)
{
	if (r->init_pidfd != -1)
		pass_to_init(r, sig);
	else if (sig == SIGHUP || sig == SIGINT || sig == SIGQUIT ||
	    sig == SIGTERM) {
		r->wanted = sig;
		sys_pidfd_kill(r->bwrap_pidfd, SIGKILL);
	} else
		r->early |= 1ULL << sig % 64;
}

static void
send_early(struct run *r)
{
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		if ((r->early >> sig % 64 & 1) != 0)
			pass_to_init(r, sig);
	r->early = 0;
}

/*
 * The gate has said "go": who is init?  The pid is right if its parent,
 * which reaps it, was still there after it was opened.
 */
static void
find_init(struct run *r)
{
	pid_t pid = gate_child_pid(r->status_fd, r->status_from, NULL);
	int fd;

	if (pid <= 0 || (fd = sys_pidfd_open(pid)) == -1)
		return;
	if (sys_pidfd_over(r->bwrap_pidfd)) {
		close(fd);
		return;
	}
	r->init_pidfd = fd;
	send_early(r);
}

/* Reap everything; returns 1 once bubblewrap has ended. */
static int
reap(struct run *r)
{
	int wstatus, over = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &wstatus, WNOHANG)) > 0) {
		if (pid == r->bwrap) {
			r->bwrap_wstatus = wstatus;
			over = 1;
		} else if (pid == r->gate) {
			r->gate_status = WIFEXITED(wstatus) ?
			    WEXITSTATUS(wstatus) : EXIT_FAIL;
			if (r->was_told && r->gate_status != 0)
				end_unwatched(r);
		}
	}
	return over;
}

/*
 * The manifest must stay: kept young, so that a cleaner of temporary files
 * leaves it, and missed when it has gone, because nobody then protects what
 * it names.
 */
static void
look_after_manifest(struct run *r)
{
	struct stat st;
	int i;

	r->tick = child_now_s() + TICK_S;
	for (i = 0; i < 2; i++) {
		int fd = r->record.vouch.manifest[i];

		if (fd == -1)
			continue;
		futimens(fd, NULL);
		if (fstat(fd, &st) == 0 && st.st_nlink != 0)
			continue;
		errno = 0;
		msg_path(r->record.vouch.place[i]->path, "the manifest has "
		    "been removed, so the run is ended");
		r->lost = 1;
		sys_pidfd_kill(r->bwrap_pidfd, SIGKILL);
	}
}

static void
enforce_limit(struct run *r)
{
	if (r->deadline == 0 || child_now_s() < r->deadline)
		return;
	if (!r->over_time && r->init_pidfd != -1) {
		pass_to_init(r, SIGTERM);
		r->deadline = child_now_s() + GRACE_S;
	} else {
		sys_pidfd_kill(r->bwrap_pidfd, SIGKILL);
		r->deadline = 0;
	}
	r->over_time = 1;
}

/* Milliseconds until something has to be done without being told. */
static int
patience_ms(const struct run *r)
{
	time_t next = r->tick, left;

	if (r->deadline != 0 && r->deadline < next)
		next = r->deadline;
	left = next - child_now_s();
	return left < 0 ? 0 : (int)left * 1000;
}

static void
take_signals(struct run *r)
{
	int sig, group;

	while ((sig = child_signal(signals, &group)) != 0) {
		if (group && (sig == SIGINT || sig == SIGQUIT))
			interrupt = sig;
		/* what init had before it started the command is void */
		if (!group || r->init_pidfd == -1)
			signal_command(r, sig);
	}
}

/* The next that the gate says, waited for ms milliseconds; 0: nothing. */
static char
gate_says(const struct run *r, int ms)
{
	struct pollfd p = { .fd = r->told[0], .events = POLLIN };
	char c = 0;

	if (poll(&p, 1, ms) != 1 || read(r->told[0], &c, 1) != 1)
		return 0;
	return c;
}

/* The watcher asks for what can be seen only from out here. */
static void
answer(const struct run *r)
{
	char dir[PATH_MAX + 1], yes;
	ssize_t n = read(r->ask[0], dir, sizeof(dir) - 1);

	if (n <= 0)
		return;
	dir[n] = '\0';
	yes = child_others_in(dir) ? GATE_YES : GATE_NO;
	write(r->ask[0], &yes, 1);	/* SIGPIPE is blocked */
}

static void
wait_for_end(struct run *r)
{
	struct pollfd p[4] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = r->stops[0], .events = POLLIN },
		{ .fd = r->told[0], .events = POLLIN },
		{ .fd = r->ask[0], .events = POLLIN }
	};

	r->tick = child_now_s() + TICK_S;
	while (!reap(r)) {
		poll(p, 4, patience_ms(r));
		if (child_now_s() >= r->tick)
			look_after_manifest(r);
		if ((p[2].revents & POLLIN) != 0 &&
		    gate_says(r, 0) == GATE_GO) {
			r->was_told = 1;
			find_init(r);
			if (r->gate_status > 0)
				end_unwatched(r);
		}
		if (p[2].revents != 0)
			p[2].fd = -1;	/* it comes once */
		if (p[0].revents != 0)
			take_signals(r);
		if ((p[1].revents & POLLIN) != 0)
			take_stops(r);
		if ((p[1].revents & POLLHUP) != 0)
			p[1].fd = -1;	/* init has ended */
		if ((p[3].revents & POLLHUP) != 0)
			p[3].fd = -1;	/* so has the watcher */
		else if (p[3].revents != 0)
			answer(r);
		enforce_limit(r);
	}
}

/*
 * The gate, or the watcher that it has become, must have done its last deed
 * before we clean up.  A watcher sees the end of init by itself, and says
 * that it is done long before it has ended.
 */
static void
end_gate(struct run *r)
{
	int wstatus;
	char said;

	if (!r->was_told && gate_says(r, 0) == GATE_GO)
		r->was_told = 1;	/* at the very end */
	if (r->gate_status != -1)
		return;
	while (r->was_told && (said = gate_says(r, GATE_MS)) != 0)
		if (said == GATE_DONE)
			return;
	kill(r->gate, SIGKILL);
	while (waitpid(r->gate, &wstatus, 0) == -1 && errno == EINTR)
		;
	r->gate_status = WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) :
	    EXIT_FAIL;
	if (!r->was_told && gate_says(r, 0) == GATE_GO)
		r->was_told = 1;
}

/*
 * bubblewrap's end is that of init, unless it was killed.  Then whoever
 * still holds init's end of the gate is ended, and waited for.
 */
static void
end_for_sure(struct run *r)
{
	struct pollfd p = { .fd = r->init_pidfd, .events = POLLIN };

	if (WIFSIGNALED(r->bwrap_wstatus))
		child_end_holders(&r->sock_st, 0);
	if (r->init_pidfd != -1) {
		sys_pidfd_kill(r->init_pidfd, SIGKILL);
		while (poll(&p, 1, -1) == -1 && errno == EINTR)
			;
	}
	end_gate(r);
	terminal_take_back();
}

/* finishing ------------------------------------------------------------- */

static void
say_removed(const char *path)
{
	errno = 0;
	if (verbose)
		msg_path(path, "removed");
}

/* What this asks of standard error is all: the status is the command's. */
static void
clean_up(void)
{
	if (claim_all(&places, NULL) == 0)
		collect_all(&places, say_removed);
}

static void
say_recorded(const struct record *r)
{
	size_t i;

	errno = 0;
	for (i = 0; i < r->nmarks; i++)
		msg_path(r->mark[i].path, r->mark[i].role == ROLE_MAKE ?
		    "made" : "another run's, kept");
}

static int
status_of(const struct run *r)
{
	if (r->over_time)
		return EXIT_TIMEOUT;
	if (r->lost)
		return EXIT_OURS;
	if (r->wanted != 0)
		return EXIT_SIGNAL + r->wanted;
	if (WIFSIGNALED(r->bwrap_wstatus)) {
		errno = 0;
		msg_path(programs.bwrap_path, "was killed by signal %d",
		    WTERMSIG(r->bwrap_wstatus));
		return EXIT_OURS;
	}
	return WEXITSTATUS(r->bwrap_wstatus);
}

/* It never started: why, and is it worth another try? */
static int
status_of_failure(struct run *r, int *bind_proc)
{
	if (r->wanted != 0)
		return EXIT_SIGNAL + r->wanted;
	if (r->over_time)
		return EXIT_TIMEOUT;
	if (sandbox_proc_refused(r->messages) && !*bind_proc) {
		*bind_proc = 1;
		return EXIT_AGAIN;
	}
	if (r->gate_status == EXIT_AGAIN || sandbox_path_gone(r->messages))
		return EXIT_AGAIN;
	if (r->gate_status == EXIT_FAIL && !(WIFEXITED(r->bwrap_wstatus) &&
	    WEXITSTATUS(r->bwrap_wstatus) == EXIT_OURS))
		sandbox_explain(r->messages, programs.bwrap_path);
	return EXIT_OURS;
}

/* The command's status, or EXIT_AGAIN with *again set if it never started. */
static int
supervise(struct run *r, int args, int *bind_proc, int *again)
{
	int status;

	if (verbose)
		say_recorded(&r->record);
	/* cleaners of temporary files leave a locked directory alone */
	if (r->record.vouch.place[0] != NULL)
		flock(r->record.vouch.place[0]->fd, LOCK_SH | LOCK_NB);
	if (start(r, args, *bind_proc) == -1) {
		msg_path(programs.bwrap_path, "cannot be started");
		if (r->bwrap == -1)
			return EXIT_OURS;
		r->gate_status = EXIT_OURS;
	}
	wait_for_end(r);
	end_for_sure(r);
	if (r->was_told)
		return status_of(r);
	status = status_of_failure(r, bind_proc);
	*again = status == EXIT_AGAIN;
	return status;
}

static void
say_no_more_attempts(const struct run *r)
{
	errno = 0;
	if (r->messages != -1 && sandbox_path_gone(r->messages))
		sandbox_explain(r->messages, programs.bwrap_path);
	else
		msg_path("sandbox", "not started: a denied path goes on "
		    "changing");
}

/*
 * One attempt: 0 with the status to end with, or EXIT_AGAIN if the command
 * was never told to start and another attempt may do.
 */
static int
attempt(int n, int *bind_proc, int *status)
{
	static time_t deadline;
	struct run r;
	int args = -1, again = 0;

	run_init(&r);
	if (limit_s != 0 && deadline == 0)
		deadline = child_now_s() + (time_t)limit_s;
	r.deadline = deadline;
	*status = prepare(&r, n, &args, *bind_proc);
	if (*status == 0)
		*status = supervise(&r, args, bind_proc, &again);
	else
		again = *status == EXIT_AGAIN;
	if (again && n + 1 == ATTEMPTS)
		say_no_more_attempts(&r);
	file_close(&args);
	/* no need to have it claimed */
	if (manifest_names_nothing(&r.record.vouch))
		manifest_withdraw(&r.record.vouch);
	run_close(&r);
	return again ? EXIT_AGAIN : 0;
}

static int
run(void)
{
	int n, status = EXIT_OURS, bind_proc = 0, r;

	for (n = 0; n < ATTEMPTS; n++) {
		if (places_make(&places) == -1)
			err(EXIT_OURS, "SRT_PLACE: an absolute path is wanted");
		r = attempt(n, &bind_proc, &status);
		if (status == RECORD_BUSY)
			return EXIT_OURS;	/* nobody waits again */
		clean_up();
		places_close(&places);
		if (r != EXIT_AGAIN)
			return status;
	}
	return EXIT_OURS;
}

static enum on_lost
on_lost_or_die(const char *word)
{
	static const char *const words[] = { "check", "end", "report" };
	int i;

	for (i = 0; i < 3; i++)
		if (strcmp(word, words[i]) == 0)
			return (enum on_lost)i;
	errx(EXIT_OURS, "--on-lost-cover: %s: check, end or report is wanted",
	    word);
}

int
main(int argc, char **argv)
{
	const char *bwrap = NULL;
	int ch, def = 0, status;

	if (file_std_open(O_RDWR) == -1)
		return EXIT_OURS;
	profile_init(&profile);
	while ((ch = getopt_long(argc, argv, "+e:hp:qt:VvW", longopts, NULL))
	    != -1)
		switch (ch) {
		case 'b': bwrap = optarg; break;
		case 'e':
			if (profile_option(&profile, optarg) == -1)
				return EXIT_OURS;
			break;
		case 'h': help_and_exit(usage, EXIT_OURS);
		case 'l': on_lost = on_lost_or_die(optarg); break;
		case 'p':
			if (profile_load(&profile, optarg) == -1)
				return EXIT_OURS;
			break;
		case 'q': quiet = 1; break;
		case 't':
			limit_s = num_or_die(EXIT_OURS, "-t", optarg, 1,
			    365LL * 24 * 3600);
			break;
		case 'V': version_and_exit(EXIT_OURS);
		case 'v': verbose = 1; break;
		case 'W': def = 1; break;
		default: usage_and_exit(usage, EXIT_OURS);
		}
	command = argv + optind;
	if (*command == NULL)
		usage_and_exit(usage, EXIT_OURS);
	if (def && profile_default(&profile) == -1)
		return EXIT_OURS;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == -1 ||
	    (signals = child_catch_signals()) == -1)
		err(EXIT_OURS, "signals");
	if (child_lives_elsewhere())
		errx(EXIT_OURS, "processes are started in another PID "
		    "namespace than this: unshare -p takes -f");
	if (programs_open(&programs, bwrap) == -1)
		return EXIT_OURS;
	terminal_open();
	status = run();
	if (interrupt != 0 && status == EXIT_SIGNAL + interrupt)
		child_die_of(interrupt);
	return status;
}
