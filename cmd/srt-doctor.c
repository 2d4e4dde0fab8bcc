/* SPDX-License-Identifier: ISC */
/*
 * srt-doctor: what works here, and what to do about what does not.  It makes
 * a real start first; what it finds to be wrong is a failure only if that
 * start has failed.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "exits.h"
#include "file.h"
#include "line.h"
#include "manifest.h"
#include "opt.h"
#include "place.h"
#include "sandbox.h"
#include "sys.h"

#define WORDS_MAX	(64 << 10)	/* bytes of what a program says */
#define START_S		30		/* for a start, clean-up and all */
#define VERSION_S	5		/* for bwrap --version */
#define OVERFLOW_ID	65534		/* what is not mapped here */

static const char usage[] = "srt-doctor [-hV] [--bwrap path] [--json]";

static const struct option longopts[] = {
	{ "bwrap",	required_argument,	NULL, 'b' },
	{ "help",	no_argument,		NULL, 'h' },
	{ "json",	no_argument,		NULL, 'j' },
	{ "version",	no_argument,		NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static const char *bwrap;	/* as given, or NULL */
static json_t *checks;		/* with --json */
static int starts;		/* "srt true" works */
static char *said;		/* all that it has said */
static char *inside;		/* /proc/self/status of a command, or NULL */

/* reporting ------------------------------------------------------------- */

enum level { LEVEL_OK, LEVEL_WARN, LEVEL_FAIL };

/* What is wrong here fails only what does not start. */
static enum level
bad(void)
{
	return starts ? LEVEL_WARN : LEVEL_FAIL;
}

static void report(enum level, const char *, const char *, const char *, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * One line: what was looked at, what was found, and what to do, "" where
 * there is nothing to be done.
 */
static void
report(enum level level, const char *what, const char *todo, const char *fmt,
    ...)
{
	static const char *const word[] = { "ok", "warn", "fail" };
	char *found, *shown, *name = line_printable(what);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&found, fmt, ap);
	va_end(ap);
	if (n == -1 || name == NULL || (shown = line_printable(found)) == NULL)
		err(EXIT_FAIL, NULL);
	if (checks == NULL)
		printf("%-4s  %s: %s%s%s\n", word[level], name, shown,
		    *todo == '\0' ? "" : "; ", todo);
	else if (json_array_append_new(checks, json_pack("{ssssssss}",
	    "level", word[level], "check", name, "found", shown, "do", todo))
	    == -1)
		errx(EXIT_FAIL, "out of memory");
	free(found);
	free(shown);
	free(name);
}

/* asking others --------------------------------------------------------- */

/* Wait for the child at most so long, then end it. */
static int
wait_or_kill(pid_t pid, int limit_s)
{
	struct pollfd p = { .fd = sys_pidfd_open(pid), .events = POLLIN };
	int wstatus, late;

	late = p.fd != -1 && poll(&p, 1, limit_s * 1000) == 0;
	if (late)
		kill(pid, SIGKILL);
	file_close(&p.fd);
	while (waitpid(pid, &wstatus, 0) == -1)
		if (errno != EINTR)
			return EXIT_OURS;
	return late ? EXIT_TIMEOUT : child_status(wstatus);
}

/*
 * The status of a program as a shell would show it, and in *words, to be
 * freed, all it has written, to standard error as well.
 */
static int
ask(char **argv, int limit_s, char **words)
{
	int out = memfd_create("words", MFD_CLOEXEC), status;
	size_t len;
	pid_t pid;

	*words = NULL;
	if (out == -1 || (pid = fork()) == -1)
		err(EXIT_FAIL, "%s", argv[0]);
	if (pid == 0) {
		if (dup2(out, 1) == -1 || dup2(out, 2) == -1)
			_exit(EXIT_OURS);
		if (file_null_stdin() == -1)
			err(EXIT_OURS, "/dev/null");
		execv(argv[0], argv);
		dprintf(2, "%s: %s\n", argv[0], strerror(errno));
		_exit(errno == ENOENT ? EXIT_NOTFOUND : EXIT_NOEXEC);
	}
	status = wait_or_kill(pid, limit_s);
	if (lseek(out, 0, SEEK_SET) == -1 ||
	    file_slurp(out, WORDS_MAX, words, &len) == -1)
		*words = strdup("");
	file_close(&out);
	if (*words == NULL)
		err(EXIT_FAIL, NULL);
	return status;
}

/* What "srt prog [arg ...]" does, by the srt-run beside us. */
static int
ask_inside(const char *prog, const char *arg, char **words)
{
	const char *argv[12];
	char *run = file_beside("srt-run");
	size_t n = 0;
	int status;

	if (run == NULL) {
		*words = strdup("srt-run: cannot be found without /proc");
		return EXIT_OURS;
	}
	argv[n++] = run;
	argv[n++] = "-W";
	argv[n++] = "-e";
	argv[n++] = "private-tmp";
	if (bwrap != NULL) {
		argv[n++] = "--bwrap";
		argv[n++] = bwrap;
	}
	argv[n++] = "--";
	argv[n++] = prog;
	argv[n++] = arg;
	argv[n] = NULL;
	status = ask((char **)(uintptr_t)argv, START_S, words);
	free(run);
	return status;
}

/* The last line, which is why; without the name of who says so. */
static char *
last_line(char *words)
{
	char *nl, *line;
	size_t len = strlen(words);

	while (len > 0 && words[len - 1] == '\n')
		words[--len] = '\0';
	line = (nl = strrchr(words, '\n')) == NULL ? words : nl + 1;
	if (strncmp(line, "srt-run: ", 9) == 0)
		line += 9;
	return line;
}

static int
start(void)
{
	int status = ask_inside("true", NULL, &said);

	if (said == NULL)
		err(EXIT_FAIL, NULL);
	starts = status == 0;
	/* no more than a look: where there is no cat it is done without */
	if (starts && ask_inside("cat", "/proc/self/status", &inside) != 0)
		inside = NULL;
	return status;
}

/* The number behind "KEY:" in the text of a /proc/PID/status, or -1. */
static long
number_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (; text != NULL && *text != '\0'; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, key, len) == 0 && text[len] == ':')
			return strtol(text + len + 1, NULL, 10);
	}
	return -1;
}

/* A small file of numbers, such as those in /proc/sys: the first, or -1. */
static char *
text_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t len;

	if (fd != -1 && file_slurp(fd, WORDS_MAX, &text, &len) == -1)
		text = NULL;
	file_close(&fd);
	return text;
}

static long
sysctl(const char *path)
{
	char *text = text_of(path);
	long n = text == NULL ? -1 : strtol(text, NULL, 10);

	free(text);
	return n;
}

/* the checks ------------------------------------------------------------ */

static void
check_user(void)
{
	report(LEVEL_OK, "user", "", "uid %lu; users, root included, do not "
	    "see each other's runs", (unsigned long)geteuid());
}

static void
check_kernel(void)
{
	struct utsname u;
	int major = 0, minor = 0;
	char *end;

	if (uname(&u) == -1)
		err(EXIT_FAIL, "uname");
	major = (int)strtol(u.release, &end, 10);
	if (*end == '.')
		minor = (int)strtol(end + 1, NULL, 10);
	if (major > 5 || (major == 5 && minor >= 10))
		report(LEVEL_OK, "kernel", "", "%s %s", u.sysname, u.release);
	else
		report(bad(), "kernel", "Linux 5.10 or later is needed",
		    "%s %s", u.sysname, u.release);
}

/* 0, or the errno with which a user namespace is refused. */
static int
refused_userns(void)
{
	int wstatus;
	pid_t pid = fork();

	if (pid == -1)
		return errno;
	if (pid == 0)
		_exit(unshare(CLONE_NEWUSER) == -1 ? errno : 0);
	while (waitpid(pid, &wstatus, 0) == -1)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : EINTR;
}

/*
 * In a chroot the kernel makes no user namespace (user_namespaces(7), EPERM).
 * It is one for sure where "/" is not the root of a mount.
 */
static int
in_chroot(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC), yes;

	yes = fd != -1 && sys_is_mount_root(fd) == 0;
	file_close(&fd);
	return yes;
}

static void
check_userns(void)
{
	long max = sysctl("/proc/sys/user/max_user_namespaces");
	int why = refused_userns();

	if (why != 0 && in_chroot())
		report(bad(), "user namespaces", "run it outside, or make "
		    "the directory a root with pivot_root(2)",
		    "not to be had in a chroot: %s", strerror(why));
	else if (why != 0)
		report(bad(), "user namespaces", sandbox_userns_advice(),
		    "cannot be made: %s", strerror(why));
	else if (max != -1)
		report(LEVEL_OK, "user namespaces", "", "can be made, %ld at "
		    "most", max);
	else
		report(LEVEL_OK, "user namespaces", "", "can be made");
	if (sysctl("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
	    == 1)
		report(starts ? LEVEL_OK : LEVEL_FAIL, "AppArmor", starts ?
		    "" : "give bwrap a profile with userns, or set the "
		    "sysctl kernel.apparmor_restrict_unprivileged_userns=0",
		    "restricts user namespaces to programs with a profile");
}

/* Whom the mode and owner of path let replace it, or what is in it. */
struct replacer {
	enum { BY_ROOT, BY_US, BY_USER, BY_GROUP, BY_ALL } who;
	unsigned long	 id;
	char		*path;
};

static void
look_at(const char *path, struct replacer *worst)
{
	struct replacer now = { BY_ROOT, 0, NULL };
	struct stat st;

	if (stat(path, &st) == -1)
		return;
	if (st.st_uid == geteuid() && st.st_uid != 0)
		now.who = BY_US;
	else if (st.st_uid != 0 && st.st_uid != OVERFLOW_ID) {
		now.who = BY_USER;
		now.id = st.st_uid;
	}
	/* in a sticky directory only its owner, and the entry's */
	if (S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX) != 0)
		st.st_mode &= ~(mode_t)(S_IWGRP | S_IWOTH);
	if ((st.st_mode & S_IWGRP) != 0 && st.st_gid != 0 &&
	    st.st_gid != getegid()) {
		now.who = BY_GROUP;
		now.id = st.st_gid;
	}
	if ((st.st_mode & S_IWOTH) != 0)
		now.who = BY_ALL;
	if (now.who <= worst->who)
		return;
	free(worst->path);
	*worst = now;
	worst->path = strdup(path);
}

static void
report_bwrap(const char *path, const char *version, const struct replacer *r)
{
	switch (r->who) {
	case BY_ROOT:
		report(LEVEL_OK, "bubblewrap", "", "%s, %s; only root can "
		    "replace it", path, version);
		break;
	case BY_US:
		report(LEVEL_OK, "bubblewrap", "", "%s, %s; you can replace "
		    "it, so a run that could write %s is refused", path,
		    version, r->path);
		break;
	case BY_USER:
		report(LEVEL_WARN, "bubblewrap", "use one that only root can "
		    "replace", "%s, %s; uid %lu can replace %s", path,
		    version, r->id, r->path);
		break;
	case BY_GROUP:
		report(LEVEL_WARN, "bubblewrap", "take that from its mode "
		    "with chmod g-w", "%s, %s; gid %lu can replace what is "
		    "at %s", path, version, r->id, r->path);
		break;
	case BY_ALL:
		report(LEVEL_WARN, "bubblewrap", "take that from its mode "
		    "with chmod o-w", "%s, %s; everybody can replace what is "
		    "at %s", path, version, r->path);
		break;
	}
}

static void
check_replaceable(const char *path, const char *version)
{
	struct replacer worst = { BY_ROOT, 0, NULL };
	char *prefix = strdup(path), *slash;

	if (prefix == NULL)
		err(EXIT_FAIL, NULL);
	look_at(prefix, &worst);
	while ((slash = strrchr(prefix, '/')) != NULL && slash != prefix) {
		*slash = '\0';
		look_at(prefix, &worst);
	}
	free(prefix);
	report_bwrap(path, version, &worst);
	free(worst.path);
}

/* "bubblewrap 0.8.0" is enough. */
static int
is_new_enough(const char *version)
{
	char *end;
	long major, minor;

	if (strncmp(version, "bubblewrap ", 11) != 0)
		return 0;
	major = strtol(version + 11, &end, 10);
	minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
	return major > 0 || minor >= 5;
}

static void
check_bwrap(void)
{
	char *path = programs_bwrap(bwrap), *version = NULL, *words = NULL;
	char *argv[] = { path, (char *)(uintptr_t)"--version", NULL };

	if (path == NULL)
		report(bad(), "bubblewrap", "install the package bubblewrap, "
		    "or name it with --bwrap", "%s not found", bwrap == NULL ?
		    "bwrap" : bwrap);
	else if (ask(argv, VERSION_S, &words) != 0)
		report(bad(), "bubblewrap", "install the package bubblewrap",
		    "%s does not tell its version: %s", path,
		    last_line(words));
	else if (!is_new_enough(version = last_line(words)))
		report(bad(), "bubblewrap", "0.5.0 or later is needed",
		    "%s is too old: %s", path, version);
	else
		check_replaceable(path, version + 11);
	free(words);
	free(path);
}

static void
check_start(int status)
{
	const char *why = last_line(said);

	if (starts && *why == '\0')
		report(LEVEL_OK, "start", "", "srt true works");
	else if (starts)
		report(LEVEL_WARN, "start", "", "srt true works, and says: "
		    "%s", why);
	else if (*why == '\0')
		report(LEVEL_FAIL, "start", "", "srt true ends with status "
		    "%d, and says nothing", status);
	else
		report(LEVEL_FAIL, "start", "", "srt true ends with status "
		    "%d: %s", status, why);
}

/* It has if it looks at where ours should be (prctl(2), PR_SET_SECCOMP). */
static int
kernel_has_filters(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != -1 ||
	    errno == EFAULT;
}

/*
 * One is in force inside if there are more than here.  Where nothing inside
 * could be looked at, it is taken to be what every run is given.
 */
static int
has_filter(void)
{
	char *here;
	long n;

	if (inside == NULL)
		return kernel_has_filters();
	here = text_of("/proc/self/status");
	n = number_of(here, "Seccomp_filters");
	free(here);
	return number_of(inside, "Seccomp_filters") > (n < 0 ? 0 : n);
}

static void
check_seccomp(void)
{
	if (!kernel_has_filters())
		report(bad(), "seccomp", "use a kernel with "
		    "CONFIG_SECCOMP_FILTER", "the kernel has no filters for "
		    "system calls");
	else if (inside == NULL)
		report(LEVEL_OK, "seccomp", "", "the kernel has filters for "
		    "system calls");
	else if (has_filter())
		report(LEVEL_OK, "seccomp", "", "a filter for system calls is "
		    "in force inside");
	else
		report(LEVEL_WARN, "seccomp", "use a bubblewrap that does "
		    "what --seccomp asks", "the kernel has filters for system "
		    "calls; inside none is in force");
}

/* Whether the limit of the sandbox's own user namespace could be set. */
static int
sysctls_read_only(void)
{
	struct statvfs st;

	return statvfs("/proc/sys/user/max_user_namespaces", &st) == 0 &&
	    (st.f_flag & ST_RDONLY) != 0;
}

static void
check_proc(void)
{
	char *numbers = inside == NULL ? NULL : strstr(inside, "\nNSpid:\t");
	char pid[16];

	if (readlink("/proc/self", pid, sizeof(pid)) == -1)
		report(bad(), "/proc", "mount -t proc proc /proc",
		    "is not mounted");
	else if (!sys_proc_is_ours())
		report(bad(), "/proc", "mount one of this PID namespace "
		    "(unshare --mount-proc)",
		    "shows another PID namespace than this");
	else if (sysctls_read_only())
		report(bad(), "/proc", "run where it is writable; a "
		    "container engine may take systempaths=unconfined",
		    "/proc/sys is read-only, and no limit can be set for "
		    "the sandbox");
	else if (numbers != NULL && strcspn(numbers + 8, "\t") <
	    strcspn(numbers + 8, "\n"))
		report(LEVEL_WARN, "/proc", "take away what is mounted in "
		    "it; a container engine may take systempaths=unconfined",
		    "commands see this one, read-only, because the kernel "
		    "refuses one of their own");
	else
		report(LEVEL_OK, "/proc", "", starts ? "commands have one of "
		    "their own" : "shows this PID namespace");
}

static const char *
why_not(const struct place *p)
{
	if (p->why == EPERM)
		return "belongs to another user";
	if (p->why == EINVAL)
		return "lies in a file system of the kernel's own";
	if (p->why == ENOTEMPTY)
		return "holds other files, so it is no place";
	return strerror(p->why != 0 ? p->why : p->unwritable_why);
}

static void
check_place(const struct place *p)
{
	struct statvfs st;

	if (p->unreadable)
		report(bad(), "place", "chmod 700 it", "%s: closed, so what "
		    "is in it counts as live", p->path);
	else if (p->makeable)
		report(LEVEL_OK, "place", "", "%s: not there, the next run "
		    "makes it", p->path);
	else if (p->fd == -1)
		report(LEVEL_WARN, "place", p->second ? "runs that deny what "
		    "is absent are refused: make it usable, or unset "
		    "SRT_PLACE" : p->why == ENOENT ? "" : "move away what is "
		    "there", "%s: cannot be used: %s", p->path, why_not(p));
	else if (!p->writable)
		report(LEVEL_WARN, "place", "", "%s: can be read only: %s",
		    p->path, why_not(p));
	else if (fstatvfs(p->fd, &st) == 0 && st.f_blocks != 0 &&
	    st.f_bavail == 0)
		report(LEVEL_WARN, "place", "make room", "%s: its disk is "
		    "full", p->path);
	else
		report(LEVEL_OK, "place", "", "%s", p->path);
}

/* The second of the places is only in the list where this is right. */
static void
check_runtime_dir(void)
{
	char path[40];
	struct stat st;

	snprintf(path, sizeof(path), "/run/user/%lu",
	    (unsigned long)geteuid());
	if (lstat(path, &st) == -1)
		report(LEVEL_OK, "place", "", "%s: no place in it: %s", path,
		    strerror(errno));
	else if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 07777) != 0700)
		report(LEVEL_WARN, "place", "make it yours, and chmod 700 it",
		    "%s: no place in it: not a directory of yours alone",
		    path);
}

static void
check_places(struct places *ps)
{
	size_t i, usable = 0;

	for (i = 0; i < ps->n; i++) {
		check_place(&ps->p[i]);
		usable += ps->p[i].makeable ||
		    (ps->p[i].fd != -1 && ps->p[i].writable);
	}
	check_runtime_dir();
	if (usable == 0)
		report(LEVEL_WARN, "places", "make one of them usable", "none "
		    "to write to, so runs that deny what is absent are "
		    "refused");
}

/* What a look at the manifests tells: who runs, and what has been left. */
static void
check_left(struct places *ps)
{
	struct manifests set;
	const char *path = NULL;
	size_t i, live = 0, over = 0, marks = 0;
	char *which;

	if (manifests_read(ps, &set, &which) == -1) {
		report(bad(), "leftovers", "look at it, and remove it if "
		    "nothing runs", "%s cannot be read: %s", which == NULL ?
		    "a manifest" : which, strerror(errno));
		free(which);
		return;
	}
	for (i = 0; i < set.n; i++) {
		live += set.m[i].live != 0;
		over += !set.m[i].live;
		if (!set.m[i].live && set.m[i].nmarks > 0) {
			marks += set.m[i].nmarks;
			path = set.m[i].mark[0].path;
		}
	}
	if (over == 0)
		report(LEVEL_OK, "leftovers", "", "nothing; runs now: %zu",
		    live);
	else if (path == NULL)
		report(LEVEL_WARN, "leftovers", "srt --sweep removes it",
		    "%zu of runs that are over, with no placeholders", over);
	else
		report(LEVEL_WARN, "leftovers", "srt --sweep removes it, or "
		    "says why it cannot", "%zu of runs that are over, with "
		    "%zu placeholders, such as %s", over, marks, path);
	manifests_free(&set);
}

static void
check_files(void)
{
	struct places places;

	if (places_look(&places) == -1) {
		report(bad(), "SRT_PLACE", "set it to an absolute path, or "
		    "not at all", "is not an absolute path");
		return;
	}
	check_places(&places);
	check_left(&places);
	places_close(&places);
}

/* Documentation/admin-guide/LSM/Yama.rst; srt-init cannot be traced at all. */
static void
check_yama(void)
{
	static const char *const means[] = {
		"commands can trace each other inside",
		"commands can trace what they start, as strace and gdb do",
		"strace and gdb do not work inside, without privileges",
		"strace and gdb do not work, inside and outside"
	};
	long n = sysctl("/proc/sys/kernel/yama/ptrace_scope");

	if (n < 0 || n > 3)
		report(LEVEL_OK, "ptrace", "", "no Yama; %s", means[0]);
	else
		report(n < 2 ? LEVEL_OK : LEVEL_WARN, "ptrace", n < 2 ? "" :
		    "where they are wanted, set the sysctl "
		    "kernel.yama.ptrace_scope=1", "Yama's scope is %ld; %s",
		    n, means[n]);
}

/* Before Linux 6.2 there was no such switch: it was always on. */
static void
check_tiocsti(void)
{
	long n = sysctl("/proc/sys/dev/tty/legacy_tiocsti");

	if (n == 0)
		report(LEVEL_OK, "terminal", "", "legacy_tiocsti is off");
	else if (has_filter())
		report(LEVEL_OK, "terminal", "", "commands cannot type into "
		    "it, the filter refuses TIOCSTI");
	else
		report(LEVEL_WARN, "terminal", n == -1 ? "" : "set the sysctl "
		    "dev.tty.legacy_tiocsti=0", "a command can type into the "
		    "one it runs on, with TIOCSTI");
}

/* What two lines of a profile cost: srt-stream(5). */
static void
check_directives(void)
{
	report(LEVEL_OK, "nested-userns", "", "with \"nested-userns allow\" a "
	    "command can make mount namespaces, in which it moves denied "
	    "paths aside and takes covers off%s", geteuid() == 0 ?
	    "; as root it keeps CAP_SETFCAP" : ", and can end what is in "
	    "cgroups of yours");
	report(LEVEL_OK, "unix-sockets", "", has_filter() ? "none can be "
	    "connected to; with \"unix-sockets allow\" a command can have "
	    "whoever listens do what it must not" : "those of the session "
	    "and of known services are hidden, others can be connected to; "
	    "with \"unix-sockets allow\" a command can have whoever listens "
	    "do what it must not");
}

int
main(int argc, char **argv)
{
	int ch, json = 0, status;
	json_t *all = NULL;

	file_std_open(O_RDONLY);	/* without /dev/null that is what is found */
	while ((ch = getopt_long(argc, argv, "+hV", longopts, NULL)) != -1)
		switch (ch) {
		case 'b': bwrap = optarg; break;
		case 'h': help_and_exit(usage, EXIT_FAIL);
		case 'j': json = 1; break;
		case 'V': version_and_exit(EXIT_FAIL);
		default: usage_and_exit(usage, EXIT_USAGE);
		}
	if (optind != argc)
		usage_and_exit(usage, EXIT_USAGE);
	status = start();
	if (json && ((checks = json_array()) == NULL ||
	    (all = json_pack("{sssbso}", "version", VERSION, "works", starts,
	    "checks", checks)) == NULL))
		errx(EXIT_FAIL, "out of memory");
	check_user();
	check_kernel();
	check_userns();
	check_bwrap();
	check_start(status);
	check_seccomp();
	check_proc();
	check_files();
	check_yama();
	check_tiocsti();
	check_directives();
	if (json && json_dumpf(all, stdout, JSON_INDENT(1)) == 0)
		putchar('\n');
	stdout_or_die(EXIT_FAIL);
	return starts ? 0 : EXIT_FAIL;
}
