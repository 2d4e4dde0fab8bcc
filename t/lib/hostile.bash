# shellcheck shell=bash
# shellcheck disable=SC2016,SC2154 # what the helper sets
# For the tests of denies in a real sandbox: a program that tries everything.

setup_file() {
	bin=$(mktemp -d "$BATS_TEST_DIRNAME/../.cache/bin.XXXXXX")
	bin=$(cd "$bin" && pwd)
	export bin
	cc -O1 -D_GNU_SOURCE -o "$bin/hostile" \
		"$BATS_TEST_DIRNAME/property/hostile.c"
}

teardown_file() { rm -rf "$bin"; }

# holds PATH [srt option ...]: nothing that "denied" and hostile.c try lands,
# and what stands there outside is as before.
holds() {
	local path=$1 before out
	shift
	[[ $path == /* ]] || path=$W/$path
	before=$(look "$path")
	out=$(srt "$@" -- sh -c 'eval "$1"; exec "$2" "$3"' sh \
		"$(denied "$path")" "$bin/hostile" "$path") ||
		{ echo "srt: status $?"; return 1; }
	[ -z "$out" ] || { echo "inside, $path: $out"; return 1; }
	diff <(printf '%s\n' "$before") <(look "$path")
}

# stays DIR [srt option ...]: the directory can neither be moved nor replaced.
stays() {
	local path=$1 out
	shift
	[[ $path == /* ]] || path=$W/$path
	out=$(srt "$@" -- "$bin/hostile" -d "$path") ||
		{ echo "srt: status $?"; return 1; }
	[ -z "$out" ] || { echo "inside, $path: $out"; return 1; }
}

# tree: all there is in W, with types, modes, inodes and content.
tree() {
	find "$W" \( -type d -printf '%P d %m %i\n' \) -o \
		-printf '%P %y %m %i %s %l\n' | sort
	find "$W" -type f -exec cksum {} + 2>/dev/null | sort
}

# unchanged COMMAND ...: it succeeds, and W is afterwards as before.
unchanged() {
	local before
	before=$(tree)
	"$@" || return
	diff <(printf '%s\n' "$before") <(tree)
}

# quiet COMMAND ...: for run, which would take standard error into $output.
quiet() { "$@" 2>/dev/null; }
