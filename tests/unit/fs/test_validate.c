/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The validator: programs in text form, each of which breaks one rule of fragment-pipeline.md 10.1, and the word that the
 * complaint has to contain; NULL for programs that are in order.
 *
 * The programs have uniforms u0..u7 in fp20 and the low half of u8, TRAM row 0 in fp20 and the columns x and y of row 1 in
 * fx10, and texture unit 0.
 */

#include "unit.h"
#include "fs/fs.h"
#include "fs_program.h"

#define INTERP(what) "mfu rcp r4, mul0 w = sfu*b0, mul1 w = sfu*b1, " what ";"
#define ALL INTERP("r0 = tram0.x, r1 = tram0.y, r2 = tram0.z, r3 = tram0.w")
#define STORE "store surface1, r0;"
#define N " | nop"
#define FILL "alu r0.l = 0*0 + 0 | r0.h = 0*0 + 0 | r1.l = 0*0 + 0 | r1.h = 0*0 + 0;"

static const struct {
   const char *text, *complaint;
} cases[] = {
   /* in order */
   {"rows 1; exec;", NULL},
   {"rows 1; exec; " FILL STORE, NULL},
   {"rows 1; exec; " ALL STORE, NULL},
   {"rows 1; exec; fetch surface1, r2; " INTERP("r0 = tram0.x, r1 = tram0.y") "tex r0 = sample0(r0); " STORE, NULL},
   {"rows 1; exec; " ALL "alu r0 = r0*1 + r1" N N N "; alu r1 = alu0*1 + 0" N N N "; alu r2 = r0*1 + 0" N N N "; " STORE, NULL},
   {"rows 1; exec; " ALL "alu void = recv r0*r1 + 0 | void = send r1*r2 + 0 | void = send r2*r3 + 0 | void = r3*r3 + 0; " STORE, NULL},
   {"rows 1; exec; " INTERP("r0 = tram1.x fx10, r1 = tram1.y fx10") STORE, NULL},
   {"rows 1; exec; " ALL "mfu pre_cos r1; mfu cos r1; " STORE, NULL},
   {"rows 1; exec; " ALL "mfu pre_cos r1; exec; mfu cos r1; " STORE, NULL},
   {"rows 1; exec; alu void = u8.l*k0 + u7 | nop | nop | const 0, 0, 0; alu void = alu0*k1 + 0 | nop | nop | const 0, 0, 0;", "without meaning"},
   {"rows 1; exec; alu void = u8.l*k0 + u7 | nop | nop | const 0, 0, 0; alu r0 = alu0*k1 + 0 | nop | nop | const 0, 0, 0;", NULL},
   {"rows 2; exec; " ALL "exec; alu r4 = r0*1 + 0" N N N "; exec; " FILL STORE "exec;", NULL},
   {"rows 1; exec; " ALL "alu kill = gt0 r0*1 + 0" N N N "; " STORE, NULL},
   {"rows 1; exec; " ALL "store surface2, stencil;", NULL},
   {"rows 1; exec; alu c0 = gt0 u0*1 + 0" N N N "; alu nop" N N N "; alu kill = c0*1 + 0" N N N "; ", NULL},
   {"rows 1; exec; " INTERP("r0 = tram0.x, r1 = tram0.y, r2 = tram0.z") "mfu rcp r2, mul0 r0 = r0*sfu, mul1 r1 = r1*sfu; tex r0 = sample0(r0); " STORE, NULL},
   /* numbers */
   {"rows 2; exec; exec; exec;", "rows"},
   {"rows 3; exec;", "rows"},
   /* MFU */
   {"rows 1; exec; mfu r0 = tram0.x;", "weights"},
   {"rows 1; exec; mfu rcp r4, mul0 w = sfu*b0, r0 = tram0.x;", "weights"},
   {"rows 1; exec; mfu rcp r4, mul0 w = sfu*b1, mul1 w = sfu*b0, r0 = tram0.x;", "weights"},
   {"rows 1; exec; " INTERP("r0 = tram0.x") INTERP("r1 = tram0.y"), "not the first"},
   {"rows 1; exec; mfu rcp r1;", "holds nothing"},
   {"rows 1; exec; mfu rcp r5;", "unknown"},
   {"rows 1; exec; " ALL "mfu mul0 r0 = r1*r2, mul1 r1 = r3*r3;", "other one writes"},
   {"rows 1; exec; " ALL "mfu rcp r0, mul0 r1 = r0*r2;", "special function writes"},
   {"rows 1; exec; " ALL "mfu rcp r0, mul0 r0 = r1*r2;", "same register"},
   {"rows 1; exec; " ALL "mfu mul0 r0 = r1*r2, mul1 r0 = r2*r2;", "both MFU multipliers"},
   {"rows 1; exec; " ALL "mfu mul0 r0 = r1*sfu;", "there is none"},
   {"rows 1; exec; " ALL "mfu cos r1;", "without its first"},
   {"rows 1; exec; " ALL "mfu pre_sin r1; mfu cos r1;", "without its first"},
   {"rows 1; exec; " ALL "mfu pre_sin r1; mfu frc r1;", "first step"},
   {"rows 1; exec; " ALL "mfu pre_ex2 r1; mfu mul0 r0 = r1*r2;", "first step"},
   {"rows 1; exec; " ALL "mfu pre_ex2 r1; tex r2 = sample0(r0);", "first step"},
   {"rows 1; exec; " ALL "mfu pre_ex2 r1; " STORE, "first step"},
   {"rows 1; exec; " ALL "mfu pre_ex2 r1; alu r0 = r1*1 + 0" N N N ";", "first step"},
   {"rows 1; exec; " INTERP("r0 = tram2.x"), "no input"},
   {"rows 1; exec; " INTERP("r0 = tram0.x fx10"), "another format"},
   {"rows 1; exec; " INTERP("r0 = tram1.x"), "another format"},
   {"rows 1; exec; " INTERP("r3 = tram1.w fx10"), "no input"},
   {"rows 1; exec; " INTERP("r0 = tram0.x !var_sat.x=1"), "never run"},
   /* lookups and fetches */
   {"rows 1; exec; tex r0 = sample0(r0);", "holds nothing"},
   {"rows 1; exec; " INTERP("r0 = tram0.x") "tex r0 = sample0(r0);", "holds nothing"},
   {"rows 1; exec; " INTERP("r0 = tram0.x, r1 = tram0.y") "tex r0 = sample0(r0) bias;", "holds nothing"},
   {"rows 1; exec; " ALL "tex r0 = sample0(r0) !unknown6=1;", "unknown bits"},
   {"rows 1; exec; " ALL "tex r0 = sample1(r0);", "without being named"},
   {"rows 2; exec; exec; fetch surface1, r2;", "row 0"},
   {"rows 1; exec; fetch surface0, r2;", "known fetch"},
   {"rows 1; exec; fetch surface3, r2; exec; " FILL STORE "exec; fetch surface3, r2;", NULL},
   {"rows 1; exec; fetch surface1, r2; exec; " FILL STORE "exec; fetch surface1, r2;", "after its store"},
   {"rows 1; exec; fetch surface1, r2 !unknown0=1;", "known fetch"},
   /* stores */
   {"rows 1; exec; " STORE, "holds nothing"},
   {"rows 1; exec; " ALL "store surface0, r0;", "depth or stencil"},
   {"rows 1; exec; " ALL "store surface2, r0;", "depth or stencil"},
   {"rows 1; exec; " ALL "store surface3, stencil;", "number 2"},
   {"rows 1; exec; " ALL "store surface1, r0 !unknown1=1;", "unknown bits"},
   {"rows 2; exec; " ALL "exec; " ALL STORE, "row 0"},
   {"rows 2; exec; " ALL STORE "exec; alu r4 = 1*1 + 0" N N N ";", "behind a store"},
   {"rows 1; exec; alu r0.l = 0*0 + 0" N N N "; " STORE, "holds nothing"},
   /* registers */
   {"rows 1; exec; alu r4 = 1*1 + 0" N N N ";", "does not exist"},
   {"rows 1; exec; alu void = r4*1 + 0" N N N ";", "does not exist"},
   {"rows 1; exec; alu void = r0*1 + 0" N N N ";", "holds nothing"},
   {"rows 1; exec; " ALL "alu void = r0*1 + g0" N N N ";", "global"},
   {"rows 1; exec; " ALL "alu void = r0*1 + coverage" N N N ";", "not known"},
   {"rows 1; exec; alu posx = 1*1 + 0" N N N ";", "writes register"},
   {"rows 1; exec; alu g1 = 1*1 + 0" N N N ";", "writes register"},
   {"rows 1; exec; alu r0.l = 1*1 + 0 | r0.l = 0*1 + 0" N N ";", "same half"},
   {"rows 1; exec; alu r0 = 1*1 + 0 | r0.h = 0*1 + 0" N N ";", "same half"},
   {"rows 1; exec; alu c1 = gt0 u0*1 + 0 | c1 = gt0 u1*1 + 0" N N ";", "same condition"},
   {"rows 1; exec; alu c0 = gt0 u0*1 + 0 | c1 = gt0 u1*1 + 0" N N ";", NULL},
   {"rows 1; exec; alu c0 = gt0 u0*1 + 0" N N N "; exec; alu kill = c1*1 + 0" N N N ";", "c1 is read"},
   {"rows 1; exec; alu c0 = gt0 u0*1 + 0" N N N "; exec; alu kill = c0*1 + 0 !fx10.z=0" N N N ";", "as fp20"},
   {"rows 1; exec; alu r0 = u9*1 + 0" N N N ";", "no value"},
   {"rows 1; exec; alu r0 = u8.h*1 + 0" N N N ";", "no value"},
   {"rows 1; exec; alu r0 = u8*1 + 0" N N N ";", "another format"},
   {"rows 1; exec; alu r0 = u7.l*1 + 0" N N N ";", "another format"},
   {"rows 1; exec; alu r0 = u7*1 + 0 !no_add=1" N N N ";", "without addition"},
   /* delays */
   {"rows 1; exec; alu void = alu0*1 + 0" N N N ";", "first packet"},
   {"rows 2; exec; " FILL "exec; alu void = alu0*1 + 0" N N N ";", "first packet"},
   {"rows 1; exec; " ALL "alu r0 = r1*1 + 0" N N N "; alu void = r0*1 + 0" N N N ";", "after its write"},
   {"rows 1; exec; " ALL "alu r0.l = r1*1 + 0" N N N "; alu void = r0.h*1 + 0" N N N ";", "after its write"},
   {"rows 2; exec; " ALL "alu r0 = r1*1 + 0" N N N "; exec; alu void = r0*1 + 0" N N N ";", "after its write"},
   {"rows 1; exec; alu c0 = gt0 u0*1 + 0" N N N "; alu kill = c0*1 + 0" N N N ";", "condition register"},
   {"rows 1; exec; " ALL "alu void = r0*1 + 0" N N N "; alu void = alu0.l*1 + 0" N N N ";", "as fx10"},
   /* units */
   {"rows 1; exec; " ALL "alu nop | nop | nop | void = r0*k0 + 0;", "units 0 to 2"},
   {"rows 1; exec; " ALL "alu r0 = recv r0*k0 + 0 | void = send r1*r1 + 0 | void = send r1*r1 + 0 | const 1, 2, 3;", "holds constants"},
   {"rows 1; exec; " ALL "alu r0 = recv r0*r1 + 0 | r1 = r1*r2 + 0 | nop | void = r3*r3 + 0; " STORE, NULL}, /* A95 */
   {"rows 1; exec; " ALL "alu r0 = recv r0*r1 + 0 | void = send r1*r2 + 0 | r1 = r0*1 + 0 | void = r3*r3 + 0; " STORE, NULL},
   {"rows 1; exec; " ALL "alu r0 = send r0*r1 + 0 | r1 = r1*r2 + 0 | nop | void = r3*r3 + 0; " STORE, "no effect"},
   {"rows 1; exec; " ALL "alu void = r0*k0 + 0 | nop | nop | const 1, 2, 3;", "without meaning"},
   {"rows 1; exec; " ALL "alu r0 = k0*0 + r1 | nop | nop | const 1, 2, 3;", "without meaning"},
   {"rows 1; exec; " ALL "alu r0 = 0*k1 + r1 | nop | nop | const 1, 2, 3;", "without meaning"},
   {"rows 1; exec; " ALL "alu r0 = k0*k1 + r1 | nop | nop | const 0, 0, 0;", NULL}, /* which of them is 0 may change */
   {"rows 1; exec; " ALL "alu r0 = k0*r1 + 0 | nop | nop | const 1, 2, 3; alu r2 = alu3*1 + 0" N N N ";", "alu3 is read behind"},
   {"rows 1; exec; " ALL "alu void = recv r0*r1 + 0 | void = send r1*r1 + 0 | nop | void = send r1*r1 + 0;", "never seen"},
   {"rows 1; exec; " ALL "alu nop | void = send r1*r1 + 0 | void = send r1*r1 + 0 | nop;", "nobody receives"},
   {"rows 1; exec; " ALL "alu nop | void = recv r1*r1 + 0 | nop | nop;", "never seen"},
   {"rows 1; exec; " ALL "alu void = r0*1 + 0 !d_sub1=1" N N N ";", "operand D"},
   {"rows 1; exec; " ALL "alu void = r0*1 + 0 !half.z=1" N N N ";", "selects a half"},
   {"rows 2; exec; " ALL "exec; " ALL "alu void = r0*r1 + r2 | void = r3*r4 + r5 | void = r6*1 + 0 | nop;", "more registers"},
   {"rows 1; exec; " ALL "alu r0 = r0*k0 + 0 | nop | nop | const 0x3e000, 0x40000, 0x37333;", NULL}, /* bits of the number where an instruction has send */
   {"rows 1; exec; alu void = u0*u1 + u2 | void = u3*u4 + u5 | nop | nop;", "more registers"},
};

/* What the compiler says of a program beside its words. */
static void
describe(struct tegra20_fs *fs, bool kills)
{
   for (unsigned i = 0; i < 8; i++)
      fs->uniforms[i] = (struct tegra20_fs_const){TEGRA20_FS_FP20, {0, TEGRA20_NO_VALUE}};
   fs->uniforms[8] = (struct tegra20_fs_const){TEGRA20_FS_FX10, {0, TEGRA20_NO_VALUE}};
   for (unsigned column = 0; column < 4; column++)
      fs->inputs[fs->num_inputs++] = (struct tegra20_fs_input){.row = 0, .column = column, .type = 3};
   for (unsigned i = 0; i < 4; i++)
      fs->inputs[fs->num_inputs++] = (struct tegra20_fs_input){.row = 1, .column = i / 2, .type = 1 + i % 2};
   fs->samplers_used = 1;
   fs->kills = kills;
   fs->last_store_exec = 1;
   for (unsigned i = 0; i < fs->num_execs; i++) {
      if (fs->dw[i])
         fs->last_store_exec = i + 1;
   }
}

TEST_ROWS_CALLED(rules, cases, text)
{
   static struct fs_words words;
   struct isa_parser parser = {0};
   void *ctx = ralloc_context(NULL);

   if (!fs_program_parse(c->text, TEGRA20_CHIP_TEGRA20, &words, &parser))
      fail_msg("%s", parser.error);
   struct tegra20_fs fs = {.chip = words.chip, .rows = words.rows, .num_execs = words.num_execs, .num_mfu = words.num_mfu,
                           .num_alu = words.num_alu};
   memcpy(fs.pseq, words.pseq, sizeof(fs.pseq));
   memcpy(fs.mfu_sched, words.mfu_sched, sizeof(fs.mfu_sched));
   memcpy(fs.tex, words.tex, sizeof(fs.tex));
   memcpy(fs.alu_sched, words.alu_sched, sizeof(fs.alu_sched));
   memcpy(fs.dw, words.dw, sizeof(fs.dw));
   memcpy(fs.mfu, words.mfu, sizeof(fs.mfu));
   memcpy(fs.alu, words.alu, sizeof(fs.alu));

   describe(&fs, strstr(c->text, "kill") != NULL);
   const char *complaint = fs_validate(ctx, &fs);
   if (!complaint != !c->complaint || (complaint && !strstr(complaint, c->complaint)))
      fail_msg("\"%s\", not \"%s\"", complaint ? complaint : "", c->complaint ? c->complaint : "");
   ralloc_free(ctx);
}

/* Words that disagree with what the compiler says of them. */
TEST(descriptions)
{
   static struct tegra20_fs fs;
   const struct tegra20_fs good = {.rows = 1, .num_execs = 2, .last_store_exec = 1};
   static const uint32_t nops[8] = {0x000fe7e8, 0x3e41f200, 0x000fe7e8, 0x3e41f200,
                                    0x000fe7e8, 0x3e41f200, 0x000fe7e8, 0x3e41f200};
   void *ctx = ralloc_context(NULL);

   fs = good;
   assert_null(fs_validate(ctx, &fs));
   fs.last_store_exec = 2;
   assert_non_null(strstr(fs_validate(ctx, &fs), "last store"));
   fs = good;
   fs.kills = true;
   assert_non_null(strstr(fs_validate(ctx, &fs), "does not kill"));
   fs = good;
   fs.mfu_sched[1] = 0x100;
   assert_non_null(strstr(fs_validate(ctx, &fs), "unknown bits"));
   fs = good;
   fs.alu_sched[1] = 0x100;
   assert_non_null(strstr(fs_validate(ctx, &fs), "unknown bits"));
   fs = good;
   fs.chip = TEGRA20_CHIP_TEGRA114;
   assert_non_null(strstr(fs_validate(ctx, &fs), "unknown bits"));
   fs.alu_sched[0] = fs.alu_sched[1] = 0xe0000000;
   assert_null(fs_validate(ctx, &fs));
   fs.num_alu = 128;
   for (unsigned i = 0; i < fs.num_alu; i++)
      memcpy(fs.alu[i], nops, sizeof(nops));
   fs.alu_sched[1] = 0xe0780800;
   assert_null(fs_validate(ctx, &fs));
   fs.alu_sched[1] = 0xe0780900;
   assert_non_null(strstr(fs_validate(ctx, &fs), "of 9 packets"));
   fs.alu_sched[1] = 0xe0790800;
   assert_non_null(strstr(fs_validate(ctx, &fs), "behind the pool"));
   fs.chip = TEGRA20_CHIP_TEGRA30;
   assert_non_null(strstr(fs_validate(ctx, &fs), "128 packets"));
   fs = good;
   fs.alu_sched[1] = 1;
   assert_non_null(strstr(fs_validate(ctx, &fs), "behind the pool"));
   ralloc_free(ctx);
}
