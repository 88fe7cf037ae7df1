package buildinfo

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestLineHasVersionCommitAndGo(t *testing.T) {
	end := ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	for name, test := range map[string]struct {
		info debug.BuildInfo
		want string
	}{
		"a release":            {debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{revision, {Key: "vcs.modified", Value: "false"}}}, "host v1.2.3, commit 0123456789ab"},
		"a changed source":     {debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{revision, {Key: "vcs.modified", Value: "true"}}}, "host (devel), commit 0123456789ab with changes"},
		"a source without git": {debug.BuildInfo{}, "host (devel), commit unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := line("host", &test.info); got != test.want+end {
				t.Errorf("got %q, want %q", got, test.want+end)
			}
		})
	}
}
