package serve

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
)

func TestConnectionForAMatchIsTriedAgain(t *testing.T) {
	broken, refused := &server.ConnectionError{Err: errors.New("the connection was lost")}, &server.Refused{Text: locale.Errorf("no")}
	always := func(err error) func(int) error { return func(int) error { return err } }
	tests := []struct {
		name    string
		answers func(attempt int) error // from 1
		want    int                     // attempts
		err     error
	}{
		{"it works", always(nil), 1, nil},
		{"it works the third time", func(n int) error {
			if n < 3 {
				return broken
			}
			return nil
		}, 3, nil},
		{"it never works", always(broken), len(delays) + 1, broken},
		{"the server refuses", always(refused), 1, refused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				p := &Program{Dial: func(context.Context) (*server.Conn, error) {
					n++
					return nil, tt.answers(n)
				}}
				begun := time.Now()
				if _, err := connect(t.Context(), p.Dial); n != tt.want || err != tt.err {
					t.Errorf("got %d attempts and %v, want %d and %v", n, err, tt.want, tt.err)
				}
				if took := time.Since(begun); took > 10*time.Second {
					t.Errorf("got an answer after %v, want it within the time to join", took)
				}
			})
		})
	}
}

func TestConnectionForAMatchEndsWithTheDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		broken := &server.ConnectionError{Err: errors.New("the connection was lost")}
		n := 0
		p := &Program{Dial: func(context.Context) (*server.Conn, error) {
			n++
			return nil, broken
		}}
		if _, err := connect(ctx, p.Dial); err != broken || n != 2 {
			t.Errorf("got %v after %d attempts, want %v after 2", err, n, broken)
		}
	})
}
