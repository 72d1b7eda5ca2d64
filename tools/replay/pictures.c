/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Surfaces of either chip as PNG files.  Pixels that lie outside of their
 * buffer are black.
 */

#include <png.h>
#include <stdlib.h>

#include "replay.h"

static bool
write_png(const char *path, const struct surface *surface)
{
   png_image image = { .version = PNG_IMAGE_VERSION,
                       .width = surface->width,
                       .height = surface->height,
                       .format = PNG_FORMAT_RGB };
   uint8_t *pixels = calloc((size_t)surface->width * surface->height, 3);
   if (!pixels)
      return false;
   for (unsigned y = 0; y < surface->height; y++) {
      for (unsigned x = 0; x < surface->width; x++) {
         uint64_t at = surface->offset(surface->data, x, y);
         if (at + surface->cpp <= surface->size)
            surface->color(surface->data, surface->memory + at,
                           pixels + ((size_t)y * surface->width + x) * 3);
      }
   }
   bool ok = png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
   free(pixels);
   return ok;
}

void
pictures_write(struct pictures *pictures, struct surface surface,
               const struct replay_buffer *buffer, uint32_t address,
               const char *format)
{
   char path[4096];
   if (pictures->num_written < 0 || !surface.width || !surface.height)
      return;
   snprintf(path, sizeof(path), "%s-%d-%ux%u-%s.png", pictures->prefix,
            pictures->num_written, surface.width, surface.height, format);
   surface.memory = buffer->memory + (address - buffer->address);
   surface.size = buffer->size - (address - buffer->address);
   if (write_png(path, &surface)) {
      pictures->num_written++;
   } else {
      fprintf(stderr, "tegra20-replay: cannot write %s\n", path);
      pictures->num_written = -1;
   }
}
