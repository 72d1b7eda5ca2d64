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
 * keep the relative error as it is.
 */

#include <math.h>

#include "fs.h"

#define MAX_GAIN 4.0f
/* A displacement of coordinates, as of ripples, is no address. */
#define MAX_GAIN_OF_COORDINATES 0.25f
/* What is added to more and compared: the error is 2^-16 then. */
#define MIN_GAIN_OF_TERM (1 / 128.0f)
#define MAX_USES 256 /* that are looked at: more count as exact ones */

/* A value that depends on the texel. */
struct value {
   float gain; /* of its error */
   bool plain; /* it is the texel */
   bool term;  /* or was added to something */
};

static bool
is_amplified(unsigned *uses, const nir_def *def, unsigned component,
             struct value value);

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
      const float arrives = (n + (n >> 7)) / 256.0f, exact = n / 255.0f;
      if ((arrives < limit) != (exact < limit) ||
          (arrives > limit) != (exact > limit))
         return false;
   }
   return true;
}

/* Whether a comparison reads a number that the CPU knows. */
static bool
limit_is_known(nir_src limit)
{
   const nir_intrinsic_instr *load = nir_src_as_intrinsic(limit);

   return nir_src_is_const(limit) ||
          (load && load->intrinsic == nir_intrinsic_load_uniform &&
           nir_src_is_const(load->src[0]));
}

static bool
is_comparison(nir_op op)
{
   return op == nir_op_slt || op == nir_op_sge || op == nir_op_seq ||
          op == nir_op_sne;
}

/* Whether the operation amplifies the error of its operand.  *value becomes
 * the result. */
static bool
amplifies(const nir_alu_instr *alu, unsigned src, unsigned component,
          struct value *value)
{
   const bool plain = value->plain;
   float factor;

   if (value->term && value->gain < MIN_GAIN_OF_TERM &&
       is_comparison(alu->op))
      return false;
   value->plain &= alu->op == nir_op_mov || nir_op_is_vec(alu->op);
   value->term |= alu->op == nir_op_fadd || alu->op == nir_op_ffma ||
                  nir_op_infos[alu->op].input_sizes[0] > 1; /* fsum */
   switch (alu->op) {
   case nir_op_ffloor:
   case nir_op_fceil:
   case nir_op_ftrunc:
   case nir_op_fround_even:
   case nir_op_ffract:
   case nir_op_fexp2:
      return true;
   case nir_op_slt:
   case nir_op_sge:
      return !plain || !limit_is_known(alu->src[!src].src);
   case nir_op_seq:
   case nir_op_sne:
      return !plain || !constant_decides(alu, src, component);
   case nir_op_fmul:
      if (get_constant(alu, !src, component, &factor))
         value->gain *= fabsf(factor);
      break;
   case nir_op_ffma:
      if (src < 2 && get_constant(alu, !src, component, &factor))
         value->gain *= fabsf(factor);
      break;
   default:
      break;
   }
   return value->gain > MAX_GAIN;
}

/* Whether the error of the operand is one of the result. */
static bool
passes_on(const nir_alu_instr *alu, unsigned src)
{
   switch (alu->op) {
   case nir_op_fcsel:
   case nir_op_fcsel_gt:
   case nir_op_fcsel_ge:
      return src > 0;
   case nir_op_fsign:
   case nir_op_flog2:
   case nir_op_frcp:
   case nir_op_frsq:
   case nir_op_fsqrt:
      return false;
   default:
      return !is_comparison(alu->op);
   }
}

static bool
is_amplified_by_alu(unsigned *uses, const nir_alu_instr *alu, unsigned src,
                    unsigned component, struct value value)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   const unsigned count = nir_ssa_alu_instr_src_components(alu, src);

   for (unsigned c = 0; c < count; c++) {
      struct value result = value;

      if (alu->src[src].swizzle[c] != component)
         continue;
      if (amplifies(alu, src, c, &result))
         return true;
      /* the component of the result: this one, that of the operand of a
       * vector, or the only one */
      const unsigned place = nir_op_is_vec(alu->op)   ? src
                             : info->output_size == 0 ? c
                                                      : 0;
      if (passes_on(alu, src) && is_amplified(uses, &alu->def, place, result))
         return true;
   }
   return false;
}

static bool
is_amplified_by_tex(const nir_tex_instr *tex, const nir_src *use, float gain)
{
   for (unsigned i = 0; i < tex->num_srcs; i++) {
      if (&tex->src[i].src == use)
         return tex->src[i].src_type == nir_tex_src_coord
                   ? gain > MAX_GAIN_OF_COORDINATES
                   : tex->src[i].src_type == nir_tex_src_comparator;
   }
   return false;
}

static bool
is_amplified(unsigned *uses, const nir_def *def, unsigned component,
             struct value value)
{
   nir_foreach_use(use, def)
   {
      const nir_instr *user = nir_src_parent_instr(use);

      if (++*uses > MAX_USES)
         return true;
      if (user->type == nir_instr_type_tex &&
          is_amplified_by_tex(nir_instr_as_tex((nir_instr *)user), use,
                              value.gain))
         return true;
      if (user->type != nir_instr_type_alu)
         continue;
      const nir_alu_instr *alu = nir_instr_as_alu((nir_instr *)user);
      for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++) {
         if (&alu->src[i].src == use &&
             is_amplified_by_alu(uses, alu, i, component, value))
            return true;
      }
   }
   return false;
}

bool
fs_is_amplified(const nir_def *texel, unsigned component, bool plain)
{
   unsigned uses = 0;

   return is_amplified(&uses, texel, component,
                       (struct value){ .gain = 1, .plain = plain });
}
