package players

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"colosseum/host/internal/records/store"
)

// Bounds of what only organizers see of a player.
const (
	maxRealName = 100 // bytes
	maxClass    = 32
)

// checkDetails returns an error if a player cannot have a real name or a class.
func checkDetails(realName, class string) error {
	for _, text := range []struct {
		what, value string
		most        int
	}{{"real_name", realName, maxRealName}, {"class", class, maxClass}} {
		if len(text.value) > text.most || strings.ContainsFunc(text.value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return fmt.Errorf("%s: it must be one line of at most %d bytes", text.what, text.most)
		}
	}
	return nil
}

// Import registers the players of a list as Add does, with their real names and classes, if
// the list has them. With update, those that are registered keep their tokens and get those of
// the list. Updated is how many they are. It does all, or nothing and returns a ProblemsError
// with the indexes of the entries, or another error of the store.
func (r *Registry) Import(ctx context.Context, list *List, update bool) (issued []Issued, updated int, err error) {
	var problems ProblemsError
	var fresh []string
	var at []int // the entries of fresh
	var details []store.Details
	known := map[string]bool{}
	for i, e := range list.Entries {
		if err := checkDetails(e.RealName, e.Class); err != nil {
			problems = append(problems, Problem{i, fmt.Sprintf("%s: %v", e.Name, err)})
		}
		owner := "" // the player of this name, who can have another one now
		if update && ValidName(e.Name) {
			var err error
			if owner, err = r.store.Owner(ctx, e.Name); err != nil {
				return nil, 0, err
			}
		}
		d := store.Details{Name: cmp.Or(owner, e.Name)}
		if list.HasRealName {
			d.RealName = &e.RealName
		}
		if list.HasClass {
			d.Class = &e.Class
		}
		if d.RealName != nil || d.Class != nil {
			details = append(details, d)
		}
		if owner != "" {
			if known[owner] {
				problems = append(problems, Problem{i, fmt.Sprintf("%s: the list has this name twice", e.Name)})
			}
			known[owner] = true
			continue
		}
		fresh, at = append(fresh, e.Name), append(at, i)
	}
	unfit, err := r.check(ctx, fresh)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range unfit {
		problems = append(problems, Problem{at[p.Index], p.Text})
	}
	if len(problems) > 0 {
		slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Index, b.Index) })
		return nil, 0, problems
	}
	issued, add := issue(fresh)
	err = r.store.Import(ctx, add, details)
	var taken *store.TakenError
	if errors.As(err, &taken) { // since check
		for _, p := range takenNames(fresh, taken) {
			problems = append(problems, Problem{at[p.Index], p.Text})
		}
		return nil, 0, problems
	}
	if err != nil {
		return nil, 0, err
	}
	return issued, len(known), nil
}

// Describe sets the real name and the class of players; a nil pointer leaves one as it is.
func (r *Registry) Describe(ctx context.Context, names []string, realName, class *string) error {
	var details []store.Details
	for _, name := range names {
		details = append(details, store.Details{Name: name, RealName: realName, Class: class})
	}
	var of Pupil
	if realName != nil {
		of.RealName = *realName
	}
	if class != nil {
		of.Class = *class
	}
	if err := checkDetails(of.RealName, of.Class); err != nil {
		return err
	}
	return r.store.Import(ctx, nil, details)
}

// Members returns the players of a class, in any case, by name.
func (r *Registry) Members(ctx context.Context, class string) ([]string, error) {
	list, err := r.store.List(ctx)
	if err != nil {
		return nil, r.unavailable(err)
	}
	var names []string
	for _, p := range list {
		if !p.Removed && class != "" && strings.EqualFold(p.Class, class) {
			names = append(names, p.Name)
		}
	}
	return names, nil
}

// Pupil is what only organizers see of a player.
type Pupil struct{ RealName, Class string }

// Pupils returns the players with a real name or a class, by name in lower case, also by the
// names that they had before.
func (r *Registry) Pupils(ctx context.Context) (map[string]Pupil, error) {
	list, err := r.store.List(ctx)
	if err != nil {
		return nil, r.unavailable(err)
	}
	pupils := map[string]Pupil{}
	for _, p := range list {
		if p.RealName != "" || p.Class != "" {
			pupils[strings.ToLower(p.Name)] = Pupil{p.RealName, p.Class}
		}
	}
	former, err := r.Aliases(ctx)
	if err != nil {
		return nil, err
	}
	for old, name := range former {
		if p, ok := pupils[strings.ToLower(name)]; ok {
			pupils[old] = p
		}
	}
	return pupils, nil
}
