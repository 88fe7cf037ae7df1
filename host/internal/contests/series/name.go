package series

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// interpreter describes the options of a program that runs another one. An option that is
// in no list has no argument, or has it in the same word.
type interpreter struct {
	verbs     []string // words before the program, such as run
	arguments string   // options whose argument is the next word
	programs  string   // options whose argument names the program
	code      string   // options whose argument is the code, which has no name
}

// interpreters has the usual ones by name, without the number of a version.
var interpreters = map[string]interpreter{
	"python": {arguments: "-X -W --check-hash-based-pycs", programs: "-m", code: "-c"},
	"pypy":   {arguments: "-X -W --jit", programs: "-m", code: "-c"},
	"node":   {arguments: "-r --require --import --loader -C --conditions --env-file", code: "-e --eval -p --print"},
	"bun":    {verbs: []string{"run"}, arguments: "-r --preload --cwd -c --config", code: "-e --eval"},
	"deno":   {verbs: []string{"run"}, arguments: "-c --config --import-map --lock --cert --location --seed"},
	"java":   {arguments: "-cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports --source", programs: "-jar -m --module"},
	"go":     {verbs: []string{"run"}, arguments: "-C -exec -tags -ldflags -gcflags -asmflags -mod -modfile -overlay -p -pgo -pkgdir -toolexec -buildmode -compiler"},
	"ruby":   {arguments: "-I -r -C -E", code: "-e"},
	"perl":   {arguments: "-I", code: "-e -E"},
	"lua":    {arguments: "-l", code: "-e"},
	"php":    {arguments: "-c -d", programs: "-f", code: "-r"},
	"env":    {arguments: "-u --unset -C --chdir"},
	"sh":     {arguments: "-o", code: "-c"},
	"bash":   {arguments: "-o -O --rcfile --init-file", code: "-c"},
}

// aliases has other names of interpreters.
var aliases = map[string]string{"nodejs": "node", "dash": "sh", "zsh": "sh", "luajit": "lua"}

// version is the end of the name of an interpreter's file: python3.11, python3.11.exe.
var version = regexp.MustCompile(`-?[0-9]*(\.[0-9]+)*(\.exe)?$`)

// nameOf returns a name for a command that a server would accept: that of the program
// or, if the program is an interpreter, of what it runs.
func nameOf(command []string) string {
	name := []byte(baseOf(subject(command)))
	for i, c := range name {
		if c <= ' ' || c > '~' || c == '$' {
			name[i] = '_'
		}
	}
	return string(name[:min(len(name), maxName)])
}

// baseOf returns the last part of a path, or of a class in Java.
func baseOf(word string) string {
	base := filepath.Base(word)
	if base == "." || base == ".." { // go run .
		if path, err := filepath.Abs(word); err == nil {
			base = filepath.Base(path)
		}
	}
	return base
}

// subject returns the word of a command that names what runs.
func subject(command []string) string {
	own := command[0]
	name := version.ReplaceAllString(filepath.Base(own), "")
	if other, ok := aliases[name]; ok {
		name = other
	}
	how, ok := interpreters[name]
	if !ok {
		if len(command) > 1 && !strings.ContainsRune(own, filepath.Separator) && isFile(command[1]) {
			return command[1] // an interpreter that is not in the list
		}
		return own
	}
	words := command[1:]
	if len(how.verbs) > 0 && len(words) > 0 && slices.Contains(how.verbs, words[0]) {
		words = words[1:]
	} else if name == "go" {
		return own // go tool, go test
	}
	for len(words) > 0 {
		word, rest := words[0], words[1:]
		option, value, joined := strings.Cut(word, "=")
		switch {
		case name == "env" && !strings.HasPrefix(word, "-") && joined: // a variable
		case name == "env" && (word == "-S" || word == "--split-string") && len(rest) > 0:
			if words = append(strings.Fields(rest[0]), rest[1:]...); len(words) == 0 {
				return own
			}
			return subject(words)
		case word == "-" || has(how.code, option):
			return own
		case word == "--" && len(rest) > 0:
			return runs(name, rest)
		case has(how.programs, option) && joined:
			return shown(name, value)
		case has(how.programs, option) && len(rest) > 0:
			return shown(name, rest[0])
		case has(how.arguments, word) && len(rest) > 0:
			rest = rest[1:]
		case !strings.HasPrefix(word, "-"):
			return runs(name, words)
		}
		words = rest
	}
	return own
}

// runs returns the subject of words that begin with what an interpreter runs.
func runs(interpreter string, words []string) string {
	if interpreter == "env" {
		return subject(words)
	}
	return shown(interpreter, words[0])
}

// shown returns the name of what an interpreter runs: for Java a class without its
// package.
func shown(interpreter, word string) string {
	if interpreter == "java" && !strings.HasSuffix(word, ".jar") && !strings.HasSuffix(word, ".java") {
		return word[strings.LastIndexAny(word, "./")+1:]
	}
	return word
}

func has(list, option string) bool { return slices.Contains(strings.Fields(list), option) }

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
