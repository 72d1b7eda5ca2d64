/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The screen: one per device file.
 */

#include "tegra20_screen.h"

#include <dlfcn.h>
#include <unistd.h>

#include "compiler/glsl_types.h"
#include "indices/u_indices.h"
#include "util/format/u_format.h"
#include "util/os_file.h"
#include "util/os_misc.h"
#include "util/u_memory.h"
#include "util/u_screen.h"

#include "tegra20_cache.h"
#include "tegra20_caps.h"
#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_drm_public.h"
#include "tegra20_format.h"
#include "tegra20_profile.h"
#include "tegra20_resource.h"
#include "tegra20_samples.h"
#include "tegra20_winsys.h"
#include "tegra20/tegra20_hw.h"

static const char *
get_name(struct pipe_screen *screen)
{
   return tegra20_screen(screen)->chip->renderer;
}

static const char *
get_vendor(struct pipe_screen *screen)
{
   return "Mesa";
}

static const char *
get_device_vendor(struct pipe_screen *screen)
{
   return "NVIDIA";
}

static int
get_screen_fd(struct pipe_screen *pscreen)
{
   return tegra20_screen(pscreen)->fd;
}

static void
query_memory_info(struct pipe_screen *pscreen, struct pipe_memory_info *info)
{
   struct tegra20_winsys_stats stats;
   uint64_t total = 0;

   tegra20_winsys_get_stats(tegra20_screen(pscreen)->ws, &stats);
   os_get_total_physical_memory(&total);
   memset(info, 0, sizeof(*info));
   info->total_device_memory = total / 1024;
   info->avail_device_memory =
      (total > stats.bytes_allocated ? total - stats.bytes_allocated : 0) /
      1024;
}

/* --- formats --- */

static bool
texture_target_supported(enum pipe_texture_target target)
{
   switch (target) {
   case PIPE_TEXTURE_1D:
   case PIPE_TEXTURE_2D:
   case PIPE_TEXTURE_RECT:
   case PIPE_TEXTURE_CUBE:
   case PIPE_TEXTURE_3D:
      return true;
   default:
      return false;
   }
}

/*
 * Formats that the engine does not fetch are converted (tegra20_draw.c).
 * OpenGL 2.1 has no integer attributes; but Mesa's u_vbuf asks for two
 * formats of them, and where one is missing it is called for every draw.
 */
static bool
vertex_format_supported(enum pipe_format format)
{
   if (tegra20_vertex_format(format) >= 0 ||
       format == PIPE_FORMAT_R16G16B16_SINT ||
       format == PIPE_FORMAT_R16G16B16_UINT)
      return true;
   return !util_format_is_pure_integer(format) &&
          util_format_unpack_description(format);
}

static bool
samples_supported(enum pipe_texture_target target, unsigned samples,
                  unsigned bind)
{
   return samples == TEGRA20_SAMPLES && target == PIPE_TEXTURE_2D &&
          !(bind & (PIPE_BIND_SAMPLER_VIEW | PIPE_BIND_SHADER_IMAGE |
                    PIPE_BIND_SCANOUT | PIPE_BIND_SHARED));
}

static bool
is_format_supported(struct pipe_screen *pscreen, enum pipe_format format,
                    enum pipe_texture_target target, unsigned samples,
                    unsigned storage_samples, unsigned bind)
{
   samples = MAX2(samples, 1);
   if (samples != MAX2(storage_samples, 1) ||
       (samples != 1 && !samples_supported(target, samples, bind)))
      return false;

   if (target == PIPE_BUFFER) {
      if ((bind & PIPE_BIND_VERTEX_BUFFER) &&
          !vertex_format_supported(format))
         return false;
      if ((bind & PIPE_BIND_INDEX_BUFFER) && format != PIPE_FORMAT_R8_UINT &&
          format != PIPE_FORMAT_R16_UINT && format != PIPE_FORMAT_R32_UINT)
         return false;
      return !(bind & (PIPE_BIND_SAMPLER_VIEW | PIPE_BIND_SHADER_IMAGE |
                       PIPE_BIND_RENDER_TARGET));
   }
   if (!texture_target_supported(target))
      return false;

   const struct tegra20_format *info = tegra20_format_info(format);
   bool zs = tegra20_format_is_zs(format);

   if ((bind & PIPE_BIND_DEPTH_STENCIL) && !zs)
      return false;
   if ((bind & PIPE_BIND_SAMPLER_VIEW) && !info &&
       (!zs || format == PIPE_FORMAT_S8_UINT))
      return false;
   if ((bind & (PIPE_BIND_RENDER_TARGET | PIPE_BIND_BLENDABLE |
                PIPE_BIND_DISPLAY_TARGET | PIPE_BIND_SCANOUT)) &&
       (!info || !info->target))
      return false;
   return info || zs;
}

/* --- creation --- */

static void
screen_destroy(struct pipe_screen *pscreen)
{
   struct tegra20_screen *screen = tegra20_screen(pscreen);

   slab_destroy_parent(&screen->transfer_pool);
   simple_mtx_destroy(&screen->copies_mutex);
   tegra20_winsys_unref(screen->ws);
   close(screen->fd);
   glsl_type_singleton_decref();
   FREE(screen);
}

/* Threads that nobody joins need the code of the library where it is. */
static void
keep_code(void)
{
   Dl_info info;

   if (dladdr(keep_code, &info))
      dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static struct pipe_screen *
create(int fd, const struct pipe_screen_config *config, struct renderonly *ro)
{
   tegra20_debug_init();

   struct tegra20_winsys *ws = tegra20_winsys_create(fd);
   if (!ws)
      return NULL;

   struct tegra20_screen *screen = CALLOC_STRUCT(tegra20_screen);
   if (!screen) {
      tegra20_winsys_unref(ws);
      return NULL;
   }
   glsl_type_singleton_init_or_ref();
   screen->ws = ws;
   screen->chip = tegra20_winsys_chip(ws);
   tegra20_hw_init(screen->chip->version);
   screen->fd = fd;
   screen->compiler.debug = tegra20_debug & TEGRA20_COMPILER_DEBUG_ALL;
   tegra20_profile_encodings(&screen->compiler);
   screen->compiler.chip = screen->chip;
   simple_mtx_init(&screen->copies_mutex, mtx_plain);
   list_inithead(&screen->contexts);
   slab_create_parent(&screen->transfer_pool, sizeof(struct tegra20_transfer),
                      64);

   struct pipe_screen *p = &screen->base;
   p->destroy = screen_destroy;
   p->get_name = get_name;
   p->get_vendor = get_vendor;
   p->get_device_vendor = get_device_vendor;
   p->get_screen_fd = get_screen_fd;
   p->get_timestamp = u_default_get_timestamp;
   p->query_memory_info = query_memory_info;
   p->is_format_supported = is_format_supported;
   p->context_create = tegra20_context_create;
   tegra20_resource_screen_init(screen);
   tegra20_fence_screen_init(screen);
   tegra20_query_screen_init(screen);
   tegra20_screen_init_caps(p);
   tegra20_cache_screen_init(screen);
   keep_code();
   u_index_init(); /* threads that do so at the same time find half a table */
   return p;
}

struct pipe_screen *
tegra20_drm_screen_create(int fd)
{
   int own = os_dupfd_cloexec(fd);

   if (own < 0)
      return NULL;
   struct pipe_screen *screen =
      u_pipe_screen_lookup_or_create(own, NULL, NULL, create);
   /* found again (or failed): the screen keeps the descriptor that it was
    * made with */
   if (!screen || tegra20_screen(screen)->fd != own)
      close(own);
   return screen;
}
