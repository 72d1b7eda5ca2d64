/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Every equation of KHR_blend_equation_advanced against its formula, for several pairs of premultiplied colours, in
 * OpenGL 2.1 and in OpenGL ES 2.0.
 */

#include "opengl_es.h"

#define TOLERANCE 3 /* steps of 1/255: source, destination and result are rounded */

struct equation {
   const char *name;
   GLenum mode;
   float (*f)(float s, float d); /* per component, or */
   char hsl[3];                  /* where hue, saturation and luminosity come from */
};

static float multiply(float s, float d) { return s * d; }
static float screen(float s, float d) { return s + d - s * d; }
static float hardlight(float s, float d) { return s <= 0.5f ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d); }
static float overlay(float s, float d) { return hardlight(d, s); }
static float colordodge(float s, float d) { return d <= 0 ? 0 : s < 1 ? fminf(1, d / (1 - s)) : 1; }
static float colorburn(float s, float d) { return d >= 1 ? 1 : s > 0 ? 1 - fminf(1, (1 - d) / s) : 0; }
static float difference(float s, float d) { return fabsf(s - d); }
static float exclusion(float s, float d) { return s + d - 2 * s * d; }

static float
softlight(float s, float d)
{
   if (s <= 0.5f)
      return d - (1 - 2 * s) * d * (1 - d);
   return d + (2 * s - 1) * (d <= 0.25f ? d * ((16 * d - 12) * d + 3) : sqrtf(d) - d);
}

static const struct equation equations[] = {
   {"multiply", 0x9294, multiply, ""},     {"screen", 0x9295, screen, ""},
   {"overlay", 0x9296, overlay, ""},       {"darken", 0x9297, fminf, ""},
   {"lighten", 0x9298, fmaxf, ""},         {"colordodge", 0x9299, colordodge, ""},
   {"colorburn", 0x929a, colorburn, ""},   {"hardlight", 0x929b, hardlight, ""},
   {"softlight", 0x929c, softlight, ""},   {"difference", 0x929e, difference, ""},
   {"exclusion", 0x92a0, exclusion, ""},   {"hsl_hue", 0x92ad, NULL, {'s', 'd', 'd'}},
   {"hsl_saturation", 0x92ae, NULL, {'d', 's', 'd'}},
   {"hsl_color", 0x92af, NULL, {'s', 's', 'd'}},
   {"hsl_luminosity", 0x92b0, NULL, {'d', 'd', 's'}},
};

static float luminosity(const float *c) { return 0.30f * c[0] + 0.59f * c[1] + 0.11f * c[2]; }
static float least(const float *c) { return fminf(fminf(c[0], c[1]), c[2]); }
static float most(const float *c) { return fmaxf(fmaxf(c[0], c[1]), c[2]); }

/* The hue of one colour with the saturation and the luminosity of others. */
static void
combine(const float *hue, const float *saturation, const float *light, float *out)
{
   const float span = most(hue) - least(hue), wanted = most(saturation) - least(saturation);
   float c[3];

   for (unsigned i = 0; i < 3; i++)
      c[i] = span > 0 ? (hue[i] - least(hue)) * wanted / span : 0;
   const float move = luminosity(light) - luminosity(c);
   for (unsigned i = 0; i < 3; i++)
      c[i] += move;
   const float l = luminosity(c), lo = least(c), hi = most(c);
   for (unsigned i = 0; i < 3; i++) {
      if (lo < 0)
         out[i] = l + (c[i] - l) * l / (l - lo);
      else if (hi > 1)
         out[i] = l + (c[i] - l) * (1 - l) / (hi - l);
      else
         out[i] = c[i];
   }
}

static void
formula(const struct equation *e, const float *src, const float *dst, float *out)
{
   const float sa = src[3], da = dst[3];
   float s[3], d[3], f[3];

   for (unsigned i = 0; i < 3; i++) {
      s[i] = sa > 0 ? src[i] / sa : 0;
      d[i] = da > 0 ? dst[i] / da : 0;
   }
   if (e->f) {
      for (unsigned i = 0; i < 3; i++)
         f[i] = e->f(s[i], d[i]);
   } else {
      combine(e->hsl[0] == 's' ? s : d, e->hsl[1] == 's' ? s : d, e->hsl[2] == 's' ? s : d, f);
   }
   for (unsigned i = 0; i < 3; i++)
      out[i] = f[i] * sa * da + s[i] * sa * (1 - da) + d[i] * da * (1 - sa);
   out[3] = sa * da + sa * (1 - da) + da * (1 - sa);
}

static GLuint
build(const char *name, bool es)
{
   return square_program(text_of(
      "#version %d\n#extension GL_KHR_blend_equation_advanced : require\n"
      "%s\nuniform vec4 c; layout(blend_support_%s) out;\nvoid main() { gl_FragColor = c; }\n",
      es ? 100 : 120, es ? "precision mediump float;" : "", name));
}

static unsigned
check(const struct equation *e, GLuint program, const float *src, const float *dst)
{
   unsigned char pixel[4];
   float stored[4], expected[4];
   unsigned wrong = 0;

   glDisable(GL_BLEND);
   clear_color(dst[0], dst[1], dst[2], dst[3]);
   glUniform4fv(glGetUniformLocation(program, "c"), 1, src);
   glEnable(GL_BLEND);
   glBlendEquation(e->mode);
   draw_square();
   glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   for (unsigned c = 0; c < 4; c++)
      stored[c] = roundf(dst[c] * 255) / 255; /* some equations divide */
   formula(e, src, stored, expected);
   for (unsigned c = 0; c < 4; c++) {
      if (fabsf(pixel[c] - expected[c] * 255) > TOLERANCE) {
         printf("%s: component %u is %u, the formula says %.1f\n", e->name, c, pixel[c], expected[c] * 255);
         wrong++;
      }
   }
   return wrong;
}

static unsigned
check_api(bool es)
{
   static const float colors[][4] = {
      {0.3f, 0.5f, 0.1f, 0.5f}, {0.6f, 0.4f, 0.2f, 0.75f}, {0.9f, 0.2f, 0.4f, 1.0f}, {0.1f, 0.7f, 0.8f, 1.0f},
   };
   const unsigned count = COUNT(colors);
   unsigned wrong = 0;

   EGLDisplay display = open_display();
   make_current(display, create_context(display, es ? EGL_OPENGL_ES_API : EGL_OPENGL_API, EGL_NO_CONTEXT, NULL));
   make_target(16, 16, false);
   for (unsigned i = 0; i < COUNT(equations); i++) {
      const GLuint program = build(equations[i].name, es);
      glUseProgram(program);
      for (unsigned pair = 0; pair < count * count; pair++)
         wrong += check(&equations[i], program, colors[pair / count], colors[pair % count]);
      glDeleteProgram(program);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   if (wrong)
      printf("%u wrong with OpenGL %s\n", wrong, es ? "ES 2.0" : "2.1");
   return wrong;
}

int
main(void)
{
   return check_api(false) + check_api(true) != 0;
}
