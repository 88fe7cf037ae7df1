package submission

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/coco/internal/server"
)

// step is an answer of a host; one without a state is a lost connection.
type step struct {
	state    string
	position int
	log      string
	total    int
}

// follow follows a build with these answers, of which the last one repeats, and returns
// what happened. It stops after a time, unless that is 0.
func follow(t *testing.T, stop time.Duration, steps ...step) (events []string, took time.Duration, err error) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if stop > 0 {
			time.AfterFunc(stop, cancel)
		}
		began, asked := time.Now(), 0
		event := func(format string, args ...any) { events = append(events, fmt.Sprintf(format, args...)) }
		f := Follower{
			Read: func(_ context.Context, from int, known string) (p server.Progress, err error) {
				s := steps[min(asked, len(steps)-1)]
				asked++
				if s.state == "" {
					return p, &server.ConnectionError{Err: errors.New("lost")}
				}
				if asked <= len(steps) {
					event("from %d %s", from, known)
				}
				return server.Progress{Submission: server.Submission{State: s.state, Position: s.position}, Log: s.log, Total: s.total}, nil
			},
			Output:  func(text string) error { event("output of %d bytes", len(text)); return nil },
			Changed: func(s server.Submission) { event("%s %d", s.State, s.Position) },
			Lost:    func(err error) { event("%v", err) },
		}
		_, err = f.Run(ctx)
		took = time.Since(began)
	})
	return events, took, err
}

func TestBuildIsFollowedToItsEnd(t *testing.T) {
	got, _, err := follow(t, 0,
		step{state: "queued", position: 2}, step{state: "queued", position: 1}, step{state: "queued", position: 1},
		step{state: "building", log: "abc", total: 3}, step{}, step{}, step{state: "building", log: "de", total: 5},
		step{state: "building", log: "fg", total: 2}, step{state: "accepted", total: 2})
	want := []string{
		"from 0 ", "queued 2", "from 0 queued", "queued 1", "from 0 queued",
		"from 0 queued", "building 0", "output of 3 bytes", "lost", "from 3 building", "output of 2 bytes",
		"from 5 building", "output of 2 bytes", "from 2 building", "accepted 0",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestFollowingEnds(t *testing.T) {
	for _, tt := range []struct {
		name        string
		stop        time.Duration
		steps       []step
		want        string
		least, most time.Duration
	}{
		{"when the connection stays lost", 0, []step{{state: "queued"}, {}}, "lost", retryLimit, retryLimit + 2*lastRetry},
		{"when it is stopped", time.Minute, []step{{state: "queued"}}, context.Canceled.Error(), time.Minute, time.Minute},
		{"when it is stopped without a connection", 10 * time.Second, []step{{}}, context.Canceled.Error(), 10 * time.Second, 10 * time.Second},
		{"when the output has no end", 0, []step{{state: "building", log: strings.Repeat("x", 1<<20), total: 1 << 20}}, "the output of the build has no end", 0, time.Minute},
	} {
		if _, took, err := follow(t, tt.stop, tt.steps...); err == nil || err.Error() != tt.want || took < tt.least || took > tt.most {
			t.Errorf("%s: got %v after %v, want %q after %v to %v", tt.name, err, took, tt.want, tt.least, tt.most)
		}
	}
}

func TestHostThatDoesNotWaitIsAskedOnceASecond(t *testing.T) {
	asked := 0
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		f := Follower{
			Read: func(context.Context, int, string) (server.Progress, error) {
				asked++
				return server.Progress{Submission: server.Submission{State: "queued"}}, nil
			},
			Changed: func(server.Submission) {},
		}
		_, _ = f.Run(ctx)
	})
	if asked > 62 {
		t.Errorf("got %d requests in a minute, want one a second", asked)
	}
}
