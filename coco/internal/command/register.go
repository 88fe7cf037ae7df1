package command

import (
	"context"
	"fmt"
	"os"

	"colosseum/coco/internal/server"
	"colosseum/coco/internal/token"
	"colosseum/internal/locale"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"
)

func forceFlag() cli.Flag {
	return &cli.BoolFlag{Name: "force", Usage: "replace the stored token of another player"}
}

func registerCommand() *cli.Command {
	return &cli.Command{
		Name:      "register",
		Usage:     "register a player on the server, and store its token",
		ArgsUsage: "NAME [--invite FILE] [--force]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "invite", Usage: "`FILE` with the code of an invitation; - reads it from the terminal or from standard input", DefaultText: "$" + inviteVariable},
			forceFlag(),
		},
		Action: register,
	}
}

func register(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd, 1, 1)
	if err != nil {
		return err
	}
	d, err := newDialer(cmd)
	if err != nil {
		return err
	}
	replace, err := d.canReplace(ctx, cmd, "")
	if err != nil {
		return err
	}
	invite, err := invitation(ctx, cmd)
	if err != nil {
		return err
	}
	d.warnExposed(cmd)
	conn, err := d.players(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var reply protocol.PlayerRegisterReply
	request := protocol.Encode(protocol.NamePlayerRegister, protocol.PlayerRegister{Name: args[0], Invite: invite})
	if err := conn.Ask(ctx, request, protocol.NamePlayerRegister, &reply); err != nil {
		return err
	}
	text, err := reply.Token.Get()
	if err != nil {
		return refused(locale.Errorf("cannot register %s", args[0]), err)
	}
	if text, err = token.Parse(text); err != nil {
		return &server.Refused{Text: locale.Errorf("the server %s has sent no valid token: it is not stored", d.addr)}
	}
	path, err := d.keep(text, replace)
	if err != nil {
		// The server does not send it again.
		fmt.Println(text)
		return locale.Errorf("%s is registered, but its token could not be stored (%w): the line on standard output is the token; keep it, and store it with coco login", args[0], err)
	}
	return say(cmd, "Registered as %s; the token is in %s", args[0], path)
}

// invitation returns the code of an invitation, or "".
func invitation(ctx context.Context, cmd *cli.Command) (string, error) {
	switch file := cmd.String("invite"); {
	case !cmd.IsSet("invite"):
		return secretsOf(cmd).invite, nil
	case file == "-":
		return readSecret(ctx, languageOf(cmd).Of("Code of the invitation: "))
	default:
		return readLine(file)
	}
}

func loginCommand() *cli.Command {
	return &cli.Command{
		Name:      "login",
		Usage:     "log in through a browser, or with a token from the terminal or from standard input",
		ArgsUsage: "[--device] [--force]",
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "device", Usage: "log in through a browser, without asking for a token"}, forceFlag()},
		Action:    login,
	}
}

func login(ctx context.Context, cmd *cli.Command) error {
	if _, err := arguments(cmd, 0, 0); err != nil {
		return err
	}
	d, err := newDialer(cmd)
	if err != nil {
		return err
	}
	if cmd.Bool("device") {
		return loginByDevice(ctx, cmd, d)
	}
	text, err := readSecret(ctx, languageOf(cmd).Sprintf("Token for %s (Enter: log in through a browser): ", d.addr))
	if err != nil {
		return err
	}
	if text == "" && term.IsTerminal(int(os.Stdin.Fd())) {
		return loginByDevice(ctx, cmd, d)
	}
	if text, err = token.Parse(text); err != nil {
		return &usageError{err}
	}
	d.warnExposed(cmd)
	player, err := d.playerOf(ctx, text)
	if err != nil {
		return err
	}
	if player == "" {
		return &server.Refused{Text: locale.Errorf("the server %s refuses this token", d.addr)}
	}
	replace, err := d.canReplace(ctx, cmd, player)
	if err != nil {
		return err
	}
	path, err := d.keep(text, replace)
	if err != nil {
		return locale.Errorf("the token could not be stored: %w", err)
	}
	return say(cmd, "Logged in as %s; the token is in %s", player, path)
}

// canReplace reports whether a stored token is to be replaced: with --force, or if it
// is that of the given player or of none. It refuses to replace that of another player,
// which can be the only copy.
func (d *dialer) canReplace(ctx context.Context, cmd *cli.Command, player string) (bool, error) {
	if cmd.Bool("force") {
		return true, nil
	}
	stored, path, err := storedToken(d.addr)
	if err != nil || stored == "" {
		return false, err
	}
	owner, err := d.playerOf(ctx, stored)
	if err != nil {
		return false, err
	}
	if owner != "" && owner != player {
		return false, &server.Refused{Text: locale.Errorf("you are logged in as %s: keep its token, in %s, and give --force, or run coco logout", owner, path)}
	}
	return true, nil
}

// keep stores a token for the server and returns its file.
func (d *dialer) keep(text string, replace bool) (path string, err error) {
	store, origin, err := openStore(d.addr)
	if err != nil {
		return "", err
	}
	return store.Path(origin), store.Put(origin, text, replace)
}

func whoamiCommand() *cli.Command {
	return &cli.Command{
		Name:      "whoami",
		Usage:     "print the name of your player on the server",
		ArgsUsage: "[--json]",
		Flags:     []cli.Flag{jsonFlag()},
		Action:    whoami,
	}
}

func whoami(ctx context.Context, cmd *cli.Command) error {
	if _, err := arguments(cmd, 0, 0); err != nil {
		return err
	}
	d, err := withPlayer(cmd)
	if err != nil {
		return err
	}
	conn, err := d.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	switch {
	case conn.Player == "":
		return &server.Refused{Text: locale.Errorf("the server %s has no registered players", d.addr)}
	case cmd.Bool("json"):
		return printJSON(struct {
			Player string `json:"player"`
		}{conn.Player})
	default:
		return printText(conn.Player)
	}
}

func logoutCommand() *cli.Command {
	return &cli.Command{
		Name:      "logout",
		Usage:     "remove the stored token for the server; its player stays registered",
		ArgsUsage: " ",
		Action:    logout,
	}
}

func logout(_ context.Context, cmd *cli.Command) error {
	if _, err := arguments(cmd, 0, 0); err != nil {
		return err
	}
	addr, err := serverAddress(cmd)
	if err != nil {
		return err
	}
	store, origin, err := openStore(addr)
	if err != nil {
		return err
	}
	switch there, err := store.Remove(origin); {
	case err != nil:
		return locale.Errorf("the token could not be removed: %w", err)
	case !there:
		return say(cmd, "There is no token for %s", addr)
	default:
		return say(cmd, "Removed %s", store.Path(origin))
	}
}

// readLine returns the content of a small file, without the space around it.
func readLine(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", &usageError{err}
	}
	defer f.Close()
	text, err := firstLine(f)
	if err == nil && text == "" {
		err = locale.Errorf("%s is empty", file)
	}
	return text, err
}
