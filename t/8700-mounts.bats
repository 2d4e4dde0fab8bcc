#!/usr/bin/env bats
# What is mounted outside while a sandbox runs does not appear inside (case 38),
# and what is mounted inside does not appear outside.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper

setup() {
	setup_w
	# / shared, as systemd has it
	! is_root || mount --make-rshared /
}

@test "mounts: one made outside in a write root, or elsewhere, is not seen" {
	as_root
	mkdir W2 "$base/elsewhere"
	hold -w . -w "$base/elsewhere" -d .env
	for dir in W2 "$base/elsewhere" /mnt; do
		mount -t tmpfs tmpfs "$dir"
		: >"$dir/new"
		[ "$(tell "ls -A $dir/new")" != "$dir/new" ]
		[ "$(tell "grep -c ' $(realpath "$dir") tmpfs' /proc/self/mounts")" = 0 ]
		tell "echo x >$dir/landed" >/dev/null
		[ ! -e "$dir/landed" ]
		umount "$dir"
	done
	release
	nothing_left
}

@test "mounts: a place's directory that appears with a mount is not seen" {
	as_root
	hold -d .env
	mount -t tmpfs -o mode=755 tmpfs /run/user
	mkdir -m 700 /run/user/0
	srt -d .env -- true
	[ -e /run/user/0/srt-mount-points ]
	[[ $(tell 'ls -d /run/user/0/srt-mount-points') == *'No such file'* ]]
	umount -l /run/user
	release
}

@test "mounts: nothing of the sandbox's appears outside" {
	as_root
	cut -d ' ' -f 2- /proc/self/mountinfo | sort >before
	hold -d .env -d a/b -R "$HOME"
	cut -d ' ' -f 2- /proc/self/mountinfo | sort >during
	diff -u before during
	release
}

@test "mounts: one that is there before is seen, with its files" {
	as_root
	mkdir sub
	mount -t tmpfs tmpfs sub
	echo x >sub/file
	run -0 srt -d sub/.env -- sh -c 'cat sub/file; echo y >sub/new
		echo z >sub/.env || :'
	[ "${lines[0]}" = x ]
	[ -e sub/new ]
	[ ! -s sub/.env ]
	# elsewhere it is read-only
	run ! srt -w "$HOME" -- sh -c "echo y >$W/sub/other"
	[ ! -e sub/other ]
	umount sub
	nothing_left
}

@test "mounts: one taken away outside stays until the sandbox ends" {
	as_root
	mkdir sub
	mount -t tmpfs tmpfs sub
	echo x >sub/file
	hold -d .env
	umount -l sub
	[ "$(tell 'cat sub/file')" = x ]
	[ ! -e sub/file ]
	release
	nothing_left
}

@test "mounts: a deny on a mount point, and in a read-only mount" {
	as_root
	mkdir m ro
	mount -t tmpfs tmpfs m
	mount -t tmpfs tmpfs ro
	echo x >ro/there
	mount -o remount,ro ro
	run -0 deny_holds "$W/m/x" -d m/x
	run ! srt -d m -- sh -c 'echo x >m/y'
	[ ! -e m/y ]
	run -0 srt -d ro/there -d ro/absent -- sh -c 'cat ro/there'
	[ "$output" = x ]
	umount m ro
	nothing_left
}
