package wire

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire/pb"
)

// framed returns frames as a transport gets them.
func framed(frames ...GameFrame) (all []byte) {
	for _, f := range frames {
		b := appendGameFrame(nil, f)
		all = append(binary.LittleEndian.AppendUint32(all, uint32(len(b))), b...)
	}
	return all
}

func TestBatchesAreBounded(t *testing.T) {
	frames := func(n, bytes int) (all []GameFrame) {
		for range n {
			all = append(all, GameFrame{Frame: &driver.Frame{Texts: []driver.Text{{Lines: make([]byte, bytes)}}}})
		}
		return all
	}
	tests := []struct {
		name   string
		frames []GameFrame
		want   int // in the first batch
	}{
		{"one", frames(1, 0), 1},
		{"as many as fit", frames(batchFrames, 10), batchFrames},
		{"more", frames(batchFrames+1, 10), batchFrames},
		{"long ones", frames(100, 300<<10), 3},
		{"one that is too long by itself", frames(2, 2*batchBytes), 1},
		{"a long one after a short one", append(frames(1, 1), frames(1, batchBytes)...), 1},
		{"empty ones", slices.Repeat([]GameFrame{{Frame: &driver.Frame{}}}, 3), 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var sizes []int
			total := 0
			for rest := framed(tt.frames...); len(rest) > 0; {
				var batch []byte
				batch, rest = nextBatch(rest)
				var m pb.GameBatch
				if err := proto.Unmarshal(batch, &m); err != nil {
					t.Fatal(err)
				}
				for _, f := range m.Frames {
					if !proto.Equal(f, gameMessage(tt.frames[total])) {
						t.Fatalf("frame %d is another one", total)
					}
					total++
				}
				sizes = append(sizes, len(m.Frames))
			}
			if sizes[0] != tt.want || total != len(tt.frames) {
				t.Errorf("batches of %v frames, want %d first and %d in all", sizes, tt.want, len(tt.frames))
			}
		})
	}
}

// stream is a stream of gRPC that has received messages.
type stream struct{ received [][]byte }

func (s *stream) SendMsg(any) error { return nil }

func (s *stream) RecvMsg(m any) error {
	if len(s.received) == 0 {
		return errors.New("no more")
	}
	b := s.received[0]
	s.received = s.received[1:]
	return newCodec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)}, m)
}

func TestBatchesAreRead(t *testing.T) {
	batch := func(frames ...GameFrame) []byte {
		b, _ := nextBatch(framed(frames...))
		return b
	}
	all := &stream{received: [][]byte{batch(gameFrames[:2]...), nil, batch(gameFrames[2:]...)}}
	c := newHostConn(&overGRPC{stream: all, kind: (&pb.GameBatch{}).ProtoReflect().Descriptor()})
	for _, want := range [][]GameFrame{gameFrames[:2], gameFrames[2:]} {
		got, err := c.Read()
		if err != nil || len(got) != len(want) {
			t.Fatalf("got %d frames, error %v, want %d", len(got), err, len(want))
		}
		for i := range got {
			if !equal(*got[i], want[i]) {
				t.Errorf("got %+v, want %+v", got[i], want[i])
			}
		}
	}
	for name, tt := range map[string]struct {
		batch []byte
		want  error
	}{
		"no message":         {[]byte{0xff}, errInvalid},
		"a frame that is no": {[]byte{0x0a, 1, 0xff}, errInvalid},
		"too many frames":    {batchOf(MaxParts + 1), ErrManyParts},
	} {
		all.received = [][]byte{tt.batch}
		if got, err := c.Read(); err != tt.want {
			t.Errorf("%s: got %d frames, error %v, want %v", name, len(got), err, tt.want)
		}
	}
}

// batchOf returns a batch of empty frames.
func batchOf(frames int) (b []byte) {
	for range frames {
		b = append(b, 0x0a, 0)
	}
	return b
}
