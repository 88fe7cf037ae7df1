package source

import (
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/test/filetree"
)

func TestTitleOfAGameIsReadFromItsSource(t *testing.T) {
	const begin = "package main\n\nimport \"colosseum/sdk\"\n\n"
	for name, test := range map[string]struct{ code, want string }{
		"a variable":       {begin + "var game = sdk.Game{Name: \"x\", Title: \"The game X\"}\n", "The game X"},
		"a pointer":        {begin + "func main() { serve(&sdk.Game{\n\tTitle: `X`,\n}) }\n", "X"},
		"computed":         {begin + "var game = sdk.Game{Title: title()}\n", ""},
		"of another type":  {begin + "var p = Player{Title: \"Dr\"}\nvar game = sdk.Game{}\n", ""},
		"with a line feed": {begin + "var game = sdk.Game{Title: \"a\\nb\"}\n", ""},
		"too long":         {begin + "var game = sdk.Game{Title: \"" + strings.Repeat("x", 201) + "\"}\n", ""},
		"with errors":      {begin + "var game = sdk.Game{Title: \"X\"}\nfunc main( {\n", "X"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(filetree.New(t, map[string]string{"x/main.go": test.code}), "x")
			if got := mustExamine(t, dir).Title; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
