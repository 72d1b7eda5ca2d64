/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "image.h"

bool
image_write(const char *path, unsigned width, unsigned height, const unsigned char *rgba, bool flip)
{
   png_image image = { .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGBA };
   png_int_32 stride = (png_int_32)width * 4;
   /* A negative stride makes libpng take the last row first. */
   /* libpng's own function for names removes what it could not write, devices too. */
   FILE *file = fopen(path, "wb");
   if (!file) {
      perror(path);
      return false;
   }
   bool ok = png_image_write_to_stdio(&image, file, 0, rgba, flip ? -stride : stride, NULL);
   ok &= !fclose(file);
   if (!ok)
      fprintf(stderr, "%s: %s\n", path, image.message[0] ? image.message : "cannot be written");
   return ok;
}

unsigned char *
image_read(const char *path, unsigned *width, unsigned *height)
{
   png_image image = { .version = PNG_IMAGE_VERSION };
   if (!png_image_begin_read_from_file(&image, path)) {
      fprintf(stderr, "%s: %s\n", path, image.message);
      return NULL;
   }
   image.format = PNG_FORMAT_RGBA;
   unsigned char *pixels = malloc(PNG_IMAGE_SIZE(image));
   if (!pixels || !png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
      fprintf(stderr, "%s: %s\n", path, pixels ? image.message : "out of memory");
      free(pixels);
      return NULL;
   }
   *width = image.width;
   *height = image.height;
   return pixels;
}
