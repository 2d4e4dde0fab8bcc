/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exits.h"
#include "file.h"
#include "lock.h"
#include "msg.h"
#include "record.h"
#include "sys.h"

void
aside_name(char name[ASIDE_LEN], const char *id, size_t i)
{
	snprintf(name, ASIDE_LEN, ".srt-%s.%zu", id, i);
}

void
aside_give_back(int dirfd, const char *aside, const char *name,
    const char *path)
{
	if (sys_rename_noreplace(dirfd, aside, dirfd, name) == -1 &&
	    (errno != EINVAL || linkat(dirfd, aside, dirfd, name, 0) == -1 ||
	    unlinkat(dirfd, aside, 0) == -1))
		msg_path(path, "your file is kept beside it as %s", aside);
}

/* The marks that lie below mark i follow it without a gap. */
static size_t
end_of(const struct record *r, size_t i)
{
	size_t j = i + 1;

	while (j < r->nmarks && path_within(r->mark[j].path, r->mark[i].path))
		j++;
	return j;
}

/*
 * A default ACL, which whoever may write the directory can leave in it, takes
 * from the mode of what is made there (acl(5)), and without these bits we
 * could not get into it, or would take it for the user's afterwards.  Where
 * they cannot be set, that is seen then.
 */
static void
keep_mode(int dirfd, const char *name, mode_t mode)
{
	char path[32];
	struct stat st;
	int fd = openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd != -1 && fstat(fd, &st) == 0 && (st.st_mode & mode) != mode)
		chmod(path, mode);
	file_close(&fd);
}

/* A regular file or socket; the umask must not take from the mode. */
static int
make_file(int dirfd, const char *name, const struct mark *k)
{
	mode_t old = umask(0);
	int r, saved;

	r = mknodat(dirfd, name,
	    (k->kind == KIND_SOCKET ? S_IFSOCK : S_IFREG) | k->mode, 0);
	saved = errno;
	umask(old);
	if (r == 0)
		keep_mode(dirfd, name, k->mode);
	errno = saved;
	return r;
}

/* The mode less the umask, but the owner has to get in. */
static int
make_dir(int dirfd, const char *name, mode_t mode)
{
	mode_t old = umask(0);
	int r, saved;

	mode = (mode & ~old) | 0700;
	r = mkdirat(dirfd, name, mode);
	saved = errno;
	umask(old);
	if (r == 0)
		keep_mode(dirfd, name, mode);
	errno = saved;
	return r;
}

/*
 * Make mark k as name in dirfd and note what it is.  Where a socket cannot
 * be made an empty file has to do.
 */
static int
make_one(int dirfd, const char *name, struct mark *k)
{
	if (k->kind == KIND_DIR) {
		if (make_dir(dirfd, name, k->mode) == -1)
			return -1;
	} else if (make_file(dirfd, name, k) == -1) {
		if (k->kind != KIND_SOCKET || (errno != EPERM &&
		    errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS))
			return -1;
		k->kind = KIND_FILE;
		if (make_file(dirfd, name, k) == -1)
			return -1;
	}
	return mark_note(k, dirfd, name);
}

/*
 * Make mark i under its aside name in dirfd and, in it, all marks below it
 * under their own names: the tree appears at once when it is renamed.
 */
static int
make_aside(struct record *r, size_t i, int dirfd)
{
	size_t end = end_of(r, i), top = strlen(r->mark[i].path), j;
	char aside[ASIDE_LEN], *path;
	int err;

	aside_name(aside, r->vouch.id, i);
	if (make_one(dirfd, aside, &r->mark[i]) == -1)
		return -1;
	for (j = i + 1; j < end; j++) {
		if (asprintf(&path, "%s%s", aside, r->mark[j].path + top) ==
		    -1)
			return -1;
		err = make_one(dirfd, path, &r->mark[j]) == -1 ? errno : 0;
		free(path);
		if (err != 0) {
			errno = err;
			return -1;
		}
	}
	return 0;
}

/*
 * The notes for the marks from top to end, in one write.  What lies below
 * the top has its final name from the start.
 */
static int
note(struct record *r, size_t top, size_t end, int placed)
{
	char *text = NULL;
	size_t len, i;
	FILE *fp = open_memstream(&text, &len);
	int err;

	if (fp == NULL)
		return -1;
	for (i = top; i < end; i++) {
		const struct mark *k = &r->mark[i];

		if (!placed)
			fprintf(fp, "made %zu %s %llu %llu " TIME_FMT " "
			    TIME_FMT "\n", i, kind_name(k->kind),
			    (unsigned long long)k->dev,
			    (unsigned long long)k->ino, TIME_ARG(k->btime),
			    TIME_ARG(k->mtime));
		if (placed || (k->kind == KIND_FILE && i > top))
			fprintf(fp, "placed %zu " TIME_FMT "\n", i,
			    TIME_ARG(k->ctime));
	}
	err = ferror(fp) ? ENOMEM : 0;
	if (fclose(fp) == EOF)
		err = errno;
	if (err == 0 && manifest_append(&r->vouch, text, len) == -1)
		err = errno;
	free(text);
	errno = err;
	return err == 0 ? 0 : -1;
}

/*
 * Give what was made its name, replacing nothing.  Where a file system
 * refuses RENAME_NOREPLACE (NFS, 9p: EINVAL) link(2) and mkdir(2) do not
 * replace either.
 */
static int
place_one(int dirfd, const char *aside, const char *name, struct mark *k)
{
	if (sys_rename_noreplace(dirfd, aside, dirfd, name) == -1) {
		if (errno != EINVAL)
			return -1;
		if (k->kind == KIND_DIR ?
		    make_dir(dirfd, name, k->mode) == -1 ||
		    renameat(dirfd, aside, dirfd, name) == -1 :
		    linkat(dirfd, aside, dirfd, name, 0) == -1 ||
		    unlinkat(dirfd, aside, 0) == -1)
			return -1;
	}
	return mark_note(k, dirfd, name);
}

static int
make_top(struct record *r, size_t i, size_t end)
{
	char aside[ASIDE_LEN];
	struct mark *k = &r->mark[i];
	const char *name;
	int dirfd, ok;

	if ((dirfd = file_parent(k->path, &name)) == -1)
		return -1;
	aside_name(aside, r->vouch.id, i);
	ok = make_aside(r, i, dirfd) == 0 && note(r, i, end, 0) == 0 &&
	    place_one(dirfd, aside, name, k) == 0 &&
	    (k->kind != KIND_FILE || note(r, i, i + 1, 1) == 0);
	file_close(&dirfd);
	return ok ? 0 : -1;
}

/* Errors that mean: somebody changed the path meanwhile, plan again. */
static int
is_change(int err)
{
	return err == EEXIST || err == ENOENT || err == ENOTDIR ||
	    err == ELOOP;
}

static int
make_all(struct record *r)
{
	size_t i, end;

	for (i = 0; i < r->nmarks; i = end) {
		end = i + 1;
		if (r->mark[i].role != ROLE_MAKE)
			continue;
		end = end_of(r, i);
		if (make_top(r, i, end) == 0)
			continue;
		if (!is_change(errno))
			msg_path(r->mark[i].path, "cannot be made");
		return -1;
	}
	return 0;
}

/* Whether it is gone now; what was never made is. */
static int
unlink_mark(int dirfd, const char *name, const struct mark *k)
{
	struct stat st;

	return unlinkat(dirfd, name, k->kind == KIND_DIR ? AT_REMOVEDIR : 0)
	    == 0 || fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1;
}

/* What was made aside, and what lies in it, deepest first. */
static int
unmake_aside(const struct record *r, size_t i, int dirfd)
{
	size_t top = strlen(r->mark[i].path), j;
	char aside[ASIDE_LEN], *path;
	int all = 1;

	aside_name(aside, r->vouch.id, i);
	for (j = end_of(r, i); j-- > i;)
		if (asprintf(&path, "%s%s", aside, r->mark[j].path + top) !=
		    -1) {
			all &= unlink_mark(dirfd, path, &r->mark[j]);
			free(path);
		}
	return all;
}

/*
 * What stands at its name goes the way collect.c explains: moved aside and
 * compared again, as the user may put a file there in between.
 */
static int
unmake_one(const struct record *r, size_t i, int dirfd, const char *name)
{
	const struct mark *k = &r->mark[i];
	char aside[ASIDE_LEN];
	struct stat st;

	if (k->kind == KIND_DIR)
		return unlink_mark(dirfd, name, k);
	aside_name(aside, r->vouch.id, i);
	if (sys_rename_noreplace(dirfd, name, dirfd, aside) == -1 &&
	    (errno != EINVAL || renameat(dirfd, name, dirfd, aside) == -1))
		return errno == ENOENT;
	if (mark_is_at(k, dirfd, aside, 0, &st))
		return unlink_mark(dirfd, aside, k);
	aside_give_back(dirfd, aside, name, k->path);
	return 1;
}

/*
 * Undo: newest first, each only if it still is what was made.  Whether all
 * is gone; what is not stays named for the collector.
 */
static int
unmake(struct record *r)
{
	struct stat st;
	const char *name;
	size_t i;
	int dirfd, all = 1;

	for (i = r->nmarks; i-- > 0;) {
		struct mark *k = &r->mark[i];

		if (k->role != ROLE_MAKE ||
		    (dirfd = file_parent(k->path, &name)) == -1)
			continue;
		k->noted &= NOTED_INODE;
		if (mark_is_at(k, dirfd, name, 0, &st))
			all &= unmake_one(r, i, dirfd, name);
		else
			all &= unmake_aside(r, i, dirfd);
		file_close(&dirfd);
	}
	return all;
}

static int
look(const char *path, struct stat *st, struct timespec *btime)
{
	const char *name;
	int fd = file_parent(path, &name), r, saved;

	if (fd == -1)
		return -1;
	r = fstatat(fd, name, st, AT_SYMLINK_NOFOLLOW);
	saved = errno;
	sys_btime(fd, name, btime);
	close(fd);
	errno = saved;
	return r;
}

/* Does mark k, or what has become of it, stand at its path? */
static int
stands(const struct mark *k, int other_boot)
{
	struct timespec btime;
	struct stat st;

	return look(k->path, &st, &btime) == 0 &&
	    mark_matches(k, &st, &btime, other_boot);
}

static int
is_blank(const struct stat *st)
{
	return S_ISSOCK(st->st_mode) ||
	    (S_ISREG(st->st_mode) && st->st_size == 0);
}

/* Does a manifest name path, and is it still what that manifest says? */
static int
is_named(const struct manifests *set, const char *path)
{
	size_t i, j;

	for (i = 0; i < set->n; i++)
		for (j = 0; j < set->m[i].nmarks; j++)
			if (strcmp(set->m[i].mark[j].path, path) == 0 &&
			    stands(&set->m[i].mark[j], !set->m[i].this_boot))
				return 1;
	return 0;
}

/*
 * Does the plan's view of what is the user's own still hold?  A path that
 * looked like a placeholder must be the very same file and still be named
 * by nobody; any other must not have become one.
 */
static int
owns_hold(const struct plan *p, const struct manifests *set,
    const char **which)
{
	struct timespec btime;
	struct stat st;
	size_t i;

	for (i = 0; i < p->nowns; i++) {
		const struct owned *o = &p->own[i];

		*which = o->path;
		if (look(o->path, &st, &btime) == -1 ||
		    (st.st_mode & S_IFMT) != o->type)
			return 0;
		if (!o->blank && is_blank(&st))
			return 0;
		if (o->blank && (st.st_ino != o->ino || st.st_dev != o->dev ||
		    is_named(set, o->path)))
			return 0;
	}
	return 1;
}

static int
is_marked(const struct record *r, const char *path)
{
	size_t i;

	for (i = 0; i < r->nmarks; i++)
		if (strcmp(r->mark[i].path, path) == 0)
			return 1;
	return 0;
}

static int
is_above_a_mark(const struct record *r, const char *path)
{
	size_t i;

	for (i = 0; i < r->nmarks; i++)
		if (path_within(r->mark[i].path, path))
			return 1;
	return 0;
}

/*
 * Is every directory of another's making above our marks named by us, too?
 * It is not where its manifest was being renamed while the plan was made:
 * readdir(3) may miss a file then.
 */
static int
parents_hold(const struct record *r, const struct manifests *set,
    const char **which)
{
	size_t i, j;

	for (i = 0; i < set->n; i++)
		for (j = 0; j < set->m[i].nmarks; j++) {
			const struct mark *k = &set->m[i].mark[j];

			*which = k->path;
			if (k->kind == KIND_DIR &&
			    strcmp(set->m[i].id, r->vouch.id) != 0 &&
			    is_above_a_mark(r, k->path) &&
			    !is_marked(r, k->path) &&
			    stands(k, !set->m[i].this_boot))
				return 0;
		}
	return 1;
}

/* Are placeholders of others that the plan needs still the same? */
static int
relies_hold(const struct record *r, const char **which)
{
	size_t i;

	for (i = 0; i < r->nmarks; i++) {
		*which = r->mark[i].path;
		if (r->mark[i].role != ROLE_MAKE && !stands(&r->mark[i], 0))
			return 0;
	}
	return 1;
}

/* And is what is to be made still absent, as far as that can be told now? */
static int
makes_hold(const struct record *r, const char **which)
{
	struct timespec btime;
	struct stat st;
	size_t i;

	for (i = 0; i < r->nmarks; i++) {
		*which = r->mark[i].path;
		if (r->mark[i].role == ROLE_MAKE &&
		    (look(*which, &st, &btime) == 0 ||
		    (errno != ENOENT && errno != ENOTDIR)))
			return 0;
	}
	return 1;
}

static int
holds(const struct plan *p, struct places *places, const struct record *r,
    const char **which)
{
	struct manifests set;
	char *bad;
	int ok;

	if (manifests_read(places, &set, &bad) == -1) {
		free(bad);
		*which = "manifests";
		return 0;
	}
	ok = owns_hold(p, &set, which) && parents_hold(r, &set, which) &&
	    relies_hold(r, which) && makes_hold(r, which);
	manifests_free(&set);
	return ok;
}

/* All checks, then all making, under the mutex. */
static int
check_and_make(const struct plan *p, struct places *places, int quiet,
    struct record *r)
{
	const char *which = "plan";
	int err;

	if (holds(p, places, r, &which)) {
		if (make_all(r) == 0)
			return 0;
		err = errno;
		r->left = !unmake(r);
		if (!is_change(err))
			return EXIT_FAIL;
	}
	errno = 0;
	if (!quiet)
		msg_path(which, "has changed since the plan was made");
	return EXIT_AGAIN;
}

static int
copy_marks(const struct plan *p, struct record *r)
{
	size_t i;

	r->mark = calloc(p->nmarks + 1, sizeof(*r->mark));
	if (r->mark == NULL)
		return -1;
	for (i = 0; i < p->nmarks; i++) {
		r->mark[i] = p->mark[i];
		if ((r->mark[i].path = strdup(p->mark[i].path)) == NULL)
			return -1;
		r->nmarks++;
	}
	return 0;
}

/* Is there anything to look at again, or to make? */
static int
needs_mutex(const struct plan *p)
{
	return p->nmarks != 0 || p->nowns != 0;
}

/*
 * A run that names no placeholder has a manifest, too, so that the next
 * clean-up finds what a killed monitor may leave; it can do without.
 */
static int
publish(struct places *places, struct record *r)
{
	if (manifest_publish(places, r->mark, r->nmarks, &r->vouch) == 0 ||
	    r->nmarks == 0)
		return 0;
	if (errno != EFBIG && manifest_say_why(places, &r->vouch))
		return -1;
	msg_path("manifest", "cannot be written, so no sandbox is started");
	return -1;
}

/*
 * Does it name what others have made?  A collector may have left that to us
 * since: then our manifest stays, for the next one.
 */
static int
names_others(const struct record *r)
{
	size_t i;

	for (i = 0; i < r->nmarks; i++)
		if (r->mark[i].role != ROLE_MAKE)
			return 1;
	return 0;
}

int
record_make(const struct plan *p, struct places *places, int locked,
    int quiet, struct record *r)
{
	struct place *who;
	long holder;
	int status = 0;

	memset(r, 0, sizeof(*r));
	vouch_init(&r->vouch);
	if (copy_marks(p, r) == -1) {
		msg_path("plan", "cannot be recorded");
		record_free(r);
		return EXIT_FAIL;
	}
	if (publish(places, r) == -1) {
		record_free(r);
		return EXIT_FAIL;
	}
	if (needs_mutex(p)) {
		if (places_lock(places, &who, &holder) == -1) {
			lock_say(who->path, holder);
			status = RECORD_BUSY;
		} else
			status = check_and_make(p, places, quiet, r);
	}
	if (!locked)
		places_unlock(places);
	if (status != 0) {
		if (!r->left && !names_others(r))
			manifest_withdraw(&r->vouch);
		record_free(r);
	}
	return status;
}

void
record_free(struct record *r)
{
	size_t i;

	vouch_close(&r->vouch);
	for (i = 0; i < r->nmarks; i++)
		free(r->mark[i].path);
	free(r->mark);
	r->mark = NULL;
	r->nmarks = 0;
}

/* Append the marks from first on to the manifest. */
static int
append_marks(struct record *r, size_t first)
{
	char *text = NULL;
	size_t len;
	FILE *fp = open_memstream(&text, &len);
	int ok;

	if (fp == NULL)
		return -1;
	for (; first < r->nmarks; first++)
		mark_print(&r->mark[first], fp);
	ok = fclose(fp) == 0 && manifest_append(&r->vouch, text, len) == 0;
	free(text);
	return ok ? 0 : -1;
}

static struct mark *
add_mark(struct record *r, const char *path, size_t len)
{
	struct mark *k = reallocarray(r->mark, r->nmarks + 1, sizeof(*k));

	if (k == NULL)
		return NULL;
	r->mark = k;
	k += r->nmarks;
	memset(k, 0, sizeof(*k));
	if ((k->path = strndup(path, len)) == NULL)
		return NULL;
	r->nmarks++;
	return k;
}

int
record_adopt(struct record *r, const struct mark *mark)
{
	struct mark *k = add_mark(r, mark->path, strlen(mark->path));
	char *path;

	if (k == NULL)
		return -1;
	path = k->path;
	*k = *mark;
	k->path = path;
	return append_marks(r, r->nmarks - 1);
}

/* Take back what has not been made, or it would stay for us for ever. */
static void
undo_marks(struct record *r, size_t first)
{
	char line[40];
	int n;

	for (; first < r->nmarks; first++) {
		r->mark[first].undone = 1;
		n = snprintf(line, sizeof(line), "undone %zu\n", first);
		manifest_append(&r->vouch, line, (size_t)n);
	}
}

int
record_again(struct record *r, const char *path, const char *root,
    enum kind kind, mode_t mode)
{
	size_t first = r->nmarks, len = strlen(root), all = strlen(path);
	struct timespec btime;
	const char *name;
	struct stat st;
	struct mark *k;
	int dirfd, saved;

	if (r->vouch.manifest[0] == -1) {
		errno = EPERM;	/* nothing is made that nobody names */
		return -1;
	}
	for (len = len == 1 ? 0 : len; len < all;) {
		len += 1 + strcspn(path + len + 1, "/");
		if ((k = add_mark(r, path, len)) == NULL)
			return -1;
		k->kind = len == all ? kind : KIND_DIR;
		k->mode = len == all ? mode : 0755;
		if (first + 1 == r->nmarks && len < all &&
		    look(k->path, &st, &btime) == 0) {
			free(k->path);	/* this one is there */
			r->nmarks--;
		}
	}
	if (append_marks(r, first) == -1)
		return -1;
	if (make_top(r, first, r->nmarks) == 0)
		return 0;
	saved = errno;
	k = &r->mark[first];
	if ((dirfd = file_parent(k->path, &name)) != -1) {
		unmake_aside(r, first, dirfd);
		file_close(&dirfd);
	}
	undo_marks(r, first);
	errno = saved;
	return -1;
}

int
record_join(struct record *r, struct places *places, const char *path,
    int host)
{
	struct manifests set;
	struct mark *k, copy;
	struct stat st;
	char *bad;
	size_t i, j, own;
	int status = 0;

	if (manifests_read(places, &set, &bad) == -1) {
		free(bad);
		return -1;
	}
	for (i = 0; i < set.n && status == 0; i++) {
		if (strcmp(set.m[i].id, r->vouch.id) == 0)
			continue;
		for (j = 0; j < set.m[i].nmarks && status == 0; j++) {
			k = &set.m[i].mark[j];
			if (!path_within(path, k->path) ||
			    !mark_is_at(k, host, k->path + 1, 0, &st))
				continue;
			for (own = 0; own < r->nmarks; own++)
				if (!r->mark[own].undone &&
				    mark_is_same(&r->mark[own], k))
					break;
			if (own < r->nmarks)
				continue;
			copy = *k;
			copy.role = ROLE_RELY;
			status = record_adopt(r, &copy);
		}
	}
	manifests_free(&set);
	return status;
}
