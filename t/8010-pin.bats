#!/usr/bin/env bats
# Directories above a protected path can neither be moved nor replaced, and are
# otherwise as usable as without a sandbox (cases 16 to 18).
# shellcheck disable=SC2016,SC2154 # for the sandbox to expand; the helper's
load lib/helper
load lib/hostile

# pinned TOP DIRS PATH [srt option ...]: each directory, below TOP, stays while
# TOP/PATH is denied.
pinned() {
	local top_dir=$1 dirs=$2 path=$3 d
	shift 3
	for d in $dirs; do
		unchanged stays "$top_dir/$d" "$@" -d "$top_dir/$path" ||
			return
	done
	unchanged holds "$top_dir/$path" "$@" -d "$top_dir/$path"
}

@test "pin: directories that are there stay, at every level" {
	mkdir -p a/b/c
	echo x >a/b/c/f
	pinned "$W" 'a a/b a/b/c' a/b/c/f -w .
	pinned "$W" 'a a/b a/b/c' a/b/c/absent -w .
	nothing_left
}

@test "pin: directories that were made stay, at every level" {
	pinned "$W" 'a a/b a/b/c' a/b/c/x -w .
	mkdir a
	pinned "$W" 'a a/b a/b/c' a/b/c/x -w .
	nothing_left
}

@test "pin: for a denied directory, and for reading" {
	mkdir -p a/b/d
	echo x >a/b/d/f
	pinned "$W" 'a a/b a/b/d' a/b/d -w .
	for p in a/b/d a/b/d/f; do
		for d in a a/b; do
			unchanged stays "$d" -w . -R "$p"
			unchanged stays "$d" -w . -R "$p" -d "$p"
		done
	done
	unchanged stays a/b/d -w . -R a/b/d/f
}

@test "pin: with all writable the directories above W stay, too" {
	mkdir -p a/b
	pinned "$W" 'a a/b' a/b/x -w / 2>/dev/null
	for d in "$W" "$base"; do
		unchanged stays "$d" -w / -d a/b/x 2>/dev/null
	done
}

@test "pin: / and a directory writable: the directory stays" {
	for p in x d/x; do
		unchanged stays "$W" -w / -w "$W" -d "$W/$p" 2>/dev/null
		run -0 srt -w / -w "$W" -d "$W/$p" -- sh -c '
			mv "$1" "$1.x" 2>&1; rmdir "$1"/* "$1" 2>/dev/null
			:' sh "$W"
		[[ $output == *"busy"* ]]
	done
	nothing_left
}

@test "pin: below a hidden directory" {
	mkdir -p h/w/a/b h/other
	pinned "$W/h/w" 'a a/b a/b/c' a/b/c/x -R h -w h/w
	pinned "$W/h/w" 'a a/b' a/b/x -R "$W" -w h/w
	pinned "$W/h/w" 'a a/b' a/b/x -w . -R h -w h/w
	unchanged stays h/w -w . -R h -w h/w -d h/w/a/x
	unchanged stays h -w . -R h -w h/w -d h/w/a/x
	nothing_left
}

@test "pin: in nested hidden directories, each with its write root" {
	mkdir -p h/w/a/k/v/b
	for d in h/w h/w/a h/w/a/k h/w/a/k/v h/w/a/k/v/b; do
		unchanged stays "$d" -w . -R h -w h/w -R h/w/a/k \
			-w h/w/a/k/v -d h/w/a/k/v/b/x -d h/w/a/y
	done
	nothing_left
}

@test "pin: in a private /tmp" {
	dir=$(mktemp -d /var/tmp/srt-test.XXXXXX)
	mkdir -p "$dir/p/w/a/b"
	pinned "$dir/p/w" 'a a/b a/b/c' a/b/c/x -w "$dir/p/w"
	for d in "$dir/p/w" "$dir/p" "$dir"; do
		stays "$d" -w "$dir/p/w" -d "$dir/p/w/a/x"
	done
	left=$(find "$dir/p" | sort | xargs)
	rm -rf "$dir"
	[ "$left" = "$dir/p $dir/p/w $dir/p/w/a $dir/p/w/a/b" ]
}

@test "pin: through links, and with write roots in write roots" {
	mkdir -p real/a/b
	ln -s real l
	pinned "$W/real" 'a a/b' a/b/x -w l
	for opts in '-w . -w real' '-w . -w real/a' '-w real/a/b -w .'; do
		# shellcheck disable=SC2086 # words
		pinned "$W" 'real real/a real/a/b' real/a/b/x $opts
		# shellcheck disable=SC2086
		pinned "$W" 'real real/a real/a/b' l/a/b/x $opts
	done
}

@test "pin: moving the directory with the secret aside gains nothing" {
	mkdir secrets
	echo key >secrets/key.pem
	run -0 quiet srt -w . -d secrets/key.pem -d secrets/other.pem -- sh -c '
		mv secrets aside; mkdir -p secrets
		echo x >secrets/key.pem; echo x >secrets/other.pem
		mkdir n; mv -T n secrets; mv secrets n/; :'
	[ "$(find . -type f)" = ./secrets/key.pem ]
	[ "$(cat secrets/key.pem)" = key ]
}

@test "pin: a bind mount cannot be had over it, nor a namespace without it" {
	mkdir d
	run -0 quiet srt -w . -d d/x -- sh -c '
		unshare -m true; unshare -Um true; unshare -r true
		mount --bind /tmp d; umount d/x; umount -l .
		bwrap --bind / / sh -c "mv d e"
		chroot . true; nsenter -t 1 -m true; :'
	[ "$(find . | sort | xargs)" = '. ./d' ]
	nothing_left
}

# As usable as ever.

@test "pin: making, linking and moving in and across pinned directories works" {
	mkdir -p a/b c/d
	srt -w . -d a/b/x -d c/d/y -d c/new/z -- sh -euc '
		echo 1 >a/b/f
		mv a/b/f c/d/f
		ln c/d/f a/g
		ln a/g c/new/h
		mv -T c/d/f a/b/f
		mkdir a/b/e
		echo 2 >a/b/e/2
		mv a/b/e c/d/e
		mv c/d/e .
		ln -s f a/b/l
		mv a/b/l c/new/l
		rm c/new/l c/new/h a/g
		chmod 700 a/b
		touch -d 2001-01-01 a
		rm a/b/f
		rmdir_me=c/d/e2; mkdir $rmdir_me; rmdir $rmdir_me'
	[ "$(find . | sort | xargs)" = '. ./a ./a/b ./c ./c/d ./e ./e/2' ]
	[ "$(stat -c %a a/b)" -eq 700 ]
	nothing_left
}

@test "pin: no file system boundary is crossed between them" {
	mkdir -p a/b c
	[ "$(srt -w . -d a/b/x -d c/y -- stat -c %d . a a/b c | sort -u | wc -l)" \
		-eq 1 ]
	run -0 srt -w . -d a/b/x -d c/y -- findmnt -n -o TARGET -T a/b
	[ "$output" = "$W" ]
}

@test "pin: directories beside them can be moved and removed" {
	mkdir -p a/b a/c d
	srt -w . -d a/b/x -- sh -euc 'mv a/c d/c; rmdir d/c d'
	[ ! -e d ]
	mkdir e
	srt -w . -d a/b/x -- mv e a/b/e
	[ -d a/b/e ]
}

@test "pin: git add and commit work with denies in the repository" {
	git init -q -b main repo
	mkdir -p repo/src/lib
	echo 1 >repo/src/lib/a
	cd repo
	srt -w . -d .git/hooks -d .git/config -d .git/info/attributes \
		-d src/lib/.env -d .envrc -d build/x -- sh -euc '
		git add -A
		git commit -qm one
		echo 2 >src/lib/b
		git mv src/lib/a src/a
		git add -A
		git commit -qm two
		git checkout -q -b other HEAD~1
		git checkout -q main
		git gc -q
		git stash list'
	[ "$(git ls-files | xargs)" = 'src/a src/lib/b' ]
	[ -z "$(git status --porcelain)" ]
	git fsck --strict
	nothing_left
}

@test "pin: staging directories are renamed into place, as npm does" {
	mkdir -p node_modules/old
	srt -w . -d node_modules/.hooks -d node_modules/@s/x/.env -- sh -euc '
		for p in a @s/b; do
			s=node_modules/.staging-$$; mkdir -p "$s/lib" node_modules/@s
			echo 1 >"$s/lib/index.js"
			mv "$s" "node_modules/$p"
		done
		mv node_modules/old node_modules/.old-1
		mv node_modules/a node_modules/old
		rm -r node_modules/.old-1'
	[ "$(find node_modules -type f | sort | xargs)" = \
		'node_modules/@s/b/lib/index.js node_modules/old/lib/index.js' ]
	nothing_left
}

@test "pin: atomic saving works beside a denied file" {
	mkdir d
	echo old >d/f
	srt -w . -d d/other -- sh -euc 'echo new >d/f.tmp; mv d/f.tmp d/f'
	[ "$(cat d/f)" = new ]
}

# Other sandboxes.

@test "pin: another sandbox cannot move what a running one relies on" {
	mkdir -p a/b
	hold -w . -d a/b/c/x
	for d in a a/b a/b/c; do
		stays "$d" -w .
		stays "$d" -w . -w a/b
	done
	stays "$base/w" -w / 2>/dev/null
	run -0 quiet srt -w . -- sh -c '
		mv a z; rm -rf a; mkdir -p a/b/c; mv a/b/c a/b/d; :'
	[ -S a/b/c/x ]
	release
	[ "$(find . | sort | xargs)" = '. ./a ./a/b' ]
	nothing_left
}

@test "pin: one that started first cannot write what a later one denies" {
	mkdir a
	hold -w . -d a/x
	stays a -w . -d a/y
	holds a/x -w . -d a/x -d a/y
	[ "$(tell 'mv a b 2>/dev/null || echo no')" = no ]
	release
	nothing_left
}
