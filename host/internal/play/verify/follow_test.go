package verify

import (
	"slices"
	"testing"
	"testing/synctest"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/gametest"
	"colosseum/sdk/wire"
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
		to   wire.Text_To
		seat uint32
		want bool
	}{
		{wire.Text_ALL, 0, true}, {wire.Text_SPECTATORS, 1, false},
		{wire.Text_SEAT, 1, true}, {wire.Text_SEAT, 0, false}, {wire.Text_OTHERS, 1, false}, {wire.Text_OTHERS, 0, true},
	}
	for _, tt := range tests {
		var got seatLog
		r := &rerun{seat: 1, follower: &got}
		r.follow(&wire.Text{To: tt.to, Seat: tt.seat, Lines: []byte("x\n")})
		if (len(got) == 1) != tt.want {
			t.Errorf("a text to %v, seat %d: seat 1 got %q, want that it gets it: %v", tt.to, tt.seat, got, tt.want)
		}
	}
}
