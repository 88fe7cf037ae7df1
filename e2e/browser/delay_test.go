package browser

import (
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

func TestOnlyThePlayersOfADelayedMatchSeeItsClocks(t *testing.T) {
	long.Only(t, "one more detail of a page")
	h := shared(t)
	b := open(t, 1000, 800)
	b.visit(h.url + "/games/later")
	b.click("#start [data-level=easy]")
	b.await("/\\d/.test(document.querySelector('#players [data-clock]:not(:empty)')?.textContent)")
	b.shoot("delayed")
	id := strings.TrimPrefix(b.text("location.pathname"), "/match/")
	var got string
	b.call("POST", "/execute/async", map[string]any{"args": []any{id}, "script": `
		fetch("/api/matches/" + arguments[0] + "/clocks").then((r) => r.json()).then((a) => arguments[1](JSON.stringify([a.clocks, Object.keys(a.players[0])])))`}, &got)
	if want := `[[],["name"]]`; got != want && got != `[[],["name","lag_ms"]]` {
		t.Errorf("without the ticket: got %s, want %s or the lag as well", got, want)
	}
}
