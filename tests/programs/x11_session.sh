#!/bin/sh
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
#
# x11_session.sh: an X server with glamor as one window of a Wayland compositor, and what X11_CLIENTS names in it:
#
#   desktop      a window manager, a terminal, a toolkit, GLX programs, a game, until the compositor ends
#   rendercheck  its tests, X11_FORMATS
#   x11perf      each of its tests once
#
# Output goes to *.txt in XDG_RUNTIME_DIR; "ended.txt" comes last.

here=$(dirname "$(realpath "$0")")
cd "$XDG_RUNTIME_DIR" || exit 1
export HOME="$XDG_RUNTIME_DIR"
mkfifo number
Xwayland -displayfd 3 -noreset -ac 3>number >server.txt 2>&1 &
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

case $X11_CLIENTS in
desktop) desktop ;;
rendercheck) rendercheck -f "$X11_FORMATS" >rendercheck.txt 2>&1 ;;
x11perf) x11perf -all -repeat 1 -reps 2 >x11perf.txt 2>&1 ;;
esac
echo $? >ended.txt
wait
