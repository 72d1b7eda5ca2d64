/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A GL context without window system, kernel or GPU.  The screen is
 * softpipe's on a null winsys, because the state tracker wants a complete
 * pipe_context; what it asks about the chip (capabilities, shader limits,
 * formats, NIR options) is answered by the driver's own tables, and the
 * shaders it creates are caught before softpipe sees them.
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/api.h"
#include "frontend/sw_winsys.h"
#include "api_exec_decl.h"
#include "main/context.h"
#include "main/mtypes.h"
#include "pipe/p_context.h"
#include "pipe/p_screen.h"
#include "pipe/p_state.h"
#include "softpipe/sp_public.h"
#include "tegra20_caps.h"
#include "state_tracker/st_context.h"
#include "sw/null/null_sw_winsys.h"
#include "main/shaderobj.h"
#include "util/u_memory.h"

#include "gl_frontend.h"
#include "inlined_size.h"
#include "tegra20_compiler.h"

struct gl_frontend {
   struct pipe_frontend_screen frontend;
   struct sw_winsys *winsys; /* which softpipe leaves to who made it */
   struct pipe_screen *screen;
   struct st_context *st;
   gl_frontend_shader_fn fn;
   void *data;
   struct pipe_context *(*softpipe_context_create)(struct pipe_screen *,
                                                   void *, unsigned);
};

/* Gallium gives callbacks only the screen or the context; a process has one
 * front end at a time. */
static struct gl_frontend *current;

static void *
catch_shader(struct pipe_context *pipe, const struct pipe_shader_state *state)
{
   /* Mesa 25.0 reads the message of a vertex shader when it links, but
    * forgets to say that it will. */
   const bool is_vertex = state->ir.nir->info.stage == MESA_SHADER_VERTEX;
   char *error = current->fn(current->data, state->ir.nir);
   ralloc_free(state->ir.nir);
   if (error && (state->report_compile_error || is_vertex)) {
      /* The state tracker reads and frees the message after this call. */
      ((struct pipe_shader_state *)state)->error_message = error;
      return NULL;
   }
   free(error);
   return calloc(1, 1); /* an opaque handle */
}

static void
bind_shader(struct pipe_context *pipe, void *shader)
{
}

static void
delete_shader(struct pipe_context *pipe, void *shader)
{
   free(shader);
}

static struct pipe_context *
create_context(struct pipe_screen *screen, void *priv, unsigned flags)
{
   struct pipe_context *pipe =
      current->softpipe_context_create(screen, priv, flags);
   if (!pipe)
      return NULL;
   pipe->create_vs_state = pipe->create_fs_state = catch_shader;
   pipe->bind_vs_state = pipe->bind_fs_state = bind_shader;
   pipe->delete_vs_state = pipe->delete_fs_state = delete_shader;
   return pipe;
}

static const void *
get_compiler_options(struct pipe_screen *screen, enum pipe_shader_ir ir,
                     enum pipe_shader_type stage)
{
   return tegra20_nir_options(stage);
}

static int
get_param(struct pipe_frontend_screen *screen, enum st_manager_param param)
{
   return 0;
}

struct gl_frontend *
gl_frontend_create(bool es, gl_frontend_shader_fn fn, void *data)
{
   struct gl_frontend *fe = calloc(1, sizeof(*fe));
   if (!fe)
      return NULL;
   fe->fn = fn;
   fe->data = data;
   fe->winsys = null_sw_create();
   fe->screen = fe->winsys ? softpipe_create_screen(fe->winsys) : NULL;
   if (!fe->screen) {
      free(fe->winsys);
      free(fe);
      fprintf(stderr, "tegra20-compiler: out of memory\n");
      return NULL;
   }
   current = fe;
   tegra20_screen_init_caps(fe->screen);
   fe->screen->get_compiler_options = get_compiler_options;
   fe->screen->finalize_nir = NULL;
   fe->softpipe_context_create = fe->screen->context_create;
   fe->screen->context_create = create_context;
   fe->frontend.screen = fe->screen;
   fe->frontend.get_param = get_param;

   struct st_context_attribs attribs = {
      .profile = es ? API_OPENGLES2 : API_OPENGL_COMPAT,
      .major = 2,
      .minor = es ? 0 : 1,
   };
   enum st_context_error error;
   fe->st = st_api_create_context(&fe->frontend, &attribs, &error, NULL);
   if (!fe->st || !st_api_make_current(fe->st, NULL, NULL)) {
      fprintf(
         stderr,
         "tegra20-compiler: the GL front end does not start (error %d)\n",
         error);
      gl_frontend_destroy(fe);
      return NULL;
   }
   return fe;
}

void
gl_frontend_destroy(struct gl_frontend *fe)
{
   if (!fe)
      return;
   if (fe->st) {
      st_api_make_current(NULL, NULL, NULL);
      st_destroy_context(fe->st);
   }
   st_screen_destroy(&fe->frontend);
   fe->screen->destroy(fe->screen);
   fe->winsys->destroy(fe->winsys);
   current = NULL;
   free(fe);
}

static char *
shader_log(GLuint shader)
{
   GLint length = 0;
   _mesa_GetShaderiv(shader, GL_INFO_LOG_LENGTH, &length);
   char *log = calloc(1, length + 1);
   if (log && length)
      _mesa_GetShaderInfoLog(shader, length, NULL, log);
   return log;
}

static char *
program_log(GLuint program)
{
   GLint length = 0;
   _mesa_GetProgramiv(program, GL_INFO_LOG_LENGTH, &length);
   char *log = calloc(1, length + 1);
   if (log && length)
      _mesa_GetProgramInfoLog(program, length, NULL, log);
   return log;
}

/* NULL, or why Mesa's linker should not be asked to inline the functions of a
 * shader (malloc'ed). */
static char *
refuse_explosion(struct gl_frontend *fe, GLuint shader)
{
   const nir_shader *nir = _mesa_lookup_shader(fe->st->ctx, shader)->nir;
   const uint64_t size = nir ? inlined_size(nir) : 0;
   char *text;

   if (size <= MAX_INLINED_SIZE)
      return NULL;
   if (asprintf(&text,
                "with its functions inlined the %s shader needs %s%" PRIu64
                " operations, the chip has at most %u "
                "instructions",
                nir->info.stage == MESA_SHADER_VERTEX ? "vertex" : "fragment",
                size == UINT64_MAX ? "more than " : "", size,
                nir->info.stage == MESA_SHADER_VERTEX
                   ? TEGRA20_VS_MAX_INSTS
                   : TEGRA20_FS_MAX_EXECS) < 0)
      return NULL;
   return text;
}

bool
gl_frontend_link(struct gl_frontend *fe, const struct shader_test *test,
                 char **log)
{
   *log = NULL;
   current = fe;
   GLuint program = _mesa_CreateProgram();
   bool ok = true, stages[2] = { false, false };
   for (unsigned i = 0; i < test->num_sources && ok; i++) {
      const GLchar *text = test->sources[i].text;
      const bool vertex = test->sources[i].stage == SOURCE_VERTEX;
      GLint status = 0;
      GLuint shader =
         _mesa_CreateShader(vertex ? GL_VERTEX_SHADER : GL_FRAGMENT_SHADER);
      _mesa_ShaderSource(shader, 1, &text, NULL);
      _mesa_CompileShader(shader);
      _mesa_GetShaderiv(shader, GL_COMPILE_STATUS, &status);
      if (!status) {
         *log = shader_log(shader);
      } else if (test->es && stages[vertex]) {
         *log = strdup("a program of OpenGL ES has one shader of a stage");
      } else {
         *log = refuse_explosion(fe, shader);
      }
      ok = status && !*log;
      _mesa_AttachShader(program, shader);
      _mesa_DeleteShader(shader);
      stages[vertex] = true;
   }
   if (ok) {
      GLint status = 0;
      /* A stage alone keeps what it gets from the other or gives to it: that
       * may be added later.  (OpenGL ES refuses a program of one stage
       * otherwise, OpenGL has the fixed functions for the other.) */
      if (stages[0] != stages[1])
         _mesa_ProgramParameteri(program, GL_PROGRAM_SEPARABLE, GL_TRUE);
      _mesa_LinkProgram(program);
      _mesa_GetProgramiv(program, GL_LINK_STATUS, &status);
      if (!status) {
         *log = program_log(program);
         ok = false;
      }
   }
   _mesa_DeleteProgram(program);
   return ok;
}
