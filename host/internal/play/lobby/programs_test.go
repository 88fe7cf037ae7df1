package lobby

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/protocol"
)

// fakePrograms are programs that join their seats if they can start.
type fakePrograms struct {
	*testLobby
	fail bool
}

func (f *fakePrograms) Play(ctx context.Context, m HostedMatch) {
	f.log.add("programs", "asked for %v, with %d others", m.Seats, m.Others)
	for _, s := range m.Seats {
		if f.fail {
			break
		}
		if err := f.JoinProgram(f.client(s.Player+"'s program"), m.ID, s.Player); err != nil {
			f.log.add("programs", "%v", err)
		}
	}
	<-ctx.Done() // else the lobby does not close
}

// withPrograms runs a test in a lobby with programs.
func withPrograms(t *testing.T, test func(t *testing.T, l *testLobby, programs *fakePrograms)) {
	t.Helper()
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		programs := &fakePrograms{testLobby: l}
		l.SetPrograms(programs)
		test(t, l, programs)
	})
}

// hostedDuel creates a duel of ann and bob, for which the given versions play.
func (l *testLobby) hostedDuel(t *testing.T, changed func(Change), versions ...int) string {
	t.Helper()
	info, err := l.CreateFor(t.Context(), Client{}, protocol.GameNew{Name: "T", Game: "duel"},
		&Seats{Order: []string{"ann", "bob"}, Programs: versions, Within: 15 * time.Second, Changed: changed})
	if err != nil {
		t.Fatal(err)
	}
	return info.ID
}

func TestMatchOfTwoProgramsNeedsNobodyElse(t *testing.T) {
	withPrograms(t, func(t *testing.T, l *testLobby, _ *fakePrograms) {
		l.hostedDuel(t, nil, 3, 1)
		l.expect(t, "programs: asked for [{ann 3} {bob 1}], with 0 others", "ann's program: joined waits [ann]", "ann's program: LobbyUpdate waits [ann]",
			"bob's program: joined waits [ann bob]", "ann's program: LobbyUpdate waits [ann bob]", "bob's program: LobbyUpdate waits [ann bob]",
			"ann's program: LobbyUpdate runs [ann bob]", "bob's program: LobbyUpdate runs [ann bob]", "ann's program: started", "bob's program: started")
		begun := l.recorder.(*fakeRecorder).begun.Load()
		for i, want := range []string{"ann ann 3", "bob bob 1"} {
			s := begun.Seats[i]
			if got := fmt.Sprint(s.Name, " ", s.Player, " ", s.Version); got != want {
				t.Errorf("seat %d: got %q in the record, want %q", i, got, want)
			}
		}
		l.duel.end()
		l.expect(t, "record: T finished", `ann's program: ended false ""`, `bob's program: ended false ""`)
	})
}

func TestProgramsJoinWhenTheOthersHaveCome(t *testing.T) {
	withPrograms(t, func(t *testing.T, l *testLobby, programs *fakePrograms) {
		programs.fail = true
		var c changes
		id := l.hostedDuel(t, c.add, 3, 0)
		time.Sleep(10 * time.Second)
		l.expect(t)
		if _, err := l.joinAs(id, "ann", "ann"); err == nil || err.Error() != fmt.Sprintf("version 3 of the program of ann plays in game %q", id) {
			t.Errorf("a connection of ann: got %v, want it refused", err)
		}
		if _, err := l.joinAs(id, "ann", "bob"); err == nil {
			t.Error("bob with the name ann: got no error, want one")
		}
		if err := l.JoinProgram(unlogged("bob"), id, "bob"); err == nil {
			t.Error("a program of bob: got no error, want one")
		}
		bob := l.mustJoinAs(t, id, "bob", "bob")
		l.expect(t, "programs: asked for [{ann 3}], with 1 others")
		time.Sleep(5 * time.Minute)
		l.expectMatches(t, 1)
		l.Leave(bob, id) // the time for its players is over
		l.expectMatches(t, 0)
		if last := c.lines[len(c.lines)-1]; last != "kept for [ann bob], waits [], gone, absent [bob], because bob did not join in time" {
			t.Errorf("got the last change %q, want that bob is absent", last)
		}
	})
}

func TestMatchWhosePlayersDoNotComeCallsNoProgram(t *testing.T) {
	withPrograms(t, func(t *testing.T, l *testLobby, _ *fakePrograms) {
		var c changes
		l.hostedDuel(t, c.add, 0, 2)
		time.Sleep(16 * time.Second)
		synctest.Wait()
		l.expect(t)
		c.expect(t, "kept for [ann bob], waits [], gone, absent [ann], because ann did not join in time")
	})
}

func TestMatchThatProgramsDoNotJoinHasNobodyAbsent(t *testing.T) {
	withPrograms(t, func(t *testing.T, l *testLobby, programs *fakePrograms) {
		programs.fail = true
		var c changes
		l.hostedDuel(t, c.add, 1, 2)
		time.Sleep(hostedWait - time.Second)
		l.expectMatches(t, 1)
		time.Sleep(2 * time.Second)
		l.expectMatches(t, 0)
		c.expect(t, "kept for [ann bob], waits [], gone, because the host had no time for the programs of this match")
		id := l.hostedDuel(t, c.add, 1, 2)
		if !l.Remove(id, "no resources") {
			t.Error("remove: got false, want true")
		}
		c.expect(t, "kept for [ann bob], waits [], gone, because no resources")
	})
}

func TestSeatsOfProgramsAreChecked(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		create := func(s Seats) error {
			s.Within = time.Minute
			_, err := l.CreateFor(t.Context(), Client{}, protocol.GameNew{Name: "T", Game: "duel"}, &s)
			return err
		}
		if err := create(Seats{Order: []string{"ann", "bob"}, Programs: []int{0, 1}}); !errors.Is(err, ErrNoPrograms) {
			t.Errorf("without programs: got %v, want %v", err, ErrNoPrograms)
		}
		l.SetPrograms(&fakePrograms{testLobby: l})
		for name, s := range map[string]Seats{
			"too few":   {Order: []string{"ann", "bob"}, Programs: []int{1}},
			"negative":  {Order: []string{"ann", "bob"}, Programs: []int{1, -1}},
			"of a bot":  {Order: []string{"ann", ""}, Programs: []int{0, 1}},
			"of a name": {Order: []string{"ann", ""}, Names: []string{"", "bob"}, Programs: []int{0, 1}},
			"no order":  {Players: []string{"ann", "bob"}, Programs: []int{1, 1}},
		} {
			if create(s) == nil {
				t.Errorf("%s: got no error, want one", name)
			}
		}
	})
}
