#!/usr/bin/env bats
# Places: where manifests lie (cases 28 to 33 and 46).
# shellcheck disable=SC2016,SC2154 # inner shells; what the helpers set
# shellcheck disable=SC2030,SC2031 # each test is a subshell
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
	umask 022
	first=/var/tmp/srt-mount-points-$(id -u)
	second=/run/user/$(id -u)/srt-mount-points
	third=/tmp/srt-mount-points-$(id -u)
}

teardown() {
	rm -rf "$first" "$second" "$third"
	chmod 700 "/run/user/$(id -u)"
	teardown_w
}

# lies_in DIR: a run denies an absent path; its manifest lies there and
# nowhere else.
lies_in() {
	hold -w . -d .env
	[ "$(find "$first" "$second" "$third" "$1" -name '*.manifest' \
		2>/dev/null | sort -u | wc -l)" -eq 1 ]
	[ "$(find "$1" -name '*.manifest' | wc -l)" -eq 1 ]
	[[ $(tell 'echo x >.env && echo landed') != landed ]]
	release
	[ ! -e .env ]
}

# refused: no place can be had; the messages name each and why, and nothing has
# been made in W.
refused() {
	run -125 --separate-stderr srt -w . -d .env -- true
	[ -z "$output" ]
	[ ! -e .env ]
	[ -z "$(find . -name '.srt-*')" ]
}

@test "place: the first three exist after a run, for the user alone, with the manifest in the first" {
	lies_in "$first"
	for place in "$first" "$second" "$third"; do
		[ "$(stat -c '%F %a %u' "$place")" = \
			"directory 700 $(id -u)" ]
	done
	nothing_left
}

@test "place: a run that needs no placeholder makes them, too" {
	: >file
	srt -w . -d file -- true
	[ "$(stat -c %a "$first" "$second" "$third" | sort -u)" = 700 ]
	nothing_left
}

@test "place: looking makes none" {
	srt-live
	srt-claim
	srt-collect </dev/null
	srt --sweep
	profile "$W/.env" | srt-plan >/dev/null
	srt -w . -d .env --dry-run >/dev/null
	srt -w . -d .env --why .env >/dev/null
	profile "$W/.env" | srt-plan --why .env >/dev/null
	[ ! -e "$first" ] && [ ! -e "$second" ] && [ ! -e "$third" ]
	[ ! -e .env ]
}

@test "place: looking changes no mode" {
	mkdir -m 777 "$first"
	chmod 777 "$first"
	srt-live
	profile "$W/.env" | srt-plan >/dev/null
	[ "$(stat -c %a "$first")" = 777 ]
}

@test "place: the first blocked by a plain file, the second is used, and so on" {
	: >"$first"
	lies_in "$second"
	: >"$base/aside"
	rm -r "$second"
	: >"$second"
	lies_in "$third"
	[ "$(stat -c '%F %a' "$first")" = 'regular empty file 644' ]
	[ -z "$(manifests 2>/dev/null)" ]
}

@test "place: all blocked is refused, each named with the reason, nothing made" {
	: >"$first"
	: >"$second"
	: >"$third"
	refused
	for place in "$first" "$second" "$third"; do
		[[ $stderr == *"srt-run: $place: cannot hold a manifest: Not a directory"* ]]
	done
	[ "${stderr_lines[-1]%:*}" = 'srt-run: manifest: cannot be written, so no sandbox is started' ]
	rm "$first"
	lies_in "$first"
}

@test "place: all blocked is no matter for a run that needs no placeholder" {
	touch "$first" "$second" "$third" file
	deny_holds "$W/file" -w . -d file
}

@test "place: a link at the name is not followed" {
	mkdir -m 700 "$base/target"
	ln -s "$base/target" "$first"
	lies_in "$second"
	[ -z "$(ls -A "$base/target")" ]
	[ -L "$first" ]
	ln -sfn /no/such "$first"
	lies_in "$second"
	ln -s "$third" "$base/to-third"
	rm "$first"
	ln -s "$third" "$first"
	lies_in "$second"
}

@test "place: another user's directory at the name is not used" {
	as_root
	mkdir -m 700 "$first"
	chown 12345 "$first"
	lies_in "$second"
	[ -z "$(ls -A "$first")" ]
	[ "$(stat -c '%u %a' "$first")" = '12345 700' ]
	# nor believed
	echo garbage >"$first/$(id_of 1).manifest"
	chown 12345 "$first/$(id_of 1).manifest"
	deny_holds "$W/.env" -w . -d .env
}

@test "place: a mode that is too wide or too narrow is put right" {
	for mode in 777 755 1700 500 2700 000; do
		mkdir "$first"
		chmod "$mode" "$first"
		lies_in "$first"
		[ "$(stat -c %a "$first")" = 700 ] ||
			{ stat "$first"; false; }
		rm -r "$first"
	done
}

@test "place: whatever the umask, directories are 0700 and files 0600" {
	srt() { (umask "$mask" && exec "$top/cmd/srt" "$@"); }
	for mask in 0277 0 0777; do
		emptied
		hold -w . -d .env
		[ "$(stat -c %a "$first" "$second" "$third" | sort -u)" = 700 ]
		[ "$(find "$first" -type f -printf '%m\n' | sort -u)" = 600 ]
		[ "$(find "$first" -type f | wc -l)" -eq 3 ]
		release
		srt -w . -d .env -- true
		nothing_left
		rm -f "$base"/in.* "$base"/out.*
	done
}

@test "place: the parents of places are never made" {
	if [ -w /run/user ]; then	# not so where root has made it
		rmdir "/run/user/$(id -u)"
		srt -w . -d .env -- true
		[ ! -e "/run/user/$(id -u)" ]
		mkdir -m 700 "/run/user/$(id -u)"
	fi
	export SRT_PLACE=$base/not/there
	run -125 --separate-stderr srt -w . -d .env -- true
	[ "$stderr" = "srt-run: $base/not/there: SRT_PLACE cannot be used: No such file or directory" ]
	[ ! -e "$base/not" ]
	[ ! -e .env ]
	unset SRT_PLACE
	nothing_left
}

@test "place: a runtime directory that is not the user's alone does not count" {
	chmod 755 "/run/user/$(id -u)"
	srt -w . -d .env -- true
	[ ! -e "$second" ]
	rm -r "$first"
	: >"$first"
	lies_in "$third"
	rm "$first"
}

@test "place: the environment's are for those who can write no other" {
	mkdir -m 700 "$base/run" "$base/tmp"
	export XDG_RUNTIME_DIR=$base/run TMPDIR=$base/tmp
	lies_in "$first"
	[ -z "$(find "$base/run" "$base/tmp" -name '*srt*')" ]
	rm -r "$first" "$second" "$third"
	: >"$first"
	: >"$second"
	: >"$third"
	lies_in "$base/run/srt-mount-points"
	: >"$base/run/x"
	rm -r "$base/run/srt-mount-points"
	: >"$base/run/srt-mount-points"
	lies_in "$base/tmp/srt-mount-points-$(id -u)"
	: >"$base/tmp/x"
	rm -r "$base/tmp/srt-mount-points-$(id -u)"
	: >"$base/tmp/srt-mount-points-$(id -u)"
	refused
	[[ $stderr == *"srt-run: $base/tmp/srt-mount-points-$(id -u): cannot hold a manifest: "* ]]
	# and only as absolute paths
	export TMPDIR=tmp2 XDG_RUNTIME_DIR=run2
	mkdir tmp2 run2
	refused
	[ -z "$(find tmp2 run2 -name '*srt*')" ]
}

@test "place: processes with other TMPDIR and XDG_RUNTIME_DIR see each other's placeholders" {
	mkdir -m 700 "$base/one" "$base/two"
	export TMPDIR=$base/one XDG_RUNTIME_DIR=$base/one
	hold -w . -d .env
	export TMPDIR=$base/two XDG_RUNTIME_DIR=$base/two
	[ "$(srt-live)" = "$W/.env" ]
	run -0 srt --sweep
	[ -S .env ]
	put_by one
	hold -w . -d .env
	put_by two
	end one
	take_up two
	[ -S .env ]
	[[ $(tell 'rm -f .env && echo landed') != landed ]]
	release
	nothing_left
}

@test "place: one directory by two names counts once" {
	export SRT_PLACE=$first
	hold -w . -d .env
	[ "$(find "$first" -name '*.manifest' | wc -l)" -eq 1 ]
	release
	nothing_left
	ln -s "${first%/*}" "$base/way"
	export SRT_PLACE=$base/way/${first##*/}
	hold -w . -d .env
	[ "$(find "$first" -name '*.manifest' | wc -l)" -eq 1 ]
	release
	unset SRT_PLACE
	nothing_left
}

@test "place: never in a file system of the kernel's own making" {
	for dir in /dev/shm/place /proc/self/place /sys/place; do
		export SRT_PLACE=$dir
		run -125 --separate-stderr srt -w . -d .env -- true
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == "srt-run: /"*"/place: SRT_PLACE cannot be used: Invalid argument" ]]
		[ ! -e .env ]
		[ ! -e "$dir" ]
	done
}

@test "place: SRT_PLACE has to be absolute" {
	for value in place ./place ../x; do
		for command in srt-live srt-claim 'srt-collect'; do
			SRT_PLACE=$value run -1 --separate-stderr $command \
				</dev/null
			[[ $stderr == "$command: SRT_PLACE: "* ]]
		done
		SRT_PLACE=$value run -125 --separate-stderr \
			srt -w . -d .env -- true
		[[ $stderr == "srt-run: SRT_PLACE: "* ]]
		[ ! -e .env ]
	done
	SRT_PLACE='' run -0 srt -w . -d .env -- true
}

@test "place: one that cannot be written here is believed, and nothing in it is claimed" {
	leave "$W/left"
	hold -w . -d .env
	find "$first" | sort >before
	inside() {
		bwrap --dev-bind / / --ro-bind "$first" "$first" -- "$@"
	}
	[ "$(inside srt-live)" = "$W/.env" ]
	inside srt --sweep
	find "$first" | sort | diff before -
	[ -S .env ] && [ -S left ]
	# the next is written to, and the path is held by both
	inside srt -w . -d .env -- sh -c "$(denied "$W/.env")" >out
	[ ! -s out ]
	rm out before
	[ -S .env ]
	release
	srt --sweep
	nothing_left
}

# What a command can do about them --------------------------------------

# hidden [srt option ...]: a command with those options can neither see, make,
# write, rename nor remove the places or what is in them.
hidden() {
	leave "$W/left"
	out=$(srt "$@" -d .env -- sh -c '
		umask 0
		for place do
			[ -d "$place" ] || continue	# nothing to be seen
			[ -z "$(ls -A "$place" 2>/dev/null)" ] || echo "sees $place"
			echo 2>/dev/null >"$place/x" && echo "writes $place"
			mkdir "$place/d" 2>/dev/null && echo "makes in $place"
			mv "$place" "$place.moved" 2>/dev/null && echo "moves $place"
			rmdir "$place" 2>/dev/null && echo "removes $place"
			chmod 777 "$place" 2>/dev/null && echo "opens $place"
			mv -T "${place%/*}" "${place%/*}.moved" 2>/dev/null &&
				echo "moves above $place"
		done
		:' sh "$first" "$second" "$third" ${SRT_PLACE:+"$SRT_PLACE"})
	[ -z "$out" ] || { echo "$out"; return 1; }
	[ -d "$first" ] && [ -d "$third" ]
	[ "$(stat -c %a "$first" "$third" | sort -u)" = 700 ]
	[ ! -e "$first/x" ] && [ ! -e "$third/x" ]
	[ ! -e left ]
	nothing_left
}

@test "place: a command can do nothing to them, wherever it may write" {
	hidden -w .
	hidden -w . --host-tmp
	hidden -w . -w /var/tmp --host-tmp
	hidden -w . -w /tmp -w /var/tmp --host-tmp
	hidden -w . -w /tmp --host-tmp
	hidden -w . -w "/run/user/$(id -u)"
	hidden -w . -w "$first" -w "$second" -w "$third"
	hidden -w . -w "$first" -w "$second" -w "$third" --host-tmp
	hidden -w . -w /run/user -w /var
}

@test "place: a command that may write everywhere can do nothing to them" {
	hidden -w / --host-tmp
	hidden -w /
}

@test "place: a command that may not read around them can do nothing to them" {
	hidden -w . -R /var
	hidden -w . -R /var/tmp -w "$first" --host-tmp
	hidden -w . -R "$first" -w "$first"
	hidden -w . -R /tmp -R /var/tmp --host-tmp
}

@test "place: a command can do nothing to that of SRT_PLACE" {
	export SRT_PLACE=$base/place
	hidden -w .
	hidden -w "$base"
	mkdir -p deep/er
	export SRT_PLACE=$W/deep/er/place
	hidden -w .
	[ "$(stat -c %a deep/er/place)" = 700 ]
}

@test "place: a place that is made while a command runs does not appear inside" {
	mkdir "$base/sub"
	hold -w "$base"
	SRT_PLACE=$base/sub/place srt -C "$base/sub" -d x -- true
	[ -d "$base/sub/place" ]
	# the running one could write there: it is not its own
	release
	nothing_left
}

# Full disks ------------------------------------------------------------

# with_full N COMMAND ...: the command where the first N places lie on file
# systems without a free byte.
with_full() {
	local n=$1 args=() dir
	shift
	for dir in /var/tmp "/run/user/$(id -u)" /tmp; do
		[ "$n" -gt 0 ] || continue
		n=$((n - 1))
		args+=(--perms 0700 --size 4096 --tmpfs "$dir")
		full=${full:-}' '$dir
	done
	bwrap --dev-bind / / "${args[@]}" -- bash -ec '
		for dir in $1; do
			cat /dev/zero >"$dir/fill" 2>/dev/null || :
		done
		shift
		"$@"
		' bash "$full" "$@"
	full=
}

@test "place: a full first disk, and the next is used" {
	for n in 1 2; do
		run -0 --separate-stderr with_full "$n" bash -c '
			srt -w . -d .env -- sh -c "rm -f .env; echo x >.env" 2>/dev/null
			echo "status $?"
			find /var/tmp /run/user /tmp . -name "*.manifest" \
				-o -name "*.init" -o -name "*.claimed" \
				-o -name .env 2>/dev/null
			:'
		[[ ${lines[0]} == 'status '[12] ]]
		[ "${#lines[@]}" -eq 1 ]
		[ ! -e .env ]
	done
}

@test "place: all disks full is refused, and nothing half-written stays" {
	run -0 --separate-stderr with_full 3 bash -c '
		srt -w . -d .env -- echo ran
		echo "status $?"
		find /var/tmp /run/user /tmp . -name "*.manifest" \
			-o -name "*.init" -o -name "*.claimed" -o -name "*.tmp" \
			-o -name .env 2>/dev/null
		:'
	[ "$output" = 'status 125' ]
	[ "$(grep -c 'cannot hold a manifest: No space left on device' \
		<<<"$stderr")" -eq 3 ]
	[ ! -e .env ]
}

@test "place: a full disk is no matter for a run that needs no placeholder" {
	: >file
	run -0 --separate-stderr with_full 3 srt -w . -d file -- echo ran
	[ "$output" = ran ]
	[ -z "$stderr" ]
}

@test "place: a disk that fills up once the manifest is there stops nobody half way" {
	run -0 --separate-stderr bwrap --dev-bind / / --perms 1777 \
		--size 16384 --tmpfs /var/tmp -- bash -c '
		strace -qq -f -o /dev/null -e trace=renameat \
			-e inject=renameat:delay_exit=500000:when=1 -- \
			srt -w . -d .env -d .env2 -d a/b/c -d d/e/f -- \
			sh -c "rm -f .env; echo x >.env" 2>err &
		until ls /var/tmp/*/*.manifest >/dev/null 2>&1; do :; done
		cat /dev/zero >/var/tmp/fill 2>/dev/null
		wait $!
		echo "status $?"
		find /var/tmp -type f ! -name lock ! -name fill
		grep -v "cannot create\|Read-only\|busy" err
		:'
	[[ $output == 'status '[12] ]]
	[ -z "$stderr" ]
	rm err
	[ -z "$(ls -A)" ]
}
