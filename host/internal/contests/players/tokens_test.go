package players

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/store"
)

func (f *setup) mint(t testing.TB, player, label string, life time.Duration, scopes ...Scope) (token, id string) {
	t.Helper()
	token, id, err := f.Mint(context.Background(), player, label, scopes, life)
	if err != nil {
		t.Fatal(err)
	}
	return token, id
}

func TestATokenIsGoodForItsScopes(t *testing.T) {
	f := open(t, defaults())
	defer f.file.Close()
	first := f.register(t, "Ana")
	all := []Scope{Play, Submit, Read, All}
	for _, tt := range []struct {
		has, can []Scope
	}{
		{[]Scope{Play}, []Scope{Play, Read}},
		{[]Scope{Submit}, []Scope{Submit, Read}},
		{[]Scope{Read}, []Scope{Read}},
		{[]Scope{Submit, Play}, []Scope{Play, Submit, Read}},
		{[]Scope{All}, all},
		{nil, all}, // that of the registration
	} {
		t.Run(fmt.Sprint(tt.has), func(t *testing.T) {
			token := first
			if tt.has != nil {
				token, _ = f.mint(t, "ana", "x", 0, tt.has...)
			}
			for _, s := range all {
				got, err := f.Authenticate(t.Context(), "", token, s)
				if slices.Contains(tt.can, s) {
					if got != "Ana" || err != nil {
						t.Errorf("%s: got %q, %v, want Ana", s, got, err)
					}
				} else if got != "" || !errors.Is(err, ErrScope) {
					t.Errorf("%s: got %q, %v, want %v", s, got, err, ErrScope)
				}
			}
		})
	}
	if got := f.Stats().Logins[ResultScope]; got != 8 {
		t.Errorf("counted %d refusals of scopes, want 8", got)
	}
}

func TestATokenIsListedUntilItIsRevokedOrExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, defaults())
		defer f.file.Close()
		f.register(t, "Ana")
		f.register(t, "bob")
		long, id := f.mint(t, "Ana", " my laptop ", 0, Read, Play)
		short, _ := f.mint(t, "Ana", "é", time.Hour, All)
		f.wantLogin(t, "", short, "Ana", nil)
		f.flush()
		list, err := f.Tokens(t.Context(), "ANA")
		if len(list) != 2 || err != nil {
			t.Fatalf("got %+v, %v, want two tokens", list, err)
		}
		if a := list[slices.IndexFunc(list, func(s store.Token) bool { return s.ID == id })]; a.Label != "my laptop" || !slices.Equal(a.Scopes, []string{"play", "read"}) || !a.Seen.IsZero() || !a.Expires.IsZero() {
			t.Errorf("got %+v, want the first token", a)
		}
		if b := list[slices.IndexFunc(list, func(s store.Token) bool { return s.ID != id })]; !b.Seen.Equal(time.Now()) || !b.Expires.Equal(time.Now().Add(time.Hour)) {
			t.Errorf("got %+v, want the second token, used now", b)
		}
		time.Sleep(time.Hour)
		f.wantLogin(t, "", short, "", ErrToken)
		if valid, err := f.Valid(t.Context(), []Login{LoginOf(long), LoginOf(short)}); len(valid) != 1 || err != nil {
			t.Errorf("got %d valid logins, %v, want the one that has not expired", len(valid), err)
		}
		if err := f.Revoke(t.Context(), "bob", id); !errors.Is(err, ErrNoToken) {
			t.Errorf("another player revokes it: got %v, want %v", err, ErrNoToken)
		}
		if err := f.Revoke(t.Context(), "ana", strings.ToUpper(id)); err != nil {
			t.Error(err)
		}
		if _, err := f.Authenticate(t.Context(), "", long, Read); !errors.Is(err, ErrToken) {
			t.Errorf("got %v, want %v", err, ErrToken)
		}
	})
}

func TestAResetOrRemovedPlayerHasNoTokens(t *testing.T) {
	f := open(t, defaults())
	defer f.file.Close()
	f.register(t, "Ana")
	f.register(t, "bob")
	a, _ := f.mint(t, "Ana", "x", 0, All)
	b, _ := f.mint(t, "bob", "x", 0, All)
	if _, err := f.Reset(t.Context(), []string{"ana"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Remove(t.Context(), []string{"bob"}); err != nil {
		t.Fatal(err)
	}
	f.wantLogin(t, "", a, "", ErrToken)
	f.wantLogin(t, "", b, "", ErrToken)
	if _, _, err := f.Mint(t.Context(), "bob", "x", []Scope{All}, 0); !errors.Is(err, ErrNoPlayer) {
		t.Errorf("a token for a removed player: got %v, want %v", err, ErrNoPlayer)
	}
}

func TestTokensThatCannotBeMintedAreRefused(t *testing.T) {
	f := open(t, defaults())
	f.register(t, "Ana")
	for name, tt := range map[string]struct {
		label  string
		scopes []Scope
		life   time.Duration
		want   error
	}{
		"no label":      {" ", []Scope{All}, 0, ErrLabel},
		"a long label":  {strings.Repeat("é", 41), []Scope{All}, 0, ErrLabel},
		"a line feed":   {"a\nb", []Scope{All}, 0, ErrLabel},
		"invalid UTF-8": {"a\xff", []Scope{All}, 0, ErrLabel},
		"no scope":      {"x", nil, 0, ErrScopes},
		"another scope": {"x", []Scope{"play", "root"}, 0, ErrScopes},
		"no life":       {"x", []Scope{All}, time.Second, ErrLife},
		"less than it":  {"x", []Scope{All}, -time.Hour, ErrLife},
	} {
		t.Run(name, func(t *testing.T) {
			if token, id, err := f.Mint(t.Context(), "Ana", tt.label, tt.scopes, tt.life); token != "" || id != "" || !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	for range MaxTokens {
		f.mint(t, "Ana", "x", 0, All)
	}
	if _, _, err := f.Mint(t.Context(), "Ana", "x", []Scope{All}, 0); !errors.Is(err, ErrFull) {
		t.Errorf("got %v, want %v", err, ErrFull)
	}
	f.file.Close()
	if _, _, err := f.Mint(t.Context(), "Ana", "x", []Scope{All}, 0); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want %v", err, ErrUnavailable)
	}
}
