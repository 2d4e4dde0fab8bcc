/* SPDX-License-Identifier: ISC */
#ifndef SRT_PROFILE_H
#define SRT_PROFILE_H

#include <stddef.h>

/* Profiles: what a sandboxed command may do.  srt-stream(5) has the lines. */

enum rule_kind {
	ALLOW_WRITE,
	DENY_WRITE,
	DENY_READ,
	ALLOW_READ
};
#define RULE_KINDS 4

struct rule {
	enum rule_kind	 kind;
	char		*path;	/* absolute; links and ".." as written */
	char		*where;	/* "file:line", or the option that gave it */
};

struct env_change {
	char	*name;
	char	*value;		/* NULL: unset */
};

struct choice {
	int	said;
	int	yes;
};

struct profile {
	struct rule		*rule;
	size_t			 nrules;
	struct env_change	*env;
	size_t			 nenv;
	int			*pass_fd;
	size_t			 npass_fds;
	char			*chdir;		/* absolute, or NULL */
	int			 private_tmp;
	struct choice		 network;	/* yes: the machine's */
	struct choice		 unix_sockets;	/* yes: allowed */
	struct choice		 nested_userns;	/* yes: allowed */
	unsigned		 noptions;	/* -e so far */
};

void	profile_init(struct profile *);
void	profile_free(struct profile *);

/*
 * Add the lines of text (len bytes at buf, which is changed).  name is for
 * messages and --why.  Returns 0, or -1 after a message that names the line.
 */
int	profile_parse(struct profile *, const char *name, char *buf,
	    size_t len);

/* The same for the argument of an option -e; they are counted in messages. */
int	profile_option(struct profile *, char *text);

/*
 * The same from a file, "-" being standard input, which is then /dev/null
 * for whoever reads it next.
 */
int	profile_load(struct profile *, const char *path);

/* Add the rule kind for path, taken from the working directory.  -1: said */
int	profile_rule(struct profile *, enum rule_kind, const char *path,
	    const char *where);

/* If nothing grants writing yet, grant it in the working directory. */
int	profile_default(struct profile *);

/* "allow-write" and so on */
const char *rule_name(enum rule_kind);

/* path made absolute: ~ is the home.  To be freed.  NULL with errno. */
char	*path_absolute(const char *path);

/* $HOME, else the home of the user database; NULL where there is none. */
const char *user_home(void);

#endif
