package script_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/sdk/script"
)

// FuzzRandomProgramsRunAsCompiled writes random programs, of which the checker accepts
// most, and runs each compiled and interpreted. All programs of one seed are one package,
// because the compiler takes most of the time.
func FuzzRandomProgramsRunAsCompiled(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { compareRandom(t, seed, 30) })
}

func TestHundredsOfRandomProgramsRunAsCompiled(t *testing.T) {
	long.Only(t, "400 random programs in place of 30")
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", 1000+seed), func(t *testing.T) {
			t.Parallel()
			compareRandom(t, 1000+seed, 200)
		})
	}
}

func compareRandom(t *testing.T, seed uint64, count int) {
	t.Helper()
	var programs []string
	all := entry{name: fmt.Sprintf("seed %d", seed), code: start}
	runs := ""
	for i := range count {
		w := &writer{r: rand.New(rand.NewPCG(seed, uint64(i))), number: i}
		programs = append(programs, w.program())
		all.code += programs[i]
		runs += fmt.Sprintf("\tall += show(run%d) + \"\\n\"\n", i)
	}
	all.code += "func run() string {\n\tall := \"\"\n" + runs + "\treturn all\n}\n\nfunc show(run func() string) string { return strconv.Quote(run()) }\n"
	want := strings.Split(compiled(t, []entry{all})[0], "\n")
	accepted := 0
	for i, program := range programs {
		e := entry{fmt.Sprintf("%s, program %d", all.name, i), start + program + fmt.Sprintf("func run() string { return run%d() }\n", i)}
		g, err := script.Load(folder(t, "entry.go\n"+e.script()))
		if err != nil {
			continue // a refusal is no silent difference
		}
		accepted++
		if got := strconv.Quote(results(t, g)); got != want[i] {
			t.Errorf("%s: interpreted\n%s\ncompiled\n%s\n%s", e.name, got, want[i], e.code)
		}
	}
	if accepted < count/2 {
		t.Errorf("seed %d: the checker accepts %d of %d programs, want most", seed, accepted, count)
	}
}

// writer writes one random program, which ends and does not panic. What the language leaves
// open, such as when a variable is read that a call in the same expression changes, does not
// occur: calls in expressions change nothing.
type writer struct {
	r      *rand.Rand
	number int // of the program
	b      strings.Builder
	scopes [][]variable
	count  int      // of names
	labels []string // of the loops around; empty: a loop without
	cost   int      // statements that may still be written
	indent int
}

type variable struct {
	name, typ string
	fixed     bool // must not be assigned to
}

// start is what all programs have.
const start = `type point struct {
	x    int
	y    uint8
	name string
	list []int
}

type level int

func (l level) next(n int) level { return l + level(n)%7 }

func (p point) sum() int { return p.x + int(p.y) + len(p.list) }

func (p *point) move(n int, s string) {
	p.x += n
	p.y ^= uint8(n)
	p.name = cut(p.name+s, 0, 9)
	p.list = append(p.list, n)
	if len(p.list) > 5 {
		p.list = p.list[2:]
	}
}

func at(i, n int) int {
	if i = i % n; i < 0 {
		i += n
	}
	return i
}

func div(a, b int) int {
	if b == 0 {
		return a
	}
	return a / b
}

func cut(s string, from, to int) string {
	from = at(from, len(s)+1)
	to = at(to, len(s)+1)
	if from > to {
		return s[to:from]
	}
	return s[from:to]
}

func pair(p point, n int) (point, int) {
	p.move(n, "p")
	return p, p.sum()
}

`

// types of variables, those that occur more often several times.
var types = []string{"int", "int", "int", "string", "string", "bool", "uint8", "uint64", "rune", "level", "[]int", "[3]int", "point", "map[string]int", "[]point", "*point", "[][]int", "[2][2]int"}

func (w *writer) program() string {
	w.cost = 60
	var names []string
	for range 1 + w.r.IntN(3) {
		names = append(names, w.function())
	}
	w.line("func run%d() string {", w.number)
	w.line("\tall := \"\"")
	for i, name := range names {
		w.line("\tfor n := -1; n < 3; n++ {")
		w.line("\t\ttext, err := %s(n, n*5, cut(\"a\\xffb é.\", n, 9), uint8(%d-n))", name, 250+i)
		w.line("\t\tall += fmt.Sprintf(\"%%q %%v\\n\", text, err)")
		w.line("\t}")
	}
	w.line("\treturn all")
	w.line("}\n")
	return w.b.String()
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, strings.Repeat("\t", w.indent)+format+"\n", args...)
}

// function writes a function, and returns its name.
func (w *writer) function() string {
	w.count++
	name := fmt.Sprintf("work%d_%d", w.number, w.count)
	named := w.r.IntN(3) == 0
	result := "(string, error)"
	if named {
		result = "(text string, err error)"
	}
	w.scopes = [][]variable{{{"fuel", "int", true}, {"n", "int", false}, {"s", "string", false}, {"b", "uint8", false}}}
	w.line("func %s(fuel, n int, s string, b uint8) %s {", name, result)
	w.indent++
	if named {
		w.line("text = \"%s:\"", name)
	} else {
		w.line("text := \"%s:\"", name)
	}
	for _, typ := range []string{"int", "string", "[]int", "point", "bool", "uint64"} {
		w.declare(typ)
	}
	if w.r.IntN(2) == 0 { // it calls itself
		w.line("if fuel > 0 {")
		w.line("\tmore, err := %s(fuel-1, n+1, s, b*3)", name)
		w.line("\ttext += cut(more, 0, 99) + fmt.Sprint(err)")
		w.line("}")
	}
	w.block(8)
	w.line("return text, nil")
	w.indent--
	w.line("}\n")
	return name
}

func (w *writer) declare(typ string) {
	w.count++
	name := fmt.Sprintf("v%d", w.count)
	switch w.r.IntN(3) {
	case 0:
		w.line("var %s %s = %s", name, typ, w.expr(typ, 2))
	case 1:
		w.line("var %s %s", name, typ)
		if typ == "*point" {
			w.line("%s = &point{}", name)
		}
		if typ == "map[string]int" {
			w.line("%s = map[string]int{}", name)
		}
	default:
		w.line("%s := %s", name, w.typed(typ, 2))
	}
	w.line("_ = %s", name)
	w.add(name, typ, false)
}

func (w *writer) add(name, typ string, fixed bool) {
	last := len(w.scopes) - 1
	w.scopes[last] = append(w.scopes[last], variable{name, typ, fixed})
}

// pick returns a variable of a type, or "".
func (w *writer) pick(typ string, assigned bool) string {
	var names []string
	for _, scope := range w.scopes {
		for _, v := range scope {
			if v.typ == typ && !(assigned && v.fixed) {
				names = append(names, v.name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return names[w.r.IntN(len(names))]
}

func (w *writer) block(n int) {
	w.scopes = append(w.scopes, nil)
	for range 1 + w.r.IntN(n) {
		if w.cost--; w.cost < 0 {
			w.line("n++")
			break
		}
		w.statement()
	}
	w.scopes = w.scopes[:len(w.scopes)-1]
}

// body writes a block with its braces.
func (w *writer) body(head string, args ...any) {
	w.line(head+" {", args...)
	w.indent++
	w.block(4)
	w.indent--
	w.line("}")
}

func (w *writer) one(list ...string) string { return list[w.r.IntN(len(list))] }
