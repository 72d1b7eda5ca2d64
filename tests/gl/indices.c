/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What draws remember of the index buffers of those before them: where the job has them, and the largest index of a part.  In
 * strict mode, which reports vertices that are fetched from outside of their buffer.
 *
 * The vertex buffer has a column of pixels for each four vertices, and each draw has a row.
 *
 * Usage: test_indices
 */

#include "opengl.h"

#define SIZE    8
#define CORNERS 4 /* vertices and indices of a column */
#define OUTSIDE 9999

static const char vertex[] = "attribute vec2 place; void main() { gl_Position = vec4(place, 0.0, 1.0); }\n";
static const char fragment[] = "void main() { gl_FragColor = vec4(1.0); }\n";

static unsigned rows;
static uint8_t expected[SIZE]; /* a bit for each column */

static void
make_columns(void)
{
   GLfloat places[SIZE * CORNERS][2];

   for (unsigned v = 0; v < SIZE * CORNERS; v++) {
      places[v][0] = 2.0f * (v / CORNERS + (v & 1)) / SIZE - 1;
      places[v][1] = v & 2 ? 1 : -1;
   }
   filled_buffer(GL_ARRAY_BUFFER, sizeof(places), places, GL_STATIC_DRAW);
   use_floats(0, 2, NULL);
   glUseProgram(make_program(vertex, fragment, "place"));
}

static void
column_indices(uint16_t *indices, unsigned column)
{
   for (unsigned i = 0; i < CORNERS; i++)
      indices[i] = CORNERS * column + i;
}

/* Binds a new buffer with the indices of columns first, first + 1, ... */
static GLuint
make_indices(unsigned first, unsigned count)
{
   uint16_t indices[SIZE * CORNERS];

   for (unsigned i = 0; i < count; i++)
      column_indices(&indices[CORNERS * i], first + i);
   return filled_buffer(GL_ELEMENT_ARRAY_BUFFER, count * CORNERS * sizeof(uint16_t), indices, GL_STATIC_DRAW);
}

/* The nth four indices of the bound buffer are behind the vertices from now on. */
static void
write_outside(unsigned n)
{
   const uint16_t outside[CORNERS] = {OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE};

   glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, n * sizeof(outside), sizeof(outside), outside);
}

static void
begin(void)
{
   rows = 0;
   memset(expected, 0, sizeof(expected));
   glDisable(GL_SCISSOR_TEST);
   glClear(GL_COLOR_BUFFER_BIT);
   glEnable(GL_SCISSOR_TEST);
}

/* The next row, with the nth four indices of the bound buffer. */
static void
draw(unsigned n, uint8_t columns)
{
   expected[rows] = columns;
   glScissor(0, rows++, SIZE, 1);
   glDrawElements(GL_TRIANGLE_STRIP, CORNERS, GL_UNSIGNED_SHORT, (void *)(uintptr_t)(n * CORNERS * sizeof(uint16_t)));
}

static bool
end(const char *what)
{
   uint8_t pixels[SIZE][SIZE][4];

   CHECK(rows <= SIZE && glGetError() == GL_NO_ERROR);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++) {
         const uint8_t wanted = expected[y] >> x & 1 ? 255 : 0;
         if (pixels[y][x][0] != wanted) {
            printf("FAIL: %s: row %u, column %u is %u, not %u\n", what, y, x, pixels[y][x][0], wanted);
            return false;
         }
      }
   }
   printf("ok: %s\n", what);
   return true;
}

/* The same part and others, with draws between that have no indices, of one job and of several. */
static bool
draw_parts(void)
{
   const GLuint first = make_indices(0, SIZE), second = make_indices(4, 4);

   begin();
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, first);
   draw(1, 1 << 1);
   draw(1, 1 << 1);
   draw(2, 1 << 2);
   draw(1, 1 << 1);
   expected[rows] = 1 << 7;
   glScissor(0, rows++, SIZE, 1);
   glDrawArrays(GL_TRIANGLE_STRIP, 7 * CORNERS, CORNERS);
   draw(1, 1 << 1);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, second);
   draw(1, 1 << 5);
   glFlush();
   draw(1, 1 << 5);
   const bool good = end("parts of two buffers");
   glDeleteBuffers(1, &first);
   glDeleteBuffers(1, &second);
   return good;
}

/* One part that lies inside the vertex buffer, and one outside. */
static bool
draw_both(void)
{
   const GLuint buffer = make_indices(3, 2);

   begin();
   write_outside(1);
   draw(0, 1 << 3);
   draw(1, 0);
   draw(0, 1 << 3);
   const bool good = end("larger indices in another part");
   glDeleteBuffers(1, &buffer);
   return good;
}

/* A buffer whose indices get larger: by a command, and by a new one, which may have the memory of the old one. */
static bool
draw_larger(bool new)
{
   GLuint buffer = make_indices(3, 1);

   begin();
   for (unsigned i = 0; i < SIZE / 2; i++) {
      draw(0, 1 << 3);
      if (new) {
         glDeleteBuffers(1, &buffer);
         buffer = make_indices(OUTSIDE, 1);
      } else {
         write_outside(0);
      }
      draw(0, 0);
      glDeleteBuffers(1, &buffer);
      buffer = make_indices(3, 1);
   }
   const bool good = end(new ? "larger indices in a new buffer" : "larger indices in a buffer");
   glDeleteBuffers(1, &buffer);
   return good;
}

/* The same by another context. */
static bool
draw_others(EGLDisplay display, EGLContext ours, EGLContext other)
{
   const GLuint buffer = make_indices(2, 1);

   begin();
   draw(0, 1 << 2);
   make_current(display, other);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
   write_outside(0);
   glFinish();
   make_current(display, ours);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
   draw(0, 0);
   const bool good = end("larger indices by another context");
   glDeleteBuffers(1, &buffer);
   return good;
}

/* The CPU writes while the buffer is mapped. */
static bool
draw_mapped(void)
{
   const GLbitfield flags = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
   GLuint buffer;

   begin();
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
   glBufferStorage(GL_ELEMENT_ARRAY_BUFFER, CORNERS * sizeof(uint16_t), NULL, flags);
   uint16_t *map = glMapBufferRange(GL_ELEMENT_ARRAY_BUFFER, 0, CORNERS * sizeof(uint16_t), flags);
   CHECK(map);
   for (unsigned i = 0; i < SIZE; i++) {
      column_indices(map, i % 2 ? OUTSIDE : i);
      draw(0, i % 2 ? 0 : 1 << i);
      glFinish();
   }
   const bool good = end("a buffer that stays mapped");
   glDeleteBuffers(1, &buffer);
   return good;
}

int
main(void)
{
   EGLDisplay display = open_display();
   EGLContext context = new_context(display, EGL_NO_CONTEXT), other = new_context(display, context);

   make_current(display, context);
   make_target(SIZE, SIZE, false);
   make_columns();
   const bool good = draw_parts() & draw_both() & draw_larger(false) & draw_larger(true) &
                     draw_others(display, context, other) & draw_mapped();
   CHECK(glGetError() == GL_NO_ERROR);
   eglTerminate(display);
   return good ? 0 : 1;
}
