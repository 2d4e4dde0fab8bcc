/* SPDX-License-Identifier: ISC */
/*
 * orphans per-second seconds	makes that many orphans in each second: the
 *				children of children that have ended
 *
 * After each hundred it waits until they have ended and have been reaped by
 * whoever has inherited them, and at last prints how many it has made.  Status
 * 1 if one is still there, alive or a zombie, after ten seconds.
 */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCH	100

static const struct timespec moment = { 0, 1000000 };

/* How many of our process group are there, zombies too, besides us? */
static int
left(void)
{
	char path[288];
	struct dirent *d;
	DIR *proc = opendir("/proc");
	FILE *fp;
	int n = 0;
	long group;

	if (proc == NULL)
		err(1, "/proc");
	while ((d = readdir(proc)) != NULL) {
		if (!isdigit((unsigned char)d->d_name[0]) ||
		    atol(d->d_name) == (long)getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", d->d_name);
		if ((fp = fopen(path, "r")) == NULL)
			continue;
		if (fscanf(fp, "%*d (%*[^)]) %*c %*d %ld", &group) == 1)
			n += group == (long)getpid();
		fclose(fp);
	}
	closedir(proc);
	return n;
}

static void
await_none(void)
{
	int i;

	for (i = 0; left() != 0; i++) {
		if (i == 10000)
			errx(1, "%d are left", left());
		nanosleep(&moment, NULL);
	}
}

static void
orphan(void)
{
	pid_t pid = fork();

	if (pid == -1)
		err(1, "fork");
	if (pid == 0)
		_exit(fork() == -1);
	if (waitpid(pid, NULL, 0) != pid)
		err(1, "wait");
}

int
main(int argc, char **argv)
{
	struct timespec next;
	int per_s, s, i, n = 0;

	if (argc != 3 || (per_s = atoi(argv[1])) <= 0)
		errx(64, "usage: orphans per-second seconds");
	if (getpgrp() != getpid() && setpgid(0, 0) == -1)
		err(1, "process group");
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (s = atoi(argv[2]); s > 0; s--) {
		for (i = 0; i < per_s; i++) {
			orphan();
			if (++n % BATCH == 0)
				await_none();
		}
		next.tv_sec++;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	await_none();
	printf("%d\n", n);
	return 0;
}
