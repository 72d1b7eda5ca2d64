/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The report of a calibration: one HTML file with the pictures inside.
 */

#include "about.h"
#include "report.h"
#include "tegra20_version.h"

#include <string.h>
#include <time.h>

#define MAX_PICTURES 200

static void
print_escaped(FILE *out, const char *text)
{
   for (; *text; text++) {
      switch (*text) {
      case '<':
         fputs("&lt;", out);
         break;
      case '&':
         fputs("&amp;", out);
         break;
      default:
         fputc(*text, out);
      }
   }
}

static void
print_base64(FILE *out, const uint8_t *bytes, unsigned count)
{
   static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789+/";

   for (unsigned i = 0; i < count; i += 3) {
      unsigned left = count - i;
      uint32_t word = bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) |
                      (left > 2 ? bytes[i + 2] : 0);
      fputc(digits[word >> 18 & 63], out);
      fputc(digits[word >> 12 & 63], out);
      fputc(left > 1 ? digits[word >> 6 & 63] : '=', out);
      fputc(left > 2 ? digits[word & 63] : '=', out);
   }
}

/* The target of a test, as a bitmap with three bytes per pixel whose first
 * row is at the bottom: row 0 of memory is the bottom of what GL draws. With
 * other, white where they differ. */
static void
print_picture(FILE *out, const uint8_t *memory, const uint8_t *other)
{
   uint8_t file[54 + 3 * TEST_SIZE * TEST_SIZE] = {
      'B',
      'M',
      [10] = 54,
      [14] = 40,
      [18] = TEST_SIZE,
      [22] = TEST_SIZE,
      [26] = 1,
      [28] = 24,
   };
   uint32_t size = sizeof(file);

   memcpy(file + 2, &size, 4);
   for (unsigned i = 0; i < TEST_SIZE * TEST_SIZE; i++) {
      const uint8_t *pixel = memory + AT_TARGET + 4 * i;
      uint8_t *bgr = file + 54 + 3 * i;

      for (unsigned c = 0; c < 3 && !other; c++)
         bgr[c] = pixel[2 - c];
      if (other && memcmp(pixel, other + AT_TARGET + 4 * i, 4))
         memset(bgr, 255, 3);
   }
   fputs("<img src=\"data:image/bmp;base64,", out);
   print_base64(out, file, sizeof(file));
   fputs("\">", out);
}

static void
print_pictures(FILE *out, struct model *model, const struct finding *f)
{
   static struct test t;
   static struct result expected;

   test_3d(&t);
   f->experiment->build(&t, f->experiment->data);
   model_run(model, &t, &expected);
   const bool drawn = !t.engine_2d && f->device->outcome == OUTCOME_OK,
              wanted = !t.engine_2d && expected.outcome == OUTCOME_OK;

   fputs("<td>", out);
   if (wanted)
      print_picture(out, expected.memory, NULL);
   fputs("<td>", out);
   if (drawn)
      print_picture(out, f->device->memory, NULL);
   fputs("<td>", out);
   if (drawn && wanted)
      print_picture(out, expected.memory, f->device->memory);
}

static const char *
verdict(const struct finding *f)
{
   switch (f->outcome) {
   case OUTCOME_OK:
   case OUTCOME_HANG:
      return !f->device     ? "as assumed"
             : f->explained ? "different, explained"
                            : "different, <b>not explained</b>";
   case OUTCOME_REFUSED:
      return "refused by the kernel";
   default:
      return "did not come back";
   }
}

/* 0: what nobody can explain, 1: what is explained, 2: what did not run, 3:
 * what is as assumed. */
static unsigned
rank(const struct finding *f)
{
   if (f->device)
      return f->explained;
   return f->outcome == OUTCOME_OK || f->outcome == OUTCOME_HANG ? 3 : 2;
}

static void
print_head(FILE *out, const char *device, const struct finding *findings,
           unsigned count, const struct remarks *remarks)
{
   unsigned ranks[4] = { 0 };
   char date[64];
   const time_t now = time(NULL);

   for (unsigned i = 0; i < count; i++)
      ranks[rank(&findings[i])]++;
   strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", gmtime(&now));
   fputs("<!DOCTYPE html><meta charset=\"utf-8\"><title>Tegra20 "
         "calibration</title>\n<style>img{width:128px;image-rendering:"
         "pixelated;background:#888}td{vertical-align:top;padding:2px "
         "8px}</style>\n<h1>Tegra20 calibration</h1>\n",
         out);
   fprintf(out,
           "<p><b>%u experiments: %u different and not explained, %u "
           "different and explained, %u not run to the end, %u as "
           "assumed.</b>\n<p>Rows of the profile: %u proved, %u not "
           "contradicted, %u not known.\n<table>\n<tr><td>Board<td>",
           count, ranks[0], ranks[1], ranks[2], ranks[3], remarks->proved,
           remarks->fitting, remarks->assumed);
   print_escaped(out, device_board());
   fputs("\n<tr><td>Device and kernel<td>", out);
   print_escaped(out, device);
   fprintf(out, "\n<tr><td>Driver<td>%s\n<tr><td>Date<td>%s\n",
           tegra20_version, date);
   fputs("<tr><td>Send this page to<td>", out);
   print_escaped(out, about_reports);
   fputs("\n</table>\n<ul>\n", out);
}

void
report_html(FILE *out, const char *device, struct model *model,
            const struct finding *findings, unsigned count,
            const struct conclusion *conclusion, const char *profile,
            const struct remarks *remarks)
{
   unsigned pictures = 0;

   print_head(out, device, findings, count, remarks);
   for (unsigned i = 0; i < conclusion->count; i++) {
      struct alternative a =
         model_alternative(model, conclusion->alternatives[i]);
      fprintf(out, "<li>%s%s: assumed \"%s\", the chip is \"%s\"\n",
              conclusion->single && i ? "or " : "", a.id, a.assumed, a.value);
   }
   fputs("</ul>\n<p>", out);
   report_weights(out, model);
   fprintf(out,
           "<p>Profile: <code>%s</code>\n<table><tr>"
           "<th>Row<th>Experiment<th>Result<th>Expected<th>Drawn<th>"
           "Difference\n",
           *profile ? profile : "(all as assumed)");
   for (unsigned i = 0; i < 4 * count; i++) {
      const struct finding *f = &findings[i % count];

      if (rank(f) != i / count)
         continue;
      fprintf(out, "<tr><td>%s<td>%s: ", f->experiment->id,
              f->experiment->name);
      print_escaped(out, f->experiment->what);
      fprintf(out, "<td>%s", verdict(f));
      if (f->device) {
         fprintf(out, ", in %u bytes", f->bytes);
         if (pictures++ < MAX_PICTURES)
            print_pictures(out, model, f);
      }
      fputc('\n', out);
   }
   fprintf(out, "</table>\n<pre>%s</pre>\n", remarks->text);
}
