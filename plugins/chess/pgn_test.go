package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"colosseum/sdk/gametest"

	"github.com/corentings/chess/v2"
)

// The viewer writes the notation, and the library, which knows nothing of it, reads it.
func TestMatchIsSavedAsPGN(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed: not testing the viewer")
	}
	code, err := os.ReadFile("viewer.js")
	if err != nil {
		t.Fatal(err)
	}
	type saved struct {
		params  map[string]string
		match   *gametest.Transcript
		outcome chess.Outcome
	}
	var matches []saved
	add := func(params map[string]string, got *gametest.Transcript) {
		outcome := chess.Outcome(chess.Draw)
		if got.Result.Seats[0].Score == 1 {
			outcome = chess.WhiteWon
		} else if got.Result.Seats[1].Score == 1 {
			outcome = chess.BlackWon
		}
		matches = append(matches, saved{params, got, outcome})
	}
	for seed := range uint64(12) {
		params := map[string]string{"start": special[seed%4], "bot": "random"}
		random := short(gametest.Random(seed), 60)
		add(params, gametest.MustPlay(t, gametest.Match{Game: &game, Args: params, Seed: seed, Players: []gametest.Player{random, nil}}))
	}
	add(map[string]string{}, played(t, nil, "f2 f3", "e7 e5", "g2 g4", "d8 h4"))
	add(map[string]string{}, played(t, nil, "DRAW", "DRAW"))
	type shown struct {
		Stream string         `json:"stream"`
		Match  map[string]any `json:"match"`
	}
	var input struct {
		Code    string  `json:"code"`
		Streams []shown `json:"streams"`
	}
	input.Code = string(code)
	for _, m := range matches {
		input.Streams = append(input.Streams, shown{m.match.Spectators, map[string]any{"role": "spectator", "params": m.params}}, shown{m.match.Seats[0], map[string]any{"role": "player", "params": m.params}})
	}
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "--input-type=module", "--eval", `
		const { code, streams } = JSON.parse((await import("node:fs")).readFileSync(0, "utf8"));
		globalThis.t = (text) => text;
		const viewer = await import("data:text/javascript," + encodeURIComponent(code));
		console.log(JSON.stringify(streams.map(({ stream, match }) => {
			const state = viewer.start(match);
			for (const line of stream.split("\n").slice(0, -1)) viewer.read(state, line.replace(/^>/, ""), line.startsWith(">"));
			const [file] = viewer.files(state, { id: "x", address: "http://127.0.0.1/match/x", started: "2026-01-31T14:05:00Z", result: null });
			return { ...file, rows: state.p.board };
		})));`)
	cmd.Stdin = strings.NewReader(string(text))
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []struct {
		Name, Text string
		Rows       []string
	}
	if err := json.Unmarshal(output, &files); err != nil {
		t.Fatal(err)
	}
	for i, m := range matches {
		for _, file := range files[2*i : 2*i+2] {
			read, err := chess.PGN(strings.NewReader(file.Text))
			if err != nil {
				t.Fatalf("match %d: the library reads\n%s\nand says %v", i, file.Text, err)
			}
			g := chess.NewGame(read)
			if file.Name != "PGN" || g.GetTagPair("White") != "Player0" || g.GetTagPair("Date") != "2026.01.31" || g.GetTagPair("Result") != string(m.outcome) {
				t.Errorf("match %d: got %s\n%s\nwant the names and the result %s", i, file.Name, file.Text, m.outcome)
			}
			if n := strings.Count(m.match.Spectators, "OK <"); len(g.Moves()) != n {
				t.Errorf("match %d: the library reads %d moves, want %d:\n%s", i, len(g.Moves()), n, file.Text)
			}
			for s, piece := range file.Rows {
				if got := fmt.Sprint(g.Position().Board().Piece(chess.Square(s)).Type()); got != strings.ToLower(piece) {
					t.Fatalf("match %d: the library has %q on %v, want %q:\n%s", i, got, chess.Square(s), piece, file.Text)
				}
			}
			for _, row := range strings.Split(file.Text, "\n") {
				if len(row) > 79 && !strings.HasPrefix(row, "[") {
					t.Errorf("match %d: a line has %d characters, want 79: %s", i, len(row), row)
				}
			}
		}
	}
}
