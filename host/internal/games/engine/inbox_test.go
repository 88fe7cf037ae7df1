package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"colosseum/sdk/wire"
)

func text(bytes int) *wire.GameFrame {
	return &wire.GameFrame{Texts: []*wire.Text{{To: wire.Text_SPECTATORS, Lines: make([]byte, bytes)}}}
}

// A game can send much before its first question, and all of it can arrive before
// the reader looks.
func TestInboxKeepsAQuestionBehindManyTexts(t *testing.T) {
	in := NewInbox(2000, 1000*(2+textSize)+4)
	for range 1000 {
		in.Put(text(2))
	}
	in.Put(&wire.GameFrame{Ask: &wire.Ask{Seats: []uint32{0}, Seconds: 1}})
	<-in.wake
	if frames, err := in.Take(); err != nil || len(frames) != 1001 || frames[1000].Ask == nil {
		t.Errorf("got %d frames, error %v, want 1001 with a question at the end", len(frames), err)
	}
	if frames, err := in.Take(); err != nil || len(frames) != 0 {
		t.Errorf("then got %d frames, error %v, want none", len(frames), err)
	}
}

func TestInboxIsBoundedAndReportsAFloodAfterTheFramesBeforeIt(t *testing.T) {
	tests := []struct {
		name  string
		frame *wire.GameFrame
		fit   int // how many
	}{
		{"frames", &wire.GameFrame{}, 100},
		{"bytes of texts", text(101 - textSize), 9},
		{"empty texts", &wire.GameFrame{Texts: []*wire.Text{{}, {}}}, 1000 / (2 * textSize)},
		{"seats", &wire.GameFrame{Ask: &wire.Ask{Seats: make([]uint32, 20), Resumed: make([]uint32, 20)}}, 6},
		{"a result", &wire.GameFrame{End: &wire.End{Reason: string(make([]byte, 2*answerSize)), Seats: []*wire.SeatResult{{}}}}, 1000 / (3 * answerSize)},
		{"notes", &wire.GameFrame{BotAnswers: []*wire.Answer{{Note: string(make([]byte, 200-answerSize))}}}, 5},
		{"bytes of answers", &wire.GameFrame{BotAnswers: []*wire.Answer{{Line: make([]byte, 200-answerSize)}}}, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := NewInbox(100, 1000)
			for range tt.fit {
				in.Put(tt.frame)
			}
			if frames, err := in.Take(); err != nil || len(frames) != tt.fit {
				t.Fatalf("got %d frames, error %v, want %d", len(frames), err, tt.fit)
			}
			for range tt.fit + 10 {
				in.Put(tt.frame)
			}
			in.Close(errors.New("gone"))
			for n := range tt.fit {
				if f, err := in.Next(t.Context()); f == nil || err != nil {
					t.Fatalf("frame %d: error %v, want %d frames", n, err, tt.fit)
				}
			}
			if _, err := in.Next(t.Context()); err != ErrFlood {
				t.Errorf("error %v, want %v", err, ErrFlood)
			}
		})
	}
}

func TestNextWaitsForAFrameTheCloseOrItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, frame, gone := NewInbox(1, 1), &wire.GameFrame{}, errors.New("gone")
		check := func(ctx context.Context, event func(), wantFrame *wire.GameFrame, wantErr error) {
			t.Helper()
			go func() { // ends with the event
				in.signal() // without a frame
				synctest.Wait()
				event()
			}()
			if f, err := in.Next(ctx); f != wantFrame || err != wantErr {
				t.Errorf("got %v, error %v, want %v, %v", f, err, wantFrame, wantErr)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		check(t.Context(), func() { in.Put(frame) }, frame, nil)
		check(ctx, cancel, nil, context.Canceled)
		check(t.Context(), func() { in.Close(gone) }, nil, gone)
	})
}
