package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/clients/webhook"
	"colosseum/host/internal/records/store"
	"colosseum/internal/terminal"
)

func webhooksCommand() *cli.Command {
	asJSON := &cli.BoolFlag{Name: "json", Usage: "print JSON"}
	c := &cli.Command{
		Name:        "webhooks",
		Usage:       "list webhooks and their messages, test a webhook, and send a message again",
		Description: "The commands work while a host runs and without one. A running host sends what retry asks for.",
		Commands: []*cli.Command{
			{Name: "list", Usage: "list the webhooks of the configuration", Action: listWebhooks, Flags: []cli.Flag{asJSON}},
			{Name: "log", Usage: "list the last messages, the newest first", Action: logWebhooks, Flags: []cli.Flag{
				&cli.StringFlag{Name: "hook", Usage: "only those for the webhook `NAME`"},
				&cli.IntFlag{Name: "n", Value: 20, Usage: "list `N` messages"},
				asJSON,
			}},
			{Name: "test", Usage: "send a message to a webhook now", ArgsUsage: "NAME", Action: testWebhook},
			{Name: "retry", Usage: "have a message sent again", ArgsUsage: "NUMBER", Action: retryWebhook},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return fmt.Errorf("webhooks has no command %q: see host webhooks --help", cmd.Args().First())
			}
			return cli.ShowSubcommandHelp(cmd)
		},
	}
	for _, sub := range c.Commands {
		sub.OnUsageError = badUsage
	}
	return c
}

// openWebhooks opens the messages for webhooks, and returns the configuration.
func openWebhooks(ctx context.Context, cmd *cli.Command) (*store.Webhooks, *config.Config, error) {
	c, err := source(cmd).Load()
	if err != nil {
		return nil, nil, err
	}
	if err := present(c, "messages"); err != nil {
		return nil, nil, err
	}
	w, err := store.OpenWebhooks(ctx, c.StoreAt(), toolLog(cmd))
	return w, c, err
}

// shownWebhook is a webhook as it is printed in JSON. The path of its URL can be a secret.
type shownWebhook struct {
	Name     string     `json:"name"`
	Receiver string     `json:"receiver"`
	Events   []string   `json:"events"`
	Waiting  int        `json:"waiting"`        // messages
	Next     *time.Time `json:"next,omitempty"` // when the first of them is tried again
	Last     string     `json:"last,omitempty"` // the state of the newest message
}

func listWebhooks(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	w, c, err := openWebhooks(ctx, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	all := []shownWebhook{} // not null
	var rows [][]string
	for _, h := range c.Webhooks {
		one := shownWebhook{Name: h.Name, Receiver: h.Receiver(), Events: h.Events}
		if len(one.Events) == 0 {
			one.Events = config.WebhookEvents()
		}
		var next time.Time
		if one.Waiting, next, err = w.Waiting(ctx, h.Name); err != nil {
			return err
		}
		if !next.IsZero() {
			one.Next = &next
		}
		newest, err := w.List(ctx, h.Name, 1)
		if err != nil {
			return err
		}
		for i := range newest {
			one.Last = stateOfDelivery(&newest[i])
		}
		all = append(all, one)
		events := strings.Join(h.Events, " ")
		if events == "" {
			events = "all"
		}
		rows = append(rows, []string{one.Name, one.Receiver, events, strconv.Itoa(one.Waiting), one.Last})
	}
	if cmd.Bool("json") {
		return printJSON(cmd.Root().Writer, all)
	}
	_, err = fmt.Fprintln(cmd.Root().Writer, terminal.Table([]string{"name", "receiver", "events", "waiting", "last message"}, rows))
	return err
}

// stateOfDelivery returns how far a message has come.
func stateOfDelivery(d *store.Delivery) string {
	switch {
	case d.Delivered():
		return "delivered"
	case d.Next.IsZero():
		return "given up"
	case d.Tries > 0:
		return "tried again " + d.Next.Local().Format(time.DateTime)
	default:
		return "waiting"
	}
}

// shownDelivery is a message as it is printed in JSON.
type shownDelivery struct {
	Number  int64           `json:"number"`
	ID      string          `json:"id"`
	Webhook string          `json:"webhook"`
	Event   string          `json:"event"`
	Created time.Time       `json:"created"`
	State   string          `json:"state"` // delivered, waiting or given up
	Next    time.Time       `json:"next,omitzero"`
	Tries   int             `json:"tries"`
	Status  int             `json:"status"` // of the last HTTP answer; 0: none
	Problem string          `json:"problem,omitempty"`
	Body    json.RawMessage `json:"body"`
}

func logWebhooks(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	if cmd.Int("n") < 1 {
		return errors.New("-n must be greater than 0")
	}
	w, _, err := openWebhooks(ctx, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	list, err := w.List(ctx, cmd.String("hook"), cmd.Int("n"))
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		all := []shownDelivery{} // not null
		for _, d := range list {
			state := stateOfDelivery(&d)
			if !d.Next.IsZero() {
				state = "waiting"
			}
			all = append(all, shownDelivery{d.Number, d.ID, d.Hook, d.Event, d.Created, state, d.Next, d.Tries, d.Status, d.Problem, json.RawMessage(d.Body)})
		}
		return printJSON(cmd.Root().Writer, all)
	}
	var rows [][]string
	for _, d := range list {
		rows = append(rows, []string{
			strconv.FormatInt(d.Number, 10), d.Created.Local().Format(time.DateTime), d.Hook, d.Event, stateOfDelivery(&d), strconv.Itoa(d.Tries), d.Problem,
		})
	}
	_, err = fmt.Fprintln(cmd.Root().Writer, terminal.Clean(terminal.Table([]string{"number", "created", "webhook", "event", "state", "tries", "problem"}, rows)))
	return err
}

func testWebhook(ctx context.Context, cmd *cli.Command) error {
	name, err := argument(cmd)
	if err != nil {
		return err
	}
	w, c, err := openWebhooks(ctx, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	i := slices.IndexFunc(c.Webhooks, func(h config.Webhook) bool { return h.Name == name })
	if i < 0 {
		var names []string
		for _, h := range c.Webhooks {
			names = append(names, h.Name)
		}
		return fmt.Errorf("the configuration has no webhook %q (have %s)", name, strings.Join(names, ", "))
	}
	hooks, err := webhook.Open(c.Webhooks[i : i+1])
	if err != nil {
		return err
	}
	d, err := webhook.Test(name, c.PublicAddress())
	if err != nil {
		return err
	}
	failed := hooks[0].SendOnce(ctx, &d)
	if err := w.Log(context.WithoutCancel(ctx), &d); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("test %s: %w", name, failed)
	}
	fmt.Fprintf(os.Stderr, "%s has the message %s (status %d)\n", name, d.ID, d.Status)
	return nil
}

func retryWebhook(ctx context.Context, cmd *cli.Command) error {
	text, err := argument(cmd)
	if err != nil {
		return err
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < 1 {
		return fmt.Errorf("%q is no number of a message: see host webhooks log", text)
	}
	w, _, err := openWebhooks(ctx, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Retry(ctx, number); errors.Is(err, store.ErrNoDelivery) {
		return fmt.Errorf("there is no message %d: see host webhooks log", number)
	} else if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "message %d is sent again by the host that runs, or by the next one\n", number)
	return nil
}
