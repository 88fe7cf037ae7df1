package contest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/contests/rating"
)

// lastLocked returns the index of the competitor that has played last for a name, and false
// if none has a rated match.
func (r *Ratings) lastLocked(name string) (int, bool) {
	own := r.players[r.keyLocked(name)]
	if len(own) == 0 {
		return 0, false
	}
	return own[len(own)-1], true
}

// Rating returns the rating of a player or a bot, and false if it has no rated match.
func (r *Ratings) Rating(name string) (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, ok := r.lastLocked(name)
	if !ok {
		return 0, false
	}
	return r.book.Table(time.Now()).Estimates[i].Rating, true
}

// Standings returns the players and bots, the best first, with the weights of the matches
// at a time.
func (r *Ratings) Standings(now time.Time) []Standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.book.Table(now)
	list := make([]Standing, 0, len(r.players))
	for _, own := range r.players {
		s := r.standingLocked(own[len(own)-1], t)
		for _, i := range own {
			s.all += len(r.list[i].matches)
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Rating, a.Rating), strings.Compare(a.Name, b.Name))
	})
	for i := range list {
		list[i].Rank = i + 1
	}
	return list
}

// Improve computes all ratings and intervals again if many matches have been added. It
// can take seconds; the other methods do not wait for it.
func (r *Ratings) Improve(now time.Time) {
	r.mu.Lock()
	book := r.book
	r.mu.Unlock()
	if book.Stale() {
		book.Refresh(now)
	}
}

func (r *Ratings) standingLocked(i int, t *rating.Table) Standing {
	c, e := &r.list[i], t.Estimates[i]
	return Standing{
		Name: c.name, Version: c.version, Bot: c.bot, Rating: e.Rating, Low: e.Low, High: e.High,
		Played: len(c.matches), Wins: c.wins, Draws: c.draws, Losses: c.losses, Forfeits: c.forfeits,
	}
}

// Competitor is a competitor with its last opponents, for the choice of its next one.
type Competitor struct {
	Standing
	Last []string // the others in its last matches, opponents and mates, the latest first
}

// Competitors returns all players and bots, in no particular order.
func (r *Ratings) Competitors(now time.Time) []Competitor {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.book.Table(now)
	list := make([]Competitor, 0, len(r.players))
	for _, versions := range r.players {
		i := versions[len(versions)-1]
		c := Competitor{Standing: r.standingLocked(i, t)}
		own := r.list[i].matches
		for n := len(own) - 1; n >= max(0, len(own)-maxLast); n-- {
			for _, s := range r.matches[own[n]].seats {
				if int(s.competitor) != i {
					c.Last = append(c.Last, r.list[s.competitor].name)
				}
			}
		}
		list = append(list, c)
	}
	return list
}

// maxLast is how many matches Known looks at.
const maxLast = 16

// Matches returns the number after that of the last pairing of a contest of the game.
func (r *Ratings) Matches(contest string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pairings[contest]
}
