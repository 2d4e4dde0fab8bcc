#!/usr/bin/env bats
# Bad input: one line that names the thing and the place, the documented
# status, and nothing made (case 52).
# shellcheck disable=SC2154 # what the helper and bats set
load lib/helper

# refused STATUS PATTERN COMMAND ...: one line on stderr that matches, nothing
# on stdout, and nothing made.
refused() {
	local status=$1 pattern=$2
	shift 2
	run "-$status" --separate-stderr "$@"
	# shellcheck disable=SC2053 # a pattern
	if [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ] ||
		[[ $stderr != $pattern ]]; then
		printf 'of: %s\nwant: %s\ngot: %s\nstdout: %s\n' \
			"$*" "$pattern" "$stderr" "$output"
		return 1
	fi
	[ -z "$(find "$W" -newer "$base/before" ! -type d)" ]
	nothing_left
}

# bad_profile LINE PATTERN: in a file, on standard input, and as an option.
bad_profile() {
	printf '# comment\n\n%b\n' "$1" >"$base/profile"
	touch "$base/before"
	refused 65 "srt-plan: $base/profile:3: $2" srt-plan "$base/profile"
	refused 65 "srt-plan: standard input:3: $2" srt-plan <"$base/profile"
	refused 65 "srt-plan: $base/profile:3: $2" srt-plan -p "$base/profile"
	refused 125 "srt-run: $base/profile:3: $2" \
		srt-run -W -p "$base/profile" -- true
	refused 125 "srt-run: $base/profile:3: $2" \
		srt -p "$base/profile" -- true
	refused 125 "srt-run: standard input:3: $2" \
		srt -p - -- true <"$base/profile"
	refused 65 "srt-plan: -e*1: $2" srt-plan -e "$(printf '%b' "$1")"
	refused 125 "srt-run: -e*1: $2" srt-run -e "$(printf '%b' "$1")" -- true
}

@test "bad input: an unknown directive is named with file and line" {
	bad_profile 'frobnicate /x' '*frobnicate*unknown*'
	bad_profile 'allow-writ /x' '*allow-writ*unknown*'
	bad_profile 'ALLOW-WRITE /x' '*ALLOW-WRITE*unknown*'
	bad_profile '/x' '*/x*unknown*'
	# what it contains cannot write to the terminal
	bad_profile '\\033[31mred x' '*\\033*'
	bad_profile '\033[31mred x' '*not a line of a profile'
	# as with the line ends of other systems
	bad_profile 'deny-write .env\r' '*not a line of a profile'
}

@test "bad input: a directive with too few, too many or wrong words" {
	for line in allow-write deny-write deny-read allow-read chdir \
		network unix-sockets nested-userns setenv unsetenv pass-fd \
		'allow-write /a /b' 'deny-write /a b' 'chdir /a /b' \
		'private-tmp yes' 'network maybe' 'network none host' \
		'network NONE' 'unix-sockets yes' 'nested-userns 1' \
		'setenv A b c' 'setenv =x y' 'setenv A=b c' 'unsetenv A=b' \
		'unsetenv A B' 'pass-fd x' 'pass-fd -1' 'pass-fd 3 4' \
		'pass-fd 99999999999' 'pass-fd 3x' 'pass-fd 1.5'; do
		bad_profile "$line" "*${line%% *}*"
	done
	bad_profile allow-write "*allow-write: takes one path"
	bad_profile 'deny-write a # why' "*deny-write: takes one path"
}

@test "bad input: what is no line of text" {
	printf "private-tmp\nallow-write /a\0b\n" >"$base/profile"
	touch "$base/before"
	refused 65 "srt-plan: $base/profile:2: *" srt-plan "$base/profile"
	refused 125 "srt-run: $base/profile:2: *" srt -p "$base/profile" -- true
	bad_profile 'allow-write /\\777' '*'
	bad_profile "allow-write /a\\\\" '*'
	bad_profile 'a b c d e f g h i j k' '*'
}

@test "bad input: a profile of another version, or the version line too late" {
	touch "$base/before"
	echo 'srt-profile 2' >"$base/profile"
	refused 65 'srt-plan: *profile:1: *2*version*' srt-plan "$base/profile"
	refused 125 'srt-run: *profile:1: *2*version*' srt -p "$base/profile" -- true
	printf 'private-tmp\nsrt-profile 1\n' >"$base/profile"
	refused 65 "srt-plan: $base/profile:2: *srt-profile*" \
		srt-plan "$base/profile"
	printf 'srt-profile 1\nprivate-tmp\n' >"$base/profile"
	run -0 srt-plan "$base/profile"
}

@test "bad input: a profile that cannot be read is named with the reason" {
	touch "$base/before"
	refused 65 'srt-plan: /no/such: *No such file*' srt-plan /no/such
	refused 65 'srt-plan: /no/such: *No such file*' srt-plan -p /no/such
	refused 125 'srt-run: /no/such: *No such file*' srt -p /no/such -- true
	refused 65 "srt-plan: $W: *directory*" srt-plan "$W"
	refused 125 "srt-run: $W: *directory*" srt -p "$W" -- true
	refused 65 'srt-plan: /no/x\\012y: *' srt-plan $'/no/x\ny'
	refused 65 'srt-plan: /no/\\377: *' srt-plan $'/no/\377'
	refused 65 'srt-plan: /no/\\033\[0m: *' srt-plan $'/no/\033[0m'
	is_root || {
		: >"$base/closed"
		chmod 000 "$base/closed"
		refused 65 "srt-plan: $base/closed: *Permission denied" \
			srt-plan "$base/closed"
		refused 125 "srt-run: $base/closed: *Permission denied" \
			srt -p "$base/closed" -- true
	}
	truncate -s 17M "$base/large"
	refused 65 "srt-plan: $base/large: *large*" srt-plan "$base/large"
	# standard input that is closed
	refused 65 'srt-plan: -: *' bash -c 'srt-plan <&-'
}

@test "bad input: one bad line of many spoils the whole" {
	touch "$base/before"
	printf 'allow-write %s\ndeny-write %s/.env\nfrob\n' "$W" "$W" \
		>"$base/profile"
	refused 125 "srt-run: $base/profile:3: *" srt -p "$base/profile" -- \
		touch "$W/ran"
	refused 65 "srt-plan: $base/profile:3: *" srt-plan --why / \
		"$base/profile"
	echo private-tmp >"$base/good"
	refused 65 "srt-plan: $base/profile:3: *" srt-plan "$base/good" \
		"$base/profile"
}

@test "bad input: empty paths and empty option arguments are refused" {
	touch "$base/before"
	for option in -w -d -R -r -p -C -t --bwrap --why; do
		refused 125 "srt: $option: *" srt "$option" '' -- true
	done
	for option in --bwrap= --why=; do
		refused 125 "srt: *${option%=}*" srt "$option" -- true
	done
	refused 125 'srt-run: -t: *' srt-run -W -t '' -- true
	refused 125 'srt-run: *' srt-run -W -p '' -- true
	refused 125 'srt-run: *' srt-run -W --bwrap '' -- true
	refused 65 'srt-plan: *' srt-plan -p ''
	refused 65 'srt-plan: *' srt-plan ''
	refused 125 'srt-record: *' srt-record -p '' -- true
}

@test "bad input: numbers out of range are named with the range" {
	touch "$base/before"
	for n in 0 -1 x 1x 1.5 99999999999999999999 ' '; do
		refused 125 "srt-run: -t: $n: *from 1 to *" srt -t "$n" -- true
	done
	for n in -1 x 9999999999; do
		refused 125 "srt-init: *: $n: *" srt-init -g "$n" -- true
	done
}

@test "bad input: plans that are none, of another version, cut short" {
	touch "$base/before"
	plan() { printf '%b' "$1" >"$base/plan"; }
	record() { refused 125 "$1" srt-record -p "$base/plan" -- true; }

	plan ''
	record "srt-record: $base/plan: not a plan"
	plan 'frob\n'
	record "srt-record: $base/plan: not a plan"
	plan 'srt-profile 1\n'
	record "srt-record: $base/plan: not a plan"
	plan 'srt-plan 2\nro /\n'
	record "srt-record: $base/plan: *version 2*1*"
	plan 'srt-plan\n'
	record "srt-record: $base/plan: *"
	plan 'srt-plan 1'
	record "srt-record: $base/plan: cut short*"
	plan 'srt-plan 1\nro /\nrw /wor'
	record "srt-record: $base/plan: cut short*"
	for line in frob 'ro' 'ro x' 'ro /a /b' 'tmp /x' 'tmp 9 /x' 'hold /x' \
		'hold -1 /x' 'network maybe' 'network' 'pass-fd x' \
		'make /x' 'make frob 0444 /x' 'make file 9999 /x' \
		'make file 0444 x' 'own frob /x' 'own file 1 /x' 'own file x' \
		'link x' 'rely file 0444 1 2 3 /x' 'setenv' 'ro /\\q' \
		'srt-plan 1' 'ro /a\0b'; do
		plan "srt-plan 1\nro /\n$line\n"
		record "srt-record: $base/plan: *3*"
	done
	refused 125 'srt-record: /no/such: No such file*' \
		srt-record -p /no/such -- true
	refused 125 "srt-record: $W: *directory*" srt-record -p "$W" -- true
	refused 125 'srt-record: *' bash -c 'srt-record -- true <&-'
}

@test "bad input: SRT_PLACE that is not absolute is refused by every command" {
	touch "$base/before"
	export SRT_PLACE=relative/x
	for c in srt-claim srt-collect srt-live srt-plan; do
		refused 1 "$c: SRT_PLACE: *absolute*" "$c" </dev/null
	done
	refused 125 'srt-run: SRT_PLACE: *absolute*' srt -- true
	printf 'srt-plan 1\nro /\n' >"$base/plan"
	refused 125 'srt-record: SRT_PLACE: *absolute*' \
		srt-record -p "$base/plan" -- true
	run -1 srt --sweep
	[[ $output == *'SRT_PLACE: '*absolute* ]]
}

@test "bad input: a place that cannot be used is named when none can be" {
	places=("/var/tmp/srt-mount-points-$(id -u)"
		"/run/user/$(id -u)/srt-mount-points"
		"/tmp/srt-mount-points-$(id -u)")
	for p in "${places[@]}"; do
		rm -rf "$p"
		echo mine >"$p"
	done
	run -125 --separate-stderr srt -d .env -- true
	[ -z "$output" ]
	for p in "${places[@]}"; do
		[[ $stderr == *"$p: "*"Not a directory"* ]]
		[ "$(cat "$p")" = mine ]
	done
	[ -z "$(ls -A)" ]
	# what needs none goes on
	run -0 srt -- true
	run -0 srt-live
	run -0 srt-plan -e 'allow-write .' -e 'deny-write .env'
	rm "${places[@]}"
}

@test "bad input: options of the wrapper that exclude each other" {
	touch "$base/before"
	refused 125 'srt: --sweep: *junk*' srt --sweep junk
	refused 125 'srt: *' srt --sweep --no-such
	refused 125 'srt: --why: *' srt --why / -- true
	refused 125 'srt: /no/such: *' srt -C /no/such -- true
	refused 125 'srt: *' srt -C "$base/before" -- true
	refused 125 'srt: no command*' srt -w .
}

@test "bad input: two values for one setting are refused, whoever gave them" {
	touch "$base/before"
	printf 'network none\n' >"$base/profile"
	refused 125 'srt-run: *network*' srt -n -p "$base/profile" -- true
	refused 125 'srt-run: *network*' srt -p "$base/profile" -n -- true
	printf 'chdir /\nchdir /usr\n' >"$base/profile"
	refused 65 "srt-plan: $base/profile:2: *chdir*" srt-plan "$base/profile"
	printf 'setenv A b\nunsetenv A\n' >"$base/profile"
	refused 65 "srt-plan: $base/profile:2: *" srt-plan "$base/profile"
	# the same twice is no contradiction
	printf 'network host\nnetwork host\nsetenv A b\nsetenv A b\n' \
		>"$base/profile"
	# shellcheck disable=SC2016 # for the inner shell
	run -0 srt -n -p "$base/profile" -- sh -c 'echo "$A"'
	[ "$output" = b ]
}
