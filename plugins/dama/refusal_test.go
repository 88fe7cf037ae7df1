package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

const (
	unparsable  = "\nMossa non valida riprova!\n"
	notYoursW   = "\nNon hai selezionato una tua pedina!\nRicorda che sei i bianchi.\n"
	notYoursB   = "\nNon hai selezionato una tua pedina!\nRicorda che sei i neri.\n"
	occupied    = "La posizione scelta è gia occupata.\n"
	badColumn   = "Non ti stai spostando in diagonale o ti sei mosso di troppe colonne.\n"
	sameRow     = "Puoi muoverti solo in diagonale.\n"
	badRowsMan  = "Le righe sono troppo distanti o ti stai muovendo nel verso sbagliato.\n"
	badRowsKing = "Le righe sono troppo distanti.\n"
	due         = "\nPresa obbligatoria!\n"
)

func badStep(hop, why string) string {
	return "\nSpostamento " + hop + " non valido!\n" + why
}

func badTake(hop, why string) string {
	return "\nCattura " + hop + " non valida!\n" + why
}

func TestRefusals(t *testing.T) {
	const kings = "W:WKe3,c3:Bd4,Kb4,f2,h6"
	tests := []struct{ name, rules, fen, line, want string }{
		{"empty", "classic", "", "", unparsable},
		{"one square", "classic", "", "6E", unparsable},
		{"no space", "classic", "", "6E5D", unparsable},
		{"letter first", "classic", "", "E6 D5", unparsable},
		{"row 9", "classic", "", "9A 8B", unparsable},
		{"row 0", "classic", "", "0A 1B", unparsable},
		{"column I", "classic", "", "6I 5H", unparsable},
		{"good, then bad", "classic", "", "6E 5D x", unparsable},
		{"not ASCII", "classic", "", "6è 5D", unparsable},
		{"a tab separates nothing", "classic", "", "6E\t5D", unparsable},
		{"the opponent's", "classic", "", "3B 4A", notYoursW},
		{"black takes white's", "classic", "B:W21-32:B1-12", "6A 5B", notYoursB},
		{"empty square", "classic", "", "5B 4A", notYoursW},
		{"light square", "classic", "", "6B 5C", notYoursW},
		{"the first square is checked before the hops", "classic", "", "5B 5B 1A", notYoursW},

		{"step onto an own man", "classic", "", "7B 6A", badStep("7B -> 6A", occupied)},
		{"step onto the opponent", "classic", "W:Wc3:Bd4", "6C 5D", badStep("6C -> 5D", occupied)},
		{"step straight", "classic", "", "6E 5E", badStep("6E -> 5E", badColumn)},
		{"step of three columns", "classic", "", "6E 5B", badStep("6E -> 5B", badColumn)},
		{"occupied before the wrong column", "classic", "W:Wc3:Bf4", "6C 5F", badStep("6C -> 5F", occupied)},
		{"same row", "classic", "", "6E 6F", badStep("6E -> 6F", sameRow)},
		{"same square", "classic", "", "6E 6E", badStep("6E -> 6E", sameRow)},
		{"same row, though occupied", "classic", "", "6E 6G", badStep("6E -> 6G", sameRow)},
		{"backward", "classic", "W:We5:Bh8", "4E 5D", badStep("4E -> 5D", badRowsMan)},
		{"backward capture", "classic", "W:We5:Bd4", "4E 6C", badStep("4E -> 6C", badRowsMan)},
		{"three rows", "classic", "", "6E 3B", badStep("6E -> 3B", badRowsMan)},
		{"rows before occupied", "classic", "", "6E 2A", badStep("6E -> 2A", badRowsMan)},
		{"black backward", "classic", "B:Wh2:Bd4", "5D 4E", badStep("5D -> 4E", badRowsMan)},
		{"two steps", "classic", "", "6E 5D 4C", badStep("6E -> 5D", badRowsMan)},

		{"capture of nothing", "classic", "", "6E 4C", badTake("6E -> 4C", badColumn)},
		{"capture of an own man", "classic", "W:Wc3,d4:Bh8", "6C 4E", badTake("6C -> 4E", badColumn)},
		{"capture straight", "classic", "", "6E 4E", badTake("6E -> 4E", badColumn)},
		{"capture onto a piece", "classic", "W:Wc3:Bd4,e5", "6C 4E", badTake("6C -> 4E", occupied)},
		{"a man captures a king", "classic", "W:Wc3:BKd4", "6C 4E", badTake("6C -> 4E", badColumn)},
		{"second hop", "classic", "W:Wc3:Bd4", "6C 4E 2G", badTake("4E -> 2G", badColumn)},
		{"a step after a capture", "classic", "W:Wc3:Bd4", "6C 4E 3F", badStep("4E -> 3F", badRowsMan)},
		{"a crowned man stops", "classic", "W:Wb6:Bc7,e7", "3B 1D 3F", badStep("1D -> 3F", badRowsMan)},

		{"king: same row", "classic", kings, "6E 6G", badStep("6E -> 6G", sameRow)},
		{"king: three rows", "classic", kings, "6E 3H", badStep("6E -> 3H", badRowsKing)},
		{"king: occupied", "classic", kings, "6E 7F", badStep("6E -> 7F", occupied)},
		{"king: straight", "classic", kings, "6E 5E", badStep("6E -> 5E", badColumn)},
		{"king: two steps", "classic", kings, "6E 5F 4G", badStep("6E -> 5F", badRowsKing)},
		{"king: capture of nothing", "classic", kings, "6E 4G", badTake("6E -> 4G", badColumn)},
		{"king: back to the start", "classic", "W:WKd2:Bc3,c5,e3,e5", "7D 5F 3D 5B 7D", badTake("5B -> 7D", occupied)},
		{"king: a piece twice", "classic", "W:WKd2:Be3", "7D 5F 7D", badTake("5F -> 7D", occupied)},

		{"a capture is due", "italian", "W:Wc3,g3:Bd4", "6G 5H", due},
		{"a capture is due", "english", "W:Wc3,g3:Bd4", "6G 5H", due},
		{"a capture must go on", "english", "W:Wc3:Bd4,d6", "6C 4E", due},
		{"the bigger capture is due", "spanish", "W:Wa3,g3:Bb4,f4,f6", "6A 4C", due},
		{"the king's capture is due", "italian", "W:Wa3,Kg3:Bb4,f4", "6A 4C", due},
		{"a bad hop before what is due", "english", "W:Wc3,g3:Bd4", "6G 5G", badStep("6G -> 5G", badColumn)},
		{"a man takes a king", "italian", "W:Wc3:BKd4", "6C 4E", badTake("6C -> 4E", badColumn)},

		{"flying king: same row", "russian", "W:WKa1:Bh2", "8A 8C", badStep("8A -> 8C", sameRow)},
		{"flying king: not diagonal", "russian", "W:WKa1:Bh2", "8A 4D", badStep("8A -> 4D", badColumn)},
		{"flying king: occupied", "russian", "W:WKa1,d4:Bh2", "8A 5D", badStep("8A -> 5D", occupied)},
		{"flying king: over two", "russian", "W:WKa1:Bc3,d4", "8A 4E", badTake("8A -> 4E", badColumn)},
		{"flying king: over its own", "russian", "W:WKa1,c3:Bh8", "8A 4E", badTake("8A -> 4E", badColumn)},
		{"flying king: two steps", "russian", "W:WKa1:Bh2", "8A 6C 4E", badTake("8A -> 6C", badColumn)},
		{"flying king: over the same piece twice", "russian", "W:WKa1:Bc3", "8A 5D 8A", badTake("5D -> 8A", badColumn)},
		{"flying king: lands where it can't go on", "russian", "W:WKa1:Bc3,e7", "8A 5D", due},
		{"a man goes on as a king", "russian", "W:Wb6:Bc7,e7", "3B 1D", due},
		{"a man takes backward", "brazilian", "W:We5,a1:Bd4", "8A 7B", due},
	}
	for _, tt := range tests {
		t.Run(tt.rules+": "+tt.name, func(t *testing.T) {
			first, players := White, []gametest.Player{gametest.Script(tt.line), gametest.Gone}
			if strings.HasPrefix(tt.fen, "B") {
				first, players[0], players[1] = Black, players[1], players[0]
			}
			got := matchFrom(t, tt.rules, tt.fen, nil, players[0], players[1])
			want := turns[first] + "\n" + prompt + ">" + tt.line + "\n" + tt.want + prompt + "Game Over ;)\n\n"
			if _, after, _ := strings.Cut(got.Seats[first], []string{"Sei i Bianchi\n", "Sei i Neri\n"}[first]); after != want {
				t.Errorf("got\n%s\nwant\n%s", after, want)
			}
			if strings.Contains(got.Seats[1-first]+got.Spectators, strings.TrimSpace(tt.want)) {
				t.Errorf("the others received\n%s\nwant no refusal", got.Seats[1-first]+got.Spectators)
			}
		})
	}
}

func TestTurnOfRefusedPlayerEnds(t *testing.T) {
	abandoned := "Attendi il tuo turno!\n\nI bianchi hanno abbandonato la partita.\nI neri vincono la partita!\n\nGame Over ;)\n\n"
	again := prompt + ">x\n" + unparsable
	late := "\nTempo scaduto, hai esaurito il tempo per fare una mossa!\n"
	tests := []struct {
		name  string
		white gametest.Player
		turn  string // as white sees it
		ended string
		at    time.Duration
	}{
		{"by its clock", gametest.Slow(1, gametest.Endless("x")), strings.Repeat(again, 89) + prompt + late, "timeout", 90 * time.Second},
		{"by a hundred lines", gametest.Slow(0.25, gametest.Endless("x")), strings.Repeat(again, 100), "illegal", 25 * time.Second},
	}
	for _, r := range allRules {
		if r == &damath {
			continue
		}
		for _, tt := range tests {
			t.Run(r.Name+": "+tt.name, func(t *testing.T) {
				got := matchFrom(t, r.Name, "", nil, tt.white, gametest.Gone)
				if _, turn, _ := strings.Cut(got.Seats[White], turns[White]+"\n"); turn != tt.turn+"Game Over ;)\n\n" {
					t.Errorf("white's turn is\n%s\nwant\n%s", turn, tt.turn)
				}
				if !strings.HasSuffix(got.Seats[Black], abandoned) {
					t.Errorf("black received\n%s\nwant at its end\n%s", got.Seats[Black], abandoned)
				}
				if at := got.Answers[len(got.Answers)-1].At; at != tt.at {
					t.Errorf("it ended after %v, want %v", at, tt.at)
				}
				wantResult(t, got, driver.Ended("forfeit: "+tt.ended), "finished", 0, 1, "Ada forfeits: "+tt.ended)
			})
		}
	}
}

func TestRefusalsAreLimitedByTurn(t *testing.T) {
	white := slices.Concat(slices.Repeat([]string{"x"}, 99), []string{"6E 5D"}, slices.Repeat([]string{"x"}, 99), []string{"6C 5B"})
	got := matchFrom(t, "classic", "", nil, gametest.Script(white...), gametest.Script("3B 4A"))
	if n := strings.Count(got.Seats[0], prompt); n != 200 {
		t.Errorf("%d prompts, want 200", n)
	}
	wantResult(t, got, "finished", "forfeit: disconnected", 1, 0, "Bruno forfeits: disconnected")
}

func TestTabsAndCRsAreDropped(t *testing.T) {
	for _, line := range []string{"\t6e 5d", "6e \t 5d\t", "6\te \r5d", "6e\r \r5d"} {
		move := readClassic(board8, board8.start.Moves(&classic, nil), line)
		if move == nil {
			t.Errorf("%q is refused: %q, want 6E 5D", line, whyNot(&classic, &board8.start, line))
		} else if got := pathText(move, &board8.names, " "); got != "6E 5D" {
			t.Errorf("%q is read as %q, want 6E 5D", line, got)
		}
	}
}

func TestPairsOfSquaresAreEitherLegalOrRefused(t *testing.T) {
	for _, r := range allRules {
		random := newPCG(7)
		for range 40 {
			p := scattered(r.Board, random)
			legal := map[string]bool{}
			moves := p.Moves(r, nil)
			for _, m := range moves {
				legal[pathText(&m, &r.Board.names, " ")] = true
			}
			size := r.Board.size
			for from := range size * size {
				for to := range size * size {
					line := cellName(size, cell{from / size, from % size}) + " " + cellName(size, cell{to / size, to % size})
					m := readClassic(r.Board, moves, line)
					if (m != nil) != legal[line] {
						t.Fatalf("%s %s: %s: read %v, legal %v, want both or neither", r.Name, p.FEN(r), line, m, legal[line])
					}
					if m != nil && pathText(m, &r.Board.names, " ") != line {
						t.Fatalf("%s %s: %s is read as %s, want the same", r.Name, p.FEN(r), line, moveText(m))
					}
					if refusal := whyNot(r, &p, line); m == nil && refusal == "Presa obbligatoria!" && (!r.Due || p.Captures(r, nil) == nil) {
						t.Fatalf("%s %s: %s: got %q, want it only if a capture is due", r.Name, p.FEN(r), line, refusal)
					}
				}
			}
		}
	}
}
