// Package buildinfo describes the build of a program.
package buildinfo

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Describe describes this program in one line: its version, the commit of its source, and the
// release of Go and the system for which it was built.
func Describe(program string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return line(program, info)
}

func line(program string, info *debug.BuildInfo) string {
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	commit := "commit unknown"
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && s.Value != "":
			commit = "commit " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	return fmt.Sprintf("%s %s, %s%s, %s %s/%s", program, version, commit, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
