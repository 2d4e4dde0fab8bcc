/* SPDX-License-Identifier: ISC */
/* The second half of the planner: from the decided tree to the plan. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "planner.h"

static int
emit(struct planner *p, enum op_type type, const struct node *n, unsigned num)
{
	return plan_add_op(p->plan, type, n->path, num) == NULL ? -1 : 0;
}

/* The buried views of the write roots that have something to pin. */
static int
emit_pins(struct planner *p, struct node *root)
{
	struct node *n;
	int held = 0;

	for (n = root; n != NULL; n = tree_next(n)) {
		if (n != root && !path_within(n->path, root->path))
			break;
		if (n->region != root || !n->pinned ||
		    (!node_exists(n) && !n->made))
			continue;
		if (!held && emit(p, OP_HOLD, root, p->nholds) == -1)
			return -1;
		held = 1;
		if (emit(p, OP_PIN, n, p->nholds) == -1)
			return -1;
	}
	p->nholds += (unsigned)held;
	return 0;
}

static int
emit_all_pins(struct planner *p)
{
	struct node *n;

	for (n = p->tree.root; n != NULL; n = tree_next(n))
		if (n->region == n && emit_pins(p, n) == -1)
			return -1;
	return 0;
}

#define LIMITS "/proc/sys/user"

/*
 * Parts of /proc that are not about processes.  Their files belong to root,
 * and most ask for no capability: uid 0 could write them, and with
 * kernel.core_pattern alone have programs run outside.  The limits of user
 * namespaces take CAP_SYS_RESOURCE in that of whoever opens them
 * (kernel/ucount.c): a second srt inside sets those of its own.
 */
static int
emit_proc(struct planner *p, const struct node *n)
{
	static const char *const parts[] = {
		"/proc/acpi", "/proc/bus", "/proc/fs", "/proc/irq",
		"/proc/mtrr", "/proc/pressure", "/proc/scsi", "/proc/sys",
		"/proc/sysrq-trigger"
	};
	const struct node *part;
	size_t i;

	if (emit(p, OP_PROC, n, 0) == -1)
		return -1;
	for (i = 0; geteuid() == 0 && i < sizeof(parts) / sizeof(*parts); i++) {
		part = tree_find(&p->tree, parts[i]);
		if (part != NULL && node_is_mount(part))
			continue;	/* as a rule has it */
		if (access(parts[i], F_OK) == 0 &&
		    plan_add_op(p->plan, OP_RO, parts[i], 0) == NULL)
			return -1;
	}
	return geteuid() == 0 && p->profile->nested_userns.yes &&
	    access(LIMITS, F_OK) == 0 &&
	    plan_add_op(p->plan, OP_RW, LIMITS, 0) == NULL ? -1 : 0;
}

static int
emit_mount(struct planner *p, const struct node *n)
{
	if (n->own == OWN_DEV)
		return emit(p, OP_DEV, n, 0);
	if (n->own == OWN_PROC)
		return emit_proc(p, n);
	switch (n->want) {
	case ACCESS_RO:
		/* a read-only mount does not stop writing into a FIFO */
		return emit(p, node_is_denied(n) && S_ISFIFO(n->st.st_mode) ?
		    OP_MASK : OP_RO, n, 0);
	case ACCESS_RW:
		return emit(p, OP_RW, n, 0);
	case ACCESS_NONE:
		/* by a rule of the profile's?  That has a path. */
		return emit(p, node_is_dir(n) || n->place ? OP_HIDE : OP_MASK,
		    n, n->rule[DENY_READ] != NULL &&
		    n->rule[DENY_READ]->path != NULL);
	case ACCESS_OWN:
		return emit(p, OP_TMP, n, n->own == OWN_TMP ? 01777 : 0755);
	}
	return 0;
}

/*
 * A placeholder stands below its write root and is covered from outside
 * when everything else is mounted: no mount for it here, but for directories
 */
static int
is_covered_later(const struct node *n)
{
	return node_is_denied(n) && n->mark != NULL &&
	    n->mark->kind != KIND_DIR && n->want == ACCESS_RO &&
	    node_shown(n) == ACCESS_RW;
}

/* In a private tmp also the directories above a mount: not to be moved. */
static int
needs_mount(const struct node *n)
{
	if (is_covered_later(n) || n->look == LOOK_LINK)
		return 0;
	return node_is_mount(n) || (n->want == ACCESS_OWN &&
	    n->within == OWN_TMP && n->busy);
}

static int
emit_symlink(struct planner *p, const struct node *n)
{
	char target[PATH_MAX];
	ssize_t len = readlink(n->path, target, sizeof(target) - 1);
	struct op *op;

	if (len == -1)
		return 0;	/* gone since: then it is not to be shown */
	target[len] = '\0';
	if ((op = plan_add_op(p->plan, OP_SYMLINK, n->path, 0)) == NULL)
		return -1;
	return (op->target = strdup(target)) == NULL ? -1 : 0;
}

static int
emit_tree(struct planner *p, struct node *n)
{
	int mount = needs_mount(n);
	struct node *c;

	if (mount && emit_mount(p, n) == -1)
		return -1;
	if (n->parent == NULL && emit_all_pins(p) == -1)
		return -1;
	if (node_is_shown_link(n) && emit_symlink(p, n) == -1)
		return -1;
	RB_FOREACH(c, children, &n->children)
		if (emit_tree(p, c) == -1)
			return -1;
	if (n->want == ACCESS_NONE && (node_is_dir(n) || n->place) &&
	    (mount || n->parent == NULL))
		return emit(p, OP_CLOSE, n, 0);
	return 0;
}

static int
emit_make(struct planner *p, const struct node *n)
{
	struct mark *k = plan_add_mark(p->plan, ROLE_MAKE, n->path);

	if (k == NULL)
		return -1;
	k->kind = n->kind;
	k->mode = n->mode;
	/* a directory that is denied itself is bound over itself */
	if (node_is_denied(n) && k->kind == KIND_DIR)
		return emit(p, OP_RO, n, 0);
	return 0;
}

static int
emit_rely(struct planner *p, const struct node *n)
{
	struct mark *k = plan_add_mark(p->plan,
	    n->busy ? ROLE_RELY : ROLE_KEEP, n->path);

	if (k == NULL)
		return -1;
	k->kind = n->mark->kind;
	k->mode = n->mark->mode;
	k->dev = n->st.st_dev;
	k->ino = n->st.st_ino;
	k->btime = n->btime;
	k->ctime = n->st.st_ctim;
	/* as it was made: what was touched since is the user's (collect.c) */
	k->mtime = n->mark->mtime;
	k->noted = NOTED_INODE | NOTED_CTIME;
	return 0;
}

static int
emit_own(struct planner *p, const struct node *n)
{
	struct owned *o = plan_add_own(p->plan, n->path);

	if (o == NULL)
		return -1;
	o->type = n->st.st_mode & S_IFMT;
	o->blank = node_is_blank(n);
	o->dev = n->st.st_dev;
	o->ino = n->st.st_ino;
	return 0;
}

/* What the plan holds only as long as the user's file is what it is now. */
static int
is_taken_for_own(const struct node *n)
{
	if (node_is_guarded(n) || n->fixed || n->shut)
		return 1;
	return node_is_denied(n) && node_exists(n) && n->mark == NULL &&
	    n->parent->want == ACCESS_RW;
}

/* What has to stand outside, and what must not have changed by then. */
static int
emit_outside(struct planner *p)
{
	struct node *n;

	for (n = p->tree.root; n != NULL; n = tree_next(n)) {
		int in_region = n->parent != NULL && n->parent->region != NULL;

		if (n->made && emit_make(p, n) == -1)
			return -1;
		if (n->mark != NULL && (n->busy || n->pinned) &&
		    emit_rely(p, n) == -1)
			return -1;
		if (in_region && node_is_guarded(n) &&
		    plan_add_link(p->plan, n->path) == -1)
			return -1;
		if (in_region && is_taken_for_own(n) &&
		    emit_own(p, n) == -1)
			return -1;
	}
	return 0;
}

/* settings -------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
	const struct env_change *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int
by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Can the command make files in the directory n? */
static int
can_write_in(const struct node *n)
{
	if (n == NULL || !node_is_dir(n))
		return 0;
	if (n->want == ACCESS_OWN)
		return n->own == OWN_TMP;
	return n->want == ACCESS_RW &&
	    faccessat(AT_FDCWD, n->path, W_OK | X_OK, AT_EACCESS) == 0;
}

/* TMPDIR must name a directory that is there and writable, or nothing. */
static int
set_tmpdir(struct planner *p)
{
	size_t i;

	for (i = 0; i < p->plan->nenv; i++)
		if (strcmp(p->plan->env[i].name, "TMPDIR") == 0)
			return 0;	/* the profile's business */
	if (can_write_in(p->tmp[0]))
		return 0;
	for (i = 1; i < 3; i++)
		if (can_write_in(p->tmp[i]))
			return plan_add_env(p->plan, "TMPDIR",
			    p->tmp[i]->path);
	return getenv("TMPDIR") == NULL ? 0 :
	    plan_add_env(p->plan, "TMPDIR", NULL);
}

static int
set_environment(struct planner *p)
{
	const struct profile *pr = p->profile;
	struct plan *plan = p->plan;
	size_t i;

	plan->network_host = pr->network.yes;
	plan->nested_userns = pr->nested_userns.yes;
	plan->unix_sockets = pr->unix_sockets.yes;
	if (pr->chdir != NULL && (plan->chdir = strdup(pr->chdir)) == NULL)
		return -1;
	for (i = 0; i < pr->nenv; i++)
		if (plan_add_env(plan, pr->env[i].name, pr->env[i].value) ==
		    -1)
			return -1;
	for (i = 0; i < pr->npass_fds; i++)
		if (plan_add_pass_fd(plan, pr->pass_fd[i]) == -1)
			return -1;
	if (set_tmpdir(p) == -1)
		return -1;
	if (plan->nenv > 1)
		qsort(plan->env, plan->nenv, sizeof(*plan->env), by_name);
	if (plan->npass_fds > 1)
		qsort(plan->pass_fd, plan->npass_fds, sizeof(int), by_number);
	return 0;
}

int
planner_emit(struct planner *p)
{
	if (emit_tree(p, p->tree.root) == -1 || emit_outside(p) == -1)
		return -1;
	return set_environment(p);
}
