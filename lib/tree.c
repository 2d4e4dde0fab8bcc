/* SPDX-License-Identifier: ISC */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "sys.h"
#include "tree.h"

#define LINKS_MAX 40	/* path_resolution(7), as the kernel's MAXSYMLINKS */

int
node_cmp(const struct node *a, const struct node *b)
{
	return strcmp(a->name, b->name);
}

RB_GENERATE(children, node, entry, node_cmp)

static void
look_at(struct node *n)
{
	struct node *up = n->parent;

	n->look = LOOK_ABSENT;
	if (up != NULL && up->look != LOOK_DIR) {
		if (up->look == LOOK_CLOSED)
			n->look = LOOK_CLOSED;
		return;
	}
	if (lstat(n->path, &n->st) == -1) {
		if (errno != ENOENT && errno != ENOTDIR)
			n->look = LOOK_CLOSED;
		return;
	}
	sys_btime(AT_FDCWD, n->path, &n->btime);
	switch (n->st.st_mode & S_IFMT) {
	case S_IFDIR: n->look = LOOK_DIR; break;
	case S_IFLNK: n->look = LOOK_LINK; break;
	default: n->look = LOOK_FILE; break;
	}
}

static struct node *
new_node(struct node *parent, const char *name)
{
	struct node *n = calloc(1, sizeof(*n));

	if (n == NULL)
		return NULL;
	n->parent = parent;
	RB_INIT(&n->children);
	n->name = strdup(name);
	n->path = parent == NULL ? strdup("/") :
	    path_join(parent->path, name);
	if (n->name == NULL || n->path == NULL) {
		free(n->name);
		free(n->path);
		free(n);
		return NULL;
	}
	look_at(n);
	return n;
}

int
tree_init(struct tree *t)
{
	t->root = new_node(NULL, "");
	return t->root == NULL ? -1 : 0;
}

static void
free_node(struct node *n)
{
	struct node *c;

	while ((c = RB_MIN(children, &n->children)) != NULL) {
		RB_REMOVE(children, &n->children, c);
		free_node(c);
	}
	free(n->name);
	free(n->path);
	free(n);
}

void
tree_free(struct tree *t)
{
	if (t->root != NULL)
		free_node(t->root);
	t->root = NULL;
}

struct node *
tree_child(struct node *parent, const char *name)
{
	struct node key = { .name = (char *)(uintptr_t)name };
	struct node *n;

	n = RB_FIND(children, &parent->children, &key);
	if (n != NULL)
		return n;
	if ((n = new_node(parent, name)) != NULL)
		RB_INSERT(children, &parent->children, n);
	return n;
}

/*
 * The target of link with rest, the part of the path still to walk, behind
 * it; *todo is replaced, rest may point into it.
 */
static int
follow(const struct node *link, char **todo, const char *rest)
{
	char target[PATH_MAX], *joined;
	ssize_t n = readlink(link->path, target, sizeof(target) - 1);

	if (n == -1)
		return -1;
	target[n] = '\0';
	if (asprintf(&joined, "%s/%s", target, rest) == -1)
		return -1;
	free(*todo);
	*todo = joined;
	return 0;
}

/* Take the next component of *p into name; 0 at the end, -1 with errno. */
static int
next_component(const char **p, char name[NAME_MAX + 1])
{
	size_t len;

	*p += strspn(*p, "/");
	len = strcspn(*p, "/");
	if (len > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, *p, len);
	name[len] = '\0';
	*p += len;
	return len != 0;
}

static struct node *
walk(struct tree *t, char **todo, int mark)
{
	char name[NAME_MAX + 1];
	struct node *n = t->root;
	const char *p = *todo;
	int links = 0, got;

	while ((got = next_component(&p, name)) == 1) {
		if (strcmp(name, ".") == 0)
			continue;
		if (strcmp(name, "..") == 0) {
			n = n->parent == NULL ? n : n->parent;
			continue;
		}
		if ((n = tree_child(n, name)) == NULL)
			return NULL;
		if (n->look != LOOK_LINK)
			continue;
		n->links |= mark;
		if (++links > LINKS_MAX) {
			errno = ELOOP;
			return NULL;
		}
		if (follow(n, todo, p) == -1) {
			got = -1;
			break;
		}
		p = *todo;
		n = *p == '/' ? t->root : n->parent;
	}
	if (got == 0)
		return n;
	/* of a link's target: a name too long, or a link of /proc's */
	if (links > 0 && errno != ENOMEM)
		errno = ELOOP;
	return NULL;
}

struct node *
tree_resolve(struct tree *t, const char *path, int mark)
{
	char *todo;
	struct node *n;
	int saved;

	if (strlen(path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	if ((todo = strdup(path)) == NULL)
		return NULL;
	n = walk(t, &todo, mark);
	saved = errno;
	free(todo);
	errno = saved;
	return n;
}

struct node *
tree_find(struct tree *t, const char *path)
{
	char name[NAME_MAX + 1];
	struct node key = { .name = name }, *n = t->root;
	int got = 0;

	while (n != NULL && (got = next_component(&path, name)) == 1)
		n = RB_FIND(children, &n->children, &key);
	return got == 0 ? n : NULL;
}

struct node *
tree_next(struct node *n)
{
	struct node *next = RB_MIN(children, &n->children);

	while (next == NULL && n->parent != NULL) {
		next = RB_NEXT(children, &n->parent->children, n);
		n = n->parent;
	}
	return next;
}

int
node_exists(const struct node *n)
{
	return n->look != LOOK_ABSENT && n->look != LOOK_CLOSED;
}

int
node_is_dir(const struct node *n)
{
	return n->look == LOOK_DIR;
}

int
node_is_denied(const struct node *n)
{
	return n->rule[DENY_WRITE] != NULL;
}

static int
is_empty_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	int n = 0;

	if (dir == NULL)
		return 0;
	while (n == 0 && (d = readdir(dir)) != NULL)
		n = strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
	closedir(dir);
	return n == 0;
}

int
node_is_blank(const struct node *n)
{
	return S_ISSOCK(n->st.st_mode) ||
	    (S_ISREG(n->st.st_mode) && n->st.st_size == 0) ||
	    (S_ISDIR(n->st.st_mode) && is_empty_dir(n->path));
}
