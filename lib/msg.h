/* SPDX-License-Identifier: ISC */
#ifndef SRT_MSG_H
#define SRT_MSG_H

/*
 * Messages: one line each on standard error, "srt-plan: /path: what failed:
 * reason".  Paths come from users and sandboxes: their control bytes are
 * shown encoded with vis(3), so that a name cannot write to a terminal.
 */

/* "PROGRAM: PATH: format..." and, if errno is not 0, ": strerror". */
void	msg_path(const char *path, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

#endif
