package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// program builds the game and returns the path of the program and its hash.
// Go build itself does nothing when nothing has changed.
func (s source) program(ctx context.Context, cache string) (path, version string, err error) {
	compiler, err := exec.LookPath("go")
	if err != nil {
		return "", "", errors.New("there is no Go toolchain to build it: install Go, or set its mode to script")
	}
	done, err := s.reserve(ctx, cache)
	if err != nil {
		return "", "", err
	}
	defer done()
	if path, err = s.build(ctx, compiler, cache); err == nil {
		version, err = hash(path)
	}
	if err != nil {
		return "", "", err
	}
	// What runs keeps its file while the next version is built beside it.
	kept := filepath.Join(cache, s.name+"-"+version)
	if _, err := os.Stat(kept); err != nil {
		if err := copyFile(path, kept); err != nil {
			return "", "", err
		}
		s.prune(cache, kept)
	}
	return kept, version, nil
}

// reserve lets one process at a time build the game into the cache: hosts and
// tools may share it. The lock ends with done, or with the process.
func (s source) reserve(ctx context.Context, cache string) (done func(), err error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(cache, s.name+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	retry := time.NewTicker(50 * time.Millisecond) // a call that waits could not be cancelled
	defer retry.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("another host or tool is compiling it: %w", ctx.Err())
		}
	}
}

func (s source) build(ctx context.Context, compiler, cache string) (string, error) {
	path := filepath.Join(cache, s.name)
	cmd := exec.CommandContext(ctx, compiler, "build", "-buildvcs=false", "-o", path, ".")
	cmd.Dir = s.dir
	output := &head{left: maxOutput}
	cmd.Stdout, cmd.Stderr = output, output
	// It starts compilers and linkers, which end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if err == nil {
		return path, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	_, problems, found := strings.Cut(output.String(), "\n") // below the name of the package
	if !found || !strings.HasPrefix(output.String(), "# ") {
		problems = fmt.Sprintf("build: %v\n%s", err, output)
	}
	return "", errors.New(strings.TrimSpace(problems))
}

// maxOutput bounds what is kept of a compiler's output, in bytes.
const maxOutput = 64 << 10

// head keeps the beginning of what is written to it.
type head struct {
	strings.Builder
	left int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.left -= n
	h.Builder.Write(p[:n])
	return len(p), nil
}

// prune removes versions that were built before. One that still runs is kept
// by the system until it ends.
func (s source) prune(cache, kept string) {
	pattern := s.name + "-" + strings.Repeat("[0-9a-f]", versionDigits)
	old, _ := filepath.Glob(filepath.Join(cache, pattern)) // it is well formed
	for _, path := range old {
		if path != kept {
			_ = os.Remove(path)
		}
	}
}

const versionDigits = 16

// hash returns the first hexadecimal digits of a file's SHA-256.
func hash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:versionDigits/2]), nil
}

// copyFile copies a program and gives it its name only when it is whole.
func copyFile(from, to string) error {
	// A child that is forked meanwhile would inherit the file, and the system
	// refuses to start a program that somebody may still write to.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), ".new-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(0o700), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		_ = os.Remove(out.Name())
	}
	return err
}
