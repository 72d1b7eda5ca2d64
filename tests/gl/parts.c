/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs that are drawn in parts, one line per state.  Each scene is drawn with a small program and with a large one,
 * which turns its values round by angles that add up to nothing.  Colour, depth and stencil have to be the same, whatever
 * the state: the triangles of a draw cover each other, and in some of the programs every part computes whether to discard.
 *
 * Usage: test_parts [STATE]
 */

#include "opengl.h"

#define SIZE 32
#define VERTICES 48
#define MANY 16500 /* primitives */
#define TOLERANCE 4

static const char *const cases[] = {
   /* overlapping triangles, each of them over what is there */
   "", "blend", "add", "mask", "mask blend", "logic", "alpha", "alpha blend",
   /* depth and stencil */
   "depth", "depth blend", "depth readonly", "stencil", "depth stencil", "depth stencil blend",
   /* discard, early and late tests */
   "discard", "discard blend", "discard depth", "discard depth blend", "discard stencil", "discard depth stencil",
   "discard depth readonly stencil", "discard mask blend",
   /* geometry */
   "points", "points blend discard", "lines", "lines blend", "lines discard depth", "strip", "strip blend", "fan blend",
   "loop blend", "points many blend", "cull blend", "index blend", "index discard depth stencil", "quad", "quad blend",
   /* where */
   "scissor", "scissor blend discard", "small blend",
   /* more than one target */
   "two", "two blend", "two discard",
   /* more values than a part can load beside the targets */
   "four", "four blend", "four mask blend",
   /* a lookup that leaves few registers */
   "cube",
};

static const char vertex[] = "varying vec2 where;\n"
                             "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; gl_BackColor = gl_Color;\n"
                             "where = gl_Vertex.xy; }\n";

static struct {
   GLfloat position[3], color[4];
} vertices[VERTICES];
static GLushort indices[MANY];
static GLuint programs[2][6]; /* small and large; 1: discards, 2: two targets; 4: four targets; 5: a cube map */
static GLuint targets[3];     /* textures of the second target and of those behind it */

struct picture {
   unsigned char color[4][SIZE * SIZE][4], stencil[SIZE * SIZE];
   GLfloat depth[SIZE * SIZE];
};

static GLuint
make_fragment_program(bool large, bool discards, bool two)
{
   return make_program(vertex, text_of(
      "varying vec2 where;\n"
      "vec4 turn(vec4 x) { return vec4(0.8 * x.xy - 0.6 * x.zw, 0.6 * x.xy + 0.8 * x.zw); }\n"
      "vec4 back(vec4 x) { return vec4(0.8 * x.xy + 0.6 * x.zw, 0.8 * x.zw - 0.6 * x.xy); }\n"
      "void main() {\n"
      "   vec4 c = gl_Color, k = vec4(gl_FragCoord.xy / 32.0, 0.3, 0.6);\n"
      "   for (int i = 0; i < %u; i++) { c = turn(c); k = turn(k); }\n"
      "   %s if (k.z > 2.0) discard;\n"
      "   for (int i = 0; i < %u; i++) { c = back(c); k = back(k); }\n"
      "   %s if (mod(floor(k.x * 32.0), 3.0) < 0.5) discard;\n"
      "   %s if (mod(floor(k.y * 32.0), 4.0) < 0.5) discard;\n"
      "   %s\n"
      "}\n",
      large ? 16 : 0, discards ? "" : "//", large ? 16 : 0, discards ? "" : "//", discards ? "" : "//",
      two ? "gl_FragData[0] = c; gl_FragData[1] = c.wzyx * 0.5;" : "gl_FragColor = c;"), NULL);
}

/* Four vectors that are mixed with each other, and back. */
static GLuint
make_program_of_four(bool large)
{
   return make_program(vertex, text_of(
      "varying vec2 where;\n"
      "void turn(inout vec4 x, inout vec4 y, float s) { vec4 t = 0.8 * x - s * y.wxyz; y.wxyz = s * x + 0.8 * y.wxyz;\n"
      "x = t; }\n"
      "void main() {\n"
      "   vec4 a = gl_Color, b = gl_Color.wxzy * 0.7, c = vec4(gl_FragCoord.xy / 32.0, 0.3, 0.6), d = b - c * 0.5;\n"
      "   for (int i = 0; i < %u; i++) { turn(a, b, 0.6); turn(b, c, 0.6); turn(c, d, 0.6); turn(d, a, 0.6); }\n"
      "   for (int i = 0; i < %u; i++) { turn(d, a, -0.6); turn(c, d, -0.6); turn(b, c, -0.6); turn(a, b, -0.6); }\n"
      "   gl_FragData[0] = a; gl_FragData[1] = b; gl_FragData[2] = c; gl_FragData[3] = d;\n"
      "}\n",
      large ? 4 : 0, large ? 4 : 0), NULL);
}

/* A material of three.js: light, and a sky that it reflects.  The small program knows the only colour of the sky. */
static GLuint
make_program_of_cube(bool large)
{
   const GLuint program = make_program(vertex, text_of(
      "varying vec2 where;\n"
      "uniform samplerCube sky;\n"
      "uniform mat4 view;\n"
      "uniform vec3 light, specular, ambient;\n"
      "uniform float shininess, strength, flip;\n"
      "void main() {\n"
      "   vec3 n = normalize(gl_Color.xyz), v = normalize(vec3(where, 1.5)), l = light, h = normalize(l + v);\n"
      "   float nl = clamp(dot(n, l), 0.0, 1.0), nh = clamp(dot(n, h), 0.0, 1.0), lh = clamp(dot(l, h), 0.0, 1.0);\n"
      "   vec3 f = (1.0 - specular) * exp2((-5.55473 * lh - 6.98316) * lh) + specular;\n"
      "   vec3 c = nl * (gl_Color.xyz + f * (0.25 * (shininess * 0.5 + 1.0) * pow(nh, shininess)));\n"
      "   c += ambient * gl_Color.xyz;\n"
      "   vec3 r = reflect(-v, normalize((vec4(n, 0.0) * view).xyz));\n"
      "   vec4 s = %s;\n"
      "   gl_FragColor = vec4(mix(c, c * s.xyz, strength), gl_Color.w);\n"
      "}\n",
      large ? "textureCube(sky, vec3(flip * r.x, r.yz))" : "vec4(180.0 / 255.0)"), NULL);
   glUseProgram(program);
   glUniform3f(glGetUniformLocation(program, "light"), 0.36f, 0.48f, 0.8f);
   glUniform3f(glGetUniformLocation(program, "specular"), 0.1f, 0.2f, 0.3f);
   glUniform3f(glGetUniformLocation(program, "ambient"), 0.2f, 0.1f, 0.05f);
   glUniform1f(glGetUniformLocation(program, "shininess"), 12);
   glUniform1f(glGetUniformLocation(program, "strength"), 0.75f);
   glUniform1f(glGetUniformLocation(program, "flip"), -1);
   glUniformMatrix4fv(glGetUniformLocation(program, "view"), 1, GL_FALSE,
                      (const GLfloat[16]){0.8f, 0.6f, 0, 0, -0.6f, 0.8f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
   return program;
}

/* Of one colour: its faces and levels are for other tests. */
static void
make_sky(void)
{
   static GLubyte texels[16 * 16][4];

   memset(texels, 180, sizeof(texels));
   empty_texture(GL_TEXTURE_CUBE_MAP);
   for (unsigned face = 0; face < 6; face++)
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glGenerateMipmap(GL_TEXTURE_CUBE_MAP);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
}

static void
make_scene(void)
{
   srand(5);
   for (unsigned i = 0; i < VERTICES; i++) {
      for (unsigned c = 0; c < 3; c++)
         vertices[i].position[c] = (rand() % 2001) / 1000.0f - 1;
      for (unsigned c = 0; c < 4; c++)
         vertices[i].color[c] = (rand() % 800) / 1000.0f + 0.1f;
   }
   for (unsigned i = 0; i < MANY; i++)
      indices[i] = (i * 7) % VERTICES;
}

static bool
has(const char *state, const char *word)
{
   const char *found = strstr(state, word);
   return found && (found == state || found[-1] == ' ');
}

static void
apply(const char *state)
{
   const bool mask = has(state, "mask");

   glClearColor(0.2f, 0.6f, 0.4f, 0.8f);
   glClearStencil(3);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   (has(state, "blend") || has(state, "add") ? glEnable : glDisable)(GL_BLEND);
   if (has(state, "add"))
      glBlendFunc(GL_ONE, GL_ONE);
   else
      glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   glColorMask(1, !mask, 1, !mask);
   (has(state, "logic") ? glEnable : glDisable)(GL_COLOR_LOGIC_OP);
   glLogicOp(GL_COPY_INVERTED);
   (has(state, "alpha") ? glEnable : glDisable)(GL_ALPHA_TEST);
   glAlphaFunc(GL_GREATER, 0.05f);
   (has(state, "depth") ? glEnable : glDisable)(GL_DEPTH_TEST);
   glDepthMask(!has(state, "readonly"));
   (has(state, "stencil") ? glEnable : glDisable)(GL_STENCIL_TEST);
   glStencilFunc(GL_LEQUAL, 2, 0xff);
   glStencilOp(GL_KEEP, GL_DECR, GL_INCR);
   (has(state, "cull") ? glEnable : glDisable)(GL_CULL_FACE);
   (has(state, "scissor") ? glEnable : glDisable)(GL_SCISSOR_TEST);
   glScissor(5, 7, 13, 11);
   if (has(state, "small"))
      glViewport(3, 5, 17, 9);
   glPointSize(9);
   glLineWidth(has(state, "blend") ? 1 : 3);
}

static void
restore(void)
{
   glViewport(0, 0, SIZE, SIZE);
   glDisable(GL_SCISSOR_TEST);
   glDisable(GL_COLOR_LOGIC_OP);
   glColorMask(1, 1, 1, 1);
   glDepthMask(1);
}

static void
draw(const char *state)
{
   const GLenum mode = has(state, "points")  ? GL_POINTS
                       : has(state, "lines") ? GL_LINES
                       : has(state, "loop")  ? GL_LINE_LOOP
                       : has(state, "strip") ? GL_TRIANGLE_STRIP
                       : has(state, "fan")   ? GL_TRIANGLE_FAN
                       : has(state, "quad")  ? GL_QUADS
                                             : GL_TRIANGLES;

   glVertexPointer(3, GL_FLOAT, sizeof(vertices[0]), vertices[0].position);
   glColorPointer(4, GL_FLOAT, sizeof(vertices[0]), vertices[0].color);
   glEnableClientState(GL_VERTEX_ARRAY);
   glEnableClientState(GL_COLOR_ARRAY);
   if (has(state, "index") || has(state, "many"))
      glDrawElements(mode, has(state, "many") ? MANY : VERTICES, GL_UNSIGNED_SHORT, indices);
   else
      glDrawArrays(mode, 0, VERTICES);
}

static void
make_picture(const char *state, bool large, struct picture *p)
{
   static const GLenum attachments[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2, GL_COLOR_ATTACHMENT3};
   const unsigned count = has(state, "four") ? 4 : has(state, "two") ? 2 : 1;

   memset(p, 0, sizeof(*p));
   for (unsigned i = 1; i < 4; i++)
      glFramebufferTexture2D(GL_FRAMEBUFFER, attachments[i], GL_TEXTURE_2D, i < count ? targets[i - 1] : 0, 0);
   glDrawBuffers(count, attachments);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   restore();
   apply(state);
   glUseProgram(programs[large][has(state, "cube") ? 5 : count == 4 ? 4 : has(state, "discard") | (count == 2) << 1]);
   draw(state);
   restore();
   for (unsigned i = count; i-- > 0;) {
      glReadBuffer(attachments[i]);
      glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, p->color[i]);
   }
   glReadPixels(0, 0, SIZE, SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, p->depth);
   glReadPixels(0, 0, SIZE, SIZE, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, p->stencil);
   CHECK(glGetError() == GL_NO_ERROR);
}

static unsigned
difference(const unsigned char *a, const unsigned char *b)
{
   unsigned most = 0;

   for (unsigned c = 0; c < 4; c++) {
      const unsigned d = abs(a[c] - b[c]);
      most = d > most ? d : most;
   }
   return most;
}

static bool
same(const char *state, const struct picture *a, const struct picture *b)
{
   unsigned wrong = 0, drawn = 0, worst = 0;

   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      unsigned most = 0, target = 0;

      for (unsigned t = 0; t < 4; t++) {
         const unsigned d = difference(a->color[t][i], b->color[t][i]);
         target = d > most ? t : target;
         most = d > most ? d : most;
      }
      worst = most > worst ? most : worst;
      drawn += memcmp(a->color[0][i], (unsigned char[]){51, 153, 102, 204}, 4) != 0;
      if (most <= TOLERANCE && a->depth[i] == b->depth[i] && a->stencil[i] == b->stencil[i])
         continue;
      if (!wrong++)
         printf("[%s] pixel %u,%u: target %u is %u %u %u %u, not %u %u %u %u; depth %f, not %f; stencil %u, not %u\n", state,
                i % SIZE, i / SIZE, target, b->color[target][i][0], b->color[target][i][1], b->color[target][i][2],
                b->color[target][i][3], a->color[target][i][0], a->color[target][i][1], a->color[target][i][2],
                a->color[target][i][3], b->depth[i], a->depth[i], b->stencil[i], a->stencil[i]);
   }
   if (drawn < 16)
      printf("[%s] only %u pixels are drawn\n", state, drawn);
   if (wrong)
      printf("[%s] %u pixels are wrong, by up to %u\n", state, wrong, worst);
   return !wrong && drawn >= 16;
}

int
main(int argc, char **argv)
{
   static struct picture pictures[2];
   unsigned failures = 0;

   open_target(SIZE, SIZE, true);
   glGenTextures(3, targets);
   for (unsigned i = 0; i < 3; i++) {
      glBindTexture(GL_TEXTURE_2D, targets[i]);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   }
   for (unsigned large = 0; large < 2; large++) {
      for (unsigned i = 0; i < 4; i++)
         programs[large][i] = make_fragment_program(large, i & 1, i & 2);
      programs[large][4] = make_program_of_four(large);
      programs[large][5] = make_program_of_cube(large);
   }
   make_sky();
   make_scene();
   for (unsigned i = 0; i < COUNT(cases); i++) {
      if (argc == 2 && strcmp(argv[1], cases[i]))
         continue;
      make_picture(cases[i], false, &pictures[0]);
      make_picture(cases[i], true, &pictures[1]);
      failures += !same(cases[i], &pictures[0], &pictures[1]);
   }
   return failures != 0;
}
