package sandbox

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"colosseum/internal/test/poll"
)

func TestMeasureCountsMemoryThatTheLimitDoesNotCount(t *testing.T) {
	if Supported().Limits {
		t.Skip("the system limits it")
	}
	const limit, used = 768, 832 // MiB; the race detector needs much
	c := start(t, BestEffort, func(_ *exec.Cmd, p *Policy) { p.Memory = limit << 20 }, "hide", strconv.Itoa(used))
	if got := Measure(c.Process.Pid, false); got.Memory < used<<20 || got.Memory > (used+limit)<<20 || got.Threads < 2 {
		t.Errorf("got %+v, want at least %d MiB and several threads", got, used)
	}
}

func TestDeletedCountsOpenFilesOnce(t *testing.T) {
	before := Deleted(os.Getpid(), false)
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	again, err := unix.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(again)
	if err := f.Truncate(1 << 20); err != nil {
		t.Fatal(err)
	}
	if got := Deleted(os.Getpid(), false) - before; got != 0 {
		t.Errorf("got %d bytes before it is deleted, want 0", got)
	}
	if err := os.Remove(f.Name()); err != nil {
		t.Fatal(err)
	}
	if got := Deleted(os.Getpid(), false) - before; got != 1<<20 {
		t.Errorf("got %d bytes, want %d", got, 1<<20)
	}
}

func TestGroupHasEndedWithItsLastProcess(t *testing.T) {
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if Ended(cmd.Process.Pid) {
		t.Error("it has ended, want it to run")
	}
	_ = in.Close()
	poll.Until(t, "it has ended, although nobody has waited for it", func() bool { return Ended(cmd.Process.Pid) })
	_ = cmd.Wait()
}

func TestMeasureAddsTheThreadsOfAGroup(t *testing.T) {
	c := start(t, BestEffort, func(cmd *exec.Cmd, p *Policy) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		p.Processes = true
	}, "family", "2", "wait")
	for range 2 {
		if _, err := c.stdout.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if one, all := Measure(c.Process.Pid, false), Measure(c.Process.Pid, true); all.Threads <= one.Threads || one.Threads == 0 || one.Processes != 1 || all.Processes < 2 || all.Together <= all.Memory {
		t.Errorf("got %+v of the group and %+v of its leader, want more in the group", all, one)
	}
}
