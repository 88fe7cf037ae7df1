package analysis

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnalysisIsComputedOnceAndKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		games := &fakeGames{hold: make(chan struct{})}
		a := New(games, stall, quiet)
		defer a.Close()
		rec := said(t, "one", "0", "0.9", "0", "0", "0", "0")
		for range 3 { // further requests join the first
			if s, err := a.Start(rec); err != nil || s.Analysis != nil || s.All != 6 {
				t.Fatalf("got %+v, %v, want an analysis that runs", s, err)
			}
			synctest.Wait()
		}
		if s, ok := a.Look("one"); !ok || !s.Running {
			t.Errorf("got %+v, %v, want that it runs", s, ok)
		}
		close(games.hold)
		synctest.Wait()
		s, ok := a.Look("one")
		if !ok || s.Err != nil || s.Analysis == nil || s.Done != 6 {
			t.Fatalf("got %+v, %v, want the analysis", s, ok)
		}
		if again, err := a.Start(rec); err != nil || again.Analysis != s.Analysis {
			t.Errorf("got %+v, %v, want the kept analysis", again, err)
		}
		if n, started := games.running(); n != 0 || started != 1 {
			t.Errorf("%d of %d processes run, want 0 of 1", n, started)
		}
	})
}

func TestOneAnalysisRunsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		games := &fakeGames{hold: make(chan struct{})}
		a := New(games, stall, quiet)
		defer a.Close()
		for i := range maxWaiting + 1 {
			if _, err := a.Start(said(t, fmt.Sprint(i), "0", "0", "0", "0", "0", "0")); err != nil {
				t.Fatalf("match %d: got %v, want no error", i, err)
			}
		}
		if _, err := a.Start(said(t, "more", "0", "0", "0", "0", "0", "0")); !errors.Is(err, ErrBusy) {
			t.Errorf("got %v, want %v", err, ErrBusy)
		}
		synctest.Wait()
		if n, _ := games.running(); n != 1 {
			t.Errorf("%d processes run, want 1", n)
		}
		close(games.hold)
		synctest.Wait()
		for i := range maxWaiting + 1 {
			if s, ok := a.Look(fmt.Sprint(i)); !ok || s.Analysis == nil {
				t.Errorf("match %d: got %+v, %v, want its analysis", i, s, ok)
			}
		}
	})
}

func TestAnalysisThatNobodyAsksForEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		games := &fakeGames{hold: make(chan struct{})}
		a := New(games, 10*patience, quiet)
		defer a.Close()
		rec := said(t, "one", "0", "0", "0", "0", "0", "0")
		if _, err := a.Start(rec); err != nil {
			t.Fatal(err)
		}
		time.Sleep(patience - time.Second) // of the bubble
		if _, ok := a.Look("one"); !ok {
			t.Error("it has ended too early")
		}
		time.Sleep(patience - time.Second)
		if n, _ := games.running(); n != 1 {
			t.Errorf("%d processes run, want 1: it was asked for", n)
		}
		time.Sleep(patience)
		synctest.Wait()
		if n, _ := games.running(); n != 0 {
			t.Errorf("%d processes run, want 0: nobody asks", n)
		}
		if _, ok := a.Look("one"); ok {
			t.Error("got a status, want none: it can begin again")
		}
	})
}

func TestFailureIsKeptForAMinute(t *testing.T) {
	for name, games := range map[string]*fakeGames{
		"the game dies": {dies: true}, "it does not start": {fault: errors.New("no memory")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := New(games, stall, quiet)
				defer a.Close()
				if _, err := a.Start(said(t, "one", "0", "0", "0", "0", "0", "0")); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if s, ok := a.Look("one"); !ok || s.Err == nil || s.Analysis != nil {
					t.Errorf("got %+v, %v, want an error", s, ok)
				}
				time.Sleep(failureFor + time.Second)
				if _, ok := a.Look("one"); ok {
					t.Error("got the old failure, want none")
				}
			})
		})
	}
}

func TestVersionThatIsGoneIsRefused(t *testing.T) {
	a := New(&fakeGames{refusal: errors.New("this host has version v2")}, stall, quiet)
	defer a.Close()
	_, err := a.Start(said(t, "one", "0", "0", "0", "0", "0", "0"))
	if _, ok := errors.AsType[Refusal](err); !ok || !strings.Contains(err.Error(), "version v2") {
		t.Errorf("got %v, want a refusal with the version", err)
	}
}

func TestOldAnalysesAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New(&fakeGames{}, stall, quiet)
		defer a.Close()
		for i := range maxKept + 1 {
			if _, err := a.Start(said(t, fmt.Sprint(i), "0", "0", "0", "0", "0", "0")); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			a.Look("0") // so it is not the one asked for least recently
		}
		if _, ok := a.Look("1"); ok {
			t.Error("got the analysis asked for least recently, want it dropped")
		}
		if _, ok := a.Look("0"); !ok {
			t.Error("got no analysis of match 0, want it kept")
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if len(a.jobs) != maxKept || len(a.kept) != maxKept {
			t.Errorf("%d jobs and %d kept, want %d", len(a.jobs), len(a.kept), maxKept)
		}
	})
}

func TestCloseEndsAnalyses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		games := &fakeGames{hold: make(chan struct{})}
		a := New(games, stall, quiet)
		for _, id := range []string{"one", "two"} {
			if _, err := a.Start(said(t, id, "0", "0", "0", "0", "0", "0")); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		a.Close()
		if n, started := games.running(); n != 0 || started != 1 {
			t.Errorf("%d of %d processes run, want 0 of 1", n, started)
		}
		if _, err := a.Start(said(t, "three", "0", "0", "0", "0", "0", "0")); !errors.Is(err, ErrBusy) {
			t.Errorf("got %v, want %v", err, ErrBusy)
		}
	})
}
