package programs

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

var operationsAt = regexp.MustCompile(`at=(\S+)`)

// Operated starts a host that serves metrics and health on a free port, and returns
// their address.
func Operated(t testing.TB, config string, args ...string) (h *Host, at string) {
	t.Helper()
	h = StartHostWith(t, t.TempDir(), "plugins: {folders: ["+Plugins+"]}\noperations: {listen: '127.0.0.1:0'}\n"+config, args...)
	return h, h.Operations(t)
}

// Operations returns the address at which the host serves metrics and health.
func (h *Host) Operations(t testing.TB) string {
	t.Helper()
	return operationsAt.FindStringSubmatch(h.Await(t, "serving metrics and health"))[1]
}

// Page returns the address of a page of the host.
func (h *Host) Page(path string) string { return "http" + strings.TrimPrefix(h.URL, "ws") + path }

// Get returns the status and the body of a page, once the host is not too busy for it.
func Get(t testing.TB, url string) (status int, body string) {
	t.Helper()
	client := http.Client{Transport: patient{&http.Transport{DisableKeepAlives: true}}, Timeout: 2 * poll.Limit}
	r, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
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
	t.Fatalf("got no %s in\n%s", name, body)
	return 0
}

// AgainstBot starts a match of roshambo against a bot.
func (h *Host) AgainstBot(t testing.TB, rounds int) *Client {
	t.Helper()
	c, _ := h.Join(t, Roshambo(rounds, 1), "alice")
	if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
		t.Fatal(err)
	}
	return c
}
