/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Makes the shader of a part: the operations of the whole one that its
 * effects depend on, with loads and stores of spilled values; and its key.
 */

#include "tegra20_cut_internal.h"

#include "compiler/nir/nir_builder.h"
#include "util/hash_table.h"

#include "nir/tegra20_derive.h"

/* An effect of the part: all of the last segment, or those that the part is
 * to store. */
static bool
is_kept(const struct cut *cut, const struct cut_job *job, unsigned index)
{
   const struct cut_op *op = &cut->ops[index];

   if (job->last)
      return cut_is_effect(op) && cut_is_last_segment(cut, op->segment);
   for (unsigned i = 0; i < job->count; i++) {
      if (job->values[i].op == index)
         return !job->commits;
   }
   return false;
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

/* Base of loads of spilled values, above which is the number of the value;
 * that of carried ones is FS_CARRIED. */
#define SPILLED 1000

static unsigned
value_number(const struct cut *cut, unsigned position, unsigned component)
{
   return 4 * position + component;
}

/* Comes from a surface. */
static bool
is_loaded(const struct cut_op *op, unsigned lo)
{
   bool alive = false;

   for (unsigned c = 0; c < 4; c++)
      alive |= op->last_use[c] >= lo;
   return alive && op->position > 0 && op->position < lo;
}

struct needed {
   const struct cut *cut;
   bool *ops;
};

static bool
mark_source(nir_src *src, void *data)
{
   struct needed *needed = data;

   needed->ops[needed->cut->op_of_def[src->ssa->index]] = true;
   return true;
}

bool *
cut_find_needed(const struct cut *cut, const struct cut_job *job)
{
   struct needed needed = { cut,
                            ralloc_array(cut->mem_ctx, bool, cut->num_ops) };

   for (unsigned i = 0; i < cut->num_ops; i++)
      needed.ops[i] = is_kept(cut, job, i);
   for (unsigned i = cut->num_ops; i-- > 0;) {
      if (needed.ops[i] && !is_loaded(&cut->ops[i], job->lo))
         nir_foreach_src(cut->ops[i].instr, mark_source, &needed);
   }
   return needed.ops;
}

/* Values made before lo come from surfaces.  Loads that nothing needs are
 * removed later. */
static void
load_values(const struct cut *cut, nir_builder *b, const bool *needed,
            unsigned lo, struct hash_table *copies)
{
   for (unsigned p = 1; p < lo; p++) {
      const struct cut_op *op = &cut->ops[cut->order[p]];
      nir_def *component[4];

      if (!needed[cut->order[p]] || !is_loaded(op, lo))
         continue;
      const unsigned count = MIN2(op->def->num_components, 4);
      for (unsigned c = 0; c < count; c++)
         component[c] = build_load(b, SPILLED + value_number(cut, p, c));
      _mesa_hash_table_insert(copies, op->def,
                              count == 1 ? component[0]
                                         : nir_vec(b, component, count));
   }
}

/* The value has been loaded, or is computed by copied operations. */
static bool
has_copy(nir_src *src, void *copies)
{
   return _mesa_hash_table_search(copies, src->ssa);
}

/* A shader with the operations of the whole one that a part needs; instrs:
 * the copies, NULL for the others.  NULL when an operand is neither loaded
 * nor comes before its user: a copy of it would refer to the whole shader. */
static nir_shader *
copy_for_part(const struct cut *cut, const struct cut_job *job,
              nir_instr **instrs)
{
   nir_shader *nir = nir_shader_clone(cut->parts, cut->frame);
   struct hash_table *copies = _mesa_pointer_hash_table_create(NULL);
   bool *needed = cut_find_needed(cut, job);
   nir_builder b =
      nir_builder_at(nir_before_impl(nir_shader_get_entrypoint(nir)));
   bool complete = true;

   load_values(cut, &b, needed, job->lo, copies);
   for (unsigned i = 0; i < cut->num_ops && complete; i++) {
      const struct cut_op *op = &cut->ops[i];

      instrs[i] = NULL;
      if (!needed[i] || is_loaded(op, job->lo))
         continue;
      complete = nir_foreach_src(op->instr, has_copy, copies);
      if (!complete)
         break;
      instrs[i] = nir_instr_clone_deep(nir, op->instr, copies);
      nir_builder_instr_insert(&b, instrs[i]);
   }
   ralloc_free(needed);
   _mesa_hash_table_destroy(copies, NULL);
   if (!complete) {
      ralloc_free(nir);
      return NULL;
   }
   return nir;
}

static void
build_store(nir_builder *b, nir_def *value, unsigned cbuf)
{
   nir_store_output(b, value, nir_imm_float(b, 0), .base = cbuf, .range = 1,
                    .write_mask = 1, .src_type = nir_type_float32,
                    .io_semantics.location = FRAG_RESULT_DATA0 + cbuf,
                    .io_semantics.num_slots = 1);
}

/* Appends a store to a colour buffer; returns the number of the value. */
static unsigned
store_value(const struct cut *cut, nir_shader *nir, nir_instr **instrs,
            const struct cut_job *job, unsigned cbuf)
{
   const struct cut_value *value = &job->values[cbuf];
   const nir_intrinsic_instr *carried = cut_as_carried(&cut->ops[value->op]);
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
   return job->shadows ? cut_shadow_number(cut, k)
                       : cut_carried_number(cut, k);
}

/* The store of a carried value in the segment that is being cut. */
static nir_intrinsic_instr *
find_store(const struct cut *cut, nir_instr **instrs, unsigned base)
{
   for (unsigned i = 0; i < cut->num_ops; i++) {
      const nir_intrinsic_instr *carried = cut_as_carried(&cut->ops[i]);

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
            const struct cut_job *job, nir_def **results)
{
   struct hash_table *copies = _mesa_pointer_hash_table_create(NULL);
   nir_builder b =
      nir_builder_at(nir_after_impl(nir_shader_get_entrypoint(nir)));
   nir_def *active =
      find_store(cut, instrs, FS_CARRIED + cut->segment / 2)->src[0].ssa;

   for (unsigned i = 0; i < cut->num_ops; i++) {
      const struct cut_op *op = &cut->ops[i];
      const nir_intrinsic_instr *carried = cut_as_carried(op);

      if (!instrs[i] || !op->def || op->segment != cut->segment)
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
              const struct cut_job *job)
{
   nir_def *results[TEGRA20_MAX_CBUFS];

   for (unsigned i = 0; i < job->count && job->iterations > 1; i++)
      results[i] =
         nir_instr_as_intrinsic(instrs[job->values[i].op])->src[0].ssa;
   for (unsigned i = 1; i < job->iterations; i++)
      repeat_body(cut, nir, instrs, job, results);
}

/* Masks pixels whose loop has ended. */
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
      *number = cut_carried_number(cut, base - FS_CARRIED);
   else if (base >= SPILLED)
      *number = base - SPILLED;
   return base >= SPILLED;
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

/* Gives a value a texture unit, of which no operation of the application's
 * needs one; -1 when there is none left. */
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

/* A load for which no colour buffer is left becomes a lookup: that takes two
 * operations more. */
static bool
bind_look_up(struct tegra20_part *part, nir_intrinsic_instr *load,
             unsigned value)
{
   const int unit = bind_texture(part, value);

   if (unit < 0)
      return false;
   nir_builder b = nir_builder_at(nir_before_instr(&load->instr));
   nir_def_replace(&load->def, tegra20_build_look_up(&b, unit));
   return true;
}

/* Gives a load a colour buffer or a texture unit; false when there is none
 * left. */
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
      return use == TEGRA20_PART_LOAD && !cut_is_flag(cut, index) &&
             bind_look_up(part, load, index);
   if (use == TEGRA20_PART_LOAD)
      part->cbuf[cbuf].flag = cut_is_flag(cut, index);
   sem.location = FRAG_RESULT_DATA0 + cbuf;
   nir_intrinsic_set_io_semantics(load, sem);
   nir_intrinsic_set_base(load, cbuf);
   return true;
}

/* Derivatives of loaded values become differences between pixels of a
 * texture. */
static bool
bind_derivative(struct tegra20_part *part, nir_intrinsic_instr *derivative)
{
   nir_intrinsic_instr *load = nir_src_as_intrinsic(derivative->src[0]);

   if (!load || load->intrinsic != nir_intrinsic_load_output ||
       nir_intrinsic_base(load) < SPILLED)
      return false;
   const int unit = bind_texture(part, nir_intrinsic_base(load) - SPILLED);
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

   nir_foreach_instr_safe (instr, block) {
      if (instr->type != nir_instr_type_intrinsic)
         continue;
      nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
      if (intr->intrinsic == nir_intrinsic_load_output &&
          !bind_load(cut, part, intr, last))
         return false;
   }
   return true;
}

static const nir_def *
stored_def(const nir_instr *instr)
{
   return nir_instr_def((nir_instr *)instr)
             ? nir_instr_def((nir_instr *)instr)
             : nir_instr_as_intrinsic((nir_instr *)instr)->src[0].ssa;
}

/* Lookups have to be exact if a part that gets what is computed from them
 * needs it so. */
static void
mark_amplified(const struct cut *cut, nir_shader *nir, nir_instr **instrs,
               const struct cut_job *job)
{
   struct tegra20_gain(*gains)[4] = tegra20_new_gains(nir);

   for (unsigned i = 0; i < job->count && !job->commits; i++) {
      const struct cut_value *value = &job->values[i];
      const nir_def *of = stored_def(cut->ops[value->op].instr);

      tegra20_raise_handed(
         &gains[stored_def(instrs[value->op])->index][value->component],
         cut->gains[of->index][value->component]);
   }
   tegra20_mark_amplified(nir, gains);
   ralloc_free(gains);
}

bool
cut_build_part(const struct cut *cut, const struct cut_job *job,
               struct tegra20_part *part)
{
   nir_instr **instrs = ralloc_array(cut->mem_ctx, nir_instr *, cut->num_ops);

   memset(part, 0, sizeof(*part));
   part->nir = copy_for_part(cut, job, instrs);
   if (!part->nir) {
      ralloc_free(instrs);
      return false;
   }
   for (unsigned i = 0; i < TEGRA20_MAX_CBUFS && job->last; i++) {
      if (i < cut->key->nr_cbufs && cut->key->rt[i].bound) {
         part->cbuf[i].use = TEGRA20_PART_TARGET;
         part->cbuf[i].index = i;
      }
   }
   repeat_bodies(cut, part->nir, instrs, job);
   for (unsigned i = 0; i < job->count; i++) {
      part->cbuf[i].index = store_value(cut, part->nir, instrs, job, i);
      part->cbuf[i].use = TEGRA20_PART_STORE;
      part->cbuf[i].flag = cut_is_flag(cut, part->cbuf[i].index);
      part->cbuf[i].clear = part->cbuf[i].flag && !cut_is_loop(cut->segment);
   }
   if (job->kills)
      build_kill(cut, part->nir);
   mark_amplified(cut, part->nir, instrs, job);
   ralloc_free(instrs);
   nir_validate_shader(part->nir, "a part of a program");
   NIR_PASS(_, part->nir, nir_copy_prop);
   NIR_PASS(_, part->nir, nir_opt_dce);
   if (!bind_derivatives(part) || !bind_loads(cut, part, job->last)) {
      ralloc_free(part->nir);
      return false;
   }
   nir_validate_shader(part->nir, "a part with its surfaces");
   nir_shader_gather_info(part->nir, nir_shader_get_entrypoint(part->nir));
   u_foreach_bit (unit, part->sampled)
      BITSET_SET(part->nir->info.textures_used, unit);
   return true;
}

void
cut_part_key(const struct tegra20_part *part, bool last,
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
      rt->group = part->cbuf[i].group;
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
   cut_part_key(&parts->part[i], i == parts->count - 1, whole, key);
}
