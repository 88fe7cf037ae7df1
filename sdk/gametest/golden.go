package gametest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Golden makes the test fail unless the file testdata/NAME.golden holds text.
// With GOLDEN=update in the environment it writes the file instead.
func Golden(t testing.TB, name, text string) {
	t.Helper()
	if err := golden(name, text); err != nil {
		t.Error(err)
	}
}

func golden(name, text string) error {
	path := filepath.Join("testdata", name+".golden")
	if os.Getenv("GOLDEN") == "update" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(text), 0o644)
	}
	want, err := os.ReadFile(path)
	if err == nil && string(want) != text {
		err = fmt.Errorf("%s differs: %s (to accept the new text, run GOLDEN=update go test .)", path, difference(text, string(want)))
	}
	return err
}

// difference describes the first line in which two texts differ.
func difference(got, want string) string {
	gots, wants := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(gots), len(wants)) {
		if gots[i] != wants[i] {
			return fmt.Sprintf("line %d: got %q, want %q", i+1, gots[i], wants[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(gots), len(wants))
}
