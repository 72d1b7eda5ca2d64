/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Images in and out: parts of textures of all targets, sizes and formats are written, copied, cleared as parts of a
 * framebuffer and read back, at random, and compared byte by byte with a copy that the CPU keeps.  What lies beside the
 * part must stay.  Then pixels of a target are cleared one by one to all codes of colour, depth and stencil.
 */

#include "opengl.h"

#define ROUNDS 16
#define MAX_LEVELS 3

static const struct format {
   const char *name;
   GLenum internal, format, type;
   unsigned bytes;
   bool target; /* colours can be rendered to it */
} formats[] = {
   {"RGBA8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, true},
   {"ALPHA8", GL_ALPHA8, GL_ALPHA, GL_UNSIGNED_BYTE, 1, false},
   {"LUMINANCE8", GL_LUMINANCE8, GL_LUMINANCE, GL_UNSIGNED_BYTE, 1, false},
   {"LUMINANCE8_ALPHA8", GL_LUMINANCE8_ALPHA8, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 2, false},
   {"RGB565", GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, false},
   {"RGBA4", GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2, false},
   {"DEPTH_COMPONENT16", GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, 2, false},
};

static const struct shape {
   const char *name;
   GLenum target;
   unsigned width, height, depth, levels;
} shapes[] = {
   {"2D, 64x32", GL_TEXTURE_2D, 64, 32, 1, 3},
   {"2D, 50x37", GL_TEXTURE_2D, 50, 37, 1, 1},
   {"2D, 7x5", GL_TEXTURE_2D, 7, 5, 1, 3},
   {"1D, 33", GL_TEXTURE_1D, 33, 1, 1, 1},
   {"cube, 16", GL_TEXTURE_CUBE_MAP, 16, 16, 6, 2},
   {"cube, 12", GL_TEXTURE_CUBE_MAP, 12, 12, 6, 1},
   {"3D, 16x8x4", GL_TEXTURE_3D, 16, 8, 4, 2},
   {"3D, 13x9x5", GL_TEXTURE_3D, 13, 9, 5, 1},
};

struct image {
   const struct shape *shape;
   const struct format *format;
   unsigned level, width, height, depth;
   uint8_t *bytes; /* what it should hold; the faces of a cube one after the other */
};

struct box {
   unsigned x, y, z, width, height, depth;
};

static const char *step;

static unsigned
at_level(unsigned size, unsigned level)
{
   return size >> level ? size >> level : 1;
}

static GLenum
face_target(const struct image *image, unsigned z)
{
   return image->shape->target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + z : image->shape->target;
}

static bool
is_volume(const struct image *image)
{
   return image->shape->target == GL_TEXTURE_3D;
}

static size_t
layer_bytes(const struct image *image)
{
   return (size_t)image->width * image->height * image->format->bytes;
}

static void
allocate(const struct image *image)
{
   const struct format *f = image->format;

   if (is_volume(image)) {
      glTexImage3D(GL_TEXTURE_3D, image->level, f->internal, image->width, image->height, image->depth, 0, f->format, f->type,
                   image->bytes);
      return;
   }
   for (unsigned z = 0; z < image->depth; z++) {
      const uint8_t *bytes = image->bytes + z * layer_bytes(image);
      if (image->shape->target == GL_TEXTURE_1D)
         glTexImage1D(GL_TEXTURE_1D, image->level, f->internal, image->width, 0, f->format, f->type, bytes);
      else
         glTexImage2D(face_target(image, z), image->level, f->internal, image->width, image->height, 0, f->format, f->type,
                      bytes);
   }
}

static struct box
random_box(const struct image *image)
{
   struct box b = {random_below(image->width), random_below(image->height), random_below(image->depth), 1, 1, 1};

   b.width += random_below(image->width - b.x);
   b.height += random_below(image->height - b.y);
   if (is_volume(image))
      b.depth += random_below(image->depth - b.z);
   return b;
}

/* The bytes of a box, from the image's copy or to it. */
static void
move_box(struct image *image, const struct box *b, uint8_t *bytes, bool to_image)
{
   const unsigned row = b->width * image->format->bytes;

   for (unsigned z = 0; z < b->depth; z++) {
      for (unsigned y = 0; y < b->height; y++) {
         uint8_t *here = image->bytes + (b->z + z) * layer_bytes(image) +
                         ((size_t)(b->y + y) * image->width + b->x) * image->format->bytes;
         uint8_t *there = bytes + (z * b->height + y) * row;
         memcpy(to_image ? here : there, to_image ? there : here, row);
      }
   }
}

static void
write_box(struct image *image, const struct box *b)
{
   static uint8_t bytes[64 * 64 * 8 * 4];
   const struct format *f = image->format;

   step = "a part is written";
   for (unsigned i = 0; i < b->width * b->height * b->depth * f->bytes; i++)
      bytes[i] = random_below(256);
   move_box(image, b, bytes, true);
   if (is_volume(image))
      glTexSubImage3D(GL_TEXTURE_3D, image->level, b->x, b->y, b->z, b->width, b->height, b->depth, f->format, f->type, bytes);
   else if (image->shape->target == GL_TEXTURE_1D)
      glTexSubImage1D(GL_TEXTURE_1D, image->level, b->x, b->width, f->format, f->type, bytes);
   else
      glTexSubImage2D(face_target(image, b->z), image->level, b->x, b->y, b->width, b->height, f->format, f->type, bytes);
}

static void
attach(const struct image *image, GLuint texture, unsigned z)
{
   if (is_volume(image))
      glFramebufferTexture3D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_3D, texture, image->level, z);
   else if (image->shape->target == GL_TEXTURE_1D)
      glFramebufferTexture1D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_1D, texture, image->level);
   else
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, face_target(image, z), texture, image->level);
}

/* A part is cleared as the part of a framebuffer that the scissor leaves. */
static void
clear_box(struct image *image, struct box b, GLuint texture)
{
   uint8_t color[4], bytes[64 * 64 * 4];

   step = "a part is cleared";
   b.depth = 1;
   for (unsigned c = 0; c < 4; c++)
      color[c] = random_below(256);
   for (unsigned i = 0; i < b.width * b.height; i++)
      memcpy(bytes + 4 * i, color, 4);
   move_box(image, &b, bytes, true);
   attach(image, texture, b.z);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      fail("%s, %s, level %u: status %x\n", image->shape->name, image->format->name, image->level,
           glCheckFramebufferStatus(GL_FRAMEBUFFER));
   glScissor(b.x, b.y, b.width, b.height);
   clear_color(color[0] / 255.0f, color[1] / 255.0f, color[2] / 255.0f, color[3] / 255.0f);
}

/* A part of the first level of another texture of that shape is copied. */
static void
copy_box(struct image *image, const struct box *b, GLuint texture, struct image *source, GLuint source_texture)
{
   static uint8_t bytes[64 * 64 * 8 * 4];
   const GLenum target = image->shape->target;

   step = "a part is copied";
   move_box(source, b, bytes, false);
   move_box(image, b, bytes, true);
   glCopyImageSubDataNV(source_texture, target, 0, b->x, b->y, b->z, texture, target, image->level, b->x, b->y, b->z,
                        b->width, b->height, b->depth);
}

static void
compare(const struct image *image)
{
   static uint8_t bytes[64 * 64 * 8 * 4];
   const struct format *f = image->format;
   const unsigned calls = is_volume(image) ? 1 : image->depth;

   for (unsigned z = 0; z < calls; z++) {
      const size_t size = layer_bytes(image) * (is_volume(image) ? image->depth : 1);
      memset(bytes, 0xa5, size);
      glGetTexImage(face_target(image, z), image->level, f->format, f->type, bytes);
      CHECK(glGetError() == GL_NO_ERROR);
      for (size_t i = 0; i < size; i++) {
         if (bytes[i] != image->bytes[z * layer_bytes(image) + i])
            fail("%s, %s, level %u, after %s: byte %zu of image %u is %u, not %u\n", image->shape->name, f->name,
                 image->level, step, i, z, bytes[i], image->bytes[z * layer_bytes(image) + i]);
      }
   }
}

/* A texture with random texels in all its levels. */
static GLuint
make_texture(const struct shape *shape, const struct format *format, struct image *images)
{
   const GLuint texture = empty_texture(shape->target);

   glTexParameteri(shape->target, GL_TEXTURE_MIN_FILTER, shape->levels > 1 ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
   glTexParameteri(shape->target, GL_TEXTURE_MAX_LEVEL, shape->levels - 1);
   for (unsigned l = 0; l < shape->levels; l++) {
      struct image *image = &images[l];
      *image = (struct image){shape, format, l, at_level(shape->width, l), at_level(shape->height, l), shape->depth};
      if (is_volume(image))
         image->depth = at_level(shape->depth, l);
      image->bytes = malloc(layer_bytes(image) * image->depth);
      for (size_t i = 0; i < layer_bytes(image) * image->depth; i++)
         image->bytes[i] = random_below(256);
      step = "the image is made";
      allocate(image);
   }
   return texture;
}

static void
test_texture(const struct shape *shape, const struct format *format)
{
   struct image images[MAX_LEVELS], others[MAX_LEVELS];
   const GLuint other = make_texture(shape, format, others), texture = make_texture(shape, format, images);

   for (unsigned round = 0; round < ROUNDS; round++) {
      struct image *image = &images[random_below(shape->levels)];
      const struct box box = random_box(image);
      if (format->target && random_below(3) == 0)
         clear_box(image, box, texture);
      else if (random_below(2))
         copy_box(image, &box, texture, &others[0], other);
      else
         write_box(image, &box);
      for (unsigned l = 0; l < shape->levels; l++)
         compare(&images[l]);
   }
   for (unsigned l = 0; l < shape->levels; l++) {
      free(images[l].bytes);
      free(others[l].bytes);
   }
   glDeleteTextures(1, &texture);
   glDeleteTextures(1, &other);
}

/* --- clears of single pixels --- */

#define CODES 64 /* width and height */

static void
check_codes(const char *name, GLenum format, GLenum type, const void *wanted, unsigned bytes)
{
   static uint8_t read[CODES * CODES * 4];

   glReadPixels(0, 0, CODES, CODES, format, type, read);
   CHECK(glGetError() == GL_NO_ERROR);
   for (unsigned i = 0; i < CODES * CODES; i++) {
      if (memcmp(read + i * bytes, (const uint8_t *)wanted + i * bytes, bytes) != 0)
         fail("%s: pixel %u is cleared to %02x%02x, not %02x%02x\n", name, i, read[i * bytes + bytes - 1], read[i * bytes],
              ((const uint8_t *)wanted)[i * bytes + bytes - 1], ((const uint8_t *)wanted)[i * bytes]);
   }
}

/* All codes of 8 bits, every 16th of depth and the last one; each clear leaves the other pixels, and what it does not name, as
 * they are. */
static void
test_codes(GLenum internal, GLenum format, GLenum type, unsigned bytes)
{
   static uint8_t color[CODES * CODES][4], stencil[CODES * CODES];
   static uint16_t packed[CODES * CODES], depth[CODES * CODES];

   make_target_with(internal, CODES, CODES, true);
   glDisable(GL_SCISSOR_TEST);
   glRecti(-1, -1, 1, 1); /* binds all state */
   scissor_to(0, 0, CODES, CODES);
   clear_all(0, 0, 0, 0, 0, 0);
   for (unsigned i = 0; i < CODES * CODES; i++) {
      const uint8_t code = i, rgba[4] = { code, code * 7, 255 - code, code ^ i >> 4 };
      const unsigned skipped = i % 5 == 0 ? i / 5 % 3 : 3;

      glScissor(i % CODES, i / CODES, 1, 1);
      glClearDepth((i * 16 + i / 256) / 65535.0);
      glClearStencil(code);
      if (bytes == 2) {
         packed[i] = skipped == 0 ? 0 : (code % 32) << 11 | (code % 64) << 5 | (31 - code % 32);
         glClearColor((code % 32) / 31.0f, (code % 64) / 63.0f, (31 - code % 32) / 31.0f, 0);
      } else {
         glClearColor(rgba[0] / 255.0f, rgba[1] / 255.0f, rgba[2] / 255.0f, rgba[3] / 255.0f);
         memset(color[i], 0, 4);
         if (skipped != 0)
            memcpy(color[i], rgba, 4);
      }
      depth[i] = skipped == 1 ? 0 : i * 16 + i / 256;
      stencil[i] = skipped == 2 ? 0 : code;
      glClear((skipped == 0 ? 0 : GL_COLOR_BUFFER_BIT) | (skipped == 1 ? 0 : GL_DEPTH_BUFFER_BIT) |
              (skipped == 2 ? 0 : GL_STENCIL_BUFFER_BIT));
   }
   check_codes("colour", format, type, bytes == 2 ? (void *)packed : (void *)color, bytes);
   check_codes("depth", GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, depth, 2);
   check_codes("stencil", GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, stencil, 1);
}

int
main(void)
{
   EGLDisplay display = open_context();

   glPixelStorei(GL_PACK_ALIGNMENT, 1);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   new_framebuffer();
   glEnable(GL_SCISSOR_TEST);
   for (unsigned s = 0; s < COUNT(shapes); s++) {
      for (unsigned f = 0; f < COUNT(formats); f++) {
         const bool depth = formats[f].format == GL_DEPTH_COMPONENT;
         /* depth textures of OpenGL 2.1 have one or two dimensions */
         if (!depth || shapes[s].target == GL_TEXTURE_2D)
            test_texture(&shapes[s], &formats[f]);
      }
   }
   test_codes(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4);
   test_codes(GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2);
   eglTerminate(display);
   return 0;
}
