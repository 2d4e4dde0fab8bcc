/* SPDX-License-Identifier: ISC */
/*
 * srt-collect: remove the placeholders that only claims name.  Takes every
 * claim there is; names on standard input say only that there is something.
 */
#include <sys/stat.h>

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "collect.h"
#include "exits.h"
#include "file.h"
#include "line.h"
#include "opt.h"
#include "place.h"

static const char usage[] = "srt-collect [-0hV]";

static int nul;

static void
print(const char *path)
{
	line_put_path(stdout, path, nul);
}

/* srt-claim | srt-collect: begin when all is claimed. */
static void
wait_for_writer(void)
{
	struct stat st;
	char buf[4096];

	if (fstat(0, &st) == 0 && S_ISFIFO(st.st_mode))
		while (read(0, buf, sizeof(buf)) > 0)
			;
}

int
main(int argc, char **argv)
{
	struct places places;
	int status;

	if (file_std_open(O_RDONLY) == -1)
		err(EXIT_FAIL, "/dev/null");
	nul = opt_list(argc, argv, usage);
	wait_for_writer();
	if (places_look(&places) == -1)
		err(EXIT_FAIL, "SRT_PLACE: an absolute path is wanted");
	status = collect_all(&places, print);
	stdout_or_die(EXIT_FAIL);
	return status;
}
