package gamedir

import (
	"context"
	"errors"
	"sync"
)

// ErrSilent is the error of a visit to a folder that does not answer, because the
// system waits for its disk or server.
var ErrSilent = errors.New("the game's folder does not answer: is its disk or server gone?")

// Visits runs functions that read one folder, one at a time. A system call that waits
// for a disk can't be cancelled and keeps a thread: while one waits, no other starts.
type Visits struct {
	turn    chan struct{} // 1: held during a call
	answers func()

	mu     sync.Mutex // guards the field below
	silent bool       // the call has taken longer than its context
}

// NewVisits returns the Visits of one folder. If answers is not nil, it is called
// when the folder answers again after an [ErrSilent].
func NewVisits(answers func()) *Visits {
	return &Visits{turn: make(chan struct{}, 1), answers: answers}
}

// Visit returns the result of look. If ctx ends first, it returns [ErrSilent]
// while look runs on, and so do all visits until look returns. Look must not write
// to anything that its caller reads. Visits can run concurrently.
func Visit[T any](ctx context.Context, v *Visits, look func() T) (T, error) {
	var none T
	v.mu.Lock()
	silent := v.silent
	v.mu.Unlock()
	if silent {
		return none, ErrSilent
	}
	select {
	case v.turn <- struct{}{}:
	case <-ctx.Done():
		return none, ErrSilent
	}
	found := make(chan T, 1) // 1: its receiver might have left
	go func() {              // ends when the folder answers
		t := look()
		v.mu.Lock()
		late := v.silent
		v.silent = false
		found <- t
		v.mu.Unlock()
		<-v.turn
		if late && v.answers != nil {
			v.answers()
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
	case t := <-found: // just after ctx ended
		return t, nil
	default:
		v.silent = true
		return none, ErrSilent
	}
}
