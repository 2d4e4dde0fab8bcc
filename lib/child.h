/* SPDX-License-Identifier: ISC */
#ifndef SRT_CHILD_H
#define SRT_CHILD_H

#include <sys/stat.h>

/*
 * The status a shell would show for what waitpid(2) gave: the exit status,
 * or 128+n for signal n.  POSIX XCU 2.8.2 asks only for more than 128; 128+n
 * is what shells, env(1) and bubblewrap give.
 */
int	child_status(int wstatus);

/*
 * End (SIGKILL) every other process that has the file st open; with
 * lock_only just those whose description holds a lock on it.  Waits a second
 * at most for each to have ended.  Returns how many.  Without a /proc of our
 * PID namespace nothing finds them: 0.
 */
int	child_end_holders(const struct stat *, int lock_only);

/*
 * All signals back to their default, none blocked: for a fresh program.  But
 * a hangup that the caller ignores stays ignored, as nohup(1) wants it.
 */
void	child_reset_signals(void);
int	child_ignores_hangup(void);

#endif
