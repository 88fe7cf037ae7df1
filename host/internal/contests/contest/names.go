package contest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"colosseum/host/internal/records/store"
)

// FollowNames gives the entries of all contests that have not ended the names that their
// players have now. It changes nothing that has followed before.
func (o *Organizer) FollowNames(ctx context.Context) error {
	aliases, err := o.aliases(ctx)
	if err != nil || len(aliases) == 0 {
		return err
	}
	list, err := o.Store.List(ctx)
	if err != nil {
		return err
	}
	for _, c := range list {
		err := o.followNames(ctx, c.Name, aliases)
		if err != nil && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrUnreadable) { // it was just removed, or the director logs it
			return err
		}
	}
	return nil
}

func (o *Organizer) followNames(ctx context.Context, name string, aliases map[string]string) error {
	s, err := o.Load(ctx, name)
	if err != nil || s.Phase == Ended {
		return err
	}
	for _, old := range slices.Sorted(maps.Keys(aliases)) {
		if s.renamed(old, aliases[old]) == nil {
			continue
		}
		if err := o.change(ctx, name, func(s *State) (*store.Event, error) { return s.renamed(old, aliases[old]), nil }); err != nil {
			return err
		}
	}
	return nil
}

// aliases returns all names that players had before, in lower case, with the names that they
// have now.
func (o *Organizer) aliases(ctx context.Context) (map[string]string, error) {
	if o.Players == nil {
		return nil, nil
	}
	return o.Players.Aliases(ctx)
}

// renamed returns the event that a registered player has another name now; nil: the contest
// has ended or does not know the old one.
func (s *State) renamed(old, name string) *store.Event {
	if s.Phase == Ended || strings.EqualFold(old, name) {
		return nil
	}
	is := func(player string) bool { return strings.EqualFold(player, old) }
	d := eventData{Name: name, Players: []string{old, name}}
	for n, e := range s.Entries {
		if slices.ContainsFunc(e.Players(), is) || e.Team != nil && is(e.Team.Captain) {
			d.Numbers = append(d.Numbers, n)
		}
	}
	if d.Numbers == nil && !slices.ContainsFunc(s.Organizers, is) {
		return nil
	}
	return new(newEvent(Rename, d))
}

// ratings returns the ratings of a game with all results.
func (o *Organizer) ratings(ctx context.Context, game string) (*Ratings, error) {
	aliases, err := o.aliases(ctx)
	if err != nil {
		return nil, err
	}
	r := NewRatings(game, o.HalfLife)
	r.Follow(aliases)
	return r, r.Refresh(ctx, o.Store)
}
