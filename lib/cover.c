/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cover.h"
#include "exits.h"
#include "file.h"
#include "kind.h"
#include "msg.h"
#include "profile.h"
#include "sys.h"

/*
 * The shelf is a tmpfs of our own, in the sandbox but out of everybody's
 * reach: it is mounted on /proc, and a copy of the mount that was there is
 * put over it.  We keep a descriptor.  It must be attached somewhere, since
 * a mount can be copied only within its namespace (open_tree(2), EINVAL).
 */
#define SHELF "/proc"

#define TRIES	100	/* to cover what somebody goes on replacing */
#define AT_ONCE	10	/* of these; then he is given time to be done with it */

int
cover_hides(const struct guard *g)
{
	return g->type == GUARD_HIDDEN || g->type == GUARD_MASKED;
}

int
cover_open(const char *path)
{
	return sys_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW,
	    RESOLVE_NO_SYMLINKS);
}

int
cover_open_outside(const struct cover *c, const char *path)
{
	return sys_openat2(c->host, path + 1, O_PATH | O_NOFOLLOW,
	    RESOLVE_NO_SYMLINKS);
}

static int
shelf_up(struct cover *c)
{
	int old = sys_open_tree(AT_FDCWD, SHELF, OPEN_TREE_CLONE |
	    AT_RECURSIVE), top = -1, r = -1;

	if (old == -1 || mount("tmpfs", SHELF, "tmpfs", MS_NOSUID | MS_NODEV,
	    "mode=700,size=64k") == -1)
		goto out;
	c->shelf = open(SHELF, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	top = open(SHELF, O_PATH | O_CLOEXEC);
	if (c->shelf == -1 || top == -1)
		goto out;
	r = sys_move_mount(old, "", top, "",
	    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
out:
	file_close(&top);
	file_close(&old);
	return r;
}

/*
 * A copy of a mount of an empty file with that mode.  It is the run's own:
 * if sandboxes shared one, a lease on it would stop others that open it.
 */
static int
empty_file(struct cover *c, mode_t mode)
{
	char name[16];
	mode_t old;
	int fd, copy;

	snprintf(name, sizeof(name), "%04o", (unsigned)mode);
	old = umask(0);
	fd = openat(c->shelf, name, O_RDONLY | O_CREAT | O_CLOEXEC, mode);
	umask(old);
	if (fd == -1)
		return -1;
	copy = sys_open_tree(fd, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
	file_close(&fd);
	return copy;
}

/*
 * Put the mount copy on the open target, read-only.  Before mount_setattr(2)
 * was there (Linux 5.12) a mount could be made so only where it is in place.
 */
static int
put_on(int copy, int target, const char *path)
{
	const unsigned long long set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
	    MOUNT_ATTR_NODEV;
	int late = 0;

	if (sys_mount_setattr(copy, AT_RECURSIVE, set) == -1) {
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

/*
 * Does the directory that holds path say what kind each entry is?  Where it
 * does not, git asks lstat(2), and an empty file over a socket would be a
 * file to add.  "." is as good as any entry.
 */
static int
has_types(const char *path)
{
	const char *name;
	int dir = file_parent(path, &name), fd = -1, has = 1;
	struct dirent *d;
	DIR *fp;

	if (dir != -1)
		fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	file_close(&dir);
	if (fd == -1 || (fp = fdopendir(fd)) == NULL) {
		file_close(&fd);
		return 1;
	}
	if ((d = readdir(fp)) != NULL)
		has = d->d_type != DT_UNKNOWN;
	closedir(fp);
	return has;
}

/* Does the link still lead where it did when it was denied? */
static int
leads_there(const struct guard *g, int link)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);

	if (g->type != GUARD_LINK || g->link == NULL || n == -1)
		return 0;
	target[n] = '\0';
	return strcmp(target, g->link) == 0;
}

/*
 * The mount that belongs over the open target, as a copy to be placed.  A
 * denied path that has become a link, or leads elsewhere, reads as empty: a
 * write through it would land where nothing is denied.
 */
static int
copy_for(struct cover *c, const struct guard *g, int target)
{
	struct stat st;

	if (fstat(target, &st) == -1)
		return -1;
	/* without devices, which put_on sees to, it does not open */
	if (cover_hides(g) || S_ISFIFO(st.st_mode))
		return S_ISDIR(st.st_mode) ? sys_tmpfs() :
		    sys_open_tree(AT_FDCWD, "/dev/null", OPEN_TREE_CLONE);
	if (S_ISLNK(st.st_mode) && !leads_there(g, target))
		return empty_file(c, 0444);
	/* a placeholder, or one that was made for what has gone */
	if (g->type == GUARD_EMPTY ? (S_ISSOCK(st.st_mode) ?
	    has_types(g->path) : S_ISREG(st.st_mode) && st.st_size == 0) :
	    S_ISSOCK(st.st_mode) && (st.st_mode & 07777) == 0444)
		return empty_file(c, g->mode);
	return sys_open_tree(target, "", OPEN_TREE_CLONE | AT_EMPTY_PATH |
	    (S_ISDIR(st.st_mode) ? AT_RECURSIVE : 0));
}

static int
is_root_of_mount(int fd, int ro)
{
	struct statvfs vfs;

	return sys_is_mount_root(fd) == 1 && fstatvfs(fd, &vfs) == 0 &&
	    (!ro || (vfs.f_flag & ST_RDONLY) != 0);
}

/* Is that what stands at its path outside? */
static int
is_outside(const struct cover *c, const struct guard *g, int fd)
{
	struct stat in, out;

	return fstat(fd, &in) == 0 && fstatat(c->host, g->path + 1, &out,
	    AT_SYMLINK_NOFOLLOW) == 0 && in.st_ino == out.st_ino &&
	    in.st_dev == out.st_dev;
}

/* The directory at path, if it is the one that was pinned. */
static int
is_pinned(const struct guard *g, int fd)
{
	struct timespec btime;
	struct stat st;

	sys_btime(AT_FDCWD, g->path, &btime);
	return fstat(fd, &st) == 0 && st.st_ino == g->ino &&
	    st.st_dev == g->dev && btime.tv_sec == g->btime.tv_sec &&
	    btime.tv_nsec == g->btime.tv_nsec;
}

int
cover_holds(const struct cover *c, size_t i)
{
	const struct guard *g = &c->guard[i];
	int fd = cover_open(g->path), yes;

	if (fd == -1)
		return 0;
	/* the cover of what stood elsewhere may have been moved here with it */
	yes = g->type == GUARD_PIN ? is_pinned(g, fd) :
	    is_root_of_mount(fd, g->type == GUARD_SELF ||
	    g->type == GUARD_EMPTY) &&
	    !(cover_hides(g) && is_outside(c, g, fd));
	file_close(&fd);
	return yes;
}

/* guards ---------------------------------------------------------------- */

static struct guard *
add(struct cover *c, enum guard_type type, const char *path, int denied)
{
	struct guard *g = reallocarray(c->guard, c->n + 1, sizeof(*g));

	if (g == NULL)
		return NULL;
	c->guard = g;
	g += c->n;
	memset(g, 0, sizeof(*g));
	if ((g->path = strdup(path)) == NULL)
		return NULL;
	c->n++;
	g->type = type;
	g->root = plan_write_root(c->plan, path);
	g->denied = denied && g->root != NULL;
	if (g->denied && kind_for(path, user_home(), &g->kind, &g->mode,
	    &g->refused) == 0)
		g->refused = NULL;
	return g;
}

static const struct owned *
find_own(const struct plan *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->nowns; i++)
		if (strcmp(p->own[i].path, path) == 0)
			return &p->own[i];
	return NULL;
}

static int
is_marked(const struct plan *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->nmarks; i++)
		if (strcmp(p->mark[i].path, path) == 0)
			return 1;
	return 0;
}

/*
 * What was the user's and goes is followed, for as long as nothing else is,
 * by an empty one of its own kind: git and shells expect that.  But not the
 * .git of a linked worktree or a submodule, a file that says where the
 * repository is: it goes when they do.
 */
static int
add_bound(struct cover *c, enum guard_type type, const char *path)
{
	const struct owned *o = find_own(c->plan, path);
	struct guard *g = add(c, type, path, o != NULL ||
	    is_marked(c->plan, path));

	if (g == NULL)
		return -1;
	if (g->denied && o != NULL && S_ISREG(o->type) &&
	    strcmp(strrchr(path, '/'), "/.git") == 0)
		g->refused = "an empty one would lead git nowhere";
	if (g->denied && g->refused == NULL && o != NULL &&
	    (S_ISDIR(o->type) || S_ISREG(o->type))) {
		g->kind = S_ISDIR(o->type) ? KIND_DIR : KIND_FILE;
		g->mode = S_ISDIR(o->type) ? 0755 : 0644;
	}
	return 0;
}

static int
add_link(struct cover *c, const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	struct guard *g = add(c, GUARD_LINK, path, 1);

	if (g == NULL)
		return -1;
	target[n > 0 ? n : 0] = '\0';
	return (g->link = strdup(target)) == NULL ? -1 : 0;
}

static int
add_pin(struct cover *c, const char *path)
{
	const struct owned *o = find_own(c->plan, path);
	struct guard *g = add(c, GUARD_PIN, path, 0);
	struct stat st;

	if (g == NULL)
		return -1;
	/* what is denied below a file can be made once the file has gone */
	g->final = o != NULL;
	if (lstat(path, &st) == 0) {
		g->dev = st.st_dev;
		g->ino = st.st_ino;
		sys_btime(AT_FDCWD, path, &g->btime);
	}
	return 0;
}

/* What is not shown, because a rule says so or for a reason of ours. */
static int
add_hidden(struct cover *c, const struct op *op)
{
	if (op->type == OP_MASK) {
		if (add_bound(c, GUARD_MASKED, op->path) == -1)
			return -1;
	} else if (add(c, GUARD_HIDDEN, op->path, 0) == NULL)
		return -1;
	c->guard[c->n - 1].secret = op->n != 0;
	return 0;
}

static int
add_op(struct cover *c, const struct op *op)
{
	if (op->path[1] == '\0')
		return 0;	/* the root */
	switch (op->type) {
	case OP_RO:
		return add_bound(c, GUARD_SELF, op->path);
	case OP_MASK:
	case OP_HIDE:
		return add_hidden(c, op);
	case OP_PIN:
		return add_pin(c, op->path);
	default:
		return 0;
	}
}

static int
has(const struct cover *c, enum guard_type type, const char *path)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->guard[i].type == type &&
		    strcmp(c->guard[i].path, path) == 0)
			return 1;
	return 0;
}

int
cover_prepare(struct cover *c, const struct plan *p, struct record *r)
{
	struct guard *g;
	size_t i;

	memset(c, 0, sizeof(*c));
	c->plan = p;
	c->record = r;
	c->shelf = -1;
	c->host = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	c->view = calloc(p->nops + 1, sizeof(*c->view));
	if (c->host == -1 || c->view == NULL)
		return -1;
	/* pins first: what lies in a directory is covered after it */
	for (i = 0; i < p->nops; i++)
		if (add_op(c, &p->op[i]) == -1)
			return -1;
	for (i = 0; i < r->nmarks; i++) {
		if (r->mark[i].kind == KIND_DIR ||
		    r->mark[i].role == ROLE_KEEP ||
		    has(c, GUARD_MASKED, r->mark[i].path))
			continue;
		if ((g = add(c, GUARD_EMPTY, r->mark[i].path, 1)) == NULL)
			return -1;
		g->mode = r->mark[i].mode;
	}
	for (i = 0; i < p->nlinks; i++)
		if (add_link(c, p->link[i]) == -1)
			return -1;
	return 0;
}

/* before the command starts --------------------------------------------- */

static const struct mark *
mark_of(const struct record *r, const char *path)
{
	size_t i;

	for (i = 0; strcmp(r->mark[i].path, path) != 0; i++)
		;
	return &r->mark[i];
}

/* What stands there is what was planned, and gets the cover. */
static int
cover_first(struct cover *c, size_t i)
{
	const struct guard *g = &c->guard[i];
	int fd = cover_open(g->path), copy = -1, status = EXIT_AGAIN;
	const struct mark *k;
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1)
		goto out;
	if (g->type == GUARD_LINK && !S_ISLNK(st.st_mode))
		goto out;
	if (g->type == GUARD_EMPTY) {
		k = mark_of(c->record, g->path);
		if (st.st_ino != k->ino || st.st_dev != k->dev)
			goto out;
	}
	if ((copy = copy_for(c, g, fd)) == -1 ||
	    put_on(copy, fd, g->path) == -1) {
		if (errno != ENOENT) {
			msg_path(g->path, "cannot be covered");
			status = EXIT_OURS;
		}
	} else if (cover_holds(c, i))
		status = 0;
out:
	file_close(&copy);
	file_close(&fd);
	return status;
}

/*
 * bubblewrap makes a mount point that has gone by itself, an empty file of
 * mode 0444.  Nobody else has named it: this run does.
 */
static int
adopt(struct cover *c, const char *path)
{
	struct stat st;
	struct mark k;

	if (c->record->vouch.manifest[0] == -1 ||
	    fstatat(c->host, path + 1, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    !S_ISREG(st.st_mode) || st.st_size != 0 ||
	    (st.st_mode & 07777) != 0444 || st.st_nlink != 1)
		return 0;
	memset(&k, 0, sizeof(k));
	k.role = ROLE_RELY;
	k.kind = KIND_FILE;
	k.mode = 0444;
	k.path = (char *)(uintptr_t)path;
	return mark_note(&k, c->host, path + 1) == -1 ? -1 :
	    record_adopt(c->record, &k);
}

/* What is bound over itself must be what stands there outside. */
static int
check_self(struct cover *c, const struct guard *g)
{
	int fd = cover_open(g->path), status = EXIT_AGAIN;

	if (fd != -1 && is_root_of_mount(fd, 1)) {
		if (is_outside(c, g, fd))
			status = 0;
		else if (adopt(c, g->path) == -1)
			msg_path(g->path, "made by bubblewrap, cannot be "
			    "noted");
	}
	file_close(&fd);
	return status;
}

int
cover_all(struct cover *c)
{
	size_t i;
	int status = 0, any = 0;

	for (i = 0; i < c->n; i++)
		any |= c->guard[i].denied || c->guard[i].type == GUARD_EMPTY ||
		    c->guard[i].type == GUARD_PIN;
	if (any && shelf_up(c) == -1) {
		msg_path("tmpfs", "cannot be mounted in the sandbox");
		return EXIT_OURS;
	}
	for (i = 0; i < c->n && status == 0; i++)
		switch (c->guard[i].type) {
		case GUARD_EMPTY:
		case GUARD_LINK:
			status = cover_first(c, i);
			break;
		case GUARD_SELF:
			status = check_self(c, &c->guard[i]);
			break;
		case GUARD_HIDDEN:
		case GUARD_MASKED:
		case GUARD_PIN:
			status = cover_holds(c, i) ? 0 : EXIT_AGAIN;
			break;
		}
	return status;
}

/* while it runs --------------------------------------------------------- */

/* The buried view of the write root, made when it is first needed. */
static int
view_of(struct cover *c, const char *root)
{
	char name[32];
	size_t i;
	int fd;

	for (i = 0; strcmp(c->plan->op[i].path, root) != 0 ||
	    c->plan->op[i].type != OP_RW; i++)
		;
	if (c->view[i] > 0)
		return c->view[i];
	snprintf(name, sizeof(name), "view%zu", i);
	fd = sys_open_tree(AT_FDCWD, root, OPEN_TREE_CLONE | AT_RECURSIVE);
	if (fd == -1 || mkdirat(c->shelf, name, 0700) == -1 ||
	    sys_move_mount(fd, "", c->shelf, name, MOVE_MOUNT_F_EMPTY_PATH) ==
	    -1) {
		file_close(&fd);
		return -1;
	}
	c->view[i] = fd;
	return fd;
}

/*
 * Pin what stands there now, a directory as a rule, as bubblewrap has pinned
 * the first: by a mount on it in a view of the write root that nobody can
 * reach.
 */
static int
pin(struct cover *c, struct guard *g)
{
	const char *rel = g->path + (g->root[1] == '\0' ? 1 :
	    strlen(g->root) + 1);
	int view = view_of(c, g->root), dir = -1, copy = -1, r = -1;
	struct stat st;

	if (view == -1)
		return -1;
	dir = sys_openat2(view, rel, O_PATH | O_NOFOLLOW,
	    RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
	if (dir == -1 || fstat(dir, &st) == -1)
		goto out;
	copy = sys_open_tree(dir, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
	if (copy != -1 && sys_move_mount(copy, "", dir, "",
	    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0) {
		g->dev = st.st_dev;
		g->ino = st.st_ino;
		sys_btime(view, rel, &g->btime);
		r = 0;
	}
out:
	file_close(&copy);
	file_close(&dir);
	return r;
}

/*
 * Nothing stands at a denied path: make a placeholder again, and missing
 * directories above it, all named in the manifest first.
 */
static int
make_again(struct cover *c, size_t i)
{
	const struct guard *g = &c->guard[i];
	const char *root = g->root, *path = g->path;
	size_t made = c->record->nmarks;

	if (g->refused != NULL) {
		errno = EPERM;
		return -1;
	}
	if (record_again(c->record, path, root, g->kind, g->mode) == -1)
		return -1;
	for (; made + 1 < c->record->nmarks; made++)
		if (!has(c, GUARD_PIN, c->record->mark[made].path) &&
		    add(c, GUARD_PIN, c->record->mark[made].path, 0) == NULL)
			return -1;
	return 0;
}

/*
 * Has the write root gone, or was there none?  One that was made anew is no
 * part of its mount, and so cannot be written inside.
 */
static int
is_root_gone(const struct guard *g)
{
	return g->root == NULL ||
	    (access(g->root, W_OK) == -1 && errno != EACCES);
}

/* Errors that mean: somebody has changed what is there. */
static int
is_change(int err)
{
	return err == EEXIST || err == ENOENT || err == ENOTDIR ||
	    err == EROFS;
}

/*
 * 1 covered or away; 0 it has changed meanwhile, again; 2 to be made, which is
 * not wanted; -1 with errno
 */
static int
try_again(struct cover *c, size_t i, int make)
{
	struct guard *g = &c->guard[i];
	int target = cover_open(g->path), copy, r = 0;

	if (target == -1 && errno != ENOENT && errno != ENOTDIR)
		return errno == ELOOP ? 0 : -1;
	if (target == -1 ? !g->denied || (g->refused == NULL &&
	    is_root_gone(g)) : g->type == GUARD_PIN && is_root_gone(g)) {
		file_close(&target);
		g->away = 1;	/* a directory tells if it comes back */
		return 1;
	}
	if (target == -1 && g->refused == NULL && !make)
		return 2;
	if (target == -1)
		return make_again(c, i) == 0 || is_change(errno) ? 0 : -1;
	if (g->type == GUARD_PIN)
		r = pin(c, g) == 0;
	else if ((copy = copy_for(c, g, target)) != -1) {
		r = put_on(copy, target, g->path) == 0 && cover_holds(c, i);
		file_close(&copy);
	}
	file_close(&target);
	if (r == 1)
		g->away = 0;
	return r;
}

int
cover_again(struct cover *c, size_t i, int make)
{
	int tries, r;

	for (tries = 0; tries < TRIES; tries++) {
		if (tries > AT_ONCE)
			poll(NULL, 0, 1);
		errno = EBUSY;	/* where nothing else is in the way */
		if ((r = try_again(c, i, make)) != 0)
			return r == -1 ? -1 : r - 1;
	}
	return -1;
}
