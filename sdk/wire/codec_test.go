package wire

import (
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
)

// hostFrames and gameFrames have every field, and the limits of their encodings.
var (
	long       = make([]byte, 300)
	hostFrames = []*HostFrame{
		{},
		{Match: 1, Start: &Start{Seed: 7, Timeout: 10, Seats: []*Seat{{Name: "A"}, {Name: "B", Bot: true}}, Params: map[string]string{"rounds": "3"}, Id: "k3f9"}},
		{Match: math.MaxUint64, Answers: []*Answer{
			{Seat: 99, Line: []byte("ROCK"), AtMs: 1500, LeftMs: 1 << 40}, {Outcome: Answer_TIMEOUT}, {}, {Line: long, Note: "depth 9 – ♔"}, {Outcome: -1},
		}},
		{Match: 127, Stop: true},
	}
	gameFrames = []*GameFrame{
		{},
		{
			Match: 1 << 32, BotAnswers: []*Answer{{Seat: 1, Line: []byte("\xff")}}, PauseMs: 60000,
			Texts: []*Text{{To: Text_OTHERS, Seat: 3, Lines: []byte("one\n")}, {Lines: long}, {}, {To: Text_ALL}},
			Ask:   &Ask{Seats: []uint32{0, 127, 128, math.MaxUint32}, Seconds: 0.1, Resumed: []uint32{127}},
		},
		{Ask: &Ask{}, Judgement: &Judgement{Value: -0.5, Best: "e4"}},
		{Match: 3, End: &End{Seats: []*SeatResult{{Score: 1, Rank: 1, Ended: "finished"}}, Reason: "because", Stuck: true}},
	}
)

func TestFramesAreEncodedLikeTheGeneratedCode(t *testing.T) {
	for _, f := range hostFrames {
		sameBytes(t, f)
	}
	for _, f := range gameFrames {
		sameBytes(t, f)
	}
}

func sameBytes(t *testing.T, f interface {
	proto.Message
	encoder
}) {
	t.Helper()
	want, err := proto.MarshalOptions{Deterministic: true}.Marshal(f)
	if got := f.appendTo(nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v is %x, want %x, error %v", f, got, want, err)
	}
}

func FuzzHostFrame(f *testing.F) {
	for _, frame := range hostFrames {
		f.Add(frame.appendTo(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeHostFrame(b)
		sameFrame(t, b, got, err, &HostFrame{})
	})
}

func FuzzGameFrame(f *testing.F) {
	for _, frame := range gameFrames {
		f.Add(frame.appendTo(nil))
	}
	ask, unpacked := []byte{0x22, 2, 8, 1}, []byte{0x22, 4, 8, 1, 24, 1}
	f.Add(slices.Concat(ask, unpacked))                  // the same part twice, with seats that are not packed
	f.Add([]byte{0x12, 3, 0x2a, 1, 0xff})                // a note that is not UTF-8
	f.Add([]byte{0x08, 1, 0x0d, 0, 0, 0, 0, 0x4b, 0x4c}) // other types of fields
	f.Add([]byte{0x22, 2, 0x0a, 5})                      // seats that end too early
	f.Add([]byte{0xf8, 0xf8, 0xf8, 0xf8, 0x30, 0x30})    // a number of a field that is too large
	f.Add([]byte{0x32, 3, 0x32, 1, 0x30})                // an unknown field in a part
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeGameFrame(b)
		sameFrame(t, b, got, err, &GameFrame{})
	})
}

// sameFrame compares a frame with what the generated code decodes into want. What was
// decoded is encoded again.
func sameFrame[F interface {
	proto.Message
	encoder
}](t *testing.T, b []byte, got F, err error, want F) {
	t.Helper()
	wantErr := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(b, want)
	if (err == nil) != (wantErr == nil) || err == nil && !proto.Equal(got, want) {
		t.Fatalf("%x is %v, error %v, want %v, error %v", b, got, err, want, wantErr)
	}
	if err != nil {
		return
	}
	again := proto.Clone(want)
	proto.Reset(again)
	if err := proto.Unmarshal(got.appendTo(nil), again); err != nil || !proto.Equal(again, want) {
		t.Fatalf("%v becomes %v, error %v, want the same", want, again, err)
	}
}
