/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_cache.h"

#include <pthread.h>

#include "compiler/nir/nir_serialize.h"
#include "util/blob.h"
#include "util/disk_cache.h"
#include "util/disk_cache_os.h"
#include "util/mesa-sha1.h"
#include "util/u_call_once.h"

#include "tegra20/tegra20_hw.h"

#include "multipass/tegra20_cut.h"
#include "tegra20_screen.h"

/* Of the process: its end waits for a thread of lowest priority, which takes
 * up to a tenth of a second on a busy machine.  NULL: there is none. */
static struct disk_cache *cache;

static struct disk_cache *
get_disk_shader_cache(struct pipe_screen *pscreen)
{
   return cache;
}

static void
write_entries(void)
{
   if (cache)
      disk_cache_wait_for_idle(cache);
}

/* The child of a fork has no thread, a lock that it may have held, and files
 * whose position its parent moves: it does without. */
static void
forget(void)
{
   if (!cache)
      return;
   mtx_init(&cache->cache_queue.lock, mtx_plain); /* for exit() */
   cache->cache_queue.num_threads = 0;
   cache = NULL;
}

/* The identity has inputs of the compiler too: what the chip is taken for,
 * and encodings to be avoided.  They are the same for all screens. */
static struct disk_cache *
create(const struct tegra20_compiler_options *options)
{
   struct mesa_sha1 sha1;
   uint8_t digest[SHA1_DIGEST_LENGTH];
   char text[SHA1_DIGEST_STRING_LENGTH];

   _mesa_sha1_init(&sha1);
   if (!disk_cache_get_function_identifier(create, &sha1))
      return NULL;
   _mesa_sha1_update(&sha1, &tegra20_hw, sizeof(tegra20_hw));
   _mesa_sha1_update(&sha1, &options->avoid, sizeof(options->avoid));
   _mesa_sha1_final(&sha1, digest);
   _mesa_sha1_format(text, digest);
   return disk_cache_create("tegra20", text,
                            options->debug & TEGRA20_COMPILER_CHANGES_CODE);
}

static void
init_once(const void *options)
{
   cache = create(options);
   if (!cache)
      return;
   /* with several, pthread_cond_signal() of glibc waits for them to wake */
   cache->cache_queue.max_threads = 1;
   pthread_atfork(NULL, NULL, forget);
   atexit(write_entries);
}

void
tegra20_cache_screen_init(struct tegra20_screen *screen)
{
   static util_once_flag once = UTIL_ONCE_FLAG_INIT;

   util_call_once_data(&once, init_once, &screen->compiler);
   screen->base.get_disk_shader_cache = get_disk_shader_cache;
}

/* A cache that is disabled, or whose directory cannot be written, is there
 * for the application that may bring its own (EGL_ANDROID_blob_cache). */
static bool
keeps_entries(void)
{
   return cache && (!cache->path_init_failed || cache->blob_put_cb);
}

/* Programs that are printed while they are compiled bypass the cache.  Skips
 * hashing when the cache is off, because SHA-1 is expensive. */
static bool
is_used(const struct tegra20_screen *screen)
{
   return keeps_entries() &&
          !(screen->compiler.debug &
            (TEGRA20_COMPILER_PRINT_NIR | TEGRA20_COMPILER_PRINT_IR |
             TEGRA20_COMPILER_DISASM));
}

static void
hash_nir(struct tegra20_shader *shader)
{
   struct blob blob;

   blob_init(&blob);
   nir_serialize(&blob, shader->nir, true);
   _mesa_sha1_compute(blob.data, blob.size, shader->sha1);
   blob_finish(&blob);
   shader->hashed = true;
}

/* Kinds of data of a variant.  Each has its own entry: none is overwritten. */
enum kind {
   BEST,
   DRAFT,
   PARTS, /* why it does not fit, and the parts that it is drawn in */
};

static void
compute_key(struct tegra20_screen *screen, struct tegra20_shader *shader,
            const void *key, size_t size, enum kind kind, cache_key out)
{
   uint8_t data[SHA1_DIGEST_LENGTH + 4 +
                MAX2(sizeof(struct tegra20_fs_variant_key),
                     sizeof(struct tegra20_vs_variant_key))];

   if (!shader->hashed)
      hash_nir(shader);
   memcpy(data, shader->sha1, SHA1_DIGEST_LENGTH);
   data[SHA1_DIGEST_LENGTH] = shader->stage;
   data[SHA1_DIGEST_LENGTH + 1] = screen->chip->id;
   data[SHA1_DIGEST_LENGTH + 2] = kind;
   data[SHA1_DIGEST_LENGTH + 3] = shader->control_uniforms.count;
   memcpy(data + SHA1_DIGEST_LENGTH + 4, key, size);
   disk_cache_compute_key(cache, data, SHA1_DIGEST_LENGTH + 4 + size, out);
}

static void *
find(struct tegra20_screen *screen, struct tegra20_shader *shader,
     const void *key, size_t key_size, enum kind kind,
     struct blob_reader *blob)
{
   cache_key name;
   size_t size;

   if (!is_used(screen))
      return NULL;
   compute_key(screen, shader, key, key_size, kind, name);
   void *data = disk_cache_get(cache, name, &size);
   if (data)
      blob_reader_init(blob, data, size);
   return data;
}

static void
store(struct tegra20_screen *screen, struct tegra20_shader *shader,
      const void *key, size_t key_size, enum kind kind, struct blob *blob)
{
   cache_key name;

   compute_key(screen, shader, key, key_size, kind, name);
   if (!blob->out_of_memory)
      disk_cache_put(cache, name, blob->data, blob->size, NULL);
   blob_finish(blob);
}

struct tegra20_vs *
tegra20_cache_find_vs(struct tegra20_screen *screen,
                      struct tegra20_vs_variant *v)
{
   struct blob_reader blob;
   void *data = find(screen, v->shader, &v->key, sizeof(v->key), BEST, &blob);
   struct tegra20_vs *vs = data ? tegra20_vs_deserialize(v, &blob) : NULL;

   free(data);
   return vs;
}

struct tegra20_fs *
tegra20_cache_find_fs(struct tegra20_screen *screen,
                      struct tegra20_fs_variant *v, bool draft)
{
   struct blob_reader blob;
   void *data = find(screen, v->shader, &v->key, sizeof(v->key),
                     draft ? DRAFT : BEST, &blob);
   struct tegra20_fs *fs = data ? tegra20_fs_deserialize(v, &blob) : NULL;

   free(data);
   return fs;
}

void
tegra20_cache_store_vs(struct tegra20_screen *screen,
                       const struct tegra20_vs_variant *v)
{
   struct blob blob;

   if (!is_used(screen))
      return;
   blob_init(&blob);
   tegra20_vs_serialize(&blob, v->program);
   store(screen, v->shader, &v->key, sizeof(v->key), BEST, &blob);
}

void
tegra20_cache_store_fs(struct tegra20_screen *screen,
                       const struct tegra20_fs_variant *v)
{
   struct blob blob;

   if (!is_used(screen))
      return;
   blob_init(&blob);
   tegra20_fs_serialize(&blob, v->program);
   store(screen, v->shader, &v->key, sizeof(v->key),
         v->program->draft ? DRAFT : BEST, &blob);
}

struct tegra20_parts *
tegra20_cache_find_parts(struct tegra20_screen *screen,
                         struct tegra20_fs_variant *v)
{
   struct tegra20_parts *parts = NULL;
   struct blob_reader blob;
   void *data =
      find(screen, v->shader, &v->key, sizeof(v->key), PARTS, &blob);

   if (!data)
      return NULL;
   const char *reason = blob_read_string(&blob);
   if (reason)
      parts = tegra20_parts_deserialize(v, v->shader->nir->options, &blob);
   if (parts)
      v->reason = ralloc_strdup(v, reason);
   free(data);
   return parts;
}

void
tegra20_cache_store_parts(struct tegra20_screen *screen,
                          const struct tegra20_fs_variant *v)
{
   struct blob blob;

   if (!is_used(screen))
      return;
   blob_init(&blob);
   blob_write_string(&blob, v->reason);
   tegra20_parts_serialize(&blob, v->parts);
   store(screen, v->shader, &v->key, sizeof(v->key), PARTS, &blob);
}
