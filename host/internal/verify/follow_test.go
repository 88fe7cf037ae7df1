package verify

import (
	"slices"
	"testing"
	"testing/synctest"

	"colosseum/host/internal/record"
	"colosseum/sdk/gametest"
)

// seatLog is a Follower.
type seatLog []string

func (l *seatLog) Received(text []byte) { *l = append(*l, "< "+string(text)) }
func (l *seatLog) Answered(a record.Answer) {
	*l = append(*l, "> "+a.Line+string(a.Outcome))
}

func TestFollowerGetsWhatItsSeatReceived(t *testing.T) {
	synctest.Test(t, followSeats)
}

func followSeats(t *testing.T) {
	rec := recorded(t, "end", script("heads", "one", "heads", "two", "tails"), gametest.Then(gametest.Late, "tails", "heads"))
	for seat, want := range [][]string{
		{"> heads", "< tails\n", "> one", "> heads", "< heads\n", "> two", "> tails"},
		{"> tails", "< heads\n", "> heads", "< heads\n", "> timeout", "< tails\n"},
	} {
		var got seatLog
		r, err := Follow(t.Context(), fakeGame{game: &guess}, rec, stall, seat, &got)
		if err != nil || len(r.Differences) > 0 {
			t.Fatalf("got %+v, %v, want no difference", r, err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("seat %d: got %q, want %q", seat, got, want)
		}
	}
}
