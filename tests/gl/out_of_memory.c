/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * out_of_memory: memory ends in each call that needs some, and the application goes on.
 *
 * For each row of the table all memory is taken first.  The row's object is made, which fails, or draws need memory that is
 * not there; whatever happens, the application draws.  Where OpenGL knows that memory ended, it must say so
 * (GL_OUT_OF_MEMORY); a lookup without a texture reads (0, 0, 0, 1); a draw is right, or who reads the target gets the error.
 * When memory is free again, the same is right.  In strict mode nothing that the engine reads may be unset.
 *
 * Arguments: names of rows; none: all.
 */

#include "opengl.h"

#define SIZE 32           /* of the target */
#define LARGE 512         /* of what does not fit any more */
#define MAX_FILLERS 10000
#define MANY_VERTICES 300000

enum says {
   NOW,        /* the call that made the object has the error */
   INCOMPLETE, /* it has, or the framebuffer is incomplete: Mesa does not tell renderbuffers (docs/buffers-and-faults.md) */
   LATER,      /* it has, or the draw is right, or reading what it drew has */
   NEVER,      /* all is right: such draws get memory that was set aside */
};

static uint8_t texels[LARGE * LARGE * 4]; /* all green */
static GLuint fillers[MAX_FILLERS];
static unsigned num_fillers;
static GLuint textured, coloured, constant, cube_program, volume_program;

/* --- memory --- */

static void
take_all_memory(void)
{
   glActiveTexture(GL_TEXTURE7);
   for (unsigned size = 1024; size >= 16;) {
      CHECK(num_fillers < MAX_FILLERS);
      glGenTextures(1, &fillers[num_fillers]);
      glBindTexture(GL_TEXTURE_2D, fillers[num_fillers++]);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      if (glGetError())
         size /= 2;
   }
   glBindTexture(GL_TEXTURE_2D, 0);
   glActiveTexture(GL_TEXTURE0);
}

static void
free_memory(void)
{
   glDeleteTextures(num_fillers, fillers);
   num_fillers = 0;
   glFinish();
}

/* --- objects --- */

static GLuint object;

static void make_texture(void) { object = filtered_texture(GL_TEXTURE_2D, GL_NEAREST); }

static void
image(GLenum target, unsigned level, unsigned size, const void *data)
{
   glTexImage2D(target, level, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, data);
}

static void delete_texture(void) { glDeleteTextures(1, &object); }

static void
draw_corners(void)
{
   glBegin(GL_TRIANGLES);
   glTexCoord2f(0, 0), glVertex2f(-1, -1);
   glTexCoord2f(2, 0), glVertex2f(3, -1);
   glTexCoord2f(0, 2), glVertex2f(-1, 3);
   glEnd();
}

static void
draw_with(GLuint program)
{
   glUseProgram(program);
   draw_corners();
}

static void draw_textured(void) { draw_with(textured); }
static void draw_cube(void) { draw_with(cube_program); }
static void draw_volume(void) { draw_with(volume_program); }

static void
make_2d(void)
{
   make_texture();
   image(GL_TEXTURE_2D, 0, LARGE, texels);
}

static void
make_2d_without_texels(void)
{
   make_texture();
   image(GL_TEXTURE_2D, 0, LARGE, NULL);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, LARGE, LARGE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

static void
make_with_level_missing(void)
{
   make_texture();
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   for (unsigned level = 0; LARGE >> level; level++)
      image(GL_TEXTURE_2D, level, LARGE >> level, texels);
}

static void
make_mipmaps(void)
{
   make_texture();
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   image(GL_TEXTURE_2D, 0, LARGE, texels);
   glGenerateMipmap(GL_TEXTURE_2D);
}

static GLuint small_one;

/* A texture that was there before. */
static void
prepare_small(void)
{
   make_texture();
   image(GL_TEXTURE_2D, 0, 16, texels);
   small_one = object;
   draw_textured();
}

static void
use_small(void)
{
   object = small_one;
   glBindTexture(GL_TEXTURE_2D, object);
}

static void
make_larger(void)
{
   use_small();
   image(GL_TEXTURE_2D, 0, LARGE, texels);
}

/* The target is green. */
static void
make_copy(void)
{
   clear_color(0, 1, 0, 1);
   make_texture();
   glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 0, 0, SIZE, SIZE, 0);
}

static void
make_rectangle(void)
{
   make_texture();
   glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE_ALPHA, LARGE, LARGE / 2, 0, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, texels);
   image(GL_TEXTURE_2D, 0, LARGE, texels);
}

static void
make_cube(void)
{
   object = filtered_texture(GL_TEXTURE_CUBE_MAP, GL_NEAREST);
   for (unsigned i = 0; i < 6; i++)
      image(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, 0, LARGE / 4, texels);
}

static void
make_volume(void)
{
   object = filtered_texture(GL_TEXTURE_3D, GL_NEAREST);
   glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA, 64, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

static void
make_in_second_unit(void)
{
   glActiveTexture(GL_TEXTURE1);
   make_2d();
   glActiveTexture(GL_TEXTURE0);
   glUseProgram(textured);
   glUniform1i(glGetUniformLocation(textured, "s"), 1);
}

static void
delete_in_second_unit(void)
{
   delete_texture();
   glUseProgram(textured);
   glUniform1i(glGetUniformLocation(textured, "s"), 0);
}

/* --- textures that are sampled by way of a copy --- */

static void
prepare_other_size(void)
{
   make_texture();
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 300, 200, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   small_one = object;
}

static void
use_other_size(void)
{
   use_small();
   set_filters(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
}

/* Its texels are 1. */
static void
prepare_depth(void)
{
   static uint16_t depth[300 * 200];

   memset(depth, 0xff, sizeof(depth));
   make_texture();
   glTexParameteri(GL_TEXTURE_2D, GL_DEPTH_TEXTURE_MODE, GL_ALPHA);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT16, 300, 200, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, depth);
   small_one = object;
}

static void
draw_depth(void)
{
   glUseProgram(textured);
   clear_color(0, 1, 0, 1);
   glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
   draw_corners();
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

/* --- buffers --- */

static const float corners[] = {-1, -1, 3, -1, -1, 3};

static void
make_buffer(GLenum target, unsigned size, const void *data, unsigned bytes)
{
   object = filled_buffer(target, size, NULL, GL_STATIC_DRAW);
   glBufferSubData(target, 0, bytes, data);
}

static void make_vertices(void) { make_buffer(GL_ARRAY_BUFFER, LARGE * LARGE, corners, sizeof(corners)); }

/* Corners, of the client or of a buffer. */
static void
use_vertices(GLuint program, GLuint buffer)
{
   glUseProgram(program);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   use_floats(0, 2, buffer ? NULL : corners);
}

static void
draw_vertices(void)
{
   use_vertices(coloured, object);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
}

static void
make_indices(void)
{
   static const uint16_t indices[] = {0, 1, 2};

   make_buffer(GL_ELEMENT_ARRAY_BUFFER, LARGE * LARGE, indices, sizeof(indices));
}

static void
draw_indices(void)
{
   use_vertices(coloured, 0);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, object);
   glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, NULL);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
}

static void delete_buffer(void) { glDeleteBuffers(1, &object); }

/* --- streams --- */

static void draw_client_vertices(void) { use_vertices(coloured, 0), glDrawArrays(GL_TRIANGLES, 0, 3); }

/* The last triangle is the one that is seen. */
static void
draw_many_client_vertices(void)
{
   static float vertices[MANY_VERTICES][4];

   for (unsigned i = 0; i < MANY_VERTICES; i++)
      vertices[i][3] = 1;
   for (unsigned i = 0; i < 3; i++)
      memcpy(vertices[MANY_VERTICES - 3 + i], &corners[2 * i], 2 * sizeof(float));
   use_vertices(coloured, 0);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, vertices);
   glDrawArrays(GL_TRIANGLES, 0, MANY_VERTICES);
}

static void
draw_client_indices(void)
{
   static const uint32_t indices[] = {0, 1, 2};

   use_vertices(coloured, 0);
   glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_INT, indices);
}

/* An attribute that is the same for all vertices, another one in each draw. */
static void
draw_constant(void)
{
   use_vertices(constant, 0);
   for (unsigned i = 0; i < 20000; i++) {
      glVertexAttrib4f(1, 0, i / 19999.0f, 0, 1);
      glDrawArrays(GL_TRIANGLES, 0, 3);
   }
}

static void
draw_immediately(void)
{
   glUseProgram(coloured);
   for (unsigned i = 0; i < 1000; i++)
      draw_corners();
}

static void
draw_flat_points(void)
{
   glUseProgram(0);
   glColor4f(0, 1, 0, 1);
   glPointSize(60);
   glBegin(GL_POINTS);
   glVertex2f(0, 0);
   glEnd();
   glPointSize(1);
}

/* Mesa's draw module makes the vertices. */
static void
draw_lines(void)
{
   glUseProgram(0);
   glColor4f(0, 1, 0, 1);
   glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
   glLineWidth(10);
   for (unsigned i = 0; i < 8; i++)
      glRectf(-0.25f * i, -0.25f * i, 0.25f * i, 0.25f * i);
   glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
   glLineWidth(1);
}

static void
draw_pixels(void)
{
   glUseProgram(0);
   glRasterPos2f(-1, -1);
   glDrawPixels(SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

/* --- programs --- */

static void
draw_once(const char *vertex, const char *fragment)
{
   const GLuint program = make_program(vertex, fragment, NULL);

   draw_with(program);
   glUseProgram(0);
   glDeleteProgram(program);
}

static void
draw_new_program(void)
{
   draw_once("void main() { gl_Position = gl_Vertex; }", "void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }");
}

/* More than the chip has room for. */
static void
draw_parts(void)
{
   char text[8000], *p = text;

   p += sprintf(p, "varying vec4 a; void main() { vec3 s = vec3(0.0);\n");
   for (unsigned i = 0; i < 34; i++)
      p += sprintf(p, "s += vec3(%u.0, 0.0, 1.0) * inversesqrt(dot(a.xyz, a.xyz) + %u.5) * max(a.y, %u.0);\n", i, i, i + 2);
   sprintf(p, "gl_FragColor = vec4(min(s.y, 0.0), max(s.x, 1.0), 0.0, 1.0); }");
   draw_once("varying vec4 a; void main() { gl_Position = a = gl_Vertex; }", text);
}

static void
count_samples(void)
{
   GLuint query, count;

   glGenQueries(1, &query);
   glBeginQuery(GL_SAMPLES_PASSED, query);
   draw_immediately();
   glEndQuery(GL_SAMPLES_PASSED);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &count);
   glDeleteQueries(1, &query);
}

/* --- targets --- */

static GLuint framebuffer, target;
static bool is_complete;

static void
make_target_of(GLenum format, unsigned samples)
{
   glGenRenderbuffers(1, &object);
   glBindRenderbuffer(GL_RENDERBUFFER, object);
   if (samples)
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, LARGE, LARGE);
   else
      glRenderbufferStorage(GL_RENDERBUFFER, format, LARGE, LARGE);
   glGenFramebuffers(1, &framebuffer);
}

static void make_color(void) { make_target_of(GL_RGBA8, 0); }
static void make_samples(void) { make_target_of(GL_RGBA8, 4); }
static void make_depth(void) { make_target_of(GL_DEPTH_COMPONENT16, 0); }
static void make_depth_stencil(void) { make_target_of(GL_DEPTH24_STENCIL8, 0); }

/* Into what was made, if that is a target; and into the one that is looked at. */
static void
draw_to(GLenum attachment)
{
   glUseProgram(coloured);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, object);
   if (attachment != GL_COLOR_ATTACHMENT0)
      glDrawBuffer(GL_NONE);
   is_complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
   if (is_complete) {
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      draw_corners();
   }
   glBindFramebuffer(GL_FRAMEBUFFER, target);
   draw_corners();
}

static void draw_to_color(void) { draw_to(GL_COLOR_ATTACHMENT0); }
static void draw_to_depth(void) { draw_to(GL_DEPTH_ATTACHMENT); }
static void draw_to_depth_stencil(void) { draw_to(GL_DEPTH_STENCIL_ATTACHMENT); }

static void
delete_target(void)
{
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteRenderbuffers(1, &object);
}

static const struct row {
   const char *name;
   enum says says;
   bool missing; /* without memory the texture is not there */
   void (*prepare)(void);
   void (*make)(void);
   void (*draw)(void);
   void (*end)(void);
} rows[] = {
   {"texture", NOW, true, NULL, make_2d, draw_textured, delete_texture},
   {"texture without texels", NOW, true, NULL, make_2d_without_texels, draw_textured, delete_texture},
   {"texture of the second unit", NOW, true, NULL, make_in_second_unit, draw_textured, delete_in_second_unit},
   {"levels", NOW, true, NULL, make_with_level_missing, draw_textured, delete_texture},
   {"generated levels", NOW, true, NULL, make_mipmaps, draw_textured, delete_texture},
   {"larger than before", NOW, true, prepare_small, make_larger, draw_textured, delete_texture},
   {"copy of the target", NOW, true, NULL, make_copy, draw_textured, delete_texture},
   {"another format before", NOW, true, NULL, make_rectangle, draw_textured, delete_texture},
   {"cube", NOW, true, NULL, make_cube, draw_cube, delete_texture},
   {"volume", NOW, true, NULL, make_volume, draw_volume, delete_texture},
   {"repetition of another size", LATER, false, prepare_other_size, use_other_size, draw_textured, delete_texture},
   {"depth as a texture", LATER, false, prepare_depth, use_small, draw_depth, delete_texture},
   {"vertices", NOW, false, NULL, make_vertices, draw_vertices, delete_buffer},
   {"indices", NOW, false, NULL, make_indices, draw_indices, delete_buffer},
   {"client vertices", NEVER, false, NULL, NULL, draw_client_vertices, NULL},
   {"many client vertices", LATER, false, NULL, NULL, draw_many_client_vertices, NULL},
   {"client indices", NEVER, false, NULL, NULL, draw_client_indices, NULL},
   {"constant attributes", NEVER, false, NULL, NULL, draw_constant, NULL},
   {"immediate mode", NEVER, false, NULL, NULL, draw_immediately, NULL},
   {"large points", NEVER, false, NULL, NULL, draw_flat_points, NULL},
   {"outlines", LATER, false, NULL, NULL, draw_lines, NULL},
   {"pixels", LATER, false, NULL, NULL, draw_pixels, NULL},
   {"program", NEVER, false, NULL, NULL, draw_new_program, NULL},
   {"program in parts", LATER, false, NULL, NULL, draw_parts, NULL},
   {"counted samples", LATER, false, NULL, NULL, count_samples, NULL},
   {"colour buffer", INCOMPLETE, false, NULL, make_color, draw_to_color, delete_target},
   {"four samples", INCOMPLETE, false, NULL, make_samples, draw_to_color, delete_target},
   {"depth buffer", INCOMPLETE, false, NULL, make_depth, draw_to_depth, delete_target},
   {"depth and stencil", INCOMPLETE, false, NULL, make_depth_stencil, draw_to_depth_stencil, delete_target},
};

/* --- the walk --- */

struct result {
   GLenum made, drawn, read;
   uint8_t pixel[4];
};

static GLenum
first_error(void)
{
   const GLenum first = glGetError();

   while (glGetError())
      ;
   return first;
}

static struct result
make_and_draw(const struct row *row)
{
   struct result r = {0};

   if (row->make)
      row->make();
   r.made = first_error();
   clear_color(1, 0, 0, 1);
   row->draw();
   glDisableVertexAttribArray(0);
   r.drawn = first_error();
   glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, r.pixel);
   r.read = first_error();
   return r;
}

static bool
is_color(const struct result *r, uint8_t red, uint8_t green)
{
   return r->pixel[0] == red && r->pixel[1] == green && r->pixel[2] == 0 && r->pixel[3] == 255;
}

static bool is_oom(GLenum error) { return error == GL_OUT_OF_MEMORY; }

/* A kernel may free late: where memory comes between the call and the draw, Mesa takes it for the texture, which is empty. */
static bool is_new_memory(const struct result *r) { return !r->pixel[0] && !r->pixel[1] && !r->pixel[2] && !r->pixel[3]; }

/* What was told, or seen, without memory. */
static bool
is_honest(const struct row *row, const struct result *r)
{
   const bool green = is_color(r, 0, 255);

   switch (row->says) {
   case NOW:
      return is_oom(r->made) && (!row->missing || is_oom(r->read) || is_color(r, 0, 0) || is_new_memory(r));
   case INCOMPLETE:
      return is_oom(r->made) || !is_complete;
   case LATER:
      return green || is_oom(r->drawn) || is_oom(r->read);
   default:
      return green && !r->drawn && !r->read;
   }
}

static bool
run(const struct row *row)
{
   struct result without;

   /* A kernel may free late: then there is memory after all, the object is right, and nothing can tell an error. */
   for (unsigned i = 0; i < 8; i++) {
      if (row->prepare)
         row->prepare();
      take_all_memory();
      without = make_and_draw(row);
      if (row->says != NOW || without.made || !is_color(&without, 0, 255))
         break;
      row->end();
      free_memory();
   }
   const bool honest = is_honest(row, &without);
   free_memory();
   first_error();
   if (row->end && !row->prepare)
      row->end();
   const struct result with = make_and_draw(row);
   if (row->end)
      row->end();
   const bool right = is_color(&with, 0, 255) && !with.made && !with.drawn && !with.read;
   printf("%-28s without %3x %3x %3x %02x%02x%02x%02x, with %3x %3x %3x %02x%02x%02x%02x%s%s\n", row->name, without.made,
          without.drawn, without.read, without.pixel[0], without.pixel[1], without.pixel[2], without.pixel[3], with.made,
          with.drawn, with.read, with.pixel[0], with.pixel[1], with.pixel[2], with.pixel[3], honest ? "" : "  NO ERROR",
          right ? "" : "  WRONG");
   return honest && right;
}

static void
make_programs(void)
{
   static const char plain[] = "void main() { gl_Position = gl_Vertex; gl_TexCoord[0] = gl_MultiTexCoord0; }";

   textured = make_program(plain, "uniform sampler2D s; void main() { gl_FragColor = texture2D(s, gl_TexCoord[0].xy); }", NULL);
   cube_program = make_program(plain, "uniform samplerCube s;\n"
                                      "void main() { gl_FragColor = textureCube(s, vec3(gl_TexCoord[0].xy, 1.0)); }", NULL);
   volume_program = make_program(plain, "uniform sampler3D s;\n"
                                        "void main() { gl_FragColor = texture3D(s, gl_TexCoord[0].xyz); }", NULL);
   coloured = make_program(plain, "void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }", NULL);
   constant = make_program("attribute vec4 p, c; varying vec4 v; void main() { gl_Position = p; v = c; }",
                           "varying vec4 v; void main() { gl_FragColor = v; }", "p c");
}

int
main(int argc, char **argv)
{
   bool ok = true;

   for (unsigned i = 0; i < sizeof(texels); i++)
      texels[i] = i % 2 ? 255 : 0;
   setvbuf(stdout, NULL, _IOLBF, 0);
   open_target(SIZE, SIZE, false);
   glGetIntegerv(GL_FRAMEBUFFER_BINDING, (GLint *)&target);
   make_programs();
   for (unsigned i = 0; i < COUNT(rows); i++) {
      if (is_chosen(rows[i].name, argc, argv))
         ok &= run(&rows[i]);
   }
   return !ok;
}
