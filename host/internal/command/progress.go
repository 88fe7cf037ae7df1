package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"colosseum/internal/terminal"
)

// progressInterval is the time between two lines about the progress, if stderr is not a
// terminal.
const progressInterval = 5 * time.Second

// progress shows on stderr how far a command has come with its matches or other things: on a terminal
// in one line, which it replaces, and otherwise in a line from time to time. It must
// not be used concurrently.
type progress struct {
	w      io.Writer
	screen *terminal.Screen // nil: stderr is not a terminal
	things string           // what is counted
	begin  time.Time
	shown  time.Time // the last time
	before int       // things that an earlier command has done
	first  bool      // nothing was shown yet
}

func newProgress() *progress {
	now := time.Now()
	return &progress{w: os.Stderr, screen: terminal.NewScreen(os.Stderr), things: "matches", begin: now, shown: now, first: true}
}

// show shows the progress, if it is time. Detail is called for the rest of the line.
func (p *progress) show(done, all int, detail func() string) {
	now := time.Now()
	if p.first {
		p.first, p.before = false, done
	}
	interval := progressInterval
	if p.screen != nil {
		interval = 100 * time.Millisecond
	}
	if now.Sub(p.shown) < interval {
		return
	}
	p.shown = now
	text := fmt.Sprintf("%d of %d %s", done, all, p.things)
	if played := done - p.before; played > 0 {
		rate := float64(played) / now.Sub(p.begin).Seconds()
		left := time.Duration(float64(all-done) / rate * float64(time.Second))
		text += fmt.Sprintf(", %s a second, %v left", rounded(rate), short(left))
	}
	if d := detail(); d != "" {
		text += "; " + d
	}
	if p.screen != nil {
		p.screen.Show(text)
		return
	}
	fmt.Fprintln(p.w, terminal.Clean(text))
}

// clear removes the line from the terminal.
func (p *progress) clear() {
	if p.screen != nil {
		p.screen.Show()
	}
}

// rounded formats a rate with two or three digits.
func rounded(rate float64) string {
	switch {
	case rate >= 100:
		return fmt.Sprintf("%.0f", rate)
	case rate >= 10:
		return fmt.Sprintf("%.1f", rate)
	}
	return fmt.Sprintf("%.2f", rate)
}

// short formats a duration without the digits that nobody needs.
func short(d time.Duration) time.Duration {
	switch {
	case d > time.Hour:
		return d.Round(time.Minute)
	case d > time.Minute:
		return d.Round(10 * time.Second)
	}
	return d.Round(time.Second)
}
