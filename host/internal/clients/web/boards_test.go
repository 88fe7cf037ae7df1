package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// watchMany watches matches together, and reads up to the answer. It collects the bytes of
// boards by match, and returns the texts.
func (c *client) watchMany(streams map[string]string, ids ...string) (texts []string) {
	c.t.Helper()
	c.ours = true
	c.sendText(string(protocol.Encode(protocol.NameSpectateMatches, protocol.SpectateMatches{IDs: append([]string{}, ids...)})))
	for {
		text := c.readBoards(streams)
		texts = append(texts, text)
		if strings.HasPrefix(text, `{"SpectateMatches"`) {
			return texts
		}
	}
}

// readBoards reads frames of boards, and collects the bytes by match, until a text comes.
func (c *client) readBoards(streams map[string]string) (text string) {
	c.t.Helper()
	for {
		kind, data := c.read()
		if kind != "binary" {
			return data
		}
		id, part, found := strings.Cut(data, "\n")
		if !found || len(id) != 13 {
			c.t.Fatalf("got %.40q, want an ID and bytes of its match", data)
		}
		streams[id] += part
	}
}

func TestClientWatchesMatchesTogether(t *testing.T) {
	srv := startServer(t, nil)
	a, b, eve := srv.connect(), srv.connect(), srv.connect()
	first, second := a.startEcho(), b.startEcho()
	a.sendBytes("one\n")
	a.wantBytes("<one>\n")
	const nobody = "0000000000000"
	streams := map[string]string{}
	got := strings.Join(eve.watchMany(streams, first, second, nobody, first), "\n")
	for _, want := range []string{
		`{"SpectateJoined":{"id":"` + first + `","info":{"Ok":`, `{"SpectateStarted":{"id":"` + second + `"}}`, `{"SpectateJoined":{"id":"` + nobody + `","info":{"Err":`,
		`{"SpectateMatches":{"ids":["` + first + `","` + second + `"]}}`,
	} {
		if !strings.Contains(got, want) {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	}
	for range 2 - strings.Count(got, `{"SpectateSynced":`) { // those that came before the answer
		if text := eve.readBoards(streams); !strings.HasPrefix(text, `{"SpectateSynced":{"id":"`) {
			t.Fatalf("got %s, want SpectateSynced", text)
		}
	}
	if streams[first] != "<one>\n" || streams[second] != "" {
		t.Errorf("got %q, want what was said in the first match", streams)
	}

	// The second one ends, and the client leaves the first one.
	b.sendBytes("two\nend\n")
	b.readUntil(protocol.NameMatchEnded)
	if text := eve.readBoards(streams); !strings.HasPrefix(text, `{"SpectateEnded":{"id":"`+second+`","result":{`) || streams[second] != "<two>\n" {
		t.Fatalf("got %s after %q, want all of the second match", text, streams)
	}
	if got := eve.watchMany(streams, first); got[0] != `{"SpectateMatches":{"ids":["`+first+`"]}}` {
		t.Errorf("got %q, want only the match that goes on", got)
	}
	if got := eve.watchMany(streams); got[len(got)-1] != `{"SpectateMatches":{"ids":[]}}` {
		t.Errorf("got %q, want no match", got)
	}
	a.sendBytes("three\n")
	a.wantBytes("<three>\n")
	eve.sendText(`{"GameDescription":{"name":"x"}}`) // it is idle again
	eve.wantText(`{"GameDescription":{"description":null}}`)
	if n := srv.lobby.List()[0].Spectators; n != 0 {
		t.Errorf("got %d spectators, want 0", n)
	}

	// A waiting match begins later; a connection that ends leaves nothing.
	waiting := b.createMatch("echo")
	eve.watchMany(streams, waiting)
	b.joinMatch(waiting, "bob")
	if _, text := eve.readUntil(protocol.NameSpectateStarted); text != `{"SpectateStarted":{"id":"`+waiting+`"}}` {
		t.Errorf("got %s, want the begin of the match", text)
	}
	eve.close()
	poll.Until(t, "nobody watches", func() bool {
		info, _ := srv.lobby.Info(waiting)
		return info.Spectators == 0
	})
}

func TestTooManyMatchesTogetherAreRefused(t *testing.T) {
	srv := startServer(t, nil)
	c := srv.connect()
	ids := make([]string, protocol.MaxSpectated+1)
	c.sendText(string(protocol.Encode(protocol.NameSpectateMatches, protocol.SpectateMatches{IDs: ids})))
	c.wantClose(protocol.CloseProtocol, "at most 16")
}

func TestMatchesTogetherTakeTurnsAndAreNotDelayedByASlowClient(t *testing.T) {
	t.Parallel()
	srv := startServer(t, nil)
	eve := srv.connectSlow()
	var players []*client
	var ids []string
	for range 4 {
		c := srv.connect()
		players, ids = append(players, c), append(ids, c.startEcho())
	}
	streams := map[string]string{}
	eve.watchMany(streams, ids...)
	for _, c := range players {
		c.sendBytes("show 2000\nx\nend\n")
		c.wantBytes("<x>\n")
		c.readUntil(protocol.NameMatchEnded) // although eve has not read
	}
	for ended := 0; ended < len(ids); {
		text := eve.readBoards(streams)
		if strings.HasPrefix(text, `{"SpectateEnded"`) {
			if ended++; ended == 1 {
				for _, id := range ids {
					if len(streams[id]) < 1<<20 {
						t.Errorf("got %d bytes of %s when the first one was over, want the matches side by side", len(streams[id]), id)
					}
				}
			}
		}
	}
	for _, id := range ids {
		if n := len(streams[id]); n != 2000<<10+4 {
			t.Errorf("got %d bytes of %s, want all", n, id)
		}
	}
}

func TestClientThatReadsNoneOfItsMatchesIsClosed(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		player, eve := srv.connect(), srv.connectSlow()
		id := player.startEcho()
		s := srv.session(eve)
		eve.sendText(fmt.Sprintf(`{"SpectateMatches":{"ids":[%q]}}`, id))
		player.sendBytes("show 3000\nx\n")
		player.wantBytes("<x>\n")
		go func() { // ends with the connection; answers pings
			for {
				if _, _, err := player.conn.NextReader(); err != nil {
					return
				}
			}
		}()
		for ; !s.out.Closing(); time.Sleep(time.Second) { // its messages keep it alive
			if eve.conn.WriteMessage(websocket.PongMessage, nil) != nil {
				break
			}
		}
		srv.awaitSessions(1)
		poll.Until(t, "nobody watches", func() bool {
			info, _ := srv.lobby.Info(id) // of no match, if the player was late
			return info.Spectators == 0
		})
	})
}

func TestMatchesTogetherCanBeOfDifferentHosts(t *testing.T) {
	c := startCluster(t, 2, nil)
	a, b, eve := c.host("a").connect(), c.host("b").connect(), c.host("b").connect()
	far, near := a.startEcho(), b.startEcho()
	c.host("b").awaitListed(far)
	streams := map[string]string{}
	eve.watchMany(streams, far, near)
	poll.Until(t, "they are counted", func() bool { return c.host("a").spectators(far) == 1 && c.host("b").spectators(near) == 1 })
	a.sendBytes("far\nend\n")
	b.sendBytes("near\nend\n")
	for ended := 0; ended < 2; {
		if strings.HasPrefix(eve.readBoards(streams), `{"SpectateEnded"`) {
			ended++
		}
	}
	if streams[far] != "<far>\n" || streams[near] != "<near>\n" {
		t.Errorf("got %q, want both", streams)
	}
}
