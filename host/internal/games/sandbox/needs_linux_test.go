package sandbox

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// tree creates files in a new folder, which it returns without links. A content that
// begins with "-> " is a link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if target, ok := strings.CutPrefix(content, "-> "); err == nil && ok {
			err = os.Symlink(target, path)
		} else if err == nil {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(content, "DIR", dir)), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestExamineNamesScripts(t *testing.T) {
	dir := tree(t, map[string]string{
		"data":         "no program",
		"empty":        "",
		"only-marks":   "#!\n",
		"one":          "#!DIR/data\n",
		"spaces":       "#!  DIR/data  -x y\n",
		"no-newline":   "#!DIR/data",
		"two":          "#!DIR/one\n",
		"link":         "-> two",
		"through-link": "#!DIR/link\n",
	})
	for program, want := range map[string][]string{
		"data": {"data"}, "empty": {"empty"}, "only-marks": {"only-marks"},
		"one": {"data", "one"}, "spaces": {"data", "spaces"}, "no-newline": {"data", "no-newline"},
		"two": {"data", "one", "two"}, "link": {"data", "one", "two"}, "through-link": {"data", "one", "through-link", "two"},
	} {
		needs, err := Examine(filepath.Join(dir, program), dir)
		var got []string
		for _, path := range needs.Execute {
			got = append(got, strings.TrimPrefix(path, dir+"/"))
		}
		if err != nil || !slices.Equal(got, want) || len(needs.Read) > 0 {
			t.Errorf("%s: got %q, %q and %v, want %q", program, got, needs.Read, err, want)
		}
	}
}

func TestExamineFindsInterpretersOfTheSystem(t *testing.T) {
	shell, err := Look("sh")
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(shell)
	if err != nil {
		t.Fatal(err)
	}
	env, err := Look("env")
	if err != nil {
		t.Fatal(err)
	}
	dir := tree(t, map[string]string{
		"direct": "#!" + shell + "\n", "env": "#!" + env + " sh\n", "options": "#!" + env + " -S A=b sh -x\n",
	})
	for _, program := range []string{"direct", "env", "options"} {
		needs, err := Examine(filepath.Join(dir, program))
		if err != nil || !slices.Contains(needs.Execute, real) {
			t.Errorf("%s: got %q and %v, want %s among them", program, needs.Execute, err, real)
		}
	}
}

func TestExamineReadsTheHeadersOfPrograms(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err) // in an image of a system that has only the test binary
	}
	dir := tree(t, map[string]string{"main.go": "package main\n\nfunc main() {}\n"})
	static := filepath.Join(dir, "static")
	build := exec.Command("go", "build", "-o", static, filepath.Join(dir, "main.go"))
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build a static program: got %v, want no error\n%s", err, out)
	}
	needs, err := Examine(static)
	if err != nil || !slices.Equal(needs.Execute, []string{static}) || len(needs.Read) > 0 {
		t.Errorf("static program: got %+v and %v, want only its file", needs, err)
	}
	cat, err := Look("cat")
	if err != nil {
		t.Fatal(err)
	}
	needs, err = Examine(cat)
	if err != nil || len(needs.Execute) != 2 || !slices.Contains(needs.Read, "/usr/lib") {
		t.Errorf("dynamic program: got %+v and %v, want the program, a loader and the system's libraries", needs, err)
	}
}

func TestExamineRefusesUntrustedInterpretersAndInvalidPrograms(t *testing.T) {
	dir := tree(t, map[string]string{
		"secret":   "the password",
		"reader":   "#!DIR/secret\n",
		"by-link":  "-> reader",
		"relative": "#!secret\n",
		"gone":     "#!/bin/no-such-interpreter\n",
		"no-env":   "#!/usr/bin/env no-such-interpreter\n",
		"5":        "#!/bin/sh\n", "4": "#!DIR/5\n", "3": "#!DIR/4\n", "2": "#!DIR/3\n", "1": "#!DIR/2\n", "0": "#!DIR/1\n",
		"self":     "#!DIR/self\n",
		"circle":   "-> circle",
		"folder/x": "",
		"quiet":    "#!DIR/password\n", "password": "",
	})
	if err := os.Chmod(filepath.Join(dir, "password"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		program string
		trusted bool // its folder holds interpreters
		want    string
	}{
		"interpreter outside of the system's folders": {"reader", false, "secret is not in a folder of the system"},
		"link to it":                                 {"by-link", false, "secret is not in a folder of the system"},
		"relative interpreter":                       {"relative", true, "its interpreter"},
		"interpreter that is not executable":         {"quiet", true, "password is not executable"},
		"interpreter that does not exist":            {"gone", false, "no-such-interpreter: no such file or directory"},
		"interpreter that is not in the search path": {"no-env", false, "no-such-interpreter: not found in " + Path},
		"too many interpreters":                      {"0", true, "too many scripts interpret each other"},
		"script that interprets itself":              {"self", true, "too many scripts interpret each other"},
		"link to itself":                             {"circle", false, "too many links"},
		"folder":                                     {"folder", false, "it is not a regular file"},
		"named pipe":                                 {"pipe", false, "it is not a regular file"},
		"missing":                                    {"missing", false, "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			var others []string
			if test.trusted {
				others = append(others, dir)
			}
			needs, err := Examine(filepath.Join(dir, test.program), others...)
			if err == nil || !strings.Contains(err.Error(), test.want) || len(needs.Execute)+len(needs.Read) > 0 {
				t.Errorf("got %+v and %v, want an error with %q", needs, err, test.want)
			}
		})
	}
	if _, err := Examine(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v for a missing program, want %v", err, os.ErrNotExist)
	}
}

func TestExamineReadsOnlyWhatTheSystemReadsOfAProgram(t *testing.T) {
	dir := tree(t, map[string]string{"first": "", "second": ""})
	var file bytes.Buffer
	write := func(v any) {
		if err := binary.Write(&file, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	const segments, sections = 2, 1_000_000
	header := elf.Header64{
		Ident:   [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Version: uint32(elf.EV_CURRENT), Phoff: 64, Phentsize: 56, Phnum: segments, Shoff: 8192, Shentsize: 64,
	}
	write(header)
	for i, loader := range []string{dir + "/first", dir + "/second"} {
		write(elf.Prog64{Type: uint32(elf.PT_INTERP), Off: uint64(1024 * (i + 1)), Filesz: uint64(len(loader))})
	}
	for i, loader := range []string{dir + "/first", dir + "/second"} {
		file.Write(make([]byte, 1024*(i+1)-file.Len()))
		file.WriteString(loader)
	}
	file.Write(make([]byte, 8192-file.Len()))
	write(elf.Section64{Size: sections, Link: 1}) // the number of sections
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, file.Bytes(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(program, 8192+sections*64); err != nil { // without using the disk
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	needs, err := Examine(program, dir)
	runtime.ReadMemStats(&after)
	if want := []string{dir + "/first", program}; err != nil || !slices.Equal(needs.Execute, want) {
		t.Errorf("got %q and %v, want %q", needs.Execute, err, want)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("it used %d bytes of memory, want at most 1 MiB", used)
	}

	header.Phnum, header.Phentsize = 60_000, 60_000 // more than 3 GB, which the system refuses
	file.Reset()
	write(header)
	if err := os.WriteFile(program, file.Bytes(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(program, 4<<30); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&before)
	needs, err = Examine(program, dir)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err != nil || used > 32<<20 {
		t.Errorf("long table of segments: got %v and %d bytes of memory, want at most 32 MiB", err, used)
	}
}

func TestInstallationIsTheFolderOfAProgramWithItsLibraries(t *testing.T) {
	for path, want := range map[string][]string{
		"/opt/jdk/bin/java":                {"/opt/jdk"},
		"/usr/local/go/bin/go":             {"/usr/local/go"},
		"/nix/store/abc-python/bin/python": {"/nix/store/abc-python"},
		"/usr/local/bin/node":              nil,
		"/opt/program":                     nil,
		"/usr/bin/python3":                 nil,
		"/optional/jdk/bin/java":           nil,
	} {
		if got := installation(path); !slices.Equal(got, want) {
			t.Errorf("installation(%q): got %q, want %q", path, got, want)
		}
	}
}

// A host can be installed with its games, as /opt/colosseum/games/chess.
func TestProgramOfAGameIsNoInstallation(t *testing.T) {
	dir := tree(t, map[string]string{"host/games/chess/bin/chess": "", "host/password": ""})
	before := prefixes
	prefixes = []string{dir}
	defer func() { prefixes = before }()
	program := dir + "/host/games/chess/bin/chess"
	for _, test := range []struct{ others, want []string }{{nil, []string{dir + "/host"}}, {[]string{dir + "/host/games/chess"}, nil}} {
		needs, err := Examine(program, test.others...)
		if err != nil || !slices.Equal(needs.Read, test.want) {
			t.Errorf("with the folders %q: got %q and %v, want %q", test.others, needs.Read, err, test.want)
		}
	}
}

func TestWithoutLeavesOutWhatIsForbidden(t *testing.T) {
	dir := tree(t, map[string]string{
		"usr/lib/a": "", "usr/lib/data/secret": "", "usr/share/b": "", "data": "-> usr/lib/data", "lib": "-> usr/lib", "other/c": "", "usr/lib/elsewhere": "-> ../../other",
	})
	for _, test := range []struct {
		name                   string
		paths, forbidden, want []string
	}{
		{"nothing forbidden", []string{"usr", "other"}, nil, []string{"usr", "other"}},
		{"missing paths", []string{"gone", "other"}, nil, []string{"other"}},
		{"forbidden folder itself", []string{"usr/lib/data", "other"}, []string{"usr/lib/data"}, []string{"other"}},
		{"path below a forbidden one", []string{"usr/lib/data/secret"}, []string{"usr"}, nil},
		{"forbidden folder below a permitted one", []string{"usr"}, []string{"usr/lib/data"}, []string{"usr/lib/a", "usr/share"}},
		{"the same through a link", []string{"lib"}, []string{"usr/lib/data"}, []string{"usr/lib/a"}},
		{"link elsewhere beside a forbidden folder", []string{"usr"}, []string{"usr/lib/data", "usr/lib/a"}, []string{"usr/share"}},
		{"link to a forbidden folder", []string{"data"}, []string{"usr/lib/data"}, nil},
		{"two forbidden folders", []string{"usr"}, []string{"usr/lib/data", "usr/share"}, []string{"usr/lib/a"}},
		{"folder with a name that begins in the same way", []string{"other"}, []string{"oth"}, []string{"other"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := func(names []string) (paths []string) {
				for _, name := range names {
					paths = append(paths, filepath.Join(dir, name))
				}
				return paths
			}
			if got, want := Without(in(test.paths), in(test.forbidden)), in(test.want); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
