package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/contests/players"
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

// host players reset and remove are other processes.
func TestPlayerWhoseTokenEndsIsDisconnectedAndServesNoLonger(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		login := func(token string) *client {
			c := srv.dial()
			c.ours = true
			c.sendText(`{"Handshake":{"magic":"coco","version":2,"token":"` + token + `"}}`)
			c.readUntil(protocol.NameHandshake)
			return c
		}
		max, zoe, idle := login("MAX"), login("ZOE"), login("ZOE")
		max.serve("max")
		zoe.serve("zoe")
		readMatches := func(c *client) { c.readUntil(protocol.NameServeMatch) } // max and zoe are paired at once
		readMatches(max)
		readMatches(zoe)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go srv.EndLogins(ctx) // until the end of the test
		time.Sleep(10 * loginsEvery)
		srv.removed.Store(new("ZOE"))
		time.Sleep(loginsEvery)
		synctest.Wait()
		if list := srv.desk.List(); len(list) != 1 || list[0].Name != "max" {
			t.Errorf("got %+v, want max alone", list)
		}
		for name, c := range map[string]*client{"serves": zoe, "is idle": idle} {
			_ = c.conn.SetReadDeadline(time.Now().Add(time.Minute))
			if kind, text := c.read(); kind != "close" || text != "4004 "+errToken.text {
				t.Errorf("a client that %s: got %s %q, want it closed with 4004", name, kind, text)
			}
		}
		max.sendText(`{"Serve":{"games":["duel"],"concurrency":0}}`)
		max.wantText(`{"Serving":{"player":{"Ok":"max"}}}`)
	})
}

func TestARenamedPlayerServesAgainUnderItsNewName(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		login := func(token string) *client {
			c := srv.dial()
			c.ours = true
			c.sendText(`{"Handshake":{"magic":"coco","version":2,"token":"` + token + `"}}`)
			c.readUntil(protocol.NameHandshake)
			return c
		}
		zoe, idle := login("ZOE"), login("ZOE")
		zoe.serve("zoe")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go srv.EndLogins(ctx) // until the end of the test
		srv.renamed.Store(new("zoey"))
		time.Sleep(loginsEvery)
		synctest.Wait()
		if list := srv.desk.List(); len(list) != 0 {
			t.Errorf("got %+v, want nobody to serve", list)
		}
		_ = zoe.conn.SetReadDeadline(time.Now().Add(time.Minute))
		if kind, text := zoe.read(); kind != "close" || !strings.HasPrefix(text, "4003 the player has another name now") {
			t.Errorf("the client that serves: got %s %q, want it closed with 4003", kind, text)
		}
		srv.awaitSessions(1)
		session := srv.onlySession() // idle's
		for name, want := range map[string]bool{"zoe": true, "zoey": true, "max": false} {
			if err := session.allowName(t.Context(), name); (err == nil) != want {
				t.Errorf("the name %s: got %v, want it allowed: %t", name, err, want)
			}
		}
		idle.serve("zoe") // its session goes on under the old name
	})
}

func TestATokenThatIsNotForPlayIsRefused(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		c := srv.dial()
		c.ours = true
		c.sendText(`{"Handshake":{"magic":"coco","version":2,"token":"READER"}}`)
		c.readUntil(protocol.NameHandshake)
		if kind, text := c.read(); kind != "close" || text != "4004 "+players.ErrScope.Error() {
			t.Errorf("got %s %q, want it closed with 4004 and why", kind, text)
		}
	})
}
