package driver

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// sdkPath is the package whose frames, and those of packages below it, are not the
// author's.
const sdkPath = "colosseum/sdk"

// Limits of the description of a failure, in frames.
const (
	maxFrames  = 512 // that are searched for the author's
	maxCallers = 4   // that are named
)

// Failure describes a panic of the author's code with its place in that code,
// without the folders of this machine:
//
//	auction.go:45: index out of range [3] with length 2 in best, called by play (auction.go:37)
//
// It must be called by a deferred function literal that has recovered the value, in the
// function that called the author's code. A panic in a library, or in the SDK, has the
// place from which the author's code called that.
func Failure(value any) string {
	text := fmt.Sprint(value)
	if _, ok := value.(runtime.Error); ok {
		text = strings.TrimPrefix(text, "runtime error: ")
		text = strings.TrimPrefix(text, "invalid memory address or ")
	}
	pcs := make([]uintptr, maxFrames)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	f, more := frames.Next()
	caller := literal.ReplaceAllString(f.Function, "") // of the author's code
	var own []place
	for more && f.Function != caller {
		if p, ok := placeOf(f.Function, f.File, f.Line); ok {
			own = append(own, p)
		}
		f, more = frames.Next()
	}
	if len(own) == 0 {
		return "panic: " + text
	}
	return own[0].String() + ": " + text + " in " + own[0].name + calledBy(own[1:])
}

// place is a line of the author's code.
type place struct {
	function string // with its package
	name     string // of the function, as the author reads it
	file     string // relative to the folder of the game
	line     int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// calledBy names callers, the innermost first.
func calledBy(callers []place) string {
	var names []string
	for i, c := range callers {
		if i == maxCallers {
			names = append(names, "…")
			break
		}
		names = append(names, fmt.Sprintf("%s (%v)", c.name, c))
	}
	if len(names) == 0 {
		return ""
	}
	return ", called by " + strings.Join(names, ", ")
}

// placeOf converts a frame of a stack. It returns false for a frame of the runtime, of
// the SDK or of a library.
func placeOf(function, file string, line int) (place, bool) {
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return place{}, false
	}
	pkg := strings.ReplaceAll(function[:slash+dot], "%2e", ".")
	p := place{function: function, name: nameOf(function[slash+dot+1:]), file: filepath.Base(file), line: line}
	if pkg == "main" {
		return p, true
	}
	info, ok := debug.ReadBuildInfo()
	pkg = strings.TrimSuffix(pkg, "_test") // a package of tests
	if !ok || !inside(pkg, info.Main.Path) || inside(pkg, sdkPath) && !strings.HasSuffix(file, "_test.go") {
		return place{}, false
	}
	game := strings.TrimSuffix(info.Path, ".test")
	if !inside(pkg, game) {
		game = info.Main.Path
	}
	p.file = path.Join(strings.TrimPrefix(strings.TrimPrefix(pkg, game), "/"), p.file)
	return p, true
}

func inside(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

var (
	literal = regexp.MustCompile(`\.func\d+(\.\d+)*$`)
	added   = regexp.MustCompile(`(\[\.\.\.\]|-fm|-range\d+|\.(deferwrap|gowrap)\d+)$`) // by the compiler
)

// nameOf returns the name of a function without its package, (*board).move as move.
func nameOf(function string) string {
	for added.MatchString(function) {
		function = added.ReplaceAllString(function, "")
	}
	if literal.MatchString(function) {
		return "a function literal"
	}
	return function[strings.LastIndexByte(function, '.')+1:]
}
