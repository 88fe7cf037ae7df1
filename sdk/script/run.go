package script

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/traefik/yaegi/interp"

	"colosseum/sdk"
	"colosseum/sdk/script/symbols"
)

// interpreter is one script, compiled to what the interpreter runs. Its
// functions may be called by any number of goroutines at once.
type interpreter struct {
	*source
	yaegi   *interp.Interpreter
	program *interp.Program
	trace   *trace
	served  []sdk.Game
}

// fileMark ends the names of the files as the interpreter knows them. It finds
// imports by the last part of a file's name, and all files are one to it.
const fileMark = "/script"

// compile makes the source ready to run, or tells where the interpreter cannot
// follow it.
func (s *source) compile() (i *interpreter, problems []Problem) {
	i = &interpreter{source: s, trace: &trace{lines: map[string][]string{}}}
	i.yaegi = interp.New(interp.Options{
		Stdin: strings.NewReader(""), Stdout: os.Stderr, Stderr: i.trace, // println writes to Stdout
		Args: []string{}, Env: []string{},
	})
	s.fset.Iterate(func(f *token.File) bool {
		f.AddLineColumnInfo(0, f.Name()+fileMark, 1, 1)
		i.yaegi.FileSet().AddExistingFiles(f)
		return true
	})
	serve := interp.Exports{pluginPath + "/plugin": {
		"Serve": reflect.ValueOf(func(game sdk.Game) { i.served = append(i.served, game) }),
	}}
	if err := errors.Join(i.yaegi.Use(symbols.Symbols), i.yaegi.Use(serve)); err != nil {
		return nil, []Problem{{Text: "interpreter: " + err.Error()}}
	}
	defer func() {
		if p := recover(); p != nil { // it panics at what it does not know
			problems = []Problem{placed(fmt.Sprint(p))}
		}
	}()
	var err error
	if i.program, err = i.yaegi.CompileAST(s.merge()); err != nil {
		return nil, []Problem{placed(err.Error())}
	}
	return i, nil
}

var position = regexp.MustCompile(`(?s)^(.+)` + fileMark + `:(\d+):(\d+): (?:CFG post-order panic: )?(.*)$`)

// placed makes a problem of a message of the interpreter.
func placed(text string) Problem {
	m := position.FindStringSubmatch(text)
	if m == nil {
		return Problem{Text: "the interpreter cannot run this script: " + text}
	}
	line, _ := strconv.Atoi(m[2]) // digits
	column, _ := strconv.Atoi(m[3])
	return Problem{m[1], line, column, "the interpreter cannot do this: " + m[4]}
}

// run executes the initialisers and main, up to the call of plugin.Serve.
func (i *interpreter) run() (*sdk.Game, error) {
	if _, err := i.yaegi.Execute(i.program); err != nil {
		var p interp.Panic
		if errors.As(err, &p) {
			return nil, i.failure(p.Value, p.Callers)
		}
		return nil, Problems{placed(err.Error())}
	}
	if len(i.served) != 1 {
		return nil, Problems{{Text: "main must call plugin.Serve once"}}
	}
	game := i.served[0]
	play, bot, check := game.Play, game.Bot, game.Check
	if play != nil {
		game.Play = func(m *sdk.Match) error { return i.guard(func() error { return play(m) }) }
	}
	if bot != nil {
		game.Bot = func(b *sdk.Bot) error { return i.guard(func() error { return bot(b) }) }
	}
	if check != nil {
		game.Check = func(s *sdk.Settings) error { return i.guard(func() error { return check(s) }) }
	}
	return &game, nil
}

// guard calls a function of the script and turns its panic into an error that
// tells where.
func (i *interpreter) guard(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			pcs := make([]uintptr, 4096) // the panic is repeated by each interpreted function
			err = i.failure(p, pcs[:runtime.Callers(0, pcs)])
		}
	}()
	return call()
}

// trace is where the interpreter writes when a panic passes through a function
// of the script: one line for each, the innermost first.
type trace struct {
	mu    sync.Mutex          // guards the field below
	lines map[string][]string // by goroutine
}

const maxTrace = 16 // lines kept of one panic

func (t *trace) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := goroutine()
	if len(t.lines[g]) < maxTrace {
		t.lines[g] = append(t.lines[g], strings.TrimSpace(string(p)))
	}
	return len(p), nil
}

// take returns the lines of this goroutine, once.
func (t *trace) take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := goroutine()
	lines := t.lines[g]
	delete(t.lines, g)
	return lines
}

// goroutine names the goroutine that calls it: many matches write to one trace,
// and a writer is not told for whom.
func goroutine() string {
	buf := make([]byte, 64)
	name, _, _ := bytes.Cut(buf[:runtime.Stack(buf, false)], []byte(" ["))
	return string(name)
}
