/* SPDX-License-Identifier: ISC */
/*
 * The tables come from trying each name with git 2.39 and some sixty of its
 * operations, login shells, node and make, comparing status, output, index,
 * refs and files with a run without the placeholder.  The first match wins.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "kind.h"

enum { REFUSE = -1 };

struct row {
	const char	*pattern;	/* fnmatch(3); * matches slashes, too */
	int		 kind;		/* enum kind or REFUSE */
	mode_t		 mode;
	const char	*why;		/* of a refusal */
};

/*
 * Inside a git directory, relative to it.  A directory is what git passes
 * over, fills, or removes by itself; a file must stay writable (0644) where
 * git writes it; an empty hook that can be executed does nothing.
 */
static const struct row in_git_dir[] = {
	{ "*.lock", REFUSE, 0, "git would take it for another git's lock" },
	{ "HEAD", REFUSE, 0, "git init would take the directory for a "
	    "repository" },
	{ "commondir", REFUSE, 0, "git would look for the repository there" },
	{ "index", REFUSE, 0, "git cannot read an empty index" },
	{ "MERGE_HEAD", REFUSE, 0, "git would see a merge under way" },
	{ "rebase-merge", REFUSE, 0, "git would see a rebase under way" },
	{ "rebase-apply", REFUSE, 0, "git would see a rebase under way" },
	{ "sequencer", REFUSE, 0, "git would see a cherry-pick under way" },
	{ "BISECT_LOG", REFUSE, 0, "git would see a bisection under way" },
	{ "info/grafts", REFUSE, 0, "git warns of it in every command" },
	{ "objects/info/commit-graph", REFUSE, 0, "git fsck fails on it" },
	{ "hooks/push-to-checkout", KIND_FILE, 0444, NULL },
	{ "hooks/*", KIND_FILE, 0555, NULL },
	{ "config", KIND_FILE, 0644, NULL },
	{ "config.*", KIND_FILE, 0644, NULL },
	{ "packed-refs", KIND_FILE, 0644, NULL },
	{ "shallow", KIND_FILE, 0644, NULL },
	{ "info/*", KIND_FILE, 0644, NULL },
	{ "objects/info/alternates", KIND_FILE, 0644, NULL },
	{ "FETCH_HEAD", KIND_FILE, 0644, NULL },
	{ "*_MSG", KIND_FILE, 0644, NULL },
	{ "COMMIT_EDITMSG", KIND_FILE, 0644, NULL },
	{ "MERGE_MODE", KIND_FILE, 0644, NULL },
	{ "MERGE_RR", KIND_FILE, 0644, NULL },
	{ "AUTO_MERGE", KIND_FILE, 0644, NULL },
	{ "BISECT_*", KIND_FILE, 0644, NULL },
	{ "description", KIND_FILE, 0644, NULL },
	{ "gc.pid", KIND_FILE, 0644, NULL },
	{ "rr-cache", KIND_FILE, 0644, NULL },	/* a directory enables it */
	{ "*", KIND_DIR, 0755, NULL }
};

/*
 * Relative to the home: programs outside open these by name and append to
 * them, so they must not stumble.
 */
static const struct row in_home[] = {
	{ "package.json", KIND_SOCKET, 0444, NULL },	/* node parses a file */
	{ ".ssh", KIND_DIR, 0755, NULL },
	{ ".config", KIND_DIR, 0755, NULL },
	{ ".config/git", KIND_DIR, 0755, NULL },
	{ ".config/git/*", KIND_FILE, 0644, NULL },
	{ ".git", REFUSE, 0, NULL },		/* no reason: as elsewhere */
	{ "*/*", REFUSE, 0, NULL },
	{ "*", KIND_FILE, 0644, NULL }
};

/*
 * By the last component.  git passes over sockets, by the type that
 * readdir(3) gives, and over empty directories; it would list a file.  The
 * names it opens by itself are directories: a socket there is a warning.
 */
static const struct row elsewhere[] = {
	{ ".git", KIND_DIR, 0755, NULL },
	{ ".gitattributes", KIND_DIR, 0755, NULL },
	{ ".gitignore", KIND_DIR, 0755, NULL },
	{ ".gitmodules", KIND_DIR, 0755, NULL },
	{ ".mailmap", KIND_DIR, 0755, NULL },
	{ "*", KIND_SOCKET, 0444, NULL }
};

static const struct row *
find(const struct row *row, const char *name)
{
	while (fnmatch(row->pattern, name, 0) != 0)
		row++;
	return row;
}

static int
has(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	int yes = path != NULL && access(path, F_OK) == 0;

	free(path);
	return yes;
}

/* gitrepository-layout(5); a linked worktree's has commondir instead. */
static int
is_git_dir(const char *dir)
{
	return has(dir, "HEAD") && (has(dir, "commondir") ||
	    (has(dir, "objects") && has(dir, "refs")));
}

/* The part of path below the nearest git directory above it, or NULL. */
static const char *
below_git_dir(const char *path)
{
	char *dir = strdup(path), *slash;
	const char *rest = NULL;

	while (dir != NULL && rest == NULL &&
	    (slash = strrchr(dir, '/')) != NULL && slash != dir) {
		*slash = '\0';
		if (strcmp(strrchr(dir, '/'), "/.git") == 0 || is_git_dir(dir))
			rest = path + (slash - dir) + 1;
	}
	free(dir);
	return rest;
}

static const char *
below_home(const char *path, const char *home)
{
	char *real = home == NULL ? NULL : realpath(home, NULL);
	const char *rest = NULL;

	if (real != NULL && path_within(path, real)) {
		rest = path + strlen(real);
		rest += strspn(rest, "/");
	}
	free(real);
	return rest;
}

/*
 * bash(1), INVOCATION: a login shell reads the first of ~/.bash_profile,
 * ~/.bash_login and ~/.profile that it can; an empty one before would hide
 * the user's.
 */
static int
hides_profile(const char *name, const char *home)
{
	if (strcmp(name, ".bash_profile") == 0)
		return has(home, ".bash_login") || has(home, ".profile");
	return strcmp(name, ".bash_login") == 0 && has(home, ".profile");
}

int
kind_for(const char *path, const char *home, enum kind *kind, mode_t *mode,
    const char **why)
{
	const struct row *row = NULL;
	const char *rest = below_home(path, home), *git = below_git_dir(path);
	const int in_dot_git = strstr(path, "/.git/") != NULL;

	if (rest != NULL)
		row = find(in_home, rest);
	if (git != NULL && (row == NULL || row->kind == REFUSE || in_dot_git))
		row = find(in_git_dir, git);
	if (rest != NULL && home != NULL && hides_profile(rest, home)) {
		*why = "bash would read it in place of ~/.profile";
		return -1;
	}
	/*
	 * A command can make any directory look like git's, and no later run
	 * must fail for that; what is in a .git is refused before, too.
	 */
	if (row == NULL || (row->kind == REFUSE && !in_dot_git))
		row = find(elsewhere, strrchr(path, '/') + 1);
	*why = row->why;
	if (row->kind == REFUSE)
		return -1;
	*kind = (enum kind)row->kind;
	*mode = row->mode;
	return 0;
}
