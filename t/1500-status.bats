#!/usr/bin/env bats
# The status of a run is that of its command (case 48).
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper

@test "status: 0 to 255 come through" {
	for s in 0 1 2 42 64 65 75 99 124 125 126 127 128 129 137 143 254 255; do
		run -"$s" --separate-stderr srt -d .env -- sh -c "exit $s"
		[ -z "$output$stderr" ]
	done
	nothing_left
}

@test "status: a command that is not found is 127, one that cannot run 126" {
	: >plain
	printf 'not a program' >bad
	chmod +x bad
	mkdir dir
	printf '#!/no/such/interpreter\n' >orphan
	chmod +x orphan
	while read -r status name words; do
		run -"$status" --separate-stderr srt -d .env -- "$name"
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == "srt-init: $name: "*"$words" ]]
	done <<-EOF
	127 no-such-program No such file or directory
	127 ./no-such No such file or directory
	127 $W/no-such No such file or directory
	127 ./plain/x Not a directory
	127 ./orphan No such file or directory
	126 ./plain Permission denied
	126 ./dir Permission denied
	EOF
	run -127 srt -- ''
	nothing_left
}

@test "status: the message about a command shows no byte a terminal obeys" {
	run -127 --separate-stderr srt -- $'./no\033[31m\nsuch\xff'
	[[ $stderr == 'srt-init: ./no\033[31m\012such\377: '* ]]
}

@test "status: every signal that ends the command is 128 and its number" {
	for sig in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 24 25 26 27 29 30 31 \
		34 64; do
		run -$((128 + sig)) srt -- sh -c "ulimit -c 0; kill -$sig \$\$"
		[ -z "$output" ]
	done
	nothing_left
}

@test "status: signals that end nothing do not end the run" {
	run -7 srt -- sh -c 'for s in CHLD CONT URG WINCH; do kill -$s $$; done
		exit 7'
}

@test "status: a command with a shell between, 128+n by the shell, comes through" {
	run -143 srt -- sh -c 'sh -c "kill -TERM \$\$"; exit $?'
}

@test "status: a run by name, by path and by -c" {
	run -0 srt -- true
	run -1 srt -- false
	run -0 srt -- /bin/true
	run -3 srt -c 'exit 3'
	run -4 srt -c 'exit "$1"' 4
	run -0 srt -c ''
	mkdir bin
	printf '#!/bin/sh\nexit 9\n' >bin/nine
	chmod +x bin/nine
	PATH=$W/bin:$PATH run -9 srt -- nine
	PATH=bin:$PATH run -9 srt -- nine
}

@test "status: a script without #! is run by sh, as env does" {
	printf 'echo "$0" "$@"\nexit 5\n' >script
	chmod +x script
	run -5 srt -- ./script 'a b' ''
	[ "$output" = './script a b ' ]
	PATH=$W:$PATH run -5 srt -- script
	[ "$output" = "$W/script" ]
}

@test "status: a run that ends in a clean-up that fails keeps its status" {
	as_root
	mount -t tmpfs tmpfs "$W"
	cd "$W"
	hold -w "$W" -d .env
	mount -o remount,ro "$W"
	echo 'exit 6' >&"$hold_in"
	exec {hold_in}>&- {hold_out}<&-
	ended 6 "$pid"
	mount -o remount,rw "$W"
	srt --sweep
	nothing_left
	cd "$base"
	umount "$W"
}

@test "status: srt-run by itself, without the wrapper, is no different" {
	for s in 0 3 126 127 255; do
		run -"$s" srt-run -W -e 'deny-write .env' -- sh -c "exit $s"
	done
	run -143 srt-run -W -- sh -c 'kill -TERM $$'
	run -127 srt-run -W -- no-such-program
	nothing_left
}
