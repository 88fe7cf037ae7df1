package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Limits of a group.
const (
	maxTasks  = 512 // processes and threads
	cpuWeight = 50  // against 100 of the host
)

// groups is where this host can create groups.
type groups struct {
	parent string // empty: nowhere
	limits bool   // they can have all limits
}

const groupPrefix = "colosseum-" // of a group's name; the host's process ID and a number follow

var groupNumber atomic.Uint64

// ownGroups finds the host's own group and prepares it: groups can have limits only
// if their parent has no processes, so the host moves itself to a group below it if
// it is alone there.
var ownGroups = sync.OnceValue(func() groups {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return groups{}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return groups{}
	}
	parent, err := ownGroup(own, mounts)
	if err != nil || unix.Access(filepath.Join(parent, "cgroup.procs"), unix.W_OK) != nil {
		return groups{}
	}
	sweepGroups(parent)
	test := filepath.Join(parent, fmt.Sprintf("%s%d-0", groupPrefix, os.Getpid()))
	if os.Mkdir(test, 0o755) != nil {
		return groups{}
	}
	kind, err := os.ReadFile(filepath.Join(test, "cgroup.type"))
	_ = os.Remove(test)
	if err != nil || string(kind) != "domain\n" {
		return groups{} // no process can join it
	}
	return groups{parent: parent, limits: enableLimits(parent)}
})

// ownGroup returns the folder of the group of a process, from its files "cgroup" and
// "mountinfo" below /proc.
func ownGroup(groups, mounts []byte) (string, error) {
	for line := range bytes.Lines(groups) {
		path, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "0::")
		if !ok {
			continue
		}
		for line := range bytes.Lines(mounts) {
			before, after, _ := strings.Cut(string(line), " - ")
			fields := strings.Fields(before)
			if len(fields) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
				continue
			}
			if below, err := filepath.Rel(fields[3], path); err == nil && Within(path, fields[3]) {
				return filepath.Join(fields[4], below), nil
			}
		}
	}
	return "", errors.New("no control groups of version 2 are mounted")
}

// enableLimits enables the controllers for the groups below parent, and reports
// whether all are enabled. A normal user often gets only some of them from systemd.
func enableLimits(parent string) bool {
	enable := func(controller string) error {
		return os.WriteFile(filepath.Join(parent, "cgroup.subtree_control"), []byte("+"+controller), 0)
	}
	// Memory comes first, because it is refused in a group with processes. The others
	// would be enabled there, for threads only, and no process could join a group below.
	err := enable("memory")
	if errors.Is(err, unix.EBUSY) && leave(parent) {
		err = enable("memory")
	}
	if err != nil {
		return false
	}
	return errors.Join(enable("pids"), enable("cpu")) == nil
}

// leave moves this process from a group into another one below it, and reports whether
// it was alone there.
func leave(parent string) bool {
	procs, err := os.ReadFile(filepath.Join(parent, "cgroup.procs"))
	if err != nil || strings.TrimSpace(string(procs)) != strconv.Itoa(os.Getpid()) {
		return false
	}
	host := filepath.Join(parent, "host")
	if err := os.Mkdir(host, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return false
	}
	return os.WriteFile(filepath.Join(host, "cgroup.procs"), []byte("0"), 0) == nil
}

// sweepGroups removes the empty groups of hosts that were killed. A group with
// processes can't be removed; those that are frozen go on, and find that their input has
// ended.
func sweepGroups(parent string) {
	old, _ := filepath.Glob(filepath.Join(parent, groupPrefix+"*")) // the pattern is well formed
	for _, path := range old {
		owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), groupPrefix), "-")
		if pid, err := strconv.Atoi(owner); err == nil && errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			(&Group{path}).Thaw()
			_ = os.Remove(path)
		}
	}
}

// newGroup creates a group. It returns nil if the system or the rights of the host do
// not allow that.
func newGroup(p Policy) *Group {
	own := ownGroups()
	if own.parent == "" {
		return nil
	}
	g := createGroup(own)
	if g == nil {
		return nil
	}
	limits := map[string]int64{"pids.max": maxTasks, "cpu.weight": cpuWeight, "memory.oom.group": 1}
	if p.Memory > 0 {
		limits["memory.max"], limits["memory.swap.max"] = p.Memory+overhead, 0
	}
	for name, value := range limits {
		_ = g.write(name, strconv.FormatInt(value, 10)) // a controller or swap can be missing
	}
	return g
}

// write writes a text into a file of the group, without the poller of os.
func (g *Group) write(file, text string) error {
	fd, err := unix.Open(filepath.Join(g.path, file), unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte(text))
	return err
}

// enter makes the process of a command begin in the group, if the system can do that
// (Linux 5.7): to move it later would wait until no processor reads the old group. Done
// must be called after the start.
func (g *Group) enter(cmd *exec.Cmd) (done func(), entered bool) {
	if g == nil || !beginsInGroup() {
		return func() {}, false
	}
	folder, err := unix.Open(g.path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return func() {}, false
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, folder
	return func() { _ = unix.Close(folder) }, true
}

// beginsInGroup reports whether a process can begin in a group: a kernel that can do it
// complains about the file of the group, which is not open.
var beginsInGroup = sync.OnceValue(func() bool {
	order := struct{ flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls, setTID, setTIDSize, group uint64 }{
		flags: unix.CLONE_INTO_CGROUP, exitSignal: uint64(unix.SIGCHLD), group: math.MaxInt32,
	}
	_, _, err := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&order)), unsafe.Sizeof(order), 0)
	return err == unix.EBADF
})

// createGroup creates a group without limits, or returns nil.
func createGroup(own groups) *Group {
	g := &Group{filepath.Join(own.parent, fmt.Sprintf("%s%d-%d", groupPrefix, os.Getpid(), groupNumber.Add(1)))}
	if os.Mkdir(g.path, 0o755) != nil {
		return nil
	}
	return g
}

// Yield reduces the group's share of the cores to a tenth.
func (g *Group) Yield() {
	if g != nil {
		_ = g.write("cpu.weight", strconv.Itoa(cpuWeight/10)) // the controller can be missing
	}
}

// Kill kills all processes of the group.
func (g *Group) Kill() {
	if g == nil || g.write("cgroup.kill", "1") == nil {
		return
	}
	// Before Linux 5.14. The list does not have a process that is being created.
	for range 100 {
		procs, _ := os.ReadFile(filepath.Join(g.path, "cgroup.procs"))
		if len(procs) == 0 {
			return
		}
		for line := range bytes.Lines(procs) {
			if pid, err := strconv.Atoi(string(bytes.TrimSpace(line))); err == nil && pid > 0 {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
		}
	}
}

// Close kills all processes of the group and removes it. The next host removes a
// group in which processes take longer than a second to end.
func (g *Group) Close() {
	if g == nil {
		return
	}
	for i := range 100 {
		if err := unix.Rmdir(g.path); err == nil || errors.Is(err, unix.ENOENT) {
			return
		}
		if i == 0 { // usually it is empty
			g.Kill()
			continue
		}
		time.Sleep(10 * time.Millisecond) // there is no event for the end of killed processes
	}
}
