package relay

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/trace"
)

var ann = Client{Address: "192.0.2.1", Player: "ann", Version: 2}

// request returns a request with the given headers of a relay.
func request(values ...string) *http.Request {
	return &http.Request{Header: http.Header{header: values}}
}

func signed(t *testing.T, k *Key, to string) string {
	t.Helper()
	head, err := k.sign(to, ann)
	if err != nil {
		t.Fatal(err)
	}
	return head
}

func TestHandshakeIsAcceptedOnceAndOnlyByItsHost(t *testing.T) {
	a, b := NewKey([]byte("secret"), "a", nil), NewKey([]byte("secret"), "b", nil)
	head := signed(t, a, "b")
	if got, err := b.Verify(request(head)); err != nil || got != ann {
		t.Errorf("got %+v, %v, want %+v", got, err, ann)
	}
	if _, err := b.Verify(request(head)); !errors.Is(err, errReplayed) {
		t.Errorf("got %v, want %v", err, errReplayed)
	}
	if _, err := b.Verify(request(signed(t, a, "c"))); err == nil || !strings.Contains(err.Error(), `for host "c"`) {
		t.Errorf("got %v, want it refused because it is for another host", err)
	}
}

func TestForgedHandshakesAreRefused(t *testing.T) {
	a, b := NewKey([]byte("secret"), "a", nil), NewKey([]byte("secret"), "b", nil)
	head := signed(t, a, "b")
	body, mac, _ := strings.Cut(head, ".")
	other := signed(t, a, "b")
	for name, values := range map[string][]string{
		"none": nil, "two": {head, other}, "empty": {""}, "without a signature": {body}, "an empty signature": {body + "."},
		"the signature of another": {strings.Split(other, ".")[0] + "." + mac}, "not base64": {"§." + mac},
		"a changed body": {"A" + body + "." + mac}, "with another secret": {signed(t, NewKey([]byte("Secret"), "a", nil), "b")},
		"too long": {strings.Repeat("x", maxHeader+1)},
	} {
		if got, err := b.Verify(request(values...)); !errors.Is(err, errForged) && !errors.Is(err, errNoHeader) {
			t.Errorf("%s: got %+v, %v, want it refused as forged", name, got, err)
		}
	}
	if _, err := b.Verify(request(head)); err != nil {
		t.Errorf("got %v, want the genuine one accepted", err)
	}
}

func TestClocksThatDifferAreNamed(t *testing.T) {
	a, b := NewKey([]byte("secret"), "a", nil), NewKey([]byte("secret"), "b", nil)
	start := time.Now()
	b.now = func() time.Time { return start }
	for offset, ok := range map[time.Duration]bool{-maxAge - time.Second: false, -maxAge + time.Second: true, maxAge - time.Second: true, maxAge + time.Second: false} {
		a.now = func() time.Time { return start.Add(offset) }
		_, err := b.Verify(request(signed(t, a, "b")))
		if ok != (err == nil) || !ok && !strings.Contains(err.Error(), `the clocks of host "a" and of this host differ by 31s`) {
			t.Errorf("%v: got %v, want accepted: %v", offset, err, ok)
		}
	}
}

func TestHandshakeThatWaitedDuringAFreezeDoesNotBlameTheClocks(t *testing.T) {
	a, b := NewKey([]byte("secret"), "a", nil), NewKey([]byte("secret"), "b", nil)
	start := time.Now()
	b.now, b.Frozen = func() time.Time { return start }, func() time.Duration { return 40 * time.Second }
	for age, want := range map[time.Duration]string{40 * time.Second: "it waited for 40s while this host did not run", 71 * time.Second: "set them by NTP"} {
		a.now = func() time.Time { return start.Add(-age) }
		if _, err := b.Verify(request(signed(t, a, "b"))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v old: got %v, want %q", age, err, want)
		}
	}
}

// A clock that is ahead makes a header valid for the longest time.
func TestReplayIsRefusedForAsLongAsTheHeaderIsValid(t *testing.T) {
	a, b := NewKey([]byte("secret"), "a", nil), NewKey([]byte("secret"), "b", nil)
	now := time.Now()
	b.now = func() time.Time { return now }
	for range 200 {
		a.now = func() time.Time { return now.Add(maxAge) }
		head := signed(t, a, "b")
		if _, err := b.Verify(request(head)); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			now = now.Add(maxAge / 5)
			if _, err := b.Verify(request(head)); err == nil {
				t.Fatal("got a header accepted twice, want it refused")
			}
		}
		if n := len(b.nonces) + len(b.earlier); n > 3 {
			t.Fatalf("kept %d nonces, want at most 3", n)
		}
	}
}

func TestNoncesAreBounded(t *testing.T) {
	k := NewKey([]byte("secret"), "a", nil)
	k.nonces, k.rotated = map[string]struct{}{}, time.Now()
	var err error
	n := 0
	for ; err == nil && n <= maxNonces; n++ {
		err = k.use(time.Duration(n).String(), k.rotated)
	}
	if !errors.Is(err, errMany) || n != maxNonces+1 {
		t.Errorf("got %v after %d, want %v after %d", err, n, errMany, maxNonces+1)
	}
}

func TestARelayBelongsToTheTraceOfItsRequest(t *testing.T) {
	tracer, err := trace.Open("http://127.0.0.1:1", "a", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	a, b := NewKey([]byte("secret"), "a", nil), NewKey([]byte("secret"), "b", nil)
	got := make(chan Client, 2)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := b.Verify(r)
		if err != nil {
			t.Error(err)
		}
		got <- c
	}))
	defer srv.Close()
	ctx, span := tracer.Start(t.Context(), trace.Server, "LobbyJoinMatch")
	for _, ctx := range []context.Context{ctx, t.Context()} {
		_, _ = a.Dial(ctx, "b", "ws"+strings.TrimPrefix(srv.URL, "http"), ann)
		if c, want := <-got, trace.Parent(ctx); c.Trace != want || c.Player != ann.Player {
			t.Errorf("got the trace %q for %s, want %q for %s", c.Trace, c.Player, want, ann.Player)
		}
	}
	span.End(nil)
}

func TestDialSaysWhyItFails(t *testing.T) {
	a := NewKey([]byte("secret"), "a", nil)
	answer := http.StatusForbidden
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer == http.StatusOK {
			if c, err := (&websocket.Upgrader{}).Upgrade(w, r, nil); err == nil {
				_ = c.Close()
			}
			return
		}
		w.WriteHeader(answer)
	}))
	url := "ws" + strings.TrimPrefix(srv.URL, "http") + "/"
	for _, tt := range []struct {
		answer int
		want   string
	}{{http.StatusForbidden, "host b refuses this host: its log says why"}, {http.StatusNotFound, "could not reach host b: it answered 404 Not Found"}, {http.StatusOK, ""}} {
		answer = tt.answer
		conn, err := a.Dial(t.Context(), "b", url, ann)
		if err == nil {
			_ = conn.Close()
		}
		if got := err; (got == nil) != (tt.want == "") || got != nil && got.Error() != tt.want {
			t.Errorf("%d: got %v, want %q", tt.answer, got, tt.want)
		}
	}
	srv.Close()
	if _, err := a.Dial(t.Context(), "b", url, ann); err == nil || !strings.Contains(err.Error(), "could not reach host b: ") {
		t.Errorf("got %v, want that the host could not be reached", err)
	}
}
