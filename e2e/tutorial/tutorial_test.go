// Package tutorial follows the pages that lead through something step by step.
package tutorial

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
)

func TestMain(m *testing.M) { programs.Main(m, nil) }

// memory is a line of the hosts' configuration, in plugins. With the race detector a script
// needs most of the usual limit, 512 MB, before it runs a game.
const memory = "memory_mb: 2048"

// pages are the documents that the test follows.
var pages = []page{
	{
		file: "writing-a-game.md", files: "plugins/connect4", needs: []string{"python3"},
		kinds: map[string]int{"console": 10, "diff": 4, "go": 4, "replace": 2},
		end:   func(r *reader) { r.view("viewer.js") },
	},
	{file: "tick-game.md", files: "plugins/coins", needs: []string{"python3"}, kinds: map[string]int{"console": 3, "go": 2}},
	{file: "first-bot.md", games: []string{"kamisado"}, needs: []string{"python3", "curl"}, kinds: map[string]int{"console": 10, "diff": 2}},
	{file: "questions.md", games: []string{"kamisado", "roshambo"}, needs: []string{"python3"}, kinds: map[string]int{"console": 9}},
	{
		file: "debugging.md", files: "plugins/stones", needs: []string{"python3"}, kinds: map[string]int{"console": 12, "diff": 6},
		busy: []string{"the loop in play does not end", "the game was silent for 3s"}, // the game needs time to find the loop
	},
	{
		file: "teachers.md", games: []string{"kamisado"}, needs: []string{"python3", "curl"}, kinds: map[string]int{"console": 11, "yaml": 3},
		sparse: []string{"pace: 0.2", "pace: 0", "timeout: 5  ", "timeout: 600"}, // dan waits until the contest was paused
	},
}

// TestPages follows each page in a folder and with a host of its own, as a reader would:
// it saves the files, runs the commands, and compares the output.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, p := range pages {
		t.Run(strings.TrimSuffix(p.file, ".md"), func(t *testing.T) {
			t.Parallel()
			p.follow(t)
		})
	}
}

// view runs the viewer on the match of a spectator, and on that of a player.
func (r *reader) view(file string) {
	r.t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		r.t.Log("node is not installed: the viewer is not tested")
		return
	}
	shapes, err := filepath.Abs("../../host/internal/clients/site/frame/shapes.js")
	if err != nil {
		r.t.Fatal(err)
	}
	script := fmt.Sprintf(`
		const { start, read, status, draw } = await import("file://" + %q);
		const shapes = new Function((await import("node:fs")).readFileSync(%q, "utf8") + "; return shapes;")();
		const make = (tag, attributes, ...children) => ({ tag, attributes, children: children.flat(9).filter((c) => c) });
		const count = (e, is) => (is(e.attributes ?? {}) ? 1 : 0) + (e.children ?? []).reduce((n, c) => n + count(c, is), 0);
		for (const [role, stream] of [["spectator", "ann bob 1 2 1 2 1 2 1"], ["player", "1 GO >2 1 GO >2 1 GO"]]) {
			const state = start({ role, me: role === "player" ? "bob" : null, params: {}, seats: 2, bots: 0 });
			let moves = 0;
			for (const line of stream.split(" ")) moves += read(state, line.replace(">", ""), line[0] === ">") ? 1 : 0;
			let sent;
			const board = draw(state, { ...shapes(make), svg: make, html: make, playing: role === "player", send: (line) => (sent = line) });
			board.children.findLast((c) => c.attributes.onclick)?.attributes.onclick();
			const s = status(state);
			console.log(role, moves, count(board, (a) => a.square), count(board, (a) => "piece" in a), count(board, (a) => a.class === "face first"), s.players[0].name, s.seat, s.turn, s.choices.length, sent);
		}`, r.path(file), shapes)
	cmd := exec.Command(node, "--experimental-default-type=module", "--input-type=module", "-e", script)
	out, err := outputOf(r.t, cmd)
	if err != nil {
		r.t.Fatalf("viewer: got %v, want no error\n%s", err, out)
	}
	if got, want := out, "spectator 7 42 7 4 ann null 1 0 undefined\nplayer 5 42 5 3 First 1 1 7 7\n"; got != want {
		r.t.Errorf("viewer: got\n%s\nwant\n%s", got, want)
	}
}
