package refeed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// fakeProgram answers what it is fed.
type fakeProgram struct {
	lines  chan string
	answer func(p *fakeProgram, text string) // in Feed
	closed bool
	ended  chan struct{} // closed when the test ends the program
}

func (p *fakeProgram) Feed(b []byte) error {
	p.answer(p, string(b))
	return nil
}
func (p *fakeProgram) Lines() <-chan string { return p.lines }
func (p *fakeProgram) CloseInput() {
	p.closed = true
	p.answer(p, "")
	close(p.lines)
}

func fed(text string) Step  { return Step{Feed, text} }
func line(text string) Step { return Step{Line, text} }

func TestLinesAreCompared(t *testing.T) {
	echo := func(p *fakeProgram, text string) {
		for l := range strings.Lines(text) {
			p.lines <- "got " + strings.TrimSpace(l)
		}
	}
	match := []Step{fed("a\n"), line("got a\r"), fed("b\nc\n"), line("got b"), line("got c")}
	tests := []struct {
		name   string
		steps  []Step
		answer func(p *fakeProgram, text string)
		first  int
		now    []string
		end    string
		extra  []string
	}{
		{"the same", match, echo, -1, []string{"got a", "got b", "got c"}, "", nil},
		{"nothing", nil, echo, -1, nil, "", nil},
		{
			"another line", match,
			func(p *fakeProgram, text string) { echo(p, strings.Replace(text, "b", "x", 1)) },
			1, []string{"got a", "got x", "got c"}, "", nil,
		},
		{"silent now", match, func(p *fakeProgram, text string) {
			if text == "a\n" {
				echo(p, text)
			}
		}, 1, []string{"got a", ""}, "wrote no line for 10s", nil},
		{"it never reads", match, func(p *fakeProgram, text string) { <-p.ended }, 0, nil, "has not read its input for 10s", nil},
		{"silent then, and now", []Step{fed("a\n"), {Silence, ""}}, func(*fakeProgram, string) {}, -1, []string{""}, "", nil},
		{"silent then, not now", []Step{fed("a\n"), {Silence, ""}}, echo, 0, []string{"got a"}, "", nil},
		{"lines after the end", match[:2], func(p *fakeProgram, text string) {
			echo(p, text)
			if p.closed {
				p.lines <- "bye"
			}
		}, -1, []string{"got a"}, "", []string{"bye"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &fakeProgram{lines: make(chan string, 10), answer: tt.answer, ended: make(chan struct{})}
				defer close(p.ended)
				r, err := Run(t.Context(), tt.steps, p, 10*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				if got := r.Difference(); got != tt.first {
					t.Errorf("got the first difference %d, want %d", got, tt.first)
				}
				var now []string
				for _, row := range r.Rows {
					now = append(now, row.Now)
				}
				if !slices.Equal(now, tt.now) || !slices.Equal(r.Extra, tt.extra) || !strings.Contains(r.End, tt.end) || (r.End == "") != (tt.end == "") {
					t.Errorf("got the lines %q, then %q, ended by %q; want %q, %q, %q", now, r.Extra, r.End, tt.now, tt.extra, tt.end)
				}
			})
		})
	}
}

func TestProgramThatEndsIsNotWaitedFor(t *testing.T) {
	p := &fakeProgram{lines: make(chan string), answer: func(*fakeProgram, string) {}}
	close(p.lines)
	r, err := Run(t.Context(), []Step{fed("a\n"), line("x"), line("y")}, p, time.Hour)
	if err != nil || r.Difference() != 0 || r.Left != 1 || r.End != "the program's output has ended" {
		t.Errorf("got %+v, %v, want a difference in the first line and one line left", r, err)
	}
}

func TestContextEndsTheWaiting(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	p := &fakeProgram{lines: make(chan string), answer: func(*fakeProgram, string) { cancel(why) }}
	if _, err := Run(ctx, []Step{fed("a\n"), line("x")}, p, time.Hour); err != why {
		t.Errorf("got %v, want the cause", err)
	}
}

func TestTextShowsTheFirstDifference(t *testing.T) {
	r := &Report{}
	for range 50 {
		r.Rows = append(r.Rows, Row{Received: "your\nmove?\n", Then: "ROCK", Now: "ROCK"})
	}
	if got := r.Text(false); got != "All 50 lines are the same.\n" {
		t.Errorf("got %q, want that all lines are the same", got)
	}
	r.Rows[20].Now, r.Rows[21].Now = "PA\x1b[2JPER", "x"
	r.End, r.Left, r.Extra = "the end", 1, []string{"bye"}
	text := r.Text(false)
	for _, want := range []string{
		"PA\\x1b[2JPER", " 18 ", " 31 ", "Line 21 of 51 is the first that differs.", "ended early: the end.", `wrote 1 line, which does not count: "bye"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant in it %q", text, want)
		}
	}
	for l := range strings.Lines(text) {
		if strings.Contains(l, " 21 ") != strings.Contains(l, "<-- first difference") && !strings.Contains(l, "Line 21") {
			t.Errorf("got %q, want the first difference marked in row 21 alone", l)
		}
	}
	if strings.Contains(text, " 17 ") || strings.Contains(text, " 32 ") {
		t.Errorf("got\n%s\nwant only the lines around the difference", text)
	}
	if all := r.Text(true); strings.Count(all, "ROCK") < 90 {
		t.Errorf("got\n%s\nwant all lines", all)
	}
}
