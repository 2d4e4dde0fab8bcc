/* SPDX-License-Identifier: ISC */
/*
 * watch [-n times] pid path: outside, rename a new file over path, wait until
 * the sandbox that pid is in has a mount there again, and print how many
 * microseconds that took, a line each.
 */
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define GIVE_UP_US 5000000L

static long
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000L + ts.tv_nsec / 1000;
}

static int
is_covered(const char *inside)
{
	struct statx st;

	return statx(AT_FDCWD, inside, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st) ==
	    0 && (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

static void
make_new(const char *name, long i)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd == -1 || dprintf(fd, "new %ld\n", i) < 0 || close(fd) == -1)
		err(2, "%s", name);
}

int
main(int argc, char **argv)
{
	char inside[PATH_MAX], fresh[PATH_MAX];
	long n = 1000, i, start;
	int ch;

	while ((ch = getopt(argc, argv, "n:")) != -1)
		if (ch == 'n')
			n = atol(optarg);
		else
			return 64;
	if (argc - optind != 2)
		errx(64, "usage: watch [-n times] pid path");
	snprintf(inside, sizeof(inside), "/proc/%s/root%s", argv[optind],
	    argv[optind + 1]);
	snprintf(fresh, sizeof(fresh), "%s.fresh", argv[optind + 1]);
	for (i = 0; i < n; i++) {
		make_new(fresh, i);
		start = now_us();
		if (rename(fresh, argv[optind + 1]) == -1)
			err(2, "%s", argv[optind + 1]);
		while (!is_covered(inside))
			if (now_us() - start > GIVE_UP_US)
				errx(1, "not covered again");
		printf("%ld\n", now_us() - start);
		poll(NULL, 0, 2);
	}
	return 0;
}
