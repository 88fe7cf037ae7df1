package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"colosseum/host/internal/games/sandbox"
	"colosseum/sdk/wire"
)

// The test binary is also the game, which waits for the end of its lifeline.
func TestMain(m *testing.M) {
	number := os.Getenv(wire.LifelineKey)
	if number == "" {
		os.Exit(m.Run())
	}
	handle, err := strconv.Atoi(number)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if text, err := io.ReadAll(os.NewFile(uintptr(handle), "lifeline")); string(text) != "alive" {
		fmt.Println(text, err)
		os.Exit(1)
	}
	if len(os.Args) > 1 { // this game does not end
		time.Sleep(time.Hour)
	}
	os.Exit(7)
}

func TestGameEndsWithItsLifeline(t *testing.T) {
	for name, tt := range map[string]struct {
		args  []string
		grace time.Duration
		want  string // the status
	}{
		"by itself":             {nil, time.Hour, "exit status 7"},
		"killed if it does not": {[]string{"stay"}, 0, "exit status 137"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], tt.args...)
			cmd.Env = childEnv("")
			p, err := newProcess(cmd, t.TempDir(), sandbox.BestEffort, sandbox.Policy{Memory: 1 << 30}, tt.grace)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Start(context.Background()); err != nil {
				t.Fatal(err)
			}
			if _, err := p.lifeline.WriteString("alive"); err != nil {
				t.Fatal(err)
			}
			go p.stop() // ends with the process
			if err := p.Wait(context.Background()); fmt.Sprint(err) != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			ended := p.endedByItself()
			if (ended == nil) != (tt.args != nil) {
				t.Errorf("ended by itself: got %v, want %v", ended != nil, tt.args == nil)
			}
		})
	}
}
