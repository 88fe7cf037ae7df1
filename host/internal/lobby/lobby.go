// Package lobby keeps the matches that wait for players and those that run:
// who may join, when a match starts, and when one that waits expires.
package lobby

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/guess"
	"colosseum/host/internal/match"
	"colosseum/host/internal/store"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// Limits of the lobby.
type Limits struct {
	Matches int           // waiting and running together
	Expiry  time.Duration // of a waiting match, after the last join or leave
	Waiting int           // that one address may have created and that wait; 0: any number
	Stall   time.Duration // a referee that is silent for so long is aborted
	Guesses guess.Limits  // of passwords
}

// Games is where the lobby finds games.
type Games interface {
	Find(name string) (*catalog.Offer, error)
}

// Player is a client that joined a match. Its methods do not block, and are
// called with the lobby locked: they must not call it.
type Player interface {
	match.Player
	// Joined confirms the seat, before any Update.
	Joined(info protocol.MatchInfo)
	// Update brings news of the waiting match, as an encoded LobbyUpdate.
	Update(message []byte)
	// Started says that the match begins; the player holds the given seat.
	Started(m *match.Match, seat int)
	// Expired says that the match did not come about; reason, if it is not
	// empty, why it ended before its time.
	Expired(id, reason string)
}

// Spectator is a client that watches a match. The rules are those of Player.
type Spectator interface {
	// Watching confirms; when the match runs already, stream is not nil.
	Watching(info protocol.MatchInfo, stream *match.Stream)
	Update(message []byte)
	// Playing says that the match begins.
	Playing(stream *match.Stream)
	Expired(id, reason string)
}

// Subscriber takes the live feed of the lobby, as encoded messages. Feed does
// not block, and is called with the lobby locked.
type Subscriber interface{ Feed(message []byte) }

// subscription is what a subscriber has missed while its list was made.
type subscription struct {
	seeded bool
	missed []news
}

// news is a message of the feed, and the generation that it led to.
type news struct {
	generation uint64
	message    []byte
}

// Lobby holds all matches that have not ended.
type Lobby struct {
	games    Games
	recorder match.Recorder
	verify   [sha256.Size]byte // hash of the verification password
	guesses  *guess.Limiter    // of passwords
	log      *slog.Logger

	running sync.WaitGroup     // matches
	ctx     context.Context    // of all matches
	abort   context.CancelFunc // ends ctx

	// generation counts changes of the list. It grows with mu held, before anybody
	// is told of the change, and is read without.
	generation atomic.Uint64

	mu          sync.Mutex // guards the fields below
	entries     map[string]*entry
	subscribers map[Subscriber]*subscription
	limits      Limits
	waiting     map[string]int      // matches that wait, by their creator's address; none: no entry
	tallied     map[string]*tallied // by game
	refused     map[string]uint64   // by limit
	closed      bool
}

// entry is one match. The lobby's mu guards it.
type entry struct {
	info       protocol.MatchInfo
	from       string // the creator's address, while the match counts as waiting; or empty
	offer      *catalog.Offer
	release    func()             // lets the offer's version of the game go
	replaced   int                // how often that was replaced by a newer one
	moving     context.CancelFunc // ends the last move to a newer one; nil: there was none
	settings   driver.Settings
	password   *[sha256.Size]byte // nil: none
	players    []Player           // beside info.Connected
	spectators map[Spectator]struct{}
	expires    time.Time // while it waits; info.Time is the same for clients
	expiry     *time.Timer
	stream     *match.Stream
	match      *match.Match // nil: it waits
}

// New returns an empty lobby. Close ends it.
func New(games Games, recorder match.Recorder, limits Limits, verification string, log *slog.Logger) *Lobby {
	ctx, abort := context.WithCancel(context.Background())
	return &Lobby{
		games: games, recorder: recorder, limits: limits, verify: sha256.Sum256([]byte(verification)), log: log,
		guesses: guess.New(limits.Guesses), ctx: ctx, abort: abort, entries: map[string]*entry{}, subscribers: map[Subscriber]*subscription{},
		waiting: map[string]int{}, tallied: map[string]*tallied{}, refused: map[string]uint64{},
	}
}

// SetLimits changes the limits for matches and expiries to come.
func (l *Lobby) SetLimits(limits Limits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limits = limits
	l.guesses.SetLimits(limits.Guesses)
}

// Errors that a client's request meets; their texts are known to programs.
var (
	errFull       = errors.New("Server is at maximum capacity")
	errAllBots    = errors.New("Cannot have all server bots")
	errNoPassword = errors.New(`"***" is not a valid password: use 0 to 32 printable ASCII characters without spaces`)
	errWaiting    = errors.New("too many matches created from your address wait for players: let some of them begin or expire")
	errClosed     = errors.New("the server is shutting down: try again later")
)

// Create opens a match that waits for players, and returns its ID. From is the
// address of who asks, to which a limit applies; empty: no limit does.
func (l *Lobby) Create(ctx context.Context, from string, r protocol.GameNew) (string, error) {
	// The match is played on this version of the game, whatever comes meanwhile.
	e := &entry{}
	offer, release, err := l.hold(r.Game, func() { l.replaced(e) })
	if err != nil {
		return "", err
	}
	settled := false
	defer func() {
		if !settled {
			release()
		}
	}()
	if !printable(r.Name, 1, 24, true) {
		return "", fmt.Errorf("%q is not a valid game name: use 1 to 24 printable ASCII characters", shorten(r.Name))
	}
	if r.Verification != nil {
		if err := l.verified(from, *r.Verification); err != nil {
			return "", err
		}
	}
	if r.Password != nil && !printable(*r.Password, 0, 32, false) {
		return "", errNoPassword
	}
	password := digest(r.Password)
	if t := r.Params.Timeout; t != nil && !(*t >= sdk.MinTimeout && *t <= sdk.MaxTimeout) {
		return "", fmt.Errorf("Timeout %v out of allowed range [%v; %v]", *t, sdk.MinTimeout, sdk.MaxTimeout)
	}
	// No game has other numbers; what is 0 or too much for this one, it says itself.
	if p := r.Params.Players; p != nil && (*p < 0 || *p > sdk.MaxSeats) {
		return "", fmt.Errorf("Cannot create game: Cannot create game with %d players: a match has from 1 to %d players", *p, sdk.MaxSeats)
	}
	if n := r.Params.Bots; n < 0 || n > sdk.MaxSeats {
		return "", fmt.Errorf("Cannot create game: Cannot create game with %d bots: a match has from 0 to %d bots", n, sdk.MaxSeats-1)
	}
	if p := r.Params.Players; p != nil && *p > 0 && r.Params.Bots >= *p {
		return "", errAllBots
	}
	settings, err := offer.Prepare(ctx, driver.Request{Players: r.Params.Players, Bots: r.Params.Bots, Timeout: r.Params.Timeout, Args: r.Args})
	switch {
	case err != nil && err.Error() == errAllBots.Error(): // the game says the same of its default players
		return "", errAllBots
	case err != nil:
		return "", fmt.Errorf("Cannot create game: %w", err)
	}
	if settings.Bots >= settings.Players {
		return "", errAllBots
	}
	args := r.Args
	if args == nil {
		args = map[string]string{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	expires := time.Now().Add(l.limits.Expiry)
	*e = entry{
		replaced: e.replaced,
		expires:  expires, from: from, offer: offer, release: release, settings: settings, password: password, spectators: map[Spectator]struct{}{}, stream: match.NewStream(),
		info: protocol.MatchInfo{
			Players: settings.Players, Bots: settings.Bots, Timeout: settings.Timeout, Args: args, ID: newID(),
			Name: r.Name, Game: offer.Name, Connected: []string{}, Password: password != nil, Verified: r.Verification != nil,
			Time: expires.Unix(),
		},
	}
	switch {
	case l.closed:
		return "", errClosed
	case len(l.entries) >= l.limits.Matches:
		l.refused[LimitMatches]++
		return "", errFull
	case from != "" && l.limits.Waiting > 0 && l.waiting[from] >= l.limits.Waiting:
		l.refused[LimitWaiting]++
		return "", errWaiting
	}
	settled = true
	l.entries[e.info.ID] = e
	l.generation.Add(1)
	l.count(e.info.Game).created++
	if from != "" {
		l.waiting[from]++
	}
	e.expiry = time.AfterFunc(l.limits.Expiry, func() { l.expire(e) })
	if e.replaced > 0 {
		l.move(e)
	}
	l.feed(protocol.Encode(protocol.NameLobbyNew, protocol.LobbyEvent{Info: e.info}))
	l.log.Info("match created", "match", e.info.ID, "game", e.info.Game, "players", e.info.Players, "bots", e.info.Bots)
	return e.info.ID, nil
}

// hold finds a game and keeps its version alive until release is called. Replaced
// is called when a newer one has come.
func (l *Lobby) hold(game string, replaced func()) (offer *catalog.Offer, release func(), err error) {
	for {
		if offer, err = l.games.Find(game); err != nil {
			return nil, nil, err
		}
		if release, ok := offer.Hold(replaced); ok {
			return offer, release, nil
		}
		// A new version has come in this moment: it is the one to find now.
	}
}

// List returns all matches, the oldest waiting ones last.
func (l *Lobby) List() []protocol.MatchInfo {
	infos, _ := l.Snapshot()
	return infos
}

// Generation tells lists apart: one that was taken after a call of Generation
// holds as long as Generation returns the same.
func (l *Lobby) Generation() uint64 { return l.generation.Load() }

// Snapshot returns what List does, and its generation.
func (l *Lobby) Snapshot() (infos []protocol.MatchInfo, generation uint64) {
	l.mu.Lock()
	infos, generation = make([]protocol.MatchInfo, 0, len(l.entries)), l.generation.Load()
	for _, e := range l.entries {
		infos = append(infos, e.info)
	}
	l.mu.Unlock() // matches need not wait while this is sorted
	sort.Slice(infos, func(i, j int) bool {
		if infos[i].Time != infos[j].Time {
			return infos[i].Time < infos[j].Time
		}
		return infos[i].ID < infos[j].ID
	})
	return infos, generation
}

// Info returns one match that waits or runs.
func (l *Lobby) Info(id string) (protocol.MatchInfo, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	if e == nil {
		return protocol.MatchInfo{}, false
	}
	return e.info, true
}

// Clocks tells how long the players of a running match have left, by name,
// whose answers are due; and whether the match is running.
func (l *Lobby) Clocks(id string) (left map[string]time.Duration, running bool) {
	l.mu.Lock()
	e := l.entries[id]
	var m *match.Match
	if e != nil {
		m = e.match
	}
	l.mu.Unlock()
	if m == nil {
		return nil, false
	}
	return m.Clocks(), true
}

// Subscribe feeds a subscriber with all changes that follow a list. Seed gives it
// the list, of Snapshot, and returns the list's generation; it is called without
// the lobby locked, since writing a long list takes its time. Meanwhile changes
// wait.
func (l *Lobby) Subscribe(s Subscriber, seed func() (generation uint64)) {
	l.mu.Lock()
	sub := &subscription{}
	l.subscribers[s] = sub
	l.mu.Unlock()
	generation := seed()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.subscribers[s] != sub {
		return // it has left again
	}
	for _, n := range sub.missed {
		if n.generation > generation {
			s.Feed(n.message)
		}
	}
	sub.seeded, sub.missed = true, nil
}

// Unsubscribe ends Subscribe; no message is fed after it.
func (l *Lobby) Unsubscribe(s Subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.subscribers, s)
}

// Join gives a player a seat in a waiting match, and starts the match with the
// last one. From is the address of the player, as for Create. The player has
// been told everything when Join returns.
func (l *Lobby) Join(p Player, from string, r protocol.LobbyJoinMatch) error {
	given := digest(r.Password)
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.find(r.ID)
	if err != nil {
		return err
	}
	if e.info.Running {
		return fmt.Errorf("Game %q is already running", r.ID)
	}
	if !printable(r.Name, 1, 16, false) || strings.Contains(r.Name, "$") {
		return fmt.Errorf("%q is not a valid username: use 1 to 16 printable ASCII characters without spaces and $", shorten(r.Name))
	}
	if err := l.admitted(from, e, given); err != nil {
		return err
	}
	for _, name := range e.info.Connected {
		if name == r.Name {
			return fmt.Errorf("Username %q already taken", r.Name)
		}
	}
	e.players = append(e.players, p)
	// Infos that were handed out share the old slice: never change it.
	e.info.Connected = append(append([]string{}, e.info.Connected...), r.Name)
	l.touch(e)
	l.generation.Add(1)
	p.Joined(e.info)
	l.update(e)
	if len(e.players)+e.info.Bots == e.info.Players {
		l.start(e)
	}
	return nil
}

// Leave takes a player out of a match that still waits. It tells whether the
// player had a seat in one.
func (l *Lobby) Leave(p Player, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	if e == nil || e.info.Running {
		return false
	}
	for i := range e.players {
		if e.players[i] == p {
			e.players = append(e.players[:i:i], e.players[i+1:]...)
			e.info.Connected = append(append([]string{}, e.info.Connected[:i]...), e.info.Connected[i+1:]...)
			l.touch(e)
			l.generation.Add(1)
			l.update(e)
			return true
		}
	}
	return false
}

// Spectate lets a client watch a match.
func (l *Lobby) Spectate(s Spectator, id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.find(id)
	if err != nil {
		return err
	}
	e.spectators[s] = struct{}{}
	e.info.Spectators = len(e.spectators)
	l.generation.Add(1)
	if e.info.Running {
		s.Watching(e.info, e.stream)
	} else {
		s.Watching(e.info, nil)
	}
	l.update(e)
	return nil
}

// Unspectate ends Spectate.
func (l *Lobby) Unspectate(s Spectator, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	if e == nil {
		return
	}
	if _, ok := e.spectators[s]; ok {
		delete(e.spectators, s)
		e.info.Spectators = len(e.spectators)
		l.generation.Add(1)
		l.update(e)
	}
}

// Close refuses new matches and waits for the running ones until ctx ends;
// what still runs then is aborted. It returns when all records are durable.
func (l *Lobby) Close(ctx context.Context) {
	l.mu.Lock()
	l.closed = true
	for _, e := range l.entries {
		if !e.info.Running {
			l.remove(e, "")
		}
	}
	l.mu.Unlock()
	done := make(chan struct{})
	go func() { // ends with the last match
		l.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		l.abort()
		<-done
	}
	l.abort()
}

// find looks a match up. Called with mu held, as all that follow.
func (l *Lobby) find(id string) (*entry, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("Invalid ID: %q is not 13 characters of 0-9 and a-v", shorten(id))
	}
	e := l.entries[id]
	if e == nil {
		return nil, fmt.Errorf("Game %q does not exists", id)
	}
	return e, nil
}

// touch puts the expiry off.
func (l *Lobby) touch(e *entry) {
	// The time comes first: a timer that fires before it would change nothing.
	e.expires = time.Now().Add(l.limits.Expiry)
	e.info.Time = e.expires.Unix()
	e.expiry.Reset(l.limits.Expiry)
}

// update tells everybody who wants to know that a match has changed: while it
// waits its players and spectators, and always those who watch the lobby.
func (l *Lobby) update(e *entry) {
	message := protocol.Encode(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: e.info})
	l.feed(message)
	if e.info.Running && e.players == nil {
		return
	}
	for _, p := range e.players {
		p.Update(message)
	}
	for s := range e.spectators {
		s.Update(message)
	}
}

func (l *Lobby) feed(message []byte) {
	for s, sub := range l.subscribers {
		if sub.seeded {
			s.Feed(message)
		} else {
			sub.missed = append(sub.missed, news{l.generation.Load(), message}) // for as long as its list is made
		}
	}
}

func (l *Lobby) expire(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The timer may have fired while a join put it off.
	if l.entries[e.info.ID] == e && !e.info.Running && !time.Now().Before(e.expires) {
		l.log.Info("match expired", "match", e.info.ID)
		l.count(e.info.Game).expired++
		l.remove(e, "")
	}
}

// remove takes a waiting match out of the lobby. Reason may be empty.
func (l *Lobby) remove(e *entry, reason string) {
	e.settle()
	l.waitsNoMore(e)
	delete(l.entries, e.info.ID)
	l.generation.Add(1)
	e.release()
	for _, p := range e.players {
		p.Expired(e.info.ID, reason)
	}
	for s := range e.spectators {
		s.Expired(e.info.ID, reason)
	}
	l.feed(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: e.info.ID, Reason: reason}))
}

// waitsNoMore takes a match off its creator's waiting ones.
func (l *Lobby) waitsNoMore(e *entry) {
	if e.from == "" {
		return
	}
	if l.waiting[e.from]--; l.waiting[e.from] == 0 {
		delete(l.waiting, e.from)
	}
	e.from = ""
}

// start turns a waiting match into a running one.
func (l *Lobby) start(e *entry) {
	e.settle()
	l.waitsNoMore(e)
	e.info.Running = true
	e.info.Time = time.Now().Unix()
	l.generation.Add(1)
	l.update(e)
	seats := make([]match.Seat, 0, e.info.Players)
	for i, p := range e.players {
		seats = append(seats, match.Seat{Name: e.info.Connected[i], Player: p})
	}
	for i := range e.info.Bots {
		seats = append(seats, match.Seat{Name: fmt.Sprintf("ServerBot$%d", i)})
	}
	// The process may have died and been started again since.
	if now, release, err := l.hold(e.offer.Name, func() {}); err == nil {
		if now.Version == e.offer.Version {
			e.offer, e.release, release = now, release, e.release
		}
		release()
	}
	log := l.log.With("match", e.info.ID, "game", e.info.Game)
	m, places := match.New(match.Config{
		Record: store.Record{
			ID: e.info.ID, Name: e.info.Name, Game: e.offer.Name, Plugin: e.offer.Plugin, Version: e.offer.Version,
			Args: e.info.Args, Params: e.settings.Params, Timeout: e.info.Timeout, Seed: newSeed(), Verified: e.info.Verified,
		},
		Seats: seats, Game: e.offer.Engine, Recorder: l.recorder, Stream: e.stream, Stall: l.limits.Stall, Log: log,
		Over: func() { l.end(e) }, Stuck: e.offer.Stuck, Totals: &l.count(e.info.Game).totals,
	})
	e.match = m
	for i, p := range e.players {
		p.Started(m, places[i])
	}
	e.players = nil
	for s := range e.spectators {
		s.Playing(e.stream)
	}
	l.running.Add(1)
	log.Info("match started")
	go func() { // ends with the match
		defer l.running.Done()
		m.Run(l.ctx)
	}()
}

// end forgets a match whose record is durable, before its players are told: a
// client that reads that its match has ended does not find it in the lobby.
func (l *Lobby) end(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.entries, e.info.ID)
	l.generation.Add(1)
	e.release()
	l.feed(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: e.info.ID}))
}

var idEncoding = base32.HexEncoding.WithPadding(base32.NoPadding)

// newID returns 8 random bytes in lower-case base32hex.
func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(idEncoding.EncodeToString(b[:]))
}

func newSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

// ValidID tells whether a text has the form of a match's ID.
func ValidID(id string) bool {
	if len(id) != 13 {
		return false
	}
	for _, c := range id {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'v') {
			return false
		}
	}
	return true
}

// printable tells whether a text has min to max printable ASCII characters.
func printable(s string, min, max int, spaces bool) bool {
	if len(s) < min || len(s) > max {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == ' ' && !spaces {
			return false
		}
	}
	return true
}

// shorten keeps what a stranger sent from filling a message.
func shorten(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
