#!/usr/bin/env bats
# A hostile command of root's (cases 63, 64).
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper
load lib/inside

# hostile PATH: lines of shell that try, as root, to take the cover off PATH,
# or to go round it, and then write it.
hostile() {
	printf 'P=%q\n' "$1"
	cat <<'TRY'
t() { "$@" 2>/dev/null && echo "worked: $*"; }
t umount "$P"
t umount -l "$P"
t umount -l "${P%/*}"
t umount -l /
t mount -o remount,rw "$P"
t mount -o remount,rw,bind "$P"
t mount -o remount,rw,bind /
t mount -o remount,rw /
t mount --move "$P" /tmp
t mount --bind "${P%/*}" /tmp
t mount --bind / /tmp
t mount --make-rshared /
t mount -t tmpfs tmpfs "${P%/*}"
t mount -t proc proc /tmp
t unshare -m true
t unshare -U true
t unshare -Urm true
t nsenter -t 1 -m true
t nsenter -t 1 -m -U true
t mknod /tmp/disk b 8 0
t mknod /tmp/mem c 1 1
t mknod "${P%/*}/disk" b 8 0
t chroot / true
t chroot "${P%/*}" true
t chattr -i "$P"
t chattr +i "$P"
t chattr +a "${P%/*}"
t chown 1 "$P"
t chmod 777 "$P"
t setfattr -n trusted.x -v y "$P"
t setfattr -n security.x -v y "${P%/*}"
t setpriv --reuid 1 true
t setpriv --inh-caps +all true
:
TRY
	denied "$1"
}

@test "root: umount, remount, move, unshare, nsenter, mknod, chroot, chattr fail" {
	as_root
	echo content >there
	mkdir dir
	ln -s there link
	for path in there dir absent made/x link; do
		before=$(look "$W/$path")
		run -0 srt -d "$path" -- sh -c "$(hostile "$W/$path")"
		[ -z "$output" ] || { echo "$path: $output"; false; }
		[ "$(look "$W/$path")" = "$before" ]
	done
	[ "$(cat there)" = content ]
	nothing_left
}

@test "root: the same with a write root of /" {
	as_root
	mkdir sub
	echo content >sub/there
	before=$(look "$W/sub/there")
	run -0 srt -w / -d sub/there -- sh -c "$(hostile "$W/sub/there")"
	output=$(grep -vE '^srt-run: .*warning' \
		<<<"$output" || :)
	[ -z "$output" ] || { echo "$output"; false; }
	[ "$(look "$W/sub/there")" = "$before" ]
	nothing_left
}

@test "root: nothing below /proc and /sys that is not a process's can be written" {
	as_root
	for option in -v -n --host-tmp '-w /'; do
		# shellcheck disable=SC2086 # words
		run srt $option -- sh -c '
			find /proc /sys -path "/proc/[0-9]*" -prune -o \
				! -type l ! -type d -writable -print'
		# by the mode alone: what matters is whether it opens
		# shellcheck disable=SC2086 # words
		run srt $option -- bash -c 'while IFS= read -r f; do
			{ exec 7>>"$f"; } 2>/dev/null && echo "opens: $f"; done
			:' <<<"$output"
		output=$(grep '^opens: ' <<<"$output" |
			grep -v '^opens: /proc/pressure/' || :)
		[ -z "$output" ] || { head -n 20 <<<"$output"; false; }
	done
}

@test "root: /sys is read-only with a write root of / unless a rule grants it" {
	as_root
	# "/sys ro", by the mount that is on top
	how() {
		run -0 --separate-stderr srt -w / "$@" -- awk '
			$5 ~ "^/sys(/fs)?$" { o[$5] = substr($6, 1, 2) }
			END { for (p in o) print p, o[p] }' /proc/self/mountinfo
		sort <<<"$output" | paste -sd ' '
	}
	[ "$(how)" = '/sys ro' ]
	[ "$(how -d /sys)" = '/sys ro' ]
	[ "$(how -w /sys)" = '/sys rw' ]
	[ "$(how -w /sys -d /sys/fs)" = '/sys rw /sys/fs ro' ]
	[ "$(how -w /sys/fs)" = '/sys rw' ]
}

@test "root: with a /proc that is bound likewise" {
	as_root
	run -0 unshare -Urm --propagation private sh -c '
		mount -t tmpfs tmpfs /proc/scsi 2>/dev/null ||
			mount -t tmpfs tmpfs /proc/fs || exit
		srt -- sh -c "for f in kernel/core_pattern vm/swappiness; do
			(: >>/proc/sys/\$f) 2>/dev/null && echo \$f; done; :"'
	[ -z "$output" ]
}

@test "root: a file of another user's cannot be read, written or taken" {
	as_root
	echo secret >theirs
	chown srt-test: theirs
	chmod 600 theirs
	echo open >public
	chown srt-test: public
	chmod 644 public
	mkdir dir
	echo x >dir/in
	chown -R srt-test: dir
	chmod 755 dir
	run srt -- sh -c '
		cat theirs && echo read
		echo x >>theirs && echo written
		chown root theirs && echo owned
		chmod 666 theirs && echo moded
		echo x >>public && echo "public written"
		echo x >dir/new && echo made
		rm dir/in && echo removed
		chown srt-test public dir && echo given
		cat public'
	[ "$(grep -c -E '^(read|written|owned|moded|public written|made|removed)$' \
		<<<"$output")" = 0 ]
	[[ $output == *open* ]]
	[ "$(cat theirs)" = secret ]
	[ "$(stat -c %U:%a theirs)" = srt-test:600 ]
	# in a directory of root's own the entry can be replaced, as ever
	run -0 srt -- sh -c 'rm -f theirs && echo mine >theirs'
	[ "$(stat -c %U theirs)" = root ]
}

@test "root: a file in a directory that is denied stays another user's, too" {
	as_root
	mkdir dir
	echo x >dir/in
	chown srt-test: dir/in
	run ! srt -d dir -- sh -c 'rm -f dir/in || echo y >dir/in'
	[ "$(cat dir/in)" = x ]
	[ "$(stat -c %U dir/in)" = srt-test ]
}

@test "root: other users' places are neither seen nor believed" {
	as_root
	other=/var/tmp/srt-mount-points-$(id -u srt-test)
	mkdir -m 700 "$other"
	printf 'srt-manifest 1\n' >"$other/0123456789abcdef.manifest"
	chown -R srt-test: "$other"
	run -0 srt -d .env -- true
	run -0 srt --sweep
	[ -e "$other/0123456789abcdef.manifest" ]
	# believed for root: a place somebody else owns at root's name
	rm -rf "$place"
	mkdir -m 700 "$place"
	chown srt-test: "$place"
	run -0 srt -d .env -- true
	[ -z "$(ls -A "$place")" ]
	[ "$(stat -c %U "$place")" = srt-test ]
	rm -rf "$place" "$other"
}

@test "root: the command's files are root's, and nobody's are unmapped" {
	as_root
	run -0 srt -- sh -c 'echo x >new; id -u; stat -c %u new'
	[ "$(stat -c %u new)" = 0 ]
	[ "${lines[0]}" = 0 ]
	[ "${lines[1]}" = 0 ]
}
