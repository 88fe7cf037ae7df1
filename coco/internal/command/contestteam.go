package command

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"

	"github.com/urfave/cli/v3"
)

func contestEnterTeam(ctx context.Context, cmd *cli.Command) error {
	team := cmd.String("team")
	d, args, err := ofTeam(cmd, 1)
	if err != nil {
		return err
	}
	if team == "" {
		return usage("--team needs the name of a team")
	}
	name, others := args[0], args[1:]
	if err := d.withRemedy(d.api().EnterTeam(ctx, name, team, others)); err != nil {
		return err
	}
	if len(others) > 0 {
		return say(cmd, "Entered %s with the team %s; the others accept with coco contest enter %s --team %s", name, team, name, team)
	}
	return say(cmd, "You are in the team %s of %s; coco serve GAME --contest %s -- PROGRAM plays your matches", team, name, name)
}

func contestLineUp(ctx context.Context, cmd *cli.Command) error {
	d, args, err := ofTeam(cmd, 3)
	if err != nil {
		return err
	}
	name, team, players := args[0], args[1], args[2:]
	if err := d.withRemedy(d.api().LineUp(ctx, name, team, players)); err != nil {
		return err
	}
	return say(cmd, "The team %s is now %s, from the next pairing on", team, strings.Join(players, ", "))
}

// maxTeam is more than any team has.
const maxTeam = 64

// ofTeam returns a dialer with the token of a player, and the arguments of the command, of
// which there are at least some and the first is a contest.
func ofTeam(cmd *cli.Command, least int) (d *dialer, args []string, err error) {
	if args, err = arguments(cmd, least, maxTeam); err != nil {
		return nil, nil, err
	}
	if err = checkContest(args[0]); err != nil {
		return nil, nil, err
	}
	d, err = withPlayer(cmd)
	return d, args, err
}

// teamText describes an entry: its name, and of a team the players; those that have not
// accepted are in brackets.
func teamText(l *locale.Language, e *server.ContestEntry) string {
	name := e.Name
	if e.Team != nil {
		var players []string
		for _, p := range e.Team.Players {
			if slices.Contains(e.Team.Invited, p) {
				p = "[" + p + "]"
			}
			players = append(players, p)
		}
		name += ": " + strings.Join(players, " ")
	}
	if e.Withdrawn {
		name = l.Sprintf("%s (withdrawn)", name)
	}
	return name
}

// boardRows returns the rows of the players of a team in the standings, with empty cells for
// the tie-breaks.
func boardRows(l *locale.Language, team *server.Standing, tieBreaks int) (rows [][]string) {
	for _, b := range team.Boards {
		rating, interval := "–", "–"
		if b.Played > 0 && (b.Rating != 0 || b.Low != b.High) {
			rating, interval = fmt.Sprintf("%.0f", b.Rating), l.Sprintf("%.0f to %.0f", b.Low, b.High)
		}
		board := "–"
		if b.Board > 0 {
			board = strconv.Itoa(b.Board)
		}
		row := []string{"", "  " + board + " " + b.Player, points(b.Points), strconv.Itoa(b.Played), strconv.Itoa(b.Wins), strconv.Itoa(b.Draws), strconv.Itoa(b.Losses)}
		rows = append(rows, append(append(row, make([]string, tieBreaks)...), rating, interval))
	}
	return rows
}

// seatsOf returns the names of the seats of a match; in one of teams with the players.
func seatsOf(m *server.ContestMatch) []string {
	names := slices.Clone(m.Seats)
	for i, p := range m.Players {
		if p != "" && i < len(names) {
			names[i] = p + " (" + names[i] + ")"
		}
	}
	return names
}
