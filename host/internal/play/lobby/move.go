package lobby

import (
	"context"
	"errors"

	"colosseum/host/internal/games/catalog"
	"colosseum/sdk/driver"
)

// replaced is called when a newer version has replaced that of a match. A waiting
// match moves to the new version, so that it does not keep the old process alive.
func (l *Lobby) replaced(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.replaced++
	if l.entries[e.info.ID] == e {
		l.moveLocked(e)
	}
}

// moveLocked starts to move a match to the new version if it waits.
func (l *Lobby) moveLocked(e *entry) {
	if l.closed || e.info.Running {
		return
	}
	if e.moving != nil {
		e.moving() // that version was replaced as well
	}
	ctx, cancel := context.WithCancel(l.ctx)
	e.moving = cancel
	number, players, timeout := e.replaced, e.info.Players, e.info.Timeout
	request := driver.Request{Players: &players, Bots: e.info.Bots, Levels: e.info.Levels, Timeout: &timeout, Args: e.info.Args}
	l.running.Add(1)
	go func() { // ends when the game answers or the match no longer waits
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
			release = l.movedLocked(e, offer, release, settings, err)
		}
		if release != nil {
			release()
		}
	}()
}

// movedLocked applies the new version's answer to a waiting match: the match
// moves, stays on its version or is removed. It returns the release of the
// version that the match does not use.
func (l *Lobby) movedLocked(e *entry, offer *catalog.Offer, release func(), settings driver.Settings, err error) func() {
	log := l.log.With("match", e.info.ID, "game", e.info.Game)
	if err == nil && (settings.Players != e.info.Players || settings.Bots != e.info.Bots) {
		err = errors.New("it is for another number of players")
	}
	switch {
	case offer == nil || catalog.Failed(err): // the old version can still play it
		log.Warn("waiting match stays on an old version of its game", "error", err)
		return release
	case err != nil:
		log.Info("new version of the game refuses a waiting match", "error", err)
		l.countersLocked(e.info.Game).expired++
		l.removeLocked(e, "the game has a new version, which refuses this match: "+err.Error(), nil)
		return release
	}
	release, e.release = e.release, release
	e.offer, e.settings = offer, settings
	e.info.Timeout = settings.Timeout
	l.generation.Add(1)
	log.Info("waiting match moved to a new version of its game", "version", offer.Version)
	return release
}
