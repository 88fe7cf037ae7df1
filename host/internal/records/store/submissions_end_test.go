package store

import (
	"errors"
	"testing"
)

func TestAProgramRestsAfterFailuresInARowUntilItIsActivated(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, _, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		one := submitAccepted(t, s, "Ana", "dama", "1")
		played := func(failed bool, want bool, failures int) {
			t.Helper()
			rests, err := s.Played(ctx, one.Number, failed, "it does not start", 3)
			if err != nil || rests != want {
				t.Errorf("Played: got %v, %v, want %v", rests, err, want)
			}
			if got, err := s.Number(ctx, one.Number); err != nil || got.Failures != failures || got.Rests != want || got.Reason != map[bool]string{true: "it does not start"}[want] {
				t.Errorf("got %+v, %v, want %d failures", got, err, failures)
			}
		}
		played(false, false, 0)
		played(true, false, 1)
		played(true, false, 2)
		played(false, false, 0)
		played(true, false, 1)
		played(true, false, 2)
		played(true, true, 3)
		if got, err := s.Active(ctx); err != nil || len(got) != 0 {
			t.Errorf("Active: got %+v, %v, want none", got, err)
		}
		if got, err := s.Activate(ctx, "Ana", "dama", 1); err != nil || got.Rests || got.Failures != 0 || got.Reason != "" || got.Fault != "" {
			t.Errorf("Activate: got %+v, %v, want one that does not rest", got, err)
		}
		played(true, false, 1)
		if err := s.Remove(ctx, one.Number); err != nil {
			t.Fatal(err)
		}
		if rests, err := s.Played(ctx, one.Number, true, "", 1); rests || err != nil {
			t.Errorf("after it was removed: got %v, %v, want nothing", rests, err)
		}
	})
}

func TestARemovedSubmissionKeepsItsNumbersAndNothingElse(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, where, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		one := submit(t, s, "Ana", "dama", string(large))
		claim(t, s, one.Number)
		if _, err := s.Accept(ctx, one.Number, "h", nil, large); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.AddLog(ctx, one.Number, []byte("log")), s.AddJournal(ctx, one.Number, "ID", "journal"), s.Remove(ctx, one.Number)); err != nil {
			t.Fatal(err)
		}
		wantState(t, s, one, Removed, 0)
		for _, table := range []string{"submission_blocks", "submission_logs", "submission_journals"} {
			var n int
			if err := connectTo(t, where).QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil || n != 0 {
				t.Errorf("%s: got %d rows, %v, want none", table, n, err)
			}
		}
		_, source := s.Source(ctx, one.Number)
		_, program := s.Program(ctx, one.Number)
		_, activate := s.Activate(ctx, "Ana", "dama", 1)
		for what, err := range map[string]error{"Source": source, "Program": program, "Activate": activate, "AddLog": s.AddLog(ctx, one.Number, []byte("x")),
			"AddJournal": s.AddJournal(ctx, one.Number, "ID", "x"), "Remove": s.Remove(ctx, one.Number), "Requeue": s.Requeue(ctx, one.Number)} {
			if err != ErrNoSubmission {
				t.Errorf("%s: got %v, want %v", what, err, ErrNoSubmission)
			}
		}
		if states, size, err := s.Count(ctx); err != nil || size != 0 || states[Removed] != 1 {
			t.Errorf("Count: got %v with %d bytes, %v, want one removed with 0", states, size, err)
		}
		if next := submit(t, s, "Ana", "dama", "next"); next.Number <= one.Number || next.Version != 2 {
			t.Errorf("got submission %d, version %d, want a new number and 2", next.Number, next.Version)
		}
	})
}

func TestASubmissionIsQueuedAgainByTheOperator(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, _, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		one := submit(t, s, "Ana", "dama", "1")
		if err := s.Requeue(ctx, one.Number); err != ErrInWork {
			t.Errorf("one that waits: got %v, want %v", err, ErrInWork)
		}
		accept(t, s, one.Number)
		if err := errors.Join(s.AddLog(ctx, one.Number, []byte("long ago")), s.Requeue(ctx, one.Number)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Program(ctx, one.Number); !errors.Is(err, ErrNotAccepted) {
			t.Errorf("Program: got %v, want %v", err, ErrNotAccepted)
		}
		if text, total, err := s.Log(ctx, one.Number, 0); err != nil || total != 0 || len(text) != 0 {
			t.Errorf("Log: got %q of %d bytes, %v, want an empty one", text, total, err)
		}
		claim(t, s, one.Number)
		if err := s.Requeue(ctx, one.Number); err != ErrInWork {
			t.Errorf("one that is built: got %v, want %v", err, ErrInWork)
		}
		if err := s.SetState(ctx, one.Number, "h", Refused, FaultOfProgram, "the library is gone"); err != nil {
			t.Fatal(err)
		}
		wantState(t, s, one, Refused, 0)
		if err := s.Requeue(ctx, one.Number); err != nil {
			t.Fatal(err)
		}
		if got := accept(t, s, one.Number); got.Attempts != 1 || got.Active {
			t.Errorf("got %+v, want the first attempt of one that stays inactive", got)
		}
	})
}
