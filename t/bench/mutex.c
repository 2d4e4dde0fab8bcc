/* SPDX-License-Identifier: ISC */
/*
 * A stopwatch for the mutex, linked into srt-run in place of lock_mutex() and
 * file_close() (ld --wrap).  For the first place, where the manifest is, a
 * line goes to the file $MUTEX_LOG: "record", "claim" or "collect", how long
 * the mutex was waited for and how long it was held, in microseconds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int	__real_lock_mutex(int, long *);
void	__real_file_close(int *);
int	__wrap_lock_mutex(int, long *);
void	__wrap_file_close(int *);

static int place = -1, mutex = -1;
static double asked, had;

static double
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

int
__wrap_lock_mutex(int dirfd, long *holder)
{
	double before = now_us();
	int fd = __real_lock_mutex(dirfd, holder);

	if (place == -1)
		place = dirfd;
	if (dirfd == place) {
		mutex = fd;
		asked = before;
		had = now_us();
	}
	return fd;
}

void
__wrap_file_close(int *fd)
{
	static const char *const what[] = { "record", "claim", "collect" };
	static int turn;
	int mine = *fd != -1 && *fd == mutex, log;
	double end;

	__real_file_close(fd);
	if (!mine || turn == 3)
		return;
	end = now_us();
	mutex = -1;
	log = open(getenv("MUTEX_LOG"), O_WRONLY | O_APPEND | O_CLOEXEC);
	dprintf(log, "%s %.1f %.1f\n", what[turn++], had - asked, end - had);
	close(log);
}
