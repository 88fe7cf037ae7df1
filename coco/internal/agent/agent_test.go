package agent

import (
	"context"
	"strings"
	"testing"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/server"
	"colosseum/internal/test/hinthost"
)

// join takes a seat in a new match.
func join(t *testing.T, h *hinthost.Host) *Seat {
	t.Helper()
	addr, err := server.ParseAddress(h.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	dial := func(ctx context.Context) (*server.Conn, error) { return server.Dial(ctx, addr, server.Options{}) }
	seat, err := Join(t.Context(), &match.Match{ID: h.Create(), Name: "agent", Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(seat.Leave)
	return seat
}

func TestTextOfACanceledWaitComesAgain(t *testing.T) {
	seat := join(t, &hinthost.Host{})
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	seat.Wait(canceled)
	first := seat.Wait(t.Context())
	if want := "agent\nServerBot$0\n3\n"; string(first.Text) != want || first.Question == nil {
		t.Errorf("got %+v, want the text %q and a question", first, want)
	}
	if again := seat.Wait(t.Context()); len(again.Text) > 0 || again.Question != first.Question {
		t.Errorf("got %+v, want the same question without text", again)
	}
}

func TestOldTextIsDropped(t *testing.T) {
	const most = maxText - len("PAPER\n\n")
	seat := join(t, &hinthost.Host{Taunt: strings.Repeat("x", most)})
	seat.Wait(t.Context())
	if _, err := seat.Answer(t.Context(), "ROCK", 1, ""); err != nil {
		t.Fatal(err)
	}
	if turn := seat.Wait(t.Context()); turn.Dropped || len(turn.Text) != maxText {
		t.Errorf("got %d bytes, dropped %t, want all", len(turn.Text), turn.Dropped)
	}
	for range 2 { // together they are too long
		if err := seat.match.Player.Write([]byte(strings.Repeat("y", maxText/2+1))); err != nil {
			t.Fatal(err)
		}
	}
	if turn := seat.Wait(t.Context()); !turn.Dropped || len(turn.Text) != maxText {
		t.Errorf("got %d bytes, dropped %t, want the last %d", len(turn.Text), turn.Dropped, maxText)
	}
}

func TestAnswersWithoutAQuestionAreRefused(t *testing.T) {
	seat := join(t, &hinthost.Host{})
	seat.Wait(t.Context())
	for line, want := range map[string]error{"a\tb": ErrNotLine, strings.Repeat("a", maxAnswer+1): ErrNotLine} {
		if q, err := seat.Answer(t.Context(), line, 0, ""); err != want || q == nil {
			t.Errorf("%.10q: got %v, want %v with the question", line, err, want)
		}
	}
	if _, err := seat.Answer(t.Context(), "ROCK", 2, ""); err != ErrNotAsked {
		t.Errorf("got %v for another question, want %v", err, ErrNotAsked)
	}
	seat.Skip(1)
	if _, err := seat.Answer(t.Context(), "ROCK", 1, ""); err != ErrNotAsked {
		t.Errorf("got %v for a question that was skipped, want %v", err, ErrNotAsked)
	}
	seat.Leave()
	if _, err := seat.Answer(t.Context(), "ROCK", 0, ""); err != ErrOver {
		t.Errorf("got %v after the match, want %v", err, ErrOver)
	}
	if turn := seat.Wait(t.Context()); !turn.Over || turn.Err != errLeft {
		t.Errorf("got %+v, want an end that says why", turn)
	}
}
