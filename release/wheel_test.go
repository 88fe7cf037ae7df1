package main

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestWheelIsTheSameEachTimeAndHasNoProgram(t *testing.T) {
	var contents [2][]byte
	var path string
	for i := range contents {
		dir := t.TempDir()
		name, err := wheel("..", dir)
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(dir, name)
		if contents[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(contents[0], contents[1]) {
		t.Error("two wheels of the same source differ")
	}
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	typed := false
	for _, f := range r.File {
		typed = typed || f.Name == "colosseum/py.typed"
		if !strings.HasSuffix(f.Name, ".py") && !strings.HasSuffix(f.Name, "/py.typed") && !strings.Contains(f.Name, ".dist-info/") {
			t.Errorf("it has %s, want Python and what describes it alone", f.Name)
		}
	}
	if !typed {
		t.Error("it has no py.typed")
	}
}

func TestWheelCanBeImported(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: install it to import the wheel")
	}
	dir := t.TempDir()
	name, err := wheel("..", dir)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", "import colosseum.env, colosseum.player; print(len(colosseum.env.table('kamisado')))")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(dir, name), "PYTHONDONTWRITEBYTECODE=1") // Python imports from zip files
	if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "1008" {
		t.Errorf("got %s, %v, want the table of kamisado", out, err)
	}
}
