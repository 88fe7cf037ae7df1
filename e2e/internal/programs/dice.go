package programs

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// AsDice is the first argument with which a test binary calls PlayDice with the second one.
const AsDice = "-as-dice"

// Student is a coco serve that runs.
type Student struct {
	*Daemon
	Name string
}

// PlayDice plays dice with numbers that depend on the match and on the player. How is a
// range of numbers, as in 40-49, and what the bot does after its first number in each
// second match: crash, or hang. A slow one thinks for a moment before each number.
func PlayDice(how string) {
	in := bufio.NewScanner(os.Stdin)
	in.Scan() // the number of rounds
	h := fnv.New64a()
	_, _ = io.WriteString(h, os.Getenv("COCO_NAME")+os.Getenv("COCO_MATCH")+os.Getenv("COLOSSEUM_SEED")) // never fails
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	numbers, fault, _ := strings.Cut(how, " ")
	low, high, _ := strings.Cut(numbers, "-")
	least, err1 := strconv.Atoi(low)
	most, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil {
		panic(how)
	}
	faulty := random.IntN(2) == 0
	for {
		if fault == "slow" {
			time.Sleep(20 * time.Millisecond)
		}
		fmt.Println(least + random.IntN(most-least+1))
		switch {
		case faulty && fault == "crash":
			os.Exit(3)
		case faulty && fault == "hang":
			_, _ = io.Copy(io.Discard, os.Stdin)
			return
		}
		if !in.Scan() {
			return // the match has ended
		}
	}
}

// buildDice builds the game, and returns the folder for a host.
var buildDice = sync.OnceValues(func() (string, error) {
	folder := filepath.Join(filepath.Dir(Bin), "games")
	return folder, Build("colosseum/e2e/contest/testdata/dice", filepath.Join(folder, "dice", "dice"), false)
})

// DiceFolder returns the folder with the game.
func DiceFolder(t testing.TB) string {
	t.Helper()
	folder, err := buildDice()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// DiceCommand returns the command that runs the test binary as a bot of dice.
func DiceCommand(t testing.TB, how string) []string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{path, AsDice, how}
}

// StudentName returns the name of a student, from 0.
func StudentName(i int) string { return fmt.Sprintf("s%02d", i+1) }

// Roll starts coco serve for a student that plays dice, at a URL. It returns when the
// student is connected.
func (c *Class) Roll(student, url, how string, options ...string) *Student {
	c.T.Helper()
	cmd := c.Coco(student)
	cmd.Args = slices.Concat([]string{cmd.Args[0], "-s", url, "serve", "--challenges", "dice"}, options, []string{"--"}, DiceCommand(c.T, how))
	d := &Student{StartDaemon(c.T, cmd), student}
	d.Await(c.T, 1, "msg=connected")
	return d
}

// RollAll is Roll for several students at the same time.
func (c *Class) RollAll(students int, how func(i int) string, options ...string) []*Student {
	c.T.Helper()
	list := make([]*Student, students)
	for i := range list {
		cmd := c.Coco(StudentName(i))
		cmd.Args = slices.Concat(cmd.Args, []string{"serve", "--challenges", "dice"}, options, []string{"--"}, DiceCommand(c.T, how(i)))
		list[i] = &Student{StartDaemon(c.T, cmd), StudentName(i)}
	}
	for _, d := range list {
		d.Await(c.T, 1, "msg=connected")
	}
	return list
}

// Drain ends daemons, which finish their matches.
func Drain(t testing.TB, daemons []*Student) {
	t.Helper()
	for _, d := range daemons {
		_ = d.Cmd.Process.Signal(os.Interrupt)
	}
	for _, d := range daemons {
		if code := d.Stop(nil); code != 0 {
			t.Errorf("%s: got exit code %d, want 0\n%s", d.Name, code, strings.Join(d.Log[max(0, len(d.Log)-20):], "\n"))
		}
	}
}
