package driver

import "testing"

// The stacks as the runtime writes them, after the number of the goroutine.
const (
	inLoop = `running]:
main.(*board).fill(0xc000010000, {0xc000012000, 0x3, 0x4})
	/home/ada/games/go/board.go:21 +0x1d
main.play(0xc000014000)
	/home/ada/games/go/play.go:9 +0x2d
colosseum/sdk.(*Match).play(0xc000014000, 0x5)
	/home/ada/colosseum/sdk/run.go:71 +0x75
main.outside()
	/home/ada/games/go/play.go:99 +0x2d
`
	laterInLoop = `runnable]:
strings.Repeat({0x1, 0x1}, 0x3)
	/usr/local/go/src/strings/strings.go:600 +0x1d
main.helper[...](...)
	/home/ada/games/go/board.go:40
main.(*board).fill(0xc000010000, {0xc000012000, 0x3, 0x4})
	/home/ada/games/go/board.go:24 +0x9d
main.play(0xc000014000)
	/home/ada/games/go/play.go:9 +0x2d
...2 frames elided...
colosseum/sdk.(*Match).play(0xc000014000, 0x5)
	/home/ada/colosseum/sdk/run.go:71 +0x75
`
	atAnotherCall = `runnable]:
main.(*board).fill(0xc000010000, {0xc000012000, 0x3, 0x4})
	/home/ada/games/go/board.go:21 +0x1d
main.play(0xc000014000)
	/home/ada/games/go/play.go:11 +0x2d
`
	receives = `chan receive, 2 minutes]:
main.play(0xc000014000)
	play.go:15 +0x2d
`
	inLibrary = `running]:
slices.Sort(0xc000014000)
	slices/sort.go:15 +0x2d
`
)

func TestStuckNamesTheLinesThatAllStacksShare(t *testing.T) {
	tests := []struct {
		name  string
		texts []string
		want  string
	}{
		{"one line", []string{inLoop, inLoop}, "board.go:21: the loop in fill, or in a caller of it, does not end, called by play (play.go:9)"},
		{"several lines", []string{inLoop, laterInLoop, inLoop}, "board.go:21 to 24: the loop in fill, or in a caller of it, does not end, called by play (play.go:9)"},
		{"several calls", []string{inLoop, laterInLoop, atAnotherCall}, "play.go:9 to 11: the loop in play does not end"},
		{"waits", []string{receives, receives}, "play.go:15: play waits without end (chan receive)"},
		{"waits and runs", []string{inLoop, receives}, "play.go:9 to 15: the loop in play does not end"},
		{"none of the author's", []string{inLibrary, inLoop}, ""},
		{"nothing", []string{"running]:"}, ""},
	}
	for _, tt := range tests {
		var stacks []*Stack
		for _, text := range tt.texts {
			stacks = append(stacks, parse(text))
		}
		if got := Stuck(stacks); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestStackOfAGoroutineThatHasEndedIsNil(t *testing.T) {
	ended := make(chan Goroutine)
	go func() { ended <- ThisGoroutine() }() // ends with the test
	g := <-ended
	for g.Stack() != nil { // until it has ended
	}
	if ThisGoroutine().Stack() == nil {
		t.Error("got no stack of a goroutine that runs, want one")
	}
}
