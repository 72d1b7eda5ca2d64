/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What it exercises: index and vertex buffers, uniforms and matrices, a mipmapped repeating texture and a clamped one
 * whose size is no power of two, per-vertex and per-pixel lighting with special functions, depth test and writes,
 * culling, source-over and additive blending of objects drawn back to front, programs changing within a frame.
 */

#include <math.h>
#include <stdlib.h>

#include "egl_context.h"
#include "geometry.h"
#include "scene.h"

enum program_id { SKY, TEXTURED, SHINY, GLASS, GLOW, NUM_PROGRAMS };

struct program {
   GLuint id;
   GLint position, normal, texcoord;
   GLint mvp, model, color, texture;
};

struct scene {
   struct program programs[NUM_PROGRAMS];
   struct mesh cube, ground, quad, torus;
   GLuint tiles, crate;
   float view[16], projection[16];
};

#define VS_HEADER                                                                                                      \
   "attribute vec3 position;\n"                                                                                        \
   "attribute vec3 normal;\n"                                                                                          \
   "attribute vec2 texcoord;\n"                                                                                        \
   "uniform mat4 mvp;\n"                                                                                               \
   "uniform mat4 model;\n"

static const char *const sources[NUM_PROGRAMS][2] = {
   [SKY] = { VS_HEADER
      "varying vec3 sky;\n"
      "void main() {\n"
      "   gl_Position = vec4(position.xy, 0.999, 1.0);\n"
      "   sky = mix(vec3(0.75, 0.82, 0.90), vec3(0.20, 0.35, 0.65), texcoord.y);\n"
      "}\n",
      "precision mediump float;\n"
      "varying vec3 sky;\n"
      "void main() { gl_FragColor = vec4(sky, 1.0); }\n" },
   [TEXTURED] = { VS_HEADER
      "varying vec2 st;\n"
      "varying vec3 light;\n"
      "void main() {\n"
      "   gl_Position = mvp * vec4(position, 1.0);\n"
      "   vec3 n = normalize((model * vec4(normal, 0.0)).xyz);\n"
      "   float diffuse = max(dot(n, normalize(vec3(0.4, 0.8, 0.45))), 0.0);\n"
      "   light = vec3(0.30, 0.32, 0.36) + diffuse * vec3(0.70, 0.66, 0.58);\n"
      "   st = texcoord;\n"
      "}\n",
      "precision mediump float;\n"
      "uniform sampler2D texture;\n"
      "varying vec2 st;\n"
      "varying vec3 light;\n"
      "void main() { gl_FragColor = texture2D(texture, st) * vec4(light, 1.0); }\n" },
   [SHINY] = { VS_HEADER
      "varying vec3 n;\n"
      "varying vec3 eye;\n"
      "void main() {\n"
      "   gl_Position = mvp * vec4(position, 1.0);\n"
      "   n = (model * vec4(normal, 0.0)).xyz;\n"
      "   eye = vec3(0.0, 3.0, 9.0) - (model * vec4(position, 1.0)).xyz;\n"
      "}\n",
      "precision mediump float;\n"
      "uniform vec4 color;\n"
      "varying vec3 n;\n"
      "varying vec3 eye;\n"
      "void main() {\n"
      "   vec3 l = vec3(0.40, 0.80, 0.45);\n"
      "   vec3 m = normalize(n);\n"
      "   vec3 h = normalize(normalize(eye) + l);\n"
      "   float diffuse = max(dot(m, l), 0.0);\n"
      "   float highlight = pow(max(dot(m, h), 0.0), 24.0);\n"
      "   gl_FragColor = vec4(color.rgb * (0.25 + 0.75 * diffuse) + 0.6 * highlight, color.a);\n"
      "}\n" },
   [GLASS] = { VS_HEADER
      "varying vec2 st;\n"
      "void main() { gl_Position = mvp * vec4(position, 1.0); st = texcoord; }\n",
      "precision mediump float;\n"
      "uniform vec4 color;\n"
      "varying vec2 st;\n"
      "void main() {\n"
      "   vec2 rim = abs(st - 0.5) * 2.0;\n"
      "   float edge = smoothstep(0.75, 1.0, max(rim.x, rim.y));\n"
      "   gl_FragColor = vec4(color.rgb, mix(color.a, 0.9, edge));\n"
      "}\n" },
   [GLOW] = { VS_HEADER
      "varying vec2 st;\n"
      "void main() { gl_Position = mvp * vec4(position, 1.0); st = texcoord * 2.0 - 1.0; }\n",
      "precision mediump float;\n"
      "uniform vec4 color;\n"
      "varying vec2 st;\n"
      "void main() {\n"
      "   float d = 1.0 - dot(st, st);\n"
      "   if (d <= 0.0)\n"
      "      discard;\n"
      "   gl_FragColor = vec4(color.rgb * d * d, 1.0);\n"
      "}\n" },
};

static bool
build_program(struct program *program, const char *const source[2])
{
   program->id = test_program_create(source[0], source[1]);
   if (!program->id)
      return false;
   program->position = glGetAttribLocation(program->id, "position");
   program->normal = glGetAttribLocation(program->id, "normal");
   program->texcoord = glGetAttribLocation(program->id, "texcoord");
   program->mvp = glGetUniformLocation(program->id, "mvp");
   program->model = glGetUniformLocation(program->id, "model");
   program->color = glGetUniformLocation(program->id, "color");
   program->texture = glGetUniformLocation(program->id, "texture");
   return true;
}

struct scene *
scene_create(void)
{
   struct scene *scene = calloc(1, sizeof(*scene));
   for (unsigned i = 0; i < NUM_PROGRAMS; i++) {
      if (!build_program(&scene->programs[i], sources[i])) {
         scene_destroy(scene);
         return NULL;
      }
   }
   scene->cube = mesh_cube();
   scene->ground = mesh_ground(12, 6);
   scene->quad = mesh_quad();
   scene->torus = mesh_torus(1.3f, 0.5f, 48, 24);
   scene->tiles = texture_tiles(128);
   scene->crate = texture_crate(100, 76);
   return scene;
}

void
scene_destroy(struct scene *scene)
{
   const struct mesh *meshes[] = { &scene->cube, &scene->ground, &scene->quad, &scene->torus };
   for (unsigned i = 0; i < NUM_PROGRAMS; i++)
      glDeleteProgram(scene->programs[i].id);
   for (unsigned i = 0; i < 4; i++) {
      glDeleteBuffers(1, &meshes[i]->vertices);
      glDeleteBuffers(1, &meshes[i]->indices);
   }
   glDeleteTextures(1, &scene->tiles);
   glDeleteTextures(1, &scene->crate);
   free(scene);
}

static void
draw(struct scene *scene, enum program_id id, const struct mesh *mesh, const float *model, const float *color)
{
   const struct program *p = &scene->programs[id];
   float view_model[16], mvp[16];
   mat_mul(view_model, scene->view, model);
   mat_mul(mvp, scene->projection, view_model);
   glUseProgram(p->id);
   glUniformMatrix4fv(p->mvp, 1, GL_FALSE, mvp);
   glUniformMatrix4fv(p->model, 1, GL_FALSE, model);
   if (color)
      glUniform4fv(p->color, 1, color);
   glUniform1i(p->texture, 0);
   mesh_draw(mesh, p->position, p->normal, p->texcoord);
}

static void
draw_solids(struct scene *scene, float time)
{
   float m[16];
   mat_identity(m);
   glBindTexture(GL_TEXTURE_2D, scene->tiles);
   draw(scene, TEXTURED, &scene->ground, m, NULL);
   glBindTexture(GL_TEXTURE_2D, scene->crate);
   for (unsigned i = 0; i < 5; i++) {
      float angle = time * 0.4f + i * 2 * (float)M_PI / 5;
      mat_identity(m);
      mat_translate(m, 3.6f * cosf(angle), 0.8f + 0.3f * sinf(time + i), 3.6f * sinf(angle));
      mat_rotate(m, time + i, 0.3f, 1, 0.2f);
      mat_scale(m, 0.6f, 0.6f, 0.6f);
      draw(scene, TEXTURED, &scene->cube, m, NULL);
   }
   static const float gold[4] = { 0.85f, 0.60f, 0.20f, 1 };
   mat_identity(m);
   mat_translate(m, 0, 1.6f, 0);
   mat_rotate(m, time * 0.7f, 1, 0.4f, 0);
   draw(scene, SHINY, &scene->torus, m, gold);
}

/* Back to front along the view direction: the panes stand at fixed depths. */
static void
draw_blended(struct scene *scene, float time)
{
   static const float colors[3][4] = { { 0.9f, 0.2f, 0.2f, 0.35f }, { 0.2f, 0.8f, 0.3f, 0.35f }, { 0.2f, 0.4f, 0.9f, 0.35f } };
   float m[16];
   glEnable(GL_BLEND);
   glDepthMask(GL_FALSE);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   for (unsigned i = 0; i < 3; i++) {
      mat_identity(m);
      mat_translate(m, -2.2f + 2.2f * i + 0.4f * sinf(time * 1.3f + i), 1.3f, 1.0f + 1.4f * i);
      mat_scale(m, 0.8f, 1.0f, 1);
      draw(scene, GLASS, &scene->quad, m, colors[i]);
   }
   glBlendFunc(GL_ONE, GL_ONE);
   for (unsigned i = 0; i < 8; i++) {
      const float color[4] = { 0.35f, 0.25f + 0.02f * i, 0.10f, 1 };
      float angle = -time * 0.9f + i * (float)M_PI / 4;
      mat_identity(m);
      mat_translate(m, 2.4f * cosf(angle), 2.6f + 0.5f * sinf(2 * angle + time), 2.4f * sinf(angle));
      mat_scale(m, 0.45f, 0.45f, 1);
      draw(scene, GLOW, &scene->quad, m, color);
   }
   glDisable(GL_BLEND);
   glDepthMask(GL_TRUE);
}

void
scene_draw(struct scene *scene, unsigned width, unsigned height, float time)
{
   float m[16];
   mat_perspective(scene->projection, 0.9f, (float)width / height, 1.0f, 40.0f);
   mat_identity(scene->view);
   mat_rotate(scene->view, 0.2f, 1, 0, 0);
   mat_translate(scene->view, 0, -3.0f, -9.0f);

   glViewport(0, 0, width, height);
   glClearColor(0.1f, 0.1f, 0.1f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_CULL_FACE);
   glDisable(GL_DEPTH_TEST);
   mat_identity(m);
   draw(scene, SKY, &scene->quad, m, NULL);
   glEnable(GL_DEPTH_TEST);
   draw_solids(scene, time);
   glDisable(GL_CULL_FACE);
   draw_blended(scene, time);
}
