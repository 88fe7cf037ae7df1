package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/internal/terminal"

	"github.com/urfave/cli/v3"
)

// scopes are those of tokens. Hosts check them too.
var scopes = []string{"play", "submit", "read", "all"}

func tokensCommand() *cli.Command {
	return &cli.Command{
		Name:      "tokens",
		Usage:     "list the tokens of your player, create others, and revoke them",
		ArgsUsage: "list|create|revoke [...]",
		Description: "A token with scopes can do no more than they say: play (take seats, serve, and enter contests), submit (hand programs in),\n" +
			"read (see what only you can see; each token can do that) or all (everything, also the tokens).",
		Commands: []*cli.Command{
			{Name: "list", Usage: "list the tokens, beside that of the registration", ArgsUsage: "[--json]", Flags: []cli.Flag{jsonFlag()}, Action: tokensList},
			{Name: "create", Usage: "print a new token, which cannot be shown again", ArgsUsage: "[--scopes LIST] [--days N] [--json] LABEL", Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "scopes", Value: []string{"play"}, Usage: "`LIST` of play, submit, read and all, with commas between"},
				&cli.IntFlag{Name: "days", Value: 365, Usage: "valid for `N` days; 0: for ever"},
				jsonFlag(),
			}, Action: tokensCreate},
			{Name: "revoke", Usage: "make tokens invalid, by the IDs in the list", ArgsUsage: "ID...", Action: tokensRevoke},
		},
		Action: withoutSubcommand,
	}
}

func tokensList(ctx context.Context, cmd *cli.Command) error {
	if _, err := arguments(cmd, 0, 0); err != nil {
		return err
	}
	d, err := withPlayer(cmd)
	if err != nil {
		return err
	}
	text, err := d.api().Tokens(ctx)
	if err != nil {
		return d.withRemedy(err)
	}
	if cmd.Bool("json") {
		return printJSON(json.RawMessage(text))
	}
	var all server.Tokens
	if err := decode(text, &all); err != nil {
		return err
	}
	return writeTable(os.Stdout, tokenRows(outputLanguage(cmd), all.Tokens), terminal.Colour(os.Stdout))
}

// tokenRows returns the rows of the table of tokens, the header first. Times are local.
func tokenRows(l *locale.Language, list []server.Token) [][]string {
	shown := func(at time.Time) string {
		if at.IsZero() {
			return l.Of("never")
		}
		return minute(at)
	}
	rows := [][]string{headings(l, "ID", "Label", "Scopes", "Created", "Used", "Expires")}
	for _, t := range list {
		rows = append(rows, []string{t.ID, cutCell(t.Label), cutCell(strings.Join(t.Scopes, ", ")), shown(t.Created), shown(t.Seen), shown(t.Expires)})
	}
	return rows
}

func tokensCreate(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd, 1, 1)
	if err != nil {
		return err
	}
	wanted := cmd.StringSlice("scopes")
	for _, s := range wanted {
		if !slices.Contains(scopes, s) {
			return usage("unknown scope %q (have %s)", s, strings.Join(scopes, ", "))
		}
	}
	d, err := withPlayer(cmd)
	if err != nil {
		return err
	}
	text, err := d.api().CreateToken(ctx, args[0], wanted, cmd.Int("days"))
	if err != nil {
		return d.withRemedy(err)
	}
	if cmd.Bool("json") {
		return printJSON(json.RawMessage(text))
	}
	var created server.NewToken
	if err := decode(text, &created); err != nil {
		return err
	}
	if err := printText(created.Token); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, terminal.Clean(languageOf(cmd).Sprintf("Created the token %s, for %s; keep the line above, which cannot be shown again", created.ID, strings.Join(wanted, ", "))))
	return nil
}

func tokensRevoke(ctx context.Context, cmd *cli.Command) error {
	ids := cmd.Args().Slice()
	if len(ids) == 0 {
		return usage("%s needs more arguments: %s %s", cmd.Name, cmd.FullName(), cmd.ArgsUsage)
	}
	for _, id := range ids {
		if !server.ValidTokenID(id) {
			return usage("%q cannot be the ID of a token: coco tokens list shows them", id)
		}
	}
	d, err := withPlayer(cmd)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := d.api().RevokeToken(ctx, id); err != nil {
			return d.withRemedy(err)
		}
		if err := say(cmd, "Revoked the token %s", id); err != nil {
			return err
		}
	}
	return nil
}

func renameCommand() *cli.Command {
	return &cli.Command{
		Name:      "rename",
		Usage:     "give your player another name; the old one stays reserved for it",
		ArgsUsage: "NEW",
		Action:    rename,
	}
}

func rename(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd, 1, 1)
	if err != nil {
		return err
	}
	d, err := withPlayer(cmd)
	if err != nil {
		return err
	}
	if err := d.api().Rename(ctx, args[0]); err != nil {
		return d.withRemedy(err)
	}
	return say(cmd, "Your player has the name %s now; records keep the old one", args[0])
}
