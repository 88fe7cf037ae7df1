//go:build unix

package arrival

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestBytesReadLateHaveTheTimeOfTheirArrival(t *testing.T) {
	client, server := connect(t, "tcp", "127.0.0.1:0")
	r := Of(server)
	if !r.stamped {
		t.Skip("this system returns no arrival times")
	}
	// The system begins to record times shortly after the first socket asks.
	for recorded := false; !recorded; {
		write(t, client, "x")
		for !r.waiting() {
		}
		came := time.Now()
		expect(t, server, "x")
		recorded = r.Last().Before(came)
	}
	began := time.Now()
	write(t, client, "late")
	for !r.waiting() {
	}
	came := time.Now()
	for !time.Now().After(came.Add(20 * time.Millisecond)) {
	}
	expect(t, server, "late")
	if got := r.Last(); got.Before(began.Add(-time.Millisecond)) || got.After(came) { // the clock is read twice
		t.Errorf("got %v after the write began, want 0 to %v", got.Sub(began), came.Sub(began))
	}
}

func TestUnreadBytesAreFound(t *testing.T) {
	pipe := func(t *testing.T) (io.Writer, io.Reader, *Reader) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close(); w.Close() })
		reader, err := NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		return w, reader, reader
	}
	socket := func(network, address string) func(t *testing.T) (io.Writer, io.Reader, *Reader) {
		return func(t *testing.T) (io.Writer, io.Reader, *Reader) {
			client, server := connect(t, network, address)
			return client, server, Of(server)
		}
	}
	tests := []struct {
		name string
		open func(t *testing.T) (io.Writer, io.Reader, *Reader)
	}{
		{"TCP", socket("tcp", "127.0.0.1:0")},
		{"Unix socket", socket("unix", filepath.Join(t.TempDir(), "s"))},
		{"pipe", pipe},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, conn, r := tt.open(t)
			if r.Unread(time.Now()) {
				t.Error("got unread bytes before any arrived, want none")
			}
			write(t, w, "abc")
			for !r.Unread(time.Now()) { // until they arrive
			}
			limit := time.Now()
			if !r.Unread(limit) {
				t.Error("got no unread bytes, want those that wait")
			}
			expect(t, conn, "abc")
			if !r.Last().Before(limit) {
				t.Errorf("got %v after the limit, want before: the bytes waited then", r.Last().Sub(limit))
			}
			if !r.Unread(limit) {
				t.Error("got no unread bytes, want those that are being handled")
			}
			if r.Unread(r.Last()) {
				t.Error("got unread bytes older than those that are being handled, want none")
			}
			write(t, w, "d")
			expect(t, conn, "d") // so the bytes before it are handled
			if got := r.Last(); got.Before(limit.Add(-time.Second)) {
				t.Errorf("got %v before the limit for the next bytes, want after", limit.Sub(got))
			}
		})
	}
}
