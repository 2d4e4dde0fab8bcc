/* SPDX-License-Identifier: ISC */
#ifndef SRT_PLANNER_H
#define SRT_PLANNER_H

#include "manifest.h"
#include "plan.h"
#include "tree.h"

/* What the two halves of the planner, plan.c and emit.c, share. */

struct planner {
	const struct profile	*profile;
	struct places		*places;
	struct manifests	 manifests;
	struct tree		 tree;
	struct plan		*plan;
	struct node		*tmp[3];	/* candidates for TMPDIR */
	int			 quiet;
	unsigned		 nholds;	/* buried views so far */
	size_t			 nopened;	/* see shut() */
};

/*
 * From the tree, whose nodes are decided, make the plan: mounts, what has to
 * stand outside, settings.  -1: no memory.
 */
int	planner_emit(struct planner *);

/* Of a decided node: what the mount above it shows there. */
enum access node_shown(const struct node *);

/*
 * Does it by itself need a mount?  In a private tmp what is denied does even
 * if it is absent: it cannot be made there either.
 */
int	node_is_mount(const struct node *);

/* A link by which something was denied, where it could be replaced. */
int	node_is_guarded(const struct node *);

/* A link by which something was allowed, in a directory that is not shown. */
int	node_is_shown_link(const struct node *);

#endif
