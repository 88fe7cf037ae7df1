package source

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
)

// three are games of one module, which all print their name; b imports a package.
var three = map[string]string{
	"go.mod": "module colosseum\n", "board/board.go": "package board\n\nconst B = \"b\"\n",
	"a/main.go": "package main\n\nfunc main() { println(\"a\") }\n",
	"b/main.go": "package main\n\nimport \"colosseum/board\"\n\nfunc main() { println(board.B) }\n",
	"c/main.go": "package main\n\nfunc main() { println(\"c\") }\n",
}

// examineThree reads their folders.
func examineThree(t *testing.T, root string) (games []Source) {
	t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		s := mustExamine(t, filepath.Join(root, name))
		if real, _ := filepath.EvalSymlinks(root); s.Module() != real {
			t.Fatalf("%s is in the module %q, want %s", name, s.Module(), real)
		}
		games = append(games, s)
	}
	return games
}

func TestGamesOfAModuleAreCompiledTogether(t *testing.T) {
	games := examineThree(t, filetree.New(t, three))
	cache := filepath.Join(t.TempDir(), "cache")
	games[0].Together(t.Context(), cache, func() []Source { return games })
	for _, s := range games {
		p, ok := s.Built(t.Context(), config.Default(), cache)
		if !ok || p.Version != versionOf(t, s) {
			t.Errorf("%s: found %+v, %v, want the version %s", s.Name, p, ok, versionOf(t, s))
		} else if out, err := exec.Command(p.Command[0]).CombinedOutput(); err != nil || string(out) != s.Name+"\n" {
			t.Errorf("%s prints %q, %v, want its name", s.Name, out, err)
		}
	}
}

func TestBrokenGameIsNoErrorOfTheOthersOfItsModule(t *testing.T) {
	for name, test := range map[string]struct{ code, want string }{
		"does not compile": {"package main\n\nfunc main() { nonsense }\n", "main.go:3:15: undefined: nonsense"},
		"lacks a library":  {"package main\n\nimport _ \"a.com/b\"\n\nfunc main() {}\n", "no required module provides package a.com/b"},
	} {
		t.Run(name, func(t *testing.T) {
			root := filetree.New(t, three)
			write(t, filepath.Join(root, "c", "main.go"), test.code)
			games := examineThree(t, root)
			cache := filepath.Join(t.TempDir(), "cache")
			games[2].Together(t.Context(), cache, func() []Source { return games })
			for _, s := range games {
				p, err := s.Program(t.Context(), config.Default(), cache)
				if s.Name == "c" {
					if err == nil || !strings.Contains(err.Error(), test.want) {
						t.Errorf("the broken game: got %+v, %v, want an error with %q", p, err, test.want)
					}
				} else if err != nil || p.Mode != ModeCompiled {
					t.Errorf("%s: got %+v, %v, want a compiled program", s.Name, p, err)
				}
			}
		})
	}
}
