/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * a4xx-fuzz [--jobs N] [--seed S] [--threads T]: mutated command streams and
 * random programs for the A4xx simulator, which may do anything but crash,
 * read or write memory that is not mapped, or not come back.  ci/long runs it
 * with the sanitizers.
 *
 * A job is a stream of one kind (a textured and blended draw with depth and
 * stencil, patches, a compute program), in which some words are changed, with
 * programs whose instructions are random or partly so.  Each job draws by
 * another profile, and the digest of all memory after each is the same with
 * every compiler and number of threads.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "a4xx_internal.h"

#define BASE 0x100000u
#define SIZE 0x40000u
#define STREAM 0u /* offsets in memory */
#define CODE 0x4000u
#define CONSTS 0x8000u
#define VERTICES 0x9000u
#define FACTORS 0xa000u
#define PARAMETERS 0xb000u
#define TEXELS 0x10000u
#define TARGET 0x20000u
/* bary.f of a location, by r0.xy; sam of the first texture. */
#define BARY(dst, location)                                       \
   (2ull << 61 | (uint64_t)(IR3_BARY_F & 63) << 53 | 1ull << 52 | \
    (uint64_t)(dst) << 32 | 0x2000u | (location))
#define SAM(dst, src)                                             \
   (5ull << 61 | (uint64_t)(IR3_SAM & 31) << 54 | 0x1full << 40 | \
    (uint64_t)(dst) << 32 | (src) << 1 | 1)
#define UNITS 5u /* of 16 instructions, of each program */

static uint8_t *memory;
static uint32_t end;
static uint64_t state;

static uint32_t
next_random(void)
{
   state = state * 6364136223846793005ull + 1442695040888963407ull;
   return state >> 33;
}

static bool
one_in(unsigned n)
{
   return next_random() % n == 0;
}

static uint32_t
random_word(void)
{
   return next_random() << 1 ^ next_random();
}

/* --- streams --- */

static void
put(uint32_t word)
{
   memcpy(memory + STREAM + end, &word, 4);
   end += 4;
}

static void
put_reg(unsigned offset, uint32_t value)
{
   put(offset);
   put(value);
}

static void
put_state(unsigned block, unsigned type, unsigned units, uint32_t offset)
{
   put(3u << 30 | 1 << 16 | 0x30 << 8);
   put(2u << 16 | block << 18 | units << 22);
   put((BASE + offset) | type);
}

/* An instruction that is mostly one that the chip knows, of low registers,
 * and branches go forward. */
static uint64_t
random_instr(void)
{
   static const uint8_t flow[5] = { 0, 1, 1, 2, 5 }; /* nop, br, jump, kill */
   struct ir3_instr instr;
   uint64_t word;
   for (unsigned i = 0; i < 64; i++) {
      const unsigned category = next_random() % 8;
      word = (uint64_t)random_word() << 32 | random_word();
      if (one_in(256))
         return word;
      word = (word & ~(7ull << 61)) | (uint64_t)category << 61;
      if (category == 0)
         word = (word & ~0xffffffffull & ~(15ull << 55)) |
                (uint64_t)flow[next_random() % 5] << 55 | next_random() % 12;
      else if (category < 7)
         word &= ~(0xe0ull << 32 | (category == 5 ? 0x1c1c0 : 0));
      if (ir3_decode(word, &instr) &&
          (category < 1 || category > 4 || ir3_alu_knows(&instr)))
         break;
   }
   return word;
}

/* kept: instructions that stay as they are, mostly. */
static void
put_program(unsigned stage, unsigned control, const uint64_t *words,
            unsigned kept)
{
   uint64_t code[UNITS * 16] = { 0 };
   const unsigned length =
      kept + next_random() % (one_in(8) ? UNITS * 16 - kept : 12);
   for (unsigned i = 0; i < UNITS * 16; i++) {
      if (i < kept && !one_in(100))
         code[i] = words[i];
      else if (i < length)
         code[i] = random_instr();
      else
         code[i] = 6ull << 55; /* end */
   }
   memcpy(memory + CODE + stage * 0x400, code, sizeof(code));
   put_reg(control, 8 | stage * 8 << 8 | 1 << 16 | stage * UNITS << 17 |
                       (one_in(32) ? 0 : UNITS) << 24);
   put_state(8 + stage, 0, UNITS, CODE + stage * 0x400);
   put_state(8 + stage, 1, 6, CONSTS);
}

static void
put_textures(void)
{
   for (unsigned i = 0; i < 4; i++) {
      const uint32_t words[8] = {
         next_random() % 128 << 22 | 0x6880 | next_random() % 4 << 16 |
            (one_in(2) ? 1 : next_random() % 8) << 29,
         (next_random() % 40 + 1) << 15 | (next_random() % 40 + 1),
         1 | (64 + next_random() % 512) << 9,
         1 | next_random() % 5 << 18,
         (BASE + TEXELS + next_random() % 0x8000) & ~31u,
      };
      memcpy(memory + CONSTS + 0x400 + i * 32, words, 32);
      const uint32_t sampler[2] = {
         random_word(), random_word() & (one_in(2) ? ~0u : 0x00ff00ff)
      };
      memcpy(memory + CONSTS + 0x600 + i * 8, sampler, 8);
   }
   for (unsigned stage = 0; stage < 6; stage++) {
      put_state(stage, 1, 4, CONSTS + 0x400);
      put_state(stage, 0, 4, CONSTS + 0x600);
   }
   put_reg(TPL1_TP_FS_BORDER_COLOR_BASE_ADDR, BASE + CONSTS);
}

static void
put_buffers(void)
{
   for (unsigned i = 0; i < 4; i++) {
      const uint32_t place[4] = { BASE + TEXELS + i * 0x1000, 64, 1024, 4 };
      const uint32_t size[2] = {
         next_random() % 64 << 16 | next_random() % 64, random_word()
      };
      memcpy(memory + CONSTS + 0x700 + i * 16, place, 16);
      memcpy(memory + CONSTS + 0x780 + i * 8, size, 8);
   }
   for (unsigned group = 14; group < 16; group++) {
      put_state(group, 0, 4, CONSTS + 0x700);
      put_state(group, 1, 4, CONSTS + 0x780);
   }
}

static void
put_attributes(void)
{
   put_reg(VFD_CONTROL_0, 2u << 26 | 2 << 20 | 8);
   put_reg(VFD_CONTROL_1, 0xfcfc0000 | next_random() % 3);
   put_reg(VFD_CONTROL_3, 0x0403fc00);
   for (unsigned i = 0; i < 2; i++) {
      put_reg(VFD_FETCH + i * 4, (i ? 16 : 32) << 7 | 15);
      put_reg(VFD_FETCH + i * 4 + 1, BASE + VERTICES + i * 16);
      put_reg(VFD_FETCH + i * 4 + 2, 2048);
      put_reg(VFD_DECODE + i,
              15 | (one_in(2) ? 0x04 : next_random() % 64) << 6 |
                 (4 + i * 4) << 12);
   }
   for (unsigned i = 0; i < 1024; i++) {
      const float value = (int)(next_random() % 400) / 100.0f - 2;
      memcpy(memory + VERTICES + i * 4, &value, 4);
   }
}

static void
put_float(unsigned reg, float value)
{
   uint32_t word;
   memcpy(&word, &value, 4);
   put_reg(reg, word);
}

/* The window has 40 x 40 pixels, which are more than a bin of 32 x 32. */
static void
put_window(void)
{
   for (unsigned i = 0; i < 3; i++) {
      put_float(GRAS_CL_VPORT_XOFFSET_0 + i * 2, i < 2 ? 20 : 0.5f);
      put_float(GRAS_CL_VPORT_XOFFSET_0 + i * 2 + 1, i < 2 ? 20 : 0.5f);
   }
   put_reg(GRAS_SC_SCREEN_SCISSOR_BR, 39 << 16 | 39);
   put_reg(GRAS_SC_WINDOW_SCISSOR_BR, 39 << 16 | 39);
   put_reg(GRAS_SU_POINT_MINMAX, 640u << 16 | 16);
   put_reg(GRAS_SU_POINT_SIZE, next_random() % 640);
   put_reg(GRAS_SU_MODE_CONTROL, next_random() & 0xfff);
   put_reg(GRAS_CL_CLIP_CNTL, next_random() % 2 ? 0x80000 : random_word());
   put_reg(PC_PRIM_VTX_CNTL, random_word() & 0x06000000);
   put_reg(PC_PRIM_VTX_CNTL + 1, one_in(4) ? next_random() & 0x7f : 0);
}

static void
put_targets(bool in_memory)
{
   put_reg(RB_MODE_CONTROL, in_memory ? 0x00c00000 : 0x00010202);
   for (unsigned i = 0; i < 2; i++) {
      put_reg(RB_MRT_CONTROL + i * 5,
              (12 << 8 | 15 << 24) ^
                 (one_in(2) ? random_word() & 0x0f000f70 : 0));
      put_reg(RB_MRT_CONTROL + i * 5 + 1,
              (one_in(2) ? 0x1a : next_random() & 0x3fff) | 256 / 16 << 14);
      put_reg(RB_MRT_CONTROL + i * 5 + 2,
              in_memory ? BASE + TARGET + i * 0x8000 : i * 0x8000);
      put_reg(RB_MRT_CONTROL + i * 5 + 4, random_word() & 0x1fff1fff);
      put_reg(SP_FS_MRT + i, i * 4 | (next_random() & 0x500));
   }
   put_reg(RB_RENDER_COMPONENTS, next_random() & 0xff);
   put_reg(SP_FS_OUTPUT_REG, 2 | (one_in(4) ? 0x80 : 0));
   put_reg(RB_DEPTH_INFO, 0x40000 | next_random() % 4);
   put_reg(RB_DEPTH_PITCH, 64 * 4 / 32);
   put_reg(RB_STENCIL_INFO, 0x60000 | next_random() % 2);
   put_reg(RB_STENCIL_PITCH, 64 / 32);
   put_reg(RB_DEPTH_CONTROL, one_in(2) ? 0 : random_word() & 0x000100f6);
   put_reg(RB_STENCIL_CONTROL, one_in(2) ? 0 : random_word());
   put_reg(RB_STENCILREFMASK, random_word());
   put_reg(RB_ALPHA_CONTROL, one_in(4) ? random_word() & 0xfff : 0);
}

static void
put_fragments(void)
{
   static const uint64_t words[] = { BARY(8, 0), BARY(9, 1), SAM(0, 8) };
   put_program(4, HLSQ_FS_CONTROL_REG, words, 3);
   put_reg(SP_FS_CTRL_REG0, 12 << 10 | 4 << 4);
   put_reg(HLSQ_CONTROL_1_REG, random_word() & 0x1f1f0000);
   put_reg(HLSQ_CONTROL_2_REG, 0xfcu << 2 | 0xfc << 10 | 0xfc << 18);
   put_reg(HLSQ_CONTROL_3_REG, 0xfcfcfc00 | 0);
   for (unsigned i = 0; i < 4; i++)
      put_reg(VPC_VARYING_INTERP + i, one_in(2) ? 0 : random_word());
   for (unsigned i = 0; i < 4; i++)
      put_reg(VPC_VARYING_PS_REPL + i, one_in(2) ? 0 : random_word());
   put_reg(GRAS_SC_CONTROL, one_in(8) ? next_random() & 12 : 0);
}

static void
put_resolve(void)
{
   put_reg(GRAS_SC_CONTROL, 2 << 2);
   put_reg(RB_COPY_CONTROL, 1 << 4);
   put_reg(RB_COPY_DEST_BASE, BASE + TARGET);
   put_reg(RB_COPY_DEST_PITCH, 256 / 32);
   put_reg(RB_COPY_DEST_INFO, (one_in(2) ? 0x1a : next_random() % 64) << 2);
}

static void
put_draw(uint32_t initiator, unsigned instances, unsigned count)
{
   put(3u << 30 | 2 << 16 | 0x38 << 8);
   put(initiator | DRAW_SOURCE_AUTO << 6);
   put(instances);
   put(count);
}

static void
put_picture(void)
{
   static const uint64_t words[] = { 0x200cc00800000004, 0x200cc00900000005,
                                     0x200cc00a00000006, 0x200cc00b00000007 };
   const bool in_memory = one_in(2);
   put_program(0, HLSQ_VS_CONTROL_REG, words, 4);
   put_attributes();
   put_reg(SP_VS_CTRL_REG0, 12 << 10 | 4 << 4);
   put_reg(SP_VS_PARAM_REG, 2u << 20 | 0xfc00 | 4);
   put_reg(SP_VS_OUT, 15 << 9 | 8);
   put_reg(SP_VS_VPC_DST, 8);
   put_window();
   put_targets(in_memory);
   put_fragments();
   put_draw(1 + next_random() % 9, 1 + next_random() % 2,
            1 + next_random() % 24);
   if (!in_memory) {
      put_resolve();
      put_draw(8, 1, 2);
   }
}

/* Vertex and hull programs are random, so the factors are what memory has. */
static void
put_patches(void)
{
   static const uint64_t chain[] = { 9ull << 55, 10ull << 55 };
   const unsigned in = 1 + next_random() % 32;
   put_program(0, HLSQ_VS_CONTROL_REG, chain, 2);
   put_program(1, HLSQ_HS_CONTROL_REG, chain, 0);
   put_program(2, HLSQ_DS_CONTROL_REG, chain, 0);
   put_attributes();
   put_window();
   put_targets(true);
   put_fragments();
   put_reg(PC_HS_PARAM,
           (1 + next_random() % 32) | (random_word() & 0x01e00000));
   put_reg(PC_TESSFACTOR_ADDR, BASE + FACTORS);
   put_reg(SP_VS_CTRL_REG0, 12 << 10);
   put_reg(SP_HS_PVT_MEM_PARAM, 1);
   put_reg(SP_DS_CTRL_REG0, 12 << 10);
   put_reg(SP_DS_PARAM_REG, 1u << 20 | 0xfc00 | 4);
   put_reg(SP_DS_OUT, 15 << 9 | 8);
   put_reg(SP_DS_VPC_DST, 8);
   for (unsigned i = 0; i < 512; i++) {
      const float factor = (int)(next_random() % 900) / 100.0f - 0.5f;
      memcpy(memory + FACTORS + i * 4, &factor, 4);
   }
   put_draw((0xc + next_random() % 3) << 20 | DRAW_PATCHES | (in - 1), 1,
            in * (1 + next_random() % 5));
}

static void
put_compute(void)
{
   put_program(5, HLSQ_CS_CONTROL_REG, NULL, 0);
   put_reg(SP_CS_CTRL_REG0, 12 << 10 | 4 << 4);
   put_reg(SP_CS_OBJ_START, BASE + CODE + 5 * 0x400);
   put_reg(SP_CS_LENGTH_REG, UNITS);
   put_reg(HLSQ_CL_NDRANGE_0,
           2 | next_random() % 9 << 2 | next_random() % 9 << 12);
   put_reg(HLSQ_CL_CONTROL_0, 0xfff << 12);
   put_reg(HLSQ_CL_CONTROL_0 + 1, 8 << 12);
   put_reg(HLSQ_CL_KERNEL_CONST, 0xfff << 12);
   put(3u << 30 | 3 << 16 | 0x33 << 8);
   put(0);
   for (unsigned i = 0; i < 3; i++)
      put(1 + next_random() % 3);
}

/* Bits and words of the stream and of what it names, and registers that the
 * stream does not write. */
static void
mutate(void)
{
   static const uint32_t parts[] = { STREAM, CODE, CONSTS, VERTICES,
                                     FACTORS };
   for (unsigned n = next_random() % 4; n > 0; n--) {
      const uint32_t part = parts[next_random() % A4XX_COUNT(parts)];
      const uint32_t at =
         part + next_random() % (part == STREAM ? end : 0x800);
      memory[at] = next_random() % 3 ? memory[at] ^ 1u << next_random() % 8
                                     : next_random();
   }
}

static void
put_random_registers(void)
{
   for (unsigned n = one_in(2) ? 0 : next_random() % 4; n > 0; n--) {
      const unsigned offset =
         A4XX_CONTEXT_0 + next_random() % (A4XX_CONTEXT_1 - A4XX_CONTEXT_0);
      put_reg(offset, next_random() % 2 ? random_word()
                                        : BASE + next_random() % SIZE);
   }
}

static void
put_job(unsigned i)
{
   static void (*const kinds[])(void) = { put_picture, put_patches,
                                          put_picture, put_compute };
   end = 0;
   for (unsigned c = 0; c < 96; c++) {
      const uint32_t word =
         one_in(2) ? BASE + next_random() % SIZE : random_word();
      memcpy(memory + CONSTS + c * 4, &word, 4);
   }
   put_textures();
   put_buffers();
   put_random_registers();
   kinds[i % 4]();
   mutate();
}

/* --- jobs --- */

static void
count_diag(void *data, unsigned number, const char *text)
{
   ((unsigned *)data)[number - 900]++;
}

static struct a4xx *
create_chip(unsigned threads, unsigned *counts)
{
   struct a4xx_options options = {
      .strict = one_in(2),
      .threads = threads,
      .profile = A4XX_PROFILE_DEFAULT,
      .limit = 256 + next_random() % 4096,
      .diag = count_diag,
      .data = counts,
   };
   options.profile.private_scope = next_random() % 2;
   options.profile.subdraw = 1 + next_random() % 20;
   options.profile.patches_a_wave = next_random() % 2;
   options.profile.gmem_layout = next_random() % 2;
   options.profile.bin_offset = next_random() % 2;
   options.profile.memory_depth = next_random() % 2;
   options.profile.killed = next_random() % 2;
   struct a4xx *chip = a4xx_create(&options);
   if (!chip || !a4xx_map(chip, BASE, SIZE, memory))
      exit(1);
   return chip;
}

static void
add_digest(uint64_t *digest)
{
   for (uint32_t i = 0; i < SIZE; i += 8) {
      uint64_t word;
      memcpy(&word, memory + i, 8);
      *digest = (*digest ^ word) * 0x9e3779b97f4a7c15ull;
      *digest ^= *digest >> 29;
   }
}

#define JOBS_OF_A_CHIP 64

int
main(int argc, char **argv)
{
   static const struct option options[] = { { "jobs", 1, NULL, 'j' },
                                            { "seed", 1, NULL, 's' },
                                            { "threads", 1, NULL, 't' },
                                            { NULL, 0, NULL, 0 } };
   unsigned jobs = 1000, threads = 1, counts[64] = { 0 }, option;
   unsigned long long seed = 0;
   uint64_t digest = 0;
   struct a4xx_stats stats, sum = { 0 };
   while ((option = getopt_long(argc, argv, "", options, NULL)) != -1u) {
      if (option == 'j')
         jobs = atoi(optarg);
      else if (option == 's')
         seed = atoll(optarg);
      else if (option == 't')
         threads = atoi(optarg);
      else
         return 2;
   }
   state = seed;
   memory = aligned_alloc(4096, SIZE);
   if (!memory || !jobs) {
      fprintf(stderr, "a4xx-fuzz: no job ran\n");
      return 1;
   }
   memset(memory, 0, SIZE);
   for (unsigned i = 0; i < jobs; i += JOBS_OF_A_CHIP) {
      struct a4xx *chip = create_chip(threads, counts);
      for (unsigned j = i; j < A4XX_MIN(i + JOBS_OF_A_CHIP, jobs); j++) {
         put_job(j);
         a4xx_submit(chip, BASE + STREAM, end / 4);
         add_digest(&digest);
      }
      a4xx_get_stats(chip, &stats);
      sum.primitives += stats.primitives;
      sum.samples += stats.samples;
      sum.instructions += stats.instructions;
      a4xx_destroy(chip);
   }
   for (unsigned i = 0; i < A4XX_COUNT(counts); i++) {
      if (counts[i])
         printf("diagnostic %u: %u\n", 900 + i, counts[i]);
   }
   printf("%u jobs (seed %llu), %.0f s of CPU time: %llu primitives, %llu "
          "samples, %llu instructions, digest %016llx\n",
          jobs, seed, (double)clock() / CLOCKS_PER_SEC,
          (unsigned long long)sum.primitives, (unsigned long long)sum.samples,
          (unsigned long long)sum.instructions, (unsigned long long)digest);
   free(memory);
   return 0;
}
