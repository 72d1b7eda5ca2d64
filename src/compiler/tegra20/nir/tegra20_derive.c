/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Derivatives.  The chip has no known instruction for them (assumption A49),
 * so other operations compute them.
 *
 * By differentiation of the expression, where that takes few operations:
 * uniform expressions have the derivative 0, the position of the fragment 1
 * or 0, and sums and products are differentiated by the rules of calculus
 * when the derivatives of all operands are known.
 *
 * By a difference otherwise.  The program is cut (tegra20_cut.c): one part
 * stores the value, the next one looks up what it was for other pixels.
 * These are, as in Gallium's software renderers, two pixels of the quad
 * whose corner has even coordinates:
 *
 *    a b     dFdx is d - c, dFdy is c - a, for all four
 *    c d
 *
 * Pixels of the quad that the primitive does not cover have values, too: the
 * driver draws the parts that store them beyond the edges of the primitive
 * (tegra20_swtnl.h).
 */

#include "tegra20_derive.h"

/* --- which --- */

static bool
is_derivative_op(nir_intrinsic_op op, bool *vertical)
{
   switch (op) {
   case nir_intrinsic_ddx:
   case nir_intrinsic_ddx_coarse:
   case nir_intrinsic_ddx_fine:
      *vertical = false;
      return true;
   case nir_intrinsic_ddy:
   case nir_intrinsic_ddy_coarse:
   case nir_intrinsic_ddy_fine:
      *vertical = true;
      return true;
   default:
      return false;
   }
}

bool
tegra20_is_derivative(const nir_instr *instr)
{
   bool vertical;

   return instr->type == nir_instr_type_intrinsic &&
          is_derivative_op(
             nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic,
             &vertical);
}

bool
tegra20_has_derivatives(const nir_shader *nir)
{
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            if (tegra20_is_derivative(instr))
               return true;
         }
      }
   }
   return false;
}

/* --- differentiation --- */

/* How deep an expression is looked into. */
#define MAX_DEPTH 8

struct derivation {
   nir_builder *b;
   bool vertical;
};

static nir_def *
derive(struct derivation *d, nir_scalar x, unsigned depth);

static bool
is_zero(const nir_def *def)
{
   return def->parent_instr->type == nir_instr_type_load_const &&
          nir_scalar_as_float(nir_get_scalar((nir_def *)def, 0)) == 0.0;
}

static nir_def *
sum(nir_builder *b, nir_def *x, nir_def *y)
{
   return is_zero(x) ? y : is_zero(y) ? x : nir_fadd(b, x, y);
}

/* dx * y */
static nir_def *
product(nir_builder *b, nir_def *dx, nir_scalar y)
{
   return is_zero(dx) ? dx : nir_fmul(b, dx, nir_channel(b, y.def, y.comp));
}

static nir_def *
derive_product(nir_builder *b, nir_scalar x, nir_scalar y, nir_def *dx,
               nir_def *dy)
{
   return sum(b, product(b, dx, y), product(b, dy, x));
}

/* An operation whose operands have these derivatives: NULL when there is no
 * rule for it. */
static nir_def *
apply_rule(nir_builder *b, nir_scalar x, const nir_scalar *src,
           nir_def *const *ds)
{
   switch (nir_scalar_alu_op(x)) {
   case nir_op_mov:
      return ds[0];
   case nir_op_fneg:
      return is_zero(ds[0]) ? ds[0] : nir_fneg(b, ds[0]);
   case nir_op_fadd:
      return sum(b, ds[0], ds[1]);
   case nir_op_fsub:
      return is_zero(ds[1]) ? ds[0] : nir_fsub(b, ds[0], ds[1]);
   case nir_op_fmul:
      return derive_product(b, src[0], src[1], ds[0], ds[1]);
   case nir_op_ffma:
      return sum(b, derive_product(b, src[0], src[1], ds[0], ds[1]), ds[2]);
   default:
      return NULL;
   }
}

static nir_def *
derive_alu(struct derivation *d, nir_scalar x, unsigned depth)
{
   const unsigned count = nir_op_infos[nir_scalar_alu_op(x)].num_inputs;
   nir_scalar src[NIR_ALU_MAX_INPUTS];
   nir_def *ds[NIR_ALU_MAX_INPUTS];
   bool constant = true;

   if (nir_op_is_vec(nir_scalar_alu_op(x)))
      return derive(d, nir_scalar_chase_alu_src(x, x.comp), depth);
   if (nir_op_infos[nir_scalar_alu_op(x)].output_size ||
       nir_op_infos[nir_scalar_alu_op(x)].input_sizes[0])
      return NULL;
   for (unsigned i = 0; i < count; i++) {
      src[i] = nir_scalar_chase_alu_src(x, i);
      ds[i] = derive(d, src[i], depth);
      if (!ds[i])
         return NULL;
      constant &= is_zero(ds[i]);
   }
   return constant ? nir_imm_float(d->b, 0.0f) : apply_rule(d->b, x, src, ds);
}

static nir_def *
derive_intrinsic(struct derivation *d, nir_scalar x)
{
   switch (nir_scalar_intrinsic_op(x)) {
   case nir_intrinsic_load_uniform:
      return nir_src_is_const(
                nir_instr_as_intrinsic(x.def->parent_instr)->src[0])
                ? nir_imm_float(d->b, 0.0f)
                : NULL;
   case nir_intrinsic_load_input:
   case nir_intrinsic_load_front_face:
      return nir_imm_float(d->b, 0.0f);
   case nir_intrinsic_load_frag_coord:
      return x.comp < 2
                ? nir_imm_float(d->b, x.comp == d->vertical ? 1.0f : 0.0f)
                : NULL;
   default:
      return NULL;
   }
}

/* The derivative where the expression tells it, or NULL. */
static nir_def *
derive(struct derivation *d, nir_scalar x, unsigned depth)
{
   switch (x.def->parent_instr->type) {
   case nir_instr_type_load_const:
   case nir_instr_type_undef:
      return nir_imm_float(d->b, 0.0f);
   case nir_instr_type_alu:
      return depth > 0 ? derive_alu(d, x, depth - 1) : NULL;
   case nir_instr_type_intrinsic:
      return derive_intrinsic(d, x);
   default:
      return NULL;
   }
}

/* The factor of a product that varies by pixel when the other one is uniform;
 * NULL for other x. */
static nir_def *
split_product(struct derivation *d, nir_scalar *x)
{
   if (!nir_scalar_is_alu(*x) || nir_scalar_alu_op(*x) != nir_op_fmul)
      return NULL;
   for (unsigned i = 0; i < 2; i++) {
      const nir_scalar factor = nir_scalar_chase_alu_src(*x, i);
      nir_def *derivative = derive(d, factor, MAX_DEPTH);

      if (derivative && is_zero(derivative)) {
         *x = nir_scalar_chase_alu_src(*x, !i);
         return nir_channel(d->b, factor.def, factor.comp);
      }
   }
   return NULL;
}

static nir_def *
make_difference(struct derivation *d, nir_scalar x)
{
   nir_def *factor = split_product(d, &x);
   nir_def *of = nir_channel(d->b, x.def, x.comp);
   nir_def *difference = d->vertical ? nir_ddy(d->b, of) : nir_ddx(d->b, of);

   return factor ? nir_fmul(d->b, difference, factor) : difference;
}

static bool
differentiate(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   nir_def *component[NIR_MAX_VEC_COMPONENTS];
   struct derivation d = { .b = b };

   if (!is_derivative_op(intr->intrinsic, &d.vertical))
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   for (unsigned c = 0; c < intr->def.num_components; c++) {
      const nir_scalar x = nir_scalar_resolved(intr->src[0].ssa, c);

      component[c] = derive(&d, x, MAX_DEPTH);
      if (!component[c])
         component[c] = make_difference(&d, x);
   }
   nir_def_replace(&intr->def,
                   nir_vec(b, component, intr->def.num_components));
   return true;
}

void
tegra20_differentiate(nir_shader *nir)
{
   if (!tegra20_has_derivatives(nir))
      return;
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, differentiate,
            nir_metadata_control_flow, NULL);
   NIR_PASS(_, nir, nir_copy_prop);
   NIR_PASS(_, nir, nir_opt_constant_folding);
   NIR_PASS(_, nir, nir_opt_cse);
   NIR_PASS(_, nir, nir_opt_dce);
}

static bool
scale(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const unsigned *factor = data;
   bool vertical;

   if (!is_derivative_op(intr->intrinsic, &vertical))
      return false;
   b->cursor = nir_after_instr(&intr->instr);
   nir_def *scaled = nir_fmul_imm(b, &intr->def, *factor);
   nir_def_rewrite_uses_after(&intr->def, scaled, scaled->parent_instr);
   return true;
}

void
tegra20_scale_derivatives(nir_shader *nir, unsigned factor)
{
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, scale,
            nir_metadata_control_flow, &factor);
}

/* --- differences --- */

/* The centre of the even or odd column or row of the quad. */
static nir_def *
centre_in_quad(nir_builder *b, nir_def *position, unsigned axis, bool odd)
{
   nir_def *here = nir_channel(b, position, axis);
   /* 1/4 in even columns, 3/4 in odd ones */
   nir_def *half = nir_ffract(b, nir_fmul_imm(b, here, 0.5));
   nir_def *corner = nir_fadd(b, here, nir_fmul_imm(b, half, -2.0));

   return nir_fadd_imm(b, corner, odd ? 1.5 : 0.5);
}

nir_def *
tegra20_build_look_up_at(nir_builder *b, nir_def *at, unsigned unit)
{
   nir_tex_instr *tex = nir_tex_instr_create(b->shader, 1);

   tex->op = nir_texop_tex;
   tex->sampler_dim = GLSL_SAMPLER_DIM_RECT; /* coordinates in pixels */
   tex->coord_components = 2;
   tex->dest_type = nir_type_float32;
   tex->texture_index = tex->sampler_index = unit;
   tex->src[0] = nir_tex_src_for_ssa(nir_tex_src_coord, at);
   nir_def_init(&tex->instr, &tex->def, 4, 32);
   nir_builder_instr_insert(b, &tex->instr);
   return &tex->def;
}

static nir_def *
look_up_value(nir_builder *b, nir_def *at, unsigned unit)
{
   return nir_channel(b, tegra20_build_look_up_at(b, at, unit), 0);
}

nir_def *
tegra20_build_look_up(nir_builder *b, unsigned unit)
{
   nir_def *position = nir_load_frag_coord(b);

   return look_up_value(b, nir_trim_vector(b, position, 2), unit);
}

static nir_def *
look_up(nir_builder *b, nir_def *position, bool odd_column, bool odd_row,
        unsigned unit)
{
   return look_up_value(b,
                        nir_vec2(b,
                                 centre_in_quad(b, position, 0, odd_column),
                                 centre_in_quad(b, position, 1, odd_row)),
                        unit);
}

nir_def *
tegra20_build_difference(nir_builder *b, const nir_instr *derivative,
                         unsigned unit)
{
   bool vertical = false;
   nir_def *position = nir_load_frag_coord(b);

   is_derivative_op(
      nir_instr_as_intrinsic((nir_instr *)derivative)->intrinsic, &vertical);
   nir_def *base = look_up(b, position, false, !vertical, unit);
   return nir_fsub(b, look_up(b, position, !vertical, true, unit), base);
}
