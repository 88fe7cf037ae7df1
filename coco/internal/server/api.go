package server

import (
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

// StatusError is an answer of the HTTP API that is not a success.
type StatusError struct {
	Status int
	Text   string // what the server says; empty: nothing
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
	Opts Options // its token is sent only with requests that change something
}

// call sends a request, and returns the body of a successful answer, of at most the
// given number of bytes. It follows no redirection, so that a token never gets to
// another server. Its error is a *StatusError, a *ConnectionError, or the cause of ctx.
func (a *API) call(ctx context.Context, method string, path *url.URL, most int64, timeout time.Duration) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	at, err := url.Parse("http" + strings.TrimPrefix(a.Addr.URL, "ws")) // and wss becomes https
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if method != http.MethodGet {
		body = strings.NewReader("{}")
	}
	request, err := http.NewRequestWithContext(limited, method, at.ResolveReference(path).String(), body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		if a.Opts.Token != "" {
			request.Header.Set("Authorization", "Bearer "+a.Opts.Token)
		}
	}
	dial := a.Addr.dial
	if a.Opts.NetDial != nil {
		dial = a.Opts.NetDial
	}
	transport := &http.Transport{
		Proxy: a.Addr.proxy, DialContext: dial, DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: a.Opts.Insecure},
	}
	reply, err := transport.RoundTrip(request)
	if err != nil {
		return nil, a.failed(ctx, err)
	}
	defer reply.Body.Close()
	if reply.StatusCode/100 != 2 {
		return nil, refusal(reply)
	}
	text, err := io.ReadAll(io.LimitReader(reply.Body, most+1))
	switch {
	case err != nil:
		return nil, a.failed(ctx, err)
	case int64(len(text)) > most:
		return nil, connectionError("the server's answer is longer than %d MiB", most>>20)
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
	e := &StatusError{Status: reply.StatusCode}
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxRefusal))
	var body struct {
		Error string `json:"error"`
	}
	if err == nil && json.Unmarshal(text, &body) == nil {
		e.Text = body.Error
	}
	return e
}
