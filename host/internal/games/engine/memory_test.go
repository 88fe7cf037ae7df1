//go:build unix && !race

package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The race detector itself exceeds any limit.
func TestMemoryOfAGameIsLimited(t *testing.T) {
	s := newStarter(t, "parity")
	s.spec.Policy.Memory = 200 << 20
	g := s.start()
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", g.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for line := range strings.Lines(string(limits)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "Max data size") {
			found = f[3] == "209715200" && f[4] == "209715200"
		}
	}
	if !found {
		t.Errorf("its limits are\n%s, want a data size of 209715200", limits)
	}
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", g.Pid()))
	if err != nil || !strings.Contains(string(env), "GOMEMLIMIT=167772160\x00") {
		t.Errorf("its environment is %q, error %v, want GOMEMLIMIT=167772160", env, err)
	}
}
