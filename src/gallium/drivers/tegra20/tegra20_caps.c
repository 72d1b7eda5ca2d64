/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The capabilities reported here really work, with an exception that formats
 * demand: depth of 24 bits is offered and stored in 16 (A38).  Everything
 * that the fixed-function pipeline of GL has and the chip lacks (assumption
 * A32) is switched off, so that the state tracker lowers it into the
 * programs.
 */

#include "pipe/p_defines.h"
#include "pipe/p_screen.h"
#include "pipe/p_state.h"
#include "util/u_screen.h"

#include "tegra20/tegra20_hw.h"

#include "tegra20_caps.h"
#include "tegra20_mesa.h"
#include "tegra20_program.h"

#if !TEGRA20_MESA_25_1
/* Capabilities of 25.1 that are not 0 here. */
struct pipe_shader_caps {
   unsigned max_instructions, max_alu_instructions, max_tex_instructions,
      max_tex_indirections, max_control_flow_depth, max_inputs, max_outputs,
      max_const_buffer0_size, max_const_buffers, max_temps,
      max_texture_samplers, max_sampler_views, supported_irs;
   bool cont_supported, indirect_const_addr;
};
#endif

static const struct pipe_shader_caps vertex_caps = {
   .max_instructions = TEGRA20_VS_MAX_INSTS,
   .max_alu_instructions = TEGRA20_VS_MAX_INSTS,
   /* the stack is shared with calls (vertex-pipeline.md 8); branches need
    * none of it */
   .max_control_flow_depth = 8,
   .max_inputs = TEGRA20_MAX_ATTRIBS,
   .max_outputs = TEGRA20_MAX_EXPORTS,
   /* further ones of Tegra114 hold the programs' own constants; the number of
    * the instance and clip planes follow the application's */
   .max_const_buffer0_size = (255 - PIPE_MAX_CLIP_PLANES) * 4 * sizeof(float),
   .max_const_buffers = 1,
   .max_temps = TEGRA20_VS_MAX_TEMPS,
   .indirect_const_addr = true,
   .cont_supported = true,
   .supported_irs = 1 << PIPE_SHADER_IR_NIR,
};

static const struct pipe_shader_caps fragment_caps = {
   .max_instructions = 64 * 4,
   .max_alu_instructions = 64 * 4,
   .max_tex_instructions = TEGRA20_FS_MAX_EXECS,
   /* of 3D textures, whose coordinates take several steps; more of others.
    * 8 would disable the packing of varyings (st_init_extensions) */
   .max_tex_indirections = 9,
   .max_inputs = TEGRA20_MAX_EXPORTS - 1,
   .max_outputs = TEGRA20_MAX_DRAW_BUFFERS,
   /* beyond 32 registers: values embedded in packets (assumption A52), and
    * programs in parts; the state tracker keeps one vector for itself */
   .max_const_buffer0_size =
      (TEGRA20_MAX_FRAGMENT_UNIFORM_VECTORS + 1) * 4 * sizeof(float),
   .max_const_buffers = 1,
   .max_temps = 16,
   .max_texture_samplers = TEGRA20_MAX_IMAGE_UNITS,
   .max_sampler_views = TEGRA20_MAX_IMAGE_UNITS,
   .indirect_const_addr = true, /* lowered by the compiler */
   .supported_irs = 1 << PIPE_SHADER_IR_NIR,
};

#if TEGRA20_MESA_25_1

static void
init_stages(struct pipe_screen *screen)
{
   struct pipe_shader_caps *caps =
      (struct pipe_shader_caps *)screen->shader_caps;

   caps[PIPE_SHADER_VERTEX] = vertex_caps;
   caps[PIPE_SHADER_FRAGMENT] = fragment_caps;
}

#else

static int
get_stage_cap(const struct pipe_shader_caps *caps, enum pipe_shader_cap cap)
{
   switch (cap) {
   case PIPE_SHADER_CAP_MAX_INSTRUCTIONS:
      return caps->max_instructions;
   case PIPE_SHADER_CAP_MAX_ALU_INSTRUCTIONS:
      return caps->max_alu_instructions;
   case PIPE_SHADER_CAP_MAX_TEX_INSTRUCTIONS:
      return caps->max_tex_instructions;
   case PIPE_SHADER_CAP_MAX_TEX_INDIRECTIONS:
      return caps->max_tex_indirections;
   case PIPE_SHADER_CAP_MAX_CONTROL_FLOW_DEPTH:
      return caps->max_control_flow_depth;
   case PIPE_SHADER_CAP_MAX_INPUTS:
      return caps->max_inputs;
   case PIPE_SHADER_CAP_MAX_OUTPUTS:
      return caps->max_outputs;
   case PIPE_SHADER_CAP_MAX_CONST_BUFFER0_SIZE:
      return caps->max_const_buffer0_size;
   case PIPE_SHADER_CAP_MAX_CONST_BUFFERS:
      return caps->max_const_buffers;
   case PIPE_SHADER_CAP_MAX_TEMPS:
      return caps->max_temps;
   case PIPE_SHADER_CAP_MAX_TEXTURE_SAMPLERS:
      return caps->max_texture_samplers;
   case PIPE_SHADER_CAP_MAX_SAMPLER_VIEWS:
      return caps->max_sampler_views;
   case PIPE_SHADER_CAP_INDIRECT_CONST_ADDR:
      return caps->indirect_const_addr;
   case PIPE_SHADER_CAP_CONT_SUPPORTED:
      return caps->cont_supported;
   case PIPE_SHADER_CAP_SUPPORTED_IRS:
      return caps->supported_irs;
   default:
      return 0;
   }
}

static int
get_shader_param(struct pipe_screen *screen, enum pipe_shader_type stage,
                 enum pipe_shader_cap param)
{
   switch (stage) {
   case PIPE_SHADER_VERTEX:
      return get_stage_cap(&vertex_caps, param);
   case PIPE_SHADER_FRAGMENT:
      return get_stage_cap(&fragment_caps, param);
   default:
      return 0;
   }
}

static void
init_stages(struct pipe_screen *screen)
{
   screen->get_shader_param = get_shader_param;
}

#endif

static const void *
get_compiler_options(struct pipe_screen *screen, enum pipe_shader_ir ir,
                     enum pipe_shader_type stage)
{
   return tegra20_nir_options(stage);
}

static void
init_lowered(struct pipe_caps *caps)
{
   caps->alpha_test = false;
   caps->flatshade = false;
   caps->two_sided_color = false;
   caps->texrect = false;
   caps->gl_clamp = true; /* the compiler does it; the state tracker would
                             need explicit gradients */
   caps->fbfetch = TEGRA20_MAX_DRAW_BUFFERS; /* the program fetches the pixel,
                                                as it does for blending */
   caps->fbfetch_coherent = true;
   caps->dithering = false;
   caps->nir_images_as_deref = false;
}

static void
init_limits(struct pipe_caps *caps)
{
   /* A55: with one store for each fragment there is one target */
   caps->max_render_targets =
      TEGRA20_HW_IS(SEVERAL_STORES, FIRST) ? 1 : TEGRA20_MAX_DRAW_BUFFERS;
   caps->max_texture_2d_size = TEGRA20_MAX_TEXTURE_SIZE;
   caps->max_texture_3d_levels =
      9; /* as far as the slices fit into 2048 x 2048: 128 x 128 x 256, 256 x
            256 x 64 */
   caps->max_texture_cube_levels =
      TEGRA20_MAX_TEXTURE_LEVELS -
      2; /* six faces share one atlas (assumption A59) */
   caps->glsl_feature_level = 120;
   caps->glsl_feature_level_compatibility = 120;
   caps->essl_feature_level = 100;
   /* 15 exports, of which clip distances and point coordinates may take
    * three; linker words allow no more either */
   caps->max_varyings = TEGRA20_MAX_EXPORTS - 4;
   caps->max_vertex_buffers = TEGRA20_MAX_ATTRIBS;
   /* a draw per instance */
   caps->vertex_element_instance_divisor = caps->vs_instanceid = true;
   caps->vertex_input_alignment =
      PIPE_VERTEX_INPUT_ALIGNMENT_NONE; /* tegra20_draw.c copies what A04
                                           forbids */
   caps->rasterizer_subpixel_bits = 4;
   caps->viewport_subpixel_bits = 4;
   caps->min_line_width = caps->min_line_width_aa = 1.0f;
   caps->min_point_size = caps->min_point_size_aa = 1.0f;
   caps->max_line_width = caps->max_line_width_aa =
      256.0f; /* assumption A24 */
   caps->max_point_size = caps->max_point_size_aa =
      256.0f; /* assumption A25 */
   caps->line_width_granularity = 1.0f;
   caps->point_size_granularity = 1.0f / 16;
   caps->max_texture_anisotropy = 1.0f;
   caps->max_texture_lod_bias = 15.0f;
}

void
tegra20_screen_init_caps(struct pipe_screen *screen)
{
   struct pipe_caps *caps = (struct pipe_caps *)&screen->caps;

   init_stages(screen);
   screen->get_compiler_options = get_compiler_options;

   memset(caps, 0, sizeof(*caps));
   u_init_pipe_screen_caps(screen, 1);
   init_lowered(caps);
   init_limits(caps);

   caps->npot_textures = true;
   caps->fragment_shader_derivatives = true;
   caps->fragment_shader_texture_lod = true;
   caps->blend_equation_separate = true;
   caps->indep_blend_enable = true;
   caps->indep_blend_func = true;
   caps->occlusion_query = true;
   caps->query_time_elapsed = true; /* with waits, see tegra20_query.c */
   caps->conditional_render = true;
   caps->primitive_restart = true; /* a draw for every primitive */
   caps->uma = true;
   caps->surface_sample_count = true;
   caps->quads_follow_provoking_vertex_convention = true;
   caps->clear_scissored = true;
   caps->native_fence_fd = true;
   caps->device_reset_status_query = true;
   caps->robust_buffer_access_behavior = true; /* tegra20_draw.c */
   caps->query_memory_info = true;
   caps->mixed_framebuffer_sizes = true;
   caps->generate_mipmap = true;
   caps->gl_begin_end_buffer_size = TEGRA20_STREAM_SIZE;
   caps->mixed_color_depth_bits = true;
   caps->vertex_color_unclamped = true;
   caps->vertex_color_clamped = true;
   caps->fragment_color_clamped = true;
   caps->texture_swizzle = true;
   /* Memory row 0 is the top of gallium's window coordinates (assumption
    * A51). */
   caps->fs_coord_origin_upper_left = true;
   caps->fs_coord_pixel_center_half_integer = true;
   caps->fs_position_is_sysval = true;
   caps->fs_point_is_sysval = true;
   caps->fs_face_is_integer_sysval = true;
   caps->tgsi_texcoord = true; /* Mesa's own programs name texture coordinates
                                  as those of NIR do */
   caps->user_vertex_buffers = false;
   caps->texture_transfer_modes = 0;
   caps->shareable_shaders = false;
   caps->vendor_id = 0x10de;
   caps->device_id = 0x20;
}
