//go:build unix

package engine

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/internal/test/poll"
)

// logOf returns the lines that the log holds after a child wrote pieces.
func logOf(pieces ...string) (lines []string, c *childLog) {
	b := &buffer{}
	c = &childLog{log: slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}})), ready: true}
	for _, p := range pieces {
		if n, err := c.Write([]byte(p)); n != len(p) || err != nil {
			panic(fmt.Sprint(n, err))
		}
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"), c
}

func TestOutputIsLoggedLineByLine(t *testing.T) {
	long := strings.Repeat("x", maxLogLine)
	tests := []struct {
		name   string
		pieces []string
		want   []string
	}{
		{"one", []string{"a\n"}, []string{"msg=a"}},
		{"pieces", []string{"a", "b\nc", "\n"}, []string{"msg=ab", "msg=c"}},
		{"not complete", []string{"a\nb"}, []string{"msg=a"}},
		{"not UTF-8", []string{"a\xffb\n"}, []string{`msg="a�b"`}},
		{"a carriage return begins no line", []string{"a\rmsg=b\n"}, []string{`msg="a\rmsg=b"`}},
		{"too long", []string{long, "more", "and more\nnext\n"}, []string{"msg=" + long, "msg=next"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := logOf(tt.pieces...); strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLastLinesAreKeptForTheError(t *testing.T) {
	var all []string
	for i := range 2 * tailLines {
		all = append(all, fmt.Sprint(i))
	}
	_, c := logOf(strings.Join(all, "\n") + "\n")
	if got, want := c.last(), strings.Join(all[tailLines:], "\n"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinesBeforeTheChildIsReadyAreLoggedWhenItIs(t *testing.T) {
	b := &buffer{}
	c := &childLog{log: slog.New(slog.NewTextHandler(b, nil))}
	_, _ = c.Write([]byte("early\nlate")) // never fails
	if b.String() != "" || c.last() != "early" {
		t.Errorf("before: the log is %q, the tail %q, want nothing and early", b.String(), c.last())
	}
	c.setReady()
	_, _ = c.Write([]byte("r\n"))
	if log := b.String(); strings.Count(log, "\n") != 2 || !strings.Contains(log, "msg=early\n") || !strings.Contains(log, "msg=later\n") {
		t.Errorf("then the log is %q, want early and later", log)
	}
}

func TestLinesBeyondTheRateAreCountedInsteadOfLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &buffer{}
		c := &childLog{log: slog.New(slog.NewTextHandler(b, nil)), ready: true}
		flood := func(n int) {
			for range n {
				_, _ = c.Write([]byte("x\n")) // never fails
			}
		}
		flood(1000)
		if n := strings.Count(b.String(), "msg=x"); n != linesPerSecond {
			t.Errorf("%d lines were logged, want %d", n, linesPerSecond)
		}
		time.Sleep(time.Second)
		flood(1)
		if log := b.String(); strings.Count(log, "msg=x") != linesPerSecond+1 || !strings.Contains(log, fmt.Sprintf("lines=%d", 1000-linesPerSecond)) {
			t.Errorf("the log ends with %s, want one more line, and the number of those dropped", log[len(log)-200:])
		}
	})
}

func TestOutputOfAGameIsLogged(t *testing.T) {
	s := newStarter(t, "parity")
	g := s.start()
	m := s.open(g)
	m.Answer(line(0, "stderr 3"))
	m.next(t)
	m.Answer(line(1, "stdout"))
	m.next(t)
	poll.Until(s.t, "all lines are in the log", func() bool {
		log := s.log.String()
		return strings.Contains(log, `msg="line 2"`) && strings.Contains(log, `msg="printed by mistake"`)
	})
}

func TestFloodOfOutputIsBounded(t *testing.T) {
	s := newStarter(t, "parity")
	g := s.start()
	m := s.open(g)
	m.Answer(line(0, "stderr 100000"))
	m.next(t)
	g.Close()
	if n := strings.Count(s.log.String(), "\n"); n < linesPerSecond || n > 2000 {
		t.Errorf("the log has %d lines, want %d to 2000", n, linesPerSecond)
	}
}
