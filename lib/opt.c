/* SPDX-License-Identifier: ISC */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "exits.h"
#include "opt.h"

long long
num_or_die(int status, const char *what, const char *word, long long min,
    long long max)
{
	const char *bad;
	long long n = strtonum(word, min, max, &bad);

	if (bad != NULL)
		errx(status, "%s: %s: a number from %lld to %lld is wanted",
		    what, word, min, max);
	return n;
}

void
version_and_exit(int failure)
{
	printf("%s %s\n", program_invocation_short_name, VERSION);
	stdout_or_die(failure);
	exit(0);
}

void
help_and_exit(const char *usage, int failure)
{
	printf("usage: %s\n", usage);
	stdout_or_die(failure);
	exit(0);
}

void
usage_and_exit(const char *usage, int status)
{
	fprintf(stderr, "usage: %s\n", usage);
	exit(status);
}

void
stdout_or_die(int status)
{
	if (fflush(stdout) == EOF || ferror(stdout))
		err(status, "standard output");
}

int
opt_list(int argc, char **argv, const char *usage)
{
	static const struct option longopts[] = {
		{ "help",	no_argument,	NULL, 'h' },
		{ "version",	no_argument,	NULL, 'V' },
		{ NULL, 0, NULL, 0 }
	};
	int ch, nul = 0;

	while ((ch = getopt_long(argc, argv, "+0hV", longopts, NULL)) != -1)
		switch (ch) {
		case '0': nul = 1; break;
		case 'h': help_and_exit(usage, EXIT_FAIL);
		case 'V': version_and_exit(EXIT_FAIL);
		default: usage_and_exit(usage, EXIT_USAGE);
		}
	if (optind != argc)
		usage_and_exit(usage, EXIT_USAGE);
	return nul;
}
