/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Reads GLSL files and the parts of piglit's .shader_test format that say
 * what is compiled: [require] and the shader sections.  The [test] section
 * (what to draw and probe) is piglit's own business.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shader_test.h"

static char *
format_error(const char *path, unsigned line, const char *reason)
{
   char *text = NULL;
   int length = line ? asprintf(&text, "%s:%u: %s", path, line, reason)
                     : asprintf(&text, "%s: %s", path, reason);
   return length < 0 ? NULL : text;
}

static char *
read_file(const char *path, char **error)
{
   FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
   if (!f) {
      *error = format_error(path, 0, strerror(errno));
      return NULL;
   }
   size_t used = 0, room = 4096;
   char *text = malloc(room);
   while (text) {
      size_t got = fread(text + used, 1, room - used - 1, f);
      used += got;
      if (got == 0)
         break;
      if (room - used < 2) {
         room *= 2;
         char *more = realloc(text, room);
         if (!more)
            free(text);
         text = more;
      }
   }
   if (!text || ferror(f)) {
      *error =
         format_error(path, 0, text ? strerror(errno) : "out of memory");
      free(text);
      fclose(f);
      return NULL;
   }
   fclose(f);
   text[used] = 0;
   if (strlen(text) != used) {
      *error =
         format_error(path, 0, "not a text file (contains a zero byte)");
      free(text);
      return NULL;
   }
   return text;
}

static bool
has_suffix(const char *path, const char *suffix)
{
   size_t n = strlen(path), m = strlen(suffix);
   return n >= m && !strcmp(path + n - m, suffix);
}

/* The version that a bare GLSL file asks for. */
static void
apply_version_directive(struct shader_test *test, const char *text)
{
   const char *p = strstr(text, "#version");
   unsigned version;
   if (p && sscanf(p, "#version %u", &version) == 1) {
      test->glsl_version = version;
      test->es = version == 100 ||
                 (strstr(p, " es") &&
                  strcspn(p, "\n") > (size_t)(strstr(p, " es") - p));
   } else if (strstr(text, "precision ") && (strstr(text, "mediump float") ||
                                             strstr(text, "highp float"))) {
      test->glsl_version = 100;
      test->es = true;
   }
}

static bool
add_source(struct shader_test *test, enum source_stage stage,
           const char *text, size_t length, char **error)
{
   if (test->num_sources ==
       sizeof(test->sources) / sizeof(test->sources[0])) {
      *error =
         format_error(test->path, 0, "more than 32 shaders in one program");
      return false;
   }
   char *copy = NULL;
   /* As piglit's shader_runner: the version of [require] goes in front of a
    * shader that names none. */
   if (!test->has_require || memmem(text, length, "#version", 8))
      copy = strndup(text, length);
   else if (asprintf(&copy, "#version %u\n%.*s", test->glsl_version,
                     (int)length, text) < 0)
      copy = NULL;
   if (!copy) {
      *error = format_error(test->path, 0, "out of memory");
      return false;
   }
   test->sources[test->num_sources].stage = stage;
   test->sources[test->num_sources].text = copy;
   test->num_sources++;
   return true;
}

static void
mark_unsupported(struct shader_test *test, const char *format,
                 const char *what, int length)
{
   if (!test->unsupported &&
       asprintf(&test->unsupported, format, length, what) < 0)
      test->unsupported = NULL;
}

/* MESA_SHADER_CAPTURE_PATH writes version 0.00 for a program whose link
 * failed: its shaders know. */
static void
take_version_of_shaders(struct shader_test *test, const char *text)
{
   apply_version_directive(test, text);
   test->has_require = false;
}

static void
parse_require(struct shader_test *test, const char *text, const char *line,
              int length)
{
   char op[4];
   unsigned major, minor;
   if (sscanf(line, "GLSL ES %3[<>=] %u.%u", op, &major, &minor) == 3) {
      test->es = true;
      test->glsl_version = major * 100 + minor;
      test->has_require = true;
      if (test->glsl_version > 100)
         mark_unsupported(test, "needs %.*s", line, length);
   } else if (sscanf(line, "GLSL %3[<>=] %u.%u", op, &major, &minor) == 3 &&
              major == 0 && minor == 0) {
      take_version_of_shaders(test, text);
   } else if (sscanf(line, "GLSL %3[<>=] %u.%u", op, &major, &minor) == 3) {
      test->glsl_version = major * 100 + minor;
      test->has_require = true;
      if (test->glsl_version > 120)
         mark_unsupported(test, "needs %.*s", line, length);
   } else if (sscanf(line, "GL ES %3[<>=] %u.%u", op, &major, &minor) == 3) {
      test->es = true;
      if (test->glsl_version == 110)
         test->glsl_version = 100;
      if (major > 2)
         mark_unsupported(test, "needs %.*s", line, length);
   } else if (sscanf(line, "GL %3[<>=] %u.%u", op, &major, &minor) == 3) {
      if (major > 2 || (major == 2 && minor > 1))
         mark_unsupported(test, "needs %.*s", line, length);
   }
   /* Extensions are left to the front end: it knows which of them are
    * offered. */
}

struct section {
   const char *name;
   int stage; /* -1: [require], -2: ignored, -3: a stage the chip does not
                 have, -4: passthrough vertex shader */
};

static const struct section sections[] = {
   { "[require]", -1 },
   { "[vertex shader passthrough]", -4 },
   { "[vertex shader]", SOURCE_VERTEX },
   { "[fragment shader]", SOURCE_FRAGMENT },
   { "[geometry shader", -3 },
   { "[tessellation", -3 },
   { "[compute shader", -3 },
   { "[vertex shader spirv]", -3 },
   { "[fragment shader spirv]", -3 },
   { "[vertex shader specializations]", -3 },
   { "[fragment shader specializations]", -3 },
   { "[vertex program]", -2 },
   { "[fragment program]", -2 },
   { "[vertex data]", -2 },
   { "[test]", -2 },
};

static int
find_section(const char *line)
{
   for (unsigned i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
      if (!strncmp(line, sections[i].name, strlen(sections[i].name)))
         return sections[i].stage;
   }
   return -2;
}

static const char passthrough_vs[] =
   "attribute vec4 piglit_vertex;\nvoid main() { gl_Position = "
   "piglit_vertex; }\n";

static bool
parse_shader_test(struct shader_test *test, const char *text, char **error)
{
   int section = -2;
   const char *start = NULL;
   for (const char *line = text; *line;) {
      size_t length = strcspn(line, "\n");
      const char *next = line + length + (line[length] == '\n');
      if (*line == '[') {
         if (section >= 0 && start &&
             !add_source(test, section, start, line - start, error))
            return false;
         section = find_section(line);
         start = next;
         if (section == -3)
            mark_unsupported(test, "needs %.*s", line, length);
         if (section == -4 && !add_source(test, SOURCE_VERTEX, passthrough_vs,
                                          strlen(passthrough_vs), error))
            return false;
      } else if (section == -1) {
         parse_require(test, text, line, length);
      }
      line = next;
   }
   if (section >= 0 && start)
      return add_source(test, section, start, strlen(start), error);
   return true;
}

bool
shader_test_add(struct shader_test *test, const char *path, char **error)
{
   *error = NULL;
   char *text = read_file(path, error);
   if (!text)
      return false;
   bool ok;
   bool pipe = !strcmp(path, "-"); /* without a name that says what it is */
   if (has_suffix(path, ".shader_test") ||
       (pipe && (strstr(text, "\n[") || text[0] == '['))) {
      ok = parse_shader_test(test, text, error);
   } else if (pipe || has_suffix(path, ".vert") ||
              has_suffix(path, ".frag")) {
      bool vertex = pipe ? strstr(text, "gl_Position") != NULL
                         : has_suffix(path, ".vert");
      apply_version_directive(test, text);
      ok = add_source(test, vertex ? SOURCE_VERTEX : SOURCE_FRAGMENT, text,
                      strlen(text), error);
   } else {
      *error = format_error(
         path, 0,
         "unknown kind of file (expected .vert, .frag or .shader_test)");
      ok = false;
   }
   free(text);
   return ok;
}

bool
shader_test_read(struct shader_test *test, const char *path, char **error)
{
   memset(test, 0, sizeof(*test));
   test->path = path;
   test->glsl_version = 110;
   bool ok = shader_test_add(test, path, error);
   if (!ok) {
      shader_test_free(test);
      return false;
   }
   bool has_vertex = false;
   for (unsigned i = 0; i < test->num_sources; i++)
      has_vertex |= test->sources[i].stage == SOURCE_VERTEX;
   test->fixed_vertex = !has_vertex;
   return true;
}

void
shader_test_free(struct shader_test *test)
{
   for (unsigned i = 0; i < test->num_sources; i++)
      free(test->sources[i].text);
   free(test->unsupported);
   memset(test, 0, sizeof(*test));
}
