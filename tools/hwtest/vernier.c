/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A vernier for the interpolator: a texture of 2048 texels drawn one to one
 * with a linear filter.  The centre of a pixel is that of a texel, so a pixel
 * that has a part of a neighbour tells by how much its coordinate is off.
 * Texel i has bit 0 of its number in red and bit 1 in green: red tells how
 * large the part is, green of which neighbour.  Where w varies no primitive
 * is drawn one to one: there red tells by how much the part that a pixel has
 * of either texel is another one.
 *
 * Where no value of A43 explains what the chip draws, the weights are fitted
 * with which the model draws what is nearest, and the range of weights
 * between whose pictures the chip's are.
 */

#include <stdlib.h>

#include "report.h"
#include "tegra20/gr3d_regs.h"

#define LENGTH 2048
#define LOG_LENGTH 11
#define BREADTH 16
#define LOG_BREADTH 4
#define FINEST 8 /* change of the weights, in 2^-24, that pixels show */
#define COARSEST 2048

/* Along X or Y, with w of 1 at the start and of this at the end. */
static const struct vernier_scale {
   unsigned axis;
   float w;
} along_x = { 0, 1 }, along_y = { 1, 1 }, deep_x = { 0, 2 },
  deep_y = { 1, 2 };

/* The place of pixel or texel i along the vernier, in row or column k. */
static uint32_t
place(unsigned axis, unsigned i, unsigned k)
{
   return 4 * (axis ? i * BREADTH + k : k * LENGTH + i);
}

static void
vernier_build(struct test *t, const void *data)
{
   const struct vernier_scale *scale = data;
   const unsigned axis = scale->axis;
   const unsigned width = axis ? BREADTH : LENGTH,
                  height = axis ? LENGTH : BREADTH;

   for (unsigned i = 0; i < LENGTH; i++) {
      for (unsigned k = 0; k < BREADTH; k++)
         *test_memory32(t, AT_TEXTURE + place(axis, i, k)) =
            0xff000000 | (i & 1 ? 0xff : 0) | (i & 2 ? 0xff00 : 0);
   }
   test_reg(t, GR3D_SCISSOR_HORIZ, width);
   test_reg(t, GR3D_SCISSOR_VERT, height);
   test_float(t, GR3D_VIEWPORT_X_BIAS, 8.0f * width);
   test_float(t, GR3D_VIEWPORT_X_SCALE, 8.0f * width);
   test_float(t, GR3D_VIEWPORT_Y_BIAS, 8.0f * height);
   test_float(t, GR3D_VIEWPORT_Y_SCALE, 8.0f * height);
   test_target(t, 1, AT_TARGET, GR3D_PIXEL_FORMAT_RGBA8888, 4 * width);
   test_texture(t, AT_TEXTURE, GR3D_PIXEL_FORMAT_RGBA8888,
                axis ? LOG_BREADTH : LOG_LENGTH,
                axis ? LOG_LENGTH : LOG_BREADTH, 1,
                FILTER_LINEAR | WRAP_CLAMP);
   test_fragment_program(t, FP_TEXTURE);
   for (unsigned i = 0; i < 4; i++) {
      const float s = i & 1, u = i >> 1, w = (axis ? u : s) ? scale->w : 1;
      test_clip_vertex(t, (2 * s - 1) * w, (2 * u - 1) * w, 0, w, s, u, 0, 1);
   }
   test_draw(t, GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP, 0, 4);
}

static bool
is_different(const struct finding *f)
{
   return f->experiment->build == vernier_build && f->device &&
          f->outcome == OUTCOME_OK;
}

/* How far the model with these weights is from what the device drew. */
static unsigned
distance(struct model *model, const struct weights *weights,
         const struct finding *findings, unsigned count)
{
   static struct test t;
   static struct result result;
   unsigned sum = 0;

   model_set_weights(model, weights);
   for (unsigned i = 0; i < count; i++) {
      const struct finding *f = &findings[i];

      if (!is_different(f))
         continue;
      test_3d(&t);
      vernier_build(&t, f->experiment->data);
      model_run(model, &t, &result);
      for (unsigned k = AT_TARGET; k < AT_TARGET + 4 * LENGTH * BREADTH; k++)
         sum += abs(result.memory[k] - f->device->memory[k]);
   }
   return sum;
}

/* The weights that are nearest, by steps that get smaller.  At the start of
 * the vernier along Y the offset counts twice: what one does the other undoes
 * in half of the step. */
static struct weights
nearest_weights(struct model *model, const struct finding *findings,
                unsigned count)
{
   struct weights w = { 0 };
   unsigned best = distance(model, &w, findings, count);
   bool moved;

   for (int step = COARSEST; step > 1; step /= moved ? 1 : 2) {
      moved = false;
      for (int k = 0; k < 9; k++) {
         const struct weights next = { w.error + (k % 3 - 1) * step,
                                       w.offset + (k / 3 - 1) * step / 2 };
         const unsigned now = distance(model, &next, findings, count);

         if (now >= best)
            continue;
         best = now;
         w = next;
         moved = true;
      }
   }
   return w;
}

bool
vernier_set_weights(struct model *model, const struct finding *findings,
                    unsigned count, const struct conclusion *conclusion)
{
   const bool refit =
      conclusion->count && model_weights(model)->range > FINEST;
   bool strange = refit, fits = false;

   for (unsigned i = 0; i < count; i++)
      strange |= is_different(&findings[i]) && !findings[i].explained;
   if (!strange)
      return false;
   conclusion_set(model, conclusion, true);
   struct weights w = nearest_weights(model, findings, count);
   for (w.range = FINEST; !fits && w.range <= COARSEST; w.range *= 2) {
      model_set_weights(model, &w);
      fits = true;
      for (unsigned i = 0; i < count; i++)
         fits &=
            !is_different(&findings[i]) || finding_fits(model, &findings[i]);
   }
   conclusion_set(model, conclusion, false);
   return true;
}

static const struct experiment table[] = {
   { "A43", "vernier-x", "2048 texels one to one, linear, across",
     vernier_build, &along_x },
   { "A43", "vernier-y", "the same upwards", vernier_build, &along_y },
   { "A43", "vernier-deep-x", "across, with w from 1 to 2", vernier_build,
     &deep_x },
   { "A43", "vernier-deep-y", "the same upwards", vernier_build, &deep_y },
};

const struct experiment_table vernier_experiments = {
   table, sizeof(table) / sizeof(table[0])
};
