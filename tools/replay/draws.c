/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Draw by draw: a job is executed in pieces that end behind a draw or a fill,
 * as if the rest came later; what memory differs in from the piece before is
 * what that draw did.  A page shows the pictures, one behind the other.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tegra20/register_info.h"

#include "replay.h"

#define NUM_REGS 0x1000
#define MAX_NAMES 12 /* of registers that a row of the page lists */

/* Where a piece of a job ends: behind a draw or a fill. */
struct cut {
   unsigned cmd, count; /* the last command, its words */
   bool is_fill;
};

struct cuts {
   struct cut *list;
   unsigned count, max;
   unsigned cmd;
   bool pending, is_fill, failed;
   uint32_t fill_trigger;
};

struct draws {
   struct draws_options options;
   FILE *page;
   unsigned number; /* of the next draw */
   bool stopped;
   uint32_t gr3d[NUM_REGS];
   bool changed[NUM_REGS]; /* since the draw before */
   struct targets *targets;
};

struct draws *
draws_create(const struct draws_options *options)
{
   char path[4096];
   struct draws *draws = calloc(1, sizeof(*draws));
   if (!draws)
      return NULL;
   draws->options = *options;
   draws->targets = targets_create(NULL);
   if (!options->directory)
      return draws;
   snprintf(path, sizeof(path), "%s/index.html", options->directory);
   if ((mkdir(options->directory, 0777) && errno != EEXIST) ||
       !(draws->page = fopen(path, "w"))) {
      fprintf(stderr, "tegra20-replay: cannot write %s: %s\n", path,
              strerror(errno));
      draws_destroy(draws);
      return NULL;
   }
   fputs("<!DOCTYPE html><meta charset=\"utf-8\"><title>Draws</title>\n"
         "<style>body{font-family:sans-serif}img{max-width:240px;"
         "max-height:180px;background:#888}td{vertical-align:top;padding:"
         "4px 8px;border-top:1px solid #ccc}</style>\n<table><tr><th>Draw"
         "<th>Surface<th>Changed<th>Picture<th>Registers that it changed\n",
         draws->page);
   return draws;
}

bool
draws_destroy(struct draws *draws)
{
   bool ok = true;
   if (!draws)
      return true;
   if (draws->page) {
      fputs("</table>\n", draws->page);
      ok = !ferror(draws->page);
      ok &= !fclose(draws->page);
   }
   targets_destroy(draws->targets);
   free(draws);
   return ok;
}

/* --- where the draws of a job end --- */

static void
add_cut(struct cuts *cuts, unsigned count)
{
   if (!cuts->pending)
      return;
   cuts->pending = false;
   if (cuts->count == cuts->max) {
      const unsigned max = cuts->max ? 2 * cuts->max : 64;
      struct cut *bigger = realloc(cuts->list, max * sizeof(*bigger));
      cuts->failed |= !bigger;
      if (!bigger)
         return;
      cuts->list = bigger;
      cuts->max = max;
   }
   cuts->list[cuts->count++] =
      (struct cut){ cuts->cmd, count, cuts->is_fill };
}

/* A job ends between two opcodes. */
static void
on_opcode(void *data, uint32_t word, unsigned index)
{
   add_cut(data, index);
}

static void
on_write(void *data, uint32_t class_id, uint32_t offset, uint32_t value,
         unsigned index)
{
   struct cuts *cuts = data;
   if (class_id == CLASS_GR2D && offset == 0x09)
      cuts->fill_trigger = value & 0x7f;
   const bool is_draw = class_id == CLASS_GR3D && offset == 0x123;
   const bool is_fill =
      class_id == CLASS_GR2D && offset == 0x3a && cuts->fill_trigger == 0x3a;
   if (is_draw || is_fill) {
      cuts->pending = true;
      cuts->is_fill = is_fill;
   }
}

static void
find_cuts(struct cuts *cuts, const struct recording_record *job)
{
   const struct stream_handler handler = { on_opcode, on_write, cuts };
   uint32_t class_id = job->class_id;
   const uint32_t *words = job->words;
   for (unsigned i = 0; i < job->num_cmds; i++) {
      if (job->cmds[i].is_wait)
         continue;
      cuts->cmd = i;
      stream_walk(words, job->cmds[i].count, &class_id, &handler);
      add_cut(cuts, job->cmds[i].count);
      words += job->cmds[i].count;
   }
}

/* --- what a draw did --- */

struct change {
   unsigned pixels, left, top, right, bottom;
};

static struct change
find_change(const struct surface *surface, const uint8_t *before)
{
   struct change change = { .left = surface->width, .top = surface->height };
   for (unsigned y = 0; y < surface->height; y++) {
      for (unsigned x = 0; x < surface->width; x++) {
         const uint64_t at = surface->offset(surface->data, x, y);
         if (at + surface->cpp > surface->size ||
             !memcmp(surface->memory + at, before + at, surface->cpp))
            continue;
         change.pixels++;
         change.left = x < change.left ? x : change.left;
         change.top = y < change.top ? y : change.top;
         change.right = x > change.right ? x : change.right;
         change.bottom = y > change.bottom ? y : change.bottom;
      }
   }
   return change;
}

static void
print_pixel(const struct draws *draws, const struct surface *surface,
            const uint8_t *before, uint32_t address, const char *format)
{
   const unsigned x = draws->options.x, y = draws->options.y;
   if (!draws->options.pixel || x >= surface->width || y >= surface->height)
      return;
   const uint64_t at = surface->offset(surface->data, x, y);
   if (at + surface->cpp > surface->size ||
       !memcmp(surface->memory + at, before + at, surface->cpp))
      return;
   uint32_t old = 0, new = 0;
   memcpy(&old, before + at, surface->cpp);
   memcpy(&new, surface->memory + at, surface->cpp);
   printf("draw %u: pixel %u,%u of 0x%08x (%s): 0x%0*x -> 0x%0*x\n",
          draws->number, x, y, address, format, 2 * (int)surface->cpp, old,
          2 * (int)surface->cpp, new);
}

static const char *
register_name(uint32_t offset)
{
   for (const struct register_info *info = gr3d_registers; info->name;
        info++) {
      const unsigned count = info->count ? info->count : 1;
      for (unsigned i = 0; i < count; i++) {
         if (info->offset + i * info->stride == offset)
            return info->name;
      }
   }
   return NULL;
}

static void
print_registers(struct draws *draws)
{
   const char *last = NULL;
   unsigned printed = 0;
   for (unsigned i = 0; i < NUM_REGS; i++) {
      const char *name = draws->changed[i] ? register_name(i) : NULL;
      draws->changed[i] = false;
      if (!name || name == last)
         continue;
      last = name;
      if (printed < MAX_NAMES)
         fprintf(draws->page, "%s%s", printed ? ", " : "", name);
      printed++;
   }
   if (printed > MAX_NAMES)
      fprintf(draws->page, " and %u more", printed - MAX_NAMES);
}

static void
print_row(struct draws *draws, unsigned job, const struct cut *cut,
          const struct surface *surface, const struct replay_buffer *buffer,
          uint32_t address, const char *format, const struct change *change)
{
   char prefix[4096];
   struct pictures pictures = { .prefix = prefix };
   snprintf(prefix, sizeof(prefix), "%s/%05u-%08x", draws->options.directory,
            draws->number, address);
   fprintf(draws->page,
           "<tr id=\"%u\"><td>%u: %s of job %u<td>0x%08x, %ux%u %s<td>%u "
           "pixels",
           draws->number, draws->number, cut->is_fill ? "fill" : "draw", job,
           address, surface->width, surface->height, format, change->pixels);
   if (change->pixels) {
      fprintf(draws->page, " in %u,%u to %u,%u", change->left, change->top,
              change->right, change->bottom);
      pictures_write(&pictures, *surface, buffer, address, format);
   }
   fputs("<td>", draws->page);
   if (pictures.num_written > 0)
      fprintf(draws->page, "<img src=\"%05u-%08x-0-%ux%u-%s.png\">",
              draws->number, address, surface->width, surface->height,
              format);
   fputs("<td>", draws->page);
   print_registers(draws);
   fputc('\n', draws->page);
}

static uint64_t
hash_surface(const struct surface *surface)
{
   uint64_t hash = surface->width;
   for (unsigned y = 0; y < surface->height; y++) {
      for (unsigned x = 0; x < surface->width; x++) {
         const uint64_t at = surface->offset(surface->data, x, y);
         uint32_t pixel = 0;
         if (at + surface->cpp <= surface->size)
            memcpy(&pixel, surface->memory + at, surface->cpp);
         hash = (hash ^ pixel) * 0x100000001b3;
      }
   }
   return hash;
}

/* before: the contents of the buffers, one behind the other.  False: out of
 * memory. */
static bool
look(struct draws *draws, unsigned number, const struct cut *cut,
     const struct recording_record *job,
     const struct replay_buffer *const *buffers, const uint8_t *before)
{
   struct surface surface;
   uint32_t address;
   const char *format;
   uint64_t picture = 0;
   for (unsigned i = 0;
        targets_last(draws->targets, i, &surface, &address, &format); i++) {
      uint64_t start = 0;
      for (unsigned b = 0; b < job->num_buffers; b++) {
         const struct replay_buffer *buffer = buffers[b];
         if (replay_buffer_holds(buffer, address)) {
            const uint32_t offset = address - buffer->address;
            const uint8_t *old = before + start + offset;
            surface.memory = buffer->memory + offset;
            surface.size = buffer->size - offset;
            print_pixel(draws, &surface, old, address, format);
            if (draws->options.trace)
               picture = picture * 31 + hash_surface(&surface);
            if (draws->page) {
               const struct change change = find_change(&surface, old);
               print_row(draws, number, cut, &surface, buffer, address,
                         format, &change);
            }
         }
         start += buffer->size;
      }
   }
   return !draws->options.trace ||
          trace_draw(draws->options.trace, number, cut->is_fill, picture);
}

/* --- execution --- */

static void
note_register(void *data, uint32_t class_id, uint32_t offset, uint32_t value,
              unsigned index)
{
   struct draws *draws = data;
   if (class_id != CLASS_GR3D)
      return;
   if (draws->options.trace)
      trace_write(draws->options.trace, offset & 0xfff, value);
   if (draws->gr3d[offset & 0xfff] == value)
      return;
   draws->gr3d[offset & 0xfff] = value;
   draws->changed[offset & 0xfff] = true;
}

/* Notes the registers that a piece writes; its first words are of the class
 * *class_id. */
static void
note_registers(struct draws *draws, const struct sim_cmd *piece,
               unsigned num_cmds, uint32_t *class_id)
{
   const struct stream_handler handler = { .write = note_register,
                                           .data = draws };
   for (unsigned i = 0; i < num_cmds; i++) {
      if (piece[i].type == SIM_CMD_GATHER)
         stream_walk(piece[i].gather.words, piece[i].gather.count, class_id,
                     &handler);
   }
}

static void
copy_buffers(const struct recording_record *job,
             const struct replay_buffer *const *buffers, uint8_t *to)
{
   for (unsigned i = 0; i < job->num_buffers; i++) {
      memcpy(to, buffers[i]->memory, buffers[i]->size);
      to += buffers[i]->size;
   }
}

/* The commands behind one cut up to another. */
static unsigned
make_piece(struct sim_cmd *piece, const struct sim_job *job,
           const struct cut *from, const struct cut *to)
{
   unsigned n = 0;
   for (unsigned c = from->cmd; c < job->num_cmds && c <= to->cmd; c++) {
      struct sim_cmd cmd = job->cmds[c];
      if (cmd.type == SIM_CMD_GATHER) {
         const unsigned start = c == from->cmd ? from->count : 0;
         const unsigned end = c == to->cmd ? to->count : cmd.gather.count;
         cmd.gather.words += start;
         cmd.gather.count = end - start;
         if (end <= start)
            continue;
      }
      piece[n++] = cmd;
   }
   return n;
}

bool
draws_job(struct draws *draws, struct sim *sim, unsigned number,
          const struct recording_record *job, const struct sim_job *sim_job,
          const struct replay_buffer *const *buffers, bool *hung)
{
   struct cuts cuts = { 0 };
   struct cut from = { 0 };
   uint64_t size = 1;
   find_cuts(&cuts, job);
   for (unsigned i = 0; i < job->num_buffers; i++)
      size += buffers[i]->size;
   uint8_t *before = malloc(size);
   struct sim_cmd *piece = calloc(job->num_cmds + 1, sizeof(*piece));
   struct recorder_cmd *cmds = calloc(job->num_cmds + 1, sizeof(*cmds));
   uint32_t class_id = job->class_id;
   bool ok = before && piece && cmds && !cuts.failed;
   if (ok) {
      copy_buffers(job, buffers, before);
      memcpy(cmds, job->cmds, job->num_cmds * sizeof(*cmds));
   }
   for (unsigned i = 0; i <= cuts.count && ok && !draws->stopped; i++) {
      const bool rest = i == cuts.count;
      const struct cut to =
         rest ? (struct cut){ .cmd = job->num_cmds } : cuts.list[i];
      struct sim_job part = *sim_job;
      part.cmds = piece;
      part.num_cmds = make_piece(piece, sim_job, &from, &to);
      part.continues = i > 0;
      part.cut = !rest;
      *hung |= sim_execute(sim, &part) != SIM_OK;
      note_registers(draws, piece, part.num_cmds, &class_id);
      from = to;
      if (rest)
         break;
      struct recording_record so_far = *job;
      const uint32_t whole = cmds[to.cmd].count;
      cmds[to.cmd].count = to.count;
      so_far.cmds = cmds;
      so_far.num_cmds = to.cmd + 1;
      targets_job(draws->targets, &so_far);
      ok = look(draws, number, &to, job, buffers, before);
      copy_buffers(job, buffers, before);
      cmds[to.cmd].count = whole;
      draws->stopped = draws->number++ == draws->options.last;
   }
   free(cmds);
   free(piece);
   free(before);
   free(cuts.list);
   return ok;
}

bool
draws_stopped(const struct draws *draws)
{
   return draws->stopped;
}
