package series

import "colosseum/host/internal/records/record"

// Samples turns a series between two entrants into samples for a statistical test. The
// matches of one seed, in which both have had both seats, give one sample: the mean
// score of the first entrant, where a win is 1 and a draw a half. Samples are in the order
// of the seeds and not of the ends of matches, because short matches end first and can
// have other results. The zero Samples begins with seed First.
type Samples struct {
	First uint64

	list  []float64
	later map[uint64]scored // by seed: those that are not in the list yet
	seeds uint64            // in the list, or left out because a match was aborted
}

// scored is what is known of the matches of a seed.
type scored struct {
	matches int
	score   float64
	aborted bool
}

// Add adds a match, and returns all samples so far.
func (s *Samples) Add(p *Played) []float64 {
	if s.later == nil {
		s.later = map[uint64]scored{}
	}
	one := s.later[p.Seed]
	one.matches++
	one.score += score(p, 0)
	one.aborted = one.aborted || p.State != record.Finished
	s.later[p.Seed] = one
	for {
		seed := s.First + s.seeds
		next := s.later[seed]
		if next.matches < 2 {
			return s.list
		}
		delete(s.later, seed)
		s.seeds++
		if !next.aborted {
			s.list = append(s.list, next.score/2)
		}
	}
}

// score returns the score of an entrant in a match of two.
func score(p *Played, entrant int) float64 {
	var own, other SeatResult
	for _, s := range p.Seats {
		if s.Entrant == entrant {
			own = s
		} else {
			other = s
		}
	}
	switch lost, won := forfeited(own), forfeited(other); {
	case lost != won && lost, lost == won && own.Rank > other.Rank:
		return 0
	case lost != won, own.Rank < other.Rank:
		return 1
	}
	return 0.5
}
