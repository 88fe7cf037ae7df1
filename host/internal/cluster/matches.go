package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// Peers are the other hosts as Matches uses them: a *Cluster.
type Peers interface {
	Spread(game string, programs bool) (host string)
	Owner(ctx context.Context, id string) (host string, err error)
	Published(ctx context.Context, id string)
	Request(ctx context.Context, host, name string, in, out any) error
	Handle(name string, f func(ctx context.Context, body []byte) (any, error))
}

// Matches are those of all hosts, for the desk of the leader. A match is created on the
// host that Spread chooses, except those of Find, which are created on this one.
type Matches struct {
	peers Peers
	lobby *lobby.Lobby
}

// Names of requests.
const (
	createMatch   = "match-create"
	reserveSeat   = "match-reserve"
	unreserveSeat = "match-unreserve"
	removeMatch   = "match-remove"
)

// askTimeout bounds a request about a match that exists.
const askTimeout = 3 * time.Second

// Bounds of a request.
const (
	maxRequest = 1 << 20 // bytes
	maxText    = 256     // bytes of a name or a reason
	maxWithin  = 31 * 24 * time.Hour
)

// creation is a request for a match.
type creation struct {
	Address  string           `json:"address,omitempty"` // of the client
	Player   string           `json:"player,omitempty"`
	New      protocol.GameNew `json:"new"`
	Players  []string         `json:"players,omitempty"` // as in lobby.Seats, like all below
	Open     int              `json:"open,omitempty"`
	Within   time.Duration    `json:"within"`
	Order    []string         `json:"order,omitempty"`
	Programs []int            `json:"programs,omitempty"`
	Seed     *uint64          `json:"seed,omitempty"`
	Fixture  *record.Fixture  `json:"fixture,omitempty"`
	NoHints  bool             `json:"no_hints,omitempty"`
}

// question is a request about a match.
type question struct {
	ID     string `json:"id"`
	Player string `json:"player,omitempty"`
	Reason string `json:"reason,omitempty"`
}

type matchAnswer struct {
	Done bool `json:"done"`
}

// NewMatches returns the matches of all hosts, and answers the requests of the leader
// about those of this host.
func NewMatches(peers Peers, l *lobby.Lobby) *Matches {
	m := &Matches{peers, l}
	peers.Handle(createMatch, m.create)
	peers.Handle(reserveSeat, m.about(func(ctx context.Context, q question) (bool, error) { return true, m.reserve(ctx, q) }))
	peers.Handle(unreserveSeat, m.about(func(_ context.Context, q question) (bool, error) { return l.Unreserve(q.ID, q.Player), nil }))
	peers.Handle(removeMatch, m.about(func(_ context.Context, q question) (bool, error) { return l.Remove(q.ID, q.Reason), nil }))
	return m
}

// CreateFor creates a match with kept seats on any host; see the method of *lobby.Lobby.
// Of several changes, Changed can miss all but the last one. After an error that is not a
// refusal, the match can exist without anybody to change it; it expires.
func (m *Matches) CreateFor(ctx context.Context, c lobby.Client, r protocol.GameNew, seats *lobby.Seats) (protocol.MatchInfo, error) {
	host := m.peers.Spread(r.Game, slices.ContainsFunc(seats.Programs, func(version int) bool { return version > 0 }))
	if host != "" {
		info, err := m.createOn(ctx, host, c, r, seats)
		if !errors.Is(err, lobby.ErrFull) && !errors.Is(err, lobby.ErrClosed) && !errors.Is(err, lobby.ErrRecords) {
			return info, err
		}
	}
	info, err := m.lobby.CreateFor(ctx, c, r, seats)
	if err == nil {
		m.peers.Published(ctx, info.ID) // a player can come by any host
	}
	return info, err
}

func (m *Matches) createOn(ctx context.Context, host string, c lobby.Client, r protocol.GameNew, seats *lobby.Seats) (info protocol.MatchInfo, err error) {
	request := creation{
		Address: c.Address, Player: c.Player, New: r,
		Players: seats.Players, Open: seats.Open, Within: seats.Within, Order: seats.Order, Programs: seats.Programs, Seed: seats.Seed, Fixture: seats.Fixture, NoHints: seats.NoHints,
	}
	if err := m.peers.Request(ctx, host, createMatch, request, &info); err != nil {
		return protocol.MatchInfo{}, err
	}
	if !lobby.ValidID(info.ID) {
		return protocol.MatchInfo{}, fmt.Errorf("host %s has created a match without a valid ID", host)
	}
	_, _ = m.peers.Owner(ctx, info.ID) // reads its listing now, so that its end is noticed even if the host dies at this moment
	changed := seats.Changed
	if changed == nil {
		changed = func(lobby.Change) {}
	}
	m.lobby.Expect(lobby.Listing{Host: host, Info: info, Fixture: seats.Fixture, Assigned: true}, changed)
	return info, nil
}

// create answers the request for a match.
func (m *Matches) create(ctx context.Context, body []byte) (any, error) {
	var r creation
	if err := decode(body, &r); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	info, err := m.lobby.CreateFor(ctx, lobby.Client{Address: r.Address, Player: r.Player}, r.New, r.seats())
	if err != nil {
		return nil, err
	}
	m.peers.Published(ctx, info.ID)
	return info, nil
}

func (r *creation) seats() *lobby.Seats {
	return &lobby.Seats{Players: r.Players, Open: r.Open, Within: r.Within, Order: r.Order, Programs: r.Programs, Seed: r.Seed, Fixture: r.Fixture, NoHints: r.NoHints}
}

// check checks the fields that the lobby does not check.
func (r *creation) check() error {
	switch {
	case len(r.Players) > driver.MaxSeats || len(r.Order) > driver.MaxSeats || len(r.Programs) > driver.MaxSeats || r.Open < 0 || r.Open > driver.MaxSeats:
		return fmt.Errorf("a match has at most %d seats", driver.MaxSeats)
	case r.Within <= 0 || r.Within > maxWithin:
		return fmt.Errorf("a match cannot wait for %v", r.Within)
	case len(r.Address) > maxText || len(r.Player) > maxText:
		return errors.New("the client has a name that is too long")
	}
	for _, name := range append(append([]string{}, r.Players...), r.Order...) {
		if len(name) > maxText {
			return errors.New("a player has a name that is too long")
		}
	}
	if f := r.Fixture; f != nil {
		if len(f.Contest) > maxText {
			return errors.New("the contest has a name that is too long")
		}
		return f.Check(len(f.Entries))
	}
	return nil
}

// about returns the handler of a request about a match.
func (m *Matches) about(f func(context.Context, question) (bool, error)) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, body []byte) (any, error) {
		var q question
		if err := decode(body, &q); err != nil {
			return nil, err
		}
		if len(q.Player) > maxText || len(q.Reason) > maxText {
			return nil, errors.New("the request has a text that is too long")
		}
		done, err := f(ctx, q)
		return matchAnswer{done}, err
	}
}

// ask asks the owner of a match. Local reports whether that is this host.
func (m *Matches) ask(name string, q question) (done, local bool, err error) {
	x, ok := m.lobby.Elsewhere(q.ID)
	if !ok {
		return false, true, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	var a matchAnswer
	err = m.peers.Request(ctx, x.Host, name, q, &a)
	return a.Done, false, err
}

// Find is Find of the lobby of this host.
func (m *Matches) Find(ctx context.Context, p lobby.Player, c lobby.Client, r protocol.LobbyFindMatch, changed func(lobby.Change)) error {
	return m.lobby.Find(ctx, p, c, r, changed)
}

// Reserve is Reserve of the lobby of the match's owner.
func (m *Matches) Reserve(id, player string) error {
	q := question{ID: id, Player: player}
	_, local, err := m.ask(reserveSeat, q)
	if !local {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	return m.reserve(ctx, q)
}

func (m *Matches) reserve(ctx context.Context, q question) error {
	if err := m.lobby.Reserve(q.ID, q.Player); err != nil {
		return err
	}
	m.peers.Published(ctx, q.ID) // the player can come by any host
	return nil
}

// Unreserve is Unreserve of the lobby of the match's owner. It returns false, too, if that
// host does not answer.
func (m *Matches) Unreserve(id, player string) bool {
	done, local, _ := m.ask(unreserveSeat, question{ID: id, Player: player})
	return done || local && m.lobby.Unreserve(id, player)
}

// Remove is Remove of the lobby of the match's owner. It returns false, too, if that host
// does not answer.
func (m *Matches) Remove(id, reason string) bool {
	done, local, _ := m.ask(removeMatch, question{ID: id, Reason: reason})
	return done || local && m.lobby.Remove(id, reason)
}

// Listings is the method of *lobby.Lobby.
func (m *Matches) Listings() []lobby.Listing { return m.lobby.Listings() }

// Playing is the method of *lobby.Lobby.
func (m *Matches) Playing(of *record.Fixture) (lobby.Listing, bool) {
	return m.lobby.Playing(of)
}

// Watch is the method of *lobby.Lobby.
func (m *Matches) Watch(id string, changed func(lobby.Change)) bool {
	return m.lobby.Watch(id, changed)
}

// decode decodes the body of a request. A field that this version does not know could
// change its meaning.
func decode(body []byte, v any) error {
	if len(body) > maxRequest {
		return errors.New("the request is too long")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("could not read the request: %w", err)
	}
	return nil
}
