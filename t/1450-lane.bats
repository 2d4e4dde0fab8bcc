#!/usr/bin/env bats
# srt-lane: the profile lines of a linked worktree, and whom it refuses.
# shellcheck disable=SC2016,SC2154 # odd names; what the helpers set
load lib/helper
load lib/lane

setup() {
	setup_w
	repository "$W/r" a b
	tree=$repo/.worktrees/a meta=$common/worktrees/a
	cd "$tree" || return
}

# lines [PATH ...]: what srt-lane prints for worktree a that shares those.
lines() {
	local path
	printf 'allow-read %s\n' "$common"
	printf 'allow-write %s\n' "$tree" "$meta"
	for path; do printf 'allow-write %s\n' "$common/$path"; done
	printf 'deny-write %s\n' "$tree/.git" "$meta/commondir" \
		"$meta/config.worktree" "$meta/gitdir" \
		"$common/objects/info/alternates"
}

# grants WANT [ARGUMENT ...]: prints exactly what is in that file.
grants() {
	local want=$1
	shift
	srt-lane "$@" >"$base/got"
	diff -u "$want" "$base/got"
}

@test "lane: all of the repository to read, its own to write but what is fixed" {
	lines logs/refs objects refs >"$base/want"
	grants "$base/want"
	srt-plan <"$base/want" >"$base/plan"
	grep -qx "rw $common/objects" "$base/plan"
}

@test "lane: only what is there is granted, and nothing is made" {
	mkdir "$common/lfs"
	rm -r "$common/logs"
	find "$W" -printf '%p %y %m %i %s %T@ %C@ %l\n' | sort >"$base/before"
	lines lfs objects refs >"$base/want"
	grants "$base/want" 2>"$base/stderr"
	[[ $(<"$base/stderr") == "srt-lane: $common: has no logs/refs, "* ]]
	find "$W" -printf '%p %y %m %i %s %T@ %C@ %l\n' | sort |
		diff -u "$base/before" -
}

@test "lane: the worktree is the working directory, or is named" {
	lines logs/refs objects refs >"$base/want"
	grants "$base/want" .
	grants "$base/want" "$tree"
	grants "$base/want" "$tree//"
	grants "$base/want" ../b/../a/
	ln -s "$W/r" "$W/link"
	grants "$base/want" "$W/link/.worktrees/a"
	cd /
	grants "$base/want" "$tree"
	cd "$W/link/.worktrees/a"
	grants "$base/want"
}

@test "lane: -C is the repository it must belong to, by any of its names" {
	lines logs/refs objects refs >"$base/want"
	git clone -q --bare "$repo" "$W/bare"
	ln -s "$common" "$W/link"
	for of in "$repo" "$common" ../.. "$tree" ../b "$W/link"; do
		grants "$base/want" -C "$of"
	done
	git init -q --separate-git-dir "$W/git" "$W/separate"
	for of in "$W/bare" "$W/separate" "$W/git"; do
		refused "$tree: a worktree of $common, not of $of" -C "$of"
	done
	git -C "$W/bare" worktree add -q "$W/c"
	refused "$tree: a worktree of $common" -C "$W/c"
	refused "$W/c: a worktree of $W/bare, not of ../.." -C ../.. "$W/c"
	srt-lane -C "$W/bare" "$W/c" >"$base/got"
	grep -qx "allow-read $W/bare" "$base/got"
	refused "$W: no repository" -C "$W"
	refused "$W/none: no repository: No such file" -C "$W/none"
	refused "$tree/f: the repository cannot be opened: Not a dir" -C f
}

@test "lane: a repository with no checkout of its own" {
	git clone -q --bare "$repo" "$W/bare"
	git -C "$W/bare" worktree add -q "$W/c" -b c
	run -0 --separate-stderr srt-lane "$W/c"
	[ "${lines[0]}" = "allow-read $W/bare" ]
	[ "${lines[2]}" = "allow-write $W/bare/worktrees/c" ]
	# its main entry in git's list of worktrees is no worktree
	refused "$W/bare: a git directory, not a linked worktree" "$W/bare"
}

@test "lane: a repository that is moved is found again once git knows" {
	mv "$repo" "$W/moved"
	refused "the repository cannot be opened" "$W/moved/.worktrees/a"
	git -C "$W/moved" worktree repair .worktrees/a .worktrees/b 2>/dev/null
	run -0 srt-lane "$W/moved/.worktrees/a"
	[ "${lines[0]}" = "allow-read $W/moved/.git" ]
}

@test "lane: pointers may be relative, as newer git writes them" {
	echo 'gitdir: ../../.git/worktrees/a' >.git
	echo ../../../.worktrees/a/.git >"$meta/gitdir"
	lines logs/refs objects refs >"$base/want"
	grants "$base/want"
	# git does not ask for the newline either
	printf 'gitdir: ../../.git/worktrees/a' >.git
	printf %s "$common" >"$meta/commondir"
	grants "$base/want"
}

@test "lane: odd names are encoded, as a profile has them" {
	name=$'o d\t"\\\377$(x)'
	git worktree add -q "../$name" -b odd
	srt-lane "../$name" >"$base/got"
	grep -qF 'o\040d\011"\\\377$(x)' "$base/got"
	srt-plan "$base/got" >"$base/plan"
	[ "$(grep -c '^rw ' "$base/plan")" -eq 5 ]
	git worktree add -q $'../new\nline' -b line
	refused 'more than one line' $'../new\nline'
}

@test "lane: a sibling's worktree that lies in it is denied, if it is there" {
	git worktree add -q deep/c -b c
	git worktree add -q d -b d
	git worktree add -q gone -b gone
	rm -r gone
	ln -s a "$common/worktrees/link"
	mkdir "$common/worktrees/empty"
	srt-lane >"$base/got"
	{
		lines logs/refs objects refs
		printf 'deny-write %s\n' "$tree/d" "$tree/deep/c"
	} | sort | diff -u - <(sort "$base/got")
}

@test "lane: it runs nothing, git least of all" {
	stub git
	printf '#!/bin/sh\n: >%s/ran\n' "$W" >"$base/stub/git"
	"$(type -P git)" && [ -e "$W/ran" ]
	rm "$W/ran"
	strace -f -qq -e trace=execve,fork,vfork,clone,clone3 \
		-o "$base/calls" srt-lane >/dev/null
	[ "$(wc -l <"$base/calls")" -eq 1 ]
	[ ! -e "$W/ran" ]
}

@test "lane: what could not be written is a failure" {
	run -1 --separate-stderr sh -c 'srt-lane >/dev/full'
	[[ $stderr == 'srt-lane: standard output: '* ]]
}

@test "lane: two worktrees are one too many" {
	run -64 --separate-stderr srt-lane . ../b
	[[ $stderr == 'usage: srt-lane '* ]]
	run -64 srt-lane --branch-only=x
}

# No linked worktree.

@test "lane: no plain directory, no main checkout, no submodule" {
	mkdir "$W/plain" "$W/fake"
	refused "$W/plain: not a linked worktree: there is no .git" "$W/plain"
	refused "$repo: a main checkout, not a linked worktree" "$repo"
	refused "$common: a git directory" "$common"
	refused "$meta: not a linked worktree" "$meta"
	mkdir sub
	refused "$tree/sub: not a linked worktree" sub
	git -c protocol.file.allow=always -C "$repo" \
		submodule --quiet add "$repo" sub
	refused 'which is in no worktrees directory' "$repo/sub"
	git init -q --separate-git-dir "$W/git" "$W/separate"
	refused 'which is in no worktrees directory' "$W/separate"
}

@test "lane: nothing that is no directory, or not there" {
	refused 'f: not a directory' f
	refused 'none: no worktree: No such file' none
	refused 'f/x: no worktree: Not a directory' f/x
	refused 'No such file' ''
	mkfifo p
	refused 'p: not a directory' p
}

@test "lane: no link to a worktree" {
	ln -s "$tree" "$W/link"
	ln -s none "$W/dangling"
	ln -s loop "$W/loop"
	for name in link link/ link//; do
		refused "$W/link: a symbolic link" "$W/$name"
	done
	refused "$W/dangling: no worktree" "$W/dangling"
	refused "$W/loop: no worktree" "$W/loop"
}

@test "lane: no directory whose .git borrows the metadata of another" {
	mkdir "$W/thief" ../b/sub
	cp .git "$W/thief"
	cp .git ../b/sub
	refused "$W/thief: its .git borrows the metadata of another" "$W/thief"
	refused 'its .git borrows' ../b/sub
	cp ../b/.git .git
	refused "$tree: its .git borrows" "$tree"
	cp -a "$tree" "$W/copy"
	refused 'its .git borrows' "$W/copy"
	# the path is right, but it is not that directory any more
	git worktree add -q "$W/c" -b c
	mv "$W/c" "$W/d"
	refused "$W/d: its .git borrows" "$W/d"
	ln -s d "$W/c"
	srt-lane "$W/d" >/dev/null
	rm "$W/c"
	mkdir "$W/c"
	refused "$W/d: its .git borrows" "$W/d"
}

@test "lane: .git is one line, gitdir: and a path, no more than 4 KiB" {
	long=$(printf '%4088s' '' | tr ' ' /)
	: >.git
	refused '/a/.git: no line "gitdir: PATH"'
	for text in '\n' '%s\n' 'gitdir:%s\n' 'gitdir: \n' ' gitdir: %s\n' \
		'Gitdir: %s\n' 'gitdir: '; do
		# shellcheck disable=SC2059 # that is what they are
		printf "$text" "$meta" >.git
		refused '/a/.git: no line "gitdir: PATH"'
	done
	for text in 'gitdir: %s\n\n' 'gitdir: %s\nx' '\ngitdir: %s\n' \
		'gitdir: x\ngitdir: %s\n'; do
		# shellcheck disable=SC2059
		printf "$text" "$meta" >.git
		refused '/a/.git: more than one line'
	done
	printf 'gitdir: %s\0\n' "$meta" >.git
	refused '/a/.git: has a NUL in it'
	printf 'gitdir: %s\0/x\n' "$meta" >.git
	refused '/a/.git: has a NUL in it'
	printf 'gitdir: %s' "$long" >.git
	[ "$(stat -c %s .git)" -eq 4096 ]
	refused "$tree: "
	printf 'gitdir: %s/' "$long" >.git
	refused '/a/.git: longer than 4 KiB'
	truncate -s 1T .git
	refused '/a/.git: longer than 4 KiB'
}

@test "lane: .git is a regular file, which is not waited for" {
	mv .git "$W/saved"
	ln -s "$W/saved" .git
	refused '/a/.git: a symbolic link'
	rm .git
	mkfifo .git
	run -1 --separate-stderr timeout 5 srt-lane
	[[ $stderr == *'/a/.git: not a regular file' ]]
	rm .git
	ln -s .git .git
	refused '/a/.git: a symbolic link'
	rm .git
	cp "$W/saved" .git
	is_root || {
		chmod 000 .git
		refused '/a/.git: cannot be read: Permission denied'
	}
}

@test "lane: no name but one that git could have given" {
	for name in .. . .git .x x.lock .lock ''; do
		[ -e "$common/worktrees/$name" ] ||
			cp -a "$meta" "$common/worktrees/$name"
		echo "gitdir: $common/worktrees/$name" >.git
		refused 'which is no name of a worktree'
	done
	mkdir "$common/worktrees/x"
	for name in a/b ../a a/.. a/ x/y//; do
		echo "gitdir: $common/worktrees/$name" >.git
		refused "$tree: "
	done
	for path in / a worktrees /worktrees worktrees/ ../worktrees; do
		echo "gitdir: $path" >.git
		refused "$tree: "
	done
	echo 'gitdir: worktrees/a' >.git
	refused "the worktrees directory cannot be opened: No such file"
	echo 'gitdir: /worktrees/a' >.git
	refused "the worktrees directory cannot be opened: No such file"
}

@test "lane: metadata that is not there, or behind a link" {
	mv "$meta" "$W/meta"
	refused "$meta: the worktree's metadata cannot be opened: No such file"
	ln -s "$W/meta" "$meta"
	refused "$meta: the worktree's metadata is a symbolic link"
	rm "$meta"
	: >"$meta"
	refused "$meta: the worktree's metadata cannot be opened: Not a dir"
	rm "$meta"
	mv "$W/meta" "$meta"
	mv "$common/worktrees" "$W/all"
	ln -s "$W/all" "$common/worktrees"
	refused "$common/worktrees: the worktrees directory is a symbolic link"
	rm "$common/worktrees"
	mv "$W/all" "$common/worktrees"
	srt-lane >/dev/null
	mv "$common" "$W/git"
	refused 'the repository cannot be opened: No such file'
	# the repository itself may be behind one: it has one name for us then
	ln -s "$W/git" "$common"
	run -0 srt-lane
	[ "${lines[0]}" = "allow-read $W/git" ]
	rm "$W/git/HEAD"
	refused "$W/git: not a git directory"
}

@test "lane: the metadata's own pointers are read with the same care" {
	for file in gitdir commondir; do
		mv "$meta/$file" "$W/saved"
		refused "/$file: cannot be read: No such file"
		ln -s "$W/saved" "$meta/$file"
		refused "/$file: a symbolic link"
		rm "$meta/$file"
		mkfifo "$meta/$file"
		refused "/$file: not a regular file"
		rm "$meta/$file"
		mkdir "$meta/$file"
		refused "/$file: not a regular file"
		rmdir "$meta/$file"
		: >"$meta/$file"
		refused "/$file: empty"
		{ cat "$W/saved"; echo x; } >"$meta/$file"
		refused "/$file: more than one line"
		{ cat "$W/saved"; printf '\0'; } >"$meta/$file"
		refused "/$file: has a NUL in it"
		printf '%4097s' '' >"$meta/$file"
		refused "/$file: longer than 4 KiB"
		rm "$meta/$file"
		mv "$W/saved" "$meta/$file"
	done
	srt-lane >/dev/null
	echo "$tree" >"$meta/gitdir"
	refused 'its .git borrows'
	echo "$tree/.git" >"$meta/gitdir"
	git init -q "$W/other"
	for to in . .. "$W/other/.git" "$W/none" /; do
		echo "$to" >"$meta/commondir"
		refused "$meta: its commondir leads to /"
	done
}

@test "lane: no storage to be shared that is a link, whole or in part" {
	for name in objects refs logs logs/refs lfs objects/info; do
		[ -d "$common/$name" ] || mkdir "$common/$name"
		mv "$common/$name" "$W/saved"
		for to in "$W/saved" ../worktrees/b worktrees/b none "$name"; do
			rm -rf "${common:?}/$name"
			ln -s "$to" "$common/$name"
			refused 'a symbolic link in it'
		done
		rm "$common/$name"
		: >"$common/$name"
		refused 'cannot be shared: Not a directory'
		rm "$common/$name"
		mv "$W/saved" "$common/$name"
		srt-lane >/dev/null
	done
}

@test "lane: no worktree in which its repository lies" {
	git clone -q --bare "$repo" "$W/big"
	git -C "$W/big" worktree add -q "$W/c" -b c
	mv "$W/big" "$W/c"
	git -C "$W/c/big" worktree repair "$W/c" 2>/dev/null
	[ "$(git -C "$W/c" branch --show-current)" = c ]
	refused "$W/c: the repository, $W/c/big, lies in it" "$W/c"
}

@test "lane: what a message quotes cannot write to the terminal" {
	printf 'gitdir: /\033[31m\n' >.git
	refused '\033[31m'
	echo "gitdir: $meta" >.git
	printf '\033[31m\n' >"$meta/gitdir"
	refused '\033[31m'
}

# --branch-only

# on BRANCH: worktree a is on it from now on.
on() { git switch -q -c "$1"; }

@test "lane, branch only: the directory of its own branch and of its log" {
	on lane/a/work
	lines logs/refs/heads/lane/a objects refs/heads/lane/a >"$base/want"
	grants "$base/want" --branch-only
	on lane/a/more/of/it
	grants "$base/want" --branch-only
	rm -r "$common/logs/refs/heads/lane/a"
	lines objects refs/heads/lane/a >"$base/want"
	grants "$base/want" --branch-only 2>"$base/stderr"
	[[ $(<"$base/stderr") == *"has no logs/refs/heads/lane/a, "* ]]
}

@test "lane, branch only: no branch whose directory others share" {
	refused "its branch is not lane/a/..., but refs/heads/a" --branch-only
	# another's, one whose name only begins like it, and too shallow ones
	for branch in lane/b/work lane/ab/x lane/x Lane/a/x x/lane/a/x; do
		on "$branch"
		refused "its branch is not lane/a/..., but refs/heads/$branch" \
			--branch-only
		git branch -q -m away
		git switch -q a
		git branch -q -D away
	done
	on lane/a
	refused "its branch is not lane/a/..., but refs/heads/lane/a" \
		--branch-only
	git switch -q --detach
	refused "its branch is not lane/a/..., but none" --branch-only
}

@test "lane, branch only: a HEAD that leads astray grants nothing" {
	on lane/a/work
	for head in 'ref: refs/heads/lane/a/' 'ref:  refs/heads/lane/a/x' \
		'refs/heads/lane/a/x' 'ref: refs/heads/lane/../a/x'; do
		echo "$head" >"$meta/HEAD"
		refused "its branch is not lane/a/..." --branch-only
	done
	# whatever comes behind, the directory is its own
	echo 'ref: refs/heads/lane/a/../b/x' >"$meta/HEAD"
	lines logs/refs/heads/lane/a objects refs/heads/lane/a >"$base/want"
	grants "$base/want" --branch-only
	rm "$meta/HEAD"
	refused '/HEAD: cannot be read: No such file' --branch-only
	ln -s "$common/HEAD" "$meta/HEAD"
	refused '/HEAD: a symbolic link' --branch-only
}

@test "lane, branch only: no directory that is not there, or is a link" {
	on lane/a/work
	git pack-refs --all
	[ ! -e "$common/refs/heads/lane" ]
	refused "$common/refs/heads/lane/a: the directory of its branch: No" \
		--branch-only
	git commit -q --allow-empty -m loose
	srt-lane --branch-only >/dev/null
	for dir in refs/heads/lane/a refs/heads/lane refs/heads \
		logs/refs/heads/lane/a logs/refs/heads; do
		mv "$common/$dir" "$common/saved"
		ln -s "$common/saved" "$common/$dir"
		refused 'a symbolic link in it' --branch-only
		rm "$common/$dir"
		mv "$common/saved" "$common/$dir"
	done
}
