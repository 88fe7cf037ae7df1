package lobby

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// Errors of Create for the client. Programs compare the texts of the first two.
var (
	ErrFull       = errors.New("Server is at maximum capacity")
	errAllBots    = errors.New("Cannot have all server bots")
	errNoPassword = errors.New(`"***" is not a valid password: use 0 to 32 printable ASCII characters without spaces`)
	errBotMatches = errors.New("too many matches of bots alone are running: try again when one has ended")
	errWaiting    = errors.New("too many matches created from your address wait for players: let some of them begin or expire")
	ErrRecords    = errors.New("the host cannot write its records now: try again later")
	ErrClosed     = errors.New("the server is shutting down: try again later")
)

// Client is the client that makes a request.
type Client struct {
	Address string // empty: no limits of addresses apply
	Player  string // its registered player; empty: none

	Hints func(protocol.MatchQuestion) // see match.Participant; nil: the client wants no hints
	Sent  func(line string)            // see match.Participant; nil: the client cannot join a branch

	// AllowNew returns why the client cannot create a match now. Find calls it if
	// it must create one, with the lobby locked. Nil: the client can.
	AllowNew func() error
}

// Create opens a match that waits for players, and returns its ID. The error is
// for the client.
func (l *Lobby) Create(ctx context.Context, c Client, r protocol.GameNew) (id string, err error) {
	info, err := l.CreateFor(ctx, c, r, nil)
	return info.ID, err
}

// CreateFor is Create for a match with seats that are kept, unless seats is nil. It
// returns the match as it was created. If it is a rematch and another one of the same
// match waits or runs, that one is returned, and none is created.
func (l *Lobby) CreateFor(ctx context.Context, c Client, r protocol.GameNew, seats *Seats) (info protocol.MatchInfo, err error) {
	// Hold the version first, so that e counts when it is replaced.
	e := &entry{}
	offer, release, err := l.hold(r.Game, func() { l.replaced(e) })
	if err != nil {
		return protocol.MatchInfo{}, err
	}
	if seats.programsAlone() { // a pause would keep their core idle
		r.Args = maps.Clone(r.Args)
		if r.Args == nil {
			r.Args = map[string]string{}
		}
		offer.Unpace(r.Args)
	}
	settings, err := l.prepare(ctx, c.Address, offer, r)
	if err == nil {
		err = seats.check(settings)
	}
	if err == nil && seats != nil && seats.begin != nil {
		err = seats.begin(ctx, offer, settings)
	}
	if err == nil {
		err = checkSeat(r.Params.Seat, settings, seats)
	}
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if seats != nil && seats.Rematch != "" {
			if info, ok := l.rematchLocked(seats.Rematch); ok {
				release()
				return info, nil
			}
		}
		err = l.addLocked(e, c.Address, offer, release, settings, r, seats)
	}
	if err != nil {
		release()
		return protocol.MatchInfo{}, err
	}
	return e.info, nil
}

// hold finds a game and keeps its version alive until release is called.
// Replaced is called when a newer version has replaced it.
func (l *Lobby) hold(game string, replaced func()) (offer *catalog.Offer, release func(), err error) {
	return catalog.Hold(l.games.Find, game, replaced)
}

// prepare checks a request, first against the rules of the lobby, then against
// those of the game, and returns the settings of the match.
func (l *Lobby) prepare(ctx context.Context, from string, offer *catalog.Offer, r protocol.GameNew) (driver.Settings, error) {
	if !printable(r.Name, 1, 24, true) {
		return driver.Settings{}, fmt.Errorf("%q is not a valid game name: use 1 to 24 printable ASCII characters", shorten(r.Name))
	}
	if r.Verification != nil {
		if err := l.checkVerification(from, *r.Verification); err != nil {
			return driver.Settings{}, err
		}
	}
	if r.Password != nil && !printable(*r.Password, 0, 32, false) {
		return driver.Settings{}, errNoPassword
	}
	if t := r.Params.Timeout; t != nil && !(*t >= driver.MinTimeout && *t <= driver.MaxTimeout) {
		return driver.Settings{}, fmt.Errorf("Timeout %v out of allowed range [%v; %v]", *t, driver.MinTimeout, driver.MaxTimeout)
	}
	if err := protocol.CheckRetries(r.Params.Retries); err != nil {
		return driver.Settings{}, err
	}
	timeout := r.Params.Timeout
	if c := r.Params.Clock; c != nil {
		if err := c.Check(); err != nil {
			return driver.Settings{}, err
		}
		if timeout == nil {
			timeout = new(c.Timeout(offer.Timeout))
		}
	}
	// These bounds are those of all games. The game itself checks the rest, even 0.
	if p := r.Params.Players; p != nil && (*p < 0 || *p > driver.MaxSeats) {
		return driver.Settings{}, fmt.Errorf("Cannot create game: Cannot create game with %d players: a match has from 1 to %d players", *p, driver.MaxSeats)
	}
	if n := r.Params.Bots; n < 0 || n > driver.MaxSeats {
		return driver.Settings{}, fmt.Errorf("Cannot create game: Cannot create game with %d bots: a match has from 0 to %d bots", n, driver.MaxSeats)
	}
	if p := r.Params.Players; p != nil && *p > 0 && r.Params.Bots > *p {
		return driver.Settings{}, errAllBots
	}
	settings, err := offer.Prepare(ctx, driver.Request{Players: r.Params.Players, Bots: r.Params.Bots, Levels: r.Params.Levels, Timeout: timeout, Args: r.Args})
	switch {
	case err != nil && err.Error() == errAllBots.Error():
		return driver.Settings{}, errAllBots
	case err != nil:
		return driver.Settings{}, fmt.Errorf("Cannot create game: %w", err)
	case settings.Bots > settings.Players:
		return driver.Settings{}, errAllBots
	}
	return settings, nil
}

// alike returns the last map if m has the same elements, or else m, which then is the last. Matches
// that are created one after the other mostly have the same parameters, which nobody changes,
// so they share the memory of these.
func alike(last *map[string]string, m map[string]string) map[string]string {
	if *last == nil || m == nil || !maps.Equal(*last, m) { // clients see the difference of nil and none
		*last = m
	}
	return *last
}

// addLocked adds a match to the lobby.
func (l *Lobby) addLocked(e *entry, from string, offer *catalog.Offer, release func(), settings driver.Settings, r protocol.GameNew, seats *Seats) error {
	if r.Args == nil {
		r.Args = map[string]string{}
	}
	bots := settings.Bots == settings.Players && (seats == nil || seats.Fixture == nil)
	switch {
	case l.closed:
		return ErrClosed
	case !l.takes():
		return ErrRecords
	case bots && l.limits.BotMatches == 0:
		return errAllBots
	case bots && l.botMatches >= l.limits.BotMatches:
		l.refused[LimitBotMatches]++
		return errBotMatches
	case l.programs == nil && seats != nil && seats.hosted(time.Time{}) != nil:
		return ErrNoPrograms
	case len(l.entries) >= l.limits.Matches:
		l.refused[LimitMatches]++
		return ErrFull
	case from != "" && l.limits.Waiting > 0 && l.waiting[from] >= l.limits.Waiting:
		l.refused[LimitWaiting]++
		return errWaiting
	}
	r.Args, settings.Params = alike(&l.args, r.Args), alike(&l.params, settings.Params)
	expiry := l.limits.Expiry
	if seats != nil {
		expiry = seats.Within
	}
	expires := time.Now().Add(expiry)
	*e = entry{
		replaced: e.replaced,
		expires:  expires, bots: bots, from: from, offer: offer, release: release, settings: settings, password: digest(r.Password), seat: r.Params.Seat,
		spectators: map[Spectator]int{},
		info: protocol.MatchInfo{
			Players: settings.Players, Bots: settings.Bots, Levels: r.Params.Levels, Retries: r.Params.Retries, Timeout: settings.Timeout, Clock: r.Params.Clock, Args: r.Args, ID: record.NewID(),
			Name: r.Name, Game: offer.Name, Connected: []string{}, Password: r.Password != nil, Verified: r.Verification != nil,
			Time: expires.Unix(),
		},
	}
	if seats != nil {
		e.noHints = seats.NoHints
		e.fixed, e.changed, e.info.Reserved = true, seats.Changed, seats.players()
		e.order, e.names, e.seed, e.fixture = seats.order(), slices.Clone(seats.Names), seats.Seed, seats.Fixture
		e.info.Rematch = seats.Rematch
		e.begin, e.branch, e.info.Branch = seats.Begin, seats.Branch, (*protocol.Branch)(seats.Branch)
		if e.fixture != nil {
			e.info.Contest = e.fixture.Contest
		}
		if e.hosted = seats.hosted(expires); e.hosted != nil {
			e.hosted.ctx, e.hosted.gone = context.WithCancel(context.Background()) // the match can outlive l.ctx by the time of its end
		}
	}
	l.entries[e.info.ID] = e
	l.generation.Add(1)
	l.fixtureChangedLocked(e.fixture)
	l.countersLocked(e.info.Game).created++
	if from != "" {
		l.waiting[from]++
	}
	e.expiry = time.AfterFunc(expiry, func() { l.expire(e) })
	if e.replaced > 0 {
		l.moveLocked(e)
	}
	l.feedLocked(protocol.Encode(protocol.NameLobbyNew, protocol.LobbyEvent{Info: e.info}))
	l.publishLocked(e, Change{})
	l.log.Info("match created", "match", e.info.ID, "game", e.info.Game, "players", e.info.Players, "bots", e.info.Bots)
	if bots {
		l.botMatches++
	}
	if e.info.Bots == e.info.Players {
		l.startLocked(e)
		return nil
	}
	l.callLocked(e)
	return nil
}
