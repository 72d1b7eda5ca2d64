/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Expressions that the vertex program can compute for a fragment program.
 *
 * Varyings are interpolated with weights whose sum is one.  A sum of
 * varyings, each multiplied by a uniform, plus another uniform is therefore
 * the same whether it is computed from interpolated values or interpolated
 * itself: such an expression is called affine here.  Coordinates of textures
 * that a matrix transforms are of this kind.  In the vertex program they cost
 * a few of 256 instructions per vertex, in the fragment program some of 64
 * packets per pixel, and registers.
 *
 * A value of the fragment program is uniform, affine or neither.  Uniform
 * ones are for the CPU, in both programs; one that selects between affine
 * values leaves them affine.  Affine values that something uses which is not
 * affine itself are the roots of expressions; each becomes a component of a
 * new varying.  Roots that are used together, like the coordinates of a
 * lookup, share one.  The uniforms that they need become uniforms of both
 * programs, by their names.
 *
 * A vertex is usually many pixels.  But how much of it is worth it depends on
 * the program: plugin/mesa_linker.c has the limits.
 *
 * nir_opt_varyings() of Mesa moves an expression only when that leaves no
 * more varyings than before.
 */

#include "tegra20_hoist.h"

#include "compiler/nir/nir_builder.h"
#include "compiler/nir/nir_deref.h"
#include "util/ralloc.h"

#include "tegra20_mesa.h"

/* --- size --- */

static unsigned
lookup_operations(const nir_tex_instr *tex)
{
   unsigned count = tex->is_shadow ? 8 : 0;

   if (nir_tex_instr_src_index(tex, nir_tex_src_projector) >= 0)
      count += 2;
   switch (tex->sampler_dim) {
   case GLSL_SAMPLER_DIM_CUBE:
   case GLSL_SAMPLER_DIM_3D:
      return count +
             18; /* fs_tex_*.c has them on a face or slice of an atlas */
   default:
      return count;
   }
}

static unsigned
instr_operations(const nir_instr *instr)
{
   if (instr->type == nir_instr_type_tex)
      return lookup_operations(nir_instr_as_tex(instr));
   if (instr->type != nir_instr_type_alu)
      return 0;

   const nir_alu_instr *alu = nir_instr_as_alu(instr);
   switch (alu->op) {
   case nir_op_mov:
   case nir_op_vec2:
   case nir_op_vec3:
   case nir_op_vec4:
   case nir_op_fneg:
   case nir_op_fabs:
      return 0; /* modifiers of operands */
   case nir_op_fdot2:
   case nir_op_fdot3:
   case nir_op_fdot4:
      return nir_op_infos[alu->op].input_sizes[0];
   default:
      return alu->def.num_components;
   }
}

unsigned
tegra20_hoist_operations(const nir_shader *shader)
{
   unsigned count = 0;

   nir_foreach_block (block,
                      nir_shader_get_entrypoint((nir_shader *)shader)) {
      nir_foreach_instr (instr, block)
         count += instr_operations(instr);
   }
   return count;
}

/* --- uniform, affine or neither --- */

enum kind {
   UNKNOWN = 0,
   OTHER,
   UNIFORM,
   AFFINE,
};

struct hoist {
   nir_shader *vs, *fs;
   const struct tegra20_hoist_limits *limits;
   uint8_t (*kinds)[NIR_MAX_VEC_COMPONENTS];  /* by index of the fragment
                                                 program's values */
   nir_def *(*moved)[NIR_MAX_VEC_COMPONENTS]; /* the same value in the vertex
                                                 program, or NULL */
   nir_def *(*replaced)[NIR_MAX_VEC_COMPONENTS]; /* roots: the varying's
                                                    component, or NULL */
   nir_builder vb, fb; /* at the end of the vertex program, the beginning of
                          the fragment program */
   unsigned varyings, uniforms,
      operations;  /* slots, components and scalar operations of the vertex
                      program */
   unsigned count; /* of roots */
};

static enum kind
kind_of(struct hoist *h, nir_scalar s);

static nir_variable *
vs_output_of(struct hoist *h, const nir_variable *input)
{
   nir_foreach_shader_out_variable (var, h->vs) {
      const bool same =
         input->data.explicit_location
            ? var->data.explicit_location &&
                 var->data.location == input->data.location
            : var->name && input->name && !strcmp(var->name, input->name);
      if (same)
         return var->type == input->type && !var->data.patch ? var : NULL;
   }
   return NULL;
}

/* What the vertex program leaves in a component of an output: the last thing
 * that it stores in its last block. */
static bool
final_value(struct hoist *h, const nir_variable *output, unsigned component,
            nir_scalar *value)
{
   nir_foreach_instr_reverse (
      instr, nir_impl_last_block(nir_shader_get_entrypoint(h->vs))) {
      if (instr->type != nir_instr_type_intrinsic)
         continue;
      nir_intrinsic_instr *store = nir_instr_as_intrinsic(instr);
      if (store->intrinsic != nir_intrinsic_store_deref ||
          nir_intrinsic_get_var(store, 0) != output)
         continue;
      if (nir_src_as_deref(store->src[0])->deref_type != nir_deref_type_var)
         return false;
      if (nir_intrinsic_write_mask(store) & BITFIELD_BIT(component)) {
         *value = nir_get_scalar(store->src[1].ssa, component);
         return true;
      }
   }
   return false;
}

/* Built-in varyings depend on state: colours may be flat or have two sides,
 * coordinates may be those of a point sprite. */
static bool
is_smooth_input(struct hoist *h, const nir_variable *var, unsigned component)
{
   if (!glsl_type_is_vector_or_scalar(var->type) ||
       glsl_get_base_type(var->type) != GLSL_TYPE_FLOAT)
      return false;
   if (var->data.location >= 0 && var->data.location < VARYING_SLOT_VAR0)
      return false;
   if (var->data.interpolation != INTERP_MODE_NONE &&
       var->data.interpolation != INTERP_MODE_SMOOTH)
      return false;
   if (var->data.centroid || var->data.sample || var->data.per_primitive)
      return false;
   const nir_variable *output = vs_output_of(h, var);
   nir_scalar value;
   /* Mesa makes constants that a vertex program leaves constants of the
    * fragment program */
   return output && final_value(h, output, component, &value) &&
          !nir_scalar_is_const(nir_scalar_chase_movs(value));
}

static bool
has_constant_indices(const nir_deref_instr *deref)
{
   for (; deref->deref_type != nir_deref_type_var;
        deref = nir_deref_instr_parent(deref)) {
      const bool constant = deref->deref_type == nir_deref_type_struct ||
                            (deref->deref_type == nir_deref_type_array &&
                             nir_src_is_const(deref->arr.index));
      if (!constant)
         return false;
   }
   return true;
}

static enum kind
kind_of_load(struct hoist *h, const nir_intrinsic_instr *load,
             unsigned component)
{
   if (load->intrinsic != nir_intrinsic_load_deref)
      return OTHER;
   const nir_deref_instr *deref = nir_src_as_deref(load->src[0]);
   const nir_variable *var = nir_deref_instr_get_variable(deref);

   if (!var)
      return OTHER;
   if (var->data.mode == nir_var_uniform)
      return var->name && has_constant_indices(deref) ? UNIFORM : OTHER;
   if (glsl_get_base_type(deref->type) != GLSL_TYPE_FLOAT)
      return OTHER;
   if (var->data.mode == nir_var_shader_in &&
       deref->deref_type == nir_deref_type_var)
      return is_smooth_input(h, var, component) ? AFFINE : OTHER;
   return OTHER;
}

static nir_scalar
alu_src(const nir_alu_instr *alu, unsigned src, unsigned component)
{
   return nir_get_scalar(alu->src[src].src.ssa,
                         alu->src[src].swizzle[component]);
}

/* The product of two values, in terms of what they depend on. */
static enum kind
product(enum kind a, enum kind b)
{
   return a == OTHER || b == OTHER || (a == AFFINE && b == AFFINE)
             ? OTHER
             : MAX2(a, b);
}

static enum kind
sum(enum kind a, enum kind b)
{
   return a == OTHER || b == OTHER ? OTHER : MAX2(a, b);
}

/* Whether all sources of an operation are uniform. */
static enum kind
uniform_function(struct hoist *h, const nir_alu_instr *alu,
                 unsigned component)
{
   for (unsigned s = 0; s < nir_op_infos[alu->op].num_inputs; s++) {
      if (nir_op_infos[alu->op].input_sizes[s] > 1 ||
          kind_of(h, alu_src(alu, s, component)) != UNIFORM)
         return OTHER;
   }
   return UNIFORM;
}

/* One of two values, chosen by a uniform. */
static enum kind
selection(struct hoist *h, const nir_alu_instr *alu, unsigned component)
{
   if (kind_of(h, alu_src(alu, 0, component)) != UNIFORM)
      return OTHER;
   return sum(kind_of(h, alu_src(alu, 1, component)),
              kind_of(h, alu_src(alu, 2, component)));
}

static enum kind
dot_product(struct hoist *h, const nir_alu_instr *alu)
{
   enum kind kind = UNIFORM;

   for (unsigned c = 0; c < nir_op_infos[alu->op].input_sizes[0]; c++)
      kind = sum(kind, product(kind_of(h, alu_src(alu, 0, c)),
                               kind_of(h, alu_src(alu, 1, c))));
   return kind;
}

static enum kind
kind_of_alu(struct hoist *h, const nir_alu_instr *alu, unsigned c)
{
   switch (alu->op) {
   case nir_op_mov:
   case nir_op_fneg:
      return kind_of(h, alu_src(alu, 0, c));
   case nir_op_bcsel:
      return selection(h, alu, c);
   case nir_op_vec2:
   case nir_op_vec3:
   case nir_op_vec4:
      return kind_of(h, alu_src(alu, c, 0));
   case nir_op_fadd:
   case nir_op_fsub:
      return sum(kind_of(h, alu_src(alu, 0, c)),
                 kind_of(h, alu_src(alu, 1, c)));
   case nir_op_fmul:
      return product(kind_of(h, alu_src(alu, 0, c)),
                     kind_of(h, alu_src(alu, 1, c)));
   case nir_op_ffma:
      return sum(product(kind_of(h, alu_src(alu, 0, c)),
                         kind_of(h, alu_src(alu, 1, c))),
                 kind_of(h, alu_src(alu, 2, c)));
   case nir_op_flrp: {
      const enum kind ends =
         sum(kind_of(h, alu_src(alu, 0, c)), kind_of(h, alu_src(alu, 1, c)));
      return product(ends, kind_of(h, alu_src(alu, 2, c)));
   }
   case nir_op_fdot2:
   case nir_op_fdot3:
   case nir_op_fdot4:
      return dot_product(h, alu);
   default:
      return nir_op_infos[alu->op].output_size <= 1
                ? uniform_function(h, alu, c)
                : OTHER;
   }
}

static enum kind
kind_of(struct hoist *h, nir_scalar s)
{
   uint8_t *known = &h->kinds[s.def->index][s.comp];

   if (*known)
      return *known;
   enum kind kind = OTHER;
   if (s.def->parent_instr->type == nir_instr_type_load_const)
      kind = UNIFORM;
   else if (s.def->parent_instr->type == nir_instr_type_intrinsic)
      kind =
         kind_of_load(h, nir_instr_as_intrinsic(s.def->parent_instr), s.comp);
   else if (s.def->parent_instr->type == nir_instr_type_alu)
      kind = kind_of_alu(h, nir_instr_as_alu(s.def->parent_instr), s.comp);
   return *known = kind;
}

/* --- in the vertex program --- */

static nir_variable *
find_uniform(nir_shader *vs, const nir_variable *var)
{
   nir_foreach_uniform_variable (u, vs) {
      if (u->name && !strcmp(u->name, var->name))
         return u;
   }
   return NULL;
}

static nir_variable *
vs_uniform(struct hoist *h, const nir_variable *var)
{
   nir_variable *found = find_uniform(h->vs, var);

   if (!found) {
      found = nir_variable_clone(var, h->vs);
      nir_shader_add_variable(h->vs, found);
   }
   return found;
}

static nir_deref_instr *
rebuild_deref(nir_builder *b, nir_variable *var, const nir_deref_instr *deref)
{
   if (deref->deref_type == nir_deref_type_var)
      return nir_build_deref_var(b, var);
   nir_deref_instr *parent =
      rebuild_deref(b, var, nir_deref_instr_parent(deref));
   return deref->deref_type == nir_deref_type_struct
             ? nir_build_deref_struct(b, parent, deref->strct.index)
             : nir_build_deref_array_imm(b, parent,
                                         nir_src_as_int(deref->arr.index));
}

static nir_def *
move(struct hoist *h, nir_scalar s);

static nir_def *
move_load(struct hoist *h, const nir_intrinsic_instr *load,
          unsigned component)
{
   const nir_deref_instr *deref = nir_src_as_deref(load->src[0]);
   const nir_variable *var = nir_deref_instr_get_variable(deref);

   if (var->data.mode == nir_var_shader_in) {
      nir_scalar value;
      ASSERTED const bool written =
         final_value(h, vs_output_of(h, var), component, &value);
      assert(written); /* is_smooth_input() */
      return nir_channel(&h->vb, value.def, value.comp);
   }
   nir_def *loaded = nir_load_deref(
      &h->vb, rebuild_deref(&h->vb, vs_uniform(h, var), deref));
   return nir_channel(&h->vb, loaded, component);
}

static nir_def *
move_alu(struct hoist *h, const nir_alu_instr *alu, unsigned c)
{
   nir_builder *b = &h->vb;
   nir_def *src[NIR_MAX_VEC_COMPONENTS] = { NULL };

   switch (alu->op) {
   case nir_op_vec2:
   case nir_op_vec3:
   case nir_op_vec4:
      return move(h, alu_src(alu, c, 0));
   case nir_op_fdot2:
   case nir_op_fdot3:
   case nir_op_fdot4: {
      nir_def *total = NULL;
      for (unsigned i = 0; i < nir_op_infos[alu->op].input_sizes[0]; i++) {
         nir_def *term = nir_fmul(b, move(h, alu_src(alu, 0, i)),
                                  move(h, alu_src(alu, 1, i)));
         total = total ? nir_fadd(b, total, term) : term;
      }
      return total;
   }
   case nir_op_flrp: {
      nir_def *start = move(h, alu_src(alu, 0, c)),
              *end = move(h, alu_src(alu, 1, c));
      return nir_fadd(
         b, start,
         nir_fmul(b, move(h, alu_src(alu, 2, c)), nir_fsub(b, end, start)));
   }
   default:
      for (unsigned s = 0; s < nir_op_infos[alu->op].num_inputs; s++)
         src[s] = move(h, alu_src(alu, s, c));
      return nir_build_alu_src_arr(b, alu->op, src);
   }
}

/* The value in the vertex program. */
static nir_def *
move(struct hoist *h, nir_scalar s)
{
   nir_def **moved = &h->moved[s.def->index][s.comp];
   nir_instr *instr = s.def->parent_instr;

   if (*moved)
      return *moved;
   if (instr->type == nir_instr_type_load_const)
      *moved = nir_build_imm(&h->vb, 1, s.def->bit_size,
                             &nir_instr_as_load_const(instr)->value[s.comp]);
   else if (instr->type == nir_instr_type_intrinsic)
      *moved = move_load(h, nir_instr_as_intrinsic(instr), s.comp);
   else
      *moved = move_alu(h, nir_instr_as_alu(instr), s.comp);
   return *moved;
}

/* --- roots --- */

/* Values that are used together and have no varying yet. */
struct group {
   nir_scalar values[4];
   unsigned count;
};

static bool
is_root(struct hoist *h, nir_scalar s)
{
   return kind_of(h, s) == AFFINE &&
          s.def->parent_instr->type == nir_instr_type_alu;
}

/* What the vertex program takes more when it computes an expression. */
struct cost {
   struct set *seen; /* variables, and values by their place in hoist.moved */
   unsigned uniforms, operations;
};

static void
add_cost(struct hoist *h, nir_scalar s, struct cost *cost);

static void
add_cost_of_alu(struct hoist *h, const nir_alu_instr *alu, unsigned component,
                struct cost *cost)
{
   if (nir_op_is_vec(alu->op)) {
      add_cost(h, alu_src(alu, component, 0), cost);
      return;
   }
   /* the others are for the CPU */
   const bool affine =
      kind_of(h, nir_get_scalar((nir_def *)&alu->def, component)) == AFFINE;
   for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++) {
      const unsigned size = nir_op_infos[alu->op].input_sizes[i];
      for (unsigned c = 0; c < MAX2(size, 1); c++)
         add_cost(h, alu_src(alu, i, size ? c : component), cost);
      cost->operations += affine && i == 0 ? MAX2(size, 1) : 0;
   }
}

static void
add_cost(struct hoist *h, nir_scalar s, struct cost *cost)
{
   nir_instr *instr = s.def->parent_instr;
   nir_def **moved = &h->moved[s.def->index][s.comp];

   if (*moved || _mesa_set_search(cost->seen, moved))
      return;
   _mesa_set_add(cost->seen, moved);
   if (instr->type == nir_instr_type_alu) {
      add_cost_of_alu(h, nir_instr_as_alu(instr), s.comp, cost);
   } else if (instr->type == nir_instr_type_intrinsic) {
      const nir_variable *var = nir_deref_instr_get_variable(
         nir_src_as_deref(nir_instr_as_intrinsic(instr)->src[0]));
      if (var->data.mode == nir_var_uniform && !find_uniform(h->vs, var) &&
          !_mesa_set_search(cost->seen, var)) {
         _mesa_set_add(cost->seen, var);
         cost->uniforms += 4 * glsl_count_vec4_slots(var->type, false, true);
      }
   }
}

/* Empties the group, too, when there is no room for it. */
static void
hoist_group(struct hoist *h, struct group *g)
{
   const unsigned count = g->count;
   struct cost cost = { .seen = _mesa_pointer_set_create(NULL) };

   g->count = 0;
   for (unsigned i = 0; i < count; i++)
      add_cost(h, g->values[i], &cost);
   _mesa_set_destroy(cost.seen, NULL);
   if (!count || h->varyings >= h->limits->varyings ||
       h->uniforms + cost.uniforms > h->limits->vs_uniforms ||
       h->operations + cost.operations > h->limits->vs_operations)
      return;

   nir_def *values[4];
   for (unsigned i = 0; i < count; i++)
      values[i] = move(h, g->values[i]);

   char name[32];
   snprintf(name, sizeof(name), "tegra20 hoisted %u", h->count);
   const struct glsl_type *type = glsl_vec_type(count);
   nir_variable *output =
      nir_variable_create(h->vs, nir_var_shader_out, type, name);
   nir_variable *input =
      nir_variable_create(h->fs, nir_var_shader_in, type, name);
   output->data.location = input->data.location = -1;
   output->data.interpolation = input->data.interpolation =
      INTERP_MODE_SMOOTH;
   nir_store_var(&h->vb, output, nir_vec(&h->vb, values, count),
                 BITFIELD_MASK(count));
   nir_def *loaded = nir_load_var(&h->fb, input);
   for (unsigned i = 0; i < count; i++)
      h->replaced[g->values[i].def->index][g->values[i].comp] =
         nir_channel(&h->fb, loaded, i);

   h->varyings++;
   h->uniforms += cost.uniforms;
   h->operations += cost.operations;
   h->count += count;
}

static void
add_root(struct hoist *h, struct group *g, nir_scalar s)
{
   s = nir_scalar_chase_movs(s);
   if (!is_root(h, s) || h->replaced[s.def->index][s.comp])
      return;
   for (unsigned i = 0; i < g->count; i++) {
      if (nir_scalar_equal(g->values[i], s))
         return;
   }
   if (g->count == 4)
      hoist_group(h, g);
   g->values[g->count++] = s;
}

static void
add_coordinates(struct hoist *h, const nir_tex_instr *tex)
{
   struct group g = { .count = 0 };

   for (unsigned i = 0; i < tex->num_srcs; i++) {
      if (tex->src[i].src_type != nir_tex_src_coord &&
          tex->src[i].src_type != nir_tex_src_projector)
         continue;
      for (unsigned c = 0; c < nir_tex_instr_src_size(tex, i); c++)
         add_root(h, &g, nir_get_scalar(tex->src[i].src.ssa, c));
   }
   hoist_group(h, &g);
}

/* Operations that are not affine themselves; their operands may be. */
static void
add_operands(struct hoist *h, const nir_alu_instr *alu, struct group *g)
{
   if (nir_op_is_vec_or_mov(alu->op))
      return;
   for (unsigned c = 0; c < alu->def.num_components; c++) {
      if (kind_of(h, nir_get_scalar((nir_def *)&alu->def, c)) != OTHER)
         continue;
      for (unsigned s = 0; s < nir_op_infos[alu->op].num_inputs; s++) {
         const unsigned size = nir_op_infos[alu->op].input_sizes[s];
         for (unsigned i = 0; i < MAX2(size, 1); i++)
            add_root(h, g, alu_src(alu, s, size ? i : c));
      }
   }
}

/* Coordinates first, each lookup's together; then whatever else there is room
 * for. */
static void
find_roots(struct hoist *h, nir_function_impl *impl)
{
   struct group rest = { .count = 0 };

   nir_foreach_block (block, impl) {
      nir_foreach_instr (instr, block) {
         if (instr->type == nir_instr_type_tex)
            add_coordinates(h, nir_instr_as_tex(instr));
      }
   }
   nir_foreach_block (block, impl) {
      nir_foreach_instr (instr, block) {
         if (instr->type == nir_instr_type_alu)
            add_operands(h, nir_instr_as_alu(instr), &rest);
      }
   }
   hoist_group(h, &rest);
}

/* Everything uses the varyings instead of the roots; what only roots used is
 * dead. */
static void
replace_roots(struct hoist *h, nir_function_impl *impl, unsigned num_defs)
{
   nir_foreach_block (block, impl) {
      nir_foreach_instr_safe (instr, block) {
         nir_def *components[NIR_MAX_VEC_COMPONENTS];
         nir_def *def = nir_instr_def(instr);
         bool any = false;

         if (instr->type != nir_instr_type_alu || def->index >= num_defs)
            continue;
         for (unsigned c = 0; c < def->num_components; c++)
            any |= h->replaced[def->index][c] != NULL;
         if (!any)
            continue;
         nir_builder b = nir_builder_at(nir_after_instr(instr));
         for (unsigned c = 0; c < def->num_components; c++) {
            nir_def *varying = h->replaced[def->index][c];
            components[c] = varying ? varying : nir_channel(&b, def, c);
         }
         nir_def *vec = nir_vec(&b, components, def->num_components);
         nir_def_rewrite_uses_after(def, vec, vec->parent_instr);
      }
   }
}

static unsigned
count_slots(nir_shader *shader, nir_variable_mode mode)
{
   unsigned count = 0;

   nir_foreach_variable_with_modes (var, shader, mode) {
      if (mode != nir_var_uniform || !glsl_contains_sampler(var->type))
         count += glsl_count_vec4_slots(var->type, false, true);
   }
   return count;
}

unsigned
tegra20_hoist(nir_shader *vs, nir_shader *fs,
              const struct tegra20_hoist_limits *limits)
{
   nir_function_impl *vs_impl = nir_shader_get_entrypoint(vs),
                     *fs_impl = nir_shader_get_entrypoint(fs);

   if (tegra20_hoist_operations(fs) <= limits->fs_operations)
      return 0;

   void *mem_ctx = ralloc_context(NULL);
   nir_index_ssa_defs(fs_impl);
   const unsigned num_defs = fs_impl->ssa_alloc;
   struct hoist h = {
      .vs = vs,
      .fs = fs,
      .limits = limits,
      .kinds = rzalloc_size(mem_ctx, sizeof(*h.kinds) * num_defs),
      .moved = rzalloc_size(mem_ctx, sizeof(*h.moved) * num_defs),
      .replaced = rzalloc_size(mem_ctx, sizeof(*h.replaced) * num_defs),
      .vb = nir_builder_at(nir_after_impl(vs_impl)),
      .fb = nir_builder_at(nir_before_impl(fs_impl)),
      .varyings = MAX2(count_slots(vs, nir_var_shader_out),
                       count_slots(fs, nir_var_shader_in)),
      .uniforms = count_slots(vs, nir_var_uniform) * 4,
      .operations = tegra20_hoist_operations(vs),
   };
   find_roots(&h, fs_impl);
   replace_roots(&h, fs_impl, num_defs);
   nir_metadata_preserve(vs_impl, nir_metadata_control_flow);
   nir_metadata_preserve(fs_impl, nir_metadata_control_flow);
   ralloc_free(mem_ctx);
   return h.count;
}
