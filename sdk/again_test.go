package sdk_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// obedient answers each question of one seat with a.
type obedient struct{}

func (obedient) Send(*driver.Frame) bool        { return true }
func (obedient) Wait() ([]driver.Answer, bool)  { return []driver.Answer{{Line: "a"}}, true }
func (obedient) Pause(pause time.Duration) bool { return true }

func TestSecondRunWhoseTimeEndsBeforeThePlaceOfTheFailureHasAnError(t *testing.T) {
	for _, tt := range []struct {
		name  string
		asks  int // of the second run until its time ends; 2 of the first until it fails
		fails bool
	}{{"before", 1, true}, {"at it", 2, false}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				play := func(asks int, end func() error) func(m *sdk.Match) error {
					return func(m *sdk.Match) error {
						for range asks {
							if _, err := m.AskLine(0); err != nil {
								t.Errorf("got error %v, want none", err)
							}
						}
						return end()
					}
				}
				g := sdk.Game{Name: "x", Title: "X", MinPlayers: 1, MaxPlayers: 1, Timeout: 10, Play: play(2, func() error { return errors.New("failed") })}
				second := g
				var got error
				driver.Of(&g).OnFailure(func(ctx context.Context, why error, again func(driver.Game, func()) error) error {
					second.Play = play(tt.asks, func() error {
						<-ctx.Done()
						runtime.Goexit() // as the interpreter does
						return nil
					})
					got = again(driver.Of(&second), func() {})
					return why
				})
				driver.Of(&g).Run(&driver.Setup{Settings: driver.Settings{Players: 1, Timeout: 10}, Names: []string{"a"}}, obedient{})
				if (got != nil) != tt.fails {
					t.Errorf("got error %v of the second run, want one: %v", got, tt.fails)
				}
			})
		})
	}
}

func TestBotThatHasReadTooMuchIsNotRunAgain(t *testing.T) {
	const lines = 100
	for _, tt := range []struct {
		name string
		size int // of a line
		want int // lines of the second run
	}{{"little", 1 << 10, lines}, {"too much", 4 << 10, 0}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // fails when a goroutine is left
				bot := func(read *int) func(b *sdk.Bot) error {
					return func(b *sdk.Bot) error {
						for range lines {
							b.Read()
							b.Thinking()
							*read++
						}
						return errors.New("failed")
					}
				}
				first, again := 0, 0
				g := sdk.Game{Name: "x", Bot: bot(&first), Play: func(m *sdk.Match) error {
					for range lines {
						m.TellAll(strings.Repeat("x", tt.size))
					}
					_, err := m.AskLine(0)
					if err != sdk.ErrDisconnected {
						t.Errorf("got error %v, want that the bot has ended", err)
					}
					return nil
				}}
				second := g
				second.Bot = bot(&again)
				driver.Of(&g).OnFailure(func(_ context.Context, why error, again func(driver.Game, func()) error) error {
					_ = again(driver.Of(&second), func() {})
					return why
				})
				driver.Of(&g).Run(&driver.Setup{Settings: driver.Settings{Players: 1, Bots: 1, Timeout: 10}, Names: []string{"a"}, Bots: []bool{true}}, obedient{})
				if first != lines || again != tt.want {
					t.Errorf("the bot read %d lines, and in a second run %d, want %d and %d", first, again, lines, tt.want)
				}
			})
		})
	}
}
