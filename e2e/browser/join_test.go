package browser

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"colosseum/internal/test/long"
)

func writeViewer(t testing.TB, plugins, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(plugins, "roshambo", "viewer.js"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTwoPeopleMeetInTheLobbyAndPlay(t *testing.T) {
	h := start(t, "roshambo")
	ann, bob := open(t, 1000, 800), open(t, 1000, 800)
	for _, b := range []*browser{ann, bob} {
		b.visit(h.url + "/")
		b.await("document.querySelector('#games .card')")
	}
	ann.write("#person", "ann")
	bob.write("#person", "bo b")
	bob.await("document.querySelector('#person-fault').textContent !== ''")
	bob.write("#person", "bob")
	bob.await("document.querySelector('#person-fault').textContent === ''")

	ann.visit(h.url + "/games/roshambo")
	ann.openForm()
	ann.click("#bots option[value='0']")
	ann.write("#param-rounds", "2")
	ann.write("#param-pace", "0")
	ann.write("#password", "secret")
	ann.click("form.create button.main")
	ann.await("document.querySelector('#notice').textContent.includes('Waiting for 1 more player')")
	ann.enter() // the board exists before the match
	ann.leave()

	bob.click("#matches .waiting .button.main")
	bob.await("document.querySelector('.arena.ready #join-password')")
	bob.write("#join-password", "wrong")
	bob.click("#join button.main")
	bob.await("document.querySelector('#join .fault').textContent === 'The host says: Wrong password'")
	bob.shoot("join")
	bob.write("#join-password", "secret")
	bob.click("#join button.main")
	bob.await("document.querySelector('[data-key=leave]')")
	for round, hand := range []string{"ROCK", "PAPER"} {
		for _, b := range []*browser{ann, bob} {
			b.await(moves(round))
			b.hand(hand)
		}
	}
	for _, b := range []*browser{ann, bob} {
		b.await("document.querySelector('#verdict').textContent.startsWith('Draw')")
	}
	if got := bob.text("document.querySelector('#players .name').textContent"); got != "bob" || bob.text("document.querySelector('#players .you').closest('li').querySelector('.name').textContent") != "bob" {
		t.Errorf("got first player %q, want bob, marked as you", got)
	}
}

func TestRefusalsAreShownWhereTheyArise(t *testing.T) {
	long.Only(t, "one more way to play")
	h := shared(t)
	b := open(t, 1000, 800)
	b.visit(h.url + "/games/roshambo")
	b.openForm()
	b.write("#param-rounds", "0")
	b.click("form.create button.main")
	b.await("document.querySelector('#param-rounds').matches(':invalid') && location.pathname === '/games/roshambo'")
	// Without the form's own check, the host refuses the value.
	b.eval("document.querySelector('#param-rounds').removeAttribute('min')", nil)
	b.click("form.create button.main")
	b.await("document.querySelector('form .fault').textContent.includes('Invalid number of rounds')")

	alice := dial(t, h)
	id := alice.create("names", 5, 0)
	alice.join(id, "ann")
	b.write("#person", "ann")
	b.visit(h.url + "/match/" + id)
	b.click("#join button.main")
	b.await("document.querySelector('#join .fault').textContent.includes('already taken')")
	b.visit(h.url + "/match/0000000000000")
	b.await("document.querySelector('#notice').textContent.includes('There is no such match') && document.querySelector('#notice a')")
}

func TestGameIsPlayedByKeyboardAlone(t *testing.T) {
	long.Only(t, "one more way to play")
	h := shared(t)
	b := open(t, 1000, 800)
	b.create(h, "royalur", map[string]string{"pace": "0", "bot": "random"})
	for range 2 {
		b.await("document.querySelector('#caption.mine') && document.activeElement.localName === 'iframe'") // without a click
		before := b.text("document.querySelectorAll('#moves button').length")
		for more := "false"; more == "false"; more = b.text("document.querySelectorAll('#moves button').length > " + before) {
			b.enter()
			// A key is lost if the board is drawn again at that moment.
			for begun := time.Now(); b.text("document.activeElement.matches('.choice')") == "false"; {
				b.await("document.querySelector('.choice')")
				b.press("\ue015") // down arrow
				b.retry(begun, nil, "a choice with the focus")
			}
			if label := b.text("document.activeElement.getAttribute('aria-label') ?? 'drawn again'"); len(label) < 10 {
				t.Errorf("got label %q, want 10 characters or more", label)
			}
			b.press("\ue007") // enter
			b.leave()
		}
	}
}

func TestGameWithoutAViewerIsPlayedByItsLines(t *testing.T) {
	long.Only(t, "one more way to play")
	h := startViewer(t, "")
	b := open(t, 1000, 800)
	b.create(h, "roshambo", map[string]string{"rounds": "2", "pace": "0"})
	for _, hand := range []string{"ROCK", "PAPER"} {
		b.write("#line", hand)
		b.click("#choices button")
		b.await("document.querySelector('pre.text').textContent.includes('> " + hand + "')")
	}
	b.await(over)
	b.shoot("text")
	before := b.text("location.pathname")
	b.click("#after button") // a new match with the same parameters
	b.await("location.pathname.startsWith('/match/') && location.pathname !== " + quote(before))
	b.await("document.querySelector('#line') && document.querySelector('#about').textContent.includes('rounds 2')")
}
