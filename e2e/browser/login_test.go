package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/internal/test/oidcserver"
)

func TestAPersonLogsInAtTheSchoolAndLetsAProgramIn(t *testing.T) {
	long.Only(t, "two more pages, and a provider")
	provider := oidcserver.Listen(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(oidcserver.ClientSecret), 0o600); err != nil {
		t.Fatal(err)
	}
	h := startWith(t, "players: {registration: oidc, oidc: {issuer: '"+provider.URL+"', client_id: "+oidcserver.ClientID+", client_secret_file: '"+secret+"'}}\n", "roshambo")
	provider.Start(h.url + "/login/callback")
	b := open(t, 1000, 800)
	visitSchool := func() {
		t.Helper()
		b.click("#provider")
		b.await("document.querySelector('#username')")
		b.write("#username", oidcserver.Users[0])
		b.write("#password", oidcserver.Password)
		b.click("button[type=submit]")
	}
	b.visit(h.url + "/games/roshambo")
	b.await("document.querySelector('#provider').textContent === 'School login' && !document.querySelector('#register')")
	visitSchool()
	b.await("document.querySelector('#new-name').value === 'test-user'")
	b.shoot("choose")
	b.write("#new-name", "ann")
	b.click("#choose")
	b.await("location.pathname === '/games/roshambo' && " + loggedIn("ann"))
	b.click("#log-out")
	b.await("document.querySelector('#provider')")
	visitSchool()
	b.await("location.pathname === '/games/roshambo' && " + loggedIn("ann"))

	b.visit(h.url + "/login?problem=denied")
	b.await("document.querySelector('#problem').textContent === 'The login provider has not let you in.'")
	b.visit(h.url + "/device?code=BCDF-GHJK")
	b.await("document.querySelector('#code').value === 'BCDF-GHJK'")
	b.click("button.main")
	b.await("document.querySelector('#device .fault').textContent.includes('no program waits')")
	b.shoot("code")
	b.text("fetch('/api/device', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ client: 'coco on laptop' }) }).then((r) => r.json()).then((r) => (document.title = r.user_code)) && document.title")
	b.await("/^.{4}-.{4}$/.test(document.title)")
	code := b.text("document.title")
	b.visit(h.url + "/device?code=" + strings.ToLower(code))
	b.await("document.querySelector('#code')")
	b.click("button.main")
	b.await("document.querySelector('#asks').textContent === 'coco on laptop wants to log in as ann.'")
	b.shoot("device")
	b.click("#allow")
	b.await("document.querySelector('#answered').textContent.includes('The program logs in as ann now.')")
	if faults := b.console(); len(faults) > 2 { // the unknown code, and that the provider has no icon
		t.Errorf("got %q on the console, want only the unknown code and a missing icon", faults)
	}
}
