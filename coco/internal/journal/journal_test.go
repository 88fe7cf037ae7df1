package journal

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/internal/test/race"
)

var header = Header{ID: "8gj5mqqjtoklo", Title: "T \u202e<b>", Game: "roshambo", Args: map[string]string{"rounds": "3"}, Timeout: 5, Players: 2, Names: []string{"alice", "bob"}, Name: "alice", Server: "ws://127.0.0.1:8088/", Commitment: "c0ffee"}

// read returns the only log in a folder.
func read(t *testing.T, folder string) (*Log, string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.log"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got the files %q, %v, want one", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	l, err := Parse(b)
	if err != nil {
		t.Fatalf("got %v, want a log in\n%s", err, b)
	}
	return l, string(b)
}

func begin(t *testing.T) (j *Journal, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "logs")
	j, err := New(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Begin(header, time.Now()); err != nil {
		t.Fatal(err)
	}
	return j, folder
}

func TestLogShowsAMatch(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		j, err := New(folder)
		if err != nil {
			t.Fatal(err)
		}
		j.Stderr([]byte("loading"), time.Now())
		time.Sleep(1500 * time.Millisecond)
		if err := j.Begin(header, time.Now()); err != nil {
			t.Fatal(err)
		}
		j.Received([]byte("alice\nyour move: "))
		time.Sleep(1234567 * time.Microsecond)
		j.Sent([]byte("RO"))
		j.Sent([]byte("CK\r\n"))
		j.Received([]byte("\xff\x1b[2J\n\n\"quoted\"\n"))
		j.Stderr([]byte(strings.Repeat("x", 2*maxLine)), time.Now())
		j.Note("bob is away for at most %d s", 60)
		j.Sent([]byte("PAP"))
		if err := j.Close("result: 1. alice"); err != nil {
			t.Error(err)
		}
		if err := j.Close(); err != os.ErrClosed {
			t.Errorf("second Close: got %v, want os.ErrClosed", err)
		}
		j.Note("too late")
	})
	l, text := read(t, folder)
	_, text, _ = strings.Cut(text, "\n")
	head, text, _ := strings.Cut(text, "\n")
	if want := `{"match":"8gj5mqqjtoklo","title":"T \u202e<b>","game":"roshambo"`; !strings.HasPrefix(head, want) {
		t.Errorf("got the header %s, want %s", head, want)
	}
	want := `   -1.500000 !  loading
    0.000000 <  alice
    0.000000 <+ your move: 
    1.234567 >  "ROCK\r"
    1.234567 <  "\xff\x1b[2J"
    1.234567 < 
    1.234567 <  "\"quoted\""
    1.234567 !~ ` + strings.Repeat("x", maxLine) + `
    1.234567 #  bob is away for at most 60 s
    1.234567 >+ PAP
    1.234567 #  result: 1. alice
`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if got := l.Entries[2]; got.Text != "your move: " || !got.Open || got.Kind != Received {
		t.Errorf("got %+v, want the open line", got)
	}
	l.Started = time.Time{}
	if !reflect.DeepEqual(l.Header, header) {
		t.Errorf("got the header %+v, want %+v", l.Header, header)
	}
	files, err := filepath.Glob(filepath.Join(folder, "20000101-*-roshambo-8gj5mqqjtoklo.log"))
	if err != nil || len(files) != 1 {
		t.Errorf("got %q, %v, want the file's name with time, game and match", files, err)
	}
}

func TestLogIsPrivateAndItsNameSafe(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	h := header
	h.Game, h.ID = "../../etc/passwd", strings.Repeat("ü", 1000)
	zero := time.Now()
	for n := range 3 {
		j, err := New(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Begin(h, zero); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 || filepath.Dir(j.Path()) != folder {
			t.Errorf("log %d: got %s with mode %v, want a file in %s that only the user can read", n, j.Path(), info.Mode(), folder)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 3 {
		t.Errorf("got %v, %v, want three files", files, err)
	}
}

// TestStreamIsReadBackWhole: any bytes, in any pieces, come back in the same order.
func TestStreamIsReadBackWhole(t *testing.T) {
	race.Skip(t, "one goroutine writes and reads")
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		j, folder := begin(t)
		type run struct {
			kind Kind
			b    []byte
		}
		var want []run // consecutive pieces of one kind are joined
		add := func(list []run, kind Kind, b []byte) []run {
			if n := len(list) - 1; n >= 0 && list[n].kind == kind {
				list[n].b = append(list[n].b, b...)
				return list
			}
			return append(list, run{kind, slices.Clone(b)})
		}
		for range 1 + random.IntN(30) {
			piece := make([]byte, 1+random.IntN(20))
			if random.IntN(10) == 0 {
				piece = make([]byte, maxPart+random.IntN(3*maxPart))
			}
			for i := range piece {
				piece[i] = "ab\n\"\\ \x00\xff\r\t"[random.IntN(10)]
			}
			if random.IntN(2) == 0 {
				j.Received(piece)
				want = add(want, Received, piece)
			} else {
				j.Sent(piece)
				want = add(want, Sent, piece)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		l, _ := read(t, folder)
		var got []run
		for _, e := range l.Entries {
			got = add(got, e.Kind, e.Bytes())
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %d runs of bytes, want %d with the same bytes", len(got), len(want))
		}
	}
}

func TestLogIsBounded(t *testing.T) {
	j, folder := begin(t)
	for range maxStderr / maxLine * 2 {
		j.Stderr(make([]byte, maxLine), time.Now())
	}
	size := func() int64 {
		info, err := os.Stat(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if got := size(); got > maxStderr+8*maxLine {
		t.Errorf("got %d bytes of stderr, want at most %d", got, maxStderr)
	}
	for range maxFile / maxPart * 2 {
		j.Received([]byte(strings.Repeat("y", maxPart-1) + "\n"))
	}
	if err := j.Close("result: lost"); err != nil {
		t.Fatal(err)
	}
	if got := size(); got > maxFile+4*maxPart {
		t.Errorf("got %d bytes, want at most %d", got, maxFile)
	}
	l, _ := read(t, folder)
	var notes []string
	for _, e := range l.Entries {
		if e.Kind == Note {
			notes = append(notes, e.Text)
		}
	}
	want := []string{"stderr is no longer logged: it has more than 16 MiB", "the log ends here: it has more than 64 MiB", "result: lost"}
	if !slices.Equal(notes, want) {
		t.Errorf("got the notes %q, want %q", notes, want)
	}
}

func TestEarlyEntriesAreBounded(t *testing.T) {
	j, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for range 100_000 {
		j.Stderr([]byte("waiting"), time.Now())
	}
	if len(j.early) > maxEarly/64 {
		t.Errorf("got %d entries before the match, want at most %d", len(j.early), maxEarly/64)
	}
	if err := j.Close(); err != nil || j.Path() != "" {
		t.Errorf("got %v and the file %q, want none for a match that never began", err, j.Path())
	}
}

func TestFailureToWriteEndsOnlyTheLog(t *testing.T) {
	j, _ := begin(t)
	j.file.Close() // like a disk that fails
	j.Sent([]byte("ROCK\n"))
	if j.Err() == nil {
		t.Error("got no error, want that of the file")
	}
	j.Sent([]byte("ROCK\n"))
	if err := j.Close(); err == nil {
		t.Error("Close: got no error, want that of the file")
	}
}

func TestNilJournalDropsEverything(t *testing.T) {
	var j *Journal
	j.Received([]byte("x"))
	j.Sent([]byte("x"))
	j.Stderr([]byte("x"), time.Now())
	j.Note("x")
	if err := j.Begin(header, time.Now()); err != nil || j.Path() != "" || j.Err() != nil || j.Close("x") != nil {
		t.Errorf("got %v, path %q, want nothing", err, j.Path())
	}
}

func TestDamagedLogIsNamed(t *testing.T) {
	const head = first + "\n{}\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "does not begin with"},
		{"another file", "#!/bin/sh\n", "does not begin with"},
		{"no header", first + "\nx\n", "line 2"},
		{"no time", head + "x <  a\n", `line 3: "x" is not a time`},
		{"huge time", head + "99999999999999999999.000000 <  a\n", "not a time"},
		{"no kind", head + "0.000000 \n", "no kind"},
		{"unknown kind", head + "0.000000 ?  a\n", "unknown kind '?'"},
		{"unknown mark", head + "0.000000 <? a\n", "unknown mark '?'"},
		{"no space", head + "0.000000 <  a\n0.000000 < a\n", "line 4: there is no space"},
		{"quotes", head + "0.000000 <  \"a\n", "quotes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
	if l, err := Parse([]byte(head + "0.000000 <  a\n0.000000 <  cut o")); err != nil || len(l.Entries) != 1 {
		t.Errorf("a last line that was cut: got %+v, %v, want the line before", l, err)
	}
}

// FuzzParse: what Parse accepts can be written and read again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "0.000001 <  a\n", "-1.5 <+ \"\\xff\"\n", "   12.000000 !~ x\n0.000000 # \n", "0.000000 >  \"\n"} {
		f.Add(first + "\n{}\n" + s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Parse([]byte(text))
		if err != nil {
			return
		}
		out := []byte(first + "\n{}\n")
		for _, e := range l.Entries {
			mark := byte(' ')
			if e.Open {
				mark = markOpen
			} else if e.Cut {
				mark = markCut
			}
			out = entry{time.Time{}.Add(e.At), e.Kind, mark, e.Text}.append(out, time.Time{})
		}
		again, err := Parse(out)
		if err != nil || fmt.Sprint(again.Entries) != fmt.Sprint(l.Entries) {
			t.Errorf("got %v, %v after writing it again, want %v", again, err, l.Entries)
		}
	})
}

func BenchmarkTurn(b *testing.B) {
	folder := b.TempDir()
	j, err := New(folder)
	if err != nil {
		b.Fatal(err)
	}
	if err := j.Begin(header, time.Now()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		j.Received([]byte("ROCK\n"))
		j.Sent([]byte("PAPER\n"))
	}
}
