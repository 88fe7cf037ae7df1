//go:build unix

package outbox

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// connectTCP returns an outbox and its client, which are connected over TCP with small
// buffers.
func connectTCP(t *testing.T) (*Outbox, *websocket.Conn) {
	upgraded := make(chan *Outbox, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		upgraded <- New(conn.NetConn(), 64<<20, time.Minute, unlimited())
	}))
	client, response, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	o := <-upgraded
	t.Cleanup(func() {
		o.Stop()
		_ = o.conn.Close()
		_ = client.Close()
		server.Close()
	})
	return o, client
}

func TestMessagesThatAreWrittenAtOnceAndLaterStayInOrder(t *testing.T) {
	o, client := connectTCP(t)
	var want []byte
	send := func(b []byte) {
		o.Send(b)
		want = append(want, b...)
	}
	written := func() bool {
		_, done := o.Written()
		return done
	}
	for n := range 300 { // of each length of a header, and longer than those that are written at once
		send(bytes.Repeat([]byte{byte(n)}, n%140))
	}
	send(bytes.Repeat([]byte("y"), keepBuffer+1))
	for n := 0; written(); n++ { // until the connection is full
		send(bytes.Repeat([]byte{byte(n)}, keepBuffer))
	}
	send([]byte("last\n"))
	var got []byte
	for len(got) < len(want) {
		kind, data, err := client.ReadMessage()
		if err != nil || kind != websocket.BinaryMessage {
			t.Fatalf("got a message of kind %d and %v after %d bytes, want %d bytes", kind, err, len(got), len(want))
		}
		got = append(got, data...)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got other bytes than the %d that were sent", len(want))
	}
	poll.Until(t, "all is written", written)
	send([]byte("again\n"))
	if !written() {
		t.Error("the connection has room, but the message waits")
	}
	if _, data, err := client.ReadMessage(); string(data) != "again\n" || err != nil {
		t.Errorf("then got %q and %v, want the next message", data, err)
	}
}

func TestCloseFrameComesAfterTheWholeLastMessage(t *testing.T) {
	o, client := connectTCP(t)
	message := bytes.Repeat([]byte("x"), keepBuffer)
	for full := false; !full; {
		o.Send(message)
		_, done := o.Written()
		full = !done
	}
	const last = "last\n" // the system may have room for it by now; otherwise it is dropped
	o.Send([]byte(last))
	o.CloseTooSlow()
	for {
		_, data, err := client.ReadMessage()
		if closed, ok := errors.AsType[*websocket.CloseError](err); ok && closed.Code == protocol.CloseTooSlow {
			return
		}
		if err != nil || len(data)%keepBuffer != 0 && string(data) != last {
			t.Fatalf("got %d bytes and %v, want whole messages and then close code %d", len(data), err, protocol.CloseTooSlow)
		}
	}
}
