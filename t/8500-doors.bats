#!/usr/bin/env bats
# Doors that lead from the command into srt-init, out of its mounts or to more
# privileges: all are shut (promise 6).
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper
load lib/inside

# shut [srt option ...]: nothing is open in a run with those options.
shut() {
	run -0 --separate-stderr srt "$@" -- "$(inside_tool in-doors)" 1
	[ -z "$output" ] || { echo "$output"; return 1; }
}

@test "doors: the tool finds those that are open without a sandbox" {
	tool=$(inside_tool in-doors)
	as=()
	if is_root; then
		chmod -R a+rX "$base"
		as=(setpriv --reuid=srt-test --regid=srt-test --clear-groups)
	fi
	# a process may look at itself
	run -0 "${as[@]}" sh -c 'exec "$1" $$' - "$tool"
	for door in mem environ maps root cwd ns/mnt; do
		[[ $output == *"open: /proc/"*"/$door"* ]]
	done
	[[ $output == *"open: pidfd_getfd"* ]]
	[[ $output == *"open: process_vm_readv"* ]]
	[[ $output == *"open: unshare user"* ]]
}

@test "doors: into PID 1, to namespaces, mounts and privileges: all are shut" {
	shut
	shut -d .env -d a/b
	shut -n
	shut --host-tmp -w /tmp
	echo 'unix-sockets allow' >"$base/profile"
	shut -p "$base/profile"
	touch there
	shut -d there -R "$HOME"
	shut -w / -d there
	nothing_left
}

@test "doors: srt-record alone leaves them shut, too" {
	srt-plan -e 'allow-write .' -e 'deny-write .env' >"$base/plan"
	run -0 srt-record -p "$base/plan" -- "$(inside_tool in-doors)" 1
	[ -z "$output" ]
	srt --sweep
}

@test "doors: a second bubblewrap, unshare and chroot inside are refused" {
	touch P
	was=$(look "$W/P")
	for try in 'bwrap --bind / / --dev /dev true' \
		"bwrap --bind $W $W true" \
		'bwrap --unshare-user --bind / / true' \
		'unshare -U true' 'unshare -Ur true' 'unshare -m true' \
		'unshare -Um true' 'unshare -p true' 'unshare -n true' \
		'unshare -i true' 'unshare -u true' 'chroot / true' \
		'nsenter -t 1 -m true' 'nsenter -t 1 -U true' \
		'nsenter -t 1 -a true' 'setpriv --reuid 1 true' \
		'setpriv --bounding-set +all true'; do
		run ! srt -d P -- sh -c "$try && echo x >P"
		[ ! -s P ]
	done
	[ "$(look "$W/P")" = "$was" ]
}

@test "doors: a pinned directory is not moved from a namespace of its own" {
	mkdir -p a/b
	for try in 'unshare -Urm' "bwrap --bind $W $W --" \
		"bwrap --unshare-user --dev-bind / / --"; do
		run ! srt -d a/b/.env -- sh -c "$try sh -c \
			'mv a z && mkdir -p a/b && echo x >a/b/.env'"
		[ ! -e z ]
		[ ! -s a/b/.env ]
	done
	nothing_left
}

@test "doors: no set-user-ID program gives the command more" {
	run srt -- sh -c 'for p in su sudo mount umount passwd ping newuidmap; do
		p=$(command -v "$p") || continue
		cp "$p" /tmp/probe 2>/dev/null || :; done
		grep -E "NoNewPrivs:.1" /proc/self/status'
	[ "$status" -eq 0 ]
	as_root
	cp "$(command -v id)" "$base/id"
	chmod 4755 "$base/id"
	run -0 setpriv --reuid=srt-test --regid=srt-test --clear-groups \
		"$base/id" -u
	[ "$output" = 0 ]
	chmod 755 "$base"
	run -0 setpriv --reuid=srt-test --regid=srt-test --clear-groups \
		env HOME=/home/srt-test srt -w /home/srt-test -C / -- "$base/id" -u
	[ "$output" = "$(id -u srt-test)" ]
}

@test "doors: while a run starts, its processes cannot be reached from another" {
	# a command that looks at all there is to see, as long as others start
	hold -d .env
	for _ in 1 2 3 4 5; do srt -d .env -- true; done
	[ "$(tell 'ls /proc | grep -cE "^[0-9]+\$"')" -le 8 ]
	[ "$(tell 'ls -d /proc/1/root/.')" != /proc/1/root/. ]
	release
}

@test "doors: with nested-userns allow namespaces can be made, others stay shut" {
	printf 'nested-userns allow\n' >"$base/profile"
	run -0 srt -p "$base/profile" -- unshare -Ur true
	run -0 srt -p "$base/profile" -- "$(inside_tool in-doors)" 1
	[ -n "$output" ]
	# the capabilities are those of the next test
	rest=$(grep -vE "^open: ((unshare|clone) user|Cap|bounding set)" \
		<<<"$output" || :)
	[ -z "$rest" ]
}

@test "doors: with nested-userns allow root has CAP_SETFCAP, and no way out" {
	as_root
	echo 'nested-userns allow' >"$base/profile"
	bits() { sed -n 's/^Cap[^I].*:[[:space:]]*//p' /proc/self/status; }
	# permitted, effective, bounding, ambient
	run -0 srt -p "$base/profile" -- bash -c "$(declare -f bits); bits"
	[ "${lines[*]}" = "$(printf '%016x ' $((1 << 31)) $((1 << 31)) \
		$((1 << 31)) 0 | sed 's/ $//')" ]
	run -0 srt -- bash -c "$(declare -f bits); bits"
	[ "${lines[*]}" = "$(printf '%016x ' 0 0 0 0 | sed 's/ $//')" ]
	# neither what the kernel lets uid 0 write, nor a /proc without covers
	now=$(cat /proc/sys/vm/swappiness)
	for in in '' 'unshare -Urm' 'unshare -Urmpf'; do
		# shellcheck disable=SC2086 # words
		run srt -p "$base/profile" -- $in sh -c '
			umount -l /proc/sys /proc
			mount -t proc proc /proc && echo mounted
			mount --bind -o remount,rw /proc/sys && echo remounted
			echo 1 >/proc/sys/user/max_user_namespaces && [ ! "$2" ] &&
				echo landed
			echo "$1" >/proc/sys/vm/swappiness && echo landed' - \
			"$now" "$in" 2>/dev/null
		run ! grep -E '^(mounted|remounted|landed)' <<<"$output"
	done
}

@test "doors: with nested-userns allow root cannot write the machine's cgroups" {
	as_root
	echo 'nested-userns allow' >"$base/profile"
	# whose files are root's, and ask for no capability
	try='d=$(mktemp -d) && for type in cgroup2 "cgroup -o all" \
		"cgroup -o pids" "cgroup -o devices"; do
		mount -t $type none $d 2>/dev/null &&
			{ : >>$d/cgroup.procs; } 2>/dev/null && echo $type
		umount $d 2>/dev/null
	done; rmdir $d'
	run unshare -UrmC sh -c "$try"
	[ -n "$output" ] || skip 'no cgroups here'
	for in in 'unshare -UrmC' 'unshare -UmC' 'unshare -Urm unshare -C' \
		'unshare -Urm'; do
		# shellcheck disable=SC2086 # words
		run srt -p "$base/profile" -- $in sh -c "$try"
		run ! grep '^cgroup' <<<"$output"
	done
	# from a second run likewise
	run srt -p "$base/profile" -- srt -p "$base/profile" -- \
		unshare -UmC sh -c "$try"
	run ! grep '^cgroup' <<<"$output"
	run -0 srt -p "$base/profile" -- srt -p "$base/profile" -- \
		unshare -Um true
}

@test "doors: the command cannot raise the limit of user namespaces" {
	run srt -- sh -c 'echo 10 >/proc/sys/user/max_user_namespaces'
	[ "$status" -ne 0 ]
	# and outside it is what it was
	[ "$(cat /proc/sys/user/max_user_namespaces)" -gt 0 ]
}

@test "doors: the place is neither seen nor made, whatever may be written" {
	for w in "$W" /tmp /var/tmp "${place%/*}" / "$place"; do
		hold -w "$w" --host-tmp -d "$W/.env"
		[ -n "$(ls "$place")" ]
		[ "$(tell "ls -A $place | wc -l")" = 0 ]
		for try in ": >$place/x" "rmdir $place" "mv $place $place.x" \
			"mkdir $place/x" "chmod 777 $place" \
			"ln -s / $place/x" "mv /tmp/y $place"; do
			tell "$try && echo landed" >"$base/answer"
			[ "$(cat "$base/answer")" != landed ]
		done
		[ -n "$(ls "$place")" ]
		[ "$(stat -c %a "$place")" = 700 ]
		release
	done
	nothing_left
}

@test "doors: no network but the loopback, unless the profile has it" {
	run -0 srt -- sh -c 'ls /sys/class/net 2>/dev/null
		grep -c : /proc/self/net/dev'
	[ "${lines[-1]}" = 1 ]
	run -0 srt -n -- sh -c 'readlink /proc/self/ns/net'
	[ "$output" = "$(readlink /proc/self/ns/net)" ]
	run -0 srt -- readlink /proc/self/ns/net
	[ "$output" != "$(readlink /proc/self/ns/net)" ]
	for ns in pid ipc uts user mnt; do
		run -0 srt -n -- readlink "/proc/self/ns/$ns"
		[ "$output" != "$(readlink "/proc/self/ns/$ns")" ]
	done
}
