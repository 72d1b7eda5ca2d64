/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Compiled programs as bytes, for a cache on disk, and back.
 *
 * The bytes are those of the structures: only the build that wrote them can
 * read them, and the cache must not mix builds.  Input is checked all the
 * same, so that no content of a file leads to an access out of bounds.
 */

#include "util/blob.h"
#include "util/ralloc.h"

#include "tegra20_compiler.h"

/* More nodes than any program has; keeps a broken count from asking for all
 * memory. */
#define MAX_NODES 16384
#define MAX_PATCHES (3 * TEGRA20_FS_MAX_ALU)

/* --- values --- */

static void
write_values(struct blob *blob, const struct tegra20_values *values)
{
   blob_write_bytes(blob, values->nodes,
                    values->count * sizeof(values->nodes[0]));
}

static bool
node_is_valid(const struct tegra20_value *node, unsigned index)
{
   if (node->num_src > 3 || node->op > TEGRA20_VALUE_ALU)
      return false;
   for (unsigned i = 0; i < node->num_src; i++) {
      if (node->src[i] >= index)
         return false;
   }
   if (node->op == TEGRA20_VALUE_PARAM)
      return node->arg < TEGRA20_PARAM_COUNT;
   if (node->op == TEGRA20_VALUE_ALU)
      return node->arg < nir_num_opcodes &&
             nir_op_infos[node->arg].num_inputs <= node->num_src;
   return true;
}

/* An array of count elements, a ralloc child of mem_ctx; NULL when the blob
 * ends before it does. */
static void *
read_array(void *mem_ctx, struct blob_reader *blob, unsigned count,
           size_t size)
{
   if (blob->overrun || (size_t)(blob->end - blob->current) < count * size)
      return NULL;
   void *array = ralloc_size(mem_ctx, MAX2(count, 1) * size);
   if (array)
      blob_copy_bytes(blob, array, count * size);
   return array;
}

static bool
read_values(void *mem_ctx, struct blob_reader *blob,
            struct tegra20_values *values)
{
   if (values->count > MAX_NODES)
      return false;
   values->nodes =
      read_array(mem_ctx, blob, values->count, sizeof(values->nodes[0]));
   if (!values->nodes)
      return false;
   for (unsigned i = 0; i < values->count; i++) {
      if (!node_is_valid(&values->nodes[i], i))
         return false;
   }
   return true;
}

static bool
value_exists(const struct tegra20_values *values, uint16_t value)
{
   return value < values->count || value == TEGRA20_NO_VALUE;
}

/* --- vertex programs --- */

void
tegra20_vs_serialize(struct blob *blob, const struct tegra20_vs *vs)
{
   struct tegra20_vs copy = *vs;

   copy.insts = NULL;
   copy.values.nodes = NULL;
   blob_write_bytes(blob, &copy, sizeof(copy));
   blob_write_bytes(blob, vs->insts, vs->num_insts * sizeof(vs->insts[0]));
   write_values(blob, &vs->values);
}

static bool
vs_is_valid(const struct tegra20_vs *vs)
{
   if (vs->num_consts > TEGRA20_VS_MAX_CONSTS || vs->psiz_export < -1 ||
       vs->psiz_export >= TEGRA20_MAX_EXPORTS)
      return false;
   for (unsigned i = 0; i < vs->num_consts; i++) {
      for (unsigned c = 0; c < 4; c++) {
         if (!value_exists(&vs->values, vs->consts[i][c]))
            return false;
      }
   }
   return true;
}

struct tegra20_vs *
tegra20_vs_deserialize(void *mem_ctx, struct blob_reader *blob)
{
   struct tegra20_vs *vs = read_array(mem_ctx, blob, 1, sizeof(*vs));

   if (!vs)
      return NULL;
   vs->values.nodes = NULL;
   vs->insts = vs->num_insts <= TEGRA20_VS_MAX_INSTS
                  ? read_array(vs, blob, vs->num_insts, sizeof(vs->insts[0]))
                  : NULL;
   if (!vs->insts || !read_values(vs, blob, &vs->values) ||
       !vs_is_valid(vs) || blob->current != blob->end) {
      ralloc_free(vs);
      return NULL;
   }
   return vs;
}

/* --- fragment programs --- */

void
tegra20_fs_serialize(struct blob *blob, const struct tegra20_fs *fs)
{
   struct tegra20_fs copy = *fs;

   copy.values.nodes = NULL;
   copy.patches = NULL;
   blob_write_bytes(blob, &copy, sizeof(copy));
   write_values(blob, &fs->values);
   blob_write_bytes(blob, fs->patches,
                    fs->num_patches * sizeof(fs->patches[0]));
}

static bool
constant_is_valid(const struct tegra20_fs *fs,
                  const struct tegra20_fs_const *c)
{
   return c->format == TEGRA20_FS_NONE ||
          (c->format <= TEGRA20_FS_FX10 &&
           value_exists(&fs->values, c->value[0]) &&
           (c->format != TEGRA20_FS_FX10 ||
            value_exists(&fs->values, c->value[1])));
}

static bool
fs_is_valid(const struct tegra20_fs *fs)
{
   if (fs->chip >= TEGRA20_NUM_CHIPS ||
       fs->num_execs > TEGRA20_FS_MAX_EXECS ||
       fs->num_mfu > TEGRA20_FS_MAX_MFU ||
       fs->num_alu > tegra20_chips[fs->chip].fs_alu || fs->rows < 1 ||
       fs->rows > 4 || fs->num_inputs > ARRAY_SIZE(fs->inputs) ||
       fs->num_tram_rows > TEGRA20_MAX_TRAM_ROWS)
      return false;
   for (unsigned i = 0; i < TEGRA20_FS_MAX_UNIFORMS; i++) {
      if (!constant_is_valid(fs, &fs->uniforms[i]))
         return false;
   }
   for (unsigned i = 0; i < fs->num_patches; i++) {
      const struct tegra20_fs_patch *patch = &fs->patches[i];

      if (patch->packet >= fs->num_alu || patch->slot > 2 ||
          !constant_is_valid(fs, &patch->value))
         return false;
   }
   for (unsigned i = 0; i < fs->num_inputs; i++) {
      const struct tegra20_fs_input *input = &fs->inputs[i];

      if (input->slot >= VARYING_SLOT_MAX || input->component > 3 ||
          input->row >= TEGRA20_MAX_TRAM_ROWS || input->column > 3 ||
          input->type > 3)
         return false;
   }
   return true;
}

struct tegra20_fs *
tegra20_fs_deserialize(void *mem_ctx, struct blob_reader *blob)
{
   struct tegra20_fs *fs = read_array(mem_ctx, blob, 1, sizeof(*fs));

   if (!fs)
      return NULL;
   fs->patches = NULL;
   if (read_values(fs, blob, &fs->values) && fs->num_patches <= MAX_PATCHES)
      fs->patches =
         read_array(fs, blob, fs->num_patches, sizeof(fs->patches[0]));
   if (!fs->patches || !fs_is_valid(fs) || blob->current != blob->end) {
      ralloc_free(fs);
      return NULL;
   }
   return fs;
}
