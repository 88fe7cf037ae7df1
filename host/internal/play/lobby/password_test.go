package lobby

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/base/guess"
	"colosseum/protocol"
)

// limitGuesses sets the limits of guesses.
func (l *testLobby) limitGuesses(limits guess.Limits) {
	l.SetLimits(Limits{Matches: 100, Expiry: time.Hour, Stall: time.Minute, Guesses: limits})
}

func TestPasswordThatIsNotExactlyRightIsRefused(t *testing.T) {
	almost := func(right string) []string {
		return []string{strings.ToUpper(right), right[:len(right)-1], right[1:], right[:len(right)-1] + "_", "_" + right[1:], right + "_"}
	}
	inLobby(t, 100, func(t *testing.T, l *testLobby) {
		const right = "a-password-of-31-characters-2yz"
		id := l.create(t, func(r *protocol.GameNew) { r.Password = new(right) })
		for _, wrong := range almost(right) {
			if err := l.Join(l.client("bob"), Client{}, protocol.LobbyJoinMatch{ID: id, Name: "bob", Password: &wrong}); !errors.Is(err, errPassword) {
				t.Errorf("%s: got %v, want %v", wrong, err, errPassword)
			}
		}
		for _, wrong := range almost(secret) {
			if err := l.checkVerification("", wrong); !errors.Is(err, errVerification) {
				t.Errorf("verification, %s: got %v, want %v", wrong, err, errVerification)
			}
		}
	})
}

func TestGuessesOfAMatchPasswordAreLimitedByAddress(t *testing.T) {
	inLobby(t, 100, func(t *testing.T, l *testLobby) {
		l.limitGuesses(guess.Limits{Address: 3})
		withPassword := func(r *protocol.GameNew) { r.Password = new("hunter2") }
		first, second := l.create(t, withPassword), l.create(t, withPassword)
		free := l.create(t, nil)
		try := func(from, id string, password *string, want error) {
			t.Helper()
			if err := l.Join(l.client("bob"), Client{Address: from}, protocol.LobbyJoinMatch{ID: id, Name: "bob", Password: password}); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		for range 100 {
			try("10.1.1.1", first, nil, errPassword) // not a guess
		}
		try("10.1.1.1", first, new("hunter3"), errPassword)
		try("10.1.1.1", second, new("hunter3"), errPassword)
		try("10.1.1.1", first, new(""), errPassword)
		try("10.1.1.1", first, new("hunter2"), errGuesses)
		try("10.1.1.1", second, new("hunter2"), errGuesses)
		try("10.1.1.1", free, new("hunter3"), nil) // it has no password
		try("10.2.2.2", first, new("hunter2"), nil)
		if got := l.Stats().Refused; got[LimitGuesses] != 2 || got[LimitMatchGuesses] != 0 {
			t.Errorf("the refusals are %v, want 2 for guesses", got)
		}
		time.Sleep(20 * time.Second)
		try("10.1.1.1", second, new("hunter2"), nil)
	})
}

func TestGuessesOfAMatchPasswordAreLimitedForAllAddressesTogether(t *testing.T) {
	inLobby(t, 100, func(t *testing.T, l *testLobby) {
		l.limitGuesses(guess.Limits{Address: 3, Secret: 5})
		id := l.create(t, func(r *protocol.GameNew) { r.Password = new("hunter2") })
		join := func(from, password string) error {
			return l.Join(l.client("bob"), Client{Address: from}, protocol.LobbyJoinMatch{ID: id, Name: "bob", Password: &password})
		}
		for i := range 4 {
			if err := join(fmt.Sprint("10.0.0.", i), "hunter3"); !errors.Is(err, errPassword) {
				t.Errorf("address %d: got %v, want %v", i, err, errPassword)
			}
		}
		if err := join("", "hunter3"); !errors.Is(err, errPassword) { // a client without an address
			t.Errorf("got %v, want %v", err, errPassword)
		}
		for _, from := range []string{"10.0.0.9", ""} {
			if err := join(from, "hunter2"); !errors.Is(err, errMatchGuesses) {
				t.Errorf("from %q: got %v, want %v", from, err, errMatchGuesses)
			}
		}
		if got := l.Stats().Refused[LimitMatchGuesses]; got != 2 {
			t.Errorf("counted %d, want 2", got)
		}
	})
}

func TestGuessesOfTheVerificationPasswordAreLimited(t *testing.T) {
	inLobby(t, 100, func(t *testing.T, l *testLobby) {
		l.limitGuesses(guess.Limits{Address: 2, Secret: 4})
		create := func(from, password string) error {
			_, err := l.Create(context.Background(), Client{Address: from}, protocol.GameNew{Name: "T", Game: "duel", Verification: &password})
			return err
		}
		for range 2 {
			if err := create("10.1.1.1", "wrong"); !errors.Is(err, errVerification) {
				t.Errorf("got %v, want %v", err, errVerification)
			}
		}
		if err := create("10.1.1.1", secret); !errors.Is(err, errGuesses) {
			t.Errorf("got %v, want %v", err, errGuesses)
		}
		// Strangers can't lock others out, from any number of addresses.
		for i := range 50 {
			_ = create(fmt.Sprint("10.2.2.", i), "wrong")
		}
		if err := create("10.3.3.3", secret); err != nil {
			t.Errorf("another address: got %v, want no error", err)
		}
		// Clients without an address share one limit.
		for range 4 {
			if err := create("", "wrong"); !errors.Is(err, errVerification) {
				t.Errorf("got %v, want %v", err, errVerification)
			}
		}
		if err := create("", secret); !errors.Is(err, errGuesses) {
			t.Errorf("got %v, want %v", err, errGuesses)
		}
		if got := l.Stats().Refused[LimitGuesses]; got != 2 {
			t.Errorf("counted %d, want 2", got)
		}
	})
}
