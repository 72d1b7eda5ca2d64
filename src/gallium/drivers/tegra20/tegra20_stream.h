/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Writing the words of a job: registers, and groups of registers.
 */

#ifndef TEGRA20_STREAM_H
#define TEGRA20_STREAM_H

#include <string.h>

#include "util/u_math.h"

#include "tegra20/host1x_stream.h"

#include "tegra20_context.h"

struct tegra20_stream {
   struct tegra20_job *job;
   uint32_t *p;
};

static inline void
tegra20_out(struct tegra20_stream *s, uint32_t word)
{
   *s->p++ = word;
}

static inline void
tegra20_out_float(struct tegra20_stream *s, float value)
{
   tegra20_out(s, fui(value));
}

/* One register; the short form when the value has 16 bits. */
static inline void
tegra20_reg(struct tegra20_stream *s, unsigned offset, uint32_t value)
{
   if (value <= 0xffff) {
      tegra20_out(s, host1x_imm(offset, value));
   } else {
      tegra20_out(s, host1x_incr(offset, 1));
      tegra20_out(s, value);
   }
}

static inline void
tegra20_reg_float(struct tegra20_stream *s, unsigned offset, float value)
{
   tegra20_out(s, host1x_incr(offset, 1));
   tegra20_out_float(s, value);
}

static inline void
tegra20_reg_address(struct tegra20_stream *s, unsigned offset,
                    struct tegra20_bo *bo, uint32_t bo_offset,
                    unsigned access)
{
   tegra20_out(s, host1x_incr(offset, 1));
   tegra20_job_reloc(s->job, s->p++, bo, bo_offset, access);
}

static inline void
tegra20_port(struct tegra20_stream *s, unsigned offset, const uint32_t *words,
             unsigned count)
{
   tegra20_out(s, host1x_nonincr(offset, count));
   memcpy(s->p, words, count * 4);
   s->p += count;
}

/*
 * Registers that do not hold addresses are compared with the job's last
 * values of the same group: state objects change more often than registers
 * do, and the kernel reads every word.
 */
static inline void
tegra20_end_group(struct tegra20_stream *s,
                  const struct tegra20_stream *group,
                  struct tegra20_context *ctx, enum tegra20_group id)
{
   struct tegra20_sent *sent = &ctx->sent[id];
   const unsigned count = group->p - s->p;

   if (count == sent->count && memcmp(sent->words, s->p, count * 4) == 0)
      return;
   assert(count <= ARRAY_SIZE(sent->words));
   sent->count = count;
   memcpy(sent->words, s->p, count * 4);
   s->p = group->p;
}

/* The same for words that lie ready. */
static inline void
tegra20_send_group(struct tegra20_stream *s, struct tegra20_context *ctx,
                   enum tegra20_group id, const uint32_t *words,
                   unsigned count)
{
   struct tegra20_sent *sent = &ctx->sent[id];

   if (count == sent->count && memcmp(sent->words, words, count * 4) == 0)
      return;
   sent->count = count;
   memcpy(sent->words, words, count * 4);
   memcpy(s->p, words, count * 4);
   s->p += count;
}

#endif
