package e2e

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/protocol"
)

// TestClockThatJumpsChangesNothing sets the wall clock that host and game see
// forward and back, while matches wait and run. The monotonic clock goes on.
func TestClockThatJumpsChangesNothing(t *testing.T) {
	t.Parallel()
	const ping = time.Second
	h := startHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s]}\nclients: {ping: %v}\nlobby: {expiry: 60s}\n", plugins, ping))
	clocks := []*wallClock{clockOf(t, h.cmd.Process.Pid), clockOf(t, h.child("roshambo"))}
	enter := func() *client {
		t.Helper()
		c, err := dial(h.url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.close)
		return c
	}
	// One who waits for an opponent, and one who only listens: they answer
	// pings while they read.
	early, idle := enter(), enter()
	id, err := early.create(protocol.GameNew{Game: "roshambo", Args: map[string]string{"rounds": "3", "pace": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := early.join(id, "early"); err != nil {
		t.Fatal(err)
	}
	started, listened := make(chan error, 1), make(chan error, 1)
	go func() { // ends with the start of the match, or the connection
		_, err := early.skip(protocol.NameMatchStarted, nil)
		started <- err
	}()
	go func() { // ends with the connection
		_, _, err := idle.next()
		listened <- err
	}()
	// Two who play on and on.
	pair, err := h.pair(9999)
	if err != nil {
		t.Fatal(err)
	}
	sides := []*lines{{c: pair[0].client}, {c: pair[1].client}}
	hear := func() {
		t.Helper()
		for _, l := range sides {
			if _, ended, err := l.next(); err != nil || ended != nil {
				t.Fatalf("the match ended with %+v, %v", ended, err)
			}
		}
	}
	for range 3 { // names and number of rounds
		hear()
	}
	for _, jump := range []time.Duration{time.Hour, -time.Hour} { // from the true time
		for _, c := range clocks {
			c.set(t, jump)
		}
		if off := time.Until(h.expiry(t)) - jump; off < 0 || off > patience+time.Second {
			t.Fatalf("the host's clock was not set: a new match expires %v late", off)
		}
		// Longer than a client may be silent.
		for over := time.Now().Add(5 * ping); time.Now().Before(over); time.Sleep(ping / 50) { // what time does is the point
			for _, l := range sides {
				if err := l.c.conn.WriteMessage(2, []byte("ROCK\n")); err != nil {
					t.Fatal(err)
				}
			}
			hear()
		}
	}
	select {
	case err := <-listened:
		t.Errorf("the idle client: %v", err)
	case err := <-started:
		t.Errorf("the client that waits: %v", err)
	default:
	}
	pair[0].close()
	if err := pair[1].conn.WriteMessage(2, []byte("ROCK\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := pair[1].skip(protocol.NameMatchEnded, nil); err != nil {
		t.Fatal(err)
	}
	if r := h.record(t, pair[0].id); r.Started.IsZero() || r.Ended.Before(r.Started) || r.Ended.Sub(r.Started) > patience {
		t.Errorf("the record says from %v to %v", r.Started, r.Ended)
	}
	late := enter()
	if err := late.join(id, "late"); err != nil {
		t.Fatal(err)
	}
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	go func() { _, _, _ = late.roshambo(func(int) string { return "ROCK" }) }() // ends with the match
	result, _, err := early.roshambo(func(int) string { return "PAPER" })
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range result.Players {
		if want := map[string]float64{"early": 3, "late": 0}[p.Name]; p.Score != want || p.Ended != "finished" {
			t.Errorf("the match ended as %+v", result)
		}
	}
}

// expiry is when a new match that nobody joins will expire, which the host
// tells by its wall clock: in 60 s.
func (h *host) expiry(t *testing.T) time.Time {
	t.Helper()
	c, err := dial(h.url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	id, err := c.create(protocol.GameNew{Game: "roshambo"})
	if err != nil {
		t.Fatal(err)
	}
	var list protocol.LobbyListReply
	if err := c.send(protocol.NameLobbyList, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.expect(protocol.NameLobbyList, &list); err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Info {
		if m.ID == id {
			return time.Unix(m.Time, 0)
		}
	}
	t.Fatalf("match %s is not in the lobby", id)
	return time.Time{}
}

// wallClock is the wall clock as one process sees it. A process asks a function
// that the kernel has put into its memory; the test puts another there, which
// asks the kernel and adds to the answer.
type wallClock struct {
	pid        int
	start, end uint64 // where the kernel's functions are
	function   uint64
}

// clockOf finds the clock of a process that this one has started.
func clockOf(t *testing.T, pid int) *wallClock {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	c := &wallClock{pid: pid}
	for line := range strings.Lines(string(maps)) {
		if strings.HasSuffix(strings.TrimSpace(line), "[vdso]") {
			if _, err := fmt.Sscanf(line, "%x-%x", &c.start, &c.end); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c.start == 0 {
		t.Skip("the kernel gives processes no clock in their memory")
	}
	image := make([]byte, c.end-c.start)
	c.memory(t, func(f *os.File) error {
		_, err := f.ReadAt(image, int64(c.start))
		return err
	})
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == "__vdso_clock_gettime" && s.Size > uint64(len(shifted(0))) {
			c.function = c.start + s.Value
		}
	}
	if c.function == 0 {
		t.Skip("the kernel's clock is not where it is expected")
	}
	return c
}

// memory opens the memory of the process.
func (c *wallClock) memory(t *testing.T, use func(f *os.File) error) {
	t.Helper()
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", c.pid), os.O_RDWR, 0)
	if err != nil {
		t.Skipf("the memory of a child is not open to its parent here: %v", err)
	}
	defer f.Close()
	if err := use(f); err != nil {
		t.Fatal(err)
	}
}

// shifted is the machine code of clock_gettime with an offset on the wall clock.
func shifted(offset time.Duration) []byte {
	code := []byte{
		0xb8, 228, 0, 0, 0, // mov eax, SYS_clock_gettime
		0x0f, 0x05, // syscall
		0x85, 0xff, // test edi, edi
		0x75, 13, // jnz to ret: not CLOCK_REALTIME
		0x48, 0xb9, // mov rcx, offset
	}
	code = binary.LittleEndian.AppendUint64(code, uint64(int64(offset/time.Second)))
	return append(code,
		0x48, 0x01, 0x0e, // add [rsi], rcx: the seconds
		0xc3) // ret
}

// set makes the wall clock differ from the true time.
func (c *wallClock) set(t *testing.T, offset time.Duration) {
	t.Helper()
	for limit := time.Now().Add(patience); ; {
		if err := syscall.Kill(c.pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		quiet := c.quiet(t)
		if quiet {
			c.memory(t, func(f *os.File) error {
				_, err := f.WriteAt(shifted(offset), int64(c.function))
				return err
			})
		}
		if err := syscall.Kill(c.pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if quiet {
			return
		}
		if time.Now().After(limit) {
			t.Fatal("the process does not stop outside its clock")
		}
	}
}

// quiet waits until all threads have stopped, and tells whether none of them
// is reading the clock.
func (c *wallClock) quiet(t *testing.T) bool {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", c.pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		for limit := time.Now().Add(patience); ; time.Sleep(time.Millisecond) { // a process can only be polled
			stat, err := os.ReadFile(thread + "/stat")
			if _, rest, _ := strings.Cut(string(stat), ") "); err != nil || strings.HasPrefix(rest, "T") {
				break
			}
			if time.Now().After(limit) {
				t.Fatalf("%s does not stop", thread)
			}
		}
		call, err := os.ReadFile(thread + "/syscall")
		if err != nil {
			t.Skipf("where a thread stands is not told here: %v", err)
		}
		fields := strings.Fields(string(call)) // the last is the program counter
		at, err := strconv.ParseUint(strings.TrimPrefix(fields[len(fields)-1], "0x"), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if at >= c.start && at < c.end {
			return false
		}
	}
	return true
}
