package verify

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// haggle is a game of one turn: the first player names prices until the referee
// accepts one, and can first make an offer to the other player.
var haggle = sdk.Game{
	Name: "haggle", Title: "Haggle", MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 10,
	Play: func(m *sdk.Match) error {
		for {
			m.Tell(0, "price?")
			line, err := m.AskLine(0)
			switch {
			case err != nil:
				m.Show("the first is out: " + err.Error())
				return nil
			case line == "offer":
				answer, err := m.AskLine(1)
				if err != nil {
					m.Show("the second is out: " + err.Error())
					return nil
				}
				m.TellOthers(1, answer)
				m.Resume(0)
			case line == "10":
				m.Score(0, 1)
				m.Show("sold")
				return nil
			default:
				m.Refuse(0, "no: "+line)
			}
		}
	},
	Bot: func(b *sdk.Bot) error {
		for {
			if b.Read() == "price?" {
				b.Write("11")
			}
		}
	},
}

// haggler is a player that answers each demand for a price with its next line.
type haggler struct {
	match *match.Match
	lines []string
	pause time.Duration // before each of them
	since time.Time

	result protocol.MatchResult
}

func (h *haggler) Send(b []byte) {
	h.since = time.Now()
	if h.match == nil || !strings.HasSuffix(string(b), "price?\n") {
		return
	}
	next := h.lines[0]
	h.lines = h.lines[1:]
	time.AfterFunc(h.pause, func() { h.match.Line(0, next, time.Now()) })
}

func (h *haggler) Written() (time.Time, bool)   { return h.since, true }
func (h *haggler) Lag() time.Duration           { return 0 }
func (h *haggler) Probe()                       {}
func (h *haggler) Away(string, time.Time)       {}
func (h *haggler) Unread(time.Time) bool        { return false }
func (h *haggler) Cut()                         {}
func (h *haggler) Ended(r protocol.MatchResult) { h.result = r }

// memoryStore keeps the record of one match.
type memoryStore struct{ record *record.Match }

func (*memoryStore) Begin(*record.Match) {}

func (m *memoryStore) Finish(_ context.Context, r *record.Match) error {
	m.record = r
	return nil
}

func TestMatchWithRefusedLinesAndOffersEndsInItsTimeAndIsVerified(t *testing.T) {
	nonsense := slices.Repeat([]string{"x"}, 1000)
	tests := []struct {
		name    string
		lines   []string // nil: a bot
		pause   time.Duration
		ended   driver.Ended // for the first player
		took    time.Duration
		answers int
		stream  string
	}{
		{"refused, then accepted", []string{"1", "2", "10"}, 3 * time.Second, "finished", 9 * time.Second, 3, "sold\n"},
		{"refused until it is late", nonsense, 3 * time.Second, "forfeit: timeout", 10 * time.Second, 4, "the first is out: timeout\n"},
		{"refused a hundred times", nonsense, 10 * time.Millisecond, "forfeit: illegal", time.Second, 100, "the first is out: illegal\n"},
		{"an offer", []string{"offer", "10"}, 4 * time.Second, "finished", 8 * time.Second, 3, "no\nsold\n"},
		{"late after an offer", []string{"offer", "10"}, 6 * time.Second, "forfeit: timeout", 10 * time.Second, 3, "no\nthe first is out: timeout\n"},
		{"a bot that is refused", nil, 0, "forfeit: illegal", 0, 100, "the first is out: illegal\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := &haggler{lines: tt.lines, pause: tt.pause}
				seats := []match.Participant{{Name: "A", Player: first}, {Name: "B", Player: &haggler{}}}
				if tt.lines == nil {
					seats[0].Player = nil
				}
				var kept memoryStore
				m, _ := match.New(match.Config{
					Record: &record.Match{ID: "8gj5mqqjtoklo", Game: "haggle", Seed: 1, Timeout: 10}, Seats: seats, Seated: true,
					Game: fakeGame{game: &haggle, live: true}, Recorder: &kept, Stream: match.NewStream(), Stall: stall,
					Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Over: func() {},
				})
				first.match = m
				begun := time.Now()
				m.Line(1, "no", begun) // to an offer, if there is one
				m.Run(t.Context())
				record := kept.record
				if ended, took := record.Seats[0].Ended, time.Since(begun); ended != tt.ended || took != tt.took {
					t.Errorf("the first ended as %q after %v, want %q after %v", ended, took, tt.ended, tt.took)
				}
				if len(record.Answers) != tt.answers || string(record.Stream) != tt.stream {
					t.Errorf("got %d answers and the stream %q, want %d and %q", len(record.Answers), record.Stream, tt.answers, tt.stream)
				}
				got, err := Run(t.Context(), fakeGame{game: &haggle}, record, stall)
				if err != nil || len(got.Differences) > 0 || got.Answers != tt.answers {
					t.Errorf("verified %+v, error %v, want %d answers and no difference", got, err, tt.answers)
				}
			})
		})
	}
}
