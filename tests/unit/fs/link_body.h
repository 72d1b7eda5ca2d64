/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Hands fragment programs to the GL front end, by what main() does.
 */

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"
#include "gl_frontend.h"

/* The prelude declares what of v, n, uv and f the body reads. */
static inline void
link_body(struct gl_frontend *frontend, unsigned glsl_version, const char *prelude, const char *body)
{
   static char vertex[] =
      "varying vec4 v; varying vec3 n; varying vec2 uv; varying float f;\n"
      "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; v = gl_MultiTexCoord0; n = gl_Normal;\n"
      "uv = gl_MultiTexCoord1.xy; f = gl_MultiTexCoord1.z; }\n";
   char *log = NULL, fragment[4096];

   snprintf(fragment, sizeof(fragment), "%svoid main() { %s }\n", prelude, body);
   struct shader_test program = {
      .path = "test", .glsl_version = glsl_version, .num_sources = 2,
      .sources = {{SOURCE_VERTEX, vertex}, {SOURCE_FRAGMENT, fragment}},
   };
   if (!gl_frontend_link(frontend, &program, &log))
      fail_msg("%s: %s", body, log);
   free(log);
}
