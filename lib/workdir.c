/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "file.h"
#include "line.h"
#include "lock.h"
#include "msg.h"
#include "sys.h"
#include "wipe.h"
#include "workdir.h"

#define VERSION_LINE	"srt-work"
#define VERSION_NUMBER	"1"
#define SUFFIX		".work"
#define RECORD_MAX	(64 << 10)	/* bytes; a path is 4 a byte at most */
#define ATTEMPTS	16		/* to find a name nobody has */

/* the base --------------------------------------------------------------- */

static int
refuse_base(struct base *b, const char *why)
{
	base_close(b);
	b->why = why;
	errno = 0;
	return -1;
}

/* Is the path itself a link, however many slashes follow it? */
static int
is_link(const char *path)
{
	char buf[PATH_MAX];
	struct stat st;
	size_t n = strlcpy(buf, path, sizeof(buf));

	while (n > 1 && n < sizeof(buf) && buf[n - 1] == '/')
		buf[--n] = '\0';
	return lstat(buf, &st) == 0 && S_ISLNK(st.st_mode);
}

int
base_open(struct base *b, const char *path)
{
	memset(b, 0, sizeof(*b));
	b->fd = -1;
	if (is_link(path))
		return refuse_base(b, "it is a symbolic link");
	if ((b->path = realpath(path, NULL)) == NULL ||
	    (b->fd = sys_openat2(AT_FDCWD, b->path, O_RDONLY | O_DIRECTORY,
	    RESOLVE_NO_SYMLINKS)) == -1 || fstat(b->fd, &b->st) == -1) {
		base_close(b);
		return -1;
	}
	if (b->st.st_uid != geteuid() && b->st.st_uid != 0)
		return refuse_base(b, "it belongs to another user");
	if ((b->st.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
	    (b->st.st_mode & S_ISVTX) == 0)
		return refuse_base(b, "others may write in it, and it "
		    "has no sticky bit");
	sys_btime(b->fd, ".", &b->btime);
	return 0;
}

void
base_close(struct base *b)
{
	file_close(&b->fd);
	free(b->path);
	b->path = NULL;
}

/* records ---------------------------------------------------------------- */

static void
record_name(char name[ID_LEN + 8], const char *id)
{
	snprintf(name, ID_LEN + 8, "%s" SUFFIX, id);
}

static int
is_record_name(const char *name)
{
	return strspn(name, "0123456789abcdef") == ID_LEN &&
	    strcmp(name + ID_LEN, SUFFIX) == 0;
}

/* All of the record but "made", which follows when the directory is there. */
static int
write_record(int fd, const struct workdir *w)
{
	const struct base *b = w->base;
	char *text = NULL;
	size_t len;
	FILE *fp = open_memstream(&text, &len);
	int r;

	if (fp == NULL)
		return -1;
	fprintf(fp, VERSION_LINE " " VERSION_NUMBER "\nboot %s\n"
	    "base %llu %llu " TIME_FMT " ",
	    *boot_id() == '\0' ? "-" : boot_id(),
	    (unsigned long long)b->st.st_dev,
	    (unsigned long long)b->st.st_ino, TIME_ARG(b->btime));
	line_put(fp, b->path);
	fputs("\ndir ", fp);
	line_put(fp, w->name);
	putc('\n', fp);
	r = fclose(fp) == EOF ? -1 : file_write(fd, text, len);
	free(text);
	return r;
}

/*
 * A new record, locked.  A sweep that comes between its making and its lock
 * takes it for a dead one's and removes it: EAGAIN.  The lock must not be the
 * child's as well, which outlives us for a moment if we are killed.
 */
static int
create_record(struct workdir *w)
{
	char name[ID_LEN + 8];
	struct stat st;
	int saved;

	record_name(name, w->id);
	w->record = openat(w->place->fd, name, O_RDWR | O_APPEND | O_CREAT |
	    O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (w->record == -1)
		return -1;
	if (fchmod(w->record, 0600) == 0 && lock_take_alone(w->record) == 0 &&
	    fstat(w->record, &st) == 0) {
		errno = EAGAIN;
		if (st.st_nlink == 1 && write_record(w->record, w) == 0)
			return 0;
	}
	saved = errno;
	unlinkat(w->place->fd, name, 0);
	file_close(&w->record);
	errno = saved;
	return -1;
}

/* In the first place that takes it. */
static int
publish(struct workdir *w, struct places *ps)
{
	struct place *p;
	size_t i;
	int why = ENOENT;

	for (i = 0; (p = places_writable(ps, i)) != NULL;
	    i = (size_t)(p - ps->p) + 1) {
		w->place = p;
		if (create_record(w) == 0)
			return 0;
		why = errno;
		if (why == EAGAIN || why == EEXIST)
			break;
	}
	w->place = NULL;
	errno = why;
	return -1;
}

static int
drop_record(struct workdir *w)
{
	char name[ID_LEN + 8];
	int r = 0;

	if (w->record == -1)
		return 0;
	record_name(name, w->id);
	if (unlinkat(w->place->fd, name, 0) == -1 && errno != ENOENT) {
		msg_path(w->place->path, "%s cannot be removed", name);
		r = -1;
	}
	file_close(&w->record);
	return r;
}

static int
parse_base(const struct base *b, int this_boot, char *const *word,
    int *ours)
{
	unsigned long long dev, ino;
	struct timespec btime;

	if (parse_u64(word[1], &dev) == -1 ||
	    parse_u64(word[2], &ino) == -1 ||
	    parse_time(word[3], &btime) == -1)
		return -1;
	/* numbers of devices are other ones after a reboot */
	*ours = strcmp(word[4], b->path) == 0 && ino == b->st.st_ino &&
	    btime.tv_sec == b->btime.tv_sec &&
	    btime.tv_nsec == b->btime.tv_nsec &&
	    (!this_boot || dev == b->st.st_dev);
	return 0;
}

static int
parse_line(struct workdir *w, const struct line_reader *r, int *this_boot,
    int *ours)
{
	char *const *word = r->word;
	unsigned long long ino;

	if (strcmp(word[0], "boot") == 0 && r->nwords == 2) {
		*this_boot = strcmp(word[1], boot_id()) == 0;
		return 0;
	}
	if (strcmp(word[0], "base") == 0 && r->nwords == 5)
		return parse_base(w->base, *this_boot, word, ours);
	if (strcmp(word[0], "dir") == 0 && r->nwords == 2) {
		free(w->name);
		w->name = strdup(word[1]);
		return w->name == NULL || *w->name == '\0' ||
		    strcmp(w->name, ".") == 0 || strcmp(w->name, "..") == 0 ||
		    strchr(w->name, '/') != NULL ? -1 : 0;
	}
	if (strcmp(word[0], "made") != 0 || r->nwords != 3 ||
	    parse_u64(word[1], &ino) == -1)
		return -1;
	w->ino = (ino_t)ino;
	return parse_time(word[2], &w->btime);
}

/*
 * The record into *w.  Returns 1 if it is of our base; 0 if it is not; -1 if
 * it cannot be read, EPROTO, or ENODATA: its owner has ended before it could
 * write it, and has made nothing.
 */
static int
read_record(struct workdir *w)
{
	struct line_reader r;
	char *buf, *last;
	size_t len;
	int got, ours = 0, this_boot = 0;

	if (file_slurp(w->record, RECORD_MAX, &buf, &len) == -1)
		return -1;
	/* what stands behind the last newline was being written */
	last = memrchr(buf, '\n', len);
	len = last == NULL ? 0 : (size_t)(last - buf) + 1;
	line_open(&r, "record", buf, len);
	got = line_next(&r);
	if (got == 1 && (r.nwords != 2 ||
	    strcmp(r.word[0], VERSION_LINE) != 0 ||
	    strcmp(r.word[1], VERSION_NUMBER) != 0))
		got = -1;
	while (got == 1 && (got = line_next(&r)) == 1)
		if (parse_line(w, &r, &this_boot, &ours) == -1)
			got = -1;
	free(buf);
	if (got == 0 && w->name != NULL)
		return ours;
	errno = got == 0 ? ENODATA : EPROTO;
	return -1;
}

/* making ----------------------------------------------------------------- */

/* The directory has been made: note which it is. */
static int
note(struct workdir *w)
{
	char line[96];
	struct stat st;
	int n;

	if ((w->fd = wipe_open(w->base->fd, w->name)) == -1 ||
	    fstat(w->fd, &st) == -1)
		return -1;
	sys_btime(w->fd, ".", &w->btime);
	w->ino = st.st_ino;
	n = snprintf(line, sizeof(line), "made %llu " TIME_FMT "\n",
	    (unsigned long long)w->ino, TIME_ARG(w->btime));
	return file_write(w->record, line, (size_t)n);
}

static int
make_dir(struct workdir *w)
{
	mode_t old = umask(077);
	int r = mkdirat(w->base->fd, w->name, 0700), saved = errno;

	umask(old);
	errno = saved;
	return r;
}

/* One attempt: -1 with nothing left; EAGAIN or EEXIST is worth another. */
static int
make(struct workdir *w, struct places *ps, const char *prefix)
{
	int saved;

	random_id(w->id);
	if (asprintf(&w->name, "%s.%s", prefix, w->id) == -1) {
		w->name = NULL;
		return -1;
	}
	if ((w->path = path_join(w->base->path, w->name)) == NULL)
		return -1;
	if (publish(w, ps) == -1)
		return -1;
	if (make_dir(w) == 0) {
		if (note(w) == 0)
			return 0;
		saved = errno;
		unlinkat(w->base->fd, w->name, AT_REMOVEDIR);
	} else
		saved = errno;
	drop_record(w);
	errno = saved;
	return -1;
}

static void
init(struct workdir *w, const struct base *b)
{
	memset(w, 0, sizeof(*w));
	w->base = b;
	w->fd = w->record = -1;
}

int
workdir_make(struct workdir *w, struct places *ps, const struct base *b,
    const char *prefix)
{
	int i;

	for (i = 0; i < ATTEMPTS; i++) {
		init(w, b);
		if (make(w, ps, prefix) == 0) {
			/* cleaners of temporary files heed such locks */
			flock(w->fd, LOCK_SH | LOCK_NB);
			flock(w->place->fd, LOCK_SH | LOCK_NB);
			return 0;
		}
		if (errno != EAGAIN && errno != EEXIST)
			break;
		workdir_close(w);
	}
	if (w->place == NULL)
		msg_path(b->path, "no place takes the record of a work "
		    "directory");
	else
		msg_path(b->path, "no work directory can be made");
	workdir_close(w);
	return -1;
}

void
workdir_close(struct workdir *w)
{
	file_close(&w->fd);
	file_close(&w->record);
	free(w->name);
	free(w->path);
	w->name = w->path = NULL;
}

int
workdir_keep(struct workdir *w)
{
	return drop_record(w);
}

/* removing --------------------------------------------------------------- */

/* Is the name in dirfd the directory that was made? */
static int
is_named(const struct workdir *w, int dirfd, const char *name)
{
	struct timespec btime;
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_ino != w->ino || st.st_dev != w->base->st.st_dev)
		return 0;
	sys_btime(dirfd, name, &btime);
	return btime.tv_sec == w->btime.tv_sec &&
	    btime.tv_nsec == w->btime.tv_nsec;
}

/*
 * It has been moved away, by a command outside any sandbox: /proc knows where
 * an open directory is.
 */
static int
remove_moved(struct workdir *w)
{
	char link[64], path[PATH_MAX];
	const char *name;
	struct stat st;
	ssize_t n;
	int dirfd = -1, r = -1;

	if (wipe_below(w->fd, w->path) == -1)
		return -1;
	if (fstat(w->fd, &st) == 0 && st.st_nlink == 0)
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", w->fd);
	if ((n = readlink(link, path, sizeof(path) - 1)) > 0) {
		path[n] = '\0';
		dirfd = file_parent(path, &name);
	}
	if (dirfd != -1 && is_named(w, dirfd, name))
		r = wipe_dir(w->fd, dirfd, name, path);
	else {
		errno = 0;
		msg_path(w->path, "has been moved away, and is empty there");
	}
	file_close(&dirfd);
	return r;
}

/*
 * Something else has taken its name.  What is no directory can only be
 * something of the run's, for nobody else knew the name; to remove a link
 * touches nothing that it leads to.
 */
static int
remove_other(const struct workdir *w)
{
	struct stat st;

	if (fstatat(w->base->fd, w->name, &st, AT_SYMLINK_NOFOLLOW) == -1 &&
	    errno == ENOENT)
		return 0;
	if (unlinkat(w->base->fd, w->name, 0) == 0 || errno == ENOENT)
		return 0;
	if (w->ino == 0 && unlinkat(w->base->fd, w->name, AT_REMOVEDIR) == 0)
		return 0;
	errno = 0;
	msg_path(w->path, "is not the directory that was made, and stays");
	return -1;
}

/* The directory itself; 1: it was not there. */
static int
remove_dir(struct workdir *w)
{
	if (w->fd == -1) {
		if (w->ino == 0 || !is_named(w, w->base->fd, w->name))
			return 1;
		w->fd = wipe_open(w->base->fd, w->name);
		if (w->fd == -1 && errno == EXDEV) {
			errno = 0;
			msg_path(w->path, "a mount point, left as it is");
			return -1;
		}
		if (w->fd == -1) {
			msg_path(w->path, "cannot be removed");
			return -1;
		}
	}
	if (is_named(w, w->base->fd, w->name))
		return wipe_dir(w->fd, w->base->fd, w->name, w->path);
	return remove_moved(w);
}

int
workdir_remove(struct workdir *w)
{
	if (remove_dir(w) == -1)
		return -1;
	if (remove_other(w) == -1) {
		drop_record(w);		/* not ours: no sweep may try it */
		return -1;
	}
	return drop_record(w);
}

/* sweeping --------------------------------------------------------------- */

/* Take a dead one's record: locked, and still there.  0, or -1. */
static int
take_record(struct workdir *w, struct place *p, const char *name)
{
	struct stat st;

	w->place = p;
	memcpy(w->id, name, ID_LEN);
	w->record = openat(p->fd, name,
	    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return w->record != -1 && fstat(w->record, &st) == 0 &&
	    S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    lock_held(w->record) == 0 && lock_take(w->record) == 0 &&
	    fstat(w->record, &st) == 0 && st.st_nlink == 1 ? 0 : -1;
}

static int
sweep_one(struct workdir *w, void (*told)(const char *))
{
	struct stat st;
	int ours = read_record(w), there, r;

	if (ours == -1 && errno == ENODATA)
		return drop_record(w);
	if (ours == -1) {
		errno = errno == EPROTO ? 0 : errno;
		msg_path(w->place->path, "%s%s is no record of a work "
		    "directory", w->id, SUFFIX);
		return -1;
	}
	if (ours == 0)
		return 0;
	if ((w->path = path_join(w->base->path, w->name)) == NULL)
		return -1;
	there = fstatat(w->base->fd, w->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	r = workdir_remove(w);
	if (r == 0 && there && told != NULL)
		told(w->path);
	return r;
}

static int
sweep_place(struct place *p, const struct base *b, void (*told)(const char *))
{
	struct workdir w;
	struct dirent *d;
	DIR *dir = place_opendir(p);
	int r = 0;

	if (dir == NULL) {
		msg_path(p->path, "cannot be read");
		return -1;
	}
	while ((d = readdir(dir)) != NULL) {
		if (!is_record_name(d->d_name))
			continue;
		init(&w, b);
		if (take_record(&w, p, d->d_name) == 0 &&
		    sweep_one(&w, told) == -1)
			r = -1;
		workdir_close(&w);
	}
	closedir(dir);
	return r;
}

int
workdir_sweep(struct places *ps, const struct base *b,
    void (*told)(const char *))
{
	struct place *p;
	size_t i;
	int r = 0;

	for (i = 0; (p = places_writable(ps, i)) != NULL;
	    i = (size_t)(p - ps->p) + 1)
		if (sweep_place(p, b, told) == -1)
			r = -1;
	return r;
}
