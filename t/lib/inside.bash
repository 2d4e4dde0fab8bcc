# shellcheck shell=bash
# For tests of what a sandboxed command can reach.
# shellcheck disable=SC2154 # what the helper sets

# inside_tool NAME: the path of t/tool/NAME.c, compiled, static, where the
# sandbox sees it and cannot write it.
inside_tool() {
	local out=$base/tool/$1
	mkdir -p "$base/tool"
	[ -x "$out" ] || "${CC:-cc}" -std=c11 -D_GNU_SOURCE -Wall -Wextra \
		-Werror -O1 -static -o "$out" "$top/t/tool/$1.c" || return
	printf '%s\n' "$out"
}
