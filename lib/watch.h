/* SPDX-License-Identifier: ISC */
#ifndef SRT_WATCH_H
#define SRT_WATCH_H

#include <sys/types.h>

#include "cover.h"

/* What a cover that is lost over something that exists leads to. */
enum on_lost {
	LOST_CHECK,	/* covered again; signs of a breach end the run */
	LOST_END,	/* the run ends */
	LOST_REPORT	/* covered again, and said */
};

/* What the watcher needs of init, and of its supervisor. */
struct watched {
	int	mountinfo;	/* init's, opened before the covers were made */
	int	init;		/* a pidfd */
	ino_t	pidns;		/* the inode of its PID namespace */
	int	gate;		/* our end: GATE_PAUSE, GATE_RESUME */
	int	ask;		/* see struct gate */
};

/*
 * The watcher: in the sandbox's mount namespace, with covers in place, wait
 * for mounts that are detached and cover again what has lost its cover.  The
 * places are where manifests of other runs are.  Returns 0 when init has
 * ended, -1 when the run has to be ended, after a message.
 */
int	watch(struct cover *, struct places *, const struct watched *,
	    enum on_lost);

#endif
