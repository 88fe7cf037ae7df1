package contest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"colosseum/host/internal/records/store"
)

// maxChanges is how often players can change a team. Each time adds to the events, which are
// never removed.
const maxChanges = 200

// checkMembers returns an error if a player of a team is not registered. It gives the players
// their names in the case in which they are registered.
func (o *Organizer) checkMembers(ctx context.Context, e *Entry) error {
	players, err := o.registered(ctx, e.Team.Players)
	if err != nil {
		return err
	}
	team := Team{Captain: e.Team.Captain, Players: players, Invited: e.Team.Invited}
	for i, p := range e.Team.Players {
		if strings.EqualFold(p, team.Captain) {
			team.Captain = players[i]
		}
	}
	e.Team = &team
	return nil
}

// registered returns the names of registered players in the case in which they are registered.
func (o *Organizer) registered(ctx context.Context, names []string) ([]string, error) {
	list := slices.Clone(names)
	if o.Players == nil {
		return list, nil
	}
	for i, name := range names {
		owner, err := o.Players.Owner(ctx, name)
		if err != nil {
			return nil, err
		}
		if owner == "" {
			return nil, fmt.Errorf("the player %s is not registered", name)
		}
		list[i] = owner
	}
	return list, nil
}

// admitsTeams returns an error if entries are no teams of the contest, or no single players.
func (s *State) admitsTeams(entries []Entry, byPlayer bool) error {
	for i := range entries {
		e := &entries[i]
		switch {
		case s.Spec.Teams == nil && e.Team == nil:
			continue
		case s.Spec.Teams == nil:
			return fmt.Errorf("the contest %s has no teams: enter single players", s.Spec.Name)
		case e.Team == nil && byPlayer:
			return fmt.Errorf("the contest %s is for teams: coco contest enter %s --team NAME PLAYER...", s.Spec.Name, s.Spec.Name)
		case e.Team == nil:
			return fmt.Errorf("the contest %s is for teams: host contest enter %s %s=PLAYER,PLAYER...", s.Spec.Name, s.Spec.Name, e.Name)
		}
		if err := s.Spec.checkTeam(e, !byPlayer || s.Phase != Open); err != nil {
			return err
		}
		for _, p := range e.Team.Members() {
			if n, ok := s.teamOf(p); ok && !strings.EqualFold(s.Entries[n].Name, e.Name) {
				return fmt.Errorf("%s is in the team %s of the contest %s", p, s.Entries[n].Name, s.Spec.Name)
			}
			for _, other := range entries[:i] {
				if other.Team != nil && has(other.Team.Members(), p) {
					return fmt.Errorf("%s cannot be in the teams %s and %s", p, other.Name, e.Name)
				}
			}
		}
	}
	return nil
}

// EnterTeam is Enter for a player and a team. If there is no such team, the player founds it
// as its captain, and invites the others, which accept by calling EnterTeam for themselves.
// The captain of a team that has withdrawn brings it back.
func (o *Organizer) EnterTeam(ctx context.Context, name, player, team string, others []string) error {
	invited, err := o.registered(ctx, without(others, player))
	if err != nil {
		return err
	}
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		if s.Spec.Teams == nil {
			return nil, fmt.Errorf("the contest %s has no teams: coco contest enter %s", s.Spec.Name, s.Spec.Name)
		}
		n, ok := s.Number(team)
		if !ok {
			return s.found(player, team, invited)
		}
		e := &s.Entries[n]
		switch {
		case strings.EqualFold(e.Team.Captain, player):
			return s.comeBack(n, invited)
		case !has(e.Team.Players, player):
			return nil, fmt.Errorf("the team %s has not invited %s: %s can: coco contest lineup %s %s PLAYER...", e.Name, player, e.Team.leader(), s.Spec.Name, e.Name)
		case len(invited) > 0:
			return nil, fmt.Errorf("%s can name the players of the team %s: leave them out", e.Team.leader(), e.Name)
		case !has(e.Team.Invited, player):
			return nil, nil // it has accepted
		case s.Phase == Ended:
			return nil, fmt.Errorf("the contest %s has ended", s.Spec.Name)
		}
		if other, ok := s.teamOf(player); ok {
			return nil, fmt.Errorf("%s is in the team %s of the contest %s: leave it first with coco contest withdraw %s", player, s.Entries[other].Name, s.Spec.Name, s.Spec.Name)
		}
		return new(newEvent(Accept, eventData{Numbers: []int{n}, Players: []string{player}})), nil
	})
}

// leader says who can change the team.
func (t *Team) leader() string {
	if t.Captain == "" {
		return "the organizer"
	}
	return "its captain " + t.Captain
}

// found returns the event that a player enters a new team.
func (s *State) found(player, team string, invited []string) (*store.Event, error) {
	for i := range s.Entries {
		if e := &s.Entries[i]; e.Withdrawn && e.Team != nil && strings.EqualFold(e.Team.Captain, player) { // else a player could found teams without end
			return nil, fmt.Errorf("%s is the captain of the team %s, which has withdrawn: coco contest enter %s --team %s brings it back", player, e.Name, s.Spec.Name, e.Name)
		}
	}
	e := Entry{Name: team, Team: &Team{Captain: player, Players: append([]string{player}, invited...), Invited: invited}}
	if err := e.Check(); err != nil {
		return nil, err
	}
	return new(newEvent(Enter, eventData{Entries: []Entry{e}})), s.admits([]Entry{e}, true)
}

// comeBack returns the event that the captain of a team brings it back; nil: it has not
// withdrawn.
func (s *State) comeBack(n int, others []string) (*store.Event, error) {
	e := &s.Entries[n]
	switch {
	case len(others) > 0:
		return nil, fmt.Errorf("there is already a team %s: coco contest lineup %s %s PLAYER... changes its players", e.Name, s.Spec.Name, e.Name)
	case !e.Withdrawn:
		return nil, nil
	case e.Barred:
		return nil, fmt.Errorf("the organizer of the contest %s has withdrawn %s: ask the organizer", s.Spec.Name, e.Name)
	case e.Returns >= maxReturns:
		return nil, fmt.Errorf("%s came back to the contest %s %d times: ask the organizer", e.Name, s.Spec.Name, maxReturns)
	}
	return new(newEvent(Enter, eventData{Entries: []Entry{e.Entry}})), s.admits([]Entry{e.Entry}, true)
}

// LineUp gives a team other players, or another order of them, for the pairings that follow.
// By is the captain or an organizer of the contest; empty: the operator. Those that a captain
// adds have to accept.
func (o *Organizer) LineUp(ctx context.Context, name, by, team string, players []string) error {
	players, err := o.registered(ctx, players)
	if err != nil {
		return err
	}
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		n, ok := s.Number(team)
		if !ok || s.Entries[n].Team == nil {
			return nil, fmt.Errorf("there is no team %s in the contest %s", team, s.Spec.Name)
		}
		old := s.Entries[n].Team
		organizer := by == "" || s.Organizes(by)
		next := Team{Captain: old.Captain, Players: players}
		if !organizer {
			next.Invited = slices.DeleteFunc(slices.Clone(players), func(p string) bool { return has(old.Members(), p) })
		}
		switch {
		case !organizer && !strings.EqualFold(old.Captain, by):
			return nil, fmt.Errorf("%s cannot change the team %s: %s can", by, s.Entries[n].Name, old.leader())
		case s.Phase == Ended:
			return nil, fmt.Errorf("the contest %s has ended", s.Spec.Name)
		case slices.Equal(players, old.Players) && slices.Equal(next.Invited, old.Invited):
			return nil, nil
		case !organizer && s.Entries[n].Changes >= maxChanges:
			return nil, fmt.Errorf("the team %s was changed %d times: ask the organizer", s.Entries[n].Name, maxChanges)
		case !organizer && !s.Spec.Entries.Open && slices.ContainsFunc(players, func(p string) bool { return !has(old.Players, p) }):
			return nil, fmt.Errorf("the contest %s is not open: its organizer names the players", s.Spec.Name)
		case organizer && !has(players, old.Captain):
			next.Captain = ""
		}
		if err := next.check(); err != nil {
			return nil, err
		}
		e := Entry{Name: s.Entries[n].Name, Team: &next}
		if err := s.admitsTeams([]Entry{e}, !organizer); err != nil {
			return nil, err
		}
		return new(newEvent(LineUp, eventData{Numbers: []int{n}, Players: players, Invited: next.Invited, By: by})), nil
	})
}

// Leave takes a player out of a contest, which does it by itself: the player withdraws its
// entry, or as a captain its team. Another member leaves its team, and a player that is only
// invited declines.
func (o *Organizer) Leave(ctx context.Context, name, player string) error {
	s, err := o.Load(ctx, name)
	if err != nil {
		return err
	}
	if s.Spec.Teams == nil {
		return o.Withdraw(ctx, name, []string{player}, true)
	}
	return o.changeAll(ctx, name, func(s *State) ([]store.Event, error) {
		if s.Phase == Ended {
			return nil, fmt.Errorf("the contest %s has ended", s.Spec.Name)
		}
		var events []store.Event
		n, member := s.teamOf(player)
		if member && strings.EqualFold(s.Entries[n].Team.Captain, player) {
			return []store.Event{newEvent(Withdraw, eventData{Numbers: []int{n}})}, nil
		}
		for i := range s.Entries {
			e := &s.Entries[i]
			if e.Team == nil || !has(e.Team.Players, player) || member && i != n || !member && e.Withdrawn && !has(e.Team.Invited, player) {
				continue
			}
			events = append(events, newEvent(LineUp, eventData{
				Numbers: []int{i}, Players: without(e.Team.Players, player), Invited: without(e.Team.Invited, player), By: player,
			}))
		}
		if events == nil {
			return nil, fmt.Errorf("%s is in no team of the contest %s", player, s.Spec.Name)
		}
		return events, nil
	})
}

// strength returns the rating of an entry for the seeding: of a team the mean of its boards;
// false: none is known.
func (s *State) strength(e *Entry, ratings *Ratings) (float64, bool) {
	if e.Team == nil || s.Spec.Teams == nil {
		return ratings.Rating(e.Name)
	}
	sum, n := 0.0, 0.0
	for _, p := range e.Team.boards(s.Spec.Teams.Size) {
		if r, ok := ratings.Rating(p); ok {
			sum, n = sum+r, n+1
		}
	}
	return sum / max(n, 1), n > 0
}
