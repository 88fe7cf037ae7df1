package director

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/contest"
)

// registry are registered players p00, p01 and so on, which can have other names.
type registry struct {
	m       *memory
	mu      sync.Mutex        // guards the field below
	aliases map[string]string // replaced, never changed
}

func (r *registry) Aliases(context.Context) (map[string]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.aliases, nil
}

func (r *registry) Owner(_ context.Context, name string) (string, error) {
	aliases, _ := r.Aliases(context.Background())
	if now, ok := aliases[strings.ToLower(name)]; ok {
		return now, nil
	}
	return name, nil
}

func (r *registry) Names(_ context.Context, name string) ([]string, error) {
	now, _ := r.Owner(context.Background(), name)
	names := []string{now}
	aliases, _ := r.Aliases(context.Background())
	for _, old := range slices.Sorted(maps.Keys(aliases)) {
		if aliases[old] == now {
			names = append(names, old)
		}
	}
	return names, nil
}

// rename changes names as another process does.
func (r *registry) rename(aliases map[string]string) {
	r.mu.Lock()
	r.aliases = aliases
	r.mu.Unlock()
	r.m.mu.Lock()
	r.m.version++
	r.m.mu.Unlock()
}

func TestARenamedPlayerGoesOnInItsContests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		desk, players := newFakeDesk(m, 4), &registry{m: m}
		o := contest.Organizer{Store: m, Players: players}
		d := New(o, desk, desk, Settings{Parallel: 100}, slog.New(slog.NewTextHandler(io.Discard, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { // ends with ctx
			runAlone(ctx, d)
			close(done)
		}()
		create(t, o, "format: round-robin", 4)
		if err := o.Start(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		for view(t, d).Done == 0 {
			time.Sleep(time.Second)
		}
		if err := o.Pause(t.Context(), "cup", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // the matches that run end
		before, err := d.Player(t.Context(), "p01")
		if err != nil || len(before.Games) != 1 {
			t.Fatalf("got %+v, %v, want a player with matches", before, err)
		}
		desk.mu.Lock()
		desk.absent["p01"] = true
		desk.serves = append(desk.serves, "zoe")
		desk.mu.Unlock()
		players.rename(map[string]string{"p01": "zoe"})
		time.Sleep(2 * time.Second)
		s, err := contest.Load(t.Context(), m, "cup")
		if err != nil || s.Entries[1].Name != "zoe" {
			t.Fatalf("got the entries %+v, %v, want zoe instead of p01", s.Entries, err)
		}
		if err := o.Resume(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Hour)
		v := view(t, d)
		if v.Phase != contest.Ended || len(v.Standings) != 4 {
			t.Fatalf("got the contest %s, want it to have ended", v.Phase)
		}
		for _, r := range v.Standings {
			if r.Played != 6 || r.Forfeits > 0 || r.Name == "p01" {
				t.Errorf("got %+v, want six matches of each, and zoe instead of p01", r)
			}
		}
		for _, name := range []string{"p01", "Zoe", "P01"} {
			p, err := d.Player(t.Context(), strings.ToLower(name))
			if err != nil || p.Name != "zoe" || fmt.Sprint(p.Former) != "[p01]" || len(p.Games) != 1 || p.Games[0].Played != 6 || len(p.Contests) != 1 {
				t.Errorf("the player %s: got %+v, %v, want zoe with all its matches", name, p, err)
			}
		}
		cancel()
		<-done
	})
}

func TestAHostThatBeginsToLeadFollowsNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		desk, players := newFakeDesk(m, 4), &registry{m: m}
		o := contest.Organizer{Store: m, Players: players}
		create(t, o, "format: round-robin", 4)
		players.rename(map[string]string{"p01": "zoe"}) // then the host was killed
		d := New(o, desk, desk, Settings{Parallel: 100}, slog.New(slog.NewTextHandler(io.Discard, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { // ends with ctx
			d.Run(ctx)
			close(done)
		}()
		names := func() string {
			s, err := contest.Load(t.Context(), m, "cup")
			if err != nil {
				t.Fatal(err)
			}
			return s.Entries[1].Name
		}
		time.Sleep(time.Minute)
		if got := names(); got != "p01" {
			t.Errorf("another host leads: got %s, want p01", got)
		}
		led := make(chan struct{})
		go func() { // ends with ctx
			d.Lead(ctx)
			close(led)
		}()
		time.Sleep(time.Minute)
		if got := names(); got != "zoe" {
			t.Errorf("this host leads: got %s, want zoe", got)
		}
		cancel()
		<-done
		<-led
	})
}
