// Package server is a client's connection to a server of Colosseum or Code
// Colosseum, version 2 of the protocol.
package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

const (
	// MaxFrame is the maximum of bytes of a stream in one frame to the server: half
	// of a host's limit.
	MaxFrame = protocol.MaxMessage / 2
	// maxMessage limits a message of the server: a full lobby has about 2 MiB,
	// a part of a stream at most 1 MiB.
	maxMessage = 16 << 20
	// maxHistory limits the reply with a whole stored match.
	maxHistory = 256 << 20

	closeTimeout = time.Second // to send the close frame
	pongTimeout  = time.Minute // to answer a ping, while the server does not read
)

// Options are those of a connection.
type Options struct {
	Token    string        // of a player; empty: none
	Insecure bool          // accept any TLS certificate
	Wait     time.Duration // limit for each answer of the server; 0 is 30 s
	Buffer   int           // bytes for reading and for writing; 0 is MaxFrame

	// NetDial connects to an address of the network; nil: as the operating system does.
	NetDial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Conn is a connection after the handshake. One goroutine can receive while others
// send; Ask and AskHistory do both.
type Conn struct {
	Player   string   // the registered player with the token; empty: none
	Features []string // of the server, as in protocol.Handshake

	ws    *websocket.Conn
	quiet *quiet
	wait  time.Duration
	send  sync.Mutex   // held while a frame is written
	frame bytes.Buffer // the last frame that was received
}

// Frame is a message of the server: bytes of a match's stream, or a name with
// fields.
type Frame struct {
	Binary bool   // bytes of a stream
	Stream []byte // valid until the next frame is received
	Name   string
	Body   json.RawMessage
}

// Dial connects, and sends and checks the handshake. A server that knows players but
// not the token refuses it; CloseCode of the error is then protocol.CloseToken.
func Dial(ctx context.Context, addr Address, opts Options) (*Conn, error) {
	if opts.Wait == 0 {
		opts.Wait = 30 * time.Second
	}
	if opts.Buffer == 0 {
		opts.Buffer = MaxFrame // a smaller buffer splits frames
	}
	netDial := opts.NetDial
	if netDial == nil {
		netDial = addr.dial
	}
	c := &Conn{wait: opts.Wait}
	dialer := websocket.Dialer{
		Proxy: addr.proxy,
		NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := netDial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			c.quiet = &quiet{Conn: conn}
			return c.quiet, nil
		},
		HandshakeTimeout: opts.Wait,
		ReadBufferSize:   opts.Buffer,
		WriteBufferSize:  opts.Buffer,
		TLSClientConfig:  &tls.Config{InsecureSkipVerify: opts.Insecure},
	}
	ws, reply, err := dialer.DialContext(ctx, addr.URL, nil)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && reply != nil:
		if reply.StatusCode == http.StatusBadRequest && !addr.TLS {
			return nil, connectionError("%q is not a Code Colosseum server: it answered %s (with TLS its address begins with wss:)", addr, reply.Status)
		}
		return nil, connectionError("%q is not a Code Colosseum server: it answered %s", addr, reply.Status)
	case err != nil:
		return nil, unreachable(addr, err)
	}
	ws.SetReadLimit(maxMessage)
	// The usual handler gives up after a second, which a busy computer can miss, and so breaks
	// the connection.
	ws.SetPingHandler(func(text string) error {
		err := ws.WriteControl(websocket.PongMessage, []byte(text), time.Now().Add(pongTimeout))
		if errors.Is(err, websocket.ErrCloseSent) {
			return nil // the server's close frame follows
		}
		return err
	})
	c.ws = ws
	if err := c.handshake(ctx, addr, opts.Token); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Conn) handshake(ctx context.Context, addr Address, token string) error {
	hello := protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version, Token: token}
	frame, err := c.exchange(ctx, protocol.Encode(protocol.NameHandshake, hello), false)
	if err != nil {
		return err
	}
	var answer protocol.Handshake
	if frame.Name != protocol.NameHandshake || protocol.Decode(frame.Name, frame.Body, &answer) != nil || answer.Magic != protocol.Magic {
		return connectionError("%q is not a Code Colosseum server: it sends no handshake", addr)
	}
	if answer.Version != protocol.Version {
		return connectionError("%q speaks version %d of the protocol, this client version %d", addr, answer.Version, protocol.Version)
	}
	c.Player, c.Features = answer.Player, answer.Features
	if token != "" && c.Player == "" && c.Has(protocol.FeaturePlayers) {
		c.ws.SetReadDeadline(time.Now().Add(c.wait))
		if _, err := c.Receive(ctx); err != nil { // the close frame says why
			return err
		}
		return connectionError("%q neither accepts nor refuses the token", addr)
	}
	return nil
}

// Has reports whether the server has one of protocol's features.
func (c *Conn) Has(feature string) bool { return slices.Contains(c.Features, feature) }

// Ask sends a request and decodes the answer, a message named want, into reply.
func (c *Conn) Ask(ctx context.Context, request []byte, want string, reply any) error {
	frame, err := c.exchange(ctx, request, false)
	if err != nil {
		return err
	}
	if frame.Name != want {
		return connectionError("the server answered %.40q instead of %s", frame.Name, want)
	}
	if err := protocol.Decode(frame.Name, frame.Body, reply); err != nil {
		return connectionError("the server's answer cannot be read: %w", err)
	}
	return nil
}

// AskHistory sends a request whose answer is a binary frame.
func (c *Conn) AskHistory(ctx context.Context, request []byte) ([]byte, error) {
	c.ws.SetReadLimit(maxHistory)
	defer c.ws.SetReadLimit(maxMessage)
	frame, err := c.exchange(ctx, request, true)
	if err != nil {
		return nil, err
	}
	return frame.Stream, nil
}

// exchange sends a request and returns the next frame of the wanted kind.
func (c *Conn) exchange(ctx context.Context, request []byte, binary bool) (Frame, error) {
	c.ws.SetReadDeadline(time.Now().Add(c.wait))
	defer c.ws.SetReadDeadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { c.ws.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	// Ignore the error: if the server has closed the connection, its close frame
	// with the reason can still be received.
	c.Send(request)
	for {
		frame, err := c.Receive(ctx)
		if err != nil || frame.Binary == binary {
			return frame, err
		}
	}
}

// Send sends a message.
func (c *Conn) Send(message []byte) error { return c.write(websocket.TextMessage, message) }

// SendStream sends bytes of a match, at most MaxFrame, as one frame.
func (c *Conn) SendStream(b []byte) error { return c.write(websocket.BinaryMessage, b) }

func (c *Conn) write(kind int, b []byte) error {
	c.send.Lock()
	defer c.send.Unlock()
	return c.ws.WriteMessage(kind, b)
}

// Receive returns the next frame. Its error is a text for the user, or the cause
// of ctx if that has ended.
func (c *Conn) Receive(ctx context.Context) (Frame, error) {
	kind, r, err := c.ws.NextReader()
	if err != nil {
		return Frame{}, lost(ctx, err)
	}
	c.frame.Reset()
	if _, err := c.frame.ReadFrom(r); err != nil {
		return Frame{}, lost(ctx, err)
	}
	if kind == websocket.BinaryMessage {
		return Frame{Binary: true, Stream: c.frame.Bytes()}, nil
	}
	name, body, err := protocol.Split(c.frame.Bytes())
	if err != nil {
		return Frame{}, connectionError("the server's message cannot be read: %w", err)
	}
	return Frame{Name: name, Body: body}, nil
}

// Silence returns how long Receive has waited for bytes of the server, including the time
// in which the computer was suspended; 0 if it does not wait.
func (c *Conn) Silence() time.Duration { return c.quiet.silence(time.Now()) }

// Ping requests a pong with the same text, at most 125 bytes. Like Send, it waits while
// the server does not read: with a deadline, a late ping would break the connection.
func (c *Conn) Ping(text string) {
	c.ws.WriteControl(websocket.PingMessage, []byte(text), time.Time{})
}

// OnPong sets the function that Receive calls with the text of each pong. Call it before
// Receive. The server has then read everything that was sent before the ping.
func (c *Conn) OnPong(f func(text string)) {
	c.ws.SetPongHandler(func(text string) error {
		f(text)
		return nil
	})
}

// Abort ends the connection without a close frame, as a broken line would.
func (c *Conn) Abort() { c.quiet.Close() } // TLS would send an alert, and wait

// SendClose sends a close frame. The server answers it by closing the connection,
// which ends Receive.
func (c *Conn) SendClose() {
	frame := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	c.ws.WriteControl(websocket.CloseMessage, frame, time.Now().Add(closeTimeout))
}

// Close sends a close frame, and closes the connection.
func (c *Conn) Close() {
	c.SendClose()
	c.ws.Close()
}
