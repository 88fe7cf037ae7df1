package players

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"
	"unicode"

	"colosseum/host/internal/records/store"
)

// How clients log in by device code.
const (
	DeviceLife     = 10 * time.Minute // of a code
	DeviceInterval = 5 * time.Second  // between two polls of a client

	// deviceSlack is how much sooner a poll can come, because of the network.
	deviceSlack = time.Second
	// deviceToken is how long the token of a client is valid.
	deviceToken = 365 * 24 * time.Hour
	// maxDevices bounds the clients that wait, and maxDevicesHere those of one address: a
	// school has one address.
	maxDevices, maxDevicesHere = 10_000, 100
)

// The answers to a client that polls, as RFC 8628 has them. ErrUnavailable can come as well.
var (
	ErrPending  = errors.New("authorization_pending")
	ErrSlowDown = errors.New("slow_down")
	ErrDenied   = errors.New("access_denied")
	ErrExpired  = errors.New("expired_token") // also for codes that never existed
)

// userLetters are those of user codes: without vowels, so that no words come out, and without
// Y, as RFC 8628, 6.1 recommends.
const userLetters = "BCDFGHJKLMNPQRSTVWXZ"

const userLen = 8

// newUserCode returns a random user code, of 34 bits.
func newUserCode() string {
	code := make([]byte, 0, userLen)
	for len(code) < userLen {
		var b [1]byte
		_, _ = rand.Read(b[:])                          // never fails
		if n := len(userLetters); int(b[0]) < 256/n*n { // all letters are equally likely
			code = append(code, userLetters[int(b[0])%n])
		}
	}
	return string(code)
}

// cleanCode returns a user code as a person has typed it in the form of the store. Others are
// empty.
func cleanCode(typed string) string {
	code := strings.Map(func(r rune) rune {
		switch r = unicode.ToUpper(r); {
		case r == '-' || unicode.IsSpace(r):
			return -1
		case !strings.ContainsRune(userLetters, r):
			return '?'
		}
		return r
	}, typed)
	if len(code) != userLen || strings.Contains(code, "?") {
		return ""
	}
	return code
}

// DeviceLogin is what a client gets that wants to log in.
type DeviceLogin struct {
	Device string // the secret with which it polls
	User   string // the code that the person types, like WDJB-MJHT
}

// AskDevice begins the login of a client, which describes itself. Its errors are ErrDevices
// and ErrUnavailable.
func (r *Registry) AskDevice(ctx context.Context, address, client string) (DeviceLogin, error) {
	device := rand.Text() + rand.Text()
	for {
		user := newUserCode()
		added, err := r.store.AddDevice(ctx, store.Device{
			Code: hash(device), Shown: user, Client: describe(client), Address: address, Expires: time.Now().Add(DeviceLife),
		}, maxDevices, maxDevicesHere)
		switch {
		case errors.Is(err, store.ErrDevices):
			return DeviceLogin{}, ErrDevices
		case err != nil:
			return DeviceLogin{}, r.unavailable(err)
		case added:
			return DeviceLogin{device, user[:userLen/2] + "-" + user[userLen/2:]}, nil
		}
	}
}

// describe returns the description of a client as the label of a token: without signs that
// could deceive.
func describe(client string) string {
	client = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, client)
	return strings.TrimSpace(client[:min(len(client), maxLabel)])
}

// Asking is a client that waits, as the person sees it.
type Asking struct {
	Client  string // what it says about itself; can be empty
	Address string // from which it asks; empty: without limits
}

// Asks returns the client with a user code. Its errors are ErrCode, ErrTooMany after too many
// wrong codes, and ErrUnavailable.
func (r *Registry) Asks(ctx context.Context, address, code string) (Asking, error) {
	// A wrong code could be another one of the many that wait: unlike tokens, codes can be
	// guessed.
	if r.guesses.Spent(address) {
		return Asking{}, ErrTooMany
	}
	d, found, err := r.store.Waiting(ctx, cleanCode(code))
	switch {
	case err != nil:
		return Asking{}, r.unavailable(err)
	case !found:
		return Asking{}, r.guess(address, ErrCode)
	}
	return Asking{Client: d.Client, Address: d.Address}, nil
}

// AnswerDevice lets the client with a user code log in as a player, or with "" denies that. Its
// errors are those of Asks.
func (r *Registry) AnswerDevice(ctx context.Context, address, code, player string) error {
	if r.guesses.Spent(address) {
		return ErrTooMany
	}
	waited, err := r.store.Answer(ctx, cleanCode(code), player)
	switch {
	case err != nil:
		return r.unavailable(err)
	case !waited:
		return r.guess(address, ErrCode)
	}
	return nil
}

// PollDevice returns the new token of a client that was let in, once, and its player.
// Otherwise it returns one of the errors above, or one of Mint.
func (r *Registry) PollDevice(ctx context.Context, device string) (player, token string, err error) {
	polled, err := r.store.Poll(ctx, hash(device), DeviceInterval-deviceSlack)
	if err != nil {
		return "", "", r.unavailable(err)
	}
	switch polled.State {
	case store.DeviceWaits:
		return "", "", ErrPending
	case store.DeviceEarly:
		return "", "", ErrSlowDown
	case store.DeviceDenied:
		return "", "", ErrDenied
	case store.DeviceAllowed:
		token, _, err = r.Mint(ctx, polled.Player, cmp.Or(polled.Client, "coco login"), []Scope{All}, deviceToken)
		return polled.Player, token, err
	}
	return "", "", ErrExpired
}
