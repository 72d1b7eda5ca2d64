/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Textures: sizes, formats, filters, wrap modes, cube maps, completeness and specification.
 */

#include "families.h"
#include "scene.h"

#define SIZE 64

static struct grid_target target;
static GLuint programs[4]; /* 2D, cube; then with a bias */

static const struct {
   const char *name;
   GLenum format, type;
   unsigned bytes;
} formats[] = {
   { "rgba8888", GL_RGBA, GL_UNSIGNED_BYTE, 4 },
   { "rgb888", GL_RGB, GL_UNSIGNED_BYTE, 3 },
   { "alpha", GL_ALPHA, GL_UNSIGNED_BYTE, 1 },
   { "luminance", GL_LUMINANCE, GL_UNSIGNED_BYTE, 1 },
   { "luminance_alpha", GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 2 },
   { "rgb565", GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2 },
   { "rgba4444", GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2 },
   { "rgba5551", GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2 },
   { "red", GL_RED_EXT, GL_UNSIGNED_BYTE, 1 }, /* EXT_texture_rg */
   { "red_green", GL_RG_EXT, GL_UNSIGNED_BYTE, 2 },
};

static const GLenum min_filters[] = { GL_NEAREST, GL_LINEAR, GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST,
                                      GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR_MIPMAP_LINEAR };
static const char *const min_names[] = { "nearest", "linear", "nearest_mip_nearest", "linear_mip_nearest",
                                         "nearest_mip_linear", "linear_mip_linear" };
static const GLenum mag_filters[] = { GL_NEAREST, GL_LINEAR };
static const GLenum wraps[] = { GL_CLAMP_TO_EDGE, GL_REPEAT, GL_MIRRORED_REPEAT };
static const char *const wrap_names[] = { "clamp", "repeat", "mirror" };

/* Coordinates have 13 bits of mantissa: of large textures a row and a column may be the neighbouring one. */
static const struct grid_tolerance texel = { 4, 2 * SIZE, false }, filtered = { 10, SIZE * 3, false };

void
lookup_begin(void)
{
   grid_target_create(&target, SIZE, SIZE, false);
   static const char *const lookups[] = { "texture2D(s, t.xy)", "textureCube(s, t.xyz)", "texture2D(s, t.xy, bias)",
                                          "textureCube(s, t.xyz, bias)" };
   for (unsigned i = 0; i < 4; i++) {
      programs[i] = grid_program("attribute vec4 position;\nattribute highp vec4 a0;\nvarying highp vec4 t;\n"
                                 "void main() { gl_Position = position; t = a0; }", text_of(
         "precision mediump float;\nvarying highp vec4 t;\nuniform sampler%s s;\nuniform float bias;\n"
         "void main() { gl_FragColor = %s; }", i & 1 ? "Cube" : "2D", lookups[i]));
   }
   glClearColor(0.3f, 0.2f, 0.1f, 0.5f);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
}

void
lookup_end(void)
{
   for (unsigned i = 0; i < 4; i++)
      glDeleteProgram(programs[i]);
   grid_target_destroy(&target);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

/* A case of a format that this driver does not offer is refused. */
static bool
is_offered(unsigned f)
{
   const bool red = formats[f].format == GL_RED_EXT || formats[f].format == GL_RG_EXT;

   if (!red || scene_extension("GL_EXT_texture_rg"))
      return true;
   grid_refused(true, "no extension");
   return false;
}

/* Pseudo-random texels: smooth = a gradient with the seed's hue, so that filtering errors stay small. */
static uint8_t *
make_texels(unsigned width, unsigned height, unsigned bytes, unsigned seed, bool smooth)
{
   uint8_t *data = malloc(width * height * bytes + 64);
   for (unsigned i = 0; i < width * height; i++) {
      for (unsigned c = 0; c < bytes; c++) {
         uint32_t hash = (i * 4 + c + seed * 7919) * 2654435761u;
         hash ^= hash >> 13;
         hash *= 2246822519u;
         unsigned ramp = (c & 1 ? i % width * 255 / MAX2(width - 1, 1) : i / width * 255 / MAX2(height - 1, 1));
         data[i * bytes + c] = smooth ? (ramp + seed * 50 + c * 37) & 255 : hash >> 11;
      }
   }
   return data;
}

static void
upload(GLenum where, unsigned level, unsigned f, unsigned width, unsigned height, unsigned seed, bool smooth)
{
   uint8_t *data = make_texels(width, height, formats[f].bytes, seed, smooth);
   glTexImage2D(where, level, formats[f].format, width, height, 0, formats[f].format, formats[f].type, data);
   free(data);
}

static void
upload_chain(GLenum where, unsigned f, unsigned width, unsigned height, unsigned seed, bool smooth)
{
   for (unsigned level = 0;; level++) {
      upload(where, level, f, MAX2(width >> level, 1), MAX2(height >> level, 1), seed + level, smooth);
      if (width >> level <= 1 && height >> level <= 1)
         break;
   }
}

static void
use_program(bool cube, float bias)
{
   GLuint program = programs[cube + (bias != 0 ? 2 : 0)];
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "bias"), bias);
}

void
lookup_2d(float s0, float t0, float s1, float t1, float bias)
{
   use_program(false, bias);
   glClear(GL_COLOR_BUFFER_BIT);
   grid_quad(-1, -1, 1, 1, 0, s0, t0, s1, t1);
}

void
lookup_face(unsigned face, float extent, float bias)
{
   static const float p[4][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 }, { 1, 1 } };
   float t[4][3];
   for (unsigned i = 0; i < 4; i++) {
      float u = p[i][0] * extent, v = p[i][1] * extent;
      const float all[6][3] = { { 1, v, u }, { -1, v, u }, { u, 1, v }, { u, -1, v }, { u, v, 1 }, { u, v, -1 } };
      memcpy(t[i], all[face], sizeof(t[i]));
   }
   use_program(true, bias);
   glClear(GL_COLOR_BUFFER_BIT);
   use_floats(0, 2, p);
   use_floats(1, 3, t);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* --- sizes and formats ---------------------------------------------------------------------------------------------- */

static void
run_texture_sizes(void)
{
   static const unsigned sizes[][2] = {
      { 1, 1 }, { 2, 2 }, { 4, 4 }, { 16, 16 }, { 64, 64 }, { 256, 256 }, { 1, 2 }, { 32, 1 }, { 1, 128 }, { 8, 64 }, { 512, 2 },
      { 3, 3 }, { 5, 7 }, { 51, 65 }, { 200, 100 }, { 1, 3 }, { 63, 1 }, { 37, 20 }, { 31, 4 }, { 300, 5 }, { 2, 57 },
   };
   lookup_begin();
   for (unsigned f = 0; f < ARRAY_SIZE(formats); f++) {
      for (unsigned s = 0; s < ARRAY_SIZE(sizes); s++) {
         unsigned w = sizes[s][0], h = sizes[s][1];
         bool pot = !(w & (w - 1)) && !(h & (h - 1));
         for (unsigned mips = 0; mips < (pot ? 2 : 1); mips++) {
            if (!grid_begin("texture_size/%s_%ux%u%s", formats[f].name, w, h, mips ? "_mip" : "") || !is_offered(f))
               continue;
            GLuint texture = grid_texture(GL_TEXTURE_2D, mips ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST, GL_NEAREST,
                                         GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
            if (mips)
               upload_chain(GL_TEXTURE_2D, f, w, h, 1, false);
            else
               upload(GL_TEXTURE_2D, 0, f, w, h, 1, false);
            lookup_2d(-0.0513f, -0.1037f, 1.0931f, 1.0577f, 0);
            grid_pixels(0, 0, SIZE, SIZE, texel);
            glDeleteTextures(1, &texture);
         }
      }
   }
   for (unsigned f = 0; f < ARRAY_SIZE(formats); f++) {
      for (unsigned size = 1; size <= 64; size = size == 16 ? 23 : size == 23 ? 32 : size * 2) {
         for (unsigned mips = 0; mips < (size == 23 ? 1 : 2); mips++) {
            if (!grid_begin("texture_size/cube_%s_%u%s", formats[f].name, size, mips ? "_mip" : "") || !is_offered(f))
               continue;
            GLuint texture = grid_texture(GL_TEXTURE_CUBE_MAP, mips ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST, GL_NEAREST,
                                         GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
            for (unsigned face = 0; face < 6; face++) {
               if (mips)
                  upload_chain(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, f, size, size, face * 8, false);
               else
                  upload(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, f, size, size, face * 8, false);
            }
            lookup_face((f + size) % 6, 1.0317f, 0);
            grid_pixels(0, 0, SIZE, SIZE, texel);
            glDeleteTextures(1, &texture);
         }
      }
   }
   lookup_end();
}

/* --- filters and wrap modes ----------------------------------------------------------------------------------------- */

static void
run_texture_filters(void)
{
   static const unsigned sizes[][2] = { { 32, 64 }, { 31, 55 }, { 4, 8 }, { 128, 32 } };
   lookup_begin();
   bool npot = strstr((const char *)glGetString(GL_EXTENSIONS), "GL_OES_texture_npot");
   for (unsigned min = 0; min < 6; min++) {
      for (unsigned mag = 0; mag < 2; mag++) {
         for (unsigned ws = 0; ws < 3; ws++) {
            for (unsigned wt = 0; wt < 3; wt++) {
               for (unsigned s = 0; s < ARRAY_SIZE(sizes); s++) {
                  /* mipmaps of other sizes than powers of two are approximate (A58); repetition is an extension */
                  if (s == 1 && (min > 1 || ((ws || wt) && !npot)))
                     continue;
                  unsigned f = (min + mag + ws + wt + s) % ARRAY_SIZE(formats);
                  if (!grid_begin("texture_filter/%s_%s_%s_%s_%ux%u_%s", min_names[min], min_names[mag], wrap_names[ws],
                                  wrap_names[wt], sizes[s][0], sizes[s][1], formats[f].name) || !is_offered(f))
                     continue;
                  GLuint texture = grid_texture(GL_TEXTURE_2D, min_filters[min], mag_filters[mag], wraps[ws], wraps[wt]);
                  upload_chain(GL_TEXTURE_2D, f, sizes[s][0], sizes[s][1], 3, min >= 2);
                  float zoom = s == 2 ? 1 : s == 3 ? 0.2f : 2;
                  lookup_2d(-0.713f * zoom, -0.537f * zoom, 1.631f * zoom, 1.377f * zoom, 0);
                  grid_pixels(0, 0, SIZE, SIZE, min >= 2 ? filtered : (struct grid_tolerance){ 8, SIZE * 2, false });
                  glDeleteTextures(1, &texture);
               }
            }
         }
      }
   }
   for (unsigned min = 0; min < 6; min++) {
      for (unsigned mag = 0; mag < 2; mag++) {
         for (unsigned face = 0; face < 6; face++) {
            for (unsigned zoom = 0; zoom < 2; zoom++) {
               unsigned f = (min + mag + face) % ARRAY_SIZE(formats);
               if (!grid_begin("texture_filter/cube_%s_%s_%u_%s_%s", min_names[min], min_names[mag], face,
                               zoom ? "min" : "mag", formats[f].name) || !is_offered(f))
                  continue;
               GLuint texture = grid_texture(GL_TEXTURE_CUBE_MAP, min_filters[min], mag_filters[mag], wraps[face % 3],
                                            wraps[mag]);
               for (unsigned i = 0; i < 6; i++)
                  upload_chain(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, f, zoom ? 256 : 16, zoom ? 256 : 16, i, true);
               lookup_face(face, 0.93f, 0);
               grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 10, SIZE * 5, false });
               glDeleteTextures(1, &texture);
            }
         }
      }
   }
   lookup_end();
}

/* --- completeness --------------------------------------------------------------------------------------------------- */

static void
run_completeness(void)
{
   lookup_begin();
   static const char *const names[] = { "empty", "no_mips", "missing_level", "wrong_size", "wrong_format", "wrong_type",
                                        "zero_size", "npot_mip", "npot_repeat", "zero_level", "not_zero_level",
                                        "fixed" };
   for (unsigned kind = 0; kind < ARRAY_SIZE(names); kind++) {
      for (unsigned cube = 0; cube < 2; cube++) {
         if (!grid_begin("completeness/%s_%s", cube ? "cube" : "2d", names[kind]))
            continue;
         GLenum where = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
         bool mips = kind != 8 && kind != 0;
         GLuint texture = grid_texture(where, mips ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST, GL_NEAREST,
                                      kind == 8 ? GL_REPEAT : GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
         for (unsigned face = 0; face < (cube ? 6 : 1) && kind; face++) {
            GLenum image = cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : GL_TEXTURE_2D;
            bool odd = face == (cube ? 3 : 0);
            unsigned size = kind == 7 || kind == 8 ? 20 : 16;
            if (kind == 1)
               upload(image, 0, 0, 16, 16, face, true);
            else
               upload_chain(image, 0, size, size, face, true);
            if (!odd)
               continue;
            if (kind == 2 || kind == 11)
               glTexImage2D(image, 2, GL_RGBA, 0, 0, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
            if (kind == 3)
               upload(image, 2, 0, 8, 8, 1, true);
            if (kind == 4)
               upload(image, 2, 1, 4, 4, 1, true);
            if (kind == 5)
               upload(image, 2, 6, 4, 4, 1, true);
            if (kind == 6)
               glTexImage2D(image, 0, GL_RGBA, 0, 0, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
            if (kind == 9)
               upload(image, 0, 0, 64, 64, 1, true);
            if (kind == 11)
               upload(image, 2, 0, 4, 4, face + 2, true);
         }
         if (cube)
            lookup_face(3, 0.9f, 0);
         else
            lookup_2d(0, 0, 1, 1, 0);
         grid_pixels(0, 0, SIZE, SIZE, texel);
         glDeleteTextures(1, &texture);
      }
   }
   lookup_end();
}

/* --- specification -------------------------------------------------------------------------------------------------- */

static void
show_texture(GLenum where, unsigned lod_size)
{
   if (where == GL_TEXTURE_2D)
      lookup_2d(0, 0, 1, 1, 0);
   else
      lookup_face(lod_size % 6, 0.97f, 0);
   grid_pixels(0, 0, SIZE, SIZE, texel);
}

static void
run_specification(void)
{
   lookup_begin();
   for (unsigned f = 0; f < ARRAY_SIZE(formats); f++) {
      for (unsigned cube = 0; cube < 2; cube++) {
         GLenum where = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
         unsigned faces = cube ? 6 : 1;
         GLenum first = cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X : GL_TEXTURE_2D;
         for (unsigned kind = 0; kind < 6; kind++) {
            static const char *const names[] = { "teximage", "subimage", "random_subimages", "null_subimage",
                                                 "npot_subimage", "redefine" };
            if (!grid_begin("specification/%s_%s_%s", names[kind], cube ? "cube" : "2d", formats[f].name) || !is_offered(f))
               continue;
            GLuint texture = grid_texture(where, kind < 3 ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST, GL_NEAREST,
                                          GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
            unsigned size = kind == 4 ? 59 : 64;
            for (unsigned face = 0; face < faces; face++) {
               if (kind == 3)
                  glTexImage2D(first + face, 0, formats[f].format, size, size, 0, formats[f].format, formats[f].type, NULL);
               else
                  upload_chain(first + face, f, size, size, face, false);
               if (kind == 5) {
                  upload(first + face, 0, !f, 32, 32, 2, false);
                  continue;
               }
               for (unsigned i = 0; kind && i < (kind == 2 ? 8 : 1); i++) {
                  unsigned w = kind == 3 ? size : 1 + grid_random_below(40), h = kind == 3 ? size : 1 + grid_random_below(40);
                  unsigned x = grid_random_below(size - w + 1), y = grid_random_below(size - h + 1);
                  uint8_t *data = make_texels(w, h, formats[f].bytes, i + 20, false);
                  glTexSubImage2D(first + face, 0, x, y, w, h, formats[f].format, formats[f].type, data);
                  free(data);
               }
            }
            show_texture(where, f);
            glDeleteTextures(1, &texture);
         }
      }
      for (unsigned alignment = 1; alignment <= 8; alignment *= 2) {
         for (unsigned width = 60; width <= 65; width += 1 + (width == 60)) {
            if (!grid_begin("specification/alignment_%s_%u_%u", formats[f].name, alignment, width) || !is_offered(f))
               continue;
            GLuint texture = grid_texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
            uint8_t *data = make_texels(80, 80, formats[f].bytes, 5, false);
            glPixelStorei(GL_UNPACK_ALIGNMENT, alignment);
            glTexImage2D(GL_TEXTURE_2D, 0, formats[f].format, width, 63, 0, formats[f].format, formats[f].type, data);
            glTexSubImage2D(GL_TEXTURE_2D, 0, 3, 5, 17, 19, formats[f].format, formats[f].type, data + 16);
            glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
            free(data);
            show_texture(GL_TEXTURE_2D, 0);
            glDeleteTextures(1, &texture);
         }
      }
   }
   /* copies from the framebuffer: every base format that an RGBA framebuffer can give */
   static const GLenum copied[] = { GL_RGBA, GL_RGB, GL_ALPHA, GL_LUMINANCE, GL_LUMINANCE_ALPHA };
   for (unsigned f = 0; f < ARRAY_SIZE(copied); f++) {
      for (unsigned kind = 0; kind < 8; kind++) {
         if (!grid_begin("specification/copy_%u_%u", f, kind))
            continue;
         bool cube = kind & 1, sub = kind & 2, npot = kind & 4;
         GLenum where = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D, first = cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X : where;
         GLuint background = grid_texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
         upload(GL_TEXTURE_2D, 0, 0, 64, 64, 77, false);
         lookup_2d(0, 0, 1, 1, 0);
         GLuint texture = grid_texture(where, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
         unsigned size = npot ? 45 : 32;
         for (unsigned face = 0; face < (cube ? 6 : 1); face++) {
            if (sub) {
               uint8_t *data = make_texels(size, size, 4, face, false);
               glTexImage2D(first + face, 0, copied[f], size, size, 0, copied[f], GL_UNSIGNED_BYTE, data);
               free(data);
               glCopyTexSubImage2D(first + face, 0, 3, 7, 11 + face, 13, 20, 15);
               glCopyTexSubImage2D(first + face, 0, 20, 1, 50, 2, 10, 30); /* inside the framebuffer only in part: 60..64 */
            } else {
               glCopyTexImage2D(first + face, 0, copied[f], 5 + face, 9, size, size, 0);
            }
         }
         show_texture(where, f);
         glDeleteTextures(1, &texture);
         glDeleteTextures(1, &background);
      }
   }
   lookup_end();
}

const struct grid_family family_texture_sizes = { "texture_sizes", run_texture_sizes };
const struct grid_family family_texture_filters = { "texture_filters", run_texture_filters };
const struct grid_family family_completeness = { "completeness", run_completeness };
const struct grid_family family_specification = { "specification", run_specification };
