/* SPDX-License-Identifier: ISC */
/* Plans as text, and the memory they live in. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "line.h"
#include "msg.h"
#include "plan.h"

#define FORMAT "1"

static const struct {
	const char	*word;
	enum op_type	 type;
	char		 extra;	/* 'o'ctal, 'd'ecimal, 't'arget, or 0 */
} ops[] = {
	{ "ro",		OP_RO,		0 },
	{ "rw",		OP_RW,		0 },
	{ "hide",	OP_HIDE,	0 },
	{ "close",	OP_CLOSE,	0 },
	{ "mask",	OP_MASK,	0 },
	{ "tmp",	OP_TMP,		'o' },
	{ "dev",	OP_DEV,		0 },
	{ "proc",	OP_PROC,	0 },
	{ "symlink",	OP_SYMLINK,	't' },
	{ "hold",	OP_HOLD,	'd' },
	{ "pin",	OP_PIN,		'd' }
};
#define NOPS (sizeof(ops) / sizeof(*ops))

static const struct {
	const char	*word;
	mode_t		 type;
} types[] = {
	{ "file",	S_IFREG },
	{ "dir",	S_IFDIR },
	{ "link",	S_IFLNK },
	{ "socket",	S_IFSOCK },
	{ "fifo",	S_IFIFO },
	{ "device",	S_IFCHR },
	{ "disk",	S_IFBLK }
};
#define NTYPES (sizeof(types) / sizeof(*types))

void
plan_free(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->nops; i++) {
		free(p->op[i].path);
		free(p->op[i].target);
	}
	for (i = 0; i < p->nmarks; i++)
		free(p->mark[i].path);
	for (i = 0; i < p->nowns; i++)
		free(p->own[i].path);
	for (i = 0; i < p->nlinks; i++)
		free(p->link[i]);
	for (i = 0; i < p->nenv; i++) {
		free(p->env[i].name);
		free(p->env[i].value);
	}
	free(p->op);
	free(p->mark);
	free(p->own);
	free(p->link);
	free(p->env);
	free(p->pass_fd);
	free(p->chdir);
	memset(p, 0, sizeof(*p));
}

/* Room for one more element behind n of them; NULL: no memory. */
static void *
grow(void *array, size_t n, size_t size)
{
	/* doubled at each power of two, so that 10,000 cost no copying */
	if (n != 0 && (n & (n - 1)) != 0)
		return array;
	return reallocarray(array, n == 0 ? 1 : 2 * n, size);
}

struct op *
plan_add_op(struct plan *p, enum op_type type, const char *path, unsigned n)
{
	struct op *op = grow(p->op, p->nops, sizeof(*op));

	if (op == NULL)
		return NULL;
	p->op = op;
	op += p->nops;
	op->type = type;
	op->target = NULL;
	op->n = n;
	if ((op->path = strdup(path)) == NULL)
		return NULL;
	p->nops++;
	return op;
}

struct mark *
plan_add_mark(struct plan *p, enum role role, const char *path)
{
	struct mark *k = grow(p->mark, p->nmarks, sizeof(*k));

	if (k == NULL)
		return NULL;
	p->mark = k;
	k += p->nmarks;
	memset(k, 0, sizeof(*k));
	k->role = role;
	if ((k->path = strdup(path)) == NULL)
		return NULL;
	p->nmarks++;
	return k;
}

struct owned *
plan_add_own(struct plan *p, const char *path)
{
	struct owned *o = grow(p->own, p->nowns, sizeof(*o));

	if (o == NULL)
		return NULL;
	p->own = o;
	o += p->nowns;
	memset(o, 0, sizeof(*o));
	if ((o->path = strdup(path)) == NULL)
		return NULL;
	p->nowns++;
	return o;
}

int
plan_add_link(struct plan *p, const char *path)
{
	char **link = grow(p->link, p->nlinks, sizeof(*link));

	if (link == NULL)
		return -1;
	p->link = link;
	if ((link[p->nlinks] = strdup(path)) == NULL)
		return -1;
	p->nlinks++;
	return 0;
}

int
plan_add_env(struct plan *p, const char *name, const char *value)
{
	struct env_change *e = grow(p->env, p->nenv, sizeof(*e));

	if (e == NULL)
		return -1;
	p->env = e;
	e += p->nenv;
	e->value = NULL;
	if ((e->name = strdup(name)) == NULL)
		return -1;
	if (value != NULL && (e->value = strdup(value)) == NULL) {
		free(e->name);
		return -1;
	}
	p->nenv++;
	return 0;
}

int
plan_add_pass_fd(struct plan *p, int fd)
{
	int *fds = grow(p->pass_fd, p->npass_fds, sizeof(*fds));

	if (fds == NULL)
		return -1;
	p->pass_fd = fds;
	fds[p->npass_fds++] = fd;
	return 0;
}

static void
put_path(FILE *fp, const char *path)
{
	putc(' ', fp);
	line_put(fp, path);
	putc('\n', fp);
}

static void
print_settings(const struct plan *p, FILE *fp)
{
	size_t i;

	fprintf(fp, "network %s\n", p->network_host ? "host" : "none");
	fprintf(fp, "nested-userns %s\n",
	    p->nested_userns ? "allow" : "deny");
	fprintf(fp, "unix-sockets %s\n", p->unix_sockets ? "allow" : "deny");
	if (p->chdir != NULL) {
		fputs("chdir", fp);
		put_path(fp, p->chdir);
	}
	for (i = 0; i < p->nenv; i++) {
		fputs(p->env[i].value == NULL ? "unsetenv " : "setenv ", fp);
		line_put(fp, p->env[i].name);
		if (p->env[i].value != NULL)
			put_path(fp, p->env[i].value);
		else
			putc('\n', fp);
	}
	for (i = 0; i < p->npass_fds; i++)
		fprintf(fp, "pass-fd %d\n", p->pass_fd[i]);
}

static void
print_op(const struct op *op, FILE *fp)
{
	size_t i;

	for (i = 0; ops[i].type != op->type; i++)
		;
	fputs(ops[i].word, fp);
	if (ops[i].extra == 'o')
		fprintf(fp, " %04o", op->n);
	else if (ops[i].extra == 'd')
		fprintf(fp, " %u", op->n);
	else if (ops[i].extra == 't') {
		putc(' ', fp);
		line_put(fp, op->target);
	}
	put_path(fp, op->path);
}

static void
print_own(const struct owned *o, FILE *fp)
{
	size_t i;

	for (i = 0; i < NTYPES && types[i].type != o->type; i++)
		;
	fprintf(fp, "own %s", i < NTYPES ? types[i].word : "file");
	if (o->blank)
		fprintf(fp, " %llu %llu", (unsigned long long)o->dev,
		    (unsigned long long)o->ino);
	put_path(fp, o->path);
}

int
plan_print(const struct plan *p, FILE *fp)
{
	size_t i;

	fputs("srt-plan " FORMAT "\n", fp);
	print_settings(p, fp);
	for (i = 0; i < p->nops; i++)
		print_op(&p->op[i], fp);
	for (i = 0; i < p->nmarks; i++)
		mark_print(&p->mark[i], fp);
	for (i = 0; i < p->nlinks; i++) {
		fputs("link", fp);
		put_path(fp, p->link[i]);
	}
	for (i = 0; i < p->nowns; i++)
		print_own(&p->own[i], fp);
	return ferror(fp) ? -1 : 0;
}

/* An octal or decimal number that fits in an int. */
static int
parse_number(const char *word, int base, unsigned *n)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(word, &end, base);
	*n = (unsigned)v;
	return errno != 0 || *word < '0' || *word > '9' || *end != '\0' ||
	    v > INT_MAX ? -1 : 0;
}

static int
read_op(struct plan *p, char **w, size_t n, size_t i)
{
	const char extra = ops[i].extra;
	unsigned number = 0;
	struct op *op;

	if (n != (extra == 0 ? 2 : 3) || *w[n - 1] != '/')
		return -1;
	if ((extra == 'o' || extra == 'd') &&
	    parse_number(w[1], extra == 'o' ? 8 : 10, &number) == -1)
		return -1;
	if ((op = plan_add_op(p, ops[i].type, w[n - 1], number)) == NULL)
		return -1;
	if (extra == 't' && (op->target = strdup(w[1])) == NULL)
		return -1;
	return 0;
}

static int
read_mark(struct plan *p, char **w, size_t n)
{
	struct mark *k = grow(p->mark, p->nmarks, sizeof(*k));

	if (k == NULL)
		return -1;
	p->mark = k;
	if (mark_parse(&k[p->nmarks], w, n) == -1)
		return -1;
	p->nmarks++;
	return 0;
}

static int
read_own(struct plan *p, char **w, size_t n)
{
	unsigned long long dev = 0, ino = 0;
	struct owned *o;
	size_t i;

	if ((n != 3 && n != 5) || *w[n - 1] != '/')
		return -1;
	for (i = 0; i < NTYPES && strcmp(types[i].word, w[1]) != 0; i++)
		;
	if (i == NTYPES || (o = plan_add_own(p, w[n - 1])) == NULL)
		return -1;
	o->type = types[i].type;
	if (n == 3)
		return 0;
	if (parse_u64(w[2], &dev) == -1 || parse_u64(w[3], &ino) == -1)
		return -1;
	o->blank = 1;
	o->dev = (dev_t)dev;
	o->ino = (ino_t)ino;
	return 0;
}

static int
choose(const char *word, const char *no, const char *yes, int *value)
{
	*value = strcmp(word, yes) == 0;
	return *value || strcmp(word, no) == 0 ? 0 : -1;
}

static int
read_setting(struct plan *p, char **w, size_t n)
{
	unsigned fd;

	if (strcmp(w[0], "setenv") == 0 && (n == 2 || n == 3))
		return plan_add_env(p, w[1], n == 3 ? w[2] : "");
	if (n != 2)
		return -1;
	if (strcmp(w[0], "network") == 0)
		return choose(w[1], "none", "host", &p->network_host);
	if (strcmp(w[0], "nested-userns") == 0)
		return choose(w[1], "deny", "allow", &p->nested_userns);
	if (strcmp(w[0], "unix-sockets") == 0)
		return choose(w[1], "deny", "allow", &p->unix_sockets);
	if (strcmp(w[0], "unsetenv") == 0)
		return plan_add_env(p, w[1], NULL);
	if (strcmp(w[0], "link") == 0)
		return *w[1] == '/' ? plan_add_link(p, w[1]) : -1;
	if (strcmp(w[0], "pass-fd") == 0)
		return parse_number(w[1], 10, &fd) == -1 ? -1 :
		    plan_add_pass_fd(p, (int)fd);
	if (strcmp(w[0], "chdir") == 0 && p->chdir == NULL)
		return (p->chdir = strdup(w[1])) == NULL ? -1 : 0;
	return -1;
}

static int
read_record(struct plan *p, char **w, size_t n)
{
	size_t i;

	for (i = 0; i < NOPS; i++)
		if (strcmp(w[0], ops[i].word) == 0)
			return read_op(p, w, n, i);
	if (mark_is_record(w[0]))
		return read_mark(p, w, n);
	if (strcmp(w[0], "own") == 0)
		return read_own(p, w, n);
	return read_setting(p, w, n);
}

int
plan_read(struct plan *p, const char *name, char *buf, size_t len)
{
	struct line_reader r;
	int got;

	memset(p, 0, sizeof(*p));
	errno = 0;
	if (len > 0 && buf[len - 1] != '\n') {
		msg_path(name, "cut short: no newline at the end");
		return -1;
	}
	line_open(&r, name, buf, len);
	if (line_next(&r) != 1 || r.nwords != 2 ||
	    strcmp(r.word[0], "srt-plan") != 0) {
		errno = 0;
		msg_path(name, "not a plan");
		return -1;
	}
	if (strcmp(r.word[1], FORMAT) != 0) {
		msg_path(name, "plan of version %s, not " FORMAT, r.word[1]);
		return -1;
	}
	while ((got = line_next(&r)) == 1)
		if (read_record(p, r.word, r.nwords) == -1) {
			got = -1;
			break;
		}
	if (got == 0)
		return 0;
	errno = 0;
	msg_path(name, "line %lu is not a line of a plan", r.lineno);
	plan_free(p);
	return -1;
}

int
plan_equal(const struct plan *a, const struct plan *b)
{
	char *text[2] = { NULL, NULL };
	size_t len[2];
	FILE *fp;
	int i, same;

	for (i = 0; i < 2; i++) {
		if ((fp = open_memstream(&text[i], &len[i])) == NULL)
			break;
		plan_print(i == 0 ? a : b, fp);
		fclose(fp);
	}
	same = i == 2 && len[0] == len[1] &&
	    memcmp(text[0], text[1], len[0]) == 0;
	free(text[0]);
	free(text[1]);
	return same;
}
