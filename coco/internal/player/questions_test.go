//go:build unix

package player

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"colosseum/internal/terminal"
	"colosseum/protocol"
)

const questionLine = `{"number":1,"answers":["<a>"],"seconds":5}` + "\n"

// ask writes a question, and the same again as after a break.
func ask(q *Questions) {
	for range 2 {
		q.Write(protocol.MatchQuestion{Number: 1, Answers: []string{"<a>"}, Seconds: 5})
	}
}

func TestProgramReadsItsQuestions(t *testing.T) {
	q, err := NewQuestions("5", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	p := open(t, Config{Command: []string{"sh", "-c", `test "$COLOSSEUM_QUESTIONS" = 5 && read line <&5 && echo "$line"; exec 5<&-; read end`}, Channel: Stdio, Questions: q})
	ask(q)
	if got, err := bufio.NewReader(p.Out).ReadString('\n'); err != nil || got != questionLine {
		t.Errorf("got %q, %v, want %q", got, err, questionLine)
	}
}

func TestQuestionsGoToFilesAndNamedPipes(t *testing.T) {
	folder := t.TempDir()
	file, fifo := filepath.Join(folder, "a file"), filepath.Join(folder, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("this system has no named pipes here:", err)
	}
	for _, path := range []string{file, fifo} {
		q, err := NewQuestions(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		ask(q)
		if path == file {
			q.Close()
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := bufio.NewReader(f).ReadString('\n'); err != nil || got != questionLine {
			t.Errorf("%s: got %q, %v, want %q", path, got, err, questionLine)
		}
		q.Close()
		f.Close()
	}
	if _, err := NewQuestions(folder, nil); err == nil {
		t.Error("a folder is accepted, want an error")
	}
}

// Nobody reads these questions.
func TestUnreadQuestionsBlockNobody(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	q, err := NewQuestions("3", terminal.NewPrinter(out))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * maxUnread {
		q.Write(protocol.MatchQuestion{Number: i + 1, Answers: []string{strings.Repeat("x", protocol.MaxHintBytes)}})
	}
	q.Close()
	if b, err := os.ReadFile(out.Name()); err != nil || strings.Count(string(b), "does not read its questions") != 1 {
		t.Errorf("printed %q, %v, want one line about it", b, err)
	}
}
