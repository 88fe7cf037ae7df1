package analysis

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"colosseum/host/internal/records/record"
)

func TestHintIsTheBestAnswerOfTheLastPosition(t *testing.T) {
	games := &fakeGames{}
	a := New(games, stall, slog.New(slog.DiscardHandler))
	defer a.Close()
	rec := said(t, "a", "0", "0", "0", "0", "0", "0")
	rec.State, rec.Answers, rec.Stream = record.Aborted, rec.Answers[:2], nil
	best, err := a.Hint(t.Context(), rec)
	if err != nil || best != "b2" {
		t.Errorf("got %q, %v, want the best answer to the third question", best, err)
	}
	if n, started := games.running(); n != 0 || started != 1 {
		t.Errorf("%d of %d processes are left, want none of one", n, started)
	}
	rec.Seats = rec.Seats[:1]
	if _, err := a.Hint(t.Context(), rec); err == nil || !strings.Contains(err.Error(), "two seats") {
		t.Errorf("one seat: got %v, want a refusal", err)
	}
	games.refusal = errors.New("it cannot judge")
	if _, err := a.Hint(t.Context(), said(t, "b", "0", "0", "0", "0", "0", "0")); err == nil || !strings.Contains(err.Error(), "cannot judge") {
		t.Errorf("a game that does not judge: got %v, want a refusal", err)
	}
}
