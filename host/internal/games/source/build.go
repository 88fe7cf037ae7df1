package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"colosseum/internal/filelock"
	"colosseum/internal/gamedir"
	"colosseum/internal/group"
)

// errNoGo is the error of a game that can't be compiled on this host.
var errNoGo = errors.New("there is no Go toolchain to build it: install Go, or set its mode to script")

// program builds the game and returns the path of the program, and the version of
// the game. Like go build, it is quick when nothing has changed.
func (s Source) program(ctx context.Context, cache string) (path, version string, err error) {
	compiler, err := exec.LookPath("go")
	if err != nil {
		return "", "", errNoGo
	}
	unlock, err := s.lock(ctx, cache)
	if err != nil {
		return "", "", err
	}
	defer unlock()
	s.caches = goCaches(cache)
	if !s.inModule {
		if s.Dir, err = filepath.EvalSymlinks(s.Dir); err != nil { // the go command compares paths with the overlay's
			return "", "", err
		}
		others, failed := s.otherImports(ctx)
		if failed == nil {
			s.overlay, failed = s.join(ctx, cache, others)
		}
		if failed != nil {
			return "", "", failed
		}
		defer func() {
			if err != nil && ctx.Err() == nil {
				err = explain(err, others)
			}
		}()
	}
	if err := s.buildSDK(ctx, compiler, cache); err != nil {
		return "", "", err
	}
	list := func() ([]imported, error) { return s.packages(ctx, compiler, ".") }
	var description *built
	if packages, err := list(); err == nil {
		description = s.describe(ctx, cache, s.settings(ctx, compiler), packages)
	}
	version, failed := s.version(ctx, list)
	for changed := true; changed; { // files can change during a build
		if err := cmp.Or(s.build(ctx, compiler, s.target(cache), "."), failed); err != nil {
			return "", "", err
		}
		before := version
		version, failed = s.version(ctx, list)
		changed = version != before || failed != nil
	}
	path, err = s.keep(ctx, compiler, cache, version, description)
	return path, version, err
}

// target returns the path where the go command writes the program of the game.
func (s Source) target(cache string) string { return filepath.Join(cache, s.Name+exe) }

// keep keeps a copy of the program that was built, so that a running one has its file during
// the next build, and its description. It returns the path of the copy.
func (s Source) keep(ctx context.Context, compiler, cache, version string, description *built) (string, error) {
	sum, err := hashFile(s.target(cache))
	if err != nil {
		return "", err
	}
	kept := filepath.Join(cache, s.Name+"-"+sum+exe)
	if _, err := os.Stat(kept); err != nil {
		if err := copyFile(s.target(cache), kept); err != nil {
			return "", err
		}
	}
	// A program without a description is found again by the go command.
	_, _ = gamedir.Visit(ctx, s.visits, func() error { return description.keep(s, compiler, cache, kept, version) })
	s.prune(cache, kept)
	return kept, nil
}

// lock lets one process at a time build the game into the cache, which hosts and
// tools can share. Unlock or the end of the process ends it.
func (s Source) lock(ctx context.Context, cache string) (unlock func(), err error) {
	retry := time.NewTicker(50 * time.Millisecond) // polled, because a blocking call could not be cancelled
	defer retry.Stop()
	for {
		unlock, err := s.tryLock(cache)
		if !errors.Is(err, filelock.ErrLocked) {
			return unlock, err
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("another host or tool is compiling it: %w", ctx.Err())
		}
	}
}

// tryLock is lock without waiting. The error is filelock.ErrLocked if another process has
// the lock.
func (s Source) tryLock(cache string) (unlock func(), err error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for compiled games: %w: set HOME or XDG_CACHE_HOME, or name a data folder that you can write to", err)
	}
	f, err := os.OpenFile(filepath.Join(cache, s.Name+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := filelock.Try(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() { _ = filelock.Release(f) }, nil
}

// build builds the packages in some folders. To is the path of the program, or the folder for
// several.
func (s Source) build(ctx context.Context, compiler, to string, dirs ...string) error {
	err := s.run(ctx, compiler, nil, slices.Concat([]string{"build", "-v", "-buildvcs=false", "-o", to}, linking(), dirs)...)
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, errStalled) || errors.Is(err, errEndless) || machine.MatchString(err.Error()):
		err = cantCompile{err}
	case s.inModule && network.MatchString(err.Error()):
		err = offline{err} // a library is missing, so it can't be a script either
	}
	return err
}

// linking returns options for the linker: to leave out DWARF, which takes half of its time,
// and which only a debugger reads. Who debugs sets the options of the compiler.
func linking() []string {
	if strings.Contains(os.Getenv("GOFLAGS"), "-gcflags") {
		return nil
	}
	return []string{"-ldflags=-w"}
}

// Errors of the go command that are not about the code of a game: of the machine, and of
// the network.
var (
	machine = regexp.MustCompile(`signal: killed|no space left on device|[Cc]annot allocate memory|out of memory|resource temporarily unavailable|too many open files|input/output error|read-only file system`)
	network = regexp.MustCompile(`dial tcp|i/o timeout|TLS handshake timeout|connection re(fused|set)`)
)

// offline is the error of a game whose libraries can't be downloaded now.
type offline struct{ error }

// Passes reports whether an error of Program can pass without a change of the folder.
func Passes(err error) bool { return errors.As(err, new(offline)) }

// cantCompile is the error of a game that can't be compiled on this host now, for a reason
// that is not in its own code.
type cantCompile struct{ err error }

func (e cantCompile) Error() string {
	text := goStatus.ReplaceAllString(e.err.Error(), "")
	text, _, _ = strings.Cut(position.ReplaceAllString(text, ""), "\n")
	return "it can't be compiled here now: " + text
}

// goCaches returns variables for the caches of the go command that it can't find by itself,
// because a service has no HOME: they are then in the cache of the games.
func goCaches(cache string) (env []string) {
	if _, err := os.UserCacheDir(); err != nil && os.Getenv("GOCACHE") == "" {
		env = append(env, "GOCACHE="+filepath.Join(cache, "go-build"))
	}
	if _, err := os.UserHomeDir(); err != nil && os.Getenv("GOMODCACHE") == "" && os.Getenv("GOPATH") == "" {
		env = append(env, "GOMODCACHE="+filepath.Join(cache, "go-mod"))
	}
	return env
}

// run runs the go command in the game's folder. Its output is part of the error
// unless out is not nil.
func (s Source) run(ctx context.Context, compiler string, out io.Writer, args ...string) error {
	// A C compiler would include any file of the host in the program.
	env := append(os.Environ(), append(s.caches, "CGO_ENABLED=0")...)
	if s.overlay != "" {
		if args[0] != "env" {
			args = slices.Insert(slices.Clone(args), 1, "-overlay="+s.overlay)
		}
		env = append(env, "GO111MODULE=on", "GOWORK=off", "GOFLAGS=-mod=readonly") // what the operator sets is for other modules
	}
	cmd := exec.Command(compiler, args...)
	cmd.Dir, cmd.Env = s.Dir, env
	output := &counted{head: head{left: maxOutput}}
	cmd.Stdout, cmd.Stderr = out, output
	if out == nil {
		cmd.Stdout = output
	}
	cmd.WaitDelay = time.Second
	// In a group, so that the compilers and linkers that it starts end with it.
	g, err := group.Start(cmd, 0)
	if err == nil {
		stop := context.AfterFunc(ctx, g.Kill)
		done, stalled := make(chan struct{}), make(chan error, 1)
		go func() { // ends with the command
			err := supervise(done, s.patience, func() work { return work{g.Work(), output.bytes.Load()} })
			if err != nil {
				g.Kill()
			}
			stalled <- err
		}()
		err = cmd.Wait()
		close(done)
		err = cmp.Or(<-stalled, err)
		stop()
		g.End()
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, errStalled) || errors.Is(err, errEndless) {
		return err
	}
	text := progress.ReplaceAllString(output.String(), "")
	_, problems, found := strings.Cut(text, "\n") // the first line names the package
	if !found || !strings.HasPrefix(text, "# ") {
		problems = fmt.Sprintf("go %s: %v\n%s", args[0], err, text)
	}
	return errors.New(strings.TrimSpace(problems))
}

// progress matches lines in which the go command says what it does: with -v also the names
// of packages.
var progress = regexp.MustCompile(`(?m)^(go: (downloading|finding|extracting) .*|[^\s:#]+)\n`)

// Limits on the output of the go command that is kept, in bytes.
const (
	maxOutput = 64 << 10
	maxList   = 16 << 20 // of a list of packages
)

// head keeps the first bytes that are written to it.
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

// prune removes all programs of the game except one and those with a description. The system keeps the file of a
// running program until it ends. (Windows refuses to remove it, and a later call does.)
func (s Source) prune(cache, kept string) {
	pattern := s.Name + "-" + strings.Repeat("[0-9a-f]", hashDigits) + exe
	old, _ := filepath.Glob(filepath.Join(cache, pattern)) // the pattern is well formed
	described := s.described(cache)
	for _, path := range old {
		if path != kept && !described[path] {
			_ = os.Remove(path)
		}
	}
}

// hashFile returns the first hexadecimal digits of a file's SHA-256.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return digits(h), nil
}

// copyFile copies a program. The copy gets its name when it is complete.
func copyFile(from, to string) error {
	// A child forked during the copy would inherit the open file, and the system
	// refuses to start a program that is open for writing.
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
