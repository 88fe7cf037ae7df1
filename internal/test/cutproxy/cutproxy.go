// Package cutproxy is a proxy between a WebSocket client and its server that cuts,
// delays, splits or swallows what it forwards, for tests.
package cutproxy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Direction is where a frame goes.
type Direction int

// The directions.
const (
	ToServer Direction = iota
	ToClient
)

func (d Direction) String() string { return [...]string{"to the server", "to the client"}[d] }

// Place is where a connection is cut.
type Place int

// The places. After a cut the frames of both directions that the proxy has not
// forwarded are lost.
const (
	Nowhere Place = iota
	Before        // the frame is lost
	Middle        // half of the frame arrives
	After         // the frame arrives
)

func (p Place) String() string {
	return [...]string{"nowhere", "before", "in the middle of", "after"}[p]
}

// Frame is a WebSocket frame that the proxy is about to forward.
type Frame struct {
	Connection int // from 0, in the order in which clients connected
	Direction  Direction
	Number     int // from 0, on its connection in its direction
	Opcode     byte
	Size       int // bytes of its payload
}

// Action is what happens to a frame. The zero Action forwards it.
type Action struct {
	Cut     Place
	Swallow bool          // this frame and all later ones of both directions are lost, on open connections
	Delay   time.Duration // of this frame and those behind it in its direction
	Pieces  int           // writes, at least one
}

// Plan returns what to do with each frame. Calls are serialized.
type Plan func(Frame) Action

// Proxy is a running proxy.
type Proxy struct {
	plan Plan
	dial func() (net.Conn, error)

	wait sync.WaitGroup
	mu   sync.Mutex // guards the fields below

	connections int
	open        map[net.Conn]bool
	frames      [2]int // forwarded, by direction
	closed      bool
}

// New returns a proxy to a server. Its Close must be called.
func New(plan Plan, dial func() (net.Conn, error)) *Proxy {
	return &Proxy{plan: plan, dial: dial, open: map[net.Conn]bool{}}
}

// Listen starts a proxy on the loopback network, up to the end of a test, and returns
// it and the URL that leads through it to the server at target, ws://host:port/.
func Listen(t testing.TB, target string, plan Plan) (*Proxy, string) {
	t.Helper()
	_, address, _ := strings.Cut(strings.TrimSuffix(target, "/"), "://")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := New(plan, func() (net.Conn, error) { return net.Dial("tcp", address) })
	p.wait.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.wait.Go(func() { p.Serve(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.Close()
	})
	return p, "ws://" + listener.Addr().String() + "/"
}

// Close cuts all connections, and waits until they have ended.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	for conn := range p.open {
		conn.Close()
	}
	p.mu.Unlock()
	p.wait.Wait()
}

// Frames returns how many frames were forwarded whole in each direction.
func (p *Proxy) Frames() (toServer, toClient int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frames[ToServer], p.frames[ToClient]
}

// Connections returns how many clients have connected.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.connections
}

// Serve forwards between a client and the server until the connection ends.
func (p *Proxy) Serve(client net.Conn) {
	defer client.Close()
	server, err := p.dial()
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.open[client], p.open[server] = true, true
	pair := &pair{proxy: p, number: p.connections}
	p.connections++
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { pair.forward(ToServer, client, server) })
	both.Go(func() { pair.forward(ToClient, server, client) })
	both.Wait()
	p.mu.Lock()
	delete(p.open, client)
	delete(p.open, server)
	p.mu.Unlock()
}

// pair is a connection through the proxy.
type pair struct {
	proxy  *Proxy
	number int
	lost   atomic.Bool // nothing more is forwarded
}

// forward forwards one direction until the connection is cut or ends. Then it ends the
// output, and reads what still comes: unread bytes would reset the connection, and could
// destroy what was forwarded before.
func (c *pair) forward(d Direction, from, to net.Conn) {
	in := bufio.NewReader(from)
	err := forwardHead(in, to)
	for number := 0; err == nil; number++ {
		err = c.frame(Frame{Connection: c.number, Direction: d, Number: number}, in, to)
	}
	if c.lost.Load() && !errors.Is(err, errCut) {
		return // the end of a side is lost too
	}
	for _, conn := range []net.Conn{from, to} {
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		} else {
			conn.Close()
		}
	}
	io.Copy(io.Discard, in)
}

// forwardHead forwards the request or the answer of the upgrade.
func forwardHead(in *bufio.Reader, to io.Writer) error {
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return err
		}
		if _, err := to.Write(line); err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
	}
}

var errCut = errors.New("the connection was cut")

// frame forwards one frame.
func (c *pair) frame(f Frame, in *bufio.Reader, to io.Writer) error {
	b, size, err := readFrame(in)
	if err != nil {
		return err
	}
	f.Opcode, f.Size = b[0]&0x0f, size
	p := c.proxy
	p.mu.Lock()
	action := p.plan(f)
	p.mu.Unlock()
	if action.Delay > 0 {
		time.Sleep(action.Delay)
	}
	// Set lost before the write, so that no answer to this frame passes. A frame behind a
	// lost one never passes.
	if ends := action.Swallow || action.Cut != Nowhere; ends && c.lost.Swap(true) || !ends && c.lost.Load() {
		return nil
	}
	switch {
	case action.Swallow:
		return nil
	case action.Cut == Before:
		return errCut
	case action.Cut == Middle:
		b = b[:(len(b)+1)/2]
	}
	if action.Cut == Nowhere {
		p.mu.Lock()
		p.frames[f.Direction]++
		p.mu.Unlock()
	}
	pieces := min(max(action.Pieces, 1), len(b))
	for i := range pieces {
		if _, err := to.Write(b[len(b)*i/pieces : len(b)*(i+1)/pieces]); err != nil {
			return err
		}
	}
	if action.Cut != Nowhere {
		return errCut
	}
	return nil
}

// readFrame reads a frame (RFC 6455, section 5.2) and returns its bytes, and the size of
// its payload.
func readFrame(in *bufio.Reader) (frame []byte, size int, err error) {
	head := make([]byte, 14)
	if _, err := io.ReadFull(in, head[:2]); err != nil {
		return nil, 0, err
	}
	n, size := 2, int(head[1]&0x7f)
	switch size {
	case 126:
		n += 2
	case 127:
		n += 8
	}
	if _, err := io.ReadFull(in, head[2:n]); err != nil {
		return nil, 0, err
	}
	switch size {
	case 126:
		size = int(binary.BigEndian.Uint16(head[2:]))
	case 127:
		size = int(binary.BigEndian.Uint64(head[2:]))
	}
	if head[1]&0x80 != 0 { // masked
		if _, err := io.ReadFull(in, head[n:n+4]); err != nil {
			return nil, 0, err
		}
		n += 4
	}
	frame = append(head[:n:n], make([]byte, size)...)
	_, err = io.ReadFull(in, frame[n:])
	return frame, size, err
}

// Pipes is a listener for connections in memory, which are sent to it.
type Pipes chan net.Conn

func (p Pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (p Pipes) Close() error   { return nil }
func (p Pipes) Addr() net.Addr { return &net.TCPAddr{} }

// Pass is the plan that forwards everything.
func Pass(Frame) Action { return Action{} }

// Once is the plan that cuts a client's first connection at one frame.
func Once(d Direction, number int, place Place) Plan {
	return func(f Frame) Action {
		if f.Connection == 0 && f.Direction == d && f.Number == number {
			return Action{Cut: place}
		}
		return Action{}
	}
}

// Random is a plan from a seed: it splits and delays frames, and cuts at each one with the
// given probability, up to the given number of cuts. It does not change the first spare
// frames of each direction of the first connection, in which a client joins.
func Random(seed uint64, probability float64, cuts, spare int, delay time.Duration) Plan {
	chance := rand.New(rand.NewPCG(seed, 0))
	return func(f Frame) Action {
		if f.Connection == 0 && f.Number < spare {
			return Action{}
		}
		action := Action{Pieces: 1 + chance.IntN(4)}
		if delay > 0 && chance.IntN(4) == 0 {
			action.Delay = time.Duration(chance.Int64N(int64(delay)))
		}
		if cuts > 0 && chance.Float64() < probability {
			cuts--
			action.Cut = Before + Place(chance.IntN(3))
		}
		return action
	}
}
