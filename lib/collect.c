/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collect.h"
#include "exits.h"
#include "file.h"
#include "lock.h"
#include "manifest.h"
#include "msg.h"
#include "record.h"
#include "sys.h"

/*
 * A claim of another PID namespace rests before it is collected.  Where a
 * monitor was killed its init may be ending still, which cannot be seen from
 * here: a guess (108 to 136 ms were measured for 2.4 GB of memory).
 */
#define REST_S 10

enum fate {
	GONE,		/* removed, or nothing of ours is there any more */
	REMOVED,	/* by us, now */
	KEPT,		/* left to others, who may give it up: the claim stays */
	REFUSED		/* could not be removed; the claim stays */
};

/* To whom a path is left. */
enum heir { NOBODY, NAMES_IT, MEANS_IT };

/* One path that a claim names. */
struct target {
	struct manifest		*claim;
	const struct mark	*mark;
};

struct collector {
	struct manifests	 set;
	struct target		*target;
	size_t			 ntargets;
	int			*stays;	/* per manifest */
	void			(*told)(const char *);
};

/* Over, claimed, in a place we can clean, and rested. */
static int
is_due(const struct manifest *m)
{
	if (!m->claimed || m->live || !m->place->writable)
		return 0;
	return m->this_pidns || !m->this_boot ||
	    m->mtime_s + REST_S <= time(NULL);
}

/*
 * Does a manifest that is not due name the path?  Then it is left to it.  But
 * only one that means what stands there will see to it: another is that of a
 * run which has yet to look, and is gone without a trace if that gives up.
 */
static enum heir
heir_of(const struct collector *c, const struct mark *k)
{
	enum heir heir = NOBODY;
	size_t i, j;

	for (i = 0; i < c->set.n; i++) {
		const struct manifest *m = &c->set.m[i];

		for (j = 0; j < m->nmarks && !is_due(m); j++) {
			if (strcmp(m->mark[j].path, k->path) != 0)
				continue;
			if (mark_is_same(&m->mark[j], k))
				return MEANS_IT;
			heir = NAMES_IT;
		}
	}
	return heir;
}

/* Children before parents: a path sorts before what it is a prefix of. */
static int
deepest_first(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	return strcmp(y->mark->path, x->mark->path);
}

static int
find_targets(struct collector *c)
{
	size_t i, j, n = 0;

	for (i = 0; i < c->set.n; i++)
		n += c->set.m[i].nmarks;
	c->target = calloc(n + 1, sizeof(*c->target));
	c->stays = calloc(c->set.n + 1, sizeof(*c->stays));
	if (c->target == NULL || c->stays == NULL)
		return -1;
	for (i = 0; i < c->set.n; i++) {
		if (!is_due(&c->set.m[i]))
			continue;
		for (j = 0; j < c->set.m[i].nmarks; j++) {
			struct target *t = &c->target[c->ntargets++];

			t->claim = &c->set.m[i];
			t->mark = &c->set.m[i].mark[j];
		}
	}
	qsort(c->target, c->ntargets, sizeof(*c->target), deepest_first);
	return 0;
}

static enum fate
fate_of(int err)
{
	switch (err) {
	case 0:
	case ENOENT:
	case ENOTDIR:
	case ELOOP:	/* a component is a link now: not what we made */
		return GONE;
	default:
		return REFUSED;
	}
}

static int
is_same_inode(const struct target *t, const struct stat *st)
{
	return (t->mark->noted & NOTED_INODE) != 0 &&
	    st->st_ino == t->mark->ino &&
	    (!t->claim->this_boot || st->st_dev == t->mark->dev);
}

/* What was made aside and never got its name, with what lies in it. */
static void
remove_unplaced(int dirfd, const char *aside, const struct target *t)
{
	const struct manifest *m = t->claim;
	size_t top = strlen(t->mark->path), i;
	char *path;

	for (i = m->nmarks; i-- > 0 && &m->mark[i] > t->mark;) {
		if (!path_within(m->mark[i].path, t->mark->path) ||
		    asprintf(&path, "%s%s", aside, m->mark[i].path + top) ==
		    -1)
			continue;
		unlinkat(dirfd, path, m->mark[i].kind == KIND_DIR ?
		    AT_REMOVEDIR : 0);
		free(path);
	}
	unlinkat(dirfd, aside, t->mark->kind == KIND_DIR ? AT_REMOVEDIR : 0);
}

static int
is_touched(const struct mark *k, const struct stat *st)
{
	return k->kind == KIND_SOCKET && ((st->st_mode & 07777) != k->mode ||
	    st->st_mtim.tv_sec != k->mtime.tv_sec ||
	    st->st_mtim.tv_nsec != k->mtime.tv_nsec);
}

/* The file that takes the place of a touched placeholder is made as this. */
#define FRESH_LEN (ASIDE_LEN + 4)
static void
fresh_name(char name[FRESH_LEN], const char *aside)
{
	snprintf(name, FRESH_LEN, "%s.new", aside);
}

/*
 * Somebody outside ran touch(1) or chmod(1) on the placeholder: the empty
 * file that was meant takes its place.  A mode that was not chosen becomes
 * that of a new file.
 */
static int
leave_empty_file(int dirfd, const char *aside, const char *name,
    const struct mark *k, const struct stat *st)
{
	struct timespec times[2];
	mode_t mask = umask(0), mode = st->st_mode & 07777;
	char fresh[FRESH_LEN];
	int fd, ok, saved;

	umask(mask);
	if (mode == k->mode)
		mode = 0666 & ~mask;
	times[0] = st->st_atim;
	times[1] = st->st_mtim;
	fresh_name(fresh, aside);
	fd = openat(dirfd, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	if (fd == -1)
		return -1;
	ok = fchmod(fd, mode) == 0 && futimens(fd, times) == 0;
	close(fd);
	if (ok && (sys_rename_noreplace(dirfd, fresh, dirfd, name) == 0 ||
	    (errno == EINVAL && linkat(dirfd, fresh, dirfd, name, 0) == 0) ||
	    errno == EEXIST))
		saved = 0;
	else
		saved = errno;
	unlinkat(dirfd, fresh, 0);	/* unless it was renamed */
	errno = saved;
	return saved == 0 ? 0 : -1;
}

/*
 * What stands aside was at the path a moment ago.  It is ours if it still
 * is what was noted; the move itself has changed its ctime.
 */
static enum fate
finish_aside(int dirfd, const char *aside, const char *name,
    const struct target *t)
{
	struct mark k = *t->mark;
	struct stat st;

	k.noted &= ~NOTED_CTIME;
	if (fstatat(dirfd, aside, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return fate_of(errno);
	if (!mark_is_at(&k, dirfd, aside, !t->claim->this_boot, &st)) {
		aside_give_back(dirfd, aside, name, k.path);
		return GONE;
	}
	if (is_touched(&k, &st) &&
	    leave_empty_file(dirfd, aside, name, &k, &st) == -1)
		return REFUSED;
	if (unlinkat(dirfd, aside, 0) == -1)
		return fate_of(errno);
	return REMOVED;
}

/* What a killed recorder or collector has left under the aside name. */
static enum fate
settle_aside(int dirfd, const char *aside, const char *name,
    const struct target *t)
{
	struct stat st, named;
	char fresh[FRESH_LEN];

	if (fstatat(dirfd, aside, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return fate_of(errno);
	fresh_name(fresh, aside);
	unlinkat(dirfd, fresh, 0);
	if ((t->mark->noted & NOTED_INODE) == 0 ||
	    t->mark->kind == KIND_DIR) {
		remove_unplaced(dirfd, aside, t);
		return GONE;
	}
	/* linked to its name, and not yet unlinked here */
	if (is_same_inode(t, &st) &&
	    fstatat(dirfd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    named.st_ino == st.st_ino && named.st_dev == st.st_dev) {
		unlinkat(dirfd, aside, 0);
		return GONE;
	}
	return finish_aside(dirfd, aside, name, t);
}

static enum fate
remove_dir(int dirfd, const char *name)
{
	if (unlinkat(dirfd, name, AT_REMOVEDIR) == 0)
		return REMOVED;
	/* not empty: the user's, or another's who names it */
	if (errno == ENOTEMPTY || errno == EEXIST)
		return GONE;
	return fate_of(errno);
}

/*
 * To compare and then to unlink would take a file that the user puts there
 * between the two.  So it is moved aside first, and compared again there.
 */
static enum fate
remove_file(int dirfd, const char *aside, const char *name,
    const struct target *t)
{
	if (sys_rename_noreplace(dirfd, name, dirfd, aside) == -1 &&
	    (errno != EINVAL || renameat(dirfd, name, dirfd, aside) == -1))
		return fate_of(errno);
	return finish_aside(dirfd, aside, name, t);
}

/*
 * With an heir what stands there is not ours to remove.  What a killed process
 * has left aside is this claim's all the same.
 */
static enum fate
remove_target(const struct target *t, enum heir heir)
{
	char aside[ASIDE_LEN];
	const char *name;
	struct stat st;
	enum fate fate;
	int dirfd = file_parent(t->mark->path, &name);

	if (dirfd == -1)
		return fate_of(errno);
	aside_name(aside, t->claim->id, t->mark->index);
	fate = settle_aside(dirfd, aside, name, t);
	if (fate != GONE || heir == MEANS_IT)
		goto out;
	if (heir == NAMES_IT)
		fate = mark_is_at(t->mark, dirfd, name, !t->claim->this_boot,
		    &st) ? KEPT : GONE;
	else if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		fate = fate_of(errno);
	else if (!mark_is_at(t->mark, dirfd, name, !t->claim->this_boot, &st))
		fate = GONE;
	else if (t->mark->kind == KIND_DIR)
		fate = remove_dir(dirfd, name);
	else
		fate = remove_file(dirfd, aside, name, t);
out:
	file_close(&dirfd);
	return fate;
}

static int
remove_targets(struct collector *c)
{
	size_t i;
	int status = 0;

	for (i = 0; i < c->ntargets; i++) {
		const struct target *t = &c->target[i];

		errno = 0;
		switch (remove_target(t, heir_of(c, t->mark))) {
		case REMOVED:
			if (c->told != NULL)
				c->told(t->mark->path);
			break;
		case REFUSED:
			msg_path(t->mark->path, "placeholder cannot be "
			    "removed now");
			c->stays[t->claim - c->set.m] = 1;
			status = EXIT_FAIL;
			break;
		case KEPT:
			c->stays[t->claim - c->set.m] = 1;
			break;
		case GONE:
			break;
		}
	}
	return status;
}

static int
drop_claims(struct collector *c)
{
	char name[ID_LEN + 16];
	size_t i;
	int status = 0;

	for (i = 0; i < c->set.n; i++) {
		struct manifest *m = &c->set.m[i];

		if (!is_due(m) || c->stays[i])
			continue;
		snprintf(name, sizeof(name), "%s.init", m->id);
		if (unlinkat(m->place->fd, name, 0) == -1 && errno != ENOENT)
			status = EXIT_FAIL;
		snprintf(name, sizeof(name), "%s.claimed", m->id);
		if (unlinkat(m->place->fd, name, 0) == -1 && errno != ENOENT)
			status = EXIT_FAIL;
		if (status != 0)
			msg_path(m->place->path, "%s cannot be removed", name);
	}
	return status;
}

/* A look without the mutex: what is claimed from now on is for the next. */
static int
any_claims(struct places *ps)
{
	struct dirent *d;
	size_t i, len;
	DIR *dir;
	int any = 0;

	for (i = 0; i < ps->n && !any; i++) {
		any = ps->p[i].unreadable;
		if (ps->p[i].fd == -1 || (dir = place_opendir(&ps->p[i])) ==
		    NULL)
			continue;
		while (!any && (d = readdir(dir)) != NULL) {
			len = strlen(d->d_name);
			any = len > 8 && strcmp(d->d_name + len - 8,
			    ".claimed") == 0;
		}
		closedir(dir);
	}
	return any;
}

static int
any_due(const struct manifests *set)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (is_due(&set->m[i]))
			return 1;
	return 0;
}

static int
collect_locked(struct places *ps, struct collector *c)
{
	char *bad;
	int status, r;

	if (manifests_read(ps, &c->set, &bad) == -1) {
		msg_path(bad == NULL ? "manifests" : bad,
		    "cannot be read, so nothing is removed");
		free(bad);
		return EXIT_AGAIN;
	}
	if (!any_due(&c->set))
		return 0;
	if (find_targets(c) == -1) {
		msg_path("claims", "cannot be collected");
		return EXIT_FAIL;
	}
	status = remove_targets(c);
	r = drop_claims(c);
	return status != 0 ? status : r;
}

int
collect_all(struct places *ps, void (*told)(const char *))
{
	struct collector c = { .told = told };
	struct place *who;
	long holder;
	int status;

	if (!any_claims(ps))
		return 0;
	if (places_lock(ps, &who, &holder) == -1) {
		status = errno == EAGAIN ? EXIT_AGAIN : EXIT_FAIL;
		lock_say(who->path, holder);
		places_unlock(ps);
		return status;
	}
	status = collect_locked(ps, &c);
	places_unlock(ps);
	manifests_free(&c.set);
	free(c.target);
	free(c.stays);
	return status;
}
