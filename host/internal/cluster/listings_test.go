package cluster

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/internal/test/natsserver"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

func TestMatchesAreListedOnAllHostsUntilTheyEnd(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	a, b := hosts[0], hosts[1]
	id1, id2 := a.create(t), b.create(t)
	waitForMatches(t, hosts, id1, id2)
	if got, err := hosts[2].Owner(t.Context(), id2); err != nil || got != "b" {
		t.Errorf("got the owner %q (%v), want b", got, err)
	}
	if got, err := a.Owner(t.Context(), id1); err != nil || got != "" {
		t.Errorf("got the owner %q (%v) of a match of this host, want none", got, err)
	}
	if err := b.lobby.Reserve(id2, "alice"); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "the change arrives", func() bool {
		info, _ := a.lobby.Info(id2)
		return slices.Equal(info.Reserved, []string{"alice"})
	})
	a.lobby.Remove(id1, "enough")
	waitForMatches(t, hosts, id2)
	poll.Until(t, "nothing waits", func() bool { return a.Stats().Waiting == 0 && !a.listings.has(id1) })
}

// TestMatchOfServingPlayersIsKeptWithTheReasonOfItsEnd removes it, and waits until its
// listing is deleted.
func TestMatchOfServingPlayersIsKeptWithTheReasonOfItsEnd(t *testing.T) {
	t.Parallel()
	slow := fast
	slow.gone = time.Hour
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), slow)
	id := hosts[0].createKept(t)
	waitForMatches(t, hosts, id)
	hosts[0].lobby.Remove(id, "enough")
	waitForMatches(t, hosts)
	x, ok := hosts[1].lobby.Elsewhere(id)
	if !ok || !x.Gone || x.Reason != "enough" || x.Host != "a" {
		t.Errorf("got the listing %+v, want one that is gone with the reason", x)
	}
	if got, err := hosts[1].Owner(t.Context(), id); err != nil || got != "" {
		t.Errorf("got the owner %q (%v) of a match that is gone, want none", got, err)
	}
	hosts[0].listings.mu.Lock()
	hosts[0].listings.gone = 0
	hosts[0].listings.mu.Unlock()
	poll.Until(t, "its listing is deleted", func() bool {
		_, ok := hosts[1].lobby.Elsewhere(id)
		return !ok && !hosts[0].listings.has(id)
	})
}

// deletions is a subscriber that keeps the deletions.
type deletions struct {
	mu  sync.Mutex // guards the field below
	ids []string
}

func (d *deletions) Feed(message []byte) {
	if name, body, _ := protocol.Split(message); name == protocol.NameLobbyDelete {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.ids = append(d.ids, string(body))
	}
}

// deleted reports whether a match was deleted.
func (d *deletions) deleted(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.ids, func(body string) bool { return strings.Contains(body, id) })
}

// TestMatchesAreListedAgainAfterNATSWasRestarted also ends and creates matches while
// NATS does not run.
func TestMatchesAreListedAgainAfterNATSWasRestarted(t *testing.T) {
	t.Parallel()
	nats := natsserver.Start(t)
	hosts := startHosts(t, nats.URL(), newTable(), fast)
	var stay, end []string
	for _, h := range hosts {
		for range 10 {
			stay, end = append(stay, h.create(t)), append(end, h.create(t))
		}
	}
	waitForMatches(t, hosts, append(slices.Clone(stay), end...)...)
	for round := range 2 {
		var feeds []*deletions
		for _, h := range hosts {
			d := &deletions{}
			h.lobby.Subscribe(d, func() uint64 { return h.lobby.Generation() })
			feeds = append(feeds, d)
		}
		nats.Stop()
		for _, h := range hosts {
			poll.Until(t, h.Name()+" has lost NATS", func() bool { return !h.Connected() })
			if h.Complete() {
				t.Errorf("%s takes what is not listed for what does not exist, want not without NATS", h.Name())
			}
		}
		kept := slices.Clone(stay)
		if round == 0 {
			for _, id := range end {
				for _, h := range hosts {
					h.lobby.Remove(id, "")
				}
			}
		}
		stay = append(stay, hosts[1].create(t))
		if hosts[0].Place("duel") != "" {
			t.Error("got another host for a match without NATS, want this one")
		}
		if err := nats.Run(); err != nil {
			t.Fatal(err)
		}
		waitForMatches(t, hosts, stay...)
		for _, h := range hosts {
			poll.Until(t, h.Name()+" knows 3 hosts", func() bool { return len(h.Hosts()) == 3 })
			poll.Until(t, h.Name()+" knows all matches", h.Complete)
		}
		for i, d := range feeds {
			for _, id := range kept {
				if d.deleted(id) {
					t.Errorf("round %d: got a deletion of %s on host %s, want none: it has not ended", round, id, hosts[i].Name())
				}
			}
		}
	}
}

// TestEndsThatWereDroppedWhileNATSWasAwayReachTheOthers ends a match when no more ends
// wait, and NATS has lost its listing, too.
func TestEndsThatWereDroppedWhileNATSWasAwayReachTheOthers(t *testing.T) {
	t.Parallel()
	nats := natsserver.Start(t)
	hosts := startHosts(t, nats.URL(), newTable(), fast)
	stay, end := hosts[0].create(t), hosts[0].create(t)
	waitForMatches(t, hosts, stay, end)
	nats.Stop()
	l := &hosts[0].listings
	l.mu.Lock()
	l.goneCount += maxGone
	l.mu.Unlock()
	hosts[0].lobby.Remove(end, "")
	if err := nats.Run(); err != nil {
		t.Fatal(err)
	}
	waitForMatches(t, hosts, stay)
}

func TestMatchesAreListedAgainAfterTheirBucketWasDeleted(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	id1, id2 := hosts[0].create(t), hosts[1].create(t)
	waitForMatches(t, hosts, id1, id2)
	for _, bucket := range []string{matchesBucket, hostsBucket} {
		if err := hosts[2].js.DeleteKeyValue(t.Context(), bucket); err != nil {
			t.Fatal(err)
		}
		id3 := hosts[2].create(t)
		waitForMatches(t, hosts, id1, id2, id3)
		newcomer := startHost(t, hosts[0].config.NATS, newTable(), "d", fast)
		waitForMatches(t, []*testHost{newcomer}, id1, id2, id3)
		poll.Until(t, "a new host knows 4 hosts", func() bool { return len(newcomer.Hosts()) == 4 })
		newcomer.end()
		newcomer.Close()
		hosts[2].lobby.Remove(id3, "")
		waitForMatches(t, hosts, id1, id2)
		for _, h := range hosts {
			poll.Until(t, h.Name()+" knows 3 hosts", func() bool { return len(h.Hosts()) == 3 })
		}
	}
}

func TestHostThatLeavesIsNotListed(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	before := hosts[0].Generation()
	hosts[2].end()
	hosts[2].Close()
	poll.Until(t, "a knows 2 hosts", func() bool { return len(hosts[0].Hosts()) == 2 })
	if hosts[0].Generation() == before {
		t.Error("got the same generation of the hosts, want another one")
	}
	if _, ok := hosts[0].Host("c"); ok {
		t.Error("got the host c, want none")
	}
}

// TestHostThatStartsAgainEndsItsOldMatches kills it before, so that it cannot do so.
func TestHostThatStartsAgainEndsItsOldMatches(t *testing.T) {
	t.Parallel()
	nats, table := natsserver.Start(t), newTable()
	hosts := startHosts(t, nats.URL(), table, fast)
	plain, kept, other := hosts[2].create(t), hosts[2].createKept(t), hosts[1].create(t)
	waitForMatches(t, hosts, plain, kept, other)
	hosts[2].kill()
	c := startHost(t, nats.URL(), table, "c", fast)
	id := c.create(t)
	waitForMatches(t, []*testHost{hosts[0], hosts[1], c}, id, other)
	poll.Until(t, "the reason is known", func() bool {
		x, _ := hosts[0].lobby.Elsewhere(kept)
		return x.Gone && x.Reason == hostStopped
	})
}

// TestOwnerOfAMatchThatIsNotListedYetIsFound asks a host that does not follow the matches.
func TestOwnerOfAMatchThatIsNotListedYetIsFound(t *testing.T) {
	t.Parallel()
	nats, table := natsserver.Start(t), newTable()
	a := startHost(t, nats.URL(), table, "a", fast)
	b := openHost(t, nats.URL(), table, "b", testSecret, fast)
	opened, err := openBuckets(t.Context(), b.js)
	if err != nil {
		t.Fatal(err)
	}
	b.buckets.Store(opened)
	poll.Until(t, "a has opened the buckets", func() bool { return a.listings.complete() != "" })
	for range 20 {
		id := a.create(t)
		a.Published(t.Context(), id)
		if got, err := b.Owner(t.Context(), id); err != nil || got != "a" {
			t.Fatalf("got the owner %q (%v), want a", got, err)
		}
		if _, ok := b.lobby.Info(id); !ok {
			t.Error("got no match in the lobby, want that of a")
		}
	}
	for _, id := range []string{"", "x.>", "0000000000000"} {
		if got, err := b.Owner(t.Context(), id); err != nil || got != "" {
			t.Errorf("got the owner %q (%v) of %q, want none", got, err, id)
		}
	}
}

// TestPublishedReturnsWithoutNATS would wait for 2 s otherwise; go test's timeout is not
// the check: the queue is not empty when it returns.
func TestPublishedReturnsWithoutNATS(t *testing.T) {
	t.Parallel()
	nats := natsserver.Start(t)
	a := startHost(t, nats.URL(), newTable(), "a", fast)
	nats.Stop()
	poll.Until(t, "a has lost NATS", func() bool { return !a.Connected() })
	id := a.create(t)
	a.Published(t.Context(), id)
	if !a.listings.has(id) {
		t.Error("got no match that waits for NATS, want one")
	}
}

// TestEndsThatWaitForNATSAreBounded ends more matches than wait.
func TestEndsThatWaitForNATSAreBounded(t *testing.T) {
	t.Parallel()
	var l listings
	l.init(fast, func() {})
	for i := range maxGone + 100 {
		x := lobby.Listing{}
		x.Info.ID = strconv.Itoa(i)
		l.set(x)
		x.Gone = true
		l.set(x)
		if i%1000 == 0 {
			l.begin("b") // also matches that are not in the bucket yet
		}
	}
	if got := len(l.own); got != maxGone {
		t.Errorf("got %d matches that wait, want %d", got, maxGone)
	}
}

// TestManyEndsAtOnceReachTheOthers ends more matches than ends wait.
func TestManyEndsAtOnceReachTheOthers(t *testing.T) {
	t.Parallel()
	hosts := startHosts(t, natsserver.Start(t).URL(), newTable(), fast)
	var ids []string
	for range 1000 {
		ids = append(ids, hosts[0].create(t))
	}
	waitForMatches(t, hosts, ids...)
	hosts[0].listings.mu.Lock()
	hosts[0].listings.goneCount = maxGone - 10 // as if as many waited
	hosts[0].listings.mu.Unlock()
	for _, id := range ids {
		hosts[0].lobby.Remove(id, "")
	}
	waitForMatches(t, hosts)
}

// TestChangeDuringAPutIsPutLater changes a match during a put.
func TestChangeDuringAPutIsPutLater(t *testing.T) {
	t.Parallel()
	var l listings
	l.init(fast, func() {})
	x := lobby.Listing{}
	x.Info.ID = "m"
	l.set(x)
	ctx := context.Background()
	_, _, _, first, _ := l.take(ctx)
	x.Info.Name = "changed"
	l.set(x)
	if n := l.waiting(); n != 0 {
		t.Errorf("got %d matches in the queue during the put, want none", n)
	}
	l.end("m", first, true)
	_, got, _, second, _ := l.take(ctx)
	if got.Info.Name != "changed" {
		t.Errorf("got the listing %+v, want the changed one", got)
	}
	l.end("m", second, false)
	if n := l.waiting(); n != 1 {
		t.Errorf("got %d matches in the queue after a failure, want 1", n)
	}
}
