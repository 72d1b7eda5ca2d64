/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Results of occlusion queries become available in the order of the queries (ARB_occlusion_query), also those of queries that
 * counted nothing; and whether something is drawn follows from one.  To be run with jobs that execute late (TEGRA20_SHIM_ASYNC).
 */

#include "opengl.h"

#define SIZE 16

static GLuint
query_of(unsigned draws)
{
   GLuint query;

   glGenQueries(1, &query);
   glBeginQuery(GL_SAMPLES_PASSED, query);
   for (unsigned i = 0; i < draws; i++)
      glRectf(-1, -1, 1, 1);
   glEndQuery(GL_SAMPLES_PASSED);
   return query;
}

static bool
is_available(GLuint query)
{
   GLuint available = 0;

   glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &available);
   return available;
}

/* The second query is waited for: by its result, or until it says that it is available. */
static unsigned
check(unsigned first_draws, unsigned second_draws, bool polls)
{
   const GLuint first = query_of(first_draws), second = query_of(second_draws);
   GLuint samples = 0;

   glFlush();
   if (polls) {
      while (!is_available(second))
         continue;
   } else {
      glGetQueryObjectuiv(second, GL_QUERY_RESULT, &samples);
   }
   const bool ordered = is_available(first);
   glGetQueryObjectuiv(second, GL_QUERY_RESULT, &samples);
   unsigned wrong = samples != second_draws * SIZE * SIZE;
   glGetQueryObjectuiv(first, GL_QUERY_RESULT, &samples);
   wrong += samples != first_draws * SIZE * SIZE;
   if (!ordered || wrong)
      fprintf(stderr, "%u draws, then %u, %s: %s\n", first_draws, second_draws, polls ? "polled" : "waited for",
              ordered ? "wrong count" : "the second result is there before the first one");
   return !ordered + wrong;
}

/* A query that begins between two draws that are otherwise the same counts the second one, also when it is the first query. */
static unsigned
check_repeated(unsigned draws)
{
   GLuint samples = 0;

   for (unsigned i = 0; i < draws; i++)
      glRectf(-1, -1, 1, 1);
   glGetQueryObjectuiv(query_of(1), GL_QUERY_RESULT, &samples);
   if (samples != SIZE * SIZE)
      fprintf(stderr, "%u draws, then one in a query: %u samples\n", draws, samples);
   return samples != SIZE * SIZE;
}

static unsigned
check_conditional(unsigned draws)
{
   const GLuint query = query_of(draws);
   GLubyte pixel[4];

   glClear(GL_COLOR_BUFFER_BIT);
   glBeginConditionalRender(query, GL_QUERY_WAIT);
   glRectf(-1, -1, 1, 1);
   glEndConditionalRender();
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   return pixel[0] != (draws ? 255 : 0);
}

int
main(void)
{
   unsigned wrong = 0;

   open_target(SIZE, SIZE, false);
   for (unsigned i = 1; i < 5; i++)
      wrong += check_repeated(i) + check_conditional(i % 2);
   for (unsigned i = 0; i < 8; i++)
      wrong += check(1 + 2 * (i & 1), i & 2 ? 1 : 0, i & 4);
   CHECK(glGetError() == GL_NO_ERROR);
   return wrong != 0;
}
