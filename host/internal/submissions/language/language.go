// Package language knows in which languages programs can be handed in: how their files
// are recognised, and with which commands they are built and run. Languages are data:
// configs/languages has a file for each, and c.yaml explains the keys.
package language

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"colosseum"
	"colosseum/host/internal/base/strict"
)

// Language is one of the languages. Its methods can be called concurrently.
type Language struct {
	Name        string            `yaml:"name"`
	Title       string            `yaml:"title"`
	Install     string            `yaml:"install"` // what to do if a tool is missing
	Tools       []Tool            `yaml:"tools"`
	Version     []string          `yaml:"version"` // a command
	Sources     []string          `yaml:"sources"`
	Except      []string          `yaml:"except"`
	Over        []string          `yaml:"over"`
	Contains    string            `yaml:"contains"`
	Package     string            `yaml:"package"`
	Recipes     []Recipe          `yaml:"recipes"`
	Environment map[string]string `yaml:"environment"`
	Read        []string          `yaml:"read"`
	Prepare     Prepare           `yaml:"prepare"`
	Drop        []string          `yaml:"drop"`

	contains, pkg *regexp.Regexp // nil: none

	finding sync.Mutex // held while tools are looked for; guards the field below
	found   *Toolchain // nil: not yet

	mu       sync.Mutex // guards the field below
	prepared string     // the folder of SetPrepared
}

// Tool is a program that builds or runs need.
type Tool struct {
	Name string   `yaml:"name"`
	Home []string `yaml:"home"` // a command that prints the folder that has its bin folder
}

// Recipe says how programs with certain files are built and run.
type Recipe struct {
	When  []string   `yaml:"when"`
	Main  []string   `yaml:"main"`
	Build [][]string `yaml:"build"`
	Run   []string   `yaml:"run"`
}

// Prepare says what is built once for all programs.
type Prepare struct {
	Folder string     `yaml:"folder"` // a variable
	Build  [][]string `yaml:"build"`
}

// Set has all languages of a host.
type Set struct{ languages map[string]*Language }

// Load reads the languages of this program, and then those in the top folders of others:
// a language replaces one with the same name.
func Load(folders ...fs.FS) (*Set, error) {
	s := &Set{map[string]*Language{}}
	for _, folder := range slices.Insert(folders, 0, colosseum.Languages()) {
		files, err := fs.Glob(folder, "*.yaml")
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			text, err := fs.ReadFile(folder, name)
			if err != nil {
				return nil, err
			}
			l := &Language{}
			if err := strict.Decode(text, l); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if err := l.check(); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			s.languages[l.Name] = l
		}
	}
	for _, l := range s.languages {
		for _, name := range l.Over {
			if s.languages[name] == nil {
				return nil, fmt.Errorf("language %s: over: %w", l.Name, s.unknown(name))
			}
		}
	}
	return s, nil
}

// All returns all languages in the order of their names.
func (s *Set) All() []*Language {
	all := make([]*Language, 0, len(s.languages))
	for _, name := range slices.Sorted(maps.Keys(s.languages)) {
		all = append(all, s.languages[name])
	}
	return all
}

// Find returns the language with a name.
func (s *Set) Find(name string) (*Language, error) {
	if l := s.languages[name]; l != nil {
		return l, nil
	}
	return nil, s.unknown(name)
}

func (s *Set) unknown(name string) error {
	return fmt.Errorf("unknown language %q (have %s)", name, strings.Join(slices.Sorted(maps.Keys(s.languages)), ", "))
}

var names = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// check checks what was read, so that nothing else fails later.
func (l *Language) check() error {
	switch {
	case !names.MatchString(l.Name):
		return fmt.Errorf("name: %q is not a name: lower-case letters, digits and -", l.Name)
	case l.Title == "" || len(l.Tools) == 0 || len(l.Version) == 0 || len(l.Sources) == 0 || len(l.Recipes) == 0:
		return errors.New("a language needs title, tools, version, sources and recipes")
	case !l.hasTool(l.Version[0]):
		return fmt.Errorf("version: %s is not one of the tools", l.Version[0])
	case (l.Prepare.Folder == "") != (len(l.Prepare.Build) == 0):
		return errors.New("prepare: needs folder and build")
	case l.Prepare.Folder != "" && l.Environment[l.Prepare.Folder] == "":
		return fmt.Errorf("prepare: %s is not a variable of environment", l.Prepare.Folder)
	}
	for _, t := range l.Tools {
		if t.Name == "" || strings.ContainsRune(t.Name, '/') {
			return fmt.Errorf("tools: %q is not the name of a program", t.Name)
		}
	}
	patterns := slices.Concat(l.Sources, l.Except, l.Drop)
	for _, r := range l.Recipes {
		patterns = append(patterns, r.Main...)
		if len(r.Run) == 0 || !l.hasTool(r.Run[0]) && !strings.HasPrefix(r.Run[0], "./") {
			return errors.New("recipes: run begins with a tool, or with ./ and a file")
		}
		if err := l.checkBuild(r.Build); err != nil {
			return fmt.Errorf("recipes: %w", err)
		}
	}
	if err := l.checkBuild(l.Prepare.Build); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("%q is not a pattern", p)
		}
	}
	var err error
	if l.contains, err = expression(l.Contains); err != nil {
		return fmt.Errorf("contains: %w", err)
	}
	if l.pkg, err = expression(l.Package); err != nil {
		return fmt.Errorf("package: %w", err)
	}
	if l.pkg != nil && l.pkg.NumSubexp() == 0 {
		return errors.New("package: the expression has no group")
	}
	return nil
}

func (l *Language) checkBuild(commands [][]string) error {
	for _, args := range commands {
		if len(args) == 0 || args[0] == "" || strings.ContainsRune(args[0], '/') {
			return errors.New("build: a command begins with the name of a program, without a path")
		}
	}
	return nil
}

func expression(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	return regexp.Compile(text)
}

func (l *Language) hasTool(name string) bool {
	return slices.ContainsFunc(l.Tools, func(t Tool) bool { return t.Name == name })
}

// isSource reports whether a file is built.
func (l *Language) isSource(name string) bool {
	return matches(l.Sources, name) && !matches(l.Except, name)
}

// Drops reports whether a file or folder is not kept after a build. It gets its path.
func (l *Language) Drops(name string) bool { return matches(l.Drop, name) }

// matches reports whether one of the patterns matches the last part of a path.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, path.Base(name)) // the patterns have been checked
		return ok
	})
}
