/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The vertex compiler from NIR to words: the order of the passes and the
 * ladder of strategies.
 */

#include <string.h>

#include "util/ralloc.h"
#include "isa_text.h"
#include "vs_ir.h"

static void
after_pass(struct vs_program *prog, const char *pass)
{
#ifdef NDEBUG
   const bool validate = prog->debug & TEGRA20_COMPILER_VALIDATE;
#else
   const bool validate = true;
#endif

   if (validate)
      vs_validate(prog, pass);
   if (prog->debug & TEGRA20_COMPILER_PRINT_IR) {
      fprintf(stderr, "after %s:\n", pass);
      vs_print_program(stderr, prog);
   }
}

/* Programs that do not fit the registers when scheduled for speed may fit
 * closer to the order of the source. */
static void
schedule_and_allocate(struct vs_program *prog)
{
   const bool in_order = prog->debug & TEGRA20_COMPILER_NO_SCHED;

   for (enum vs_strategy s = in_order ? VS_STRATEGY_IN_ORDER
                                      : VS_STRATEGY_SPEED;
        s <= VS_STRATEGY_IN_ORDER; s++) {
      vs_schedule(prog, s);
      if (vs_allocate_registers(prog))
         return;
   }
   vs_fail(prog,
           "vertex program needs more than %u temporary registers, which is "
           "what the chip has",
           TEGRA20_VS_MAX_TEMPS);
}

static void
run_passes(struct vs_program *prog, nir_shader *nir)
{
   vs_lower_nir(nir);
   if (prog->debug & TEGRA20_COMPILER_PRINT_NIR)
      nir_print_shader(nir, stderr);
   vs_build(prog, nir);
   if (prog->error)
      return;
   after_pass(prog, "building");
   if (!(prog->debug & TEGRA20_COMPILER_NO_PASSES))
      vs_optimize(prog);
   after_pass(prog, "optimizing");
   vs_define_cells(prog);
   vs_legalize_operands(prog);
   after_pass(prog, "legalizing");
   if (!(prog->debug & TEGRA20_COMPILER_NO_PASSES))
      vs_merge_ops(prog);
   after_pass(prog, "merging");
   vs_group_cells(prog);
   after_pass(prog, "grouping");
   if (!prog->error)
      schedule_and_allocate(prog);
   if (!prog->error)
      vs_pack_constants(prog);
}

static void
fill_interface(const struct vs_program *prog, struct tegra20_vs *out)
{
   out->num_consts = prog->num_consts;
   memcpy(out->consts, prog->consts,
          prog->num_consts * sizeof(prog->consts[0]));
   out->values.count =
      util_dynarray_num_elements(&prog->values, struct tegra20_value);
   out->values.nodes =
      ralloc_memdup(out, prog->values.data, prog->values.size);
   out->attribs_read = prog->attribs_read;
   out->exports_written = prog->exports_written;
   memcpy(out->export_slot, prog->export_slot, sizeof(out->export_slot));
   memcpy(out->export_components, prog->export_components,
          sizeof(out->export_components));
   out->psiz_export = prog->psiz_export;
}

/* Nothing leaves the compiler that could hang the engine (assumption A18). */
static void
check_words(struct vs_program *prog, const struct tegra20_vs *vs)
{
   unsigned inst;
   const char *reason =
      vpe_validate((const uint32_t(*)[4])vs->insts, vs->num_insts,
                   prog->chip->vs_consts, &inst);

   if (reason)
      vs_fail(prog,
              "internal error of the vertex compiler: instruction %u: %s",
              inst, reason);
}

static void
print_words(FILE *out, const struct tegra20_vs *vs)
{
   char text[ISA_MAX_TEXT];

   fprintf(out, ".vertex\n");
   for (unsigned i = 0; i < vs->num_insts; i++) {
      vpe_print_inst(vs->insts[i], text, sizeof(text));
      fprintf(out, "%s // %u\n", text, i);
   }
}

bool
tegra20_compile_vs(void *mem_ctx, const nir_shader *nir,
                   const struct tegra20_vs_key *key,
                   const struct tegra20_compiler_options *options,
                   struct tegra20_vs **out, char **error)
{
   struct vs_program *prog = vs_program_create(NULL, key);
   struct tegra20_vs *vs = rzalloc(mem_ctx, struct tegra20_vs);

   prog->debug = options ? options->debug : 0;
   prog->chip = tegra20_chip_or_default(options ? options->chip : NULL);
   run_passes(prog, nir_shader_clone(prog, nir));
   if (!prog->error)
      vs_emit(prog, vs, vs);
   if (!prog->error)
      check_words(prog, vs);
   if (prog->error) {
      *error = ralloc_strdup(mem_ctx, prog->error);
      ralloc_free(vs);
      ralloc_free(prog);
      return false;
   }
   if (options && (options->debug & TEGRA20_COMPILER_DISASM))
      print_words(options->disasm ? options->disasm : stderr, vs);
   fill_interface(prog, vs);
   ralloc_free(prog);
   *out = vs;
   return true;
}

char *
tegra20_vs_stats_string(void *mem_ctx, const struct tegra20_vs_stats *stats)
{
   return ralloc_asprintf(
      mem_ctx, "%u inst, %u dual, %u cycles, %u temps, %u consts, %u loops",
      stats->insts, stats->dual, stats->cycles, stats->temps, stats->consts,
      stats->loops);
}
