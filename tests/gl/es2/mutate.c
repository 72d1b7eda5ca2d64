/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Images that change while they are attached: random sequences of attaching, new sizes and formats, deleting, clearing, drawing,
 * uploading, copying, generating and sampling, over two framebuffers.  Everything read is defined: images get their contents
 * as soon as they get their storage, and no image is sampled that is drawn to.
 */

#include <math.h>
#include <stdio.h>

#include "families.h"
#include "scene.h"

#define TEXTURES 3
#define BUFFERS  2 /* of colour */
#define DEPTHS   2

static const unsigned sizes[][2] = { { 32, 32 }, { 64, 64 }, { 40, 24 }, { 17, 33 }, { 64, 16 }, { 8, 8 } };
static const struct {
   GLenum format, type, buffer;
} formats[] = {
   { GL_RGBA, GL_UNSIGNED_BYTE, GL_RGBA8_OES },
   { GL_RGB, GL_UNSIGNED_SHORT_5_6_5, GL_RGB565 },
   { GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, GL_RGBA4 },
   { GL_RGB, GL_UNSIGNED_BYTE, GL_RGB8_OES },
};

struct image {
   GLuint name;
   unsigned size;    /* index */
   unsigned format;  /* index; of depth: 16 bits, packed with stencil */
};

static struct {
   struct image textures[TEXTURES], buffers[BUFFERS], depths[DEPTHS];
   GLuint fbo[2], side; /* side: for filling what is not attached */
   struct {
      int texture, buffer, depth; /* -1: none */
   } attached[2];
   unsigned current;
} m;

static bool trace;

static void
fill_texture(struct image *t)
{
   unsigned w = sizes[t->size][0], h = sizes[t->size][1];
   static uint8_t data[64 * 64 * 4];
   for (unsigned i = 0; i < sizeof(data); i++)
      data[i] = (i / 256 + i) * 7;
   glBindTexture(GL_TEXTURE_2D, t->name);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glTexImage2D(GL_TEXTURE_2D, 0, formats[t->format].format, w, h, 0, formats[t->format].format, formats[t->format].type, data);
}

static void
new_texture(struct image *t)
{
   t->name = grid_texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
   t->size = grid_random_below(ARRAY_SIZE(sizes));
   t->format = grid_random_below(ARRAY_SIZE(formats));
   fill_texture(t);
}

static const struct image *
current_color(void)
{
   return m.attached[m.current].texture >= 0  ? &m.textures[m.attached[m.current].texture]
          : m.attached[m.current].buffer >= 0 ? &m.buffers[m.attached[m.current].buffer] : NULL;
}

static void
bind_current(void)
{
   const struct image *color = current_color();
   glBindFramebuffer(GL_FRAMEBUFFER, m.fbo[m.current]);
   if (color)
      glViewport(0, 0, sizes[color->size][0], sizes[color->size][1]);
}

/* Storage of a renderbuffer, whether attached or not; cleared by way of another framebuffer. */
static void
store_buffer(struct image *b, bool depth)
{
   unsigned w = sizes[b->size][0], h = sizes[b->size][1];
   glBindRenderbuffer(GL_RENDERBUFFER, b->name);
   glRenderbufferStorage(GL_RENDERBUFFER, depth ? b->format & 1 ? GL_DEPTH24_STENCIL8_OES : GL_DEPTH_COMPONENT16
                                                : formats[b->format].buffer, w, h);
   glBindFramebuffer(GL_FRAMEBUFFER, m.side);
   if (depth) {
      const GLuint none = 0, color = target_buffer(GL_RGBA4, w, h);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, b->name);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, b->format & 1 ? b->name : none);
      glClearDepthf(0.7f);
      glClearStencil(2);
      glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, 0);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, 0);
      glDeleteRenderbuffers(1, &color);
   } else {
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, b->name);
      clear_color(0.2f, 0.4f, 0.6f, 0.8f);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, 0);
   }
   bind_current();
}

static void
new_buffer(struct image *b, bool depth)
{
   glGenRenderbuffers(1, &b->name);
   b->size = grid_random_below(ARRAY_SIZE(sizes));
   b->format = grid_random_below(depth ? 2 : ARRAY_SIZE(formats));
   store_buffer(b, depth);
}

static void
attach(void)
{
   bind_current();
   unsigned c = m.current, what = grid_random_below(5);
   if (what < 2) { /* a texture */
      m.attached[c].texture = grid_random_below(TEXTURES);
      m.attached[c].buffer = -1;
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, m.textures[m.attached[c].texture].name, 0);
   } else if (what == 2) {
      m.attached[c].buffer = grid_random_below(BUFFERS);
      m.attached[c].texture = -1;
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, m.buffers[m.attached[c].buffer].name);
   } else { /* depth of the same size, if there is one */
      const struct image *color = current_color() ? current_color() : &m.buffers[0];
      m.attached[c].depth = what == 3 ? (int)grid_random_below(DEPTHS) : -1;
      struct image *d = what == 3 ? &m.depths[m.attached[c].depth] : NULL;
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, d ? d->name : 0);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, d && d->format & 1 ? d->name : 0);
      if (d && d->size != color->size) {
         d->size = color->size;
         store_buffer(d, true);
      }
   }
   bind_current();
}

/* New storage: everything attached of another size makes its framebuffer incomplete until that changes too. */
static void
resize(void)
{
   unsigned what = grid_random_below(4);
   unsigned size = grid_random_below(ARRAY_SIZE(sizes));
   if (what < 2) {
      struct image *t = &m.textures[grid_random_below(TEXTURES)];
      t->size = size;
      t->format = grid_random_below(ARRAY_SIZE(formats));
      fill_texture(t);
   } else {
      struct image *b = what == 2 ? &m.buffers[grid_random_below(BUFFERS)] : &m.depths[grid_random_below(DEPTHS)];
      b->size = size;
      if (what == 2)
         b->format = grid_random_below(ARRAY_SIZE(formats));
      store_buffer(b, what == 3);
   }
   bind_current();
}

/* Not with images of several sizes, which OpenGL ES 3.0 allows. */
static bool
drawable(void)
{
   bind_current();
   const struct image *color = current_color();
   int depth = m.attached[m.current].depth;
   return color && (depth < 0 || m.depths[depth].size == color->size) &&
          glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

/* Deleting detaches from the bound framebuffer; the other one is changed by hand, as it would keep the image alive. */
static void
recreate(void)
{
   bool texture = grid_random_below(2), early = grid_random_below(2);
   unsigned i = grid_random_below(texture ? TEXTURES : BUFFERS);
   for (unsigned f = 0; f < 2; f++) {
      int *at = texture ? &m.attached[f].texture : &m.attached[f].buffer;
      if (*at != (int)i)
         continue;
      *at = -1;
      glBindFramebuffer(GL_FRAMEBUFFER, m.fbo[f]);
      if (f != m.current || early)
         glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, 0);
   }
   bind_current();
   if (texture) {
      glDeleteTextures(1, &m.textures[i].name);
      new_texture(&m.textures[i]);
   } else {
      glDeleteRenderbuffers(1, &m.buffers[i].name);
      new_buffer(&m.buffers[i], false);
   }
}

static float
coordinate(void)
{
   return (roundf(grid_random_float(-16, 16)) + 0.25f) / 16;
}

static void
draw(unsigned what)
{
   const float c[4] = { grid_random_below(5) / 4.0f, grid_random_below(5) / 4.0f, grid_random_below(5) / 4.0f,
                        grid_random_below(5) / 4.0f };
   float x0 = coordinate(), y0 = coordinate(), x1 = coordinate(), y1 = coordinate();
   unsigned t = grid_random_below(TEXTURES), scissor = grid_random_below(3), z = grid_random_below(8);
   struct image *texture = &m.textures[t];
   if (!drawable())
      return;
   if (scissor == 0)
      scissor_to(z, 3, 20, 9 + z);
   switch (what) {
   case 0:
      glClearColor(c[0], c[1], c[2], c[3]);
      glClearDepthf(0.5f + z / 16.0f);
      glClearStencil(z);
      glClear(GL_COLOR_BUFFER_BIT | (z & 1 ? GL_DEPTH_BUFFER_BIT : 0) | (z & 2 ? GL_STENCIL_BUFFER_BIT : 0));
      break;
   case 1:
      if (z & 1)
         glEnable(GL_BLEND);
      glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
      scene_flat(x0, y0, x1, y1, 0, c[0], c[1], c[2], c[3]);
      glDisable(GL_BLEND);
      break;
   case 2:
      glEnable(GL_DEPTH_TEST);
      glEnable(GL_STENCIL_TEST);
      glStencilFunc(GL_LEQUAL, z & 3, 0xff);
      glStencilOp(GL_KEEP, GL_INVERT, GL_INCR);
      scene_flat(x0, y0, x1, y1, z / 10.0f, c[0], c[1], c[2], c[3]);
      glDisable(GL_STENCIL_TEST);
      glDisable(GL_DEPTH_TEST);
      break;
   default: /* what is attached is not sampled */
      if (m.attached[m.current].texture != (int)t)
         scene_textured(texture->name, x0, y0, x1, y1);
   }
   glDisable(GL_SCISSOR_TEST);
}

static void
update(unsigned what)
{
   struct image *t = &m.textures[grid_random_below(TEXTURES)];
   unsigned w = sizes[t->size][0], h = sizes[t->size][1], x = grid_random_below(w), y = grid_random_below(h);
   static uint8_t data[64 * 64 * 4];
   for (unsigned i = 0; i < sizeof(data); i++)
      data[i] = grid_random();
   glBindTexture(GL_TEXTURE_2D, t->name);
   if (what == 0) {
      glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, w - x, h - y, formats[t->format].format, formats[t->format].type, data);
      return;
   }
   /* a copy needs the alpha that it writes, and nothing of it may come from itself or from outside */
   if (!drawable() || &m.textures[MAX2(m.attached[m.current].texture, 0)] == t || formats[t->format].format == GL_RGBA)
      return;
   GLint viewport[4];
   glGetIntegerv(GL_VIEWPORT, viewport);
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, x, y, 0, 0, MIN2(w - x, (unsigned)viewport[2]), MIN2(h - y, (unsigned)viewport[3]));
}

static void
step(void)
{
   unsigned what = grid_random_below(16);
   if (trace)
      fprintf(stderr, "%u ", what);
   switch (what) {
   case 0:
   case 1:
   case 2:
      attach();
      break;
   case 3:
      resize();
      break;
   case 4:
      recreate();
      break;
   case 5:
   case 6:
      m.current ^= 1;
      bind_current();
      break;
   case 7:
   case 8:
      update(what - 7);
      break;
   case 9:
      grid_random() & 16 ? glFlush() : glFinish();
      break;
   default:
      draw(what % 4);
   }
}

/* Every image beside the others. */
static void
show(void)
{
   scene_show();
   clear_color(0, 0, 0, 0);
   for (unsigned i = 0; i < TEXTURES; i++)
      scene_textured(m.textures[i].name, -1 + i * 0.5f, -1, -0.5f + i * 0.5f, 0);
   for (unsigned i = 0; i < BUFFERS; i++) { /* copied to a texture */
      GLuint copy = scene_texture(GL_TEXTURE_2D, GL_RGB, GL_UNSIGNED_BYTE, 1, 1, false);
      const unsigned *size = sizes[m.buffers[i].size];
      glBindFramebuffer(GL_FRAMEBUFFER, m.side);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, m.buffers[i].name);
      glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 0, 0, size[0], size[1], 0);
      scene_show();
      scene_textured(copy, -1 + i * 0.5f, 0, -0.5f + i * 0.5f, 1);
      glDeleteTextures(1, &copy);
   }
}

static void
run_mutate(void)
{
   scene_begin();
   trace = getenv("GRID_SOURCES");
   for (unsigned i = 0; i < 400; i++) {
      if (!grid_begin("mutate/%u", i))
         continue;
      memset(&m, 0, sizeof(m));
      glGenFramebuffers(2, m.fbo);
      glGenFramebuffers(1, &m.side);
      for (unsigned k = 0; k < 2; k++)
         m.attached[k].texture = m.attached[k].buffer = m.attached[k].depth = -1;
      for (unsigned k = 0; k < TEXTURES; k++)
         new_texture(&m.textures[k]);
      for (unsigned k = 0; k < BUFFERS; k++)
         new_buffer(&m.buffers[k], false);
      for (unsigned k = 0; k < DEPTHS; k++)
         new_buffer(&m.depths[k], true);
      for (unsigned k = 0; k < 10 + i / 2; k++)
         step();
      if (trace)
         fprintf(stderr, "\n");
      show();
      /* what is blended in 16 bits is rounded in each step */
      grid_pixels(0, 0, SCENE_SIZE, SCENE_SIZE, (struct grid_tolerance){ 34, SCENE_SIZE, true, false });
      glDeleteFramebuffers(2, m.fbo);
      glDeleteFramebuffers(1, &m.side);
      for (unsigned k = 0; k < TEXTURES; k++)
         glDeleteTextures(1, &m.textures[k].name);
      for (unsigned k = 0; k < BUFFERS; k++)
         glDeleteRenderbuffers(1, &m.buffers[k].name);
      for (unsigned k = 0; k < DEPTHS; k++)
         glDeleteRenderbuffers(1, &m.depths[k].name);
   }
   scene_end();
}

const struct grid_family family_mutate = { "mutate", run_mutate };
