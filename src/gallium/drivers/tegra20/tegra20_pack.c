/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_pack.h"

#include <math.h>

#include "util/u_math.h"

#include "tegra20/gr3d_regs.h"

uint32_t
tegra20_pack_cull_face(const struct pipe_rasterizer_state *state)
{
   uint32_t front = state->front_ccw ? GR3D_CULL_FACE_CW : GR3D_CULL_FACE_CCW;
   uint32_t back = state->front_ccw ? GR3D_CULL_FACE_CCW : GR3D_CULL_FACE_CW;
   uint32_t cull = 0;

   if (state->cull_face & PIPE_FACE_FRONT)
      cull |= front;
   if (state->cull_face & PIPE_FACE_BACK)
      cull |= back;
   return GR3D_CULL_FACE_LINKER_SETUP_CULL_FACE(cull) |
          GR3D_CULL_FACE_LINKER_SETUP_FRONT_CW(cull || state->front_ccw);
}

uint32_t
tegra20_pack_mirrored_faces(uint32_t faces)
{
   const uint32_t ccw =
      GR3D_CULL_FACE_LINKER_SETUP_CULL_FACE(GR3D_CULL_FACE_CCW);
   const uint32_t cw =
      GR3D_CULL_FACE_LINKER_SETUP_CULL_FACE(GR3D_CULL_FACE_CW);

   if (!(faces & (ccw | cw)))
      return faces ^ GR3D_CULL_FACE_LINKER_SETUP_FRONT_CW(1);
   return GR3D_CULL_FACE_LINKER_SETUP_FRONT_CW(1) | (faces & ccw ? cw : 0) |
          (faces & cw ? ccw : 0);
}

uint32_t
tegra20_pack_depth_test(const struct pipe_depth_stencil_alpha_state *state)
{
   if (!state->depth_enabled)
      return 0;
   return GR3D_DEPTH_TEST_PARAMS_DEPTH_TEST(1) |
          GR3D_DEPTH_TEST_PARAMS_FUNC(state->depth_func) |
          GR3D_DEPTH_TEST_PARAMS_DEPTH_WRITE(state->depth_writemask);
}

static uint32_t
stencil_op(unsigned op)
{
   switch (op) {
   case PIPE_STENCIL_OP_ZERO:
      return GR3D_STENCIL_OP_ZERO;
   case PIPE_STENCIL_OP_REPLACE:
      return GR3D_STENCIL_OP_REPLACE;
   case PIPE_STENCIL_OP_INCR:
      return GR3D_STENCIL_OP_INCR;
   case PIPE_STENCIL_OP_DECR:
      return GR3D_STENCIL_OP_DECR;
   case PIPE_STENCIL_OP_INCR_WRAP:
      return GR3D_STENCIL_OP_INCR_WRAP;
   case PIPE_STENCIL_OP_DECR_WRAP:
      return GR3D_STENCIL_OP_DECR_WRAP;
   case PIPE_STENCIL_OP_INVERT:
      return GR3D_STENCIL_OP_INVERT;
   default:
      return GR3D_STENCIL_OP_KEEP;
   }
}

/* PIPE_FUNC_* and the engine's comparison codes are the same numbers. */
static_assert((int)PIPE_FUNC_LESS == GR3D_COMPARE_FUNC_LESS &&
                 (int)PIPE_FUNC_ALWAYS == GR3D_COMPARE_FUNC_ALWAYS &&
                 (int)PIPE_FUNC_GREATER == GR3D_COMPARE_FUNC_GREATER,
              "comparison codes");

uint32_t
tegra20_pack_stencil_test(const struct pipe_stencil_state *state)
{
   return GR3D_STENCIL_FRONT1_MASK(state->valuemask) |
          GR3D_STENCIL_FRONT1_FUNC(state->func);
}

uint32_t
tegra20_pack_stencil_ops(const struct pipe_stencil_state *state)
{
   return GR3D_STENCIL_FRONT2_OP_FAIL(stencil_op(state->fail_op)) |
          GR3D_STENCIL_FRONT2_OP_ZFAIL(stencil_op(state->zfail_op)) |
          GR3D_STENCIL_FRONT2_OP_ZPASS(stencil_op(state->zpass_op)) |
          GR3D_STENCIL_FRONT2_WRITE_MASK(state->writemask);
}

uint32_t
tegra20_pack_alu_buffer_size(unsigned rows)
{
   return GR3D_ALU_BUFFER_SIZE_SIZE(rows - 1) |
          GR3D_ALU_BUFFER_SIZE_SIZEx4(299 / (4 * rows));
}

/* The vendor's bound on window coordinates, pixels. */
#define GUARDBAND_LIMIT 3967.0f

float
tegra20_guardband(float translate, float scale)
{
   scale = fabsf(scale);
   if (scale < 0.5f)
      return 1.0f;
   return MAX2((GUARDBAND_LIMIT - fabsf(translate)) / scale, 1.0f);
}

void
tegra20_patch_packet(uint32_t packet[8], unsigned slot, uint32_t value)
{
   uint64_t v = (uint64_t)packet[7] << 32 | packet[6];
   unsigned shift = 4 + 20 * slot;

   v = (v & ~(0xfffffull << shift)) | (uint64_t)(value & 0xfffff) << shift;
   packet[6] = v;
   packet[7] = v >> 32;
}
