/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Composition of the three windows of a display controller
 * (kernel-interface.md 8.1, 8.2): formats, tiles, directions, scaling, colour
 * space, blending by weight and by alpha.
 *
 * Scaling takes the nearest pixel: the coefficients of the filters are not
 * used.
 */

#include <stdbool.h>
#include <string.h>

#include "scanout.h"

/* WIN_OPTIONS */
#define H_DIRECTION (1u << 0)
#define V_DIRECTION (1u << 2)
#define CSC_ENABLE (1u << 18)
#define WIN_ENABLE (1u << 30)

/* WIN_COLOR_DEPTH: the first component is the lowest one. */
enum color_depth {
   DEPTH_B4G4R4A4 = 4,
   DEPTH_B5G5R5A1 = 5,
   DEPTH_B5G6R5 = 6,
   DEPTH_A1B5G5R5 = 7,
   DEPTH_B8G8R8A8 = 12,
   DEPTH_R8G8B8A8 = 13,
   DEPTH_YCBCR422 = 16,
   DEPTH_YUV422 = 17,
   DEPTH_YCBCR420P = 18,
   DEPTH_YUV420P = 19,
   DEPTH_YCBCR422P = 20,
   DEPTH_YUV422P = 21,
};

#define BYTE_SWAP_PAIRS 1 /* WIN_BYTE_SWAP: within 16 bits */

/* WIN_BUFFER_ADDR_MODE */
#define MODE_TILED (1u << 0)
#define MODE_TILED_UV (1u << 16)

/* BLEND_... */
#define BLEND_CONTROL(value) ((value) >> 2 & 3)
#define CONTROL_ALPHA 1
#define CONTROL_DEPENDENT 2
#define BLEND_WEIGHT0(value) ((value) >> 8 & 0xff)

struct pixel {
   int r, g, b, a; /* 0..255 */
};

struct source {
   const uint8_t *memory;
   size_t size;
};

unsigned
scanout_width(const struct vm_display *display)
{
   return display->on ? display->active & 0x1fff : 0;
}

unsigned
scanout_height(const struct vm_display *display)
{
   return display->on ? display->active >> 16 & 0x1fff : 0;
}

/* --- one window --- */

/* A tile is 16 bytes by 16 rows. */
static uint32_t
offset_of(uint32_t x, uint32_t y, uint32_t stride, bool tiled)
{
   if (!tiled)
      return y * stride + x;
   return (y / 16) * stride * 16 + (x / 16) * 256 + (y % 16) * 16 + x % 16;
}

/* Up to four bytes, the lowest first. */
static uint32_t
fetch(const struct source *source, uint32_t address, unsigned bytes)
{
   uint32_t value = 0;
   if (address < source->size && bytes <= source->size - address)
      memcpy(&value, source->memory + address, bytes);
   return value;
}

static int
expand(uint32_t value, unsigned shift, unsigned bits)
{
   uint32_t max = (1u << bits) - 1;
   return (value >> shift & max) * 255 / max;
}

static bool
is_planar(uint32_t depth)
{
   return depth >= DEPTH_YCBCR420P && depth <= DEPTH_YUV422P;
}

static unsigned
bytes_per_pixel(uint32_t depth)
{
   switch (depth) {
   case DEPTH_B8G8R8A8:
   case DEPTH_R8G8B8A8:
      return 4;
   case DEPTH_B4G4R4A4:
   case DEPTH_B5G5R5A1:
   case DEPTH_B5G6R5:
   case DEPTH_A1B5G5R5:
   case DEPTH_YCBCR422:
   case DEPTH_YUV422:
      return 2;
   default:
      return is_planar(depth) ? 1 : 0;
   }
}

static struct pixel
unpack(uint32_t depth, uint32_t v)
{
   switch (depth) {
   case DEPTH_B4G4R4A4:
      return (struct pixel){ expand(v, 8, 4), expand(v, 4, 4),
                             expand(v, 0, 4), expand(v, 12, 4) };
   case DEPTH_B5G5R5A1:
      return (struct pixel){ expand(v, 10, 5), expand(v, 5, 5),
                             expand(v, 0, 5), expand(v, 15, 1) };
   case DEPTH_B5G6R5:
      return (struct pixel){ expand(v, 11, 5), expand(v, 5, 6),
                             expand(v, 0, 5), 255 };
   case DEPTH_A1B5G5R5:
      return (struct pixel){ expand(v, 11, 5), expand(v, 6, 5),
                             expand(v, 1, 5), expand(v, 0, 1) };
   case DEPTH_R8G8B8A8:
      return (struct pixel){ v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff,
                             v >> 24 };
   default:
      return (struct pixel){ v >> 16 & 0xff, v >> 8 & 0xff, v & 0xff,
                             v >> 24 };
   }
}

static int
sign_extend(uint32_t value, unsigned bits)
{
   return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static int
clamp(int value)
{
   return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* Coefficients have 8 bits behind the point. */
static struct pixel
to_rgb(const struct vm_window *window, int y, int u, int v)
{
   const uint32_t *csc = window->csc;
   int luma = (y + sign_extend(csc[0] & 0xff, 8)) * (int)(csc[1] & 0x3ff);
   u -= 128;
   v -= 128;
   return (struct pixel){
      clamp((luma + u * sign_extend(csc[2], 11) +
             v * sign_extend(csc[3], 11) + 128) >>
            8),
      clamp((luma + u * sign_extend(csc[4], 10) +
             v * sign_extend(csc[5], 10) + 128) >>
            8),
      clamp((luma + u * sign_extend(csc[6], 11) +
             v * sign_extend(csc[7], 11) + 128) >>
            8),
      255,
   };
}

/* x: in pixels, y: in rows of the surface. */
static struct pixel
yuv_at(const struct source *source, const struct vm_window *window,
       uint32_t x, uint32_t y)
{
   uint32_t stride = window->line_stride & 0xffff;
   bool tiled = window->address_mode & MODE_TILED;
   int luma, u, v;
   if (is_planar(window->color_depth)) {
      uint32_t stride_uv = window->line_stride >> 16;
      bool tiled_uv = window->address_mode & MODE_TILED_UV;
      uint32_t rows = window->color_depth <= DEPTH_YUV420P ? y / 2 : y;
      uint32_t offset = offset_of(x / 2, rows, stride_uv, tiled_uv);
      luma =
         fetch(source, window->start[0] + offset_of(x, y, stride, tiled), 1);
      u = fetch(source, window->start[1] + offset, 1);
      v = fetch(source, window->start[2] + offset, 1);
   } else {
      uint32_t pair = fetch(
         source,
         window->start[0] + offset_of((x & ~1u) * 2, y, stride, tiled), 4);
      if (window->byte_swap == BYTE_SWAP_PAIRS)
         pair = (pair & 0x00ff00ff) << 8 | (pair >> 8 & 0x00ff00ff);
      u = pair & 0xff;
      luma = x & 1 ? pair >> 24 : pair >> 8 & 0xff;
      v = pair >> 16 & 0xff;
   }
   return to_rgb(window, luma, u, v);
}

/* The window's pixel at a position relative to its corner. */
static struct pixel
window_pixel(const struct source *source, const struct vm_window *window,
             unsigned x, unsigned y)
{
   unsigned bytes = bytes_per_pixel(window->color_depth);
   if (!bytes)
      return (struct pixel){ 0, 0, 0, 255 };
   uint32_t dx = (window->h_initial_dda +
                  (uint64_t)x * (window->dda_increment & 0xffff)) >>
                 12;
   uint32_t dy =
      (window->v_initial_dda + (uint64_t)y * (window->dda_increment >> 16)) >>
      12;
   uint32_t column = window->h_offset / bytes;
   column += window->options & H_DIRECTION ? -dx : dx;
   uint32_t row = window->v_offset;
   row += window->options & V_DIRECTION ? -dy : dy;
   if (window->options & CSC_ENABLE)
      return yuv_at(source, window, column, row);
   uint32_t offset =
      offset_of(column * bytes, row, window->line_stride & 0xffff,
                window->address_mode & MODE_TILED);
   return unpack(window->color_depth,
                 fetch(source, window->start[0] + offset, bytes));
}

static bool
covers(const struct vm_window *window, unsigned x, unsigned y)
{
   unsigned left = window->position & 0x1fff;
   unsigned top = window->position >> 16 & 0x1fff;
   return (window->options & WIN_ENABLE) && x >= left && y >= top &&
          x - left < (window->size & 0x1fff) &&
          y - top < (window->size >> 16 & 0x1fff);
}

/* --- all windows --- */

/* X is the overlap with the first of the other windows, Y with the second. */
static uint32_t
blend_register(const struct vm_window *windows, unsigned index,
               unsigned covered)
{
   const struct vm_window *window = &windows[index];
   unsigned first = index == 0 ? 1 : 0, second = index == 2 ? 1 : 2;
   bool with_first = covered & 1u << first;
   bool with_second = covered & 1u << second;
   return with_first && with_second ? window->blend_3win_xy
          : with_first              ? window->blend_2win_x
          : with_second             ? window->blend_2win_y
                                    : window->blend_1win;
}

static void
blend(const struct vm_display *display, const struct pixel *pixels,
      unsigned covered, uint8_t *rgba)
{
   int weights[VM_NUM_WINDOWS] = { 0 }, sum = 0, r = 0, g = 0, b = 0;
   unsigned dependent = 0;
   for (unsigned i = 0; i < VM_NUM_WINDOWS; i++) {
      if (!(covered & 1u << i))
         continue;
      uint32_t value = blend_register(display->windows, i, covered);
      if (BLEND_CONTROL(value) == CONTROL_DEPENDENT)
         dependent |= 1u << i;
      else if (BLEND_CONTROL(value) == CONTROL_ALPHA)
         weights[i] = pixels[i].a;
      else
         weights[i] = BLEND_WEIGHT0(value);
      sum += weights[i];
   }
   for (unsigned i = 0; i < VM_NUM_WINDOWS; i++) {
      int weight = dependent & 1u << i ? clamp(255 - sum) : weights[i];
      r += weight * pixels[i].r;
      g += weight * pixels[i].g;
      b += weight * pixels[i].b;
   }
   rgba[0] = clamp((r + 127) / 255);
   rgba[1] = clamp((g + 127) / 255);
   rgba[2] = clamp((b + 127) / 255);
}

void
scanout_compose(const uint8_t *memory, size_t size,
                const struct vm_display *display, uint8_t *rgba)
{
   const struct source source = { memory, size };
   unsigned width = scanout_width(display), height = scanout_height(display);
   for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width; x++, rgba += 4) {
         struct pixel pixels[VM_NUM_WINDOWS] = { { 0 } };
         unsigned covered = 0;
         for (unsigned i = 0; i < VM_NUM_WINDOWS; i++) {
            const struct vm_window *window = &display->windows[i];
            if (!covers(window, x, y))
               continue;
            covered |= 1u << i;
            pixels[i] =
               window_pixel(&source, window, x - (window->position & 0x1fff),
                            y - (window->position >> 16 & 0x1fff));
         }
         if (covered) {
            blend(display, pixels, covered, rgba);
         } else {
            rgba[0] = display->border & 0xff;
            rgba[1] = display->border >> 8 & 0xff;
            rgba[2] = display->border >> 16 & 0xff;
         }
         rgba[3] = 255;
      }
   }
}
