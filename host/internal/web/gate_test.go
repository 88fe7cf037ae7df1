package web

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// guarded is a house whose connections pass the gate.
func guarded(t *testing.T, change func(*Limits)) *house {
	t.Helper()
	h := open(t, change)
	h.http.Close()
	h.http = httptest.NewUnstartedServer(h.Server)
	h.http.Config.ConnState = h.ConnState
	h.http.Start()
	return h
}

// mute connects and says nothing.
func (h *house) mute() net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", h.http.Listener.Addr().String())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (h *house) unshaken() int {
	h.gate.mu.Lock()
	defer h.gate.mu.Unlock()
	return len(h.gate.open)
}

func TestConnectionsThatNeverShakeHandsAreLimited(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Limits)
		limit  string
	}{
		{"of one address", perAddress(PerAddress{Connections: 3}), limitUnshaken},
		{"of all together", func(l *Limits) { l.Files = 3 }, limitFiles},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := guarded(t, tt.change)
			first := h.mute()
			h.mute()
			h.mute()
			eventually(t, "all within the limit are in", func() bool { return h.unshaken() == 3 })
			for range 5 {
				beyond := h.mute()
				if _, err := beyond.Read(make([]byte, 1)); err == nil { // one that is kept hears nothing
					t.Error("one beyond the limit was answered")
				}
			}
			if n := h.unshaken(); n != 3 {
				t.Errorf("%d of the 3 within the limit were kept", n)
			}
			if n := h.Counts().Limited[tt.limit]; n != 5 {
				t.Errorf("%d were counted", n)
			}
			_ = first.Close()
			eventually(t, "there is room", func() bool { return h.unshaken() == 2 })
			c := h.enter() // a session is none of them
			eventually(t, "the session has left the gate", func() bool { return h.unshaken() == 2 })
			c.hangUp()
		})
	}
}

func TestGateForgetsWhoHasGone(t *testing.T) {
	h := guarded(t, perAddress(PerAddress{Connections: 10}))
	for range 20 {
		c := h.enter()
		c.hangUp()
		eventually(t, "the session ends", func() bool { return h.count() == 0 })
		r, err := http.Get(h.http.URL)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
		http.DefaultClient.CloseIdleConnections()
	}
	eventually(t, "nobody is at the gate", func() bool {
		h.gate.mu.Lock()
		defer h.gate.mu.Unlock()
		return len(h.gate.open) == 0 && len(h.gate.each) == 0
	})
	if n := len(h.Counts().Limited); n != 0 {
		t.Errorf("%d limits were met", n)
	}
}
