#!/usr/bin/env bats
# Placeholders of other runs: relied on by a run that denies the same path,
# kept and pinned by one that could write there.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helpers set
load lib/helper
load lib/life

setup() {
	setup_w
	emptied
}

# no TEXT: what a command inside did came to nothing.
no() { [ "$1" = no ] || { echo "inside: $1"; return 1; }; }

@test "adopt: a placeholder that stands already is named, relied on and covered" {
	mkdir .git
	hold -w . -d .env -d .git/config -d a/key
	put_by one
	hold -w . -d .env -d .git/config -d a/key
	file=$(grep -l "^rely socket 0444 .* $W/.env\$" "$place"/*.manifest)
	grep -q "^rely file 0644 .* $W/.git/config\$" "$file"
	grep -q "^rely dir 0755 .* $W/a\$" "$file"
	grep -q "^rely socket 0444 .* $W/a/key\$" "$file"
	run ! grep '^make' "$file"
	for path in .env .git/config a/key; do
		no "$(tell "rm -f $path 2>/dev/null && echo removed || echo no")"
		no "$(tell "echo x 2>/dev/null >$path && echo wrote || echo no")"
		[ "$(tell "cat $path; echo end")" = end ]
	done
	no "$(tell "mv a b 2>/dev/null && echo moved || echo no")"
	put_by two
	end one
	[ -S .env ] && [ -f .git/config ] && [ -S a/key ]
	end two
	[ "$(ls -A)" = .git ]
	[ -z "$(ls -A .git)" ]
	nothing_left
}

@test "adopt: one denies deeper than the other, both hold to the end" {
	hold -w . -d a/b/c/key
	put_by one
	hold -w . -d a/b/other
	put_by two
	end one
	take_up two
	no "$(tell 'mv a x 2>/dev/null && echo moved || echo no')"
	no "$(tell 'mv a/b x 2>/dev/null && echo moved || echo no')"
	no "$(tell 'rm -f a/b/other 2>/dev/null && echo removed || echo no')"
	[ "$(tell 'mkdir a/b/d && echo y >a/b/d/y && echo made')" = made ]
	put_by two
	end two
	[ "$(find . | sort | tr '\n' ' ')" = '. ./a ./a/b ./a/b/d ./a/b/d/y ' ]
	nothing_left
}

@test "adopt: a deny below another run's placeholder holds after that has gone" {
	hold -w . -d conf
	put_by one
	[ -S conf ]
	hold -w . -d conf/key
	put_by two
	end one
	take_up two
	tell 'rm -f conf 2>/dev/null; mkdir conf 2>/dev/null; echo x 2>/dev/null >conf/key; echo done'
	[ ! -e conf/key ]
	put_by two
	end two
	rmdir conf 2>/dev/null || :
	nothing_left
}

@test "adopt: a made directory that another run denies as a whole stays closed" {
	hold -w . -d dir/key
	put_by one
	[ -d dir ]
	hold -w . -d dir
	put_by two
	end one
	take_up two
	no "$(tell 'echo x 2>/dev/null >dir/key && echo wrote || echo no')"
	no "$(tell 'echo x 2>/dev/null >dir/other && echo wrote || echo no')"
	no "$(tell 'rmdir dir 2>/dev/null && echo removed || echo no')"
	put_by two
	end two
	[ ! -e dir ]
	nothing_left
}

@test "adopt: a run without the deny cannot take another's placeholder away" {
	mkdir .git
	hold -w . -d .env -d .git/config -d .git/hooks -d a/b/key
	put_by one
	hold -w .
	for path in .env .git/config .git/hooks a/b/key; do
		no "$(tell "rm -rf $path 2>/dev/null && echo removed || echo no")"
		no "$(tell "mv $path x 2>/dev/null && echo moved || echo no")"
		no "$(tell "echo x >x; mv -fT x $path 2>/dev/null && echo replaced || echo no")"
		no "$(tell "rmdir $path 2>/dev/null && echo removed || echo no")"
	done
	for path in a a/b .git; do
		no "$(tell "mv $path x 2>/dev/null && echo moved || echo no")"
	done
	# but it can do what it may: in directories, and beside
	[ "$(tell 'echo y >a/b/y && mkdir a/c && mv a/b/y a/c/z && echo made')" = made ]
	put_by two
	take_up one
	for path in .env .git/config a/b/key; do
		no "$(tell "rm -f $path 2>/dev/null && echo removed || echo no")"
		no "$(tell "echo x 2>/dev/null >$path && echo wrote || echo no")"
	done
	put_by one
	end one
	end two
	[ "$(cat a/c/z)" = y ]
	nothing_left
}

@test "adopt: kept placeholders go with the last that keeps or needs them" {
	hold -w . -d a/key
	put_by one
	hold -w .
	put_by two
	end one
	[ -S a/key ]
	srt --sweep
	[ -S a/key ]
	end two
	[ ! -e a ]
	nothing_left
}

@test "adopt: what a killed run left is not kept for it" {
	leave "$W/a/key"
	hold -w .
	[ "$(tell 'rm -r a 2>/dev/null && echo removed')" = removed ]
	release
	[ ! -e a ]
	nothing_left
}

@test "adopt: a run whose write root is a made directory of another run" {
	hold -w . -d a/b/key
	put_by one
	hold -w a/b
	no "$(tell 'rm -f a/b/key 2>/dev/null && echo removed || echo no')"
	[ "$(tell 'echo y >a/b/y && echo wrote')" = wrote ]
	put_by two
	end one
	[ -d a/b ]
	end two
	[ "$(cat a/b/y)" = y ]
	nothing_left
}

@test "adopt: a file that a run does not know of as a placeholder is not taken for one" {
	: >.env
	chmod 444 .env
	before=$(inode .env)
	hold -w . -d .env
	put_by one
	hold -w . -d .env
	put_by two
	end one
	end two
	[ "$(inode .env)" = "$before" ]
	nothing_left
}

@test "adopt: a half-placed file of a killed recorder is held like any other" {
	# without RENAME_NOREPLACE the name is given by link(2) and unlink(2)
	for path in .env .git/config; do
		rm -rf .git
		mkdir .git
		profile "$W/$path" | srt-plan >"$base/plan"
		strace -qq -o /dev/null -e inject=renameat2:error=EINVAL \
			-e inject=unlinkat:signal=KILL:when=1 -- \
			srt-record -p "$base/plan" -- true 3>&- || :
		[ "$(stat -c %h "$path")" = 2 ]
		hold -w . -d "$path"
		srt --sweep
		no "$(tell "rm -f $path 2>/dev/null && echo removed || echo no")"
		no "$(tell "echo x 2>/dev/null >$path && echo wrote || echo no")"
		release
		srt --sweep
		[ ! -e "$path" ]
		nothing_left
	done
}

@test "adopt: a placeholder that was touched since is relied on and becomes a file afterwards" {
	hold -w . -d .env
	put_by one
	touch -d '2020-02-03 04:05:06 UTC' .env
	hold -w . -d .env
	put_by two
	end one
	take_up two
	no "$(tell 'rm -f .env 2>/dev/null && echo removed || echo no')"
	put_by two
	end two
	[ "$(stat -c '%F %Y' .env)" = 'regular empty file 1580702706' ]
	nothing_left
}

@test "adopt: runs of different users do not see each other" {
	as_root
	chmod 777 .
	chmod 755 "$base" "$top/.cache" 2>/dev/null || :
	hold -w . -d .env
	other=(setpriv --reuid=12345 --regid=12345 --clear-groups)
	before=$(inode .env)
	[ -z "$("${other[@]}" srt-live)" ]
	"${other[@]}" srt --sweep || :
	[ "$(inode .env)" = "$before" ]
	release
	nothing_left
}
