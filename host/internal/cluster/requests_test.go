package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/play/lobby"
	"colosseum/internal/test/natsserver"
	"colosseum/internal/test/poll"
)

func TestRequestIsAnsweredByTheOtherHost(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	a, b := hosts[0], hosts[1]
	b.handle(t, "double", func(_ context.Context, body []byte) (any, error) {
		var n int
		err := json.Unmarshal(body, &n)
		return 2 * n, err
	})
	var got int
	if err := a.Request(t.Context(), "b", "double", 21, &got); err != nil || got != 42 {
		t.Errorf("got %d and the error %v, want 42", got, err)
	}
	if s := b.Stats(); s.RequestsServed != 1 {
		t.Errorf("got %d requests, want 1", s.RequestsServed)
	}
}

func TestRequestBelongsToTheTraceOfItsSender(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	a, b := hosts[0], hosts[1]
	tracer, err := trace.Open("http://127.0.0.1:1", "", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	a.config.Tracer, b.config.Tracer = tracer, tracer
	b.handle(t, "span", func(ctx context.Context, _ []byte) (any, error) { return trace.Parent(ctx), nil })
	ctx, span := tracer.Start(t.Context(), trace.Server, "GameNew")
	var got string
	if err := a.Request(ctx, "b", "span", nil, &got); err != nil {
		t.Fatal(err)
	}
	span.End(nil)
	own := trace.Parent(ctx)
	if len(got) != len(own) || got[:35] != own[:35] || got == own {
		t.Errorf("got the span %s, want another one of the trace of %s", got, own)
	}
}

func TestErrorsOfAnotherHostHaveTheirText(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	a, b := hosts[0], hosts[1]
	for _, want := range []error{lobby.ErrFull, lobby.ErrClosed, lobby.ErrRecords, errors.New("no such thing")} {
		b.handle(t, "fail-"+fmt.Sprint(len(want.Error())), func(context.Context, []byte) (any, error) { return nil, want })
		got := a.Request(t.Context(), "b", "fail-"+fmt.Sprint(len(want.Error())), nil, nil)
		if got == nil || got.Error() != want.Error() {
			t.Errorf("got the error %v, want %v", got, want)
		}
		for _, known := range []error{lobby.ErrFull, lobby.ErrClosed, lobby.ErrRecords} {
			if errors.Is(got, known) != (want == known) {
				t.Errorf("got that %q is %q: %v, want %v", got, known, errors.Is(got, known), want == known)
			}
		}
	}
}

func TestHostThatDoesNotAnswerIsUnreachable(t *testing.T) {
	t.Parallel()
	nats := natsserver.Start(t)
	a := startHost(t, nats.URL(), newTable(), "a", fast)
	a.handle(t, "slow", func(ctx context.Context, _ []byte) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for name, err := range map[string]error{
		"no such host": a.Request(t.Context(), "nobody", "double", 1, nil),
		"no such name": a.Request(t.Context(), "a", "nothing", 1, nil),
		"too slow":     a.Request(short, "a", "slow", 1, nil),
	} {
		if !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: got the error %v, want that it is unreachable", name, err)
		}
	}
	nats.Stop()
	poll.Until(t, "a has lost NATS", func() bool { return !a.Connected() })
	if err := a.Request(t.Context(), "b", "double", 1, nil); !errors.Is(err, ErrUnreachable) {
		t.Errorf("got the error %v without NATS, want that it is unreachable", err)
	}
}

func TestTooManyRequestsOfOneNameAreRefused(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	a, b := hosts[0], hosts[1]
	release := make(chan struct{})
	started := make(chan struct{}, maxHandlers)
	b.handle(t, "slow", func(context.Context, []byte) (any, error) {
		started <- struct{}{}
		<-release
		return nil, nil
	})
	results := make(chan error, maxHandlers)
	for range maxHandlers {
		go func() { results <- a.Request(t.Context(), "b", "slow", nil, nil) }() // ends with the answer
	}
	for range maxHandlers {
		<-started
	}
	if err := a.Request(t.Context(), "b", "slow", nil, nil); !errors.Is(err, errBusy) {
		t.Errorf("got the error %v, want %v", err, errBusy)
	}
	close(release)
	for range maxHandlers {
		if err := <-results; err != nil {
			t.Errorf("got the error %v, want none", err)
		}
	}
}

func TestPublishedMessagesReachAllOthers(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	got := make(chan string, 10)
	for _, h := range hosts {
		h.Subscribe("news", func(from string, body []byte) { got <- h.Name() + " from " + from + ": " + string(body) })
	}
	for _, h := range hosts { // their subscriptions have arrived
		if err := h.nats.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	hosts[0].Publish("news", "hello")
	seen := map[string]bool{<-got: true, <-got: true}
	if !seen[`b from a: "hello"`] || !seen[`c from a: "hello"`] {
		t.Errorf("got %v, want a message for b and c", seen)
	}
	hosts[1].Publish("news", 1)
	for range 2 {
		if s := <-got; !strings.Contains(s, "from b: 1") {
			t.Errorf("got %q, want a message from b", s)
		}
	}
}

// TestRepeatedRequestIsRefused sends what another host has sent once more, also to
// another subject.
func TestRepeatedRequestIsRefused(t *testing.T) {
	t.Parallel()
	url := natsserver.Start(t).URL()
	hosts := startHosts(t, url, newTable(), fast)
	a, b := hosts[0], hosts[1]
	calls := make(chan string, 10)
	for _, name := range []string{"create", "remove"} {
		b.handle(t, name, func(context.Context, []byte) (any, error) {
			calls <- name
			return nil, nil
		})
	}
	spy, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer spy.Close()
	sent, err := spy.SubscribeSync(requestSubject("b", "create"))
	if err == nil {
		err = spy.Flush()
	}
	if err == nil {
		err = a.Request(t.Context(), "b", "create", "secret text", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := sent.NextMsgWithContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(m.Data), "secret") {
		t.Errorf("got the message %q, want one that cannot be read", m.Data)
	}
	for i, name := range []string{"create", "remove"} {
		if err := spy.PublishRequest(requestSubject("b", name), "x", m.Data); err != nil {
			t.Fatal(err)
		}
		poll.Until(t, "it is refused", func() bool { return b.Stats().Refused == uint64(i+1) })
	}
	if len(calls) != 1 {
		t.Errorf("got %d calls, want 1", len(calls))
	}
}

func TestOldMessagesAreRefused(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, test := range map[string]struct {
		sent time.Time
		want error
	}{
		"now":             {now, nil},
		"20 seconds ago":  {now.Add(-20 * time.Second), nil},
		"a minute ago":    {now.Add(-time.Minute), errOld},
		"in a minute":     {now.Add(time.Minute), errOld},
		"a long time ago": {time.Time{}, errOld},
	} {
		var r repeats
		if got := r.check(nonce{1}, test.sent.UnixMilli()); got != test.want {
			t.Errorf("%s: got the error %v, want %v", name, got, test.want)
		}
	}
	var r repeats
	for i := range maxNonces {
		if err := r.check(nonce{byte(i), byte(i >> 8), byte(i >> 16)}, now.UnixMilli()); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.check(nonce{0, 0, 0, 1}, now.UnixMilli()); got != errMany {
		t.Errorf("got the error %v for one message too many, want %v", got, errMany)
	}
}

func TestHolderOfATicketIsFound(t *testing.T) {
	t.Parallel()
	nats, table := natsserver.Start(t), newTable()
	hosts := startHosts(t, nats.URL(), table, fast)
	ticket := [32]byte{1, 2, 3}
	for _, h := range hosts {
		h.Tickets(func(hash [32]byte) bool { return h.Name() == "c" && hash == ticket })
	}
	for _, h := range hosts {
		_ = h.nats.Flush()
	}
	if host, ok, err := hosts[0].Holder(t.Context(), ticket); host != "c" || !ok || err != nil {
		t.Errorf("got %q, %v and the error %v, want c", host, ok, err)
	}
	if host, ok, err := hosts[0].Holder(t.Context(), [32]byte{9}); host != "" || ok || err != nil {
		t.Errorf("got %q, %v and the error %v, want that no host has it", host, ok, err)
	}
	hosts[1].kill()
	if _, ok, err := hosts[0].Holder(t.Context(), [32]byte{9}); ok || err == nil {
		t.Errorf("got %v and the error %v, want an error because b does not answer", ok, err)
	}
	if host, ok, err := hosts[0].Holder(t.Context(), ticket); host != "c" || !ok || err != nil {
		t.Errorf("got %q, %v and the error %v, want c although b does not answer", host, ok, err)
	}
}

// TestHostWithAnotherSecretGetsNothingAndDisturbsNothing lets it list itself, too.
func TestHostWithAnotherSecretGetsNothingAndDisturbsNothing(t *testing.T) {
	t.Parallel()
	nats, table := natsserver.Start(t), newTable()
	hosts := startHosts(t, nats.URL(), table, fast)
	stranger := openHost(t, nats.URL(), newTable(), "d", strings.Repeat("another ", 8), fast)
	stranger.run()
	id := hosts[0].create(t)
	foreign := stranger.create(t)
	waitForMatches(t, hosts, id)
	stranger.Published(t.Context(), foreign)
	for _, h := range hosts {
		poll.Until(t, h.Name()+" has refused a listing", func() bool { return h.Stats().Refused > 0 })
	}
	poll.Until(t, "the stranger has refused a listing", func() bool { return stranger.Stats().Refused > 0 })
	id2 := hosts[1].create(t)
	waitForMatches(t, hosts, id, id2)
	waitForMatches(t, []*testHost{stranger}, foreign)
	if got := len(stranger.Hosts()); got != 1 {
		t.Errorf("got %d hosts of the stranger, want itself", got)
	}
	hosts[0].handle(t, "hello", func(context.Context, []byte) (any, error) { return nil, nil })
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := stranger.Request(short, "a", "hello", nil, nil); !errors.Is(err, ErrUnreachable) {
		t.Errorf("got the error %v of a request with another secret, want no answer", err)
	}
}

// TestMovedAndForgedValuesAreIgnored writes to NATS without the secret.
func TestMovedAndForgedValuesAreIgnored(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	a, b := hosts[0], hosts[1]
	id := a.create(t)
	waitForMatches(t, hosts, id)
	bucket := b.buckets.Load().matches
	entry, err := bucket.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	refused := b.Stats().Refused
	const other = "0123456789abc"
	if _, err := bucket.Put(t.Context(), other, entry.Value()); err != nil {
		t.Fatal(err)
	}
	if _, err := bucket.Put(t.Context(), "x", []byte("forged")); err != nil {
		t.Fatal(err)
	}
	if err := bucket.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "two values are refused", func() bool { return b.Stats().Refused == refused+2 })
	id2 := a.create(t) // arrives after the deletion
	waitForMatches(t, hosts, id, id2)

	// An old value of a match that has ended.
	a.lobby.Remove(id, "")
	waitForMatches(t, hosts, id2)
	if _, err := bucket.Put(t.Context(), id, entry.Value()); err != nil {
		t.Fatal(err)
	}
	id3 := a.create(t)
	waitForMatches(t, hosts, id2, id3)
}

// TestMatchCannotMoveToAnotherHost lists a match of a for c.
func TestMatchCannotMoveToAnotherHost(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	a, b := hosts[0], hosts[1]
	id := a.create(t)
	waitForMatches(t, hosts, id)
	x, _ := b.lobby.Elsewhere(id)
	x.Host = "c"
	sealed, err := b.sealListing(id, x, false, b.next())
	if err == nil {
		_, err = b.buckets.Load().matches.Put(t.Context(), id, sealed)
	}
	if err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "it is refused", func() bool { return b.Stats().Refused > 0 })
	if got, err := b.Owner(t.Context(), id); err != nil || got != "a" {
		t.Errorf("got the owner %q (%v), want a", got, err)
	}
	if got, err := a.Owner(t.Context(), id); err != nil || got != "" {
		t.Errorf("got the owner %q (%v) on the host itself, want none", got, err)
	}
}

func TestValueOpensOnlyAtItsPlace(t *testing.T) {
	t.Parallel()
	s, err := newSealer([]byte(testSecret))
	if err != nil {
		t.Fatal(err)
	}
	sealed, _, err := s.seal("here", "text")
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if _, err := s.open("there", sealed, &text); err != errSealed {
		t.Errorf("got %q and the error %v at another place, want %v", text, err, errSealed)
	}
	if _, err := s.open("here", sealed, &text); err != nil || text != "text" {
		t.Errorf("got %q and the error %v, want the text", text, err)
	}
}

func FuzzNothingOpensWithoutTheSecret(f *testing.F) {
	s, err := newSealer([]byte(testSecret))
	if err != nil {
		f.Fatal(err)
	}
	sealed, _, err := s.seal("here", "text")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(nil))
	f.Add(sealed[:len(sealed)-1])
	f.Add(append([]byte{1}, sealed...))
	f.Fuzz(func(t *testing.T, b []byte) {
		if string(b) == string(sealed) {
			return
		}
		var text string
		if _, err := s.open("here", b, &text); !errors.Is(err, errSealed) {
			t.Errorf("got %q and the error %v, want %v", text, err, errSealed)
		}
	})
}
