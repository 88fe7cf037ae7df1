package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/games/scaffold"
)

func newCommand() *cli.Command {
	return &cli.Command{
		Name:      "new",
		Usage:     "create the folder of a new game that can be played at once",
		ArgsUsage: "NAME [--dir DIR]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dir", Usage: "create it in `DIR`", DefaultText: "plugins in Colosseum's source, else here"},
			&cli.StringFlag{Name: "source", Usage: "`DIR` with Colosseum's source, for a game outside of it", DefaultText: "where this program was built"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			name, err := argument(cmd)
			if err != nil {
				return err
			}
			source, err := sourceTree(cmd)
			if err != nil {
				return err
			}
			folder, module, err := scaffold.Make(scaffold.Game{Name: name, Folder: newFolder(cmd), Source: source})
			if err != nil {
				return err
			}
			printNew(os.Stdout, folder, source, module || scaffold.Root(folder) != "")
			return nil
		},
	}
}

func newFolder(cmd *cli.Command) string {
	if cmd.IsSet("dir") {
		return cmd.String("dir")
	}
	if root := rootHere(); root != "" {
		return filepath.Join(root, "plugins")
	}
	return "."
}

// rootHere returns the root of the source around the working directory, or "".
func rootHere() string {
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	return scaffold.Root(here)
}

// sourceTree returns the root of Colosseum's source: the option's, the one
// around the working directory, or where this program was built. It returns ""
// if none is known.
func sourceTree(cmd *cli.Command) (string, error) {
	if cmd.IsSet("source") {
		dir, err := filepath.Abs(cmd.String("source"))
		if err != nil {
			return "", err
		}
		if scaffold.Root(dir) != dir {
			return "", fmt.Errorf("%s is not the root of Colosseum's source: it has no go.mod with module colosseum", dir)
		}
		return dir, nil
	}
	if root := rootHere(); root != "" {
		return root, nil
	}
	_, file, _, ok := runtime.Caller(0) // no absolute path when built with -trimpath
	if ok && filepath.IsAbs(file) {
		return scaffold.Root(filepath.Dir(file)), nil
	}
	return "", nil
}

// self returns a command that runs this program in any folder.
func self() string {
	own, err := os.Executable()
	if err != nil || strings.Contains(own, "go-build") { // go run removes the program at its end
		return "go run colosseum/host"
	}
	if path, _ := exec.LookPath("host"); path == own {
		return "host"
	}
	return own
}

func printNew(w io.Writer, folder, source string, builds bool) {
	fmt.Fprintf(w, "The game is in %s. Now:\n\n    cd %s\n    go vet . && go test .\n    %s play . -b 1 -n 10 -- python3 players/player.py\n\nREADME.md describes the next steps.\n", folder, folder, self())
	switch {
	case !builds:
		fmt.Fprint(w, `
It has no go.mod, because this program does not know where Colosseum's source is:
hosts compile it with the SDK that they have. "go vet" and "go test" need the
source: get it, remove the folder, and create it again with --source DIR.
`)
	case source != "" && scaffold.Root(folder) == "":
		fmt.Fprintf(w, "Its go.mod takes the SDK from %s.\n", source)
	}
}
