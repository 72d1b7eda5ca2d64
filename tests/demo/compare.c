/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-compare A.png B.png [--tolerance N] [--percent P] [--colors N] [--diff FILE.png] [--surface] [--swap]
 * Do two pictures agree?
 *
 * Exit status 0 when at least P percent of the pixels (default 99.5) differ by at most N (default 3) of 255 in every
 * channel and A has at least N colours (default 1): two black pictures agree and show nothing.  --diff writes a picture of the
 * differences, 16 times amplified.  With --surface B is what tegra20-replay made of the surface that A was read from: upside
 * down, without alpha; with --swap it has red and blue exchanged.
 */

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

struct result {
   unsigned within, total, worst;
};

static struct result
compare(const unsigned char *a, const unsigned char *b, unsigned char *diff, unsigned pixels, unsigned tolerance)
{
   struct result result = { .total = pixels };
   for (unsigned i = 0; i < pixels; i++) {
      unsigned worst = 0;
      for (unsigned c = 0; c < 4; c++) {
         unsigned d = abs(a[i * 4 + c] - b[i * 4 + c]);
         worst = d > worst ? d : worst;
         diff[i * 4 + c] = c == 3 ? 255 : d * 16 > 255 ? 255 : d * 16;
      }
      result.within += worst <= tolerance;
      result.worst = worst > result.worst ? worst : result.worst;
   }
   return result;
}

static int
order_of_colors(const void *a, const void *b)
{
   return memcmp(a, b, 4);
}

static unsigned
count_colors(const unsigned char *pixels, size_t count)
{
   unsigned char *sorted = malloc(count * 4);
   unsigned colors = count > 0;

   memcpy(sorted, pixels, count * 4);
   qsort(sorted, count, 4, order_of_colors);
   for (size_t i = 1; i < count; i++)
      colors += memcmp(&sorted[4 * i - 4], &sorted[4 * i], 4) != 0;
   free(sorted);
   return colors;
}

static void
flip(unsigned char *pixels, unsigned width, unsigned height)
{
   for (size_t y = 0; y < height / 2; y++) {
      for (size_t x = 0; x < 4 * width; x++) {
         unsigned char *above = &pixels[4 * width * y + x], *below = &pixels[4 * width * (height - 1 - y) + x], old = *above;
         *above = *below;
         *below = old;
      }
   }
}

static void
swap(unsigned char *pixels, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      unsigned char red = pixels[4 * i];
      pixels[4 * i] = pixels[4 * i + 2];
      pixels[4 * i + 2] = red;
   }
}

int
main(int argc, char **argv)
{
   static const struct option longs[] = { { "tolerance", required_argument, NULL, 't' },
                                          { "percent", required_argument, NULL, 'p' },
                                          { "colors", required_argument, NULL, 'c' },
                                          { "diff", required_argument, NULL, 'd' },
                                          { "surface", no_argument, NULL, 'u' },
                                          { "swap", no_argument, NULL, 's' },
                                          { 0 } };
   unsigned tolerance = 3, least_colors = 1;
   double percent = 99.5;
   const char *diff_path = NULL;
   bool surface = false, swapped = false;
   int c;
   while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
      switch (c) {
      case 't': tolerance = strtoul(optarg, NULL, 10); break;
      case 'p': percent = strtod(optarg, NULL); break;
      case 'c': least_colors = strtoul(optarg, NULL, 10); break;
      case 'd': diff_path = optarg; break;
      case 'u': surface = true; break;
      case 's': swapped = true; break;
      default: return 2;
      }
   }
   if (argc - optind != 2) {
      fprintf(stderr, "Usage: tegra20-compare A.png B.png [--tolerance N] [--percent P] [--colors N] [--diff FILE.png] "
                      "[--surface] [--swap]\n");
      return 2;
   }
   unsigned wa, ha, wb, hb;
   unsigned char *a = image_read(argv[optind], &wa, &ha), *b = image_read(argv[optind + 1], &wb, &hb);
   if (!a || !b)
      return 2;
   if (wa != wb || ha != hb) {
      fprintf(stderr, "sizes differ: %ux%u and %ux%u\n", wa, ha, wb, hb);
      return 1;
   }
   if (surface) {
      flip(b, wb, hb);
      for (size_t i = 0; i < (size_t)wa * ha; i++)
         a[4 * i + 3] = 255;
   }
   if (swapped)
      swap(b, (size_t)wb * hb);
   unsigned char *diff = malloc((size_t)wa * ha * 4);
   struct result r = compare(a, b, diff, wa * ha, tolerance);
   double share = 100.0 * r.within / r.total;
   if (diff_path)
      image_write(diff_path, wa, ha, diff, false);
   printf("%.3f %% of %u pixels within %u/255, worst difference %u\n", share, r.total, tolerance, r.worst);
   const unsigned colors = count_colors(a, (size_t)wa * ha);
   if (colors < least_colors)
      printf("%s has %u colours, not %u\n", argv[optind], colors, least_colors);
   free(a);
   free(b);
   free(diff);
   return share >= percent && colors >= least_colors ? 0 : 1;
}
