package command

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/coco/internal/server"
	"colosseum/protocol"
)

func TestRequestIsRepeatedWhileTheServerIsBusy(t *testing.T) {
	busy := &server.Refused{Text: errors.New("busy"), Err: &websocket.CloseError{Code: protocol.CloseLimit}}
	other := errors.New("another error")
	tests := []struct {
		name    string
		answers []error // the last one repeats
		stop    time.Duration
		want    error
		least   int // calls
		most    time.Duration
		warned  int
	}{
		{"answered", []error{nil}, 0, nil, 1, 0, 0},
		{"answered after three", []error{busy, busy, busy, nil}, 0, nil, 4, 4 * time.Second, 1},
		{"refused for another reason", []error{busy, other}, 0, other, 2, time.Second, 1},
		{"busy", []error{busy}, 0, busy, 10, busyTimeout, 1},
		{"stopped", []error{busy}, time.Second, context.Canceled, 2, time.Second, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.stop > 0 {
					time.AfterFunc(tt.stop, cancel)
				}
				calls, warned, began := 0, 0, time.Now()
				err := untilNotBusy(ctx, func(error) { warned++ }, func() error {
					calls++
					return tt.answers[min(calls, len(tt.answers))-1]
				})
				if err != tt.want || calls < tt.least || warned != tt.warned || time.Since(began) > tt.most {
					t.Errorf("got %v after %d calls, %d warnings and %v, want %v after %d, %d and at most %v",
						err, calls, warned, time.Since(began), tt.want, tt.least, tt.warned, tt.most)
				}
			})
		})
	}
}
