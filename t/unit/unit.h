/* SPDX-License-Identifier: ISC */
#ifndef UNIT_H
#define UNIT_H

/*
 * For the drivers: a check that fails is a line on standard error, and main
 * ends with "return unit_failures != 0".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int unit_failures;

#define CHECK(x) \
	((x) ? (void)0 : unit_fail(__FILE__, __LINE__, #x, NULL, NULL))
#define CHECK_INT(got, want) \
	unit_int(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
#define CHECK_STR(got, want) \
	unit_str(__FILE__, __LINE__, #got, (got), (want))

static inline void
unit_fail(const char *file, int line, const char *what, const char *got,
    const char *want)
{
	unit_failures++;
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	if (want != NULL)
		fprintf(stderr, "  want: %s\n  got:  %s\n", want,
		    got == NULL ? "(null)" : got);
}

static inline void
unit_str(const char *file, int line, const char *what, const char *got,
    const char *want)
{
	if (got == NULL || strcmp(got, want) != 0)
		unit_fail(file, line, what, got, want);
}

static inline void
unit_int(const char *file, int line, const char *what, long long got,
    long long want)
{
	char g[32], w[32];

	snprintf(g, sizeof(g), "%lld", got);
	snprintf(w, sizeof(w), "%lld", want);
	unit_str(file, line, what, g, w);
}

/* What a function that exits, or prints, came to. */
struct unit_end {
	int	status;		/* -1: it returned */
	char	out[4096], err[4096];
};

static inline void
unit_slurp(FILE *fp, char *buf, size_t size)
{
	rewind(fp);
	buf[fread(buf, 1, size - 1, fp)] = '\0';
	fclose(fp);
}

/* Call f in a child of its own, with its two outputs kept. */
static inline struct unit_end
unit_end_of(void (*f)(void))
{
	struct unit_end e = { 0, "", "" };
	FILE *out = tmpfile(), *err = tmpfile();
	int wstatus = 0;
	pid_t pid;

	if (out == NULL || err == NULL || (pid = fork()) == -1) {
		perror("unit_end_of");
		exit(1);
	}
	if (pid == 0) {
		dup2(fileno(out), 1);
		dup2(fileno(err), 2);
		f();
		fflush(NULL);
		_exit(99);
	}
	waitpid(pid, &wstatus, 0);
	e.status = WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : 1000;
	if (e.status == 99)
		e.status = -1;
	unit_slurp(out, e.out, sizeof(e.out));
	unit_slurp(err, e.err, sizeof(e.err));
	return e;
}

/* Call f in a child that has entered namespaces of its own; it must pass. */
static inline void
unit_inside(int (*enter)(void), void (*f)(void))
{
	int wstatus = 0;
	pid_t pid;

	if ((pid = fork()) == 0) {
		if (enter() == -1) {
			perror("namespaces");
			_exit(1);
		}
		f();
		_exit(unit_failures != 0);
	}
	waitpid(pid, &wstatus, 0);
	CHECK_INT(wstatus, 0);
}

/* A directory of the driver's own, made the working directory; its path. */
static inline const char *
unit_dir(void)
{
	static char path[] = "/tmp/unit.XXXXXX", real[4096];

	if (mkdtemp(path) == NULL || chdir(path) == -1 ||
	    getcwd(real, sizeof(real)) == NULL) {
		perror("unit_dir");
		exit(1);
	}
	return real;
}

/* And away with it. */
static inline void
unit_rmdir(const char *path)
{
	char *const argv[] = { (char *)(uintptr_t)"rm",
	    (char *)(uintptr_t)"-rf", (char *)(uintptr_t)path, NULL };
	int wstatus;
	pid_t pid;

	if ((pid = fork()) == 0) {
		execvp("rm", argv);
		_exit(127);
	}
	waitpid(pid, &wstatus, 0);
}

static inline void
unit_write(const char *path, const char *text)
{
	FILE *fp = fopen(path, "w");

	if (fp == NULL || fputs(text, fp) == EOF || fclose(fp) == EOF) {
		perror(path);
		exit(1);
	}
}

#endif
