package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAQuotaRefusesWhatExceedsIt(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, where, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		next := 0
		add := func(player, address string, bytes int, most SubmissionQuotas) error {
			next++
			n := program(player, "dama", fmt.Sprintf("%0*d", bytes, next))
			n.Address = address
			_, err := s.Add(ctx, n, most)
			return err
		}
		want := func(what, player, address string, bytes int, most SubmissionQuotas, quota string) {
			t.Helper()
			err := add(player, address, bytes, most)
			var used *SubmissionQuotaError
			if quota == "" && err != nil || quota != "" && (!errors.As(err, &used) || used.Quota != quota || used.Most <= 0) {
				t.Errorf("%s: got %v, want an error of the quota %q", what, err, quota)
			}
		}
		if err := errors.Join(add("Ana", "a", 100, SubmissionQuotas{}), add("Ana", "", 100, SubmissionQuotas{}), add("Bob", "a", 100, SubmissionQuotas{})); err != nil {
			t.Fatal(err)
		}
		want("a third one within a day", "ANA", "a", 9, SubmissionQuotas{PerDay: 2}, "day")
		want("another player", "Eve", "a", 9, SubmissionQuotas{PerDay: 1}, "")
		want("an address", "Zoe", "a", 9, SubmissionQuotas{PerDayAddress: 3}, "address")
		want("another address", "Zoe", "b", 9, SubmissionQuotas{PerDayAddress: 1}, "")
		want("a client that is exempt", "Zoe", "", 9, SubmissionQuotas{PerDayAddress: 1}, "")
		want("those that wait", "Ana", "a", 9, SubmissionQuotas{Waiting: 2}, "waiting")
		want("bytes of a player", "Ana", "a", 101, SubmissionQuotas{PlayerBytes: 300}, "bytes")
		want("bytes of all", "Tom", "a", 101, SubmissionQuotas{AllBytes: 427}, "all")
		want("exactly the bytes of all", "Tom", "a", 100, SubmissionQuotas{AllBytes: 427}, "")

		claim(t, s, 1)
		if _, err := s.Accept(ctx, 1, "h", nil, make([]byte, 50)); err != nil {
			t.Fatal(err)
		}
		want("one does not wait any more", "Ana", "", 10, SubmissionQuotas{Waiting: 2}, "")
		want("a program counts", "Ana", "", 100, SubmissionQuotas{PlayerBytes: 359}, "bytes")
		if err := s.Remove(ctx, 1); err != nil {
			t.Fatal(err)
		}
		want("its bytes are free again", "Ana", "", 100, SubmissionQuotas{PlayerBytes: 210}, "")
		want("it still counts for the day", "Ana", "", 9, SubmissionQuotas{PerDay: 4}, "day")
		execute(t, where, fmt.Sprintf("UPDATE submissions SET created = %d WHERE number = 1", time.Now().Add(-day-time.Second).UnixNano()))
		want("a day later", "Ana", "", 9, SubmissionQuotas{PerDay: 4}, "")
	})
}

func TestQuotasHoldHoweverManyAddAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, where, _ := on.openTemp(t)
		ctx := t.Context()
		most := SubmissionQuotas{PerDay: 6, PerDayAddress: 9, PlayerBytes: 250, AllBytes: 600}
		r := rand.New(rand.NewPCG(45, 1))
		hosts := []*Submissions{store.Submissions()}
		for range 5 {
			hosts = append(hosts, openSubmissionsAt(t, where))
		}
		var wg sync.WaitGroup
		for g, s := range hosts {
			var plan []NewSubmission
			for i := range 8 {
				n := program([]string{"Ana", "ana", "Bob", "Eve"}[r.IntN(4)], []string{"dama", "chess"}[r.IntN(2)], fmt.Sprintf("%0*d", 10+r.IntN(60), g*100+i))
				n.Address = []string{"a", "b", ""}[r.IntN(3)]
				plan = append(plan, n)
			}
			wg.Go(func() {
				for _, n := range plan {
					var used *SubmissionQuotaError
					if _, err := s.Add(ctx, n, most); err != nil && !errors.As(err, &used) {
						t.Errorf("got %v, want nil or a quota", err)
					}
				}
			})
		}
		wg.Wait()
		list, err := store.Submissions().List(ctx, SubmissionQuery{})
		if err != nil {
			t.Fatal(err)
		}
		players, addresses, bytes, versions, all := map[string]int{}, map[string]int{}, map[string]int64{}, map[string]int{}, int64(0)
		for i := len(list) - 1; i >= 0; i-- { // in the order of the numbers
			one := list[i]
			who := strings.ToLower(one.Player)
			players[who]++
			addresses[one.Address]++
			bytes[who] += one.Bytes
			all += one.Bytes
			if versions[who+one.Game]++; one.Version != versions[who+one.Game] {
				t.Errorf("got version %d of %s in %s, want %d", one.Version, who, one.Game, versions[who+one.Game])
			}
			if n := players[who]; n > most.PerDay || bytes[who] > most.PlayerBytes || all > most.AllBytes || one.Address != "" && addresses[one.Address] > most.PerDayAddress {
				t.Errorf("submission %d: got %d of %s with %d bytes, %d of %q, %d bytes of all, want no quota exceeded", one.Number, n, who, bytes[who], addresses[one.Address], one.Address, all)
			}
		}
		if len(list) < 8 {
			t.Errorf("got %d submissions, want 8 or more", len(list))
		}
	})
}

// TestPlayersHaveTurnsInTheQueue: the place of each is the one at which it is claimed.
func TestPlayersHaveTurnsInTheQueue(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, _, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		submit(t, s, "Ana", "dama", "1") // 1 to 3
		submit(t, s, "ana", "dama", "2")
		submit(t, s, "Ana", "chess", "1")
		submit(t, s, "Bob", "dama", "1") // 4, 5
		submit(t, s, "Bob", "dama", "2")
		submit(t, s, "Eve", "dama", "1") // 6
		places := func(want ...int64) {
			t.Helper()
			for i, number := range want {
				if place, err := s.Waiting(ctx, number); err != nil || place != i+1 {
					t.Errorf("submission %d: got the place %d, %v, want %d", number, place, err, i+1)
				}
			}
		}
		places(1, 4, 6, 2, 5, 3)
		claim(t, s, 1)
		places(4, 6, 2, 5, 3)
		if err := s.SetState(ctx, 1, "h", Queued, FaultOfHost, "no space"); err != nil {
			t.Fatal(err)
		}
		places(4, 6, 2, 5, 3, 1) // it was tried before
		for _, number := range []int64{4, 6, 2, 5, 3, 1} {
			claim(t, s, number)
		}
		if place, err := s.Waiting(ctx, 1); place != 0 || err != nil {
			t.Errorf("one that does not wait: got the place %d, %v, want 0", place, err)
		}
		if one, ok, err := s.Claim(ctx, "h"); ok || err != nil {
			t.Errorf("Claim: got %+v, %v, want none", one, err)
		}
	})
}
