package verify

import (
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// tempo is a game of three turns that shows when each answer came. The referee refuses
// the line "no".
var tempo = sdk.Game{
	Name: "tempo", Title: "Tempo", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 10,
	Play: func(m *sdk.Match) error {
		for range 3 {
			for done := false; !done; {
				m.Tell(0, "go")
				line, err := m.AskLine(0)
				if err != nil {
					m.Show(fmt.Sprintf("%v after %.3f s", err, m.Elapsed()))
					return nil
				}
				if done = line != "no"; !done {
					m.Refuse(0, "again")
				}
			}
			m.Show(fmt.Sprintf("answered after %.3f s", m.Elapsed()))
		}
		return nil
	},
	Bot: func(b *sdk.Bot) error { return nil },
}

// timedPlayer answers each question after the next pause, with "no" or "yes".
type timedPlayer struct {
	haggler
	pauses []time.Duration // a negative one: the line is refused
	lag    time.Duration
}

func (p *timedPlayer) Lag() time.Duration { return p.lag }

func (p *timedPlayer) Send(b []byte) {
	p.since = time.Now()
	if !strings.HasSuffix(string(b), "go\n") || len(p.pauses) == 0 {
		return
	}
	pause, line := p.pauses[0], "yes"
	p.pauses = p.pauses[1:]
	if pause < 0 {
		pause, line = -pause, "no"
	}
	time.AfterFunc(pause, func() { p.match.Line(0, line, time.Now()) })
}

// A timeout is 2 ms later than the time ends: the host waits for the answer to its probe.
func TestMatchWithClocksIsVerified(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	tests := []struct {
		name    string
		clock   *record.Clock
		pauses  []time.Duration
		lag     time.Duration
		ended   driver.Ended // for the first player
		stream  string
		lefts   []time.Duration
		forgave int64 // ms
	}{
		{"a bank and an increment", &record.Clock{Bank: 10, Increment: 2}, []time.Duration{5 * s, 4 * s, -s, s}, 0, "finished",
			"answered after 5.000 s\nanswered after 9.000 s\nanswered after 11.000 s\n", []time.Duration{7 * s, 5 * s, 6 * s, 5 * s}, 0},
		{"the bank ends", &record.Clock{Bank: 5}, []time.Duration{5 * s, 4 * s}, 0, "forfeit: timeout",
			"answered after 5.000 s\ntimeout after 7.002 s\n", []time.Duration{2 * s, 0}, 0},
		{"the bank pays for a refused line", &record.Clock{Bank: 5}, []time.Duration{-5 * s, 3 * s}, 0, "forfeit: timeout",
			"timeout after 7.002 s\n", []time.Duration{2 * s, 0}, 0},
		{"the start grace, without a clock", nil, []time.Duration{11 * s, 9 * s, 11 * s}, 0, "forfeit: timeout",
			"answered after 11.000 s\nanswered after 20.000 s\ntimeout after 30.002 s\n", []time.Duration{0, 0, 0}, 0},
		{"lag, without a clock", nil, []time.Duration{12*s + 200*ms, 10*s + 100*ms, 10*s + 250*ms}, 240 * ms, "forfeit: timeout",
			"answered after 12.200 s\nanswered after 22.300 s\ntimeout after 32.500 s\n", []time.Duration{0, 0, 0}, 300},
		{"lag, with a clock", &record.Clock{Bank: 5}, []time.Duration{3 * s, s, 3*s + 50*ms}, 100 * ms, "finished",
			"answered after 3.000 s\nanswered after 4.000 s\nanswered after 7.050 s\n", []time.Duration{4100 * ms, 3200 * ms, 250 * ms}, 300},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := &timedPlayer{pauses: tt.pauses, lag: tt.lag}
				var kept memoryStore
				m, _ := match.New(match.Config{
					Record: &record.Match{ID: "8gj5mqqjtoklo", Game: "tempo", Seed: 1, Timeout: 10, Clock: tt.clock},
					Seats:  []match.Participant{{Name: "A", Player: first}, {Name: "B"}}, Seated: true,
					Game: fakeGame{game: &tempo, live: true}, Recorder: &kept, Stream: match.NewStream(), Stall: stall,
					StartGrace: 2 * s, Lag: 100 * ms, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Over: func() {},
				})
				first.match = m
				m.Run(t.Context())
				rec := kept.record
				if rec.Seats[0].Ended != tt.ended || string(rec.Stream) != tt.stream {
					t.Errorf("the first ended as %q with the stream %q, want %q and %q", rec.Seats[0].Ended, rec.Stream, tt.ended, tt.stream)
				}
				var lefts []time.Duration
				for _, a := range rec.Answers {
					lefts = append(lefts, a.Left)
				}
				if !reflect.DeepEqual(lefts, tt.lefts) {
					t.Errorf("after the answers %v were left, want %v", lefts, tt.lefts)
				}
				if got := first.result.Players[0].Forgiven; got != tt.forgave {
					t.Errorf("%d ms were forgiven, want %d", got, tt.forgave)
				}
				b, err := record.EncodeTranscript(rec)
				if err != nil {
					t.Fatal(err)
				}
				again, err := record.DecodeTranscript(b)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Run(t.Context(), fakeGame{game: &tempo}, again, stall)
				if err != nil || len(got.Differences) > 0 || got.Answers != len(tt.lefts) {
					t.Errorf("verified %+v, error %v, want %d answers and no difference", got, err, len(tt.lefts))
				}
			})
		})
	}
}
