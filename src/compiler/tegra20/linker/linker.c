/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Joins a vertex and a fragment program: the linker instructions that carry
 * exports to the TRAM places where the fragment program reads them
 * (vertex-pipeline.md 12.1).
 *
 * One instruction moves components of one export into columns of one row, so
 * there is one per pair of export and row; a component that has to appear at
 * two places of a row needs another.  Two instructions may fill columns of
 * the same row (assumption A41).  Inputs that the vertex program does not
 * write read an export or a component that is never written, which is zero
 * (vertex-pipeline.md 2.7, assumption A16); but colours of back faces are
 * those of front faces then, as in other drivers.
 */

#include <string.h>

#include "util/macros.h"
#include "util/ralloc.h"
#include "util/u_math.h"
#include "linker_isa.h"
#include "tegra20_compiler.h"

struct linker {
   const struct tegra20_vs *vs;
   struct linker_inst insts[TEGRA20_MAX_LINKER];
   uint8_t exports[TEGRA20_MAX_LINKER]; /* export of each instruction, before
                                           squeezing */
   unsigned count, needed;
   uint16_t exports_used;
};

static int
find_export(const struct tegra20_vs *vs, unsigned slot)
{
   u_foreach_bit (i, vs->exports_written) {
      if (vs->export_slot[i] == slot)
         return i;
   }
   return -1;
}

/* A component that reads as zero: of an unwritten export if there is one. */
static bool
find_zero(const struct tegra20_vs *vs, unsigned wanted_comp, unsigned *export,
          unsigned *comp)
{
   for (unsigned i = 1; i < TEGRA20_MAX_EXPORTS; i++) {
      if (!(vs->exports_written & (1 << i))) {
         *export = i;
         *comp = wanted_comp;
         return true;
      }
   }
   for (unsigned i = 1; i < TEGRA20_MAX_EXPORTS; i++) {
      if (vs->export_components[i] != 0xf) {
         *export = i;
         *comp = ffs(~vs->export_components[i] & 0xf) - 1;
         return true;
      }
   }
   return false;
}

static void
add_component(struct linker *linker, unsigned export, unsigned comp,
              const struct tegra20_fs_input *input)
{
   unsigned i;

   for (i = 0; i < linker->count; i++) {
      if (linker->exports[i] == export &&
          linker->insts[i].row == input->row &&
          linker->insts[i].type[comp] == 0)
         break;
   }
   linker->exports_used |= 1 << export;
   if (i == linker->count) {
      linker->needed++;
      if (linker->count == TEGRA20_MAX_LINKER)
         return;
      linker->insts[i] = linker_inst_init();
      linker->insts[i].row = input->row;
      linker->exports[i] = export;
      linker->count++;
   }
   linker->insts[i].type[comp] = input->type;
   linker->insts[i].column[comp] = input->column;
   linker->insts[i].flat[comp] = input->flat;
}

static bool
link_input(struct linker *linker, const struct tegra20_fs_input *input)
{
   int export = find_export(linker->vs, input->slot);
   unsigned zero_export, zero_comp;

   if (export < 0 &&
       (input->slot == VARYING_SLOT_BFC0 || input->slot == VARYING_SLOT_BFC1))
      export = find_export(linker->vs, input->slot - VARYING_SLOT_BFC0 +
                                          VARYING_SLOT_COL0);

   if (export >= 0) {
      add_component(linker, export, input->component, input);
      return true;
   }
   if (!find_zero(linker->vs, input->component, &zero_export, &zero_comp))
      return false;
   add_component(linker, zero_export, zero_comp, input);
   return true;
}

bool
tegra20_link_programs(void *mem_ctx, const struct tegra20_vs *vs,
                      const struct tegra20_fs *fs, struct tegra20_link *out,
                      char **error)
{
   struct linker linker = { .vs = vs, .exports_used = 1 };

   memset(out, 0, sizeof(*out));
   for (unsigned i = 0; i < fs->num_inputs; i++) {
      if (!link_input(&linker, &fs->inputs[i])) {
         *error =
            ralloc_strdup(mem_ctx, "fragment program reads a varying that "
                                   "the vertex program does not write, and "
                                   "all 16 exports are in use");
         return false;
      }
   }
   if (linker.needed > TEGRA20_MAX_LINKER) {
      *error = ralloc_asprintf(
         mem_ctx, "the varyings need %u linker instructions, the chip has %u",
         linker.needed, TEGRA20_MAX_LINKER);
      return false;
   }

   out->out_mask = linker.exports_used;
   out->tram_rows = MAX2(fs->num_tram_rows, 1);
   out->count = MAX2(linker.count, 1);
   for (unsigned i = 0; i < linker.count; i++) {
      /* the enabled exports are numbered without gaps
       * (vertex-pipeline.md 2.6) */
      linker.insts[i].source = util_bitcount(
         linker.exports_used & BITFIELD_MASK(linker.exports[i]));
      linker_pack(&linker.insts[i], out->words[i]);
   }
   return true;
}
