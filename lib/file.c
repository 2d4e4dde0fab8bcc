/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "sys.h"

int
file_slurp(int fd, size_t max, char **buf, size_t *len)
{
	size_t cap = 4096, n = 0;
	char *p = malloc(cap), *bigger;
	ssize_t got;

	if (p == NULL)
		return -1;
	while ((got = read(fd, p + n, cap - 1 - n)) != 0) {
		if (got == -1 && errno == EINTR)
			continue;
		if (got == -1)
			goto fail;
		n += (size_t)got;
		if (n > max) {
			errno = EFBIG;
			goto fail;
		}
		if (n < cap - 1)
			continue;
		if ((bigger = reallocarray(p, cap, 2)) == NULL)
			goto fail;
		p = bigger;
		cap *= 2;
	}
	p[n] = '\0';
	*buf = p;
	*len = n;
	return 0;
fail:
	free(p);
	return -1;
}

int
file_write(int fd, const void *buf, size_t len)
{
	const char *p = buf;
	ssize_t n;

	while (len > 0) {
		n = write(fd, p, len);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

void
file_close(int *fd)
{
	int saved = errno;

	if (*fd != -1)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int
file_null_stdin(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), r;

	if (fd == -1)
		return -1;
	r = dup2(fd, 0);
	file_close(&fd);
	return r;
}

int
file_std_open(int flags)
{
	int fd;

	/* open(2) gives the lowest that is free */
	do
		fd = open("/dev/null", flags);
	while (fd != -1 && fd < 2);
	if (fd > 2)
		close(fd);
	return fd == -1 ? -1 : 0;
}

int
file_parent(const char *p, const char **name)
{
	const char *slash = strrchr(p, '/');
	char *dir;
	int fd, saved;

	if (slash == NULL || slash[1] == '\0') {
		errno = EINVAL;
		return -1;
	}
	*name = slash + 1;
	dir = slash == p ? strdup("/") : strndup(p, (size_t)(slash - p));
	if (dir == NULL)
		return -1;
	fd = sys_openat2(AT_FDCWD, dir, O_PATH | O_DIRECTORY | O_CLOEXEC,
	    RESOLVE_NO_SYMLINKS);
	saved = errno;
	free(dir);
	errno = saved;
	return fd;
}

int
dir_is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

int
dir_type(int dirfd, const char *name, int type)
{
	struct stat st;

	if (type != DT_UNKNOWN)
		return type;
	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1 ?
	    DT_UNKNOWN : (int)IFTODT(st.st_mode);
}

char *
file_self(void)
{
	char buf[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", buf, sizeof(buf) - 1);

	if (n == -1)
		return NULL;
	buf[n] = '\0';
	return strdup(buf);
}

char *
file_beside(const char *name)
{
	char *self = file_self(), *path = NULL, *slash;

	if (self != NULL && (slash = strrchr(self, '/')) != NULL) {
		*slash = '\0';
		path = path_join(self, name);
	}
	free(self);
	return path;
}

int
path_within(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1)	/* "/" */
		return 1;
	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/');
}

char *
path_clean(const char *abs)
{
	char *out = malloc(strlen(abs) + 2), *w = out;
	const char *p = abs;
	size_t n;

	if (out == NULL)
		return NULL;
	for (; *p != '\0'; p += n) {
		p += strspn(p, "/");
		n = strcspn(p, "/");
		if (n == 0 || (n == 1 && p[0] == '.'))
			continue;
		if (n == 2 && p[0] == '.' && p[1] == '.') {
			while (w > out && *--w != '/')
				;
			continue;
		}
		*w++ = '/';
		memcpy(w, p, n);
		w += n;
	}
	if (w == out)
		*w++ = '/';
	*w = '\0';
	return out;
}

char *
path_join(const char *dir, const char *name)
{
	char *p;

	if (asprintf(&p, "%s%s%s", dir,
	    dir[0] == '/' && dir[1] == '\0' ? "" : "/", name) == -1)
		return NULL;
	return p;
}
