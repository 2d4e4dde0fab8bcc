/* SPDX-License-Identifier: ISC */
/*
 * cover.h, in namespaces of the driver's own: covers hold, on the very file
 * that was recorded; what has changed since is found.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "cover.h"
#include "exits.h"
#include "sys.h"
#include "unit.h"

static const char *dir;
static int host;
static struct plan plan;
static struct record record;
static struct mark *marks;	/* the record may grow them */

static char *
in_dir(const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) == -1)
		exit(1);
	return path;
}

static void
start(void)
{
	memset(&plan, 0, sizeof(plan));
	memset(&record, 0, sizeof(record));
	marks = calloc(400, sizeof(*marks));
	if (marks == NULL)
		abort();
	record.vouch.manifest[0] = record.vouch.manifest[1] = -1;
	record.vouch.init[0] = record.vouch.init[1] = -1;
	record.mark = marks;
}

/* A placeholder, made here and now, that the record names. */
static struct mark *
placeholder(const char *name, enum kind kind, mode_t mode)
{
	struct mark *k = &marks[record.nmarks++];

	k->path = in_dir(name);
	k->kind = kind;
	k->mode = mode;
	if ((kind == KIND_DIR ? mkdir(k->path, mode) : mknod(k->path,
	    (kind == KIND_SOCKET ? S_IFSOCK : S_IFREG) | mode, 0)) == -1 ||
	    mark_note(k, AT_FDCWD, k->path) == -1) {
		perror(k->path);
		exit(1);
	}
	return k;
}

static int
cover(void)
{
	struct cover c;

	if (cover_prepare(&c, &plan, &record) == -1) {
		perror("cover_prepare");
		exit(1);
	}
	c.host = host;	/* we are inside already */
	return cover_all(&c);
}

static int
is_covered(const char *path)
{
	int fd = open(path, O_PATH | O_NOFOLLOW), yes;

	yes = fd != -1 && sys_is_mount_root(fd) == 1;
	close(fd);
	return yes;
}

static void
refuses_all(const char *path)
{
	CHECK_INT(open(path, O_WRONLY | O_NONBLOCK), -1);
	CHECK_INT(errno, EROFS);
	CHECK_INT(open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600), -1);
	CHECK_INT(errno, EROFS);
	CHECK_INT(chmod(path, 0777), -1);
	CHECK_INT(errno, EROFS);
	CHECK_INT(unlink(path), -1);
	CHECK_INT(errno, EBUSY);
	CHECK_INT(rename(path, "elsewhere"), -1);
	CHECK_INT(errno, EBUSY);
	unit_write("mine", "x");
	CHECK_INT(rename("mine", path), -1);
	CHECK_INT(errno, EBUSY);
	CHECK_INT(unlink("mine"), 0);
}

static void
placeholders(void)
{
	char c;
	struct stat st;
	struct mark *k;
	int fd;

	start();
	umask(077);
	placeholder("a", KIND_SOCKET, 0444);
	placeholder("b", KIND_FILE, 0644);
	placeholder("c", KIND_FILE, 0555);
	placeholder("d", KIND_DIR, 0755);
	placeholder("d/e", KIND_SOCKET, 0444);
	k = placeholder("kept", KIND_SOCKET, 0444);
	k->role = ROLE_KEEP;
	CHECK_INT(cover(), 0);
	umask(022);
	for (k = marks; k < marks + record.nmarks; k++) {
		if (k->kind == KIND_DIR || k->role == ROLE_KEEP) {
			CHECK(!is_covered(k->path));
			continue;
		}
		CHECK(is_covered(k->path));
		refuses_all(k->path);
		CHECK(lstat(k->path, &st) == 0 && S_ISREG(st.st_mode) &&
		    st.st_size == 0);
		CHECK_INT(st.st_mode & 07777, k->mode);
		fd = open(k->path, O_RDONLY);
		CHECK_INT(read(fd, &c, 1), 0);
		close(fd);
	}
	/* a sibling is as free as before */
	unit_write("d/free", "x");
	CHECK_INT(unlink("d/free"), 0);
	/* and nothing is left of what was needed meanwhile */
	CHECK_INT(access("/dev/null", F_OK), 0);
	CHECK_INT(access("/dev/0444", F_OK), -1);
}

static void
many(void)
{
	char name[32];
	int i;

	start();
	for (i = 0; i < 400; i++) {
		snprintf(name, sizeof(name), "many.%d", i);
		placeholder(name, i % 2 ? KIND_SOCKET : KIND_FILE, 0444);
	}
	CHECK_INT(cover(), 0);
	for (i = 0; i < 400; i++)
		CHECK(is_covered(marks[i].path));
}

static void
changed_placeholders(void)
{
	struct mark *k;

	start();
	k = placeholder("gone", KIND_SOCKET, 0444);
	unlink(k->path);
	CHECK_INT(cover(), EXIT_AGAIN);

	start();
	k = placeholder("other", KIND_SOCKET, 0444);
	rename(k->path, "other.old");
	unit_write("other", "theirs");
	CHECK_INT(cover(), EXIT_AGAIN);
	CHECK(!is_covered(k->path));

	start();
	k = placeholder("linked", KIND_FILE, 0444);
	rename(k->path, "linked.old");
	CHECK_INT(symlink("linked.old", "linked"), 0);
	CHECK_INT(cover(), EXIT_AGAIN);

	start();
	mkdir("parent", 0755);
	k = placeholder("parent/x", KIND_FILE, 0444);
	rename("parent", "parent.old");
	CHECK_INT(symlink("parent.old", "parent"), 0);
	CHECK_INT(cover(), EXIT_AGAIN);
	CHECK(!is_covered("parent.old/x"));
	/* even then nothing is left in the way */
	CHECK_INT(access("/dev/null", F_OK), 0);
}

static void
links(void)
{
	char to[16] = "";

	start();
	unit_write("target", "t");
	CHECK_INT(symlink("target", "link"), 0);
	CHECK_INT(symlink("nowhere", "dangling"), 0);
	plan_add_link(&plan, in_dir("link"));
	plan_add_link(&plan, in_dir("dangling"));
	CHECK_INT(cover(), 0);
	CHECK_INT(unlink("link"), -1);
	CHECK_INT(errno, EBUSY);
	CHECK_INT(unlink("dangling"), -1);
	CHECK_INT(errno, EBUSY);
	unit_write("mine", "x");
	CHECK_INT(rename("mine", "link"), -1);
	CHECK_INT(errno, EBUSY);
	CHECK(readlink("link", to, sizeof(to) - 1) == 6 &&
	    strcmp(to, "target") == 0);
	CHECK_INT(access("link", R_OK), 0);
	CHECK_INT(access("nowhere", F_OK), -1);

	start();
	plan_add_link(&plan, in_dir("target"));
	CHECK_INT(cover(), EXIT_AGAIN);
	start();
	plan_add_link(&plan, in_dir("no-link"));
	CHECK_INT(cover(), EXIT_AGAIN);
}

static void
bind_ro(const char *from, const char *to)
{
	CHECK_INT(mount(from, to, NULL, MS_BIND, NULL), 0);
	CHECK_INT(mount(NULL, to, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY,
	    NULL), 0);
}

static int
cover_op(enum op_type type, const char *name)
{
	char *path = in_dir(name);

	plan.nops = 0;
	plan_add_op(&plan, type, path, 0);
	free(path);
	return cover();
}

static void
binds(void)
{
	start();
	unit_write("ro", "r");
	unit_write("ro2", "r");
	CHECK_INT(cover_op(OP_RO, "ro"), EXIT_AGAIN);	/* no mount */
	CHECK_INT(mount("ro", "ro", NULL, MS_BIND, NULL), 0);
	CHECK_INT(cover_op(OP_RO, "ro"), EXIT_AGAIN);	/* writable */
	umount("ro");
	bind_ro("ro2", "ro");
	CHECK_INT(cover_op(OP_RO, "ro"), EXIT_AGAIN);	/* another file */
	umount("ro");
	bind_ro("ro", "ro");
	CHECK_INT(cover_op(OP_RO, "ro"), 0);
	CHECK_INT(cover_op(OP_RO, "none"), EXIT_AGAIN);

	mkdir("hidden", 0755);
	CHECK_INT(cover_op(OP_HIDE, "hidden"), EXIT_AGAIN);
	CHECK_INT(cover_op(OP_MASK, "ro2"), EXIT_AGAIN);
	CHECK_INT(mount("tmpfs", "hidden", "tmpfs", 0, NULL), 0);
	CHECK_INT(cover_op(OP_HIDE, "hidden"), 0);
	bind_ro("ro", "ro2");
	CHECK_INT(cover_op(OP_MASK, "ro2"), 0);
}

/*
 * The path went before bubblewrap came to it, which then made an empty file
 * outside: named as ours.  A user's own is not.
 */
static void
adopts(void)
{
	char text[4096];
	FILE *manifest = fopen("manifest", "w+");

	start();
	record.vouch.manifest[0] = fileno(manifest);
	unit_write("made", "");
	chmod("made", 0444);
	unit_write("source", "s");
	bind_ro("source", "made");
	CHECK_INT(cover_op(OP_RO, "made"), EXIT_AGAIN);
	rewind(manifest);
	text[fread(text, 1, sizeof(text) - 1, manifest)] = '\0';
	CHECK(strncmp(text, "rely file 0444 ", 15) == 0);
	CHECK(strstr(text, "/made\n") != NULL);

	unit_write("theirs", "content");
	chmod("theirs", 0444);
	bind_ro("source", "theirs");
	CHECK_INT(cover_op(OP_RO, "theirs"), EXIT_AGAIN);
	unit_write("theirs2", "");
	bind_ro("source", "theirs2");
	CHECK_INT(cover_op(OP_RO, "theirs2"), EXIT_AGAIN);
	rewind(manifest);
	text[fread(text, 1, sizeof(text) - 1, manifest)] = '\0';
	CHECK(strstr(text, "theirs") == NULL);
	fclose(manifest);
}

static int
enter(void)
{
	char uid[64], gid[64];

	snprintf(uid, sizeof(uid), "%u %u 1\n", geteuid(), geteuid());
	snprintf(gid, sizeof(gid), "%u %u 1\n", getegid(), getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == -1)
		return -1;
	unit_write("/proc/self/setgroups", "deny");
	unit_write("/proc/self/uid_map", uid);
	unit_write("/proc/self/gid_map", gid);
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int
main(void)
{
	dir = unit_dir();
	host = open("/", O_PATH | O_DIRECTORY);
	unit_inside(enter, placeholders);
	unit_inside(enter, many);
	unit_inside(enter, changed_placeholders);
	unit_inside(enter, links);
	unit_inside(enter, binds);
	unit_inside(enter, adopts);
	unit_rmdir(dir);
	return unit_failures != 0;
}
