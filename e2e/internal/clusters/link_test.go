package clusters

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/internal/test/poll"
)

// echo is a server that answers with its name and what it reads. It ends its output when
// its input ends.
func echo(t *testing.T, name string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() { // ends with the listener
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { // ends with the connection
				defer conn.Close()
				_, _ = io.WriteString(conn, name)
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func dial(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(poll.Limit)); err != nil { // ends each wait for bytes
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// say sends a text, and returns the next bytes up to the length of want.
func say(t *testing.T, conn net.Conn, text, want string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Error(err)
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); string(got) != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestLinkIsCutFrozenAndHealed(t *testing.T) {
	l, err := NewLink(echo(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	first := dial(t, l.Address)
	say(t, first, "before", "before")

	l.Freeze()
	l.Freeze() // no effect
	if _, err := io.WriteString(first, "late"); err != nil {
		t.Fatal(err)
	}
	second := dial(t, l.Address)
	answered := make(chan struct{})
	go func() { // ends with the answer
		defer close(answered)
		say(t, second, "second", "second")
	}()
	select {
	case <-answered:
		t.Error("got an answer through a frozen link, want none")
	default:
	}
	l.Heal()
	say(t, first, "", "late")
	<-answered

	l.Cut()
	if n, err := first.Read(make([]byte, 1)); err == nil {
		t.Errorf("got %d bytes through a cut link, want an error", n)
	}
	if n, err := dial(t, l.Address).Read(make([]byte, 1)); err == nil {
		t.Errorf("got %d bytes on a new connection through a cut link, want an error", n)
	}
	l.Heal()
	third := dial(t, l.Address)
	say(t, third, "third", "third")
	if err := third.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(third); len(rest) != 0 || err != nil {
		t.Errorf("got %q, %v after the end, want the end", rest, err)
	}
}

func TestBalancerUsesTheHostsThatAreReady(t *testing.T) {
	var hosts []*Host
	var ready [2]atomic.Bool
	for i, name := range []string{"a", "b"} {
		readyz := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if !ready[i].Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		defer readyz.Close()
		hosts = append(hosts, &Host{address: echo(t, name), Operations: readyz.URL + "/"})
	}
	b, err := NewBalancer("127.0.0.1:0", hosts)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	address := strings.Trim(strings.TrimPrefix(b.URL, "ws://"), "/")
	// answers returns the names of the hosts behind the next connections.
	answers := func() (names string) {
		for range 4 {
			conn, name := dial(t, address), make([]byte, 1)
			if _, err := io.ReadFull(conn, name); err == nil {
				names += string(name)
			}
			_ = conn.Close() // else many tries need many open files
		}
		return names
	}
	for _, tt := range []struct {
		name         string
		first, other bool
		want         func(string) bool
	}{
		{"none", false, false, func(s string) bool { return s == "" }},
		{"the first one", true, false, func(s string) bool { return s == "aaaa" }},
		{"both in turn", true, true, func(s string) bool { return s == "abab" || s == "baba" }},
		{"the second one", false, true, func(s string) bool { return s == "bbbb" }},
	} {
		ready[0].Store(tt.first)
		ready[1].Store(tt.other)
		poll.Until(t, "the hosts behind the balancer are "+tt.name, func() bool { return tt.want(answers()) })
	}
	conn := dial(t, address)
	say(t, conn, "hello", "bhello")
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(conn); len(rest) != 0 || err != nil {
		t.Errorf("got %q, %v after the end, want the end", rest, err)
	}
}
