package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"colosseum/sdk/driver"
)

func text(bytes int) *driver.Frame {
	return &driver.Frame{Texts: []driver.Text{{To: driver.ToSpectators, Lines: make([]byte, bytes)}}}
}

// A game can send much before its first question, and all of it can arrive before
// the reader looks.
func TestInboxKeepsAQuestionBehindManyTexts(t *testing.T) {
	in := NewInbox(2000, 1000*(2+textSize)+seatSize)
	for range 1000 {
		in.Put(text(2))
	}
	in.Put(&driver.Frame{Question: &driver.Question{Seats: []int{0}, Seconds: 1}})
	<-in.wake
	if frames, err := in.Take(); err != nil || len(frames) != 1001 || frames[1000].Question == nil {
		t.Errorf("got %d frames, error %v, want 1001 with a question at the end", len(frames), err)
	}
	if frames, err := in.Take(); err != nil || len(frames) != 0 {
		t.Errorf("then got %d frames, error %v, want none", len(frames), err)
	}
}

func TestInboxIsBoundedAndReportsAFloodAfterTheFramesBeforeIt(t *testing.T) {
	tests := []struct {
		name  string
		frame *driver.Frame
		fit   int // how many
	}{
		{"frames", &driver.Frame{}, 100},
		{"bytes of texts", text(101 - textSize), 9},
		{"empty texts", &driver.Frame{Texts: []driver.Text{{}, {}}}, 1000 / (2 * textSize)},
		{"seats", &driver.Frame{Question: &driver.Question{Seats: make([]int, 10), Resumed: make([]int, 10)}}, 1000 / (20 * seatSize)},
		{"a result", &driver.Frame{End: &driver.Result{Reason: string(make([]byte, 2*resultSize)), Seats: []driver.SeatResult{{}}}}, 1000 / (3 * resultSize)},
		{"notes", &driver.Frame{BotAnswers: []driver.Answer{{Note: string(make([]byte, 200-answerSize))}}}, 5},
		{"bytes of answers", &driver.Frame{BotAnswers: []driver.Answer{{Line: string(make([]byte, 200-answerSize))}}}, 5},
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
		in, frame, gone := NewInbox(1, 1), &driver.Frame{}, errors.New("gone")
		check := func(ctx context.Context, event func(), wantFrame *driver.Frame, wantErr error) {
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
