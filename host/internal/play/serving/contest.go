package serving

import (
	"context"
	"errors"
	"slices"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// ContestMatch is a match of a contest.
type ContestMatch struct {
	Name     string // of the match: 1 to 24 printable ASCII characters
	Game     string
	Args     map[string]string
	Levels   []string        // of the bots; see protocol.GameParams
	Timeout  float64         // seconds for an answer; 0: the game's
	Clock    *protocol.Clock // nil: none
	Retries  int             // see protocol.GameParams
	NoHints  bool            // see lobby.Seats
	Players  []string        // by seat: the registered player, or "" for a bot of the game
	Versions []int           // by seat, if not nil: the version of the program that plays for the player; 0: none
	Seed     uint64
	Contest  *record.Fixture
	Grace    time.Duration   // for the players to join
	Created  func(id string) // if not nil, called when the match waits for them
}

// contestState is what a match of a contest adds to its assignment.
type contestState struct {
	players []string          // that need a connection, by seat, "" for others; nil if the match was adopted
	entries []int             // by seat, if the match was adopted
	until   time.Time         // the players must join before
	usual   time.Duration     // that a player has to join
	over    chan lobby.Change // the match has left the lobby; holds one: it leaves once
}

// connected returns the players that need a connection, by seat, and "" for the others:
// for bots, and for players whose programs the host runs.
func (f *ContestMatch) connected() []string {
	list := slices.Clone(f.Players)
	for i, version := range f.Versions {
		if version > 0 && i < len(list) {
			list[i] = ""
		}
	}
	return list
}

// stopped is the reason for the players if a waiting match of a contest is removed
// because its contest does not go on.
const stopped = "the contest no longer plays this match"

// Play plays a match of a contest, and returns when it has left the lobby: its record
// is durable then, or it has not started. Each seat is kept for its player, which can
// take it with any client. A player that serves the game is assigned its seat as soon
// as it has room for a match, even if it takes only challenges or has missed matches;
// no other match gets that room before. The limits of addresses do
// not apply.
//
// In a cluster, another host can have created a match of the same leg while it led. If
// that one has started, Play waits for its end instead of creating one; if it waits for
// players, Play removes it.
//
// A match waits before its grace begins while a player that serves the game has as many
// matches as it takes at once, for 10 minutes at most: it is present, and its match began
// before the contest, or belongs to another one. In the first seconds of a new leader it
// also waits for players that do not serve, because all have to come back.
//
// A program of Versions takes its seat when all others are taken, whether or not its player
// is connected.
//
// Absent are the players that did not join within the grace; the match has not started
// then. If ctx ends before the match starts, the match is removed and the cause is
// returned; a match that has started goes on, and Play waits for it unless this host no
// longer leads. The error is lobby.ErrFull if the lobby has no room, lobby.ErrClosed if the
// host stops, and ErrNotLeading if another one leads. After an error the match has no
// result, unless the host aborted it.
func (d *Desk) Play(ctx context.Context, f ContestMatch) (id string, absent []string, err error) {
	t, err := d.current()
	if err != nil {
		return "", nil, err
	}
	if id, over, err := d.playEarlier(ctx, t, f); over || err != nil {
		return id, nil, err
	}
	if err := d.awaitRoom(ctx, t, f); err != nil {
		return "", nil, err
	}
	a, id, err := d.arrange(ctx, t, f)
	if err != nil {
		return "", nil, err
	}
	if f.Created != nil {
		f.Created(id)
	}
	last, err := d.awaitEnd(ctx, t, a, id)
	switch {
	case err != nil:
		return id, nil, err
	case last.Info.Running:
		return id, nil, aborted(last)
	case last.Absent != nil:
		return id, last.Absent, nil
	case ctx.Err() != nil:
		return id, nil, context.Cause(ctx)
	case last.Reason == "" || t.ctx.Err() != nil:
		return id, nil, lobby.ErrClosed
	default:
		return id, nil, errors.New(last.Reason)
	}
}

// aborted returns why a match that ran is gone without a result: its host has died. It
// returns nil if that is not so.
func aborted(last lobby.Change) error {
	if last.Reason == "" {
		return nil
	}
	return errors.New(last.Reason)
}

// awaitEnd waits until a match of a contest has left the lobby. If ctx or the term ends
// before the match starts, it is removed. After the end of a term awaitEnd does not wait
// for a match that has started.
func (d *Desk) awaitEnd(ctx context.Context, t *term, a *assignment, id string) (last lobby.Change, err error) {
	select {
	case last = <-a.contest.over:
		return last, nil
	case <-ctx.Done():
		d.lobby.Remove(id, stopped) // unless it has started
	case <-t.ctx.Done():
		d.lobby.Remove(id, t.reason())
	}
	select {
	case last = <-a.contest.over:
		return last, nil
	case <-t.lost:
		return last, ErrNotLeading
	}
}

// maxBusy is how long a match of a contest waits for players that have no room for it.
const maxBusy = 10 * time.Minute

// awaitRoom waits until no player of a match is busy.
func (d *Desk) awaitRoom(ctx context.Context, t *term, f ContestMatch) error {
	timer := time.NewTimer(maxBusy)
	defer timer.Stop()
	for {
		changed := d.Changed() // before the look, to miss nothing
		wait := time.Until(t.back)
		if !d.busy(f, wait > 0) {
			return nil
		}
		var back <-chan time.Time
		if wait > 0 {
			back = time.After(wait)
		}
		select {
		case <-changed:
		case <-back:
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-t.ctx.Done():
			return t.refusal()
		}
	}
}

// busy reports whether a player of a match serves its game, but has no room for it, or
// does not serve and is expected to.
func (d *Desk) busy(f ContestMatch, expected bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(f.connected(), func(name string) bool {
		p := d.players[key(name)]
		if p == nil || p.conn == nil {
			return name != "" && expected
		}
		return slices.Contains(p.games, f.Game) && p.concurrency > 0 && p.fullLocked()
	})
}

// arrange creates a match of a contest, and assigns it to its players that serve and
// have room.
func (d *Desk) arrange(ctx context.Context, t *term, f ContestMatch) (a *assignment, id string, err error) {
	if t.ctx.Err() != nil {
		return nil, "", t.refusal()
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	a = &assignment{term: t, contest: &contestState{
		players: f.connected(), until: time.Now().Add(f.Grace), usual: min(f.Grace, d.limits.Accept), over: make(chan lobby.Change, 1),
	}}
	seats := &lobby.Seats{Order: f.Players, Programs: f.Versions, Seed: &f.Seed, Fixture: f.Contest, NoHints: f.NoHints, Within: f.Grace, Changed: func(ch lobby.Change) { d.changed(a, ch) }}
	size := len(f.Players)
	r := protocol.GameNew{Name: f.Name, Game: f.Game, Args: f.Args, Params: protocol.GameParams{Players: &size, Levels: f.Levels, Clock: f.Clock, Retries: f.Retries}}
	for _, name := range f.Players {
		if name == "" {
			r.Params.Bots++
		}
	}
	if f.Timeout != 0 {
		r.Params.Timeout = &f.Timeout
	}
	info, err := d.lobby.CreateFor(ctx, lobby.Client{}, r, seats)
	if err != nil {
		return nil, "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.info.ID == "" {
		a.info = info // nothing has changed since
	}
	if !a.gone {
		t.created[info.ID] = true
	}
	if a.gone || a.info.Running || a.term != d.term {
		return a, info.ID, nil
	}
	for _, name := range a.contest.players {
		if name != "" {
			d.contests[key(name)] = append(d.contests[key(name)], a)
			d.tryLocked(d.players[key(name)])
		}
	}
	return a, info.ID, nil
}

// assignContestsLocked assigns a player the seats of contests that wait for it, while it has
// room. The player can be nil.
func (d *Desk) assignContestsLocked(p *player) {
	if p == nil || !d.worksLocked() {
		return
	}
	for _, a := range d.contests[key(p.name)] {
		if p.conn == nil || p.fullLocked() {
			return
		}
		if a.gone || p.matches[a] != nil || !a.keepsLocked(p) || !slices.Contains(p.games, a.info.Game) {
			continue
		}
		s := &seat{deadline: a.contest.until, kept: true, short: time.Until(a.contest.until) < a.contest.usual/2}
		d.countLocked(a, p, s)
		d.stats.Assigned++
		d.assignLocked(a, p, s)
	}
}

// contestChangedLocked handles a change of a match of a contest.
func (d *Desk) contestChangedLocked(a *assignment, ch lobby.Change) {
	if !ch.Gone && !ch.Info.Running {
		for _, name := range ch.Info.Reserved { // one that joined without being assigned can have left
			d.tryLocked(d.players[key(name)])
		}
		return
	}
	for _, name := range a.contest.players {
		k := key(name)
		d.contests[k] = slices.DeleteFunc(d.contests[k], func(x *assignment) bool { return x == a })
		if len(d.contests[k]) == 0 {
			delete(d.contests, k)
		}
	}
	if ch.Gone {
		delete(a.term.created, ch.Info.ID)
		a.contest.over <- ch // once: changed ignores what follows
	}
}
