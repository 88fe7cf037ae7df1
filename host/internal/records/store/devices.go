package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Device is a client that waits until a person allows it to log in (RFC 8628).
type Device struct {
	Code    Secret // of the device code, which only the client has
	Shown   string // the user code, which the person types
	Client  string // what the client says about itself
	Address string // from which it asks, as limits count it; empty: without limits
	Expires time.Time
}

// ErrDevices is the error of AddDevice when too many devices wait.
var ErrDevices = errors.New("too many devices wait")

// AddDevice stores a device that waits, unless all devices, or those of its address, are as
// many as can wait. It reports whether the user code was free. It removes all that have expired.
func (p *Players) AddDevice(ctx context.Context, d Device, all, ofAddress int) (added bool, err error) {
	err = p.change(ctx, "store a login", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM device_codes WHERE expires <= $1`, time.Now().UnixNano()); err != nil {
			return err
		}
		var waiting, here int
		if err := tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(CASE WHEN address = $1 THEN 1 ELSE 0 END), 0) FROM device_codes`, d.Address).Scan(&waiting, &here); err != nil {
			return err
		}
		if waiting >= all || d.Address != "" && here >= ofAddress {
			return ErrDevices
		}
		added, err = changed(tx.ExecContext(ctx, `INSERT INTO device_codes (code, shown, client, address, polled, expires) VALUES ($1, $2, $3, $4, 0, $5) ON CONFLICT DO NOTHING`,
			d.Code[:], d.Shown, d.Client, d.Address, d.Expires.UnixNano()))
		return err
	})
	return added, err
}

// Waiting returns the device with a user code that nobody has answered yet.
func (p *Players) Waiting(ctx context.Context, shown string) (d Device, found bool, err error) {
	d.Shown = shown
	var expires int64
	err = p.read.QueryRowContext(ctx, `SELECT client, address, expires FROM device_codes WHERE shown = $1 AND player IS NULL AND expires > $2`, shown, time.Now().UnixNano()).Scan(&d.Client, &d.Address, &expires)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Device{}, false, nil
	case err != nil:
		return Device{}, false, fmt.Errorf("read the players in %s: %w", p.d, p.d.Explain(err))
	}
	d.Expires = time.Unix(0, expires)
	return d, true, nil
}

// Answer allows the device with a user code to log in as a player; with "" it denies that. It
// reports whether the device still waited.
func (p *Players) Answer(ctx context.Context, shown, player string) (waited bool, err error) {
	err = p.change(ctx, "answer a login", func(ctx context.Context, tx *sql.Tx) error {
		waited, err = changed(tx.ExecContext(ctx, `UPDATE device_codes SET player = $1 WHERE shown = $2 AND player IS NULL AND expires > $3`, player, shown, time.Now().UnixNano()))
		return err
	})
	return waited, err
}

// DeviceState is how far a device has come.
type DeviceState int

// The states of devices.
const (
	DeviceGone    DeviceState = iota // it has expired, was let in or denied before, or never waited
	DeviceWaits                      // nobody has answered
	DeviceEarly                      // the same, and the device has asked again too soon
	DeviceDenied                     // the person has denied it, or the player was removed
	DeviceAllowed                    // it can log in
)

// Polled is what a device gets that asks whether it can log in.
type Polled struct {
	State  DeviceState
	Player string // with DeviceAllowed
	Client string // with DeviceAllowed: what the device says about itself
}

// Poll returns how far a device has come. It is too soon less than pause after the last call.
// Each denial or permission is returned once.
func (p *Players) Poll(ctx context.Context, code Secret, pause time.Duration) (polled Polled, err error) {
	err = p.change(ctx, "answer a login", func(ctx context.Context, tx *sql.Tx) error {
		polled, err = p.poll(ctx, tx, code, pause)
		return err
	})
	return polled, err
}

func (p *Players) poll(ctx context.Context, tx *sql.Tx, code Secret, pause time.Duration) (Polled, error) {
	now := time.Now()
	var player sql.NullString
	var client string
	var last int64
	err := tx.QueryRowContext(ctx, `SELECT player, client, polled FROM device_codes WHERE code = $1 AND expires > $2`, code[:], now.UnixNano()).Scan(&player, &client, &last)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Polled{}, nil
	case err != nil:
		return Polled{}, err
	case !player.Valid:
		state := DeviceWaits
		if now.Sub(time.Unix(0, last)) < pause {
			state = DeviceEarly
		}
		_, err := tx.ExecContext(ctx, `UPDATE device_codes SET polled = $1 WHERE code = $2`, now.UnixNano(), code[:])
		return Polled{State: state}, err
	}
	deleted, err := changed(tx.ExecContext(ctx, `DELETE FROM device_codes WHERE code = $1`, code[:]))
	if err != nil || !deleted { // another host was first
		return Polled{}, err
	}
	var name string
	err = tx.QueryRowContext(ctx, `SELECT name FROM players WHERE token IS NOT NULL AND `+p.named("$1"), player.String).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		return Polled{State: DeviceDenied}, nil
	}
	return Polled{DeviceAllowed, name, client}, err
}
