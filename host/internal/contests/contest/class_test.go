package contest

import (
	"fmt"
	"strings"
	"testing"

	"colosseum/host/internal/records/store"
)

// TestPupilsAreFoundByTheirPlayer: an entry can have another name in the contest, and a player
// another one than when the contest ended.
func TestPupilsAreFoundByTheirPlayer(t *testing.T) {
	pupils := map[string]Pupil{"ana": {"Ana Žák", "4b"}, "rob": {"Bob Hill", "4c"}, "zoe": {"Somebody Else", "9z"}}
	check := func(v *View, want ...string) {
		t.Helper()
		csv := string(v.PrivateCSV(pupils))
		for _, text := range want {
			if !strings.Contains(csv, text) {
				t.Errorf("got\n%s, want %q", csv, text)
			}
		}
		if strings.Contains(csv, "Else") {
			t.Errorf("got\n%s, want nothing of a player that is not in it", csv)
		}
	}
	g := newGame(t, "format: round-robin")
	g.must(g.Rename(t.Context(), "cup", "ana", "zoe", "her wish"))
	g.play()
	g.pair()
	s := g.state()
	if s.Phase != Ended {
		t.Fatalf("got the contest %s, want it ended", s.Phase)
	}
	e := newEvent(Rename, eventData{Numbers: []int{1}, Players: []string{"bob", "rob"}})
	e.Number = s.Last() + 1
	g.must(s.Apply(e))
	v, err := s.View(nil)
	g.must(err)
	check(v, ",zoe,Ana Žák,4b,", ",bob,Bob Hill,4c,", ",eve,,,")

	s, err = NewState(store.Contest{Name: "cup", Spec: "name: cup\ngame: duel\nformat: round-robin\nteams: {size: 2}\nentries: open\n"})
	g.must(err)
	e = newEvent(Enter, eventData{Entries: []Entry{{Name: "reds", Team: &Team{Players: []string{"Ana", "kim", "rob"}}}, {Name: "blues", Team: &Team{Players: []string{"eve", "tea"}}}}})
	e.Number = 1
	g.must(s.Apply(e))
	v, err = s.View(nil)
	g.must(err)
	check(v, ",reds,,,,", ",reds,Ana,Ana Žák,4b,", ",reds,kim,,,", ",reds,rob,Bob Hill,4c,", ",blues,eve,,,")
	if got := fmt.Sprint(v.Pupils(pupils)); got != "[{Ana {Ana Žák 4b}} {rob {Bob Hill 4c}}]" {
		t.Errorf("got %s, want the members of whom something is known", got)
	}
}
