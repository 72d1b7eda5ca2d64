/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The driver as Gallium may call it, and OpenGL's front end does not: one piece of state changes from draw to draw and nothing
 * else is set again; resources leave the process without a flush; memory runs out in the middle.  On a chip and a kernel that
 * do nothing before they must (TEGRA20_SHIM_ADVERSARY, TEGRA20_SHIM_ASYNC).
 */

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"
#include "frontend/winsys_handle.h"
#include "pipe/p_context.h"
#include "pipe/p_screen.h"
#include "pipe/p_state.h"
#include "tegra20/tegra20_drm_public.h"
#include "tgsi/tgsi_text.h"
#include "util/u_inlines.h"
#include "util/u_upload_mgr.h"

#define SIZE 16

/* The first two components of the second attribute are exported on their own. */
#define VERTEX_PROGRAM(first, second)                                                                                              \
   "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL OUT[2], GENERIC[1]\n"                            \
   "MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]." first "\nMOV OUT[2], IN[1]." second "\nEND\n"
#define FRAGMENT_PROGRAM(varying)                                                                                                  \
   "FRAG\nDCL IN[0], GENERIC[" varying "], LINEAR\nDCL OUT[0], COLOR\nDCL CONST[0]\nMUL OUT[0], IN[0], CONST[0]\nEND\n"
static struct fixture {
   struct pipe_screen *screen;
   struct pipe_context *pipe;
   struct pipe_resource *target, *vertices;
   struct pipe_surface *surface;
   void *blend, *zsa, *rasterizer[3], *elements, *vs[2], *fs[2];
} f;

/* A triangle that covers everything, with the colours 1 and 0.2. */
static const float corners[3][8] = {
   {-1, -1, 0, 1, 1, 0.2f, 0, 1},
   {3, -1, 0, 1, 1, 0.2f, 0, 1},
   {-1, 3, 0, 1, 1, 0.2f, 0, 1},
};

static void *
make_program(struct pipe_context *pipe, bool vertex, const char *text)
{
   struct tgsi_token tokens[200];
   struct pipe_shader_state state;

   assert_true(tgsi_text_translate(text, tokens, 200));
   pipe_shader_state_from_tgsi(&state, tokens);
   return vertex ? pipe->create_vs_state(pipe, &state) : pipe->create_fs_state(pipe, &state);
}

static struct pipe_resource *
make_target(struct pipe_screen *screen, unsigned bind)
{
   const struct pipe_resource model = {.target = PIPE_TEXTURE_2D, .format = PIPE_FORMAT_B8G8R8A8_UNORM,
                                       .width0 = SIZE,
                                       .height0 = SIZE,
                                       .depth0 = 1,
                                       .array_size = 1,
                                       .bind = PIPE_BIND_RENDER_TARGET | PIPE_BIND_LINEAR | bind};

   return screen->resource_create(screen, &model);
}

static void
make_states(void)
{
   struct pipe_context *pipe = f.pipe;
   struct pipe_blend_state blend = {.rt[0].colormask = PIPE_MASK_RGBA};
   struct pipe_depth_stencil_alpha_state zsa = {0};
   struct pipe_vertex_element elements[2] = {
      {.src_offset = 0, .src_stride = sizeof(corners[0]), .src_format = PIPE_FORMAT_R32G32B32A32_FLOAT},
      {.src_offset = 16, .src_stride = sizeof(corners[0]), .src_format = PIPE_FORMAT_R32G32B32A32_FLOAT},
   };

   f.blend = pipe->create_blend_state(pipe, &blend);
   f.zsa = pipe->create_depth_stencil_alpha_state(pipe, &zsa);
   f.elements = pipe->create_vertex_elements_state(pipe, 2, elements);
   for (unsigned i = 0; i < 3; i++) {
      const struct pipe_rasterizer_state rasterizer = {.half_pixel_center = 1, .bottom_edge_rule = 1,
                                                       .scissor = i == 2,
                                                       .depth_clip_near = 1,
                                                       .depth_clip_far = 1,
                                                       .line_width = 1,
                                                       .point_size = i ? 40 : 1,
                                                       .point_quad_rasterization = 1,
                                                       .sprite_coord_enable = 1};
      f.rasterizer[i] = pipe->create_rasterizer_state(pipe, &rasterizer);
   }
   f.vs[0] = make_program(pipe, true, VERTEX_PROGRAM("xxxx", "yyyy"));
   f.vs[1] = make_program(pipe, true, VERTEX_PROGRAM("yyyy", "xxxx"));
   f.fs[0] = make_program(pipe, false, FRAGMENT_PROGRAM("0"));
   f.fs[1] = make_program(pipe, false, FRAGMENT_PROGRAM("1"));
}

static void
set_viewport(struct pipe_context *pipe, float x, float width)
{
   const struct pipe_viewport_state viewport = {.scale = {width / 2, SIZE / 2, 0.5f},
                                                .translate = {x + width / 2, SIZE / 2, 0.5f}};

   pipe->set_viewport_states(pipe, 0, 1, &viewport);
}

static void
set_vertices(void)
{
   struct pipe_vertex_buffer buffer = {0};

   pipe_resource_reference(&buffer.buffer.resource, f.vertices);
   f.pipe->set_vertex_buffers(f.pipe, 1, &buffer);
}

/* Everything that a draw needs, once. */
static void
set_states(void)
{
   struct pipe_context *pipe = f.pipe;
   struct pipe_framebuffer_state framebuffer = {.width = SIZE, .height = SIZE, .nr_cbufs = 1};
   const struct pipe_surface model = {.format = PIPE_FORMAT_B8G8R8A8_UNORM};

   f.surface = pipe->create_surface(pipe, f.target, &model);
   framebuffer.cbufs[0] = f.surface;
   pipe->set_framebuffer_state(pipe, &framebuffer);
   pipe->bind_blend_state(pipe, f.blend);
   pipe->bind_depth_stencil_alpha_state(pipe, f.zsa);
   pipe->bind_rasterizer_state(pipe, f.rasterizer[0]);
   pipe->bind_vertex_elements_state(pipe, f.elements);
   pipe->bind_vs_state(pipe, f.vs[0]);
   pipe->bind_fs_state(pipe, f.fs[0]);
   set_viewport(pipe, 0, SIZE);
   set_vertices();
}

SETUP
{
   const int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);

   assert_true(fd >= 0);
   f.screen = tegra20_drm_screen_create(fd);
   close(fd);
   assert_non_null(f.screen);
   f.pipe = f.screen->context_create(f.screen, NULL, 0);
   f.target = make_target(f.screen, 0);
   f.vertices = pipe_buffer_create_with_data(f.pipe, PIPE_BIND_VERTEX_BUFFER, PIPE_USAGE_DEFAULT, sizeof(corners), corners);
   assert_true(f.pipe && f.target && f.vertices);
   make_states();
   set_states();
}

TEARDOWN
{
   struct pipe_context *pipe = f.pipe;
   const struct pipe_framebuffer_state none = {0};

   pipe->set_framebuffer_state(pipe, &none);
   pipe->set_vertex_buffers(pipe, 0, NULL);
   pipe_surface_reference(&f.surface, NULL);
   pipe_resource_reference(&f.target, NULL);
   pipe_resource_reference(&f.vertices, NULL);
   for (unsigned i = 0; i < 2; i++) {
      pipe->delete_vs_state(pipe, f.vs[i]);
      pipe->delete_fs_state(pipe, f.fs[i]);
   }
   for (unsigned i = 0; i < 3; i++)
      pipe->delete_rasterizer_state(pipe, f.rasterizer[i]);
   pipe->delete_blend_state(pipe, f.blend);
   pipe->delete_depth_stencil_alpha_state(pipe, f.zsa);
   pipe->delete_vertex_elements_state(pipe, f.elements);
   pipe->destroy(pipe);
   f.screen->destroy(f.screen);
}

/* With the colours multiplied by this, state of the fragment program; 0: by what they were before. */
static void
draw(enum mesa_prim mode, float by)
{
   const float factors[4] = {by, by, by, by};
   const struct pipe_constant_buffer constants = {.buffer_size = sizeof(factors), .user_buffer = factors};
   const struct pipe_draw_info info = {.mode = mode, .instance_count = 1, .max_index = 2};
   const struct pipe_draw_start_count_bias range = {.count = 3};

   if (by)
      f.pipe->set_constant_buffer(f.pipe, PIPE_SHADER_FRAGMENT, 0, false, &constants);
   f.pipe->draw_vbo(f.pipe, &info, 0, NULL, &range, 1);
}

/* Red at a place, in fifths. */
static unsigned
fifths(unsigned x, unsigned usage)
{
   struct pipe_transfer *transfer;
   const uint8_t *map = pipe_texture_map(f.pipe, f.target, 0, 0, PIPE_MAP_READ | usage, 0, 0, SIZE, SIZE, &transfer);

   assert_non_null(map);
   const unsigned red = map[8 * transfer->stride + 4 * x + 2];
   pipe_texture_unmap(f.pipe, transfer);
   return (red + 25) / 51;
}

/* --- one change ------------------------------------------------------------------------------------------------------ */

TEST(programs)
{
   draw(MESA_PRIM_TRIANGLES, 1);
   f.pipe->bind_vs_state(f.pipe, f.vs[1]);
   draw(MESA_PRIM_TRIANGLES, 1);
   assert_int_equal(fifths(8, 0), 1);
   f.pipe->bind_fs_state(f.pipe, f.fs[1]);
   draw(MESA_PRIM_TRIANGLES, 1);
   assert_int_equal(fifths(8, 0), 5);
}

TEST(viewport)
{
   set_viewport(f.pipe, 0, SIZE / 4);
   draw(MESA_PRIM_TRIANGLES, 1);
   set_viewport(f.pipe, SIZE / 2, SIZE / 2);
   draw(MESA_PRIM_TRIANGLES, 0.6f);
   assert_int_equal(fifths(1, 0), 5);
   assert_int_equal(fifths(12, 0), 3);
}

/* The size of points that the vertex program makes triangles of; that in the corner reaches over the whole target. */
TEST(rasterizer)
{
   draw(MESA_PRIM_TRIANGLES, 1);
   draw(MESA_PRIM_POINTS, 0.6f);
   f.pipe->bind_rasterizer_state(f.pipe, f.rasterizer[1]);
   draw(MESA_PRIM_POINTS, 0.2f);
   assert_int_equal(fifths(8, 0), 1);
}

/* The size is a constant of the vertex program.  One draw is of small points, the next one of large ones that the scissor cuts
 * away: with the constants of the second one the first one would be seen. */
TEST(upload)
{
   const struct pipe_scissor_state corner = {.maxx = 1, .maxy = 1};

   f.pipe->set_scissor_states(f.pipe, 0, 1, &corner);
   draw(MESA_PRIM_TRIANGLES, 1);
   draw(MESA_PRIM_POINTS, 0.6f);
   f.pipe->bind_rasterizer_state(f.pipe, f.rasterizer[2]);
   draw(MESA_PRIM_POINTS, 0);
   assert_int_equal(fifths(8, 0), 5);
}

/* A sampler without a texture reads opaque black. */
TEST(no_texture)
{
   void *fs = make_program(f.pipe, false,
                           "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n"
                           "DCL TEMP[0]\nTEX TEMP[0], IN[0], SAMP[0], 2D\nADD OUT[0], TEMP[0].wwww, -TEMP[0].xyzx\nEND\n");
   f.pipe->bind_fs_state(f.pipe, fs);
   draw(MESA_PRIM_TRIANGLES, 0);
   assert_int_equal(fifths(8, 0), 5);
   f.pipe->bind_fs_state(f.pipe, f.fs[0]);
   f.pipe->delete_fs_state(f.pipe, fs);
}

/* --- who looks -------------------------------------------------------------------------------------------------------- */

/* What was drawn is there for the one who gets the memory, although nobody flushed. */
TEST(export)
{
   struct winsys_handle handle = {.type = WINSYS_HANDLE_TYPE_FD};

   draw(MESA_PRIM_TRIANGLES, 0.6f);
   assert_true(f.screen->resource_get_handle(f.screen, f.pipe, f.target, &handle, 0));
   const uint8_t *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, handle.handle, 0);
   assert_true(map != MAP_FAILED);
   assert_int_equal((map[handle.offset + 8 * handle.stride + 4 * 8 + 2] + 25) / 51, 3);
   munmap((void *)map, 4096);
   close(handle.handle);
}

/* The time of a draw is known when the draw is over. */
TEST(time)
{
   struct pipe_query *query = f.pipe->create_query(f.pipe, PIPE_QUERY_TIME_ELAPSED, 0);
   union pipe_query_result result;

   assert_non_null(query);
   f.pipe->begin_query(f.pipe, query);
   draw(MESA_PRIM_TRIANGLES, 0.6f);
   f.pipe->end_query(f.pipe, query);
   assert_true(f.pipe->get_query_result(f.pipe, query, true, &result));
   assert_int_equal(fifths(8, PIPE_MAP_UNSYNCHRONIZED), 3);
   f.pipe->destroy_query(f.pipe, query);
}

/* --- no memory -------------------------------------------------------------------------------------------------------- */

#define MAX_BUFFERS 4096

/* Takes all that is left, in pieces down to a page. */
static unsigned
use_up(struct pipe_screen *screen, struct pipe_resource **buffers)
{
   unsigned count = 0;

   for (unsigned size = 256 << 20; size >= 4096; size /= 2)
      while (count < MAX_BUFFERS &&
             (buffers[count] = pipe_buffer_create(screen, PIPE_BIND_VERTEX_BUFFER, PIPE_USAGE_DEFAULT, size)))
         count++;
   assert_true(count < MAX_BUFFERS);
   return count;
}

/* Without memory for a copy the 2D engine writes into a buffer that draws still read.  Where there is memory again, the copy
 * must not be made before the engine has written. */
static void
change_without_memory(bool flush)
{
   static struct pipe_resource *buffers[MAX_BUFFERS];
   static const float dark[4] = {0.6f, 0.6f, 0, 1};
   struct pipe_context *pipe = f.pipe;

   draw(MESA_PRIM_TRIANGLES, 1);
   /* The memory that uploads go through is there. */
   struct pipe_resource *large = pipe_buffer_create(f.screen, PIPE_BIND_VERTEX_BUFFER, PIPE_USAGE_DEFAULT, 1 << 20);
   pipe_resource_reference(&large, NULL);
   unsigned offset;
   struct pipe_resource *uploaded = NULL;
   void *map;
   u_upload_alloc(pipe->stream_uploader, 0, 64, 16, &offset, &uploaded, &map);
   assert_non_null(uploaded);
   pipe_resource_reference(&uploaded, NULL);

   const unsigned count = use_up(f.screen, buffers);
   pipe_buffer_write(pipe, f.vertices, 0 * sizeof(corners[0]) + 16, sizeof(dark), dark);
   for (unsigned i = 0; i < count; i++)
      pipe_resource_reference(&buffers[i], NULL);
   if (flush)
      pipe->flush(pipe, NULL, 0);
   for (unsigned i = 1; i < 3; i++)
      pipe_buffer_write(pipe, f.vertices, i * sizeof(corners[0]) + 16, sizeof(dark), dark);
   draw(MESA_PRIM_TRIANGLES, 1);
   assert_int_equal(fifths(1, 0), 3);
}

TEST(recorded_write)
{
   change_without_memory(false);
}

TEST(submitted_write)
{
   change_without_memory(true);
}
