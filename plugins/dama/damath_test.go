package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

const (
	lateRule   = "late"
	toOpponent = "opponent"
)

func TestDamathStreams(t *testing.T) {
	script, late, gone := gametest.Script, gametest.Player(gametest.Late), gametest.Player(gametest.Gone)
	// The values are 6 on d3, 11 on b1, 4 on a6 and 9 on g6.
	const damas = "W:WKd3,b1:BKa6,g6"
	tests := []struct {
		name                string
		fen                 string
		args                map[string]string
		a, b                gametest.Player
		first, second, show string // streams after the set of chips
		ended               [2]driver.Ended
		scores              [2]float64
		ranks               [2]int
		reason              string
	}{
		{
			name: "moves", a: script("b3a4", "d3e4"), b: script("a6b5", "x"),
			first:  ">b3a4\n0 0\na6b5\n0 0\n>d3e4\n0 0\nRETIRE\n",
			second: "b3a4\n0 0\n>a6b5\n0 0\nd3e4\n0 0\n>x\n",
			show:   "b3a4\n0 0\na6b5\n0 0\nd3e4\n0 0\nRETIRE\n",
			ended:  [2]driver.Ended{"finished", "forfeit: illegal"}, scores: [2]float64{66, 66}, ranks: [2]int{1, 2}, reason: "Bruno forfeits: illegal",
		},
		{
			// (6 − 9) × 2 on h7.
			name: "a dama takes", fen: damas, a: script("d3h7"), b: gone,
			first:  ">d3h7\n-6 0\nRETIRE\n",
			second: "d3h7\n-6 0\n",
			show:   "d3h7\n-6 0\nRETIRE\n",
			ended:  [2]driver.Ended{"finished", "forfeit: disconnected"}, scores: [2]float64{11, 4}, ranks: [2]int{1, 2}, reason: "Bruno forfeits: disconnected",
		},
		{
			name: "a fraction", fen: damas, args: map[string]string{"chips": "fraction"}, a: script("d3h7"), b: gone,
			// d3 is 7/10 and g6 is 10/10 there.
			first:  ">d3h7\n-3/5 0\nRETIRE\n",
			second: "d3h7\n-3/5 0\n",
			show:   "d3h7\n-3/5 0\nRETIRE\n",
			ended:  [2]driver.Ended{"finished", "forfeit: disconnected"}, scores: [2]float64{-0.6 + 0.7 + 1.2, 0.5}, ranks: [2]int{1, 2}, reason: "Bruno forfeits: disconnected",
		},
		{
			name: "another path than the capture", fen: damas, a: script("d3e4"), b: gone,
			first: ">d3e4\n", second: "RETIRE\n", show: "RETIRE\n",
			ended: [2]driver.Ended{"forfeit: illegal", "finished"}, scores: [2]float64{17, 13}, ranks: [2]int{2, 1}, reason: "Ada forfeits: illegal",
		},
		{
			name: "late", a: late, b: gone,
			first: "", second: "RETIRE\n", show: "RETIRE\n",
			ended: [2]driver.Ended{"forfeit: timeout", "finished"}, scores: [2]float64{66, 66}, ranks: [2]int{2, 1}, reason: "Ada forfeits: timeout",
		},
		{
			name: "resign with more points", fen: damas, a: script("resign"), b: gone,
			first:  ">resign\nEND resign 17 13\n",
			second: "resign\nEND resign 17 13\n",
			show:   "resign\nEND resign 17 13\n",
			ended:  [2]driver.Ended{"forfeit: resigned", "finished"}, scores: [2]float64{17, 13}, ranks: [2]int{2, 1}, reason: "Ada forfeits: resigned",
		},
		{
			name: "agreed end", fen: damas, args: map[string]string{"dama_left": "2"}, a: script("draw"), b: script("draw"),
			first:  ">draw\ndraw\nEND draw 23 17\n",
			second: "draw\n>draw\nEND draw 23 17\n",
			show:   "draw\ndraw\nEND draw 23 17\n",
			scores: [2]float64{23, 17}, ranks: [2]int{1, 2}, reason: "the players agreed to end the match",
		},
		{
			name: "agreed end with equal points", a: script("draw"), b: script("draw"),
			first:  ">draw\ndraw\nEND draw 66 66\n",
			second: "draw\n>draw\nEND draw 66 66\n",
			show:   "draw\ndraw\nEND draw 66 66\n",
			scores: [2]float64{66, 66}, ranks: [2]int{1, 1}, reason: "the players agreed to end the match",
		},
		{
			name: "declined, and offered again", a: script("draw", "b3a4", "draw"), b: script("no", "a6b5", "no"),
			first:  ">draw\nno\n>b3a4\n0 0\na6b5\n0 0\n>draw\nno\n",
			second: "draw\n>no\nb3a4\n0 0\n>a6b5\n0 0\ndraw\n>no\nRETIRE\n",
			show:   "draw\nno\nb3a4\n0 0\na6b5\n0 0\ndraw\nno\nRETIRE\n",
			ended:  [2]driver.Ended{"forfeit: disconnected", "finished"}, scores: [2]float64{66, 66}, ranks: [2]int{2, 1}, reason: "Ada forfeits: disconnected",
		},
		{
			name: "offered twice in a turn", a: script("draw", "draw"), b: script("no"),
			first:  ">draw\nno\n>draw\n",
			second: "draw\n>no\nRETIRE\n",
			show:   "draw\nno\nRETIRE\n",
			ended:  [2]driver.Ended{"forfeit: illegal", "finished"}, scores: [2]float64{66, 66}, ranks: [2]int{2, 1}, reason: "Ada forfeits: illegal",
		},
		{
			name: "neither draw nor no", a: script("draw"), b: script("a6b5"),
			first:  ">draw\nRETIRE\n",
			second: "draw\n>a6b5\n",
			show:   "draw\nRETIRE\n",
			ended:  [2]driver.Ended{"finished", "forfeit: illegal"}, scores: [2]float64{66, 66}, ranks: [2]int{1, 2}, reason: "Bruno forfeits: illegal",
		},
		{
			name: "no chips", fen: "W:WKd3:Bg6", a: script("d3h7"), b: gone,
			first:  ">d3h7\n-6 0\nEND chips 0 0\n",
			second: "d3h7\n-6 0\nEND chips 0 0\n",
			show:   "d3h7\n-6 0\nEND chips 0 0\n",
			ranks:  [2]int{1, 1}, reason: "the second player has no chips left",
		},
		{
			// a2 can't step onto b1 nor jump over it.
			name: "no moves", fen: "W:Wb1,h1:Ba2", a: script("h1g2"), b: gone,
			first:  ">h1g2\n0 0\nEND moves 13 0\n",
			second: "h1g2\n0 0\nEND moves 13 0\n",
			show:   "h1g2\n0 0\nEND moves 13 0\n",
			scores: [2]float64{13, 0}, ranks: [2]int{1, 2}, reason: "the second player has no moves left",
		},
		{
			name: "a lone dama repeats its move", fen: "W:WKh1:BKa8,b7", args: map[string]string{"repeat": "2"},
			a: script("h1g2", "g2h1", "h1g2"), b: script("b7a6", "a6b5", "x"),
			first:  ">h1g2\n0 0\nb7a6\n0 0\n>g2h1\n0 0\na6b5\n0 0\n>h1g2\n0 0\nEND repeat 2 9\n",
			second: "h1g2\n0 0\n>b7a6\n0 0\ng2h1\n0 0\n>a6b5\n0 0\nh1g2\n0 0\nEND repeat 2 9\n",
			show:   "h1g2\n0 0\nb7a6\n0 0\ng2h1\n0 0\na6b5\n0 0\nh1g2\n0 0\nEND repeat 2 9\n",
			scores: [2]float64{2, 9}, ranks: [2]int{2, 1}, reason: "the first player repeated the moves of the last chip",
		},
		{
			name: "quiet moves", fen: "W:WKb1:BKa8,Kc8", args: map[string]string{"draw_after": "1"},
			a: script("b1a2"), b: script("c8d7"),
			first:  ">b1a2\n0 0\nc8d7\n0 0\nEND quiet 11 7\n",
			second: "b1a2\n0 0\n>c8d7\n0 0\nEND quiet 11 7\n",
			show:   "b1a2\n0 0\nc8d7\n0 0\nEND quiet 11 7\n",
			scores: [2]float64{11, 7}, ranks: [2]int{1, 2}, reason: "nothing was taken and no chip but damas moved for long",
		},
		{
			name: "the opponent moves for a late player", args: map[string]string{lateRule: toOpponent},
			a: late, b: script("b3a4", "a6b5", "d3e4", "x"),
			first:  "LATE 0\nb3a4\n0 0\na6b5\n0 0\nLATE 0\nd3e4\n0 0\nRETIRE\n",
			second: "LATE 0\n>b3a4\n0 0\n>a6b5\n0 0\nLATE 0\n>d3e4\n0 0\n>x\n",
			show:   "LATE 0\nb3a4\n0 0\na6b5\n0 0\nLATE 0\nd3e4\n0 0\nRETIRE\n",
			ended:  [2]driver.Ended{"finished", "forfeit: illegal"}, scores: [2]float64{66, 66}, ranks: [2]int{1, 2}, reason: "Bruno forfeits: illegal",
		},
		{
			name: "the opponent chooses badly", args: map[string]string{lateRule: toOpponent}, a: late, b: script("draw"),
			first: "LATE 0\nRETIRE\n", second: "LATE 0\n>draw\n", show: "LATE 0\nRETIRE\n",
			ended: [2]driver.Ended{"finished", "forfeit: illegal"}, scores: [2]float64{66, 66}, ranks: [2]int{1, 2}, reason: "Bruno forfeits: illegal",
		},
		{
			name: "the opponent resigns instead of moving for the late player", args: map[string]string{lateRule: toOpponent}, a: late, b: script("resign"),
			first: "LATE 0\nRETIRE\n", second: "LATE 0\n>resign\n", show: "LATE 0\nRETIRE\n",
			ended: [2]driver.Ended{"finished", "forfeit: illegal"}, scores: [2]float64{66, 66}, ranks: [2]int{1, 2}, reason: "Bruno forfeits: illegal",
		},
		{
			// As when the second player sends its move before it knows of the offer.
			name: "a move instead of the answer to an offer", a: script("b3a4", "draw"), b: script("a6b5", "b5a6"),
			first:  ">b3a4\n0 0\na6b5\n0 0\n>draw\nRETIRE\n",
			second: "b3a4\n0 0\n>a6b5\n0 0\ndraw\n>b5a6\n",
			show:   "b3a4\n0 0\na6b5\n0 0\ndraw\nRETIRE\n",
			ended:  [2]driver.Ended{"finished", "forfeit: illegal"}, scores: [2]float64{66, 66}, ranks: [2]int{1, 2}, reason: "Bruno forfeits: illegal",
		},
		{
			name: "the late line arrives later", args: map[string]string{lateRule: toOpponent},
			a: answers(sdk.ErrTimeout, "d3e4", "LATE", "h3g4", "nonsense"), b: script("b3a4", "a6b5", "g6h5"),
			first:  "LATE 0\nb3a4\n0 0\na6b5\n0 0\n>d3e4\n>LATE\n>h3g4\n0 0\ng6h5\n0 0\n>nonsense\n",
			second: "LATE 0\n>b3a4\n0 0\n>a6b5\n0 0\nh3g4\n0 0\n>g6h5\n0 0\nRETIRE\n",
			show:   "LATE 0\nb3a4\n0 0\na6b5\n0 0\nh3g4\n0 0\ng6h5\n0 0\nRETIRE\n",
			ended:  [2]driver.Ended{"forfeit: illegal", "finished"}, scores: [2]float64{66, 66}, ranks: [2]int{2, 1}, reason: "Ada forfeits: illegal",
		},
		{
			name: "late and back without the late line", args: map[string]string{lateRule: toOpponent},
			a: answers(sdk.ErrTimeout, "LATE", "d3e4", sdk.ErrDisconnected), b: script("b3a4", "a6b5", "c6d5"),
			first:  "LATE 0\nb3a4\n0 0\na6b5\n0 0\n>LATE\n>d3e4\n0 0\nc6d5\n0 0\n",
			second: "LATE 0\n>b3a4\n0 0\n>a6b5\n0 0\nd3e4\n0 0\n>c6d5\n0 0\nRETIRE\n",
			show:   "LATE 0\nb3a4\n0 0\na6b5\n0 0\nd3e4\n0 0\nc6d5\n0 0\nRETIRE\n",
			ended:  [2]driver.Ended{"forfeit: disconnected", "finished"}, scores: [2]float64{66, 66}, ranks: [2]int{2, 1}, reason: "Ada forfeits: disconnected",
		},
		{
			name: "late and never sends LATE", args: map[string]string{lateRule: toOpponent},
			a: answers(sdk.ErrTimeout, "d3e4", "d3e4"), b: script("b3a4", "a6b5"),
			first:  "LATE 0\nb3a4\n0 0\na6b5\n0 0\n>d3e4\n>d3e4\n",
			second: "LATE 0\n>b3a4\n0 0\n>a6b5\n0 0\nRETIRE\n",
			show:   "LATE 0\nb3a4\n0 0\na6b5\n0 0\nRETIRE\n",
			ended:  [2]driver.Ended{"forfeit: illegal", "finished"}, scores: [2]float64{66, 66}, ranks: [2]int{2, 1}, reason: "Ada forfeits: illegal",
		},
		{
			name: "late with the answer to an offer", args: map[string]string{lateRule: toOpponent}, a: script("draw", "b3c4"), b: answers(sdk.ErrTimeout, sdk.ErrDisconnected),
			first: ">draw\nLATE 1\n>b3c4\n0 0\nRETIRE\n", second: "draw\nLATE 1\nb3c4\n0 0\n", show: "draw\nLATE 1\nb3c4\n0 0\nRETIRE\n",
			ended: [2]driver.Ended{"finished", "forfeit: disconnected"}, scores: [2]float64{66, 66}, ranks: [2]int{1, 2}, reason: "Bruno forfeits: disconnected",
		},
		{
			// Both are late after 20 s. The move is drawn by lot.
			name: "the time of the game", args: map[string]string{lateRule: toOpponent, "game_time": "50"}, a: late, b: late,
			first:  "LATE 0\nLATE 1\nh3g4\n0 0\nEND time 66 66\n",
			second: "LATE 0\nLATE 1\nh3g4\n0 0\nEND time 66 66\n",
			show:   "LATE 0\nLATE 1\nh3g4\n0 0\nEND time 66 66\n",
			scores: [2]float64{66, 66}, ranks: [2]int{1, 1}, reason: "the time of the game is up",
		},
		{
			name: "the time of the game while an offer is open", args: map[string]string{"game_time": "10"}, a: script("draw"), b: late,
			first: ">draw\nEND time 66 66\n", second: "draw\nEND time 66 66\n", show: "draw\nEND time 66 66\n",
			scores: [2]float64{66, 66}, ranks: [2]int{1, 1}, reason: "the time of the game is up",
		},
		{
			// The pauses count: the third move comes at 3 s, which is too late.
			name: "an answer after the time of the game", args: map[string]string{"game_time": "2", "pace": "1.5"},
			a: script("b3c4", "d3e4"), b: script("a6b5"),
			first:  ">b3c4\n0 0\na6b5\n0 0\n>d3e4\nEND time 66 66\n",
			second: "b3c4\n0 0\n>a6b5\n0 0\nEND time 66 66\n",
			show:   "b3c4\n0 0\na6b5\n0 0\nEND time 66 66\n",
			scores: [2]float64{66, 66}, ranks: [2]int{1, 1}, reason: "the time of the game is up",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := matchFrom(t, "damath", tt.fen, tt.args, tt.a, tt.b)
			chips := tt.args["chips"]
			if chips == "" {
				chips = "whole"
			}
			chips += "\n"
			got.Expect(t, "Ada\nBruno\n"+chips+tt.show, "Ada\nBruno\n0\n"+chips+tt.first, "Ada\nBruno\n1\n"+chips+tt.second)
			for seat, r := range got.Result.Seats {
				if r.Ended != endedOr(tt.ended[seat]) || r.Rank != tt.ranks[seat] || math.Abs(r.Score-tt.scores[seat]) > 1e-12 {
					t.Errorf("seat %d ended as %+v, want %q, rank %d, score %v", seat, r, endedOr(tt.ended[seat]), tt.ranks[seat], tt.scores[seat])
				}
			}
			if got.Result.Reason != tt.reason {
				t.Errorf("the reason is %q, want %q", got.Result.Reason, tt.reason)
			}
		})
	}
}

// answers returns a player that answers with the given lines and errors in turn, and
// then is disconnected.
func answers(list ...any) gametest.Player {
	return func(q gametest.Question) (string, error) {
		if q.Number >= len(list) {
			return gametest.Gone(q)
		}
		switch a := list[q.Number].(type) {
		case string:
			return a, nil
		case error:
			return "", a
		default:
			panic("answers needs strings and errors")
		}
	}
}

func TestAnswerTimeIsCutToTheTimeOfTheGame(t *testing.T) {
	var seconds []string
	args := map[string]string{lateRule: toOpponent, "game_time": "70"}
	matchFrom(t, "damath", "", args, timed(&seconds, gametest.Late), timed(&seconds, gametest.Random(1)))
	// White is late three times, black answers twice each time, in 1 ms.
	if got, want := strings.Join(seconds, " "), "20 20 20 20 20 20 20 10 9.99 9.99"; got != want {
		t.Errorf("the timeouts were %s seconds, want %s", got, want)
	}
}

// timed adds the timeout in seconds of each of a player's answers to a list.
func timed(seconds *[]string, p gametest.Player) gametest.Player {
	return func(q gametest.Question) (string, error) {
		*seconds = append(*seconds, fmt.Sprintf("%.3g", q.Seconds))
		return p(q)
	}
}

func TestOfferLeavesTheMoverItsTime(t *testing.T) {
	lenient := map[string]string{lateRule: toOpponent}
	tests := []struct {
		name          string
		args          map[string]string
		a, b          gametest.Player
		first, second string // timeouts of the answers in seconds
		show          string
		ended         driver.Ended // for the first player
		reason        string
	}{
		{
			name: "refused", a: gametest.Slow(8, gametest.Script("draw", "b3c4")), b: gametest.Slow(15, gametest.Script("no")),
			first: "20 12", second: "20 20", show: "draw\nno\nb3c4\n0 0\nRETIRE\n", ended: "finished", reason: "Bruno forfeits: disconnected",
		},
		{
			name: "late after it", a: gametest.Slow(12, gametest.Script("draw", "b3c4")), b: gametest.Slow(15, gametest.Script("no")),
			first: "20 8", second: "20", show: "draw\nno\nRETIRE\n", ended: "forfeit: timeout", reason: "Ada forfeits: timeout",
		},
		{
			name: "again in the next turn", a: gametest.Slow(8, gametest.Script("draw", "b3a4", "draw", "d3e4")),
			b: gametest.Slow(1, gametest.Script("no", "a6b5", "no")), first: "20 12 20 12", second: "20 20 20 20",
			show:  "draw\nno\nb3a4\n0 0\na6b5\n0 0\ndraw\nno\nd3e4\n0 0\nRETIRE\n",
			ended: "finished", reason: "Bruno forfeits: disconnected",
		},
		{
			name: "the other is late", args: lenient, a: gametest.Slow(8, gametest.Script("draw", "b3c4")), b: answers(sdk.ErrTimeout, sdk.ErrDisconnected),
			first: "20 12", second: "20 20", show: "draw\nLATE 1\nb3c4\n0 0\nRETIRE\n", ended: "finished", reason: "Bruno forfeits: disconnected",
		},
		{
			// The late line and LATE use the same time as the move.
			name: "lines before the move", args: lenient,
			a: gametest.Slow(6.5, answers(sdk.ErrTimeout, "h3g4", "LATE", "d3e4")), b: gametest.Script("b3a4", "a6b5"),
			first: "20 20 13.5 7", second: "20 20 20", show: "LATE 0\nb3a4\n0 0\na6b5\n0 0\nd3e4\n0 0\nRETIRE\n", ended: "finished", reason: "Bruno forfeits: disconnected",
		},
		{
			// The time left of the match is less than that of the turn.
			name: "the game ends first", args: map[string]string{"game_time": "30"},
			a: gametest.Slow(1, gametest.Then(gametest.Late, "draw")), b: gametest.Slow(14, gametest.Script("no")),
			first: "20 15", second: "20", show: "draw\nno\nEND time 66 66\n", ended: "finished", reason: "the time of the game is up",
		},
		{
			name: "the turn ends first", args: map[string]string{"game_time": "30"},
			a: gametest.Slow(7, gametest.Then(gametest.Late, "draw")), b: gametest.Slow(5, gametest.Script("no")),
			first: "20 13", second: "20", show: "draw\nno\nRETIRE\n", ended: "forfeit: timeout", reason: "Ada forfeits: timeout",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var first, second []string
			got := matchFrom(t, "damath", "", tt.args, timed(&first, tt.a), timed(&second, tt.b))
			if a, b := strings.Join(first, " "), strings.Join(second, " "); a != tt.first || b != tt.second {
				t.Errorf("the timeouts were %q and %q seconds, want %q and %q", a, b, tt.first, tt.second)
			}
			if _, show, _ := strings.Cut(got.Spectators, "whole\n"); show != tt.show {
				t.Errorf("spectators received %q, want %q", show, tt.show)
			}
			if ended := got.Result.Seats[0].Ended; ended != tt.ended || got.Result.Reason != tt.reason {
				t.Errorf("the first player ended as %q, the match by %q, want %q and %q", ended, got.Result.Reason, tt.ended, tt.reason)
			}
		})
	}
}

func TestDamathParametersAreRefusedByOtherRules(t *testing.T) {
	players := 2
	for _, tt := range []struct {
		name, rules, param, value, want string
	}{
		{"chips", "classic", "chips", "integer", "Invalid parameter chips: it is for rules=damath, not for rules=classic"},
		{"late", "russian", "late", "opponent", "Invalid parameter late"},
		{"game time", "italian", "game_time", "60", "Invalid parameter game_time"},
		{"default", "italian", "game_time", "1200", ""},
		{"damath", "damath", "chips", "integer", ""},
		{"unknown rules", "turkish", "pace", "1", `Invalid rules of the game: rules="turkish" is not one of classic, italian`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := driver.Of(&game).Prepare(driver.Request{Players: &players, Args: map[string]string{"rules": tt.rules, tt.param: tt.value}})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	gametest.CheckRefused(t, &game, "pace", `pace="31" is not a number from 0 to 30`, "31")
}
