package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"colosseum/internal/locale"
)

const (
	// maxAnswer limits an answer of the HTTP API: a contest with 10,000 entries has
	// about 4 MiB, and the list of a long contest's matches several times that.
	maxAnswer = 64 << 20
	// maxRefusal limits the text with which a request is refused.
	maxRefusal = 4 << 10
	// answerTimeout is the limit for a whole answer.
	answerTimeout = 30 * time.Second
)

// errTooLong is the cause of the error for an answer that is too long.
var errTooLong = errors.New("too long")

// StatusError is an answer of the HTTP API that is not a success.
type StatusError struct {
	Status int
	Text   string // what the server says; empty: nothing

	again bool // the server asks to try again soon
}

func (e *StatusError) Error() string {
	return e.text().Error()
}

// In returns the text in a language.
func (e *StatusError) In(l *locale.Language) string { return l.Error(e.text()) }

func (e *StatusError) text() error {
	return reason(locale.Errorf("the server answered %d %s", e.Status, http.StatusText(e.Status)), e.Text)
}

// API is the HTTP API of a server, at the address of its WebSocket. The original server
// has none.
type API struct {
	Addr Address
	Opts Options     // its token is sent only with requests that need a player
	Busy func(error) // is called when a busy server refuses a request, which is then repeated for up to a minute; nil: it is not repeated
}

// request is a request to the API.
type request struct {
	method  string
	path    *url.URL
	player  bool          // send the token
	kind    string        // of the body; empty: JSON
	body    []byte        // nil: an empty object, or nothing with GET
	most    int64         // bytes of the answer
	timeout time.Duration // for the whole answer
}

// call sends a request until the server is not too busy for it, and returns the body of a
// successful answer. Its error is a *StatusError, a *ConnectionError, or the cause of ctx.
func (a *API) call(ctx context.Context, r request) (text []byte, err error) {
	if a.Busy == nil {
		return a.once(ctx, r)
	}
	err = UntilNotBusy(ctx, a.Busy, func() error {
		text, err = a.once(ctx, r)
		return err
	})
	return text, err
}

// once is call for one attempt. It follows no redirection, so that a token never gets to
// another server.
func (a *API) once(ctx context.Context, r request) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	at, err := url.Parse("http" + strings.TrimPrefix(a.Addr.URL, "ws")) // and wss becomes https
	if err != nil {
		return nil, err
	}
	var body io.Reader
	switch {
	case r.body != nil:
		body = bytes.NewReader(r.body)
	case r.method != http.MethodGet:
		body = strings.NewReader("{}")
	}
	message, err := http.NewRequestWithContext(limited, r.method, at.ResolveReference(r.path).String(), body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		message.Header.Set("Content-Type", cmp.Or(r.kind, "application/json"))
	}
	if r.body != nil {
		// A server that refuses a long body at once closes the connection, and its answer is
		// lost while the body is written.
		message.Header.Set("Expect", "100-continue")
	}
	if r.player && a.Opts.Token != "" {
		message.Header.Set("Authorization", "Bearer "+a.Opts.Token)
	}
	dial := a.Addr.dial
	if a.Opts.NetDial != nil {
		dial = a.Opts.NetDial
	}
	transport := &http.Transport{
		Proxy: a.Addr.proxy, DialContext: dial, DisableKeepAlives: true,
		TLSClientConfig:       &tls.Config{InsecureSkipVerify: a.Opts.Insecure},
		ExpectContinueTimeout: 2 * time.Second, // older servers and proxies do not answer it
	}
	reply, err := transport.RoundTrip(message)
	if err != nil {
		return nil, a.failed(ctx, err)
	}
	defer reply.Body.Close()
	if reply.StatusCode/100 != 2 {
		return nil, refusal(reply)
	}
	text, err := io.ReadAll(io.LimitReader(reply.Body, r.most+1))
	switch {
	case err != nil:
		return nil, a.failed(ctx, err)
	case int64(len(text)) > r.most:
		return nil, &ConnectionError{Text: locale.Errorf("the server's answer is longer than %d MiB", r.most>>20), Err: errTooLong}
	}
	return text, nil
}

func (a *API) failed(ctx context.Context, err error) error {
	var late net.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &late) && late.Timeout():
		return connectionError("the server does not answer")
	case errors.Is(err, io.EOF):
		return connectionError("%q does not answer HTTP requests (an original Code Colosseum server has none)", a.Addr)
	default:
		return unreachable(a.Addr, err)
	}
}

// refusal returns the error of an answer, with the text of its JSON.
func refusal(reply *http.Response) error {
	e := &StatusError{Status: reply.StatusCode, again: soon(reply)}
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxRefusal))
	var body struct {
		Error string `json:"error"`
	}
	if err == nil && json.Unmarshal(text, &body) == nil {
		e.Text = body.Error
	}
	return e
}

// explained turns an error of call into one for the user, which says what is impossible,
// or absent if the server does not know the address. A later request can succeed after a
// *ConnectionError, but not after a *Refused.
func (a *API) explained(err, what, absent error) error {
	status, ok := errors.AsType[*StatusError](err)
	switch {
	case !ok:
		return err
	case status.Status == http.StatusNotFound || status.Status == http.StatusMethodNotAllowed || status.Status == http.StatusUpgradeRequired:
		return &Refused{Text: absent, Err: status}
	case status.Status == http.StatusTooManyRequests || status.Status >= 500:
		return &ConnectionError{Text: locale.Errorf("%w: %w", what, status), Err: status}
	case status.Status == http.StatusBadRequest && status.Text == "" && !a.Addr.TLS:
		return &ConnectionError{Text: locale.Errorf("%q answered %d (with TLS its address begins with wss:)", a.Addr, status.Status), Err: status}
	case status.Text != "":
		return &Refused{Text: reason(what, status.Text), Err: status}
	default:
		return &Refused{Text: locale.Errorf("%w: %w", what, status), Err: status}
	}
}

func valid(text []byte) error {
	if !json.Valid(text) {
		return notJSON()
	}
	return nil
}

func notJSON() error {
	return connectionError("the server's answer is not JSON: is there a page between, such as that of a proxy?")
}
