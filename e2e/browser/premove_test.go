package browser

import (
	"fmt"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/protocol"
)

// tap clicks elements of the board one after the other, each as soon as it is there.
func (b *browser) tap(ids ...string) {
	b.t.Helper()
	b.enter()
	for _, id := range ids {
		b.click("#" + id + ".choice")
	}
	b.leave()
}

// plan plans a move in the opponent's turn.
func (b *browser) plan(from, to string) {
	b.t.Helper()
	b.tap("piece-"+from, "to-"+to)
	b.planned(true)
	b.says(fmt.Sprintf("Planned: %s %s. Escape cancels it.", from, to))
}

// says waits until screen readers hear a sentence about the board.
func (b *browser) says(sentence string) {
	b.t.Helper()
	b.await("[...document.querySelectorAll('#board [role=status]')].some((e) => e.textContent === " + quote(sentence) + ")")
}

// planned waits until the board shows a plan, or none.
func (b *browser) planned(want bool) {
	b.t.Helper()
	b.enter()
	b.await(fmt.Sprintf("(document.querySelector('.marks .planned') !== null) === %t", want))
	b.leave()
}

// TestAGameIsWonByPlannedMoves plans the moves of a short game of chess in the opponent's turn,
// on the seat that the host draws.
func TestAGameIsWonByPlannedMoves(t *testing.T) {
	long.Only(t, "one more way to play")
	h := shared(t)
	b := open(t, 1000, 800)
	alice := dial(t, h)
	id, err := alice.Create(protocol.GameNew{Name: "plans", Game: "chess", Params: protocol.GameParams{Timeout: new(600.0)}})
	if err != nil {
		t.Fatal(err)
	}
	alice.join(id, "alice")
	b.sit(h.url, id, "ann")
	moves := 0
	now := func(more int) { // in the list
		moves += more
		b.await(fmt.Sprintf("document.querySelectorAll('#moves button').length === %d", moves))
	}
	b.await("document.querySelectorAll('#players .seat:is(.white, .black)').length === 2 && document.querySelector('#players .you')")
	pawn, aside, reply := "e7", "d6", "f2 f3"
	white := b.text("document.querySelector('#players .you').closest('li').querySelector('.seat.white') !== null") == "true"
	if white {
		b.tap("piece-e2", "to-e4")
		now(1)
		pawn, aside, reply = "e4", "d5", "e7 e5"
	}

	b.plan(pawn, aside) // a capture of what could come there
	b.shoot("planned")
	b.settled()
	b.click(".sound[aria-pressed=true]")
	b.find(".sound[aria-pressed=false]")
	b.press("\ue00c") // Escape
	b.planned(false)
	b.plan(pawn, aside)
	alice.Answer(t, reply)
	now(1)
	b.planned(false)
	b.says(pawn + " " + aside + " is not possible now, so it was not sent.")

	plans := [][3]string{{"d8", "h4", "g2 g4"}}
	if white {
		b.tap("piece-f1", "to-c4")
		plans = [][3]string{{"d1", "h5", "a7 a6"}, {"h5", "f7", "a6 a5"}}
	} else {
		b.tap("piece-e7", "to-e5")
	}
	now(1)
	for _, p := range plans {
		b.plan(p[0], p[1])
		alice.Answer(t, p[2])
		now(2)
	}
	b.await("document.querySelector('#verdict').textContent.startsWith('You won')")
}
