// Package trace sends traces of requests to a collector of OpenTelemetry, so that one
// trace shows a request on all hosts that it reaches. Spans have no players' names, no
// addresses and no texts of messages or errors.
package trace

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"time"
)

// Kind is the role of a span's host, with the numbers of OpenTelemetry.
type Kind int

const (
	Internal Kind = 1 // work that is no request
	Server   Kind = 2 // it answers a request
	Client   Kind = 3 // it sends a request to another host
)

// Span is a part of a trace: some work on one host. A nil *Span is of no trace, and its
// methods do nothing. Its methods must not be called concurrently.
type Span struct {
	tracer     *Tracer
	self       place
	parent     [8]byte // zero: none
	kind       Kind
	name       string
	begun      time.Time
	ended      time.Time
	failed     bool
	attributes []attribute
}

// place is the place of a span in its trace.
type place struct {
	trace [16]byte
	span  [8]byte
}

// current is the key of the place of the span that a context belongs to.
type current struct{}

// Start begins a span, whose parent is the span of ctx, and returns a context for what
// belongs to it. The name must be one of few. On a nil Tracer it returns ctx and nil.
func (t *Tracer) Start(ctx context.Context, kind Kind, name string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	s := &Span{tracer: t, kind: kind, name: name, begun: time.Now()}
	if p, ok := ctx.Value(current{}).(place); ok {
		s.self.trace, s.parent = p.trace, p.span
	} else {
		binary.BigEndian.PutUint64(s.self.trace[:], rand.Uint64())
		binary.BigEndian.PutUint64(s.self.trace[8:], rand.Uint64()|1) // never all zeros
	}
	binary.BigEndian.PutUint64(s.self.span[:], rand.Uint64()|1)
	return context.WithValue(ctx, current{}, s.self), s
}

// Rename changes the name of the span.
func (s *Span) Rename(name string) {
	if s != nil {
		s.name = name
	}
}

// Since moves the beginning of the span to an earlier time.
func (s *Span) Since(t time.Time) {
	if s != nil {
		s.begun = t
	}
}

// Text adds an attribute to the span. The value must be no name of a player, no address
// and no secret. Longer values than 64 bytes are cut.
func (s *Span) Text(key, value string) {
	if s != nil {
		s.attributes = append(s.attributes, attribute{Key: key, Value: anyValue{Text: new(value[:min(len(value), 64)])}})
	}
}

// Int adds an attribute to the span.
func (s *Span) Int(key string, n int) {
	if s != nil {
		s.attributes = append(s.attributes, attribute{Key: key, Value: anyValue{Int: new(int64(n))}})
	}
}

// End ends the span and queues it. With an error it is shown as failed; the text of the
// error is not sent. It must be called at most once, and nothing after it.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	s.ended, s.failed = time.Now(), err != nil
	s.tracer.add(s)
}

// Continue returns a context whose spans belong to the trace of a parent on another
// host: what Parent returned there. If parent is empty or invalid, or on a nil Tracer, it
// returns ctx. What a client sends must not get here, because it would choose its trace.
func (t *Tracer) Continue(ctx context.Context, parent string) context.Context {
	if t == nil {
		return ctx
	}
	p, ok := parse(parent)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, current{}, p)
}

// Parent returns the span of ctx for another host, as the header traceparent of the
// standard W3C Trace Context. It is empty if ctx has none.
func Parent(ctx context.Context) string {
	p, ok := ctx.Value(current{}).(place)
	if !ok {
		return ""
	}
	return "00-" + hex.EncodeToString(p.trace[:]) + "-" + hex.EncodeToString(p.span[:]) + "-01"
}

// parse reads the header of version 00.
func parse(text string) (p place, ok bool) {
	if len(text) != 55 || text[:3] != "00-" || text[35] != '-' || text[52] != '-' {
		return p, false
	}
	_, err1 := hex.Decode(p.trace[:], []byte(text[3:35]))
	_, err2 := hex.Decode(p.span[:], []byte(text[36:52]))
	return p, err1 == nil && err2 == nil && p.trace != [16]byte{} && p.span != [8]byte{}
}
