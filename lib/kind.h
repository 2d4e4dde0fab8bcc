/* SPDX-License-Identifier: ISC */
#ifndef SRT_KIND_H
#define SRT_KIND_H

#include "mark.h"

/*
 * What is made for a denied name that is absent.  The tables are in kind.c;
 * t/1110-kind.bats has a test per row.
 *
 * path is the name's real path, home the user's home or NULL.  Returns 0
 * with *kind and *mode, or -1 where nothing may stand there because its mere
 * presence breaks a program outside; *why then says what.
 */
int	kind_for(const char *path, const char *home, enum kind *kind,
	    mode_t *mode, const char **why);

#endif
