/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The file is PNG, written here: a program may have brought any version of
 * libpng, and this library is loaded into all of them.  zlib is there with
 * Mesa.
 */

#include "screenshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "util/format/u_format.h"
#include "util/os_time.h"
#include "util/u_call_once.h"
#include "util/u_inlines.h"
#include "util/u_math.h"

#define SECOND 1000000000ll

static struct {
   char *file;
   int64_t next; /* when the next picture is due, ns */
   bool once, failed;
} screenshot;

static void
init_once(void)
{
   const char *text = getenv("TEGRA20_SCREENSHOT");
   char *file = text && *text ? strdup(text) : NULL, *end;
   char *at = file ? strrchr(file, '@') : NULL;
   double seconds = at ? strtod(at + 1, &end) : 0;

   screenshot.next = os_time_get_nano();
   if (at && at[1] && !*end) {
      *at = 0;
      screenshot.once = true;
      screenshot.next += seconds * SECOND;
   }
   screenshot.file = file;
}

/* --- PNG --- */

static void
put_be32(uint8_t *to, uint32_t value)
{
   for (unsigned i = 0; i < 4; i++)
      to[i] = value >> (24 - 8 * i);
}

static bool
write_chunk(FILE *file, const char type[4], const uint8_t *data,
            uint32_t size)
{
   uint8_t length[4], sum[4];

   put_be32(length, size);
   uint32_t crc = crc32(crc32(0, (const uint8_t *)type, 4), data, size);
   put_be32(sum, crc);
   return fwrite(length, 4, 1, file) && fwrite(type, 4, 1, file) &&
          (!size || fwrite(data, size, 1, file)) && fwrite(sum, 4, 1, file);
}

/* rows: RGBA with a byte 0 (no filter) before each. */
static bool
write_png(FILE *file, const uint8_t *rows, unsigned width, unsigned height)
{
   static const uint8_t signature[] = { 137,  'P',  'N',  'G',
                                        '\r', '\n', 0x1a, '\n' };
   const uLong size = (width * 4ul + 1) * height;
   uLong packed_size = compressBound(size);
   uint8_t *packed = malloc(packed_size);
   uint8_t header[13] = { [8] = 8 /* bits */, [9] = 6 /* RGBA */ };

   put_be32(header, width);
   put_be32(header + 4, height);
   const bool ok = packed &&
                   compress(packed, &packed_size, rows, size) == Z_OK &&
                   fwrite(signature, sizeof(signature), 1, file) &&
                   write_chunk(file, "IHDR", header, sizeof(header)) &&
                   write_chunk(file, "IDAT", packed, packed_size) &&
                   write_chunk(file, "IEND", NULL, 0);
   free(packed);
   return ok;
}

/* Whoever looks at the file finds a whole picture, also when the program was
 * ended while it wrote the next one; a pipe or a device is not replaced. */
static bool
write_file(const uint8_t *rows, unsigned width, unsigned height)
{
   struct stat info;
   const bool in_place =
      !stat(screenshot.file, &info) && !S_ISREG(info.st_mode);
   char part[4096];

   snprintf(part, sizeof(part), "%s%s", screenshot.file,
            in_place ? "" : ".part");
   FILE *file = fopen(part, "wb");
   bool ok = file && write_png(file, rows, width, height);

   if (file)
      ok &= !fclose(file);
   ok = ok && (in_place || !rename(part, screenshot.file));
   if (!ok)
      perror(screenshot.file);
   return ok;
}

/* --- */

/* A window has no alpha: what is in that channel is not shown. */
static uint8_t *
read_rows(struct pipe_context *pipe, struct pipe_resource *resource,
          unsigned level, unsigned layer)
{
   const unsigned width = resource->width0, height = resource->height0;
   const unsigned stride = width * 4 + 1;
   struct pipe_transfer *transfer;
   uint8_t *rows = calloc(height, stride);
   const void *map =
      rows ? pipe_texture_map(pipe, resource, level, layer, PIPE_MAP_READ, 0,
                              0, width, height, &transfer)
           : NULL;

   if (!map) {
      free(rows);
      return NULL;
   }
   util_format_read_4ub(resource->format, rows + 1, stride, map,
                        transfer->stride, 0, 0, width, height);
   for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width; x++)
         rows[y * stride + 4 * x + 4] = 255;
   }
   pipe_texture_unmap(pipe, transfer);
   return rows;
}

void
screenshot_present(struct pipe_context *pipe, struct pipe_resource *resource,
                   unsigned level, unsigned layer)
{
   static util_once_flag once = UTIL_ONCE_FLAG_INIT;

   util_call_once(&once, init_once);
   const int64_t now = os_time_get_nano();
   if (!screenshot.file || screenshot.failed || now < screenshot.next)
      return;
   screenshot.next = screenshot.once ? INT64_MAX : now + SECOND;
   uint8_t *rows = read_rows(pipe, resource, level, layer);
   screenshot.failed =
      rows && !write_file(rows, resource->width0, resource->height0);
   free(rows);
}
