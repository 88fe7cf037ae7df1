package sdk_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// sender notes that it has sent a frame.
type sender struct {
	prompt
	sent atomic.Int64 // questions
}

func (s *sender) Send(frame *driver.Frame) bool {
	synctest.Wait() // until a bot that can run has done all that it can
	if frame.Question != nil {
		s.sent.Add(1)
	}
	return s.prompt.Send(frame)
}

// runWithBot plays a match of a player on seat 0, which answers 0 at once, against a bot.
func runWithBot(g sdk.Game, d driver.Driver) {
	driver.Of(&g).Run(&driver.Setup{Settings: driver.Settings{Players: 2, Bots: 1, Timeout: 10}, Names: []string{"a", "b"}, Bots: []bool{false, true}}, d)
}

func TestPlayersGetTheirLinesBeforeABotThinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &sender{prompt: prompt{answers: []driver.Answer{{Seat: 0, Line: "0"}}}}
		g := sdk.Game{Name: "x"}
		g.Play = func(m *sdk.Match) error {
			synctest.Wait() // until the bot waits for a line
			for range 3 {
				m.TellAll("move")
				m.AskAll([][]string{digits, digits})
			}
			return nil
		}
		g.Bot = func(b *sdk.Bot) error {
			for n := int64(1); ; n++ {
				b.Read()
				if got := d.sent.Load(); got != n {
					t.Errorf("the bot read line %d after %d frames, want %d", n, got, n)
				}
				b.Write("1")
			}
		}
		runWithBot(g, d)
		synctest.Wait()
	})
}

func TestEachQuestionToABotHasItsOwnTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := sdk.Game{Name: "x"}
		g.Play = func(m *sdk.Match) error {
			for n, seconds := range []float64{10, 1, 20, 3} { // the bot answers none but the first
				m.SetTimeout(seconds)
				m.Tell(1, "move")
				begin := time.Now()
				_, err := m.AskLine(1)
				took, want, why := time.Since(begin), time.Duration(seconds)*time.Second, sdk.ErrTimeout
				if n == 0 {
					want, why = 0, nil
				}
				if err != why || took != want {
					t.Errorf("question %d: %v after %v, want %v after %v", n, err, took, why, want)
				}
				m.Pardon(1)
			}
			return nil
		}
		g.Bot = func(b *sdk.Bot) error {
			b.Read()
			b.Write("1")
			b.Read()
			time.Sleep(time.Hour)
			return errors.New("asked too long ago")
		}
		runWithBot(g, &prompt{})
		time.Sleep(2 * time.Hour)
	})
}
