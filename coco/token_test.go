//go:build unix

package main

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

const (
	anaToken = "coco_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	bobToken = "coco_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// registry is a server with players. It answers PlayerRegister, GameNew and GameList.
type registry struct {
	url string

	mu      sync.Mutex // guards the fields below
	players map[string]string
	newest  string   // the token of a new player; empty: bobToken
	tokens  []string // of all handshakes
	invites []string
}

func newRegistry(t *testing.T, players map[string]string) *registry {
	s := &registry{players: players}
	upgrader := websocket.Upgrader{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Errorf("upgrade: got %v, want nil", err)
			return
		}
		defer ws.Close()
		s.serve(&client{t, ws})
	}))
	t.Cleanup(web.Close)
	s.url = "ws" + strings.TrimPrefix(web.URL, "http") + "/"
	return s
}

func (s *registry) serve(c *client) {
	var hello protocol.Handshake
	if err := protocol.Decode("", c.receive(protocol.NameHandshake), &hello); err != nil {
		c.fail("%v", err)
	}
	s.mu.Lock()
	s.tokens = append(s.tokens, hello.Token)
	name := s.players[hello.Token]
	s.mu.Unlock()
	c.send(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2, Player: name, Features: []string{protocol.FeaturePlayers}})
	if hello.Token != "" && name == "" {
		c.ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(protocol.CloseToken, ""))
		return
	}
	for {
		_, msg, err := c.ws.ReadMessage()
		if err != nil {
			return
		}
		switch name, body, _ := protocol.Split(msg); name {
		case protocol.NamePlayerRegister:
			var request protocol.PlayerRegister
			protocol.Decode(name, body, &request)
			s.mu.Lock()
			token := cmp.Or(s.newest, bobToken)
			s.players[token] = request.Name
			s.invites = append(s.invites, request.Invite)
			s.mu.Unlock()
			c.send(name, protocol.PlayerRegisterReply{Token: protocol.Ok(token)})
		case protocol.NameGameNew:
			c.send(name, protocol.GameNewReply{ID: protocol.Ok(matchID)})
		case protocol.NameGameList:
			c.send(name, protocol.GameListReply{})
		}
	}
}

// seen returns the tokens of all handshakes since the last call.
func (s *registry) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.Join(s.tokens, " ")
	s.tokens = nil
	return text
}

// user runs coco with a configuration folder of its own.
type user struct {
	t      *testing.T
	config string
}

func newUser(t *testing.T) user { return user{t, t.TempDir()} }

func (u user) coco(want int, stdin, url string, args ...string) (stdout, stderr string) {
	u.t.Helper()
	env := []string{"XDG_CONFIG_HOME=" + u.config, "HOME=" + u.config}
	for len(args) > 0 && strings.Contains(args[0], "=") {
		env, args = append(env, args[0]), args[1:]
	}
	r := start(u.t, stdin, append(append(env, "-s", url), args...)...)
	r.wantExit(want)
	for _, secret := range []string{anaToken, bobToken} {
		if text := r.stdout.String() + r.stderr.String(); strings.Contains(text, secret) {
			u.t.Errorf("%q: got the token in %q, want it nowhere", args, text)
		}
	}
	return r.stdout.String(), r.stderr.String()
}

func TestRegisteredPlayerIsLoggedIn(t *testing.T) {
	t.Parallel()
	s, u := newRegistry(t, map[string]string{}), newUser(t)
	_, stderr := u.coco(4, "", s.url, "whoami")
	wantPart(t, "stderr", stderr, "coco register NAME")
	stdout, _ := u.coco(0, "", s.url, "register", "bob")
	wantPart(t, "stdout", stdout, "Registered as bob; the token is in "+u.config)
	s.seen()
	stdout, _ = u.coco(0, "", s.url, "whoami")
	wantText(t, "stdout", stdout, "bob\n")
	stdout, _ = u.coco(0, "", s.url, "whoami", "--json")
	wantText(t, "stdout", stdout, "{\n  \"player\": \"bob\"\n}\n")
	u.coco(0, "", s.url, "new", "roshambo")
	wantText(t, "tokens", s.seen(), strings.Join([]string{bobToken, bobToken, bobToken}, " "))
	u.coco(0, "", s.url, "list") // needs no player
	wantText(t, "tokens", s.seen(), "")
	u.coco(0, "", s.url, "logout")
	u.coco(4, "", s.url, "whoami")
	stdout, _ = u.coco(0, "", s.url, "logout")
	wantPart(t, "stdout", stdout, "There is no token for "+s.url)
}

func TestTokenThatIsNoneIsNotStored(t *testing.T) {
	t.Parallel()
	s, u := newRegistry(t, map[string]string{}), newUser(t)
	s.mu.Lock()
	s.newest = "\x1b]0;owned\a" + strings.Repeat("x", 1<<20)
	s.mu.Unlock()
	stdout, stderr := u.coco(4, "", s.url, "register", "bob")
	wantPart(t, "stderr", stderr, "no valid token")
	if text := stdout + stderr; strings.Contains(text, "\x1b") || len(text) > 1000 {
		t.Errorf("got %.200q, want no text of the server", text)
	}
	_, stderr = u.coco(4, "", s.url, "whoami") // the next command works without a token
	wantPart(t, "stderr", stderr, "register NAME")
}

func TestTokenIsSentToItsServerOnly(t *testing.T) {
	t.Parallel()
	s, other, u := newRegistry(t, map[string]string{anaToken: "ana"}), newRegistry(t, map[string]string{}), newUser(t)
	stdout, _ := u.coco(0, anaToken+"\n", s.url, "login")
	wantPart(t, "stdout", stdout, "Logged in as ana;")
	u.coco(4, "", other.url, "whoami")
	u.coco(0, "", other.url, "new", "roshambo")
	wantText(t, "tokens", other.seen(), "")
	stdout, _ = u.coco(0, "", s.url+"path?x=1", "whoami") // the same server
	wantText(t, "stdout", stdout, "ana\n")
}

func TestTokenOfAnotherPlayerIsNotLost(t *testing.T) {
	t.Parallel()
	s, u := newRegistry(t, map[string]string{anaToken: "ana", bobToken: "bob"}), newUser(t)
	u.coco(0, anaToken, s.url, "login")
	for _, args := range [][]string{{"login"}, {"register", "bob"}} {
		_, stderr := u.coco(4, bobToken, s.url, args...)
		wantPart(t, "stderr", stderr, "you are logged in as ana: keep its token")
		stdout, _ := u.coco(0, "", s.url, "whoami")
		wantText(t, "player", stdout, "ana\n")
	}
	u.coco(0, bobToken, s.url, "login", "--force")
	stdout, _ := u.coco(0, "", s.url, "whoami")
	wantText(t, "player", stdout, "bob\n")
	s.mu.Lock()
	delete(s.players, bobToken)
	s.mu.Unlock()
	_, stderr := u.coco(4, "", s.url, "new", "roshambo")
	wantPart(t, "stderr", stderr, "the server refuses the token (coco login stores another, coco logout removes it)")
	u.coco(0, anaToken, s.url, "login") // replaces a token that is not valid
	stdout, _ = u.coco(0, "", s.url, "whoami")
	wantText(t, "player", stdout, "ana\n")
}

func TestTokensFromElsewhere(t *testing.T) {
	t.Parallel()
	s, u := newRegistry(t, map[string]string{anaToken: "ana", bobToken: "bob"}), newUser(t)
	u.coco(0, bobToken, s.url, "login")
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(anaToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, _ := u.coco(0, "", s.url, "--token-file", file, "whoami")
	wantText(t, "player of --token-file", stdout, "ana\n")
	stdout, _ = u.coco(0, "", s.url, "COCO_TOKEN="+anaToken, "whoami")
	wantText(t, "player of COCO_TOKEN", stdout, "ana\n")
	_, stderr := u.coco(2, "", s.url, "COCO_TOKEN=x", "whoami")
	wantPart(t, "stderr", stderr, "COCO_TOKEN: this is not a token")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	_, stderr = u.coco(2, "", s.url, "--token-file", file, "whoami")
	wantPart(t, "stderr", stderr, "chmod 600 "+file)
	_, stderr = u.coco(2, "x", s.url, "login")
	wantPart(t, "stderr", stderr, "this is not a token")
}

func TestInvitationIsNotAnArgument(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "invite")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{"COCO_INVITE=from the environment", "register", "bob"}, "from the environment"},
		{"from stdin\n", []string{"register", "bob", "--invite", "-"}, "from stdin"},
		{"", []string{"register", "bob", "--invite", file}, "from a file"},
		{"", []string{"register", "bob"}, ""},
	} {
		s, u := newRegistry(t, map[string]string{}), newUser(t)
		u.coco(0, tt.stdin, s.url, tt.args...)
		if len(s.invites) != 1 || s.invites[0] != tt.want {
			t.Errorf("%q: got invitations %q, want %q", tt.args, s.invites, tt.want)
		}
	}
}

func TestServerWithoutPlayers(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"register", "bob"}, {"login"}} {
		f := serveRaw(t, func(c *client) {
			c.receive(protocol.NameHandshake)
			c.send(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2})
			c.awaitClose()
		})
		_, stderr := newUser(t).coco(4, anaToken, f.url, args...)
		wantPart(t, "stderr", stderr, "has no registered players")
		f.wait()
	}
}

func TestProgramDoesNotGetTheToken(t *testing.T) {
	t.Parallel()
	f := serveRaw(t, func(c *client) {
		c.receive(protocol.NameHandshake)
		c.send(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2, Player: "ana", Features: []string{protocol.FeaturePlayers}})
		var join protocol.LobbyJoinMatch
		protocol.Decode("", c.receive(protocol.NameLobbyJoinMatch), &join)
		wantText(t, "name", join.Name, "ana")
		c.send(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(info("ana"))})
		c.send(protocol.NameMatchStarted, nil)
		c.expect("none\n")
		c.finish()
	})
	coco(t, 0, "COCO_TOKEN="+anaToken, "COCO_INVITE=secret", "-s", f.url, "connect", matchID, "--",
		"sh", "-c", `echo "${COCO_TOKEN-none}${COCO_INVITE-}"; cat >/dev/null`)
	f.wait()
}
