/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * GR3D: register file, upload ports and the path of a draw (gr3d-registers.md
 * 2 and 6.4).
 *
 * A draw is executed completely when 0x123 is written, so the register file
 * itself is the snapshot that it uses.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tegra20/gr3d_regs.h"
#include "tegra20/register_info.h"
#include "vertex.h"

static void
describe_registers(struct gr3d *gr3d)
{
   for (const struct register_info *info = gr3d_registers; info->name; info++)
      for (unsigned i = 0; i < info->count; i++)
         gr3d->reg_kind[(info->offset + i * info->stride) % GR3D_NUM_REGS] =
            tegra20_chip_has_group(gr3d->chip, info->chip)
               ? GR3D_REG_THIS_CHIP
               : GR3D_REG_OTHER_CHIP;
   if (!gr3d->chip->packed_alu_sched)
      gr3d->reg_kind[GR3D_FP_UPLOAD_ALU_SCHED_4X] = GR3D_REG_OTHER_CHIP;
}

bool
gr3d_init(struct gr3d *gr3d, struct sim *sim)
{
   gr3d->sim = sim;
   gr3d->chip = sim->options.chip;
   /* Zeroed by the system page by page as it is used: most programs draw few
    * vertices at a time. */
   size_t alignment = _Alignof(struct gr3d_vertex_state);
   gr3d->vertex_memory = calloc(1, sizeof(*gr3d->vertex) + alignment - 1);
   if (!gr3d->vertex_memory)
      return false;
   gr3d->vertex = (void *)(((uintptr_t)gr3d->vertex_memory + alignment - 1) &
                           ~(uintptr_t)(alignment - 1));
   describe_registers(gr3d);
   return true;
}

void
gr3d_fini(struct gr3d *gr3d)
{
   gr3d_fragment_fini(gr3d);
   free(gr3d->vertex_memory);
}

/*
 * The kernel gives a job 10 s, about this many clocks of the engine: a job
 * that takes longer hangs.  Counted with the cost model of assumption A79.
 */
#define JOB_CLOCKS 3000000000ull

static uint64_t
job_clocks(const struct gr3d *gr3d)
{
   return gr3d->sim->options.job_clocks ? gr3d->sim->options.job_clocks
                                        : JOB_CLOCKS;
}

void
gr3d_check_time(struct gr3d *gr3d)
{
   if (atomic_load_explicit(&gr3d->clocks_left, memory_order_relaxed) < 0)
      sim_hang(
         gr3d->sim, SIM_DIAG_FP_TIME, SIM_NO_REG, -1,
         "the job's vertices, fragments, pixels and bytes take more than "
         "%" PRIu64 " clocks, longer than the kernel waits",
         job_clocks(gr3d));
}

static void
fill(uint32_t *words, size_t count, uint32_t value)
{
   for (size_t i = 0; i < count; i++)
      words[i] = value;
}

#define POISON(array) fill((uint32_t *)(array), sizeof(array) / 4, poison)

void
gr3d_job_begin(struct gr3d *gr3d)
{
   struct gr3d_programs *prog = &gr3d->prog;
   uint32_t poison = sim_switch(gr3d->sim, 75) == 1 ? 0 : SIM_POISON;
   POISON(gr3d->regs.value);
   memset(gr3d->regs.written, 0, sizeof(gr3d->regs.written));
   POISON(prog->vp);
   POISON(prog->vp_const);
   POISON(prog->pseq);
   POISON(prog->mfu_sched);
   POISON(prog->tex);
   POISON(prog->alu_sched);
   POISON(prog->alu_complement);
   POISON(prog->dw);
   POISON(prog->mfu);
   POISON(prog->alu);
   memset(prog->vp_written, 0, sizeof(prog->vp_written));
   memset(prog->vp_const_written, 0, sizeof(prog->vp_const_written));
   prog->pseq_count = prog->mfu_sched_count = prog->tex_count =
      prog->alu_sched_count = 0;
   prog->alu_complement_count = prog->dw_count = prog->mfu_words =
      prog->alu_words = 0;
   prog->vp_serial++;
   prog->vp_const_serial++;
   prog->fp_serial++;
   memset(gr3d->flat_mask, 0, sizeof(gr3d->flat_mask));
   memset(gr3d->tram_written, 0, sizeof(gr3d->tram_written));
   memset(gr3d->engine, 0, sizeof(gr3d->engine));
   gr3d->written_411 = false;
   gr3d->zeroed_750 = 0;
   gr3d->fdc_invalidated = false;
   gr3d->lines = 3;
   gr3d->draw_number = 0;
   atomic_store_explicit(&gr3d->clocks_left, (long long)job_clocks(gr3d),
                         memory_order_relaxed);
   gr3d->vertex->changed = true;
}

static void
set_register(struct gr3d *gr3d, uint32_t offset, uint32_t value)
{
   gr3d->regs.value[offset] = value;
   gr3d->regs.written[offset] = 1;
}

/*
 * Takes the position of the next word from an upload pointer and advances the
 * pointer by step.  False when the memory behind the port, limit words long,
 * has no such position: the word is lost.
 */
static bool
upload_position(struct gr3d *gr3d, uint32_t pointer, uint32_t step,
                uint32_t limit, uint32_t *position)
{
   if (!gr3d->regs.written[pointer])
      sim_report(gr3d->sim, SIM_DIAG_REG_UNWRITTEN, pointer, -1,
                 "upload through a port whose pointer 0x%03x is not set",
                 pointer);
   *position = gr3d->regs.value[pointer];
   if (*position >= limit || *position + step > limit) {
      sim_report(
         gr3d->sim, SIM_DIAG_UPLOAD_RANGE, pointer, -1,
         "upload pointer 0x%03x is %u, the memory behind it has %u words",
         pointer, *position, limit);
      return false;
   }
   gr3d->regs.value[pointer] = *position + step;
   return true;
}

/* One word of a table with one entry per EXEC. */
static void
upload_table(struct gr3d *gr3d, uint32_t pointer, uint32_t *table,
             unsigned *count, uint32_t value)
{
   uint32_t position;
   if (!upload_position(gr3d, pointer, 1, 64, &position))
      return;
   table[position] = value;
   if (*count < position + 1)
      *count = position + 1;
   gr3d->prog.fp_serial++;
}

/* Four 8-bit schedule entries, the first in the low byte (assumption A80). */
static void
upload_packed(struct gr3d *gr3d, uint32_t pointer, uint32_t *table,
              unsigned *count, uint32_t value)
{
   bool high_first = sim_switch(gr3d->sim, 80) == 1;
   uint32_t position;
   if (!upload_position(gr3d, pointer, 4, 64, &position))
      return;
   for (unsigned i = 0; i < 4; i++)
      table[position + i] = value >> (high_first ? 24 - 8 * i : 8 * i) & 0xff;
   if (*count < position + 4)
      *count = position + 4;
   gr3d->prog.fp_serial++;
}

static void
upload_instruction(struct gr3d *gr3d, uint32_t pointer, uint32_t *memory,
                   uint32_t limit, unsigned *words, uint32_t value)
{
   uint32_t position;
   if (!upload_position(gr3d, pointer, 1, limit, &position))
      return;
   memory[position] = value;
   if (*words < position + 1)
      *words = position + 1;
   gr3d->prog.fp_serial++;
}

static void
upload_vertex_program(struct gr3d *gr3d, uint32_t value)
{
   uint32_t position;
   if (!upload_position(gr3d, GR3D_VP_UPLOAD_INST_ID, 1, 4 * VPE_NUM_INSNS,
                        &position))
      return;
   gr3d->prog.vp[position / 4][position % 4] = value;
   gr3d->prog.vp_written[position / 4] |= 1 << position % 4;
   gr3d->prog.vp_serial++;
}

static void
upload_vertex_constant(struct gr3d *gr3d, uint32_t value)
{
   uint32_t position;
   if (!upload_position(gr3d, GR3D_VP_UPLOAD_CONST_ID, 1,
                        4 * gr3d->chip->vs_consts, &position))
      return;
   gr3d->prog.vp_const[position / 4][position % 4] = value;
   gr3d->prog.vp_const_written[position / 4] |= 1 << position % 4;
   gr3d->prog.vp_const_serial++;
}

/* 0xe22 sets the pointers of the tables with one entry per EXEC
 * (gr3d-registers.md 2.2). */
static void
reset_upload_pointers(struct gr3d *gr3d, uint32_t value)
{
   static const uint16_t pointers[] = {
      GR3D_FP_PSEQ_UPLOAD_INST_ID,      GR3D_FP_UPLOAD_MFU_SCHED_ID,
      GR3D_FP_UPLOAD_TEX_INST_ID,       GR3D_FP_UPLOAD_ALU_SCHED_ID,
      GR3D_FP_UPLOAD_ALU_COMPLEMENT_ID, GR3D_FP_UPLOAD_DW_INST_ID,
   };
   if (value)
      sim_report(gr3d->sim, SIM_DIAG_REG_VALUE, GR3D_FP_UPLOAD_INST_ID_COMMON,
                 -1, "0x%03x = 0x%x: only 0 is known",
                 GR3D_FP_UPLOAD_INST_ID_COMMON, value);
   for (unsigned i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++)
      set_register(gr3d, pointers[i], value);
}

/* Attributes -> exports -> struct gr3d_vertex for all distinct vertices of
 * the draw. */
static bool
process_vertices(struct gr3d *gr3d)
{
   struct gr3d_vertex_state *vs = gr3d->vertex;
   struct sim *sim = gr3d->sim;
   for (unsigned first = 0; first < vs->num_slots; first += VPE_LANES) {
      unsigned count = vs->num_slots - first;
      if (count > VPE_LANES)
         count = VPE_LANES;
      gr3d_vertex_fetch(gr3d, first, count);
      if (!vpe_run(gr3d, count))
         return false;
      sim->stats.vertex_clocks += vs->lanes.clocks;
      atomic_fetch_sub_explicit(&gr3d->clocks_left,
                                (long long)vs->lanes.clocks,
                                memory_order_relaxed);
      for (unsigned e = 0; e < GR3D_NUM_EXPORTS; e++)
         if (vs->setup.exports >> e & 1)
            for (unsigned lane = 0; lane < count; lane++)
               for (unsigned c = 0; c < 4; c++)
                  vs->exports[first + lane].v[e][c] =
                     vs->lanes.export[e][c][lane];
      for (unsigned lane = 0; lane < count; lane++)
         gr3d_setup_vertex(gr3d, first + lane);
      for (unsigned lane = 0; lane < count && sim->adversary; lane++)
         sim_adversary_result(sim->adversary, vs->number[first + lane], vs,
                              first + lane);
   }
   sim->stats.vertices += vs->num_slots;
   for (unsigned i = 0; i < GR3D_NUM_ATTRIBS; i++)
      if (vs->attrib[i].size)
         sim->stats.vertex_bytes +=
            (uint64_t)vs->num_slots * vs->attrib[i].element_size;
   gr3d_check_time(gr3d);
   return !sim->hang;
}

/* What a draw leaves behind must not reach the next one
 * (sim_options.scramble). */
static void
scramble(struct gr3d_vertex_state *vs, uint8_t byte)
{
   memset(&vs->lanes, byte, sizeof(vs->lanes));
   memset(&vs->setup, byte, sizeof(vs->setup));
   memset(vs->attrib, byte, sizeof(vs->attrib));
   memset(vs->slot, byte, sizeof(vs->slot));
   memset(vs->number, byte, sizeof(vs->number));
   memset(vs->exports, byte, sizeof(vs->exports));
   memset(vs->vertex, byte, sizeof(vs->vertex));
   memset(vs->clip_code, byte, sizeof(vs->clip_code));
}

/*
 * Engines (gr3d-registers.md 5.1).  Which of them hear a register write,
 * 0xb00 says; where there is one, it hears everything.  The simulator keeps
 * one register file for both, and for each what it was told to be by 0xe41.
 */
unsigned
gr3d_write_mask(const struct gr3d *gr3d)
{
   const unsigned all = (1u << gr3d->chip->engines) - 1;

   if (!(gr3d->chip->quirks & TEGRA20_QUIRK_WRITE_MASK) ||
       !gr3d->regs.written[GR3D_GSHIM_WRITE_MASK])
      return all;
   return gr3d->regs.value[GR3D_GSHIM_WRITE_MASK] & all;
}

static void
tell_engines(struct gr3d *gr3d, uint32_t value)
{
   for (unsigned e = 0; e < gr3d->chip->engines; e++) {
      if (gr3d_write_mask(gr3d) >> e & 1)
         gr3d->engine[e] =
            (struct gr3d_engine){ .identity = value, .told = true };
   }
}

/* 3 draws the odd lines of tiles, 1 the even ones.  What other numbers do is
 * guessed: the same as 1, so that a stream without them loses half of a
 * picture. */
static void
share_draw(struct gr3d *gr3d)
{
   gr3d->lines = gr3d->chip->engines == 1 ? 3 : 0;
   gr3d->engines_told = 0;
   for (unsigned e = 0; e < gr3d->chip->engines; e++) {
      if (gr3d->chip->engines > 1 && (gr3d_write_mask(gr3d) >> e & 1))
         gr3d->lines |= gr3d->engine[e].identity == 3 ? 2 : 1;
      if (gr3d->engine[e].told)
         gr3d->engines_told |= 1u << e;
      gr3d->engine[e].told = false;
   }
}

void
gr3d_run_draw(struct gr3d *gr3d)
{
   vpe_program_update(gr3d);
   gr3d_vertex_fetch_begin(gr3d);
   gr3d_setup_begin(gr3d);
   if (gr3d->sim->options.strict)
      gr3d_check_draw(gr3d);
   if (process_vertices(gr3d) && gr3d_fragment_begin(gr3d)) {
      gr3d_setup_draw(gr3d);
      gr3d_fragment_end(gr3d);
   }
}

static void
draw(struct gr3d *gr3d)
{
   struct sim *sim = gr3d->sim;
   sim->stats.draws++;
   if (sim->options.noop) {
      gr3d->draw_number++;
      return;
   }
   if (sim->options.scramble)
      scramble(gr3d->vertex, sim->options.scramble);
   sim_overlap_before_draw(sim->overlap);
   uint32_t params = gr3d->regs.value[GR3D_DRAW_PARAMS];
   sim_adversary_draw(
      sim->adversary,
      params & GR3D_DRAW_PARAMS_VTX_MEM_CACHE_INVALIDATE__MASK,
      params & GR3D_DRAW_PARAMS_VTX_GPU_CACHE_INVALIDATE__MASK);
   share_draw(gr3d);
   gr3d_run_draw(gr3d);
   sim_overlap_after_draw(sim->overlap);
   gr3d->draw_number++;
}

void
gr3d_write(struct gr3d *gr3d, uint32_t offset, uint32_t value)
{
   struct gr3d_programs *prog = &gr3d->prog;
   if (gr3d->sim->options.strict)
      gr3d_check_write(gr3d, offset, value);
   if (offset >= GR3D_UNK_750(0) && offset <= GR3D_UNK_750(15) && !value)
      gr3d->zeroed_750 |= 1u << (offset - GR3D_UNK_750(0));
   /* a register that does not exist takes nothing; the write mask reaches
    * only what comes behind it */
   if (gr3d->reg_kind[offset] == GR3D_REG_OTHER_CHIP ||
       (offset != GR3D_GSHIM_WRITE_MASK && !gr3d_write_mask(gr3d)) ||
       (gr3d->chip->quirks & TEGRA20_QUIRK_WRITE_MASK &&
        !gr3d->regs.written[GR3D_GSHIM_WRITE_MASK] &&
        offset >= GR3D_UNK_750(0) && offset <= GR3D_UNK_750(15)))
      return;
   sim_overlap_wrote(gr3d->sim->overlap, offset);
   set_register(gr3d, offset, value);
   switch (offset) {
   case GR3D_UNK_E41:
      tell_engines(gr3d, value);
      break;
   case 0x411:
      gr3d->written_411 = true;
      break;
   case GR3D_DRAW_PRIMITIVES:
      draw(gr3d);
      break;
   case GR3D_VP_UPLOAD_INST_ID:
      if (sim_switch(gr3d->sim, 19) ==
          1) /* counts instructions (assumption A19) */
         gr3d->regs.value[offset] = value < VPE_NUM_INSNS ? 4 * value : ~0u;
      break;
   case GR3D_FDC_CONTROL:
      gr3d->fdc_invalidated |= value & 1;
      if (value & 1)
         sim_adversary_invalidated(gr3d->sim->adversary);
      break;
   case GR3D_VP_UPLOAD_INST:
      upload_vertex_program(gr3d, value);
      break;
   case GR3D_VP_UPLOAD_CONST:
      upload_vertex_constant(gr3d, value);
      break;
   case GR3D_FP_PSEQ_UPLOAD_INST:
      upload_table(gr3d, GR3D_FP_PSEQ_UPLOAD_INST_ID, prog->pseq,
                   &prog->pseq_count, value);
      break;
   case GR3D_FP_UPLOAD_MFU_SCHED:
      upload_table(gr3d, GR3D_FP_UPLOAD_MFU_SCHED_ID, prog->mfu_sched,
                   &prog->mfu_sched_count, value);
      break;
   case GR3D_FP_UPLOAD_MFU_SCHED_4X:
      upload_packed(gr3d, GR3D_FP_UPLOAD_MFU_SCHED_ID, prog->mfu_sched,
                    &prog->mfu_sched_count, value);
      break;
   case GR3D_FP_UPLOAD_MFU_INST:
      upload_instruction(gr3d, GR3D_FP_UPLOAD_MFU_INST_ID, prog->mfu[0], 128,
                         &prog->mfu_words, value);
      break;
   case GR3D_FP_UPLOAD_TEX_INST:
      upload_table(gr3d, GR3D_FP_UPLOAD_TEX_INST_ID, prog->tex,
                   &prog->tex_count, value);
      break;
   case GR3D_FP_UPLOAD_ALU_SCHED:
      upload_table(gr3d, GR3D_FP_UPLOAD_ALU_SCHED_ID, prog->alu_sched,
                   &prog->alu_sched_count, value);
      break;
   case GR3D_FP_UPLOAD_ALU_SCHED_4X:
      upload_packed(gr3d, GR3D_FP_UPLOAD_ALU_SCHED_ID, prog->alu_sched,
                    &prog->alu_sched_count, value);
      break;
   case GR3D_FP_UPLOAD_ALU_INST:
      upload_instruction(gr3d, GR3D_FP_UPLOAD_ALU_INST_ID, prog->alu[0],
                         8 * gr3d->chip->fs_alu, &prog->alu_words, value);
      break;
   case GR3D_FP_UPLOAD_ALU_INST_COMPLEMENT:
      upload_table(gr3d, GR3D_FP_UPLOAD_ALU_COMPLEMENT_ID,
                   prog->alu_complement, &prog->alu_complement_count, value);
      break;
   case GR3D_FP_UPLOAD_DW_INST:
      upload_table(gr3d, GR3D_FP_UPLOAD_DW_INST_ID, prog->dw, &prog->dw_count,
                   value);
      break;
   case GR3D_FP_UPLOAD_INST_ID_COMMON:
      reset_upload_pointers(gr3d, value);
      break;
   default:
      if (offset >= GR3D_TEXTURE_POINTER(0) &&
          offset <= GR3D_TEXTURE_POINTER(15))
         sim_adversary_sent(gr3d->sim->adversary,
                            offset - GR3D_TEXTURE_POINTER(0));
      break;
   }
}
