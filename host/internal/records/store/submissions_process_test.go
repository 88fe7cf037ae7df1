package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
)

func TestTwoHostsNeverClaimTheSameSubmission(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, where, _ := on.openTemp(t)
		ctx := t.Context()
		const all = 30
		for i := range all {
			submit(t, store.Submissions(), fmt.Sprint("p", i%4), "dama", fmt.Sprint(i))
		}
		var mu sync.Mutex // guards the field below
		var claimed []int64
		var wg sync.WaitGroup
		for i, s := range []*Submissions{store.Submissions(), openSubmissionsAt(t, where), openSubmissionsAt(t, where)} {
			for range 2 {
				wg.Go(func() {
					for {
						one, ok, err := s.Claim(ctx, fmt.Sprint("host ", i))
						if err != nil {
							t.Errorf("got %v, want no error", err)
						}
						if err != nil || !ok {
							return
						}
						if one.Host != fmt.Sprint("host ", i) || one.Attempts != 1 {
							t.Errorf("got %+v, want the first attempt, of host %d", one, i)
						}
						mu.Lock()
						claimed = append(claimed, one.Number)
						mu.Unlock()
					}
				})
			}
		}
		wg.Wait()
		slices.Sort(claimed)
		if len(slices.Compact(slices.Clone(claimed))) != all || len(claimed) != all {
			t.Errorf("got the claims %v, want each of %d submissions once", claimed, all)
		}
	})
}

// built is the program that acceptUntilKilled stores for a submission.
func built(number int64) []byte {
	return bytes.Repeat(fmt.Append(nil, number, ";"), 5*blockBytes/(len(fmt.Sprint(number))+1))
}

// acceptUntilKilled hands programs in and accepts them, and prints the number of each as
// soon as it is accepted.
func acceptUntilKilled(where string) {
	ctx := context.Background()
	s, err := OpenSubmissions(ctx, where, slog.New(slog.DiscardHandler))
	for i := 0; err == nil; i++ {
		var one Submission
		if _, err = s.Add(ctx, program(fmt.Sprint("p", i), "dama", "source"), SubmissionQuotas{}); err == nil {
			one, _, err = s.Claim(ctx, "killed")
		}
		if err == nil {
			_, err = s.Accept(ctx, one.Number, "killed", []string{"./run"}, built(one.Number))
		}
		if err == nil {
			os.Stdout.WriteString(fmt.Sprintln(one.Number)) // unbuffered, one write each
		}
	}
	fmt.Println(err)
}

func TestAKilledHostLeavesASubmissionAcceptedOrToBeDoneAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		where, ctx := on.where(t), t.Context()
		s := openSubmissionsAt(t, where)
		cmd := child(t, "accept submissions", where)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		const killAt = 5
		acknowledged := map[int64]bool{}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			number, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err != nil {
				t.Errorf("the process: got %q, want a number", lines.Text())
			}
			if acknowledged[number] = true; len(acknowledged) == killAt {
				cmd.Process.Kill() // and read the rest of its output
			}
		}
		cmd.Wait()
		// It waits for a transaction of the process that the server has not ended yet.
		if released, err := s.Release(ctx, "killed"); err != nil || released > 1 {
			t.Errorf("Release: got %d, %v, want what the process worked on", released, err)
		}
		if released, err := s.Release(ctx, "killed"); err != nil || released != 0 {
			t.Errorf("another Release: got %d, %v, want none", released, err)
		}
		check := func(want SubmissionState) {
			t.Helper()
			list, err := s.List(ctx, SubmissionQuery{})
			if err != nil || len(list) < killAt {
				t.Fatalf("got %d submissions, %v, want %d or more", len(list), err, killAt)
			}
			for _, one := range list {
				got, err := s.Program(ctx, one.Number)
				switch {
				case one.State == Accepted && (err != nil || !bytes.Equal(got, built(one.Number)) || !one.Active || len(one.Run) != 1):
					t.Errorf("%+v: got a program of %d bytes, %v, want all of it", one, len(got), err)
				case one.State != Accepted && (one.State != want || !errors.Is(err, ErrNotAccepted) || one.Active || one.Run != nil || acknowledged[one.Number]):
					t.Errorf("%+v: got a program of %d bytes, %v, want nothing", one, len(got), err)
				}
			}
		}
		check(Queued)
		for { // what it has left of a program is not in the way
			one, ok, err := s.Claim(ctx, "next")
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			if _, err := s.Accept(ctx, one.Number, "next", []string{"./run"}, built(one.Number)); err != nil {
				t.Fatal(err)
			}
		}
		check(Accepted)
	})
}

func TestAProgramThatWasWrittenInPartIsNeitherSeenNorKept(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		store, where, _ := on.openTemp(t)
		s, ctx := store.Submissions(), t.Context()
		one, gone := submit(t, s, "Ana", "dama", "1"), submit(t, s, "Bob", "dama", "1")
		claim(t, s, one.Number)
		// As by a host that was killed between two transactions.
		for _, number := range []int64{one.Number, gone.Number} {
			if _, err := connectTo(t, where).Exec("INSERT INTO submission_blocks (submission, kind, number, data) VALUES ($1, 'program', 0, $2), ($1, 'program', 7, $2)", number, []byte("part")); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.Program(ctx, one.Number); !errors.Is(err, ErrNotAccepted) {
			t.Errorf("got %q, %v, want %v", got, err, ErrNotAccepted)
		}
		if _, err := s.Accept(ctx, one.Number, "h", nil, []byte("whole")); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Program(ctx, one.Number); err != nil || string(got) != "whole" {
			t.Errorf("got %q, %v, want the new program", got, err)
		}
		if err := s.Remove(ctx, one.Number); err != nil { // clears all
			t.Fatal(err)
		}
		var n int
		if err := connectTo(t, where).QueryRow(`SELECT count(*) FROM submission_blocks WHERE kind = 'program'`).Scan(&n); err != nil || n != 0 {
			t.Errorf("got %d blocks of programs, %v, want none", n, err)
		}
	})
}
