package browser

import (
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

// loggedIn is true when the page shows that a player is logged in.
func loggedIn(name string) string {
	return "document.querySelector('#account b, #account .own-account')?.textContent === " + quote(name+" ✓")
}

// register registers a player on the current page, which logs in, and returns its
// token.
func (b *browser) register(name string) string {
	b.t.Helper()
	b.click("#register")
	b.write("#new-name", name)
	b.click("dialog button.main")
	b.await("document.querySelector('#new-token code')")
	token := b.text("document.querySelector('#new-token code').textContent")
	b.shoot("token")
	b.click("dialog button.main")
	b.await("!document.querySelector('dialog') && " + loggedIn(name))
	return token
}

func TestAPlayerRegistersLogsOutAndLogsInElsewhere(t *testing.T) {
	long.Only(t, "one more page")
	h := start(t, "roshambo")
	b, other := open(t, 1000, 800), open(t, 1000, 800)
	b.visit(h.url + "/")
	b.click("#register")
	b.write("#new-name", "server") // reserved
	b.click("dialog button.main")
	b.await("document.querySelector('dialog .fault').textContent.includes('another player has this name')")
	b.shoot("register")
	b.click("dialog button:not(.main)")
	token := b.register("Ann")
	if !strings.HasPrefix(token, "coco_") || len(token) != 48 {
		t.Errorf("got a token of %d characters, want coco_ and 43 more", len(token))
	}
	b.await("document.querySelector('#person').value === 'Ann'")
	if got := b.text("document.cookie"); strings.Contains(got, "token") {
		t.Error("got the cookie with the token in a script, want it hidden")
	}
	b.visit(h.url + "/games/roshambo")
	b.await(loggedIn("Ann") + " && document.querySelector('#person').value === 'Ann'")

	other.visit(h.url + "/api")
	other.click("#log-in")
	other.write("#token", token[:40])
	other.click("dialog button.main")
	other.await("document.querySelector('dialog .fault').textContent.includes('not valid')")
	other.shoot("login")
	other.write("#token", token)
	other.press("\ue007") // enter
	other.await(loggedIn("Ann"))
	other.visit(h.url + "/")
	other.await(loggedIn("Ann"))
	other.click("#log-out")
	other.await("document.querySelector('#log-in') && document.querySelector('#person').value.startsWith('guest-')")
	other.visit(h.url + "/")
	other.await("document.querySelector('#log-in')")
	b.visit(h.url + "/")
	b.await(loggedIn("Ann"))                    // the other browser has logged out only itself
	if faults := b.console(); len(faults) > 1 { // the refused name
		t.Errorf("got %q on the console, want only the refused name", faults)
	}
	h.kill(t) // its log is complete
	for _, line := range h.Logged() {
		if strings.Contains(line, "coco_") {
			t.Error("got a token in the host's log, want none")
		}
	}
}

func TestLobbyShowsRegisteredPlayersAndClocks(t *testing.T) {
	long.Only(t, "one more page")
	h := start(t, "roshambo")
	b := open(t, 1000, 800)
	b.visit(h.url + "/games/roshambo")
	b.await("document.querySelector('#register')")
	b.register("ann")
	b.openForm()
	b.click("#bots option[value='0']")
	b.write("#bank", "90")
	b.write("#increment", "1.5")
	b.click("form.create button.main")
	b.await("document.querySelector('#notice').textContent.includes('Waiting for 1 more player')")
	b.await("document.querySelector('#players .registered') && document.querySelector('#about').textContent.includes('90 s + 1.5 s a turn for the match')")
	if got := b.text("Boolean(document.querySelector('#log-out'))"); got != "false" {
		t.Error("got the button to log out during a match, want it hidden")
	}
	watcher := open(t, 1000, 800)
	watcher.visit(h.url + "/")
	watcher.await("document.querySelector('#matches .registered')?.title === 'registered player ann'")
	watcher.await("document.querySelector('#matches .match').textContent.includes('90+1.5')")
	watcher.shoot("lobby-registered")
}

func TestAPlayerLeavesAWaitingMatchWithAButton(t *testing.T) {
	long.Only(t, "one more page")
	h := shared(t)
	id := dial(t, h).create("leave", 5, 0)
	b := open(t, 1000, 800)
	b.visit(h.url + "/match/" + id)
	b.click("#join button.main")
	b.click("[data-key=leave]")
	b.await("document.querySelector('#seats-taken').textContent.includes('0 of 2')")
	b.visit(h.url + "/match/" + id) // it does not come back by itself
	b.await("document.querySelector('#seats-taken').textContent.includes('0 of 2')")
}
