package lobby

import (
	"slices"
	"testing"
	"testing/synctest"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk"
)

// botsAlone returns a request for a match of bots.
func botsAlone(levels ...string) protocol.GameNew {
	return protocol.GameNew{Name: "T", Game: "solo", Params: protocol.GameParams{Players: new(2), Bots: 2, Levels: levels}}
}

// withBotMatches lets a lobby have matches of bots alone, with levels.
func (l *testLobby) withBotMatches(n int) {
	limits := l.limits
	limits.BotMatches = n
	l.SetLimits(limits)
	l.games.(fakeCatalog)["solo"].Params = []sdk.Param{sdk.Choice("bot", "level", "strong", "easy", "random")}
}

func TestMatchOfBotsAloneBeginsAtOnce(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.withBotMatches(1)
		info, err := l.CreateFor(t.Context(), Client{Address: "a"}, botsAlone(), nil)
		if err != nil || !info.Running {
			t.Fatalf("got %+v, %v, want a running match", info, err)
		}
		bob := l.client("bob")
		l.mustWatch(t, bob, info.ID)
		if _, err := l.Create(t.Context(), Client{}, botsAlone()); err != errBotMatches {
			t.Errorf("a second one: got %v, want %v", err, errBotMatches)
		}
		if n := l.Stats().Refused[LimitBotMatches]; n != 1 {
			t.Errorf("%d refusals were counted, want 1", n)
		}
		synctest.Wait() // the game has it
		contest := &Seats{Order: []string{"", ""}, Fixture: &record.Fixture{Contest: "cup", Entries: []int{0, 1}}}
		if _, err := l.CreateFor(t.Context(), Client{}, botsAlone("easy", "strong"), contest); err != nil {
			t.Errorf("one of a contest: %v, want none", err)
		}
		synctest.Wait()
		l.solo.end()
		synctest.Wait()
		if _, err := l.Create(t.Context(), Client{}, botsAlone()); err != errBotMatches {
			t.Errorf("after the end of that of a contest: got %v, want %v", err, errBotMatches)
		}
	})
}

func TestEndedMatchOfBotsMakesRoom(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.withBotMatches(1)
		for range 3 {
			if _, err := l.Create(t.Context(), Client{}, botsAlone()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			l.solo.end()
			synctest.Wait()
		}
	})
}

func TestBotsAloneAreNotFound(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.withBotMatches(1)
		if err := l.Find(t.Context(), l.client("ann"), Client{}, protocol.LobbyFindMatch{New: botsAlone(), Name: "ann"}, nil); err != errAllBots {
			t.Errorf("got %v, want %v", err, errAllBots)
		}
	})
}

func TestEachBotHasTheLevelOfTheRequest(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.withBotMatches(1)
		r := botsAlone("easy", "", "random")
		r.Params.Players, r.Params.Bots = new(3), 3
		info, err := l.CreateFor(t.Context(), Client{}, r, &Seats{Order: []string{"", "", ""}})
		if err != nil || !slices.Equal(info.Levels, r.Params.Levels) {
			t.Fatalf("got %+v, %v, want the levels of the request", info, err)
		}
		synctest.Wait()
		if got := l.solo.setup.Levels; !slices.Equal(got, r.Params.Levels) {
			t.Errorf("the game got the levels %q, want %q", got, r.Params.Levels)
		}
		rec := ended(record.Seat{Name: "ServerBot$0", Bot: true, Level: "easy"}, record.Seat{Name: "ann"}, record.Seat{Name: "ServerBot$1", Bot: true})
		rec.Game, rec.Clock, rec.Args = "solo", nil, nil
		info, err = l.Rematch(t.Context(), Client{}, protocol.GameNew{Game: "solo"}, rec)
		if want := []string{"", "easy"}; err != nil || !slices.Equal(info.Levels, want) {
			t.Errorf("got the rematch %+v, %v, want the levels %q", info, err, want)
		}
	})
}

func TestFindComparesLevels(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.withBotMatches(0)
		for name, level := range map[string]string{"ann": "easy", "bob": "random"} {
			r := botsAlone(level)
			r.Params.Players = new(3)
			r.Params.Bots = 1
			if err := l.Find(t.Context(), l.client(name), Client{}, protocol.LobbyFindMatch{New: r, Name: name}, nil); err != nil {
				t.Fatal(err)
			}
		}
		l.expectMatches(t, 2)
	})
}

func TestLevelsAreChecked(t *testing.T) {
	inLobby(t, 10, func(t *testing.T, l *testLobby) {
		l.withBotMatches(1)
		for want, r := range map[string]protocol.GameNew{
			"Cannot create game: more levels (3) than bots (2)":                                botsAlone("easy", "easy", "easy"),
			`Cannot create game: Invalid level: bot="weak" is not one of strong, easy, random`: botsAlone("easy", "weak"),
			`Cannot create game: the bots of duel have no levels, so none is "easy"`:           {Name: "T", Game: "duel", Params: protocol.GameParams{Bots: 1, Levels: []string{"easy"}}},
		} {
			if id, err := l.Create(t.Context(), Client{}, r); err == nil || err.Error() != want {
				t.Errorf("got %q, %v, want %s", id, err, want)
			}
		}
	})
}
