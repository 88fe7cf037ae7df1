package lobby

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"

	"colosseum/host/internal/guess"
)

// What a client with a wrong password reads; the first two are known to
// programs.
var (
	errPassword     = errors.New("Wrong password")
	errVerification = errors.New(`"***" is the wrong verification password`)
	errGuesses      = errors.New("too many wrong passwords from your address: try again in a minute")
	errMatchGuesses = errors.New("too many wrong passwords for this match: try again in a minute")
)

// digest is what is kept of a password, and compared; nil: there is none.
func digest(password *string) *[sha256.Size]byte {
	if password == nil {
		return nil
	}
	sum := sha256.Sum256([]byte(*password))
	return &sum
}

// admitted tells whether a player may join a match: it has no password, or the
// player gave it. None given is refused but no guess. Called with mu held.
func (l *Lobby) admitted(from string, e *entry, given *[sha256.Size]byte) error {
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

// verified tells whether a verification password is the right one. All that
// have a limit of their address have none together: with one, strangers could
// keep those who know it from creating verified matches. The others do.
func (l *Lobby) verified(from, password string) error {
	given := digest(&password)
	secret := ""
	if from == "" {
		secret = "verification" // not the ID of a match
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
