/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * One draw of the back half: state, collected primitives, tiles, threads. See
 * fragment.h.
 */

#include "fragment.h"

#include <stdlib.h>

#include "tegra20/gr3d_regs.h"

/* Primitives are drawn when this many have been collected, to bound memory.
 */
#define MAX_PRIMS 16384
#define MAX_VARYINGS (1u << 20)
/* Strips of 16 pixels whose fragments are all rejected: four pixels per
 * clock (fragment-pipeline.md 1.5). */
#define STRIP_CLOCKS 4
/* Below this many pixels waking the threads costs more than it gains. */
#define SERIAL_PIXELS 4096

/* --- creation --- */

static struct gr3d_fragment_state *
create(struct gr3d *gr3d)
{
   struct gr3d_fragment_state *fs = calloc(1, sizeof(*fs));
   if (!fs)
      return NULL;
   fs->gr3d = gr3d;
   fs->sim = gr3d->sim;
   fs->tracked_job = UINT64_MAX;
   fs->threads = sim_threads_create(gr3d->sim->options.threads);
   if (!fs->threads) {
      free(fs);
      return NULL;
   }
   fs->num_workers = sim_threads_count(fs->threads);
   fs->worker = calloc(fs->num_workers, sizeof(*fs->worker));
   bool ok = fs->worker != NULL;
   for (unsigned i = 0; ok && i < fs->num_workers; i++) {
      ok = posix_memalign((void **)&fs->worker[i], 64,
                          sizeof(**fs->worker)) == 0;
      if (!ok) {
         fs->worker[i] = NULL;
         break;
      }
      memset(fs->worker[i], 0, sizeof(**fs->worker));
      fs->worker[i]->fs = fs;
      for (unsigned lane = 0; lane < SIM_FS_LANES; lane++)
         fs->worker[i]->block.raw[SIM_FS_RAW_POISON][lane] = SIM_POISON_TRAM;
   }
   gr3d->fragment = fs;
   if (!ok) {
      gr3d_fragment_fini(gr3d);
      return NULL;
   }
   return fs;
}

void
gr3d_fragment_fini(struct gr3d *gr3d)
{
   struct gr3d_fragment_state *fs = gr3d->fragment;
   if (!fs)
      return;
   sim_threads_destroy(fs->threads);
   for (unsigned i = 0; fs->worker && i < fs->num_workers; i++)
      free(fs->worker[i]);
   free(fs->worker);
   for (unsigned i = 0; i < fs->cache_size; i++)
      free(fs->cache[i]);
   free(fs->cache);
   free(fs->constant_lanes);
   free(fs->prims);
   free(fs->varyings);
   free(fs->tile_start);
   free(fs->tile_list);
   free(fs);
   gr3d->fragment = NULL;
}

/* --- state of a draw --- */

static struct sim_fs_stencil_face
stencil_face(const struct gr3d_fragment_state *fs, unsigned compare_reg,
             unsigned op_reg)
{
   const struct gr3d_regs *regs = &fs->gr3d->regs;
   uint32_t compare = regs->value[compare_reg], op = regs->value[op_reg];
   return (struct sim_fs_stencil_face){
      .mask = compare & 0xff,
      .func = compare >> 8 & 7,
      .ref = op >> 17 & 0xff,
      .write_mask =
         sim_switch(fs->sim, 37) ? 0xff : op >> 9 & 0xff, /* assumption A37 */
      .fail = op & 7,
      .zfail = op >> 3 & 7,
      .zpass = op >> 6 & 7,
   };
}

/* Values of the switch A20. */
enum depth_range {
   RANGE_DROPPED,
   RANGE_KEPT,
   RANGE_CLAMPED,
   RANGE_BY_MODE, /* bits 10:9 of 0x403 say it */
};

/* A depth range register in units of 20 bits, whatever the chip counts in. */
static uint32_t
depth_limit(const struct gr3d_fragment_state *fs, unsigned reg)
{
   const uint64_t max = fs->gr3d->chip->depth_max;
   const uint32_t value = fs->gr3d->regs.value[reg] & max;

   if (sim_switch(fs->sim, 134)) /* A134: 16 bits, and more is the largest */
      return (value < 0xffff ? (uint64_t)value : 0xffff) * 0xfffff / 0xffff;
   return (uint64_t)value * 0xfffff / max;
}

/* A20: what becomes of fragments outside 0x404..0x405. */
static enum depth_range
depth_range(const struct gr3d_fragment_state *fs)
{
   static const enum depth_range modes[4] = { RANGE_KEPT, RANGE_DROPPED,
                                              RANGE_CLAMPED, RANGE_KEPT };
   const struct gr3d_regs *regs = &fs->gr3d->regs;
   const unsigned value = sim_switch(fs->sim, 20);

   /* Registers that the job has not written limit nothing. */
   if (!regs->written[GR3D_DEPTH_RANGE_NEAR] ||
       !regs->written[GR3D_DEPTH_RANGE_FAR])
      return RANGE_KEPT;
   return value == RANGE_BY_MODE
             ? modes[regs->value[GR3D_DEPTH_TEST_PARAMS] >> 9 & 3]
             : (enum depth_range)value;
}

bool
sim_fs_depth_enabled(const struct gr3d_fragment_state *fs)
{
   static const uint32_t wanted[] = { 0x10001, 0x10000, 0x1 };
   const uint32_t bits = wanted[sim_switch(fs->sim, 132)];

   return sim_switch(fs->sim, 90) ||
          (fs->gr3d->regs.value[GR3D_RT_ENABLE] & bits) == bits;
}

/* A132: with either bit alone the other one, beside a depth test, keeps
 * colours from their surfaces. */
static bool
colour_is_stopped(const struct gr3d_fragment_state *fs)
{
   static const uint32_t forbidden[] = { 0, 0x1, 0x10000 };

   return fs->ds.depth_test && fs->gr3d->regs.value[GR3D_RT_ENABLE] &
                                  forbidden[sim_switch(fs->sim, 132)];
}

static void
setup_depth_stencil(struct gr3d_fragment_state *fs)
{
   const struct gr3d_regs *regs = &fs->gr3d->regs;
   struct sim_fs_depth_stencil *ds = &fs->ds;
   uint32_t depth = regs->value[GR3D_DEPTH_TEST_PARAMS],
            stencil = regs->value[GR3D_STENCIL_PARAMS];
   *ds = (struct sim_fs_depth_stencil){
      .depth_test = depth >> 3 & 1,
      .depth_func = depth >> 4 & 7,
      .depth_write = depth >> 8 & 1,
      .stencil_test = stencil >> 5 & 1,
      .early_write = stencil >> 6 & 1,
      .late_write = regs->value[GR3D_LATE_TEST] >> 5 & 1,
   };
   ds->face[0] = stencil_face(fs, GR3D_STENCIL_FRONT1, GR3D_STENCIL_FRONT2);
   ds->face[1] = stencil_face(fs, GR3D_STENCIL_BACK1, GR3D_STENCIL_BACK2);
   if (ds->depth_test) {
      sim_fs_surface_setup(fs, 0);
      ds->depth_test = sim_fs_depth_enabled(fs) && fs->surface[0].cpp == 2;
   }
   if (ds->stencil_test) {
      sim_fs_surface_setup(fs, 2);
      ds->stencil_test = fs->surface[2].enabled && fs->surface[2].cpp == 1;
   }
   fs->surface[0].used = ds->depth_test;
   fs->surface[2].used = ds->stencil_test;
   ds->late_write =
      ds->late_write && ds->stencil_test && fs->program->stores_stencil;

   /*
    * One unit of slack: a fragment that the clipper left on the boundary is
    * not lost to the rounding of the two registers.
    */
   ds->range_min = -(1 << 30);
   ds->range_max = 1 << 30;
   if (depth_range(fs) == RANGE_DROPPED) {
      uint32_t a = depth_limit(fs, GR3D_DEPTH_RANGE_NEAR),
               b = depth_limit(fs, GR3D_DEPTH_RANGE_FAR);
      ds->range_min = (int32_t)(a < b ? a : b) - 1;
      ds->range_max = (int32_t)(a < b ? b : a) + 1;
   }
   if (depth_range(fs) == RANGE_CLAMPED) {
      uint32_t a = depth_limit(fs, GR3D_DEPTH_RANGE_NEAR),
               b = depth_limit(fs, GR3D_DEPTH_RANGE_FAR);
      ds->clamp = true;
      ds->clamp_min = (int32_t)(a < b ? a : b);
      ds->clamp_max = (int32_t)(a < b ? b : a);
   }
   ds->rounding = sim_switch(fs->sim, 33) == 1 ? 0.5 : 0x1p-20;
   ds->range_late = sim_switch(fs->sim, 88) == 1;
   ds->late_passed = sim_switch(fs->sim, 36) == 1;
   ds->compare20 = sim_switch(fs->sim, 34);
   /* Depth is written only while the test is on (gr3d-registers.md 3.12). */
   ds->late_depth = sim_switch(fs->sim, 35) && fs->program->kills &&
                    ds->depth_test && ds->depth_write;
}

static float
register_float(const struct gr3d_regs *regs, unsigned reg, float otherwise)
{
   float f = sim_float_from_bits(regs->value[reg]);
   return regs->written[reg] && f > -1e30f && f < 1e30f ? f : otherwise;
}

static bool
reserve(void **memory, unsigned *capacity, unsigned wanted, size_t size);

static bool
setup_constants(struct gr3d_fragment_state *fs)
{
   const struct sim_fs_program *program = fs->program;
   if (!reserve((void **)&fs->constant_lanes, &fs->constant_capacity,
                program->num_constants + 1, sizeof(float[SIM_FS_LANES])))
      return false;
   for (unsigned i = 0; i < program->num_constants; i++) {
      const struct sim_fs_constant *c = &program->constant[i];
      uint32_t raw =
         c->uniform ? fs->gr3d->regs.value[GR3D_FP_CONST(c->reg)] & 0xfffff
                    : c->raw;
      fs->constants[i] = sim_fs_operand_value(&c->operand, raw);
      /* A wide one without its last two modifiers, which fragment_alu.c
       * applies in double precision. */
      struct sim_fs_operand plain = c->operand;
      plain.minus_one = plain.minus_one && !plain.wide;
      plain.negate = plain.negate && !plain.wide;
      float value = (float)sim_fs_operand_value(&plain, raw);
      for (unsigned lane = 0; lane < SIM_FS_LANES; lane++)
         fs->constant_lanes[i][lane] = value;
   }
   sim_fs_alu_constants(fs);
   return true;
}

static struct sim_fs_switches
read_switches(const struct sim *sim)
{
   /* A43: high, exact, fp20, high-fp20, higher, low, lower */
   static const struct {
      double error;
      bool fp20;
   } weights[] = {
      { 0x1p-14, false },  { 0, false },       { 0, true },
      { 5.8e-5, true },    { 0x1p-13, false }, { -0x1p-14, false },
      { -0x1p-13, false },
   };
   const unsigned weight = sim_switch(sim, 43);
   const bool number = weight == SIM_WEIGHTS_AS_NUMBERS;
   struct sim_fs_switches s = {
      .cut_varyings = sim_switch(sim, 42),
      .weight_scale =
         1 + (number ? sim->weights[0] * 0x1p-24 : weights[weight].error),
      .weight_offset = number ? sim->weights[1] * 0x1p-24 : 0,
      .round_weights = !number && weights[weight].fp20,
      .no_delay = sim_switch(sim, 44),
      .raw_alu = sim_switch(sim, 45),
      .wrap_fx10 = sim_switch(sim, 46),
      .cut_fp20 = sim_switch(sim, 47),
      .plain_position = sim_switch(sim, 51),
      .limited_special = sim_switch(sim, 54),
      .one_store = sim_switch(sim, 55),
      .round_filter = sim_switch(sim, 63),
      .cut_filter = sim_switch(sim, 82),
      .stale_zero = sim_switch(sim, 83),
      .alu_bits = sim_switch(sim, 84),
      .zero_negative = sim_switch(sim, 85),
      .plain_step = sim_switch(sim, 86),
      .old_product = sim_switch(sim, 87),
   };
   s.exact_alu = s.raw_alu || s.wrap_fx10 || s.cut_fp20;
   return s;
}

bool
gr3d_fragment_begin(struct gr3d *gr3d)
{
   struct gr3d_fragment_state *fs =
      gr3d->fragment ? gr3d->fragment : create(gr3d);
   if (!fs)
      return false;
   const struct gr3d_regs *regs = &gr3d->regs;
   const struct gr3d_programs *prog = &gr3d->prog;
   unsigned n = regs->value[GR3D_FP_PSEQ_ENGINE_INST] & 0x7f;
   if (!n || n > SIM_FS_MAX_EXECS || n > prog->pseq_count ||
       n > prog->mfu_sched_count || n > prog->tex_count ||
       n > prog->alu_sched_count || n > prog->alu_complement_count ||
       n > prog->dw_count) {
      /* fragment-pipeline.md 10.1 rule 1 */
      sim_hang(fs->sim, SIM_DIAG_FP_COUNT, GR3D_FP_PSEQ_ENGINE_INST, -1,
               "fragment program of %u EXECs, but entries in the tables: %u "
               "sequencer, %u MFU schedule, %u texture, "
               "%u ALU schedule, %u complement, %u data write",
               n, prog->pseq_count, prog->mfu_sched_count, prog->tex_count,
               prog->alu_sched_count, prog->alu_complement_count,
               prog->dw_count);
      return false;
   }
   struct sim_fs_program *program = fs->program = sim_fs_program_get(fs);
   if (!program)
      return false;

   fs->scissor_x0 = regs->value[GR3D_SCISSOR_HORIZ] >> 16;
   fs->scissor_x1 = regs->value[GR3D_SCISSOR_HORIZ] & 0xffff;
   fs->scissor_y0 = regs->value[GR3D_SCISSOR_VERT] >> 16;
   fs->scissor_y1 = regs->value[GR3D_SCISSOR_VERT] & 0xffff;
   fs->offset_units = register_float(regs, GR3D_POLYGON_OFFSET_UNITS, 0);
   fs->offset_factor = register_float(regs, GR3D_POLYGON_OFFSET_FACTOR, 0);
   fs->point_size = register_float(regs, GR3D_POINT_SIZE, 1) *
                    (sim_switch(fs->sim, 26) ? 2 : 1);
   fs->switches = read_switches(fs->sim);
   fs->line_width = 2 * register_float(regs, GR3D_HALF_LINE_WIDTH, 0.5f);

   memset(fs->surface, 0, sizeof(fs->surface));
   for (unsigned i = 0; i < 16; i++) {
      if ((program->surfaces_read | program->surfaces_written) >> i & 1)
         sim_fs_surface_setup(fs, i);
      if (program->textures >> i & 1)
         sim_fs_texture_setup(fs, i);
      else
         fs->texture[i].used = false;
   }
   for (unsigned i = 0; i < 16 && fs->sim->adversary; i++) {
      const struct sim_range *range =
         sim_memory_find(fs->sim, fs->surface[i].base);
      if ((program->surfaces_written >> i & 1) && range)
         sim_adversary_stores(fs->sim->adversary, range, fs->surface[i].base);
   }
   fs->pixel_bytes = 0;
   for (unsigned i = 0; i < 16; i++)
      fs->pixel_bytes += ((program->surfaces_read >> i & 1) +
                          (program->surfaces_written >> i & 1)) *
                         fs->surface[i].cpp;
   bool colour0 = fs->surface[0].used, colour2 = fs->surface[2].used;
   setup_depth_stencil(fs);
   for (unsigned i = 0; i < 16 && colour_is_stopped(fs); i++)
      fs->surface[i].enabled &= !(program->surfaces_written >> i & 1);
   fs->surface[0].used |= colour0;
   fs->surface[2].used |= colour2;
   if (!setup_constants(fs))
      return false;
   if (fs->sim->options.strict) {
      sim_fs_track_begin(fs);
      sim_fs_check_draw(fs, program);
   }
   fs->num_prims = fs->num_varyings = 0;
   return true;
}

/* --- flush --- */

/* Ranges of device addresses that a draw touches, to find out whether tiles
 * can influence each other. */
struct extent {
   uint64_t start, end;
   bool written;
};

static bool
tiles_interact(const struct extent *extent, unsigned n)
{
   for (unsigned i = 0; i < n; i++) {
      for (unsigned j = 0; j < n; j++) {
         if (i != j && extent[i].written && extent[i].start < extent[j].end &&
             extent[j].start < extent[i].end)
            return true;
      }
   }
   return false;
}

/* Resolves the memory of every surface for the rectangle that the collected
 * primitives touch. */
static void
resolve_memory(struct gr3d_fragment_state *fs)
{
   struct extent extent[16 + 16 * SIM_FS_MAX_LEVELS];
   unsigned n = 0;
   fs->serial_only = false;
   for (unsigned i = 0; i < 16; i++) {
      struct sim_fs_surface *s = &fs->surface[i];
      if (!s->used || !s->cpp)
         continue;
      uint64_t bytes = sim_fs_surface_extent(s, (uint32_t)fs->bound_x1,
                                             (uint32_t)fs->bound_y1);
      const struct sim_range *range = sim_memory_find(fs->sim, s->base);
      s->cpu = range && bytes <= range->size - (s->base - range->base)
                  ? range->cpu + (s->base - range->base)
                  : NULL;
      bool written =
         (fs->program->surfaces_written >> i & 1) || i == 0 || i == 2;
      if (written && sim_fs_surface_rows_overlap(s, (uint32_t)fs->bound_x1))
         fs->serial_only = true;
      extent[n++] = (struct extent){ s->base, s->base + bytes, written };
   }
   for (unsigned i = 0; i < 16; i++) {
      const struct sim_fs_texture *t = &fs->texture[i];
      for (unsigned l = 0; t->used && l <= t->max_level; l++) {
         uint64_t rows =
            t->compressed ? (t->level[l].height + 3) / 4 : t->level[l].height;
         uint64_t faces = t->cube ? 5 * t->face_bytes : 0;
         extent[n++] = (struct extent){ t->level[l].address,
                                        t->level[l].address +
                                           rows * t->level[l].pitch + faces,
                                        false };
      }
   }
   fs->serial_only |= tiles_interact(extent, n);
}

/* Assumption A56 the other way: fetches see the surface as the draw found it.
 */
static void
keep_surfaces(struct gr3d_fragment_state *fs)
{
   for (unsigned i = 0; i < 16; i++) {
      struct sim_fs_surface *s = &fs->surface[i];
      if (!s->used || !s->cpu || !(fs->program->surfaces_read >> i & 1))
         continue;
      uint64_t bytes = sim_fs_surface_extent(s, (uint32_t)fs->bound_x1,
                                             (uint32_t)fs->bound_y1);
      s->before = malloc(bytes);
      if (s->before)
         memcpy(s->before, s->cpu, bytes);
   }
}

static void
forget_surfaces(struct gr3d_fragment_state *fs)
{
   for (unsigned i = 0; i < 16; i++) {
      free(fs->surface[i].before);
      fs->surface[i].before = NULL;
   }
}

static bool
reserve(void **memory, unsigned *capacity, unsigned wanted, size_t size)
{
   if (wanted <= *capacity)
      return true;
   unsigned grown = *capacity ? *capacity : 64;
   while (grown < wanted)
      grown *= 2;
   void *p = realloc(*memory, grown * size);
   if (!p)
      return false;
   *memory = p;
   *capacity = grown;
   return true;
}

/* Sorts primitives into tiles, in drawing order within each. */
static bool
build_tiles(struct gr3d_fragment_state *fs)
{
   fs->tile_x0 = fs->bound_x0 & ~(SIM_FS_TILE - 1);
   fs->tile_y0 = fs->bound_y0 & ~(SIM_FS_TILE - 1);
   fs->tiles_x = (unsigned)(fs->bound_x1 - fs->tile_x0 + SIM_FS_TILE - 1) >>
                 SIM_FS_TILE_LOG2;
   fs->tiles_y = (unsigned)(fs->bound_y1 - fs->tile_y0 + SIM_FS_TILE - 1) >>
                 SIM_FS_TILE_LOG2;
   unsigned tiles = fs->tiles_x * fs->tiles_y;
   if (!reserve((void **)&fs->tile_start, &fs->tile_capacity, tiles + 2,
                sizeof(*fs->tile_start)))
      return false;
   memset(fs->tile_start, 0, (tiles + 2) * sizeof(*fs->tile_start));
   for (int pass = 0; pass < 2; pass++) {
      for (unsigned i = 0; i < fs->num_prims; i++) {
         const struct sim_fs_prim *p = &fs->prims[i];
         unsigned x0 = (unsigned)(p->min_x - fs->tile_x0) >> SIM_FS_TILE_LOG2;
         unsigned x1 =
            (unsigned)(p->max_x - 1 - fs->tile_x0) >> SIM_FS_TILE_LOG2;
         unsigned y0 = (unsigned)(p->min_y - fs->tile_y0) >> SIM_FS_TILE_LOG2;
         unsigned y1 =
            (unsigned)(p->max_y - 1 - fs->tile_y0) >> SIM_FS_TILE_LOG2;
         for (unsigned y = y0; y <= y1; y++) {
            for (unsigned x = x0; x <= x1; x++) {
               unsigned tile = y * fs->tiles_x + x;
               if (pass == 0)
                  fs->tile_start[tile + 2]++;
               else
                  fs->tile_list[fs->tile_start[tile + 1]++] = i;
            }
         }
      }
      if (pass == 0) {
         uint64_t total = 0;
         for (unsigned t = 0; t < tiles; t++) {
            total += fs->tile_start[t + 2];
            fs->tile_start[t + 2] = (uint32_t)total;
         }
         if (total > UINT32_MAX / 8 ||
             !reserve((void **)&fs->tile_list, &fs->list_capacity,
                      (unsigned)total, sizeof(*fs->tile_list)))
            return false;
      }
   }
   return true;
}

static void
run_tile(void *data, unsigned item, unsigned thread)
{
   struct gr3d_fragment_state *fs = data;
   struct sim_fs_worker *worker = fs->worker[thread];
   atomic_llong *clocks_left = &fs->gr3d->clocks_left;
   if (fs->tile_start[item] == fs->tile_start[item + 1] ||
       atomic_load_explicit(clocks_left, memory_order_relaxed) < 0)
      return;
   struct sim_fs_stats before = worker->stats;
   memset(worker->line, 0xff, sizeof(worker->line));
   sim_fs_raster_tile(worker, item);
   uint64_t clocks = worker->stats.clocks - before.clocks;
   clocks +=
      STRIP_CLOCKS * (worker->stats.rejected_strips - before.rejected_strips);
   atomic_fetch_sub_explicit(clocks_left, (long long)clocks,
                             memory_order_relaxed);
}

/* The clocks that the collected primitives take at most; *pixels: the pixels
 * that they cover at most. */
static uint64_t
most_clocks(const struct gr3d_fragment_state *fs, uint64_t *pixels)
{
   uint64_t strips = 0;
   *pixels = 0;
   for (unsigned i = 0; i < fs->num_prims; i++) {
      const struct sim_fs_prim *p = &fs->prims[i];
      *pixels +=
         (uint64_t)(p->max_x - p->min_x) * (uint64_t)(p->max_y - p->min_y);
      strips += (uint64_t)((p->max_x + 7) / 8 - p->min_x / 8) *
                (uint64_t)((p->max_y + 1) / 2 - p->min_y / 2);
   }
   return *pixels * fs->program->clocks + STRIP_CLOCKS * strips;
}

static void
report_trouble(struct gr3d_fragment_state *fs)
{
   unsigned trouble = 0;
   uint16_t textures = 0, surfaces = 0;
   uint64_t even_clocks = 0, odd_clocks = 0;
   for (unsigned i = 0; i < fs->num_workers; i++) {
      struct sim_fs_worker *w = fs->worker[i];
      trouble |= w->trouble;
      textures |= w->trouble_textures;
      surfaces |= w->trouble_surfaces;
      w->trouble = w->trouble_textures = w->trouble_surfaces = 0;
      fs->sim->stats.fragments += w->stats.fragments;
      fs->sim->stats.texture_lookups += w->stats.lookups;
      fs->sim->stats.texture_bytes += w->stats.texture_bytes;
      fs->sim->stats.pixel_bytes += w->stats.pixel_bytes;
      fs->sim->stats.depth_bytes += w->stats.depth_bytes;
      even_clocks += w->stats.clocks - w->stats.odd_clocks +
                     STRIP_CLOCKS * w->stats.rejected_strips;
      odd_clocks += w->stats.odd_clocks;
      w->stats = (struct sim_fs_stats){ 0 };
   }
   even_clocks /= fs->gr3d->chip->pixel_pipes;
   odd_clocks /= fs->gr3d->chip->pixel_pipes;
   fs->sim->stats.engine_clocks[0] += even_clocks;
   fs->sim->stats.engine_clocks[1] += odd_clocks;
   fs->sim->stats.fragment_clocks +=
      even_clocks > odd_clocks ? even_clocks : odd_clocks;
   if (!trouble)
      return;
   for (unsigned i = 0; i < 16; i++) {
      if (surfaces >> i & 1)
         sim_report(fs->sim, SIM_DIAG_MEMORY_RANGE, GR3D_RT_PTR(i), -1,
                    "surface %u at 0x%08x, pitch %u: pixels up to (%d, %d) "
                    "are outside the job's memory",
                    i, fs->surface[i].base, fs->surface[i].pitch,
                    fs->bound_x1 - 1, fs->bound_y1 - 1);
      if (textures >> i & 1)
         sim_report(
            fs->sim, SIM_DIAG_MEMORY_RANGE, GR3D_TEXTURE_POINTER(i), -1,
            "texture unit %u, %ux%u at 0x%08x: texels outside the job's "
            "memory",
            i, fs->texture[i].level[0].width, fs->texture[i].level[0].height,
            (uint32_t)fs->texture[i].level[0].address);
   }
}

static void
flush(struct gr3d_fragment_state *fs)
{
   if (!fs->num_prims)
      return;
   if (build_tiles(fs)) {
      resolve_memory(fs);
      if (sim_switch(fs->sim, 56))
         keep_surfaces(fs);
      uint64_t pixels;
      /* One thread where the job may be cut off in the middle: where that is
       * must not depend on which is quicker. */
      long long clocks_left =
         atomic_load_explicit(&fs->gr3d->clocks_left, memory_order_relaxed);
      bool may_end = (long long)most_clocks(fs, &pixels) > clocks_left;
      unsigned tiles = fs->tiles_x * fs->tiles_y;
      if (fs->serial_only || may_end || pixels < SERIAL_PIXELS) {
         for (unsigned t = 0; t < tiles; t++)
            run_tile(fs, t, 0);
      } else {
         sim_threads_run(fs->threads, tiles, run_tile, fs);
      }
      forget_surfaces(fs);
      report_trouble(fs);
      gr3d_check_time(fs->gr3d);
   }
   fs->num_prims = fs->num_varyings = 0;
}

void
gr3d_fragment_end(struct gr3d *gr3d)
{
   flush(gr3d->fragment);
   if (gr3d->sim->options.strict)
      sim_fs_track_end(gr3d->fragment);
}

/* --- primitives --- */

static double
tram_value(const struct gr3d_vertex *v, const struct sim_fs_varying *varying)
{
   uint32_t raw = v->tram[varying->row][varying->column];
   if (varying->part == 0)
      return sim_fp20_to_float(raw);
   return sim_fx10_half(raw, varying->part - 1) * (1.0 / 256.0);
}

static bool
is_flat(const struct gr3d *gr3d, const struct sim_fs_varying *varying)
{
   return gr3d->flat_mask[varying->row] >>
             (varying->column + (varying->part == 2 ? 4 : 0)) &
          1;
}

static bool
depth_inside(const struct sim_fs_depth_stencil *ds, double z)
{
   return z * 0x1p20 >= ds->range_min + 1 && z * 0x1p20 <= ds->range_max - 1;
}

void
sim_fs_add_prim(struct gr3d_fragment_state *fs,
                const struct sim_fs_prim *prim,
                const struct gr3d_vertex *const v[3], unsigned provoking)
{
   const struct sim_fs_program *program = fs->program;
   if (fs->num_prims >= MAX_PRIMS ||
       fs->num_varyings + program->num_varyings > MAX_VARYINGS)
      flush(fs);
   if (!reserve((void **)&fs->prims, &fs->prims_capacity, fs->num_prims + 1,
                sizeof(*fs->prims)) ||
       !reserve((void **)&fs->varyings, &fs->varyings_capacity,
                fs->num_varyings + program->num_varyings + 1,
                sizeof(*fs->varyings)))
      return;
   struct sim_fs_prim *p = &fs->prims[fs->num_prims];
   *p = *prim;
   p->affine = prim->rw[0] == prim->rw[1] && prim->rw[1] == prim->rw[2] &&
               prim->rw[0] != 0;
   p->z_inside = !fs->ds.range_late && depth_inside(&fs->ds, prim->z0) &&
                 depth_inside(&fs->ds, prim->z1) &&
                 depth_inside(&fs->ds, prim->z2);
   p->varyings = fs->num_varyings;
   for (unsigned i = 0; i < program->num_varyings; i++) {
      const struct sim_fs_varying *varying = &program->varying[i];
      struct sim_fs_prim_varying *out = &fs->varyings[fs->num_varyings++];
      if (is_flat(fs->gr3d, varying)) {
         *out = (struct sim_fs_prim_varying){
            tram_value(v[provoking < 3 ? provoking : 0], varying), 0, 0
         };
      } else {
         double v2 = tram_value(v[2], varying);
         *out =
            (struct sim_fs_prim_varying){ v2, tram_value(v[0], varying) - v2,
                                          tram_value(v[1], varying) - v2 };
      }
   }
   if (!fs->num_prims) {
      fs->bound_x0 = prim->min_x;
      fs->bound_y0 = prim->min_y;
      fs->bound_x1 = prim->max_x;
      fs->bound_y1 = prim->max_y;
   } else {
      fs->bound_x0 = prim->min_x < fs->bound_x0 ? prim->min_x : fs->bound_x0;
      fs->bound_y0 = prim->min_y < fs->bound_y0 ? prim->min_y : fs->bound_y0;
      fs->bound_x1 = prim->max_x > fs->bound_x1 ? prim->max_x : fs->bound_x1;
      fs->bound_y1 = prim->max_y > fs->bound_y1 ? prim->max_y : fs->bound_y1;
   }
   fs->num_prims++;
}
