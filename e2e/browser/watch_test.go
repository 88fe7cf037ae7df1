package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// moves is true when the page lists n moves.
func moves(n int) string {
	return fmt.Sprintf("document.querySelectorAll('#moves button').length === %d", n)
}

func TestMatchIsFoundInTheLobbyAndWatchedToItsEnd(t *testing.T) {
	long.Only(t, "one more way to watch")
	h := start(t, "roshambo")
	b := open(t, 1200, 900)
	b.visit(h.url + "/")
	b.await("document.querySelector('#matches .empty')")

	// A new match appears in the open lobby.
	alice := dial(t, h)
	id := alice.create("the <b>great</b> final", 5, 1)
	b.await("document.querySelector('#matches .waiting .name')?.textContent === 'the <b>great</b> final'")
	alice.join(id, "alice")
	b.await("document.querySelector('#matches .running')")
	b.shoot("lobby-running")
	b.click("#matches .running .button")

	alice.play("ROCK", "PAPER")
	b.await(moves(2))
	b.await("/alice[^]*to move/.test(document.querySelector('#players').innerText)")
	b.click("#stream-box summary")
	b.await("document.querySelector('#stream').textContent.includes('alice')")

	// A spectator that comes later sees the same.
	late := open(t, 1200, 900)
	late.visit(h.url + "/match/" + id)
	late.await(moves(2))
	for _, w := range []*browser{b, late} {
		w.await("/^(10|[0-9]):[0-5][0-9]$/.test(document.querySelector('[data-clock=alice]').textContent)")
	}
	const picture = "document.querySelector('#board svg')?.getAttribute('aria-label') || ''"
	late.enter()
	b.enter()
	var one, other string
	poll.Until(t, "both browsers show the same board", func() bool {
		one, other = b.text(picture), late.text(picture)
		return one == other && strings.Contains(one, "alice")
	}, func() any { return one + "; " + other })
	late.leave()
	b.leave()

	// Looking at earlier moves does not stop the match; #now returns to the newest.
	late.click("[data-key=first]")
	late.click("#now")
	late.await("document.querySelector('#past').hidden && " + moves(2))
	late.click("[data-key=first]")
	late.await("!document.querySelector('#past').hidden")
	alice.play("ROCK", "PAPER", "SCISSORS")
	for _, w := range []*browser{b, late} {
		w.await("document.querySelector('#share a[download]')")
		w.await(moves(5))
		w.await("/wins|Draw/.test(document.querySelector('#verdict').textContent)")
		if got := w.text("location.pathname"); got != "/match/"+id {
			t.Errorf("got the replay at %s, want it at the match", got)
		}
	}
	alice.AwaitEnd(t)
	alice.join(alice.create("best of 100", 100, 1), "alice")
	dial(t, h).create("who plays with me?", 9, 0)
	b.visit(h.url + "/")
	b.await("document.querySelector('#recent .results a') && document.querySelectorAll('#matches .match').length === 2")
	b.shoot("lobby")
}

func TestResultsAreFilteredAndPaged(t *testing.T) {
	long.Only(t, "one more way to watch")
	h := start(t, "roshambo")
	alice := dial(t, h)
	play := func(name string) {
		t.Helper()
		alice.join(alice.create("quick", 1, 1), name)
		alice.play("ROCK")
		alice.AwaitEnd(t)
	}
	play("bob")
	for range 12 {
		play("alice")
	}
	b := open(t, 1200, 900)
	b.visit(h.url + "/")
	rows := func(n int) { // of matches
		t.Helper()
		b.await(fmt.Sprintf("document.querySelectorAll('#recent .results .replay').length === %d", n))
	}
	rows(10)
	b.await("document.querySelector('#spotlight iframe') && ['alice – Strong bot', 'Strong bot – alice'].includes(document.querySelector('#spotlight .versus').textContent) && document.querySelector('#spotlight .under').textContent.startsWith('A replay')")
	b.click("#spotlight button")
	b.await("document.querySelector('#spotlight button').textContent === 'Go on'")
	b.click("#recent > button")
	rows(13)
	play("carol") // is added above the others
	rows(14)
	b.await("document.querySelector('#recent .results li').textContent.includes('carol')")
	b.write("#recent input", "bob")
	rows(1)
	b.click("#recent option[value=aborted]")
	rows(0)
	b.await("document.querySelector('#recent .hint').textContent.includes('No match for these filters')")

	// From the list of games it is one click to a first move.
	b.click("#games .card button.main")
	b.await("document.querySelector('#caption.mine')")
}

func TestLobbySurvivesARestartOfTheHost(t *testing.T) {
	long.Only(t, "one more way to watch")
	h := start(t, "roshambo")
	alice := dial(t, h)
	alice.join(alice.create("cut short", 100, 1), "alice")
	l := newLine(t, h)
	b := open(t, 1000, 800)
	b.visit(l.url + "/")
	b.await("document.querySelector('#matches .running')")
	h = l.restart(t, h, func() {
		b.await("document.querySelector('#state').textContent.includes('Trying again')")
	})
	b.await("document.querySelector('#matches .empty') && document.querySelector('#state').textContent === ''")
	dial(t, h).create("after the restart", 5, 1)
	b.await("document.querySelector('#matches .waiting')")
}

func TestPageLoadsANewViewerDuringAMatch(t *testing.T) {
	long.Only(t, "one more way to watch")
	h := start(t, "roshambo")
	alice := dial(t, h)
	id := alice.create("reload", 100, 1)
	alice.join(id, "alice")
	b := open(t, 1000, 800)
	b.visit(h.url + "/match/" + id)
	alice.play("ROCK", "PAPER")
	b.await(moves(2))
	text, err := os.ReadFile(filepath.Join(h.plugins, "roshambo", "viewer.js"))
	if err != nil {
		t.Fatal(err)
	}
	writeViewer(t, h.plugins, strings.ReplaceAll(string(text), "Round {round} of", "Lap {round} of"))
	b.await("(dispatchEvent(new Event('focus')), document.querySelector('#caption').textContent === 'Lap 3 of 100')")
	alice.play("ROCK")
	b.await(moves(3))
	b.await("document.querySelector('#caption').textContent === 'Lap 4 of 100'")
}

func TestPageOfAWatchedGameLoadsASavedViewerByItself(t *testing.T) {
	long.Only(t, "one more way to watch")
	h := startWith(t, "  watch: true\n", "roshambo")
	alice := dial(t, h)
	id := alice.create("author", 100, 1)
	alice.join(id, "alice")
	b := open(t, 1000, 800)
	b.visit(h.url + "/match/" + id)
	alice.play("ROCK", "PAPER")
	b.await(moves(2))
	text, err := os.ReadFile(filepath.Join(h.plugins, "roshambo", "viewer.js"))
	if err != nil {
		t.Fatal(err)
	}
	writeViewer(t, h.plugins, "export const broken = (;")
	b.await("document.querySelector('#notice').textContent.includes('viewer.js:1:24')")
	writeViewer(t, h.plugins, strings.ReplaceAll(string(text), "Round {round} of", "Lap {round} of"))
	b.await("document.querySelector('#caption').textContent === 'Lap 3 of 100' && document.querySelector('#notice').textContent === ''")
	// Other pages look for a viewer every 8 to 12 seconds.
	const looks = "performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/viewer.js')).map((e) => e.startTime)"
	b.await(looks + ".length >= 5")
	if got := b.text("String(" + looks + ".slice(0, 5).pop() - " + looks + "[1] < 24000)"); got != "true" {
		t.Error("the page looked for a new viewer three times in 24 seconds or more, want several times a second")
	}
}
