package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/verify"
	"colosseum/host/internal/records/record"
	"colosseum/internal/terminal"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:        "verify",
		Usage:       "run the referee of a recorded match again and compare",
		ArgsUsage:   "ID|FILE [--game GAME] [--commitment HEX]",
		Description: "It succeeds only if the spectators' stream and the result are the same.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "game", Usage: "the `GAME` that was played, a name or the path of its folder", DefaultText: "as recorded"},
			&cli.StringFlag{Name: "commitment", Usage: "the commitment to the seed that players got when the match began, in `HEX`adecimal", DefaultText: "not compared"},
		},
		Action: verifyMatch,
	}
}

func verifyMatch(ctx context.Context, cmd *cli.Command) error {
	match, err := argument(cmd)
	if err != nil {
		return err
	}
	r, err := readRecord(ctx, cmd, match)
	if err != nil {
		return err
	}
	if cmd.IsSet("commitment") {
		if err := checkCommitment(r, cmd.String("commitment")); err != nil {
			return fmt.Errorf("match %s is not verified: %w", r.ID, err)
		}
	}
	game := r.Plugin // the record has all parameters, so the name of the offer does not matter
	if cmd.IsSet("game") {
		game = cmd.String("game")
	}
	games, offer, c, err := openGame(ctx, cmd, game)
	if err != nil {
		return err
	}
	defer games.Close()
	if offer.Version != r.Version {
		fmt.Fprintf(os.Stderr, "The match was played with version %s of %s, but this is version %s: differences may come from that.\n", terminal.Clean(r.Version), game, offer.Version)
	}
	if err := sameParams(r, offer); err != nil {
		return fmt.Errorf("verify match %s: %w", r.ID, err)
	}
	outcome, err := verify.Run(ctx, offer.Engine, r, c.Plugins.Stall)
	if err != nil {
		return fmt.Errorf("verify match %s: %w", r.ID, err)
	}
	for _, d := range outcome.Differences {
		fmt.Println(terminal.Clean(d))
	}
	if len(outcome.Differences) > 0 {
		return fmt.Errorf("match %s is not verified", r.ID)
	}
	verified, result := "is verified", " and the same result"
	if r.State == record.Aborted {
		verified, result = "was aborted; its record is verified", ""
	}
	fmt.Printf("match %s %s: %d answers give the same %d bytes of stream%s\n", r.ID, verified, outcome.Answers, len(r.Stream), result)
	if r.Salt != nil {
		fmt.Printf("the commitment to its seed is %s\n", r.Commitment())
	}
	return nil
}

// checkCommitment returns an error if the commitment to the seed of a match is not the one
// that its players got.
func checkCommitment(r *record.Match, got string) error {
	switch own := r.Commitment(); {
	case own == "":
		return errors.New("its record has no salt, and so no commitment to its seed")
	case !strings.EqualFold(own, strings.TrimSpace(got)):
		return fmt.Errorf("the commitment to the seed %d with the salt %x is %s, not %q", r.Seed, r.Salt, own, got)
	}
	return nil
}

// sameParams returns an error if the game does not have exactly the parameters
// that the match was played with.
func sameParams(r *record.Match, offer *catalog.Offer) error {
	had := slices.Sorted(maps.Keys(r.Params))
	var has []string
	for _, p := range offer.Params {
		has = append(has, p.Name)
	}
	slices.Sort(has)
	if slices.Equal(had, has) {
		return nil
	}
	return fmt.Errorf("it was played with the parameters %s, but this version of %s has %s: use the version that it was played with",
		terminal.Clean(strings.Join(had, ", ")), offer.Name, strings.Join(has, ", "))
}
