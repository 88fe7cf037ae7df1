package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/players"
	"colosseum/protocol"
)

func TestCookieLogsInPagesOfThisHostOnly(t *testing.T) {
	srv := startServer(t, func(l *Limits) { l.Origins = []string{"*"} })
	host := strings.TrimPrefix(srv.http.URL, "http://")
	tests := []struct{ name, origin, want string }{
		{"our own page", "http://" + host, "zoe"},
		{"a page of another port in origins", "http://127.0.0.1:1", ""},
		{"a page of another host in origins", "https://club.example", ""},
		{"a sandboxed frame", "null", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := http.Header{"Origin": {tt.origin}, "Cookie": {players.Cookie + "=ZOE"}}
			conn, _, err := websocket.DefaultDialer.Dial("ws://"+host, header)
			if err != nil {
				t.Fatal(err)
			}
			c := &client{t: t, conn: conn, ours: true}
			defer c.close()
			c.sendText(`{"Handshake":{"magic":"coco","version":2}}`)
			_, m := c.readUntil(protocol.NameHandshake)
			var reply struct{ Handshake protocol.Handshake }
			if err := json.Unmarshal([]byte(m), &reply); err != nil || reply.Handshake.Player != tt.want {
				t.Errorf("got %s, want the player %q", m, tt.want)
			}
		})
	}
}
