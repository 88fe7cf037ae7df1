package submission

import (
	"context"
	"math/rand/v2"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
)

const (
	// newsPause is the time between two requests, and idlePause that after one without
	// news: the host waits for these by itself, but need not.
	newsPause, idlePause = 200 * time.Millisecond, time.Second
	// The time between two attempts while there is no connection doubles from firstRetry to
	// lastRetry, until it has been lost for retryLimit.
	firstRetry, lastRetry, retryLimit = time.Second / 2, 8 * time.Second, 2 * time.Minute
	// maxOutput limits the output of a build, in bytes.
	maxOutput = 16 << 20
)

// Follower follows the build of a submission.
type Follower struct {
	Read    func(ctx context.Context, from int, known string) (server.Progress, error) // waits for output from a byte on, or another state
	Output  func(text string) error                                                    // gets new output
	Changed func(server.Submission)                                                    // gets what has another state, reason or place
	Lost    func(error)                                                                // is called before the first attempt after a lost connection
}

// Run returns the submission when it is accepted, refused or removed. It asks again after a
// lost connection, and returns the error of one that stays lost, that of Output, or the
// cause of ctx.
func (f *Follower) Run(ctx context.Context) (server.Submission, error) {
	var last server.Submission
	from, output := 0, 0
	for {
		p, err := f.read(ctx, from, last.State)
		if err != nil {
			return last, err
		}
		if output += len(p.Log); output > maxOutput {
			return last, &server.ConnectionError{Err: locale.Errorf("the output of the build has no end")}
		}
		changed := p.State != last.State || p.Position != last.Position || p.Reason != last.Reason
		last = p.Submission
		if changed && last.State == server.Building {
			f.Changed(last)
		}
		if p.Log != "" {
			if err := f.Output(p.Log); err != nil {
				return last, err
			}
		}
		if changed && last.State != server.Building { // the output is that of the state before
			f.Changed(last)
		}
		switch last.State {
		case server.Accepted, server.Declined, server.Removed:
			return last, nil
		}
		wait := idlePause
		if changed || p.Log != "" {
			wait = newsPause
		}
		from = max(p.Total, 0) // less than before, with all of a new output, if the host builds again
		if err := pause(ctx, wait); err != nil {
			return last, err
		}
	}
}

// read calls Read until there is an answer.
func (f *Follower) read(ctx context.Context, from int, known string) (server.Progress, error) {
	began := time.Now()
	for delay := firstRetry; ; delay = min(2*delay, lastRetry) {
		p, err := f.Read(ctx, from, known)
		if err == nil || !server.Broken(err) || time.Since(began) > retryLimit {
			return p, err
		}
		if delay == firstRetry {
			f.Lost(err)
		}
		if err := pause(ctx, delay/2+rand.N(delay/2)); err != nil {
			return p, err
		}
	}
}

// pause waits, and returns the cause of ctx if that ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
