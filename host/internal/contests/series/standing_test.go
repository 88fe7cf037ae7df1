package series

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

func TestIntervalIsWilsons(t *testing.T) {
	tests := []struct {
		name      string
		rate      float64
		n         int
		low, high float64
	}{
		{"nothing known", 0, 0, 0, 1},
		{"one win", 1, 1, 0.2065493, 1},
		{"no win in ten", 0, 10, 0, 0.2775328},
		{"ten of ten", 1, 10, 0.7224672, 1},
		{"eight of ten", 0.8, 10, 0.4901625, 0.9433178},
		{"half of a hundred", 0.5, 100, 0.4038315, 0.5961685},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			low, high := wilson(tt.rate, tt.n)
			if math.Abs(low-tt.low) > 1e-7 || math.Abs(high-tt.high) > 1e-7 {
				t.Errorf("from %.7f to %.7f, want from %.7f to %.7f", low, high, tt.low, tt.high)
			}
			// By its definition each end is as far from the rate as 95 % allow.
			for _, p := range []float64{low, high} {
				off, allowed := math.Abs(p-tt.rate), 1.959964*math.Sqrt(p*(1-p)/float64(tt.n))
				if p > 0 && p < 1 && math.Abs(off-allowed) > 1e-6 {
					t.Errorf("%.7f is %.7f from the rate, want %.7f", p, off, allowed)
				}
			}
		})
	}
}

func TestQuantileIsOneOfTheValues(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	tests := []struct {
		name   string
		values []time.Duration
		share  float64
		want   time.Duration
	}{
		{"none", nil, 0.5, 0},
		{"one", []time.Duration{7}, 0.99, 7},
		{"median of two", []time.Duration{1, 9}, 0.5, 1},
		{"p50", hundred, 0.5, 50},
		{"p99", hundred, 0.99, 99},
		{"max", hundred, 1, 100},
		{"min", hundred, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := quantile(tt.values, tt.share); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestStandingsCountWinsDrawsAndLosses(t *testing.T) {
	seat := func(entrant int, score float64, rank int, ended driver.Ended) SeatResult {
		return SeatResult{Entrant: entrant, Seat: record.Seat{Score: score, Rank: rank, Ended: ended}, Used: []record.Spent{{Wall: 100}, {Wall: time.Duration(10 - rank)}, {Wall: 5}}}
	}
	match := func(state record.State, seats ...SeatResult) Played { return Played{State: state, Seats: seats} }
	played := []Played{
		match(record.Finished, seat(0, 3, 1, "finished"), seat(1, 1, 2, "finished")),
		match(record.Finished, seat(1, 2, 1, "finished"), seat(0, 2, 1, "finished")),
		match(record.Finished, seat(0, 9, 2, "forfeit: illegal"), seat(1, 0, 1, "finished")),
		match(record.Finished, seat(1, 0, 1, "forfeit: timeout"), seat(0, 0, 1, "forfeit: disconnected")), // no winner
		match(record.Aborted, seat(0, 0, 0, "aborted"), seat(1, 0, 0, "aborted")),
	}
	got := standings(2, played)
	want := []Standing{
		{Matches: 4, Wins: 1, Draws: 1, Losses: 2, Points: 14, Forfeits: map[string]int{"illegal": 1, "disconnected": 1}, First: []time.Duration{100, 100, 100, 100}, Used: []time.Duration{5, 5, 5, 5, 8, 9, 9, 9}},
		{Matches: 4, Wins: 1, Draws: 1, Losses: 2, Points: 3, Forfeits: map[string]int{"timeout": 1}, First: []time.Duration{100, 100, 100, 100}, Used: []time.Duration{5, 5, 5, 5, 8, 9, 9, 9}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("standings %+v\nwant %+v", got, want)
	}
	together := func(team int, s SeatResult) SeatResult { s.Team = team; return s }
	got = standings(4, []Played{
		match(record.Finished, together(1, seat(0, 5, 1, "finished")), together(2, seat(1, 9, 3, "finished")), together(1, seat(2, 6, 1, "finished")), together(2, seat(3, 1, 3, "finished"))),
		match(record.Finished, together(1, seat(0, 5, 1, "finished")), together(1, seat(1, 4, 1, "forfeit: timeout")), seat(2, 6, 3, "finished"), seat(3, 1, 4, "finished")),
		match(record.Finished, together(1, seat(0, 5, 1, "finished")), together(1, seat(1, 0, 1, "finished")), seat(2, 5, 1, "finished"), seat(3, 1, 4, "finished")),
	})
	var counts [][3]int
	for _, s := range got {
		counts = append(counts, [3]int{s.Wins, s.Draws, s.Losses})
	}
	if want := [][3]int{{2, 1, 0}, {0, 1, 2}, {1, 1, 1}, {0, 0, 3}}; !reflect.DeepEqual(counts, want) {
		t.Errorf("with teams: got wins, draws and losses %v, want %v", counts, want)
	}
	if rate := standings(2, played)[0].Rate(); rate != 0.375 {
		t.Errorf("rate %v, want 0.375", rate)
	}
}

func TestProgramThatIsNearlyTooLateIsNamed(t *testing.T) {
	const limit = time.Second
	times := func(n int, cpu, wall time.Duration) (list []record.Spent) {
		list = []record.Spent{{Wall: time.Hour, CPU: time.Hour, Counted: true}} // the start has a time of its own
		for range n {
			list = append(list, record.Spent{Wall: wall, CPU: cpu, Counted: true})
		}
		return list
	}
	for _, tt := range []struct {
		name string
		used []record.Spent
		wall bool
		want bool
	}{
		{"slow", times(5, 900*time.Millisecond, 2*time.Second), false, true},
		{"fast on a busy machine", times(5, 100*time.Millisecond, 2*time.Second), false, false},
		{"the same by the clock on the wall", times(5, 100*time.Millisecond, 2*time.Second), true, true},
		{"rarely slow", append(times(19, 0, 0), times(1, limit, limit)[1:]...), false, false},
		{"one answer", times(0, 0, 0), false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f faults
			f.addTimes("A", tt.used, limit, tt.wall)
			if got := strings.HasPrefix(f.String(), "A used more than 80 % of its time for "); got != tt.want {
				t.Errorf("got %q, want a warning: %t", f.String(), tt.want)
			}
		})
	}
}
