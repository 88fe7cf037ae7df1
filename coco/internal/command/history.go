package command

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/internal/terminal"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"
)

// The ways to print a match.
const (
	displayRaw    = "raw"
	displayPretty = "pretty"
	displayJSON   = "json"
)

func historyCommand() *cli.Command {
	return &cli.Command{
		Name:      "history",
		Usage:     "list the matches that have ended, or print one",
		ArgsUsage: "[-d raw|pretty|json] [--json] [--plain] [ID]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "display", Aliases: []string{"d"}, Value: displayPretty,
				Usage: "how to print a match: raw (only what spectators received), pretty or json"},
			jsonFlag(),
			&cli.BoolFlag{Name: "plain", Usage: "list only the IDs (the default if the output is not a terminal)"},
		},
		Action: history,
	}
}

func history(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd, 0, 1)
	if err != nil {
		return err
	}
	display := cmd.String("display")
	switch {
	case !slices.Contains([]string{displayRaw, displayPretty, displayJSON}, display):
		return usage("unknown display %q (have %s, %s, %s)", display, displayRaw, displayPretty, displayJSON)
	case cmd.Bool("json") && cmd.IsSet("display") && display != displayJSON:
		return usage("--json and -d %s exclude each other", display)
	case cmd.Bool("json"):
		display = displayJSON
	}
	if len(args) == 0 {
		return historyList(ctx, cmd, display == displayJSON)
	}
	if cmd.Bool("plain") {
		return usage("--plain is for the list of matches; -d raw prints the stream of one")
	}
	h, err := fetchHistory(ctx, cmd, args[0])
	if err != nil {
		return err
	}
	switch display {
	case displayRaw:
		stream := h.Stream
		if term.IsTerminal(int(os.Stdout.Fd())) {
			stream = []byte(terminal.Clean(string(stream)))
		}
		_, err = os.Stdout.Write(stream)
	case displayJSON:
		err = printJSON(historyJSON(h))
	default:
		err = printText(historyText(outputLanguage(cmd), h))
	}
	return err
}

// historyList prints a table on a terminal. Elsewhere, and if the server has only
// IDs, it prints lines like the original client.
func historyList(ctx context.Context, cmd *cli.Command, asJSON bool) error {
	if !asJSON && !cmd.Bool("plain") && term.IsTerminal(int(os.Stdout.Fd())) {
		if printed, err := historyTable(ctx, cmd); printed || err != nil {
			return err
		}
	}
	ids := []string{}
	// The original server accepts this request as a bare string only.
	request := []byte(`"` + protocol.NameHistoryMatchList + `"`)
	err := server.UntilNotBusy(ctx, warnBusy(cmd), func() error {
		return ask(ctx, cmd, request, protocol.NameHistoryMatchList, &ids)
	})
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(ids)
	}
	for _, id := range ids {
		if err := printText("- " + id); err != nil {
			return err
		}
	}
	return nil
}

func fetchHistory(ctx context.Context, cmd *cli.Command, id string) (*protocol.History, error) {
	var raw []byte
	err := server.UntilNotBusy(ctx, warnBusy(cmd), func() error {
		conn, err := dial(ctx, cmd)
		if err != nil {
			return err
		}
		defer conn.Close()
		raw, err = conn.AskHistory(ctx, protocol.Encode(protocol.NameHistoryMatch, protocol.MatchID{ID: id}))
		return err
	})
	if err != nil {
		return nil, err
	}
	h, err := protocol.DecodeHistory(raw)
	var refusal protocol.HistoryError
	switch {
	case errors.As(err, &refusal):
		return nil, refused(locale.Errorf("cannot get match %s", id), refusal)
	case err != nil:
		return nil, &server.ConnectionError{Err: err}
	}
	return h, nil
}

// warnBusy returns a function that says why coco asks again.
func warnBusy(cmd *cli.Command) func(error) {
	return func(err error) { warn(cmd, "%v; trying again for up to a minute", err) }
}

// historyJSON returns the value to print as JSON. The stream is text, or base64
// if it is not valid UTF-8.
func historyJSON(h *protocol.History) any {
	v := struct {
		ID      string            `json:"id"`
		Game    string            `json:"game"`
		Args    map[string]string `json:"args"`
		Players []string          `json:"players"`
		Bots    int               `json:"bots"`
		Stream  *string           `json:"history,omitempty"`
		Base64  string            `json:"history_base64,omitempty"`
	}{ID: h.ID, Game: h.Game, Args: h.Args, Players: append([]string{}, h.Players...), Bots: h.Bots}
	if utf8.Valid(h.Stream) {
		stream := string(h.Stream)
		v.Stream = &stream
	} else {
		v.Base64 = base64.StdEncoding.EncodeToString(h.Stream)
	}
	return v
}

// historyText returns a match as text: a line for each field, an empty line, and
// the stream.
func historyText(l *locale.Language, h *protocol.History) string {
	var args []string
	for key, value := range h.Args {
		args = append(args, key+"="+value)
	}
	slices.Sort(args)
	var b strings.Builder
	field := func(name, value string) {
		label := fmt.Sprintf("%-8s ", l.Of(name))
		fmt.Fprintln(&b, strings.TrimRight(label+value, " "))
	}
	field("ID", h.ID)
	field("Game", h.Game)
	field("Args", strings.Join(args, " "))
	field("Players", strings.Join(h.Players, " "))
	field("Bots", fmt.Sprint(h.Bots))
	return b.String() + "\n" + string(h.Stream)
}
