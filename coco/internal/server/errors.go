package server

import (
	"context"
	"errors"
	"fmt"
	"net"

	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

// ConnectionError reports that there is no connection, or that the other side is
// not a server of this protocol.
type ConnectionError struct{ Err error }

func (e *ConnectionError) Error() string { return e.Err.Error() }
func (e *ConnectionError) Unwrap() error { return e.Err }

// Refused reports that the server understood a request and refused it.
type Refused struct{ Text string }

func (e *Refused) Error() string { return e.Text }

func connectionError(format string, args ...any) error {
	return &ConnectionError{fmt.Errorf(format, args...)}
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
		return &Refused{reason("the server closed the connection at a limit", closed.Text)}
	case errors.As(err, &closed) && closed.Code == websocket.CloseAbnormalClosure:
		return connectionError("the connection was lost")
	case errors.As(err, &closed):
		return connectionError("%s (code %d)", reason("the server closed the connection", closed.Text), closed.Code)
	case errors.As(err, &late) && late.Timeout():
		return connectionError("the server does not answer")
	default:
		return connectionError("the connection was lost: %w", err)
	}
}

func reason(text, why string) string {
	if why == "" {
		return text
	}
	return text + ": " + why
}
