/* SPDX-License-Identifier: ISC */
/*
 * in-pair listen PATH: makes sockets of each type at PATH.stream, PATH.dgram
 * and PATH.seqpacket, says "ready", and waits to be killed.
 *
 * in-pair call PATH: tries to reach them from an end of a socketpair(2), of
 * each type there is, and prints "TYPE pair: HOW" for each way that works:
 * what is connected already, or was, may be connected or sent from again.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const struct {
	const char	*name;
	int		 type;
} types[] = {
	{ "stream", SOCK_STREAM }, { "dgram", SOCK_DGRAM },
	{ "raw", SOCK_RAW }, { "rdm", SOCK_RDM },
	{ "seqpacket", SOCK_SEQPACKET }
};
#define NTYPES	(sizeof(types) / sizeof(*types))

static struct sockaddr_un
address(const char *path, const char *type)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "%.80s.%s", path, type);
	return a;
}

static int
do_listen(const char *path)
{
	struct sockaddr_un a;
	size_t i;
	int fd;

	for (i = 0; i < NTYPES; i++) {
		if (types[i].type == SOCK_RAW || types[i].type == SOCK_RDM)
			continue;
		a = address(path, types[i].name);
		if ((fd = socket(AF_UNIX, types[i].type, 0)) == -1 ||
		    bind(fd, (struct sockaddr *)&a, sizeof(a)) == -1 ||
		    (types[i].type != SOCK_DGRAM && listen(fd, 64) == -1))
			err(1, "%s", a.sun_path);
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

static void
tell(int worked, const char *type, const char *how, const char *to)
{
	if (worked)
		printf("%s pair: %s to %s\n", type, how, to);
}

/* Did it go to the other end of the pair, whatever the address was? */
static int
is_at_peer(int peer)
{
	char c;

	return recv(peer, &c, 1, MSG_DONTWAIT) >= 0;
}

static void
try(int fd, int peer, const char *type, const char *path, const char *when)
{
	static const struct sockaddr none = { .sa_family = AF_UNSPEC };
	struct sockaddr_un a;
	char how[64];
	size_t i;

	for (i = 0; i < NTYPES; i++) {
		a = address(path, types[i].name);
		snprintf(how, sizeof(how), "sendto%s", when);
		tell(sendto(fd, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT,
		    (struct sockaddr *)&a, sizeof(a)) == 1 &&
		    !is_at_peer(peer), type, how, types[i].name);
		snprintf(how, sizeof(how), "connect%s", when);
		tell(connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0, type,
		    how, types[i].name);
		snprintf(how, sizeof(how), "reconnect%s", when);
		connect(fd, &none, sizeof(none));
		tell(connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0, type,
		    how, types[i].name);
	}
	/* what listens can be called, and be passed descriptors */
	a = address(path, "mine");
	unlink(a.sun_path);
	tell(bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 &&
	    listen(fd, 1) == 0, type, "listen", "others");
	unlink(a.sun_path);
}

static int
do_call(const char *path)
{
	size_t i;
	int end[2];

	for (i = 0; i < NTYPES; i++) {
		if (socketpair(AF_UNIX, types[i].type, 0, end) == -1)
			continue;
		try(end[0], end[1], types[i].name, path, "");
		close(end[1]);
		end[1] = -1;
		try(end[0], end[1], types[i].name, path, ", other end closed");
		shutdown(end[0], SHUT_RDWR);
		try(end[0], end[1], types[i].name, path, ", shut down");
		close(end[0]);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 64;
	return strcmp(argv[1], "listen") == 0 ? do_listen(argv[2]) :
	    do_call(argv[2]);
}
