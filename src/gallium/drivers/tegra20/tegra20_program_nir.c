/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the driver adds to a fragment shader as NIR, because the state tracker
 * does not.  The shader is finalized (tegra20_finalize_nir()): I/O is
 * intrinsics.
 */

#include "compiler/nir/nir_builder.h"
#include "util/u_math.h"

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
