#!/usr/bin/env bats
# srt-claim: which manifests are over, and what becomes of them.
# shellcheck disable=SC2154 # what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
	one=$(id_of 1)
}

teardown() {
	[ ! "${other:-}" ] || kill -KILL "$other" 2>/dev/null || :
	teardown_w
}

# is_live, is_over: what srt-claim takes the forged manifest for.
is_live() {
	run -0 --separate-stderr srt-claim
	[ -z "$output$stderr" ] && [ -f "$forged" ] &&
		[ ! -e "${forged%.*}.claimed" ]
}
is_over() {
	run -0 --separate-stderr srt-claim
	[ "$output" = "${forged%.*}.claimed" ] && [ -z "$stderr" ] &&
		[ ! -e "$forged" ] && [ -f "$output" ]
}

# other_process COMMAND ...: its pid is in $other, and is on its output.
other_process() {
	"$@" >"$base/other" 3>&- &
	other=$!
}

@test "claim: where nothing is, it says nothing and makes nothing" {
	run -0 --separate-stderr srt-claim
	[ -z "$output$stderr" ]
	[ ! -e "$place" ]
}

@test "claim: a manifest that is over is renamed, and named once" {
	leave "$W/.env"
	path=$(manifest)
	claim=${path%.manifest}.claimed
	cp "$path" before
	run -0 --separate-stderr srt-claim
	[ "$output" = "$claim" ]
	[ -z "$stderr" ]
	[ ! -e "$path" ]
	cmp "$claim" before
	[ -S .env ]
	run -0 --separate-stderr srt-claim
	[ -z "$output$stderr" ]
	[ -S .env ]
}

@test "claim: all that are over are claimed, -0 ends each with a NUL" {
	for path in a b c; do leave "$W/$path"; done
	srt-claim -0 >list
	[ "$(tr -cd '\0' <list | wc -c)" -eq 3 ]
	[ "$(tr '\0' '\n' <list | sort)" = \
		"$(find "$place" -name '*.claimed' | sort)" ]
}

@test "claim: the time of a claim is that at which it was claimed" {
	forge "$one"
	older "$forged" 7200
	is_over
	[ $(($(date +%s) - $(stat -c %Y "$output"))) -lt 60 ]
}

@test "claim: a running sandbox's manifest stays, and goes when it has ended" {
	hold -w . -d .env
	run -0 --separate-stderr srt-claim
	[ -z "$output$stderr" ]
	[ -f "$(manifest)" ]
	release
	nothing_left
}

@test "claim: a manifest is live while its own lock is held" {
	forge "$one"
	locked "$forged"
	is_live
	unlock
	is_over
}

@test "claim: a manifest is live while init's lock is held and init is named" {
	forge "$one" '{ "child-pid": 1 }'
	sed -i 's/^pidns .*/pidns 1/' "$forged"	# init cannot be seen from here
	locked "$place/$one.init"
	is_live
	unlock
	is_over
}

@test "claim: before init is named its lock does not count, and who holds it is ended" {
	forge "$one"
	locked "$place/$one.init"
	is_over
	ended 137 "$locker"
}

@test "claim: when init is named, but the monitor has gone, who holds its lock is ended" {
	forge "$one" '{ "child-pid": 4194304 }'
	locked "$place/$one.init"
	is_over
	ended 137 "$locker"
}

@test "claim: half a line does not name init" {
	forge "$one"
	printf '{ "child-pid": %d' $$ >>"$forged"
	locked "$place/$one.init"
	is_over
	ended 137 "$locker"
}

@test "claim: who only looks at init's file is not ended" {
	forge "$one"
	exec {looker}<"$place/$one.init"
	is_over
	exec {looker}<&-
}

@test "claim: a manifest is live while the process it names has not ended" {
	other_process sleep 1000
	forge "$one" "{ \"child-pid\": $other }"
	is_live
	kill -STOP "$other"
	is_live
	kill -KILL "$other"
	ended 137 "$other"
	is_over
}

@test "claim: an init that nobody has reaped is over" {
	# shellcheck disable=SC2016 # for perl to expand
	other_process perl -e 'exit unless $pid = fork; $| = 1;
		print "$pid\n"; sleep 1000'
	wait_for test -s "$base/other"
	read -r zombie <"$base/other"
	wait_for grep -q '^State:.Z' "/proc/$zombie/status"
	forge "$one" "{ \"child-pid\": $zombie }"
	is_over
}

@test "claim: a process of another PID namespace that has the pid is not init" {
	other_process sleep 1000
	ns=$(stat -Lc %i "/proc/$other/ns/pid")
	forge "$one" "{ \"child-pid\": $other, \"pid-namespace\": $ns }"
	is_live
	forge "$one" "{ \"child-pid\": $other, \"pid-namespace\": $((ns + 1)) }"
	is_over
}

@test "claim: the pid of another PID namespace says nothing here" {
	other_process sleep 1000
	forge "$one" "{ \"child-pid\": $other }"
	sed -i 's/^pidns .*/pidns 1/' "$forged"
	is_over
}

@test "claim: a manifest of an earlier boot is over, whatever has its pid" {
	other_process sleep 1000
	forge "$one" "{ \"child-pid\": $other }"
	sed -i 's/^boot .*/boot 11111111-2222-3333-4444-555555555555/' "$forged"
	is_over
}

@test "claim: a line of a later version makes a manifest live" {
	forge "$one" "sparkle /x"
	is_live
}

@test "claim: what a killed recorder left unpublished goes after a minute" {
	forge "$one"
	rm "$forged"
	touch "$place/$(id_of 2).tmp" "$place/$(id_of 2).init"
	run -0 srt-claim
	[ -z "$output" ]
	[ -e "$place/$one.init" ]
	[ -e "$place/$(id_of 2).tmp" ]
	for file in "$place"/*.init "$place"/*.tmp; do older "$file" 61; done
	locked "$place/$(id_of 2).tmp" "$place/$one.init"
	run -0 srt-claim
	[ -e "$place/$(id_of 2).tmp" ]
	[ -e "$place/$one.init" ]
	unlock
	run -0 srt-claim
	srt-claim	# the second takes what the first made possible
	[ -z "$(find "$place" -mindepth 1 ! -name lock)" ]
}

@test "claim: the init file of a manifest or claim stays with it" {
	forge "$one"
	locked "$forged"
	older "$place/$one.init" 7200
	is_live
	[ -e "$place/$one.init" ]
	unlock
	is_over
	older "$place/$one.init" 7200
	srt-claim
	[ -e "$place/$one.init" ]
}

@test "claim: other names in a place are left alone" {
	mkdir -m 700 "$place"
	touch -d '2 hours ago' "$place/x.tmp" "$place/x.init" "$place/notes"
	srt-claim
	[ "$(ls "$place")" = 'notes
x.init
x.tmp' ]
}

@test "claim: in a place that cannot be written here nothing is claimed" {
	leave "$W/.env"
	run -0 --separate-stderr bwrap --dev-bind / / \
		--ro-bind "$place" "$place" -- srt-claim
	[ -z "$output$stderr" ]
	[ "$(manifests)" = "./$(basename "$(manifest)")" ]
	[[ $(manifest) == *.manifest ]]
}

@test "claim: manifests in every place are claimed" {
	export SRT_PLACE=$base/second
	leave "$W/.env"
	mv "$place"/*.manifest "$place"/*.init "/tmp/${place##*/}"
	run -0 srt-claim
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[0]} == /tmp/*.claimed ]]
	[[ ${lines[1]} == "$base"/second/*.claimed ]]
}

@test "claim: a place whose lock is held for five seconds is left to the next, and the holder is named" {
	leave "$W/.env"
	locked "$place/lock"
	echo 4711 >"$place/lock"
	SECONDS=0
	run -75 --separate-stderr srt-claim
	[ "$SECONDS" -ge 4 ]
	[ "$SECONDS" -le 30 ]
	[ -z "$output" ]
	[ "$stderr" = "srt-claim: $place: the lock is held by process 4711 for more than 5 seconds" ]
	[[ $(manifest) == *.manifest ]]
	unlock
	run -0 srt-claim
	[[ $output == *.claimed ]]
}

@test "claim: a lock that is let go in time is waited for" {
	leave "$W/.env"
	locked "$place/lock"
	srt-claim >out 3>&- {lock_in}>&- &
	waiter=$!
	# it waits in fcntl(2) with its alarm set
	wait_for grep -q '^SigCgt:.*[^0]' "/proc/$waiter/status"
	unlock
	ended 0 "$waiter"
	[[ $(cat out) == *.claimed ]]
}

@test "claim: output that cannot be written is a failure" {
	leave "$W/.env"
	run -1 --separate-stderr sh -c 'srt-claim >/dev/full'
	[[ $stderr == "srt-claim: standard output: "* ]]
}

@test "claim, collect: what they print goes into nothing that they have opened" {
	leave "$W/.env"
	path=$(manifest)
	for n in {100..160}; do
		cp "$path" "$place/0123456789abc$n.manifest"
	done
	# this place alone, so that its lock is the second file they open
	find "/run/user/$(id -u)" /tmp -depth -path '*/srt-mount-points*' -delete
	for c in srt-claim srt-collect; do
		"$c" <&- >&- || :
		[ "$(wc -l <"$place/lock")" -eq 1 ]
		# and no claim has got a line of it
		run ! grep -h '^/' "$place"/*
	done
}
