package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	gamefixture.CheckExamples(t, func(gametest.Example) gametest.Match { return gametest.Match{Game: &game} },
		"checkmate", "bob forfeits: resigned", "ann forfeits: illegal")
}

func TestParametersAreInTheRules(t *testing.T) { gametest.CheckParams(t, "rules.md", &game) }

// played plays a match from lines of both players in turn, White's first.
func played(t *testing.T, args map[string]string, moves ...string) *gametest.Transcript {
	t.Helper()
	var scripts [2][]string
	for i, line := range moves {
		scripts[i%2] = append(scripts[i%2], line)
	}
	return gametest.MustPlay(t, gametest.Match{Game: &game, Args: args, Players: []gametest.Player{gametest.Script(scripts[0]...), gametest.Script(scripts[1]...)}})
}

// tail returns the last lines of a stream.
func tail(stream string, lines int) string {
	all := strings.Split(strings.TrimSuffix(stream, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "|")
}

func TestAMatchIsLost(t *testing.T) {
	tests := []struct {
		name   string
		answer gametest.Player // Black's, to e2 e4
		sent   string
		winner bool // it is announced
		ended  string
	}{
		{"illegal move", gametest.Script("e7 e4"), ">e7 e4\n", false, "illegal"},
		{"castling with two squares", gametest.Script("e8 g8"), ">e8 g8\n", false, "illegal"},
		{"two spaces", gametest.Script("e7  e5"), ">e7  e5\n", false, "illegal"},
		{"a tab", gametest.Script("e7\te5"), ">e7\te5\n", false, "illegal"},
		{"capitals", gametest.Script("E7 E5"), ">E7 E5\n", false, "illegal"},
		{"a letter of two bytes", gametest.Script("é e5"), ">é e5\n", false, "illegal"},
		{"promotion in the middle of the board", gametest.Script("promote e7 e5 queen"), ">promote e7 e5 queen\n", false, "illegal"},
		{"empty line", gametest.Script(""), ">\n", false, "illegal"},
		{"retire in small letters", gametest.Script("retire"), ">retire\n", false, "illegal"},
		{"gone", gametest.Gone, "", false, "disconnected"},
		{"late", gametest.Late, "", true, "timeout"},
		{"retired", gametest.Script("RETIRE"), ">RETIRE\n", true, "resigned"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("e2 e4"), tt.answer}})
			winner := ""
			if tt.winner {
				winner = "WINNER <WHITE>\n"
			}
			got.Expect(t, "Player0\nPlayer1\nOK <e2> <e4>\nRETIRE\n"+winner,
				"Player0\nPlayer1\n0\n>e2 e4\nOK <e2> <e4>\nRETIRE\n"+winner,
				"Player0\nPlayer1\n1\nOK <e2> <e4>\n"+tt.sent+winner)
			got.ExpectResult(t, "Player1 forfeits: "+tt.ended, "score 1, rank 1, finished", "score 0, rank 2, forfeit: "+tt.ended)
		})
	}
}

func TestFormsOfAMove(t *testing.T) {
	tests := []struct{ fen, line, want string }{
		{usual, "g1 f3", "OK <g1> <f3>"},
		{usual, "g1f3", "OK <g1> <f3>"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "castle e1 g1 h1 f1", "OK <castle> <e1> <g1> <h1> <f1>"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1", "OK <castle> <e1> <c1> <a1> <d1>"},
		{"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "castle e8 c8 a8 d8", "OK <castle> <e8> <c8> <a8> <d8>"},
		{"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8", "OK <castle> <e8> <g8> <h8> <f8>"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1 g1", "RETIRE"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "castle e1 g1 a1 d1", "RETIRE"},
		{"r3k2r/8/8/8/8/5r2/8/R3K2R w KQkq - 0 1", "e1g1", "RETIRE"},
		{"r3k2r/8/8/8/8/8/8/R2QK2R w KQkq - 0 1", "castle e1 c1 a1 d1", "RETIRE"}, // the original takes the own queen
		{"r3k2r/8/8/8/8/8/8/RN2K2R w KQkq - 0 1", "e1c1", "RETIRE"},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "enpassant e5 d6", "OK <enpassant> <e5> <d6>"},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "OK <enpassant> <e5> <d6>"},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5 d6", "RETIRE"},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "enpassant e5 d6", "RETIRE"},
		{"3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1", "promote c7 c8 knight", "OK <promote> <c7> <c8> <knight>"},
		{"3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1", "promotion c7 d8 rook", "OK <promote> <c7> <d8> <rook>"},
		{"3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7d8b", "OK <promote> <c7> <d8> <bishop>"},
		{"3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7 c8", "RETIRE"},
		{"3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1", "promote c7 c8 king", "RETIRE"},
		{"4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e2 e4", "RETIRE"}, // the original lets pawns jump
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			script := []gametest.Player{gametest.Script(tt.line), gametest.Script(tt.line)}
			got := gametest.MustPlay(t, gametest.Match{Game: &game, Args: map[string]string{"start": tt.fen}, Players: script})
			lines := strings.Split(got.Spectators, "\n")
			index := 3
			if tt.fen == usual {
				index = 2
			}
			if lines[index] != tt.want {
				t.Errorf("%s in %s: got %q, want %q", tt.line, tt.fen, lines[index], tt.want)
			}
		})
	}
}

func TestOffers(t *testing.T) {
	tests := []struct {
		name                     string
		white, black             []string
		spectators, first, other string // the last lines
		reason                   string
	}{
		{"accepted", []string{"DRAW"}, []string{"DRAW"},
			"DRAW <PROPOSED>|DRAW <ACCEPTED>", "DRAW <PROPOSED>|DRAW <ACCEPTED>", "DRAW <PROPOSED>|>DRAW", "draw by agreement"},
		{"refused by a move, and a mate follows", []string{"f2 f3", "DRAW", "g2 g4"}, []string{"e7 e5", "d7 d6", "d8 h4"},
			"OK <d8> <h4>|WINNER <BLACK>", "OK <d8> <h4>|WINNER <BLACK>", "OK <d8> <h4>|WINNER <BLACK>", "checkmate"},
		{"refused by RETIRE", []string{"DRAW", "RETIRE"}, []string{"RETIRE"},
			"DRAW <REFUSED>|RETIRE|WINNER <BLACK>", "DRAW <REFUSED>|>RETIRE|WINNER <BLACK>", ">RETIRE|RETIRE|WINNER <BLACK>", "Player0 forfeits: resigned"},
		{"answered by an empty line", []string{"DRAW"}, []string{""},
			"DRAW <PROPOSED>|RETIRE", "DRAW <PROPOSED>|RETIRE", "DRAW <PROPOSED>|>", "Player1 forfeits: illegal"},
		{"not answered", []string{"DRAW"}, nil,
			"DRAW <PROPOSED>|RETIRE", "DRAW <PROPOSED>|RETIRE", "1|DRAW <PROPOSED>", "Player1 forfeits: disconnected"},
		{"offered too often", []string{"DRAW", "DRAW", "DRAW", "DRAW"}, []string{"NO", "NO", "NO"},
			"DRAW <REFUSED>|RETIRE", "DRAW <REFUSED>|>DRAW", ">NO|RETIRE", "Player0 forfeits: illegal"},
		{"offered again in the next turn", []string{"DRAW", "DRAW", "DRAW", "a2 a3", "DRAW"}, []string{"NO", "NO", "NO", "a7 a6", "DRAW"},
			"DRAW <PROPOSED>|DRAW <ACCEPTED>", "DRAW <PROPOSED>|DRAW <ACCEPTED>", "DRAW <PROPOSED>|>DRAW", "draw by agreement"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script(tt.white...), gametest.Script(tt.black...)}})
			for i, want := range []string{tt.spectators, tt.first, tt.other} {
				stream := append([]string{got.Spectators}, got.Seats...)[i]
				if end := tail(stream, strings.Count(want, "|")+1); end != want {
					t.Errorf("stream %d ends with %s, want %s", i, end, want)
				}
			}
			if got.Result.Reason != tt.reason {
				t.Errorf("got the reason %q, want %q", got.Result.Reason, tt.reason)
			}
		})
	}
}

func TestALateAnswerToAnOfferLoses(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("DRAW"), gametest.Late}})
	if end := tail(got.Spectators, 3); end != "DRAW <PROPOSED>|RETIRE|WINNER <WHITE>" {
		t.Errorf("the stream ends with %s, want a winner", end)
	}
}

// shuffled returns n moves of each side that only move knights or kings to and fro.
func shuffled(n int, moves ...string) (all []string) {
	for i := range 2 * n {
		all = append(all, moves[i%len(moves)])
	}
	return all
}

// tour returns moves of a white king and rook against a black king in which no position
// occurs twice.
func tour(t *testing.T, start string, plies int) []string {
	t.Helper()
	for seed := range uint64(1000) {
		if moves := wander(t, start, plies, driver.NewRand(seed, 0)); len(moves) == plies {
			return moves
		}
	}
	t.Fatalf("no random tour has %d plies", plies)
	return nil
}

// wander returns random moves, until none is left that leads to a new position.
func wander(t *testing.T, start string, plies int, r *driver.Rand) (moves []string) {
	t.Helper()
	g, err := newMatch(start)
	if err != nil {
		t.Fatal(err)
	}
	visited := map[position]bool{}
	for len(moves) < plies {
		played := len(moves)
		for _, i := range r.Perm(len(g.legal)) {
			m := g.legal[i]
			next := &match{board: g.board, seen: map[position]int{}}
			next.play(m)
			if p := next.position(); !visited[p] && len(next.legal) > 0 && next.board.quiet > 0 && !next.board.bare() {
				visited[p] = true
				moves = append(moves, g.board.line(m))
				g.play(m)
				break
			}
		}
		if len(moves) == played {
			break
		}
	}
	return moves
}

func TestDraws(t *testing.T) {
	knights := shuffled(20, "g1 f3", "g8 f6", "f3 g1", "f6 g8")
	lonely := "8/8/4k3/8/8/8/8/R3K3 w - - 0 1"
	quiet := tour(t, lonely, 151)
	tests := []struct {
		name   string
		start  string
		draws  string
		moves  []string
		want   string // the last line
		plies  int    // OK lines; 0: all
		reason string
	}{
		{"stalemate", "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "automatic", []string{"f2 f7"}, "DRAW <STALEMATE>", 0, "draw: stalemate"},
		{"third occurrence", "", "automatic", knights, "DRAW <REPETITION>", 8, "draw: the same position three times"},
		{"fifth occurrence", "", "claimed", knights, "DRAW <REPETITION>", 16, "draw: the same position five times"},
		{"claim after the third", "", "claimed", append(knights[:8:8], "DRAW"), "DRAW <REPETITION>", 8, "draw: the same position three times"},
		{"offer before the third", "", "claimed", append(knights[:7:7], "DRAW", "DRAW"), "DRAW <ACCEPTED>", 7, "draw by agreement"},
		{"50 moves", lonely, "automatic", quiet, "DRAW <MOVES>", 100, "draw: 50 moves of each side without a capture or a pawn's move"},
		{"75 moves", lonely, "claimed", quiet, "DRAW <MOVES>", 150, "draw: 75 moves of each side without a capture or a pawn's move"},
		{"claim after 50 moves", lonely, "claimed", append(quiet[:100:100], "DRAW"), "DRAW <MOVES>", 100, "draw: 50 moves of each side without a capture or a pawn's move"},
		{"kings alone", "8/8/4k3/8/8/8/3p4/4K3 w - - 0 1", "automatic", []string{"e1 d2"}, "DRAW <MATERIAL>", 0, "draw: neither side has the pieces for a checkmate"},
		{"king and knight", "8/8/4k3/8/8/8/3p4/4K1N1 w - - 0 1", "automatic", []string{"e1 d2"}, "DRAW <MATERIAL>", 0, "draw: neither side has the pieces for a checkmate"},
		{"bishops of one colour", "2b5/8/4k3/8/8/8/3p4/4KB2 w - - 0 1", "automatic", []string{"e1 d2"}, "DRAW <MATERIAL>", 0, "draw: neither side has the pieces for a checkmate"},
		{"bishops of two colours", "5b2/8/4k3/8/8/8/3p4/4KB2 w - - 0 1", "automatic", []string{"e1 d2", "RETIRE"}, "WINNER <WHITE>", 0, "Player1 forfeits: resigned"},
		{"two knights", "8/8/4k3/8/8/8/3p4/4K1NN w - - 0 1", "automatic", []string{"e1 d2", "RETIRE"}, "WINNER <WHITE>", 0, "Player1 forfeits: resigned"},
		{"mate with the 50th move", "k7/8/1K6/8/8/8/8/7R w - - 99 80", "automatic", []string{"h1 h8"}, "WINNER <WHITE>", 0, "checkmate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := played(t, map[string]string{"start": tt.start, "draws": tt.draws}, tt.moves...)
			if end := tail(got.Spectators, 1); end != tt.want || got.Result.Reason != tt.reason {
				t.Errorf("got the end %s, %q, want %s, %q", end, got.Result.Reason, tt.want, tt.reason)
			}
			if n := strings.Count(got.Spectators, "OK "); tt.plies > 0 && n != tt.plies {
				t.Errorf("got %d moves, want %d", n, tt.plies)
			}
			if strings.HasPrefix(tt.want, "DRAW") {
				for seat, r := range got.Result.Seats {
					if r.Score != 0.5 || r.Rank != 1 {
						t.Errorf("seat %d: got %v points, rank %d, want 0.5, rank 1", seat, r.Score, r.Rank)
					}
				}
			}
		})
	}
}

// After 1 e4, Black's en passant square is not one on which Black can capture: FIDE counts
// the position with those that follow when the knights are back.
func TestAPassedSquareWithoutACaptureDoesNotCount(t *testing.T) {
	moves := append([]string{"e2 e4"}, shuffled(8, "g8 f6", "g1 f3", "f6 g8", "f3 g1")...)
	got := played(t, nil, moves...)
	if n := strings.Count(got.Spectators, "OK "); n != 9 {
		t.Errorf("the match ends after %d moves, want 9", n)
	}
}

func TestMatchPausesAfterEachMove(t *testing.T) {
	got := played(t, map[string]string{"pace": "30"}, "f2 f3", "e7 e5", "g2 g4", "d8 h4")
	want := "Player0 Player1 ask OK <f2> <f3> pause ask OK <e7> <e5> pause ask OK <g2> <g4> pause ask OK <d8> <h4> WINNER <BLACK>"
	if got := strings.Join(got.Timeline, " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestPositionsThatCannotBeAStartAreRefused(t *testing.T) {
	for want, list := range map[string][]string{
		errForm.Error():     {"x", "4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w", usual + " 1", "4k3/9/8/8/8/8/8/4K3 w - - 0 1", "4k3/7/8/8/8/8/8/4K3 w - - 0 1", "rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 100 1", "4k3/8/8/8/8/8/4P3/4K3 w QK - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - e4 0 1", "4k3/8/8/8/8/8/4P3/4K3 x - - 0 1", strings.Repeat("8", 90)},
		errPieces.Error():   {"8/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/4P3/3KK3 w - - 0 1", "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "4k2p/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/QQQQQQQQ/QQQQQQQQ/8/4K3 w - - 0 1", "2QQ2Q1/Q4Q2/2Q4Q/4Q3/1k6/3Q3Q/Q4Q2/K1QQ2Q1 w - - 0 1", "4k3/8/8/8/QQ6/PPPPPPPP/8/4K3 w - - 0 1", "4k3/nnn5/pppppppp/8/8/8/8/4K3 w - - 0 1"},
		errTaken.Error():    {"4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "8/8/8/8/8/8/4k3/4K3 w - - 0 1"},
		errCastling.Error(): {"4k3/8/8/8/8/8/8/4K3 w K - 0 1", "r3k3/8/8/8/8/8/4P3/4K3 w k - 0 1"},
		errPassing.Error():  {"4k3/8/8/8/8/8/4P3/4K3 w - e6 0 1", "4k3/4p3/8/4p3/8/8/4P3/4K3 w - e6 0 1", "4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1"},
		errOver.Error():     {"4k3/8/8/8/8/8/8/4K3 w - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"},
	} {
		gametest.CheckRefused(t, &game, "start", want, list...)
	}
}

func TestAStartIsAnnouncedAndPlayed(t *testing.T) {
	got := played(t, map[string]string{"start": " 8/8/8/8/8/4k3/r7/4K3  b - - "}, "RETIRE", "a2 a1")
	want := "Player0\nPlayer1\nSTART <8/8/8/8/8/4k3/r7/4K3 b - - 0 1>\nOK <a2> <a1>\nWINNER <BLACK>\n"
	if got.Spectators != want {
		t.Errorf("the spectators receive\n%s\nwant\n%s", got.Spectators, want)
	}
	for _, fen := range []string{usual, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"} {
		if got := played(t, map[string]string{"start": fen}, "RETIRE"); strings.Contains(got.Spectators, "START") {
			t.Errorf("start=%s: the spectators receive\n%s\nwant no START", fen, got.Spectators)
		}
	}
}

func TestOtherParametersAreChecked(t *testing.T) {
	gametest.CheckRefused(t, &game, "pace", "from 0 to 30", "-0.1", "30.5", "soon")
	gametest.CheckRefused(t, &game, "bot", "strong, medium, easy, beginner, newcomer, random", "stronger")
	gametest.CheckRefused(t, &game, "draws", "automatic, claimed", "never")
}

// Random matches are long, so a player gives up.
func TestRecordedMatchesStayTheSame(t *testing.T) {
	for seed := range uint64(4) {
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Seed: seed, Args: map[string]string{"bot": "random", "start": special[seed]},
			Players: []gametest.Player{short(gametest.Random(seed), 25), nil},
		})
		gametest.Golden(t, fmt.Sprint("seed", seed), got.String())
	}
}

func TestStartIsAnnouncedInItsShortForm(t *testing.T) {
	g, err := newMatch("4k3/44/8/8/8/8/4P21/4K3 w - - 07 9")
	if want := "4k3/8/8/8/8/8/4P3/4K3 w - - 7 9"; err != nil || g.start != want {
		t.Errorf("got %+v, %v, want the start %s", g, err, want)
	}
}

// The lines of a position are those with which random players answer.
func TestLegalMovesAreLines(t *testing.T) {
	g, err := newMatch("r3k2r/P7/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1")
	if err != nil {
		t.Fatal(err)
	}
	lines := g.lines()
	for _, want := range []string{"castle e1 g1 h1 f1", "castle e1 c1 a1 d1", "enpassant e5 d6", "e5 e6"} {
		if !slices.Contains(lines, want) {
			t.Errorf("got %v, want %s among them", lines, want)
		}
	}
	for i, m := range g.legal {
		if found, ok := g.find(lines[i]); !ok || found != m {
			t.Errorf("%s names %v, want %v", lines[i], found, m)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	gamefixture.BenchmarkMatch(b, &game, map[string]string{"pace": "0"}, "plies", func(t *gametest.Transcript) int { return strings.Count(t.Spectators, "\n") - 2 })
}
