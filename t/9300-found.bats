#!/usr/bin/env bats
# What people who tried to break it have found, one test each.
# shellcheck disable=SC2016,SC2094,SC2154 # the helper sets; files are meant
load lib/helper
load lib/life

@test "found: standard input that is open for reading cannot be written" {
	echo secret >.env
	run -0 srt -d .env -c 'echo x >/proc/self/fd/0; cat' <.env
	[ "${lines[-1]}" = secret ]
	[ "$(cat .env)" = secret ]
	mkdir out
	run -0 srt -w out -c 'echo x >/proc/self/fd/0; :' <.env
	[ "$(cat .env)" = secret ]
}

@test "found: nor where its path shows something else inside, or nothing" {
	echo secret >/tmp/in
	run -0 srt -c 'echo x >/proc/self/fd/0; cat' </tmp/in
	[[ $output == *secret* ]]	# and what went into its own pipe
	[ "$(cat /tmp/in)" = secret ]
	echo secret >f
	for options in '-R f' '-R f -d f' '-R .'; do
		# shellcheck disable=SC2086 # words
		run srt -w "$HOME" $options -- sh -c \
			'chmod 666 /proc/self/fd/0; echo x >/proc/self/fd/0' <f
		[ "$(cat f)" = secret ]
	done
	# as long as it needs to be
	head -c 3000000 /dev/urandom >/tmp/in
	run -0 srt -- cksum </tmp/in
	[ "$output" = "$(cksum </tmp/in)" ]
}

# answers FIFO [srt option ...]: what a command that has been given the FIFO to
# read leaves in it.
answers() {
	local fifo=$1 held
	shift
	exec {held}<>"$fifo"
	echo mine >&"$held"
	[ "$(srt "$@" -- sh -c 'read -r line; echo "$line"
		for p in /proc/self/fd/0 /dev/stdin /proc/$$/fd/0 "$0"; do
			{ echo evil >"$p"; } 2>/dev/null
		done; :' "$W/$fifo" <"$fifo")" = mine ]
	dd if="$fifo" iflag=nonblock status=none 2>/dev/null || :
	exec {held}>&-
}

@test "found: nor a FIFO that is denied, which no read-only mount makes unwritable" {
	mkdir closed
	mkfifo f closed/f
	[[ $(answers f) == *evil* ]]	# nothing denies it
	for options in '-d f' '-R f' '-d f -R f'; do
		# shellcheck disable=SC2086 # words
		[ -z "$(answers f $options)" ]
	done
	for options in '-d closed/f' '-R closed' '-R closed/f'; do
		# shellcheck disable=SC2086 # words
		[ -z "$(answers closed/f $options)" ]
	done
}

@test "found: what is denied reading is read if the caller opens it to be written (expected)" {
	echo secret >f
	run ! srt -R f -- cat f
	[[ $output != *secret* ]]
	srt -R f -- sh -c 'cat </proc/self/fd/1 >&2' 2>got >>f
	[ "$(cat got)" = secret ]
}

@test "found: what the command has read of standard input is read outside, too" {
	printf 'one\ntwo\nthree\n' >in
	# dd reads a byte at a time, and no more
	got=$({ srt -c 'dd bs=1 count=4 2>/dev/null'; cat; } <in)
	[ "$got" = "$(cat in)" ]
}

@test "found: a directory as standard input is refused" {
	run -125 --separate-stderr srt -d .env -- true <.
	[[ $stderr == "srt-run: standard input: is a directory"* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	printf 'pass-fd 5\nallow-write .\n' >"$base/p"
	run -125 srt -p "$base/p" -- true 5<.
	[ ! -e .env ]
}

@test "found: SRT_PLACE is not any directory of the user's" {
	mkdir -m 755 other
	echo mine >other/file
	export SRT_PLACE=$W/other
	run -125 --separate-stderr srt -d .env -- true
	[ "$stderr" = "srt-run: $W/other: SRT_PLACE cannot be used: Directory not empty" ]
	[ "$(stat -c %a other)" = 755 ]
	[ "$(ls other)" = file ]
	unset SRT_PLACE
	nothing_left
}

@test "found: the command cannot make a place that is not there" {
	rm -rf /tmp/srt-mount-points-*
	: >"/tmp/srt-mount-points-$(id -u)"	# a file: it is none
	run -0 srt --host-tmp -w /tmp -w . -d .env -c "
		rm -f /tmp/srt-mount-points-*
		mkdir -m 700 /tmp/srt-mount-points-$(id -u) 2>/dev/null &&
			echo made; :"
	[[ $output != *made* ]]
	[ -f "/tmp/srt-mount-points-$(id -u)" ]
	rm "/tmp/srt-mount-points-$(id -u)"
}

@test "found: nor one below a runtime directory that is not there" {
	as_root
	umount /run/user
	rm -rf /run/user/0
	run -0 srt -w /run -w . -d .env -c 'mkdir -p /run/user/0/srt-mount-points'\
' 2>/dev/null && echo made; :'
	[[ $output != *made* ]]
	[ ! -e /run/user/0 ]
	nothing_left
}

@test "found: bash finds srt in PATH, and srt its own programs" {
	printf '#!/bin/sh\necho PLANTED\n' >srt-run
	chmod +x srt-run
	run -0 bash srt -d .env -- echo fine
	[ "$output" = fine ]
}

@test "found: what cannot be undone stays named" {
	as_root
	mkdir ap
	chattr +a ap || skip "no append-only directories here"
	run -125 srt -d ap/key -- true
	chattr -a ap
	srt --sweep
	[ -z "$(ls -A ap)" ]
	nothing_left
}

@test "found: a start that fails does not end its supervisor" {
	# the monitor ends before the gate has begun to wait
	printf '#!/bin/sh\nexit 1\n' >"$base/bwrap"
	chmod +x "$base/bwrap"
	for _ in {1..30}; do
		run -125 srt --bwrap "$base/bwrap" -d .env -- true
	done
	nothing_left
}

@test "found: what is hidden and goes before it is mounted is not made again" {
	cat >"$base/bwrap" <<-'X'
		#!/bin/sh
		rm -rf "$GONE"
		exec bwrap "$@"
	X
	chmod +x "$base/bwrap"
	mkdir dir
	GONE=$W/dir run -0 srt --bwrap "$base/bwrap" -R dir -- true
	[ ! -e dir ]
	echo x >f
	GONE=$W/f run -0 srt --bwrap "$base/bwrap" -R f -- true
	[ ! -e f ]
	nothing_left
}

@test "found: a file that becomes a directory, above a denied name, ends the run" {
	echo x >.git
	hold -d .git/hooks
	rm .git
	mkdir .git
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 125 ]
	exec {hold_in}>&- {hold_out}<&-
	[ -z "$(ls -A .git)" ]
	nothing_left
}

@test "found: a directory that the command closes keeps its placeholder, and it is said, until it is open again" {
	is_root && skip "root may do all"
	mkdir a
	for mode in 0 555 300; do
		run -0 --separate-stderr srt -d a/key -d b/c/key -- \
			chmod "$mode" a b/c
		[ "$output" = '' ]
		# what is in one that has w and x can be removed
		[ "$mode" = 300 ] || [[ $stderr == *"srt-run: $W/a/key: placeholder cannot be removed now: Permission denied"* ]]
		[ "$(stat -c %a a)" = "$mode" ]
		# nobody gets at it while it is waited for
		chmod 755 a
		[ "$mode" = 300 ] || [ -S a/key ]
		[ ! -e b/c ] || chmod 755 b/c
		srt --sweep >/dev/null
		nothing_left
		[ -z "$(ls -A a)" ]
		rm -rf b
	done
}

@test "found: on an overlay, as the root of a container is" {
	as_root
	mkdir l u m
	mount -t tmpfs tmpfs u
	mkdir u/upper u/work l/d
	echo low >l/own
	echo low >l/d/own
	mount -t overlay -o "lowerdir=$W/l,upperdir=$W/u/upper,workdir=$W/u/work" \
		overlay m
	for path in .env d/key n/e/w own d/own d; do
		deny_holds "$W/m/$path" -w m -d "m/$path"
		nothing_left
	done
	hold -C m -w . -d .env -d d/key -d n/e/w -d own
	# copied up by somebody outside, and then written
	echo more >>m/own
	[ "$(tell 'echo x 2>/dev/null >own && echo landed || tail -n 1 own')" = more ]
	murder
	srt --sweep >/dev/null
	nothing_left
	[ "$(cd m && find . | sort | tr '\n' ' ')" = '. ./d ./d/own ./own ' ]
	[ -z "$(find u/upper ! -type d ! -name own)" ]
	umount m u
}

owned_by_root() { [ "$(stat -c %u "$1")" = 0 ]; }

@test "found: what another user's run relied on, and took away, is denied again" {
	as_root
	chmod 755 "$base"
	chmod 777 "$W"
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		srt -w . -d .env -- sh -c ': >up; until test -e stop; do sleep 0.01; done' 3>&- &
	other=$!
	wait_for test -e up
	[ "$(stat -c %u .env)" = 65534 ]
	hold -w . -d .env
	: >stop
	ended 0 "$other"
	wait_for owned_by_root .env
	[ "$(tell 'echo x 2>/dev/null >.env && echo landed || echo no')" = no ]
	not_removed .env
	release
	nothing_left
	[ ! -e .env ]
}

# tmpfile: for python3, a file that has no name gets PATH's (open(2), O_TMPFILE)
tmpfile='
import os, sys
path = sys.argv[1]
fd = os.open(os.path.dirname(path), os.O_TMPFILE | os.O_WRONLY, 0o644)
try:
    # with a descriptor it is linkat(2), which can follow
    os.link(f"/proc/self/fd/{fd}", path, src_dir_fd=fd)
    print("landed", path)
except FileExistsError:
    pass'

@test "found: in a set-group-ID or sticky directory, by a file that had no name" {
	for mode in 2755 1777 3777; do
		rm -rf a
		mkdir -m "$mode" a
		run -0 srt -d a/key -d a/n/key -- sh -c '
			for p in a/key a/n/key a/free; do python3 -c "$1" "$p"; done
			rm -rf a/key a/n 2>/dev/null
			mkdir a/n/made a/made; stat -c %a a/n/made >/dev/null' \
			sh "$tmpfile"
		[ "$output" = 'landed a/free' ]
		nothing_left
		[ "$(find a | sort | tr '\n' ' ')" = 'a a/free a/made a/n a/n/made ' ]
	done
}

@test "found: a neighbour that gives a placeholder a second name gains nothing by it" {
	hold -d .env -d a/key
	srt -w . -- sh -c 'ln .env keep && ln a/key keep2 && chmod 600 keep2'
	for p in .env a/key; do
		[[ $(tell "echo x >$p && echo landed") != landed ]]
	done
	release
	# left as it is (case 43), with nothing in it, and no run is refused
	[ -S .env ] && [ -S a/key ]
	[ ! -s .env ] && [ ! -s a/key ]
	[ "$(ls "$place")" = lock ]
	run -0 srt -d .env -d a/key -- sh -c "$(denied "$W/.env")
		$(denied "$W/a/key")"
	[ -z "$output" ]
	rm -r .env keep keep2 a
	nothing_left
}
