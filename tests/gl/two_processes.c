/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Two processes: one renders into a buffer, the other imports it, composites it and looks at every pixel, frame by frame.
 *
 *   two_processes [--frames N] [--size N] [--alloc HOW] [--no-modifier] [--fence] [--no-flush]
 *
 * HOW the producer gets its buffer: "texture" (default) exports a GL texture; "linear" and "tiled" ask gbm for the format
 * modifier; "scanout" asks gbm for a buffer to scan out, without modifiers.  --no-modifier leaves the modifier out of the
 * imports; --fence hands over EGL_ANDROID_native_fence_sync fences, in both directions, instead of finishing;
 * --no-flush leaves it to the fence that commands are submitted.
 */

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <gbm.h>

#include "opengl_es.h"

#define TILES 8 /* a side of the picture, each of its own colour */
#define MODIFIER_LINEAR 0ull
#define MODIFIER_TEGRA_TILED 0x0300000000000001ull

/* Extensions, which the libraries do not export. */
#define EXTENSIONS(X)                                                                                                  \
   X(PFNEGLEXPORTDMABUFIMAGEQUERYMESAPROC, eglExportDMABUFImageQueryMESA)                                              \
   X(PFNEGLEXPORTDMABUFIMAGEMESAPROC, eglExportDMABUFImageMESA)                                                        \
   X(PFNEGLDUPNATIVEFENCEFDANDROIDPROC, eglDupNativeFenceFDANDROID)                                                    \
   X(PFNGLEGLIMAGETARGETTEXTURE2DOESPROC, glEGLImageTargetTexture2DOES)
#define DECLARE(type, name) static type p_##name;
EXTENSIONS(DECLARE)

static void
load_extensions(void)
{
#define LOAD(type, name)                                                                                               \
   p_##name = (type)eglGetProcAddress(#name);                                                                          \
   CHECK(p_##name);
   EXTENSIONS(LOAD)
}

static unsigned frames = 300, size = 128;
static const char *alloc_how = "texture";
static bool use_modifier = true, use_fence, no_flush;

/* What travels with the descriptor of a buffer. */
struct message {
   uint32_t stride, offset, fourcc;
   uint64_t modifier;
};

static void
send_message(int socket, const struct message *message, int fd)
{
   char control[CMSG_SPACE(sizeof(int))] = {0};
   struct iovec iov = {(void *)message, sizeof(*message)};
   struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
   if (fd >= 0) {
      msg.msg_control = control;
      msg.msg_controllen = sizeof(control);
      struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
      cmsg->cmsg_level = SOL_SOCKET;
      cmsg->cmsg_type = SCM_RIGHTS;
      cmsg->cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
   }
   CHECK(sendmsg(socket, &msg, 0) == sizeof(*message));
}

static int
receive_message(int socket, struct message *message)
{
   char control[CMSG_SPACE(sizeof(int))];
   struct iovec iov = {message, sizeof(*message)};
   struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
   CHECK(recvmsg(socket, &msg, 0) == sizeof(*message));
   struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
   int fd = -1;
   if (cmsg)
      memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
   return fd;
}

static void
pattern(unsigned frame, unsigned x, unsigned y, uint8_t rgba[4])
{
   rgba[0] = frame * 7 + x * 31;
   rgba[1] = frame * 3 + y * 29;
   rgba[2] = frame + x * 5 + y * 11;
   rgba[3] = 255;
}

static void
bind_target(GLuint texture)
{
   texture_framebuffer(GL_TEXTURE_2D, texture, 0);
   glViewport(0, 0, size, size);
}

static void
set_color(const uint8_t c[4])
{
   GLint program;
   glGetIntegerv(GL_CURRENT_PROGRAM, &program);
   glUniform4f(glGetUniformLocation(program, "color"), c[0] / 255.0f, c[1] / 255.0f, c[2] / 255.0f, 1.0f);
}

static EGLImageKHR
import(EGLDisplay display, const struct message *message, int fd)
{
   const EGLAttrib attributes[] = {
      EGL_WIDTH, size, EGL_HEIGHT, size, EGL_LINUX_DRM_FOURCC_EXT, message->fourcc, EGL_DMA_BUF_PLANE0_FD_EXT, fd,
      EGL_DMA_BUF_PLANE0_OFFSET_EXT, message->offset, EGL_DMA_BUF_PLANE0_PITCH_EXT, message->stride,
      use_modifier ? EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT : EGL_NONE, message->modifier & 0xffffffff,
      EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT, message->modifier >> 32, EGL_NONE,
   };

   return eglCreateImage(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, attributes);
}

static void
wait_for_fence(EGLDisplay display, int fd)
{
   const EGLAttrib attributes[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, fd, EGL_NONE}; /* takes the descriptor */
   EGLSyncKHR sync = eglCreateSync(display, EGL_SYNC_NATIVE_FENCE_ANDROID, attributes);
   CHECK(sync != EGL_NO_SYNC_KHR);
   CHECK(eglWaitSync(display, sync, 0));
   eglDestroySync(display, sync);
}

static int
hand_over(EGLDisplay display)
{
   if (!use_fence) {
      glFinish();
      return -1;
   }
   EGLSyncKHR sync = eglCreateSync(display, EGL_SYNC_NATIVE_FENCE_ANDROID, NULL);
   CHECK(sync != EGL_NO_SYNC_KHR);
   if (!no_flush)
      glFlush();
   int fd = p_eglDupNativeFenceFDANDROID(display, sync);
   CHECK(fd >= 0);
   eglDestroySync(display, sync);
   return fd;
}

/* --- the one that renders -------------------------------------------------------------------------------------------- */

static EGLImageKHR
export_texture(EGLDisplay display, EGLContext context, GLuint texture, struct message *message, int *fd)
{
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   EGLClientBuffer source = (EGLClientBuffer)(uintptr_t)texture;
   EGLImageKHR image = eglCreateImage(display, context, EGL_GL_TEXTURE_2D_KHR, source, NULL);
   CHECK(image != EGL_NO_IMAGE_KHR);
   int fourcc, planes;
   EGLuint64KHR modifier;
   EGLint stride, offset;
   CHECK(p_eglExportDMABUFImageQueryMESA(display, image, &fourcc, &planes, &modifier) && planes == 1);
   CHECK(p_eglExportDMABUFImageMESA(display, image, fd, &stride, &offset) && *fd >= 0);
   *message = (struct message){stride, offset, fourcc, modifier};
   return image;
}

/* A buffer of gbm, as compositors make them for displays. */
static void
create_with_gbm(struct message *message, int *fd)
{
   int device_fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
   CHECK(device_fd >= 0);
   struct gbm_device *device = gbm_create_device(device_fd);
   CHECK(device);
   uint64_t modifier = !strcmp(alloc_how, "tiled") ? MODIFIER_TEGRA_TILED : MODIFIER_LINEAR;
   uint32_t use = GBM_BO_USE_RENDERING | GBM_BO_USE_SCANOUT;
   struct gbm_bo *bo = !strcmp(alloc_how, "scanout")
                          ? gbm_bo_create(device, size, size, GBM_FORMAT_ABGR8888, use)
                          : gbm_bo_create_with_modifiers2(device, size, size, GBM_FORMAT_ABGR8888, &modifier, 1, use);
   CHECK(bo);
   CHECK(gbm_bo_get_plane_count(bo) == 1);
   CHECK(gbm_bo_get_modifier(bo) == modifier);
   /* kernel-interface.md 8.2, surfaces-and-textures.md 12 */
   CHECK(gbm_bo_get_stride(bo) % (modifier == MODIFIER_TEGRA_TILED ? 256 : 64) == 0);
   *message = (struct message){gbm_bo_get_stride(bo), gbm_bo_get_offset(bo, 0), gbm_bo_get_format(bo), modifier};
   *fd = gbm_bo_get_fd(bo);
   CHECK(*fd >= 0);
   /* The descriptor keeps the memory. */
   gbm_bo_destroy(bo);
   gbm_device_destroy(device);
   close(device_fd);
}

static void
draw_pattern(unsigned frame)
{
   unsigned tile = size / TILES;
   for (unsigned y = 0; y < TILES; y++) {
      for (unsigned x = 0; x < TILES; x++) {
         uint8_t c[4];
         pattern(frame, x, y, c);
         /* The last ones reach to the edge. */
         glScissor(x * tile, y * tile, x == TILES - 1 ? size - x * tile : tile, y == TILES - 1 ? size - y * tile : tile);
         clear_color(c[0] / 255.0f, c[1] / 255.0f, c[2] / 255.0f, 1.0f);
      }
   }
   /* With the 3D engine over what the 2D engine cleared: a square of the colour of the first tile. */
   glScissor(0, 0, tile, tile);
   draw_square();
}

static int
producer(int socket)
{
   EGLDisplay display = open_display();
   load_extensions();
   EGLContext context = new_context(display, EGL_NO_CONTEXT);
   make_current(display, context);
   GLuint texture = nearest_texture(GL_TEXTURE_2D);
   struct message message;
   int fd;
   if (!strcmp(alloc_how, "texture")) {
      export_texture(display, context, texture, &message, &fd);
   } else {
      create_with_gbm(&message, &fd);
      EGLImageKHR image = import(display, &message, fd);
      CHECK(image != EGL_NO_IMAGE_KHR);
      p_glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, image);
   }
   bind_target(texture);
   send_message(socket, &message, fd);
   close(fd);

   glUseProgram(square_program("precision mediump float; uniform vec4 color; void main() { gl_FragColor = color; }"));
   glEnable(GL_SCISSOR_TEST);
   for (unsigned frame = 0; frame < frames; frame++) {
      uint8_t c[4];
      pattern(frame, 0, 0, c);
      set_color(c);
      draw_pattern(frame);
      int fence = hand_over(display);
      send_message(socket, &message, fence);
      if (fence >= 0)
         close(fence);
      fence = receive_message(socket, &message); /* the frame was used, or will have been */
      if (fence >= 0)
         wait_for_fence(display, fence);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   eglTerminate(display);
   return 0;
}

/* --- the one that composites ----------------------------------------------------------------------------------------- */

static bool
frame_is_right(unsigned frame, uint8_t (*pixels)[4])
{
   unsigned tile = size / TILES;
   glReadPixels(0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < size * size; i++) {
      unsigned x = i % size / tile, y = i / size / tile;
      uint8_t expected[4];
      pattern(frame, x < TILES ? x : TILES - 1, y < TILES ? y : TILES - 1, expected);
      if (memcmp(pixels[i], expected, 4)) {
         fprintf(stderr, "frame %u, pixel %u,%u: %u %u %u %u instead of %u %u %u %u\n", frame, i % size, i / size, pixels[i][0],
                 pixels[i][1], pixels[i][2], pixels[i][3], expected[0], expected[1], expected[2], expected[3]);
         return false;
      }
   }
   return true;
}

static int
consumer(int socket)
{
   EGLDisplay display = open_display();
   load_extensions();
   EGLContext context = new_context(display, EGL_NO_CONTEXT);
   make_current(display, context);
   printf("renderer: %s\n", glGetString(GL_RENDERER));

   struct message message;
   int fd = receive_message(socket, &message);
   EGLImageKHR image = import(display, &message, fd);
   CHECK(image != EGL_NO_IMAGE_KHR);
   close(fd);
   GLuint target = nearest_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   bind_target(target);
   nearest_texture(GL_TEXTURE_2D);
   p_glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, image);
   glUseProgram(square_program("precision mediump float; varying vec2 p; uniform sampler2D t;\n"
                               "void main() { gl_FragColor = texture2D(t, p); }"));

   uint8_t(*pixels)[4] = malloc(size * size * 4);
   CHECK(pixels);
   for (unsigned frame = 0; frame < frames; frame++) {
      int fence = receive_message(socket, &message);
      if (fence >= 0)
         wait_for_fence(display, fence);
      draw_square();
      /* With fences the producer goes on as soon as the draw is over, while this process still looks at its copy. */
      fence = use_fence ? hand_over(display) : -1;
      if (fence >= 0) {
         send_message(socket, &message, fence);
         close(fence);
      }
      if (!frame_is_right(frame, pixels))
         return 1;
      if (fence < 0)
         send_message(socket, &message, -1);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   printf("%u frames of %ux%u (modifier 0x%llx), every pixel right\n", frames, size, size, (unsigned long long)message.modifier);
   free(pixels);
   eglTerminate(display);
   return 0;
}

int
main(int argc, char **argv)
{
   bool no_modifier = false;
   const struct option_of_test options[] = {
      {"frames", &frames}, {"size", &size}, {"alloc", .text = &alloc_how}, {"no-modifier", .flag = &no_modifier},
      {"fence", .flag = &use_fence}, {"no-flush", .flag = &no_flush},
   };

   parse_options(argc, argv, options, COUNT(options));
   use_modifier = !no_modifier;
   int sockets[2], status;
   CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0);
   pid_t child = fork();
   CHECK(child >= 0);
   if (child == 0) {
      close(sockets[0]);
      _exit(producer(sockets[1]));
   }
   close(sockets[1]);
   int ret = consumer(sockets[0]);
   close(sockets[0]);
   CHECK(waitpid(child, &status, 0) == child);
   return ret ? ret : status != 0;
}
