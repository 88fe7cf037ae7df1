package programs

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/test/poll"
)

// Class is a host with registered students.
type Class struct {
	T      testing.TB
	Host   *Host
	Tokens map[string]string // by name
}

// Enroll registers students from a list. The host need not allow registration.
func Enroll(t testing.TB, host *Host, students int) *Class {
	t.Helper()
	c := &Class{T: t, Host: host, Tokens: map[string]string{}}
	list := filepath.Join(t.TempDir(), "class.csv")
	var names strings.Builder
	for i := range students {
		names.WriteString(StudentName(i) + "\n")
	}
	if err := os.WriteFile(list, []byte(names.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(c.Run("players", "import", list))).ReadAll()
	if err != nil || len(rows) != students {
		t.Fatalf("got %d tokens, %v, want %d", len(rows), err, students)
	}
	for _, row := range rows {
		c.Tokens[row[0]] = row[1]
	}
	return c
}

// Restart kills the host, and starts it again with the same data and address.
func (c *Class) Restart() {
	c.T.Helper()
	old := c.Host
	old.Stop(c.T, os.Kill)
	text, err := os.ReadFile(old.Config)
	if err != nil {
		c.T.Fatal(err)
	}
	c.Host = StartHostWith(c.T, old.Data, string(text), "--listen", strings.Trim(strings.TrimPrefix(old.URL, "ws://"), "/"))
}

// Run runs a command of the host, and returns what it prints.
func (c *Class) Run(args ...string) string {
	c.T.Helper()
	ctx, cancel := context.WithTimeout(c.T.Context(), poll.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(Bin, "host"), append([]string{"--config", c.Host.Config, "--data", c.Host.Data}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		c.T.Fatalf("host %s: got %v, want no error\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

// Create creates a contest.
func (c *Class) Create(spec string) {
	c.T.Helper()
	file := filepath.Join(c.T.TempDir(), "contest.yaml")
	if err := os.WriteFile(file, []byte(spec), 0o600); err != nil {
		c.T.Fatal(err)
	}
	c.Run("contest", "create", file)
}

// Coco returns a command that runs coco as a student.
func (c *Class) Coco(student string, args ...string) *exec.Cmd {
	return c.At(c.Host, student, args...)
}

// At is Coco at another host.
func (c *Class) At(host *Host, student string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(Bin, "coco"), append([]string{"-s", host.URL}, args...)...)
	home := c.T.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "COCO_TOKEN="+c.Tokens[student])
	return cmd
}

// Get reads JSON from the host.
func (c *Class) Get(path string, v any) {
	c.T.Helper()
	status, body := Get(c.T, c.Host.Page(path))
	if err := json.Unmarshal([]byte(body), v); status != 200 || err != nil {
		c.T.Fatalf("%s: got status %d, %v, want JSON:\n%s", path, status, err, body)
	}
}

// Own reads what only a student can read. An error of the host is an answer, too.
func (c *Class) Own(student, path string) string {
	c.T.Helper()
	r, err := http.NewRequestWithContext(c.T.Context(), http.MethodGet, c.Host.Page(path), nil)
	if err != nil {
		c.T.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.Tokens[student])
	answer, err := (&http.Client{Transport: patient{http.DefaultTransport}}).Do(r)
	if err != nil {
		c.T.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	return string(text)
}
