#!/usr/bin/env bats
# The second manifest, in SRT_PLACE: for containers that share a project and
# nothing else.  The run relies on both, and each is enough to protect.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # subshells; what helpers set
load lib/helper
load lib/life

setup() {
	setup_where
	export SRT_PLACE=$base/second
}

# a container: its own PID namespace, its own places; the project is shared
container=(bwrap --dev-bind / / --unshare-pid --proc /proc
	--perms 1777 --tmpfs /tmp --perms 1777 --tmpfs /var/tmp
	--tmpfs /run/user --)

second() { find "$SRT_PLACE" -name '*.manifest' -o -name '*.claimed'; }

@test "second: the same text lies in both, under one name" {
	hold -w . -d .env -d a/key
	[ "$(basename "$(manifest)")" = "$(basename "$(second)")" ]
	cmp <(grep -v '^{' "$(manifest)") <(grep -v '^{' "$(second)")
	for file in "$(manifest)" "$(second)"; do
		[ "$(grep '^{' "$file" | jq '."child-pid"')" -gt 0 ]
	done
	[ "$(stat -c %a "$SRT_PLACE")" = 700 ]
	[ "$(find "$SRT_PLACE" -type f -printf '%m\n' | sort -u)" = 600 ]
	[ "$(srt-live)" = "$W/.env
$W/a
$W/a/key" ]
	release
	nothing_left
}

@test "second: srt-record writes it, too, and says there who init is" {
	profile "$W/.env" | srt-plan >"$base/plan"
	mkfifo "$base/go"
	srt-record -p "$base/plan" -- cat <"$base/go" 3>&- &
	exec {go}>"$base/go"
	wait_for sh -c 'grep -qs child-pid "$1"/*.manifest' sh "$SRT_PLACE"
	# the first is gone, as for another container
	mv "$place" "$base/hidden"
	run -0 srt --sweep
	[ -z "$output" ]
	[ -S .env ]
	mv "$base/hidden" "$place"
	exec {go}>&-
	wait
	srt --sweep
	nothing_left
}

@test "second: a container that shares only the project sees what a run here holds" {
	shared_there second
	for file in $(second); do older "$file" 11; done
	srt --sweep
	nothing_left
}

@test "second: what was killed in a container is claimed here, and collected after ten seconds" {
	killed_there second
	[ -z "$(manifests)" ]
}

@test "second: of a killed run here both go at once" {
	hold -w . -d .env
	murder
	run -0 srt --sweep
	[ "$output" = "$W/.env" ]
	nothing_left
}

@test "second: the first gone, the second is enough" {
	hold -w . -d .env
	rm "$place"/*.manifest "$place"/*.init
	run -0 srt --sweep
	[ -z "$output" ]
	[ -S .env ]
	[ "$(srt-live)" = "$W/.env" ]
	run -0 srt -w . -d .env -- true
	[ -S .env ]
	not_removed .env
	release || :
	srt --sweep
	nothing_left
}

@test "second: where it cannot be written the run is refused, with nothing left in the first" {
	: >"$SRT_PLACE"
	run -125 --separate-stderr srt -w . -d .env -- true
	[[ ${stderr_lines[0]} == "srt-run: $SRT_PLACE: SRT_PLACE cannot be used: "* ]]
	[ ! -e .env ]
	[ -z "$(manifests)" ]
	rm "$SRT_PLACE"
	run -125 --separate-stderr bwrap --dev-bind / / --perms 0700 \
		--size 4096 --tmpfs "$base/full" -- sh -c '
		export SRT_PLACE=$1/place
		cat /dev/zero >$1/fill 2>/dev/null
		"$2" -w . -d .env -- true' sh "$base/full" "$top/cmd/srt"
	[[ ${stderr_lines[0]} == "srt-run: $base/full/place: SRT_PLACE cannot be used: No space left on device" ]]
	[ ! -e .env ]
	[ -z "$(manifests)" ]
}

@test "second: a run that needs no placeholder does without it" {
	: >"$SRT_PLACE"
	: >file
	run -0 srt -w . -d file -- true
}

@test "second: in a tight loop, clean-ups in a container disturb no run here" {
	mkdir "$base/go"
	# shellcheck disable=SC2016 # for the inner shell to expand
	"${container[@]}" sh -c '
		while [ -d "$1" ]; do srt-claim | srt-collect; done' \
		sh "$base/go" >/dev/null 2>"$base/loop.err" 3>&- &
	loop=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		run -0 --separate-stderr srt -w . -d .env -d a/key -- sh -c '
			rm -f .env a/key 2>/dev/null
			echo x 2>/dev/null >.env && echo landed
			echo ran'
		[ "$output" = ran ]
		[ -z "$stderr" ]
	done
	rmdir "$base/go"
	wait "$loop" || :
	[ ! -s "$base/loop.err" ]
	for file in $(second); do older "$file" 11; done
	srt --sweep
	[ -z "$(ls -A)" ]
	nothing_left
}
