package command

import (
	"context"
	"math"
	"strings"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
)

// maxMatchName is the server's limit for the name of a match, in characters.
const maxMatchName = 24

func newCommand(program []string) *cli.Command {
	return &cli.Command{
		Name:        "new",
		Usage:       "create a match, and play it if there is a program",
		ArgsUsage:   "GAME [NAME] [-n N] [-b N] [-t SECONDS] [--clock BANK+INCREMENT] [--retries N] [-p PASSWORD] [-v PASSWORD] [-a key=value]... [--json] [[--linger SECONDS] [--log DIR] [--questions FILE|FD] [--uci ENGINE] -- PROGRAM ARGS...]",
		Description: "With a program it also joins the match, like connect.",
		Flags: append(append(newFlags(), jsonFlag(),
			lingerFlag("`SECONDS` that the match can be silent after the program's exit, or that the program can run after the match"),
			logFlag(), questionsFlag(),
		), uciFlags()...),
		DisableSliceFlagSeparator: true, // values can contain commas
		Action: func(ctx context.Context, cmd *cli.Command) error {
			program, err := withEngine(cmd, program, cmd.Args().First())
			if err != nil {
				return err
			}
			if len(program) > 0 {
				return playNew(ctx, cmd, program)
			}
			return newMatch(ctx, cmd)
		},
	}
}

// newFlags returns the options that describe a match.
func newFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "players", Aliases: []string{"n"}, Usage: "players of the match, bots included", DefaultText: "the game's default"},
		&cli.StringFlag{Name: "bots", Aliases: []string{"b"}, Usage: "`NUMBER` of players that are bots of the server, or their levels, like strong,easy; can be all players"},
		&cli.FloatFlag{Name: "timeout", Aliases: []string{"t"}, Usage: "`SECONDS` that a player has for a move", DefaultText: "the game's default"},
		&cli.StringFlag{Name: "clock", Usage: "`BANK+INCREMENT`: seconds that a player has for the whole match, and more for each turn, like 60+1"},
		&cli.IntFlag{Name: "retries", Usage: "how often a player can try again in a turn after a move that is not legal, from 0 to 10"},
		&cli.StringFlag{Name: "password", Aliases: []string{"p"}, Usage: "`PASSWORD` that players must give to join"},
		&cli.StringFlag{Name: "verification-password", Aliases: []string{"v"}, Usage: "the server's `PASSWORD` for verified matches"},
		&cli.StringSliceFlag{Name: "arg", Aliases: []string{"a"}, Usage: "parameter of the game, `key=value`; can be repeated"},
	}
}

func newMatch(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd, 1, 2)
	if err != nil {
		return err
	}
	request, err := newRequest(cmd, args)
	if err != nil {
		return err
	}
	for _, name := range []string{"linger", "log", "questions"} {
		if cmd.IsSet(name) {
			return usage("--%s needs a program that plays the match: -- PROGRAM ARGS...", name)
		}
	}
	d, err := newPlayerDialer(cmd)
	if err != nil {
		return err
	}
	id, err := d.create(ctx, request)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return printJSON(protocol.MatchID{ID: id})
	}
	return say(cmd, "Created new game with id %s", id)
}

// playNew creates a match and plays it with a program.
func playNew(ctx context.Context, cmd *cli.Command, program []string) error {
	args, err := arguments(cmd, 1, 2)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return usage("--json is for a match without a program")
	}
	linger, err := lingerOf(cmd)
	if err == nil {
		err = checkQuestions(cmd, program)
	}
	if err != nil {
		return err
	}
	request, err := newRequest(cmd, args)
	if err != nil {
		return err
	}
	return playCreated(ctx, cmd, linger, request, program, func(m *match.Match) {
		m.Print.Line("Created match %s", m.ID)
	})
}

// create creates a match and returns its ID. It refuses what the server would ignore.
func (d *dialer) create(ctx context.Context, request *protocol.GameNew) (string, error) {
	conn, err := d.dial(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	switch {
	case len(request.Opponents) > 0 && !conn.Has(protocol.FeatureServe):
		return "", refused(locale.Errorf("cannot challenge"), locale.Errorf("the server does not know coco serve"))
	case request.Params.Clock != nil && !conn.Has(protocol.FeatureClock):
		return "", refused(locale.Errorf("cannot create new game"), locale.Errorf("the server has no clocks: leave out --clock"))
	case request.Params.Retries != 0 && !conn.Has(protocol.FeatureRetries):
		return "", refused(locale.Errorf("cannot create new game"), locale.Errorf("the server lets nobody try again: leave out --retries"))
	case request.Params.Levels != nil && !conn.Has(protocol.FeatureLevels):
		return "", refused(locale.Errorf("cannot create new game"), locale.Errorf("the server gives all bots one level: write their number, and -a bot=LEVEL"))
	}
	var reply protocol.GameNewReply
	var broken error // the connection, not the server's answer
	var id string
	err = server.AskPrepared(ctx, func() (err error) {
		reply = protocol.GameNewReply{}
		if broken = conn.Ask(ctx, protocol.Encode(protocol.NameGameNew, request), protocol.NameGameNew, &reply); broken != nil {
			return broken
		}
		id, err = reply.ID.Get()
		return err
	}, d.prepared)
	switch {
	case broken != nil:
		return "", broken
	case err != nil && ctx.Err() != nil:
		return "", err
	case err != nil:
		return "", notCreated(err)
	}
	return id, nil
}

// notCreated is the server's refusal to create a match.
func notCreated(err error) error {
	// Some servers send a prefix like the one that refused adds.
	text := strings.TrimPrefix(err.Error(), "Cannot create game: ")
	reason := locale.Errorf("%s", locale.Word(text))
	if text == "Game not found" {
		reason = locale.Errorf("Game not found; coco list shows the games there are")
	}
	return refused(locale.Errorf("cannot create new game"), reason)
}

// newRequest builds the request for a game and the name of the match, if there is one,
// from the options. It refuses only values that the protocol cannot carry; the server
// checks the others.
func newRequest(cmd *cli.Command, args []string) (*protocol.GameNew, error) {
	r := &protocol.GameNew{Game: args[0], Args: map[string]string{}}
	if len(args) == 2 {
		r.Name = args[1]
	} else {
		r.Name = r.Game[:min(len(r.Game), maxMatchName)]
	}
	if cmd.IsSet("players") {
		r.Params.Players = new(cmd.Int("players"))
	}
	r.Params.Bots, r.Params.Levels = protocol.ParseBots(cmd.String("bots"))
	if cmd.Int("players") < 0 || r.Params.Bots < 0 {
		return nil, usage("players and bots cannot be less than 0")
	}
	if cmd.IsSet("timeout") {
		t := cmd.Float("timeout")
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return nil, usage("the timeout must be a number of seconds, not %v", t)
		}
		r.Params.Timeout = &t
	}
	if cmd.IsSet("clock") {
		clock, err := protocol.ParseClock(cmd.String("clock"))
		if err != nil {
			return nil, &usageError{err}
		}
		r.Params.Clock = &clock
	}
	r.Params.Retries = cmd.Int("retries")
	r.Password = optional(cmd, "password")
	r.Verification = optional(cmd, "verification-password")
	for _, arg := range cmd.StringSlice("arg") {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return nil, usage("-a %q is not of the form key=value", arg)
		}
		if _, twice := r.Args[key]; twice {
			return nil, usage("the parameter %q is given twice", key)
		}
		r.Args[key] = value
	}
	return r, nil
}

// optional returns the value of an option, or nil if the option is not given.
func optional(cmd *cli.Command, name string) *string {
	if !cmd.IsSet(name) {
		return nil
	}
	return new(cmd.String(name))
}
