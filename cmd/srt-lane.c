/* SPDX-License-Identifier: ISC */
/*
 * srt-lane: the profile lines for work in a linked worktree of git.
 *
 *	worktree/.git ──────> common/worktrees/NAME  (the metadata)
 *	worktree/.git <────── gitdir, in the metadata
 *	common <───────────── commondir, in the metadata
 *
 * gitrepository-layout(5) has the files, git-worktree(1), DETAILS, how they
 * point at each other.  Sandboxed commands may have had a hand in what they
 * can write of it, so all is read bounded and without following links, and
 * git is not asked: it would do what a configuration says.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exits.h"
#include "file.h"
#include "line.h"
#include "msg.h"
#include "opt.h"
#include "sys.h"

#define POINTER_MAX 4096	/* bytes */

static const char usage[] = "srt-lane [-hV] [--branch-only] [-C dir] "
    "[worktree]";

static const struct option longopts[] = {
	{ "branch-only", no_argument,	NULL, 'b' },
	{ "help",	no_argument,	NULL, 'h' },
	{ "version",	no_argument,	NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static int branch_only;

/* A directory: its real path, and opened with O_PATH. */
struct dir {
	char		*path;
	int		 fd;
	struct stat	 st;
};

struct lane {
	struct dir	 tree;		/* the worktree */
	struct dir	 common;	/* the common git directory */
	struct dir	 all;		/* common/worktrees */
	struct dir	 meta;		/* common/worktrees/NAME */
	char		*name;
};

/* "srt-lane: PATH: reason", and errno unless it is 0. */
static void __attribute__((format(printf, 2, 0)))
say(const char *path, const char *fmt, va_list ap)
{
	char *why, *shown;
	int saved = errno;

	if (vasprintf(&why, fmt, ap) == -1)
		err(EXIT_FAIL, NULL);
	/* a sandboxed command may have written what it quotes */
	shown = line_printable(why);
	errno = saved;
	msg_path(path, "%s", shown == NULL ? "?" : shown);
	free(shown);
	free(why);
}

/* The answer is no; with errno, as err(3), or without, as errx(3). */
static void __attribute__((format(printf, 2, 3), noreturn))
refuse(const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(path, fmt, ap);
	va_end(ap);
	exit(EXIT_FAIL);
}

static void __attribute__((format(printf, 2, 3), noreturn))
refusex(const char *path, const char *fmt, ...)
{
	va_list ap;

	errno = 0;
	va_start(ap, fmt);
	say(path, fmt, ap);
	va_end(ap);
	exit(EXIT_FAIL);
}

static char *
join(const char *dir, const char *name)
{
	char *path = path_join(dir, name);

	if (path == NULL)
		err(EXIT_FAIL, NULL);
	return path;
}

/* What a pointer in the directory dir means by path: that may be relative. */
static char *
from(const char *dir, const char *path)
{
	return join(*path == '/' ? "" : dir, *path == '/' ? path + 1 : path);
}

static int
is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Open a directory, no component being a link: -1 with ELOOP for one. */
static int
open_dir(int at, const char *path)
{
	return sys_openat2(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC,
	    RESOLVE_NO_SYMLINKS);
}

/* Fill *d with the directory at a real path, which becomes its own. */
static void
enter(struct dir *d, char *real, const char *what)
{
	d->path = real;
	d->fd = open_dir(AT_FDCWD, real);
	if (d->fd != -1 && fstat(d->fd, &d->st) == 0)
		return;
	if (errno == ELOOP)
		refusex(real, "%s is a symbolic link", what);
	refuse(real, "%s cannot be opened", what);
}

/*
 * What stands behind prefix in the only line of a regular file.  Returns NULL
 * and that, to be freed, or what is wrong with the file, with errno 0 or the
 * reason.
 */
static const char *
read_line(const struct dir *d, const char *file, const char *prefix,
    char **rest)
{
	const char *wrong = NULL;
	char *text = NULL;
	size_t len, n = strlen(prefix);
	struct stat st;
	/* a FIFO must not block */
	int fd = sys_openat2(d->fd, file, O_RDONLY | O_NONBLOCK | O_NOCTTY |
	    O_CLOEXEC, RESOLVE_NO_SYMLINKS);

	if (fd == -1 || fstat(fd, &st) == -1) {
		wrong = errno == ELOOP ? "a symbolic link" : "cannot be read";
		errno = errno == ELOOP ? 0 : errno;
	} else if (!S_ISREG(st.st_mode)) {
		wrong = "not a regular file";
		errno = 0;
	} else if (file_slurp(fd, POINTER_MAX, &text, &len) == -1) {
		wrong = errno == EFBIG ? "longer than 4 KiB" :
		    "cannot be read";
		errno = errno == EFBIG ? 0 : errno;
	}
	file_close(&fd);
	if (wrong != NULL)
		return wrong;
	errno = 0;
	if (len > 0 && text[len - 1] == '\n')
		text[--len] = '\0';
	if (strlen(text) != len)
		wrong = "has a NUL in it";
	else if (strchr(text, '\n') != NULL)
		wrong = "more than one line";
	else if (strncmp(text, prefix, n) != 0 || text[n] == '\0')
		wrong = *prefix == '\0' ? "empty" : "no line \"gitdir: PATH\"";
	if (wrong == NULL && (*rest = strdup(text + n)) == NULL)
		err(EXIT_FAIL, NULL);
	free(text);
	return wrong;
}

static char *
line_of(const struct dir *d, const char *file, const char *prefix)
{
	char *rest, *at;
	const char *wrong = read_line(d, file, prefix, &rest);

	if (wrong == NULL)
		return rest;
	at = join(d->path, file);
	refuse(at, "%s", wrong);
}

/* Where the pointer file leads, as an absolute path. */
static char *
target_of(const struct dir *d, const char *file, const char *prefix)
{
	char *line = line_of(d, file, prefix), *path = from(d->path, line);

	free(line);
	return path;
}

/*
 * The worktree, as the user names it: not by a link, though there may be
 * links above it.
 */
static void
find_tree(struct lane *l, const char *arg)
{
	char *path = strdup(arg), *real;
	size_t len = strlen(arg);
	struct stat st;

	if (path == NULL)
		err(EXIT_FAIL, NULL);
	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';	/* lstat would follow it */
	if (lstat(path, &st) == -1 || (real = realpath(path, NULL)) == NULL)
		refuse(path, "no worktree");
	if (S_ISLNK(st.st_mode))
		refusex(path, "a symbolic link; name the worktree itself");
	if (!S_ISDIR(st.st_mode))
		refusex(path, "not a directory, so no worktree");
	enter(&l->tree, real, "the worktree");
	free(path);
}

static int
has(const struct dir *d, const char *name)
{
	struct stat st;

	return fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* gitrepository-layout(5) */
static int
is_git_dir(const struct dir *d)
{
	return has(d, "HEAD") && has(d, "objects") && has(d, "refs");
}

/* The worktree has a .git, and it is a file. */
static void
check_kind(const struct dir *tree)
{
	struct stat st;

	if (fstatat(tree->fd, ".git", &st, AT_SYMLINK_NOFOLLOW) == -1) {
		if (errno != ENOENT)
			refuse(tree->path, ".git cannot be looked at");
		refusex(tree->path, is_git_dir(tree) ?
		    "a git directory, not a linked worktree" :
		    "not a linked worktree: there is no .git in it");
	}
	if (S_ISDIR(st.st_mode))
		refusex(tree->path, "a main checkout, not a linked worktree");
}

/*
 * A name git could have given: git makes it a component of a ref, see
 * git-check-ref-format(1).
 */
static int
is_name(const char *s)
{
	size_t len = strlen(s);

	return len > 0 && *s != '.' &&
	    (len < 5 || strcmp(s + len - 5, ".lock") != 0);
}

/* From .git to the metadata, common/worktrees/NAME, and to common. */
static void
find_meta(struct lane *l)
{
	char *to = target_of(&l->tree, ".git", "gitdir: ");
	char *text = strdup(to), *slash, *real;

	if (text == NULL)
		err(EXIT_FAIL, NULL);
	slash = strrchr(text, '/');
	if ((l->name = strdup(slash + 1)) == NULL)
		err(EXIT_FAIL, NULL);
	*slash = '\0';
	slash = strrchr(text, '/');
	if (slash == NULL || strcmp(slash, "/worktrees") != 0)
		refusex(l->tree.path, "not a linked worktree: its .git leads "
		    "to %s, which is in no worktrees directory", to);
	if (!is_name(l->name))
		refusex(l->tree.path, "its .git leads to %s, which is no name "
		    "of a worktree", to);
	*slash = '\0';
	if ((real = realpath(slash == text ? "/" : text, NULL)) == NULL)
		refuse(text, "the repository cannot be opened");
	enter(&l->common, real, "the repository");
	enter(&l->all, join(real, "worktrees"), "the worktrees directory");
	enter(&l->meta, join(l->all.path, l->name), "the worktree's metadata");
	if (!is_git_dir(&l->common))
		refusex(l->common.path, "not a git directory");
	free(text);
	free(to);
}

/* Is path that of .git in the directory want?  The name is cut off. */
static int
leads_to(char *path, const struct stat *want)
{
	char *slash = strrchr(path, '/');
	struct stat st;

	if (strcmp(slash, "/.git") != 0)
		return 0;
	*slash = '\0';
	return stat(path, &st) == 0 && is_same(&st, want);
}

/*
 * The metadata is that of this worktree: its gitdir leads back to it.  One
 * that is borrowed leads to the other.
 */
static void
check_back(const struct lane *l)
{
	char *back = target_of(&l->meta, "gitdir", "");
	char *common = target_of(&l->meta, "commondir", "");
	struct stat st;

	if (!leads_to(back, &l->tree.st))
		refusex(l->tree.path, "its .git borrows the metadata of "
		    "another worktree, %s", back);
	if (stat(common, &st) == -1 || !is_same(&st, &l->common.st))
		refusex(l->meta.path, "its commondir leads to %s, not to the "
		    "directory it lies in", common);
	free(common);
	free(back);
}

/* The git directory that the checkout or repository arg belongs to. */
static void
repository_of(const char *arg, struct stat *st)
{
	struct dir d;
	char *real = realpath(arg, NULL), *to;

	if (real == NULL)
		refuse(arg, "no repository");
	enter(&d, real, "the repository");
	if (!has(&d, ".git") && !is_git_dir(&d))
		refusex(arg, "no repository: there is no .git in it");
	*st = d.st;
	if (!has(&d, ".git") ||
	    (fstatat(d.fd, ".git", st, 0) == 0 && S_ISDIR(st->st_mode)))
		return;
	to = target_of(&d, ".git", "gitdir: ");
	if ((real = realpath(to, NULL)) == NULL)
		refuse(to, "no repository");
	enter(&d, real, "the repository");
	*st = d.st;
	free(to);
	if (!has(&d, "commondir"))
		return;
	to = target_of(&d, "commondir", "");
	if (stat(to, st) == -1)
		refuse(to, "no repository");
	free(to);
}

static void
check_repository(const struct lane *l, const char *arg)
{
	struct stat st;

	repository_of(arg, &st);
	if (!is_same(&st, &l->common.st))
		refusex(l->tree.path, "a worktree of %s, not of %s",
		    l->common.path, arg);
}

/* Is that directory of the repository there?  A link is refused. */
static int
is_there(const struct lane *l, const char *name)
{
	int fd = open_dir(l->common.fd, name);
	char *at;

	if (fd != -1) {
		close(fd);
		return 1;
	}
	if (errno == ENOENT)
		return 0;
	at = join(l->common.path, name);
	if (errno == ELOOP)
		refusex(at, "there is a symbolic link in it, and it is to be "
		    "shared");
	refuse(at, "cannot be shared");
}

/*
 * Where the branch of a lane is, lane/NAME/..., and its log.  The name must
 * be the worktree's own: its HEAD is written by the command, which would
 * have itself granted a sibling's branch.
 */
static char *
own_refs(const struct lane *l)
{
	char *head = line_of(&l->meta, "HEAD", "");
	char *refs, *want;

	if (asprintf(&refs, "refs/heads/lane/%s", l->name) == -1 ||
	    asprintf(&want, "ref: %s/", refs) == -1)
		err(EXIT_FAIL, NULL);
	if (strncmp(head, want, strlen(want)) != 0 ||
	    head[strlen(want)] == '\0')
		refusex(l->tree.path, "its branch is not lane/%s/..., but %s",
		    l->name, strncmp(head, "ref: ", 5) == 0 ? head + 5 :
		    "none");
	if (!is_there(l, refs)) {
		want = join(l->common.path, refs);
		errno = ENOENT;
		refuse(want, "the directory of its branch");
	}
	free(want);
	free(head);
	return refs;
}

static void
put(FILE *fp, const char *directive, const char *dir, const char *name)
{
	char *path = name == NULL ? NULL : join(dir, name);

	fprintf(fp, "%s ", directive);
	line_put(fp, path == NULL ? dir : path);
	putc('\n', fp);
	free(path);
}

/* A sibling's worktree that lies in this one. */
static void
put_within(FILE *fp, const struct lane *l, const char *name)
{
	struct dir meta = { join(l->all.path, name), -1, { 0 } };
	char *line = NULL, *to = NULL, *real = NULL;

	meta.fd = open_dir(l->all.fd, name);
	if (meta.fd != -1 && read_line(&meta, "gitdir", "", &line) == NULL) {
		to = from(meta.path, line);
		*strrchr(to, '/') = '\0';
		real = realpath(to, NULL);
	}
	if (real != NULL && strcmp(real, l->tree.path) != 0 &&
	    path_within(real, l->tree.path))
		put(fp, "deny-write", real, NULL);
	free(real);
	free(to);
	free(line);
	file_close(&meta.fd);
	free(meta.path);
}

static void
put_siblings_within(FILE *fp, const struct lane *l)
{
	DIR *all = opendir(l->all.path);
	struct dirent *d;

	if (all == NULL)
		refuse(l->all.path, "cannot be listed");
	while ((d = readdir(all)) != NULL)
		if (*d->d_name != '.' && strcmp(d->d_name, l->name) != 0)
			put_within(fp, l, d->d_name);
	closedir(all);
}

static void
put_lane(FILE *fp, const struct lane *l)
{
	const char *shared[] = { "lfs", "logs/refs", "objects", "refs" };
	const char *const own[] = { "commondir", "config.worktree", "gitdir" };
	char *refs, *logs;
	size_t i;

	if (branch_only) {
		refs = own_refs(l);
		logs = join("logs", refs);
		shared[1] = logs;
		shared[3] = refs;
	}
	is_there(l, "objects/info");	/* alternates is denied in there */
	put(fp, "allow-read", l->common.path, NULL);
	put(fp, "allow-write", l->tree.path, NULL);
	put(fp, "allow-write", l->meta.path, NULL);
	for (i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		if (is_there(l, shared[i]))
			put(fp, "allow-write", l->common.path, shared[i]);
	put(fp, "deny-write", l->tree.path, ".git");
	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		put(fp, "deny-write", l->meta.path, own[i]);
	put(fp, "deny-write", l->common.path, "objects/info/alternates");
	put_siblings_within(fp, l);
	if (!is_there(l, shared[1])) {
		errno = 0;
		msg_path(l->common.path, "has no %s, which git wants for a "
		    "commit unless core.logAllRefUpdates is false", shared[1]);
	}
}

int
main(int argc, char **argv)
{
	const char *repository = NULL;
	struct lane lane;
	char *lines;
	size_t len;
	FILE *fp;
	int ch;

	while ((ch = getopt_long(argc, argv, "+C:hV", longopts, NULL)) != -1)
		switch (ch) {
		case 'C': repository = optarg; break;
		case 'V': version_and_exit(EXIT_FAIL);
		case 'b': branch_only = 1; break;
		case 'h': help_and_exit(usage, EXIT_FAIL);
		default: usage_and_exit(usage, EXIT_USAGE);
		}
	if (argc - optind > 1)
		usage_and_exit(usage, EXIT_USAGE);
	find_tree(&lane, optind < argc ? argv[optind] : ".");
	check_kind(&lane.tree);
	find_meta(&lane);
	check_back(&lane);
	if (repository != NULL)
		check_repository(&lane, repository);
	if (path_within(lane.common.path, lane.tree.path))
		refusex(lane.tree.path, "the repository, %s, lies in it",
		    lane.common.path);
	/* all of it or nothing: it may be refused half way */
	if ((fp = open_memstream(&lines, &len)) == NULL)
		err(EXIT_FAIL, NULL);
	put_lane(fp, &lane);
	if (fclose(fp) == EOF)
		err(EXIT_FAIL, NULL);
	fputs(lines, stdout);
	free(lines);
	stdout_or_die(EXIT_FAIL);
	return 0;
}
