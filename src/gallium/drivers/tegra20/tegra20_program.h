/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shaders and their variants.
 */

#ifndef TEGRA20_PROGRAM_H
#define TEGRA20_PROGRAM_H

#include "tegra20_pass.h"

struct hash_entry;
struct hash_table;
struct hash_table_u64;
struct tegra20_improvement;
struct tegra20_parts;
struct tegra20_screen;

/* The key of a variant: additions to the NIR, and the key of the compiler. */
struct tegra20_vs_variant_key {
   uint8_t clip_planes; /* clip planes whose distances are added */
   bool expands_points; /* by tegra20_nir_expand_points() */
   struct tegra20_vs_key program;
};

struct tegra20_fs_variant_key {
   struct tegra20_fs_extension extension;
   struct tegra20_fs_key program;
};

/* Variants of a fragment shader, most of them for values of its control
 * uniforms; when there are more, those not used for longest are freed. */
#define TEGRA20_MAX_VARIANTS 64

/*
 * A bound shader object: NIR, and the variants compiled from it so far.  A
 * variant whose compilation failed is kept (with program NULL), so that the
 * failure is reported once.
 */
struct tegra20_shader {
   gl_shader_stage stage;
   nir_shader *original; /* as the state tracker delivered it, for the draw
                            module, which wants variables */
   nir_shader *nir; /* finalized (tegra20_compiler.h), the source of variants;
                       parts of a program are finished */
   struct tegra20_control_uniforms control_uniforms;
   bool writes_depth;   /* fragment shaders: gl_FragDepth */
   bool reads_instance; /* from its last uniform */
   bool asks_face; /* fragment shaders: which face it belongs to, or a pass
                         for its depth does */
   bool derives;   /* fragment shaders: a derivative is a difference of the
                         values of two pixels, or may be one with some values
                         of the control uniforms */
   bool reported;  /* that it does not fit the chip */
   struct hash_table *variants; /* tegra20_vs_variant or tegra20_fs_variant,
                                   by key */
   struct hash_entry *last;     /* that was asked for */
   uint64_t used;               /* how often variants were asked for */
   struct tegra20_fs_variant *part_of; /* NULL: no part of a program */

   bool hashed; /* sha1 is that of nir */
   uint8_t sha1[20];

   void *draw; /* the draw module's shader, see tegra20_swtnl.c */
};

struct tegra20_vs_variant {
   struct tegra20_shader *shader;
   struct tegra20_vs_variant_key key;
   uint64_t id; /* never used again: recognises a variant after its memory was
                   freed and reused */
   struct tegra20_vs *program; /* ralloc child of the variant */
   float *values;              /* values.count floats, scratch */
   uint32_t params_used;       /* enum tegra20_dirty of the state that its
                                  parameters come from */
};

struct tegra20_link_entry {
   uint64_t vs_id;
   struct tegra20_link link;
   bool valid;
};

struct tegra20_fs_variant {
   struct tegra20_shader *shader;
   struct tegra20_fs_variant_key key;
   uint64_t used; /* shader->used when it was asked for last */
   struct tegra20_fs *program;
   const char *reason;          /* why the program did not fit */
   bool gave_up_soon;           /* the draft's effort: it may fit yet */
   bool cut;                    /* cutting it into parts was tried: */
   struct tegra20_parts *parts; /* NULL: that is not possible; before it is
                                   tried: those of the cache */
   struct tegra20_shader **part_shaders; /* one for each part; both may be
                                            those of another variant with the
                                            same extension */
   bool replaced; /* then "program" is another in its place, or NULL */
   float *values;
   uint32_t params_used;
   unsigned num_uniforms; /* registers up to the last one in use */
   unsigned cost[2];      /* tegra20_cost_fragment(): without depth, with */
   uint64_t draft_cycles; /* that drafts of it have cost the engine */
   bool looked_for;       /* better code: that has begun, at least */
   struct tegra20_improvement
      *improvement; /* while it is (tegra20_improve.c), or NULL */
   struct hash_table_u64 *links;         /* tegra20_link_entry by vs_id */
   struct tegra20_link_entry *last_link; /* that was asked for */

   /* In the form of the stream, see tegra20_upload.c.  Constants are those of
    * these serial numbers of the context. */
   uint64_t constants_serial;
   uint32_t uniforms[1 + TEGRA20_FS_MAX_UNIFORMS]; /* with the header */
   uint32_t setup[12];
   uint32_t *words;
   unsigned num_setup, num_words, alu_start, dw_start;
};

/* A program of the driver's own, which takes the shader; NULL: no memory. */
struct tegra20_shader *
tegra20_create_fs(struct tegra20_context *ctx, nir_shader *nir);

/* State other than program and blending that is in the keys has changed, or
 * the address of one of these may be used again. */
void
tegra20_program_forget_choices(struct tegra20_context *ctx);

/* A program is about to be freed: nothing of the context may point to it. */
void
tegra20_program_forget(struct tegra20_context *ctx);

/* Frees variants of the bound fragment shader beyond TEGRA20_MAX_VARIANTS.
 * No pass of a plan may be in use. */
void
tegra20_program_trim(struct tegra20_context *ctx);

/* Sets the additions of the bound state to the programs of a pass, whose
 * other members are set.  False when memory ran out, or units for
 * textures. */
bool
tegra20_program_extend(struct tegra20_context *ctx,
                       struct tegra20_pass *pass);

/* With the additions: may fragments be discarded?  Which texture units does
 * the program use (bit per unit), and which varyings (VARYING_BIT_*)? */
bool
tegra20_pass_kills(const struct tegra20_pass *pass);
uint32_t
tegra20_pass_textures(const struct tegra20_pass *pass);
uint64_t
tegra20_pass_varyings(const struct tegra20_pass *pass);

/* The only face of which triangles are drawn, PIPE_FACE_FRONT or _BACK; _NONE
 * where both may be.  The engine is not asked for it (tegra20_pack.h). */
unsigned
tegra20_pass_face(const struct tegra20_context *ctx,
                  const struct tegra20_pass *pass);

/* A56: does a pass fetch pixels that an earlier primitive of its own draw may
 * have stored?  Then each primitive is a draw. */
bool
tegra20_plan_fetches_alone(const struct tegra20_plan *plan);

/*
 * tegra20_program_nir.c, for finalized fragment shaders.  Stores of depth go;
 * the depth is stored as a colour (TEGRA20_OUTPUT_DEPTH); 1 is stored
 * (TEGRA20_OUTPUT_COVERAGE); one is added to a pixel of the counter;
 * fragments outside of a plane (bit of planes) are discarded; all fragments
 * belong to front faces, or none.
 */
void
tegra20_nir_drop_depth(nir_shader *nir);
void
tegra20_nir_store_depth_as_color(nir_shader *nir);
void
tegra20_nir_store_coverage(nir_shader *nir);
void
tegra20_nir_count_samples(nir_shader *nir);
void
tegra20_nir_clip(nir_shader *nir, unsigned planes);
void
tegra20_nir_fix_face(nir_shader *nir, bool front);

/*
 * The simplest program that can take the place of another, a vertex or a
 * fragment program as the state tracker delivers it.  Of a fragment program:
 * opaque grey in all targets, the depth of the primitive, nothing discarded.
 * Of a vertex program: all vertices in one point, so that nothing is drawn,
 * and zero in all varyings.  The result belongs to the caller.
 */
nir_shader *
tegra20_nir_fallback(const nir_shader *original);

/* NIR as tegra20_finish_nir() leaves it, with fewer than TEGRA20_MAX_ATTRIBS
 * inputs.  The corner is the next one, the uniforms follow the others. */
void
tegra20_nir_expand_points(nir_shader *nir);

/* The program's uniforms; with_margin: points that are larger than they
 * should be, as far as others look at their values. */
#define TEGRA20_POINT_UNIFORMS 8
void
tegra20_point_uniforms(const struct tegra20_context *ctx, bool with_margin,
                       float uniforms[TEGRA20_POINT_UNIFORMS]);

/*
 * Chooses (and compiles, when needed) the variants and the linker program of
 * a pass.  False when a program does not fit the chip; replace: a fragment
 * program that does not fit is one that draws grey (tegra20_nir_fallback()).
 */
bool
tegra20_program_update(struct tegra20_context *ctx, struct tegra20_pass *pass,
                       bool replace);

/* The same after a change of blending alone.  False also when the program
 * does not fit. */
bool
tegra20_program_update_fs(struct tegra20_context *ctx,
                          struct tegra20_pass *pass);

/*
 * The parts of the program of a variant that does not fit
 * (multipass/tegra20_cut.h), or NULL.  They are made once; the shader of each
 * part is in variant->part_shaders.
 */
const struct tegra20_parts *
tegra20_program_cut(struct tegra20_context *ctx,
                    struct tegra20_fs_variant *variant);

bool
tegra20_same_link(const struct tegra20_link *a, const struct tegra20_link *b);

/*
 * tegra20_upload.c: packs a new variant into words for the stream; and, when
 * variant->values were evaluated, its uniform registers and the constants
 * inside its packets.
 */
void
tegra20_upload_prepare(struct tegra20_fs_variant *variant);
void
tegra20_upload_constants(struct tegra20_fs_variant *variant);

/*
 * Colour buffers that an application can draw to at once: the minimum of
 * EXT_draw_buffers.  Every one costs an EXEC of the 64 and, when it is
 * blended, a fetch.
 */
#define TEGRA20_MAX_DRAW_BUFFERS 4

/* Colour buffer that occlusion queries count in. */
#define TEGRA20_COUNTER_CBUF TEGRA20_MAX_DRAW_BUFFERS

#endif
