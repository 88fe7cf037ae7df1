package sandbox

import (
	"slices"
	"strings"
	"testing"
)

func TestMissingProtectionsAreNamed(t *testing.T) {
	tests := []struct {
		name            string
		support         Support
		missing, weaker []string // how their texts begin
	}{
		{"everything", Support{Launcher: true, Files: 6, Calls: true, Group: true, Limits: true}, nil, nil},
		{"another system", Support{}, []string{"files: games have all rights of the host's user: only Linux", "calls: games can use every system call: only Linux"}, nil},
		{"no Landlock", Support{Launcher: true, Calls: true, Group: true, Limits: true},
			[]string{"files: games can read and change every file of the host's user: the kernel has no Landlock"}, nil},
		{"no seccomp", Support{Launcher: true, Files: 6, Group: true, Limits: true}, []string{"calls: games can use the network, start processes"}, nil},
		{"old Landlock", Support{Launcher: true, Files: 5, Calls: true, Group: true, Limits: true}, nil, []string{"signals: Landlock here has version 5"}},
		{"no controllers", Support{Launcher: true, Files: 6, Calls: true, Group: true}, nil, []string{"group: control groups here have no controllers"}},
		{"old kernel in a container", Support{Launcher: true},
			[]string{"files: games can read", "calls: games can use"}, []string{"group: the host can't create control groups"}},
	}
	check := func(t *testing.T, list string, got []Missing, want []string) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("got %s %v, want %q", list, got, want)
		}
		for i, m := range got {
			if text := m.Feature + ": " + m.Text; !strings.HasPrefix(text, want[i]) {
				t.Errorf("got %s %q, want %q", list, text, want[i])
			}
			if !slices.Contains(Features, m.Feature) {
				t.Errorf("got the feature %q, want one of %q", m.Feature, Features)
			}
		}
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check(t, "missing", test.support.Missing(), test.missing)
			check(t, "weaker", test.support.Weaker(), test.weaker)
		})
	}
}

func TestNilGroupHasNoMembers(t *testing.T) {
	var g *Group
	g.Kill()
	g.Close()
}
