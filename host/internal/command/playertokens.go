package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/records/store"
	"colosseum/internal/terminal"
)

// renamePlayer renames a player, also in its contests.
func renamePlayer(ctx context.Context, cmd *cli.Command) error {
	args := cmd.Args().Slice()
	if len(args) != 2 {
		return errors.New("rename takes the name of a player and its new one: host players rename OLD NEW")
	}
	c, err := openContests(ctx, cmd, false)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.registry.RenameBy(ctx, args[0], args[1]); err != nil {
		return fmt.Errorf("no player was renamed: %w", err)
	}
	if err := c.FollowNames(ctx); err != nil {
		return fmt.Errorf("%s has the name %s now, but its contests could not be changed; a running host will do that: %w", args[0], args[1], err)
	}
	fmt.Fprintf(os.Stderr, "%s has the name %s now in %s\n", terminal.Clean(args[0]), terminal.Clean(args[1]), terminal.Clean(c.at))
	return nil
}

// playerTokens lists the tokens of a player, or revokes some.
func playerTokens(ctx context.Context, cmd *cli.Command) error {
	ids, all := cmd.StringSlice("revoke"), cmd.Bool("all")
	switch {
	case cmd.Args().Len() != 1:
		return errors.New("tokens takes the name of a player: host players tokens NAME")
	case all && len(ids) > 0:
		return errors.New("--revoke and --all exclude each other")
	}
	r, _, closeAll, err := openPlayers(ctx, cmd, false)
	if err != nil {
		return err
	}
	defer closeAll()
	name := cmd.Args().First()
	owner, err := r.Owner(ctx, name)
	if err != nil {
		return err
	}
	if owner == "" {
		return &store.UnknownError{Names: []string{name}}
	}
	list, err := r.Tokens(ctx, owner)
	if err != nil {
		return err
	}
	if all {
		for _, t := range list {
			ids = append(ids, t.ID)
		}
	}
	if all || len(ids) > 0 {
		return revokeTokens(ctx, r, owner, ids)
	}
	if cmd.Bool("json") {
		return printTokensJSON(cmd, list)
	}
	shown := func(at time.Time) string {
		if at.IsZero() {
			return "never"
		}
		return at.Local().Format(time.DateTime)
	}
	var rows [][]string
	for _, t := range list {
		rows = append(rows, []string{t.ID, terminal.Clean(t.Label), strings.Join(t.Scopes, ", "), shown(t.Created), shown(t.Seen), shown(t.Expires)})
	}
	fmt.Fprintln(cmd.Root().Writer, terminal.Table([]string{"id", "label", "scopes", "created", "last used", "expires"}, rows))
	return nil
}

func revokeTokens(ctx context.Context, r *players.Registry, player string, ids []string) error {
	revoked := 0
	for _, id := range ids {
		switch err := r.Revoke(ctx, player, id); {
		case errors.Is(err, players.ErrNoToken):
			return fmt.Errorf("%s has no token %s: host players tokens %s lists them (%d revoked before it)", player, id, player, revoked)
		case err != nil:
			return err
		}
		revoked++
	}
	fmt.Fprintf(os.Stderr, "%d tokens of %s revoked\n", revoked, terminal.Clean(player))
	return nil
}

func printTokensJSON(cmd *cli.Command, list []store.Token) error {
	type token struct {
		ID      string    `json:"id"`
		Label   string    `json:"label"`
		Scopes  []string  `json:"scopes"`
		Created time.Time `json:"created"`
		Seen    time.Time `json:"seen,omitzero"`
		Expires time.Time `json:"expires,omitzero"`
	}
	all := []token{} // not null
	for _, t := range list {
		all = append(all, token{t.ID, t.Label, t.Scopes, t.Created, t.Seen, t.Expires})
	}
	e := json.NewEncoder(cmd.Root().Writer)
	e.SetIndent("", "  ")
	return e.Encode(all)
}
