package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"colosseum/sdk/gametest"
)

// readPDN reads a game as the viewer writes it, and returns its last position.
func readPDN(t *testing.T, r *Rules, text string) Position {
	t.Helper()
	tags, moves, _ := strings.Cut(text, "\n\n")
	p := r.Board.start
	for _, tag := range strings.Split(tags, "\n") {
		if fen, ok := strings.CutPrefix(tag, `[FEN "`); ok {
			p = mustFEN(t, r, strings.TrimSuffix(fen, `"]`))
		}
	}
	for _, word := range strings.Fields(moves) {
		if strings.HasSuffix(word, ".") || word == "..." || strings.ContainsAny(word, "*/") || word == "1-0" || word == "0-1" {
			continue
		}
		squares := strings.FieldsFunc(word, func(c rune) bool { return c == 'x' || c == '-' })
		found := false
		for _, m := range p.Moves(r, nil) {
			same := int(m.Len) == len(squares) && strings.Contains(word, "x") == (m.Taken != 0)
			for i := 0; same && i < len(squares); i++ {
				set, err := squaresIn(r, squares[i])
				same = err == nil && set == bit(int(m.Path[i]))
			}
			if same {
				p.Play(&m)
				found = true
				break
			}
		}
		if !found {
			t.Fatalf("%s: %s is not legal in %s, want a legal move:\n%s", r.Name, word, p.FEN(r), text)
		}
	}
	return p
}

func TestMatchIsSavedAsPDN(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed: not testing the viewer")
	}
	code, err := os.ReadFile("viewer.js")
	if err != nil {
		t.Fatal(err)
	}
	starts := map[string]string{"english": "B:W21-32:B1-12", "russian": "W:WKa1,c3,e5:Bb8,f8,d6,Kh4", "international": "B:WK46,31-35:B16-20,K5"}
	openingFor := map[string]string{"english": "ballots", "italian": "ballots", "russian": "ballots", "international": "18-23 32-28 23x32"} // Black begins in two of them
	type shown struct {
		Stream string            `json:"stream"`
		Params map[string]string `json:"params"`
	}
	input := struct {
		Code    string  `json:"code"`
		Matches []shown `json:"matches"`
	}{Code: string(code)}
	var ends []string // the last boards
	for _, r := range allRules {
		if r == &damath {
			continue
		}
		for seed, start := range []string{"", starts[r.Name], openingFor[r.Name]} {
			params := map[string]string{"rules": r.Name, "start": start, "draw_after": "5"}
			got := gametest.MustPlay(t, gametest.Match{Game: &game, Args: params, Seed: uint64(seed), Players: []gametest.Player{gametest.Random(1), gametest.Random(2)}})
			input.Matches = append(input.Matches, shown{got.Spectators, params})
			header := "\n" + boardHeader(r.Board) + "\n"
			boards := strings.Split(got.Spectators, header)
			ends = append(ends, header+boards[len(boards)-2]+header)
		}
	}
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "--input-type=module", "--eval", `
		const { code, matches } = JSON.parse((await import("node:fs")).readFileSync(0, "utf8"));
		globalThis.t = (text) => text;
		const viewer = await import("data:text/javascript," + encodeURIComponent(code));
		console.log(JSON.stringify(matches.map(({ stream, params }) => {
			const state = viewer.start({ role: "spectator", params });
			for (const line of stream.split("\n").slice(0, -1)) viewer.read(state, line, false);
			return viewer.files(state, { id: "x", address: "http://127.0.0.1/match/x", started: "2026-01-31T14:05:00Z", result: { players: [{ rank: 1 }, { rank: 1 }] } })[0];
		})));`)
	cmd.Stdin = strings.NewReader(string(text))
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []struct{ Name, Text string }
	if err := json.Unmarshal(output, &files); err != nil {
		t.Fatal(err)
	}
	for i, m := range input.Matches {
		r := rulesNamed(m.Params["rules"])
		p := readPDN(t, r, files[i].Text)
		if got := newPicture(r.Board).of(&p); got != ends[i] {
			t.Errorf("%s: the PDN ends with\n%s\nwant\n%s\n%s", r.Name, got, ends[i], files[i].Text)
		}
		for _, want := range []string{`[White "Player0"]`, `[Date "2026.01.31"]`, `[Result "1/2-1/2"]`} {
			if files[i].Name != "PDN" || !strings.Contains(files[i].Text, want) {
				t.Errorf("%s: got %s\n%s\nwant %s", r.Name, files[i].Name, files[i].Text, want)
			}
		}
		start := m.Params["start"]
		usual := start == "" || start == "ballots" && r.Name != "english" // White begins in the usual position
		if strings.Contains(files[i].Text, "[FEN ") != (!usual || r == &classic || r.Name == "english") {
			t.Errorf("%s, start=%q: got\n%s\nwant a FEN unless the game begins as usual", r.Name, start, files[i].Text)
		}
		if start != "" && start == openingFor[r.Name] {
			checkOpening(t, r, start, files[i].Text)
		}
	}
}

// checkOpening checks that the moves of a game in PDN begin with an opening of the match.
func checkOpening(t *testing.T, r *Rules, start, pdn string) {
	t.Helper()
	_, moves, _ := strings.Cut(pdn, "\n\n")
	var words []string
	for _, word := range strings.Fields(moves) {
		if !strings.HasSuffix(word, ".") {
			words = append(words, word)
		}
	}
	for _, text := range openings(r, start) {
		o, err := parseOpening(r, text)
		if err != nil {
			t.Fatal(err)
		}
		game, err := parseOpening(r, strings.Join(words[:min(len(o.moves)+1, len(words))], " "))
		if err == nil && game.start == o.start && slices.Equal(game.moves[:len(o.moves)], o.moves) {
			return
		}
	}
	t.Errorf("%s, start=%s: got\n%s\nwant moves that begin with one of its openings", r.Name, start, pdn)
}
