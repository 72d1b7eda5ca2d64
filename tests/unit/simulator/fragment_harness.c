/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "fragment_harness.h"

#include <stdio.h>
#include <stdlib.h>

#include "tegra20/gr3d_regs.h"

static struct harness *current;

void __wrap_sim_fs_texture_sample(struct sim_fs_worker *worker, const struct sim_fs_exec *exec, uint32_t (*row)[SIM_FS_LANES]);
void __wrap_sim_fs_surface_load(struct sim_fs_worker *worker, unsigned surface, uint32_t *first, uint32_t *second);
void __wrap_sim_fs_surface_store(struct sim_fs_worker *worker, unsigned surface, const uint32_t *first, const uint32_t *second);

static int
lane_x(const struct sim_fs_block *block, unsigned lane)
{
   return block->x[lane / SIM_FS_STRIP_LANES] + (int)(lane & 7);
}

static int
lane_y(const struct sim_fs_block *block, unsigned lane)
{
   return block->y[lane / SIM_FS_STRIP_LANES] + (int)(lane >> 3 & 1);
}

void
__wrap_sim_fs_texture_sample(struct sim_fs_worker *worker, const struct sim_fs_exec *exec, uint32_t (*row)[SIM_FS_LANES])
{
   for (unsigned i = 0; i < worker->block.n; i++) {
      int32_t c[4] = {0};
      if (current->texel_at)
         current->texel_at(current->data, exec->tex_unit, sim_fp20_to_float(row[exec->tex_src][i]),
                           sim_fp20_to_float(row[exec->tex_src + 1][i]), c);
      else if (current->texel)
         current->texel(current->data, lane_x(&worker->block, i), lane_y(&worker->block, i), exec->tex_unit, c);
      row[exec->tex_dst][i] = sim_fx10_pair(c[0], c[1]);
      row[exec->tex_dst + 1][i] = sim_fx10_pair(c[2], c[3]);
   }
}

void
__wrap_sim_fs_surface_load(struct sim_fs_worker *worker, unsigned surface, uint32_t *first, uint32_t *second)
{
   current->surface = surface;
   for (unsigned i = 0; i < worker->block.n; i++) {
      int32_t c[4] = {0};
      if (current->fetch)
         current->fetch(current->data, lane_x(&worker->block, i), lane_y(&worker->block, i), c);
      first[i] = sim_fx10_pair(c[0], c[1]);
      second[i] = sim_fx10_pair(c[2], c[3]);
   }
}

void
__wrap_sim_fs_surface_store(struct sim_fs_worker *worker, unsigned surface, const uint32_t *first, const uint32_t *second)
{
   const struct sim_fs_block *block = &worker->block;
   current->surface = surface;
   for (unsigned i = 0; i < block->n; i++) {
      int32_t c[4] = {sim_fx10_half(first[i], 0), sim_fx10_half(first[i], 1), sim_fx10_half(second[i], 0),
                      sim_fx10_half(second[i], 1)};
      if (block->cover[i] && current->store)
         current->store(current->data, lane_x(block, i), lane_y(block, i), block->live[i], c);
   }
}

const struct tegra20_chip_info *harness_chip;
bool harness_part_sums;

static void
record(void *data, const struct sim_diag *diag)
{
   struct harness *h = data;
   if (h->num_diags < sizeof(h->diags) / sizeof(h->diags[0]))
      h->diags[h->num_diags++] = diag->number;
   if (getenv("HARNESS_VERBOSE"))
      fprintf(stderr, "%u %s: %s\n", diag->number, sim_diag_name(diag->number), diag->text);
}

bool
harness_reported(const struct harness *h, unsigned number)
{
   for (unsigned i = 0; i < h->num_diags; i++) {
      if (h->diags[i] == number)
         return true;
   }
   return false;
}

static struct harness *last;

static struct harness *
create(unsigned width, unsigned height, bool strict)
{
   if (last)
      harness_destroy(last);
   struct harness *h = last = calloc(1, sizeof(*h));
   struct sim_options options = {.chip = harness_chip, .threads = 1, .strict = strict, .diag = record, .diag_data = h};
   h->sim = sim_create(&options);
   if (harness_part_sums)
      sim_set_switch(h->sim, "A95", "used");
   h->gr3d = &h->sim->gr3d;
   h->memory = calloc(1, HARNESS_MEMORY_SIZE);
   struct sim_range range = {HARNESS_MEMORY_BASE, HARNESS_MEMORY_SIZE, h->memory};
   sim_memory_begin(h->sim, &range, 1);
   gr3d_job_begin(h->gr3d);
   struct gr3d_regs *regs = &h->gr3d->regs;
   memset(regs->value, 0, sizeof(regs->value));
   memset(regs->written, 1, sizeof(regs->written));
   regs->value[GR3D_SCISSOR_HORIZ] = width;
   regs->value[GR3D_SCISSOR_VERT] = height;
   regs->value[GR3D_DEPTH_RANGE_FAR] = h->gr3d->chip->depth_max;
   regs->value[GR3D_RT_ENABLE] = 0xfffe;
   memset(h->gr3d->flat_mask, 0, sizeof(h->gr3d->flat_mask));
   h->front = true;
   int32_t size = 32 * (int32_t)(width > height ? width : height);
   h->vertex[1].x = size;
   h->vertex[2].y = size;
   for (unsigned i = 0; i < 3; i++)
      h->vertex[i].rw = 1;
   return h;
}

struct harness *
harness_create(unsigned width, unsigned height)
{
   return create(width, height, false);
}

struct harness *
harness_create_strict(unsigned width, unsigned height)
{
   return create(width, height, true);
}

void
harness_destroy(struct harness *h)
{
   if (h == last)
      last = NULL;
   sim_destroy(h->sim);
   free(h->memory);
   free(h);
}

void
harness_program(struct harness *h, const struct fragment_vector *v)
{
   struct gr3d_programs *p = &h->gr3d->prog;
   memcpy(p->pseq, v->pseq, sizeof(p->pseq));
   memcpy(p->mfu_sched, v->mfu_sched, sizeof(p->mfu_sched));
   memcpy(p->tex, v->tex, sizeof(p->tex));
   memcpy(p->alu_sched, v->alu_sched, sizeof(p->alu_sched));
   memcpy(p->alu_complement, v->alu_complement, sizeof(p->alu_complement));
   memcpy(p->dw, v->dw, sizeof(p->dw));
   memcpy(p->mfu, v->mfu, sizeof(p->mfu));
   memcpy(p->alu, v->alu, sizeof(p->alu));
   p->pseq_count = p->mfu_sched_count = p->tex_count = p->alu_sched_count = p->alu_complement_count = p->dw_count = v->num_execs;
   p->mfu_words = 2 * v->num_mfu;
   p->alu_words = 8 * v->num_alu;
   p->fp_serial++;
   h->gr3d->regs.value[GR3D_FP_PSEQ_ENGINE_INST] = 0x20006000 + v->num_execs;
   h->gr3d->regs.value[GR3D_ALU_BUFFER_SIZE] = v->rows - 1;
}

void
harness_uniform(struct harness *h, unsigned index, uint32_t raw)
{
   h->gr3d->regs.value[GR3D_FP_CONST(index)] = raw;
}

void
harness_tram(struct harness *h, unsigned row, unsigned column, uint32_t raw)
{
   for (unsigned i = 0; i < 3; i++)
      h->vertex[i].tram[row][column] = raw;
}

void
harness_begin(struct harness *h)
{
   current = h;
   if (!gr3d_fragment_begin(h->gr3d))
      abort();
}

void
harness_end(struct harness *h)
{
   gr3d_fragment_end(h->gr3d);
   current = NULL;
}

void
harness_draw(struct harness *h)
{
   const struct gr3d_vertex *const v[3] = {&h->vertex[0], &h->vertex[1], &h->vertex[2]};
   current = h;
   if (gr3d_fragment_begin(h->gr3d)) {
      gr3d_raster_triangle(h->gr3d, v, 2, h->front);
      gr3d_fragment_end(h->gr3d);
   }
   current = NULL;
}

static void
store_raw(void *data, int x, int y, bool live, const int32_t c[4])
{
   uint32_t *raw = data;
   if (x || y)
      return;
   raw[0] = sim_fx10_pair(c[0], c[1]);
   raw[1] = sim_fx10_pair(c[2], c[3]);
   raw[2] = live;
}

void
harness_run(struct harness *h, const struct fragment_vector *v, const uint32_t uniforms[4], const uint32_t tram[4],
            uint32_t raw[3])
{
   h->data = raw;
   h->store = store_raw;
   harness_program(h, v);
   for (unsigned i = 0; i < 4; i++) {
      harness_uniform(h, i, uniforms ? uniforms[i] : 0);
      harness_tram(h, 0, i, tram ? tram[i] : 0);
   }
   raw[0] = raw[1] = raw[2] = 0;
   harness_draw(h);
}
