/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex and index buffers that are written in parts, made anew, mapped or deleted between draws, mixed with arrays of the
 * application.  Each vertex is a pixel, so that every wrong byte shows.
 */

#include <EGL/egl.h>
#include <stdio.h>

#include "families.h"
#include "scene.h"

#define BUFFERS  4
#define MAX_SIZE 16384

static struct {
   GLuint names[BUFFERS];
   unsigned size[BUFFERS];
   uint8_t shadow[BUFFERS][MAX_SIZE]; /* their contents */
   GLuint program;
} s;

static PFNGLMAPBUFFEROESPROC map_buffer;
static PFNGLUNMAPBUFFEROESPROC unmap_buffer;
static PFNGLMAPBUFFERRANGEEXTPROC map_range;

/* Any byte is a good coordinate, colour or index. */
static void
scramble(uint8_t *data, unsigned size)
{
   uint32_t x = grid_random();
   for (unsigned i = 0; i < size; i++) {
      x = x * 1664525 + 1013904223;
      data[i] = x >> 24 & 0x7f;
   }
}

static void
write_buffer(unsigned b)
{
   static const GLenum usages[] = { GL_STATIC_DRAW, GL_DYNAMIC_DRAW, GL_STREAM_DRAW };
   unsigned kind = grid_random_below(6), size = s.size[b], at = grid_random_below(size), n = 1 + grid_random_below(size - at);
   GLenum target = grid_random_below(2) ? GL_ARRAY_BUFFER : GL_ELEMENT_ARRAY_BUFFER;
   if (kind >= 4 && !map_buffer)
      kind = 0;
   glBindBuffer(target, s.names[b]);
   switch (kind) {
   case 0:
   case 1:
      scramble(s.shadow[b] + at, n);
      glBufferSubData(target, at, n, s.shadow[b] + at);
      break;
   case 2: /* another size */
      size = s.size[b] = grid_random_below(2) ? 600 + grid_random_below(3000) : MAX_SIZE;
      scramble(s.shadow[b], size);
      glBufferData(target, size, s.shadow[b], usages[grid_random_below(3)]);
      break;
   case 3: /* in two steps */
      scramble(s.shadow[b], size);
      glBufferData(target, size, NULL, usages[grid_random_below(3)]);
      glBufferSubData(target, 0, size / 2, s.shadow[b]);
      glBufferSubData(target, size / 2, size - size / 2, s.shadow[b] + size / 2);
      break;
   default: {
      uint8_t *map = kind == 4 ? map_buffer(target, GL_WRITE_ONLY_OES)
                               : map_range(target, at, n, GL_MAP_WRITE_BIT_EXT | GL_MAP_INVALIDATE_RANGE_BIT_EXT);
      scramble(s.shadow[b] + at, n);
      memcpy(kind == 4 ? map + at : map, s.shadow[b] + at, n);
      unmap_buffer(target);
   }
   }
   glBindBuffer(target, 0);
}

/* Sets an array; returns how many vertices it has. */
static unsigned
set_array(unsigned index, bool color)
{
   static const struct {
      GLenum type;
      unsigned size;
   } types[] = { { GL_BYTE, 1 }, { GL_UNSIGNED_BYTE, 1 }, { GL_SHORT, 2 } };
   unsigned b = grid_random_below(BUFFERS + 1), t = grid_random_below(3), components = color ? 3 + grid_random_below(2) : 2;
   unsigned element = types[t].size * components, stride = grid_random_below(3) ? element + grid_random_below(20) : 0;
   unsigned offset = grid_random_below(100);
   static uint8_t client[2][8192];
   uint8_t *memory = client[index];
   unsigned size = b < BUFFERS ? s.size[b] : sizeof(client[0]);
   if (b == BUFFERS)
      scramble(memory, size);
   glBindBuffer(GL_ARRAY_BUFFER, b < BUFFERS ? s.names[b] : 0);
   glVertexAttribPointer(index, components, types[t].type, GL_TRUE, stride, b < BUFFERS ? (void *)(uintptr_t)offset
                                                                                        : memory + offset);
   glEnableVertexAttribArray(index);
   return (size - offset - element) / (stride ? stride : element) + 1;
}

static void
draw(void)
{
   unsigned vertices[2] = { set_array(0, false), set_array(1, true) }, count = MIN2(vertices[0], vertices[1]);
   unsigned kind = grid_random_below(4);
   glUseProgram(s.program);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
   if (kind < 2) {
      unsigned first = grid_random_below(count);
      glDrawArrays(GL_POINTS, first, MIN2(count - first, 300));
      return;
   }
   static uint16_t indices[200]; /* bytes of buffers are below 128, so 16-bit indices are the application's */
   if (kind == 2 || count < 128) {
      for (unsigned i = 0; i < 200; i++)
         indices[i] = grid_random_below(MIN2(count, 2000));
      glDrawElements(GL_POINTS, 1 + grid_random_below(200), GL_UNSIGNED_SHORT, indices);
   } else {
      unsigned b = grid_random_below(BUFFERS);
      glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, s.names[b]);
      glDrawElements(GL_POINTS, 200, GL_UNSIGNED_BYTE, (void *)(uintptr_t)grid_random_below(s.size[b] - 200));
      glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
   }
}

static void
run_streams(void)
{
   const char *log = "";
   scene_begin();
   if (scene_extension("GL_OES_mapbuffer") && scene_extension("GL_EXT_map_buffer_range")) {
      map_buffer = (PFNGLMAPBUFFEROESPROC)eglGetProcAddress("glMapBufferOES");
      unmap_buffer = (PFNGLUNMAPBUFFEROESPROC)eglGetProcAddress("glUnmapBufferOES");
      map_range = (PFNGLMAPBUFFERRANGEEXTPROC)eglGetProcAddress("glMapBufferRangeEXT");
   }
   /* to the middle of a pixel, whatever the coordinate's type */
   s.program = grid_program("attribute highp vec4 position, a0;\nvarying mediump vec4 v;\n"
                            "void main() {\n"
                            "   gl_Position = vec4((floor(fract(position.xy * 7.3) * 63.0) + 0.5) / 32.0 - 1.0, 0.0, 1.0);\n"
                            "   v = a0; gl_PointSize = 1.0; }",
                            "precision mediump float;\nvarying vec4 v;\nvoid main() { gl_FragColor = v; }", &log);
   for (unsigned i = 0; i < 150; i++) {
      if (!grid_begin("streams/%u", i))
         continue;
      glGenBuffers(BUFFERS, s.names);
      for (unsigned b = 0; b < BUFFERS; b++) {
         s.size[b] = 600 + grid_random_below(2000);
         scramble(s.shadow[b], s.size[b]);
         glBindBuffer(GL_ARRAY_BUFFER, s.names[b]);
         glBufferData(GL_ARRAY_BUFFER, s.size[b], s.shadow[b], GL_STATIC_DRAW);
      }
      scene_show();
      glClearColor(0, 0, 0, 1);
      glClear(GL_COLOR_BUFFER_BIT);
      for (unsigned k = 0; k < 20; k++) {
         if (grid_random_below(3))
            draw();
         else
            write_buffer(grid_random_below(BUFFERS));
      }
      glBindBuffer(GL_ARRAY_BUFFER, 0);
      glDisableVertexAttribArray(0);
      glDisableVertexAttribArray(1);
      glDeleteBuffers(BUFFERS, s.names);
      /* a coordinate may be rounded to the next pixel */
      grid_pixels(0, 0, SCENE_SIZE, SCENE_SIZE, (struct grid_tolerance){ 2, 30, false, false });
   }
   glDeleteProgram(s.program);
   scene_end();
}

const struct grid_family family_streams = { "streams", run_streams };
