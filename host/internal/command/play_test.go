package command

import (
	"reflect"
	"strings"
	"testing"
)

func TestProgramsAreCutAtEachDoubleDash(t *testing.T) {
	tests := []struct {
		name, args string
		own        []string
		programs   [][]string
	}{
		{"none", "host play g -n 2", []string{"host", "play", "g", "-n", "2"}, [][]string{}},
		{"one", "host play g -- a -n 2", []string{"host", "play", "g"}, [][]string{{"a", "-n", "2"}}},
		{"two", "host play -- a -- b c", []string{"host", "play"}, [][]string{{"a"}, {"b", "c"}}},
		{"one that is missing", "host play g -- a --", []string{"host", "play", "g"}, [][]string{{"a"}, {}}},
		{"completion", "host play g -- --generate-shell-completion", []string{"host", "play", "g", "--", "--generate-shell-completion"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			own, programs := splitPrograms(strings.Fields(tt.args))
			if !reflect.DeepEqual(own, tt.own) || !reflect.DeepEqual(programs, tt.programs) {
				t.Errorf("got %q and %q, want %q and %q", own, programs, tt.own, tt.programs)
			}
		})
	}
}
