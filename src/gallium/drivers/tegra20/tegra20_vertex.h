/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex attributes of the current plan's vertex program.
 */

#ifndef TEGRA20_VERTEX_H
#define TEGRA20_VERTEX_H

#include <stdbool.h>
#include <stdint.h>

struct pipe_resource;
struct tegra20_context;

/*
 * Number of vertices that all attributes of a mask can be fetched for;
 * UINT32_MAX when nothing depends on the vertex number.  Strides may be
 * smaller than elements.
 */
uint32_t
tegra20_vertices_inside(const struct tegra20_context *ctx, uint32_t attribs);

/* Attributes with a divisor, of which there are some, are those of this
 * instance (from 0) of a draw that begins at the instance start: OpenGL ES
 * 3.0, 2.8.3. */
void
tegra20_attribs_set_instance(struct tegra20_context *ctx, uint32_t start,
                             uint32_t instance);

/* Sets ctx->num_vertices and ctx->unsupported_attribs; once per draw. */
void
tegra20_attribs_examine(struct tegra20_context *ctx);

/*
 * Points ctx->attribs at the vertex buffers, with vertex base_vertex as
 * number 0; count vertices from there on will be fetched (all of them below
 * ctx->num_vertices).  False when a negative base leaves a buffer at its
 * start, or memory ran out.
 */
bool
tegra20_attribs_update(struct tegra20_context *ctx, int64_t base_vertex,
                       unsigned count);

#define TEGRA20_POINT_CORNERS 6

/*
 * Copies vertices into a new buffer, one after the other, with zeros outside
 * of the vertex buffers.  corners: TEGRA20_POINT_CORNERS times each, with the
 * corner of the point (tegra20_program_nir.c).  False when memory ran out.
 * tegra20_attribs_forget() afterwards.
 */
bool
tegra20_attribs_copy(struct tegra20_context *ctx, const uint32_t *vertices,
                     unsigned count, bool corners,
                     struct pipe_resource **buffer);

/* Vertices of num_attribs vec4 at an offset of a buffer. */
void
tegra20_attribs_float4(struct tegra20_context *ctx,
                       struct pipe_resource *buffer, unsigned offset,
                       unsigned num_attribs);

/* ctx->attribs do not point at the vertex buffers any more. */
void
tegra20_attribs_forget(struct tegra20_context *ctx);

#endif
