/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the parts of the scheduler: fs_sched.c (EXECs and
 * batches), fs_sched_packet.c (packets), fs_sched_regs.c (registers) and the
 * others below.
 */

#ifndef FS_SCHED_H
#define FS_SCHED_H

#include "fs.h"

#define NONE FS_NO_NODE
#define SCHED_SPARE_NODES 96 /* copies that the scheduler may add */
#define SCHED_SNAPSHOTS 8
#define MAX_ROW_REGS (4 * FS_MAX_ROWS)

struct node_state {
   uint16_t
      uses_left; /* users that are not scheduled yet; all later uses are */
   uint16_t last_user; /* number of the packet, counted from the end of the
                          program, that has the earliest user */
   uint8_t reg, half;  /* where the value lives, FS_NOWHERE = nowhere yet;
                          parents of parts: the first register */
   uint8_t copies; /* of a result of the ALU, not scheduled: each is one of
                      the uses that are left */
   bool scheduled : 1;
   bool is_copy : 1; /* one of these copies */
};

/* The packet that was filled last, that is the one after the packet being
 * filled. */
struct later_packet {
   struct fs_packet *packet; /* NULL: none in this batch */
   bool same_exec;
   uint16_t src_node[4][3]; /* operands whose place is still open, or NONE */
   unsigned num_sources;    /* of them: values */
   uint16_t pending[12];    /* ALU values it reads that have no register */
   unsigned num_pending;
};

struct sched_state {
   unsigned num_nodes;
   uint16_t owner[MAX_ROW_REGS][2]; /* live value in each half: ALU, SFU or
                                       interpolated value, or part */
   uint16_t multi[MAX_ROW_REGS]; /* lookup, fetch or fx10 interpolation that
                                    will write the whole register */
   uint16_t taken[2], awaited; /* masks of the registers whose halves have an
                                  owner, and of those with a multi */
   struct later_packet later;
   unsigned effects_left; /* stores and stencil writes not placed */
   unsigned nodes_left;
   unsigned packets;    /* filled so far */
   unsigned units_left; /* of the ALU, by operations not scheduled */
};

struct snapshot {
   struct sched_state state;
   struct node_state *values;
};

/* An operation that may be in a packet. */
struct candidate {
   uint16_t node;
   int score;
};

struct sched {
   const struct fs_program *p;
   const struct fs_sched_options *options;
   struct fs_schedule *out;
   const char *reason;
   unsigned rows, num_regs;
   bool has_fetch, many_varyings;

   struct fs_node *nodes; /* the program's and the scheduler's copies */
   unsigned program_nodes;
   unsigned space; /* for nodes */
   /* state at the start of an attempt */
   struct sched_state start;
   struct node_state *start_values;
   uint16_t *user_start, *users; /* per node: its users */
   uint16_t *depth;
   uint16_t *position; /* from 1 on, in the program */
   uint16_t
      *left; /* operations that were not scheduled when the batch was begun */
   uint16_t *front; /* lookups, operations of the MFU and fetches */
   unsigned num_front;
   unsigned num_left,
      first_copy;   /* nodes from there on are copies made since */
   unsigned window; /* operations that lie further before the last one that is
                       left have to wait */
   BITSET_WORD **ancestors; /* per node: the nodes that it depends on */

   struct sched_state s;
   struct node_state *values;
   struct snapshot snapshot[SCHED_SNAPSHOTS];
   struct candidate
      *candidates[SCHED_SNAPSHOTS]; /* of the packets under construction */
   unsigned num_snapshots;

   struct fs_exec *execs; /* reversed: the last EXEC first */
   unsigned num_execs, cycles;
   unsigned work; /* packets tried and EXECs */
   unsigned
      bound; /* cycles at least, as far as known at the start of the batch */
   uint8_t *tram_columns;    /* per node: columns from which it has been
                                interpolated */
   unsigned column_cells[4]; /* TRAM cells that the columns hold */
};

/* --- fs_sched_regs.c --- */

static inline void
sched_set_owner(struct sched *sc, unsigned reg, unsigned half, unsigned v)
{
   sc->s.owner[reg][half] = v;
   sc->s.taken[half] &= ~(1u << reg);
   sc->s.taken[half] |= (v != NONE) << reg;
}

static inline void
sched_set_multi(struct sched *sc, unsigned reg, unsigned parent)
{
   sc->s.multi[reg] = parent;
   sc->s.awaited &= ~(1u << reg);
   sc->s.awaited |= (parent != NONE) << reg;
}

/* The empty registers. */
static inline unsigned
sched_free_registers(const struct sched *sc)
{
   return BITFIELD_MASK(sc->num_regs) &
          ~(sc->s.taken[0] | sc->s.taken[1] | sc->s.awaited);
}

void
sched_save(struct sched *sc);
void
sched_restore(struct sched *sc); /* to the last save, which stays */
void
sched_drop(struct sched *sc);

bool
sched_depends(const struct sched *sc, unsigned node, unsigned on);
/* 0..range - 1, by the seed of the attempt. */
unsigned
sched_noise(const struct sched *sc, unsigned x, unsigned range);

/* Where value v can be read: its register and half.  Parts follow their
 * parent. */
static inline struct fs_place
sched_place(const struct sched *sc, unsigned v)
{
   const struct fs_node *node = &sc->nodes[v];

   if (node->op == FS_OP_PART) {
      const struct node_state *parent = &sc->values[node->src[0].index];
      if (parent->reg == FS_NOWHERE)
         return (struct fs_place){ FS_NOWHERE, 0 };
      return (struct fs_place){ parent->reg + node->part / 2,
                                node->part & 1 };
   }
   return (struct fs_place){ sc->values[v].reg, sc->values[v].half };
}

/* Does the value have a register at the point that the scheduler has reached?
 */
static inline bool
sched_is_live(const struct sched *sc, unsigned v)
{
   const struct fs_place place = sched_place(sc, v);
   return place.reg != FS_NOWHERE &&
          sc->s.owner[place.reg][place.half == FS_HIGH] == v;
}

/* Gives a value a place of the scheduler's choice; avoid: mask of registers
 * that are out of question. */
bool
sched_allocate(struct sched *sc, unsigned v, unsigned avoid);
/* Gives a value a certain place, through a copy when it has another already.
 */
bool
sched_allocate_at(struct sched *sc, unsigned v, unsigned reg,
                  enum fs_half half);
/* Same with any free register of a row. */
bool
sched_allocate_in_row(struct sched *sc, unsigned v, unsigned row,
                      unsigned avoid, unsigned *reg);
bool
sched_place_parent(struct sched *sc, unsigned parent, unsigned reg);
/* Makes room: a value that is easily computed once more gives up its
 * register.  false: there is none. */
bool
sched_make_again(struct sched *sc);
void
sched_free_value(struct sched *sc, unsigned v);
/* The high half of FS_OP_LOW has the register of that. */
void
sched_place_high_half(struct sched *sc, unsigned v);
void
sched_free_parent(struct sched *sc, unsigned parent);
bool
sched_parent_alone(const struct sched *sc, unsigned parent);
/* One use of v is scheduled. */
void
sched_use(struct sched *sc, unsigned v);
void
sched_done(struct sched *sc, unsigned v);

/* --- fs_sched_group.c --- */

/* A packet under construction. */
struct sched_group {
   unsigned count, units;
   uint16_t node[4];    /* a sum is the first one */
   unsigned sum;        /* number of its products, or 0 */
   unsigned num_joined; /* operations behind the first one whose results it
                           receives: they are products of a sum, too */
   uint8_t negated;     /* mask of these */
   uint8_t twins; /* mask of copies of a result whose unit does the operation
                     itself instead, beside the one that delivers it */
   unsigned num_uniforms, num_consts;
   uint8_t uniforms[12];
   struct tegra20_fs_const consts[3];
};

/* Adds a node when the packet has the units and the ports for it. */
bool
sched_group_add(const struct sched *sc, struct sched_group *g, unsigned v);
/* Where an operation of the packet adds to the result of one that nothing
 * else uses, and so on, and there are units for all of them: makes a sum of
 * them. */
bool
sched_group_join(const struct sched *sc, struct sched_group *g);
bool
sched_in_group(const struct sched_group *g, unsigned v);
/* Operations that adding v adds: v and its copies. */
static inline unsigned
sched_group_size(const struct sched *sc, unsigned v)
{
   return 1 + sc->values[v].copies;
}
/* The unit of operation number i; of a sum the one with its result. */
unsigned
sched_unit(const struct sched_group *g, unsigned i);
/* The unit that delivers the result of v, or -1. */
int
sched_group_unit(const struct sched_group *g, unsigned v);
/* Which of the embedded constants, and which half of it, has a value. */
bool
sched_find_const(const struct tegra20_fs_const *consts, unsigned count,
                 unsigned value, enum fs_format format, unsigned *slot,
                 unsigned *half);

/* --- fs_sched_packet.c --- */

/* Operations and stores with smaller positions have to wait: they lie outside
 * of the window. */
unsigned
sched_first_position(const struct sched *sc);
/* Places the best packet that can be placed before the later one, with all of
 * the operations that it must have; false when there is none. */
bool
sched_place_packet(struct sched *sc, struct fs_exec *exec,
                   const uint16_t *must, unsigned num_must);
/*
 * Closes the operands of the later packet: results of this group are read
 * from alu0..3, the others from registers.  With no group (end of the EXEC)
 * everything is read from registers.
 */
bool
sched_settle_later(struct sched *sc, const struct sched_group *g);
/* Does the later packet read value v? */
bool
sched_read_by_later(const struct sched *sc, unsigned v);

/* --- batches (fs_sched.c) --- */

/* A program of which nothing is scheduled; ends the attempt before. */
struct sched *
sched_begin(const struct fs_program *p,
            const struct fs_sched_options *options, struct fs_schedule *out);
bool
sched_is_complete(const struct sched *sc);
/* The batch before those that are filled; false when there is none. */
bool
sched_fill_batch(struct sched *sc);
/* false when the program does not fit into the instruction tables */
bool
sched_deliver(struct sched *sc, struct fs_schedule *out);

/* --- fs_sched_mfu.c --- */

void
sched_front_end(struct sched *sc, struct fs_exec *exec, unsigned row,
                bool *progress);
bool
sched_front_end_ready(const struct sched *sc);

/* Number i of the operations that may be left: listed, or a copy made since.
 */
static inline unsigned
sched_node_left(const struct sched *sc, unsigned i)
{
   return i < sc->num_left ? sc->left[i] : sc->first_copy + i - sc->num_left;
}

static inline unsigned
sched_count_left(const struct sched *sc)
{
   return sc->num_left + sc->s.num_nodes - sc->first_copy;
}

static inline bool
sched_full_register(const struct fs_node *node)
{
   return node->format == FS_FP20;
}

/* Interpolated values can be made again wherever they are needed. */
static inline bool
sched_is_interp(const struct fs_node *node)
{
   return node->op == FS_OP_INTERP && node->format == FS_FP20;
}

#endif
