/* SPDX-License-Identifier: ISC */
/* opt.h: numbers, versions, usage, and standard output that is full. */
#include <fcntl.h>
#include <stdint.h>

#include "opt.h"
#include "unit.h"

static const char *word;

static void
number(void)
{
	printf("%lld", num_or_die(64, "-n", word, 1, 99));
}

static void
check_number(const char *w, const char *out, int status)
{
	struct unit_end e;

	word = w;
	e = unit_end_of(number);
	CHECK_INT(e.status, status);
	CHECK_STR(e.out, out);
	if (status == 64) {
		CHECK(strstr(e.err, ": -n: ") != NULL);
		CHECK(strstr(e.err, w) != NULL);
		CHECK(strstr(e.err, "from 1 to 99") != NULL);
		CHECK(strchr(e.err, '\n') == e.err + strlen(e.err) - 1);
	}
}

static void
numbers(void)
{
	check_number("1", "1", -1);
	check_number("99", "99", -1);
	check_number("007", "7", -1);
	check_number("0", "", 64);
	check_number("100", "", 64);
	check_number("-1", "", 64);
	check_number("", "", 64);
	check_number("7x", "", 64);
	check_number("0x7", "", 64);
	check_number("1e1", "", 64);
	check_number("7.0", "", 64);
	check_number("7 ", "", 64);
	check_number("99999999999999999999999", "", 64);
	check_number("seven", "", 64);
}

static void
version(void)
{
	version_and_exit(77);
}

static void
usage_asked(void)
{
	help_and_exit("prog [-h]", 77);
}

static void
usage_wrong(void)
{
	usage_and_exit("prog [-h]", 125);
}

static void
full(void)
{
	close(1);
	if (open("/dev/full", O_WRONLY) == 1)
		printf("text");
	stdout_or_die(77);
}

static void
closed(void)
{
	close(1);
	printf("text");
	stdout_or_die(77);
}

static void
unused(void)
{
	close(1);
	stdout_or_die(77);
}

static void
version_full(void)
{
	close(1);
	if (open("/dev/full", O_WRONLY) == 1)
		version_and_exit(77);
}

static void
help_full(void)
{
	close(1);
	if (open("/dev/full", O_WRONLY) == 1)
		help_and_exit("prog [-h]", 77);
}

static void
output(void)
{
	char want[64];

	snprintf(want, sizeof(want), "%s %s\n", program_invocation_short_name,
	    VERSION);
	CHECK_INT(unit_end_of(version).status, 0);
	CHECK_STR(unit_end_of(version).out, want);
	CHECK_STR(unit_end_of(version).err, "");
	CHECK_INT(unit_end_of(version_full).status, 77);
	CHECK_INT(unit_end_of(help_full).status, 77);

	CHECK_INT(unit_end_of(usage_asked).status, 0);
	CHECK_STR(unit_end_of(usage_asked).out, "usage: prog [-h]\n");
	CHECK_STR(unit_end_of(usage_asked).err, "");
	CHECK_INT(unit_end_of(usage_wrong).status, 125);
	CHECK_STR(unit_end_of(usage_wrong).out, "");
	CHECK_STR(unit_end_of(usage_wrong).err, "usage: prog [-h]\n");

	CHECK_INT(unit_end_of(full).status, 77);
	CHECK_INT(unit_end_of(closed).status, 77);
	CHECK_INT(unit_end_of(unused).status, -1);
}

static char *args[8];
static int nargs;

static void
list(void)
{
	printf("%d", opt_list(nargs, args, "prog [-0hV]"));
}

/* One to three words behind the name. */
static struct unit_end
end_of_list(const char *a, const char *b, const char *c)
{
	const char *w[] = { "prog", a, b, c, NULL };

	for (nargs = 0; w[nargs] != NULL; nargs++)
		args[nargs] = (char *)(uintptr_t)w[nargs];
	args[nargs] = NULL;
	return unit_end_of(list);
}

static void
lists(void)
{
	struct unit_end e;

	CHECK_STR(end_of_list(NULL, NULL, NULL).out, "0");
	CHECK_STR(end_of_list("-0", NULL, NULL).out, "1");
	CHECK_STR(end_of_list("-0", "-0", NULL).out, "1");
	CHECK_STR(end_of_list("-00", NULL, NULL).out, "1");
	CHECK_STR(end_of_list("--", NULL, NULL).out, "0");
	CHECK_STR(end_of_list("-0", "--", NULL).out, "1");
	CHECK_INT(end_of_list("x", NULL, NULL).status, 64);
	CHECK_INT(end_of_list("-0", "x", NULL).status, 64);
	CHECK_INT(end_of_list("--", "-0", NULL).status, 64);
	CHECK_INT(end_of_list("-", NULL, NULL).status, 64);
	CHECK_INT(end_of_list("", NULL, NULL).status, 64);
	CHECK_INT(end_of_list("-x", NULL, NULL).status, 64);
	CHECK_INT(end_of_list("-0x", NULL, NULL).status, 64);
	e = end_of_list("-h", "-x", NULL);
	CHECK_INT(e.status, 0);
	CHECK_STR(e.out, "usage: prog [-0hV]\n");
	e = end_of_list("-0V", NULL, NULL);
	CHECK_INT(e.status, 0);
	e = end_of_list("-x", NULL, NULL);
	CHECK_STR(e.out, "");
	CHECK(strstr(e.err, "usage: prog [-0hV]\n") != NULL);
}

int
main(void)
{
	numbers();
	output();
	lists();
	return unit_failures != 0;
}
