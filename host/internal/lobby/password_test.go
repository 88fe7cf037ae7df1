package lobby

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/guess"
	"colosseum/protocol"
)

// guessing is a lobby in which passwords may be guessed so often.
func guessing(limits guess.Limits) *house {
	h := newHouse(100)
	h.SetLimits(Limits{Matches: 100, Expiry: time.Hour, Stall: time.Minute, Guesses: limits})
	return h
}

func TestGuessesOfAMatchPasswordAreLimitedByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := guessing(guess.Limits{Address: 3})
		defer h.shut()
		first := h.open(t, func(r *protocol.GameNew) { r.Password = ptr("hunter2") })
		second := h.open(t, func(r *protocol.GameNew) { r.Password = ptr("hunter2") })
		free := h.open(t, nil)
		try := func(from, id string, password *string, want error) {
			t.Helper()
			if err := h.Join(h.person("bob"), from, protocol.LobbyJoinMatch{ID: id, Name: "bob", Password: password}); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		for range 100 {
			try("10.1.1.1", first, nil, errPassword) // no guess
		}
		try("10.1.1.1", first, ptr("hunter3"), errPassword)
		try("10.1.1.1", second, ptr("hunter3"), errPassword)
		try("10.1.1.1", first, ptr(""), errPassword)
		try("10.1.1.1", first, ptr("hunter2"), errGuesses)
		try("10.1.1.1", second, ptr("hunter2"), errGuesses)
		try("10.1.1.1", free, ptr("hunter3"), nil) // which has none to guess
		try("10.2.2.2", first, ptr("hunter2"), nil)
		if got := h.Counts().Refused; got[LimitGuesses] != 2 || got[LimitMatchGuesses] != 0 {
			t.Errorf("counted %v, want 2 guesses", got)
		}
		time.Sleep(20 * time.Second)
		try("10.1.1.1", second, ptr("hunter2"), nil)
	})
}

func TestGuessesOfAMatchPasswordAreLimitedForAllAddressesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := guessing(guess.Limits{Address: 3, Secret: 5})
		defer h.shut()
		id := h.open(t, func(r *protocol.GameNew) { r.Password = ptr("hunter2") })
		join := func(from, password string) error {
			return h.Join(h.person("bob"), from, protocol.LobbyJoinMatch{ID: id, Name: "bob", Password: &password})
		}
		for i := range 4 {
			if err := join(fmt.Sprint("10.0.0.", i), "hunter3"); !errors.Is(err, errPassword) {
				t.Errorf("address %d: got %v, want %v", i, err, errPassword)
			}
		}
		if err := join("", "hunter3"); !errors.Is(err, errPassword) { // somebody without limits of his address
			t.Errorf("got %v, want %v", err, errPassword)
		}
		for _, from := range []string{"10.0.0.9", ""} {
			if err := join(from, "hunter2"); !errors.Is(err, errMatchGuesses) {
				t.Errorf("from %q: got %v, want %v", from, err, errMatchGuesses)
			}
		}
		if got := h.Counts().Refused[LimitMatchGuesses]; got != 2 {
			t.Errorf("counted %d, want 2", got)
		}
	})
}

func TestGuessesOfTheVerificationPasswordAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := guessing(guess.Limits{Address: 2, Secret: 4})
		defer h.shut()
		create := func(from, password string) error {
			_, err := h.Create(context.Background(), from, protocol.GameNew{Name: "T", Game: "duel", Verification: &password})
			return err
		}
		for range 2 {
			if err := create("10.1.1.1", "wrong"); !errors.Is(err, errVerification) {
				t.Errorf("got %v, want %v", err, errVerification)
			}
		}
		if err := create("10.1.1.1", "open sesame"); !errors.Is(err, errGuesses) {
			t.Errorf("got %v, want %v", err, errGuesses)
		}
		// Strangers can't keep others out, however many addresses they have.
		for i := range 50 {
			_ = create(fmt.Sprint("10.2.2.", i), "wrong")
		}
		if err := create("10.3.3.3", "open sesame"); err != nil {
			t.Errorf("another address: %v", err)
		}
		// Those without limits of their address share one.
		for range 4 {
			if err := create("", "wrong"); !errors.Is(err, errVerification) {
				t.Errorf("got %v, want %v", err, errVerification)
			}
		}
		if err := create("", "open sesame"); !errors.Is(err, errGuesses) {
			t.Errorf("got %v, want %v", err, errGuesses)
		}
		if got := h.Counts().Refused[LimitGuesses]; got != 2 {
			t.Errorf("counted %d, want 2", got)
		}
	})
}
