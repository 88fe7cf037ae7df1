package arrival

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
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

func TestHandledBytesAreNotReturned(t *testing.T) {
	client, server := connect(t, "tcp", "127.0.0.1:0")
	handled := make(chan string, 10)
	wrong := errors.New("wrong")
	Of(server).Handle(func(b []byte) (int, error) {
		if b[0] == '!' {
			return 0, wrong
		}
		n := bytes.LastIndexByte(b, '\n') + 1
		handled <- string(b[:n])
		if string(b) == "one\n" {
			write(t, client, "two\nthree") // while the first bytes are handled
		}
		return n, nil
	})
	write(t, client, "one\n")
	expect(t, server, "three")
	if first, second := <-handled, <-handled; first != "one\n" || second != "two\n" {
		t.Errorf("handled %q and %q, want the two lines", first, second)
	}
	write(t, client, "!")
	if n, err := server.Read(make([]byte, 10)); n != 0 || err == nil || !strings.Contains(err.Error(), wrong.Error()) {
		t.Errorf("got %d bytes and %v, want the error of the handler", n, err)
	}
}

// The end of the stream comes together with the last bytes, so nothing arrives after them.
func TestEndBehindHandledBytesIsRead(t *testing.T) {
	for range 20 {
		client, server := connect(t, "tcp", "127.0.0.1:0")
		Of(server).Handle(func(b []byte) (int, error) { return len(b), nil })
		write(t, client, "last\n")
		client.Close()
		if n, err := server.Read(make([]byte, 10)); n != 0 || err != io.EOF {
			t.Fatalf("got %d bytes and %v, want the end", n, err)
		}
	}
}
