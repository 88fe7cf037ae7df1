package lobby

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// feed is a subscriber that keeps what it receives.
type feed struct{ messages []string }

func (f *feed) Feed(message []byte) { f.messages = append(f.messages, string(message)) }

// listElsewhere lists the matches of a lobby in another one.
func listElsewhere(l, other *Lobby) {
	l.Publish(func(x Listing) {
		x.Host = "a"
		other.SetElsewhere(x)
	})
}

func TestLobbyOfAnotherHostShowsTheSameMatches(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		other := newTestLobby(10)
		defer other.Close(context.Background())
		first := l.create(t, nil)
		listElsewhere(l.Lobby, other.Lobby)
		var here, there feed
		l.Subscribe(&here, l.Generation)
		other.Subscribe(&there, other.Generation)
		last := other.Generation()
		same := func(when string) {
			t.Helper()
			if got, want := other.List(), l.List(); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the other host lists %+v, want %+v", when, got, want)
			}
			if !reflect.DeepEqual(here.messages, there.messages) {
				t.Errorf("%s: subscribers of the other host got %q, want %q", when, there.messages, here.messages)
			}
			if now := other.Generation(); now == last {
				t.Errorf("%s: the generation of the other host is %d as before, want another", when, now)
			} else {
				last = now
			}
		}
		id := l.create(t, withBot)
		same("a new match")
		l.mustWatch(t, l.client("eve"), id)
		same("a spectator")
		l.mustJoin(t, l.client("alice"), id)
		same("it began")
		if info, ok := other.Info(id); !ok || !info.Running {
			t.Errorf("got match %+v, known %v, want a running one", info, ok)
		}
		if clocks, running := other.Clocks(id); clocks != nil || running {
			t.Errorf("got clocks %v, running %v, want those of matches of this host only", clocks, running)
		}
		synctest.Wait()
		l.duel.end()
		synctest.Wait()
		same("it ended")
		if x, ok := other.Elsewhere(id); !ok || !x.Gone || x.Host != "a" {
			t.Errorf("got listing %+v, known %v, want one that is gone", x, ok)
		}
		if _, err := other.Match(id); err == nil {
			t.Error("a match that is gone: got no error, want one")
		}
		other.ForgetElsewhere(id)
		other.ForgetElsewhere(first)
		if got := other.AllElsewhere(); len(got) != 0 {
			t.Errorf("got listings %+v, want none", got)
		}
	})
}

func TestMatchOfThisHostIsNotOverwritten(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.create(t, nil)
		before := l.List()
		l.SetElsewhere(Listing{Host: "b", Info: protocol.MatchInfo{ID: id, Name: "another"}})
		l.SetElsewhere(Listing{Host: "b", Info: protocol.MatchInfo{ID: id}, Gone: true})
		if got := l.List(); !reflect.DeepEqual(got, before) {
			t.Errorf("got %+v, want %+v", got, before)
		}
	})
}

func TestWatchedMatchElsewhereReportsItsLastChange(t *testing.T) {
	tests := map[string]struct {
		end  func(l *Lobby, x Listing)
		want Change
	}{
		"absent": {func(l *Lobby, x Listing) {
			x.Gone, x.Absent, x.Reason = true, []string{"ada"}, "ada did not join in time"
			l.SetElsewhere(x)
		}, Change{Gone: true, Absent: []string{"ada"}, Reason: "ada did not join in time"}},
		"forgotten": {func(l *Lobby, x Listing) { l.ForgetElsewhere(x.Info.ID) }, Change{Gone: true}},
		"gone and forgotten": {func(l *Lobby, x Listing) {
			x.Gone = true
			l.SetElsewhere(x)
			l.ForgetElsewhere(x.Info.ID)
		}, Change{Gone: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			inLobby(t, 10, func(t *testing.T, l *testLobby) {
				x := Listing{Host: "b", Info: protocol.MatchInfo{ID: "0123456789abc"}, Fixture: &record.Fixture{Contest: "cup", Pairing: 3, Leg: 1}}
				var got []Change
				watch := func(c Change) { got = append(got, c) }
				if l.Watch(x.Info.ID, watch) {
					t.Error("an unknown match can be watched, want not")
				}
				l.SetElsewhere(x)
				if list := l.Fixtures("cup"); list[x.Info.ID].Pairing != 3 || len(list) != 1 {
					t.Errorf("got fixtures %v, want the match", list)
				}
				if !l.Watch(x.Info.ID, watch) {
					t.Error("the match cannot be watched, want that it can")
				}
				x.Info.Running = true
				l.SetElsewhere(x)
				tt.end(l.Lobby, x)
				tt.want.Info = x.Info
				want := []Change{{Info: protocol.MatchInfo{ID: x.Info.ID}}, {Info: x.Info}, tt.want}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("got changes %+v, want %+v", got, want)
				}
				if ids := l.Fixtures("cup"); len(ids) != 0 {
					t.Errorf("got fixtures %v, want none", ids)
				}
			})
		})
	}
}
