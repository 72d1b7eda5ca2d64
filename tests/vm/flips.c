/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Draws to the display of tegra20-vm through GBM and page flips: each frame has one colour, the left half of it made by the 2D
 * engine and the right half by many triangles.  A frame that is shown too early, or exchanged within a picture, has two.
 *
 *   test_vm_flips [FRAMES]   default 100
 *
 * The colour of frame n is n / 16 in red and n % 16 in green, in steps of 17.
 */

#include <fcntl.h>
#include <gbm.h>
#include <poll.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "opengl_es.h"

#define STRIPES 200

static int drm;
static uint32_t crtc, connector;
static drmModeModeInfo mode;
static bool flipping;

static void
find_display(void)
{
   drmModeRes *resources = drmModeGetResources(drm);
   CHECK(resources && resources->count_connectors > 0 && resources->count_crtcs > 0);
   for (int i = 0; i < resources->count_connectors && !connector; i++) {
      drmModeConnector *c = drmModeGetConnector(drm, resources->connectors[i]);
      if (c->connection == DRM_MODE_CONNECTED && c->count_modes) {
         connector = c->connector_id;
         mode = c->modes[0];
      }
      drmModeFreeConnector(c);
   }
   crtc = resources->crtcs[0];
   drmModeFreeResources(resources);
   CHECK(connector);
}

static uint32_t
framebuffer_of(struct gbm_bo *bo)
{
   const uint32_t handles[4] = {gbm_bo_get_handle(bo).u32}, pitches[4] = {gbm_bo_get_stride(bo)}, offsets[4] = {0};
   uint32_t id = (uint32_t)(uintptr_t)gbm_bo_get_user_data(bo);
   if (!id) {
      CHECK(!drmModeAddFB2(drm, mode.hdisplay, mode.vdisplay, GBM_FORMAT_XRGB8888, handles, pitches, offsets, &id, 0));
      gbm_bo_set_user_data(bo, (void *)(uintptr_t)id, NULL);
   }
   return id;
}

static void
on_flip(int fd, unsigned frame, unsigned seconds, unsigned microseconds, void *data)
{
   flipping = false;
}

static void
show(struct gbm_bo *bo, bool first)
{
   drmEventContext events = {.version = 2, .page_flip_handler = on_flip};
   if (first) {
      CHECK(!drmModeSetCrtc(drm, crtc, framebuffer_of(bo), 0, 0, &connector, 1, &mode));
      return;
   }
   flipping = true;
   CHECK(!drmModePageFlip(drm, crtc, framebuffer_of(bo), DRM_MODE_PAGE_FLIP_EVENT, NULL));
   while (flipping) {
      struct pollfd pfd = {.fd = drm, .events = POLLIN};
      CHECK(poll(&pfd, 1, 60000) == 1);
      drmHandleEvent(drm, &events);
   }
}

static void
draw(unsigned frame, GLint place, GLint colour)
{
   const float red = frame / 16 % 16 / 15.0f, green = frame % 16 / 15.0f;
   clear_color(red, green, 0, 1);
   for (unsigned i = 0; i < STRIPES; i++) {
      /* all but the last go over the same place in other colours */
      const bool last = i == STRIPES - 1;
      glUniform2f(place, 0, 1);
      glUniform4f(colour, last ? red : 1 - red, last ? green : 1 - green, 0, 1);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   }
}

int
main(int argc, char **argv)
{
   const unsigned frames = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
   static const GLfloat corners[] = {0, -1, 1, -1, 0, 1, 1, 1};
   static const EGLint version_2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
   static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_NONE};
   EGLConfig configs[64], config = NULL;
   EGLint count;

   drm = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
   CHECK(drm >= 0);
   find_display();
   struct gbm_device *gbm = gbm_create_device(drm);
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gbm, NULL);
   CHECK(eglInitialize(display, NULL, NULL) && eglBindAPI(EGL_OPENGL_ES_API));
   CHECK(eglChooseConfig(display, wanted, configs, 64, &count));
   for (EGLint i = 0, format; i < count && !config; i++) {
      if (eglGetConfigAttrib(display, configs[i], EGL_NATIVE_VISUAL_ID, &format) && format == GBM_FORMAT_XRGB8888)
         config = configs[i];
   }
   CHECK(config);
   struct gbm_surface *window = gbm_surface_create(gbm, mode.hdisplay, mode.vdisplay, GBM_FORMAT_XRGB8888,
                                                   GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING);
   EGLSurface surface = eglCreatePlatformWindowSurface(display, config, window, NULL);
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version_2);
   CHECK(surface && context && eglMakeCurrent(display, surface, surface, context));
   CHECK(strstr((const char *)glGetString(GL_RENDERER), "Tegra"));
   const GLuint program = make_program("attribute vec2 corner;\n"
                                       "uniform vec2 place;\n"
                                       "void main() { gl_Position = vec4(corner * place.y + vec2(place.x, 0.0), 0.0, 1.0); }\n",
                                       "precision mediump float;\n"
                                       "uniform vec4 colour;\n"
                                       "void main() { gl_FragColor = colour; }\n", "corner");
   glUseProgram(program);
   use_floats(0, 2, corners);
   const GLint place = glGetUniformLocation(program, "place"), colour = glGetUniformLocation(program, "colour");

   struct gbm_bo *shown = NULL;
   for (unsigned frame = 1; frame <= frames; frame++) {
      draw(frame, place, colour);
      CHECK(eglSwapBuffers(display, surface));
      struct gbm_bo *next = gbm_surface_lock_front_buffer(window);
      CHECK(next);
      show(next, !shown);
      if (shown)
         gbm_surface_release_buffer(window, shown);
      shown = next;
   }
   printf("%u frames shown\n", frames);
   return 0;
}
