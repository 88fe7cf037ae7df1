package sdk_test

import (
	"testing"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// waker answers a referee each millisecond.
type waker struct{ left int }

func (w *waker) Send(*driver.Frame) bool { return w.left > 0 }

func (w *waker) Wait() ([]driver.Answer, bool) {
	time.Sleep(time.Millisecond)
	w.left--
	return []driver.Answer{{Seat: 0, Line: "0", Outcome: driver.Answered}}, true
}

func (w *waker) Pause(time.Duration) bool { return true }

// silent is the driver of a match whose bots think.
type silent struct{}

func (silent) Send(*driver.Frame) bool       { return true }
func (silent) Wait() ([]driver.Answer, bool) { select {} }
func (silent) Pause(time.Duration) bool      { return true }

// BenchmarkThinkingBots measures the turns of a referee, which has to wait for 1 ms for each
// answer, while the bots of eight other matches search.
func BenchmarkThinkingBots(b *testing.B) {
	bots := sdk.Game{Name: "search", Play: func(m *sdk.Match) error {
		for {
			m.Ask(0, digits)
		}
	}, Bot: func(b *sdk.Bot) error {
		x := 0
		for {
			for b.Thinking() {
				for i := range 20000 {
					x += i
				}
			}
			b.Write("0")
			_ = x
		}
	}}
	for range 8 {
		go driver.Of(&bots).Run(&driver.Setup{Settings: driver.Settings{Players: 1, Bots: 1, Timeout: 10}, Names: []string{"a"}, Bots: []bool{true}}, silent{})
	}
	game := sdk.Game{Name: "questions", Play: func(m *sdk.Match) error {
		for {
			if _, err := m.Ask(0, digits); err != nil {
				return err
			}
		}
	}}
	w := &waker{left: b.N}
	done := make(chan struct{})
	go func() { // Run ends its goroutine
		defer close(done)
		driver.Of(&game).Run(&driver.Setup{Settings: driver.Settings{Players: 1, Timeout: 10}, Names: []string{"a"}}, w)
	}()
	<-done
}
