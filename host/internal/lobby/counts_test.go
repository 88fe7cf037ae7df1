package lobby

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/protocol"
)

func TestAnAddressMayHaveSoManyMatchesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(100)
		defer h.shut()
		h.SetLimits(Limits{Matches: 100, Expiry: time.Minute, Waiting: 2, Stall: time.Minute})
		create := func(from string) (string, error) {
			return h.Create(context.Background(), from, protocol.GameNew{Name: "T", Game: "duel", Params: protocol.GameParams{Bots: 1}})
		}
		must := func(from string) string {
			t.Helper()
			id, err := create(from)
			if err != nil {
				t.Fatalf("a match from %q: %v", from, err)
			}
			return id
		}
		refused := func() {
			t.Helper()
			if _, err := create("10.1.1.1"); !errors.Is(err, errWaiting) {
				t.Errorf("a third waiting match: %v", err)
			}
		}
		first := must("10.1.1.1")
		must("10.1.1.1")
		refused()
		must("10.2.2.2") // others are not affected
		for range 5 {
			must("") // nobody in particular
		}
		// A match that begins does not wait any more.
		h.mustJoin(t, h.person("alice"), first)
		must("10.1.1.1")
		refused()
		// Nor does one that expires.
		time.Sleep(time.Minute)
		synctest.Wait()
		must("10.1.1.1")
		if got := h.Counts().Refused[LimitWaiting]; got != 2 {
			t.Errorf("%d refusals were counted", got)
		}
		if n := len(h.waiting); n != 1 {
			t.Errorf("%d addresses are remembered", n)
		}
	})
}

func TestMatchesAreCountedByGameAndState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(3)
		defer h.shut()
		watched := h.open(t, nil)
		h.mustWatch(t, h.person("zoe"), watched)
		id := h.open(t, func(r *protocol.GameNew) { r.Params.Bots = 1 })
		h.mustJoin(t, h.person("alice"), id)
		synctest.Wait()
		h.open(t, func(r *protocol.GameNew) { r.Game = "solo" })
		if _, err := h.Create(context.Background(), "", protocol.GameNew{Name: "T", Game: "duel"}); !errors.Is(err, errFull) {
			t.Errorf("a fourth match: %v", err)
		}
		line := func(game string) string {
			g := h.Counts().Games[game]
			return fmt.Sprintf("%d waiting, %d running, %d watching, %d created, %d expired, %d finished, aborted %v",
				g.Waiting, g.Running, g.Spectators, g.Created, g.Expired, g.Finished, g.Aborted)
		}
		steps := []struct {
			name       string
			do         func()
			duel, solo string
		}{
			{"at first", func() {}, "1 waiting, 1 running, 1 watching, 2 created, 0 expired, 0 finished, aborted map[]", "1 waiting, 0 running, 0 watching, 1 created, 0 expired, 0 finished, aborted map[]"},
			{"a match ends", h.duel.end, "1 waiting, 0 running, 1 watching, 2 created, 0 expired, 1 finished, aborted map[]", "1 waiting, 0 running, 0 watching, 1 created, 0 expired, 0 finished, aborted map[]"},
			{"the others expire", func() { time.Sleep(time.Hour) }, "0 waiting, 0 running, 0 watching, 2 created, 1 expired, 1 finished, aborted map[]", "0 waiting, 0 running, 0 watching, 1 created, 1 expired, 0 finished, aborted map[]"},
		}
		for _, s := range steps {
			s.do()
			synctest.Wait()
			if got := line("duel"); got != s.duel {
				t.Errorf("%s: duel has %s, want %s", s.name, got, s.duel)
			}
			if got := line("solo"); got != s.solo {
				t.Errorf("%s: solo has %s, want %s", s.name, got, s.solo)
			}
		}
		if got := h.Counts().Refused[LimitMatches]; got != 1 {
			t.Errorf("%d refusals were counted", got)
		}
	})
}
