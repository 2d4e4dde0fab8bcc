#!/usr/bin/env bats
# The wrapper in dash, busybox ash and bash, whatever the environment holds.
# shellcheck disable=SC1003,SC2016,SC2088,SC2154,SC2317 # odd names; the helper's
load lib/helper

# Commands that run srt with one shell each; bash as sh is bash in its POSIX
# mode, as a system has it whose /bin/sh it is.
setup() {
	setup_w
	mkdir "$base/sh"
	ln -s "$(command -v bash)" "$base/sh/sh"
	srt=$top/cmd/srt
	shells=("dash" "busybox ash" "$base/sh/sh" "bash" "bash --posix")
}

# each FUNCTION: called with each shell, as words, in ${sh[@]}.
each() {
	local shell
	for shell in "${shells[@]}"; do
		read -ra sh <<<"$shell"
		echo "with $shell"
		"$@"
	done
}

@test "shells: all there are here run it, and see the same" {
	check() {
		run -5 --separate-stderr "${sh[@]}" "$srt" -d .env -d a/b -c \
			'echo "$1"; exit 5' 'x y'
		[ "$output" = 'x y' ]
		[ -z "$stderr" ]
		run -0 "${sh[@]}" "$srt" -V
		[[ $output == 'srt '* ]]
		run -0 "${sh[@]}" "$srt" -h
		[[ $output == 'usage: srt '* ]]
		run -0 "${sh[@]}" "$srt" --sweep
		nothing_left
	}
	each check
}

# Names with what a shell, or the encoding, could trip over.
names=('a b' $'a\tb' $'a\nb' $'a\n' ' a' 'a ' 'a\b' 'a\\' '\n' '\040' '\' '$(id)'
	'`id`' '$HOME' "'" "a'b" "''" '"' '*' '?' '[a]' '[' '{a,b}' '~' '~root'
	'#' '#a' ';' '&' '|' '<' '>' '!' '!!' '%' '%s' '%n' '-' '-d' '--' '=' 'a=b'
	$'\x7f' $'\x01' $'\x1b[31m' $'\xff' $'\xc3\xa4' $'\xc3' $'a\xe4' $'\x80\x80'
	$'\xf0\x9f\x98\x80' $'\xe2\x80\xa8' '...' '.a')

@test "shells: a path of any bytes is denied under its very name" {
	args=()
	for name in "${names[@]}"; do
		args+=(-d "./$name")
		printf 'deny-write ./%s\n' "$(printf %s "$name" | od -An -v -to1 |
			tr -d '\n' | sed 's/ /\\/g')"
	done >"$base/lines"
	{ printf 'private-tmp\nallow-write .\n'; cat "$base/lines"; } |
		srt-plan >"$base/want"
	[ "$(grep -c '^make ' "$base/want")" -eq "${#names[@]}" ]
	check() {
		for LC_ALL in C C.UTF-8 xx_YY.nope; do
			export LC_ALL
			"${sh[@]}" "$srt" "${args[@]}" --dry-run |
				diff -u "$base/want" - || return
		done
	}
	each check
	LC_ALL=C run -0 "$srt" "${args[@]}" -- sh -c 'for f; do
		echo x >"$f" && echo "landed $f"; done 2>/dev/null; :' sh \
		"${names[@]/#/./}"
	[ -z "$output" ]
	nothing_left
	[ -z "$(ls -A)" ]
}

@test "shells: every byte a name can have" {
	args=() all=()
	for ((n = 1; n < 256; n++)); do
		[ "$n" -ne 47 ] || continue
		all+=("$(printf '%b.' "n\\x$(printf %02x "$n")")")
		args+=(-d "${all[-1]}")
		printf 'deny-write n\\%03o.\n' "$n"
	done >"$base/lines"
	{ printf 'private-tmp\nallow-write .\n'; cat "$base/lines"; } |
		srt-plan >"$base/want"
	[ "$(grep -c '^make ' "$base/want")" -eq 254 ]
	check() { "${sh[@]}" "$srt" "${args[@]}" --dry-run | diff "$base/want" -; }
	each check
}

@test "shells: rules attached to their letter, quotes in every argument" {
	check() {
		for name in "'" "a'b'c" '$(id)' '"' '\' ' ' '-x' '*'; do
			"${sh[@]}" "$srt" -d"$name" -R "/no/$name" --dry-run \
				>"$base/one"
			"${sh[@]}" "$srt" -d "$name" -R "/no/$name" --dry-run |
				diff "$base/one" - || return
			run -0 "${sh[@]}" "$srt" -d "$name" -c 'echo "$1"' -- "$name"
			[ "$output" = "$name" ] || return
			# in a profile's name, a program's, a number's
			run -125 "${sh[@]}" "$srt" -p "/no/$name" -- true
			run -125 "${sh[@]}" "$srt" --bwrap "/no/$name" -- true
			run -125 "${sh[@]}" "$srt" -t "$name" -- true
			run -0 "${sh[@]}" "$srt" --why "$name"
		done
	}
	each check
	[ -z "$(ls -A)" ]
}

@test "shells: IFS, CDPATH, ENV, BASH_ENV, PS4, LANG are no matter" {
	echo "echo evil >>$base/evil; exit 77" >"$base/env"
	mkdir sub "$base/sub"
	check() {
		for set in IFS=/ IFS=0123456789 IFS=-drw "IFS=" CDPATH="$base" \
			"ENV=$base/env" LANG=xx LANGUAGE=xx \
			PS4='$(echo evil >evil)' PS1=x 'OPTIND=7' 'OPTARG=x' \
			'POSIXLY_CORRECT=1' 'GLOBIGNORE=*' \
			'here=/no' 'options=-n' 'running=-v' 'private=' 'look=1' \
			'string=x' 'has_string=1' 'why=/' 'word=x' 'nl=x' \
			'PWD=/no' 'OLDPWD=/no' 'SHELLOPTS=' 'MAIL=/no' \
			'BASHOPTS=' 'BASH_VERSION=1' 'EXECIGNORE=*' 'TMOUT=1' 'BASH_COMPAT=3.1'; do
			run -4 --separate-stderr env "$set" "${sh[@]}" "$srt" \
				-C sub -d .env -d 12 -c 'pwd; exit 4'
			[ "$output" = "$W/sub" ] || { echo "$set: $output"
				return 1; }
			[ -z "$stderr" ] || { echo "$set: $stderr"; return 1; }
		done
		# bash reads BASH_ENV for a script that is given to it by name
		[ "${sh[0]}" = bash ] || {
			run -4 env BASH_ENV="$base/env" "${sh[@]}" "$srt" \
				-c 'exit 4'
		}
	}
	each check
	[ ! -e "$base/evil" ]
	[ ! -e sub/evil ]
	nothing_left
}

@test "shells: a shell that calls no functions runs nothing unprotected" {
	run env FUNCNEST=1 "$base/sh/sh" "$srt" -d .env -d 12 -c 'exit 4'
	[ "$status" -eq 4 ] || [ "$status" -eq 125 ]
}

@test "shells: functions of bash's environment do not run outside" {
	check() {
		for f in '[' test printf echo cd pwd readlink true command local \
			encode quote rule usage die say needs basename dirname \
			exec eval set shift exit unset case_ trap export read; do
			run --separate-stderr env \
				"BASH_FUNC_$f%%=() { builtin echo evil >>$base/evil; }" \
				"${sh[@]}" "$srt" -C . -d 'a b' -- /bin/echo ok
			[ ! -e "$base/evil" ] || { echo "$f ran"; return 1; }
			[ "$status" -eq 0 ] && [ "$output" = ok ] ||
				{ echo "$f: $status $output $stderr"; return 1; }
		done
	}
	shells=(dash "busybox ash" "$base/sh/sh")
	each check
	# by a link, where readlink is used
	ln -s "$srt" link
	run -0 env "BASH_FUNC_readlink%%=() { echo /no; }" "$base/sh/sh" ./link -V
	[[ $output == 'srt '* ]]
}

@test "shells: variables of the script do not reach the command" {
	check() {
		env -i PATH="$PATH" HOME="$HOME" "${sh[@]}" "$srt" -d 'a b' -t 50 \
			-- /usr/bin/env | cut -d = -f 1 |
			grep -vxE 'PATH|HOME|PWD|OLDPWD|TMPDIR|_|SHLVL' >"$base/more" || :
		[ ! -s "$base/more" ] || { cat "$base/more"; return 1; }
	}
	each check
}

@test "shells: a rule too long for a command line: 125 and one line" {
	# with its directive more than 128 KiB, see execve(2)
	long=$(printf %0131070d 0)
	check() {
		run -125 --separate-stderr "${sh[@]}" "$srt" -d "$long" \
			-- true
		[ -z "$output" ]
		[ -n "$stderr" ]
	}
	shells=(dash "busybox ash" "$base/sh/sh")
	each check
}

@test "shells: closed descriptors and a full stdout, in each" {
	check() {
		for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
			run -6 bash -c '"$@" '"$closed" - "${sh[@]}" "$srt" -d .env \
				-c 'exit 6'
		done
		run -125 bash -c '"$@" >/dev/full 2>&1' - "${sh[@]}" "$srt" -h
	}
	each check
	nothing_left
}

@test "shells: the wrapper starts no process but what it becomes" {
	strace -f -qq -e trace=process -o "$base/trace" "$srt" --dry-run >/dev/null
	[ "$(grep -c execve "$base/trace")" -eq 2 ]
	run -1 grep -E 'fork|clone' "$base/trace"
}

@test "shells: busybox of another name, without PATH, finds its companions" {
	mkdir bb
	ln -s "$(command -v busybox)" bb/sh
	run -0 env -i bb/sh "$srt" -d .env -- /bin/echo ok
	[ "$output" = ok ]
	ln -s "$srt" bb/srt
	run -0 env -i PATH=/usr/bin:/bin bb/sh bb/srt -- /bin/echo ok
	[ "$output" = ok ]
}

@test "shells: in locales whose characters can end in a backslash, too" {
	mkdir "$base/loc"
	while read -r name charmap; do
		localedef -i "${name%.*}" -f "$charmap" --no-warnings=ascii \
			"$base/loc/$name"
	done <<-EOF
	ja_JP.SJIS SHIFT_JIS
	zh_CN.GBK GBK
	zh_TW.BIG5 BIG5
	EOF
	args=(-d $'\x83\\n' -d $'\x83\\\\' -d $'a\xa4\\040' -d $'\xa5\\')
	"$srt" "${args[@]}" --dry-run >"$base/want"
	[ "$(grep -c '^make ' "$base/want")" -eq 4 ]
	for locale in ja_JP.SJIS zh_CN.GBK zh_TW.BIG5; do
		check() {
			LOCPATH=$base/loc LC_ALL=$locale "${sh[@]}" "$srt" \
				"${args[@]}" --dry-run | diff -u "$base/want" -
			# the command has the locale that was given
			run -0 env LOCPATH="$base/loc" LC_ALL="$locale" \
				"${sh[@]}" "$srt" -d $'\x83\\' -- sh -c 'echo "$LC_ALL"'
			[ "$output" = "$locale" ]
			run -0 env -u LC_ALL LOCPATH="$base/loc" LANG="$locale" \
				"${sh[@]}" "$srt" -- sh -c \
				'echo "${LC_ALL-none} $LANG"'
			[ "$output" = "none $locale" ]
		}
		each check
	done
}
