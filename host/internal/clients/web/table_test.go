package web

import (
	"slices"
	"testing"

	"colosseum/protocol"
)

func TestEveryRequestIsInTheTableOnceForAState(t *testing.T) {
	for _, name := range protocol.Requests() {
		if !slices.ContainsFunc(requests, func(r request) bool { return r.name == name }) {
			t.Errorf("got no %s in the table, want one", name)
		}
	}
	for i, r := range requests {
		if !r.mirror && !slices.Contains(protocol.Requests(), r.name) {
			t.Errorf("got %s in the table, want only requests of the protocol", r.name)
		}
		if (r.handle == nil) == (r.answer == nil) {
			t.Errorf("%s: want either handle or answer", r.name)
		}
		for _, later := range requests[i+1:] {
			if later.name == r.name && later.in&r.in != 0 {
				t.Errorf("got %s twice for a state, want it once", r.name)
			}
		}
	}
}
