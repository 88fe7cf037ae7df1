package contest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/contests/standings"
	"colosseum/host/internal/records/store"
)

// Teams describes the teams of a contest.
type Teams struct {
	Size     int    `yaml:"size" json:"size"`                   // boards
	Reserves int    `yaml:"reserves" json:"reserves,omitempty"` // members beyond the boards
	Points   string `yaml:"points" json:"points"`               // boards (default): the points of all boards; match: 1 for a won pairing, 0.5 for a tied one
}

// What ranks teams.
const (
	byBoards = "boards"
	byMatch  = "match"
)

// Bounds of a team.
const (
	maxBoards   = 16
	maxReserves = 16
)

// Team is an entry that consists of players. Its name is that of the entry.
type Team struct {
	Captain string   `yaml:"captain,omitempty" json:"captain,omitempty"` // the player that leads it; empty: the organizer does
	Players []string `yaml:"players" json:"players"`                     // in the order of the boards, and then the reserves
	Invited []string `yaml:"-" json:"invited,omitempty"`                 // those of Players that have not accepted yet: they play no board
}

// Members returns the players that have accepted, in the order of the boards.
func (t *Team) Members() []string {
	return slices.DeleteFunc(slices.Clone(t.Players), func(p string) bool { return has(t.Invited, p) })
}

// boards returns the players of the boards.
func (t *Team) boards(size int) []string {
	list := t.Members()
	return list[:min(size, len(list))]
}

// has reports whether a list has a name, in any case.
func has(list []string, name string) bool {
	return slices.ContainsFunc(list, func(one string) bool { return strings.EqualFold(one, name) })
}

// without returns a list without a name, in any case.
func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return strings.EqualFold(one, name) })
}

func (s *Spec) checkTeams() error {
	if s.Teams == nil {
		if i := slices.IndexFunc(s.Entries.List, func(e Entry) bool { return e.Team != nil }); i >= 0 {
			return fmt.Errorf(`entries: number %d is a team: write "teams: {size: 3}" for a contest of teams with 3 boards`, i+1)
		}
		return checkNoTeams(s.TieBreak)
	}
	teams := s.Teams
	formats := []pairing.Format{pairing.RoundRobin, pairing.Swiss, pairing.Knockout, pairing.DoubleElimination}
	switch {
	case !slices.Contains(formats, s.Format):
		return fmt.Errorf("teams: they do not play a %s; use one of %s", s.Format, join(formats))
	case s.Players != 2:
		return errors.New("teams: a board has 2 players; leave the key players out")
	case teams.Size < 2 || teams.Size > maxBoards:
		return fmt.Errorf("teams.size: %d is not from 2 to %d boards", teams.Size, maxBoards)
	case teams.Reserves < 0 || teams.Reserves > maxReserves:
		return fmt.Errorf("teams.reserves: %d is not from 0 to %d", teams.Reserves, maxReserves)
	case !slices.Contains([]string{byBoards, byMatch}, teams.Points):
		return fmt.Errorf("teams.points: %q is not one of %s, %s", teams.Points, byBoards, byMatch)
	case s.Legs() > MaxMatches:
		return fmt.Errorf("matches: %d on each of %d boards are more than %d", s.Matches, teams.Size, MaxMatches)
	}
	for i := range s.Entries.List {
		e := &s.Entries.List[i]
		if e.Team == nil {
			return fmt.Errorf("entries: number %d is no team: write {name: reds, team: {players: [ana, bob, cid]}}", i+1)
		}
		if err := s.checkTeam(e, true); err != nil {
			return fmt.Errorf("entries: %w", err)
		}
		for _, other := range s.Entries.List[:i] {
			for _, p := range e.Team.Players {
				if has(other.Team.Players, p) {
					return fmt.Errorf("entries: %s is in the teams %s and %s", p, other.Name, e.Name)
				}
			}
		}
	}
	return nil
}

func checkNoTeams(tieBreaks []string) error {
	for _, name := range tieBreaks {
		if name == standings.MatchPoints || name == standings.BoardPoints {
			return fmt.Errorf("tie_breaks: %s is for a contest of teams", name)
		}
	}
	return nil
}

// checkTeam returns an error unless a team can enter the contest. A complete one can play all
// boards now.
func (s *Spec) checkTeam(e *Entry, complete bool) error {
	size, most := s.Teams.Size, s.Teams.Size+s.Teams.Reserves
	switch n := len(e.Team.Players); {
	case n > most && most == size:
		return fmt.Errorf("the team %s has %d players: it can have %d", e.Name, n, most)
	case n > most:
		return fmt.Errorf("the team %s has %d players: it can have %d, with %d reserves", e.Name, n, most, s.Teams.Reserves)
	case complete && len(e.Team.Members()) < size:
		return fmt.Errorf("the team %s has %d players: it needs %d", e.Name, len(e.Team.Members()), size)
	}
	return nil
}

// check returns an error if the team cannot be one, in any contest.
func (t *Team) check() error {
	if len(t.Players) == 0 {
		return errors.New("the team has no players: write {name: reds, team: {players: [ana, bob, cid]}}")
	}
	for i, p := range t.Players {
		if !entryName.MatchString(p) || len(p) > maxEntry {
			return fmt.Errorf("team: %q is not the name of a player", p)
		}
		if has(t.Players[:i], p) {
			return fmt.Errorf("team: %s is listed twice", p)
		}
	}
	if t.Captain != "" && !has(t.Players, t.Captain) {
		return fmt.Errorf("team: its captain %s is not one of its players", t.Captain)
	}
	return nil
}

// Legs returns how many matches a pairing has: those of all boards.
func (s *Spec) Legs() int {
	if s.Teams == nil {
		return s.Matches
	}
	return s.Teams.Size * s.Matches
}

// board returns the board of a leg, and the leg of that board, both from 0.
func (s *Spec) board(leg int) (board, of int) {
	if s.Teams == nil {
		return 0, leg
	}
	return leg / s.Matches, leg % s.Matches
}

// sample returns the number of the sample of a pairing to which a leg belongs: the legs of one
// sample share a seed, until every entry has had every seat of its board.
func (s *Spec) sample(leg, size int) int {
	board, of := s.board(leg)
	return board*((s.Matches+size-1)/size) + of/size
}

// lineUps returns the players of the boards of the entrants of a pairing now; nil: they are
// no teams.
func (s *State) lineUps(entrants []int) [][]string {
	if s.Spec.Teams == nil {
		return nil
	}
	list := make([][]string, len(entrants))
	for i, n := range entrants {
		if team := s.Entries[n].Team; team != nil {
			list[i] = team.boards(s.Spec.Teams.Size)
		}
	}
	return list
}

// short returns the entrants of a pairing that have no player for the board of a leg: the team
// has lost members.
func (s *State) short(p *Pair, leg int) (list []int) {
	board, _ := s.Spec.board(leg)
	for i := range p.LineUps {
		if board >= len(p.LineUps[i]) {
			list = append(list, p.Entrants[i])
		}
	}
	return list
}

// Seated returns the entry that plays a leg for an entry of its pairing: the entry itself, or
// the player that the team had on the board when the pairing was made.
func (s *State) Seated(pairing, leg, n int) Entry {
	if s.Spec.Teams == nil || pairing >= len(s.Pairs) {
		return s.Entries[n].Entry
	}
	p := &s.Pairs[pairing]
	board, _ := s.Spec.board(leg)
	if i := slices.Index(p.Entrants, n); i >= 0 && board < len(p.LineUps[i]) {
		player := p.LineUps[i][board]
		return Entry{Name: player, Player: player}
	}
	return s.Entries[n].Entry
}

// Needed returns the registered players that have to be free for the matches of the contest:
// those of its entries, in a pass mark those with a try, and of teams those on the boards now
// and in pairings that are not decided.
func (s *State) Needed() []string {
	var list []string
	add := func(players []string) {
		for _, p := range players {
			if s.Spec.Teams == nil || !has(list, p) {
				list = append(list, p)
			}
		}
	}
	for i := range s.Entries {
		switch e := &s.Entries[i]; {
		case e.Withdrawn, s.Spec.Format == Pass && !s.trying(i):
		case e.Team != nil && s.Spec.Teams != nil:
			add(e.Team.boards(s.Spec.Teams.Size))
		default:
			add(e.Players())
		}
	}
	if s.Spec.Teams == nil {
		return list
	}
	for i := s.firstPlanned; i < len(s.Pairs); i++ {
		p := &s.Pairs[i]
		if slices.ContainsFunc(p.Legs, func(l Leg) bool { return l.State == Planned }) {
			for _, players := range p.LineUps {
				add(players)
			}
		}
	}
	return list
}

// teamOf returns the entry of the team in which a player is, and false if there is none. Teams
// that have withdrawn, and those in which it is only invited, are none.
func (s *State) teamOf(player string) (n int, ok bool) {
	n = slices.IndexFunc(s.Entries, func(e Entrant) bool {
		return e.Team != nil && !e.Withdrawn && has(e.Team.Players, player) && !has(e.Team.Invited, player)
	})
	return n, n >= 0
}

// accept applies that a player has joined the team whose captain had named it.
func (s *State) accept(d eventData) error {
	return s.changeTeam(d.Numbers, func(t *Team) {
		for _, p := range d.Players {
			t.Invited = without(t.Invited, p)
		}
	})
}

// lineUp applies a new order of the players of a team, which holds for the pairings after it.
func (s *State) lineUp(d eventData) error {
	return s.changeTeam(d.Numbers, func(t *Team) {
		t.Players, t.Invited = d.Players, d.Invited
		if members := t.Members(); t.Captain != "" && !has(t.Players, t.Captain) {
			t.Captain = ""
			if len(members) > 0 {
				t.Captain = members[0]
			}
		}
	})
}

// changeTeam changes a copy of a team: views and matches have the old one.
func (s *State) changeTeam(numbers []int, change func(t *Team)) error {
	for _, n := range numbers {
		if n < 0 || n >= len(s.Entries) || s.Entries[n].Team == nil {
			return fmt.Errorf("there is no team %d", n)
		}
		team := *s.Entries[n].Team
		change(&team)
		s.Entries[n].Team = &team
		s.Entries[n].Changes++
	}
	return nil
}

// renameMember gives a member of a team another name, also in the pairings that are not
// decided: it has to come to their matches.
func (s *State) renameMember(n int, from, to string) {
	renamed := func(list []string) []string {
		list = slices.Clone(list)
		for i := range list {
			if strings.EqualFold(list[i], from) {
				list[i] = to
			}
		}
		return list
	}
	_ = s.changeTeam([]int{n}, func(t *Team) {
		t.Players, t.Invited = renamed(t.Players), renamed(t.Invited)
		if strings.EqualFold(t.Captain, from) {
			t.Captain = to
		}
	})
	for i := range s.Pairs {
		p := &s.Pairs[i]
		if at := slices.Index(p.Entrants, n); at >= 0 && p.LineUps != nil {
			p.LineUps = slices.Clone(p.LineUps) // a clone of the state can have them, too
			p.LineUps[at] = renamed(p.LineUps[at])
		}
	}
}

// incomplete returns the teams that cannot play all boards, and have not withdrawn.
func (s *State) incomplete() (list []int) {
	if s.Spec.Teams == nil {
		return nil
	}
	for n := range s.Entries {
		if e := &s.Entries[n]; !e.Withdrawn && s.Spec.checkTeam(&e.Entry, true) != nil {
			list = append(list, n)
		}
	}
	return list
}

// withdrawIncomplete returns the event that teams are too small at the start.
func (s *State) withdrawIncomplete(numbers []int) store.Event {
	return newEvent(Withdraw, eventData{Numbers: numbers, Reason: fmt.Sprintf("fewer than %d players at the start", s.Spec.Teams.Size)})
}

// Players returns the registered players of an entry: one, or the members of a team; nil: it
// is a program or a bot.
func (e *Entry) Players() []string {
	switch {
	case e.Team != nil:
		return e.Team.Players
	case e.Player != "":
		return []string{e.Player}
	}
	return nil
}

// teamOf returns the team of a player, and "" if it is in none: one that it has entered, or
// else one that has withdrawn.
func (v *View) teamOf(player string) string {
	team := ""
	for i := range v.Entries {
		e := &v.Entries[i]
		if e.Team != nil && has(e.Team.Players, player) && !has(e.Team.Invited, player) && (team == "" || !e.Withdrawn) {
			team = e.Name
		}
	}
	return team
}
