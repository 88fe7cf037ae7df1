//go:build unix

package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"colosseum/internal/test/poll"
	"colosseum/sdk/wire"
)

func TestGameSeesNothingOfTheHostsEnvironment(t *testing.T) {
	t.Setenv("COLOSSEUM_VERIFICATION_PASSWORD", "open sesame")
	s := newStarter(t, "parity")
	g := s.start()
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", g.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{
		"LANG", procsKey, "PATH", "TMPDIR", "GORACE", wire.CookieKey, wire.LifelineKey, wire.FramesKey,
		"PLUGIN_MIN_PORT", "PLUGIN_MAX_PORT", "PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_UNIX_SOCKET_DIR",
	}
	for _, entry := range strings.Split(strings.TrimRight(string(env), "\x00"), "\x00") {
		if key, _, _ := strings.Cut(entry, "="); !slices.Contains(allowed, key) {
			t.Errorf("it sees %s, want only %v", entry, allowed)
		}
	}
}

func TestGameHasNoStandardInput(t *testing.T) {
	s := newStarter(t, "reader")
	s.start()
	poll.Until(s.t, "it has read", func() bool { return strings.Contains(s.log.String(), "read 0 bytes, <nil>") })
}

func TestGameIsInAGroupOfItsOwn(t *testing.T) {
	s := newStarter(t, "parity")
	g := s.start()
	if group, err := syscall.Getpgid(g.Pid()); err != nil || group != g.Pid() {
		t.Errorf("its group is %d, error %v, want %d", group, err, g.Pid())
	}
}

func TestLowerPriorityAppliesToAllThreads(t *testing.T) {
	s := newStarter(t, "parity")
	g := s.start()
	g.LowerPriority()
	tasks := filepath.Join("/proc", strconv.Itoa(g.Pid()), "task")
	if _, err := os.Stat(tasks); err != nil {
		t.Skip("there is no /proc here")
	}
	poll.Until(t, "all threads have niceness 10", func() bool {
		threads, err := os.ReadDir(tasks)
		if err != nil {
			t.Fatal(err)
		}
		for _, thread := range threads {
			stat, err := os.ReadFile(filepath.Join(tasks, thread.Name(), "stat"))
			if err != nil {
				continue // it has just ended
			}
			if _, rest, _ := strings.Cut(string(stat), ") "); strings.Fields(rest)[16] != "10" {
				return false
			}
		}
		return true
	})
}
