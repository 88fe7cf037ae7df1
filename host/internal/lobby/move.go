package lobby

import (
	"context"
	"errors"

	"colosseum/host/internal/catalog"
	"colosseum/sdk/driver"
)

// replaced is called when a newer version of a match's game has come. One that
// waits moves there, so that no version lives on for the sake of a match that has
// not begun.
func (l *Lobby) replaced(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.replaced++
	if l.entries[e.info.ID] == e {
		l.move(e)
	}
}

// move begins to move a match, when it waits. Called with mu held.
func (l *Lobby) move(e *entry) {
	if l.closed || e.info.Running {
		return
	}
	if e.moving != nil {
		e.moving() // to a version that has been replaced as well
	}
	ctx, cancel := context.WithCancel(l.ctx)
	e.moving = cancel
	number, players, timeout := e.replaced, e.info.Players, e.info.Timeout
	request := driver.Request{Players: &players, Bots: e.info.Bots, Timeout: &timeout, Args: e.info.Args}
	l.running.Add(1)
	go func() { // ends with the game's answer, or when the match waits no more
		defer l.running.Done()
		defer cancel()
		offer, release, err := l.hold(e.info.Game, func() { l.replaced(e) })
		var settings driver.Settings
		if err == nil {
			settings, err = offer.Prepare(ctx, request)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if ctx.Err() == nil && e.replaced == number {
			release = l.moved(e, offer, release, settings, err)
		}
		if release != nil {
			release()
		}
	}()
}

// moved takes a newer version's answer to a match that waits, and returns what
// is to be released. Called with mu held.
func (l *Lobby) moved(e *entry, offer *catalog.Offer, release func(), settings driver.Settings, err error) func() {
	log := l.log.With("match", e.info.ID, "game", e.info.Game)
	if err == nil && (settings.Players != e.info.Players || settings.Bots != e.info.Bots) {
		err = errors.New("it is for another number of players")
	}
	switch {
	case offer == nil || catalog.Failed(err): // the version it has is better than none
		log.Warn("a match that waits stays on an old version of its game", "error", err)
		return release
	case err != nil:
		log.Info("a new version of the game refuses a match that waits", "error", err)
		l.count(e.info.Game).expired++
		l.remove(e, "the game has a new version, which refuses this match: "+err.Error())
		return release
	}
	release, e.release = e.release, release
	e.offer, e.settings = offer, settings
	e.info.Timeout = settings.Timeout
	l.generation.Add(1)
	log.Info("a match that waits has moved to a new version of its game", "version", offer.Version)
	return release
}

// settle ends what may still happen to a match because it waits. Called with the
// lobby's mu held.
func (e *entry) settle() {
	e.expiry.Stop()
	if e.moving != nil {
		e.moving()
	}
}
