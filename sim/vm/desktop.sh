#!/bin/sh
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
#
# tegra20-vm --desktop NAME: root of the machine starts a desktop on its screen and the command, as UID and GID, in it.
# tegra20-vm-desktop weston|sway|xorg UID GID SCREENSHOT|- SECONDS COMMAND...

desktop=$1 user=$2 group=$3 screenshot=$4 seconds=$5
shift 5
export HOME=/tmp XDG_RUNTIME_DIR=/run/user/$user SEATD_VTBOUND=0 LIBSEAT_BACKEND=seatd
export WLR_BACKENDS=drm WLR_LIBINPUT_NO_DEVICES=1 WLR_DRM_DEVICES=/dev/dri/card0
log=/tmp/$desktop.log

die()
{
   echo "tegra20-vm: $*" >&2
   [ ! -e $log ] || tail -n 8 $log >&2
   exit 126
}

as_user()
{
   exec setpriv --reuid $user --regid $group --clear-groups "$@"
}

needs()
{
   for program; do
      command -v $program >/dev/null || die "--desktop $desktop needs $program, which is not installed"
   done
}

is_alive()
{
   kill -0 $server 2>/dev/null || die "$desktop ended before it was ready:"
}

# wait_for PATTERN: until such a file is there, while the desktop runs
wait_for()
{
   until ls $1 >/dev/null 2>&1; do
      is_alive
      sleep 0.1
   done
}

start_seatd()
{
   needs seatd
   seatd -l error &
   server=$!
   wait_for /run/seatd.sock
   chown $user /run/seatd.sock
}

# Weston 10 has no libseat: it runs as root and takes over a terminal, which the machine does not have.  Without atomic
# modesetting it shows nothing on overlays, which Linux may leave transparent (docs/vm.md).
start_weston()
{
   printf '[core]\nidle-time=0\nxwayland=true\n[shell]\nlocking=false\n' >/tmp/weston.ini
   WESTON_DISABLE_ATOMIC=1 LD_PRELOAD=${0%/*}/libtegra20-vm-terminal.so weston --backend=drm-backend.so --drm-device=card0 \
      --tty=3 --continue-without-input --config=/tmp/weston.ini --socket=wayland-1 >$log 2>&1 &
   server=$!
   wait_for $XDG_RUNTIME_DIR/wayland-1.lock
   wait_for $XDG_RUNTIME_DIR/wayland-1
   chown -R $user $XDG_RUNTIME_DIR
   export WAYLAND_DISPLAY=wayland-1
}

start_sway()
{
   start_seatd
   # sway tells its children the display of Xwayland, which it starts when somebody asks for it
   printf 'default_border none\nexec echo $DISPLAY >/tmp/display.new && mv /tmp/display.new /tmp/display\n' >/tmp/sway.conf
   (as_user sway -c /tmp/sway.conf >$log 2>&1) &
   server=$!
   wait_for /tmp/display
   wait_for "$XDG_RUNTIME_DIR/wayland-?"
   export DISPLAY=$(cat /tmp/display) WAYLAND_DISPLAY=wayland-1
}

start_xorg()
{
   cat >/tmp/xorg.conf <<END
Section "ServerFlags"
   Option "AutoAddDevices" "false"
   Option "AutoAddGPU" "false"
   Option "DontVTSwitch" "true"
EndSection
Section "Device"
   Identifier "tegra"
   Driver "modesetting"
   Option "kmsdev" "/dev/dri/card0"
   Option "AccelMethod" "glamor"
EndSection
Section "Screen"
   Identifier "screen"
   Device "tegra"
   DefaultDepth 24
EndSection
END
   Xorg :1 -config /tmp/xorg.conf -novtswitch -sharevts vt1 -noreset -logfile $log -nolisten tcp -s 0 -ac \
      -displayfd 3 3>/tmp/display >/dev/null 2>&1 &
   server=$!
   until [ -s /tmp/display ]; do
      is_alive
      sleep 0.1
   done
   export DISPLAY=:1
}

case $desktop in
   xorg) needs Xorg ;;
   *) needs $desktop ;;
esac
mkdir -p $XDG_RUNTIME_DIR /tmp/.X11-unix
chmod 1777 /tmp/.X11-unix
chmod 700 $XDG_RUNTIME_DIR
chown $user $XDG_RUNTIME_DIR
chmod 666 /sys/kernel/debug/tegra20-screen
start_$desktop
if [ "$screenshot" != - ]; then
   (sleep $seconds; echo "$screenshot" >/sys/kernel/debug/tegra20-screen) &
fi
if [ $# -gt 0 ]; then
   (as_user "$@")
else
   wait $server
fi
