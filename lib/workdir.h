/* SPDX-License-Identifier: ISC */
#ifndef SRT_WORKDIR_H
#define SRT_WORKDIR_H

#include <sys/stat.h>

#include "manifest.h"
#include "place.h"

/*
 * Work directories: private ones in a base, for as long as a run lasts.  For
 * each a record, ID.work (srt-stream(5)), is in a place before it is made, and
 * locked by the process that owns it; whose lock has gone is dead, and anybody
 * of the same user may remove it.
 */

struct base {
	char		*path;		/* real */
	int		 fd;
	struct stat	 st;
	struct timespec	 btime;
	const char	*why;		/* it cannot be one, or NULL */
};

/*
 * Open a base: a directory, and no symbolic link to one, of the user's or
 * root's, in which nobody else can rename what is ours.  -1 with errno, or with
 * errno 0 and why.
 */
int	base_open(struct base *, const char *path);
void	base_close(struct base *);

struct workdir {
	struct place	*place;		/* borrowed, as the base */
	const struct base *base;
	char		 id[ID_LEN + 1];
	int		 record;	/* locked, or -1: there is none */
	char		*name;		/* in the base */
	char		*path;
	int		 fd;		/* the directory, or -1 */
	ino_t		 ino;		/* noted, unless 0 */
	struct timespec	 btime;
};

/*
 * Make PREFIX.ID, mode 0700.  Returns 0, or -1 after a message, with nothing
 * left.
 */
int	workdir_make(struct workdir *, struct places *, const struct base *,
	    const char *prefix);

/*
 * Remove it with all there is in it, and then its record; -1 after messages
 * about what stays, with the record for a later sweep.
 */
int	workdir_remove(struct workdir *);

/* Remove the record alone: it is the caller's from now on. */
int	workdir_keep(struct workdir *);

void	workdir_close(struct workdir *);

/*
 * Remove what dead owners have left in the base; told, if not NULL, is called
 * with each path.  Returns 0, or -1 after messages.
 */
int	workdir_sweep(struct places *, const struct base *,
	    void (*told)(const char *path));

#endif
