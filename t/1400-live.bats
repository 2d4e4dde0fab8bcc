#!/usr/bin/env bats
# srt-live: the placeholders that running sandboxes rely on.
# shellcheck disable=SC2154 # what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
}

@test "live: where nothing is, it says nothing and makes nothing" {
	run -0 --separate-stderr srt-live
	[ -z "$output$stderr" ]
	[ ! -e "$place" ]
	[ -z "$(find /tmp -maxdepth 1 -name '*srt*')" ]
}

@test "live: what a run holds, for as long as it lasts" {
	hold -w . -d .env -d a/b/key
	run -0 --separate-stderr srt-live
	[ "$output" = "$W/.env
$W/a
$W/a/b
$W/a/b/key" ]
	[ -z "$stderr" ]
	release
	run -0 srt-live
	[ -z "$output" ]
}

@test "live: what a killed run has left is not, claimed or not" {
	leave "$W/.env"
	run -0 srt-live
	[ -z "$output" ]
	srt-claim
	run -0 srt-live
	[ -z "$output" ]
}

@test "live: a path that several runs hold is named once, all in order" {
	hold -w . -d .env -d b
	put_by one
	hold -w . -d .env -d a
	put_by two
	run -0 srt-live
	[ "$output" = "$W/.env
$W/a
$W/b" ]
	end one
	run -0 srt-live
	[ "$output" = "$W/.env
$W/a" ]
	end two
	nothing_left
}

@test "live: what a run only keeps for another is not its own" {
	hold -w . -d .env
	put_by one
	hold -w . -d other
	put_by two
	grep -q "^keep .*$W/.env\$" "$place"/*.manifest
	end one
	run -0 srt-live
	[ "$output" = "$W/other" ]
	end two
	nothing_left
}

@test "live: names are encoded, or as they are with a NUL behind each" {
	name=$'a b\nc\\d\001'
	forge "$(id_of 1)" "make socket 0444 /x/a\\040b\\012c\\134d\\001" \
		'make socket 0444 /x/plain'
	locked "$forged"
	run -0 srt-live
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[0]} != *' '* ]]
	[ "${lines[1]}" = /x/plain ]
	srt-live -0 >list
	printf '%s\0' "/x/$name" /x/plain | cmp - list
	unlock
}

@test "live: what could not be written is a failure" {
	forge "$(id_of 1)" 'make socket 0444 /x'
	locked "$forged"
	run -1 --separate-stderr sh -c 'srt-live >/dev/full'
	[[ $stderr == "srt-live: standard output: "* ]]
	unlock
}

@test "live: a clean-up that is stopped half way does not stop it" {
	hold -w . -d .env
	locked "$place/lock"
	run -0 timeout 60 srt-live
	[ "$output" = "$W/.env" ]
	unlock
	release
}
