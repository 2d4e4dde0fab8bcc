/* SPDX-License-Identifier: ISC */
#ifndef SRT_SANDBOX_H
#define SRT_SANDBOX_H

#include "plan.h"
#include "record.h"

/* bubblewrap: finding it, its arguments, becoming it. */

#define BWRAP_ARGS_MAX	9000	/* MAX_ARGS, bubblewrap.c */
#define PASS_FDS_MAX	64	/* descriptors a profile can pass */

/* Opened (O_PATH) before any sandbox can have replaced them. */
struct programs {
	int	 bwrap;
	int	 init;		/* srt-init, beside our own executable */
	char	*bwrap_path;	/* real, for messages */
	const char *name;	/* as given to programs_open(), borrowed */
	unsigned nth;		/* of those in PATH */
};

/*
 * bwrap: the path given by the user, or NULL to look along PATH (absolute
 * entries only).  -1 after a message that says what to install.
 */
int	programs_open(struct programs *, const char *bwrap);
void	programs_close(struct programs *);

/* The real path of that bubblewrap, to be freed; NULL if there is none. */
char	*programs_bwrap(const char *bwrap);

/*
 * May the command replace bubblewrap, so that the next run starts something
 * else?  Then the next in PATH that it cannot replace is used, with a warning
 * unless quiet; a command must not keep later runs from starting by putting
 * one there.  Where there is none, or it was given by its path, it is refused
 * with a message (-1).  With a write root of / root cannot avoid it and is
 * warned.
 */
int	programs_check(struct programs *, const struct plan *, int quiet);

struct sandbox {
	const struct plan	*plan;
	const struct programs	*programs;
	const struct vouch	*vouch;
	int			 status;	/* for --json-status-fd */
	int			 gate;		/* init's end of the gate */
	int			 stops;		/* init tells of stops; or -1 */
	int			 messages;	/* bubblewrap's stderr, or -1 */
	int			 bind_proc;	/* show the /proc there is */
	char			**argv;		/* the command */
};

/*
 * The arguments for bubblewrap, NUL-ended each, on a new memfd; -1 after a
 * message, for one where there are more than bubblewrap takes.
 */
int	sandbox_args(const struct sandbox *);

/*
 * Become bubblewrap, with no descriptors but those it needs and those the
 * profile passes.  args is from sandbox_args().  Returns only on failure,
 * an exit status after a message.
 */
int	sandbox_exec(const struct sandbox *, int args);

/*
 * Say in one line why bubblewrap failed: its own words, from the memfd
 * messages, and what to do about it where that is known.
 */
void	sandbox_explain(int messages, const char *bwrap_path);

/* What to do where user namespaces are refused, as far as can be told. */
const char *sandbox_userns_advice(void);

/* Did it fail because the kernel forbids a new /proc (a masked one)? */
int	sandbox_proc_refused(int messages);

/* Or because a path was gone by the time it was mounted? */
int	sandbox_path_gone(int messages);

#endif
