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
 */

#include "tegra20_cut.h"

#include "compiler/nir/nir_builder.h"
#include "util/ralloc.h"
#include "util/u_math.h"

/* In slots of the ALU. */
#define CHEAP 4        /* rather computed again than handed on */
#define DEAR 64        /* the same when too many values are alive otherwise */
#define HAND_OVER 10   /* what storing and loading a value takes */
#define PART_SLOTS 200 /* that a part is supposed to have, of 256 */
#define CROWDED 60     /* how bad is a value more than MAX_ALIVE */
#define EDGE 1000      /* how bad it is to cut off a little */
#define FAR_LOOKUP 60  /* how bad it is to cut a lookup's coordinates off */

#define MAX_SLOTS (4 * TEGRA20_FS_MAX_ALU)
#define MAX_STORES 4
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
   bool visited;
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
   unsigned *work; /* per position: slots of what lies before it */
   unsigned cheap; /* slots: rather computed again than handed on */
   unsigned trials, long_trials; /* compilations that are left, and those of
                                    them that may search long */
   char *error;                  /* of the part that did not fit last */
};

/* A component of a result. */
struct value {
   unsigned op, component;
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
   return cost + tex->num_srcs;
}

static unsigned
intrinsic_cost(const nir_intrinsic_instr *intr)
{
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
   return true;
}

/* An output that nobody stores: its target is not bound, or masked. */
static bool
is_lost(const struct cut *cut, const nir_intrinsic_instr *intr)
{
   if (intr->intrinsic != nir_intrinsic_store_output)
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
      op->through = op->instr->type == nir_instr_type_alu &&
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
      op->again = op->def && op->cone <= cut->cheap;
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
   return !op->def && !op->lost;
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
append(struct cut *cut, unsigned index)
{
   struct op *op = &cut->ops[index];

   if (!is_value(op))
      return;
   op->position = ++cut->num_positions;
   cut->order[op->position] = index;
   cut->work[op->position + 1] = cut->work[op->position] + op->cost;
}

static void
visit(struct cut *cut, unsigned index)
{
   struct op *op = &cut->ops[index];
   struct operands operands = { .cut = cut };

   if (op->visited)
      return;
   op->visited = true;
   nir_foreach_src(op->instr, add_operand, &operands);
   for (unsigned i = 0; i < operands.count; i++)
      visit(cut, operands.op[i]);
   append(cut, index);
}

/* The end of the order: what effects need is alive there. */
static unsigned
end_of(const struct cut *cut)
{
   return cut->num_positions + 1;
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
   return op->instr->type == nir_instr_type_tex;
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
         use.position = end_of(cut);
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
   cut->ops = rzalloc_array(cut, struct op, MAX2(count, 1));
   cut->op_of_def = rzalloc_array(cut, unsigned, MAX2(impl->ssa_alloc, 1));
   cut->order = rzalloc_array(cut, unsigned, count + 2);
   cut->work = rzalloc_array(cut, unsigned, count + 3);
   nir_foreach_instr (instr, block) {
      struct op *op = &cut->ops[cut->num_ops];

      op->instr = instr;
      op->def = nir_instr_def(instr);
      if (op->def)
         cut->op_of_def[op->def->index] = cut->num_ops;
      cut->num_ops++;
   }
   return true;
}

/* Puts the operations into an order: depth first, or that of the shader. */
static void
order_operations(struct cut *cut, bool depth_first)
{
   cut->num_positions = 0;
   for (unsigned i = 0; i < cut->num_ops; i++) {
      struct op *op = &cut->ops[i];

      op->visited = false;
      memset(op->last_use, 0, sizeof(op->last_use));
      memset(op->last_lookup, 0, sizeof(op->last_lookup));
   }
   for (unsigned i = 0; i < cut->num_ops; i++) {
      if (!depth_first)
         append(cut, i);
      else if (is_effect(&cut->ops[i]))
         visit(cut, i);
   }
   note_uses(cut);
}

/* --- making a part --- */

/* A program of the whole shader without effects. */
static nir_shader *
clone_for_part(const struct cut *cut, bool last, nir_instr **instrs)
{
   nir_shader *nir = nir_shader_clone(cut->parts, cut->nir);
   nir_block *block = nir_start_block(nir_shader_get_entrypoint(nir));
   unsigned i = 0;

   nir_foreach_instr (instr, block)
      instrs[i++] = instr;
   for (i = 0; i < cut->num_ops; i++) {
      if (!cut->ops[i].def && (!last || cut->ops[i].lost))
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

/* Base of loads of handed values, above which is the number of the value. */
#define HANDED 1000

static unsigned
value_number(const struct cut *cut, unsigned position, unsigned component)
{
   return 4 * position + component;
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

      for (unsigned c = 0; c < MIN2(def->num_components, 4); c++)
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
store_value(const struct cut *cut, nir_shader *nir, nir_instr **instrs,
            const struct value *value, unsigned cbuf)
{
   nir_builder b =
      nir_builder_at(nir_after_impl(nir_shader_get_entrypoint(nir)));
   nir_def *def = nir_instr_def(instrs[value->op]);

   nir_store_output(&b, nir_channel(&b, def, value->component),
                    nir_imm_float(&b, 0), .base = cbuf, .range = 1,
                    .write_mask = 1, .src_type = nir_type_float32,
                    .io_semantics.location = FRAG_RESULT_DATA0 + cbuf,
                    .io_semantics.num_slots = 1);
}

/* Gives a load a colour buffer; false when there is none left. */
static bool
bind_load(const struct cut *cut, struct tegra20_part *part,
          nir_intrinsic_instr *load, bool last)
{
   nir_io_semantics sem = nir_intrinsic_io_semantics(load);
   const unsigned base = nir_intrinsic_base(load);
   const bool handed = base >= HANDED;
   unsigned use = TEGRA20_PART_LOAD, index = base - HANDED, cbuf;

   if (!handed) {
      if (last)
         return true;
      use = TEGRA20_PART_TARGET;
      index = sem.location >= FRAG_RESULT_DATA0
                 ? sem.location - FRAG_RESULT_DATA0
                 : 0;
   }
   for (cbuf = 0; cbuf < TEGRA20_MAX_CBUFS; cbuf++) {
      if (part->cbuf[cbuf].use == use && part->cbuf[cbuf].index == index)
         break;
   }
   if (cbuf == TEGRA20_MAX_CBUFS) {
      while (cbuf > 0 && part->cbuf[cbuf - 1].use != TEGRA20_PART_NONE)
         cbuf--;
      if (cbuf == 0)
         return false;
      cbuf--;
      part->cbuf[cbuf].use = use;
      part->cbuf[cbuf].index = index;
   }
   sem.location = FRAG_RESULT_DATA0 + cbuf;
   nir_intrinsic_set_io_semantics(load, sem);
   nir_intrinsic_set_base(load, cbuf);
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

/*
 * What computes the values, or all effects when there are none, from those
 * made before lo.  NULL when it has to load more than there are colour
 * buffers for.
 */
static bool
build_part(const struct cut *cut, unsigned lo, const struct value *values,
           unsigned count, struct tegra20_part *part)
{
   const bool last = count == 0;
   nir_instr **instrs = ralloc_array(cut->mem_ctx, nir_instr *, cut->num_ops);

   memset(part, 0, sizeof(*part));
   part->nir = clone_for_part(cut, last, instrs);
   for (unsigned i = 0; i < TEGRA20_MAX_CBUFS && last; i++) {
      if (i < cut->key->nr_cbufs && cut->key->rt[i].bound) {
         part->cbuf[i].use = TEGRA20_PART_TARGET;
         part->cbuf[i].index = i;
      }
   }
   load_values(cut, part->nir, instrs, lo);
   for (unsigned i = 0; i < count; i++) {
      store_value(cut, part->nir, instrs, &values[i], i);
      part->cbuf[i].use = TEGRA20_PART_STORE;
      part->cbuf[i].index = value_number(cut, cut->ops[values[i].op].position,
                                         values[i].component);
   }
   ralloc_free(instrs);
   NIR_PASS(_, part->nir, nir_copy_prop);
   NIR_PASS(_, part->nir, nir_opt_dce);
   if (!bind_loads(cut, part, last)) {
      ralloc_free(part->nir);
      return false;
   }
   nir_shader_gather_info(part->nir, nir_shader_get_entrypoint(part->nir));
   return true;
}

static void
part_key(const struct tegra20_part *part, bool last,
         const struct tegra20_fs_key *whole, struct tegra20_fs_key *key)
{
   *key = *whole;
   key->nr_cbufs = TEGRA20_MAX_CBUFS;
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
try_part(struct cut *cut, unsigned lo, const struct value *values,
         unsigned count)
{
   struct tegra20_parts *parts = cut->parts;
   struct tegra20_fs_key key;
   struct tegra20_part part;
   struct tegra20_fs *fs = NULL;

   if (parts->count == TEGRA20_MAX_PARTS || cut->trials == 0 ||
       !build_part(cut, lo, values, count, &part))
      return false;
   part_key(&part, count == 0, cut->key, &key);
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

/* Results that alive values need are stored already, or are these. */
static bool
try_values(struct cut *cut, unsigned lo, const struct value *values,
           unsigned count)
{
   unsigned size = MAX_STORES;

   for (unsigned done = 0; done < count;) {
      const unsigned n = MIN2(size, count - done);

      if (try_part(cut, lo, values + done, n))
         done += n;
      else if (n == 1)
         return false;
      else
         size = DIV_ROUND_UP(n, 2);
   }
   return true;
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
      fits = try_part(cut, lo, NULL, 0);
   } else {
      const unsigned count = values_alive(cut, lo, hi, NULL);
      struct value *values = ralloc_array(cut, struct value, MAX2(count, 1));

      values_alive(cut, lo, hi, values);
      fits = try_values(cut, lo, values, count);
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
      cut->parts->count = 0;
      cut->trials = MIN_TRIALS + cut->work[end_of(cut)] / TRIAL_SLOTS;
      cut->long_trials = MAX_LONG_TRIALS;
      order_operations(cut, (score[1] <= score[0]) != i);
      if (cut_range(cut, 1, end_of(cut)))
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

/* A surface is free again behind the last part that reads it. */
static void
assign_surfaces(struct cut *cut)
{
   struct tegra20_parts *parts = cut->parts;
   const unsigned count = value_number(cut, end_of(cut), 0);
   uint8_t *last_part = rzalloc_array(cut, uint8_t, count);
   uint8_t *surface = rzalloc_array(cut, uint8_t, count);
   bool busy[UINT8_MAX] = { false };

   for (unsigned i = 0; i < parts->count; i++) {
      for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
         if (parts->part[i].cbuf[c].use >= TEGRA20_PART_LOAD)
            last_part[parts->part[i].cbuf[c].index] = i;
      }
   }
   for (unsigned i = 0; i < parts->count; i++) {
      unsigned freed[TEGRA20_MAX_CBUFS], num_freed = 0;

      for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
         const unsigned use = parts->part[i].cbuf[c].use,
                        value = parts->part[i].cbuf[c].index;
         if (use < TEGRA20_PART_LOAD)
            continue;
         if (use == TEGRA20_PART_STORE) {
            while (busy[surface[value]])
               surface[value]++;
            busy[surface[value]] = true;
            parts->num_values++;
         }
         parts->part[i].cbuf[c].index = surface[value];
         parts->num_surfaces = MAX2(parts->num_surfaces, surface[value] + 1u);
         if (last_part[value] == i)
            freed[num_freed++] = surface[value];
      }
      while (num_freed > 0)
         busy[freed[--num_freed]] = false;
   }
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

   const bool ok = cut_program(cut);
   if (ok) {
      assign_surfaces(cut);
   } else {
      *error = ralloc_asprintf(
         mem_ctx, "the fragment program does not fit in parts either: %s",
         cut->error ? cut->error : "too many values are alive");
      ralloc_free(parts);
   }
   ralloc_free(cut);
   return ok ? parts : NULL;
}
