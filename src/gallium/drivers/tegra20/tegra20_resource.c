/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Creation, import and export of resources.
 *
 * Colour is linear, because the texture unit reads nothing else, unless a
 * format modifier asks for tiles: then a linear copy is sampled
 * (tegra20_sampler_copy.h).  Depth and stencil are tiled, because the stencil
 * unit writes nothing else (surfaces-and-textures.md 4.3, 7.1).  A
 * depth-stencil resource is a Z16 resource with an S8 resource beside it.
 */

#include "tegra20_resource.h"

#include "drm-uapi/drm_fourcc.h"
#include "frontend/winsys_handle.h"
#include "util/format/u_format.h"
#include "util/os_time.h"
#include "util/u_drm.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_sampler_copy.h"
#include "tegra20_samples.h"
#include "tegra20_screen.h"
#include "tegra20_winsys.h"

static unsigned
buffer_size(unsigned width)
{
   return align(width, 4) + TEGRA20_BUFFER_PADDING;
}

bool
tegra20_atlas_fits(unsigned width, unsigned height, unsigned layers)
{
   unsigned columns = TEGRA20_MAX_TEXTURE_SIZE / MAX2(width, 1),
            rows = TEGRA20_MAX_TEXTURE_SIZE / MAX2(height, 1);

   return columns * rows >= layers;
}

/*
 * Cells side by side.  Cubes: X, Y and Z faces, the negative one below the
 * positive one, and two unused cells; the program computes that with the
 * fewest operations (fs_tex.c).  3D textures: as few columns as the largest
 * height allows, powers of two if possible.
 */
static unsigned
num_columns(const struct pipe_resource *base, unsigned layers)
{
   unsigned columns = 1;

   if (base->target == PIPE_TEXTURE_CUBE)
      return 4;
   while (columns < layers && base->height0 * DIV_ROUND_UP(layers, columns) >
                                 TEGRA20_MAX_TEXTURE_SIZE)
      columns *= 2;
   if (base->width0 * columns > TEGRA20_MAX_TEXTURE_SIZE &&
       base->width0 <= TEGRA20_MAX_TEXTURE_SIZE)
      columns = TEGRA20_MAX_TEXTURE_SIZE / base->width0;
   return columns;
}

static bool
init_layout(struct tegra20_resource *res, enum tegra20_layout_mode mode)
{
   const struct pipe_resource *base = &res->base;

   if (base->target == PIPE_BUFFER) {
      res->layout = (struct tegra20_layout){
         .size = buffer_size(base->width0),
         .columns = 1,
         .rows = 1,
         .levels[0] = { .pitch = base->width0,
                        .cell_bytes = base->width0,
                        .cell_rows = 1 },
      };
      return true;
   }

   unsigned layers = MAX2(base->array_size, 1) * base->depth0;
   const struct tegra20_layout_info info = {
      .mode = mode,
      .width = base->width0,
      .height = base->height0,
      .layers = layers,
      .columns = mode == TEGRA20_LAYOUT_TILED ? 1 : num_columns(base, layers),
      .downwards =
         mode != TEGRA20_LAYOUT_TILED && base->target == PIPE_TEXTURE_CUBE,
      .num_levels = base->last_level + 1,
      .cpp = tegra20_format_stored_cpp(res->storage),
      .block_width = util_format_get_blockwidth(res->storage),
      .block_height = util_format_get_blockheight(res->storage),
      .pot_rows =
         tegra20_screen(base->screen)->chip->quirks & TEGRA20_QUIRK_POT_ROWS,
   };
   if (mode == TEGRA20_LAYOUT_TEXTURE && layers > 1 &&
       !tegra20_atlas_fits(base->width0, base->height0, layers))
      return false;
   if (!tegra20_layout_init(&res->layout, &info))
      return false;
   /* The texture unit fetches whole cache lines. */
   res->layout.size += TEGRA20_BUFFER_PADDING;
   return true;
}

unsigned
tegra20_blocks_offset(const struct tegra20_resource *res, unsigned level)
{
   const struct pipe_resource *base = &res->base;
   unsigned offset = 0;

   for (unsigned l = 0; l < level; l++) {
      unsigned stride =
         util_format_get_stride(base->format, u_minify(base->width0, l));
      offset += util_format_get_2d_size(base->format, stride,
                                        u_minify(base->height0, l)) *
                MAX2(base->array_size, 1) * u_minify(base->depth0, l);
   }
   return offset;
}

static void
resource_destroy(struct pipe_screen *pscreen, struct pipe_resource *base)
{
   struct tegra20_resource *res = tegra20_resource(base);

   if (res->stencil)
      pipe_resource_reference((struct pipe_resource **)&res->stencil, NULL);
   pipe_resource_reference((struct pipe_resource **)&res->samples, NULL);
   tegra20_sampler_copy_destroy(res);
   tegra20_bo_unref(res->bo);
   FREE(res->blocks);
   util_range_destroy(&res->valid_range);
   FREE(res);
}

static struct tegra20_resource *
resource_new(struct pipe_screen *pscreen, const struct pipe_resource *templ)
{
   struct tegra20_resource *res = CALLOC_STRUCT(tegra20_resource);

   if (!res)
      return NULL;
   res->base = *templ;
   res->base.screen = pscreen;
   res->base.next = NULL;
   res->id = p_atomic_inc_return(&tegra20_screen(pscreen)->next_id);
   res->storage = tegra20_format_storage(templ->format);
   pipe_reference_init(&res->base.reference, 1);
   util_range_init(&res->valid_range);
   return res;
}

static enum tegra20_layout_mode
choose_mode(const struct pipe_resource *templ)
{
   if (tegra20_format_is_zs(templ->format))
      return TEGRA20_LAYOUT_TILED;
   /* Shared surfaces keep the pitch that scan-out requires. */
   if (templ->bind & (PIPE_BIND_SCANOUT | PIPE_BIND_SHARED |
                      PIPE_BIND_DISPLAY_TARGET | PIPE_BIND_CURSOR))
      return TEGRA20_LAYOUT_SCANOUT;
   return TEGRA20_LAYOUT_TEXTURE;
}

/* Vertices, indices and constants that the CPU writes for a draw. */
static bool
is_stream(const struct tegra20_resource *res)
{
   return res->base.target == PIPE_BUFFER &&
          res->base.usage == PIPE_USAGE_STREAM;
}

static unsigned
bo_flags(const struct tegra20_resource *res)
{
   unsigned flags = 0;

   if (res->shared)
      flags |= TEGRA20_BO_SHARED;
   if (res->shared && res->layout.tiled)
      flags |= TEGRA20_BO_TILED;
   if (is_stream(res))
      flags |= TEGRA20_BO_STREAM;
   return flags;
}

static struct tegra20_bo *
create_bo(const struct tegra20_resource *res)
{
   return tegra20_bo_create(tegra20_screen(res->base.screen)->ws,
                            res->layout.size, bo_flags(res));
}

static void
note_refused(const struct tegra20_resource *res)
{
   struct tegra20_screen *screen = tegra20_screen(res->base.screen);

   p_atomic_inc(&screen->refused);
   if (is_stream(res))
      p_atomic_inc(&screen->refused_streams);
}

static struct pipe_resource *
resource_create_mode(struct pipe_screen *pscreen,
                     const struct pipe_resource *templ,
                     enum tegra20_layout_mode mode)
{
   struct tegra20_resource *res = resource_new(pscreen, templ);

   if (!res)
      return NULL;
   res->shared = templ->bind & (PIPE_BIND_SHARED | PIPE_BIND_SCANOUT);
   if (res->shared)
      res->storage = templ->format;
   if (util_format_is_compressed(templ->format) &&
       templ->target != PIPE_TEXTURE_2D) {
      res->storage = util_format_is_srgb(templ->format)
                        ? PIPE_FORMAT_R8G8B8A8_SRGB
                        : PIPE_FORMAT_R8G8B8A8_UNORM;
      res->blocks =
         CALLOC(tegra20_blocks_offset(res, templ->last_level + 1), 1);
      if (!res->blocks)
         goto fail;
   }
   if (!init_layout(res, mode))
      goto fail;

   res->bo = create_bo(res);
   if (!res->bo) {
      note_refused(res);
      goto fail;
   }

   if (templ->format == PIPE_FORMAT_Z24_UNORM_S8_UINT) {
      struct pipe_resource stencil = *templ;

      stencil.format = PIPE_FORMAT_S8_UINT;
      res->stencil =
         tegra20_resource(resource_create_mode(pscreen, &stencil, mode));
      if (!res->stencil)
         goto fail;
   }
   return &res->base;

fail:
   resource_destroy(pscreen, &res->base);
   return NULL;
}

void
tegra20_resource_mark_undefined(struct tegra20_resource *res)
{
   if (!res)
      return;
   if (res->bo)
      tegra20_bo_mark_undefined(res->bo);
   tegra20_resource_mark_undefined(res->stencil);
   tegra20_resource_mark_undefined(res->samples);
}

static struct pipe_resource *
create_samples(struct pipe_screen *pscreen, const struct pipe_resource *templ)
{
   struct pipe_resource single = *templ;
   bool too_large;
   struct pipe_resource *samples =
      tegra20_samples_create(pscreen, templ, &too_large);

   if (!samples) {
      single.nr_samples = single.nr_storage_samples = 0;
      return too_large ? pscreen->resource_create(pscreen, &single) : NULL;
   }
   struct tegra20_resource *res = resource_new(pscreen, templ);
   if (!res) {
      pipe_resource_reference(&samples, NULL);
      return NULL;
   }
   res->samples = tegra20_resource(samples);
   res->layout = res->samples->layout;
   res->bo = tegra20_bo_ref(res->samples->bo);
   return &res->base;
}

static struct pipe_resource *
resource_create(struct pipe_screen *pscreen,
                const struct pipe_resource *templ)
{
   if (templ->nr_samples > 1)
      return create_samples(pscreen, templ);
   return resource_create_mode(pscreen, templ, choose_mode(templ));
}

/* --- sharing --- */

/* Everything that renders and scans out can use tiles; a texture-only format
 * is never written by the GPU. */
static bool
can_tile(enum pipe_format format)
{
   const struct tegra20_format *info = tegra20_format_info(format);
   return info && info->target;
}

static struct pipe_resource *
resource_create_with_modifiers(struct pipe_screen *pscreen,
                               const struct pipe_resource *templ,
                               const uint64_t *modifiers, int count)
{
   struct pipe_resource shared = *templ;

   shared.bind |= PIPE_BIND_SCANOUT | PIPE_BIND_SHARED;
   /* The best modifier is one that the texture unit can read. */
   if (drm_find_modifier(DRM_FORMAT_MOD_LINEAR, modifiers, count) ||
       drm_find_modifier(DRM_FORMAT_MOD_INVALID, modifiers, count))
      return resource_create_mode(pscreen, &shared, TEGRA20_LAYOUT_SCANOUT);
   if (drm_find_modifier(DRM_FORMAT_MOD_NVIDIA_TEGRA_TILED, modifiers,
                         count) &&
       can_tile(templ->format))
      return resource_create_mode(pscreen, &shared, TEGRA20_LAYOUT_TILED);
   return NULL;
}

/* Does the surface of the handle lie inside the buffer, where the engines can
 * address it?  Fills the layout. */
static bool
import_layout(struct tegra20_resource *res,
              const struct winsys_handle *handle)
{
   const struct pipe_resource *base = &res->base;
   struct tegra20_layout *layout = &res->layout;
   struct tegra20_level_layout *level = &layout->levels[0];
   unsigned rows =
      DIV_ROUND_UP(base->height0, util_format_get_blockheight(base->format));
   unsigned row_bytes = util_format_get_stride(base->format, base->width0);

   res->offset = handle->offset;
   if (base->target != PIPE_BUFFER)
      level->pitch = handle->stride;
   layout->size = level->pitch * (layout->tiled ? level->cell_rows : rows);

   uint64_t needed =
      (uint64_t)handle->offset +
      (layout->tiled ? (uint64_t)level->pitch * level->cell_rows
                     : (uint64_t)level->pitch * (rows - 1) + row_bytes);
   bool fits = level->pitch >= row_bytes && level->pitch <= 0x1ffff &&
               needed <= tegra20_bo_size(res->bo);
   if (!fits)
      tegra20_msg("cannot import a %ux%u buffer of %u bytes: stride %u, "
                  "offset %u do not fit",
                  base->width0, base->height0, tegra20_bo_size(res->bo),
                  handle->stride, handle->offset);
   else if (layout->tiled && (level->pitch % TEGRA20_TILED_ALIGN ||
                              handle->offset % TEGRA20_TILED_ALIGN)) {
      tegra20_msg("cannot import a tiled buffer: stride %u and offset %u "
                  "must be multiples of %u",
                  handle->stride, handle->offset, TEGRA20_TILED_ALIGN);
      fits = false;
   }
   return fits;
}

static struct pipe_resource *
resource_from_handle(struct pipe_screen *pscreen,
                     const struct pipe_resource *templ,
                     struct winsys_handle *handle, unsigned usage)
{
   struct tegra20_screen *screen = tegra20_screen(pscreen);
   bool tiled = handle->modifier == DRM_FORMAT_MOD_NVIDIA_TEGRA_TILED &&
                can_tile(templ->format);

   if (!tiled && handle->modifier != DRM_FORMAT_MOD_LINEAR &&
       handle->modifier != DRM_FORMAT_MOD_INVALID) {
      tegra20_msg("cannot import a %s buffer with format modifier 0x%016llx",
                  util_format_short_name(templ->format),
                  (unsigned long long)handle->modifier);
      return NULL;
   }
   if (templ->target != PIPE_BUFFER &&
       (templ->width0 > TEGRA20_MAX_TEXTURE_SIZE ||
        templ->height0 > TEGRA20_MAX_TEXTURE_SIZE)) {
      tegra20_msg("cannot import a %ux%u buffer: textures and targets are at "
                  "most %u wide and high",
                  templ->width0, templ->height0, TEGRA20_MAX_TEXTURE_SIZE);
      return NULL;
   }

   struct tegra20_resource *res = resource_new(pscreen, templ);
   if (!res)
      return NULL;
   res->storage = templ->format;
   res->base.next = templ->next; /* planes of a picture are a list */
   if (!init_layout(res,
                    tiled ? TEGRA20_LAYOUT_TILED : TEGRA20_LAYOUT_SCANOUT))
      goto fail;

   switch (handle->type) {
   case WINSYS_HANDLE_TYPE_FD:
      res->bo = tegra20_bo_import_fd(screen->ws, handle->handle);
      break;
   case WINSYS_HANDLE_TYPE_KMS:
      res->bo = tegra20_bo_import_handle(screen->ws, handle->handle,
                                         res->layout.size);
      break;
   default:
      break;
   }
   if (!res->bo)
      goto fail;
   if (handle->modifier == DRM_FORMAT_MOD_INVALID &&
       can_tile(templ->format) && tegra20_bo_tiled(res->bo) &&
       !init_layout(res, TEGRA20_LAYOUT_TILED))
      goto fail;
   if (!import_layout(res, handle))
      goto fail;
   res->shared = true;
   return &res->base;

fail:
   resource_destroy(pscreen, &res->base);
   return NULL;
}

static bool
resource_get_handle(struct pipe_screen *pscreen, struct pipe_context *pctx,
                    struct pipe_resource *base, struct winsys_handle *handle,
                    unsigned usage)
{
   struct tegra20_resource *res = tegra20_resource(base);

   if (handle->type == WINSYS_HANDLE_TYPE_SHMID)
      return false;
   if (tegra20_resource_is_wide(res)) {
      tegra20_msg_once("cannot share a %s texture that was not made for it",
                       util_format_short_name(base->format));
      return false;
   }
   handle->stride = res->layout.levels[0].pitch;
   handle->offset = res->offset;
   handle->modifier = res->layout.tiled ? DRM_FORMAT_MOD_NVIDIA_TEGRA_TILED
                                        : DRM_FORMAT_MOD_LINEAR;
   res->shared = true;

   /* The importer has no access to pending draws.  A context that has
    * commands to submit is flushed by the front end before
    * (flush_resource). */
   if (pctx)
      tegra20_context_flush_bo(tegra20_context(pctx), res->bo,
                               TEGRA20_READ | TEGRA20_WRITE);
   tegra20_bo_wait(res->bo, TEGRA20_READ, OS_TIMEOUT_INFINITE);

   switch (handle->type) {
   case WINSYS_HANDLE_TYPE_KMS:
      handle->handle = tegra20_bo_handle(res->bo);
      return true;
   case WINSYS_HANDLE_TYPE_FD: {
      int fd = tegra20_bo_export_fd(res->bo);
      if (fd < 0)
         return false;
      handle->handle = fd;
      return true;
   }
   default:
      return false;
   }
}

static bool
resource_get_param(struct pipe_screen *pscreen, struct pipe_context *pctx,
                   struct pipe_resource *base, unsigned plane, unsigned layer,
                   unsigned level, enum pipe_resource_param param,
                   unsigned usage, uint64_t *value)
{
   struct tegra20_resource *res = tegra20_resource(base);

   switch (param) {
   case PIPE_RESOURCE_PARAM_NPLANES:
      *value = 1;
      return true;
   case PIPE_RESOURCE_PARAM_STRIDE:
      *value = res->layout.levels[level].pitch;
      return true;
   case PIPE_RESOURCE_PARAM_OFFSET:
      *value = tegra20_resource_offset(res, level, layer);
      return true;
   case PIPE_RESOURCE_PARAM_MODIFIER:
      *value = res->layout.tiled ? DRM_FORMAT_MOD_NVIDIA_TEGRA_TILED
                                 : DRM_FORMAT_MOD_LINEAR;
      return true;
   case PIPE_RESOURCE_PARAM_LAYER_STRIDE:
      *value = res->layout.levels[level].pitch *
               res->layout.levels[level].cell_rows;
      return true;
   case PIPE_RESOURCE_PARAM_HANDLE_TYPE_KMS:
   case PIPE_RESOURCE_PARAM_HANDLE_TYPE_FD: {
      struct winsys_handle handle = {
         .type = param == PIPE_RESOURCE_PARAM_HANDLE_TYPE_KMS
                    ? WINSYS_HANDLE_TYPE_KMS
                    : WINSYS_HANDLE_TYPE_FD,
      };
      if (!resource_get_handle(pscreen, pctx, base, &handle, usage))
         return false;
      *value = handle.handle;
      return true;
   }
   default:
      return false;
   }
}

/* In order of preference.  Tiled buffers are sampled by way of a copy, so
 * nothing needs an external sampler. */
static void
query_dmabuf_modifiers(struct pipe_screen *pscreen, enum pipe_format format,
                       int max, uint64_t *modifiers,
                       unsigned int *external_only, int *count)
{
   static const uint64_t all[] = { DRM_FORMAT_MOD_LINEAR,
                                   DRM_FORMAT_MOD_NVIDIA_TEGRA_TILED };

   *count = can_tile(format) ? 2 : 1;
   for (int i = 0; i < MIN2(max, *count); i++) {
      modifiers[i] = all[i];
      if (external_only)
         external_only[i] = 0;
   }
   if (max > 0)
      *count = MIN2(max, *count);
}

static bool
is_dmabuf_modifier_supported(struct pipe_screen *pscreen, uint64_t modifier,
                             enum pipe_format format, bool *external_only)
{
   if (external_only)
      *external_only = false;
   return modifier == DRM_FORMAT_MOD_LINEAR ||
          (modifier == DRM_FORMAT_MOD_NVIDIA_TEGRA_TILED && can_tile(format));
}

bool
tegra20_resource_reallocate(struct tegra20_resource *res)
{
   struct tegra20_screen *screen = tegra20_screen(res->base.screen);

   if (res->shared)
      return false;
   struct tegra20_bo *bo = create_bo(res);
   if (!bo)
      return false;
   tegra20_bo_unref(res->bo);
   res->bo = bo;
   util_range_set_empty(&res->valid_range);
   p_atomic_add(&screen->storage_generation, res->base.target == PIPE_BUFFER
                                                ? 1
                                                : 1 + (UINT64_C(1) << 32));
   return true;
}

bool
tegra20_level_renderable(const struct tegra20_resource *res, unsigned level,
                         unsigned layer)
{
   const struct tegra20_level_layout *l = &res->layout.levels[level];
   unsigned pitch_align =
      res->layout.pot ? TEGRA20_POT_PITCH_ALIGN : TEGRA20_RT_PITCH_ALIGN;

   if (res->layout.tiled)
      return true;
   return tegra20_resource_offset(res, level, layer) %
                TEGRA20_RT_BASE_ALIGN ==
             0 &&
          l->pitch % pitch_align == 0;
}

/* 3D textures up to the limit of each dimension do not always fit into an
 * atlas. */
static bool
can_create_resource(struct pipe_screen *pscreen,
                    const struct pipe_resource *templ)
{
   struct tegra20_resource res = { .base = *templ,
                                   .storage =
                                      tegra20_format_storage(templ->format) };

   res.base.screen = pscreen;
   return init_layout(&res, choose_mode(templ));
}

void
tegra20_resource_screen_init(struct tegra20_screen *screen)
{
   screen->base.can_create_resource = can_create_resource;
   screen->base.resource_create = resource_create;
   screen->base.resource_create_with_modifiers =
      resource_create_with_modifiers;
   screen->base.resource_from_handle = resource_from_handle;
   screen->base.resource_get_handle = resource_get_handle;
   screen->base.resource_get_param = resource_get_param;
   screen->base.resource_destroy = resource_destroy;
   screen->base.query_dmabuf_modifiers = query_dmabuf_modifiers;
   screen->base.is_dmabuf_modifier_supported = is_dmabuf_modifier_supported;
}
