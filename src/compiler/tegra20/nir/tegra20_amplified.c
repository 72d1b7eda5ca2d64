/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Lookups whose results have to be exact.  The unit delivers the byte n as n
 * / 256, and n + 1 from 128 on (fragment-pipeline.md 2.3), where OpenGL wants
 * n / 255.  The difference is at most half a step of a byte, which is
 * invisible in a colour; but applications also keep numbers in textures:
 * indices, palettes, exponents, depths.  There the error is multiplied, or
 * decides a branch.
 *
 * So the results of a lookup are followed to where they are used, and the
 * program puts right (fs_tex.c) those components whose error is
 *
 *   - multiplied by more than 4,
 *   - rounded to a whole number, or an exponent,
 *   - compared; for less or not less than a constant or a uniform the CPU
 *     moves the limit instead (fs_from_nir.c), for equality with a constant
 *     it has to be one of the 256 bytes, and the low bytes of a packed depth
 *     are less than its fp20 tells apart,
 *   - a part of the coordinates of another lookup.
 *
 * Factors that are not constants are taken for 1: they are colours and lights
 * in most programs.  Logarithms, roots and reciprocals are not followed: they
 * keep the relative error as it is.  Mixtures of several texels, as luminance
 * and differences, are no numbers where they are compared by order with each
 * other, or with the ends of 0..1: each texel has at least a tenth of the
 * weight of any other, so they are not packed.
 *
 * One walk from the end of the program to its start finds the gain of every
 * value: by how much its error is multiplied at most, in units that make the
 * limit the same for all uses.  The cutter (multipass/) hands the gains of
 * what a part stores on to the part.
 */

#include <math.h>

#include "fs_lower_loops.h"
#include "tegra20_amplified.h"
#include "tegra20_derive.h"

#define MAX_GAIN 4.0f
#define EXACT 1e20f /* the limit is below whatever factors leave of it */
/* A displacement of coordinates, as of ripples, is no address: 0.25 of it. */
#define GAIN_OF_COORDINATES 16.0f
/* What is added to more and compared: the error of 1 / 128 is 2^-16 then. */
#define GAIN_OF_COMPARED_TERM (128 * MAX_GAIN)
#define LEAST_WEIGHT 0.1f /* in a mixture, of the largest */

/* The constant that a component of an operation reads. */
static bool
get_constant(const nir_alu_instr *alu, unsigned src, unsigned component,
             float *value)
{
   if (!nir_src_is_const(alu->src[src].src))
      return false;
   *value = nir_src_comp_as_float(alu->src[src].src,
                                  alu->src[src].swizzle[component]);
   return true;
}

/* A comparison of the texel with a constant: do all bytes as they
 * arrive have the same result as exact ones? */
static bool
constant_decides(const nir_alu_instr *alu, unsigned src, unsigned component)
{
   float limit;

   if (!get_constant(alu, !src, component, &limit))
      return false;
   for (unsigned n = 0; n < 256; n++) {
      const float arrives = (n + (n >> 7)) / 256.0f;
      const float byte = n / 255.0f; /* literals have fewer digits */
      const float exact = fabsf(byte - limit) < 1e-6f ? limit : byte;
      if ((arrives < limit) != (exact < limit) ||
          (arrives > limit) != (exact > limit))
         return false;
   }
   return true;
}

/* --- mixtures --- */

/* The texels that a value is a sum of. */
struct mixture {
   unsigned texels;
   float least, most; /* weight of one */
   bool distance; /* it has magnitudes or squares: may be compared with 0 */
};

static struct mixture
mixture_of_source(const nir_alu_instr *alu, unsigned src, unsigned component,
                  struct mixture (*mixtures)[4])
{
   struct mixture m = mixtures[alu->src[src].src.ssa->index]
                              [alu->src[src].swizzle[component]];
   float factor;

   if ((alu->op == nir_op_fmul || alu->op == nir_op_ffma) && src < 2 &&
       get_constant(alu, !src, component, &factor)) {
      m.least *= fabsf(factor);
      m.most *= fabsf(factor);
   }
   return m;
}

/* alone: the result is one of both. */
static void
add_texels(struct mixture *to, struct mixture m, bool alone)
{
   to->distance |= m.distance;
   if (!m.texels)
      return;
   to->least = to->texels ? MIN2(to->least, m.least) : m.least;
   to->most = MAX2(to->most, m.most);
   to->texels =
      alone ? MAX2(to->texels, m.texels) : MIN2(to->texels + m.texels, 2);
}

/* Component c of a result. */
static struct mixture
mix(const nir_alu_instr *alu, unsigned c, struct mixture (*mixtures)[4])
{
   const bool selects = alu->op == nir_op_fcsel ||
                        alu->op == nir_op_fcsel_gt ||
                        alu->op == nir_op_fcsel_ge;
   struct mixture result = { 0 };

   if (nir_op_is_vec(alu->op))
      return mixture_of_source(alu, c, 0, mixtures);
   for (unsigned i = selects; i < nir_op_infos[alu->op].num_inputs; i++) {
      const unsigned size = nir_op_infos[alu->op].input_sizes[i];

      for (unsigned k = size ? 0 : c; k < (size ? size : c + 1); k++)
         add_texels(&result, mixture_of_source(alu, i, k, mixtures),
                    selects || alu->op == nir_op_fmin ||
                       alu->op == nir_op_fmax);
   }
   result.distance |=
      alu->op == nir_op_fabs ||
      (alu->op == nir_op_fmul && nir_alu_srcs_equal(alu, alu, 0, 1));
   return result;
}

static void
find_mixtures(nir_block *block, struct mixture (*mixtures)[4])
{
   nir_foreach_instr (instr, block) {
      const nir_def *def = nir_instr_def(instr);
      const bool is_tex = instr->type == nir_instr_type_tex;

      if (!def)
         continue;
      for (unsigned c = 0; c < MIN2(def->num_components, 4); c++) {
         struct mixture *m = &mixtures[def->index][c];
         if (instr->type == nir_instr_type_alu)
            *m = mix(nir_instr_as_alu(instr), c, mixtures);
         else
            *m = (struct mixture){ is_tex, is_tex, is_tex };
      }
   }
}

/* A comparison by order between mixtures, or whether one is within 0..1. */
static bool
is_coarse(const nir_alu_instr *alu, unsigned src, unsigned component,
          struct mixture (*mixtures)[4])
{
   const struct mixture m = mixture_of_source(alu, src, component, mixtures);
   float limit;

   if ((alu->op != nir_op_slt && alu->op != nir_op_sge) || m.texels < 2 ||
       m.least < LEAST_WEIGHT * m.most)
      return false;
   if (get_constant(alu, !src, component, &limit))
      return limit >= 1 || (limit == 0 && !m.distance);
   return mixture_of_source(alu, !src, component, mixtures).texels > 0;
}

/* --- gains --- */

/* Whether a comparison reads a number that the CPU knows. */
static bool
limit_is_known(nir_src limit)
{
   const nir_intrinsic_instr *load = nir_src_as_intrinsic(limit);

   return nir_src_is_const(limit) ||
          (load && load->intrinsic == nir_intrinsic_load_uniform &&
           nir_src_is_const(load->src[0]));
}

static struct tegra20_gain
scaled(struct tegra20_gain gain, float factor)
{
   return (struct tegra20_gain){
      .texel = gain.texel * factor,
      .value = gain.value * factor,
      .term = gain.term * factor,
      .handed = gain.handed * factor,
   };
}

/* Of an operand; result: the gain of the result. */
static struct tegra20_gain
gain_of_operand(const nir_alu_instr *alu, unsigned src, unsigned component,
                struct tegra20_gain result, struct mixture (*mixtures)[4])
{
   const struct tegra20_gain none = { 1, 1, 1, 1 };
   const struct tegra20_gain all = { EXACT, EXACT, EXACT, EXACT };
   float factor = 1.0f;

   switch (alu->op) {
   case nir_op_ffloor:
   case nir_op_fceil:
   case nir_op_ftrunc:
   case nir_op_fround_even:
   case nir_op_ffract:
   case nir_op_fexp2:
      return all;
   case nir_op_slt:
   case nir_op_sge:
   case nir_op_seq:
   case nir_op_sne: {
      const bool decided = constant_decides(alu, src, component),
                 moved = (alu->op == nir_op_slt || alu->op == nir_op_sge) &&
                         limit_is_known(alu->src[!src].src);
      if (is_coarse(alu, src, component, mixtures))
         return none;
      return (struct tegra20_gain){ .texel = decided || moved ? 1.0f : EXACT,
                                    .value = EXACT,
                                    .term = GAIN_OF_COMPARED_TERM,
                                    .handed = decided ? 1.0f : EXACT };
   }
   case nir_op_fsign:
   case nir_op_flog2:
   case nir_op_frcp:
   case nir_op_frsq:
   case nir_op_fsqrt:
      return none;
   case nir_op_fcsel:
   case nir_op_fcsel_gt:
   case nir_op_fcsel_ge:
      if (src == 0)
         return none;
      break;
   case nir_op_fmul:
   case nir_op_ffma:
      if (src == 2 || !get_constant(alu, !src, component, &factor))
         factor = 1.0f;
      break;
   default:
      break;
   }
   if (alu->op == nir_op_fadd || alu->op == nir_op_ffma ||
       nir_op_infos[alu->op].input_sizes[0] > 1) /* fsum */
      result.value = result.term;
   if (alu->op != nir_op_mov && !nir_op_is_vec(alu->op))
      result.texel = result.handed = result.value;
   return scaled(result, fabsf(factor));
}

static void
raise_gain(struct tegra20_gain *gain, struct tegra20_gain to)
{
   gain->texel = MAX2(gain->texel, to.texel);
   gain->value = MAX2(gain->value, to.value);
   gain->term = MAX2(gain->term, to.term);
   gain->handed = MAX2(gain->handed, to.handed);
}

static void
raise_operands(const nir_alu_instr *alu, struct tegra20_gain (*gains)[4],
               struct mixture (*mixtures)[4])
{
   const nir_op_info *info = &nir_op_infos[alu->op];

   for (unsigned i = 0; i < info->num_inputs; i++) {
      struct tegra20_gain *operand = gains[alu->src[i].src.ssa->index];
      const unsigned count = nir_ssa_alu_instr_src_components(alu, i);

      for (unsigned c = 0; c < count; c++) {
         /* the component of the result: this one, that of the operand of a
          * vector, or the only one */
         const unsigned place = nir_op_is_vec(alu->op)   ? i
                                : info->output_size == 0 ? c
                                                         : 0;
         struct tegra20_gain result = { 1, 1, 1, 1 };

         raise_gain(&result, gains[alu->def.index][place]);
         raise_gain(&operand[alu->src[i].swizzle[c]],
                    gain_of_operand(alu, i, c, result, mixtures));
      }
   }
}

static void
raise_coordinates(const nir_tex_instr *tex, struct tegra20_gain (*gains)[4])
{
   for (unsigned i = 0; i < tex->num_srcs; i++) {
      const float gain =
         tex->src[i].src_type == nir_tex_src_coord ? GAIN_OF_COORDINATES
         : tex->src[i].src_type == nir_tex_src_comparator ? EXACT
                                                          : 1.0f;
      const nir_def *def = tex->src[i].src.ssa;

      for (unsigned c = 0; c < def->num_components; c++)
         raise_gain(&gains[def->index][c],
                    (struct tegra20_gain){ gain, gain, gain, gain });
   }
}

/* Loops carry what they may compare or round in the next iteration.
 * Derivatives multiply an error as much as the value. */
static void
raise_sources(const nir_intrinsic_instr *intr,
              struct tegra20_gain (*gains)[4])
{
   if (fs_is_carried(intr) && intr->intrinsic == nir_intrinsic_store_output) {
      raise_gain(
         &gains[intr->src[0].ssa->index][0],
         (struct tegra20_gain){ EXACT, EXACT, GAIN_OF_COMPARED_TERM, EXACT });
   } else if (tegra20_is_derivative(&intr->instr)) {
      for (unsigned c = 0; c < intr->def.num_components; c++) {
         const float gain = gains[intr->def.index][c].value;
         raise_gain(&gains[intr->src[0].ssa->index][c],
                    (struct tegra20_gain){ gain, gain, gain, gain });
      }
   }
}

static void
mark(nir_tex_instr *tex, const struct tegra20_gain gains[4])
{
   tex->backend_flags = 0;
   for (unsigned c = 0; c < MIN2(tex->def.num_components, 4); c++) {
      if (gains[c].texel > MAX_GAIN)
         tex->backend_flags |= TEGRA20_EXACT_TEXEL << c;
      if (gains[c].value > MAX_GAIN)
         tex->backend_flags |= TEGRA20_EXACT_MIXED << c;
   }
}

void
tegra20_raise_handed(struct tegra20_gain *gain, struct tegra20_gain to)
{
   to.texel = MAX2(to.texel, to.handed);
   raise_gain(gain, to);
}

struct tegra20_gain (*tegra20_new_gains(nir_shader *nir))[4]
{
   return rzalloc_array_size(nir, sizeof(struct tegra20_gain[4]),
                             nir_shader_get_entrypoint(nir)->ssa_alloc);
}

void
tegra20_mark_amplified(nir_shader *nir, struct tegra20_gain (*gains)[4])
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_block *block = nir_start_block(impl);
   struct mixture(*mixtures)[4] =
      rzalloc_array_size(nir, sizeof(struct mixture[4]), impl->ssa_alloc);

   find_mixtures(block, mixtures);
   nir_foreach_instr_reverse (instr, block) {
      if (instr->type == nir_instr_type_alu) {
         raise_operands(nir_instr_as_alu(instr), gains, mixtures);
      } else if (instr->type == nir_instr_type_intrinsic) {
         raise_sources(nir_instr_as_intrinsic(instr), gains);
      } else if (instr->type == nir_instr_type_tex) {
         nir_tex_instr *tex = nir_instr_as_tex(instr);
         mark(tex, gains[tex->def.index]);
         raise_coordinates(tex, gains);
      }
   }
   ralloc_free(mixtures);
}
