package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The positions are worked out by hand, for each special rule of a kind of draughts.
func TestCaptureRules(t *testing.T) {
	const circle = "W:WKd2:Bc3,c5,e3,e5"
	tests := []struct {
		name, rules, fen string
		want             string // sorted; + crowns
	}{
		{"a man cannot take a king", "italian", "W:Wc3:BKd4", "c3-b4"},
		{"a man cannot take a king", "classic", "W:Wc3:BKd4", "c3-b4"},
		{"a man takes a king", "english", "W:Wc3:BKd4", "c3xe5"},
		{"a man takes a king", "spanish", "W:Wc3:BKd4", "c3xe5"},

		{"a man does not take backward", "italian", "W:We5:Bd4", "e5-d6 e5-f6"},
		{"a man does not take backward", "english", "W:We5:Bd4", "e5-d6 e5-f6"},
		{"a man does not take backward", "spanish", "W:We5:Bd4", "e5-d6 e5-f6"},
		{"a man does not take backward", "classic", "W:We5:Bd4", "e5-d6 e5-f6"},
		{"a man takes backward", "russian", "W:We5:Bd4", "e5xc3"},
		{"a man takes backward", "brazilian", "W:We5:Bd4", "e5xc3"},
		{"a black man takes backward", "russian", "B:We5:Bd4", "d4xf6"},

		{"two pieces go before one", "italian", "W:Wa3,g3:Bb4,f4,f6", "g3xe5xg7"},
		{"two pieces go before one", "brazilian", "W:Wa3,g3:Bb4,f4,f6", "g3xe5xg7"},
		{"two pieces go before one", "spanish", "W:Wa3,g3:Bb4,f4,f6", "g3xe5xg7"},
		{"one piece can be taken where two could be", "english", "W:Wa3,g3:Bb4,f4,f6", "a3xc5 g3xe5xg7"},
		{"one piece can be taken where two could be", "russian", "W:Wa3,g3:Bb4,f4,f6", "a3xc5 g3xe5xg7"},
		{"nothing is due, not even the second piece", "classic", "W:Wa3,g3:Bb4,f4,f6", "a3xc5 g3-h4 g3xe5 g3xe5xg7"},

		{"a king takes before a man", "italian", "W:Wa3,Kg3:Bb4,f4", "g3xe5"},
		{"a man can take where a king could", "spanish", "W:Wa3,Kg5:Bb4,f6", "a3xc5 g5xd8 g5xe7"},
		{"two by a man go before one by a king", "italian", "W:Wa3,Kg3:Bb4,b6,f4", "a3xc5xa7"},
		{"a king before a man is taken", "italian", "W:WKa3,Kg3:Bb4,Kf4", "g3xe5"},
		{"a king before a man is taken, by a man too", "spanish", "W:Wa3,g3:Bb4,Kf4", "g3xe5"},
		{"a king is taken like a man", "brazilian", "W:Wa3,g3:Bb4,Kf4", "a3xc5 g3xe5"},
		{"the king that comes soonest", "italian", "W:WKa1,Kh8:BKb2,d4,g7,Ke7", "a1xc3xe5"},
		{"more pieces before kings", "spanish", "W:Wa3,g3:Bb4,b6,Kf4", "a3xc5xa7"},

		{"a crowned man stops", "english", "W:Wb6:Bc7,e7", "b6xd8+"},
		{"a crowned man stops", "italian", "W:Wb6:Bc7,e7", "b6xd8+"},
		{"a crowned man stops", "spanish", "W:Wb6:Bc7,e7", "b6xd8+"},
		{"a crowned man stops", "classic", "W:Wb6:Bc7,e7", "b6-a7 b6xd8+"},
		{"a crowned man goes on as a king", "russian", "W:Wb6:Bc7,e7", "b6xd8xf6+ b6xd8xg5+ b6xd8xh4+"},
		{"a man that passes the far row is not crowned", "brazilian", "W:Wb6:Bc7,e7", "b6xd8xf6"},
		{"a man that stops on the far row is crowned", "brazilian", "W:Wb6:Bc7", "b6xd8+"},

		{"a king flies over one piece to any square behind", "brazilian", "W:WKa1:Bc3", "a1xd4 a1xe5 a1xf6 a1xg7 a1xh8"},
		{"a king does not jump over two in a row", "russian", "W:WKa1:Bc3,d4", "a1-b2"},
		{"a king that flies cannot jump over its own piece", "spanish", "W:WKa1,c3:Bd4,f6", "c3xe5xg7"},
		{"a king steps any distance", "spanish", "W:WKa1:Bh6", "a1-b2 a1-c3 a1-d4 a1-e5 a1-f6 a1-g7 a1-h8"},
		{"a king steps one square", "english", "W:WKc3:Bh6", "c3-b2 c3-b4 c3-d2 c3-d4"},
		{"a king lands where it can go on", "russian", "W:WKa1:Bc3,e7", "a1xf6xd8"},
		{"every capture that cannot go on counts", "russian", "W:WKa1:Bc3,c7,e7", "a1xe5xb8 a1xf6xd8xa5 a1xf6xd8xb6"},
		{"most pieces for a king that flies", "brazilian", "W:WKa1:Bc3,c7,e7", "a1xf6xd8xa5 a1xf6xd8xb6"},
		{
			// The Turkish strike: if e3 were removed at once, the king could continue
			// from d2 over g5.
			"taken pieces stay on the board until the end", "brazilian", "W:WKc1:Bb6,c3,d6,e3,g5",
			"c1xf4xc7xa5xd2 c1xf4xc7xa5xe1",
		},

		{"a capture can end where it began", "english", circle, "d2xb4xd6xf4xd2 d2xf4xd6xb4xd2"},
		{"a capture can end where it began", "italian", circle, "d2xb4xd6xf4xd2 d2xf4xd6xb4xd2"},
		{
			"every landing square must be empty before the move", "classic", circle,
			"d2-c1 d2-e1 d2xb4 d2xb4xd6 d2xb4xd6xf4 d2xf4 d2xf4xd6 d2xf4xd6xb4",
		},
		{"no piece, no move", "italian", "W:W:B12", ""},
		{"blocked", "english", "W:Wa5:Bb6,c7", ""},

		{"a dama takes before a chip", "damath", "W:Wa3,Kg3:Bb4,f4", "g3xb8 g3xc7 g3xd6 g3xe5"},
		{"more chips before a dama takes", "damath", "W:Wa3,Kh6:Bb4,b6,g7", "a3xc5xa7"},
	}
	for _, tt := range tests {
		t.Run(tt.rules+": "+tt.name, func(t *testing.T) {
			r := rulesNamed(tt.rules)
			fen := tt.fen
			if r == &damath {
				fen = mirrored(fen) // the positions above have a square a1
			}
			p := mustFEN(t, r, fen)
			if got := strings.Join(moveTexts(p, r), " "); got != tt.want {
				t.Errorf("%s:\n got %s\nwant %s", tt.fen, got, tt.want)
			}
		})
	}
}

// mirrored returns a FEN with its columns reversed: h for a and so on.
func mirrored(fen string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'h' {
			return 'a' + 'h' - r
		}
		return r
	}, fen)
}

func TestFirstMovesHaveTheirUsualNumbers(t *testing.T) {
	tests := []struct {
		rules string
		turn  int
		want  string
	}{
		{"english", Black, "9-13 9-14 10-14 10-15 11-15 11-16 12-16"},
		{"italian", White, "21-17 21-18 22-18 22-19 23-19 23-20 24-20"},
		{"spanish", White, "9-13 10-13 10-14 11-14 11-15 12-15 12-16"},
	}
	for _, tt := range tests {
		t.Run(tt.rules, func(t *testing.T) {
			r := rulesNamed(tt.rules)
			p := r.Board.start
			p.Turn = tt.turn
			var got []string
			for _, m := range p.Moves(r, nil) {
				got = append(got, strconv.Itoa(numberOf(r, m.From()))+"-"+strconv.Itoa(numberOf(r, m.To())))
			}
			want := strings.Fields(tt.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestFENIsReadAndWritten(t *testing.T) {
	for _, r := range allRules {
		p := mustFEN(t, r, "B:WK3,21-24,29:B1,K32.")
		if got, want := p.FEN(r), "B:WK3,21,22,23,24,29:B1,K32"; got != want {
			t.Errorf("%s: got %s, want %s", r.Name, got, want)
		}
	}
	a := mustFEN(t, &classic, "W:Wb8,h8,Ka1:Bg1")
	b := mustFEN(t, &classic, "W:W1,4,K29:B32")
	if a != b {
		t.Errorf("got %+v from names, want %+v as from numbers", a, b)
	}
	a = mustFEN(t, &damath, "W:Wa8,g8,Kb1:Bh1")
	b = mustFEN(t, &damath, "W:W1,4,K29:B32")
	if a != b {
		t.Errorf("damath: got %+v from names, want %+v as from numbers", a, b)
	}
}
