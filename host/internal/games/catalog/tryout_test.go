//go:build unix

package catalog

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// newStopped returns a game whose process is stopped, like one that a busy machine gives
// no time.
func newStopped(t *testing.T) (game *engine.Game, log *logBuffer) {
	t.Helper()
	log = &logBuffer{}
	c, err := Open(configOf(roshamboFolder(t, nil)), t.TempDir(), slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.Load(context.Background())
	game = c.offer(t).Engine.(*process).game
	freeze(t, game.Pid())
	return game, log
}

func TestGameThatIsStoppedForSecondsPassesItsTrial(t *testing.T) {
	t.Parallel()
	long.Only(t, "the game is stopped for longer than the host waits for an answer, 5 s")
	game, log := newStopped(t)
	result := make(chan error, 1)
	go func() { // ends with the game
		_, err := tryOut(context.Background(), game, time.Hour)
		result <- err
	}()
	poll.Until(t, "the host has waited in vain", func() bool { return strings.Contains(log.String(), "could not prepare a match") })
	if err := syscall.Kill(game.Pid(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := poll.Receive(t, "the trial ends", result); err != nil {
		t.Error(err)
	}
}

func TestTrialOfAGameThatStaysStoppedEnds(t *testing.T) {
	t.Parallel()
	game, _ := newStopped(t)
	if _, err := tryOut(context.Background(), game, 100*time.Millisecond); !errors.Is(err, engine.ErrSilent) {
		t.Errorf("got %v, want %v", err, engine.ErrSilent)
	}
}
