package tutorial

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
)

// page is a document in docs with code blocks. The info string of a block is its kind:
//
//	go FILE, python FILE, …  a whole file
//	diff FILE                a change of a file
//	console                  commands, after a $, and their output
//	console fails            commands that fail, and their output
//	console host             the command that starts the host, lines of its log since
//	                         the last saved file, and ^C, which ends it
//	console as NAME          a command that goes on, in a terminal of NAME
//	sh                       commands that the test does not run
//	text                     a part of something
//
// In output, … is any text in a line or, alone on a line, any lines. The test types the
// text after NAME>. Comments are steps that the text asks for, or that others take:
//
//	<!-- replace "A" by "B" in FILE -->     a change
//	<!-- run COMMAND -->                    a command, whatever it prints
//	<!-- until "TEXT" in COMMAND -->        a command, again and again until it prints TEXT
//	<!-- as NAME: COMMAND -->               a command that goes on, in a terminal of NAME
type page struct {
	file   string
	games  []string       // games of the host, built from the folder plugins
	files  string         // folder of the files, within the folder of the reader
	needs  []string       // programs without which the test is skipped
	kinds  map[string]int // least number of blocks of some kinds
	sparse []string       // old and new texts of files, commands and output, to play fewer or shorter matches
	busy   []string       // a part of a line of the host's log, and what is there instead on a busy machine

	end func(r *reader)
}

func (p page) follow(t *testing.T) {
	for _, program := range p.needs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	text, err := os.ReadFile(filepath.Join(programs.Root, "docs", p.file))
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t, p)
	ran := map[string]int{}
	for _, b := range blocksOf(string(text)) {
		kind, rest, _ := strings.Cut(b.info, " ")
		ran[kind]++
		switch {
		case kind == "sh" || kind == "text":
		case kind == "replace":
			r.edit(b)
		case kind == "until":
			r.until(b)
		case kind == "as":
			name, command, _ := strings.Cut(rest, ": ")
			r.terminal(name, command)
		case kind == "run":
			if out, err := r.shell(rest, ""); err != nil {
				t.Fatalf("%s: got %v, want no error\n%s", rest, err, out)
			}
		case kind == "diff":
			r.patch(rest, b.text)
		case kind == "console" && rest == "host":
			r.watchHost(b.text)
		case kind == "console" && strings.HasPrefix(rest, "as "):
			r.terminal(strings.TrimPrefix(rest, "as "), strings.TrimSpace(strings.TrimPrefix(b.text, "$ ")))
		case kind == "console":
			r.run(b.text, rest == "fails")
		case rest != "":
			r.save(rest, b.text)
		default:
			t.Errorf("got a code block %q, want one of the known kinds, such as text for a part of something:\n%s", b.info, b.text)
		}
	}
	for kind, want := range p.kinds {
		if ran[kind] < want {
			t.Errorf("got %d blocks of the kind %s, want at least %d", ran[kind], kind, want)
		}
	}
	if p.end != nil {
		p.end(r)
	}
	if r.host != nil {
		r.host.Stop(t, syscall.SIGTERM)
	}
}

// block is a code block of a page, or a comment that asks for a step.
type block struct{ info, text string }

var step = regexp.MustCompile(`^<!-- ((?:replace|run|until|as) .*) -->$`)

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
		default:
			if m := step.FindStringSubmatch(trimmed); m != nil {
				list = append(list, block{info: m[1]})
			}
		}
	}
	return list
}
