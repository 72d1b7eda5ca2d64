/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Textures and targets of red, and of red and green (EXT_texture_rg): uploads of parts, mipmaps, blending, masks, copies
 * by the engines, and buffers shared with others, which have 16 bits per pixel where the driver's own have 32: rendered to,
 * sampled, and as a plane of NV12.
 */

#include <drm_fourcc.h>
#include <fcntl.h>
#include <gbm.h>
#include <sys/mman.h>

#include "opengl_es.h"

#define SIZE 64

static GLuint flat, sampled, external;

static void
check_pixel(const char *what, unsigned x, unsigned y, int r, int g, int tolerance)
{
   uint8_t got[4];

   glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
   CHECK(glGetError() == GL_NO_ERROR);
   if (abs(got[0] - r) > tolerance || abs(got[1] - g) > tolerance || got[2] != 0 || got[3] != 255)
      fail("%s: pixel %u, %u is %u %u %u %u, not %d %d 0 255\n", what, x, y, got[0], got[1], got[2], got[3], r, g);
}

static void
bind_target(GLuint texture, unsigned level)
{
   texture_framebuffer(GL_TEXTURE_2D, texture, level);
   glViewport(0, 0, SIZE >> level, SIZE >> level);
}

static GLuint
new_target(GLenum format)
{
   const GLuint texture = nearest_texture(GL_TEXTURE_2D);

   glTexImage2D(GL_TEXTURE_2D, 0, format, SIZE, SIZE, 0, format, GL_UNSIGNED_BYTE, NULL);
   bind_target(texture, 0);
   return texture;
}

static void
draw(GLuint program, float x0, float x1)
{
   const GLfloat corners[] = {x0, -1, x1, -1, x0, 1, x1, 1};

   glUseProgram(program);
   use_floats(0, 2, corners);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* Values are those of bytes. */
static void
rect(float x0, float x1, unsigned r, unsigned g, unsigned b, unsigned a)
{
   glUseProgram(flat);
   glUniform4f(glGetUniformLocation(flat, "colour"), r / 255.0f, g / 255.0f, b / 255.0f, a / 255.0f);
   draw(flat, x0, x1);
}

static void
clear(unsigned r, unsigned g)
{
   clear_color(r / 255.0f, g / 255.0f, 0.7f, 0.3f);
}

/* --- tests --- */

/* A part of a texture that is uploaded, sampled, and copied to another texture. */
static void
parts(GLenum format)
{
   const int g = format == GL_RG_EXT, cpp = 1 + g;
   uint8_t texels[16 * 16 * 2];

   new_target(GL_RGBA);
   const GLuint canvas = nearest_texture(GL_TEXTURE_2D), source = new_target(format);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   clear(11, 22);
   for (unsigned i = 0; i < 16 * 16; i++) {
      texels[i * cpp] = i;
      if (g)
         texels[i * cpp + 1] = 255 - i;
   }
   glBindTexture(GL_TEXTURE_2D, source);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 5, 7, 16, 16, format, GL_UNSIGNED_BYTE, texels);
   rect(0, 1, 99, 88, 0, 0);
   for (unsigned y = 7; y < 23; y += 5)
      check_pixel("uploaded part", 8, y, (y - 7) * 16 + 3, g * (255 - ((y - 7) * 16 + 3)), 0);
   check_pixel("beside the part", 4, 7, 11, g * 22, 0);

   glBindTexture(GL_TEXTURE_2D, canvas);
   glTexImage2D(GL_TEXTURE_2D, 0, format, SIZE, SIZE, 0, format, GL_UNSIGNED_BYTE, NULL);
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 5, 7, 16, 16);
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 16, 0, SIZE / 2, 0, 16, 16);
   new_target(GL_RGBA);
   glBindTexture(GL_TEXTURE_2D, canvas);
   draw(sampled, -1, 1);
   check_pixel("copied part", 3, 9, 9 * 16 + 3, g * (255 - (9 * 16 + 3)), 0);
   check_pixel("copied drawing", 20, 3, 99, g * 88, 0);
}

static void
mipmaps(GLenum format)
{
   const int g = format == GL_RG_EXT;
   const GLuint texture = new_target(format);

   clear(40, 80);
   rect(-1, 0, 200, 240, 0, 0);
   glBindTexture(GL_TEXTURE_2D, texture);
   glGenerateMipmap(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   bind_target(texture, 2);
   check_pixel("level 2", 3, 3, 200, g * 240, 1);
   check_pixel("level 2", 12, 3, 40, g * 80, 1);
   bind_target(texture, 5);
   rect(-1, 0, 7, 9, 0, 0);
   check_pixel("level 5", 0, 1, 7, g * 9, 0);
   check_pixel("level 5", 1, 1, 40, g * 80, 1);
   bind_target(texture, 4);
   check_pixel("level 4", 0, 1, 200, g * 240, 1);
}

/* --- shared buffers --- */

struct shared {
   struct gbm_bo *bo;
   int fd;
   uint8_t *map;
};

static struct shared
new_shared(struct gbm_device *device)
{
   struct shared s = {gbm_bo_create(device, SIZE, SIZE, GBM_FORMAT_ABGR8888, GBM_BO_USE_LINEAR | GBM_BO_USE_RENDERING), -1, NULL};

   CHECK(s.bo);
   s.fd = gbm_bo_get_fd(s.bo);
   s.map = mmap(NULL, SIZE * SIZE * 4, PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0);
   CHECK(s.map != MAP_FAILED);
   return s;
}

static EGLImageKHR
import(EGLDisplay display, const EGLAttrib *attributes)
{
   const EGLImage image = eglCreateImage(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, attributes);
   CHECK(image != EGL_NO_IMAGE);
   return image;
}

static void
set_image(GLenum target, EGLImageKHR image)
{
   PFNGLEGLIMAGETARGETTEXTURE2DOESPROC set = (void *)eglGetProcAddress("glEGLImageTargetTexture2DOES");

   set(target, image);
   CHECK(glGetError() == GL_NO_ERROR);
}

/* 16 bits per pixel in memory, whoever reads or writes it. */
static void
shared_pixels(EGLDisplay display, const struct shared *s)
{
   const EGLAttrib attributes[] = {EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_LINUX_DRM_FOURCC_EXT, DRM_FORMAT_GR88,
                                EGL_DMA_BUF_PLANE0_FD_EXT, s->fd, EGL_DMA_BUF_PLANE0_OFFSET_EXT, 0,
                                EGL_DMA_BUF_PLANE0_PITCH_EXT, SIZE * 2, EGL_NONE};
   const GLuint texture = nearest_texture(GL_TEXTURE_2D);

   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      s->map[i * 2] = i;
      s->map[i * 2 + 1] = i / SIZE;
   }
   set_image(GL_TEXTURE_2D, import(display, attributes));
   new_target(GL_RGBA);
   glBindTexture(GL_TEXTURE_2D, texture);
   draw(sampled, -1, 1);
   check_pixel("shared, sampled", 9, 33, (33 * SIZE + 9) & 255, 33, 0);
   bind_target(texture, 0);
   check_pixel("shared, read", 7, 11, (11 * SIZE + 7) & 255, 11, 0);
   rect(-1, 0, 210, 220, 230, 240);
   glFinish();
   CHECK(s->map[(20 * SIZE + 6) * 2] == 210 && s->map[(20 * SIZE + 6) * 2 + 1] == 220);
   CHECK(s->map[(20 * SIZE + SIZE - 6) * 2] == ((20 * SIZE + SIZE - 6) & 255) && s->map[(20 * SIZE + SIZE - 6) * 2 + 1] == 20);
}

/* Luma 64 x 32 at the start, pairs of chroma behind it: white above, blue below. */
static void
shared_video(EGLDisplay display, const struct shared *s)
{
   const EGLAttrib attributes[] = {EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE / 2, EGL_LINUX_DRM_FOURCC_EXT, DRM_FORMAT_NV12,
                                EGL_DMA_BUF_PLANE0_FD_EXT, s->fd, EGL_DMA_BUF_PLANE0_OFFSET_EXT, 0,
                                EGL_DMA_BUF_PLANE0_PITCH_EXT, SIZE, EGL_DMA_BUF_PLANE1_FD_EXT, s->fd,
                                EGL_DMA_BUF_PLANE1_OFFSET_EXT, SIZE * SIZE / 2, EGL_DMA_BUF_PLANE1_PITCH_EXT, SIZE,
                                EGL_NONE};
   uint8_t *luma = s->map, *chroma = s->map + SIZE * SIZE / 2;
   uint8_t white[4], blue[4];

   for (unsigned i = 0; i < SIZE * SIZE / 2; i++)
      luma[i] = i < SIZE * SIZE / 4 ? 41 : 235;
   for (unsigned i = 0; i < SIZE * SIZE / 4; i += 2) {
      chroma[i] = i < SIZE * SIZE / 8 ? 240 : 128;
      chroma[i + 1] = i < SIZE * SIZE / 8 ? 110 : 128;
   }
   nearest_texture(GL_TEXTURE_EXTERNAL_OES);
   set_image(GL_TEXTURE_EXTERNAL_OES, import(display, attributes));
   new_target(GL_RGBA);
   draw(external, -1, 1);
   glReadPixels(20, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, blue);
   glReadPixels(20, SIZE - 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, white);
   CHECK(glGetError() == GL_NO_ERROR);
   printf("NV12: white is %u %u %u, blue is %u %u %u\n", white[0], white[1], white[2], blue[0], blue[1], blue[2]);
   CHECK(white[0] > 248 && white[1] > 248 && white[2] > 248);
   CHECK(blue[0] < 8 && blue[1] < 8 && blue[2] > 248);
}

static void
make_programs(void)
{
   flat = square_program("precision mediump float; uniform vec4 colour; void main() { gl_FragColor = colour; }");
   sampled = square_program("precision mediump float; uniform sampler2D s; varying highp vec2 p;"
                            "void main() { gl_FragColor = texture2D(s, p); }");
   external = square_program("#extension GL_OES_EGL_image_external : require\n"
                             "precision mediump float; uniform samplerExternalOES s; varying highp vec2 p;"
                             "void main() { gl_FragColor = texture2D(s, p); }");
}

int
main(void)
{
   static const GLenum formats[2] = {GL_RED_EXT, GL_RG_EXT};
   const int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
   struct gbm_device *device = gbm_create_device(fd);
   EGLDisplay display = open_display();

   CHECK(device);
   make_current(display, new_context(display, EGL_NO_CONTEXT));
   CHECK(strstr((const char *)glGetString(GL_EXTENSIONS), "GL_EXT_texture_rg"));
   glDisable(GL_DITHER);
   make_programs();
   for (unsigned i = 0; i < 2; i++) {
      parts(formats[i]);
      mipmaps(formats[i]);
   }
   const struct shared buffer = new_shared(device);
   shared_pixels(display, &buffer);
   shared_video(display, &buffer);
   munmap(buffer.map, SIZE * SIZE * 4);
   close(buffer.fd);
   gbm_bo_destroy(buffer.bo);
   gbm_device_destroy(device);
   close(fd);
   return 0;
}
