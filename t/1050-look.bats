#!/usr/bin/env bats
# srt-plan only looks: nothing outside changes, and what it says is the same
# each time (promise 8, case 15).
# shellcheck disable=SC2154 # what the helper and bats set
load lib/helper
load lib/plan

# A tree with something of everything, and a profile that speaks of all.
everything() {
	mkdir -p d/e/f hidden/w .git closed
	echo x >d/e/f/file
	echo x >hidden/secret
	: >empty
	mkfifo fifo
	ln -s d/e l
	ln -s nowhere dangling
	ln -s loop loop
	chmod 555 closed
	cat >"$base/profile" <<-PROFILE
		allow-write .
		allow-write hidden/w
		allow-write absent-root
		allow-write /tmp
		deny-write d/e/f/file
		deny-write empty
		deny-write fifo
		deny-write .env
		deny-write l/new
		deny-write dangling
		deny-write loop
		deny-write deep/down/here/x
		deny-write deep/down/there
		deny-write .git/hooks
		deny-write .git/config
		deny-write d/e/f/file/below
		deny-write ~/.bashrc
		deny-write ~/.config/x
		deny-read hidden
		deny-read hidden/w/no
		allow-read hidden/w
		network host
		setenv B 2
		setenv A 1
		unsetenv C
		pass-fd 7
		pass-fd 3
		chdir d
	PROFILE
}

# snapshot: all there is where anything could have been made.
snapshot() {
	find "$W" "$HOME" /tmp /var/tmp /run/user ! -path '/tmp/bats*' \
		-printf '%p %y %m %i %n %s %T@ %C@ %l\n' \
		2>/dev/null | sort
}

@test "look: planning, explaining and refusing change nothing" {
	everything
	chmod 555 "$W/d/e/f"
	printf 'allow-write /\ndeny-write %s/.git/index\n' "$W" >"$base/refused"
	snapshot >"$base/s1"
	srt-plan "$base/profile" >/dev/null 2>&1
	srt-plan -p "$base/profile" --why d/e >/dev/null
	srt-plan -p "$base/profile" --why absent/x >/dev/null
	run -1 srt-plan "$base/refused"
	srt-plan -e 'bad line' || :
	srt -p "$base/profile" --dry-run >/dev/null 2>&1
	srt -p "$base/profile" --why d/x >/dev/null
	srt-live
	snapshot >"$base/s2"
	diff -u "$base/s1" "$base/s2"
}

@test "look: no system call of srt-plan's could change a file" {
	everything
	strace -f -o "$base/calls" srt-plan -q "$base/profile" >/dev/null
	grep -q 'exit_group(0)' "$base/calls"
	run ! grep -E '^[0-9 ]*(creat|mkdir|mknod|unlink|rmdir|rename|link|symlink|truncate|ftruncate|chmod|fchmod|chown|lchown|fchown|utime|setxattr|lsetxattr|mount|umount|flock|fallocate|bind|kill|ptrace)[a-z0-9]*\(' \
		"$base/calls"
	run ! grep -E 'O_(WRONLY|RDWR|CREAT|TRUNC|TMPFILE)|F_(OFD_)?SETLK' \
		"$base/calls"
}

@test "look: the plan is the same each time, in any order of the lines" {
	everything
	srt-plan -q "$base/profile" >"$base/plan"
	for i in {1..20}; do
		shuf --random-source=<(yes "$i") "$base/profile" >"$base/p"
		srt-plan -q "$base/p" | diff -u "$base/plan" -
	done
	same_plan
	# and split over several files and options
	head -n 12 "$base/profile" >"$base/a"
	tail -n +13 "$base/profile" >"$base/b"
	srt-plan -q "$base/b" "$base/a" | diff -u "$base/plan" -
	srt-plan -q -p "$base/b" -p "$base/a" | diff -u "$base/plan" -
	srt-plan -q -p "$base/b" "$base/a" | diff -u "$base/plan" -
	srt-plan -q -e "$(cat "$base/b")" "$base/a" | diff -u "$base/plan" -
	cat "$base/b" "$base/a" | srt-plan -q - | diff -u "$base/plan" -
}

@test "look: the plan begins with its version and the settings, sorted" {
	everything
	srt-plan -q "$base/profile" | head -n 11 >"$base/got"
	diff -u - "$base/got" <<-PLAN
		srt-plan 1
		network host
		nested-userns deny
		unix-sockets deny
		chdir $W/d
		setenv A 1
		setenv B 2
		unsetenv C
		setenv TMPDIR /tmp
		pass-fd 3
		pass-fd 7
	PLAN
}

@test "look: settings that are not given are the strict ones" {
	srt-plan </dev/null | head -n 5 >"$base/got"
	diff -u - "$base/got" <<-PLAN
		srt-plan 1
		network none
		nested-userns deny
		unix-sockets deny
		ro /
	PLAN
}

@test "look: TMPDIR is a directory that can be written inside, or none" {
	mkdir t
	tmpdir() { grep 'TMPDIR' || echo none; }
	[ "$(srt-plan -e 'allow-write .' | tmpdir)" = none ]
	[ "$(srt-plan -e private-tmp | tmpdir)" = 'setenv TMPDIR /tmp' ]
	[ "$(srt-plan -e 'allow-write /var/tmp' | tmpdir)" = \
		'setenv TMPDIR /var/tmp' ]
	[ "$(TMPDIR=$W/t srt-plan -e 'allow-write .' | tmpdir)" = none ]
	[ "$(TMPDIR=$W/t srt-plan -e private-tmp | tmpdir)" = \
		'setenv TMPDIR /tmp' ]
	[ "$(TMPDIR=$W/t srt-plan | tmpdir)" = 'unsetenv TMPDIR' ]
	[ "$(TMPDIR=$W/no srt-plan -e 'allow-write .' | tmpdir)" = \
		'unsetenv TMPDIR' ]
	[ "$(TMPDIR=t srt-plan -e 'allow-write .' | tmpdir)" = \
		'unsetenv TMPDIR' ]
	[ "$(srt-plan -e private-tmp -e "setenv TMPDIR $W/t" | tmpdir)" = \
		"setenv TMPDIR $W/t" ]
	[ "$(srt-plan -e private-tmp -e 'deny-write /tmp' | tmpdir)" = \
		'setenv TMPDIR /var/tmp' ]
}

@test "look: a plan can be read again, and gives itself" {
	everything
	srt-plan -q "$base/profile" >"$base/plan"
	# srt-record refuses what is not a plan, and runs what is
	grep -v '^pass-fd' "$base/plan" >"$base/plan2"
	run -0 srt-record -p "$base/plan2" -- cat e/f/file
	[ "$output" = x ]
	for line in 'ro' 'ro x' 'frob /x' 'make socket 0444' 'own'; do
		{ cat "$base/plan2"; echo "$line"; } >"$base/plan3"
		run -125 --separate-stderr srt-record -p "$base/plan3" -- true
		[[ $stderr == *"line $(wc -l <"$base/plan3") "* ]]
	done
	srt-claim | srt-collect
	nothing_left
}

@test "look: sockets through which work could be had done are hidden" {
	dir=/run/user/$(id -u)
	[ -d "$dir" ]
	srt-plan | grep -qx "hide $dir"
	run -1 grep -x "hide $dir" <(srt-plan -e 'unix-sockets allow')
	run -1 grep -x "hide $dir" <(srt-plan -e "allow-read $dir")
	mkdir -p "$dir/app"
	srt-plan -e "allow-write $dir/app" >"$base/plan"
	grep -qx "hide $dir" "$base/plan"
	grep -qx "rw $dir/app" "$base/plan"
	rmdir "$dir/app"
}
