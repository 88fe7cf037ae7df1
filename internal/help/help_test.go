package help

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

func TestHelpAfterAnArgumentIsThatOfTheCommand(t *testing.T) {
	library := cli.ShowCommandHelp
	t.Cleanup(func() { cli.ShowCommandHelp = library })
	AfterArguments()
	for args, want := range map[string]string{
		"new zz --help":         "host new - make a game",
		"new --help":            "host new - make a game",
		"new zz yy -h":          "host new - make a game",
		"contest add zz --help": "host contest add - add a contest",
		"contest --help":        "host contest - contests",
		"--help":                "host - games",
		"help new":              "host new - make a game",
		"contest help add":      "host contest add - add a contest",
	} {
		var out bytes.Buffer
		act := func(context.Context, *cli.Command) error { return errors.New("it was run") }
		root := &cli.Command{
			Name: "host", Usage: "games", Writer: &out, Action: act,
			Commands: []*cli.Command{
				{Name: "new", Usage: "make a game", Action: act},
				{Name: "contest", Usage: "contests", Commands: []*cli.Command{{Name: "add", Usage: "add a contest", Action: act}}},
			},
		}
		if err := root.Run(t.Context(), append([]string{"host"}, strings.Fields(args)...)); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: got error %v and\n%s\nwant %q", args, err, out.String(), want)
		}
	}
}
