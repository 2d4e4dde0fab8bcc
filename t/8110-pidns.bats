#!/usr/bin/env bats
# Runs and clean-ups in different PID namespaces that share the places (case
# 41): nothing goes while it runs, all goes when it is over.
# shellcheck disable=SC2016,SC2034,SC2154 # inner shells; what helpers use, set
load lib/helper
load lib/life

setup() { setup_where; }

# as a container: a PID namespace of its own with its own /proc
container=(bwrap --dev-bind / / --unshare-pid --proc /proc --)
# with the /proc of the namespace above
if [ "$(id -u)" -eq 0 ]; then
	bare=(unshare --pid --fork --kill-child --)
else
	bare=(unshare --user --map-current-user --pid --fork --kill-child --)
fi

@test "pidns: a run in another namespace is left alone, and cleans up when it ends" {
	where=("${container[@]}")
	hold -w . -d .env
	where=()
	[ "$(srt-live)" = "$W/.env" ]
	run -0 srt --sweep
	[ -z "$output" ]
	older "$(manifest)" 100
	run -0 srt --sweep
	[ -z "$output" ]
	[ -S .env ]
	not_removed .env
	release
	nothing_left
}

@test "pidns: from inside another namespace a run here is left alone" {
	shared_there manifest
	nothing_left
}

@test "pidns: what is killed in another namespace is claimed at once and collected after ten seconds" {
	killed_there manifest
}

@test "pidns: what is killed here is collected from another namespace after ten seconds" {
	hold -w . -d .env
	murder
	run -0 "${container[@]}" srt --sweep
	[ -z "$output" ]
	[[ $(manifest) == *.claimed ]]
	older "$(manifest)" 11
	run -0 "${container[@]}" srt --sweep
	[ "$output" = "$W/.env" ]
	nothing_left
}

@test "pidns: a claim that rests there is collected here at once" {
	hold -w . -d .env
	murder
	"${container[@]}" srt --sweep
	[ -S .env ]
	run -0 srt --sweep
	[ "$output" = "$W/.env" ]
	nothing_left
}

@test "pidns: a sandbox that is stopped there is live" {
	where=("${container[@]}")
	hold -w . -d .env
	where=()
	mapfile -t all < <(tree_of "$pid")
	# the sandbox's own: they have a pid in three namespaces
	for process in "${all[@]}"; do
		[ "$(awk '/^NSpid/ { print NF }' "/proc/$process/status")" \
			-ge 4 ] || continue
		kill -STOP "$process"
		stopped+=("$process")
	done
	[ "${#stopped[@]}" -ge 2 ]
	srt --sweep
	[ -S .env ]
	kill -CONT "${stopped[@]}"
	release
	nothing_left
}

@test "pidns: with the /proc of another namespace looking and clean-up work" {
	hold -w . -d .env
	[ "$("${bare[@]}" srt-live)" = "$W/.env" ]
	run -0 "${bare[@]}" "$top/cmd/srt" --sweep
	[ -z "$output" ]
	[ -S .env ]
	murder
	run -0 "${bare[@]}" "$top/cmd/srt" --sweep
	[ -z "$output" ]
	older "$(manifest)" 11
	run -0 "${bare[@]}" "$top/cmd/srt" --sweep
	[ "$output" = "$W/.env" ]
	nothing_left
}

@test "pidns: with the /proc of another namespace a run holds, or is refused in one line and leaves nothing" {
	limit=$(cat /proc/sys/user/max_user_namespaces)
	run --separate-stderr "${bare[@]}" "$top/cmd/srt" -w . -d .env -- \
		sh -c "$(denied "$W/.env"); echo ran"
	# what has that pid there is another process, with the machine's limit
	[ "$(cat /proc/sys/user/max_user_namespaces)" = "$limit" ]
	[[ $stderr != *max_user_namespaces* ]]
	case $status in
	0) [ "$output" = ran ] ;;
	125) [ "${#stderr_lines[@]}" -eq 1 ] && [ -z "$output" ] ;;
	*) false ;;
	esac
	[ ! -e .env ]
	nothing_left
}

@test "pidns: as PID 1 of a namespace a run reaps, and ends when it is over" {
	run -7 --separate-stderr "${container[@]}" srt-run -W \
		-e "deny-write $W/.env" -- sh -c 'sleep 0.01 & exit 7'
	[ -z "$stderr" ]
	nothing_left
}

@test "pidns: many runs in many namespaces at once" {
	where=("${container[@]}")
	for n in 1 2 3 4 5 6; do
		for _ in 1 2 3 4; do
			[ $((n % 2)) -eq 0 ] || where=()
			srt -w . -d .env -d a/key -- sh -c '
				rm -f .env a/key 2>/dev/null
				echo x 2>/dev/null >.env && echo landed
				echo ran'
		done >"$base/out.$n" 2>&1 3>&- &
		where=("${container[@]}")
	done
	wait
	[ "$(cat "$base"/out.* | sort | uniq -c | tr -s ' ')" = ' 24 ran' ]
	[ ! -e .env ]
	# a run may have been claimed by one of another namespace
	for claim in "$place"/*.claimed; do
		[ ! -e "$claim" ] || older "$claim" 11
	done
	srt-claim | srt-collect
	nothing_left
	[ ! -e a ]
}
