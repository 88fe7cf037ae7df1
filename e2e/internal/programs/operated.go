package programs

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"colosseum/protocol"
)

var operationsAt = regexp.MustCompile(`at=(\S+)`)

// Operated starts a host with operations on a free port, and returns their
// address too.
func Operated(t testing.TB, config string, args ...string) (h *Host, at string) {
	t.Helper()
	h = StartHostWith(t, t.TempDir(), "plugins: {folders: ["+Plugins+"]}\noperations: {listen: '127.0.0.1:0'}\n"+config, args...)
	return h, h.Operations(t)
}

// Operations returns the address of the operations of a host that has them.
func (h *Host) Operations(t testing.TB) string {
	t.Helper()
	return operationsAt.FindStringSubmatch(h.Await(t, "serving metrics and health"))[1]
}

// Get returns the status and the body of a page.
func Get(t testing.TB, url string) (int, string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// Metric returns the value of one line of /metrics.
func Metric(t testing.TB, at, name string) float64 {
	t.Helper()
	_, body := Get(t, at+"metrics")
	for line := range strings.Lines(body) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("there is no %s in\n%s", name, body)
	return 0
}

// Versus begins a match of roshambo against a bot.
func (h *Host) Versus(t testing.TB, rounds int) *Client {
	t.Helper()
	c, err := Dial(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	id, err := c.Create(protocol.GameNew{Game: "roshambo", Params: protocol.GameParams{Bots: 1, Timeout: &ample}, Args: map[string]string{"rounds": strconv.Itoa(rounds), "pace": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Join(id, "alice"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
		t.Fatal(err)
	}
	return c
}
