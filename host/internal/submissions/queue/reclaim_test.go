package queue

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"colosseum/host/internal/records/store"
)

// fakeClaims are versions on which hosts work, and the hosts that live.
type fakeClaims struct {
	mu     sync.Mutex // guards the fields below
	claims []store.Submission
	live   []string
	broken error // of each call of List
}

func (f *fakeClaims) List(_ context.Context, q store.SubmissionQuery) (list []store.Submission, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.claims {
		if s.State == q.State {
			list = append(list, s)
		}
	}
	return list, f.broken
}

func (f *fakeClaims) Release(_ context.Context, host string) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for i, s := range f.claims {
		if s.Host == host {
			f.claims[i].State, f.claims[i].Host = store.Queued, ""
			n++
		}
	}
	return n, nil
}

// change changes the fields.
func (f *fakeClaims) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

// owners returns the hosts that work on versions.
func (f *fakeClaims) owners() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	owners := map[string]bool{}
	for _, s := range f.claims {
		owners[s.Host] = true
	}
	delete(owners, "")
	return slices.Sorted(maps.Keys(owners))
}

// fakeLive are the hosts of a fakeClaims.
type fakeLive struct{ *fakeClaims }

func (f fakeLive) List(context.Context) (rows []store.HostRow, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range f.live {
		rows = append(rows, store.HostRow{Name: name})
	}
	return rows, nil
}

func TestVersionsOfHostsThatAreGoneAreBuiltAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeClaims{live: []string{"a", "r1", "r2"}, claims: []store.Submission{
			{Number: 1, State: store.Building, Host: "r1"}, {Number: 2, State: store.Trying, Host: "r1"}, {Number: 3, State: store.Building, Host: "r2"},
			{Number: 4, State: store.Trying, Host: "r2"}, {Number: 5, State: store.Queued},
		}}
		var log bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { // ends with ctx
			defer close(done)
			Reclaim(ctx, f, fakeLive{f}, slog.New(slog.NewTextHandler(&log, nil)))
		}()
		look := func() {
			sleep(ctx, 10*reclaimEvery)
			synctest.Wait()
		}
		look()
		if got := f.owners(); !slices.Equal(got, []string{"r1", "r2"}) || log.String() != "" {
			t.Errorf("all live: got the owners %q, want both\n%s", got, &log)
		}
		f.change(func() { f.live, f.broken = []string{"a", "r2"}, errors.New("the store does not answer") })
		look()
		if got := f.owners(); !slices.Equal(got, []string{"r1", "r2"}) || strings.Count(log.String(), "level=ERROR") != 1 {
			t.Errorf("without an answer: got the owners %q, want both, and one error\n%s", got, &log)
		}
		f.change(func() { f.broken = nil })
		look()
		if got := f.owners(); !slices.Equal(got, []string{"r2"}) || strings.Count(log.String(), "host=r1 programs=2") != 1 {
			t.Errorf("r1 is gone: got the owners %q, want r2 alone, and one line of both versions\n%s", got, &log)
		}
		f.change(func() { // it has come back
			f.claims[0].State, f.claims[0].Host = store.Building, "r1"
			f.live = append(f.live, "r1")
		})
		look()
		if got := f.owners(); !slices.Equal(got, []string{"r1", "r2"}) {
			t.Errorf("r1 is back: got the owners %q, want both", got)
		}
		cancel()
		<-done
	})
}
