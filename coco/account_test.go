//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

const newToken = "coco_ccccccccccccccccccccccccccccccccccccccccccc"

const oneToken = `{"player":"ana","most":20,"tokens":[{"id":"abc","label":"laptop","scopes":["play","submit"],"created":"2027-03-01T17:00:00Z","expires":"2028-03-01T17:00:00Z"}]}`

// desk is a server on which ana changes her account.
type desk struct {
	t   *testing.T
	url string

	mu       sync.Mutex // guards the fields below
	requests []string
	status   int // of the answers
	answer   string
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, status: 200}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer "+anaToken {
			t.Errorf("%s: got the authorization %q, want ana's token", r.URL, got)
		}
		body, _ := io.ReadAll(r.Body)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.requests = append(d.requests, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+string(body)))
		w.WriteHeader(d.status)
		_, _ = io.WriteString(w, d.answer)
	}))
	t.Cleanup(server.Close)
	d.url = "ws" + strings.TrimPrefix(server.URL, "http") + "/"
	return d
}

func (d *desk) coco(want, status int, answer string, args ...string) (stdout, stderr string) {
	d.t.Helper()
	d.mu.Lock()
	d.requests, d.status, d.answer = nil, status, answer
	d.mu.Unlock()
	return newUser(d.t).coco(want, "", d.url, append([]string{"COCO_TOKEN=" + anaToken}, args...)...)
}

func (d *desk) want(requests ...string) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if got, want := strings.Join(d.requests, "\n"), strings.Join(requests, "\n"); got != want {
		d.t.Errorf("got the requests\n%s\nwant\n%s", got, want)
	}
}

func TestTokensAreListedCreatedAndRevoked(t *testing.T) {
	d := newDesk(t)
	stdout, _ := d.coco(0, 200, oneToken, "tokens", "list")
	if !strings.Contains(stdout, "abc") || !strings.Contains(stdout, "play, submit") || !strings.Contains(stdout, "never") {
		t.Errorf("got %s, want a table with the token, which was never used", stdout)
	}
	d.want("GET /api/account/tokens")
	stdout, _ = d.coco(0, 200, oneToken, "tokens", "list", "--json")
	if !json.Valid([]byte(stdout)) {
		t.Errorf("got %s, want JSON", stdout)
	}
	stdout, stderr := d.coco(0, 200, `{"id":"xyz","token":"`+newToken+`"}`, "tokens", "create", "--scopes", "play,submit", "--days", "30", "my laptop")
	if stdout != newToken+"\n" || !strings.Contains(stderr, "xyz") || strings.Contains(stderr, newToken) {
		t.Errorf("got %q and %q, want only the token on stdout", stdout, stderr)
	}
	d.want(`POST /api/account/tokens {"label":"my laptop","scopes":["play","submit"],"days":30}`)
	d.coco(0, 200, `{}`, "tokens", "revoke", "abc", "def")
	d.want("DELETE /api/account/tokens/abc {}", "DELETE /api/account/tokens/def {}")
	d.coco(0, 200, `{"player":"anna"}`, "rename", "anna")
	d.want(`POST /api/account/name {"name":"anna"}`)
}

func TestRefusalsOfAccountsAreExplained(t *testing.T) {
	d := newDesk(t)
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		answer string
		exit   int
		want   string
	}{
		{"a token for less", []string{"tokens", "list"}, 403, `{"error":"this token does not allow that"}`, 4, "cannot list your tokens: this token does not allow that"},
		{"no such token", []string{"tokens", "revoke", "abc"}, 404, `{"error":"you have no such token"}`, 4, "cannot revoke the token abc: you have no such token"},
		{"an older host", []string{"tokens", "list"}, 404, `{"error":"there is no such address"}`, 4, "its host is older"},
		{"the name of another", []string{"rename", "bob"}, 409, `{"error":"another player has this name"}`, 4, "cannot change the name: another player has this name"},
		{"the token is wrong", []string{"rename", "bob"}, 401, `{"error":"the token is not valid"}`, 4, "it is that of COCO_TOKEN"},
		{"an unknown scope", []string{"tokens", "create", "--scopes", "root", "x"}, 500, ``, 2, `unknown scope "root" (have play, submit, read, all)`},
		{"no ID", []string{"tokens", "revoke"}, 500, ``, 2, "needs more arguments"},
		{"a path as an ID", []string{"tokens", "revoke", "../name"}, 500, ``, 2, "cannot be the ID of a token"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d.t = t
			if _, stderr := d.coco(tt.exit, tt.status, tt.answer, tt.args...); !strings.Contains(stderr, tt.want) {
				t.Errorf("got %q, want %q", stderr, tt.want)
			}
		})
	}
}
