package doctor

import (
	"strings"
	"testing"

	"colosseum/host/internal/games/sandbox"
)

func TestMissingIsolationIsFoundWithItsRemedy(t *testing.T) {
	full := sandbox.Support{Launcher: true, Files: 7, Calls: true, Group: true, Limits: true}
	without := func(change func(s *sandbox.Support)) sandbox.Support {
		s := full
		change(&s)
		return s
	}
	tests := []struct {
		name         string
		level        sandbox.Level
		support      sandbox.Support
		state        State
		want, remedy string
	}{
		{"everything", sandbox.Require, full, OK, "version 7 of Landlock", ""},
		{"off", sandbox.Off, full, Warn, "all rights", "best-effort"},
		{"no Landlock", sandbox.BestEffort, without(func(s *sandbox.Support) { s.Files = 0 }), Warn, "read and change all files", "Linux 5.13"},
		{"no Landlock, but required", sandbox.Require, without(func(s *sandbox.Support) { s.Files = 0 }), Fail, "read and change all files", "set plugins.isolation to best-effort"},
		{"no seccomp, but required", sandbox.Require, without(func(s *sandbox.Support) { s.Calls = false }), Fail, "use the network", "CONFIG_SECCOMP_FILTER"},
		{"old Landlock", sandbox.Require, without(func(s *sandbox.Support) { s.Files = 5 }), Warn, "version 5", "Linux 6.12"},
		{"no control groups", sandbox.Require, without(func(s *sandbox.Support) { s.Limits = false }), Warn, "CPU time", "Delegate=yes"},
		{"another system", sandbox.BestEffort, sandbox.Support{}, Warn, "read and change all files", "on Linux"},
		{"another system, but required", sandbox.Require, sandbox.Support{}, Fail, "start programs", "on Linux"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := isolation(tt.level, tt.support)
			checkFound(t, found, tt.state, tt.want, tt.remedy)
			for _, f := range found {
				if f.State == Fail && tt.state != Fail {
					t.Errorf("got the failure %q, want a host that starts", f.Text)
				}
				if f.State == OK && strings.Contains(tt.want, "files") {
					t.Errorf("got %q, want no restriction of files", f.Text)
				}
			}
		})
	}
}
