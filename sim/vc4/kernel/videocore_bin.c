/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The binning list, shader records and uniforms of a job: copied, checked,
 * and with handles in place of addresses resolved, as Linux's vc4_validate.c
 * does.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "videocore.h"

static uint32_t
get32(const uint8_t *p)
{
   uint32_t value;
   memcpy(&value, p, 4);
   return value;
}

static void
set32(uint8_t *p, uint32_t value)
{
   memcpy(p, &value, 4);
}

static unsigned
utile_width(unsigned cpp)
{
   return cpp <= 2 ? 8 : cpp == 4 ? 4 : 2;
}

static unsigned
utile_height(unsigned cpp)
{
   return cpp == 1 ? 8 : 4;
}

static uint32_t
image_size(unsigned tiling, uint32_t width, uint32_t height, unsigned cpp)
{
   unsigned w = utile_width(cpp), h = utile_height(cpp);
   if (tiling == 1) {
      w *= 8;
      h *= 8;
   } else if (tiling == 0) {
      h = 1;
   }
   return ALIGN_POT(width, w) * ALIGN_POT(height, h) * cpp;
}

bool
shim_vc4_image_fits(const struct shim_mem *mem, uint32_t offset,
                    unsigned tiling, uint32_t width, uint32_t height,
                    unsigned cpp)
{
   if (width > 4096 || height > 4096 || tiling > 2)
      return false;
   return (uint64_t)offset + image_size(tiling, width, height, cpp) <=
          mem->size;
}

struct shim_mem *
shim_vc4_use_bo(const struct vc4_exec *exec, uint32_t index)
{
   if (index >= exec->num_bos || exec->bos[index]->shader) {
      shim_vc4_refuse("buffer %u of %u, or a program in place of one", index,
                      exec->num_bos);
      return NULL;
   }
   return exec->bos[index];
}

/* --- the list --- */

struct shader_ref {
   uint32_t bits;      /* of the packet: number of attributes, extended */
   uint32_t max_index; /* of the vertices that are drawn with it */
};

struct bin_list {
   struct vc4_exec *exec;
   uint32_t handles[2];
   struct shader_ref *shaders;
   unsigned num_shaders;
   uint32_t record_address; /* of the next record */
   bool configured, started, incremented, flushed;
};

static uint32_t
record_size(uint32_t bits)
{
   unsigned num = bits & 7 ? bits & 7 : 8;
   return bits & 8 ? 100 + num * 4 : 36 + num * 8;
}

static int
configure_tiles(struct bin_list *b, const uint8_t *in, uint8_t *out)
{
   struct vc4_exec *exec = b->exec;
   const uint8_t flags = in[15];
   if (b->configured)
      return shim_vc4_refuse("tiles are configured twice");
   b->configured = true;
   exec->tiles_x = in[13];
   exec->tiles_y = in[14];
   unsigned count = exec->tiles_x * exec->tiles_y;
   if (!count || flags & 0x82)
      return shim_vc4_refuse("%ux%u tiles, flags 0x%02x", exec->tiles_x,
                             exec->tiles_y, flags);
   /* 48 bytes of state for each tile, lists from the next page on, which
    * begin with 32 bytes and go on with 128. */
   uint32_t lists = ALIGN_POT(48 * count, 4096);
   uint32_t size = ALIGN_POT(32 * count, 256) + (1 << 20);
   exec->tile_lists = exec->tile_address + lists;
   exec->tile_size = lists + size;
   set32(out + 1, exec->tile_lists);
   set32(out + 5, size);
   set32(out + 9, exec->tile_address);
   out[15] = (flags & ~0x78) | 1 << 2 | 2 << 5;
   return 0;
}

static void
note_index(struct bin_list *b, uint32_t index)
{
   struct shader_ref *ref = &b->shaders[b->num_shaders - 1];
   ref->max_index = MAX2(ref->max_index, index);
}

static int
check_indexed(struct bin_list *b, const uint8_t *in, uint8_t *out)
{
   unsigned size = in[1] >> 4 ? 2 : 1;
   uint32_t count = get32(in + 2), offset = get32(in + 6);
   struct shim_mem *mem = shim_vc4_use_bo(b->exec, b->handles[0]);
   if (!b->num_shaders || !mem)
      return shim_vc4_refuse("primitives without a shader state or indices");
   note_index(b, get32(in + 10));
   if (offset > mem->size || (mem->size - offset) / size < count)
      return shim_vc4_refuse("%u indices at %u of %u bytes", count, offset,
                             mem->size);
   set32(out + 6, mem->address + offset);
   return 0;
}

static int
check_packet(struct bin_list *b, const uint8_t *in, uint8_t *out,
             uint32_t from_end)
{
   struct vc4_exec *exec = b->exec;
   switch (in[0]) {
   case 4:
      b->flushed = from_end == 1;
      return b->flushed ? 0 : shim_vc4_refuse("a flush before the end");
   case 6:
      if (b->started || !b->configured)
         return shim_vc4_refuse("binning starts twice or without tiles");
      b->started = true;
      return 0;
   case 7:
      b->incremented = from_end == 2;
      return b->incremented ? 0
                            : shim_vc4_refuse("a semaphore before the end");
   case 32:
      return check_indexed(b, in, out);
   case 33: {
      uint32_t count = get32(in + 2), first = get32(in + 6);
      if (!b->num_shaders || count + first < count)
         return shim_vc4_refuse(
            "vertices without a shader state, or too many");
      note_index(b, count + first - 1);
      return 0;
   }
   case 64: {
      uint32_t bits = get32(in + 1);
      if (b->num_shaders >= exec->args->shader_rec_count || bits & ~15u)
         return shim_vc4_refuse("a shader state that was not announced");
      b->shaders[b->num_shaders++].bits = bits;
      set32(out + 1, b->record_address | bits);
      b->record_address += ALIGN_POT(record_size(bits), 16);
      return 0;
   }
   case 112:
      return configure_tiles(b, in, out);
   default:
      return 0;
   }
}

/* Bytes of the packets that user space may use. */
static unsigned
packet_size(uint8_t packet)
{
   static const uint8_t sizes[256] = {
      [0] = 1,   [1] = 1,   [4] = 1,    [5] = 1,   [6] = 1,   [7] = 1,
      [32] = 14, [33] = 10, [56] = 2,   [64] = 5,  [96] = 4,  [97] = 5,
      [98] = 5,  [99] = 5,  [100] = 3,  [101] = 5, [102] = 9, [103] = 5,
      [105] = 9, [106] = 9, [112] = 16, [254] = 9,
   };
   return sizes[packet];
}

static int
copy_list(struct bin_list *b)
{
   struct vc4_exec *exec = b->exec;
   const uint32_t size = exec->args->bin_cl_size;
   uint8_t *out = exec->out;
   for (uint32_t at = 0; at < size;) {
      const uint8_t *in = exec->bin + at;
      unsigned bytes = packet_size(in[0]);
      if (!bytes || at + bytes > size)
         return shim_vc4_refuse("packet %u at %u of a list", in[0], at);
      if (in[0] == 254) {
         memcpy(b->handles, in + 1, 8);
      } else {
         memcpy(out, in, bytes);
         int ret = check_packet(b, in, out, size - at);
         if (ret)
            return ret;
         out += bytes;
      }
      at += bytes;
      if (in[0] == 0)
         break;
   }
   exec->bin_address = exec->out_address;
   exec->bin_end = exec->out_address + (out - exec->out);
   if (!b->started || !b->incremented || !b->flushed)
      return shim_vc4_refuse("a list without start, semaphore or flush");
   return 0;
}

/* --- shader records --- */

static const uint8_t texture_cpp[32] = {
   [0] = 4, [1] = 4, [2] = 2, [3] = 2,  [4] = 2,  [5] = 1,  [6] = 1,
   [7] = 2, [8] = 8, [9] = 2, [10] = 1, [11] = 2, [16] = 4,
};

/* Levels lie before the base. */
static bool
levels_fit(uint32_t offset, unsigned levels, unsigned tiling, uint32_t width,
           uint32_t height, unsigned cpp)
{
   for (unsigned i = 1; i <= levels; i++) {
      uint32_t w = MAX2(width >> i, 1), h = MAX2(height >> i, 1);
      if (tiling == 1 &&
          (w <= 4 * utile_width(cpp) || h <= 4 * utile_height(cpp)))
         tiling = 2;
      uint32_t size = image_size(tiling, w, h, cpp);
      if (offset < size)
         return false;
      offset -= size;
   }
   return true;
}

static int
relocate_sample(struct vc4_exec *exec, const struct vc4_sample *sample,
                const uint8_t *in, uint8_t *out, uint32_t handle)
{
   uint32_t p[4];
   struct shim_mem *mem = shim_vc4_use_bo(exec, handle);
   if (!mem)
      return -EINVAL;
   for (unsigned i = 0; i < 4; i++)
      p[i] = sample->offsets[i] == ~0u ? 0 : get32(in + sample->offsets[i]);
   uint8_t *where = out + sample->offsets[0];
   if (sample->direct) {
      if (p[0] > mem->size - 4 || p[1] > mem->size - p[0] - 4)
         return shim_vc4_refuse("a direct look-up beyond its buffer");
      set32(where, mem->address + p[0]);
      return 0;
   }
   uint32_t offset = p[0] & 0xfffff000, stride = 0;
   uint32_t width = p[1] >> 8 & 0x7ff, height = p[1] >> 20 & 0x7ff;
   unsigned type = (p[0] >> 4 & 15) | (p[1] >> 31) << 4;
   unsigned cpp = texture_cpp[type];
   width = width ? width : 2048;
   height = height ? height : 2048;
   if (p[0] >> 9 & 1) {
      for (unsigned i = 2; i < 4; i++) {
         if (p[i] >> 30 == 1 && stride)
            return shim_vc4_refuse("two strides of a cube map");
         if (p[i] >> 30 == 1)
            stride = p[i] & 0x3ffff000;
      }
      if (!stride)
         return shim_vc4_refuse("a cube map without stride");
   }
   if (!cpp)
      return shim_vc4_refuse("texture format %u", type);
   if (type == 8) {
      width = (width + 3) / 4;
      height = (height + 3) / 4;
   }
   unsigned tiling =
      type == 16                                                         ? 0
      : width <= 4 * utile_width(cpp) || height <= 4 * utile_height(cpp) ? 2
                                                                         : 1;
   if ((uint64_t)offset + 5ull * stride > mem->size ||
       !shim_vc4_image_fits(mem, offset + stride * 5, tiling, width, height,
                            cpp) ||
       !levels_fit(offset, p[0] & 15, tiling, width, height, cpp))
      return shim_vc4_refuse("a texture of %ux%u at %u beyond its buffer",
                             width, height, offset);
   set32(where, mem->address + p[0]);
   return 0;
}

/* What is left to read and to write. */
struct cursor {
   const uint8_t *records, *uniforms;
   uint32_t records_left, uniforms_left;
   uint32_t record, uniform; /* offsets in exec->out */
};

/* Copies and relocates the uniforms of one program of a record. */
static int
copy_uniforms(struct vc4_exec *exec, struct cursor *c,
              const struct shim_vc4_shader *shader)
{
   if (shader->uniforms_src_size > c->uniforms_left ||
       c->uniform + shader->uniforms_size > exec->out_size)
      return shim_vc4_refuse("fewer uniforms than programs take");
   const uint8_t *handles = c->uniforms;
   const uint8_t *in = handles + shader->num_samples * 4;
   uint8_t *out = exec->out + c->uniform;
   memcpy(out, in, shader->uniforms_size);
   for (unsigned i = 0; i < shader->num_samples; i++) {
      int ret = relocate_sample(exec, &shader->samples[i], in, out,
                                get32(handles + i * 4));
      if (ret)
         return ret;
   }
   for (unsigned i = 0; i < shader->num_resets; i++)
      set32(out + shader->resets[i] * 4, exec->out_address + c->uniform);
   c->uniforms += shader->uniforms_src_size;
   c->uniforms_left -= shader->uniforms_src_size;
   c->uniform += shader->uniforms_size;
   return 0;
}

static int
copy_programs(struct vc4_exec *exec, struct cursor *c, const uint8_t *handles,
              const uint8_t *in, uint8_t *out)
{
   static const uint8_t places[3] = { 4, 16, 28 };
   for (unsigned i = 0; i < 3; i++) {
      uint32_t index = get32(handles + i * 4);
      struct shim_mem *mem = index < exec->num_bos ? exec->bos[index] : NULL;
      if (!mem || !mem->shader || get32(in + places[i]))
         return shim_vc4_refuse("a record without its programs");
      bool single = i > 0 || (in[0] & 1);
      if (mem->shader->threaded == single)
         return shim_vc4_refuse("a record and its program differ in threads");
      set32(out + places[i], mem->address);
      set32(out + places[i] + 4, exec->out_address + c->uniform);
      int ret = copy_uniforms(exec, c, mem->shader);
      if (ret)
         return ret;
   }
   return 0;
}

static int
copy_attribute(struct vc4_exec *exec, const struct shader_ref *ref,
               unsigned number, uint32_t handle, const uint8_t *in,
               uint8_t *out)
{
   const uint8_t *a = in + 36 + number * 8;
   uint32_t offset = get32(a), bytes = a[4] + 1, stride = a[5];
   struct shim_mem *mem = shim_vc4_use_bo(exec, handle);
   if (!mem)
      return -EINVAL;
   if (ref->bits & 8)
      stride |= get32(in + 100 + number * 4) & ~0xffu;
   if (mem->size < offset || mem->size - offset < bytes)
      return shim_vc4_refuse("an attribute beyond its buffer");
   if (stride && ref->max_index > (mem->size - offset - bytes) / stride)
      return shim_vc4_refuse("vertex %u beyond its buffer", ref->max_index);
   set32(out + 36 + number * 8, mem->address + offset);
   return 0;
}

static int
copy_record(struct vc4_exec *exec, struct cursor *c,
            const struct shader_ref *ref)
{
   unsigned num = ref->bits & 7 ? ref->bits & 7 : 8;
   uint32_t size = record_size(ref->bits), handles_size = (3 + num) * 4;
   if (handles_size + size > c->records_left ||
       c->record + size > exec->out_size)
      return shim_vc4_refuse("fewer shader records than announced");
   const uint8_t *handles = c->records, *in = handles + handles_size;
   uint8_t *out = exec->out + c->record;
   memcpy(out, in, size);
   c->records += handles_size + size;
   c->records_left -= handles_size + size;
   c->record += ALIGN_POT(size, 16);
   int ret = copy_programs(exec, c, handles, in, out);
   for (unsigned i = 0; !ret && i < num; i++)
      ret =
         copy_attribute(exec, ref, i, get32(handles + (3 + i) * 4), in, out);
   return ret;
}

int
shim_vc4_validate_bin(struct vc4_exec *exec)
{
   const struct drm_vc4_submit_cl *args = exec->args;
   struct bin_list list = { .exec = exec };
   struct cursor cursor = {
      .records = exec->records,
      .uniforms = exec->uniforms,
      .records_left = args->shader_rec_size,
      .uniforms_left = args->uniforms_size,
      .record = ALIGN_POT(args->bin_cl_size, 16),
   };
   /* Records are not larger than what stands for them. */
   cursor.uniform = cursor.record + args->shader_rec_size;
   list.record_address = exec->out_address + cursor.record;
   list.shaders = calloc(args->shader_rec_count + 1, sizeof(*list.shaders));
   if (!list.shaders)
      return -ENOMEM;
   int ret = copy_list(&list);
   for (unsigned i = 0; !ret && i < list.num_shaders; i++)
      ret = copy_record(exec, &cursor, &list.shaders[i]);
   free(list.shaders);
   return ret;
}
