/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Additions of the driver to a fragment shader as NIR, because the state
 * tracker makes none.  The shader is finalized (tegra20_finalize_nir()): I/O
 * is intrinsics.
 */

#include "compiler/nir/nir_builder.h"
#include "util/u_math.h"

#include "tegra20_context.h"
#include "tegra20_mesa.h"
#include "tegra20_program.h"

/* One step of an A8 pixel: 1/256 in the fragment pipeline's fixed point. */
#define COUNT_STEP (1.0f / 256)

static void
store_color(nir_builder *b, gl_frag_result location, nir_def *color)
{
   nir_store_output(
      b, color, nir_imm_int(b, 0), .base = b->shader->num_outputs++,
      .range = 1, .write_mask = 0xf, .src_type = nir_type_float32,
      .io_semantics.location = location, .io_semantics.num_slots = 1);
   b->shader->info.outputs_written |= BITFIELD64_BIT(location);
}

static bool
is_depth_store(const nir_intrinsic_instr *intr)
{
   return nir_intrinsic_io_semantics(intr).location == FRAG_RESULT_DEPTH;
}

/* data: whether stores of depth are removed, or all others. */
static bool
remove_store(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_store_output ||
       is_depth_store(intr) != *(const bool *)data)
      return false;
   nir_instr_remove(&intr->instr);
   return true;
}

static void
remove_stores(nir_shader *nir, bool depth)
{
   const uint64_t depth_bit = BITFIELD64_BIT(FRAG_RESULT_DEPTH);

   NIR_PASS(_, nir, nir_shader_intrinsics_pass, remove_store,
            nir_metadata_control_flow, &depth);
   nir->info.outputs_written &= depth ? ~depth_bit : depth_bit;
}

void
tegra20_nir_drop_depth(nir_shader *nir)
{
   remove_stores(nir, true);
}

void
tegra20_nir_count_samples(nir_shader *nir)
{
   nir_builder b =
      nir_builder_at(nir_after_impl(nir_shader_get_entrypoint(nir)));

   /* an output with a number: gl_FragColor is for all other targets */
   store_color(&b, FRAG_RESULT_DATA0 + TEGRA20_COUNTER_CBUF,
               nir_replicate(&b, nir_imm_float(&b, COUNT_STEP), 4));
   nir_metadata_preserve(b.impl, nir_metadata_control_flow);
}

/* A byte as the store converts it: its code and, from 128 on, one more, in
 * units of 1/256. */
static nir_def *
build_byte(nir_builder *b, nir_def *byte)
{
   nir_def *upper = nir_b2f32(b, nir_fge_imm(b, byte, 128.0f));
   return nir_fmul_imm(b, nir_fadd(b, byte, upper), 1.0f / 256);
}

static bool
replace_depth_store(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_store_output || !is_depth_store(intr))
      return false;

   b->cursor = nir_before_instr(&intr->instr);
   /* 13 bits of mantissa do not hold 65535, so the largest depth is the limit
    * of both bytes; a store saturates */
   nir_def *depth = nir_channel(b, intr->src[0].ssa, 0);
   nir_def *z = nir_fmul_imm(b, nir_fsat(b, depth), 256.0f);
   nir_def *high = nir_fmin(b, nir_ffloor(b, z), nir_imm_float(b, 255.0f));
   nir_def *low = nir_fmul_imm(b, nir_fsub(b, z, high), 256.0f);

   store_color(b, FRAG_RESULT_COLOR,
               nir_vec4(b, build_byte(b, high), build_byte(b, low),
                        nir_imm_float(b, 1.0f),
                        nir_b2f32(b, nir_load_front_face(b, 1))));
   nir_instr_remove(&intr->instr);
   return true;
}

void
tegra20_nir_store_depth_as_color(nir_shader *nir)
{
   remove_stores(nir, false);
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, replace_depth_store,
            nir_metadata_control_flow, NULL);
   nir->info.outputs_written = BITFIELD64_BIT(FRAG_RESULT_COLOR);
}

static bool
replace_face(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_load_front_face)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   nir_def_replace(&intr->def, nir_imm_bool(b, *(const bool *)data));
   return true;
}

void
tegra20_nir_fix_face(nir_shader *nir, bool front)
{
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, replace_face,
            nir_metadata_control_flow, &front);
   BITSET_CLEAR(nir->info.system_values_read, SYSTEM_VALUE_FRONT_FACE);
}

void
tegra20_nir_store_coverage(nir_shader *nir)
{
   remove_stores(nir, false);
   remove_stores(nir, true);

   nir_builder b =
      nir_builder_at(nir_after_impl(nir_shader_get_entrypoint(nir)));
   store_color(&b, FRAG_RESULT_COLOR, nir_imm_vec4(&b, 1, 1, 1, 1));
   nir_metadata_preserve(b.impl, nir_metadata_control_flow);
}

void
tegra20_nir_clip(nir_shader *nir, unsigned planes)
{
   nir_builder b =
      nir_builder_at(nir_before_impl(nir_shader_get_entrypoint(nir)));
   nir_def *outside = nir_imm_false(&b);
   nir_def *place =
      nir_load_barycentric_pixel(&b, 32, .interp_mode = INTERP_MODE_SMOOTH);

   u_foreach_bit (i, planes) {
      nir_def *distance = nir_load_interpolated_input(
         &b, 1, 32, place, nir_imm_int(&b, 0),
         .base = nir->num_inputs + i / 4, .component = i % 4,
         .dest_type = nir_type_float32,
         .io_semantics.location = VARYING_SLOT_CLIP_DIST0 + i / 4,
         .io_semantics.num_slots = 1);
      outside = nir_ior(&b, outside, nir_flt_imm(&b, distance, 0.0f));
   }
   nir_discard_if(&b, outside);
   nir->num_inputs += DIV_ROUND_UP(util_last_bit(planes), 4);
   nir->info.fs.uses_discard = true;
   nir_metadata_preserve(b.impl, nir_metadata_control_flow);
}

/* --- programs that do not fit --- */

/*
 * Fallback programs for those that do not fit the chip.  Many applications
 * compile programs that they use rarely or never, and end when one is
 * refused, as an X server with glamor does at its start.
 */

static void
store_zero(nir_builder *b, nir_deref_instr *deref)
{
   const struct glsl_type *type = deref->type;

   if (glsl_type_is_vector_or_scalar(type)) {
      nir_store_deref(b, deref,
                      nir_imm_zero(b, glsl_get_vector_elements(type),
                                   glsl_get_bit_size(type)),
                      BITFIELD_MASK(glsl_get_vector_elements(type)));
      return;
   }
   for (unsigned i = 0; i < glsl_get_length(type); i++) {
      store_zero(b, glsl_type_is_struct_or_ifc(type)
                       ? nir_build_deref_struct(b, deref, i)
                       : nir_build_deref_array_imm(b, deref, i));
   }
}

static void
store_varyings(nir_builder *b, const nir_shader *original)
{
   nir_foreach_shader_out_variable (var, original) {
      nir_variable *copy = nir_variable_clone(var, b->shader);
      nir_shader_add_variable(b->shader, copy);
      if (var->data.location == VARYING_SLOT_POS)
         nir_store_var(b, copy, nir_imm_vec4(b, 0, 0, 0, 1), 0xf);
      else
         store_zero(b, nir_build_deref_var(b, copy));
   }
   b->shader->num_outputs = original->num_outputs;
}

static void
store_grey(nir_builder *b)
{
   nir_variable *color = nir_variable_create(b->shader, nir_var_shader_out,
                                             glsl_vec4_type(), "dummy color");
   color->data.location = FRAG_RESULT_COLOR;
   nir_store_var(b, color, nir_imm_vec4(b, 0.5, 0.5, 0.5, 1), 0xf);
   b->shader->num_outputs = 1;
}

nir_shader *
tegra20_nir_fallback(const nir_shader *original)
{
   nir_builder b = nir_builder_init_simple_shader(original->info.stage,
                                                  original->options, "dummy");

   if (original->info.stage == MESA_SHADER_VERTEX)
      store_varyings(&b, original);
   else
      store_grey(&b);
   nir_shader_gather_info(b.shader, b.impl);
   return b.shader;
}

/* --- points as triangles --- */

/*
 * Points whose size the vertex program computes, and point sprites (A27):
 * neither has known registers.  Each point is drawn as two triangles.  Its
 * vertex is fetched six times, together with a generated attribute that says
 * which corner it is; this pass makes the vertex program move the position
 * there and write the coordinate inside the point.
 *
 * Points of programs with derivatives are drawn so, too: the passes whose
 * values are looked up from other pixels draw them with a margin, in which
 * the coordinate goes on.
 */

/* Components of the generated uniforms, and of their CPU side
 * tegra20_point_uniforms(). */
enum {
   POINT_RCP_SCALE_X, /* clip space per pixel, times w */
   POINT_RCP_SCALE_Y,
   POINT_SIZE,   /* when the program does not write one */
   POINT_T_SIGN, /* +1: t grows downwards in memory */
   POINT_MARGIN, /* pixels, on each side */
};

#define MAX_POINT_SIZE 256.0f

/* Two pixels of a quad are up to the root of two apart; the rest allows for
 * rounding of positions to sixteenths. */
#define MARGIN 2.0f

static nir_intrinsic_instr *
tegra20_find_store(nir_block *block, gl_varying_slot slot)
{
   nir_foreach_instr_reverse (instr, block) {
      if (instr->type != nir_instr_type_intrinsic)
         continue;
      nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
      if (intr->intrinsic == nir_intrinsic_store_output &&
          nir_intrinsic_io_semantics(intr).location == slot)
         return intr;
   }
   return NULL;
}

/* A point whose centre is outside the view volume is not drawn: its triangles
 * get no area.  Booleans are floats here. */
static nir_def *
tegra20_if_inside(nir_builder *b, nir_def *pos, nir_def *half)
{
   nir_def *w = nir_channel(b, pos, 3);

   for (unsigned c = 0; c < 3; c++)
      half = nir_fmul(b, half,
                      nir_sge(b, w, nir_fabs(b, nir_channel(b, pos, c))));
   return half;
}

static nir_def *
tegra20_point_size(nir_builder *b, nir_block *block, nir_def *uniform)
{
   nir_intrinsic_instr *psiz = tegra20_find_store(block, VARYING_SLOT_PSIZ);

   if (!psiz)
      return nir_channel(b, uniform, POINT_SIZE);
   nir_def *size = nir_channel(b, psiz->src[0].ssa, 0);
   nir_instr_remove(&psiz->instr);
   return nir_fmin(b, nir_fmax(b, size, nir_imm_float(b, 1.0f)),
                   nir_imm_float(b, MAX_POINT_SIZE));
}

void
tegra20_nir_expand_points(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_block *block = nir_impl_last_block(impl);
   nir_intrinsic_instr *position =
      tegra20_find_store(block, VARYING_SLOT_POS);
   const unsigned uniform_slot = nir->num_uniforms;

   nir->num_uniforms += TEGRA20_POINT_UNIFORMS / 4;

   nir_builder b = nir_builder_at(nir_after_block_before_jump(block));
   nir_def *zero = nir_imm_int(&b, 0);
   nir_def *uniform =
      nir_load_uniform(&b, 4, 32, zero, .base = uniform_slot, .range = 1,
                       .dest_type = nir_type_float32);
   nir_def *margin =
      nir_load_uniform(&b, 1, 32, zero, .base = uniform_slot + 1, .range = 1,
                       .dest_type = nir_type_float32);
   nir_def *corner =
      nir_load_input(&b, 2, 32, zero, .base = nir->num_inputs++,
                     .dest_type = nir_type_float32,
                     .io_semantics.location = VERT_ATTRIB_GENERIC15,
                     .io_semantics.num_slots = 1);
   nir_def *half =
      nir_fmul_imm(&b, tegra20_point_size(&b, block, uniform), 0.5f);
   nir_def *pos = position->src[0].ssa;
   nir_def *w = nir_channel(&b, pos, 3);
   nir_def *drawn = nir_fadd(&b, half, margin);
   /* where the corner is, in units of the point without a margin */
   nir_def *place =
      nir_fmul(&b, corner, nir_fmul(&b, drawn, nir_frcp(&b, half)));
   nir_def *xy[2];

   drawn = tegra20_if_inside(&b, pos, drawn);

   for (unsigned c = 0; c < 2; c++) {
      nir_def *offset = nir_fmul(
         &b, nir_fmul(&b, nir_channel(&b, corner, c), drawn),
         nir_fmul(&b, nir_channel(&b, uniform, POINT_RCP_SCALE_X + c), w));
      xy[c] = nir_fadd(&b, nir_channel(&b, pos, c), offset);
   }
   nir_store_output(&b,
                    nir_vec4(&b, xy[0], xy[1], nir_channel(&b, pos, 2), w),
                    zero, .base = nir_intrinsic_base(position), .range = 1,
                    .write_mask = 0xf, .src_type = nir_type_float32,
                    .io_semantics = nir_intrinsic_io_semantics(position));
   nir_instr_remove(&position->instr);

   nir_def *s = nir_fadd_imm(
      &b, nir_fmul_imm(&b, nir_channel(&b, place, 0), 0.5f), 0.5f);
   nir_def *t = nir_fmul(&b, nir_channel(&b, place, 1),
                         nir_channel(&b, uniform, POINT_T_SIGN));
   t = nir_fadd_imm(&b, nir_fmul_imm(&b, t, 0.5f), 0.5f);
   nir_store_output(
      &b,
      nir_vec4(&b, s, t, nir_imm_float(&b, 0.0f), nir_imm_float(&b, 1.0f)),
      zero, .base = nir->num_outputs++, .range = 1, .write_mask = 0xf,
      .src_type = nir_type_float32,
      .io_semantics.location = VARYING_SLOT_PNTC,
      .io_semantics.num_slots = 1);
   nir->info.outputs_written |= VARYING_BIT_PNTC;
   nir_metadata_preserve(impl, nir_metadata_control_flow);
}

void
tegra20_point_uniforms(const struct tegra20_context *ctx, bool with_margin,
                       float uniforms[TEGRA20_POINT_UNIFORMS])
{
   bool lower_left =
      ctx->rasterizer->base.sprite_coord_mode == PIPE_SPRITE_COORD_LOWER_LEFT;

   memset(uniforms, 0, TEGRA20_POINT_UNIFORMS * sizeof(*uniforms));
   /* the viewport's scale is half its size; its sign carries over, so that
    * corners are those in memory */
   uniforms[POINT_RCP_SCALE_X] =
      ctx->viewport.scale[0] ? ctx->scale / ctx->viewport.scale[0] : 0;
   uniforms[POINT_RCP_SCALE_Y] =
      ctx->viewport.scale[1] ? ctx->scale / ctx->viewport.scale[1] : 0;
   uniforms[POINT_SIZE] = ctx->rasterizer->point_size;
   uniforms[POINT_T_SIGN] = lower_left ? -1 : 1;
   uniforms[POINT_MARGIN] = with_margin ? MARGIN / ctx->scale : 0;
}
