package main

import (
	"strings"
	"testing"

	"colosseum/sdk/gametest"
)

// mustFEN reads a position, which need not be one in which a match can begin.
func mustFEN(t testing.TB, r *Rules, text string) Position {
	t.Helper()
	p, err := parseFEN(r, text)
	if err != nil {
		t.Fatalf("FEN %q: %v", text, err)
	}
	return p
}

func TestStartThatCannotBePlayedIsRefused(t *testing.T) {
	tests := []struct{ rules, start, want string }{
		{"italian", ":", "want the side to move and the pieces of both sides, like W:W18,24,K10:B12,16,K22"},
		{"italian", "W:W18", "want the side to move and the pieces of both sides, like W:W18,24,K10:B12,16,K22"},
		{"italian", "w:W18:B2", `the side to move is "w", want W or B before the first colon`},
		{"italian", ":W18:B2", `the side to move is "", want W or B before the first colon`},
		{"italian", "W:W18:W2", "want the pieces of white after :W and those of black after :B, once each"},
		{"italian", "W:W18:", "want the pieces of white after :W and those of black after :B, once each"},
		{"italian", "W:W18:Bx", `"x" is not a square, want a number from 1 to 32 or a name like a1`},
		{"italian", "W:W18:B33", `"33" is not a square, want a number from 1 to 32 or a name like a1`},
		{"italian", "W:W18:B0", `"0" is not a square, want a number from 1 to 32 or a name like a1`},
		{"italian", "W:W18:B9-7", `"9-7" is not a square, want a number from 1 to 32 or a name like a1`},
		{"italian", "W:W18,,19:B2", `"" is not a square, want a number from 1 to 32 or a name like a1`},
		{"italian", "W:W18:Ba10", `"a10" is not a square, want a number from 1 to 32 or a name like a1`},
		{"international", "W:W18:B51", `"51" is not a square, want a number from 1 to 50 or a name like i1`},
		{"italian", "W:W18:B2,18", "there are two pieces on square 18"},
		{"italian", "W:W:B2", "white has 0 pieces, want 1 to 12"},
		{"italian", "W:W18-30:B2", "white has 13 pieces, want 1 to 12"},
		{"international", "W:W30-50:B2", "white has 21 pieces, want 1 to 20"},
		{"italian", "W:W18:B2,31", "black has a man on square 31, where it would be a king: write K31"},
		{"english", "W:Wb8:B12", "white has a man on square 1, where it would be a king: write K1"},
		{"english", "W:Wa5:Bb6,c7", "white is to move and has no move"},
		{"damath", "W:W18:B2", "rules=damath has only its usual start, because the chips would have no values elsewhere"},
	}
	for _, tt := range tests {
		_, err := gametest.Play(gametest.Match{
			Game: &game, Args: map[string]string{"rules": tt.rules, "start": tt.start}, Players: []gametest.Player{gametest.Gone, gametest.Gone},
		})
		if want := "Invalid parameter start: " + tt.want; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s, start=%q: got the error %v, want %s", tt.rules, tt.start, err, want)
		}
	}
}

func TestMatchBeginsAtTheStart(t *testing.T) {
	tests := []struct{ rules, start, board, first string }{
		{"classic", "B:W32,Kc1:B1,K9.", drawn(".n......", "........", ".N......", "........", "........", "........", "........", "..B...b."), turns[Black]},
		{"italian", "W: W32, 30: B1-2", drawn(".....n.n", "........", "........", "........", "........", "........", "........", "b...b..."), turns[White]},
	}
	for _, tt := range tests {
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Args: map[string]string{"rules": tt.rules, "start": tt.start}, Players: []gametest.Player{gametest.Gone, gametest.Gone},
		})
		want := "Player0\nPlayer1\nAvvio la partita di dama...\n" + tt.board + "Il giocatore Player0 è i bianchi e il giocatore Player1 è i neri.\n" + tt.first + "\n"
		if !strings.HasPrefix(got.Spectators, want) {
			t.Errorf("%s, start=%s: got\n%s\nwant it to begin with\n%s", tt.rules, tt.start, got.Spectators, want)
		}
	}
}

func TestBotPlaysFromTheStart(t *testing.T) {
	for _, start := range []string{"W:WKa1,Kg1:Bh8", "B:WKa1,Kg1:Bh8,Ka3"} {
		for seat := range 2 {
			got := botMatch(t, seat, gametest.Random(1), 1, 4, map[string]string{"rules": "russian", "start": start})
			if got.Result.Reason == "" {
				t.Errorf("start=%s, seat %d: got no reason, want the match to be played to its end", start, seat)
			}
		}
	}
}

func FuzzFEN(f *testing.F) {
	for _, text := range []string{"", "W:W18,24,K10:B12,16,K22.", "B:Wa1,Kc3:Bh8", "W:W1-32:B", "W:W:B:", "W:WK:B-", "W:W1-:B-1", "B:W46-50:B1-5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range allRules {
			p, err := parseFEN(r, text)
			if err != nil {
				continue
			}
			if again := mustFEN(t, r, p.FEN(r)); again != p {
				t.Errorf("%s: %q is read as %+v, and %q as %+v, want the same", r.Name, text, p, p.FEN(r), again)
			}
			if p.check(r) == nil {
				checkInvariants(t, r.Board, &p)
			}
		}
	})
}
