package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"colosseum/internal/locale"
	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

// ConnectionError reports that there is no connection, or that the other side is
// not a server of this protocol.
type ConnectionError struct {
	Text error // for the user; nil: Err
	Err  error
}

func (e *ConnectionError) Error() string {
	if e.Text != nil {
		return e.Text.Error()
	}
	return e.Err.Error()
}

// In returns the text in a language.
func (e *ConnectionError) In(l *locale.Language) string {
	if e.Text != nil {
		return l.Error(e.Text)
	}
	return l.Error(e.Err)
}
func (e *ConnectionError) Unwrap() error { return e.Err }

// Refused reports that the server understood a request and refused it.
type Refused struct {
	Text error // for the user
	Err  error // of the connection, if the server has closed it; or nil
}

func (e *Refused) Error() string { return e.Text.Error() }

// In returns the text in a language.
func (e *Refused) In(l *locale.Language) string { return l.Error(e.Text) }
func (e *Refused) Unwrap() error                { return e.Err }

// CloseCode returns the code with which the server closed the connection, or 0 if the
// error has another cause.
func CloseCode(err error) int {
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		return closed.Code
	}
	return 0
}

// Broken reports whether a new connection can help after an error of Receive, Dial or API:
// the network caused it, and not a decision of the server.
func Broken(err error) bool {
	if _, ok := errors.AsType[*ConnectionError](err); !ok || errors.Is(err, websocket.ErrReadLimit) || errors.Is(err, errTooLong) {
		return false
	}
	switch CloseCode(err) {
	case 0, websocket.CloseAbnormalClosure, websocket.CloseGoingAway, websocket.CloseInternalServerErr,
		websocket.CloseServiceRestart, websocket.CloseTryAgainLater, protocol.CloseTooSlow:
		return true
	}
	return false
}

func connectionError(format string, args ...any) error {
	return &ConnectionError{Err: locale.Errorf(format, args...)}
}

// unreachable turns an error of connecting into a text for the user.
func unreachable(addr Address, err error) error {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return connectionError("cannot connect to %q: %w (without TLS its address begins with ws:)", addr, err)
	}
	if errors.Is(err, refused) {
		return connectionError("cannot connect to %q: %w (no server runs there; -s names another)", addr, err)
	}
	return connectionError("cannot connect to %q: %w", addr, err)
}

// lost turns an error of the connection into a text for the user.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var closed *websocket.CloseError
	var late net.Error
	switch {
	case errors.As(err, &closed) && closed.Code == protocol.CloseLimit:
		return &Refused{reason(locale.Errorf("the server closed the connection at a limit"), closed.Text), closed}
	case errors.As(err, &closed) && closed.Code == protocol.CloseToken:
		return &Refused{reason(locale.Errorf("the server refuses the token"), closed.Text), closed}
	case errors.As(err, &closed) && closed.Code == websocket.CloseAbnormalClosure:
		return &ConnectionError{locale.Errorf("the connection was lost"), closed}
	case errors.As(err, &closed):
		text := reason(locale.Errorf("the server closed the connection"), closed.Text)
		return &ConnectionError{locale.Errorf("%w (code %d)", text, closed.Code), closed}
	case errors.As(err, &late) && late.Timeout():
		return connectionError("the server does not answer")
	default:
		return connectionError("the connection was lost: %w", err)
	}
}

// reason adds to a text why the server did it, in the server's words, if it says why.
func reason(text error, why string) error {
	if why == "" {
		return text
	}
	return locale.Errorf("%w: %s", text, locale.Word(why))
}
