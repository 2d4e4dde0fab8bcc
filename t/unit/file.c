/* SPDX-License-Identifier: ISC */
/* Helpers on files and paths. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "file.h"
#include "unit.h"

/* slurp ------------------------------------------------------------------ */

/* A file of n bytes, 'a' to 'z' over and over, open for reading. */
static int
file_of(size_t n)
{
	FILE *fp = tmpfile();
	size_t i;

	if (fp == NULL)
		exit(1);
	for (i = 0; i < n; i++)
		putc('a' + (int)(i % 26), fp);
	fflush(fp);
	rewind(fp);
	lseek(fileno(fp), 0, SEEK_SET);
	return fileno(fp);
}

static void
slurp_of(size_t n, size_t max)
{
	char *buf = NULL;
	size_t len = 0, i;
	int fd = file_of(n), r;

	errno = 0;
	r = file_slurp(fd, max, &buf, &len);
	close(fd);
	if (n > max) {
		CHECK_INT(r, -1);
		CHECK_INT(errno, EFBIG);
		return;
	}
	CHECK_INT(r, 0);
	CHECK_INT(len, n);
	for (i = 0; r == 0 && i < n; i++)
		if (buf[i] != 'a' + (int)(i % 26))
			break;
	CHECK_INT(i, n);
	if (r == 0) {
		CHECK_INT(buf[n], '\0');	/* the spare byte */
		free(buf);
	}
}

static void
slurp(void)
{
	const size_t sizes[] = { 0, 1, 4094, 4095, 4096, 4097, 8191, 8192,
	    8193, 100000 };
	size_t i, len;
	char *buf;
	int p[2], fd;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		slurp_of(sizes[i], 1 << 20);
		slurp_of(sizes[i], sizes[i]);
		if (sizes[i] > 0)
			slurp_of(sizes[i], sizes[i] - 1);
	}
	if (pipe(p) == -1)
		exit(1);
	CHECK_INT(file_write(p[1], "a\0b", 3), 0);
	close(p[1]);
	CHECK_INT(file_slurp(p[0], 10, &buf, &len), 0);
	CHECK_INT(len, 3);
	CHECK(memcmp(buf, "a\0b", 4) == 0);
	free(buf);
	close(p[0]);
	CHECK_INT(file_slurp(-1, 10, &buf, &len), -1);
	CHECK_INT(errno, EBADF);
	if ((fd = open(".", O_RDONLY | O_DIRECTORY)) == -1)
		exit(1);
	CHECK_INT(file_slurp(fd, 10, &buf, &len), -1);
	CHECK_INT(errno, EISDIR);
	close(fd);
}

static void
writing(void)
{
	int fd = open("/dev/full", O_WRONLY), p[2];
	char *big = calloc(1, 1 << 20), *buf;
	size_t len;

	if (fd == -1 || big == NULL || pipe(p) == -1)
		exit(1);
	CHECK_INT(file_write(fd, "x", 1), -1);
	CHECK_INT(errno, ENOSPC);
	CHECK_INT(file_write(fd, "", 0), 0);
	close(fd);
	/* more than a pipe holds goes in several writes */
	if (fork() == 0) {
		close(p[0]);
		_exit(file_write(p[1], big, 1 << 20) != 0);
	}
	close(p[1]);
	CHECK_INT(file_slurp(p[0], 1 << 20, &buf, &len), 0);
	CHECK_INT(len, 1 << 20);
	free(buf);
	free(big);
	close(p[0]);
	wait(NULL);
}

static void
descriptors(void)
{
	int fd = open("/dev/zero", O_RDONLY), old = fd, saved = dup(0);
	char *self, real[PATH_MAX];
	struct stat st;
	char c;

	errno = EXDEV;
	file_close(&fd);
	CHECK_INT(fd, -1);
	CHECK_INT(errno, EXDEV);
	CHECK_INT(fcntl(old, F_GETFD), -1);
	errno = EXDEV;
	file_close(&fd);
	CHECK_INT(errno, EXDEV);
	CHECK(file_null_stdin() != -1);
	CHECK_INT(read(0, &c, 1), 0);
	CHECK(fstat(0, &st) == 0 && S_ISCHR(st.st_mode));
	dup2(saved, 0);
	close(saved);
	self = file_self();
	CHECK_STR(self, realpath("/proc/self/exe", real));
	free(self);
}

/* parents ---------------------------------------------------------------- */

/* The inode of the directory that holds path, or 0 with errno. */
static ino_t
parent_of(const char *path, const char *name)
{
	const char *got = NULL;
	struct stat st;
	int fd;

	errno = 0;
	if ((fd = file_parent(path, &got)) == -1)
		return 0;
	CHECK_STR(got, name);
	CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
	if (fstat(fd, &st) == -1)
		st.st_ino = 0;
	close(fd);
	return st.st_ino;
}

static ino_t
ino_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == -1 ? 0 : st.st_ino;
}

static void
parents(const char *dir)
{
	char path[PATH_MAX];

#define IN(rest) (snprintf(path, sizeof(path), "%s/%s", dir, rest), path)
	if (mkdir("d", 0755) == -1 || mkdir("d/e", 0755) == -1 ||
	    symlink("d", "l") == -1 || symlink("nowhere", "dangling") == -1 ||
	    symlink("e", "d/m") == -1)
		exit(1);
	unit_write("f", "x");
	CHECK_INT(parent_of("/", ""), 0);
	CHECK_INT(errno, EINVAL);
	CHECK_INT(parent_of("x", "x"), 0);
	CHECK_INT(errno, EINVAL);
	CHECK_INT(parent_of(IN("d/"), ""), 0);
	CHECK_INT(errno, EINVAL);
	CHECK_INT(parent_of("/x", "x"), ino_of("/"));
	CHECK_INT(parent_of(IN("d/e"), "e"), ino_of("d"));
	CHECK_INT(parent_of(IN("d/e/x"), "x"), ino_of("d/e"));
	CHECK_INT(parent_of(IN("absent"), "absent"), ino_of("."));
	/* the last component may be a link, no other may */
	CHECK_INT(parent_of(IN("l"), "l"), ino_of("."));
	CHECK_INT(parent_of(IN("d/m"), "m"), ino_of("d"));
	CHECK_INT(parent_of(IN("l/e"), "e"), 0);
	CHECK_INT(errno, ELOOP);
	CHECK_INT(parent_of(IN("d/m/x"), "x"), 0);
	CHECK_INT(errno, ELOOP);
	CHECK_INT(parent_of(IN("l/e/x"), "x"), 0);
	CHECK_INT(errno, ELOOP);
	CHECK_INT(parent_of(IN("dangling/x"), "x"), 0);
	CHECK_INT(errno, ELOOP);
	CHECK_INT(parent_of(IN("f/x"), "x"), 0);
	CHECK_INT(errno, ENOTDIR);
	CHECK_INT(parent_of(IN("no/x"), "x"), 0);
	CHECK_INT(errno, ENOENT);
#undef IN
}

/* names ------------------------------------------------------------------ */

static void
clean(const char *path, const char *want)
{
	char *got = path_clean(path);

	unit_str(__FILE__, __LINE__, path, got, want);
	free(got);
}

static void
join(const char *dir, const char *name, const char *want)
{
	char *got = path_join(dir, name);

	CHECK_STR(got, want);
	free(got);
}

static void
names(void)
{
	clean("/", "/");
	clean("//", "/");
	clean("/.", "/");
	clean("/..", "/");
	clean("/../../a", "/a");
	clean("/a", "/a");
	clean("/a/", "/a");
	clean("//a///b//", "/a/b");
	clean("/./a/./b/.", "/a/b");
	clean("/a/..", "/");
	clean("/a/../b", "/b");
	clean("/a/b/../../../c", "/c");
	clean("/a/b/..", "/a");
	clean("/...", "/...");
	clean("/.a/..b/c.", "/.a/..b/c.");
	clean("/a /b\n", "/a /b\n");
	join("/", "a", "/a");
	join("/a", "b", "/a/b");
	join("/a", "b/c", "/a/b/c");
	join("/a", "", "/a/");
	CHECK(path_within("/a", "/a"));
	CHECK(path_within("/a/b", "/a"));
	CHECK(path_within("/a", "/"));
	CHECK(path_within("/", "/"));
	CHECK(!path_within("/", "/a"));
	CHECK(!path_within("/a", "/a/b"));
	CHECK(!path_within("/proj2", "/proj"));
	CHECK(!path_within("/proj", "/proj2"));
	CHECK(!path_within("/a/proj2/x", "/a/proj"));
	CHECK(path_within("/a//b", "/a"));
}

int
main(void)
{
	const char *dir = unit_dir();

	slurp();
	writing();
	descriptors();
	parents(dir);
	names();
	unit_rmdir(dir);
	return unit_failures != 0;
}
