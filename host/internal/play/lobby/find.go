package lobby

import (
	"context"
	"errors"
	"maps"
	"slices"

	"colosseum/host/internal/games/catalog"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

var errFind = errors.New("a match that is found has no password and no opponents, and is no rematch: create it with GameNew")

// Find gives a player a seat in the oldest waiting match that Find created for the
// same settings, or in a new one. Two clients that call it with the same settings
// therefore meet. A client meets neither its own player nor its own name. Changed is
// called for the changes of a new match; see Seats. The error is for the client.
func (l *Lobby) Find(ctx context.Context, p Player, c Client, r protocol.LobbyFindMatch, changed func(Change)) error {
	if r.New.Password != nil || r.New.Verification != nil || len(r.New.Opponents) > 0 || r.New.Rematch != "" || r.New.Branch != nil {
		return errFind
	}
	if err := checkUsername(r.Name); err != nil {
		return err
	}
	e := &entry{}
	offer, release, err := l.hold(r.New.Game, func() { l.replaced(e) })
	if err != nil {
		return err
	}
	created := false
	defer func() {
		if !created {
			release()
		}
	}()
	settings, err := l.prepare(ctx, c.Address, offer, r.New)
	if err != nil {
		return err
	}
	if settings.Bots == settings.Players {
		return errAllBots
	}
	standard, err := l.isDefault(ctx, offer, settings, r.New)
	if err != nil {
		return err
	}
	// Each version of the game completes the request in its own way, so it is
	// compared with a match in the settings of the match's version.
	search := search{client: c, request: r, settings: map[string]*driver.Settings{offer.Version: &settings}}
	for {
		other, err := func() (*catalog.Offer, error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			if !l.takes() {
				return nil, ErrRecords
			}
			waiting, other := search.firstLocked(l.found[offer.Name])
			if other != nil {
				return other, nil
			}
			if waiting == nil {
				if c.AllowNew != nil {
					if err := c.AllowNew(); err != nil {
						return nil, err
					}
				}
				if err := l.addLocked(e, c.Address, offer, release, settings, r.New, nil); err != nil {
					return nil, err
				}
				created = true
				e.changed, e.found, e.standard = changed, true, standard
				l.found[offer.Name] = append(l.found[offer.Name], e)
				waiting = e
			}
			if waiting.openLocked() == 0 { // a player that was assigned and has not joined gives way
				last := len(waiting.info.Reserved) - 1
				l.unreserveLocked(waiting, waiting.info.Reserved[last])
			}
			l.takeLocked(waiting, p, c, r.Name)
			return nil, nil
		}()
		if other == nil || err != nil {
			return err
		}
		theirs, err := l.prepare(ctx, c.Address, other, r.New)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		search.settings[other.Version] = nil // that version refuses the request, unless err is nil
		if err == nil {
			search.settings[other.Version] = &theirs
		}
	}
}

// isDefault reports whether the settings of a request are the game's defaults.
func (l *Lobby) isDefault(ctx context.Context, offer *catalog.Offer, settings driver.Settings, r protocol.GameNew) (bool, error) {
	switch p := r.Params; {
	case p.Clock != nil || len(p.Levels) > 0 || p.Retries > 0 || p.Seat != 0:
		return false, nil
	case p.Players == nil && p.Bots == 0 && p.Timeout == nil && len(r.Args) == 0:
		return true, nil
	}
	usual, err := l.prepare(ctx, "", offer, protocol.GameNew{Name: r.Name})
	return same(usual, settings), err
}

// search is a client's search for a match.
type search struct {
	client   Client
	request  protocol.LobbyFindMatch
	settings map[string]*driver.Settings // of the request, by version of the game; nil: that version refuses it
}

// firstLocked returns the first match with the settings of the search. If they are not
// known for the version of an earlier match, it returns the offer of that
// match instead.
func (s *search) firstLocked(waiting []*entry) (*entry, *catalog.Offer) {
	for _, e := range waiting {
		if slices.Contains(e.info.Connected, s.request.Name) || s.client.Player != "" && (e.hasLocked(s.client.Player) || slices.Contains(e.lost, s.client.Player)) ||
			!sameClock(e.info.Clock, s.request.New.Params.Clock) || !slices.Equal(e.info.Levels, s.request.New.Params.Levels) || e.info.Retries != s.request.New.Params.Retries {
			continue
		}
		settings, known := s.settings[e.offer.Version]
		if !known {
			return nil, e.offer
		}
		if settings != nil && same(*settings, e.settings) {
			return e, nil
		}
	}
	return nil, nil
}

func same(a, b driver.Settings) bool {
	return a.Players == b.Players && a.Bots == b.Bots && a.Timeout == b.Timeout && maps.Equal(a.Params, b.Params)
}

func sameClock(a, b *protocol.Clock) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// forgetLocked takes a match out of those that Find finds.
func (l *Lobby) forgetLocked(e *entry) {
	if !e.found {
		return
	}
	game := e.info.Game
	l.found[game] = slices.DeleteFunc(l.found[game], func(x *entry) bool { return x == e })
	if len(l.found[game]) == 0 {
		delete(l.found, game)
	}
}
