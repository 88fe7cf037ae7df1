package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/group"
)

const (
	watchInterval = 50 * time.Millisecond  // how often files, processes and memory are looked at, at most
	watchShare    = 20                     // how many times as long as a look it takes to the next one,
	maxInterval   = 500 * time.Millisecond // but not longer than this
	endGrace      = 2 * time.Second        // for killed processes to be gone
)

// run runs a command of the build in one of its folders. It returns when the command and all
// processes that it has started have ended. A context that ends with a *ProgramError as
// its cause is the author's fault.
func (b *builder) run(ctx context.Context, args []string, dir string) error {
	path := b.tools.Programs[args[0]]
	if path == "" {
		var err error
		if path, err = sandbox.Look(args[0]); err != nil {
			return fault("there is no program %q on this host", args[0])
		}
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Args[0] = args[0]
	cmd.Dir = dir
	for key, value := range b.env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	cmd.Stdout, cmd.Stderr = write, write
	var g *group.Group
	control, err := sandbox.Start(cmd, b.level, b.policy, func() (err error) {
		g, err = group.Start(cmd, b.limits.Memory)
		return err
	})
	_ = write.Close()
	if err != nil {
		return fmt.Errorf("start %s: %w", args[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the process, which is killed below
	flooded := make(chan struct{})
	copied := make(chan error, 1)
	go func() { copied <- b.print(read, flooded) }() // ends with the last process of the command

	err, reason := b.watch(ctx, cmd.Process.Pid, g, control, ended, flooded)
	work := b.work(cmd, g, control)
	g.End() // what it has left behind
	control.Close()
	awaitEnd(cmd.Process.Pid)
	_ = read.SetReadDeadline(time.Now().Add(endGrace)) // a process that could not be killed has it
	if failed := <-copied; failed != nil {
		return fmt.Errorf("keep the output of %s: %w", args[0], failed)
	}
	b.used += work
	select {
	case <-flooded: // perhaps with its last words
		if reason == nil {
			reason = b.tooLong()
		}
	default:
	}
	var exit *exec.ExitError
	switch {
	case reason != nil:
		return reason
	case errors.As(err, &exit):
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signal() == syscall.SIGKILL && b.used >= b.limits.CPU/2 {
			return b.tooSlow() // the system measures in ticks when it ends a process
		}
		if err := b.diskFull(); err != nil {
			return fmt.Errorf("%s failed: %w", args[0], err)
		}
		return fault("%s failed: %v", args[0], err)
	case err != nil:
		return err
	}
	if b.used > b.limits.CPU {
		return b.tooSlow()
	}
	return nil
}

// diskFull returns an error if the disk has no room, which is not the author's fault.
func (b *builder) diskFull() error {
	path := filepath.Join(b.private, "room")
	defer os.Remove(path)
	return os.WriteFile(path, make([]byte, 1<<20), 0o600)
}

func (b *builder) tooSlow() error {
	return fault("the build used more than %v of CPU time", b.limits.CPU)
}

func (b *builder) tooLong() error {
	return fault("the build printed more than %d bytes", b.limits.Output)
}

// watch waits for the end of a command, and kills it and what it has started when a limit is
// exceeded or the context ends; then the second error says why.
func (b *builder) watch(ctx context.Context, pid int, g *group.Group, control *sandbox.Group, ended <-chan error, flooded <-chan struct{}) (err, reason error) {
	timer := time.NewTimer(watchInterval)
	defer timer.Stop()
	for reason == nil {
		select {
		case err := <-ended:
			return err, nil
		case <-flooded:
			reason = b.tooLong()
		case <-ctx.Done():
			reason = context.Cause(ctx)
		case <-timer.C:
			began := time.Now()
			if text := b.excess(pid); text != "" {
				reason = fault("%s", text)
			}
			if used, known := control.CPU(); known && b.used+used > b.limits.CPU || b.used+g.Work() > b.limits.CPU {
				reason = b.tooSlow()
			}
			timer.Reset(min(maxInterval, max(watchInterval, watchShare*time.Since(began))))
		}
	}
	g.Kill()
	control.Kill()
	return <-ended, reason
}

// work returns the CPU time that a command has used, which has ended.
func (b *builder) work(cmd *exec.Cmd, g *group.Group, control *sandbox.Group) time.Duration {
	if used, known := control.CPU(); known {
		return used
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() + g.Work() // the latter of what was left behind
}

// awaitEnd waits until the processes of a group that was killed are gone.
func awaitEnd(leader int) {
	for until := time.Now().Add(endGrace); time.Now().Before(until) && !sandbox.Ended(leader); {
		time.Sleep(watchInterval / 10) // there is no event for the end of killed processes
	}
}

// print copies what a command prints, until it ends. What is too much is dropped.
func (b *builder) print(from *os.File, flooded chan<- struct{}) error {
	flood := sync.OnceFunc(func() { close(flooded) })
	text := make([]byte, 16<<10)
	var failed error
	for {
		n, err := from.Read(text)
		if room := b.limits.Output - b.printed; n > room {
			n = room
			flood()
		}
		b.printed += n
		if n > 0 && failed == nil {
			_, failed = b.out.Write(text[:n])
		}
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded):
			return failed
		case err != nil:
			return err
		}
	}
}

// excess returns which limit the files of the build and the processes of a group exceed, or
// "". Without a group it is 0.
func (b *builder) excess(leader int) string {
	var hidden int64
	if leader > 0 {
		switch used := sandbox.Measure(leader, true); {
		case used.Processes > b.limits.Processes:
			return fmt.Sprintf("the build had more than %d processes at once", b.limits.Processes)
		case used.Threads > sandbox.MaxThreads:
			return fmt.Sprintf("the build had more than %d threads at once", sandbox.MaxThreads)
		case used.Together > b.limits.Memory+sandbox.Excess:
			return fmt.Sprintf("the build used more than %d MiB of memory", b.limits.Memory>>20)
		}
		hidden = sandbox.Deleted(leader, true)
	}
	entries, size, err := b.count()
	switch {
	case err != nil:
		return fmt.Sprintf("the folders of the build can't be read: %v", err)
	case entries > b.limits.Files+b.entries:
		return fmt.Sprintf("the build created more than %d files", b.limits.Files)
	case size+hidden > b.limits.Disk:
		return fmt.Sprintf("the files of the build have more than %d MiB", b.limits.Disk>>20)
	}
	return ""
}

// count counts the files and folders in the private folder and their bytes. It counts no
// further than the limits.
func (b *builder) count() (entries int, size int64, err error) {
	err = filepath.WalkDir(b.private, func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it has just been removed
		}
		if err != nil {
			return err // it would hide files: folders nested too deeply, or without the right to read them
		}
		entries++
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		if b.entries > 0 && (entries > b.limits.Files+b.entries || size > b.limits.Disk) {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		err = errors.Unwrap(err) // without its path, which can be long
	}
	return entries, size, err
}
