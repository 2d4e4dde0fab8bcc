/* SPDX-License-Identifier: ISC */
#ifndef SRT_OPT_H
#define SRT_OPT_H

/*
 * Command lines.  These print and exit, as their names say; the status is
 * the caller's, EXIT_USAGE or EXIT_OURS.
 */

/* The number in word, between min and max, or die naming what. */
long long num_or_die(int status, const char *what, const char *word,
	    long long min, long long max);

/* "PROGRAM VERSION" on standard output, and exit. */
void	version_and_exit(void) __attribute__((noreturn));

/* usage on standard output for -h, else on standard error with status. */
void	usage_and_exit(const char *usage, int status)
	    __attribute__((noreturn));

/*
 * The command line of what lists paths, [-0hV] and nothing else: whether -0
 * was given.
 */
int	opt_list(int argc, char **argv, const char *usage);

/* Flush standard output; die where what was written did not get there. */
void	stdout_or_die(int status);

#endif
