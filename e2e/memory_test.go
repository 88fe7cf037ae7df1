package e2e

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// BenchmarkMemory reports the resident memory, in KiB, that a host needs for
// an idle connection, and host and game together for a running match with its
// two connections.
func BenchmarkMemory(b *testing.B) {
	const connections, matches = 4000, 1000
	h := startHost(b, b.TempDir())
	var clients []*client
	defer func() {
		for _, c := range clients {
			c.close()
		}
	}()
	before := h.resident(b)
	for range connections {
		c, err := dial(h.url)
		if err != nil {
			b.Fatal(err)
		}
		clients = append(clients, c)
	}
	idle := h.resident(b)
	for range matches {
		pair, err := h.pair(9999)
		if err != nil {
			b.Fatal(err)
		}
		for _, p := range pair {
			clients = append(clients, p.client)
			for range 20 { // some rounds, so that everything is warm
				if err := p.conn.WriteMessage(2, []byte("ROCK\n")); err != nil {
					b.Fatal(err)
				}
			}
		}
		for _, p := range pair {
			for seen := 0; seen < 3+20; {
				_, body, err := p.next()
				if err != nil {
					b.Fatal(err)
				}
				seen += bytes.Count(body, []byte{'\n'})
			}
		}
	}
	running := h.resident(b)
	b.ReportMetric(float64(idle-before)/connections, "KiB/connection")
	b.ReportMetric(float64(running-idle)/matches, "KiB/match")
	b.ReportMetric(0, "ns/op")
}

// resident returns the resident memory of the host and its games in KiB.
func (h *host) resident(t testing.TB) int {
	t.Helper()
	total := residentOf(t, h.cmd.Process.Pid)
	for _, child := range h.children {
		total += residentOf(t, child)
	}
	return total
}

func residentOf(t testing.TB, pid int) int {
	t.Helper()
	return memoryOf(t, pid, "VmRSS:")
}

// memoryOf returns a line of a process's status in KiB.
func memoryOf(t testing.TB, pid int, line string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := bytes.Cut(status, []byte(line))
	if !ok {
		t.Fatalf("no %s of %d", line, pid)
	}
	n, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
