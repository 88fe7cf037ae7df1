package terminal

import (
	"os"
	"runtime"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Screen shows a few lines at the end of a terminal's text, and replaces them.
type Screen struct {
	f     *os.File
	size  func() (width, height int, err error)
	shown int // lines
}

// NewScreen returns a screen on a terminal. The result is nil if the file is not a
// terminal that can move its cursor.
func NewScreen(f *os.File) *Screen {
	fd := int(f.Fd())
	if os.Getenv("TERM") == "dumb" || !term.IsTerminal(fd) || runtime.GOOS == "windows" && os.Getenv("WT_SESSION") == "" {
		return nil
	}
	return &Screen{f: f, size: func() (int, int, error) { return term.GetSize(fd) }}
}

// Show replaces the lines. Those that the terminal has no room for are cut.
func (s *Screen) Show(lines ...string) {
	width, height, err := s.size()
	if err != nil || width < 2 || height < 2 {
		width, height = 80, 24
	}
	lines = lines[:min(len(lines), height-1)]
	var b strings.Builder
	s.erase(&b)
	for _, line := range lines {
		b.WriteString(text.Snip(oneLine(line), width-1, "…") + "\n")
	}
	s.shown = len(lines)
	s.f.WriteString(b.String()) // without a reader, the program goes on
}

// Print writes lines above those of Show, where they stay. Call Show after it.
func (s *Screen) Print(lines ...string) {
	var b strings.Builder
	s.erase(&b)
	for _, line := range lines {
		b.WriteString(oneLine(line) + "\n")
	}
	s.shown = 0
	s.f.WriteString(b.String())
}

// erase moves the cursor to the first of the lines, and clears all.
func (s *Screen) erase(b *strings.Builder) {
	b.WriteString("\r" + strings.Repeat("\x1b[A", s.shown) + "\x1b[J")
}

func oneLine(s string) string { return strings.ReplaceAll(Clean(s), "\n", " ") }
