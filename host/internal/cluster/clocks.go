package cluster

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
)

const (
	clocksRequest = "clocks"
	clocksKept    = time.Second     // until the clocks of a match are asked for again
	clocksTimeout = 2 * time.Second // for the answer of its host
	maxClocks     = 64              // seats in an answer
)

// Clocks are the clocks of matches of other hosts. Its methods can be called from
// any goroutine.
type Clocks struct {
	requests Requests
	lobby    LobbyClocks

	mu   sync.Mutex               // guards the field below
	kept map[clocksOf]*keptClocks // asked less than clocksKept ago, or asked now
}

// Requests are those between hosts.
type Requests interface {
	Request(ctx context.Context, host, name string, in, out any) error
	Handle(name string, f func(ctx context.Context, body []byte) (any, error))
}

// LobbyClocks is the lobby as Clocks uses it.
type LobbyClocks interface {
	ClocksFor(id string, player bool) (clocks []match.Clock, running bool)
	Elsewhere(id string) (lobby.Listing, bool)
}

// keptClocks are the clocks of a match as its host sent them.
type keptClocks struct {
	asked   time.Time
	done    chan struct{} // closed when the fields below are set
	at      time.Time     // of the answer
	clocks  []match.Clock // with Away as a time of this host
	running bool
	err     error
}

type clocksOf struct {
	ID     string `json:"id"`
	Ticket string `json:"ticket,omitempty"` // the hash, in hexadecimal; only if the match has a delay
}

type clocksReply struct {
	Running bool       `json:"running"`
	Clocks  []clockNow `json:"clocks"`
}

// clockNow is a match.Clock with a duration instead of a time, since the clocks of two
// hosts can differ.
type clockNow struct {
	Name  string         `json:"name"`
	Asked bool           `json:"asked"`
	Left  time.Duration  `json:"left"`
	Timed bool           `json:"timed"`
	Bank  time.Duration  `json:"bank"`
	Lag   time.Duration  `json:"lag"`
	Away  *time.Duration `json:"away,omitempty"` // nil: the player is connected
}

// NewClocks returns the clocks of other hosts, and answers their requests for those of
// this one. Holds reports whether a ticket, given its hash, is that of a seat in a match of
// this host.
func NewClocks(r Requests, l LobbyClocks, holds func(id string, hash [32]byte) bool) *Clocks {
	c := &Clocks{requests: r, lobby: l, kept: map[clocksOf]*keptClocks{}}
	r.Handle(clocksRequest, func(_ context.Context, body []byte) (any, error) {
		var of clocksOf
		if err := json.Unmarshal(body, &of); err != nil {
			return nil, errors.New("could not read the request for clocks")
		}
		hash, err := hex.DecodeString(of.Ticket)
		clocks, running := l.ClocksFor(of.ID, err == nil && len(hash) == 32 && holds(of.ID, [32]byte(hash)))
		reply := clocksReply{Running: running, Clocks: make([]clockNow, 0, len(clocks))}
		for _, k := range clocks {
			now := clockNow{Name: k.Name, Asked: k.Asked, Left: k.Left, Timed: k.Timed, Bank: k.Bank, Lag: k.Lag}
			if !k.Away.IsZero() {
				now.Away = new(time.Until(k.Away))
			}
			reply.Clocks = append(reply.Clocks, now)
		}
		return reply, nil
	})
	return c
}

// Clocks returns the clocks of a match of another host, in the order of its seats, that a
// client can see, given the hash of its ticket. Running reports whether the match runs
// there. Each match is asked for at most once per second, with a delay once for each ticket;
// in between, its clocks go on here. An error means that its host did not answer.
func (c *Clocks) Clocks(ctx context.Context, id string, ticket [32]byte) (clocks []match.Clock, running bool, err error) {
	x, listed := c.lobby.Elsewhere(id)
	if !listed || x.Gone || !x.Info.Running {
		return nil, false, nil
	}
	of := clocksOf{ID: id}
	if x.Info.Delay > 0 {
		of.Ticket = hex.EncodeToString(ticket[:])
	}
	k := c.get(of, x.Host)
	select {
	case <-k.done:
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if k.err != nil || !k.running {
		return nil, false, k.err
	}
	age := time.Since(k.at)
	for _, x := range k.clocks {
		if x.Asked {
			x.Left = max(0, x.Left-age)
			x.Bank = max(0, x.Bank-age)
		}
		clocks = append(clocks, x)
	}
	return clocks, true, nil
}

// get returns the kept clocks of a match, or new ones that a request will set.
func (c *Clocks) get(of clocksOf, host string) *keptClocks {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if k := c.kept[of]; k != nil && now.Sub(k.asked) < clocksKept {
		return k
	}
	for old, k := range c.kept { // few: those of the last second
		if now.Sub(k.asked) >= clocksKept {
			delete(c.kept, old)
		}
	}
	k := &keptClocks{asked: now, done: make(chan struct{})}
	c.kept[of] = k
	go c.ask(k, of, host) // ends with the answer, or after clocksTimeout
	return k
}

// ask asks the host of a match. The request does not end with that of a reader, because
// others wait for it too.
func (c *Clocks) ask(k *keptClocks, of clocksOf, host string) {
	defer close(k.done)
	ctx, cancel := context.WithTimeout(context.Background(), clocksTimeout)
	defer cancel()
	var reply clocksReply
	if k.err = c.requests.Request(ctx, host, clocksRequest, of, &reply); k.err != nil {
		return
	}
	if len(reply.Clocks) > maxClocks {
		k.err = fmt.Errorf("host %s sent %d clocks of a match", host, len(reply.Clocks))
		return
	}
	k.at, k.running = time.Now(), reply.Running
	for _, now := range reply.Clocks {
		x := match.Clock{Name: now.Name, Asked: now.Asked, Left: now.Left, Timed: now.Timed, Bank: now.Bank, Lag: now.Lag}
		if now.Away != nil {
			x.Away = k.at.Add(*now.Away)
		}
		k.clocks = append(k.clocks, x)
	}
}
