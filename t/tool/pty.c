/* SPDX-License-Identifier: ISC */
/*
 * pty [-e] prog [arg ...] <script
 *
 * Runs a program as the leader of a session on a pseudo-terminal of its own,
 * with echo off (-e: on), and does what the script says, one step a line:
 *
 *	type TEXT	type it; of backslashes \n, \\ and \ooo are read
 *	line TEXT	the same and a newline
 *	want TEXT	wait until it has been written, after the last one
 *	never TEXT	it has not been written until now
 *	size ROWS COLS	resize the terminal
 *	until COMMAND	wait until this command for sh is true
 *	do COMMAND	it has to be true at once
 *	note		remember the foreground group, at first the program's
 *	busy, idle	wait until the foreground group is not, is that one
 *	hangup		close the terminal
 *	ends STATUS	wait for the program's end, with that status
 *	gone		wait until no process is left that it has started
 *
 * Commands find the name of the terminal in $PTY, the program in $LEADER.
 * Status 1, and on standard output all that was written, if a step failed or
 * took longer than PTY_S seconds, by default 20.  Whatever is left is ended.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define OUT_MAX (1 << 20)

static int master = -1;
static pid_t leader, noted;
static int wstatus, is_over, none_left;
static char out[OUT_MAX + 1];		/* all that was written */
static size_t len, seen;		/* bytes; up to the last match */
static time_t deadline;

static time_t
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

static void
reap(void)
{
	int st;
	pid_t pid;

	while ((pid = waitpid(-1, &st, WNOHANG)) > 0)
		if (pid == leader) {
			wstatus = st;
			is_over = 1;
		}
	none_left = pid == -1 && errno == ECHILD;
}

/* Read what there is, or wait a moment for it. */
static void
look(int wait_ms)
{
	struct pollfd p = { .fd = master, .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, wait_ms) == 1 && len < OUT_MAX) {
		n = read(master, out + len, OUT_MAX - len);
		if (n > 0)
			len += (size_t)n;
		else	/* EIO: nobody has the terminal open */
			poll(NULL, 0, wait_ms);
		out[len] = '\0';
	}
	reap();
}

/* All that is still there comes to us, one generation after the other. */
static void
end_all(void)
{
	char path[64];
	FILE *fp;
	long pid;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/children",
	    (long)getpid());
	for (reap(); !none_left; reap()) {
		if ((fp = fopen(path, "r")) == NULL)
			break;
		while (fscanf(fp, "%ld", &pid) == 1)
			kill((pid_t)pid, SIGKILL);
		fclose(fp);
		poll(NULL, 0, 2);
	}
}

static void
fail(int number, const char *step, const char *why)
{
	size_t i;

	printf("step %d, %s: %s; written until then:\n", number, step, why);
	for (i = 0; i < len; i++) {
		if (i == seen)
			fputs("<HERE>", stdout);
		if (out[i] == '\n' || (out[i] >= ' ' && out[i] <= '~'))
			putchar(out[i]);
		else if (out[i] != '\r')
			printf("\\%03o", (unsigned char)out[i]);
	}
	putchar('\n');
	fflush(stdout);
	end_all();
	exit(1);
}

static void
type(const char *text)
{
	char c;
	int i;

	while ((c = *text++) != '\0') {
		if (c == '\\' && *text == 'n') {
			c = '\n';
			text++;
		} else if (c == '\\' && *text == '\\')
			text++;
		else if (c == '\\' && *text >= '0' && *text <= '7')
			for (i = c = 0; i < 3 && *text >= '0' &&
			    *text <= '7'; i++)
				c = (char)(c * 8 + *text++ - '0');
		if (write(master, &c, 1) != 1)
			err(1, "type");
	}
}

static int
has_come(const char *text)
{
	char *p = strstr(out + seen, text);

	if (p != NULL)
		seen = (size_t)(p - out) + strlen(text);
	return p != NULL;
}

static int
status(void)
{
	return WIFSIGNALED(wstatus) ? 128 + WTERMSIG(wstatus) :
	    WEXITSTATUS(wstatus);
}

/* 1: done, 0: not yet, -1: will not be. */
static int
step(const char *verb, const char *rest)
{
	struct winsize size = { 0 };
	const char *p;
	char *end;

	if (strcmp(verb, "type") == 0 || strcmp(verb, "line") == 0) {
		type(rest);
		if (*verb == 'l')
			type("\\n");
		return 1;
	}
	if (strcmp(verb, "want") == 0)
		return has_come(rest);
	if (strcmp(verb, "never") == 0)
		return strstr(out, rest) == NULL ? 1 : -1;
	if (strcmp(verb, "size") == 0) {
		size.ws_row = (unsigned short)strtol(rest, &end, 10);
		size.ws_col = (unsigned short)strtol(end, NULL, 10);
		return ioctl(master, TIOCSWINSZ, &size) == 0 ? 1 : -1;
	}
	if (strcmp(verb, "until") == 0)
		return system(rest) == 0;
	if (strcmp(verb, "do") == 0)
		return system(rest) == 0 ? 1 : -1;
	if (strcmp(verb, "note") == 0)
		return (noted = tcgetpgrp(master)) == -1 ? -1 : 1;
	if (strcmp(verb, "busy") == 0)
		return tcgetpgrp(master) != noted;
	if (strcmp(verb, "idle") == 0)
		return tcgetpgrp(master) == noted;
	if (strcmp(verb, "hangup") == 0) {
		close(master);
		master = -1;
		return 1;
	}
	if (strcmp(verb, "ends") == 0) {
		for (p = rest; *p == ' '; p++)
			;
		if (!is_over)
			return 0;
		look(0);
		return status() == atoi(p) ? 1 : -1;
	}
	if (strcmp(verb, "gone") == 0)
		return none_left;
	return -1;
}

static void
be_leader(char **argv, int slave)
{
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (setsid() == -1 || ioctl(slave, TIOCSCTTY, 0) == -1 ||
	    dup2(slave, 0) == -1 || dup2(slave, 1) == -1 ||
	    dup2(slave, 2) == -1)
		_exit(125);
	execvp(argv[0], argv);
	_exit(127);
}

static void
start(char **argv, int echo)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	struct termios t;
	char number[32];
	int slave;

	if ((master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) == -1 ||
	    grantpt(master) == -1 || unlockpt(master) == -1 ||
	    (slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC)) ==
	    -1 || tcgetattr(slave, &t) == -1)
		err(1, "pseudo-terminal");
	if (!echo)
		t.c_lflag &= ~(tcflag_t)ECHO;
	if (tcsetattr(slave, TCSANOW, &t) == -1 ||
	    ioctl(slave, TIOCSWINSZ, &size) == -1 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == -1)
		err(1, "pseudo-terminal");
	setenv("PTY", ptsname(master), 1);
	if ((leader = fork()) == -1)
		err(1, "fork");
	if (leader == 0)
		be_leader(argv, slave);
	noted = leader;
	close(slave);
	snprintf(number, sizeof(number), "%ld", (long)leader);
	setenv("LEADER", number, 1);
}

int
main(int argc, char **argv)
{
	const char *limit = getenv("PTY_S");
	char *line = NULL, *rest, text[4096];
	size_t cap = 0;
	ssize_t n;
	int number = 0, echo, r;

	echo = argc > 1 && strcmp(argv[1], "-e") == 0;
	if (argc < 2 + echo)
		errx(64, "usage: pty [-e] prog [arg ...]");
	start(argv + 1 + echo, echo);
	while ((n = getline(&line, &cap, stdin)) > 0) {
		number++;
		line[strcspn(line, "\n")] = '\0';
		rest = line + strspn(line, "\t ");
		if (*rest == '\0' || *rest == '#')
			continue;
		snprintf(text, sizeof(text), "%s", rest);
		rest = text + strcspn(text, " ");
		if (*rest != '\0')
			*rest++ = '\0';
		deadline = now_s() + (limit == NULL ? 20 : atoi(limit));
		for (look(0); (r = step(text, rest)) == 0; look(20))
			if (now_s() > deadline)
				fail(number, line, "it takes too long");
		if (r == -1)
			fail(number, line, "failed");
	}
	free(line);
	end_all();
	return 0;
}
