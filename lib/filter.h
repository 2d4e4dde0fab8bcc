/* SPDX-License-Identifier: ISC */
#ifndef SRT_FILTER_H
#define SRT_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The system-call filter of a sandbox, in classic BPF as seccomp(2) and
 * bwrap --seccomp take it.  What it refuses stands in filter-rows.h; the rest
 * is allowed.  Another architecture's calls (32-bit ones on x86_64, too) end
 * the process; x32's, and those newer than FILTER_LAST, get ENOSYS.
 *
 * The answer is what a program can make most of: EPERM where it lacks a
 * privilege anyway; ENOSYS where kernels may be without the call, so that it
 * does something else; EAFNOSUPPORT for sockets, which glibc (nscd), Xlib and
 * others take as "there is no such service", and which tells a person more than
 * EPERM on a socket that could be opened.
 */

enum filter_arch {
	FILTER_X86_64,
	FILTER_AARCH64
};
#define FILTER_ARCHES	2

/* What it is built for; filter-rows.h has no numbers for others. */
#if defined(__x86_64__)
#define FILTER_NATIVE	FILTER_X86_64
#elif defined(__aarch64__)
#define FILTER_NATIVE	FILTER_AARCH64
#endif

/* What lifts a concern; bits. */
#define FILTER_NESTED	1U	/* nested-userns allow */
#define FILTER_SOCKETS	2U	/* unix-sockets allow */

#define FILTER_LAST	469	/* file_setattr, Linux 6.17 */
#define FILTER_MAX	256	/* instructions: no jump is longer than 255 */

/* A row of a table, or the heading of the next. */
struct filter_row {
	uint16_t	nr[FILTER_ARCHES];	/* FILTER_HEADING: none */
	uint8_t		when;
	uint8_t		arg;	/* that "when" is about */
	uint8_t		answer;	/* errno, 0: allowed */
	uint32_t	value;	/* of "when"; of a heading, what lifts it */
};
#define FILTER_HEADING	UINT16_MAX

enum filter_when {
	FILTER_ALWAYS,
	FILTER_IS,	/* the argument's low 32 bits are value */
	FILTER_HAS	/* they have any of its bits */
};

/* In the order of filter-rows.h, ended by another heading. */
extern const struct filter_row filter_row[];

unsigned filter_allow(int nested_userns, int unix_sockets);

/* The program for arch without what allow lifts; returns its length. */
size_t	filter_make(enum filter_arch, unsigned allow,
	    struct sock_filter code[FILTER_MAX]);

#endif
