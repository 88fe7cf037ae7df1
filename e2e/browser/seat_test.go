package browser

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/protocol"
)

// line is a proxy of a host, which breaks connections as networks do.
type line struct {
	url string // of the pages through the proxy

	mu   sync.Mutex // guards the fields below
	host string     // its address
	ends []net.Conn
	dead bool // new connections are closed at once
}

func newLine(t *testing.T, h *host) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{url: "http://" + listener.Addr().String()}
	l.lead(h)
	t.Cleanup(func() {
		_ = listener.Close()
		l.cut()
	})
	go func() { // ends when the listener is closed
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			l.relay(near)
		}
	}()
	return l
}

// lead makes new connections lead to a host.
func (l *line) lead(h *host) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.host = strings.TrimPrefix(h.url, "http://")
}

// restart kills a host, waits until the pages have noticed that, and starts a host with the
// same games and records.
func (l *line) restart(t *testing.T, h *host, noticed func()) *host {
	t.Helper()
	h.kill(t)
	noticed()
	h = serve(t, h.plugins, "", h.Data)
	l.lead(h)
	return h
}

func (l *line) relay(near net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		_ = near.Close()
		return
	}
	far, err := net.Dial("tcp", l.host)
	if err != nil {
		_ = near.Close()
		return
	}
	l.ends = append(l.ends, near, far)
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		go func() { // ends when either end is closed
			_, _ = io.Copy(way[0], way[1])
			_, _ = way[0].Close(), way[1].Close()
		}()
	}
}

// cut breaks all connections.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.ends {
		_ = c.Close()
	}
	l.ends = nil
}

// down breaks all connections, and allows no new ones until up.
func (l *line) down() {
	l.mu.Lock()
	l.dead = true
	l.mu.Unlock()
	l.cut()
}

func (l *line) up() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = false
}

// hand plays one hand of roshambo on the board of the page.
func (b *browser) hand(name string) {
	b.t.Helper()
	b.enter()
	b.click("#" + name + ":not([disabled])")
	b.leave()
}

func TestReloadedPageGoesOnWithItsMatch(t *testing.T) {
	h := shared(t)
	b := open(t, 1000, 800)
	b.create(h, "roshambo", map[string]string{"rounds": "4", "pace": "0"})
	for round, hand := range []string{"ROCK", "PAPER", "SCISSORS", "ROCK"} {
		if round > 0 && round < 3 {
			b.call("POST", "/refresh", nil, nil)
		}
		b.await(moves(round))
		b.hand(hand)
		b.await(moves(round + 1)) // a click is lost if the page is reloaded before it has sent the line
	}
	b.await(over)
	b.await(moves(4))
	if got := b.text("document.querySelectorAll('#players .tag.bad').length"); got != "0" {
		t.Errorf("got %s forfeits, want 0: %s", got, b.text("document.querySelector('#players').innerText"))
	}
	if got := b.text("Object.keys(sessionStorage).filter((key) => key.startsWith('seat ')).length"); got != "0" {
		t.Errorf("got %s entries in the storage after the match, want 0", got)
	}
	b.call("POST", "/refresh", nil, nil)
	b.await("document.querySelector('#share a[download]')") // the replay
}

func TestPlayersOfOneMatchReloadAndLoseTheirConnections(t *testing.T) {
	long.Only(t, "one more way to lose and take a seat")
	h := shared(t)
	l := newLine(t, h)
	b := open(t, 1000, 800)
	b.visit(l.url + "/games/kamisado")
	b.openForm()
	b.write("#param-pace", "0")
	b.write("#timeout", "600")
	b.click("#param-bot option[value=random]")
	b.click("form.create button.main")
	const mine = "document.querySelector('#caption.mine') && document.querySelector('#choices details button')"
	for clicks := range 4 {
		b.await(over + " || " + mine) // the bot can end the match
		if b.ended() {
			break
		}
		before := b.text("document.querySelectorAll('#moves button').length")
		if clicks%2 == 0 {
			l.cut()
		} else {
			b.call("POST", "/refresh", nil, nil)
			b.await(over + " || document.querySelectorAll('#moves button').length >= " + before + " && " + mine)
			if b.ended() {
				break
			}
		}
		// The page can hide the choices until it is connected again.
		b.await(over + ` || [...document.querySelectorAll("#choices details button")].some((e) => !` + givingUp + `.test(e.textContent) && (e.click(), true))`)
		b.await(over + " || document.querySelectorAll('#moves button').length > " + before)
	}
	if forfeits := b.text("document.querySelectorAll('#players .tag.bad').length"); forfeits != "0" {
		t.Errorf("got %s forfeits, want 0: %s", forfeits, b.text("document.querySelector('#players').innerText"))
	}
}

// ended reports whether the match on the page is over.
func (b *browser) ended() (yes bool) {
	b.t.Helper()
	b.eval("Boolean("+over+")", &yes)
	return yes
}

func TestBrokenConnectionIsShownToTheOthersUntilThePlayerIsBack(t *testing.T) {
	long.Only(t, "one more way to lose and take a seat")
	h := shared(t)
	l := newLine(t, h)
	ann, bob, watcher := open(t, 1000, 800), open(t, 1000, 800), open(t, 1000, 800)
	id := dial(t, h).create("broken", 2, 0)
	for _, p := range []struct {
		*browser
		name, url string
	}{{ann, "ann", h.url}, {bob, "bob", l.url}} {
		p.visit(p.url + "/match/" + id)
		p.write("#person", p.name)
		p.click("#join button.main")
		p.await("document.querySelector('[data-key=leave]')")
	}
	watcher.visit(h.url + "/match/" + id)
	for _, b := range []*browser{ann, bob} {
		b.hand("ROCK")
	}
	for _, b := range []*browser{ann, bob, watcher} {
		b.await(moves(1))
	}
	l.down()
	bob.await("document.querySelector('#unreachable').textContent.startsWith('No connection to the host for ')")
	for _, b := range []*browser{ann, watcher} {
		b.await(`/^bob is away: the connection is broken. bob can come back for [1-9][0-9]* s\.$/.test(document.querySelector('#away').textContent)`)
	}
	ann.shoot("away")
	before := ann.text("document.querySelector('#away [role=timer]').textContent")
	ann.await(fmt.Sprintf("Number(document.querySelector('#away [role=timer]').textContent) < %s", before))
	bob.hand("PAPER") // waits until the connection is back
	l.up()
	bob.await("document.querySelector('#unreachable').textContent === ''")
	for _, b := range []*browser{ann, watcher} {
		b.await("document.querySelector('#away').textContent === ''")
	}
	ann.hand("ROCK")
	for _, b := range []*browser{ann, bob, watcher} {
		b.await("document.querySelector('#verdict').textContent.match(/^(bob wins|You won|You lost)/)")
	}
}

func TestPlayerWhoLeavesWithAButtonDoesNotComeBack(t *testing.T) {
	long.Only(t, "one more way to lose and take a seat")
	h := shared(t)
	b := open(t, 1000, 800)
	b.create(h, "roshambo", map[string]string{"rounds": "5", "pace": "0"})
	b.hand("ROCK")
	b.await(moves(1))
	b.click("[data-key=leave]")
	b.click("dialog.question .main")
	b.await("document.querySelector('#share a[download]')") // the replay
	b.await("document.querySelector('#players .tag.bad').textContent === 'left' && document.querySelector('#verdict').textContent === 'You lost: you left the match.'")
}

func TestSecondWindowTakesOverTheSeat(t *testing.T) {
	long.Only(t, "one more way to lose and take a seat")
	h := shared(t)
	first, second := open(t, 1000, 800), open(t, 1000, 800)
	first.create(h, "roshambo", map[string]string{"rounds": "2", "pace": "0"})
	first.hand("ROCK")
	first.await(moves(1))
	// A browser copies the storage of a tab that is duplicated.
	copied := first.text("JSON.stringify(sessionStorage)")
	second.visit(h.url + "/api")
	second.eval("Object.entries("+copied+").forEach(([key, value]) => sessionStorage.setItem(key, value))", nil)
	second.visit(first.text("location.href"))
	second.await(moves(1))
	first.await("document.querySelector('#event').textContent.includes('Another window has taken over your seat')")
	second.hand("PAPER")
	second.await(over)
	first.await("document.querySelector('#share a[download]')")
}

func TestReloadedPageJoinsAWaitingMatchAgain(t *testing.T) {
	long.Only(t, "one more way to lose and take a seat")
	h := shared(t)
	b := open(t, 1000, 800)
	b.visit(h.url + "/games/roshambo")
	b.openForm()
	b.click("#bots option[value='0']")
	b.write("#password", "secret")
	b.click("form.create button.main")
	b.await("document.querySelector('#notice').textContent.includes('Waiting for 1 more player')")
	b.eval("sessionStorage.removeItem('password ' + location.pathname.split('/')[2])", nil) // as for a player that typed it
	b.call("POST", "/refresh", nil, nil)
	b.await("document.querySelector('#notice').textContent.includes('Waiting for 1 more player') && document.querySelector('#event').textContent === ''")
}

// seatWithFakes drives the page's module of seats with fake connections, and returns
// what it did.
const seatWithFakes = `
	const done = arguments[arguments.length - 1], out = [], sockets = [];
	window.WebSocket = class {
		static OPEN = 1;
		readyState = 1;
		constructor() {
			sockets.push(this);
			setTimeout(() => this.onopen());
		}
		send(data) {
			out.push(typeof data === "string" ? data : "line " + new TextDecoder().decode(data).trim());
			if (String(data).includes("Handshake")) setTimeout(() => this.get("Handshake", {}));
		}
		close(code) { out.push("close " + code); }
		get(name, fields) { this.onmessage({ data: JSON.stringify({ [name]: fields }) }); }
		bytes(list) { this.onmessage({ data: new Uint8Array(list).buffer }); }
		text(s) { this.bytes(new TextEncoder().encode(s)); }
	};
	const until = (ok) => new Promise((resolve) => {
		const look = () => (ok() ? resolve() : setTimeout(look, 5));
		look();
	});
	const asked = (name) => until(() => out.at(-1)?.startsWith('{"' + name));
	const entries = () => Object.keys(sessionStorage).filter((key) => key.startsWith("seat m")).length;
	(async () => {
		const { Seat, stored } = await import("/assets/seat.js");
		const note = (name) => (...values) => out.push(name + " " + JSON.stringify(values));
		const names = ["joined", "refused", "update", "expired", "started", "lines", "away", "broken", "back", "ended", "lost"];
		const handlers = () => Object.fromEntries(names.map((name) => [name, note(name)]));
		let seat = new Seat("m", handlers());
		seat.join("ann", null);
		await asked("LobbyJoinMatch");
		sockets[0].get("LobbyJoinedMatch", { info: { Ok: {} }, ticket: "T" });
		sockets[0].get("MatchStarted", {});
		sockets[0].bytes([97, 98, 10, 195]); // the rest of the second line comes later
		seat.send("x");
		seat.send("y");
		sockets[0].onclose({ code: 1006, reason: "" });
		seat.send("z");
		await asked("MatchResume");
		sockets[1].get("MatchResumed", { info: { Ok: {} }, taken: 1, started: true });
		sockets[1].bytes([195]);
		sockets[1].bytes([169, 10]);
		sockets[1].text("q".repeat(4095) + "\n");
		out.push("stored " + stored("m").entries.map((e) => e.sent ?? e.lines.map((l) => l.slice(0, 3)) + "@" + e.bytes).join(" "));
		sockets[1].onclose({ code: 4005, reason: "replaced" });
		out.push("entries " + entries());

		// A reload.
		sessionStorage.setItem("seat m", '{"ticket":"U","name":"ann"}');
		sessionStorage.setItem("seat m 0", '{"lines":["ab"],"bytes":3}');
		sessionStorage.setItem("seat m 1", '{"sent":"x"}');
		seat = new Seat("m", handlers());
		out.push("restored " + JSON.stringify(seat.restore(stored("m"))));
		await asked("MatchResume");
		sockets[2].get("MatchResumed", { info: { Ok: {} }, taken: 1, started: true });
		sockets[2].text("c\n");
		out.push("kept " + seat.kept + " " + entries());
		const before = out.length;
		for (let i = 0; i < 5; i++) sockets[2].text("w".repeat(1 << 20) + "\n");
		out.length = before;
		out.push("kept " + seat.kept + " " + entries());
		sockets[2].get("MatchEnded", {});
		out.push("sockets " + sockets.length);

		// The person leaves while the seat connects again.
		sessionStorage.setItem("seat m", '{"ticket":"V","name":"ann"}');
		seat = new Seat("m", handlers());
		seat.restore(stored("m"));
		sockets[3].readyState = 0;
		sockets[3].onopen = () => {}; // a socket that was closed does not open
		seat.leave();
		done(out);
	})().catch((error) => done([String(error)]));
`

func seatGetsAndSendsEachLineOnce(t *testing.T, b *browser) {
	var got []string
	b.call("POST", "/execute/async", map[string]any{"script": seatWithFakes, "args": []any{}}, &got)
	const shake = `{"Handshake":{"magic":"coco","version":2}}`
	want := []string{
		shake, `{"LobbyJoinMatch":{"id":"m","name":"ann","password":null,"resume":true,"branch":true}}`,
		"joined [{}]", "started []", `lines [["ab"]]`, "line x", "line y", `broken ["the connection was lost"]`,
		shake, `{"MatchResume":{"ticket":"T","received":3}}`, "line y", "line z", "back [{}]",
		`lines [["é"]]`, `{"MatchReceived":{"bytes":4102}}`, `lines [["` + strings.Repeat("q", 4095) + `"]]`,
		"stored ab@3 x y z é@6 qqq@4102", `lost ["Another window has taken over your seat. You can watch the match here."]`, "entries 0",
		`restored [{"text":"ab","sent":false},{"text":"x","sent":true}]`,
		shake, `{"MatchResume":{"ticket":"U","received":3}}`, "back [{}]", "started []", `lines [["c"]]`,
		"kept true 4", "kept false 0", "close 1000", "ended [null]", "sockets 3",
		"close 1000",
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("got %.300q, want %.300q", got[i:], want[i:])
		}
	}
}

func TestBankIsShownInTheMatchAndItsReplay(t *testing.T) {
	long.Only(t, "one more way to lose and take a seat")
	h := shared(t)
	alice := dial(t, h)
	id := alice.createWith("clock", 3, &protocol.Clock{Bank: 600, Increment: 1})
	alice.join(id, "alice")
	b := open(t, 1000, 800)
	b.visit(h.url + "/match/" + id)
	b.await("/^(9|10):[0-9][0-9]$/.test(document.querySelector('[data-bank=alice]').textContent)")
	b.await("document.querySelector('[data-bank^=ServerBot]').textContent === ''")
	b.await("document.querySelector('#about').textContent.includes('10 min + 1 s a turn for the match')")
	alice.play("ROCK", "PAPER", "ROCK")
	alice.AwaitEnd(t)
	b.await("document.querySelectorAll('#clock tr').length === 4") // with the heading
	b.await("/^(9|10):[0-9][0-9]$/.test(document.querySelector('[data-bank=alice]').textContent)")
	b.click("[data-key=first]")
	b.await("document.querySelector('[data-bank=alice]').textContent === '10:00'")
	b.click("#clock-box summary")
	b.shoot("replay-clock")
}

func lastSecondsOfABankHaveTenths(t *testing.T, b *browser) {
	var got string
	b.call("POST", "/execute/async", map[string]any{
		"script": "import('/assets/dom.js').then((dom) => arguments[0]([3599.9, 65, 10, 9.99, 0.05, 0].map(dom.bank).join(' ')))", "args": []any{},
	}, &got)
	if want := "59:59 1:05 0:10 9.9 0.0 0.0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPageExplainsAForfeit(t *testing.T) {
	long.Only(t, "one more way to lose and take a seat")
	h := shared(t)
	alice := dial(t, h)
	id := alice.create("fault", 3, 1)
	alice.join(id, "alice")
	b := open(t, 1000, 800)
	b.visit(h.url + "/match/" + id)
	alice.play("ROCK", "<b>STONE</b>")
	alice.AwaitEnd(t)
	b.await("document.querySelector('#faults .fault').textContent.includes(': The host refused <b>STONE</b>.')")
	b.await("document.querySelector('#faults .fault pre').textContent !== ''")
	b.shoot("fault")
}
