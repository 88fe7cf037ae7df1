//go:build unix

package operations

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
)

// TestAKilledHostLosesNoMessage has a receiver that takes a message and does not answer
// before the host is killed. The next host sends it again, with the same ID.
func TestAKilledHostLosesNoMessage(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	var mu sync.Mutex // guards the two below
	ids, answers := map[string]int{}, false
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		receiver, _ := standardwebhooks.NewWebhook(secret) // it is valid
		if err != nil || receiver.Verify(body, r.Header) != nil || !strings.Contains(string(body), `"type":"contest.created"`) {
			t.Errorf("got %s, %v, want a signed message", body, err)
		}
		mu.Lock()
		ids[r.Header.Get("webhook-id")]++
		waits := !answers
		mu.Unlock()
		if waits {
			<-r.Context().Done()
		}
	}))
	defer site.Close()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s]}\nwebhooks: [{name: club, url: '%s', secret_file: %s, private: true}]\n", programs.Plugins, site.URL, file))
	h.Await(t, "sending messages to webhooks")
	c := programs.Enroll(t, h, 2)
	c.Create("name: cup\ngame: roshambo\nformat: swiss\nentries: open\n")
	tried := func(least int) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			n := 0
			for _, count := range ids {
				n += count
			}
			return n >= least
		}
	}
	poll.Until(t, "the receiver has a message", tried(1))
	h.Stop(t, os.Kill)
	mu.Lock()
	answers = true
	mu.Unlock()
	c.Restart()
	poll.Until(t, "the message comes again", tried(2))
	poll.Until(t, "it is delivered", func() bool { return strings.Contains(c.Run("webhooks", "log"), "delivered") }, func() any { return c.Run("webhooks", "log") })
	mu.Lock()
	defer mu.Unlock()
	if len(ids) != 1 {
		t.Errorf("got the IDs %v, want one for both tries", ids)
	}
}
