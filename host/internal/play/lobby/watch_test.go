package lobby

import (
	"context"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// kept creates a match of a contest.
func kept(t *testing.T, l *testLobby, pairing int) string {
	t.Helper()
	info, err := l.CreateFor(t.Context(), Client{}, protocol.GameNew{Name: "T", Game: "duel"}, &Seats{
		Order: []string{"ann", "bob"}, Within: time.Minute, Fixture: &record.Fixture{Contest: "cup", Pairing: pairing, Leg: 1, Entries: []int{0, 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return info.ID
}

func TestExpectedMatchIsWatched(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		x := Listing{Host: "b", Assigned: true, Info: protocol.MatchInfo{ID: "0123456789abc"}}
		var got []Change
		l.Expect(x, func(c Change) { got = append(got, c) })
		if infos := l.List(); len(infos) != 1 {
			t.Errorf("got the matches %v, want the expected one", infos)
		}
		x.Info.Running = true
		l.SetElsewhere(x)
		l.Expect(Listing{Host: "b", Info: protocol.MatchInfo{ID: x.Info.ID}}, func(c Change) { got = append(got, c) }) // late
		if len(got) != 3 || got[0].Info.Running || !got[1].Info.Running || !got[2].Info.Running {
			t.Errorf("got the changes %+v, want the match waiting, running, and still running", got)
		}
	})
}

func TestMatchOfThisHostCanBeWatched(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := kept(t, l, 0)
		var got []Change
		if !l.Watch(id, func(c Change) { got = append(got, c) }) {
			t.Fatal("the match cannot be watched, want that it can")
		}
		l.Remove(id, "over")
		if len(got) != 2 || got[0].Gone || !got[1].Gone || got[1].Reason != "over" {
			t.Errorf("got the changes %+v, want its state and its end", got)
		}
		if l.Watch(id, func(Change) {}) {
			t.Error("a match that is gone can be watched, want not")
		}
	})
}

func TestPlayingPrefersAMatchThatRuns(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		far := newTestLobby(10)
		defer far.Close(context.Background())
		if _, ok := l.Playing(&record.Fixture{Contest: "cup", Leg: 1}); ok {
			t.Error("got a match of an empty lobby, want none")
		}
		here := kept(t, l, 0)
		kept(t, l, 1)
		if x, ok := l.Playing(&record.Fixture{Contest: "cup", Leg: 1}); !ok || x.Info.ID != here || x.Host != "" {
			t.Errorf("got %+v, want the match here", x)
		}
		x := Listing{Host: "b", Info: protocol.MatchInfo{ID: "0123456789abc", Running: true}, Fixture: &record.Fixture{Contest: "cup", Leg: 1}}
		l.SetElsewhere(x)
		if got, ok := l.Playing(&record.Fixture{Contest: "cup", Leg: 1}); !ok || got.Info.ID != x.Info.ID {
			t.Errorf("got %+v, want the match that runs", got)
		}
		x.Gone = true
		l.SetElsewhere(x)
		if got, ok := l.Playing(&record.Fixture{Contest: "cup", Leg: 1}); !ok || got.Info.ID != here {
			t.Errorf("got %+v, want the match here: the other one is gone", got)
		}
		if got, ok := l.Playing(&record.Fixture{Contest: "cup", Leg: 1, Attempt: 1}); ok {
			t.Errorf("got %+v, want none of another attempt", got)
		}
		if list := l.Listings(); len(list) != 2 {
			t.Errorf("got %d listings, want 2", len(list))
		}
	})
}

func TestFixturesGenerationChangesOnlyWithMatchesOfContests(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		last := l.FixturesGeneration()
		changes := func(when string, want bool) {
			t.Helper()
			now := l.FixturesGeneration()
			if got := now != last; got != want {
				t.Errorf("%s: got changed %v, want %v", when, got, want)
			}
			last = now
		}
		l.Remove(l.create(t, nil), "")
		changes("another match", false)
		id := kept(t, l, 0)
		changes("a match", true)
		l.mustWatch(t, l.client("eve"), id)
		changes("a spectator", false)
		l.Remove(id, "")
		changes("its end", true)
		x := Listing{Host: "b", Info: protocol.MatchInfo{ID: "0123456789abc"}, Fixture: &record.Fixture{Contest: "cup"}}
		l.SetElsewhere(x)
		changes("a match elsewhere", true)
		l.SetElsewhere(x)
		changes("the same again", false)
		x.Gone, x.Fixture = true, nil
		l.SetElsewhere(x)
		changes("its end elsewhere", true)
		l.ForgetElsewhere(x.Info.ID)
		changes("nothing", false)
	})
}
