package programs

import (
	"os"
	"path/filepath"
	"testing"
)

// shell is a language that each machine has.
const shell = `name: sh
title: Shell
install: install a shell
tools: [{name: sh}]
version: [sh, -c, "echo a shell"]
sources: ["*.sh"]
except: [build.sh]
recipes:
  - main: [bot.sh, "*.sh"]
    run: [sh, "{main}"]
`

// Languages returns a folder with that language, for submissions.folder.
func Languages(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sh.yaml"), []byte(shell), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
