package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"
)

func rename(t testing.TB, p *Players, old, name string) {
	t.Helper()
	if err := p.Rename(context.Background(), old, name, 0); err != nil {
		t.Fatal(err)
	}
}

func TestARenamedPlayerKeepsAllThatItHas(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, path := on.openPlayersTemp(t)
		ctx := context.Background()
		code := secret("code")
		if err := p.AddInvites(ctx, []Secret{code}); err != nil {
			t.Fatal(err)
		}
		if err := p.Add(ctx, newcomer("Ana"), &code); err != nil {
			t.Fatal(err)
		}
		add(t, p, "bob")
		if err := addToken(t, p, "Ana", "a", 0, 20); err != nil {
			t.Fatal(err)
		}
		seen := time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC)
		if err := p.SetSeen(ctx, map[string]time.Time{"ana": seen}, nil); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			"UPDATE players SET real_name = 'Anna Rossi', class = '4b' WHERE name = 'Ana'",
			"INSERT INTO identities (issuer, subject, player, created) VALUES ('https://school.example', '1', 'Ana', 1)",
		} {
			execute(t, path, text)
		}
		before, err := p.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		rename(t, p, "ana", "Anna")
		wantOwner(t, p, "aNNa", "Anna")
		wantOwner(t, p, "ANA", "Anna")
		wantPlayer(t, p, "Ana", "Anna")
		wantPlayer(t, p, "a", "Anna")
		wantTokens(t, p, "Anna", "a")
		after, err := p.List(ctx)
		if err != nil || len(after) != 2 {
			t.Fatalf("got %+v, %v, want two players", after, err)
		}
		if before[0].Name = "Anna"; after[0] != before[0] {
			t.Errorf("got %+v, want %+v", after[0], before[0])
		}
		db := connectTo(t, path)
		for query, want := range map[string]string{
			"SELECT real_name FROM players WHERE name = 'Anna'": "Anna Rossi", "SELECT class FROM players WHERE name = 'Anna'": "4b",
			"SELECT player FROM identities": "Anna", "SELECT player FROM invites": "Anna",
		} {
			var got string
			if err := db.QueryRow(query).Scan(&got); got != want || err != nil {
				t.Errorf("%s: got %q, %v, want %q", query, got, err, want)
			}
		}
	})
}

func TestAFormerNameStaysReserved(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		ctx := context.Background()
		add(t, p, "ana", "bob", "gone")
		if _, err := p.Remove(ctx, []string{"gone"}); err != nil {
			t.Fatal(err)
		}
		rename(t, p, "ana", "eve")
		rename(t, p, "eve", "zoe")
		var taken *TakenError
		var unknown *UnknownError
		for _, name := range []string{"ANA", "eve", "zoe"} {
			if err := p.Add(ctx, newcomer(name), nil); !errors.As(err, &taken) || taken.Names[0] != "zoe" {
				t.Errorf("adding %s: got %v, want it to be taken by zoe", name, err)
			}
		}
		for name, owner := range map[string]string{"Ana": "zoe", "EVE": "zoe", "Zoe": "zoe", "Gone": "gone"} {
			if err := p.Rename(ctx, "bob", name, 0); !errors.As(err, &taken) || taken.Names[0] != owner {
				t.Errorf("bob becomes %s: got %v, want it to be taken by %s", name, err, owner)
			}
		}
		wantOwner(t, p, "bob", "bob")
		if _, err := p.Remove(ctx, []string{"ana"}); !errors.As(err, &unknown) {
			t.Errorf("removing the former name: got %v, want it to be unknown", err)
		}
		if err := p.Rename(ctx, "eve", "x", 0); !errors.As(err, &unknown) {
			t.Errorf("renaming the former name: got %v, want it to be unknown", err)
		}
		if err := p.Rename(ctx, "zoe", "x", time.Hour); !errors.Is(err, ErrRecent) {
			t.Errorf("again within an hour: got %v, want %v", err, ErrRecent)
		}
		rename(t, p, "zoe", "Ana") // back
		rename(t, p, "ana", "ANA") // another case
		wantPlayer(t, p, "ana", "ANA")
		list, err := p.Former(ctx)
		if got := fmt.Sprint(list); got != "[{Ana ANA} {eve ANA} {zoe ANA}]" || err != nil {
			t.Errorf("got the former names %s, %v", got, err)
		}
		names, err := p.Names(ctx)
		if want := map[string]string{"ana": "ANA", "eve": "ANA", "zoe": "ANA", "bob": "bob", "gone": "gone"}; !maps.Equal(names, want) || err != nil {
			t.Errorf("got the names %v, %v, want %v", names, err, want)
		}
	})
}

func TestProgramsFollowARenamedPlayer(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		add(t, s.Players(), "ana")
		source := []byte("source")
		if _, err := s.Submissions().Add(context.Background(), NewSubmission{Player: "ana", Game: "duel", Language: "go", Source: source}, SubmissionQuotas{}); err != nil {
			t.Fatal(err)
		}
		other := openPlayersAt(t, path) // another process
		rename(t, other, "ana", "anna")
		if got, err := s.Submissions().Get(context.Background(), "Anna", "duel", 1); got.Player != "anna" || err != nil {
			t.Errorf("got %+v, %v, want the program of anna", got, err)
		}
	})
}

func TestANameHasOneOwnerHoweverManyChangeAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, path := on.openPlayersTemp(t)
		other := openPlayersAt(t, path)
		ctx := context.Background()
		add(t, p, "a0", "a1", "a2", "a3")
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() { // each takes another's name as soon as it is free, which is never
				for j := range 4 {
					err := []*Players{p, other}[i%2].Rename(ctx, fmt.Sprint("a", i), fmt.Sprint("b", (i+j)%4), 0)
					if taken := new(TakenError); err != nil && !errors.As(err, &taken) && !errors.As(err, new(*UnknownError)) {
						t.Error(err)
					}
				}
			})
			wg.Go(func() {
				for j := range 4 {
					err := []*Players{other, p}[i%2].Add(ctx, []NewPlayer{{[]string{"a", "b"}[j%2] + fmt.Sprint(i), secret(fmt.Sprint(i, j))}}, nil)
					if taken := new(TakenError); err != nil && !errors.As(err, &taken) {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		list, err := p.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		former, err := p.Former(ctx)
		if err != nil {
			t.Fatal(err)
		}
		owners := map[string]int{}
		for _, one := range list {
			owners[strings.ToLower(one.Name)]++
		}
		for _, f := range former {
			owners[strings.ToLower(f.Name)]++
			wantOwner(t, p, f.Player, f.Player)
		}
		if len(owners) != 8 {
			t.Errorf("got the names %v, want a0 to a3 and b0 to b3", owners)
		}
		for name, n := range owners {
			if n != 1 {
				t.Errorf("%s has %d owners, want 1", name, n)
			}
		}
		for i := range 4 {
			if got, err := p.ByToken(ctx, secret(fmt.Sprint("a", i))); got.Player == "" || err != nil {
				t.Errorf("the token of a%d: got %v, %v, want a player", i, got, err)
			}
		}
	})
}

func TestARenameThatFailsChangesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, path := on.openPlayersTemp(t)
		add(t, p, "ana")
		execute(t, path, "DROP TABLE identities")
		if err := p.Rename(context.Background(), "ana", "anna", 0); err == nil || errors.Is(err, sql.ErrNoRows) {
			t.Errorf("got %v, want an error of the database", err)
		}
		wantOwner(t, p, "ana", "ana")
		wantOwner(t, p, "anna", "")
		wantPlayer(t, p, "ana", "ana")
	})
}
