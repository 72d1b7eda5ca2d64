/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A scheduled program, from fs_sched.c for fs_emit.c and for the picture of
 * the schedule.
 */

#ifndef FS_SCHEDULE_H
#define FS_SCHEDULE_H

#define FS_MAX_ROWS 4
#define FS_MAX_EXEC_MFU 3
#define FS_MAX_EXEC_PACKETS 8 /* of any chip, as TEGRA20_FS_MAX_ALU */

/* Most distinct registers of one kind that a public program reads in one
 * packet (fragment-pipeline.md 3.3). */
#define FS_MAX_PACKET_ROW_REGS 6
#define FS_MAX_PACKET_UNIFORMS 5

#define FS_NOWHERE 0xff

/* A place in the row registers: register and part of it. */
enum fs_half {
   FS_LOW,
   FS_HIGH,
   FS_FULL,
};

struct fs_place {
   uint8_t reg; /* 0..15 or FS_NOWHERE */
   uint8_t half;
};

struct fs_slot {
   uint16_t node; /* FS_NO_NODE: the unit idles */
   uint8_t term;  /* FS_OP_ACC: which product */
   bool send, recv;
   bool joined, negate; /* a product of a sum that the scheduler has made;
                           with its sign turned */
   struct fs_place dest;
   /* operands A, B, C: an ALU register number and the half */
   uint8_t reg[3], half[3];
};

struct fs_packet {
   struct fs_slot slot[4];
   uint8_t num_consts;
   struct tegra20_fs_const consts[3];
};

struct fs_mfu {
   uint8_t sfu, sfu_reg; /* local register, 4 = r4 */
   uint8_t mul_dst[2],
      mul_src[2][2];               /* encodings of fragment-pipeline.md 4.1 */
   uint16_t interp[4];             /* node per column or FS_NO_NODE */
   uint16_t sfu_node, mul_node[2]; /* for the picture */
};

struct fs_exec {
   uint8_t num_mfu, num_packets;
   struct fs_mfu mfu[FS_MAX_EXEC_MFU];
   struct fs_packet packet[FS_MAX_EXEC_PACKETS];
   uint16_t tex, fetch, store, stencil;         /* nodes or FS_NO_NODE */
   uint8_t tex_coord, tex_result, store_source; /* 0: r0.., 1: r2.. */
};

struct fs_schedule {
   const char *heuristic; /* that led to it */
   unsigned rows, num_execs, cycles, num_mfu, num_packets;
   unsigned work; /* that it took to find the schedule, or to find none */
   unsigned nodes_left; /* that found no place; 0 and failure: more than the
                           instruction tables hold */
   unsigned
      num_nodes; /* of the program and copies that the scheduler added */
   const struct fs_node *nodes;
   struct fs_exec execs[TEGRA20_FS_MAX_EXECS];
};

/* Operations that share a packet with a sum. */
enum fs_sums {
   FS_SUMS_ALONE,
   FS_SUMS_SHARE, /* the units without a product work on their own */
   FS_SUMS_JOIN,  /* and chains of additions become sums where units are
                     left */
};

/* Parameters of the scheduler: a heuristic, and those of an attempt. */
struct fs_sched_options {
   const char *name;
   unsigned max_packets;   /* of an EXEC while other units have work, 1..3 */
   unsigned store_packets; /* of an EXEC with a store, or 0: as others */
   bool
      keep_packets_apart; /* rows > 1: prefer one packet per EXEC, and do not
                               end the write delay where an EXEC has nothing
                               else to do */
   bool gaps;         /* rows > 1: end it where the EXEC has packets before or
                         behind, too */
   unsigned depth;    /* weight of the length of the path to the start of the
                         program */
   unsigned pressure; /* weight of register pressure */
   unsigned order;    /* weight of the place in the order of the window */
   unsigned recency;  /* weight of having a user in the packets filled last:
                         depth first */
   unsigned window;   /* nodes that the scheduler looks ahead; 0: all */
   enum fs_sums sums;
   bool dense; /* packets are scarce: more than one set of four operations is
                  tried for each */
   /* of an attempt: */
   unsigned rows;
   unsigned seed;       /* of noise in priorities; 0: none */
   const int16_t *bias; /* NULL, or per node of the program an addend of its
                           priority */
   unsigned limit; /* give up when the schedule cannot be shorter than this
                      number of cycles */
};

/* The heuristics, those that find a schedule for most programs first; the
 * beam adds noise to all but the plain ones, another one for each batch.  The
 * last ones are for programs with several stores. */
#define FS_NUM_HEURISTICS 14
#define FS_NUM_PLAIN_HEURISTICS 6
#define FS_NUM_STORE_HEURISTICS 2
extern const struct fs_sched_options fs_heuristics[FS_NUM_HEURISTICS];

/* Entries of the MFU's instruction table (fs_share.c). */
struct fs_mfu_pool {
   unsigned count;
   uint8_t
      first[TEGRA20_FS_MAX_EXECS]; /* of each EXEC that has instructions */
   uint8_t exec[TEGRA20_FS_MAX_MFU],
      inst[TEGRA20_FS_MAX_MFU]; /* the entries */
};

/* false when they are too many, even where EXECs share entries */
bool
fs_fill_mfu_pool(const struct fs_schedule *schedule,
                 struct fs_mfu_pool *pool);
/* ALU packets that no schedule can do without */
unsigned
fs_least_packets(const struct fs_program *p);
/* cycles that no schedule of that many rows (1 to 4) can do without; with 1
 * no schedule at all */
unsigned
fs_lower_bound(const struct fs_program *p, unsigned rows);
/* per node: cycles that go by before it in any schedule of that many rows, at
 * least */
void
fs_measure_heads(const struct fs_program *p, unsigned rows, uint16_t *heads);
/* Prepares the state that all attempts to schedule a program share. */
void
fs_prepare_schedules(struct fs_program *p);
/* false with *reason when this attempt does not fit; the nodes of the
 * schedule are gone when the next attempt begins, unless they are kept */
bool
fs_schedule(const struct fs_program *p,
            const struct fs_sched_options *options, struct fs_schedule *out,
            const char **reason);
void
fs_keep_schedule(struct fs_schedule *schedule, void *mem_ctx);
/*
 * The best schedule that the effort finds, in memory of the program, or NULL
 * and a reason (fs_search.c).  bound: cycles from fs_lower_bound(), or 0
 * where it is enough that something fits; limit: fewer cycles than that are
 * wanted, because another lowering of the program takes as many, or UINT_MAX;
 * beam: whether several partial schedules are followed in the end; budget:
 * packets to try while there is no schedule, less those tried in
 * vain.
 */
const struct fs_schedule *
fs_search_schedule(const struct fs_program *p, unsigned bound, unsigned limit,
                   bool beam, int *budget, const char **reason);
/*
 * A schedule of fewer than "limit" cycles with that many rows, found by
 * following several partial ones, at most "width" of the same length, side by
 * side (fs_beam.c): a ralloc child of mem_ctx, or NULL.  bias: of the
 * operations' priorities, or NULL; budget: packets tried; *work: how many it
 * were.
 */
struct fs_schedule *
fs_beam_schedule(const struct fs_program *p, unsigned rows, unsigned width,
                 unsigned limit, const int16_t *bias, int budget,
                 void *mem_ctx, unsigned *work);
/*
 * From a program and its schedule to better ones in small steps (fs_climb.c).
 */
struct fs_climb {
   /* the program lowered in that way, or NULL where it has none */
   struct fs_program *(*lower)(void *data,
                               const struct fs_lowering *lowering);
   void *data;
   const struct fs_lowering *lowering; /* of the best one that is known */
   unsigned rows, cycles, packets;     /* that it takes */
   unsigned bound; /* cycles of the least one, see fs_lower_bound() */
   const struct tegra20_cancel *cancel; /* or NULL */
};

/* A program with a *schedule, its ralloc child, of fewer cycles, or of as
 * many and fewer packets; or NULL. */
struct fs_program *
fs_climb(const struct fs_climb *from, struct fs_schedule **schedule);
bool
fs_emit(const struct fs_program *p, const struct fs_schedule *schedule,
        void *mem_ctx, struct tegra20_fs *out, char **error);
/* NULL or the first broken rule of fragment-pipeline.md 10.1, a ralloc child
 * of mem_ctx */
char *
fs_validate(void *mem_ctx, const struct tegra20_fs *fs);

#endif
