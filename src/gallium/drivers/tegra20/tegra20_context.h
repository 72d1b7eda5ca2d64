/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A rendering context.
 *
 * Commands are recorded into two jobs, one per engine, of which at most one
 * holds commands at any time: recording for one engine submits the commands
 * recorded for the other, and the winsys orders submitted jobs that share
 * buffers.  A 3D job starts with the complete state, because nothing survives
 * between jobs (gr3d-registers.md 1.4); inside a job only the state in
 * "dirty" is sent again.
 *
 * Numbers that track changes:
 *
 *   epoch (context, resource)
 *      Orders rendering against sampling.  Recording a write marks the
 *      resource with the context's epoch; when a draw samples a resource with
 *      the current epoch, a barrier is recorded first and a new epoch begins.
 *      The upper half is the batch, which is recorded and not yet submitted:
 *      it is unique in the screen, so that marks of other contexts and of
 *      older jobs never match, and tells whose writes are yet to come.
 *   write_serial (resource)
 *      Changes with every write: copies and index ranges compare it to find
 *      that they are stale.
 *   storage_generation (screen, context)
 *      Resources of the screen that got other memory, of which other contexts
 *      may have sent the address; textures in the upper half.
 *   constants_serial (context, variant of a fragment program)
 *      The constants, and state that is a parameter of programs, that a
 *      variant was packed with.
 */

#ifndef TEGRA20_CONTEXT_H
#define TEGRA20_CONTEXT_H

#include "pipe/p_context.h"
#include "pipe/p_state.h"
#include "util/list.h"
#include "util/slab.h"
#include "util/u_debug.h"
#include "util/u_upload_mgr.h"

#include "tegra20_compiler.h"
#include "tegra20_winsys.h"

struct blitter_context;
struct tegra20_cost;
struct tegra20_fs_variant;
struct tegra20_occlusion;
struct tegra20_pass;
struct tegra20_plan;
struct tegra20_query;
struct tegra20_resource;
struct tegra20_sampler_view;
struct tegra20_scratch;
struct tegra20_screen;
struct tegra20_shader;
struct tegra20_swtnl;
struct tegra20_texture;

enum tegra20_dirty {
   TEGRA20_DIRTY_FRAMEBUFFER = 1 << 0,
   TEGRA20_DIRTY_VIEWPORT = 1 << 1,
   TEGRA20_DIRTY_SCISSOR = 1 << 2,
   TEGRA20_DIRTY_RASTERIZER = 1 << 3,
   TEGRA20_DIRTY_ZSA = 1 << 4,
   TEGRA20_DIRTY_STENCIL_REF = 1 << 5,
   TEGRA20_DIRTY_BLEND = 1 << 6,
   TEGRA20_DIRTY_BLEND_COLOR = 1 << 7,
   TEGRA20_DIRTY_VERTEX = 1 << 8, /* vertex elements or buffers */
   TEGRA20_DIRTY_VS = 1 << 9,     /* another shader bound */
   TEGRA20_DIRTY_FS = 1 << 10,
   TEGRA20_DIRTY_VS_CONST = 1 << 11,
   TEGRA20_DIRTY_FS_CONST = 1 << 12,
   TEGRA20_DIRTY_TEXTURES = 1 << 13, /* views or samplers */
   TEGRA20_DIRTY_VS_CODE = 1 << 14,  /* variant chosen */
   TEGRA20_DIRTY_FS_CODE = 1 << 15,
   TEGRA20_DIRTY_LINK = 1 << 16,
   TEGRA20_DIRTY_JOB = 1 << 17, /* first draw of a job: no register is set,
                                   but plans stay as they are */
   /* parts of the state above that programs and passes depend on */
   TEGRA20_DIRTY_TEXTURE_KEYS = 1 << 18,
   TEGRA20_DIRTY_RASTERIZER_KEY = 1 << 19,
   TEGRA20_DIRTY_ZSA_KEY = 1 << 20, /* and targets */
   TEGRA20_DIRTY_ALL = (1 << 21) - 1,
   /* inputs of tegra20_cost_update() */
   TEGRA20_DIRTY_COST = TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_VIEWPORT |
                        TEGRA20_DIRTY_SCISSOR | TEGRA20_DIRTY_VS_CODE |
                        TEGRA20_DIRTY_FS_CODE,
   /* inputs of tegra20_program_params() */
   TEGRA20_DIRTY_PARAMS = TEGRA20_DIRTY_VIEWPORT | TEGRA20_DIRTY_BLEND_COLOR |
                          TEGRA20_DIRTY_ZSA | TEGRA20_DIRTY_RASTERIZER |
                          TEGRA20_DIRTY_TEXTURES,
};

/* Control words that do not depend on other state are computed when an object
 * is created. */
struct tegra20_rasterizer {
   struct pipe_rasterizer_state base;
   uint32_t key;       /* state that programs and passes depend on */
   uint32_t cull_face; /* CULL_FACE and FRONT_CW of 0x343 */
   float point_size, half_line_width;
   float offset_units, offset_factor;
};

struct tegra20_zsa {
   struct pipe_depth_stencil_alpha_state base;
   uint32_t depth_test; /* 0x403 */
   uint32_t stencil1[2],
      stencil2[2]; /* 0x400/0x401 and 0xe28/0xe29 without the reference */
   bool stencil;
   uint8_t key; /* which of the tests there are */
};

struct tegra20_sampler {
   struct pipe_sampler_state base;
   uint32_t filters;    /* of DESC1 */
   bool fractional_lod; /* limits between two levels that are mixed */
};

struct tegra20_vertex_elements {
   unsigned count;
   struct pipe_vertex_element elements[TEGRA20_MAX_ATTRIBS];
   uint32_t mode[TEGRA20_MAX_ATTRIBS]; /* TYPE and SIZE of 0x101 + 2i */
   uint8_t size[TEGRA20_MAX_ATTRIBS];  /* bytes of one element */
   uint32_t unsupported; /* bit i: the engine does not know the format; mode
                            is that of four floats */

   /* Attributes that go on with the instance, not with the vertex: a draw per
    * instance sees them as constants, at an offset in their buffer. */
   uint32_t instanced;
   unsigned instance_stride[TEGRA20_MAX_ATTRIBS]; /* bytes */
   uint64_t instance_offset[TEGRA20_MAX_ATTRIBS]; /* of this draw */
};

/* One vertex attribute as the next draw fetches it. */
struct tegra20_attrib {
   struct tegra20_bo *bo;
   uint32_t offset; /* of vertex 0 */
   uint32_t mode;   /* 0x101 + 2i */
};

/* Groups of registers whose last values in the job are remembered, see
 * tegra20_emit.c. */
enum tegra20_group {
   TEGRA20_GROUP_SCISSOR,
   TEGRA20_GROUP_RASTERIZER,
   TEGRA20_GROUP_DEPTH_STENCIL,
   TEGRA20_GROUP_VIEWPORT,
   TEGRA20_GROUP_CULL_FACE,
   TEGRA20_GROUP_PROGRAM_SETUP,
   TEGRA20_GROUP_LINK,
   TEGRA20_GROUP_FRAGMENT_CONSTANTS,
   TEGRA20_NUM_GROUPS,
};

/* Smallest and largest index of a part of an index buffer. */
struct tegra20_index_range {
   uint64_t indices; /* tegra20_resource.id; 0: unused */
   unsigned serial;  /* write_serial of the contents */
   unsigned start, count, index_size;
   uint32_t min, max;
};
#define TEGRA20_INDEX_RANGES 1024

/* Variants chosen last of those without an extension: while nothing but
 * program and blending changes, no key has to be built. */
struct tegra20_fs_choice {
   const struct tegra20_shader *fs;
   const void *blend;
   bool clamp; /* vertex colours */
   struct tegra20_fs_variant *variant;
};
#define TEGRA20_FS_CHOICE_SETS 8
#define TEGRA20_FS_CHOICE_WAYS 4

struct tegra20_sent {
   unsigned count; /* 0: nothing comparable */
   uint32_t words[72];
};

struct tegra20_context {
   struct pipe_context base;
   struct tegra20_screen *screen;
   struct slab_child_pool transfer_pool;
   struct blitter_context *blitter;
   struct util_debug_callback debug;

   struct tegra20_job *jobs[TEGRA20_NUM_ENGINES];
   struct tegra20_fence *last_fence[TEGRA20_NUM_ENGINES];
   struct tegra20_cost *cost;
   uint64_t replaced; /* bytes of memory that others took the place of since
                         the last job was submitted */
   uint64_t epoch;
   struct list_head node; /* in screen->contexts */
   struct list_head
      improvements; /* that are looked for (tegra20_improve.h) */
   uint64_t storage_generation;
   uint32_t dirty;

   /* State that the job has sent. */
   struct tegra20_sent sent[TEGRA20_NUM_GROUPS];
   uint32_t sent_attribute_masks, sent_targets, described_targets,
      sent_textures;
   unsigned sent_complements;
   uint32_t
      unrendered_textures;    /* units whose textures no draw with the current
                              targets renders to, nor did before */
   uint32_t reset_words[384]; /* that each job of 3D begins with */
   unsigned num_reset_words;
   /* Inputs of the registers of depth and stencil. */
   bool sent_kills;
   bool sent_stencil; /* tests, whose faces depend on */
   uint8_t sent_face; /* tegra20_pass_face() */
   uint32_t sent_rts; /* colour buffers of the program that the targets were
                         made for */
   struct pipe_scissor_state
      view_area, /* the framebuffer within the viewport, and ... */
      draw_area; /* within the scissor, too: pixels that a draw may touch */
   bool draw_area_empty;
   bool wide; /* points or wide lines: clipped by their centres, so they may
                 cover pixels outside of the viewport */

   struct pipe_framebuffer_state framebuffer;
   unsigned scale; /* of samples to pixels, in both directions: 1 or 2; 0:
                      the framebuffer cannot be drawn to */
   struct pipe_viewport_state viewport; /* in samples, and in pixels */
   struct pipe_viewport_state app_viewport;
   struct pipe_scissor_state scissor;
   struct tegra20_rasterizer *rasterizer;
   uint32_t rasterizer_key; /* of the one that was bound last, and ... */
   bool scissor_test;       /* does it have one? */
   struct tegra20_zsa *zsa;
   uint8_t zsa_key; /* of the one that was bound last */
   struct pipe_blend_state *blend;
   struct pipe_blend_color blend_color;
   struct pipe_stencil_ref stencil_ref;
   struct pipe_clip_state clip; /* of the software vertex path */
   uint32_t instance;           /* of this draw; where the program reads it */
   unsigned sample_mask;
   struct pipe_poly_stipple stipple;

   struct tegra20_vertex_elements *elements;
   struct pipe_vertex_buffer vertex_buffers[PIPE_MAX_ATTRIBS];
   uint32_t bound_vertex_buffers;

   struct pipe_constant_buffer
      constants[2]; /* by gl_shader_stage: vertex, fragment */

   struct tegra20_sampler *samplers[TEGRA20_MAX_SAMPLERS];
   struct tegra20_sampler_view *views[TEGRA20_MAX_SAMPLERS];
   unsigned num_samplers, num_views;
   struct tegra20_sampler *missing_sampler; /* tegra20_texture_init() */
   struct tegra20_sampler_view *missing_view;
   struct tegra20_texture *textures; /* of TEGRA20_MAX_SAMPLERS units */
   const struct tegra20_shader
      *fs_without_copies; /* needs none with the bound textures; NULL: not
                             known */

   struct tegra20_resource
      *ramp;               /* TEGRA20_RAMP_LEVELS; NULL: not made yet */
   uint32_t sent_ramps[2]; /* units that it was sent for */

   bool uses_scratch; /* a bound colour buffer has a scratch surface */
   bool reads_widen;  /* a bound colour buffer gets one when it is read */
   bool converting;   /* one is copied in or out by a blit */

   struct tegra20_shader *bound_vs, *bound_fs;
   enum mesa_prim prepared_mode; /* see tegra20_draw_is_prepared() */
   struct tegra20_plan *plan;    /* passes of the current draw */
   struct tegra20_pass *emitted; /* last state of the registers */
   const struct tegra20_pass *emitted_pass; /* the pass of the plan that this
                             is, apart from its programs; NULL: of none */
   struct tegra20_fs_choice fs_choices[TEGRA20_FS_CHOICE_SETS]
                                      [TEGRA20_FS_CHOICE_WAYS];
   unsigned next_fs_choice;
   uint64_t constants_serial;

   struct tegra20_attrib attribs[TEGRA20_MAX_ATTRIBS];
   bool attribs_valid;    /* they describe the bound buffers, with ... */
   int64_t attribs_base;  /* this vertex first, as long as nothing is dirty */
   uint32_t num_vertices; /* inside the buffers */
   uint32_t unsupported_attribs; /* these need a conversion */
   struct pipe_resource
      *converted[TEGRA20_MAX_ATTRIBS]; /* converted vertices of the last draw
                                          that attribs point at */
   struct pipe_resource *zeros;        /* source of unbound attributes */
   bool has_streams;                   /* some are set aside */
   unsigned refused_streams; /* tegra20_screen.refused_streams that were
                                looked at */

   /* The index pointer that the job sent last; no bo: none yet. */
   const struct tegra20_bo *sent_index_bo;
   uint32_t sent_index_offset;

   struct pipe_sampler_view *
      stipple_view; /* the stipple pattern as a texture; NULL: not made yet */
   void *stipple_sampler;

   struct tegra20_scratch *scratch;
   struct tegra20_shader *clear_vs, *clear_fs; /* NULL: not made yet */
   struct tegra20_shader *depth_only_fs,
      *copy_fs[2];                          /* tegra20_multipass.c */
   struct tegra20_shader *downsample_fs[9]; /* tegra20_blit_draw.c */

   struct tegra20_swtnl *swtnl; /* made when first needed */

   struct tegra20_occlusion *occlusion;
   struct pipe_query *condition;
   bool condition_value;
   enum pipe_render_cond_flag condition_mode;

   /* HUD and TEGRA20_DEBUG counters */
   struct {
      uint64_t draws, jobs, words, variants, cached, improved, full_states,
         barriers, cpu_blits, conversions;
   } stats;

   struct tegra20_index_range index_ranges[TEGRA20_INDEX_RANGES];
};

static inline struct tegra20_context *
tegra20_context(struct pipe_context *pctx)
{
   return (struct tegra20_context *)pctx;
}

/* Size of the framebuffer, in samples. */
static inline unsigned
tegra20_target_width(const struct tegra20_context *ctx)
{
   return ctx->framebuffer.width * ctx->scale;
}

static inline unsigned
tegra20_target_height(const struct tegra20_context *ctx)
{
   return ctx->framebuffer.height * ctx->scale;
}

struct pipe_context *
tegra20_context_create(struct pipe_screen *screen, void *priv,
                       unsigned flags);

/* Submits the commands recorded for an engine; errors are reported once and
 * leave an empty job. */
void
tegra20_context_submit(struct tegra20_context *ctx,
                       enum tegra20_engine engine);

/* The job to record for an engine; submits the other engine's commands. */
struct tegra20_job *
tegra20_context_job(struct tegra20_context *ctx, enum tegra20_engine engine);

/* Submits recorded commands that access bo in a way that conflicts with the
 * CPU doing so. */
void
tegra20_context_flush_bo(struct tegra20_context *ctx, struct tegra20_bo *bo,
                         unsigned cpu_access);

/* The same, and waits; for CPU access to memory.  -EIO when a job that should
 * have written it was lost. */
int
tegra20_context_sync_bo(struct tegra20_context *ctx, struct tegra20_bo *bo,
                        unsigned cpu_access);

void
tegra20_context_new_epoch(struct tegra20_context *ctx);

void
tegra20_context_new_batch(struct tegra20_context *ctx);

/* Writes of other processes to shared buffers that are bound as textures have
 * to show from now on (tegra20_texture.h). */
void
tegra20_context_see_shared(struct tegra20_context *ctx);

/* Notes that commands recorded by this context change the contents of res. */
void
tegra20_context_writes(struct tegra20_context *ctx,
                       struct tegra20_resource *res);

/* Whether another context has recorded commands that write res, but not
 * submitted them.  Under screen->copies_mutex. */
bool
tegra20_context_others_write(const struct tegra20_context *ctx,
                             const struct tegra20_resource *res);

/* False when conditional rendering says that nothing shall be drawn. */
bool
tegra20_context_condition(struct tegra20_context *ctx);

void
tegra20_state_init(struct tegra20_context *ctx);
void
tegra20_program_init(struct tegra20_context *ctx);
void
tegra20_draw_init(struct tegra20_context *ctx);
void
tegra20_clear_init(struct tegra20_context *ctx);
void
tegra20_clear_fini(struct tegra20_context *ctx);
void
tegra20_blit_init(struct tegra20_context *ctx);
void
tegra20_query_init(struct tegra20_context *ctx);
void
tegra20_fence_init(struct tegra20_context *ctx);

/* tegra20_emit.c: the application's words of constant buffer 0, *count. */
const uint32_t *
tegra20_constant_words(const struct tegra20_context *ctx,
                       gl_shader_stage stage, unsigned *count);
/* Those of the bound vertex program, with the number of the instance where it
 * reads that.  Returns their number. */
unsigned
tegra20_vertex_words(const struct tegra20_context *ctx,
                     uint32_t words[TEGRA20_VS_MAX_CONSTS * 4]);
/* tegra20_draw.c: other contexts may have exchanged the memory of bound
 * resources. */
void
tegra20_draw_check_storage(struct tegra20_context *ctx);

/* tegra20_blit.c: copies bytes between buffers with the 2D engine; both
 * offsets have the same remainder modulo 16. */
void
tegra20_copy_buffer(struct tegra20_context *ctx, struct pipe_resource *dst,
                    unsigned dst_offset, struct pipe_resource *src,
                    unsigned src_offset, unsigned size);
/* A rectangle of texels with the 2D engine; false, and nothing done, when it
 * cannot. */
bool
tegra20_copy_texture(struct tegra20_context *ctx,
                     struct tegra20_resource *dst, unsigned dst_level,
                     unsigned dx, unsigned dy, unsigned dz,
                     struct tegra20_resource *src, unsigned src_level,
                     const struct pipe_box *box);

#endif
