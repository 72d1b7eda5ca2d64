/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A draw of patches, some at a time (a sub-draw): vertex and hull shader in
 * one wave for each patch, which write tess factors and parameters to memory;
 * the tessellator, which reads the factors; the domain shader for each point.
 *
 * Registers as a program finds them: r0.x bits 0-4 patch of the wave, 5-9
 * vertex, 10-14 invocation; r0.y gl_PrimitiveID; r0.z number of the patch in
 * the buffer, from 0 in each sub-draw.
 */

#include <stdlib.h>
#include <string.h>

#include "a4xx_internal.h"
#include "float_mode.h"
#include "numbers.h"
#include "threads.h"

struct point {
   uint32_t patch; /* number in the buffer */
   uint32_t primitive;
   float u, v;
};

/* Points of one patch that share a wave. */
struct run {
   uint32_t first, count;
};

struct patches {
   struct a4xx *chip;
   const struct draw *draw;
   struct program vs, hs, ds;
   unsigned mode, corners;  /* of a primitive that comes out */
   unsigned in, out, lanes; /* vertices of a patch; lanes that it takes */
   unsigned patches_a_wave;
   unsigned each; /* patches of an instance */
   uint32_t factors, stride;
   struct tessellator *tess;

   /* The sub-draw. */
   uint32_t first, count; /* patches, of all instances */
   struct point *points;
   uint32_t num_points, max_points;
   struct run *runs;
   uint32_t num_runs, max_runs;

   /* What came out of all of them. */
   struct a4xx_vertex *vertices;
   uint32_t num_vertices, max_vertices;
   uint32_t *indices;
   uint32_t num_indices, max_indices;
   bool failed;           /* atomic */
   uint64_t instructions; /* atomic */
};

/* Room for "more" further elements. */
static bool
grow(void *array, uint32_t *max, uint32_t used, uint32_t more, size_t size)
{
   void **pointer = array;
   if (used + more <= *max)
      return true;
   if ((uint64_t)used + more > A4XX_MAX_VERTICES)
      return false;
   uint32_t room = A4XX_MAX(used + more, A4XX_MIN(*max * 2, 1u << 20));
   void *grown = realloc(*pointer, room * size);
   if (!grown)
      return false;
   *pointer = grown;
   *max = room;
   return true;
}

/* --- vertex and hull shader --- */

static void
preload_lane(struct ir3_wave *wave, const struct patches *p, unsigned lane,
             uint32_t number)
{
   const unsigned in_wave = lane / p->lanes, vertex = lane % p->lanes;
   const uint32_t patch = p->first + number;
   wave->item[lane] =
      p->chip->options.profile.private_scope == A4XX_PRIVATE_PATCH ? in_wave
                                                                   : lane;
   wave->patch[lane] = in_wave;
   ir3_wave_preload(wave, 0, lane, in_wave | vertex << 5 | vertex << 10);
   ir3_wave_preload(wave, 1, lane, patch % p->each);
   ir3_wave_preload(wave, 2, lane, number);
}

/* Lanes of the wave's patches whose vertex is below the limit. */
static uint32_t
lanes_below(const struct patches *p, unsigned count, unsigned limit)
{
   uint32_t lanes = 0;
   for (unsigned lane = 0; lane < count * p->lanes; lane++) {
      if (lane % p->lanes < limit)
         lanes |= 1u << lane;
   }
   return lanes;
}

static void
check_factors(const struct patches *p, const struct ir3_wave *wave,
              unsigned count)
{
   /* The primitive's ID may be left out. */
   const unsigned all = (1u << p->stride / 4) - 2;
   for (unsigned i = 0; i < count; i++) {
      if ((wave->factors.written[i] & all) != all)
         a4xx_diag(p->chip, A4XX_DIAG_NO_FACTORS,
                   "HS: wrote dwords 0x%02x of patch %u's tess factors at "
                   "0x%08x, 0x%02x make them",
                   wave->factors.written[i], wave->factors.first + i,
                   p->factors, all);
   }
}

static bool
run_vertices(const struct patches *p, struct ir3_wave *wave, unsigned number,
             unsigned count)
{
   const uint32_t lanes = lanes_below(p, count, p->in);
   for (unsigned lane = 0; lane < count * p->lanes; lane++) {
      preload_lane(wave, p, lane, number + lane / p->lanes);
      if (!(lanes >> lane & 1))
         continue;
      uint32_t patch = p->first + number + lane / p->lanes;
      if (!vfd_fetch(p->chip, wave, lane, p->draw,
                     patch % p->each * p->in + lane % p->lanes,
                     patch / p->each))
         return false;
   }
   if (!ir3_wave_run(wave, lanes))
      return false;
   if (wave->ended) {
      a4xx_diag(p->chip, A4XX_DIAG_CHAIN,
                "VS: ends without a chsh in a draw of patches");
      return false;
   }
   return true;
}

static bool
hull_wave(struct patches *p, unsigned item, struct shader *shader)
{
   struct a4xx *chip = p->chip;
   struct ir3_wave *wave = &shader->wave;
   const unsigned number = item * p->patches_a_wave;
   const unsigned count = A4XX_MIN(p->count - number, p->patches_a_wave);
   if (!shader_begin(chip, shader, &p->vs, STAGE_VS,
                     a4xx_reg(chip, SP_VS_CTRL_REG0)) ||
       !run_vertices(p, wave, number, count))
      return false;
   wave->factors = (struct ir3_factors){ .address = p->factors,
                                         .stride = p->stride,
                                         .first = number };
   shader_continue(shader, &p->hs, STAGE_HS);
   if (!ir3_wave_run(wave, lanes_below(p, count, p->out)))
      return false;
   __atomic_fetch_add(&p->instructions, wave->executed, __ATOMIC_RELAXED);
   if (wave->chained)
      a4xx_diag(chip, A4XX_DIAG_CHAIN,
                "HS: chsh, and nothing comes behind it");
   check_factors(p, wave, count);
   return !wave->chained;
}

static void
hull_item(void *data, unsigned item, unsigned thread)
{
   struct patches *p = data;
   if (__atomic_load_n(&p->failed, __ATOMIC_RELAXED))
      return;
   unsigned old = sim_float_flush();
   if (!hull_wave(p, item, &p->chip->shaders[thread]))
      __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
   sim_float_restore(old);
}

/* --- tessellator --- */

static bool
add_domain(struct patches *p, uint32_t number, uint32_t primitive,
           const struct tess_domain *domain)
{
   const uint32_t n = domain->num_points;
   const uint32_t base = p->num_vertices + p->num_points;
   if (!grow(&p->points, &p->max_points, p->num_points, n,
             sizeof(*p->points)) ||
       !grow(&p->runs, &p->max_runs, p->num_runs, n / IR3_LANES + 1,
             sizeof(*p->runs)) ||
       !grow(&p->indices, &p->max_indices, p->num_indices,
             domain->num_indices, sizeof(*p->indices)))
      return false;
   for (uint32_t i = 0; i < n; i += IR3_LANES)
      p->runs[p->num_runs++] =
         (struct run){ p->num_points + i, A4XX_MIN(n - i, IR3_LANES) };
   for (uint32_t i = 0; i < n; i++)
      p->points[p->num_points + i] =
         (struct point){ number, primitive, domain->u[i], domain->v[i] };
   for (uint32_t i = 0; i < domain->num_indices; i++)
      p->indices[p->num_indices++] = base + domain->indices[i];
   p->num_points += n;
   return true;
}

/* The factors are read as memory has them. */
static bool
tessellate(struct patches *p)
{
   p->num_points = p->num_runs = 0;
   for (uint32_t i = 0; i < p->count; i++) {
      const uint32_t address = p->factors + i * p->stride;
      const uint8_t *group = a4xx_memory(p->chip, address, p->stride);
      struct tess_domain domain;
      uint32_t primitive;
      float levels[6];
      if (!group) {
         a4xx_diag(p->chip, A4XX_DIAG_TESS_BUFFER,
                   "tess factors of patch %u are at 0x%08x, which is no "
                   "memory",
                   i, address);
         return false;
      }
      memcpy(&primitive, group, 4);
      memcpy(levels, group + 4, p->stride - 4);
      tess_run(p->tess, p->mode, levels, &domain);
      if (!add_domain(p, i, primitive, &domain))
         return false;
   }
   return true;
}

/* --- domain shader --- */

static bool
domain_wave(struct patches *p, unsigned item, struct shader *shader)
{
   struct a4xx *chip = p->chip;
   struct ir3_wave *wave = &shader->wave;
   const struct run *run = &p->runs[item];
   const uint32_t control = a4xx_reg(chip, VFD_CONTROL_3);
   if (!shader_begin(chip, shader, &p->ds, STAGE_DS,
                     a4xx_reg(chip, SP_DS_CTRL_REG0)))
      return false;
   for (unsigned lane = 0; lane < run->count; lane++) {
      const struct point *point = &p->points[run->first + lane];
      ir3_wave_preload(wave, 1, lane, point->primitive);
      ir3_wave_preload(wave, 2, lane, point->patch);
      ir3_wave_preload(wave, control >> 16 & 0xff, lane,
                       sim_float_bits(point->u));
      ir3_wave_preload(wave, control >> 24, lane, sim_float_bits(point->v));
   }
   if (!ir3_wave_run(wave, ~0u >> (IR3_LANES - run->count)))
      return false;
   __atomic_fetch_add(&p->instructions, wave->executed, __ATOMIC_RELAXED);
   for (unsigned lane = 0; p->vertices && lane < run->count; lane++)
      draw_read_outputs(chip, wave, lane, SP_DS_PARAM_REG,
                        &p->vertices[p->num_vertices + run->first + lane]);
   return true;
}

static void
domain_item(void *data, unsigned item, unsigned thread)
{
   struct patches *p = data;
   if (__atomic_load_n(&p->failed, __ATOMIC_RELAXED))
      return;
   unsigned old = sim_float_flush();
   if (!domain_wave(p, item, &p->chip->shaders[thread]))
      __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
   sim_float_restore(old);
}

static bool
sub_draw(struct patches *p)
{
   a4xx_run_items(p->chip, &p->hs,
                  (p->count + p->patches_a_wave - 1) / p->patches_a_wave,
                  hull_item, p);
   if (p->failed || !tessellate(p))
      return false;
   if (draw_has_use(p->chip) &&
       !grow(&p->vertices, &p->max_vertices, p->num_vertices, p->num_points,
             sizeof(*p->vertices)))
      return false;
   a4xx_run_items(p->chip, &p->ds, p->num_runs, domain_item, p);
   p->num_vertices += p->num_points;
   return !p->failed;
}

/* --- the draw --- */

static bool
set_up(struct patches *p)
{
   static const uint8_t strides[3] = { 28, 20, 12 };
   struct a4xx *chip = p->chip;
   const uint32_t initiator = p->draw->initiator;
   const uint32_t param = a4xx_reg(chip, PC_HS_PARAM);
   p->mode = DRAW_TESS_MODE(initiator);
   p->in = (DRAW_PRIMITIVE(initiator) & 0x1f) + 1;
   p->out = HS_VERTICES_OUT(param);
   if (p->mode < TESS_MODE_QUADS || p->mode > TESS_MODE_ISOLINES) {
      a4xx_diag(chip, A4XX_DIAG_TESS_MODE,
                "initiator 0x%08x: TESS_MODE 0x%x is not modelled", initiator,
                p->mode);
      return false;
   }
   if (!p->out || p->out > A4XX_MAX_PATCH) {
      a4xx_diag(chip, A4XX_DIAG_HS_PARAM,
                "PC_HS_PARAM 0x%08x: %u vertices of a patch, 1 to 32 can be",
                param, p->out);
      return false;
   }
   p->lanes = A4XX_MAX(p->in, p->out);
   p->patches_a_wave =
      chip->options.profile.patches_a_wave ? 1 : IR3_LANES / p->lanes;
   p->each = p->draw->num_indices / p->in;
   p->factors = a4xx_reg(chip, PC_TESSFACTOR_ADDR);
   p->stride = strides[p->mode - TESS_MODE_QUADS];
   const bool lines = p->mode == TESS_MODE_ISOLINES;
   const bool connected = param & (lines ? HS_CW : HS_CONNECTED);
   p->corners = !connected ? 1 : lines ? 2 : 3;
   p->tess = tess_create(p->mode, HS_SPACING(param),
                         !lines && (param & HS_CW), !connected);
   return p->tess;
}

/* What nobody has seen otherwise (docs/adreno.md). */
static void
check_set_up(struct a4xx *chip, const struct patches *p)
{
   static const struct {
      uint16_t reg;
      uint32_t value;
   } usual[] = {
      { SP_HS_CTRL_REG1, 0x00010000 },
      { UNKNOWN_21E6, 1 },
      { VFD_CONTROL_2, 0 },
      { VFD_CONTROL_4, 0 },
   };
   const uint32_t param = a4xx_reg(chip, PC_HS_PARAM);
   for (unsigned i = 0; i < A4XX_COUNT(usual); i++) {
      if (a4xx_reg(chip, usual[i].reg) != usual[i].value)
         a4xx_diag(chip, A4XX_DIAG_UNKNOWN_VALUE,
                   "register 0x%04x is 0x%08x in a draw of patches, and "
                   "everybody writes 0x%08x",
                   usual[i].reg, a4xx_reg(chip, usual[i].reg),
                   usual[i].value);
   }
   if (DRAW_VISIBILITY(p->draw->initiator))
      a4xx_diag(chip, A4XX_DIAG_VISIBILITY,
                "initiator 0x%08x: patches drawn by a visibility stream",
                p->draw->initiator);
   if (HS_SPACING(param) == 1 ||
       (p->mode == TESS_MODE_ISOLINES && (param & HS_CONNECTED)))
      a4xx_diag(chip, A4XX_DIAG_TESS_PARAM,
                "PC_HS_PARAM 0x%08x does not fit TESS_MODE 0x%x", param,
                p->mode);
}

static void
run_all(struct patches *p)
{
   const struct a4xx_profile *profile = &p->chip->options.profile;
   const uint32_t total = p->each * p->draw->instances;
   bool good = true;
   for (p->first = 0; good && p->first < total; p->first += p->count) {
      p->count = A4XX_MIN(total - p->first, profile->subdraw);
      if (profile->restart_instances)
         p->count = A4XX_MIN(p->count, p->each - p->first % p->each);
      p->chip->stats.patches += p->count;
      good = sub_draw(p);
   }
   p->chip->stats.vertices += p->num_vertices;
   p->chip->stats.instructions += p->instructions;
   if (good)
      draw_finish(p->chip, &(struct a4xx_capture){
                              .primitive = p->corners,
                              .patches = true,
                              .num_outputs =
                                 draw_num_outputs(p->chip, SP_DS_PARAM_REG),
                              .num_vertices = p->num_vertices,
                              .vertices = p->vertices,
                              .num_indices = p->num_indices,
                              .indices = p->indices,
                           });
}

void
patches_draw(struct a4xx *chip, struct draw *draw)
{
   struct patches p = { .chip = chip, .draw = draw };
   if (set_up(&p)) {
      check_set_up(chip, &p);
      if (a4xx_get_program(chip, STAGE_VS, &p.vs) &&
          a4xx_get_program(chip, STAGE_HS, &p.hs) &&
          a4xx_get_program(chip, STAGE_DS, &p.ds) && p.each)
         run_all(&p);
      a4xx_put_program(&p.vs);
      a4xx_put_program(&p.hs);
      a4xx_put_program(&p.ds);
      tess_destroy(p.tess);
   }
   free(p.points);
   free(p.runs);
   free(p.vertices);
   free(p.indices);
}
