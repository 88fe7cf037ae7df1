// Package trace sends traces of requests to a collector of OpenTelemetry, so that one
// trace shows a request on all hosts that it reaches. Spans have no players' names, no
// addresses and no texts of messages or errors.
package trace

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Kind is the role of a span's host.
type Kind = trace.SpanKind

const (
	Internal = trace.SpanKindInternal // work that is no request
	Server   = trace.SpanKindServer   // it answers a request
	Client   = trace.SpanKindClient   // it sends a request to another host
)

// Span is a part of a trace: some work on one host. The zero value is of no trace, and its
// methods do nothing.
type Span struct{ span trace.Span }

// Start begins a span, whose parent is the span of ctx, and returns a context for what
// belongs to it. The name must be one of few. On a nil Tracer it returns ctx and a span of
// no trace.
func (t *Tracer) Start(ctx context.Context, kind Kind, name string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	return t.start(ctx, name, trace.WithSpanKind(kind))
}

// StartAt is Start for a span that began earlier.
func (t *Tracer) StartAt(ctx context.Context, kind Kind, name string, begun time.Time) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	return t.start(ctx, name, trace.WithSpanKind(kind), trace.WithTimestamp(begun))
}

func (t *Tracer) start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, Span) {
	ctx, span := t.tracer.Start(ctx, name, options...)
	return ctx, Span{span}
}

// Rename changes the name of the span.
func (s Span) Rename(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// Text adds an attribute to the span. The value must be no name of a player, no address
// and no secret. Longer values than 64 characters are cut.
func (s Span) Text(key, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// Int adds an attribute to the span.
func (s Span) Int(key string, n int) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int(key, n))
	}
}

// End ends the span and queues it. With an error it is shown as failed; the text of the
// error is not sent.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	if err != nil {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// header is the name of a span in the standard W3C Trace Context.
const header = "traceparent"

// Continue returns a context whose spans belong to the trace of a parent on another
// host: what Parent returned there. If parent is empty or invalid, or on a nil Tracer, it
// returns ctx. What a client sends must not get here, because it would choose its trace.
func (t *Tracer) Continue(ctx context.Context, parent string) context.Context {
	if t == nil || parent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{header: parent})
}

// Parent returns the span of ctx for another host, as the header traceparent of the
// standard W3C Trace Context. It is empty if ctx has none.
func Parent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[header]
}
