#!/usr/bin/env bats
# Standard input, output and error reach the command, and no other descriptor
# but those of pass-fd (case 49).
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper

# The numbers of a process's open descriptors: those of sh itself, in order,
# and what the first three are.
fds='cd /proc/self/fd; n=; for f in *; do
	[ ! -e "/proc/$$/fd/$f" ] || n="$n $f"; done; echo "$n"'

@test "descriptors: input, output and error are the command's own" {
	printf 'in\n' >in
	srt -d .env -- sh -c 'read -r x; echo "out $x"; echo "err $x" >&2' \
		<in >out 2>err
	[ "$(cat out)" = 'out in' ]
	[ "$(cat err)" = 'err in' ]
	seq 1 100000 >want
	seq 1 100000 | srt -- cat | cmp - want
	seq 1 100000 | srt -- cat | srt -- cat | cmp - want
	srt -- cat <want | head -n 1 >/dev/null
	nothing_left
}

@test "descriptors: nothing but the command ever writes to stdout" {
	run -0 --separate-stderr srt -v -d a -d b/c -- true
	[ -z "$output" ]
	[[ $stderr == *"$W/a: made"* ]]
	[[ $stderr == *"$W/b/c: made"* ]]
	run -125 --separate-stderr srt --bwrap /no/such -- true
	[ -z "$output" ]
	nothing_left
}

@test "descriptors: input that is at its end, or closed by the writer late" {
	run -0 srt -- cat </dev/null
	[ -z "$output" ]
	(sleep 0.2; echo late) | srt -- cat >out
	[ "$(cat out)" = late ]
}

@test "descriptors: 0 to 2 and no other reach the command" {
	exec 5</etc/passwd 6<>/dev/null 77>&2
	run -0 srt -- sh -c "$fds"
	[ "$output" = ' 0 1 2' ]
	run -0 srt -d .env -- sh -c "$fds"
	[ "$output" = ' 0 1 2' ]
	srt-plan -e 'allow-write .' -e 'deny-write .env' >plan
	run -0 srt-record -p plan -- sh -c "$fds"
	[ "$output" = ' 0 1 2' ]
	srt --sweep
	exec 5<&- 6<&- 77>&-
}

@test "descriptors: a thousand inherited ones are closed" {
	ulimit -n 2000 || skip 'no more descriptors allowed'
	run -0 bash -c 'for ((i = 10; i < 1010; i++)); do
			eval "exec $i</dev/null"; done
		exec srt -d .env -- sh -c "$0"' "$fds"
	[ "$output" = ' 0 1 2' ]
	nothing_left
}

@test "descriptors: where few are to be had it works or says so in one line" {
	for n in 6 12 16 20 24 32 64; do
		run --separate-stderr bash -c \
			'ulimit -n "$1"; exec srt-run -W -e "deny-write a/b" \
			-e "deny-write .env" -- echo ok' - "$n"
		if [ "$status" -eq 0 ]; then
			[ "$output" = ok ]
		else
			[ "$status" -eq 125 ]
			[ -z "$output" ]
			[ -n "$stderr" ]
		fi
		srt --sweep
		nothing_left
		[ -z "$(ls -A)" ]
	done
	[ "$status" -eq 0 ]
}

@test "descriptors: pass-fd reaches the command, at that number, and works" {
	echo content >file
	printf 'allow-write .\npass-fd 9\npass-fd 100\n' >"$base/profile"
	run -0 srt -p "$base/profile" -- \
		bash -c "$fds; cat <&9; echo more >&100" 9<file 100>out
	[ "${lines[0]}" = ' 0 1 100 2 9' ]
	[ "${lines[1]}" = content ]
	[ "$(cat out)" = more ]
	srt-plan "$base/profile" >"$base/plan"
	run -0 srt-record -p "$base/plan" -- sh -c 'cat <&9' 9<file 100>out
	[ "$output" = content ]
}

@test "descriptors: pass-fd 3 to 30 survive our own use of such numbers" {
	for ((i = 3; i <= 30; i++)); do
		echo "$i" >"f$i"
		echo "pass-fd $i"
	done >"$base/profile"
	echo 'deny-write .env' >>"$base/profile"
	run -0 bash -c 'for ((i = 3; i <= 30; i++)); do eval "exec $i<f$i"; done
		exec srt -p "$1" -- bash -c "for ((i = 3; i <= 30; i++)); do
			read -r x <&\$i; echo \$x; done"' - "$base/profile"
	[ "$output" = "$(seq 3 30)" ]
	nothing_left
}

@test "descriptors: pass-fd of one that is not open is refused by its number" {
	echo 'pass-fd 9' >"$base/profile"
	run -125 --separate-stderr bash -c \
		"exec 9>&-; srt -p \"$base/profile\" -- true"
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == 'srt-run: pass-fd 9: '* ]]
	# every number below 40: none may be one of our own
	for ((fd = 3; fd < 40; fd++)); do
		run -125 bash -c 'for f in /proc/self/fd/*; do
				[ "${f##*/}" -lt 3 ] || eval "exec ${f##*/}>&-"
			done; exec srt-run -W -e "deny-write .env" \
			-e "pass-fd $1" -- true' - "$fd"
		nothing_left
	done
}

@test "descriptors: pass-fd twice, of 0 to 2, and more than there is room for" {
	run -0 srt-run -W -e 'pass-fd 9' -e 'pass-fd 9' -e 'pass-fd 1' -- \
		sh -c "$fds" 9</dev/null
	[ "$output" = ' 0 1 2 9' ]
	ulimit -n 500
	for ((i = 10; i < 110; i++)); do
		eval "exec $i</dev/null"
		echo "pass-fd $i"
	done >"$base/profile"
	run -125 --separate-stderr srt -p "$base/profile" -- true
	[[ $stderr == 'srt-run: pass-fd: '*64* ]]
}

@test "descriptors: closed ones stay closed or are /dev/null, all combinations" {
	for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' \
		'<&- >&- 2>&-'; do
		rm -f see
		eval "srt -d .env -- sh -c '
			for n in 0 1 2 3 4 5 6 7 8 9; do
				readlink /proc/self/fd/\$n || echo none; done |
				cat >see' $closed" </dev/null
		# 0 to 2 as given here (whatever bats has), null or closed; sh
		# may use what is closed
		mapfile -t see <see
		for n in 0 1 2; do
			[[ ${see[$n]} != *manifest* && ${see[$n]} != *memfd* &&
				${see[$n]} != socket:* && ${see[$n]} != *bwrap* ]]
		done
		nothing_left
	done
}

@test "descriptors: closed at the start, statuses and files are as ever" {
	for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
		for prog in srt 'srt-run -W'; do
			run -3 bash -c "$prog -- sh -c 'echo x >file; exit 3' $closed"
			[ "$(cat file)" = x ]
			rm file
			run -127 bash -c "$prog -- no-such $closed"
			run -125 bash -c "$prog --no-such $closed"
		done
		srt-plan -e 'allow-write .' -e 'deny-write .env' >"$base/plan"
		run -3 bash -c "srt-record -p $base/plan -- sh -c 'exit 3' $closed"
		# a list that cannot be written is a failure
		run bash -c "srt --sweep $closed"
		[[ $status == 0 || "$status $closed" == "1 "*">&-"* ]]
		nothing_left
		[ -z "$(ls -A)" ]
	done
}

@test "descriptors: with stderr closed messages go nowhere, least to a file" {
	echo precious >precious
	run -125 bash -c 'exec 2>&- 3<>precious; srt -t x -- true'
	run -125 bash -c 'exec 2>&-; srt-run -W -e "frob" -- true'
	run -0 bash -c 'exec 2>&-; srt -v -d .env -- true'
	[ "$(cat precious)" = precious ]
	nothing_left
	[ "$(ls -A)" = precious ]
}

@test "descriptors: a profile on standard input is not the command's to read" {
	run -0 srt -p - -- cat <<-EOF
	allow-write .
	deny-write .env
	EOF
	[ -z "$output" ]
	run -0 srt -p - -- readlink /proc/self/fd/0 <<<'allow-write .'
	[ "$output" = /dev/null ]
}
