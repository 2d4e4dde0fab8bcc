/* SPDX-License-Identifier: ISC */
/* msg.h: a message is one line and one write, whatever the path is. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/socket.h>

#include "msg.h"
#include "unit.h"

static const char *path;

static void
say(void)
{
	errno = ENOENT;
	msg_path(path, "cannot be %s, for %d reasons", "moved", 7);
}

static void
say_nothing(void)
{
	errno = 0;
	msg_path(path, "too %s", "large");
}

static void
keeps_errno(void)
{
	errno = EXDEV;
	msg_path(path, "x");
	if (errno == EXDEV)
		_exit(0);
}

static void
check(const char *p, const char *shown)
{
	char want[4096];

	path = p;
	snprintf(want, sizeof(want), "%s: %s: cannot be moved, for 7 reasons: "
	    "%s\n", program_invocation_short_name, shown, strerror(ENOENT));
	CHECK_STR(unit_end_of(say).err, want);
	CHECK_STR(unit_end_of(say).out, "");
	snprintf(want, sizeof(want), "%s: %s: too large\n",
	    program_invocation_short_name, shown);
	CHECK_STR(unit_end_of(say_nothing).err, want);
	CHECK_INT(unit_end_of(keeps_errno).status, 0);
}

/* Nothing that a terminal would obey may come out. */
static void
every_byte(void)
{
	struct unit_end e;
	char p[] = "/a?z";
	size_t i;
	int c;

	for (c = 1; c < 256; c++) {
		p[2] = (char)c;
		path = p;
		e = unit_end_of(say);
		CHECK_INT(e.status, -1);
		for (i = 0; e.err[i] != '\0'; i++)
			if ((unsigned char)e.err[i] < ' ' &&
			    e.err[i + 1] != '\0')
				break;
		CHECK(e.err[i] == '\0');
		CHECK(c < 127 || strchr(e.err, c) == NULL);
	}
}

/* Of any length: each write is a packet of its own here. */
static void
one_write(size_t len)
{
	char *p = malloc(len + 1), *got = malloc(5 * len + 4096);
	int saved = dup(2), sock[2], size = 1 << 20;
	ssize_t n;

	if (p == NULL || got == NULL ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, sock) == -1)
		exit(1);
	setsockopt(sock[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	memset(p, 'p', len);
	p[len] = '\0';
	dup2(sock[0], 2);
	errno = ENOENT;
	msg_path(p, "is %s", "gone");
	dup2(saved, 2);
	n = recv(sock[1], got, 5 * len + 4095, MSG_DONTWAIT);
	CHECK(n > (ssize_t)len);
	got[n > 0 ? n : 0] = '\0';
	CHECK(n > 0 && got[n - 1] == '\n');
	CHECK(strstr(got, strerror(ENOENT)) != NULL);
	CHECK_INT(recv(sock[1], got, 1, MSG_DONTWAIT), -1);
	close(saved);
	close(sock[0]);
	close(sock[1]);
	free(got);
	free(p);
}

static void
to_nowhere(void)
{
	close(2);
	errno = EIO;
	msg_path("/x", "is said to nobody");
	if (errno == EIO)
		_exit(0);
}

int
main(void)
{
	check("/a/b", "/a/b");
	check("", "");
	check("/a\nb", "/a\\012b");
	check("/a\tb", "/a\\011b");
	check("/\033[31mred", "/\\033[31mred");
	check("/\xff\x80", "/\\377\\200");
	check("/100%s%n", "/100%s%n");
	check("/a b", "/a b");
	check("/a\\b", "/a\\\\b");
	check("/\r", "/\\015");
	every_byte();
	one_write(10);
	one_write(100);
	one_write(1000);
	one_write(4095);
	one_write(20000);
	CHECK_INT(unit_end_of(to_nowhere).status, 0);
	return unit_failures != 0;
}
