#!/usr/bin/env bats
# Denied paths in a real sandbox: absent or there, whatever they are called and
# wherever they lie (cases 1 to 13).
# shellcheck disable=SC2016,SC2154 # for the sandbox to expand; the helper's
load lib/helper
load lib/hostile

# Absent ones.

@test "deny: an absent path cannot be made in any way" {
	mkdir d
	for p in .env d/x d/.x; do
		unchanged holds "$p" -w . -d "$p"
	done
	nothing_left
}

@test "deny: a placeholder stands there during the run and not after it" {
	hold -w . -d .env
	[ -S .env ]
	[ "$(tell 'cat .env && ! test -s .env && echo empty')" = empty ]
	[ "$(tell 'ls -A')" = .env ]
	release
	[ ! -e .env ]
	nothing_left
}

@test "deny: with missing directories above it nothing can be made there" {
	mkdir a
	unchanged holds a/b/c/x -w . -d a/b/c/x
	unchanged holds new/x -w . -d new/x
	nothing_left
}

@test "deny: directories made for it are writable for all else, and go" {
	mkdir a
	srt -w . -d a/b/c/x -- sh -euc '
		mkdir a/b/d
		echo y >a/b/d/y
		echo z >a/b/c/z
		rm a/b/c/z
		mkdir a/b/c/gone
		rmdir a/b/c/gone'
	[ "$(find . | sort | xargs)" = '. ./a ./a/b ./a/b/d ./a/b/d/y' ]
	[ "$(cat a/b/d/y)" = y ]
	nothing_left
}

@test "deny: what a command leaves in each made directory stays, no more" {
	srt -w . -d a/b/c/x -- sh -euc '
		echo 1 >a/1
		echo 2 >a/b/c/2'
	[ "$(find . | sort | xargs)" = '. ./a ./a/1 ./a/b ./a/b/c ./a/b/c/2' ]
	nothing_left
}

@test "deny: five absent paths in different places, all gone in one clean-up" {
	mkdir -p one two/sub
	unchanged srt -w . -d one/x -d two/sub/y -d three/a -d three/b \
		-d four/five/six -- sh -c '
		for p in one/x two/sub/y three/a three/b four/five/six; do
			echo x >"$p" && echo landed
		done 2>/dev/null; :'
	nothing_left
	run -0 srt --sweep
	[ -z "$output" ]
}

@test "deny: many denies in one absent directory, and each of them holds" {
	denies=()
	for i in {1..20}; do denies+=(-d "new/$i"); done
	for i in 1 7 20; do
		unchanged holds "new/$i" -w . "${denies[@]}"
	done
	srt -w . "${denies[@]}" -- sh -c 'echo mine >new/21'
	[ "$(find . -type f)" = ./new/21 ]
	nothing_left
}

@test "deny: an absent directory of that name can be made by nobody inside" {
	run -0 srt -w . -d build/out -- sh -c '
		mkdir -p build/out/x 2>/dev/null || echo no
		mkdir build/out.d && echo yes'
	[ "$output" = $'no\nyes' ]
	[ "$(find . | sort | xargs)" = '. ./build ./build/out.d' ]
}

# What is there.

@test "deny: a file that is there can be read, and that is all" {
	echo content >f
	unchanged holds f -w . -d f
	[ "$(srt -w . -d f -- cat f)" = content ]
	[ "$(srt -w . -d f -- sh -c 'echo y >g; cat g')" = y ]
}

@test "deny: so are files of any mode and size" {
	: >empty
	echo x >closed
	echo x >open
	echo x >program
	chmod 000 closed
	chmod 666 open
	chmod 755 program
	for f in empty closed open program; do
		unchanged holds "$f" -w . -d "$f"
	done
}

@test "deny: what is open for reading cannot be written or truncated" {
	echo content >f
	unchanged srt -w . -d f -- sh -c '
		exec 3<f
		echo x >/dev/fd/3
		truncate -s 0 /dev/fd/3
		truncate -s 0 /proc/self/fd/3
		:' 2>/dev/null
}

@test "deny: what the caller has open for writing is not passed on" {
	echo content >f
	exec 7>>f
	srt -w . -d f -- sh -c 'echo x >&7; :' 2>/dev/null
	exec 7>&-
	[ "$(cat f)" = content ]
}

@test "deny: a directory that is there, and all in it" {
	mkdir -p d/sub
	echo 1 >d/f
	echo 2 >d/sub/g
	for p in d d/f d/sub d/sub/g d/new d/sub/new d/new/x; do
		unchanged holds "$p" -w . -d d
		unchanged stays "$p" -w . -d d
	done
	[ "$(srt -w . -d d -- sh -c 'cat d/f d/sub/g; echo 3 >e; cat e')" = \
		$'1\n2\n3' ]
}

@test "deny: an empty directory is the user's, and stays" {
	mkdir d
	unchanged holds d/x -w . -d d
	unchanged holds d -w . -d d
	nothing_left
}

@test "deny: fifos and links cannot be replaced, and fifos not be written into" {
	mkfifo p
	unchanged holds p -w . -d p
	ln -s p l
	before=$(look p; look l)
	run -0 srt -w . -d p -d l -- sh -c '
		for x in p l; do
			rm -f $x && echo landed
			mv $x y && echo landed
			ln -sfT /x $x && echo landed
			chmod 777 $x && echo landed
		done 2>/dev/null; :'
	[ -z "$output" ]
	[ "$(look p; look l)" = "$before" ]
}

@test "deny: a fifo, in a denied directory or outside what may be written" {
	mkdir d out
	mkfifo d/p
	for options in '-w . -d d -d d/p' '-w out -d d/p'; do
		# for reading and writing nobody has to be waited for
		# shellcheck disable=SC2086 # words
		run -0 srt $options -- sh -c '(: <>d/p) 2>/dev/null && echo open; :'
		[ "$output" = '' ]
	done
	run -0 srt -w out -- sh -c '(: <>d/p) 2>/dev/null && echo open; :'
	[ "$output" = open ]
	nothing_left
}

@test "deny: no other name can be had for it: hard links are refused" {
	mkdir d
	echo x >d/f
	run -0 quiet srt -w . -d d/f -- sh -c '
		ln d/f d/g || ln d/f g || cp -l d/f h || echo none'
	[[ $output == *none ]]
	[ "$(stat -c %h d/f)" -eq 1 ]
}

# Where it lies.

@test "deny: outside every write root it needs no mount and makes nothing" {
	mkdir w other
	echo x >other/f
	run -0 srt -w w -d other/f -d other/absent -d other/a/b/c -d other -- \
		sh -c 'grep -c "$1/other" /proc/self/mountinfo; ls -A other' \
		sh "$W"
	[ "$output" = $'0\nf' ]
	for p in other/f other/absent other/a/b/c; do
		unchanged holds "$p" -w w -d "$p"
	done
}

@test "deny: of the write root itself: nothing in it is writable" {
	mkdir -p w/sub
	for p in w w/x w/sub/x; do
		unchanged holds "$p" -w w -d w
		unchanged holds "$p" -w w/ -d ./w/.
	done
}

@test "deny: of a parent of the write root: nothing in it is writable" {
	mkdir -p p/w/sub
	for p in p/w/x p/w/sub/x p/x; do
		unchanged holds "$p" -w p/w -d p
		unchanged holds "$p" -w p/w -d . -w .
		unchanged holds "$p" -w p/w -d /
	done
}

@test "deny: write roots in write roots, there and absent, at each level" {
	mkdir -p a/b/c
	echo x >a/b/f
	opts=(-w . -w a -w a/b/c -d a/b/f -d a/b/c/x -d a/y)
	for p in a/b/f a/b/c/x a/y; do
		unchanged holds "$p" "${opts[@]}"
	done
	srt "${opts[@]}" -- sh -euc 'echo 1 >1; echo 2 >a/2; echo 3 >a/b/c/3
		mv 1 a/b/c/1; ln a/2 a/b/2'
	[ "$(cat a/b/c/1 a/b/2)" = $'1\n2' ]
}

@test "deny: a write root below a denied directory is not writable" {
	mkdir -p d/sub
	unchanged holds d/sub/x -w . -d d -w d/sub
}

@test "deny: of a directory and of something in it, in either order" {
	for there in 0 1; do
		[ "$there" = 0 ] || { mkdir -p d/e; echo x >d/e/f; }
		for p in d d/e d/e/f d/new; do
			unchanged holds "$p" -w . -d d -d d/e/f
			unchanged holds "$p" -w . -d d/e/f -d d
			unchanged holds "$p" -w . -d d/e -d d -d d/e/f
		done
	done
	nothing_left
}

@test "deny: names that only begin alike are not denied" {
	mkdir proj proj2
	srt -w . -d proj2 -d proj2/x -d pro -- sh -c 'echo x >proj/x; echo x >pr'
	[ -e proj/x ]
	[ -e pr ]
	unchanged holds proj2/x -w . -d proj2
	mkdir proj2-x
	srt -w . -d proj2 -- touch proj2-x/y proj2y
	[ -e proj2-x/y ]
}

@test "deny: with all writable it holds, and with all denied nothing is" {
	mkdir d
	echo x >d/f
	for p in d/f d/x new/x; do
		unchanged holds "$p" -w / -d "$p"
		unchanged holds "$p" -w / -d /
	done 2>/dev/null
	(cd / && holds "$W/x" -d "$W/x" 2>/dev/null)
	run -0 srt -w / -d "$W/x" -- sh -c 'echo y >y && mkdir z && rmdir z'
	[ "$(cat y)" = y ]
	nothing_left
}

# below_thing: a deny below what is no directory holds, and makes nothing.
below_thing() {
	local before
	before=$(look thing)
	for p in thing/hooks thing/a/b/c; do
		unchanged srt -w . -d "$p" -- sh -c '
			rm -rf thing; mv thing x; mkdir -p "${1%/*}"
			echo x >"$1"; mkdir d; ln -sfT d thing; rmdir d
			:' sh "$p" 2>/dev/null
		unchanged stays thing -w . -d "$p"
	done
	[ "$(look thing)" = "$before" ]
	nothing_left
}

@test "deny: below a file it holds: the file cannot be removed or replaced" {
	echo gitdir: x >thing
	below_thing
	# but written, as it is not denied itself
	srt -w . -d thing/hooks -- sh -c 'echo y >>thing'
	[ "$(cat thing)" = $'gitdir: x\ny' ]
}

@test "deny: below an empty file, a fifo, a link to a file it holds" {
	: >thing
	below_thing
	rm thing
	mkfifo thing
	below_thing
	rm thing
	echo x >file
	ln -s file thing
	below_thing
}

@test "deny: below a file, which lies in directories: they stay, too" {
	mkdir -p a/b
	echo x >a/b/f
	unchanged stays a/b -w . -d a/b/f/x
	unchanged stays a -w . -d a/b/f/x
	unchanged holds a/b/f/x -w . -d a/b/f/x
}

# in_mounts COMMANDS: as root, in a mount namespace of its own, with what
# hostile.bash has.
in_mounts() {
	as_root
	{
		declare -f holds stays unchanged tree look denied
		printf '%s=%q\n' W "$W" bin "$bin"
		printf 'cd "$W"\n%s' "$1"
	} >"$base/script"
	unshare -m bash -eu "$base/script"
}

@test "deny: in a mounted file system below the write root it holds" {
	in_mounts '
		mkdir m
		mount -t tmpfs tmpfs m
		mkdir -p m/d/e
		echo x >m/d/f
		for p in m/d/f m/d/e/x m/new/x; do
			unchanged holds "$p" -w . -d "$p"
		done
		unchanged holds m/x -w . -d m
		unchanged holds m/d/x -w . -d m
		for d in m/d m/d/e; do
			unchanged stays "$d" -w . -d m/d/e/x
			unchanged stays "$d" -w . -d m/d/e/f/g
		done
		unchanged stays m -w . -d m/d/e/x'
}

@test "deny: in a write root that is a mounted file system it holds" {
	in_mounts '
		mount -t tmpfs tmpfs "$W"
		cd "$W"
		mkdir d
		for p in x d/x new/x; do
			unchanged holds "$p" -w . -d "$p"
		done
		unchanged stays d -w . -d d/x'
}

@test "deny: of a directory in which something is mounted: that, too" {
	in_mounts '
		mkdir -p d/m d/n
		mount -t tmpfs tmpfs d/m
		mkdir d/m/e
		echo x >d/m/f
		for p in d/m d/m/f d/m/new d/m/e/new; do
			unchanged holds "$p" -w . -d d
			unchanged holds "$p" -w d/n -d x
			unchanged holds "$p" -w . -R d
			unchanged holds "$p" -w . -R d -r d/m -d d/m
		done
		[ "$(srt -w . -R d -- ls -A d)" = "" ]
		[ "$(srt -w . -d d -- cat d/m/f)" = x ]'
}

@test "deny: an absent one holds under the names that bind mounts give it" {
	in_mounts '
		mkdir -p a/d b
		mount --bind a b
		unchanged srt -w . -d a/x -d a/d/x -- sh -c "
			for p in b/x b/d/x; do
				rm -f \$p; echo y >\$p; mkdir \$p
				mv \$p b/z; echo y >b/t; mv b/t \$p; rm -f b/t
			done; :" 2>/dev/null
		for p in a/d b/d; do
			unchanged stays "$p" -w . -d a/d/x
		done'
}

@test "deny: a mounted file and a mounted directory hold, and read-only ones" {
	in_mounts '
		mkdir d e r
		echo x >f
		echo y >g
		mount --bind g f
		mount --bind d e
		mount -t tmpfs -o ro tmpfs r
		for p in f e e/x r/x r/a/b; do
			unchanged holds "$p" -w . -d "$p"
		done'
}

@test "deny: in a write root in /dev/shm it holds" {
	dir=$(mktemp -d /dev/shm/srt-test.XXXXXX)
	mkdir "$dir/d"
	echo x >"$dir/f"
	for p in f x d/x new/x; do
		holds "$dir/$p" -w "$dir" -d "$dir/$p"
	done
	stays "$dir/d" -w "$dir" -d "$dir/d/x"
	srt -w "$dir" -d "$dir/x" -- touch "$dir/mine"
	left=$(find "$dir" ! -type d | sort | xargs)
	rm -rf "$dir"
	[ "$left" = "$dir/f $dir/mine" ]
}

@test "deny: in a write root that is /tmp, /var/tmp or in /run/user it holds" {
	for top_dir in /tmp /var/tmp "/run/user/$(id -u)"; do
		dir=$(mktemp -d "$top_dir/srt-test.XXXXXX")
		mkdir "$dir/d"
		echo x >"$dir/f"
		for p in f x d/x new/x; do
			for w in "$top_dir" "$dir" "$top_dir/."; do
				holds "$dir/$p" -w "$w" -d "$dir/$p"
				holds "$dir/$p" --host-tmp -w "$w" -d "$dir/$p"
			done
		done
		stays "$dir/d" -w "$top_dir" -d "$dir/d/x"
		stays "$dir" -w "$top_dir" -d "$dir/d/x"
		holds "$place/x" -w "$top_dir" -d "$dir/x"
		left=$(find "$dir" ! -type d)
		rm -rf "$dir"
		[ "$left" = "$dir/f" ]
	done
	nothing_left
}

# What it is called.

@test "deny: W and the path by any name hold, and start" {
	mkdir -p w/d
	ln -s w l
	for w in w/ w// ./w w/d/.. l "$W/w/." "$W//w"; do
		for p in w//x ./w/x w/./x w/d/../x l/x "$W/w/x" w/x/; do
			holds w/x -w "$w" -d "$p"
		done
	done
	nothing_left
}

@test "deny: one file by many names is one mount" {
	mkdir -p d/e
	echo x >d/e/f
	ln -s d/e l
	[ "$(srt -w . -d d/e/f -d d/e/f/ -d d//e/./f -d l/f -d "$W/l/../e/f" \
		-- grep -c ' /[^ ]*/d/e/f ' /proc/self/mountinfo)" -eq 1 ]
	unchanged holds d/e/f -w . -d l/f -d d/e/f -d d/./e/f
}

# shellcheck disable=SC1003 # a backslash by itself
names=(' ' 'a b' $'tab\t' $'new\nline' $'\n' '\' 'back\slash' '\040' '\\' -
	-rf -- '$(touch x)' '`touch x`' "it's" '"' '*' '?' '[a]' '~' '#' '%s'
	'a;b' 'a&b' '!' '{a,b}' $'\001' $'\033[31m' $'\177' $'\200' $'\377'
	$'\303\244' $'\303' $'\r' ... .srt-x ' lead' 'trail ')

@test "deny: a name of any bytes is denied, named exactly, and removed" {
	for name in "${names[@]}"; do
		mkdir -p there
		echo x >"there/$name"
		for p in "$name" "there/$name" "absent/$name/x"; do
			unchanged holds "./$p" -w . -d "./$p" ||
				{ printf 'name: %q\n' "$p"; return 1; }
		done
		rm -r there
	done
	nothing_left
}

@test "deny: all these names at once are live by their names" {
	denies=()
	for name in "${names[@]}"; do denies+=(-d "./d/$name"); done
	mkdir d
	hold -w . "${denies[@]}"
	printf '%s\0' "${names[@]/#/$W/d/}" | sort -z >"$base/want"
	srt-live -0 | sort -z >"$base/got"
	release
	cmp "$base/want" "$base/got"
	[ -z "$(ls -A d)" ]
	nothing_left
}

@test "deny: names as long as they can be" {
	name=$(printf '%0255d' 0)
	unchanged holds "$name" -w . -d "$name"
	unchanged holds "d/$name/$name" -w . -d "d/$name/$name"
	run -1 srt-plan -e "deny-write /${name}0"
	[[ $output == *"too long"* ]]
	run -125 srt -w . -d "${name}0" -- true
	nothing_left
}

@test "deny: a path as long as it can be" {
	long=
	while [ $((${#W} + ${#long} + 202)) -lt 4090 ]; do
		long+=$(printf '%0200d' 0)/
	done
	(mkdir -p "$long" && cd "$long" && echo x >f)
	unchanged srt -w . -d "${long}f" -d "${long}x" -- sh -c '
		cd "$1"; rm -f f; echo y >f; echo y >x; :' sh "$long" 2>/dev/null
	[ "$(cat "${long}f")" = x ]
	nothing_left
}

# Directories that are closed by their modes.

# still_closed MODE DIR: an ordinary user's is not even opened; root's need not
# be closed, as nothing in it is protected by its mode.
still_closed() { is_root || [ "$(stat -c %a "$2")" -eq "$1" ]; }

@test "deny: in a directory closed by its mode, which the command could open" {
	for mode in 555 444 0; do
		mkdir -p c/sub
		echo x >c/f
		chmod "$mode" c
		srt -w . -d c/x -d c/f -d c/sub/y -- sh -c '
			chmod 755 c; rm -f c/f; mkdir -p c/sub
			for p in c/x c/f c/sub/y; do echo y >$p; done
			:' 2>/dev/null
		still_closed "$mode" c
		unchanged stays c -w . -d c/x
		chmod 755 c
		[ "$(cat c/f)" = x ]
		[ "$(find c | sort | xargs)" = 'c c/f c/sub' ]
		rm -r c
	done
	nothing_left
}

@test "deny: what else is in a closed directory stays writable" {
	mkdir -p c/sub
	echo x >c/f
	chmod 555 c
	srt -w . -d c/x -- sh -c 'echo y >c/f; echo y >c/sub/y'
	chmod 755 c
	[ "$(cat c/f c/sub/y)" = $'y\ny' ]
}

@test "deny: a closed directory in a closed directory" {
	mkdir -p c/d/e
	for denies in '-d c/d/x -d c/y' '-d c/y -d c/d/x' '-d c/d/x' \
		'-d c/d/e/z -d c/d/x -d c/y'; do
		chmod 555 c/d c
		# shellcheck disable=SC2086 # words
		srt -w . $denies -- sh -c '
			chmod 755 c; chmod 755 c/d; echo y >c/d/x; :' \
			2>/dev/null
		still_closed 555 c/d
		chmod 755 c c/d
		[ "$(find c | sort | xargs)" = 'c c/d c/d/e' ]
	done
	nothing_left
}

@test "deny: reading, in a directory that its mode closes" {
	mkdir -p c/d
	echo secret >c/f
	echo secret >c/d/g
	for mode in 0 111 444 600; do
		chmod "$mode" c
		run -0 quiet srt -w . -R c/f -R c/d -- sh -c '
			chmod 755 c; cat c/f c/d/g; mv c e; cat e/f; :'
		[[ $output != *secret* ]]
		chmod 755 c
	done
}

@test "deny: a closed directory that cannot be listed, or is too full, is read-only" {
	mkdir c
	seq -f c/%g 1100 | xargs touch
	chmod 555 c
	run -0 srt -w . -d c/x -- sh -c '! rm -f c/1 2>/dev/null; echo ran'
	# root could write in it, and a placeholder will do
	is_root || [[ $output == *"/c: closed, and has too many entries, "* ]]
	[[ $output == *ran ]]
	chmod 111 c
	run -0 srt -w . -d c/x -- sh -c '! rm -f c/1 2>/dev/null; echo ran'
	is_root || [[ $output == *"/c: closed, and cannot be listed, "* ]]
	[[ $output == *ran ]]
	chmod 755 c
	[ "$(find c -type f | wc -l)" -ge 1098 ]
	nothing_left
}

@test "deny: in a directory of another user's, which could be moved aside" {
	as_root
	# where that user can reach it
	dir=$(mktemp -d /var/tmp/srt-test.XXXXXX)
	cp -a "$top/cmd" "$dir/cmd"
	mkdir -p "$dir/w/open" "$dir/w/private" "$dir/home"
	chmod 755 "$dir"
	chmod 700 "$dir/w/private"
	chown srt-test: "$dir/w" "$dir/home"
	cat >"$dir/run" <<-'RUN'
		cd "$1/w"
		exec srt --host-tmp -w . -d "$2" -- sh -c '
			mv "${1%/*}" aside; rmdir "${1%/*}"
			mkdir "${1%/*}"; echo x >"$1"; :' sh "$2"
	RUN
	for p in open/x private/x; do
		run -0 setpriv --reuid=srt-test --regid=srt-test --init-groups \
			env HOME="$dir/home" PATH="$dir/cmd:$PATH" \
			sh "$dir/run" "$dir" "$p"
	done
	found=$(find "$dir/w" | sort | xargs)
	want="$dir/w $dir/w/open $dir/w/private"
	rm -rf "$dir"
	[ "$found" = "$want" ]
}
