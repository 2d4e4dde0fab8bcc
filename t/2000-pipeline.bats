#!/usr/bin/env bats
# A run by hand: srt-plan, srt-record, srt-claim and srt-collect, joined by
# files and pipes.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper

# profile PATH ...: those denied, in $base/profile.
profile() {
	printf 'allow-write %s\n' "$W"
	for path; do printf 'deny-write %s\n' "$path"; done
}

@test "pipeline: plan, record, claim, collect: the deny holds, all goes" {
	profile "$W/.env" "$W/a/b/c" >"$base/profile"
	run -0 sh -c 'srt-plan "$1" >"$1.plan" && srt-record -p "$1.plan" -- \
		sh -c "echo x >.env || echo x >new"; srt-claim | srt-collect' \
		- "$base/profile"
	[ "${lines[-1]}" != "$W/new" ]
	[ "$(ls -A)" = new ]
	nothing_left
}

@test "pipeline: a plan by pipe leaves the command no standard input" {
	profile "$W/.env" | srt-plan | srt-record -- cat >out
	[ ! -s out ]
	profile "$W/.env" | srt-plan | srt-record -p - -- cat >out
	[ ! -s out ]
	srt-claim | srt-collect >/dev/null
	nothing_left
}

@test "pipeline: with the plan in a file standard input is the command's" {
	profile "$W/.env" | srt-plan >"$base/plan"
	echo text | srt-record -p "$base/plan" -- cat >out
	[ "$(cat out)" = text ]
	srt --sweep
}

@test "pipeline: srt-record has the status of the command" {
	profile "$W/.env" | srt-plan >"$base/plan"
	for s in 0 1 42 75 126 127 255; do
		run -"$s" srt-record -p "$base/plan" -- sh -c "exit $s"
		srt --sweep
	done
	run -143 srt-record -p "$base/plan" -- sh -c 'kill -TERM $$'
	srt --sweep
	run -127 srt-record -p "$base/plan" -- no-such
	srt --sweep
	nothing_left
}

@test "pipeline: srt-claim names each claim, srt-collect each path it removes" {
	profile "$W/.env" "$W/a/b" "$W/odd\\040name" >"$base/profile"
	srt-plan "$base/profile" >"$base/plan"
	srt-record -p "$base/plan" -- true
	srt-claim >claims
	[ "$(wc -l <claims)" -eq 1 ]
	[[ $(cat claims) == "$place"/*.claimed ]]
	[ -e "$(cat claims)" ]
	srt-collect <claims >removed
	printf '%s\n' "$W/.env" "$W/a" "$W/a/b" "$W/odd\\040name" | sort >want
	sed 's/\\s/\\040/' removed | sort | diff -u want -
	rm claims removed want
	nothing_left
	[ -z "$(ls -A)" ]
}

@test "pipeline: -0 gives paths as they are, with a NUL behind each" {
	profile "$W/a\\nb" "$W/\\377" >"$base/profile"
	srt-plan "$base/profile" >"$base/plan"
	srt-record -p "$base/plan" -- true
	srt-claim -0 | tr -d '\0' | grep -q 'claimed$'
	srt-collect -0 </dev/null | sort -z >"$base/removed"
	printf '%s\0' "$W"/$'a\nb' "$W"/$'\377' | sort -z |
		cmp - "$base/removed"
	nothing_left
}

@test "pipeline: srt-live lists what a running sandbox relies on, sorted, once" {
	run -0 srt-live
	[ -z "$output" ]
	hold -d .env -d a/b -d there
	first=$pid first_in=$hold_in first_out=$hold_out
	hold -d .env -d z
	run -0 srt-live
	[ "$output" = "$(printf '%s\n' "$W/.env" "$W/a" "$W/a/b" "$W/there" \
		"$W/z")" ]
	srt-live -0 | tr '\0' '\n' | diff - <(printf '%s\n' "$output")
	release
	run -0 srt-live
	[[ $output != *"$W/z"* ]]
	pid=$first hold_in=$first_in hold_out=$first_out
	release
	run -0 srt-live
	[ -z "$output" ]
	nothing_left
}

@test "pipeline: a plan can be kept and used again while nothing has changed" {
	profile "$W/.env" "$W/a/b" | srt-plan >"$base/plan"
	for _ in 1 2 3; do
		run -0 srt-record -p "$base/plan" -- sh -c '! echo x 2>/dev/null >.env'
		srt-claim | srt-collect >/dev/null
	done
	nothing_left
}

@test "pipeline: a plan that no longer holds is 75, and nothing is made" {
	profile "$W/.env" "$W/a/b" | srt-plan >"$base/plan"
	touch .env
	run -75 --separate-stderr srt-record -p "$base/plan" -- touch ran
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "srt-record: $W/.env: "* ]]
	[ "$(ls -A)" = .env ]
	nothing_left
	rm .env
	mkdir a
	run -75 --separate-stderr srt-record -p "$base/plan" -- touch ran
	[[ $stderr == "srt-record: $W/a: "* ]]
	[ "$(ls -A)" = a ]
	# the other way round: it was there
	rmdir a
	echo x >.env
	profile "$W/.env" | srt-plan >"$base/plan"
	rm .env
	run -75 --separate-stderr srt-record -p "$base/plan" -- touch ran
	[ -z "$(ls -A)" ]
	nothing_left
}

@test "pipeline: planning and recording from another directory is the same" {
	mkdir sub
	(cd / && srt-plan -e "allow-write $W" -e "deny-write $W/.env") >one
	(cd sub && srt-plan -e 'allow-write ..' -e 'deny-write ../.env') >two
	diff -u one two
	(cd / && srt-record -p "$W/one" -- sh -c "echo x >$W/.env || pwd" \
		>"$W/out" 2>/dev/null)
	[ "$(cat out)" = / ]
	srt --sweep
}

@test "pipeline: plan text survives a variable, diff and grep" {
	profile "$W/a\\sb" "$W/x\\ny" "$W/\\377" >"$base/profile"
	plan=$(srt-plan "$base/profile")
	printf '%s\n' "$plan" >"$base/plan"
	srt-plan "$base/profile" | diff -u - "$base/plan"
	run -0 srt-record -p "$base/plan" -- sh -c 'echo x >"a b"
		echo x >"x
y"; echo x >"$(printf "\377")"; :'
	srt-claim | srt-collect >removed
	[ "$(wc -l <removed)" -eq 3 ]
	rm removed
	nothing_left
	[ -z "$(ls -A)" ]
}

@test "pipeline: the profile from several files and -e, in any order" {
	profile "$W/.env" >"$base/one"
	echo "deny-write $W/b" >"$base/two"
	srt-plan "$base/one" "$base/two" >"$base/want"
	srt-plan "$base/two" "$base/one" | diff -u "$base/want" -
	srt-plan -p "$base/two" -p "$base/one" | diff -u "$base/want" -
	srt-plan -e "deny-write $W/b" "$base/one" | diff -u "$base/want" -
	cat "$base/one" "$base/two" | srt-plan | diff -u "$base/want" -
	cat "$base/one" "$base/two" | srt-plan - | diff -u "$base/want" -
	srt-plan - "$base/one" <"$base/two" | diff -u "$base/want" -
	srt -p "$base/one" -p "$base/two" -d "$W/b" --host-tmp --dry-run |
		diff -u "$base/want" -
}

@test "pipeline: an empty profile is a plan in which nothing can be written" {
	srt-plan </dev/null >"$base/plan"
	run -0 srt-record -p "$base/plan" -- sh -c '
		for d in . / /tmp /var/tmp "$HOME" /dev/shm; do
			true 2>/dev/null >"$d/probe" && echo "$d"; done
		ls / >/dev/null && cat /etc/passwd >/dev/null'
	[ -z "$output" ] || [ "$output" = /dev/shm ]
	[ -z "$(ls -A)" ]
	srt --sweep
}

@test "pipeline: -q keeps warnings back, the plan is the same" {
	run -0 --separate-stderr srt-plan -e 'allow-write no-such'
	plan=$output
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "srt-plan: $W/no-such: "*'grants nothing'* ]]
	run -0 --separate-stderr srt-plan -q -e 'allow-write no-such'
	[ "$output" = "$plan" ]
	[ -z "$stderr" ]
}

@test "pipeline: looking changes nothing, with or without a terminal" {
	profile "$W/.env" "$W/a/b" >"$base/profile"
	rm -rf "$place"
	srt-plan "$base/profile" >"$base/plan"
	srt-plan --why "$W/.env" "$base/profile" >/dev/null
	srt -d .env --dry-run >/dev/null
	srt -d .env --why .env >/dev/null
	srt-live
	[ ! -e "$place" ]
	[ -z "$(ls -A)" ]
}

@test "pipeline: srt-record killed at its start leaves what a sweep takes" {
	profile "$W/.env" "$W/a/b" | srt-plan >"$base/plan"
	for call in mknodat renameat2 linkat mkdirat fcntl pwrite64 execve; do
		for when in 1 2 3; do
			strace -qq -o /dev/null -e "inject=$call:signal=KILL:when=$when" \
				srt-record -p "$base/plan" -- true \
				2>/dev/null 3>&- || :
			run -0 sh -c 'srt-claim | srt-collect'
			nothing_left
			[ -z "$(ls -A)" ]
		done
	done
}

@test "pipeline: srt-collect waits for the end of what is piped to it" {
	profile "$W/.env" | srt-plan >"$base/plan"
	srt-record -p "$base/plan" -- true
	mkfifo "$base/names"
	srt-collect <"$base/names" >/dev/null 3>&- &
	exec {w}>"$base/names"
	[ -S .env ]
	srt-claim >&"$w"
	[ -S .env ]
	exec {w}>&-
	ended 0 $!
	[ ! -e .env ]
	nothing_left
}

@test "pipeline: the supervised run, srt-run, gives what the pipeline gives" {
	profile "$W/.env" "$W/a/b" >"$base/profile"
	hold -p "$base/profile"
	srt-live >"$base/live.run"
	release
	srt-plan "$base/profile" >"$base/plan"
	mkfifo "$base/wait"
	srt-record -p "$base/plan" -- sh -c 'read -r x' <"$base/wait" 3>&- &
	exec {w}>"$base/wait"
	wait_for test -S .env
	srt-live | diff -u "$base/live.run" -
	exec {w}>&-
	wait
	srt --sweep
	nothing_left
}
