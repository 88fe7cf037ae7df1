package browser

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
)

// buildContests builds the tests of package site, which can also serve their contests.
var buildContests = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "site.test")
	return path, programs.Run("go", "test", "-c", "-o", path, "colosseum/host/internal/clients/site")
})

// contests is a site with the contests of the tests of package site. Games and matches
// are those of a host.
type contests struct {
	url string
	end io.WriteCloser // each line ends the running match in the contests
}

// serveContests starts a site in whose contests matches of the host are running.
func serveContests(t testing.TB, h *host, matches ...string) *contests {
	t.Helper()
	path, err := buildContests()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), "FAKE_CONTESTS="+h.url, "MATCH="+strings.Join(matches, ","))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &contests{strings.TrimSpace(line), in}
}

// startContests starts a host, a match against its bot, and a site with contests. alice
// plays the match.
func startContests(t testing.TB) (c *contests, alice *program, id string) {
	t.Helper()
	h := shared(t)
	alice = dial(t, h)
	id, err := alice.Create(programs.Roshambo(9, 1)) // which leaves much time for an answer
	if err != nil {
		t.Fatal(err)
	}
	alice.join(id, "alice")
	alice.play("ROCK", "PAPER")
	return serveContests(t, h, id), alice, id
}

func TestAPlayerEntersAContestOnItsPage(t *testing.T) {
	long.Only(t, "it opens the pages of contests")
	c, _, _ := startContests(t)
	b := open(t, 1280, 900)
	b.visit(c.url + "/contests/next")
	b.await("document.querySelectorAll('.entries li').length === 3")
	b.await("document.querySelector('#entry').textContent.includes('Log in')")
	b.click("#log-in")
	b.write("#token", "coco_bob")                            // of the tests of package site
	b.press("\ue007")                                        // Enter
	b.await("document.querySelector('[data-key=withdraw]')") // bob is one of its entries
	b.click("[data-key=withdraw]")
	b.await("[...document.querySelectorAll('.entries li')].some((e) => e.textContent === 'bob (withdrawn)')")
	b.click("[data-key=enter]")
	b.await("document.querySelector('[data-key=withdraw]') && !document.querySelector('.entries').textContent.includes('withdrawn')")

	// Polls get no body while nothing changes.
	polls := "performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/api/contests/next'))"
	b.await(polls + ".some((e) => e.responseStatus === 304 && e.encodedBodySize === 0)")

	// In the standings the player finds itself.
	b.visit(c.url + "/contests/autumn-league")
	b.await("document.querySelector('.standings tr.mine th').textContent.startsWith('bob')")
	b.await("document.querySelector('#mine .place').textContent.startsWith('Place 2 of 9 · 4 points') && document.querySelectorAll('#mine .last a').length === 5")
	if got := b.text("[...document.querySelectorAll('.podium .step')].map((e) => `${e.value} ${e.querySelector('.name').textContent} ${e.querySelector('p').textContent}`).join()"); got != "1 ann 4.5 points,2 bob 4 points,3 cy 3.5 points" {
		t.Errorf("got the podium %q, want the first three", got)
	}
	b.click("#log-out")
	b.await("document.querySelector('#mine').textContent.includes('For bob, who was logged in here.')")
	b.click("[data-key=forget]")
	b.await("document.querySelector('#mine').hidden && !document.querySelector('.standings tr.mine')")
	b.click("#log-in")
	b.write("#token", "coco_bob")
	b.press("\ue007") // Enter
	b.await("document.querySelector('#mine .place')")
	b.visit(c.url + "/ladder/roshambo")
	b.await("document.querySelector('.standings tr.mine th').textContent.startsWith('bob')")
}

func TestACaptainChangesItsTeamOnThePage(t *testing.T) {
	long.Only(t, "it opens the pages of contests")
	c, _, _ := startContests(t)
	b := open(t, 1280, 900)
	b.visit(c.url + "/contests/teams")
	b.await("document.querySelector('#entry').textContent.includes('Log in')")
	b.click("#log-in")
	b.write("#token", "coco_bob") // of the tests of package site
	b.press("\ue007")             // Enter
	b.await("document.querySelector('#entry').textContent.includes('You play for reds on board 1.')")
	b.await("document.querySelector('.standings tr.mine th').textContent.includes('reds') && !document.querySelector('.member')")
	b.click("[data-key='boards reds']")
	b.await("[...document.querySelectorAll('.member th')].map((e) => e.textContent).join() === 'bob,hal,ida reserve'")
	b.click("[data-key='boards of 1']")
	b.await("[...document.querySelectorAll('.boards-of li')].map((e) => e.querySelector('.name').textContent + e.querySelector('.name:last-child').textContent).join() === 'bobfay,halann'")
	b.text("(() => { const f = document.querySelector('#team-players'); f.value = 'hal, bob'; f.dispatchEvent(new Event('input')); return ''; })()")
	polls := "performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/api/contests/teams')).length"
	before := b.text(polls)
	b.await(polls + " > " + before) // the page has drawn again
	if got := b.text("document.querySelector('#team-players').value"); got != "hal, bob" {
		t.Errorf("got %q in the field after an update, want what was typed", got)
	}
	b.click("[data-key=line-up]")
	b.await("document.querySelector('#entry').textContent.includes('You play for reds on board 2.')")
	b.await("document.querySelector('.boards-of').open && document.querySelectorAll('.member').length === 3")
}

func TestAnOrganizerDecidesOnThePageOfTheContest(t *testing.T) {
	long.Only(t, "it opens the pages of contests")
	c, _, _ := startContests(t)
	b := open(t, 1280, 900)
	b.visit(c.url + "/contests/cup/organize")
	b.await("!document.querySelector('#refused').hidden && document.querySelector('#desk').hidden")
	b.click("#log-in")
	b.write("#token", "coco_zoe") // of the tests of package site
	b.press("\ue007")             // Enter
	b.await("document.querySelector('#refused').hidden && document.querySelectorAll('#entries tbody tr').length === 11")
	b.await("document.querySelector('#class').textContent.includes('Ann Žák')")

	// A decision about a match needs a reason.
	b.await("document.querySelector('#choose select')")
	b.text("(() => { const s = document.querySelector('#choose select'); s.value = '1'; s.dispatchEvent(new Event('change')); return ''; })()")
	b.click("[data-key='rule 2 1']")
	b.click("dialog [type=submit]")
	b.await("document.querySelector('dialog #reason:invalid')")
	b.write("#reason", "the bell rang")
	b.text("(() => { const s = document.querySelector('#ruling'); s.value = '1'; s.dispatchEvent(new Event('change')); return ''; })()")
	b.click("dialog [type=submit]")
	b.await("!document.querySelector('dialog') && document.querySelector('#decisions li').textContent.includes('0.5') && document.querySelector('#decisions').textContent.includes('the bell rang')")
	b.await("document.querySelector('#results').textContent.includes('set by the organizer')")

	// It can be undone, and everybody sees both.
	b.click("[data-key='undo 9']")
	b.write("#reason", "it had not")
	b.click("dialog [type=submit]")
	b.await("document.querySelectorAll('#decisions li').length === 2 && document.querySelector('#decisions .undone')")
	b.visit(c.url + "/contests/cup")
	b.await("document.querySelectorAll('#decisions li').length === 2 && document.querySelector('[data-key=organize]')")

	// What the host refuses is shown, and stays.
	b.visit(c.url + "/contests/cup/organize")
	b.await("document.querySelector('[data-key=pause]')")
	b.click("[data-key=pause]")
	b.click("dialog [type=submit]") // of the tests of package site: it wants a reason
	b.await("document.querySelector('dialog .fault').textContent.includes('needs a reason')")
	b.write("#reason", "lunch")
	b.click("dialog [type=submit]")
	b.await("!document.querySelector('dialog')")
}

func TestCrossTableOfFourToAMatchCountsBetterRanks(t *testing.T) {
	long.Only(t, "it opens the pages of contests")
	c, _, _ := startContests(t)
	b := open(t, 1280, 900)
	b.visit(c.url + "/contests/tables")
	b.await("document.querySelectorAll('.cross tbody tr').length === 5")
	cells := func(row int) string {
		return b.text(fmt.Sprintf("[...document.querySelectorAll('.cross tbody tr')[%d].querySelectorAll('td')].slice(0, -1).map((e) => e.textContent).join(' ')", row))
	}
	for row, want := range []string{ // ann, bob, cy, dora and the bot; the ranks are 1 2 2 4 and, with the bot first, 3 2 4
		"itself 1/2 2/2 1/1 0/1", "1/2 itself 1.5/2 1/1 0/1", "0/2 0.5/2 itself 1/1 0/1", "0/1 0/1 0/1 itself ", "1/1 1/1 1/1  itself",
	} {
		if got := cells(row); got != want {
			t.Errorf("row %d: got %q, want %q", row+1, got, want)
		}
	}
	if got := b.text("document.querySelector('#standings details').textContent"); !strings.Contains(got, "share of the others") {
		t.Errorf("got the explanation %q, want that of more than two", got)
	}
}

func TestContestByScoreShowsTheRunsOfAnEntry(t *testing.T) {
	long.Only(t, "it opens the pages of contests")
	c, _, _ := startContests(t)
	b := open(t, 1280, 900)
	b.visit(c.url + "/contests/puzzles")
	b.await("document.querySelectorAll('.standings tbody tr').length === 3 && document.querySelector('.standings thead').textContent.includes('Mean')")
	b.await("document.querySelector('#runs li a').getAttribute('href') === '/match/puzzle0' && document.querySelector('#runs li').textContent.includes('best run')")
	b.await("document.querySelectorAll('.pairings .chip').length === 3 && !document.querySelector('#rounds').textContent.includes('bye')")
	b.text("(() => { const s = document.querySelector('#runs select'); s.value = 'cy'; s.dispatchEvent(new Event('change')); return ''; })()")
	b.await("document.querySelector('#runs li').textContent.includes('did not come') && !document.querySelector('#runs li a')")
	b.visit(c.url + "/contests/puzzles/projector")
	b.await("document.querySelectorAll('#standings tbody tr').length === 3 && document.querySelector('#standings').textContent.includes('1200.5')")
}

func TestPassMarkShowsTriesAndBeginsOne(t *testing.T) {
	long.Only(t, "it opens the pages of contests")
	c, _, _ := startContests(t)
	b := open(t, 1280, 900)
	b.visit(c.url + "/contests/mark")
	b.await("document.querySelectorAll('.standings tbody tr').length === 3 && document.querySelector('.standings tbody tr').textContent.includes('✓') && document.querySelector('.standings progress').value === 3")
	b.await("document.querySelector('#about').textContent.includes('3 wins of 4 against Medium bot · published seeds') && document.querySelector('#standings code').textContent.startsWith('7 7 18446744073709551615')")
	b.await("document.querySelectorAll('#tries li').length === 2 && document.querySelectorAll('#tries .tag').length === 1 && document.querySelectorAll('#tries .chip').length === 8")
	b.click("#log-in")
	b.write("#token", "coco_bob") // of the tests of package site
	b.press("\ue007")             // Enter
	b.await("document.querySelector('[data-key=try]') && document.querySelector('#entry').textContent.includes('1 try left')")
	b.await("document.querySelector('#tries select').value === 'bob' && document.querySelectorAll('#tries li').length === 1 && !document.querySelector('#tries .tag')")
	b.click("[data-key=try]")
	b.await("document.querySelector('#entry [role=status]').textContent.includes('is being played') && !document.querySelector('[data-key=try]')")
	b.visit(c.url + "/contests/mark/projector")
	b.await("document.querySelectorAll('#standings tbody tr').length === 3 && document.querySelector('#standings tbody tr').textContent.includes('✓')")
}

func TestARunningMatchOfAContestIsShownUntilItEnds(t *testing.T) {
	long.Only(t, "it opens the pages of contests")
	c, alice, id := startContests(t)
	b, projector := open(t, 1280, 900), open(t, 1280, 800)
	b.visit(c.url + "/contests/cup")
	projector.visit(c.url + "/contests/cup/projector")
	for _, w := range []*browser{b, projector} {
		w.await("document.querySelector('.live iframe') && document.querySelector('.live p').textContent.includes('Round 3 of 9')")
		if got := w.text("document.querySelector('.live a').getAttribute('href')"); got != "/match/"+id {
			t.Errorf("got a board of %s, want the match %s", got, id)
		}
	}
	semi := "[...document.querySelectorAll('.bracket section')][2].querySelector('.side')"
	b.await(semi + ".textContent.includes('●')")
	if got := b.text("[...document.querySelectorAll('.wide')].every((e) => e.scrollWidth === e.clientWidth)"); got != "true" {
		t.Error("got a bracket that is cut off, want all of it")
	}
	b.text("(() => { const s = document.querySelector('#bracket select'); s.value = 'hal'; s.dispatchEvent(new Event('change')); return ''; })()")
	b.await("document.querySelectorAll('.slot.on').length === 2 && document.querySelectorAll('.slot.on.goes').length === 1") // it won once
	b.click("[data-key='round before']")
	b.await("document.querySelector('#rounds select').value === '2'")
	b.text("scrollTo(0, 0)") // only boards in sight are drawn
	alice.play("ROCK")
	for _, w := range []*browser{b, projector} {
		w.await("document.querySelector('.live p').textContent.includes('Round 4 of 9')")
	}
	for range 6 {
		alice.play("ROCK")
	}
	alice.AwaitEnd(t)
	b.await("document.querySelector('.live p').textContent.includes('over')")
	if _, err := io.WriteString(c.end, "\n"); err != nil {
		t.Fatal(err)
	}
	b.await(semi + ".textContent.includes('W') && document.querySelector('#live-box').hidden")
	projector.await("document.querySelector('#stage').hidden")
	if got := b.text("document.querySelector('#rounds select').value"); got != "2" {
		t.Errorf("got round %s after an update, want the chosen one", got)
	}
}

func TestAPlayerSaysThatItIsThereForItsRound(t *testing.T) {
	long.Only(t, "it opens the pages of contests")
	c, _, _ := startContests(t)
	b := open(t, 1280, 900)
	b.visit(c.url + "/contests/spring-cup")
	b.await("document.querySelectorAll('#dates li').length === 7")
	b.await("document.querySelector('#dates li').matches('.mine') && document.querySelector('#dates li.mine').textContent.includes('shifted: half term') && document.querySelectorAll('#dates details li').length === 3")
	b.await("document.querySelector('#turn').hidden && !document.querySelector('#calendar-box').hidden")
	b.click("#log-in")
	b.write("#token", "coco_bob")
	b.press("\ue007") // Enter
	b.await("document.querySelector('#turn').textContent.includes('Round 4: play against')")
	b.await("document.querySelector('#mine').textContent.includes('Next: round 4 against') && document.querySelector('#mine code').textContent.includes('--contest spring-cup')")
	b.click("#turn [data-key=here]")
	b.await("document.querySelector('#turn').textContent.includes('You have said that you are here until') && !document.querySelector('#turn [data-key=here]')")
	b.visit(c.url + "/contests")
	b.await("[...document.querySelectorAll('.contest')].some((e) => e.textContent.includes('open for'))")
}

func TestTheBoardsOfARoundShareOneConnection(t *testing.T) {
	long.Only(t, "it opens the pages of contests")
	h := shared(t)
	var players []*program
	var ids []string
	for range 4 {
		p := dial(t, h)
		id, err := p.Create(programs.Roshambo(9, 1))
		if err != nil {
			t.Fatal(err)
		}
		p.join(id, "alice")
		p.play("ROCK", "PAPER")
		players, ids = append(players, p), append(ids, id)
	}
	c := serveContests(t, h, ids...)
	b := open(t, 1280, 900)
	b.cdp("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "window.sockets = 0; window.WebSocket = class extends WebSocket { constructor(...a) { super(...a); window.sockets++; } };"})
	b.visit(c.url + "/contests/blitz")
	b.await("document.querySelectorAll('.live iframe').length === 2")
	b.click("[data-key=more]")
	b.await("document.querySelectorAll('.live iframe').length === 4")
	b.await("[...document.querySelectorAll('.live p')].every((e) => e.textContent.includes('Round 3 of 9'))")
	players[3].play("ROCK")
	b.await("[...document.querySelectorAll('.live p')].map((e) => e.textContent.match(/Round (.)/)[1]).join('') === '3334'")
	for range 7 {
		players[0].play("ROCK")
	}
	players[0].AwaitEnd(t)
	b.await("document.querySelector('.live p').textContent.includes('The match is over.')")
	if got := b.text("sockets"); got != "1" {
		t.Errorf("got %s connections for four boards, want 1", got)
	}
	b.visit(c.url + "/contests/blitz/projector#boards")
	b.await("document.querySelectorAll('.wall .live iframe').length >= 3 && sockets === 1")

	// A large bracket begins where it fits, and shows an earlier round when it is asked to.
	b.visit(c.url + "/contests/open")
	b.await("document.querySelectorAll('.bracket section').length === 5 && document.querySelectorAll('.bracket .pairing').length === 31 && document.querySelector('.third')")
	b.click("[data-key='bracket  0']")
	b.await("document.querySelectorAll('.bracket .pairing').length === 255")
	if got := b.text("document.querySelector('#bracket .wide').scrollWidth > document.querySelector('#bracket .wide').clientWidth && document.documentElement.scrollWidth <= innerWidth"); got != "true" {
		t.Error("got a page as wide as the bracket, want a bracket that scrolls")
	}
	b.visit(c.url + "/contests/open/projector")
	b.await("document.querySelectorAll('#podium .step').length === 3 && document.querySelectorAll('#standings tbody tr').length >= 5")
}
