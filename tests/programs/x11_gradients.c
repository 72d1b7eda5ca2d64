/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * x11-gradients linear_STOPS|radial_STOPS: a gradient with that many stops, drawn by the X server's RENDER extension.
 *
 * The pixels that the server gives back go to stdout, a row a line, as alpha, red, green and blue in hexadecimal digits.
 * Glamor has one program for up to 6 stops, one for up to 16, and others for more; those are long (programs.py gradients).
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/Xrender.h>

#define SIZE 64
#define MAX_STOPS 64

/* Colours that differ much from stop to stop, so that a wrong stop is seen. */
static XRenderColor
color_of_stop(int i)
{
   return (XRenderColor){ .red = i * 5 % 8 * 0x2400, .green = i * 3 % 5 * 0x3f00, .blue = i * 7 % 11 * 0x1900, .alpha = 0xffff };
}

static Picture
make_gradient(Display *display, const char *kind, int stops)
{
   XFixed places[MAX_STOPS];
   XRenderColor colors[MAX_STOPS];

   for (int i = 0; i < stops; i++) {
      places[i] = XDoubleToFixed((double)i / (stops - 1));
      colors[i] = color_of_stop(i);
   }
   if (strcmp(kind, "linear") == 0) {
      const XLinearGradient line = { { XDoubleToFixed(2), XDoubleToFixed(5) }, { XDoubleToFixed(61), XDoubleToFixed(50) } };
      return XRenderCreateLinearGradient(display, &line, places, colors, stops);
   }
   const XRadialGradient circles = { { XDoubleToFixed(30), XDoubleToFixed(34), XDoubleToFixed(1) },
                                     { XDoubleToFixed(32), XDoubleToFixed(32), XDoubleToFixed(40) } };
   return XRenderCreateRadialGradient(display, &circles, places, colors, stops);
}

int
main(int argc, char **argv)
{
   char kind[7] = "";
   int stops = 0;
   Display *display = XOpenDisplay(NULL);

   if (argc != 2 || sscanf(argv[1], "%6[a-z]_%d", kind, &stops) != 2 || stops < 2 || stops > MAX_STOPS || !display) {
      fprintf(stderr, "x11-gradients linear_STOPS|radial_STOPS: 2 to %d stops, and an X server\n", MAX_STOPS);
      return 2;
   }
   Pixmap pixmap = XCreatePixmap(display, DefaultRootWindow(display), SIZE, SIZE, 32);
   Picture target =
      XRenderCreatePicture(display, pixmap, XRenderFindStandardFormat(display, PictStandardARGB32), 0, NULL);
   Picture gradient = make_gradient(display, kind, stops);
   XRenderPictureAttributes attributes = { .repeat = RepeatPad };

   XRenderChangePicture(display, gradient, CPRepeat, &attributes);
   XRenderComposite(display, PictOpSrc, gradient, None, target, 0, 0, 0, 0, 0, 0, SIZE, SIZE);
   XImage *image = XGetImage(display, pixmap, 0, 0, SIZE, SIZE, AllPlanes, ZPixmap);
   for (int y = 0; image && y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++)
         printf("%08lx", XGetPixel(image, x, y));
      putchar('\n');
   }
   XCloseDisplay(display);
   return !image;
}
