package players

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAPlayerChangesItsNameOnceInAMonth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, defaults())
		defer f.file.Close()
		token := f.register(t, "Ana")
		f.register(t, "bob")
		minted, _ := f.mint(t, "Ana", "x", 0, Read)
		for name, want := range map[string]error{"a b": ErrName, "": ErrName, "Admin": ErrTaken, "BOB": ErrTaken} {
			if err := f.Rename(t.Context(), "Ana", name); !errors.Is(err, want) {
				t.Errorf("to %q: got %v, want %v", name, err, want)
			}
		}
		f.wantLogin(t, "", token, "Ana", nil)
		if err := f.Rename(t.Context(), "ana", "Anna"); err != nil {
			t.Fatal(err)
		}
		f.flush() // its login before that is not lost
		list, err := f.List(t.Context())
		if err != nil || len(list) != 2 || list[0].Name != "Anna" || list[0].Seen.IsZero() {
			t.Errorf("got %+v, %v, want Anna, which has logged in", list, err)
		}
		f.wantLogin(t, "", token, "Anna", nil)
		if got, err := f.Authenticate(t.Context(), "", minted, Read); got != "Anna" || err != nil {
			t.Errorf("its other token: got %q, %v, want Anna", got, err)
		}
		time.Sleep(RenameEvery - time.Second)
		if err := f.Rename(t.Context(), "Anna", "Ann"); !errors.Is(err, ErrRecent) {
			t.Errorf("got %v, want %v", err, ErrRecent)
		}
		time.Sleep(2 * time.Second)
		if err := f.Rename(t.Context(), "Anna", "Ann"); err != nil {
			t.Fatal(err)
		}
		if err := f.Rename(t.Context(), "Anna", "x"); !errors.Is(err, ErrNoPlayer) {
			t.Errorf("a former name: got %v, want %v", err, ErrNoPlayer)
		}
		f.wantRegistration(t, "", "anna", "", ErrTaken)
		aliases, err := f.Aliases(t.Context())
		if want := map[string]string{"ana": "Ann", "anna": "Ann"}; !maps.Equal(aliases, want) || err != nil {
			t.Errorf("got the aliases %v, %v, want %v", aliases, err, want)
		}
		for name, want := range map[string][]string{"ANN": {"Ann", "Ana", "Anna"}, "ana": {"Ann", "Ana", "Anna"}, "bob": {"bob"}, "zoe": nil} {
			if got, err := f.Names(t.Context(), name); !slices.Equal(got, want) || err != nil {
				t.Errorf("the names of %s: got %q, %v, want %q", name, got, err, want)
			}
		}
	})
}

func TestTheOperatorRenamesAnyPlayerAtAnyTime(t *testing.T) {
	f := open(t, Settings{Registration: Closed, Reserved: []string{"admin"}})
	defer f.file.Close()
	if _, err := f.Add(t.Context(), []string{"ana", "bob"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"eve", "zoe"} {
		now, _ := f.Owner(t.Context(), "ana")
		if err := f.RenameBy(t.Context(), now, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ player, name, want string }{
		{"bob", "ana", "ana is the name of the player zoe, or was"}, {"bob", "admin", "players.reserved"}, {"bob", "a b", `"a b": the name of a player has`},
		{"eve", "x", "eve has the name zoe now"}, {"nobody", "x", "not registered: nobody"},
	} {
		if err := f.RenameBy(t.Context(), tt.player, tt.name); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s to %s: got %v, want %q", tt.player, tt.name, err, tt.want)
		}
	}
}

func TestFormerNamesCountWhileThePlayersCannotBeRead(t *testing.T) {
	f := open(t, defaults())
	f.register(t, "Ann")
	if err := f.Rename(t.Context(), "ann", "Zoe"); err != nil {
		t.Fatal(err)
	}
	f.remember(t.Context())
	f.file.Close()
	for _, name := range []string{"ann", "zoe"} {
		if got, err := f.Owner(t.Context(), name); got != "Zoe" || err != nil {
			t.Errorf("the owner of %s: got %q, %v, want Zoe", name, got, err)
		}
	}
	if _, err := f.Aliases(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want %v", err, ErrUnavailable)
	}
}
