#!/usr/bin/env bats
# Manifests that cannot be read (case 42): they count as live, nothing is
# removed, a start is refused naming the file; an hour later, held by nobody,
# they are passed over.
# shellcheck disable=SC2030,SC2031,SC2154 # a test is a subshell; helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
	leave "$W/left"		# that a clean-up would remove
	srt-claim >"$base/claims"
	bad=$place/$(id_of 15).manifest
}

list() { find "$place" -printf '%p %i %s %m\n' | sort; }

# unreadable REASON: all commands say so, and nothing is removed or made.
unreadable() {
	local words=$1
	run -0 --separate-stderr timeout 60 srt-claim
	[ -z "$output$stderr" ]
	run -75 --separate-stderr timeout 60 srt-live
	[ -z "$output" ]
	[ "$stderr" = "srt-live: $bad: cannot be read: $words" ]
	run -75 --separate-stderr timeout 60 srt-collect </dev/null
	[ -z "$output" ]
	[ "$stderr" = "srt-collect: $bad: cannot be read, so nothing is removed: $words" ]
	[ -S left ]
	list >before
	run -1 --separate-stderr timeout 60 srt-plan -e "allow-write $W"
	[ "$stderr" = "srt-plan: $bad: cannot be read, so no sandbox is started: $words" ]
	run -125 --separate-stderr timeout 60 srt -w . -d .env -- true
	[ "${stderr_lines[0]}" = "srt-run: $bad: cannot be read, so no sandbox is started: $words" ]
	[ ! -e .env ]
	list | diff before -
}

# passed_over: as if it were not there.
passed_over() {
	run -0 --separate-stderr timeout 60 srt-live
	[ -z "$output$stderr" ]
	run -0 --separate-stderr srt-collect </dev/null
	[ "$output" = "$W/left" ]
	[ -z "$stderr" ]
	run -0 deny_holds "$W/.env" -w . -d .env
	[ -e "$bad" ] || [ -L "$bad" ]
}

@test "unreadable: garbage" {
	echo 'hello, world' >"$bad"
	unreadable 'Protocol error'
	older "$bad" 3000
	unreadable 'Protocol error'
	older "$bad" 3660
	passed_over
}

@test "unreadable: an empty file" {
	: >"$bad"
	unreadable 'Protocol error'
	older "$bad" 3660
	passed_over
}

@test "unreadable: a manifest of a later version" {
	forge "$(id_of 15)"
	sed -i 's/^srt-manifest 1$/srt-manifest 2/' "$bad"
	unreadable 'Protocol error'
	older "$bad" 3660
	passed_over
}

@test "unreadable: a line that is not as it should be" {
	for line in 'make socket 0444' 'make thing 0444 /x' \
		'make socket 0999 /x' 'make socket 0444 x' 'pidns x' \
		'made 0 socket 1 1 0.000000000 0.000000000' 'placed 0 1' \
		'rely socket 0444 /x' 'make socket 0444 /x\q'; do
		forge "$(id_of 15)" "$line"
		unreadable 'Protocol error'
	done
	older "$bad" 3660
	passed_over
}

@test "unreadable: a manifest with a name that is no ID" {
	for name in x.manifest 0123.claimed 0123456789abcdef0.manifest; do
		bad=$place/$name
		forge "$(id_of 15)"
		mv "$forged" "$bad"
		rm "$place/$(id_of 15).init"
		unreadable 'Protocol error'
		rm "$bad"
	done
	: >"$bad"
	older "$bad" 3660
	passed_over
}

@test "unreadable: more than a mebibyte" {
	forge "$(id_of 15)"
	truncate -s 2M "$bad"
	unreadable 'File too large'
	older "$bad" 3660
	passed_over
}

@test "unreadable: a mebibyte of good lines can be read" {
	forge "$(id_of 15)"
	n=$(((1048576 - $(stat -c %s "$bad")) / 32))
	seq -f 'make socket 0444 /no/%010.0f' "$n" >>"$bad"
	[ "$(stat -c %s "$bad")" -gt 1048544 ]
	locked "$bad"
	srt-live >list
	[ "$(wc -l <list)" -eq "$n" ]
	unlock
}

@test "unreadable: a FIFO, and nobody blocks" {
	mkfifo "$bad"
	unreadable 'Protocol error'
	older "$bad" 3660
	passed_over
}

@test "unreadable: a directory" {
	mkdir "$bad"
	unreadable 'Is a directory'
	older "$bad" 3660
	passed_over
}

@test "unreadable: a link, which is not followed" {
	echo secret >"$base/file"
	ln -s "$base/file" "$bad"
	unreadable 'Symbolic link loop'
	ln -sfn /no/such "$bad"
	unreadable 'Symbolic link loop'
	older "$bad" 3660
	passed_over
}

@test "unreadable: a socket" {
	a_socket "$bad"
	unreadable 'No such device or address'
	older "$bad" 3660
	passed_over
}

@test "unreadable: a file without permission" {
	! is_root || skip 'root may read all'
	forge "$(id_of 15)"
	chmod 000 "$bad"
	unreadable 'Permission denied'
	older "$bad" 3660
	passed_over
}

@test "unreadable: another user's file" {
	as_root
	forge "$(id_of 15)"
	chown 12345 "$bad"
	unreadable 'Operation not permitted'
	older "$bad" 3660
	passed_over
}

@test "unreadable: a claim" {
	bad=$place/$(id_of 15).claimed
	echo hello >"$bad"
	unreadable 'Protocol error'
	older "$bad" 3660
	passed_over
}

@test "unreadable: held by somebody, it counts for as long as that" {
	echo hello >"$bad"
	locked "$bad"
	older "$bad" 86400
	unreadable 'Protocol error'
	unlock
	passed_over
}

@test "unreadable: in any place, and in SRT_PLACE" {
	for dir in "/tmp/${place##*/}" "/run/user/$(id -u)/srt-mount-points" \
		"$base/second"; do
		export SRT_PLACE=$base/second
		mkdir -p "$SRT_PLACE"
		chmod 700 "$SRT_PLACE"
		bad=$dir/$(id_of 15).manifest
		echo hello >"$bad"
		unreadable 'Protocol error'
		rm "$bad"
	done
}

@test "unreadable: a place that cannot be listed" {
	! is_root || skip 'root may read all'
	mv "$place"/* "/tmp/${place##*/}"
	chmod 300 "$place"
	run ! srt-collect </dev/null
	[ -S left ]
	# nor opened by a run that would narrow its mode
	run -125 --separate-stderr bwrap --dev-bind / / \
		--ro-bind "$place" "$place" -- srt -d .env -- true
	[[ $stderr == "srt-run: $place: "*'Permission denied' ]]
	chmod 700 "$place"
}

@test "unreadable: a run that may write nothing needs no manifest" {
	echo hello >"$bad"
	run -0 srt-run -e "deny-read $W/x" -- echo there
	[ "${lines[0]}" = there ]
	[ -S left ]
}

@test "unreadable: when it has become readable all goes on" {
	echo hello >"$bad"
	unreadable 'Protocol error'
	rm "$bad"
	srt -w . -d .env -- true
	nothing_left
}
