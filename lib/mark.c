/* SPDX-License-Identifier: ISC */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "line.h"
#include "mark.h"
#include "sys.h"

static const char *const roles[] = { "make", "rely", "keep" };
static const char *const kinds[] = { "socket", "file", "dir" };

/* The index of word among n of them, or -1. */
static int
find_word(const char *const *words, int n, const char *word)
{
	int i;

	for (i = 0; i < n; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

int
parse_u64(const char *word, unsigned long long *n)
{
	char *end;

	errno = 0;
	*n = strtoull(word, &end, 10);
	return errno == 0 && isdigit((unsigned char)*word) && *end == '\0' ?
	    0 : -1;
}

int
parse_time(const char *word, struct timespec *ts)
{
	char *end;

	errno = 0;
	ts->tv_sec = strtoll(word, &end, 10);
	if (errno != 0 || end == word || *end != '.' || strlen(end) != 10 ||
	    !isdigit((unsigned char)end[1]))
		return -1;
	ts->tv_nsec = strtol(end + 1, &end, 10);
	return *end == '\0' ? 0 : -1;
}

static int
parse_mode(const char *word, mode_t *mode)
{
	char *end;
	unsigned long m = strtoul(word, &end, 8);

	*mode = (mode_t)m;
	return *word != '\0' && *end == '\0' && m <= 07777 ? 0 : -1;
}

const char *
kind_name(enum kind k)
{
	return kinds[k];
}

int
kind_parse(const char *word, enum kind *k)
{
	int i = find_word(kinds, 3, word);

	*k = (enum kind)i;
	return i == -1 ? -1 : 0;
}

int
mark_is_record(const char *word)
{
	return find_word(roles, 3, word) != -1;
}

int
mark_parse_inode(struct mark *k, char **w)
{
	unsigned long long dev, ino;

	if (parse_u64(w[0], &dev) == -1 || parse_u64(w[1], &ino) == -1 ||
	    parse_time(w[2], &k->btime) == -1 ||
	    parse_time(w[3], &k->mtime) == -1)
		return -1;
	k->dev = (dev_t)dev;
	k->ino = (ino_t)ino;
	k->noted |= NOTED_INODE;
	return 0;
}

int
mark_parse_ctime(struct mark *k, const char *w)
{
	if (parse_time(w, &k->ctime) == -1)
		return -1;
	k->noted |= NOTED_CTIME;
	return 0;
}

int
mark_parse(struct mark *k, char **w, size_t n)
{
	int role = find_word(roles, 3, w[0]), kind;

	memset(k, 0, sizeof(*k));
	if (role == -1 || n != (role == ROLE_MAKE ? 4 : 9) ||
	    *w[n - 1] != '/')
		return -1;
	if ((kind = find_word(kinds, 3, w[1])) == -1 ||
	    parse_mode(w[2], &k->mode) == -1)
		return -1;
	k->role = (enum role)role;
	k->kind = (enum kind)kind;
	if (k->role != ROLE_MAKE && (mark_parse_inode(k, w + 3) == -1 ||
	    mark_parse_ctime(k, w[7]) == -1))
		return -1;
	if (k->ctime.tv_sec == 0 && k->ctime.tv_nsec == 0)
		k->noted &= ~NOTED_CTIME;	/* 0.0: not known */
	k->path = strdup(w[n - 1]);
	return k->path == NULL ? -1 : 0;
}

void
mark_print(const struct mark *k, FILE *fp)
{
	fprintf(fp, "%s %s %04o ", roles[k->role], kinds[k->kind],
	    (unsigned)k->mode);
	if (k->role != ROLE_MAKE)
		fprintf(fp, "%llu %llu " TIME_FMT " " TIME_FMT " " TIME_FMT
		    " ", (unsigned long long)k->dev,
		    (unsigned long long)k->ino, TIME_ARG(k->btime),
		    TIME_ARG(k->mtime), TIME_ARG(k->ctime));
	line_put(fp, k->path);
	putc('\n', fp);
}

int
mark_note(struct mark *k, int dirfd, const char *name)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return -1;
	k->dev = st.st_dev;
	k->ino = st.st_ino;
	k->mtime = st.st_mtim;
	k->ctime = st.st_ctim;
	k->noted = NOTED_INODE | NOTED_CTIME;
	sys_btime(dirfd, name, &k->btime);
	return 0;
}

static int
same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static int
is_known(const struct timespec *t)
{
	return t->tv_sec != 0 || t->tv_nsec != 0;
}

int
mark_matches(const struct mark *k, const struct stat *st,
    const struct timespec *btime, int other_boot)
{
	if ((k->noted & NOTED_INODE) == 0 || st->st_ino != k->ino ||
	    (!other_boot && st->st_dev != k->dev) ||
	    st->st_uid != geteuid())
		return 0;
	if (is_known(&k->btime) && is_known(btime) &&
	    !same_time(&k->btime, btime))
		return 0;
	switch (k->kind) {
	case KIND_SOCKET:
		return S_ISSOCK(st->st_mode) && st->st_nlink == 1;
	case KIND_FILE:
		return S_ISREG(st->st_mode) && st->st_nlink == 1 &&
		    st->st_size == 0 && same_time(&st->st_mtim, &k->mtime) &&
		    ((k->noted & NOTED_CTIME) == 0 ||
		    same_time(&st->st_ctim, &k->ctime));
	case KIND_DIR:
		return S_ISDIR(st->st_mode);
	}
	return 0;
}

int
mark_is_at(const struct mark *k, int dirfd, const char *name, int other_boot,
    struct stat *st)
{
	struct timespec btime;

	if (fstatat(dirfd, name, st, AT_SYMLINK_NOFOLLOW) == -1)
		return 0;
	sys_btime(dirfd, name, &btime);
	return mark_matches(k, st, &btime, other_boot);
}

int
mark_is_same(const struct mark *a, const struct mark *b)
{
	return (a->noted & b->noted & NOTED_INODE) != 0 &&
	    strcmp(a->path, b->path) == 0 && a->ino == b->ino &&
	    a->dev == b->dev && same_time(&a->btime, &b->btime);
}
