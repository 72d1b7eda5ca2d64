/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * a4xx-pictures CASE OUT.png: draws one of the pictures of what comes behind the vertices; prints how many samples an
 * occlusion query counts.  Without arguments it lists the cases.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "image.h"

#define WIDTH 600
#define HEIGHT 500
#define VERTICES 240

#define PATCHES 0x000e
#define PATCH_VERTICES 0x8e72
#define TESS_EVALUATION_SHADER 0x8e87
#define TESS_CONTROL_SHADER 0x8e88

static const char header[] = "#version 300 es\nprecision highp float; precision highp int;\n";
static const char patch_header[] =
   "#version 310 es\n#extension GL_EXT_tessellation_shader : require\nprecision highp float; precision highp int;\n";

static const char vertex_source[] =
   "layout(location = 0) in vec4 place; layout(location = 1) in vec4 color;\n"
   "out vec4 v; flat out ivec2 n;\n"
   "void main() {\n"
   "   gl_Position = vec4(place.xyz, 1.1 + place.w);\n"
   "   gl_PointSize = 1.0 + 20.0 * abs(color.w);\n"
   "   v = color * 0.5 + 0.5; n = ivec2(gl_VertexID, gl_VertexID / 7);\n"
   "}\n";

/* Levels differ from patch to patch and from edge to edge. */
static const char control_source[] =
   "layout(vertices = 4) out; in vec4 v[]; flat in ivec2 n[]; out vec4 c[]; patch out ivec2 first;\n"
   "void main() {\n"
   "   gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
   "   c[gl_InvocationID] = v[gl_InvocationID];\n"
   "   gl_TessLevelOuter[gl_InvocationID] = 1.0 + 7.0 * v[gl_InvocationID].x;\n"
   "   gl_TessLevelInner[gl_InvocationID % 2] = 1.0 + 9.0 * v[gl_InvocationID % 2].y;\n"
   "   first = n[0];\n"
   "}\n";

/* A bent quad; of the triangle's domain a half of it.  Lines stay inside: llvmpipe of Mesa 25.0 draws those of patches that it
 * clips to a corner of the window. */
static const char evaluation_source[] =
   "in vec4 c[]; patch in ivec2 first; out vec4 v; flat out ivec2 n;\n"
   "vec4 mix4(vec4 a, vec4 b, vec4 c, vec4 d) {\n"
   "   return mix(mix(a, b, gl_TessCoord.x), mix(c, d, gl_TessCoord.x), gl_TessCoord.y);\n"
   "}\n"
   "void main() {\n"
   "   gl_Position = mix4(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_in[2].gl_Position, gl_in[3].gl_Position);\n"
   "   gl_Position.xy += gl_TessCoord.x * gl_TessCoord.yx * 0.25;\n"
   "   if (LINES) gl_Position.w = 1.5;\n"
   "   v = mix4(c[0], c[1], c[2], c[3]); n = first;\n"
   "}\n";

static const char fragment_head[] =
   "in vec4 v; flat in ivec2 n; out vec4 result;\n"
   "uniform highp sampler2D image; uniform highp samplerCube sides; uniform highp sampler2DShadow deep;\n"
   "void main()";

#define COLOR "result = v;"

static void
blend_over(void)
{
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

static void
blend_more(void)
{
   glEnable(GL_BLEND);
   glBlendColor(0.2f, 0.4f, 0.6f, 0.8f);
   glBlendEquationSeparate(GL_FUNC_REVERSE_SUBTRACT, GL_MAX);
   glBlendFuncSeparate(GL_CONSTANT_COLOR, GL_DST_ALPHA, GL_ONE, GL_ONE);
   glColorMask(1, 0, 1, 1);
}

/* By an alpha that the target does not have. */
static void
blend_by_target(void)
{
   glEnable(GL_BLEND);
   glBlendFunc(GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA);
}

static void
test_depth(void)
{
   glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_LEQUAL);
}

static void
test_stencil(void)
{
   glEnable(GL_STENCIL_TEST);
   glStencilFuncSeparate(GL_FRONT, GL_GEQUAL, 3, 0xff);
   glStencilFuncSeparate(GL_BACK, GL_NOTEQUAL, 2, 0x3);
   glStencilOpSeparate(GL_FRONT, GL_ZERO, GL_INVERT, GL_INCR);
   glStencilOpSeparate(GL_BACK, GL_REPLACE, GL_KEEP, GL_INCR_WRAP);
}

static void
test_both(void)
{
   test_depth();
   test_stencil();
   glEnable(GL_POLYGON_OFFSET_FILL);
   glPolygonOffset(-1, -4);
}

static void
cut(void)
{
   glEnable(GL_SCISSOR_TEST);
   glScissor(101, 53, 333, 222);
   glViewport(50, 20, 700, 300);
   glEnable(GL_CULL_FACE);
   glFrontFace(GL_CW);
}

static void
wide(void)
{
   glLineWidth(5);
}

/* Levels that the driver makes, by draws; colours change slowly, so that the level of detail hardly shows. */
static void
create_texture(GLenum target, GLenum face, unsigned faces)
{
   static uint8_t texels[64][64][4];
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   for (unsigned i = 0; i < faces; i++) {
      for (unsigned y = 0; y < 64; y++) {
         for (unsigned x = 0; x < 64; x++)
            memcpy(texels[y][x], (uint8_t[]){ x * 4, y * 4, i * 50, 255 - x * y / 16 }, 4);
      }
      glTexImage2D(face + i, 0, GL_RGBA, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   }
   glGenerateMipmap(target);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
   glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_MIRRORED_REPEAT);
   glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static void
bind_image(void)
{
   create_texture(GL_TEXTURE_2D, GL_TEXTURE_2D, 1);
}

static void
bind_cube(void)
{
   create_texture(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_POSITIVE_X, 6);
}

static void
bind_shadow(void)
{
   static const uint16_t depths[4] = { 0, 20000, 40000, 65535 };
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT16, 2, 2, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, depths);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
}

static const struct {
   const char *name;
   GLenum mode, format;
   bool depth;
   void (*set_up)(void);
   const char *source;
   const char *domain; /* of patches */
} cases[] = {
   { "smooth", GL_TRIANGLES, GL_RGBA8, false, NULL, COLOR },
   { "strip", GL_TRIANGLE_STRIP, GL_RGBA8, false, NULL, "result = vec4(n.x % 16, n.y, 3, 15) / 15.0;" },
   { "fan", GL_TRIANGLE_FAN, GL_RGB565, false, NULL, "result = vec4(v.xy, gl_FrontFacing ? 1 : 0, v.w);" },
   { "coordinates", GL_TRIANGLES, GL_RGB10_A2, false, NULL,
     "result = vec4(gl_FragCoord.xy / 600.0, gl_FragCoord.w, 1); if (v.x > 0.6) discard;" },
   { "derivatives", GL_TRIANGLES, GL_RGBA8, false, NULL, "if (int(gl_FragCoord.x + gl_FragCoord.y) % 3 == 0) discard; " COLOR },
   { "loop", GL_TRIANGLES, GL_RGBA8, false, NULL, "float s = 0.0; for (int i = 0; i < n.x % 9; i++) s += v.y; result = s * v;" },
   { "over", GL_TRIANGLES, GL_RGBA8, false, blend_over, COLOR },
   { "more", GL_TRIANGLES, GL_RGBA8, false, blend_more, COLOR },
   { "opaque", GL_TRIANGLES, GL_RGB8, false, blend_by_target, COLOR },
   { "srgb", GL_TRIANGLES, GL_SRGB8_ALPHA8, false, NULL, COLOR },
   { "cut", GL_TRIANGLES, GL_RGBA8, false, cut, COLOR },
   { "points", GL_POINTS, GL_RGBA8, false, NULL, "result = vec4(gl_PointCoord, v.zw);" },
   { "lines", GL_LINES, GL_RGBA8, false, NULL, COLOR },
   { "wide-lines", GL_LINE_LOOP, GL_RGBA4, false, wide, COLOR },
   { "depth", GL_TRIANGLES, GL_RGBA8, true, test_depth, COLOR },
   { "fragment-depth", GL_TRIANGLES, GL_RGBA8, true, test_depth, COLOR "gl_FragDepth = v.x;" },
   { "stencil", GL_TRIANGLES, GL_RGBA8, true, test_stencil, COLOR },
   { "texture", GL_TRIANGLES, GL_RGBA8, false, bind_image, "result = texture(image, v.xy * 2.0 - 0.5);" },
   { "cube", GL_TRIANGLES, GL_RGBA8, false, bind_cube, "result = texture(sides, v.xyz - 0.5);" },
   { "shadow", GL_TRIANGLES, GL_RGBA8, false, bind_shadow, "result = texture(deep, v.xyz) * v;" },
   { "both", GL_TRIANGLE_STRIP, GL_RGBA8, true, test_both, COLOR },
   { "patches", PATCHES, GL_RGBA8, false, NULL, "result = vec4(v.xy, n.x % 16, 15) / vec4(1, 1, 15, 15);",
     "triangles, fractional_odd_spacing, cw" },
   { "patch-quads", PATCHES, GL_RGBA8, true, test_both, COLOR, "quads, fractional_even_spacing, ccw" },
   { "patch-culled", PATCHES, GL_RGB565, false, cut, "result = vec4(v.xy, gl_FrontFacing ? 1 : 0, v.w);",
     "quads, equal_spacing, cw" },
   /* Of one colour, as where a line ends and the next one begins may differ. */
   { "patch-lines", PATCHES, GL_RGBA8, false, NULL, "result = vec4(n.x % 16, n.y, 3, 15) / 15.0;", "isolines, equal_spacing" },
   { "patch-points", PATCHES, GL_RGBA8, true, test_depth, COLOR, "triangles, equal_spacing, point_mode" },
};

static void
begin_es(bool patches)
{
   create_context(EGL_OPENGL_ES_API, patches);
   if (patches) {
      void (*patch_parameter)(GLenum, GLint) = (void (*)(GLenum, GLint))eglGetProcAddress("glPatchParameteriEXT");
      patch_parameter(PATCH_VERTICES, 4);
   }
}

static void
create_target(GLenum attachment, GLenum format)
{
   GLuint target;
   glGenRenderbuffers(1, &target);
   glBindRenderbuffer(GL_RENDERBUFFER, target);
   glRenderbufferStorage(GL_RENDERBUFFER, format, WIDTH, HEIGHT);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, target);
}

/* layout and body: what goes around the source. */
static void
add_shader(GLuint program, GLenum type, bool patches, const char *layout, const char *source, const char *body)
{
   const char *parts[] = { patches ? patch_header : header, layout, source, body };
   GLuint shader = glCreateShader(type);
   GLint good;
   glShaderSource(shader, 4, parts, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
   if (!good) {
      char log[1024];
      glGetShaderInfoLog(shader, sizeof(log), NULL, log);
      fprintf(stderr, "a4xx-pictures: %s\n%s%s%s\n", log, layout, source, body);
      exit(1);
   }
   glAttachShader(program, shader);
}

static void
create_program(const char *fragment, const char *domain)
{
   char body[1024], layout[128];
   GLint good;
   GLuint program = glCreateProgram();
   snprintf(body, sizeof(body), " { %s }\n", fragment);
   add_shader(program, GL_VERTEX_SHADER, domain, "", vertex_source, "");
   if (domain) {
      snprintf(layout, sizeof(layout), "layout(%s) in;\n#define LINES %s\n", domain, strstr(domain, "lines") ? "true" : "false");
      add_shader(program, TESS_CONTROL_SHADER, true, "", control_source, "");
      add_shader(program, TESS_EVALUATION_SHADER, true, layout, evaluation_source, "");
   }
   add_shader(program, GL_FRAGMENT_SHADER, domain, "", fragment_head, body);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &good);
   if (!good) {
      fprintf(stderr, "a4xx-pictures: no program from %s\n", fragment);
      exit(1);
   }
   glUseProgram(program);
}

static void
create_vertices(void)
{
   static float data[VERTICES * 8];
   unsigned seed = 4;
   GLuint buffer;
   for (unsigned i = 0; i < VERTICES * 8; i++) {
      seed = seed * 1103515245 + 12345;
      data[i] = (int)(seed >> 20) / 2048.0f - 1;
   }
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(data), data, GL_STATIC_DRAW);
   for (unsigned i = 0; i < 2; i++) {
      glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, 32, (const void *)(i * 16ul));
      glEnableVertexAttribArray(i);
   }
}

static void
draw(unsigned i)
{
   GLuint framebuffer, query, any;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   create_target(GL_COLOR_ATTACHMENT0, cases[i].format);
   if (cases[i].depth)
      create_target(GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8);
   create_program(cases[i].source, cases[i].domain);
   create_vertices();
   glViewport(0, 0, WIDTH, HEIGHT);
   glClearColor(0.125f, 0.25f, 0.5f, 1);
   glClearStencil(2);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   if (cases[i].set_up)
      cases[i].set_up();
   glGenQueries(1, &query);
   glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
   /* In two halves: the second one finds what is in memory. */
   glDrawArrays(cases[i].mode, 0, VERTICES / 2);
   glFinish();
   glDrawArrays(cases[i].mode, VERTICES / 2, VERTICES / 2);
   glEndQuery(GL_ANY_SAMPLES_PASSED);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &any);
   printf("%s: samples %s\n", cases[i].name, any ? "pass" : "do not pass");
}

int
main(int argc, char **argv)
{
   static uint8_t pixels[WIDTH * HEIGHT * 4];
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      if (argc < 3) {
         printf("%s%s%s\n", cases[i].name, cases[i].depth ? " depth" : "", cases[i].domain ? " patches" : "");
      } else if (!strcmp(argv[1], cases[i].name)) {
         begin_es(cases[i].domain);
         draw(i);
         glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
         if (glGetError()) {
            fprintf(stderr, "a4xx-pictures: an OpenGL error\n");
            return 1;
         }
         return !image_write(argv[2], WIDTH, HEIGHT, pixels, true);
      }
   }
   return argc >= 3;
}
