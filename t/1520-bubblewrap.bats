#!/usr/bin/env bats
# bubblewrap missing, too old, broken, or forbidden by the kernel: 125, one line
# that says what to do, nothing run and nothing left.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # inner shells; what the helper sets
load lib/helper

# fails PATTERN COMMAND ...: 125, one line that matches, nothing left.
fails() {
	local pattern=$1
	shift
	run -125 --separate-stderr "$@"
	# shellcheck disable=SC2053 # a pattern
	if [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ] ||
		[[ $stderr != $pattern ]]; then
		printf 'want: %s\ngot: %s\n' "$pattern" "$stderr"
		return 1
	fi
	[ -z "$(ls -A)" ]
	nothing_left
}

# fake LINE ...: a bwrap in front of PATH that is a script of those lines.
fake() {
	mkdir -p "$base/stub"
	printf '%s\n' '#!/bin/sh' "$@" >"$base/stub/bwrap"
	chmod +x "$base/stub/bwrap"
	PATH=$base/stub:$PATH
}

@test "bubblewrap: missing, the message says which package to install" {
	fails \
		'srt-run: bwrap: *install the package bubblewrap*' \
		env PATH=/nonexistent "$top/cmd/srt" -d .env -- true
	fails \
		'srt-run: bwrap: *install the package bubblewrap*' \
		env PATH=/nonexistent "$top/cmd/srt-run" -W -e 'deny-write .env' -- true
	srt-plan -e 'allow-write .' -e 'deny-write .env' >"$base/plan"
	fails \
		'srt-record: bwrap: *install the package bubblewrap*' \
		env PATH=/nonexistent "$top/cmd/srt-record" -p "$base/plan" -- true
	fails 'srt-run: /no/such: *bubblewrap*' srt --bwrap /no/such -- true
}

@test "bubblewrap: named by --bwrap it is that one, by path or by name" {
	fake 'echo "fake $1" >&2; exit 1'
	cp "$base/stub/bwrap" "$base/stub/other"
	PATH=$base/stub:/usr/bin:/bin
	fails 'srt-run: */stub/other: fake --args' \
		"$top/cmd/srt" -d .env --bwrap other -- true
	fails 'srt-run: */stub/other: fake --args' \
		"$top/cmd/srt" -d .env --bwrap="$base/stub/other" -- true
	run -0 "$top/cmd/srt" --bwrap /usr/bin/bwrap -d .env -- echo ok
	[ "$output" = ok ]
	touch "$base/plain"
	fails "srt-run: $base/plain: *" "$top/cmd/srt" --bwrap "$base/plain" -- true
	fails "srt-run: $base: *" "$top/cmd/srt" --bwrap "$base" -- true
}

@test "bubblewrap: relative and empty entries of PATH are not searched" {
	mkdir "$base/here"
	cd "$base/here"
	printf '#!/bin/sh\necho evil >&2\n' >bwrap
	chmod +x bwrap
	for path in ":/usr/bin:/bin" ".:/usr/bin:/bin" "../here:/usr/bin:/bin"; do
		PATH=$path run -0 "$top/cmd/srt" -C "$W" -- echo ok
		[ "$output" = ok ]
	done
}

@test "bubblewrap: a wrapper script around it works" {
	fake 'exec /usr/bin/bwrap "$@"'
	run -3 srt -d .env -- sh -c 'echo ok; exit 3'
	[ "$output" = ok ]
	nothing_left
}

@test "bubblewrap: a write root that holds it is refused, as is one above" {
	mkdir "$base/tools"
	cp /usr/bin/bwrap "$base/tools"
	fails "srt-run: $base/tools/bwrap: *--bwrap*" \
		srt -w "$base/tools" --bwrap "$base/tools/bwrap" -- true
	fails "srt-run: $base/tools/bwrap: *--bwrap*" \
		srt -w "$base" --bwrap "$base/tools/bwrap" -- true
	ln -s "$base/tools/bwrap" "$base/link"
	fails "srt-run: $base/tools/bwrap: *" \
		srt -w "$base/tools" --bwrap "$base/link" -- true
	run -0 srt -w "$base" -d "$base/tools" --bwrap "$base/tools/bwrap" -- true
	run -0 srt -w "$base" -d "$base/tools/bwrap" \
		--bwrap "$base/tools/bwrap" -- true
	run -0 srt --bwrap "$base/tools/bwrap" -- true
}

@test "bubblewrap: one in PATH that the command could replace is passed over" {
	mkdir bin
	printf '#!/bin/sh\ntouch %s/evil\nexit 1\n' "$base" >bin/bwrap
	chmod +x bin/bwrap
	real=$(command -v bwrap)
	PATH=$W/bin:$PATH
	run -0 --separate-stderr srt -d .env -- echo ran
	[ "$output" = ran ]
	[ "$stderr" = "srt-run: $W/bin/bwrap: warning: the profile lets the command replace it, so $(realpath "$real") is used" ]
	srt-plan -e 'allow-write .' -e 'deny-write .env' >"$base/plan"
	run -0 --separate-stderr srt-record -p "$base/plan" -- echo ran
	[ "$output" = ran ]
	# unless it was meant
	run -125 --separate-stderr srt --bwrap "$W/bin/bwrap" -- true
	[ "${#stderr_lines[@]}" -eq 1 ]
	# or there is no other
	run -125 --separate-stderr env PATH="$W/bin" "$top/cmd/srt" -- /bin/true
	[[ $stderr == "srt-run: $W/bin/bwrap: the profile lets the command "* ]]
	[ ! -e "$base/evil" ]
	srt --sweep
	nothing_left
}

@test "bubblewrap: too old, the message names the version that is needed" {
	fake 'echo "bwrap: Unknown option --as-pid-1" >&2; exit 1'
	fails 'srt-run: */stub/bwrap: Unknown option*0.5.0*' srt -d .env -- true
	fails 'srt-run: */stub/bwrap: Unknown option*0.5.0*' srt -- true
}

@test "bubblewrap: ends without a word, with 0 or not, or by a signal" {
	for end in 'exit 0' 'exit 1' 'exit 77'; do
		fake "$end"
		fails 'srt-run: */stub/bwrap: ended before*' srt -d .env -- true
	done
	fake 'kill -SEGV $$'
	fails 'srt-run: */stub/bwrap: *' srt -d .env -- true
	fake 'echo second >&2; echo third >&2; exit 1'
	fails 'srt-run: */stub/bwrap: second' srt -d .env -- true
}

@test "bubblewrap: a stranger in its place that goes on for ever can be ended" {
	fake "echo \$\$ >$base/stub/pid; exec sleep 1000"
	srt -d .env -- true 3>&- &
	wait_for test -s "$base/stub/pid"
	kill -TERM $!
	ended 143 $!
	run ! kill -0 "$(cat "$base/stub/pid")"
	nothing_left
	run -124 srt -t 1 -d .env -- true
	nothing_left
}

@test "bubblewrap: what it writes cannot reach the command's stdout" {
	fake 'exec /usr/bin/bwrap "$@"'
	# a monitor that talks on its stdout before it becomes bubblewrap
	fake 'echo words >&2; exec /usr/bin/bwrap "$@"'
	run -0 --separate-stderr srt -d .env -- echo ok
	[ "$output" = ok ]
	[ -z "$stderr" ]
}

@test "bubblewrap: a path that goes meanwhile is planned again" {
	touch there
	# the first time only
	fake "[ -e $base/stub/been ] || { : >$base/stub/been; rm $W/there; }" \
		'exec /usr/bin/bwrap "$@"'
	run -0 srt -d there -- sh -c 'echo x >there; test ! -s there'
	[ -e "$base/stub/been" ]
	[ ! -e there ]
	nothing_left
}

@test "bubblewrap: a mount that goes meanwhile is planned again" {
	touch there
	for words in 'Unable to find \"/newroot/x\" in mount table' \
		'Unable to remount destination \"/newroot/x\": Invalid argument'; do
		fake "[ -e $base/stub/been ] || { : >$base/stub/been
			echo \"bwrap: Can't bind mount /oldroot/x on /newroot/x: $words\" >&2
			exit 1; }" 'exec /usr/bin/bwrap "$@"'
		run -0 --separate-stderr srt -d there -- echo ran
		[ "$output$stderr" = ran ]
		rm "$base/stub/been"
	done
	nothing_left
}

@test "bubblewrap: a path that goes each time ends the run with its name" {
	touch there
	fake "rm -f $W/there" 'exec /usr/bin/bwrap "$@"'
	run -125 --separate-stderr srt -d there -- touch ran
	[ "${#stderr_lines[@]}" -eq 1 ]
	[ ! -e ran ]
	[ ! -e there ]
	nothing_left
}

@test "bubblewrap: user namespaces forbidden by sysctl, named in the message" {
	run -0 unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
		srt -d .env -- true 2>err; echo $?; cat err; rm err; ls -A'
	[ "${lines[0]}" = 125 ]
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[1]} == 'srt-run: '*'user.max_user_namespaces is 0, '* ]]
}

@test "bubblewrap: refused by the kernel without a known reason, a hint" {
	fake 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1'
	fails 'srt-run: *uid map: Permission denied; *' srt -d .env -- true
	fake 'echo "bwrap: No permissions to create new namespace, likely" \
		"because the kernel does not allow it" >&2; exit 1'
	fails 'srt-run: *No permissions*; *' srt -d .env -- true
}

@test "bubblewrap: where a new /proc is refused the one there is shown" {
	unshare -Urm --propagation private true || skip 'no user namespaces'
	run -0 unshare -Urm --propagation private sh -c '
		mount -t tmpfs tmpfs /proc/scsi 2>/dev/null ||
			mount -t tmpfs tmpfs /proc/fs || exit
		srt -d .env -- sh -c "test -d /proc/1 && echo ok"'
	[ "$output" = ok ]
	nothing_left
}

@test "bubblewrap: 500 stale messages of it are one line" {
	fake 'i=0; while [ $i -lt 500 ]; do echo "bwrap: line $i" >&2
		i=$((i + 1)); done; exit 1'
	fails 'srt-run: */stub/bwrap: line 0' srt -d .env -- true
}

@test "bubblewrap: srt-init missing or closed is named" {
	cp -r "$top/cmd" "$base/cmd"
	PATH=$base/cmd:$PATH
	rm "$base/cmd/srt-init"
	fails "srt-run: $base/cmd/srt-init: *No such file*" srt -d .env -- true
	: >"$base/cmd/srt-init"
	fails "srt-run: $base/cmd/srt-init: *Permission denied" \
		srt -d .env -- true
	# a stranger in its place never says "ready"
	printf '#!/bin/sh\nexit 0\n' >"$base/cmd/srt-init"
	chmod +x "$base/cmd/srt-init"
	fails "srt-run: *" srt -d .env -- touch ran
}

@test "bubblewrap: one that fails at once, many times, is 125 each time" {
	for ((try = 0; try < 100; try++)); do
		run -125 srt-run -W -e 'deny-write .env' -e 'pass-fd 99' -- true
		run -125 srt-run -W -e 'deny-write .env' --bwrap /bin/false -- true
	done
	nothing_left
}

@test "bubblewrap: where nobody can watch it, it ends first, and nothing is left" {
	for failure in '?fork,clone:error=EAGAIN:when=2' \
	    pidfd_open:error=EMFILE:when=1; do
		run -125 strace -qq -o /dev/null -e inject="$failure" -- \
			srt-run -W -e 'deny-write .env' -- sh -c ': >ran'
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == *"bwrap: cannot be started: "* ]]
		[ -z "$(ls -A)" ]
		nothing_left
	done
}
