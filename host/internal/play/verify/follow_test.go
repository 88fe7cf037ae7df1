package verify

import (
	"slices"
	"testing"
	"testing/synctest"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
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

func TestFollowerGetsTheTextsForItsSeat(t *testing.T) {
	tests := []struct {
		to   driver.Audience
		seat int
		want bool
	}{
		{driver.ToAll, 0, true}, {driver.ToSpectators, 1, false},
		{driver.ToSeat, 1, true}, {driver.ToSeat, 0, false}, {driver.ToOthers, 1, false}, {driver.ToOthers, 0, true},
	}
	for _, tt := range tests {
		var got seatLog
		r := &rerun{seat: 1, follower: &got}
		r.follow(driver.Text{To: tt.to, Seat: tt.seat, Lines: []byte("x\n")})
		if (len(got) == 1) != tt.want {
			t.Errorf("a text to %v, seat %d: seat 1 got %q, want that it gets it: %v", tt.to, tt.seat, got, tt.want)
		}
	}
}
