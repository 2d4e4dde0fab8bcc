/* SPDX-License-Identifier: ISC */
#ifndef SRT_FIXTURE_H
#define SRT_FIXTURE_H

#include <stddef.h>

#include "snapshot.h"

/*
 * Fixtures: which host files and directories get a read-only copy in a work
 * directory, each at its key, a relative path.
 */

struct fixture {
	char		*key;		/* clean: a/b/c */
	char		*path;		/* of the host, absolute and clean */
	int		 fd;		/* what is there, or -1 */
	int		 is_dir;
	const struct fixture *above;	/* the one it lies in, or NULL */
};

struct fixtures {
	struct fixture	*f;		/* once open: parents first */
	size_t		 n;
};

/*
 * The key of len bytes without empty, "." and ".." components, to be freed;
 * NULL with *why set where it names nothing below the directory it is taken
 * from.
 */
char	*key_clean(const char *key, size_t len, const char **why);

/* Add KEY=PATH, which only its words are judged of.  -1 after a message. */
int	fixture_add(struct fixtures *, const char *arg);

/*
 * Check the keys against each other, and open every path: once, with no
 * symbolic link anywhere in it.  -1 after a message.
 */
int	fixtures_open(struct fixtures *);

/*
 * Copy them into the directory todir, and seal them.  Returns as
 * snapshot_copy().
 */
int	fixtures_copy(struct fixtures *, struct snapshot *, int todir);

void	fixtures_close(struct fixtures *);

#endif
