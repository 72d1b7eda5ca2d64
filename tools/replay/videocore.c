/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Jobs of VideoCore IV.  Their words say where the chip may put tile lists,
 * then which registers are written; the lists and all that they name are in
 * the job's buffers.  Pictures: the surfaces that rendering lists store
 * colours to, as large as the frame.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "replay.h"
#include "v3d_internal.h"

#define MAX_TARGETS 256
#define MAX_SCRATCH (1u << 30)

/* The first words of a job. */
enum { TILE, TILE_SIZE, OVERFLOW, OVERFLOW_SIZE, OVERFLOW_STEP, NUM_SCRATCH };

struct target {
   uint32_t address;
   unsigned width, height;
   bool half; /* 16 bits per pixel */
   enum tiling tiling;
};

struct videocore {
   struct v3d *v3d;
   struct videocore_options options;
   bool has_scratch;
   uint32_t scratch[NUM_SCRATCH];
   void *memory[2]; /* there */
   uint32_t overflow_used;
   struct target targets[MAX_TARGETS];
   unsigned num_targets;
   struct pictures pictures;
};

static void
on_diag(void *data, unsigned number, const char *text)
{
   struct videocore *vc = data;
   vc->options.diag(vc->options.data, number, text);
}

/* As the kernel does it. */
static void
on_out_of_memory(void *data)
{
   struct videocore *vc = data;
   const uint32_t step = vc->scratch[OVERFLOW_STEP];
   if (vc->overflow_used + (uint64_t)step > vc->scratch[OVERFLOW_SIZE])
      return;
   v3d_write(vc->v3d, V3D_BPOA, vc->scratch[OVERFLOW] + vc->overflow_used);
   v3d_write(vc->v3d, V3D_BPOS, step);
   vc->overflow_used += step;
}

struct videocore *
videocore_create(const struct videocore_options *options)
{
   struct videocore *vc = calloc(1, sizeof(*vc));
   if (!vc)
      return NULL;
   vc->options = *options;
   vc->pictures.prefix = options->prefix;
   struct v3d_options v3d_options = {
      .strict = options->strict,
      .threads = options->threads,
      .diag = on_diag,
      .out_of_memory = on_out_of_memory,
      .data = vc,
   };
   vc->v3d = v3d_create(&v3d_options);
   if (!vc->v3d) {
      free(vc);
      return NULL;
   }
   return vc;
}

void
videocore_destroy(struct videocore *vc)
{
   if (!vc)
      return;
   v3d_destroy(vc->v3d);
   for (unsigned i = 0; i < 2; i++) {
      if (vc->memory[i])
         munmap(vc->memory[i], vc->scratch[i ? OVERFLOW_SIZE : TILE_SIZE]);
   }
   free(vc);
}

/* All jobs of a recording have the same. */
static bool
map_scratch(struct videocore *vc, const uint32_t *words)
{
   if (vc->has_scratch)
      return !memcmp(vc->scratch, words, sizeof(vc->scratch));
   memcpy(vc->scratch, words, sizeof(vc->scratch));
   vc->has_scratch = true;
   for (unsigned i = 0; i < 2; i++) {
      uint32_t address = words[i ? OVERFLOW : TILE];
      uint32_t size = words[i ? OVERFLOW_SIZE : TILE_SIZE];
      if (size > MAX_SCRATCH)
         return false;
      void *cpu = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (cpu == MAP_FAILED)
         return false;
      vc->memory[i] = cpu;
      if (!v3d_map(vc->v3d, address, size, cpu))
         return false;
   }
   return true;
}

bool
videocore_run(struct videocore *vc, const struct recording_record *job,
              const struct replay_buffer *const *buffers, bool *hung)
{
   *hung = false;
   if (job->num_words < NUM_SCRATCH || !map_scratch(vc, job->words))
      return false;
   unsigned mapped = 0;
   while (mapped < job->num_buffers &&
          v3d_map(vc->v3d, buffers[mapped]->address, buffers[mapped]->size,
                  buffers[mapped]->memory))
      mapped++;
   bool good = mapped == job->num_buffers;
   vc->overflow_used = 0;
   for (unsigned i = NUM_SCRATCH; good && i + 1 < job->num_words; i += 2) {
      uint32_t offset = job->words[i];
      v3d_write(vc->v3d, offset, job->words[i + 1]);
      if (offset == V3D_CT0EA || offset == V3D_CT1EA)
         *hung |= v3d_read(vc->v3d, V3D_CT0CS + (offset - V3D_CT0EA)) &
                  V3D_CTCS_ERROR;
   }
   while (mapped-- > 0)
      v3d_unmap(vc->v3d, buffers[mapped]->address);
   return good;
}

/* --- lists --- */

/* The job's memory from an address on; *rest: how much of it. */
static const uint8_t *
find(const struct recording_record *job,
     const struct replay_buffer *const *buffers, uint32_t address,
     uint32_t *rest)
{
   for (unsigned i = 0; i < job->num_buffers; i++) {
      if (replay_buffer_holds(buffers[i], address)) {
         uint32_t offset = address - buffers[i]->address;
         *rest = buffers[i]->size - offset;
         return buffers[i]->memory + offset;
      }
   }
   *rest = 0;
   return NULL;
}

/* A list of the job, thread 0 or 1: as long as its end and memory say. */
static const uint8_t *
find_list(const struct recording_record *job,
          const struct replay_buffer *const *buffers, unsigned thread,
          uint32_t *size)
{
   uint32_t start = 0, end = 0, rest;
   for (unsigned i = NUM_SCRATCH; i + 1 < job->num_words; i += 2) {
      if (job->words[i] == V3D_CT0CA + 4 * thread)
         start = job->words[i + 1];
      else if (job->words[i] == V3D_CT0EA + 4 * thread)
         end = job->words[i + 1];
   }
   const uint8_t *list = find(job, buffers, start, &rest);
   *size = V3D_MIN(end - start, rest);
   return list;
}

static uint32_t
get32(const uint8_t *p)
{
   uint32_t value;
   memcpy(&value, p, 4);
   return value;
}

static void
print_program(FILE *out, const char *stage,
              const struct recording_record *job,
              const struct replay_buffer *const *buffers, uint32_t address)
{
   uint32_t rest;
   const uint8_t *p = find(job, buffers, address, &rest);
   fprintf(out, "%s program at 0x%08x%s\n", stage, address,
           p ? "" : ", in no buffer");
   int left = -1; /* instructions after the end signal */
   for (uint32_t at = 0; p && at + 8 <= rest && left; at += 8) {
      char text[160];
      uint64_t word;
      memcpy(&word, p + at, 8);
      qpu_disassemble(word, text, sizeof(text));
      fprintf(out, "   %04x: %016llx  %s\n", at, (unsigned long long)word,
              text);
      unsigned signal = word >> 60;
      if (left < 0 &&
          (signal == QPU_SIG_END || signal == QPU_SIG_LOAD_COLOR_END))
         left = 3;
      left -= left > 0;
   }
}

static void
print_record(FILE *out, const struct recording_record *job,
             const struct replay_buffer *const *buffers, uint32_t operand)
{
   uint32_t rest;
   const uint8_t *p = find(job, buffers, operand & ~15u, &rest);
   fprintf(out, "shader record at 0x%08x%s\n", operand & ~15u,
           p && rest >= 36 ? "" : ", in no buffer");
   if (!p || rest < 36)
      return;
   print_program(out, "fragment", job, buffers, get32(p + 4));
   print_program(out, "vertex", job, buffers, get32(p + 16));
   print_program(out, "coordinate", job, buffers, get32(p + 28));
}

void
videocore_dump(FILE *out, unsigned number, const struct recording_record *job,
               const struct replay_buffer *const *buffers)
{
   static const char *const names[] = { "binning", "rendering" };
   for (unsigned thread = 0; thread < 2; thread++) {
      uint32_t size;
      const uint8_t *list = find_list(job, buffers, thread, &size);
      fprintf(out, "job %u: %s list\n", number, names[thread]);
      if (list)
         v3d_print_list(out, list, size);
      for (uint32_t at = 0; list && !thread && at + 5 <= size;) {
         unsigned step = cl_packet_size(list[at]);
         if (list[at] == 64)
            print_record(out, job, buffers, get32(list + at + 1));
         if (!step)
            break;
         at += step;
      }
   }
}

/* --- pictures --- */

static void
add_target(struct videocore *vc, const struct target *target)
{
   unsigned i = 0;
   while (i < vc->num_targets && vc->targets[i].address != target->address)
      i++;
   if (i == MAX_TARGETS)
      return;
   vc->targets[i] = *target;
   vc->num_targets = V3D_MAX(vc->num_targets, i + 1);
}

void
videocore_note_targets(struct videocore *vc,
                       const struct recording_record *job,
                       const struct replay_buffer *const *buffers)
{
   struct target target = { 0 };
   uint32_t size;
   const uint8_t *list = find_list(job, buffers, 1, &size);
   for (uint32_t at = 0; list && at < size;) {
      const uint8_t *p = list + at;
      unsigned step = cl_packet_size(p[0]);
      if (!step || step > size - at)
         return;
      if (p[0] == 113) {
         target.address = get32(p + 1);
         target.width = p[5] | p[6] << 8;
         target.height = p[7] | p[8] << 8;
         target.half = (p[9] >> 2 & 3) != 1;
         target.tiling =
            (enum tiling)V3D_MIN((p[9] | p[10] << 8) >> 6 & 3, 2);
      } else if (p[0] == 24 || p[0] == 25) {
         add_target(vc, &target);
      } else if (p[0] == 28 && (p[1] & 7) == 1) {
         struct target other = target;
         other.address = get32(p + 3) & ~15u;
         other.half = p[2] & 3;
         other.tiling = (enum tiling)V3D_MIN(p[1] >> 4 & 3, 2);
         add_target(vc, &other);
      }
      at += step;
   }
}

static unsigned
bytes_per_pixel(const struct target *target)
{
   return target->half ? 2 : 4;
}

static void
to_rgb(const void *data, const uint8_t *pixel, uint8_t rgb[3])
{
   const struct target *target = data;
   if (target->half) {
      unsigned v = pixel[0] | pixel[1] << 8;
      unsigned r = v >> 11, g = v >> 5 & 63, b = v & 31;
      rgb[0] = r << 3 | r >> 2;
      rgb[1] = g << 2 | g >> 4;
      rgb[2] = b << 3 | b >> 2;
   } else {
      for (unsigned i = 0; i < 3; i++)
         rgb[i] = pixel[2 - i];
   }
}

static uint64_t
pixel_offset(const void *data, unsigned x, unsigned y)
{
   const struct target *target = data;
   const unsigned cpp = bytes_per_pixel(target);
   uint32_t width = target->width, height = target->height;
   tiling_pad(target->tiling, &width, &height, cpp);
   return tiling_offset(target->tiling, width, cpp, x, y);
}

static void
write_target(struct videocore *vc, const struct target *target,
             const struct replay_buffer *buffer)
{
   static const char *const layouts[] = { "raster", "t", "lt" };
   char format[16];
   const struct surface surface = {
      .width = target->width,
      .height = target->height,
      .cpp = bytes_per_pixel(target),
      .offset = pixel_offset,
      .color = to_rgb,
      .data = target,
   };
   snprintf(format, sizeof(format), "%s-%s", target->half ? "565" : "8888",
            layouts[target->tiling]);
   pictures_write(&vc->pictures, surface, buffer, target->address, format);
}

void
videocore_free_buffer(struct videocore *vc,
                      const struct replay_buffer *buffer)
{
   for (unsigned i = 0; i < vc->num_targets;) {
      if (replay_buffer_holds(buffer, vc->targets[i].address)) {
         write_target(vc, &vc->targets[i], buffer);
         vc->targets[i] = vc->targets[--vc->num_targets];
      } else {
         i++;
      }
   }
}

int
videocore_finish(struct videocore *vc, const struct replay_buffer *buffers,
                 unsigned num_buffers)
{
   for (unsigned i = 0; i < num_buffers; i++)
      videocore_free_buffer(vc, &buffers[i]);
   return vc->pictures.num_written;
}
