// Package clients tests what clients do to a host: broken or hostile ones harm no match, those
// whose connections have broken go on, people log in, coco serve outlives its host, and language
// models and web services play.
package clients

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
	"colosseum/protocol"
)

func TestMain(m *testing.M) {
	waits.Together()
	programs.Main(m, map[string]func(){"player": play})
}

// bad is a client that harms a host, or tries to.
type bad struct {
	name string
	act  func(t *testing.T, h *programs.Host)
}

func TestBadClientsHarmNoMatch(t *testing.T) {
	t.Parallel()
	endure(t, "", []bad{
		{"writes a byte at a time", writesSlowly},
		{"announces a giant frame", announcesGiant},
		{"sends fragments without end", sendsFragments},
		{"compresses", compresses},
		{"connects again and again", connectsAgain},
		{"joins and leaves", joinsAndLeaves},
		{"sends garbage", sendsGarbage},
	})
}

// TestClientsThatKeepTheHostWaitingHarmNoMatch has a host of its own, which waits less for
// clients than the one where hundreds of good and bad clients connect at the same time.
func TestClientsThatKeepTheHostWaitingHarmNoMatch(t *testing.T) {
	t.Parallel()
	endure(t, "clients: {handshake_timeout: 5s, ping: 3s}\n", []bad{
		{"asks and never reads", neverReads},
		{"upgrades a byte at a time", upgradesSlowly},
		{"goes silent", goesSilent},
		{"sends empty fragments without end", sendsEmptyFragments},
		{"sends no handshake", sendsNoHandshake},
	})
}

// endure runs all bad clients at the same time, while duels are played. Afterwards no
// connection, match or open file of theirs is left.
func endure(t *testing.T, config string, clients []bad) {
	h, at := programs.Operated(t, config)
	// The host opens connections to its records when it first needs them, and keeps them.
	const connections, filesOfEach = 3, 3
	idle := programs.Metric(t, at, "process_open_fds") + connections*filesOfEach
	h.DuringDuels(t, func() {
		var all sync.WaitGroup
		for _, b := range clients {
			all.Go(func() { // ends with its clients
				t.Run(b.name, func(t *testing.T) { b.act(t, h) })
			})
		}
		all.Wait()
	})
	t.Logf("the host used up to %d MiB", programs.MemoryOf(t, h.Cmd.Process.Pid, "VmHWM:")>>10)
	for name, want := range map[string]float64{"colosseum_connections": 0, `colosseum_matches{game="roshambo",state="running"}`: 0, "process_open_fds": idle} {
		poll.Until(t, fmt.Sprintf("%s is at most %v", name, want), func() bool { return programs.Metric(t, at, name) <= want })
	}
	h.Stop(t, syscall.SIGTERM)
	for _, line := range h.Logged() {
		if strings.Contains(line, "panic") || strings.Contains(line, "level=ERROR") {
			t.Errorf("got %q in the log, want no such line", line)
		}
	}
}

// address returns the TCP address of the host.
func address(h *programs.Host) string {
	return strings.TrimSuffix(strings.TrimPrefix(h.URL, "ws://"), "/")
}

// open makes a TCP connection to the host.
func open(t *testing.T, h *programs.Host) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address(h))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// awaitClose reads until the host closes the connection.
func awaitClose(t *testing.T, conn net.Conn) error {
	t.Helper()
	_, err := io.Copy(io.Discard, conn)
	if errors.Is(err, syscall.ECONNRESET) {
		return nil
	}
	return err
}

// awaitCloseCode reads until the host closes the WebSocket. The test fails if the
// close has another code than these; it can also have none.
func awaitCloseCode(t *testing.T, c *programs.Client, codes ...int) {
	t.Helper()
	// Send no pongs: on a full socket one would fail, and end the connection.
	c.Conn.SetPingHandler(func(string) error { return nil })
	for {
		if _, _, err := c.Next(); err != nil {
			if !websocket.IsCloseError(err, append(codes, websocket.CloseAbnormalClosure)...) && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("got %v, want close code %v", err, codes)
			}
			return
		}
	}
}

// raw sends bytes on the connection of a WebSocket.
func raw(t *testing.T, c *programs.Client, b []byte) {
	t.Helper()
	_ = c.Conn.NetConn().SetWriteDeadline(time.Time{}) // the library sets one when it answers a ping
	if _, err := c.Conn.NetConn().Write(b); err != nil {
		t.Fatal(err)
	}
}

// frame returns a frame of a client, masked with zeros.
func frame(head byte, payload string) []byte {
	return append([]byte{head, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
}

const (
	text     = 0x1
	binaries = 0x2
	final    = 0x80
	deflated = 0x40 // the first reserved bit
)

func neverReads(t *testing.T, h *programs.Host) {
	c := h.Dial(t)
	if err := c.Conn.NetConn().(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	request := protocol.Encode(protocol.NameGameDescription, protocol.GameDescription{Name: "roshambo"}) // with a long answer
	for c.Conn.WriteMessage(websocket.TextMessage, request) == nil {                                     // until the host closes the connection
	}
}

func writesSlowly(t *testing.T, h *programs.Host) {
	c := h.AgainstBot(t, 3)
	received := make(chan string, 10) // more lines than the match has
	var ended *protocol.EndedReply
	var failed error
	go func() { // ends with the match
		defer close(received)
		for l := (&programs.Lines{C: c}); ended == nil && failed == nil; {
			var line string
			if line, ended, failed = l.Next(); failed == nil && ended == nil {
				received <- line
			}
		}
	}()
	for range 3 {
		<-received
	}
	message := frame(final|binaries, "ROCK\n")
	for _, parts := range [][][]byte{
		{frame(final|binaries, "R"), frame(final|binaries, "OC"), frame(final|binaries, "K\n")}, // in messages
		{frame(binaries, "R"), frame(0, ""), frame(0, "O"), frame(0, "CK"), frame(final, "\n")}, // in fragments
		{message[:1], message[1:2], message[2:6], message[6:7], message[7:8], message[8:]},      // in packets
	} {
		for _, part := range parts {
			raw(t, c, part)
			time.Sleep(100 * time.Millisecond) // slow on purpose
		}
		if line := <-received; line == "RETIRE" || line == "" {
			t.Fatalf("got %q, %v, want a move", line, failed)
		}
	}
	for range received {
	}
	if failed != nil || !programs.Finished(ended.Result) {
		t.Errorf("got %+v, %v, want a finished match", ended, failed)
	}
}

func upgradesSlowly(t *testing.T, h *programs.Host) {
	conn := open(t, h)
	go func() { // ends with the connection
		for _, b := range []byte("GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 1000)) {
			if _, err := conn.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(100 * time.Millisecond) // slow on purpose
		}
	}()
	if err := awaitClose(t, conn); err != nil {
		t.Error(err)
	}
}

// goesSilent takes a seat and answers no pings, as if its machine had been switched
// off.
func goesSilent(t *testing.T, h *programs.Host) {
	_, id := h.Join(t, protocol.GameNew{Game: "roshambo"}, "silent")
	spectator, err := h.Spectate(id)
	if err != nil {
		t.Fatal(err)
	}
	defer spectator.Close()
	for {
		var event protocol.LobbyEvent
		if _, err := spectator.Skip(protocol.NameLobbyUpdate, &event); err != nil {
			t.Fatalf("got %v, want the seat free again", err)
		}
		if len(event.Info.Connected) == 0 {
			return
		}
	}
}

func announcesGiant(t *testing.T, h *programs.Host) {
	c := h.Dial(t)
	raw(t, c, append(binary.BigEndian.AppendUint64([]byte{final | text, 0x80 | 127}, 1<<62), 0, 0, 0, 0))
	go func() { _, _ = io.CopyN(c.Conn.NetConn(), rand.NewChaCha8([32]byte{}), 1<<20) }() // ends with the connection
	awaitCloseCode(t, c, websocket.CloseMessageTooBig)
}

func sendsFragments(t *testing.T, h *programs.Host) {
	c := h.Dial(t)
	one := bytes.Repeat(frame(0, "x"), 1000)
	go func() { // ends with the connection
		_, err := c.Conn.NetConn().Write(frame(text, "x"))
		for err == nil {
			_, err = c.Conn.NetConn().Write(one)
		}
	}()
	awaitCloseCode(t, c, websocket.CloseMessageTooBig)
}

// sendsEmptyFragments reaches no limit of size: the host closes the connection when it has
// received no message for too long.
func sendsEmptyFragments(t *testing.T, h *programs.Host) {
	c := h.Dial(t)
	go func() { // ends with the connection
		_, err := c.Conn.NetConn().Write(frame(text, ""))
		for err == nil {
			_, err = c.Conn.NetConn().Write(frame(0, ""))
			time.Sleep(10 * time.Millisecond)
		}
	}()
	awaitCloseCode(t, c)
}

func compresses(t *testing.T, h *programs.Host) {
	d := websocket.Dialer{EnableCompression: true}
	conn, response, err := d.Dial(h.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := response.Header.Get("Sec-WebSocket-Extensions"); got != "" {
		t.Errorf("got extension %s, want none", got)
	}
	c := h.Dial(t)
	raw(t, c, frame(final|deflated|text, "\x4a\x4c\x04\x00")) // "aaa…"
	awaitCloseCode(t, c, websocket.CloseProtocolError)
}

// sendsNoHandshake opens many connections. Half of them become WebSockets.
func sendsNoHandshake(t *testing.T, h *programs.Host) {
	const n = 200
	before, begin := h.Resident(t), time.Now()
	conns := make([]net.Conn, n)
	for i := range conns {
		conns[i] = open(t, h)
		if i%2 == 0 {
			_, err := fmt.Fprintf(conns[i], "GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", address(h))
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d connections in %v; the host grew by %d KiB", n, time.Since(begin), h.Resident(t)-before)
	if err := h.Duel(3); err != nil { // other clients can still connect
		t.Error(err)
	}
	for _, conn := range conns {
		if err := awaitClose(t, conn); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("all were closed after %v", time.Since(begin))
}

func connectsAgain(t *testing.T, h *programs.Host) {
	id, err := h.Dial(t).Create(protocol.GameNew{Game: "roshambo"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 10 {
		all.Go(func() { // ends after its connections
			for i := range 50 {
				c, err := programs.Dial(h.URL)
				if err != nil {
					t.Error(err)
					return
				}
				if i%2 == 0 {
					_ = c.Join(id, fmt.Sprintf("p%d", n)) // refused when both seats are taken
				}
				_ = c.Conn.NetConn().(*net.TCPConn).SetLinger(0) // close with a reset
				c.Close()
			}
		})
	}
	all.Wait()
}

func joinsAndLeaves(t *testing.T, h *programs.Host) {
	for range 5 {
		id, err := h.Dial(t).Create(programs.Roshambo(3, 0))
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for n := range 6 {
			all.Go(func() { // ends when the match has begun without this client, or has ended
				if err := joinAndLeave(h, id, fmt.Sprintf("p%d", n)); err != nil {
					t.Errorf("p%d: got %v, want nil", n, err)
				}
			})
		}
		all.Wait()
	}
}

// joinAndLeave joins and leaves a match until the match begins, and plays it if it
// then has a seat.
func joinAndLeave(h *programs.Host, id, name string) error {
	c, err := programs.Dial(h.URL)
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		if err := c.Send(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: name}); err != nil {
			return err
		}
		if err := c.Send(protocol.NameLobbyLeaveMatch, nil); err != nil {
			return err
		}
		// Read the answers to both messages, unless the match begins.
		for answered := false; !answered; {
			got, body, err := c.Next()
			switch {
			case err != nil:
				return err
			case got == protocol.NameLobbyJoinedMatch && bytes.Contains(body, []byte(`"Err"`)):
				if !bytes.Contains(body, []byte("taken")) && !bytes.Contains(body, []byte("running")) && !bytes.Contains(body, []byte("exist")) {
					return fmt.Errorf("refused: %s", body)
				}
				if err := c.Expect(protocol.NameLobbyLeavedMatch, nil); err != nil {
					return err
				}
				if bytes.Contains(body, []byte("running")) || bytes.Contains(body, []byte("exist")) {
					return nil
				}
				answered = true
			case got == protocol.NameLobbyLeavedMatch:
				answered = true
			case got == protocol.NameMatchStarted:
				result, _, err := c.Roshambo(func(int) string { return "ROCK" })
				if err == nil && !programs.Finished(result) {
					err = fmt.Errorf("got %+v, want a finished match", result)
				}
				return err
			}
		}
	}
}

func sendsGarbage(t *testing.T, h *programs.Host) {
	chance := rand.New(rand.NewPCG(5, 5))
	noise := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(chance.Uint32())
		}
		return string(b)
	}
	for range 100 { // not HTTP
		conn := open(t, h)
		if _, err := io.WriteString(conn, noise(1+chance.IntN(500))+"\r\n\r\n"); err != nil {
			continue // the host has closed it already
		}
		_ = conn.(*net.TCPConn).CloseWrite()
		if err := awaitClose(t, conn); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 { // not frames
		c := h.Dial(t)
		_, _ = io.WriteString(c.Conn.NetConn(), noise(200))
		_ = c.Conn.NetConn().(*net.TCPConn).CloseWrite()
		awaitCloseCode(t, c, websocket.CloseProtocolError, websocket.CloseMessageTooBig, websocket.CloseInvalidFramePayloadData, protocol.CloseProtocol)
	}
	for range 100 { // not messages
		c := h.Dial(t)
		if err := c.Conn.WriteMessage(websocket.TextMessage, []byte(noise(1+chance.IntN(500)))); err != nil {
			t.Fatal(err)
		}
		awaitCloseCode(t, c, websocket.CloseInvalidFramePayloadData, protocol.CloseProtocol)
	}
	response, err := http.Get(h.Page("%ff/../%00?\xff"))
	if err == nil {
		response.Body.Close()
	}
}
