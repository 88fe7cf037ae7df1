package wire

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
)

func TestMessagesWithTooManyPartsAreRefused(t *testing.T) {
	const text = MaxParts + 10 // bytes of one long text
	for _, tt := range []struct {
		name    string
		message proto.Message
		more    string // encoded fields that are added
		want    error
	}{
		{"a long text", &GameFrame{Texts: []*Text{{Lines: make([]byte, text)}}}, "", nil},
		{"as many texts as allowed", &GameFrame{Texts: slices.Repeat([]*Text{{}}, MaxParts)}, "", nil},
		{"one more", &GameFrame{Texts: slices.Repeat([]*Text{{}}, MaxParts+1)}, "", ErrManyParts},
		{"frames of a batch", &GameBatch{Frames: slices.Repeat([]*GameFrame{{}}, MaxParts+1)}, "", ErrManyParts},
		{"answers of frames of a batch", &GameBatch{Frames: slices.Repeat([]*GameFrame{{BotAnswers: slices.Repeat([]*Answer{{}}, 100)}}, MaxParts/100)}, "", ErrManyParts},
		{"one message many times", &GameFrame{}, "\x22\x00", ErrManyParts},
		{"seats", &Ask{Seats: make([]uint32, MaxParts+1)}, "", ErrManyParts},
		{"seats that are not packed", &Ask{}, "\x08\x01", ErrManyParts},
		{"an unknown field many times", &Ask{}, "\xf8\x07\x01", nil},
		{"choices of a parameter", &Description{Params: []*Param{{Choices: make([]string, MaxParts)}}}, "", ErrManyParts},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := proto.Marshal(tt.message)
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, bytes.Repeat([]byte(tt.more), MaxParts+1)...)
			if err := CheckParts(b, tt.message.ProtoReflect().Descriptor()); err != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
