package main

import (
	"slices"
	"strings"
	"testing"

	"colosseum/sdk/gametest"
)

func TestBallotsAreLegalAndDifferent(t *testing.T) {
	for _, tt := range []struct {
		rules  string
		number int
		first  int // the side that begins
		// The last position of one opening, as its source has it: openings that are read
		// correctly by chance alone would lead elsewhere.
		one, fen string
	}{
		{"italian", 174, White, "21-17 10-13 17-10", "B:W10,22-32:B1-9,11,12"},
		{"english", 156, Black, "12-16 24-20 8-12", "W:W20-23,25-32:B1-7,9-12,16"},
		{"russian", 163, White, "cd4 de5 bc3 ef4 eg5 fh4", "W:W18,21,22,24,26-32:B1-9,12,20"},
	} {
		r := rulesNamed(tt.rules)
		list := ballots(r)
		if len(list) != tt.number {
			t.Errorf("%s: %d ballots, want %d", tt.rules, len(list), tt.number)
		}
		texts := map[string]bool{}
		for _, text := range list {
			o, err := parseOpening(r, text)
			if err != nil {
				t.Errorf("%s: %v", tt.rules, err)
				continue
			}
			if o.start.Turn != tt.first || texts[text] {
				t.Errorf("%s: %s begins with %s, or is there twice", tt.rules, text, sideNames[o.start.Turn])
			}
			texts[text] = true
			p := o.start
			for _, m := range o.moves {
				p.Play(&m)
			}
			if text == tt.one && p != mustFEN(t, r, tt.fen) {
				t.Errorf("%s: %s leads to %s, want %s", tt.rules, text, p.FEN(r), tt.fen)
			}
		}
		if !texts[tt.one] {
			t.Errorf("%s: there is no ballot %s", tt.rules, tt.one)
		}
	}
}

func TestOpeningThatCannotBePlayedIsRefused(t *testing.T) {
	tests := []struct{ rules, start, want string }{
		{"english", "nonsense", `nonsense: there is no move "nonsense" for white, want one of 22-17, 23-18, 24-19, 21-17, 22-18, 23-19, 24-20`},
		{"english", "1. 9-13 2. 5-9", `1. 9-13 2. 5-9: there is no move "5-9" for white, want one of 22-17, 23-18, 24-19, 21-17, 22-18, 23-19, 24-20`},
		{"italian", "21-18 10-14 21-17", `21-18 10-14 21-17: there is no move "21-17" for white, want one of 25-21, 23-20, 22-19, 26-21, 24-20, 23-19, 18-13`},
		{"italian", "21-18; ;22-18", "there is no opening between two ; or at an end"},
		{"italian", "21-18;", "there is no opening between two ; or at an end"},
		{"italian", "21-18;W:W18:B2,18", "there are two pieces on square 18"},
		{"spanish", "ballots", "we know no list of ballots for rules=spanish: write openings with ; between them, like 32-28 18-23; 33-29"},
		{"damath", "ballots", "rules=damath has only its usual start, because the chips would have no values elsewhere"},
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

func TestMoveOfAnOpeningIsReadInEachNotation(t *testing.T) {
	if err := checkStart(rulesNamed("brazilian"), "c3-d4 b6-a5; e3-d4 f6-g5; g3-f4 d6-c5"); err != nil { // in rules.md
		t.Error(err)
	}
	for _, tt := range []struct{ rules, word, fen, want string }{
		{"italian", "21-17", "", "21-17"},
		{"russian", "c3-d4", "", "22-18"},
		{"russian", "cd4", "", "22-18"},
		{"russian", "ce5", "W:Wc3:Bd4,h8", "22x15"},
		{"italian", "19-10", "W:W19:B14", "19x10"},
		{"brazilian", "1x10", "W:WK1:B6", "1x10"},
		{"international", "47x36", "W:W47:B42,32,31", "47x38x27x36"},
	} {
		r := rulesNamed(tt.rules)
		p := r.Board.start
		if tt.fen != "" {
			p = mustFEN(t, r, tt.fen)
		}
		m, err := moveOf(r, &p, tt.word)
		if got := moveNumbers(r, []Move{m}); err != nil || got != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.word, got, err, tt.want)
		}
	}
	r := rulesNamed("english")
	p := mustFEN(t, r, "W:Wd2:Bc3,e3,c5,e5,h8")
	want := `there are several moves "d2xd6", want all squares of one: 26x17x10, 26x19x10`
	if _, err := moveOf(r, &p, "d2xd6"); err == nil || err.Error() != want {
		t.Errorf("d2xd6: got the error %v, want %s", err, want)
	}
	if m, err := moveOf(r, &p, "26x19x10"); err != nil || moveNumbers(r, []Move{m}) != "26x19x10" {
		t.Errorf("26x19x10: got %s, %v", moveNumbers(r, []Move{m}), err)
	}
}

// The moves of an opening are in the stream as moves of a match are, and bots play on.
func TestMatchBeginsWithItsOpening(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{
		Game: &game, Args: map[string]string{"rules": "english", "start": "1. 9-13 22-18"}, Players: []gametest.Player{gametest.Gone, gametest.Gone},
	})
	first := drawn(".n.n.n.n", "n.n.n.n.", ".n.n.n.n", "........", "........", "b.b.b.b.", ".b.b.b.b", "b.b.b.b.")
	second := drawn(".n.n.n.n", "n.n.n.n.", "...n.n.n", "n.......", "........", "b.b.b.b.", ".b.b.b.b", "b.b.b.b.")
	third := drawn(".n.n.n.n", "n.n.n.n.", "...n.n.n", "n.......", "...b....", "b...b.b.", ".b.b.b.b", "b.b.b.b.")
	for _, stream := range []struct{ got, want string }{
		{got.Seats[0], first + "Sei i Bianchi\n3B 4A \n" + second + "6C 5D \n" + third + "Attendi il tuo turno!\n"},
		{got.Seats[1], first + "Sei i Neri\n3B 4A \n" + second + "6C 5D \n" + third + "Turno nero!\n"},
		{got.Spectators, first + "Il giocatore Player0 è i bianchi e il giocatore Player1 è i neri.\n" + second + third + "Turno nero!\n"},
	} {
		if !strings.Contains(stream.got, stream.want) {
			t.Errorf("got\n%s\nwant in it\n%s", stream.got, stream.want)
		}
	}
}

func TestBallotIsDrawnByTheSeed(t *testing.T) {
	for _, r := range []string{"italian", "english", "russian"} {
		var boards []string
		for seed := range uint64(8) {
			match := gametest.Match{
				Game: &game, Args: map[string]string{"rules": r, "start": "ballots"}, Seed: seed, Players: []gametest.Player{gametest.Gone, gametest.Gone},
			}
			got := gametest.MustPlay(t, match)
			if again := gametest.MustPlay(t, match); again.Spectators != got.Spectators {
				t.Errorf("%s, seed %d: got\n%s\nand then\n%s", r, seed, got.Spectators, again.Spectators)
			}
			if !slices.Contains(boards, got.Spectators) {
				boards = append(boards, got.Spectators)
			}
		}
		if len(boards) < 6 {
			t.Errorf("%s: %d different openings with 8 seeds, want 6 or more", r, len(boards))
		}
	}
}

func TestBotPlaysFromADrawnOpening(t *testing.T) {
	for _, start := range []string{"ballots", "W:WKa1,Kg1:Bh8,d6;B:WKa1,Kg1:Bh8,Ka3"} {
		for seat := range 2 {
			got := botMatch(t, seat, gametest.Random(1), 1, 6, map[string]string{"rules": "russian", "start": start})
			if got.Result.Reason == "" {
				t.Errorf("start=%s, seat %d: got no reason, want the match to be played to its end", start, seat)
			}
		}
	}
}

func FuzzOpening(f *testing.F) {
	for _, text := range []string{"", "1. 21-17 9-13 2. 25-21", "cd4 bc5 db6", "9-13;W:W1:B2", "14x23", "-", "x;", "1...", "W:W18:B2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range allRules {
			if r == &damath || checkStart(r, text) != nil {
				continue
			}
			for _, text := range openings(r, text) {
				o, err := parseOpening(r, text)
				if err != nil {
					t.Fatalf("%s: %q is accepted and then refused: %v", r.Name, text, err)
				}
				p := o.start
				for i := range o.moves {
					p.Play(&o.moves[i])
					checkInvariants(t, r.Board, &p)
				}
			}
		}
	})
}
