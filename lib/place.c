/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "lock.h"
#include "manifest.h"
#include "place.h"

#define NAME "srt-mount-points"

enum { LOOK, MAKE };

/* Real path of the parent, with the last component as it is. */
static char *
real_but_last(const char *path)
{
	char dir[PATH_MAX], *slash, *real, *joined;

	if (strlcpy(dir, path, sizeof(dir)) >= sizeof(dir)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	slash = strrchr(dir, '/');
	*slash = '\0';
	real = realpath(slash == dir ? "/" : dir, NULL);
	if (real == NULL)
		return NULL;
	joined = path_join(real, slash + 1);
	free(real);
	return joined;
}

/* Ours and nobody else's?  A runtime directory counts only like that. */
static int
is_private_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	    st.st_uid == geteuid() && (st.st_mode & 07777) == 0700;
}

static int
parent_writable(const char *path)
{
	const char *name;
	int fd = file_parent(path, &name), ok;

	if (fd == -1)
		return 0;
	ok = faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) == 0;
	file_close(&fd);
	return ok;
}

/* mkdir(2) with exactly 0700, whatever the umask. */
static int
mkdir_private(const char *path)
{
	mode_t old = umask(077);
	int r = mkdir(path, 0700), saved = errno;

	umask(old);
	errno = saved;
	return r;
}

/* A directory of the user's that its mode closes. */
static int
is_closed(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	    st.st_uid == geteuid();
}

static int
open_dir(struct place *p, int how)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

	if (how == MAKE && mkdir_private(p->path) == -1 && errno != EEXIST) {
		p->why = errno;
		if (access(p->path, F_OK) == -1)
			return -1;
	}
	p->fd = open(p->path, flags);
	if (p->fd == -1 && errno == EACCES && is_closed(p->path)) {
		if (how == MAKE && chmod(p->path, 0700) == 0)
			p->fd = open(p->path, flags);
		p->unreadable = p->fd == -1;
		errno = EACCES;
	}
	if (p->fd == -1) {
		if (errno != ENOENT || p->why == 0)
			p->why = errno;
		return -1;
	}
	return 0;
}

DIR *
place_opendir(const struct place *p)
{
	int fd = openat(p->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd == -1 ? NULL : fdopendir(fd);

	if (dir == NULL)
		file_close(&fd);
	return dir;
}

/* ID.manifest and the like, and the lock. */
static int
is_our_name(const char *name)
{
	size_t n = strspn(name, "0123456789abcdef");

	return strcmp(name, "lock") == 0 || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0 || (n == ID_LEN && name[n] == '.');
}

/*
 * A directory that the environment names may be any of the user's, named by
 * mistake: it is not narrowed, nor hidden, unless it looks like a place.
 */
static int
holds_only_ours(const struct place *p)
{
	struct dirent *d;
	DIR *dir = place_opendir(p);
	int ours = 1;

	if (dir == NULL)
		return 0;
	while (ours && (d = readdir(dir)) != NULL)
		ours = is_our_name(d->d_name);
	closedir(dir);
	return ours;
}

/*
 * Never where anybody but the user can put files, and never in a file
 * system of the kernel's own making.
 */
static int
usable(struct place *p, int how)
{
	struct stat st;

	if (fstat(p->fd, &st) == -1)
		return errno;
	if (st.st_uid != geteuid())
		return EPERM;
	if (p->named && !holds_only_ours(p))
		return ENOTEMPTY;
	if ((st.st_mode & 07777) != 0700 && how == MAKE &&
	    fchmod(p->fd, 0700) == -1)
		return errno;
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	p->writable = faccessat(p->fd, ".", W_OK | X_OK, AT_EACCESS) == 0;
	p->unwritable_why = p->writable ? 0 : errno;
	return 0;
}

static int
add(struct places *ps, const char *path, int second, int how)
{
	struct place *p = &ps->p[ps->n];
	size_t i;

	memset(p, 0, sizeof(*p));
	p->fd = p->mutex = -1;
	p->second = second;
	p->named = second;
	if ((p->path = real_but_last(path)) == NULL) {
		p->why = errno;
		p->path = strdup(path);
		ps->n++;
		return p->path == NULL ? -1 : 0;
	}
	ps->n++;
	if (path_within(p->path, "/dev") || path_within(p->path, "/proc") ||
	    path_within(p->path, "/sys")) {
		p->why = EINVAL;
		return 0;
	}
	if (open_dir(p, how) == -1) {
		p->makeable = p->why == ENOENT && parent_writable(p->path);
		return 0;
	}
	if ((p->why = usable(p, how)) != 0) {
		file_close(&p->fd);
		return 0;
	}
	for (i = 0; i + 1 < ps->n; i++)
		if (ps->p[i].fd != -1 && ps->p[i].dev == p->dev &&
		    ps->p[i].ino == p->ino) {
			ps->p[i].second |= p->second;
			file_close(&p->fd);
			free(p->path);
			ps->n--;
			break;
		}
	return 0;
}

/*
 * The environment differs between logins, cron and services: its places are
 * for those who have no other.
 */
static int
add_from_environment(struct places *ps, int how)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR"), *tmp = getenv("TMPDIR");
	char path[PATH_MAX];

	if (xdg != NULL && *xdg == '/') {
		snprintf(path, sizeof(path), "%s/" NAME, xdg);
		if (add(ps, path, 0, how) == -1)
			return -1;
	}
	if (tmp != NULL && *tmp == '/') {
		snprintf(path, sizeof(path), "%s/" NAME "-%lu", tmp,
		    (unsigned long)geteuid());
		if (add(ps, path, 0, how) == -1)
			return -1;
	}
	return 0;
}

static int
find(struct places *ps, int how)
{
	const char *second = getenv("SRT_PLACE");
	unsigned long uid = geteuid();
	char path[PATH_MAX];
	size_t i;
	int any = 0;

	memset(ps, 0, sizeof(*ps));
	snprintf(path, sizeof(path), "/var/tmp/" NAME "-%lu", uid);
	if (add(ps, path, 0, how) == -1)
		return -1;
	snprintf(path, sizeof(path), "/run/user/%lu", uid);
	if (is_private_dir(path)) {
		strlcat(path, "/" NAME, sizeof(path));
		if (add(ps, path, 0, how) == -1)
			return -1;
	}
	snprintf(path, sizeof(path), "/tmp/" NAME "-%lu", uid);
	if (add(ps, path, 0, how) == -1)
		return -1;
	for (i = 0; i < ps->n; i++)
		any |= ps->p[i].writable || ps->p[i].makeable;
	if (!any && add_from_environment(ps, how) == -1)
		return -1;
	if (second != NULL && *second != '\0') {
		if (*second != '/' || strlen(second) >= sizeof(path)) {
			errno = EINVAL;
			return -1;
		}
		strlcpy(path, second, sizeof(path));
		while (strlen(path) > 1 && path[strlen(path) - 1] == '/')
			path[strlen(path) - 1] = '\0';
		return add(ps, path, 1, how);
	}
	return 0;
}

int
places_look(struct places *ps)
{
	return find(ps, LOOK);
}

int
places_make(struct places *ps)
{
	return find(ps, MAKE);
}

void
places_close(struct places *ps)
{
	size_t i;

	places_unlock(ps);
	for (i = 0; i < ps->n; i++) {
		file_close(&ps->p[i].fd);
		free(ps->p[i].path);
	}
	ps->n = 0;
}

struct place *
places_writable(struct places *ps, size_t i)
{
	/* $SRT_PLACE alone serves those that share nothing else */
	for (; i < ps->n; i++)
		if (ps->p[i].fd != -1 && ps->p[i].writable)
			return &ps->p[i];
	return NULL;
}

struct place *
places_second(struct places *ps)
{
	size_t i;

	for (i = 0; i < ps->n; i++)
		if (ps->p[i].second)
			return &ps->p[i];
	return NULL;
}

int
places_lock(struct places *ps, struct place **who, long *holder)
{
	size_t i;

	for (i = 0; i < ps->n; i++) {
		if (ps->p[i].fd == -1 || !ps->p[i].writable)
			continue;
		if (ps->p[i].mutex != -1)
			continue;
		ps->p[i].mutex = lock_mutex(ps->p[i].fd, holder);
		/* no room for a lock file: no room for a manifest either */
		if (ps->p[i].mutex == -1 && errno != ENOSPC &&
		    errno != EDQUOT) {
			*who = &ps->p[i];
			return -1;
		}
	}
	return 0;
}

void
places_unlock(struct places *ps)
{
	size_t i;

	for (i = 0; i < ps->n; i++)
		file_close(&ps->p[i].mutex);
}
