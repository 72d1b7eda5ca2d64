/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Cuts fragment programs that do not fit the chip into parts.
 *
 * The chip runs 64 packets over 16 registers and has no branches, and a
 * program is a graph of operations without side effects, but for its outputs
 * and discards.  So any set of values can be computed first, stored in
 * surfaces, and be loaded by another program at the same pixel.  The last
 * part has all outputs and discards, and so is the only one that blending,
 * masks, depth and stencil concern.
 *
 * Operations.  What costs nothing (constants, uniforms and expressions of
 * them, varyings, vectors, signs) and what costs little (up to CHEAP slots of
 * the ALU from such things, a lookup at a varying among them) is computed
 * again in each part that wants it.  All other scalar results are values that
 * can be handed on.  That takes about ten slots and one of 14 surfaces.
 *
 * Order.  The operations are put into one order, in which a cut between two
 * neighbours has few values alive: that of the shader, which is good for
 * vectors that are changed again and again, or depth first from the outputs,
 * operands that take most work first, so that one part of an expression is
 * finished before the next is begun.
 *
 *    0 ... lo ............ hi ... n (outputs and discards)
 *           \____________/
 *            what one part computes: of the values alive at hi those made
 *            behind lo, from those alive at lo
 *
 * Where.  A range that compiles is a part.  One that does not is cut where
 * few values are alive, near the place that divides the work evenly between
 * as many parts as it should take, and both sides are treated in the same
 * way.  A range with more results than a part can store becomes several
 * parts that compute some of them each.  Whether something fits is only
 * known by compiling; the estimate of the work decides where to cut.  When
 * that does not lead to parts that fit, because too many values are alive
 * everywhere, it is tried again with more that is computed again.  The number
 * of compilations is bounded.
 *
 * Levels of detail come from the coordinates of the neighbours in a quad of
 * pixels, which need not belong to the primitive, so that a part has not
 * stored anything there.  A cut between a lookup and what its coordinates are
 * computed from is the last choice.
 *
 * Derivatives are differences of values that a part has stored, so the
 * program is cut between a derivative and its operand whether it fits or not.
 * Operations are in stages: those of stage n need no derivative of what
 * stages behind n compute.  Each is in the last stage that it can be in, and
 * the order has stage by stage.
 *
 * Loops whose length depends on the pixel are segments of the program between
 * borders (fs/fs_rounds.h).  Every segment is cut for itself; the parts of a
 * loop are drawn again and again.  The values that a loop carries have
 * surfaces of their own, which a round changes in place, for the pixels that
 * still run.  When that takes more than one part, a later part may want what
 * an earlier one would have changed; then the new values go to shadows of the
 * surfaces first, and a last part of the round copies them.
 */

#include "tegra20_cut.h"

#include "compiler/nir/nir_builder.h"
#include "fs/fs_rounds.h"
#include "util/hash_table.h"
#include "util/ralloc.h"
#include "util/u_math.h"

#include "tegra20_derive.h"

/* In slots of the ALU. */
#define CHEAP 4        /* rather computed again than handed on */
#define DEAR 64        /* the same when too many values are alive otherwise */
#define HAND_OVER 10   /* what storing and loading a value takes */
#define PART_SLOTS 200 /* that a part is supposed to have, of 256 */
#define CROWDED 60     /* how bad is a value more than MAX_ALIVE */
#define EDGE 1000      /* how bad it is to cut off a little */
#define DERIVATIVE 10  /* what a derivative takes */
#define EXPLICIT_LOD 12 /* more than the unit's own */
#define FAR_LOOKUP 60   /* how bad it is to cut a lookup's coordinates off */

#define MAX_SLOTS (4 * TEGRA20_FS_MAX_ALU)
#define MAX_STORES 4
#define MAX_COMMITS 6    /* of 14 surfaces, each takes two */
#define MAX_ITERATIONS 8 /* of a loop in one part */
/* Compilations of one attempt, and ranges that are searched long. */
#define MIN_TRIALS 30 /* and more the more there is to do */
#define TRIAL_SLOTS 10
#define MAX_LONG_TRIALS 2
#define MAX_ALIVE 10 /* that the next part has to load, of 14 surfaces */

/* An instruction of the program. */
struct op {
   nir_instr *instr;
   nir_def *def;  /* NULL: an effect */
   unsigned cost; /* slots of the ALU */
   unsigned cone; /* that it and all it is computed from take, counted
                     as often as they are used */
   bool again;    /* computed again wherever it is needed */
   bool through;  /* a vector or a sign: as good as its operands */
   bool varies;   /* with the pixel */
   bool lost;     /* an output without a target */
   bool derived;  /* the operand of a derivative: always handed on */
   bool carried;  /* depends on values that loops carry */
   bool visited;
   unsigned stage;                 /* derivatives that come before it */
   unsigned segment, last_segment; /* that it is in, and the last one that
                                      needs it */
   unsigned position;    /* in the order, of those that are values */
   unsigned last_use[4]; /* per component: position of the last operation that
                            needs it, 0 = none */
   unsigned last_lookup[4]; /* the same for operations on the way to
                               coordinates of lookups */
};

struct cut {
   void *mem_ctx;
   const nir_shader *nir;
   const struct tegra20_fs_key *key;
   struct tegra20_compiler_options options;
   struct tegra20_parts *parts;
   struct op *ops; /* per instruction, in the order of the shader */
   unsigned num_ops;
   unsigned *op_of_def; /* per index of a definition */
   unsigned *order;     /* ops by position, from 1 on */
   unsigned num_positions;
   unsigned num_stages;
   unsigned *stage_start; /* position of the first operation of each stage of
                             each segment */
   unsigned *work;        /* per position: slots of what lies before it */
   unsigned num_segments, segment; /* the latter: that is being cut */
   unsigned border[2 * FS_MAX_ROUND_LOOPS]; /* positions behind segments */
   unsigned num_carried;
   unsigned cheap; /* slots: rather computed again than handed on */
   unsigned trials, long_trials; /* compilations that are left, and those of
                                    them that may search long */
   char *error;                  /* of the part that did not fit last */
};

/* A component of a result, or an operation that stores a carried value. */
struct value {
   unsigned op, component;
};

/* What a part is to compute, from what is made before "lo". */
struct job {
   unsigned lo;
   const struct value *values;
   unsigned count;
   bool last;    /* all effects of the last segment instead */
   bool shadows; /* carried values are stored in shadows */
   bool commits; /* copies the carried values from there, and nothing else */
   bool kills;   /* pixels whose loop has ended are left alone */
   unsigned iterations; /* of a loop whose carried values are all stored; 0:
                           one */
};

/* --- what things cost --- */

static bool
is_through(const nir_alu_instr *alu)
{
   switch (alu->op) {
   case nir_op_mov:
   case nir_op_vec2:
   case nir_op_vec3:
   case nir_op_vec4:
   case nir_op_fneg:
   case nir_op_fabs:
      return true;
   default:
      return false;
   }
}

static unsigned
alu_cost(const nir_alu_instr *alu)
{
   switch (alu->op) {
   case nir_op_fdiv:
   case nir_op_fsign:
   case nir_op_ffloor:
   case nir_op_fceil:
   case nir_op_seq:
   case nir_op_sne:
      return 2 * alu->def.num_components;
   case nir_op_ftrunc:
   case nir_op_fpow:
   case nir_op_fsin:
   case nir_op_fcos:
      return 3 * alu->def.num_components;
   case nir_op_fdot2:
   case nir_op_fsum2:
      return 2;
   case nir_op_fdot3:
   case nir_op_fsum3:
      return 3;
   case nir_op_fdot4:
   case nir_op_fsum4:
      return 4;
   default:
      return alu->def.num_components;
   }
}

static unsigned
tex_cost(const struct cut *cut, const nir_tex_instr *tex)
{
   const struct tegra20_fs_tex_key *key = &cut->key->tex[tex->texture_index];
   unsigned cost = 1;

   if (tex->sampler_dim == GLSL_SAMPLER_DIM_CUBE)
      cost += key->mipmap ? 60 : 20;
   if (tex->sampler_dim == GLSL_SAMPLER_DIM_3D)
      cost += key->linear ? 30 : 15;
   if (key->compare || tex->is_shadow)
      cost += key->filter_depth ? 40 : 12;
   if (key->encoding == TEGRA20_TEX_SRGB)
      cost += 6;
   if (key->wrap_s > TEGRA20_WRAP_NATIVE || key->wrap_t > TEGRA20_WRAP_NATIVE)
      cost += 8;
   if (tex->op == nir_texop_txl || tex->op == nir_texop_txd)
      cost += EXPLICIT_LOD;
   return cost + tex->num_srcs;
}

static unsigned
intrinsic_cost(const nir_intrinsic_instr *intr)
{
   if (tegra20_is_derivative(&intr->instr))
      return DERIVATIVE;
   switch (intr->intrinsic) {
   case nir_intrinsic_load_uniform:
      return nir_src_is_const(intr->src[0])
                ? 0
                : nir_intrinsic_range(intr) * (1 + intr->def.num_components);
   case nir_intrinsic_load_frag_coord:
      return 2;
   case nir_intrinsic_load_front_face:
      return 1;
   default:
      return 0;
   }
}

static unsigned
op_cost(const struct cut *cut, const struct op *op)
{
   switch (op->instr->type) {
   case nir_instr_type_alu:
      return op->through ? 0 : alu_cost(nir_instr_as_alu(op->instr));
   case nir_instr_type_tex:
      return tex_cost(cut, nir_instr_as_tex(op->instr));
   case nir_instr_type_intrinsic:
      return intrinsic_cost(nir_instr_as_intrinsic(op->instr));
   default:
      return 0;
   }
}

static const nir_intrinsic_instr *
as_carried(const struct op *op)
{
   if (op->instr->type != nir_instr_type_intrinsic)
      return NULL;
   const nir_intrinsic_instr *intr = nir_instr_as_intrinsic(op->instr);
   return fs_is_carried(intr) ? intr : NULL;
}

static bool
intrinsic_varies(const nir_intrinsic_instr *intr)
{
   return intr->intrinsic != nir_intrinsic_load_uniform;
}

/* --- the graph --- */

static struct op *
op_of(const struct cut *cut, const nir_def *def)
{
   return &cut->ops[cut->op_of_def[def->index]];
}

struct cone {
   const struct cut *cut;
   struct op *op;
};

static bool
add_to_cone(nir_src *src, void *data)
{
   struct cone *c = data;
   const struct op *from = op_of(c->cut, src->ssa);

   c->op->cone = MIN2(c->op->cone + from->cone, 1u << 20);
   c->op->varies |= from->varies;
   c->op->carried |= from->carried;
   return true;
}

struct need {
   const struct cut *cut;
   unsigned segment;
};

static bool
note_segment(nir_src *src, void *data)
{
   const struct need *need = data;
   struct op *op = op_of(need->cut, src->ssa);

   op->last_segment = MAX2(op->last_segment, need->segment);
   return true;
}

/* An output that nobody stores: its target is not bound, or masked. */
static bool
is_lost(const struct cut *cut, const nir_intrinsic_instr *intr)
{
   if (intr->intrinsic != nir_intrinsic_store_output || fs_is_carried(intr))
      return false;
   const unsigned location = nir_intrinsic_io_semantics(intr).location;
   for (unsigned rt = 0; rt < cut->key->nr_cbufs; rt++) {
      const struct tegra20_fs_rt_key *key = &cut->key->rt[rt];

      if (key->bound && key->colormask &&
          (location == FRAG_RESULT_COLOR ||
           location == FRAG_RESULT_DATA0 + rt))
         return false;
   }
   return location == FRAG_RESULT_COLOR || location >= FRAG_RESULT_DATA0;
}

static void
measure(struct cut *cut)
{
   for (unsigned i = 0; i < cut->num_ops; i++) {
      struct op *op = &cut->ops[i];
      struct cone c = { cut, op };

      op->cone = 0;
      op->carried = as_carried(op);
      op->last_segment = op->segment;
      op->through = !op->derived && op->instr->type == nir_instr_type_alu &&
                    is_through(nir_instr_as_alu(op->instr));
      op->varies = op->instr->type == nir_instr_type_tex ||
                   (op->instr->type == nir_instr_type_intrinsic &&
                    intrinsic_varies(nir_instr_as_intrinsic(op->instr)));
      nir_foreach_src(op->instr, add_to_cone, &c);
      op->cost = op_cost(cut, op);
      if (!op->varies && op->instr->type == nir_instr_type_alu) {
         op->cone = op->cost = 0; /* the CPU computes it */
      }
      op->lost = op->instr->type == nir_instr_type_intrinsic &&
                 is_lost(cut, nir_instr_as_intrinsic(op->instr));
      op->cone += op->cost;
      /* what is handed on before a derivative is not there behind it */
      if (tegra20_is_derivative(op->instr))
         op->cone += DEAR;
      op->again = op->def && !op->derived && op->cone <= cut->cheap;
   }
   /* A carried value is another one in a later segment. */
   for (unsigned i = cut->num_ops; i-- > 0;) {
      struct op *op = &cut->ops[i];
      struct need need = { cut, op->segment };

      if (op->through || op->again)
         need.segment = op->last_segment;
      if (op->carried && op->last_segment > op->segment)
         op->again = false;
      nir_foreach_src(op->instr, note_segment, &need);
   }
}

static bool
is_value(const struct op *op)
{
   return op->def && !op->again && !op->through;
}

static bool
is_effect(const struct op *op)
{
   return !op->def && !op->lost && !fs_is_border(op->instr);
}

/* Operands, those that take most work first. */
struct operands {
   struct cut *cut;
   unsigned op[16], count;
};

static bool
add_operand(nir_src *src, void *data)
{
   struct operands *o = data;
   const unsigned op = o->cut->op_of_def[src->ssa->index];
   unsigned i;

   for (i = 0; i < o->count; i++) {
      if (o->op[i] == op)
         return true;
   }
   if (o->count == ARRAY_SIZE(o->op))
      return true;
   for (; i > 0 && o->cut->ops[o->op[i - 1]].cone < o->cut->ops[op].cone; i--)
      o->op[i] = o->op[i - 1];
   o->op[i] = op;
   o->count++;
   return true;
}

static void
append(struct cut *cut, unsigned index, unsigned stage)
{
   struct op *op = &cut->ops[index];

   if (!is_value(op) || op->stage != stage || op->segment != cut->segment)
      return;
   op->position = ++cut->num_positions;
   cut->order[op->position] = index;
   cut->work[op->position + 1] = cut->work[op->position] + op->cost;
}

/* The border behind a segment has a position of its own. */
static void
append_border(struct cut *cut)
{
   for (unsigned i = 0; i < cut->num_ops; i++) {
      const struct op *op = &cut->ops[i];

      if (op->segment != cut->segment || !fs_is_border(op->instr))
         continue;
      const unsigned position = ++cut->num_positions;
      cut->border[cut->segment] = position;
      cut->order[position] = i;
      cut->work[position + 1] = cut->work[position];
   }
}

static void
visit(struct cut *cut, unsigned index, unsigned stage)
{
   struct op *op = &cut->ops[index];
   struct operands operands = { .cut = cut };

   if (op->visited)
      return;
   op->visited = true;
   nir_foreach_src(op->instr, add_operand, &operands);
   for (unsigned i = 0; i < operands.count; i++)
      visit(cut, operands.op[i], stage);
   append(cut, index, stage);
}

/* The end of the order: what effects need is alive there. */
static unsigned
end_of(const struct cut *cut)
{
   return cut->num_positions + 1;
}

static bool
is_last_segment(const struct cut *cut, unsigned segment)
{
   return segment == cut->num_segments - 1;
}

static bool
is_loop(unsigned segment)
{
   return segment & 1;
}

/* What effects of a segment need is alive at its end. */
static unsigned
end_of_segment(const struct cut *cut, unsigned segment)
{
   return is_last_segment(cut, segment) ? end_of(cut) : cut->border[segment];
}

static unsigned
begin_of_segment(const struct cut *cut, unsigned segment)
{
   return segment == 0 ? 1 : cut->border[segment - 1] + 1;
}

enum use_kind {
   USE_OPERAND = 1,
   USE_LOOKUP = 2, /* on the way to coordinates of a lookup */
};

struct use {
   const struct cut *cut;
   unsigned position;
   unsigned kinds; /* enum use_kind */
};

static void
note_use(const struct cut *cut, nir_def *def, unsigned component,
         unsigned position, unsigned kinds);

static bool
note_source(nir_src *src, void *data)
{
   const struct use *use = data;

   for (unsigned c = 0; c < src->ssa->num_components; c++)
      note_use(use->cut, src->ssa, c, use->position, use->kinds);
   return true;
}

static void
note_alu_use(const struct cut *cut, const nir_alu_instr *alu,
             unsigned position, unsigned kinds)
{
   for (unsigned s = 0; s < nir_op_infos[alu->op].num_inputs; s++) {
      for (unsigned c = 0; c < nir_ssa_alu_instr_src_components(alu, s); c++)
         note_use(cut, alu->src[s].src.ssa, alu->src[s].swizzle[c], position,
                  kinds);
   }
}

/* Component c of an operation that is as good as its operands. */
static void
note_through(const struct cut *cut, const nir_alu_instr *alu, unsigned c,
             unsigned position, unsigned kinds)
{
   const bool vector = alu->op == nir_op_vec2 || alu->op == nir_op_vec3 ||
                       alu->op == nir_op_vec4;
   const nir_alu_src *src = &alu->src[vector ? c : 0];

   note_use(cut, src->src.ssa, src->swizzle[vector ? 0 : c], position, kinds);
}

static void
note_use(const struct cut *cut, nir_def *def, unsigned component,
         unsigned position, unsigned kinds)
{
   struct op *op = op_of(cut, def);

   if (component >= 4 || op->again)
      return;
   if (op->through) {
      note_through(cut, nir_instr_as_alu(op->instr), component, position,
                   kinds);
      return;
   }
   if (kinds & USE_OPERAND)
      op->last_use[component] = MAX2(op->last_use[component], position);
   if (kinds & USE_LOOKUP)
      op->last_lookup[component] = MAX2(op->last_lookup[component], position);
}

/* An automatic level of detail comes from the coordinates. */
static bool
is_lookup(const struct op *op)
{
   const nir_tex_instr *tex = op->instr->type == nir_instr_type_tex
                                 ? nir_instr_as_tex(op->instr)
                                 : NULL;

   return tex && tex->op != nir_texop_txl && tex->op != nir_texop_txd;
}

static void
note_uses(struct cut *cut)
{
   for (unsigned i = 0; i < cut->num_ops; i++) {
      struct op *op = &cut->ops[i];
      struct use use = { cut, op->position,
                         is_lookup(op) ? USE_OPERAND | USE_LOOKUP
                                       : USE_OPERAND };

      if (!is_value(op) && !is_effect(op))
         continue;
      if (is_effect(op))
         use.position = end_of_segment(cut, op->segment);
      if (op->instr->type == nir_instr_type_alu)
         note_alu_use(cut, nir_instr_as_alu(op->instr), use.position,
                      USE_OPERAND);
      else
         nir_foreach_src(op->instr, note_source, &use);
   }
   /* what is on the way to coordinates, from the last operation to the first
    */
   for (unsigned p = cut->num_positions; p > 0; p--) {
      const struct op *op = &cut->ops[cut->order[p]];
      unsigned lookup = 0;

      for (unsigned c = 0; c < 4; c++)
         lookup = MAX2(lookup, op->last_lookup[c]);
      if (lookup && op->instr->type == nir_instr_type_alu)
         note_alu_use(cut, nir_instr_as_alu(op->instr), lookup, USE_LOOKUP);
   }
}

/* --- stages --- */

static bool
find_depth(nir_src *src, void *data)
{
   struct cone *c = data;
   struct op *from = op_of(c->cut, src->ssa);
   const bool derivative = tegra20_is_derivative(c->op->instr);

   from->derived |= derivative;
   c->op->stage = MAX2(c->op->stage, from->stage + derivative);
   return true;
}

static bool
move_behind(nir_src *src, void *data)
{
   const struct cone *c = data;
   struct op *from = op_of(c->cut, src->ssa);

   from->stage =
      MIN2(from->stage, c->op->stage - tegra20_is_derivative(c->op->instr));
   return true;
}

/* The last stage that each operation can be in. */
static void
find_stages(struct cut *cut)
{
   unsigned last = 0;

   for (unsigned i = 0; i < cut->num_ops; i++) {
      struct cone c = { cut, &cut->ops[i] };

      nir_foreach_src(c.op->instr, find_depth, &c);
      last = MAX2(last, c.op->stage);
   }
   for (unsigned i = 0; i < cut->num_ops; i++)
      cut->ops[i].stage = last;
   for (unsigned i = cut->num_ops; i > 0; i--) {
      struct cone c = { cut, &cut->ops[i - 1] };

      nir_foreach_src(c.op->instr, move_behind, &c);
   }
   cut->num_stages = last + 1;
   cut->stage_start =
      rzalloc_array(cut, unsigned, cut->num_segments * cut->num_stages);
}

/* The shader has one block: tegra20_finish_nir(). */
static bool
read_program(struct cut *cut)
{
   nir_function_impl *impl =
      nir_shader_get_entrypoint((nir_shader *)cut->nir);
   unsigned count = 0;

   if (!exec_list_is_singular(&impl->body))
      return false;
   nir_block *block = nir_start_block(impl);
   nir_foreach_instr (instr, block)
      count++;
   cut->num_segments = 1;
   cut->ops = rzalloc_array(cut, struct op, MAX2(count, 1));
   cut->op_of_def = rzalloc_array(cut, unsigned, MAX2(impl->ssa_alloc, 1));
   cut->order = rzalloc_array(cut, unsigned, count + 2);
   cut->work = rzalloc_array(cut, unsigned, count + 3);
   nir_foreach_instr (instr, block) {
      struct op *op = &cut->ops[cut->num_ops];

      op->instr = instr;
      op->segment = cut->num_segments - 1;
      cut->num_segments += fs_is_border(instr);
      op->def = nir_instr_def(instr);
      if (as_carried(op))
         cut->num_carried =
            MAX2(cut->num_carried,
                 nir_intrinsic_base(as_carried(op)) - FS_CARRIED + 1);
      if (op->def)
         cut->op_of_def[op->def->index] = cut->num_ops;
      cut->num_ops++;
   }
   find_stages(cut);
   return true;
}

static void
order_stage(struct cut *cut, bool depth_first, unsigned stage)
{
   cut->stage_start[cut->segment * cut->num_stages + stage] = end_of(cut);
   for (unsigned i = 0; i < cut->num_ops; i++)
      cut->ops[i].visited = false;
   for (unsigned i = 0; i < cut->num_ops; i++) {
      if (!depth_first)
         append(cut, i, stage);
      else if (is_effect(&cut->ops[i]))
         visit(cut, i, stage);
   }
}

/* Puts the operations into an order: depth first, or that of the shader. */
static void
order_operations(struct cut *cut, bool depth_first)
{
   cut->num_positions = 0;
   for (unsigned i = 0; i < cut->num_ops; i++) {
      struct op *op = &cut->ops[i];

      memset(op->last_use, 0, sizeof(op->last_use));
      memset(op->last_lookup, 0, sizeof(op->last_lookup));
   }
   for (cut->segment = 0; cut->segment < cut->num_segments; cut->segment++) {
      for (unsigned stage = 0; stage < cut->num_stages; stage++)
         order_stage(cut, depth_first, stage);
      append_border(cut);
   }
   note_uses(cut);
}

/* --- making a part --- */

/* An effect of the part: all of the last segment, or those that the part is
 * to store. */
static bool
is_kept(const struct cut *cut, const struct job *job, unsigned index)
{
   const struct op *op = &cut->ops[index];

   if (job->last)
      return is_effect(op) && is_last_segment(cut, op->segment);
   for (unsigned i = 0; i < job->count; i++) {
      if (job->values[i].op == index)
         return !job->commits;
   }
   return false;
}

/* A program of the whole shader with the effects of a part. */
static nir_shader *
clone_for_part(const struct cut *cut, const struct job *job,
               nir_instr **instrs)
{
   nir_shader *nir = nir_shader_clone(cut->parts, cut->nir);
   nir_block *block = nir_start_block(nir_shader_get_entrypoint(nir));
   unsigned i = 0;

   nir_foreach_instr (instr, block)
      instrs[i++] = instr;
   for (i = 0; i < cut->num_ops; i++) {
      if (!cut->ops[i].def && !is_kept(cut, job, i))
         nir_instr_remove(instrs[i]);
   }
   return nir;
}

static nir_def *
build_load(nir_builder *b, unsigned number)
{
   /* which colour buffer it is follows later: there are more values than a
    * part needs */
   return nir_load_output(b, 1, 32, nir_imm_float(b, 0), .base = number,
                          .range = 1, .dest_type = nir_type_float32,
                          .io_semantics.location = FRAG_RESULT_DATA0,
                          .io_semantics.num_slots = 1,
                          .io_semantics.fb_fetch_output = true);
}

/* Base of loads of handed values, above which is the number of the value;
 * that of carried ones is FS_CARRIED. */
#define HANDED 1000

static unsigned
value_number(const struct cut *cut, unsigned position, unsigned component)
{
   return 4 * position + component;
}

/* Carried value k, and its shadow. */
static unsigned
carried_number(const struct cut *cut, unsigned k)
{
   return 4 * (cut->num_ops + 2) + k;
}

static unsigned
shadow_number(const struct cut *cut, unsigned k)
{
   return carried_number(cut, cut->num_carried + k);
}

static bool
is_carried_number(const struct cut *cut, unsigned number)
{
   return number >= carried_number(cut, 0);
}

/* Says whether a loop goes on. */
static bool
is_flag(const struct cut *cut, unsigned number)
{
   return is_carried_number(cut, number) &&
          (number - carried_number(cut, 0)) % cut->num_carried <
             cut->num_segments / 2;
}

/* Values made before lo come from surfaces. */
static void
load_values(const struct cut *cut, nir_shader *nir, nir_instr **instrs,
            unsigned lo)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_builder b = nir_builder_at(nir_before_impl(impl));

   for (unsigned p = 1; p < lo; p++) {
      const struct op *op = &cut->ops[cut->order[p]];
      nir_def *def = nir_instr_def(instrs[cut->order[p]]), *component[4];
      bool alive = false;

      for (unsigned c = 0; def && c < MIN2(def->num_components, 4); c++)
         alive |= op->last_use[c] >= lo;
      if (!alive)
         continue;
      for (unsigned c = 0; c < MIN2(def->num_components, 4); c++)
         component[c] = op->last_use[c] >= lo
                           ? build_load(&b, HANDED + value_number(cut, p, c))
                           : nir_imm_float(&b, 0);
      nir_def_rewrite_uses(def,
                           def->num_components == 1
                              ? component[0]
                              : nir_vec(&b, component, def->num_components));
   }
}

static void
build_store(nir_builder *b, nir_def *value, unsigned cbuf)
{
   nir_store_output(b, value, nir_imm_float(b, 0), .base = cbuf, .range = 1,
                    .write_mask = 1, .src_type = nir_type_float32,
                    .io_semantics.location = FRAG_RESULT_DATA0 + cbuf,
                    .io_semantics.num_slots = 1);
}

/* What is stored in a colour buffer; returns the number of the value. */
static unsigned
store_value(const struct cut *cut, nir_shader *nir, nir_instr **instrs,
            const struct job *job, unsigned cbuf)
{
   const struct value *value = &job->values[cbuf];
   const nir_intrinsic_instr *carried = as_carried(&cut->ops[value->op]);
   nir_builder b =
      nir_builder_at(nir_after_impl(nir_shader_get_entrypoint(nir)));

   if (!carried || carried->intrinsic != nir_intrinsic_store_output) {
      build_store(
         &b,
         nir_channel(&b, nir_instr_def(instrs[value->op]), value->component),
         cbuf);
      return value_number(cut, cut->ops[value->op].position,
                          value->component);
   }
   const unsigned k = nir_intrinsic_base(carried) - FS_CARRIED;
   if (job->commits) {
      build_store(&b, build_load(&b, FS_CARRIED + cut->num_carried + k),
                  cbuf);
   } else {
      nir_intrinsic_instr *store = nir_instr_as_intrinsic(instrs[value->op]);
      build_store(&b, store->src[0].ssa, cbuf);
      nir_instr_remove(&store->instr);
   }
   return job->shadows ? shadow_number(cut, k) : carried_number(cut, k);
}

/* The store of a carried value in the segment that is being cut. */
static nir_intrinsic_instr *
find_store(const struct cut *cut, nir_instr **instrs, unsigned base)
{
   for (unsigned i = 0; i < cut->num_ops; i++) {
      const nir_intrinsic_instr *carried = as_carried(&cut->ops[i]);

      if (carried && !cut->ops[i].def &&
          cut->ops[i].segment == cut->segment &&
          nir_intrinsic_base(carried) == base)
         return nir_instr_as_intrinsic(instrs[i]);
   }
   return NULL;
}

/* Another iteration behind those whose results the stores of carried values
 * have.  Pixels whose loop has ended keep them. */
static void
repeat_body(const struct cut *cut, nir_shader *nir, nir_instr **instrs,
            const struct job *job, nir_def **results)
{
   struct hash_table *copies = _mesa_pointer_hash_table_create(NULL);
   nir_builder b =
      nir_builder_at(nir_after_impl(nir_shader_get_entrypoint(nir)));
   nir_def *active =
      find_store(cut, instrs, FS_CARRIED + cut->segment / 2)->src[0].ssa;

   for (unsigned i = 0; i < cut->num_ops; i++) {
      const struct op *op = &cut->ops[i];
      const nir_intrinsic_instr *carried = as_carried(op);

      if (!op->def || op->segment != cut->segment)
         continue;
      nir_def *def = nir_instr_def(instrs[i]);
      const nir_intrinsic_instr *store =
         carried ? find_store(cut, instrs, nir_intrinsic_base(carried))
                 : NULL;
      if (store)
         _mesa_hash_table_insert(copies, def, store->src[0].ssa);
      else if (!carried)
         nir_builder_instr_insert(
            &b, nir_instr_clone_deep(nir, instrs[i], copies));
   }
   for (unsigned i = 0; i < job->count; i++) {
      nir_intrinsic_instr *store =
         nir_instr_as_intrinsic(instrs[job->values[i].op]);
      const struct hash_entry *copy =
         _mesa_hash_table_search(copies, results[i]);
      nir_def *result = copy ? copy->data : results[i];

      nir_src_rewrite(&store->src[0],
                      nir_fcsel(&b, active, result, store->src[0].ssa));
   }
   _mesa_hash_table_destroy(copies, NULL);
}

static void
repeat_bodies(const struct cut *cut, nir_shader *nir, nir_instr **instrs,
              const struct job *job)
{
   nir_def *results[TEGRA20_MAX_CBUFS];

   for (unsigned i = 0; i < job->count && job->iterations > 1; i++)
      results[i] =
         nir_instr_as_intrinsic(instrs[job->values[i].op])->src[0].ssa;
   for (unsigned i = 1; i < job->iterations; i++)
      repeat_body(cut, nir, instrs, job, results);
}

/* Leaves pixels alone whose loop has ended. */
static void
build_kill(const struct cut *cut, nir_shader *nir)
{
   nir_builder b =
      nir_builder_at(nir_after_impl(nir_shader_get_entrypoint(nir)));
   nir_def *active = build_load(&b, FS_CARRIED + cut->segment / 2);

   nir_terminate_if(&b, nir_slt(&b, active, nir_imm_float(&b, 0.5f)));
}

/* The number of the value that a load or store of one has; false for the
 * application's targets. */
static bool
loaded_number(const struct cut *cut, const nir_intrinsic_instr *load,
              unsigned *number)
{
   const unsigned base = nir_intrinsic_base(load);

   if (base >= FS_CARRIED)
      *number = carried_number(cut, base - FS_CARRIED);
   else if (base >= HANDED)
      *number = base - HANDED;
   return base >= HANDED;
}

/* The colour buffer that something is loaded from; TEGRA20_MAX_CBUFS when
 * none is left. */
static unsigned
find_cbuf(struct tegra20_part *part, enum tegra20_part_use use,
          unsigned index)
{
   unsigned cbuf;

   for (cbuf = 0; cbuf < TEGRA20_MAX_CBUFS; cbuf++) {
      if (part->cbuf[cbuf].index != index)
         continue;
      if (part->cbuf[cbuf].use == TEGRA20_PART_STORE &&
          use == TEGRA20_PART_LOAD)
         part->cbuf[cbuf].use = TEGRA20_PART_UPDATE;
      if (part->cbuf[cbuf].use == use ||
          (part->cbuf[cbuf].use == TEGRA20_PART_UPDATE &&
           use == TEGRA20_PART_LOAD))
         return cbuf;
   }
   while (cbuf > 0 && part->cbuf[cbuf - 1].use != TEGRA20_PART_NONE)
      cbuf--;
   if (cbuf == 0)
      return TEGRA20_MAX_CBUFS;
   part->cbuf[cbuf - 1].use = use;
   part->cbuf[cbuf - 1].index = index;
   return cbuf - 1;
}

/* Gives a load a colour buffer; false when there is none left. */
static bool
bind_load(const struct cut *cut, struct tegra20_part *part,
          nir_intrinsic_instr *load, bool last)
{
   nir_io_semantics sem = nir_intrinsic_io_semantics(load);
   unsigned use = TEGRA20_PART_LOAD, index;

   if (!loaded_number(cut, load, &index)) {
      if (last)
         return true;
      use = TEGRA20_PART_TARGET;
      index = sem.location >= FRAG_RESULT_DATA0
                 ? sem.location - FRAG_RESULT_DATA0
                 : 0;
   }
   const unsigned cbuf = find_cbuf(part, use, index);
   if (cbuf == TEGRA20_MAX_CBUFS)
      return false;
   if (use == TEGRA20_PART_LOAD)
      part->cbuf[cbuf].flag = is_flag(cut, index);
   sem.location = FRAG_RESULT_DATA0 + cbuf;
   nir_intrinsic_set_io_semantics(load, sem);
   nir_intrinsic_set_base(load, cbuf);
   return true;
}

/* Gives a value of other pixels a texture unit; -1 when there is none left.
 */
static int
bind_texture(struct tegra20_part *part, unsigned value)
{
   for (unsigned i = TEGRA20_MAX_SAMPLERS; i > 0; i--) {
      if ((part->sampled & BITFIELD_BIT(i - 1)) &&
          part->texture[i - 1] == value)
         return i - 1;
   }
   for (unsigned i = TEGRA20_MAX_SAMPLERS; i > 0; i--) {
      if ((part->sampled & BITFIELD_BIT(i - 1)) ||
          BITSET_TEST(part->nir->info.textures_used, i - 1))
         continue;
      part->sampled |= BITFIELD_BIT(i - 1);
      part->texture[i - 1] = value;
      return i - 1;
   }
   return -1;
}

/* Derivatives of loaded values become differences between pixels of a
 * texture. */
static bool
bind_derivative(struct tegra20_part *part, nir_intrinsic_instr *derivative)
{
   nir_intrinsic_instr *load = nir_src_as_intrinsic(derivative->src[0]);

   if (!load || load->intrinsic != nir_intrinsic_load_output ||
       nir_intrinsic_base(load) < HANDED)
      return false;
   const int unit = bind_texture(part, nir_intrinsic_base(load) - HANDED);
   if (unit < 0)
      return false;
   nir_builder b = nir_builder_at(nir_before_instr(&derivative->instr));
   nir_def_replace(&derivative->def,
                   tegra20_build_difference(&b, &derivative->instr, unit));
   return true;
}

static bool
bind_derivatives(struct tegra20_part *part)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(part->nir);

   nir_shader_gather_info(part->nir, impl);
   nir_foreach_instr_safe (instr, nir_start_block(impl)) {
      if (tegra20_is_derivative(instr) &&
          !bind_derivative(part, nir_instr_as_intrinsic(instr)))
         return false;
   }
   if (part->sampled) {
      NIR_PASS(_, part->nir, nir_opt_cse);
      NIR_PASS(_, part->nir, nir_opt_dce);
   }
   return true;
}

static bool
bind_loads(const struct cut *cut, struct tegra20_part *part, bool last)
{
   nir_block *block = nir_start_block(nir_shader_get_entrypoint(part->nir));

   nir_foreach_instr (instr, block) {
      if (instr->type != nir_instr_type_intrinsic)
         continue;
      nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
      if (intr->intrinsic == nir_intrinsic_load_output &&
          !bind_load(cut, part, intr, last))
         return false;
   }
   return true;
}

/* The part for a job.  False when it has to load more than there are colour
 * buffers for. */
static bool
build_part(const struct cut *cut, const struct job *job,
           struct tegra20_part *part)
{
   nir_instr **instrs = ralloc_array(cut->mem_ctx, nir_instr *, cut->num_ops);

   memset(part, 0, sizeof(*part));
   part->nir = clone_for_part(cut, job, instrs);
   for (unsigned i = 0; i < TEGRA20_MAX_CBUFS && job->last; i++) {
      if (i < cut->key->nr_cbufs && cut->key->rt[i].bound) {
         part->cbuf[i].use = TEGRA20_PART_TARGET;
         part->cbuf[i].index = i;
      }
   }
   load_values(cut, part->nir, instrs, job->lo);
   repeat_bodies(cut, part->nir, instrs, job);
   for (unsigned i = 0; i < job->count; i++) {
      part->cbuf[i].index = store_value(cut, part->nir, instrs, job, i);
      part->cbuf[i].use = TEGRA20_PART_STORE;
      part->cbuf[i].flag = is_flag(cut, part->cbuf[i].index);
      part->cbuf[i].clear = part->cbuf[i].flag && !is_loop(cut->segment);
   }
   if (job->kills)
      build_kill(cut, part->nir);
   ralloc_free(instrs);
   NIR_PASS(_, part->nir, nir_copy_prop);
   NIR_PASS(_, part->nir, nir_opt_dce);
   if (!bind_derivatives(part) || !bind_loads(cut, part, job->last)) {
      ralloc_free(part->nir);
      return false;
   }
   nir_shader_gather_info(part->nir, nir_shader_get_entrypoint(part->nir));
   u_foreach_bit (unit, part->sampled)
      BITSET_SET(part->nir->info.textures_used, unit);
   return true;
}

static void
part_key(const struct tegra20_part *part, bool last,
         const struct tegra20_fs_key *whole, struct tegra20_fs_key *key)
{
   *key = *whole;
   key->nr_cbufs = TEGRA20_MAX_CBUFS;
   u_foreach_bit (i, part->sampled) {
      key->tex[i] =
         (struct tegra20_fs_tex_key){ .encoding = TEGRA20_TEX_FP20 };
      key->num_tex = MAX2(key->num_tex, i + 1);
   }
   if (!last) {
      memset(key->rt, 0, sizeof(key->rt));
      key->late_stencil = key->logicop_enable = false;
      key->logicop_func = 0;
   }
   for (unsigned i = 0; i < TEGRA20_MAX_CBUFS; i++) {
      struct tegra20_fs_rt_key *rt = &key->rt[i];

      rt->surface = tegra20_rt_slot(i);
      if (part->cbuf[i].use == TEGRA20_PART_NONE ||
          (last && part->cbuf[i].use == TEGRA20_PART_TARGET))
         continue;
      rt->bound = rt->has_alpha = true;
      rt->order = TEGRA20_RT_FP20;
      rt->colormask = 0xf;
      if (part->cbuf[i].flag) {
         rt->order = TEGRA20_RT_RGBA;
         rt->has_alpha = false;
      }
      if (part->cbuf[i].use == TEGRA20_PART_TARGET) {
         rt->order = whole->rt[part->cbuf[i].index].order;
         rt->has_alpha = whole->rt[part->cbuf[i].index].has_alpha;
      }
   }
}

void
tegra20_part_key(const struct tegra20_parts *parts, unsigned i,
                 const struct tegra20_fs_key *whole,
                 struct tegra20_fs_key *key)
{
   part_key(&parts->part[i], i == parts->count - 1, whole, key);
}

/* Adds a part if it fits. */
static bool
try_part(struct cut *cut, const struct job *job)
{
   struct tegra20_parts *parts = cut->parts;
   struct tegra20_fs_key key;
   struct tegra20_part part;
   struct tegra20_fs *fs = NULL;

   if (parts->count == TEGRA20_MAX_PARTS || cut->trials == 0 ||
       job->count > TEGRA20_MAX_CBUFS || !build_part(cut, job, &part))
      return false;
   part_key(&part, job->last, cut->key, &key);
   ralloc_free(cut->error);
   cut->error = NULL;
   cut->trials--;
   const bool fits = tegra20_compile_fs(cut, part.nir, &key, &cut->options,
                                        &fs, &cut->error);
   ralloc_free(fs);
   if (!fits) {
      ralloc_free(part.nir);
      return false;
   }
   parts->part[parts->count++] = part;
   return true;
}

/* --- where --- */

/* Values made from lo on that are alive at hi. */
static unsigned
values_alive(const struct cut *cut, unsigned lo, unsigned hi,
             struct value *values)
{
   unsigned count = 0;

   for (unsigned p = lo; p < hi; p++) {
      const struct op *op = &cut->ops[cut->order[p]];

      for (unsigned c = 0; c < 4; c++) {
         if (op->last_use[c] < hi)
            continue;
         if (values)
            values[count] = (struct value){ cut->order[p], c };
         count++;
      }
   }
   return count;
}

/* Are values alive at hi on the way to coordinates? */
static bool
cuts_lookup(const struct cut *cut, unsigned hi)
{
   for (unsigned p = 1; p < hi; p++) {
      const struct op *op = &cut->ops[cut->order[p]];

      for (unsigned c = 0; c < 4; c++) {
         if (op->last_lookup[c] >= hi)
            return true;
      }
   }
   return false;
}

/* Parts for some of the values of a job each, up to "size".  What they need
 * is stored already. */
static bool
try_values(struct cut *cut, const struct job *job, unsigned size)
{
   for (unsigned done = 0; done < job->count;) {
      const unsigned n = MIN2(size, job->count - done);
      struct job some = *job;

      some.values += done;
      some.count = n;
      if (try_part(cut, &some))
         done += n;
      else if (n == 1)
         return false;
      else
         size = DIV_ROUND_UP(n, 2);
   }
   return true;
}

/* Stores of carried values in a segment, those that say whether the loop goes
 * on at the end. */
static unsigned
carried_stores(const struct cut *cut, unsigned segment, struct value *values)
{
   unsigned count = 0;

   for (unsigned flags = 0; flags < 2; flags++) {
      for (unsigned i = 0; i < cut->num_ops; i++) {
         const struct op *op = &cut->ops[i];
         const nir_intrinsic_instr *carried = as_carried(op);

         if (!carried || op->def || op->segment != segment ||
             is_flag(cut, carried_number(cut, nir_intrinsic_base(carried) -
                                                 FS_CARRIED)) != flags)
            continue;
         values[count++] = (struct value){ i, 0 };
      }
   }
   return count;
}

static bool
loads_carried(const struct cut *cut, unsigned segment)
{
   for (unsigned i = 0; i < cut->num_ops; i++) {
      const struct op *op = &cut->ops[i];

      if (op->segment == segment && op->def && as_carried(op))
         return true;
   }
   return false;
}

/* How many iterations of a loop a part may have room for: a power of two.
 * Parts of the body that were made already do one. */
static unsigned
most_iterations(const struct cut *cut, unsigned lo, const struct job *job,
                unsigned carried)
{
   const unsigned hi = end_of_segment(cut, cut->segment);
   const unsigned work = cut->work[hi] - cut->work[lo] + carried;
   unsigned most = MAX_ITERATIONS;

   if (!is_loop(cut->segment) || job->count > carried ||
       lo != begin_of_segment(cut, cut->segment))
      return 1;
   while (most > 1 && most * work > MAX_SLOTS)
      most /= 2;
   return most;
}

/* What a segment hands on to later ones: values, and what loops carry. */
static bool
try_segment_end(struct cut *cut, unsigned lo, unsigned hi)
{
   const bool loop = is_loop(cut->segment);
   const unsigned alive = values_alive(cut, lo, hi + 1, NULL);
   struct value *values =
      ralloc_array(cut->mem_ctx, struct value, alive + cut->num_carried);
   struct job job = { .lo = lo, .values = values, .kills = loop };

   values_alive(cut, lo, hi + 1, values);
   const unsigned carried = carried_stores(cut, cut->segment, values + alive);
   job.count = alive + carried;
   bool fits = false;
   for (job.iterations = most_iterations(cut, lo, &job, carried);
        job.iterations && !fits; job.iterations /= 2)
      fits = try_part(cut, &job);
   if (!fits && !loads_carried(cut, cut->segment)) {
      fits = try_values(cut, &job, DIV_ROUND_UP(job.count, 2));
   } else if (!fits) {
      const struct job commit = { .values = values + alive,
                                  .count = carried,
                                  .commits = true,
                                  .kills = loop };
      job.shadows = true;
      job.kills = false;
      fits = try_values(cut, &job, DIV_ROUND_UP(job.count, 2)) &&
             try_values(cut, &commit, MAX_COMMITS);
   }
   ralloc_free(values);
   return fits;
}

/* Slots that a cut between lo and hi costs, and how far it is from where it
 * should be. */
static unsigned
cut_score(const struct cut *cut, unsigned lo, unsigned p, unsigned hi)
{
   const unsigned work = cut->work[hi] - cut->work[lo],
                  left = cut->work[p] - cut->work[lo];
   const unsigned parts = MAX2(DIV_ROUND_UP(work, PART_SLOTS), 2);
   const unsigned ideal = work * (parts / 2) / parts;
   const unsigned away = left > ideal ? left - ideal : ideal - left;
   const unsigned alive = values_alive(cut, 1, p, NULL);

   return HAND_OVER * alive + (cuts_lookup(cut, p) ? FAR_LOOKUP : 0) +
          away / 4 + (away > work / 4 ? EDGE + 4 * (away - work / 4) : 0) +
          (alive > MAX_ALIVE ? CROWDED * (alive - MAX_ALIVE) : 0);
}

/* The place between lo and hi that costs least: 0 when there is none. */
static unsigned
best_cut(const struct cut *cut, unsigned lo, unsigned hi, unsigned *score)
{
   unsigned best = 0;

   *score = UINT_MAX;
   for (unsigned p = lo + 1; p < hi; p++) {
      const unsigned s = cut_score(cut, lo, p, hi);

      if (s < *score) {
         best = p;
         *score = s;
      }
   }
   return best;
}

/* Parts for the range without cutting it: several that store some of the
 * values each, or the one with the effects. */
static bool
try_range(struct cut *cut, unsigned lo, unsigned hi)
{
   const unsigned parts_before = cut->parts->count;
   bool fits;

   if (hi == end_of(cut)) {
      fits = try_part(cut, &(struct job){ .lo = lo, .last = true });
   } else if (hi == end_of_segment(cut, cut->segment)) {
      fits = try_segment_end(cut, lo, hi);
   } else {
      const unsigned count = values_alive(cut, lo, hi, NULL);
      struct value *values = ralloc_array(cut, struct value, MAX2(count, 1));
      const struct job job = { .lo = lo, .values = values, .count = count };

      values_alive(cut, lo, hi, values);
      fits = try_values(cut, &job, MAX_STORES);
      ralloc_free(values);
   }
   if (!fits)
      cut->parts->count = parts_before;
   return fits;
}

/* What cannot be cut is worth a long search. */
static bool
try_for_long(struct cut *cut, unsigned lo, unsigned hi)
{
   if (cut->long_trials == 0)
      return false;
   cut->long_trials--;
   cut->options.quick = false;
   const bool fits = try_range(cut, lo, hi);
   cut->options.quick = true;
   return fits;
}

static bool
cut_range(struct cut *cut, unsigned lo, unsigned hi)
{
   unsigned score;

   if (try_range(cut, lo, hi))
      return true;
   const unsigned middle = best_cut(cut, lo, hi, &score);
   return middle ? cut_range(cut, lo, middle) && cut_range(cut, middle, hi)
                 : try_for_long(cut, lo, hi);
}

static bool
cut_segment(struct cut *cut)
{
   const unsigned first = cut->segment * cut->num_stages,
                  last = first + cut->num_stages - 1;

   for (unsigned i = first; i <= last; i++) {
      if (!cut_range(cut, cut->stage_start[i],
                     i == last ? end_of_segment(cut, cut->segment)
                               : cut->stage_start[i + 1]))
         return false;
   }
   return true;
}

static bool
cut_segments(struct cut *cut)
{
   struct tegra20_parts *parts = cut->parts;

   parts->count = parts->num_loops = 0;
   for (cut->segment = 0; cut->segment < cut->num_segments; cut->segment++) {
      const unsigned first = parts->count;

      if (!cut_segment(cut))
         return false;
      if (is_loop(cut->segment)) {
         parts->loops[parts->num_loops].first = first;
         parts->loops[parts->num_loops++].count = parts->count - first;
      }
   }
   return true;
}

/* Cuts in the order whose first cut costs less, or else in the other one. */
static bool
cut_in_order(struct cut *cut)
{
   unsigned score[2];

   for (unsigned i = 0; i < 2; i++) {
      order_operations(cut, i);
      best_cut(cut, 1, end_of(cut), &score[i]);
   }
   for (unsigned i = 0; i < 2; i++) {
      cut->trials = MIN_TRIALS + cut->work[end_of(cut)] / TRIAL_SLOTS;
      cut->long_trials = MAX_LONG_TRIALS;
      order_operations(cut, (score[1] <= score[0]) != i);
      if (cut_segments(cut))
         return true;
   }
   return false;
}

/* Where more values are alive than can be loaded, more is computed again. */
static bool
cut_program(struct cut *cut)
{
   if (!read_program(cut))
      return false;
   for (cut->cheap = CHEAP; cut->cheap <= DEAR; cut->cheap *= 4) {
      measure(cut);
      order_operations(cut, false);
      if (cut->work[end_of(cut)] > TEGRA20_MAX_PARTS * MAX_SLOTS) {
         cut->error =
            ralloc_asprintf(cut, "it needs %u operations, %u parts have %u",
                            cut->work[end_of(cut)], TEGRA20_MAX_PARTS,
                            TEGRA20_MAX_PARTS * MAX_SLOTS);
         return false;
      }
      if (cut_in_order(cut))
         return true;
   }
   return false;
}

/* --- surfaces --- */

/* The last part that reads a value that is read by part i, and stored by
 * another: all of a loop, when the value is made outside. */
static unsigned
end_of_use(const struct tegra20_parts *parts, unsigned stored, unsigned i)
{
   for (unsigned l = 0; l < parts->num_loops; l++) {
      const unsigned first = parts->loops[l].first,
                     end = first + parts->loops[l].count;

      if (i >= first && i < end && stored < first)
         return end - 1;
   }
   return i;
}

struct lives {
   uint8_t *surface; /* of each value: NO_SURFACE: none yet */
   uint8_t *stored, *last_part;
   bool busy[TEGRA20_MAX_PART_SURFACES + 1]; /* the last one: too many */
};

#define NO_SURFACE UINT8_MAX

static void
measure_lives(const struct cut *cut, struct lives *lives)
{
   const struct tegra20_parts *parts = cut->parts;

   for (unsigned i = 0; i < parts->count; i++) {
      for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
         const unsigned use = parts->part[i].cbuf[c].use,
                        value = parts->part[i].cbuf[c].index;
         if (use == TEGRA20_PART_STORE)
            lives->stored[value] = lives->last_part[value] = i;
         else if (use == TEGRA20_PART_LOAD)
            lives->last_part[value] =
               MAX2(end_of_use(parts, lives->stored[value], i),
                    lives->last_part[value]);
         if (is_carried_number(cut, value))
            lives->last_part[value] = UINT8_MAX;
      }
      u_foreach_bit (unit, parts->part[i].sampled) {
         const unsigned value = parts->part[i].texture[unit];

         lives->last_part[value] =
            MAX2(end_of_use(parts, lives->stored[value], i),
                 lives->last_part[value]);
      }
   }
}

static unsigned
surface_of(struct cut *cut, struct lives *lives, unsigned value)
{
   uint8_t *surface = &lives->surface[value];

   if (*surface != NO_SURFACE)
      return *surface;
   *surface = 0;
   while (*surface < TEGRA20_MAX_PART_SURFACES && lives->busy[*surface])
      ++*surface;
   lives->busy[*surface] = true;
   cut->parts->num_values++;
   cut->parts->num_surfaces = MAX2(cut->parts->num_surfaces, *surface + 1u);
   return *surface;
}

/* A surface is free again behind the last part that reads it.  False when
 * there are not enough. */
static bool
assign_surfaces(struct cut *cut)
{
   struct tegra20_parts *parts = cut->parts;
   const unsigned count = shadow_number(cut, cut->num_carried);
   struct lives *lives = rzalloc(cut, struct lives);

   lives->surface = ralloc_array(cut, uint8_t, count);
   memset(lives->surface, NO_SURFACE, count);
   lives->stored = rzalloc_array(cut, uint8_t, count);
   lives->last_part = rzalloc_array(cut, uint8_t, count);
   measure_lives(cut, lives);
   for (unsigned i = 0; i < parts->count; i++) {
      unsigned freed[TEGRA20_MAX_CBUFS + TEGRA20_MAX_SAMPLERS], num_freed = 0;

      for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
         const unsigned value = parts->part[i].cbuf[c].index;
         if (parts->part[i].cbuf[c].use < TEGRA20_PART_LOAD)
            continue;
         const unsigned surface = surface_of(cut, lives, value);
         parts->part[i].cbuf[c].index = surface;
         if (lives->last_part[value] == i)
            freed[num_freed++] = surface;
      }
      u_foreach_bit (unit, parts->part[i].sampled) {
         const unsigned value = parts->part[i].texture[unit];

         parts->part[i].texture[unit] = surface_of(cut, lives, value);
         if (lives->last_part[value] == i)
            freed[num_freed++] = parts->part[i].texture[unit];
      }
      while (num_freed > 0)
         lives->busy[freed[--num_freed]] = false;
   }
   for (unsigned l = 0; l < parts->num_loops; l++)
      parts->loops[l].active = lives->surface[carried_number(cut, l)];
   if (parts->num_surfaces > TEGRA20_MAX_PART_SURFACES)
      cut->error = ralloc_asprintf(cut, "more than %u values are handed on",
                                   TEGRA20_MAX_PART_SURFACES);
   return parts->num_surfaces <= TEGRA20_MAX_PART_SURFACES;
}

struct tegra20_parts *
tegra20_cut_fs(void *mem_ctx, const nir_shader *nir,
               const struct tegra20_fs_key *key,
               const struct tegra20_compiler_options *options, char **error)
{
   struct cut *cut = rzalloc(mem_ctx, struct cut);
   struct tegra20_parts *parts = rzalloc(mem_ctx, struct tegra20_parts);
   nir_shader *scalar = nir_shader_clone(cut, nir);

   NIR_PASS(_, scalar, nir_lower_alu_to_scalar, NULL, NULL);
   NIR_PASS(_, scalar, nir_copy_prop);
   NIR_PASS(_, scalar, nir_opt_cse);
   NIR_PASS(_, scalar, nir_opt_dce);
   nir_index_ssa_defs(nir_shader_get_entrypoint(scalar));
   cut->mem_ctx = cut;
   cut->nir = scalar;
   cut->key = key;
   cut->parts = parts;
   if (options)
      cut->options = *options;
   cut->options.debug = 0;
   cut->options.quick = true;

   const bool ok = cut_program(cut) && assign_surfaces(cut);
   if (!ok) {
      *error = ralloc_asprintf(
         mem_ctx, "the fragment program does not fit in parts either: %s",
         cut->error ? cut->error : "too many values are alive");
      ralloc_free(parts);
   }
   ralloc_free(cut);
   return ok ? parts : NULL;
}
