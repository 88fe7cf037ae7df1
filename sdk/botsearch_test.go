package sdk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"colosseum/sdk"
)

func TestSearchOfAFixedSizeIsEndedByTimeAloneAtHalfOfIt(t *testing.T) {
	var searched []string
	_, got := askBot(t, 0, testMatch{
		timeout: 10, think: 0.25,
		play: func(m *sdk.Match) error {
			for range 3 {
				m.TellAll("go")
				if _, err := m.AskLine(1); err != nil {
					t.Errorf("got error %v, want none", err)
				}
			}
			return nil
		},
		bot: func(b *sdk.Bot) error {
			for _, size := range []int{4000, 9000, 9000} { // in ms, more than the parameter think
				b.Read()
				n := 0
				for n < size && b.Searching() {
					n++
					<-time.After(time.Millisecond)
				}
				searched = append(searched, fmt.Sprint(n))
				b.Note(fmt.Sprint("size ", size))
				b.Write("0")
			}
			return nil
		},
	})
	if want := "4000 5000 5000"; strings.Join(searched, " ") != want {
		t.Errorf("got searches of %v ms, want %s", searched, want)
	}
	var notes []string
	for _, a := range got.botAnswers() {
		notes = append(notes, a.Note)
	}
	if want := "size 4000|size 9000; the time ended the search|size 9000; the time ended the search"; strings.Join(notes, "|") != want {
		t.Errorf("got notes %q, want %s", notes, want)
	}
	if log := got.log.String(); strings.Count(log, "weaker than its level") != 1 {
		t.Errorf("got log %q, want one line that the bot is weaker than its level", log)
	}
}

func TestSearchOfAFixedSizeHasNoLimitInTests(t *testing.T) {
	n := 0
	askBot(t, 0, testMatch{
		thoughts: 3,
		play: func(m *sdk.Match) error {
			m.TellAll("go")
			m.AskLine(1)
			return nil
		},
		bot: func(b *sdk.Bot) error {
			b.Read()
			for n < 1000 && b.Searching() {
				n++
			}
			b.Write("0")
			return nil
		},
	})
	if n != 1000 {
		t.Errorf("it searched %d times, want 1000", n)
	}
}
