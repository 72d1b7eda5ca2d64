/*
 * SPDX-License-Identifier: MIT
 *
 * A way around an error of Mesa's GLSL cache (25.0.7, every driver with a cache on disk): a program that is linked again
 * after its shaders were detached is empty, which OpenGL allows, but keeps the pointer last_vert_prog to the vertex program
 * it had.  shader_cache_write_program_metadata() follows that pointer, to freed memory when the program is not in use, and
 * writes an entry with the transform feedback of a stage that does not exist; the next process that links an empty program
 * finds the entry and crashes in read_xfb().  There is nothing in an empty program that a cache could save, so none is
 * stored.
 *
 * Mesa stays as it is: the linker sends the call here (the option --wrap, in meson.build).  docs/upstreaming.md has the
 * change that Mesa needs; the test "programs from disk" tells when the function's name changes.
 */

#include "main/shader_types.h"

/* The names that --wrap makes from the C++ name of shader_cache_write_program_metadata(). */
#define WRITE(prefix) prefix##_Z35shader_cache_write_program_metadataP10gl_contextP17gl_shader_program

void WRITE(__real_)(struct gl_context *ctx, struct gl_shader_program *prog);
void WRITE(__wrap_)(struct gl_context *ctx, struct gl_shader_program *prog);

void
WRITE(__wrap_)(struct gl_context *ctx, struct gl_shader_program *prog)
{
   if (prog->NumShaders)
      WRITE(__real_)(ctx, prog);
}
