package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

// seats returns the seats of a result as JSON: "ann 1 33" is a name, a rank and a score,
// and the rest of the text says how the seat ended, unless it is finished.
func seats(list ...string) string {
	var all []string
	for _, s := range list {
		var name, score, ended string
		var rank int
		if n, _ := fmt.Sscanf(s, "%s %d %s", &name, &rank, &score); n != 3 {
			panic("not a seat: " + s)
		}
		if parts := strings.SplitN(s, " ", 4); len(parts) == 4 {
			ended = parts[3]
		} else {
			ended = `"ended":"finished"`
		}
		all = append(all, fmt.Sprintf(`{"name":%q,"rank":%d,"score":%s,%s}`, name, rank, score, ended))
	}
	return strings.Join(all, ",")
}

const (
	one      = `"ended":"finished","team":1`
	other    = `"ended":"finished","team":2`
	late     = `"ended":"forfeit: timeout"`
	gone     = `"ended":"forfeit: disconnected"`
	lost     = `"ended":"forfeit: disconnected","away":2`
	resigned = `"ended":"forfeit: resigned"`
	illegal  = `"ended":"forfeit: illegal","fault":{"line":"E9"}`
)

// verdicts are results with the sentences that pages show. me is the person, and end the
// reason of the viewer.
var verdicts = []struct{ seats, reason, me, end, want string }{
	{seats("ann 1 1", "bob 2 0"), "", "", "", "ann wins."},
	{seats("ann 1 1", "bob 2 0"), "", "ann", "", "You won."},
	{seats("ann 1 1", "bob 2 0"), "", "bob", "", "You lost."},
	{seats("ann 2 0", "ServerBot$0 1 1"), "ServerBot$0 reached the far row", "ann", "ServerBot$0 reached row 1", "You lost: Strong bot reached row 1."},
	{seats("ann 2 0", "ServerBot$0 1 1"), "ServerBot$0 reached the far row", "ann", "", "You lost: Strong bot reached the far row."},
	{seats("ann 2 14", "ServerBot$0 1 32"), "", "ann", "", "You lost, 14 to 32."},
	{seats("ann 2 14", "ServerBot$0 1 32"), "", "", "", "Strong bot wins, 32 to 14."},
	{seats("ann 1 182.5", "bob 2 -60.33333"), "", "ann", "the time is up.", "You won, 182.5 to −60.333: the time is up."},
	{seats("ann 1 0.5", "bob 1 0.5"), "", "ann", "the same position came for the third time", "Draw: the same position came for the third time."},
	{seats("ann 1 0.5", "bob 1 0.5"), "", "", "", "Draw."},
	{seats("ann 1 3", "bob 1 3"), "", "", "", "Draw, 3 to 3."},
	{seats("ann 1 33", "bob 1 33", "carol 1 33"), "", "", "", "ann, bob and carol share first place with 33 points."},
	{seats("ann 1 33", "bob 1 33", "carol 3 19"), "", "ann", "", "You share first place with bob: 33 points each."},
	{seats("ann 1 33", "bob 1 33", "carol 3 19"), "", "carol", "", "ann and bob share first place with 33 points."},
	{seats("ann 1 40", "bob 2 33", "carol 3 19"), "", "bob", "", "You lost with 33 points: ann won with 40 points."},
	{seats("ann 1 40", "bob 2 33", "carol 3 1"), "", "", "", "ann wins with 40 points."},
	{seats("ann 1 0", "bob 2 0 "+late), "bob forfeits: timeout", "", "nobody moved", "ann wins: bob ran out of time."},
	{seats("ann 1 0", "bob 2 0 "+late), "bob forfeits: timeout", "bob", "", "You lost: you ran out of time."},
	{seats("ann 1 0", "bob 2 0 "+gone), "", "ann", "", "You won: bob left the match."},
	{seats("ann 1 0", "bob 2 0 "+lost), "", "ann", "", "You won: bob lost the connection and did not come back in time."},
	{seats("ann 1 0", "bob 2 0 "+resigned), "", "", "", "ann wins: bob resigned."},
	{seats("ann 1 0", "bob 2 0 "+illegal), "", "", "", "ann wins: bob's program sent “E9”, which is not allowed."},
	{seats("ann 1 0 "+late, "bob 1 0 "+gone), "", "", "", "Draw: ann ran out of time and bob left the match."},
	{seats("ann 1 7"), "", "ann", "", "You finished with 7 points."},
	{seats("ann 1 2 "+one, "bob 3 4 "+other, "carol 1 5 "+one, "dave 3 0 "+other), "", "", "", "ann and carol win."},
	{seats("ann 1 2 "+one, "bob 3 4 "+other, "carol 1 5 "+one, "dave 3 0 "+other), "", "carol", "", "You won with ann."},
	{seats("ann 1 2 "+one, "bob 3 4 "+other, "carol 1 5 "+one, "dave 3 0 "+other), "", "dave", "", "You lost: ann and carol won."},
	{seats("ann 1 2 "+one, "bob 1 7 "+other, "carol 1 5 "+one), "", "", "", "Draw, 7 to 7."},
	{seats("ann 1 0.5 "+one, "bob 1 0.5 "+other, "carol 1 0.5 "+one, "dave 1 0.5 "+other), "", "dave", "", "Draw."},
	{seats("ann 1 2 "+one, "bob 1 7", "carol 1 5 "+one, "dave 4 1"), "", "", "", "ann, bob and carol share first place with 2 points."},
	{seats("ann 1 2 "+one, "bob 1 7 "+one), "", "bob", "", "ann and bob finished with 9 points."},
}

func verdictsAreSentencesForPeople(t *testing.T, b *browser) {
	type row struct {
		Result json.RawMessage `json:"result"`
		Me     *string         `json:"me"`
		End    string          `json:"end"`
	}
	var rows []row
	for _, v := range verdicts {
		r := row{Result: json.RawMessage(fmt.Sprintf(`{"players":[%s],"reason":%q}`, v.seats, v.reason)), End: v.end}
		if v.me != "" {
			r.Me = &v.me
		}
		rows = append(rows, r)
	}
	rows = append(rows, row{Result: json.RawMessage(`{"players":[],"reason":"the game failed","aborted":true}`)})
	var got []string
	b.call("POST", "/execute/async", map[string]any{"args": []any{rows}, "script": `
		const done = arguments[arguments.length - 1];
		import("/assets/verdict.js").then(({ verdict }) => done(arguments[0].map((r) => verdict(r.result, { me: r.me, end: r.end, called: () => "Strong bot" }).text)), (e) => done([String(e)]));`}, &got)
	if len(got) != len(rows) {
		t.Fatalf("got %q, want %d sentences", got, len(rows))
	}
	for i, v := range verdicts {
		if got[i] != v.want {
			t.Errorf("%s for %q: got %q, want %q", v.seats, v.me, got[i], v.want)
		}
	}
	if want := "The match was aborted and does not count: the game failed."; got[len(verdicts)] != want {
		t.Errorf("aborted: got %q, want %q", got[len(verdicts)], want)
	}
}

// sit makes a person take a seat in a waiting match on a site.
func (b *browser) sit(site, id, name string) {
	b.t.Helper()
	b.visit(site + "/match/" + id)
	b.write("#person", name)
	b.click("#join button.main")
	b.await("document.querySelector('[data-key=leave]')")
}

// first is the name on the first seat.
const first = "document.querySelector('#players .name').textContent.trim()"

func TestPlayersReadWhoHasWonAndPlayAgainOnSwappedSeats(t *testing.T) {
	long.Only(t, "it reads the texts of many results")
	h := shared(t)
	ann, bob := open(t, 1000, 800), open(t, 375, 800)
	id := dial(t, h).create("once more", 1, 0)
	ann.sit(h.url, id, "ann")
	bob.sit(h.url, id, "bob")
	ann.hand("ROCK")
	bob.hand("PAPER")
	ann.await("document.querySelector('#verdict').textContent === 'You lost.'")
	bob.await("document.querySelector('#verdict').textContent === 'You won.'")
	bob.shoot("verdict")
	watcher := open(t, 768, 800)
	watcher.visit(h.url + "/match/" + id)
	watcher.await("document.querySelector('#verdict').textContent === 'bob wins.'")
	watcher.shoot("verdict-spectator")
	before := watcher.text(first)

	ann.visit(h.url + "/match/" + id) // the replay knows the person
	ann.await("document.querySelector('#verdict').textContent === 'You lost.'")
	ann.click("[data-key=rematch]")
	ann.await("location.pathname !== '/match/" + id + "' && document.querySelector('#notice').textContent.includes('Waiting for bob')")
	again := strings.TrimPrefix(ann.text("location.pathname"), "/match/")
	bob.await("document.querySelector('#after .offer')?.textContent.startsWith('ann wants a rematch.')")
	bob.shoot("offer")
	bob.click("[data-key=accept]")
	bob.await("location.pathname === '/match/" + again + "' && document.querySelector('[data-key=leave]')")
	ann.hand("ROCK")
	bob.hand("PAPER")
	bob.await("document.querySelector('#verdict').textContent === 'You won.'")
	watcher.visit(h.url + "/match/" + again)
	watcher.await("document.querySelector('#verdict').textContent === 'bob wins.'")
	if after := watcher.text(first); after == before {
		t.Errorf("got %s on the first seat of both matches, want the seats swapped", after)
	}
}

func TestPageSaysNextToTheBoardWhatHappens(t *testing.T) {
	long.Only(t, "it reads the texts of many results")
	h := start(t, "roshambo")
	l := newLine(t, h)
	ann, late := open(t, 1000, 800), open(t, 375, 800)
	bob := dial(t, h)
	id := bob.create("news", 9, 0)
	ann.sit(l.url, id, "ann")
	bob.join(id, "bob")

	// The match is full for others, who can watch it.
	late.visit(l.url + "/match/" + id + "#play")
	late.await("document.querySelector('.news #event').textContent.startsWith('This match is full. You can watch it, or start a match of ') && document.querySelector('#event a')")
	late.await("document.querySelector('#board iframe')")
	late.shoot("full")

	// Whether it is the person's turn is in the title, and in a notification.
	ann.await("document.title.startsWith('● Your move – news') && document.querySelector('link[rel=icon]').href.endsWith('turn.svg')")
	ann.cdp("Browser.grantPermissions", map[string]any{"origin": l.url, "permissions": []string{"notifications"}})
	ann.eval(`(() => { window.notes = []; const real = Notification;
		window.Notification = class { constructor(title, { body }) { notes.push(title + ": " + body); } static get permission() { return real.permission; } static requestPermission() { return real.requestPermission(); } }; })()`, nil)
	ann.click("#notices summary")
	ann.click("[data-notice=notify]")
	ann.await("JSON.parse(localStorage.notices)?.notify === true && document.querySelector('[data-notice=notify]').checked")
	ann.shoot("notices")
	ann.hand("ROCK")
	ann.await("document.title.startsWith('news')")
	ann.eval("Object.defineProperty(document, 'hidden', { value: true, configurable: true })", nil)
	bob.play("PAPER")
	ann.await("document.title.startsWith('● Your move') && notes.length === 1 && notes[0].startsWith('Your move: news')")
	ann.eval("delete document.hidden", nil)

	// A host that does not answer is named over the board until it is back.
	l.restart(t, h, func() {
		for _, b := range []*browser{ann, late} {
			b.await("/^No connection to the host for [0-9]+:[0-9][0-9], trying again…$/.test(document.querySelector('#unreachable').textContent) && document.querySelector('#board.dimmed')")
		}
		ann.shoot("dead")
	})
	for _, b := range []*browser{ann, late} {
		b.await("document.querySelector('#verdict').textContent.startsWith('The match was aborted and does not count: ') && document.querySelector('#unreachable').textContent === '' && !document.querySelector('#board.dimmed')")
	}
	ann.shoot("aborted")
}

func TestLinesThatEndAMatchAreSentAfterAQuestion(t *testing.T) {
	long.Only(t, "it reads the texts of many results")
	needBrowser(t)
	text, err := os.ReadFile("../../plugins/roshambo/viewer.js")
	if err != nil {
		t.Fatal(err)
	}
	const choice = "({ line, label: "
	if !strings.Contains(string(text), choice) {
		t.Fatalf("got no %q in the viewer, want one", choice)
	}
	h := startViewer(t, strings.Replace(string(text), choice, "({ line, confirm: line === 'ROCK' ? 'Play rock?' : '', label: ", 1))
	b := open(t, 1000, 800)
	b.create(h, "roshambo", map[string]string{"rounds": "3", "pace": "0"})
	b.hand("ROCK")
	b.await("document.querySelector('dialog.question[open] p').textContent === 'Play rock?' && document.activeElement.matches('dialog button:not(.main)')")
	b.shoot("question")
	b.enter()
	b.eval("document.querySelector('#PAPER').old = true", nil)
	b.leave()
	b.press("\ue007") // enter answers no
	b.await("!document.querySelector('dialog')")
	b.enter()
	b.await("!document.querySelector('#PAPER').old") // the board goes on
	b.leave()
	b.hand("PAPER") // this one is not asked
	b.await(moves(1))
	b.hand("ROCK")
	b.await("document.querySelector('dialog.question[open]')")
	b.press("\ue00c") // so does escape
	b.await("!document.querySelector('dialog')")
	b.hand("ROCK")
	b.click("dialog.question button.main")
	b.await(moves(2))
	b.await("!document.querySelector('dialog') && document.querySelector('#caption').textContent.includes('Round 3') && document.querySelector('#choices details button')")
	b.eval("document.querySelector('#choices details button').click()", nil) // rock, from the list
	b.click("dialog.question button.main")
	b.await(over)
}
