package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/oidcserver"
	"colosseum/internal/test/poll"
)

// TestAccountsAreThoseOfAllHosts logs in, and changes an account, with each request at another
// host.
func TestAccountsAreThoseOfAllHosts(t *testing.T) {
	long.Only(t, "it starts three hosts")
	address, to := programs.Proxy(t)
	provider := oidcserver.Listen(t)
	provider.Start(address + "/login/callback")
	w := start(t, 3, fmt.Sprintf("drain: 1s\nserving: {rematch: 0s}\ntrusted_proxies: [127.0.0.1]\nplayers:\n  registration: oidc\n  oidc: {issuer: '%s', client_id: %s, client_secret_file: '%s'}\n",
		provider.URL, oidcserver.ClientID, secretFile(t, oidcserver.ClientSecret)))
	class := programs.Enroll(t, w.hosts[0], 1)
	at := func(i int) { to(w.hosts[i].URL) }
	ann := programs.NewBrowser(t, address)

	// A login begins, comes back and ends.
	at(0)
	back := provider.LogIn(t, ann.Want(200, "address", "POST", "/api/login", `{}`), oidcserver.Users[0])
	at(1)
	ann.WantPage(back, "/login")
	at(2)
	ann.WantPage(back, "/login?problem=attempt") // it comes back once
	ann.Want(200, "player", "POST", "/api/login/player", `{"name":"ann"}`)
	for i := range w.hosts {
		at(i)
		if got := ann.Want(200, "player", "GET", "/api/session", ""); got != "ann" {
			t.Errorf("host %d: got the player %q, want ann", i, got)
		}
	}

	// A program asks, ann allows, and the program gets its token.
	program := programs.NewBrowser(t, address)
	at(0)
	asked := program.Ask(200, "POST", "/api/device", `{"client":"a robot"}`)
	at(1)
	ann.Ask(200, "POST", "/api/device/answer", fmt.Sprintf(`{"user_code":%q,"allow":true}`, asked["user_code"]))
	at(2)
	code := fmt.Sprintf(`{"device_code":%q}`, asked["device_code"])
	given := program.Ask(200, "POST", "/api/device/token", code)
	if given["player"] != "ann" {
		t.Errorf("got %v, want a token of ann", given["player"])
	}
	at(0)
	program.Ask(400, "POST", "/api/device/token", code) // once
	class.Tokens["ann"], _ = given["token"].(string)

	// A token is minted, used and revoked.
	at(0)
	minted := ann.Ask(200, "POST", "/api/account/tokens", `{"label":"bot","scopes":["play"],"days":1}`)
	class.Tokens["bot"], _ = minted["token"].(string)
	for i, h := range w.hosts {
		if out, err := class.At(h, "bot", "whoami").CombinedOutput(); err != nil || string(out) != "ann\n" {
			t.Errorf("host %d: got %s, %v, want that the token is ann's", i, out, err)
		}
	}
	at(1)
	ann.Ask(200, "DELETE", fmt.Sprint("/api/account/tokens/", minted["id"]), `{}`)
	for i, h := range w.hosts {
		var exit *exec.ExitError
		if out, err := class.At(h, "bot", "whoami").CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != 4 {
			t.Errorf("host %d: got %s, %v, want that the token is refused", i, out, err)
		}
	}

	// The player is renamed while it serves.
	serves := class.Roll("ann", w.hosts[1].URL, "0-0")
	at(0)
	ann.Want(200, "player", "POST", "/api/account/name", `{"name":"anna"}`)
	for i := range w.hosts {
		at(i)
		if got := ann.Want(200, "player", "GET", "/api/session", ""); got != "anna" {
			t.Errorf("host %d: got the player %q, want anna", i, got)
		}
	}
	serves.Await(t, 1, "player=anna")
	challenge := append([]string{"challenge", "anna", "dice", "-a", "rounds=3", "--"}, programs.DiceCommand(t, "1-1")...)
	if out, err := class.At(w.hosts[2], programs.StudentName(0), challenge...).CombinedOutput(); err != nil || !strings.Contains(string(out), "anna") {
		t.Errorf("a challenge of anna: got %s, %v, want a match with her", out, err)
	}
}

// secretFile returns a file that only the user can read.
func secretFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// receiver takes the messages of webhooks.
type receiver struct {
	*httptest.Server
	secret string

	mu     sync.Mutex          // guards the fields below
	silent bool                // it takes messages, but does not answer
	ids    map[string][]string // the IDs of each message, by its text
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", ids: map[string][]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		hook, _ := standardwebhooks.NewWebhook(r.secret) // it is valid
		if err != nil || hook.Verify(body, q.Header) != nil {
			t.Errorf("got %s, %v, want a signed message", body, err)
		}
		r.mu.Lock()
		r.ids[string(body)] = append(r.ids[string(body)], q.Header.Get("webhook-id"))
		silent := r.silent
		r.mu.Unlock()
		if silent {
			<-q.Context().Done()
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) set(silent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent = silent
}

// tries returns how often the message that a contest was created has come.
func (r *receiver) tries(contest string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for body, ids := range r.ids {
		if strings.Contains(body, `"contest.created"`) && strings.Contains(body, `"contest":"`+contest+`"`) {
			n += len(ids)
		}
	}
	return n
}

// TestTheLeaderSendsTheMessages kills the host that leads while the receiver has not answered
// yet: the next leader sends the message again, with the same ID, and those of later events.
func TestTheLeaderSendsTheMessages(t *testing.T) {
	long.Only(t, "it starts three hosts")
	site := newReceiver(t)
	w := start(t, 3, fmt.Sprintf("webhooks: [{name: club, url: '%s', secret_file: '%s', private: true}]\n", site.URL, secretFile(t, site.secret)))
	class := programs.Enroll(t, w.front, 1)
	create := func(name string) { class.Create("name: " + name + "\ngame: roshambo\nformat: swiss\nentries: open\n") }
	sent := func(i int) bool {
		_, body := programs.Get(t, w.Hosts[i].Operations+"metrics")
		return strings.Contains(body, "\ncolosseum_webhook_deliveries_total{")
	}
	leader := w.leader()
	poll.Until(t, "the leader begins to send", func() bool { return strings.Contains(w.Hosts[leader].Tail(1000), "sending messages to webhooks") })
	create("first")
	poll.Until(t, "the first message arrives", func() bool { return site.tries("first") > 0 })
	poll.Until(t, "the leader counts it", func() bool { return sent(leader) })
	for i := range w.hosts {
		if i != leader && sent(i) {
			t.Errorf("host %d sends messages, want that only the leader does", i)
		}
	}

	site.set(true)
	create("second")
	poll.Until(t, "the second message arrives", func() bool { return site.tries("second") > 0 })
	w.killHost(leader, true)
	site.set(false)
	create("third")
	poll.Until(t, "the next leader sends both", func() bool { return site.tries("second") > 1 && site.tries("third") > 0 })
	poll.Until(t, "they are delivered", func() bool { return strings.Count(class.Run("webhooks", "log"), "delivered") >= 3 }, func() any { return class.Run("webhooks", "log") })
	site.mu.Lock()
	defer site.mu.Unlock()
	seen := map[string]bool{}
	for body, ids := range site.ids {
		if slices.ContainsFunc(ids, func(id string) bool { return id != ids[0] }) || seen[ids[0]] {
			t.Errorf("got the IDs %q of %s, want one, and of no other message", ids, body)
		}
		seen[ids[0]] = true
	}
	if len(seen) != 3 {
		t.Errorf("got %q, want three messages", slices.Collect(maps.Keys(site.ids)))
	}
}
