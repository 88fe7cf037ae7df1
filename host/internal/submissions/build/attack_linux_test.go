package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/language"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

// attempts are what no build and no program can do. Each is a line of Python; if it works,
// it does no harm. SECRET is a file, FOLDER its folder, PORT that of a server of TCP, SOCKET
// a Unix socket, and PARENT the host's process.
var attempts = map[string]string{
	"read the passwords of the system": `open("/etc/shadow").read()`,
	"read the users of the system":     `open("/etc/passwd").read()`,
	"read a file of the host":          `open(SECRET).read()`,
	"list a folder of the host":        `os.listdir(FOLDER)`,
	"list the processes":               `os.listdir("/proc")`,
	"read the host's environment":      `open(f"/proc/{PARENT}/environ", "rb").read()`,
	"read the host's memory":           `open(f"/proc/{PARENT}/mem", "rb").read(1)`,
	"change a file of the host":        `open(SECRET, "r+")`,
	"create a file elsewhere":          `open(FOLDER + "/new", "w")`,
	"create a temporary file":          `open("/tmp/colosseum-attack", "w")`,
	"change the tools":                 `open(sys.executable, "r+b")`,
	"remove a file of the host":        `os.remove(SECRET)`,
	"link a file of the host":          `os.link(SECRET, "hard")`,
	"read it by a link":                `os.path.lexists("soft") or os.symlink(SECRET, "soft") or open("soft").read()`,
	"connect over TCP":                 `socket.create_connection(("127.0.0.1", PORT))`,
	"send over UDP":                    `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", PORT))`,
	"connect to a Unix socket":         `socket.socket(socket.AF_UNIX).connect(SOCKET)`,
	"signal the host":                  `os.kill(PARENT, 0)`,
	"begin a session":                  `os.setsid()`,
	"leave its process group":          `os.setpgid(0, 0)`,
	"raise a limit":                    `resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 50, 1 << 50))`,
	"trace the host":                   `call("ptrace", 16, PARENT, 0, 0)`,
	"create a namespace":               `call("unshare", 0x10000000)`,
	"mount":                            `call("mount", b"x", b"/", b"tmpfs", 0, 0)`,
	"change its root":                  `os.chroot(".")`,
	"become another user":              `os.setuid(os.getuid() + 1)`,
	"create memory as a file":          `os.memfd_create("x")`,
	"change a mode":                    `os.chmod(".", 0o777)`,
}

const prelude = `
import os, sys, socket, resource, time
try:
    import ctypes
except ImportError:
    ctypes = None
def call(name, *args):
    if ctypes is None:
        raise OSError("there is no ctypes")
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*args) == -1:
        raise OSError(ctypes.get_errno(), name)
def attempt(name, what):
    try:
        what()
    except (OSError, ValueError): # the latter for limits
        return
    print("ATTACKED:", name, flush=True)
`

// attack returns a program in Python that tries all attempts.
func attack(t *testing.T) (script string, untouched func()) {
	t.Helper()
	folder := t.TempDir()
	secret := filepath.Join(folder, "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tcp.Close() })
	path := filepath.Join(folder, "s")
	local, err := net.Listen("unix", path)
	if err != nil {
		t.Skip(err) // the temporary folder can have a long path
	}
	t.Cleanup(func() { _ = local.Close() })
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nSECRET, FOLDER, SOCKET, PORT, PARENT = %q, %q, %q, %d, %d\n", prelude, secret, folder, path, tcp.Addr().(*net.TCPAddr).Port, os.Getpid())
	for name, code := range attempts {
		if name == "signal the host" && sandbox.Supported().Lacks("signals") {
			continue
		}
		fmt.Fprintf(&b, "attempt(%q, lambda: %s)\n", name, code)
	}
	b.WriteString("print('tried all', flush=True)\n")
	return b.String(), func() {
		t.Helper()
		if text, err := os.ReadFile(secret); string(text) != "x" {
			t.Errorf("got %q, %v in the file of the host, want it unchanged", text, err)
		}
	}
}

func TestBuildCannotReachTheHost(t *testing.T) {
	script, untouched := attack(t)
	var out bytes.Buffer
	_, err := buildOf(t, "python", generous, &out, []string{"python3", "attack.py"}, "attack.py="+script, "bot.py=")
	if err != nil || !strings.Contains(out.String(), "tried all") || strings.Contains(out.String(), "ATTACKED") {
		t.Errorf("got %v, want every attempt refused:\n%s", err, out.Bytes())
	}
	untouched()
}

// TestProgramCannotReachTheHost has two attempts more: a program can't write its own files
// nor start others.
func TestProgramCannotReachTheHost(t *testing.T) {
	l := languageOf(t, "python")
	script, untouched := attack(t)
	script += "attempt('change its own file', lambda: open('bot.py', 'r+'))\nattempt('create a file', lambda: open('new', 'w'))\nattempt('start a process', lambda: os.fork() or os._exit(0))\nprint(open('own.txt').read())\n"
	folder := install(t, archive.Tree{{Path: "bot.py", Data: []byte(script)}, {Path: "own.txt", Data: []byte("own")}})
	command, err := Command([]string{"python3", "bot.py"}, l, folder, program.Isolation{Level: sandbox.Require, Private: []string{filepath.Dir(folder)}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := program.Start(command, program.Limits{Line: 1000, Backlog: 1000})
	if err != nil {
		t.Fatal(err)
	}
	s := seat{make(chan string, 100), make(chan struct{})}
	p.Play(s, 0)
	exit := p.End(poll.Limit)
	<-s.gone
	close(s.lines)
	var got []string
	for line := range s.lines {
		got = append(got, line)
	}
	if want := "tried all own"; strings.Join(got, " ") != want || !exit.OK {
		t.Errorf("got %q and %+v, want %q", got, exit, want)
	}
	untouched()
}

func TestCommandNamesOnlyToolsAndOwnFiles(t *testing.T) {
	l := languageOf(t, "python")
	for _, run := range []string{"sh", "./../x", "./", "./none"} {
		if c, err := Command([]string{run}, l, t.TempDir(), program.Isolation{Level: sandbox.Require}); err == nil {
			t.Errorf("%s: got %+v, want an error", run, c)
		}
	}
}

// tight are limits that the attacks below reach at once, and a version of Python does not.
var tight = Limits{
	Time: poll.Limit, CPU: 10 * time.Second, Memory: 512 * mib, Disk: 20 * mib, File: 5 * mib, Files: 500, Processes: 20, Output: 100_000,
}

// Attacks that use up a resource end by themselves, long before the machine has a problem.
func TestBuildThatUsesTooMuchIsEnded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		long   bool
		script string
		limit  func(*Limits)
		want   string
	}{
		{"it forks", false, `
for _ in range(200):
    if os.fork() == 0:
        time.sleep(150)
        os._exit(0)
time.sleep(150)`, nil, "the build had more than 20 processes at once"},
		{"it does not wait for its children", true, `
for _ in range(200):
    if os.fork() == 0:
        os._exit(0)
time.sleep(150)`, nil, "the build had more than 20 processes at once"},
		{"it computes", false, `
while time.process_time() < 20: pass`, func(l *Limits) { l.CPU = time.Second }, "the build used more than 1s of CPU time"},
		{"its processes compute", true, `
for _ in range(4):
    os.fork()
while time.process_time() < 20: pass`, func(l *Limits) { l.CPU = 2 * time.Second }, "the build used more than 2s of CPU time"},
		{"its children compute one after the other", true, `
for _ in range(40):
    if os.fork() == 0:
        until = time.process_time() + 0.5
        while time.process_time() < until: pass
        os._exit(0)
    os.wait()`, func(l *Limits) { l.CPU = 2 * time.Second }, "the build used more than 2s of CPU time"},
		{"it waits", false, `time.sleep(150)`, func(l *Limits) { l.Time = time.Second }, "the build took longer than 1s"},
		{"it stops", true, `os.kill(os.getpid(), 19)`, func(l *Limits) { l.Time = time.Second }, "the build took longer than 1s"},
		{"it prints", false, `
for _ in range(1 << 20):
    print("x" * 1000)`, nil, "the build printed more than 100000 bytes"},
		{"it writes many files", false, `
for i in range(100):
    open(f"f{i}", "wb").write(bytes(1 << 20))
time.sleep(150)`, nil, "the files of the build have more than 20 MiB"},
		{"it writes a long file", true, `open("f", "wb").write(bytes(100 << 20))`, nil, "python3 failed: exit status 1"},
		{"it hides what it writes", true, `
files = []
for i in range(40):
    f = open("f", "wb")
    f.write(bytes(1 << 20))
    f.flush()
    os.remove("f")
    files.append(f)
time.sleep(150)`, nil, "the files of the build have more than 20 MiB"},
		{"it creates many files", true, `
for i in range(5000):
    open(f"f{i}", "w").close()
time.sleep(150)`, nil, "the build created more than 500 files"},
		{"it creates many files at its end", true, `
for i in range(600):
    open(f"f{i}", "w").close()`, nil, "the build created more than 500 files"},
		{"it nests folders", true, `
for i in range(400):
    os.mkdir("x" * 200)
    os.chdir("x" * 200)
time.sleep(150)`, nil, "the folders of the build can't be read: file name too long"},
		{"it hides folders", true, `
os.mkdir("a", 0o300)
open("a/b", "w").close()
os.mkdir("b", 0)
time.sleep(150)`, nil, "the folders of the build can't be read: permission denied"},
		{"it uses memory", true, `bytearray(2 << 30)`, nil, "python3 failed: exit status 1"},
		{"its processes use memory", true, `
for _ in range(5):
    if os.fork() == 0:
        b = b"x" * (250 << 20)
        time.sleep(150)
time.sleep(150)`, nil, "the build used more than 512 MiB of memory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.long {
				long.Only(t, "an attack of a kind that the short run tries once")
			}
			if tt.name == "it hides folders" && os.Geteuid() == 0 {
				t.Skip("root reads all folders")
			}
			limits := tight
			if tt.limit != nil {
				tt.limit(&limits)
			}
			var out bytes.Buffer
			_, err := buildOf(t, "python", limits, &out, []string{"python3", "attack.py"}, "attack.py="+prelude+tt.script, "bot.py=")
			if wrong := (*ProgramError)(nil); !errors.As(err, &wrong) || err.Error() != tt.want {
				t.Errorf("got %v, want %s\n%.2000s", err, tt.want, out.Bytes())
			}
			if out.Len() > limits.Output+200 { // what Build itself writes
				t.Errorf("got %d bytes of output, want no more than allowed", out.Len())
			}
		})
	}
}

func TestNothingOfABuildRunsAfterIt(t *testing.T) {
	plan := language.Plan{Language: languageOf(t, "python"), Build: [][]string{{"python3", "attack.py"}}, Run: []string{"python3"}}
	for name, after := range map[string]string{"it ends": "", "it is ended": "time.sleep(150)"} {
		t.Run(name, func(t *testing.T) {
			source := archive.Tree{{Path: "attack.py", Data: []byte(prelude + daemon + after)}}
			ctx, out := cancelAfter(t, "daemon has begun\n")
			if after == "" {
				ctx = t.Context()
			}
			_, _ = Build(ctx, plan, source, private(t), tight, sandbox.Require, out)
			pid := 0
			if _, rest, ok := strings.Cut(out.all.String(), "process "); ok {
				_, _ = fmt.Sscan(rest, &pid)
			}
			if pid == 0 {
				t.Fatalf("got no daemon:\n%s", out.all.Bytes())
			}
			if state := stateOf(pid); state != "" && state != "Z" && state != "X" {
				t.Errorf("got the daemon in the state %s, want it to have ended", state)
			}
		})
	}
}

// daemon starts a process that tries to outlive the build.
const daemon = `
import signal
r, w = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(s, signal.SIG_IGN)
        try:
            os.setsid()
        except OSError:
            pass
        print("process", os.getpid(), flush=True)
        print("daemon has begun", flush=True)
        os.write(w, b"x")
        time.sleep(150)
    os._exit(0)
os.wait()
os.read(r, 1)
`

// stateOf returns the state of a process, or "" if there is none.
func stateOf(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if _, after, ok := strings.Cut(string(stat), ") "); ok {
		return after[:1]
	}
	return ""
}

func TestBuildThatIsInterruptedIsNotTheAuthors(t *testing.T) {
	plan := language.Plan{Language: languageOf(t, "python"), Build: [][]string{{"python3", "-c", "import time; print('begun', flush=True); time.sleep(150)"}}, Run: []string{"python3"}}
	ctx, cancel := cancelAfter(t, "begun")
	_, err := Build(ctx, plan, archive.Tree{}, private(t), generous, sandbox.Require, cancel)
	if wrong := (*ProgramError)(nil); err == nil || errors.As(err, &wrong) {
		t.Errorf("got %v, want an error of the host", err)
	}
}

// canceller is the output of a build. It cancels a context once a text was printed.
type canceller struct {
	text   string
	all    bytes.Buffer
	cancel func()
}

func (c *canceller) Write(b []byte) (int, error) {
	c.all.Write(b)
	if strings.Contains(c.all.String(), "\n"+c.text) {
		c.cancel()
	}
	return len(b), nil
}

func cancelAfter(t *testing.T, text string) (context.Context, *canceller) {
	ctx, cancel := context.WithCancel(t.Context())
	return ctx, &canceller{text: text, cancel: cancel}
}

func TestPrivateFilesBelowACompilerAreNotRead(t *testing.T) {
	home, err := sandbox.RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	library, data := filepath.Join(home, "lib"), filepath.Join(home, "data")
	for _, dir := range []string{library, data} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b := &builder{
		language: &language.Language{Read: []string{home + "/*"}}, tools: &language.Toolchain{Homes: []string{home}}, limits: Limits{Private: []string{data}},
	}
	p, err := b.policyOf()
	if err != nil {
		t.Fatal(err)
	}
	for what, paths := range map[string][]string{"read": p.Read, "executed": p.Execute} {
		if sandbox.Within(data, paths...) || !sandbox.Within(library, paths...) {
			t.Errorf("%q can be %s, want %s and not %s", paths, what, library, data)
		}
	}
}

func TestCompilersReadNoOtherFiles(t *testing.T) {
	long.Only(t, "secrets of the host in the messages of compilers")
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("SECRET\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]string{
		"c":    "a.c=#include \"" + secret + "\"\nint main() {}",
		"cpp":  "a.cpp=#include \"" + secret + "\"\nint main() {}",
		"rust": "main.rs=fn main() { println!(\"{}\", include_str!(\"" + secret + "\")) }",
		"go":   "a.go=package main\n\nimport _ \"embed\"\n\n//go:embed " + secret + "\nvar s string\n\nfunc main() { println(s) }",
	} {
		t.Run(name, func(t *testing.T) {
			languageOf(t, name)
			path, text, _ := strings.Cut(source, "=")
			tree := archive.Tree{{Path: path, Data: []byte(text)}}
			plan, err := languages(t).Recognize(tree, nil)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			_, err = Build(t.Context(), plan, tree, private(t), generous, sandbox.Require, &out)
			if wrong := (*ProgramError)(nil); !errors.As(err, &wrong) || strings.Contains(strings.ReplaceAll(out.String(), secret, ""), "SECRET") {
				t.Errorf("got %v, want a fault of the program, without the secret:\n%s", err, out.Bytes())
			}
		})
	}
}

func TestFolderThatIsDifficultIsRemoved(t *testing.T) {
	dir := t.TempDir()
	build := filepath.Join(dir, "build")
	if err := os.MkdirAll(filepath.Join(build, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(build, "a", "b", "c"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(build)
	if err != nil {
		t.Fatal(err)
	}
	at := root
	name := strings.Repeat("x", 200)
	for range 4 * maxDepth { // to a path of more than 4096 bytes
		if err := at.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
		below, err := at.OpenRoot(name)
		_ = at.Close()
		if err != nil {
			t.Fatal(err)
		}
		at = below
	}
	_ = at.Close()
	for _, hidden := range []string{"a/b", "a"} {
		if err := os.Chmod(filepath.Join(build, hidden), 0); err != nil {
			t.Fatal(err)
		}
	}
	top, err := os.OpenRoot(build)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&remover{top: top}).empty(top, ".", 0); err != nil { // root needs it for no folder
		t.Error(err)
	}
	_ = top.Close()
	if err := Remove(build); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(build); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("got %v, want it removed", err)
	}
}
