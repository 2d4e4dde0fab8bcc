/* SPDX-License-Identifier: ISC */
#ifndef SRT_COVER_H
#define SRT_COVER_H

#include "plan.h"
#include "record.h"

/*
 * The mounts that bubblewrap cannot make, or not exactly enough, made from
 * outside in the sandbox's mount namespace: by the gate before the command
 * starts, and by the watcher when one has been lost.  The kernel detaches a
 * mount, in every namespace, when its mount point is unlinked or renamed
 * over (fs/namespace.c, __detach_mounts()).
 */

enum guard_type {
	GUARD_EMPTY,	/* a placeholder, under an empty read-only file */
	GUARD_SELF,	/* what is there, bound read-only over itself */
	GUARD_LINK,	/* a symbolic link, mounted over itself */
	GUARD_HIDDEN,	/* a read-denied directory, under an empty one */
	GUARD_MASKED,	/* a read-denied file, under one that does not open */
	GUARD_PIN	/* a directory that must not be moved aside */
};

struct guard {
	enum guard_type	 type;
	char		*path;
	const char	*root;		/* write root it lies in, or NULL */
	int		 final;		/* GUARD_PIN: cannot be made good */
	char		*link;		/* GUARD_LINK: where it leads */
	dev_t		 dev;		/* GUARD_PIN: the directory pinned */
	ino_t		 ino;
	struct timespec	 btime;		/* inode numbers are reused at once */
	int		 denied;	/* writing: made anew if it goes */
	int		 secret;	/* reading is denied by a rule */
	enum kind	 kind;		/* what would be made */
	mode_t		 mode;
	const char	*refused;	/* why nothing may be made, or NULL */
	int		 away;		/* it has gone, nothing to protect */
	int		 suspect;	/* to be looked at for signs: watch.c */
	int		 join;		/* its placeholder may be another run's */
};

struct cover {
	const struct plan	*plan;
	struct record		*record;
	struct guard		*guard;	/* a directory made anew adds one */
	size_t			 n;
	int			*view;	/* per write root: buried, for pins */
	int			 host;	/* O_PATH of the root outside */
	int			 shelf;	/* directory with our own files */
};

/*
 * List the guards of a plan that was recorded; outside the sandbox still.
 * -1: no memory.
 */
int	cover_prepare(struct cover *, const struct plan *, struct record *);

/*
 * In the sandbox's mount namespace and the user namespace that owns it:
 * cover everything the plan denies, and check what bubblewrap has mounted.
 * What is bound read-only must be what stands outside now; where it is an
 * empty file that bubblewrap made as a mount point, because the path had
 * just gone, the file is taken into the manifest.  Returns 0, EXIT_AGAIN
 * where a path has changed since it was planned, or EXIT_OURS after a
 * message.
 */
int	cover_all(struct cover *);

/* Is guard number i's cover where it should be? */
int	cover_holds(const struct cover *, size_t i);

/* Is its path denied reading, or a FIFO? */
int	cover_hides(const struct guard *);

/*
 * Cover it again: what stands there now, whatever it is; where nothing does,
 * a placeholder that is made for it, as what was there, if make is set.  Where
 * none is needed, because only reading is denied or the write root has gone,
 * it is away until it comes back.  1: nothing stands there, and make is not
 * set; -1: cannot be covered, errno says why.
 */
int	cover_again(struct cover *, size_t i, int make);

/* An O_PATH descriptor of what path leads to inside, following no link. */
int	cover_open(const char *path);

/* The same outside, where no cover is. */
int	cover_open_outside(const struct cover *, const char *path);

#endif
