package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/catalog"
	"colosseum/protocol"
)

// from is an HTTP request of a client.
func from(address string) *http.Request {
	r := httptest.NewRequest("GET", "/api/games", nil)
	r.RemoteAddr = address + ":1234"
	return r
}

// budgeted is a server without sessions, whose clients may read so much.
func budgeted(points int) *Server {
	limits := usual
	limits.Address = PerAddress{Reads: points, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	return New(nil, nil, nil, limits, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, nil)
}

func TestAnAddressReadsItsReserveThenSlowerAndThenIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := budgeted(10)
		took := func(points int) (time.Duration, time.Duration) {
			begin := time.Now()
			retry, _ := s.Pay(from("192.0.2.1"), points)
			return time.Since(begin), retry
		}
		for i := range 10 * readBurst {
			if d, retry := took(1); d != 0 || retry != 0 {
				t.Fatalf("request %d of the reserve took %v, retry %v", i, d, retry)
			}
		}
		if d, retry := took(5); d != 500*time.Millisecond || retry != 0 {
			t.Errorf("5 points beyond the reserve took %v, retry %v, want half a second", d, retry)
		}
		if d, retry := took(25); d != maxPause || retry != 2500*time.Millisecond {
			t.Errorf("25 points took %v, retry %v, want a refusal after %v", d, retry, maxPause)
		}
		if d, retry := took(1); d != 0 || retry != 0 { // the refused ones cost nothing
			t.Errorf("a second later a point took %v, retry %v", d, retry)
		}
		if got := s.Counts().Limited[limitReads]; got != 1 {
			t.Errorf("counted %d refusals, want 1", got)
		}
		if retry, _ := s.Pay(from("192.0.2.2"), 10*readBurst); retry != 0 {
			t.Errorf("another address is refused for %v", retry)
		}
		for range 2 {
			if retry, _ := s.Pay(from("127.0.0.1"), 1000*readBurst); retry != 0 {
				t.Errorf("an exempt address is refused for %v", retry)
			}
		}
	})
}

func TestAllAddressesTogetherReadAtTheRateOfTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := budgeted(10)
		s.reads = hostReads(100)
		pay := func(address string, points int) (time.Duration, time.Duration, bool) {
			begin := time.Now()
			retry, busy := s.Pay(from(address), points)
			return time.Since(begin), retry, busy
		}
		if d, retry, _ := pay("127.0.0.1", 50); d != 0 || retry != 0 {
			t.Errorf("the reserve took %v, retry %v, want neither", d, retry)
		}
		if d, retry, _ := pay("192.0.2.1", 50); d != 500*time.Millisecond || retry != 0 {
			t.Errorf("50 points of another address took %v, retry %v, want half a second", d, retry)
		}
		s.Charge(from("127.0.0.1"), 1<<40) // 16 points, however long
		go s.Pay(from("127.0.0.1"), 34)    // ends after half a second
		go s.Pay(from("127.0.0.1"), 50)    // ends after a second
		synctest.Wait()
		if d, retry, busy := pay("127.0.0.1", 50); d != maxPause || retry != 1500*time.Millisecond || !busy {
			t.Errorf("50 points behind 100 took %v, retry %v, busy %v, want a refusal after %v", d, retry, busy, maxPause)
		}
		if got := s.Counts().Limited[limitHostReads]; got != 1 {
			t.Errorf("counted %d refusals, want 1", got)
		}
	})
}

func TestALongAnswerIsPaidByTheNextRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := budgeted(10)
		if wait := s.Charge(from("192.0.2.1"), pointBytes-1); wait != 0 {
			t.Errorf("a short answer costs %v", wait)
		}
		// More than any reserve: all of it, and not more than that.
		if wait := s.Charge(from("192.0.2.1"), 1<<40); wait != 0 {
			t.Errorf("the reserve is worth %v", wait)
		}
		if wait := s.Charge(from("192.0.2.1"), 30*pointBytes); wait != 3*time.Second {
			t.Errorf("30 points cost %v, want 3 s", wait)
		}
		if retry, _ := s.Pay(from("192.0.2.1"), 1); retry != 3100*time.Millisecond {
			t.Errorf("the next request is refused for %v, want 3.1 s", retry)
		}
	})
}

func TestARefusedClientThatHangsUpIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := budgeted(1)
		s.Charge(from("192.0.2.1"), 1<<40)
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		begin := time.Now()
		s.Pay(from("192.0.2.1").WithContext(gone), 10)
		if took := time.Since(begin); took != 0 {
			t.Errorf("it took %v", took)
		}
	})
}

func TestReadingByProxyIsThatOfTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := budgeted(1)
		r := from("10.0.0.1")
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		s.Charge(r, 1<<40)
		if retry, _ := s.Pay(from("192.0.2.1"), 2); retry == 0 {
			t.Error("the client reads on")
		}
		if retry, _ := s.Pay(from("10.0.0.1"), 2); retry != 0 {
			t.Error("the proxy pays for it")
		}
	})
}

// spent is a house whose clients have used up what they may read, and owe for
// a time, at 10 points a second.
func spent(t *testing.T, owed time.Duration) *house {
	h := open(t, perAddress(PerAddress{Reads: 10}))
	v := h.visitors.visit("127.0.0.1")
	h.owe(v, 10*readBurst)
	h.owe(v, int(owed.Seconds()*10))
	return h
}

func TestRequestsOfASessionWaitForTheBudgetOfTheirAddress(t *testing.T) {
	h := spent(t, 500*time.Millisecond)
	c := h.enter()
	begin := time.Now()
	c.says(`{"GameDescription":{"name":"duel"}}`)
	c.hears(`{"GameDescription":{"description":"# duel\n"}}`)
	if took := time.Since(begin); took < 400*time.Millisecond {
		t.Errorf("it took %v, less than was owed", took)
	}
	if retry := h.visitors.visit("127.0.0.1").reserve(1000, 0); retry == 0 {
		t.Error("sessions and pages do not share a budget")
	}
}

func TestWhoPlaysWaitsForNoBudget(t *testing.T) {
	h := spent(t, time.Hour)
	c := h.enter()
	id := c.creates("duel")
	c.joins(id, "ann") // hears that it has a seat
}

func TestASessionThatReadsMuchTooMuchIsClosed(t *testing.T) {
	for name := range points {
		t.Run(name, func(t *testing.T) {
			h := spent(t, time.Hour)
			c := h.enter()
			c.says(fmt.Sprintf(`{%q:{"id":"0123456789abc","name":"x"}}`, name))
			if reason := c.closes(protocol.CloseLimit); !strings.Contains(reason, "too many requests from your address") {
				t.Errorf("the reason is %q", reason)
			}
			if got := h.Counts().Limited[limitReads]; got != 1 {
				t.Errorf("counted %d refusals, want 1", got)
			}
		})
	}
}

func TestClosingDoesNotWaitForTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &writer{closing: false}
		w.room = sync.NewCond(&w.mu)
		begin := time.Now()
		go func() { // ends at once
			time.Sleep(time.Second)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.closing = true
			w.room.Broadcast()
		}()
		w.rest(readWait)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it rested for %v, want until it was closed after a second", took)
		}
		w.closing = false
		w.rest(readWait)
		if took := time.Since(begin); took != time.Second+readWait {
			t.Errorf("it rested for %v in all, want %v more", took, readWait)
		}
	})
}

func TestWhatAnAddressSendsBackCostsByItsLength(t *testing.T) {
	h := open(t, perAddress(PerAddress{Reads: 1}))
	v := h.visitors.visit("127.0.0.1")
	c := h.enter()
	before := v.reads.Tokens()
	c.says(`{"GameDescription":{"name":"echo"}}`) // 14 kB, and escaped more
	c.until(protocol.NameGameDescription)
	// A second of reserve comes back for each that this takes.
	if cost := before - v.reads.Tokens(); cost > 1 {
		t.Errorf("14 kB cost %.1f points, want 1 at most", cost)
	}
	h.log.mu.Lock()
	for i := range historyLimit { // 160 kB
		h.log.ids = append(h.log.ids, fmt.Sprintf("%013d", i))
	}
	h.log.mu.Unlock()
	before = v.reads.Tokens()
	begin := time.Now()
	c.says(`"HistoryMatchList"`)
	c.until(protocol.NameHistoryMatchList)
	if cost := before - v.reads.Tokens(); cost < 10-time.Since(begin).Seconds() {
		t.Errorf("160 kB cost %.1f points, want 11", cost)
	}
}

func TestLongWorkIsDoneByFewInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slots{busy: make(chan struct{}, 1)}
		first, ok := s.take(t.Context())
		if !ok {
			t.Fatal("a free slot was refused")
		}
		var order []int
		for i := range maxWaiting {
			go func() {
				if done, ok := s.take(t.Context()); ok {
					order = append(order, i) // by whoever has the slot
					done()
				}
			}()
			synctest.Wait()
		}
		if _, ok := s.take(t.Context()); ok {
			t.Error("more wait than may")
		}
		first()
		synctest.Wait()
		for i, got := range order {
			if got != i {
				t.Fatalf("they worked in the order %v", order)
			}
		}
		if len(order) != maxWaiting || s.waiting.Load() != 0 || len(s.busy) != 0 {
			t.Errorf("%d of %d worked, %d wait, %d slots are taken", len(order), maxWaiting, s.waiting.Load(), len(s.busy))
		}
		gone, cancel := context.WithCancel(t.Context())
		done, _ := s.take(t.Context())
		cancel()
		if _, ok := s.take(gone); ok {
			t.Error("who has gone works")
		}
		done()
	})
}

func TestPlayNeverLacksAProcessorBecauseOfReaders(t *testing.T) {
	if got := cap(newSlots().busy); got < 1 || got > 2 {
		t.Errorf("%d do long work at once, want 1 or 2", got)
	}
}

func TestAttackFromManyNetworksHasBoundedMemory(t *testing.T) {
	a := newAddresses(PerAddress{Reads: 1})
	first := a.visit("2001:db8::1")
	for i := range maxKnown {
		a.visit(fmt.Sprintf("2001:db9:%x:%x::1", i>>8, i&0xff))
	}
	if len(a.known) != maxKnown {
		t.Errorf("%d addresses are known, want %d", len(a.known), maxKnown)
	}
	late := a.visit("192.0.2.1")
	if late == nil || late != a.visit("192.0.2.2") || late == first || first != a.visit("2001:db8::2") {
		t.Error("those for whom there is no room do not count as one, or others with them")
	}
}

// changing offers other games with each generation.
type changing struct {
	games
	generation uint64
	listed     int
}

func (c *changing) Generation() uint64 { return c.generation }

func (c *changing) List() []*catalog.Offer {
	c.listed++
	return c.games
}

func TestAnswersThatDoNotChangeAreEncodedOnce(t *testing.T) {
	shop := &changing{shelf, 1, 0}
	s := New(shop, nil, nil, usual, nil, nil)
	before := s.gameAnswers()
	if s.gameAnswers() != before || shop.listed != 1 {
		t.Errorf("the games were listed %d times, want once", shop.listed)
	}
	shop.games, shop.generation = games{{Name: "new", Rules: "# new"}}, 2
	after := s.gameAnswers()
	if !strings.Contains(string(after.list), `"new"`) || string(after.descriptions["new"]) != `{"GameDescription":{"description":"# new"}}` || after.descriptions["duel"] != nil {
		t.Errorf("after a change: %s", after.list)
	}
}
