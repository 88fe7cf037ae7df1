package site

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/cluster"
	"colosseum/host/internal/play/match"
)

// fakeHosts are the hosts of a cluster.
type fakeHosts struct {
	hosts      []cluster.Host
	generation uint64
	connected  bool
	lists      int // calls of Hosts
}

func (f *fakeHosts) Hosts() []cluster.Host { f.lists++; return f.hosts }
func (f *fakeHosts) Generation() uint64    { return f.generation }
func (f *fakeHosts) Name() string          { return "north" }
func (f *fakeHosts) Connected() bool       { return f.connected }

func threeHosts() []cluster.Host {
	began := time.Date(2025, 3, 4, 12, 0, 0, 0, time.UTC)
	games := []cluster.Game{{Name: "roshambo", Version: "v1"}, {Name: "dama", Version: hostile}}
	return []cluster.Host{
		{Name: "east", Advertise: "ws://10.0.0.1:8088", Started: began, Games: games, Matches: 3, Capacity: 1000, Sessions: 12},
		{Name: "north", Advertise: "ws://10.0.0.2:8088", Started: began.Add(time.Hour), Games: games, Matches: 4, Capacity: 1000, Leader: true},
		{Name: "west", Advertise: "ws://10.0.0.3:8088", Started: began, Draining: true},
	}
}

// hostsOf returns the answer of a site about its hosts.
func hostsOf(t *testing.T, s *Site) (a hostsAnswer, text string) {
	t.Helper()
	w := get(s, "/api/hosts")
	if err := json.Unmarshal(w.Body.Bytes(), &a); w.Code != 200 || err != nil {
		t.Fatalf("got %d %s, want 200 with JSON", w.Code, w.Body)
	}
	return a, w.Body.String()
}

func TestHostsAreListedWithoutTheirAddresses(t *testing.T) {
	s, _ := newSite(t)
	hosts := &fakeHosts{hosts: threeHosts(), connected: true}
	s.Hosts = hosts
	a, text := hostsOf(t, s)
	if len(a.Hosts) != 3 || a.Host != "north" || !a.Connected {
		t.Fatalf("got %+v, want three hosts, north and connected", a)
	}
	if h := a.Hosts[1]; h.Name != "north" || !h.Leader || h.Matches != 4 || h.Most != 1000 || len(h.Games) != 2 || !h.Started.Equal(hosts.hosts[1].Started) {
		t.Errorf("got %+v, want the leader north with 4 of 1000 matches and two games", h)
	}
	if h := a.Hosts[2]; h.Name != "west" || !h.Draining || h.Games == nil {
		t.Errorf("got %+v, want west, draining and with an empty list of games", h)
	}
	if strings.Contains(text, "10.0.0") {
		t.Errorf("got %s, want no address", text)
	}
	schemas := readSchemas(t)
	var v any
	_ = json.Unmarshal([]byte(text), &v) // hostsOf has checked it
	for _, fault := range schemas.faults(schemas.answer("/api/hosts", "200", "application/json"), v, "answer") {
		t.Error(fault)
	}
}

func TestHostsAreRenderedOnceUntilTheyChange(t *testing.T) {
	s, _ := newSite(t)
	hosts := &fakeHosts{hosts: threeHosts(), connected: true}
	s.Hosts = hosts
	for range 5 {
		hostsOf(t, s)
	}
	if hosts.lists != 1 {
		t.Errorf("got %d lists for 5 requests, want 1", hosts.lists)
	}
	hosts.connected = false
	if a, _ := hostsOf(t, s); a.Connected || hosts.lists != 2 {
		t.Errorf("after the connection was lost: got connected %t and %d lists, want false and 2", a.Connected, hosts.lists)
	}
	hosts.hosts, hosts.generation = hosts.hosts[:1], 1
	if a, _ := hostsOf(t, s); len(a.Hosts) != 1 {
		t.Errorf("after a change: got %d hosts, want 1", len(a.Hosts))
	}
}

func TestHostThatIsAloneListsItself(t *testing.T) {
	s, _ := newSite(t)
	s.Alone = func() cluster.Host { return cluster.Host{Matches: 7, Capacity: 9} }
	if a, _ := hostsOf(t, s); len(a.Hosts) != 1 || a.Host != "" || a.Hosts[0].Matches != 7 || a.Hosts[0].Most != 9 {
		t.Errorf("got %+v, want one row with 7 of 9 matches", a)
	}
}

// fakeClocks knows the clocks of the match "elsewhere".
type fakeClocks struct{ err error }

func (f fakeClocks) Clocks(_ context.Context, id string, _ [32]byte) ([]match.Clock, bool, error) {
	return []match.Clock{{Name: "zoe", Asked: true, Left: time.Second}}, id == "elsewhere" && f.err == nil, f.err
}

func TestClocksOfAMatchOfAnotherHostComeFromThere(t *testing.T) {
	s, _ := newSite(t)
	s.Clocks = fakeClocks{}
	for id, want := range map[string]string{"elsewhere": `"zoe"`, "running": `"ann"`} {
		if w := get(s, "/api/matches/"+id+"/clocks"); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want the clock of %s", id, w.Code, w.Body, want)
		}
	}
	if w := get(s, "/api/matches/nothing/clocks"); w.Code != 404 {
		t.Errorf("no match: got %d, want 404", w.Code)
	}
	s.Clocks = fakeClocks{errors.New("no answer from 10.0.0.1")}
	if w := get(s, "/api/matches/elsewhere/clocks"); w.Code != 503 || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "10.0.0.1") {
		t.Errorf("no answer: got %d %v %s, want 503 with Retry-After and without the cause", w.Code, w.Header(), w.Body)
	}
}
