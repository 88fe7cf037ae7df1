package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/internal/locale"
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
	language      *locale.Language // of the lines

	mu       sync.Mutex // guards the fields below
	player   string
	contests []string  // that it has entered
	link     error     // a text: "connected", or why not
	retry    time.Time // of the next attempt to connect; zero: connected
	since    time.Time // of link
	running  []shownMatch
	endings  map[string]int
	last     []string // results, at most shownResults
	drain    bool
	remarks  []string // to print above the lines
}

type shownMatch struct {
	info  protocol.MatchInfo
	since time.Time
}

// NewStatus returns the status of a daemon that offers something, on a server.
func NewStatus(screen *terminal.Screen, language *locale.Language, server, offer string) *Status {
	return &Status{screen: screen, language: language, server: server, offer: offer, link: locale.Errorf("connecting"), since: time.Now(), endings: map[string]int{}}
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
		s.player, s.link, s.since, s.retry = e.Player, locale.Errorf("connected"), now, time.Time{}
	case Entered:
		s.contests = append(s.contests, e.Contest)
	case Disconnected:
		s.link, s.since, s.retry = e.Err, now, now.Add(e.Delay)
	case Started:
		s.running = append(s.running, shownMatch{e.Match, now})
	case Dropped:
		s.remarkLocked(now, "match %s not joined: other matches took too long to end", e.Match.ID)
	case Draining:
		s.drain = true
	case Ended:
		s.endLocked(now, e.End)
	}
}

func (s *Status) endLocked(now time.Time, o *MatchEnd) {
	s.running = slices.DeleteFunc(s.running, func(m shownMatch) bool { return m.info.ID == o.Info.ID })
	ending := o.ending()
	s.endings[ending]++
	line := now.Format(time.TimeOnly) + " " + s.language.Of(ending)
	if with := o.opponents(); len(with) > 0 {
		line = s.language.Sprintf("%s against %s", line, strings.Join(with, ", "))
	}
	if score := o.score(); score != "" {
		line += ", " + score
	}
	line += " (" + o.Info.Game + " " + o.Info.ID + ")"
	why := s.reason(o)
	if why != "" {
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
	s.remarkLocked(now, "match %s: %s", o.Info.ID, why)
	if o.Err != nil && o.Result != nil {
		s.remarkLocked(now, "match %s: %v", o.Info.ID, o.Err)
	}
	for _, line := range o.Why {
		s.remarkLocked(now, "  %v", line)
	}
	for _, text := range o.Stderr {
		s.remarkLocked(now, "  stderr: %s", text)
	}
	if o.LogPath != "" {
		s.remarkLocked(now, "  log: %s", o.LogPath)
	}
}

// reason is reason of a match, in the language.
func (s *Status) reason(o *MatchEnd) string {
	if o.Result == nil && o.Err != nil {
		return s.language.Error(o.Err)
	}
	return o.reason()
}

// maxRemarks limits the lines that wait to be printed, since a terminal can be stopped.
const maxRemarks = 1000

func (s *Status) remarkLocked(now time.Time, format string, args ...any) {
	if len(s.remarks) < maxRemarks {
		s.remarks = append(s.remarks, now.Format(time.TimeOnly)+" "+s.language.Sprintf(format, args...))
	}
}

func (s *Status) linesLocked(now time.Time) []string {
	lines := []string{s.headLocked(), s.linkLocked(now)}
	for i, m := range s.running {
		if i == shownMatches {
			lines = append(lines, s.language.Sprintf("  and %d more", len(s.running)-i))
			break
		}
		line := fmt.Sprintf("  %s %s, %s", m.info.Game, m.info.ID, clock(now.Sub(m.since)))
		if with := others(m.info, s.player); len(with) > 0 {
			line = s.language.Sprintf("%s, against %s", line, strings.Join(with, ", "))
		}
		lines = append(lines, line)
	}
	counts := s.language.Sprintf("%d won, %d drawn, %d lost", s.endings[won], s.endings[drawn], s.endings[lost])
	if other := s.endings[finished] + s.endings[aborted] + s.endings[notPlayed] + s.endings[unknown]; other > 0 {
		counts = s.language.Sprintf("%s, %d others", counts, other)
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
		head = s.language.Sprintf("%s on %s", s.player, head)
	}
	if len(s.contests) > 0 {
		head = s.language.Sprintf("%s, entered in %s", head, strings.Join(s.contests, " "))
	}
	return head
}

func (s *Status) linkLocked(now time.Time) string {
	matches := s.language.Count(len(s.running), "%d match runs|%d matches run", len(s.running))
	switch {
	case s.drain:
		return s.language.Sprintf("draining: no new matches; %s", matches)
	case !s.retry.IsZero():
		return s.language.Sprintf("%v; next attempt in %s; %s", s.link, clock(s.retry.Sub(now)), matches)
	default:
		return s.language.Sprintf("%v for %s; %s", s.link, clock(now.Sub(s.since)), matches)
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
