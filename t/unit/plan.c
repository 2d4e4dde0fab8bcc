/* SPDX-License-Identifier: ISC */
/* Plans: as text and back, and what can be asked of one. */
#include <fcntl.h>
#include <sys/stat.h>

#include "line.h"
#include "plan.h"
#include "unit.h"

static const char all[] =
	"srt-plan 1\n"
	"network host\n"
	"nested-userns allow\n"
	"unix-sockets allow\n"
	"chdir /w\\040x\n"
	"setenv A \n"
	"setenv B b\\040c\n"
	"unsetenv C\n"
	"pass-fd 3\n"
	"ro /\n"
	"hold 0 /w\n"
	"pin 0 /w/a\n"
	"dev /dev\n"
	"proc /proc\n"
	"hide /h\n"
	"symlink ../x\\012y /h/l\n"
	"close /h\n"
	"tmp 1777 /tmp\n"
	"rw /w\n"
	"mask /w/m\n"
	"make dir 0755 /w/a\n"
	"make socket 0444 /w/a/\\377\n"
	"rely file 0444 1 2 7.000000008 3.000000004 "
	"5.000000006 /w/r\n"
	"keep dir 0755 1 2 7.000000008 3.000000004 "
	"0.000000000 /w/k\n"
	"link /w/l\n"
	"own file /w/o\n"
	"own file 7 18446744073709551615 /w/e\n"
	"own dir /w/d\n"
	"own socket /w/s\n"
	"own fifo /w/f\n"
	"own link /w/n\n"
	"own device /w/c\n"
	"own disk /w/b\n";

static int
read_plan(struct plan *p, const char *text)
{
	char *copy = strdup(text);
	int r;

	if (copy == NULL)
		exit(1);
	r = plan_read(p, "test", copy, strlen(copy));
	free(copy);
	return r;
}

static char *
print_plan(const struct plan *p)
{
	char *text = NULL;
	size_t len;
	FILE *fp = open_memstream(&text, &len);

	if (fp == NULL)
		exit(1);
	CHECK_INT(plan_print(p, fp), 0);
	fclose(fp);
	return text;
}

static void
round_trip(void)
{
	struct plan p, q;
	char *text;

	CHECK_INT(read_plan(&p, all), 0);
	text = print_plan(&p);
	CHECK_STR(text, all);
	CHECK_INT(read_plan(&q, text), 0);
	CHECK(plan_equal(&p, &q));
	free(text);
	q.op[0].type = OP_RW;
	CHECK(!plan_equal(&p, &q));
	plan_free(&q);
	plan_free(&p);
	plan_free(&p);
}

/* Comments and blank lines are no matter. */
static void
comments(void)
{
	struct plan p;
	char *text;

	CHECK_INT(read_plan(&p, "# made by hand\nsrt-plan 1\n\nro /\n#\n"), 0);
	text = print_plan(&p);
	CHECK_STR(text, "srt-plan 1\nnetwork none\nnested-userns deny\n"
	    "unix-sockets deny\nro /\n");
	free(text);
	plan_free(&p);
}

static const char *bad_text;

static void
read_bad(void)
{
	struct plan p;

	_exit(read_plan(&p, bad_text) == -1 ? 1 : 0);
}

static void
refused(const char *text, const char *said)
{
	struct unit_end e;

	bad_text = text;
	e = unit_end_of(read_bad);
	if (e.status != 1 || strstr(e.err, said) == NULL)
		unit_fail(__FILE__, __LINE__, text, e.status == 1 ? e.err :
		    "taken", said);
}

static void
bad_line(const char *line)
{
	char text[256];

	snprintf(text, sizeof(text), "srt-plan 1\nro /\n%s\n", line);
	refused(text, "line 3");
}

static void
bad(void)
{
	static const char *const lines[] = {
		"ro", "ro x", "ro ./x", "ro / /", "rox /", "RO /",
		"hold /", "hold x /", "hold -1 /", "hold 0", "hold 0 x",
		"hold 2147483648 /", "pin 1 2 /", "pin +1 /", "tmp /",
		"tmp 888 /", "tmp 0755", "symlink x", "symlink x y",
		"close", "mask x", "dev x", "proc", "network", "network some",
		"network host host", "nested-userns", "nested-userns x",
		"unix-sockets", "unix-sockets yes", "unix-sockets deny x",
		"chdir", "setenv", "unsetenv", "unsetenv A b", "pass-fd",
		"pass-fd -1", "pass-fd x", "link", "link x", "own", "own /x",
		"own file", "own file x", "own thing /x", "own file 1 /x",
		"own file 1 x /x", "own file 1 2 x", "own file -1 2 /x",
		"make socket 0444 x", "make thing 0444 /x",
		"rely socket 0444 /x", "srt-plan 1", "allow-write /x",
		"ro /a\\q", "ro /a\\000"
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		bad_line(lines[i]);
	refused("", "not a plan");
	refused("\n", "not a plan");
	refused("ro /\n", "not a plan");
	refused("srt-plan\n", "not a plan");
	refused("srt-profile 1\n", "not a plan");
	refused("srt-plan 2\nro /\n", "version 2");
	refused("srt-plan 1x\n", "version 1x");
	/* half a plan is none: it may lack what protects */
	refused("srt-plan 1\nro /\nhide /ho", "newline");
}

/* A plan says each setting at most once. */
static void
twice(void)
{
	refused("srt-plan 1\nchdir /a\nchdir /b\n", "line 3");
}

static void
lets(const struct plan *p, const char *path, int want)
{
	int got = plan_lets_write(p, path);

	if (got != want)
		unit_int(__FILE__, __LINE__, path, got, want);
}

static void
writable(void)
{
	struct plan p;

	CHECK_INT(read_plan(&p, "srt-plan 1\nro /\nhold 0 /w\npin 0 /w/a\n"
	    "proc /proc\nhide /h\nrw /h/p\nro /h/p/d\nclose /h\nrw /w\n"
	    "ro /w/d\nmask /w/m\nmake dir 0755 /w/a\n"), 0);
	lets(&p, "/", 0);
	lets(&p, "/x", 0);
	lets(&p, "/w", 1);
	lets(&p, "/w/a/b", 1);
	lets(&p, "/w/a", 1);
	lets(&p, "/w2", 0);
	lets(&p, "/w/d", 0);
	lets(&p, "/w/d/x", 0);
	lets(&p, "/w/d2", 1);
	lets(&p, "/w/m", 0);
	lets(&p, "/h", 0);
	lets(&p, "/h/p", 1);
	lets(&p, "/h/p/x", 1);
	lets(&p, "/h/p/d/x", 0);
	plan_free(&p);
	CHECK_INT(read_plan(&p, "srt-plan 1\nrw /\nro /etc\n"), 0);
	lets(&p, "/", 1);
	lets(&p, "/usr/bin/bwrap", 1);
	lets(&p, "/etc/x", 0);
	plan_free(&p);
}

/* The arrays grow by doubling: no element may be lost where they do. */
static void
growth(void)
{
	struct plan p;
	struct owned *o;
	char path[32];
	unsigned i;
	int bad_ones = 0;

	memset(&p, 0, sizeof(p));
	for (i = 0; i < 1025; i++) {
		snprintf(path, sizeof(path), "/%u", i);
		if (plan_add_op(&p, OP_PIN, path, i) == NULL ||
		    plan_add_mark(&p, ROLE_MAKE, path) == NULL ||
		    (o = plan_add_own(&p, path)) == NULL ||
		    plan_add_link(&p, path) == -1 ||
		    plan_add_env(&p, path + 1, path) == -1 ||
		    plan_add_pass_fd(&p, (int)i) == -1)
			exit(1);
		o->type = S_IFREG;
	}
	for (i = 0; i < 1025; i++) {
		snprintf(path, sizeof(path), "/%u", i);
		bad_ones += strcmp(p.op[i].path, path) != 0 ||
		    p.op[i].n != i || strcmp(p.mark[i].path, path) != 0 ||
		    strcmp(p.own[i].path, path) != 0 ||
		    strcmp(p.link[i], path) != 0 ||
		    strcmp(p.env[i].value, path) != 0 ||
		    p.pass_fd[i] != (int)i;
	}
	CHECK_INT(bad_ones, 0);
	CHECK_INT(p.nops, 1025);
	plan_free(&p);
	CHECK_INT(p.nops, 0);
}

static unsigned long long seed = 1;

static size_t
random_below(size_t n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (size_t)(seed >> 33) % n;
}

/* all with some bytes changed, cut out or said twice. */
static char *
mutant(void)
{
	static const char bytes[] = "\n \t\\/0179-x#.\0\377";
	size_t len = sizeof(all) - 1, i, n = 1 + random_below(4), at, cut;
	char *text = malloc(2 * sizeof(all));

	if (text == NULL)
		exit(1);
	memcpy(text, all, sizeof(all));
	for (i = 0; i < n; i++) {
		at = random_below(len);
		cut = random_below(len - at) % 40;
		if (random_below(3) == 0) {
			memmove(text + at, text + at + cut, len - at - cut);
			len -= cut;
		} else
			text[at] = bytes[random_below(sizeof(bytes) - 1)];
	}
	if (len == 0 || text[len - 1] != '\n')
		text[len++] = '\n';
	text[len] = '\0';
	return text;
}

/* What is taken comes out again as it is taken; the rest is refused. */
static void
mutants(void)
{
	struct plan p, q;
	char *text, *once, *again;
	int i, taken = 0;

	if (freopen("/dev/null", "w", stderr) == NULL)
		_exit(1);
	for (i = 0; i < 20000; i++) {
		text = mutant();
		if (read_plan(&p, text) == 0) {
			taken++;
			once = print_plan(&p);
			if (read_plan(&q, once) == -1)
				_exit(1);
			again = print_plan(&q);
			if (strcmp(once, again) != 0)
				_exit(1);
			free(once);
			free(again);
			plan_free(&p);
			plan_free(&q);
		}
		free(text);
	}
	_exit(taken > 100 && taken < 19000 ? 0 : 2);
}

int
main(void)
{
	round_trip();
	comments();
	bad();
	twice();
	writable();
	growth();
	CHECK_INT(unit_end_of(mutants).status, 0);
	return unit_failures != 0;
}
