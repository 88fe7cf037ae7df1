package lobby

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

func TestPlayersGetMessagesInTheOrderOfTheProtocol(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.create(t, nil)
		alice, bob := l.client("alice"), l.client("bob")
		l.mustJoin(t, alice, id)
		l.expect(t, "alice: joined waits [alice]", "alice: LobbyUpdate waits [alice]")
		l.mustJoin(t, bob, id)
		l.expect(t,
			"bob: joined waits [alice bob]",
			"alice: LobbyUpdate waits [alice bob]", "bob: LobbyUpdate waits [alice bob]",
			"alice: LobbyUpdate runs [alice bob]", "bob: LobbyUpdate runs [alice bob]",
			"alice: started", "bob: started")
		if alice.match == nil || alice.match != bob.match || alice.seat+bob.seat != 1 {
			t.Errorf("alice has seat %d and bob %d, want 0 and 1 of the same match", alice.seat, bob.seat)
		}
		if info := l.List()[0]; !info.Running || info.Time != time.Now().Unix() {
			t.Errorf("the lobby has %+v, want it running since now", info)
		}
		l.duel.end()
		synctest.Wait()
		got, want := l.log.take(), []string{"record: T finished", `alice: ended false ""`, `bob: ended false ""`}
		slices.Sort(got[1:]) // they come in the order of the seats, which is random
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		l.expectMatches(t, 0)
	})
}

func TestMatchCommitsToItsSeedWhenItBegins(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		seed := uint64(7) // as in contests
		for _, seats := range []*Seats{nil, {Order: []string{"ann", ""}, Seed: &seed, Within: time.Minute}, {Order: []string{"ann", ""}, Seed: &seed, Within: time.Minute}} {
			info, err := l.CreateFor(t.Context(), Client{}, protocol.GameNew{Name: "T", Game: "duel", Params: protocol.GameParams{Bots: 1}}, seats)
			if err != nil {
				t.Fatal(err)
			}
			if info.Commitment != "" {
				t.Errorf("got the commitment %s of a waiting match, want none", info.Commitment)
			}
			l.mustJoinAs(t, info.ID, "alice", "ann")
			synctest.Wait()
			info, _ = l.Info(info.ID)
			rec := l.recorder.(*fakeRecorder).begun.Load()
			if want := record.Commitment(rec.Salt, rec.Seed); info.Commitment != want || len(rec.Salt) != 16 {
				t.Errorf("got the commitment %q, want %s, of the salt %x and the seed %d", info.Commitment, want, rec.Salt, rec.Seed)
			}
			if seats != nil && rec.Seed != seed {
				t.Errorf("got the seed %d, want %d", rec.Seed, seed)
			}
		}
		commitments := map[string]bool{}
		for _, info := range l.List() {
			commitments[info.Commitment] = true
		}
		if len(commitments) != 3 {
			t.Errorf("got the commitments %v, want another one for each match", commitments)
		}
	})
}

func TestBotsFillTheLastSeats(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		id := l.create(t, withBot)
		alice := l.client("alice")
		l.mustJoin(t, alice, id)
		l.expect(t, "alice: joined waits [alice]", "alice: LobbyUpdate waits [alice]", "alice: LobbyUpdate runs [alice]", "alice: started")
		names, bots, me := l.duel.setup.Names, l.duel.setup.Bots, alice.seat
		if names[me] != "alice" || bots[me] || names[1-me] != "ServerBot$0" || !bots[1-me] {
			t.Errorf("the seats are %v, bots %v, want alice and the bot ServerBot$0", names, bots)
		}
	})
}

func TestMatchLeavesTheLobbyBeforeItsPlayersLearnOfItsEnd(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		feed := l.client("feed")
		l.Subscribe(feed, l.Generation)
		id := l.create(t, withBot)
		l.mustJoin(t, l.client("alice"), id)
		synctest.Wait()
		l.log.take()
		l.duel.end()
		l.expect(t, "record: T finished", "feed: LobbyDelete", `alice: ended false ""`)
	})
}
