package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"colosseum/coco/internal/server"
	"colosseum/coco/internal/token"
	"colosseum/internal/locale"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"
)

// Variables of the environment with secrets. Main removes them, so that the player's
// program does not get them.
const (
	tokenVariable  = "COCO_TOKEN"
	inviteVariable = "COCO_INVITE"
)

// metadataSecrets is the key of the secrets in the metadata of the root command.
const metadataSecrets = "secrets"

// maxSecret limits a secret on standard input, in bytes.
const maxSecret = 4 << 10

// secrets are the values of the environment's variables with secrets.
type secrets struct{ token, invite string }

func takeSecrets() (s secrets) {
	s.token, s.invite = os.Getenv(tokenVariable), os.Getenv(inviteVariable)
	os.Unsetenv(tokenVariable)
	os.Unsetenv(inviteVariable)
	return s
}

// secretsOf returns the secrets that Main has put aside.
func secretsOf(cmd *cli.Command) secrets {
	s, _ := cmd.Root().Metadata[metadataSecrets].(secrets)
	return s
}

// newPlayerDialer returns a dialer with the user's token for the server: that of
// --token-file, of COCO_TOKEN, or the stored one, in this order. Without any, the
// dialer has none.
func newPlayerDialer(cmd *cli.Command) (*dialer, error) {
	d, err := newDialer(cmd)
	if err != nil {
		return nil, err
	}
	file, text := cmd.Root().String("token-file"), secretsOf(cmd).token
	switch {
	case cmd.Root().IsSet("token-file"):
		d.source, d.given = file, true
		d.opts.Token, err = token.ReadFile(file)
	case text != "":
		d.source, d.given = tokenVariable, true
		if d.opts.Token, err = token.Parse(text); err != nil {
			err = locale.Errorf("%s: %w", tokenVariable, err)
		}
	default:
		d.opts.Token, d.source, err = storedToken(d.addr)
	}
	if err != nil {
		return nil, &usageError{err}
	}
	if d.opts.Token != "" {
		d.warnExposed(cmd)
	}
	return d, nil
}

// withPlayer is newPlayerDialer for a command that needs a token.
func withPlayer(cmd *cli.Command) (*dialer, error) {
	d, err := newPlayerDialer(cmd)
	if err == nil && d.opts.Token == "" {
		err = d.withoutPlayer()
	}
	return d, err
}

// storedToken returns the stored token for a server and its file, or nothing.
func storedToken(addr server.Address) (text, file string, err error) {
	store, origin, err := openStore(addr)
	if err != nil {
		return "", "", nil // without a folder nothing is stored
	}
	if text, err = store.Get(origin); text == "" {
		return "", "", err
	}
	return text, store.Path(origin), nil
}

func openStore(addr server.Address) (*token.Store, string, error) {
	store, err := token.Open()
	if err != nil {
		return nil, "", err
	}
	origin, err := addr.Origin()
	return store, origin, err
}

// warnExposed warns that a secret can be read on its way. It does not refuse: the
// network of a classroom rarely has certificates, and a user that needs an option for
// each command there learns to always give it.
func (d *dialer) warnExposed(cmd *cli.Command) {
	if d.addr.Exposed() {
		warn(cmd, "others on the network can read the token that is sent to %s; use wss:// if the server has it", d.addr)
	}
}

// remedy returns what to do about a token that the server refuses.
func (d *dialer) remedy() error {
	if d.source == "" || strings.HasSuffix(d.source, ".token") {
		return locale.Errorf("coco login stores another, coco logout removes it")
	}
	return locale.Errorf("it is that of %s", d.source)
}

// players connects without a token, to check that the server has players.
func (d *dialer) players(ctx context.Context) (*server.Conn, error) {
	conn, err := d.dial(ctx)
	if err == nil && !conn.Has(protocol.FeaturePlayers) {
		conn.Close()
		return nil, &server.Refused{Text: locale.Errorf("the server %s has no registered players", d.addr)}
	}
	return conn, err
}

// playerOf returns the registered player of a token, or "" if the server refuses it.
func (d *dialer) playerOf(ctx context.Context, text string) (string, error) {
	with := *d
	with.opts.Token = text
	conn, err := server.Dial(ctx, with.addr, with.opts)
	if server.CloseCode(err) == protocol.CloseToken {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if conn.Player == "" {
		return "", &server.Refused{Text: locale.Errorf("the server %s has no registered players", d.addr)}
	}
	return conn.Player, nil
}

// readSecret reads a line from the terminal without showing it, or from a standard
// input that is not a terminal.
func readSecret(ctx context.Context, prompt string) (string, error) {
	fd := int(os.Stdin.Fd())
	if !term.IsTerminal(fd) {
		return firstLine(os.Stdin)
	}
	state, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	fmt.Fprint(os.Stderr, prompt)
	defer fmt.Fprintln(os.Stderr)
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() { // ends with the line, or with the process
		text, err := term.ReadPassword(fd)
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		return strings.TrimSpace(string(l.text)), l.err
	case <-ctx.Done():
		term.Restore(fd, state) // otherwise the terminal stays without echo
		return "", context.Cause(ctx)
	}
}

// firstLine returns the first line without the space around it.
func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, maxSecret)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(line), err
}
