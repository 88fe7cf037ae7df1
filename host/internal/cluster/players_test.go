package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/play/serving"
)

// playersMessages is the cluster of a test.
type playersMessages struct {
	deliver func(from string, body []byte)

	mu        sync.Mutex // guards the fields below
	leader    string     // "": this host
	led       bool
	published [][]byte
}

func (f *playersMessages) Leader() (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.leader, f.led
}

// lead makes a host the leader, or none.
func (f *playersMessages) lead(leader string, led bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leader, f.led = leader, led
}

func (f *playersMessages) Publish(_ string, v any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, _ := json.Marshal(v)
	f.published = append(f.published, text)
}

// taken returns the lists that were published since the last call.
func (f *playersMessages) taken() [][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.published
	f.published = nil
	return list
}

func (f *playersMessages) Subscribe(_ string, deliver func(string, []byte)) { f.deliver = deliver }

type playersDesk struct {
	mu         sync.Mutex // guards the fields below
	list       []serving.Player
	generation uint64
}

func (d *playersDesk) List() []serving.Player {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.list
}

func (d *playersDesk) Generation() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.generation
}

func (d *playersDesk) set(names ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = nil
	for _, name := range names {
		d.list = append(d.list, serving.Player{Name: name, Games: []string{"dama"}, Concurrency: 2, Matches: 1, Challenges: true})
	}
	d.generation++
}

func playerNames(list []serving.Player) string {
	var all []string
	for _, p := range list {
		all = append(all, p.Name)
	}
	return strings.Join(all, " ")
}

func TestPlayersThatServeAreSentToTheOtherHosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leader, desk := &playersMessages{led: true}, &playersDesk{}
		desk.set("ann", "bob")
		p := NewPlayers(leader, desk)
		go p.Run(t.Context())
		time.Sleep(playersSoon + time.Millisecond)
		other := &playersMessages{leader: "north", led: true}
		far := NewPlayers(other, &playersDesk{})
		if before := far.Generation(); playerNames(far.List()) != "" {
			t.Errorf("before a list came: got %q in generation %d, want none", playerNames(far.List()), before)
		}
		published := leader.taken()
		if len(published) != 1 {
			t.Fatalf("got %d lists, want 1", len(published))
		}
		before := far.Generation()
		other.deliver("north", published[0])
		if got := far.List(); playerNames(got) != "ann bob" || far.Generation() == before || fmt.Sprint(got) != fmt.Sprint(desk.list) {
			t.Errorf("got %v in generation %d, want %v in a new one", got, far.Generation(), desk.list)
		}
		before = far.Generation()
		other.deliver("north", published[0])
		if far.Generation() != before {
			t.Error("the same list again: got a new generation, want the same")
		}
		if playerNames(p.List()) != "ann bob" {
			t.Errorf("the leader: got %q, want its own list", playerNames(p.List()))
		}
	})
}

func TestListsAreSentOncePerSecondAndNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, desk := &playersMessages{led: true}, &playersDesk{}
		desk.set("ann")
		go NewPlayers(m, desk).Run(t.Context())
		time.Sleep(50 * time.Millisecond) // so that nothing else happens at the same times
		for range 100 {
			desk.set("ann", "bob")
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(m.taken()); n > 10 || n < 9 {
			t.Errorf("changing for 10 s: got %d lists, want 10", n)
		}
		time.Sleep(60 * time.Second)
		if n := len(m.taken()); n < 11 || n > 13 {
			t.Errorf("without a change for 60 s: got %d lists, want 12", n)
		}
		m.lead("north", true)
		time.Sleep(time.Minute)
		if n := len(m.taken()); n != 0 {
			t.Errorf("without leading: got %d lists, want none", n)
		}
	})
}

func TestOnlyTheLeadersListCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, desk := &playersMessages{leader: "north", led: true}, &playersDesk{}
		desk.set("own")
		p := NewPlayers(m, desk)
		list := func(name string) []byte {
			text, _ := json.Marshal([]serving.Player{{Name: name}})
			return text
		}
		last := uint64(0)
		check := func(when, want string) {
			t.Helper()
			if got := playerNames(p.List()); got != want || p.Generation() == last {
				t.Errorf("%s: got %q in generation %d, want %q in another than %d", when, got, p.Generation(), want, last)
			}
			last = p.Generation()
		}
		m.deliver("north", list("ann"))
		check("a list of the leader", "ann")
		m.deliver("west", list("eve"))
		m.deliver("north", []byte("{"))
		m.deliver("north", make([]byte, maxPlayersList+1))
		if got := playerNames(p.List()); got != "ann" || p.Generation() != last {
			t.Errorf("lists that do not count: got %q, want ann", got)
		}
		m.lead("", true)
		check("this host leads", "own")
		m.deliver("north", list("late"))
		m.lead("north", true)
		check("another host leads again", "ann")
		m.lead("", false)
		time.Sleep(playersOld)
		check("no list came for a while", "")
	})
}

func TestLongListsAreCut(t *testing.T) {
	t.Parallel()
	var all []serving.Player
	for i := range 10_000 {
		all = append(all, serving.Player{Name: fmt.Sprint("player", i), Games: []string{strings.Repeat("x", 100)}})
	}
	got := bounded(all)
	text, _ := json.Marshal(got)
	if len(text) > maxPlayersList || len(text) < maxPlayersList-1000 || got[0].Name != "player0" {
		t.Errorf("got %d players in %d bytes, want just less than %d", len(got), len(text), maxPlayersList)
	}
	if text, _ := json.Marshal(bounded(nil)); string(text) != "[]" {
		t.Errorf("no players: got %s, want []", text)
	}
}
