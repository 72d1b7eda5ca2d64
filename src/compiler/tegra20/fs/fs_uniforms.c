/*
 * SPDX-License-Identifier: MIT
 *
 * Constants to uniform registers.  A uniform register costs nothing to read; a constant embedded in a packet costs the
 * fourth unit.  So values go to the 32 registers in the order of their number of uses, literals included, and only what is
 * left over is embedded (and patched at draw time when it depends on uniforms; assumption A52).
 */

#include <math.h>

#include "fs.h"

static enum fs_format
const_format(const struct fs_program *p, unsigned value)
{
   float f;
   const struct fs_src src = {FS_SRC_VALUE, 0, value};

   /* halves are understood by every operand, but they must not change the number */
   if (fs_imm_value(p, src, &f) && fabsf(f) < 2.0f && f * 256.0f == rintf(f * 256.0f) &&
       !(tegra20_fs_avoid & FS_AVOID_FX10_CONST))
      return FS_FX10;
   return FS_FP20;
}

static void
place(struct fs_program *p, unsigned value, enum fs_format format)
{
   struct fs_const_place *where = &p->const_places[value];

   where->format = format;
   if (format == FS_FX10) {
      for (unsigned u = 0; u < p->num_uniforms; u++) {
         if (p->uniforms[u].format == TEGRA20_FS_FX10 && p->uniforms[u].value[1] == TEGRA20_NO_VALUE) {
            p->uniforms[u].value[1] = value;
            where->reg = FS_REG_UNIFORM0 + u;
            where->half = 1;
            return;
         }
      }
   }
   if (p->num_uniforms == TEGRA20_FS_MAX_UNIFORMS)
      return; /* embedded */
   p->uniforms[p->num_uniforms] = (struct tegra20_fs_const){
      .format = format == FS_FX10 ? TEGRA20_FS_FX10 : TEGRA20_FS_FP20,
      .value = {value, TEGRA20_NO_VALUE},
   };
   where->reg = FS_REG_UNIFORM0 + p->num_uniforms++;
}

void
fs_assign_uniforms(struct fs_program *p)
{
   const unsigned count = p->values.count;
   uint16_t *uses = rzalloc_array(p, uint16_t, MAX2(count, 1));

   p->const_places = rzalloc_array(p, struct fs_const_place, MAX2(count, 1));
   p->num_uniforms = 0;
   for (unsigned i = 0; i < p->num_nodes; i++) {
      for (unsigned s = 0; s < p->nodes[i].num_srcs; s++) {
         if (p->nodes[i].src[s].kind == FS_SRC_VALUE)
            uses[p->nodes[i].src[s].index]++;
      }
   }
   while (true) {
      unsigned best = 0;
      for (unsigned v = 1; v < count; v++) {
         if (uses[v] > uses[best])
            best = v;
      }
      if (count == 0 || uses[best] == 0)
         break;
      place(p, best, const_format(p, best));
      uses[best] = 0;
   }
   ralloc_free(uses);
}
