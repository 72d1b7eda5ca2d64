/*
 * SPDX-License-Identifier: MIT
 *
 * Two processes: one renders into a buffer, the other imports it, composites it and looks at every pixel, frame by frame.
 *
 *   two_processes [--frames N] [--no-modifier] [--fence]
 *
 * --no-modifier leaves the modifier out of the import; --fence hands over an EGL_ANDROID_native_fence_sync fence instead
 * of finishing.
 */

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>

#include "egl.h"

#define SIZE 128
#define TILE 16
#define FOURCC_ABGR8888 0x34324241 /* bytes r g b a */

/* Extensions, which the libraries do not export. */
#define EXTENSIONS(X)                                                                                                  \
   X(PFNEGLCREATEIMAGEKHRPROC, eglCreateImageKHR)                                                                      \
   X(PFNEGLEXPORTDMABUFIMAGEQUERYMESAPROC, eglExportDMABUFImageQueryMESA)                                              \
   X(PFNEGLEXPORTDMABUFIMAGEMESAPROC, eglExportDMABUFImageMESA)                                                        \
   X(PFNEGLCREATESYNCKHRPROC, eglCreateSyncKHR)                                                                        \
   X(PFNEGLDESTROYSYNCKHRPROC, eglDestroySyncKHR)                                                                      \
   X(PFNEGLWAITSYNCKHRPROC, eglWaitSyncKHR)                                                                            \
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

static unsigned frames = 300;
static bool use_modifier = true, use_fence;

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

static GLuint
make_texture(void)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   return texture;
}

static void
bind_target(GLuint texture)
{
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glViewport(0, 0, SIZE, SIZE);
}

/* --- the one that renders -------------------------------------------------------------------------------------------- */

static int
hand_over(EGLDisplay display)
{
   if (!use_fence) {
      glFinish();
      return -1;
   }
   EGLSyncKHR sync = p_eglCreateSyncKHR(display, EGL_SYNC_NATIVE_FENCE_ANDROID, NULL);
   CHECK(sync != EGL_NO_SYNC_KHR);
   glFlush();
   int fd = p_eglDupNativeFenceFDANDROID(display, sync);
   CHECK(fd >= 0);
   p_eglDestroySyncKHR(display, sync);
   return fd;
}

static int
producer(int socket)
{
   EGLDisplay display = open_display();
   load_extensions();
   EGLContext context = create_context(display, EGL_OPENGL_ES_API, EGL_NO_CONTEXT, NULL);
   make_current(display, context);
   GLuint texture = make_texture();
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   EGLClientBuffer source = (EGLClientBuffer)(uintptr_t)texture;
   EGLImageKHR image = p_eglCreateImageKHR(display, context, EGL_GL_TEXTURE_2D_KHR, source, NULL);
   CHECK(image != EGL_NO_IMAGE_KHR);
   int fourcc, planes, fd;
   EGLuint64KHR modifier;
   EGLint stride, offset;
   CHECK(p_eglExportDMABUFImageQueryMESA(display, image, &fourcc, &planes, &modifier) && planes == 1);
   CHECK(p_eglExportDMABUFImageMESA(display, image, &fd, &stride, &offset) && fd >= 0);
   bind_target(texture);
   struct message message = {stride, offset, fourcc, modifier};
   send_message(socket, &message, fd);
   close(fd);

   glEnable(GL_SCISSOR_TEST);
   for (unsigned frame = 0; frame < frames; frame++) {
      for (unsigned y = 0; y < SIZE / TILE; y++) {
         for (unsigned x = 0; x < SIZE / TILE; x++) {
            uint8_t c[4];
            pattern(frame, x, y, c);
            glScissor(x * TILE, y * TILE, TILE, TILE);
            glClearColor(c[0] / 255.0f, c[1] / 255.0f, c[2] / 255.0f, 1.0f);
            glClear(GL_COLOR_BUFFER_BIT);
         }
      }
      int fence = hand_over(display);
      send_message(socket, &message, fence);
      if (fence >= 0)
         close(fence);
      receive_message(socket, &message); /* the frame was used */
   }
   CHECK(glGetError() == GL_NO_ERROR);
   eglTerminate(display);
   return 0;
}

/* --- the one that composites ----------------------------------------------------------------------------------------- */

static GLuint
compile(GLenum type, const char *source)
{
   GLuint shader = glCreateShader(type);
   GLint ok;
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   CHECK(ok);
   return shader;
}

static void
use_copy_program(void)
{
   static const char vertex[] = "attribute vec2 pos; varying vec2 uv;\n"
                                "void main() { uv = pos * 0.5 + 0.5; gl_Position = vec4(pos, 0.0, 1.0); }";
   static const char fragment[] = "precision mediump float; varying vec2 uv; uniform sampler2D t;\n"
                                  "void main() { gl_FragColor = texture2D(t, uv); }";
   GLuint program = glCreateProgram();
   GLint ok;
   glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
   glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
   glBindAttribLocation(program, 0, "pos");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   CHECK(ok);
   glUseProgram(program);
}

static EGLImageKHR
import(EGLDisplay display, const struct message *message, int fd)
{
   EGLint attributes[32];
   unsigned n = 0;
   attributes[n++] = EGL_WIDTH;
   attributes[n++] = SIZE;
   attributes[n++] = EGL_HEIGHT;
   attributes[n++] = SIZE;
   attributes[n++] = EGL_LINUX_DRM_FOURCC_EXT;
   attributes[n++] = message->fourcc;
   attributes[n++] = EGL_DMA_BUF_PLANE0_FD_EXT;
   attributes[n++] = fd;
   attributes[n++] = EGL_DMA_BUF_PLANE0_OFFSET_EXT;
   attributes[n++] = message->offset;
   attributes[n++] = EGL_DMA_BUF_PLANE0_PITCH_EXT;
   attributes[n++] = message->stride;
   if (use_modifier) {
      attributes[n++] = EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT;
      attributes[n++] = message->modifier & 0xffffffff;
      attributes[n++] = EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT;
      attributes[n++] = message->modifier >> 32;
   }
   attributes[n] = EGL_NONE;
   return p_eglCreateImageKHR(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, attributes);
}

static void
wait_for_fence(EGLDisplay display, int fd)
{
   const EGLint attributes[] = {EGL_SYNC_NATIVE_FENCE_FD_ANDROID, fd, EGL_NONE}; /* takes the descriptor */
   EGLSyncKHR sync = p_eglCreateSyncKHR(display, EGL_SYNC_NATIVE_FENCE_ANDROID, attributes);
   CHECK(sync != EGL_NO_SYNC_KHR);
   CHECK(p_eglWaitSyncKHR(display, sync, 0));
   p_eglDestroySyncKHR(display, sync);
}

static int
consumer(int socket)
{
   static const GLfloat quad[] = {-1, -1, 1, -1, -1, 1, 1, 1};
   EGLDisplay display = open_display();
   load_extensions();
   EGLContext context = create_context(display, EGL_OPENGL_ES_API, EGL_NO_CONTEXT, NULL);
   make_current(display, context);
   printf("renderer: %s\n", glGetString(GL_RENDERER));

   struct message message;
   int fd = receive_message(socket, &message);
   EGLImageKHR image = import(display, &message, fd);
   CHECK(image != EGL_NO_IMAGE_KHR);
   close(fd);
   GLuint target = make_texture();
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   bind_target(target);
   make_texture();
   p_glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, image);
   use_copy_program();
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, quad);
   glEnableVertexAttribArray(0);

   static uint8_t pixels[SIZE * SIZE][4];
   for (unsigned frame = 0; frame < frames; frame++) {
      int fence = receive_message(socket, &message);
      if (fence >= 0)
         wait_for_fence(display, fence);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
      for (unsigned i = 0; i < SIZE * SIZE; i++) {
         uint8_t expected[4];
         pattern(frame, i % SIZE / TILE, i / SIZE / TILE, expected);
         if (memcmp(pixels[i], expected, 4)) {
            fprintf(stderr, "frame %u, pixel %u,%u: %u %u %u %u instead of %u %u %u %u\n", frame, i % SIZE, i / SIZE,
                    pixels[i][0], pixels[i][1], pixels[i][2], pixels[i][3], expected[0], expected[1], expected[2],
                    expected[3]);
            return 1;
         }
      }
      send_message(socket, &message, -1);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   printf("%u frames of %ux%u, every pixel right\n", frames, SIZE, SIZE);
   eglTerminate(display);
   return 0;
}

int
main(int argc, char **argv)
{
   static const struct option options[] = {
      {"frames", required_argument, NULL, 'f'}, {"no-modifier", no_argument, NULL, 'm'},
      {"fence", no_argument, NULL, 's'},        {NULL, 0, NULL, 0},
   };
   int option;
   while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
      switch (option) {
      case 'f':
         frames = atoi(optarg);
         break;
      case 'm':
         use_modifier = false;
         break;
      case 's':
         use_fence = true;
         break;
      default:
         fprintf(stderr, "usage: %s [--frames N] [--no-modifier] [--fence]\n", argv[0]);
         return 2;
      }
   }
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
