/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "fs_run.h"

#include <string.h>

#include "fragment_harness.h"
#include "tegra20/gr3d_regs.h"

bool fs_run_part_sums;

struct context {
   struct fs_run *run;
   struct harness *h;
};

/* The four bytes of a pixel of the surface that is read or written, or NULL. */
static uint8_t *
pixel_at(const struct context *context, int x, int y)
{
   uint8_t *pixels = context->run->pixels[context->h->surface];

   return pixels ? pixels + 4 * ((unsigned)y * MAX2(context->run->size, 1) + (unsigned)x) : NULL;
}

static void
texel_at(void *data, unsigned unit, double s, double t, int32_t component[4])
{
   struct fs_run *run = ((struct context *)data)->run;
   float result[4];

   run->texel(run->data, unit, s, t, result);
   for (unsigned c = 0; c < 4; c++)
      component[c] = sim_fx10_from_float(result[c]);
}

static void
fetch(void *data, int x, int y, int32_t component[4])
{
   const uint8_t *pixel = pixel_at(data, x, y);

   /* fragment-pipeline.md 2.3 */
   for (unsigned c = 0; c < 4; c++)
      component[c] = pixel ? pixel[c] + (pixel[c] >> 7) : ((struct context *)data)->run->dst[c];
}

static void
store(void *data, int x, int y, bool live, const int32_t component[4])
{
   struct fs_run *run = ((struct context *)data)->run;
   uint8_t *pixel = pixel_at(data, x, y);

   for (unsigned c = 0; c < 4 && pixel && live; c++) {
      const int clamped = CLAMP(component[c], 0, 256);
      pixel[c] = clamped - (clamped >= 128);
   }
   if (x != 0 || y != 0 || pixel)
      return;
   run->stored |= live;
   run->killed |= !live;
   for (unsigned c = 0; c < 4; c++)
      run->color[c] = component[c];
}

static uint32_t
const_bits(const struct tegra20_fs_const *c, const float *values)
{
   uint32_t bits = 0;

   if (c->format == TEGRA20_FS_FP20)
      return tegra20_float_to_fp20(values[c->value[0]]);
   for (unsigned half = 0; half < 2; half++) {
      if (c->value[half] != TEGRA20_NO_VALUE)
         bits |= tegra20_float_to_fx10(values[c->value[half]]) << (10 * half);
   }
   return bits;
}

static void
patch(struct fragment_vector *v, const struct tegra20_fs *fs, const float *values)
{
   for (unsigned i = 0; i < fs->num_patches; i++) {
      const struct tegra20_fs_patch *p = &fs->patches[i];
      uint64_t slot = (uint64_t)v->alu[p->packet][7] << 32 | v->alu[p->packet][6];
      slot &= ~((uint64_t)0xfffff << (4 + 20 * p->slot));
      slot |= (uint64_t)const_bits(&p->value, values) << (4 + 20 * p->slot);
      v->alu[p->packet][6] = slot;
      v->alu[p->packet][7] = slot >> 32;
   }
}

/* Linker words that fill what the inputs name; which export they come from does not matter here. */
static void
set_linker(struct harness *h, const struct tegra20_fs *fs)
{
   uint32_t *regs = h->gr3d->regs.value;
   unsigned count = 0;

   for (unsigned row = 0; row < fs->num_tram_rows; row++) {
      for (unsigned high = 0; high < 2; high++) {
         uint32_t types = 0;
         for (unsigned i = 0; i < fs->num_inputs; i++) {
            const struct tegra20_fs_input *in = &fs->inputs[i];
            if (in->row == row && (in->type == 2) == high)
               types |= (in->column | in->type << 2) << (4 * in->column);
         }
         if (!types)
            continue;
         regs[GR3D_LINKER_INSTRUCTION(count)] = 1 << 3 | row << 9;
         regs[GR3D_LINKER_INSTRUCTION_HIGH(count)] = types;
         count++;
      }
   }
   regs[GR3D_CULL_FACE_LINKER_SETUP] = (count ? count - 1 : 0) << 5;
}

static void
set_registers(struct harness *h, const struct tegra20_fs *fs)
{
   uint32_t *regs = h->gr3d->regs.value;

   regs[GR3D_PSEQ_CFG] = 0x223212cf;
   regs[GR3D_FP_PSEQ_DW_CFG] = fs->last_store_exec << 6;
   regs[GR3D_ALU_BUFFER_SIZE] = 299 / (4 * fs->rows) << 24 | (fs->rows - 1);
   regs[GR3D_TRAM_SETUP] = MAX2(fs->num_tram_rows, 1) << 8 | 64 / MAX2(fs->num_tram_rows, 1);
}

static void
set_inputs(struct harness *h, const struct tegra20_fs *fs, const struct fs_run *run)
{
   uint32_t tram[16][4] = {0};

   for (unsigned i = 0; i < fs->num_inputs; i++) {
      const struct tegra20_fs_input *in = &fs->inputs[i];
      const float value = run->input(run->data, in->slot, in->component);
      uint32_t *cell = &tram[in->row][in->column];
      if (in->type == 3)
         *cell = sim_fp20_from_double(value);
      else
         *cell |= (sim_fx10_from_float(value) & 0x3ff) << (in->type == 2 ? 10 : 0);
   }
   for (unsigned row = 0; row < 16; row++) {
      for (unsigned column = 0; column < 4; column++)
         harness_tram(h, row, column, tram[row][column]);
   }
}

void
fs_run(const struct tegra20_fs *fs, struct fs_run *run)
{
   harness_chip = &tegra20_chips[fs->chip];
   harness_part_sums = fs_run_part_sums;
   struct harness *h = harness_create_strict(MAX2(run->size, 1), MAX2(run->size, 1));
   struct context context = {run, h};
   struct fragment_vector v = {.rows = fs->rows, .num_execs = fs->num_execs, .num_mfu = fs->num_mfu, .num_alu = fs->num_alu};
   float *values = calloc(fs->values.count + 1, sizeof(*values));

   run->stored = run->killed = false;
   run->diagnostic = 0;
   h->data = &context;
   h->texel_at = texel_at;
   h->fetch = fetch;
   h->store = store;
   memcpy(v.pseq, fs->pseq, sizeof(v.pseq));
   memcpy(v.mfu_sched, fs->mfu_sched, sizeof(v.mfu_sched));
   memcpy(v.tex, fs->tex, sizeof(v.tex));
   memcpy(v.alu_sched, fs->alu_sched, sizeof(v.alu_sched));
   memcpy(v.dw, fs->dw, sizeof(v.dw));
   memcpy(v.mfu, fs->mfu, sizeof(v.mfu));
   memcpy(v.alu, fs->alu, sizeof(v.alu));

   tegra20_values_eval(&fs->values, run->uniforms, run->num_uniforms, run->params, values);
   patch(&v, fs, values);
   harness_program(h, &v);
   for (unsigned i = 0; i < TEGRA20_FS_MAX_UNIFORMS; i++) {
      if (fs->uniforms[i].format != TEGRA20_FS_NONE)
         harness_uniform(h, i, const_bits(&fs->uniforms[i], values));
   }
   set_registers(h, fs);
   set_linker(h, fs);
   set_inputs(h, fs, run);
   harness_draw(h);
   run->killed |= !run->stored; /* the store of a block without living lanes is left out */
   /* surfaces and textures are not set up here: only what concerns the program counts */
   for (unsigned i = 0; i < h->num_diags && !run->diagnostic; i++) {
      if (h->diags[i] >= 500 && h->diags[i] < 600)
         run->diagnostic = h->diags[i];
   }
   harness_destroy(h);
   free(values);
}
