// Package play tests whole matches of coco, players' programs, host and game.
package play

import (
	"os"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/waits"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == asWide {
		playWide()
		return
	}
	waits.Together()
	programs.Main(m, map[string]func(){"player": programs.ScriptPlayer})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	programs.Scripts(t, "testdata", nil)
}

// TestTools runs the commands of host that need no running host.
func TestTools(t *testing.T) {
	t.Parallel()
	programs.Scripts(t, "testdata/tools", nil)
}
