package engine

import (
	"context"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"colosseum/sdk/wire"
)

// bounded is the codec of gRPC. It refuses messages that would need far more memory than
// their bytes.
type bounded struct{ encoding.CodecV2 }

// Unmarshal implements encoding.CodecV2.
func (c bounded) Unmarshal(data mem.BufferSlice, v any) error {
	if m, ok := v.(proto.Message); ok && data.Len() > wire.MaxParts {
		if err := wire.CheckParts(data.Materialize(), m.ProtoReflect().Descriptor()); err != nil {
			return err
		}
	}
	return c.CodecV2.Unmarshal(data, v)
}

// queue takes the frames for the child; see [wire.Queue].
type queue interface {
	PushNow(f *wire.HostFrame) bool
	Len() int
}

// play begins to exchange frames with the child: over the socket that it has accepted,
// or over a stream of gRPC. It returns the function that waits for the next frames.
func (g *Game) play() (next func() ([]*wire.GameFrame, error), err error) {
	if g.frames {
		out := wire.NewWriter[*wire.HostFrame](g.process.frames)
		g.out = out
		g.hangUp = func() {
			out.Close()
			g.process.closeFrames()
		}
		return wire.NewGameReader(g.process.frames, maxMessage).Read, nil
	}
	g.process.closeFrames()
	ctx, cancel := context.WithCancel(context.Background())
	g.hangUp = cancel
	stream, err := g.rpc.Play(ctx)
	if err != nil {
		return nil, err
	}
	out := wire.NewQueue[*wire.HostFrame]()
	g.out = out
	go func() { // ends with the stream
		_ = out.Run(ctx, func(frames []*wire.HostFrame) error {
			return stream.Send(&wire.HostBatch{Frames: frames})
		})
	}()
	return func() ([]*wire.GameFrame, error) {
		batch, err := stream.Recv()
		return batch.GetFrames(), err
	}, nil
}
