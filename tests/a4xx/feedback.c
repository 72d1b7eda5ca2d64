/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * a4xx-feedback: draws every kind of primitive with transform feedback, with and without indices, restarts and instances, into
 * buffers with and without room, and prints what is captured, so that two implementations can be compared.  "same" says that the
 * picture is that of the draw without transform feedback.  Exit status 77: no OpenGL 3.1 here.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"


#define PRIMITIVE_RESTART 0x8f9d
#define RESTART 0xffff
#define SIZE 32
#define COUNT 12
#define COLUMNS 4
#define ROOM 200

static const char vertex_source[] = "#version 140\n"
                                    "in vec2 place; out vec2 at; flat out ivec2 ids;\n"
                                    "void main() {\n"
                                    "   gl_Position = vec4(place + float(gl_InstanceID) * 0.25, 0.0, 1.0);\n"
                                    "   at = place;\n"
                                    "   ids = ivec2(gl_VertexID, gl_InstanceID);\n"
                                    "}\n";
static const char fragment_source[] = "#version 140\n"
                                      "flat in ivec2 ids; in vec2 at; out vec4 color;\n"
                                      "void main() { color = vec4(vec2(ids) * 0.06, at); }\n";

static const struct {
   GLenum mode, captured;
   unsigned corners;
   const char *name;
} kinds[] = {
   { GL_POINTS, GL_POINTS, 1, "points" },
   { GL_LINES, GL_LINES, 2, "lines" },
   { GL_LINE_STRIP, GL_LINES, 2, "line strip" },
   { GL_LINE_LOOP, GL_LINES, 2, "line loop" },
   { GL_TRIANGLES, GL_TRIANGLES, 3, "triangles" },
   { GL_TRIANGLE_STRIP, GL_TRIANGLES, 3, "triangle strip" },
   { GL_TRIANGLE_FAN, GL_TRIANGLES, 3, "triangle fan" },
};

/* No primitive has a vertex twice, but neighbours share them. */
static const GLushort indices[][COUNT] = {
   { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },
   { 7, 2, 5, 0, 2, 5, 7, 1, 2, 9, 7, 3 },
   { 3, 4, 5, RESTART, 5, 4, 6, 3, RESTART, 8, RESTART, 9 },
};

static void
create_targets(void)
{
   GLuint array;

   create_context(EGL_OPENGL_API, 1);
   glGenVertexArrays(1, &array);
   glBindVertexArray(array);
   create_color_target(SIZE);
}

static void
create_program(void)
{
   static const char *const captured[] = { "at", "ids" };
   const char *sources[] = { vertex_source, fragment_source };
   GLuint program = glCreateProgram();
   GLint good;
   for (unsigned i = 0; i < 2; i++) {
      GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
      glShaderSource(shader, 1, &sources[i], NULL);
      glCompileShader(shader);
      glAttachShader(program, shader);
   }
   glTransformFeedbackVaryings(program, 2, captured, GL_INTERLEAVED_ATTRIBS);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &good);
   if (!good)
      exit(1);
   glUseProgram(program);
   GLfloat data[COUNT * 2];
   for (unsigned i = 0; i < COUNT * 2; i++)
      data[i] = (i * 37 % 64) / 32.0f - 1;
   GLuint buffers[3];
   glGenBuffers(3, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(data), data, GL_STATIC_DRAW);
   glVertexAttribPointer(glGetAttribLocation(program, "place"), 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(glGetAttribLocation(program, "place"));
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices, GL_STATIC_DRAW);
   glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[2]);
   glEnable(PRIMITIVE_RESTART);
   ((void (*)(GLuint))eglGetProcAddress("glPrimitiveRestartIndex"))(RESTART);
}

static void
draw(GLenum mode, int list, unsigned instances)
{
   if (list < 0)
      glDrawArraysInstanced(mode, 1, COUNT - 2, instances);
   else
      glDrawElementsInstanced(mode, COUNT, GL_UNSIGNED_SHORT, (void *)(list * sizeof(indices[0])), instances);
}

static void
read_picture(GLubyte *pixels)
{
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   glClear(GL_COLOR_BUFFER_BIT);
}

static void
print_case(unsigned kind, int list, unsigned instances, unsigned room)
{
   static GLubyte pixels[2][SIZE * SIZE * 4];
   static GLint empty[ROOM * COLUMNS];
   GLuint query, primitives;
   draw(kinds[kind].mode, list, instances);
   read_picture(pixels[0]);
   memset(empty, 0x55, sizeof(empty));
   glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof(empty), empty, GL_STATIC_READ);
   GLint buffer;
   glGetIntegerv(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, &buffer);
   glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer, 0, room * COLUMNS * 4);
   glGenQueries(1, &query);
   glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
   glBeginTransformFeedback(kinds[kind].captured);
   draw(kinds[kind].mode, list, instances);
   draw(kinds[kind].mode, -1, 1);
   glEndTransformFeedback();
   glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &primitives);
   glClear(GL_COLOR_BUFFER_BIT);
   glBeginTransformFeedback(kinds[kind].captured);
   draw(kinds[kind].mode, list, instances);
   glEndTransformFeedback();
   read_picture(pixels[1]);
   const GLint *data = glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(empty), GL_MAP_READ_BIT);
   printf("%s, list %d, %u instances, room for %u: %u primitives, %s:", kinds[kind].name, list, instances, room, primitives,
          memcmp(pixels[0], pixels[1], sizeof(pixels[0])) ? "other" : "same");
   for (unsigned i = 0; i < ROOM; i++) {
      const GLint *v = data + i * COLUMNS;
      if (v[2] != empty[0] || v[3] != empty[0])
         printf(" %u=%d/%d/%x", i, v[2], v[3], v[0] ^ v[1]);
   }
   puts("");
   glUnmapBuffer(GL_TRANSFORM_FEEDBACK_BUFFER);
}

int
main(void)
{
   static const unsigned rooms[] = { ROOM, 25, 7, 1 };
   create_targets();
   create_program();
   glClear(GL_COLOR_BUFFER_BIT);
   for (unsigned kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
      for (int list = -1; list < 3; list++) {
         for (unsigned instances = 1; instances <= 3; instances += 2) {
            for (unsigned room = 0; room < sizeof(rooms) / sizeof(*rooms); room++)
               print_case(kind, list, instances, rooms[room]);
         }
      }
   }
   return glGetError() != 0;
}
