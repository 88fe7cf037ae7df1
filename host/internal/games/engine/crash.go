package engine

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// crash is why a Go program has ended itself with status 2, read from the lines that its
// runtime writes:
//
//	fatal error: stack overflow
//	…
//	goroutine 24 gp=… [running]:
//	main.walk(0x12)
//		/games/x/board.go:14 +0x32 …
type crash struct {
	memory   int64  // limit in bytes; 0: none
	fatal    string // text of the fatal error; empty: there is none
	first    bool   // the lines are of the first goroutine, which failed
	over     bool   // they have come to the next one
	function string // of its innermost frame in package main
	place    string // of it: file and line; empty: not yet known
}

// line takes a line of the output.
func (c *crash) line(text string) {
	fatal, isFatal := strings.CutPrefix(text, "fatal error: ")
	switch {
	case isFatal:
		*c = crash{memory: c.memory, fatal: fatal}
	case c.fatal == "" || c.over || c.place != "":
	case strings.HasPrefix(text, "goroutine "):
		c.first, c.over = !c.first, c.first
	case c.first && c.function == "":
		if f := mainFrame.FindStringSubmatch(text); f != nil {
			c.function = f[1]
		}
	case c.first:
		if at := framePlace.FindStringSubmatch(text); at != nil {
			c.place = path.Base(at[1])
		}
	}
}

var (
	mainFrame  = regexp.MustCompile(`^main\.((?:\(\*?)?\w{1,100}\)?(?:\.\w{1,100}){0,5})\(`)
	framePlace = regexp.MustCompile(`^\t(.*/[\w.-]{1,100}\.go:\d{1,9})(?: |$)`)
	literals   = regexp.MustCompile(`^(\w+|\(\*?\w+\)\.\w+)\.func\d`)
)

// reason returns what went wrong and where, for players. Empty: it is not known.
func (c *crash) reason() string {
	where := ""
	if c.place != "" {
		name := c.function[strings.LastIndexByte(c.function, '.')+1:]
		if literals.MatchString(c.function) {
			name = "a function literal"
		}
		where = fmt.Sprintf(" in %s (%s)", name, c.place)
	}
	switch {
	case c.fatal == "stack overflow":
		return "endless recursion" + where
	case (strings.Contains(c.fatal, "out of memory") || strings.Contains(c.fatal, "cannot allocate memory")) && c.memory > 0:
		return fmt.Sprintf("it reached its memory limit of %d MiB%s", c.memory>>20, where)
	case strings.Contains(c.fatal, "out of memory") || strings.Contains(c.fatal, "cannot allocate memory"):
		return "the machine has no more memory for it" + where
	default:
		return ""
	}
}
