/* SPDX-License-Identifier: ISC */
/* srt-claim: rename the manifests of runs that are over to claims. */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "claim.h"
#include "exits.h"
#include "file.h"
#include "line.h"
#include "opt.h"
#include "place.h"

static const char usage[] = "srt-claim [-0hV]";

static int nul;

static void
print(const char *path)
{
	line_put_path(stdout, path, nul);
}

int
main(int argc, char **argv)
{
	struct places places;
	int status;

	if (file_std_open(O_RDONLY) == -1)
		err(EXIT_FAIL, "/dev/null");
	nul = opt_list(argc, argv, usage);
	if (places_look(&places) == -1)
		err(EXIT_FAIL, "SRT_PLACE: an absolute path is wanted");
	status = claim_all(&places, print);
	stdout_or_die(EXIT_FAIL);
	return status;
}
