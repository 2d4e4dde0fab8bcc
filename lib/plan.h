/* SPDX-License-Identifier: ISC */
#ifndef SRT_PLAN_H
#define SRT_PLAN_H

#include <stdio.h>

#include "manifest.h"
#include "place.h"
#include "profile.h"

/*
 * A plan: the mounts of a sandbox in the order they are made, what has to
 * stand outside for them, and what the plan took for granted.  All paths are
 * real and absolute.  srt-stream(5) has it as text, design and reasons are
 * in srt(7), PLANNING.
 */

enum op_type {
	OP_RO,		/* read-only */
	OP_RW,		/* writable */
	OP_HIDE,	/* an empty directory ... */
	OP_CLOSE,	/* ... that becomes read-only here */
	OP_MASK,	/* a file that cannot be opened */
	OP_TMP,		/* an empty, writable directory, mode n */
	OP_DEV,
	OP_PROC,
	OP_SYMLINK,	/* to target */
	OP_HOLD,	/* a second, buried view n of the write root */
	OP_PIN		/* a directory in view n that must not be moved */
};

struct op {
	enum op_type	 type;
	char		*path;
	char		*target;	/* of OP_SYMLINK, else NULL */
	unsigned	 n;		/* OP_HIDE, OP_MASK: a rule says so */
};

/* A path that the plan took for the user's own, and its type. */
struct owned {
	char	*path;
	mode_t	 type;		/* S_IFMT */
	int	 blank;		/* like a placeholder: the same inode */
	dev_t	 dev;
	ino_t	 ino;
};

struct plan {
	struct op		*op;
	size_t			 nops;
	struct mark		*mark;	/* make, rely, keep; parents first */
	size_t			 nmarks;
	struct owned		*own;
	size_t			 nowns;
	char			**link;	/* links to be covered themselves */
	size_t			 nlinks;
	struct env_change	*env;
	size_t			 nenv;
	int			*pass_fd;
	size_t			 npass_fds;
	char			*chdir;
	int			 network_host;
	int			 nested_userns;
	int			 unix_sockets;
};

void	plan_free(struct plan *);

/*
 * Decide.  Looks at paths first, at manifests after them, and changes
 * nothing.  quiet: no warnings.  Returns 0, or the exit status (exits.h)
 * after a message.
 */
int	plan_make(const struct profile *, struct places *, int quiet,
	    struct plan *);

/* Which lines decide about path, two lines on fp.  Returns as plan_make. */
int	plan_why(const struct profile *, struct places *, const char *path,
	    FILE *fp);

/* Whether the command could write, replace or move path, a real path. */
int	plan_lets_write(const struct plan *, const char *path);

/*
 * The write root in which path lies, a path with a mount of its own or none:
 * NULL if the mount above it is not writable.
 */
const char *plan_write_root(const struct plan *, const char *path);

/* As text, and back.  name is for messages; -1 after one. */
int	plan_print(const struct plan *, FILE *);
int	plan_read(struct plan *, const char *name, char *buf, size_t len);

/* Same text? */
int	plan_equal(const struct plan *, const struct plan *);

/* Building blocks for both ways a plan comes about; -1: no memory. */
struct op *plan_add_op(struct plan *, enum op_type, const char *path,
	    unsigned n);
struct mark *plan_add_mark(struct plan *, enum role, const char *path);
struct owned *plan_add_own(struct plan *, const char *path);
int	plan_add_link(struct plan *, const char *path);
int	plan_add_env(struct plan *, const char *name, const char *value);
int	plan_add_pass_fd(struct plan *, int fd);

#endif
