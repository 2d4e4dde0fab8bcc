/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "exits.h"
#include "file.h"
#include "filter.h"
#include "line.h"
#include "msg.h"
#include "sandbox.h"
#include "sys.h"

/*
 * The buried views of write roots lie where the sandbox's own /proc is
 * mounted over them afterwards: no command can reach them.
 */
#define VIEWS "/proc"

#define FIXED_ARGS	24	/* of bubblewrap's own, see make_argv() */

static int
open_program(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd == -1)
		return -1;
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode) ||
	    faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == -1) {
		file_close(&fd);
		errno = EACCES;
	}
	return fd;
}

/* The nth in PATH, from 0. */
static int
open_on_path(const char *name, unsigned nth, char **found)
{
	const char *p = getenv("PATH");
	char *path;
	size_t len;
	int fd;

	if (p == NULL || *p == '\0')
		p = "/usr/local/bin:/usr/bin:/bin";
	for (; *p != '\0'; p += len + (p[len] == ':')) {
		len = strcspn(p, ":");
		if (*p != '/')
			continue;	/* the working directory's, or empty */
		if (asprintf(&path, "%.*s/%s", (int)len, p, name) == -1)
			return -1;
		if ((fd = open_program(path)) != -1 && nth-- == 0) {
			*found = path;
			return fd;
		}
		file_close(&fd);
		free(path);
	}
	errno = ENOENT;
	return -1;
}

static int
open_beside_us(const char *name)
{
	char *path = file_beside(name);
	int fd = path == NULL ? -1 : open_program(path);

	if (fd == -1)
		msg_path(path == NULL ? name : path,
		    "needed beside this program");
	free(path);
	return fd;
}

static int
open_bwrap(const char *bwrap, unsigned nth, char **real)
{
	char *found = NULL;
	int fd = -1;

	if (bwrap == NULL || strchr(bwrap, '/') == NULL)
		fd = open_on_path(bwrap == NULL ? "bwrap" : bwrap, nth,
		    &found);
	else if (nth == 0) {
		found = strdup(bwrap);
		fd = open_program(bwrap);
	}
	*real = fd == -1 || found == NULL ? NULL : realpath(found, NULL);
	free(found);
	return fd;
}

char *
programs_bwrap(const char *bwrap)
{
	char *real;
	int fd = open_bwrap(bwrap, 0, &real);

	file_close(&fd);
	return real;
}

int
programs_open(struct programs *pr, const char *bwrap)
{
	pr->init = -1;
	pr->name = bwrap;
	pr->nth = 0;
	pr->bwrap = open_bwrap(bwrap, 0, &pr->bwrap_path);
	if (pr->bwrap == -1) {
		msg_path(bwrap == NULL ? "bwrap" : bwrap, "bubblewrap not "
		    "found; install the package bubblewrap, or name it with "
		    "--bwrap");
		return -1;
	}
	if (pr->bwrap_path == NULL ||
	    (pr->init = open_beside_us("srt-init")) == -1) {
		programs_close(pr);
		return -1;
	}
	return 0;
}

void
programs_close(struct programs *pr)
{
	file_close(&pr->bwrap);
	file_close(&pr->init);
	free(pr->bwrap_path);
	pr->bwrap_path = NULL;
}

/* What is a mount point in the sandbox, or pinned, cannot be moved there. */
static int
is_mount_point(const struct plan *plan, const char *path)
{
	size_t i;

	for (i = 0; i < plan->nops; i++)
		if (strcmp(plan->op[i].path, path) == 0)
			return 1;
	return 0;
}

/*
 * May the command, as this user, change what is at path, or, if that is a
 * directory above it, move it aside?
 */
static int
is_replaceable(const struct plan *plan, const char *path)
{
	struct stat st;

	return plan_lets_write(plan, path) && stat(path, &st) == 0 &&
	    !(S_ISDIR(st.st_mode) && is_mount_point(plan, path)) &&
	    (st.st_uid == geteuid() ||
	    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0);
}

/* The program, or a directory above it. */
static int
lets_replace(const struct plan *plan, const char *path)
{
	char *prefix = strdup(path), *slash;
	int bad;

	if (prefix == NULL)
		return 1;
	bad = is_replaceable(plan, prefix);
	while (!bad && (slash = strrchr(prefix, '/')) != NULL &&
	    slash != prefix) {
		*slash = '\0';
		bad = is_replaceable(plan, prefix);
	}
	free(prefix);
	return bad;
}

/* Of those in PATH the next that the command cannot replace; -1: none. */
static int
use_next(struct programs *pr, const struct plan *plan)
{
	unsigned nth = pr->nth;
	char *real;
	int fd;

	while ((fd = open_bwrap(pr->name, ++nth, &real)) != -1) {
		if (real != NULL && !lets_replace(plan, real)) {
			file_close(&pr->bwrap);
			free(pr->bwrap_path);
			pr->bwrap = fd;
			pr->bwrap_path = real;
			pr->nth = nth;
			return 0;
		}
		file_close(&fd);
		free(real);
	}
	return -1;
}

int
programs_check(struct programs *pr, const struct plan *plan, int quiet)
{
	char *first;

	if (!lets_replace(plan, pr->bwrap_path))
		return 0;
	errno = 0;
	if (geteuid() == 0 && plan_lets_write(plan, "/")) {
		if (!quiet)
			msg_path(pr->bwrap_path, "warning: the command can "
			    "replace it, and with it the next sandbox");
		return 0;
	}
	if ((first = strdup(pr->bwrap_path)) != NULL &&
	    use_next(pr, plan) == 0) {
		errno = 0;
		if (!quiet)
			msg_path(first, "warning: the profile lets the command "
			    "replace it, so %s is used", pr->bwrap_path);
		free(first);
		return 0;
	}
	free(first);
	errno = 0;
	msg_path(pr->bwrap_path, "the profile lets the command replace it; "
	    "deny writing to it, or name another with --bwrap");
	return -1;
}

/* arguments ------------------------------------------------------------- */

struct args {
	FILE	*fp;
	size_t	 n;
};

static void
put(struct args *a, const char *arg)
{
	fwrite(arg, 1, strlen(arg) + 1, a->fp);
	a->n++;
}

static void
put3(struct args *a, const char *option, const char *x, const char *y)
{
	put(a, option);
	put(a, x);
	if (y != NULL)
		put(a, y);
}

static void
put_number(struct args *a, const char *option, const char *fmt, unsigned n)
{
	char word[16];

	snprintf(word, sizeof(word), fmt, n);
	put3(a, option, word, NULL);
}

/* The path of a directory of write root number n in its buried view. */
static void
put_view(struct args *a, const char *path, const char *root, unsigned n)
{
	char *view;
	const char *rel = path + (root[1] == '\0' ? 0 : strlen(root));

	if (asprintf(&view, VIEWS "/%u%s", n, rel) == -1)
		return;
	put3(a, "--bind", path, view);
	free(view);
}

/*
 * bubblewrap makes a mount point that is not there, and in a write root that
 * is outside, where nobody would remove it.  It does not make a source: as
 * one, a path that has gone ends the start, which then is planned again.
 */
static void
put_check(struct args *a, const struct sandbox *sb, const struct op *op)
{
	if (plan_write_root(sb->plan, op->path) != NULL)
		put3(a, "--ro-bind", op->path, op->path);
}

static void
put_op(struct args *a, const struct sandbox *sb, const struct op *op,
    const char **root)
{
	switch (op->type) {
	case OP_RO:
		put3(a, "--ro-bind", op->path, op->path);
		break;
	case OP_RW:
		put3(a, "--bind", op->path, op->path);
		break;
	case OP_HIDE:
		put_check(a, sb, op);
		put3(a, "--tmpfs", op->path, NULL);
		break;
	case OP_CLOSE:
		put3(a, "--remount-ro", op->path, NULL);
		break;
	case OP_MASK:
		put_check(a, sb, op);
		/* bubblewrap's plain binds have no devices: EACCES */
		put3(a, "--ro-bind", "/dev/null", op->path);
		break;
	case OP_TMP:
		put_number(a, "--perms", "%04o", op->n);
		put3(a, "--tmpfs", op->path, NULL);
		break;
	case OP_DEV:
		put3(a, "--dev", op->path, NULL);
		break;
	case OP_PROC:
		if (sb->bind_proc)
			put3(a, "--ro-bind", op->path, op->path);
		else
			put3(a, "--proc", op->path, NULL);
		break;
	case OP_SYMLINK:
		put3(a, "--symlink", op->target, op->path);
		break;
	case OP_HOLD:
		if (op->n == 0)
			put3(a, "--tmpfs", VIEWS, NULL);
		*root = op->path;
		put_view(a, op->path, op->path, op->n);
		break;
	case OP_PIN:
		put_view(a, op->path, *root, op->n);
		break;
	}
}

/*
 * Root's user namespaces have root in them, and to map that takes CAP_SETFCAP
 * where they are made (user_namespaces(7), since Linux 5.12): nothing that an
 * ordinary user has not without.  Whoever owns a file may make it set-user-ID,
 * so capabilities in its attributes are no more than root inside could do.
 */
static int
keeps_setfcap(const struct plan *p)
{
	return p->nested_userns && geteuid() == 0;
}

static void
put_settings(struct args *a, const struct sandbox *sb)
{
	static const char *const always[] = {
		"--unshare-user", "--unshare-pid", "--unshare-ipc",
		"--unshare-uts", "--as-pid-1", "--die-with-parent",
		"--cap-drop", "ALL"
	};
	const struct plan *p = sb->plan;
	size_t i;

	for (i = 0; i < sizeof(always) / sizeof(*always); i++)
		put(a, always[i]);
	if (keeps_setfcap(p)) {
		put(a, "--cap-add");
		put(a, "CAP_SETFCAP");
	}
	if (!p->network_host)
		put(a, "--unshare-net");
	for (i = 0; i < p->nenv; i++)
		put3(a, p->env[i].value == NULL ? "--unsetenv" : "--setenv",
		    p->env[i].name, p->env[i].value);
}

int
sandbox_args(const struct sandbox *sb)
{
	struct args a = { NULL, 0 };
	const char *root = "/";
	int fd = memfd_create("bwrap-args", MFD_CLOEXEC), copy = -1;
	size_t i;
	int bad;

	if (fd == -1 || (copy = dup(fd)) == -1 ||
	    (a.fp = fdopen(copy, "w")) == NULL)
		goto fail;
	put_settings(&a, sb);
	for (i = 0; i < sb->plan->nops; i++)
		put_op(&a, sb, &sb->plan->op[i], &root);
	if (sb->plan->chdir != NULL)
		put3(&a, "--chdir", sb->plan->chdir, NULL);
	bad = ferror(a.fp);
	if (fclose(a.fp) == EOF || bad) {
		copy = -1;
		goto fail;
	}
	a.n += FIXED_ARGS + 2 * sb->plan->npass_fds;
	if (a.n > BWRAP_ARGS_MAX) {
		errno = 0;
		msg_path("bwrap", "%zu arguments, and it takes %d: use fewer "
		    "rules, or rules for whole directories", a.n,
		    BWRAP_ARGS_MAX);
		file_close(&fd);
		return -1;
	}
	if (lseek(fd, 0, SEEK_SET) == 0)
		return fd;
fail:
	msg_path("bwrap", "its arguments cannot be kept");
	file_close(&copy);
	file_close(&fd);
	return -1;
}

/* becoming it ----------------------------------------------------------- */

static int
by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Everything but stdin, stdout, stderr and these is closed, and these are
 * left open across exec.  An element of -1 stands for none.
 */
static int
keep_only(int *fd, size_t n)
{
	unsigned next = 3;
	size_t i;

	qsort(fd, n, sizeof(*fd), by_number);
	for (i = 0; i < n; i++) {
		if (fd[i] < 3)
			continue;
		if ((unsigned)fd[i] > next &&
		    sys_close_range(next, (unsigned)fd[i] - 1) == -1)
			return -1;
		if (fcntl(fd[i], F_SETFD, 0) == -1)
			return -1;
		next = (unsigned)fd[i] + 1;
	}
	return sys_close_range(next, ~0U);
}

/*
 * A descriptor of our own is close-on-exec, an inherited one cannot be: that
 * tells whether the caller really gave N.
 */
static int
check_descriptor(const char *what, int fd)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (fstat(fd, &st) == -1)
		return 0;
	if (!S_ISDIR(st.st_mode) && (flags & O_PATH) == 0)
		return 0;
	errno = 0;
	msg_path(what, "is a directory or a mere path, from which the command "
	    "could go anywhere outside");
	return -1;
}

/*
 * Descriptors lead to the mounts outside.  A directory would be a way out.
 */
static int
check_descriptors(const struct plan *p)
{
	static const char *const name[] = {
		"standard input", "standard output", "standard error"
	};
	char what[32];
	size_t i;
	int fd;

	for (fd = 0; fd < 3; fd++)
		if (check_descriptor(name[fd], fd) == -1)
			return -1;
	for (i = 0; i < p->npass_fds; i++) {
		snprintf(what, sizeof(what), "pass-fd %d", p->pass_fd[i]);
		if (check_descriptor(what, p->pass_fd[i]) == -1)
			return -1;
	}
	return 0;
}

static int
check_pass_fds(const struct plan *p)
{
	size_t i;
	int flags;

	if (p->npass_fds > PASS_FDS_MAX) {
		errno = 0;
		msg_path("pass-fd", "at most %d", PASS_FDS_MAX);
		return -1;
	}
	for (i = 0; i < p->npass_fds; i++) {
		flags = fcntl(p->pass_fd[i], F_GETFD);
		if (flags != -1 && (flags & FD_CLOEXEC) == 0)
			continue;
		errno = EBADF;
		dprintf(2, "%s: pass-fd %d: %s\n",
		    program_invocation_short_name, p->pass_fd[i],
		    strerror(errno));
		return -1;
	}
	return 0;
}

/*
 * The command's words, NUL-ended, on a memfd for srt-init: bubblewrap would
 * count them with its own.
 */
static int
command_words(char **argv)
{
	int fd = memfd_create("command", MFD_CLOEXEC);

	if (fd == -1)
		return -1;
	for (; *argv != NULL; argv++)
		if (file_write(fd, *argv, strlen(*argv) + 1) == -1)
			break;
	if (*argv == NULL && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	file_close(&fd);
	return -1;
}

/* The filter for the sandbox, on a memfd. */
static int
filter_program(const struct plan *p)
{
	struct sock_filter code[FILTER_MAX];
	size_t n = filter_make(FILTER_NATIVE,
	    filter_allow(p->nested_userns, p->unix_sockets), code);
	int fd = memfd_create("filter", MFD_CLOEXEC);

	if (fd == -1 || (file_write(fd, code, n * sizeof(*code)) == 0 &&
	    lseek(fd, 0, SEEK_SET) == 0))
		return fd;
	file_close(&fd);
	return -1;
}

/* A list of words that grows; without memory it ends in NULL too early. */
struct words {
	char	*w[FIXED_ARGS + 2 * PASS_FDS_MAX];
	size_t	 n;
};

static void
add(struct words *w, const char *option, int fd)
{
	if (fd == -1)
		return;
	w->w[w->n++] = (char *)(uintptr_t)option;
	if (asprintf(&w->w[w->n], "%d", fd) != -1)
		w->n++;
}

/* bwrap --args N --json-status-fd N --seccomp N -- /proc/self/fd/N options */
static void
make_argv(struct words *w, const struct sandbox *sb, int args, int filter,
    int errfd, int words)
{
	const struct plan *p = sb->plan;
	size_t i;

	memset(w, 0, sizeof(*w));
	w->w[w->n++] = (char *)(uintptr_t)"bwrap";
	add(w, "--args", args);
	add(w, "--json-status-fd", sb->status);
	add(w, "--seccomp", filter);
	w->w[w->n++] = (char *)(uintptr_t)"--";
	if (asprintf(&w->w[w->n], "/proc/self/fd/%d", sb->programs->init) !=
	    -1)
		w->n++;
	add(w, "-g", sb->gate);
	add(w, "-e", errfd);
	add(w, "-s", sb->stops);
	add(w, "-l", sb->vouch->init[0]);
	add(w, "-l", sb->vouch->init[1]);
	add(w, "-c", words);
	if (child_ignores_hangup())
		w->w[w->n++] = (char *)(uintptr_t)"-n";
	if (keeps_setfcap(p))
		w->w[w->n++] = (char *)(uintptr_t)"-u";
	for (i = 0; i < p->npass_fds; i++)
		add(w, "-p", p->pass_fd[i]);
}

/*
 * The monitor has to outlive what is sent to the whole process group, by the
 * terminal, timeout(1) or "kill %1": the command decides what that means.
 * Without a supervisor, who passes signals on, most of them have to end it.
 */
static void
outlive_signals(int supervised)
{
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		if (sig == SIGINT || sig == SIGQUIT || sig == SIGTSTP ||
		    (supervised && sig != SIGCHLD))
			sys_signal(sig, SIG_IGN);	/* not KILL and STOP */
}

int
sandbox_exec(const struct sandbox *sb, int args)
{
	const struct plan *p = sb->plan;
	int keep[11 + PASS_FDS_MAX], errfd = -1, words, filter;
	struct words argv;
	size_t n = 0, i;

	if (check_pass_fds(p) == -1 || check_descriptors(p) == -1)
		return EXIT_OURS;
	if ((words = command_words(sb->argv)) == -1) {
		msg_path(sb->argv[0], "cannot be passed to the sandbox");
		return EXIT_OURS;
	}
	if ((filter = filter_program(p)) == -1) {
		msg_path("filter", "cannot be passed to bubblewrap");
		return EXIT_OURS;
	}
	if (sb->messages != -1 && (errfd = dup(2)) != -1)
		dup2(sb->messages, 2);
	make_argv(&argv, sb, args, filter, errfd, words);
	keep[n++] = args;
	keep[n++] = filter;
	keep[n++] = words;
	keep[n++] = sb->status;
	keep[n++] = sb->gate;
	keep[n++] = sb->stops;
	keep[n++] = sb->programs->init;
	keep[n++] = sb->programs->bwrap;	/* a script is read from it */
	keep[n++] = sb->vouch->init[0];
	keep[n++] = sb->vouch->init[1];
	keep[n++] = errfd;
	for (i = 0; i < p->npass_fds; i++)
		keep[n++] = p->pass_fd[i];
	outlive_signals(sb->stops != -1);
	if (keep_only(keep, n) == 0)
		fexecve(sb->programs->bwrap, argv.w, environ);
	if (errfd != -1)
		dup2(errfd, 2);
	msg_path(sb->programs->bwrap_path, "cannot be executed");
	return EXIT_OURS;
}

/* what it says ---------------------------------------------------------- */

static char *
words_of(int messages)
{
	static char buf[1024];
	ssize_t n;

	n = messages == -1 ? 0 : pread(messages, buf, sizeof(buf) - 1, 0);
	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

int
sandbox_proc_refused(int messages)
{
	return strstr(words_of(messages), "Can't mount proc") != NULL;
}

/*
 * Besides a path that was not there any more, a mount may have gone: replaced
 * outside, it is detached before bubblewrap has made it read-only, and that
 * finds it in no mount table.
 */
int
sandbox_path_gone(int messages)
{
	const char *words = words_of(messages);

	return strstr(words, strerror(ENOENT)) != NULL ||
	    strstr(words, "bind mount") != NULL;
}

static int
file_has(const char *path, char digit)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), yes;
	char c = 0;

	if (fd == -1)
		return 0;
	yes = read(fd, &c, 1) == 1 && c == digit;
	close(fd);
	return yes;
}

const char *
sandbox_userns_advice(void)
{
	if (file_has("/proc/sys/kernel/unprivileged_userns_clone", '0'))
		return "set the sysctl kernel.unprivileged_userns_clone=1";
	if (file_has("/proc/sys/user/max_user_namespaces", '0'))
		return "the sysctl user.max_user_namespaces is 0, as inside "
		    "a run without nested-userns allow";
	if (file_has("/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
	    '1'))
		return "AppArmor restricts user namespaces: give bwrap a "
		    "profile with userns, or set the sysctl "
		    "kernel.apparmor_restrict_unprivileged_userns=0";
	return "user namespaces are refused here: inside another run they "
	    "need nested-userns allow, in a container seccomp=unconfined, and "
	    "there are none in a chroot";
}

static const char *
hint(const char *words)
{
	if (strstr(words, "nknown option") != NULL)
		return "it is too old, 0.5.0 or later is needed";
	if (strstr(words, "namespace") == NULL &&
	    strstr(words, "uid map") == NULL &&
	    strstr(words, "Operation not permitted") == NULL)
		return "";
	return sandbox_userns_advice();
}

void
sandbox_explain(int messages, const char *bwrap_path)
{
	const char *what_to_do;
	char *words = words_of(messages), *shown;

	if (strncmp(words, "bwrap: ", 7) == 0)
		words += 7;
	words[strcspn(words, "\n")] = '\0';
	what_to_do = hint(words);
	shown = line_printable(words);	/* it may have a path in it */
	errno = 0;
	if (*words == '\0' || shown == NULL)
		msg_path(bwrap_path, "ended before the command was started");
	else
		msg_path(bwrap_path, "%s%s%s", shown,
		    *what_to_do == '\0' ? "" : "; ", what_to_do);
	free(shown);
}
