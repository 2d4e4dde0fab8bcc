#!/usr/bin/env bats
# What is the user's stays (cases 43, 44, 56): a path is a placeholder only
# where a manifest names it and it still is what that says.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
}

# what PATH: all about it that a clean-up must not change.
what() {
	stat -c '%F %a %u %h %i %s %Y %Z %N' "$1"
	[ ! -f "$1" ] || cat "$1"
}

# stays PATH: a clean-up, which removes nothing, leaves it exactly as it is,
# and the manifest goes.
stays() {
	local before
	before=$(what "$1")
	run -0 --separate-stderr srt --sweep
	[ -z "$output$stderr" ]
	[ "$(what "$1")" = "$before" ]
	[ -z "$(manifests)" ]
}

# of_each_kind FUNCTION: is called with a path for each kind of placeholder
# that is left: a socket, a file.
of_each_kind() {
	mkdir -p .git/info .git/objects .git/refs
	: >.git/HEAD
	for path in "$W/.env" "$W/.git/info/exclude"; do
		leave "$path"
		"$1" "$path"
		rm -rf "$path"
	done
}

# The user's own, with no manifest --------------------------------------

@test "own: an empty file at a denied path is denied, and never removed" {
	for mode in 444 644 600; do
		rm -f .env
		: >.env
		chmod "$mode" .env
		before=$(what .env)
		deny_holds "$W/.env" -w . -d .env
		[ "$(what .env)" = "$before" ]
		srt --sweep
		[ "$(what .env)" = "$before" ]
	done
}

@test "own: an empty directory at a denied path is denied, and never removed" {
	mkdir secrets
	before=$(what secrets)
	deny_holds "$W/secrets/key" -w . -d secrets
	deny_holds "$W/secrets" -w . -d secrets
	srt --sweep
	[ "$(what secrets)" = "$before" ]
}

@test "own: an empty directory above a denied path is never removed" {
	mkdir -p a/b
	deny_holds "$W/a/b/c/key" -w . -d a/b/c/key
	[ -d a/b ]
	[ -z "$(ls -A a/b)" ]
	nothing_left
}

@test "own: a socket at a denied path is denied, and never removed" {
	a_socket docker.sock
	before=$(what docker.sock)
	srt -w . -d docker.sock -- sh -c 'rm -f docker.sock; : >docker.sock' ||
		:
	srt --sweep
	[ "$(what docker.sock)" = "$before" ]
}

@test "own: a manifest that names no inode makes nothing a placeholder" {
	: >.env
	mkdir dir
	forge "$(id_of 1)" "make file 0444 $W/.env" "make dir 0755 $W/dir"
	before=$(what .env; what dir)
	run -0 --separate-stderr srt --sweep
	[ -z "$output$stderr" ]
	[ "$(what .env; what dir)" = "$before" ]
	[ -z "$(manifests)" ]
}

@test "own: a path that goes through a link is not followed" {
	mkdir real
	leave "$W/real/key"
	mv real elsewhere
	ln -s elsewhere real
	before=$(what elsewhere/key)
	run -0 --separate-stderr srt --sweep
	[ -z "$output$stderr" ]
	[ "$(what elsewhere/key)" = "$before" ]
	[ -z "$(manifests)" ]
}

# A placeholder that has become the user's ------------------------------

@test "own: a placeholder with content is left as it is" {
	with_content() {
		rm "$1"
		echo content >"$1"
		stays "$1"
	}
	of_each_kind with_content
	in_place() {
		[ -f "$1" ] || return 0
		echo content >>"$1"
		stays "$1"
	}
	of_each_kind in_place
}

@test "own: a placeholder with a second link is left as it is" {
	with_link() {
		rm -f link
		ln "$1" link
		stays "$1"
		[ "$(inode link)" = "$(inode "$1")" ]
	}
	of_each_kind with_link
}

@test "own: a placeholder of another owner is left as it is" {
	as_root
	with_owner() {
		chown 12345 "$1"
		stays "$1"
	}
	of_each_kind with_owner
	mkdir d
	leave "$W/d/e/key"
	chown 12345 d/e
	run -0 srt --sweep
	[ "$output" = "$W/d/e/key" ]
	[ -d d/e ]
	[ -z "$(manifests)" ]
}

@test "own: another file at the path is left as it is" {
	another() {
		mv "$1" aside
		: >"$1"
		stays "$1"
		rm -f aside
	}
	of_each_kind another
}

@test "own: an empty file of the user's with the same inode number is left as it is" {
	# ext4 gives the number that has just become free to the next file
	again() {
		local before
		before=$(inode "$1")
		rm "$1"
		: >"$1"
		echo "$before $(inode "$1")"
		chmod 444 "$1"
		stays "$1"
	}
	of_each_kind again
}

@test "own: a socket of the user's with the same inode number is left as it is" {
	leave "$W/docker.sock"
	rm docker.sock
	a_socket docker.sock
	stays docker.sock
}

@test "own: a directory of the user's with the same inode number is left as it is" {
	leave "$W/secrets/key"
	rm secrets/key
	rmdir secrets
	mkdir secrets
	stays secrets
}

@test "own: a link at the path is left as it is, and what it leads to" {
	echo precious >precious
	a_link() {
		rm "$1"
		ln -s "$W/precious" "$1"
		stays "$1"
		[ "$(cat precious)" = precious ]
	}
	of_each_kind a_link
}

@test "own: a directory, a FIFO or a device at the path is left as it is" {
	a_dir() {
		rm "$1"
		mkdir "$1"
		stays "$1"
	}
	of_each_kind a_dir
	a_fifo() {
		rm "$1"
		mkfifo "$1"
		stays "$1"
	}
	of_each_kind a_fifo
}

@test "own: a made directory with something of the user's in it stays" {
	leave "$W/a/b/key" "$W/a/c/key"
	echo mine >a/b/mine
	run -0 --separate-stderr srt --sweep
	[ "$output" = "$W/a/c/key
$W/a/c
$W/a/b/key" ]
	[ -z "$stderr" ]
	[ "$(cat a/b/mine)" = mine ]
	[ -z "$(manifests)" ]
	[ "$(find . | sort)" = '.
./a
./a/b
./a/b/mine' ]
}

@test "own: what the user makes at a held path while the run lasts stays" {
	hold -w . -d .env -d a/b
	echo new >new
	mv new .env
	until mkdir a/b 2>/dev/null; do rm -f a/b; done	# it is made again
	before=$(what .env; what a/b)
	release || :
	[ "$(what .env; what a/b)" = "$before" ]
	nothing_left
}

# Touched, chmoded, copied ----------------------------------------------

@test "own: a placeholder that was touched becomes the empty file that was meant" {
	hold -w . -d .env
	touch .env
	touch -d '2020-02-03 04:05:06 UTC' .env
	release
	[ "$(stat -c '%F %a %Y %h' .env)" = \
		"regular empty file $(printf '%o' $((0666 & ~$(umask)))) $(date -d '2020-02-03 04:05:06 UTC' +%s) 1" ]
	nothing_left
}

@test "own: a placeholder that was chmoded becomes an empty file of that mode" {
	for mode in 600 755 200; do
		leave "$W/.env"
		chmod "$mode" .env
		run -0 srt --sweep
		[ "$(stat -c '%F %a' .env)" = "regular empty file $mode" ]
		nothing_left
		rm -f .env
	done
}

@test "own: a file placeholder that was touched or chmoded stays as it is" {
	mkdir .git
	for how in 'touch' 'chmod 600' 'touch -d 2020-02-03'; do
		leave "$W/.git/config"
		$how .git/config
		stays .git/config
		rm .git/config
	done
}

@test "own: what backups and the like change is no reason to leave a socket" {
	mkdir project
	leave "$W/project/.env" "$W/project/a/b/key"
	chown -R "$(id -u):$(id -g)" project
	tar -cf "$base/tar" project 2>/dev/null
	cp -a project "$base/copy"
	cp -al project "$base/links"
	rm -r "$base/links"
	mv project moved
	mv moved project
	touch -a project/.env
	chmod 444 project/.env
	find project -exec stat {} + >/dev/null
	run -0 --separate-stderr srt --sweep
	[ "$output" = "$W/project/a/b/key
$W/project/a/b
$W/project/a
$W/project/.env" ]
	[ -z "$stderr" ]
	[ -z "$(ls -A project)" ]
	nothing_left
}

# Put there at that very moment -----------------------------------------

# slowly SYSCALL WHEN DELAY: srt-collect, which waits a second before or
# after the Nth such call, in the background; its pid is $slow.
slowly() {
	strace -qq -o /dev/null -e inject="$1:$3=1000000:when=$2" -- \
		srt-collect >"$base/slow" 2>"$base/slow.err" </dev/null 3>&- &
	slow=$!
}

@test "own: a file put there between the look and the move aside is given back" {
	leave "$W/.env"
	srt-claim >/dev/null
	slowly renameat2 1 delay_enter
	wait_for grep -q . "/proc/$slow/task/$slow/children"
	sleep 0.3	# it is in renameat2 by now, or it is early: both must do
	rm .env
	echo precious >.env
	before=$(stat -c '%i %s %Y' .env)
	ended 0 "$slow"
	[ "$(stat -c '%i %s %Y' .env)" = "$before" ]
	[ "$(cat .env)" = precious ]
	[ ! -s "$base/slow" ]
	[ ! -s "$base/slow.err" ]
	nothing_left
}

@test "own: an empty file put there between the look and the move aside is given back" {
	mkdir .git
	leave "$W/.git/config"
	srt-claim >/dev/null
	slowly renameat2 1 delay_enter
	sleep 0.4
	rm .git/config
	: >.git/config		# and may well have the same inode number
	before=$(stat -c '%i %Y' .git/config)
	ended 0 "$slow"
	[ "$(stat -c '%i %Y' .git/config)" = "$before" ]
	nothing_left
}

@test "own: a file put there between the move aside and the removal stays" {
	leave "$W/.env"
	srt-claim >/dev/null
	slowly unlinkat 1 delay_enter
	wait_for test ! -e .env
	echo precious >.env
	ended 0 "$slow"
	[ "$(cat .env)" = precious ]
	[ "$(cat "$base/slow")" = "$W/.env" ]
	nothing_left
}

@test "own: a file that was moved aside and whose name is taken meanwhile is kept beside it, and that is said" {
	leave "$W/.env"
	srt-claim >/dev/null
	slowly renameat2 1 delay_enter=1000000:delay_exit
	sleep 0.4
	rm .env
	echo first >.env
	wait_for test ! -e .env
	echo second >.env
	ended 0 "$slow"
	[ "$(cat .env)" = second ]
	[ "$(cat .srt-*)" = first ]
	[[ $(cat "$base/slow.err") == "srt-collect: $W/.env: your file is kept beside it as .srt-"* ]]
	[ "$(wc -l <"$base/slow.err")" -eq 1 ]
}

@test "own: a file put into a made directory at the moment of its removal stays" {
	leave "$W/a/key"
	srt-claim >/dev/null
	slowly unlinkat 2 delay_enter	# the first is a/key
	wait_for test ! -e a/key
	echo precious >a/mine
	ended 0 "$slow"
	[ "$(cat a/mine)" = precious ]
	[ -z "$(manifests)" ]
}
