package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/cluster"
)

// host runs the host with arguments in a folder.
func host(folder string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = folder
	var out, text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &text
	err = cmd.Run()
	return out.String(), text.String(), err
}

func TestSecretOfAClusterIsLongAndNew(t *testing.T) {
	first, _, err := host(t.TempDir(), "cluster", "secret")
	second, _, _ := host(t.TempDir(), "cluster", "secret")
	if err != nil || !regexp.MustCompile(`^[A-Z2-7]{52}\n$`).MatchString(first) || first == second {
		t.Fatalf("got %q and %q, %v, want two different secrets of 52 characters", first, second, err)
	}
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (config.Cluster{SecretFile: file}).ReadSecret(); err != nil {
		t.Errorf("got %v, want a secret that a host takes", err)
	}
}

func TestStatusOfAClusterNeedsOne(t *testing.T) {
	stdout, stderr, err := host(t.TempDir(), "cluster", "status")
	if err == nil || stdout != "" || !strings.Contains(stderr, "the configuration has no cluster") {
		t.Errorf("got %q, %q and %v, want an error that there is no cluster", stdout, stderr, err)
	}
}

func TestStatusSaysWhatDoesNotWork(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"secret": strings.Repeat("s", 32),
		"host.yaml": "store: postgres://ann:hush@127.0.0.1:1/colosseum\n" +
			"cluster: {name: a, nats: 'nats://bob:hush@127.0.0.1:1', advertise: 'ws://127.0.0.1:8088', secret_file: secret}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stdout, stderr, err := host(folder, "--config", "host.yaml", "cluster", "status", "--json")
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 1 || !strings.Contains(stderr, "NATS cannot be used") || !strings.Contains(stderr, "PostgreSQL cannot be used") {
		t.Errorf("got %q and %v, want exit status 1 and both systems named", stderr, err)
	}
	if strings.Contains(stdout+stderr, "hush") {
		t.Errorf("got %q and %q, want no password", stdout, stderr)
	}
	var status struct {
		Hosts    []any
		NATS     struct{ Works bool }
		Problems []string
	}
	if err := json.Unmarshal([]byte(stdout), &status); err != nil || status.Hosts == nil || status.NATS.Works || len(status.Problems) != 2 {
		t.Errorf("got %s, %v, want JSON with two problems", stdout, err)
	}
}

func TestStatusIsATableOfHosts(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	err := printStatus(&out, &cluster.View{
		Hosts: []cluster.HostView{
			{Host: cluster.Host{Name: "a", Started: now.Add(-90 * time.Minute), Matches: 3, Capacity: 1000, Sessions: 12, Leader: true}, State: cluster.StateLive, Generation: 7},
			{Host: cluster.Host{Name: "b"}, State: cluster.StateSilent, Generation: 2},
		},
		Matches: 3, NATS: cluster.Answer{RoundTrip: 1500 * time.Microsecond}, Postgres: cluster.Answer{Err: errors.New("no route")},
	}, now)
	want := `┌──────┬────────┬────────────┬───────────┬──────────┬─────────┬────────┐
│ host │ state  │ generation │ matches   │ sessions │ up for  │        │
├──────┼────────┼────────────┼───────────┼──────────┼─────────┼────────┤
│ a    │ live   │ 7          │ 3 of 1000 │ 12       │ 1h30m0s │ leader │
│ b    │ silent │ 2          │           │          │         │        │
└──────┴────────┴────────────┴───────────┴──────────┴─────────┴────────┘
3 matches are listed
NATS: answers in 1.5 ms
PostgreSQL: does not work
`
	if err != nil || out.String() != want {
		t.Errorf("got %v\n%swant\n%s", err, out.String(), want)
	}
}
