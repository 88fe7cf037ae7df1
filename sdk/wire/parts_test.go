package wire

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"colosseum/internal/test/race"
	"colosseum/sdk/wire/pb"
)

func TestMessagesWithTooManyPartsAreRefused(t *testing.T) {
	race.Skip(t, "one goroutine computes")
	const text = MaxParts + 10 // bytes of one long text
	for _, tt := range []struct {
		name    string
		message proto.Message
		more    string // encoded fields that are added
		want    error
	}{
		{"a long text", &pb.GameFrame{Texts: []*pb.Text{{Lines: make([]byte, text)}}}, "", nil},
		{"as many texts as allowed", &pb.GameFrame{Texts: slices.Repeat([]*pb.Text{{}}, MaxParts)}, "", nil},
		{"one more", &pb.GameFrame{Texts: slices.Repeat([]*pb.Text{{}}, MaxParts+1)}, "", ErrManyParts},
		{"frames of a batch", &pb.GameBatch{Frames: slices.Repeat([]*pb.GameFrame{{}}, MaxParts+1)}, "", ErrManyParts},
		{"answers of frames of a batch", &pb.GameBatch{Frames: slices.Repeat([]*pb.GameFrame{{BotAnswers: slices.Repeat([]*pb.Answer{{}}, 100)}}, MaxParts/100)}, "", ErrManyParts},
		{"one message many times", &pb.GameFrame{}, "\x22\x00", ErrManyParts},
		{"seats", &pb.Ask{Seats: make([]uint32, MaxParts+1)}, "", ErrManyParts},
		{"seats that are not packed", &pb.Ask{}, "\x08\x01", ErrManyParts},
		{"an unknown field many times", &pb.Ask{}, "\xf8\x07\x01", nil},
		{"choices of a parameter", &pb.Description{Params: []*pb.Param{{Choices: make([]string, MaxParts)}}}, "", ErrManyParts},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := proto.Marshal(tt.message)
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, bytes.Repeat([]byte(tt.more), MaxParts+1)...)
			if err := checkParts(b, tt.message.ProtoReflect().Descriptor()); err != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
