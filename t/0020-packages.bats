#!/usr/bin/env bats
# What the tests need is installed, and no more than that.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper and bats set
load lib/helper

setup() {
	setup_w
	stub apt-get
	# dpkg knows of all packages but those of Node, and what is in $gone
	stub dpkg-query
	cat >"$base/stub/dpkg-query" <<-'STUB'
	#!/bin/sh
	for package; do :; done
	case " nodejs npm $gone " in
	*" $package "*) exit 1 ;;
	esac
	printf installed
	STUB
	# where every user finds programs
	everybody=/usr/local/bin:/usr/bin:/bin
	npm=$(PATH=$everybody command -v npm)
	touch "$base/none"
}

# without FILE ... -- COMMAND ...: as nobody in particular, without those files.
without() {
	local hide=()
	while [ "$1" != -- ]; do
		hide+=(--ro-bind "$base/none" "$(realpath "$1")")
		shift
	done
	bwrap --unshare-user --uid 1234 --dev-bind / / "${hide[@]}" "$@"
}

@test "packages: what is there is not installed again" {
	run -0 --separate-stderr without -- "$top/t/packages"
	[ -z "$output$stderr" ]
}

@test "packages: Node's program will do, where every user finds it" {
	run -1 without "$npm" -- "$top/t/packages" check
	[ "$output" = 'packages: missing; as root: apt-get install npm' ]
	# a copy of root's own is none
	ln -s /bin/true "$base/stub/npm"
	run -1 without "$npm" -- "$top/t/packages" check
	[ "$output" = 'packages: missing; as root: apt-get install npm' ]
	run -0 without "$npm" -- "$top/t/packages" build
}

@test "packages: those that are missing are named, or installed by root" {
	export gone='tmux locales'
	run -1 without -- "$top/t/packages"
	[[ $output == *' install locales tmux' ]]
	is_root || return 0
	run -0 "$top/t/packages"
	[ "${lines[0]}" = 'packages: installing locales tmux' ]
	[ "${#lines[@]}" -eq 3 ]
}

@test "packages: every program that hostile commands are tried with is there" {
	for p in chattr chroot gdb mknod mount nsenter setfattr setpriv strace \
		umount unshare; do
		PATH=$everybody:/usr/sbin:/sbin command -v "$p"
	done
}
