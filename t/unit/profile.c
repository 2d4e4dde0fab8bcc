/* SPDX-License-Identifier: ISC */
/* Profiles: lines to rules and settings; what is not a line is refused. */
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>

#include "profile.h"
#include "unit.h"

static struct profile p;

static int
parse_as(const char *name, const char *text, size_t len)
{
	char *copy = malloc(len + 1);
	int r;

	if (copy == NULL)
		exit(1);
	memcpy(copy, text, len);
	copy[len] = '\0';
	r = profile_parse(&p, name, copy, len);
	free(copy);
	return r;
}

static void
good(const char *text)
{
	profile_free(&p);
	if (parse_as("good", text, strlen(text)) == -1)
		unit_fail(__FILE__, __LINE__, text, "refused", "taken");
}

static const char *bad_text;
static size_t bad_len;

static void
parse_bad(void)
{
	_exit(parse_as("file", bad_text, bad_len) == -1 ? 1 : 0);
}

/* Text is refused, with one line that names the file, its line and says. */
static void
bad_n(const char *text, size_t len, const char *said)
{
	struct unit_end e;
	char *nl;

	profile_free(&p);
	bad_text = text;
	bad_len = len;
	e = unit_end_of(parse_bad);
	nl = strchr(e.err, '\n');
	if (e.status != 1)
		unit_fail(__FILE__, __LINE__, text, "taken", "refused");
	else if (strstr(e.err, said) == NULL || nl == NULL || nl[1] != '\0')
		unit_fail(__FILE__, __LINE__, text, e.err, said);
	CHECK_STR(e.out, "");
}

static void
bad(const char *text, const char *said)
{
	bad_n(text, strlen(text), said);
}

/* The rules as "kind path (where)", joined by ";". */
static const char *
rules(void)
{
	static char out[4096];
	size_t i, n = 0;

	out[0] = '\0';
	for (i = 0; i < p.nrules; i++)
		n += (size_t)snprintf(out + n, sizeof(out) - n,
		    "%s %s (%s);", rule_name(p.rule[i].kind), p.rule[i].path,
		    p.rule[i].where);
	return out;
}

static void
lines(void)
{
	good("");
	CHECK_INT(p.nrules, 0);
	good("# only\n\n \t\n");
	CHECK_INT(p.nrules, 0);
	good("srt-profile 1\nallow-write /a\n\n#\ndeny-write\t/b  \n"
	    "  deny-read /c\nallow-read /d");
	CHECK_STR(rules(), "allow-write /a (good:2);deny-write /b (good:5);"
	    "deny-read /c (good:6);allow-read /d (good:7);");
	/* paths are kept as written: links and ".." are resolved later */
	good("allow-write //a/../b/./c/\n");
	CHECK_STR(rules(), "allow-write //a/../b/./c/ (good:1);");
	good("deny-write /a\\040b\\012\\\\\\377\\044(x)\n");
	CHECK_STR(rules(), "deny-write /a b\n\\\377$(x) (good:1);");
	good("deny-write /#x\n");
	CHECK_STR(rules(), "deny-write /#x (good:1);");
	/* several texts add up */
	good("allow-write /a\n");
	CHECK_INT(parse_as("two", "deny-write /a\n", 14), 0);
	CHECK_STR(rules(), "allow-write /a (good:1);deny-write /a (two:1);");
	bad("deny-write\n", "file:1");
	bad("\n\ndeny-write /a /b\n", "file:3");
	bad("deny-write /a b\n", "file:1");
	bad("deny /a\n", "unknown directive");
	bad("DENY-WRITE /a\n", "unknown directive");
	bad("allow-write /a\nfrob\n", "file:2");
	bad("srt-profile 2\n", "file:1");
	bad("srt-profile\n", "file:1");
	bad("srt-profile 1 1\n", "file:1");
	bad("allow-write /a\nsrt-profile 1\n", "file:2");
	bad("srt-plan 1\n", "file:1");
	bad("deny-write /a\\\n", "file:1");
	bad("deny-write /a\\q\n", "file:1");
	bad("deny-write /a\\000b\n", "file:1");
	bad("1 2 3 4 5 6 7 8 9\n", "file:1");
	bad_n("deny-write /a\0b\n", 16, "file:1");
	bad_n("\nallow-write /a\n\0", 17, "file:3");
	/* a message does not write to a terminal */
	bad("\\033[31m /a\n", "\\033");
}

static void
relative(const char *dir)
{
	char want[PATH_MAX + 64];

	good("deny-write x/y\n");
	snprintf(want, sizeof(want), "deny-write %s/x/y (good:1);", dir);
	CHECK_STR(rules(), want);
	good("deny-write ./x\n");
	snprintf(want, sizeof(want), "deny-write %s/./x (good:1);", dir);
	CHECK_STR(rules(), want);
	good("deny-write .\n");
	snprintf(want, sizeof(want), "deny-write %s/. (good:1);", dir);
	CHECK_STR(rules(), want);
	good("deny-write -x\n");
	snprintf(want, sizeof(want), "deny-write %s/-x (good:1);", dir);
	CHECK_STR(rules(), want);
	good("deny-write x~\n");
	snprintf(want, sizeof(want), "deny-write %s/x~ (good:1);", dir);
	CHECK_STR(rules(), want);
	/* of somebody else's home nothing is known */
	good("deny-write ~root\n");
	snprintf(want, sizeof(want), "deny-write %s/~root (good:1);", dir);
	CHECK_STR(rules(), want);
}

static void
in_gone_directory(void)
{
	char path[] = "/tmp/unit.XXXXXX";

	if (mkdtemp(path) == NULL || chdir(path) == -1 || rmdir(path) == -1)
		exit(1);
	_exit(profile_rule(&p, DENY_WRITE, "x", "here") == -1 ? 1 : 0);
}

static void
default_in_gone_directory(void)
{
	char path[] = "/tmp/unit.XXXXXX";

	if (mkdtemp(path) == NULL || chdir(path) == -1 || rmdir(path) == -1)
		exit(1);
	_exit(profile_default(&p) == -1 ? 1 : 0);
}

static void
empty_path(void)
{
	_exit(profile_rule(&p, DENY_WRITE, "", "here") == -1 ? 1 : 0);
}

static void
no_path(void)
{
	struct unit_end e;

	profile_free(&p);
	e = unit_end_of(in_gone_directory);
	CHECK_INT(e.status, 1);
	CHECK(strstr(e.err, "x: ") != NULL);
	CHECK(strstr(e.err, strerror(ENOENT)) != NULL);
	e = unit_end_of(default_in_gone_directory);
	CHECK_INT(e.status, 1);
	CHECK(strstr(e.err, strerror(ENOENT)) != NULL);
	e = unit_end_of(empty_path);
	CHECK_INT(e.status, 1);
	CHECK(strstr(e.err, "empty path") != NULL);
	CHECK(strstr(e.err, "here") != NULL);
	CHECK_INT(p.nrules, 0);
}

static void
home_is(const char *home, const char *path, const char *want)
{
	char *got;

	if (home == NULL)
		unsetenv("HOME");
	else
		setenv("HOME", home, 1);
	got = path_absolute(path);
	unit_str(__FILE__, __LINE__, path, got, want);
	free(got);
}

static void
homes(void)
{
	struct passwd *pw = getpwuid(getuid());
	char want[PATH_MAX], *old = getenv("HOME");

	if (old != NULL && (old = strdup(old)) == NULL)
		exit(1);
	home_is("/h", "~", "/h/");
	home_is("/h", "~/", "/h/");
	home_is("/h", "~/x/y", "/h/x/y");
	home_is("/", "~/x", "/x");
	home_is("/h", "/~/x", "/~/x");
	if (pw != NULL) {
		snprintf(want, sizeof(want), "%s/x",
		    strcmp(pw->pw_dir, "/") == 0 ? "" : pw->pw_dir);
		home_is(NULL, "~/x", want);
		home_is("", "~/x", want);
		home_is("relative", "~/x", want);
	}
	if (old != NULL)
		setenv("HOME", old, 1);
	free(old);
}

/* "name=value;" or "name-;" */
static const char *
env(void)
{
	static char out[1024];
	size_t i, n = 0;

	out[0] = '\0';
	for (i = 0; i < p.nenv; i++)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s%s;",
		    p.env[i].name, p.env[i].value == NULL ? "-" : "=",
		    p.env[i].value == NULL ? "" : p.env[i].value);
	return out;
}

static void
settings(void)
{
	good("");
	CHECK(!p.network.yes && !p.private_tmp && !p.unix_sockets.yes &&
	    !p.nested_userns.yes && p.chdir == NULL && p.npass_fds == 0);
	good("network host\nunix-sockets allow\nnested-userns allow\n"
	    "private-tmp\nchdir /a/../b\npass-fd 7\npass-fd 3\npass-fd 7\n");
	CHECK(p.network.yes && p.private_tmp && p.unix_sockets.yes &&
	    p.nested_userns.yes);
	CHECK_STR(p.chdir, "/a/../b");
	CHECK_INT(p.npass_fds, 2);
	good("network none\nunix-sockets deny\nnested-userns deny\n"
	    "network none\nunix-sockets deny\nnested-userns deny\n"
	    "private-tmp\nprivate-tmp\nchdir /a\nchdir /a\n");
	CHECK(!p.network.yes && !p.unix_sockets.yes && !p.nested_userns.yes);
	good("setenv A b\\040c\nsetenv E\nunsetenv N\nsetenv A b\\040c\n");
	CHECK_STR(env(), "A=b c;E=;N-;");
	bad("network\n", "file:1");
	bad("network some\n", "file:1");
	bad("network host host\n", "file:1");
	bad("private-tmp yes\n", "file:1");
	bad("unix-sockets none\n", "file:1");
	bad("nested-userns yes\n", "file:1");
	bad("chdir\n", "file:1");
	bad("pass-fd\n", "file:1");
	bad("pass-fd -1\n", "file:1");
	bad("pass-fd 2147483648\n", "file:1");
	bad("pass-fd 3x\n", "file:1");
	bad("pass-fd three\n", "file:1");
	bad("setenv\n", "file:1");
	bad("setenv A=B c\n", "file:1");
	bad("setenv A b c\n", "file:1");
	bad("unsetenv\n", "file:1");
	bad("unsetenv A=\n", "file:1");
}

/* The order of lines must not matter, so no line undoes another. */
static void
contradictions(void)
{
	static const char *const two[][2] = {
		{ "network none\n", "network host\n" },
		{ "unix-sockets deny\n", "unix-sockets allow\n" },
		{ "nested-userns deny\n", "nested-userns allow\n" },
		{ "chdir /a\n", "chdir /b\n" },
		{ "setenv A b\n", "setenv A c\n" },
		{ "setenv A b\n", "unsetenv A\n" },
		{ "setenv A\n", "unsetenv A\n" }
	};
	char text[128];
	size_t i, j;

	for (i = 0; i < sizeof(two) / sizeof(*two); i++)
		for (j = 0; j < 2; j++) {
			snprintf(text, sizeof(text), "%sprivate-tmp\n%s",
			    two[i][j], two[i][!j]);
			bad(text, "file:3");
		}
}

static void
defaults(const char *dir)
{
	char want[PATH_MAX + 64];

	good("deny-write /x\n");
	CHECK_INT(profile_default(&p), 0);
	snprintf(want, sizeof(want), "deny-write /x (good:1);"
	    "allow-write %s/. (default);", dir);
	CHECK_STR(rules(), want);
	CHECK_INT(profile_default(&p), 0);
	CHECK_INT(p.nrules, 2);
	good("allow-read /x\nallow-write /y\n");
	CHECK_INT(profile_default(&p), 0);
	CHECK_INT(p.nrules, 2);
}

/* loading ---------------------------------------------------------------- */

static const char *load_path;

static void
load_bad(void)
{
	_exit(profile_load(&p, load_path) == -1 ? 1 : 0);
}

static void
cannot_load(const char *path, int reason)
{
	struct unit_end e;

	load_path = path;
	e = unit_end_of(load_bad);
	CHECK_INT(e.status, 1);
	if (strstr(e.err, path) == NULL ||
	    strstr(e.err, strerror(reason)) == NULL)
		unit_fail(__FILE__, __LINE__, path, e.err, strerror(reason));
}

static void
loads(void)
{
	int saved = dup(0), fd;
	char c;

	unit_write("prof", "allow-write /a\n");
	profile_free(&p);
	CHECK_INT(profile_load(&p, "prof"), 0);
	CHECK_STR(rules(), "allow-write /a (prof:1);");
	cannot_load("absent", ENOENT);
	cannot_load(".", EISDIR);
	cannot_load("", ENOENT);
	profile_free(&p);
	if ((fd = open("prof", O_RDONLY)) == -1 || dup2(fd, 0) == -1)
		exit(1);
	close(fd);
	CHECK_INT(profile_load(&p, "-"), 0);
	CHECK_STR(rules(), "allow-write /a (standard input:1);");
	/* and is not there for the next */
	CHECK_INT(read(0, &c, 1), 0);
	CHECK(lseek(0, 0, SEEK_SET) != -1 && read(0, &c, 1) == 0);
	dup2(saved, 0);
	close(saved);
}

int
main(void)
{
	const char *dir = unit_dir();

	profile_init(&p);
	lines();
	relative(dir);
	no_path();
	homes();
	settings();
	contradictions();
	defaults(dir);
	loads();
	profile_free(&p);
	profile_free(&p);
	unit_rmdir(dir);
	return unit_failures != 0;
}
