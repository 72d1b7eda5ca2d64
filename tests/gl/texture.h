/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Textures for the GL tests.  Include it after the header of the API.
 */

#ifndef TESTS_GL_TEXTURE_H
#define TESTS_GL_TEXTURE_H

/* A new texture, bound to the target, without images: not filtered, clamped to its edges. */
static inline GLuint
nearest_texture(GLenum target)
{
   GLuint texture;

   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   return texture;
}

#endif
