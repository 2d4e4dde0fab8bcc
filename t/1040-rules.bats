#!/usr/bin/env bats
# The rules of a profile, asked of --why path by path: what may be read and
# written, and which line says so.
# shellcheck disable=SC2154 # what the helper and bats set
load lib/helper
load lib/plan

# profile LINE ...: with relative paths taken from W.
profile() { printf '%s\n' "$@" >"$base/profile"; }

# is VERDICT PATH ...: "rw", "r-" or "--" for each.
is() {
	local want=$1 got p
	shift
	for p; do
		got=$(verdict "$p")
		[ "$got" = "$want" ] || {
			echo "$p: $got, not $want"
			cat "$base/why"
			return 1
		}
	done
}

@test "rules: everything is readable and nothing writable by itself" {
	mkdir d
	profile '# nothing'
	is r- / /etc /etc/passwd d d/absent "$HOME" .
}

@test "rules: writable is what an allow-write and no deny-write is above" {
	mkdir -p w/a/b w/c
	profile "allow-write w" "deny-write w/a"
	is rw w w/c w/c/x w/new
	is r- w/a w/a/b w/a/b/x w/a/new .
	profile "allow-write w" "deny-write w/a" "allow-write w/a/b"
	is r- w/a/b
	profile "deny-write ." "allow-write w"
	is r- w w/c
	profile "allow-write w/a" "deny-write w/a"
	is r- w/a w/a/b
}

@test "rules: containment is by component" {
	mkdir proj proj2
	profile "allow-write proj" "deny-write proj2" "deny-read proj2"
	is rw proj proj/x
	is -- proj2 proj2/x
	is r- proj3
	profile "allow-write proj2" "deny-write proj"
	is rw proj2
	is r- proj
}

@test "rules: an allow-write of what is absent grants nothing" {
	profile "allow-write absent"
	is r- absent absent/x
	mkdir absent
	is rw absent absent/x
}

@test "rules: for reading the longest entry wins, whatever the order" {
	mkdir -p d/e/f/g
	for order in 'cat' 'tac' 'sort'; do
		printf '%s\n' "deny-read d" "allow-read d/e" "deny-read d/e/f" \
			"allow-read d/e/f/g" | $order >"$base/profile"
		is -- d d/x d/e/f d/e/f/x
		is r- . d/e d/e/x d/e/f/g d/e/f/g/x
	done
}

@test "rules: of an allow and a deny at one path the allow wins for reading" {
	mkdir d
	echo x >f
	for p in d f; do
		for kinds in 'deny allow' 'allow deny' 'deny deny allow'; do
			# shellcheck disable=SC2086 # words
			printf "%s-read $p\n" $kinds >"$base/profile"
			is r- $p
		done
	done
	profile "deny-read d" "allow-write d"
	is rw d d/x
}

@test "rules: a denied file is lifted by an allow of that very file" {
	mkdir d
	echo x >d/f
	profile "deny-read d/f" "allow-read d"
	is -- d/f
	profile "deny-read d/f" "allow-write d"
	is -- d/f
	is rw d/x
	profile "deny-read d/f" "allow-read d/f"
	is r- d/f
	profile "deny-read d/f" "allow-write d/f"
	is rw d/f
}

@test "rules: an allow-write shows a part of what is denied again" {
	mkdir -p d/w/s
	profile "deny-read d" "allow-write d/w"
	is -- d d/x
	is rw d/w d/w/s
	profile "deny-read d" "allow-write d/w" "deny-read d/w/s"
	is -- d/w/s
	profile "deny-read d" "allow-write d/w" "deny-write d/w/s"
	is r- d/w/s
}

@test "rules: what is hidden is not writable, what is shown again may be" {
	mkdir -p w/d/e
	profile "allow-write w" "deny-read w/d"
	is rw w w/x
	is -- w/d w/d/x w/d/e
	profile "allow-write w" "deny-read w/d" "allow-read w/d/e"
	is rw w/d/e
	is -- w/d
}

@test "rules: a deny-read of what is absent does nothing" {
	mkdir d
	profile "deny-read d/absent" "allow-write d"
	is rw d/absent d/absent/x
	[[ $(<"$base/why") != *absent\ * ]]
}

@test "rules: a path is asked of by any of its names" {
	mkdir -p real/sub
	ln -s real l
	echo x >real/f
	profile "allow-write real" "deny-write l/f" "deny-read real/../l/sub"
	is rw real l l/x real/x ./real/. "$W//l/"
	is r- real/f l/f l/../real/f
	is -- real/sub l/sub/x
}

@test "rules: the names of every byte are asked of as they are" {
	printf 'allow-write .\ndeny-write a\\040b\ndeny-write \\377\n' \
		>"$base/profile"
	is r- 'a b' $'\377' 'a b/x'
	is rw a b $'\376' 'a\040b'
}

@test "rules: ~ is the home, and only at the start" {
	mkdir "$HOME/d"
	profile "allow-write ~/d" "deny-write ~/d/x"
	is rw "$HOME/d" "$HOME/d/~"
	is r- "$HOME" "$HOME/d/x"
	profile "allow-write ~"
	# shellcheck disable=SC2088 # srt-plan's to expand
	is rw "$HOME" '~/y'
	mkdir '~x'
	profile "allow-write ~x"
	is rw ./~x
	is r- "$HOME"
}

@test "rules: a private /tmp is the sandbox's own but for what is granted" {
	dir=$(mktemp -d /tmp/srt-test.XXXXXX)
	mkdir -p "$dir/w" "$dir/r"
	profile private-tmp "allow-write /" "allow-write $dir/w" \
		"allow-read $dir/r"
	is rw "$dir/w" "$dir/w/x" "$W"
	is r- "$dir/r" "$dir/r/x"
	for p in /tmp "$dir" "$dir/x" /var/tmp/x; do
		srt-plan -p "$base/profile" --why "$p" >"$base/why"
		grep -q "tmp is the sandbox's own" "$base/why"
	done
	rm -rf "$dir"
}

@test "rules: /dev and /proc are the sandbox's own" {
	profile "allow-write /"
	for p in /dev /dev/null /dev/shm/x /proc /proc/self/mem; do
		srt-plan -p "$base/profile" --why "$p" >"$base/why"
		grep -Eq "/(dev|proc) is the sandbox's own" "$base/why"
	done
}

@test "rules: places are neither read nor written, whatever the profile says" {
	profile "allow-write /" "allow-read $place" "allow-write $place"
	is -- "$place" "$place/x.manifest"
	mkdir -m 700 "$place"
	is -- "$place" "$place/x.manifest"
	rmdir "$place"
}

@test "rules: --why names the line that decides" {
	mkdir -p w/a d
	cat >"$base/profile" <<-PROFILE
		# comment
		allow-write w
		deny-write w/a

		deny-read d
	PROFILE
	run -0 --separate-stderr srt-plan -p "$base/profile" --why w/x
	[ "${lines[0]}" = "write allowed: allow-write $W/w ($base/profile:2)" ]
	run -0 srt-plan -p "$base/profile" --why w/a/x
	[ "${lines[0]}" = "write denied: deny-write $W/w/a ($base/profile:3)" ]
	[[ ${lines[1]} == 'read allowed: '* ]]
	run -0 srt-plan -p "$base/profile" --why d/x
	[ "${lines[1]}" = "read denied: deny-read $W/d ($base/profile:5)" ]
	run -0 srt-plan -p "$base/profile" --why .
	[ "$output" = $'write denied: no allow-write at or above it
read allowed: nothing denies it' ]
	run -0 srt-plan -e 'allow-write w' -e 'deny-write w/x' --why w/x
	[ "${lines[0]}" = "write denied: deny-write $W/w/x (-e 2:1)" ]
	run -0 srt -w w -d w/x --why w/x
	[[ ${lines[0]} == "write denied: deny-write $W/w/x (-e "* ]]
}

@test "rules: what grants nothing is one warning, and -q is silent" {
	ln -s loop loop
	for p in absent loop; do
		run -0 --separate-stderr srt-plan -e "allow-write $p"
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == "srt-plan: $W/$p: allow-write (-e 1:1) grants nothing: "* ]]
		run -0 --separate-stderr srt-plan -q -e "allow-write $p"
		[ -z "$stderr" ]
	done
	run -0 --separate-stderr srt-plan -e 'deny-read absent' \
		-e 'allow-read absent2' -e 'deny-write absent3'
	[ -z "$stderr" ]
}

@test "rules: where nothing is writable, -W makes the working directory so" {
	mkdir d
	cd d
	run -0 srt-plan -W -e 'deny-write x' --why y
	[ "${lines[0]}" = "write allowed: allow-write $W/d/. (default)" ]
	run -0 srt-plan -W -e 'allow-write /etc' --why y
	[[ ${lines[0]} == 'write denied: '* ]]
	run -0 srt-plan -e 'deny-write x' --why y
	[[ ${lines[0]} == 'write denied: '* ]]
}
