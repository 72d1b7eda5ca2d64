/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * NIR to nodes.  The shader comes from tegra20_finish_nir(): one block of
 * scalar or vector SSA floats, booleans as 0.0 and 1.0.  Definitions that
 * depend on uniforms and literals only never become nodes: the builder turns
 * them into values for the CPU.
 */

#include <math.h>

#include "nir/tegra20_derive.h"
#include "tegra20/tegra20_hw.h"

#include "fs.h"

struct translation {
   struct fs_program *p;
   const nir_shader *nir;
   struct fs_src (
      *defs)[4]; /* per SSA index; vectors have at most four components */
   struct fs_outputs *outputs;
   struct fs_src rcp_w; /* 1 / w_clip, or FS_SRC_NONE */
};

/* To -pi..pi (assumption A54): frc(x / 2pi + 1/2) * 2pi - pi. */
static struct fs_src
scaled_down_angle(struct fs_program *p, struct fs_src x)
{
   const struct fs_src turns =
      fs_mad(p, x, fs_imm(p, 0.5 / M_PI), fs_imm(p, 0.5f));
   return fs_mad(p, fs_sfu(p, FS_SFU_FRC, turns), fs_imm(p, 2.0 * M_PI),
                 fs_imm(p, -M_PI));
}

static struct fs_src
two_step(struct fs_program *p, enum fs_sfu first, enum fs_sfu second,
         struct fs_src x)
{
   return fs_sfu(p, second, fs_sfu(p, first, x));
}

static bool
all_const(const struct fs_src *src, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      if (!fs_is_const(src[i]))
         return false;
   }
   return count <= 3;
}

/*
 * The unit delivers the byte n as n / 256, and (n + 1) / 256 from 128 on.  A
 * comparison with a limit that the CPU knows gives the result of n / 255 when
 * the limit is the unit's value of the first byte that is not less, or of the
 * last one that is not greater.
 */
static void
move_limit(struct fs_program *p, struct fs_src texel, struct fs_src *limit,
           bool up)
{
   const float rounding = 1.0f / 1024; /* of the limit times 255 */

   if (texel.kind != FS_SRC_NODE || texel.mods || !fs_is_const(*limit) ||
       p->nodes[texel.index].op != FS_OP_PART ||
       p->nodes[p->nodes[texel.index].src[0].index].op != FS_OP_TEX)
      return;
   struct fs_src n = fs_mul(p, *limit, fs_imm(p, up ? -255.0f : 255.0f));

   n = fs_floor(p, fs_add(p, n, fs_imm(p, rounding)));
   n = up ? fs_mul(p, n, fs_imm(p, -1.0f)) : n;
   n = fs_add(p, n, fs_greater_equal(p, n, fs_imm(p, 128.0f)));
   *limit = fs_mul(p, n, fs_imm(p, 1.0f / 256));
}

static struct fs_src
translate_comparison(struct fs_program *p, nir_op op, struct fs_src a,
                     struct fs_src b)
{
   move_limit(p, a, &b, true);
   move_limit(p, b, &a, false);
   return op == nir_op_slt ? fs_less(p, a, b) : fs_greater_equal(p, a, b);
}

static struct fs_src
translate_alu_op(struct translation *t, nir_op op, const struct fs_src *s)
{
   struct fs_program *p = t->p;

   if (op != nir_op_mov && all_const(s, nir_op_infos[op].num_inputs))
      return fs_fold(p, op, nir_op_infos[op].num_inputs, s);

   switch (op) {
   case nir_op_mov:
      return s[0];
   case nir_op_fneg:
      return fs_neg(s[0]);
   case nir_op_fabs:
      return fs_abs(p, s[0]);
   case nir_op_fsat:
      return fs_sat(p, s[0]);
   case nir_op_fadd:
      return fs_add(p, s[0], s[1]);
   case nir_op_fsub:
      return fs_add(p, s[0], fs_neg(s[1]));
   case nir_op_fmul:
      return fs_mul(p, s[0], s[1]);
   case nir_op_ffma:
      return fs_mad(p, s[0], s[1], s[2]);
   case nir_op_flrp:
      return fs_lerp(p, s[0], s[1], s[2]);
   case nir_op_fmin:
      return fs_min(p, s[0], s[1]);
   case nir_op_fmax:
      return fs_max(p, s[0], s[1]);
   case nir_op_frcp:
      return fs_rcp(p, s[0]);
   case nir_op_fdiv:
      return fs_mul(p, s[0], fs_rcp(p, s[1]));
   case nir_op_frsq:
      return fs_sfu(p, FS_SFU_RSQ, s[0]);
   case nir_op_fsqrt:
      return fs_sfu(p, FS_SFU_SQRT, s[0]);
   case nir_op_flog2:
      return fs_log2(p, s[0]);
   case nir_op_fexp2:
      return two_step(p, FS_SFU_PRE_EX2, FS_SFU_EX2, s[0]);
   case nir_op_fpow:
      return two_step(p, FS_SFU_PRE_EX2, FS_SFU_EX2,
                      fs_mul(p, fs_log2(p, s[0]), s[1]));
   case nir_op_fsin:
      return two_step(p, FS_SFU_PRE_SIN, FS_SFU_SIN,
                      scaled_down_angle(p, s[0]));
   case nir_op_fcos:
      return two_step(p, FS_SFU_PRE_COS, FS_SFU_COS,
                      scaled_down_angle(p, s[0]));
   case nir_op_ffract:
      return fs_sfu(p, FS_SFU_FRC, s[0]);
   case nir_op_ffloor:
      return fs_floor(p, s[0]);
   case nir_op_fceil:
      return fs_neg(fs_floor(p, fs_neg(s[0])));
   case nir_op_ftrunc: {
      const struct fs_src magnitude = fs_floor(p, fs_abs(p, s[0]));
      return fs_select_negative(p, s[0], fs_neg(magnitude), magnitude);
   }
   case nir_op_fround_even:
      return fs_floor(p, fs_add(p, s[0], fs_imm(p, 0.5f)));
   case nir_op_fsign:
      return fs_select_negative(p, s[0], fs_neg(fs_one()),
                                fs_less(p, fs_zero(), s[0]));
   case nir_op_slt:
   case nir_op_sge:
      return translate_comparison(p, op, s[0], s[1]);
   case nir_op_seq:
      return fs_equal(p, s[0], s[1]);
   case nir_op_sne:
      return fs_not(p, fs_equal(p, s[0], s[1]));
   case nir_op_fcsel:
      return fs_select(p, s[0], s[1], s[2]);
   case nir_op_fcsel_gt:
      return fs_select_negative(p, fs_neg(s[0]), s[1], s[2]);
   case nir_op_fcsel_ge:
      return fs_select_negative(p, s[0], s[2], s[1]);
   default:
      fs_error(p,
               "the fragment program uses the operation %s, which the chip "
               "does not have",
               nir_op_infos[op].name);
      return fs_zero();
   }
}

/* What the front end leaves of dot products. */
static struct fs_src
translate_sum(struct translation *t, const nir_alu_instr *alu)
{
   const struct fs_src *terms = t->defs[alu->src[0].src.ssa->index];
   struct fs_src sum = fs_zero();

   for (unsigned c = 0; c < nir_op_infos[alu->op].input_sizes[0]; c++)
      sum = fs_add(t->p, terms[alu->src[0].swizzle[c]], sum);
   return sum;
}

static void
translate_alu(struct translation *t, const nir_alu_instr *alu)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   struct fs_src *dest = t->defs[alu->def.index];

   if (info->num_inputs == 1 && info->input_sizes[0] > 1) {
      dest[0] = translate_sum(t, alu);
      return;
   }
   if (nir_op_is_vec(alu->op)) {
      for (unsigned c = 0; c < alu->def.num_components; c++)
         dest[c] =
            t->defs[alu->src[c].src.ssa->index][alu->src[c].swizzle[0]];
      return;
   }
   for (unsigned c = 0; c < alu->def.num_components; c++) {
      struct fs_src src[NIR_MAX_VEC_COMPONENTS];
      for (unsigned i = 0; i < info->num_inputs; i++)
         src[i] = t->defs[alu->src[i].src.ssa->index][alu->src[i].swizzle[c]];
      dest[c] = translate_alu_op(t, alu->op, src);
   }
}

/* --- inputs --- */

/* 1 / w_clip.  The MFU delivers w_clip (fragment-pipeline.md 4.3). */
static struct fs_src
rcp_w(struct translation *t)
{
   if (t->rcp_w.kind == FS_SRC_NONE) {
      unsigned index;
      fs_add_node(t->p, FS_OP_WCLIP, &index);
      t->rcp_w = fs_sfu(t->p, FS_SFU_RCP, fs_node_src(index));
   }
   return t->rcp_w;
}

static struct fs_src
frag_coord(struct translation *t, unsigned component)
{
   struct fs_program *p = t->p;

   switch (component) {
   case 0:
   case 1:
      /* position registers: 8192 + column or row, or without the 8192
       * (assumption A51); pixel centres are at one half */
      return fs_add(
         p, fs_reg(component ? FS_REG_POSY : FS_REG_POSX),
         fs_imm(p, TEGRA20_HW_IS(POSITION_ORIGIN, 0) ? 0.5f : -8191.5f));
   case 2: {
      /* assumption A40: clip z as a varying */
      const struct fs_src ndc =
         fs_mul(p, fs_interp(p, VARYING_SLOT_POS, 2, false, false), rcp_w(t));
      return fs_mad(p, ndc, fs_param(p, TEGRA20_PARAM_VIEWPORT_SCALE + 2),
                    fs_param(p, TEGRA20_PARAM_VIEWPORT_BIAS + 2));
   }
   default:
      return rcp_w(t);
   }
}

/* Assumption A50: positive for front faces. */
static struct fs_src
front_face(struct fs_program *p)
{
   return fs_less(p, fs_zero(), fs_reg(FS_REG_FACE));
}

static bool
input_is_lowp(const struct translation *t, unsigned slot)
{
   nir_foreach_variable_with_modes (var, t->nir, nir_var_shader_in) {
      const unsigned first = var->data.location;
      if (slot >= first &&
          slot < first + glsl_count_attribute_slots(var->type, false))
         return var->data.precision == GLSL_PRECISION_LOW;
   }
   return false;
}

static void
translate_input(struct translation *t, const nir_intrinsic_instr *intr,
                bool flat)
{
   struct fs_src *dest = t->defs[intr->def.index];
   const unsigned slot = nir_intrinsic_io_semantics(intr).location;
   const unsigned first = nir_intrinsic_component(intr);
   const nir_src *offset = nir_get_io_offset_src((nir_intrinsic_instr *)intr);

   if (!nir_src_is_const(*offset)) {
      fs_error(t->p, "varying arrays with dynamic indices must be unrolled");
      return;
   }
   const unsigned real_slot = slot + (unsigned)nir_src_as_float(*offset);
   for (unsigned c = 0; c < intr->def.num_components; c++) {
      if (real_slot == VARYING_SLOT_POS)
         dest[c] = frag_coord(t, first + c);
      else if (real_slot == VARYING_SLOT_FACE)
         dest[c] = front_face(t->p);
      else
         dest[c] = fs_interp(t->p, real_slot, first + c, flat,
                             input_is_lowp(t, real_slot));
   }
}

/* --- uniforms --- */

static struct fs_src
uniform(struct fs_program *p, unsigned word)
{
   return fs_src_of_value(p,
                          fs_value(p, TEGRA20_VALUE_UNIFORM, word, 0, NULL));
}

/* tegra20_finish_nir() leaves no places that are computed. */
static void
translate_uniform(struct translation *t, const nir_intrinsic_instr *intr)
{
   struct fs_src *dest = t->defs[intr->def.index];
   const unsigned base = nir_intrinsic_base(intr);
   float offset = 0;

   if (!fs_imm_value(t->p, t->defs[intr->src[0].ssa->index][0], &offset))
      fs_error(t->p, "a uniform is indexed at run time");
   for (unsigned c = 0; c < intr->def.num_components; c++)
      dest[c] = uniform(t->p, 4 * (base + (unsigned)offset) + c);
}

/* --- outputs --- */

static void
translate_output(struct translation *t, const nir_intrinsic_instr *intr)
{
   struct fs_program *p = t->p;
   const nir_io_semantics sem = nir_intrinsic_io_semantics(intr);
   const unsigned first = nir_intrinsic_component(intr);
   unsigned begin, end;

   switch (sem.location) {
   case FRAG_RESULT_COLOR:
      begin = 0;
      end = MAX2(p->key->nr_cbufs, 1);
      break;
   case FRAG_RESULT_DEPTH:
      fs_error(p, "gl_FragDepth is written, but the chip takes the depth "
                  "from the rasteriser only");
      return;
   case FRAG_RESULT_STENCIL:
   case FRAG_RESULT_SAMPLE_MASK:
      fs_error(p,
               "stencil and sample mask outputs do not exist on this chip");
      return;
   default:
      if (sem.dual_source_blend_index) {
         fs_error(p, "blending with two source colours is not supported");
         return;
      }
      begin = sem.location - FRAG_RESULT_DATA0;
      end = begin + 1;
      break;
   }
   const bool all = sem.location == FRAG_RESULT_COLOR;

   for (unsigned rt = begin; rt < MIN2(end, TEGRA20_MAX_CBUFS); rt++) {
      /* gl_FragColor is for the application's targets */
      if (all && (t->outputs->own[rt] || fs_holds_value(&p->key->rt[rt])))
         continue;
      t->outputs->own[rt] |= !all;
      t->outputs->written[rt] = true;
      u_foreach_bit (c, nir_intrinsic_write_mask(intr)) {
         if (first + c < 4)
            t->outputs->color[rt][first + c] =
               t->defs[intr->src[0].ssa->index][c];
      }
   }
}

/* Framebuffer fetch: the colour before this fragment, in the order of the
 * API. */
static void
translate_load_output(struct translation *t, const nir_intrinsic_instr *intr)
{
   const unsigned location = nir_intrinsic_io_semantics(intr).location;
   const unsigned rt =
      location >= FRAG_RESULT_DATA0 ? location - FRAG_RESULT_DATA0 : 0;

   for (unsigned c = 0; c < intr->def.num_components; c++)
      t->defs[intr->def.index][c] =
         fs_fetch_component(t->p, rt, nir_intrinsic_component(intr) + c);
}

static void
translate_intrinsic(struct translation *t, const nir_intrinsic_instr *intr)
{
   struct fs_program *p = t->p;
   struct fs_src *dest = nir_intrinsic_infos[intr->intrinsic].has_dest
                            ? t->defs[intr->def.index]
                            : NULL;

   if (tegra20_is_derivative(&intr->instr)) {
      fs_error(p, "it has derivatives, which are differences between pixels "
                  "that an earlier part has drawn");
      return;
   }
   switch (intr->intrinsic) {
   case nir_intrinsic_load_barycentric_pixel:
   case nir_intrinsic_load_barycentric_centroid:
   case nir_intrinsic_load_barycentric_sample:
      break;
   case nir_intrinsic_load_interpolated_input:
      translate_input(t, intr,
                      nir_intrinsic_interp_mode(nir_instr_as_intrinsic(
                         intr->src[0].ssa->parent_instr)) ==
                         INTERP_MODE_FLAT);
      break;
   case nir_intrinsic_load_input:
      translate_input(t, intr, true);
      break;
   case nir_intrinsic_load_frag_coord:
      for (unsigned c = 0; c < intr->def.num_components; c++)
         dest[c] = frag_coord(t, c);
      break;
   case nir_intrinsic_load_front_face:
      dest[0] = front_face(p);
      break;
   case nir_intrinsic_load_point_coord:
      for (unsigned c = 0; c < 2; c++)
         dest[c] = fs_interp(p, VARYING_SLOT_PNTC, c, false, false);
      break;
   case nir_intrinsic_load_uniform:
      translate_uniform(t, intr);
      break;
   case nir_intrinsic_load_output:
      translate_load_output(t, intr);
      break;
   case nir_intrinsic_store_output:
      translate_output(t, intr);
      break;
   case nir_intrinsic_barrier: /* fs_lower_loops.h */
      fs_error(p,
               "the number of iterations of a loop depends on the pixel or "
               "is too large for copies, and the chip has no branches");
      break;
   case nir_intrinsic_terminate:
   case nir_intrinsic_demote:
      fs_kill_if(p, fs_one());
      break;
   case nir_intrinsic_terminate_if:
   case nir_intrinsic_demote_if:
      fs_kill_if(p, t->defs[intr->src[0].ssa->index][0]);
      break;
   default:
      fs_error(p,
               "the fragment program uses %s, which the chip does not have",
               nir_intrinsic_infos[intr->intrinsic].name);
      break;
   }
}

static void
translate_instr(struct translation *t, const nir_instr *instr)
{
   switch (instr->type) {
   case nir_instr_type_alu:
      translate_alu(t, nir_instr_as_alu((nir_instr *)instr));
      break;
   case nir_instr_type_intrinsic:
      translate_intrinsic(t, nir_instr_as_intrinsic((nir_instr *)instr));
      break;
   case nir_instr_type_load_const: {
      const nir_load_const_instr *load =
         nir_instr_as_load_const((nir_instr *)instr);
      for (unsigned c = 0; c < load->def.num_components; c++)
         t->defs[load->def.index][c] =
            load->def.bit_size == 1
               ? (load->value[c].b ? fs_one() : fs_zero())
               : fs_imm(t->p, load->value[c].f32);
      break;
   }
   case nir_instr_type_undef: {
      const nir_undef_instr *undef = nir_instr_as_undef((nir_instr *)instr);
      for (unsigned c = 0; c < MIN2(undef->def.num_components, 4); c++)
         t->defs[undef->def.index][c] = fs_zero();
      break;
   }
   case nir_instr_type_tex:
      fs_translate_tex(t->p, nir_instr_as_tex((nir_instr *)instr), t->defs);
      break;
   default:
      fs_error(t->p, "the fragment program has control flow that could not "
                     "be made straight");
      break;
   }
}

bool
fs_from_nir(struct fs_program *p, const nir_shader *nir,
            struct fs_outputs *outputs)
{
   nir_function_impl *impl = nir_shader_get_entrypoint((nir_shader *)nir);
   struct translation t = {
      .p = p,
      .nir = nir,
      .defs =
         rzalloc_array_size(p, sizeof(struct fs_src[4]), impl->ssa_alloc),
      .outputs = outputs,
   };

   if (!exec_list_is_singular(&impl->body)) {
      fs_error(p, "the fragment program has control flow that could not be "
                  "made straight");
      return false;
   }
   p->unused_units = ~nir->info.textures_used[0];
   for (unsigned rt = 0; rt < TEGRA20_MAX_CBUFS; rt++) {
      for (unsigned c = 0; c < 4; c++)
         outputs->color[rt][c] = c == 3 ? fs_one() : fs_zero();
   }
   nir_foreach_instr (instr, nir_start_block(impl)) {
      translate_instr(&t, instr);
      if (p->error)
         return false;
   }
   return true;
}
