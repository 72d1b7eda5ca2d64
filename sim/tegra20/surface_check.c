/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Strict mode: surfaces, textures, depth and stencil state of a draw.
 */

#include "fragment.h"
#include "tegra20/gr3d_regs.h"

#define REPORT(fs, number, reg, ...) \
   sim_report((fs)->sim, SIM_DIAG_##number, reg, -1, __VA_ARGS__)
#define MAX_TARGET 3839 /* assumption A67 */
#define MAX_TEXTURE 2048

static void
need_register(struct gr3d_fragment_state *fs, unsigned reg)
{
   if (!fs->gr3d->regs.written[reg])
      REPORT(fs, REG_UNWRITTEN, reg,
             "the draw uses register 0x%03x, which the job has not written",
             reg);
}

/* --- surfaces --- */

static void
check_surface(struct gr3d_fragment_state *fs, unsigned i)
{
   const struct sim_fs_surface *s = &fs->surface[i];
   uint32_t params = fs->gr3d->regs.value[GR3D_RT_PARAMS(i)];
   need_register(fs, GR3D_RT_PARAMS(i));
   need_register(fs, GR3D_RT_PTR(i));
   if (params & ~0x05ffff7du)
      REPORT(fs, SURFACE_BITS, GR3D_RT_PARAMS(i),
             "surface %u: unknown bits in 0x%08x", i, params);
   if (!s->cpp) {
      REPORT(fs, SURFACE_FORMAT, GR3D_RT_PARAMS(i),
             "surface %u: format code 0x%02x is unknown", i, s->format);
      return;
   }
   unsigned alignment = s->tiled                                    ? 256
                        : s->format == GR3D_PIXEL_FORMAT_D16_LINEAR ? 256
                                                                    : 16;
   if (s->pitch % alignment || !s->pitch)
      REPORT(fs, SURFACE_PITCH, GR3D_RT_PARAMS(i),
             "surface %u: pitch %u is not a multiple of %u", i, s->pitch,
             alignment);
   unsigned base = s->tiled ? 256 : 16;
   if (s->base % base)
      REPORT(fs, SURFACE_PITCH, GR3D_RT_PTR(i),
             "surface %u: address 0x%08x is not a multiple of %u", i, s->base,
             base);
}

static void
check_colour(struct gr3d_fragment_state *fs,
             const struct sim_fs_program *program, unsigned i)
{
   const struct sim_fs_surface *s = &fs->surface[i];
   bool stored = program->surfaces_written >> i & 1,
        fetched = program->surfaces_read >> i & 1;
   if (!s->enabled)
      REPORT(fs, SURFACE_NOT_ENABLED, GR3D_RT_ENABLE,
             "the program %s surface %u, which 0x903 does not enable",
             stored ? "stores to" : "fetches from", i);
   if (i == 0 || (i == 2 && fs->ds.stencil_test))
      REPORT(fs, SURFACE_SLOT, GR3D_RT_PARAMS(i),
             "colour access to surface %u, the %s buffer", i,
             i ? "stencil" : "depth");
   if (s->format == GR3D_PIXEL_FORMAT_S8 ||
       s->format == GR3D_PIXEL_FORMAT_D16_LINEAR ||
       s->format == GR3D_PIXEL_FORMAT_D16_NONLINEAR)
      REPORT(fs, SURFACE_FORMAT, GR3D_RT_PARAMS(i),
             "surface %u: colour access to a depth or stencil format", i);
   if (fetched && s->format != GR3D_PIXEL_FORMAT_RGBA8888 &&
       s->format != GR3D_PIXEL_FORMAT_BGRA8888 &&
       (s->format & ~SIM_FS_REPLICATED) != GR3D_PIXEL_FORMAT_A8)
      REPORT(
         fs, SURFACE_FETCH, GR3D_RT_PARAMS(i),
         "surface %u: destination fetch from format 0x%02x (assumption A69)",
         i, s->format);
}

static void
check_depth_stencil(struct gr3d_fragment_state *fs,
                    const struct sim_fs_program *program)
{
   const struct gr3d_regs *regs = &fs->gr3d->regs;
   uint32_t depth = regs->value[GR3D_DEPTH_TEST_PARAMS],
            stencil = regs->value[GR3D_STENCIL_PARAMS];
   uint32_t late = regs->value[GR3D_LATE_TEST];
   static const uint16_t always[] = { GR3D_DEPTH_TEST_PARAMS,
                                      GR3D_STENCIL_PARAMS,
                                      GR3D_LATE_TEST,
                                      GR3D_DEPTH_RANGE_NEAR,
                                      GR3D_DEPTH_RANGE_FAR,
                                      GR3D_POLYGON_OFFSET_UNITS,
                                      GR3D_POLYGON_OFFSET_FACTOR,
                                      GR3D_SCISSOR_HORIZ,
                                      GR3D_SCISSOR_VERT,
                                      GR3D_RT_ENABLE,
                                      GR3D_FP_PSEQ_ENGINE_INST,
                                      GR3D_FP_PSEQ_DW_CFG,
                                      GR3D_ALU_BUFFER_SIZE,
                                      GR3D_PSEQ_CFG };
   for (unsigned i = 0; i < sizeof(always) / sizeof(always[0]); i++)
      need_register(fs, always[i]);
   if (regs->value[GR3D_DEPTH_RANGE_NEAR] > regs->value[GR3D_DEPTH_RANGE_FAR])
      REPORT(fs, DEPTH_RANGE, GR3D_DEPTH_RANGE_NEAR,
             "depth range 0x%x..0x%x is reversed (assumption A20)",
             regs->value[GR3D_DEPTH_RANGE_NEAR],
             regs->value[GR3D_DEPTH_RANGE_FAR]);
   if (depth >> 3 & 1) {
      sim_fs_surface_setup(fs, 0);
      check_surface(fs, 0);
      const struct sim_fs_surface *s = &fs->surface[0];
      if (!sim_fs_depth_enabled(fs))
         REPORT(fs, DEPTH_SURFACE, GR3D_RT_ENABLE,
                "depth test, but 0x903 is 0x%x (A132: bits 0 and 16)",
                regs->value[GR3D_RT_ENABLE]);
      if (s->format != GR3D_PIXEL_FORMAT_D16_LINEAR)
         REPORT(fs, DEPTH_SURFACE, GR3D_RT_PARAMS(0),
                "depth surface of format 0x%02x: only 0x0b is proven",
                s->format);
      if (!(depth >> 9 & 1))
         REPORT(fs, DEPTH_SURFACE, GR3D_DEPTH_TEST_PARAMS,
                "bit 9 of 0x403 is set in every working stream");
   }
   if (!(stencil >> 5 & 1)) {
      if (program->stores_stencil)
         REPORT(fs, STENCIL_LATE, GR3D_STENCIL_PARAMS,
                "the program stores stencil, but the stencil test is off");
      return;
   }
   static const uint16_t stencil_regs[] = { GR3D_STENCIL_FRONT1,
                                            GR3D_STENCIL_BACK1,
                                            GR3D_STENCIL_FRONT2,
                                            GR3D_STENCIL_BACK2 };
   for (unsigned i = 0; i < 4; i++)
      need_register(fs, stencil_regs[i]);
   sim_fs_surface_setup(fs, 2);
   check_surface(fs, 2);
   const struct sim_fs_surface *s = &fs->surface[2];
   if (!s->enabled)
      REPORT(fs, STENCIL_SURFACE, GR3D_RT_ENABLE,
             "stencil test, but 0x903 does not enable surface 2");
   if (s->format != GR3D_PIXEL_FORMAT_S8)
      REPORT(fs, STENCIL_SURFACE, GR3D_RT_PARAMS(2),
             "stencil surface of format 0x%02x instead of S8", s->format);
   if (!s->tiled)
      REPORT(fs, STENCIL_SURFACE, GR3D_RT_PARAMS(2),
             "a linear stencil surface is distorted: it must be tiled");
   bool early = stencil >> 6 & 1;
   if (program->kills ? early || late != 0x60 || !program->stores_stencil
                      : !early != program->stores_stencil)
      REPORT(fs, STENCIL_LATE, GR3D_LATE_TEST,
             "stencil with a program that %s: early write %s, 0x40f = "
             "0x%02x, %s stencil store in the program",
             program->kills ? "discards" : "does not discard",
             early ? "on" : "off", late,
             program->stores_stencil ? "a" : "no");
}

/* --- textures --- */

static void
check_texture(struct gr3d_fragment_state *fs, unsigned unit)
{
   const struct gr3d_regs *regs = &fs->gr3d->regs;
   const struct sim_fs_texture *t = &fs->texture[unit];
   unsigned reg = GR3D_TEXTURE_DESC1(unit);
   uint32_t desc1 = regs->value[reg], desc2 = regs->value[reg + 1];
   need_register(fs, reg);
   need_register(fs, reg + 1);
   need_register(fs, GR3D_TEXTURE_POINTER(unit));
   if (!desc1 && !desc2)
      REPORT(fs, TEX_DESCRIPTOR, reg,
             "texture unit %u is sampled, its descriptor is 0", unit);
   if (desc1 & ~0x38001f1fu)
      REPORT(fs, TEX_DESCRIPTOR, reg,
             "texture unit %u: unknown bits in DESC1 0x%08x", unit, desc1);
   if (!t->cpp)
      REPORT(fs, TEX_FORMAT, reg,
             "texture unit %u: format code 0x%02x is unknown", unit,
             t->format);
   else if (t->compressed != (desc1 >> 4 & 1))
      REPORT(fs, TEX_FORMAT, reg,
             "texture unit %u: format 0x%02x and the compressed bit disagree",
             unit, t->format);
   else if (t->format == GR3D_PIXEL_FORMAT_S8 ||
            t->format == GR3D_PIXEL_FORMAT_D16_LINEAR ||
            t->format == GR3D_PIXEL_FORMAT_D16_NONLINEAR)
      REPORT(fs, TEX_FORMAT, reg,
             "texture unit %u: sampling format 0x%02x (assumption A39)", unit,
             t->format);
   if ((desc1 & 0x5) == 0x5 || (desc1 & 0xa) == 0xa)
      REPORT(fs, TEX_WRAP, reg,
             "texture unit %u: clamp and mirror set for one axis", unit);
   if (t->npot) {
      if (!(desc2 >> 7 & 1))
         REPORT(fs, TEX_NPOT, reg + 1,
                "texture unit %u: mipmaps of a texture that is not a power "
                "of two",
                unit);
      if ((desc1 & 3) != 3 || (desc1 & 0xc))
         REPORT(fs, TEX_NPOT, reg,
                "texture unit %u: a texture that is not a power of two can "
                "only clamp",
                unit);
      if (!(desc2 >> 20) || !(desc2 >> 8 & 0xfff))
         REPORT(fs, TEX_SIZE, reg + 1, "texture unit %u: width or height 0",
                unit);
   } else {
      if (desc2 & 0x00ff0f3fu)
         REPORT(fs, TEX_DESCRIPTOR, reg + 1,
                "texture unit %u: unknown bits in DESC2 0x%08x", unit, desc2);
      unsigned w = desc2 >> 28, h = desc2 >> 24 & 15;
      if (t->mipmaps && t->max_level > (w > h ? w : h))
         REPORT(fs, TEX_SIZE, reg + 1,
                "texture unit %u: MAX_LOD %u, but the last level is %u", unit,
                t->max_level, w > h ? w : h);
   }
   if (t->level[0].width > MAX_TEXTURE || t->level[0].height > MAX_TEXTURE)
      REPORT(fs, TEX_SIZE, reg + 1, "texture unit %u: %ux%u exceeds %u", unit,
             t->level[0].width, t->level[0].height, MAX_TEXTURE);
   if (regs->value[GR3D_TEXTURE_POINTER(unit)] % 16)
      REPORT(fs, TEX_ALIGNMENT, GR3D_TEXTURE_POINTER(unit),
             "texture unit %u: address 0x%08x is not a multiple of 16", unit,
             regs->value[GR3D_TEXTURE_POINTER(unit)]);
}

/* --- memory --- */

static uint64_t
surface_bytes(const struct gr3d_fragment_state *fs,
              const struct sim_fs_surface *s)
{
   uint32_t rows = (uint32_t)fs->scissor_y1;
   if (s->tiled)
      rows = (rows + 15) & ~15u;
   return (uint64_t)s->pitch * rows;
}

static uint64_t
texture_bytes(const struct sim_fs_texture *t)
{
   const struct sim_fs_level *last = &t->level[t->max_level];
   uint32_t rows = t->compressed ? (last->height + 3) / 4 : last->height;
   return last->address + (uint64_t)last->pitch * rows - t->level[0].address;
}

static bool
overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
   return a < b + b_bytes && b < a + a_bytes;
}

static void
check_feedback(struct gr3d_fragment_state *fs,
               const struct sim_fs_program *program)
{
   for (unsigned i = 0; i < 16; i++) {
      const struct sim_fs_surface *s = &fs->surface[i];
      if (!s->used || !s->cpp ||
          !((program->surfaces_written >> i & 1) || i == 0 || i == 2))
         continue;
      for (unsigned unit = 0; unit < 16; unit++) {
         const struct sim_fs_texture *t = &fs->texture[unit];
         if (t->used && t->cpp &&
             overlap(s->base, surface_bytes(fs, s), t->level[0].address,
                     texture_bytes(t)))
            REPORT(
               fs, TEX_FEEDBACK, GR3D_TEXTURE_POINTER(unit),
               "texture unit %u samples surface %u, which the draw writes",
               unit, i);
      }
      for (unsigned j = i + 1; j < 16; j++) {
         const struct sim_fs_surface *o = &fs->surface[j];
         if (o->used && o->cpp && o->enabled && s->enabled &&
             o->base == s->base)
            REPORT(fs, SURFACE_OVERLAP, GR3D_RT_PTR(j),
                   "surfaces %u and %u have the same address", i, j);
      }
   }
}

/*
 * Rendering to a texture inside one job (assumption A77): the fragment data
 * cache must be written back and invalidated, and the texture's descriptor
 * and pointer sent again.  gr3d_write() leaves 1 in regs.written; after each
 * draw the entries that matter here are set to 2.
 */
static void
check_stale_texture(struct gr3d_fragment_state *fs, unsigned unit)
{
   const struct sim_fs_texture *t = &fs->texture[unit];
   const struct gr3d_regs *regs = &fs->gr3d->regs;
   if (!t->cpp)
      return;
   for (unsigned i = 0; i < fs->num_drawn; i++) {
      const struct sim_fs_drawn *d = &fs->drawn[i];
      if (!overlap(d->base, d->bytes, t->level[0].address, texture_bytes(t)))
         continue;
      if (!d->invalidated)
         REPORT(fs, TEX_STALE, GR3D_FDC_CONTROL,
                "texture unit %u samples memory that this job rendered to: "
                "0xa00 = 0xe01 is missing in between",
                unit);
      if (!(d->resent >> unit & 1) &&
          (regs->written[GR3D_TEXTURE_POINTER(unit)] != 1 ||
           regs->written[GR3D_TEXTURE_DESC1(unit)] != 1))
         REPORT(fs, TEX_STALE, GR3D_TEXTURE_POINTER(unit),
                "texture unit %u samples memory that this job rendered to: "
                "descriptor and pointer were not sent again",
                unit);
   }
}

void
sim_fs_check_draw(struct gr3d_fragment_state *fs,
                  const struct sim_fs_program *program)
{
   struct gr3d_regs *regs = &fs->gr3d->regs;
   sim_fs_check_program(fs, program);
   if (!regs->written[GR3D_FDC_CONTROL] || !fs->fdc_invalidated)
      REPORT(fs, FDC_INVALIDATE, GR3D_FDC_CONTROL,
             "no 0xa00 = 0xe01 before the first draw of the job (assumption "
             "A76)");
   for (unsigned i = 0; i < 16; i++) {
      if (fs->surface[i].used &&
          ((program->surfaces_read | program->surfaces_written) >> i & 1)) {
         check_surface(fs, i);
         check_colour(fs, program, i);
      }
      if (fs->texture[i].used) {
         check_texture(fs, i);
         check_stale_texture(fs, i);
      }
   }
   if (fs->scissor_x1 > MAX_TARGET || fs->scissor_y1 > MAX_TARGET)
      REPORT(fs, SURFACE_SIZE, GR3D_SCISSOR_HORIZ,
             "scissor up to (%d, %d): targets end at %u (assumption A67)",
             fs->scissor_x1, fs->scissor_y1, MAX_TARGET);
   check_depth_stencil(fs, program);
   check_feedback(fs, program);
}

/* --- what the job has drawn --- */

void
sim_fs_track_begin(struct gr3d_fragment_state *fs)
{
   struct gr3d_regs *regs = &fs->gr3d->regs;
   bool invalidate =
      regs->written[GR3D_FDC_CONTROL] == 1 &&
      ((regs->value[GR3D_FDC_CONTROL] & 1) || fs->gr3d->fdc_invalidated);
   fs->gr3d->fdc_invalidated = false;
   if (fs->tracked_job != fs->sim->stats.jobs) {
      fs->tracked_job = fs->sim->stats.jobs;
      fs->num_drawn = 0;
      fs->fdc_invalidated = false;
   }
   fs->fdc_invalidated |= invalidate;
   for (unsigned i = 0; i < fs->num_drawn; i++) {
      struct sim_fs_drawn *d = &fs->drawn[i];
      d->invalidated |= invalidate;
      for (unsigned unit = 0; unit < 16; unit++) {
         if (regs->written[GR3D_TEXTURE_POINTER(unit)] == 1 &&
             regs->written[GR3D_TEXTURE_DESC1(unit)] == 1)
            d->resent |= 1u << unit;
      }
   }
}

void
sim_fs_track_end(struct gr3d_fragment_state *fs)
{
   struct gr3d_regs *regs = &fs->gr3d->regs;
   for (unsigned unit = 0; unit < 16; unit++) {
      if (regs->written[GR3D_TEXTURE_POINTER(unit)])
         regs->written[GR3D_TEXTURE_POINTER(unit)] = 2;
      if (regs->written[GR3D_TEXTURE_DESC1(unit)])
         regs->written[GR3D_TEXTURE_DESC1(unit)] = 2;
   }
   if (regs->written[GR3D_FDC_CONTROL])
      regs->written[GR3D_FDC_CONTROL] = 2;
   for (unsigned i = 0; i < 16; i++) {
      const struct sim_fs_surface *s = &fs->surface[i];
      if (!s->used || !s->cpp || !s->enabled ||
          !(fs->program->surfaces_written >> i & 1))
         continue;
      unsigned k = 0;
      while (k < fs->num_drawn && fs->drawn[k].base != s->base)
         k++;
      if (k == sizeof(fs->drawn) / sizeof(fs->drawn[0]))
         continue;
      if (k == fs->num_drawn)
         fs->num_drawn++;
      fs->drawn[k] = (struct sim_fs_drawn){ .base = s->base,
                                            .bytes = surface_bytes(fs, s) };
   }
}
