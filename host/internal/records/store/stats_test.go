package store

import (
	"context"
	"testing"
)

func TestCommitsAreCounted(t *testing.T) {
	s, _, _ := openTemp(t)
	finish(t, s, sample("A"))
	s.Begin(sample("B"))
	finish(t, s, sample("B"))
	alter(t, s, "query_only = on")
	if err := s.Finish(context.Background(), sample("C")); err == nil {
		t.Fatal("Finish on a read-only file: got nil, want an error")
	}
	got := s.Stats()
	if got.Records != 2 || got.Failed != 1 || got.Waiting != 1 { // C is tried again
		t.Errorf("got %+v, want 2 records, 1 failed commit, 1 waiting row", got)
	}
	if n := got.Commits.Count(); n < 2 || n > 3 { // B's two rows can share one
		t.Errorf("got %d commits, want 2 or 3", n)
	}
}
