/* SPDX-License-Identifier: ISC */
/*
 * sandbox.h: what bubblewrap is told, and what it says.  Becoming it is tried
 * with a script in its place that lists its arguments and descriptors.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "exits.h"
#include "filter.h"
#include "sandbox.h"
#include "unit.h"

static struct plan plan;
static struct sandbox sb;

static void
start(void)
{
	plan_free(&plan);
	memset(&sb, 0, sizeof(sb));
	sb.plan = &plan;
}

/* All arguments, each with a newline behind it, from the memfd. */
static const char *
args(void)
{
	static char text[1 << 16];
	int fd = sandbox_args(&sb);
	ssize_t n, i;

	if (fd == -1)
		return "(failed)";
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	for (i = 0; i < n; i++)
		if (text[i] == '\0')
			text[i] = '\n';
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static int
has(const char *text, const char *lines)
{
	const char *p = strstr(text, lines);

	return p != NULL && (p == text || p[-1] == '\n');
}

/* What the operation becomes, alone. */
static void
check_op(enum op_type type, const char *path, unsigned n, const char *want)
{
	start();
	plan_add_op(&plan, type, path, n);
	if (!has(args(), want))
		unit_fail(__FILE__, __LINE__, path, args(), want);
}

static void
operations(void)
{
	const char *text;

	check_op(OP_RO, "/a b", 0, "--ro-bind\n/a b\n/a b\n");
	check_op(OP_RW, "/-x", 0, "--bind\n/-x\n/-x\n");
	check_op(OP_HIDE, "/h", 0, "--tmpfs\n/h\n");
	check_op(OP_CLOSE, "/h", 0, "--remount-ro\n/h\n");
	check_op(OP_MASK, "/m\xff", 0, "--ro-bind\n/dev/null\n/m\xff\n");
	check_op(OP_TMP, "/t", 01777, "--perms\n1777\n--tmpfs\n/t\n");
	check_op(OP_TMP, "/t", 0700, "--perms\n0700\n--tmpfs\n/t\n");
	check_op(OP_DEV, "/dev", 0, "--dev\n/dev\n");
	check_op(OP_PROC, "/proc", 0, "--proc\n/proc\n");
	start();
	sb.bind_proc = 1;
	plan_add_op(&plan, OP_PROC, "/proc", 0);
	CHECK(has(args(), "--ro-bind\n/proc\n/proc\n"));

	/* views lie below the later /proc, and pins in the view before them */
	start();
	plan_add_op(&plan, OP_HOLD, "/w", 0);
	plan_add_op(&plan, OP_PIN, "/w/a", 0);
	plan_add_op(&plan, OP_HOLD, "/", 1);
	plan_add_op(&plan, OP_PIN, "/x/y", 1);
	plan_add_op(&plan, OP_PROC, "/proc", 0);
	text = args();
	CHECK(has(text, "--tmpfs\n/proc\n"
	    "--bind\n/w\n/proc/0\n--bind\n/w/a\n/proc/0/a\n"
	    "--bind\n/\n/proc/1/\n--bind\n/x/y\n/proc/1/x/y\n"
	    "--proc\n/proc\n"));
	CHECK(strstr(strstr(text, "--tmpfs\n/proc\n") + 1,
	    "--tmpfs\n/proc\n") == NULL);

	/* in the plan's order */
	start();
	plan_add_op(&plan, OP_RO, "/", 0);
	plan_add_op(&plan, OP_RW, "/w", 0);
	plan_add_op(&plan, OP_RO, "/w/x", 0);
	CHECK(has(args(), "--ro-bind\n/\n/\n--bind\n/w\n/w\n"
	    "--ro-bind\n/w/x\n/w/x\n"));
}

static void
settings(void)
{
	static const char *const always[] = {
		"--unshare-user\n", "--unshare-pid\n", "--unshare-ipc\n",
		"--unshare-uts\n", "--as-pid-1\n", "--die-with-parent\n",
		"--cap-drop\nALL\n"
	};
	size_t i;

	start();
	for (i = 0; i < sizeof(always) / sizeof(*always); i++)
		CHECK(has(args(), always[i]));
	CHECK(has(args(), "--unshare-net\n"));
	CHECK(!has(args(), "--chdir\n"));
	CHECK(!has(args(), "--cap-add\n"));
	CHECK(!has(args(), "--share-net\n"));
	plan.network_host = 1;
	CHECK(!has(args(), "--unshare-net\n"));

	start();
	plan_add_env(&plan, "A", "b c");
	plan_add_env(&plan, "B", "");
	plan_add_env(&plan, "C", NULL);
	plan.chdir = strdup("/d e");
	CHECK(has(args(), "--setenv\nA\nb c\n"));
	CHECK(has(args(), "--setenv\nB\n\n"));
	CHECK(has(args(), "--unsetenv\nC\n"));
	CHECK(has(args(), "--chdir\n/d e\n"));
}

static void
fill(void)
{
	start();
	while (plan.nops < 3000)
		plan_add_op(&plan, OP_RO, "/x", 0);
	if (sandbox_args(&sb) == -1)
		_exit(1);
	_exit(0);
}

static void
fill_less(void)
{
	int fd;

	start();
	while (plan.nops < 2980)
		plan_add_op(&plan, OP_RO, "/x", 0);
	fd = sandbox_args(&sb);
	_exit(fd == -1);
}

static void
too_many(void)
{
	struct unit_end e = unit_end_of(fill);

	CHECK_INT(e.status, 1);
	CHECK(strstr(e.err, " arguments, and it takes 9000") != NULL);
	CHECK(strtol(strstr(e.err, "bwrap: ") + 7, NULL, 10) > 9000);
	CHECK(strchr(e.err, '\n') == e.err + strlen(e.err) - 1);
	e = unit_end_of(fill_less);
	CHECK_INT(e.status, 0);
	CHECK_STR(e.err, "");
}

/* The programs: this driver runs from a directory that has srt-init. */

static void
make_script(const char *path)
{
	unit_write(path, "#!/bin/sh\n"
	    "echo \"args: $*\"\n"
	    "while [ \"$1\" != --seccomp ]; do shift; done\n"
	    "echo \"filter: $(wc -c </proc/self/fd/$2)\"\n"
	    "for fd in /proc/self/fd/*; do readlink \"$fd\"; done\n"
	    "grep SigIgn: /proc/self/status\n");
	chmod(path, 0755);
}

static int
open_programs(const char *bwrap, const char *path, char *name)
{
	struct programs pr;
	int r;

	setenv("PATH", path, 1);
	r = programs_open(&pr, bwrap);
	*name = '\0';
	if (r == 0) {
		strcpy(name, pr.bwrap_path);
		CHECK((fcntl(pr.bwrap, F_GETFD) & FD_CLOEXEC) != 0);
		CHECK((fcntl(pr.init, F_GETFD) & FD_CLOEXEC) != 0);
		programs_close(&pr);
		CHECK_INT(pr.bwrap, -1);
		CHECK_INT(pr.init, -1);
	}
	return r;
}

static void
missing(void)
{
	struct programs pr;

	setenv("PATH", "/nonexistent", 1);
	_exit(programs_open(&pr, NULL) == -1 ? 1 : 0);
}

static void
finding(const char *dir)
{
	char name[4096], path[8192], want[4096];
	struct unit_end e;

	mkdir("bin", 0755);
	mkdir("not", 0755);
	mkdir("not/bwrap", 0755);
	mkdir("plain", 0755);
	unit_write("plain/bwrap", "");
	chmod("plain/bwrap", 0644);
	make_script("bin/bwrap");
	make_script("bin/other");
	make_script("bwrap");
	snprintf(want, sizeof(want), "%s/bin/bwrap", dir);

	/* relative and empty entries are passed over, and what is no program */
	snprintf(path, sizeof(path), ":.:bin::%s/not:%s/plain:/no:%s/bin:",
	    dir, dir, dir);
	CHECK_INT(open_programs(NULL, path, name), 0);
	CHECK_STR(name, want);
	CHECK_INT(open_programs("other", path, name), 0);
	/* by a path, also a relative one */
	CHECK_INT(open_programs("bin/bwrap", "/no", name), 0);
	CHECK_STR(name, want);
	CHECK_INT(open_programs("./bin/../bin/bwrap", "/no", name), 0);
	CHECK_STR(name, want);
	CHECK_INT(symlink("bin/bwrap", "to-bwrap"), 0);
	CHECK_INT(open_programs("./to-bwrap", "/no", name), 0);
	CHECK_STR(name, want);

	e = unit_end_of(missing);
	CHECK_INT(e.status, 1);
	CHECK(strstr(e.err, "install the package bubblewrap") != NULL);
	CHECK(strchr(e.err, '\n') == e.err + strlen(e.err) - 1);
}

static char *const command[] = {
	(char *)(uintptr_t)"prog", (char *)(uintptr_t)"", NULL
};

static void
become(void)
{
	struct programs pr;
	struct vouch vouch;

	memset(&vouch, 0, sizeof(vouch));
	vouch.init[0] = vouch.init[1] = -1;
	start();
	plan.unix_sockets = 1;
	plan_add_pass_fd(&plan, 50);
	setenv("PATH", "/usr/bin:/bin", 1);
	if (programs_open(&pr, "bin/bwrap") == -1)
		_exit(1);
	open("/dev/zero", O_RDONLY);		/* nobody's */
	dup2(open("/dev/random", O_RDONLY), 50);
	sb.programs = &pr;
	sb.vouch = &vouch;
	sb.messages = -1;
	sb.status = open("/dev/full", O_RDONLY | O_CLOEXEC);
	sb.gate = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	sb.argv = (char **)(uintptr_t)command;
	_exit(sandbox_exec(&sb, sandbox_args(&sb)));
}

/* pass-fd must be the caller's: ours are close-on-exec. */
static void
pass_ours(void)
{
	struct programs pr;
	struct vouch vouch;

	memset(&vouch, 0, sizeof(vouch));
	vouch.init[0] = vouch.init[1] = -1;
	start();
	if (programs_open(&pr, "bin/bwrap") == -1)
		_exit(1);
	plan_add_pass_fd(&plan, pr.bwrap);
	sb.programs = &pr;
	sb.vouch = &vouch;
	sb.status = sb.gate = sb.messages = -1;
	sb.argv = (char **)(uintptr_t)command;
	_exit(sandbox_exec(&sb, sandbox_args(&sb)));
}

static void
becoming(void)
{
	struct unit_end e = unit_end_of(become);
	struct sock_filter code[FILTER_MAX];
	char filter[32];
	const char *p;

	CHECK_INT(e.status, 0);
	snprintf(filter, sizeof(filter), "\nfilter: %zu\n", sizeof(*code) *
	    filter_make(FILTER_NATIVE, FILTER_SOCKETS, code));
	CHECK(strstr(e.out, filter) != NULL);
	CHECK(strncmp(e.out, "args: --args ", 13) == 0);
	CHECK((p = strstr(e.out, " -- /proc/self/fd/")) != NULL &&
	    strstr(e.out, "--json-status-fd ") < p);
	CHECK(strstr(e.out, " -g ") != NULL);
	CHECK(strstr(e.out, " -p 50") != NULL);
	CHECK(strstr(e.out, "/dev/full\n") != NULL);
	CHECK(strstr(e.out, "/dev/urandom\n") != NULL);
	CHECK(strstr(e.out, "/dev/random\n") != NULL);
	CHECK(strstr(e.out, "/dev/zero\n") == NULL);
	/* INT 2, QUIT 3, TSTP 20 */
	CHECK((p = strstr(e.out, "SigIgn:\t")) != NULL &&
	    (strtoull(p + 8, NULL, 16) & 0x80006) == 0x80006);

	e = unit_end_of(pass_ours);
	CHECK_INT(e.status, EXIT_OURS);
	CHECK(strstr(e.err, "pass-fd ") != NULL);
	CHECK(strstr(e.err, strerror(EBADF)) != NULL);
}

/* Where the profile lets the command replace bubblewrap nothing is run. */

static const char *write_root;

static void
check_programs(void)
{
	struct programs pr;

	start();
	plan_add_op(&plan, OP_RO, "/", 0);
	plan_add_op(&plan, OP_RW, write_root, 0);
	if (programs_open(&pr, "bin/bwrap") == -1)
		_exit(9);
	_exit(programs_check(&pr, &plan, 0) == -1 ? 1 : 0);
}

static void
replaceable(const char *dir)
{
	char path[4096], sub[4096];
	struct unit_end e;

	write_root = path;
	snprintf(path, sizeof(path), "%s/bin", dir);
	e = unit_end_of(check_programs);
	CHECK_INT(e.status, 1);
	CHECK(strstr(e.err, "--bwrap") != NULL);
	write_root = dir;
	CHECK_INT(unit_end_of(check_programs).status, 1);
	snprintf(sub, sizeof(sub), "%s/not", dir);
	write_root = sub;
	e = unit_end_of(check_programs);
	CHECK_INT(e.status, 0);
	CHECK_STR(e.err, "");
	snprintf(path, sizeof(path), "%s/bi", dir);
	write_root = path;
	CHECK_INT(unit_end_of(check_programs).status, 0);
}

static const char *words;

static void
explain(void)
{
	int fd = memfd_create("words", 0);

	if (words == NULL)
		fd = -1;
	else if (write(fd, words, strlen(words)) == -1)
		_exit(1);
	errno = EXDEV;
	sandbox_explain(fd, "/usr/bin/bwrap");
}

static const char *
explained(const char *w)
{
	static struct unit_end e;

	words = w;
	e = unit_end_of(explain);
	CHECK_INT(e.status, -1);
	CHECK_STR(e.out, "");
	CHECK(strchr(e.err, '\n') == e.err + strlen(e.err) - 1);
	CHECK(strstr(e.err, ": /usr/bin/bwrap: ") != NULL);
	return e.err;
}

static int
says(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

static void
explanations(void)
{
	int fd;

	CHECK(says(explained("bwrap: Can't find source path /x: No such file "
	    "or directory\n"), ": Can't find source path /x: No such file or "
	    "directory\n"));
	CHECK(strstr(explained("bwrap: Unknown option --as-pid-1\n"),
	    "too old, 0.5.0 or later") != NULL);
	CHECK(strstr(explained("bwrap: setting up uid map: Permission denied"
	    "\n"), "uid map: Permission denied; ") != NULL);
	CHECK(strstr(explained("bwrap: No permissions to create a new "
	    "namespace, likely because ...\n"), "; ") != NULL);
	CHECK(says(explained(""), "ended before the command was started\n"));
	CHECK(says(explained(NULL), "ended before the command was started\n"));
	CHECK(says(explained("one\ntwo\n"), ": one\n"));
	/* what a terminal would obey */
	CHECK(strchr(explained("bwrap: \033]0;x\007 \r\n"), '\033') == NULL);

	fd = memfd_create("words", 0);
	CHECK_INT(sandbox_proc_refused(fd), 0);
	CHECK_INT(sandbox_path_gone(fd), 0);
	CHECK_INT(sandbox_path_gone(-1), 0);
	dprintf(fd, "bwrap: Can't mount proc on /newroot/proc: Operation not "
	    "permitted\n");
	CHECK_INT(sandbox_proc_refused(fd), 1);
	CHECK_INT(sandbox_path_gone(fd), 0);
	close(fd);
	fd = memfd_create("words", 0);
	dprintf(fd, "bwrap: Can't find source path /x: No such file or "
	    "directory\n");
	CHECK_INT(sandbox_path_gone(fd), 1);
	CHECK_INT(sandbox_proc_refused(fd), 0);
	close(fd);
}

/* srt-init is looked for beside the program: run a copy of this one. */
static int
again_from(const char *dir)
{
	char self[4096], cp[9000];
	char *argv[] = { self, (char *)(uintptr_t)dir, NULL };
	int wstatus;
	pid_t pid;

	snprintf(self, sizeof(self), "%s/driver", dir);
	snprintf(cp, sizeof(cp), "cp /proc/%ld/exe %s", (long)getpid(), self);
	if (system(cp) != 0)
		return 1;
	make_script("srt-init");
	if ((pid = fork()) == 0) {
		execv(self, argv);
		_exit(127);
	}
	waitpid(pid, &wstatus, 0);
	return wstatus != 0;
}

int
main(int argc, char **argv)
{
	const char *dir;
	int failed;

	if (argc == 2) {
		finding(argv[1]);
		becoming();
		replaceable(argv[1]);
		return unit_failures != 0;
	}
	operations();
	settings();
	too_many();
	explanations();
	start();
	dir = unit_dir();
	failed = again_from(dir);
	unit_rmdir(dir);
	return failed || unit_failures != 0;
}
