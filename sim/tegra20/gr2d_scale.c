/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * GR2D: stretch blit with format conversion and fast rotate
 * (surfaces-and-textures.md 9.3, 9.4, 9.7).
 *
 * Stretch blit: destination pixel (i, j) shows the source at HDDAINILS/256 +
 * i HDDA/4096, VDDAINI/256 + j VDDA/4096, counted in pixels from the source
 * base, without a half-texel centre (assumption A72).  The programmed sizes
 * are extents minus one in both directions, or as switch A71 has it; a column
 * or line that leaves the job's memory is not written. Reads are clamped to
 * the programmed source rectangle and one pixel beyond, as the interpolator
 * does.
 *
 * Filters: HFTYPE 0 interpolates, 7 takes the pixel, 1..6 are a box over the
 * step; vertically VFEN 0 takes the line, VFTYPE 0 interpolates, 1 weights
 * two lines 3 : 1, 2 and 3 average them.  Only the unfiltered and the
 * interpolating forms are more than a guess.
 */

#include <string.h>

#include "gr2d.h"
#include "tegra20/gr2d_regs.h"

/* --- stretch blit --- */

enum {
   SB_UYVY = 0,
   SB_YUYV = 1,
   SB_YVYU = 2,
   SB_VYUY = 3,
   SB_LAST_PACKED_YUV = 7, /* 4..7: the same with signed U and V */
   SB_RGB565 = 8,
   SB_RGB565_SWAPPED = 12,
   SB_RGBA8888 = 14,
   SB_BGRA8888 = 15,
};

/* Components: red or V, green or Y, blue or U, alpha. */
struct colour {
   int c[4];
};

struct stretch {
   struct gr2d *gr2d;
   struct gr2d_surface src, dst, u_plane, v_plane;
   unsigned src_format, dst_format, src_cpp, dst_cpp;
   uint32_t src_width, src_height; /* programmed values: extents minus one */
   uint32_t dst_width, dst_height;
   uint32_t hdda, vdda, hini, vini;
   bool planar, convert, yflip;
   unsigned hftype, vftype;
   bool vfen;
   int yos, cyx, cur, cvr, cug, cvg, cub, cvb;

   /* Two decoded source lines; the pixels that any column needs. */
   struct colour *line[2];
   uint32_t line_number[2];
   uint32_t line_length;
};

static bool
is_yuv(unsigned format)
{
   return format <= SB_LAST_PACKED_YUV;
}

/* Bytes per pixel, or 0 for a format that no manual lists. */
static unsigned
format_size(unsigned format)
{
   if (is_yuv(format) || format == SB_RGB565 || format == SB_RGB565_SWAPPED)
      return 2;
   return format == SB_RGBA8888 || format == SB_BGRA8888 ? 4 : 0;
}

static int
sign_extend(uint32_t value, unsigned bits)
{
   return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static struct gr2d_surface
plane(struct gr2d *gr2d, uint32_t base_reg, uint32_t pitch, const char *name)
{
   return (struct gr2d_surface){
      .base = gr2d_reg(gr2d, base_reg),
      .pitch = pitch,
      .tiled = gr2d_reg(gr2d, GR2D_TILEMODE) & GR2D_TILEMODE_SOURCE_4__MASK,
      .reg = base_reg,
      .name = name,
   };
}

static void
read_matrix(struct stretch *sb)
{
   uint32_t first = gr2d_reg(sb->gr2d, GR2D_CSCFIRST),
            second = gr2d_reg(sb->gr2d, GR2D_CSCSECOND);
   uint32_t third = gr2d_reg(sb->gr2d, GR2D_CSCTHIRD);
   sb->cub = sign_extend(first & 0x3ff, 10);
   sb->cvr = sign_extend(first >> 12 & 0x3ff, 10);
   sb->yos = sign_extend(first >> 24, 8);
   sb->cug = sign_extend(second & 0x1ff, 9);
   sb->cur = sign_extend(second >> 12 & 0x3ff, 10);
   sb->cyx = (int)(second >> 24);
   sb->cvg = sign_extend(third & 0x1ff, 9);
   sb->cvb = sign_extend(third >> 16 & 0x3ff, 10);
}

static bool
read_formats(struct stretch *sb)
{
   uint32_t format = gr2d_reg(sb->gr2d, GR2D_SBFORMAT),
            control = gr2d_reg(sb->gr2d, GR2D_CONTROLSB);
   sb->src_format = format & 0x1f;
   sb->dst_format = format >> 8 & 0x1f;
   sb->planar = control & GR2D_CONTROLSB_IMODE__MASK;
   sb->src_cpp = sb->planar ? 1 : format_size(sb->src_format);
   sb->dst_cpp = format_size(sb->dst_format);
   if (!sb->src_cpp || !sb->dst_cpp || is_yuv(sb->dst_format) ||
       (sb->planar && sb->src_format != SB_UYVY)) {
      sim_report(sb->gr2d->sim, SIM_DIAG_G2_FORMAT, GR2D_SBFORMAT, -1,
                 "stretch blit from format %u%s to %u is not documented: "
                 "nothing is done",
                 sb->src_format, sb->planar ? " (planar)" : "",
                 sb->dst_format);
      return false;
   }
   unsigned depth = gr2d_pixel_size(sb->gr2d);
   if (depth != sb->dst_cpp)
      sim_report(
         sb->gr2d->sim, SIM_DIAG_G2_FORMAT, GR2D_CONTROLMAIN, -1,
         "DSTCD says %u bytes per pixel, destination format %u has %u", depth,
         sb->dst_format, sb->dst_cpp);
   return true;
}

/* First sample in 1/4096 pixel (assumption A72). */
static uint32_t
start_position(const struct sim *sim, uint32_t fraction, uint32_t step)
{
   int32_t start = (int32_t)(fraction & 0xff) << 4;
   if (sim_switch(sim, 72) == 1)
      start += (int32_t)(step / 2) - 2048;
   return start > 0 ? (uint32_t)start : 0;
}

static bool
read_stretch(struct gr2d *gr2d, struct stretch *sb)
{
   *sb = (struct stretch){ .gr2d = gr2d };
   if (!read_formats(sb))
      return false;
   uint32_t control = gr2d_reg(gr2d, GR2D_CONTROLSB),
            src = gr2d_reg(gr2d, GR2D_SRCSIZE),
            dst = gr2d_reg(gr2d, GR2D_DSTSIZE);
   sb->src = gr2d_source(gr2d);
   sb->dst = gr2d_destination(gr2d);
   sb->src_width = src & 0x7fff;
   sb->src_height = src >> 16 & 0x7fff;
   sb->dst_width = dst & 0x7fff;
   sb->dst_height = dst >> 16 & 0x7fff;
   sb->hdda = gr2d_reg(gr2d, GR2D_HDDA) & 0x3ffff;
   sb->vdda = gr2d_reg(gr2d, GR2D_VDDA) & 0x3ffff;
   sb->hini =
      start_position(gr2d->sim, gr2d_reg(gr2d, GR2D_HDDAINILS), sb->hdda);
   sb->vini =
      start_position(gr2d->sim, gr2d_reg(gr2d, GR2D_VDDAINI), sb->vdda);
   sb->hftype = control >> GR2D_CONTROLSB_HFTYPE__SHIFT & 7;
   sb->vftype = control >> GR2D_CONTROLSB_VFTYPE__SHIFT & 3;
   sb->vfen = control & GR2D_CONTROLSB_VFEN__MASK;
   sb->convert = !(control & GR2D_CONTROLSB_DISCSC__MASK);
   sb->yflip =
      gr2d_reg(gr2d, GR2D_CONTROLMAIN) & GR2D_CONTROLMAIN_YFLIP__MASK;
   if (sb->convert)
      read_matrix(sb);
   if (sb->planar) {
      unsigned uvst = control >> GR2D_CONTROLSB_UVST__SHIFT & 3;
      uint32_t pitch = uvst == 3   ? gr2d_reg(gr2d, GR2D_UVSTRIDE) & 0xffff
                       : uvst == 2 ? sb->src.pitch / 4
                       : uvst == 1 ? sb->src.pitch
                                   : sb->src.pitch / 2;
      sb->u_plane = plane(gr2d, GR2D_UBA, pitch, "U plane");
      sb->v_plane = plane(gr2d, GR2D_VBA, pitch, "V plane");
   }
   return true;
}

static void
check_stretch(struct stretch *sb)
{
   struct sim *sim = sb->gr2d->sim;
   if (!sb->hdda || !sb->vdda)
      sim_report(sim, SIM_DIAG_G2_SCALE, GR2D_HDDA, -1,
                 "stretch blit with step 0");
   if (sb->hftype != 7 && sb->hftype != 0)
      sim_report(sim, SIM_DIAG_G2_UNPROVEN, GR2D_CONTROLSB, -1,
                 "low-pass filter %u is only approximated (A72)", sb->hftype);
   if (sb->vfen && sb->vftype)
      sim_report(sim, SIM_DIAG_G2_UNPROVEN, GR2D_CONTROLSB, -1,
                 "vertical filter %u is only approximated (A72)", sb->vftype);
   const uint32_t both =
      GR2D_CONTROLMAIN_SRCDIR__MASK | GR2D_CONTROLMAIN_DSTDIR__MASK;
   if ((gr2d_reg(sb->gr2d, GR2D_CONTROLMAIN) & both) != both)
      sim_report(sim, SIM_DIAG_G2_UNPROVEN, GR2D_CONTROLMAIN, -1,
                 "stretch blit without SRCDIR and DSTDIR was never seen");
   if (gr2d_reg(sb->gr2d, GR2D_SRCBA_SB_SURFBASE) != sb->src.base ||
       gr2d_reg(sb->gr2d, GR2D_DSTBA_SB_SURFBASE) != sb->dst.base)
      sim_report(sim, SIM_DIAG_G2_UNPROVEN, GR2D_SRCBA_SB_SURFBASE, -1,
                 "the surface base registers 0x48 and 0x49 differ from 0x31 "
                 "and 0x2b");
}

static int
chroma_value(unsigned format, uint8_t byte)
{
   return format >= 4 ? (int8_t)byte : byte - 128;
}

static struct colour
fetch_yuv(struct stretch *sb, uint32_t x, uint32_t y)
{
   struct colour colour = { .c = { 0, 0, 0, 255 } };
   uint8_t bytes[4];
   if (sb->planar) {
      gr2d_read(sb->gr2d, &sb->src, x, y, &bytes[0], 1);
      gr2d_read(sb->gr2d, &sb->u_plane, x / 2, y / 2, &bytes[1], 1);
      gr2d_read(sb->gr2d, &sb->v_plane, x / 2, y / 2, &bytes[2], 1);
      colour.c[1] = bytes[0];
      colour.c[2] = bytes[1] - 128;
      colour.c[0] = bytes[2] - 128;
      return colour;
   }
   /* Byte positions of Y (first pixel), U and V in a pair of pixels. */
   static const uint8_t layout[4][3] = {
      { 1, 0, 2 }, { 0, 1, 3 }, { 0, 3, 1 }, { 1, 2, 0 }
   };
   const uint8_t *order = layout[sb->src_format & 3];
   gr2d_read(sb->gr2d, &sb->src, (x & ~1u) * 2, y, bytes, 4);
   colour.c[1] = bytes[order[0] + 2 * (x & 1)];
   colour.c[2] = chroma_value(sb->src_format, bytes[order[1]]);
   colour.c[0] = chroma_value(sb->src_format, bytes[order[2]]);
   return colour;
}

static int
expand(unsigned value, unsigned bits)
{
   return (int)((value << (8 - bits)) | value >> (2 * bits - 8));
}

static struct colour
fetch_pixel(struct stretch *sb, uint32_t x, uint32_t y)
{
   if (is_yuv(sb->src_format))
      return fetch_yuv(sb, x, y);
   uint8_t b[4];
   gr2d_read(sb->gr2d, &sb->src, x * sb->src_cpp, y, b, sb->src_cpp);
   if (sb->src_cpp == 2) {
      unsigned word =
         sb->src_format == SB_RGB565 ? b[0] | b[1] << 8 : b[1] | b[0] << 8;
      return (struct colour){ .c = { expand(word >> 11, 5),
                                     expand(word >> 5 & 63, 6),
                                     expand(word & 31, 5), 255 } };
   }
   if (sb->src_format == SB_RGBA8888)
      return (struct colour){ .c = { b[0], b[1], b[2], b[3] } };
   return (struct colour){ .c = { b[2], b[1], b[0], b[3] } };
}

/* Line y, clamped to one beyond the rectangle; lines stay decoded while they
 * are in use. */
static const struct colour *
fetch_line(struct stretch *sb, uint64_t number)
{
   uint32_t y =
      number > sb->src_height + 1 ? sb->src_height + 1 : (uint32_t)number;
   unsigned way = y & 1;
   if (sb->line_number[way] != y) {
      for (uint32_t x = 0; x < sb->line_length; x++)
         sb->line[way][x] = fetch_pixel(sb, x, y);
      sb->line_number[way] = y;
   }
   return sb->line[way];
}

static struct colour
pixel(const struct stretch *sb, const struct colour *line, uint64_t x)
{
   return line[x < sb->line_length ? x : sb->line_length - 1];
}

/* a (4096 - f) + b f, rounded. */
static struct colour
mix(struct colour a, struct colour b, uint32_t f)
{
   struct colour out;
   for (unsigned c = 0; c < 4; c++)
      out.c[c] = (a.c[c] * (int)(4096 - f) + b.c[c] * (int)f + 2048) >> 12;
   return out;
}

static struct colour
sample_row(const struct stretch *sb, const struct colour *line, uint64_t x)
{
   uint64_t first = x >> 12;
   uint32_t f = x & 4095;
   if (sb->hftype == 7 || (sb->hftype == 0 && !f))
      return pixel(sb, line, first);
   if (sb->hftype == 0)
      return mix(pixel(sb, line, first), pixel(sb, line, first + 1), f);
   uint32_t n = (sb->hdda + 4095) >> 12;
   n = n ? n : 1;
   struct colour sum = { { 0 } };
   for (uint32_t k = 0; k < n; k++) {
      struct colour colour = pixel(sb, line, first + k);
      for (unsigned c = 0; c < 4; c++)
         sum.c[c] += colour.c[c];
   }
   for (unsigned c = 0; c < 4; c++)
      sum.c[c] = sum.c[c] >= 0 ? (sum.c[c] + (int)n / 2) / (int)n
                               : -((-sum.c[c] + (int)n / 2) / (int)n);
   return sum;
}

/* Weight of the second of two lines, of 4096. */
static uint32_t
vertical_weight(const struct stretch *sb, uint64_t y)
{
   if (!sb->vfen)
      return 0;
   switch (sb->vftype) {
   case 0:
      return y & 4095;
   case 1:
      return 1024;
   default:
      return 2048;
   }
}

static int
clamp8(int v)
{
   return v < 0 ? 0 : v > 255 ? 255 : v;
}

/* Coefficients have seven fraction bits; "U" is blue, "V" red and "Y" green
 * for RGB sources. */
static struct colour
converted(const struct stretch *sb, struct colour in)
{
   if (!sb->convert)
      return in;
   int y = in.c[1], u = in.c[2], v = in.c[0];
   struct colour out = in;
   if (is_yuv(sb->src_format)) {
      int luma = sb->cyx * (y + sb->yos) + 64;
      out.c[0] = (luma + sb->cur * u + sb->cvr * v) >> 7;
      out.c[1] = (luma + sb->cug * u + sb->cvg * v) >> 7;
      out.c[2] = (luma + sb->cub * u + sb->cvb * v) >> 7;
   } else {
      out.c[0] = (sb->cvr * v + 64) >> 7;
      out.c[1] = (sb->cyx * (y + sb->yos) + 64) >> 7;
      out.c[2] = (sb->cub * u + 64) >> 7;
   }
   return out;
}

static void
store(struct stretch *sb, uint32_t i, uint32_t j, struct colour colour)
{
   uint8_t bytes[4];
   int r = clamp8(colour.c[0]), g = clamp8(colour.c[1]),
       b = clamp8(colour.c[2]), a = clamp8(colour.c[3]);
   if (sb->dst_cpp == 2) {
      unsigned word = (unsigned)(r >> 3 << 11 | g >> 2 << 5 | b >> 3);
      bytes[sb->dst_format == SB_RGB565 ? 0 : 1] = word & 0xff;
      bytes[sb->dst_format == SB_RGB565 ? 1 : 0] = word >> 8;
   } else {
      bytes[sb->dst_format == SB_RGBA8888 ? 0 : 2] = r;
      bytes[1] = g;
      bytes[sb->dst_format == SB_RGBA8888 ? 2 : 0] = b;
      bytes[3] = a;
   }
   gr2d_write_bytes(sb->gr2d, &sb->dst, i * sb->dst_cpp,
                    sb->yflip ? 0u - j : j, bytes, sb->dst_cpp);
}

/* Memory for the two lines: what the last column needs, at most the rectangle
 * and one pixel more. */
static bool
allocate_lines(struct stretch *sb, uint32_t columns)
{
   uint64_t needed = ((sb->hini + (uint64_t)columns * sb->hdda) >> 12) + 66;
   sb->line_length =
      needed < sb->src_width + 2 ? (uint32_t)needed : sb->src_width + 2;
   struct colour *lines = (struct colour *)gr2d_scratch(
      sb->gr2d, 2 * sb->line_length * sizeof(*lines));
   if (!lines)
      return false;
   sb->line[0] = lines;
   sb->line[1] = lines + sb->line_length;
   sb->line_number[0] = sb->line_number[1] = ~0u;
   return true;
}

void
gr2d_stretch_blit(struct gr2d *gr2d)
{
   struct stretch sb;
   if (!read_stretch(gr2d, &sb))
      return;
   check_stretch(&sb);
   const unsigned sizes = sim_switch(gr2d->sim, 71);
   uint32_t columns = sb.dst_width + (sizes == 1),
            lines = sb.dst_height + (sizes != 2);
   if (!gr2d_size_ok(gr2d, columns, lines) || !allocate_lines(&sb, columns))
      return;
   for (uint32_t j = 0; j < lines; j++) {
      uint64_t y = sb.vini + (uint64_t)j * sb.vdda;
      uint32_t weight = vertical_weight(&sb, y);
      const struct colour *first = fetch_line(&sb, y >> 12);
      const struct colour *second =
         weight ? fetch_line(&sb, (y >> 12) + 1) : first;
      for (uint32_t i = 0; i < columns; i++) {
         uint64_t x = sb.hini + (uint64_t)i * sb.hdda;
         struct colour colour = sample_row(&sb, first, x);
         if (weight)
            colour = mix(colour, sample_row(&sb, second, x), weight);
         store(&sb, i, j, converted(&sb, colour));
      }
   }
}

/* --- fast rotate --- */

/* Source pixel of destination pixel (x, y); w and h are those of the source.
 */
static void
rotated(unsigned type, uint32_t w, uint32_t h, uint32_t x, uint32_t y,
        uint32_t *sx, uint32_t *sy)
{
   switch (type) {
   case 0: /* FLIP_X */
      *sx = w - 1 - x;
      *sy = y;
      break;
   case 1: /* FLIP_Y */
      *sx = x;
      *sy = h - 1 - y;
      break;
   case 2: /* TRANS_LR */
      *sx = y;
      *sy = x;
      break;
   case 3: /* TRANS_RL */
      *sx = w - 1 - y;
      *sy = h - 1 - x;
      break;
   case 4: /* ROT_90: source = [0 -1; 1 0] destination */
      *sx = w - 1 - y;
      *sy = x;
      break;
   case 5: /* ROT_180 */
      *sx = w - 1 - x;
      *sy = h - 1 - y;
      break;
   case 6: /* ROT_270: source = [0 1; -1 0] destination */
      *sx = y;
      *sy = h - 1 - x;
      break;
   default: /* IDENTITY */
      *sx = x;
      *sy = y;
      break;
   }
}

static void
check_rotate(struct gr2d *gr2d, const struct gr2d_surface *src,
             const struct gr2d_surface *dst, unsigned mode, unsigned cpp,
             uint32_t w, uint32_t h)
{
   if (src->base % 16 || dst->base % 16)
      sim_report(gr2d->sim, SIM_DIAG_G2_ALIGNMENT, GR2D_SRCBA, -1,
                 "fast rotate: bases 0x%08x, 0x%08x are not multiples of 16",
                 src->base, dst->base);
   if (w * cpp % 16 || h * cpp % 16)
      sim_report(
         gr2d->sim, SIM_DIAG_G2_ALIGNMENT, GR2D_SRCSIZE, -1,
         "fast rotate of %ux%u pixels: sides must be multiples of 16 bytes",
         w, h);
   if (w > 4096 || h > 4096)
      sim_report(gr2d->sim, SIM_DIAG_G2_ALIGNMENT, GR2D_SRCSIZE, -1,
                 "fast rotate of %ux%u pixels: sides are at most 4096", w, h);
   if (mode == 2 && w != h)
      sim_report(gr2d->sim, SIM_DIAG_G2_OPERATION, GR2D_CONTROLSECOND, -1,
                 "fast rotate in place of %ux%u, not a square", w, h);
   if (mode == 3)
      sim_report(gr2d->sim, SIM_DIAG_G2_OPERATION, GR2D_CONTROLSECOND, -1,
                 "fast rotate mode 3 (blank) is not documented");
}

/*
 * The source is read completely first, so "in place" needs no order.  The
 * chip works on blocks of 16 bytes; sizes that do not fill them are reported
 * and handled exactly here.
 */
void
gr2d_fast_rotate(struct gr2d *gr2d)
{
   uint32_t second = gr2d_reg(gr2d, GR2D_CONTROLSECOND),
            size = gr2d_reg(gr2d, GR2D_SRCSIZE);
   unsigned mode = second >> GR2D_CONTROLSECOND_FR_MODE__SHIFT & 3,
            type = second >> GR2D_CONTROLSECOND_FR_TYPE__SHIFT & 7;
   unsigned cpp = gr2d_pixel_size(gr2d);
   if (!cpp)
      return;
   struct gr2d_surface src = gr2d_source(gr2d),
                       dst = mode == 2 ? src : gr2d_destination(gr2d);
   if (mode == 2)
      dst.tiled =
         gr2d_reg(gr2d, GR2D_TILEMODE) & GR2D_TILEMODE_DESTINATION_20__MASK;
   uint32_t w = (size & 0x7fff) + 1, h = (size >> 16 & 0x7fff) + 1;
   check_rotate(gr2d, &src, &dst, mode, cpp, w, h);
   if (mode == 3)
      return;
   if (w > 4096 || h > 4096)
      return;
   uint8_t *pixels = gr2d_scratch(gr2d, (size_t)w * h * cpp);
   if (!pixels)
      return;
   for (uint32_t y = 0; y < h; y++)
      gr2d_read(gr2d, &src, 0, y, pixels + (size_t)y * w * cpp, w * cpp);
   if ((type == 2 || type == 3) && sim_switch(gr2d->sim, 81) == 1)
      type ^= 1;
   bool transposed = type == 2 || type == 3 || type == 4 || type == 6;
   uint32_t dst_w = transposed ? h : w, dst_h = transposed ? w : h;
   uint8_t row[4096 * 4];
   for (uint32_t y = 0; y < dst_h; y++) {
      for (uint32_t x = 0; x < dst_w; x++) {
         uint32_t sx, sy;
         rotated(type, w, h, x, y, &sx, &sy);
         memcpy(row + x * cpp, pixels + ((size_t)sy * w + sx) * cpp, cpp);
      }
      gr2d_write_bytes(gr2d, &dst, 0, y, row, dst_w * cpp);
   }
}
