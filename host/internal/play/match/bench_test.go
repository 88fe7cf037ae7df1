package match

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// instant is a player whose bytes are written at once, and also the process and the
// recorder of its match.
type instant struct{ written time.Time }

func (p *instant) Send([]byte)                                 { p.written = time.Now() }
func (p *instant) Written() (time.Time, bool)                  { return p.written, true }
func (p *instant) Unread(time.Time) bool                       { return false }
func (p *instant) Lag() time.Duration                          { return 0 }
func (p *instant) Probe()                                      {}
func (p *instant) Away(string, time.Time)                      {}
func (p *instant) Cut()                                        {}
func (p *instant) Ended(protocol.MatchResult)                  {}
func (p *instant) Begin(*record.Match)                         {}
func (p *instant) Finish(context.Context, *record.Match) error { return nil }
func (p *instant) Answer(answers []driver.Answer)              {}
func (p *instant) Stop()                                       {}

// BenchmarkTurn plays the host's part of a turn of one player: a frame with a text and a
// question, and the line that answers it.
func BenchmarkTurn(b *testing.B) {
	list := make([]string, 30)
	for i := range list {
		list[i] = fmt.Sprintf("move %d", i)
	}
	list[7] = "e7e5"
	hint := []driver.Hint{{Answers: list}}
	b.Run("plain", func(b *testing.B) { benchmarkTurn(b, 0, nil, nil) })
	b.Run("hints", func(b *testing.B) { benchmarkTurn(b, 0, hint, func(protocol.MatchQuestion) {}) })
	b.Run("retries", func(b *testing.B) { benchmarkTurn(b, 3, hint, nil) })
}

func benchmarkTurn(b *testing.B, retries int, hints []driver.Hint, tell func(protocol.MatchQuestion)) {
	const most = 100_000 // turns of one match, below maxAnswers
	frame := &driver.Frame{Texts: []driver.Text{{To: driver.ToAll, Lines: []byte("MOVE e2e4\n")}}, Question: &driver.Question{Seats: []int{0}, Seconds: 10, Hints: hints}}
	var m *Match
	turns := 0
	b.ReportAllocs()
	for b.Loop() {
		if turns%most == 0 {
			b.StopTimer()
			p := &instant{}
			m, _ = New(Config{
				Record: &record.Match{Timeout: 10, Retries: retries}, Seats: []Participant{{Name: "A", Player: p, Hints: tell}}, Stream: NewStream(),
				Recorder: p, Stall: time.Minute, Log: slog.New(slog.DiscardHandler),
			})
			m.begin()
			m.opened(p)
			b.StartTimer()
		}
		turns++
		receiver{m}.Put(frame)
		if !m.Line(0, "e7e5", time.Now()) {
			b.Fatal("the match has ended, want it to go on")
		}
	}
}
