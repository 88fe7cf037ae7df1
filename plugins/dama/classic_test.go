package main

import (
	"maps"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// matchFrom plays a match from a position, or from the start. The chips of damath must be
// on squares that have chips at the start, which give them their values.
func matchFrom(t *testing.T, rules, fen string, args map[string]string, a, b gametest.Player) *gametest.Transcript {
	t.Helper()
	r, g := rulesNamed(rules), game
	p := r.Board.start
	if fen != "" {
		p = mustFEN(t, r, fen)
	}
	g.Play = func(m *sdk.Match) error { return playClassic(m, r, opening{start: p}) }
	if r == &damath {
		g.Timeout = 20 // as in the game damath
		g.Play = func(m *sdk.Match) error { return playDamath(m, p) }
	}
	all := map[string]string{"rules": rules, "pace": "0"}
	maps.Copy(all, args)
	return gametest.MustPlay(t, gametest.Match{Game: &g, Players: []gametest.Player{a, b}, Names: []string{"Ada", "Bruno"}, Args: all, Seed: 1})
}

// drawn returns the text of a board from its rows without numbers and brackets.
func drawn(rows ...string) string {
	text := "\n   A  B  C  D  E  F  G  H\n"
	for i, row := range rows {
		n := string(rune('1' + i))
		text += n + " "
		for _, c := range row {
			text += "[" + strings.ReplaceAll(string(c), ".", " ") + "]"
		}
		text += " " + n + "\n"
	}
	return text + "   A  B  C  D  E  F  G  H\n\n"
}

const prompt = "Inserisci la pedina che vuoi muovere e poi le mosse che vuoi fare\nEs > 6A 5B oppure 6A 4C 2A oppure 6A 4C 2A ...\n"

var startBoard = drawn(".n.n.n.n", "n.n.n.n.", ".n.n.n.n", "........", "........", "b.b.b.b.", ".b.b.b.b", "b.b.b.b.")

func TestFirstMovesOfAMatch(t *testing.T) {
	got := matchFrom(t, "classic", "", nil, gametest.Script("6e 5d"), gametest.Script("3B 4A"))
	afterE := drawn(".n.n.n.n", "n.n.n.n.", ".n.n.n.n", "........", "...b....", "b.b...b.", ".b.b.b.b", "b.b.b.b.")
	afterB := drawn(".n.n.n.n", "n.n.n.n.", "...n.n.n", "n.......", "...b....", "b.b...b.", ".b.b.b.b", "b.b.b.b.")
	opening := "Ada\nBruno\nAvvio la partita di dama...\n" + startBoard
	got.Expect(t,
		opening+"Il giocatore Ada è i bianchi e il giocatore Bruno è i neri.\n"+
			"Turno bianco!\n"+afterE+"Turno nero!\n"+afterB+"Turno bianco!\nGame Over ;)\n\n",
		opening+"Sei i Bianchi\n"+
			"Turno bianco!\n"+prompt+">6e 5d\n"+afterE+
			"Attendi il tuo turno!\n3B 4A \n"+afterB+
			"Turno bianco!\n"+prompt+
			"Game Over ;)\n\n",
		opening+"Sei i Neri\n"+
			"Attendi il tuo turno!\n6E 5D \n"+afterE+
			"Turno nero!\n"+prompt+">3B 4A\n"+afterB+
			"Attendi il tuo turno!\n"+
			"\nI bianchi hanno abbandonato la partita.\nI neri vincono la partita!\n\nGame Over ;)\n\n")
	wantResult(t, got, "forfeit: disconnected", "finished", 0, 1, "Ada forfeits: disconnected")
}

func wantResult(t *testing.T, got *gametest.Transcript, white, black driver.Ended, scoreW, scoreB float64, reason string) {
	t.Helper()
	w, b := got.Result.Seats[0], got.Result.Seats[1]
	if w.Ended != white || b.Ended != black || w.Score != scoreW || b.Score != scoreB || got.Result.Reason != reason {
		t.Errorf("the result is %+v, want %q with score %v, %q with score %v, %q", got.Result, white, scoreW, black, scoreB, reason)
	}
	if wantRank := 1 + map[bool]int{true: 1}[scoreW < scoreB]; w.Rank != wantRank {
		t.Errorf("white's rank is %d, want %d", w.Rank, wantRank)
	}
}

// The board and the captures are those of the original server's description.
func TestCapturesOfTheOriginal(t *testing.T) {
	const fen = "B:Wa1,c1,e1,g1,b2,f2,h2,a3,c3,e3,g3,c5:Bb8,d8,f8,h8,a7,c7,e7,g7,d6,f6,a5,g5"
	before := drawn(".n.n.n.n", "n.n.n.n.", "...n.n..", "n.b...n.", "........", "b.b.b.b.", ".b...b.b", "b.b.b.b.")
	tests := []struct{ name, line, shown, after string }{
		{
			"single", "3d 5b", "3D 5B \n",
			drawn(".n.n.n.n", "n.n.n.n.", ".....n..", "n.....n.", ".n......", "b.b.b.b.", ".b...b.b", "b.b.b.b."),
		},
		{
			"multiple", "3d 5b 7d", "3D 5B 7D \n",
			drawn(".n.n.n.n", "n.n.n.n.", ".....n..", "n.....n.", "........", "b...b.b.", ".b.n.b.b", "b.b.b.b."),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := matchFrom(t, "classic", fen, nil, gametest.Gone, gametest.Script(tt.line))
			opening := "Ada\nBruno\nAvvio la partita di dama...\n" + before
			got.Expect(t,
				opening+"Il giocatore Ada è i bianchi e il giocatore Bruno è i neri.\n"+
					"Turno nero!\n"+tt.after+"Turno bianco!\nGame Over ;)\n\n",
				opening+"Sei i Bianchi\nAttendi il tuo turno!\n"+tt.shown+tt.after+
					"Turno bianco!\n"+prompt+"Game Over ;)\n\n",
				opening+"Sei i Neri\nTurno nero!\n"+prompt+">"+tt.line+"\n"+tt.after+
					"Attendi il tuo turno!\n\nI bianchi hanno abbandonato la partita.\nI neri vincono la partita!\n\nGame Over ;)\n\n")
		})
	}
}

func TestEnds(t *testing.T) {
	const overW, overB = "I bianchi vincono la partita!\n\n", "I neri vincono la partita!\n\n"
	const noPieces, noMoves = "Non hai più pedine disponibili.\n", "Non hai più mosse disponibili.\n"
	tests := []struct {
		name, rules, fen   string
		args               map[string]string
		a, b               gametest.Player
		white, black, show string // the end of each stream, without Game Over
		endedW, endedB     driver.Ended
		scoreW, scoreB     float64
		reason             string
	}{
		{
			name: "black has no pieces", rules: "classic", fen: "W:Wc3:Bd4", a: gametest.Script("6C 4E"),
			white: "\n" + overW, black: "\n" + noPieces + overW, show: "\n" + overW,
			scoreW: 1, reason: "black has no pieces left",
		},
		{
			name: "white has no pieces", rules: "english", fen: "B:Wc3:Bd4", b: gametest.Script("5d 7b"),
			white: "\n" + noPieces + overB, black: "\n" + overB, show: "\n" + overB,
			scoreB: 1, reason: "white has no pieces left",
		},
		{
			name: "black can capture and is gone", rules: "classic", fen: "W:Wb2,d2:Ba3,b4", a: gametest.Script("7D 6C"), b: gametest.Gone,
			white: "\n" + "I neri hanno abbandonato la partita.\n" + overW, black: "Turno nero!\n" + prompt, show: "Turno nero!\n",
			endedB: "forfeit: disconnected", scoreW: 1, reason: "Bruno forfeits: disconnected",
		},
		{
			name: "black is blocked", rules: "classic", fen: "W:Wb2,d2,c1:Ba3", a: gametest.Script("7D 6C"),
			white: "\nI neri non hanno più mosse disponibili.\n" + overW, black: "\n" + noMoves + overW,
			show:   "\nI neri non hanno più mosse disponibili.\n" + overW,
			scoreW: 1, reason: "black has no moves left",
		},
		{
			name: "white is blocked", rules: "italian", fen: "B:Wa5:Bb6,d8", b: gametest.Script("1D 2C"),
			white: "\n" + noMoves + overB, black: "\nI bianchi non hanno più mosse disponibili.\n" + overB,
			show:   "\nI bianchi non hanno più mosse disponibili.\n" + overB,
			scoreB: 1, reason: "white has no moves left",
		},
		{
			name: "late", rules: "classic", a: gametest.Late,
			white:  "Turno bianco!\n" + prompt + "\nTempo scaduto, hai esaurito il tempo per fare una mossa!\n",
			black:  "Attendi il tuo turno!\n\nI bianchi hanno abbandonato la partita.\n" + overB,
			show:   "Turno bianco!\n",
			endedW: "forfeit: timeout", scoreB: 1, reason: "Ada forfeits: timeout",
		},
		{
			name: "late after a refusal", rules: "classic", a: gametest.Then(gametest.Late, "x"),
			white:  "Turno bianco!\n" + prompt + ">x\n" + unparsable + prompt + "\nTempo scaduto, hai esaurito il tempo per fare una mossa!\n",
			black:  "Attendi il tuo turno!\n\nI bianchi hanno abbandonato la partita.\n" + overB,
			show:   "Turno bianco!\n",
			endedW: "forfeit: timeout", scoreB: 1, reason: "Ada forfeits: timeout",
		},
		{
			name: "black is gone", rules: "classic", a: gametest.Script("6A 5B"), b: gametest.Gone,
			white:  "Attendi il tuo turno!\n\nI neri hanno abbandonato la partita.\n" + overW,
			black:  "Turno nero!\n" + prompt,
			show:   "Turno nero!\n",
			endedB: "forfeit: disconnected", scoreW: 1, reason: "Bruno forfeits: disconnected",
		},
		{
			name: "quiet moves", rules: "classic", fen: "W:WKa1:BKh8", args: map[string]string{"draw_after": "2"},
			a: gametest.Script("8A 7B", "7B 8A"), b: gametest.Script("1H 2G", "2G 1H"),
			white:  "\nNessuna presa e nessuna mossa di pedina da 2 mosse.\nLa partita è patta!\n\n",
			black:  "\nNessuna presa e nessuna mossa di pedina da 2 mosse.\nLa partita è patta!\n\n",
			show:   "\nNessuna presa e nessuna mossa di pedina da 2 mosse.\nLa partita è patta!\n\n",
			scoreW: 0.5, scoreB: 0.5, reason: "draw: 2 moves of each side by kings alone without a capture",
		},
		{
			name: "repetition", rules: "english", fen: "W:WKa1:BKh8",
			a: gametest.Script("8A 7B", "7B 8A", "8A 7B", "7B 8A"), b: gametest.Script("1H 2G", "2G 1H", "1H 2G", "2G 1H"),
			white:  "\nLa stessa posizione si è presentata tre volte.\nLa partita è patta!\n\n",
			black:  "\nLa stessa posizione si è presentata tre volte.\nLa partita è patta!\n\n",
			show:   "\nLa stessa posizione si è presentata tre volte.\nLa partita è patta!\n\n",
			scoreW: 0.5, scoreB: 0.5, reason: "draw: the same position three times",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range []*gametest.Player{&tt.a, &tt.b} {
				if *p == nil {
					*p = gametest.Gone
				}
			}
			got := matchFrom(t, tt.rules, tt.fen, tt.args, tt.a, tt.b)
			for _, stream := range []struct{ to, got, want string }{
				{"white", got.Seats[0], tt.white}, {"black", got.Seats[1], tt.black}, {"spectators", got.Spectators, tt.show},
			} {
				if !strings.HasSuffix(stream.got, "\n"+stream.want+"Game Over ;)\n\n") {
					t.Errorf("%s received\n%s\nwant at the end\n%s", stream.to, stream.got, stream.want)
				}
			}
			wantResult(t, got, endedOr(tt.endedW), endedOr(tt.endedB), tt.scoreW, tt.scoreB, tt.reason)
		})
	}
}

// The original server overlooks a king's step and capture down to the left, and ends
// the match.
func TestKingThatCanOnlyGoDownToTheLeftIsAsked(t *testing.T) {
	for _, tt := range []struct{ name, fen, line string }{
		{"step", "W:WKh6:Bg7,f8", "3H 4G"},
		{"capture", "W:WKh6:Bg7,f8,g5", "3H 5F"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := matchFrom(t, "classic", tt.fen, nil, gametest.Script(tt.line), gametest.Gone)
			if !strings.Contains(got.Seats[0], prompt+">"+tt.line+"\n\n   A") {
				t.Errorf("white received\n%s\nwant a board after %s", got.Seats[0], tt.line)
			}
		})
	}
}

func endedOr(ended driver.Ended) driver.Ended {
	if ended == "" {
		return driver.EndedFinished
	}
	return ended
}

func TestMatchPausesAfterEveryMove(t *testing.T) {
	for _, rules := range []string{"classic", "damath"} {
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Args: map[string]string{"rules": rules, "pace": "3"},
			Players: []gametest.Player{gametest.Leaving(3, gametest.Random(1)), gametest.Random(2)},
		})
		if n := strings.Count(strings.Join(got.Timeline, "\n"), "\npause"); n != 6 {
			t.Errorf("%s: %d pauses, want one after each of 6 moves", rules, n)
		}
	}
}

func TestPlayersResignAndAgreeToADraw(t *testing.T) {
	const first = "W:WKa1:BKh8"
	opening := "Sei i Bianchi\nTurno bianco!\n" + prompt
	tests := []struct {
		name, rules        string
		a, b               gametest.Player
		white, black, show string // parts of the streams
		endedW, endedB     driver.Ended
		scoreW, scoreB     float64
		reason             string
	}{
		{
			name: "white resigns", rules: "english", a: gametest.Script("resign"),
			white:  opening + ">resign\n\nI bianchi si arrendono.\nI neri vincono la partita!\n\nGame Over ;)\n\n",
			black:  "Attendi il tuo turno!\n\nI bianchi si arrendono.\nI neri vincono la partita!\n\nGame Over ;)\n\n",
			show:   "Turno bianco!\n\nI bianchi si arrendono.\nI neri vincono la partita!\n\nGame Over ;)\n\n",
			endedW: "forfeit: resigned", scoreB: 1, reason: "Ada forfeits: resigned",
		},
		{
			name: "black accepts", rules: "russian", a: gametest.Script("draw", "8A 7B"), b: gametest.Script("draw"),
			white:  opening + ">draw\n" + prompt + ">8A 7B\n",
			black:  "Turno nero!\nIl tuo avversario propone la patta.\n" + prompt + ">draw\nI giocatori si sono accordati.\nLa partita è patta!\n\nGame Over ;)\n\n",
			show:   "Turno bianco!\nI bianchi propongono la patta.\n\n   A",
			scoreW: 0.5, scoreB: 0.5, reason: "draw: the players agreed",
		},
		{
			name: "a move declines", rules: "italian", a: gametest.Script("draw", "draw", "8A 7B", "draw"), b: gametest.Script("1H 2G"),
			white:  opening + ">draw\n" + prompt + ">draw\n\nHai già proposto la patta!\n" + prompt + ">8A 7B\n",
			black:  "Il tuo avversario propone la patta.\n" + prompt + ">1H 2G\n",
			show:   "Turno bianco!\nI bianchi propongono la patta.\n\nI neri vincono",
			endedW: "forfeit: disconnected", scoreB: 1, reason: "Ada forfeits: disconnected",
		},
		{
			name: "the original has neither", rules: "classic", a: gametest.Script("draw", "resign"),
			white:  opening + ">draw\n" + unparsable + prompt + ">resign\n" + unparsable + prompt,
			black:  "I bianchi hanno abbandonato la partita.\n",
			show:   "Turno bianco!\nGame Over ;)\n\n",
			endedW: "forfeit: disconnected", scoreB: 1, reason: "Ada forfeits: disconnected",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.b == nil {
				tt.b = gametest.Gone
			}
			fen := first
			if tt.rules == "italian" {
				fen = "W:WKa1:BKh8"
			}
			got := matchFrom(t, tt.rules, fen, nil, tt.a, tt.b)
			for _, stream := range []struct{ to, got, want string }{
				{"white", got.Seats[0], tt.white}, {"black", got.Seats[1], tt.black}, {"spectators", got.Spectators, tt.show},
			} {
				if tt.name == "a move declines" && stream.to == "spectators" {
					stream.want = "Turno bianco!\nI bianchi propongono la patta.\nGame Over ;)\n\n" // the second offer; then white is gone
				}
				if !strings.Contains(stream.got, stream.want) {
					t.Errorf("%s received\n%s\nwant in it\n%s", stream.to, stream.got, stream.want)
				}
			}
			wantResult(t, got, endedOr(tt.endedW), endedOr(tt.endedB), tt.scoreW, tt.scoreB, tt.reason)
		})
	}
}

// An offer must not give its side more time, or let it wait forever.
func TestOffersShareTheTimeOfTheTurn(t *testing.T) {
	got := matchFrom(t, "english", "", nil, gametest.Slow(50, gametest.Endless("draw")), gametest.Gone)
	wantResult(t, got, "forfeit: timeout", "finished", 0, 1, "Ada forfeits: timeout")
	if n := strings.Count(got.Seats[0], prompt); n != 2 {
		t.Errorf("%d prompts, want 2: the offer took 50 of 90 seconds", n)
	}
}
