package command

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/cluster"
	"colosseum/internal/terminal"
)

func clusterCommand() *cli.Command {
	c := &cli.Command{
		Name:  "cluster",
		Usage: "show the hosts that work as one",
		Commands: []*cli.Command{
			{
				Name: "status", Usage: "list the hosts, and what does not work", Action: clusterStatus,
				Description: "It only reads, and takes at most 5 seconds. It fails if something does not work.",
				Flags:       []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
			},
			{Name: "secret", Usage: "print a new random secret for cluster.secret_file", Action: clusterSecret},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return fmt.Errorf("cluster has no command %q: see host cluster --help", cmd.Args().First())
			}
			return cli.ShowSubcommandHelp(cmd)
		},
	}
	for _, sub := range c.Commands {
		sub.OnUsageError = badUsage
	}
	return c
}

// clusterSecret prints 260 random bits in 52 characters.
func clusterSecret(_ context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	_, err := fmt.Fprintln(cmd.Root().Writer, rand.Text()+rand.Text())
	return err
}

func clusterStatus(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	c, err := source(cmd).Load()
	if err != nil {
		return err
	}
	if c.Cluster.Name == "" {
		return errors.New("the configuration has no cluster: name that of a host with --config, and see docs/cluster.md")
	}
	secret, err := c.Cluster.ReadSecret()
	if err != nil {
		return err
	}
	v, err := cluster.Look(ctx, cluster.Config{NATS: c.Cluster.NATS, CredentialsFile: c.Cluster.CredentialsFile, CAFile: c.Cluster.CAFile, Secret: secret}, c.Store)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		err = printStatusJSON(cmd.Root().Writer, v)
	} else {
		err = printStatus(cmd.Root().Writer, v, time.Now())
	}
	if err != nil || len(v.Problems) == 0 {
		return err
	}
	return errors.New(strings.Join(v.Problems, "\nhost: "))
}

func printStatus(w io.Writer, v *cluster.View, now time.Time) error {
	var rows [][]string
	for _, h := range v.Hosts {
		matches, sessions, up, generation, leader := "", "", "", "", ""
		if !h.Started.IsZero() {
			matches, sessions, up = fmt.Sprintf("%d of %d", h.Matches, h.Capacity), strconv.Itoa(h.Sessions), h.Uptime(now).String()
		}
		if h.Generation > 0 {
			generation = strconv.FormatInt(h.Generation, 10)
		}
		if h.Leader {
			leader = "leader"
		}
		rows = append(rows, []string{terminal.Clean(h.Name), h.State, generation, matches, sessions, up, leader})
	}
	text := ""
	if len(rows) > 0 {
		text = terminal.Table([]string{"host", "state", "generation", "matches", "sessions", "up for", ""}, rows) + "\n"
	}
	if v.NATS.Err == nil {
		text += fmt.Sprintf("%d matches are listed\n", v.Matches)
	}
	text += fmt.Sprintf("NATS: %s\nPostgreSQL: %s\n", answer(v.NATS), answer(v.Postgres))
	_, err := io.WriteString(w, text)
	return err
}

// answer describes how a system answers. The problems say why it does not.
func answer(a cluster.Answer) string {
	if a.Err != nil {
		return "does not work"
	}
	return fmt.Sprintf("answers in %.1f ms", milliseconds(a.RoundTrip))
}

func printStatusJSON(w io.Writer, v *cluster.View) error {
	type host struct {
		Name       string    `json:"name"`
		State      string    `json:"state"`
		Generation int64     `json:"generation,omitempty"`
		Started    time.Time `json:"started,omitzero"`
		Matches    int       `json:"matches"`
		Most       int       `json:"most"`
		Sessions   int       `json:"sessions"`
		Leader     bool      `json:"leader"`
	}
	type system struct {
		Works     bool    `json:"works"`
		RoundTrip float64 `json:"round_trip_ms,omitempty"`
	}
	status := struct {
		Hosts    []host   `json:"hosts"`
		Matches  int      `json:"matches"`
		NATS     system   `json:"nats"`
		Postgres system   `json:"postgres"`
		Problems []string `json:"problems"`
	}{[]host{}, v.Matches, system{v.NATS.Err == nil, milliseconds(v.NATS.RoundTrip)}, system{v.Postgres.Err == nil, milliseconds(v.Postgres.RoundTrip)}, append([]string{}, v.Problems...)}
	for _, h := range v.Hosts {
		status.Hosts = append(status.Hosts, host{h.Name, h.State, h.Generation, h.Started, h.Matches, h.Capacity, h.Sessions, h.Leader})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(status)
}
