/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Tests of fragments by the CPU, where the order of the engine's stages is
 * not that of OpenGL: depth and stencil of programs that write gl_FragDepth,
 * stencil of programs that discard, both where the chip makes a test in
 * another way, and whether pixels are active in a loop (tegra20_pass.h).
 */

#include "tegra20_multipass.h"

#include "tegra20_context.h"
#include "tegra20_resource.h"
#include "tegra20_scratch.h"

bool
tegra20_has_depth(const struct tegra20_context *ctx)
{
   const struct pipe_surface *zs = ctx->framebuffer.zsbuf;

   return zs && ctx->zsa->base.depth_enabled &&
          tegra20_resource_depth(tegra20_surface_zs(zs));
}

bool
tegra20_has_stencil(const struct tegra20_context *ctx)
{
   const struct pipe_surface *zs = ctx->framebuffer.zsbuf;

   return zs && ctx->zsa->stencil &&
          tegra20_resource_stencil(tegra20_surface_zs(zs));
}

static bool
tegra20_test_passes(unsigned func, unsigned z, unsigned stored)
{
   switch (func) {
   case PIPE_FUNC_NEVER:
      return false;
   case PIPE_FUNC_LESS:
      return z < stored;
   case PIPE_FUNC_EQUAL:
      return z == stored;
   case PIPE_FUNC_LEQUAL:
      return z <= stored;
   case PIPE_FUNC_GREATER:
      return z > stored;
   case PIPE_FUNC_NOTEQUAL:
      return z != stored;
   case PIPE_FUNC_GEQUAL:
      return z >= stored;
   default:
      return true;
   }
}

static uint8_t
tegra20_stencil_result(unsigned op, uint8_t stored, uint8_t ref)
{
   switch (op) {
   case PIPE_STENCIL_OP_ZERO:
      return 0;
   case PIPE_STENCIL_OP_REPLACE:
      return ref;
   case PIPE_STENCIL_OP_INCR:
      return MIN2(stored + 1, 255);
   case PIPE_STENCIL_OP_DECR:
      return MAX2(stored - 1, 0);
   case PIPE_STENCIL_OP_INCR_WRAP:
      return stored + 1;
   case PIPE_STENCIL_OP_DECR_WRAP:
      return stored - 1;
   case PIPE_STENCIL_OP_INVERT:
      return ~stored;
   default:
      return stored;
   }
}

/* Stencil state and reference of a face. */
struct tegra20_face {
   const struct pipe_stencil_state *state;
   uint8_t ref;
};

static struct tegra20_face
tegra20_stencil_face(const struct tegra20_context *ctx, bool back)
{
   const struct pipe_stencil_state *states = ctx->zsa->base.stencil;

   back = back && states[1].enabled;
   return (struct tegra20_face){ &states[back],
                                 ctx->stencil_ref.ref_value[back] };
}

static bool
tegra20_stencil_passes(const struct tegra20_face *face, uint8_t stored)
{
   return tegra20_test_passes(face->state->func,
                              face->ref & face->state->valuemask,
                              stored & face->state->valuemask);
}

/* A level of a tiled surface for the CPU. */
struct tegra20_mapped {
   uint8_t *map;
   unsigned pitch;
};

static bool
tegra20_map_surface(struct tegra20_context *ctx, struct tegra20_mapped *m,
                    struct tegra20_resource *res, unsigned level,
                    unsigned layer, unsigned access)
{
   tegra20_context_sync_bo(ctx, res->bo, access);
   m->map = tegra20_bo_map(res->bo);
   if (!m->map)
      return false;
   m->map += tegra20_resource_offset(res, level, layer);
   m->pitch = res->layout.levels[level].pitch;
   return true;
}

static uint8_t *
tegra20_mapped_byte(const struct tegra20_mapped *m, unsigned x, unsigned y)
{
   return m->map + tegra20_tiled_offset(m->pitch, x, y);
}

static bool
tegra20_map_marks(struct tegra20_context *ctx, struct tegra20_mapped *m,
                  unsigned access)
{
   return tegra20_map_surface(ctx, m, tegra20_resource(ctx->scratch->marks),
                              0, 0, access);
}

static bool
tegra20_map_stencil(struct tegra20_context *ctx, struct tegra20_mapped *m,
                    const struct pipe_surface *zs, unsigned access)
{
   return tegra20_map_surface(
      ctx, m, tegra20_resource_stencil(tegra20_surface_zs(zs)),
      zs->u.tex.level, zs->u.tex.first_layer, access);
}

bool
tegra20_test_stencil(struct tegra20_context *ctx,
                     const struct tegra20_pass *pass)
{
   const struct pipe_scissor_state *area = &ctx->draw_area;
   struct tegra20_mapped stencil, marks;

   if (!tegra20_map_stencil(ctx, &stencil, pass->zsbuf, TEGRA20_READ) ||
       !tegra20_map_marks(ctx, &marks, TEGRA20_READ | TEGRA20_WRITE))
      return false;
   for (unsigned y = area->miny; y < area->maxy; y++) {
      for (unsigned x = area->minx; x < area->maxx; x++) {
         uint8_t *mark = tegra20_mapped_byte(&marks, x, y);
         const bool back = *mark != pass->mark;

         if (*mark != pass->mark + back)
            continue;
         const struct tegra20_face face = tegra20_stencil_face(ctx, back);
         const uint8_t stored = *tegra20_mapped_byte(&stencil, x, y);
         *mark = tegra20_stencil_passes(&face, stored) ? pass->mark : 0;
      }
   }
   return true;
}

/* Both tests for a fragment, and their writes; depth or stencil NULL: no such
 * test.  Does it pass? */
static bool
tegra20_test_fragment(const struct tegra20_context *ctx, uint16_t *depth,
                      uint8_t *stencil, uint16_t z, bool back)
{
   const struct pipe_depth_stencil_alpha_state *state = &ctx->zsa->base;
   bool pass = !depth || tegra20_test_passes(state->depth_func, z, *depth);

   if (stencil) {
      const struct tegra20_face face = tegra20_stencil_face(ctx, back);
      const struct pipe_stencil_state *s = face.state;
      const uint8_t stored = *stencil;
      const bool stencil_pass = tegra20_stencil_passes(&face, stored);
      unsigned op = !stencil_pass ? s->fail_op
                    : pass        ? s->zpass_op
                                  : s->zfail_op;

      *stencil =
         (tegra20_stencil_result(op, stored, face.ref) & s->writemask) |
         (stored & ~s->writemask);
      pass = pass && stencil_pass;
   }
   if (pass && depth && state->depth_writemask)
      *depth = z;
   return pass;
}

bool
tegra20_test_fragments(struct tegra20_context *ctx,
                       const struct tegra20_pass *pass)
{
   const struct pipe_surface *zs = pass->zsbuf;
   const struct pipe_scissor_state *area = &ctx->draw_area;
   const unsigned both = TEGRA20_READ | TEGRA20_WRITE;
   const bool has_stencil = tegra20_has_stencil(ctx);
   struct tegra20_resource *res = tegra20_surface_zs(zs);
   struct tegra20_mapped image, depth, stencil, marks;

   if (!tegra20_map_surface(
          ctx, &image,
          tegra20_resource(
             ctx->scratch->images[TEGRA20_IMAGE_DEPTH]->texture),
          0, 0, TEGRA20_READ) ||
       !tegra20_map_surface(ctx, &depth, tegra20_resource_depth(res),
                            zs->u.tex.level, zs->u.tex.first_layer, both) ||
       !tegra20_map_marks(ctx, &marks, TEGRA20_WRITE) ||
       (has_stencil && !tegra20_map_stencil(ctx, &stencil, zs, both)))
      return false;

   for (unsigned y = area->miny; y < area->maxy; y++) {
      for (unsigned x = area->minx; x < area->maxx; x++) {
         const uint8_t *fragment = image.map + y * image.pitch + x * 4;
         uint16_t *z = (uint16_t *)tegra20_mapped_byte(&depth, x * 2, y);
         uint8_t *s =
            has_stencil ? tegra20_mapped_byte(&stencil, x, y) : NULL;

         if (fragment[2] &&
             tegra20_test_fragment(ctx, z, s, fragment[0] << 8 | fragment[1],
                                   fragment[3] < 128))
            *tegra20_mapped_byte(&marks, x, y) = pass->mark;
      }
   }
   tegra20_resource_written(res);
   return true;
}

bool
tegra20_test_captured(struct tegra20_context *ctx,
                      const struct tegra20_pass *pass)
{
   const struct pipe_surface *zs = pass->zsbuf;
   const struct pipe_scissor_state *area = &ctx->draw_area;
   const unsigned both = TEGRA20_READ | TEGRA20_WRITE;
   const bool has_depth = tegra20_has_depth(ctx),
              has_stencil = tegra20_has_stencil(ctx);
   struct tegra20_resource *res = tegra20_surface_zs(zs);
   struct tegra20_mapped captured, depth, stencil, marks;

   if (!tegra20_map_surface(ctx, &captured,
                            tegra20_resource(ctx->scratch->depth->texture), 0,
                            0, TEGRA20_READ) ||
       (has_depth &&
        !tegra20_map_surface(ctx, &depth, tegra20_resource_depth(res),
                             zs->u.tex.level, zs->u.tex.first_layer, both)) ||
       (has_stencil && !tegra20_map_stencil(ctx, &stencil, zs, both)) ||
       !tegra20_map_marks(ctx, &marks, both))
      return false;
   for (unsigned y = area->miny; y < area->maxy; y++) {
      for (unsigned x = area->minx; x < area->maxx; x++) {
         uint8_t *mark = tegra20_mapped_byte(&marks, x, y);
         const bool back = *mark != pass->mark;

         if (*mark != pass->mark + back)
            continue;
         const uint16_t *z =
            (uint16_t *)tegra20_mapped_byte(&captured, x * 2, y);
         const bool passes = tegra20_test_fragment(
            ctx,
            has_depth ? (uint16_t *)tegra20_mapped_byte(&depth, x * 2, y)
                      : NULL,
            has_stencil ? tegra20_mapped_byte(&stencil, x, y) : NULL, *z,
            back);
         *mark = passes ? pass->mark : 0;
      }
   }
   tegra20_resource_written(res);
   return true;
}

bool
tegra20_any_active(struct tegra20_context *ctx,
                   const struct pipe_surface *flags, bool *active)
{
   const struct pipe_scissor_state *area = &ctx->draw_area;
   struct tegra20_mapped m;

   *active = false;
   if (!tegra20_map_surface(ctx, &m, tegra20_resource(flags->texture), 0, 0,
                            TEGRA20_READ))
      return false;
   for (unsigned y = area->miny; y < area->maxy && !*active; y++) {
      for (unsigned x = area->minx; x < area->maxx && !*active; x++)
         *active = m.map[y * m.pitch + 4 * x];
   }
   return true;
}
