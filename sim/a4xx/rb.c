/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The render backend: alpha, stencil and depth test, blending, logic
 * operations, masks, up to eight targets in GMEM or in memory, and the copy
 * from the one to the other.
 *
 * GMEM holds pixels as memory does, by rows or by tiles.  Its first pixel is
 * that at RB_BIN_OFFSET when RB_MODE_CONTROL has ENABLE_GMEM; freedreno's
 * restores draw into GMEM without.
 */

#include <math.h>
#include <string.h>

#include "util/format_srgb.h"

#include "numbers.h"
#include "raster.h"

/* RB_MODE_CONTROL */
#define MODE_WIDTH(word) (((word)&0x3f) * 32)
#define MODE_BINS (1u << 16)
/* RB_MRT_CONTROL */
#define CONTROL_BLEND (1u << 4)
#define CONTROL_BLEND_2 (1u << 5)
#define CONTROL_ROP (1u << 6)
#define CONTROL_ROP_CODE(word) ((word) >> 8 & 15)
#define CONTROL_COMPONENTS(word) ((word) >> 24 & 15)
/* RB_MRT_BUF_INFO */
#define INFO_FORMAT(word) ((word)&0x3f)
#define INFO_SWAP(word) ((word) >> 11 & 3)
#define INFO_DITHER(word) ((word) >> 9 & 3)
#define INFO_SRGB (1u << 13)
#define INFO_PITCH(word) ((word) >> 14 << 4)
/* RB_ALPHA_CONTROL */
#define ALPHA_TEST (1u << 8)
/* RB_DEPTH_CONTROL */
#define DEPTH_TEST (1u << 1)
#define DEPTH_WRITE (1u << 2)
#define DEPTH_CLAMP (1u << 7)
#define DEPTH_LATE (1u << 16)
/* RB_STENCIL_CONTROL */
#define STENCIL_TEST (1u << 0)
#define STENCIL_TEST_BACK (1u << 1)
/* SP_FS_OUTPUT_REG, SP_FS_MRT */
#define OUTPUT_TARGETS(word) ((word)&15)
#define OUTPUT_DEPTH (1u << 7)
#define MRT_REG(word) ((word)&0xff)
#define MRT_HALF (1u << 8)
#define MRT_SINT (1u << 10)
#define MRT_UINT (1u << 11)

enum { DEPTH_NONE, DEPTH_16, DEPTH_24_8, DEPTH_32 };

bool
rb_in_memory(const struct a4xx *chip)
{
   static const uint32_t bits[] = {
      [A4XX_BITS_BOTH] = 3u << 22,
      [A4XX_BIT_22] = 1u << 22,
      [A4XX_BIT_23] = 1u << 23,
   };
   const uint32_t wanted = bits[chip->options.profile.memory_bits];
   return (a4xx_reg(chip, RB_MODE_CONTROL) & wanted) == wanted;
}

/* --- surfaces --- */

#define TILE 4 /* pixels, both ways (U11) */

/* Where a pixel lies in its surface: the sum of these. */
static uint64_t
place_of_row(const struct surface *surface, unsigned y)
{
   if (!surface->tiled)
      return (uint64_t)y * surface->pitch;
   return (uint64_t)(y & -TILE) * surface->pitch +
          y % TILE * TILE * (uint64_t)surface->bytes;
}

static uint64_t
place_of_column(const struct surface *surface, unsigned x)
{
   if (surface->tiled)
      x = (x & -TILE) * TILE + x % TILE;
   return (uint64_t)x * surface->bytes;
}

/* Bytes of a surface whose last pixel is that. */
static uint64_t
end_of(const struct surface *surface, unsigned x, unsigned y)
{
   if (surface->tiled)
      x |= TILE - 1, y |= TILE - 1;
   return place_of_row(surface, y) + place_of_column(surface, x) +
          surface->bytes;
}

/* The surface's part below the area, or none with a diagnostic. */
static bool
find_surface(struct a4xx *chip, bool memory, uint32_t address,
             const struct rectangle *area, struct surface *surface)
{
   const uint32_t bin = a4xx_reg(chip, RB_BIN_OFFSET);
   const struct a4xx_profile *profile = &chip->options.profile;
   const bool bins = !memory && !rb_in_memory(chip) &&
                     (a4xx_reg(chip, RB_MODE_CONTROL) & MODE_BINS ||
                      profile->bin_offset == A4XX_OFFSET_ALWAYS);
   surface->x = bins ? bin & 0x7fff : 0;
   surface->y = bins ? bin >> 16 & 0x7fff : 0;
   surface->tiled = !memory && profile->gmem_layout == A4XX_GMEM_TILES;
   surface->data = NULL;
   const uint64_t end =
      end_of(surface, area->x1 - 1 - surface->x, area->y1 - 1 - surface->y);
   if (area->x0 >= surface->x && area->y0 >= surface->y &&
       end <= UINT32_MAX) {
      if (memory)
         surface->data = a4xx_memory(chip, address, end);
      else if (address + end <= A4XX_GMEM_BYTES)
         surface->data = chip->gmem + address;
   }
   if (!surface->data)
      a4xx_diag(chip, A4XX_DIAG_TARGET,
                "a target at 0x%08x of %s, pitch %u, has no pixel (%d, %d)",
                address, memory ? "memory" : "GMEM", surface->pitch,
                area->x1 - 1, area->y1 - 1);
   return surface->data;
}

static uint8_t *
pixel(const struct surface *surface, int x, int y)
{
   return surface->data + place_of_row(surface, y - surface->y) +
          place_of_column(surface, x - surface->x);
}

/* --- set-up --- */

static void
describe_format(struct target *target)
{
   const struct util_format_description *desc =
      util_format_description(target->format);
   const int first = util_format_get_first_non_void_channel(target->format);
   target->integer = util_format_is_pure_integer(target->format);
   target->is_signed = desc->channel[first].type == UTIL_FORMAT_TYPE_SIGNED;
   target->normalized = desc->channel[first].normalized;
   target->bytes = target->format == PIPE_FORMAT_R8G8B8A8_UNORM ||
                   target->format == PIPE_FORMAT_B8G8R8A8_UNORM;
   target->red = target->format == PIPE_FORMAT_B8G8R8A8_UNORM ? 2 : 0;
   target->blue = 2 - target->red;
   target->surface.bytes = util_format_get_blocksize(target->format);
}

static bool
begin_target(struct a4xx *chip, unsigned i, const struct rectangle *area,
             struct target *target)
{
   const unsigned reg = RB_MRT_CONTROL + i * 5;
   const uint32_t info = a4xx_reg(chip, reg + 1);
   const uint32_t components = a4xx_reg(chip, RB_RENDER_COMPONENTS);
   target->control = a4xx_reg(chip, reg);
   target->blend = a4xx_reg(chip, reg + 4);
   target->mask =
      CONTROL_COMPONENTS(target->control) & (components >> i * 4 & 15);
   if (!target->mask)
      return true;
   target->format = rb_format(INFO_FORMAT(info), INFO_SWAP(info));
   if (info & INFO_SRGB && target->format)
      target->format = util_format_srgb(target->format);
   if (!target->format) {
      a4xx_diag(chip, A4XX_DIAG_TARGET,
                "target %u has format 0x%02x with swap %u, which nothing "
                "describes",
                i, INFO_FORMAT(info), INFO_SWAP(info));
      return false;
   }
   if (INFO_DITHER(info))
      a4xx_diag(chip, A4XX_DIAG_UNKNOWN_VALUE,
                "target %u is dithered, which is not modelled", i);
   describe_format(target);
   target->surface.pitch = INFO_PITCH(info);
   return find_surface(chip, rb_in_memory(chip), a4xx_reg(chip, reg + 2),
                       area, &target->surface);
}

static bool
begin_depth(struct a4xx *chip, const struct rectangle *area,
            struct render *render)
{
   const uint32_t info = a4xx_reg(chip, RB_DEPTH_INFO);
   const uint32_t stencil = a4xx_reg(chip, RB_STENCIL_INFO);
   const unsigned format = info & 3;
   if (format == DEPTH_NONE)
      return true;
   if (rb_in_memory(chip)) {
      a4xx_diag(chip, A4XX_DIAG_BYPASS,
                "depth or stencil test in a draw to memory: their buffer is "
                "in GMEM");
      if (chip->options.profile.memory_depth == A4XX_DEPTH_NONE)
         return true;
   }
   render->depth_format = format;
   render->depth.bytes = format == DEPTH_16 ? 2 : 4;
   render->depth.pitch = a4xx_reg(chip, RB_DEPTH_PITCH) << 5;
   if (!find_surface(chip, false, info & ~0xfffu, area, &render->depth))
      return false;
   if (format == DEPTH_24_8) {
      /* The upper byte of each word. */
      render->stencil = render->depth;
      render->stencil.data += 3;
   } else if (stencil & 1) {
      render->stencil.bytes = 1;
      render->stencil.pitch = a4xx_reg(chip, RB_STENCIL_PITCH) << 5;
      return find_surface(chip, false, stencil & ~0xfffu, area,
                          &render->stencil);
   }
   return true;
}

static void
get_depth_range(const struct a4xx *chip, struct render *render)
{
   const uint32_t low = a4xx_reg(chip, RB_VPORT_Z_CLAMP);
   const uint32_t high = a4xx_reg(chip, RB_VPORT_Z_CLAMP + 1);
   const float steps = render->depth_format == DEPTH_16 ? 0xffff : 0xffffff;
   render->z_min = 0;
   render->z_max = 1;
   if (!(render->depth_control & DEPTH_CLAMP))
      return;
   if (render->depth_format == DEPTH_32) {
      render->z_min = sim_float_from_bits(low);
      render->z_max = sim_float_from_bits(high);
   } else {
      render->z_min = A4XX_MIN(low / steps, 1);
      render->z_max = A4XX_MIN(high / steps, 1);
   }
}

bool
rb_begin(struct a4xx *chip, const struct rectangle *area,
         struct render *render)
{
   const uint32_t output = a4xx_reg(chip, SP_FS_OUTPUT_REG);
   render->chip = chip;
   render->alpha_control = a4xx_reg(chip, RB_ALPHA_CONTROL);
   render->depth_control = a4xx_reg(chip, RB_DEPTH_CONTROL);
   render->stencil_control = a4xx_reg(chip, RB_STENCIL_CONTROL);
   render->late = render->depth_control & DEPTH_LATE ||
                  render->alpha_control & ALPHA_TEST || output & OUTPUT_DEPTH;
   for (unsigned i = 0; i < 2; i++)
      render->reference[i] = a4xx_reg(chip, RB_STENCILREFMASK + i);
   for (unsigned c = 0; c < 4; c++)
      render->constant[c] =
         sim_float_from_bits(a4xx_reg(chip, RB_BLEND_RED + c * 2 + 1));
   const bool tests = render->depth_control & DEPTH_TEST ||
                      render->stencil_control & STENCIL_TEST;
   if (tests && !begin_depth(chip, area, render))
      return false;
   get_depth_range(chip, render);
   render->num_targets = A4XX_MIN(OUTPUT_TARGETS(output), MAX_TARGETS);
   for (unsigned i = 0; i < render->num_targets; i++) {
      if (!begin_target(chip, i, area, &render->targets[i]))
         return false;
   }
   return true;
}

/* --- tests --- */

static bool
compare(unsigned function, double a, double b)
{
   /* Less, equal, greater. */
   return (function & 1 && a < b) || (function & 2 && a == b) ||
          (function & 4 && a > b);
}

static uint8_t
stencil_operation(unsigned operation, uint8_t value, uint8_t reference)
{
   switch (operation) {
   case 1:
      return 0;
   case 2:
      return reference;
   case 3:
      return value + (value < 255);
   case 4:
      return value - (value > 0);
   case 5:
      return ~value;
   case 6:
      return value + 1;
   case 7:
      return value - 1;
   default:
      return value;
   }
}

/* Passes where the depth test passed; depth counts only then. */
static bool
stencil_test(const struct render *render, uint8_t *stencil, bool back,
             bool depth)
{
   const uint32_t control = render->stencil_control;
   const bool own = back && control & STENCIL_TEST_BACK;
   const uint32_t operations = control >> (own ? 20 : 8);
   const uint32_t masks = render->reference[own];
   const uint8_t reference = masks, mask = masks >> 8, write = masks >> 16;
   const bool passes =
      compare(operations & 7, reference & mask, *stencil & mask);
   const unsigned shift = !passes ? 3 : depth ? 6 : 9;
   const uint8_t value =
      stencil_operation(operations >> shift & 7, *stencil, reference);
   *stencil = (*stencil & ~write) | (value & write);
   return passes && depth;
}

/* A depth as the buffer has it, and back: exact in a double. */
static double
load_depth(const struct render *render, const uint8_t *p)
{
   uint32_t word = 0;
   memcpy(&word, p, render->depth.bytes);
   if (render->depth_format == DEPTH_32)
      return sim_float_from_bits(word);
   return render->depth_format == DEPTH_24_8 ? word & 0xffffff : word;
}

static void
store_depth(const struct render *render, uint8_t *p, double z)
{
   const uint32_t word =
      render->depth_format == DEPTH_32 ? sim_float_bits(z) : (uint32_t)z;
   /* Without the stencil of 24_8. */
   memcpy(p, &word,
          render->depth_format == DEPTH_24_8 ? 3 : render->depth.bytes);
}

static double
round_depth(const struct render *render, float z)
{
   z = z > render->z_min ? A4XX_MIN(z, render->z_max) : render->z_min;
   switch (render->depth_format) {
   case DEPTH_16:
      return rint(z * 65535.0);
   case DEPTH_24_8:
      return rint(z * 16777215.0);
   default:
      return z;
   }
}

static bool
tests_depth(const struct render *render)
{
   return render->depth_control & DEPTH_TEST && render->depth.data;
}

static bool
tests_stencil(const struct render *render)
{
   return render->stencil_control & STENCIL_TEST && render->stencil.data;
}

bool
rb_tests_early(const struct render *render)
{
   return !render->late && (tests_depth(render) || tests_stencil(render));
}

unsigned
rb_test(const struct render *render, int x, int y, unsigned mask,
        const float z[4], bool back)
{
   const bool depth_test = tests_depth(render);
   const bool stencil = tests_stencil(render);
   if (!depth_test && !stencil)
      return mask;
   for (unsigned i = 0; i < 4; i++) {
      const int px = x + (i & 1), py = y + (i >> 1);
      if (!(mask >> i & 1))
         continue;
      bool passes = true;
      const double mine = round_depth(render, z[i]);
      uint8_t *p = depth_test ? pixel(&render->depth, px, py) : NULL;
      if (depth_test)
         passes = compare(render->depth_control >> 4 & 7, mine,
                          load_depth(render, p));
      if (stencil)
         passes = stencil_test(render, pixel(&render->stencil, px, py), back,
                               passes);
      if (!passes)
         mask &= ~(1u << i);
      else if (depth_test && render->depth_control & DEPTH_WRITE)
         store_depth(render, p, mine);
   }
   return mask;
}

/* --- colours: of all lanes of a wave, as floats or integers --- */

#define FOR_LANES(lane, lanes)              \
   for (uint32_t left_ = (lanes), lane = 0; \
        left_ && (lane = __builtin_ctz(left_), true); left_ &= left_ - 1)

static ir3_f
smaller(ir3_f a, ir3_f b)
{
   return (ir3_f)ir3_select(ir3_less(a, b), (ir3_u)a, (ir3_u)b);
}

/* NaN gives the lower end. */
static ir3_f
clamp(ir3_f value, float low)
{
   const ir3_f least = (ir3_f){} + low, one = (ir3_f){} + 1;
   return (ir3_f)ir3_select(ir3_less(least, value),
                            (ir3_u)smaller(value, one), (ir3_u)least);
}

/* What the program wrote for a target; false: nothing. */
static bool
read_colors(const struct ir3_wave *wave, unsigned target, ir3_u color[4])
{
   const uint32_t mrt = a4xx_reg(wave->chip, SP_FS_MRT + target);
   const unsigned reg = MRT_REG(mrt);
   if (reg + 3 >= IR3_REGS)
      return false;
   for (unsigned c = 0; c < 4; c++) {
      const ir3_u half = wave->half[reg + c];
      if (!(mrt & MRT_HALF)) {
         color[c] = wave->full[reg + c];
      } else if (mrt & MRT_SINT) {
         color[c] = (ir3_u)((ir3_i)(half << 16) >> 16);
      } else if (mrt & MRT_UINT) {
         color[c] = half;
      } else {
         for (unsigned lane = 0; lane < IR3_LANES; lane++)
            color[c][lane] = sim_float_bits(ir3_half_to_float(half[lane]));
      }
   }
   return true;
}

/* An alpha in steps of the reference, which has 8 bits. */
static float
alpha_steps(const struct a4xx *chip, float alpha)
{
   alpha = alpha > 0 ? A4XX_MIN(alpha, 1) * 255 : 0;
   switch (chip->options.profile.alpha_test) {
   case A4XX_ALPHA_CUT:
      return floorf(alpha);
   case A4XX_ALPHA_ROUND:
      return rintf(alpha);
   default:
      return alpha;
   }
}

uint32_t
rb_alpha_test(const struct render *render, const struct ir3_wave *wave,
              uint32_t lanes)
{
   const uint32_t control = render->alpha_control;
   ir3_u color[4];
   if (!(control & ALPHA_TEST) || !read_colors(wave, 0, color))
      return lanes;
   FOR_LANES(lane, lanes)
   {
      const float alpha =
         alpha_steps(wave->chip, sim_float_from_bits(color[3][lane]));
      if (!compare(control >> 9 & 7, alpha, control & 0xff))
         lanes &= ~(1u << lane);
   }
   return lanes;
}

/* Pixels of the lanes; the others are no memory. */
struct pixels {
   uint32_t lanes;
   uint8_t *data[IR3_LANES];
};

/* Where a component of one of four bytes begins. */
static unsigned
byte_shift(const struct target *target, unsigned c)
{
   return c == 0 ? target->red * 8 : c == 2 ? target->blue * 8 : c * 8;
}

/* A pixel's neighbour is mostly next to it in memory, too. */
static bool
is_pair(const struct pixels *pixels, unsigned lane)
{
   return (pixels->lanes >> lane & 3) == 3 &&
          pixels->data[lane + 1] == pixels->data[lane] + 4;
}

static ir3_u
load_words(const struct pixels *pixels)
{
   uint32_t words[IR3_LANES] = { 0 };
   ir3_u result;
   for (unsigned lane = 0; lane < IR3_LANES; lane += 2) {
      if (is_pair(pixels, lane)) {
         memcpy(&words[lane], pixels->data[lane], 8);
         continue;
      }
      FOR_LANES(one, pixels->lanes & 3u << lane)
      memcpy(&words[one], pixels->data[one], 4);
   }
   memcpy(&result, words, sizeof(result));
   return result;
}

static void
store_words(const struct pixels *pixels, ir3_u value)
{
   uint32_t words[IR3_LANES];
   memcpy(words, &value, sizeof(words));
   for (unsigned lane = 0; lane < IR3_LANES; lane += 2) {
      if (is_pair(pixels, lane)) {
         memcpy(pixels->data[lane], &words[lane], 8);
         continue;
      }
      FOR_LANES(one, pixels->lanes & 3u << lane)
      memcpy(pixels->data[one], &words[one], 4);
   }
}

static void
load(const struct target *target, const struct pixels *pixels, ir3_u color[4])
{
   if (!target->bytes) {
      FOR_LANES(lane, pixels->lanes)
      {
         uint32_t one[4];
         util_format_unpack_rgba(target->format, one, pixels->data[lane], 1);
         for (unsigned c = 0; c < 4; c++)
            color[c][lane] = one[c];
      }
      return;
   }
   const ir3_u words = load_words(pixels);
   for (unsigned c = 0; c < 4; c++) {
      const ir3_i byte = (ir3_i)(words >> byte_shift(target, c) & 0xff);
      color[c] = (ir3_u)(__builtin_convertvector(byte, ir3_f) * (1.0f / 255));
   }
}

static void
store(const struct target *target, const struct pixels *pixels,
      const ir3_u color[4])
{
   ir3_u words = { 0 };
   if (!target->bytes) {
      FOR_LANES(lane, pixels->lanes)
      {
         const uint32_t one[4] = { color[0][lane], color[1][lane],
                                   color[2][lane], color[3][lane] };
         util_format_pack_rgba(target->format, pixels->data[lane], one, 1);
      }
      return;
   }
   for (unsigned c = 0; c < 4; c++) {
      const ir3_f steps = clamp((ir3_f)color[c], 0) * 255 + 0.5f;
      words |= (ir3_u) __builtin_convertvector(steps, ir3_i)
               << byte_shift(target, c);
   }
   store_words(pixels, words);
}

/* --- blending --- */

/* adreno_rb_blend_factor; an odd one is 1 minus the one before. */
static ir3_f
blend_factor(unsigned factor, unsigned c, const ir3_f source[4],
             const ir3_f destination[4], const float *constant)
{
   ir3_f value = { 0 };
   switch (factor & ~1u) {
   case 0:
      break;
   case 4:
      value = source[c];
      break;
   case 6:
      value = source[3];
      break;
   case 8:
      value = destination[c];
      break;
   case 10:
      value = destination[3];
      break;
   case 12:
      value += constant[c];
      break;
   case 14:
      value += constant[3];
      break;
   default: /* 16: SRC_ALPHA_SATURATE */
      return c == 3 ? value + 1 : smaller(source[3], 1 - destination[3]);
   }
   return factor & 1 ? 1 - value : value;
}

static ir3_f
blend_component(unsigned control, unsigned c, const ir3_f source[4],
                const ir3_f destination[4], const float *constant)
{
   const ir3_f s = source[c] * blend_factor(control & 31, c, source,
                                            destination, constant);
   const ir3_f d = destination[c] * blend_factor(control >> 8 & 31, c, source,
                                                 destination, constant);
   switch (control >> 5 & 7) {
   case 1:
      return s - d;
   case 2:
      return d - s;
   case 3:
      return smaller(source[c], destination[c]);
   case 4:
      return -smaller(-source[c], -destination[c]);
   default:
      return s + d;
   }
}

static void
blend(const struct render *render, const struct target *target,
      ir3_u color[4], const ir3_u old[4])
{
   const struct a4xx_profile *profile = &render->chip->options.profile;
   const float low = target->is_signed ? -1 : 0;
   ir3_f source[4], destination[4];
   float constant[4];
   for (unsigned c = 0; c < 4; c++) {
      source[c] = (ir3_f)color[c];
      destination[c] = (ir3_f)old[c];
      constant[c] = render->constant[c];
      if (target->normalized) {
         source[c] = clamp(source[c], low);
         constant[c] = constant[c] > low ? A4XX_MIN(constant[c], 1) : low;
      }
   }
   /* By where freedreno clears it: formats without alpha. */
   if (!(target->control & CONTROL_BLEND_2) &&
       profile->no_blend_2 == A4XX_ALPHA_OPAQUE)
      destination[3] = (ir3_f){} + 1;
   for (unsigned c = 0; c < 4; c++)
      color[c] = (ir3_u)blend_component(target->blend >> (c == 3 ? 16 : 0), c,
                                        source, destination, constant);
}

/* Bit 3 of the code is for both set, bit 0 for none. */
static void
logic_operation(unsigned code, unsigned bytes, const uint8_t *old,
                uint8_t *data)
{
   for (unsigned i = 0; i < bytes; i++) {
      const uint8_t s = data[i], d = old[i];
      data[i] = (code & 1 ? ~s & ~d : 0) | (code & 2 ? ~s & d : 0) |
                (code & 4 ? s & ~d : 0) | (code & 8 ? s & d : 0);
   }
}

/* The operation sees all components, whichever are written. */
static void
operate(const struct target *target, const struct pixels *pixels,
        ir3_u color[4])
{
   uint8_t data[IR3_LANES][16];
   struct pixels results = { pixels->lanes };
   FOR_LANES(lane, pixels->lanes)
   results.data[lane] = data[lane];
   store(target, &results, color);
   FOR_LANES(lane, pixels->lanes)
   logic_operation(CONTROL_ROP_CODE(target->control), target->surface.bytes,
                   pixels->data[lane], data[lane]);
   if (target->mask != 15) {
      load(target, &results, color);
      return;
   }
   FOR_LANES(lane, pixels->lanes)
   memcpy(pixels->data[lane], data[lane], target->surface.bytes);
}

static void
write_pixels(const struct render *render, const struct target *target,
             const struct pixels *pixels, ir3_u color[4])
{
   const bool rop = target->control & CONTROL_ROP;
   const bool blends = target->control & CONTROL_BLEND && !target->integer;
   ir3_u old[4];
   if (blends || target->mask != 15)
      load(target, pixels, old);
   if (rop)
      operate(target, pixels, color);
   else if (blends)
      blend(render, target, color, old);
   if (rop && target->mask == 15)
      return;
   for (unsigned c = 0; c < 4; c++) {
      if (!(target->mask >> c & 1))
         color[c] = old[c];
   }
   store(target, pixels, color);
}

/* Is quad n at the place of one from "first" on?  Not one of the same
 * primitive, which come one behind the other. */
static bool
is_there_already(const struct quad *quads, unsigned first, unsigned n)
{
   if (quads[first].primitive == quads[n].primitive)
      return false;
   for (unsigned i = first; i < n; i++) {
      if (quads[i].x == quads[n].x && quads[i].y == quads[n].y)
         return true;
   }
   return false;
}

/* The pixels of a quad. */
static void
find_pixels(const struct surface *surface, const struct quad *quad,
            uint8_t *data[4])
{
   const int x = quad->x - surface->x, y = quad->y - surface->y;
   const uint64_t rows[2] = { place_of_row(surface, y),
                              place_of_row(surface, y + 1) };
   const uint64_t columns[2] = { place_of_column(surface, x),
                                 place_of_column(surface, x + 1) };
   for (unsigned i = 0; i < 4; i++)
      data[i] = surface->data + rows[i >> 1] + columns[i & 1];
}

/* Quads in which no pixel is twice. */
IR3_CLONES static void
blend_quads(const struct render *render, const struct ir3_wave *wave,
            const struct quad *quads, uint32_t lanes)
{
   for (unsigned t = 0; t < render->num_targets; t++) {
      const struct target *target = &render->targets[t];
      struct pixels pixels;
      ir3_u color[4];
      if (!target->mask || !read_colors(wave, t, color))
         continue;
      pixels.lanes = lanes;
      for (unsigned lane = 0; lane < IR3_LANES; lane += 4) {
         if (lanes >> lane & 15)
            find_pixels(&target->surface, &quads[lane / 4],
                        &pixels.data[lane]);
      }
      write_pixels(render, target, &pixels, color);
   }
}

void
rb_blend(const struct render *render, const struct ir3_wave *wave,
         const struct quad *quads, unsigned count, uint32_t lanes)
{
   for (unsigned first = 0, n; first < count; first = n) {
      uint32_t part = 15u << first * 4;
      for (n = first + 1; n < count && !is_there_already(quads, first, n);
           n++)
         part |= 15u << n * 4;
      if (lanes & part)
         blend_quads(render, wave, quads, lanes & part);
   }
}

/* --- GMEM to memory --- */

void
rb_resolve(struct a4xx *chip, const struct rectangle *area)
{
   const uint32_t control = a4xx_reg(chip, RB_COPY_CONTROL);
   const uint32_t info = a4xx_reg(chip, RB_COPY_DEST_INFO);
   const enum pipe_format format = rb_format(info >> 2 & 0x3f, info >> 8 & 3);
   const unsigned bytes = format ? util_format_get_blocksize(format) : 0;
   struct surface from = {
      .pitch = MODE_WIDTH(a4xx_reg(chip, RB_MODE_CONTROL)) * bytes,
      .bytes = bytes,
   };
   struct surface to = { .pitch = a4xx_reg(chip, RB_COPY_DEST_PITCH) << 5,
                         .bytes = bytes };
   if ((control >> 4 & 7) != 1 || !format) {
      a4xx_diag(chip, A4XX_DIAG_TARGET,
                "RB_COPY_CONTROL 0x%08x, RB_COPY_DEST_INFO 0x%08x: this copy "
                "is not modelled",
                control, info);
      return;
   }
   if (!find_surface(chip, false, control & ~0x3fffu, area, &from) ||
       !find_surface(chip, true, a4xx_reg(chip, RB_COPY_DEST_BASE), area,
                     &to))
      return;
   const int run = from.tiled ? 1 : area->x1 - area->x0;
   for (int y = area->y0; y < area->y1; y++) {
      for (int x = area->x0; x < area->x1; x += run)
         memcpy(pixel(&to, x, y), pixel(&from, x, y), (size_t)run * bytes);
   }
}
