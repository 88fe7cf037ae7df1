package cluster

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"colosseum/host/internal/play/serving"
)

const (
	playersMessage = "serving"
	playersSoon    = time.Second      // between two lists if the list changes
	playersAgain   = 5 * time.Second  // after which a list is sent again
	playersOld     = 15 * time.Second // after which a list no longer counts: the leader is gone
	maxPlayersList = 512 << 10        // bytes of a list, half of what NATS takes
)

// Players are the players that serve, as every host shows them: the leader sends its list
// to the others. Its methods can be called from any goroutine.
type Players struct {
	messages Messages
	desk     Desk

	mu         sync.Mutex // guards the fields below
	generation uint64
	seen       playersState // that generation stands for
	got        playersGot
}

// Messages send from one host to all others. It is implemented by *Cluster.
type Messages interface {
	Leader() (host string, ok bool) // "": this host
	Publish(name string, v any)
	Subscribe(name string, f func(from string, body []byte))
}

// Desk holds the players that serve here, if this host leads.
type Desk interface {
	List() []serving.Player
	Generation() uint64 // of List
}

// playersState identifies a list.
type playersState struct {
	leads   bool
	desk    uint64 // its generation, if this host leads
	got     uint64 // number of the list of the leader, if another host leads
	current bool   // that list counts
}

// playersGot is the last list of another host.
type playersGot struct {
	number  uint64 // grows with each change
	at      time.Time
	players []serving.Player
}

// NewPlayers returns the players that serve, and follows the lists of the leader. Run
// sends those of this host.
func NewPlayers(m Messages, desk Desk) *Players {
	p := &Players{messages: m, desk: desk}
	m.Subscribe(playersMessage, p.take)
	return p
}

// leads reports whether this host leads.
func (p *Players) leads() bool {
	host, ok := p.messages.Leader()
	return ok && host == ""
}

// Run sends the list to the other hosts while this host leads, until ctx ends: at most
// once per second when it has changed, and else every 5 s, because messages can be lost.
func (p *Players) Run(ctx context.Context) {
	ticks := time.NewTicker(playersSoon)
	defer ticks.Stop()
	var sent time.Time // zero: nothing since this host leads
	var last uint64    // generation that was sent
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if !p.leads() {
			sent = time.Time{}
			continue
		}
		generation := p.desk.Generation() // before the list, so that a later change is sent next time
		if sent.IsZero() || generation != last || time.Since(sent) >= playersAgain {
			p.messages.Publish(playersMessage, bounded(p.desk.List()))
			sent, last = time.Now(), generation
		}
	}
}

// bounded returns the first players of a list, with at most maxPlayersList bytes in JSON.
func bounded(list []serving.Player) []serving.Player {
	size := 2
	for i, x := range list {
		text, _ := json.Marshal(x) // cannot fail
		if size += len(text) + 1; size > maxPlayersList {
			return list[:i]
		}
	}
	return append([]serving.Player{}, list...) // not null
}

// take keeps the list of the leader.
func (p *Players) take(from string, body []byte) {
	if leader, ok := p.messages.Leader(); ok && leader != from {
		return // an old leader, or this host leads
	}
	var list []serving.Player
	if len(body) > maxPlayersList || json.Unmarshal(body, &list) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.got.number == 0 || !reflect.DeepEqual(p.got.players, list) {
		p.got.number++
		p.got.players = list
	}
	p.got.at = time.Now()
}

// stateLocked returns the state of the list. Leads: this host leads.
func (p *Players) stateLocked(leads bool) playersState {
	if leads {
		return playersState{leads: true, desk: p.desk.Generation()}
	}
	if p.got.number == 0 || time.Since(p.got.at) >= playersOld {
		return playersState{}
	}
	return playersState{got: p.got.number, current: true}
}

// Generation identifies a state of the list: a list that is read after a call of
// Generation is current as long as Generation returns the same number.
func (p *Players) Generation() uint64 {
	leads := p.leads() // without mu
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.stateLocked(leads); s != p.seen {
		p.seen = s
		p.generation++
	}
	return p.generation
}

// List returns the players that serve on any host, sorted by name; none while no leader is
// known.
func (p *Players) List() []serving.Player {
	if p.leads() {
		return p.desk.List()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stateLocked(false).current {
		return nil
	}
	return p.got.players // never changed in place
}
