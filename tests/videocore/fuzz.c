/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * fuzz [--jobs N] [--seed S] [--threads T]: mutated frames and random programs for the V3D simulator, which may do anything
 * but crash, read or write memory that is not mapped, or not come back.  ci/long runs it with the
 * sanitizers.
 *
 * A job is a valid frame (a binning list with a sub-list, a rendering list, a record of one of both kinds, programs, vertices,
 * indices, a texture), in which some bytes are changed; or a program of random instructions for the CPU's queue.  The digest of
 * all memory after each job is the same with every compiler and instruction set.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/packets.h"
#include "v3d.h"

#define BASE 0x10000000u
#define SIZE 0x40000u

static uint8_t *memory;
static uint32_t end, bin_end, render_end;
static uint64_t state;

static uint32_t
next_random(void)
{
   state = state * 6364136223846793005ull + 1442695040888963407ull;
   return state >> 33;
}

/* At most one number of a packet is random: arguments have no order. */
static void
put(const char *sizes, ...)
{
   va_list args;
   va_start(args, sizes);
   end = put_packet(memory + end, sizes, args) - memory;
   va_end(args);
}

#define BIN 0x1000
#define RENDER 0x1800
#define RECORD 0x2000
#define CODE 0x3000
#define UNIFORMS 0x4000
#define VERTICES 0x5000
#define INDICES 0x5800
#define SUB_LIST 0x5900
#define TEXTURE 0x6000
#define LISTS 0x8000
#define FRAME 0x10000
#define DEPTH 0x28000
#define COORDINATE_CODE 0x3100
#define VERTEX_CODE 0x3200

static const uint64_t textured[] = {
   0x110059e0203e3df7, 0x11024821213e3177, 0x11020e67013e3377, 0x10020e27159e7000, 0xa00009e7009e7000,
   0x10020ba7159e7924, 0x500009e7009e7000, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};

/* Position through, scaled; the vertex shader also two varyings. */
static const uint64_t coordinate[] = {
   0xe0024c6700401a00, 0x100208e715c27d80, 0x100208a715c27d80, 0x1002006715c27d80, 0xe0025c6700001a00, 0x10024c2095c276f6,
   0x10024c34959e7480, 0x10024c2235060d97, 0x10020c27159e7000, 0x100049e0209e7004, 0xd0020867029e1e00, 0x100049c0209e7021,
   0x100049e02082701e, 0x100049e1209c0007, 0x10124023279c0257, 0x10224022270606f7, 0x100049e3209c0017, 0x10020c2715027d80,
   0x10020c2701827780, 0x10020c27159c0fc0, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};
static const uint64_t vertex[] = {
   0xe0024c6700601a00, 0x100049e020c20037, 0x100049c020c20037, 0x100059c120c20037, 0x1002086715c27d80, 0x10021d27159e7240,
   0xe0025c6700001a00, 0x100009e7009e7000, 0x100049e2209e700c, 0xd00208e7029e1e80, 0x100049e1209e7023, 0x100049e2209e7001,
   0x10124023279c04b9, 0x10224020270676f1, 0x100009e7009e7000, 0x10020c2715027d80, 0x10024c2081c201f6, 0x1002487095c27d89,
   0x10020c27159e7000, 0x10020c27159e7240, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};

/* An instruction whose fields are mostly meaningful. */
static uint64_t
random_instr(void)
{
   uint64_t word = (uint64_t)next_random() << 32 ^ (uint64_t)next_random() << 16 ^ next_random();
   if (next_random() % 4)
      word = (word & ~(15ull << 60)) | 1ull << 60;
   if ((word >> 60) == 15)
      word = (word & ~0xffffffffull) | (uint32_t)((int)(next_random() % 33 - 16) * 8);
   return word;
}

static void
put_bin_list(bool nv)
{
   end = BIN;
   put("14441111", 112, BASE + LISTS, 0x4000, BASE + 0x7000, 2, 2, 4 | (next_random() & 1), 6);
   put("12222", 102, 0, 0, 100, 90);
   put("11", 96, 3 | (next_random() & 0xcc));
   put("11", next_random() % 4 ? 0xb0 : next_random(), 3);
   put("1f1f", 99, 3.0, 98, 9.0);
   put("14", 97, next_random() & 3);
   put("122122", 101, 0x3f80, 0x4000, 103, 0, 0);
   put("1ff1ff", 105, 800.0, 700.0, 106, 0.5, 0.5);
   put("14", 17, BASE + SUB_LIST);
   put("14", nv ? 65 : 64, BASE + (nv ? RECORD : (RECORD + 0x40) | 2));
   if (next_random() % 2) {
      put("1144", 33, next_random() % 7, 6, 0);
   } else {
      const unsigned mode = next_random() % 7;
      put("11444", 32, mode | (next_random() % 2) << 4, 12, BASE + INDICES, 7);
   }
   put("11", 7, 4);
   bin_end = end;
   end = SUB_LIST;
   put("1111", 1, 56, 0x12, 18);
}

static void
put_render_list(void)
{
   static const uint8_t stores[3] = { 24, 26, 28 };
   const unsigned store = stores[next_random() % 3];
   end = RENDER;
   put("14441", 114, 0xff112233, 0xff112233, 0xffffff, 0);
   put("1422", 113, BASE + FRAME, 100, 90);
   put("2", (next_random() & 1) | 1 << 2 | next_random() % 3 << 6);
   put("1", 8);
   for (unsigned i = 0; i < 4; i++) {
      put("1", store == 26 ? 27 : 29);
      if (store != 26)
         put("2", 1 | next_random() % 3 << 4 | next_random() % 3 << 8);
      put("4", BASE + FRAME);
      put("11114", 115, i & 1, i >> 1, 17, BASE + LISTS + i * 32);
      put("124", 28, 2 | 1 << 4, BASE + DEPTH);
      put("1111", 115, i & 1, i >> 1, store == 24 && i == 3 ? 25 : store);
      if (store == 28)
         put("2", 1 | next_random() % 3 << 4 | next_random() % 3 << 8);
      if (store != 24)
         put("4", BASE + FRAME);
   }
   render_end = end;
}

static void
put_records(void)
{
   end = RECORD;
   put("1111444", 1 | 4 | 8, 36, 0, 2, BASE + CODE, BASE + UNIFORMS, BASE + VERTICES);
   end = RECORD + 0x40;
   put("21144", 1 | 4, 2, 2, BASE + CODE, BASE + UNIFORMS);
   for (unsigned i = 0; i < 2; i++) {
      put("2114", 0, i ? 1 : 3, i ? 16 : 24, BASE + (i ? COORDINATE_CODE : VERTEX_CODE));
      put("4", BASE + UNIFORMS + 0x40);
   }
   for (unsigned i = 0; i < 2; i++) {
      put("41111", BASE + VERTICES + (i ? 28 : 0), i ? 7 : 15, 36, i ? 16 : 0, i ? 16 : 0);
   }
   memcpy(memory + CODE, textured, sizeof(textured));
   memcpy(memory + COORDINATE_CODE, coordinate, sizeof(coordinate));
   memcpy(memory + VERTEX_CODE, vertex, sizeof(vertex));
}

static void
put_frame(void)
{
   /* Frame and depth stay as they are. */
   memset(memory, 0, TEXTURE);
   memset(memory + LISTS, 0, FRAME - LISTS);
   const bool nv = next_random() % 2;
   put_bin_list(nv);
   put_render_list();
   put_records();
   end = UNIFORMS;
   put("4", BASE + TEXTURE + (next_random() % 4 ? 0 : next_random() & 0x2f3));
   put("4", 16 << 20 | 16 << 8 | (next_random() & 0xff));
   end = UNIFORMS + 0x40;
   put("ffff", 400.0, 350.0, 0.5f, 0.5f);
   end = VERTICES;
   for (unsigned i = 0; i < 8; i++) {
      put("f", (int)(next_random() % 400) / 100.0f - 2);
      put("f", (int)(next_random() % 400) / 100.0f - 2);
      put("f", (int)(next_random() % 400) / 100.0f - 2);
      put("f", (int)(next_random() % 300) / 100.0f);
      put("2", next_random() % 1600);
      put("2ffff", next_random() % 1440, 0.5f, 1.0, 0.1f * i, 0.2f * i);
   }
   end = INDICES;
   for (unsigned i = 0; i < 12; i++)
      put("2", next_random() % 8);
   for (uint32_t i = TEXTURE; i < LISTS; i += 4)
      *(uint32_t *)(memory + i) = next_random() * 2 + 1;
}

static void
mutate(void)
{
   const struct {
      uint32_t start, size;
   } parts[] = {
      { BIN, bin_end - BIN },       { RENDER, render_end - RENDER },
      { RECORD, 0x90 },             { CODE, sizeof(textured) },
      { UNIFORMS, 8 },              { VERTICES, 320 },
      { INDICES, 24 },              { SUB_LIST, 4 },
      { VERTEX_CODE, 23 * 8 },      { COORDINATE_CODE, 23 * 8 },
      { UNIFORMS + 0x40, 16 },      { LISTS, 128 },
   };
   for (unsigned n = next_random() % 6; n > 0; n--) {
      unsigned part = next_random() % (sizeof(parts) / sizeof(parts[0]));
      uint32_t at = parts[part].start + next_random() % parts[part].size;
      memory[at] = next_random() % 3 ? memory[at] ^ 1u << next_random() % 8 : next_random();
   }
   for (unsigned n = next_random() % 4 ? 0 : next_random() % 8; n > 0; n--) {
      uint64_t word = random_instr();
      memcpy(memory + CODE + next_random() % 10 * 8, &word, 8);
   }
}

static void
run_frame(struct v3d *v3d)
{
   put_frame();
   mutate();
   v3d_write(v3d, V3D_SLCACTL, ~0u);
   v3d_write(v3d, V3D_BPOS, 0);
   v3d_write(v3d, V3D_CT0CA, BASE + BIN);
   v3d_write(v3d, V3D_CT0EA, BASE + bin_end);
   v3d_write(v3d, V3D_CT1CA, BASE + RENDER);
   v3d_write(v3d, V3D_CT1EA, BASE + render_end);
}

static void
run_program(struct v3d *v3d)
{
   for (unsigned i = 0; i < 24; i++) {
      uint64_t word = i >= 21 ? 0x300009e7009e7000 : random_instr();
      memcpy(memory + CODE + i * 8, &word, 8);
   }
   for (unsigned i = 0; i < 64; i++)
      ((uint32_t *)(memory + UNIFORMS))[i] = next_random() % 2 ? BASE + next_random() % SIZE : next_random() * 2;
   v3d_write(v3d, V3D_SLCACTL, ~0u);
   v3d_write(v3d, V3D_SRQUA, BASE + UNIFORMS);
   v3d_write(v3d, V3D_SRQPC, BASE + CODE);
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

static void
ignore(void *data, unsigned number, const char *text)
{
   ((unsigned *)data)[number - 950]++;
}

int
main(int argc, char **argv)
{
   static const struct option options[] = { { "jobs", 1, NULL, 'j' }, { "seed", 1, NULL, 's' }, { "threads", 1, NULL, 't' },
                                           { NULL, 0, NULL, 0 } };
   unsigned jobs = 1000, threads = 1, counts[64] = { 0 }, option;
   uint64_t digest = 0;
   while ((option = getopt_long(argc, argv, "", options, NULL)) != -1u) {
      if (option == 'j')
         jobs = atoi(optarg);
      else if (option == 's')
         state = atoll(optarg);
      else if (option == 't')
         threads = atoi(optarg);
      else
         return 2;
   }
   struct v3d_options v3d_options = { .strict = true, .threads = threads, .diag = ignore, .data = counts };
   struct v3d *v3d = v3d_create(&v3d_options);
   memory = aligned_alloc(4096, SIZE);
   if (!v3d || !memory || !v3d_map(v3d, BASE, SIZE, memory))
      return 1;
   for (unsigned i = 0; i < jobs; i++) {
      if (i % 2)
         run_frame(v3d);
      else
         run_program(v3d);
      add_digest(&digest);
   }
   struct v3d_stats stats;
   v3d_get_stats(v3d, &stats);
   printf("%u jobs, %llu primitives, %llu fragments, %llu instructions, digest %016llx\n", jobs,
          (unsigned long long)stats.primitives, (unsigned long long)stats.fragments, (unsigned long long)stats.instructions,
          (unsigned long long)digest);
   for (unsigned i = 0; i < 64; i++) {
      if (counts[i])
         printf("diagnostic %u: %u\n", 950 + i, counts[i]);
   }
   v3d_destroy(v3d);
   free(memory);
   if (!jobs)
      fprintf(stderr, "videocore-fuzz: no job ran\n");
   return jobs ? 0 : 1;
}
