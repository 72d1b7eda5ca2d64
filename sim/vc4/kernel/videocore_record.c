/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Jobs of VideoCore IV for recordings (docs/recording.md): the buffers of
 * user space, and two that exist for one job, the lists that the kernel made.
 * What the chip alone writes and reads, tile lists, is named by address only.
 */

#include <stdlib.h>

#include "tegra20/recording.h"
#include "videocore.h"

/* Keys of the lists, which are no shim_mem's. */
static const char bin_key, render_key;

static void
add_list(struct recorder_job *job, const void *key, uint32_t address,
         uint32_t end, const uint8_t *cpu)
{
   struct recorder_buffer *buffers = (struct recorder_buffer *)job->buffers;
   uint32_t size = ALIGN_POT(end - address, SHIM_PAGE_SIZE);
   if (size)
      buffers[job->num_buffers++] =
         (struct recorder_buffer){ (uintptr_t)key, address, size, cpu };
}

static bool
known(const struct recorder_job *job, const struct shim_mem *mem)
{
   for (unsigned i = 0; i < job->num_buffers; i++) {
      if (job->buffers[i].key == (uintptr_t)mem)
         return true;
   }
   return false;
}

void
shim_vc4_record(const struct vc4_exec *exec, const uint32_t *words,
                unsigned count, bool end, bool ok)
{
   if (!shim_record_wanted())
      return;
   struct recorder_buffer *buffers =
      calloc(exec->num_bos + 2, sizeof(*buffers));
   const struct recorder_cmd all = { .count = count };
   struct recorder_job job = {
      .class_id = RECORDING_CLASS_V3D,
      .buffers = buffers,
      .cmds = &all,
      .num_cmds = 1,
      .words = words,
      .num_words = count,
   };
   if (!buffers)
      return;
   for (unsigned i = 0; i < exec->num_bos; i++) {
      const struct shim_mem *mem = exec->bos[i];
      if (!known(&job, mem))
         buffers[job.num_buffers++] =
            (struct recorder_buffer){ (uintptr_t)mem, mem->address, mem->size,
                                      mem->cpu };
   }
   if (exec->args->bin_cl_size)
      add_list(&job, &bin_key, exec->out_address,
               exec->out_address + exec->out_used, exec->out);
   add_list(&job, &render_key, exec->render_address, exec->render_end,
            exec->render);
   shim_record(&job, end, ok);
   if (end) {
      shim_record_forget(&bin_key);
      shim_record_forget(&render_key);
   }
   free(buffers);
}
