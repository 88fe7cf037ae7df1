package contest

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Classes are the class list of the registered players, which only organizers see.
type Classes interface {
	// Members returns the players of a class, in any case, by name.
	Members(ctx context.Context, class string) (players []string, err error)
}

const maxClass = 32 // bytes in the name of a class

// validClass reports whether a class can have a name.
func validClass(name string) bool {
	return name != "" && len(name) <= maxClass && name == strings.TrimSpace(name) && !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// expand returns entries with the players of a class instead of the class, each player once.
func (o *Organizer) expand(ctx context.Context, entries []Entry) ([]Entry, error) {
	if !slices.ContainsFunc(entries, func(e Entry) bool { return e.Class != "" }) {
		return entries, nil
	}
	var list []Entry
	for _, e := range entries {
		if e.Class == "" {
			list = append(list, e)
			continue
		}
		members, err := o.members(ctx, e.Class)
		if err != nil {
			return nil, err
		}
		if len(members) == 0 {
			return nil, fmt.Errorf("entries: no player is in the class %q: host players list shows the classes, and host players import and host players class set them", e.Class)
		}
		for _, name := range members {
			if !slices.ContainsFunc(slices.Concat(entries, list), func(e Entry) bool { return strings.EqualFold(e.Name, name) }) {
				list = append(list, Entry{Name: name, Player: name})
			}
		}
	}
	if len(list) > MaxEntries {
		return nil, fmt.Errorf("entries: more than %d", MaxEntries)
	}
	return list, nil
}

// members returns the players of a class.
func (o *Organizer) members(ctx context.Context, class string) ([]string, error) {
	if o.Classes == nil {
		return nil, nil
	}
	return o.Classes.Members(ctx, class)
}

// inGroups returns an error if a player is in none of the groups of a pass mark. It does not
// name them: they are not public.
func (o *Organizer) inGroups(ctx context.Context, s *Spec, player string) error {
	if s.Pass == nil || len(s.Pass.Groups) == 0 {
		return nil
	}
	for _, class := range s.Pass.Groups {
		members, err := o.members(ctx, class)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(members, func(m string) bool { return strings.EqualFold(m, player) }) {
			return nil
		}
	}
	return fmt.Errorf("the contest %s is not for %s: it is for other groups of the class list; ask its organizer", s.Name, player)
}

// Pupil is what only organizers see of a player.
type Pupil struct {
	RealName string
	Class    string
}

// NamedPupil is a pupil and its name in the contest, or that of a member of a team.
type NamedPupil struct {
	Name string
	Pupil
}

// Pupils returns those of whom something is known, in the order of the standings. Known is by
// the name of the registered player in lower case.
func (v *View) Pupils(known map[string]Pupil) []NamedPupil {
	var list []NamedPupil
	for _, r := range v.Standings {
		for _, player := range v.playersOf(r.Name) {
			name := r.Name
			if v.Teams != nil || len(v.playersOf(r.Name)) > 1 { // of a cup, too
				name = player
			}
			if p, ok := known[strings.ToLower(player)]; ok {
				list = append(list, NamedPupil{name, p})
			}
		}
	}
	return list
}

// playersOf returns the registered players of a row of the standings.
func (v *View) playersOf(row string) []string {
	if players, ok := v.people[strings.ToLower(row)]; ok {
		return players
	}
	return []string{row}
}

// PrivateCSV returns the standings as CSV does, with the columns real_name and class after the
// names. Those of teams are in the rows of their members. Known is as in Pupils.
func (v *View) PrivateCSV(known map[string]Pupil) []byte {
	rows := v.table()
	member := slices.Index(rows[0], "player")
	at := max(member, slices.Index(rows[0], "name")) + 1
	rows[0] = slices.Insert(rows[0], at, "real_name", "class")
	for i := range rows[1:] {
		row := &rows[i+1]
		var p Pupil
		if member >= 0 {
			p = known[strings.ToLower((*row)[member])]
		} else if players := v.playersOf(v.Standings[i].Name); len(players) == 1 {
			p = known[strings.ToLower(players[0])]
		}
		*row = slices.Insert(*row, at, CSVText(p.RealName), CSVText(p.Class))
	}
	return EncodeCSV(rows)
}
