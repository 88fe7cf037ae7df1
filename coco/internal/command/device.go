package command

import (
	"context"
	"os"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/coco/internal/token"
	"colosseum/internal/locale"

	"github.com/urfave/cli/v3"
)

// loginByDevice logs in as the player that a person is on a page of the server, and stores the
// token.
func loginByDevice(ctx context.Context, cmd *cli.Command, d *dialer) error {
	replace, err := d.canReplace(ctx, cmd, "")
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	d.warnExposed(cmd)
	login, err := d.api().AskDevice(ctx, thisProgram())
	if err != nil {
		return err
	}
	if err := say(cmd, "Open %s in a browser, and allow the login with the code %s", login.Whole, login.User); err != nil {
		return err
	}
	text, err := d.api().AwaitDevice(ctx, login, pause)
	if err != nil {
		return err
	}
	if text, err = token.Parse(text); err != nil {
		return &server.Refused{Text: locale.Errorf("the server %s has sent no valid token: it is not stored", d.addr)}
	}
	player, err := d.playerOf(ctx, text)
	if err != nil {
		return err
	}
	path, err := d.keep(text, replace)
	if err != nil {
		return locale.Errorf("the token could not be stored: %w", err)
	}
	return say(cmd, "Logged in as %s; the token is in %s", player, path)
}

// thisProgram is what the person sees of this program.
func thisProgram() string {
	if name, err := os.Hostname(); err == nil {
		return "coco on " + name
	}
	return "coco"
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
