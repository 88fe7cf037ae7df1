package sandbox

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Account starts a command that is not confined, with start, in a control group without
// limits. The group is nil if the system or the rights of the host do not allow that;
// otherwise the caller must close it after the end of the process.
func Account(cmd *exec.Cmd, start func() error) (*Group, error) {
	var g *Group
	if own := ownGroups(); own.parent != "" && beginsInGroup() {
		g = createGroup(own)
	}
	done, entered := g.enter(cmd)
	defer done()
	err := start()
	if err != nil || !entered {
		g.Close()
		g = nil
	}
	return g, err
}

// Freeze stops all processes of the group until Thaw, and reports whether it could: the
// kernel needs Linux 5.2. They can still be killed.
func (g *Group) Freeze() bool { return g != nil && g.write("cgroup.freeze", "1") == nil }

// Thaw lets a frozen group go on.
func (g *Group) Thaw() {
	if g != nil {
		_ = g.write("cgroup.freeze", "0") // it has been removed
	}
}

// CPU returns the CPU time that the processes of the group have used, also those that have
// ended. It is not known if there is no group, or it has been removed.
func (g *Group) CPU() (used time.Duration, known bool) {
	if g == nil {
		return 0, false
	}
	fd, err := unix.Open(filepath.Join(g.path, "cpu.stat"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, false
	}
	defer unix.Close(fd)
	var b [64]byte // the first line is enough
	n, _ := unix.Read(fd, b[:])
	digits, ok := bytes.CutPrefix(b[:max(0, n)], []byte("usage_usec "))
	digits, _, ended := bytes.Cut(digits, []byte("\n"))
	us, err := strconv.ParseInt(string(digits), 10, 64)
	return time.Duration(us) * time.Microsecond, ok && ended && err == nil
}
