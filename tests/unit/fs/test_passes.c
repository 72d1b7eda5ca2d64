/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The passes of the fragment compiler one by one, on nodes in their text form (fs_print.c): a line per case.
 */

#include "unit.h"
#include "fs_parse.h"
#include "tegra20/tegra20_hw.h"
#include "tegra20_profile.h"

static const struct tegra20_fs_key key = {
   .nr_cbufs = 1,
   .rt[0] = {.bound = true, .has_alpha = true, .colormask = 0xf},
};
#define FLIPPED(KIND) {.flipped = 1u << (KIND)}
static const struct fs_lowering usual, chains = FLIPPED(FS_CHOICE_SUM), split = FLIPPED(FS_CHOICE_SHARED),
                                lone = FLIPPED(FS_CHOICE_CONSTS), products = FLIPPED(FS_CHOICE_MFU), scaled = FLIPPED(FS_CHOICE_SCALED);

static struct fs_program *
parse(const char *text, const struct fs_lowering *lowering)
{
   struct fs_program *p = rzalloc(NULL, struct fs_program);

   p->key = &key;
   p->lowering = lowering;
   p->chip = tegra20_chip_or_default(NULL);
   if (!fs_parse(p, text))
      fail_msg("\"%s\": %s", text, p->error);
   return p;
}

static char *
print(const struct fs_program *p)
{
   char *text = NULL;
   size_t size;
   FILE *fp = open_memstream(&text, &size);

   fs_print(fp, p);
   fclose(fp);
   return text;
}

/* --- text --------------------------------------------------------------------------------------------------------- */

/* Nodes that the lines of a case begin with: two varyings, or four. */
#define X    "%0 = interp v32.x\n"
#define XY   X "%1 = interp v32.y\n"
#define XYZ  XY "%2 = interp v32.z\n"
#define XYZW XYZ "%3 = interp v32.w\n"
/* The last node: a store of one value. */
#define STORE(n, v) "%" #n " = store rt0 %" #v ", %" #v ", %" #v ", %" #v "\n"

static const char *const texts[] = {
   "%0 = interp.flat v33.w\n",
   "%0 = interp.fx10.flat v1.x _\n",
   "%0 = interp.fx10.lowp v1.x v32.w\n",
   XY "%2 = mad.fx10.half.sat.gt.kill -(2*|%0|-1), 2*%1, -|u3.w| d=|b|-1\n",
   X "%1 = mad.x4.eq %0, #0.5, p7 d=c-1\n%2 = mad.x2.ge %0, #-3, 0 d=b\n",
   X "%1 = csel %0, {fadd u0.x {fmul #2 p3}}, 1\n%2 = min reg72, 1, 0\n%3 = max %0, 1, -1\n",
   XY "%2 = acc %0, %1, 1, %0, -u0.x, %1\n",
   X "%1 = rcp %0\n%2 = pre_ex2 %1\n%3 = ex2 %2\n%4 = mul %0, %3\n%5 = wclip\n",
   XY "%2 = tex t13 %0, %1, _, _\n%3 = part.fx10 %2.w\n%4 = tex t0 %0, %1, _, %0\n",
   "%0 = fetch rt1\n%1 = part %0.y\n%2 = raw.fx10.high %1, 1, 0\n%3 = raw %1, #0.25, 0\n%4 = low 2*%3, 1, (%3-1), %2\n",
   X "%1 = store rt0 %0, 1, 0, %0\n%2 = stencil\n",
};

TEST(text)
{
   for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
      struct fs_program *p = parse(texts[i], &usual);
      char *text = print(p);
      assert_string_equal(text, texts[i]);
      free(text);
      ralloc_free(p);
   }
}

TEST(text_errors)
{
   static const char *const wrong[] = {
      "%1 = wclip\n",   "%0 = wclop\n",     X "%1 = rcp.fast %0\n", X "%1 = rcp %0 %0\n",     X "%1 = rcp (%0\n",
      "%0 = tex u0.x",  X "%1 = rcp u0.q",  X "%1 = rcp {fsum u0.x}\n", X "%1 = mad %0, 1, 0 d=e\n", "wclip\n",
   };

   for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
      struct fs_program *p = rzalloc(NULL, struct fs_program);
      p->key = &key;
      if (fs_parse(p, wrong[i]))
         fail_msg("\"%s\" is read", wrong[i]);
      ralloc_free(p);
   }
}

/* --- passes ------------------------------------------------------------------------------------------------------- */

static const struct pass_case {
   const char *pass, *before, *after; /* NULL: nothing changes */
   const struct fs_lowering *lowering;  /* NULL: the usual one */
   unsigned avoid;
   struct {
      enum fs_choice_kind kind;
      uint16_t node, choice; /* 0: no variation */
   } point;
} cases[] = {
   /* products into the adder behind them, unless others need them */
   {"fuse", XY "%2 = mad %0, %1, 0\n%3 = mad %2, 1, u0.x\n" STORE(4, 3), XY "%2 = mad %0, %1, u0.x\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, 0\n%3 = mad -%2, 1, u0.x\n" STORE(4, 3), XY "%2 = mad -%0, %1, u0.x\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, 0\n%3 = mad %2, -1, u0.x\n" STORE(4, 3), XY "%2 = mad -%0, %1, u0.x\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, 0\n%3 = mad %0, 1, %2\n" STORE(4, 3), XY "%2 = mad %0, %1, %0\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, 0\n%3 = mad %0, -1, -%2\n" STORE(4, 3), XY "%2 = mad -%0, %1, -%0\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, 0\n%3 = min %2, 1, u0.x\n" STORE(4, 3), XY "%2 = min %0, %1, u0.x\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, 0\n%3 = mad %2, 1, u0.x\n%4 = store rt0 %2, %3, %3, %3\n", NULL},
   {"fuse", XY "%2 = mad.sat %0, %1, 0\n%3 = mad %2, 1, u0.x\n" STORE(4, 3), NULL},
   {"fuse", XY "%2 = mad %0, %1, 0\n%3 = mad |%2|, 1, u0.x\n" STORE(4, 3), NULL},
   /* what depends on literals and uniforms only is the CPU's */
   {"fuse", X "%1 = mad %0, #3, 0\n%2 = mad %1, #5, #7\n" STORE(3, 2), X "%1 = mad %0, #15, #7\n" STORE(2, 1)},
   {"fuse", X "%1 = mad %0, #3, #4\n%2 = mad %1, #5, #7\n" STORE(3, 2), X "%1 = mad %0, #15, #27\n" STORE(2, 1)},
   {"fuse", XY "%2 = mad %0, %1, #4\n%3 = mad %2, 1, #7\n" STORE(4, 3), XY "%2 = mad %0, %1, #11\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, #4\n%3 = mad -%2, 1, #7\n" STORE(4, 3), XY "%2 = mad -%0, %1, #3\n" STORE(3, 2)},
   {"fuse", X "%1 = mad u0.x, %0, -u0.y d=b-1\n%2 = mad %1, u0.z, 0\n" STORE(3, 2),
    X "%1 = mad {fmul u0.x u0.z}, %0, {fmul {fneg u0.y} u0.z} d=b-1\n" STORE(2, 1)},
   {"fuse", XY "%2 = mad %1, %0, -u0.y d=b-1\n%3 = mad %2, u0.z, 0\n" STORE(4, 3), NULL},
   {"fuse", "%0 = mad reg72, 1, #4\n%1 = mad %0, 1, #7\n" STORE(2, 1), NULL},
   /* saturation, scale, conditions and kills into the operation that makes the value */
   {"fuse", XY "%2 = mad %0, %1, %0\n%3 = mad.sat %2, 1, 0\n" STORE(4, 3), XY "%2 = mad.sat %0, %1, %0\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, u0.x\n%3 = mad %2, #4, 0\n" STORE(4, 3), XY "%2 = mad.x4 %0, %1, u0.x\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, u0.x\n%3 = mad %2, #0.5, 0\n" STORE(4, 3), XY "%2 = mad.half %0, %1, u0.x\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, u0.x\n%3 = mad %2, #0.5, 0\n" STORE(4, 3), NULL, NULL, TEGRA20_AVOID_SCALE},
   {"fuse", XY "%2 = mad %0, %1, u0.x\n%3 = mad %2, #3, 0\n" STORE(4, 3), NULL},
   {"fuse", XY "%2 = mad.gt %0, 1, %1\n%3 = mad.kill %2, 1, 0\n", XY "%2 = mad.gt.kill %0, 1, %1\n"},
   {"fuse", XY "%2 = mad.gt %0, 1, %1\n%3 = mad.eq.kill %2, 1, 0\n", NULL},
   /* a texel is in 0..1, so are products of them; a varying is not */
   {"fuse", XY "%2 = tex t0 %0, %1, _, _\n%3 = part.fx10 %2.x\n%4 = mad.sat %3, %3, 0\n" STORE(5, 4),
    XY "%2 = tex t0 %0, %1, _, _\n%3 = part.fx10 %2.x\n%4 = mad %3, %3, 0\n" STORE(5, 4)},
   {"fuse", XY "%2 = mad.sat %0, %1, 0\n" STORE(3, 2), NULL},
   {"fuse", "%0 = interp.fx10 v32.x v32.y\n%1 = part.fx10 %0.x\n%2 = mad.sat %1, %1, 0\n" STORE(3, 2), NULL},
   /* copies, operations that are there twice, operations without a reader */
   {"fuse", XY "%2 = mad -%0, 1, 0\n%3 = mad -%2, %1, u0.x\n" STORE(4, 3), XY "%2 = mad %0, %1, u0.x\n" STORE(3, 2)},
   {"fuse", X "%1 = mad -%0, 1, 0\n%2 = rcp %1\n" STORE(3, 2), NULL},
   {"fuse", XY "%2 = mad %0, %1, 0\n%3 = mad %0, %1, 0\n%4 = store rt0 %2, %3, %2, %3\n", XY "%2 = mad %0, %1, 0\n" STORE(3, 2)},
   {"fuse", XY "%2 = mad %0, %1, 0\n" STORE(3, 0), X STORE(1, 0)},

   /* places where a variation has another way: sums, products, vectors in sums, coordinates and formats one by one against what the lowering says */
   {"sums", XY "%2 = mad %0, %0, 0\n%3 = mad %0, %1, %2\n%4 = mad %1, %1, %3\n" STORE(5, 4), NULL,
    .point = {FS_CHOICE_SUM, 4, 1}},
   {"sums", XY "%2 = mad %0, %0, 0\n%3 = mad %0, %1, %2\n%4 = mad %1, %1, %3\n" STORE(5, 4),
    XY "%2 = acc %1, %1, %0, %1, %0, %0\n" STORE(3, 2), &chains, .point = {FS_CHOICE_SUM, 4, 1}},
   {"products", X "%1 = lg2 %0\n%2 = mad %1, u0.x, 0\n%3 = pre_ex2 %2\n%4 = ex2 %3\n" STORE(5, 4),
    X "%1 = lg2 %0\n%2 = mul %1, u0.x\n%3 = pre_ex2 %2\n%4 = ex2 %3\n" STORE(5, 4), .point = {FS_CHOICE_MFU, 2, 1}},
   {"factor", XYZW "%4 = mad %0, %3, 0\n%5 = mad %1, %3, 0\n%6 = mad %5, u0.y, 0\n%7 = mad %4, u0.x, %6\n"
                   "%8 = mad %5, u1.y, 0\n%9 = mad %4, u1.x, %8\n%10 = store rt0 %7, %9, %7, %9\n", NULL,
    .point = {FS_CHOICE_SCALED, 7, 1}},
   {"legalize", XY "%2 = mad %0, 1, u0.x\n%3 = tex t0 %2, %1, _, _\n%4 = tex t1 %2, %1, _, _\n%5 = part.fx10 %3.x\n"
                   "%6 = part.fx10 %4.x\n%7 = store rt0 %5, %6, %5, %6\n",
    XY "%2 = mad %0, 1, u0.x\n%3 = mad %0, 1, u0.x\n%4 = tex t0 %3, %1, _, _\n%5 = tex t1 %2, %1, _, _\n"
       "%6 = part.fx10 %4.x\n%7 = part.fx10 %5.x\n%8 = mad.fx10.sat %7, 1, 0\n%9 = mad.fx10.sat %6, 1, 0\n"
       "%10 = mad.fx10.sat %7, 1, 0\n%11 = store rt0 %6, %8, %9, %10\n", .point = {FS_CHOICE_SHARED, 2, 1}},
   {"formats", XY "%2 = mad.sat %0, %1, 0\n%3 = mad.sat %2, %2, 0\n" STORE(4, 3),
    XY "%2 = mad.fx10.sat %0, %1, 0\n%3 = mad.fx10.sat %2, %2, 0\n" STORE(4, 3)},
   {"formats", XY "%2 = mad.sat %0, %1, 0\n%3 = mad.sat %2, %2, 0\n" STORE(4, 3),
    XY "%2 = mad.sat %0, %1, 0\n%3 = mad.fx10.sat %2, %2, 0\n" STORE(4, 3), .point = {FS_CHOICE_FP20, 2, 1}},

   /* a factor of all terms of a sum; of some */
   {"factor", XYZW "%4 = mad %0, %3, 0\n%5 = mad %1, %3, 0\n%6 = mad %5, u0.y, 0\n%7 = mad %4, u0.x, %6\n%8 = mad %2, %7, 0\n" STORE(9, 8),
    XYZW "%4 = mad %1, u0.y, 0\n%5 = mad %0, u0.x, %4\n%6 = mad %5, %3, 0\n%7 = mad %2, %6, 0\n" STORE(8, 7)},
   {"factor", XYZW "%4 = mad %0, %3, 0\n%5 = mad %1, u0.y, 0\n%6 = mad %4, u0.x, %5\n%7 = mad %2, %6, 0\n" STORE(8, 7), NULL},
   /* of two sums that share what it scales; when that is not wanted, or something else reads it */
   {"factor", XYZW "%4 = mad %0, %3, 0\n%5 = mad %1, %3, 0\n%6 = mad %5, u0.y, 0\n%7 = mad %4, u0.x, %6\n"
                   "%8 = mad %5, u1.y, 0\n%9 = mad %4, u1.x, %8\n%10 = store rt0 %7, %9, %7, %9\n",
    XY "%2 = interp v32.w\n%3 = mad %1, u0.y, 0\n%4 = mad %0, u0.x, %3\n%5 = mad %4, %2, 0\n%6 = mad %1, u1.y, 0\n"
       "%7 = mad %0, u1.x, %6\n%8 = mad %7, %2, 0\n%9 = store rt0 %5, %8, %5, %8\n"},
   {"factor", XYZW "%4 = mad %0, %3, 0\n%5 = mad %1, %3, 0\n%6 = mad %5, u0.y, 0\n%7 = mad %4, u0.x, %6\n"
                   "%8 = mad %5, u1.y, 0\n%9 = mad %4, u1.x, %8\n%10 = store rt0 %7, %9, %7, %9\n", NULL, &scaled},
   {"factor", XYZW "%4 = mad %0, %3, 0\n%5 = mad %1, %3, 0\n%6 = mad %5, u0.y, 0\n%7 = mad %4, u0.x, %6\n"
                   "%8 = mad %5, u1.y, 0\n%9 = mad %4, u1.x, %8\n%10 = store rt0 %7, %9, %5, %9\n", NULL},

   /* sums of three and four products, with signs; of two; where chains are wanted; whose parts others read */
   {"sums", XY "%2 = mad %0, %0, 0\n%3 = mad %0, %1, %2\n%4 = mad %1, %1, %3\n" STORE(5, 4),
    XY "%2 = acc %1, %1, %0, %1, %0, %0\n" STORE(3, 2)},
   {"sums", XY "%2 = mad %0, %0, u0.x\n%3 = mad %0, %1, %2\n%4 = mad %1, %1, %3\n" STORE(5, 4),
    XY "%2 = acc %1, %1, %0, %1, %0, %0, u0.x, 1\n" STORE(3, 2)},
   {"sums", XY "%2 = mad %0, %0, 0\n%3 = mad %0, %1, -%2\n%4 = mad %1, %1, -%3\n" STORE(5, 4),
    XY "%2 = acc %1, %1, -%0, %1, %0, %0\n" STORE(3, 2)},
   {"sums", XY "%2 = mad %0, %0, 0\n%3 = mad %0, %1, %2\n" STORE(4, 3), NULL},
   {"sums", XY "%2 = mad %0, %0, 0\n%3 = mad %0, %1, %2\n%4 = mad %1, %1, %3\n" STORE(5, 4), NULL, &chains},
   {"sums", XY "%2 = mad %0, %0, 0\n%3 = mad %0, %1, %2\n%4 = mad %1, %1, %3\n%5 = store rt0 %3, %4, %4, %4\n", NULL},
   {"sums", XY "%2 = mad %0, %0, 0\n%3 = mad.sat %0, %1, %2\n%4 = mad %1, %1, %3\n" STORE(5, 4), NULL},

   /* products of results of the MFU that only the MFU and lookups read */
   {"products", XY "%2 = rcp %1\n%3 = mad %0, %2, 0\n%4 = tex t0 %3, %3, _, _\n%5 = part.fx10 %4.x\n" STORE(6, 5),
    XY "%2 = rcp %1\n%3 = mul %0, %2\n%4 = tex t0 %3, %3, _, _\n%5 = part.fx10 %4.x\n" STORE(6, 5)},
   {"products", XY "%2 = rcp %1\n%3 = mad %0, %2, 0\n" STORE(4, 3), NULL},
   {"products", XY "%2 = rcp %1\n%3 = mad -%0, %2, 0\n%4 = rcp %3\n" STORE(5, 4), NULL},
   {"products", X "%1 = lg2 %0\n%2 = mad %1, u0.x, 0\n%3 = pre_ex2 %2\n%4 = ex2 %3\n" STORE(5, 4), NULL},
   {"products", X "%1 = lg2 %0\n%2 = mad %1, u0.x, 0\n%3 = pre_ex2 %2\n%4 = ex2 %3\n" STORE(5, 4),
    X "%1 = lg2 %0\n%2 = mul %1, u0.x\n%3 = pre_ex2 %2\n%4 = ex2 %3\n" STORE(5, 4), &products},
   {"products", XY "%2 = mad %0, %1, u0.x\n%3 = mad %0, %2, 0\n%4 = rcp %3\n" STORE(5, 4), NULL},

   /* what is only stored is fx10; coordinates and arguments of functions are not */
   {"formats", XY "%2 = mad %0, %1, 0\n" STORE(3, 2), XY "%2 = mad.fx10.sat %0, %1, 0\n" STORE(3, 2)},
   {"formats", XY "%2 = mad %0, %1, 0\n%3 = rcp %2\n" STORE(4, 3), NULL},
   /* colours are interpolated in pairs, in the order of the pixel */
   {"formats", "%0 = interp v1.x\n%1 = interp v1.y\n%2 = interp v1.z\n%3 = interp v1.w\n%4 = store rt0 %1, %0, %2, %3\n",
    "%0 = interp.fx10 v1.y v1.x\n%1 = interp.fx10 v1.z v1.w\n%2 = part.fx10 %0.y\n%3 = part.fx10 %0.x\n"
    "%4 = part.fx10 %1.x\n%5 = part.fx10 %1.y\n%6 = store rt0 %3, %2, %4, %5\n"},

   /* operands of units that have no modifiers and formats of their own */
   {"legalize", X "%1 = rcp -%0\n%2 = mad.fx10 %1, 1, 0\n%3 = store rt0 %2, %2, %2, %2\n",
    X "%1 = mad -%0, 1, 0\n%2 = rcp %1\n%3 = mad.fx10 %2, 1, 0\n%4 = mad.fx10 %2, 1, 0\n%5 = mad.fx10 %2, 1, 0\n"
      "%6 = mad.fx10 %2, 1, 0\n%7 = store rt0 %3, %4, %5, %6\n"},
   {"legalize", X "%1 = store rt0 %0, 1, u0.x, 0\n",
    X "%1 = mad.fx10.sat %0, 1, 0\n%2 = mad.fx10.sat 1, 1, 0\n%3 = mad.fx10.sat u0.x, 1, 0\n%4 = mad.fx10.sat 0, 1, 0\n"
      "%5 = store rt0 %1, %2, %3, %4\n"},
   /* a texel is stored as it is, in its place only */
   {"legalize", XY "%2 = tex t0 %0, %1, _, _\n%3 = part.fx10 %2.x\n%4 = part.fx10 %2.y\n%5 = part.fx10 %2.z\n"
                   "%6 = part.fx10 %2.w\n%7 = store rt0 %3, %4, %5, %6\n", NULL},
   {"legalize", XY "%2 = tex t0 %0, %1, _, _\n%3 = part.fx10 %2.x\n%4 = part.fx10 %2.y\n%5 = store rt0 %3, %4, %4, %3\n",
    XY "%2 = tex t0 %0, %1, _, _\n%3 = part.fx10 %2.x\n%4 = part.fx10 %2.y\n%5 = mad.fx10.sat %4, 1, 0\n"
       "%6 = mad.fx10.sat %3, 1, 0\n%7 = store rt0 %3, %4, %5, %6\n"},
   /* coordinates that two lookups share are kept, or computed again */
   {"legalize", XY "%2 = mad %0, 1, u0.x\n%3 = tex t0 %2, %1, _, _\n%4 = tex t1 %2, %1, _, _\n%5 = part.fx10 %3.x\n"
                   "%6 = part.fx10 %4.x\n%7 = mad.fx10 %5, %6, 0\n%8 = mad.fx10 %5, 1, %6\n%9 = mad.fx10 %5, 1, 0\n"
                   "%10 = mad.fx10 %6, 1, 0\n%11 = store rt0 %7, %8, %9, %10\n", NULL},
   {"legalize", XY "%2 = mad %0, 1, u0.x\n%3 = tex t0 %2, %1, _, _\n%4 = tex t1 %2, %1, _, _\n%5 = part.fx10 %3.x\n"
                   "%6 = part.fx10 %4.x\n%7 = mad.fx10 %5, %6, 0\n%8 = mad.fx10 %5, 1, %6\n%9 = mad.fx10 %5, 1, 0\n"
                   "%10 = mad.fx10 %6, 1, 0\n%11 = store rt0 %7, %8, %9, %10\n",
    XY "%2 = mad %0, 1, u0.x\n%3 = mad %0, 1, u0.x\n%4 = tex t0 %3, %1, _, _\n%5 = tex t1 %2, %1, _, _\n"
       "%6 = part.fx10 %4.x\n%7 = part.fx10 %5.x\n%8 = mad.fx10 %6, %7, 0\n%9 = mad.fx10 %6, 1, %7\n"
       "%10 = mad.fx10 %6, 1, 0\n%11 = mad.fx10 %7, 1, 0\n%12 = store rt0 %8, %9, %10, %11\n", &split},
};

static void
run(struct fs_program *p, const char *name)
{
   for (unsigned i = 0; i < fs_num_passes; i++) {
      if (strcmp(fs_passes[i].name, name) == 0) {
         fs_passes[i].run(p);
         fs_validate_ir(p, name);
         return;
      }
   }
   fail_msg("there is no pass %s", name);
}

/* The lowering of the program, with one choice at one place. */
static struct fs_lowering
with_choice(struct fs_program *p, const struct pass_case *c)
{
   struct fs_lowering lowering = *p->lowering;

   lowering.variation = rzalloc(p, struct fs_variation);
   lowering.variation->choice[c->point.kind][c->point.node] = c->point.choice;
   return lowering;
}

TEST(passes)
{
   unsigned wrong = 0;

   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      const struct pass_case *c = &cases[i];
      struct fs_program *p = parse(c->before, c->lowering ? c->lowering : &usual);
      const char *after = c->after ? c->after : c->before;
      p->avoid = c->avoid;
      const struct fs_lowering varied = with_choice(p, c);
      if (c->point.choice)
         p->lowering = &varied;
      run(p, c->pass);
      char *text = print(p);
      if (p->error || strcmp(text, after) != 0) {
         print_error("%s:\n%s became\n%s instead of\n%s%s\n", c->pass, c->before, text, after, p->error ? p->error : "");
         wrong++;
      }
      free(text);
      ralloc_free(p);
   }
   assert_int_equal(wrong, 0);
}

/* --- constants without a register ----------------------------------------------------------------------------------- */

/* As many operations with constants of their own as leave the last one without registers; what becomes of that. */
static void
check_uniforms(unsigned count, const char *operation, const struct fs_lowering *lowering, const char *last)
{
   char text[4096] = X;
   size_t length = strlen(text), start = 0;

   for (unsigned i = 1; i <= count; i++) {
      start = length;
      length += snprintf(text + length, sizeof(text) - length, operation, i, 3 * i, 3 * i + 1, 3 * i + 2);
   }
   struct fs_program *p = parse(text, lowering);
   run(p, "uniforms");
   assert_null(p->error);
   assert_int_equal(p->num_uniforms, 32);
   snprintf(text + start, sizeof(text) - start, "%s", last);
   char *result = print(p);
   assert_string_equal(result, text);
   free(result);
   ralloc_free(p);
}

TEST(uniforms)
{
   /* a sum, which has no unit left for a constant in the packet, becomes a chain */
   check_uniforms(11, "%%%u = acc.kill %%0, u%u.x, %%0, u%u.x, %%0, u%u.x\n", &usual,
                  "%11 = mad %0, u33.x, 0\n%12 = mad %0, u34.x, %11\n%13 = mad.kill %0, u35.x, %12\n");
   /* every operation gets a register before one gets two: the last one has none */
   check_uniforms(33, "%%%u = mad.kill %%0, u%u.x, u%u.x\n", &usual, "%33 = mad.kill %0, u99.x, u100.x\n");
   check_uniforms(33, "%%%u = mad.kill %%0, u%u.x, u%u.x\n", &lone, "%33 = mad %0, u99.x, 0\n%34 = mad.kill %33, 1, u100.x\n");
}

/* --- validator ---------------------------------------------------------------------------------------------------- */

static const struct {
   const char *text;
   bool legal;
   const char *rule; /* NULL: none is broken */
} rules[] = {
   {XY "%2 = mad %0, 1, -|%1|\n" STORE(3, 2), false, NULL},
   {"%0 = rcp %1\n%1 = wclip\n", false, "comes later"},
   {"%0 = rcp %0\n", false, "comes later"},
   {X "%1 = mad.kill %0, 1, 0\n%2 = rcp %1\n", false, "without a result"},
   {X "%1 = store rt0 %0, %0, %0, %0\n%2 = rcp %1\n", false, "without a result"},
   {X "%1 = tex t0 %0, %0, _, _\n%2 = rcp %1\n", false, "by their parts"},
   {X "%1 = part %0.x\n", false, "by their parts"},
   {X "%1 = mad %0, 1\n", false, "the number of operands"},
   {X "%1 = acc %0, 1, %0, 1, %0\n", false, "the number of operands"},
   {X "%1 = rcp _\n", false, "is missing"},
   {X "%1 = rcp.sat %0\n", false, "changes its results"},
   {X "%1 = rcp %0 d=b\n", false, "operand D"},
   {X "%1 = rcp -%0\n", false, NULL},
   {X "%1 = rcp -%0\n", true, "has modifiers"},
   {X "%1 = rcp u0.x\n", true, "cannot read"},
   {X "%1 = mad.fx10 %0, 1, 0\n%2 = rcp %1\n", true, "cannot read"},
   {X STORE(1, 0), true, "cannot read"},
   {X "%1 = mad.fx10 %0, 1, 0\n" STORE(2, 1), true, NULL},
};

TEST_ROWS_CALLED(validator, rules, text)
{
   struct fs_program *p = parse(c->text, &usual);
   p->is_legal = c->legal;
   fs_validate_ir(p, "a pass");
   if (!p->error != !c->rule || p->is_broken != !!c->rule ||
       (p->error && (!strstr(p->error, c->rule) || !strstr(p->error, "after a pass"))))
      fail_msg("%s", p->error ? p->error : "no error");
   ralloc_free(p);
}

TEST(encodings_of_the_profile)
{
   static const unsigned rows[][2] = {
      {TEGRA20_HW_MIN_MAX, TEGRA20_AVOID_MIN_MAX}, {TEGRA20_HW_RESULT_SCALE, TEGRA20_AVOID_SCALE}, {TEGRA20_HW_OPERAND_D, TEGRA20_AVOID_D},
      {TEGRA20_HW_TIMES_TWO, TEGRA20_AVOID_X2}, {TEGRA20_HW_CONDITION_GE, TEGRA20_AVOID_COND_GE}, {TEGRA20_HW_CONSTANTS_K1_K2, TEGRA20_AVOID_K1_K2},
      {TEGRA20_HW_FX10_CONSTANTS, TEGRA20_AVOID_FX10_CONST},
   };
   struct tegra20_compiler_options options = {0};

   for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
      tegra20_hw.value[rows[i][0]] = 1;
      tegra20_profile_encodings(&options);
      tegra20_hw.value[rows[i][0]] = 0;
      assert_int_equal(options.avoid, rows[i][1]);
   }
   for (unsigned used = 2; used--;) {
      tegra20_hw.value[TEGRA20_HW_PART_SUMS] = used;
      tegra20_profile_encodings(&options);
      assert_int_equal(options.part_sums, used);
   }
}
