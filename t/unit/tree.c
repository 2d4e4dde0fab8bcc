/* SPDX-License-Identifier: ISC */
/* The tree of paths: names are followed as the kernel follows them. */
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "tree.h"
#include "unit.h"

static struct tree tree;
static const char *dir;

static const char *
in(const char *rest)
{
	static char path[2][PATH_MAX];
	static int which;

	which = !which;
	snprintf(path[which], PATH_MAX, "%s/%s", dir, rest);
	return path[which];
}

static struct node *
resolve(const char *path, int guard)
{
	errno = 0;
	return tree_resolve(&tree, path, guard);
}

/* path, below dir, leads to want, below dir. */
static void
leads(const char *path, const char *want)
{
	struct node *n = resolve(in(path), 0);

	unit_str(__FILE__, __LINE__, path, n == NULL ? NULL : n->path,
	    in(want));
	if (n != NULL)
		CHECK(tree_find(&tree, n->path) == n);
}

static void
fails(const char *path, int want)
{
	struct node *n = resolve(in(path), 0);

	if (n == NULL && errno == want)
		return;
	unit_fail(__FILE__, __LINE__, path, n == NULL ? strerror(errno) :
	    n->path, strerror(want));
}

static enum look
look(const char *path)
{
	struct node *n = resolve(in(path), 0);

	return n == NULL ? LOOK_CLOSED : n->look;
}

/* What the kernel says of a name: open it, and ask for its path. */
static void
as_the_kernel(const char *path)
{
	int fd = open(in(path), O_PATH | O_CLOEXEC);
	char link[64], real[PATH_MAX];
	struct node *n = resolve(in(path), 0);
	ssize_t len;

	if (fd == -1) {
		unit_fail(__FILE__, __LINE__, path, strerror(errno), "there");
		return;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, real, sizeof(real) - 1);
	real[len < 0 ? 0 : len] = '\0';
	unit_str(__FILE__, __LINE__, path, n == NULL ? NULL : n->path, real);
	close(fd);
}

static void
make_link(const char *to, const char *at)
{
	if (symlink(to, at) == -1) {
		perror(at);
		exit(1);
	}
}

static void
make_dir(const char *at)
{
	if (mkdir(at, 0755) == -1) {
		perror(at);
		exit(1);
	}
}

static void
names(void)
{
	make_dir("d");
	make_dir("d/e");
	make_dir("d/e/f");
	unit_write("d/file", "x");
	CHECK_STR(resolve(in(""), 0)->path, dir);
	leads("d", "d");
	leads("d/", "d");
	leads("d//e", "d/e");
	leads("./d/./e/.", "d/e");
	leads("d/e/..", "d");
	leads("d/e/../file", "d/file");
	leads("d/absent", "d/absent");
	leads("d/absent/more", "d/absent/more");
	leads("d/absent/../file", "d/file");
	leads("d/file/x", "d/file/x");
	CHECK_STR(resolve("/", 0)->path, "/");
	CHECK_STR(resolve("//", 0)->path, "/");
	CHECK_STR(resolve("/..", 0)->path, "/");
	CHECK_STR(resolve("/../..//.", 0)->path, "/");
	CHECK(resolve("/", 0) == tree.root);
	CHECK(tree_find(&tree, "/no/such/node") == NULL);
	CHECK(tree_find(&tree, "/") == tree.root);
}

static void
looks(void)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(sun.sun_path, "d/sock");
	if (mkfifo("d/fifo", 0600) == -1 || fd == -1 ||
	    bind(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1)
		exit(1);
	close(fd);
	CHECK_INT(look("d"), LOOK_DIR);
	CHECK_INT(look("d/file"), LOOK_FILE);
	CHECK_INT(look("d/fifo"), LOOK_FILE);
	CHECK_INT(look("d/sock"), LOOK_FILE);
	CHECK_INT(look("d/absent"), LOOK_ABSENT);
	CHECK_INT(look("d/absent/x"), LOOK_ABSENT);
	CHECK_INT(look("d/file/x"), LOOK_ABSENT);
	CHECK_INT(resolve(in("d/fifo"), 0)->st.st_ino != 0, 1);
	if (geteuid() == 0)
		return;	/* nothing is closed to root */
	make_dir("shut");
	unit_write("shut/x", "x");
	chmod("shut", 0);
	CHECK_INT(look("shut"), LOOK_DIR);
	CHECK_INT(look("shut/x"), LOOK_CLOSED);
	CHECK_INT(look("shut/x/y"), LOOK_CLOSED);
	CHECK_INT(look("shut/absent"), LOOK_CLOSED);
	chmod("shut", 0755);
}

static void
links(void)
{
	char long_name[NAME_MAX + 2], abs[PATH_MAX];

	snprintf(abs, sizeof(abs), "%s/d/e", dir);
	make_link(abs, "abs");
	make_link("d", "rel");
	make_link("d/", "slash");
	make_link("../d/e/..", "d/up");
	make_link("d/e/f/../../../rel/e", "twist");
	make_link("twist", "chain");
	make_link("/", "root");
	make_link("..", "d/e/parent");
	make_link("nowhere", "dangling");
	make_link("nowhere/at/all", "dangling2");
	make_link("loop2", "loop");
	make_link("loop", "loop2");
	make_link("self/x", "self");
	make_link("d/file", "to-file");
	as_the_kernel("abs/f");
	as_the_kernel("rel/e");
	as_the_kernel("slash");
	as_the_kernel("slash/e/..");
	as_the_kernel("d/up/file");
	as_the_kernel("twist/f");
	as_the_kernel("chain/f/..");
	as_the_kernel("root/tmp");
	as_the_kernel("d/e/parent/up/../rel/e");
	as_the_kernel("to-file");
	/* .. is the real parent's, not the text's */
	as_the_kernel("abs/..");
	as_the_kernel("chain/..");
	leads("dangling", "nowhere");
	leads("dangling/x", "nowhere/x");
	leads("dangling2", "nowhere/at/all");
	fails("loop", ELOOP);
	fails("loop/x", ELOOP);
	fails("self", ELOOP);
	memset(long_name, 'n', NAME_MAX + 1);
	long_name[NAME_MAX + 1] = '\0';
	fails(long_name, ENAMETOOLONG);
	long_name[NAME_MAX] = '\0';
	leads(long_name, long_name);
}

/* The kernel follows 40 links on one path and no more. */
static void
many_links(void)
{
	char name[16], to[16];
	int i;

	unit_write("c0", "x");
	for (i = 1; i <= 41; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		snprintf(to, sizeof(to), "c%d", i - 1);
		make_link(to, name);
	}
	as_the_kernel("c40");
	fails("c41", ELOOP);
	CHECK_INT(open("c41", O_PATH), -1);
}

/*
 * Targets and rests add up to more than PATH_MAX although each name is
 * shorter: nothing may be cut off in silence.
 */
static void
long_links(void)
{
	static char dots[PATH_MAX], path[2 * PATH_MAX];
	char name[16];
	struct node *n;
	struct stat st;
	size_t i;

	/* "./././" of 1900 bytes */
	for (i = 0; i < 1900; i += 2)
		memcpy(dots + i, "./", 3);
	make_link("d", "far0");
	for (i = 1; i <= 3; i++) {
		snprintf(path, sizeof(path), "far%zu/%se/..", i - 1, dots);
		snprintf(name, sizeof(name), "far%zu", i);
		make_link(path, name);
	}
	snprintf(path, sizeof(path), "%s/far3/%se/f", dir, dots);
	if (stat(path, &st) == -1) {
		perror("far3");
		exit(1);
	}
	n = resolve(path, 0);
	CHECK(n != NULL);
	CHECK_STR(n == NULL ? "" : n->path, in("d/e/f"));
}

static int
guarded(const char *name)
{
	struct node *n = tree_find(&tree, in(name));

	return n != NULL && (n->links & LINK_GUARD) != 0;
}

/* Every link on the way is guarded, and nothing else; only if asked to. */
static void
guards(void)
{
	struct tree t = tree;

	if (tree_init(&tree) == -1)
		exit(1);
	CHECK(resolve(in("chain/f/x"), 0) != NULL);
	CHECK(!guarded("chain") && !guarded("twist") && !guarded("rel"));
	CHECK(resolve(in("chain/f/x"), LINK_GUARD) != NULL);
	CHECK(guarded("chain") && guarded("twist") && guarded("rel"));
	CHECK(!guarded("d") && !guarded("d/e") && !guarded("d/e/f/x"));
	CHECK(resolve(in("loop/x"), LINK_GUARD) == NULL);
	CHECK(guarded("loop") && guarded("loop2"));
	CHECK(resolve(in("dangling"), LINK_GUARD) != NULL);
	CHECK(guarded("dangling") && !guarded("nowhere"));
	/* and for good */
	CHECK(resolve(in("chain"), 0) != NULL);
	CHECK(guarded("chain"));
	tree_free(&tree);
	tree = t;
}

/* All nodes once, parents before children, siblings by their bytes. */
static void
order(void)
{
	static const char *const want[] = { "/", "/q", "/q/a", "/q/a/z",
	    "/q/a b", "/q/a-", "/q/\377", "/r" };
	struct tree t;
	struct node *n;
	size_t i;

	if (tree_init(&t) == -1)
		exit(1);
	for (i = sizeof(want) / sizeof(*want); i-- > 0;)
		CHECK(tree_resolve(&t, want[i], 0) != NULL);
	i = 0;
	for (n = t.root; n != NULL; n = tree_next(n)) {
		CHECK(i < sizeof(want) / sizeof(*want));
		CHECK_STR(n->path, want[i]);
		CHECK((n->parent == NULL) == (i == 0));
		i++;
	}
	CHECK_INT(i, sizeof(want) / sizeof(*want));
	/* one node a path, looked at once */
	n = tree_resolve(&t, "/q/a/../a", 0);
	CHECK(n == tree_find(&t, "/q//a/"));
	tree_free(&t);
	tree_free(&t);
}

static void
looked_at_once(void)
{
	CHECK_INT(look("d/later"), LOOK_ABSENT);
	unit_write("d/later", "x");
	CHECK_INT(look("d/later"), LOOK_ABSENT);
}

int
main(void)
{
	dir = unit_dir();
	if (tree_init(&tree) == -1)
		return 1;
	names();
	looks();
	links();
	many_links();
	long_links();
	guards();
	order();
	looked_at_once();
	tree_free(&tree);
	unit_rmdir(dir);
	return unit_failures != 0;
}
