/* SPDX-License-Identifier: ISC */
#ifndef SRT_RECORD_H
#define SRT_RECORD_H

#include "manifest.h"
#include "place.h"
#include "plan.h"

/*
 * Recording a run: publish the manifest that names all its placeholders,
 * then, under the mutex of the places it is written to, look again and make
 * them.  Nothing is made outside before a manifest names it.
 */

struct record {
	struct vouch	 vouch;		/* descriptors -1 without manifest */
	struct mark	*mark;		/* as noted; in the plan's order */
	size_t		 nmarks;
	int		 left;		/* could not be undone: the collector's */
};

#define RECORD_BUSY	(-1)

/*
 * Make what the plan needs.  locked: the caller holds all mutexes.  Returns
 * 0; EXIT_AGAIN (exits.h; with a message unless quiet) if the plan no longer
 * holds; RECORD_BUSY after a message if a mutex was held too long; else
 * EXIT_FAIL after a message.  On failure nothing is left, and *r needs no
 * record_free().  A manifest that names what others have made stays, though:
 * it is over, and the next clean-up's.
 */
int	record_make(const struct plan *, struct places *, int locked,
	    int quiet, struct record *r);

/* Close and free; what was made stays for the collector. */
void	record_free(struct record *);

/*
 * Name in the manifest what somebody made at a path we cover after we
 * looked: k, with its identity, as this run's own.  -1 with errno.
 */
int	record_adopt(struct record *, const struct mark *k);

/*
 * Make path, which has gone, and what is missing of the directories between
 * it and root, as this run's own; marks for them are added to *r.  Returns
 * 0, or -1 with errno, EEXIST if somebody was faster.
 */
int	record_again(struct record *r, const char *path, const char *root,
	    enum kind, mode_t mode);

/*
 * Name in the manifest what another run's manifest says of path and of the
 * directories above it, where it still is true: this run relies on it now.
 * host is a descriptor of the root outside, where no cover is in the way.
 * The caller holds the mutexes: a collector that has not seen the name would
 * remove what is joined.
 */
int	record_join(struct record *r, struct places *, const char *path,
	    int host);

/* The name under which mark i is made, and is moved aside to be removed. */
#define ASIDE_LEN (ID_LEN + 32)
void	aside_name(char name[ASIDE_LEN], const char *id, size_t i);

/*
 * Give back to path, name in dirfd, what was moved aside and is not ours,
 * replacing nothing; where that cannot be, it stays, and that is said.
 */
void	aside_give_back(int dirfd, const char *aside, const char *name,
	    const char *path);

#endif
