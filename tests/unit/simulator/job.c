/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "job.h"

#include "unit.h"
#include "frame_words.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20/host1x_stream.h"

static void
record(void *data, const struct sim_diag *diag)
{
   struct job *job = data;
   if (job->num_diags < COUNT(job->diags))
      job->diags[job->num_diags++] = diag->number;
   snprintf(job->last_text, sizeof(job->last_text), "%s", diag->text);
   if (getenv("JOB_VERBOSE"))
      fprintf(stderr, "%u %s: %s\n", diag->number, sim_diag_name(diag->number), diag->text);
}

static struct job *last;

struct job *
job_create(bool strict)
{
   if (last)
      job_destroy(last);
   return last = job_create_with((struct sim_options){ .strict = strict, .threads = 1 });
}

struct job *
job_create_with(struct sim_options options)
{
   struct job *job = calloc(1, sizeof(*job));
   assert_non_null(job);
   options.diag = record;
   options.diag_data = job;
   job->sim = sim_create(&options);
   assert_non_null(job->sim);
   job->memory = calloc(1, JOB_MEMORY_SIZE);
   assert_non_null(job->memory);
   job->class_id = HOST1X_CLASS_GR3D;
   return job;
}

void
job_destroy(struct job *job)
{
   if (job == last)
      last = NULL;
   sim_destroy(job->sim);
   free(job->memory);
   free(job->words);
   free(job);
}

void
job_clear(struct job *job)
{
   job->count = 0;
   job->num_diags = 0;
}

void
job_word(struct job *job, uint32_t word)
{
   if (job->count == job->capacity) {
      job->capacity = job->capacity ? 2 * job->capacity : 4096;
      job->words = realloc(job->words, job->capacity * sizeof(*job->words));
      assert_non_null(job->words);
   }
   job->words[job->count++] = word;
}

void
job_class(struct job *job, uint32_t class_id)
{
   job_word(job, host1x_setcl(0, class_id, 0));
}

void
job_write(struct job *job, uint32_t reg, uint32_t value)
{
   job_word(job, host1x_incr(reg, 1));
   job_word(job, value);
}

void
job_write_all(struct job *job, const uint32_t (*pairs)[2], unsigned count)
{
   for (unsigned i = 0; i < count; i++)
      job_write(job, pairs[i][0], pairs[i][1]);
}

void
job_float(struct job *job, uint32_t reg, float value)
{
   uint32_t bits;
   memcpy(&bits, &value, 4);
   job_write(job, reg, bits);
}

void
job_port(struct job *job, uint32_t reg, const uint32_t *values, unsigned count)
{
   job_word(job, host1x_nonincr(reg, count));
   for (unsigned i = 0; i < count; i++)
      job_word(job, values[i]);
}

enum sim_status
job_run(struct job *job)
{
   const uint32_t first = job->split ? job->split : JOB_MEMORY_SIZE;
   const struct sim_range ranges[2] = {
      { JOB_MEMORY_BASE, first, job->memory },
      { JOB_MEMORY_BASE + first, JOB_MEMORY_SIZE - first, job->memory + first },
   };
   struct sim_cmd cmd = { .type = SIM_CMD_GATHER, .gather = { job->words, job->count } };
   struct sim_job sim_job = {
      .class_id = job->class_id,
      .ranges = ranges,
      .num_ranges = job->split ? 2 : 1,
      .cmds = &cmd,
      .num_cmds = 1,
      .overlaps = job->overlaps,
      .cut = job->cut,
      .continues = job->continues,
   };
   return sim_execute(job->sim, &sim_job);
}

bool
job_reported(const struct job *job, unsigned number)
{
   for (unsigned i = 0; i < job->num_diags; i++)
      if (job->diags[i] == number)
         return true;
   return false;
}

static const uint32_t fragment_program[] = {
   0x42050000, 0x4e220000, 0x46030000, 0x48030000, 0x25410001, 0x00000000, 0x45000000, 0x26010001,
   0x00000001, 0x26040002, 0x104e51ba, 0x00408102, 0x27010001, 0x00000000, 0x28010001, 0x00000001,
   0x28040008, 0x0001c0c0, 0x3f41f200, 0x0001a080, 0x3f41f200, 0x00014000, 0x3f41f200, 0x00012040,
   0x3f41f200, 0x28060001, 0x00000000, 0x29010001, 0x00028005,
};

static void
append(struct job *job, const uint32_t *words, unsigned count)
{
   for (unsigned i = 0; i < count; i++)
      job_word(job, words[i]);
}

#define APPEND(job, array) append(job, array, COUNT(array))

void
job_frame(struct job *job)
{
   job_class(job, HOST1X_CLASS_GR3D);
   APPEND(job, reset_block);
   APPEND(job, draw_state);
   job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0x00030081);
   job_write(job, GR3D_RT_PARAMS(1), 0x04040034);
   job_write(job, GR3D_RT_PTR(1), JOB_MEMORY_BASE + JOB_TARGET);
   job_write(job, GR3D_RT_ENABLE, 2);
   APPEND(job, fragment_program);
   job_write(job, GR3D_LINKER_INSTRUCTION(0), 0x00000008);
   job_write(job, GR3D_LINKER_INSTRUCTION(0) + 1, 0x0000fecd);
}

void
job_fill(struct job *job, uint32_t first, uint32_t last, uint32_t value)
{
   for (uint32_t reg = first; reg <= last; reg++)
      job_write(job, reg, value);
}

void
job_init_tegra30(struct job *job)
{
   job_fill(job, 0x907, 0x90b, 0);
   job_write(job, 0xb00, 3);
   job_fill(job, 0x750, 0x75f, 0);
   job_write(job, 0xb01, 0);
   job_write(job, 0xb04, 0);
   job_fill(job, 0xb06, 0xb12, 0);
   job_write(job, 0xb14, 0);
   job_write(job, 0xe40, 0);
   job_write(job, 0xe41, 0);
}

void
job_select_engines(struct job *job)
{
   job_write(job, 0xb00, 1);
   job_write(job, 0xe41, 1);
   job_write(job, 0xb00, 2);
   job_write(job, 0xe41, 3);
   job_write(job, 0xb00, 3);
}

void
job_vertex_program(struct job *job, const uint32_t (*insns)[4], unsigned num)
{
   job_write(job, GR3D_VP_UPLOAD_INST_ID, 0);
   job_port(job, GR3D_VP_UPLOAD_INST, insns[0], 4 * num);
}

void
job_vertex_constant(struct job *job, unsigned index, const uint32_t bits[4])
{
   job_write(job, GR3D_VP_UPLOAD_CONST_ID, 4 * index);
   job_port(job, GR3D_VP_UPLOAD_CONST, bits, 4);
}

void
job_vertex_constant_f(struct job *job, unsigned index, float x, float y, float z, float w)
{
   float f[4] = { x, y, z, w };
   uint32_t bits[4];
   memcpy(bits, f, sizeof(bits));
   job_vertex_constant(job, index, bits);
}

void
job_attrib(struct job *job, unsigned index, uint32_t offset, uint32_t mode)
{
   job_write(job, GR3D_ATTRIB_PTR(index), JOB_MEMORY_BASE + offset);
   job_write(job, GR3D_ATTRIB_MODE(index), mode);
}

void
job_draw(struct job *job, unsigned primitive, unsigned index_mode, unsigned first, unsigned count)
{
   if (index_mode)
      job_write(job, GR3D_INDEX_PTR, JOB_MEMORY_BASE + JOB_INDICES);
   job_write(job, GR3D_DRAW_PARAMS, 0xc8000000 | index_mode << 28 | primitive << 24);
   job_write(job, GR3D_DRAW_PRIMITIVES, (count - 1) << 20 | first);
}

void
job_poke(struct job *job, uint32_t offset, const void *data, unsigned size)
{
   assert_true(offset <= JOB_MEMORY_SIZE && size <= JOB_MEMORY_SIZE - offset);
   memcpy(job->memory + offset, data, size);
}

uint32_t
job_peek32(const struct job *job, uint32_t offset)
{
   uint32_t word;
   memcpy(&word, job->memory + offset, 4);
   return word;
}

uint32_t
job_pixel(const struct job *job, unsigned x, unsigned y)
{
   unsigned xb = 4 * x;
   return job_peek32(job, JOB_TARGET + y / 16 * 16 * 1024 + xb / 16 * 256 + y % 16 * 16 + xb % 16);
}
