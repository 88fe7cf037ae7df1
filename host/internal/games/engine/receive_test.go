package engine

import (
	"runtime"
	"testing"

	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// orderReceiver keeps the frames that it gets.
type orderReceiver struct{ got []*driver.Frame }

func (r *orderReceiver) Put(f *driver.Frame) { r.got = append(r.got, f) }
func (r *orderReceiver) Close(error)         {}

func TestFramesOfEachMatchStayInOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, n := range []int{1, share - 1, 2 * share, 10 * share} {
		g := &Game{matches: map[uint64]Receiver{}, last: 8}
		matches := make([]orderReceiver, 8) // the last one has ended
		for i := range matches[:7] {
			g.matches[uint64(i)+1] = &matches[i]
		}
		want := make([][]*driver.Frame, len(matches))
		var frames []*wire.GameFrame
		for i := range n {
			match := i * i % 8
			f := &wire.GameFrame{Match: uint64(match) + 1, Frame: &driver.Frame{}}
			frames, want[match] = append(frames, f), append(want[match], f.Frame)
		}
		receivers, last := g.find(frames, nil)
		deliver(frames, receivers)
		if last != 8 {
			t.Errorf("got %d as the last match, want 8", last)
		}
		want[7] = nil
		for i := range matches {
			if len(matches[i].got) != len(want[i]) {
				t.Fatalf("%d frames: match %d got %d, want %d", n, i+1, len(matches[i].got), len(want[i]))
			}
			for k, f := range want[i] {
				if matches[i].got[k] != f {
					t.Errorf("%d frames: match %d got another frame at %d", n, i+1, k)
				}
			}
		}
	}
}
