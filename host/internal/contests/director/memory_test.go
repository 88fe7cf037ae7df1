package director

import (
	"context"
	"slices"
	"sync"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/sdk/driver"
)

// memory is a contest.Store and contest.Records in memory.
type memory struct {
	mu       sync.Mutex // guards the fields below
	contests map[string]store.Contest
	events   map[string][]store.Event
	results  []store.Result
	records  map[string]*record.Match
	version  int64
	broken   error // of Events; nil: it works
}

func newMemory() *memory {
	return &memory{contests: map[string]store.Contest{}, events: map[string][]store.Event{}, records: map[string]*record.Match{}}
}

func (m *memory) Create(_ context.Context, c store.Contest, events []store.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.contests[c.Name]; ok {
		return store.ErrContestExists
	}
	m.contests[c.Name] = c
	return m.appendLocked(c.Name, events)
}

func (m *memory) appendLocked(name string, events []store.Event) error {
	for _, e := range events {
		e.Number = int64(len(m.events[name]) + 1)
		m.events[name] = append(m.events[name], e)
	}
	m.version++
	return nil
}

func (m *memory) Append(_ context.Context, name string, after int64, events []store.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if int64(len(m.events[name])) != after {
		return store.ErrChanged
	}
	return m.appendLocked(name, events)
}

func (m *memory) Contest(_ context.Context, name string) (store.Contest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.contests[name]
	if !ok {
		return c, store.ErrNoContest
	}
	c.Last = int64(len(m.events[name]))
	return c, nil
}

func (m *memory) List(context.Context) ([]store.Contest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []store.Contest
	for _, c := range m.contests {
		c.Last = int64(len(m.events[c.Name]))
		list = append(list, c)
	}
	return list, nil
}

func (m *memory) Events(_ context.Context, name string, after int64) ([]store.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return nil, m.broken
	}
	if _, ok := m.contests[name]; !ok {
		return nil, store.ErrNoContest
	}
	return slices.Clone(m.events[name][min(int(after), len(m.events[name])):]), nil
}

func (m *memory) Results(_ context.Context, name string, after int64) ([]store.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []store.Result
	for _, r := range m.results[after:] {
		if r.Contest == name {
			list = append(list, r)
		}
	}
	return list, nil
}

func (m *memory) GameResults(_ context.Context, game string, after int64, f func(store.Result) error) error {
	m.mu.Lock()
	list := slices.Clone(m.results[after:])
	m.mu.Unlock()
	for _, r := range list {
		if m.contests[r.Contest].Game == game {
			if err := f(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) Remove(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.contests, name)
	delete(m.events, name)
	for i := range m.results {
		if m.results[i].Contest == name {
			m.results[i].Contest = ""
		}
	}
	m.version++
	return nil
}

func (m *memory) Version(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version, nil
}

func (m *memory) Get(_ context.Context, id string) (*record.Match, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[id]; r != nil {
		return r, nil
	}
	return nil, store.ErrNotFound
}

// finish records a match; versions are those of programs, by seat.
func (m *memory) finish(id string, x contest.Match, ranks []int, versions ...int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := store.Result{
		Number: int64(len(m.results) + 1), Contest: x.Spec.Name, Pairing: x.Pairing, Leg: x.Leg, Attempt: x.Attempt, Match: id, Ended: time.Now(), Aborted: ranks == nil,
	}
	rec := &record.Match{ID: id, Fixture: x.Record(), State: record.Finished, Seed: x.Seed}
	for seat, n := range x.Seats {
		one := store.ResultSeat{Entry: n, Ended: driver.EndedAborted}
		if versions != nil {
			one.Version = versions[seat]
		}
		if ranks != nil {
			one.Rank, one.Ended = ranks[seat], driver.EndedFinished
			if len(x.Seats) == 1 {
				one.Score = float64(x.Seed % 1000 * uint64(n+1))
			}
		}
		r.Seats = append(r.Seats, one)
		rec.Seats = append(rec.Seats, record.Seat{Name: x.Entries[seat].Name, Rank: one.Rank, Score: one.Score, Ended: one.Ended})
	}
	m.results, m.records[id] = append(m.results, r), rec
	m.version++
}
