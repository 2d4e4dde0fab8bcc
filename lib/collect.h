/* SPDX-License-Identifier: ISC */
#ifndef SRT_COLLECT_H
#define SRT_COLLECT_H

#include "place.h"

/*
 * Remove what only claims name, and the claims that are done.  told, if not
 * NULL, is called with each path removed.  Returns 0, or an exit status
 * after a message: EXIT_AGAIN where the mutex was held too long or a
 * manifest cannot be read (then nothing is removed), EXIT_FAIL where
 * something could not be removed (its claim stays for the next time).
 */
int	collect_all(struct places *, void (*told)(const char *path));

#endif
