package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

func addToken(t testing.TB, p *Players, player, id string, life time.Duration, most int) error {
	t.Helper()
	token := Token{ID: id, Player: player, Label: "laptop", Scopes: []string{"play", "read"}, Created: time.Now()}
	if life != 0 {
		token.Expires = token.Created.Add(life)
	}
	return p.AddToken(context.Background(), secret(id), token, most)
}

func wantTokens(t testing.TB, p *Players, player string, want ...string) {
	t.Helper()
	list, err := p.Tokens(context.Background(), player)
	var got []string
	for _, token := range list {
		got = append(got, token.ID)
	}
	if slices.Sort(got); !slices.Equal(got, want) || err != nil {
		t.Errorf("the tokens of %s: got %q, %v, want %q", player, got, err, want)
	}
}

func TestAPlayerHasTokensBesideItsFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		ctx := context.Background()
		add(t, p, "Ana", "bob")
		for _, err := range []error{addToken(t, p, "ANA", "a", time.Hour, 20), addToken(t, p, "Ana", "b", 0, 20), addToken(t, p, "bob", "c", 0, 20)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, err := p.ByToken(ctx, secret("a")); got.Player != "Ana" || got.ID != "a" || !slices.Equal(got.Scopes, []string{"play", "read"}) || err != nil {
			t.Errorf("got %+v, %v, want Ana's token", got, err)
		}
		if got, err := p.ByToken(ctx, secret("Ana")); got.Player != "Ana" || got.ID != "" || got.Scopes != nil || err != nil {
			t.Errorf("got %+v, %v, want the token of Ana's registration", got, err)
		}
		seen := time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC)
		if err := p.SetSeen(ctx, nil, map[string]time.Time{"b": seen, "gone": seen}); err != nil {
			t.Fatal(err)
		}
		list, err := p.Tokens(ctx, "aNA")
		if len(list) != 2 || err != nil {
			t.Fatalf("got %+v, %v, want two tokens", list, err)
		}
		if a, b := list[0], list[1]; a.ID != "a" || a.Player != "Ana" || a.Label != "laptop" || a.Expires.Sub(a.Created) != time.Hour || !a.Seen.IsZero() || b.Seen != seen || !b.Expires.IsZero() {
			t.Errorf("got %+v, want what was stored", list)
		}
		valid, err := p.Valid(ctx, []Secret{secret("a"), secret("Ana"), secret("c"), secret("x")})
		if len(valid) != 3 || err != nil {
			t.Errorf("got %d valid tokens, %v, want 3", len(valid), err)
		}
		for _, tt := range []struct {
			player, id string
			want       bool
		}{{"bob", "a", false}, {"ana", "a", true}, {"ana", "a", false}} {
			if got, err := p.RemoveToken(ctx, tt.player, tt.id); got != tt.want || err != nil {
				t.Errorf("RemoveToken(%s, %s): got %v, %v, want %v", tt.player, tt.id, got, err, tt.want)
			}
		}
		wantPlayer(t, p, "a", "")
		wantTokens(t, p, "Ana", "b")
	})
}

func TestTokensThatExpiredOrWhosePlayerIsGoneAreNotValid(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		ctx := context.Background()
		add(t, p, "Ana", "bob")
		for id, life := range map[string]time.Duration{"old": -time.Hour, "a": time.Hour} {
			if err := addToken(t, p, "Ana", id, life, 20); err != nil {
				t.Fatal(err)
			}
		}
		wantPlayer(t, p, "old", "")
		if valid, err := p.Valid(ctx, []Secret{secret("old")}); len(valid) != 0 || err != nil {
			t.Errorf("got %d valid tokens, %v, want none", len(valid), err)
		}
		wantTokens(t, p, "Ana", "a")
		if _, err := p.Reset(ctx, []NewPlayer{{"ana", secret("new")}}); err != nil {
			t.Fatal(err)
		}
		wantTokens(t, p, "Ana")
		wantPlayer(t, p, "a", "")
		if err := addToken(t, p, "bob", "b", 0, 20); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Remove(ctx, []string{"BOB"}); err != nil {
			t.Fatal(err)
		}
		wantPlayer(t, p, "b", "")
		var unknown *UnknownError
		for _, name := range []string{"bob", "nobody"} {
			if err := addToken(t, p, name, name, 0, 20); !errors.As(err, &unknown) {
				t.Errorf("a token for %s: got %v, want an UnknownError", name, err)
			}
		}
	})
}

func TestAPlayerHasAtMostSoManyTokensFromAllProcesses(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, path := on.openPlayersTemp(t)
		other := openPlayersAt(t, path)
		add(t, p, "Ana")
		var wg sync.WaitGroup
		results := make(chan error, 12)
		for i := range cap(results) {
			wg.Go(func() { results <- addToken(t, []*Players{p, other}[i%2], "Ana", fmt.Sprint(i), 0, 5) })
		}
		wg.Wait()
		close(results)
		full := 0
		for err := range results {
			if errors.Is(err, ErrFull) {
				full++
			} else if err != nil {
				t.Error(err)
			}
		}
		if list, err := p.Tokens(context.Background(), "Ana"); full != 7 || len(list) != 5 || err != nil {
			t.Errorf("got %d tokens, and %d were refused, %v, want 5 and 7", len(list), full, err)
		}
	})
}

func TestALoginReplacesTheOneThatWasUsedLeastRecently(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		add(t, p, "Ana")
		for _, id := range []string{"a", "b", "c"} {
			if err := addToken(t, p, "Ana", id, time.Hour, 3); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.SetSeen(context.Background(), nil, map[string]time.Time{"a": time.Now().Add(time.Minute)}); err != nil {
			t.Fatal(err)
		}
		if err := addToken(t, p, "Ana", "d", time.Hour, 3); err != nil {
			t.Fatal(err)
		}
		wantTokens(t, p, "Ana", "a", "c", "d")
	})
}
