package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/protocol"
)

// clocksRequests answers requests by the handlers of the same test.
type clocksRequests struct {
	handlers map[string]func(ctx context.Context, body []byte) (any, error)

	mu    sync.Mutex    // guards the fields below
	delay time.Duration // of each answer
	err   error
	asked []string // hosts
}

func (f *clocksRequests) Handle(name string, handle func(ctx context.Context, body []byte) (any, error)) {
	f.handlers[name] = handle
}

func (f *clocksRequests) Request(ctx context.Context, host, name string, in, out any) error {
	f.mu.Lock()
	f.asked = append(f.asked, host)
	delay, err := f.delay, f.err
	f.mu.Unlock()
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	body, _ := json.Marshal(in)
	reply, err := f.handlers[name](ctx, body)
	if err != nil {
		return err
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// count returns the number of requests.
func (f *clocksRequests) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

// clocksLobby has the clocks of some matches, and listings of others.
type clocksLobby struct {
	clocks    map[string][]match.Clock
	elsewhere map[string]lobby.Listing
}

// ClocksFor has no clocks of the match "delayed" except for its players.
func (l clocksLobby) ClocksFor(id string, player bool) ([]match.Clock, bool) {
	c, ok := l.clocks[id]
	if id == "delayed" && !player {
		return nil, ok
	}
	return c, ok
}

func (l clocksLobby) Elsewhere(id string) (lobby.Listing, bool) {
	x, ok := l.elsewhere[id]
	return x, ok
}

// newClocks returns the clocks of a host that lists the matches of the host owner, which has
// the given clocks.
func newClocks(clocks map[string][]match.Clock, listings ...string) (*Clocks, *clocksRequests) {
	r := &clocksRequests{handlers: map[string]func(context.Context, []byte) (any, error){}}
	holds := func(id string, ticket [32]byte) bool { return id == "delayed" && ticket == [32]byte{7} }
	NewClocks(r, clocksLobby{clocks: clocks}, holds) // answers
	answers := r.handlers[clocksRequest]
	near := clocksLobby{elsewhere: map[string]lobby.Listing{}}
	for _, id := range listings {
		near.elsewhere[id] = lobby.Listing{Host: "owner", Info: protocol.MatchInfo{ID: id, Running: true}}
	}
	near.elsewhere["delayed"] = lobby.Listing{Host: "owner", Info: protocol.MatchInfo{ID: "delayed", Running: true, Delay: 1}}
	near.elsewhere["gone"] = lobby.Listing{Host: "owner", Gone: true, Info: protocol.MatchInfo{ID: "gone", Running: true}}
	near.elsewhere["waiting"] = lobby.Listing{Host: "owner", Info: protocol.MatchInfo{ID: "waiting"}}
	c := NewClocks(r, near, holds)
	r.handlers[clocksRequest] = answers
	return c, r
}

func TestClocksComeFromTheHostOfTheMatchAndGoOnHere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := time.Now().Add(time.Minute)
		want := []match.Clock{
			{Name: "ann", Asked: true, Left: 10 * time.Second, Timed: true, Bank: 20 * time.Second, Lag: 7 * time.Millisecond},
			{Name: "bob", Timed: true, Bank: 30 * time.Second, Away: away},
			{Name: "eve", Asked: true, Left: 200 * time.Millisecond},
		}
		c, r := newClocks(map[string][]match.Clock{"m": want}, "m")
		got, running, err := c.Clocks(t.Context(), "m", [32]byte{})
		if err != nil || !running || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %t, %v, want %+v", got, running, err, want)
		}
		time.Sleep(600 * time.Millisecond)
		got, _, _ = c.Clocks(t.Context(), "m", [32]byte{})
		want[0].Left, want[0].Bank = want[0].Left-600*time.Millisecond, want[0].Bank-600*time.Millisecond
		want[2].Left = 0
		if !reflect.DeepEqual(got, want) || r.count() != 1 {
			t.Errorf("0.6 s later: got %+v after %d requests, want %+v after 1", got, r.count(), want)
		}
	})
}

func TestClocksOfAMatchAreAskedOncePerSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, r := newClocks(map[string][]match.Clock{"m": {{Name: "ann"}}}, "m", "n")
		r.delay = 100 * time.Millisecond
		var readers sync.WaitGroup
		for range 100 {
			readers.Go(func() {
				for range 20 {
					if _, running, err := c.Clocks(t.Context(), "m", [32]byte{}); !running || err != nil {
						t.Errorf("got running %t, %v, want true", running, err)
					}
					if _, running, err := c.Clocks(t.Context(), "n", [32]byte{}); running || err != nil { // ended meanwhile
						t.Errorf("got running %t, %v, want false", running, err)
					}
					time.Sleep(250 * time.Millisecond)
				}
			})
		}
		begun := time.Now()
		readers.Wait()
		if got, most := r.count(), 2*(int(time.Since(begun)/time.Second)+1); got > most || got < most/2 {
			t.Errorf("got %d requests in %v, want at most %d", got, time.Since(begun), most)
		}
		if len(c.kept) > 2 {
			t.Errorf("got %d matches kept, want at most 2", len(c.kept))
		}
	})
}

func TestClocksOfADelayedMatchAreForItsPlayers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := newClocks(map[string][]match.Clock{"delayed": {{Name: "ann"}}})
		for _, ticket := range []byte{7, 8, 7, 0} {
			got, running, err := c.Clocks(t.Context(), "delayed", [32]byte{ticket})
			if want := ticket == 7; !running || err != nil || len(got) == 1 != want {
				t.Errorf("ticket %d: got %+v, %t, %v, want the clocks: %t", ticket, got, running, err, want)
			}
		}
	})
}

func TestUnknownMatchesCauseNoRequests(t *testing.T) {
	t.Parallel()
	c, r := newClocks(nil, "m")
	for _, id := range []string{"gone", "waiting", "nothing", ""} {
		if _, running, err := c.Clocks(t.Context(), id, [32]byte{}); running || err != nil {
			t.Errorf("%q: got running %t, %v, want false", id, running, err)
		}
	}
	if r.count() != 0 {
		t.Errorf("got requests to %q, want none", r.asked)
	}
}

func TestHostThatDoesNotSendClocksIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		many := make([]match.Clock, maxClocks+1)
		c, r := newClocks(map[string][]match.Clock{"m": {{}}, "many": many}, "m", "many")
		if _, _, err := c.Clocks(t.Context(), "many", [32]byte{}); err == nil {
			t.Error("too many clocks: got no error, want one")
		}
		r.err = errors.New("no responders")
		if _, _, err := c.Clocks(t.Context(), "m", [32]byte{}); err == nil {
			t.Error("no answer: got no error, want one")
		}
		time.Sleep(clocksKept)
		r.err, r.delay = nil, time.Hour
		begun := time.Now()
		if _, _, err := c.Clocks(t.Context(), "m", [32]byte{}); err == nil || time.Since(begun) != clocksTimeout {
			t.Errorf("a slow host: got %v after %v, want an error after %v", err, time.Since(begun), clocksTimeout)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		time.Sleep(clocksKept)
		if _, _, err := c.Clocks(ended, "m", [32]byte{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a reader that has gone: got %v, want %v", err, context.Canceled)
		}
		time.Sleep(clocksTimeout) // until the last request has ended
	})
}
