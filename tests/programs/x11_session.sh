#!/bin/sh
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
#
# x11_session.sh: an X server (X11_SERVER, else Xwayland) as one window of a Wayland compositor, and what X11_CLIENTS names in it:
#
#   desktop      a window manager, a terminal, a toolkit, GLX programs, a game, until the compositor ends
#   rendercheck  those of its tests that X11_TESTS names, with X11_FORMATS and X11_OPERATORS, one after another
#
# Output goes to *.txt in XDG_RUNTIME_DIR, of tests with "NAME: status S, T s" after each; "ended.txt" comes last.

here=$(dirname "$(realpath "$0")")
cd "$XDG_RUNTIME_DIR" || exit 1
export HOME="$XDG_RUNTIME_DIR"
mkfifo number
# shellcheck disable=SC2086
${X11_SERVER:-Xwayland} -displayfd 3 -noreset -ac 3>number >server.txt 2>&1 &
read -r number <number
unset WAYLAND_DISPLAY
export DISPLAY=":$number" GDK_BACKEND=x11 SDL_VIDEODRIVER=x11 SDL_AUDIODRIVER=dummy GTK_THEME=Adwaita NO_AT_BRIDGE=1

desktop() {
   mkdir -p .neverball
   printf 'width 320\nheight 240\nfullscreen 0\nmultisample 0\n' >.neverball/neverballrc
   openbox --config-file "$here/openbox.xml" >openbox.log 2>&1 &
   until xprop -root _NET_SUPPORTING_WM_CHECK | grep -q window; do sleep 0.2; done
   glxinfo -B >glxinfo.txt 2>&1
   xterm +bc -b 2 -geometry 60x20+20+20 -xrm 'XTerm*cursorColor: white' -e sh -c 'seq 1 300 | tr "\n" " "; sleep 1000' &
   stdbuf -oL glxgears -geometry 300x240+560+20 >gears.txt 2>&1 &
   /usr/games/neverball >neverball.txt 2>&1 &
   touch windows.txt
   until grep -q '"Neverball' windows.txt; do
      sleep 0.5
      xwininfo -root -tree >windows.txt
   done
   xlogo -render -geometry 180x180+360+330 &
   gtk3-demo-application >gtk.log 2>&1 &
   until grep -q 'gtk3-demo-application' windows.txt && grep -q '"xlogo"' windows.txt; do
      sleep 0.5
      xwininfo -root -tree >windows.txt
   done
}

rendercheck() {
   for test in $X11_TESTS; do
      start=$(date +%s)
      timeout "$X11_SECONDS" rendercheck -f "$X11_FORMATS" -o "$X11_OPERATORS" -t "$test" </dev/null
      echo "$test: status $?, $(($(date +%s) - start)) s"
   done >"$X11_CLIENTS.txt" 2>&1
}

"$X11_CLIENTS"
echo $? >ended.txt
wait
