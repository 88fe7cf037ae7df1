// Package e2e contains, in its folders, tests that run the real programs: host,
// games, coco and players, connected by real sockets.
package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

func TestTestsNamedByTheManualExist(t *testing.T) {
	manual, err := os.ReadFile("../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests []byte
	for _, pattern := range []string{"*/*_test.go", "../host/internal/*/*_test.go", "../host/internal/*/*/*_test.go", "../internal/*/*_test.go", "../internal/test/*/*_test.go", "../plugins/*/*_test.go", "../sdk/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests = append(tests, text...)
		}
	}
	names := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllSubmatch(manual, -1)
	if len(names) < 10 {
		t.Errorf("got %d tests named, want 10 or more", len(names))
	}
	for _, name := range names {
		if !bytes.Contains(tests, fmt.Appendf(nil, "func %s(", name[1])) {
			t.Errorf("got no test %s, want it", name[1])
		}
	}
}
