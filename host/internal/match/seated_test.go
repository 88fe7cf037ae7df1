package match

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/store"
)

func TestSeatsAreNotDrawnWhenTheyAreFixed(t *testing.T) {
	for seed := range uint64(20) {
		m, order := New(Config{
			Record: store.Record{Seed: seed}, Seated: true, Stream: NewStream(),
			Seats: []Seat{{Name: "A"}, {Name: "B"}, {Name: "C"}},
		})
		if !slices.Equal(order, []int{0, 1, 2}) || m.record.Seats[0].Name != "A" || m.record.Seats[2].Name != "C" {
			t.Fatalf("seed %d: order %v, seats %v", seed, order, m.record.Seats)
		}
	}
}

func TestTimeUsedRunsFromTheWrittenQuestionToTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 0)
		used := map[int][]time.Duration{}
		b.took = func(seat int, d time.Duration) { used[seat] = append(used[seat], d) }
		b.run(t)
		b.line(1, "ahead")
		pass(time.Second)
		b.players[0].jam()
		b.asks(10, 0, 1)
		pass(2 * time.Second)
		b.players[0].release()
		pass(300 * time.Millisecond)
		b.line(0, "x") // asked 2.3 s ago, written 0.3 s ago
		b.asks(10, 0)
		pass(11 * time.Second) // late: no answer, no time
		b.asks(10, 1)
		pass(5 * time.Millisecond)
		b.line(1, "y")
		if want := []time.Duration{300 * time.Millisecond}; !slices.Equal(used[0], want) {
			t.Errorf("seat 0 used %v, want %v", used[0], want)
		}
		if want := []time.Duration{0, 5 * time.Millisecond}; !slices.Equal(used[1], want) {
			t.Errorf("seat 1 used %v, want %v", used[1], want)
		}
	})
}
