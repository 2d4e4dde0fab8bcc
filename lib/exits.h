/* SPDX-License-Identifier: ISC */
#ifndef SRT_EXITS_H
#define SRT_EXITS_H

/*
 * The exit statuses of all commands; srt(7) has the same table.  The first
 * five are for looking and clean-up, the rest for what becomes or waits for
 * another program (as env(1), timeout(1) and container runtimes do).
 */
enum {
	EXIT_DONE	= 0,
	EXIT_FAIL	= 1,	/* the answer is no, or it failed */
	EXIT_USAGE	= 64,	/* called wrongly */
	EXIT_DATA	= 65,	/* input not in its format */
	EXIT_AGAIN	= 75,	/* cannot tell now, try again */
	EXIT_TIMEOUT	= 124,	/* the time limit ended the command */
	EXIT_OURS	= 125,	/* our own failure, usage included */
	EXIT_NOEXEC	= 126,	/* the command cannot be executed */
	EXIT_NOTFOUND	= 127,	/* the command was not found */
	EXIT_SIGNAL	= 128	/* plus the number of the signal */
};

#endif
