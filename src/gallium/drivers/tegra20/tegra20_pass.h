/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Passes: how one draw of the application becomes one or more draws of the
 * engine.
 *
 * Most draws take one pass.  Some take several, because the engine lacks a
 * stage that OpenGL has, or because a program does not fit:
 *
 *   programs that discard, with depth writes (A35)
 *      The engine writes depth before the program runs.  Stencil can be
 *      written after it, for surviving fragments only.  So the first pass
 *      draws colour and lets survivors mark a stencil surface, the second
 *      one writes depth where there is a mark.
 *   the same with a stencil test
 *      The marks take the place of the stencil test, so a coverage pass
 *      marks survivors, the CPU makes the stencil test at the marks, the
 *      third pass is the draw without depth writes, the fourth one writes
 *      depth.
 *   programs that write gl_FragDepth
 *      The first pass stores the depth as a colour, the CPU makes both
 *      tests and marks pixels that pass, the second pass draws colour there.
 *   tests that this chip makes in another way than OpenGL (A34, A36, A37)
 *      The first pass captures the depth of each pixel in a scratch surface
 *      and marks it, the CPU makes both tests and removes the marks of pixels
 *      that fail, the second pass draws colour where one is left.  Draws of
 *      many primitives, for which that is wrong or slow, are drawn with the
 *      engine's tests where these are nearly right (A34).
 *   programs that do not fit together with blending
 *      The program stores its colour in a scratch surface, and its coverage
 *      in another one when it discards.  The last pass fetches the pixel
 *      and blends it.
 *   programs that do not fit
 *      The compiler cuts them into parts (multipass/tegra20_cut.h), and a
 *      pass with such a program becomes one for each part.  Those in front of
 *      the last one store values in scratch surfaces, for all fragments:
 *      without tests and discards, which are left to the last one.  The
 *      passes of a loop are drawn until no fragment is active.
 *
 * They combine: a plan is a list of passes, and each pass is a value.  The
 * emission code (tegra20_emit.c) takes it as a constant argument, compares it
 * with the pass that the registers hold, and sends the differences.  No state
 * that the application bound changes while a plan is drawn.
 *
 *    draw_vbo                    resolved draw: struct tegra20_draw
 *                                (tegra20_draw.c)
 *       tegra20_plan_update()    which passes, their programs
 *                                (tegra20_multipass.c)
 *       tegra20_plan_draw_vertices()
 *                                where the engine fetches the vertices:
 *                                struct tegra20_primitives
 *          tegra20_plan_draw()   cuts them into groups of primitives
 *                                (both tegra20_plan_draw.c)
 *             tegra20_emit_draw()
 *                                once for each pass of each group
 *
 * Groups.  Passes communicate by pixel: a mark, a depth, a colour.  That is
 * right only where the primitives of a group do not cover a pixel twice, so a
 * draw is cut into groups, which are drawn through all passes one after the
 * other.  A group is one primitive, or two triangles that share an edge when
 * culling leaves only one orientation: they lie on different sides of that
 * edge.  Draws of more primitives than tegra20_plan.max_groups are one group;
 * the result is then right where they do not overlap.
 *
 * Occlusion queries count in a surface whose pixels hold 0 to 127
 * (tegra20_occlusion.h), so no more than 127 primitives count in one
 * surface.
 *
 * Adding a kind of pass.  A pass that stores something for others has scratch
 * surfaces of tegra20_scratch_image() as colour buffers, in "clear" where
 * pixels that it does not write are looked at; a pass that reads them names
 * them in "fetch_only", and its program reads them as framebuffer-fetch
 * outputs of the same number.  Work between passes that is not a draw is an
 * action (enum tegra20_pass_action) in front of a pass, done once for each
 * group.
 */

#ifndef TEGRA20_PASS_H
#define TEGRA20_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "pipe/p_state.h"

#include "tegra20_compiler.h"

struct pipe_resource;
struct tegra20_bo;
struct tegra20_context;
struct tegra20_counter;
struct tegra20_fs_variant;
struct tegra20_link;
struct tegra20_resource;
struct tegra20_shader;
struct tegra20_vs_variant;

enum tegra20_pass_depth {
   TEGRA20_DEPTH_STATE,     /* as the application bound it */
   TEGRA20_DEPTH_READ_ONLY, /* the same without writes */
   TEGRA20_DEPTH_OFF,
   TEGRA20_DEPTH_CAPTURED, /* every fragment writes it */
};

enum tegra20_pass_stencil {
   TEGRA20_STENCIL_STATE, /* as the application bound it */
   TEGRA20_STENCIL_OFF,
   TEGRA20_STENCIL_MARK,       /* survivors write the mark */
   TEGRA20_STENCIL_MARK_FACES, /* back faces write the next number */
   TEGRA20_STENCIL_MARKED,     /* drawn only where the mark is */
   TEGRA20_STENCIL_REPLACED,   /* the bound surface becomes the mark */
};

/* Work for each group before the pass. */
enum tegra20_pass_action {
   TEGRA20_ACTION_NONE,
   TEGRA20_ACTION_TEST_STENCIL,   /* the CPU removes marks */
   TEGRA20_ACTION_TEST_FRAGMENTS, /* the CPU tests depth and stencil of the
                                     depth image, and marks */
   TEGRA20_ACTION_TEST_CAPTURED,  /* the CPU tests the captured depth and
                                     stencil at the marks, and removes some */
};

/* Which draws take the pass. */
enum tegra20_pass_when {
   TEGRA20_WHEN_ALWAYS,
   TEGRA20_WHEN_GROUPED, /* those of no more than max_groups primitives */
   TEGRA20_WHEN_WHOLE,   /* the others */
};

/* Output of the fragment program. */
enum tegra20_output {
   TEGRA20_OUTPUT_COLOR,
   TEGRA20_OUTPUT_DEPTH,    /* its depth as a colour: red and green are the
                               bytes, blue is 1, alpha is the face */
   TEGRA20_OUTPUT_COVERAGE, /* 1 where it does not discard */
};

/*
 * Additions of the driver to a fragment shader as NIR, because the state
 * tracker makes none: clipping against user planes by the distances that the
 * vertex shader writes, polygon stippling, point sprites, counting samples.
 * They include the values of control uniforms of loops and of branches of a
 * large program, which become constants.  Parts of a program have them
 * already.
 */
struct tegra20_fs_extension {
   uint8_t clip_planes; /* bit per plane */
   bool stipple;
   uint8_t sprite_coords; /* texture coordinates that become the coordinate
                             inside a point */
   uint8_t output;        /* enum tegra20_output (tegra20_pass.h) */
   uint8_t smooth;        /* enum tegra20_smooth */
   uint8_t samples;       /* of tegra20_samples_key() */
   uint8_t face; /* PIPE_FACE_FRONT or _BACK: the program's only one, where it
                    asks */
   bool count;   /* adds one to a pixel of the second target, see
                    tegra20_occlusion.h */
   uint32_t control_uniforms
      [TEGRA20_MAX_CONTROL_UNIFORMS]; /* words, in the order of
                                         tegra20_shader.control_uniforms */
};

struct tegra20_pass {
   /* Targets.  Surfaces belong to the bound framebuffer or to the context's
    * scratch surfaces. */
   struct pipe_surface *cbufs[TEGRA20_MAX_CBUFS];
   struct pipe_surface *zsbuf;
   struct tegra20_counter *counter; /* set for each group */
   uint8_t nr_cbufs;
   uint16_t fetch_only; /* colour buffers that the program reads, and that
                           keep their contents */
   uint16_t spilled;    /* colour buffers that hold a value spilled by a part
                           of a program */
   uint8_t sampled[TEGRA20_MAX_SAMPLERS]; /* units with such values, of other
                           pixels: the scratch image's number, or 0 */
   uint16_t flags; /* those of "spilled" that hold a flag instead */
   uint8_t group[TEGRA20_MAX_CBUFS]; /* of those: tegra20_group(), or 0 */
   uint16_t clear;   /* colour buffers that become 0 before each group */
   uint16_t in_loop; /* other than 0: a loop of so many passes, from this one
                        on, which are drawn until no pixel of the surface has
                        a flag */
   struct pipe_surface *active;
   bool no_color;    /* no colour buffer is written */
   bool whole_quads; /* rasterised with helper pixels (full quads), for passes
                        that read neighbouring pixels */
   bool counts;      /* counts samples, in ... */

   /* Depth and stencil. */
   uint8_t depth;   /* enum tegra20_pass_depth */
   uint8_t stencil; /* enum tegra20_pass_stencil */
   uint8_t mark;    /* 1..255, unique for each group */

   uint8_t action; /* enum tegra20_pass_action */
   uint8_t when;   /* enum tegra20_pass_when */

   /* Primitives. */
   uint8_t kind;  /* enum mesa_prim: points, lines or triangles as they are
                     rasterised */
   bool windowed; /* vertices are in window coordinates: the draw module has
                     clipped, culled and offset the primitives */
   bool expands_points; /* points are drawn as triangles */

   /* Programs. */
   uint8_t output; /* enum tegra20_output */
   const struct pipe_blend_state *blend;
   struct tegra20_shader *vs,
      *fs;              /* the bound ones, the driver's, or parts */
   uint8_t clip_planes; /* clip planes whose distances the vertices have */
   struct tegra20_fs_extension extension; /* additions of the state to fs */
   bool extended;                         /* there is something in it */
   struct tegra20_vs_variant *vs_variant;
   struct tegra20_fs_variant *fs_variant;
   const struct tegra20_link *link;
};

struct tegra20_plan {
   unsigned num_passes; /* 0: there is no plan */
   struct tegra20_pass *passes;
   unsigned space;      /* for passes: at least one */
   unsigned num_marks;  /* numbers that each group takes */
   unsigned max_groups; /* 0: groups may overlap themselves */
   bool dilates;        /* there are passes with whole quads */
   bool counts;         /* a pass counts samples */
   bool kills;          /* the application's program does */
   bool simple; /* one pass for draws of any number of primitives, which may
                   overlap: nothing has to be cut into groups */
   uint32_t state; /* TEGRA20_DIRTY_*: its dependences */
};

/* A polygon that covers whole quads, as a list of triangles. */
struct tegra20_dilated {
   unsigned first, count; /* vertices */
};

/* A draw of the application: vertices of the bound buffers, or indices of
 * them. */
struct tegra20_draw {
   const struct pipe_draw_info *info; /* mode and indices */
   unsigned start, count; /* vertices, or indices; a whole number of
                             primitives, at least one */
   int64_t first, last;   /* smallest and largest vertex, with the bias */
   int index_bias;
};

/* Vertices that ctx->attribs describe, or indices of them. */
struct tegra20_primitives {
   enum mesa_prim mode;
   unsigned first, count;       /* vertices, or indices */
   struct tegra20_bo *index_bo; /* NULL: not indexed */
   uint32_t index_offset;       /* of index 0, in bytes */
   unsigned index_size;         /* 1 or 2 */
   const uint32_t *numbers; /* lists: count numbers, equal where vertices are
                               the same; NULL: not known */
   const struct tegra20_dilated *dilated; /* of each primitive of a list, for
                                             passes with whole quads; NULL:
                                             points, which the vertex program
                                             makes larger */
   unsigned vertices_per_group; /* of points and lines drawn as triangles; 0:
                                   as the mode says */
};

/* One draw of the engine. */
struct tegra20_draw_call {
   uint32_t params;       /* 0x122 without the cache bits */
   unsigned first, count; /* vertices (or indices); first is 0 for indexed
                             draws; count 1..4096 */
   struct tegra20_bo *index_bo; /* NULL: not indexed */
   uint32_t index_offset;
   enum mesa_prim mode; /* as in params */
};

/* The engine's limit for a draw (A07). */
#define TEGRA20_MAX_DRAW_VERTICES 4096

/* Can count vertices be drawn with the plan as they are? Other modes have to
 * become lists first. */
bool
tegra20_plan_can_draw(const struct tegra20_context *ctx, enum mesa_prim mode,
                      unsigned count);

/*
 * Makes ctx->plan for the bound state: kind is points, lines or triangles as
 * they are rasterised; windowed: vertices come from the draw module.  Brings
 * copies of textures up to date; may submit jobs.  False when nothing can be
 * drawn: a program does not fit, or memory ran out.
 */
bool
tegra20_plan_update(struct tegra20_context *ctx, enum mesa_prim kind,
                    bool windowed);

/*
 * For a simple plan of the bound programs: takes over depth, stencil and
 * blending that changed since, where they change no more than the variant of
 * the fragment program.  False when the plan has to be made anew.
 */
bool
tegra20_plan_refresh(struct tegra20_context *ctx);

/* Turns a list of vertex numbers of 2 or 4 bytes, which it frees, into one of
 * points, lines or triangles; NULL when memory ran out. */
void *
tegra20_translate_list(const struct tegra20_context *ctx,
                       enum mesa_prim *mode, void *list, unsigned index_size,
                       unsigned *count);

/* Vertex numbers of a draw, in order; NULL when memory is missing. */
uint32_t *
tegra20_draw_numbers(struct tegra20_context *ctx,
                     const struct tegra20_draw *draw);

/* Primitives that lie behind the buffers as a whole are not drawn: their
 * number has no limit.  False when nothing is left. */
bool
tegra20_draw_clamp(struct tegra20_draw *draw, uint32_t num_fetchable);

/* Draws vertices of the application with ctx->plan, which is not windowed: as
 * they are, or as a list. */
void
tegra20_plan_draw_vertices(struct tegra20_context *ctx,
                           struct tegra20_draw *draw);

/* Draws primitives through all passes of ctx->plan->  Without memory they are
 * dropped. */
void
tegra20_plan_draw(struct tegra20_context *ctx,
                  const struct tegra20_primitives *prims);

/* Once for a context, before anything is drawn.  False when memory ran out.
 */
bool
tegra20_multipass_init(struct tegra20_context *ctx);
void
tegra20_multipass_fini(struct tegra20_context *ctx);

/*
 * tegra20_emit.c: sends the state that changed and one draw of one pass.
 * False when it had to be dropped (out of memory).
 */
bool
tegra20_emit_draw(struct tegra20_context *ctx,
                  const struct tegra20_pass *pass,
                  const struct tegra20_draw_call *call);

#endif
