#!/bin/bash
# Runs the tests of host/internal/games/sandbox on another kernel, in an emulated machine:
#
#     apt-get install qemu-system-x86 busybox-static cpio
#     apt-get download linux-image-6.1.0-50-cloud-amd64 && dpkg -x linux-image-*.deb kernel
#     e2e/operations/boot.sh kernel/boot/vmlinuz-* [lsm=lockdown,yama]
#
# It needs no root and no KVM, and takes a few minutes. The words after the kernel are its parameters. With
# GOARCH=arm64 it emulates that; BUSYBOX is then the path of a static busybox for it.
set -euo pipefail

kernel=$(realpath "$1")
parameters=${*:2}
cd "$(dirname "$0")/../.."
root=$(mktemp -d)
trap 'rm -rf "$root" "$root.cpio"' EXIT
chmod 755 "$root"
mkdir "$root/bin"
cp "${BUSYBOX:-/usr/bin/busybox}" "$root/bin/busybox"
for name in cat chmod chown echo env false ip kill mkdir mount poweroff pwd sh sleep su uname; do
	ln -s busybox "$root/bin/$name"
done
CGO_ENABLED=0 go test -c -o "$root/sandbox.test" ./host/internal/games/sandbox

cat > "$root/init" <<'INIT'
#!/bin/sh
export PATH=/bin
mkdir /proc /sys /dev /tmp /etc
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
chmod 1777 /tmp
groups=/sys/fs/cgroup
mount -t cgroup2 groups $groups
echo 'root:x:0:0::/:/bin/sh' > /etc/passwd
echo 'user:x:1000:1000::/tmp:/bin/sh' >> /etc/passwd
echo "==== Linux $(uname -r -m)"
run() { # title, folder of the group, command
	echo "==== $1"
	sh -c "echo 0 > $2/cgroup.procs; $3"
}
tests='/sandbox.test -test.v'
run 'root, in the first group' $groups "exec $tests"
run 'a normal user who can create no groups' $groups "exec su user -c 'cd /tmp; exec $tests'"
echo '+memory +pids +cpu' > $groups/cgroup.subtree_control
mkdir $groups/alone $groups/shared $groups/user $groups/some
run 'root, alone in a group' $groups/alone "exec $tests -test.run 'Group|Limit'"
run 'root, in a group with another process' $groups/shared "sleep 1000 & $tests -test.run 'Group|Limit'; kill %1"
chown user $groups/user $groups/user/cgroup.procs $groups/user/cgroup.subtree_control
run 'a normal user with a group' $groups/user "exec su user -c 'cd /tmp; exec $tests'"
echo '+memory +pids' > $groups/some/cgroup.subtree_control
mkdir $groups/some/host
run 'root, in a group without a limit of CPU time' $groups/some/host "exec $tests -test.run 'Group|Limit'"
poweroff -f
INIT
chmod 755 "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc) > "$root.cpio"

machine=(qemu-system-x86_64)
console=ttyS0
if [ "${GOARCH:-}" = arm64 ]; then
	machine=(qemu-system-aarch64 -machine virt)
	console=ttyAMA0
fi
timeout 600 "${machine[@]}" -accel tcg,thread=multi -cpu max -m 1536 -smp 2 -nodefaults -nographic -no-reboot -serial stdio \
	-kernel "$kernel" -initrd "$root.cpio" -append "console=$console quiet panic=-1 $parameters" < /dev/null |
	tr -d '\r' | awk '/^====|^ *--- |_test.go|^FAIL|panic/; /^PASS/ { passed++ } END { exit passed != 6 }'
