/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shader state records, and vertices: sixteen at a time their attributes go
 * into rows of VPM, one component each, and a program turns them into rows of
 * its stage's format.  In NV mode memory has the latter.
 */

#include <stdlib.h>
#include <string.h>

#include "v3d_internal.h"

static uint32_t
get32(const uint8_t *p)
{
   uint32_t value;
   memcpy(&value, p, 4);
   return value;
}

static bool
read_gl_record(struct v3d *v3d, uint32_t operand, struct shader_record *r)
{
   uint32_t address = operand & ~15u;
   unsigned num = operand & 7 ? operand & 7 : 8;
   bool extended = operand & 8;
   const uint8_t *p =
      v3d_memory(v3d, address, extended ? 100 + num * 4 : 36 + num * 8);
   if (!p)
      return false;
   r->single_threaded = p[0] & 1;
   r->point_size = p[0] & 2;
   r->clipping = p[0] & 4;
   r->num_varyings = p[3];
   r->fragment_code = get32(p + 4);
   r->fragment_uniforms = get32(p + 8);
   for (unsigned i = 0; i < 2; i++) {
      const uint8_t *s = p + 12 + i * 12;
      r->vertex[i].select = s[2];
      r->vertex[i].size = s[3];
      r->vertex[i].code = get32(s + 4);
      r->vertex[i].uniforms = get32(s + 8);
   }
   r->num_attributes = num;
   for (unsigned i = 0; i < num; i++) {
      const uint8_t *a = p + 36 + i * 8;
      r->attributes[i] = (struct shader_attribute){
         .address = get32(a),
         .bytes = a[4] + 1,
         .stride = a[5],
         .offset = { a[6], a[7] },
      };
      if (extended)
         r->attributes[i].stride |= get32(p + 100 + i * 4) & ~0xffu;
   }
   return true;
}

static bool
read_nv_record(struct v3d *v3d, uint32_t address, struct shader_record *r)
{
   const uint8_t *p = v3d_memory(v3d, address & ~15u, 16);
   if (!p)
      return false;
   r->nv = true;
   r->single_threaded = p[0] & 1;
   r->point_size = p[0] & 2;
   r->clipping = p[0] & 4;
   r->clip_header = p[0] & 8;
   r->data_stride = p[1];
   r->num_varyings = p[3];
   r->fragment_code = get32(p + 4);
   r->fragment_uniforms = get32(p + 8);
   r->data_address = get32(p + 12);
   return true;
}

bool
shade_read_record(struct v3d *v3d, uint8_t packet, uint32_t operand,
                  struct shader_record *record)
{
   memset(record, 0, sizeof(*record));
   bool good = packet == 65 ? read_nv_record(v3d, operand, record)
                            : read_gl_record(v3d, operand, record);
   if (!good)
      v3d_diag(v3d, V3D_DIAG_SHADER_RECORD,
               "shader record at 0x%08x, which is no memory", operand & ~15u);
   if (good && record->num_varyings > MAX_VARYINGS) {
      v3d_diag(v3d, V3D_DIAG_CL_VALUE, "%u varyings, at most %u exist",
               record->num_varyings, MAX_VARYINGS);
      record->num_varyings = MAX_VARYINGS;
   }
   record->valid = good;
   return good;
}

static bool
load_nv(struct v3d *v3d, const struct shader_record *record,
        enum qpu_stage stage, const uint32_t *index, unsigned count,
        uint32_t *out, unsigned stride)
{
   const unsigned header = record->clip_header ? 4 : 0;
   const unsigned words =
      header + 3 + record->point_size + record->num_varyings;
   for (unsigned i = 0; i < count; i++) {
      uint32_t *v = out + i * stride;
      uint32_t address =
         record->data_address + index[i] * record->data_stride;
      const uint8_t *p = v3d_memory(v3d, address, words * 4);
      if (!p) {
         v3d_diag(v3d, V3D_DIAG_SHADER_RECORD,
                  "vertex %u is at 0x%08x, which is no memory", index[i],
                  address);
         return false;
      }
      /* Clip coordinates that are not there are inside. */
      const uint32_t inside[4] = { 0, 0, 0, 0x3f800000 };
      if (stage == QPU_COORDINATE) {
         memcpy(v, header ? (const void *)p : inside, 16);
         memcpy(v + 4, p + header * 4, (3 + record->point_size) * 4);
      } else {
         memcpy(v, p + header * 4, (words - header) * 4);
      }
   }
   return true;
}

/* One attribute of sixteen vertices into rows. */
static bool
load_attribute(struct v3d *v3d, const struct shader_attribute *attribute,
               unsigned offset, const uint32_t *index, unsigned count,
               uint32_t rows[][QPU_LANES])
{
   for (unsigned lane = 0; lane < QPU_LANES; lane++) {
      uint32_t i = index[lane < count ? lane : count - 1];
      uint32_t address = attribute->address + i * attribute->stride;
      const uint8_t *p = v3d_memory(v3d, address, attribute->bytes);
      if (!p) {
         v3d_diag(v3d, V3D_DIAG_SHADER_RECORD,
                  "an attribute of vertex %u is at 0x%08x, which is no "
                  "memory",
                  i, address);
         return false;
      }
      if (!(offset & 3) && !(attribute->bytes & 3)) {
         for (unsigned w = 0; w < attribute->bytes / 4; w++)
            memcpy(&rows[(offset / 4 + w) % VPM_ROWS][lane], p + w * 4, 4);
         continue;
      }
      for (unsigned b = 0; b < attribute->bytes; b++) {
         unsigned at = offset + b;
         uint8_t *word = (uint8_t *)&rows[at / 4 % VPM_ROWS][lane];
         word[at & 3] = p[b];
      }
   }
   return true;
}

/* What one thread shades with. */
struct shader {
   struct qpu qpu;
   struct tmu tmu[2];
   struct tmu_cache cache;
   struct vpm vpm;
   uint32_t in[VPM_ROWS][QPU_LANES], out[VPM_ROWS][QPU_LANES];
};

static bool
shade_16(struct v3d *v3d, struct shader *s,
         const struct shader_record *record, enum qpu_stage stage,
         const struct qpu_program *program, const uint32_t *index,
         unsigned count, uint32_t *out, unsigned stride)
{
   const unsigned which = stage == QPU_COORDINATE;
   for (unsigned i = 0; i < record->num_attributes; i++) {
      if ((record->vertex[which].select >> i & 1) &&
          !load_attribute(v3d, &record->attributes[i],
                          record->attributes[i].offset[which], index, count,
                          s->in))
         return false;
   }
   qpu_init(&s->qpu, v3d, stage);
   memset(&s->vpm, 0, sizeof(s->vpm));
   s->vpm.read_rows = s->in;
   s->vpm.write_rows = s->out;
   tmu_reset(&s->tmu[0]);
   tmu_reset(&s->tmu[1]);
   s->tmu[0].cache = s->tmu[1].cache = &s->cache;
   s->qpu.vpm = &s->vpm;
   s->qpu.tmu = s->tmu;
   bool good = qpu_run(&s->qpu, program, record->vertex[which].uniforms);
   __atomic_fetch_add(&v3d->stats.instructions, s->qpu.executed,
                      __ATOMIC_RELAXED);
   if (!good)
      return false;
   unsigned rows = stage == QPU_COORDINATE
                      ? 7 + record->point_size
                      : 3 + record->point_size + record->num_varyings;
   for (unsigned lane = 0; lane < count; lane++) {
      for (unsigned row = 0; row < rows; row++)
         out[lane * stride + row] = s->out[row][lane];
   }
   return true;
}

bool
shade_vertices(struct v3d *v3d, const struct shader_record *record,
               enum qpu_stage stage, const uint32_t *index, unsigned count,
               uint32_t *out, unsigned stride)
{
   if (record->nv)
      return load_nv(v3d, record, stage, index, count, out, stride);
   const struct qpu_program *program =
      qpu_get_program(v3d, record->vertex[stage == QPU_COORDINATE].code);
   if (!program)
      return false;
   struct shader *s = aligned_alloc(64, (sizeof(*s) + 63) & ~63ul);
   if (!s)
      return false;
   memset(s, 0, sizeof(*s));
   bool good = true;
   for (unsigned i = 0; good && i < count; i += QPU_LANES) {
      good =
         shade_16(v3d, s, record, stage, program, index + i,
                  V3D_MIN(count - i, QPU_LANES), out + i * stride, stride);
   }
   __atomic_fetch_add(&v3d->stats.vertices, count, __ATOMIC_RELAXED);
   __atomic_fetch_add(&v3d->stats.texture_lookups, s->cache.lookups,
                      __ATOMIC_RELAXED);
   free(s);
   return good;
}
