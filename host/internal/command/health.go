package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
)

func healthCommand() *cli.Command {
	return &cli.Command{
		Name:        "health",
		Usage:       "ask a running host on this machine whether it is healthy",
		Description: "It asks at operations.listen of the same configuration. It fails if the host is not healthy, or with --ready if it takes no clients now. Health checks of containers without a shell can use it.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "ready", Usage: "ask whether clients can play, as a balancer does"},
			&cli.DurationFlag{Name: "timeout", Value: 5 * time.Second, Usage: "give up after `DURATION`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := noArguments(cmd); err != nil {
				return err
			}
			c, err := source(cmd).Load()
			if err != nil {
				return err
			}
			page := "healthz"
			if cmd.Bool("ready") {
				page = "readyz"
			}
			ctx, cancel := context.WithTimeout(ctx, cmd.Duration("timeout"))
			defer cancel()
			text, err := askHealth(ctx, c.Operations.Listen, page)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.Root().Writer, text)
			return err
		},
	}
}

// askHealth asks for a page of the host that serves operations at an address. The answer
// is an error unless the status is 200.
func askHealth(ctx context.Context, listen, page string) (text string, err error) {
	network, at, err := reachable(listen)
	if err != nil {
		return "", err
	}
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, at)
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/"+page, nil) // a name that each host has
	if err != nil {
		return "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("no host answers at %s: does it run, with this configuration? %w", at, errors.Unwrap(err))
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	if err != nil {
		return "", fmt.Errorf("read the answer of the host at %s: %w", at, err)
	}
	text = strings.TrimSpace(string(b))
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the host at %s says: %s", at, text)
	}
	return text, nil
}

// reachable returns where this machine reaches what listens at an address.
func reachable(listen string) (network, at string, err error) {
	switch listen {
	case "":
		return "", "", errors.New("operations.listen is empty, so the host does not serve its health: set it to an address like 127.0.0.1:9088")
	case config.OperationsAuto:
		listen = config.OperationsDefault
	}
	if path, ok := strings.CutPrefix(listen, "unix:"); ok {
		return "unix", path, nil
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", "", fmt.Errorf("operations.listen: %w", err)
	}
	if port == "0" {
		return "", "", errors.New("operations.listen has port 0, any free one, which only the log shows: set it to a port")
	}
	switch ip := net.ParseIP(host); {
	case host == "", ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	return "tcp", net.JoinHostPort(host, port), nil
}
