package contest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// Fixture is a match to be played.
type Fixture struct {
	Pairing, Leg, Round int
	Attempt             int   // how often an organizer had the leg played again before
	Seats               []int // the entry on each seat
	Seed                uint64
}

// Match is a match to be played, for a runner.
type Match struct {
	Fixture
	Spec    *Spec   // of the contest; it must not be changed
	Entries []Entry // on each seat; for a team, the player on the board
}

// Name returns the name of the match in the lobby: that of its contest, shortened if
// necessary, and the round.
func (m *Match) Name() string {
	suffix := fmt.Sprintf(" %d", m.Round+1)
	if m.Spec.Rolling() {
		suffix = ""
	}
	return m.Spec.Name[:min(len(m.Spec.Name), maxMatchName-len(suffix))] + suffix
}

// maxMatchName is the longest name of a match in the lobby.
const maxMatchName = 24

// Args returns the parameters of the match: those of the contest, and the level of its bot.
// Several bots have levels instead, in the order of their seats; "" is the level of the
// contest.
func (m *Match) Args() (args map[string]string, levels []string) {
	args = maps.Clone(m.Spec.Args)
	if args == nil {
		args = map[string]string{}
	}
	for _, e := range m.Entries {
		switch e.Bot {
		case "":
		case DefaultBot:
			levels = append(levels, "")
		default:
			levels = append(levels, e.Bot)
		}
	}
	if len(levels) == 1 {
		if levels[0] != "" {
			args[driver.BotParam] = levels[0]
		}
		return args, nil
	}
	return args, levels
}

// Record returns the place of the match for its record.
func (m *Match) Record() *record.Fixture {
	return &record.Fixture{Contest: m.Spec.Name, Pairing: m.Pairing, Leg: m.Leg, Attempt: m.Attempt, Entries: m.Seats}
}

// Fixture returns the match of a leg. Legs of a board share a seed until every entry has had
// every seat; in a contest by score, all legs of a round share one. A leg that is played
// again has another one.
func (s *State) Fixture(pairing, leg int) Fixture {
	return s.fixture(pairing, leg, s.Pairs[pairing].Legs[leg].number())
}

// fixture returns the match of an attempt at a leg.
func (s *State) fixture(pairing, leg, attempt int) Fixture {
	p := &s.Pairs[pairing]
	size := len(p.Entrants)
	board, of := s.Spec.board(leg)
	f := Fixture{Pairing: pairing, Leg: leg, Attempt: attempt, Round: p.Round, Seats: make([]int, size)}
	for i, n := range p.Entrants {
		f.Seats[(i+board+of)%size] = n // on the second board of a team, the other team begins
	}
	again := attempt << 20 // beyond all legs
	f.Seed = derive(s.Seed, pairing, s.Spec.sample(leg, size)+again)
	switch {
	case p.Alone:
		f.Seed = derive(s.Seed, p.Round, again)
	case s.Spec.Format == Pass:
		f.Seed = s.trySeed(pairing, leg)
	}
	return f
}

// LadderFixture returns the match of a ladder or a league with the given number, between entries in
// the order of their seats.
func (s *State) LadderFixture(number int, entries []int) Fixture {
	return Fixture{Pairing: number, Seats: entries, Seed: derive(s.Seed, number, 0)}
}

// Match returns a fixture with everything that a runner needs to play it.
func (s *State) Match(f Fixture) Match {
	m := Match{Fixture: f, Spec: s.Spec}
	for _, n := range f.Seats {
		m.Entries = append(m.Entries, s.Seated(f.Pairing, f.Leg, n))
	}
	return m
}

// Due returns at most the given number of legs that can be played now, in the order of
// their pairings. Running has the legs that are being played. If busy is not nil, an
// entry or a player of a team plays one match at a time, and busy has the names of those that
// play.
func (s *State) Due(most int, running map[[2]int]bool, busy map[string]bool) []Fixture {
	if s.Phase != Running {
		return nil
	}
	for s.firstPlanned < len(s.Pairs) && !slices.ContainsFunc(s.Pairs[s.firstPlanned].Legs, func(l Leg) bool { return l.State == Planned }) {
		s.firstPlanned++
	}
	var list []Fixture
	taken := map[string]bool{}
	for i := s.firstPlanned; i < len(s.Pairs); i++ {
		for j := range s.Pairs[i].Legs {
			if len(list) >= most {
				return list
			}
			if s.Pairs[i].Legs[j].State != Planned || running[[2]int{i, j}] {
				continue
			}
			occupied := func(n int) bool {
				e := s.Seated(i, j, n)
				return e.Bot == "" && (busy[e.Name] || taken[e.Name])
			}
			if busy != nil && slices.ContainsFunc(s.Pairs[i].Entrants, occupied) {
				continue
			}
			for _, n := range s.Pairs[i].Entrants {
				taken[s.Seated(i, j, n).Name] = true
			}
			list = append(list, s.Fixture(i, j))
		}
	}
	return list
}

// derive returns the seed of a match. The seeds of ended matches are public, so nobody
// must be able to compute from them the seed of the contest and those of later matches:
// SHA-256 is not reversible, unlike mix.
func derive(seed uint64, pairing, sample int) uint64 {
	var b [24]byte
	for i, v := range []uint64{seed, uint64(pairing), uint64(sample)} {
		binary.LittleEndian.PutUint64(b[8*i:], v)
	}
	h := sha256.Sum256(b[:])
	return binary.LittleEndian.Uint64(h[:])
}

// Draw returns the seed of what is drawn by lot: the seeding and the pairings. These are
// public at once, and the generators that they use are reversible.
func (s *State) Draw() uint64 { return derive(s.Seed, -1, 0) }

// mix returns a number that depends on all bits of its arguments: SplitMix64
// (Steele, Lea, Flood 2014) over their sequence.
func mix(values ...uint64) uint64 {
	var h uint64
	for _, v := range values {
		h += v + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
