/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Pixels on all their ways, in random order: images and parts of images from memory and from pixel buffers, in every format and
 * type, with every kind of storage; copies from framebuffers, between framebuffers, of pixels in place; rectangles of pixels
 * and bitmaps with zoom, scales and tables; what is read back from textures and framebuffers; cubes, slices, rectangles.
 * Prints a line for each image, its pixels; near_pictures.py compares with softpipe.  (Of other scenes than the first one in a
 * hundred has a pixel that softpipe leaves out where the edge of a zoomed rectangle is cut off; llvmpipe draws it.)
 *
 * Usage: test_pixel_paths [FIRST COUNT]   with them each scene's operations go to stderr
 */

#include "opengl.h"

#define SIZE     32
#define SCENES   40
#define LARGEST  33
#define MEMORY   (1 << 20)
#define TEXTURES 5

struct rect {
   int x, y, width, height;
};

struct layout {
   GLenum format, type;
   unsigned rows;       /* of images in memory, 0 = as many as there are */
   bool from_buffer;
};

static struct texture {
   GLenum target, image; /* the second is a face of a cube */
   GLuint name;
   unsigned width, height, depth, levels;
} textures[TEXTURES];

static const GLenum targets[TEXTURES] = {
   GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_3D, GL_TEXTURE_RECTANGLE,
};
static GLubyte memory[MEMORY];
static GLuint pixel_buffer, target, texture_target;
static unsigned scene, step;

static struct rect
part_of(unsigned width, unsigned height)
{
   struct rect r = { .x = random_below(width), .y = random_below(height) };

   r.width = 1 + random_below(width - r.x);
   r.height = 1 + random_below(height - r.y);
   return r;
}

/* --- memory --- */

static const GLenum wide_formats[] = { GL_RED, GL_ALPHA, GL_RGB, GL_BGR, GL_RGBA, GL_BGRA, GL_LUMINANCE, GL_LUMINANCE_ALPHA };
static const GLenum wide_types[] = {
   GL_UNSIGNED_BYTE, GL_UNSIGNED_BYTE, GL_UNSIGNED_BYTE, GL_BYTE, GL_UNSIGNED_SHORT, GL_SHORT, GL_UNSIGNED_INT, GL_INT, GL_FLOAT,
};
static const GLenum rgb_types[] = {
   GL_UNSIGNED_BYTE_3_3_2, GL_UNSIGNED_BYTE_2_3_3_REV, GL_UNSIGNED_SHORT_5_6_5, GL_UNSIGNED_SHORT_5_6_5_REV,
};
static const GLenum rgba_types[] = {
   GL_UNSIGNED_SHORT_4_4_4_4, GL_UNSIGNED_SHORT_4_4_4_4_REV, GL_UNSIGNED_SHORT_5_5_5_1, GL_UNSIGNED_SHORT_1_5_5_5_REV,
   GL_UNSIGNED_INT_8_8_8_8, GL_UNSIGNED_INT_8_8_8_8_REV, GL_UNSIGNED_INT_10_10_10_2, GL_UNSIGNED_INT_2_10_10_10_REV,
};

static struct layout
random_layout(void)
{
   struct layout l = { .from_buffer = one_in(4) };

   if (one_in(3)) {
      l.format = one_in(2) ? GL_RGBA : GL_BGRA;
      l.type = PICK(rgba_types);
   } else if (one_in(5)) {
      l.format = GL_RGB;
      l.type = PICK(rgb_types);
   } else {
      l.format = PICK(wide_formats);
      l.type = PICK(wide_types);
   }
   return l;
}

/* Sets where pixels are in memory: pack for what is read. */
static void
set_storage(bool pack, unsigned width)
{
   const GLenum alignment = pack ? GL_PACK_ALIGNMENT : GL_UNPACK_ALIGNMENT;

   glPixelStorei(alignment, 1 << random_below(4));
   glPixelStorei(pack ? GL_PACK_ROW_LENGTH : GL_UNPACK_ROW_LENGTH, one_in(3) ? width + random_below(8) : 0);
   glPixelStorei(pack ? GL_PACK_SKIP_PIXELS : GL_UNPACK_SKIP_PIXELS, one_in(3) ? random_below(5) : 0);
   glPixelStorei(pack ? GL_PACK_SKIP_ROWS : GL_UNPACK_SKIP_ROWS, one_in(3) ? random_below(5) : 0);
   if (pack) /* Mesa 25.0 reads outside of what it has swapped when rows of an upload are longer */
      glPixelStorei(GL_PACK_SWAP_BYTES, one_in(8));
   glPixelStorei(pack ? GL_PACK_IMAGE_HEIGHT : GL_UNPACK_IMAGE_HEIGHT, 0);
   glPixelStorei(pack ? GL_PACK_SKIP_IMAGES : GL_UNPACK_SKIP_IMAGES, one_in(4));
}

static void
plain_storage(void)
{
   static const GLenum names[] = {
      GL_PACK_ROW_LENGTH, GL_PACK_SKIP_PIXELS, GL_PACK_SKIP_ROWS, GL_PACK_SWAP_BYTES, GL_PACK_SKIP_IMAGES,
   };

   for (unsigned i = 0; i < COUNT(names); i++)
      glPixelStorei(names[i], 0);
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
}

/* Pixels to upload, in memory or in a buffer: bytes, or numbers about 0 to 1. */
static const void *
fill_pixels(const struct layout *l)
{
   static const float ones[] = { 0, 0.25f, 0.5f, 1, 0.7f, -0.1f, 1.2f };

   for (unsigned i = 0; i < MEMORY / 16; i++)
      memory[i] = random_below(256);
   if (l->type == GL_FLOAT) {
      for (unsigned i = 0; i < MEMORY / 4; i++)
         ((float *)memory)[i] = ones[(i * 2654435761u >> 20) % COUNT(ones)];
   } else {
      for (unsigned i = MEMORY / 16; i < MEMORY; i++)
         memory[i] = memory[i % (MEMORY / 16 - 3)];
   }
   if (!l->from_buffer)
      return memory;
   const unsigned offset = 16 * random_below(4);
   glBindBuffer(GL_PIXEL_UNPACK_BUFFER, pixel_buffer);
   glBufferData(GL_PIXEL_UNPACK_BUFFER, MEMORY, memory, GL_STREAM_DRAW);
   return (const char *)NULL + offset;
}

static void
print_image(const char *what, unsigned a, unsigned b, const GLubyte *bytes, unsigned count)
{
   printf("%u.%u-%s-%u-%u ", scene, step, what, a, b);
   print_bytes(bytes, count);
}

/* --- textures --- */

static const GLenum storages[] = {
   GL_RGBA8, GL_RGBA8, GL_RGB8, GL_LUMINANCE8, GL_ALPHA8, GL_LUMINANCE8_ALPHA8, GL_INTENSITY8,
};

static unsigned
level_of(unsigned size, unsigned level)
{
   return size >> level ? size >> level : 1;
}

static bool
is_square(const struct texture *t)
{
   return t->target == GL_TEXTURE_CUBE_MAP;
}

static GLenum
some_face(const struct texture *t)
{
   return is_square(t) ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + random_below(6) : t->target;
}

static void
define_image(struct texture *t, GLenum image, GLenum storage, unsigned level)
{
   const struct layout l = random_layout();
   const unsigned width = level_of(t->width, level), height = level_of(t->height, level), depth = level_of(t->depth, level);

   set_storage(false, width);
   const void *pixels = fill_pixels(&l);
   if (t->target == GL_TEXTURE_3D)
      glTexImage3D(image, level, storage, width, height, depth, 0, l.format, l.type, pixels);
   else
      glTexImage2D(image, level, storage, width, height, 0, l.format, l.type, pixels);
   glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
   note(" image 0x%x level %u %ux%ux%u storage 0x%x of 0x%x 0x%x\n", image, level, width, height, depth, storage, l.format,
        l.type);
}

/* All images anew. */
static void
define_texture(struct texture *t)
{
   const GLenum storage = PICK(storages);

   t->width = 1 + random_below(LARGEST);
   t->height = is_square(t) ? t->width : 1 + random_below(LARGEST);
   t->depth = t->target == GL_TEXTURE_3D ? 1 + random_below(5) : 1;
   t->levels = t->target == GL_TEXTURE_RECTANGLE ? 1 : 1 + random_below(3);
   while (t->levels > 1 && (t->width | t->height | t->depth) >> (t->levels - 1) == 0)
      t->levels--;
   glBindTexture(t->target, t->name);
   set_filters(t->target, GL_NEAREST, GL_NEAREST);
   if (t->target != GL_TEXTURE_RECTANGLE)
      glTexParameteri(t->target, GL_TEXTURE_MAX_LEVEL, t->levels - 1);
   for (unsigned level = 0; level < t->levels; level++)
      for (unsigned face = 0; face < (is_square(t) ? 6 : 1); face++)
         define_image(t, is_square(t) ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : t->target, storage, level);
}

static void
change_part(struct texture *t)
{
   const unsigned level = random_below(t->levels);
   const struct rect r = part_of(level_of(t->width, level), level_of(t->height, level));
   const struct layout l = random_layout();
   const GLenum image = some_face(t);

   glBindTexture(t->target, t->name);
   set_storage(false, r.width);
   const void *pixels = fill_pixels(&l);
   if (t->target == GL_TEXTURE_3D) {
      const unsigned depth = level_of(t->depth, level), first = random_below(depth), slices = 1 + random_below(depth - first);
      glTexSubImage3D(image, level, r.x, r.y, first, r.width, r.height, slices, l.format, l.type, pixels);
   } else {
      glTexSubImage2D(image, level, r.x, r.y, r.width, r.height, l.format, l.type, pixels);
   }
   glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
   note(" part 0x%x level %u %d,%d %dx%d of 0x%x 0x%x\n", image, level, r.x, r.y, r.width, r.height, l.format, l.type);
}

/* From the framebuffer. */
static void
copy_part(struct texture *t)
{
   const unsigned level = random_below(t->levels);
   const struct rect r = part_of(level_of(t->width, level), level_of(t->height, level));
   const int x = random_below(SIZE), y = random_below(SIZE);
   const int width = r.width < SIZE - x ? r.width : SIZE - x, height = r.height < SIZE - y ? r.height : SIZE - y;
   const GLenum image = some_face(t);

   glBindTexture(t->target, t->name);
   if (t->target == GL_TEXTURE_3D)
      glCopyTexSubImage3D(image, level, r.x, r.y, random_below(level_of(t->depth, level)), x, y, width, height);
   else
      glCopyTexSubImage2D(image, level, r.x, r.y, x, y, width, height);
   note(" copy to 0x%x level %u %d,%d from %d,%d %dx%d\n", image, level, r.x, r.y, x, y, width, height);
}

static void
print_texture(const struct texture *t)
{
   static GLubyte pixels[LARGEST * LARGEST * 8 * 4];

   plain_storage();
   glBindTexture(t->target, t->name);
   for (unsigned level = 0; level < t->levels; level++) {
      for (unsigned face = 0; face < (is_square(t) ? 6 : 1); face++) {
         const unsigned count = level_of(t->width, level) * level_of(t->height, level) * level_of(t->depth, level) * 4;
         const GLenum image = is_square(t) ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : t->target;
         glGetTexImage(image, level, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
         print_image("texture", t - textures, level * 6 + face, pixels, count);
      }
   }
}

/* --- framebuffers --- */

/* Draws one to one, or into another size. */
static void
draw_texture(struct texture *t)
{
   const struct rect to = part_of(SIZE, SIZE);
   const bool rectangle = t->target == GL_TEXTURE_RECTANGLE;
   const float s = rectangle ? t->width : 1, r = rectangle ? t->height : 1;

   if (t->target != GL_TEXTURE_2D && !rectangle)
      return;
   glBindTexture(t->target, t->name);
   glEnable(t->target);
   glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
   glViewport(to.x, to.y, t->width, t->height);
   glColor4f(1, 1, 1, 1);
   glBegin(GL_QUADS);
   glTexCoord2f(0, 0), glVertex2f(-1, -1);
   glTexCoord2f(s, 0), glVertex2f(1, -1);
   glTexCoord2f(s, r), glVertex2f(1, 1);
   glTexCoord2f(0, r), glVertex2f(-1, 1);
   glEnd();
   glDisable(t->target);
   glViewport(0, 0, SIZE, SIZE);
   note(" draw of texture %u at %d,%d\n", (unsigned)(t - textures), to.x, to.y);
}

static void
clear_part(void)
{
   const struct rect r = part_of(SIZE, SIZE);
   const unsigned mask = one_in(2) ? 15 : random_below(16);

   scissor_to(r.x, r.y, r.width, r.height);
   glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
   clear_color(between(0, 1), between(0, 1), between(0, 1), between(0, 1));
   glColorMask(1, 1, 1, 1);
   glDisable(GL_SCISSOR_TEST);
   note(" clear %d,%d %dx%d mask %u\n", r.x, r.y, r.width, r.height, mask);
}

/* Into an image of a texture, and back. */
static void
clear_image(struct texture *t)
{
   const unsigned level = random_below(t->levels), width = level_of(t->width, level), height = level_of(t->height, level);
   const struct rect r = part_of(width, height);

   glBindFramebuffer(GL_FRAMEBUFFER, texture_target);
   if (t->target == GL_TEXTURE_3D)
      glFramebufferTexture3D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t->target, t->name, level,
                             random_below(level_of(t->depth, level)));
   else
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, some_face(t), t->name, level);
   const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
   /* which formats can be drawn to is the driver's choice; both know these */
   GLint alpha, red;
   glBindTexture(t->target, t->name);
   glGetTexLevelParameteriv(is_square(t) ? GL_TEXTURE_CUBE_MAP_POSITIVE_X : t->target, level, GL_TEXTURE_ALPHA_SIZE, &alpha);
   glGetTexLevelParameteriv(is_square(t) ? GL_TEXTURE_CUBE_MAP_POSITIVE_X : t->target, level, GL_TEXTURE_RED_SIZE, &red);
   if (complete && red && alpha) {
      scissor_to(r.x, r.y, r.width, r.height);
      clear_color(between(0, 1), between(0, 1), between(0, 1), between(0, 1));
      glDisable(GL_SCISSOR_TEST);
      note(" clear of texture %u level %u %d,%d %dx%d\n", (unsigned)(t - textures), level, r.x, r.y, r.width, r.height);
   }
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
   glBindFramebuffer(GL_FRAMEBUFFER, target);
}

/* Between parts of the target that do not overlap, turned over or not, twice as large or not. */
static void
blit_part(void)
{
   const unsigned scale = 1 + one_in(3);
   const int width = 1 + random_below(SIZE / 2 / scale), height = 1 + random_below(SIZE / scale);
   const int x = random_below(SIZE / 2 - width + 1), y = random_below(SIZE - height + 1);
   const int to_x = SIZE / 2 + random_below(SIZE / 2 - width * scale + 1), to_y = random_below(SIZE - height * scale + 1);
   const bool over = one_in(2), across = one_in(2), masked = one_in(3);
   const int left = across ? to_x + width * scale : to_x, right = across ? to_x : to_x + width * scale;
   const int bottom = over ? to_y + height * scale : to_y, top = over ? to_y : to_y + height * scale;
   const struct rect r = part_of(SIZE, SIZE);

   if (masked)
      scissor_to(r.x, r.y, r.width, r.height);
   glBlitFramebuffer(x, y, x + width, y + height, left, bottom, right, top, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glDisable(GL_SCISSOR_TEST);
   note(" blit %d,%d %dx%d to %d,%d..%d,%d\n", x, y, width, height, left, bottom, right, top);
}

/* --- rectangles of pixels --- */

/* Scales and tables, or none.  The chip has no textures for values outside of 0 to 1: the driver clamps what has a sign before
 * it is scaled. */
static void
set_transfer(GLenum type)
{
   static const GLenum scales[] = { GL_RED_SCALE, GL_GREEN_SCALE, GL_BLUE_SCALE, GL_ALPHA_SCALE };
   static const GLenum biases[] = { GL_RED_BIAS, GL_GREEN_BIAS, GL_BLUE_BIAS, GL_ALPHA_BIAS };
   static const GLenum maps[] = { GL_PIXEL_MAP_R_TO_R, GL_PIXEL_MAP_G_TO_G, GL_PIXEL_MAP_B_TO_B, GL_PIXEL_MAP_A_TO_A };

   if (one_in(4) && type != GL_BYTE && type != GL_SHORT && type != GL_INT && type != GL_FLOAT) {
      for (unsigned i = 0; i < 4; i++) {
         glPixelTransferf(scales[i], between(0.5f, 1.4f));
         glPixelTransferf(biases[i], between(-0.3f, 0.3f));
      }
      note(" scaled");
   }
   if (one_in(6)) {
      for (unsigned i = 0; i < 4; i++) {
         float values[256];
         for (unsigned j = 0; j < COUNT(values); j++)
            values[j] = i % 2 ? 1 - j / 255.0f : j / 510.0f + 0.3f;
         glPixelMapfv(maps[i], COUNT(values), values);
      }
      glPixelTransferi(GL_MAP_COLOR, 1);
      note(" mapped");
   }
}

static void
plain_transfer(void)
{
   static const GLenum scales[] = { GL_RED_SCALE, GL_GREEN_SCALE, GL_BLUE_SCALE, GL_ALPHA_SCALE };
   static const GLenum biases[] = { GL_RED_BIAS, GL_GREEN_BIAS, GL_BLUE_BIAS, GL_ALPHA_BIAS };

   for (unsigned i = 0; i < 4; i++) {
      glPixelTransferf(scales[i], 1);
      glPixelTransferf(biases[i], 0);
   }
   glPixelTransferi(GL_MAP_COLOR, 0);
   glPixelZoom(1, 1);
}

static void
set_zoom(void)
{
   static const float zooms[] = { 1, 1, 2, -1, 3, -2 };
   const float x = PICK(zooms), y = PICK(zooms);

   glPixelZoom(x, y);
   note(" zoom %g,%g", x, y);
}

static void
draw_rectangle(void)
{
   const struct layout l = random_layout();
   const unsigned width = 1 + random_below(20), height = 1 + random_below(20);
   const int x = random_below(SIZE), y = random_below(SIZE);

   set_storage(false, width);
   set_zoom();
   set_transfer(l.type);
   const void *pixels = fill_pixels(&l);
   glWindowPos2i(x, y);
   glDrawPixels(width, height, l.format, l.type, pixels);
   glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
   plain_transfer();
   note(" pixels %ux%u at %d,%d of 0x%x 0x%x\n", width, height, x, y, l.format, l.type);
}

static void
draw_bits(void)
{
   const unsigned width = 1 + random_below(40), height = 1 + random_below(20);
   const int x = random_below(SIZE), y = random_below(SIZE);
   const struct layout l = { .type = GL_UNSIGNED_BYTE, .from_buffer = one_in(4) };

   set_storage(false, width);
   glPixelStorei(GL_UNPACK_LSB_FIRST, one_in(2));
   const void *pixels = fill_pixels(&l);
   glColor4f(between(0, 1), between(0, 1), between(0, 1), between(0, 1));
   glWindowPos2i(x, y);
   glBitmap(width, height, random_below(4), random_below(4), 0, 0, pixels);
   glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
   glPixelStorei(GL_UNPACK_LSB_FIRST, 0);
   note(" bits %ux%u at %d,%d\n", width, height, x, y);
}

static void
copy_rectangle(void)
{
   const struct rect r = part_of(SIZE, SIZE);
   const int x = random_below(SIZE), y = random_below(SIZE);

   set_zoom();
   set_transfer(GL_UNSIGNED_BYTE);
   glWindowPos2i(x, y);
   glCopyPixels(r.x, r.y, r.width, r.height, GL_COLOR);
   plain_transfer();
   note(" pixels from %d,%d %dx%d to %d,%d\n", r.x, r.y, r.width, r.height, x, y);
}

/* Reads a part in any format, and prints the bytes; of wide numbers those that do not depend on rounding. */
static void
read_rectangle(void)
{
   const struct rect r = part_of(SIZE, SIZE);
   const bool buffer = one_in(3);
   struct layout l = { .format = PICK(wide_formats), .type = GL_UNSIGNED_BYTE };
   unsigned last = 8192;

   if (one_in(2)) {
      l.format = one_in(2) ? GL_RGBA : GL_BGRA;
      l.type = one_in(2) ? GL_UNSIGNED_INT_8_8_8_8 : GL_UNSIGNED_INT_8_8_8_8_REV;
   }
   memset(memory, 0xa5, last);
   set_storage(true, r.width);
   if (buffer) {
      glBindBuffer(GL_PIXEL_PACK_BUFFER, pixel_buffer);
      glBufferData(GL_PIXEL_PACK_BUFFER, last, memory, GL_STREAM_READ);
      glReadPixels(r.x, r.y, r.width, r.height, l.format, l.type, NULL);
      glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, last, memory);
      glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
   } else {
      glReadPixels(r.x, r.y, r.width, r.height, l.format, l.type, memory);
   }
   while (last > 4 && memory[last - 1] == 0xa5)
      last--;
   /* sums of colours may differ by more than each of them */
   if (l.format != GL_LUMINANCE && l.format != GL_LUMINANCE_ALPHA)
      print_image("read", l.format, l.type, memory, (last + 3) / 4 * 4);
   note(" read %d,%d %dx%d as 0x%x 0x%x%s\n", r.x, r.y, r.width, r.height, l.format, l.type, buffer ? " into a buffer" : "");
}

/* --- scenes --- */

static void
do_something(void)
{
   struct texture *t = &PICK(textures);

   note(" %u:", step);
   switch (random_below(14)) {
   case 0:
      define_texture(t);
      break;
   case 1:
   case 2:
      change_part(t);
      break;
   case 3:
   case 4:
      copy_part(t);
      break;
   case 5:
      draw_texture(t);
      break;
   case 6:
      clear_part();
      break;
   case 7:
      clear_image(t);
      break;
   case 8:
      blit_part();
      break;
   case 9:
   case 10:
      draw_rectangle();
      break;
   case 11:
      draw_bits();
      break;
   case 12:
      copy_rectangle();
      break;
   default:
      read_rectangle();
      break;
   }
   const GLenum error = glGetError();
   if (error)
      fprintf(stderr, "scene %u, step %u: error 0x%x\n", scene, step, error);
   CHECK(!error);
}

static void
print_target(void)
{
   static GLubyte pixels[SIZE * SIZE * 4];

   plain_storage();
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   print_image("target", 0, 0, pixels, sizeof(pixels));
}

static void
play_scene(EGLDisplay display, unsigned number)
{
   make_current(display, new_context(display, EGL_NO_CONTEXT));
   target = make_target(SIZE, SIZE, false);
   glGenFramebuffers(1, &texture_target);
   glGenBuffers(1, &pixel_buffer);
   scene = number;
   step = 0;
   random_state = number * 2654435761u + 7;
   note("scene %u\n", number);
   clear_color(0.2f, 0.4f, 0.6f, 0.8f);
   for (unsigned i = 0; i < TEXTURES; i++) {
      textures[i] = (struct texture) { .target = targets[i] };
      glGenTextures(1, &textures[i].name);
      define_texture(&textures[i]);
   }
   for (step = 1; step <= 24; step++)
      do_something();
   print_target();
   for (unsigned i = 0; i < TEXTURES; i++)
      print_texture(&textures[i]);
}

int
main(int argc, char **argv)
{
   return play_scenes(argc, argv, SCENES, play_scene);
}
