#!/usr/bin/env bats
# Who gets through in the moment without a cover is found where that can be,
# and who does nothing is left alone.  t/bench/breach has the numbers.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # inner shells, bats
load lib/helper
load lib/life
load lib/watch

setup() { trap '' PIPE; setup_w; }

# rows N WAY ...: t/bench/breach's rows, in $rows.
rows() {
	rows=$("$top/t/bench/breach" -n "$@")
	echo "$rows"
}

# Late writes land only where the look at /proc took longer than 30 ms.
@test "breach: descriptors, maps and links that stay are found" {
	for way in keep path read mmap link dir cwd; do
		rows 10 "$way"
		awk 'NR > 1 { in_ += $4; found += $5 }
			END { exit !(in_ == 0 || found * 2 >= in_) }' <<<"$rows"
	done
}

@test "breach: what is over, or in flight, is not found (expected)" {
	rows 10 write flight own
	awk 'NR > 1 && $5 > $4 { exit 1 }' <<<"$rows"
}

# innocent N COMMAND: N replacements beside that command end nothing.
innocent() {
	echo old >.env
	hold -d .env
	inside "{ $2; } >/dev/null 2>&1 & echo on"
	for ((i = 0; i < $1; i++)); do
		echo "new $i" >n
		mv -f n .env
	done
	covered "$W/.env"
	holds_now "$W/.env"
	[ "$(cat .env)" = "new $(($1 - 1))" ]
	stop
	nothing_left
}

@test "breach: replacements beside a command that does nothing: no false sign" {
	innocent 100 'sleep 1000'
}

@test "breach: replacements beside one that reads the file: no false sign" {
	innocent 100 'while :; do cat .env; done'
}

@test "breach: 1,000 replacements beside one that reads each at once: no false sign" {
	rows 1000 look
	[ "$(awk 'NR > 1 { found += $5 } END { print found }' <<<"$rows")" = 0 ]
}

@test "breach: a new file that is still being written outside is no sign" {
	echo old >.env
	hold -d .env
	exec 9>n
	echo one >&9
	mv n .env
	covered "$W/.env"
	echo two >&9
	exec 9>&-
	holds_now "$W/.env"
	stop
	[ "$(cat .env)" = $'one\ntwo' ]
}

@test "breach: a command that has the old file open is not blamed" {
	echo old >.env
	hold -d .env
	echo 'exec 5<.env' >&"$hold_in"
	[ "$(inside 'readlink /proc/$$/fd/5 | grep -o .env')" = .env ]
	save_rename "$W/.env"
	covered "$W/.env"
	holds_now "$W/.env"
	stop
}

@test "breach: a placeholder that was open inside, made anew, is no sign" {
	hold -d .env
	echo 'exec 5<.env' >&"$hold_in"
	[ "$(inside 'readlink /proc/$$/fd/5 | grep -o .env')" = .env ]
	rm .env
	covered "$W/.env"
	holds_now "$W/.env"
	stop
	nothing_left
}

@test "breach: a read-denied file that is open inside, also for reading, is a sign" {
	cat >"$base/spin.py" <<-'X'
		import os, signal
		while True:
		    try:
		        fd = os.open("tok", os.O_RDONLY)
		    except OSError:
		        continue
		    if os.fstat(fd).st_nlink:	# not what was there before
		        break
		    os.close(fd)
		open("in", "w").write(os.read(fd, 9).decode())
		signal.pause()
	X
	echo old >tok
	hold -w . -R tok 2>err
	inside 'python3 '"$base"'/spin.py >/dev/null 2>&1 & echo on'
	# one at a time: of what is replaced already there is no sign
	for ((i = 0; i < 200; i++)); do
		echo new >n
		mv n tok
		covered "$W/tok" && asleep || break
		[ ! -e in ] || break
	done
	[ -e in ] || skip "nobody got through"
	[ "$(cat in)" = new ]
	ended 125 "$pid"
	grep -q "^srt-run: $W/tok: .*was opened inside before" err
	nothing_left
}
