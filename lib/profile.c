/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "line.h"
#include "msg.h"
#include "profile.h"

#define PROFILE_MAX (16 << 20)	/* bytes */

static const char *const rule_names[RULE_KINDS] = {
	"allow-write", "deny-write", "deny-read", "allow-read"
};

const char *
rule_name(enum rule_kind k)
{
	return rule_names[k];
}

void
profile_init(struct profile *p)
{
	memset(p, 0, sizeof(*p));
}

void
profile_free(struct profile *p)
{
	size_t i;

	for (i = 0; i < p->nrules; i++) {
		free(p->rule[i].path);
		free(p->rule[i].where);
	}
	for (i = 0; i < p->nenv; i++) {
		free(p->env[i].name);
		free(p->env[i].value);
	}
	free(p->rule);
	free(p->env);
	free(p->pass_fd);
	free(p->chdir);
	profile_init(p);
}

const char *
user_home(void)
{
	const char *home = getenv("HOME");
	struct passwd *pw;

	if (home != NULL && *home == '/')
		return home;
	pw = getpwuid(getuid());
	return pw != NULL && pw->pw_dir[0] == '/' ? pw->pw_dir : NULL;
}

char *
path_absolute(const char *path)
{
	char cwd[PATH_MAX];
	const char *home;

	if (*path == '\0') {
		errno = ENOENT;
		return NULL;
	}
	if (path[0] == '~' && (path[1] == '/' || path[1] == '\0')) {
		if ((home = user_home()) == NULL) {
			errno = ENOENT;
			return NULL;
		}
		return path_join(home, path[1] == '/' ? path + 2 : "");
	}
	if (*path == '/')
		return strdup(path);
	/* a directory that was removed has no name: getcwd(3), ENOENT */
	if (getcwd(cwd, sizeof(cwd)) == NULL || *cwd != '/')
		return NULL;
	return path_join(cwd, path);
}

int
profile_rule(struct profile *p, enum rule_kind kind, const char *path,
    const char *where)
{
	struct rule *r;

	r = reallocarray(p->rule, p->nrules + 1, sizeof(*r));
	if (r == NULL)
		goto fail;
	p->rule = r;
	r += p->nrules;
	r->kind = kind;
	if ((r->path = path_absolute(path)) == NULL)
		goto fail;
	if ((r->where = strdup(where)) == NULL) {
		free(r->path);
		goto fail;
	}
	p->nrules++;
	return 0;
fail:
	if (*path == '\0') {
		errno = 0;
		msg_path(where, "%s: empty path", rule_name(kind));
	} else
		msg_path(path, "%s (%s)", rule_name(kind), where);
	return -1;
}

/*
 * The order of lines must not matter, so what is said twice must be the
 * same: EEXIST where it is not.
 */
static int
add_env(struct profile *p, const char *name, const char *value)
{
	struct env_change *e;
	size_t i;

	if (*name == '\0' || strchr(name, '=') != NULL)
		return -1;
	for (i = 0; i < p->nenv; i++)
		if (strcmp(p->env[i].name, name) == 0) {
			const char *old = p->env[i].value;

			if (old == value || (old != NULL && value != NULL &&
			    strcmp(old, value) == 0))
				return 0;	/* old == value: both NULL */
			errno = EEXIST;
			return -1;
		}
	e = reallocarray(p->env, p->nenv + 1, sizeof(*e));
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

static int
add_pass_fd(struct profile *p, const char *word)
{
	const char *bad;
	int *fd = reallocarray(p->pass_fd, p->npass_fds + 1, sizeof(*fd));
	size_t i;

	if (fd == NULL)
		return -1;
	p->pass_fd = fd;
	fd[p->npass_fds] = (int)strtonum(word, 0, INT_MAX, &bad);
	if (bad != NULL)
		return -1;
	for (i = 0; i < p->npass_fds; i++)
		if (fd[i] == fd[p->npass_fds])
			return 0;
	p->npass_fds++;
	return 0;
}

/* One of two words, the same as before; -1 for anything else. */
static int
choose(const char *word, const char *no, const char *yes, struct choice *c)
{
	int yes_now = strcmp(word, yes) == 0;

	if (!yes_now && strcmp(word, no) != 0)
		return -1;
	if (c->said && c->yes != yes_now) {
		errno = EEXIST;
		return -1;
	}
	c->said = 1;
	c->yes = yes_now;
	return 0;
}

static int
set_chdir(struct profile *p, const char *path)
{
	char *abs = path_absolute(path);

	if (abs == NULL)
		return -1;
	if (p->chdir != NULL && strcmp(p->chdir, abs) != 0) {
		free(abs);
		errno = EEXIST;
		return -1;
	}
	free(p->chdir);
	p->chdir = abs;
	return 0;
}

/* Directives other than rules: the least and most words behind, and the job */
static int
setting(struct profile *p, char **w, size_t n)
{
	const char *d = w[0];

	if (strcmp(d, "private-tmp") == 0 && n == 1)
		return p->private_tmp = 1, 0;
	if (strcmp(d, "setenv") == 0 && (n == 2 || n == 3))
		return add_env(p, w[1], n == 3 ? w[2] : "");
	if (n != 2)
		return -1;
	if (strcmp(d, "network") == 0)
		return choose(w[1], "none", "host", &p->network);
	if (strcmp(d, "unix-sockets") == 0)
		return choose(w[1], "deny", "allow", &p->unix_sockets);
	if (strcmp(d, "nested-userns") == 0)
		return choose(w[1], "deny", "allow", &p->nested_userns);
	if (strcmp(d, "chdir") == 0)
		return set_chdir(p, w[1]);
	if (strcmp(d, "unsetenv") == 0)
		return add_env(p, w[1], NULL);
	if (strcmp(d, "pass-fd") == 0)
		return add_pass_fd(p, w[1]);
	return -1;
}

static int
is_directive(const char *word)
{
	static const char *const known[] = {
		"chdir", "nested-userns", "network", "pass-fd",
		"private-tmp", "setenv", "unix-sockets", "unsetenv"
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(word, known[i]) == 0)
			return 1;
	return 0;
}

/* "FILE:LINE: WORD: what is wrong with it" */
static void
say_bad_word(const char *where, const char *word, const char *what)
{
	char *encoded = line_encode(word);

	errno = 0;
	msg_path(where, "%s: %s", encoded == NULL ? "?" : encoded, what);
	free(encoded);
}

static int
record(struct profile *p, struct line_reader *r, const char *where)
{
	int kind;

	for (kind = 0; kind < RULE_KINDS; kind++)
		if (strcmp(r->word[0], rule_names[kind]) == 0)
			break;
	errno = 0;
	if (kind < RULE_KINDS && r->nwords == 2)
		return profile_rule(p, (enum rule_kind)kind, r->word[1],
		    where);
	if (kind < RULE_KINDS) {
		say_bad_word(where, r->word[0], "takes one path");
		return -1;
	}
	if (setting(p, r->word, r->nwords) == 0)
		return 0;
	say_bad_word(where, r->word[0], errno == EEXIST ?
	    "said otherwise before" : is_directive(r->word[0]) ?
	    "bad value" : "unknown directive");
	return -1;
}

/* A profile may begin with its version, "srt-profile 1". */
static int
is_version(const struct line_reader *r)
{
	return r->nwords == 2 && strcmp(r->word[0], "srt-profile") == 0;
}

static int
check_version(const struct line_reader *r, const char *where)
{
	if (strcmp(r->word[1], "1") == 0)
		return 0;
	say_bad_word(where, r->word[1], "a profile of another version than 1");
	return -1;
}

int
profile_parse(struct profile *p, const char *name, char *buf, size_t len)
{
	struct line_reader r;
	char *where;
	int got, first = 1, ok;

	line_open(&r, name, buf, len);
	while ((got = line_next(&r)) != 0) {
		if (asprintf(&where, "%s:%lu", name, r.lineno) == -1)
			return -1;
		if (got == -1) {
			errno = 0;
			msg_path(where, "not a line of a profile");
			ok = 0;
		} else if (first && is_version(&r))
			ok = check_version(&r, where) == 0;
		else
			ok = record(p, &r, where) == 0;
		free(where);
		if (!ok)
			return -1;
		first = 0;
	}
	return 0;
}

int
profile_option(struct profile *p, char *text)
{
	char name[32];

	snprintf(name, sizeof(name), "-e %u", ++p->noptions);
	return profile_parse(p, name, text, strlen(text));
}

int
profile_default(struct profile *p)
{
	size_t i;

	for (i = 0; i < p->nrules; i++)
		if (p->rule[i].kind == ALLOW_WRITE)
			return 0;
	return profile_rule(p, ALLOW_WRITE, ".", "default");
}

int
profile_load(struct profile *p, const char *path)
{
	int fd, r, is_stdin = strcmp(path, "-") == 0;
	char *buf;
	size_t len;

	fd = is_stdin ? dup(0) : open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1 || file_slurp(fd, PROFILE_MAX, &buf, &len) == -1) {
		msg_path(path, "cannot read the profile");
		file_close(&fd);
		return -1;
	}
	file_close(&fd);
	r = profile_parse(p, is_stdin ? "standard input" : path, buf, len);
	free(buf);
	if (is_stdin && r == 0 && file_null_stdin() == -1) {
		msg_path("/dev/null", "cannot be opened");
		return -1;
	}
	return r;
}
