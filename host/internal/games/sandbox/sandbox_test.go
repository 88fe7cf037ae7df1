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
		{"another system", Support{}, []string{"files: games can read and change all files of the host's user", "calls: games can use the network"}, nil},
		{"no Landlock", Support{Launcher: true, Calls: true, Group: true, Limits: true},
			[]string{"files: games can read and change all files of the host's user: Landlock is not available"}, nil},
		{"no seccomp", Support{Launcher: true, Files: 6, Group: true, Limits: true}, []string{"calls: games can use the network, start programs and send signals: filters"}, nil},
		{"old Landlock", Support{Launcher: true, Files: 5, Calls: true, Group: true, Limits: true}, nil, []string{"signals: games that can start programs can also send signals to the host: Landlock has version 5"}},
		{"no controllers", Support{Launcher: true, Files: 6, Calls: true, Group: true}, nil, []string{"group: the CPU time of games is not limited"}},
		{"old kernel in a container", Support{Launcher: true},
			[]string{"files: games can read", "calls: games can use"}, []string{"group: the CPU time of games is not limited"}},
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
			if !slices.Contains(Features, m.Feature) || m.Remedy == "" {
				t.Errorf("got the feature %q and the remedy %q, want one of %q and a remedy", m.Feature, m.Remedy, Features)
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
