/* SPDX-License-Identifier: ISC */
/*
 * flood VALUE ...	PID 1 gets real-time signals with those values, for ever
 *
 * The last one, as the supervisor sends it, and the first, which comes before
 * that.
 */
#include <signal.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
	union sigval value;
	int i;

	for (i = 1;; i = i % (argc - 1) + 1) {
		value.sival_int = atoi(argv[i]);
		sigqueue(1, SIGRTMAX, value);
		sigqueue(1, SIGRTMIN, value);
	}
}
