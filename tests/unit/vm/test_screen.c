/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * When pictures of the screen are written, and of which frame: at a signal, at the end, one for each that differs.
 */

#include <signal.h>
#include <unistd.h>

#include "image.h"
#include "screen.h"
#include "unit.h"

static char directory[] = "/tmp/tegra20-screen-XXXXXX", file[64], shot[64];
static uint32_t memory[8];

static const char *
frame_path(unsigned number)
{
   static char path[80];
   snprintf(path, sizeof(path), "%s/frame-%06u.png", directory, number);
   return path;
}

/* Two by two pixels, the last of them of another colour. */
static void
show(unsigned frame, unsigned head, bool on, uint32_t rgb, uint32_t last)
{
   struct vm_display display = { .frame = frame, .head = head, .on = on, .active = 2 << 16 | 2 };

   display.windows[0] = (struct vm_window){
      .options = 1u << 30, .color_depth = 12, .size = 2 << 16 | 2, .line_stride = 16, .dda_increment = 0x10001000,
      .blend_1win = 0xffff00, .blend_2win_x = 0xffff00, .blend_2win_y = 0xffff00, .blend_3win_xy = 0xffff00,
   };
   memory[0] = memory[1] = memory[4] = rgb;
   memory[5] = last;
   screen_frame((const uint8_t *)memory, sizeof(memory), &display);
}

/* So large, with these colours; size -1: there is no file.  The file is gone then. */
static void
assert_picture(const char *path, int size, uint32_t rgb, uint32_t last)
{
   unsigned w, h;
   assert_int_equal(access(path, F_OK), size < 0 ? -1 : 0);
   if (size < 0)
      return;
   unsigned char *pixels = image_read(path, &w, &h);
   assert_non_null(pixels);
   assert_int_equal(w, size);
   assert_int_equal(h, size);
   for (unsigned i = 0; i < w * h; i++)
      assert_int_equal(pixels[4 * i] << 16 | pixels[4 * i + 1] << 8 | pixels[4 * i + 2], i == 3 ? last : rgb);
   free(pixels);
   unlink(path);
}

BEFORE_ALL
{
   assert_non_null(mkdtemp(directory));
   snprintf(file, sizeof(file), "%s/file.png", directory);
   snprintf(shot, sizeof(shot), "%s/shot.png", directory);
   screen_init();
}

AFTER_ALL
{
   rmdir(directory);
}

TEST(signal_without_a_file)
{
   raise(SIGUSR1);
   show(1, 0, true, 0x112233, 0x112233);
   assert_picture(file, -1, 0, 0);
}

TEST(signal)
{
   screen_set_file(file); /* the signal of before waits for it */
   screen_poll();
   assert_picture(file, 2, 0x112233, 0x112233);
   show(2, 0, true, 0x445566, 0x445566);
   screen_poll();
   assert_picture(file, -1, 0, 0);
   raise(SIGUSR1);
   show(3, 1, true, 0x0000ff, 0x0000ff); /* another controller */
   assert_picture(file, -1, 0, 0);
   show(4, 0, true, 0x778899, 0x778899);
   assert_picture(file, 2, 0x778899, 0x778899);
}

TEST(shoot)
{
   screen_shoot(shot);
   assert_picture(shot, 2, 0x778899, 0x778899);
   show(6, 0, false, 0, 0);
   screen_shoot(shot);
   assert_picture(shot, 1, 0, 0);
}

/* A picture that cannot be written is complained of, and no other. */
TEST(no_directory)
{
   char text[200] = "";
   int ends[2], error = dup(STDERR_FILENO);
   assert_true(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
   screen_shoot(shot);
   screen_shoot("/nonexistent/shot.png");
   dup2(error, STDERR_FILENO);
   assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
   assert_ptr_equal(strstr(text, "tegra20-vm: cannot write /nonexistent/shot.png: "), text);
   unlink(shot);
}

TEST(frames)
{
   assert_false(screen_keeps_frames());
   screen_set_directory(directory);
   assert_true(screen_keeps_frames());
   show(7, 0, true, 0x010101, 0x010101);
   assert_picture(frame_path(7), 2, 0x010101, 0x010101);
   show(8, 0, true, 0x010101, 0x010101);
   assert_picture(frame_path(8), -1, 0, 0);
   show(9, 0, true, 0x010101, 0x030303);
   assert_picture(frame_path(9), 2, 0x010101, 0x030303);
   show(10, 0, false, 0, 0);
   assert_picture(frame_path(10), -1, 0, 0);
}

TEST(end)
{
   usleep(110000); /* a frame is kept when the last one that was is a tenth of a second old */
   show(11, 0, true, 0xaabbcc, 0xaabbcc);
   show(12, 0, false, 0, 0);
   screen_finish();
   assert_picture(file, 2, 0xaabbcc, 0xaabbcc);
   unlink(frame_path(11));
}
