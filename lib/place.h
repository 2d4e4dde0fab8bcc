/* SPDX-License-Identifier: ISC */
#ifndef SRT_PLACE_H
#define SRT_PLACE_H

#include <dirent.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Places: directories of the user's own, mode 0700, in which manifests lie.
 * srt(7), FILES, has the list and its order.
 */

#define PLACE_MAX 6

struct place {
	char	*path;		/* real but for its last component */
	int	 fd;		/* the directory, or -1: not usable */
	int	 writable;
	int	 makeable;	/* not there, and place_make would make it */
	int	 unreadable;	/* ours, and closed: it counts as live */
	int	 named;		/* by the environment, with any name */
	int	 second;	/* $SRT_PLACE: gets the second manifest */
	int	 why;		/* errno that says why fd is -1 */
	int	 unwritable_why;	/* the same of writable */
	int	 mutex;		/* lock descriptor while held, or -1 */
	dev_t	 dev;
	ino_t	 ino;
};

struct places {
	struct place	p[PLACE_MAX];
	size_t		n;
};

/*
 * Find the places, changing nothing.  A place that cannot be used stays in
 * the list with fd -1 and why.  Two names of one directory count once.
 * Returns 0, or -1: EINVAL with $SRT_PLACE not absolute, or no memory.
 */
int	places_look(struct places *);

/* The same, making the standard places and $SRT_PLACE, and narrowing modes. */
int	places_make(struct places *);

void	places_close(struct places *);

/* The place's directory for readdir(3), NULL with errno. */
DIR	*place_opendir(const struct place *);

/* The first place that manifests are written to, from index i on, or NULL. */
struct place *places_writable(struct places *, size_t i);

/* $SRT_PLACE, or NULL where it is not set. */
struct place *places_second(struct places *);

/*
 * Take the mutexes of all usable and writable places, in their order; let
 * all go.  -1 with errno, EAGAIN: held too long; *who is then the place and
 * *holder the pid in its lock file.
 */
int	places_lock(struct places *, struct place **who, long *holder);
void	places_unlock(struct places *);

#endif
