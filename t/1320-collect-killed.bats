#!/usr/bin/env bats
# A clean-up that is killed half way, at every call that changes something:
# the next one finishes it, and nothing of the user's is lost.
# shellcheck disable=SC2154 # what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
}

# scene: placeholders of all kinds, one touched, one replaced, one moved into
# by the user, and what has to be there in the end.
scene() {
	rm -rf "$place" "${W:?}"/* .git .env
	mkdir .git
	leave "$W/.env" "$W/touched" "$W/replaced" "$W/a/b/key" "$W/c/key" \
		"$W/.git/config" "$W/.git/hooks"
	touch -d '2020-02-03 04:05:06 UTC' touched
	rm replaced
	echo precious >replaced
	echo mine >c/mine
}
final='
.git d
c d
c/mine f mine
replaced f precious
touched f'
final_state() {
	find . -mindepth 1 -printf '%P %y\n' | LC_ALL=C sort |
		while read -r path type; do
			if [ "$type" = f ] && [ -s "$path" ]; then
				echo "$path $type $(cat "$path")"
			else
				echo "$path $type"
			fi
		done
}

@test "killed: a collector at any of its changes, the next one finishes" {
	local n killed=0 touched
	touched="$(printf '%o' $((0666 & ~$(umask)))) 1580702706"
	for call in openat write pwrite64 renameat2 unlinkat fchmod utimensat \
		exit_group; do
		for ((n = 1; ; n++)); do
			scene
			srt-claim >/dev/null
			killed_at "$call:signal=KILL:when=$n" srt-collect \
				>/dev/null </dev/null || break
			killed=$((killed + 1))
			# whatever stands aside now, the user's is somewhere
			[ "$(cat replaced .srt-* 2>/dev/null)" = precious ]
			run -0 --separate-stderr srt --sweep
			[ -z "$stderr" ] || { echo "$call $n: $stderr"; false; }
			diff -u <(echo "${final#?}") <(final_state) ||
				{ echo "$call $n"; false; }
			[ "$(stat -c '%a %Y' touched)" = "$touched" ] ||
				{ echo "$call $n"; stat touched; false; }
			nothing_left || { echo "$call $n"; false; }
		done
	done
	[ "$killed" -ge 20 ]
}

@test "killed: a claimer at any of its changes, the next one finishes" {
	local n killed=0
	for call in pwrite64 utimensat renameat unlinkat exit_group; do
		for ((n = 1; ; n++)); do
			scene
			forge "$(id_of 1)"
			older "$place/$(id_of 1).init" 100
			rm "$forged"
			killed_at "$call:signal=KILL:when=$n" srt-claim \
				>/dev/null </dev/null || break
			killed=$((killed + 1))
			run -0 --separate-stderr srt --sweep
			[ -z "$stderr" ] || { echo "$call $n: $stderr"; false; }
			diff -u <(echo "${final#?}") <(final_state)
			nothing_left || { echo "$call $n"; false; }
		done
	done
	[ "$killed" -ge 5 ]
}

@test "killed: nobody waits for a killed collector" {
	leave "$W/.env"
	srt-claim >/dev/null
	id=$(basename "$(manifest)" .claimed)
	killed_at unlinkat:signal=KILL:when=1 srt-collect </dev/null
	[ ! -e .env ]
	[ -S ".srt-$id.0" ]
	run -0 deny_holds "$W/.env" -w . -d .env
	nothing_left
}

@test "killed: what a collector had moved aside goes though a running sandbox has the name" {
	leave "$W/.env"
	srt-claim >/dev/null
	id=$(basename "$(manifest)" .claimed)
	killed_at unlinkat:signal=KILL:when=1 srt-collect </dev/null
	hold -w . -d .env
	run -0 srt --sweep
	[ -S .env ]
	[ ! -e ".srt-$id.0" ]
	[[ $(tell 'rm -f .env && echo landed') != landed ]]
	release
	nothing_left
}

@test "killed: a file of the user's that a collector had moved aside comes back" {
	leave "$W/.env"
	srt-claim >/dev/null
	# the user's takes the place between the look and the move
	strace -qq -o /dev/null \
		-e inject=renameat2:delay_enter=1000000:delay_exit=1500000 \
		-- srt-collect </dev/null 3>&- &
	slow=$!
	sleep 0.4
	rm .env
	echo precious >.env
	wait_for test ! -e .env
	pkill -KILL -P "$slow"
	ended 137 "$slow"
	srt --sweep
	[ "$(cat .env)" = precious ]
	nothing_left
}

@test "killed: a file of the user's that was moved aside comes back though a sandbox is started meanwhile" {
	leave "$W/.env"
	srt-claim >/dev/null
	id=$(basename "$(manifest)" .claimed)
	rm .env
	echo precious >".srt-$id.0"	# as a collector killed there leaves it
	hold -w . -d other
	srt --sweep
	[ "$(cat .env)" = precious ]
	release
	[ "$(cat .env)" = precious ]
	nothing_left
}
