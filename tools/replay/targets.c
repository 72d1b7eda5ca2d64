/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Render targets as pictures.  The engines know no size of a surface, only
 * its address, format, layout and pitch; the picture is as large as the
 * scissor at the last draw that had the surface enabled, or as the rectangle
 * that GR2D wrote.
 */

#include <stdlib.h>
#include <string.h>

#include "tegra20/gr3d_regs.h"

#include "replay.h"

#define MAX_TARGETS 256
#define FORMAT_GR2D 0x100 /* of a 2D destination: plus bytes per pixel */

struct target {
   uint32_t address, format, pitch;
   bool tiled;
   unsigned width, height;
};

struct targets {
   uint32_t gr3d[0x1000], gr2d[0x80];
   struct target list[MAX_TARGETS];
   unsigned count;
   struct target last[16]; /* of the last draw or fill */
   unsigned num_last;
   struct pictures pictures;
};

struct targets *
targets_create(const char *prefix)
{
   struct targets *targets = calloc(1, sizeof(struct targets));
   if (targets)
      targets->pictures.prefix = prefix;
   return targets;
}

void
targets_destroy(struct targets *targets)
{
   free(targets);
}

static void
add(struct targets *targets, const struct target *target)
{
   unsigned i = 0;
   targets->last[targets->num_last++] = *target;
   while (i < targets->count && targets->list[i].address != target->address)
      i++;
   if (i == MAX_TARGETS)
      return;
   if (i == targets->count)
      targets->count++;
   struct target old = targets->list[i];
   targets->list[i] = *target;
   /* Draws with a small scissor do not make the picture smaller. */
   if (old.address == target->address && old.pitch == target->pitch &&
       old.format == target->format) {
      targets->list[i].width =
         old.width > target->width ? old.width : target->width;
      targets->list[i].height =
         old.height > target->height ? old.height : target->height;
   }
}

static void
on_draw(struct targets *targets)
{
   const uint32_t *regs = targets->gr3d;
   targets->num_last = 0;
   for (unsigned i = 0; i < 16; i++) {
      if (!(regs[0x903] >> i & 1))
         continue;
      uint32_t params = regs[0xe10 + i];
      add(targets, &(struct target){
                      .address = regs[0xe00 + i],
                      .format = params >> 2 & 0x1f,
                      .pitch = params >> 8 & 0x1ffff,
                      .tiled = params >> 26 & 1,
                      .width = regs[0x350] & 0xffff,
                      .height = regs[0x351] & 0xffff,
                   });
   }
}

/* Destination of a fill or copy (surfaces-and-textures.md 9.1, 9.2). */
static void
on_fill(struct targets *targets)
{
   const uint32_t *regs = targets->gr2d;
   targets->num_last = 0;
   unsigned bytes = 1 << (regs[0x1f] >> 16 & 3);
   add(targets, &(struct target){
                   .address = regs[0x2b],
                   .format = FORMAT_GR2D + bytes,
                   .pitch = regs[0x2e] & 0xffff,
                   .tiled = regs[0x46] >> 20 & 1,
                   .width = (regs[0x3a] & 0xffff) + (regs[0x38] & 0xffff),
                   .height = (regs[0x3a] >> 16) + (regs[0x38] >> 16),
                });
}

static void
on_write(void *data, uint32_t class_id, uint32_t offset, uint32_t value,
         unsigned index)
{
   struct targets *targets = data;
   if (class_id == CLASS_GR3D) {
      targets->gr3d[offset & 0xfff] = value;
      if (offset == 0x123)
         on_draw(targets);
   } else if (class_id == CLASS_GR2D && offset < 0x80) {
      targets->gr2d[offset] = value;
      if (offset == 0x3a && (targets->gr2d[0x09] & 0x7f) == 0x3a)
         on_fill(targets);
   }
}

void
targets_job(struct targets *targets, const struct recording_record *job)
{
   const struct stream_handler handler = { .write = on_write,
                                           .data = targets };
   uint32_t class_id = job->class_id;
   const uint32_t *words = job->words;
   memset(targets->gr3d, 0, sizeof(targets->gr3d));
   memset(targets->gr2d, 0, sizeof(targets->gr2d));
   for (unsigned i = 0; i < job->num_cmds; i++) {
      if (job->cmds[i].is_wait)
         continue;
      stream_walk(words, job->cmds[i].count, &class_id, &handler);
      words += job->cmds[i].count;
   }
}

/* --- pictures --- */

static unsigned
bytes_per_pixel(uint32_t format)
{
   if (format > FORMAT_GR2D)
      return format - FORMAT_GR2D;
   switch (format) {
   case GR3D_PIXEL_FORMAT_A8:
   case GR3D_PIXEL_FORMAT_L8:
   case GR3D_PIXEL_FORMAT_S8:
      return 1;
   case GR3D_PIXEL_FORMAT_RGBA8888:
   case GR3D_PIXEL_FORMAT_BGRA8888:
      return 4;
   case GR3D_PIXEL_FORMAT_LA88:
   case GR3D_PIXEL_FORMAT_RGB565:
   case GR3D_PIXEL_FORMAT_RGBA5551:
   case GR3D_PIXEL_FORMAT_RGBA4444:
   case GR3D_PIXEL_FORMAT_D16_LINEAR:
   case GR3D_PIXEL_FORMAT_D16_NONLINEAR:
      return 2;
   default:
      return 0;
   }
}

static const char *
format_name(uint32_t format)
{
   switch (format) {
   case GR3D_PIXEL_FORMAT_A8:
      return "a8";
   case GR3D_PIXEL_FORMAT_L8:
      return "l8";
   case GR3D_PIXEL_FORMAT_S8:
      return "s8";
   case GR3D_PIXEL_FORMAT_LA88:
      return "la88";
   case GR3D_PIXEL_FORMAT_RGB565:
      return "rgb565";
   case GR3D_PIXEL_FORMAT_RGBA5551:
      return "rgba5551";
   case GR3D_PIXEL_FORMAT_RGBA4444:
      return "rgba4444";
   case GR3D_PIXEL_FORMAT_D16_LINEAR:
      return "d16";
   case GR3D_PIXEL_FORMAT_D16_NONLINEAR:
      return "d16nl";
   case GR3D_PIXEL_FORMAT_RGBA8888:
      return "rgba8888";
   case GR3D_PIXEL_FORMAT_BGRA8888:
      return "bgra8888";
   default:
      return "2d";
   }
}

/* Opaque pictures of colour (alpha is shown by no viewer in a useful way),
 * grey ones of everything else. */
static void
to_rgb(const void *data, const uint8_t *pixel, uint8_t rgb[3])
{
   const struct target *target = data;
   uint32_t word = 0;
   unsigned r, g, b;
   memcpy(&word, pixel, bytes_per_pixel(target->format));
   switch (target->format) {
   case GR3D_PIXEL_FORMAT_RGB565:
   case FORMAT_GR2D + 2:
      r = (word >> 11 & 31) * 255 / 31;
      g = (word >> 5 & 63) * 255 / 63;
      b = (word & 31) * 255 / 31;
      break;
   case GR3D_PIXEL_FORMAT_RGBA5551:
      r = (word >> 11 & 31) * 255 / 31;
      g = (word >> 6 & 31) * 255 / 31;
      b = (word >> 1 & 31) * 255 / 31;
      break;
   case GR3D_PIXEL_FORMAT_RGBA4444:
      r = (word >> 12 & 15) * 17;
      g = (word >> 8 & 15) * 17;
      b = (word >> 4 & 15) * 17;
      break;
   case GR3D_PIXEL_FORMAT_D16_LINEAR:
   case GR3D_PIXEL_FORMAT_D16_NONLINEAR:
      r = g = b = word >> 8 & 0xff;
      break;
   case GR3D_PIXEL_FORMAT_RGBA8888:
   case FORMAT_GR2D + 4:
      r = word & 0xff;
      g = word >> 8 & 0xff;
      b = word >> 16 & 0xff;
      break;
   case GR3D_PIXEL_FORMAT_BGRA8888:
      r = word >> 16 & 0xff;
      g = word >> 8 & 0xff;
      b = word & 0xff;
      break;
   default:
      r = g = b = word & 0xff;
      break;
   }
   rgb[0] = r;
   rgb[1] = g;
   rgb[2] = b;
}

/* surfaces-and-textures.md 3 and 4.2. */
static uint64_t
pixel_offset(const void *data, unsigned x, unsigned y)
{
   const struct target *target = data;
   const unsigned x_bytes = x * bytes_per_pixel(target->format);
   if (!target->tiled)
      return (uint64_t)y * target->pitch + x_bytes;
   return (uint64_t)(y / 16) * 16 * target->pitch + x_bytes / 16 * 256 +
          y % 16 * 16 + x_bytes % 16;
}

bool
targets_last(const struct targets *targets, unsigned i,
             struct surface *surface, uint32_t *address, const char **format)
{
   if (i >= targets->num_last)
      return false;
   const struct target *target = &targets->last[i];
   *surface = (struct surface){
      .width = target->width,
      .height = target->height,
      .cpp = bytes_per_pixel(target->format),
      .offset = pixel_offset,
      .color = to_rgb,
      .data = target,
   };
   *address = target->address;
   *format = format_name(target->format);
   return true;
}

/* Writes a surface in this buffer. */
static void
write_target(struct targets *targets, const struct target *target,
             const struct replay_buffer *buffer)
{
   const struct surface surface = {
      .width = target->width,
      .height = target->height,
      .cpp = bytes_per_pixel(target->format),
      .offset = pixel_offset,
      .color = to_rgb,
      .data = target,
   };
   if (surface.cpp && target->width <= 8192 && target->height <= 8192)
      pictures_write(&targets->pictures, surface, buffer, target->address,
                     format_name(target->format));
}

void
targets_free_buffer(struct targets *targets,
                    const struct replay_buffer *buffer)
{
   unsigned kept = 0;
   for (unsigned i = 0; i < targets->count; i++) {
      const struct target *target = &targets->list[i];
      if (replay_buffer_holds(buffer, target->address))
         write_target(targets, target, buffer);
      else
         targets->list[kept++] = *target;
   }
   targets->count = kept;
}

int
targets_finish(struct targets *targets, const struct replay_buffer *buffers,
               unsigned num_buffers)
{
   for (unsigned i = 0; i < num_buffers; i++)
      targets_free_buffer(targets, &buffers[i]);
   return targets->pictures.num_written;
}
