package series

import (
	"slices"
	"strings"
	"testing"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// between returns a match of the entrants 0 and 1 with the given ranks. Rank 0 is a
// forfeit.
func between(seed uint64, rotation, first, second int) *Played {
	p := &Played{PlannedMatch: PlannedMatch{Seed: seed, Rotation: rotation, Seating: seating([]int{0, 1}, rotation)}, State: record.Finished, Answers: [32]byte{1}}
	ranks := []int{first, second}
	for _, entrant := range p.Seating {
		s := SeatResult{Entrant: entrant, Seat: record.Seat{Rank: ranks[entrant], Ended: driver.EndedFinished}}
		if s.Rank == 0 {
			s.Rank, s.Ended = 2, driver.ForfeitTimeout
		}
		p.Seats = append(p.Seats, s)
	}
	return p
}

func TestSamplesAreMeansOfASeedInTheOrderOfSeeds(t *testing.T) {
	s := Samples{First: 7}
	aborted := between(9, 1, 1, 2)
	aborted.State = record.Aborted
	tests := []struct {
		name   string
		played *Played
		want   []float64
	}{
		{"one of two matches", between(7, 0, 1, 2), nil},
		{"a later seed", between(8, 0, 2, 1), nil},
		{"a later seed again", between(8, 1, 0, 1), nil},
		{"the first seed", between(7, 1, 1, 1), []float64{0.75, 0}},
		{"half of an aborted seed", between(9, 0, 1, 2), []float64{0.75, 0}},
		{"an aborted seed", aborted, []float64{0.75, 0}},
		{"a forfeit of the other", between(10, 0, 2, 0), []float64{0.75, 0}},
		{"two forfeits", between(10, 1, 0, 0), []float64{0.75, 0, 0.75}},
	}
	for _, tt := range tests {
		if got := s.Add(tt.played); !slices.Equal(got, tt.want) {
			t.Errorf("after %s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestMatchesThatRepeatAnotherOneAreCounted(t *testing.T) {
	other := between(8, 0, 1, 2)
	other.Answers = [32]byte{2}
	forfeit := between(8, 0, 0, 1)
	tests := []struct {
		name   string
		played []Played
		want   string
	}{
		{"the same answers", []Played{*between(7, 0, 1, 2), *between(8, 0, 1, 2), *between(9, 0, 1, 2)}, "alice, bob: 2 of 3 matches repeat"},
		{"two of five", []Played{*between(7, 0, 1, 2), *between(8, 0, 1, 2), *between(9, 0, 1, 2), *other, *between(7, 1, 1, 2)}, ""},
		{"other answers", []Played{*between(7, 0, 1, 2), *other}, ""},
		{"another seating", []Played{*between(7, 0, 1, 2), *between(7, 1, 1, 2)}, ""},
		{"forfeits", []Played{*forfeit, *forfeit}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := NewReport(Config{Entrants: []Entrant{{Name: "alice"}, {Name: "bob"}}}, tt.played)
			if got := r.Repeats(); !strings.HasPrefix(got, tt.want) || got == "" != (tt.want == "") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
