/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The report of a calibration: one HTML file with the pictures inside.
 */

#include "about.h"
#include "report.h"
#include "tegra20_version.h"

#include <stdlib.h>
#include <string.h>

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
 * row is at the bottom: row 0 of memory is the bottom of what GL draws. */
static void
print_picture(FILE *out, const uint8_t *memory)
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
      file[54 + 3 * i] = pixel[2];
      file[54 + 3 * i + 1] = pixel[1];
      file[54 + 3 * i + 2] = pixel[0];
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
   fputs("<td>", out);
   if (!t.engine_2d && expected.outcome == OUTCOME_OK)
      print_picture(out, expected.memory);
   fputs("<td>", out);
   if (!t.engine_2d && f->device->outcome == OUTCOME_OK)
      print_picture(out, f->device->memory);
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

void
report_html(FILE *out, const char *device, struct model *model,
            const struct finding *findings, unsigned count,
            const struct conclusion *conclusion, const char *profile)
{
   unsigned pictures = 0, different = 0;

   for (unsigned i = 0; i < count; i++)
      different += findings[i].device != NULL;
   fputs("<!DOCTYPE html><meta charset=\"utf-8\"><title>Tegra20 "
         "calibration</title>\n<style>img{width:128px;image-rendering:"
         "pixelated;background:#888}td{vertical-align:top;padding:2px "
         "8px}</style>\n<h1>Tegra20 calibration</h1>\n<p>",
         out);
   print_escaped(out, device);
   fprintf(out, "<p>tegra20-hwtest %s", tegra20_version);
   fputs("<p>Please send this page to: ", out);
   print_escaped(out, about_reports);
   fprintf(out, "<p>Profile: <code>%s</code>\n<ul>\n",
           *profile ? profile : "(all as assumed)");
   for (unsigned i = 0; i < conclusion->count; i++) {
      struct alternative a =
         model_alternative(model, conclusion->alternatives[i]);
      fprintf(out, "<li>%s%s: assumed \"%s\", the chip is \"%s\"\n",
              conclusion->single && i ? "or " : "", a.id, a.assumed, a.value);
   }
   fprintf(
      out,
      "</ul>\n<p>%u experiments, %u with another result than assumed, %u "
      "of those not explained.\n<table><tr>"
      "<th>Row<th>Experiment<th>Result<th>Expected<th>Drawn\n",
      count, different, conclusion->unexplained);
   /* What differs comes first. */
   for (unsigned i = 0; i < 2 * count; i++) {
      const struct finding *f = &findings[i % count];

      if ((f->device != NULL) != (i < count))
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
   fputs("</table>\n", out);
}
