package gamedir

import (
	"context"
	"errors"
	"sync"
)

// ErrSilent is the error of a visit to a folder that does not answer: its disk
// or server is gone, and the system waits for it to come back.
var ErrSilent = errors.New("the game's folder does not answer: is its disk or server gone?")

// Visits are looks into one folder, one at a time. A call of the system that
// waits for a disk can't be cancelled, and it keeps a thread: as long as one
// waits, no other is made.
type Visits struct {
	turn chan struct{} // 1: held by the look that is being taken
	back func()

	mu     sync.Mutex // guards the field below
	silent bool       // the look that is being taken has been given up
}

// NewVisits returns the visits of one folder. Back, if it is not nil, is called
// when the folder answers after it had been given up.
func NewVisits(back func()) *Visits { return &Visits{turn: make(chan struct{}, 1), back: back} }

// Visit returns what look returns. When ctx ends before, the error is
// [ErrSilent], look goes on alone, and the visits until it returns have the
// same error at once. So look must not write to what its caller reads.
func Visit[T any](ctx context.Context, v *Visits, look func() T) (T, error) {
	var none T
	if v.isSilent() {
		return none, ErrSilent
	}
	select {
	case v.turn <- struct{}{}:
	case <-ctx.Done():
		return none, ErrSilent
	}
	found := make(chan T, 1) // 1: nobody may be waiting any more
	go func() {              // ends when the folder answers
		t := look()
		v.mu.Lock()
		late := v.silent
		v.silent = false
		found <- t
		v.mu.Unlock()
		<-v.turn
		if late && v.back != nil {
			v.back()
		}
	}()
	select {
	case t := <-found:
		return t, nil
	case <-ctx.Done():
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	select {
	case t := <-found: // in the last moment
		return t, nil
	default:
		v.silent = true
		return none, ErrSilent
	}
}

func (v *Visits) isSilent() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.silent
}
