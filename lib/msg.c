/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vis.h>

#include "msg.h"

void
msg_path(const char *path, const char *fmt, ...)
{
	int saved = errno;
	char *name = reallocarray(NULL, strlen(path) + 1, 4);
	char *line = NULL;
	va_list ap;

	if (name != NULL)
		strvis(name, path, VIS_OCTAL | VIS_TAB | VIS_NL);
	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) == -1)
		line = NULL;
	va_end(ap);
	/* one write: lines of several processes do not mix */
	dprintf(2, "%s: %s: %s%s%s\n", program_invocation_short_name,
	    name == NULL ? "?" : name, line == NULL ? "out of memory" : line,
	    saved == 0 ? "" : ": ", saved == 0 ? "" : strerror(saved));
	free(line);
	free(name);
	errno = saved;
}
