package gametest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Golden makes the test fail unless text is what the file testdata/NAME.golden
// holds. With GOLDEN=update in the environment it writes the file instead.
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
		err = fmt.Errorf("%s holds something else (GOLDEN=update go test . takes the new text over): %s", path, difference(string(want), text))
	}
	return err
}

// difference shows the first line in which two texts differ.
func difference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("line %d: %q, then %q", i+1, as[i], bs[i])
		}
	}
	return fmt.Sprintf("%d lines, then %d", len(as), len(bs))
}
