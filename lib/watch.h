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

/*
 * The watcher: in the sandbox's mount namespace, with covers in place, wait
 * for mounts that are detached and cover again what has lost its cover.
 * mountinfo is /proc/INIT/mountinfo, opened before the covers were made;
 * init a pidfd of it, pidns the inode of its PID namespace; the places
 * are where manifests of other runs are.  Returns 0 when
 * init has ended, -1 when the run has to be ended, after a message.
 */
int	watch(struct cover *, struct places *, int mountinfo, int init,
	    ino_t pidns, enum on_lost);

#endif
