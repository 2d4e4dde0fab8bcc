/* SPDX-License-Identifier: ISC */
#ifndef SRT_CLAIM_H
#define SRT_CLAIM_H

#include "place.h"

/*
 * Claim every manifest that is over: rename it to ID.claimed under the mutex
 * of its place.  told, if not NULL, is called with the path of each claim.
 * Also ends what killed monitors left waiting, and removes what killed
 * recorders left unpublished.  Returns 0, or an exit status after a message:
 * EXIT_AGAIN where a mutex was held too long, EXIT_FAIL for the rest.
 */
int	claim_all(struct places *, void (*told)(const char *path));

#endif
