package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// field returns the value of a line of a file below /proc that begins with a name.
func field(t *testing.T, pid int, file, name string) string {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	t.Fatalf("got no line with %q in %s, want one:\n%s", name, file, data)
	return ""
}

func TestConfinedProcessHasNoRights(t *testing.T) {
	if !Supported().Calls {
		t.Skip("this system has no seccomp filters")
	}
	c := start(t, BestEffort, nil, "wait")
	const none = "0000000000000000"
	want := map[string]string{
		"NoNewPrivs:": "1", "Seccomp:": "2", "CapInh:": none, "CapPrm:": none, "CapEff:": none, "CapAmb:": none,
	}
	if os.Getuid() == 0 { // the bounding set does not matter without CAP_SETPCAP and with no_new_privs
		want["CapBnd:"] = none
	}
	for name, value := range want {
		if got := field(t, c.Process.Pid, "status", name); got != value {
			t.Errorf("got %s %s, want %s", name, got, value)
		}
	}
}

func TestConfinedProcessRunsInItsFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pwd, err := Look("pwd")
	if err != nil {
		t.Fatal(err)
	}
	needs, err := Examine(pwd)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: dir + "\n", filepath.Join(dir, "none"): "confine the process: chdir " + dir + "/none: no such file or directory\n"} {
		cmd := exec.Command(pwd)
		cmd.Dir = path
		_, out, err := output(t, cmd, Policy{Execute: needs.Execute, Read: needs.Read})
		if out != want {
			t.Errorf("got %q, error %v, want %q", out, err, want)
		}
	}
}

// TestSignalOfLongFilesIsIgnored runs a program that is not in Go, whose runtime
// handles the signal.
func TestSignalOfLongFilesIsIgnored(t *testing.T) {
	cat, err := Look("cat")
	if err != nil {
		t.Fatal(err)
	}
	needs, err := Examine(cat)
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, BestEffort, func(cmd *exec.Cmd, p *Policy) {
		cmd.Path, cmd.Args = cat, []string{"cat"}
		p.Execute, p.Read = needs.Execute, needs.Read
	})
	// Under nohup, for example, processes inherit further ones.
	inherited, err := strconv.ParseUint(field(t, os.Getpid(), "status", "SigIgn:"), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := field(t, c.Process.Pid, "status", "SigIgn:"), fmt.Sprintf("%016x", inherited|1<<(unix.SIGXFSZ-1)); got != want {
		t.Errorf("got ignored signals %s, want %s", got, want)
	}
}

func TestConfinedProcessHasLimits(t *testing.T) {
	c := start(t, BestEffort, func(_ *exec.Cmd, p *Policy) { p.Memory, p.CPU = 1<<30, 100 }, "wait")
	for name, want := range map[string]string{
		"Max core file size": "0 0 bytes", "Max open files": "1024 1024 files", "Max file size": "0 0 bytes",
		"Max msgqueue size": "0 0 bytes", "Max data size": "1073741824 1073741824 bytes", "Max cpu time": "100 100 seconds",
	} {
		if got := field(t, c.Process.Pid, "limits", name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	var all unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &all); err != nil {
		t.Fatal(err)
	}
	most := all.Max / 4 * 3
	if got, want := field(t, c.Process.Pid, "limits", "Max processes"), fmt.Sprintf("%d %d processes", most, most); got != want && all.Max < math.MaxInt64 {
		t.Errorf("got %q, want %q, so that threads are left for the host", got, want)
	}
	score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", c.Process.Pid))
	if got, want := strings.TrimSpace(string(score)), "1000"; got != want {
		t.Errorf("got %q and %v as how soon it ends when memory is short, want %q", got, err, want)
	}
}

func TestOffLimitsOnlyMemoryAndTime(t *testing.T) {
	c := start(t, Off, func(_ *exec.Cmd, p *Policy) { p.Memory, p.CPU = 1<<30, 100 }, "wait")
	for name, file := range map[string]string{"NoNewPrivs:": "status", "Seccomp:": "status", "CapEff:": "status", "Max file size": "limits"} {
		if got, want := field(t, c.Process.Pid, file, name), field(t, os.Getpid(), file, name); got != want {
			t.Errorf("%s: got %q, want %q, as of this process", name, got, want)
		}
	}
	for name, want := range map[string]string{"Max data size": "1073741824 1073741824 bytes", "Max cpu time": "100 100 seconds"} {
		if got := field(t, c.Process.Pid, "limits", name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestLimitsAreNotAboveThoseOfTheHost runs a host that can open only 100 files.
func TestLimitsAreNotAboveThoseOfTheHost(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, "be", "descriptors", "100", self, "be", "confine", "off", "limits").CombinedOutput()
	if want := "Max open files 100 100 files"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("got %v and %q, want %q", err, out, want)
	}
}

// leak opens a file that every program which this process starts inherits.
func leak(t *testing.T) (path string) {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "leak")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd, err := unix.Dup(int(f.Fd())) // without CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return f.Name()
}

func TestConfinedProcessHasOnlyItsFiles(t *testing.T) {
	leaked := leak(t)
	given, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer given.Close()
	c := start(t, BestEffort, func(cmd *exec.Cmd, _ *Policy) { cmd.ExtraFiles = []*os.File{given} }, "wait")
	folder := fmt.Sprintf("/proc/%d/fd", c.Process.Pid)
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, f := range files {
		target, _ := os.Readlink(filepath.Join(folder, f.Name())) // it can have been closed
		targets = append(targets, target)
	}
	if slices.Contains(targets, leaked) || !slices.Contains(targets, os.DevNull) {
		t.Errorf("got the files %q, want %s and not %s", targets, os.DevNull, leaked)
	}
}

// TestFilesAreClosedWithoutCloseRange runs a host on a kernel before 5.9.
func TestFilesAreClosedWithoutCloseRange(t *testing.T) {
	if !Supported().Calls {
		t.Skip("this system has no seccomp filters")
	}
	leaked := leak(t)
	out, err := outer(t, "close_range", "confine", "off", "files")
	if err != nil || strings.Contains(out, leaked) || !strings.Contains(out, "pipe:") {
		t.Errorf("got %v and %q, want the files of the process without %s", err, out, leaked)
	}
}

func TestLauncherSaysWhyNothingIsExecuted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/etc", link); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*exec.Cmd, *Policy)
		want   string
		files  bool // only Landlock refuses it
	}{
		{"missing program", func(cmd *exec.Cmd, _ *Policy) { cmd.Path = filepath.Join(dir, "missing") }, "missing: no such file or directory", false},
		{"file that the policy does not name", func(cmd *exec.Cmd, _ *Policy) { cmd.Path = file }, "file: permission denied", true},
		{"file that the policy permits only to read", func(cmd *exec.Cmd, p *Policy) {
			cmd.Path, p.Read = file, append(p.Read, dir)
		}, "file: permission denied", true},
		{"folder", func(cmd *exec.Cmd, p *Policy) { cmd.Path, p.Execute = dir, append(p.Execute, dir) }, "permission denied", false},
		{"link in place of a folder", func(_ *exec.Cmd, p *Policy) { p.Read = []string{link} }, "restrict its files: " + link + ": a link has replaced a part of it", true},
		{"link above a file", func(_ *exec.Cmd, p *Policy) { p.Execute = []string{link + "/passwd"} }, "restrict its files: " + link + "/passwd: a link has replaced a part of it", true},
		{"path through a file", func(_ *exec.Cmd, p *Policy) { p.Read = []string{file + "/below"} }, "restrict its files: " + file + "/below: not a directory", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.files && Supported().Files == 0 {
				t.Skip("this system has no Landlock")
			}
			stdout, stderr, err := finish(t, test.change, "wait")
			var status *exec.ExitError
			if !errors.As(err, &status) || status.ExitCode() != 1 || stdout != "" || !strings.Contains(stderr, "confine the process: ") || !strings.Contains(stderr, test.want) {
				t.Errorf("got %v, %q and %q, want exit status 1 and an error with %q", err, stdout, stderr, test.want)
			}
		})
	}
}

func TestLauncherRefusesInvalidOrders(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no order":                     {nil, "only the host starts the launcher"},
		"no program":                   {[]string{"{}", "/bin/true"}, "only the host starts the launcher"},
		"order that is not JSON":       {[]string{"{", "/bin/true", "true"}, "unexpected end of JSON input"},
		"program that does not exist":  {[]string{"{}", "/nowhere", "true"}, "execute /nowhere: no such file or directory"},
		"value of the wrong JSON type": {[]string{`{"Steps":1}`, "/bin/true", "true"}, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(launcherPath)
			cmd.Args = append([]string{launcherName}, test.args...)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.HasPrefix(string(out), "confine the process: ") || !strings.Contains(string(out), test.want) {
				t.Errorf("got %v and %q, want an error with %q", err, out, test.want)
			}
		})
	}
}

func TestDescendantsAreConfinedToo(t *testing.T) {
	if !Supported().Calls {
		t.Skip("this system has no seccomp filters")
	}
	c := start(t, BestEffort, func(_ *exec.Cmd, p *Policy) { p.Processes = true }, "family", "1", "wait")
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", c.Process.Pid))
	if err != nil {
		t.Skip("this kernel does not list the children of a process")
	}
	for child := range strings.FieldsSeq(string(children)) {
		var pid int
		fmt.Sscan(child, &pid)
		if got, want := field(t, pid, "status", "Seccomp:")+field(t, pid, "status", "NoNewPrivs:"), "21"; got != want {
			t.Errorf("got Seccomp and NoNewPrivs %s of the child, want %s", got, want)
		}
	}
}

// outer runs an action in a process for which system calls do not exist, and returns
// what it printed.
func outer(t *testing.T, calls string, action ...string) (string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, append([]string{"be", "without", calls, self, "be"}, action...)...).CombinedOutput()
	return string(out), err
}

// TestCallsThatAContainerRefusesAreMissing runs a host in a container that refuses system calls
// with which processes are confined.
func TestCallsThatAContainerRefusesAreMissing(t *testing.T) {
	if s := Supported(); s.Files == 0 || !s.Calls {
		t.Skip("this system has no Landlock or no seccomp filters")
	}
	const landlock = "landlock_create_ruleset,landlock_add_rule,landlock_restrict_self"
	for _, test := range []struct{ name, calls, missing, require string }{
		{"Landlock", landlock, "files", "games can read and change all files"},
		{"seccomp filters", "seccomp", "calls", "games can use the network"},
		{"both", landlock + ",seccomp", "files calls", "games can read and change all files"},
		{"clone3", "clone3", "", ""},
		{"close_range", "close_range", "", ""},
		{"clone3 and cgroup namespaces", "clone3,unshare,setns", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, level := range []Level{BestEffort, Off} {
				want := "missing: [" + test.missing + "]\nhello\n"
				if got, err := outer(t, test.calls, "confine", string(level), "hello"); err != nil || got != want {
					t.Errorf("%s: got %v and %q, want %q", level, err, got, want)
				}
			}
			got, err := outer(t, test.calls, "confine", string(Require), "hello")
			if started := strings.Contains(got, "hello"); started != (test.require == "") || !strings.Contains(got, test.require) {
				t.Errorf("require: got %v and %q, want %q", err, got, test.require)
			}
		})
	}
}

// TestBothLaunchersDoTheSame runs all other tests where the small launcher can't run,
// because there are no files in memory.
func TestBothLaunchersDoTheSame(t *testing.T) {
	if !runsImages() || !Supported().Calls {
		t.Skip("this system has only the large launcher, or no seccomp filters to take the other one away")
	}
	if got, err := outer(t, "memfd_create", "launcher"); err != nil || got != "small: false\n" {
		t.Fatalf("without files in memory: got %q and %v, want the large launcher", got, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	arguments := []string{"be", "without", "memfd_create", self, "-test.skip=^TestBothLaunchersDoTheSame$"}
	if out, err := exec.Command(self, arguments...).CombinedOutput(); err != nil {
		t.Errorf("with the large launcher: %v\n%s", err, out)
	}
}
