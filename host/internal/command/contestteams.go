package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/contests/contest"
	"colosseum/internal/terminal"
)

func lineUpTeam(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "with a team and its players", func(c *contests, name string, rest []string) error {
		team, players := rest[0], rest[1:]
		if len(players) == 0 {
			return fmt.Errorf("lineup takes all players of the team: host contest lineup %s %s PLAYER...", name, team)
		}
		if err := c.LineUp(ctx, name, "", team, players); err != nil {
			return err
		}
		report("the team %s of the contest %s is now %s, from the next pairing on", team, name, strings.Join(players, ", "))
		return nil
	})
}

// boardsTable is a table of the players of teams; empty: the contest has no teams.
func boardsTable(v *contest.View) string {
	if v.Teams == nil {
		return ""
	}
	var rows [][]string
	for _, r := range v.Standings {
		for _, b := range r.Boards {
			board, estimate, interval := "–", "–", "–"
			if b.Board > 0 {
				board = fmt.Sprint(b.Board)
			}
			if b.Played > 0 {
				estimate, interval = fmt.Sprintf("%.0f", b.Rating), fmt.Sprintf("%.0f – %.0f", b.Low, b.High)
			}
			rows = append(rows, []string{
				r.Name, board, b.Player, decimal(b.Points), fmt.Sprint(b.Played), fmt.Sprint(b.Wins), fmt.Sprint(b.Draws), fmt.Sprint(b.Losses), fmt.Sprint(b.Forfeits), estimate, interval,
			})
		}
	}
	return "\n" + terminal.Table([]string{"team", "board", "player", "points", "played", "won", "drawn", "lost", "forfeits", "rating", "95 % interval"}, rows)
}
