/* SPDX-License-Identifier: ISC */
/* srt-seccomp: write the system-call filter of a sandbox, or print it. */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exits.h"
#include "filter.h"
#include "opt.h"
#include "profile.h"

static const char usage[] =
	"srt-seccomp [-htV] [-a x86_64|aarch64] [-e lines] [-p profile]";

static const struct option longopts[] = {
	{ "help",	no_argument,	NULL, 'h' },
	{ "version",	no_argument,	NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static const char *const arch_names[FILTER_ARCHES] = { "x86_64", "aarch64" };

/* For each row its words. */
static const struct {
	const char	*name;
	const char	*why;
} text[] = {
#define CONCERN(word, lift, why)	{ #word, why },
#define CALL(name, x86_64, aarch64, when, answer, why)	{ #name, why },
#include "filter-rows.h"
};
#define NROWS	(sizeof(text) / sizeof(*text))

static enum filter_arch
arch_or_die(const char *word)
{
	int i;

	for (i = 0; i < FILTER_ARCHES; i++)
		if (strcmp(word, arch_names[i]) == 0)
			return (enum filter_arch)i;
	errx(EXIT_USAGE, "-a: %s: x86_64 or aarch64 is wanted", word);
}

static const char *
answer_name(int errnum)
{
	switch (errnum) {
	case 0: return "allow";
	case EAFNOSUPPORT: return "EAFNOSUPPORT";
	case ENOSYS: return "ENOSYS";
	default: return "EPERM";
	}
}

static void
print_heading(size_t i)
{
	printf("# %s: %s", text[i].name, text[i].why);
	if (filter_row[i].value == FILTER_NESTED)
		printf(" (nested-userns deny)");
	if (filter_row[i].value == FILTER_SOCKETS)
		printf(" (unix-sockets deny)");
	putchar('\n');
}

static void
print_row(size_t i, enum filter_arch arch)
{
	const struct filter_row *r = &filter_row[i];
	char when[32] = "always";

	if (r->when == FILTER_IS)
		snprintf(when, sizeof(when), "arg%d=0x%x", r->arg, r->value);
	else if (r->when == FILTER_HAS)
		snprintf(when, sizeof(when), "arg%d&0x%x", r->arg, r->value);
	printf("%s %s %d %s # %s\n", answer_name(r->answer), text[i].name,
	    r->nr[arch], when, text[i].why);
}

static void
print(enum filter_arch arch, unsigned allow)
{
	struct sock_filter code[FILTER_MAX];
	int lifted = 0;
	size_t i;

	printf("# for %s, %zu instructions; what no line names is allowed\n",
	    arch_names[arch], filter_make(arch, allow, code));
	printf("# architecture: calls of any other, i386 too, end the "
	    "process\n");
	printf("ENOSYS - >%d always # newer than this filter, or x32's\n",
	    FILTER_LAST);
	for (i = 0; i < NROWS; i++)
		if (filter_row[i].nr[arch] == FILTER_HEADING) {
			lifted = (filter_row[i].value & allow) != 0;
			if (!lifted)
				print_heading(i);
		} else if (!lifted)
			print_row(i, arch);
}

int
main(int argc, char **argv)
{
	struct sock_filter code[FILTER_MAX];
	enum filter_arch arch = FILTER_NATIVE;
	struct profile profile;
	unsigned allow;
	int ch, tflag = 0;

	profile_init(&profile);
	while ((ch = getopt_long(argc, argv, "+a:e:hp:tV", longopts, NULL)) !=
	    -1)
		switch (ch) {
		case 'a': arch = arch_or_die(optarg); break;
		case 'e':
			if (profile_option(&profile, optarg) == -1)
				return EXIT_DATA;
			break;
		case 'h': help_and_exit(usage, EXIT_FAIL);
		case 'p':
			if (profile_load(&profile, optarg) == -1)
				return EXIT_DATA;
			break;
		case 't': tflag = 1; break;
		case 'V': version_and_exit(EXIT_FAIL);
		default: usage_and_exit(usage, EXIT_USAGE);
		}
	if (optind != argc)
		usage_and_exit(usage, EXIT_USAGE);
	allow = filter_allow(profile.nested_userns.yes,
	    profile.unix_sockets.yes);
	if (tflag)
		print(arch, allow);
	else if (isatty(STDOUT_FILENO))
		errx(EXIT_FAIL, "the filter is not for a terminal: -t prints "
		    "it as text");
	else
		fwrite(code, sizeof(*code), filter_make(arch, allow, code),
		    stdout);
	stdout_or_die(EXIT_FAIL);
	return 0;
}
