package plugin

import (
	"io"
	"testing"

	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
	"colosseum/sdk/wire/pb"
)

// FuzzHostFrames checks that no frames of a host end the process or break the stream.
func FuzzHostFrames(f *testing.F) {
	for _, frames := range [][]*pb.HostFrame{
		{start(1, 2, 2, 1), answer(1, "1", "2"), answer(1, "3", "")},
		{start(1, 1, 1, 0), {Match: 1, Stop: true}},
		{start(1, 1, 0, 0), start(2, 1, 0, 2), answer(3, "1")},
		{{Match: 1, Start: &pb.Start{}}, {Start: &pb.Start{Seats: []*pb.Seat{{Bot: true}}, Timeout: -1}}},
		{start(1, 1, 1, 0), {Match: 1, Answers: []*pb.Answer{{Seat: 1 << 31, Outcome: 99, AtMs: 1 << 63}}}},
	} {
		bytes, err := proto.Marshal(&pb.HostBatch{Frames: frames})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes)
	}
	g := digits()
	g.Bot = func(b *sdk.Bot) error { b.Write("7"); return nil } // and returns, so that no test waits for a clock
	listener := bufconn.Listen(1 << 20)
	s := newGRPCServer(nil)
	defer s.Stop()
	wire.Register(s, &server{game: driver.Of(&g)})
	go func() { _ = s.Serve(listener) }() // ends with s.Stop
	connection := dial(f, listener)
	defer connection.Close()
	game := pb.NewGameClient(connection)
	f.Fuzz(func(t *testing.T, bytes []byte) {
		var batch pb.HostBatch
		if proto.Unmarshal(bytes, &batch) != nil {
			return
		}
		for _, frame := range batch.Frames {
			if frame.Start != nil && len(frame.Start.Seats) > driver.MaxSeats {
				return // Prepare refuses that many
			}
		}
		stream, err := game.Play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Send(&batch); err != nil {
			t.Fatal(err)
		}
		_ = stream.CloseSend()
		for err == nil {
			_, err = stream.Recv()
		}
		if err != io.EOF {
			t.Errorf("the stream ended with %v, want %v", err, io.EOF)
		}
	})
}
