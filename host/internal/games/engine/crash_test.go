package engine

import (
	"strings"
	"testing"
)

func TestCrashOfAGoProgramIsNamedWithItsLine(t *testing.T) {
	const recursion = `runtime: goroutine stack exceeds 67108864-byte limit
runtime: sp=0x1bb25960390 stack=[0x1bb25960000, 0x1bb29960000]
fatal error: stack overflow

runtime stack:
runtime.throw({0xa9b1d4?, 0x0?})
	/usr/local/go/src/runtime/panic.go:1101 +0x48 fp=0x1 sp=0x2 pc=0x3
main.never(0x1)
	/games/x/never.go:1 +0x1

goroutine 24 gp=0x1bb159034a0 m=3 mp=0x1bb158fc008 [copystack]:
main.FRAME(0xaaaa54?, {0x0?, 0x0?, 0x0?})
	/games/a b/board.go:10 +0x65 fp=0x1bb25960398 sp=0x1bb25960390 pc=0x92cb25
main.other(...)
	/games/a b/board.go:14

goroutine 1 [select]:
main.main()
	/games/a b/board.go:99 +0x1
`
	memory := strings.Replace(recursion, "stack overflow", "runtime: out of memory", 1)
	library := strings.Replace(memory, "main.FRAME", "strings.Repeat({0x1, 0x2})\n\t/usr/local/go/src/strings/strings.go:624 +0x1\nmain.FRAME", 1)
	interpreted := "fatal error: runtime: cannot allocate memory\n\ngoroutine 7 [running]:\ngithub.com/traefik/yaegi/interp.runCfg(0x1)\n\t/x/run.go:234 +0x1\n\ngoroutine 1 [select]:\nmain.main()\n\t/x/main.go:9 +0x1\n"
	tests := []struct{ name, output, frame, want string }{
		{"recursion of a function", recursion, "walk", "endless recursion in walk (board.go:10)"},
		{"of a method", recursion, "(*board).walk", "endless recursion in walk (board.go:10)"},
		{"of a function literal", recursion, "play.func1.2", "endless recursion in a function literal (board.go:10)"},
		{"of a library", strings.ReplaceAll(recursion, "main.", "example.com/x."), "walk", "endless recursion"},
		{"memory", memory, "grow", "it reached its memory limit of 512 MiB in grow (board.go:10)"},
		{"memory for a library", library, "(*list).grow", "it reached its memory limit of 512 MiB in grow (board.go:10)"},
		{"memory of a script", interpreted, "", "it reached its memory limit of 512 MiB"},
		{"another fatal error", "fatal error: concurrent map writes\n\ngoroutine 7 [running]:\nmain.f()\n\t/x/a.go:1 +0x1\n", "", ""},
		{"a name that is no name", recursion, "f\x1b[31m", "endless recursion in other (board.go:14)"},
		{"no crash", "goroutine 7 [running]:\nmain.f()\n\t/x/a.go:1 +0x1\nstack overflow\n", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := crash{memory: 512 << 20}
			for line := range strings.Lines(strings.ReplaceAll(tt.output, "FRAME", tt.frame)) {
				c.line(strings.TrimSuffix(line, "\n"))
			}
			if got := c.reason(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
