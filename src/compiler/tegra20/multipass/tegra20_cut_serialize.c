/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Serialisation of parts of programs for a cache on disk: finding parts takes
 * longer than compiling a program that fits.  As for tegra20_serialize.c only
 * the build that wrote the bytes can read them; numbers that index something
 * are checked, the NIR is Mesa's to read.
 */

#include "compiler/nir/nir_serialize.h"
#include "util/blob.h"
#include "util/ralloc.h"

#include "tegra20_cut.h"

static void
write_part(struct blob *blob, const struct tegra20_part *part)
{
   blob_write_bytes(blob, part->cbuf, sizeof(part->cbuf));
   blob_write_uint16(blob, part->sampled);
   blob_write_bytes(blob, part->texture, sizeof(part->texture));
   nir_serialize(blob, part->nir, true);
}

void
tegra20_parts_serialize(struct blob *blob, const struct tegra20_parts *parts)
{
   blob_write_uint32(blob, parts->count);
   blob_write_uint32(blob, parts->num_loops);
   blob_write_uint32(blob, parts->num_surfaces);
   blob_write_uint32(blob, parts->num_values);
   blob_write_bytes(blob, parts->loops,
                    parts->num_loops * sizeof(*parts->loops));
   for (unsigned i = 0; i < parts->count; i++)
      write_part(blob, &parts->part[i]);
}

static bool
cbuf_is_valid(const struct tegra20_parts *parts,
              const struct tegra20_part *part, unsigned i)
{
   switch (part->cbuf[i].use) {
   case TEGRA20_PART_NONE:
      return true;
   case TEGRA20_PART_TARGET:
      return part->cbuf[i].index <
             ARRAY_SIZE(((struct tegra20_fs_key *)NULL)->rt);
   case TEGRA20_PART_LOAD:
   case TEGRA20_PART_STORE:
   case TEGRA20_PART_UPDATE:
      return part->cbuf[i].index < parts->num_surfaces;
   default:
      return false;
   }
}

static bool
read_part(struct tegra20_parts *parts, struct tegra20_part *part,
          const nir_shader_compiler_options *options,
          struct blob_reader *blob)
{
   bool valid = true;

   blob_copy_bytes(blob, part->cbuf, sizeof(part->cbuf));
   part->sampled = blob_read_uint16(blob);
   blob_copy_bytes(blob, part->texture, sizeof(part->texture));
   for (unsigned i = 0; i < TEGRA20_MAX_CBUFS; i++)
      valid &= cbuf_is_valid(parts, part, i);
   u_foreach_bit (unit, part->sampled)
      valid &= unit < TEGRA20_MAX_SAMPLERS &&
               part->texture[unit] < parts->num_surfaces;
   if (!valid || blob->overrun)
      return false;
   part->nir = nir_deserialize(parts, options, blob);
   return !blob->overrun;
}

static bool
loops_are_valid(const struct tegra20_parts *parts)
{
   for (unsigned i = 0; i < parts->num_loops; i++) {
      const struct tegra20_part_loop *loop = &parts->loops[i];

      if (loop->first + loop->count > parts->count ||
          loop->active >= parts->num_surfaces)
         return false;
   }
   return true;
}

struct tegra20_parts *
tegra20_parts_deserialize(void *mem_ctx,
                          const nir_shader_compiler_options *options,
                          struct blob_reader *blob)
{
   struct tegra20_parts *parts = rzalloc(mem_ctx, struct tegra20_parts);

   parts->count = blob_read_uint32(blob);
   parts->num_loops = blob_read_uint32(blob);
   parts->num_surfaces = blob_read_uint32(blob);
   parts->num_values = blob_read_uint32(blob);
   bool valid = !blob->overrun && parts->count - 1 < TEGRA20_MAX_PARTS &&
                parts->num_loops < parts->count &&
                parts->num_surfaces <= TEGRA20_MAX_PART_SURFACES;

   if (valid) {
      parts->part = rzalloc_array(parts, struct tegra20_part, parts->count);
      parts->loops =
         rzalloc_array(parts, struct tegra20_part_loop, parts->num_loops);
      blob_copy_bytes(blob, parts->loops,
                      parts->num_loops * sizeof(*parts->loops));
      valid = !blob->overrun && loops_are_valid(parts);
   }
   for (unsigned i = 0; valid && i < parts->count; i++)
      valid = read_part(parts, &parts->part[i], options, blob);
   if (valid)
      return parts;
   ralloc_free(parts);
   return NULL;
}
