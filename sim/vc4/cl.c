/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Control lists: bytes that name a packet, each followed by its operands.
 * The binning thread runs its whole list; the rendering thread collects what
 * is to be drawn in every tile, and draws it all at its end.
 */

#include <stdlib.h>
#include <string.h>

#include "v3d_internal.h"

#define MAX_INDICES (1u << 24)
#define MAX_PACKETS (1u << 22) /* of a list, with what it calls */

enum { BIN = 1, RENDER = 2 };

static const struct {
   uint8_t size, threads;
   const char *name;
} packets[256] = {
   [0] = { 1, BIN | RENDER, "halt" },
   [1] = { 1, BIN | RENDER, "nop" },
   [4] = { 1, BIN, "flush" },
   [5] = { 1, BIN, "flush_all" },
   [6] = { 1, BIN, "start_tile_binning" },
   [7] = { 1, BIN | RENDER, "increment_semaphore" },
   [8] = { 1, BIN | RENDER, "wait_on_semaphore" },
   [16] = { 5, BIN | RENDER, "branch" },
   [17] = { 5, BIN | RENDER, "branch_to_sub_list" },
   [18] = { 1, BIN | RENDER, "return_from_sub_list" },
   [24] = { 1, RENDER, "store_resolved" },
   [25] = { 1, RENDER, "store_resolved_eof" },
   [26] = { 5, RENDER, "store_full" },
   [27] = { 5, RENDER, "load_full" },
   [28] = { 7, RENDER, "store_general" },
   [29] = { 7, RENDER, "load_general" },
   [32] = { 14, BIN, "indexed_primitives" },
   [33] = { 10, BIN, "array_primitives" },
   /* our own operands follow, see docs/videocore.md */
   [CL_COMPRESSED] = { 2, RENDER, "compressed_primitive" },
   [CL_CLIPPED] = { 5, RENDER, "clipped_primitive" },
   [56] = { 2, BIN | RENDER, "primitive_list_format" },
   [64] = { 5, BIN | RENDER, "gl_shader_state" },
   [65] = { 5, BIN | RENDER, "nv_shader_state" },
   [66] = { 5, BIN | RENDER, "vg_shader_state" },
   [96] = { 4, BIN | RENDER, "configuration_bits" },
   [97] = { 5, BIN | RENDER, "flat_shade_flags" },
   [98] = { 5, BIN | RENDER, "point_size" },
   [99] = { 5, BIN | RENDER, "line_width" },
   [100] = { 3, BIN | RENDER, "rht_x_boundary" },
   [101] = { 5, BIN | RENDER, "depth_offset" },
   [102] = { 9, BIN | RENDER, "clip_window" },
   [103] = { 5, BIN | RENDER, "viewport_offset" },
   [104] = { 9, BIN | RENDER, "z_clipping" },
   [105] = { 9, BIN, "clipper_xy_scaling" },
   [106] = { 9, BIN, "clipper_z_scaling" },
   [112] = { 16, BIN, "tile_binning_mode" },
   [113] = { 11, RENDER, "tile_rendering_mode" },
   [114] = { 14, RENDER, "clear_colors" },
   [115] = { 3, RENDER, "tile_coordinates" },
};

unsigned
cl_packet_size(uint8_t packet)
{
   return packets[packet].size;
}

const char *
cl_packet_name(uint8_t packet)
{
   return packets[packet].name;
}

static uint16_t
get16(const uint8_t *p)
{
   uint16_t value;
   memcpy(&value, p, 2);
   return value;
}

static uint32_t
get32(const uint8_t *p)
{
   uint32_t value;
   memcpy(&value, p, 4);
   return value;
}

static float
get_float(const uint8_t *p)
{
   float value;
   memcpy(&value, p, 4);
   return value;
}

bool
cl_apply_state(struct cl_state *state, const uint8_t *p)
{
   switch (p[0]) {
   case 64:
   case 65:
      state->shader_packet = p[0];
      state->shader = get32(p + 1);
      return true;
   case 96:
      state->config = p[1] | p[2] << 8 | p[3] << 16;
      return true;
   case 97:
      state->flat = get32(p + 1);
      return true;
   case 98:
      state->point_size = get_float(p + 1);
      return true;
   case 99:
      state->line_width = get_float(p + 1);
      return true;
   case 101:
      state->depth_factor = get16(p + 1);
      state->depth_units = get16(p + 3);
      return true;
   case 102:
      state->clip_left = get16(p + 1);
      state->clip_bottom = get16(p + 3);
      state->clip_width = get16(p + 5);
      state->clip_height = get16(p + 7);
      return true;
   case 103:
      state->viewport_x = get16(p + 1);
      state->viewport_y = get16(p + 3);
      return true;
   default:
      return false;
   }
}

/* Which state a packet is, or NUM_STATES. */
static unsigned
state_of(uint8_t packet)
{
   static const uint8_t states[] = { 96, 97, 98, 99, 101, 102, 103 };
   if (packet == 64 || packet == 65)
      return STATE_SHADER;
   for (unsigned i = 0; i < V3D_COUNT(states); i++) {
      if (states[i] == packet)
         return STATE_CONFIG + i;
   }
   return NUM_STATES;
}

/* --- walking --- */

struct walk {
   struct v3d *v3d;
   unsigned thread; /* BIN, RENDER */
   uint32_t address, end;
   uint32_t returns[2]; /* of sub-lists */
   unsigned depth;
   bool halted;
   unsigned count;
   bool (*run)(struct walk *walk, const uint8_t *packet, uint32_t rest);
   uint32_t extra; /* bytes that run() took beyond the packet's */
   void *data;
};

static bool
walk_branch(struct walk *walk, const uint8_t *p)
{
   switch (p[0]) {
   case 16:
      walk->address = get32(p + 1);
      break;
   case 17:
      if (walk->depth == 2) {
         v3d_diag(walk->v3d, V3D_DIAG_CL_STATE,
                  "sub-lists nested deeper than two");
         return false;
      }
      walk->returns[walk->depth++] = walk->address + 5;
      walk->address = get32(p + 1);
      break;
   default:
      if (!walk->depth) {
         v3d_diag(walk->v3d, V3D_DIAG_CL_STATE,
                  "a return outside of a sub-list");
         return false;
      }
      walk->address = walk->returns[--walk->depth];
   }
   return true;
}

static bool
walk_list(struct walk *walk)
{
   while (!walk->halted && (walk->depth || walk->address != walk->end)) {
      uint32_t rest;
      const uint8_t *p = v3d_memory_rest(walk->v3d, walk->address, &rest);
      unsigned size = p ? packets[p[0]].size : 0;
      if (!p || size > rest || ++walk->count > MAX_PACKETS) {
         v3d_diag(walk->v3d, V3D_DIAG_CL_RANGE,
                  "a control list goes on at 0x%08x, where no memory is, or "
                  "does not end",
                  walk->address);
         return false;
      }
      if (!size || !(packets[p[0]].threads & walk->thread)) {
         v3d_diag(walk->v3d, V3D_DIAG_CL_PACKET,
                  "packet %u at 0x%08x of a %s list", p[0], walk->address,
                  walk->thread == BIN ? "binning" : "rendering");
         return false;
      }
      if (p[0] >= 16 && p[0] <= 18) {
         if (!walk_branch(walk, p))
            return false;
         continue;
      }
      walk->extra = 0;
      if (p[0] == 0)
         walk->halted = true;
      else if (!walk->run(walk, p, rest))
         return false;
      walk->address += size + walk->extra;
   }
   return true;
}

static void
run_thread(struct v3d *v3d, unsigned thread, struct walk *walk)
{
   const unsigned index = thread == RENDER;
   uint32_t *ca = &v3d->regs[V3D_CT0CA / 4 + index];
   walk->v3d = v3d;
   walk->thread = thread;
   walk->address = *ca;
   walk->end = v3d->regs[V3D_CT0EA / 4 + index];
   v3d->regs[V3D_CT0CS / 4 + index] = 0;
   if (!walk_list(walk)) {
      v3d->regs[V3D_CT0CS / 4 + index] = V3D_CTCS_ERROR;
      v3d->regs[V3D_ERRSTAT / 4] |= 1;
   }
   *ca = walk->address;
}

/* --- binning --- */

static bool
draw_indexed(struct v3d *v3d, const uint8_t *p)
{
   const bool wide = p[1] >> 4;
   uint32_t count = get32(p + 2), address = get32(p + 6);
   uint32_t max = get32(p + 10);
   if (!count)
      return true;
   const uint8_t *data =
      count <= MAX_INDICES ? v3d_memory(v3d, address, count << wide) : NULL;
   uint32_t *indices = data ? malloc(count * sizeof(*indices)) : NULL;
   if (!indices) {
      v3d_diag(v3d, V3D_DIAG_CL_RANGE,
               "%u indices at 0x%08x are not in memory", count, address);
      return false;
   }
   for (uint32_t i = 0; i < count; i++) {
      uint32_t index = wide ? get16(data + i * 2) : data[i];
      indices[i] = V3D_MIN(index, max);
   }
   bool good =
      bin_draw(v3d->bin, &v3d->state[0], p[1] & 15, indices, count, 0);
   free(indices);
   return good;
}

static bool
run_bin_packet(struct walk *walk, const uint8_t *p, uint32_t rest)
{
   struct v3d *v3d = walk->v3d;
   unsigned state = state_of(p[0]);
   if (state < NUM_STATES) {
      cl_apply_state(&v3d->state[0], p);
      bin_state(v3d->bin, state);
      return true;
   }
   switch (p[0]) {
   case 4:
   case 5:
      if (!bin_flush(v3d->bin))
         return false;
      v3d->regs[V3D_BFC / 4]++;
      v3d->regs[V3D_INTCTL / 4] |= V3D_INT_FLDONE;
      return true;
   case 6:
      bin_start(v3d->bin);
      return true;
   case 32:
   case 33:
      if (!bin_ready(v3d->bin)) {
         v3d_diag(v3d, V3D_DIAG_CL_STATE,
                  "primitives before the start of tile binning");
         return false;
      }
      v3d->stats.draws++;
      if (p[0] == 32)
         return draw_indexed(v3d, p);
      if (get32(p + 2) > MAX_INDICES) {
         v3d_diag(v3d, V3D_DIAG_CL_VALUE, "%u vertices in one packet",
                  get32(p + 2));
         return false;
      }
      return bin_draw(v3d->bin, &v3d->state[0], p[1] & 15, NULL, get32(p + 2),
                      get32(p + 6));
   case 105: {
      float xy[2] = { get_float(p + 1), get_float(p + 5) };
      bin_set_scale(v3d->bin, xy);
      return true;
   }
   case 106: {
      float z[2] = { get_float(p + 1), get_float(p + 5) };
      bin_set_z(v3d->bin, z);
      return true;
   }
   case 112:
      return bin_configure(v3d->bin, p);
   default: /* semaphores: a job of one thread is complete before another */
      return true;
   }
}

void
cl_run_bin(struct v3d *v3d)
{
   struct walk walk = { .run = run_bin_packet };
   v3d->stats.bin_jobs++;
   run_thread(v3d, BIN, &walk);
}

/* --- rendering --- */

static bool
run_render_packet(struct walk *walk, const uint8_t *p, uint32_t rest)
{
   struct v3d *v3d = walk->v3d;
   if (cl_apply_state(&v3d->state[1], p)) {
      render_state(v3d->render);
      return true;
   }
   switch (p[0]) {
   case 24:
   case 25:
   case 26:
   case 27:
   case 28:
   case 29:
      render_transfer(v3d->render, p);
      return true;
   case CL_COMPRESSED: {
      unsigned count = p[1] & 3, bytes = p[1] & 0x80 ? 2 : 4;
      walk->extra = count * bytes;
      return 2 + walk->extra <= rest &&
             render_primitives(v3d->render, &v3d->state[1], p, rest);
   }
   case CL_CLIPPED:
      return render_primitives(v3d->render, &v3d->state[1], p, rest);
   case 113:
      render_configure(v3d->render, p);
      return true;
   case 114:
      render_clear_colors(v3d->render, p);
      return true;
   case 115:
      render_tile_coordinates(v3d->render, p[1], p[2]);
      return true;
   default:
      return true;
   }
}

void
cl_run_render(struct v3d *v3d)
{
   struct walk walk = { .run = run_render_packet };
   v3d->stats.render_jobs++;
   render_begin(v3d->render);
   run_thread(v3d, RENDER, &walk);
   render_end(v3d->render);
}
