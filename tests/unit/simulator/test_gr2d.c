/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The 2D engine: fill, copy, stretch blit, fast rotate (surfaces-and-textures.md 8 and 9).
 */

#include "unit.h"
#include "job.h"
#include "tegra20/gr2d_regs.h"
#include "tegra20/host1x_stream.h"

#define SRC 0x00000u
#define DST 0x40000u

static struct job *job; /* what begin() made last */

struct surface {
   uint32_t offset, pitch;
   bool tiled;
};

static const struct surface linear_dst = { DST, 256, false };

/* Byte address of surfaces-and-textures.md 4.2, written down once more for the test. */
static uint32_t
address(const struct surface *s, unsigned x, unsigned y, unsigned cpp)
{
   unsigned xb = x * cpp;
   if (!s->tiled)
      return s->offset + y * s->pitch + xb;
   return s->offset + y / 16 * 16 * s->pitch + xb / 16 * 256 + y % 16 * 16 + xb % 16;
}

static uint32_t
get(const struct surface *s, unsigned x, unsigned y, unsigned cpp)
{
   uint32_t value = 0;
   memcpy(&value, job->memory + address(s, x, y, cpp), cpp);
   return value;
}

static void
put(const struct surface *s, unsigned x, unsigned y, unsigned cpp, uint32_t value)
{
   memcpy(job->memory + address(s, x, y, cpp), &value, cpp);
}

static uint32_t
pattern(unsigned x, unsigned y, unsigned cpp)
{
   uint32_t value = 0x01020408u * (x + 1) + 0x00310711u * (y + 3);
   return cpp == 4 ? value : value & ((1u << 8 * cpp) - 1);
}

#define FOR_PIXELS(x, y, w, h)          \
   for (unsigned y = 0; y < (h); y++) \
      for (unsigned x = 0; x < (w); x++)

/* The pattern in the first pixels. */
static void
paint(const struct surface *s, unsigned w, unsigned h, unsigned cpp)
{
   FOR_PIXELS(x, y, w, h)
      put(s, x, y, cpp, pattern(x, y, cpp));
}

static void
begin(void)
{
   job = job_create(true);
   job->class_id = HOST1X_CLASS_GR2D;
   memset(job->memory, 0xee, JOB_MEMORY_SIZE);
}

static void
end(void)
{
   job_word(job, host1x_imm(0, 0x101));
   assert_int_equal(job_run(job), SIM_OK);
}

/* The packets of surfaces-and-textures.md 9.1 and 9.2. */
static void
fill(const struct surface *dst, unsigned cpp, uint32_t x, uint32_t y, uint32_t w, uint32_t h, uint32_t value)
{
   job_class(job, HOST1X_CLASS_GR2D);
   JOB_WRITE(job, { GR2D_G2TRIGGER, 0x3a }, { GR2D_CMDSEL, 0 }, { GR2D_CONTROLSECOND, 0 },
             { GR2D_CONTROLMAIN, cpp >> 1 << 16 | 1 << 6 | 1 << 2 }, { GR2D_ROPFADE, 0xcc },
             { GR2D_DSTBA, JOB_MEMORY_BASE + dst->offset }, { GR2D_DSTST, dst->pitch }, { GR2D_SRCFGC, value },
             { GR2D_TILEMODE, dst->tiled << 20 }, { GR2D_DSTSIZE, h << 16 | w }, { GR2D_DSTPS, y << 16 | x });
}

struct copy {
   struct surface src, dst;
   unsigned cpp;
   uint32_t sx, sy, dx, dy, w, h;
   bool xdir, ydir, yflip;
};

static void
copy_state(const struct copy *c, uint32_t rop)
{
   job_class(job, HOST1X_CLASS_GR2D);
   JOB_WRITE(job, { GR2D_G2TRIGGER, 0x3a }, { GR2D_CMDSEL, 0 }, { GR2D_CONTROLSECOND, 0 },
             { GR2D_CONTROLMAIN, 1 << 20 | c->cpp >> 1 << 16 | c->yflip << 14 | c->ydir << 10 | c->xdir << 9 },
             { GR2D_ROPFADE, rop }, { GR2D_TILEMODE, c->dst.tiled << 20 | c->src.tiled },
             { GR2D_DSTBA, JOB_MEMORY_BASE + c->dst.offset }, { GR2D_DSTST, c->dst.pitch },
             { GR2D_SRCBA, JOB_MEMORY_BASE + c->src.offset }, { GR2D_SRCST, c->src.pitch },
             { GR2D_SRCSIZE, c->h << 16 | c->w }, { GR2D_DSTSIZE, c->h << 16 | c->w },
             { GR2D_SRCPS, c->sy << 16 | c->sx }, { GR2D_DSTPS, c->dy << 16 | c->dx });
}

static void
copy(const struct copy *c)
{
   copy_state(c, 0xcc);
}

TEST(fills)
{
   for (unsigned cpp = 1; cpp <= 4; cpp *= 2) {
      for (unsigned tiled = 0; tiled < 2; tiled++) {
         const struct surface dst = { DST, 256, tiled };
         const uint32_t mask = cpp == 4 ? ~0u : (1u << 8 * cpp) - 1;
         begin();
         fill(&dst, cpp, 3, 5, 21, 37, 0x12345678);
         end();
         assert_int_equal(job->num_diags, 0);
         FOR_PIXELS(x, y, 64, 48) {
            bool inside = x >= 3 && x < 24 && y >= 5 && y < 42;
            assert_int_equal(get(&dst, x, y, cpp), (inside ? 0x12345678 >> 8 * (x * cpp & 3) : 0xeeeeeeee) & mask);
         }
         struct sim_stats stats;
         sim_get_stats(job->sim, &stats);
         assert_int_equal(stats.fills, 1);
      }
   }
}

/* A136: a fill of 1,024 pixels of 32 bits is 1,024 clocks, and 4,096 bytes, which memory takes longer for: at 1.1 GB/s
 * 1,117 clocks of 300 MHz, at twice that 558. */
TEST(fill_time)
{
   for (unsigned fast = 0; fast < 2; fast++) {
      begin();
      struct sim_stats stats;
      assert_true(sim_set_switch(job->sim, "A136", fast ? "2200" : "1100"));
      fill(&linear_dst, 4, 0, 0, 64, 16, 0x11111111);
      end();
      sim_get_stats(job->sim, &stats);
      assert_int_equal(stats.gr2d_bytes, 4096);
      assert_int_equal(stats.time_clocks, fast ? 1024 : 1117);
      assert_int_equal(stats.memory_clocks, fast ? 0 : 1117);
   }
}

/* A129: each pixel takes the low bits of the register, wherever it is, also where the quick path does not go. */
TEST(fill_switch)
{
   for (unsigned clip = 0; clip < 2; clip++) {
      begin();
      assert_true(sim_set_switch(job->sim, "A129", "low-bits"));
      fill(&linear_dst, 2, 0, 0, 0, 0, 0xffff);
      JOB_WRITE(job, { GR2D_CONTROLSECOND, clip << 22 }, { GR2D_CLIPLEFTTOP, 0 },
                { GR2D_CLIPRIGHTBOT, 255 << 16 | 255 }, { GR2D_DSTSIZE, 1 << 16 | 4 }, { GR2D_DSTPS, 3 });
      end();
      for (unsigned x = 0; x < 10; x++)
         assert_int_equal(get(&linear_dst, x, 0, 2), x >= 3 && x < 7 ? 0xffff : 0xeeee);
   }
}

/* Only size and position need to be repeated for further rectangles. */
TEST(fill_again)
{
   begin();
   fill(&linear_dst, 4, 0, 0, 1, 1, 0x11111111);
   JOB_WRITE(job, { GR2D_DSTSIZE, 1 << 16 | 2 }, { GR2D_DSTPS, 1 << 16 | 5 });
   end();
   assert_int_equal(get(&linear_dst, 0, 0, 4), 0x11111111);
   assert_int_equal(get(&linear_dst, 5, 1, 4), 0x11111111);
   assert_int_equal(get(&linear_dst, 6, 1, 4), 0x11111111);
   assert_int_equal(get(&linear_dst, 7, 1, 4), 0xeeeeeeee);
   assert_int_equal(job->num_diags, 0);
}

TEST(fill_clipped)
{
   for (unsigned outside = 0; outside < 2; outside++) {
      begin();
      fill(&linear_dst, 1, 0, 0, 0, 0, 0x55555555);
      JOB_WRITE(job, { GR2D_CONTROLSECOND, (2 + outside) << 21 }, { GR2D_CLIPLEFTTOP, 10 << 16 | 11 },
                { GR2D_CLIPRIGHTBOT, 12 << 16 | 14 }, { GR2D_DSTSIZE, 16 << 16 | 16 }, { GR2D_DSTPS, 0 });
      end();
      FOR_PIXELS(x, y, 16, 16) {
         bool inside = x >= 11 && x <= 14 && y >= 10 && y <= 12;
         assert_int_equal(get(&linear_dst, x, y, 1), inside != outside ? 0x55 : 0xee);
      }
   }
}

/* Strict mode tells an overlap with the wrong direction, which repeats the first pixels. */
TEST(overlapping_copies)
{
   static const struct {
      int dx, dy;
      bool xdir, ydir, right;
   } cases[] = {
      { 3, 0, true, false, true },   { 3, 0, false, false, false }, { -3, 0, false, false, true },
      { -3, 0, true, false, false }, { 0, 2, false, true, true },   { 0, 2, false, false, false },
      { 0, -2, false, false, true }, { 2, 2, true, true, true },    { -2, 2, false, true, true },
      { 0, -2, false, true, false },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      for (unsigned tiled = 0; tiled < 2; tiled++) {
         struct copy c = { .src = { SRC, 256, tiled }, .dst = { SRC, 256, tiled }, .cpp = 4, .sx = 10, .sy = 10,
                           .w = 12, .h = 9, .xdir = cases[i].xdir, .ydir = cases[i].ydir };
         begin();
         c.dx = c.sx + cases[i].dx;
         c.dy = c.sy + cases[i].dy;
         if (c.xdir)
            c.sx += c.w - 1, c.dx += c.w - 1;
         if (c.ydir)
            c.sy += c.h - 1, c.dy += c.h - 1;
         copy(&c);
         end();
         assert_int_equal(job_reported(job, SIM_DIAG_G2_OVERLAP), !cases[i].right);
      }
   }
}

/* Random copies, most of them overlapping, against a pixel at a time in the order of surfaces-and-textures.md 9.6. */
TEST(random_copies)
{
   uint32_t seed = 7;
   static uint8_t expected[JOB_MEMORY_SIZE];
   for (unsigned run = 0; run < 400; run++) {
      uint32_t r[12];
      for (unsigned i = 0; i < 12; i++) {
         seed = seed * 1664525 + 1013904223;
         r[i] = seed >> 16;
      }
      const uint32_t pitches[4] = { 256, 512, 80, 48 };
      struct copy c = {
         .src = { SRC + r[0] % 3 * 64, pitches[r[1] % 4], r[2] % 3 == 0 }, .cpp = 1u << r[3] % 3, .sx = 16 + r[4] % 8,
         .sy = 32 + r[5] % 8, .w = 1 + r[8] % 12, .h = 1 + r[9] % 12, .xdir = r[10] & 1, .ydir = r[10] >> 1 & 1,
         .yflip = (r[10] & 14) == 12,
      };
      c.dst = c.src;
      if (r[11] % 4 == 0) {
         c.dst.offset += 16 * (r[11] % 7);
         c.dst.tiled ^= r[11] >> 8 & 1;
      }
      bool invert = r[11] >> 4 & 1;
      c.dx = c.sx + r[6] % 9 - 4;
      c.dy = c.sy + r[7] % 9 - 4;
      begin();
      for (unsigned i = 0; i < JOB_MEMORY_SIZE; i++)
         job->memory[i] = (uint8_t)(i * 31 + i / 256);
      memcpy(expected, job->memory, JOB_MEMORY_SIZE);
      for (unsigned j = 0; j < c.h; j++)
         for (unsigned i = 0; i < c.w; i++) {
            unsigned x = c.xdir ? 0u - i : i, sy = c.ydir ? 0u - j : j, dy = c.ydir || c.yflip ? 0u - j : j;
            uint8_t bytes[4];
            memcpy(bytes, expected + address(&c.src, c.sx + x, c.sy + sy, c.cpp), c.cpp);
            uint8_t *d = expected + address(&c.dst, c.dx + x, c.dy + dy, c.cpp);
            for (unsigned k = 0; k < c.cpp; k++)
               d[k] = invert ? bytes[k] ^ d[k] : bytes[k];
         }
      copy_state(&c, invert ? 0x66 : 0xcc);
      end();
      if (memcmp(expected, job->memory, JOB_MEMORY_SIZE))
         fail_msg("copy %u differs", run);
   }
}

/* ROPs on S = 0x0c, D = 0x0a: every code is its own truth table (P = 0). */
TEST(raster_operations)
{
   static const struct {
      uint8_t rop, want;
   } cases[] = {
      { 0x00, 0x00 }, { 0x88, 0x08 }, { 0x44, 0x04 }, { 0xcc, 0x0c }, { 0x22, 0x02 }, { 0xaa, 0x0a },
      { 0x66, 0x06 }, { 0xee, 0x0e }, { 0x11, 0xf1 }, { 0x99, 0xf9 }, { 0x55, 0xf5 }, { 0xdd, 0xfd },
      { 0x33, 0xf3 }, { 0xbb, 0xfb }, { 0x77, 0xf7 }, { 0xff, 0xff },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      begin();
      put(&linear_dst, 0, 0, 1, 0x0a);
      fill(&linear_dst, 1, 9, 9, 1, 1, 0x0c);
      JOB_WRITE(job, { GR2D_ROPFADE, cases[i].rop }, { GR2D_DSTPS, 0 });
      end();
      assert_int_equal(get(&linear_dst, 0, 0, 1), cases[i].want);
   }
}

TEST(outside_memory)
{
   const struct surface end_of_memory = { JOB_MEMORY_SIZE - 256, 256, false };
   begin();
   fill(&end_of_memory, 4, 60, 0, 10, 3, 0x77777777);
   end();
   assert_true(job_reported(job, SIM_DIAG_MEMORY_RANGE));
   assert_int_equal(get(&end_of_memory, 59, 0, 4), 0xeeeeeeee);
   assert_int_equal(get(&end_of_memory, 63, 0, 4), 0x77777777);
   job_clear(job);
   struct copy c = {
      .src = { JOB_MEMORY_SIZE - 256, 256, false }, .dst = { DST, 256, false }, .cpp = 4, .sx = 62, .w = 4, .h = 1
   };
   copy(&c);
   end();
   assert_true(job_reported(job, SIM_DIAG_MEMORY_RANGE));
   assert_int_equal(get(&c.dst, 1, 0, 4), 0x77777777);
   assert_int_equal(get(&c.dst, 2, 0, 4), 0);
}

/* ---- stretch blit ---- */

struct stretch {
   struct surface src, dst;
   unsigned src_format, dst_format, dst_cpp;
   unsigned src_w, src_h, dst_w, dst_h; /* as programmed */
   uint32_t hdda, vdda, hini, vini;
   uint32_t control; /* CONTROLSB */
   bool yflip;
};

#define NO_FILTER (7u << 20 | 1u << 19) /* no colour conversion */
#define BILINEAR (1u << 18 | 1u << 19)

#define PITCH_64(from, to) .src = { SRC, 64 }, .dst = { DST, 64 }, .src_format = (from), .dst_format = (to), .dst_cpp = 4

static void
stretch(const struct stretch *s)
{
   job_class(job, HOST1X_CLASS_GR2D_SB);
   JOB_WRITE(job, { GR2D_G2TRIGGER, 0x38 }, { GR2D_CMDSEL, 1 }, { GR2D_VDDA, s->vdda }, { GR2D_VDDAINI, s->vini },
             { GR2D_HDDA, s->hdda }, { GR2D_HDDAINILS, s->hini }, { GR2D_CSCFIRST, 0x80 << 12 | 0x80 },
             { GR2D_CSCSECOND, 0x80u << 24 }, { GR2D_CSCTHIRD, 0 },
             { GR2D_SBFORMAT, s->dst_format << 8 | s->src_format }, { GR2D_CONTROLSB, s->control },
             { GR2D_CONTROLSECOND, 0 }, { GR2D_CONTROLMAIN, 3u << 27 | s->dst_cpp >> 1 << 16 | s->yflip << 14 },
             { GR2D_TILEMODE, s->dst.tiled << 20 | s->src.tiled << 4 | s->src.tiled },
             { GR2D_SRCBA_SB_SURFBASE, JOB_MEMORY_BASE + s->src.offset },
             { GR2D_DSTBA_SB_SURFBASE, JOB_MEMORY_BASE + s->dst.offset },
             { GR2D_DSTBA, JOB_MEMORY_BASE + s->dst.offset }, { GR2D_DSTST, s->dst.pitch },
             { GR2D_SRCBA, JOB_MEMORY_BASE + s->src.offset }, { GR2D_SRCST, s->src.pitch },
             { GR2D_SRCSIZE, s->src_h << 16 | s->src_w }, { GR2D_DSTSIZE, s->dst_h << 16 | (s->dst_w + 1) }); /* A71: lines minus one, columns */
}

/* Every second pixel, no filter: the way mip levels are made; 14 to 15 exchanges red and blue. */
TEST(stretch_halving)
{
   for (unsigned layout = 0; layout < 4; layout++) {
      for (unsigned swap = 0; swap < 2; swap++) {
         const struct stretch s = {
            .src = { SRC, 256, layout & 1 }, .dst = { DST, 256, layout >> 1 }, .src_format = 14,
            .dst_format = 14 + swap, .dst_cpp = 4, .src_w = 31, .src_h = 15, .dst_w = 15, .dst_h = 7, .hdda = 2 << 12,
            .vdda = 2 << 12, .control = NO_FILTER,
         };
         begin();
         paint(&s.src, 32, 16, 4);
         stretch(&s);
         end();
         assert_int_equal(job->num_diags, 0);
         FOR_PIXELS(x, y, 17, 9) {
            uint32_t want = 0xeeeeeeee;
            if (x < 16 && y < 8) {
               want = pattern(2 * x, 2 * y, 4);
               if (swap)
                  want = (want & 0xff00ff00) | (want & 0xff) << 16 | (want >> 16 & 0xff);
            }
            assert_int_equal(get(&s.dst, x, y, 4), want);
         }
      }
   }
}

/* Magnification by two between 0, 100 and 200: 0, 50, 100, 150, 200 in both directions. */
TEST(stretch_bilinear)
{
   const struct stretch s = {
      PITCH_64(15, 15), .src_w = 2, .src_h = 1, .dst_w = 4, .dst_h = 2, .hdda = 1 << 11, .vdda = 1 << 11, .control = BILINEAR,
   };
   begin();
   FOR_PIXELS(x, y, 3, 2)
      put(&s.src, x, y, 4, 0x01000000u * (100 * x) + (20 * y) * 0x00010000u);
   stretch(&s);
   end();
   FOR_PIXELS(x, y, 5, 3)
      assert_int_equal(get(&s.dst, x, y, 4), 0x01000000u * (50 * x) + (10 * y) * 0x00010000u);
}

/* 565 to 8888 and back, initial fraction, vertical flip. */
TEST(stretch_formats)
{
   struct stretch s = {
      PITCH_64(8, 14), .src_w = 3, .src_h = 0, .dst_w = 3, .dst_h = 0, .hdda = 1 << 12, .vdda = 1 << 12, .control = NO_FILTER,
   };
   static const uint16_t words[4] = { 0xf800, 0x07e0, 0x001f, 0x8410 };
   static const uint32_t want[4] = { 0xff0000ff, 0xff00ff00, 0xffff0000, 0xff848284 };
   begin();
   job_poke(job, SRC, words, sizeof(words));
   stretch(&s);
   end();
   for (unsigned x = 0; x < 4; x++)
      assert_int_equal(get(&s.dst, x, 0, 4), want[x]);
   job_clear(job);
   s.src = s.dst;
   s.dst = (struct surface){ DST + 0x1000, 64, false };
   s.src_format = 14;
   s.dst_format = 8;
   s.dst_cpp = 2;
   stretch(&s);
   end();
   for (unsigned x = 0; x < 4; x++)
      assert_int_equal(get(&s.dst, x, 0, 2), words[x]);

   s = (struct stretch){
      .src = { SRC, 64, false }, .dst = { DST + 3 * 64, 64, false }, .src_format = 14, .dst_format = 14, .dst_cpp = 4,
      .src_w = 3, .src_h = 3, .dst_w = 1, .dst_h = 3, .hdda = 1 << 12, .vdda = 1 << 12, .hini = 0xff,
      .control = NO_FILTER, .yflip = true,
   };
   begin();
   paint(&s.src, 4, 4, 4);
   stretch(&s);
   end();
   const struct surface dst = { DST, 64, false };
   FOR_PIXELS(x, y, 2, 4)
      assert_int_equal(get(&dst, x, y, 4), pattern(x, 3 - y, 4));
}

/* Starts half a row below the first, twice as high: rows 0, 1, 1, 2 of a source that is wider than 256 pixels. */
TEST(stretch_start)
{
   const struct stretch s = {
      .src = { SRC, 1216, false }, .dst = { DST, 1216, false }, .src_format = 14, .dst_format = 14, .dst_cpp = 4,
      .src_w = 299, .src_h = 2, .dst_w = 299, .dst_h = 3, .hdda = 1 << 12, .vdda = 1 << 11, .vini = 0x80,
      .control = NO_FILTER,
   };
   begin();
   paint(&s.src, 300, 3, 4);
   stretch(&s);
   end();
   FOR_PIXELS(x, y, 300, 4)
      assert_int_equal(get(&s.dst, x, y, 4), pattern(x, (y + 1) / 2, 4));
}

/* Y = 16 + 219 of BT.601 studio range with coefficients in 1.7: white and black, U and V neutral. */
TEST(stretch_yuv)
{
   const struct stretch s = {
      PITCH_64(1, 15), .src_w = 3, .src_h = 0, .dst_w = 3, .dst_h = 0, .hdda = 1 << 12, .vdda = 1 << 12, .control = 7u << 20,
   };
   static const uint8_t yuyv[8] = { 16, 128, 235, 128, 126, 128, 126, 228 };
   begin();
   job_poke(job, SRC, yuyv, 8);
   stretch(&s);
   /* CYX = 149/128 (1.164), YOS = -16, CVR = 204/128 (1.596); U has no effect here. */
   JOB_WRITE(job, { GR2D_CSCFIRST, (uint32_t)(uint8_t)-16 << 24 | 204 << 12 }, { GR2D_CSCSECOND, 149u << 24 },
             { GR2D_DSTSIZE, 3 });
   end();
   assert_int_equal(get(&s.dst, 0, 0, 4), 0xff000000);
   assert_int_equal(get(&s.dst, 1, 0, 4), 0xffffffff);
   /* (149 * 110 + 64) / 128 = 128.5 -> 128; red + 204 * 100 / 128 = 287 -> 255 */
   assert_int_equal(get(&s.dst, 2, 0, 4), 0xffff8080);
}

TEST(stretch_switch)
{
   const struct stretch s = {
      PITCH_64(14, 14), .src_w = 4, .src_h = 1, .dst_w = 4, .dst_h = 1, .hdda = 1 << 12, .vdda = 1 << 12, .control = NO_FILTER,
   };
   for (unsigned less = 0; less < 2; less++) {
      begin();
      memset(job->memory + SRC, 0x11, 1024);
      stretch(&s);
      assert_true(sim_set_switch(job->sim, "A71", less ? "minus-one" : "extent"));
      end();
      assert_int_equal(get(&s.dst, 4 + less, less, 4), 0x11111111);
      assert_int_equal(get(&s.dst, 5 + less, 0, 4), 0xeeeeeeee);
      assert_int_equal(get(&s.dst, 4 + less, 1 + less, 4), 0xeeeeeeee);
   }
}

/* Planar 4:2:0: Y 128 everywhere, one chroma sample per 2x2 pixels; V 228 makes red, U 228 blue (coefficients 1.0). */
TEST(stretch_planar)
{
   static const struct {
      unsigned uvst;
      uint32_t uvstride, pitch;
   } cases[] = { { 0, 0, 32 }, { 1, 0, 64 }, { 2, 0, 16 }, { 3, 48, 48 } };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      const struct stretch s = {
         PITCH_64(0, 14), .src_w = 3, .src_h = 3, .dst_w = 3, .dst_h = 3, .hdda = 1 << 12, .vdda = 1 << 12,
         .control = 7u << 20 | 1 << 5 | cases[i].uvst << 8,
      };
      const struct surface u = { 0x8000, cases[i].pitch, false }, v = { 0x9000, cases[i].pitch, false };
      begin();
      memset(job->memory + SRC, 128, 1024);
      memset(job->memory + 0x8000, 128, 0x2000);
      put(&u, 1, 0, 1, 228);
      put(&v, 0, 1, 1, 228);
      JOB_WRITE(job, { GR2D_UBA, JOB_MEMORY_BASE + u.offset }, { GR2D_VBA, JOB_MEMORY_BASE + v.offset },
                { GR2D_UVSTRIDE, cases[i].uvstride });
      stretch(&s);
      end();
      assert_int_equal(job->num_diags, 0);
      FOR_PIXELS(x, y, 4, 4) {
         uint32_t blue = x >= 2 && y < 2 ? 228 : 128, red = x < 2 && y >= 2 ? 228 : 128;
         assert_int_equal(get(&s.dst, x, y, 4), 0xff008000 | blue << 16 | red);
      }
   }
}

/* Low-pass filters average over the step; the vertical ones weight two lines. */
TEST(stretch_low_pass)
{
   static const struct {
      uint32_t control;
      unsigned want; /* of columns 0, 40 and lines 0, 80 */
   } cases[] = {
      { 6u << 20, 20 },                       /* (0 + 40) / 2 */
      { 7u << 20 | 1u << 18 | 1u << 16, 20 }, /* 3/4 0 + 1/4 80 */
      { 7u << 20 | 1u << 18 | 2u << 16, 40 }, /* 1/2 0 + 1/2 80 */
      { 7u << 20 | 1u << 18 | 3u << 16, 40 },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      const struct stretch s = {
         PITCH_64(14, 14), .src_w = 3, .src_h = 3, .dst_w = 1, .dst_h = 1, .hdda = 2 << 12, .vdda = 2 << 12,
         .control = cases[i].control | 1u << 19,
      };
      begin();
      FOR_PIXELS(x, y, 5, 5)
         put(&s.src, x, y, 4, 40 * (x % 2) + 80 * (y % 2));
      stretch(&s);
      end();
      assert_true(job_reported(job, SIM_DIAG_G2_UNPROVEN)); /* only approximated */
      assert_int_equal(get(&s.dst, 0, 0, 4), cases[i].want);
      assert_int_equal(get(&s.dst, 1, 1, 4), cases[i].want);
   }
}

/* A72: with sample centres on both sides, halving takes the middle between two pixels. */
TEST(stretch_centres)
{
   const struct stretch s = {
      PITCH_64(14, 14), .src_w = 3, .src_h = 0, .dst_w = 1, .dst_h = 0, .hdda = 2 << 12, .vdda = 1 << 12, .control = BILINEAR,
   };
   for (unsigned centre = 0; centre < 2; centre++) {
      begin();
      for (unsigned x = 0; x < 5; x++)
         put(&s.src, x, 0, 4, 40 * x);
      assert_true(sim_set_switch(job->sim, "A72", centre ? "centre" : "corner"));
      stretch(&s);
      end();
      assert_int_equal(get(&s.dst, 0, 0, 4), centre ? 20 : 0);
      assert_int_equal(get(&s.dst, 1, 0, 4), centre ? 100 : 80);
   }
}

/* ---- fast rotate ---- */

static void
rotate(const struct surface *src, const struct surface *dst, unsigned cpp, unsigned type, unsigned mode)
{
   job_class(job, HOST1X_CLASS_GR2D);
   JOB_WRITE(job, { GR2D_G2TRIGGER, 0x37 }, { GR2D_CMDSEL, 0 }, { GR2D_CONTROLSECOND, type << 26 | mode << 24 },
             { GR2D_ROPFADE, 0xcc }, { GR2D_TILEMODE, dst->tiled << 20 | src->tiled }, { GR2D_DSTST, dst->pitch },
             { GR2D_SRCST, src->pitch }, { GR2D_DSTBA, JOB_MEMORY_BASE + dst->offset },
             { GR2D_SRCBA, JOB_MEMORY_BASE + src->offset },
             { GR2D_CONTROLMAIN, 1u << 29 | 1 << 20 | cpp >> 1 << 16 });
}

TEST(rotations)
{
   /* Source is 32x16 pixels; destination pixel (1, 2) and the size of the destination. */
   static const struct {
      unsigned type, sx, sy, w, h;
   } cases[] = {
      { 0, 30, 2, 32, 16 }, { 1, 1, 13, 32, 16 },  { 2, 2, 1, 16, 32 },  { 3, 29, 14, 16, 32 },
      { 4, 29, 1, 16, 32 }, { 5, 30, 13, 32, 16 }, { 6, 2, 14, 16, 32 }, { 7, 1, 2, 32, 16 },
      { 3, 2, 1, 16, 32 }, /* A81: TRANS_RL is the plain transposition */
   };
   for (unsigned cpp = 1; cpp <= 4; cpp *= 2) {
      for (unsigned i = 0; i < COUNT(cases) * 2; i++) {
         const struct surface src = { SRC, 256, i >= COUNT(cases) }, dst = { DST, 256, false };
         const unsigned n = i % COUNT(cases);
         begin();
         assert_true(sim_set_switch(job->sim, "A81", n == 8 ? "rl" : "lr"));
         paint(&src, 32, 16, cpp);
         rotate(&src, &dst, cpp, cases[n].type, 1);
         job_write(job, GR2D_SRCSIZE, 15 << 16 | 31);
         end();
         assert_int_equal(job->num_diags, 0);
         assert_int_equal(get(&dst, 1, 2, cpp), pattern(cases[n].sx, cases[n].sy, cpp));
         unsigned w = cases[n].w, h = cases[n].h;
         uint32_t untouched = cpp == 4 ? 0xeeeeeeee : 0xeeeeeeee & ((1u << 8 * cpp) - 1);
         assert_int_equal(get(&dst, w, 0, cpp), untouched);
         assert_int_equal(get(&dst, 0, h, cpp), untouched);
      }
   }
}

/* A square turned in place. */
TEST(rotation_in_place)
{
   const struct surface src = { SRC, 256, true };
   begin();
   paint(&src, 16, 16, 4);
   rotate(&src, &src, 4, 4, 2);
   job_write(job, GR2D_SRCSIZE, 15 << 16 | 15);
   end();
   assert_int_equal(job->num_diags, 0);
   FOR_PIXELS(x, y, 16, 16)
      assert_int_equal(get(&src, x, y, 4), pattern(15 - y, x, 4));
}

/* ---- strict mode ---- */

enum operation { FILL, STRETCH, ROTATION };

/* An operation that is right but for a register. */
static const struct {
   const char *name;
   enum operation operation;
   uint32_t reg, value;
   unsigned diag;
   uint32_t size; /* of a rotation; 0: 16 x 16 */
} strict_cases[] = {
   { "step 0", STRETCH, GR2D_HDDA, 0, SIM_DIAG_G2_SCALE },
   { "unknown source format", STRETCH, GR2D_SBFORMAT, 14 << 8 | 9, SIM_DIAG_G2_FORMAT },
   { "unknown destination format", STRETCH, GR2D_SBFORMAT, 31 << 8 | 14, SIM_DIAG_G2_FORMAT },
   { "YUV destination", STRETCH, GR2D_SBFORMAT, 0 << 8 | 14, SIM_DIAG_G2_FORMAT },
   { "planar YUYV", STRETCH, GR2D_CONTROLSB, NO_FILTER | 1 << 5, SIM_DIAG_G2_FORMAT },
   { "depth of another format", STRETCH, GR2D_CONTROLMAIN, 3u << 27 | 1 << 16, SIM_DIAG_G2_FORMAT },
   { "no SRCDIR", STRETCH, GR2D_CONTROLMAIN, 1u << 28 | 2 << 16, SIM_DIAG_G2_UNPROVEN },
   { "other surface base", STRETCH, GR2D_SRCBA_SB_SURFBASE, JOB_MEMORY_BASE + 256, SIM_DIAG_G2_UNPROVEN },
   { "G2 selected", STRETCH, GR2D_CMDSEL, 0, SIM_DIAG_G2_CLASS },
   { "blank", ROTATION, GR2D_CONTROLSECOND, 3 << 24, SIM_DIAG_G2_OPERATION },
   { "in place, not a square", ROTATION, GR2D_CONTROLSECOND, 2 << 24, SIM_DIAG_G2_OPERATION, 15 << 16 | 31 },
   { "base alignment of a rotation", ROTATION, GR2D_DSTBA, JOB_MEMORY_BASE + DST + 8, SIM_DIAG_G2_ALIGNMENT },
   { "three pixels wide", ROTATION, GR2D_SRCBA, JOB_MEMORY_BASE, SIM_DIAG_G2_ALIGNMENT, 15 << 16 | 2 },
   { "too wide", ROTATION, GR2D_SRCBA, JOB_MEMORY_BASE, SIM_DIAG_G2_ALIGNMENT, 15 << 16 | 0x7fff },
   { "pitch 102", FILL, GR2D_DSTST, 102, SIM_DIAG_G2_PITCH },
   { "tiled with pitch 2880", FILL, GR2D_DSTST, 2880, SIM_DIAG_G2_PITCH },
   { "base alignment", FILL, GR2D_DSTBA, JOB_MEMORY_BASE + DST + 4, SIM_DIAG_G2_ALIGNMENT },
   { "empty", FILL, GR2D_DSTSIZE, 0, SIM_DIAG_G2_EMPTY },
   { "huge", FILL, GR2D_DSTSIZE, 0x7fff7fff, SIM_DIAG_G2_SIZE },
   { "alpha", FILL, GR2D_CONTROLMAIN, 2 << 16 | 1 << 6 | 1 << 5, SIM_DIAG_G2_OPERATION },
   { "line", FILL, GR2D_CONTROLMAIN, 2 << 16 | 1 << 6 | 1, SIM_DIAG_G2_OPERATION },
   { "64 bits per pixel", FILL, GR2D_CONTROLMAIN, 3 << 16 | 1 << 6, SIM_DIAG_G2_OPERATION },
   { "monochrome source", FILL, GR2D_CONTROLMAIN, 2 << 16, SIM_DIAG_G2_OPERATION },
   { "rop", FILL, GR2D_ROPFADE, 0x66, SIM_DIAG_G2_UNPROVEN },
   { "stretch-blit engine", FILL, GR2D_CMDSEL, 1, SIM_DIAG_G2_CLASS },
   { "unwritten source", FILL, GR2D_CONTROLMAIN, 1 << 20 | 2 << 16, SIM_DIAG_G2_UNWRITTEN },
   { "register that does not exist", FILL, 0x90, 1, SIM_DIAG_REG_UNKNOWN },
};

TEST_ROWS(strict, strict_cases)
{
   const struct surface tiled = { DST, 1024, true }, src = { SRC, 256, false };
   const struct stretch s = {
      PITCH_64(14, 14), .hdda = 1 << 12, .vdda = 1 << 12, .control = NO_FILTER,
   };
   static const uint32_t start[] = { GR2D_DSTPS, GR2D_DSTSIZE, GR2D_SRCSIZE };
   begin();
   if (c->operation == FILL)
      fill(&tiled, 4, 0, 0, 4, 4, 0);
   else if (c->operation == STRETCH)
      stretch(&s);
   else
      rotate(&src, &linear_dst, 4, 7, 1);
   JOB_WRITE(job, { c->reg, c->value }, { start[c->operation], c->size || c->operation != ROTATION ? c->size : 15 << 16 | 15 });
   end();
   assert_true(job_reported(job, c->diag));
}
