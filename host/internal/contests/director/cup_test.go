package director

import (
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
)

func TestDecisionAfterTheEndOfACupIsShown(t *testing.T) {
	withDirector(t, 2, func(t *testing.T, d *Director, _ *fakeDesk, o contest.Organizer) {
		create(t, o, "format: round-robin\nmatches: 1", 2)
		if _, err := o.Create(t.Context(), []byte("name: sum\nformat: cup\ncup: [cup]\n")); err != nil {
			t.Fatal(err)
		}
		if err := o.Start(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		first := func() string {
			t.Helper()
			v, err := d.View(t.Context(), "sum")
			if err != nil || v.Phase != contest.Ended || len(v.Standings) != 2 {
				t.Fatalf("got %+v, %v, want the table of the cup, which has ended", v, err)
			}
			return v.Standings[0].Name
		}
		_ = first()
		seen := map[string]bool{}
		for _, r := range []contest.Ruling{{Action: contest.Set, Points: []float64{1, 0}}, {Action: contest.Set, Points: []float64{0, 1}}} {
			if err := o.Rule(t.Context(), "cup", 0, 0, r, "x"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			v := view(t, d)
			if got := first(); got != v.Standings[0].Name {
				t.Errorf("got %s on the first place of the cup, want %s", got, v.Standings[0].Name)
			}
			seen[v.Standings[0].Name] = true
		}
		if len(seen) != 2 {
			t.Errorf("got the first places %v, want both players in turn", seen)
		}
	})
}
