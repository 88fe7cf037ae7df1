package verify

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/sdk"
)

// pick is a game in which both players pick a letter at once, twice, and that shows the time.
var pick = sdk.Game{
	Name: "pick", Title: "Pick", MinPlayers: 2, MaxPlayers: 2, Timeout: 10,
	Play: func(m *sdk.Match) error {
		for range 2 {
			m.TellAll("go")
			for _, a := range m.AskAll([][]string{{"a"}, {"b"}}) {
				m.Show(fmt.Sprintf("%q %v at %.3f s", a.Line, a.Err, m.Elapsed()))
			}
			m.Show(fmt.Sprintf("%.3f s left", m.TimeLeft(0)))
		}
		return nil
	},
}

// guesser answers each text after a second, with the next of its lines.
type guesser struct {
	haggler
	seat  int
	lines []string
}

func (p *guesser) Send([]byte) {
	p.since = time.Now()
	if len(p.lines) > 0 {
		line := p.lines[0]
		p.lines = p.lines[1:]
		time.AfterFunc(time.Second, func() { p.match.Line(p.seat, line, time.Now()) })
	}
}

// followed is a Follower.
type followed struct{ strings.Builder }

func (f *followed) Received(text []byte)     { f.WriteString(string(text)) }
func (f *followed) Answered(a record.Answer) { fmt.Fprintf(f, "> %s\n", a.Line) }

func TestMatchWithRefusedAnswersIsVerified(t *testing.T) {
	for _, clock := range []*record.Clock{nil, {Bank: 20, Increment: 1}} {
		synctest.Test(t, func(t *testing.T) {
			players := []*guesser{{lines: []string{"x", "y", "a", "z", "z", "z"}}, {seat: 1, lines: []string{"b", "c", "b"}}}
			var kept memoryStore
			m, _ := match.New(match.Config{
				Record: &record.Match{ID: "8gj5mqqjtoklo", Game: "pick", Seed: 1, Timeout: 10, Clock: clock, Retries: 2},
				Seats:  []match.Participant{{Name: "A", Player: players[0]}, {Name: "B", Player: players[1]}}, Seated: true,
				Game: fakeGame{game: &pick, live: true}, Recorder: &kept, Stream: match.NewStream(), Stall: stall,
				Log: slog.New(slog.DiscardHandler), Over: func() {},
			})
			for _, p := range players {
				p.match = m
			}
			m.Run(t.Context())
			rec := kept.record
			if a, b := rec.Seats[0], rec.Seats[1]; a.Refused != 4 || b.Refused != 1 || a.Ended != "forfeit: illegal" || b.Ended != "finished" {
				t.Errorf("got the seats %+v, want 4 and 1 refused answers, and the first one out", rec.Seats)
			}
			var f followed
			got, err := Follow(t.Context(), fakeGame{game: &pick}, rec, stall, 0, &f)
			if err != nil || len(got.Differences) > 0 || got.Answers != len(rec.Answers) {
				t.Errorf("verified %+v, error %v, want %d answers and no difference", got, err, len(rec.Answers))
			}
			again := "illegal: %s, try again\n"
			want := fmt.Sprintf("go\n> x\n"+again+"> y\n"+again+"> a\ngo\n> z\n"+again+"> z\n"+again+"> z\n", "x", "y", "z", "z")
			if f.String() != want {
				t.Errorf("the first player is said to have seen\n%s\nwant\n%s", f.String(), want)
			}
		})
	}
}
