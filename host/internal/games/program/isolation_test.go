package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/test/poll"
)

// arena is a working directory with the programs of players.
func arena(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, path := range []string{
		"alice/bot", "alice/lib/book", "bob/bot", "bob/classes/Bot.class", "bob/game.jar", "both/one", "both/two", "solo", "data/records", "books/openings",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"alice/stolen": "../bob/bot", "alice/there": "../bob", "alice/secret": "../data/records", "alice/latest": "lib/book", "alice/sh": "/bin/sh",
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProgramReadsItsOwnFilesOnly(t *testing.T) {
	if missing := sandbox.Supported().Missing(); len(missing) > 0 {
		t.Skip(missing[0].Text)
	}
	arena(t)
	tests := []struct {
		name, command, other string
		want                 string // what it reads of the arena, or the error
	}{
		{"its folder", "./alice/bot", "./bob/bot", "alice alice/bot"},
		{"folders of its arguments", "/bin/sh alice/bot --book=books/openings", "./bob/bot", "alice alice/bot books books/openings"},
		{"a list", "/bin/sh -cp bob/classes:bob/game.jar Bot", "./alice/bot", "bob bob/classes bob/game.jar"},
		{"no folder with another's file", "./both/one", "./both/two", "both/one"},
		{"no folder above another's file", "./solo alice/lib/book", "./alice/bot", "alice/lib alice/lib/book solo"},
		{"the folder of the same program", "./alice/bot", "./alice/bot", "alice alice/bot"},
		{"not the working directory", "./solo", "./bob/bot", "solo"},
		{"a link in its folder", "/bin/sh alice/latest", "./bob/bot", "alice/lib alice/lib/book"},
		{"a link to a program of the system", "./alice/sh alice/bot", "./bob/bot", "alice alice/bot"},
		{"a link to another's program", "./alice/stolen", "./bob/bot", "alice/stolen is a link to "},
		{"a link to another's file", "/bin/sh alice/stolen", "./bob/bot", "alice/stolen is a link to "},
		{"a link to another's folder", "/bin/sh alice/there/bot", "./bob/bot", "alice/there is a link to "},
		{"a link to records", "/bin/sh alice/secret", "./bob/bot", "alice/secret is a link to "},
		{"records", "/bin/sh data/records", "./bob/bot", "is private"},
		{"the working directory", "./alice/bot .", "./bob/bot", "it cannot read the folder "},
		{"the root folder", "./alice/bot /", "./bob/bot", "it cannot read the folder /"},
		{"another's folder", "./alice/bot bob", "./bob/bot", "it cannot read the folder "},
		{"no program", "./alice/none", "./bob/bot", "start the program ./alice/none: "},
		{"a folder as program", "./alice", "./bob/bot", "./alice is not an executable file"},
		{"an unknown name", "colosseum-bot", "./bob/bot", "where confined programs are looked for"},
		{"a name in this folder", "solo", "./bob/bot", "for the file in this folder write ./solo"},
	}
	working, err := filepath.EvalSymlinks(".")
	if err == nil {
		working, err = filepath.Abs(working)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			isolation := Isolation{Level: sandbox.Require, Private: []string{"data", "none"}}
			commands, err := isolation.Commands([][]string{strings.Fields(tt.command), nil, strings.Fields(tt.other)})
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got the error %q, want %q", err, tt.want)
				}
				return
			}
			var got []string
			for _, path := range slices.Concat(commands[0].policy.Read, commands[0].policy.Execute) {
				if below, ok := strings.CutPrefix(path, working+"/"); ok {
					got = append(got, below)
				}
			}
			slices.Sort(got)
			if got := strings.Join(slices.Compact(got), " "); got != tt.want {
				t.Errorf("got the files %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWideFoldersAreNotThoseOfAProgram(t *testing.T) {
	arena(t)
	t.Setenv("HOME", "alice")
	t.Setenv("TMPDIR", "alice/lib")
	for _, program := range []string{"./solo", "./alice/bot", "./alice/lib/book"} {
		commands, err := Isolation{Level: sandbox.BestEffort}.Commands([][]string{{program}})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range commands[0].policy.Execute {
			if path == filepath.Dir(commands[0].path) {
				t.Errorf("%s: got %s among its files, want only the program", program, path)
			}
		}
	}
}

func TestSharedFilesAreReadableWithoutThoseOfOthers(t *testing.T) {
	if !sandbox.Supported().Launcher {
		t.Skip("nothing is confined on this system")
	}
	arena(t)
	commands, err := Isolation{Level: sandbox.BestEffort, Read: []string{"."}, Private: []string{"data"}}.Commands([][]string{{"./alice/bot"}, {"./bob/bot"}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range commands[0].policy.Read {
		names = append(names, filepath.Base(path))
	}
	for name, want := range map[string]bool{"books": true, "solo": true, "both": true, "bob": false, "data": false} {
		if got := slices.Contains(names, name); got != want {
			t.Errorf("got the readable files %q with %s: %v, want %v", names, name, got, want)
		}
	}
	_, err = Isolation{Level: sandbox.BestEffort, Read: []string{"nothing"}}.Commands(nil)
	if err == nil || !strings.Contains(err.Error(), "find what all programs can read: ") {
		t.Errorf("got the error %v for a file that does not exist, want one", err)
	}
}

func TestInstalledProgramHasItsFolderAndToolchain(t *testing.T) {
	if !sandbox.Supported().Launcher {
		t.Skip("nothing is confined on this system")
	}
	arena(t)
	working, err := sandbox.RealPath(".")
	if err != nil {
		t.Fatal(err)
	}
	alice, books := filepath.Join(working, "alice"), filepath.Join(working, "books")
	i := Isolation{Level: sandbox.BestEffort, Read: []string{working}, Private: []string{working}} // the folder is in that of the host
	command, err := i.Installed([]string{filepath.Join(alice, "bot")}, alice, []string{books})
	if err != nil {
		t.Fatal(err)
	}
	var own []string
	for _, path := range slices.Concat(command.policy.Execute, command.policy.Read) {
		if sandbox.Within(path, working) {
			own = append(own, path)
		}
	}
	if want := []string{alice}; !slices.Equal(own, want) || command.folder != alice || command.policy.Write != "" {
		t.Errorf("got the files %q in %s, want %q", own, command.folder, want)
	}
	i.Private = nil
	if command, err = i.Installed([]string{filepath.Join(alice, "bot")}, alice, []string{books}); err != nil || !slices.Contains(command.policy.Execute, books) {
		t.Errorf("got the files %q, %v, want the toolchain among them", command.policy.Execute, err)
	}
	for _, program := range []string{"none", "."} {
		if _, err := i.Installed([]string{filepath.Join(alice, program)}, alice, nil); err == nil {
			t.Errorf("%s: got no error, want one", program)
		}
	}
}

func TestEnvironmentOfAConfinedProgramHasNothingOfTheHost(t *testing.T) {
	t.Setenv("SECRET", "x")
	got := (Isolation{Level: sandbox.Require, Memory: 512 << 20}).environment()
	want := []string{
		"PATH=" + sandbox.Path, "LANG=C.UTF-8", "HOME=/nonexistent", "PYTHONDONTWRITEBYTECODE=1", "GOMEMLIMIT=429496729",
		"NODE_OPTIONS=--max-old-space-size=256", "JAVA_TOOL_OPTIONS=-XX:MaxRAM=512m -XX:MaxRAMPercentage=50",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// confined starts a confined program in Python.
func confined(t testing.TB, i Isolation, script string) *Program {
	t.Helper()
	if missing := sandbox.Supported().Missing(); len(missing) > 0 {
		t.Skip(missing[0].Text)
	}
	if _, err := sandbox.Look("python3"); err != nil {
		t.Skip(err)
	}
	i.Level = sandbox.Require
	commands, err := i.Commands([][]string{{"python3", "-c", script}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(commands[0], limits)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProgramWithTooManyThreadsIsKilled(t *testing.T) {
	if sandbox.Supported().Limits {
		t.Skip("the system refuses them")
	}
	p := confined(t, Isolation{}, `
import threading
threading.stack_size(65536)
for i in range(1100):
    threading.Thread(target=input if i == 0 else threading.Event().wait, daemon=True).start()
threading.Event().wait()`)
	poll.Receive(t, "the program was killed", p.exited)
	if exit := p.End(0); !strings.HasPrefix(exit.Fault, "it had 1") || !strings.HasSuffix(exit.Fault, " threads, more than 1000") {
		t.Errorf("ended as %+v, want that it had more than 1000 threads", exit)
	}
}

func TestProgramWithHiddenMemoryIsKilled(t *testing.T) {
	if sandbox.Supported().Limits {
		t.Skip("the system refuses it")
	}
	p := confined(t, Isolation{Memory: 128 << 20}, `
import ctypes, mmap, threading
kept = []
for i in range(20):
    kept.append(mmap.mmap(-1, 16 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    kept[i].write(b"x" * (8 << 20))
    kept[i].write(b"x" * (8 << 20))
    address = ctypes.addressof(ctypes.c_char.from_buffer(kept[i]))
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(address), 16 << 20, mmap.PROT_READ) == 0
threading.Event().wait()`)
	poll.Receive(t, "the program was killed", p.exited)
	if exit := p.End(0); !strings.HasPrefix(exit.Fault, "it used ") || !strings.HasSuffix(exit.Fault, " MiB of memory, more than 128") {
		t.Errorf("ended as %+v, want that it used more than 128 MiB", exit)
	}
}

func TestProcessesOfAConfinedProgramEndWithIt(t *testing.T) {
	p := confined(t, Isolation{Processes: true}, `
import os, signal, time
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("child", os.getpid(), flush=True)
    time.sleep(1000)
try:
    os.setsid()
except PermissionError:
    print("no session of its own", flush=True)
time.sleep(1000)`)
	m := newMatch(1000)
	p.Play(m, 0)
	lines := []string{poll.Receive(t, "its first line", m.lines), poll.Receive(t, "its second line", m.lines)}
	slices.Sort(lines)
	if n := sandbox.Measure(p.cmd.Process.Pid, true).Threads; n != 2 {
		t.Errorf("got %d threads in its group, want 2", n)
	}
	if want := "no session of its own"; lines[1] != want {
		t.Errorf("got the lines %q, want %q", lines, want)
	}
	exit := p.End(0)
	if want := "it did not end within 0s of the end of its input"; exit.Fault != want {
		t.Errorf("ended as %+v, want %q", exit, want)
	}
	m.wait(t) // the child held the pipe
}

// BenchmarkStart measures how long a program takes from its start to its first line.
func BenchmarkStart(b *testing.B) {
	for _, level := range []sandbox.Level{sandbox.Off, sandbox.Require} {
		b.Run(string(level), func(b *testing.B) {
			commands, err := Isolation{Level: level, Memory: 512 << 20, CPU: time.Minute}.Commands([][]string{{"/bin/echo", "ready"}})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				p, err := Start(commands[0], limits)
				if err != nil {
					b.Fatal(err)
				}
				m := newMatch(1000)
				p.Play(m, 0)
				<-m.lines
				b.StopTimer()
				p.End(ample)
				b.StartTimer()
			}
		})
	}
}
