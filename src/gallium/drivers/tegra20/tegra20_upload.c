/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment programs as words for the stream.
 *
 * Blending, masks and logic operations are code, so applications switch
 * between variants as often as other drivers change blend registers.  Every
 * variant is therefore packed once, in the order of fragment-pipeline.md 1.7;
 * a switch copies it, and constants that are parts of packets are written
 * into the packed words when they change.
 */

#include <string.h>

#include "util/ralloc.h"

#include "tegra20/gr3d_regs.h"
#include "tegra20/host1x_stream.h"

#include "tegra20_cost.h"
#include "tegra20_pack.h"
#include "tegra20_program.h"

static uint32_t *
port(uint32_t *p, unsigned offset, const void *words, unsigned count)
{
   *p++ = host1x_nonincr(offset, count);
   memcpy(p, words, count * 4);
   return p + count;
}

static uint32_t *
reg(uint32_t *p, unsigned offset, uint32_t value)
{
   if (value <= 0xffff) {
      *p++ = host1x_imm(offset, value);
   } else {
      *p++ = host1x_incr(offset, 1);
      *p++ = value;
   }
   return p;
}

static void
prepare_setup(struct tegra20_fs_variant *v)
{
   const struct tegra20_fs *fs = v->program;
   const struct tegra20_chip_info *chip = &tegra20_chips[fs->chip];
   /* constant in every known stream */
   const uint32_t engine_inst = 0x20006000;
   uint32_t *p = v->setup;

   p = reg(p, GR3D_UNK_503, 0);
   p = reg(p, GR3D_FP_PSEQ_QUAD_ID, 0);
   p = reg(
      p, GR3D_FP_PSEQ_DW_CFG,
      GR3D_FP_PSEQ_DW_CFG_PSEQ_TO_DW_EXEC_NB(MAX2(fs->last_store_exec, 1)));
   for (unsigned i = 0; i < chip->num_after_dw_cfg; i++)
      p = reg(p, chip->after_dw_cfg[i].reg, chip->after_dw_cfg[i].value);
   p = reg(p, GR3D_ALU_BUFFER_SIZE, tegra20_pack_alu_buffer_size(fs->rows));
   p = reg(p, GR3D_FP_PSEQ_ENGINE_INST,
           engine_inst | GR3D_FP_PSEQ_ENGINE_INST_INST_COUNT(fs->num_execs));
   v->num_setup = p - v->setup;
   assert(v->num_setup <= ARRAY_SIZE(v->setup));
}

void
tegra20_upload_prepare(struct tegra20_fs_variant *v)
{
   const struct tegra20_fs *fs = v->program;
   const unsigned n = fs->num_execs;
   /* four immediates, seven headers */
   const unsigned max_words =
      4 + 7 + 5 * n + 2 * fs->num_mfu + 8 * fs->num_alu;
   uint32_t *p = v->words = ralloc_array(v, uint32_t, max_words);

   for (unsigned depth = 0; depth < 2; depth++)
      v->cost[depth] = tegra20_cost_fragment(fs, depth);
   prepare_setup(v);
   v->uniforms[0] = host1x_incr(GR3D_FP_CONST(0), v->num_uniforms);
   *p++ = host1x_imm(GR3D_FP_UPLOAD_INST_ID_COMMON, 0);
   *p++ = host1x_imm(GR3D_FP_UPLOAD_MFU_INST_ID, 0);
   *p++ = host1x_imm(GR3D_FP_UPLOAD_ALU_INST_ID, 0);
   p = port(p, GR3D_FP_PSEQ_UPLOAD_INST, fs->pseq, n);
   *p++ = host1x_imm(GR3D_FP_PSEQ_UPLOAD_INST_BUFFER_FLUSH, 0);
   p = port(p, GR3D_FP_UPLOAD_MFU_SCHED, fs->mfu_sched, n);
   if (fs->num_mfu)
      p = port(p, GR3D_FP_UPLOAD_MFU_INST, fs->mfu, fs->num_mfu * 2);
   p = port(p, GR3D_FP_UPLOAD_TEX_INST, fs->tex, n);
   p = port(p, GR3D_FP_UPLOAD_ALU_SCHED, fs->alu_sched, n);
   if (fs->num_alu)
      p = port(p, GR3D_FP_UPLOAD_ALU_INST, fs->alu, fs->num_alu * 8);
   v->alu_start = p - v->words - fs->num_alu * 8;
   v->dw_start = p - v->words;
   p = port(p, GR3D_FP_UPLOAD_DW_INST, fs->dw, n);
   v->num_words = p - v->words;
   assert(v->num_words <= max_words);
}

static uint32_t
pack_constant(const struct tegra20_fs_const *c, const float *values)
{
   switch (c->format) {
   case TEGRA20_FS_FP20:
      return c->value[0] == TEGRA20_NO_VALUE
                ? 0
                : tegra20_float_to_fp20(values[c->value[0]]);
   case TEGRA20_FS_FX10: {
      uint32_t low = c->value[0] == TEGRA20_NO_VALUE
                        ? 0
                        : tegra20_float_to_fx10(values[c->value[0]]);
      uint32_t high = c->value[1] == TEGRA20_NO_VALUE
                         ? 0
                         : tegra20_float_to_fx10(values[c->value[1]]);
      return low | high << 10;
   }
   default:
      return 0;
   }
}

void
tegra20_upload_constants(struct tegra20_fs_variant *v)
{
   const struct tegra20_fs *fs = v->program;

   for (unsigned i = 0; i < v->num_uniforms; i++)
      v->uniforms[1 + i] = pack_constant(&fs->uniforms[i], v->values);
   for (unsigned i = 0; i < fs->num_patches; i++) {
      const struct tegra20_fs_patch *patch = &fs->patches[i];
      tegra20_patch_packet(&v->words[v->alu_start + 8 * patch->packet],
                           patch->slot,
                           pack_constant(&patch->value, v->values));
   }
}
