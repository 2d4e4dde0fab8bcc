/* SPDX-License-Identifier: ISC */
/*
 * filter.h: the programs for both architectures, run by an interpreter over
 * every system-call number and the arguments that matter, against a list that
 * is not the filter's own.
 */
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "filter.h"
#include "unit.h"

#define ALLOW	SECCOMP_RET_ALLOW
#define KILL	SECCOMP_RET_KILL_PROCESS
#define ERR(e)	(SECCOMP_RET_ERRNO | (uint32_t)(e))

static struct sock_filter code[FILTER_MAX];
static size_t len;
static unsigned longest;	/* way through a program, instructions */

static uint32_t
loaded(const struct seccomp_data *d, uint32_t offset)
{
	uint32_t word;

	/* seccomp_check_filter(), kernel/seccomp.c */
	if (offset % 4 != 0 || offset > sizeof(*d) - sizeof(word)) {
		unit_fail(__FILE__, __LINE__, "load", NULL, NULL);
		return 0;
	}
	memcpy(&word, (const char *)d + offset, sizeof(word));
	return word;
}

/* What the program answers; 0, which no program of ours does, if it fails. */
static uint32_t
run(const struct seccomp_data *d)
{
	uint32_t a = 0;
	unsigned steps = 0;
	size_t at = 0;

	for (; at < len; at++) {
		const struct sock_filter *i = &code[at];

		if (++steps > longest)
			longest = steps;
		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			a = loaded(d, i->k);
			break;
		case BPF_JMP | BPF_K | BPF_JEQ:
			at += a == i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_K | BPF_JGE:
			at += a >= i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_K | BPF_JGT:
			at += a > i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_K | BPF_JSET:
			at += (a & i->k) != 0 ? i->jt : i->jf;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		default:
			return 0;
		}
	}
	return 0;
}

/* Refused whatever the arguments are. */
static const struct {
	unsigned	nr[FILTER_ARCHES];
	unsigned	lift;
	int		err;
} refused[] = {
	{ { 435, 435 }, FILTER_NESTED, ENOSYS },	/* clone3 */
	{ { 308, 268 }, FILTER_NESTED, EPERM },		/* setns */
	{ { 165, 40 }, FILTER_NESTED, EPERM },		/* mount */
	{ { 166, 39 }, FILTER_NESTED, EPERM },		/* umount2 */
	{ { 155, 41 }, FILTER_NESTED, EPERM },		/* pivot_root */
	{ { 428, 428 }, FILTER_NESTED, EPERM },		/* open_tree */
	{ { 429, 429 }, FILTER_NESTED, EPERM },		/* move_mount */
	{ { 430, 430 }, FILTER_NESTED, EPERM },		/* fsopen */
	{ { 431, 431 }, FILTER_NESTED, EPERM },		/* fsconfig */
	{ { 432, 432 }, FILTER_NESTED, EPERM },		/* fsmount */
	{ { 433, 433 }, FILTER_NESTED, EPERM },		/* fspick */
	{ { 442, 442 }, FILTER_NESTED, EPERM },		/* mount_setattr */
	{ { 467, 467 }, FILTER_NESTED, EPERM },		/* open_tree_attr */
	{ { 438, 438 }, 0, EPERM },			/* pidfd_getfd */
	{ { 425, 425 }, 0, ENOSYS },			/* io_uring_setup */
	{ { 426, 426 }, 0, ENOSYS },			/* io_uring_enter */
	{ { 427, 427 }, 0, ENOSYS },			/* io_uring_register */
	{ { 321, 280 }, 0, EPERM },			/* bpf */
	{ { 298, 241 }, 0, EPERM },			/* perf_event_open */
	{ { 323, 282 }, 0, EPERM },			/* userfaultfd */
	{ { 304, 265 }, 0, EPERM },			/* open_by_handle_at */
	{ { 248, 217 }, 0, ENOSYS },			/* add_key */
	{ { 249, 218 }, 0, ENOSYS },			/* request_key */
	{ { 250, 219 }, 0, ENOSYS },			/* keyctl */
	{ { 246, 104 }, 0, EPERM },			/* kexec_load */
	{ { 320, 294 }, 0, EPERM },			/* kexec_file_load */
	{ { 175, 105 }, 0, EPERM },			/* init_module */
	{ { 313, 273 }, 0, EPERM },			/* finit_module */
	{ { 176, 106 }, 0, EPERM },			/* delete_module */
	{ { 167, 224 }, 0, EPERM },			/* swapon */
	{ { 168, 225 }, 0, EPERM },			/* swapoff */
	{ { 169, 142 }, 0, EPERM },			/* reboot */
	{ { 179, 60 }, 0, EPERM },			/* quotactl */
	{ { 443, 443 }, 0, EPERM }			/* quotactl_fd */
};

/* Those for which the arguments decide. */
enum {
	UNSHARE, CLONE, FCNTL, IOCTL, SOCKET, PAIR, PTRACE, READV, WRITEV,
	NASKING
};
static const unsigned asking[FILTER_ARCHES][NASKING] = {
	{ 272, 56, 72, 16, 41, 53, 101, 310, 311 },
	{ 97, 220, 25, 29, 198, 199, 117, 270, 271 }
};

/* CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET */
static const uint32_t new_ns[] = {
	0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000,
	0x40000000
};
#define NNEW	(sizeof(new_ns) / sizeof(*new_ns))
#define NEWTIME	0x80

static int
asks_for_namespace(uint32_t flags)
{
	size_t i;

	for (i = 0; i < NNEW; i++)
		if ((flags & new_ns[i]) == new_ns[i])
			return 1;
	return 0;
}

static uint32_t
want_of_asking(int call, unsigned allow, uint32_t a, uint32_t b)
{
	const int nested = (allow & FILTER_NESTED) != 0;
	const int sockets = (allow & FILTER_SOCKETS) != 0;
	int type = b & 0xf;	/* SOCK_TYPE_MASK, linux/net.h */

	switch (call) {
	case UNSHARE:
		return !nested && (asks_for_namespace(a) ||
		    (a & NEWTIME) != 0) ? ERR(EPERM) : ALLOW;
	case CLONE:	/* where the last byte is a signal */
		return !nested && asks_for_namespace(a) ? ERR(EPERM) : ALLOW;
	case FCNTL:
		return b == 1024 || b == 1040 ? ERR(EPERM) : ALLOW;
	case IOCTL:
		return b == 0x5412 || b == 0x541c || b == 0x50009401 ||
		    b == 0x5000940f || b == 0x50009417 || b == 0x5000943f ?
		    ERR(EPERM) : ALLOW;
	case SOCKET:
		return !sockets && (a == 1 || a == 40) ? ERR(EAFNOSUPPORT) :
		    ALLOW;
	case PAIR:	/* STREAM, RDM, SEQPACKET may pass */
		return !sockets && type != 0 && type != 1 && type != 4 &&
		    type != 5 && type != 8 && type != 9 && type != 12 &&
		    type != 13 ? ERR(EAFNOSUPPORT) : ALLOW;
	case PTRACE:
		return a != 0 && b == 1 ? ERR(EPERM) : ALLOW;
	default:
		return a == 1 ? ERR(EPERM) : ALLOW;
	}
}

static uint32_t
want(enum filter_arch arch, unsigned allow, uint32_t nr, uint32_t a,
    uint32_t b)
{
	size_t i;

	if (nr > 469)
		return ERR(ENOSYS);
	for (i = 0; i < NASKING; i++)
		if (asking[arch][i] == nr)
			return want_of_asking((int)i, allow, a, b);
	for (i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (refused[i].nr[arch] == nr &&
		    (refused[i].lift & allow) == 0)
			return ERR(refused[i].err);
	return ALLOW;
}

/*
 * One call with those first arguments; the high halves, and what comes behind,
 * must make no difference.
 */
static void
check(enum filter_arch arch, unsigned allow, uint32_t nr, uint32_t a,
    uint32_t b)
{
	static const uint64_t rest[] = { 0, ~0ULL << 32 };
	uint32_t expected = want(arch, allow, nr, a, b), got;
	size_t i;

	for (i = 0; i < 2; i++) {
		struct seccomp_data d = {
			(int)nr, arch == FILTER_X86_64 ? AUDIT_ARCH_X86_64 :
			    AUDIT_ARCH_AARCH64, rest[i],
			{ a | rest[i], b | rest[i], 1 | rest[i], rest[i],
			    0x5412, 1 }
		};

		if ((got = run(&d)) == expected)
			continue;
		unit_failures++;
		fprintf(stderr, "arch %d, allow %u, call %u (0x%x, 0x%x): "
		    "0x%x, not 0x%x\n", arch, allow, nr, a, b, got, expected);
	}
}

static const uint32_t words[] = {
	0, 1, 2, 3, 4, 5, 6, 10, 16, 40, 41, 17 /* SIGCHLD */,
	0x5411, 0x5412, 0x5413, 0x541b, 0x541c, 0x541d,
	02000001 /* SOCK_CLOEXEC */, 02004002 /* SOCK_NONBLOCK, too */,
	02000005, 0x3d0f00 /* a thread's flags */, 0x1200011 /* a fork's */,
	0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000,
	0x40000000, 1024, 1025, 1039, 1040, 0x50009401, 0x5000940e, 0x5000940f, 0x50009417,
	0x50009418, 0x5000943e, 0x5000943f, 0x80, 0x10020011, 0x7e020000, 0x80000000, 0x81fdff7f,
	0xffffffff
};
#define NWORDS	(sizeof(words) / sizeof(*words))

static void
check_call(enum filter_arch arch, unsigned allow, uint32_t nr)
{
	size_t a, b;

	for (a = 0; a < NWORDS; a++)
		for (b = 0; b < NWORDS; b++)
			check(arch, allow, nr, words[a], words[b]);
}

static void
all_calls(enum filter_arch arch, unsigned allow)
{
	uint32_t nr, high;
	size_t i;

	for (nr = 0; nr < 1024; nr++)
		check_call(arch, allow, nr);
	/* x32's have bit 30 set; the sign and all others are no calls */
	for (high = 1U << 10; high != 0; high <<= 1)
		for (nr = 0; nr < 600; nr++) {
			check(arch, allow, nr | high, 0, 0);
			check(arch, allow, ~(nr | high), 1, 1);
		}
	for (i = 0; i < NWORDS; i++)
		check(arch, allow, words[i], 0, 0);
}

static void
other_architectures(enum filter_arch arch)
{
	static const uint32_t other[] = {
		0, AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_X86_64,
		AUDIT_ARCH_AARCH64, AUDIT_ARCH_RISCV64, AUDIT_ARCH_PPC64,
		AUDIT_ARCH_X86_64 ^ 0x40000000, AUDIT_ARCH_AARCH64 | 1,
		0xffffffff
	};
	const uint32_t ours = arch == FILTER_X86_64 ? AUDIT_ARCH_X86_64 :
	    AUDIT_ARCH_AARCH64;
	size_t i, nr;

	for (i = 0; i < sizeof(other) / sizeof(*other); i++)
		for (nr = 0; nr < 600 && other[i] != ours; nr++) {
			struct seccomp_data d = {
				(int)nr, other[i], 0, { 0 }
			};

			CHECK_INT(run(&d), KILL);
		}
}

int
main(void)
{
	static const unsigned nested[] = { 0, 1, 0, 1 }, sockets[] = {
		0, 0, 1, 1
	};
	unsigned allow;
	int arch;

	for (arch = 0; arch < FILTER_ARCHES; arch++)
		for (allow = 0; allow < 4; allow++) {
			CHECK_INT(filter_allow((int)nested[allow],
			    (int)sockets[allow]), allow);
			len = filter_make((enum filter_arch)arch, allow, code);
			CHECK(len > 50 && len <= FILTER_MAX);
			all_calls((enum filter_arch)arch, allow);
			other_architectures((enum filter_arch)arch);
		}
	/* the search has 6 steps, ioctl 6 more; the rest is around them */
	CHECK(longest <= 19);
	return unit_failures != 0;
}
