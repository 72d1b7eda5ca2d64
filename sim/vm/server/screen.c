/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Pictures of the screen in files.
 *
 * At the end of a command its compositor has turned the screen off, so the
 * file shows the last picture before that: one is kept, composed at most ten
 * times a second.
 */

#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scanout.h"
#include "screen.h"

#define KEEP_INTERVAL_NS 100000000ll

struct picture {
   unsigned width, height;
   uint8_t *rgba;
};

static const char *file, *directory;
static volatile sig_atomic_t wanted;

static const uint8_t *memory;
static size_t memory_size;
static struct vm_display current;

static struct picture kept, previous;
static int64_t kept_time;

void
screen_set_file(const char *path)
{
   file = path;
}

void
screen_set_directory(const char *path)
{
   directory = path;
}

bool
screen_keeps_frames(void)
{
   return directory;
}

static int64_t
now(void)
{
   struct timespec ts;
   clock_gettime(CLOCK_MONOTONIC, &ts);
   return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void
on_signal(int number)
{
   wanted = 1;
}

void
screen_init(void)
{
   /* Without SA_RESTART: the thread that receives messages notices. */
   const struct sigaction action = { .sa_handler = on_signal };
   sigaction(SIGUSR1, &action, NULL);
}

/* Returns false when the screen is off or memory is short. */
static bool
compose(struct picture *picture)
{
   unsigned width = scanout_width(&current);
   unsigned height = scanout_height(&current);
   if (!memory || !width || !height)
      return false;
   uint8_t *rgba = realloc(picture->rgba, 4 * (size_t)width * height);
   if (!rgba)
      return false;
   picture->rgba = rgba;
   picture->width = width;
   picture->height = height;
   scanout_compose(memory, memory_size, &current, rgba);
   return true;
}

static void
write_png(const char *path, const struct picture *picture)
{
   static const uint8_t black[4] = { 0, 0, 0, 255 };
   png_image image = {
      .version = PNG_IMAGE_VERSION,
      .width = picture->rgba ? picture->width : 1,
      .height = picture->rgba ? picture->height : 1,
      .format = PNG_FORMAT_RGBA,
   };
   if (!png_image_write_to_file(
          &image, path, 0, picture->rgba ? picture->rgba : black, 0, NULL))
      fprintf(stderr, "tegra20-vm: cannot write %s: %s\n", path,
              image.message);
}

static void
write_frame(void)
{
   struct picture picture = { 0 };
   char path[4096];
   if (!compose(&picture))
      return;
   size_t size = 4 * (size_t)picture.width * picture.height;
   if (previous.rgba && previous.width == picture.width &&
       previous.height == picture.height &&
       !memcmp(previous.rgba, picture.rgba, size)) {
      free(picture.rgba);
      return;
   }
   snprintf(path, sizeof(path), "%s/frame-%06u.png", directory,
            current.frame);
   write_png(path, &picture);
   free(previous.rgba);
   previous = picture;
}

void
screen_frame(const uint8_t *guest, size_t size,
             const struct vm_display *display)
{
   if (display->head != 0)
      return;
   memory = guest;
   memory_size = size;
   current = *display;
   if (directory)
      write_frame();
   if (file && now() - kept_time >= KEEP_INTERVAL_NS && compose(&kept))
      kept_time = now();
   screen_poll();
}

void
screen_shoot(const char *path)
{
   struct picture picture = { 0 };
   compose(&picture);
   write_png(path, &picture);
   free(picture.rgba);
}

void
screen_poll(void)
{
   if (!wanted || !file)
      return;
   wanted = 0;
   screen_shoot(file);
}

void
screen_finish(void)
{
   if (file)
      write_png(file, &kept);
   free(kept.rgba);
   free(previous.rgba);
}
