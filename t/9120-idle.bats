#!/usr/bin/env bats
# The watcher costs nothing while nothing happens.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # inner shells, bats
load lib/helper
load lib/watch

setup() { trap '' PIPE; setup_w; }

@test "idle: supervisor and watcher make no system call in three seconds" {
	mkdir -p a/b
	echo old >a/b/.env
	hold -d a/b/.env -d none -R a/b
	gate=$(pgrep -P "$pid" -x srt-run)
	timeout 3 strace -qq -f -o "$base/trace" -p "$pid" -p "$gate" || [ $? -eq 124 ]
	stop
	# the calls they are in when strace comes, and leaves
	run ! grep -vE 'restart_syscall|poll\(|resumed|detached|<unfinished' \
		"$base/trace"
	[ "$(grep -cE 'poll' "$base/trace")" -le 2 ]
}

@test "idle: 10,000 files made and removed beside a denied name wake nobody" {
	echo old >.env
	mkdir d
	hold -d .env -d none -d d/x
	gate=$(pgrep -P "$pid" -x srt-run)
	wait_for grep -q '^State:	S' "/proc/$gate/status"
	wakes=$(awk '/^voluntary/ { print $2 }' "/proc/$gate/status")
	for _ in {1..10}; do touch d/f{1..1000}; rm d/f*; done
	[ "$(awk '/^voluntary/ { print $2 }' "/proc/$gate/status")" -eq "$wakes" ]
	stop
	nothing_left
}
