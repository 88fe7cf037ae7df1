package catalog

import (
	"testing"

	"colosseum/sdk/wire"
)

// A game may show much before its first question, and all of it may come while
// nobody has looked yet.
func TestTrialMissesNoQuestionBehindManyTexts(t *testing.T) {
	at := newTrial()
	for range 1000 {
		at.Frame(&wire.GameFrame{Texts: []*wire.Text{{To: wire.Text_SPECTATORS, Lines: []byte("x\n")}}})
	}
	at.Frame(&wire.GameFrame{Ask: &wire.Ask{Seats: []uint32{0}, Seconds: 1}})
	for {
		select {
		case f := <-at.frames:
			if f.Ask != nil {
				return
			}
		default:
			t.Fatal("the question is lost")
		}
	}
}
