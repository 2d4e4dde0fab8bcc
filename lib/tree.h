/* SPDX-License-Identifier: ISC */
#ifndef SRT_TREE_H
#define SRT_TREE_H

#include <sys/stat.h>
#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>
#include <sys/tree.h>

#include "manifest.h"
#include "profile.h"

/*
 * The planner's tree of paths.  A node is a real path (no links, no "..")
 * that a rule, or what we add to the rules, speaks of, or that lies above
 * such a path.  Each is looked at once, when it is made, so that a plan is
 * made from one view.
 */

enum look {
	LOOK_ABSENT,
	LOOK_DIR,
	LOOK_LINK,
	LOOK_FILE,	/* anything else */
	LOOK_CLOSED	/* cannot be asked, and is not ours to open */
};

/* What a mount shows at a path. */
enum access {
	ACCESS_NONE,	/* read-denied: empty, or not to be opened */
	ACCESS_RO,
	ACCESS_RW,
	ACCESS_OWN	/* the sandbox's own: private tmp, /dev, /proc */
};

enum own {
	OWN_NOT,
	OWN_TMP,	/* private-tmp */
	OWN_DEV,
	OWN_PROC
};

struct node;
RB_HEAD(children, node);

struct node {
	RB_ENTRY(node)		 entry;
	struct node		*parent;	/* NULL: the root */
	struct children		 children;
	char			*name;
	char			*path;
	enum look		 look;
	struct stat		 st;		/* unless absent or closed */
	struct timespec		 btime;		/* likewise */
	const struct rule	*rule[RULE_KINDS];	/* or NULL */
	const struct mark	*mark;		/* placeholder of a manifest */
	enum own		 own;
	int			 place;		/* of manifests, or will be */
	int			 keep;		/* others' placeholder */
	int			 links;		/* LINK_*, if it is a link */
	int			 shut;		/* ours, closed by its mode */
	/* decided by the planner */
	int			 decided;
	enum access		 want;
	enum own		 within;	/* what it lies in */
	struct node		*region;	/* write root it lies in */
	int			 busy;		/* a mount at or below it */
	int			 pinned;
	int			 fixed;		/* must stay what it is */
	int			 made;		/* a placeholder will be */
	enum kind		 kind;		/* of that */
	mode_t			 mode;
};

int	node_cmp(const struct node *, const struct node *);
RB_PROTOTYPE(children, node, entry, node_cmp)

struct tree {
	struct node	*root;
};

int	tree_init(struct tree *);
void	tree_free(struct tree *);

/* The node for name below parent, made and looked at if need be; NULL: errno */
struct node *tree_child(struct node *parent, const char *name);

/*
 * The node at the absolute path, resolved as the kernel would: links are
 * followed, the last one too, ".." goes to the real parent.  Every link on
 * the way is marked: LINK_GUARD, it must not be replaced from inside, or
 * LINK_SHOW, it has to be seen there.  Returns NULL with errno, ELOOP for a
 * link that leads nowhere, or where nobody can tell (it is marked all the
 * same).
 */
#define LINK_GUARD	1
#define LINK_SHOW	2
struct node *tree_resolve(struct tree *, const char *path, int mark);

/* The node at a real path, if the tree has it. */
struct node *tree_find(struct tree *, const char *path);

/* Something stands there, as far as can be seen; a directory does. */
int	node_exists(const struct node *);
int	node_is_dir(const struct node *);

/* It is denied by name, and not only by lying below what is denied. */
int	node_is_denied(const struct node *);

/* It could be a placeholder: a socket, an empty file or directory. */
int	node_is_blank(const struct node *);

/* First and next node in path order, parents before children. */
struct node *tree_next(struct node *);

#endif
