/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Variants of a shader, shared by tegra20_program.c, tegra20_program_key.c
 * and tegra20_variant.c.
 */

#ifndef TEGRA20_VARIANT_H
#define TEGRA20_VARIANT_H

#include "tegra20_debug.h"
#include "tegra20_program.h"

/* tegra20_program_key.c: the state that is compiled into a program. */
void
tegra20_get_vs_key(const struct tegra20_context *ctx,
                   const struct tegra20_pass *pass,
                   struct tegra20_vs_variant_key *key);
void
tegra20_get_fs_key(const struct tegra20_context *ctx,
                   const struct tegra20_pass *pass,
                   struct tegra20_fs_variant_key *key);
/* The state that a new program will most likely meet. */
void
tegra20_default_fs_key(const struct tegra20_context *ctx,
                       const struct tegra20_shader *fs,
                       struct tegra20_fs_variant_key *key);
/* The texture unit that nir_lower_pstipple_fs() takes. */
unsigned
tegra20_stipple_unit(const nir_shader *nir);
/* Does the key depend on whether vertex colours are clamped? */
bool
tegra20_reads_colors(const struct tegra20_shader *fs);

/* Are new programs drafts (tegra20_improve.h)? */
static inline bool
tegra20_begins_with_drafts(void)
{
   return !DBG(BEST) && !DBG(SHADERDB);
}

/* tegra20_variant.c: the table of variants, as yet empty; and a shader without
 * programs, NULL when memory ran out. */
void
tegra20_init_variants(struct tegra20_shader *shader);
struct tegra20_shader *
tegra20_new_shader(gl_shader_stage stage);

/*
 * Compiles a new variant, and adds it to those of the
 * shader.  *error, when given, receives a malloc'ed copy of the reason
 * instead of it being reported.
 */
struct tegra20_vs_variant *
tegra20_compile_vs_variant(struct tegra20_context *ctx,
                           struct tegra20_shader *shader,
                           const struct tegra20_vs_variant_key *key,
                           char **error);
struct tegra20_fs_variant *
tegra20_compile_fs_variant(struct tegra20_context *ctx,
                           struct tegra20_shader *shader,
                           const struct tegra20_fs_variant_key *key,
                           char **error);

/* The finished NIR of a variant, a ralloc child of mem_ctx. */
nir_shader *
tegra20_build_fs(void *mem_ctx, const struct tegra20_fs_variant *variant);

/* tegra20_compile_fs() for a key; a program that does not fit may do so with
 * nearest texels of depth textures. */
bool
tegra20_compile_fs_key(void *mem_ctx, const nir_shader *nir,
                       const struct tegra20_fs_key *key,
                       const struct tegra20_compiler_options *options,
                       struct tegra20_fs **out, char **reason);

/* Gives a variant other code, a ralloc child of anything, for the same key.
 * No pass of a plan may be in use. */
void
tegra20_exchange_fs(struct tegra20_context *ctx,
                    struct tegra20_fs_variant *variant,
                    struct tegra20_fs *program);

/* The variant for the bound state and a pass; compiles it when there is
 * none.  Its program is NULL when it does not fit. */
struct tegra20_vs_variant *
tegra20_get_vs_variant(struct tegra20_context *ctx,
                       const struct tegra20_pass *pass);
struct tegra20_fs_variant *
tegra20_get_fs_variant(struct tegra20_context *ctx,
                       const struct tegra20_pass *pass);

/* Makes a variant that did not fit one that draws something else. */
bool
tegra20_replace_fs_variant(struct tegra20_context *ctx,
                           struct tegra20_fs_variant *v);

/* Sets the linker program of a pass.  False when the two do not link. */
bool
tegra20_update_link(struct tegra20_context *ctx, struct tegra20_pass *pass);

/* Tells the application that a program does not fit, and names the
 * replacement ("": nothing); _fallback: once for a program with any number of
 * such variants. */
void
tegra20_report_failure(struct tegra20_context *ctx, const char *stage,
                       const nir_shader *nir, const char *instead,
                       const char *error);
void
tegra20_report_fallback(struct tegra20_context *ctx,
                        struct tegra20_shader *shader, const char *error);

#endif
