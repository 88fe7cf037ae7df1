package match

import (
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

func tell(seat int, text string) driver.Text {
	return driver.Text{To: driver.ToSeat, Seat: seat, Lines: []byte(text)}
}

// question is a frame that asks seat 0, after a text to it.
func question(text string) *driver.Frame {
	f := &driver.Frame{Question: &driver.Question{Seats: []int{0}, Seconds: 10}}
	if text != "" {
		f.Texts = []driver.Text{tell(0, text)}
	}
	return f
}

func TestForfeitIsExplained(t *testing.T) {
	tests := []struct {
		name  string
		play  func(t *testing.T, b *testMatch)
		ended driver.Ended
		want  record.Fault
	}{
		{"an illegal line", func(t *testing.T, b *testMatch) {
			b.send(question("board\nyour move\n"))
			b.line(0, "a1\x1b[2J")
			want(t, b.referee.answer(t), "a1\x1b[2J")
		}, "forfeit: illegal", record.Fault{Line: `a1\x1b[2J`, Asked: "board\nyour move"}},
		{"a line after a refusal", func(t *testing.T, b *testMatch) {
			b.send(question("your move\n"))
			b.line(0, "a1")
			want(t, b.referee.answer(t), "a1")
			b.send(question("a1 is taken\n"))
			b.line(0, "a2")
			want(t, b.referee.answer(t), "a2")
		}, "forfeit: illegal", record.Fault{Line: "a2", Asked: "a1 is taken"}},
		{"a text before the question of another", func(t *testing.T, b *testMatch) {
			b.send(&driver.Frame{Texts: []driver.Text{tell(0, "you are next\n"), tell(1, "go\n")}, Question: &driver.Question{Seats: []int{1}, Seconds: 10}})
			b.line(1, "x")
			want(t, b.referee.answer(t), "x")
			b.send(question(""))
			b.line(0, "a1")
			want(t, b.referee.answer(t), "a1")
		}, "forfeit: illegal", record.Fault{Line: "a1", Asked: "you are next"}},
		{"no line", func(t *testing.T, b *testMatch) {
			b.send(question("your move\n"))
			pass(10 * time.Second)
			want(t, b.referee.answer(t), "timeout")
		}, "forfeit: timeout", record.Fault{Asked: "your move"}},
		{"a late line, before the end of the match", func(t *testing.T, b *testMatch) {
			b.send(question("your move\n"))
			pass(10 * time.Second)
			want(t, b.referee.answer(t), "timeout")
			pass(250 * time.Millisecond)
			b.line(0, "a1")
		}, "forfeit: timeout", record.Fault{Line: "a1", Asked: "your move", Late: 250 * time.Millisecond}},
		{"gone", func(t *testing.T, b *testMatch) {
			b.send(question("your move\n"))
			b.line(0, "a1")
			want(t, b.referee.answer(t), "a1")
			b.send(question("again\n"))
			b.Leave(0)
			want(t, b.referee.answer(t), "disconnected")
		}, "forfeit: disconnected", record.Fault{Asked: "again"}},
		{"resigned", func(t *testing.T, b *testMatch) {
			b.send(question("your move\n"))
			b.line(0, "RETIRE")
			want(t, b.referee.answer(t), "RETIRE")
		}, "forfeit: resigned", record.Fault{Line: "RETIRE", Asked: "your move"}},
		{"long texts", func(t *testing.T, b *testMatch) {
			for range 20 {
				b.send(&driver.Frame{Texts: []driver.Text{tell(0, strings.Repeat("w", 49)+"\n")}})
			}
			b.send(question("ü" + strings.Repeat("x", 48) + "\n"))
			b.line(0, strings.Repeat("ü", 1000)+"\xff")
			b.referee.answer(t)
		}, "forfeit: illegal", record.Fault{Line: strings.Repeat("ü", 100) + "…", Asked: "…\n" + strings.Repeat(strings.Repeat("w", 49)+"\n", 6) + "ü" + strings.Repeat("x", 48)}},
		{"a long line without end", func(t *testing.T, b *testMatch) {
			b.send(question(strings.Repeat("ü", 1000) + "\n"))
			b.line(0, "")
			b.referee.answer(t)
		}, "forfeit: illegal", record.Fault{Asked: "…" + strings.Repeat("ü", 200)}},
		{"no forfeit", func(t *testing.T, b *testMatch) {
			b.send(question("your move\n"))
			b.line(0, "a1")
			want(t, b.referee.answer(t), "a1")
		}, "finished", record.Fault{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withMatch(t, 2, 0, func(t *testing.T, b *testMatch) {
				tt.play(t, b)
				e := ended(2)
				e.Seats[0].Ended = tt.ended
				b.send(&driver.Frame{Texts: []driver.Text{all("the end\n")}, End: e})
				if !b.over() {
					t.Fatal("the match goes on, want it ended")
				}
				if got := b.recorder.record.Seats[0].Fault; got != tt.want {
					t.Errorf("got %+v in the record, want %+v", got, tt.want)
				}
				if got := b.recorder.record.Seats[1].Fault; got != (record.Fault{}) {
					t.Errorf("got %+v for the other player, want none", got)
				}
				got := b.players[1].result.Players[0].Fault
				if tt.want == (record.Fault{}) {
					if got != nil {
						t.Errorf("got %+v in the result, want none", got)
					}
					return
				}
				if want := (protocol.Fault{Line: tt.want.Line, Asked: tt.want.Asked, Late: tt.want.Late.Milliseconds()}); got == nil || *got != want {
					t.Errorf("got %+v in the result, want %+v", got, want)
				}
			})
		})
	}
}
