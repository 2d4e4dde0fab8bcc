#!/usr/bin/env bats
# Many rules at once, and more than bubblewrap takes (case 13).
# shellcheck disable=SC2016,SC2154 # for the sandbox to expand; the helper's
load lib/helper
load lib/hostile

# profile_of N: denies N paths in W, half of them absent, in $base/profile.
profile_of() {
	local i
	mkdir -p d/{0..9}
	{
		echo "allow-write $W"
		for ((i = 0; i < $1; i++)); do
			echo "deny-write $W/d/$((i % 10))/$i"
			[ $((i % 2)) -ne 0 ] || echo x >"d/$((i % 10))/$i"
		done
	} >"$base/profile"
}

@test "many: 500 denies, half of them absent, work and leave nothing" {
	profile_of 500
	unchanged srt -p "$base/profile" -- sh -c '
		for i in 0 1 2 3 4 5 6 7 8 9; do
			rm -f d/$i/*
			for j in 0 1 2 3 4 98 99 250 499 498; do
				echo y >d/$((j % 10))/$j
			done
		done
		mv d e; mv d/0 d/a; :' 2>/dev/null
	nothing_left
}

@test "many: 500 denies six directories deep, all missing, work" {
	{
		echo "allow-write $W"
		for i in {1..500}; do
			echo "deny-write $W/a$((i % 7))/b/c$((i % 5))/d/e/f$i"
		done
	} >"$base/profile"
	unchanged srt -p "$base/profile" -- sh -c '
		for i in 1 99 500; do
			echo y >a$((i % 7))/b/c$((i % 5))/d/e/f$i
		done; mv a1/b/c1 x; :' 2>/dev/null
	nothing_left
}

@test "many: more than bubblewrap takes is an error with the count" {
	{
		echo "allow-write $W"
		mkdir d
		for i in {1..3100}; do echo "deny-write $W/d/$i"; done
	} >"$base/profile"
	(cd d && seq 3100 | xargs touch)
	before=$(tree)
	run -125 --separate-stderr srt -p "$base/profile" -- touch ran
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr =~ 9[0-9][0-9][0-9]\ arguments.*9000 ]]
	[ "$(tree)" = "$before" ]
	nothing_left
}

@test "many: the same where it is absent paths that need too many pins" {
	{
		echo "allow-write $W"
		for i in {1..3100}; do echo "deny-write $W/$i/x"; done
	} >"$base/profile"
	run -125 --separate-stderr srt -p "$base/profile" -- touch ran
	[[ $stderr =~ 9[0-9][0-9][0-9]\ arguments.*9000 ]]
	[ -z "$(ls -A)" ]
	nothing_left
}

@test "many: absent paths by themselves are no arguments: 2,000 work" {
	{
		echo "allow-write $W"
		for i in {1..2000}; do echo "deny-write $W/$i"; done
	} >"$base/profile"
	unchanged srt -p "$base/profile" -- sh -c '
		for i in 1 1000 2000; do rm -f $i; echo x >$i; done
		:' 2>/dev/null
	nothing_left
}

@test "many: as many rules as a command line takes" {
	denies=()
	for i in {1..1000}; do denies+=(-d "d$((i % 9))/$i"); done
	unchanged srt -w . "${denies[@]}" -- sh -c '
		echo x >d1/1; echo x >d1/1000; :' 2>/dev/null
	nothing_left
}

@test "many: links in links, as many as the kernel follows" {
	mkdir d
	ln -s d l0
	for i in {1..39}; do ln -s "l$((i - 1))" "l$i"; done
	unchanged holds d/x -w . -d l39/x
	for i in 0 17 39; do
		unchanged stays "l$i" -w . -d l39/x
	done
}
