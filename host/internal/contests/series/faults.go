package series

import (
	"fmt"
	"slices"
	"strings"

	"colosseum/host/internal/records/record"
	"colosseum/internal/terminal"
)

// faults describes aborted matches, forfeits and programs that failed, for people.
type faults struct {
	text    strings.Builder
	aborted int
	names   []string       // of entrants with faults, in the order of their first ones
	times   map[string]int // matches with faults, by the name of the entrant
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
	if program && !s.Exit.OK {
		list = append(list, s.Exit.Status)
		if s.Exit.Fault != "" {
			list[len(list)-1] = s.Exit.Fault
		}
	}
	return list
}

func forfeited(s SeatResult) bool {
	_, ok := s.Ended.Forfeit()
	return ok
}
