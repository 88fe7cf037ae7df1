package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"colosseum/internal/test/oldkernel"
	"colosseum/internal/test/poll"
)

// TestMain makes the test binary a program that does one of actions, if its first
// argument is "be".
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "be" {
		_ = os.Setenv(noSleep, noSleepValue)
		m.Run()
		return
	}
	if err := actions()[os.Args[2]](os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// By default, a program built with -race waits for a second before it exits.
const noSleep, noSleepValue = "GORACE", "atexit_sleep_ms=0"

// actions are what the test binary does as another program.
func actions() map[string]func(args []string) error {
	return map[string]func([]string) error{
		// wait prints a line and ends with stdin.
		"wait": func([]string) error {
			fmt.Println("ready")
			_, err := io.Copy(io.Discard, os.Stdin)
			return err
		},
		"hello": func([]string) error {
			fmt.Println("hello")
			return nil
		},
		// limits prints the limits of the process.
		"limits": func([]string) error {
			limits, err := os.ReadFile("/proc/self/limits")
			fmt.Println(strings.Join(strings.Fields(string(limits)), " "))
			return err
		},
		// files prints the open files of the process.
		"files": func([]string) error {
			files, err := os.ReadDir("/proc/self/fd")
			for _, f := range files {
				target, _ := os.Readlink(filepath.Join("/proc/self/fd", f.Name())) // it can have been closed
				fmt.Println(target)
			}
			return err
		},
		"try": func(args []string) error { return try(args[0], args[1]) },
		// family starts a number of processes that do an action, and does it too.
		"family": func(args []string) error {
			number, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			for range number {
				cmd := exec.Command(os.Args[0], append([]string{"be"}, args[1:]...)...)
				cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
				if err := cmd.Start(); err != nil {
					return err
				}
			}
			return actions()[args[1]](args[2:])
		},
		// hoard uses a number of megabytes, and waits.
		"hoard": func(args []string) error {
			size, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			memory := make([]byte, size<<20)
			for i := range memory {
				memory[i] = 1
			}
			defer runtime.KeepAlive(memory)
			return actions()["wait"](nil)
		},
		// hide is hoard with memory that it can only read in the end.
		"hide": func(args []string) error {
			size, err := strconv.Atoi(args[0])
			for range size {
				memory, failed := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE)
				if err = errors.Join(err, failed); err != nil {
					return err
				}
				err = unix.Mprotect(memory, unix.PROT_READ)
			}
			return errors.Join(err, actions()["wait"](nil))
		},
		// threads starts a number of threads, and waits.
		"threads": func(args []string) error {
			number, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			started := make(chan struct{})
			for range number {
				go func() { // ends with the process
					runtime.LockOSThread()
					started <- struct{}{}
					select {}
				}()
			}
			for range number {
				<-started
			}
			return actions()["wait"](nil)
		},
		// without executes a program without the system calls of the list.
		"without": func(args []string) error {
			return oldkernel.Exec(unix.ENOSYS, strings.Split(args[0], ","), args[1:]...)
		},
		// descriptors executes a program that can have only a number of open files.
		"descriptors": func(args []string) error {
			number, err := strconv.ParseUint(args[0], 10, 64)
			if err != nil {
				return err
			}
			if err := syscall.Setrlimit(unix.RLIMIT_NOFILE, &syscall.Rlimit{Cur: number, Max: number}); err != nil {
				return err
			}
			return syscall.Exec(args[1], args[1:], os.Environ())
		},
		// launcher prints which launcher this system has.
		"launcher": func([]string) error {
			_, err := fmt.Printf("small: %t\n", runsImages())
			return err
		},
		// confine prints what the system does not offer, and is then the confined
		// parent of a process that does an action.
		"confine": func(args []string) error {
			var words []string
			for _, m := range Supported().Missing() {
				words = append(words, m.Feature)
			}
			fmt.Println("missing:", words)
			HideMemory() // as the host does
			cmd, policy, err := itself(args[1:]...)
			if err != nil {
				return err
			}
			cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
			policy.Memory = 4 << 30 // so that it is also limited when isolation is off
			group, err := Start(cmd, Level(args[0]), policy, cmd.Start)
			if err != nil {
				return err
			}
			defer group.Close()
			return cmd.Wait()
		},
	}
}

// itself returns the command with which the test binary does an action, and a policy
// that is sufficient to start it.
func itself(action ...string) (*exec.Cmd, Policy, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, Policy{}, err
	}
	needs, err := Examine(self)
	cmd := exec.Command(self, append([]string{"be"}, action...)...)
	cmd.Env = []string{"PATH=" + Path, noSleep + "=" + noSleepValue}
	return cmd, Policy{Execute: needs.Execute, Read: needs.Read}, err
}

// child is a confined process that has printed a line.
type child struct {
	*exec.Cmd
	group  *Group
	stdin  io.Closer // closing it ends the process
	stdout *bufio.Reader
}

// start starts a confined process that does an action, and waits for its first line.
// It writes a line for programs that repeat it. The process ends with the test.
func start(t *testing.T, level Level, change func(*exec.Cmd, *Policy), action ...string) *child {
	t.Helper()
	cmd, policy, err := itself(action...)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(cmd, &policy)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := stdout.(*os.File).SetReadDeadline(time.Now().Add(poll.Limit)); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	c := &child{Cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout)}
	if c.group, err = Start(cmd, level, policy, cmd.Start); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		c.group.Kill()
		cmd.Wait()
		c.group.Close()
	})
	if _, err := io.WriteString(stdin, "\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.stdout.ReadString('\n'); err != nil {
		stdin.Close()
		t.Fatalf("got %v and %q from the confined process, want its first line", cmd.Wait(), stderr.String())
	}
	return c
}

// finish runs a confined process to its end and returns what it printed.
func finish(t *testing.T, change func(*exec.Cmd, *Policy), action ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd, policy, err := itself(action...)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(cmd, &policy)
	}
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	group, err := Start(cmd, BestEffort, policy, cmd.Start)
	if err != nil {
		t.Fatal(err)
	}
	defer group.Close()
	limit := time.AfterFunc(poll.Limit, func() {
		t.Errorf("the process has not ended after %v", poll.Limit)
		group.Kill()
		cmd.Process.Kill()
	})
	defer limit.Stop()
	err = cmd.Wait()
	return out.String(), errs.String(), err
}

// output runs a confined command to its end and returns all that it printed. Its group is
// closed after the test.
func output(t *testing.T, cmd *exec.Cmd, p Policy) (group *Group, text string, err error) {
	t.Helper()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	group, err = Start(cmd, BestEffort, p, cmd.Start)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(group.Close)
	err = cmd.Wait()
	return group, out.String(), err
}

// attempts are what a confined process tries, in this order. Without a protection, an
// attempt can succeed; none does harm, also as root. Those that would have no valid
// arguments: the filter of system calls refuses them by their numbers.
var attempts = []struct {
	name  string
	try   func(own, other string) error // own is a folder that it can write in, and other one that it can only read
	want  error
	files bool // only Landlock refuses it
}{
	{"read a file of its folder", func(_, other string) error { return read(filepath.Join(other, "file")) }, nil, false},
	{"read another file", func(_, other string) error { return read(filepath.Join(other, "..", "secret")) }, unix.EACCES, true},
	{"read another file with a path through its folder", func(own, _ string) error { return read(own + "/../secret") }, unix.EACCES, true},
	{"list another folder", func(_, other string) error { return open(filepath.Join(other, ".."), unix.O_RDONLY) }, unix.EACCES, true},
	{"write into a file that it can read", func(_, other string) error { return open(filepath.Join(other, "file"), unix.O_WRONLY) }, unix.EACCES, true},
	{"create a file next to it", func(_, other string) error { return open(filepath.Join(other, "new"), unix.O_WRONLY|unix.O_CREAT) }, unix.EACCES, true},
	{"empty a file that it can read", func(_, other string) error { return open(filepath.Join(other, "file"), unix.O_RDONLY|unix.O_TRUNC) }, unix.EPERM, false},
	{"empty a file that it can't read", func(_, other string) error {
		return open(filepath.Join(other, "..", "secret"), unix.O_ACCMODE|unix.O_TRUNC)
	}, unix.EPERM, false},
	{"open a device only for ioctl", func(string, string) error { return open("/dev/zero", unix.O_ACCMODE) }, unix.EPERM, false},
	{"open a file with openat2", func(_, other string) error {
		_, err := unix.Openat2(unix.AT_FDCWD, filepath.Join(other, "file"), &unix.OpenHow{})
		return err
	}, unix.ENOSYS, false},
	{"change the mode of its own file", func(own, _ string) error { return unix.Chmod(own, 0o777) }, unix.EPERM, false},
	{"remove a file that it can read", func(_, other string) error { return unix.Unlink(filepath.Join(other, "file")) }, unix.EACCES, true},
	{"create an empty file", func(own, _ string) error { return open(filepath.Join(own, "empty"), unix.O_WRONLY|unix.O_CREAT) }, nil, false},
	{"move a file into a folder that it can read", func(own, other string) error {
		return unix.Rename(filepath.Join(own, "empty"), filepath.Join(other, "empty"))
	}, unix.EACCES, true},
	{"write a byte", func(own, _ string) error { return os.WriteFile(filepath.Join(own, "full"), []byte("x"), 0o600) }, unix.EFBIG, false},
	{"execute a file that it can only read", func(_, other string) error {
		return unix.Exec(filepath.Join(other, "script"), []string{"script"}, nil)
	}, unix.EACCES, true},
	{"open a TCP socket", socket(unix.AF_INET, unix.SOCK_STREAM), unix.EPERM, false},
	{"open a UDP socket", socket(unix.AF_INET6, unix.SOCK_DGRAM), unix.EPERM, false},
	{"open a raw socket", socket(unix.AF_PACKET, unix.SOCK_RAW), unix.EPERM, false},
	{"open a netlink socket", socket(unix.AF_NETLINK, unix.SOCK_RAW), unix.EPERM, false},
	{"open a Unix datagram socket", socket(unix.AF_UNIX, unix.SOCK_DGRAM), unix.EPERM, false},
	{"listen on a Unix socket", func(own, _ string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return errors.Join(err, unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join(own, "s")}), unix.Listen(fd, 1))
	}, nil, false},
	{"connect to a Unix socket", func(own, _ string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return errors.Join(err, unix.Connect(fd, &unix.SockaddrUnix{Name: filepath.Join(own, "s")}))
	}, unix.EPERM, false},
	{"create a pair of datagram sockets", func(string, string) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		return err
	}, unix.EPERM, false},
	{"start a process with clone", call(unix.SYS_CLONE, uintptr(unix.SIGCHLD)), unix.EPERM, false},
	{"start a process with clone3", call(unix.SYS_CLONE3), unix.ENOSYS, false},
	{"create a session", call(unix.SYS_SETSID), unix.EPERM, false},
	{"leave the process group", call(unix.SYS_SETPGID), unix.EPERM, false},
	{"signal its parent", func(string, string) error { return unix.Kill(os.Getppid(), 0) }, unix.EPERM, false},
	{"signal its group", func(string, string) error { return unix.Kill(0, 0) }, unix.EPERM, false},
	{"signal itself", func(string, string) error { return unix.Kill(os.Getpid(), 0) }, nil, false},
	{"change the limits of its parent", func(string, string) error { return unix.Prlimit(os.Getppid(), unix.RLIMIT_CORE, nil, nil) }, unix.EPERM, false},
	{"trace its parent", func(string, string) error { return unix.PtraceAttach(-1) }, unix.EPERM, false}, // nobody: the parent would stop
	{"create a namespace", call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER), unix.EPERM, false},
	{"mount", func(string, string) error { return unix.Mount("none", "/nowhere", "tmpfs", 0, "") }, unix.EPERM, false},
	{"create a file in memory", call(unix.SYS_MEMFD_CREATE), unix.ENOSYS, false},
	{"create a ring", call(unix.SYS_IO_URING_SETUP), unix.ENOSYS, false},
	{"map shared memory", func(string, string) error {
		_, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
		return err
	}, unix.EPERM, false},
	{"pin memory in a pipe", call(unix.SYS_VMSPLICE), unix.EPERM, false},
	{"use memory of the kernel for locks", call(unix.SYS_PRCTL, 78), unix.EPERM, false}, // PR_FUTEX_HASH
	{"keep others from a core", call(unix.SYS_PRCTL, unix.PR_SCHED_CORE), unix.EPERM, false},
	{"hide from the host", call(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE), unix.EPERM, false},
	{"create rules of Landlock", call(unix.SYS_LANDLOCK_CREATE_RULESET), unix.ENOSYS, false},
	{"create a filter of system calls", call(unix.SYS_SECCOMP), unix.ENOSYS, false},
	{"load a program into the kernel", call(unix.SYS_BPF), unix.EPERM, false},
}

func read(path string) error {
	_, err := os.ReadFile(path)
	return err
}

func open(path string, flags int) error {
	fd, err := unix.Open(path, flags, 0o600)
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

func socket(family, kind int) func(string, string) error {
	return func(string, string) error {
		_, err := unix.Socket(family, kind, 0)
		return err
	}
}

// call makes a system call that does nothing if it is permitted, because its arguments
// are invalid or because the process is its own copy and ends.
func call(number uintptr, first ...uintptr) func(string, string) error {
	return func(string, string) error {
		result, _, errno := unix.RawSyscall(number, append(first, 0)[0], 0, 0)
		switch {
		case errno != 0:
			return errno
		case number == unix.SYS_CLONE && result == 0:
			unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
		}
		return nil
	}
}

// try prints the errors of all attempts in JSON.
func try(own, other string) error {
	results := make([]int, len(attempts))
	for i, a := range attempts {
		var errno syscall.Errno
		if err := a.try(own, other); err != nil && !errors.As(err, &errno) {
			return err
		}
		results[i] = int(errno)
	}
	return json.NewEncoder(os.Stdout).Encode(results)
}

// TestConfinedProcessCanOnlyDoWhatItsPolicySays tries each attempt in a process
// without exceptions.
func TestConfinedProcessCanOnlyDoWhatItsPolicySays(t *testing.T) {
	dir := t.TempDir()
	own, other := filepath.Join(dir, "own"), filepath.Join(dir, "other")
	for _, folder := range []string{own, other} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"secret": 0o600, "other/file": 0o600, "other/script": 0o700} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), mode); err != nil {
			t.Fatal(err)
		}
	}
	stdout, stderr, err := finish(t, func(_ *exec.Cmd, p *Policy) {
		p.Read, p.Write, p.Listen = append(p.Read, other), own, true
	}, "try", own, other)
	if err != nil {
		t.Fatalf("got %v and %q, want the results", err, stderr)
	}
	var results []int
	if err := json.Unmarshal([]byte(stdout), &results); err != nil || len(results) != len(attempts) {
		t.Fatalf("got %q, want %d results", stdout, len(attempts))
	}
	support := Supported()
	t.Logf("this system offers %+v", support)
	for i, a := range attempts {
		want := syscall.Errno(0)
		if a.want != nil {
			want = a.want.(syscall.Errno)
		}
		if a.files && support.Files == 0 || !a.files && !support.Calls {
			continue
		}
		if got := syscall.Errno(results[i]); got != want {
			t.Errorf("%s: got %v, want %v", a.name, got, want)
		}
	}
	for _, name := range []string{"secret", "other/file", "other/script"} {
		if support.Files == 0 {
			break
		}
		if data, err := os.ReadFile(filepath.Join(dir, name)); len(data) == 0 {
			t.Errorf("got an empty %s (%v), want it as before", name, err)
		}
	}
}
