# shellcheck shell=bash disable=SC2034
# For the scripts beside it: a private place, a stopwatch, and a table.
# ROUNDS=n	so many pairs of the short ones, by default 200

set -eu -o pipefail
top=$PWD

# As the tests do it: no touching of the user's real places.
[ "${SRT_TEST_PRIVATE:-}" ] || exec t/private "$top/t/bench/${0##*/}" "$@"

rounds=${ROUNDS:-200}
export PATH=$top/cmd:$PATH LC_ALL=C
unset SRT_PLACE XDG_RUNTIME_DIR TMPDIR

timer=$top/.cache/bench-timer
[ "$timer" -nt t/bench/timer.c ] ||
	"${CC:-cc}" -O2 -D_GNU_SOURCE -o "$timer" t/bench/timer.c

dir=$(mktemp -d "$top/.cache/bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export HOME=$dir/home
mkdir "$HOME" "$dir/w"
cd "$dir/w"

long=$(((rounds + 19) / 20))	# of the long ones

ms() { awk -v us="$1" 'BEGIN { printf "%.2f", us / 1000 }'; }

# pair NAME ROUNDS COMMAND ... ::: COMMAND ...: a line of the table, with the
# difference also as a share of the second.
pair() {
	local a b d
	read -r a b d < <("$timer" "${@:2}")
	line "$1" "$a" "$b" "$d"
}

# line NAME OURS OTHER DIFFERENCE: in microseconds.
line() {
	printf '%-34s %9s %9s %9s %7s\n' "$1" "$(ms "$2")" "$(ms "$3")" \
		"$(ms "$4")" "$(awk -v d="$4" -v b="$3" \
			'BEGIN { printf "%.0f %%", 100 * d / b }')"
}

head1() {
	printf '\n%-34s %9s %9s %9s %7s\n' "$1" ours "$2" 'ms more' share
}
