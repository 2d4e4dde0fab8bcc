#!/usr/bin/env bats
# srt-work: runs that are killed, their records, and sweeps.
# shellcheck disable=SC2016,SC2154 # shell for inside; what the helpers set
load lib/helper
load lib/life
load lib/work

setup() { setup_work; }
teardown() { teardown_work; }

# job: a run with copies, some work, and so a wipe.
job() {
	exec srt-work -b "$B" -C -f in=src -f more/in=big -- sh -c '
		mkdir -p d/e d/f/g
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
			: >d/e/$i; : >d/f/g/$i
		done'
}

@test "killed work: at 50 random moments; a sweep leaves nothing" {
	in_memory
	mkdir big
	for i in {1..150}; do echo "$i" >"big/$i"; done
	start=${EPOCHREALTIME/./}
	(job)
	us=$((${EPOCHREALTIME/./} - start))
	killed=0
	for ((i = 0; i < 50; i++)); do
		after=$((RANDOM * us / 32768))
		printf -v after '%d.%06d' $((after / 1000000)) $((after % 1000000))
		(job) 3>&- &
		sleep "$after"
		kill -KILL $! 2>/dev/null || :
		status=0
		{ wait $! || status=$?; } 2>/dev/null
		[ "$status" -ne 137 ] || killed=$((killed + 1))
		srt-work --sweep -b "$B" >/dev/null
		no_work_left || { echo "killed after $after s"; return 1; }
	done
	echo "killed $killed of 50"
	[ "$killed" -gt 0 ]
}

# Each system call that makes or removes something, the first ones and some
# later: killed just after it.
@test "killed work: at the calls that make, note, copy, seal and wipe" {
	mkdir big
	for i in {1..20}; do echo "$i" >"big/$i"; done
	for at in mkdirat:1 mkdirat:2 mkdirat:5 write:1 write:2 openat:1 \
		openat2:3 openat2:20 openat2:45 copy_file_range:1 \
		copy_file_range:17 fchmod:1 fchmod:3 \
		unlinkat:1 unlinkat:3 unlinkat:20 unlinkat:50; do
		status=0
		{ strace -qq -o /dev/null \
			-e inject="${at%:*}:signal=KILL:when=${at#*:}" \
			"$BASH" -c "$(declare -f job); job" 3>&- || status=$?
		} 2>/dev/null
		echo "$at: $status"
		srt-work --sweep -b "$B" >/dev/null
		no_work_left
	done
}

@test "killed work: the command goes with srt-work" {
	mkfifo out
	srt-work -b "$B" -- sh -c 'echo $PPID; exec sleep 1000' >out 3>&- &
	read -r supervisor <out
	exec {end}<out
	kill -KILL "$supervisor"
	# its end of the pipe is closed when it has ended
	read -r -t 20 <&"$end" || [ $? -eq 1 ]
	ended 137 $! 2>/dev/null
	srt-work --sweep -b "$B"
	no_work_left
}

@test "killed work: a sweep prints what it removes, the next run does not" {
	dead 'echo x >x; mkdir d; chmod 0 d'
	run -0 --separate-stderr srt-work --sweep -b "$B"
	[ "$output" = "$dead" ]
	[ -z "$stderr" ]
	run -0 --separate-stderr srt-work --sweep -b "$B"
	[ -z "$output$stderr" ]
	dead 'echo x >x'
	run -0 --separate-stderr srt-work -b "$B" -- ls -A "$B"
	[ "${#lines[@]}" -eq 1 ]
	[ "$output" != "${dead##*/}" ]
	[ -z "$stderr" ]
	no_work_left
}

@test "killed work: srt --sweep removes it in the default base" {
	B=/tmp dead 'echo x >x'
	run -0 --separate-stderr srt --sweep
	[ "$output" = "$dead" ]
	[ -z "$stderr" ]
	[ ! -e "$dead" ]
}

@test "killed work: where there is none, a sweep is silent and makes nothing" {
	mkdir open
	chmod 777 open
	export SRT_PLACE=$base/place
	for TMPDIR in '' /tmp rel /nonexistent "$W/open"; do
		export TMPDIR
		run -0 srt --sweep
		[ -z "$output" ]
		run -0 srt-work --sweep
		[ -z "$output" ]
		[ ! -e "$SRT_PLACE" ]
	done
	run -1 --separate-stderr srt-work --sweep -b "$W/open"
	[ "$stderr" = "srt-work: $W/open: is no base for work directories: others may write in it, and it has no sticky bit" ]
	run -1 --separate-stderr srt-work --sweep -b rel
	[ "$stderr" = "srt-work: rel: is no base for work directories: No such file or directory" ]
}

@test "killed work: that in another base stays until that is swept" {
	mkdir other
	dead 'echo x >x'
	run -0 srt-work --sweep -b other
	[ -z "$output" ]
	srt-work -b other -- true
	[ -e "$dead/x" ]
	# another directory with the path of the base is another base
	mv "$B" moved
	mkdir "$B"
	run -0 srt-work --sweep -b "$B"
	[ -z "$output" ]
	rmdir "$B"
	mv moved "$B"
	[ -e "$dead/x" ]
	run -0 srt-work --sweep -b "$B"
	[ "$output" = "$dead" ]
	no_work_left
}

@test "killed work: a live one's is never touched" {
	hold_work
	run -0 srt-work --sweep -b "$B"
	[ -z "$output" ]
	srt-work -b "$B" -- true
	[ "$(cat "$held/in/a")" = a ]
	release_work
	no_work_left
}

@test "killed work: nor is one in another PID namespace, from either side" {
	if is_root; then ns=(unshare -pf); else ns=(unshare -cpf); fi
	hold_work "${ns[@]}"
	run -0 srt-work --sweep -b "$B"
	[ -z "$output" ]
	[ -e "$held/in/a" ]
	release_work
	rm "$base/in" "$base/out"
	hold_work
	run -0 "${ns[@]}" srt-work --sweep -b "$B"
	[ -z "$output" ]
	[ -e "$held/in/a" ]
	release_work
	no_work_left
}

@test "killed work: what it left running in another PID namespace is swept" {
	if is_root; then ns=(unshare -pf); else ns=(unshare -cpf); fi
	run "${ns[@]}" srt-work -b "$B" -C -- sh -c 'echo x >x; kill -KILL $PPID'
	run -0 "${ns[@]}" srt-work --sweep -b "$B"
	no_work_left
}

# record_of DIR: its record.
record_of() { grep -l "^dir ${1##*/}\$" "$place"/*.work; }

@test "killed work: nothing is told by its name alone" {
	dead 'echo x >x'
	id=${dead##*.}
	mkdir "$B/srt-work.0123456789abcdef" "$B/srt-work.abcdef"
	echo mine >"$B/srt-work.0123456789abcdef/file"
	# nor by a record of another's directory of the same name
	mv "$dead" away
	mkdir "$dead"
	echo mine >"$dead/file"
	run -1 --separate-stderr srt-work --sweep -b "$B"
	[ -z "$output" ]
	[ "$stderr" = "srt-work: $dead: is not the directory that was made, and stays" ]
	[ "$(cat "$B"/srt-work.*/file)" = $'mine\nmine' ]
	[ ! -e "$place/$id.work" ]
	[ -e away/x ]
}

@test "killed work: a record that is no record is said, and removes nothing" {
	dead 'echo x >x'
	record=$(record_of "$dead")
	cp "$record" good
	for bad in 's/^srt-work 1/srt-work 2/' 's/^dir .*/dir ../' \
		's/^dir .*/dir a\/b/' 's/^made .*/made x 1.0/' 's/^made/junk/' \
		's/^base .*/base 1 2 3/'; do
		sed "$bad" good >"$record"
		run -1 --separate-stderr srt-work --sweep -b "$B"
		[[ $stderr == *"${record##*/} is no record of a work directory" ]]
		[ -e "$dead/x" ]
		# a run goes on all the same
		run -3 srt-work -b "$B" -- sh -c 'exit 3'
	done
	cp good "$record"
	srt-work --sweep -b "$B"
	no_work_left
}

@test "killed work: a record without its last line removes only what is empty" {
	dead 'echo x >x'
	record=$(record_of "$dead")
	sed -i /^made/d "$record"
	run -1 --separate-stderr srt-work --sweep -b "$B"
	[[ $stderr == *'is not the directory that was made, and stays' ]]
	[ -e "$dead/x" ]
	rm -r "$dead"
	dead true
	sed -i /^made/d "$(record_of "$dead")"
	run -0 --separate-stderr srt-work --sweep -b "$B"
	[ "$output" = "$dead" ]
	no_work_left
}

@test "killed work: after a reboot, with another number of the device" {
	dead 'echo x >x'
	sed -i 's/^boot .*/boot 0-0/; s/^base [0-9]*/base 4711/' \
		"$(record_of "$dead")"
	run -0 srt-work --sweep -b "$B"
	[ "$output" = "$dead" ]
	no_work_left
}

@test "killed work: two hundred at once, each with its own; all goes" {
	in_memory
	dead 'mkdir d; echo x >d/x'
	pids=()
	for ((i = 0; i < 200; i++)); do
		srt-work -b "$B" -C -f in=src -- sh -c '
			[ "$(ls -A)" = in ] && echo "$1" >mine &&
			diff -r in "$2" && [ "$(cat mine)" = "$1" ] && exit 3' \
			sh "$i" "$W/src" 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do ended 3 "$pid"; done
	no_work_left
}

@test "killed work: sweeps at the same time do not disturb each other" {
	mkfifo out
	exec {out}<>out
	for ((i = 0; i < 10; i++)); do
		srt-work -b "$B" -C -- sh -c '
			mkdir -p a/b c; echo x >a/b/x
			echo $PPID; exec sleep 1000' >out 3>&- &
	done
	# all have swept before the first is killed
	supervisors=()
	for ((i = 0; i < 10; i++)); do
		read -r pid <&"$out"
		supervisors+=("$pid")
	done
	{
		kill -KILL "${supervisors[@]}"
		wait
	} 2>/dev/null
	for ((i = 0; i < 8; i++)); do
		srt-work --sweep -b "$B" >"swept$i" 2>"said$i" 3>&- &
	done
	wait
	[ -z "$(cat said*)" ]
	[ "$(sort swept* | uniq | wc -l)" -eq 10 ]
	[ "$(cat swept* | wc -l)" -eq 10 ]
	no_work_left
}
