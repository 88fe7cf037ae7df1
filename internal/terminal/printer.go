package terminal

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/term"
)

// Printer writes lines about a match. Its methods can run concurrently.
type Printer struct {
	mu     sync.Mutex // held during a write
	w      io.Writer
	colour bool

	// Sprintf formats the lines; nil: as fmt.Sprintf. It must not change after the first
	// line.
	Sprintf func(format string, args ...any) string
}

// NewPrinter returns a printer that writes to a file.
func NewPrinter(f *os.File) *Printer { return &Printer{w: f, colour: Colour(f)} }

// Line writes one line. Errors are ignored, so that the match goes on without a
// reader. A nil Printer writes nothing.
func (p *Printer) Line(format string, args ...any) {
	if p == nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	if p.Sprintf != nil {
		text = p.Sprintf(format, args...)
	}
	line := "> " + strings.ReplaceAll(Clean(text), "\n", " ")
	if p.colour {
		line = Paint(Cyan, line)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.w, line+"\n")
}

// Style is a parameter of "select graphic rendition" in ECMA-48.
type Style int

// The styles in use.
const (
	Bold Style = 1
	Red  Style = 31
	Cyan Style = 36
)

// Paint returns a text with the escape sequences of a style.
func Paint(s Style, text string) string { return fmt.Sprintf("\x1b[%dm%s\x1b[0m", s, text) }

// Colour reports whether to use colour in a file: it is a terminal that supports
// it, and NO_COLOR is not set (https://no-color.org).
func Colour(f *os.File) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	// On Windows only Windows Terminal is known to support it.
	return runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != ""
}
