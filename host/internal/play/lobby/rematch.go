package lobby

import (
	"context"
	"errors"
	"fmt"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// rematchWithin is how long a rematch waits for its players.
const rematchWithin = 2 * time.Minute

// errRematch is an error of Rematch for the client.
var errRematch = errors.New("a rematch has the players of the earlier match: leave out the opponents")

// Rematch creates a match in which the participants of an ended one play again, with
// its settings, and returns the new match. Each has the seat before the one that it had,
// and the first the last one, so two swap seats. The seats are kept for two minutes, so
// no password is needed: that of a registered player for that player, and others for a
// client that gives the same name. If a rematch of the same match waits or runs, it
// is returned instead. The error is for the client.
func (l *Lobby) Rematch(ctx context.Context, c Client, r protocol.GameNew, rec *record.Match) (protocol.MatchInfo, error) {
	n := len(rec.Seats)
	switch {
	case rec.State == record.Running:
		return protocol.MatchInfo{}, fmt.Errorf("match %s has not ended: a rematch is possible when it has", rec.ID)
	case len(r.Opponents) > 0:
		return protocol.MatchInfo{}, errRematch
	case r.Game != rec.Game:
		return protocol.MatchInfo{}, fmt.Errorf("match %s was one of %s: a rematch is of the same game, not of %s", rec.ID, rec.Game, shorten(r.Game))
	case r.Params.Players != nil && *r.Params.Players != n:
		return protocol.MatchInfo{}, fmt.Errorf("match %s had %d players: a rematch has as many, not %d", rec.ID, n, *r.Params.Players)
	}
	seats := &Seats{Order: make([]string, n), Names: make([]string, n), Within: rematchWithin, Rematch: rec.ID}
	bots := 0
	var levels []string
	for i := range n {
		switch s := rec.Seats[(i+1)%n]; {
		case s.Bot:
			bots++
			levels = append(levels, s.Level)
		case s.Player != "":
			seats.Order[i] = s.Player
		default:
			seats.Names[i] = s.Name
		}
	}
	again := protocol.GameNew{
		Name: r.Name, Game: rec.Game, Args: rec.Args,
		Params: protocol.GameParams{Players: &n, Bots: bots, Levels: levels, Timeout: &rec.Timeout, Clock: (*protocol.Clock)(rec.Clock), Retries: rec.Retries},
	}
	if r.Name == "" {
		again.Name = rec.Name
	}
	return l.CreateFor(ctx, c, again, seats)
}

// FindRematch returns the match of any host that is a rematch of an ended one, and waits
// or runs.
func (l *Lobby) FindRematch(of string) (info protocol.MatchInfo, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rematchLocked(of)
}

// rematchLocked is FindRematch. It prefers a match that waits.
func (l *Lobby) rematchLocked(of string) (found protocol.MatchInfo, ok bool) {
	look := func(info *protocol.MatchInfo) { // no copy: the lobby is locked
		if info.Rematch == of && (!ok || found.Running) {
			found, ok = *info, true
		}
	}
	for _, e := range l.entries {
		look(&e.info)
	}
	for _, e := range l.elsewhere {
		if !e.Gone {
			look(&e.Info)
		}
	}
	return found, ok
}
