package wire

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestGeneratedFilesMatchTheProto(t *testing.T) {
	folder := t.TempDir()
	if out, err := exec.Command("go", "run", "./gen", ".", folder).CombinedOutput(); err != nil {
		t.Fatalf("go run ./gen: %v\n%s", err, out)
	}
	for _, name := range []string{"game.pb.go", "game_grpc.pb.go"} {
		want, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("pb", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("got another %s than gen writes for game.proto, want the same: run go generate", name)
		}
	}
}
