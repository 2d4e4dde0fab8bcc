/* SPDX-License-Identifier: ISC */
/*
 * timer rounds command ::: command: runs the two in turn, as often as that,
 * and prints the medians in microseconds of the first, of the second, and
 * of the differences of each pair, first minus second.  Their input and
 * output are /dev/null; one that fails ends it.
 */
#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static posix_spawn_file_actions_t null_io;

static double
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static double
run_us(char **argv)
{
	double start = now_us();
	int wstatus, error;
	pid_t pid;

	error = posix_spawnp(&pid, argv[0], &null_io, NULL, argv, environ);
	if (error != 0)
		errx(1, "%s: %s", argv[0], strerror(error));
	if (waitpid(pid, &wstatus, 0) != pid)
		err(1, "waitpid");
	if (wstatus != 0)
		errx(1, "%s: wait status %d", argv[0], wstatus);
	return now_us() - start;
}

static int
by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double
median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_size);
	return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

int
main(int argc, char **argv)
{
	int rounds = argc < 5 ? 0 : atoi(argv[1]), i;
	double *a, *b, *d;
	char **second;

	for (second = argv; *second != NULL; second++)
		if (strcmp(*second, ":::") == 0)
			break;
	if (rounds < 1 || *second == NULL || second[1] == NULL)
		errx(64, "usage: timer rounds command ::: command");
	*second++ = NULL;
	a = calloc((size_t)rounds, sizeof(*a));
	b = calloc((size_t)rounds, sizeof(*b));
	d = calloc((size_t)rounds, sizeof(*d));
	if (a == NULL || b == NULL || d == NULL)
		err(1, NULL);
	posix_spawn_file_actions_init(&null_io);
	posix_spawn_file_actions_addopen(&null_io, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&null_io, 1, "/dev/null", O_WRONLY, 0);
	run_us(argv + 2);	/* to warm up */
	run_us(second);
	for (i = 0; i < rounds; i++) {
		/* each goes first every other time */
		if (i % 2 == 0)
			a[i] = run_us(argv + 2);
		b[i] = run_us(second);
		if (i % 2 == 1)
			a[i] = run_us(argv + 2);
		d[i] = a[i] - b[i];
	}
	printf("%.0f %.0f %.0f\n", median(a, rounds), median(b, rounds),
	    median(d, rounds));
	return 0;
}
