/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Which pixels a primitive covers, and depth and stencil.  Coordinates are in 1/16 pixel; a pixel centre is
 * at 16 i + 8.
 */

#include "unit.h"
#include "fragment_harness.h"
#include "tegra20/gr3d_regs.h"

#define SIZE 160

static const struct fragment_vector plain = {
   .rows = 1, .num_execs = 1, .alu_sched = {0}, .dw = {0x20005}, .num_alu = 1,
};

/* How often each pixel was drawn since start(). */
static struct coverage {
   uint8_t count[SIZE][SIZE];
} coverage;

static void
count_pixel(void *data, int x, int y, bool live, const int32_t c[4])
{
   assert_true(x >= 0 && y >= 0 && x < SIZE && y < SIZE);
   coverage.count[y][x] += live;
}

static struct harness *
start(void)
{
   struct harness *h = harness_create(SIZE, SIZE);
   memset(&coverage, 0, sizeof(coverage));
   h->store = count_pixel;
   harness_program(h, &plain);
   return h;
}

static void
triangle(struct harness *h, const int32_t p[3][2])
{
   struct gr3d_vertex v[3] = {{0}};
   for (unsigned i = 0; i < 3; i++) {
      v[i].x = p[i][0];
      v[i].y = p[i][1];
      v[i].rw = 1;
   }
   const struct gr3d_vertex *const pv[3] = {&v[0], &v[1], &v[2]};
   gr3d_raster_triangle(h->gr3d, pv, 2, true);
}

/* Rows of '#' and '.'; everything else must be empty. */
static void
check_picture(const char *name, const char *const picture[8])
{
   unsigned rows = 0;
   while (rows < 8 && picture[rows])
      rows++;
   for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
         int wanted = y < (int)rows && x < (int)strlen(picture[y]) && picture[y][x] == '#';
         if (coverage.count[y][x] != wanted)
            fail_msg("%s: pixel (%d, %d) drawn %d times", name, x, y, coverage.count[y][x]);
      }
   }
}

/* --- triangles ---------------------------------------------------------------------------------------------------- */

struct triangle_case {
   const char *name;
   int32_t p[3][2];
   const char *picture[8];
};

static const struct triangle_case triangle_cases[] = {
   /* Edges through pixel centres: left and top ones own them (assumption A23). */
   {"right angle at the top left, edges on centres", {{8, 8}, {56, 8}, {8, 56}}, {"###", "##", "#"}},
   {"right angle at the bottom right", {{56, 56}, {8, 56}, {56, 8}}, {".", "..#", ".##", ""}},
   {"right angle at the top right", {{8, 8}, {56, 8}, {56, 56}}, {"###", ".##", "..#"}},
   {"right angle at the bottom left", {{8, 8}, {56, 56}, {8, 56}}, {"", "#", "##"}},
   {"between the centres", {{9, 9}, {23, 9}, {9, 23}}, {""}},
   {"around one centre", {{4, 4}, {20, 4}, {4, 20}}, {"#"}},
   {"integer corners: the lower left half of a square", {{0, 0}, {64, 64}, {0, 64}}, {"", "#", "##", "###"}},
   {"integer corners: the upper right half owns the diagonal", {{0, 0}, {64, 0}, {64, 64}}, {"####", ".###", "..##", "...#"}},
};

TEST_ROWS(triangles, triangle_cases)
{
   /* Any first vertex, both windings. */
   static const uint8_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
   for (unsigned o = 0; o < 6; o++) {
      struct harness *h = start();
      int32_t p[3][2];
      for (unsigned i = 0; i < 3; i++)
         memcpy(p[i], c->p[orders[o][i]], sizeof(p[i]));
      harness_begin(h);
      triangle(h, p);
      harness_end(h);
      check_picture(c->name, c->picture);
   }
}

/* Inside by the definition: on the inner side of all edges, or on an edge that is a left or a top one. */
static bool
inside(const int32_t p[3][2], int64_t x, int64_t y)
{
   int64_t area = (int64_t)(p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (int64_t)(p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
   for (unsigned i = 0; i < 3; i++) {
      const int32_t *a = p[i], *b = p[(i + 1) % 3];
      int64_t side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
      if (area < 0)
         side = -side;
      if (side < 0)
         return false;
      /* The third corner tells on which side the triangle lies. */
      const int32_t *c = p[(i + 2) % 3];
      bool horizontal = a[1] == b[1];
      double x_on_edge = horizontal ? 0 : a[0] + (double)(b[0] - a[0]) * (c[1] - a[1]) / (b[1] - a[1]);
      bool owns = horizontal ? c[1] > a[1] : c[0] > x_on_edge;
      if (side == 0 && !owns)
         return false;
   }
   return area != 0;
}

/* Any triangle, up to the ends of the rasteriser's range; no pixel is drawn twice. */
TEST(random_triangles)
{
   srand(9);
   for (unsigned n = 0; n < 400; n++) {
      struct harness *h = start();
      int32_t p[3][2];
      int32_t range = n % 4 == 0 ? 2 * GR3D_MAX_COORD : n % 4 == 1 ? 40000 : 4000;
      for (unsigned i = 0; i < 6; i++) {
         p[i / 2][i % 2] = (int32_t)(((int64_t)rand() << 8 ^ rand()) % range) - range / 2 + SIZE * 8;
         if (p[i / 2][i % 2] > GR3D_MAX_COORD)
            p[i / 2][i % 2] = GR3D_MAX_COORD;
         if (rand() % 3 == 0)
            p[i / 2][i % 2] = (p[i / 2][i % 2] & ~15) | 8;
      }
      harness_begin(h);
      triangle(h, p);
      harness_end(h);
      for (int y = 0; y < SIZE; y++) {
         for (int x = 0; x < SIZE; x++) {
            if (coverage.count[y][x] != inside(p, 16 * x + 8, 16 * y + 8))
               fail_msg("triangle (%d, %d) (%d, %d) (%d, %d), pixel (%d, %d): drawn %d times", p[0][0], p[0][1],
                        p[1][0], p[1][1], p[2][0], p[2][1], x, y, coverage.count[y][x]);
         }
      }
   }
}

TEST(scissor)
{
   struct harness *h = start();
   h->gr3d->regs.value[GR3D_SCISSOR_HORIZ] = 3 << 16 | 7;
   h->gr3d->regs.value[GR3D_SCISSOR_VERT] = 1 << 16 | 2;
   harness_draw(h);
   static const char *const picture[8] = {"", "...####"}, *const nothing[8] = {NULL};
   check_picture("scissor", picture);
   h->gr3d->regs.value[GR3D_SCISSOR_VERT] = 5 << 16 | 5;
   memset(&coverage, 0, sizeof(coverage));
   harness_draw(h);
   check_picture("empty scissor", nothing);
}

/* --- lines and points --------------------------------------------------------------------------------------------- */

struct line_case {
   const char *name;
   int32_t p[2][2];
   float width;
   const char *picture[8];
};

static const struct line_case line_cases[] = {
   {"to the right: last centre excluded", {{8, 8}, {72, 8}}, 1, {"####"}},
   {"to the left: last centre excluded", {{72, 8}, {8, 8}}, 1, {".####"}},
   {"downwards", {{24, 8}, {24, 56}}, 1, {".#", ".#", ".#"}},
   {"upwards", {{24, 56}, {24, 8}}, 1, {"", ".#", ".#", ".#"}},
   {"diagonal", {{8, 8}, {72, 72}}, 1, {"#", ".#", "..#", "...#"}},
   {"slope 1/2", {{8, 8}, {136, 72}}, 1, {"#", ".##", "...##", ".....##", ".......#"}},
   {"width 3 grows in the minor direction", {{8, 40}, {56, 40}}, 3, {"", "###", "###", "###"}},
   {"width 2: one above, one on the line", {{8, 40}, {56, 40}}, 2, {"", "", "###", "###"}},
   {"vertical, width 3", {{40, 8}, {40, 40}}, 3, {".###", ".###"}},
   {"between centres", {{9, 8}, {23, 8}}, 1, {""}},
};

TEST_ROWS(lines, line_cases)
{
   struct harness *h = start();
   h->gr3d->regs.value[GR3D_HALF_LINE_WIDTH] = sim_float_bits(c->width / 2);
   struct gr3d_vertex v[2] = {{0}};
   for (unsigned i = 0; i < 2; i++) {
      v[i].x = c->p[i][0];
      v[i].y = c->p[i][1];
      v[i].rw = 1;
   }
   const struct gr3d_vertex *const pv[2] = {&v[0], &v[1]};
   harness_begin(h);
   gr3d_raster_line(h->gr3d, pv, 1);
   harness_end(h);
   check_picture(c->name, c->picture);
}

struct point_case {
   const char *name;
   int32_t x, y;
   float size;
   const char *picture[8];
};

static const struct point_case point_cases[] = {
   {"size 1 on a centre", 24, 24, 1, {"", ".#"}},
   {"size 1 on a corner: the square is half open", 16, 16, 1, {"#"}},
   {"size 2 on a corner", 32, 32, 2, {"", ".##", ".##"}},
   {"size 3 on a centre", 40, 40, 3, {"", ".###", ".###", ".###"}},
   {"size below 1 counts as 1", 24, 24, 0.25f, {"", ".#"}},
};

TEST_ROWS(points, point_cases)
{
   struct harness *h = start();
   h->gr3d->regs.value[GR3D_POINT_SIZE] = sim_float_bits(c->size);
   struct gr3d_vertex v = {.x = c->x, .y = c->y, .rw = 1};
   harness_begin(h);
   gr3d_raster_point(h->gr3d, &v);
   harness_end(h);
   check_picture(c->name, c->picture);
}

/* --- depth -------------------------------------------------------------------------------------------------------- */

#define DEPTH_OFFSET 0x10000u
#define STENCIL_OFFSET 0x40000u

static uint16_t *
depth_at(struct harness *h, unsigned x, unsigned y)
{
   return (uint16_t *)(h->memory + DEPTH_OFFSET + 512 * y + 2 * x);
}

static uint8_t *
stencil_at(struct harness *h, unsigned x, unsigned y)
{
   return h->memory + STENCIL_OFFSET + y / 16 * 16 * 256 + x / 16 * 256 + y % 16 * 16 + x % 16;
}

static struct harness *
start_tests(void)
{
   struct harness *h = start();
   uint32_t *r = h->gr3d->regs.value;
   r[GR3D_RT_ENABLE] = 0x1fffe | 1;
   r[GR3D_RT_PARAMS(0)] = 0x0b << 2 | 512 << 8;
   r[GR3D_RT_PTR(0)] = HARNESS_MEMORY_BASE + DEPTH_OFFSET;
   r[GR3D_RT_PARAMS(2)] = 3 << 2 | 256 << 8 | 1 << 26;
   r[GR3D_RT_PTR(2)] = HARNESS_MEMORY_BASE + STENCIL_OFFSET;
   return h;
}

static void
set_depth(struct harness *h, float z)
{
   for (unsigned i = 0; i < 3; i++)
      h->vertex[i].z = z;
}

/* Functions in register order; against a stored 0x8000. */
TEST(depth_functions)
{
   static const float z[3] = {0.25f, 0.5f, 0.75f};
   static const char *const pass[8] = {"...", "<..", ".=.", "<=.", "..>", "<.>", ".=>", "<=>"};
   for (unsigned func = 0; func < 8; func++) {
      for (unsigned k = 0; k < 3; k++) {
         struct harness *h = start_tests();
         h->gr3d->regs.value[GR3D_DEPTH_TEST_PARAMS] = 0x308 | func << 4;
         for (unsigned y = 0; y < SIZE; y++) {
            for (unsigned x = 0; x < SIZE; x++)
               *depth_at(h, x, y) = 0x8000;
         }
         set_depth(h, z[k]);
         harness_draw(h);
         bool expected = pass[func][k] != '.';
         /* A full strip and one on the diagonal edge. */
         assert_int_equal(coverage.count[0][0], expected);
         assert_int_equal(coverage.count[80][60], expected);
         assert_int_equal(*depth_at(h, 0, 0), expected ? (unsigned)(z[k] * 65536) : 0x8000);
         assert_int_equal(*depth_at(h, 60, 80), expected ? (unsigned)(z[k] * 65536) : 0x8000);
      }
   }
}

static const struct {
   const char *name;
   uint32_t test; /* register 0x403 */
   float z, second; /* of the second corner, 0: the same */
   uint16_t stored, expected;
   bool drawn;
   float units, factor;
   uint32_t least, most; /* registers 0x404, 0x405; 0: all */
} depth_cases[] = {
   {"write off: the test alone", 0x278, 0.5f, 0, 0, 0, true},
   {"test off: nothing is written", 0x370, 0.5f, 0, 0, 0, true},
   {"the far plane of the driver's viewport is 0xfffff", 0x378, 1 - 0x1p-20f, 0, 0, 0xffff, true},
   {"z20 is cut to 16 bits", 0x378, 0x8000f / 1048576.0f, 0, 0, 0x8000, true},
   {"0x8000f and 0x80000 are the same depth", 0x328, 0.5f, 0, 0x8000, 0x8000, true},
   {"polygon offset of one unit in 2^-16 (A28)", 0x378, 0.5f, 0, 0, 0x8001, true, .units = 0x1p-16f},
   /* z goes by 0.5 over 320 pixels in x; at the centre of pixel 0 half a slope */
   {"factor 2 times the slope", 0x378, 0.25f, 0.75f, 0, (0.25 + 2.5 * 0.5 / 320) * 65536, true, .factor = 2},
   {"below the range: dropped (A20)", 0x378, 0.2f, 0, 1, 1, false, .least = 0x40000, .most = 0x80000},
   {"above the range: dropped", 0x378, 0.6f, 0, 1, 1, false, .least = 0x40000, .most = 0x80000},
   {"in the range", 0x378, 0.4f, 0, 1, 0x6666, true, .least = 0x40000, .most = 0x80000},
};

TEST_ROWS(depth, depth_cases)
{
   struct harness *h = start_tests();
   uint32_t *r = h->gr3d->regs.value;
   r[GR3D_DEPTH_TEST_PARAMS] = c->test;
   r[GR3D_POLYGON_OFFSET_UNITS] = sim_float_bits(c->units);
   r[GR3D_POLYGON_OFFSET_FACTOR] = sim_float_bits(c->factor);
   if (c->most) {
      r[GR3D_DEPTH_RANGE_NEAR] = c->least;
      r[GR3D_DEPTH_RANGE_FAR] = c->most;
   }
   set_depth(h, c->z);
   if (c->second)
      h->vertex[1].z = c->second;
   *depth_at(h, 0, 0) = c->stored;
   harness_draw(h);
   assert_int_equal(coverage.count[0][0], c->drawn);
   assert_int_equal(*depth_at(h, 0, 0), c->expected);
}

/* --- stencil ------------------------------------------------------------------------------------------------------ */

struct stencil_case {
   const char *name;
   uint32_t front1, front2; /* registers 0x400, 0xe28 */
   uint8_t stored, expected;
   bool drawn;
};

#define FUNC(func, mask) ((func) << 8 | (mask))
#define OPS(fail, zfail, zpass, write, ref) \
   ((fail) | (zfail) << 3 | (zpass) << 6 | (uint32_t)(write) << 9 | (uint32_t)(ref) << 17)

static const struct stencil_case stencil_cases[] = {
   {"zero", FUNC(7, 255), OPS(1, 1, 0, 255, 0), 0x77, 0x00, true},
   {"keep", FUNC(7, 255), OPS(0, 0, 1, 255, 0), 0x77, 0x77, true},
   {"replace stores the whole reference", FUNC(7, 0), OPS(1, 1, 2, 255, 0xa5), 0x77, 0xa5, true},
   {"incr", FUNC(7, 255), OPS(1, 1, 3, 255, 0), 0x77, 0x78, true},
   {"incr clamps", FUNC(7, 255), OPS(1, 1, 3, 255, 0), 0xff, 0xff, true},
   {"decr", FUNC(7, 255), OPS(1, 1, 4, 255, 0), 0x77, 0x76, true},
   {"decr clamps", FUNC(7, 255), OPS(1, 1, 4, 255, 0), 0x00, 0x00, true},
   {"invert", FUNC(7, 255), OPS(1, 1, 5, 255, 0), 0x0f, 0xf0, true},
   {"incr wraps", FUNC(7, 255), OPS(1, 1, 6, 255, 0), 0xff, 0x00, true},
   {"decr wraps", FUNC(7, 255), OPS(1, 1, 7, 255, 0), 0x00, 0xff, true},
   {"write mask", FUNC(7, 255), OPS(1, 1, 2, 0x0f, 0xff), 0xa0, 0xaf, true},
   {"never: fail operation", FUNC(0, 255), OPS(2, 1, 1, 255, 9), 0x77, 9, false},
   {"less: 3 < 4", FUNC(1, 255), OPS(1, 1, 0, 255, 3), 4, 0, true},
   {"less: 4 < 4", FUNC(1, 255), OPS(1, 1, 0, 255, 4), 4, 4, false},
   {"equal", FUNC(2, 255), OPS(1, 1, 0, 255, 4), 4, 0, true},
   {"equal under a mask", FUNC(2, 0x0f), OPS(1, 1, 0, 255, 0x14), 0x24, 0, true},
   {"lequal: 4 <= 4", FUNC(3, 255), OPS(1, 1, 0, 255, 4), 4, 0, true},
   {"greater: 5 > 4", FUNC(4, 255), OPS(1, 1, 0, 255, 5), 4, 0, true},
   {"notequal: 4 != 4", FUNC(5, 255), OPS(1, 1, 0, 255, 4), 4, 4, false},
   {"gequal: 3 >= 4", FUNC(6, 255), OPS(1, 1, 0, 255, 3), 4, 4, false},
};

TEST_ROWS(stencil, stencil_cases)
{
   for (unsigned back = 0; back < 2; back++) {
      struct harness *h = start_tests();
      uint32_t *r = h->gr3d->regs.value;
      r[GR3D_STENCIL_PARAMS] = 0x68;
      r[GR3D_LATE_TEST] = 0x48;
      r[back ? GR3D_STENCIL_BACK1 : GR3D_STENCIL_FRONT1] = c->front1;
      r[back ? GR3D_STENCIL_BACK2 : GR3D_STENCIL_FRONT2] = c->front2;
      *stencil_at(h, 5, 17) = c->stored;
      h->front = !back;
      harness_draw(h);
      assert_int_equal(*stencil_at(h, 5, 17), c->expected);
      assert_int_equal(coverage.count[17][5], c->drawn);
   }
}

TEST(stencil_zfail)
{
   struct harness *h = start_tests();
   uint32_t *r = h->gr3d->regs.value;
   r[GR3D_STENCIL_PARAMS] = 0x68;
   r[GR3D_STENCIL_FRONT1] = FUNC(7, 255);
   r[GR3D_STENCIL_FRONT2] = OPS(0, 2, 1, 255, 0x42);
   r[GR3D_DEPTH_TEST_PARAMS] = 0x308; /* never */
   harness_draw(h);
   assert_int_equal(*stencil_at(h, 5, 17), 0x42);
   assert_int_equal(coverage.count[17][5], 0);
}

/*
 * Late write (assumption A36): the program kills pixels with posx >= 8192 + 8.  Killed ones keep their stencil, the
 * others take the operation of the test before the program, also when they failed it.
 */
TEST(stencil_late)
{
   struct fragment_vector v = {
      .rows = 1, .num_execs = 1, .alu_sched = {1}, .num_alu = 1, .dw = {0x20409},
      /* kill = posx * 1 - u0 >= 0 */
      .alu = {{0xc00000 | 76 << 15 | 0x6000 | 72 << 6, (uint32_t)(31 << 6 | 8 | 32) << 19 | (uint32_t)(32 << 6 | 2) << 6,
               0x000fe7e8, 0x3e41f200, 0x000fe7e8, 0x3e41f200, 0x000fe7e8, 0x3e41f200}},
   };
   for (unsigned fails = 0; fails < 2; fails++) {
      struct harness *h = start_tests();
      harness_program(h, &v);
      harness_uniform(h, 0, sim_fp20_from_float(8200));
      uint32_t *r = h->gr3d->regs.value;
      r[GR3D_STENCIL_PARAMS] = 0x28;
      r[GR3D_LATE_TEST] = 0x60;
      r[GR3D_STENCIL_FRONT1] = FUNC(fails ? 0 : 7, 255);
      r[GR3D_STENCIL_FRONT2] = OPS(3, 0, 2, 255, 0x42);
      *stencil_at(h, 5, 17) = *stencil_at(h, 9, 17) = 0x10;
      harness_draw(h);
      assert_int_equal(*stencil_at(h, 5, 17), fails ? 0x11 : 0x42);
      assert_int_equal(*stencil_at(h, 9, 17), 0x10);
      /* Without 0x60 the store does nothing. */
      r[GR3D_LATE_TEST] = 0x48;
      *stencil_at(h, 5, 17) = 0x10;
      harness_draw(h);
      assert_int_equal(*stencil_at(h, 5, 17), 0x10);
   }
}
