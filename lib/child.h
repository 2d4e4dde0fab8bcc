/* SPDX-License-Identifier: ISC */
#ifndef SRT_CHILD_H
#define SRT_CHILD_H

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

/*
 * The status a shell would show for what waitpid(2) gave: the exit status,
 * or 128+n for signal n.  POSIX XCU 2.8.2 asks only for more than 128; 128+n
 * is what shells, env(1) and bubblewrap give.
 */
int	child_status(int wstatus);

/*
 * /proc, to be closed by the caller, where it shows the processes of our PID
 * namespace; NULL.  And the next of them in it that is not us: its pid, and
 * that as text, which is good until the next call; 0: no more.
 */
DIR	*child_proc(void);
pid_t	child_next(DIR *proc, const char **name);

/* What /proc/PID/stat says of a process (proc(5)).  -1: it has gone. */
struct child_stat {
	char			name[16];	/* of the program, cut off */
	char			state;
	pid_t			parent;
	unsigned long long	started;	/* clock ticks since boot */
};
int	child_stat(const char *pid, struct child_stat *);

/*
 * End (SIGKILL) every other process that has the file st open; with
 * lock_only just those whose description holds a lock on it.  Waits a second
 * at most for each to have ended.  Returns how many.  Without a /proc of our
 * PID namespace nothing finds them: 0.
 */
int	child_end_holders(const struct stat *, int lock_only);

/*
 * Is a process at work, running or waiting for a disk (proc(5), stat), that has
 * a directory open, or for its working directory, which is path or lies below
 * it?  Those of other users cannot be looked at; those of our own name, which
 * look as we do, do not count.
 */
int	child_others_in(const char *path);

/*
 * All signals back to their default, none blocked: for a fresh program.  But
 * a hangup that the caller ignores stays ignored, as nohup(1) wants it.
 */
void	child_reset_signals(void);
int	child_ignores_hangup(void);

/*
 * Block all signals, also those that musl keeps for itself: *set.  A fault of
 * our own ends us all the same (kernel/signal.c, force_sig_info_to_task()).
 */
void	child_block_signals(sigset_t *set);

/*
 * For a supervisor: block them and have them by descriptor (signalfd(2), not
 * blocking).  Not a hangup that the caller ignores (nohup(1)).  -1 with errno.
 */
int	child_catch_signals(void);

/*
 * The next of them that is meant for the program we run; 0: none.  *group is
 * 1 if it has come to that without us, sent by the terminal to the foreground
 * group.  A hangup is not: it is sent to the leader of the session alone, and
 * that may be us (drivers/tty/tty_jobctrl.c, tty_signal_session_leader()).  Nor
 * is an alarm, which the caller has set before it became us.
 */
int	child_signal(int fd, int *group);

/* Stop as by sig, which is blocked, and go on when continued. */
void	child_stop_as(int sig);

/*
 * Die of sig, without a core: a shell ends its loop only if it sees that the
 * interrupt has ended the program.  PID 1 of a container returns from it.
 */
void	child_die_of(int sig);

/* In a child: end with the supervisor, even if it has ended already. */
void	child_end_with(pid_t supervisor);

/*
 * Are our children in another PID namespace than we, as after unshare(1) with
 * -p and without -f (pid_namespaces(7))?  It has no first process at first.
 */
int	child_lives_elsewhere(void);

/*
 * The children there are now, as what has become us by exec may have some; the
 * pids are the caller's to free.  -1: no memory.
 */
struct child_list {
	pid_t	*pid;
	size_t	 n;
};
int	child_list(struct child_list *);

/*
 * End (SIGKILL) all other children, and theirs, which come to a subreaper
 * (prctl(2)) as they are orphaned, and wait for that, with SIGCHLD blocked.
 * -1 where something is still there after five seconds, as what has become
 * another user's is.
 */
int	child_end_all(struct child_list *but);

/* Monotonic seconds. */
time_t	child_now_s(void);

/*
 * Become the program argv[0], as execvp(3), and where it has no format, a
 * script of sh(1).  Returns the exit status after a message.
 */
int	child_become(char **argv);

#endif
