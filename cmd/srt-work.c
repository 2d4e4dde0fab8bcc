/* SPDX-License-Identifier: ISC */
/*
 * srt-work: run a program with a private directory to write in, read-only
 * copies of some files in it, and nothing left of it afterwards.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "exits.h"
#include "file.h"
#include "fixture.h"
#include "line.h"
#include "msg.h"
#include "opt.h"
#include "place.h"
#include "snapshot.h"
#include "sys.h"
#include "workdir.h"

#define GRACE_S		5	/* from TERM to KILL at the time limit */
#define PREFIX_MAX	200	/* bytes, with the ID it has to be a name */
#define WAIT_S		3600	/* at a time: poll(2) takes an int of ms */
#define PROGRESS_MS	1000	/* a copy that takes longer shows progress */

static const char usage[] =
	"srt-work [-CkThV] [-b base] [-e name] [-f key=path] [-p prefix]\n"
	"                [-t seconds] [--strict] -- prog [arg ...]\n"
	"       srt-work --sweep [-b base]";

enum { OPT_STRICT = 256, OPT_SWEEP };

static const struct option longopts[] = {
	{ "help",	no_argument,	NULL, 'h' },
	{ "strict",	no_argument,	NULL, OPT_STRICT },
	{ "sweep",	no_argument,	NULL, OPT_SWEEP },
	{ "version",	no_argument,	NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static const char *variable = "SRT_WORKDIR", *prefix = "srt-work";
static int go_there, keep, strict, own_tmp;
static time_t limit_s;		/* 0: none */
static struct fixtures fixtures;
static struct places places;
static struct base base;
static struct workdir work;
static mode_t mask;		/* the caller's umask */
static struct rlimit files;	/* likewise, RLIMIT_NOFILE */
static struct child_list others;	/* children that are not prog's */
static int signals;		/* descriptor */
static int interrupt;		/* INT or QUIT that the terminal has sent */

/* setting up ------------------------------------------------------------- */

/* A signal that has come and that ends a program, or 0; it stays pending. */
static int
wanted_end(void)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	sigset_t set;
	size_t i;

	sigpending(&set);
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (sigismember(&set, ends[i]) == 1 &&
		    !(ends[i] == SIGHUP && child_ignores_hangup()))
			return ends[i];
	return 0;
}

/* Fixtures take one descriptor each, and two for every level of the deepest. */
static void
allow_many_files(void)
{
	struct rlimit all;

	if (getrlimit(RLIMIT_NOFILE, &files) == -1)
		err(EXIT_OURS, "RLIMIT_NOFILE");
	all = files;
	all.rlim_cur = all.rlim_max;
	setrlimit(RLIMIT_NOFILE, &all);
}

/* What is copied, shown on a terminal that has waited for a second. */
static int progress, showing;

static void
show_progress(const struct snapshot *s)
{
	static long long next_ms;
	long long now = sys_now_ms();

	if (next_ms == 0)
		next_ms = now + PROGRESS_MS;
	if (now < next_ms)
		return;
	next_ms = now + PROGRESS_MS / 5;
	showing = dprintf(STDERR_FILENO, "\rsrt-work: copying, %llu files, "
	    "%llu MiB ", s->files, s->bytes >> 20) > 0;
}

static void
hide_progress(void)
{
	if (showing)
		dprintf(STDERR_FILENO, "\r%60s\r", "");
	showing = 0;
}

static int
on_tick(const struct snapshot *s)
{
	if (progress)
		show_progress(s);
	return wanted_end();
}

/* Returns 0, the signal that has ended it, or -1 after a message. */
static int
fill(void)
{
	struct snapshot s = { .tick = on_tick };
	int r;

	progress = isatty(STDERR_FILENO);
	r = fixtures_copy(&fixtures, &s, work.fd);

	hide_progress();
	if (r == 0 && own_tmp && mkdirat(work.fd, ".tmp", 0700) == -1) {
		msg_path(work.path, ".tmp cannot be made");
		return -1;
	}
	return r;
}

static int
set_environment(void)
{
	char *tmp;
	int r;

	if (setenv(variable, work.path, 1) == -1)
		return -1;
	if (!own_tmp)
		return 0;
	if ((tmp = path_join(work.path, ".tmp")) == NULL)
		return -1;
	r = setenv("TMPDIR", tmp, 1);
	free(tmp);
	return r;
}

/* running ---------------------------------------------------------------- */

static void
be_prog(char **argv, pid_t supervisor)
{
	child_reset_signals();
	child_end_with(supervisor);
	umask(mask);
	setrlimit(RLIMIT_NOFILE, &files);
	if (go_there && fchdir(work.fd) == -1) {
		msg_path(work.path, "cannot be changed to");
		_exit(EXIT_OURS);
	}
	_exit(child_become(argv));
}

static void
pass_signals(pid_t prog)
{
	int sig, group;

	while ((sig = child_signal(signals, &group)) != 0)
		if (!group)
			kill(prog, sig);
		else if (sig == SIGINT || sig == SIGQUIT)
			interrupt = sig;
}

/*
 * prog was stopped: so are we, for the shell that waits.  Without a terminal,
 * or as the leader of its session, nobody would continue us.
 */
static void
stop_with(pid_t prog, int sig)
{
	int tty = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (tty == -1)
		return;
	close(tty);
	if (getsid(0) == getpid())
		return;
	child_stop_as(sig);
	kill(prog, SIGCONT);
}

/* Reap everything.  1 once prog has ended, with its status. */
static int
reap(pid_t prog, int *wstatus)
{
	int got, over = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &got, WNOHANG | WUNTRACED)) > 0)
		if (pid == prog && WIFSTOPPED(got))
			stop_with(prog, WSTOPSIG(got));
		else if (pid == prog) {
			*wstatus = got;
			over = 1;
		}
	return over;
}

static int
supervise(pid_t prog)
{
	struct pollfd p = { .fd = signals, .events = POLLIN };
	time_t deadline = limit_s == 0 ? 0 : child_now_s() + limit_s, left;
	int wstatus = 0, over_time = 0;

	while (!reap(prog, &wstatus)) {
		left = deadline == 0 ? -1 : deadline - child_now_s();
		if (deadline != 0 && left <= 0) {
			kill(prog, over_time ? SIGKILL : SIGTERM);
			kill(prog, SIGCONT);	/* it may be stopped */
			deadline = over_time ? 0 : child_now_s() + GRACE_S;
			over_time = 1;
			continue;
		}
		poll(&p, 1, left < 0 ? -1 :
		    (int)(left < WAIT_S ? left : WAIT_S) * 1000);
		pass_signals(prog);
	}
	return over_time ? EXIT_TIMEOUT : child_status(wstatus);
}

static int
run(char **argv)
{
	pid_t self = getpid(), prog;

	if (set_environment() == -1 || (prog = fork()) == -1) {
		msg_path(argv[0], "cannot be started");
		return EXIT_OURS;
	}
	if (prog == 0)
		be_prog(argv, self);
	return supervise(prog);
}

/* the end ---------------------------------------------------------------- */

static void
say_path(const char *path)
{
	line_put_path(stdout, path, 0);
}

/* The status to end with, where prog or setting up came to status. */
static int
finish(int status, int kept)
{
	if (child_end_all(&others) == -1)
		msg_path(work.path, "%s while something still runs",
		    kept ? "kept" : "wiped");
	if (kept) {
		workdir_keep(&work);
		say_path(work.path);
		if (fflush(stdout) == EOF || ferror(stdout)) {
			msg_path(work.path, "is kept, and was not printed");
			status = EXIT_OURS;
		}
	} else if (workdir_remove(&work) == -1 && strict)
		status = EXIT_OURS;
	workdir_close(&work);
	return status;
}

/* A copy of what the work directory lies in would contain itself. */
static int
base_is_apart(void)
{
	size_t i;

	for (i = 0; i < fixtures.n; i++)
		if (path_within(base.path, fixtures.f[i].path)) {
			errno = 0;
			msg_path(fixtures.f[i].path, "cannot be a fixture: "
			    "the work directory would lie in it");
			return 0;
		}
	return 1;
}

static int
work_and_run(char **argv)
{
	int r, status;

	allow_many_files();
	if (child_list(&others) == -1 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == -1 ||
	    (signals = child_catch_signals()) == -1)
		err(EXIT_OURS, "signals");
	if (fixtures_open(&fixtures) == -1 || !base_is_apart())
		return EXIT_OURS;
	workdir_sweep(&places, &base, NULL);
	if (workdir_make(&work, &places, &base, prefix) == -1)
		return EXIT_OURS;
	if ((r = fill()) != 0) {
		interrupt = r == SIGINT || r == SIGQUIT ? r : 0;
		return finish(r == -1 ? EXIT_OURS : EXIT_SIGNAL + r, 0);
	}
	fixtures_close(&fixtures);
	status = run(argv);
	return finish(status, keep);
}

static int
sweep(void)
{
	int r = workdir_sweep(&places, &base, say_path);

	stdout_or_die(EXIT_FAIL);
	return r == -1 ? EXIT_FAIL : 0;
}

/* command line ----------------------------------------------------------- */

static const char *
variable_or_die(const char *name)
{
	if (*name == '\0' || strchr(name, '=') != NULL)
		errx(EXIT_OURS, "-e: the name of a variable is wanted");
	return name;
}

static const char *
prefix_or_die(const char *word)
{
	if (*word == '\0' || strchr(word, '/') != NULL ||
	    strlen(word) > PREFIX_MAX)
		errx(EXIT_OURS, "-p: a name of up to %d bytes is wanted",
		    PREFIX_MAX);
	return word;
}

static const char *
default_base(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp == NULL || *tmp == '\0' ? "/tmp" : tmp;
}

/*
 * Where TMPDIR names no base, no work directory was made there: to sweep it
 * by default is no failure.
 */
static int
open_base(const char *where, int sweeping)
{
	const char *path = where == NULL ? default_base() : where;

	if (base_open(&base, path) == 0)
		return 0;
	if (sweeping && where == NULL)
		exit(0);
	msg_path(path, "is no base for work directories%s%s",
	    base.why == NULL ? "" : ": ", base.why == NULL ? "" : base.why);
	return -1;
}

int
main(int argc, char **argv)
{
	const char *where = NULL;
	int ch, sweeping = 0, failure, status;
	int no_output = fcntl(STDOUT_FILENO, F_GETFD) == -1;

	if (file_std_open(O_RDWR) == -1)
		return EXIT_OURS;
	while ((ch = getopt_long(argc, argv, "+b:Ce:f:hkp:Tt:V", longopts,
	    NULL)) != -1)
		switch (ch) {
		case 'b': where = optarg; break;
		case 'C': go_there = 1; break;
		case 'e': variable = variable_or_die(optarg); break;
		case 'f':
			if (fixture_add(&fixtures, optarg) == -1)
				return EXIT_OURS;
			break;
		case 'h': help_and_exit(usage, EXIT_OURS);
		case 'k': keep = 1; break;
		case 'p': prefix = prefix_or_die(optarg); break;
		case 'T': own_tmp = 1; break;
		case 't':
			limit_s = (time_t)num_or_die(EXIT_OURS, "-t", optarg,
			    1, 365LL * 24 * 3600);
			break;
		case 'V': version_and_exit(EXIT_OURS);
		case OPT_STRICT: strict = 1; break;
		case OPT_SWEEP: sweeping = 1; break;
		default: usage_and_exit(usage, EXIT_OURS);
		}
	argv += optind;
	if (sweeping != (*argv == NULL) || (sweeping && (fixtures.n != 0 ||
	    keep || go_there || own_tmp || strict || limit_s != 0)))
		usage_and_exit(usage, EXIT_OURS);
	if (keep && no_output)
		errx(EXIT_OURS, "-k: standard output is closed");
	failure = sweeping ? EXIT_FAIL : EXIT_OURS;
	if (open_base(where, sweeping) == -1)
		return failure;
	if ((sweeping ? places_look : places_make)(&places) == -1)
		err(failure, "SRT_PLACE: an absolute path is wanted");
	mask = umask(077);
	status = sweeping ? sweep() : work_and_run(argv);
	base_close(&base);
	places_close(&places);
	if (interrupt != 0 && status == EXIT_SIGNAL + interrupt)
		child_die_of(interrupt);
	return status;
}
