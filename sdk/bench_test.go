package sdk_test

import (
	"testing"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// prompt answers each question at once.
type prompt struct {
	answers []driver.Answer // one for each seat
	seats   int             // of the last question
}

func (p *prompt) Send(frame *driver.Frame) bool {
	if frame.Question != nil {
		p.seats = len(frame.Question.Seats)
	}
	return true
}

func (p *prompt) Wait() ([]driver.Answer, bool) {
	return p.answers[:min(p.seats, len(p.answers))], true
}

func (p *prompt) Pause(time.Duration) bool { return true }

// BenchmarkQuestion measures the work of the SDK for one question and its answers: of
// players, and of a player and a bot.
func BenchmarkQuestion(b *testing.B) {
	legal := [][]string{digits, digits}
	b.Run("AskAllWithBot", func(b *testing.B) {
		b.ReportAllocs()
		game := sdk.Game{Name: "questions"}
		game.Play = func(m *sdk.Match) error {
			for range b.N {
				m.TellAll("0")
				m.AskAll(legal)
			}
			return nil
		}
		game.Bot = func(bot *sdk.Bot) error {
			for {
				bot.Read()
				bot.Write("1")
			}
		}
		runWithBot(game, &prompt{answers: []driver.Answer{{Seat: 0, Line: "0"}}})
	})
	for name, ask := range map[string]func(m *sdk.Match){
		"Ask":      func(m *sdk.Match) { m.Ask(0, digits) },
		"AskLine":  func(m *sdk.Match) { m.Examples(func(int) []string { return digits }); m.AskLine(0) },
		"AskAll":   func(m *sdk.Match) { m.AskAll(legal) },
		"AskLines": func(m *sdk.Match) { m.AskLines([]int{0, 1}) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			game := sdk.Game{Name: "questions", Play: func(m *sdk.Match) error {
				for range b.N {
					ask(m)
				}
				return nil
			}}
			d := &prompt{answers: []driver.Answer{{Seat: 0, Line: "0", Outcome: driver.Answered}, {Seat: 1, Line: "1", Outcome: driver.Answered}}}
			driver.Of(&game).Run(&driver.Setup{Settings: driver.Settings{Players: 2, Timeout: 10}, Names: []string{"a", "b"}}, d)
		})
	}
}
