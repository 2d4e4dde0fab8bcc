/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "claim.h"
#include "exits.h"
#include "file.h"
#include "lock.h"
#include "manifest.h"
#include "msg.h"

#define UNPUBLISHED_S 60	/* a recorder needs no second for it */

static int
has_suffix(const char *name, const char *suffix)
{
	return strlen(name) == ID_LEN + strlen(suffix) &&
	    strcmp(name + ID_LEN, suffix) == 0;
}

static int
is_there(struct place *p, const char *id, const char *suffix)
{
	char name[ID_LEN + 16];
	struct stat st;

	snprintf(name, sizeof(name), "%.*s%s", ID_LEN, id, suffix);
	return fstatat(p->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Its modification time becomes that of the claim. */
static int
claim(struct place *p, const char *name, void (*told)(const char *))
{
	char claimed[ID_LEN + 16], *path;

	snprintf(claimed, sizeof(claimed), "%.*s.claimed", ID_LEN, name);
	if (utimensat(p->fd, name, NULL, AT_SYMLINK_NOFOLLOW) == -1 ||
	    renameat(p->fd, name, p->fd, claimed) == -1) {
		msg_path(p->path, "%s cannot be claimed", name);
		return EXIT_FAIL;
	}
	if (told != NULL && (path = path_join(p->path, claimed)) != NULL) {
		told(path);
		free(path);
	}
	return 0;
}

/*
 * Without its monitor a sandbox is ending.  But its first process waits for
 * ever if the monitor was killed before it said to go on, which it says after
 * it has written child-pid: whoever holds the lock of init is ended.  Of the
 * copy in $SRT_PLACE the monitor has no lock.  Returns how many were.
 */
static int
end_stray(struct place *p, const struct manifest *m)
{
	if (m->locked || m->unknown || !m->this_boot || (m->child_pid != 0 &&
	    (!m->live || !m->this_pidns || p->second)))
		return 0;
	return manifest_end_stray(p, m->id);
}

static int
judge(struct place *p, const char *name, void (*told)(const char *))
{
	struct manifest m;
	int over;

	if (manifest_read(p, name, &m) == -1)
		return 0;	/* what cannot be read counts as live */
	if (end_stray(p, &m) > 0 && m.live) {
		manifest_free(&m);
		if (manifest_read(p, name, &m) == -1)
			return 0;
	}
	over = !m.live;
	manifest_free(&m);
	return over ? claim(p, name, told) : 0;
}

/*
 * ID.tmp, and ID.init without a manifest: left by a recorder that was killed
 * before it published anything.
 */
static void
remove_unpublished(struct place *p, const char *name)
{
	struct stat st;
	int fd;

	if (!has_suffix(name, ".tmp") && (!has_suffix(name, ".init") ||
	    is_there(p, name, ".manifest") || is_there(p, name, ".claimed") ||
	    is_there(p, name, ".tmp")))
		return;
	fd = openat(p->fd, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_mtim.tv_sec < time(NULL) - UNPUBLISHED_S &&
	    lock_held(fd) == 0)
		unlinkat(p->fd, name, 0);
	close(fd);
}

/* What the directory holds that could be of use, 0 if nothing. */
static int
is_worth_it(struct place *p)
{
	struct dirent *d;
	DIR *dir = place_opendir(p);
	int worth = 0;

	if (dir == NULL)
		return 0;
	while (!worth && (d = readdir(dir)) != NULL)
		worth = has_suffix(d->d_name, ".manifest") ||
		    has_suffix(d->d_name, ".tmp") ||
		    has_suffix(d->d_name, ".init");
	closedir(dir);
	return worth;
}

static int
claim_in(struct place *p, void (*told)(const char *))
{
	struct dirent *d;
	DIR *dir = place_opendir(p);
	int status = 0, r;

	if (dir == NULL) {
		msg_path(p->path, "cannot be read");
		return EXIT_FAIL;
	}
	while ((d = readdir(dir)) != NULL) {
		if (has_suffix(d->d_name, ".manifest")) {
			if ((r = judge(p, d->d_name, told)) != 0)
				status = r;
		} else
			remove_unpublished(p, d->d_name);
	}
	closedir(dir);
	return status;
}

int
claim_all(struct places *ps, void (*told)(const char *))
{
	size_t i;
	long holder;
	int status = 0, r;

	for (i = 0; i < ps->n; i++) {
		struct place *p = &ps->p[i];

		if (p->fd == -1 || !p->writable || !is_worth_it(p))
			continue;
		if ((p->mutex = lock_mutex(p->fd, &holder)) == -1) {
			status = errno == EAGAIN ? EXIT_AGAIN : EXIT_FAIL;
			lock_say(p->path, holder);
			continue;
		}
		if ((r = claim_in(p, told)) != 0)
			status = r;
		file_close(&p->mutex);
	}
	return status;
}
