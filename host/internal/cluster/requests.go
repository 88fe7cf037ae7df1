package cluster

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/play/lobby"
)

// Bounds of requests.
const (
	maxHandlers    = 64        // of one name at the same time; more requests are refused
	maxMessage     = 512 << 10 // bytes; NATS allows 1 MB by default
	requestTimeout = 10 * time.Second
	maxPending     = 4096 // messages of one name, and 4 MiB, that wait for this host; more are dropped, and their senders get no answer
)

// ErrUnreachable is the error of Request if no answer arrived. The other host can have
// done what was requested.
var ErrUnreachable = errors.New("the other host does not answer: try again later")

var errNoConnection = fmt.Errorf("this host is not connected to NATS: %w", ErrUnreachable)

// message is a request, or what Publish sends.
type message struct {
	From string          `json:"from"`
	Sent int64           `json:"sent"` // Unix milliseconds
	Body json.RawMessage `json:"body"`

	Trace string `json:"trace,omitempty"` // the span of the sender, see trace.Parent
}

// answer is the answer to a request.
type answer struct {
	Error string          `json:"error,omitempty"`
	Code  string          `json:"code,omitempty"` // of errors that have one
	Body  json.RawMessage `json:"body,omitempty"`
}

// codes are those of the errors that errors.Is finds on the other side.
var codes = map[string]error{"full": lobby.ErrFull, "closed": lobby.ErrClosed, "records": lobby.ErrRecords, "busy": errBusy}

var errBusy = errors.New("the other host has too many requests: try again")

// remoteError is the error of a handler on another host.
type remoteError struct {
	text string
	err  error // can be nil
}

func (e remoteError) Error() string { return e.text }
func (e remoteError) Unwrap() error { return e.err }

func requestSubject(host, name string) string { return "colosseum.request." + host + "." + name }
func publishSubject(name string) string       { return "colosseum.publish." + name }
func answerTo(n nonce) string                 { return "answer " + hex.EncodeToString(n[:]) }

// sealMessage encrypts a message for a subject, with the sender's span.
func (c *Cluster) sealMessage(subject, span string, v any) (sealed []byte, n nonce, err error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, n, err
	}
	sealed, n, err = c.sealer.seal(subject, message{From: c.config.Name, Sent: time.Now().UnixMilli(), Body: body, Trace: span})
	if err == nil && len(sealed) > maxMessage {
		return nil, n, fmt.Errorf("%d bytes are too many for another host", len(sealed))
	}
	return sealed, n, err
}

// openMessage decrypts a message and checks that it is new.
func (c *Cluster) openMessage(m *nats.Msg) (msg message, n nonce, err error) {
	if len(m.Data) > maxMessage {
		return msg, n, errInvalid
	}
	if n, err = c.sealer.open(m.Subject, m.Data, &msg); err != nil {
		return msg, n, err
	}
	if !config.ValidHostName(msg.From) {
		return msg, n, errInvalid
	}
	if err := c.checkAge(time.UnixMilli(msg.Sent), maxAge); err != nil {
		return msg, n, err
	}
	return msg, n, c.repeats.check(n, msg.Sent)
}

// Request sends in to another host as JSON and decodes its answer into out, unless out
// is nil. An error of the handler has its text; errors.Is finds lobby.ErrFull,
// lobby.ErrClosed and lobby.ErrRecords. Without an answer the error is ErrUnreachable. Without a deadline of
// ctx it waits at most 10 seconds.
func (c *Cluster) Request(ctx context.Context, host, name string, in, out any) (err error) {
	if !c.Connected() {
		return errNoConnection
	}
	if !config.ValidHostName(host) {
		return fmt.Errorf("%q is not the name of a host", host)
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, requestTimeout)
		defer cancel()
	}
	ctx, span := c.config.Tracer.Start(ctx, trace.Client, name)
	span.Text("to", host)
	defer func() { span.End(err) }()
	subject := requestSubject(host, name)
	sealed, n, err := c.sealMessage(subject, trace.Parent(ctx), in)
	if err != nil {
		return fmt.Errorf("request %s of host %s: %w", name, host, err)
	}
	reply, err := c.nats.RequestWithContext(ctx, subject, sealed)
	if err != nil {
		return fmt.Errorf("host %s: %w (%w)", host, ErrUnreachable, err)
	}
	var a answer
	if _, err := c.sealer.open(answerTo(n), reply.Data, &a); err != nil {
		c.refuse("answer", subject, err)
		return fmt.Errorf("host %s: %w", host, ErrUnreachable)
	}
	switch {
	case a.Error != "":
		return remoteError{a.Error, codes[a.Code]}
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(a.Body, out); err != nil {
		return fmt.Errorf("read the answer of host %s to %s: %w", host, name, err)
	}
	return nil
}

// Handle answers the requests of a name with f, which can run concurrently, for at most
// 10 seconds each. The name has lower-case letters, digits and hyphens.
func (c *Cluster) Handle(name string, f func(ctx context.Context, body []byte) (any, error)) {
	running := make(chan struct{}, maxHandlers) // full: the request is refused
	c.subscribe(requestSubject(c.config.Name, name), func(m *nats.Msg) {
		msg, n, err := c.openMessage(m)
		if err != nil {
			c.refuse("request", m.Subject, err)
			return
		}
		select {
		case running <- struct{}{}:
		default:
			c.answer(m, n, nil, errBusy)
			return
		}
		c.handlers.Go(func() { // ends with f
			defer func() { <-running }()
			ctx, cancel := context.WithTimeout(c.ctx, requestTimeout)
			defer cancel()
			ctx, span := c.config.Tracer.Start(c.config.Tracer.Continue(ctx, msg.Trace), trace.Server, name)
			out, err := f(ctx, msg.Body)
			span.End(err)
			c.answer(m, n, out, err)
		})
	})
}

// answer answers a request.
func (c *Cluster) answer(m *nats.Msg, n nonce, out any, err error) {
	var a answer
	if err == nil {
		a.Body, err = json.Marshal(out)
	}
	if err != nil {
		a = answer{Error: err.Error()}
		for code, e := range codes {
			if errors.Is(err, e) {
				a.Code = code
			}
		}
	}
	sealed, _, sealing := c.sealer.seal(answerTo(n), a)
	if sealing == nil && len(sealed) > maxMessage {
		err = fmt.Errorf("the answer has %d bytes, which are too many", len(sealed))
		sealed, _, sealing = c.sealer.seal(answerTo(n), answer{Error: err.Error()})
	}
	if err == nil {
		c.counts.served.Add(1)
	} else {
		c.counts.failed.Add(1)
	}
	if sealing == nil {
		_ = m.Respond(sealed) // without a connection, the other host does not wait for it
	}
}

// subscribe calls f with the messages of a subject, one after the other.
func (c *Cluster) subscribe(subject string, f nats.MsgHandler) {
	s, err := c.nats.Subscribe(subject, f)
	if err != nil { // the connection was closed, or a name is not valid
		c.log.Error("could not subscribe in NATS", "subject", subject, "error", err)
		return
	}
	_ = s.SetPendingLimits(maxPending, maxPending<<10) // fails only after Close
	// The other hosts can send something as soon as this returns. Without a connection,
	// the library subscribes again later.
	_ = c.nats.FlushTimeout(time.Second)
}

// Publish sends v to all other hosts as JSON. It can be lost.
func (c *Cluster) Publish(name string, v any) {
	subject := publishSubject(name)
	sealed, _, err := c.sealMessage(subject, "", v)
	if err == nil {
		err = c.nats.Publish(subject, sealed)
	}
	if err != nil && c.Connected() {
		c.rarely.warn("could not publish to the other hosts", "subject", subject, "error", err)
	}
}

// Subscribe calls f with what other hosts publish, one after the other.
func (c *Cluster) Subscribe(name string, f func(from string, body []byte)) {
	c.subscribe(publishSubject(name), func(m *nats.Msg) {
		// NATS also sends back what this host has published. It is not counted as refused.
		msg, _, err := c.openMessage(m)
		switch {
		case err != nil:
			c.refuse("message", m.Subject, err)
		case msg.From != c.config.Name:
			f(msg.From, msg.Body)
		}
	})
}
