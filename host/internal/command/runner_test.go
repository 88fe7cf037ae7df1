package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestARunnerSaysWhatItNeeds(t *testing.T) {
	for _, tt := range []struct{ name, yaml, want string }{
		{"no cluster", "plugins: {isolation: require}\nsubmissions: {games: [dama]}\n", "give it the cluster of these"},
		{"no games", "store: postgres://127.0.0.1:1/x\ncluster: {name: r1, nats: 'nats://127.0.0.1:1', advertise: 'ws://127.0.0.1:1', secret_file: secret}\n", "submissions.games"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTestFolder(t)
			if err := os.WriteFile(filepath.Join(c.folder, "r.yaml"), []byte(tt.yaml), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(c.folder, "secret"), []byte(strings.Repeat("0123456789", 4)), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, stderr, err := c.host("--config", "r.yaml", "runner"); err == nil || !strings.Contains(stderr, tt.want) {
				t.Errorf("got %v, %q, want an error with %q", err, stderr, tt.want)
			}
		})
	}
}
