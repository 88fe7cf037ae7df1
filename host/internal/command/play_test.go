package command

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"
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

func TestStartOfAProgramIsThatOfTheFileUnlessTheOptionSaysAnother(t *testing.T) {
	tests := []struct {
		name, file string
		args       []string
		want       time.Duration
	}{
		{"nothing says it", "lobby: {matches: 5}\nclients:\n", nil, 10 * time.Second},
		{"the file says it", "clients: {start_grace: 2s}\n", nil, 2 * time.Second},
		{"the file says none", "clients: {start_grace: 0s}\n", nil, 0},
		{"the option says another", "clients: {start_grace: 2s}\n", []string{"--start", "10s"}, 10 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "colosseum.yaml")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			command := playCommand(nil)
			command.Action = func(_ context.Context, cmd *cli.Command) error {
				c, err := source(cmd).Load()
				if err == nil {
					if got := startOf(cmd, c); got != tt.want {
						t.Errorf("got %v, want %v", got, tt.want)
					}
				}
				return err
			}
			root := &cli.Command{Flags: []cli.Flag{&cli.StringFlag{Name: "config"}}, Commands: []*cli.Command{command}}
			if err := root.Run(t.Context(), append([]string{"host", "--config", path, "play"}, tt.args...)); err != nil {
				t.Fatal(err)
			}
		})
	}
}
