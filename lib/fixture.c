/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "fixture.h"
#include "msg.h"
#include "profile.h"
#include "sys.h"

#define BELOW	(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS)

/* keys ------------------------------------------------------------------- */

/* The components of key, written to out; why it is none, or NULL. */
static const char *
clean_into(char *out, const char *key)
{
	char *w = out;
	size_t n;

	for (; *key != '\0'; key += n) {
		key += strspn(key, "/");
		n = strcspn(key, "/");
		if (n == 0 || (n == 1 && key[0] == '.'))
			continue;
		if (n == 2 && key[0] == '.' && key[1] == '.') {
			if (w == out)
				return "leaves the work directory";
			while (w > out && *--w != '/')
				;
			continue;
		}
		if (n > NAME_MAX)
			return "has a name in it that is too long";
		if (w > out)
			*w++ = '/';
		memcpy(w, key, n);
		w += n;
	}
	*w = '\0';
	return w == out ? "is the work directory itself" : NULL;
}

char *
key_clean(const char *key, size_t len, const char **why)
{
	char *copy = strndup(key, len), *out = malloc(len + 1);

	if (copy == NULL || out == NULL)
		*why = "out of memory";
	else if (len == 0)
		*why = "is empty";
	else if (memchr(key, '\0', len) != NULL)
		*why = "has a NUL in it";
	else if (*key == '/')
		*why = "is absolute";
	else
		*why = clean_into(out, copy);
	free(copy);
	if (*why != NULL) {
		free(out);
		return NULL;
	}
	return out;
}

static int
refuse_key(const char *key, size_t len, const char *why)
{
	char *copy = strndup(key, len);

	errno = 0;
	msg_path("-f", "the key '%s' %s", copy == NULL ? "?" : copy, why);
	free(copy);
	return -1;
}

int
fixture_add(struct fixtures *fs, const char *arg)
{
	const char *equals = strchr(arg, '='), *why;
	struct fixture *f;
	char *key, *abs, *path;

	if (equals == NULL || equals[1] == '\0') {
		errno = 0;
		msg_path(arg, "-f: KEY=PATH is wanted");
		return -1;
	}
	key = key_clean(arg, (size_t)(equals - arg), &why);
	if (key == NULL)
		return refuse_key(arg, (size_t)(equals - arg), why);
	abs = path_absolute(equals + 1);
	path = abs == NULL ? NULL : path_clean(abs);
	free(abs);
	f = path == NULL ? NULL :
	    reallocarray(fs->f, fs->n + 1, sizeof(*f));
	if (f == NULL) {
		msg_path(equals + 1, "-f");
		free(path);
		free(key);
		return -1;
	}
	fs->f = f;
	f[fs->n++] = (struct fixture){ .key = key, .path = path, .fd = -1 };
	return 0;
}

/* opening ---------------------------------------------------------------- */

/* A key is longer than what it lies in. */
static int
by_length(const void *a, const void *b)
{
	const struct fixture *x = a, *y = b;
	size_t m = strlen(x->key), n = strlen(y->key);

	return m != n ? (m > n) - (m < n) : strcmp(x->key, y->key);
}

/* Which component of the path is a link, for the message: its length. */
static int
refuse_link(const char *path)
{
	char part[PATH_MAX];
	struct stat st;
	size_t n = 0;

	do {
		n += 1 + strcspn(path + n + 1, "/");
		if (n >= sizeof(part))
			break;
		memcpy(part, path, n);
		part[n] = '\0';
		if (lstat(part, &st) == 0 && S_ISLNK(st.st_mode)) {
			errno = 0;
			msg_path(path, path[n] == '\0' ? "is a symbolic link" :
			    "leads through a symbolic link, %s", part);
			return -1;
		}
	} while (path[n] != '\0');
	errno = ELOOP;
	msg_path(path, "cannot be opened");
	return -1;
}

/* Its type is looked at first: to open a device may do something. */
static int
open_in(int parent, const char *name, struct stat *st)
{
	if (fstatat(parent, name, st, AT_SYMLINK_NOFOLLOW) == -1)
		return -1;
	if (S_ISLNK(st->st_mode)) {
		errno = ELOOP;
		return -1;
	}
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode)) {
		errno = 0;
		return -1;
	}
	return sys_openat2(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY, BELOW);
}

static int
open_path(struct fixture *f)
{
	const char *name;
	struct stat st;
	int parent;

	memset(&st, 0, sizeof(st));
	if (strcmp(f->path, "/") == 0) {
		errno = 0;
		msg_path(f->path, "cannot be a fixture");
		return -1;
	}
	if ((parent = file_parent(f->path, &name)) != -1) {
		f->fd = open_in(parent, name, &st);
		file_close(&parent);
	}
	if (f->fd != -1) {
		f->is_dir = S_ISDIR(st.st_mode);
		return 0;
	}
	if (errno == ELOOP)
		return refuse_link(f->path);
	msg_path(f->path, errno == 0 ? "is a fifo, socket or device; only "
	    "regular files and directories are copied" : "cannot be opened");
	return -1;
}

static int
refuse_pair(const struct fixture *f, const struct fixture *above,
    const char *what)
{
	errno = 0;
	msg_path("-f", "the key '%s' %s '%s'", f->key, what, above->key);
	return -1;
}

/* f lies in above, a directory: nothing of that may be in its way. */
static int
is_free_in(const struct fixture *f, const struct fixture *above)
{
	int fd = sys_openat2(above->fd, f->key + strlen(above->key) + 1,
	    O_PATH | O_NOFOLLOW, BELOW), why = errno;

	file_close(&fd);
	return fd == -1 && why == ENOENT;
}

static int
check_pair(struct fixture *f, const struct fixture *above)
{
	size_t n = strlen(above->key);

	if (strncmp(f->key, above->key, n) != 0 || f->key[n] != '/')
		return 0;
	if (!above->is_dir)
		return refuse_pair(f, above, "lies below a file,");
	if (!is_free_in(f, above))
		return refuse_pair(f, above, "is taken by what is in");
	f->above = above;
	return 0;
}

int
fixtures_open(struct fixtures *fs)
{
	size_t i, j;

	if (fs->n != 0)
		qsort(fs->f, fs->n, sizeof(*fs->f), by_length);
	/* what is wrong whatever the paths are comes first */
	for (i = 1; i < fs->n; i++)
		if (strcmp(fs->f[i].key, fs->f[i - 1].key) == 0)
			return refuse_key(fs->f[i].key, strlen(fs->f[i].key),
			    "is used twice");
	for (i = 0; i < fs->n; i++) {
		if (open_path(&fs->f[i]) == -1)
			return -1;
		for (j = 0; j < i; j++)
			if (check_pair(&fs->f[i], &fs->f[j]) == -1)
				return -1;
	}
	return 0;
}

void
fixtures_close(struct fixtures *fs)
{
	size_t i;

	for (i = 0; i < fs->n; i++) {
		file_close(&fs->f[i].fd);
		free(fs->f[i].key);
		free(fs->f[i].path);
	}
	free(fs->f);
	fs->f = NULL;
	fs->n = 0;
}

/* copying ---------------------------------------------------------------- */

/*
 * The directory in todir that the key lies in, with what is missing of it
 * made; *name is its last component.
 */
static int
make_parents(int todir, char *key, const char **name)
{
	int fd = dup(todir), up;
	char *slash;

	for (; fd != -1 && (slash = strchr(key, '/')) != NULL;
	    key = slash + 1) {
		*slash = '\0';
		up = fd;
		fd = mkdirat(up, key, 0755) == -1 && errno != EEXIST ? -1 :
		    sys_openat2(up, key, O_RDONLY | O_DIRECTORY, BELOW);
		*slash = '/';
		file_close(&up);
	}
	*name = key;
	return fd;
}

int
fixtures_copy(struct fixtures *fs, struct snapshot *s, int todir)
{
	const char *name;
	size_t i;
	int r = 0, fd;

	for (i = 0; i < fs->n && r == 0; i++) {
		if ((fd = make_parents(todir, fs->f[i].key, &name)) == -1) {
			msg_path(fs->f[i].key, "cannot be made");
			return -1;
		}
		r = snapshot_copy(s, fs->f[i].fd, fs->f[i].path, fd, name);
		file_close(&fd);
	}
	/* sealed when nothing more comes into them, parents with the rest */
	for (i = 0; i < fs->n && r == 0; i++) {
		if (fs->f[i].above != NULL)
			continue;
		if ((fd = make_parents(todir, fs->f[i].key, &name)) == -1) {
			msg_path(fs->f[i].key, "cannot be opened");
			return -1;
		}
		r = snapshot_seal(s, fd, name, fs->f[i].path);
		file_close(&fd);
	}
	if (r == 0 && !snapshot_is_whole(s)) {
		errno = 0;
		msg_path("-f", "the copies were changed while they were made");
		r = -1;
	}
	return r;
}
