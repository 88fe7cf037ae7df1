package webhook

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/records/store"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// hookTo returns a webhook to a URL on this machine.
func hookTo(t testing.TB, name, url string, events ...string) *Hook {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hooks, err := Open([]config.Webhook{{Name: name, URL: url, SecretFile: file, Events: events, Private: true}})
	if err != nil {
		t.Fatal(err)
	}
	return hooks[0]
}

// verified returns the body of a request whose signature is right.
func verified(t testing.TB, r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	receiver, err := standardwebhooks.NewWebhook(secret)
	if err == nil {
		err = receiver.Verify(body, r.Header)
	}
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %v: got %v, want a POST of JSON with a valid signature", r.Method, r.Header, err)
	}
	return string(body)
}

// TestSignatureIsThatOfTheSpecification has the example of the specification's libraries.
func TestSignatureIsThatOfTheSpecification(t *testing.T) {
	h := hookTo(t, "club", "http://127.0.0.1")
	got, err := h.signer.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestAnswersOfReceiversAreUnderstood(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed, want it refused") }))
	defer other.Close()
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter)
		status int
		wait   time.Duration
		want   string
	}{
		{"200", func(w http.ResponseWriter) { io.WriteString(w, "thanks") }, 200, 0, ""},
		{"204", func(w http.ResponseWriter) { w.WriteHeader(204) }, 204, 0, ""},
		{"a long answer", func(w http.ResponseWriter) { w.Write(make([]byte, 10*maxAnswer)) }, 200, 0, ""},
		{"a long header", func(w http.ResponseWriter) { w.Header().Set("X", strings.Repeat("x", 2*maxAnswer)) }, 0, 0, "server response headers exceeded"},
		{"redirect", func(w http.ResponseWriter) { w.Header().Set("Location", other.URL); w.WriteHeader(307) }, 307, 0, "status 307: the receiver redirects"},
		{"500", func(w http.ResponseWriter) { w.WriteHeader(500) }, 500, 0, "status 500 Internal Server Error"},
		{"busy", func(w http.ResponseWriter) { w.Header().Set("Retry-After", "90"); w.WriteHeader(429) }, 429, 90 * time.Second, "status 429 Too Many Requests"},
		{"broken connection", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 0, 0, "EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body := verified(t, r); body != `{"a":1}` || r.Header.Get("webhook-id") != "msg_1" {
					t.Errorf("got %s with the ID %s, want {\"a\":1} and msg_1", body, r.Header.Get("webhook-id"))
				}
				tt.answer(w)
			}))
			defer server.Close()
			status, wait, err := hookTo(t, "club", server.URL+"/secret").Send(t.Context(), "msg_1", []byte(`{"a":1}`))
			if status != tt.status || wait != tt.wait || (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %d, %v, %v, want %d, %v, %q", status, wait, err, tt.status, tt.wait, tt.want)
			}
			if err != nil && (strings.Contains(err.Error(), "/secret") || strings.Contains(err.Error(), "whsec")) {
				t.Errorf("got %v, want neither the path nor the secret", err)
			}
		})
	}
}

func TestReceiversInTheNetworkOfTheHostNeedTheOperatorsWord(t *testing.T) {
	for address, inside := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "10.1.2.3:443": true, "192.168.1.1:443": true, "[fd00::1]:443": true, "169.254.169.254:80": true, "[fe80::1]:80": true,
		"100.64.0.1:443": true, "[::ffff:127.0.0.1]:80": true, "203.0.113.7:443": false, "[2001:db8::1]:443": false,
	} {
		for _, private := range []bool{true, false} {
			if err := allow(private, address); (err == nil) != (private == inside) {
				t.Errorf("%s, private: %v: got %v, want it allowed: %v", address, private, err, private == inside)
			}
		}
	}
	for _, address := range []string{"0.0.0.0:80", "[::]:80", "224.0.0.1:80", "x"} {
		if allow(true, address) == nil || allow(false, address) == nil {
			t.Errorf("%s: got it allowed, want it refused", address)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("got a request, want none") }))
	defer server.Close()
	h, err := open(config.Webhook{Name: "club", URL: server.URL, SecretFile: hookTo(t, "club", server.URL).SecretFile})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Send(t.Context(), "msg_1", nil); err == nil || !strings.Contains(err.Error(), `127.0.0.1 is a private address: allow it with "private: true"`) {
		t.Errorf("got %v, want it refused", err)
	}
}

func TestAnUnreadableSecretIsNamed(t *testing.T) {
	_, err := Open([]config.Webhook{{Name: "club", SecretFile: "/nowhere/secret"}})
	if err == nil || !strings.Contains(err.Error(), "webhooks: club: secret_file: ") || !strings.Contains(err.Error(), "/nowhere/secret") {
		t.Errorf("got %v, want the webhook and its file", err)
	}
}

func TestReceiversCanAskForTime(t *testing.T) {
	now := time.Date(2027, 3, 1, 18, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, "-5": 0, "999999999": maxWait, "Mon, 01 Mar 2027 18:02:00 GMT": 2 * time.Minute, "Mon, 01 Mar 2027 17:00:00 GMT": 0, "soon": 0,
	} {
		if got := asked(text, now); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestMessagesAreTriedForThreeDays(t *testing.T) {
	created := time.Date(2027, 3, 1, 18, 0, 0, 0, time.UTC)
	for _, chance := range []float64{0, 0.5, 0.999} {
		d := store.Delivery{Created: created, Next: created}
		var last time.Time
		for !d.Next.IsZero() {
			last = d.Next
			settle(&d, 500, 0, errors.New("status 500"), last, chance)
			if wait := d.Next.Sub(last); !d.Next.IsZero() && (wait < firstDelay*8/10 || wait > maxDelay*12/10) {
				t.Errorf("chance %v: got %v after try %d, want from 4s to 7h12m", chance, wait, d.Tries)
			}
		}
		if after := last.Sub(created); d.Tries < 15 || d.Tries > 25 || after < giveUp-2*maxDelay || after > giveUp || d.Status != 500 || d.Problem != "status 500" {
			t.Errorf("chance %v: got %+v, and the last try after %v, want some 20 tries in 72 hours", chance, d, after)
		}
	}
	d := store.Delivery{Created: created}
	settle(&d, 503, time.Hour, errors.New("x"), created, 0)
	if !d.Next.Equal(created.Add(time.Hour)) {
		t.Errorf("got the next try at %v, want it after the hour that the receiver asks for", d.Next)
	}
	settle(&d, 200, 0, nil, created, 0)
	if !d.Delivered() || d.Tries != 2 || d.Status != 200 {
		t.Errorf("got %+v, want it delivered", d)
	}
}
