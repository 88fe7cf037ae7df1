package load

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/gorilla/websocket"
)

// relay is the floor: it pairs connections in order of arrival, and forwards the
// lines of one to the other.
func relay() {
	upgrader := websocket.Upgrader{ReadBufferSize: 512, WriteBufferSize: 1024, WriteBufferPool: &sync.Pool{}}
	waiting := make(chan *websocket.Conn, 1)
	pass := func(from, to *websocket.Conn) {
		buffer := make([]byte, 4096)
		for {
			_, r, err := from.NextReader()
			if err != nil {
				_ = to.Close()
				return
			}
			n, _ := io.ReadFull(r, buffer) // one short line
			if err := to.WriteMessage(websocket.BinaryMessage, buffer[:n]); err != nil {
				return
			}
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		select {
		case other := <-waiting:
			go pass(conn, other)
			go pass(other, conn)
		default:
			waiting <- conn
		}
	})))
}
