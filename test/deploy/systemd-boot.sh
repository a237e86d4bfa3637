#!/bin/bash
# Boots systemd on a copy of this machine's files that it may write to, in the namespaces that it was started in: systemd-machine.ts.
set -eu
dir=$1
root=$dir/root
mount --make-rprivate /
mkdir -p "$dir"/{upper,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$dir/upper,workdir=$dir/work" "$root"
mount -t proc proc "$root/proc"
# Settings of the kernel are those of the machine outside too.
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,ro,bind "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
if [ -d /sys/fs/cgroup/systemd ]; then
  mkdir "$root/sys/fs/cgroup/systemd"
  mount -t cgroup -o none,name=systemd systemd "$root/sys/fs/cgroup/systemd"
else
  umount "$root/sys/fs/cgroup"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
fi
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
# Nothing of what this machine starts, nor what sets up hardware.
if ! [ -e "$dir/booted" ]; then
  rm -rf "$root"/etc/systemd/system/*.wants
  for unit in getty.target systemd-logind systemd-sysctl systemd-modules-load systemd-binfmt systemd-udevd systemd-udev-trigger \
    systemd-tmpfiles-setup-dev systemd-update-utmp systemd-remount-fs systemd-firstboot; do
    case $unit in *.*) ;; *) unit=$unit.service ;; esac
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
  done
  touch "$dir/booted"
fi
ip link set lo up
exec env -i container=other PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  chroot "$root" /lib/systemd/systemd --system --unit=multi-user.target --show-status=0
