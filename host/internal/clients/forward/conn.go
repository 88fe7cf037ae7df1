package forward

import (
	"crypto/tls"
	"errors"
	"io"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/clients/outbox"
	"colosseum/protocol"
)

// maxText is the longest text of another host, in bytes.
const maxText = 4 << 20

var errLongText = errors.New("the other host sends a text that is too long")

// readText reads a text of another host.
func readText(r io.Reader) ([]byte, error) {
	message, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err == nil && len(message) > maxText {
		err = errLongText
	}
	return message, err
}

// closeRelay sends a close frame. The other host answers it, which ends reading.
func closeRelay(conn *websocket.Conn) {
	by := time.Now().Add(outbox.CloseTimeout)
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), by)
	_ = conn.SetReadDeadline(by)
}

// cutRelay closes a connection without a close frame.
func cutRelay(conn *websocket.Conn) {
	below := conn.NetConn()
	if t, ok := below.(*tls.Conn); ok {
		below = t.NetConn() // TLS would send an alert, and wait
	}
	_ = below.Close()
}

// closeOf returns the close code and the reason for a client after its relay has ended.
func closeOf(err error) (code int, reason string) {
	closed, ok := errors.AsType[*websocket.CloseError](err)
	if !ok || closed.Text == "" {
		return protocol.CloseShutdown, Reconnect
	}
	switch closed.Code {
	case protocol.CloseProtocol, protocol.CloseTooSlow, protocol.CloseLimit, protocol.CloseShutdown, protocol.CloseToken, protocol.CloseReplaced,
		websocket.CloseProtocolError, websocket.CloseInvalidFramePayloadData, websocket.CloseMessageTooBig:
		return closed.Code, closed.Text
	}
	return protocol.CloseShutdown, Reconnect
}
