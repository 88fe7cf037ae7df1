package driver

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// Limits of the text with the stacks of all goroutines, in bytes.
const (
	minStacks = 64 << 10
	maxStacks = 4 << 20
)

// Goroutine names a goroutine of this process.
type Goroutine struct{ header string } // of its stack

// ThisGoroutine returns the goroutine that calls it.
func ThisGoroutine() Goroutine {
	buf := make([]byte, 64)
	header, _, _ := bytes.Cut(buf[:runtime.Stack(buf, false)], []byte("["))
	return Goroutine{string(header)} // "goroutine 7 "
}

// Stack is where a goroutine was at one moment.
type Stack struct {
	waits  string  // what for; empty: it was running
	places []place // in the author's code, the outermost first
}

// Stack returns the stack of the goroutine. It returns nil if the goroutine has ended, or
// if this process has more goroutines than fit into 4 MiB of text. All goroutines stop
// for that time.
func (g Goroutine) Stack() *Stack {
	for size := minStacks; size <= maxStacks; size *= 4 {
		buf := make([]byte, size)
		buf = buf[:runtime.Stack(buf, true)]
		text := "\n\n" + string(buf)
		if _, after, found := strings.Cut(text, "\n\n"+g.header+"["); found {
			own, _, whole := strings.Cut(after, "\n\n")
			if whole || len(buf) < size {
				return parse(own)
			}
		}
		if len(buf) < size {
			return nil
		}
	}
	return nil
}

// parse reads the stack of a goroutine as the runtime writes it, from its state on.
func parse(text string) *Stack {
	lines := strings.Split(text, "\n")
	state, _, _ := strings.Cut(lines[0], "]")
	state, _, _ = strings.Cut(state, ",")
	s := &Stack{}
	if !strings.HasPrefix(state, "runn") { // running or runnable
		s.waits = state
	}
	function := ""
	for _, line := range lines[1:] {
		at, isPlace := strings.CutPrefix(line, "\t")
		if !isPlace {
			function = line[:max(0, strings.LastIndexByte(line, '('))] // without arguments
			continue
		}
		if function == refereeCaller {
			break
		}
		at, _, _ = strings.Cut(at, " +0x")
		colon := strings.LastIndexByte(at, ':')
		number, err := strconv.Atoi(at[colon+1:])
		if p, ok := placeOf(function, at[:max(0, colon)], number); ok && err == nil {
			s.places = append([]place{p}, s.places...)
		}
	}
	return s
}

// refereeCaller is the function of the SDK that calls a referee.
const refereeCaller = sdkPath + ".(*Match).play"

// Stuck describes where a goroutine is that does not go on, from its stacks at several
// moments:
//
//	echo.go:15 to 17: the loop in play does not end
//
// It returns "" if no frame of the stacks is in the author's code.
func Stuck(stacks []*Stack) string {
	common := stacks[0].places
	waits, inside := stacks[0].waits, false // inside: it was in a function that the last of common called
	for _, s := range stacks {
		n := 0
		for n < min(len(common), len(s.places)) && common[n].function == s.places[n].function && (n == 0 || common[n-1].line == s.places[n-1].line) {
			n++
		}
		inside = inside || n < len(common) || n < len(s.places)
		common = common[:n]
		if s.waits != waits {
			waits = ""
		}
	}
	if len(common) == 0 {
		return ""
	}
	last := common[len(common)-1]
	from, to := last.line, last.line
	for _, s := range stacks {
		line := s.places[len(common)-1].line
		from, to = min(from, line), max(to, line)
	}
	where := last.String()
	if to > from {
		where = fmt.Sprintf("%s:%d to %d", last.file, from, to)
	}
	var callers []place // the innermost first
	for i := len(common) - 2; i >= 0; i-- {
		callers = append(callers, common[i])
	}
	switch {
	case waits != "" && from == to && !inside:
		return fmt.Sprintf("%s: %s waits without end (%s)%s", where, last.name, waits, calledBy(callers))
	case len(callers) == 0:
		return fmt.Sprintf("%s: the loop in %s does not end", where, last.name)
	default: // one stack does not show how often a function was called
		return fmt.Sprintf("%s: the loop in %s, or in a caller of it, does not end%s", where, last.name, calledBy(callers))
	}
}
