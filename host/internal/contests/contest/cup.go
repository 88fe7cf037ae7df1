package contest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

// maxParts bounds the contests of a cup, each of which is a column.
const maxParts = 50

// CupPart is a contest that counts for a cup.
type CupPart struct {
	Name    string         `json:"name"`
	Title   string         `json:"title"`
	Format  pairing.Format `json:"format,omitempty"`
	Phase   Phase          `json:"state,omitempty"`   // empty: there is no such contest, or it is a cup itself, and counts nothing
	Decided bool           `json:"decided,omitempty"` // an organizer has decided about it after the end of the cup
}

func (s *Spec) checkCup() error {
	if s.Format != Cup {
		if s.Cup != nil || s.Places != nil {
			return errors.New("cup, places: only a contest with format: cup has them")
		}
		return nil
	}
	if only := (Spec{Name: s.Name, Title: s.Title, Format: s.Format, Cup: s.Cup, Places: s.Places, Organizers: s.Organizers}); !reflect.DeepEqual(*s, only) {
		return errors.New("format: a cup has no matches of its own, so it has only name, title, cup, places and organizers")
	}
	if n := len(s.Cup); n < 1 || n > maxParts {
		return fmt.Errorf("cup: list the names of 1 to %d contests", maxParts)
	}
	for i, name := range s.Cup {
		switch {
		case !ValidName(name) || name == s.Name:
			return fmt.Errorf("cup: %q is not the name of another contest", name)
		case slices.Contains(s.Cup[:i], name):
			return fmt.Errorf("cup: %q is listed twice", name)
		}
	}
	for _, p := range s.Places {
		if !(math.Abs(p) <= 1e9) { // nor is it NaN
			return fmt.Errorf("places: %v is not a number of points", p)
		}
	}
	if len(s.Places) > MaxEntries {
		return fmt.Errorf("places: more than %d", MaxEntries)
	}
	return s.checkOrganizers()
}

// checkParts returns an error if a new cup counts another cup. A contest that does not exist
// can be created later.
func (o *Organizer) checkParts(ctx context.Context, spec *Spec) error {
	for _, name := range spec.Cup {
		s, err := Load(ctx, o.Store, name)
		switch {
		case errors.Is(err, store.ErrNoContest):
		case err != nil:
			return err
		case s.Spec.Format == Cup:
			return fmt.Errorf("cup: %s is a cup itself; list its contests instead", name)
		}
	}
	return nil
}

// Sum fills in the table of a cup from its contests, of which view returns one, or ErrUnknown.
// Entries are the same if they have the same name, in any case; bots do not count.
func (v *View) Sum(s *State, view func(name string) (*View, error)) error {
	rows, place := []Row{}, map[string]int{}
	v.people = map[string][]string{}
	var late lateParts
	v.Cup, v.Entries, v.Places = nil, []EntryView{}, s.Spec.Places
	for i, name := range s.Spec.Cup {
		part := CupPart{Name: name, Title: name}
		c, err := view(name)
		switch {
		case errors.Is(err, ErrUnknown):
		case err != nil:
			return err
		case c.Format == Cup:
			part.Title = c.Title
		default:
			part = CupPart{Name: name, Title: c.Title, Format: c.Format, Phase: c.Phase}
			part.Decided = late.look(i, s, v, c)
			for _, p := range c.cupPoints(s.Spec.Places) {
				key := strings.ToLower(p.name)
				at, ok := place[key]
				if !ok {
					at = len(rows)
					place[key] = at
					v.Entries = append(v.Entries, EntryView{Name: p.name, Kind: p.kind, Seed: at + 1})
					rows = append(rows, Row{Name: p.name, TieBreaks: []float64{}, Parts: make([]*float64, len(s.Spec.Cup))})
				}
				if players, ok := c.people[key]; ok {
					v.people[key] = players
				}
				rows[at].Parts[i] = new(p.points)
				rows[at].Points += p.points
				rows[at].Played += p.played
			}
		}
		v.Cup = append(v.Cup, part)
	}
	if s.Phase == Ended {
		rows = late.count(s.Table, rows)
	}
	v.Standings = rankCup(rows)
	v.Leaders, v.Count = []string{}, len(v.Standings)
	v.lead()
	return nil
}

// lateParts are the contests of a cup that has ended about which organizers have decided after
// their end, by index. The others count as they did at the end of the cup.
type lateParts []int

// look notes whether a contest is one of them, and adds the decisions after the end of the cup to
// the view of the cup. It reports whether there are any.
func (l *lateParts) look(i int, s *State, v, c *View) bool {
	if s.Phase != Ended || c.Phase != Ended || c.Ended.After(s.Ended) {
		return false
	}
	if slices.ContainsFunc(c.Rulings, func(d Decision) bool { return d.Kind != Appoint && d.At.After(c.Ended) }) {
		*l = append(*l, i)
	}
	decided := false
	for _, d := range c.Rulings {
		if d.Kind != Appoint && d.At.After(s.Ended) {
			d.Contest, decided = c.Name, true
			v.Rulings = append(v.Rulings, d)
		}
	}
	slices.SortStableFunc(v.Rulings, func(a, b Decision) int { return a.At.Compare(b.At) })
	return decided
}

// count returns the recorded rows of a cup with what its contests in the list give now.
func (l lateParts) count(recorded, now []Row) []Row {
	rows := slices.Clone(recorded)
	if len(l) == 0 {
		return rows
	}
	key := func(r Row) string { return strings.ToLower(r.Name) }
	current := map[string]Row{}
	for _, r := range now {
		current[key(r)] = r
		if !slices.ContainsFunc(rows, func(x Row) bool { return key(x) == key(r) }) {
			r.Parts = make([]*float64, len(r.Parts))
			rows = append(rows, r)
		}
	}
	for i := range rows {
		r := &rows[i]
		r.Parts = slices.Clone(r.Parts)
		for _, k := range l {
			r.Parts[k] = nil
			if x, ok := current[key(*r)]; ok {
				r.Parts[k] = x.Parts[k]
			}
		}
		r.Points = 0
		for _, p := range r.Parts {
			if p != nil {
				r.Points += *p
			}
		}
	}
	return slices.DeleteFunc(rows, func(r Row) bool {
		return !slices.ContainsFunc(r.Parts, func(p *float64) bool { return p != nil })
	})
}

// rankCup puts the rows of a cup in their order. Equal points share a rank.
func rankCup(rows []Row) []Row {
	slices.SortFunc(rows, func(a, b Row) int {
		if !near(a.Points, b.Points) {
			return cmp.Compare(b.Points, a.Points)
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	for i := range rows {
		rows[i].Rank = i + 1
		if i > 0 && near(rows[i].Points, rows[i-1].Points) {
			rows[i].Rank = rows[i-1].Rank
		}
	}
	return rows
}

// cupPoint is what an entry of a contest gets in a cup.
type cupPoint struct {
	name, kind string
	points     float64
	played     int
}

// cupPoints returns what the entries get for a contest: their points, or
// the given ones for their places. The places of a league go on from one division to the next.
func (v *View) cupPoints(places []float64) []cupPoint {
	if v.Done == 0 && v.Phase != Ended { // nobody is first yet
		return nil
	}
	kinds := map[string]string{}
	for _, e := range v.Entries {
		kinds[e.Name] = e.Kind
	}
	var list []cupPoint
	above, division := 0, ""
	for i, r := range v.Standings {
		if r.Division != division {
			above, division = 0, r.Division
			for _, earlier := range v.Standings[:i] {
				if earlier.Rank > 0 {
					above++
				}
			}
		}
		if kinds[r.Name] == "bot" {
			continue
		}
		p := cupPoint{r.Name, kinds[r.Name], r.Points, r.Played}
		if places != nil {
			p.points = 0
			if at := above + r.Rank - 1; r.Rank > 0 && at < len(places) {
				p.points = places[at]
			}
		}
		list = append(list, p)
	}
	return list
}

// newCupEnd returns the event that ends a cup with the table of now.
func (o *Organizer) newCupEnd(ctx context.Context, s *State, reason string, early bool) (store.Event, error) {
	v := View{}
	err := v.Sum(s, func(name string) (*View, error) { return o.View(ctx, name) })
	return newEvent(End, eventData{Reason: reason, Early: early, Standings: v.Standings}), err
}

// EndCup ends a cup if all its contests have ended, and reports whether it has ended.
func (o *Organizer) EndCup(ctx context.Context, name string) (ended bool, err error) {
	err = o.change(ctx, name, func(s *State) (*store.Event, error) {
		ended = s.Phase == Ended
		if ended || s.Spec.Format != Cup {
			return nil, nil
		}
		for _, part := range s.Spec.Cup {
			p, err := Load(ctx, o.Store, part)
			if errors.Is(err, store.ErrNoContest) {
				return nil, nil
			}
			if err != nil || p.Phase != Ended {
				return nil, err
			}
		}
		e, err := o.newCupEnd(ctx, s, "", false)
		ended = err == nil
		return &e, err
	})
	return ended && err == nil, err
}

// before is a store without the events after a time.
type before struct {
	Store
	at time.Time
}

// Events implements Store.
func (b before) Events(ctx context.Context, contest string, after int64) ([]store.Event, error) {
	list, err := b.Store.Events(ctx, contest, after)
	return slices.DeleteFunc(slices.Clone(list), func(e store.Event) bool { return e.At.After(b.at) }), err
}

// verifyCup computes the final table of a cup again, without later decisions. What a contest counted that had not ended
// is taken as it was recorded.
func (v *Verification) verifyCup(ctx context.Context, from Store, s *State, events []store.Event) error {
	for _, e := range events {
		var d eventData
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return fmt.Errorf("event %d: %w", e.Number, err)
		}
		if Kind(e.Kind) == End {
			final := make([]bool, len(s.Spec.Cup))
			again, o := View{}, Organizer{Store: before{from, e.At}}
			if err := again.Sum(s, func(name string) (*View, error) {
				c, err := o.View(ctx, name)
				if err == nil {
					final[slices.Index(s.Spec.Cup, name)] = c.Phase == Ended && !c.Ended.After(e.At)
				}
				return c, err
			}); err != nil {
				return err
			}
			v.checkCup(again.Standings, d.Standings, final)
		}
		if err := s.Apply(e); err != nil {
			return err
		}
	}
	return nil
}

func (v *Verification) checkCup(computed, recorded []Row, final []bool) {
	parts := map[string][]*float64{}
	for _, r := range computed {
		parts[strings.ToLower(r.Name)] = r.Parts
	}
	again := slices.Clone(recorded)
	for i := range again {
		r := &again[i]
		want := parts[strings.ToLower(r.Name)]
		if len(r.Parts) != len(final) {
			v.add("%s in the recorded table of the cup has not a column for each contest", r.Name)
			return
		}
		if want == nil { // it is in none of the contests that are final
			want = make([]*float64, len(final))
		}
		delete(parts, strings.ToLower(r.Name))
		r.Points = 0
		for k, p := range r.Parts {
			if final[k] && !nearPart(p, want[k]) {
				v.add("the recorded points of %s for contest %d of the cup are not those of its final table", r.Name, k+1)
			}
			if p != nil {
				r.Points += *p
			}
		}
	}
	for name, own := range parts {
		for k, p := range own {
			if p != nil && final[k] {
				v.add("%s is not in the recorded table of the cup, but in contest %d", name, k+1)
			}
		}
	}
	for i, want := range rankCup(again) {
		if got := recorded[i]; got.Name != want.Name || got.Rank != want.Rank || !near(got.Points, want.Points) {
			v.add("place %d of the recorded table of the cup, %s, is not that of the points", i+1, got.Name)
		}
	}
}

func nearPart(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return near(*a, *b)
}
