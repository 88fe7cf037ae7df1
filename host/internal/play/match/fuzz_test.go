package match

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// Whatever a game sends, its match ends once, with a result that can be encoded.
func FuzzGameFrames(f *testing.F) {
	ask := &wire.GameFrame{Texts: []*wire.Text{all("x\n")}, Ask: &wire.Ask{Seats: []uint32{0, 1}, Seconds: 1}}
	for _, frames := range [][]*wire.GameFrame{
		{},
		{ask, {BotAnswers: []*wire.Answer{{Seat: 1, Line: []byte("y"), AtMs: 1 << 63}}, End: ended(2)}},
		{ask, ask, {End: &wire.End{Aborted: true, Reason: "no luck", Seats: ended(2).Seats}}},
		{{Ask: &wire.Ask{Seats: []uint32{1}, Seconds: 600}}, {PauseMs: maxPause}, {End: ended(1)}},
		{{Texts: []*wire.Text{{To: 9}, {Seat: 1 << 31}}}, {BotAnswers: []*wire.Answer{{Seat: 0}}}},
		{{Ask: &wire.Ask{Seats: []uint32{0, 0, 7}, Seconds: math.NaN()}}},
		{{End: &wire.End{Seats: []*wire.SeatResult{{Score: math.Inf(1), Rank: 9, Ended: "won"}, {}}}}},
	} {
		bytes, err := proto.Marshal(&wire.GameBatch{Frames: frames})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes, byte(0), uint16(0))
		f.Add(bytes, byte(3), uint16(1500))
	}
	f.Fuzz(func(t *testing.T, bytes []byte, bank byte, wait uint16) {
		var batch wire.GameBatch
		if proto.Unmarshal(bytes, &batch) != nil || len(batch.Frames) > 100 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			b := newTestMatch(t, 1, 1)
			b.setRules(rules{bank: float64(bank), increment: float64(bank) / 8, grace: time.Duration(bank) * ms, lag: 100 * ms})
			b.players[0].setLag(time.Duration(wait) * ms / 4)
			b.referee.answers = make(chan []*wire.Answer, len(batch.Frames)+1)
			b.run(t)
			for _, frame := range batch.Frames {
				b.send(frame)
				pass(time.Duration(wait) * ms)
				b.line(0, "z")
			}
			if k := b.seats[0].clock; k.bank < 0 || k.left < 0 || k.quota < 0 || k.quota > mostGains*k.gain || k.forgiven < 0 {
				t.Errorf("got the clock %+v, want nothing below 0, and a quota of at most %v", k, mostGains*k.gain)
			}
			b.lose(errors.New("gone"))
			if !b.over() {
				t.Fatal("the match goes on without its game, want it ended")
			}
			r := b.players[0].result
			if _, err := json.Marshal(r); err != nil || len(r.Players) != 2 {
				t.Errorf("got %+v, error %v, want a result for 2 seats", r, err)
			}
			for i, p := range r.Players {
				aborted := r.Aborted && p.Rank == 0 && p.Ended == string(driver.EndedAborted)
				if !aborted && (p.Rank < 1 || p.Rank > 2 || !slices.Contains(endings, driver.Ended(p.Ended))) || p.Name != b.recorder.record.Seats[i].Name {
					t.Errorf("seat %d ended as %+v, want one of %v", i, p, endings)
				}
			}
			if n := len(b.recorder.record.Answers); n > 2*len(batch.Frames) {
				t.Errorf("%d answers to %d frames, want two for a frame at most", n, len(batch.Frames))
			}
			if n := strings.Count(strings.Join(b.list, "\n"), "recorded"); n != 1 {
				t.Errorf("recorded %d times, want once: %q", n, b.list)
			}
		})
	})
}
