/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * narrow [fetched]: render targets of 16 bits, RGB565.  Clears, draws, blending, masks, logic operations, copies, small
 * levels, several targets, sampling what was drawn, and the counters: half the memory of 32 bits, and conversions only
 * where pixels are read.  With "fetched" the profile says that the chip fetches from 16 bits: no conversions at all.
 */

#include "perf_monitor.h"

#define SIZE         64

static bool fetched;

/* --- counters --- */

static GLuint monitor;

/* Conversions of "reads" surfaces that are widened and narrowed again. */
static void
check_conversions(unsigned reads)
{
   const uint64_t value = end_counting(monitor, "target-conversions");

   if (value != (fetched ? 0 : reads))
      fail("%u conversions, not %u\n", (unsigned)value, reads);
}

/* --- targets --- */

static GLuint
new_texture(GLenum target, unsigned width, unsigned height, bool mipmapped)
{
   const unsigned longest = width > height ? width : height;

   const GLuint texture = filtered_texture(target, GL_NEAREST);
   for (unsigned l = 0; l == 0 || (mipmapped && longest >> l); l++) {
      const unsigned faces = target == GL_TEXTURE_CUBE_MAP ? 6 : 1;
      for (unsigned f = 0; f < faces; f++)
         glTexImage2D(faces == 6 ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + f : target, l, GL_RGB565, width >> l ? width >> l : 1,
                      height >> l ? height >> l : 1, 0, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, NULL);
   }
   return texture;
}

static GLuint
bind_buffer(GLenum format, unsigned size)
{
   return make_target_with(format, size, size, false);
}

static void
bind_texture(GLenum target, GLuint texture, unsigned level)
{
   texture_framebuffer(target, texture, level);
   glViewport(0, 0, SIZE, SIZE);
}

/* Colours are in steps of the channels: 0..31, 0..63, 0..31. */
static void
clear(unsigned r, unsigned g, unsigned b)
{
   clear_color(r / 31.0f, g / 63.0f, b / 31.0f, 0.3f);
}

static void
rect(float x0, float x1, unsigned r, unsigned g, unsigned b)
{
   glColor4f(r / 31.0f, g / 63.0f, b / 31.0f, 0.5f);
   glRectf(x0, -1.0f, x1, 1.0f);
}

static void
check_pixel(const char *what, unsigned x, unsigned y, unsigned r, unsigned g, unsigned b, unsigned tolerance)
{
   uint16_t word;

   glReadPixels(x, y, 1, 1, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, &word);
   CHECK(glGetError() == GL_NO_ERROR);
   const int got[3] = {word >> 11, word >> 5 & 63, word & 31}, wanted[3] = {r, g, b};
   for (unsigned c = 0; c < 3; c++) {
      if (abs(got[c] - wanted[c]) > (int)tolerance)
         fail("%s: pixel %u, %u is %d %d %d, not %d %d %d\n", what, x, y, got[0], got[1], got[2], wanted[0], wanted[1],
              wanted[2]);
   }
}

/* --- tests --- */

static void
memory(void)
{
   uint64_t bytes[2];
   const GLenum formats[2] = {GL_RGB565, GL_RGBA8};

   /* what the context itself takes, once */
   bind_buffer(GL_RGB565, SIZE);
   clear(1, 2, 3);
   check_pixel("first clear", 0, 0, 1, 2, 3, 0);
   for (unsigned i = 0; i < 2; i++) {
      glBeginPerfMonitorAMD(monitor);
      const uint64_t before = end_counting(monitor, "buffer-memory");
      bind_buffer(formats[i], 512);
      clear(1, 2, 3);
      glBeginPerfMonitorAMD(monitor);
      bytes[i] = end_counting(monitor, "buffer-memory") - before;
   }
   printf("%u bytes, %u with 32 bits\n", (unsigned)bytes[0], (unsigned)bytes[1]);
   CHECK(bytes[0] >= 512 * 512 * 2 && bytes[1] >= 512 * 512 * 4);
   CHECK(bytes[0] * 2 == bytes[1]);
}

/* Every value of a channel, cleared by the 2D engine and drawn by the 3D engine. */
static void
exact_values(void)
{
   bind_buffer(GL_RGB565, SIZE);
   glBeginPerfMonitorAMD(monitor);
   for (unsigned i = 0; i < 64; i++) {
      clear(i / 2, i, 31 - i / 2);
      check_pixel("clear", i, 1, i / 2, i, 31 - i / 2, 0);
   }
   glEnable(GL_DITHER);
   for (unsigned i = 0; i < 64; i++) {
      clear(9, 9, 9);
      rect(-1, 0, i / 2, i, 31 - i / 2);
      for (unsigned y = 0; y < 2; y++) {
         for (unsigned x = 0; x < 2; x++)
            check_pixel("draw", x, y, i / 2, i, 31 - i / 2, 0);
      }
      check_pixel("beside", SIZE - 1, 0, 9, 9, 9, 0);
   }
   scissor_to(5, 7, 3, 2);
   clear(20, 40, 10);
   glDisable(GL_SCISSOR_TEST);
   check_pixel("scissored clear", 5, 8, 20, 40, 10, 0);
   check_pixel("scissored clear", 8, 8, 31, 63, 0, 0);
   check_pixel("scissored clear", 4, 7, 31, 63, 0, 0);
   check_conversions(0);
}

static void
blending(void)
{
   bind_buffer(GL_RGB565, SIZE);
   clear(4, 8, 12);
   glBeginPerfMonitorAMD(monitor);
   blend_with(GL_ONE, GL_ONE);
   rect(-1, 0, 10, 20, 5);
   rect(-1, -0.5f, 10, 20, 5);
   glDisable(GL_BLEND);
   rect(0.5f, 1, 1, 1, 1);
   check_pixel("blended twice", 3, 3, 24, 48, 22, 1);
   check_pixel("blended", 20, 3, 14, 28, 17, 1);
   check_pixel("not blended", 40, 3, 4, 8, 12, 0);
   check_pixel("opaque after blending", 60, 3, 1, 1, 1, 0);
   check_conversions(2);

   /* nothing was read: straight into the target again */
   glBeginPerfMonitorAMD(monitor);
   rect(-1, 0, 30, 60, 30);
   check_pixel("opaque", 3, 3, 30, 60, 30, 0);
   check_conversions(0);

   /* what was drawn meanwhile is seen by the next draw that reads; destination alpha is 1 */
   blend_with(GL_ONE_MINUS_DST_ALPHA, GL_DST_ALPHA);
   rect(-1, 1, 31, 63, 31);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   rect(-1, 1, 0, 0, 0);
   glDisable(GL_BLEND);
   check_pixel("half", 3, 3, 15, 30, 15, 1);
   check_pixel("half", 40, 3, 2, 4, 6, 1);

   /* an upload between two draws that read */
   const uint16_t texels[2] = {0x1234, 0x4321};
   clear(0, 0, 0);
   blend_with(GL_ONE, GL_ONE);
   rect(-1, 1, 1, 2, 3);
   glWindowPos2i(1, 1);
   glDisable(GL_BLEND);
   glDrawPixels(2, 1, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, texels);
   glEnable(GL_BLEND);
   rect(-1, 1, 1, 2, 3);
   glDisable(GL_BLEND);
   check_pixel("on an upload", 1, 1, (0x1234 >> 11) + 1, (0x1234 >> 5 & 63) + 2, (0x1234 & 31) + 3, 1);
   check_pixel("beside an upload", 3, 1, 2, 4, 6, 1);
}

static void
masks(void)
{
   bind_buffer(GL_RGB565, SIZE);
   clear(4, 8, 12);
   glBeginPerfMonitorAMD(monitor);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);
   rect(-1, 1, 5, 9, 13);
   check_pixel("alpha masked", 3, 3, 5, 9, 13, 0);
   check_conversions(0);
   glBeginPerfMonitorAMD(monitor);
   glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
   rect(-1, 1, 30, 60, 30);
   check_pixel("green", 3, 3, 5, 60, 13, 0);
   check_conversions(2);
   glColorMask(GL_FALSE, GL_TRUE, GL_TRUE, GL_TRUE);
   clear(31, 63, 31);
   check_pixel("masked clear", 3, 3, 5, 63, 31, 0);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);

   glEnable(GL_COLOR_LOGIC_OP);
   glLogicOp(GL_INVERT);
   rect(-1, 1, 0, 0, 0);
   glDisable(GL_COLOR_LOGIC_OP);
   check_pixel("inverted", 3, 3, 26, 0, 0, 0);
}

static bool
differs(uint16_t a, uint16_t b, int tolerance)
{
   return abs((a >> 11) - (b >> 11)) > tolerance || abs((a >> 5 & 63) - (b >> 5 & 63)) > tolerance ||
          abs((a & 31) - (b & 31)) > tolerance;
}

/*
 * All operations on all pairs of values.  They are done with 8 bits per channel, in which a value of 5 bits and the colour
 * that is drawn may differ in the last: what is stored then is a step off, of 65536 pixels 1427.
 */
static void
logic_operations(void)
{
   uint16_t row[SIZE];
   unsigned off = 0;

   bind_buffer(GL_RGB565, SIZE);
   glEnable(GL_COLOR_LOGIC_OP);
   for (unsigned i = 0; i < 16 * 64; i++) {
      const unsigned op = i / 64, s = i % 64;

      glDisable(GL_COLOR_LOGIC_OP);
      glEnable(GL_SCISSOR_TEST);
      for (unsigned d = 0; d < SIZE; d++) {
         glScissor(d, 0, 1, 1);
         clear(d / 2, d, d / 2);
      }
      glDisable(GL_SCISSOR_TEST);
      glEnable(GL_COLOR_LOGIC_OP);
      glLogicOp(GL_CLEAR + op);
      rect(-1, 1, s / 2, s, s / 2);
      glReadPixels(0, 0, SIZE, 1, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, row);
      for (unsigned d = 0; d < SIZE; d++) {
         const unsigned source = s / 2 << 11 | s << 5 | s / 2, destination = d / 2 << 11 | d << 5 | d / 2;
         /* GL's number is the truth table: bit 3 for both, bit 2 for the source alone, bit 1 for the destination alone */
         const unsigned wanted = (op & 1 ? source & destination : 0) | (op & 2 ? source & ~destination : 0) |
                                 (op & 4 ? ~source & destination : 0) | (op & 8 ? ~source & ~destination : 0);
         if (differs(row[d], wanted, 1))
            fail("logic operation 0x%x of %u and %u: 0x%04x, not 0x%04x\n", GL_CLEAR + op, s, d, row[d], wanted & 0xffff);
         off += differs(row[d], wanted, 0);
      }
   }
   glDisable(GL_COLOR_LOGIC_OP);
   printf("%u of 65536 pixels are a step off\n", off);
   CHECK(off <= 1427);
}

/* Sizes and places that the unit cannot address, with and without reading. */
static void
small_levels(void)
{
   static const struct {
      GLenum target;
      unsigned width, height, level, face;
   } cases[] = {
      {GL_TEXTURE_2D, 32, 32, 4, 0}, {GL_TEXTURE_2D, 7, 5, 0, 0},          {GL_TEXTURE_2D, 37, 19, 0, 0},
      {GL_TEXTURE_2D, 64, 8, 1, 0},  {GL_TEXTURE_CUBE_MAP, 8, 8, 0, 3},    {GL_TEXTURE_CUBE_MAP, 64, 64, 0, 5},
      {GL_TEXTURE_2D, 512, 4, 0, 0}, {GL_TEXTURE_CUBE_MAP, 16, 16, 2, 1},
   };

   for (unsigned i = 0; i < COUNT(cases); i++) {
      const GLuint texture = new_texture(cases[i].target, cases[i].width, cases[i].height, cases[i].level > 0);
      const GLenum image =
         cases[i].target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + cases[i].face : cases[i].target;

      bind_texture(image, texture, cases[i].level);
      glViewport(0, 0, cases[i].width >> cases[i].level, cases[i].height >> cases[i].level);
      clear(3, 6, 9);
      rect(-1, 1, 5, 10, 15);
      check_pixel("small level", 0, 0, 5, 10, 15, 0);
      blend_with(GL_ONE, GL_ONE);
      rect(-1, 1, 5, 10, 15);
      glDisable(GL_BLEND);
      check_pixel("small level, blended", 0, 0, 10, 20, 30, 1);
      rect(-1, 1, 7, 7, 7);
      check_pixel("small level again", 0, 0, 7, 7, 7, 0);
   }
}

/* Two targets that are read by one draw. */
static void
several(void)
{
   static const GLenum buffers[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
   const GLuint texture = new_texture(GL_TEXTURE_2D, SIZE, SIZE, false);
   const GLuint other = new_texture(GL_TEXTURE_2D, SIZE, SIZE, false);

   bind_texture(GL_TEXTURE_2D, texture, 0);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, other, 0);
   glDrawBuffers(2, buffers);
   clear(1, 2, 3);
   glBeginPerfMonitorAMD(monitor);
   blend_with(GL_ONE, GL_ONE);
   rect(-1, 1, 10, 10, 10);
   glDisable(GL_BLEND);
   for (unsigned i = 0; i < 2; i++) {
      glReadBuffer(buffers[i]);
      check_pixel("two targets", 9, 9, 11, 12, 13, 1);
   }
   check_conversions(4);
   glDrawBuffers(1, buffers);

   /* sampling what is still in the wide surface */
   bind_texture(GL_TEXTURE_2D, texture, 0);
   glEnable(GL_BLEND);
   rect(-1, 1, 10, 10, 10);
   glDisable(GL_BLEND);
   bind_buffer(GL_RGBA8, SIZE);
   glBindTexture(GL_TEXTURE_2D, texture);
   glEnable(GL_TEXTURE_2D);
   glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
   glTexCoord2f(0.5f, 0.5f);
   rect(-1, 1, 0, 0, 0);
   glDisable(GL_TEXTURE_2D);
   check_pixel("sampled", 9, 9, 21, 22, 23, 1);
}

static void
copies(void)
{
   const GLuint texture = new_texture(GL_TEXTURE_2D, SIZE, SIZE, false);
   const GLuint narrow = bind_buffer(GL_RGB565, SIZE);

   clear(3, 5, 7);
   rect(-1, 0, 11, 13, 17);
   glBeginPerfMonitorAMD(monitor);
   glBindTexture(GL_TEXTURE_2D, texture);
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 8, 8, 28, 8, 16, 16);
   const GLuint wide = bind_buffer(GL_RGBA8, SIZE);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, narrow);
   glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, wide);
   check_pixel("to 32 bits", 3, 3, 11, 13, 17, 0);
   check_pixel("to 32 bits", 40, 3, 3, 5, 7, 0);
   /* back, mirrored and half as large */
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, narrow);
   glBlitFramebuffer(0, 0, SIZE, SIZE, SIZE / 2, SIZE, 0, SIZE / 2, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, narrow);
   check_pixel("to 16 bits", 30, 40, 11, 13, 17, 0);
   check_pixel("to 16 bits", 3, 40, 3, 5, 7, 0);
   check_pixel("beside", 3, 3, 11, 13, 17, 0);
   bind_texture(GL_TEXTURE_2D, texture, 0);
   check_pixel("copied", 11, 9, 11, 13, 17, 0);
   check_pixel("copied", 12, 9, 3, 5, 7, 0);
   CHECK(end_counting(monitor, "cpu-blits") == 0);
}

int
main(int argc, char **argv)
{
   open_context();

   fetched = argc > 1 && strcmp(argv[1], "fetched") == 0;
   find_counters();
   monitor = new_monitor();
   memory();
   exact_values();
   blending();
   masks();
   logic_operations();
   small_levels();
   several();
   copies();
   return 0;
}
