package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/records/sqlite"
)

func openSubmissionsAt(t testing.TB, where string) *Submissions {
	t.Helper()
	s, err := OpenSubmissions(context.Background(), where, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// program returns a submission to add, whose hash is that of its source.
func program(player, game, source string) NewSubmission {
	return NewSubmission{Player: player, Game: game, Hash: sha256.Sum256([]byte(source)), Language: "go", Address: "192.0.2.1", Source: []byte(source)}
}

// submit adds a submission.
func submit(t testing.TB, s *Submissions, player, game, source string) Submission {
	t.Helper()
	one, err := s.Add(context.Background(), program(player, game, source), SubmissionQuotas{})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// claim claims a submission for the host h, and checks which one it is.
func claim(t testing.TB, s *Submissions, want int64) Submission {
	t.Helper()
	one, ok, err := s.Claim(context.Background(), "h")
	if err != nil || !ok || one.Number != want {
		t.Fatalf("Claim: got submission %d (%v), %v, want %d", one.Number, ok, err, want)
	}
	return one
}

// accept claims and accepts a submission.
func accept(t testing.TB, s *Submissions, number int64) Submission {
	t.Helper()
	claim(t, s, number)
	one, err := s.Accept(context.Background(), number, "h", []string{"./run", "-x"}, fmt.Append(nil, "program ", number))
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// submitAccepted adds and accepts a submission.
func submitAccepted(t testing.TB, s *Submissions, player, game, source string) Submission {
	t.Helper()
	return accept(t, s, submit(t, s, player, game, source).Number)
}

// wantState checks a state, and which version of its player and game is active; 0: none.
func wantState(t testing.TB, s *Submissions, one Submission, state SubmissionState, active int) {
	t.Helper()
	got, err := s.Number(context.Background(), one.Number)
	if err != nil || got.State != state {
		t.Errorf("submission %d: got %s, %v, want %s", one.Number, got.State, err, state)
	}
	list, err := s.List(context.Background(), SubmissionQuery{Player: one.Player, Game: one.Game})
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range list {
		if other.Active != (other.Version == active) {
			t.Errorf("version %d of %s: got active %v, want version %d as the active one", other.Version, one.Player, other.Active, active)
		}
	}
}

// large is larger than a block, and does not end with one.
var large = noise(2*blockBytes + 100)

func TestASubmissionIsBuiltTriedAndAccepted(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, where, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		begin := time.Now().Add(-time.Millisecond)
		added := submit(t, s, "Ana", "dama", string(large))
		if added.Created.Before(begin) || added.Created != added.Changed {
			t.Errorf("got times %v and %v, want one now", added.Created, added.Changed)
		}
		want := Submission{Number: 1, Player: "Ana", Game: "dama", Version: 1, Hash: sha256.Sum256(large), Language: "go", State: Queued,
			Created: added.Created, Changed: added.Changed, Bytes: int64(len(large)), Address: "192.0.2.1"}
		if !reflect.DeepEqual(added, want) {
			t.Errorf("Add: got\n%+v\nwant\n%+v", added, want)
		}
		if got, err := s.Get(ctx, "ANA", "dama", 1); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Get: got %+v, %v, want %+v", got, err, want)
		}
		if _, err := s.Get(ctx, "Ana", "dama", 2); err != ErrNoSubmission {
			t.Errorf("Get of an unknown version: got %v, want %v", err, ErrNoSubmission)
		}

		other := openSubmissionsAt(t, where) // as another process has
		claimed := claim(t, other, 1)
		want.State, want.Host, want.Attempts, want.Changed = Building, "h", 1, claimed.Changed
		if !reflect.DeepEqual(claimed, want) {
			t.Errorf("Claim: got %+v, want %+v", claimed, want)
		}
		if err := s.SetState(ctx, 1, "h", Trying, "", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Program(ctx, 1); !errors.Is(err, ErrNotAccepted) {
			t.Errorf("Program before it is accepted: got %v, want %v", err, ErrNotAccepted)
		}
		accepted, err := other.Accept(ctx, 1, "h", []string{"python3", "a \"b\""}, large[1:])
		if err != nil {
			t.Fatal(err)
		}
		want.State, want.Host, want.Run, want.Active, want.Changed = Accepted, "", []string{"python3", "a \"b\""}, true, accepted.Changed
		if !reflect.DeepEqual(accepted, want) {
			t.Errorf("Accept: got %+v, want %+v", accepted, want)
		}
		if got, err := s.Active(ctx); err != nil || !reflect.DeepEqual(got, []Submission{want}) {
			t.Errorf("Active: got %+v, %v, want %+v", got, err, want)
		}
		if got, err := s.Source(ctx, 1); err != nil || !bytes.Equal(got, large) {
			t.Errorf("Source: got %d bytes, %v, want the same %d", len(got), err, len(large))
		}
		if got, err := s.Program(ctx, 1); err != nil || !bytes.Equal(got, large[1:]) {
			t.Errorf("Program: got %d bytes, %v, want the same %d", len(got), err, len(large)-1)
		}
		if states, size, err := s.Count(ctx); err != nil || !reflect.DeepEqual(states, map[SubmissionState]int{Accepted: 1}) || size != int64(2*len(large)-1) {
			t.Errorf("Count: got %v with %d bytes, %v, want one accepted with %d", states, size, err, 2*len(large)-1)
		}
	})
}

func TestTheNewestAcceptedVersionIsActiveUntilThePlayerChoosesAnother(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, _, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		one := submitAccepted(t, s, "Ana", "dama", "1")
		submitAccepted(t, s, "Ana", "chess", "1")
		submitAccepted(t, s, "Bob", "dama", "1")
		two, three := submit(t, s, "ana", "dama", "2"), submit(t, s, "Ana", "dama", "3")
		if two.Version != 2 || three.Version != 3 {
			t.Fatalf("got versions %d and %d, want 2 and 3", two.Version, three.Version)
		}
		claim(t, s, two.Number)
		accept(t, s, three.Number)
		wantState(t, s, three, Accepted, 3)
		if got, err := s.Accept(ctx, two.Number, "h", nil, nil); err != nil || got.Active {
			t.Errorf("an older version: got active %v, %v, want not", got.Active, err)
		}
		if got, err := s.Program(ctx, two.Number); err != nil || len(got) != 0 {
			t.Errorf("a program without files: got %q, %v, want nothing", got, err)
		}
		if got, err := s.Activate(ctx, "ANA", "dama", 1); err != nil || got.Number != one.Number || !got.Active {
			t.Errorf("Activate: got %+v, %v, want version 1", got, err)
		}
		wantState(t, s, one, Accepted, 1)
		if err := s.Requeue(ctx, three.Number); err != nil {
			t.Fatal(err)
		}
		accept(t, s, three.Number)
		wantState(t, s, three, Accepted, 1) // a rebuild does not change what the player has chosen
		if err := s.Requeue(ctx, one.Number); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Active(ctx); err != nil || len(got) != 2 {
			t.Errorf("during a rebuild: got %+v, %v, want only those of another game and player", got, err)
		}
		accept(t, s, one.Number)
		wantState(t, s, one, Accepted, 1)
		if got, err := s.Activate(ctx, "Ana", "dama", 0); err != nil || !reflect.DeepEqual(got, Submission{}) {
			t.Errorf("Activate with version 0: got %+v, %v, want nothing", got, err)
		}
		wantState(t, s, one, Accepted, 0)
		four := submit(t, s, "Ana", "dama", "4")
		if _, err := s.Activate(ctx, "Ana", "dama", 4); !errors.Is(err, ErrNotAccepted) {
			t.Errorf("Activate of one that waits: got %v, want %v", err, ErrNotAccepted)
		}
		if _, err := s.Activate(ctx, "Ana", "dama", 5); err != ErrNoSubmission {
			t.Errorf("Activate of an unknown one: got %v, want %v", err, ErrNoSubmission)
		}
		accept(t, s, four.Number)
		wantState(t, s, four, Accepted, 4)
		players := store.Players()
		if err := players.Add(ctx, []NewPlayer{{Name: "ana", Token: Secret{1}}, {Name: "eve", Token: Secret{2}}}, nil); err != nil {
			t.Fatal(err)
		}
		before, _ := s.Active(ctx)
		if _, err := players.Remove(ctx, []string{"ana"}); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Active(ctx); err != nil || len(before) < 2 || slices.ContainsFunc(got, func(s Submission) bool { return s.Player == "Ana" }) || len(got) == 0 {
			t.Errorf("Active after the player was removed: got %+v, %v, want none of its versions and those of others", got, err)
		}
	})
}

func TestOnlyTheHostThatWorksOnASubmissionChangesIt(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, _, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		one := submit(t, s, "Ana", "dama", "1")
		want := func(when, host string, want error) {
			t.Helper()
			if err := s.SetState(ctx, one.Number, host, Trying, "", ""); err != want {
				t.Errorf("SetState %s: got %v, want %v", when, err, want)
			}
			if want == nil {
				return
			}
			if _, err := s.Accept(ctx, one.Number, host, nil, nil); err != want {
				t.Errorf("Accept %s: got %v, want %v", when, err, want)
			}
		}
		want("while it waits", "", ErrNotClaimed)
		claim(t, s, one.Number)
		want("by another host", "other", ErrNotClaimed)
		want("by the host", "h", nil)
		if err := s.SetState(ctx, one.Number, "h", Queued, FaultOfHost, "the disk is full"); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Number(ctx, one.Number); err != nil || got.State != Queued || got.Host != "" || got.Fault != FaultOfHost || got.Reason != "the disk is full" {
			t.Errorf("got %+v, %v, want it queued again with the reason", got, err)
		}
		want("when it waits again", "h", ErrNotClaimed)
		if again := claim(t, s, one.Number); again.Attempts != 2 || again.Reason != "" {
			t.Errorf("got attempt %d with the reason %q, want the second without one", again.Attempts, again.Reason)
		}
		if err := s.SetState(ctx, one.Number, "h", Refused, FaultOfProgram, "it does not compile"); err != nil {
			t.Fatal(err)
		}
		want("after it was refused", "h", ErrNotClaimed)
		for _, state := range []SubmissionState{Accepted, Removed, "other"} {
			if err := s.SetState(ctx, one.Number, "h", state, "", ""); err == nil || !strings.Contains(err.Error(), string(state)) {
				t.Errorf("SetState to %s: got %v, want an error with it", state, err)
			}
		}
	})
}

func TestARefusedVersionIsHandedInAgainAndAnAcceptedOneNot(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, _, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		one := submit(t, s, "Ana", "dama", "1")
		same := func(when string, want int) {
			t.Helper()
			_, err := s.Add(ctx, program("ana", "dama", "1"), SubmissionQuotas{PerDay: 1})
			var same *SameSubmissionError
			if !errors.As(err, &same) || same.Version != want {
				t.Errorf("the same files %s: got %v, want that version %d has them", when, err, want)
			}
		}
		same("while it waits", 1)
		submit(t, s, "Bob", "dama", "1")
		submit(t, s, "Ana", "chess", "1")
		claim(t, s, one.Number)
		if err := s.SetState(ctx, one.Number, "h", Refused, FaultOfProgram, "no"); err != nil {
			t.Fatal(err)
		}
		if two := submit(t, s, "Ana", "dama", "1"); two.Version != 2 {
			t.Errorf("got version %d, want 2", two.Version)
		}
		same("again", 2)
		submit(t, s, "Ana", "dama", "2")
		submit(t, s, "Ana", "dama", "1") // back to the old files
	})
}

func TestSubmissionsAreListedByAnyFilters(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, _, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		for i, who := range []string{"Ana", "Bob", "ana", "Ana"} {
			submit(t, s, who, []string{"dama", "chess"}[i/3], fmt.Sprint(i))
		}
		claim(t, s, 1)
		for _, tt := range []struct {
			query SubmissionQuery
			want  []int64
		}{
			{SubmissionQuery{}, []int64{4, 3, 2, 1}},
			{SubmissionQuery{Player: "ANA"}, []int64{4, 3, 1}},
			{SubmissionQuery{Player: "Ana", Game: "dama", State: Queued}, []int64{3}},
			{SubmissionQuery{State: Building}, []int64{1}},
			{SubmissionQuery{Before: 4, Limit: 2}, []int64{3, 2}},
			{SubmissionQuery{Game: "go"}, nil},
		} {
			list, err := s.List(ctx, tt.query)
			var got []int64
			for _, one := range list {
				got = append(got, one.Number)
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%+v: got %v, %v, want %v", tt.query, got, err, tt.want)
			}
		}
	})
}

func TestAnOlderFileGetsSubmissions(t *testing.T) {
	for name, open := range map[string]func(path string) *Submissions{
		"by a host":          func(path string) *Submissions { return reopen(t, path, io.Discard).Submissions() },
		"by another process": func(path string) *Submissions { return openSubmissionsAt(t, path) },
	} {
		t.Run(name, func(t *testing.T) { submitAccepted(t, open(oldFile(t, 5, 3)), "Ana", "dama", "1") })
	}
}

func TestABackupHasSubmissions(t *testing.T) {
	store, path, _ := openTemp(t)
	one := submitAccepted(t, store.Submissions(), "Ana", "dama", string(large))
	to := filepath.Join(t.TempDir(), "copy.db")
	if _, err := sqlite.Backup(t.Context(), path, to, false, nil); err != nil {
		t.Fatal(err)
	}
	s := reopen(t, to, io.Discard).Submissions()
	if got, err := s.Number(t.Context(), 1); err != nil || !reflect.DeepEqual(got, one) {
		t.Errorf("got %+v, %v, want %+v", got, err, one)
	}
	if got, err := s.Source(t.Context(), 1); err != nil || !bytes.Equal(got, large) {
		t.Errorf("got %d bytes, %v, want the source", len(got), err)
	}
}

func TestSubmissionsCostNoRecords(t *testing.T) {
	s, _, _ := openTemp(t)
	finish(t, s, sample("ID"))
	submit(t, s.Submissions(), "Ana", "dama", string(noise(1<<20)))
	r := Retention{MaxBytes: 512 << 10}
	if removed, err := s.retainer.retain(t.Context(), r, time.Now()); removed != 0 || err != nil {
		t.Errorf("got %d records removed, %v, want none", removed, err)
	}
	wantMatches(t, s.Reader, 1)
}

func TestSubmissionsExplainErrors(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, where, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		submit(t, s, "Ana", "dama", string(large))
		execute(t, where, "DELETE FROM submission_blocks WHERE number = 1")
		if _, err := s.Source(ctx, 1); err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), s.d.String()) {
			t.Errorf("Source with a missing block: got %v, want an error about it with the path", err)
		}
		execute(t, where, "DROP TABLE submissions")
		for name, call := range map[string]func() error{
			"Add":    func() error { _, err := s.Add(ctx, program("a", "b", "c"), SubmissionQuotas{}); return err },
			"Claim":  func() error { _, _, err := s.Claim(ctx, ""); return err },
			"List":   func() error { _, err := s.List(ctx, SubmissionQuery{}); return err },
			"Remove": func() error { return s.Remove(ctx, 1) },
		} {
			if err := call(); err == nil || !strings.Contains(err.Error(), s.d.String()) {
				t.Errorf("%s: got %v, want an error with the path", name, err)
			}
		}
	})
}
