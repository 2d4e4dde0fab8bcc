/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "trail.h"

char *
trail_path(const struct trail *t)
{
	const struct trail *at = t;
	size_t len = 0, n;
	char *path, *w;

	do
		len += strlen(at->name) + 1;
	while ((at = at->up) != NULL);
	if ((path = malloc(len)) == NULL)
		return NULL;
	w = path + len;
	for (at = t; at != NULL; at = at->up) {
		n = strlen(at->name);
		*--w = at == t ? '\0' : '/';
		w -= n;
		memcpy(w, at->name, n);
	}
	return path;
}

void
trail_msg(const struct trail *t, const char *fmt, ...)
{
	int saved = errno;
	char *path = trail_path(t), *what = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) == -1)
		what = NULL;
	va_end(ap);
	errno = saved;
	msg_path(path == NULL ? t->name : path, "%s",
	    what == NULL ? "out of memory" : what);
	free(what);
	free(path);
	errno = saved;
}
