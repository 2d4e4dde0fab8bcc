#!/usr/bin/env bats
# Common programs work in a sandbox as they do outside: the filter is not in
# their way.
# shellcheck disable=SC2016,SC2154 # inner shells; what the helper sets
load lib/helper
load lib/life

# works SCRIPT: bash runs it inside, where each line must succeed.
works() {
	run -0 srt -- env HOME=/tmp bash -eu -o pipefail -c "$1"
}

@test "programs: git: init, commit, branch, merge, clone, fetch, worktree, gc" {
	works 'git init -qb main one; cd one
		echo a >a; git add a; git commit -qm a
		git switch -qc side; echo b >b; git add b; git commit -qm b
		git switch -q main; git merge -q --no-ff -m m side
		git clone -q . ../two; git -C ../two fetch -q
		git worktree add -q ../three side; git -C ../three status
		git gc -q; git fsck
		git log --oneline | wc -l'
	[ "${lines[-1]}" = 3 ]
}

@test "programs: make -j, gcc and clang: what they build runs" {
	cat >a.c <<-'EOC'
	#include <pthread.h>
	#include <stdio.h>
	static void *f(void *p) { return p; }
	int
	main(void)
	{
		pthread_t t;
		char c[] = "built";
		void *r;

		if (pthread_create(&t, NULL, f, c) || pthread_join(t, &r))
			return 1;
		return puts(r) < 0;
	}
	EOC
	printf '%s\n' 'all: g c' 'g: a.c' $'\tgcc -pthread -o g a.c' \
		'c: a.c' $'\tclang -pthread -o c a.c' >Makefile
	works 'make -sj2; ./g; ./c'
	[ "$output" = $'built\nbuilt' ]
}

@test "programs: python3: threads, subprocesses, a pool, asyncio, socket pairs" {
	cat >p.py <<-'EOP'
	import asyncio, concurrent.futures, multiprocessing, os, pwd, socket
	import subprocess, threading

	def square(x):
	    return x * x

	async def child():
	    p = await asyncio.create_subprocess_exec(
	        "echo", "async", stdout=asyncio.subprocess.PIPE)
	    return (await p.communicate())[0].decode().strip()

	t = threading.Thread(target=print, args=("thread",))
	t.start()
	t.join()
	print(subprocess.check_output(["echo", "sub"], text=True).strip())
	with multiprocessing.get_context("fork").Pool(2) as p:
	    print(p.map(square, [1, 2, 3]))
	with concurrent.futures.ThreadPoolExecutor() as e:
	    print(sum(e.map(square, [1, 2])))
	print(asyncio.run(child()))
	a, b = socket.socketpair()
	a.send(b"pair")
	print(b.recv(9).decode(), pwd.getpwuid(os.getuid()).pw_name)
	EOP
	works 'python3 p.py'
	[ "$output" = "thread
sub
[1, 4, 9]
5
async
pair $(id -un)" ]
}

@test "programs: node: children, one with a channel, and worker threads" {
	cat >p.js <<-'EOJ'
	const child = require('child_process')
	const { Worker } = require('worker_threads')
	const fs = require('fs')
	if (process.argv[2]) {
		process.send(process.argv[2])
		process.disconnect()
	} else {
		console.log(child.execFileSync('echo', ['sync']).toString().trim())
		fs.promises.writeFile('f', 'file').then(() => {
			console.log(fs.readFileSync('f', 'utf8'))
			child.fork(__filename, ['channel']).on('message', (m) => {
				console.log(m)
				new Worker('console.log("worker")', { eval: true })
			})
		})
	}
	EOJ
	works 'node p.js'
	[ "$output" = $'sync\nfile\nchannel\nworker' ]
}

@test "programs: npm packs, installs and runs" {
	mkdir one two
	echo '{ "name": "one", "version": "1.0.0" }' >one/package.json
	echo '{ "name": "two", "version": "1.0.0",
		"scripts": { "test": "echo tested" } }' >two/package.json
	works 'export npm_config_update_notifier=false
		cd one; npm pack --silent >&2
		cd ../two
		npm install --silent --offline --no-audit ../one/one-1.0.0.tgz >&2
		ls -d node_modules/one; npm test --silent'
	[ "${lines[-2]}" = node_modules/one ]
	[ "${lines[-1]}" = tested ]
}

@test "programs: bash: jobs are stopped, go on, and are interrupted" {
	"$(tool pty)" srt -- env PS1= PS2= HISTFILE= TERM=dumb INPUTRC=/dev/null \
		bash --norc --noediting -i <<-'SCRIPT'
	line echo up
	want up
	note
	line cat
	busy
	line echoed
	want echoed
	type \032
	want Stopped
	idle
	line bg %1; jobs | grep -c cat
	want 1
	line fg
	busy
	line again
	want again
	type \003
	idle
	line echo st=$?
	want st=130
	line sleep 1000 & kill %+; wait $!; echo st=$?
	want st=143
	line exit 3
	ends 3
	gone
	SCRIPT
}

@test "programs: strace of its own children" {
	works 'strace -f -o trace sh -c "echo a; /bin/echo b"; grep -c "execve(" trace
		strace -qq -o /dev/null -e inject=/^mkdir:error=ENOSPC \
			mkdir d 2>&1 || :'
	[ "${lines[2]}" = 2 ]
	[[ ${lines[3]} == *'No space left'* ]]
}

@test "programs: gdb of its own child" {
	echo 'int main(void) { return 7; }' >a.c
	works 'gcc -g -o a a.c; gdb -nx -q -batch -ex "break main" -ex run \
		-ex backtrace -ex "print 6 * 7" -ex continue ./a 2>&1'
	[[ $output == *'#0  main () at a.c:1'* ]]
	[[ $output == *'$1 = 42'* ]]
	[[ $output == *'exited with code 07'* ]]
}

@test "programs: tmux, where the profile has unix-sockets allow, and not else" {
	use='tmux -L t -f /dev/null new-session -d "echo in; read -r x; echo \$x"
		tmux -L t set -g remain-on-exit on
		tmux -L t send-keys typed Enter
		until tmux -L t capture-pane -p | grep -x typed; do
			sleep 0.02; done
		tmux -L t kill-server'
	echo 'unix-sockets allow' >"$base/profile"
	run -0 srt -p "$base/profile" -- sh -c "$use"
	[ "${lines[-1]}" = typed ]
	run -1 srt -- tmux -L t -f /dev/null new-session -d true
	[[ $output == *'family not supported'* ]]
}

@test "programs: sqlite3: a write-ahead log, and two that write" {
	works 'sqlite3 x.db "pragma journal_mode=wal; create table t(n);"
		for n in 1 2; do
			sqlite3 -cmd ".timeout 9999" x.db \
				"insert into t values($n);" &
		done; wait
		sqlite3 x.db "select sum(n) from t; pragma integrity_check;"'
	[ "$output" = $'wal\n3\nok' ]
}

@test "programs: openssl: a key, a certificate, and a connection with them" {
	works 'openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c \
			-days 1 -subj /CN=localhost 2>/dev/null
		openssl verify -CAfile c c
		coproc openssl s_server -accept 127.0.0.1:4433 -key k -cert c -www 2>&1
		until read -r line <&"${COPROC[0]}" && [ "$line" = ACCEPT ]; do :; done
		echo Q | openssl s_client -connect 127.0.0.1:4433 -CAfile c 2>&1 |
			grep "Verify return code"
		kill "$COPROC_PID"'
	[ "${lines[0]}" = 'c: OK' ]
	[[ $output == *'return code: 0 (ok)'* ]]
}

@test "programs: curl, to a server on the sandbox's own loopback" {
	echo served >page
	works 'coproc python3 -u -m http.server 8000 --bind 127.0.0.1 2>/dev/null
		read -r line <&"${COPROC[0]}"
		curl -sS http://127.0.0.1:8000/page
		curl -sS http://localhost:8000/page
		kill "$COPROC_PID"'
	[ "$output" = $'served\nserved' ]
	# which nobody else can reach
	run -7 curl -sS http://127.0.0.1:8000/page
}
