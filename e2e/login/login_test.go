// Package login tests logging in without a token: at a real provider of OpenID Connect, and
// with coco by a code.
package login

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/oidcserver"
)

func TestMain(m *testing.M) { programs.Main(m, nil) }

// browser is a person at the host, whose address is that of a proxy.
type browser struct {
	t    *testing.T
	http *http.Client
	host string
}

func newBrowser(t *testing.T, host string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, host}
}

// want makes a request to the API, checks the status, and returns a field of the answer.
func (b *browser) want(status int, field, method, path, body string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.host+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil || reply.StatusCode != status {
		b.t.Fatalf("%s %s: got %d %s, want %d", method, path, reply.StatusCode, text, status)
	}
	value, _ := answer[field].(string)
	return value
}

// wantPage opens an address, and checks to which page the host sends the browser.
func (b *browser) wantPage(address, page string) {
	b.t.Helper()
	reply, err := b.http.Get(address)
	if err != nil {
		b.t.Fatal(err)
	}
	reply.Body.Close()
	if got := reply.Header.Get("Location"); reply.StatusCode != http.StatusSeeOther || got != page {
		b.t.Fatalf("got %d to %q, want the page %q", reply.StatusCode, got, page)
	}
}

// proxy returns the address of a proxy to a host that can change.
func proxy(t *testing.T) (address string, to func(host *programs.Host)) {
	t.Helper()
	var target atomic.Pointer[url.URL]
	server := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target.Load())
		r.Out.Host = r.In.Host
		r.SetXForwarded()
	}})
	t.Cleanup(server.Close)
	return server.URL, func(host *programs.Host) {
		u, err := url.Parse("http" + strings.TrimPrefix(host.URL, "ws"))
		if err != nil {
			t.Fatal(err)
		}
		target.Store(u)
	}
}

// TestPeopleLogInAtARealProvider also shows that a host goes on with what another process has
// begun, as the hosts of a cluster do.
func TestPeopleLogInAtARealProvider(t *testing.T) {
	address, to := proxy(t)
	provider := oidcserver.Listen(t)
	provider.Start(address + "/login/callback")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(oidcserver.ClientSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("plugins: {folders: ['%s']}\noperations: {listen: '127.0.0.1:0'}\ndrain: 0s\ntrusted_proxies: [127.0.0.1]\n"+
		"players:\n  registration: oidc\n  oidc: {issuer: '%s', client_id: %s, client_secret_file: '%s'}\n", programs.Plugins, provider.URL, oidcserver.ClientID, secret)
	data := t.TempDir()
	provider.SetDown(true)
	host := programs.StartHostWith(t, data, config)
	to(host)
	ann := newBrowser(t, address)
	if got := ann.want(503, "error", "POST", "/api/login", `{}`); !strings.Contains(got, "does not answer") {
		t.Errorf("without the provider: got %q, want that it does not answer", got)
	}
	provider.SetDown(false)

	back := provider.LogIn(t, ann.want(200, "address", "POST", "/api/login", `{"then":"/device"}`), oidcserver.Users[0])
	host.Stop(t, syscall.SIGKILL)
	host = programs.StartHostWith(t, data, config)
	to(host)
	newBrowser(t, address).wantPage(back, "/login?problem=attempt") // the code alone is worth nothing
	ann.wantPage(back, "/login")
	ann.wantPage(back, "/login?problem=attempt")
	if got := ann.want(200, "suggestion", "GET", "/api/login", ""); got != "test-user" {
		t.Errorf("got the suggestion %q, want test-user", got)
	}
	ann.want(200, "player", "POST", "/api/login/player", `{"name":"ann"}`)

	again := newBrowser(t, address)
	back = provider.LogIn(t, again.want(200, "address", "POST", "/api/login", `{}`), oidcserver.Users[0])
	u, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	kept := again.http.Jar.Cookies(u)
	again.wantPage(back, "/")
	again.http.Jar.SetCookies(u, kept)
	again.wantPage(back, "/login?problem=answer") // the provider takes a code once
	if got := again.want(200, "player", "GET", "/api/session", ""); got != "ann" {
		t.Errorf("got the player %q, want ann", got)
	}
	other := newBrowser(t, address)
	other.wantPage(provider.LogIn(t, other.want(200, "address", "POST", "/api/login", `{}`), oidcserver.Users[1]), "/login")
	other.want(409, "error", "POST", "/api/login/player", `{"name":"ann"}`)

	coco := func(args ...string) *exec.Cmd {
		home := filepath.Join(data, "home")
		cmd := exec.Command(filepath.Join(programs.Bin, "coco"), append([]string{"-s", "ws" + strings.TrimPrefix(address, "http")}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "COCO_LANG=en")
		return cmd
	}
	if out, err := coco("register", "eve").CombinedOutput(); err == nil || !strings.Contains(string(out), "log in at its provider") {
		t.Errorf("coco register: got %v, %s, want a refusal that says what to do", err, out)
	}
	login := coco("login", "--device")
	out, err := login.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := login.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = login.Process.Kill() }) // fails if it has ended
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	code := regexp.MustCompile(`^Open (\S+)/device\?code=(\S{9}) in a browser, and allow the login with the code (\S{9})\n$`).FindStringSubmatch(line)
	if code == nil || code[1] != address || code[2] != code[3] {
		t.Fatalf("got %q, %v, want the page of the proxy with a code", line, err)
	}
	body := `{"user_code":"` + code[3] + `"`
	if got := ann.want(200, "client", "POST", "/api/device/code", body+`}`); !strings.HasPrefix(got, "coco") {
		t.Errorf("got the client %q, want coco", got)
	}
	ann.want(200, "player", "POST", "/api/device/answer", body+`,"allow":true}`)
	if line, err = lines.ReadString('\n'); !strings.HasPrefix(line, "Logged in as ann; ") {
		t.Errorf("got %q, %v, want that it is logged in", line, err)
	}
	if err := login.Wait(); err != nil {
		t.Error(err)
	}
	if out, err := coco("whoami").Output(); string(out) != "ann\n" {
		t.Errorf("coco whoami: got %s, %v, want ann", out, err)
	}
	ann.want(200, "player", "DELETE", "/api/session", "{}")
	if got := ann.want(200, "player", "GET", "/api/session", ""); got != "" {
		t.Errorf("after logging out: got %q, want nobody", got)
	}
}
