package arrival

import (
	"io"
	"net"
	"testing"
	"time"
)

// connect returns both ends of a connection. A Listener accepts the second.
func connect(t *testing.T, network, address string) (client, server net.Conn) {
	t.Helper()
	inner, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	l := Listener{inner}
	defer l.Close()
	client, err = net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return client, server
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, r io.Reader, want string) {
	t.Helper()
	b := make([]byte, len(want))
	if _, err := io.ReadFull(r, b); err != nil || string(b) != want {
		t.Fatalf("got %q, %v, want %q", b, err, want)
	}
}

func TestReaderThatWaitsHasHandledAllBytes(t *testing.T) {
	client, server := connect(t, "tcp", "127.0.0.1:0")
	r := Of(server)
	write(t, client, "abc")
	expect(t, server, "abc")
	done := make(chan error)
	go func() { // ends when the client closes
		_, err := server.Read(make([]byte, 1))
		done <- err
	}()
	for r.Unread(time.Now()) { // until it waits for more
	}
	client.Close()
	if err := <-done; err != io.EOF {
		t.Errorf("got %v at the end, want EOF", err)
	}
}

func TestDeadlineAndCloseEndARead(t *testing.T) {
	_, server := connect(t, "tcp", "127.0.0.1:0")
	server.SetReadDeadline(time.Now())
	_, err := server.Read(make([]byte, 1))
	if timeout, ok := err.(net.Error); !ok || !timeout.Timeout() {
		t.Errorf("after the deadline: got %v, want a timeout", err)
	}
	server.Close()
	if _, err = server.Read(make([]byte, 1)); err == nil || Of(server).Unread(time.Now()) {
		t.Errorf("after Close: got %v, unread %v, want an error and false", err, Of(server).Unread(time.Now()))
	}
}
