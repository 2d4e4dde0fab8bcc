/* SPDX-License-Identifier: ISC */
/* srt-plan: decide the mounts for a profile.  Looks, and changes nothing. */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "exits.h"
#include "opt.h"
#include "place.h"
#include "plan.h"
#include "profile.h"

static const char usage[] =
	"srt-plan [-hqVW] [-e lines] [-p profile] [--why path] [profile ...]";

static const struct option longopts[] = {
	{ "help",	no_argument,		NULL, 'h' },
	{ "version",	no_argument,		NULL, 'V' },
	{ "why",	required_argument,	NULL, 'w' },
	{ NULL, 0, NULL, 0 }
};

int
main(int argc, char **argv)
{
	struct profile profile;
	struct places places;
	struct plan plan;
	const char *why = NULL;
	int ch, status, quiet = 0, given = 0, def = 0;

	profile_init(&profile);
	while ((ch = getopt_long(argc, argv, "+e:hp:qVW", longopts, NULL)) !=
	    -1)
		switch (ch) {
		case 'e':
			given = 1;
			if (profile_option(&profile, optarg) == -1)
				return EXIT_DATA;
			break;
		case 'h': help_and_exit(usage, EXIT_FAIL);
		case 'p':
			given = 1;
			if (profile_load(&profile, optarg) == -1)
				return EXIT_DATA;
			break;
		case 'q': quiet = 1; break;
		case 'V': version_and_exit(EXIT_FAIL);
		case 'W': def = 1; break;
		case 'w': why = optarg; break;
		default: usage_and_exit(usage, EXIT_USAGE);
		}
	argc -= optind;
	argv += optind;
	if (argc == 0 && !given && profile_load(&profile, "-") == -1)
		return EXIT_DATA;
	for (; argc > 0; argc--, argv++)
		if (profile_load(&profile, *argv) == -1)
			return EXIT_DATA;
	if (def && profile_default(&profile) == -1)
		return EXIT_DATA;
	if (places_look(&places) == -1)
		err(EXIT_FAIL, "SRT_PLACE: an absolute path is wanted");
	if (why != NULL)
		status = plan_why(&profile, &places, why, stdout);
	else if ((status = plan_make(&profile, &places, quiet, &plan)) == 0)
		plan_print(&plan, stdout);
	stdout_or_die(EXIT_FAIL);
	return status;
}
