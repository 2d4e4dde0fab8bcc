#!/usr/bin/env bats
# Denied reading in a real sandbox (cases 19 to 23).
# shellcheck disable=SC2016,SC2154 # for the sandbox to expand; the helper's
load lib/helper
load lib/hostile

# secret PATH: makes a file with a word that must not be seen.
secret() {
	mkdir -p "$(dirname "$1")"
	echo "secret of $1" >"$1"
}

# hidden PATH [srt option ...]: nothing that can be tried shows its content.
hidden() {
	local path=$1 out
	shift
	[[ $path == /* ]] || path=$W/$path
	out=$(srt "$@" -- sh -c '
		p=$1
		cat "$p"; cat <"$p"; cat "$p"/* "$p"/*/*; cat "$p/"
		for how in cp ln mv "ln -s"; do
			$how "$p" new; cat new; rm -f new
		done
		(cd "$p" && cat ./*); (cd "${p%/*}" && cat "./${p##*/}")
		chmod 777 "$p"; cat "$p"
		umount "$p"; cat "$p"
		cat "/proc/self/cwd/$p" "/proc/self/root$p" "/proc/1/root$p"
		find "$p" -type f -exec cat {} +
		grep -r secret "$p"
		tar -cf - "$p" | cat
		(exec 3<"$p"; cat <&3)
		:' sh "$path" 2>&1 | tr -d '\0') || return
	[[ $out != *'secret of'* ]] || { echo "seen: $out"; return 1; }
}

@test "read: a denied directory is empty and read-only inside" {
	secret d/f
	secret d/sub/g
	for opts in '-w .' ''; do
		# shellcheck disable=SC2086 # words
		run -0 quiet srt $opts -R d -- sh -c '
			ls -A d; stat -c %F d; echo x >d/x || mkdir d/y ||
			rmdir d || mv d e || echo no'
		[ "${lines[0]}" = directory ]
		[[ $output == *no ]]
	done
	unchanged true
	[ "$(cat d/f)" = 'secret of d/f' ]
	nothing_left
}

@test "read: what is in a denied directory is out of reach by every name" {
	secret d/f
	secret d/sub/g
	ln -s d l
	ln -s d/f l2
	for opts in '-w . -R d' '-w . -R l' '-R d' '-R l'; do
		for p in d d/f d/sub d/sub/g; do
			# shellcheck disable=SC2086 # words
			unchanged hidden "$p" $opts
		done
		for p in l l/f l2; do
			# shellcheck disable=SC2086
			hidden "$p" $opts
			ln -sfn d l
			ln -sfn d/f l2
		done
	done
}

@test "read: a denied file cannot be opened, but its name is there" {
	secret f
	mkdir d
	secret d/g
	for opts in '-w .' '-w /' '-R d -w d'; do
		for p in f d/g; do
			# shellcheck disable=SC2086 # words
			unchanged hidden "$p" $opts -R "$p" 2>/dev/null
		done
	done
	run -0 srt -w . -R f -- sh -c 'ls; cat f' 2>/dev/null || :
	run ! srt -w . -R f -- cat f
	[[ $output == *'Permission denied'* ]]
}

@test "read: a denied file cannot be written, replaced or removed either" {
	secret f
	unchanged holds f -w . -R f
	secret d/g
	unchanged holds d -w . -R d
	unchanged holds d/g -w . -R d
	unchanged holds d/new -w . -R d
}

@test "read: files of every kind and mode are masked" {
	secret f
	: >empty
	chmod 000 empty
	secret open
	chmod 666 open
	mkfifo p
	"$bin/hostile" -s s
	for x in f empty open p s; do
		run -0 srt -w . -R "$x" -- sh -c '
			for how in "<" ">" ">>" "<>"; do
				eval "true $how $1" && echo "opened $how"
			done 2>/dev/null; :' sh "$x"
		[ -z "$output" ]
	done
}

@test "read: an absent one does nothing and makes nothing" {
	hold -w . -R absent -R a/b/c
	[ -z "$(ls -A)" ]
	[ "$(tell 'mkdir -p a/b && echo x >a/b/c && cat a/b/c')" = x ]
	release
	[ "$(cat a/b/c)" = x ]
	unchanged srt -R absent -R a/x -- true
	nothing_left
}

@test "read: with all denied only what is allowed is there" {
	secret f
	mkdir w
	cp /bin/busybox w/busybox
	run -0 srt -R / -w w -- "$W/w/busybox" sh -c "
		$W/w/busybox ls /; cd $W && $W/w/busybox ls -A
		echo x >w/x; echo x >y; :"
	[[ $output == *$'\nw'* ]]
	[[ $output != *etc* && $output != *usr* ]]
	[ -e w/x ]
	[ ! -e y ]
	nothing_left
}

@test "read: with all denied, what a shell needs can be allowed by its names" {
	opts=()
	for d in /usr /bin /lib /lib64 /lib32 /etc/alternatives; do
		[ ! -e "$d" ] || opts+=(-r "$d")
	done
	run -0 srt -R / "${opts[@]}" -w . -- sh -c 'ls /; echo x >x && cat x'
	[[ $output == *$'\nx' ]]
	[[ $output != *etc/passwd* ]]
}

# What is shown again.

@test "read: home denied, a project in it allowed: it works in there" {
	proj=$HOME/proj
	secret "$HOME/.ssh/id"
	secret "$HOME/other/f"
	mkdir -p "$proj/src"
	echo x >"$proj/src/f"
	echo x >"$proj/.env"
	cd "$proj"
	opts=(-R ~ -w . -d .env -d .git/hooks -d src/new)
	run -0 srt "${opts[@]}" -- sh -euc '
		ls -A ~; echo y >src/g; cat src/f src/g; mv src/g h; rm h'
	[ "$output" = $'proj\nx\ny' ]
	for p in .env .git/hooks src/new; do
		holds "$proj/$p" "${opts[@]}"
	done
	for p in .ssh .ssh/id other other/f; do
		hidden "$HOME/$p" "${opts[@]}"
		holds "$HOME/$p" "${opts[@]}"
	done
	holds "$HOME/new" "${opts[@]}"
	for d in "$proj" "$proj/src" "$proj/.git"; do
		stays "$d" "${opts[@]}"
	done
	[ "$(find "$HOME" -type f | wc -l)" -eq 4 ]
	nothing_left
}

@test "read: allow in deny in allow in deny, in any order of the lines" {
	secret d/x
	mkdir d/e
	echo shown >d/e/x
	secret d/e/f/x
	mkdir -p d/e/f/g
	echo shown >d/e/f/g/x
	rules=("allow-read $W" "deny-read $W/d" "allow-read $W/d/e"
		"deny-read $W/d/e/f" "allow-write $W/d/e/f/g")
	for order in '0 1 2 3 4' '4 3 2 1 0' '3 0 4 1 2' '2 4 1 0 3'; do
		for i in $order; do echo "${rules[i]}"; done >"$base/profile"
		run -0 quiet srt -p "$base/profile" -- sh -c '
			cat d/x d/e/x d/e/f/x d/e/f/g/x
			for p in x y; do
				for d in d d/e d/e/f d/e/f/g; do
					echo shown >$d/$p && echo $d
				done
			done'
		[ "$output" = $'shown\nshown\nd/e/f/g\nd/e/f/g' ]
	done
	[ "$(cat d/x d/e/f/x | grep -c secret)" -eq 2 ]
}

@test "read: an allow-write at or below a denied directory shows that part" {
	mkdir -p d/w/sub
	secret d/f
	echo x >d/w/f
	run -0 srt -w d/w -R d -- sh -euc '
		ls -A d; cat d/w/f; echo y >d/w/sub/y'
	[ "$output" = $'w\nx' ]
	[ -e d/w/sub/y ]
	# at the very path the allow wins
	run -0 srt -w d -R d -- cat d/f
	[ "$output" = 'secret of d/f' ]
	run -0 srt -r d -R d -- cat d/f
	[ "$output" = 'secret of d/f' ]
}

@test "read: a write deny inside what is shown again holds" {
	mkdir -p d/w/sub
	echo x >d/w/f
	for p in d/w/f d/w/sub/new d/w/new/x; do
		unchanged holds "$p" -w d/w -R d -d "$p"
		unchanged holds "$p" -w . -R d -w d/w -d "$p"
		unchanged holds "$p" -w . -R d -r d/w -d "$p"
	done
	nothing_left
}

@test "read: a denied file is lifted by its own name and no other" {
	secret d/f
	secret d/g
	for opts in '-r d' '-w d' '-w .' '-r .' '-r d -w d'; do
		# shellcheck disable=SC2086 # words
		hidden d/f $opts -R d/f
	done
	[ "$(srt -R d/f -r d/f -- cat d/f)" = 'secret of d/f' ]
	[ "$(srt -R d/f -w d/f -- cat d/f)" = 'secret of d/f' ]
	[ "$(srt -R d -R d/f -r d/f -- cat d/f)" = 'secret of d/f' ]
	hidden d/g -R d -r d/f
}

@test "read: a single file of a hidden directory, to read and to write" {
	secret d/n
	echo r >d/r
	echo w >d/w
	run -0 quiet srt -R d -r d/r -w d/w -- sh -c '
		ls -A d; cat d/r; echo y >d/w; echo y >d/r; rm -f d/w; echo y >d/z
		:'
	[ "$output" = $'r\nw\nr' ]
	[ "$(cat d/r d/w)" = $'r\ny' ]
	[ "$(ls d)" = $'n\nr\nw' ]
}

@test "read: what was allowed by a name is there by that name" {
	mkdir -p h real/sub
	secret h/f
	echo x >real/f
	ln -s ../real h/l
	ln -s l/sub h/l2
	[ "$(srt -R h -r h/l/f -- cat h/l/f)" = x ]
	srt -R h -w h/l2 -- sh -euc 'echo y >h/l2/y'
	[ "$(cat real/sub/y)" = y ]
	hidden h/f -R h -r h/l/f -w h/l2
	# a link that only happens to be there is not
	run -0 srt -R h -- ls -A h
	[ -z "$output" ]
}

@test "read: the command starts where it is, hidden or not" {
	mkdir -p d/w
	cd d/w
	[ "$(srt -R .. -w . -- pwd)" = "$W/d/w" ]
	run -0 srt -R .. -w .. -- pwd
	[ "$output" = "$W/d/w" ]
	run -0 srt --host-tmp -R "$W/d" -w "$HOME" -- sh -c 'pwd; ls -A'
	[[ $output != *secret* ]]
}

@test "read: what is hidden by default can be allowed" {
	dir=/run/user/$(id -u)
	[ -d "$dir" ]
	echo x >"$dir/f"
	[ "$(srt -- ls -A "$dir")" = '' ]
	[ "$(srt -r "$dir" -- cat "$dir/f")" = x ]
	[ "$(srt -r "$dir/f" -- ls "$dir")" = f ]
	echo 'unix-sockets allow' >"$base/profile"
	[ "$(srt -p "$base/profile" -- cat "$dir/f")" = x ]
	rm "$dir/f"
}

# /tmp.

@test "read: a private /tmp shows nothing of the machine's and leaves nothing" {
	echo secret >/tmp/srt-test.f
	run -0 srt -w . -- sh -c '
		ls -A /tmp /var/tmp; echo x >/tmp/x && cat /tmp/x
		echo y >/var/tmp/y && cat /var/tmp/y; stat -c %a /tmp /var/tmp'
	rm /tmp/srt-test.f
	[ "$output" = $'/tmp:\n\n/var/tmp:\nx\ny\n1777\n1777' ]
	[ ! -e /tmp/x ]
	[ ! -e /var/tmp/y ]
}

@test "read: what is granted in a private /tmp is shown on top" {
	dir=$(mktemp -d /tmp/srt-test.XXXXXX)
	mkdir -p "$dir/w/sub" "$dir/r"
	echo x >"$dir/w/f"
	echo r >"$dir/r/f"
	secret "$dir/s"
	run -0 quiet srt -w "$dir/w" -r "$dir/r" -d "$dir/w/sub/x" -- sh -c '
		cd "$1"; ls -A; cat w/f r/f; echo y >w/y; echo y >r/y
		echo y >mine; echo y >w/sub/x; rm -f r/f; mv w v; :' \
		sh "$dir"
	found=$(cd "$dir" && find . | sort | xargs)
	rm -rf "$dir"
	[ "$output" = $'r\nw\nx\nr' ]
	[ "$found" = '. ./r ./r/f ./s ./w ./w/f ./w/sub ./w/y' ]
}

@test "read: denies in a private /tmp: nothing is there, nothing can be made" {
	dir=$(mktemp -d /tmp/srt-test.XXXXXX)
	mkdir -p "$dir/d/sub"
	echo x >"$dir/d/sub/f"
	echo x >"$dir/f"
	run -0 quiet srt -w . -d "$dir/d" -r "$dir/d/sub" -d "$dir/f" -d "$dir/n/x" \
		-- sh -c '
		cd "$1"; cat d/sub/f
		for p in d/y d/sub/y f n/x; do
			rm -f $p; echo y >$p && echo landed $p
		done; echo y >n/y && echo n/y' sh "$dir"
	rm -rf "$dir"
	[ "$output" = $'x\nn/y' ]
}

@test "read: a private /tmp that is denied is empty and read-only" {
	for opts in '-d /tmp' '-d /' '-R /tmp'; do
		# shellcheck disable=SC2086 # words
		run -0 quiet srt $opts -- sh -c 'ls -A /tmp; echo x >/tmp/x || echo no'
		[[ $output == *no ]]
	done
}
