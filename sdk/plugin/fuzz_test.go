package plugin

import (
	"context"
	"testing"

	"google.golang.org/protobuf/proto"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// FuzzHostFrames checks that no frames of a host end the process or break the stream.
func FuzzHostFrames(f *testing.F) {
	for _, frames := range [][]*wire.HostFrame{
		{start(1, 2, 2, 1), answer(1, "1", "2"), answer(1, "3", "")},
		{start(1, 1, 1, 0), {Match: 1, Stop: true}},
		{start(1, 1, 0, 0), start(2, 1, 0, 2), answer(3, "1")},
		{{Match: 1, Start: &wire.Start{}}, {Start: &wire.Start{Seats: []*wire.Seat{{Bot: true}}, Timeout: -1}}},
		{start(1, 1, 1, 0), {Match: 1, Answers: []*wire.Answer{{Seat: 1 << 31, Outcome: 99, AtMs: 1 << 63}}}},
	} {
		bytes, err := proto.Marshal(&wire.HostBatch{Frames: frames})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes)
	}
	game := digits()
	game.Bot = func(b *sdk.Bot) error { b.Write("7"); return nil } // and returns, so that no test waits for a clock
	f.Fuzz(func(t *testing.T, bytes []byte) {
		var batch wire.HostBatch
		if proto.Unmarshal(bytes, &batch) != nil {
			return
		}
		for _, frame := range batch.Frames {
			if frame.Start != nil && len(frame.Start.Seats) > driver.MaxSeats {
				return // Prepare refuses that many
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		out := wire.NewQueue[*wire.GameFrame]()
		m := newMatches(driver.Of(&game), out)
		sent := make(chan error, 1)
		go func() { // ends with ctx
			sent <- out.Run(ctx, func(frames []*wire.GameFrame) error {
				_, err := proto.Marshal(&wire.GameBatch{Frames: frames})
				return err
			})
		}()
		for _, frame := range batch.Frames {
			m.receive(frame)
		}
		m.stopAll()
		cancel()
		if err := <-sent; err != context.Canceled {
			t.Errorf("sending ended with %v, want %v", err, context.Canceled)
		}
	})
}
