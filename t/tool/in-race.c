/* SPDX-License-Identifier: ISC */
/*
 * in-race path ...: says "ready", and then, until there is something on standard input, puts,
 * links, renames, swaps and removes at the paths, at the directories above
 * them, and at whatever a starting run makes beside them for itself (.srt-*),
 * as fast as it can.  What it writes is "race".
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char dir[PATH_MAX], mine[PATH_MAX + 8], aside[PATH_MAX + 8];

static void
exchange(const char *a, const char *b)
{
	syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

static void
fresh(void)
{
	int fd = open(mine, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd != -1 && write(fd, "race\n", 5) != 5)
		warn("%s", mine);
	close(fd);
}

static void
at(const char *path, unsigned how)
{
	fresh();
	switch (how % 9) {
	case 0: rename(mine, path); break;
	case 1: link(mine, path); break;
	case 2: exchange(mine, path); break;
	case 3: unlink(path); break;
	case 4: rmdir(path); break;
	case 5: mkdir(path, 0755); break;
	case 6: symlink("/etc/passwd", path); break;
	case 7: rename(path, aside); link(aside, path); break;
	case 8: mknod(path, S_IFSOCK | 0444, 0); break;
	}
	unlink(mine);
	if (unlink(aside) == -1)
		rmdir(aside);
}

/* The directory is away for a moment, or another stands in its place. */
static void
above(unsigned how)
{
	if (how % 2 == 0) {
		if (rename(dir, aside) == 0)
			rename(aside, dir);
	} else if (mkdir(aside, 0755) == 0) {
		exchange(aside, dir);
		exchange(aside, dir);
		rmdir(aside);
	}
}

static void
at_their_own(unsigned how)
{
	char path[PATH_MAX + NAME_MAX + 2];
	struct dirent *d;
	DIR *fp = opendir(dir);

	while (fp != NULL && (d = readdir(fp)) != NULL) {
		if (strncmp(d->d_name, ".srt-", 5) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, d->d_name);
		at(path, how);
	}
	if (fp != NULL)
		closedir(fp);
}

int
main(int argc, char **argv)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };
	unsigned n, seed = 1;
	char *path;

	puts("ready");
	fflush(stdout);
	for (n = 0; n % 64 != 0 || poll(&p, 1, 0) == 0; n++) {
		path = argv[1 + n % (unsigned)(argc - 1)];
		snprintf(dir, sizeof(dir), "%.*s",
		    (int)(strrchr(path, '/') - path), path);
		snprintf(mine, sizeof(mine), "%s/mine", dir);
		snprintf(aside, sizeof(aside), "%s.aside", dir);
		at_their_own((unsigned)rand_r(&seed));
		at(path, (unsigned)rand_r(&seed));
		above((unsigned)rand_r(&seed));
	}
	return 0;
}
