package submissions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// TestEndlessBuildIsRefused hands in a program whose build does not end.
func TestEndlessBuildIsRefused(t *testing.T) {
	long.Only(t, "a build that does not end")
	c := newClass(t, 1, "  build_time: 2s\n")
	out, err := c.submit("s01", c.folder(map[string]string{"bot.sh": always("ROCK"), "build.sh": "echo waiting\nsleep 1000", "colosseum.yaml": "build: [[sh, build.sh]]\n"}))
	if err == nil || !strings.Contains(out, "waiting") || !strings.Contains(out, "the build took longer than 2s") {
		t.Errorf("got %v, want it refused after its output:\n%s", err, out)
	}
	pid := c.Host.Cmd.Process.Pid
	c.Host.Stop(t, os.Interrupt)
	c.gone([]int{pid})
}

// gone checks that nothing runs that the hosts have begun, and that their control groups are
// removed, or empty: a host removes those of one that was killed at its start, as far as
// their processes have ended.
func (c *class) gone(pids []int) {
	c.t.Helper()
	poll.Until(c.t, "no process is left in the folder of the host", func() bool { return len(c.processes()) == 0 }, func() any { return c.processes() })
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, entry os.DirEntry, err error) error { // the system can have none
		for _, pid := range pids {
			if err != nil || !strings.HasPrefix(entry.Name(), fmt.Sprintf("colosseum-%d-", pid)) {
				continue
			}
			members, err := os.ReadFile(filepath.Join(path, "cgroup.procs"))
			if killed := pid != c.Host.Cmd.Process.Pid; err == nil && (len(members) > 0 || !killed) {
				c.t.Errorf("got the control group %s with the processes %q, want it removed", path, members)
			}
		}
		return nil
	})
}

// processes returns the processes whose working directory is in the data of the host.
func (c *class) processes() (list []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is well formed
	for _, path := range all {
		if cwd, err := os.Readlink(path); err == nil && strings.HasPrefix(cwd, c.Host.Data+"/") {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline")) // it can have ended
			list = append(list, fmt.Sprintf("%s in %s: %q", filepath.Dir(path), cwd, command))
		}
	}
	return list
}
