/* SPDX-License-Identifier: ISC */
#ifndef SRT_GATE_H
#define SRT_GATE_H

#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "plan.h"
#include "record.h"
#include "watch.h"

/*
 * The gate: no command runs before everything that protects it is in place.
 * srt-init says GATE_READY on a stream socket, first thing inside, and waits
 * for GATE_GO; at end of file it exits.  Whoever holds the other end finishes
 * the sandbox in between.
 */
#define GATE_READY	'r'
#define GATE_GO		'g'

/*
 * What the supervisor passes on comes to init as this signal, with the one
 * that is meant as its value: a real-time signal is not lost where the same
 * one is pending already, sent to the whole group.
 */
#define GATE_SIGNAL	SIGRTMAX

/*
 * Afterwards the watcher says there that all but init are to be stopped, again
 * if it wants to know whether they still are, which init answers, and that they
 * are to be continued.  init looks whenever a signal comes: what a signal says could be
 * said by anybody inside, and a real-time signal be one too many.
 */
#define GATE_PAUSE	'p'
#define GATE_RESUME	'c'

/* The watcher says this to its supervisor last: it does nothing any more. */
#define GATE_DONE	'd'

/* Are all stopped?  Does somebody work in that directory?  The answers. */
#define GATE_YES	'y'
#define GATE_NO		'n'

struct gate {
	int	sock;		/* our end */
	struct stat peer;	/* of init's end, to find who holds it */
	int	status;		/* what bubblewrap has for --json-status-fd */
	off_t	status_from;	/* where its lines begin there */
	int	monitor;	/* pidfd of bubblewrap, or -1 */
	int	told;		/* gets GATE_GO just before that is said, and
				 * GATE_DONE at the end; or -1 */
	int	ask;		/* a socket that preserves messages and does
				 * not block: a path is sent, GATE_YES or
				 * GATE_NO comes back: child_others_in(); for
				 * the watcher */
	int	stay;		/* watch the covers afterwards */
	struct places	*places;	/* for the watcher */
	enum on_lost	 on_lost;
};

/*
 * Wait for ready; enter the sandbox's namespaces; forbid new user
 * namespaces, or, where root may make them, cgroup namespaces; make /
 * private, cover and check everything; say go.  For a process of its own: it
 * cannot come back from the namespaces.  Told to stay, it watches the covers
 * until init has ended.
 *
 * Returns 0 when all is well; EXIT_AGAIN for a path that has changed before
 * go was said; EXIT_OURS after a message; EXIT_FAIL where the sandbox ended
 * before it was ready.
 */
int	gate_serve(const struct plan *, struct record *, const struct gate *);

/*
 * The pid of init as bubblewrap reported it in fd from offset on, 0 if it
 * has not.  *line, if wanted, is that line, to be freed.
 */
pid_t	gate_child_pid(int fd, off_t from, char **line);

#endif
