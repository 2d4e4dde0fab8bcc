#!/usr/bin/env bats
# A hostile command that would live on, leave its mounts, or reach what is not
# its own: nothing of it is there when the run has ended, no denied write lands,
# and nothing outside is touched.
# shellcheck disable=SC2016,SC2094,SC2154 # inner shells; what the helpers set
load lib/helper
load lib/hostile
load lib/inside

@test "outlives: a process that detaches itself ends with the run, all it held is let go" {
	lingers=$(inside_tool in-lingers)
	echo kept >there
	before=$(look there)
	for path in .env there a/b/key; do
		run -0 srt -d "$path" -- "$lingers" "$W/$path" count
		[ "$output" = 'gone on' ]
		# it counts in memory that is shared with the file
		count=$(od -An -t d8 count)
		[ "$count" -gt 0 ]
		run ! pgrep -f "$lingers"
		[ "$(od -An -t d8 count)" = "$count" ]
		rm count
	done
	[ "$(look there)" = "$before" ]
	[ ! -e .env ] && [ ! -e a/b/key ]
	nothing_left
}

@test "outlives: a disk can be unmounted as soon as the run has ended" {
	as_root
	lingers=$(inside_tool in-lingers)
	mkdir disk
	for try in 1 2 3 4 5; do
		mount -t tmpfs -o mode=755 tmpfs disk
		srt -w disk -d disk/.env -- sh -c 'cd disk && "$1" .env count' \
			sh "$lingers"
		umount disk || { echo "try $try"; false; }
	done
	nothing_left
}

@test "outlives: every signal to all it can see harms nobody" {
	signals=$(inside_tool in-signals)
	hold -w "$HOME" -d "$HOME/x"
	run -3 srt -d .env -- "$signals"
	[ "${lines[-1]}" = 'still here' ]
	run -3 srt -n -d .env -- "$signals"
	run -3 srt -d .env -- "$signals" </dev/null
	[ ! -e .env ]
	# the one beside it has had none of them
	[ "$(tell 'echo well')" = well ]
	not_removed "$HOME/x"
	release
	deny_holds "$W/.env" -d .env
	nothing_left
}

@test "outlives: PID 1 stopped, its command ended: from inside it cannot be" {
	run -5 srt -d .env -- sh -c '
		for s in STOP TSTP TTIN TTOU KILL SEGV TERM HUP; do
			kill -$s 1; kill -$s -1; done 2>/dev/null; exit 5'
	nothing_left
}

@test "outlives: what it has inherited cannot be opened again for more" {
	echo kept >there
	before=$(look there)
	out=$(srt -d there -- bash -c '
		for fd in /proc/self/fd/0 /dev/stdin /proc/1/fd/0 \
			/proc/self/task/$$/fd/0 /dev/fd/0; do
			{ echo x >"$fd"; } 2>/dev/null && echo "landed $fd"
			{ echo x >>"$fd"; } 2>/dev/null && echo "landed $fd"
			{ echo x 1<>"$fd"; } 2>/dev/null && echo "landed $fd"
		done
		cat' <there)
	[ "$out" = kept ] || { echo "$out"; false; }
	# a descriptor of the directory would lead around every mount
	run -125 srt -d there -- true <.
	exec 7<there
	echo 'pass-fd 7' >"$base/profile"
	out=$(srt -p "$base/profile" -d there -- bash -c '
		{ echo x >&7; } 2>/dev/null && echo landed; cat <&7')
	exec 7<&-
	[ "$out" = kept ]
	[ "$(look there)" = "$before" ]
}

# In a mount namespace of its own -----------------------------------------

@test "outlives: a mount namespace without the pins, where it is let have one" {
	unpin=$(inside_tool in-unpin)
	echo 'nested-userns allow' >"$base/profile"
	for how in clone clone3 twice unshare; do
		mkdir -p a/b
		# the watcher notices, and may end the run
		run --separate-stderr srt -p "$base/profile" -d a/b/.env -- \
			"$unpin" "$how" "$W" a
		[ "$output" = landed ]
		[ -d a.moved ]
		rm -r ./*
	done
}

@test "outlives: no mount namespace without the pins is to be had" {
	unpin=$(inside_tool in-unpin)
	mkdir -p a/b
	touch a/b/there
	try='for how in clone clone3 twice unshare; do "$0" $how "$1" a; done'
	for options in '-d a/b/there' '-d a/b/.env' '-d a/.env -n' \
		'-d a/b --host-tmp' '-w / -d a/b/.env'; do
		# shellcheck disable=SC2086 # words
		run srt $options -- sh -c "$try" "$unpin" "$W"
		output=$(grep -v '^srt-run: .*warning' <<<"$output" || :)
		[ -z "$output" ] || { echo "$options: $output"; false; }
		[ -d a/b ]
		[ ! -e a.moved ]
	done
	srt-plan -e 'allow-write .' -e 'deny-write a/.env' >"$base/plan"
	run -0 srt-record -p "$base/plan" -- sh -c "$try" "$unpin" "$W"
	[ -z "$output" ]
	srt --sweep
	nothing_left
}

@test "outlives: srt in srt says in one line why not, and the outer denies hold" {
	run -125 --separate-stderr srt -d a -- srt -d b -- touch ran
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == 'srt-run: '* ]]
	[ -z "$(ls -A)" ]
	nothing_left
}

@test "outlives: srt in srt with nested-userns allow, and the denies of both hold" {
	echo 'nested-userns allow' >"$base/profile"
	inner="$(denied "$W/a")
		$(denied "$W/b")
		echo x >c"
	run -0 --separate-stderr srt -p "$base/profile" -d a -- \
		srt -d b -- sh -c "$inner"
	[ -z "$output" ]
	[ "$(ls -A)" = c ]
	nothing_left
}

# Beside it, outside ------------------------------------------------------

@test "outlives: nobody outside is held up by a lease that the command has" {
	echo x >there
	# F_SETLEASE, F_WRLCK
	try='python3 -c "import fcntl, sys
f = open(sys.argv[1])
fcntl.fcntl(f, 1024, 1)" there'
	sh -c "$try"
	for options in '-d there' '-w / -n' '-p profile'; do
		echo 'nested-userns allow' >profile
		# shellcheck disable=SC2086 # words
		run -1 srt $options -- sh -c "$try"
		[[ $output == *'Operation not permitted'* ]]
	done
}
