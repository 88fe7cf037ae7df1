package main

import (
	"slices"
	"strings"
	"testing"
)

func TestDrawRulesCountOnlyKings(t *testing.T) {
	r := rulesNamed("english")
	p := mustFEN(t, r, "W:WKa1,a3:BKh8,h6")
	past := newHistory(r, 3, &p)
	play := func(text string) {
		t.Helper()
		for _, m := range p.Moves(r, nil) {
			if moveText(&m) == text {
				p.Play(&m)
				past.note(&p, &m)
				return
			}
		}
		t.Fatalf("%s is not legal in %s, want a legal move", text, p.FEN(r))
	}
	for _, text := range []string{"a1-b2", "h8-g7", "b2-a1", "g7-h8"} {
		play(text)
	}
	if past.quiet != 4 || past.count(p) != 2 {
		t.Errorf("quiet %d, position seen %d times; want 4 and 2", past.quiet, past.count(p))
	}
	play("a3-b4")
	if past.quiet != 0 || len(past.seen) != 1 {
		t.Errorf("a man's move leaves quiet %d and %d positions; want 0 and 1", past.quiet, len(past.seen))
	}
	for _, text := range []string{"h8-g7", "a1-b2", "g7-h8", "b2-a1", "h8-g7"} {
		play(text)
		if past.tooQuiet() {
			t.Fatalf("tooQuiet after %s, want not before six quiet plies", text)
		}
	}
	if play("a1-b2"); !past.tooQuiet() {
		t.Error("not tooQuiet after six quiet plies, want the limit of three moves of each side")
	}
}

func TestEachFederationHasItsLimits(t *testing.T) {
	tests := []struct {
		rules, fen, white, black string // a king of each side goes back and forth
		drawAfter                int
		want                     int // plies until the draw
		why                      string
	}{
		{"italian", "W:WKa1,a3:BKb8,d8", "a1-b2", "b8-a7", 0, 80, "quiet"},
		{"english", "W:WKa1,a3:BKb8,d8", "a1-b2", "b8-a7", 0, 80, "quiet"},
		{"spanish", "W:WKa1,a3:BKb8,d8", "a1-b2", "b8-a7", 0, 80, "quiet"},
		{"russian", "W:WKa1,c1,e1,g1:BKb8,d8,f8,h8", "a1-b2", "b8-a7", 0, 30, "quiet"},
		{"brazilian", "W:WKa1,c1,e1:BKb8,d8", "a1-b2", "b8-a7", 0, 40, "quiet"},
		{"international", "W:WKa1,c1:BKb10,d10", "a1-b2", "b10-a9", 0, 50, "quiet"},
		{"italian", "W:WKa1,a3:BKb8,d8", "a1-b2", "b8-a7", 3, 6, "quiet"},
		{"russian", "W:WKc1,Ke1,Kg1:BKb8", "c1-d2", "b8-a7", 0, 30, "three or more kings against one"},
		{"russian", "W:WKc1,Ke1,Kg1:BKb8", "c1-d2", "b8-a7", 20, 40, "quiet"},
		{"russian", "W:WKc1,e1,a3:BKg7", "c1-d2", "g7-h8", 0, 10, "three pieces against a king on the long diagonal"},
		{"russian", "W:WKc1,Ke1:BKb8", "c1-d2", "b8-a7", 0, 10, "at most two pieces against a king"},
		{"brazilian", "W:WKc1,Ke1:BKb8,Kh8", "c1-d2", "b8-a7", 0, 10, "at most two pieces on each side"},
		{"brazilian", "W:WKc1,Ke1,Kg1:BKb8", "c1-d2", "b8-a7", 0, 40, "quiet"},
		{"international", "W:WKc1,Ke1,Kg1:BKb10", "c1-d2", "b10-a9", 0, 32, "at most three pieces against a king"},
		{"international", "W:WKc1,Ke1:BKb10", "c1-d2", "b10-a9", 0, 10, "at most two pieces against a king"},
		{"international", "W:WKc1,Ke1,Kg1,Ki1:BKb10", "c1-d2", "b10-a9", 0, 50, "quiet"},
	}
	for _, tt := range tests {
		r := rulesNamed(tt.rules)
		p := mustFEN(t, r, tt.fen)
		past := newHistory(r, tt.drawAfter, &p)
		plies, why := 0, ""
		for ; why == "" && plies < 200; plies++ {
			from, to, _ := strings.Cut([]string{tt.white, tt.black}[p.Turn], "-")
			if plies/2%2 == 1 {
				from, to = to, from
			}
			m := Move{Len: 2}
			m.Path[0] = uint8(slices.Index(chessNames[:], from))
			m.Path[1] = uint8(slices.Index(chessNames[:], to))
			p.Play(&m)
			past.note(&p, &m)
			if limit := past.tooLong(); limit != nil {
				why = endingTexts[limit.Ending][1]
			} else if past.tooQuiet() {
				why = "quiet"
			}
		}
		if plies != tt.want || why != tt.why {
			t.Errorf("%s %s, draw_after %d: a draw after %d plies, %q, want %d, %q", tt.rules, tt.fen, tt.drawAfter, plies, why, tt.want, tt.why)
		}
	}
	for _, r := range []*Rules{&classic, &damath} {
		if past := newHistory(r, 0, &r.Board.start); past.limit != 0 || past.limits != nil {
			t.Errorf("%s: got the limits %d and %v, want none", r.Name, past.limit, past.limits)
		}
	}
}

// The count of an ending goes on when a man becomes a king, but not those of an unchanged
// number of pieces.
func TestPromotionBeginsOnlyUnchangedEndingsAgain(t *testing.T) {
	r := rulesNamed("russian")
	p := mustFEN(t, r, "W:WKa1,c7,Kg1:BKh4,h2")
	past := newHistory(r, 0, &p)
	if past.lasting[3] != 0 {
		t.Fatalf("got %v, want the ending of four or five pieces at 0", past.lasting)
	}
	for _, text := range []string{"a1-b2", "h4-g5", "c7-b8+"} {
		for _, m := range p.Moves(r, nil) {
			if moveText(&m) == text {
				p.Play(&m)
				past.note(&p, &m)
				break
			}
		}
		want := map[string]int{"a1-b2": 1, "h4-g5": 2, "c7-b8+": 0}[text]
		if past.lasting[3] != want {
			t.Errorf("after %s the ending has lasted %d plies, want %d", text, past.lasting[3], want)
		}
	}
}
