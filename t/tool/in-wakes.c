/* SPDX-License-Identifier: ISC */
/*
 * in-wakes PATH	a command that cannot be kept stopped: a timer sends it
 *			SIGCONT every millisecond, and it makes PATH, in the
 *			working directory, a second after something has gone
 *
 * Says "ready", and ends with 0 when it has written.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

/* Ignored, it would come once only (kernel/time/posix-timers.c). */
static void
woken(int sig)
{
	(void)sig;
}

int
main(int argc, char **argv)
{
	const struct itimerspec every = { { 0, 1000000 }, { 0, 1000000 } };
	const struct timespec moment = { 0, 1000000 };
	struct sigevent wake = { .sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGCONT };
	timer_t timer;
	char buf[4096];
	int fd, inotify, n;

	if (argc != 2)
		errx(64, "usage: in-wakes PATH");
	signal(SIGCONT, woken);
	/* many: a SIGSTOP ends one whose SIGCONT is just pending */
	for (n = 0; n < 20; n++)
		if (timer_create(CLOCK_MONOTONIC, &wake, &timer) == -1 ||
		    timer_settime(timer, 0, &every, NULL) == -1)
			err(2, "timer");
	if ((inotify = inotify_init1(0)) == -1 ||
	    inotify_add_watch(inotify, ".", IN_DELETE) == -1)
		err(2, "inotify");
	puts("ready");
	fflush(stdout);
	while (read(inotify, buf, sizeof(buf)) == -1)
		;
	/* not in the very moment: it comes long after that */
	for (n = 0; n < 1000; n++)
		nanosleep(&moment, NULL);
	fd = open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0644);
	return fd == -1 || write(fd, "evil\n", 5) != 5;
}
