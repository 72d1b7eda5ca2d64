/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Random command streams: 3D state around the public programs, 2D operations, and plain noise; then words are flipped,
 * replaced, repeated, moved and cut.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "tegra20/gr2d_regs.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20/host1x_stream.h"
#include "tegra20/register_info.h"

#include "fragment_vectors.h"
#include "vertex_vectors.h"

/* ---- deterministic randomness ---- */

static uint64_t rng_state;

uint32_t
rnd(void)
{
   rng_state ^= rng_state << 13;
   rng_state ^= rng_state >> 7;
   rng_state ^= rng_state << 17;
   return (uint32_t)(rng_state >> 16);
}

void
rng_start(uint64_t seed, uint64_t job)
{
   rng_state = (seed + 1) * 0x9e3779b97f4a7c15ull ^ (job + 1) * 0xc2b2ae3d27d4eb4full;
   for (unsigned i = 0; i < 8; i++)
      rnd();
}

uint32_t
below(uint32_t n)
{
   return n ? rnd() % n : 0;
}

bool
chance(unsigned percent)
{
   return below(100) < percent;
}

/* ---- memory: buffers that touch inaccessible pages ---- */

struct sim_range ranges[NUM_RANGES];

static size_t
page_round(uint32_t size)
{
   size_t page = (size_t)sysconf(_SC_PAGESIZE);
   return (size + page - 1) / page * page;
}

uint8_t *
guarded_memory(uint32_t size, bool at_the_end)
{
   size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = page_round(size);
   uint8_t *map = mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (map == MAP_FAILED || mprotect(map + page, inside, PROT_READ | PROT_WRITE)) {
      perror("mmap");
      exit(1);
   }
   return map + page + (at_the_end ? inside - size : 0);
}

void
guarded_free(uint8_t *memory, uint32_t size)
{
   size_t page = (size_t)sysconf(_SC_PAGESIZE);
   munmap((uint8_t *)((uintptr_t)memory / page * page) - page, page_round(size) + 2 * page);
}

static void
add_range(struct sim_range *list, unsigned index, uint32_t base, uint32_t size, bool at_the_end)
{
   list[index] = (struct sim_range){ .base = base, .size = size, .cpu = guarded_memory(size, at_the_end) };
}

void
create_memory(struct sim_range *list)
{
   add_range(list, 0, 0x10000000, 1 << 20, true);
   add_range(list, 1, 0x20000000, 0x10000, false);
   add_range(list, 2, 0x30000040, 1000, true);
   add_range(list, 3, 0xffffe000, 0x1fff, true);
}

static uint32_t
address(void)
{
   const struct sim_range *range = &ranges[chance(80) ? 0 : below(NUM_RANGES)];
   uint32_t offset = below(range->size);
   if (chance(70))
      offset &= ~0xffu;
   return range->base + offset;
}

/* ---- words under construction ---- */

uint32_t words[MAX_WORDS + 4096];
unsigned num_words;

static void
word(uint32_t w)
{
   if (num_words < MAX_WORDS)
      words[num_words++] = w;
}

static void
write_reg(uint32_t reg, uint32_t value)
{
   word(host1x_incr(reg, 1));
   word(value);
}

static void
write_port(uint32_t reg, const void *seed, unsigned count)
{
   word(host1x_nonincr(reg, count));
   for (unsigned i = 0; i < count; i++)
      word(((const uint32_t *)seed)[i]);
}

static uint32_t
float_bits(float f)
{
   uint32_t bits;
   memcpy(&bits, &f, 4);
   return bits;
}

static uint32_t
interesting(void)
{
   static const uint32_t values[] = {
      0,          1,          2,          3,          7,          8,          15,         16,         31,
      32,         63,         64,         127,        128,        255,        256,        511,        1023,
      1024,       4095,       4096,       0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,
      0xfffffff,  0x10000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x7f800000, 0xff800000, 0x7fc00000,
      0x7f7fffff, 0x00800000, 0x00000001, 0x3f800000, 0xbf800000, 0x4f000000, 0xcf000000, 0x5f000000,
   };
   switch (below(5)) {
   case 0:
      return address();
   case 1:
      return rnd();
   case 2:
      return float_bits((float)(int32_t)rnd() / 65536.0f);
   default:
      return values[below(COUNT(values))];
   }
}

/* ---- 3D ---- */

static void
base_state(void)
{
   static const uint32_t state[][2] = {
      { 0x124, 7 },          { 0x200, 0x11 },    { 0x201, 0xffff },     { 0x202, 0xff0000 }, { 0x20b, 3 },
      { 0x343, 0xb8e00000 }, { 0x344, 0 },       { 0x345, 0 },          { 0x346, 0x1401 },   { 0x34c, 2 },
      { 0x400, 0x7ff },      { 0x401, 0x7ff },   { 0x402, 0x48 },       { 0x403, 0x200 },    { 0x404, 0 },
      { 0x405, 0xfffff },    { 0x40f, 0x48 },    { 0x501, 0x223212cf }, { 0x740, 0x35 },     { 0xa00, 0xe01 },
      { 0xe21, 0x140 },      { 0xe28, 0x1fe00 }, { 0xe29, 0x1fe00 },    { 0xe26, 0x779 },    { 0x354, 0x3efffff0 },
      { 0x357, 0x3efffff0 },
   };
   for (unsigned i = 0; i < COUNT(state); i++)
      write_reg(state[i][0], state[i][1]);
   static const float sizes[] = { 1, 2, 1.5f, 7.3f, 64, 256, 0, 1000 };
   write_reg(GR3D_POINT_SIZE, float_bits(sizes[below(COUNT(sizes))]));
   write_reg(GR3D_HALF_LINE_WIDTH, float_bits(sizes[below(COUNT(sizes))] / 2));
   for (unsigned i = 0; i < 4; i++)
      write_reg(GR3D_POINT_COORD_RANGE_MAX_S + i, float_bits(i < 2));
}

static void
targets_and_viewport(void)
{
   /* Mostly one tile: pixels are slow, and more of the same find nothing. */
   unsigned size = 1u << (3 + below(chance(90) ? 3 : 6));
   write_reg(GR3D_SCISSOR_HORIZ, below(size / 2) << 16 | (size - below(size / 4)));
   write_reg(GR3D_SCISSOR_VERT, below(size / 2) << 16 | (size - below(size / 4)));
   for (unsigned i = 0; i < 2; i++) {
      write_reg(GR3D_VIEWPORT_X_BIAS + i, float_bits(8.0f * (float)size));
      write_reg(GR3D_VIEWPORT_X_SCALE + i, float_bits((chance(20) ? -8.0f : 8.0f) * (float)size));
      write_reg(GR3D_GUARDBAND_WIDTH + i, float_bits(chance(50) ? 1.0f : 31.0f));
   }
   write_reg(GR3D_GUARDBAND_DEPTH, float_bits(chance(50) ? 1.0f : 6.99f));
   uint32_t enable = 2;
   static const uint8_t formats[] = { 1, 2, 4, 6, 9, 10, 13, 14, 0, 5, 18 };
   for (unsigned rt = 1; rt < 16; rt = chance(70) ? 16 : rt + 2) {
      write_reg(GR3D_RT_PTR(rt), address());
      write_reg(GR3D_RT_PARAMS(rt), formats[below(COUNT(formats))] << 2 | size * 4 << 8 | below(2) << 26 | chance(10));
      enable |= 1u << rt;
   }
   if (chance(40)) {
      write_reg(GR3D_RT_PTR(0), address());
      write_reg(GR3D_RT_PARAMS(0), (chance(90) ? 0x0bu : 0x0cu) << 2 | size * 2 << 8 | below(2) << 26);
      write_reg(GR3D_DEPTH_TEST_PARAMS, 0x208 | below(8) << 4 | below(2) << 8);
      enable |= 0x10001;
   }
   if (chance(30)) {
      write_reg(GR3D_RT_PTR(2), address());
      write_reg(GR3D_RT_PARAMS(2), 3u << 2 | size << 8 | 1u << 26);
      write_reg(GR3D_STENCIL_PARAMS, 0x28 | below(2) << 6);
      write_reg(GR3D_LATE_TEST, chance(50) ? 0x60 : 0x48);
      write_reg(GR3D_STENCIL_FRONT1, below(0x800));
      write_reg(GR3D_STENCIL_BACK1, below(0x800));
      write_reg(GR3D_STENCIL_FRONT2, below(1 << 26));
      write_reg(GR3D_STENCIL_BACK2, below(1 << 26));
      enable |= 4;
   }
   write_reg(GR3D_RT_ENABLE, enable);
}

static void
textures(void)
{
   for (unsigned i = 0; i < 16; i++) {
      if (i > 1 && !chance(10))
         continue;
      write_reg(GR3D_TEXTURE_POINTER(i), address());
      uint32_t desc1 = below(32) << 8 | below(16) | below(8) << 27 | (chance(20) ? 16 : 0);
      uint32_t desc2 = chance(60) ? below(8) << 28 | below(8) << 24 | below(8) << 12 | below(2) << 7
                                  : below(100) << 20 | below(100) << 8 | 0x40 | below(2) << 7;
      write_reg(GR3D_TEXTURE_DESC1(i), chance(90) ? desc1 : rnd());
      write_reg(GR3D_TEXTURE_DESC2(i), chance(90) ? desc2 : rnd());
   }
}

static void
random_words_port(uint32_t reg, unsigned count)
{
   word(host1x_nonincr(reg, count));
   for (unsigned i = 0; i < count; i++)
      word(rnd());
}

static void
vertex_program(void)
{
   write_reg(GR3D_VP_UPLOAD_INST_ID, 0);
   const unsigned n = below(COUNT(measured_vectors) + COUNT(other_programs)), start = num_words + 1;
   const bool measured = n < COUNT(measured_vectors);
   const struct other_program *other = &other_programs[measured ? 0 : n - COUNT(measured_vectors)];
   const unsigned size = 4 * (measured ? measured_vectors[n].num_insns : other->num_insns);
   write_port(GR3D_VP_UPLOAD_INST, measured ? measured_vectors[n].program : other->words, size);
   if (chance(40)) /* mostly valid instructions with other opcodes and operands */
      for (unsigned flips = 1 + below(8); flips; flips--)
         words[start + below(size)] ^= 1u << below(32);
   if (chance(5))
      random_words_port(GR3D_VP_UPLOAD_INST, 4 * below(64));
   write_reg(GR3D_VP_UPLOAD_CONST_ID, chance(80) ? 0 : below(1100));
   unsigned constants = 4 * below(64);
   word(host1x_nonincr(GR3D_VP_UPLOAD_CONST, constants));
   for (unsigned i = 0; i < constants; i++)
      word(chance(80) ? float_bits((float)(int32_t)rnd() * 0x1p-30f) : interesting());
}

static void
fragment_program(void)
{
   const struct fragment_vector *v = &fragment_vectors[below(COUNT(fragment_vectors))];
   const struct {
      uint32_t port;
      const void *words;
      unsigned count;
   } units[] = {
      { GR3D_FP_PSEQ_UPLOAD_INST, v->pseq, v->num_execs },
      { GR3D_FP_UPLOAD_MFU_SCHED, v->mfu_sched, v->num_execs },
      { GR3D_FP_UPLOAD_MFU_INST, v->mfu, 2 * v->num_mfu },
      { GR3D_FP_UPLOAD_TEX_INST, v->tex, v->num_execs },
      { GR3D_FP_UPLOAD_ALU_SCHED, v->alu_sched, v->num_execs },
      { GR3D_FP_UPLOAD_ALU_INST, v->alu, 8 * v->num_alu },
      { GR3D_FP_UPLOAD_ALU_INST_COMPLEMENT, v->alu_complement, v->num_execs },
      { GR3D_FP_UPLOAD_DW_INST, v->dw, v->num_execs },
   };
   write_reg(GR3D_FP_UPLOAD_INST_ID_COMMON, 0);
   write_reg(GR3D_FP_UPLOAD_MFU_INST_ID, 0);
   write_reg(GR3D_FP_UPLOAD_ALU_INST_ID, 0);
   write_reg(GR3D_ALU_BUFFER_SIZE, chance(90) ? 0x12000000 | (v->rows - 1) : rnd());
   write_reg(GR3D_FP_PSEQ_ENGINE_INST, 0x20006000 | (chance(95) ? v->num_execs : below(128)));
   write_reg(GR3D_FP_PSEQ_DW_CFG, v->num_execs << 6);
   for (unsigned unit = 0; unit < COUNT(units); unit++) {
      const unsigned start = num_words + 1, count = units[unit].count;
      if (count)
         write_port(units[unit].port, units[unit].words, count);
      if (count && chance(20))
         for (unsigned n = 1 + below(6); n; n--)
            words[start + below(count)] ^= 1u << below(32);
   }
   if (chance(50))
      for (unsigned i = 0; i < 32; i++)
         write_reg(GR3D_FP_CONST(i), rnd() & 0xfffff);
}

static void
linker(void)
{
   unsigned count = chance(80) ? 1 + below(4) : 1 + below(32);
   write_reg(GR3D_CULL_FACE_LINKER_SETUP, 0xb8e00000 | (count - 1) << 5 | below(4) << 16 | below(2) << 15);
   for (unsigned i = 0; i < count; i++) {
      write_reg(GR3D_LINKER_INSTRUCTION(i), chance(90) ? below(4) << 3 | below(17) << 9 : rnd());
      write_reg(GR3D_LINKER_INSTRUCTION(i) + 1, chance(50) ? 0xfedc : rnd() & (chance(50) ? 0xffff : 0xfffff));
   }
}

static void
draws(void)
{
   for (unsigned n = 1 + below(3); n; n--) {
      write_reg(GR3D_INDEX_PTR, address());
      write_reg(GR3D_DRAW_PARAMS, 0xc0000000 | below(chance(95) ? 3 : 4) << 28 | below(2) << 27 |
                                     below(chance(95) ? 7 : 8) << 24 | (chance(95) ? 0 : below(1 << 24)));
      uint32_t count = chance(80) ? below(12) : below(4096) >> below(8);
      write_reg(GR3D_DRAW_PRIMITIVES, count << 20 | below(chance(90) ? 16 : 1 << 20));
   }
}

static void
attributes(void)
{
   uint32_t in = chance(70) ? 3 + below(2) * 4 : rnd() & 0xffff;
   write_reg(GR3D_VP_ATTRIB_IN_OUT_SELECT, in << 16 | (chance(80) ? 0x81u : 1 | (rnd() & 0xffff)));
   for (unsigned i = 0; i < 16; i++) {
      if (!(in >> i & 1))
         continue;
      write_reg(GR3D_ATTRIB_PTR(i), address());
      write_reg(GR3D_ATTRIB_MODE(i), chance(60) ? 0x104d : below(16) | below(6) << 4 | below(64) << 8);
   }
}

/* Vertex data that is mostly inside the clip volume. */
void
vertex_memory(void)
{
   for (unsigned i = 0; i + 16 <= ranges[0].size && i < 1 << 16; i += 16) {
      float v[4];
      for (unsigned c = 0; c < 4; c++)
         v[c] = (float)(int32_t)rnd() * (chance(90) ? 0x1p-31f : 0x1p-28f);
      if (chance(80))
         v[3] = 1.0f;
      memcpy(ranges[0].cpu + i, v, 16);
   }
}

static void
job_3d(void)
{
   word(host1x_setcl(0, HOST1X_CLASS_GR3D, 0));
   if (chance(2))
      vertex_memory();
   base_state();
   targets_and_viewport();
   textures();
   attributes();
   vertex_program();
   fragment_program();
   linker();
   draws();
   if (chance(30)) {
      switch (below(4)) {
      case 0:
         targets_and_viewport();
         break;
      case 1:
         vertex_program();
         break;
      case 2:
         fragment_program();
         break;
      default:
         linker();
      }
      draws();
   }
   word(host1x_imm(0, 0x101));
}

/* ---- 2D ---- */

static void
job_2d(void)
{
   for (unsigned n = 1 + below(4); n; n--) {
      unsigned kind = below(4), cpp = below(3);
      word(host1x_setcl(0, kind == 2 ? HOST1X_CLASS_GR2D_SB : HOST1X_CLASS_GR2D, 0));
      write_reg(GR2D_G2TRIGGER, kind == 2 ? 0x38 : kind == 3 ? 0x37 : 0x3a);
      write_reg(GR2D_CMDSEL, kind == 2);
      write_reg(GR2D_CONTROLSECOND, kind == 3    ? below(8) << 26 | (1 + below(2)) << 24
                                    : chance(20) ? below(4) << 21
                                                 : 0);
      write_reg(GR2D_ROPFADE, chance(80) ? 0xcc : below(256));
      write_reg(GR2D_TILEMODE, below(2) | below(2) << 4 | below(2) << 20);
      write_reg(GR2D_DSTBA, address());
      write_reg(GR2D_SRCBA, address());
      write_reg(GR2D_DSTST, chance(80) ? 256u << below(3) : below(65536));
      write_reg(GR2D_SRCST, chance(80) ? 256u << below(3) : below(65536));
      write_reg(GR2D_SRCFGC, rnd());
      write_reg(GR2D_CLIPLEFTTOP, below(64) << 16 | below(64));
      write_reg(GR2D_CLIPRIGHTBOT, below(64) << 16 | below(64));
      write_reg(GR2D_SRCPS, below(40) << 16 | below(40));
      if (kind == 2) {
         for (unsigned reg = GR2D_VDDA; reg <= GR2D_VBA; reg++)
            write_reg(reg, reg == GR2D_UBA || reg == GR2D_VBA ? address() : chance(50) ? 0x1000 : rnd());
         write_reg(GR2D_SBFORMAT, (chance(90) ? 8 + below(8) : below(32)) << 8 | (chance(90) ? below(16) : below(32)));
         write_reg(GR2D_CONTROLSB, rnd() & 0x407f0320);
         write_reg(GR2D_UVSTRIDE, below(4096));
         write_reg(GR2D_SRCBA_SB_SURFBASE, address());
         write_reg(GR2D_DSTBA_SB_SURFBASE, address());
      }
      static const uint32_t main_bits[4] = { 1 << 6 | 1 << 2, 1 << 20, 3u << 27, 1 << 20 | 1u << 29 };
      write_reg(GR2D_CONTROLMAIN, main_bits[kind] | cpp << 16 | below(2) << 9 | below(2) << 10 | (chance(20) ? 1u << 14 : 0));
      uint32_t limit = below(200) ? 100 : 0x8000;
      uint32_t size = below(limit) << 16 | below(100);
      write_reg(GR2D_DSTPS - 0, below(40) << 16 | below(40)); /* too early for fill and copy: size of the last one */
      write_reg(GR2D_SRCSIZE, below(limit) << 16 | below(100));
      write_reg(GR2D_DSTSIZE, size);
      write_reg(GR2D_DSTPS, below(40) << 16 | below(40));
   }
   word(host1x_imm(0, 0x101));
}

/* ---- noise ---- */

static uint32_t
random_register(void)
{
   static unsigned count;
   while (gr3d_registers[count].name)
      count++;
   const struct register_info *info = &gr3d_registers[below(count)];
   return chance(90) ? info->offset + below(info->count) * info->stride : below(4096);
}

static void
random_packet(void)
{
   uint32_t reg = random_register();
   unsigned count;
   switch (below(6)) {
   case 0:
      word(host1x_imm(reg, rnd()));
      break;
   case 1:
      count = below(chance(90) ? 8 : 300);
      word(chance(50) ? host1x_incr(reg, count) : host1x_nonincr(reg, count));
      while (count--)
         word(interesting());
      break;
   case 2:
      count = rnd() & 0xffff & rnd();
      word(host1x_mask(reg, count));
      for (unsigned n = (unsigned)__builtin_popcount(count); n; n--)
         word(interesting());
      break;
   case 3:
      word(host1x_setcl(0, chance(60) ? 0x60 : chance(50) ? 0x51 + below(2) : below(1024), 0));
      break;
   case 4:
      word(rnd());
      break;
   default:
      write_reg(reg, interesting());
   }
}

static void
job_noise(void)
{
   for (unsigned n = 1 + below(200); n; n--)
      random_packet();
   if (chance(50))
      draws();
}

/* ---- mutation ---- */

void
mutate(void)
{
   if (!num_words)
      return;
   unsigned at = below(num_words), length = 1 + below(8);
   switch (below(7)) {
   case 0:
      words[at] ^= 1u << below(32);
      break;
   case 1:
      words[at] = interesting();
      break;
   case 2: /* repeat a piece */
      if (num_words + length < MAX_WORDS && at + length <= num_words) {
         memmove(&words[at + length], &words[at], (num_words - at) * 4);
         num_words += length;
      }
      break;
   case 3: /* cut a piece */
      if (at + length <= num_words) {
         memmove(&words[at], &words[at + length], (num_words - at - length) * 4);
         num_words -= length;
      }
      break;
   case 4: /* exchange two words */
   {
      unsigned other = below(num_words);
      uint32_t w = words[at];
      words[at] = words[other];
      words[other] = w;
      break;
   }
   case 5: /* a packet in the middle */
      if (num_words + 2 < MAX_WORDS) {
         memmove(&words[at + 2], &words[at], (num_words - at) * 4);
         num_words += 2;
         words[at] = host1x_incr(random_register(), 1);
         words[at + 1] = interesting();
      }
      break;
   default:
      num_words = at + 1;
   }
}

void
generate(void)
{
   static const uint8_t mutations[] = { 0, 0, 1, 1, 2, 3, 5, 20 };
   num_words = 0;
   unsigned kind = below(10);
   if (kind < 7)
      job_3d();
   else if (kind < 9)
      job_2d();
   else
      job_noise();
   for (unsigned n = mutations[below(COUNT(mutations))]; n; n--)
      mutate();
}
