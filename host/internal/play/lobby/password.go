package lobby

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"

	"colosseum/host/internal/base/guess"
)

// Errors for clients with a wrong password. Programs compare the texts of the
// first two.
var (
	errPassword     = errors.New("Wrong password")
	errVerification = errors.New(`"***" is the wrong verification password`)
	errGuesses      = errors.New("too many wrong passwords from your address: try again in a minute")
	errMatchGuesses = errors.New("too many wrong passwords for this match: try again in a minute")
)

// digest returns the hash of a password; nil: there is none.
func digest(password *string) *[sha256.Size]byte {
	if password == nil {
		return nil
	}
	sum := sha256.Sum256([]byte(*password))
	return &sum
}

// checkPasswordLocked returns an error for the client unless the match has no
// password or the right one is given. Giving none does not count as a guess.
func (l *Lobby) checkPasswordLocked(from string, e *entry, given *[sha256.Size]byte) error {
	if e.password == nil {
		return nil
	}
	if given == nil {
		return errPassword
	}
	err := l.guesses.Try(from, e.info.ID, func() bool { return subtle.ConstantTimeCompare(given[:], e.password[:]) == 1 })
	switch {
	case errors.Is(err, guess.ErrAddress):
		l.refused[LimitGuesses]++
		return errGuesses
	case errors.Is(err, guess.ErrSecret):
		l.refused[LimitMatchGuesses]++
		return errMatchGuesses
	case err != nil:
		return errPassword
	}
	return nil
}

// checkVerification returns an error for the client unless the verification
// password is right. Clients with an address are limited by address alone: with
// a limit for all of them together, strangers could lock out the clients that
// know the password. Clients without an address share one limit.
func (l *Lobby) checkVerification(from, password string) error {
	given := digest(&password)
	secret := ""
	if from == "" {
		secret = "verification" // never the ID of a match
	}
	err := l.guesses.Try(from, secret, func() bool { return subtle.ConstantTimeCompare(given[:], l.verify[:]) == 1 })
	switch {
	case errors.Is(err, guess.ErrAddress), errors.Is(err, guess.ErrSecret):
		l.mu.Lock()
		defer l.mu.Unlock()
		l.refused[LimitGuesses]++
		return errGuesses
	case err != nil:
		return errVerification
	}
	return nil
}
