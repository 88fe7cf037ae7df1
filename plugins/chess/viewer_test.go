package main

import (
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// special are positions in which a match soon has every kind of move.
var special = []string{
	"",
	"r3k2r/ppp1qppp/8/3pP3/8/8/PPP1QPPP/R3K2R w KQkq d6 0 1",
	"8/PPP2k2/8/8/8/8/2K2ppp/8 b - - 0 40",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
}

// short gives up after some questions, because random matches are long.
func short(p gametest.Player, questions int) gametest.Player {
	return func(q gametest.Question) (string, error) {
		if q.Number == questions {
			return "RETIRE", nil
		}
		return p(q)
	}
}

func TestViewerFixtureHoldsTheLegalMoves(t *testing.T) {
	var recordings []gamefixture.Recording
	for seed, start := range special {
		seat := seed % 2
		r := gamefixture.Recording{Params: map[string]string{"start": start, "draws": "automatic"}}
		players := []gametest.Player{short(gametest.Random(uint64(seed)), 12), short(gametest.Random(uint64(seed)+100), 12)}
		players[seat] = r.Player(players[seat])
		r.Stream = gametest.MustPlay(t, gametest.Match{Game: &game, Players: players, Args: r.Params}).Seats[seat]
		recordings = append(recordings, r)
	}
	gamefixture.CheckRecordings(t, recordings)
}

func TestViewerSaysWhyTheMatchEnded(t *testing.T) {
	t.Parallel()
	var shown []gamefixture.Shown
	ends := map[string]int{}
	names := [2]string{"Player0", "Player1"}
	show := func(got *gametest.Transcript, params map[string]string) {
		why := ""
		switch reason := got.Result.Reason; {
		case reason == "checkmate", reason == "draw by agreement":
			why = reason
		case strings.HasSuffix(reason, "stalemate"):
			why = "stalemate"
		case strings.HasSuffix(reason, "times"):
			why = "repetition of the position"
		case strings.Contains(reason, "neither side"):
			why = "too few pieces for a checkmate"
		case strings.Contains(reason, "50 moves"):
			why = "50 moves without a capture or a pawn's move"
		case strings.Contains(reason, "75 moves"):
			why = "75 moves without a capture or a pawn's move"
		}
		kind := why
		s := gamefixture.Show(got, names, params, why)
		for seat, r := range got.Result.Seats {
			switch r.Ended {
			case driver.EndedFinished:
			case driver.ForfeitIllegal, driver.ForfeitDisconnected:
				kind = "illegal"
			default: // it receives the winner
				kind = string(r.Ended)
				s.Ends[seat] = names[seat] + " forfeited"
			}
		}
		ends[kind]++
		s.Drawn = ends[kind] == 1
		shown = append(shown, s)
	}
	for seed := range uint64(16) {
		params := map[string]string{"start": special[seed%4], "draws": "automatic"}
		player := gametest.Random
		if seed > 7 {
			player = gametest.Unruly
		}
		show(gametest.MustPlay(t, gametest.Match{Game: &game, Args: params, Players: []gametest.Player{short(player(seed), 20), short(player(seed+100), 21)}, Seed: seed}), params)
	}
	lonely := "8/8/4k3/8/8/8/8/R3K3 w - - 0 1"
	for _, tt := range []struct {
		start, draws string
		moves        []string
	}{
		{"", "automatic", []string{"f2 f3", "e7 e5", "g2 g4", "d8 h4"}},
		{"7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "automatic", []string{"f2 f7"}},
		{"", "automatic", shuffled(4, "g1 f3", "g8 f6", "f3 g1", "f6 g8")},
		{"8/8/4k3/8/8/8/3p4/4K3 w - - 0 1", "automatic", []string{"e1 d2"}},
		{lonely, "automatic", tour(t, lonely, 100)},
		{lonely, "claimed", tour(t, lonely, 150)},
		{lonely, "claimed", append(tour(t, lonely, 100), "DRAW")},
		{"", "claimed", []string{"DRAW", "DRAW"}},
		{"", "automatic", []string{"e2 e4", "DRAW", "NO", "RETIRE"}},
	} {
		params := map[string]string{"start": tt.start, "draws": tt.draws}
		show(played(t, params, tt.moves...), params)
	}
	show(gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("DRAW"), gametest.Late}}), nil)
	for _, kind := range []string{"checkmate", "stalemate", "repetition of the position", "too few pieces for a checkmate", "50 moves without a capture or a pawn's move", "75 moves without a capture or a pawn's move", "draw by agreement", "illegal", string(driver.ForfeitResigned), string(driver.ForfeitTimeout)} {
		if ends[kind] == 0 {
			t.Errorf("got the ends %v, want some by %s", ends, kind)
		}
	}
	gamefixture.CheckViewer(t, shown)
}
