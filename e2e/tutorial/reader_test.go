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
	"colosseum/internal/test/poll"
)

// usual is the address of a host in the pages. Those of the tests have others.
const usual = "127.0.0.1:8088"

// reader follows the steps of a page, in a folder that it uses as Colosseum's source
// without other games.
type reader struct {
	t       *testing.T
	root    string
	files   string            // folder of the page's files
	dir     string            // working directory of the commands
	tools   string            // folder of the programs
	env     []string          // environment of the commands
	host    *programs.Host    // nil before its start
	address string            // of the host
	seen    int               // lines of its log before the last save
	match   string            // the ID printed last
	sparse  *strings.Replacer // of files, commands and output, to play fewer or shorter matches
	busy    []string          // of the page
}

// These stand for the programs, and add the options that the test needs.
const (
	cocoProgram = `#!/bin/sh
test "$1" = -s || set -- -s "ws://$(cat '%[1]s/address')/" "$@"
exec '%[2]s/coco' "$@"
`
	hostProgram = `#!/bin/sh
test "$1" = --config || set -- --config '%[1]s/host.yaml' "$@"
test "$3" != new || set -- "$@" --dir plugins
exec '%[2]s/host' "$@"
`
)

func newReader(t *testing.T, p page) *reader {
	r := &reader{t: t, root: programs.NewFolder(t).Dir, tools: t.TempDir(), sparse: strings.NewReplacer(p.sparse...), busy: p.busy}
	r.dir, r.files = r.root, filepath.Join(r.root, p.files)
	folders := "plugins:\n  folders: [" + filepath.Join(r.root, "plugins") + "]\n  " + memory + "\n"
	dev, err := os.ReadFile(programs.Root + "/configs/dev.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(r.root, "configs/dev.yaml"): strings.Replace(string(dev), "plugins:\n", folders, 1),
		filepath.Join(r.tools, "host.yaml"):       folders,
		filepath.Join(r.tools, "coco"):            fmt.Sprintf(cocoProgram, r.tools, programs.Bin),
		filepath.Join(r.tools, "host"):            fmt.Sprintf(hostProgram, r.tools, programs.Bin),
	} {
		r.write(path, text, 0o755)
	}
	r.write(filepath.Join(r.root, "plugins", ".empty"), "", 0o644)
	for _, game := range p.games {
		r.build(game)
	}
	// A program that chooses between versions of Python would take most of the time.
	if python, err := outputOf(t, exec.Command("python3", "-c", "import sys; print(sys.executable, end='')")); err == nil {
		r.write(filepath.Join(r.tools, "python3"), "#!/bin/sh\nexec '"+python+"' \"$@\"\n", 0o755)
	}
	r.env = append(programs.Tool(t, t.TempDir()).Env,
		"PATH="+r.tools+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -vet=off -ldflags=-w", // half of the time of go test; the pages run go vet
		"PYTHONUNBUFFERED=", "COCO_LANG=en", "COLUMNS=200")
	return r
}

// build builds a game into the reader's plugins.
func (r *reader) build(game string) {
	r.t.Helper()
	from, to := filepath.Join(programs.Root, "plugins", game), filepath.Join(r.root, "plugins", game)
	rules, err := os.ReadFile(filepath.Join(from, "rules.md"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.write(filepath.Join(to, "rules.md"), string(rules), 0o644)
	if err := os.CopyFS(filepath.Join(to, "players"), os.DirFS(filepath.Join(from, "players"))); err != nil {
		r.t.Fatal(err)
	}
	if err := programs.Build("colosseum/plugins/"+game, filepath.Join(to, game), false); err != nil {
		r.t.Fatal(err)
	}
}

// write saves a file, in a new folder if need be.
func (r *reader) write(path, text string, mode os.FileMode) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	programs.SaveFile(r.t, path, text, mode)
}

func (r *reader) path(file string) string { return filepath.Join(r.files, file) }

// save writes a file of the page. If the host runs and logs that it has read such a
// file, save waits for that.
func (r *reader) save(file, text string) {
	r.t.Helper()
	if r.host != nil {
		r.seen = r.host.Mark()
	}
	r.write(r.path(file), r.sparse.Replace(text), 0o644)
	if r.host != nil && r.files != r.root && (file == "rules.md" || strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go")) {
		r.host.AwaitAfter(r.t, r.seen, "game="+filepath.Base(r.files))
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
// its command, and ends it if it begins with ^C.
func (r *reader) watchHost(text string) {
	r.t.Helper()
	if rest, ok := strings.CutPrefix(text, "^C\n"); ok {
		r.host.Stop(r.t, syscall.SIGINT)
		text, r.seen = rest, 0
	}
	if command, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(command, "$ host") {
		config, args := filepath.Join(r.tools, "host.yaml"), strings.Fields(command)[2:]
		if len(args) > 1 && args[0] == "--config" {
			config = filepath.Join(r.root, args[1])
		}
		settings, err := os.ReadFile(config)
		if err != nil {
			r.t.Fatal(err)
		}
		r.host = programs.StartHostWith(r.t, filepath.Join(r.root, "data"), string(settings))
		r.seen = 0
		r.address = strings.TrimSuffix(strings.TrimPrefix(r.host.URL, "ws://"), "/")
		r.write(filepath.Join(r.tools, "address"), r.address, 0o644)
		text = rest
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "…" {
			line = strings.ReplaceAll(line, usual, r.address)
			expression := pattern(line).String()
			if len(r.busy) > 0 && strings.Contains(line, r.busy[0]) {
				expression += "|" + regexp.QuoteMeta(r.busy[1])
			}
			r.host.AwaitMatch(r.t, r.seen, regexp.MustCompile(expression))
		}
	}
}

// terminal starts a program that goes on, in the terminal of somebody with their own
// configuration.
func (r *reader) terminal(name, command string) {
	r.t.Helper()
	cmd := r.command("exec " + command)
	cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+filepath.Join(r.root, ".config", name))
	programs.StartDaemon(r.t, cmd)
}

// run runs the commands of a block and compares their output.
func (r *reader) run(text string, fails bool) {
	r.t.Helper()
	for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		if dir, ok := strings.CutPrefix(command, "cd "); ok {
			r.dir = filepath.Join(r.dir, dir)
			continue
		}
		want, typed := typedIn(strings.TrimSuffix(want, "\n"))
		got, err := r.shell(command, typed)
		if (err != nil) != fails {
			r.t.Fatalf("$ %s\n%sgot %v, want an error: %v", command, got, err, fails)
		}
		if !pattern(r.sparse.Replace(want)).MatchString(strings.TrimRight(got, "\n")) {
			r.t.Errorf("$ %s\ngot\n%s\nwant\n%s", command, got, want)
		}
	}
}

var (
	created     = regexp.MustCompile(`(?:new game with id|Created match) (\w+)`)
	placeholder = regexp.MustCompile(`\bID\b`)
	// progress is printed only on a machine that takes long for a command.
	progress = regexp.MustCompile(`(?m)^\d+ of \d+ matches, .* left.*\n`)
)

// command returns a command that has not started.
func (r *reader) command(text string) *exec.Cmd {
	text = strings.ReplaceAll(r.sparse.Replace(text), usual, r.address)
	cmd := exec.Command("sh", "-c", placeholder.ReplaceAllString(text, r.match))
	cmd.Dir, cmd.Env = r.dir, append(r.env, "XDG_CONFIG_HOME="+filepath.Join(r.root, ".config", "reader"))
	return cmd
}

// shell runs a command and returns its output.
func (r *reader) shell(command, typed string) (string, error) {
	cmd := r.command(command)
	cmd.Stdin = strings.NewReader(typed)
	out, err := outputOf(r.t, cmd)
	if m := created.FindStringSubmatch(out); m != nil {
		r.match = m[1]
	}
	text := strings.ReplaceAll(progress.ReplaceAllString(out, ""), programs.Bin+"/", "") // as if it was on the path
	text = strings.ReplaceAll(text, "colosseum/e2e/tutorial/"+filepath.Base(r.root)+"/", "colosseum/")
	if r.address != "" {
		text = strings.ReplaceAll(text, r.address, usual)
	}
	return text, err
}

var awaited = regexp.MustCompile(`^until "(.+)" in (.+)$`)

func (r *reader) until(b block) {
	r.t.Helper()
	m := awaited.FindStringSubmatch(b.info)
	if m == nil {
		r.t.Fatalf("got the comment %q, want until \"TEXT\" in COMMAND", b.info)
	}
	poll.Until(r.t, fmt.Sprintf("%s prints %q", m[2], m[1]), func() bool {
		out, err := r.shell("sleep 0.2; "+m[2], "") // each try starts a program
		return err == nil && strings.Contains(out, m[1])
	})
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
