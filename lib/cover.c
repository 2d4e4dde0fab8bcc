/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cover.h"
#include "exits.h"
#include "file.h"
#include "msg.h"
#include "sys.h"

/*
 * Where the empty file is kept while it is copied over placeholders.  Any
 * directory of the sandbox will do; it is uncovered again before "go".
 */
#define SHELF "/dev"

static int
open_inside(const char *path)
{
	return sys_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW,
	    RESOLVE_NO_SYMLINKS);
}

/*
 * Empty files of the run's own, one per mode: if sandboxes shared one, a
 * lease on it would stop others that open it.
 */
static int
shelf_up(void)
{
	return mount("tmpfs", SHELF, "tmpfs", MS_NOSUID | MS_NODEV,
	    "mode=755,size=64k");
}

/* An open read-only empty file of that mode: a mount of it, to be closed. */
static int
empty_file(mode_t mode)
{
	char name[32];
	mode_t old;
	int fd, copy;

	snprintf(name, sizeof(name), SHELF "/%04o", (unsigned)mode);
	old = umask(0);
	fd = open(name, O_RDONLY | O_CREAT | O_CLOEXEC, mode);
	umask(old);
	if (fd == -1)
		return -1;
	copy = sys_open_tree(fd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
	file_close(&fd);
	return copy;
}

static int
shelf_down(void)
{
	return umount2(SHELF, MNT_DETACH);
}

/*
 * Put the mount copy on the open target, read-only.  Before mount_setattr(2)
 * was there (Linux 5.12) a mount could be made so only where it is in place;
 * the command has not started then.
 */
static int
put_on(int copy, int target, const char *path)
{
	const unsigned long long set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
	    MOUNT_ATTR_NODEV;
	int late = 0;

	if (sys_mount_setattr(copy, 0, set) == -1) {
		if (errno != ENOSYS)
			return -1;
		late = 1;
	}
	if (sys_move_mount(copy, "", target, "",
	    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == -1)
		return -1;
	return late ? mount(NULL, path, NULL, MS_REMOUNT | MS_BIND |
	    MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) : 0;
}

/* Does path now lead to the file that was put there? */
static int
leads_to(const char *path, const struct stat *want)
{
	int fd = open_inside(path);
	struct stat st;
	int yes;

	yes = fd != -1 && fstat(fd, &st) == 0 &&
	    st.st_ino == want->st_ino && st.st_dev == want->st_dev;
	file_close(&fd);
	return yes;
}

static int
cover_mark(const struct mark *k)
{
	int fd = open_inside(k->path), copy = -1, status = EXIT_AGAIN;
	struct stat st, empty;

	if (fd == -1 || fstat(fd, &st) == -1 || st.st_ino != k->ino ||
	    st.st_dev != k->dev)
		goto out;
	if ((copy = empty_file(k->mode)) == -1 || fstat(copy, &empty) == -1 ||
	    put_on(copy, fd, k->path) == -1) {
		if (errno != ENOENT) {
			msg_path(k->path, "cannot be covered");
			status = EXIT_OURS;
		}
	} else if (leads_to(k->path, &empty))
		status = 0;
out:
	file_close(&copy);
	file_close(&fd);
	return status;
}

static int
cover_link(const char *path)
{
	int fd = open_inside(path), copy = -1, status = EXIT_AGAIN;
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISLNK(st.st_mode))
		goto out;
	copy = sys_open_tree(fd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
	if (copy == -1 || sys_move_mount(copy, "", fd, "",
	    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == -1) {
		if (errno != ENOENT) {
			msg_path(path, "link cannot be covered");
			status = EXIT_OURS;
		}
	} else
		status = 0;
out:
	file_close(&copy);
	file_close(&fd);
	return status;
}

/* A mount of its own at path, read-only if ro; *st is what it shows. */
static int
is_mounted(const char *path, int ro, struct stat *st)
{
	int fd = open_inside(path), yes = 0;
	struct statvfs vfs;

	if (fd == -1)
		return 0;
	if (fstatvfs(fd, &vfs) == 0 && fstat(fd, st) == 0)
		yes = sys_is_mount_root(fd) == 1 && (!ro ||
		    (vfs.f_flag & ST_RDONLY) != 0);
	file_close(&fd);
	return yes;
}

/*
 * bubblewrap makes a mount point that has gone by itself, an empty file of
 * mode 0444.  Nobody else has named it: this run does.
 */
static int
adopt(struct record *r, const char *path, const struct stat *st, int host)
{
	struct mark k;

	if (r->vouch.manifest[0] == -1 || !S_ISREG(st->st_mode) ||
	    st->st_size != 0 || (st->st_mode & 07777) != 0444 ||
	    st->st_nlink != 1)
		return 0;
	memset(&k, 0, sizeof(k));
	k.role = ROLE_RELY;
	k.kind = KIND_FILE;
	k.mode = 0444;
	k.path = (char *)(uintptr_t)path;
	return mark_note(&k, host, path + 1) == -1 ? -1 : record_adopt(r, &k);
}

/* What is bound over itself must be what stands there outside. */
static int
check_bind(struct record *r, const char *path, int host)
{
	struct stat in, out;

	if (!is_mounted(path, 1, &in) ||
	    fstatat(host, path + 1, &out, AT_SYMLINK_NOFOLLOW) == -1)
		return EXIT_AGAIN;
	if (in.st_ino == out.st_ino && in.st_dev == out.st_dev)
		return 0;
	if (adopt(r, path, &out, host) == -1)
		msg_path(path, "made by bubblewrap, cannot be noted");
	return EXIT_AGAIN;
}

static int
check_op(struct record *r, const struct op *op, int host)
{
	struct stat st;

	if (op->path[1] == '\0')
		return 0;	/* the root */
	switch (op->type) {
	case OP_RO:
		return check_bind(r, op->path, host);
	case OP_HIDE:
	case OP_MASK:
		return is_mounted(op->path, 0, &st) ? 0 : EXIT_AGAIN;
	default:
		return 0;
	}
}

static int
is_covered(const struct mark *k)
{
	return k->kind != KIND_DIR && k->role != ROLE_KEEP;
}

int
cover_all(const struct plan *p, struct record *r, int host)
{
	size_t i;
	int status = 0, any = 0;

	for (i = 0; i < r->nmarks; i++)
		any |= is_covered(&r->mark[i]);
	if (any && shelf_up() == -1) {
		msg_path("tmpfs", "cannot be mounted in the sandbox");
		return EXIT_OURS;
	}
	for (i = 0; i < r->nmarks && status == 0; i++)
		if (is_covered(&r->mark[i]))
			status = cover_mark(&r->mark[i]);
	if (any && shelf_down() == -1) {
		msg_path(SHELF, "cannot be uncovered in the sandbox");
		return EXIT_OURS;
	}
	for (i = 0; i < p->nlinks && status == 0; i++)
		status = cover_link(p->link[i]);
	for (i = 0; i < p->nops && status == 0; i++)
		status = check_op(r, &p->op[i], host);
	return status;
}
