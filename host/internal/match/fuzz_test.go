package match

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"

	"google.golang.org/protobuf/proto"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// FuzzGameFrames lets a game say anything: its match ends once, with a result
// that can be told, and nothing else happens.
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
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		var batch wire.GameBatch
		if proto.Unmarshal(bytes, &batch) != nil || len(batch.Frames) > 100 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			b := setup(t, 1, 1)
			b.referee.answers = make(chan []*wire.Answer, len(batch.Frames)+1)
			b.run(t)
			for _, frame := range batch.Frames {
				b.says(frame)
				b.line(0, "z")
			}
			b.Lost(errors.New("gone"))
			if !b.over() {
				t.Fatal("the match goes on without its game")
			}
			r := b.players[0].result
			if _, err := json.Marshal(r); err != nil || len(r.Players) != 2 {
				t.Errorf("%v: the result is %+v", err, r)
			}
			for i, p := range r.Players {
				if p.Rank > 2 || !slices.Contains(endings, driver.Ended(p.Ended)) || p.Name != b.recorder.record.Seats[i].Name {
					t.Errorf("seat %d ended as %+v", i, p)
				}
			}
			if n := len(b.recorder.record.Answers); n > 2*len(batch.Frames) {
				t.Errorf("%d answers to %d frames", n, len(batch.Frames))
			}
			recorded := 0
			for _, what := range b.list {
				if what == "recorded" {
					recorded++
				}
			}
			if recorded != 1 {
				t.Errorf("recorded %d times: %q", recorded, b.list)
			}
		})
	})
}
