package faults

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

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

// TestClockThatJumpsChangesNothing sets the wall clock that host and game see
// forward and back, while matches wait and run. The monotonic clock goes on.
func TestClockThatJumpsChangesNothing(t *testing.T) {
	t.Parallel()
	const ping = 3 * time.Second
	h := programs.StartHostWith(t, t.TempDir(), fmt.Sprintf("plugins: {folders: [%s]}\nclients: {ping: %v}\nlobby: {expiry: 30m}\n", programs.Plugins, ping))
	clocks := []*wallClock{clockOf(t, h.Cmd.Process.Pid), clockOf(t, h.Child("roshambo"))}
	enter := func() *programs.Client {
		t.Helper()
		c, err := programs.Dial(h.URL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	// One who waits for an opponent, and one who only listens: they answer
	// pings while they read.
	early, idle := enter(), enter()
	id, err := early.Create(protocol.GameNew{Game: "roshambo", Args: map[string]string{"rounds": "3", "pace": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := early.Join(id, "early"); err != nil {
		t.Fatal(err)
	}
	started, listened := make(chan error, 1), make(chan error, 1)
	go func() { // ends with the start of the match, or the connection
		_, err := early.Skip(protocol.NameMatchStarted, nil)
		started <- err
	}()
	pings := make(chan struct{}, 1000) // more than come
	pong := idle.Conn.PingHandler()
	idle.Conn.SetPingHandler(func(data string) error {
		pings <- struct{}{}
		return pong(data)
	})
	go func() { // ends with the connection
		_, _, err := idle.Next()
		listened <- err
	}()
	// Two who play on and on.
	pair, err := h.Pair(9999)
	if err != nil {
		t.Fatal(err)
	}
	sides := []*programs.Lines{{C: pair[0].Client}, {C: pair[1].Client}}
	hear := func() {
		t.Helper()
		for _, l := range sides {
			if _, ended, err := l.Next(); err != nil || ended != nil {
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
		if off := time.Until(expiry(t, h)) - jump; off.Abs() > 31*time.Minute { // it is 30 min, and a jump is an hour
			t.Fatalf("the host's clock was not set: a new match expires %v late", off)
		}
		// Longer than a client may be silent, which is three pings.
		for pinged := 0; pinged < 5; time.Sleep(ping / 50) { // what time does is the point
			select {
			case <-pings:
				pinged++
			case err := <-listened:
				t.Fatalf("the idle client: %v", err)
			default:
			}
			for _, l := range sides {
				if err := l.C.Conn.WriteMessage(2, []byte("ROCK\n")); err != nil {
					t.Fatal(err)
				}
			}
			hear()
		}
	}
	select {
	case err := <-started:
		t.Errorf("the client that waits: %v", err)
	default:
	}
	pair[0].Close()
	if err := pair[1].Conn.WriteMessage(2, []byte("ROCK\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := pair[1].Skip(protocol.NameMatchEnded, nil); err != nil {
		t.Fatal(err)
	}
	if r := h.Record(t, pair[0].ID); r.Started.IsZero() || r.Ended.Before(r.Started) || r.Ended.Sub(r.Started) > 30*time.Minute {
		t.Errorf("the record says from %v to %v", r.Started, r.Ended)
	}
	late := enter()
	if err := late.Join(id, "late"); err != nil {
		t.Fatal(err)
	}
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	go func() { _, _, _ = late.Roshambo(func(int) string { return "ROCK" }) }() // ends with the match
	result, _, err := early.Roshambo(func(int) string { return "PAPER" })
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
// tells by its wall clock: in 30 min.
func expiry(t *testing.T, h *programs.Host) time.Time {
	t.Helper()
	c, err := programs.Dial(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	id, err := c.Create(protocol.GameNew{Game: "roshambo"})
	if err != nil {
		t.Fatal(err)
	}
	var list protocol.LobbyListReply
	if err := c.Send(protocol.NameLobbyList, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Expect(protocol.NameLobbyList, &list); err != nil {
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
	for {
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
	}
}

// quiet waits until all threads have stopped, and reports whether none of them
// is reading the clock.
func (c *wallClock) quiet(t *testing.T) bool {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", c.pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		for ; ; time.Sleep(time.Millisecond) { // a process can only be polled
			stat, err := os.ReadFile(thread + "/stat")
			if _, rest, _ := strings.Cut(string(stat), ") "); err != nil || strings.HasPrefix(rest, "T") {
				break
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
