// Package tutorial follows the pages for authors of games.
package tutorial

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
)

func TestMain(m *testing.M) { programs.Main(m, nil) }

// TestTutorial follows docs/writing-a-game.md: it saves the files, runs the commands, and
// compares the output. The info string of a code block is its kind:
//
//	go FILE, python FILE, …  a whole file of the game
//	diff FILE                a change of a file
//	console                  commands, after a $, and their output
//	console host             log lines of the running host since the last save
//	sh                       commands that the test does not run
//
// In output, … is any text in a line or, alone on a line, any lines. The test types the
// text after NAME>. A comment replace "A" by "B" in FILE is a change that the text of the
// page asks for.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a game and plays many matches")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	text, err := os.ReadFile(programs.Root + "/docs/writing-a-game.md")
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t)
	ran := map[string]int{}
	for _, b := range blocksOf(string(text)) {
		language, rest, _ := strings.Cut(b.info, " ")
		ran[language]++
		switch {
		case language == "sh":
		case language == "replace":
			r.edit(b)
		case language == "diff":
			r.patch(rest, b.text)
		case language == "console" && rest == "host":
			r.watchHost(b.text)
		case language == "console":
			r.run(b.text)
		case rest != "":
			r.save(rest, b.text)
		default:
			t.Errorf("got a code block %q, want one of the known kinds", b.info)
		}
	}
	if ran["console"] < 10 || ran["diff"] < 4 || ran["go"] < 4 || ran["replace"] != 2 {
		t.Errorf("got blocks %v, want at least 10 console, 4 diff and 4 go, and 2 replace", ran)
	}
	r.view("viewer.js")
	r.host.Stop(t, syscall.SIGTERM)
}

// block is a code block of a page, or a comment that asks for a change.
type block struct{ info, text string }

func blocksOf(page string) (list []block) {
	fence := ""
	for line := range strings.Lines(page) {
		trimmed := strings.TrimSuffix(line, "\n")
		ticks := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		switch {
		case fence != "" && trimmed == fence:
			fence = ""
		case fence != "":
			list[len(list)-1].text += line
		case len(ticks) >= 3:
			fence = ticks
			list = append(list, block{info: trimmed[len(ticks):]})
		case strings.HasPrefix(line, "<!-- replace "):
			list = append(list, block{info: strings.TrimSuffix(strings.TrimPrefix(trimmed, "<!-- "), " -->")})
		}
	}
	return list
}

// reader follows the steps of the page, in a folder that it uses as Colosseum's source
// without other games.
type reader struct {
	t      *testing.T
	root   string
	dir    string            // working directory of the commands
	env    []string          // environment of the commands
	host   *programs.Host    // nil before its start
	seen   int               // lines of its log before the last save
	match  string            // the ID printed last
	sparse *strings.Replacer // of commands and output, to play fewer matches
}

func newReader(t *testing.T) *reader {
	root := programs.NewFolder(t).Dir
	for _, dir := range []string{"plugins", "configs"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := programs.Tool(t, t.TempDir()) // for its environment
	return &reader{
		t: t, root: root, dir: root, env: append(cmd.Env, "PATH="+programs.Bin+string(filepath.ListSeparator)+os.Getenv("PATH")),
		sparse: strings.NewReplacer("-n 100", "-n 6", "100 matches", "6 matches", "│ 100 ", "│ 6   "),
	}
}

func (r *reader) path(file string) string { return filepath.Join(r.root, "plugins", "connect4", file) }

// save writes a file of the game. If the host runs and logs that it has read such a
// file, save waits for that.
func (r *reader) save(file, text string) {
	r.t.Helper()
	if r.host != nil {
		r.seen = r.host.Mark()
	}
	if err := os.WriteFile(r.path(file), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
	if r.host != nil && (file == "rules.md" || strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go")) {
		r.host.AwaitAfter(r.t, r.seen, "game=connect4")
	}
}

func (r *reader) read(file string) string {
	r.t.Helper()
	text, err := os.ReadFile(r.path(file))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// change replaces a text that the file must contain exactly once.
func (r *reader) change(file, old, changed string) {
	r.t.Helper()
	text := r.read(file)
	if n := strings.Count(text, old); n != 1 {
		r.t.Fatalf("%s: got the text %d times, want it once:\n%s", file, n, old)
	}
	r.save(file, strings.Replace(text, old, changed, 1))
}

var replacement = regexp.MustCompile(`^replace "(.+)" by "(.+)" in (\S+)$`)

func (r *reader) edit(b block) {
	r.t.Helper()
	m := replacement.FindStringSubmatch(b.info)
	if m == nil {
		r.t.Fatalf("got the comment %q, want replace \"A\" by \"B\" in FILE", b.info)
	}
	r.change(m[3], m[1], m[2])
}

func (r *reader) patch(file, diff string) {
	r.t.Helper()
	var old, changed string
	for line := range strings.Lines(diff) {
		if line[0] != '+' {
			old += line[1:]
		}
		if line[0] != '-' {
			changed += line[1:]
		}
	}
	r.change(file, old, changed)
}

// watchHost waits for lines of the host's log. It starts the host if the text begins with
// its command.
func (r *reader) watchHost(text string) {
	r.t.Helper()
	if rest, ok := strings.CutPrefix(text, "$ host --config configs/dev.yaml\n"); ok {
		config, err := os.ReadFile(programs.Root + "/configs/dev.yaml")
		if err != nil {
			r.t.Fatal(err)
		}
		here := strings.Replace(string(config), "plugins:\n", "plugins:\n  folders: ["+filepath.Join(r.root, "plugins")+"]\n", 1)
		r.host = programs.StartHostWith(r.t, r.t.TempDir(), here)
		text = strings.ReplaceAll(rest, "127.0.0.1:8088", "…")
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line == "…" {
			continue
		}
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + "$")
		found := r.host.AwaitAfter(r.t, r.seen, longest(line))
		if !pattern.MatchString(found) {
			r.t.Errorf("log of the host: got\n%s\nwant\n%s", found, line)
		}
	}
}

// longest returns the longest part of a line without ….
func longest(line string) (part string) {
	for p := range strings.SplitSeq(line, "…") {
		if len(p) > len(part) {
			part = p
		}
	}
	return part
}

// run runs the commands of a block and compares their output.
func (r *reader) run(text string) {
	r.t.Helper()
	for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		if dir, ok := strings.CutPrefix(command, "cd "); ok {
			r.dir = filepath.Join(r.dir, dir)
			continue
		}
		want, typed := typedIn(strings.TrimSuffix(want, "\n"))
		got := r.shell(command, typed)
		if !pattern(r.sparse.Replace(want)).MatchString(strings.TrimRight(got, "\n")) {
			r.t.Errorf("$ %s\ngot\n%s\nwant\n%s", command, got, want)
		}
		if _, id, ok := strings.Cut(got, "new game with id "); ok {
			r.match = strings.TrimSpace(id)
		}
	}
}

// shell runs a command, with the options that the test needs, and returns its output.
func (r *reader) shell(command, typed string) string {
	r.t.Helper()
	name, rest, _ := strings.Cut(r.sparse.Replace(command), " ")
	switch {
	case name == "coco":
		rest = "-s " + r.host.URL + " " + strings.Replace(rest, " ID ", " "+r.match+" ", 1)
	case strings.HasPrefix(rest, "new "): // by default it creates the folder in the source
		rest += " --dir plugins"
	}
	cmd := exec.Command("sh", "-c", name+" "+rest)
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env, strings.NewReader(typed)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("$ %s\n%sgot %v, want no error", command, out, err)
	}
	return strings.ReplaceAll(string(out), "colosseum/e2e/tutorial/"+filepath.Base(r.root)+"/", "colosseum/")
}

var prompt = regexp.MustCompile(`(?m)^(\w+> )(\S.*)\n`)

// typedIn separates the typed texts from the output.
func typedIn(text string) (printed, typed string) {
	for _, m := range prompt.FindAllStringSubmatch(text, -1) {
		typed += m[2] + "\n"
	}
	return prompt.ReplaceAllString(text, "$1"), typed
}

// pattern returns the regular expression for an output.
func pattern(text string) *regexp.Regexp {
	expression := `\A`
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i > 0 && !strings.HasSuffix(expression, `)*?`) {
			expression += `\n`
		}
		if line == "…" {
			expression += `(?:.*(?:\n|\z))*?`
			continue
		}
		expression += strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
	}
	return regexp.MustCompile(expression + `\z`)
}

// view runs the viewer on the match of a spectator, and on that of a player.
func (r *reader) view(file string) {
	r.t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		r.t.Log("node is not installed: the viewer is not tested")
		return
	}
	script := fmt.Sprintf(`
		const { start, read, status, draw } = await import("file://" + %q);
		const make = (tag, attributes, ...children) => ({ tag, attributes, children: children.flat(9).filter((c) => c) });
		const count = (e, tag, fill) => (e.tag === tag && (!fill || e.attributes.fill === fill) ? 1 : 0) + (e.children ?? []).reduce((n, c) => n + count(c, tag, fill), 0);
		for (const [role, stream] of [["spectator", "ann bob 1 2 1 2 1 2 1"], ["player", "1 GO >2 1 GO >2 1 GO"]]) {
			const state = start({ role, me: role === "player" ? "bob" : null, params: {}, seats: 2, bots: 0 });
			let moves = 0;
			for (const line of stream.split(" ")) moves += read(state, line.replace(">", ""), line[0] === ">") ? 1 : 0;
			let sent;
			const board = draw(state, { svg: make, html: make, playing: role === "player", send: (line) => (sent = line) });
			board.children.findLast((c) => c.attributes.onclick)?.attributes.onclick();
			const s = status(state);
			console.log(role, moves, count(board, "circle"), count(board, "circle", "var(--first)"), s.players[0].name, s.seat, s.turn, s.choices.length, sent);
		}`, r.path(file))
	cmd := exec.Command(node, "--experimental-default-type=module", "--input-type=module", "-e", script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("viewer: got %v, want no error\n%s", err, out)
	}
	if got, want := string(out), "spectator 7 42 4 ann null 1 0 undefined\nplayer 5 42 3 First 1 1 7 7\n"; got != want {
		r.t.Errorf("viewer: got\n%s\nwant\n%s", got, want)
	}
}
