/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Interpolation and fragment programs.
 */

#include <string.h>

#include "hwtest.h"
#include "tegra20/gr3d_regs.h"

#define WHOLE 0, 0, TEST_SIZE, TEST_SIZE
#define ALL 0, 1, 1, 1, 1

/*
 * The program in data over a quad whose varying goes from (0, 0) to (1, 1).
 * Uniforms, as fp20: u0 0.5, u1 0.75, u2 1.5, u3 1/4, u4 8192, u5 -4, u6 1 +
 * 2^-13, u7 10, u8 64, u9 -1.5, u10 4096; as pairs: u16 (0.5, 0.25), u17
 * (1.5, 1), u18 (-1.5, 0.75).
 */
static void
program(struct test *t, const void *data)
{
   static const double fp20[] = {
      0.5, 0.75, 1.5, 0.25, 8192, -4, 1.0001220703125, 10, 64, -1.5, 4096
   };
   for (unsigned i = 0; i < sizeof(fp20) / sizeof(fp20[0]); i++)
      test_uniform(t, i, fp20[i]);
   test_uniform_pair(t, 16, 0.5, 0.25);
   test_uniform_pair(t, 17, 1.5, 1);
   test_uniform_pair(t, 18, -1.5, 0.75);
   test_fragment_program(t, data);
   test_ramp(t, WHOLE, 1, 1);
}

/* A triangle facing away, w different at each vertex. */
static void
perspective(struct test *t, const void *data)
{
   test_uniform(t, 8, 64);
   test_uniform(t, 4, 1024);
   test_fragment_program(t, data);
   unsigned first = test_clip_vertex(t, -1, -1, 0, 1, 0, 0, 0.1f, 1);
   test_clip_vertex(t, 2.6f, -2.6f, 0, 2.6f, 1, 0, 3.7f, 1);
   test_clip_vertex(t, -1.7f, 1.7f, 0, 1.7f, 0, 1, -2.5f, 1);
   test_draw(t, GR3D_PRIMITIVE_TYPE_TRIANGLES, first, 3);
}

static void
fx10_varying(struct test *t, const void *data)
{
   test_linker(t, 0, 0x8, 0x9584, 1);
   test_fragment_program(
      t, "rows 1; exec; " MFU_SETUP
         ", r0 = tram0.x fx10, r1 = tram0.y fx10; store surface1, r0;");
   unsigned first = test_vertex(t, 0, 0, 0, 0.1f, 3.7f, -2.5f, 1e12f);
   test_vertex(t, 64, 0, 0, 1, 0, 1, 0);
   test_vertex(t, 0, 64, 0, 0, 1, 0, 1);
   test_vertex(t, 64, 64, 0, 0.5f, 0.5f, 0.5f, 0.5f);
   test_draw(t, GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP, first, 4);
}

static void
back_face(struct test *t, const void *data)
{
   test_fragment_program(t, data);
   for (unsigned k = 0; k < 2; k++) {
      float x = 32 * k;
      unsigned first = test_vertex(t, k ? x + 32 : x, 0, ALL);
      test_vertex(t, k ? x : x + 32, 0, ALL);
      test_vertex(t, x, 64, ALL);
      test_draw(t, GR3D_PRIMITIVE_TYPE_TRIANGLES, first, 3);
   }
}

/* Schedules of three EXECs through the packed ports: MFU in the first, ALU in
 * the third. */
static void
packed_schedules(struct test *t, const void *data)
{
   test_fragment_program(
      t, "rows 1; exec; " MFU_SETUP
         ", r0 = tram0.x, r1 = tram0.y, r2 = tram0.z, r3 = tram0.w; exec;"
         "exec; alu r2.l = r0*1 + 0 | r2.h = r1*1 + 0 | r3.l = r2*1 + 0 | "
         "r3.h = r3*1 + 0; exec;"
         "store surface1, r2;");
   test_reg(t, GR3D_FP_UPLOAD_MFU_SCHED_ID, 0);
   test_reg(t, GR3D_FP_UPLOAD_MFU_SCHED_4X, 0x00000001);
   test_reg(t, GR3D_FP_UPLOAD_ALU_SCHED_ID, 0);
   test_reg(t, GR3D_FP_UPLOAD_ALU_SCHED_4X, 0x00010000);
   test_ramp(t, WHOLE, 1, 1);
}

static void
without_uniform(struct test *t, const void *data)
{
   /* u31 is the last word that test_3d() writes to the uniforms: make it u30
    * again. */
   for (unsigned i = 0; i + 1 < t->num_words; i++) {
      if (t->words[i] == (1u << 28 | GR3D_FP_CONST(31) << 16 | 1))
         t->words[i] -= 1u << 16;
   }
   test_fragment_program(t, "rows 1; exec; alu r2.l = u31.l*1 + 0 | r2.h = "
                            "u31.h*1 + 0 | r3.l = u31*1 + 0 | r3.h = 1*1 + 0;"
                            "store surface1, r2;");
   test_quad(t, WHOLE, ALL);
}

/* data: number of EXECs, each of which adds 1/128. */
static void
long_program(struct test *t, const void *data)
{
   static char text[64 * 100 + 400];
   unsigned execs = *(const unsigned *)data;
   strcpy(text, "rows 1; exec; alu r0.l = 0*0 + 0 | r0.h = 1*1 + 0 | r1.l = "
                "0*0 + 0 | r1.h = 1*1 + 0;");
   for (unsigned e = 1; e < execs; e++)
      strcat(text, "exec; alu r0.l = r0.l*1 + u0.l | nop | nop | nop;");
   strcat(text, "store surface1, r0;");
   test_uniform_pair(t, 0, 0.0078125, 0);
   test_fragment_program(t, text);
   test_quad(t, WHOLE, ALL);
}

#define FP(ident, title, text, code)    \
   {                                    \
      ident, title, text, program, code \
   }
#define RESULT "store surface1, r2;"
#define OPAQUE "r3.l = 0*0 + 0 | r3.h = 1*1 + 0;"
#define INTERPOLATE "rows 1; exec; " MFU_SETUP ", r0 = tram0.x, r1 = tram0.y;"
#define PLAIN "rows 1; exec;"
#define UNSIGNED(v)  \
   &(const unsigned) \
   {                 \
      v              \
   }

static const struct experiment table[] = {
   { "A42", "ramp", "the last bits of a varying", program,
     INTERPOLATE "alu r0 = r0*u4 + 0 | r1 = r1*u4 + 0 | nop | nop; exec; mfu "
                 "frc r0; mfu frc r1;"
                 "alu r2.l = r0*1 + 0 | r2.h = r1*1 + 0 | " OPAQUE RESULT },
   { "A42", "fx10-varying", "varyings in fx10, out of range too",
     fx10_varying },
   { "A43", "perspective", "varyings with different w, amplified",
     perspective,
     "rows 1; exec; " MFU_SETUP ", r0 = tram0.x, r1 = tram0.y; alu r0 = "
     "r0*u4 + 0 | r1 = r1*u4 + 0 | nop | nop;"
     "exec; mfu frc r0; mfu frc r1; alu r2.l = r0*1 + 0 | r2.h = r1*1 + 0 "
     "| " OPAQUE RESULT },
   { "A43", "r4-again", "rcp r4 in the second MFU instruction", perspective,
     "rows 1; exec; mfu rcp r3; " MFU_SETUP ", r0 = tram0.x, r1 = tram0.y;"
     "alu r2.l = r0*1 + 0 | r2.h = r1*1 + 0 | " OPAQUE RESULT },
   FP("A44", "write-read", "a register read one packet after its write",
      INTERPOLATE "alu r0 = u0*1 + 0 | nop | nop | nop; alu r2.l = r0*1 + 0 "
                  "| r2.h = r1*1 + 0 | " OPAQUE RESULT),
   FP("A44", "write-condition-read",
      "a condition register read one packet after its write",
      PLAIN "alu c0 = u0*1 + 0 | nop | nop | nop; alu c0 = 0*0 + 0 | nop | "
            "nop | nop;"
            "alu r2.l = c0*1 + 0 | r2.h = 0*0 + 0 | " OPAQUE RESULT),
   FP("A116", "write-empty-read",
      "a register read in the next EXEC, an empty packet after its write",
      INTERPOLATE "alu r0 = u0*1 + 0 | nop | nop | nop; "
                  "alu nop | nop | nop | nop; exec; alu r2.l = r0*1 + 0 "
                  "| r2.h = r1*1 + 0 | " OPAQUE RESULT),
   FP("A45", "saturated-alu",
      "a saturated 1.5 and a condition read through alu0 and alu1",
      PLAIN "alu void = sat u2*1 + 0 | void = gt0 u2*1 + 0 | void = x2 u3*1 "
            "+ 0 | nop;"
            "alu r2.l = alu0*u3 + 0 | r2.h = alu1*u3 + 0 | r3.l = alu2*u3 + "
            "0 | r3.h = 1*1 + 0;" RESULT),
   FP("A46", "fx10-overflow", "1.5 + 1 in an fx10 half, times 1/4",
      PLAIN "alu r0.l = u2*1 + 1 | r0.h = u9*1 + -1 | nop | nop; alu nop | "
            "nop | nop | nop;"
            "alu r2.l = r0.l*u3 + 0 | r2.h = -r0.h*u3 + 0 | " OPAQUE RESULT),
   FP("A47", "fp20-rounding", "the last bit of sums, amplified",
      INTERPOLATE "alu r0 = r0*u6 + 1 | r1 = r1*u6 + 1 | nop | nop; exec;"
                  "alu r0 = r0*1 + -1 | r1 = r1*1 + -1 | nop | nop; exec;"
                  "alu r0 = r0*u10 + 0 | r1 = r1*u10 + 0 | nop | nop; exec; "
                  "mfu frc r0; mfu frc r1;"
                  "alu r2.l = r0*1 + 0 | r2.h = r1*1 + 0 | " OPAQUE RESULT),
   FP("A47", "reciprocal-of-0", "rcp 0 compared with 2^32",
      PLAIN
      "mfu rcp r0; alu nop | nop | nop | nop; exec; alu r0 = 0*0 + 0 | nop | "
      "nop | nop; exec; mfu rcp r0;"
      "alu r2.l = gt0 r0*1 + -u4 | r2.h = sat r0*1 + 0 | " OPAQUE RESULT),
   FP("A48", "twice-minus-one", "2 * 0.75 - 1",
      PLAIN "alu r2.l = (2*u1-1)*1 + 0 | r2.h = (2*u18.h-1)*1 + 0 | " OPAQUE
         RESULT),
   FP("A48", "result-modifiers", "scale, saturate, conditions",
      INTERPOLATE "alu r2.l = sat x2 r0*1 + 0 | r2.h = x4 r1*u3 + 0 | r3.l = "
                  "ge0 r0*1 + -r1 | r3.h = half r0*1 + u0;" RESULT),
   FP("A48", "min-max", "MIN and MAX",
      INTERPOLATE "alu r2.l = min(r0*1, r1) | r2.h = max(r0*1, r1) | r3.l = "
                  "min(|r0|*1, u0) | r3.h = max(r1*1, u0);" RESULT),
   FP("A48", "operand-d", "operand D",
      INTERPOLATE "alu r2.l = r0*u0 + r1*|r1| | nop | nop | "
                  "r3.h = 1*1 + 0;" RESULT),
   FP("A48", "two-products", "addition disable",
      PLAIN "alu r2.l = noadd u16.l*u16.h + u18.h*u18.h | r3.h = noadd "
            "u16.l*u16.h + u18.h*u18.h | nop | nop;" RESULT),
   FP("A48", "constants", "k0..k2 in both formats",
      PLAIN "alu r2.l = k0*1 + 0 | r2.h = k1.l*1 + 0 | r3 = k2*1 + 0 | const "
            "0x3c000, 0x00080, 0x20040;" RESULT),
   FP("A49", "globals", "g0 read two packets after its write",
      PLAIN "alu g0 = u1*1 + 0 | g1 = u0*1 + 0 | nop | nop; alu nop | nop | "
            "nop | nop;"
            "alu r2.l = g0*1 + 0 | r2.h = g1*1 + 0 | " OPAQUE RESULT),
   { "A50", "face", "the face register, front and back", back_face,
     PLAIN "alu r2.l = face*k0 + 0 | r2.h = -face*k0 + 0 | r3 = 0*0 + k1 | "
           "const 0x3c000, 0x40000, 0;" RESULT },
   { "A51", "position", "posx and posy", program,
     PLAIN "alu r0 = posx*1 + -u4 | r1 = posy*1 + -u4 | nop | nop; exec; mfu "
           "rcp r0; exec;"
           "alu r2.l = sat r0*1 + 0 | r2.h = r1*k0 + 0 | r3 = 0*0 + k1 | "
           "const 0x32000, 0x40000, 0;" RESULT },
   { "A53", "execs-63", "a program of 63 EXECs", long_program, UNSIGNED(63) },
   { "A53", "execs-64", "a program of 64 EXECs", long_program, UNSIGNED(64) },
   FP("A54", "two-steps", "both steps of cos and 2^x in one EXEC",
      INTERPOLATE
      "exec; mfu pre_cos r0; mfu cos r0; exec; mfu pre_ex2 r1; mfu ex2 r1;"
      "alu r2.l = r0*1 + 0 | r2.h = r1*u0 + 0 | " OPAQUE RESULT),
   FP("A54", "large-angle", "cos of 10 times the coordinate",
      INTERPOLATE "alu r0 = r0*u7 + 0 | r1 = r1*u8 + 0 | nop | nop; exec; "
                  "mfu pre_cos r0; mfu pre_sin r1; exec;"
                  "mfu cos r0; mfu sin r1; alu r2.l = |r0|*1 + 0 | r2.h = "
                  "|r1|*1 + 0 | " OPAQUE RESULT),
   FP("A55", "two-stores", "red in EXEC 0, blue in EXEC 1",
      PLAIN "alu r2.l = 1*1 + 0 | r2.h = 0*0 + 0 | " OPAQUE RESULT "exec;"
            "alu r2.l = 0*0 + 0 | r2.h = 0*0 + 0 | r3.l = 1*1 + 0 | r3.h = "
            "1*1 + 0;" RESULT),
   FP("A131", "kill-without-mask", "a kill with an empty write mask",
      INTERPOLATE "alu kill.n = gt0 r0*1 + -u0 | nop | nop | nop;"
                  "alu r2.l = 1*1 + 0 | r2.h = 0*0 + 0 | " OPAQUE RESULT),
   { "A75", "unwritten-uniform", "a uniform that the job has not written",
     without_uniform },
   { "A80", "packed-schedules", "schedules through 0x602 and 0x802",
     packed_schedules },
   FP("A83", "first-packet", "alu0 in the first packet of an EXEC",
      INTERPOLATE "alu r2.l = alu0*1 + 0 | r2.h = r1*1 + 0 | " OPAQUE
                  "alu void = r0*1 + 0 | nop | nop | nop;" RESULT),
   FP("A84", "alu-as-fx10", "alu0 read as fx10",
      INTERPOLATE
      "alu void = r0*1 + 0 | void = r1*1 + 0 | nop | nop;"
      "alu r2.l = alu0.l*1 + 0 | r2.h = alu1.h*1 + 0 | " OPAQUE RESULT),
   FP("A85", "negative-arguments", "rsq and sqrt of -4, lg2 of -4",
      PLAIN "alu r0 = u5*1 + 0 | r1 = u5*1 + 0 | r2 = u5*1 + 0 | nop; exec; "
            "mfu rsq r0; mfu sqrt r1; mfu lg2 r2;"
            "alu r2.l = r0*1 + 0 | r2.h = r1*u3 + 0 | r3.l = r2*u3 + 0 | "
            "r3.h = 1*1 + 0;" RESULT),
   FP("A86", "first-step", "what the first step of 2^x leaves",
      INTERPOLATE
      "mfu pre_ex2 r0; alu nop | nop | nop | nop; exec;"
      "alu r2.l = r0.l*1 + 0 | r2.h = r0.h*1 + 0 | " OPAQUE RESULT),
   FP("A87", "mfu-order", "rcp r0 next to r1 = r0 * r0",
      PLAIN "alu r0 = u7*u3 + 0 | nop | nop | nop; exec; mfu rcp r0, mul0 r1 "
            "= r0*r0;"
            "alu r2.l = r1*u0 + 0 | r2.h = r0*1 + 0 | " OPAQUE RESULT),
   FP("A89", "send-alone", "A1 and A2 send, A0 does not receive",
      PLAIN "alu r2.l = u3*u3 + 0 | r2.h = send u3*1 + 0 | r3.l = send u3*u0 "
            "+ 0 | r3.h = 1*1 + 0;" RESULT),
   FP("A92", "many-registers",
      "eight row registers and four uniforms in a packet",
      "rows 2; exec; " MFU_SETUP
      ", r0 = tram0.x, r1 = tram0.y, r2 = tram0.z, r3 = tram0.w;"
      "alu r4 = r0*1 + 0 | r5 = r1*1 + 0 | r6 = r2*1 + 0 | r7 = r3*1 + 0; "
      "exec; exec;"
      "alu r2.l = r0*u0 + r4 | r2.h = r1*u1 + r5 | r3.l = r2*u2 + r6 | r3.h "
      "= r3*u3 + r7;" RESULT "exec;"),
   FP("A93", "store-and-row-1",
      "the stored register is written in the EXEC of row 1",
      "rows 2; exec; " MFU_SETUP ", r0 = tram0.x, r1 = tram0.y;"
      "alu r2.l = r0*1 + 0 | r2.h = r1*1 + 0 | " OPAQUE RESULT
      "exec; alu r2.l = 0*0 + 0 | nop | nop | nop;"),
   FP("A95", "sum-of-two", "A0 receives from A3, A1 and A2 work on their own",
      INTERPOLATE "alu r2.l = recv r0*r0 + 0 | r2.h = r1*u0 + 0 | r3.l = "
                  "r0*u0 + 0 | void = r1*r1 + 0;"
                  "alu r3.h = 1*1 + 0 | nop | nop | nop;" RESULT),
   FP("A95", "sum-of-three",
      "A0 receives from A3, A1 sends, A2 works on its own",
      INTERPOLATE
      "alu r2.l = recv r0*r0 + 0 | void = send r1*u0 + 0 | r2.h = "
      "r0*u0 + 0 | void = r1*r1 + 0;"
      "alu r3.l = r0*1 + 0 | r3.h = 1*1 + 0 | nop | nop;" RESULT),
   FP("A96", "receive-constants", "A0 receives while A3 holds constants",
      INTERPOLATE "alu r2.l = recv r0*k0 + 0 | r2.h = r1*1 + 0 | r3 = 0*0 + "
                  "k1 | const 0x3c000, 0x40000, 0;" RESULT),
   FP("A97", "shared-entry", "two EXECs name the same entry of the MFU table",
      "rows 1; exec; schedule mfu 0x1, alu 0x1; exec; schedule mfu 0x5, alu "
      "0x5; exec; schedule mfu 0x5, alu 0x9; " RESULT "pool; " MFU_SETUP
      ", r0 = tram0.x, r1 = tram0.y; mfu frc r0; alu r0 = r0*u7 + 0 | nop | "
      "nop | nop;"
      "alu r0 = r0*u0 + r1 | nop | nop | nop; alu r2.l = r0*1 + 0 | r2.h = "
      "r1*1 + 0 | " OPAQUE),
};

const struct experiment_table fragment_experiments = {
   table, sizeof(table) / sizeof(table[0])
};
