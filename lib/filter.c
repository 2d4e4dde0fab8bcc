/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <string.h>

#include "filter.h"

#define ALWAYS		FILTER_ALWAYS, 0, 0
#define IS(arg, value)	FILTER_IS, arg, value
#define HAS(arg, bits)	FILTER_HAS, arg, bits
#define ROW(x86_64, aarch64, when, arg, value, answer) \
	{ { x86_64, aarch64 }, when, arg, answer, value },
#define CALL(name, x86_64, aarch64, when, answer, why) \
	ROW(x86_64, aarch64, when, answer)
#define CONCERN(word, lift, why) \
	ROW(FILTER_HEADING, FILTER_HEADING, FILTER_ALWAYS, 0, lift, 0)

const struct filter_row filter_row[] = {
#include "filter-rows.h"
	CONCERN(end, 0, "")
};
#define NROWS	(sizeof(filter_row) / sizeof(*filter_row) - 1)

/* A row makes four instructions at most: two of the search, two of its own. */
_Static_assert(4 * NROWS + 16 <= FILTER_MAX, "more rows than jumps reach");

static const uint32_t audit_arch[FILTER_ARCHES] = {
	AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64
};

/*
 * The program is written from its end, so that it is known where each jump
 * leads.
 */
struct program {
	struct sock_filter	*code;	/* FILTER_MAX */
	unsigned		 at;	/* the first there is */
	enum filter_arch	 arch;
	unsigned		 answer[256];	/* where it is returned, or 0 */
};

/* One more instruction in front; where it stands. */
static unsigned
put(struct program *p, unsigned op, uint32_t k, unsigned yes, unsigned no)
{
	unsigned at = --p->at;

	p->code[at].code = (uint16_t)op;
	p->code[at].jt = (uint8_t)(yes - at - 1);
	p->code[at].jf = (uint8_t)(no - at - 1);
	p->code[at].k = k;
	return at;
}

static unsigned
put_return(struct program *p, uint32_t value)
{
	return put(p, BPF_RET | BPF_K, value, p->at, p->at);
}

/* Loads 32 bits of struct seccomp_data, for the instruction behind it. */
static unsigned
put_load(struct program *p, size_t offset)
{
	return put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, p->at,
	    p->at);
}

static unsigned
put_jump(struct program *p, unsigned test, uint32_t k, unsigned yes,
    unsigned no)
{
	return put(p, BPF_JMP | BPF_K | test, k, yes, no);
}

static unsigned
answer(struct program *p, uint8_t errnum)
{
	if (p->answer[errnum] == 0)
		p->answer[errnum] = put_return(p, errnum == 0 ?
		    SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | errnum);
	return p->answer[errnum];
}

/* The row r, and those of the same call behind it. */
static unsigned
put_rows(struct program *p, const struct filter_row *r)
{
	unsigned yes = answer(p, r->answer), no;

	if (r->when == FILTER_ALWAYS)
		return yes;
	no = r[1].nr[p->arch] == r->nr[p->arch] ? put_rows(p, r + 1) :
	    answer(p, 0);
	put_jump(p, r->when == FILTER_IS ? BPF_JEQ : BPF_JSET, r->value, yes,
	    no);
	if (r[-1].nr[p->arch] == r->nr[p->arch] && r[-1].arg == r->arg)
		return p->at;	/* the row before has loaded it */
	/* the low half comes first: both architectures are little-endian */
	return put_load(p, offsetof(struct seccomp_data, args) +
	    r->arg * sizeof(uint64_t));
}

/*
 * The binary search for the number of a call among n calls: seven or so steps
 * for any.  A search in turn would be as fast for frequent ones only, and the
 * kernel (since 5.11, kernel/seccomp.c, seccomp_cache_prepare()) goes through
 * the program once for each number when it is given one, and remembers which
 * calls are allowed whatever their arguments.
 */
static unsigned
put_search(struct program *p, const struct filter_row **call, size_t n)
{
	unsigned yes, no;

	if (n == 1) {
		yes = put_rows(p, call[0]);
		return put_jump(p, BPF_JEQ, call[0]->nr[p->arch], yes,
		    answer(p, 0));
	}
	yes = put_search(p, call + n / 2, n - n / 2);
	no = put_search(p, call, n / 2);
	return put_jump(p, BPF_JGE, call[n / 2]->nr[p->arch], yes, no);
}

/* The first row of each call that is not lifted, sorted by number. */
static size_t
gather(enum filter_arch arch, unsigned allow, const struct filter_row **call)
{
	const struct filter_row *r;
	int lifted = 0;
	size_t n = 0, i;

	for (r = filter_row; r != filter_row + NROWS; r++)
		if (r->nr[arch] == FILTER_HEADING)
			lifted = (r->value & allow) != 0;
		else if (!lifted && r->nr[arch] != r[-1].nr[arch]) {
			for (i = n++; i > 0 &&
			    call[i - 1]->nr[arch] > r->nr[arch]; i--)
				call[i] = call[i - 1];
			call[i] = r;
		}
	return n;
}

unsigned
filter_allow(int nested_userns, int unix_sockets)
{
	return (nested_userns ? FILTER_NESTED : 0) |
	    (unix_sockets ? FILTER_SOCKETS : 0);
}

size_t
filter_make(enum filter_arch arch, unsigned allow,
    struct sock_filter code[FILTER_MAX])
{
	const struct filter_row *call[NROWS];
	struct program p = { .code = code, .at = FILTER_MAX, .arch = arch };
	size_t n = gather(arch, allow, call), len;
	unsigned next, kill;

	next = put_search(&p, call, n);
	put_jump(&p, BPF_JGT, FILTER_LAST, answer(&p, ENOSYS), next);
	next = put_load(&p, offsetof(struct seccomp_data, nr));
	kill = put_return(&p, SECCOMP_RET_KILL_PROCESS);
	put_jump(&p, BPF_JEQ, audit_arch[arch], next, kill);
	put_load(&p, offsetof(struct seccomp_data, arch));
	len = FILTER_MAX - p.at;
	memmove(code, code + p.at, len * sizeof(*code));
	return len;
}
