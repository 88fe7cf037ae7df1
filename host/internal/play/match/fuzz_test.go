package match

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
	"colosseum/sdk/wire/pb"
)

// Whatever a game sends, its match ends once, with a result that can be encoded.
func FuzzGameFrames(f *testing.F) {
	seats := []*pb.SeatResult{{Rank: 1, Ended: "finished"}, {Rank: 1, Ended: "finished"}}
	ask := &pb.GameFrame{Texts: []*pb.Text{{To: pb.Text_ALL, Lines: []byte("x\n")}}, Ask: &pb.Ask{Seats: []uint32{0, 1}, Seconds: 1}}
	tick := &pb.GameFrame{Ask: &pb.Ask{Seats: []uint32{0, 1}, Seconds: 0.2, Tick: true}}
	for _, frames := range [][]*pb.GameFrame{
		{},
		{ask, {BotAnswers: []*pb.Answer{{Seat: 1, Line: []byte("y"), AtMs: 1 << 63}}, End: &pb.End{Seats: seats}}},
		{ask, ask, {End: &pb.End{Aborted: true, Reason: "no luck", Seats: seats}}},
		{{Ask: &pb.Ask{Seats: []uint32{1}, Seconds: 600}}, {PauseMs: 60_000}, {End: &pb.End{Seats: seats[:1]}}},
		{{PauseMs: math.MaxUint64}},
		{{Texts: []*pb.Text{{To: 9}, {Seat: 1 << 31}}}, {BotAnswers: []*pb.Answer{{Seat: 0}}}},
		{{Ask: &pb.Ask{Seats: []uint32{0, 0, 7}, Seconds: math.NaN()}}},
		{tick, tick, ask, tick},
		{{End: &pb.End{Seats: []*pb.SeatResult{{Score: math.Inf(1), Rank: 9, Ended: "won"}, {}}}}},
	} {
		var sent []byte
		for _, frame := range frames {
			b, err := proto.Marshal(frame)
			if err != nil {
				f.Fatal(err)
			}
			sent = append(binary.LittleEndian.AppendUint32(sent, uint32(len(b))), b...)
		}
		f.Add(sent, byte(0), uint16(0))
		f.Add(sent, byte(3), uint16(1500))
	}
	f.Fuzz(func(t *testing.T, sent []byte, bank byte, wait uint16) {
		frames := received(t, sent)
		if len(frames) > 100 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			b := newTestMatch(t, 1, 1)
			b.setRules(rules{bank: float64(bank), increment: float64(bank) / 8, grace: time.Duration(bank) * ms, lag: 100 * ms})
			b.players[0].setLag(time.Duration(wait) * ms / 4)
			b.referee.answers = make(chan []driver.Answer, len(frames)+1)
			b.run(t)
			for _, frame := range frames {
				b.send(frame.Frame)
				pass(time.Duration(wait) * ms)
				b.line(0, "z")
			}
			if k := b.seats[0].clock; k.bank < 0 || k.left < 0 || k.quota < 0 || k.quota > mostGains*100*ms || k.forgiven < 0 {
				t.Errorf("got the clock %+v, want nothing below 0, and a quota of at most %v", k, mostGains*100*ms)
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
			if n := len(b.recorder.record.Answers); n > 2*len(frames) {
				t.Errorf("%d answers to %d frames, want two for a frame at most", n, len(frames))
			}
			if n := strings.Count(strings.Join(b.list, "\n"), "recorded"); n != 1 {
				t.Errorf("recorded %d times, want once: %q", n, b.list)
			}
		})
	})
}

// received returns the frames that a host gets when a game sends bytes over its socket.
func received(t *testing.T, sent []byte) (all []*wire.GameFrame) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() { // ends when r is closed
		_, _ = w.Write(sent)
		_ = w.Close()
	}()
	conn, err := wire.HostOverSocket(r, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for {
		frames, err := conn.Read()
		if err != nil {
			return all
		}
		all = append(all, frames...)
	}
}
