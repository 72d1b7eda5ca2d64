/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A draw: 32 vertices at a time through the vertex shader, then into lists of
 * points, lines and triangles.
 */

#include <stdlib.h>
#include <string.h>

#include "a4xx_internal.h"
#include "float_mode.h"
#include "numbers.h"
#include "raster.h"
#include "threads.h"

enum primitive_type {
   POINTS_SIZED = 1,
   LINES,
   LINE_STRIP,
   TRIANGLES,
   TRIANGLE_FAN,
   TRIANGLE_STRIP,
   LINE_LOOP,
   RECTANGLES,
   POINTS,
};

/* --- outputs --- */

/* The n-th varying: its register, components, and location; false: none. */
static bool
get_output(const struct a4xx *chip, unsigned param_reg, unsigned n,
           unsigned *reg, unsigned *mask, unsigned *location)
{
   const unsigned outs = param_reg + 1;
   const unsigned destinations =
      param_reg + (SP_VS_VPC_DST - SP_VS_PARAM_REG);
   const unsigned total = a4xx_reg(chip, param_reg) >> 20;
   if (n >= A4XX_MIN(total, A4XX_MAX_OUTPUTS / 4))
      return false;
   const uint32_t out = a4xx_reg(chip, outs + n / 2) >> n % 2 * 16;
   const unsigned place =
      a4xx_reg(chip, destinations + n / 4) >> n % 4 * 8 & 0xff;
   *reg = out & 0x1ff;
   *mask = out >> 9 & 0xf;
   /* Varyings begin at 8. */
   *location = place - 8;
   return *mask && place >= 8;
}

unsigned
draw_num_outputs(const struct a4xx *chip, unsigned param_reg)
{
   unsigned reg, mask, location, num = 0;
   for (unsigned n = 0;
        get_output(chip, param_reg, n, &reg, &mask, &location); n++)
      num = A4XX_MAX(num, location + 32 - __builtin_clz(mask));
   return A4XX_MIN(num, A4XX_MAX_OUTPUTS);
}

static float
full_float(const struct ir3_wave *wave, unsigned reg, unsigned lane)
{
   return reg < IR3_REGS ? sim_float_from_bits(wave->full[reg][lane]) : 0;
}

void
draw_transform(const struct a4xx *chip, struct a4xx_vertex *vertex)
{
   const float w = 1.0f / vertex->position[3];
   for (unsigned i = 0; i < 3; i++) {
      float offset =
         sim_float_from_bits(a4xx_reg(chip, GRAS_CL_VPORT_XOFFSET_0 + i * 2));
      float scale = sim_float_from_bits(
         a4xx_reg(chip, GRAS_CL_VPORT_XOFFSET_0 + i * 2 + 1));
      vertex->window[i] = vertex->position[i] * w * scale + offset;
   }
   vertex->window[3] = w;
}

void
draw_read_outputs(const struct a4xx *chip, const struct ir3_wave *wave,
                  unsigned lane, unsigned param_reg,
                  struct a4xx_vertex *vertex)
{
   const uint32_t param = a4xx_reg(chip, param_reg);
   unsigned reg, mask, location;
   memset(vertex, 0, sizeof(*vertex));
   for (unsigned c = 0; c < 4; c++)
      vertex->position[c] = full_float(wave, (param & 0xff) + c, lane);
   vertex->point_size = full_float(wave, param >> 8 & 0xff, lane);
   draw_transform(chip, vertex);
   for (unsigned n = 0;
        get_output(chip, param_reg, n, &reg, &mask, &location); n++) {
      const ir3_u *file = reg >> 8 ? wave->half : wave->full;
      for (unsigned c = 0; c < 4; c++) {
         unsigned number = (reg & 0xff) + c;
         if ((mask >> c & 1) && location + c < A4XX_MAX_OUTPUTS &&
             number < IR3_REGS)
            vertex->outputs[location + c] = file[number][lane];
      }
   }
}

bool
draw_has_use(const struct a4xx *chip)
{
   return chip->options.capture || raster_enabled(chip);
}

void
draw_finish(struct a4xx *chip, struct a4xx_capture *capture)
{
   chip->stats.primitives += capture->num_indices / capture->primitive;
   capture->draw = chip->stats.draws;
   if (chip->options.capture)
      chip->options.capture(chip->options.data, capture);
   if (raster_enabled(chip))
      raster_draw(chip, capture);
}

/* --- vertices --- */

struct job {
   struct a4xx *chip;
   const struct draw *draw;
   struct program program;
   struct a4xx_vertex *vertices; /* of all instances; NULL: nobody looks */
   unsigned waves;               /* of an instance */
   bool failed;                  /* atomic */
   uint64_t instructions;        /* atomic */
};

/* A vertex's number of transform feedback. */
static uint32_t
feedback_number(const struct a4xx_profile *profile, const struct draw *draw,
                unsigned instance, unsigned run)
{
   const bool counted = profile->runs == A4XX_RUNS_COUNTED;
   const unsigned all = counted ? draw->num_runs : draw->num_indices;
   const bool restarts = profile->instance_number == A4XX_NUMBER_RESTARTS;
   return (restarts ? 0 : instance * all) + (counted ? run : draw->runs[run]);
}

static bool
shade_wave(struct job *job, unsigned item, struct shader *shader)
{
   struct a4xx *chip = job->chip;
   const struct draw *draw = job->draw;
   const unsigned instance = item / job->waves;
   const unsigned first = item % job->waves * IR3_LANES;
   const unsigned count = A4XX_MIN(draw->num_runs - first, IR3_LANES);
   struct ir3_wave *wave = &shader->wave;
   const unsigned count_reg = a4xx_reg(chip, VFD_CONTROL_3) >> 8 & 0xff;
   if (!shader_begin(chip, shader, &job->program, STAGE_VS,
                     a4xx_reg(chip, SP_VS_CTRL_REG0)))
      return false;
   for (unsigned lane = 0; lane < count; lane++) {
      if (!vfd_fetch(chip, wave, lane, draw, draw->runs[first + lane],
                     instance))
         return false;
      ir3_wave_preload(wave, count_reg, lane,
                       feedback_number(&chip->options.profile, draw, instance,
                                       first + lane));
   }
   if (!ir3_wave_run(wave, ~0u >> (IR3_LANES - count)))
      return false;
   __atomic_fetch_add(&job->instructions, wave->executed, __ATOMIC_RELAXED);
   if (wave->chained) {
      a4xx_diag(chip, A4XX_DIAG_CHAIN,
                "VS: chsh in a draw without a hull shader");
      return false;
   }
   for (unsigned lane = 0; job->vertices && lane < count; lane++)
      draw_read_outputs(
         chip, wave, lane, SP_VS_PARAM_REG,
         &job->vertices[instance * draw->num_runs + first + lane]);
   return true;
}

static void
shade_item(void *data, unsigned item, unsigned thread)
{
   struct job *job = data;
   if (__atomic_load_n(&job->failed, __ATOMIC_RELAXED))
      return;
   unsigned old = sim_float_flush();
   if (!shade_wave(job, item, &job->chip->shaders[thread]))
      __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
   sim_float_restore(old);
}

/* --- primitives --- */

struct list {
   uint32_t *indices;
   unsigned count;
};

static void
add(struct list *list, unsigned corners, uint32_t a, uint32_t b, uint32_t c)
{
   const uint32_t all[3] = { a, b, c };
   memcpy(list->indices + list->count, all, corners * sizeof(*all));
   list->count += corners;
}

/* Of vertices first to first + count - 1, between restarts.  Of strips and
 * fans the provoking vertex comes last or first, and they go round alike. */
static void
assemble(unsigned type, bool last, uint32_t first, unsigned count,
         struct list *list)
{
   switch (type) {
   case POINTS_SIZED:
   case POINTS:
      for (unsigned i = 0; i < count; i++)
         add(list, 1, first + i, 0, 0);
      break;
   case LINES:
   case RECTANGLES: /* by corners that are opposite of each other */
      for (unsigned i = 0; i + 1 < count; i += 2)
         add(list, 2, first + i, first + i + 1, 0);
      break;
   case LINE_STRIP:
   case LINE_LOOP:
      for (unsigned i = 0; i + 1 < count; i++)
         add(list, 2, first + i, first + i + 1, 0);
      if (type == LINE_LOOP && count > 1)
         add(list, 2, first + count - 1, first, 0);
      break;
   case TRIANGLES:
      for (unsigned i = 0; i + 2 < count; i += 3)
         add(list, 3, first + i, first + i + 1, first + i + 2);
      break;
   case TRIANGLE_FAN:
      for (unsigned i = 0; i + 2 < count; i++) {
         if (last)
            add(list, 3, first, first + i + 1, first + i + 2);
         else
            add(list, 3, first + i + 1, first + i + 2, first);
      }
      break;
   default: /* TRIANGLE_STRIP */
      for (unsigned i = 0; i + 2 < count; i++) {
         const unsigned odd = i & 1;
         if (last)
            add(list, 3, first + i + odd, first + i + 1 - odd, first + i + 2);
         else
            add(list, 3, first + i, first + i + 1 + odd, first + i + 2 - odd);
      }
   }
}

static unsigned
corners_of(unsigned type)
{
   switch (type) {
   case POINTS_SIZED:
   case POINTS:
      return 1;
   case LINES:
   case LINE_STRIP:
   case LINE_LOOP:
   case RECTANGLES:
      return 2;
   case TRIANGLES ... TRIANGLE_STRIP:
      return 3;
   default:
      return 0;
   }
}

static void
assemble_all(const struct a4xx *chip, const struct draw *draw,
             struct list *list)
{
   const bool last = a4xx_reg(chip, PC_PRIM_VTX_CNTL) & PROVOKING_LAST;
   const unsigned type = DRAW_PRIMITIVE(draw->initiator);
   for (unsigned instance = 0; instance < draw->instances; instance++) {
      const uint32_t base = instance * draw->num_indices;
      for (unsigned i = 0, end; i < draw->num_indices; i = end) {
         for (end = i + 1; end < draw->num_indices && !draw->cuts[end]; end++)
            ;
         assemble(type, last, base + i, end - i, list);
      }
   }
   for (unsigned i = 0; i < list->count; i++) {
      const uint32_t place = list->indices[i];
      list->indices[i] = place / draw->num_indices * draw->num_runs +
                         draw->run_of[place % draw->num_indices];
   }
}

static void
draw_primitives(struct a4xx *chip, struct draw *draw)
{
   const unsigned corners = corners_of(DRAW_PRIMITIVE(draw->initiator));
   struct job job = { .chip = chip, .draw = draw };
   const size_t vertices = (size_t)draw->num_indices * draw->instances;
   if (!corners) {
      a4xx_diag(chip, A4XX_DIAG_DRAW_VALUE,
                "initiator 0x%08x: primitives of type 0x%02x are not "
                "modelled",
                draw->initiator, DRAW_PRIMITIVE(draw->initiator));
      return;
   }
   if (!vertices || !vfd_find_runs(chip, draw) ||
       !a4xx_get_program(chip, STAGE_VS, &job.program))
      return;
   job.waves = (draw->num_runs + IR3_LANES - 1) / IR3_LANES;
   /* A strip has up to three corners for each vertex. */
   struct list list = { malloc(vertices * corners * sizeof(uint32_t)) };
   const size_t runs = (size_t)draw->num_runs * draw->instances;
   if (draw_has_use(chip))
      job.vertices = malloc(runs * sizeof(*job.vertices));
   job.failed = !list.indices || (draw_has_use(chip) && !job.vertices);
   sim_threads_run(chip->threads, job.waves * draw->instances, shade_item,
                   &job);
   chip->stats.vertices += runs;
   chip->stats.instructions += job.instructions;
   if (!job.failed) {
      assemble_all(chip, draw, &list);
      draw_finish(
         chip, &(struct a4xx_capture){
                  .primitive = corners,
                  .rectangles = DRAW_PRIMITIVE(draw->initiator) == RECTANGLES,
                  .num_outputs = draw_num_outputs(chip, SP_VS_PARAM_REG),
                  .num_vertices = runs,
                  .vertices = job.vertices,
                  .num_indices = list.count,
                  .indices = list.indices,
               });
   }
   a4xx_put_program(&job.program);
   free(list.indices);
   free(job.vertices);
}

void
draw_run(struct a4xx *chip, struct draw *draw)
{
   const bool patches = DRAW_PRIMITIVE(draw->initiator) & DRAW_PATCHES;
   const unsigned mode = DRAW_TESS_MODE(draw->initiator);
   if ((uint64_t)draw->count * A4XX_MAX(draw->instances, 1) >
       chip->options.limit) {
      a4xx_diag(chip, A4XX_DIAG_DRAW_VALUE,
                "a draw of %u vertices and %u instances is too long",
                draw->count, draw->instances);
      return;
   }
   if (patches != (mode != 0)) {
      a4xx_diag(chip, A4XX_DIAG_TESS_MODE,
                "initiator 0x%08x: TESS_MODE 0x%x with primitives of type "
                "0x%02x",
                draw->initiator, mode, DRAW_PRIMITIVE(draw->initiator));
      return;
   }
   if (vfd_read_indices(chip, draw)) {
      if (patches)
         patches_draw(chip, draw);
      else
         draw_primitives(chip, draw);
   }
   free(draw->indices);
   free(draw->cuts);
   free(draw->runs);
   free(draw->run_of);
}
