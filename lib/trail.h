/* SPDX-License-Identifier: ISC */
#ifndef SRT_TRAIL_H
#define SRT_TRAIL_H

/*
 * Where a walk through a tree is, for messages: one element for each
 * directory on the way, on the walker's stack.  No path is made, and none is
 * too long, unless somebody asks for it.
 */
struct trail {
	const struct trail	*up;	/* NULL: the first, a path */
	const char		*name;
};

/* The path, to be freed; NULL: no memory. */
char	*trail_path(const struct trail *);

/* msg_path() of it; errno is kept. */
void	trail_msg(const struct trail *, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

#endif
