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

/*
 * For -V and -h: "PROGRAM VERSION", or the usage, on standard output.  The
 * status is 0, or failure where standard output cannot be written.
 */
void	version_and_exit(int failure) __attribute__((noreturn));
void	help_and_exit(const char *usage, int failure)
	    __attribute__((noreturn));

/* A wrong command line: the usage on standard error. */
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
