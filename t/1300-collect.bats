#!/usr/bin/env bats
# srt-collect: removes what only claims name, and the claims.
# shellcheck disable=SC2154 # what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
}

# collect: srt-collect with nothing on its standard input.
collect() { srt-collect "$@" </dev/null; }

@test "collect: where nothing is, it says nothing and makes nothing" {
	run -0 --separate-stderr collect
	[ -z "$output$stderr" ]
	[ ! -e "$place" ]
}

@test "collect: what is not claimed stays" {
	leave "$W/.env"
	run -0 --separate-stderr collect
	[ -z "$output$stderr" ]
	[ -S .env ]
	[ -f "$(manifest)" ]
}

@test "collect: what claims name goes, each path named, then the claims" {
	leave "$W/.env" "$W/b"
	leave "$W/c"
	srt-claim >claims
	run -0 --separate-stderr collect
	[ "$output" = "$W/c
$W/b
$W/.env" ]
	[ -z "$stderr" ]
	rm claims
	[ -z "$(ls -A)" ]
	nothing_left
	run -0 --separate-stderr collect
	[ -z "$output$stderr" ]
}

@test "collect: made directories go with what was in them, the deepest first" {
	leave "$W/a/b/key" "$W/a/c/key" "$W/a/b/d/e"
	srt-claim >/dev/null
	run -0 --separate-stderr collect
	[ -z "$stderr" ]
	[ "${#lines[@]}" -eq 7 ]
	printf '%s\n' "${lines[@]}" | LC_ALL=C sort -r | diff - <(
		printf '%s\n' "${lines[@]}")
	[ -z "$(ls -A)" ]
	nothing_left
}

@test "collect: a pipe on standard input is read to its end first" {
	leave "$W/.env"
	{
		sleep 0.3
		srt-claim
	} | srt-collect >out
	[ "$(cat out)" = "$W/.env" ]
	nothing_left
}

@test "collect: names on standard input are only a hint" {
	leave "$W/.env" "$W/b"
	srt-claim >/dev/null
	echo "$W/precious" >precious
	printf '%s\n' "$W/precious" garbage /etc/passwd | srt-collect >out
	[ -f precious ]
	[ ! -e .env ] && [ ! -e b ]
	nothing_left
}

@test "collect: -0 prints paths as they are with a NUL behind each" {
	name=$'a b\nc\\d\377'
	leave "$W/$(printf 'a\\040b\\012c\\134d\\377')"
	[ -S "$name" ]
	srt-claim >/dev/null
	collect -0 >"$base/out"
	printf '%s\0' "$W/$name" | cmp - "$base/out"
	[ -z "$(ls -A)" ]
	nothing_left
}

@test "collect: srt --sweep claims and collects, and says what it removed" {
	leave "$W/.env"
	run -0 --separate-stderr srt --sweep
	[ "$output" = "$W/.env" ]
	[ -z "$stderr" ]
	nothing_left
	run -0 --separate-stderr srt --sweep
	[ -z "$output$stderr" ]
}

@test "collect: the next run of the user cleans up, too" {
	leave "$W/.env" "$W/a/b"
	mkdir -p "$base/else"
	run -0 --separate-stderr srt -C "$base/else" -d x -- true
	[ -z "$output$stderr" ]
	[ -z "$(ls -A)" ]
	nothing_left
}

@test "collect: a path that a running sandbox needs is left to it" {
	leave "$W/.env" "$W/b"
	hold -w . -d .env
	srt-claim >/dev/null
	run -0 --separate-stderr collect
	[ "$output" = "$W/b" ]
	[ -S .env ]
	[[ $(manifest) == *.manifest ]]
	[ -z "$(tell 'rm -f .env 2>/dev/null; echo x >.env')" ] || :
	[ -S .env ]
	release
	nothing_left
}

@test "collect: a directory that a running sandbox needs is left to it" {
	leave "$W/a/b/key"
	hold -w . -d a/other
	run -0 srt --sweep
	[ "$output" = "$W/a/b/key
$W/a/b" ]
	[ -S a/other ]
	release
	nothing_left
	[ ! -e a ]
}

@test "collect: an unclaimed manifest of another run that is over keeps its paths" {
	leave "$W/.env"
	srt-claim >/dev/null
	forge "$(id_of 1)" "make socket 0444 $W/.env"
	run -0 --separate-stderr collect
	[ -z "$output$stderr" ]
	[ -S .env ]
	srt-claim >/dev/null
	collect
	nothing_left || :
	[ -z "$(manifests)" ]
}

@test "collect: a placeholder in a directory that is closed now stays with its claim until it is open" {
	mkdir d
	leave "$W/d/key" "$W/e"
	srt-claim >/dev/null
	if is_root; then
		mount --bind d/key d/key	# EBUSY; modes say nothing to root
	else
		chmod 555 d
	fi
	for round in 1 2; do
		run -1 --separate-stderr collect
		if [ "$round" -eq 1 ]; then
			[ "$output" = "$W/e" ]
		else
			[ -z "$output" ]
		fi
		[[ $stderr == "srt-collect: $W/d/key: placeholder cannot be removed now: "* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[ -S d/key ]
		[[ $(manifest) == *.claimed ]]
	done
	# and a run is none the worse for it
	run -0 --separate-stderr srt -w . -d x -- true
	[ -z "$output" ]
	if is_root; then umount d/key; else chmod 755 d; fi
	run -0 --separate-stderr collect
	[ "$output" = "$W/d/key" ]
	[ -z "$stderr" ]
	rmdir d
	nothing_left
}

@test "collect: a directory that is gone with all that was in it is no failure" {
	mkdir d
	leave "$W/d/a/key" "$W/e"
	rm -r d
	run -0 --separate-stderr srt --sweep
	[ "$output" = "$W/e" ]
	[ -z "$stderr" ]
	nothing_left
}

@test "collect: in a place that cannot be written here nothing is collected" {
	leave "$W/.env"
	srt-claim >/dev/null
	run -0 --separate-stderr bwrap --dev-bind / / \
		--ro-bind "$place" "$place" -- srt-collect </dev/null
	[ -z "$output$stderr" ]
	[ -S .env ]
	# but what lies there is believed by others
	mv "$place"/*.claimed "$base/kept"
	mv "$base/kept" "/tmp/${place##*/}/$(id_of 1).claimed"
	cp "/tmp/${place##*/}/$(id_of 1).claimed" "$place/$(id_of 2).manifest"
	run -0 --separate-stderr bwrap --dev-bind / / \
		--ro-bind "$place" "$place" -- srt-collect </dev/null
	[ -z "$output" ]
	[ -S .env ]
	srt --sweep
	[ -z "$(manifests)" ]
	[ ! -e .env ]
}

@test "collect: of an earlier boot the device number may have changed" {
	leave "$W/.env"
	file=$(manifest)
	sed -i -E 's/^(made 0 socket) [0-9]+ /\1 99999 /' "$file"
	cp "$file" "$base/as-it-was"
	run -0 srt --sweep
	[ -z "$output" ]
	[ -S .env ]		# not what this boot's manifest says
	[ -z "$(manifests)" ]
	sed 's/^boot .*/boot 11111111-2222-3333-4444-555555555555/' \
		"$base/as-it-was" >"$file"
	run -0 srt --sweep
	[ "$output" = "$W/.env" ]
	nothing_left
}

@test "collect: a claim of another PID namespace rests for ten seconds" {
	leave "$W/.env"
	sed -i 's/^pidns .*/pidns 1/' "$(manifest)"
	srt-claim >/dev/null
	claim=$(manifest)
	run -0 --separate-stderr collect
	[ -z "$output$stderr" ]
	[ -S .env ]
	older "$claim" 8
	run -0 collect
	[ -z "$output" ]
	[ -S .env ]
	older "$claim" 11
	run -0 collect
	[ "$output" = "$W/.env" ]
	nothing_left
}

@test "collect: a resting claim keeps its paths from the others" {
	leave "$W/.env"
	cp "$(manifest)" "$place/$(id_of 1).manifest"
	sed -i 's/^pidns .*/pidns 1/' "$place/$(id_of 1).manifest"
	run -0 srt --sweep
	[ -z "$output" ]
	[ -S .env ]
	[ "$(manifests)" = "./$(id_of 1).claimed" ]
	older "$(manifest)" 11
	run -0 srt --sweep
	[ "$output" = "$W/.env" ]
	nothing_left
}

@test "collect: a claim of a live process is live all the same" {
	leave "$W/.env"
	srt-claim >/dev/null
	locked "$(manifest)"
	run -0 collect
	[ -z "$output" ]
	[ -S .env ]
	unlock
	run -0 collect
	[ "$output" = "$W/.env" ]
	nothing_left
}

@test "collect: a lock that is held for five seconds is left alone, its holder named" {
	leave "$W/.env"
	srt-claim >/dev/null
	locked "/tmp/${place##*/}/lock"
	echo 4711 >"/tmp/${place##*/}/lock"
	SECONDS=0
	run -75 --separate-stderr collect
	[ "$SECONDS" -ge 4 ]
	[ "$SECONDS" -le 30 ]
	[ -z "$output" ]
	[ "$stderr" = "srt-collect: /tmp/${place##*/}: the lock is held by process 4711 for more than 5 seconds" ]
	[ -S .env ]
	unlock
	run -0 collect
	[ "$output" = "$W/.env" ]
}

@test "collect: output that cannot be written is a failure" {
	leave "$W/.env"
	srt-claim >/dev/null
	run -1 --separate-stderr sh -c 'srt-collect >/dev/full </dev/null'
	[[ $stderr == "srt-collect: standard output: "* ]]
}
