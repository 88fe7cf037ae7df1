package outbox

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/internal/test/wallclock"
	"colosseum/protocol"
)

// hijacked is the answer to a request that came over conn.
type hijacked struct {
	*httptest.ResponseRecorder
	conn net.Conn
}

func (h hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.conn, bufio.NewReadWriter(bufio.NewReader(h.conn), bufio.NewWriter(h.conn)), nil
}

// connect returns an outbox and its client, which are connected in memory: a
// write takes until the client reads. It must be called in a bubble of synctest.
func connect(t *testing.T, budget *Budget) (*Outbox, *websocket.Conn) {
	near, far := net.Pipe()
	upgraded := make(chan *Outbox)
	go func() { // ends with the handshake
		r, err := http.ReadRequest(bufio.NewReader(near))
		if err != nil {
			t.Error(err)
		}
		conn, err := (&websocket.Upgrader{}).Upgrade(hijacked{httptest.NewRecorder(), near}, r, nil)
		if err != nil {
			t.Error(err)
		}
		upgraded <- New(conn.NetConn(), 1<<20, 25*time.Second, budget)
	}()
	d := websocket.Dialer{NetDial: func(string, string) (net.Conn, error) { return far, nil }}
	client, response, err := d.Dial("ws://host", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	o := <-upgraded
	t.Cleanup(func() {
		o.Stop()
		_, _ = near.Close(), far.Close()
	})
	return o, client
}

// unlimited returns a budget without a limit.
func unlimited() *Budget { return NewBudget(0, nil) }

// Subscribers of the lobby stay for hours, and all get its bursts of messages.
func TestBurstOfMessagesLeavesNoMemoryBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, client := connect(t, unlimited())
		for range 1000 {
			o.Push([]byte("news"))
		}
		for range 1000 {
			if _, _, err := client.NextReader(); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if kept := cap(o.queue) + cap(o.spareQueue); kept > 2*keepQueue {
			t.Errorf("kept room for %d messages, want at most %d", kept, 2*keepQueue)
		}
	})
}

// The close frame of a busy host is late. That is no delay of the client.
func TestCloseFrameOfABusyHostIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, client := connect(t, unlimited())
		o.writing = true // as if the goroutine that writes did not run yet
		o.Close(protocol.CloseShutdown, "the end")
		time.AfterFunc(3*CloseTimeout, o.writeAll)
		_, _, err := client.NextReader()
		if closed, ok := errors.AsType[*websocket.CloseError](err); !ok || closed.Code != protocol.CloseShutdown || closed.Text != "the end" {
			t.Errorf("got %v, want a close frame with %d", err, protocol.CloseShutdown)
		}
	})
}

// Otherwise a client that takes a message now and then could keep its connection,
// and so the host, from ending.
func TestClientThatReadsSlowlyDoesNotDelayTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, client := connect(t, unlimited())
		const size = 10000
		for range 100 {
			o.Push(make([]byte, size))
		}
		synctest.Wait()
		begin := time.Now()
		o.Close(protocol.CloseShutdown, "the end")
		for {
			time.Sleep(CloseTimeout / 2)
			if _, err := io.CopyN(io.Discard, client.NetConn(), size); err != nil {
				break
			}
		}
		if took := time.Since(begin); took > 4*CloseTimeout {
			t.Errorf("the connection ended after %v, want at most %v", took, 4*CloseTimeout)
		}
	})
}

func TestClosesThatDiscardWriteTheCloseFrameAlone(t *testing.T) {
	tests := []struct {
		name    string
		close   func(*Outbox)
		code    int
		tooSlow uint64
	}{
		{"CloseTooSlow", (*Outbox).CloseTooSlow, protocol.CloseTooSlow, 1},
		{"DiscardAndClose", func(o *Outbox) { o.DiscardAndClose(protocol.CloseLimit, "too much") }, protocol.CloseLimit, 0},
		{"more than the backlog", func(o *Outbox) { o.Push(make([]byte, 1<<20+1)) }, protocol.CloseTooSlow, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				budget := unlimited()
				o, client := connect(t, budget)
				o.Push([]byte("being written"))
				synctest.Wait()
				o.Push([]byte("discarded"))
				tt.close(o)
				if _, text, err := client.ReadMessage(); string(text) != "being written" {
					t.Errorf("got %q, %v, want the message that was being written", text, err)
				}
				_, _, err := client.ReadMessage()
				if closed, ok := errors.AsType[*websocket.CloseError](err); !ok || closed.Code != tt.code {
					t.Errorf("got %v, want it closed with %d", err, tt.code)
				}
				if got := budget.Stats(); got.TooSlow != tt.tooSlow || got.Backlog != 0 {
					t.Errorf("got %+v, want %d too slow and no backlog", got, tt.tooSlow)
				}
			})
		})
	}
}

// The times of pings are those of Budget.clock.
func TestSilenceOfAClientIsRightWhenTheClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		now := time.Now()
		b := Budget{started: wallclock.Shift(now.Add(-time.Second), by)}
		if got := time.Duration(b.clock(now)); got != time.Second {
			t.Errorf("clock set by %v: got %v, want 1s", -by, got)
		}
	}
}

func TestLongReasonIsCutBetweenLetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, client := connect(t, unlimited())
		o.Close(protocol.CloseProtocol, strings.Repeat("é", 100))
		_, _, err := client.ReadMessage()
		if closed, ok := errors.AsType[*websocket.CloseError](err); !ok || closed.Text != strings.Repeat("é", 61) {
			t.Errorf("got %v, want 61 of 100 letters of two bytes", err)
		}
	})
}

func TestSleepEndsWithTheTimeOrTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, _ := connect(t, unlimited())
		sleep := func() time.Duration {
			begin := time.Now()
			o.Sleep(10 * time.Second)
			return time.Since(begin)
		}
		if got := sleep(); got != 10*time.Second {
			t.Errorf("slept for %v, want 10 s", got)
		}
		time.AfterFunc(time.Second, o.Stop)
		if got := sleep(); got != time.Second {
			t.Errorf("slept for %v, want until it was stopped after 1 s", got)
		}
	})
}
