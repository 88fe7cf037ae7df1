package submissions

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// reached is the first word of what an attack prints if it works.
const reached = "REACHED:"

// entry is a file of a zip.
type entry struct {
	name, text string
	mode       fs.FileMode
	encrypted  bool
}

// zip writes an archive, and returns its path.
func (c *class) zip(entries ...entry) string {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), "mine.zip")
	f, err := os.Create(path)
	if err != nil {
		c.t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		header.SetMode(0o644 | e.mode)
		create := w.CreateHeader
		if e.encrypted {
			header.Flags, header.Method = 1, zip.Store
			header.CompressedSize64, header.UncompressedSize64 = uint64(len(e.text)), uint64(len(e.text))
			create = w.CreateRaw
		}
		to, err := create(header)
		if err != nil {
			c.t.Fatal(err)
		}
		if _, err := to.Write([]byte(e.text)); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		c.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// victim is what attacks try to reach.
type victim struct {
	t      *testing.T
	folder string
	host   *class
	port   string
}

func newVictim(t *testing.T, c *class) *victim {
	t.Helper()
	v := &victim{t: t, folder: t.TempDir(), host: c}
	if err := os.WriteFile(filepath.Join(v.folder, "secret"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var err error
	if _, v.port, err = net.SplitHostPort(strings.Trim(strings.TrimPrefix(c.Host.URL, "ws://"), "/")); err != nil {
		t.Fatal(err)
	}
	return v
}

// untouched checks that no attack has written anything.
func (v *victim) untouched() {
	v.t.Helper()
	if text, err := os.ReadFile(filepath.Join(v.folder, "secret")); string(text) != "x\n" {
		v.t.Errorf("got %q, %v in the secret, want it unchanged", text, err)
	}
	if entries, err := os.ReadDir(v.folder); len(entries) != 1 {
		v.t.Errorf("got %v, %v in the folder of the secret, want it alone", entries, err)
	}
	for _, folder := range []string{v.host.Host.Data, filepath.Join(v.host.Host.Data, "submissions"), os.TempDir()} {
		if found, _ := filepath.Glob(filepath.Join(folder, "colosseum-attack*")); len(found) > 0 {
			v.t.Errorf("got %v, want nothing that an attack has written", found)
		}
	}
}

// python returns a program that tries attacks, which do no harm if they work. Builds can
// write their own folder, and start processes.
func (v *victim) python(built bool) string {
	attempts := []struct{ name, code string }{
		{"passwords", `open("/etc/shadow").read()`},
		{"users", `open("/etc/passwd").read()`},
		{"a secret", `open(FOLDER + "/secret").read()`},
		{"to change a secret", `open(FOLDER + "/secret", "r+")`},
		{"to create a file", `open(FOLDER + "/colosseum-attack", "w")`},
		{"to create a temporary file", `open(TMP + "/colosseum-attack", "w")`},
		{"to link a secret", `os.link(FOLDER + "/secret", "colosseum-hard")`},
		{"the data of the host", `os.listdir(DATA)`},
		{"to write the data of the host", `open(DATA + "/colosseum-attack", "w")`},
		{"the store", `[open(DATA + "/" + name, "rb").read(1) for name in ("colosseum.db", "colosseum.sqlite")]`},
		{"other programs", `os.listdir(DATA + "/submissions/installed")`},
		{"other builds", `os.listdir(DATA + "/submissions/builds")`},
		{"the port of the host", `socket.create_connection(("127.0.0.1", PORT), 2)`},
		{"the processes", `os.listdir("/proc")`},
		{"the environment of the host", `open(f"/proc/{HOST}/environ", "rb").read()`},
		{"the memory of the host", `open(f"/proc/{HOST}/mem", "rb").read(1)`},
		{"to signal the host", `os.kill(HOST, 0)`},
		{"to trace the host", `call("ptrace", 16, HOST, 0, 0)`},
		{"a namespace", `call("unshare", 0x10000000)`},
		{"a mount", `call("mount", b"x", b"/", b"tmpfs", 0, 0)`},
		{"a session", `os.setsid()`},
		{"memory as a file", `os.memfd_create("x")`},
	}
	if !built {
		attempts = append(attempts, []struct{ name, code string }{
			{"to change itself", `open("bot.py", "r+")`},
			{"the next folder", `os.listdir("..")`},
			{"to write its folder", `open("colosseum-attack", "w")`},
			{"to fork", `bomb()`},
			{"to run a program", `subprocess.run(["/bin/true"])`},
		}...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `import os, sys, socket, subprocess, time
try:
    import ctypes
except ImportError:
    ctypes = None
FOLDER, DATA, TMP, PORT, HOST = %q, %q, %q, %s, %d
def call(name, *args):
    if ctypes is None:
        raise OSError("there is no ctypes")
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*args) == -1:
        raise OSError(name)
def bomb():
    for _ in range(30): # it would end by itself
        if os.fork() == 0:
            time.sleep(1)
            os._exit(0)
def attempt(name, what):
    try:
        what()
    except (OSError, ValueError):
        return
    print("REACHED:", name, file=sys.stderr, flush=True)
`, v.folder, v.host.Host.Data, os.TempDir(), v.port, v.host.Host.Cmd.Process.Pid)
	for _, a := range attempts {
		fmt.Fprintf(&b, "attempt(%q, lambda: %s)\n", a.name, a.code)
	}
	return b.String() + "print('tried all', file=sys.stderr, flush=True)\n"
}

// shell is python for sh, which has no sockets, and ends where it can't start a process.
func (v *victim) shell() string {
	return fmt.Sprintf(`attempt() { eval "$2" 2> /dev/null && echo "REACHED: $1" >&2; }
attempt passwords 'read -r x < /etc/shadow'
attempt "a secret" 'read -r x < %[1]s/secret'
attempt "to change a secret" 'echo x >> %[1]s/secret'
attempt "to write the data of the host" 'echo x > %[2]s/colosseum-attack'
attempt "a folder of the host" 'cd %[2]s && read -r x < host.log'
attempt "to write its folder" 'echo x > colosseum-attack'
attempt "to signal the host" 'kill -0 %[3]d'
echo "tried all" >&2
`, v.folder, v.host.Host.Data, v.host.Host.Cmd.Process.Pid)
}

// hostile returns programs that are wrong, or do harm to a host that is not careful. Those
// that use up something are bounded.
func (c *class) hostile(v *victim) []handed {
	c.t.Helper()
	player := always("ROCK")
	built := func(commands string) string {
		return c.folder(map[string]string{"bot.sh": player, "build.sh": commands, "colosseum.yaml": "build: [[sh, build.sh]]\n"})
	}
	sh := func(text string) string { return c.file("bot.sh", text) }
	large := strings.Repeat("x", 1000)
	list := []handed{
		{what: "a build that prints without end", path: built("i=0\nwhile [ $i -lt 1000000 ]; do echo " + large + "; i=$((i + 1)); done"), refused: "the build printed more than"},
		{what: "a build that forks without end", path: built("i=0\nwhile [ $i -lt 200 ]; do sleep 100 & i=$((i + 1)); done\nwait"), refused: "processes at once"},
		{what: "a zip with a path that leads out", path: c.zip(entry{name: "bot.sh", text: player}, entry{name: "../../evil.sh", text: player}), arrives: "leads out of the archive"},
		{what: "a zip with an absolute path", path: c.zip(entry{name: "bot.sh", text: player}, entry{name: "/tmp/colosseum-attack", text: player}), arrives: "leads out of the archive"},
		{what: "a zip with a link", path: c.zip(entry{name: "bot.sh", text: player}, entry{name: "link", text: "/etc/shadow", mode: fs.ModeSymlink}), arrives: "is a link"},
		{what: "a bomb", path: c.zip(entry{name: "bot.sh", text: player}, entry{name: "zeros", text: strings.Repeat("\x00", 30<<20)}), arrives: "times as long"},
		{what: "an encrypted zip", path: c.zip(entry{name: "bot.sh", text: player, encrypted: true}), arrives: "is encrypted"},
		{what: "a broken zip", path: c.file("mine.zip", "PK\x03\x04 broken"), arrives: "zip"},
		{what: "a file of another kind", path: c.file("bot.xyz", "hello"), arrives: "language"},
		{what: "no program", path: c.folder(map[string]string{"README": "read me"}), arrives: "language"},
		{what: "a wrong colosseum.yaml", path: c.folder(map[string]string{"bot.sh": player, "colosseum.yaml": "run: [/bin/sh, bot.sh]\nhost: mine\n"}), arrives: "colosseum.yaml"},
		{what: "a program that ends at once", path: sh("echo oops >&2; exit 3\n"), refused: "exit status 3"},
		{what: "an illegal line", path: sh(always("LIZARD")), refused: "LIZARD"},
		{what: "a line without an end", path: sh("x=" + large + "\ni=0\nwhile [ $i -lt 1000000 ]; do printf %s \"$x\"; i=$((i + 1)); done\n"), refused: "more than 4096 bytes"},
		// The trial has the rounds that the game has by default; the ladder has another number.
		{what: "a program that plays only its trial", path: sh(strings.Replace(always("ROCK"), "read -r rounds\n", "read -r rounds\n[ \"$rounds\" = 7 ] && exit 1\n", 1)), rests: true},
		{what: "attacks in shell", path: sh(v.shell() + player), attacks: "tried all"},
	}
	if _, err := exec.LookPath("python3"); err == nil {
		rock := playing(pythonPlayer, "0")
		list = append(list,
			handed{what: "attacks in Python", path: c.file("bot.py", v.python(false)+rock), attacks: "tried all"},
			handed{what: "attacks in a build", path: c.folder(map[string]string{"bot.py": rock, "attack.py": v.python(true), "colosseum.yaml": "build: [[python3, attack.py]]\nrun: [python3, bot.py]\n"}), attacks: "tried all"},
			handed{what: "a build that uses memory", path: c.folder(map[string]string{"bot.py": rock, "attack.py": "bytearray(2 << 30)", "colosseum.yaml": "build: [[python3, attack.py]]\nrun: [python3, bot.py]\n"}), refused: "MemoryError"},
			handed{what: "a program that uses memory", path: c.file("bot.py", "x = bytearray(2 << 30)\n"+rock), refused: "MemoryError"},
			handed{what: "a wrong syntax in Python", path: c.file("bot.py", "print('a'\n"+rock), refused: "SyntaxError"},
		)
	}
	if _, err := exec.LookPath("gcc"); err == nil {
		list = append(list,
			handed{what: "a wrong syntax in C", path: c.file("bot.c", "int main(void) { return x }\n"), refused: "error:"},
			handed{what: "a program in C that forks", path: c.file("bot.c", strings.NewReplacer("HAND]", "1]", "#include <stdio.h>", "#include <stdio.h>\n#include <unistd.h>",
				"int main(void) {", "int main(void) {\n\tfor (int i = 0; i < 30; i++) if (fork() == 0) { fprintf(stderr, \"REACHED: a process\\n\"); sleep(1); return 0; }\n\tfprintf(stderr, \"tried all\\n\");").Replace(cPlayer)), attacks: "tried all"},
		)
	}
	return list
}
