/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Searches are optional work: nothing that the application does may wait for
 * one, nor may the end of the process.  So there is nothing to wait on, no
 * lock and no join.  A search belongs to its owner and to the thread, and the
 * last of them frees it.  The owner appends it to a list with an atomic
 * exchange and continues; to cancel a search it sets a flag.  The thread
 * takes the list as a whole, begins with the program that costs the engine
 * most, and ends when nothing is left.  The thread is never joined; its code
 * stays mapped (tegra20_screen.c), so libraries may be closed and processes
 * may exit while it works.
 */

#include "tegra20_improve.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "c11/threads.h"
#include "compiler/glsl_types.h"
#include "compiler/nir/nir.h"
#include "util/list.h"
#include "util/ralloc.h"
#include "util/u_thread.h"

#include "tegra20_cache.h"
#include "tegra20_context.h"
#include "tegra20_cost.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"
#include "tegra20_variant.h"

#define MAX_SEARCHES 64 /* of a process */
#define NS_PER_S 1000000000

/* Below the application's priority.  At the lowest one (19) a thread that the
 * kernel stops inside of malloc() may keep others out for a second. */
#define NICE 10

/*
 * A search for the best code of one program.  It has memory of its own,
 * because ralloc knows nothing of threads.
 */
struct search {
   struct tegra20_cancel cancel;
   struct search *next;   /* in the list that its thread will take */
   struct list_head node; /* in the list of the thread */
   unsigned num_owners;   /* p_atomic */
   bool is_unwanted;      /* p_atomic: set by the owner */
   bool is_over;          /* p_atomic: set by the thread */
   uint32_t cycles;       /* p_atomic: cycles spent by the engine,
                             thousands */
   int64_t end;           /* of the CPU time of its thread, ns */

   nir_shader *nir;
   struct tegra20_fs_key key;
   struct tegra20_compiler_options options;
   struct tegra20_fs *program; /* NULL: nothing was found */
};

/* The variant's share in its search, a ralloc child of the variant. */
struct tegra20_improvement {
   struct tegra20_fs_variant *variant;
   struct search *search;
   struct list_head node; /* of the context */
};

/* Of the process.  All p_atomic. */
static struct {
   struct search *handed_over;
   bool has_thread;
   bool is_spent; /* there will be no searches any more */
   unsigned num_searches;
} searches;

/* --- a search --- */

static void
search_unref(struct search *s)
{
   if (!p_atomic_dec_zero(&s->num_owners))
      return;
   ralloc_free(s);
   glsl_type_singleton_decref();
}

static int64_t
thread_time(void)
{
   struct timespec t;

   clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
   return t.tv_sec * (int64_t)NS_PER_S + t.tv_nsec;
}

static bool
is_cancelled(const struct tegra20_cancel *cancel)
{
   const struct search *s = container_of(cancel, struct search, cancel);

   return p_atomic_read(&s->is_unwanted) || thread_time() >= s->end;
}

static void
search_run(struct search *s)
{
   char *reason;

   if (is_cancelled(&s->cancel) ||
       !tegra20_compile_fs_key(s, s->nir, &s->key, &s->options, &s->program,
                               &reason) ||
       is_cancelled(&s->cancel))
      s->program = NULL;
   p_atomic_set(&s->is_over, true);
}

/* --- the thread --- */

/* Adds queued searches, and drops cancelled ones. */
static void
take_over(struct list_head *list)
{
   for (struct search *s = p_atomic_xchg(&searches.handed_over, NULL), *next;
        s; s = next) {
      next = s->next;
      list_addtail(&s->node, list);
   }
   list_for_each_entry_safe (struct search, s, list, node) {
      if (p_atomic_read(&s->is_unwanted)) {
         list_del(&s->node);
         p_atomic_dec(&searches.num_searches);
         search_unref(s);
      }
   }
}

static struct search *
most_drawn(struct list_head *list)
{
   struct search *most = list_first_entry(list, struct search, node);

   list_for_each_entry (struct search, s, list, node) {
      if (p_atomic_read(&s->cycles) > p_atomic_read(&most->cycles))
         most = s;
   }
   return most;
}

/* The time that is left, ns, is kept from one thread to the next. */
static void
run_all(struct list_head *list)
{
   static int64_t left = TEGRA20_SEARCH_SECONDS * (int64_t)NS_PER_S;
   const int64_t end = thread_time() + left;

   for (take_over(list); !list_is_empty(list); take_over(list)) {
      struct search *s = most_drawn(list);

      s->end = end;
      search_run(s);
      p_atomic_set(&s->is_unwanted, true);
   }
   left = end - thread_time();
   if (left <= 0)
      p_atomic_set(&searches.is_spent, true);
}

static int
thread_main(void *unused)
{
   struct list_head list;

   u_thread_setname("tegra20:best");
   setpriority(PRIO_PROCESS, 0 /* this thread */, NICE);
   list_inithead(&list);
   do {
      run_all(&list);
      (void)p_atomic_xchg(&searches.has_thread, false);
      /* a search queued before that found a thread, and is found here */
   } while (p_atomic_read(&searches.handed_over) &&
            !p_atomic_xchg(&searches.has_thread, true));
   return 0;
}

/* The child of a fork has no thread, and the searches of its parent are
 * lost. */
static void
forget_thread(void)
{
   searches.handed_over = NULL;
   searches.has_thread = false;
   searches.num_searches = 0;
}

static void
init_once(void)
{
   pthread_atfork(NULL, NULL, forget_thread);
}

static void
ensure_thread(void)
{
   static once_flag once = ONCE_FLAG_INIT;
   thrd_t thread;

   if (p_atomic_xchg(&searches.has_thread, true))
      return;
   call_once(&once, init_once);
   if (u_thread_create(&thread, thread_main, NULL) == thrd_success)
      thrd_detach(thread);
   else /* queued searches remain queued */
      p_atomic_set(&searches.is_spent, true);
}

/* --- the context --- */

static struct search *
search_new(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   struct search *s = rzalloc(NULL, struct search);

   glsl_type_singleton_init_or_ref();
   s->num_owners = 1;
   s->end = INT64_MAX;
   s->nir = tegra20_build_fs(s, v);
   s->key = v->key.program;
   s->options = ctx->screen->compiler;
   s->options.is_part = v->shader->part_of;
   s->options.cancel = &s->cancel;
   s->cancel.is_cancelled = is_cancelled;
   return s;
}

static void
hand_over(struct search *s)
{
   p_atomic_inc(&s->num_owners);
   p_atomic_inc(&searches.num_searches);
   do {
      s->next = p_atomic_read(&searches.handed_over);
   } while (p_atomic_cmpxchg_ptr(&searches.handed_over, s->next, s) !=
            s->next);
   ensure_thread();
}

/* The variant is freed, or has the result. */
static void
end_improvement(void *improvement)
{
   struct tegra20_improvement *x = improvement;

   x->variant->improvement = NULL;
   list_del(&x->node);
   p_atomic_set(&x->search->is_unwanted, true);
   search_unref(x->search);
}

/* False: later, perhaps. */
static bool
begin_improvement(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   if (p_atomic_read(&searches.is_spent) ||
       p_atomic_read(&searches.num_searches) >= MAX_SEARCHES)
      return false;

   struct tegra20_improvement *x = rzalloc(v, struct tegra20_improvement);
   x->variant = v;
   x->search = search_new(ctx, v);
   v->improvement = x;
   list_addtail(&x->node, &ctx->improvements);
   ralloc_set_destructor(x, end_improvement);
   if (!DBG(SYNC))
      hand_over(x->search);
   return true;
}

/* The program has cost the engine another layer of a draw. */
static void
add_layer(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   v->draft_cycles += ctx->cost->layer;
   if (v->draft_cycles < TEGRA20_DRAFT_CYCLES)
      return;
   if (!v->looked_for)
      v->looked_for = begin_improvement(ctx, v);
   if (v->improvement)
      p_atomic_set(&v->improvement->search->cycles,
                   MIN2(v->draft_cycles / 1024, UINT32_MAX));
}

void
tegra20_improve_note_draft(struct tegra20_context *ctx,
                           struct tegra20_fs_variant *v)
{
   struct tegra20_fs_variant *whole = v->shader->part_of;

   add_layer(ctx, v);
   if (whole && whole->gave_up_soon)
      add_layer(ctx, whole);
}

void
tegra20_improve_finish(struct tegra20_context *ctx)
{
   list_for_each_entry_safe (struct tegra20_improvement, x,
                             &ctx->improvements, node) {
      if (DBG(SYNC))
         search_run(x->search);
      else if (!p_atomic_read(&x->search->is_over))
         continue;
      if (x->search->program)
         tegra20_exchange_fs(ctx, x->variant, x->search->program);
      ralloc_free(x);
   }
}
