/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Errors of Mesa 25.0.7 and the way around them, and a place where both
 * programs are known.  Mesa stays as it is: the linker of the library sends
 * Mesa's calls of these functions here (option --wrap, in meson.build).
 * docs/upstreaming.md has the changes that Mesa needs.
 *
 * A program that is linked again after its shaders were detached is empty,
 * which OpenGL allows, but keeps the pointer last_vert_prog to the vertex
 * program that it had.  The writer of the cache on disk follows it, to freed
 * memory when the program is not in use, and stores the transform feedback of
 * a stage that does not exist; the next process that links an empty program
 * finds the entry and crashes in read_xfb().  Here the pointer is cleared,
 * and nothing is stored: a program without the hash of its sources is not.
 * Test: "programs from disk".
 *
 * The layout qualifiers of KHR_blend_equation_advanced reach the program only
 * from GLSL 1.50 on, or when the shader enables
 * ARB_fragment_coord_conventions, in whose function they are collected
 * (link_fs_inout_layout_qualifiers()).  The other things that this function
 * collects are what they would be by default unless the shader enables that
 * extension itself, so it can be called for every shader that has the
 * qualifiers.  Test: "advanced blending".
 *
 * Mesa moves sums with uniforms to the vertex program where that takes no
 * more varyings, whose precision is that of the fragment program: a clock of
 * an hour would leave none of the bits behind the point.  So the arguments of
 * periodic functions are reduced before (tegra20_periods.c), as everywhere
 * else where nothing was moved.  Test: "large arguments".
 *
 * GL_NV_read_stencil is in the list of every OpenGL ES 2.0 context, whose
 * glReadPixels() refuses the format.  Textures are checked by the same
 * functions, and then for their internal format, which none has.  Test: "late
 * stencil".
 */

#include <string.h>

#include "compiler/glsl/gl_nir_linker.h"
#include "main/consts_exts.h"
#include "main/mtypes.h"
#include "main/shader_types.h"

#include "tegra20_compiler.h"
#include "tegra20_nir.h"

bool
__real_gl_nir_link_glsl(struct gl_context *ctx,
                        struct gl_shader_program *prog);
bool
__wrap_gl_nir_link_glsl(struct gl_context *ctx,
                        struct gl_shader_program *prog);

bool
__real_gl_nir_link_varyings(const struct gl_constants *consts,
                            const struct gl_extensions *exts, gl_api api,
                            struct gl_shader_program *prog);
bool
__wrap_gl_nir_link_varyings(const struct gl_constants *consts,
                            const struct gl_extensions *exts, gl_api api,
                            struct gl_shader_program *prog);

#define CHECK_FORMAT(name, ...)                                      \
   GLenum __real_##name(const struct gl_context *ctx, GLenum format, \
                        GLenum type, ##__VA_ARGS__);                 \
   GLenum __wrap_##name(const struct gl_context *ctx, GLenum format, \
                        GLenum type, ##__VA_ARGS__);                 \
   GLenum __wrap_##name(const struct gl_context *ctx, GLenum format, \
                        GLenum type, ##__VA_ARGS__)

static bool
is_stencil(const struct gl_context *ctx, GLenum format, GLenum type)
{
   return ctx->API == API_OPENGLES2 && format == GL_STENCIL_INDEX &&
          type == GL_UNSIGNED_BYTE;
}

CHECK_FORMAT(_mesa_es_error_check_format_and_type, unsigned dimensions)
{
   return is_stencil(ctx, format, type)
             ? GL_NO_ERROR
             : __real__mesa_es_error_check_format_and_type(ctx, format, type,
                                                           dimensions);
}

CHECK_FORMAT(_mesa_error_check_format_and_type)
{
   return is_stencil(ctx, format, type)
             ? GL_NO_ERROR
             : __real__mesa_error_check_format_and_type(ctx, format, type);
}

bool
__wrap_gl_nir_link_glsl(struct gl_context *ctx,
                        struct gl_shader_program *prog)
{
   if (prog->NumShaders == 0) {
      prog->last_vert_prog = NULL;
      memset(prog->data->sha1, 0, sizeof(prog->data->sha1));
   }
   for (unsigned i = 0; i < prog->NumShaders; i++) {
      if (prog->Shaders[i]->BlendSupport)
         prog->Shaders[i]->ARB_fragment_coord_conventions_enable = true;
   }
   return __real_gl_nir_link_glsl(ctx, prog);
}

static void
reduce_periods(struct gl_shader_program *prog)
{
   const struct gl_linked_shader *fs =
      prog->_LinkedShaders[MESA_SHADER_FRAGMENT];

   /* softpipe and the peers of the benchmarks are in this library, too */
   if (!fs ||
       fs->Program->nir->options != tegra20_nir_options(MESA_SHADER_FRAGMENT))
      return;
   gl_nir_opts(fs->Program->nir);
   tegra20_reduce_periods(fs->Program->nir);
}

bool
__wrap_gl_nir_link_varyings(const struct gl_constants *consts,
                            const struct gl_extensions *exts, gl_api api,
                            struct gl_shader_program *prog)
{
   reduce_periods(prog);
   return __real_gl_nir_link_varyings(consts, exts, api, prog);
}
