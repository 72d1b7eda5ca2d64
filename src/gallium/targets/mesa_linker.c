/*
 * SPDX-License-Identifier: MIT
 *
 * Two errors of the GLSL linker of Mesa 25.0.7, and the way around them.  Mesa stays as it is: the linker of the library
 * sends Mesa's calls of gl_nir_link_glsl() here (option --wrap, in meson.build).  docs/upstreaming.md has the changes that
 * Mesa needs.
 *
 * A program that is linked again after its shaders were detached is empty, which OpenGL allows, but keeps the pointer
 * last_vert_prog to the vertex program that it had.  The writer of the cache on disk follows it, to freed memory when the
 * program is not in use, and stores the transform feedback of a stage that does not exist; the next process that links an
 * empty program finds the entry and crashes in read_xfb().  Here the pointer is cleared, and nothing is stored: a program
 * without the hash of its sources is not.  Test: "programs from disk".
 *
 * The layout qualifiers of KHR_blend_equation_advanced reach the program only from GLSL 1.50 on, or when the shader
 * enables ARB_fragment_coord_conventions, in whose function they are collected (link_fs_inout_layout_qualifiers()).  The
 * other things that this function collects are what they would be by default unless the shader enables that extension
 * itself, so it can be called for every shader that has the qualifiers.  Test: "advanced blending".
 */

#include <string.h>

#include "main/shader_types.h"

bool __real_gl_nir_link_glsl(struct gl_context *ctx, struct gl_shader_program *prog);
bool __wrap_gl_nir_link_glsl(struct gl_context *ctx, struct gl_shader_program *prog);

bool
__wrap_gl_nir_link_glsl(struct gl_context *ctx, struct gl_shader_program *prog)
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
