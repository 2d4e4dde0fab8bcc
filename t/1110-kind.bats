#!/usr/bin/env bats
# What is made for an absent denied name: one test for each row of lib/kind.c,
# with real git where the row is about git.  A test of a row that is made runs
# git outside, once in a repository as it is and once while a sandbox holds
# the name, and wants the same output, statuses and files.  A test of a row
# that is refused shows what git would do with the name there.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper

setup_file() {
	export GIT_TEMPLATE_DIR='' GIT_EDITOR=true GIT_MERGE_AUTOEDIT=no
	export GIT_AUTHOR_DATE='@1700000000 +0000'
	export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
	export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=protocol.file.allow \
		GIT_CONFIG_VALUE_0=always GIT_CONFIG_KEY_1=init.defaultBranch \
		GIT_CONFIG_VALUE_1=main
	export GIT_CONFIG_NOSYSTEM=1 HOME=$BATS_FILE_TMPDIR
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org
	export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
	local t=$BATS_FILE_TMPDIR/template
	umask 022
	mkdir -p "$t/r/dir" "$t/n"
	cd "$t/r" || return
	git init -q
	printf '1\n2\n3\n' >a.txt
	echo b >b.txt
	echo c >dir/c.txt
	git add -A && git commit -qm one && git tag v1
	echo 4 >>a.txt
	git commit -qam two
	git branch side && git branch conf
	printf 'x\n2\n3\n4\n' >a.txt
	git commit -qam three
	git checkout -q side
	echo s >s.txt
	git add -A && git commit -qm side
	git checkout -q conf
	printf 'y\n2\n3\n4\n' >a.txt
	git commit -qam conf
	git checkout -q main
	git clone -q --bare . ../far.git
	git clone -q --bare . ../lib.git
	git remote add origin ../far.git
	git fetch -q origin
	git clone -q ../far.git ../tmp
	cd ../tmp || return
	echo f >f.txt
	git add -A && git commit -qm far && git push -q origin main
	cd ../r || return
	rm -rf ../tmp .git/FETCH_HEAD .git/ORIG_HEAD .git/hooks .git/info \
		.git/branches .git/description
}

setup() {
	setup_w
	# nothing above W may be taken for the repository
	export GIT_CEILING_DIRECTORIES=$base
	umask 022
	template=$BATS_FILE_TMPDIR/template
}

# a_socket PATH: where a program would have left one.
a_socket() {
	perl -MSocket -e 'chdir $ARGV[0] or die; socket(S, AF_UNIX,
		SOCK_STREAM, 0); bind(S, sockaddr_un($ARGV[1])) or die $!' \
		"${1%/*}" "${1##*/}"
}

# do_in DIR OPERATION ...: runs the lines of shell in DIR, prints all they say
# and their statuses.
do_in() {
	local dir=$1 operation
	shift
	for operation; do
		if (cd "$dir" && P=$P sh -c "$operation" 2>&1 </dev/null); then
			echo 'status 0'
		else
			echo "status $?"
		fi
	done
}

# left_in DIR: what git knows and which files are there.
left_in() {
	(
		cd "$1" || exit
		git ls-files -s 2>&1 || :
		git for-each-ref 2>&1 || :
		find .. \( -path '*/objects/??' -o -name '*.pack' -o \
			-name '*.idx' \) -prune -o -printf '%p %y %m\n' | sort
	)
}

copy() {	# template directory, subdirectory to work in, name to take away
	cp -a "$template" "$W/$1"
	rm -rf "${W:?}/$1/$2/$3"
	case $3 in
	.git/hooks/*) rm -rf "$W/$1/$2/.git/hooks" ;;
	esac
}

# watcher SIGNAL: to the held run's.
watcher() {
	local child
	child=$(pgrep -P "$pid" -x srt-run) && kill -s "$1" "$child"
}

# made KIND-AND-MODE NAME OPERATION ...: the name, absent from a repository,
# gets a placeholder of that kind, the deny holds, and git outside does each
# operation as if there were none.  in=n: where there is no repository yet.
# still=y: git removes the placeholder before it puts its own there, and the
# watcher, which might be the faster one (srt(7), LIMITS), is not to see it.
made() {
	local want=$1 got
	P=$2
	local in=${in:-r}
	shift 2
	copy plain "$in" "$P"
	copy held "$in" "$P"
	run -0 deny_holds "$W/held/$in/$P" -w "$W/held/$in" -d "$W/held/$in/$P"
	nothing_left
	{ do_in "$W/plain/$in" "$@"; left_in "$W/plain/$in"; } |
		sed "s|$W/plain|T|g" >want
	hold -C "held/$in" -w . -d "$P"
	got=$(stat -c '%F %a' "held/$in/$P")
	[ ! "${still:-}" ] || watcher STOP
	do_in "$W/held/$in" "$@" >out
	[ ! "${still:-}" ] || watcher CONT
	release
	{ cat out; left_in "$W/held/$in"; } | sed "s|$W/held|T|g" >got
	[ "$got" = "$want" ] || { echo "it is a $got"; return 1; }
	diff -u want got
	nothing_left
}

# refused NAME WHY OPERATION: a run is refused with that reason, naming the
# path, and makes nothing; and git does say something else, or do something
# else, where a file, a directory or a socket has that name.
refused() {
	local why=$2 operation=$3 in=${in:-r}
	P=$1
	copy plain "$in" "$P"
	copy held "$in" "$P"
	left_in "$W/held/$in" >before
	run -125 --separate-stderr srt -C "held/$in" -w . -d "$P" -- true
	[ -z "$output" ]
	[[ $stderr == "srt-run: $W/held/$in/$P: cannot be denied while it is absent: $why"* ]]
	left_in "$W/held/$in" | diff -u before -
	nothing_left
	{ do_in "$W/plain/$in" "$operation"; left_in "$W/plain/$in"; } |
		sed "s|$W/plain|T|g" >want
	for kind in file dir socket; do
		rm -rf held
		copy held "$in" "$P"
		mkdir -p "held/$in/${P%/*}"
		case $kind in
		file) : >"held/$in/$P" ;;
		dir) mkdir "held/$in/$P" ;;
		socket) a_socket "held/$in/$P" ;;
		esac
		do_in "$W/held/$in" "$operation" >out
		# what stood there is no difference, nor is what it stood in
		rmdir "held/$in/$P" 2>/dev/null || rm -f "held/$in/$P"
		rmdir -p "held/$in/${P%/*}" 2>/dev/null || :
		{ cat out; left_in "$W/held/$in"; } | sed "s|$W/held|T|g" >got
		run ! diff want got
	done
}

git_status='git status --porcelain; git status'
add_all='echo n >n.txt; echo d >>b.txt; git add -A; git status --porcelain'
commit='echo d >>b.txt; git commit -am x; git log -1 --stat'
merge_conflict='git merge conf; git status; git merge --abort; git status'
gc='git gc; git fsck'

# in a git directory ----------------------------------------------------

@test "kind: a lock of git's is refused, git would wait for its owner" {
	refused .git/index.lock "git would take it for another git's lock" \
		"$add_all"
}

@test "kind: a lock deeper in a git directory is refused" {
	refused .git/refs/heads/new.lock \
		"git would take it for another git's lock" 'git branch new'
}

@test "kind: HEAD in a new git directory is refused, git init would be misled" {
	in=n refused .git/HEAD "git init would take the directory for a repository" \
		'git init; git status'
}

@test "kind: commondir is refused, git would look for the repository there" {
	refused .git/commondir "git would look for the repository there" \
		"$git_status"
}

@test "kind: index is refused, git cannot read an empty one" {
	refused .git/index "git cannot read an empty index" "$git_status"
}

@test "kind: MERGE_HEAD is refused, it says that a merge is under way" {
	refused .git/MERGE_HEAD "git would see a merge under way" \
		'git merge side; git status'
}

@test "kind: rebase-merge is refused, it says that a rebase is under way" {
	refused .git/rebase-merge "git would see a rebase under way" \
		'git rebase side; git status'
}

@test "kind: rebase-apply is refused, it says that a rebase is under way" {
	refused .git/rebase-apply "git would see a rebase under way" \
		'git rebase side; git status'
}

@test "kind: sequencer is refused, it says that a pick is under way" {
	refused .git/sequencer "git would see a cherry-pick under way" \
		'git cherry-pick conf side; git status; git cherry-pick --abort'
}

@test "kind: BISECT_LOG is refused, it says that a bisection is under way" {
	refused .git/BISECT_LOG "git would see a bisection under way" \
		"$git_status"
}

@test "kind: info/grafts is refused, git warns of it in every command" {
	refused .git/info/grafts "git warns of it in every command" 'git log'
}

@test "kind: objects/info/commit-graph is refused, git fsck fails on it" {
	refused .git/objects/info/commit-graph "git fsck fails on it" 'git fsck'
}

@test "kind: a refused name that is there is denied like any other" {
	copy held r none
	deny_holds "$W/held/r/.git/index" -w held -d held/r/.git/index
	git -C held/r status
}

@test "kind: a refused name that the command could not make anyway is not refused" {
	copy held r none
	run -0 srt -w "$HOME" -d held/r/.git/commondir -- true
	run -0 srt -w held -d held/r/.git -d held/r/.git/commondir -- true
}

# Executed, an empty one would leave the work tree as it was.
@test "kind: hooks/push-to-checkout is a file that git passes over with a hint" {
	made 'regular empty file 444' .git/hooks/push-to-checkout \
		'git config receive.denyCurrentBranch updateInstead
		git clone -q . ../cl 2>&1; cd ../cl; echo n >n.txt; git add n.txt
		git commit -qm n; git push -q "$OLDPWD" HEAD:main >out 2>&1
		grep -v ^hint: out; cat "$OLDPWD/n.txt"'
}

@test "kind: other hooks are empty files that can be executed and do nothing" {
	made 'regular empty file 555' .git/hooks/pre-commit "$commit"
	rm -rf plain held
	made 'regular empty file 555' .git/hooks/commit-msg "$commit" \
		'git merge side'
	rm -rf plain held
	made 'regular empty file 555' .git/hooks/reference-transaction \
		'git branch new' 'git stash' "$commit"
	rm -rf plain held
	made 'regular empty file 555' .git/hooks/post-checkout \
		'git checkout -b x; git switch -'
	rm -rf plain held
	made 'regular empty file 555' .git/hooks/pre-push \
		'git push origin side:new'
}

@test "kind: config in a new git directory is a file that git init fills" {
	in=n made 'regular empty file 644' .git/config 'git status' 'git init' \
		'git config --local --list' \
		'echo a >a; git add a; git commit -m x; git status'
}

@test "kind: config.worktree is a file that git fills" {
	made 'regular empty file 644' .git/config.worktree "$git_status" \
		'git config extensions.worktreeConfig true
		git config --worktree a.b c; git config a.b; git status'
}

@test "kind: packed-refs is a file that git replaces" {
	made 'regular empty file 644' .git/packed-refs "$git_status" \
		'git for-each-ref; git log --all --oneline' 'git branch -m side s2'
	rm -rf plain held
	made 'regular empty file 644' .git/packed-refs \
		'git pack-refs --all; git for-each-ref' "$gc"
}

@test "kind: shallow is a file that git takes for no commits" {
	made 'regular empty file 644' .git/shallow "$git_status" 'git log --all' \
		'git fetch origin' 'git fsck'
}

@test "kind: files in info are files that git takes for empty ones" {
	made 'regular empty file 644' .git/info/exclude "$git_status" "$add_all" \
		'git stash -u; git stash pop'
	rm -rf plain held
	made 'regular empty file 644' .git/info/attributes \
		'git check-attr -a a.txt' "$commit"
	rm -rf plain held
	made 'regular empty file 644' .git/info/sparse-checkout \
		'git sparse-checkout set dir; git status' \
		'git sparse-checkout disable; git status'
}

@test "kind: objects/info/alternates is a file that git takes for none" {
	made 'regular empty file 644' .git/objects/info/alternates 'git log' \
		"$commit" 'git fsck'
}

@test "kind: FETCH_HEAD is a file that git fills" {
	made 'regular empty file 644' .git/FETCH_HEAD 'git fetch origin' \
		'git pull --no-rebase origin main'
}

@test "kind: messages of git's are files that it fills" {
	made 'regular empty file 644' .git/MERGE_MSG "$merge_conflict" \
		'git merge conf; echo z >a.txt; git commit -am m'
	rm -rf plain held
	made 'regular empty file 644' .git/SQUASH_MSG \
		'git merge --squash side; git commit -m x'
}

@test "kind: COMMIT_EDITMSG is a file that git fills" {
	made 'regular empty file 644' .git/COMMIT_EDITMSG "$commit" \
		'git commit --amend -m y'
}

@test "kind: MERGE_MODE is a file that git fills" {
	made 'regular empty file 644' .git/MERGE_MODE \
		'git merge --no-ff --no-commit side; git status; git commit -m m'
}

@test "kind: MERGE_RR is a file that git fills" {
	made 'regular empty file 644' .git/MERGE_RR \
		'git config rerere.enabled true' "$merge_conflict" \
		'git merge conf; echo z >a.txt; git commit -am m'
}

@test "kind: AUTO_MERGE is a file that git fills" {
	made 'regular empty file 644' .git/AUTO_MERGE "$merge_conflict"
}

@test "kind: what a bisection writes are files that git fills" {
	local bisect='git bisect start HEAD v1; git bisect good; git bisect reset'
	made 'regular empty file 644' .git/BISECT_START "$git_status" "$bisect"
	rm -rf plain held
	made 'regular empty file 644' .git/BISECT_TERMS "$git_status" "$bisect"
}

@test "kind: description is a file" {
	made 'regular empty file 644' .git/description "$git_status" 'git init'
}

@test "kind: gc.pid is a file that git fills" {
	made 'regular empty file 644' .git/gc.pid "$gc"
}

@test "kind: rr-cache is a file, as a directory would switch it on" {
	made 'regular empty file 644' .git/rr-cache "$merge_conflict" "$commit"
}

@test "kind: hooks is a directory, which git fills or passes over" {
	made 'directory 755' .git/hooks "$commit" 'git init'
	rm -rf plain held
	in=n made 'directory 755' .git/hooks 'git status' 'git init' "$add_all"
}

@test "kind: any other name in a git directory is a directory that git uses as its own" {
	made 'directory 755' .git/info "$git_status" \
		'git sparse-checkout set dir; git sparse-checkout disable' \
		'git init'
	rm -rf plain held
	made 'directory 755' .git/logs "$commit" 'git reflog' 'git branch new'
	rm -rf plain held
	made 'directory 755' .git/modules 'git submodule add ../lib.git lib' \
		'git submodule status; git submodule deinit -f lib'
	rm -rf plain held
	made 'directory 755' .git/worktrees \
		'git worktree add ../wt -b w; git -C ../wt status' \
		'git worktree remove ../wt'
}

@test "kind: a name of git's that a directory does not hide from it is one" {
	still=y made 'directory 755' .git/ORIG_HEAD 'git merge side' \
		'git reset --hard HEAD~1; git reset --hard ORIG_HEAD'
	rm -rf plain held
	still=y made 'directory 755' .git/CHERRY_PICK_HEAD 'git cherry-pick side' \
		'git cherry-pick conf; git status; git cherry-pick --abort' \
		'git rebase side'
	rm -rf plain held
	still=y made 'directory 755' .git/REVERT_HEAD \
		'git revert --no-edit HEAD; git status'
	rm -rf plain held
	still=y made 'directory 755' .git/refs/heads/new \
		'git branch; git branch new; git branch -d new' 'git fsck'
	rm -rf plain held
	still=y made 'directory 755' .git/refs/stash \
		'echo d >>b.txt; git stash; git stash pop' "$gc"
}

@test "kind: the rules of a git directory are those of a bare repository, too" {
	cp -a "$template/far.git" far.git
	hold -w . -d far.git/hooks/update -d far.git/config.worktree \
		-d far.git/logs -d far.git/secret
	[ "$(stat -c '%F %a' far.git/hooks/update)" = 'regular empty file 555' ]
	[ "$(stat -c '%F %a' far.git/config.worktree)" = \
		'regular empty file 644' ]
	[ "$(stat -c '%F %a' far.git/logs)" = 'directory 755' ]
	[ "$(stat -c '%F %a' far.git/secret)" = 'directory 755' ]
	git -C far.git log -1
	git clone -q far.git there
	echo n >there/n.txt
	git -C there add n.txt
	git -C there commit -qm n
	run -0 git -C there push -q origin HEAD:new
	[ -z "$output" ]
	rm -rf there
	release
	nothing_left
}

@test "kind: the rules of a git directory are those of a submodule's, too" {
	copy held r none
	cd held/r
	git submodule --quiet add ../lib.git lib
	git commit -qm lib
	rm -rf .git/modules/lib/hooks
	hold -w . -d .git/modules/lib/hooks/pre-commit
	[ "$(stat -c '%F %a' .git/modules/lib/hooks/pre-commit)" = \
		'regular empty file 555' ]
	echo n >lib/n.txt
	git -C lib add n.txt
	run -0 git -C lib commit -qm n
	[ -z "$output" ]
	release
	nothing_left
}

@test "kind: the rules of a git directory are those of a linked worktree's, too" {
	copy held r none
	cd held/r
	git worktree add -q ../wt -b w
	git config extensions.worktreeConfig true
	hold -w .. -d .git/worktrees/wt/config.worktree \
		-d .git/worktrees/wt/logs/refs
	[ "$(stat -c '%F %a' .git/worktrees/wt/config.worktree)" = \
		'regular empty file 644' ]
	run -0 git -C ../wt status --porcelain
	[ -z "$output" ]
	release
	nothing_left
	run -125 srt -w .. -d .git/worktrees/wt/MERGE_HEAD -- true
	run -125 srt -w .. -d .git/worktrees/wt/index.lock -- true
	nothing_left
}

# in the home -----------------------------------------------------------

# in_home KIND-AND-MODE NAME: what is made for a name in the home, which is
# writable inside; the sandbox goes on until release.
in_home() {
	deny_holds "$HOME/$2" -w "$HOME" -d "$HOME/$2"
	hold -w "$HOME" -d "$HOME/$2"
	[ "$(stat -c '%F %a' "$HOME/$2")" = "$1" ]
}

@test "kind: package.json in the home is a socket, node would parse a file" {
	in_home 'socket 444' package.json
	echo 'console.log(1)' >"$HOME/t.js"
	run -0 node "$HOME/t.js"
	[ "$output" = 1 ]
	release
	nothing_left
}

@test "kind: .ssh in the home is a directory" {
	in_home 'directory 755' .ssh
	release
	[ ! -e "$HOME/.ssh" ]
}

@test "kind: .config and .config/git in the home are directories" {
	in_home 'directory 755' .config
	git config --list
	release
	[ ! -e "$HOME/.config" ]
	in_home 'directory 755' .config/git
	git config --list
	release
	[ ! -e "$HOME/.config" ]
}

@test "kind: files in .config/git in the home are files that git reads as empty" {
	copy plain r none
	for name in config ignore attributes; do
		in_home 'regular empty file 644' ".config/git/$name"
		run -0 --separate-stderr git -C plain/r status --porcelain
		[ -z "$output$stderr" ]
		git -C plain/r check-attr -a a.txt
		release
		[ ! -e "$HOME/.config" ]
	done
}

@test "kind: .git in the home is a directory that git init uses" {
	in_home 'directory 755' .git
	cd "$HOME"
	run -128 git status
	git init -q
	git status
	release
	git status
}

@test "kind: deeper in the home the names have no rules of their own" {
	mkdir "$HOME/project"
	in_home 'socket 444' project/.bashrc
	release
	in_home 'directory 755' project/.gitignore
	release
	nothing_left
}

@test "kind: start-up files in the home are files that shells read and users append to" {
	for name in .bashrc .profile .zshrc .inputrc .bash_logout; do
		in_home 'regular empty file 644' "$name"
		run -0 --separate-stderr bash -ic 'echo hi' </dev/null
		[ "$output" = hi ]
		run -0 --separate-stderr bash -lc 'echo hi'
		[ "$output" = hi ]
		[ -z "$stderr" ]
		release
		[ ! -e "$HOME/$name" ]
	done
	in_home 'regular empty file 644' .bashrc
	echo 'A=1' >>"$HOME/.bashrc"
	[ "$(tell "cat $HOME/.bashrc")" = '' ]
	release
	[ "$(cat "$HOME/.bashrc")" = A=1 ]
	nothing_left
}

@test "kind: .gitconfig in the home is a file that git reads as empty" {
	copy plain r none
	in_home 'regular empty file 644' .gitconfig
	run -0 --separate-stderr git -C plain/r status --porcelain
	[ -z "$output$stderr" ]
	git -C plain/r config user.x y
	release
	[ ! -e "$HOME/.gitconfig" ]
}

@test "kind: .bash_profile and .bash_login are files where no later one is hidden" {
	for name in .bash_profile .bash_login; do
		in_home 'regular empty file 644' "$name"
		run -0 bash -lc 'echo hi'
		[ "$output" = hi ]
		release
	done
	# the order in which bash looks: .bash_profile, .bash_login, .profile
	echo 'echo login' >"$HOME/.bash_login"
	run -125 --separate-stderr srt -w "$HOME" -d "$HOME/.bash_profile" true
	[[ $stderr == "srt-run: $HOME/.bash_profile: cannot be denied while it is absent: "* ]]
	rm "$HOME/.bash_login"
	echo 'echo profile' >"$HOME/.profile"
	run -125 srt -w "$HOME" -d "$HOME/.bash_profile" true
	run -125 srt -w "$HOME" -d "$HOME/.bash_login" true
	[ "$(bash -lc true)" = profile ]
	nothing_left
	# not those of somebody else's home
	mkdir other
	echo 'echo profile' >other/.profile
	srt -w . -d other/.bash_profile true
}

@test "kind: the home is meant whatever name is used for it" {
	ln -s "$HOME" alias
	HOME=$W/alias in_home 'regular empty file 644' .bashrc
	release
	nothing_left
}

@test "kind: with no home in the environment that of the user database is meant" {
	local entry
	entry=$(getent passwd "$(id -u)" | cut -d: -f6)
	[ "$entry" != "$HOME" ]
	# the home that was one before is an ordinary directory then
	home=$HOME
	(
		unset HOME
		hold -w "$home" -d "$home/.bashrc"
		[ "$(stat -c '%F %a' "$home/.bashrc")" = 'socket 444' ]
		release
	)
	nothing_left
}

# elsewhere -------------------------------------------------------------

@test "kind: .git is a directory that git init uses and git status passes over" {
	in=n made 'directory 755' .git 'git status' 'git init' "$add_all" \
		'git commit -m x'
	rm -rf plain held
	cp -a "$template" plain
	cp -a "$template" held
	mkdir plain/r/sub held/r/sub
	hold -w held -d held/r/sub/.git
	git -C plain/r status >want
	git -C held/r status >got
	(cd held/r/sub && git status) >got2
	release
	diff -u want got
	grep 'working tree clean' got2
	nothing_left
}

@test "kind: .gitattributes is a directory, which git passes over" {
	made 'directory 755' .gitattributes "$git_status" "$add_all" "$commit" \
		'git check-attr -a a.txt' 'git stash -u; git stash pop'
}

@test "kind: .gitignore is a directory, which git passes over" {
	made 'directory 755' .gitignore "$git_status" "$add_all" "$commit" \
		'git check-ignore -v a.txt' 'git merge side'
	rm -rf plain held
	made 'directory 755' dir/.gitignore "$git_status" "$add_all" "$commit"
}

@test "kind: .gitmodules is a directory, which git passes over" {
	made 'directory 755' .gitmodules "$git_status" "$add_all" "$commit" \
		'git submodule status'
}

@test "kind: .mailmap is a directory, which git passes over" {
	made 'directory 755' .mailmap "$git_status" "$add_all" \
		'git log --format=%aN' 'git shortlog HEAD'
}

@test "kind: any other name is a socket, which git and most tools pass over" {
	made 'socket 444' .env "$git_status" "$add_all" \
		'git clean -n; git clean -nd; git clean -ndx' \
		'git ls-files -o; git status --ignored' \
		'git stash -u; git stash pop' "$commit" 'grep -r 4 .' \
		'find . -name .env -type f'
	rm -rf plain held
	made 'socket 444' dir/key "$git_status" "$add_all"
	rm -rf plain held
	made 'socket 444' Makefile "$git_status" "$add_all"
}

@test "kind: nothing can be written into a socket from outside" {
	hold -w . -d .env
	run ! sh -c 'echo x >.env'
	run ! cat .env
	release
	nothing_left
}

@test "kind: a name that only ends like one with a rule has none" {
	mkdir a.git
	hold -w . -d a.git/config -d x.gitignore -d .gitignore.old -d .gitx
	for name in a.git/config x.gitignore .gitignore.old .gitx; do
		[ "$(stat -c '%F %a' "$name")" = 'socket 444' ]
	done
	release
	nothing_left
}

@test "kind: directories made above a denied name are 0755 less the umask" {
	umask 027
	hold -w . -d a/b/c
	[ "$(stat -c %a a a/b)" = '750
750' ]
	release
	umask 0
	hold -w . -d a/b/c
	[ "$(stat -c %a a a/b)" = '755
755' ]
	[ "$(stat -c %a a/b/c)" = 444 ]
	release
	[ ! -e a ]
}
