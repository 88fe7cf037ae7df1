// Package command is coco's command line. Each command has a file.
package command

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"colosseum/coco/internal/server"
	"colosseum/internal/buildinfo"
	"colosseum/internal/help"
	"colosseum/internal/locale"
	"colosseum/internal/terminal"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
)

const defaultServer = "ws://127.0.0.1:8088/"

// completionMark is the argument that a shell's completion script appends to the
// words typed so far.
const completionMark = "--generate-shell-completion"

// Main runs coco and returns its exit code. args[0] is the program's name.
func Main(args []string) int {
	args, program := splitProgram(args)
	app := root(program)
	speak := locale.User(languageVariable)
	translateHelp(app, speak)
	app.Metadata = map[string]any{metadataSecrets: takeSecrets(), metadataLanguage: speak}
	err := app.Run(context.Background(), append(args[:1:1], splitShort(app, args[1:])...))
	if err == nil {
		return exitOK
	}
	text := terminal.Clean("coco: " + speak.Error(err))
	if terminal.Colour(os.Stderr) {
		text = terminal.Paint(terminal.Red, text)
	}
	fmt.Fprintln(os.Stderr, text)
	return exitCode(err)
}

// splitProgram splits the arguments at the first "--". The player's program and its
// arguments follow it.
func splitProgram(args []string) (own, program []string) {
	i := slices.Index(args, "--")
	if i < 0 || args[len(args)-1] == completionMark {
		return args, nil
	}
	return args[:i], args[i+1:]
}

// root returns the command line. program is the one that plays.
func root(program []string) *cli.Command {
	help.AfterArguments()
	// -s is the server only before the command: after connect, -s means
	// --spectate.
	server := &cli.StringFlag{Name: "server-url", Aliases: []string{"s"}, Value: defaultServer, Local: true,
		Usage: "`URL` of the server: ws://, wss://, or unix:/path"}
	insecure := &cli.BoolFlag{Name: "insecure", Local: true,
		Usage: "do not verify the certificate of a wss:// server (only with " + allowInsecure + "=1)"}
	tokenFile := &cli.StringFlag{Name: "token-file", Local: true,
		Usage: "`FILE` with the token of your player (instead of " + tokenVariable + " or the one stored by login)"}
	version := &cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Local: true, Usage: "print the version, the commit and the release of Go"}
	app := &cli.Command{
		Name:        "coco",
		Usage:       "play on a Colosseum server",
		Description: exitCodes,
		Flags:       []cli.Flag{server, insecure, tokenFile, version},
		Commands: []*cli.Command{
			listCommand(), lobbyCommand(), newCommand(program), connectCommand(program), historyCommand(), refeedCommand(program),
			serveCommand(program), challengeCommand(program), uciCommand(program), httpCommand(), mcpCommand(), contestCommand(),
			submitCommand(), submissionsCommand(),
			registerCommand(), loginCommand(), whoamiCommand(), logoutCommand(), tokensCommand(), renameCommand(), loadCommand(),
		},
		Action:                withoutCommand,
		EnableShellCompletion: true,
		ConfigureShellCompletionCommand: func(c *cli.Command) {
			c.Hidden = false
			c.Usage = "print the completion script of a shell"
		},
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // Main prints errors
	}
	app.Before = func(ctx context.Context, cmd *cli.Command) (context.Context, error) {
		if len(program) > 0 && !slices.Contains([]string{"new", "connect", "refeed", "serve", "challenge", "uci"}, cmd.Args().First()) {
			return ctx, usage(`only new, connect, serve, challenge, uci and refeed take a program after "--"`)
		}
		return ctx, nil
	}
	app.OnUsageError = badUsage
	for _, c := range app.Commands {
		c.OnUsageError = badUsage
		for _, sub := range c.Commands {
			sub.OnUsageError = badUsage
		}
	}
	return app
}

func badUsage(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	if cmd != cmd.Root() && err.Error() == "flag provided but not defined: -s" {
		return usage("-s URL comes before the command: coco -s URL %s ...", cmd.Name)
	}
	return usage("%w (see %s --help)", ofLibrary(err), cmd.FullName())
}

// withoutCommand runs when no known command was given.
func withoutCommand(ctx context.Context, cmd *cli.Command) error {
	if cmd.Bool("version") {
		_, err := fmt.Println(buildinfo.Describe("coco"))
		return err
	}
	return withoutSubcommand(ctx, cmd)
}

// withoutSubcommand refuses a command line without a known command of cmd.
func withoutSubcommand(_ context.Context, cmd *cli.Command) error {
	var names []string
	for _, c := range cmd.VisibleCommands() {
		names = append(names, c.Name)
	}
	if cmd.Args().Len() == 0 {
		return usage("which command? (have %s; see %s --help)", strings.Join(names, ", "), cmd.FullName())
	}
	return usage("unknown command %q (have %s; see %s --help)", cmd.Args().First(), strings.Join(names, ", "), cmd.FullName())
}

// arguments returns the positional arguments of a command. It is a usage error
// if there are fewer than least or more than most.
func arguments(cmd *cli.Command, least, most int) ([]string, error) {
	args := cmd.Args().Slice()
	switch {
	case len(args) < least:
		return nil, usage("%s needs more arguments: %s %s", cmd.Name, cmd.FullName(), cmd.ArgsUsage)
	case len(args) > most:
		return nil, usage("%s does not take %q: %s %s", cmd.Name, args[most], cmd.FullName(), cmd.ArgsUsage)
	}
	return args, nil
}

// dial connects to the server named by the options, without a token.
func dial(ctx context.Context, cmd *cli.Command) (*server.Conn, error) {
	d, err := newDialer(cmd)
	if err != nil {
		return nil, err
	}
	return d.dial(ctx)
}

// dialer connects to the server named by the options, any number of times.
type dialer struct {
	addr   server.Address
	opts   server.Options
	source string // of the token, for the user; empty: there is no token
	given  bool   // the token is given for this command, and not stored for the server

	prepared func(reason string) // called while the server prepares a game
	busy     func(error)         // called before a request is repeated because the server is busy
}

// newDialer returns a dialer without a token. It warns of --insecure.
func newDialer(cmd *cli.Command) (*dialer, error) {
	addr, err := serverAddress(cmd)
	if err != nil {
		return nil, err
	}
	insecure := cmd.Root().Bool("insecure")
	if insecure {
		warnInsecure(cmd)
	}
	return &dialer{addr: addr, opts: server.Options{Insecure: insecure}, busy: warnBusy(cmd), prepared: func(reason string) {
		warn(cmd, "the server prepares the game (%s): waiting for at most %.0f minutes", reason, server.PrepareLimit.Minutes())
	}}, nil
}

func (d *dialer) dial(ctx context.Context) (*server.Conn, error) {
	conn, err := server.Dial(ctx, d.addr, d.opts)
	if err != nil && server.CloseCode(err) == protocol.CloseToken {
		return nil, &server.Refused{Text: locale.Errorf("%w (%w)", err, d.remedy()), Err: err}
	}
	if err == nil && d.given && conn.Player == "" {
		conn.Close()
		return nil, &server.Refused{Text: locale.Errorf("the server %s has no registered players: leave out the token of %s", d.addr, d.source)}
	}
	return conn, err
}

func warnInsecure(cmd *cli.Command) {
	warn(cmd, "the server's certificate is not verified")
}

// allowInsecure is the environment variable that --insecure needs as well: a
// flag alone is copied too easily from an old command line.
const allowInsecure = "COCO_ALLOW_INSECURE"

// serverAddress returns the server's address, and checks --insecure against it.
func serverAddress(cmd *cli.Command) (server.Address, error) {
	addr, err := server.ParseAddress(cmd.Root().String("server-url"))
	if err != nil {
		return addr, &usageError{err}
	}
	if cmd.Root().Bool("insecure") {
		switch {
		case !addr.TLS:
			return addr, usage("--insecure is for wss:// servers: %q has no certificate", addr)
		case os.Getenv(allowInsecure) != "1":
			return addr, usage("refusing --insecure: anyone between you and the server could read and change what you send, passwords too; "+
				"if you really want that, also set %s=1 in the environment", allowInsecure)
		}
	}
	return addr, nil
}

// ask sends one request to the server, without a token, and decodes the answer, a
// message named want, into reply.
func ask(ctx context.Context, cmd *cli.Command, request []byte, want string, reply any) error {
	d, err := newDialer(cmd)
	if err != nil {
		return err
	}
	return d.ask(ctx, request, want, reply)
}

// ask is the function ask, with the dialer's token.
func (d *dialer) ask(ctx context.Context, request []byte, want string, reply any) error {
	conn, err := d.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Ask(ctx, request, want, reply)
}

func usage(format string, args ...any) error {
	return &usageError{locale.Errorf(format, args...)}
}

// refused returns a server.Refused that names the action that failed, and the reason.
func refused(what, err error) error {
	return &server.Refused{Text: locale.Errorf("%w: %w", what, err)}
}
