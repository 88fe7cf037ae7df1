package contest

import (
	"slices"
	"testing"
)

func TestPupilsAreThoseOfThePlayersBehindTheEntries(t *testing.T) {
	v := &View{
		Entries: []EntryView{
			{Name: "Robert", Player: "Bob"}, // renamed by an organizer
			{Name: "reds", Team: &Team{Players: []string{"Ana", "cid", "dan", "eve"}, Invited: []string{"eve"}}},
			{Name: "cid"},
		},
		Standings: []Row{{Name: "reds"}, {Name: "cid"}, {Name: "Robert"}},
	}
	got := v.Pupils(map[string]Pupil{"ana": {"Ana Žák", "4b"}, "bob": {"Bob Hill", "4b"}, "dan": {"Dan Ito", "4c"}, "eve": {"Eve Li", "4d"}, "reds": {"Nobody", "x"}})
	if want := []Pupil{{"Ana Žák, Dan Ito", "4b, 4c"}, {}, {"Bob Hill", "4b"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
