/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The fixed functions of OpenGL 2.1 in random combinations: lights, materials, texture environments, generated coordinates,
 * matrices of textures, fog, blending, tests and masks, with vertices by fixed functions, GLSL with and without gl_ClipVertex,
 * or an assembly program.  A scene has one or two rectangles that cover the target, so that results of the programs that Mesa
 * makes of the state are compared and not edges; state that changes between them adds constants to programs that were used
 * before.  Textures are smooth, for places between texels.  Prints a line per scene, its pixels; near_pictures.py runs it on the
 * simulated chip and on softpipe.
 *
 * Usage: test_fixed_functions [FIRST COUNT]   with them each scene's state goes to stderr
 */

#include "opengl.h"

#define SIZE    32
#define TEXELS  64
#define SCENES  100

static const float *
random_vector(float low, float high)
{
   static float v[4];

   for (unsigned i = 0; i < 4; i++)
      v[i] = between(low, high);
   return v;
}

/* --- vertices --- */

static void
set_light(GLenum light)
{
   float position[4], direction[3] = { 0, 0, -1 };

   glEnable(light);
   glLightfv(light, GL_AMBIENT, random_vector(0, 0.4f));
   glLightfv(light, GL_DIFFUSE, random_vector(0, 1));
   glLightfv(light, GL_SPECULAR, random_vector(0, 1));
   position[0] = between(-3, 3);
   position[1] = between(-3, 3);
   position[2] = between(1, 4);
   position[3] = one_in(2);
   glLightfv(light, GL_POSITION, position);
   note(" light, w %g", position[3]);
   if (one_in(2)) {
      glLightf(light, GL_CONSTANT_ATTENUATION, between(0.5f, 1.5f));
      glLightf(light, GL_LINEAR_ATTENUATION, between(0, 0.3f));
      glLightf(light, GL_QUADRATIC_ATTENUATION, between(0, 0.1f));
      note(" attenuated");
   }
   if (one_in(3)) {
      direction[0] = between(-0.3f, 0.3f);
      direction[1] = between(-0.3f, 0.3f);
      glLightfv(light, GL_SPOT_DIRECTION, direction);
      glLightf(light, GL_SPOT_CUTOFF, between(40, 90));
      glLightf(light, GL_SPOT_EXPONENT, between(0, 5));
      note(" spot");
   }
}

static void
set_material(void)
{
   static const GLenum colors[] = { GL_AMBIENT, GL_DIFFUSE, GL_AMBIENT_AND_DIFFUSE, GL_SPECULAR, GL_EMISSION };

   glMaterialfv(GL_FRONT_AND_BACK, GL_AMBIENT, random_vector(0, 1));
   glMaterialfv(GL_FRONT_AND_BACK, GL_DIFFUSE, random_vector(0, 1));
   glMaterialfv(GL_FRONT_AND_BACK, GL_SPECULAR, random_vector(0, 1));
   glMaterialfv(GL_FRONT_AND_BACK, GL_EMISSION, random_vector(0, 0.3f));
   glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, between(1, 40));
   if (one_in(3)) {
      const GLenum color = PICK(colors);
      glColorMaterial(GL_FRONT_AND_BACK, color);
      glEnable(GL_COLOR_MATERIAL);
      note(" color material 0x%x", color);
   }
}

static void
set_lighting(void)
{
   const unsigned lights = 1 + random_below(3);

   glEnable(GL_LIGHTING);
   for (unsigned i = 0; i < lights; i++)
      set_light(GL_LIGHT0 + i);
   set_material();
   if (one_in(2)) {
      glLightModeli(GL_LIGHT_MODEL_LOCAL_VIEWER, 1);
      note(" local viewer");
   }
   if (one_in(3)) {
      glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
      glMaterialfv(GL_BACK, GL_DIFFUSE, random_vector(0, 1));
      note(" two sides");
   }
   if (one_in(3)) {
      glLightModeli(GL_LIGHT_MODEL_COLOR_CONTROL, GL_SEPARATE_SPECULAR_COLOR);
      note(" separate specular");
   }
   if (one_in(2))
      glEnable(one_in(2) ? GL_NORMALIZE : GL_RESCALE_NORMAL);
}

/* --- textures --- */

static void
set_combiner(void)
{
   static const GLenum modes[] = { GL_REPLACE, GL_MODULATE, GL_ADD, GL_ADD_SIGNED, GL_INTERPOLATE, GL_SUBTRACT, GL_DOT3_RGB,
                                   GL_DOT3_RGBA };
   static const GLenum sources[] = { GL_TEXTURE, GL_CONSTANT, GL_PRIMARY_COLOR, GL_PREVIOUS, GL_TEXTURE0, GL_TEXTURE1 };
   static const GLenum operands[] = { GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA };
   const GLenum rgb = PICK(modes), alpha = modes[random_below(6)];

   glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_COMBINE);
   glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, rgb);
   glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_ALPHA, alpha);
   note(" combined 0x%x 0x%x", rgb, alpha);
   for (unsigned i = 0; i < 3; i++) {
      glTexEnvi(GL_TEXTURE_ENV, GL_SOURCE0_RGB + i, PICK(sources));
      glTexEnvi(GL_TEXTURE_ENV, GL_OPERAND0_RGB + i, PICK(operands));
      glTexEnvi(GL_TEXTURE_ENV, GL_SOURCE0_ALPHA + i, PICK(sources));
      glTexEnvi(GL_TEXTURE_ENV, GL_OPERAND0_ALPHA + i, operands[2 + random_below(2)]);
   }
   glTexEnvf(GL_TEXTURE_ENV, GL_RGB_SCALE, 1 << random_below(3));
   glTexEnvf(GL_TEXTURE_ENV, GL_ALPHA_SCALE, 1 << random_below(3));
}

static void
fill_texture(GLenum format)
{
   static GLubyte texels[TEXELS][TEXELS][4];

   for (unsigned c = 0; c < 4; c++) {
      const float phase = between(0, 2);
      for (unsigned y = 0; y < TEXELS; y++) {
         for (unsigned x = 0; x < TEXELS; x++) {
            float f = phase + (c & 1 ? x : y) * 0.1f;
            f -= (int)(f / 2) * 2;
            texels[y][x][c] = (f < 1 ? f : 2 - f) * 255;
         }
      }
   }
   glTexImage2D(GL_TEXTURE_2D, 0, format, TEXELS, TEXELS, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

static void
generate_coordinates(void)
{
   static const GLenum modes[] = { GL_OBJECT_LINEAR, GL_EYE_LINEAR, GL_SPHERE_MAP, GL_NORMAL_MAP, GL_REFLECTION_MAP };
   const GLenum mode = PICK(modes), plane = mode == GL_EYE_LINEAR ? GL_EYE_PLANE : GL_OBJECT_PLANE;

   note(" generated 0x%x", mode);
   glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, mode);
   glTexGeni(GL_T, GL_TEXTURE_GEN_MODE, mode);
   glTexGenfv(GL_S, plane, random_vector(-0.4f, 0.4f));
   glTexGenfv(GL_T, plane, random_vector(-0.4f, 0.4f));
   glEnable(GL_TEXTURE_GEN_S);
   if (!one_in(3))
      glEnable(GL_TEXTURE_GEN_T);
}

static void
set_texture_matrix(void)
{
   static const float projective[16] = { 1, 0, 0, 0.1f, 0, 1, 0, -0.05f, 0, 0, 1, 0, 0, 0, 0, 1 };

   glMatrixMode(GL_TEXTURE);
   glTranslatef(between(-0.3f, 0.3f), 0.1f, 0);
   glRotatef(between(-60, 60), 0, 0, 1);
   glScalef(between(0.5f, 1.5f), 1.2f, 1);
   if (one_in(3))
      glMultMatrixf(projective);
   glMatrixMode(GL_MODELVIEW);
   note(" matrix");
}

static void
set_texture(unsigned unit)
{
   static const GLenum formats[] = { GL_RGBA, GL_RGB, GL_LUMINANCE, GL_ALPHA, GL_INTENSITY, GL_LUMINANCE_ALPHA };
   static const GLenum modes[] = { GL_MODULATE, GL_DECAL, GL_BLEND, GL_REPLACE, GL_ADD };
   static const GLenum wraps[] = { GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT, GL_CLAMP, GL_CLAMP_TO_BORDER };
   const GLenum format = PICK(formats), wrap_s = PICK(wraps), wrap_t = PICK(wraps);

   glActiveTexture(GL_TEXTURE0 + unit);
   empty_texture(GL_TEXTURE_2D);
   fill_texture(format);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   set_wraps(GL_TEXTURE_2D, wrap_s, wrap_t);
   glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, random_vector(0, 1));
   glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, random_vector(0, 1));
   glEnable(GL_TEXTURE_2D);
   note("\n   unit %u: format 0x%x, wrap 0x%x 0x%x", unit, format, wrap_s, wrap_t);
   if (one_in(2)) {
      set_combiner();
   } else {
      const GLenum mode = PICK(modes);
      glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, mode);
      note(" mode 0x%x", mode);
   }
   if (one_in(3))
      generate_coordinates();
   if (one_in(3))
      set_texture_matrix();
}

/* --- fragments --- */

static void
set_fog(void)
{
   static const GLenum modes[] = { GL_LINEAR, GL_EXP, GL_EXP2 };
   const GLenum mode = PICK(modes);

   glEnable(GL_FOG);
   glFogi(GL_FOG_MODE, mode);
   glFogf(GL_FOG_DENSITY, between(0.1f, 0.4f));
   glFogf(GL_FOG_START, between(1, 2));
   glFogf(GL_FOG_END, between(5, 9));
   glFogfv(GL_FOG_COLOR, random_vector(0, 1));
   if (one_in(3))
      glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD);
   note("\n   fog 0x%x", mode);
}

static void
set_blending(void)
{
   static const GLenum factors[] = {
      GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_DST_COLOR, GL_ONE_MINUS_DST_COLOR, GL_SRC_ALPHA,
      GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_COLOR,
      GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA, GL_SRC_ALPHA_SATURATE,
   };
   static const GLenum equations[] = { GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX };
   /* those of the destination are without the last */
   const GLenum rgb = PICK(factors), alpha = PICK(factors), to_rgb = factors[random_below(COUNT(factors) - 1)],
                to_alpha = factors[random_below(COUNT(factors) - 1)];
   const GLenum equation = PICK(equations), equation_alpha = PICK(equations);
   const float *color = random_vector(0, 1);

   glBlendColor(color[0], color[1], color[2], color[3]);
   glEnable(GL_BLEND);
   glBlendFuncSeparate(rgb, to_rgb, alpha, to_alpha);
   glBlendEquationSeparate(equation, equation_alpha);
   note("\n   blend 0x%x 0x%x 0x%x 0x%x, 0x%x 0x%x", rgb, to_rgb, alpha, to_alpha, equation, equation_alpha);
}

static void
set_tests(void)
{
   if (one_in(5)) {
      glEnable(GL_ALPHA_TEST);
      glAlphaFunc(GL_GREATER, 0.3f);
      note(" alpha test");
   }
   if (one_in(5)) {
      const GLenum function = GL_NEVER + random_below(8);
      glEnable(GL_DEPTH_TEST);
      glDepthFunc(function);
      note(" depth 0x%x", function);
   }
   if (one_in(5)) {
      const GLenum function = GL_NEVER + random_below(8);
      glEnable(GL_STENCIL_TEST);
      glStencilFunc(function, random_below(4), 3);
      glStencilOp(GL_KEEP, GL_INCR, GL_INVERT);
      note(" stencil 0x%x", function);
   }
}

static void
set_clip_plane(void)
{
   const double plane[4] = { between(-1, 1), 0.5, 0, between(-2, 2) };
   const GLenum which = GL_CLIP_PLANE0 + random_below(6);

   glClipPlane(which, plane);
   glEnable(which);
   note(" clipped 0x%x", which);
}

static void
set_polygons(void)
{
   if (one_in(8)) {
      GLubyte pattern[128];
      for (unsigned i = 0; i < sizeof(pattern); i++)
         pattern[i] = random_below(256);
      glPolygonStipple(pattern);
      glEnable(GL_POLYGON_STIPPLE);
      note(" stipple");
   }
   if (one_in(6))
      set_clip_plane();
   if (one_in(4)) {
      glShadeModel(GL_FLAT);
      note(" flat");
   }
}

/* Logical operations that do not make small differences large ones. */
static void
set_stores(void)
{
   static const GLenum operations[] = { GL_CLEAR, GL_COPY, GL_NOOP, GL_INVERT, GL_COPY_INVERTED, GL_SET };

   if (one_in(5)) {
      const unsigned mask = random_below(16);
      glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
      note(" mask %u", mask);
   }
   if (one_in(6)) {
      const GLenum operation = PICK(operations);
      glEnable(GL_COLOR_LOGIC_OP);
      glLogicOp(operation);
      note(" operation 0x%x", operation);
   }
}

/* --- programs --- */

/* Both sides have the same colours, or the last program writes those of front faces alone: Mesa does not choose a side anew when
 * a program takes the place of fixed functions. */
static void
set_program(void)
{
   static const char glsl[] =
      "void main() {\n"
      "   gl_Position = ftransform(); gl_FogFragCoord = abs(gl_Vertex.z); gl_FrontColor = gl_Color;\n"
      "   gl_FrontSecondaryColor = gl_SecondaryColor;\n"
      "   gl_TexCoord[0] = gl_TextureMatrix[0] * gl_MultiTexCoord0;\n"
      "   gl_TexCoord[1] = gl_TextureMatrix[1] * gl_MultiTexCoord1; gl_TexCoord[2] = gl_MultiTexCoord2;\n";
   static const char assembly[] =
      "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.fogcoord.x, vertex.fogcoord.x;\n"
      "MOV result.color, vertex.color;\nMOV result.color.secondary, vertex.color.secondary;\n"
      "MOV result.color.back, vertex.color;\nMOV result.color.back.secondary, vertex.color.secondary;\n"
      "MOV result.texcoord[0], vertex.texcoord[0];\nMOV result.texcoord[1], vertex.texcoord[1];\n"
      "MOV result.texcoord[2], vertex.texcoord[2];\nEND\n";
   const unsigned which = random_below(4);
   GLuint program;

   note(" program %u", which);
   glUseProgram(0);
   glDisable(GL_VERTEX_PROGRAM_ARB);
   glEnable(GL_VERTEX_PROGRAM_TWO_SIDE);
   if (which == 1) {
      glGenProgramsARB(1, &program);
      glBindProgramARB(GL_VERTEX_PROGRAM_ARB, program);
      glProgramStringARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, strlen(assembly), assembly);
      glEnable(GL_VERTEX_PROGRAM_ARB);
   } else if (which > 1) {
      glUseProgram(make_program(text_of(
         "%s%s}\n", glsl, which == 3 ? ""
                                     : "gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex;\n"
                                       "gl_BackColor = gl_Color; gl_BackSecondaryColor = gl_SecondaryColor;\n"), NULL, NULL));
   }
}

/* --- scenes --- */

static void
draw(void)
{
   static const float corners[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };

   if (one_in(4)) {
      glFrontFace(GL_CW);
      note(" back");
   }
   glBegin(GL_QUADS);
   for (unsigned i = 0; i < 4; i++) {
      const float z = between(-5, -2);
      glColor4fv(random_vector(0, 1));
      glSecondaryColor3fv(random_vector(0, 1));
      glFogCoordf(between(0, 6));
      glNormal3fv(random_vector(-1, 1));
      for (unsigned unit = 0; unit < 3; unit++) {
         const float *place = random_vector(-1.2f, 1.2f);
         glMultiTexCoord2f(GL_TEXTURE0 + unit, place[0], place[1]);
      }
      glVertex3f(corners[i][0] * -z * 1.05f, corners[i][1] * -z * 1.05f, z);
   }
   glEnd();
}

static void
play_scene(EGLDisplay display, unsigned number)
{
   static GLubyte pixels[SIZE * SIZE * 4];
   static void (*const changes[])(void) = { set_program, set_clip_plane, set_clip_plane, set_texture_matrix, set_fog,
                                            set_tests, generate_coordinates, set_lighting, set_blending, set_stores };

   make_current(display, new_context(display, EGL_NO_CONTEXT));
   make_target(SIZE, SIZE, true);
   random_state = number * 2654435761u + 1;
   note("scene %u:", number);
   glClearColor(0.3f, 0.6f, 0.2f, 0.8f);
   glClearDepth(0.7);
   glClearStencil(1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glMatrixMode(GL_PROJECTION);
   glFrustum(-1, 1, -1, 1, 1, 10);
   glMatrixMode(GL_MODELVIEW);
   if (one_in(2))
      set_lighting();
   const unsigned units = random_below(4);
   for (unsigned unit = 0; unit < units; unit++)
      set_texture(unit);
   if (one_in(3))
      set_fog();
   if (one_in(4))
      glEnable(GL_COLOR_SUM);
   if (one_in(3))
      set_blending();
   set_tests();
   set_polygons();
   set_stores();
   if (one_in(3))
      set_program();
   draw();
   if (one_in(2)) {
      for (unsigned count = random_below(4); count > 0; count--)
         PICK(changes)();
      draw();
   }
   note("\n");
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   printf("%u ", number);
   print_bytes(pixels, sizeof(pixels));
}

int
main(int argc, char **argv)
{
   return play_scenes(argc, argv, SCENES, play_scene);
}
