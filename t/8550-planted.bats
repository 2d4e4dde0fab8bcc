#!/usr/bin/env bats
# A hostile command leaves something for the next run: at names that one will
# deny, above them, and where planner and collector look.  The next run starts,
# its denies hold, and nothing outside is removed.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helpers set
load lib/helper
load lib/hostile
load lib/inside

# planted DENY COMMAND: the command is to be run inside, in a directory of
# its own; then a run that denies that path there shall be none the worse.
planted() {
	local n=${#denies[@]}
	mkdir -p "$n"
	denies+=("$W/$n/$1")
	commands+="(cd $n && $2) || printf 'not planted: %s\n' $(printf %q "$2")
"
}

# then_denied COUNTS [srt option ...]: one run that plants all, and one that
# denies all.  The second starts and changes nothing outside, and, if COUNTS is
# "landed", nothing that is tried inside succeeds: else it may, for what is the
# sandbox's own.
then_denied() {
	local counts=$1 options=() deny script='' out before
	shift
	out=$(srt -- bash -c "$commands" 2>&1)
	[ -z "$out" ] || { echo "$out"; return 1; }
	for deny in "${denies[@]}"; do
		options+=(-d "$deny")
		script+="echo 'at $deny'
			$(denied "$deny")
			$bin/hostile '$deny'
			"
	done
	before=$(tree 2>/dev/null)
	out=$(srt "${options[@]}" "$@" -- bash -c "$script" 2>"$base/err") ||
		{ echo "srt: status $?"; cat "$base/err"; return 1; }
	out=$(awk '/^at / { at = $2 } /^'"$counts"'/ { print at, $0 }' \
		<<<"$out")
	[ -z "$out" ] || { echo "$out"; return 1; }
	diff <(printf '%s\n' "$before") <(tree 2>/dev/null) || return
	# what was planted is no placeholder
	chmod -R u+rwx "$W"
	find "$W" \( -type s -o -name '.srt-*' \) -exec rm -r {} +
	nothing_left
}

@test "planted: links that lead nowhere, round and round, or everywhere" {
	planted P 'ln -s P P'
	planted P/tmp/x 'ln -s / P'
	planted P 'ln -s /nonexistent/x P'
	planted P 'ln -s b/c/d P'
	planted P 'ln -s P2 P; ln -s P3 P2; ln -s b/P4 P3'
	planted a/P 'ln -s a a'
	planted a/P 'ln -s b a; ln -s a b'
	planted P 'i=0; while [ $i -lt 60 ]; do ln -s l$((i + 1)) l$i
		i=$((i + 1)); done; ln -s l0 P'
	planted P 'ln -s "$(printf "%4000s" | tr " " /)x" P'
	planted P 'ln -s "$(printf "%255s" | tr " " y)" P'
	planted P 'ln -s "$(printf "%256s" | tr " " y)" P'
	planted P/x 'ln -s "$(printf "%256s" | tr " " y)" P'
	then_denied landed
}

@test "planted: links by which a rule denies much more than was meant" {
	for to in . .. / "$HOME" "$base" /usr; do
		srt -- ln -sfnT "$to" P
		unchanged srt -d P -- sh -c "$(denied "$W/P")"
		nothing_left
	done
}

@test "planted: links to what the kernel makes, and to places" {
	planted P 'ln -s /proc/self/fd/0 P'
	planted P 'ln -s /proc/self/root/etc P'
	planted P/x 'ln -s /proc/self P'
	planted P/x 'ln -s /proc/1/root P'
	planted P/x 'ln -s /proc/1/cwd P'
	planted P 'ln -s /proc/1/fd/0 P'
	planted P 'ln -s /dev/stdin P'
	planted P 'ln -s /dev/null P'
	planted P/7 'ln -s /dev/fd P'
	planted P/x 'ln -s /sys P'
	planted P "ln -s $place P"
	planted P/x "ln -s $place P"
	planted P/lock "ln -s $place P"
	then_denied none
}

@test "planted: links into /proc and /dev that rules about reading, or grants, follow" {
	for to in /proc /dev /proc/self/fd /proc/1 /proc/sys \
		/proc/self/cwd /proc/self/ns/mnt /dev/null /dev/stdin; do
		srt -- ln -sfnT "$to" P
		for rules in '-R P' '-R P/x' '-w . -w P' '-w . -w P/x' \
			'-w . -w P -d P/.env' '-R P -r P' '-w . -d P'; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr srt $rules -- sh -c '
				: </dev/zero && : </proc/self/stat && echo ran'
			[ "$status $output" = '0 ran' ] ||
				{ echo "$to $rules: $stderr"; false; }
		done
	done
	# written so, it is meant
	run -125 srt -R /proc -- true
}

@test "planted: links in /tmp where sockets are looked for, to be hidden" {
	for name in "tmux-$(id -u)" .X11-unix .ICE-unix; do
		for to in /proc /dev /usr / "$W" /proc/sys; do
			srt --host-tmp -w /tmp -- ln -sfnT "$to" "/tmp/$name"
			run -0 srt -- touch "$W/ran"
			run -0 srt --host-tmp -- rm "$W/ran"
		done
		rm "/tmp/$name"
		srt --host-tmp -w /tmp -- mkfifo "/tmp/$name"
		run -0 srt -- true
		rm "/tmp/$name"
		# what is no link is hidden
		mkdir "/tmp/$name"
		touch "/tmp/$name/s"
		run -0 srt --host-tmp -- ls -A "/tmp/$name"
		[ -z "$output" ]
		rm -r "/tmp/$name"
	done
}

@test "planted: sockets, FIFOs, files and directories at the name and above" {
	planted P 'mkfifo P'
	planted planted "$bin/hostile -s planted"
	planted planted "$bin/hostile -s planted; chmod 444 planted"
	planted P ': >P; chmod 444 P'
	planted P 'echo x >P; ln P P2'
	planted P ': >P; chmod 0 P'
	planted P 'mkdir P'
	planted P 'mkdir P; chmod 0 P'
	planted P 'mkdir P; : >P/x; chmod 555 P'
	planted P/x 'mkdir P'
	planted a/P 'echo >a'
	planted a/P 'mkfifo a'
	planted planted/P "$bin/hostile -s planted"
	planted .git/hooks 'echo "gitdir: /etc" >.git'
	planted .git/hooks 'mkfifo .git'
	planted .git/hooks 'ln -s .git .git'
	planted .git/config 'mkdir -p .git/HEAD .git/objects .git/refs'
	then_denied landed
}

@test "planted: look-alikes of what a run makes for itself" {
	planted P ': >.srt-0123456789abcdef.0; ln -s P .srt-0123456789abcdef.1
		mkdir -p .srt-0123456789abcdef.2/a'
	planted P "$bin/hostile -s P; chmod 444 P"
	planted a/P "mkdir -p srt-mount-points-$(id -u)/lock
		ln -s srt-mount-points-$(id -u) a"
	then_denied landed
}

@test "planted: what looks like a git directory refuses no later run" {
	denies=(yarn.lock index HEAD MERGE_HEAD rebase-apply sequencer
		BISECT_LOG a/info/grafts a/x.lock)
	run -0 srt "${denies[@]/#/-d}" -- true
	for plant in 'touch commondir' 'mkdir objects refs'; do
		run -0 srt -- sh -c "mkdir -p a; touch HEAD a/HEAD
			for d in . a; do (cd \$d; $plant); done"
		# HEAD is there now
		for deny in "${denies[@]}"; do
			deny_holds "$W/$deny" "${denies[@]/#/-d}"
		done
		rm -r ./*
	done
	nothing_left
}

@test "planted: a home that looks like a git directory is still a home" {
	srt -w "$HOME" -- sh -c 'cd; touch HEAD commondir; mkdir objects refs'
	hold -w "$HOME" -d "$HOME/.bashrc" -d "$HOME/.ssh" \
		-d "$HOME/.config/git/config" -d "$HOME/p/.env"
	[ "$(stat -c %F "$HOME/.bashrc")" = 'regular empty file' ]
	[ "$(stat -c %F "$HOME/.ssh")" = directory ]
	[ "$(stat -c %F "$HOME/.config/git/config")" = 'regular empty file' ]
	release
	nothing_left
}

@test "planted: directories that are closed, whatever their mode" {
	for mode in 000 100 200 300 400 500 555 600; do
		planted a/P "mkdir a; : >a/x; chmod $mode a"
		planted a/b/c/P "mkdir -p a/b/c; chmod $mode a/b/c a/b a"
	done
	then_denied landed
}

@test "planted: the write root closed" {
	for mode in 000 100 300 500; do
		srt -- chmod $mode "$W"
		# root sees no mode
		(cd / && holds P -w "$W" -d "$W/P")
		chmod 755 "$W"
		nothing_left
	done
}

@test "planted: a closed directory that cannot be listed is read-only, and that is said" {
	! is_root || skip 'root can list all'
	srt -- sh -c 'mkdir a; echo x >a/x; chmod 100 a'
	run -0 srt -d a/P -- sh -c 'cat a/x; echo y 2>/dev/null >a/x; :'
	[ "${lines[0]}" = "srt-run: $W/a: closed, and cannot be listed, so nothing in it can be written: Permission denied" ]
	[ "${lines[1]}" = x ]
	run -0 srt-run -q -W -e 'deny-write a/P' -- true
	[ -z "$output" ]
	chmod 755 a
	[ "$(cat a/x)" = x ]
	nothing_left
}

@test "planted: a link by which a file is meant whose path is longer than any can be" {
	spoil=$(inside_tool in-spoil)
	srt -- "$spoil" far P
	before=$(cat P)
	[ "$before" = far ]
	run ! srt -d P -- sh -c 'echo landed >P'
	run ! srt -d P -- sh -c 'echo landed >>P'
	run ! srt -R P -- sh -c 'cat P'
	[ "$(cat P)" = far ]
	holds P -d P
	nothing_left
}

@test "planted: a default ACL that gives nobody any right" {
	spoil=$(inside_tool in-spoil)
	srt -- "$spoil" acl . || skip 'no ACLs on this disk'
	: >"$base/umask"
	hold -d .env -d a/b/key -d a/.gitignore
	[ "$(stat -c %a a a/b .env | tr '\n' ' ')" = '755 755 444 ' ]
	not_removed .env
	not_removed a/b/key
	release
	[ -z "$(ls -A)" ]
	nothing_left
}
