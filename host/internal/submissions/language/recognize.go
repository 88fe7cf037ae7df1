package language

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"colosseum/host/internal/base/strict"
	"colosseum/host/internal/submissions/archive"
)

// Plan is how a program is built and run.
type Plan struct {
	Language *Language
	Build    [][]string // commands, in the folder of the program
	Run      []string   // begins with a tool of the language, or with ./ and a file
}

// Manifest is the name of a file in which authors say how their program is built and run.
const Manifest = "colosseum.yaml"

// Bounds of a manifest.
const (
	maxManifest = 16 << 10 // bytes
	maxCommands = 20
	maxWords    = 200      // of a command
	maxWord     = 4 << 10  // bytes
	maxMain     = 64 << 10 // bytes of a file that are searched for the main function
)

// manifest is the content of such a file. What is missing is as without it.
type manifest struct {
	Language string     `yaml:"language"`
	Build    [][]string `yaml:"build"`
	Run      []string   `yaml:"run"`
}

// Recognize finds out in which of the allowed languages a program is, and how it is built
// and run. With no names, all languages are allowed. All errors are an *archive.Error.
func (s *Set) Recognize(tree archive.Tree, allowed []string) (Plan, error) {
	m, err := readManifest(tree)
	if err != nil {
		return Plan{}, err
	}
	l, err := s.choose(tree, allowed, m.Language)
	if err != nil {
		return Plan{}, err
	}
	plan, err := l.plan(tree)
	if err != nil && m.Run == nil {
		return Plan{}, err
	}
	plan.Language = l
	if m.Build != nil {
		plan.Build = m.Build
	}
	if m.Run != nil {
		if !l.hasTool(m.Run[0]) && !strings.HasPrefix(m.Run[0], "./") {
			return Plan{}, wrong("%s: run: it begins with %s, or with ./ and a file of the program", Manifest, l.toolNames())
		}
		plan.Run = m.Run
	}
	return plan, nil
}

func wrong(format string, args ...any) error {
	return &archive.Error{Text: fmt.Sprintf(format, args...)}
}

func readManifest(tree archive.Tree) (m manifest, err error) {
	f, ok := tree.Find(Manifest)
	switch {
	case !ok:
		return m, nil
	case len(f.Data) > maxManifest:
		return m, wrong("%s: it has more than %d bytes", Manifest, maxManifest)
	}
	if err := strict.Decode(f.Data, &m); err != nil && !errors.Is(err, io.EOF) {
		return m, wrong("%s: %v", Manifest, err)
	}
	if len(m.Build) > maxCommands {
		return m, wrong("%s: build: more than %d commands", Manifest, maxCommands)
	}
	for _, args := range m.Build {
		if err := checkCommand("build", args); err != nil {
			return m, err
		}
		if strings.ContainsRune(args[0], '/') {
			return m, wrong("%s: build: %s: a command begins with the name of a program, without a path, as in [sh, build.sh]", Manifest, args[0])
		}
	}
	if m.Run != nil {
		err = checkCommand("run", m.Run)
	}
	return m, err
}

func checkCommand(key string, args []string) error {
	switch {
	case len(args) == 0 || args[0] == "":
		return wrong("%s: %s: an empty command", Manifest, key)
	case len(args) > maxWords:
		return wrong("%s: %s: a command of more than %d words", Manifest, key, maxWords)
	}
	for _, word := range args {
		if len(word) > maxWord || strings.ContainsRune(word, 0) {
			return wrong("%s: %s: a word has more than %d bytes, or a zero byte", Manifest, key, maxWord)
		}
	}
	return nil
}

// choose returns the language with a name, or the one that has files in the tree.
func (s *Set) choose(tree archive.Tree, allowed []string, name string) (*Language, error) {
	var titles []string
	var found []*Language
	for _, l := range s.All() {
		if len(allowed) > 0 && !slices.Contains(allowed, l.Name) {
			continue
		}
		titles = append(titles, l.Title)
		if name == l.Name {
			return l, nil
		}
		if slices.ContainsFunc(tree, func(f archive.File) bool { return matches(l.Sources, f.Path) }) {
			found = append(found, l)
		}
	}
	if name != "" {
		return nil, wrong("%s: language: %q is not one of those that can be handed in (%s)", Manifest, name, strings.Join(titles, ", "))
	}
	all := slices.Clone(found)
	found = slices.DeleteFunc(found, func(l *Language) bool {
		return slices.ContainsFunc(all, func(other *Language) bool { return slices.Contains(other.Over, l.Name) })
	})
	switch len(found) {
	case 0:
		return nil, wrong("it has no source files in a language that can be handed in (%s)", strings.Join(titles, ", "))
	case 1:
		return found[0], nil
	}
	var both []string
	for _, l := range found {
		both = append(both, l.Title)
	}
	return nil, wrong("it has source files in %s: write a %s with a line such as \"language: %s\"", strings.Join(both, " and "), Manifest, found[0].Name)
}

func (l *Language) toolNames() string {
	var tools []string
	for _, t := range l.Tools {
		tools = append(tools, t.Name)
	}
	return strings.Join(tools, " or ")
}

// plan returns the first recipe that fits.
func (l *Language) plan(tree archive.Tree) (Plan, error) {
	var unclear error
	for _, r := range l.Recipes {
		if slices.ContainsFunc(r.When, func(name string) bool { _, ok := tree.Find(name); return !ok }) {
			continue
		}
		main, err := l.main(r.Main, tree)
		if err != nil {
			unclear = err
			continue
		}
		p := Plan{Language: l, Run: l.fill(r.Run, main, tree)}
		for _, args := range r.Build {
			p.Build = append(p.Build, l.fill(args, main, tree))
		}
		return p, nil
	}
	if unclear == nil {
		unclear = wrong("it is not clear how to run it: write a %s with run", Manifest)
	}
	return Plan{Language: l}, unclear
}

// main returns the main file that patterns name; with no patterns, it is empty.
func (l *Language) main(patterns []string, tree archive.Tree) (f archive.File, err error) {
	for _, p := range patterns {
		if f, ok := tree.Find(p); ok {
			return f, nil
		}
		var top, below archive.Tree
		for _, f := range tree {
			switch ok, _ := path.Match(p, path.Base(f.Path)); { // the patterns have been checked
			case !ok || !l.isSource(f.Path):
			case strings.ContainsRune(f.Path, '/'):
				below = append(below, f)
			default:
				top = append(top, f)
			}
		}
		found := top
		if len(found) == 0 && (strings.Contains(p, "*") || l.pkg != nil) { // the folders of packages
			found = below
		}
		if len(found) > 1 && l.contains != nil {
			if like := slices.DeleteFunc(slices.Clone(found), func(f archive.File) bool {
				return !l.contains.Match(f.Data[:min(len(f.Data), maxMain)])
			}); len(like) > 0 {
				found = like
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return f, wrong("any of %s and %d more could be its main file: call one of them %s, or write a %s with run",
				found[0].Path, len(found)-1, patterns[0], Manifest)
		}
	}
	if len(patterns) > 0 {
		return f, wrong("it has no main file: call it %s, or write a %s with run", patterns[0], Manifest)
	}
	return f, nil
}

// fill replaces what is in braces in the words of a command.
func (l *Language) fill(args []string, main archive.File, tree archive.Tree) (filled []string) {
	class := strings.TrimSuffix(path.Base(main.Path), path.Ext(main.Path))
	if l.pkg != nil {
		if m := l.pkg.FindSubmatch(main.Data[:min(len(main.Data), maxMain)]); m != nil {
			class = string(m[1]) + "." + class
		}
	}
	for _, word := range args {
		if word != "{sources}" {
			filled = append(filled, strings.NewReplacer("{main}", "./"+main.Path, "{class}", class).Replace(word))
			continue
		}
		for _, f := range tree {
			if l.isSource(f.Path) {
				filled = append(filled, "./"+f.Path) // or a name could be an option
			}
		}
	}
	return filled
}
