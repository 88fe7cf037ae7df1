package sandbox

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"colosseum/internal/test/poll"
)

func TestOwnGroupIsBelowItsMount(t *testing.T) {
	const (
		v1     = "29 28 0:25 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu\n"
		v2     = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
		hybrid = "30 24 0:26 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw\n"
		bound  = "31 24 0:26 /docker/abc /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n"
	)
	for _, test := range []struct{ name, groups, mounts, want string }{
		{"systemd", "0::/system.slice/colosseum.service\n", v2, "/sys/fs/cgroup/system.slice/colosseum.service"},
		{"root", "0::/\n", v2, "/sys/fs/cgroup"},
		{"both versions", "9:name=systemd:/a\n4:memory:/b\n0::/c\n", v1 + hybrid, "/sys/fs/cgroup/unified/c"},
		{"container with a part of the tree", "0::/docker/abc/host\n", bound, "/sys/fs/cgroup/host"},
		{"container with another part, and the right one", "0::/docker/abcd\n", bound + v2, "/sys/fs/cgroup/docker/abcd"},
		{"group outside of its namespace", "0::/../other\n", bound, ""},
		{"only version 1", "4:memory:/b\n", v1, ""},
		{"not mounted", "0::/a\n", v1, ""},
		{"empty", "", "", ""},
		{"invalid", "0::/a\n", "30 24 - cgroup2\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ownGroup([]byte(test.groups), []byte(test.mounts))
			if got != test.want || (err == nil) != (test.want != "") {
				t.Errorf("got %q and %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestGroupsOfDeadHostsAreRemoved(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dead := exec.Command(self, "be", "hello")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	kept := map[string]bool{
		fmt.Sprintf("colosseum-%d-1", dead.Process.Pid):      false,
		fmt.Sprintf("colosseum-%d-2/full", dead.Process.Pid): true, // as if it had processes
		fmt.Sprintf("colosseum-%d-1", os.Getpid()):           true,
		"colosseum-x-1": true,
		"other":         true,
	}
	for name := range kept {
		if err := os.MkdirAll(filepath.Join(parent, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sweepGroups(parent)
	for name, want := range kept {
		if _, err := os.Stat(filepath.Join(parent, name)); (err == nil) != want {
			t.Errorf("%s: got %v, want it to exist: %t", name, err, want)
		}
	}
}

func TestFrozenProcessesOfDeadHostsGoOn(t *testing.T) {
	skipWithoutGroups(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dead := exec.Command(self, "be", "hello")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	// Hosts that start meanwhile sweep the usual parent.
	parent := filepath.Join(ownGroups().parent, fmt.Sprintf("%s%d-parent", groupPrefix, os.Getpid()))
	if err := os.Mkdir(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(parent); err != nil {
			t.Error(err)
		}
	})
	g := &Group{filepath.Join(parent, fmt.Sprintf("%s%d-1", groupPrefix, dead.Process.Pid))}
	if err := os.Mkdir(g.path, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := g.write("cgroup.procs", strconv.Itoa(cmd.Process.Pid)); err != nil {
		t.Fatal(err)
	}
	if !g.Freeze() {
		t.Skip("this system can't freeze groups")
	}
	_ = in.Close()
	if frozen := g.value(t, "cgroup.freeze"); frozen != "1" {
		t.Fatalf("the group is frozen: %s, want 1", frozen)
	}
	sweepGroups(parent)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the group
	if err := poll.Receive(t, "the process has read the end of its input", ended); err != nil {
		t.Errorf("got %v, want that it ends by itself", err)
	}
}

func skipWithoutGroups(t *testing.T) {
	t.Helper()
	if !Supported().Group {
		t.Skip("this process can't create control groups")
	}
}

// value returns what a file of a group holds.
func (g *Group) value(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(g.path, file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

func TestConfinedProcessIsInItsGroup(t *testing.T) {
	skipWithoutGroups(t)
	c := start(t, BestEffort, nil, "wait")
	if got, want := c.group.value(t, "cgroup.procs"), strconv.Itoa(c.Process.Pid); got != want {
		t.Errorf("got the processes %q, want %s", got, want)
	}
}

func TestKillEndsAllProcessesOfAGroup(t *testing.T) {
	skipWithoutGroups(t)
	c := start(t, BestEffort, func(_ *exec.Cmd, p *Policy) { p.Processes = true }, "family", "5", "wait")
	for range 5 { // start has read the first line
		if _, err := c.stdout.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	c.group.Kill()
	if _, err := io.Copy(io.Discard, c.stdout); err != nil { // ends with the last process
		t.Errorf("read until the last process has ended: got %v, want no error", err)
	}
	if err := c.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("got %v, want it killed", err)
	}
	c.group.Close()
	if _, err := os.Stat(c.group.path); !os.IsNotExist(err) {
		t.Errorf("got %v for the group, want it removed", err)
	}
	c.group.Kill() // also of one that is gone
	c.group.Close()
}

func skipWithoutLimits(t *testing.T) {
	t.Helper()
	if !Supported().Limits {
		t.Skip("control groups have no controllers here")
	}
}

func TestGroupHasTheLimitsOfItsControllers(t *testing.T) {
	skipWithoutGroups(t)
	c := start(t, BestEffort, func(_ *exec.Cmd, p *Policy) { p.Memory = 1 << 30 }, "wait")
	for file, want := range map[string]string{
		"memory.max": strconv.Itoa(1<<30 + overhead), "memory.oom.group": "1", "pids.max": "512", "cpu.weight": "50",
	} {
		if _, err := os.Stat(filepath.Join(c.group.path, file)); err != nil && !Supported().Limits {
			continue // the controller is missing
		}
		if got := c.group.value(t, file); got != want {
			t.Errorf("%s: got %s, want %s", file, got, want)
		}
	}
}

func TestGroupLimitsItsThreads(t *testing.T) {
	skipWithoutLimits(t)
	cmd, policy, err := itself("threads", strconv.Itoa(2*maxTasks))
	if err != nil {
		t.Fatal(err)
	}
	group, out, err := output(t, cmd, policy)
	if err == nil || !strings.Contains(string(out), "failed to create new OS thread") {
		t.Errorf("got %v and %.200q, want an error because of its threads", err, out)
	}
	if got := group.value(t, "pids.events"); got == "max 0" {
		t.Errorf("got %q, want that the limit was reached", got)
	}
}

// TestGroupLimitsTheMemoryOfItsProcesses starts six of them, which together need more
// than the limit, although each of them can have its part.
func TestGroupLimitsTheMemoryOfItsProcesses(t *testing.T) {
	skipWithoutLimits(t)
	cmd, policy, err := itself("family", "5", "hoard", "100")
	if err != nil {
		t.Fatal(err)
	}
	policy.Processes, policy.Memory = true, 256<<20
	r, w, err := os.Pipe() // nothing is written, so that they do not end by themselves
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	cmd.Stdin = r
	group, out, err := output(t, cmd, policy)
	if err == nil || err.Error() != "signal: killed" {
		t.Errorf("got %v and %.200q, want it killed", err, out)
	}
	if got := group.value(t, "memory.events"); strings.Contains(got, "oom_kill 0") {
		t.Errorf("got %q, want that the limit was reached", got)
	}
}
