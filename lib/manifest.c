/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "file.h"
#include "line.h"
#include "lock.h"
#include "manifest.h"
#include "msg.h"
#include "sys.h"

#define VERSION_LINE	"srt-manifest"
#define VERSION_NUMBER	"1"
#define HOUR_S		3600
#define ROOM_BYTES	1024	/* for the lines bubblewrap appends */

const char *
boot_id(void)
{
	static char id[40];
	ssize_t n;
	int fd;

	if (id[0] != '\0')
		return id;
	fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return "";
	n = read(fd, id, sizeof(id) - 1);
	close(fd);
	id[n > 0 ? n : 0] = '\0';
	id[strcspn(id, "\n")] = '\0';
	return id;
}

ino_t
pidns_ino(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

static int
parse_mark(struct manifest *m, char **w, size_t n)
{
	struct mark *k = reallocarray(m->mark, m->nmarks + 1, sizeof(*k));

	if (k == NULL)
		return -1;
	m->mark = k;
	if (mark_parse(&k[m->nmarks], w, n) == -1)
		return -1;
	k[m->nmarks].index = m->nmarks;
	m->nmarks++;
	return 0;
}

/* made INDEX KIND DEV INO BTIME MTIME; placed INDEX CTIME; undone INDEX */
static int
parse_note(struct manifest *m, char **w, size_t n)
{
	unsigned long long i;
	struct mark *k;

	if (n < 2 || parse_u64(w[1], &i) == -1 || i >= m->nmarks)
		return -1;
	k = &m->mark[i];
	if (strcmp(w[0], "made") == 0 && n == 7)
		return kind_parse(w[2], &k->kind) == -1 ? -1 :
		    mark_parse_inode(k, w + 3);
	if (strcmp(w[0], "placed") == 0 && n == 3)
		return mark_parse_ctime(k, w[2]);
	if (strcmp(w[0], "undone") == 0 && n == 2) {
		k->undone = 1;
		return 0;
	}
	return -1;
}

static int
parse_record(struct manifest *m, char **w, size_t n)
{
	unsigned long long v;

	if (strcmp(w[0], "boot") == 0 && n == 2) {
		m->this_boot = strcmp(w[1], boot_id()) == 0;
		return 0;
	}
	if (strcmp(w[0], "pidns") == 0 && n == 2) {
		if (parse_u64(w[1], &v) == -1)
			return -1;
		m->pidns = (ino_t)v;
		m->this_pidns = m->pidns != 0 && m->pidns == pidns_ino();
		return 0;
	}
	if (strcmp(w[0], "recorder") == 0 && n == 3)
		return 0;	/* for people */
	if (mark_is_record(w[0]))
		return parse_mark(m, w, n);
	if (strcmp(w[0], "made") == 0 || strcmp(w[0], "placed") == 0 ||
	    strcmp(w[0], "undone") == 0)
		return parse_note(m, w, n);
	m->unknown = 1;
	return 0;
}

/* What was to be made and another run has made instead is not ours. */
static void
drop_undone(struct manifest *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->nmarks; i++)
		if (m->mark[i].undone)
			free(m->mark[i].path);
		else
			m->mark[n++] = m->mark[i];
	m->nmarks = n;
}

/* bubblewrap's own line: { "child-pid": 5, ... "pid-namespace": 402 ... } */
static void
parse_json(struct manifest *m, const char *line)
{
	const char *p;

	if ((p = strstr(line, "\"child-pid\":")) == NULL)
		return;
	m->child_pid = (pid_t)strtol(p + 12, NULL, 10);
	if ((p = strstr(line, "\"pid-namespace\":")) != NULL)
		m->child_pidns = (ino_t)strtoull(p + 16, NULL, 10);
}

/*
 * The text of a manifest.  What stands behind the last newline is being
 * written and does not count yet.
 */
static int
parse(struct manifest *m, char *buf, size_t len)
{
	struct line_reader r;
	char *last;
	int got;

	last = memrchr(buf, '\n', len);
	len = last == NULL ? 0 : (size_t)(last - buf) + 1;
	line_open(&r, "manifest", buf, len);
	if (line_next(&r) != 1 || r.nwords != 2 ||
	    strcmp(r.word[0], VERSION_LINE) != 0 ||
	    strcmp(r.word[1], VERSION_NUMBER) != 0)
		goto bad;
	for (;;) {
		if (r.next < r.end && *r.next == '{') {
			last = memchr(r.next, '\n', (size_t)(r.end - r.next));
			*last = '\0';
			parse_json(m, r.next);
			r.next = last + 1;
			continue;
		}
		if ((got = line_next(&r)) == 0) {
			drop_undone(m);
			return 0;
		}
		if (got == -1 || parse_record(m, r.word, r.nwords) == -1)
			goto bad;
	}
bad:
	errno = EPROTO;
	return -1;
}

/* Has the process that was init of the sandbox ended, as far as we see? */
static int
child_runs(const struct manifest *m)
{
	char path[64];
	struct stat st;
	int pidfd, runs;

	if (m->child_pid <= 0 || !m->this_pidns)
		return 0;
	if ((pidfd = sys_pidfd_open(m->child_pid)) == -1)
		return errno != ESRCH && errno != EINVAL;
	runs = !sys_pidfd_over(pidfd);
	close(pidfd);
	if (!runs || m->child_pidns == 0 || !sys_proc_is_ours())
		return runs;
	/*
	 * A pid may have been reused.  Its namespaces can be seen where it is
	 * one of our sandboxes: we own the user namespace (ptrace(2),
	 * PTRACE_MODE_READ).
	 */
	snprintf(path, sizeof(path), "/proc/%ld/ns/pid", (long)m->child_pid);
	if (stat(path, &st) == -1)
		return errno == ENOENT && access("/proc/self", F_OK) == -1;
	return st.st_ino == m->child_pidns;
}

static int
init_held(const struct manifest *m)
{
	char name[ID_LEN + 8];
	int fd, held;

	snprintf(name, sizeof(name), "%s.init", m->id);
	fd = openat(m->place->fd, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return errno != ENOENT;
	held = lock_held(fd) != 0;
	close(fd);
	return held;
}

/*
 * Live while its own lock is held; or while init's is, and the child-pid
 * line is there (before that line the child of a killed monitor waits for
 * ever: it has done nothing and never will); or while the process it names
 * has not ended.  The lock was asked before the text was read: a lock once
 * free is never taken again, so the text is complete then.
 */
static int
judge(const struct manifest *m, int locked)
{
	if (locked || m->unknown)
		return 1;
	if (!m->this_boot && boot_id()[0] != '\0')
		return 0;
	if (m->child_pid != 0 && init_held(m))
		return 1;
	return child_runs(m);
}

static int
is_ours(int fd, struct stat *st)
{
	if (fstat(fd, st) == -1)
		return 0;
	errno = S_ISDIR(st->st_mode) ? EISDIR : EPROTO;
	if (!S_ISREG(st->st_mode))
		return 0;
	errno = EPERM;
	if (st->st_uid != geteuid())
		return 0;
	errno = EFBIG;
	return st->st_size <= MANIFEST_MAX;
}

int
manifest_read(struct place *place, const char *name, struct manifest *m)
{
	const char *dot = strchr(name, '.');
	char *buf = NULL;
	struct stat st;
	size_t len;
	int locked, saved;

	memset(m, 0, sizeof(*m));
	m->place = place;
	m->fd = openat(place->fd, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (m->fd == -1)
		return -1;
	if (dot == NULL || dot - name != ID_LEN) {
		errno = EPROTO;
		goto bad;
	}
	memcpy(m->id, name, ID_LEN);
	m->claimed = strcmp(dot, ".claimed") == 0;
	if (!is_ours(m->fd, &st) || (locked = lock_held(m->fd)) == -1 ||
	    file_slurp(m->fd, MANIFEST_MAX, &buf, &len) == -1)
		goto bad;
	m->mtime_s = st.st_mtim.tv_sec;
	if (parse(m, buf, len) == -1)
		goto bad;
	free(buf);
	m->locked = locked;
	m->live = judge(m, locked);
	return 0;
bad:
	saved = errno;
	free(buf);
	manifest_free(m);
	errno = saved;
	return -1;
}

void
manifest_free(struct manifest *m)
{
	size_t i;

	file_close(&m->fd);
	for (i = 0; i < m->nmarks; i++)
		free(m->mark[i].path);
	free(m->mark);
	m->mark = NULL;
	m->nmarks = 0;
}

/* No manifest, held by nobody, and an hour old: it stops counting. */
static int
is_stale_junk(struct place *place, const char *name)
{
	struct stat st;
	int fd, held;

	if (fstatat(place->fd, name, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    st.st_mtim.tv_sec > time(NULL) - HOUR_S)
		return 0;
	fd = openat(place->fd, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return 1;
	held = S_ISREG(st.st_mode) && lock_held(fd) != 0;
	close(fd);
	return !held;
}

static int
has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), s = strlen(suffix);

	return n > s && strcmp(name + n - s, suffix) == 0;
}

static int
read_one(struct place *place, const char *name, struct manifests *set)
{
	struct manifest *m;

	m = reallocarray(set->m, set->n + 1, sizeof(*m));
	if (m == NULL)
		return -1;
	set->m = m;
	if (manifest_read(place, name, &m[set->n]) == 0)
		set->n++;
	else if (errno == ENOENT || errno == ESTALE)
		return 0;	/* collected meanwhile, or renamed: see below */
	else {
		int saved = errno;

		if (is_stale_junk(place, name))
			return 0;
		errno = saved;
		return -1;
	}
	return 0;
}

/*
 * One pass over a directory.  A manifest that is claimed between readdir(3)
 * and open(2) has gone from its name: it is looked for under the other.
 */
static int
read_place(struct place *place, struct manifests *set, char **bad)
{
	char other[NAME_MAX + 16];
	struct dirent *d;
	DIR *dir;
	size_t before;
	int saved, r = 0;

	if ((dir = place_opendir(place)) == NULL) {
		*bad = strdup(place->path);
		return -1;
	}
	while (r == 0 && (errno = 0, d = readdir(dir)) != NULL) {
		if (!has_suffix(d->d_name, ".manifest") &&
		    !has_suffix(d->d_name, ".claimed"))
			continue;
		before = set->n;
		r = read_one(place, d->d_name, set);
		if (r == 0 && set->n == before &&
		    has_suffix(d->d_name, ".manifest")) {
			snprintf(other, sizeof(other), "%.*s.claimed",
			    (int)strcspn(d->d_name, "."), d->d_name);
			r = read_one(place, other, set);
		}
		if (r == -1)
			*bad = path_join(place->path, d->d_name);
	}
	if (r == 0 && errno != 0) {
		*bad = strdup(place->path);
		r = -1;
	}
	saved = errno;
	closedir(dir);
	errno = saved;
	return r;
}

int
manifests_read(struct places *ps, struct manifests *set, char **bad)
{
	size_t i;
	int saved;

	memset(set, 0, sizeof(*set));
	*bad = NULL;
	for (i = 0; i < ps->n; i++) {
		if (ps->p[i].unreadable) {
			*bad = strdup(ps->p[i].path);
			manifests_free(set);
			errno = EACCES;
			return -1;
		}
		if (ps->p[i].fd == -1)
			continue;
		if (read_place(&ps->p[i], set, bad) == -1) {
			saved = errno;
			manifests_free(set);
			errno = saved;
			return -1;
		}
	}
	return 0;
}

void
manifests_free(struct manifests *set)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		manifest_free(&set->m[i]);
	free(set->m);
	set->m = NULL;
	set->n = 0;
}

/* Our own start time in clock ticks since boot, proc(5); 0 if not to be had */
static unsigned long long
start_time(void)
{
	char buf[1024], *p;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC), field;
	ssize_t n;

	if (fd == -1)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	buf[n] = '\0';
	/* comm, field 2, may hold anything; the last ) ends it */
	if ((p = strrchr(buf, ')')) == NULL)
		return 0;
	for (field = 2; field < 22 && p != NULL; field++)
		p = strchr(p + 1, ' ');
	return p == NULL ? 0 : strtoull(p + 1, NULL, 10);
}

static int
text_of(const struct mark *marks, size_t n, char **buf, size_t *len)
{
	FILE *fp = open_memstream(buf, len);
	size_t i;
	int bad;

	if (fp == NULL)
		return -1;
	fprintf(fp, VERSION_LINE " " VERSION_NUMBER "\nboot %s\npidns %llu\n"
	    "recorder %ld %llu\n", *boot_id() == '\0' ? "-" : boot_id(),
	    (unsigned long long)pidns_ino(), (long)getpid(), start_time());
	for (i = 0; i < n; i++)
		mark_print(&marks[i], fp);
	bad = ferror(fp);
	if (fclose(fp) == EOF || bad)
		errno = ENOMEM;
	else if (*len <= MANIFEST_MAX - ROOM_BYTES)
		return 0;
	else
		errno = EFBIG;
	free(*buf);
	*buf = NULL;
	return -1;
}

static int
create_locked(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL |
	    O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd == -1)
		return -1;
	if (fchmod(fd, 0600) == -1 || lock_take(fd) == -1) {
		unlinkat(dirfd, name, 0);
		file_close(&fd);
	}
	return fd;
}

/*
 * Room for notes and for what bubblewrap appends: it must not be stopped
 * half way by a full disk.  A file system that cannot promise it is used
 * all the same.
 */
static int
set_room_aside(int fd, size_t len, size_t nmarks)
{
	size_t room = ROOM_BYTES + nmarks * 128;

	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)len, (off_t)room) == 0 ||
	    errno == EOPNOTSUPP || errno == ENOSYS)
		return 0;
	return -1;
}

static int
publish_in(struct place *p, const char *id, const char *text, size_t len,
    size_t nmarks, int *manifest, int *init)
{
	char tmp[ID_LEN + 16], name[ID_LEN + 16], initname[ID_LEN + 16];
	int saved;

	snprintf(tmp, sizeof(tmp), "%s.tmp", id);
	snprintf(name, sizeof(name), "%s.manifest", id);
	snprintf(initname, sizeof(initname), "%s.init", id);
	if ((*init = create_locked(p->fd, initname)) == -1)
		return -1;
	if ((*manifest = create_locked(p->fd, tmp)) == -1)
		goto no_manifest;
	if (file_write(*manifest, text, len) == 0 &&
	    set_room_aside(*manifest, len, nmarks) == 0 &&
	    renameat(p->fd, tmp, p->fd, name) == 0)
		return 0;
	saved = errno;
	unlinkat(p->fd, tmp, 0);
	file_close(manifest);
	errno = saved;
no_manifest:
	saved = errno;
	unlinkat(p->fd, initname, 0);
	file_close(init);
	errno = saved;
	return -1;
}

void
random_id(char *id)
{
	unsigned char raw[ID_LEN / 2];
	size_t i;

	while (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		;
	for (i = 0; i < sizeof(raw); i++)
		snprintf(id + 2 * i, 3, "%02x", raw[i]);
}

static int
publish_first(struct places *ps, const char *text, size_t len, size_t nmarks,
    struct vouch *v)
{
	size_t i;

	for (i = 0; i < ps->n; i++) {
		struct place *p = &ps->p[i];

		if (p->fd == -1 || !p->writable)
			continue;
		if (publish_in(p, v->id, text, len, nmarks, &v->manifest[0],
		    &v->init[0]) == 0) {
			v->place[0] = p;
			return 0;
		}
		p->why = errno;
	}
	return -1;
}

int
manifest_say_why(struct places *ps, const struct vouch *v)
{
	struct place *second = places_second(ps);
	size_t i;

	if (v->place[0] != NULL && second != NULL) {
		errno = second->why;
		msg_path(second->path, "SRT_PLACE cannot be used");
		return 1;
	}
	for (i = 0; i < ps->n; i++) {
		errno = ps->p[i].why != 0 ? ps->p[i].why :
		    ps->p[i].unwritable_why;
		msg_path(ps->p[i].path, "cannot hold a manifest");
	}
	return 0;
}

int
manifest_publish(struct places *ps, const struct mark *marks, size_t n,
    struct vouch *v)
{
	struct place *second = places_second(ps);
	char *text;
	size_t len;
	int r = -1, saved;

	vouch_init(v);
	random_id(v->id);
	if (text_of(marks, n, &text, &len) == -1)
		return -1;
	if (publish_first(ps, text, len, n, v) == -1)
		goto out;
	if (second != NULL && second != v->place[0]) {
		if (second->fd == -1)
			goto withdraw;
		if (publish_in(second, v->id, text, len, n, &v->manifest[1],
		    &v->init[1]) == -1) {
			second->why = errno;
			goto withdraw;
		}
		v->place[1] = second;
	}
	r = 0;
out:
	saved = errno;
	free(text);
	errno = saved;
	return r;
withdraw:
	manifest_withdraw(v);
	goto out;
}

int
manifest_append(const struct vouch *v, const char *text, size_t len)
{
	if (lseek(v->manifest[0], 0, SEEK_END) + (off_t)len >
	    MANIFEST_MAX - ROOM_BYTES) {
		errno = EFBIG;	/* nobody could read it */
		return -1;
	}
	if (file_write(v->manifest[0], text, len) == -1)
		return -1;
	if (v->manifest[1] != -1)
		return file_write(v->manifest[1], text, len);
	return 0;
}

int
manifest_names_nothing(const struct vouch *v)
{
	char buf[8192];
	ssize_t n;

	if (v->manifest[0] == -1)
		return 1;
	n = pread(v->manifest[0], buf, sizeof(buf) - 1, 0);
	if (n < 0 || n == (ssize_t)sizeof(buf) - 1)
		return 0;	/* long enough to name something */
	buf[n] = '\0';
	return strstr(buf, "\nmake ") == NULL &&
	    strstr(buf, "\nrely ") == NULL && strstr(buf, "\nkeep ") == NULL;
}

void
manifest_withdraw(struct vouch *v)
{
	char name[ID_LEN + 16];
	int i;

	for (i = 0; i < 2; i++) {
		if (v->manifest[i] == -1 || v->place[i] == NULL)
			continue;
		snprintf(name, sizeof(name), "%s.manifest", v->id);
		unlinkat(v->place[i]->fd, name, 0);
		snprintf(name, sizeof(name), "%s.init", v->id);
		unlinkat(v->place[i]->fd, name, 0);
	}
	vouch_close(v);
}

int
vouch_unlock(struct vouch *v, int host)
{
	char path[64];
	int i, fd;

	for (i = 0; i < 2; i++) {
		file_close(&v->init[i]);
		if (v->manifest[i] == -1)
			continue;
		snprintf(path, sizeof(path), "proc/self/fd/%d",
		    v->manifest[i]);
		fd = openat(host, path, O_RDWR | O_APPEND | O_CLOEXEC);
		if (fd == -1)
			return -1;
		file_close(&v->manifest[i]);
		v->manifest[i] = fd;
	}
	return 0;
}

void
vouch_init(struct vouch *v)
{
	memset(v, 0, sizeof(*v));
	v->manifest[0] = v->manifest[1] = v->init[0] = v->init[1] = -1;
}

void
vouch_close(struct vouch *v)
{
	int i;

	for (i = 0; i < 2; i++) {
		file_close(&v->manifest[i]);
		file_close(&v->init[i]);
	}
}

int
manifest_end_stray(struct place *place, const char *id)
{
	char name[ID_LEN + 8];
	struct stat st;

	snprintf(name, sizeof(name), "%s.init", id);
	if (fstatat(place->fd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return 0;
	return child_end_holders(&st, 1);
}
