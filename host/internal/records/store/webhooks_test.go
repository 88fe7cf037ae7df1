package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"
)

func openWebhooksAt(t testing.TB, where string) *Webhooks {
	t.Helper()
	w, err := OpenWebhooks(context.Background(), where, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// news returns the contests with news, like cup:-1, and checks that there is no error.
func news(t testing.TB, w *Webhooks) (list []ContestNews, text string) {
	t.Helper()
	list, err := w.Contests(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, n := range list {
		words = append(words, fmt.Sprintf("%s:%d", n.Name, n.Position))
	}
	return list, strings.Join(words, " ")
}

// waiting returns a message that waits since a second.
func waiting(hook, id string) Delivery {
	now := time.Now().Add(-time.Second).UTC()
	return Delivery{ID: id, Hook: hook, Event: "contest.ended", Body: `{"a":1}`, Created: now, Next: now}
}

func TestMessagesAreMadeOfWhatHappensAfterAWebhookIsKnown(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, where, _ := on.openTemp(t)
		w, c, ctx := s.Webhooks(), s.Contests(), t.Context()
		create(t, c, "old", "enter", "start")
		if err := w.Add(ctx, []string{"club"}); err != nil {
			t.Fatal(err)
		}
		if _, got := news(t, w); got != "" {
			t.Errorf("after the first webhook was added: got news of %q, want none", got)
		}
		create(t, c, "new", "enter")
		if err := c.Append(ctx, "old", 2, happen("end")); err != nil {
			t.Fatal(err)
		}
		other := openWebhooksAt(t, where) // as another process has
		if err := other.Add(ctx, []string{"school", "club"}); err != nil {
			t.Fatal(err)
		}
		if got, err := w.Known(ctx); err != nil || !reflect.DeepEqual(got, []string{"club", "school"}) {
			t.Errorf("Known: got %q, %v, want club and school", got, err)
		}
		list, got := news(t, w)
		if got != "old:2 new:-1" {
			t.Fatalf("got news of %q, want old:2 new:-1", got)
		}
		if want := cup("new"); !reflect.DeepEqual(list[1].Contest, want) {
			t.Errorf("got the contest %+v, want %+v", list[1].Contest, want)
		}
		for i, to := range []int64{3, 1} {
			if err := w.AddOfContest(ctx, &list[i], to, []Delivery{waiting("club", list[i].Name)}); err != nil {
				t.Errorf("%s: got %v, want no error", list[i].Name, err)
			}
			if err := other.AddOfContest(ctx, &list[i], to, []Delivery{waiting("club", "again")}); err != ErrChanged {
				t.Errorf("%s again: got %v, want %v", list[i].Name, err, ErrChanged)
			}
		}
		if _, got := news(t, w); got != "" {
			t.Errorf("got news of %q after all messages were made, want none", got)
		}
		if due, err := w.Due(ctx, "club", time.Now(), 5); err != nil || len(due) != 2 || due[0].ID != "old" || due[1].ID != "new" {
			t.Errorf("Due: got %+v, %v, want one message of each contest", due, err)
		}
		create(t, c, "gone")
		list, _ = news(t, w)
		if err := errors.Join(c.Remove(ctx, "gone"), c.Remove(ctx, "old")); err != nil {
			t.Fatal(err)
		}
		if err := w.AddOfContest(ctx, &list[0], 0, nil); err != ErrChanged {
			t.Errorf("a contest that was removed: got %v, want %v", err, ErrChanged)
		}
		if err := errors.Join(w.Purge(ctx, time.Now()), w.Forget(ctx)); err != nil {
			t.Fatal(err)
		}
		if got, err := w.Known(ctx); err != nil || got != nil {
			t.Errorf("Known after Forget: got %q, %v, want none", got, err)
		}
		create(t, c, "silent")
		if err := w.Add(ctx, []string{"club"}); err != nil {
			t.Fatal(err)
		}
		if _, got := news(t, w); got != "" {
			t.Errorf("got news of %q from before the webhook was added again, want none", got)
		}
	})
}

func TestAMessageIsSentUntilItWasDeliveredAndThenRemoved(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		w, ctx := s.Webhooks(), t.Context()
		one := waiting("club", "1")
		if err := errors.Join(w.Log(ctx, &one), w.Log(ctx, &one)); err != nil { // once, since the ID is the same
			t.Fatal(err)
		}
		due, err := w.Due(ctx, "club", time.Now(), 5)
		one.Number = 1
		if err != nil || len(due) != 1 || !reflect.DeepEqual(due[0], one) {
			t.Fatalf("Due: got %+v, %v, want %+v", due, err, one)
		}
		later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		one.Next, one.Tries, one.Status, one.Problem = later, 1, 500, "status 500\x00\xff "+strings.Repeat("é", maxProblem)
		if err := w.Tried(ctx, &one); err != nil {
			t.Fatal(err)
		}
		if due, err := w.Due(ctx, "club", time.Now(), 5); err != nil || due != nil {
			t.Errorf("after a try: got %+v due, %v, want none", due, err)
		}
		if n, next, err := w.Waiting(ctx, "club"); err != nil || n != 1 || !next.Equal(later) {
			t.Errorf("Waiting: got %d and %v, %v, want 1 and %v", n, next, err, later)
		}
		if list, err := w.List(ctx, "", 5); err != nil || len(list) != 1 || !strings.HasPrefix(list[0].Problem, "status 500") || len(list[0].Problem) > 2*maxProblem {
			t.Errorf("List: got %+v, %v, want the problem", list, err)
		}
		if err := w.Retry(ctx, 1); err != nil {
			t.Fatal(err)
		}
		if due, err := w.Due(ctx, "club", time.Now(), 5); err != nil || len(due) != 1 {
			t.Errorf("after Retry: got %+v due, %v, want one", due, err)
		}
		one.Next, one.Problem = time.Time{}, ""
		if err := w.Tried(ctx, &one); err != nil {
			t.Fatal(err)
		}
		if list, err := w.List(ctx, "club", 5); err != nil || len(list) != 1 || !list[0].Delivered() {
			t.Errorf("List: got %+v, %v, want it delivered", list, err)
		}
		if list, err := w.List(ctx, "school", 5); err != nil || list != nil {
			t.Errorf("List of another webhook: got %+v, %v, want nothing", list, err)
		}
		if err := w.Purge(ctx, time.Now()); err != nil {
			t.Fatal(err)
		}
		if list, err := w.List(ctx, "", 5); err != nil || len(list) != 1 {
			t.Errorf("after a Purge at once: got %+v, %v, want the message", list, err)
		}
		if err := w.Purge(ctx, time.Now().Add(keptFor+time.Minute)); err != nil {
			t.Fatal(err)
		}
		if list, err := w.List(ctx, "", 5); err != nil || list != nil {
			t.Errorf("after a Purge a month later: got %+v, %v, want nothing", list, err)
		}
		if err := w.Retry(ctx, 1); err != ErrNoDelivery {
			t.Errorf("Retry: got %v, want %v", err, ErrNoDelivery)
		}
	})
}

func TestMessagesBeyondTheMostAreGivenUp(t *testing.T) {
	s, _, _ := inFile.openTemp(t)
	w, ctx := s.Webhooks(), t.Context()
	if err := w.Add(ctx, []string{"club"}); err != nil {
		t.Fatal(err)
	}
	create(t, s.Contests(), "cup")
	list, _ := news(t, w)
	var all []Delivery
	for i := range maxWaiting + 1 {
		all = append(all, waiting("club", fmt.Sprint(i)))
	}
	if err := w.AddOfContest(ctx, &list[0], 0, all); err != nil {
		t.Fatal(err)
	}
	if n, _, err := w.Waiting(ctx, "club"); err != nil || n != maxWaiting {
		t.Errorf("got %d messages that wait, %v, want %d", n, err, maxWaiting)
	}
	if list, err := w.List(ctx, "club", 1); err != nil || len(list) != 1 || !list[0].Next.IsZero() || list[0].Delivered() || !strings.Contains(list[0].Problem, "10000 messages wait") {
		t.Errorf("got the last message %+v, %v, want it given up", list, err)
	}
}

func TestWhatHappensToProgramsIsAnnouncedWithIt(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		w, programs, ctx := s.Webhooks(), s.Submissions(), t.Context()
		submitAccepted(t, programs, "Ana", "dama", "before")
		if list, err := w.Programs(ctx); err != nil || list != nil {
			t.Errorf("without webhooks: got %+v, %v, want nothing", list, err)
		}
		if err := w.Add(ctx, []string{"club"}); err != nil {
			t.Fatal(err)
		}
		good := submitAccepted(t, programs, "Ana", "dama", "good")
		bad := submit(t, programs, "bob", "damath", "bad")
		claim(t, programs, bad.Number)
		if err := programs.SetState(ctx, bad.Number, "h", Refused, FaultOfProgram, "it does not compile"); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := programs.Played(ctx, good.Number, true, "it does not start", 2); err != nil {
				t.Fatal(err)
			}
		}
		list, err := w.Programs(ctx)
		want := []ProgramNews{
			{Event: ProgramAccepted, Program: ProgramEvent{Player: "Ana", Game: "dama", Version: 2}},
			{Event: ProgramRefused, Program: ProgramEvent{Player: "bob", Game: "damath", Version: 1, Fault: FaultOfProgram, Reason: "it does not compile"}},
			{Event: ProgramRests, Program: ProgramEvent{Player: "Ana", Game: "dama", Version: 2, Fault: FaultOfProgram, Reason: "it does not start"}},
		}
		if err != nil || len(list) != len(want) {
			t.Fatalf("got %+v, %v, want %d messages", list, err, len(want))
		}
		for i := range list {
			want[i].Number, want[i].ID, want[i].At = list[i].Number, list[i].ID, list[i].At
		}
		if !reflect.DeepEqual(list, want) {
			t.Errorf("got\n%+v\nwant\n%+v", list, want)
		}
		if err := w.AddOfProgram(ctx, list[0].Number, []Delivery{waiting("club", list[0].ID)}); err != nil {
			t.Fatal(err)
		}
		if err := w.AddOfProgram(ctx, list[0].Number, nil); err != ErrChanged {
			t.Errorf("again: got %v, want %v", err, ErrChanged)
		}
		if left, err := w.Programs(ctx); err != nil || len(left) != 2 {
			t.Errorf("got %+v, %v, want two that are left", left, err)
		}
		if shown, err := w.List(ctx, "", 10); err != nil || len(shown) != 1 {
			t.Errorf("got %+v, %v in the log, want the message for the webhook alone", shown, err)
		}
	})
}
