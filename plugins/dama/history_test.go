package main

import "testing"

func TestDrawRulesCountOnlyKings(t *testing.T) {
	r := rulesNamed("english")
	p := parseFEN(t, r, "W:WKa1,a3:BKh8,h6")
	past := newHistory(r, 3, &p)
	play := func(text string) {
		t.Helper()
		for _, m := range p.Moves(r, nil) {
			if moveText(&m) == text {
				past.note(&p, &m)
				p.Play(&m)
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

func TestFortyKingMovesDrawUnlessClassic(t *testing.T) {
	for _, r := range allRules {
		past := newHistory(r, 0, &start)
		want := 80
		if r == &classic || r == &damath {
			want = 0
		}
		if past.limit != want {
			t.Errorf("%s: the limit is %d plies, want %d", r.Name, past.limit, want)
		}
	}
}
