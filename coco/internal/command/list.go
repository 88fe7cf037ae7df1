package command

import (
	"context"
	"strings"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
)

func listCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list the games of the server, or describe one",
		ArgsUsage: "[-u] [--json] [GAME]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "usage", Aliases: []string{"u"}, Usage: "show the parameters of the games, as JSON"},
			jsonFlag(),
		},
		Action: list,
	}
}

func list(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd, 0, 1)
	switch {
	case err != nil:
		return err
	case len(args) == 1 && !cmd.Bool("usage"):
		return describe(ctx, cmd, args[0])
	}
	var reply protocol.GameListReply
	if err := ask(ctx, cmd, protocol.Encode(protocol.NameGameList, nil), protocol.NameGameList, &reply); err != nil {
		return err
	}
	games := append([]protocol.GameInfo{}, reply.Games...) // never null
	if len(args) == 1 {
		game, err := find(games, args[0])
		if err != nil {
			return err
		}
		games = []protocol.GameInfo{game}
	}
	if cmd.Bool("usage") || cmd.Bool("json") {
		return printJSON(games)
	}
	for _, game := range games {
		if err := printText("- " + game.Name); err != nil {
			return err
		}
	}
	return nil
}

func find(games []protocol.GameInfo, name string) (protocol.GameInfo, error) {
	var have []string
	for _, game := range games {
		if game.Name == name {
			return game, nil
		}
		have = append(have, game.Name)
	}
	return protocol.GameInfo{}, &server.Refused{Text: locale.Errorf("the server has no game %q (have %s)", name, strings.Join(have, ", "))}
}

func describe(ctx context.Context, cmd *cli.Command, game string) error {
	var reply protocol.GameDescriptionReply
	request := protocol.Encode(protocol.NameGameDescription, protocol.GameDescription{Name: game})
	if err := ask(ctx, cmd, request, protocol.NameGameDescription, &reply); err != nil {
		return err
	}
	if reply.Description == nil {
		return &server.Refused{Text: locale.Errorf("the server has no game %q; coco list shows the games it has", game)}
	}
	if cmd.Bool("json") {
		return printJSON(struct {
			Name        string `json:"name"`
			Description string `json:"description"` // Markdown
		}{game, *reply.Description})
	}
	return printText(*reply.Description)
}
