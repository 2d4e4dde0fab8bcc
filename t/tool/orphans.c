/* SPDX-License-Identifier: ISC */
/*
 * orphans per-second seconds	makes that many orphans in each second: the
 *				children of children that have ended
 *
 * Prints the largest number of zombies seen at a time that are not our own
 * children, then waits until there are none, and prints "none".  Status 1 if
 * some are still there after ten seconds.
 */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int
zombies(void)
{
	char path[288], state;
	struct dirent *d;
	DIR *proc = opendir("/proc");
	FILE *fp;
	int n = 0;
	long ppid;

	if (proc == NULL)
		err(1, "/proc");
	while ((d = readdir(proc)) != NULL) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", d->d_name);
		if ((fp = fopen(path, "r")) == NULL)
			continue;
		if (fscanf(fp, "%*d (%*[^)]) %c %ld", &state, &ppid) == 2)
			n += state == 'Z' && ppid != (long)getpid();
		fclose(fp);
	}
	closedir(proc);
	return n;
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
	int per_s, s, i, n, most = 0;

	if (argc != 3 || (per_s = atoi(argv[1])) <= 0)
		errx(64, "usage: orphans per-second seconds");
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (s = atoi(argv[2]); s > 0; s--) {
		for (i = 0; i < per_s; i++) {
			orphan();
			if (i % 100 == 0 && (n = zombies()) > most)
				most = n;
		}
		next.tv_sec++;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	printf("%d\n", most);
	next.tv_nsec = 10000000;
	next.tv_sec = 0;
	for (i = 0; i < 1000 && zombies() != 0; i++)
		nanosleep(&next, NULL);
	puts(zombies() == 0 ? "none" : "some");
	return zombies() != 0;
}
