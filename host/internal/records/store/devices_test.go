package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// device returns a device that waits for an hour; its code is its user code.
func device(shown, address string) Device {
	return Device{Code: secret(shown), Shown: shown, Client: "coco", Address: address, Expires: time.Now().Add(time.Hour)}
}

func wantAdded(t *testing.T, p *Players, d Device, want bool, wantErr error) {
	t.Helper()
	if added, err := p.AddDevice(context.Background(), d, 5, 2); added != want || !errors.Is(err, wantErr) {
		t.Errorf("adding %s: got %v, %v, want %v, %v", d.Shown, added, err, want, wantErr)
	}
}

func wantPoll(t *testing.T, p *Players, shown string, pause time.Duration, want DeviceState, wantPlayer string) {
	t.Helper()
	if got, err := p.Poll(context.Background(), secret(shown), pause); got.State != want || got.Player != wantPlayer || err != nil {
		t.Errorf("polling %s: got %+v, %v, want %v %q", shown, got, err, want, wantPlayer)
	}
}

func wantAnswered(t *testing.T, p *Players, shown, player string, want bool) {
	t.Helper()
	if waited, err := p.Answer(context.Background(), shown, player); waited != want || err != nil {
		t.Errorf("answering %s: got %v, %v, want %v", shown, waited, err, want)
	}
}

func TestADeviceLogsInOnceAfterItWasAllowed(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		add(t, p, "Ana")
		wantPoll(t, p, "AAAA", 0, DeviceGone, "")
		wantAnswered(t, p, "AAAA", "Ana", false)
		wantAdded(t, p, device("AAAA", "a"), true, nil)
		wantPoll(t, p, "AAAA", time.Hour, DeviceWaits, "")
		wantPoll(t, p, "AAAA", time.Hour, DeviceEarly, "")
		wantPoll(t, p, "AAAA", 0, DeviceWaits, "")
		if d, found, err := p.Waiting(context.Background(), "AAAA"); !found || err != nil || d.Client != "coco" || d.Address != "a" || !d.Expires.After(time.Now()) {
			t.Errorf("got %+v %v, %v, want the device", d, found, err)
		}
		wantAnswered(t, p, "AAAA", "ana", true)
		wantAnswered(t, p, "AAAA", "", false)
		if _, found, err := p.Waiting(context.Background(), "AAAA"); found || err != nil {
			t.Errorf("got %v, %v, want no device that waits", found, err)
		}
		wantPoll(t, p, "AAAA", time.Hour, DeviceAllowed, "Ana")
		wantPoll(t, p, "AAAA", 0, DeviceGone, "")
	})
}

func TestADeviceIsDeniedByThePersonOrByTheRemovalOfThePlayer(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		add(t, p, "Ana")
		wantAdded(t, p, device("AAAA", ""), true, nil)
		wantAdded(t, p, device("BBBB", ""), true, nil)
		wantAnswered(t, p, "AAAA", "", true)
		wantPoll(t, p, "AAAA", 0, DeviceDenied, "")
		wantPoll(t, p, "AAAA", 0, DeviceGone, "")
		wantAnswered(t, p, "BBBB", "Ana", true)
		if _, err := p.Remove(context.Background(), []string{"Ana"}); err != nil {
			t.Fatal(err)
		}
		wantPoll(t, p, "BBBB", 0, DeviceDenied, "")
	})
}

func TestDevicesThatWaitAreBoundedAndExpire(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		wantAdded(t, p, device("AAAA", "a"), true, nil)
		again := device("AAAA", "a")
		again.Code = secret("other")
		wantAdded(t, p, again, false, nil)
		late := device("BBBB", "a")
		late.Expires = time.Now().Add(-time.Second)
		wantAdded(t, p, late, true, nil)
		wantPoll(t, p, "BBBB", 0, DeviceGone, "")
		wantAnswered(t, p, "BBBB", "Ana", false)
		wantAdded(t, p, device("CCCC", "a"), true, nil) // the late one is removed
		wantAdded(t, p, device("DDDD", "a"), false, ErrDevices)
		for i := range 3 {
			wantAdded(t, p, device(fmt.Sprint("EEEE", i), ""), true, nil)
		}
		wantAdded(t, p, device("FFFF", "b"), false, ErrDevices)
	})
}

func TestAPermissionIsUsedOnceHoweverManyPoll(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, where := on.openPlayersTemp(t)
		other := openPlayersAt(t, where)
		add(t, p, "Ana")
		wantAdded(t, p, device("AAAA", ""), true, nil)
		wantAnswered(t, p, "AAAA", "Ana", true)
		var allowed atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				polled, err := []*Players{p, other}[i%2].Poll(context.Background(), secret("AAAA"), 0)
				if err != nil {
					t.Error(err)
				}
				if polled.State == DeviceAllowed {
					allowed.Add(1)
				}
			})
		}
		all.Wait()
		if allowed.Load() != 1 {
			t.Errorf("got %d logins, want 1", allowed.Load())
		}
	})
}

func TestAnIdentityHasOnePlayer(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		ctx := context.Background()
		ann, other := Identity{"https://school.example", "1"}, Identity{"https://other.example", "1"}
		want := func(id Identity, player string, removed bool) {
			t.Helper()
			if got, gone, err := p.ByIdentity(ctx, id); got != player || gone != removed || err != nil {
				t.Errorf("got %q %v, %v, want %q %v", got, gone, err, player, removed)
			}
		}
		want(ann, "", false)
		if err := p.AddWith(ctx, newcomer("Ann"), nil, &ann); err != nil {
			t.Fatal(err)
		}
		want(ann, "Ann", false)
		want(other, "", false)
		if err := p.AddWith(ctx, newcomer("Second"), nil, &ann); !errors.Is(err, ErrIdentity) {
			t.Errorf("a second player: got %v, want ErrIdentity", err)
		}
		wantOwner(t, p, "Second", "")
		var taken *TakenError
		if err := p.AddWith(ctx, newcomer("ann"), nil, &other); !errors.As(err, &taken) {
			t.Errorf("the name of another player: got %v, want a TakenError", err)
		}
		invite := secret("none")
		if err := p.AddWith(ctx, newcomer("Eve"), &invite, &other); !errors.Is(err, ErrInvite) {
			t.Errorf("a wrong invitation: got %v, want ErrInvite", err)
		}
		want(other, "", false)
		if err := p.Link(ctx, other, "ann"); err != nil {
			t.Fatal(err)
		}
		if err := p.Link(ctx, other, "ann"); !errors.Is(err, ErrIdentity) {
			t.Errorf("linked again: got %v, want ErrIdentity", err)
		}
		want(other, "Ann", false)
		if _, err := p.Remove(ctx, []string{"Ann"}); err != nil {
			t.Fatal(err)
		}
		want(ann, "Ann", true)
	})
}
