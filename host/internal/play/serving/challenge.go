package serving

import (
	"context"
	"fmt"
	"slices"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

// Challenge creates a match with a seat for its creator and one for each of the
// request's opponents, which must serve the game, and returns its ID. Without a number
// of players the match has as many as it needs. The error is for the client.
func (d *Desk) Challenge(ctx context.Context, c lobby.Client, r protocol.GameNew) (id string, err error) {
	a, assigned, err := d.challenged(c.Player, r)
	if err != nil {
		return "", err
	}
	if r.Params.Players == nil {
		r.Params.Players = new(1 + len(assigned) + r.Params.Bots)
	}
	seats := &lobby.Seats{Open: 1}
	if c.Player != "" {
		seats = &lobby.Seats{Players: []string{c.Player}}
	}
	info, err := d.open(ctx, a, c, r, assigned, seats)
	return info.ID, err
}

// challenged counts a match for the opponents of a request.
func (d *Desk) challenged(creator string, r protocol.GameNew) (*assignment, []*player, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.refusalLocked(); err != nil {
		return nil, nil, err
	}
	var assigned []*player
	for _, name := range r.Opponents {
		p := d.players[key(name)]
		var why string
		switch {
		case creator != "" && key(creator) == key(name):
			why = "it is the player that challenges"
		case p == nil || p.conn == nil || !slices.Contains(p.games, r.Game):
			why = "it is not served with coco serve"
		case slices.Contains(assigned, p):
			why = "it is named twice"
		case d.engaged[engagement{key(name), ""}] > 0: // otherwise anybody could occupy it until it has lost by walkover
			why = "it plays a contest: try again when that is over"
		case p.fullLocked():
			why = "it has as many matches as it takes at once: try again later"
		case time.Now().Before(p.until):
			why = "it did not join its last match: try again later"
		}
		if why != "" {
			d.stats.Refused++
			return nil, nil, fmt.Errorf("%s plays no %s now: %s", shorten(name), shorten(r.Game), why)
		}
		assigned = append(assigned, p)
	}
	a := &assignment{term: d.term}
	d.seatLocked(a, assigned)
	return a, assigned, nil
}
