/* SPDX-License-Identifier: ISC */
/*
 * The planner.  From the rules a tree of real paths is made; each node gets
 * the access the rules give it, and a mount where that differs from what the
 * mount above shows.  The steps, in the order of plan_make():
 *
 *	gather		rules, places and what we add, into the tree
 *	heed		the marks of everybody's manifests, into the tree
 *	decide		access of each node
 *	stand_in	absent denied paths: placeholders, or none needed
 *	protect		what must not be moved aside: pins
 *	emit		mounts, parents before children (emit.c)
 *
 * Paths are looked at by gather, manifests are read after it: a manifest is
 * published before its placeholders are made, so whatever is seen of another
 * sandbox is named by the time manifests are read.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exits.h"
#include "file.h"
#include "kind.h"
#include "msg.h"
#include "planner.h"

static int
no_memory(void)
{
	errno = ENOMEM;
	msg_path("plan", "cannot be made");
	return EXIT_FAIL;
}

/* gather ---------------------------------------------------------------- */

static void
warn_of_nothing(const struct planner *p, const struct rule *r, int reason)
{
	if (r->kind != ALLOW_WRITE || p->quiet)
		return;
	errno = reason;
	msg_path(r->path, "%s (%s) grants nothing", rule_name(r->kind),
	    r->where);
}

/*
 * Does it speak of /proc/PID, or of what is below?  There are others in the
 * sandbox's own /proc.
 */
static int
is_of_process(const struct rule *r, const struct node *n)
{
	return path_within(r->path, "/proc") &&
	    strncmp(n->path, "/proc/", 6) == 0 && n->path[6] >= '0' &&
	    n->path[6] <= '9';
}

/*
 * Does it lead through a link into what is the sandbox's own?  There nothing
 * of the outside is shown, or granted; and who has put the link there must not
 * keep runs from starting.
 */
static int
leads_into(const char *own, const struct rule *r, const struct node *n)
{
	return path_within(n->path, own) && !path_within(r->path, own);
}

/* A path with a rule: its node gets it.  One of several rules will do. */
static int
gather_rule(struct planner *p, const struct rule *r)
{
	int deny = r->kind == DENY_WRITE || r->kind == DENY_READ;
	struct node *n = tree_resolve(&p->tree, r->path,
	    r->kind == DENY_WRITE ? LINK_GUARD : deny ? 0 : LINK_SHOW);

	if (n == NULL && errno == ELOOP) {
		warn_of_nothing(p, r, ELOOP);
		return 0;	/* leads nowhere; its links are guarded */
	}
	if (n == NULL) {
		msg_path(r->path, "%s (%s)", rule_name(r->kind), r->where);
		return EXIT_FAIL;
	}
	if (deny && is_of_process(r, n)) {
		errno = 0;
		msg_path(r->path, "%s (%s): of a process outside, the sandbox "
		    "has its own", rule_name(r->kind), r->where);
		return EXIT_FAIL;
	}
	/* a link can lead to what has no name that is short enough */
	while (deny && strlen(n->path) >= PATH_MAX)
		n = n->parent;
	if (is_of_process(r, n) || (r->kind != DENY_WRITE &&
	    (leads_into("/proc", r, n) || leads_into("/dev", r, n)))) {
		warn_of_nothing(p, r, 0);
		return 0;
	}
	if (n->rule[r->kind] == NULL)
		n->rule[r->kind] = r;
	if (!node_exists(n))
		warn_of_nothing(p, r, n->look == LOOK_CLOSED ? EACCES : ENOENT);
	return 0;
}

/* In /tmp anybody can put a link, to /usr, and nothing would run any more. */
static int
is_link_in_tmp(const char *path)
{
	struct stat st;

	return path_within(path, "/tmp") && lstat(path, &st) == 0 &&
	    S_ISLNK(st.st_mode);
}

/*
 * Directories and sockets through which a command could have work done
 * outside.  Ordinary read denies: a grant below or at one lifts it.
 */
static int
gather_sockets(struct planner *p)
{
	static const char *const fixed[] = {
		"/run/dbus", "/run/docker.sock", "/run/podman",
		"/run/containerd", "/run/crio", "/run/buildkit",
		"/run/libvirt", "/run/lxd", "/run/snapd.socket",
		"/run/snapd-snap.socket", "/run/systemd/private",
		"/run/screen", "/tmp/.X11-unix", "/tmp/.ICE-unix"
	};
	static const char *const of_uid[] = {
		"/run/user/%lu", "/tmp/tmux-%lu"
	};
	static struct rule rule = {
		DENY_READ, NULL, (char *)(uintptr_t)"unix-sockets deny"
	};
	char path[64];
	struct node *n;
	size_t i, nfixed = sizeof(fixed) / sizeof(*fixed);

	for (i = 0; i < nfixed + 2; i++) {
		if (i < nfixed)
			strlcpy(path, fixed[i], sizeof(path));
		else
			snprintf(path, sizeof(path), of_uid[i - nfixed],
			    (unsigned long)geteuid());
		if (access(path, F_OK) == -1 || is_link_in_tmp(path) ||
		    (n = tree_resolve(&p->tree, path, 0)) == NULL)
			continue;
		if (n->rule[DENY_READ] == NULL)
			n->rule[DENY_READ] = &rule;
	}
	return 0;
}

static int
gather_own(struct planner *p, const char *path, enum own own)
{
	struct node *n = tree_resolve(&p->tree, path, 0);

	if (n == NULL || !node_is_dir(n)) {
		if (own == OWN_TMP)
			return 0;
		errno = n == NULL ? errno : ENOTDIR;
		msg_path(path, "no such directory");
		return EXIT_FAIL;
	}
	if (own != OWN_TMP && n->rule[DENY_READ] != NULL) {
		errno = 0;
		msg_path(path, "cannot be hidden: what is there is the "
		    "sandbox's own (%s)", n->rule[DENY_READ]->where);
		return EXIT_FAIL;
	}
	n->own = own;
	return 0;
}

/*
 * Much in /sys is open to uid 0 without a capability, and has the kernel do
 * things: start a program, halt the machine.  A grant of all that is there does
 * not mean that; one at or below /sys does.
 */
static void
gather_sys(struct planner *p)
{
	static struct rule rule = {
		DENY_WRITE, NULL, (char *)(uintptr_t)"root, in /sys"
	};
	struct node *sys, *n;

	if (geteuid() != 0 || p->tree.root->rule[ALLOW_WRITE] == NULL ||
	    (sys = tree_resolve(&p->tree, "/sys", 0)) == NULL ||
	    !node_exists(sys))
		return;
	for (n = sys; n != NULL && path_within(n->path, "/sys");
	    n = tree_next(n))
		if (n->rule[ALLOW_WRITE] != NULL)
			return;
	if (sys->rule[DENY_WRITE] == NULL)
		sys->rule[DENY_WRITE] = &rule;
}

static int
may_write_anything(const struct profile *pr)
{
	size_t i;

	for (i = 0; i < pr->nrules; i++)
		if (pr->rule[i].kind == ALLOW_WRITE)
			return 1;
	return 0;
}

/*
 * A standard place that is none, for now, because nothing or something else
 * is there: the command must not make one, and forge manifests in it.
 */
static int
deny_place(struct planner *p, const char *path)
{
	static struct rule rule = {
		DENY_WRITE, NULL, (char *)(uintptr_t)"a place of manifests"
	};
	struct node *n = tree_resolve(&p->tree, path, LINK_GUARD);

	if (n == NULL)
		return errno == ENOMEM ? no_memory() : 0;
	if (!n->place && n->rule[DENY_WRITE] == NULL)
		n->rule[DENY_WRITE] = &rule;
	return 0;
}

static int
gather_places(struct planner *p)
{
	static const char *const standard[] = {
		"/var/tmp/srt-mount-points-%lu",
		"/run/user/%lu/srt-mount-points",
		"/tmp/srt-mount-points-%lu"
	};
	char path[80];
	struct node *n;
	size_t i;
	int r = 0;

	for (i = 0; i < p->places->n; i++) {
		const struct place *pl = &p->places->p[i];

		if (pl->fd == -1 && !pl->makeable)
			continue;
		if ((n = tree_resolve(&p->tree, pl->path, 0)) == NULL)
			return no_memory();
		n->place = 1;
	}
	for (i = 0; i < 3 && r == 0; i++) {
		snprintf(path, sizeof(path), standard[i],
		    (unsigned long)geteuid());
		if (may_write_anything(p->profile))
			r = deny_place(p, path);
	}
	return r;
}

/* Where temporary files may go: what TMPDIR says, then the usual two. */
static void
gather_tmp(struct planner *p)
{
	const char *dir = getenv("TMPDIR");

	if (dir != NULL && *dir == '/')
		p->tmp[0] = tree_resolve(&p->tree, dir, 0);
	p->tmp[1] = tree_resolve(&p->tree, "/tmp", 0);
	p->tmp[2] = tree_resolve(&p->tree, "/var/tmp", 0);
}

static int
gather(struct planner *p)
{
	size_t i;
	int r;

	for (i = 0; i < p->profile->nrules; i++)
		if ((r = gather_rule(p, &p->profile->rule[i])) != 0)
			return r;
	if (!p->profile->unix_sockets.yes)
		gather_sockets(p);
	gather_sys(p);
	if (p->profile->private_tmp &&
	    ((r = gather_own(p, "/tmp", OWN_TMP)) != 0 ||
	    (r = gather_own(p, "/var/tmp", OWN_TMP)) != 0))
		return r;
	if ((r = gather_own(p, "/dev", OWN_DEV)) != 0 ||
	    (r = gather_own(p, "/proc", OWN_PROC)) != 0)
		return r;
	gather_tmp(p);
	return gather_places(p);
}

/* heed ------------------------------------------------------------------ */

/* A mark that still is what its manifest says belongs to a node. */
static int
heed_mark(struct planner *p, const struct manifest *m, const struct mark *k)
{
	struct node *n = tree_find(&p->tree, k->path);

	if (n == NULL) {
		if (!m->live || k->role == ROLE_KEEP)
			return 0;
		/* a live sandbox's: not to be moved away by ours */
		if ((n = tree_resolve(&p->tree, k->path, 0)) == NULL)
			return errno == ENOMEM ? -1 : 0;
	}
	if (strcmp(n->path, k->path) != 0 || !node_exists(n) ||
	    !mark_matches(k, &n->st, &n->btime, !m->this_boot))
		return 0;
	if (m->live && k->role != ROLE_KEEP)
		n->keep = 1;
	if (n->mark == NULL || (k->noted & NOTED_CTIME) != 0)
		n->mark = k;
	return 0;
}

static int
heed(struct planner *p)
{
	char *bad;
	size_t i, j;

	if (!may_write_anything(p->profile))
		return 0;
	if (manifests_read(p->places, &p->manifests, &bad) == -1) {
		msg_path(bad == NULL ? "manifests" : bad,
		    "cannot be read, so no sandbox is started");
		free(bad);
		return EXIT_FAIL;
	}
	for (i = 0; i < p->manifests.n; i++)
		for (j = 0; j < p->manifests.m[i].nmarks; j++)
			if (heed_mark(p, &p->manifests.m[i],
			    &p->manifests.m[i].mark[j]) == -1)
				return no_memory();
	return 0;
}

/* decide ---------------------------------------------------------------- */

/* What the rules above a node have come to. */
struct above {
	int	visible;	/* of allow and deny the longest so far */
	int	granted;	/* an allow-write is above */
	int	denied;		/* a deny-write is above */
	enum own own;		/* in a directory of the sandbox's own */
	int	place;
};

static enum access
access_of(const struct above *a)
{
	if (a->own != OWN_NOT)
		return ACCESS_OWN;
	if (!a->visible)
		return ACCESS_NONE;
	return a->granted && !a->denied ? ACCESS_RW : ACCESS_RO;
}

static void
decide(struct node *n, struct above a)
{
	int grant = node_exists(n) && (n->rule[ALLOW_WRITE] != NULL ||
	    n->rule[ALLOW_READ] != NULL);
	struct node *c;

	a.place |= n->place;
	a.denied |= node_is_denied(n);
	n->within = a.own;
	if (n->own == OWN_DEV || n->own == OWN_PROC ||
	    (n->own == OWN_TMP && !grant)) {
		/* grants above do not reach in: the host's is not shown */
		a.own = n->within = n->own;
		a.visible = a.granted = 0;
	} else if (grant) {
		a.own = OWN_NOT;
		a.visible = 1;
	}
	if (a.own == OWN_TMP && (a.denied || (n->own == OWN_TMP &&
	    n->rule[DENY_READ] != NULL)))
		a.own = OWN_NOT;	/* empty, and not writable */
	else if (!grant && n->rule[DENY_READ] != NULL && node_exists(n)) {
		if (a.own != OWN_TMP)	/* that shows nothing of it */
			a.own = OWN_NOT;
		a.visible = 0;
	}
	a.granted |= n->rule[ALLOW_WRITE] != NULL && node_exists(n);
	n->want = a.place && a.own == OWN_NOT ? ACCESS_NONE : access_of(&a);
	n->decided = 1;
	RB_FOREACH(c, children, &n->children)
		decide(c, a);
}

/* stand_in -------------------------------------------------------------- */

/*
 * Entries of closed directories that get their access back: each is a mount,
 * and bubblewrap takes so many arguments only.  A command must not keep later
 * runs from starting by leaving such a directory with more.
 */
#define OPENED_MAX 1000

/* The entries of the directory, or max + 1 if there are more. */
static size_t
count_entries(DIR *fp, size_t max)
{
	size_t n = 0;

	while (n <= max + 2 && readdir(fp) != NULL)
		n++;
	rewinddir(fp);
	return n < 2 ? 0 : n - 2;	/* "." and ".." */
}

/* What is in the closed directory gets its access back. */
static int
open_entries(struct planner *p, struct node *dir, DIR *fp)
{
	struct dirent *d;
	struct node *c;

	while ((d = readdir(fp)) != NULL) {
		if (strcmp(d->d_name, ".") == 0 ||
		    strcmp(d->d_name, "..") == 0)
			continue;
		if ((c = tree_child(dir, d->d_name)) == NULL)
			return no_memory();
		/* no rule speaks of what is new in the tree */
		if (!c->decided)
			c->want = ACCESS_RW;
		c->decided = 1;
		p->nopened++;
	}
	return 0;
}

/*
 * A directory that is closed by its mode alone: its owner, the command,
 * could open it.  It is bound read-only as a whole, so that it cannot, and
 * what is in it gets its access back one by one, if it can be listed and is
 * not too much.
 */
static int
shut(struct planner *p, struct node *dir)
{
	size_t room = OPENED_MAX - p->nopened;
	DIR *fp;
	int r = 0;

	if (dir->shut)
		return 0;
	dir->shut = 1;
	dir->want = ACCESS_RO;
	if (faccessat(AT_FDCWD, dir->path, X_OK, AT_EACCESS) == -1)
		return 0;	/* nothing in it can be reached either */
	if ((fp = opendir(dir->path)) == NULL) {
		if (!p->quiet)
			msg_path(dir->path, "closed, and cannot be listed, so "
			    "nothing in it can be written");
		return 0;
	}
	errno = 0;
	if (count_entries(fp, room) <= room)
		r = open_entries(p, dir, fp);
	else if (!p->quiet)
		msg_path(dir->path, "closed, and has too many entries, so "
		    "nothing in it can be written");
	closedir(fp);
	return r;
}

/*
 * What must be made for an absent denied node below the directory dir, the
 * nearest that is there and writable inside.
 */
static int
stand_in_for(struct planner *p, struct node *n, struct node *dir)
{
	const char *why;
	struct node *up;
	mode_t mode;
	enum kind kind;

	if (faccessat(AT_FDCWD, dir->path, W_OK | X_OK, AT_EACCESS) == -1) {
		if (errno != EROFS && dir->st.st_uid == geteuid())
			return shut(p, dir);
		/* neither we nor the command can make anything in it */
		dir->fixed = 1;
		return 0;
	}
	if (n->look == LOOK_CLOSED)
		return 0;
	if (kind_for(n->path, user_home(), &kind, &mode, &why) == -1) {
		errno = 0;
		msg_path(n->path, "cannot be denied while it is absent: %s "
		    "(%s)", why, n->rule[DENY_WRITE]->where);
		return EXIT_FAIL;
	}
	n->made = 1;
	n->kind = kind;
	n->mode = mode;
	for (up = n->parent; up != dir; up = up->parent) {
		up->made = 1;
		up->kind = KIND_DIR;
		up->mode = 0755;
	}
	return 0;
}

/*
 * All absent denied nodes.  One below another needs nothing of its own, nor
 * does one below what is not writable inside.  One below a file cannot be
 * made as long as the file stays.
 */
static int
stand_in(struct planner *p)
{
	struct node *n, *up;
	int r;

	for (n = p->tree.root; n != NULL; n = tree_next(n)) {
		if (node_exists(n) || (!node_is_denied(n) &&
		    (n->look == LOOK_ABSENT || n->rule[DENY_READ] == NULL)))
			continue;
		for (up = n->parent; !node_exists(up) && !node_is_denied(up);
		    up = up->parent)
			;
		if (node_is_denied(up) || up->want != ACCESS_RW)
			continue;
		if (!node_is_dir(up) && up->mark != NULL) {
			/* another's placeholder: nothing comes in its place */
			up->rule[DENY_WRITE] = n->rule[DENY_WRITE];
			up->want = ACCESS_RO;
			continue;
		}
		if (!node_is_dir(up)) {
			up->fixed = 1;
			continue;
		}
		if ((r = stand_in_for(p, n, up)) != 0)
			return r;
	}
	return 0;
}

/* protect --------------------------------------------------------------- */

/*
 * Pin every directory between n and its write root.  A pin is a mount on
 * the directory in a view of the write root that is buried: no lookup
 * crosses it, but the kernel refuses to move or remove a directory that is
 * a mount point in the caller's mount namespace (is_local_mountpoint() in
 * vfs_rename() and vfs_rmdir(), fs/namei.c: EBUSY).
 */
static void
pin_above(struct node *n, int busy)
{
	for (n = n->parent; n != NULL; n = n->parent) {
		n->busy |= busy;
		if (n->region == NULL || n->region == n)
			break;
		n->pinned = 1;
	}
	for (; n != NULL && busy; n = n->parent)
		n->busy = 1;
}

enum access
node_shown(const struct node *n)
{
	return n->parent == NULL ? ACCESS_NONE : n->parent->want;
}

int
node_is_mount(const struct node *n)
{
	if (n->want == ACCESS_OWN)
		return n->own != OWN_NOT;
	if (n->look == LOOK_LINK ||
	    (!node_exists(n) && !n->place && n->within != OWN_TMP))
		return 0;
	/* a FIFO can be written in a read-only directory, too */
	return n->want != node_shown(n) || (n->want == ACCESS_RO &&
	    node_is_denied(n) && S_ISFIFO(n->st.st_mode));
}

int
node_is_guarded(const struct node *n)
{
	return (n->links & LINK_GUARD) != 0 && n->look == LOOK_LINK &&
	    n->parent != NULL && n->parent->want == ACCESS_RW;
}

/* The sandbox's own /proc and /dev have them, too (bwrap(1), --dev). */
static int
is_own_link(const struct node *n)
{
	static const char *const of_dev[] = {
		"core", "fd", "ptmx", "stderr", "stdin", "stdout"
	};
	size_t i;

	for (i = 0; i < sizeof(of_dev) / sizeof(*of_dev); i++)
		if (n->parent->own == OWN_DEV &&
		    strcmp(n->name, of_dev[i]) == 0)
			return 1;
	return n->within == OWN_PROC;
}

int
node_is_shown_link(const struct node *n)
{
	return (n->links & LINK_SHOW) != 0 && n->look == LOOK_LINK &&
	    n->parent != NULL && (n->parent->want == ACCESS_NONE ||
	    n->parent->want == ACCESS_OWN) && !is_own_link(n);
}

static void
protect(struct node *n)
{
	struct node *c, *above = n->parent == NULL ? NULL : n->parent->region;
	int mount = node_is_mount(n);

	if (n->want == ACCESS_RW)
		n->region = mount || above == NULL ? n : above;
	if (mount || n->made || node_is_guarded(n) || node_is_shown_link(n)) {
		n->busy = 1;
		pin_above(n, 1);
	} else if (n->fixed && n->region != n) {
		n->busy = n->pinned = 1;
		pin_above(n, 1);
	} else if (n->keep && n->region != NULL && n->region != n) {
		n->pinned = 1;
		pin_above(n, 0);
	}
	RB_FOREACH(c, children, &n->children)
		protect(c);
}

/* ----------------------------------------------------------------------- */

static const struct above nothing = { 1, 0, 0, OWN_NOT, 0 };

static int
think(struct planner *p)
{
	int r;

	if (tree_init(&p->tree) == -1)
		return no_memory();
	if ((r = gather(p)) != 0 || (r = heed(p)) != 0)
		return r;
	decide(p->tree.root, nothing);
	return stand_in(p);
}

static void
forget(struct planner *p)
{
	tree_free(&p->tree);
	manifests_free(&p->manifests);
}

int
plan_make(const struct profile *profile, struct places *places, int quiet,
    struct plan *plan)
{
	struct planner p = {
		.profile = profile, .places = places, .plan = plan,
		.quiet = quiet
	};
	int r;

	memset(plan, 0, sizeof(*plan));
	if ((r = think(&p)) == 0) {
		protect(p.tree.root);
		if (planner_emit(&p) == -1)
			r = no_memory();
	}
	forget(&p);
	if (r != 0)
		plan_free(plan);
	return r;
}

int
plan_lets_write(const struct plan *plan, const char *path)
{
	const struct op *op;
	size_t i;
	int lets = 0;

	for (i = 0; i < plan->nops; i++) {
		op = &plan->op[i];
		if (op->type == OP_PIN || op->type == OP_HOLD ||
		    op->type == OP_CLOSE || !path_within(path, op->path))
			continue;
		lets = op->type == OP_RW;
	}
	return lets;
}

const char *
plan_write_root(const struct plan *p, const char *path)
{
	const char *root = NULL;
	size_t i;

	for (i = 0; i < p->nops; i++) {
		const struct op *op = &p->op[i];

		if (op->type == OP_PIN || op->type == OP_HOLD ||
		    op->type == OP_CLOSE || strcmp(op->path, path) == 0 ||
		    !path_within(path, op->path))
			continue;
		root = op->type == OP_RW ? op->path : NULL;
	}
	return root;
}

/* The rule of kind that decides about n: at it or nearest above. */
static const struct rule *
nearest(const struct node *n, enum rule_kind kind)
{
	for (; n != NULL; n = n->parent)
		if (n->rule[kind] != NULL &&
		    (kind == DENY_WRITE || node_exists(n)))
			return n->rule[kind];
	return NULL;
}

static void
say_why(FILE *fp, const char *what, int allowed, const struct rule *r,
    const char *otherwise)
{
	fprintf(fp, "%s %s: ", what, allowed ? "allowed" : "denied");
	if (r == NULL)
		fprintf(fp, "%s\n", otherwise);
	else if (r->path == NULL)	/* nobody's line */
		fprintf(fp, "%s\n", r->where);
	else
		fprintf(fp, "%s %s (%s)\n", rule_name(r->kind), r->path,
		    r->where);
}

/* Of the rules about reading the nearest; at one node an allow wins. */
static const struct rule *
nearest_about_reading(const struct node *n)
{
	for (; n != NULL; n = n->parent) {
		if (!node_exists(n))
			continue;	/* nothing there to read, or granted */
		if (n->rule[ALLOW_READ] != NULL)
			return n->rule[ALLOW_READ];
		if (n->rule[ALLOW_WRITE] != NULL)
			return n->rule[ALLOW_WRITE];
		if (n->rule[DENY_READ] != NULL)
			return n->rule[DENY_READ];
	}
	return NULL;
}

/* Said and done where it is not the rules that decide: 1. */
static int
explain_ours(const struct node *n, FILE *fp)
{
	const struct node *up;

	for (up = n; up != NULL; up = up->parent) {
		if (up->place) {
			fputs("write denied: it is, or is in, a place of "
			    "manifests\nread denied: the same\n", fp);
			return 1;
		}
		if (up->own != OWN_NOT && n->want == ACCESS_OWN) {
			fprintf(fp, "write and read: %s is the sandbox's own\n",
			    up->path);
			return 1;
		}
	}
	return 0;
}

static void
explain(const struct node *n, FILE *fp)
{
	const enum access want = n->want;
	const struct rule *reading = nearest_about_reading(n), *deny;

	if (want == ACCESS_RW)
		say_why(fp, "write", 1, nearest(n, ALLOW_WRITE), "");
	else if ((deny = nearest(n, DENY_WRITE)) != NULL)
		say_why(fp, "write", 0, deny, "");
	else if (want == ACCESS_NONE)
		say_why(fp, "write", 0, reading, "");
	else
		say_why(fp, "write", 0, NULL, "no allow-write at or above it");
	say_why(fp, "read", want != ACCESS_NONE, reading,
	    "nothing denies it");
}

int
plan_why(const struct profile *profile, struct places *places,
    const char *path, FILE *fp)
{
	struct planner p = {
		.profile = profile, .places = places, .quiet = 1
	};
	char *abs = path_absolute(path);
	struct node *n;
	int r = EXIT_FAIL;

	if (abs == NULL || tree_init(&p.tree) == -1) {
		msg_path(path, "cannot be followed");
		free(abs);
		return EXIT_FAIL;
	}
	n = tree_resolve(&p.tree, abs, 0);
	if (n == NULL)
		msg_path(path, "cannot be followed");
	else if ((r = gather(&p)) == 0) {
		decide(p.tree.root, nothing);
		if (!explain_ours(n, fp))
			explain(n, fp);
	}
	free(abs);
	forget(&p);
	return r;
}
