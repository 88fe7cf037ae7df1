package web

import (
	"errors"
	"fmt"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/limit"
	"colosseum/protocol"
)

// protocolError closes the connection: the client broke the protocol or met a
// limit.
type protocolError struct {
	code  int
	text  string // the reason in the close frame
	limit string // the limit to count; empty: the client broke the protocol
}

func (e protocolError) Error() string { return e.text }

var (
	errTooManyBytes      = protocolError{protocol.CloseLimit, "too many bytes from your address: send less", limit.Bytes}
	errTooManyReads      = protocolError{protocol.CloseLimit, "too many requests from your address: ask for less", limit.Reads}
	errTooManyHostReads  = protocolError{protocol.CloseLimit, "too many requests at once: try again later", limit.HostReads}
	errTooManyWait       = protocolError{protocol.CloseLimit, "the host is busy, too many requests wait: try again later", limit.ReadsWaiting}
	errToken             = protocolError{protocol.CloseToken, "the token is not valid on this host: log in with another one, or log out", ""}
	errNotUTF8           = protocolError{websocket.CloseInvalidFramePayloadData, "a text message is not valid UTF-8", ""} // RFC 6455, 8.1
	errTooManyNewMatches = errors.New("too many new matches from your address: try again in a minute")
)

func breach(format string, args ...any) error {
	return protocolError{code: protocol.CloseProtocol, text: fmt.Sprintf(format, args...)}
}
