/* SPDX-License-Identifier: ISC */
/* srt-live: list the placeholders that running sandboxes rely on. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exits.h"
#include "line.h"
#include "manifest.h"
#include "msg.h"
#include "opt.h"
#include "place.h"

static const char usage[] = "srt-live [-0hV]";

static int nul;

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The paths of all live manifests, sorted, each once. */
static void
print_live(const struct manifests *set)
{
	const char **path;
	size_t i, j, n = 0;

	for (i = 0; i < set->n; i++)
		n += set->m[i].nmarks;
	if ((path = calloc(n + 1, sizeof(*path))) == NULL)
		err(EXIT_FAIL, NULL);
	for (n = i = 0; i < set->n; i++)
		for (j = 0; set->m[i].live && j < set->m[i].nmarks; j++)
			if (set->m[i].mark[j].role != ROLE_KEEP)
				path[n++] = set->m[i].mark[j].path;
	qsort(path, n, sizeof(*path), by_text);
	for (i = 0; i < n; i++)
		if (i == 0 || strcmp(path[i], path[i - 1]) != 0)
			line_put_path(stdout, path[i], nul);
	free(path);
}

int
main(int argc, char **argv)
{
	struct manifests set;
	struct places places;
	char *bad;

	nul = opt_list(argc, argv, usage);
	if (places_look(&places) == -1)
		err(EXIT_FAIL, "SRT_PLACE: an absolute path is wanted");
	if (manifests_read(&places, &set, &bad) == -1) {
		msg_path(bad == NULL ? "manifests" : bad, "cannot be read");
		return EXIT_AGAIN;
	}
	print_live(&set);
	stdout_or_die(EXIT_FAIL);
	return 0;
}
