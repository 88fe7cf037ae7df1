package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/games/catalog"
	"colosseum/protocol"
)

// requestFrom returns an HTTP request of a client.
func requestFrom(address string) *http.Request {
	r := httptest.NewRequest("GET", "/api/games", nil)
	r.RemoteAddr = address + ":1234"
	return r
}

// burst is the number of seconds for which an address can use its points at once.
const burst = 20

// newReadLimited returns a server without sessions that gives each address a
// number of points a second.
func newReadLimited(points int) *Server {
	limits := testLimits
	limits.Address = limit.PerAddress{Reads: points, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	return New(Parts{}, limits, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, nil)
}

func TestAddressReadsABurstThenSlowerAndThenIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newReadLimited(10)
		took := func(points int) (time.Duration, time.Duration) {
			begin := time.Now()
			retry, _ := s.Pay(requestFrom("192.0.2.1"), points)
			return time.Since(begin), retry
		}
		for i := range 10 * burst {
			if d, retry := took(1); d != 0 || retry != 0 {
				t.Fatalf("request %d of the burst took %v, retry %v, want neither", i, d, retry)
			}
		}
		if d, retry := took(5); d != 500*time.Millisecond || retry != 0 {
			t.Errorf("5 points beyond the burst took %v, retry %v, want half a second", d, retry)
		}
		if d, retry := took(25); d != maxPause || retry != 2500*time.Millisecond {
			t.Errorf("25 points took %v, retry %v, want a refusal after %v", d, retry, maxPause)
		}
		if d, retry := took(1); d != 0 || retry != 0 { // the refused ones cost nothing
			t.Errorf("a second later a point took %v, retry %v, want neither", d, retry)
		}
		wantLimited(t, s, limit.Reads, 1)
		if retry, _ := s.Pay(requestFrom("192.0.2.2"), 10*burst); retry != 0 {
			t.Errorf("another address is refused for %v, want 0", retry)
		}
		for range 2 {
			if retry, _ := s.Pay(requestFrom("127.0.0.1"), 1000*burst); retry != 0 {
				t.Errorf("an exempt address is refused for %v, want 0", retry)
			}
		}
	})
}

func TestAllAddressesTogetherReadAtTheRateOfTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newReadLimited(10)
		s.readers = limit.NewReaders(100)
		pay := func(address string, points int) (time.Duration, time.Duration, bool) {
			begin := time.Now()
			retry, busy := s.Pay(requestFrom(address), points)
			return time.Since(begin), retry, busy
		}
		if d, retry, _ := pay("127.0.0.1", 50); d != 0 || retry != 0 {
			t.Errorf("the burst took %v, retry %v, want neither", d, retry)
		}
		if d, retry, _ := pay("192.0.2.1", 50); d != 500*time.Millisecond || retry != 0 {
			t.Errorf("50 points of another address took %v, retry %v, want half a second", d, retry)
		}
		s.Charge(requestFrom("127.0.0.1"), 1<<40) // 16 points, however long
		go s.Pay(requestFrom("127.0.0.1"), 34)    // ends after half a second
		go s.Pay(requestFrom("127.0.0.1"), 50)    // ends after a second
		synctest.Wait()
		if d, retry, busy := pay("127.0.0.1", 50); d != maxPause || retry != 1500*time.Millisecond || !busy {
			t.Errorf("50 points behind 100 took %v, retry %v, busy %v, want a refusal after %v", d, retry, busy, maxPause)
		}
		wantLimited(t, s, limit.HostReads, 1)
	})
}

func TestNextRequestsPayForALongAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newReadLimited(10)
		if wait := s.Charge(requestFrom("192.0.2.1"), limit.PointBytes-1); wait != 0 {
			t.Errorf("a short answer costs %v, want 0", wait)
		}
		// One answer takes at most the whole burst.
		if wait := s.Charge(requestFrom("192.0.2.1"), 1<<40); wait != 0 {
			t.Errorf("the longest answer costs %v, want 0", wait)
		}
		if wait := s.Charge(requestFrom("192.0.2.1"), 30*limit.PointBytes); wait != 3*time.Second {
			t.Errorf("30 points cost %v, want 3 s", wait)
		}
		if retry, _ := s.Pay(requestFrom("192.0.2.1"), 1); retry != 3100*time.Millisecond {
			t.Errorf("the next request is refused for %v, want 3.1 s", retry)
		}
	})
}

func TestRefusedClientThatHangsUpIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newReadLimited(1)
		s.Charge(requestFrom("192.0.2.1"), 1<<40)
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		begin := time.Now()
		s.Pay(requestFrom("192.0.2.1").WithContext(gone), 10)
		if took := time.Since(begin); took != 0 {
			t.Errorf("Pay took %v, want 0", took)
		}
	})
}

func TestClientBehindAProxyHasItsOwnBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newReadLimited(1)
		r := requestFrom("10.0.0.1")
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		s.Charge(r, 1<<40)
		if retry, _ := s.Pay(requestFrom("192.0.2.1"), 2); retry == 0 {
			t.Error("got the client served, want it refused")
		}
		if retry, _ := s.Pay(requestFrom("10.0.0.1"), 2); retry != 0 {
			t.Errorf("the proxy is refused for %v, want 0", retry)
		}
	})
}

// startInDebt starts a server for clients with 10 points a second. They must wait
// for the time owed before their next request.
func startInDebt(t *testing.T, owed time.Duration) *testServer {
	srv := startServer(t, perAddress(limit.PerAddress{Reads: 10}))
	local := srv.addresses.Get("127.0.0.1")
	srv.readers.Charge(local, 10*burst*limit.PointBytes)
	srv.readers.Charge(local, int(owed.Seconds()*10)*limit.PointBytes)
	return srv
}

func TestRequestsOfASessionWaitForTheBudgetOfTheirAddress(t *testing.T) {
	t.Parallel()
	begin := time.Now() // before the debt, which becomes less while the client connects
	srv := startInDebt(t, 500*time.Millisecond)
	c := srv.connect()
	c.sendText(`{"GameDescription":{"name":"duel"}}`)
	c.wantText(`{"GameDescription":{"description":"# duel\n"}}`)
	if took := time.Since(begin); took < 500*time.Millisecond {
		t.Errorf("the answer took %v, want at least 500ms", took)
	}
	if retry, _ := srv.Pay(requestFrom("127.0.0.1"), 100); retry == 0 {
		t.Error("got an HTTP request served, want it refused by the same budget")
	}
}

func TestPlayersNeedNoPoints(t *testing.T) {
	srv := startInDebt(t, time.Hour)
	c := srv.connect()
	id := c.createMatch("duel")
	c.joinMatch(id, "ann")
}

func TestRegistrationsNeedPoints(t *testing.T) {
	srv := startInDebt(t, time.Hour)
	c := srv.connect()
	c.sendText(`{"PlayerRegister":{"name":"zoe"}}`) // refused without a limit of its own
	c.wantClose(protocol.CloseLimit, "too many requests from your address")
}

func TestSessionThatReadsFarTooMuchIsClosed(t *testing.T) {
	for _, r := range requests {
		if r.points == 0 {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			srv := startInDebt(t, time.Hour)
			c := srv.connect()
			c.sendText(fmt.Sprintf(`{%q:{"id":"0123456789abc","name":"x"}}`, r.name))
			c.wantClose(protocol.CloseLimit, "too many requests from your address")
			wantLimited(t, srv.Server, limit.Reads, 1)
		})
	}
}

func TestAnswerCostsByItsLength(t *testing.T) {
	inBubble(t, perAddress(limit.PerAddress{Reads: 1}), func(t *testing.T, srv *testServer) {
		for i := range historyLimit { // a list of 160 kB
			srv.records.ids = append(srv.records.ids, fmt.Sprintf("%013d", i))
		}
		c := srv.connect()
		local := srv.addresses.Get("127.0.0.1")
		c.sendText(`{"GameDescription":{"name":"echo"}}`) // an answer of 14 kB
		c.readUntil(protocol.NameGameDescription)
		if wait := srv.readers.Charge(local, (burst-1)*limit.PointBytes); wait != 0 {
			t.Errorf("after 14 kB, %d more points cost %v, want 0", burst-1, wait)
		}
		time.Sleep(burst * time.Second)
		c.sendText(`"HistoryMatchList"`)
		c.readUntil(protocol.NameHistoryMatchList)
		if wait := srv.readers.Charge(local, (burst-10)*limit.PointBytes); wait != time.Second {
			t.Errorf("after 160 kB, %d more points cost %v, want 1 s: the answer costs 11", burst-10, wait)
		}
	})
}

// changingCatalog counts the calls of List.
type changingCatalog struct {
	fakeCatalog
	generation uint64
	listed     int
}

func (c *changingCatalog) Generation() uint64 { return c.generation }

func (c *changingCatalog) List() []*catalog.Offer {
	c.listed++
	return c.fakeCatalog
}

func TestAnswersAreEncodedOnceAGeneration(t *testing.T) {
	games := &changingCatalog{testGames, 1, 0}
	s := New(Parts{Games: games}, testLimits, nil, nil)
	before := s.answers.ofGames()
	if s.answers.ofGames() != before || games.listed != 1 {
		t.Errorf("the games were listed %d times, want once", games.listed)
	}
	games.fakeCatalog, games.generation = fakeCatalog{{Name: "new", Rules: "# new"}}, 2
	after := s.answers.ofGames()
	if !strings.Contains(string(after.list), `"new"`) || string(after.descriptions["new"]) != `{"GameDescription":{"description":"# new"}}` || after.descriptions["duel"] != nil {
		t.Errorf("after a change: got %s, want the new game alone", after.list)
	}
}
