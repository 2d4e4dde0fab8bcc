/* SPDX-License-Identifier: ISC */
/*
 * in-socket listen PATH: makes a Unix socket there, says "ready", and answers
 * one caller with "hello".  in-socket call PATH: prints the answer.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), peer;
	char buf[16];
	ssize_t n;

	if (argc != 3 || strlen(argv[2]) >= sizeof(a.sun_path))
		return 64;
	if (fd == -1)
		err(1, "socket");
	strcpy(a.sun_path, argv[2]);
	if (strcmp(argv[1], "call") == 0) {
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == -1)
			err(1, "%s", argv[2]);
		if ((n = read(fd, buf, sizeof(buf))) > 0)
			fwrite(buf, 1, (size_t)n, stdout);
		return 0;
	}
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) == -1 ||
	    listen(fd, 1) == -1)
		err(1, "%s", argv[2]);
	puts("ready");
	fflush(stdout);
	if ((peer = accept(fd, NULL, NULL)) == -1 ||
	    write(peer, "hello\n", 6) != 6)
		err(1, "%s", argv[2]);
	return 0;
}
