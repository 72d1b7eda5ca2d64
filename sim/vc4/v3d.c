/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The block as a whole: what is mapped where, the registers, diagnostics.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address_map.h"
#include "threads.h"
#include "v3d_internal.h"

/* "V3D", and the generation; then revision 1 with three slices of four QPUs
 * and two TMUs each, 12 KiB of VPM. */
#define IDENT0 0x02443356u
#define IDENT1 0x00104431u

struct v3d *
v3d_create(const struct v3d_options *options)
{
   struct v3d *v3d = aligned_alloc(64, (sizeof(*v3d) + 63) & ~63ul);
   if (!v3d)
      return NULL;
   memset(v3d, 0, sizeof(*v3d));
   v3d->options = *options;
   v3d->map = sim_address_map_create();
   v3d->threads = sim_threads_create(options->threads);
   v3d->bin = bin_create(v3d);
   v3d->render = render_create(v3d);
   if (!v3d->map || !v3d->threads || !v3d->bin || !v3d->render) {
      v3d_destroy(v3d);
      return NULL;
   }
   return v3d;
}

void
v3d_destroy(struct v3d *v3d)
{
   if (!v3d)
      return;
   bin_destroy(v3d->bin);
   render_destroy(v3d->render);
   sim_threads_destroy(v3d->threads);
   qpu_forget_programs(v3d);
   sim_address_map_destroy(v3d->map);
   free(v3d->programs);
   free(v3d);
}

bool
v3d_map(struct v3d *v3d, uint32_t address, uint32_t size, void *cpu)
{
   return sim_address_map_add(v3d->map, address, size, cpu);
}

void
v3d_unmap(struct v3d *v3d, uint32_t address)
{
   sim_address_map_remove(v3d->map, address);
}

uint8_t *
v3d_memory_rest(const struct v3d *v3d, uint32_t address, uint32_t *size)
{
   return sim_address_map_find(v3d->map, address, size);
}

uint8_t *
v3d_memory(const struct v3d *v3d, uint32_t address, uint32_t size)
{
   uint32_t rest;
   uint8_t *cpu = v3d_memory_rest(v3d, address, &rest);
   return rest < size ? NULL : cpu;
}

void
v3d_diag(struct v3d *v3d, enum v3d_diag_number number, const char *format,
         ...)
{
   unsigned index = number - 950;
   if (index >= 64 || (number >= 970 && !v3d->options.strict))
      return;
   uint32_t bit = 1u << index % 32;
   if (atomic_fetch_or(&v3d->reported[index / 32], bit) & bit)
      return;
   char text[200];
   va_list args;
   va_start(args, format);
   vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   if (v3d->options.diag)
      v3d->options.diag(v3d->options.data, number, text);
   else
      fprintf(stderr, "v3d: [%u] %s\n", number, text);
}

uint32_t *
v3d_vpm(struct v3d *v3d)
{
   return v3d->vpm[0];
}

void
v3d_get_stats(const struct v3d *v3d, struct v3d_stats *stats)
{
   *stats = v3d->stats;
}

/* --- registers --- */

uint32_t
v3d_read(struct v3d *v3d, unsigned offset)
{
   switch (offset) {
   case V3D_IDENT0:
      return IDENT0;
   case V3D_IDENT1:
      return IDENT1;
   case V3D_INTDIS:
      return v3d->regs[V3D_INTENA / 4];
   default:
      return offset % 4 || offset >= sizeof(v3d->regs)
                ? 0
                : v3d->regs[offset / 4];
   }
}

/* A program of the CPU's: registers SRQ*. */
static void
run_user_program(struct v3d *v3d, uint32_t address)
{
   struct qpu *qpu = aligned_alloc(64, (sizeof(*qpu) + 63) & ~63ul);
   struct tmu *tmu = aligned_alloc(64, 2 * ((sizeof(*tmu) + 63) & ~63ul));
   struct tmu_cache *cache = calloc(1, sizeof(*cache));
   const struct qpu_program *program = qpu_get_program(v3d, address);
   struct vpm vpm = { .read_rows = v3d->vpm, .write_rows = v3d->vpm };
   uint32_t counts = v3d->regs[V3D_SRQCS / 4];
   bool good = qpu && tmu && cache && program;
   if (good) {
      tmu_reset(&tmu[0]);
      tmu_reset(&tmu[1]);
      tmu[0].cache = tmu[1].cache = cache;
      qpu_init(qpu, v3d, QPU_USER);
      qpu->vpm = &vpm;
      qpu->tmu = tmu;
      good = qpu_run(qpu, program, v3d->regs[V3D_SRQUA / 4]);
      v3d->stats.instructions += qpu->executed;
   }
   /* requests made, and programs completed */
   counts = ((counts >> 8 & 0xff) + 1) << 8 | (counts & 0xff0000);
   if (good)
      counts += 1u << 16;
   else
      v3d->regs[V3D_ERRSTAT / 4] |= 1;
   v3d->regs[V3D_SRQCS / 4] = counts & 0xffff3f;
   free(cache);
   free(tmu);
   free(qpu);
}

void
v3d_write(struct v3d *v3d, unsigned offset, uint32_t value)
{
   if (offset % 4 || offset >= sizeof(v3d->regs))
      return;
   unsigned old = sim_float_flush();
   uint32_t *reg = &v3d->regs[offset / 4];
   switch (offset) {
   case V3D_INTCTL:
      *reg &= ~value;
      break;
   case V3D_INTENA:
      *reg |= value;
      break;
   case V3D_INTDIS:
      v3d->regs[V3D_INTENA / 4] &= ~value;
      break;
   case V3D_BFC:
   case V3D_RFC:
      if (value & 1)
         *reg = 0;
      break;
   case V3D_SRQCS:
      *reg &= ~((value & 0x80 ? 0x3fu : 0) | (value & 0x8000 ? 0xff00u : 0) |
                (value & 0x1000000 ? 0xff0000u : 0));
      break;
   case V3D_L2CACTL:
   case V3D_SLCACTL:
      qpu_forget_programs(v3d);
      break;
   case V3D_CT0EA:
   case V3D_CT1EA:
      *reg = value;
      atomic_store(&v3d->reported[0], 0);
      atomic_store(&v3d->reported[1], 0);
      if (offset == V3D_CT0EA)
         cl_run_bin(v3d);
      else
         cl_run_render(v3d);
      break;
   case V3D_SRQPC:
      *reg = value;
      atomic_store(&v3d->reported[0], 0);
      atomic_store(&v3d->reported[1], 0);
      run_user_program(v3d, value);
      break;
   default:
      *reg = value;
   }
   sim_float_restore(old);
}
