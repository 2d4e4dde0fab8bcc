/* SPDX-License-Identifier: ISC */
/*
 * property [-v] base seed [count]
 *
 * For each seed: makes a random tree below the directory base, and a random
 * profile; sees to it that srt-plan gives the same plan for the lines in
 * other orders and spellings, and that --why and what a command can really
 * do in the sandbox are what a model of the rules says (design, section 3,
 * "Profile"): what it can read, write, make, move and replace.  Afterwards
 * the tree must be as it was.  Prints what was wrong, with the seed; -v
 * prints every tree and profile.
 *
 * The model shares nothing with the planner.  It knows no mounts and no
 * order of things: each question is asked of all rules.
 *
 * property -i, with probes on standard input, is what runs inside.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX 200
#define TMP "/var/tmp"		/* base may lie there, and it may be private */

static void
die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(errno));
	exit(2);
}

static char *
text(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) == -1)
		die("memory");
	va_end(ap);
	return s;	/* never freed: the program is short */
}

/* chance ----------------------------------------------------------------- */

static uint64_t state;

/* splitmix64 */
static uint64_t
next_random(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static int
below(int n)
{
	return (int)(next_random() % (uint64_t)n);
}

static int
percent(int p)
{
	return below(100) < p;
}

/* the tree --------------------------------------------------------------- */

enum type { DIRECTORY, FULL, EMPTY, LINK };

struct entry {
	char		*path;
	enum type	 type;
	char		*target;	/* of a link */
	ino_t		 ino;
	mode_t		 mode;		/* but for links */
};

static struct entry entry[MAX];
static int nentries;
static char *base;		/* real path */

static int
within(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strcmp(dir, "/") == 0 || (strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/'));
}

static char *
parent(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == path ? text("/") :
	    text("%.*s", (int)(slash - path), path);
}

static struct entry *
find(const char *path)
{
	int i;

	for (i = 0; i < nentries; i++)
		if (strcmp(entry[i].path, path) == 0)
			return &entry[i];
	return NULL;
}

static int
exists(const char *path)
{
	return find(path) != NULL || within(base, path);
}

static const char *const names[] = {
	"a", "b", "c", "d", "e", "f", "a b", "-r", "x\n", "\\", "\377", "ab",
	".e", "#", "a.b"
};

static const char *
some_name(void)
{
	return names[percent(75) ? below(4) :
	    below((int)(sizeof(names) / sizeof(*names)))];
}

static char *
some_directory(void)
{
	struct entry *e;

	do
		e = &entry[below(nentries)];
	while (e->type != DIRECTORY);
	return e->path;
}

static void
add(char *path, enum type type, char *target)
{
	struct stat st;
	int fd;

	if (nentries == MAX || find(path) != NULL)
		return;
	switch (type) {
	case DIRECTORY:
		if (mkdir(path, 0755) == -1)
			die("%s", path);
		break;
	case LINK:
		if (symlink(target, path) == -1)
			die("%s", path);
		break;
	default:
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
		if (fd == -1 || (type == FULL &&
		    write(fd, path, strlen(path)) != (ssize_t)strlen(path)))
			die("%s", path);
		close(fd);
	}
	if (lstat(path, &st) == -1)
		die("%s", path);
	entry[nentries++] = (struct entry){ path, type, target, st.st_ino,
	    st.st_mode & 07777 };
}

static char *
relative(const char *path, const char *from)
{
	char *up = text("%s", "");

	while (!within(path, from)) {
		up = text("%s../", up);
		from = parent(from);
	}
	path += strlen(from);
	return text("%s%s", up, *path == '/' ? path + 1 : ".");
}

static char *
some_target(const char *dir)
{
	const char *to = entry[below(nentries)].path;

	if (percent(20))
		to = text("%s/%s", some_directory(), some_name());
	if (percent(10))
		to = text("%s/%s", to, some_name());
	if (percent(25))
		return text("%s", to);
	if (percent(10) && find(to) != NULL && find(to)->type == DIRECTORY)
		return text("./%s/.", relative(to, dir));
	return relative(to, dir);
}

/*
 * Some directories are closed by their modes, which a command could change;
 * those that cannot even be looked into hold no links, which could not be
 * followed.
 */
static void
close_some(void)
{
	int i, j, links;

	for (i = nentries - 1; i > 0; i--) {
		if (entry[i].type != DIRECTORY || !percent(12))
			continue;
		for (j = links = 0; j < nentries; j++)
			links |= entry[j].type == LINK &&
			    within(entry[j].path, entry[i].path);
		entry[i].mode = links || percent(50) ? 0555 : 0;
		if (chmod(entry[i].path, entry[i].mode) == -1)
			die("%s", entry[i].path);
	}
}

/* Parents come before what is in them. */
static void
open_all(void)
{
	int i;

	for (i = 0; i < nentries; i++)
		if (entry[i].type == DIRECTORY)
			chmod(entry[i].path, 0755);
}

/* Is path in a directory that nobody can look into as it is? */
static int
is_dark(const char *path)
{
	const struct entry *e;

	for (path = parent(path); within(path, base); path = parent(path))
		if ((e = find(path)) != NULL && e->mode == 0)
			return 1;
	return 0;
}

static int
is_closed(const char *dir)
{
	const struct entry *e = find(dir);

	return e != NULL && e->type == DIRECTORY && e->mode != 0755;
}

static void
make_tree(void)
{
	int i, n;
	char *dir;

	nentries = 0;
	add(text("%s/t", base), DIRECTORY, NULL);
	n = 2 + below(8);
	for (i = 0; i < n; i++)
		add(text("%s/%s", some_directory(), some_name()), DIRECTORY,
		    NULL);
	n = 2 + below(8);
	for (i = 0; i < n; i++)
		add(text("%s/%s", some_directory(), some_name()),
		    percent(75) ? FULL : EMPTY, NULL);
	n = below(7);
	for (i = 0; i < n; i++) {
		dir = some_directory();
		add(text("%s/%s", dir, some_name()), LINK, some_target(dir));
	}
	close_some();
}

static void
remove_tree(const char *path)
{
	struct dirent *d;
	DIR *dir = opendir(path);

	if (dir == NULL)
		return;
	while ((d = readdir(dir)) != NULL)
		if (strcmp(d->d_name, ".") != 0 &&
		    strcmp(d->d_name, "..") != 0) {
			char *sub = text("%s/%s", path, d->d_name);

			if (unlink(sub) == -1)
				remove_tree(sub);
		}
	closedir(dir);
	rmdir(path);
}

/* the profile ------------------------------------------------------------ */

enum kind { ALLOW_WRITE, DENY_WRITE, DENY_READ, ALLOW_READ };

static const char *const kind_names[] = {
	"allow-write", "deny-write", "deny-read", "allow-read"
};

struct rule {
	enum kind	 kind;
	const char	*plain;		/* with nothing that does not matter */
	char		*path;		/* as written */
	char		*real;		/* NULL: leads nowhere */
};

static struct rule rule[MAX];
static int nrules;
static int private_tmp;
static char *guarded[MAX];	/* links that denies lead through */
static int nguarded;

/* Where path leads, by the tree as it was made; NULL for a loop. */
static char *
resolve(const char *path, int guard)
{
	char *at = text("%s", ""), *rest = text("%s", path), *slash;
	struct entry *e;
	int links = 0;

	while (*rest != '\0') {
		char *name = rest;

		slash = strchr(rest, '/');
		rest = slash == NULL ? strchr(rest, '\0') : slash + 1;
		if (slash != NULL)
			*slash = '\0';
		if (*name == '\0' || strcmp(name, ".") == 0)
			continue;
		if (strcmp(name, "..") == 0) {
			if (*at != '\0')
				*strrchr(at, '/') = '\0';
			continue;
		}
		at = text("%s/%s", at, name);
		if ((e = find(at)) == NULL || e->type != LINK)
			continue;
		if (guard && nguarded < MAX)
			guarded[nguarded++] = e->path;
		if (++links > 40)
			return NULL;
		rest = text("%s/%s", e->target, rest);
		if (*rest == '/')
			at = text("%s", "");
		else
			*strrchr(at, '/') = '\0';
	}
	return *at == '\0' ? text("/") : at;
}

/* The same path, spelled with what does not matter. */
static char *
spelled(const char *path)
{
	char *out = text("%s", ""), *copy = text("%s", path), *name;

	for (name = strtok(copy, "/"); name != NULL; name = strtok(NULL, "/"))
		out = text("%s%s%s", out, percent(10) ? "//" :
		    percent(10) ? "/./" : "/", name);
	if (*out == '\0')
		return text("%s", percent(50) ? "/" : "//");
	return text("%s%s", out, percent(10) ? "/" : percent(5) ? "/." : "");
}

static char *
some_path(void)
{
	char *path = text("%s", entry[below(nentries)].path);
	int way = below(100);

	if (way < 4)
		return text("/");
	if (way < 8)
		return base;
	if (way < 16)
		return entry[0].path;
	if (way < 50)
		return path;
	path = text("%s/%s", path, some_name());
	if (way > 85)
		path = text("%s/%s", path, some_name());
	return path;
}

static void
add_rule(enum kind kind, const char *path)
{
	struct rule *r = &rule[nrules++];

	r->kind = kind;
	r->plain = path;
	r->path = spelled(path);
	r->real = resolve(r->path, kind == DENY_WRITE);
}

/* What all else hangs on must stay: the program inside is not below base. */
static char *
readable_path(void)
{
	char *path;

	do
		path = some_path();
	while (strcmp(path, "/") == 0);
	return path;
}

static void
make_profile(void)
{
	int i, n;

	nrules = nguarded = 0;
	private_tmp = percent(within(base, TMP) ? 60 : 20);
	if (percent(70))
		add_rule(ALLOW_WRITE, entry[0].path);
	n = below(3);
	for (i = 0; i < n; i++)
		add_rule(ALLOW_WRITE, percent(90) ? some_path() : "/");
	n = 1 + below(6);
	for (i = 0; i < n; i++)
		add_rule(DENY_WRITE, percent(90) ? readable_path() :
		    some_path());
	n = below(4);
	for (i = 0; i < n; i++)
		add_rule(DENY_READ, readable_path());
	n = below(3);
	for (i = 0; i < n; i++)
		add_rule(ALLOW_READ, some_path());
}

/* A word as profiles have it. */
static void
put_word(FILE *fp, const char *s)
{
	for (; *s != '\0'; s++)
		if (*s <= ' ' || *s > '~' || *s == '\\')
			fprintf(fp, "\\%03o", (unsigned char)*s);
		else
			putc(*s, fp);
}

static void
write_profile(const char *file, int shuffle)
{
	FILE *fp = fopen(file, "w");
	int order[MAX], i, j, swap;

	if (fp == NULL)
		die("%s", file);
	for (i = 0; i < nrules; i++)
		order[i] = i;
	for (i = nrules - 1; shuffle && i > 0; i--) {
		j = below(i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	if (private_tmp)
		fprintf(fp, "private-tmp\n");
	for (i = 0; i < nrules; i++) {
		const struct rule *r = &rule[order[i]];

		fprintf(fp, "%s ", kind_names[r->kind]);
		put_word(fp, shuffle ? spelled(r->path) : r->path);
		putc('\n', fp);
	}
	if (fclose(fp) == EOF)
		die("%s", file);
}

/* the model -------------------------------------------------------------- */

enum access { NONE, READ, WRITE, OWN };

/* A path is writable if an allow-write, and no deny-write, is at or above. */
static int
may_write(const char *path)
{
	int i, granted = 0, denied = 0;

	for (i = 0; i < nrules; i++) {
		const char *at = rule[i].real;

		if (at == NULL || !within(path, at))
			continue;
		denied |= rule[i].kind == DENY_WRITE;
		/* a grant above a private /tmp is one of the machine's */
		if (private_tmp && within(path, TMP) && !within(at, TMP))
			continue;
		granted |= rule[i].kind == ALLOW_WRITE && exists(at);
	}
	return granted && !denied;
}

static int
is_denied(const char *path)
{
	int i;

	for (i = 0; i < nrules; i++)
		if (rule[i].kind == DENY_WRITE && rule[i].real != NULL &&
		    within(path, rule[i].real))
			return 1;
	return 0;
}

/*
 * Of the entries about reading the longest counts, an allow before a deny.
 * A private /tmp hides what is there like a denied directory, but can be
 * written, and denied reading makes no difference in it.
 */
static enum access
access_to(const char *path)
{
	size_t allow = 0, deny = 0, own = 0, len;
	int i;

	if (private_tmp && within(path, TMP))
		own = strlen(TMP);
	for (i = 0; i < nrules; i++) {
		const char *at = rule[i].real;

		if (at == NULL || rule[i].kind == DENY_WRITE ||
		    !exists(at) || !within(path, at))
			continue;
		len = strlen(at);
		if (rule[i].kind == DENY_READ)
			deny = len > deny ? len : deny;
		else
			allow = len > allow ? len : allow;
	}
	if (own > allow)
		return is_denied(path) || deny == own ? NONE : OWN;
	if (deny > allow)
		return NONE;
	return may_write(path) ? WRITE : READ;
}

/* Must what stands at path stay where it is, for what is at or below it? */
static int
is_held(const char *path)
{
	int i;

	for (i = 0; i < nrules; i++) {
		const char *at = rule[i].real;

		if (at == NULL || !within(at, path))
			continue;
		if (rule[i].kind == DENY_WRITE)
			return 1;
		if (exists(at) && access_to(at) != access_to(parent(at)))
			return 1;
	}
	for (i = 0; i < nguarded; i++)
		if (within(guarded[i], path) &&
		    access_to(parent(guarded[i])) == WRITE)
			return 1;
	return 0;
}

static int
can_move(const char *path)
{
	return access_to(path) == WRITE &&
	    access_to(parent(path)) == WRITE && !is_closed(parent(path)) &&
	    !is_held(path);
}

/* Is every directory from path up to top writable? */
static int
is_open_up_to(const char *path, const char *top)
{
	for (; strcmp(path, top) != 0; path = parent(path))
		if (access_to(path) != WRITE || is_closed(path))
			return 0;
	return access_to(top) == WRITE && !is_closed(top);
}

static int
are_joined(const char *a, const char *b)
{
	const char *top = a;

	if (is_dark(a) || is_dark(b))
		return 0;
	while (!within(b, top))
		top = parent(top);
	return is_open_up_to(a, top) && is_open_up_to(b, top);
}

/* probes ----------------------------------------------------------------- */

struct probe {
	char		 what;		/* see try_one() */
	const char	*path, *other;
	int		 want;		/* 1: it works */
};

static struct probe probe[8 * MAX];
static int nprobes;

static void
ask(char what, const char *path, const char *other, int want)
{
	if (nprobes < 8 * MAX)
		probe[nprobes++] = (struct probe){ what, path, other, want };
}

/* Whether what is denied there exists an ordinary user cannot see. */
static int
hides_in_the_dark(const char *path)
{
	int i;

	for (i = 0; i < nrules; i++)
		if (rule[i].kind == DENY_READ && rule[i].real != NULL &&
		    within(rule[i].real, path) && is_dark(rule[i].real))
			return 1;
	return 0;
}

static void
ask_about(const struct entry *e)
{
	enum access a = access_to(e->path), above = access_to(parent(e->path));

	if (e->type == FULL && a == NONE)
		ask('h', e->path, "", 0);
	if (is_dark(e->path))
		return;
	switch (e->type) {
	case DIRECTORY:
		if (a == OWN)
			return;
		ask('c', text("%s/.new", e->path), "",
		    a == WRITE && !is_closed(e->path));
		if (above != OWN && !hides_in_the_dark(e->path))
			ask('m', e->path, "", can_move(e->path));
		break;
	case FULL:
		ask('r', e->path, "", a == READ || a == WRITE);
		/* FALLTHROUGH */
	case EMPTY:
		if (a == OWN)
			return;
		ask('o', e->path, "", a == READ || a == WRITE);
		ask('w', e->path, "", a == WRITE);
		ask('m', e->path, "", can_move(e->path));
		break;
	case LINK:
		if (above == OWN || above == NONE)
			return;
		ask('m', e->path, "", above == WRITE &&
		    !is_closed(parent(e->path)) && !is_held(e->path));
	}
}

/* Is path absent, and below a directory rather than a file? */
static int
will_be_made(const char *path)
{
	if (exists(path))
		return 0;
	while (!exists(path))
		path = parent(path);
	return find(path) == NULL || (find(path)->type == DIRECTORY &&
	    !is_closed(path) && !is_dark(path));
}

static void
ask_about_deny(const struct rule *r)
{
	const char *dir = parent(r->real);

	ask('d', r->real, "", 0);
	/* a link in a private /tmp is not there */
	if (!private_tmp)
		ask('d', r->path, "", 0);
	/* beside it, in a directory that may have to be made */
	if (will_be_made(dir) && access_to(dir) == WRITE)
		ask('c', text("%s/.beside", dir), "",
		    access_to(text("%s/.beside", dir)) == WRITE);
	for (; !exists(dir) && access_to(dir) != OWN; dir = parent(dir))
		ask('m', dir, "", 0);
}

/* What was allowed by a name can be opened by that name. */
static void
ask_about_allow(const struct rule *r)
{
	enum access a = access_to(r->real);

	if (exists(r->real) && (a == READ || a == WRITE) &&
	    !is_dark(r->real) && !is_dark(r->path) && !is_closed(r->real))
		ask('o', r->plain, "", 1);
}

static void
make_probes(void)
{
	const char *a, *b;
	int i;

	nprobes = 0;
	for (i = 0; i < nentries; i++)
		ask_about(&entry[i]);
	for (i = 0; i < nrules; i++)
		if (rule[i].real == NULL)
			continue;
		else if (rule[i].kind == DENY_WRITE)
			ask_about_deny(&rule[i]);
		else if (rule[i].kind != DENY_READ)
			ask_about_allow(&rule[i]);
	for (i = 0; i < 6; i++) {
		a = some_directory();
		b = some_directory();
		if (are_joined(a, b))
			ask('x', text("%s/.new", a), text("%s/.new2", b), 1);
	}
}

/* inside ----------------------------------------------------------------- */

static int
result(int ok)
{
	return ok ? 0 : errno == 0 ? EIO : errno;
}

static int
opens(const char *path, int flags)
{
	int fd = open(path, flags, 0644);

	if (fd != -1)
		close(fd);
	return fd != -1;
}

/* The content of a file is its path. */
static int
reads(const char *path)
{
	char buf[PATH_MAX];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd == -1 ? -1 : read(fd, buf, sizeof(buf));

	if (fd != -1)
		close(fd);
	return n == (ssize_t)strlen(path) && memcmp(buf, path, (size_t)n) == 0;
}

static int
moves(const char *path)
{
	char *aside = text("%s.moved", path);

	return rename(path, aside) == 0 && rename(aside, path) == 0;
}

/* Directories above path that are missing, as a command would make them. */
static void
make_parents(const char *path)
{
	char *dir = parent(path);

	if (strcmp(dir, "/") != 0 && mkdir(dir, 0755) == -1 &&
	    errno == ENOENT) {
		make_parents(dir);
		mkdir(dir, 0755);
	}
}

static void
remove_parents(const char *path)
{
	char *dir = parent(path);

	while (rmdir(dir) == 0)
		dir = parent(dir);
}

/*
 * What a command may do about modes: open every directory above path.  Called
 * again with close, it gives them back the modes they had.
 */
static void
open_above(const char *path, int close)
{
	static mode_t had[PATH_MAX];	/* by the length of the name */
	char *dir = parent(path);
	struct stat st;

	if (strcmp(dir, "/") == 0)
		return;
	if (!close)
		open_above(dir, 0);
	if (close && had[strlen(dir)] != 0)
		chmod(dir, had[strlen(dir)] & 07777);
	had[strlen(dir)] = 0;
	if (!close && lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
	    (st.st_mode & 0700) != 0700 && chmod(dir, 0755) == 0)
		had[strlen(dir)] = st.st_mode;
	if (close)
		open_above(dir, 1);
}

static int
reads_opened(const char *path)
{
	int ok;

	open_above(path, 0);
	ok = reads(path);
	open_above(path, 1);
	return ok;
}

/* Some of what there is to try at a denied path: does any of it work? */
static int
lands(const char *path)
{
	char *temp = text("%s/.temp", parent(path));
	int ok = 0, i;

	open_above(path, 0);
	for (i = 0; i < 2 && !ok; i++) {
		ok = opens(path, O_WRONLY | O_NONBLOCK) ||
		    opens(path, O_WRONLY | O_CREAT | O_NONBLOCK) ||
		    truncate(path, 0) == 0 || mkdir(path, 0755) == 0 ||
		    symlink("x", path) == 0 || unlink(path) == 0 ||
		    rmdir(path) == 0 || chmod(path, 0777) == 0;
		if (!ok && opens(temp, O_WRONLY | O_CREAT)) {
			ok = rename(temp, path) == 0 ||
			    link(temp, path) == 0;
			unlink(temp);
		}
		if (i == 0)
			make_parents(path);
	}
	if (!ok)
		remove_parents(path);
	open_above(path, 1);
	return ok;
}

static int
crosses(const char *a, const char *b)
{
	int ok = opens(a, O_WRONLY | O_CREAT | O_EXCL) && rename(a, b) == 0 &&
	    link(b, a) == 0;
	int saved = errno;

	unlink(a);
	unlink(b);
	errno = saved;
	return ok;
}

static int
makes(const char *path)
{
	return opens(path, O_WRONLY | O_CREAT | O_EXCL) && unlink(path) == 0;
}

/* Changes nothing in the end, if it is not to be told as wrong. */
static int
try_one(char what, const char *path, const char *other)
{
	errno = 0;
	switch (what) {
	case 'r': return result(reads(path));
	case 'h': return result(reads_opened(path));
	case 'o': return result(opens(path, O_RDONLY));
	case 'w': return result(opens(path, O_WRONLY | O_APPEND));
	case 'c': return result(makes(path));
	case 'd': return result(lands(path));
	case 'm': return result(moves(path));
	case 'x': return result(crosses(path, other));
	}
	return EINVAL;
}

static int
inside(void)
{
	char *word[3] = { NULL, NULL, NULL };
	size_t cap[3] = { 0, 0, 0 };

	while (getdelim(&word[0], &cap[0], '\0', stdin) > 0 &&
	    getdelim(&word[1], &cap[1], '\0', stdin) > 0 &&
	    getdelim(&word[2], &cap[2], '\0', stdin) > 0)
		printf("%d\n", try_one(word[0][0], word[1], word[2]));
	return fflush(stdout) == EOF;
}

/* outside ---------------------------------------------------------------- */

static int bad;
static uint64_t seed;

static void
show_word(const char *s)
{
	put_word(stdout, s);
}

static void
show(const char *profile)
{
	static const char *const types[] = { "dir", "file", "empty", "link" };
	FILE *fp = fopen(profile, "r");
	int i, c;

	for (i = 0; i < nentries; i++) {
		printf("  %-5s %04o ", types[entry[i].type],
		    (unsigned)entry[i].mode);
		show_word(entry[i].path);
		if (entry[i].type == LINK) {
			printf(" -> ");
			show_word(entry[i].target);
		}
		putchar('\n');
	}
	while (fp != NULL && (c = getc(fp)) != EOF)
		putchar(c);
	if (fp != NULL)
		fclose(fp);
}

static void
wrong(const char *fmt, ...)
{
	va_list ap;

	if (bad++ == 0)
		printf("seed %llu:\n", (unsigned long long)seed);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}

/* What a command prints; its status in *status. */
static char *
output_of(const char *const argv[], const char *input, int *status)
{
	char *out = malloc(1 << 20);
	size_t n = 0;
	ssize_t got;
	int p[2], in;
	pid_t pid;

	if (out == NULL || pipe(p) == -1 || (pid = fork()) == -1)
		die("%s", argv[0]);
	if (pid == 0) {
		in = open(input == NULL ? "/dev/null" : input, O_RDONLY);
		if (in == -1 || dup2(in, 0) == -1 || dup2(p[1], 1) == -1)
			_exit(126);
		close(p[0]);
		close(p[1]);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(p[1]);
	while ((got = read(p[0], out + n, (1 << 20) - 1 - n)) > 0)
		n += (size_t)got;
	out[n] = '\0';
	close(p[0]);
	if (waitpid(pid, status, 0) == -1)
		die("wait");
	*status = WIFEXITED(*status) ? WEXITSTATUS(*status) : 1000;
	return out;
}

static void
check_plans(const char *profile, const char *other)
{
	const char *const first[] = { "srt-plan", "-q", profile, NULL };
	const char *const again[] = { "srt-plan", "-q", other, NULL };
	int status, i;
	char *plan = output_of(first, NULL, &status), *plan2;

	if (status != 0)
		wrong("srt-plan: status %d\n", status);
	for (i = 0; i < 4; i++) {
		write_profile(other, 1);
		plan2 = output_of(again, NULL, &status);
		if (strcmp(plan, plan2) == 0)
			continue;
		wrong("another plan:\n%s\nof:\n%s", plan, plan2);
		show(other);
		break;
	}
}

static void
check_why(const char *profile)
{
	const char *const argv[] = { "srt-plan", "-q", "-p", profile, "--why",
	    NULL, NULL };
	const char *args[7], *path, *said;
	enum access a;
	int i, status;

	memcpy(args, argv, sizeof(args));
	for (i = 0; i < 5; i++) {
		path = some_path();
		if ((path = resolve(path, 0)) == NULL || is_dark(path))
			continue;
		args[5] = path;
		said = output_of(args, NULL, &status);
		a = access_to(path);
		if (status != 0 ||
		    (strstr(said, "write allowed") != NULL) != (a == WRITE) ||
		    (strstr(said, "read allowed") != NULL) !=
		    (a == READ || a == WRITE)) {
			wrong("--why, where the model says %d, of ", a);
			show_word(path);
			printf(":\n%s", said);
		}
	}
}

static void
check_inside(const char *profile, const char *probes, const char *self)
{
	const char *const argv[] = { "srt-run", "-q", "-p", profile, "--",
	    self, "-i", NULL };
	FILE *fp = fopen(probes, "w");
	char *out, *line;
	int i, status;

	if (fp == NULL)
		die("%s", probes);
	for (i = 0; i < nprobes; i++)
		fprintf(fp, "%c%c%s%c%s%c", probe[i].what, '\0',
		    probe[i].path, '\0', probe[i].other, '\0');
	if (fclose(fp) == EOF)
		die("%s", probes);
	out = output_of(argv, probes, &status);
	if (status != 0)
		wrong("srt-run: status %d\n", status);
	line = strtok(out, "\n");
	for (i = 0; i < nprobes; i++, line = strtok(NULL, "\n")) {
		if (line == NULL) {
			wrong("answers: %d of %d\n", i, nprobes);
			return;
		}
		if ((atoi(line) == 0) == probe[i].want)
			continue;
		wrong("%c ", probe[i].what);
		show_word(probe[i].path);
		putchar(' ');
		show_word(probe[i].other);
		printf(": %s, wanted %s\n", strerror(atoi(line)),
		    probe[i].want ? "success" : "failure");
	}
}

/* Count what is there, and compare each with what was made. */
static int
count(const char *path)
{
	struct dirent *d;
	DIR *dir = opendir(path);
	int n = 0;

	if (dir == NULL)
		return 0;
	while ((d = readdir(dir)) != NULL) {
		char *sub;

		if (strcmp(d->d_name, ".") == 0 ||
		    strcmp(d->d_name, "..") == 0)
			continue;
		sub = text("%s/%s", path, d->d_name);
		if (find(sub) == NULL) {
			wrong("left: ");
			show_word(sub);
			putchar('\n');
		}
		n += 1 + (d->d_type == DT_DIR ? count(sub) : 0);
	}
	closedir(dir);
	return n;
}

static void
check_outside(void)
{
	struct stat st;
	int i;

	for (i = 0; i < nentries; i++)
		if (!is_dark(entry[i].path) && entry[i].type != LINK &&
		    (lstat(entry[i].path, &st) == -1 ||
		    (st.st_mode & 07777) != entry[i].mode)) {
			wrong("other mode: ");
			show_word(entry[i].path);
			putchar('\n');
		}
	open_all();
	for (i = 0; i < nentries; i++) {
		const struct entry *e = &entry[i];
		mode_t type = e->type == DIRECTORY ? S_IFDIR :
		    e->type == LINK ? S_IFLNK : S_IFREG;

		if (lstat(e->path, &st) == 0 && st.st_ino == e->ino &&
		    (st.st_mode & S_IFMT) == type &&
		    (e->type != EMPTY || st.st_size == 0) &&
		    (e->type != FULL || reads(e->path)))
			continue;
		wrong("changed: ");
		show_word(e->path);
		putchar('\n');
	}
	count(entry[0].path);
}

static void
check_nothing_live(void)
{
	const char *const argv[] = { "srt-live", NULL };
	int status;
	char *out = output_of(argv, NULL, &status);

	if (status != 0 || *out != '\0')
		wrong("srt-live: status %d\n%s", status, out);
}

int
main(int argc, char **argv)
{
	char *profile, *other, *probes, self[PATH_MAX];
	int verbose = argc > 1 && strcmp(argv[1], "-v") == 0, all = 0;
	ssize_t len;
	uint64_t last;

	if (argc == 2 && strcmp(argv[1], "-i") == 0)
		return inside();
	argv += verbose;
	argc -= verbose;
	if (argc < 3 || argc > 4) {
		fputs("usage: property [-v] base seed [count]\n", stderr);
		return 64;
	}
	umask(022);
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len == -1 || (base = realpath(argv[1], NULL)) == NULL)
		die("%s", argv[1]);
	self[len] = '\0';
	profile = text("%s/profile", base);
	other = text("%s/other", base);
	probes = text("%s/probes", base);
	seed = strtoull(argv[2], NULL, 10);
	last = seed + (argc == 4 ? strtoull(argv[3], NULL, 10) : 1);
	for (; seed < last && all < 10; seed++) {
		bad = 0;
		state = seed;
		make_tree();
		/* placeholders in the home are of another kind */
		setenv("HOME", percent(25) ? entry[0].path : base, 1);
		make_profile();
		write_profile(profile, 0);
		check_plans(profile, other);
		check_why(profile);
		make_probes();
		check_inside(profile, probes, self);
		check_outside();
		check_nothing_live();
		if (bad || verbose)
			show(profile);
		all += bad;
		remove_tree(entry[0].path);
	}
	printf("%d wrong\n", all);
	return all != 0;
}
