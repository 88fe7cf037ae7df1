package command

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/host/internal/records/store"
)

// hooked is a data folder whose configuration has the webhooks club, which works, and broken,
// and whose message 1 for club was given up.
type hooked struct {
	*testFolder
	taken atomic.Int32 // messages that club has
}

func newHooked(t *testing.T) *hooked {
	t.Helper()
	h := &hooked{testFolder: newTestFolder(t)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/secret-path" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		h.taken.Add(1)
	}))
	t.Cleanup(server.Close)
	for name, text := range map[string]string{
		"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n",
		"host.yaml": fmt.Sprintf("webhooks:\n- {name: club, url: '%[1]s/secret-path', secret_file: secret, private: true}\n"+
			"- {name: broken, url: '%[1]s/', secret_file: secret, private: true, events: [contest.ended]}\n- {name: closed, url: '%[1]s', secret_file: nowhere, private: true}\n", server.URL),
	} {
		if err := os.WriteFile(filepath.Join(h.folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(h.folder, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := h.open()
	defer w.Close()
	d := store.Delivery{ID: "msg_1", Hook: "club", Event: "contest.ended", Body: `{"type":"contest.ended"}`, Created: time.Now(), Tries: 20, Status: 500, Problem: "status 500\x1b[2J"}
	if err := w.Log(t.Context(), &d); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *hooked) open() *store.Webhooks {
	h.t.Helper()
	w, err := store.OpenWebhooks(context.Background(), filepath.Join(h.folder, "data", "colosseum.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		h.t.Fatal(err)
	}
	return w
}

// webhooks runs host webhooks, and checks that it prints neither the secret nor the path.
func (h *hooked) webhooks(args ...string) (stdout, stderr string, err error) {
	h.t.Helper()
	stdout, stderr, err = h.host(append([]string{"--config", "host.yaml", "webhooks"}, args...)...)
	if all := stdout + stderr; strings.Contains(all, "MfKQ") || strings.Contains(all, "secret-path") {
		h.t.Errorf("webhooks %q: got %q, want neither the secret nor the path", args, all)
	}
	return stdout, stderr, err
}

func (h *hooked) works(args ...string) (stdout, stderr string) {
	h.t.Helper()
	stdout, stderr, err := h.webhooks(args...)
	if err != nil {
		h.t.Fatalf("webhooks %q: got %v, want nil; stderr:\n%s", args, err, stderr)
	}
	return stdout, stderr
}

func TestOperatorTestsAWebhookAndSeesItsMessages(t *testing.T) {
	h := newHooked(t)
	if _, stderr := h.works("test", "club"); !strings.Contains(stderr, "club has the message msg_") || !strings.Contains(stderr, "(status 200)") || h.taken.Load() != 1 {
		t.Errorf("got %q and %d messages, want one", stderr, h.taken.Load())
	}
	if _, stderr, err := h.webhooks("test", "broken"); err == nil || !strings.Contains(stderr, "test broken: status 418 I'm a teapot") {
		t.Errorf("got %v, %q, want the answer of the receiver", err, stderr)
	}
	stdout, _ := h.works("log")
	for _, want := range []string{"│ club ", "│ webhook.test ", "│ delivered ", "│ given up ", `status 500\x1b[2J`, "status 418"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got\n%s\nwant %q in it", stdout, want)
		}
	}
	stdout, _ = h.works("log", "--json", "--hook", "club", "-n", "5")
	var list []struct {
		Number, Tries, Status int
		State, Event          string
		Body                  struct{ Type string }
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list) != 2 || list[0].State != "delivered" || list[0].Body.Type != "webhook.test" || list[1].Number != 1 || list[1].State != "given up" {
		t.Errorf("got %s, %v, want the test and then message 1", stdout, err)
	}
}

func TestOperatorHasAMessageSentAgain(t *testing.T) {
	h := newHooked(t)
	if _, stderr := h.works("retry", "1"); !strings.Contains(stderr, "message 1 is sent again") {
		t.Errorf("got %q, want message 1 sent again", stderr)
	}
	stdout, _ := h.works("list")
	for _, want := range []string{"│ club ", "│ broken ", "│ contest.ended ", "│ all ", "http://127.0.0.1:", "tried again "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got\n%s\nwant %q in it", stdout, want)
		}
	}
	stdout, _ = h.works("list", "--json")
	var list []struct {
		Name, Receiver, Last string
		Waiting              int
		Events               []string
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list) != 3 || list[0].Waiting != 1 || len(list[0].Events) < 10 || list[1].Waiting != 0 || len(list[1].Events) != 1 {
		t.Errorf("got %s, %v, want one message that waits for club", stdout, err)
	}
}

func TestMistakesWithWebhooksAreExplained(t *testing.T) {
	h := newHooked(t)
	for _, tt := range []struct {
		args, want string
	}{
		{"test school", `the configuration has no webhook "school" (have club, broken, closed)`},
		{"test closed", "webhooks: closed: secret_file: open nowhere: "},
		{"test", "test takes one argument, got 0"},
		{"retry 7", "there is no message 7: see host webhooks log"},
		{"retry x", `"x" is no number of a message`},
		{"log -n 0", "-n must be greater than 0"},
		{"begin", `webhooks has no command "begin"`},
	} {
		if _, stderr, err := h.webhooks(strings.Fields(tt.args)...); err == nil || !strings.Contains(stderr, tt.want) {
			t.Errorf("webhooks %s: got %v, %q, want a failure with %q", tt.args, err, stderr, tt.want)
		}
	}
	if _, stderr, err := newTestFolder(t).host("webhooks", "log"); err == nil || !strings.Contains(stderr, "name the host's data folder with --data") {
		t.Errorf("without a data folder: got %v, %q, want a failure", err, stderr)
	}
}
