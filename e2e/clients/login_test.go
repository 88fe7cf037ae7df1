package clients

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/oidcserver"
)

// TestPeopleLogInAtARealProvider logs in without a token: at a real provider of OpenID Connect,
// and with coco by a code. It also shows that a host goes on with what another process has
// begun, as the hosts of a cluster do.
func TestPeopleLogInAtARealProvider(t *testing.T) {
	t.Parallel()
	address, to := programs.Proxy(t)
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
	to(host.URL)
	ann := programs.NewBrowser(t, address)
	if got := ann.Want(503, "error", "POST", "/api/login", `{}`); !strings.Contains(got, "does not answer") {
		t.Errorf("without the provider: got %q, want that it does not answer", got)
	}
	provider.SetDown(false)

	back := provider.LogIn(t, ann.Want(200, "address", "POST", "/api/login", `{"then":"/device"}`), oidcserver.Users[0])
	host.Stop(t, syscall.SIGKILL)
	host = programs.StartHostWith(t, data, config)
	to(host.URL)
	programs.NewBrowser(t, address).WantPage(back, "/login?problem=attempt") // the code alone is worth nothing
	ann.WantPage(back, "/login")
	ann.WantPage(back, "/login?problem=attempt")
	if got := ann.Want(200, "suggestion", "GET", "/api/login", ""); got != "test-user" {
		t.Errorf("got the suggestion %q, want test-user", got)
	}
	ann.Want(200, "player", "POST", "/api/login/player", `{"name":"ann"}`)

	again := programs.NewBrowser(t, address)
	back = provider.LogIn(t, again.Want(200, "address", "POST", "/api/login", `{}`), oidcserver.Users[0])
	u, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	kept := again.HTTP.Jar.Cookies(u)
	again.WantPage(back, "/")
	again.HTTP.Jar.SetCookies(u, kept)
	again.WantPage(back, "/login?problem=answer") // the provider takes a code once
	if got := again.Want(200, "player", "GET", "/api/session", ""); got != "ann" {
		t.Errorf("got the player %q, want ann", got)
	}
	other := programs.NewBrowser(t, address)
	other.WantPage(provider.LogIn(t, other.Want(200, "address", "POST", "/api/login", `{}`), oidcserver.Users[1]), "/login")
	other.Want(409, "error", "POST", "/api/login/player", `{"name":"ann"}`)

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
	if got := ann.Want(200, "client", "POST", "/api/device/code", body+`}`); !strings.HasPrefix(got, "coco") {
		t.Errorf("got the client %q, want coco", got)
	}
	ann.Want(200, "player", "POST", "/api/device/answer", body+`,"allow":true}`)
	if line, err = lines.ReadString('\n'); !strings.HasPrefix(line, "Logged in as ann; ") {
		t.Errorf("got %q, %v, want that it is logged in", line, err)
	}
	if err := login.Wait(); err != nil {
		t.Error(err)
	}
	if out, err := coco("whoami").Output(); string(out) != "ann\n" {
		t.Errorf("coco whoami: got %s, %v, want ann", out, err)
	}
	ann.Want(200, "player", "DELETE", "/api/session", "{}")
	if got := ann.Want(200, "player", "GET", "/api/session", ""); got != "" {
		t.Errorf("after logging out: got %q, want nobody", got)
	}
}
