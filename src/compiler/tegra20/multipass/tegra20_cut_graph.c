/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Analyses the program that is to be cut: the costs of operations, the
 * results to spill or rematerialise, and the order (the essay in
 * tegra20_cut.c).
 */

#include "tegra20_cut_internal.h"

#include "nir/tegra20_derive.h"

/* In slots of the ALU. */
#define DERIVATIVE 10   /* cost of a derivative */
#define EXPLICIT_LOD 12 /* more than the unit's own */

/* --- costs --- */

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
   default:
      return MAX2(alu->def.num_components,
                  nir_op_infos[alu->op].input_sizes[0]); /* fsum */
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
op_cost(const struct cut *cut, const struct cut_op *op)
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

static struct cut_op *
op_of(const struct cut *cut, const nir_def *def)
{
   return &cut->ops[cut->op_of_def[def->index]];
}

struct cone {
   const struct cut *cut;
   struct cut_op *op;
};

static bool
add_to_cone(nir_src *src, void *data)
{
   struct cone *c = data;
   const struct cut_op *from = op_of(c->cut, src->ssa);

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
   struct cut_op *op = op_of(need->cut, src->ssa);

   op->last_segment = MAX2(op->last_segment, need->segment);
   return true;
}

void
cut_measure(struct cut *cut)
{
   for (unsigned i = 0; i < cut->num_ops; i++) {
      struct cut_op *op = &cut->ops[i];
      struct cone c = { cut, op };

      op->cone = 0;
      op->carried = cut_as_carried(op);
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
      op->cone += op->cost;
      /* values spilled before a derivative are not there behind it */
      if (tegra20_is_derivative(op->instr))
         op->cone += CUT_DEAR;
      op->again = op->def && !op->derived && op->cone <= cut->cheap;
   }
   /* A carried value is another one in a later segment. */
   for (unsigned i = cut->num_ops; i-- > 0;) {
      struct cut_op *op = &cut->ops[i];
      struct need need = { cut, op->segment };

      if (op->through || op->again)
         need.segment = op->last_segment;
      if (op->carried && op->last_segment > op->segment)
         op->again = false;
      nir_foreach_src(op->instr, note_segment, &need);
   }
}

static bool
is_value(const struct cut_op *op)
{
   return op->def && !op->again && !op->through;
}

bool
cut_is_effect(const struct cut_op *op)
{
   return !op->def && !fs_is_barrier(op->instr);
}

static void
append(struct cut *cut, unsigned index, unsigned stage)
{
   struct cut_op *op = &cut->ops[index];

   if (!is_value(op) || op->stage != stage || op->segment != cut->segment)
      return;
   op->position = ++cut->num_positions;
   cut->order[op->position] = index;
   cut->work[op->position + 1] = cut->work[op->position] + op->cost;
}

/* The barrier behind a segment has a position of its own. */
static void
append_border(struct cut *cut)
{
   for (unsigned i = 0; i < cut->num_ops; i++) {
      const struct cut_op *op = &cut->ops[i];

      if (op->segment != cut->segment || !fs_is_barrier(op->instr))
         continue;
      const unsigned position = ++cut->num_positions;
      cut->barrier[cut->segment] = position;
      cut->order[position] = i;
      cut->work[position + 1] = cut->work[position];
   }
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
note_operands(const struct cut *cut, const struct cut_op *op,
              unsigned position, unsigned kinds)
{
   struct use use = { cut, position, kinds };

   if (op->instr->type == nir_instr_type_alu)
      note_alu_use(cut, nir_instr_as_alu(op->instr), position, kinds);
   else
      nir_foreach_src(op->instr, note_source, &use);
}

/* Notes the values that a position needs: rematerialised ones, those that
 * loops carry, and their operands, which may be spilled. */
static void
note_again(const struct cut *cut, struct cut_op *op, unsigned position)
{
   if (!op->varies || op->noted == position)
      return;
   op->noted = position;
   if (op->cost || cut_as_carried(op))
      cut_note_use((struct cut *)cut, op - cut->ops, 0, position);
   note_operands(cut, op, position, USE_OPERAND);
}

static void
note_use(const struct cut *cut, nir_def *def, unsigned component,
         unsigned position, unsigned kinds)
{
   struct cut_op *op = op_of(cut, def);

   if (op->again) {
      if (kinds & USE_OPERAND)
         note_again(cut, op, position);
      return;
   }
   if (component >= 4)
      return;
   if (op->through) {
      note_through(cut, nir_instr_as_alu(op->instr), component, position,
                   kinds);
      return;
   }
   if (kinds & USE_OPERAND) {
      op->last_use[component] = MAX2(op->last_use[component], position);
      cut_note_use((struct cut *)cut, op - cut->ops, component, position);
   }
   if (kinds & USE_LOOKUP)
      op->last_lookup[component] = MAX2(op->last_lookup[component], position);
}

/* An automatic level of detail comes from the coordinates. */
static bool
is_lookup(const struct cut_op *op)
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
      const struct cut_op *op = &cut->ops[i];
      unsigned position = op->position;

      if (!is_value(op) && !cut_is_effect(op))
         continue;
      if (cut_is_effect(op))
         position = cut_end_of_segment(cut, op->segment);
      assert(position > 0);
      note_operands(cut, op, position,
                    is_lookup(op) ? USE_OPERAND | USE_LOOKUP : USE_OPERAND);
   }
   /* operations on the path to coordinates, from the last to the first */
   for (unsigned p = cut->num_positions; p > 0; p--) {
      const struct cut_op *op = &cut->ops[cut->order[p]];
      unsigned lookup = 0;

      for (unsigned c = 0; c < 4; c++)
         lookup = MAX2(lookup, op->last_lookup[c]);
      if (lookup && op->instr->type == nir_instr_type_alu)
         note_alu_use(cut, nir_instr_as_alu(op->instr), lookup, USE_LOOKUP);
   }
}

static void
find_far_lookups(struct cut *cut)
{
   memset(cut->far_lookup, 0, (cut_end(cut) + 1) * sizeof(*cut->far_lookup));
   unsigned last = 0; /* the position that the operations before lead to */

   for (unsigned p = 1; p <= cut_end(cut); p++) {
      cut->far_lookup[p] = last >= p;
      for (unsigned c = 0; c < 4 && p <= cut->num_positions; c++)
         last = MAX2(last, cut->ops[cut->order[p]].last_lookup[c]);
   }
}

/* --- stages --- */

static bool
find_depth(nir_src *src, void *data)
{
   struct cone *c = data;
   struct cut_op *from = op_of(c->cut, src->ssa);
   const bool derivative = tegra20_is_derivative(c->op->instr);

   from->derived |= derivative;
   c->op->stage = MAX2(c->op->stage, from->stage + derivative);
   return true;
}

static bool
move_behind(nir_src *src, void *data)
{
   const struct cone *c = data;
   struct cut_op *from = op_of(c->cut, src->ssa);

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
bool
cut_read_program(struct cut *cut)
{
   nir_function_impl *impl =
      nir_shader_get_entrypoint((nir_shader *)cut->nir);
   unsigned count = 0, barriers = 0;

   if (!exec_list_is_singular(&impl->body)) {
      cut->error = ralloc_strdup(cut, "it has loops or conditionals");
      return false;
   }
   nir_block *block = nir_start_block(impl);
   nir_foreach_instr (instr, block) {
      count++;
      barriers += fs_is_barrier(instr);
   }
   cut->num_segments = 1;
   cut->ops = rzalloc_array(cut, struct cut_op, MAX2(count, 1));
   cut->op_of_def = rzalloc_array(cut, unsigned, MAX2(impl->ssa_alloc, 1));
   cut->order = ralloc_array(cut, unsigned, count + 2);
   cut->work = rzalloc_array(cut, unsigned, count + 3);
   cut->far_lookup = rzalloc_array(cut, bool, count + 4);
   cut->first_need = rzalloc_array(cut, unsigned, count + 4);
   cut->alive = rzalloc_array(cut, unsigned, count + 4);
   cut->first_way = rzalloc_array(cut, unsigned, count + 4);
   cut->choices = rzalloc_array(cut, struct cut_choice, count + 4);
   cut->path = rzalloc_array(cut, unsigned, count + 4);
   cut->barrier = rzalloc_array(cut, unsigned, barriers + 1);
   cut->num_changed = rzalloc_array(cut, unsigned, barriers + 1);
   util_dynarray_init(&cut->uses, cut);
   nir_foreach_instr (instr, block) {
      struct cut_op *op = &cut->ops[cut->num_ops];

      op->instr = instr;
      op->segment = cut->num_segments - 1;
      cut->num_segments += fs_is_barrier(instr);
      op->def = nir_instr_def(instr);
      cut->num_changed[op->segment] += cut_as_carried(op) && !op->def;
      if (cut_as_carried(op))
         cut->num_carried =
            MAX2(cut->num_carried,
                 nir_intrinsic_base(cut_as_carried(op)) - FS_CARRIED + 1);
      if (op->def)
         cut->op_of_def[op->def->index] = cut->num_ops;
      cut->num_ops++;
   }
   find_stages(cut);
   return true;
}

static void
order_stage(struct cut *cut, unsigned stage)
{
   cut->stage_start[cut->segment * cut->num_stages + stage] = cut_end(cut);
   for (unsigned i = 0; i < cut->num_ops; i++)
      append(cut, i, stage);
}

static void
find_uses(struct cut *cut)
{
   util_dynarray_clear(&cut->uses);
   for (unsigned i = 0; i < cut->num_ops; i++) {
      struct cut_op *op = &cut->ops[i];

      memset(op->last_use, 0, sizeof(op->last_use));
      memset(op->last_lookup, 0, sizeof(op->last_lookup));
      op->noted = 0;
   }
   note_uses(cut);
   cut_sort_uses(cut);
}

/* Every value and every barrier has one position. */
static UNUSED bool
is_permutation(const struct cut *cut)
{
   bool *seen = rzalloc_array(cut->mem_ctx, bool, cut->num_ops + 1);
   bool is = true;

   for (unsigned p = 1; p <= cut->num_positions; p++) {
      const unsigned i = cut->order[p];

      is &= i < cut->num_ops && !seen[i] &&
            (fs_is_barrier(cut->ops[i].instr) || cut->ops[i].position == p);
      seen[MIN2(i, cut->num_ops)] = true;
   }
   for (unsigned i = 0; i < cut->num_ops; i++)
      is &= seen[i] ==
            (is_value(&cut->ops[i]) || fs_is_barrier(cut->ops[i].instr));
   ralloc_free(seen);
   return is;
}

void
cut_order_operations(struct cut *cut)
{
   cut->num_positions = 0;
   for (unsigned i = 0; i < cut->num_ops; i++)
      cut->ops[i].position = 0;
   for (cut->segment = 0; cut->segment < cut->num_segments; cut->segment++) {
      for (unsigned stage = 0; stage < cut->num_stages; stage++)
         order_stage(cut, stage);
      append_border(cut);
   }
   cut->order[0] = cut->order[cut_end(cut)] = CUT_NO_OP;
   find_uses(cut);
   assert(is_permutation(cut));
   find_far_lookups(cut);
}
