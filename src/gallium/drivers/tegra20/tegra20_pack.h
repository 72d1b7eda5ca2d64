/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * State of Gallium's structures as register words.  Pure functions.
 */

#ifndef TEGRA20_PACK_H
#define TEGRA20_PACK_H

#include <stdint.h>

#include "pipe/p_state.h"

/*
 * CULL_FACE and FRONT_CW of 0x343.  A29, gr3d-registers.md 3.5: the engine
 * measures winding in memory coordinates; Gallium's front_ccw counts it in a
 * frame whose y axis points down, so that FRONT_CW = front_ccw for either
 * sign of the viewport's Y scale.  A130: with FRONT_CW = 1 a chip whose
 * CULL_FACE names faces drops the same triangles as one where it names
 * windings; so it is 1 whenever something is culled, and says nothing about
 * the face that is left (tegra20_pass_face()).
 */
uint32_t
tegra20_pack_cull_face(const struct pipe_rasterizer_state *state);

/* The same for a chip that measures winding before a viewport that mirrors.
 */
uint32_t
tegra20_pack_mirrored_faces(uint32_t faces);

/* 0x403, without the bit that is set in every intended value; 0 when the test
 * is off. */
uint32_t
tegra20_pack_depth_test(const struct pipe_depth_stencil_alpha_state *state);

/* 0x400 or 0x401. */
uint32_t
tegra20_pack_stencil_test(const struct pipe_stencil_state *state);

/* 0xe28 or 0xe29, without the reference. */
uint32_t
tegra20_pack_stencil_ops(const struct pipe_stencil_state *state);

/* 0xe20 for programs with 1 to 4 rows of registers: fragments in flight share
 * 300 rows (gr3d-registers.md 3.10). */
uint32_t
tegra20_pack_alu_buffer_size(unsigned rows);

/* Clip limit in x or y, in units of w: the vendor's formula
 * (gr3d-registers.md 3.3), never less than the viewport. */
float
tegra20_guardband(float translate, float scale);

/*
 * Writes 20 bits of constant slot 0..2 into a packet of eight words: the 64
 * bits of sub-instruction 3 are words 6 (low) and 7 (high) and hold k0, k1
 * and k2 from bit 4 on (fragment-pipeline.md 3.4).
 */
void
tegra20_patch_packet(uint32_t packet[8], unsigned slot, uint32_t value);

#endif
