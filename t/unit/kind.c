/* SPDX-License-Identifier: ISC */
/*
 * kind.h: where a name lies decides what is made for it.  The rows of the
 * tables have tests of their own, against git and shells.
 */
#include <sys/stat.h>

#include "kind.h"
#include "unit.h"

static const char *dir;		/* work directory */
static const char *home;	/* as given, or NULL */

/* "socket 0444", or "refused: WHY", for a path below dir. */
static const char *
kind_of(const char *rel)
{
	static char text[512];
	const char *why = "";
	char path[4096];
	enum kind kind;
	mode_t mode = 0;

	snprintf(path, sizeof(path), "%s%s", *rel == '/' ? "" : dir, rel);
	if (*rel != '/')
		snprintf(path, sizeof(path), "%s/%s", dir, rel);
	if (kind_for(path, home, &kind, &mode, &why) == -1)
		snprintf(text, sizeof(text), "refused%s",
		    why != NULL && *why != '\0' ? "" : ", without a reason");
	else
		snprintf(text, sizeof(text), "%s %04o", kind_name(kind),
		    (unsigned)mode);
	return text;
}

static void
make_repository(const char *path)
{
	static const char *const sub[] = { "", "/objects", "/refs" };
	char name[256];
	size_t i;

	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s%s", path, sub[i]);
		mkdir(name, 0755);
	}
	snprintf(name, sizeof(name), "%s/HEAD", path);
	unit_write(name, "ref: refs/heads/x\n");
}

static void
anywhere(void)
{
	home = NULL;
	CHECK_STR(kind_of(".env"), "socket 0444");
	CHECK_STR(kind_of("a/b/c.pem"), "socket 0444");
	CHECK_STR(kind_of("/x"), "socket 0444");
	CHECK_STR(kind_of(".git"), "dir 0755");
	CHECK_STR(kind_of("a/.git"), "dir 0755");
	CHECK_STR(kind_of("/.git"), "dir 0755");
	CHECK_STR(kind_of(".gitignore"), "dir 0755");
	CHECK_STR(kind_of("a/.gitattributes"), "dir 0755");
	CHECK_STR(kind_of(".gitmodules"), "dir 0755");
	CHECK_STR(kind_of(".mailmap"), "dir 0755");
	/* names that only look alike */
	CHECK_STR(kind_of(".gitconfig"), "socket 0444");
	CHECK_STR(kind_of("x.git"), "socket 0444");
	CHECK_STR(kind_of(".git "), "socket 0444");
	CHECK_STR(kind_of("x.lock"), "socket 0444");
	CHECK_STR(kind_of("a/.gitx/config"), "socket 0444");
	CHECK_STR(kind_of("a.git/config"), "socket 0444");
	CHECK_STR(kind_of("*"), "socket 0444");
	CHECK_STR(kind_of("[a"), "socket 0444");
	CHECK_STR(kind_of("\xff"), "socket 0444");
}

static void
in_git_dir(void)
{
	home = NULL;
	/* by its name, there or not */
	CHECK_STR(kind_of(".git/config"), "file 0644");
	CHECK_STR(kind_of("/.git/config"), "file 0644");
	CHECK_STR(kind_of("a/b/.git/hooks"), "dir 0755");
	CHECK_STR(kind_of(".git/hooks/pre-commit"), "file 0555");
	CHECK_STR(kind_of(".git/hooks/push-to-checkout"), "file 0444");
	CHECK_STR(kind_of(".git/info/exclude"), "file 0644");
	CHECK_STR(kind_of(".git/anything"), "dir 0755");
	CHECK_STR(kind_of(".git/HEAD"), "refused");
	CHECK_STR(kind_of(".git/commondir"), "refused");
	CHECK_STR(kind_of(".git/index"), "refused");
	CHECK_STR(kind_of(".git/index.lock"), "refused");
	CHECK_STR(kind_of(".git/refs/heads/x.lock"), "refused");
	CHECK_STR(kind_of(".git/info/grafts"), "refused");
	/* the nearest one counts */
	CHECK_STR(kind_of(".git/a/.git/config"), "file 0644");
	/* by what lies in it: a bare repository, a submodule's */
	CHECK_STR(kind_of("bare/config"), "socket 0444");
	make_repository("bare");
	CHECK_STR(kind_of("bare/config"), "file 0644");
	CHECK_STR(kind_of("bare/hooks/update"), "file 0555");
	/* as any directory can be made one, that is no reason to refuse */
	CHECK_STR(kind_of("bare/HEAD"), "socket 0444");
	CHECK_STR(kind_of("bare/x.lock"), "socket 0444");
	mkdir(".git", 0755);
	mkdir(".git/modules", 0755);
	make_repository(".git/modules/sub");
	CHECK_STR(kind_of(".git/modules/sub/config"), "file 0644");
	CHECK_STR(kind_of(".git/modules/sub/hooks/update"), "file 0555");
	CHECK_STR(kind_of(".git/modules/sub/commondir"), "refused");
	/* what lies beside it does not */
	CHECK_STR(kind_of("bare2/config"), "socket 0444");
	CHECK_STR(kind_of("barex"), "socket 0444");
}

static void
in_home(void)
{
	static char path[4096], link_to[4096], slash[4096];
	const char *const same[] = { path, link_to, slash };
	size_t i;

	mkdir("home", 0755);
	mkdir("home2", 0755);
	if (symlink("home", "home-link") == -1)
		exit(1);
	snprintf(path, sizeof(path), "%s/home", dir);
	snprintf(link_to, sizeof(link_to), "%s/home-link", dir);
	snprintf(slash, sizeof(slash), "%s/home//", dir);
	for (i = 0; i < 3; i++) {
		home = same[i];
		CHECK_STR(kind_of("home/.bashrc"), "file 0644");
		CHECK_STR(kind_of("home/.gitconfig"), "file 0644");
		CHECK_STR(kind_of("home/.ssh"), "dir 0755");
		CHECK_STR(kind_of("home/.config"), "dir 0755");
		CHECK_STR(kind_of("home/.config/git"), "dir 0755");
		CHECK_STR(kind_of("home/.config/git/config"), "file 0644");
		CHECK_STR(kind_of("home/package.json"), "socket 0444");
		CHECK_STR(kind_of("home/.git"), "dir 0755");
		CHECK_STR(kind_of("home/.git/config"), "file 0644");
		CHECK_STR(kind_of("home/p/.env"), "socket 0444");
		CHECK_STR(kind_of("home/.ssh/config"), "socket 0444");
		CHECK_STR(kind_of("home/p/.gitignore"), "dir 0755");
		CHECK_STR(kind_of("home2/.bashrc"), "socket 0444");
		CHECK_STR(kind_of(".bashrc"), "socket 0444");
	}
	home = "/no/such/home";
	CHECK_STR(kind_of("home/.bashrc"), "socket 0444");
	home = "/";
	CHECK_STR(kind_of("/.bashrc"), "file 0644");
	CHECK_STR(kind_of("/a/.bashrc"), "socket 0444");
}

/* bash reads the first of three: an empty one must not hide the user's. */
static void
hides(void)
{
	static char path[4096];

	mkdir("login", 0755);
	snprintf(path, sizeof(path), "%s/login", dir);
	home = path;
	CHECK_STR(kind_of("login/.bash_profile"), "file 0644");
	CHECK_STR(kind_of("login/.bash_login"), "file 0644");
	unit_write("login/.bash_login", "");
	CHECK_STR(kind_of("login/.bash_profile"), "refused");
	CHECK_STR(kind_of("login/.profile"), "file 0644");
	unlink("login/.bash_login");
	unit_write("login/.profile", "");
	CHECK_STR(kind_of("login/.bash_profile"), "refused");
	CHECK_STR(kind_of("login/.bash_login"), "refused");
	CHECK_STR(kind_of("login/.bash_logout"), "file 0644");
	CHECK_STR(kind_of("login/p/.bash_profile"), "socket 0444");
	CHECK_STR(kind_of(".bash_profile"), "socket 0444");
}

int
main(void)
{
	dir = unit_dir();
	anywhere();
	in_git_dir();
	in_home();
	hides();
	unit_rmdir(dir);
	return unit_failures != 0;
}
