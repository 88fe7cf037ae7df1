package cluster

import "testing"

func TestTimesOfTheMachine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]uint64{
		"cpu  10 2 3 40 5 6 7 8 9 1\ncpu0 1 1 1 1 1 1 1 1 0 0\n": {36, 81},
		"cpu 1 2 3": {}, "": {}, "intr 1 2 3 4 5 6 7 8": {}, "cpu 1 2 3 x 5 6 7 8 9": {},
	} {
		if busy, all, ok := parseTimes(text); busy != want[0] || all != want[1] || ok != (want[1] > 0) {
			t.Errorf("%q: got %d, %d, %v, want %v", text, busy, all, ok, want)
		}
	}
	if busy, all, ok := cpuTimes(); !ok || all == 0 || busy > all {
		t.Errorf("got %d of %d, %v, want the time of this machine", busy, all, ok)
	}
}
