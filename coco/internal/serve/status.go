package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/internal/terminal"
	"colosseum/protocol"
)

const (
	redrawEvery  = 250 * time.Millisecond
	shownResults = 5
	shownMatches = 8
)

// Status shows the state of the daemon in a few lines of a terminal that change.
type Status struct {
	server, offer string
	screen        *terminal.Screen

	mu       sync.Mutex // guards the fields below
	player   string
	contests []string  // that it has entered
	link     string    // "connected", or why not
	retry    time.Time // of the next attempt to connect; zero: connected
	since    time.Time // of link
	running  []shownMatch
	verdicts map[string]int
	last     []string // results, at most shownResults
	drain    bool
	remarks  []string // to print above the lines
}

type shownMatch struct {
	info  protocol.MatchInfo
	since time.Time
}

// NewStatus returns the status of a daemon that offers something, on a server.
func NewStatus(screen *terminal.Screen, server, offer string) *Status {
	return &Status{screen: screen, server: server, offer: offer, link: "connecting", since: time.Now(), verdicts: map[string]int{}}
}

// Run shows the status until ctx ends, and a last time after that.
func (s *Status) Run(ctx context.Context) {
	ticks := time.NewTicker(redrawEvery)
	defer ticks.Stop()
	var shown []string
	for {
		s.mu.Lock()
		lines, remarks := s.linesLocked(time.Now()), s.remarks
		s.remarks = nil
		s.mu.Unlock()
		if len(remarks) > 0 {
			s.screen.Print(remarks...)
			shown = nil
		}
		if !slices.Equal(lines, shown) {
			s.screen.Show(lines...)
			shown = lines
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			s.mu.Lock()
			defer s.mu.Unlock()
			s.screen.Print(s.remarks...)
			s.screen.Show(s.linesLocked(time.Now())...)
			return
		}
	}
}

// Report notes an event.
func (s *Status) Report(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch e.Kind {
	case Connected:
		s.player, s.link, s.since, s.retry = e.Player, "connected", now, time.Time{}
	case Entered:
		s.contests = append(s.contests, e.Contest)
	case Disconnected:
		s.link, s.since, s.retry = e.Err.Error(), now, now.Add(e.Delay)
	case Started:
		s.running = append(s.running, shownMatch{e.Match, now})
	case Dropped:
		s.remarkLocked(now, "match %s not joined: other matches took too long to end", e.Match.ID)
	case Draining:
		s.drain = true
	case Ended:
		s.endLocked(now, e.Outcome)
	}
}

func (s *Status) endLocked(now time.Time, o *Outcome) {
	s.running = slices.DeleteFunc(s.running, func(m shownMatch) bool { return m.info.ID == o.Info.ID })
	verdict := o.verdict()
	s.verdicts[verdict]++
	line := now.Format(time.TimeOnly) + " " + verdict
	if with := o.opponents(); len(with) > 0 {
		line += " against " + strings.Join(with, ", ")
	}
	if score := o.score(); score != "" {
		line += ", " + score
	}
	line += " (" + o.Info.Game + " " + o.Info.ID + ")"
	if why := o.reason(); why != "" {
		line += ": " + why
	}
	s.last = append(s.last, line)
	s.last = s.last[max(0, len(s.last)-shownResults):]
	if o.Log != nil {
		s.remarkLocked(now, "the log of match %s is not complete: %v", o.Info.ID, o.Log)
	}
	if !o.failed() {
		return
	}
	s.remarkLocked(now, "match %s: %s", o.Info.ID, o.reason())
	if o.Err != nil && o.Result != nil {
		s.remarkLocked(now, "match %s: %v", o.Info.ID, o.Err)
	}
	for _, why := range o.Why {
		s.remarkLocked(now, "  %s", why)
	}
	for _, text := range o.Stderr {
		s.remarkLocked(now, "  stderr: %s", text)
	}
	if o.LogPath != "" {
		s.remarkLocked(now, "  log: %s", o.LogPath)
	}
}

// maxRemarks limits the lines that wait to be printed, since a terminal can be stopped.
const maxRemarks = 1000

func (s *Status) remarkLocked(now time.Time, format string, args ...any) {
	if len(s.remarks) < maxRemarks {
		s.remarks = append(s.remarks, now.Format(time.TimeOnly)+" "+fmt.Sprintf(format, args...))
	}
}

func (s *Status) linesLocked(now time.Time) []string {
	lines := []string{s.headLocked(), s.linkLocked(now)}
	for i, m := range s.running {
		if i == shownMatches {
			lines = append(lines, fmt.Sprintf("  and %d more", len(s.running)-i))
			break
		}
		line := fmt.Sprintf("  %s %s, %s", m.info.Game, m.info.ID, clock(now.Sub(m.since)))
		if with := others(m.info, s.player); len(with) > 0 {
			line += ", against " + strings.Join(with, ", ")
		}
		lines = append(lines, line)
	}
	counts := fmt.Sprintf("%d won, %d drawn, %d lost", s.verdicts[won], s.verdicts[drawn], s.verdicts[lost])
	if other := s.verdicts[aborted] + s.verdicts[notPlayed] + s.verdicts[unknown]; other > 0 {
		counts += fmt.Sprintf(", %d others", other)
	}
	lines = append(lines, counts)
	for _, line := range slices.Backward(s.last) {
		lines = append(lines, "  "+line)
	}
	return lines
}

func (s *Status) headLocked() string {
	head := s.server + ", " + s.offer
	if s.player != "" {
		head = s.player + " on " + head
	}
	if len(s.contests) > 0 {
		head += ", entered in " + strings.Join(s.contests, " ")
	}
	return head
}

func (s *Status) linkLocked(now time.Time) string {
	matches := "1 match runs"
	if n := len(s.running); n != 1 {
		matches = fmt.Sprintf("%d matches run", n)
	}
	switch {
	case s.drain:
		return "draining: no new matches; " + matches
	case !s.retry.IsZero():
		return fmt.Sprintf("%s; next attempt in %s; %s", s.link, clock(s.retry.Sub(now)), matches)
	default:
		return fmt.Sprintf("%s for %s; %s", s.link, clock(now.Sub(s.since)), matches)
	}
}

// clock formats a duration as 1:02:03 or 2:03.
func clock(d time.Duration) string {
	n := max(int(d/time.Second), 0)
	if n >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
	}
	return fmt.Sprintf("%d:%02d", n/60, n%60)
}
