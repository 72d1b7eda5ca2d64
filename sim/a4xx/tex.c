/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Instructions of category 5: operands of the lanes, constants of textures
 * and samplers, results.  Four lanes in a row are a quad of pixels: (x, y),
 * (x + 1, y), (x, y + 1), (x + 1, y + 1).
 */

#include <math.h>
#include <string.h>

#include "util/half_float.h"

#include "numbers.h"
#include "tex.h"

#define BORDER_COLOR_BYTES 64

/* --- constants --- */

static uint32_t
bits(uint32_t word, unsigned low, unsigned high)
{
   return word >> low & (~0u >> (31 - high + low));
}

static uint32_t
minify(uint32_t size, unsigned level)
{
   return A4XX_MAX(size >> level, 1);
}

static uint32_t
align(uint32_t value, uint32_t alignment)
{
   return (value + alignment - 1) & ~(alignment - 1);
}

/* The level that begins at an address: all of it has to be memory. */
static void
map_level(const struct a4xx *chip, const struct texture *texture,
          struct tex_level *level, uint32_t address, unsigned layers)
{
   const struct tex_format *format = &texture->format;
   const uint64_t rows = (level->height - 1) / format->block_height;
   const uint64_t columns = (level->width - 1) / format->block_width + 1;
   const uint64_t size = (layers - 1) * (uint64_t)level->layer_size +
                         rows * level->pitch + columns * format->block_bytes;
   level->data = a4xx_memory(chip, address, size);
}

/* Levels follow one another, in each layer or with all of their layers. */
static void
get_levels(const struct a4xx *chip, const uint32_t *words,
           struct texture *texture)
{
   const bool volume = texture->type == TEX_3D;
   const uint32_t height = bits(words[1], 0, 14),
                  width = bits(words[1], 15, 29);
   const uint32_t alignment = 32u << bits(words[2], 0, 3);
   const uint32_t depth = volume ? bits(words[3], 18, 30) : 1;
   const uint32_t least_layer = bits(words[4], 0, 3) << 12;
   const unsigned faces = texture->type == TEX_CUBE ? 6 : 1;
   uint32_t address = words[4] & ~31u;
   uint32_t layer_size = bits(words[3], 0, 13) << 12;
   for (unsigned i = 0; i < texture->num_levels; i++) {
      struct tex_level *level = &texture->levels[i];
      level->width = minify(width, i);
      level->height = minify(height, i);
      level->depth = minify(depth, i);
      level->pitch = align(minify(bits(words[2], 9, 29), i), alignment);
      const uint32_t plane =
         level->pitch * ((level->height + texture->format.block_height - 1) /
                         texture->format.block_height);
      if (volume && i)
         layer_size = A4XX_MAX(align(plane, 4096), least_layer);
      level->layer_size = layer_size;
      map_level(chip, texture, level, address,
                volume ? level->depth : texture->layers * faces);
      address += volume ? layer_size * level->depth : plane;
   }
}

/* A buffer of elements has one row and, whatever its words say, one level. */
static void
get_buffer(const struct a4xx *chip, const uint32_t *words,
           struct texture *texture)
{
   struct tex_level *level = &texture->levels[0];
   level->width = bits(words[1], 0, 14) << 15 | bits(words[1], 15, 29);
   level->height = level->depth = 1;
   level->pitch = level->layer_size = 0;
   texture->num_levels = level->width > 0;
   if (level->width)
      map_level(chip, texture, level, words[4] & ~31u, 1);
}

void
tex_get_texture(struct a4xx *chip, enum a4xx_stage stage, unsigned index,
                struct texture *texture)
{
   static const uint32_t unused[8];
   const uint32_t *words = chip->textures[stage][index];
   memset(texture, 0, sizeof(*texture));
   for (unsigned c = 0; c < 4; c++)
      texture->swizzle[c] = bits(words[0], 4 + c * 3, 6 + c * 3);
   texture->layers = 1;
   /* Bound to nothing. */
   if (!memcmp(words, unused, sizeof(unused)))
      return;
   texture->type = bits(words[0], 29, 31);
   if (texture->type > TEX_BUFFER ||
       !tex_get_format(bits(words[0], 22, 28), bits(words[0], 2, 2),
                       &texture->format)) {
      a4xx_diag(chip, A4XX_DIAG_TEXTURE,
                "%s: texture %u: nothing describes type %u or format 0x%02x",
                a4xx_stage_name(stage), index, texture->type,
                bits(words[0], 22, 28));
      return;
   }
   texture->swap = bits(words[2], 30, 31);
   texture->num_levels = A4XX_MIN(bits(words[0], 16, 19) + 1, TEX_MAX_LEVELS);
   texture->layers =
      texture->type == TEX_3D ? 1 : A4XX_MAX(bits(words[3], 18, 30), 1);
   if (texture->type == TEX_BUFFER)
      get_buffer(chip, words, texture);
   else
      get_levels(chip, words, texture);
   for (unsigned i = 0; i < texture->num_levels; i++) {
      if (!texture->levels[i].data)
         a4xx_diag(chip, A4XX_DIAG_TEXTURE,
                   "%s: texture %u: level %u, from 0x%08x on, is no memory",
                   a4xx_stage_name(stage), index, i, words[4] & ~31u);
   }
}

static void
get_border(struct a4xx *chip, enum a4xx_stage stage, unsigned index,
           const struct tex_format *format, struct sampler *sampler)
{
   static const uint16_t regs[] = {
      TPL1_TP_VS_BORDER_COLOR_BASE_ADDR, TPL1_TP_HS_BORDER_COLOR_BASE_ADDR,
      TPL1_TP_DS_BORDER_COLOR_BASE_ADDR, TPL1_TP_GS_BORDER_COLOR_BASE_ADDR,
      TPL1_TP_FS_BORDER_COLOR_BASE_ADDR, TPL1_TP_CS_BORDER_COLOR_BASE_ADDR,
   };
   const uint8_t *colors = a4xx_memory(
      chip, a4xx_reg(chip, regs[stage]) + index * BORDER_COLOR_BYTES,
      BORDER_COLOR_BYTES);
   uint16_t small[4];
   if (!colors) {
      a4xx_diag(chip, A4XX_DIAG_TEXTURE,
                "%s: sampler %u: its border colour at 0x%08x is no memory",
                a4xx_stage_name(stage), index, a4xx_reg(chip, regs[stage]));
      return;
   }
   /* Halves and small integers, then those of 32 bits. */
   if (format->wide) {
      memcpy(&sampler->border, colors + (format->integer ? 48 : 32), 16);
      return;
   }
   memcpy(small, colors + (format->integer ? 16 : 0), sizeof(small));
   for (unsigned c = 0; c < 4; c++) {
      if (format->integer)
         sampler->border.u[c] = (uint32_t)(int16_t)small[c];
      else
         sampler->border.f[c] = ir3_half_to_float(small[c]);
   }
}

void
tex_get_sampler(struct a4xx *chip, enum a4xx_stage stage, unsigned index,
                const struct tex_format *format, struct sampler *sampler)
{
   const uint32_t *words = chip->samplers[stage][index];
   bool border = false;
   *sampler = (struct sampler){
      .mip_linear = bits(words[0], 0, 0),
      .magnify = bits(words[0], 1, 2),
      .minify = bits(words[0], 3, 4),
      .max_samples = 1u << bits(words[0], 14, 16),
      .bias = (int32_t)words[0] / 524288 / 256.0f,
      .compare = bits(words[1], 1, 3),
      .seamless = !bits(words[1], 4, 4),
      .normalized = !bits(words[1], 5, 5),
      .max_lod = bits(words[1], 8, 19) / 256.0f,
      .min_lod = bits(words[1], 20, 31) / 256.0f,
   };
   for (unsigned n = 0; n < 3; n++) {
      sampler->wrap[n] = bits(words[0], 5 + n * 3, 7 + n * 3);
      border |= sampler->wrap[n] == TEX_CLAMP_TO_BORDER;
   }
   if (border)
      get_border(chip, stage, index, format, sampler);
}

/* --- operands --- */

/* Registers of the operands: coordinates, reference, layer and, from the
 * fifth on, gradients; then offsets, and level or bias. */
void
tex_count_operands(const struct ir3_instr *instr, unsigned counts[2])
{
   const unsigned coords = instr->is_3d ? 3 : 2;
   counts[0] = coords + instr->shadow + instr->is_array + instr->project;
   counts[1] = instr->offset ? coords : 0;
   switch (instr->op) {
   case IR3_DSX:
   case IR3_DSY:
      counts[0] = 32 - __builtin_clz(instr->mask | 1);
      break;
   case IR3_GETSIZE:
      counts[0] = 1;
      break;
   case IR3_GETBUF:
   case IR3_GETINFO:
      counts[0] = 0;
      break;
   case IR3_SAMGQ:
      counts[0] = 4 + 2 * coords;
      break;
   case IR3_ISAML:
   case IR3_SAMB:
   case IR3_SAML:
      counts[1]++;
      break;
   default:
      break;
   }
}

static float
operand_float(const struct ir3_wave *wave, const struct ir3_source *src,
              unsigned i, unsigned lane)
{
   return src->half
             ? ir3_half_to_float(wave->half[src->num + i][lane] & 0xffff)
             : sim_float_from_bits(wave->full[src->num + i][lane]);
}

static int
operand_int(const struct ir3_wave *wave, const struct ir3_source *src,
            unsigned i, unsigned lane)
{
   return src->half ? (int16_t)wave->half[src->num + i][lane]
                    : (int32_t)wave->full[src->num + i][lane];
}

static float
difference(const struct ir3_wave *wave, const struct ir3_source *src,
           unsigned i, unsigned lane, bool vertical)
{
   const unsigned first = lane & ~3u;
   return operand_float(wave, src, i, first + (vertical ? 2 : 1)) -
          operand_float(wave, src, i, first);
}

static unsigned
layer_of(const struct texture *texture, float coord)
{
   const unsigned last = texture->layers - 1;
   return coord > 0 ? (coord < last ? (unsigned)coord : last) : 0;
}

/* A texture operation, the same for lanes with the same texture and sampler.
 */
struct unit {
   struct ir3_wave *wave;
   const struct ir3_instr *instr;
   struct texture texture;
   struct sampler sampler;
   /* Of planes, a quad's lanes share their level of detail: that of the lane
    * that has it first. */
   struct tex_request shared;
   unsigned shared_quad; /* number + 1; 0: none */
};

static void
get_request(const struct unit *unit, unsigned lane,
            struct tex_request *request)
{
   const struct ir3_instr *instr = unit->instr;
   const struct ir3_source *src = &instr->src[0];
   const unsigned coords = instr->is_3d ? 3 : 2;
   unsigned next = coords;
   *request = (struct tex_request){
      .texture = &unit->texture,
      .sampler = &unit->sampler,
      .shadow = instr->shadow,
   };
   for (unsigned n = 0; n < coords; n++)
      request->coords[n] = operand_float(unit->wave, src, n, lane);
   if (instr->shadow)
      request->reference = operand_float(unit->wave, src, next++, lane);
   if (instr->is_array)
      request->layer = layer_of(&unit->texture,
                                operand_float(unit->wave, src, next++, lane));
   for (unsigned n = 0; instr->offset && n < coords; n++)
      request->offset[n] = operand_int(unit->wave, &instr->src[1], n, lane);
}

/* Does the level of detail choose between levels or filters? */
static bool
lod_matters(const struct unit *unit)
{
   return unit->texture.num_levels > 1 || unit->sampler.max_samples > 1 ||
          unit->sampler.minify != unit->sampler.magnify ||
          unit->instr->op == IR3_GETLOD;
}

static void
set_implicit_gradient(struct unit *unit, unsigned lane,
                      struct tex_request *request)
{
   const struct ir3_source *src = &unit->instr->src[0];
   struct tex_gradient gradient = { { 0 }, { 0 } };
   if (!lod_matters(unit))
      return;
   if (unit->shared_quad == lane / 4 + 1) {
      request->lod = unit->shared.lod;
      request->samples = unit->shared.samples;
      memcpy(request->row, unit->shared.row, sizeof(request->row));
      return;
   }
   for (unsigned n = 0; n < (unit->instr->is_3d ? 3u : 2u); n++) {
      gradient.dx[n] = difference(unit->wave, src, n, lane, false);
      gradient.dy[n] = difference(unit->wave, src, n, lane, true);
   }
   /* Other stages have no neighbours: the first level. */
   if (unit->wave->stage_number != STAGE_FS)
      return;
   tex_set_gradient(request, &gradient);
   unit->shared = *request;
   unit->shared_quad = unit->texture.type == TEX_CUBE ? 0 : lane / 4 + 1;
}

static void
set_explicit_gradient(const struct unit *unit, unsigned lane,
                      struct tex_request *request)
{
   const struct ir3_source *src = &unit->instr->src[0];
   const unsigned coords = unit->instr->is_3d ? 3 : 2;
   struct tex_gradient gradient = { { 0 }, { 0 } };
   for (unsigned n = 0; n < coords; n++) {
      gradient.dx[n] = operand_float(unit->wave, src, 4 + n, lane);
      gradient.dy[n] = operand_float(unit->wave, src, 4 + coords + n, lane);
   }
   tex_set_gradient(request, &gradient);
}

/* Level of detail and row by what the instruction has for them. */
static void
set_lod(struct unit *unit, unsigned lane, struct tex_request *request)
{
   const struct ir3_instr *instr = unit->instr;
   unsigned counts[2];
   tex_count_operands(instr, counts);
   switch (instr->op) {
   case IR3_SAML:
      request->lod =
         operand_float(unit->wave, &instr->src[1], counts[1] - 1, lane);
      break;
   case IR3_SAMGQ:
      set_explicit_gradient(unit, lane, request);
      break;
   case IR3_SAMB:
      set_implicit_gradient(unit, lane, request);
      request->lod +=
         operand_float(unit->wave, &instr->src[1], counts[1] - 1, lane);
      break;
   default:
      set_implicit_gradient(unit, lane, request);
   }
}

/* --- results --- */

static union tex_color
swizzle(const struct texture *texture, union tex_color color)
{
   union tex_color result;
   for (unsigned c = 0; c < 4; c++) {
      const unsigned from = texture->swizzle[c];
      if (from < 4)
         result.u[c] = color.u[from];
      else if (texture->format.integer)
         result.u[c] = from == 5;
      else
         result.f[c] = from == 5;
   }
   return result;
}

static union tex_color
fetch(const struct unit *unit, unsigned lane)
{
   const struct ir3_instr *instr = unit->instr;
   const unsigned num = instr->is_3d ? 3 : 2;
   unsigned counts[2];
   int coords[3] = { 0 }, layer = 0, level = 0;
   tex_count_operands(instr, counts);
   for (unsigned n = 0; n < num; n++) {
      coords[n] = operand_int(unit->wave, &instr->src[0], n, lane);
      /* Beyond the range of integers they wrap. */
      if (instr->offset)
         coords[n] = (unsigned)coords[n] +
                     operand_int(unit->wave, &instr->src[1], n, lane);
   }
   if (instr->is_array)
      layer = operand_int(unit->wave, &instr->src[0], num, lane);
   if (instr->op == IR3_ISAML)
      level = operand_int(unit->wave, &instr->src[1], counts[1] - 1, lane);
   return swizzle(&unit->texture,
                  tex_fetch(&unit->texture, level, coords, layer));
}

/* Numbers of 8 bits of fraction: the level that is accessed, and the level of
 * detail. */
static union tex_color
get_lod(struct unit *unit, unsigned lane)
{
   union tex_color result = { { 0 } };
   struct tex_request request;
   const float last = A4XX_MAX(unit->texture.num_levels, 1) - 1.0f;
   get_request(unit, lane, &request);
   set_lod(unit, lane, &request);
   float level = tex_clamped_lod(&unit->sampler, request.lod);
   level = level > 0 ? A4XX_MIN(level, last) : 0;
   if (!unit->sampler.mip_linear)
      level = floorf(level + 0.5f);
   const float lod = request.lod + unit->sampler.bias;
   result.u[0] = (int)(level * 256);
   result.u[1] = (int)(A4XX_MAX(-128, A4XX_MIN(lod, 127)) * 256);
   return result;
}

static union tex_color
get_size(const struct unit *unit, unsigned lane)
{
   const struct texture *texture = &unit->texture;
   const unsigned number =
      unit->instr->op == IR3_GETSIZE
         ? (unsigned)operand_int(unit->wave, &unit->instr->src[0], 0, lane)
         : 0;
   union tex_color result = { { 0 } };
   if (number >= texture->num_levels)
      return result;
   const struct tex_level *level = &texture->levels[number];
   result.u[0] = level->width;
   result.u[1] = level->height;
   result.u[2] = level->depth;
   result.u[3] = texture->layers;
   return result;
}

static union tex_color
derivative(const struct unit *unit, unsigned lane)
{
   union tex_color result = { { 0 } };
   for (unsigned c = 0; c < 4; c++) {
      if (unit->instr->mask >> c & 1)
         result.f[c] = difference(unit->wave, &unit->instr->src[0], c, lane,
                                  unit->instr->op == IR3_DSY);
   }
   return result;
}

static union tex_color
sample(struct unit *unit, unsigned lane)
{
   struct tex_request request;
   get_request(unit, lane, &request);
   if (unit->instr->op < IR3_GATHER4R) {
      set_lod(unit, lane, &request);
      return swizzle(&unit->texture, tex_filter(&request));
   }
   return swizzle(&unit->texture,
                  tex_gather(&request, unit->instr->op - IR3_GATHER4R));
}

static union tex_color
result_of(struct unit *unit, unsigned lane)
{
   switch (unit->instr->op) {
   case IR3_ISAM:
   case IR3_ISAML:
      return fetch(unit, lane);
   case IR3_DSX:
   case IR3_DSY:
      return derivative(unit, lane);
   case IR3_GETLOD:
      return get_lod(unit, lane);
   case IR3_GETSIZE:
   case IR3_GETBUF:
      return get_size(unit, lane);
   case IR3_GETINFO:
      /* Codes of the format for x and y: see knows(). */
      return (union tex_color){ .u = { 0, 0, unit->texture.num_levels, 1 } };
   default:
      return sample(unit, lane);
   }
}

/* A filter of a plane, for which lanes need no request each. */
static bool
is_plain(const struct unit *unit)
{
   const struct ir3_instr *instr = unit->instr;
   return (instr->op == IR3_SAM || instr->op == IR3_SAMB ||
           instr->op == IR3_SAML) &&
          unit->texture.type <= TEX_2D && unit->texture.num_levels &&
          unit->sampler.max_samples <= 1 && !instr->is_array &&
          !instr->offset && !instr->shadow && !instr->indirect;
}

static void
sample_lanes(struct unit *unit, union tex_colors *results)
{
   const struct ir3_wave *wave = unit->wave;
   const struct ir3_source *src = &unit->instr->src[0];
   union tex_colors colors;
   float coords[2][IR3_LANES] = { { 0 } }, lod[IR3_LANES] = { 0 };
   for (unsigned n = 0; n < 2; n++) {
      for (unsigned lane = 0; src->half && lane < IR3_LANES; lane++)
         coords[n][lane] = operand_float(wave, src, n, lane);
      if (!src->half)
         memcpy(coords[n], &wave->full[src->num + n], sizeof(coords[n]));
   }
   for (unsigned lane = 0; lod_matters(unit) && lane < IR3_LANES; lane++) {
      struct tex_request request;
      if (!(wave->running >> lane & 1))
         continue;
      get_request(unit, lane, &request);
      set_lod(unit, lane, &request);
      lod[lane] = request.lod;
   }
   tex_filter_lanes(&unit->texture, &unit->sampler, wave->running, coords,
                    lod, &colors);
   for (unsigned c = 0; c < 4; c++) {
      const unsigned from = unit->texture.swizzle[c];
      const union tex_color one =
         swizzle(&unit->texture, (union tex_color){});
      for (unsigned lane = 0; lane < IR3_LANES; lane++)
         results->u[c][lane] = from < 4 ? colors.u[from][lane] : one.u[c];
   }
}

/* Half floats are converted, integers cut. */
static void
write_results(struct ir3_wave *wave, const struct ir3_instr *instr,
              const union tex_colors *results)
{
   for (unsigned c = 0; c < 4; c++) {
      ir3_u value;
      ir3_u *reg = instr->dst_half ? &wave->half[instr->dst + c]
                                   : &wave->full[instr->dst + c];
      if (!(instr->mask >> c & 1))
         continue;
      memcpy(&value, results->u[c], sizeof(value));
      for (unsigned lane = 0; instr->dst_half && lane < IR3_LANES; lane++)
         value[lane] = instr->type == IR3_F16
                          ? _mesa_float_to_half(results->f[c][lane])
                          : results->u[c][lane] & 0xffff;
      *reg = ir3_select(wave->mask, value, *reg);
   }
}

/* --- instructions --- */

static bool
knows(const struct ir3_instr *instr)
{
   switch (instr->op) {
   case IR3_ISAM:
   case IR3_ISAML:
   case IR3_SAM:
   case IR3_SAMB:
   case IR3_SAML:
   case IR3_SAMGQ:
   case IR3_GETLOD:
   case IR3_GETSIZE:
   case IR3_GETBUF:
   case IR3_DSX:
   case IR3_DSY:
   case IR3_GATHER4R:
   case IR3_GATHER4G:
   case IR3_GATHER4B:
   case IR3_GATHER4A:
      return !instr->project;
   case IR3_GETINFO:
      return !(instr->mask & 3);
   default:
      return false;
   }
}

static bool
registers_exist(const struct ir3_instr *instr)
{
   unsigned counts[2];
   tex_count_operands(instr, counts);
   return instr->dst + 4 <= IR3_REGS &&
          (!counts[0] || instr->src[0].num + counts[0] <= IR3_REGS) &&
          (!counts[1] || instr->src[1].num + counts[1] <= IR3_REGS) &&
          (!instr->indirect || instr->src[2].num + 2 <= IR3_REGS);
}

/* A gather of integers or through a swizzle is what nobody does: it is said
 * not to work. */
static void
check_gather(const struct unit *unit)
{
   static const uint8_t identity[4] = { 0, 1, 2, 3 };
   if (unit->texture.num_levels &&
       (unit->texture.format.integer ||
        memcmp(unit->texture.swizzle, identity, 4)))
      a4xx_diag(unit->wave->chip, A4XX_DIAG_GATHER,
                "%s: instruction %u gathers integers or through a swizzle",
                unit->wave->stage, unit->wave->pc);
}

/* Texture and sampler by number. */
static void
bind(struct unit *unit, unsigned texture, unsigned sampler)
{
   struct a4xx *chip = unit->wave->chip;
   const enum a4xx_stage stage = unit->wave->stage_number;
   if (ir3_has_texture(unit->instr->op))
      tex_get_texture(chip, stage, texture % A4XX_NUM_TEXTURES,
                      &unit->texture);
   if (ir3_has_sampler(unit->instr->op))
      tex_get_sampler(chip, stage, sampler % A4XX_NUM_SAMPLERS,
                      &unit->texture.format, &unit->sampler);
   if (unit->instr->op >= IR3_GATHER4R)
      check_gather(unit);
}

bool
a4xx_sample(struct ir3_wave *wave, const struct ir3_instr *instr)
{
   if (!knows(instr) || !registers_exist(instr)) {
      a4xx_diag(wave->chip, A4XX_DIAG_INSTRUCTION,
                "%s: instruction %u (%s) is not modelled", wave->stage,
                wave->pc, ir3_op_name(instr->op));
      return false;
   }
   struct unit unit = { .wave = wave, .instr = instr };
   unsigned texture = instr->texture, sampler = instr->sampler;
   union tex_colors results = { { { 0 } } };
   bool bound = false;
   for (unsigned lane = 0; lane < IR3_LANES; lane++) {
      if (!(wave->running >> lane & 1))
         continue;
      if (instr->indirect) {
         const unsigned pair = instr->src[2].num;
         const unsigned t = wave->half[pair][lane] & 0xffff;
         const unsigned s = wave->half[pair + 1][lane] & 0xffff;
         bound &= t == texture && s == sampler;
         texture = t;
         sampler = s;
      }
      if (!bound) {
         unit.shared_quad = 0;
         bind(&unit, texture, sampler);
      }
      bound = true;
      if (is_plain(&unit)) {
         sample_lanes(&unit, &results);
         break;
      }
      const union tex_color result = result_of(&unit, lane);
      for (unsigned c = 0; c < 4; c++)
         results.u[c][lane] = result.u[c];
   }
   /* A destination may be a source of the quad's other lanes. */
   write_results(wave, instr, &results);
   return true;
}
