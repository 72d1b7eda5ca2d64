/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Buffers, textures, surfaces and transfers.
 */

#ifndef TEGRA20_RESOURCE_H
#define TEGRA20_RESOURCE_H

#include "pipe/p_state.h"
#include "util/u_range.h"
#include "util/u_transfer.h"

#include "tegra20_format.h"
#include "tegra20_layout.h"

struct tegra20_bo;
struct tegra20_screen;
struct tegra20_context;

struct tegra20_resource {
   struct pipe_resource base;
   uint64_t id; /* not that of any earlier one, unlike the address */
   /*
    * The format in memory: base.format, except for formats that have more
    * bits here (tegra20_format_storage()), and for compressed cubes and 3D
    * textures.  The small levels of those have less than a block per cell, so
    * they are stored uncompressed; "blocks" keeps the application's data,
    * level after level.
    */
   enum pipe_format storage;
   uint8_t *blocks;
   struct tegra20_bo *bo;
   uint32_t offset; /* of everything, for imported buffers */
   struct tegra20_layout layout;
   bool shared; /* exported or imported: the memory cannot be exchanged */
   struct util_range valid_range; /* buffers: bytes that were ever written */

   /* Resources of four samples: the resource with the memory
    * (tegra20_samples.h). */
   struct tegra20_resource *samples;

   /* S8 surface beside the Z16 one, for formats with both. */
   struct tegra20_resource *stencil;

   /* Changes with every write; copies in other layouts compare it to find
    * that they are stale. */
   unsigned write_serial;

   /* Epoch in which commands that write it were recorded last
    * (tegra20_context.h). */
   uint64_t epoch;

   bool persistent; /* the CPU may write through a mapping at any time */

   struct tegra20_sampler_copy *copies; /* tegra20_sampler_copy.h */
};

static inline struct tegra20_resource *
tegra20_resource(struct pipe_resource *res)
{
   return (struct tegra20_resource *)res;
}

/* Has memory more bits than the format? */
static inline bool
tegra20_resource_is_wide(const struct tegra20_resource *res)
{
   return !res->blocks && res->storage != res->base.format;
}

/* Memory that is shared, whose format only the CPU understands. */
static inline bool
tegra20_resource_is_foreign(const struct tegra20_resource *res)
{
   return res->storage == res->base.format &&
          res->storage != tegra20_format_storage(res->base.format);
}

/* The storage that commands access in place of a resource. */
static inline struct tegra20_resource *
tegra20_resource_storage(struct pipe_resource *base)
{
   struct tegra20_resource *res = tegra20_resource(base);

   return res->samples ? res->samples : res;
}

/* Depth part of a resource: itself, unless it holds stencil only. */
static inline struct tegra20_resource *
tegra20_resource_depth(struct tegra20_resource *res)
{
   return res->base.format == PIPE_FORMAT_S8_UINT ? NULL : res;
}

static inline struct tegra20_resource *
tegra20_resource_stencil(struct tegra20_resource *res)
{
   return res->base.format == PIPE_FORMAT_S8_UINT ? res : res->stencil;
}

/* Do so many cells of a cube map or a 3D texture fit into a texture that the
 * unit can address? */
bool
tegra20_atlas_fits(unsigned width, unsigned height, unsigned layers);

/* Byte offset of a level inside res->blocks. */
unsigned
tegra20_blocks_offset(const struct tegra20_resource *res, unsigned level);

/* Byte offset, inside the buffer object, of a level's layer (or depth slice).
 */
static inline uint32_t
tegra20_resource_offset(const struct tegra20_resource *res, unsigned level,
                        unsigned layer)
{
   return res->offset + tegra20_layout_offset(&res->layout, level, layer);
}

/*
 * The render target unit wants bases and pitches that small mip levels and
 * cube faces do not have (A67).  Those are rendered to in a surface of their
 * own, "scratch", which is copied in before and back afterwards
 * (tegra20_surface.c).  So are surfaces of 16 bits from the first draw on
 * that reads pixels, until the contents are used otherwise (A69).
 */
struct tegra20_surface {
   struct pipe_surface base;
   struct tegra20_resource *storage; /* of base.texture */
   bool needs_scratch;               /* always */
   struct tegra20_resource
      *scratch;        /* made when the surface is first bound */
   bool newer;         /* a scratch surface may have newer contents than the
                          texture */
   bool scratch_valid; /* has the texture's contents of ... */
   unsigned serial;

   /* Samples of a texture that has one (EXT_multisampled_render_to_texture):
    * always drawn to in a wide surface, so many times as wide and high. */
   uint8_t scale; /* 1 or 2 */

   bool widens;  /* takes a wide surface when pixels are read */
   bool widened; /* that is rendered to at the moment */
   struct tegra20_resource *wide;
   bool wide_valid; /* has the contents of scratch or texture of ... */
   unsigned wide_serial;
};

static inline struct tegra20_surface *
tegra20_surface(struct pipe_surface *surface)
{
   return (struct tegra20_surface *)surface;
}

struct tegra20_transfer {
   struct pipe_transfer base;
   void *staging;                /* for a copy by the CPU */
   struct pipe_resource *upload; /* for a copy by the 2D engine; both NULL:
                                    the memory itself is mapped */
   unsigned upload_offset;
   struct pipe_resource *single; /* of a part of a resource of four samples,
                                    and its mapping */
   struct pipe_transfer *inner;
};

/* Can the render target unit address this level (base and pitch, A67)? */
bool
tegra20_level_renderable(const struct tegra20_resource *res, unsigned level,
                         unsigned layer);

/* Notes that the contents of res changed; for commands that will change it
 * there is tegra20_context_writes(). */
static inline void
tegra20_resource_written(struct tegra20_resource *res)
{
   p_atomic_inc(&res->write_serial);
}

/* Marks res as having undefined contents: later reads return an error.
 * Called when a draw to it failed, since memory was missing
 * (tegra20_screen.refused has changed meanwhile). */
void
tegra20_resource_mark_undefined(struct tegra20_resource *res);

/* The storage of a surface for rendering, clears and reads while it is
 * bound. */
struct tegra20_target {
   struct tegra20_resource *resource;
   unsigned level, layer;
};
/* False when memory for a scratch surface is missing: nothing can be drawn.
 */
bool
tegra20_surface_usable(const struct pipe_surface *surface);

/* The storage for rendering while pixels are not read. */
static inline struct tegra20_target
tegra20_narrow_target(const struct tegra20_surface *surface, unsigned layer)
{
   if (surface->scratch)
      return (struct tegra20_target){ .resource = surface->scratch };
   return (struct tegra20_target){
      .resource = surface->storage,
      .level = surface->base.u.tex.level,
      .layer = layer,
   };
}

static inline struct tegra20_target
tegra20_surface_target(struct pipe_surface *base, unsigned layer)
{
   struct tegra20_surface *surface = tegra20_surface(base);

   surface->newer = true;
   if (surface->widened)
      return (struct tegra20_target){ .resource = surface->wide };
   return tegra20_narrow_target(surface, layer);
}

/* The resource of a bound depth and stencil surface. */
static inline struct tegra20_resource *
tegra20_surface_zs(const struct pipe_surface *base)
{
   const struct tegra20_surface *surface =
      (const struct tegra20_surface *)base;

   return surface->widened ? surface->wide : surface->storage;
}

/* Before a draw that reads the pixels of the surface, or draws samples. */
void
tegra20_surface_widen(struct tegra20_context *ctx,
                      struct pipe_surface *surface);

/* Before a surface is bound, and after it was (or when the texture's contents
 * are used otherwise). */
void
tegra20_surface_prepare(struct tegra20_context *ctx,
                        struct pipe_surface *surface);
void
tegra20_surface_finish(struct tegra20_context *ctx,
                       struct pipe_surface *surface);

/* Finishes bound surfaces that belong to res (all, when NULL). */
void
tegra20_finish_scratch(struct tegra20_context *ctx,
                       const struct tegra20_resource *res);

/* There was no memory for something that a draw needs (indices, converted
 * attributes, a copy of a texture), so it may not have been drawn. */
void
tegra20_targets_mark_undefined(struct tegra20_context *ctx);

/* Before the targets change, or the CPU reads one.  The state tracker does
 * not say when it has no memory for the vertices of a draw, which then does
 * not come; another context may have been the one. */
void
tegra20_targets_look_for_lost(struct tegra20_context *ctx);

void
tegra20_surface_context_init(struct tegra20_context *ctx);
void
tegra20_resource_screen_init(struct tegra20_screen *screen);
void
tegra20_transfer_context_init(struct tegra20_context *ctx);

/* Exchanges the memory of a buffer for new one, unless it is shared.  False:
 * keep the old one. */
bool
tegra20_resource_reallocate(struct tegra20_resource *res);

#endif
