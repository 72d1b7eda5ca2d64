/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * a4xx-patches DOMAIN SPACING IN OUT PATCHES [FEEDBACK]: draws patches with programs that use per-vertex and per-patch outputs,
 * barrier(), other invocations' outputs, gl_PatchVerticesIn, gl_PrimitiveID and levels read back; the vertex program samples a
 * texture.  DOMAIN: triangles, quads, isolines; with "-points" behind it in point mode.  SPACING: equal, odd, even.  FEEDBACK
 * names a file for what transform feedback captures, 12 floats a vertex; without it nothing is captured.  Exit status 77: no
 * tessellation here.
 *
 * No operation rounds otherwise on another implementation: only products and sums, and none that can be put together.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"


#define PATCHES 0x000e
#define PATCH_VERTICES 0x8e72
#define TESS_EVALUATION_SHADER 0x8e87
#define TESS_CONTROL_SHADER 0x8e88

#define HEADER "#version 310 es\n#extension GL_EXT_tessellation_shader : require\nprecision highp float;\n"

static const char vertex_source[] =
   HEADER "layout(location = 0) in vec4 place; layout(location = 1) in vec4 color; out vec4 v;\n"
          "uniform highp sampler2D image;\n"
          "void main() {\n"
          "   gl_Position = place;\n"
          "   vec3 at = floor(place * 64.0).xyz;\n" /* weights of texels that no order of operations rounds */
          "   v = color * 2.0 + textureLod(image, at.xy / 16.0, at.z / 16.0);\n"
          "}\n";

static const char control_source[] =
   HEADER "layout(vertices = %u) out;\n"
          "in vec4 v[]; out vec4 c[]; out vec2 d[]; patch out vec3 p; uniform float level;\n"
          "void main() {\n"
          "   int n = gl_PatchVerticesIn, i = gl_InvocationID %% n;\n"
          "   gl_out[gl_InvocationID].gl_Position = gl_in[i].gl_Position + gl_in[(i + 1) %% n].gl_Position * 0.25;\n"
          "   c[gl_InvocationID] = v[i] + float(gl_InvocationID) * 0.125;\n"
          "   d[gl_InvocationID] = v[i].yx * 0.5;\n"
          "   barrier();\n"
          "   if (gl_InvocationID == 0) {\n"
          "      p = c[%u].xyz + vec3(d[0], 1.0) * float(gl_PrimitiveID + 1);\n"
          "      gl_TessLevelOuter[0] = level;\n"
          "      gl_TessLevelOuter[1] = level + 1.0;\n"
          "      gl_TessLevelOuter[2] = level + 2.0;\n"
          "      gl_TessLevelOuter[3] = level + 0.5;\n"
          "      gl_TessLevelInner[0] = level + float(gl_PrimitiveID %% 5);\n"
          "      gl_TessLevelInner[1] = level * 1.5;\n"
          "   }\n"
          "}\n";

static const char evaluation_source[] =
   HEADER "layout(%s, %s_spacing, ccw%s) in;\n"
          "in vec4 c[]; in vec2 d[]; patch in vec3 p; out vec4 color; out vec3 at; out float id;\n"
          "void main() {\n"
          "   vec3 t = gl_TessCoord;\n"
          "   int last = gl_PatchVerticesIn - 1;\n"
          "   at = t;\n"
          "   id = float(gl_PrimitiveID);\n"
          "   gl_Position = t.x * gl_in[0].gl_Position;\n"
          "   gl_Position += t.y * gl_in[last].gl_Position.yzwx;\n"
          "   color = t.x * c[0];\n"
          "   color += t.y * c[last].yzwx;\n"
          "   color.xyz += p * 0.125;\n"
          "   color.zw += d[last];\n"
          "   color.x += gl_TessLevelOuter[1];\n"
          "}\n";

/* A sum of varyings would be made before they are interpolated. */
static const char fragment_source[] = HEADER "in vec4 color; in vec3 at; in float id; out vec4 result;\n"
                                             "void main() { result = color * vec4(at, id); }\n";

static void
add_shader(GLuint program, GLenum type, const char *source)
{
   GLuint shader = glCreateShader(type);
   GLint good;
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
   if (!good) {
      char log[4096];
      glGetShaderInfoLog(shader, sizeof(log), NULL, log);
      fprintf(stderr, "a4xx-patches: %s\n%s\n", log, source);
      exit(1);
   }
   glAttachShader(program, shader);
}

static void
create_targets(void)
{
   create_context(EGL_OPENGL_ES_API, 1);
   if (!strstr((const char *)glGetString(GL_EXTENSIONS), "GL_EXT_tessellation_shader")) {
      fprintf(stderr, "a4xx-patches: %s has no tessellation\n", (const char *)glGetString(GL_RENDERER));
      exit(77);
   }
   create_color_target(64);
}

static void
create_program(char *domain, const char *spacing, unsigned out, bool feedback)
{
   static const char *const captured[] = { "gl_Position", "color", "at", "id" };
   char control[4096], evaluation[4096], kind[64];
   char *points = strstr(domain, "-points");
   if (points)
      *points = 0;
   snprintf(kind, sizeof(kind), "%s%s", strcmp(spacing, "equal") ? "fractional_" : "", spacing);
   snprintf(control, sizeof(control), control_source, out, out - 1);
   snprintf(evaluation, sizeof(evaluation), evaluation_source, domain, kind, points ? ", point_mode" : "");
   GLuint program = glCreateProgram();
   add_shader(program, GL_VERTEX_SHADER, vertex_source);
   add_shader(program, TESS_CONTROL_SHADER, control);
   add_shader(program, TESS_EVALUATION_SHADER, evaluation);
   add_shader(program, GL_FRAGMENT_SHADER, fragment_source);
   if (feedback)
      glTransformFeedbackVaryings(program, 4, captured, GL_INTERLEAVED_ATTRIBS);
   glLinkProgram(program);
   GLint good;
   glGetProgramiv(program, GL_LINK_STATUS, &good);
   if (!good) {
      char log[4096];
      glGetProgramInfoLog(program, sizeof(log), NULL, log);
      fprintf(stderr, "a4xx-patches: %s\n", log);
      exit(1);
   }
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "level"), 2.625f);
   if (points)
      *points = '-';
}

static void
create_vertices(unsigned count)
{
   float *data = malloc(count * 8 * sizeof(float));
   unsigned seed = 12345;
   GLuint buffer;
   for (unsigned i = 0; i < count * 8; i++) {
      seed = seed * 1103515245 + 12345;
      data[i] = (int)(seed >> 20) / 2048.0f - 1;
   }
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, count * 8 * sizeof(float), data, GL_STATIC_DRAW);
   for (unsigned i = 0; i < 2; i++) {
      glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, 32, (const void *)(i * 16ul));
      glEnableVertexAttribArray(i);
   }
   free(data);
}

/* Levels of 8 x 4 and less of numbers that halves hold; mirrored one way, clamped the other. */
static void
create_texture(void)
{
   float texels[8 * 4][4];
   unsigned seed = 1;
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexStorage2D(GL_TEXTURE_2D, 4, GL_RGBA16F, 8, 4);
   for (int level = 0; level < 4; level++) {
      for (unsigned i = 0; i < 8 * 4 * 4; i++) {
         seed = seed * 1103515245 + 12345;
         texels[i / 4][i % 4] = (int)(seed >> 24) / 64.0f - 2;
      }
      glTexSubImage2D(GL_TEXTURE_2D, level, 0, 0, 8 >> level, level < 3 ? 4 >> level : 1, GL_RGBA, GL_FLOAT, texels);
   }
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_MIRRORED_REPEAT);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static void
draw_captured(unsigned count, GLenum primitive, unsigned corners, const char *path)
{
   const unsigned size = 1 << 24;
   GLuint buffer, query, primitives;
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
   glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, size, NULL, GL_STATIC_READ);
   glGenQueries(1, &query);
   glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
   glBeginTransformFeedback(primitive);
   glDrawArrays(PATCHES, 0, count);
   glEndTransformFeedback();
   glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &primitives);
   const void *data = glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, size, GL_MAP_READ_BIT);
   FILE *file = fopen(path, "wb");
   if (!file || fwrite(data, 48, primitives * corners, file) != primitives * corners || fclose(file)) {
      perror(path);
      exit(1);
   }
}

int
main(int argc, char **argv)
{
   if (argc < 6) {
      fprintf(stderr, "usage: a4xx-patches DOMAIN SPACING IN OUT PATCHES [FEEDBACK]\n");
      return 2;
   }
   const unsigned in = atoi(argv[3]), count = in * atoi(argv[5]);
   const char *domain = argv[1];
   const bool points = strstr(domain, "-points"), lines = !strncmp(domain, "isolines", 8);
   create_targets();
   create_program(argv[1], argv[2], atoi(argv[4]), argc > 6);
   create_vertices(count);
   create_texture();
   void (*patch_parameter)(GLenum, GLint) = (void (*)(GLenum, GLint))eglGetProcAddress("glPatchParameteriEXT");
   patch_parameter(PATCH_VERTICES, in);
   if (argc > 6) {
      draw_captured(count, points ? GL_POINTS : lines ? GL_LINES : GL_TRIANGLES, points ? 1 : lines ? 2 : 3, argv[6]);
   } else {
      glDrawArrays(PATCHES, 0, count);
      glFinish();
   }
   GLenum error = glGetError();
   if (error)
      fprintf(stderr, "a4xx-patches: OpenGL error 0x%x\n", error);
   return error != 0;
}
