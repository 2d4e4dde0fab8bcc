#!/usr/bin/env bats
# srt-record: the manifest of a plan, and the placeholders it names.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helpers set
# shellcheck disable=SC2030,SC2031,SC2119 # each test is a subshell
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
	plan=$base/plan
	stat_btime=$(stat -c %W .)
}

# planned PATH ...: the plan to deny them, in $plan.
planned() { profile "$@" | srt-plan >"$plan"; }

# record [PREFIX ...]: srt-record with that plan and a program that does nothing
# in the place of bubblewrap, run by the prefix (strace).  Its helper, which
# lives a moment longer, has its standard output open.
record() {
	local out status=0
	out=$("$@" srt-record --bwrap /bin/true -p "$plan" -- true 3>&-) ||
		status=$?
	[ -z "$out" ] || echo "$out"
	return "$status"
}

# unchanged COMMAND ...: afterwards nothing has been made or changed in W.
unchanged() {
	local before status=0
	before=$(find "$W" -printf '%p %i %y %m %s\n' | sort)
	"$@" || status=$?
	diff -u <(echo "$before") <(find "$W" -printf '%p %i %y %m %s\n' |
		sort) && return "$status"
}

# stale: srt-record says that the plan no longer holds, naming the path, and
# has made nothing.
stale() {
	run -75 --separate-stderr unchanged record
	[ -z "$output" ]
	[ "$stderr" = "srt-record: $1: has changed since the plan was made" ]
	no_manifest
}

# no_manifest: nor anything that was made and not placed.
no_manifest() {
	[ -z "$(manifests)" ]
	[ -z "$(find "$W" -name '.srt-*')" ]
}

@test "record: the manifest, line by line" {
	planned "$W/.env" "$W/a/b/key"
	leave "$W/.env" "$W/a/b/key"
	file=$(manifest)
	[[ ${file##*/} =~ ^[0-9a-f]{16}\.manifest$ ]]
	[ "$(stat -c '%a %F' "$file")" = '600 regular file' ]
	[ "$(stat -c '%a %s' "${file%.manifest}.init")" = '600 0' ]
	mapfile -t line <"$file"
	[ "${line[0]}" = 'srt-manifest 1' ]
	[ "${line[1]}" = "boot $boot" ]
	[ "${line[2]}" = "pidns $(stat -Lc %i /proc/self/ns/pid)" ]
	[[ ${line[3]} =~ ^recorder\ [0-9]+\ [0-9]+$ ]]
	[ "${line[4]}" = "make socket 0444 $W/.env" ]
	[ "${line[5]}" = "make dir 0755 $W/a" ]
	[ "${line[6]}" = "make dir 0755 $W/a/b" ]
	[ "${line[7]}" = "make socket 0444 $W/a/b/key" ]
	grep '^make' "$file" | cmp - <(grep '^make' "$plan")
	[ "${#line[@]}" -eq 12 ]
	i=0
	while read -r path kind; do
		read -r word number what dev ino _ mtime <<<"${line[8 + i]}"
		[ "$word $number $what" = "made $i $kind" ]
		[ "$dev $ino" = "$(stat -c '%d %i' "$path")" ]
		[ "$kind" != socket ] ||
			[ "$mtime" = "$(stat -c %.9Y "$path")" ]
		i=$((i + 1))
	done <<-EOF2
	.env socket
	a dir
	a/b dir
	a/b/key socket
	EOF2
}

@test "record: of a file the time of its last change is noted, too" {
	mkdir .git
	leave "$W/.git/config"
	[ "$(tail -n 1 "$(manifest)")" = \
		"placed 0 $(stat -c %.9Z .git/config)" ]
}

@test "record: what looks the same and was made in the same moment is told apart by birth" {
	[ "$stat_btime" != 0 ] || skip 'no times of birth here'
	leave "$W/.env"
	born=$(stat -c %.9W .env)
	grep -q "^made 0 socket [0-9]* $(inode .env) $born " "$(manifest)"
}

@test "record: bubblewrap's own lines follow" {
	hold -w . -d .env
	tail -n 1 "$(manifest)" | jq -e '."child-pid" > 0'
	init=$(tail -n 1 "$(manifest)" | jq '."child-pid"')
	[[ $(tr '\0' ' ' <"/proc/$init/cmdline") == */proc/self/fd/* ]] ||
		grep -q srt-init "/proc/$init/comm" ||
		[ "$(awk '/^NSpid/ { print $NF }' "/proc/$init/status")" = 1 ]
	release
}

@test "record: names are written so that any byte survives" {
	name='a b\c'$'\n\t\001\377'"'\"\$(x)é"
	printf 'allow-write %s\ndeny-write %s\n' "$W" \
		"$W/"'a\040b\134c\012\011\001\377'"'\"\$(x)é" |
		srt-plan >"$plan"
	record
	[ -S "$name" ]
	grep -q '^make socket 0444 .*/a' "$(manifest)"
	[ "$(grep -c '' "$(manifest)")" -eq 6 ]
	run -0 srt --sweep
	[ ! -e "$name" ]
	[ -z "$(ls -A)" ]
	nothing_left
}

@test "record: a plan that needs nothing made makes nothing" {
	: >file
	planned "$W/file" /no/such
	unchanged record
	srt --sweep
	nothing_left
}

@test "record: the status and the output are the command's" {
	planned "$W/.env"
	run -3 --separate-stderr srt-record -p "$plan" -- \
		sh -c 'echo out; echo err >&2; exit 3'
	[ "$output" = out ]
	[ "$stderr" = err ]
	srt --sweep
	nothing_left
}

@test "record: by hand, as the overview has it" {
	profile "$W/.env" >rules
	srt-plan rules >"$plan"
	srt-record -p "$plan" -- sh -c "$(denied "$W/.env")" >out
	[ ! -s out ]
	srt-claim | srt-collect >out
	[ "$(cat out)" = "$W/.env" ]
	nothing_left
}

@test "record: the plan comes from standard input, which the command then has empty" {
	planned "$W/.env"
	run -0 srt-record -- cat <"$plan"
	[ -z "$output" ]
	srt --sweep
	echo data >data
	run -0 srt-record -p "$plan" -- cat <data
	[ "$output" = data ]
	srt --sweep
	nothing_left
}

# A plan that no longer holds -------------------------------------------

@test "record: a path that was absent and is there now makes the plan stale" {
	planned "$W/.env"
	for make in 'touch .env' 'mkdir .env' 'ln -s /no/such .env' \
		'mkfifo .env' 'a_socket .env'; do
		$make
		stale "$W/.env"
		rm -rf .env
	done
}

@test "record: a directory above that was absent and is there now makes the plan stale" {
	planned "$W/a/b/key"
	mkdir a
	stale "$W/a"
	rmdir a
	ln -s /tmp a
	stale "$W/a"
}

@test "record: a directory above that is gone, or a link now, makes the plan stale" {
	mkdir -p d/e
	planned "$W/d/e/key"
	mv d/e elsewhere
	stale "$W/d/e/key"
	ln -s ../elsewhere d/e
	stale "$W/d/e/key"
	[ -z "$(ls -A elsewhere)" ]
	rm d/e
	: >d/e
	stale "$W/d/e/key"
}

@test "record: what was the user's own and is gone, or something else, makes the plan stale" {
	echo x >file
	mkdir dir
	planned "$W/file" "$W/dir"
	mv file away
	stale "$W/file"
	mkdir file
	stale "$W/file"
	rmdir file
	ln -s away file
	stale "$W/file"
	rm file
	mv away file
	mv dir away
	: >dir
	stale "$W/dir"
	rm dir
	mv away dir
	record
}

@test "record: what looked like a placeholder has to be the very same file" {
	: >file
	planned "$W/file"
	mv file away
	: >file
	stale "$W/file"
	rm file
	mv away file
	record
	srt --sweep
	# and what did not, must not look like one now
	echo x >other
	planned "$W/other"
	: >other
	stale "$W/other"
}

@test "record: what looked like the user's and is named now makes the plan stale" {
	leave "$W/.env"
	mv "$(manifest)" "$base/hidden"
	planned "$W/.env"
	grep -q "^own socket .*$W/.env" "$plan"
	mv "$base/hidden" "$place/$(id_of 1).manifest"
	run -75 --separate-stderr record
	[ "$stderr" = "srt-record: $W/.env: has changed since the plan was made" ]
	[ -S .env ]
	[ "$(manifests)" = "./$(id_of 1).manifest" ]
}

@test "record: another's placeholder that is gone, or another file, makes the plan stale" {
	leave "$W/.env"
	planned "$W/.env"
	grep -q '^rely ' "$plan"
	mv .env away
	stale_rely() {
		run -75 --separate-stderr record
		[ "$stderr" = "srt-record: $W/.env: has changed since the plan was made" ]
		# its own stays, for what others may have left to it
		[ "$(manifests | wc -l)" -eq "$1" ]
	}
	stale_rely 2
	: >.env
	stale_rely 3
	rm .env
	mv away .env
	record
	[ "$(manifests | wc -l)" -eq 4 ]
	srt --sweep
	nothing_left
}

@test "record: a directory of another's making above must be named by the plan" {
	leave "$W/a/x"
	mv "$(manifest)" "$base/hidden"
	planned "$W/a/b"
	run ! grep '^rely' "$plan"
	mv "$base/hidden" "$place/$(id_of 1).manifest"
	run -75 --separate-stderr record
	[ "$stderr" = "srt-record: $W/a: has changed since the plan was made" ]
	[ ! -e a/b ]
	[ "$(manifests)" = "./$(id_of 1).manifest" ]
}

# A plan that could not come from srt-plan: the last cannot be made.
in_vain() {
	planned "$W/a"
	printf 'make socket 0444 %s\n' "$W/zz" "$W/zz" | cat "$plan" - >"$base/vain"
}

@test "record: what the user puts in place of one that is taken back stays" {
	in_vain
	echo mine >"$base/mine"
	seen=0
	for ((n = 1; ; n++)); do
		# after the nth look at what something is
		: >"$base/calls"
		strace -qq -o "$base/calls" \
			-e inject="statx:signal=STOP:when=$n" -- \
			srt-record -p "$base/vain" -- true 2>/dev/null 3>&- &
		tracer=$!
		wait_for stopped_or_over
		stopped=$(pgrep -P "$tracer") || break
		put=
		if [ -S a ]; then
			cp "$base/mine" new
			mv -T new a
			put=1 seen=$((seen + 1))
		fi
		kill -CONT "$stopped"
		ended 75 "$tracer"
		if [ "$put" ]; then
			[ "$(cat a)" = mine ]
			rm a
		fi
		[ -z "$(ls -A)" ]
	done
	ended 75 "$tracer"
	[ "$seen" -gt 2 ]
	nothing_left
}
stopped_or_over() {
	grep -q 'stopped by SIGSTOP' "$base/calls" || ! kill -0 "$tracer" ||
		[ "$(cut -d ' ' -f 3 "/proc/$tracer/stat")" = Z ]
}

@test "record: where a later one cannot be made the earlier ones are taken back" {
	planned "$W/a" "$W/b/c/key" "$W/z"
	# a plan that could not come from srt-plan
	{
		cat "$plan"
		echo "make socket 0444 $W/zz"
		echo "make socket 0444 $W/zz"
	} >"$base/twice"
	plan=$base/twice
	run -75 --separate-stderr unchanged record
	[ -z "$(ls -A)" ]
	[ -z "$(manifests)" ]
}

@test "record: the user's file that takes a name while others are made stays, and what was made goes" {
	mkdir d
	planned "$W/a/b/key" "$W/c"
	for n in 1 2; do
		rm -rf a c
		strace -qq -o /dev/null \
			-e inject=renameat2:delay_enter=700000:when="$n" -- \
			srt-record --bwrap /bin/true -p "$plan" -- true \
			2>"$base/err" 3>&- &
		slow=$!
		wait_for sh -c 'ls -d .srt-*'
		[ "$n" -eq 1 ] || wait_for test -S a/b/key
		if [ "$n" -eq 1 ]; then mkdir a; else
			wait_for sh -c 'ls -d .srt-*.3'
			echo mine >c
		fi
		ended 75 "$slow"
		[[ $(cat "$base/err") == *"has changed since the plan was made" ]]
		nothing_left
		if [ "$n" -eq 1 ]; then
			[ "$(ls -A)" = "$(printf 'a\nd')" ]
			[ -z "$(ls -A a)" ]
		else
			[ "$(ls -A)" = "$(printf 'c\nd')" ]
			[ "$(cat c)" = mine ]
		fi
	done
}

@test "record: taking back does not take a file that the user put there in that moment" {
	planned "$W/a" "$W/c"
	# a is made; c cannot be; then a is taken back, slowly
	strace -qq -o /dev/null \
		-e inject=renameat2:delay_enter=700000:when=2 \
		-e inject=unlinkat:delay_enter=700000:when=1 -- \
		srt-record --bwrap /bin/true -p "$plan" -- true \
		2>/dev/null 3>&- &
	slow=$!
	wait_for sh -c 'ls -d .srt-*.1'
	echo mine >c
	sleep 0.9	# it is in unlinkat by now, or after it
	rm -f a
	echo precious >a
	ended 75 "$slow"
	[ "$(cat a)" = precious ]
	[ "$(cat c)" = mine ]
	nothing_left
}

# Where it cannot be done -----------------------------------------------

@test "record: a place where nothing can be made is a failure of its own, and nothing is left" {
	planned "$W/a"
	if is_root; then
		mount -t tmpfs -o ro tmpfs /run/user
		sed "s|^make .*|&\nmake socket 0444 /run/user/x|" "$plan" >"$base/p"
	else
		sed "s|^make .*|&\nmake socket 0444 /usr/x|" "$plan" >"$base/p"
	fi
	plan=$base/p
	run -125 --separate-stderr record
	! is_root || umount /run/user
	[[ $stderr == "srt-record: /"*"/x: cannot be made: "* ]]
	[ -z "$(ls -A)" ]
	[ -z "$(manifests)" ]
}

@test "record: a full disk where the placeholder goes is a failure, and nothing is left" {
	as_root
	mkdir small
	mount -t tmpfs -o nr_inodes=3,mode=755 tmpfs small
	W=$W/small
	planned "$W/a" "$W/b" "$W/c" "$W/d"
	run -125 --separate-stderr record
	[[ $stderr == "srt-record: $W/"?": cannot be made: No space left on device" ]]
	[ -z "$(ls -A small)" ]
	[ -z "$(manifests)" ]
	umount small
}

@test "record: where no socket can be made an empty file has to do" {
	planned "$W/.env" "$W/a/key"
	for error in EPERM EOPNOTSUPP EINVAL; do
		record strace -qq -o /dev/null \
			-e inject=mknodat:error=$error:when=1 --
		[ "$(stat -c '%F %a' .env)" = 'regular empty file 444' ]
		grep -q '^made 0 file ' "$(manifest)"
		grep -q '^placed 0 ' "$(manifest)"
		[ -S a/key ]
		run -0 srt --sweep
		[ "${#lines[@]}" -eq 3 ]
		[ -z "$(ls -A)" ]
		nothing_left
	done
	for error in EPERM EINVAL; do
		strace -qq -f -o /dev/null -e inject=mknodat:error=$error:when=1 \
			-e trace=mknodat -- srt -w . -d .env -- \
			sh -c "$(denied "$W/.env")" >out
		[ ! -s out ]
		rm out
		nothing_left
	done
}

@test "record: where names cannot be given by RENAME_NOREPLACE it is done without" {
	mkdir .git
	planned "$W/.env" "$W/a/b/key" "$W/.git/config"
	record strace -qq -o /dev/null -e inject=renameat2:error=EINVAL --
	[ -S .env ] && [ -S a/b/key ] && [ -f .git/config ]
	[ "$(stat -c %h .env .git/config)" = '1
1' ]
	srt-claim >/dev/null
	strace -qq -o /dev/null -e inject=renameat2:error=EINVAL -- \
		srt-collect </dev/null >out
	[ "$(wc -l <out)" -eq 5 ]
	rm out
	[ "$(ls -A)" = .git ]
	nothing_left
	# and replaces nothing all the same
	for make in 'touch .env' 'mkdir a'; do
		strace -qq -o /dev/null -e inject=renameat2:error=EINVAL \
			-e inject=mkdirat,mknodat:delay_enter=500000:when=1 -- \
			srt-record --bwrap /bin/true -p "$plan" -- true \
			2>/dev/null 3>&- &
		slow=$!
		wait_for manifest
		sleep 0.2
		$make
		ended 75 "$slow"
		nothing_left
		rm -r .env 2>/dev/null || rmdir a
		[ "$(ls -A)" = .git ]
	done
}

@test "record: a manifest that would be larger than a mebibyte is refused" {
	planned "$W/.env"
	long=$(printf '%0200d' 0)
	seq -f "make socket 0444 $W/$long%06.0f" 5000 >>"$plan"
	run -125 --separate-stderr record
	[[ ${stderr_lines[-1]} == *': File too large' ]]
	[ -z "$(ls -A)" ]
	[ -z "$(manifests)" ]
}

@test "record: a lock that is held for five seconds is named, and nothing is left" {
	planned "$W/.env"
	mkdir -m 700 "$place"
	: >"$place/lock"
	locked "$place/lock"
	echo 4711 >"$place/lock"
	SECONDS=0
	run -75 --separate-stderr unchanged record
	[ "$SECONDS" -ge 4 ]
	[ "$SECONDS" -le 30 ]
	[ "$stderr" = "srt-record: $place: the lock is held by process 4711 for more than 5 seconds" ]
	unlock
	nothing_left
}

@test "record: a lock file that was replaced while it was waited for is not taken for the lock" {
	mkdir -m 700 "$place"
	: >"$place/lock"
	locked "$place/lock"
	srt -w . -d .env -- true 3>&- {lock_in}>&- &
	waiter=$!
	wait_for manifest
	sleep 0.1
	rm "$place/lock"
	: >"$place/lock"
	exec {old}>&"$lock_in"
	put_by_lock=$locker
	locked_again=$(tool lock)
	"$locked_again" "$place/lock" </dev/null >/dev/null 3>&-
	exec {lock_in}>&- {old}>&- {lock_out}<&-
	wait "$put_by_lock"
	ended 0 "$waiter"
	nothing_left
}

@test "record: no lock file can be a link or a directory" {
	planned "$W/.env"
	mkdir -m 700 "$place"
	ln -s "$base/elsewhere" "$place/lock"
	run -75 --separate-stderr record
	[[ $stderr == "srt-record: $place: cannot be locked: "* ]]
	[ ! -e "$base/elsewhere" ]
	[ ! -e .env ]
	rm "$place/lock"
	mkdir "$place/lock"
	run -75 --separate-stderr record
	[[ $stderr == "srt-record: $place: cannot be locked: Is a directory" ]]
	rmdir "$place/lock"
	nothing_left
}
