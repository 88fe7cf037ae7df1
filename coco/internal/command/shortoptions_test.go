package command

import (
	"slices"
	"strings"
	"testing"
)

func TestShortOptionsInOneWordAreSeparated(t *testing.T) {
	tests := []struct{ args, want string }{
		{"new roshambo -n2 -b1 -arounds=5", "new roshambo -n 2 -b 1 -a rounds=5"},
		{"-sws://h/ list -u", "-s ws://h/ list -u"},
		{"-s ws://h/ connect -sn alice ID", "-s ws://h/ connect -s -n alice ID"},
		{"connect -snbob ID", "connect -s -n bob ID"},
		{"new roshambo -n 2 -t -5", "new roshambo -n 2 -t -5"},
		{"new roshambo -n=2", "new roshambo -n=2"},
		{"new roshambo --timeout -5", "new roshambo --timeout -5"},
		{"new roshambo --timeout=5 -b1", "new roshambo --timeout=5 -b 1"},
		{"new -x2", "new -x2"},
		{"connect ID -", "connect ID -"},
		{"connect ID -- prog -n2", "connect ID -- prog -n2"},
		{"list connect -sx", "list connect -sx"}, // a game of that name
		{"connect -nnew -s ID", "connect -n new -s ID"},
	}
	app := root(nil)
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			if got := splitShort(app, strings.Fields(tt.args)); !slices.Equal(got, strings.Fields(tt.want)) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
