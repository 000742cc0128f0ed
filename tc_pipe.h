/* tc_pipe.h - tc 0.2.0 - rings of shared-memory slots, roles of warpgroups, values that a warp has in common. Needs:
 * the headers below.
 *
 * A warp-specialised kernel is a producer that fills slots and consumers that empty them. A slot has two mbarriers:
 *
 *     full     the producer arrives and TMA counts its bytes; consumers wait for it
 *     empty    consumers arrive when they are done with the slot; the producer waits for it before it fills the slot
 *              again
 *
 *     tc_ring, tc_ring_next, tc_ring_skip       position in a ring: which slot, which lap
 *     tc_pipe, tc_pipe_full, tc_pipe_empty      where the mbarriers of a ring lie; tc_pipe_init makes them
 *     TC_PIPE_WAIT_FULL, TC_PIPE_WAIT_EMPTY     wait for a slot (macros, so that TC_DEBUG can name the line)
 *     tc_roles_of, tc_roles_producer, _consumer registers: what the producer's warpgroup gives away, the consumers get
 *     (setmaxnreg)
 *     tc_uniform                                a value that is the same in all lanes, known to the compiler as such
 *     tc_opaque                                 a value of which the compiler knows nothing
 *
 * TRAP: a wait compares one parity bit, which tells only neighbouring laps of a ring apart. Nobody may wait for a slot
 * while the lap before the one that it means is still to come.
 */
#ifndef TC_PIPE_H
#define TC_PIPE_H

#include "tc_core.h"
#include "tc_mbarrier.h"
#include "tc_wgmma.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Registers of a thread: the producer's warpgroup gives away what its consumers need. A block of 128 * (1 + consumers)
 * threads starts with 65536 / threads of them each, rounded down to a multiple of 8. One consumer warpgroup has enough
 * as it is.
 */
enum {
    TC_ROLES_USUAL = 0,     /* consumers get 232 of two, 160 of three, 112 of four */
    TC_ROLES_CONSUMERS = 1, /* two consumers get 240; the producer is left 24: a loop over TMA and no more */
    TC_ROLES_PRODUCER = 2,  /* the producer also calls a hook: 56, and 224 for two consumers */
    TC_ROLES_HELPED = 3     /* a fourth warpgroup helps: 40 as the producer, and 216 for two consumers */
};

typedef struct tc_roles {
    int producer, consumer; /* registers of a thread; 0: as at the start */
} tc_roles;

TC_HD TC_CONSTEXPR tc_roles tc_roles_of(int consumers, int wants)
{
    tc_roles r = {0, 0};
    if (consumers == 2) r.producer = wants == TC_ROLES_PRODUCER ? 56 : wants == TC_ROLES_CONSUMERS ? 24 : 40;
    if (consumers == 2)
        r.consumer = wants == TC_ROLES_PRODUCER    ? 224
                     : wants == TC_ROLES_CONSUMERS ? 240
                     : wants == TC_ROLES_HELPED    ? 216
                                                   : 232;
    if (consumers == 3) r.producer = 32, r.consumer = 160;
    if (consumers == 4) r.producer = 32, r.consumer = 112;
    return r;
}

#ifdef __CUDACC__

/* PTX: setmaxnreg, sm_90a. By all four warps of the warpgroup. */
TC_DEV_SM90A void tc_roles_producer(const tc_roles r)
{
    if (r.producer == 24) TC_SETMAXNREG_DEC(24);
    if (r.producer == 32) TC_SETMAXNREG_DEC(32);
    if (r.producer == 40) TC_SETMAXNREG_DEC(40);
    if (r.producer == 56) TC_SETMAXNREG_DEC(56);
}

TC_DEV_SM90A void tc_roles_consumer(const tc_roles r)
{
    if (r.consumer == 112) TC_SETMAXNREG_INC(112);
    if (r.consumer == 160) TC_SETMAXNREG_INC(160);
    if (r.consumer == 216) TC_SETMAXNREG_INC(216);
    if (r.consumer == 224) TC_SETMAXNREG_INC(224);
    if (r.consumer == 232) TC_SETMAXNREG_INC(232);
    if (r.consumer == 240) TC_SETMAXNREG_INC(240);
}

/* A value that is the same in all 32 lanes, which must call this together: redux.sync leaves it in a uniform register,
 * so that ptxas takes loops and branches over it for uniform. PTX: redux.sync, sm_80. */
TC_DEV_SM80 uint32_t tc_uniform(uint32_t x)
{
    uint32_t r;
    asm volatile("redux.sync.or.b32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(x));
    return r;
}

/* x, of which the compiler then knows nothing: what is made of it is not made early, and kept in registers until it is
 * wanted. */
TC_DEV int tc_opaque(int x)
{
    asm volatile("" : "+r"(x));
    return x;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Position in a ring of `stages` slots. phase is the parity of the current lap: consumers wait full with phase,
 * producers wait empty with phase ^ 1 (which a fresh barrier passes).
 */
typedef struct tc_ring {
    uint32_t stage, phase;
} tc_ring;

TC_DEV void tc_ring_next(tc_ring *r, const int stages)
{
    if (++r->stage == (uint32_t)stages) {
        r->stage = 0;
        r->phase ^= 1u;
    }
}

/* Skips a run of slots given as its remainder and quotient by stages (the host can divide: a division here would drag
 * the position out of the uniform registers). */
TC_DEV void tc_ring_skip(tc_ring *r, uint32_t slots, uint32_t laps, const int stages)
{
    r->stage += slots;
    r->phase ^= laps & 1u;
    if (r->stage >= (uint32_t)stages) {
        r->stage -= (uint32_t)stages;
        r->phase ^= 1u;
    }
}

/* The mbarriers of a ring: shared addresses of full[stages] and of empty[stages], 8 bytes each. */
typedef struct tc_pipe {
    uint32_t full, empty;
} tc_pipe;

TC_DEV tc_pipe tc_pipe_at(uint32_t smem, const int stages)
{
    tc_pipe p;
    p.full = smem;
    p.empty = smem + (uint32_t)stages * 8u;
    return p;
}

TC_DEV uint32_t tc_pipe_full(tc_pipe p, uint32_t stage) { return p.full + stage * 8u; }
TC_DEV uint32_t tc_pipe_empty(tc_pipe p, uint32_t stage) { return p.empty + stage * 8u; }

/* One thread each, before its tc_fence_mbarrier_init and a barrier of the block or cluster. fills: arrivals that make a
 * slot full; releases: those that give it back. */
TC_DEV_SM90 void tc_pipe_init_full(tc_pipe p, const int stages, uint32_t fills)
{
#pragma unroll
    for (int s = 0; s < stages; s++) tc_mbarrier_init(tc_pipe_full(p, (uint32_t)s), fills);
}

TC_DEV_SM90 void tc_pipe_init_empty(tc_pipe p, const int stages, uint32_t releases)
{
#pragma unroll
    for (int s = 0; s < stages; s++) tc_mbarrier_init(tc_pipe_empty(p, (uint32_t)s), releases);
}

TC_DEV_SM90 void tc_pipe_init(tc_pipe p, const int stages, uint32_t releases)
{
    tc_pipe_init_full(p, stages, 1);
    tc_pipe_init_empty(p, stages, releases);
}

#define TC_PIPE_WAIT_FULL(pipe, ring)                                                                                 \
    TC_MBARRIER_WAIT(tc_pipe_full(pipe, (ring)->stage), (ring)->phase, "full", (int)(ring)->stage)
#define TC_PIPE_WAIT_EMPTY(pipe, ring)                                                                                \
    TC_MBARRIER_WAIT(tc_pipe_empty(pipe, (ring)->stage), (ring)->phase ^ 1u, "empty", (int)(ring)->stage)

#endif /* __CUDACC__ */

/* Bytes of the mbarriers of a ring. */
TC_HD TC_CONSTEXPR int tc_pipe_bytes(int stages) { return stages * 16; }

#endif /* TC_PIPE_H */
