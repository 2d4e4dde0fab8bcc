/* SPDX-License-Identifier: ISC */
#ifndef SRT_MANIFEST_H
#define SRT_MANIFEST_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "mark.h"
#include "place.h"

/*
 * Manifests: one text file a run that names every placeholder the run relies
 * on.  srt-stream(5) has the format.  In a place lie, for the run ID:
 *
 *	ID.manifest	published; ID.claimed once it is over and claimed
 *	ID.init		empty; its lock is held by the sandbox's init
 *	ID.tmp		being written
 */

#define MANIFEST_MAX	(1 << 20)	/* bytes; more is refused */
#define ID_LEN		16		/* hexadecimal digits */

struct manifest {
	char		 id[ID_LEN + 1];
	struct place	*place;		/* borrowed */
	int		 fd;		/* read-only, or -1 */
	int		 claimed;
	int		 live;
	int		 locked;	/* its own lock is held */
	int		 unknown;	/* has lines of a later version */
	int		 this_boot;
	int		 this_pidns;
	ino_t		 pidns;
	pid_t		 child_pid;	/* of init, for its maker; or 0 */
	ino_t		 child_pidns;	/* or 0 */
	time_t		 mtime_s;	/* of the file: when it was claimed */
	struct mark	*mark;
	size_t		 nmarks;
};

struct manifests {
	struct manifest	*m;
	size_t		 n;
};

/* A run's own manifest: two locked descriptions in each of one or two places */
struct vouch {
	char		 id[ID_LEN + 1];
	struct place	*place[2];	/* [1]: $SRT_PLACE or NULL */
	int		 manifest[2];	/* O_APPEND, locked */
	int		 init[2];	/* locked, to be left to init */
};

/*
 * Read all manifests and claims in all places and judge them.  The result
 * is the caller's, to be freed with manifests_free().  Returns -1 where one
 * cannot be read or asked (it counts as live): errno says why and *bad, to
 * be freed, which.  What is no manifest, is held by nobody and older than
 * an hour is passed over.
 */
int	manifests_read(struct places *, struct manifests *, char **bad);
void	manifests_free(struct manifests *);

/* The manifest name in the place, into *m; -1 with errno.  Judges it. */
int	manifest_read(struct place *, const char *name, struct manifest *m);
void	manifest_free(struct manifest *);

/*
 * Write marks into a new manifest in the first place that has room, and its
 * copy in $SRT_PLACE where that is another.  Returns 0, or -1 with nothing
 * left and each place's why set.
 */
int	manifest_publish(struct places *, const struct mark *, size_t n,
	    struct vouch *);

/*
 * After a failure say, a line each, why the places cannot hold a manifest;
 * or why $SRT_PLACE alone cannot, if that was it (then 1 is returned).
 */
int	manifest_say_why(struct places *, const struct vouch *);

/* Append text to both; errors with errno.  Room for it was set aside. */
int	manifest_append(const struct vouch *, const char *text, size_t len);

/* Whether no line of it names a placeholder, the watcher's lines included. */
int	manifest_names_nothing(const struct vouch *);

/* Remove the files of a run that made nothing, and close. */
void	manifest_withdraw(struct vouch *);
/*
 * Go on with descriptors that hold no lock, opened anew through the /proc
 * below host: for a process that only adds lines.  -1 with errno.
 */
int	vouch_unlock(struct vouch *, int host);
void	vouch_init(struct vouch *);
void	vouch_close(struct vouch *);

/*
 * End what a killed monitor has left waiting for ever: processes that hold
 * the lock of ID.init.  Returns how many.
 */
int	manifest_end_stray(struct place *, const char *id);

/* A new ID, ID_LEN digits and a NUL. */
void	random_id(char *id);

/* Our own boot id and PID namespace, "" and 0 where they cannot be told. */
const char *boot_id(void);
ino_t	pidns_ino(void);

#endif
