package series

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/internal/terminal"
	"colosseum/sdk/driver"
)

// faults describes aborted matches, forfeits and programs that failed, for people.
type faults struct {
	text    strings.Builder
	aborted int
	names   []string       // of entrants with faults, in the order of their first ones
	times   map[string]int // matches with faults, by the name of the entrant
	tight   map[string]tight
}

// tight is how often a program has used nearly all of its time.
type tight struct{ answers, close int }

// warns reports whether that is too often.
func (t tight) warns() bool { return float64(t.close) > tightShare*float64(t.answers) }

// Shares of the time for an answer, and of answers, above which a program might soon be late.
const (
	closeShare = 0.8
	tightShare = 0.1
)

// addTimes adds the times of the answers of an entrant but the first, for which it had a
// limit.
func (f *faults) addTimes(name string, used []record.Spent, limit time.Duration, wall bool) {
	if len(used) < 2 {
		return
	}
	if f.tight == nil {
		f.tight = map[string]tight{}
	}
	t := f.tight[name]
	for _, u := range used[1:] {
		t.answers++
		if float64(u.Charged(wall)) > closeShare*float64(limit) {
			t.close++
		}
	}
	f.tight[name] = t
}

// faultsShown is for how many matches the faults of one entrant are described.
const faultsShown = 3

func (f *faults) addMatch(match, place string, state record.State, reason string) {
	if state == record.Finished {
		return
	}
	if f.aborted++; f.aborted <= faultsShown {
		fmt.Fprintf(&f.text, "match %s (%s) was aborted: %s\n", match, place, terminal.Clean(reason))
	}
}

func (f *faults) addSeat(match, place string, s SeatResult, program bool) {
	list := s.faults(program)
	if len(list) == 0 {
		return
	}
	if f.times == nil {
		f.times = map[string]int{}
	}
	if !slices.Contains(f.names, s.Name) {
		f.names = append(f.names, s.Name)
	}
	if f.times[s.Name]++; f.times[s.Name] > faultsShown {
		return
	}
	fmt.Fprintf(&f.text, "%s in match %s (%s): %s\n", s.Name, match, place, strings.Join(list, "; "))
	if s.Exit.Stderr != "" {
		fmt.Fprintf(&f.text, "  its stderr ends with\n    %s\n", strings.ReplaceAll(terminal.Clean(s.Exit.Stderr), "\n", "\n    "))
	}
}

func (f *faults) String() string {
	var b strings.Builder
	b.WriteString(f.text.String())
	if f.aborted > faultsShown {
		fmt.Fprintf(&b, "%d more matches were aborted\n", f.aborted-faultsShown)
	}
	for _, name := range slices.Sorted(maps.Keys(f.tight)) {
		if t := f.tight[name]; t.warns() {
			fmt.Fprintf(&b, "%s used more than %.0f %% of its time for %d of %d answers: on another machine it might be too late\n", name, closeShare*100, t.close, t.answers)
		}
	}
	for _, name := range f.names {
		if n := f.times[name]; n > faultsShown {
			fmt.Fprintf(&b, "%s had faults in %d more matches\n", name, n-faultsShown)
		}
	}
	return b.String()
}

// faults returns what the entrant on a seat did wrong.
func (s *SeatResult) faults(program bool) []string {
	var list []string
	if forfeited(*s) {
		text := string(s.Ended)
		if s.Illegal != "" {
			text += fmt.Sprintf(" (it wrote %q)", s.Illegal)
		}
		list = append(list, text)
	}
	if program && s.Exit.OK && s.Ended == driver.ForfeitDisconnected {
		list = append(list, "it ended with status 0 before the match did, and must read until the end of its input")
	}
	if used := s.Exit.OutOfTurn; used >= outOfTurn {
		list = append(list, fmt.Sprintf("it computed for %v while it should have waited, which was added to its answers", used.Round(time.Millisecond)))
	}
	if program && !s.Exit.OK {
		list = append(list, s.Exit.Status)
		if s.Exit.Fault != "" {
			list[len(list)-1] = s.Exit.Fault
		}
	}
	return list
}

// outOfTurn is how much CPU time a program can use between its turns without a word: it can
// just have answered, and be on its way to its next read.
const outOfTurn = 100 * time.Millisecond

func forfeited(s SeatResult) bool {
	_, ok := s.Ended.Forfeit()
	return ok
}
