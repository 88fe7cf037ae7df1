package director

import (
	"context"
	"slices"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/store"
)

// cupEvery is the least time between two looks at the contests of a cup.
const cupEvery = 2 * time.Second

// playCup ends a cup when all its contests have ended.
func (d *Director) playCup(ctx context.Context, t *tracked, parts []string) error {
	d.setPhase(t, contest.Running)
	open := map[string]int64{} // those that have not ended: the number of the last event that was read
	for _, name := range parts {
		open[name] = 0
	}
	for {
		for name, last := range open {
			events, err := d.store.Events(ctx, name, last)
			if err != nil {
				return err
			}
			for _, e := range events {
				open[name] = e.Number
			}
			if slices.ContainsFunc(events, func(e store.Event) bool { return contest.Kind(e.Kind) == contest.End }) {
				delete(open, name)
			}
		}
		ended := false
		var err error
		if len(open) == 0 { // one of them can be another one now, so it is asked again
			ended, err = d.organizer.EndCup(ctx, t.Name)
		} else if s, e := d.organizer.Load(ctx, t.Name); e != nil {
			err = e
		} else {
			ended = s.Phase == contest.Ended
		}
		if err != nil {
			return err
		}
		if ended {
			d.setPhase(t, contest.Ended)
			d.wake()
			return nil
		}
		pause := time.NewTimer(cupEvery)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
		select {
		case <-t.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sum fills in the table of a cup from the views of its contests. It is called while the view
// of the cup is computed, so it must not need that one.
func (d *Director) sum(ctx context.Context, s *contest.State, v *contest.View) error {
	return v.Sum(s, func(name string) (*contest.View, error) {
		t, err := d.find(ctx, name)
		if err != nil {
			return nil, err
		}
		return d.readBrief(ctx, t)
	})
}
