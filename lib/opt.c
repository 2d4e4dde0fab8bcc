/* SPDX-License-Identifier: ISC */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
version_and_exit(void)
{
	printf("%s %s\n", program_invocation_short_name, VERSION);
	stdout_or_die(1);
	exit(0);
}

void
usage_and_exit(const char *usage, int status)
{
	fprintf(status == 0 ? stdout : stderr, "usage: %s\n", usage);
	if (status == 0)
		stdout_or_die(1);
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
	int ch, nul = 0;

	while ((ch = getopt(argc, argv, "+0hV")) != -1)
		switch (ch) {
		case '0': nul = 1; break;
		case 'h': usage_and_exit(usage, 0);
		case 'V': version_and_exit();
		default: usage_and_exit(usage, EXIT_USAGE);
		}
	if (optind != argc)
		usage_and_exit(usage, EXIT_USAGE);
	return nul;
}
