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

// Printer writes the lines that tell how a match goes. Its methods may be
// called by several goroutines.
type Printer struct {
	mu     sync.Mutex // guards w
	w      io.Writer
	colour bool
}

// NewPrinter returns a printer of lines to a file.
func NewPrinter(f *os.File) *Printer {
	return &Printer{w: f, colour: Colour(f)}
}

// Line writes one line. A line that cannot be written is lost: the match goes
// on without its reader.
func (p *Printer) Line(format string, args ...any) {
	line := "> " + strings.ReplaceAll(Clean(fmt.Sprintf(format, args...)), "\n", " ")
	if p.colour {
		line = Paint(Cyan, line)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.w, line+"\n")
}

// Style is a way to write on a terminal: the number of ECMA-48's "select
// graphic rendition".
type Style int

// The styles in use.
const (
	Bold Style = 1
	Red  Style = 31
	Cyan Style = 36
)

// Paint returns a text in a style.
func Paint(s Style, text string) string {
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", s, text)
}

// Colour says whether colour is welcome in a file: it is a terminal that can
// do it, and its user has not said no (https://no-color.org).
func Colour(f *os.File) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	// Of the terminals of Windows, this one always understands colours.
	return runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != ""
}
