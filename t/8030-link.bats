#!/usr/bin/env bats
# Denies through symbolic links in a real sandbox (cases 24 to 27).
# shellcheck disable=SC2016,SC2154 # for the sandbox to expand; the helper's
load lib/helper
load lib/hostile

# kept LINK [srt option ...]: the link itself cannot be replaced or moved.
kept() {
	local path=$1 out before
	shift
	[[ $path == /* ]] || path=$W/$path
	before=$(stat -c '%F %i' "$path"; readlink "$path")
	out=$(srt "$@" -- "$bin/hostile" -d "$path") || return
	[ -z "$out" ] || { echo "inside, $path: $out"; return 1; }
	out=$(srt "$@" -- sh -c '
		p=$1
		try() { "$@" && echo "landed $*"; }
		try rm -f "$p"; try rmdir "$p"; try mv -T "$p" "$p.x"
		try ln -sfnT /etc "$p"; try ln -P "$p" "$p.h"
		try chown -h "$(id -u)" "$p"; try touch -h "$p"
		echo x >"$p.t" && try mv -fT "$p.t" "$p" ; rm -f "$p.t"
		:' sh "$path" 2>/dev/null) || return
	[ -z "$out" ] || { echo "inside, $path: $out"; return 1; }
	diff <(printf '%s\n' "$before") \
		<(stat -c '%F %i' "$path"; readlink "$path")
}

@test "link: a deny through a linked directory holds at the real path" {
	mkdir -p real/sub d
	echo x >real/f
	ln -s real rel
	ln -s "$W/real" abs
	ln -s ../real/sub d/up
	ln -s ../d/../rel/sub d/twist
	for p in rel/f abs/f d/up/../f d/twist/../f; do
		unchanged holds real/f -w . -d "$p"
		unchanged holds "$p" -w . -d "$p"
	done
	for p in rel/x abs/x d/up/../x; do
		unchanged holds real/x -w . -d "$p"
	done
	for p in rel/sub/n/x abs/sub/n/x d/up/n/x d/twist/n/x; do
		unchanged holds real/sub/n/x -w . -d "$p"
	done
	nothing_left
}

@test "link: of a directory itself: all in it is denied, by both names" {
	mkdir -p real/sub
	echo x >real/f
	ln -s real l
	for p in real/f real/x real/sub/y l/f l/x; do
		unchanged holds "$p" -w . -d l
		unchanged holds "$p" -w . -d l/
		unchanged holds "$p" -w . -d l/.
	done
	unchanged kept l -w . -d l
	unchanged stays real -w . -d l
}

@test "link: each link a deny leads through is kept" {
	mkdir -p real d/e
	echo x >real/f
	ln -s ../../real d/e/l1
	ln -s d/e/l1 l2
	ln -s "$W/l2/f" l3
	for l in d/e/l1 l2 l3; do
		unchanged kept "$l" -w . -d l3
	done
	unchanged kept l2 -w . -d l2/x
	unchanged kept d/e/l1 -w . -d l2/x
	# and the directories these links lie in
	for d in d d/e; do
		unchanged stays "$d" -w . -d l3
	done
	nothing_left
}

@test "link: neither a link to a file nor its target is written" {
	mkdir a b
	echo x >b/f
	ln -s ../b/f a/l
	unchanged holds b/f -w . -d a/l
	unchanged kept a/l -w . -d a/l
	unchanged srt -w . -d a/l -- sh -c '
		echo y >a/l; sed -i s/x/y/ a/l; cp /etc/passwd a/l
		mv -f b/f b/g; :' 2>/dev/null
	for d in a b; do unchanged stays "$d" -w . -d a/l; done
	# other links can be replaced
	ln -s f b/other
	srt -w . -d a/l -- ln -sfn x b/other
	[ "$(readlink b/other)" = x ]
}

@test "link: where a write through a dangling link would make the file" {
	mkdir d
	ln -s d/new l
	ln -s nowhere/at/all l2
	ln -s "$W/d/abs" d/l3
	ln -s d/l3 l4
	while read -r link target; do
		unchanged holds "$target" -w . -d "$link"
		unchanged kept "$link" -w . -d "$link"
		unchanged srt -w . -d "$link" -- sh -c '
			echo x >"$1"; mkdir -p "${2%/*}"; echo x >"$1"
			echo x >"$2"; :' sh "$link" "$target" 2>/dev/null
	done <<-LINKS
		l d/new
		l2 nowhere/at/all
		d/l3 d/abs
		l4 d/abs
	LINKS
	nothing_left
}

@test "link: a dangling link is denied together with its target's directory" {
	ln -s d/new l
	mkdir d
	for opts in '-d l -d d' '-d d -d l'; do
		# shellcheck disable=SC2086 # words
		unchanged holds d/new -w . $opts
		# shellcheck disable=SC2086
		unchanged kept l -w . $opts
	done
}

@test "link: one that leads nowhere is kept, and the command starts" {
	ln -s b a
	ln -s a b
	ln -s self/x self
	for i in {1..41}; do ln -s "c$((i - 1))" "c$i"; done
	echo x >c0
	for l in a b; do unchanged kept "$l" -w . -d a; done
	for l in a b; do unchanged kept "$l" -w . -d a/x/y; done
	unchanged kept self -w . -d self
	unchanged kept c41 -w . -d c41
	nothing_left
}

@test "link: a write through a link to outside the write root is refused" {
	mkdir w out
	echo x >out/f
	ln -s ../out/f w/l
	ln -s ../out w/d
	ln -s ../out/new w/n
	unchanged srt -w w -- sh -c '
		cd w; echo y >l; echo y >n; echo y >d/f; echo y >d/new
		rm -f d/f; mkdir d/x; ln d/f h; :' 2>/dev/null
	# denied or not
	for p in w/l w/d/f w/d/new w/n; do
		unchanged holds "$p" -w w -d "$p"
	done
	for l in w/l w/d w/n; do
		unchanged kept "$l" -w w -d "$l"
	done
	nothing_left
}

@test "link: into the write root, from outside it" {
	mkdir -p w/d
	echo x >w/f
	ln -s w/f in
	ln -s w/new in2
	ln -s w/d in3
	for p in in in2 in3/x; do
		unchanged holds "$p" -w w -d "$p"
	done
	unchanged holds w/f -w w -d in
	unchanged holds w/new -w w -d in2
	unchanged holds w/d/x -w w -d in3/x
	nothing_left
}

@test "link: a write root through one, and above it" {
	mkdir -p real/w/a
	ln -s real l
	ln -s real/w l2
	for w in l/w l2 l2/. "$W/l/w/"; do
		unchanged holds real/w/x -w "$w" -d real/w/x
		unchanged holds real/w/a/x -w "$w" -d l2/a/x
		unchanged stays real/w/a -w "$w" -d l/w/a/x
	done
	srt -w l2 -- touch l/w/mine
	[ -e real/w/mine ]
	nothing_left
}

@test "link: .. behind a link is the real directory's parent" {
	mkdir -p real/sub d
	ln -s real/sub l
	unchanged holds real/x -w . -d l/../x
	srt -w . -d l/../x -- touch x
	[ -e x ]
}

@test "link: reading through links is denied at the real path" {
	mkdir -p real
	echo secret >real/f
	ln -s real l
	ln -s real/f lf
	for p in l/f lf; do
		run ! srt -w . -R "$p" -- cat real/f
		run ! srt -w . -R "$p" -- cat "$p"
	done
	run -0 srt -w . -R l -- ls -A real
	[ -z "$output" ]
}

@test "link: two denies, one through a link the other denies" {
	mkdir -p real/d
	ln -s real l
	for opts in '-d l -d l/d/x' '-d l/d/x -d l' '-d l/d -d real'; do
		for p in real/d/x real/y; do
			# shellcheck disable=SC2086 # words
			unchanged holds "$p" -w . $opts
		done
		# shellcheck disable=SC2086
		unchanged kept l -w . $opts
	done
}
