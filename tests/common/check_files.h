/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What vs-check-files and fs-check-files share: one stage of each GLSL file goes through the GL front end to a function
 * that compares machine words with NIR; files are shared out to worker processes, so that a crash costs one file.
 */
#ifndef CHECK_FILES_H
#define CHECK_FILES_H

#include "compiler/nir/nir.h"

/* The worst one of several is the greatest. */
enum check_outcome { CHECK_AGREES, CHECK_DIFFERS, CHECK_BROKEN, CHECK_REJECTED, CHECK_SKIPPED, NUM_CHECK_OUTCOMES };

/* Compares one program and prints a line for what is worth one.  nir is preprocessed; the caller frees it and what is
 * allocated from it.  file is the name of its file. */
typedef enum check_outcome (*check_shader_fn)(nir_shader *nir, const char *file);

/* The whole of main(): checks the files of the command line, prints totals and returns the exit status: 0, 1 (a program
 * differs, breaks a rule of the chip or crashes the compiler) or 2 (no files given). */
int check_files(int argc, char **argv, gl_shader_stage stage, check_shader_fn fn);

#endif
