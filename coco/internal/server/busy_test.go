package server

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/protocol"
)

func TestRequestIsRepeatedWhileTheServerIsBusy(t *testing.T) {
	busy := &Refused{Text: errors.New("busy"), Err: &websocket.CloseError{Code: protocol.CloseLimit}}
	other, final := errors.New("another error"), &StatusError{Status: 503}
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
		{"refused with a time", []error{&StatusError{Status: 503, again: true}, nil}, 0, nil, 2, time.Second, 1},
		{"refused without one", []error{final}, 0, final, 1, 0, 0},
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
				err := UntilNotBusy(ctx, func(error) { warned++ }, func() error {
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

func TestServerAsksToTryAgainSoon(t *testing.T) {
	for _, tt := range []struct {
		status int
		after  string
		want   bool
	}{
		{503, "5", true}, {429, "0", true}, {503, "30", true},
		{503, "", false}, {429, "31", false}, {503, "-1", false}, {503, "Fri, 27 Nov 2026 10:00:00 GMT", false}, {500, "5", false}, {403, "5", false},
	} {
		reply := &http.Response{StatusCode: tt.status, Header: http.Header{"Retry-After": {tt.after}}}
		if got := soon(reply); got != tt.want {
			t.Errorf("%d after %q: got %t, want %t", tt.status, tt.after, got, tt.want)
		}
	}
}
