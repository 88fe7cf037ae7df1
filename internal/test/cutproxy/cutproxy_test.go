package cutproxy

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// echo starts a server that sends back each message, and returns its URL.
func echo(t *testing.T) string {
	upgrader := websocket.Upgrader{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return // the connection was cut
		}
		defer ws.Close()
		for {
			kind, b, err := ws.ReadMessage()
			if err != nil || ws.WriteMessage(kind, b) != nil {
				return
			}
		}
	}))
	t.Cleanup(web.Close)
	return "ws" + strings.TrimPrefix(web.URL, "http") + "/"
}

func dial(t *testing.T, url string) *websocket.Conn {
	ws, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

func TestFramesOfAllSizesPass(t *testing.T) {
	p, url := Listen(t, echo(t), func(Frame) Action { return Action{Pieces: 3} })
	ws := dial(t, url)
	sizes := []int{0, 1, 125, 126, 65535, 65536, 1 << 20}
	for _, size := range sizes {
		sent := bytes.Repeat([]byte{'x'}, size)
		ws.WriteMessage(websocket.BinaryMessage, sent)
		if _, got, err := ws.ReadMessage(); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%d bytes: got %d, %v, want the same", size, len(got), err)
		}
	}
	if in, out := p.Frames(); in < len(sizes) || out < len(sizes) {
		t.Errorf("got %d and %d frames, want at least %d each", in, out, len(sizes))
	}
}

func TestCutsAreWhereThePlanHasThem(t *testing.T) {
	for _, d := range []Direction{ToServer, ToClient} {
		for _, tt := range []struct {
			place    Place
			answered int // messages of which the answer arrives
		}{{Before, 1}, {Middle, 1}, {After, map[Direction]int{ToServer: 1, ToClient: 2}[d]}} {
			_, url := Listen(t, echo(t), Once(d, 1, tt.place))
			ws := dial(t, url)
			answered := 0
			for range 3 {
				ws.WriteMessage(websocket.TextMessage, []byte("hello"))
				if _, _, err := ws.ReadMessage(); err != nil {
					if !websocket.IsCloseError(err, websocket.CloseAbnormalClosure) {
						t.Errorf("%v %v: got %v, want a broken connection", tt.place, d, err)
					}
					break
				}
				answered++
			}
			if answered != tt.answered {
				t.Errorf("cut %v frame 1 %v: got %d answers, want %d", tt.place, d, answered, tt.answered)
			}
			if err := dial(t, url).WriteMessage(websocket.TextMessage, nil); err != nil {
				t.Errorf("second connection: got %v, want nil", err)
			}
		}
	}
}
