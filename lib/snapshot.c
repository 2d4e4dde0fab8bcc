/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "file.h"
#include "msg.h"
#include "snapshot.h"
#include "sys.h"
#include "trail.h"
#include "wipe.h"

#define CHUNK_BYTES	(4 << 20)	/* between two ticks */
#define TICK_ENTRIES	16		/* likewise */
#define BUF_BYTES	(128 << 10)
#define MANY_FILES	64		/* are written to disk together */

#define BELOW	(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS)
#define DIR_FLAGS	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
/* A device or fifo that was put there must not stop us. */
#define FILE_FLAGS	(O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

/* Messages.  They return -1, for the caller to return. */

static int
not_copied(const struct trail *at)
{
	trail_msg(at, "cannot be copied");
	return -1;
}

static int
refuse(const struct trail *at, const char *why)
{
	errno = 0;
	trail_msg(at, "%s", why);
	return -1;
}

static int
refuse_changed(const struct trail *at)
{
	return refuse(at, "has changed while it was copied");
}

static int
refuse_type(const struct trail *at, int type)
{
	if (type == DT_LNK)
		return refuse(at, "is a symbolic link; only regular files and "
		    "directories are copied");
	return refuse(at, "is a fifo, socket or device; only regular files "
	    "and directories are copied");
}

static int
tick(const struct snapshot *s)
{
	return s->tick == NULL ? 0 : s->tick(s);
}

static int
tick_entry(struct snapshot *s)
{
	return s->entries++ % TICK_ENTRIES == 0 ? tick(s) : 0;
}

/*
 * Once refused it is not tried again: an ordinary user never may, and many file
 * systems have no such flag.  But -1 where it is not a refusal: the data may
 * not be on the disk (ENOSPC), and one that can be written is no fixture.
 */
static int
make_immutable(struct snapshot *s, int fd)
{
	if (s->no_flag || flag_set(fd) == 0)
		return 0;
	s->no_flag = errno == EPERM || errno == EACCES || errno == ENOTTY ||
	    errno == EOPNOTSUPP || errno == EINVAL || errno == ENOSYS;
	return s->no_flag ? 0 : -1;
}

/*
 * Whether a file is written to disk before it becomes immutable: by ext4,
 * fs/ext4/ioctl.c, ext4_ioctl_setflags(), which may be below an overlay.  Many
 * are faster written together, and get the flag when they are sealed.
 */
static int
is_flagged_late(int dirfd)
{
	struct statfs fs;

	return fstatfs(dirfd, &fs) == 0 && (fs.f_type == EXT4_SUPER_MAGIC ||
	    fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

/* files ------------------------------------------------------------------ */

/* Copy up to len bytes at off by hand; 0 at end of file. */
static ssize_t
read_write(int in, int out, off_t off, size_t len)
{
	static char buf[BUF_BYTES];
	size_t done = 0;
	ssize_t n;

	n = pread(in, buf, len < sizeof(buf) ? len : sizeof(buf), off);
	if (n <= 0)
		return n;
	while (done < (size_t)n) {
		ssize_t w = pwrite(out, buf + done, (size_t)n - done,
		    off + (off_t)done);

		if (w == -1)
			return -1;
		done += (size_t)w;
	}
	return n;
}

/*
 * The same by copy_file_range(2), as long as it can do it: between two file
 * systems it often cannot, and of some it copies nothing without an error.
 */
static ssize_t
copy_some(struct snapshot *s, int in, int out, off_t off, size_t len)
{
	off_t from = off, to = off;
	ssize_t n;

	if (!s->no_range) {
		n = copy_file_range(in, &from, out, &to, len, 0);
		if (n > 0)
			return n;
		if (n == -1 && errno != EXDEV && errno != EINVAL &&
		    errno != ENOSYS && errno != EOPNOTSUPP && errno != EPERM)
			return -1;
		s->no_range = n == -1;
	}
	return read_write(in, out, off, len);
}

/* Everything from off to end.  0, -1 with errno, or what tick gave. */
static int
copy_range(struct snapshot *s, int in, int out, off_t off, off_t end)
{
	ssize_t n;
	int r;

	while (off < end) {
		off_t len = end - off;

		n = copy_some(s, in, out, off,
		    len < CHUNK_BYTES ? (size_t)len : CHUNK_BYTES);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? ESTALE : errno;
			return -1;
		}
		off += n;
		s->bytes += (unsigned long long)n;
		if (off < end && (r = tick(s)) != 0)
			return r;
	}
	return 0;
}

/* Only where there is data: holes stay holes. */
static int
copy_sparse(struct snapshot *s, int in, int out, off_t size)
{
	off_t data, hole = 0;
	int r;

	if (ftruncate(out, size) == -1)
		return -1;
	while (hole < size) {
		if ((data = lseek(in, hole, SEEK_DATA)) == -1)
			return errno == ENXIO ? 0 : -1;
		/* somebody's own file system could lead us in a circle */
		if (data < hole) {
			errno = EIO;
			return -1;
		}
		if ((hole = lseek(in, data, SEEK_HOLE)) <= data) {
			errno = hole == -1 ? errno : EIO;
			return -1;
		}
		if (hole > size)
			hole = size;
		if ((r = copy_range(s, in, out, data, hole)) != 0 ||
		    (r = tick(s)) != 0)
			return r;
	}
	return 0;
}

static int
copy_data(struct snapshot *s, int in, int out, const struct stat *st)
{
	if (!s->no_clone) {
		if (ioctl(out, FICLONE, in) == 0) {
			s->bytes += (unsigned long long)st->st_size;
			return 0;
		}
		s->no_clone = 1;
	}
	if (st->st_blocks * 512 < st->st_size)
		return copy_sparse(s, in, out, st->st_size);
	return copy_range(s, in, out, 0, st->st_size);
}

/*
 * Whole as of one moment: nothing has changed since it was opened.  A file of
 * the kernel's making has no size, and more in it all the same.
 */
static int
is_unchanged(int in, const struct stat *before)
{
	struct stat now;
	char c;

	return fstat(in, &now) == 0 && now.st_size == before->st_size &&
	    now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == before->st_mtim.tv_nsec &&
	    (now.st_size != 0 || read(in, &c, 1) == 0);
}

static int
copy_file(struct snapshot *s, int in, const struct stat *st, int todir,
    const char *name, const struct trail *at)
{
	unsigned long long before = s->bytes;
	int out = openat(todir, name, O_WRONLY | O_CREAT | O_EXCL |
	    O_NOFOLLOW | O_CLOEXEC, 0444), r;

	if (out == -1)
		return not_copied(at);
	r = copy_data(s, in, out, st);
	if (r == -1 && errno != ESTALE)
		not_copied(at);
	else if (r == -1 || (r == 0 && !is_unchanged(in, st)))
		r = refuse_changed(at);
	if (r == 0 && !s->flag_late && make_immutable(s, out) == -1)
		r = not_copied(at);
	/* some file systems say only now that there is no room */
	if (close(out) == -1 && r == 0)
		r = not_copied(at);
	/* for snapshot_is_whole(): the size, with the holes */
	s->bytes = before + (unsigned long long)st->st_size;
	s->files++;
	return r;
}

/* trees ------------------------------------------------------------------ */

static int copy_dir(struct snapshot *, int *, int, const char *,
    const struct trail *, int);

/* The open file or directory *fd, which is closed. */
static int
copy_open(struct snapshot *s, int *fd, int todir, const char *name,
    const struct trail *at, int depth)
{
	struct stat st;
	int r;

	if (fstat(*fd, &st) == -1)
		r = not_copied(at);
	else if (S_ISREG(st.st_mode))
		r = copy_file(s, *fd, &st, todir, name, at);
	else if (S_ISDIR(st.st_mode))
		r = copy_dir(s, fd, todir, name, at, depth);
	else
		r = refuse_type(at, (int)IFTODT(st.st_mode));
	file_close(fd);
	return r;
}

/* Gone, or other than it was, or moved out of the directory: EXDEV. */
static int
is_race(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP ||
	    error == EXDEV;
}

static int
copy_entry(struct snapshot *s, int from, int type, int todir,
    const struct trail *at, int depth)
{
	int fd, r;

	if ((r = tick_entry(s)) != 0)
		return r;
	type = dir_type(from, at->name, type);
	if (type != DT_REG && type != DT_DIR && type != DT_UNKNOWN)
		return refuse_type(at, type);
	fd = sys_openat2(from, at->name,
	    type == DT_DIR ? DIR_FLAGS : FILE_FLAGS, BELOW);
	if (fd == -1)
		return is_race(errno) ? refuse_changed(at) : not_copied(at);
	return copy_open(s, &fd, todir, at->name, at, depth);
}

static int
copy_entries(struct snapshot *s, DIR *dir, int to, const struct trail *at,
    int depth)
{
	struct trail here = { at, NULL };
	struct dirent *d;
	int r;

	while ((errno = 0, d = readdir(dir)) != NULL) {
		here.name = d->d_name;
		if (!dir_is_dot(d->d_name) && (r = copy_entry(s, dirfd(dir),
		    d->d_type, to, &here, depth)) != 0)
			return r;
	}
	return errno == 0 ? 0 : not_copied(at);
}

/* The directory *fd, which is closed. */
static int
copy_dir(struct snapshot *s, int *fd, int todir, const char *name,
    const struct trail *at, int depth)
{
	DIR *dir;
	int to, r;

	if (depth == SNAPSHOT_DEPTH)
		return refuse(at, "is too deep to be copied");
	if (mkdirat(todir, name, 0700) == -1 ||
	    (to = sys_openat2(todir, name, DIR_FLAGS, BELOW)) == -1)
		return not_copied(at);
	if ((dir = fdopendir(*fd)) == NULL) {
		close(to);
		return not_copied(at);
	}
	*fd = -1;
	r = copy_entries(s, dir, to, at, depth + 1);
	closedir(dir);
	close(to);
	return r;
}

int
snapshot_copy(struct snapshot *s, int fd, const char *path, int todir,
    const char *name)
{
	const struct trail root = { NULL, path };
	mode_t old = umask(0);
	int own = dup(fd), r;

	s->no_clone = s->no_range = 0;
	s->flag_late = is_flagged_late(todir);
	r = own == -1 ? not_copied(&root) :
	    copy_open(s, &own, todir, name, &root, 0);
	umask(old);
	return r;
}

/* sealing ---------------------------------------------------------------- */

static int seal(struct snapshot *, int, int, const struct trail *);

static int
is_copy(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 1 &&
	    (st->st_mode & 07777) == 0444;
}

static int
seal_file(struct snapshot *s, int dirfd, const struct trail *at)
{
	struct stat st;
	int fd = -1, r;

	if (!s->flag_late || s->no_flag)
		r = fstatat(dirfd, at->name, &st, AT_SYMLINK_NOFOLLOW);
	else {
		fd = sys_openat2(dirfd, at->name, FILE_FLAGS, BELOW);
		r = fd == -1 ? -1 : fstat(fd, &st);
	}
	if (r == -1 || !is_copy(&st)) {
		file_close(&fd);
		return refuse_changed(at);
	}
	r = 0;
	if (fd != -1) {
		if (make_immutable(s, fd) == -1)
			r = not_copied(at);
		/* the first one has shown that we may */
		if (!s->no_flag && s->seen_files == 0 &&
		    s->files >= MANY_FILES)
			syncfs(fd);
	}
	file_close(&fd);
	s->seen_files++;
	s->seen_bytes += (unsigned long long)st.st_size;
	return r;
}

static int
seal_dir(struct snapshot *s, int parent, const struct trail *at)
{
	struct trail here = { at, NULL };
	int fd = sys_openat2(parent, at->name, DIR_FLAGS, BELOW), r = 0;
	struct dirent *d;
	DIR *dir;

	if (fd == -1 || (dir = fdopendir(fd)) == NULL) {
		file_close(&fd);
		return refuse_changed(at);
	}
	while (r == 0 && (d = readdir(dir)) != NULL) {
		here.name = d->d_name;
		if (!dir_is_dot(d->d_name))
			r = seal(s, fd, d->d_type, &here);
	}
	if (r == 0 && (fchmod(fd, 0555) == -1 || make_immutable(s, fd) == -1))
		r = not_copied(at);
	closedir(dir);
	return r;
}

static int
seal(struct snapshot *s, int dirfd, int type, const struct trail *at)
{
	int r = tick_entry(s);

	if (r != 0)
		return r;
	type = dir_type(dirfd, at->name, type);
	if (type == DT_DIR)
		return seal_dir(s, dirfd, at);
	return type == DT_REG ? seal_file(s, dirfd, at) : refuse_changed(at);
}

int
snapshot_seal(struct snapshot *s, int dirfd, const char *name,
    const char *path)
{
	const struct trail root = { NULL, path }, at = { &root, name };

	return seal(s, dirfd, DT_UNKNOWN, &at);
}

int
snapshot_is_whole(const struct snapshot *s)
{
	return s->files == s->seen_files && s->bytes == s->seen_bytes;
}
