#!/usr/bin/env bats
# srt-init, by hand and as PID 1 of a sandbox.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper
load lib/inside

@test "init: by hand it runs a command and ends with its status" {
	for s in 0 1 42 126 127 255; do
		run -"$s" srt-init -- sh -c "exit $s"
		[ -z "$output" ]
	done
	run -0 srt-init echo a 'b c'
	[ "$output" = 'a b c' ]
	run -137 srt-init -- sh -c 'kill -KILL $$'
	run -143 srt-init -- sh -c 'kill -TERM $$'
	run -127 --separate-stderr srt-init -- no-such
	[[ $stderr == 'srt-init: no-such: '*'No such file or directory' ]]
	run -126 --separate-stderr srt-init -- /etc/passwd
	[[ $stderr == 'srt-init: /etc/passwd: '*'Permission denied' ]]
}

@test "init: by hand signals reach the command" {
	for sig in HUP:129 INT:130 QUIT:131 USR1:138 TERM:143; do
		srt-init -- sh -c 'ulimit -c 0; : >up; exec sleep 20' 3>&- &
		wait_for test -e up
		kill -s "${sig%:*}" $!
		ended "${sig#*:}" $!
		rm up
	done
	srt-init -- sh -c 'trap "exit 9" TERM; : >up
		while :; do sleep 0.02; done' 3>&- &
	wait_for test -e up
	kill -TERM $!
	ended 9 $!
}

@test "init: by hand the command has no capability and can get none" {
	run -0 srt-init -- sh -c 'grep -E "^(Cap[^B]..|NoNewPrivs):" \
		/proc/self/status | cut -f 2 | sort -u'
	[ "${lines[*]}" = '0000000000000000 1' ]
}

@test "init: by hand it closes all but 0 to 2, and what -p names" {
	exec 5</etc/passwd 8</dev/null
	run -0 srt-init -- sh -c 'cd /proc/self/fd; for f in *; do
		[ ! -e "/proc/$$/fd/$f" ] || echo "$f"; done'
	[ "${lines[*]}" = '0 1 2' ]
	run -0 srt-init -p 5 -- sh -c 'head -n 1 <&5; [ ! -e /proc/self/fd/8 ]'
	[ "$output" = "$(head -n 1 /etc/passwd)" ]
	exec 5<&- 8<&-
}

@test "init: -c takes the words of the command from a descriptor" {
	printf '%s\0' printf '<%s>' 'a b' '' $'\n' >words
	run -0 srt-init -c 5 5<words
	[ "$output" = $'<a b><><\n>' ]
	: >words
	run -125 srt-init -c 5 5<words
	# the descriptor is not the command's
	printf '%s\0' sh -c '[ ! -e /proc/self/fd/5 ]' >words
	run -0 srt-init -c 5 5<words
}

@test "init: -e is the standard error of the command" {
	run -0 --separate-stderr srt-init -e 1 -- sh -c 'echo x >&2'
	[ "$output" = x ]
	[ -z "$stderr" ]
}

@test "init: at the gate it says ready, and runs nothing before go" {
	gate=$(inside_tool in-gate)
	run -3 --separate-stderr "$gate" g srt-init -g 9 -- \
		sh -c 'echo ran; exit 3'
	[ "$output" = ran ]
	[ "$stderr" = 'got r' ]
	# no go: end of file, another byte, a reader that is gone already
	for answer in '' x r G '-'; do
		run -125 --separate-stderr "$gate" "$answer" srt-init -g 9 -- \
			touch ran
		[ ! -e ran ]
	done
	run -125 srt-init -g 99 -- touch ran
	[ ! -e ran ]
}

@test "init: the gate is not the command's" {
	gate=$(inside_tool in-gate)
	run -0 "$gate" g srt-init -g 9 -- sh -c '[ ! -e /proc/self/fd/9 ]'
}

@test "init: it is PID 1, the command is not, and nobody else is there" {
	run -0 srt -d .env -- bash -c 'cat /proc/1/comm; echo "$PPID"
		for p in /proc/[0-9]*; do
			[ "${p##*/}" = $$ ] || echo "${p##*/}"; done'
	[ "${lines[1]}" = 1 ]
	[ "${lines[2]}" = 1 ]
	[ "${#lines[@]}" -eq 3 ]
}

@test "init: it reaps a thousand orphans while the command runs" {
	run -0 srt -d .env -- bash -c '
		for ((i = 0; i < 1000; i++)); do (sleep 0 & exec true); done
		for ((try = 0; try < 100; try++)); do
			left=0
			for p in /proc/[0-9]*; do
				[ "${p##*/}" = 1 ] || [ "${p##*/}" = $$ ] ||
					left=1
			done
			[ $left = 1 ] || { echo reaped; exit; }
			sleep 0.05
		done; ps ax'
	[ "$output" = reaped ]
}

@test "init: an orphan's status is not taken for the command's" {
	run -7 srt -- sh -c '(sh -c "sleep 0.05; exit 9" &); (exit 3) &
		sleep 0.2; exit 7'
	run -7 srt-init -- sh -c '(sh -c "sleep 0.05; exit 9" &)
		sleep 0.2; exit 7'
}

@test "init: a command that ends at once, 300 times" {
	for ((n = 0; n < 300; n++)); do
		srt-init -- false || s=$?
		[ "$s" -eq 1 ]
	done
}

@test "init: ends with the process that started it" {
	sh -c 'srt-init -- sh -c "echo \$\$ >pid; exec sleep 1000" 3>&- &
		until [ -s pid ]; do sleep 0.02; done; kill -KILL $$' || :
	# srt-init is killed, the command, no child of PID 1 here, may stay
	wait_for run ! pgrep -f '^srt-init -- sh -c echo'
	kill "$(cat pid)" 2>/dev/null || :
}

@test "init: wrong numbers of descriptors are refused" {
	for n in -1 x 1048577 '' 1.5; do
		run -125 srt-init -p "$n" -- true
	done
	args=()
	for ((n = 100; n < 200; n++)); do args+=(-p "$n"); done
	run -125 --separate-stderr srt-init "${args[@]}" -- true
	[ "${#stderr_lines[@]}" -eq 1 ]
}
