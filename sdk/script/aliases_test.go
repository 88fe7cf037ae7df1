package script_test

import (
	"strings"
	"testing"
)

// tables are package variables for the tests below.
const tables = `
type piece struct {
	name  string
	steps []int
}

type board struct {
	cells []int
	seen  map[string]bool
	size  int
}

type node struct {
	next  *node
	board board
}

var (
	global = map[string]int{"a": 1}
	words  = []string{"a", "b", "c"}
	grid   = [][]int{{1, 2}, {3, 4}}
	fixed  = [2][]int{{1}, {2}}
	flat   = [3]int{1, 2, 3}
	pieces = []piece{{"king", []int{1}}, {"pawn", []int{2}}}
	start  = board{cells: []int{1, 2, 3}, seen: map[string]bool{}}
	first  = &node{board: board{cells: []int{1}}}
	count  int
	rules  = []func(cells []int){func(cells []int) { _ = cells }}
	byName = map[string]*node{"a": first}
	whole  any = []int{1}
	pool   = make([]int, 0, 10)
)
`

// asGame returns a script with tables, more declarations and statements in play.
func asGame(declarations, statements string) string {
	text := head
	for _, path := range []string{"bytes", "container/heap", "container/list", "encoding/json", "errors", "fmt", "io", "math/big", "regexp", "sort", "strconv", "strings"} {
		if strings.Contains(declarations+statements, path[strings.LastIndex(path, "/")+1:]+".") {
			text += "import \"" + path + "\"\n"
		}
	}
	return text + tables + declarations + "\nfunc play(m *sdk.Match) error {\n" + statements + "\nreturn nil\n}\n" + idleBot + tail
}

func TestChangesOfAliasesAreRefused(t *testing.T) {
	tests := []struct{ name, declarations, statements, want string }{
		{"a name for a map", "", "g := global\ng[\"x\"] = 1", "g[\"x\"] might be a part of global"},
		{"a name that is declared with var", "", "var g = global\ng[\"x\"]++", "part of global"},
		{"a name that is assigned", "", "var g map[string]int\nif g == nil {\ng = global\n}\ng[\"x\"] = 1", "part of global"},
		{"a name that is assigned below", "", "s := []string{\"x\"}\nfor i := 0; i < 2; i++ {\ns[0] = \"y\"\ns = words\n}", "part of words"},
		{"JSON", "", "sdk.ParseJSON(`{\"a\": 2}`, &global)", "global"},
		{"JSON for a name", "", "g := global\nsdk.ParseJSON(`{\"a\": 2}`, &g)", "part of global"},
		{"package json for a name", "", "g := global\njson.Unmarshal([]byte(`{}`), &g)", "part of global"},
		{"a decoder for a name", "", "g := global\njson.NewDecoder(strings.NewReader(`{}`)).Decode(&g)", "part of global"},
		{"JSON for a struct", "", "b := start\nsdk.ParseJSON(`{}`, &b)", "part of start"},
		{"JSON for a field", "type message struct{ Words []string }", "var got message\ngot.Words = words\nsdk.ParseJSON(`{}`, &got)", "part of words"},
		{"JSON for a parameter", "type message struct{ Words []string }\n\nfunc read(to *message) { sdk.ParseJSON(`{}`, to) }", "got := message{words}\nread(&got)", "part of words"},
		{"a name for a slice", "", "s := words\ns[0] = \"x\"", "part of words"},
		{"a part of a slice", "", "s := words[1:]\ns[0] = \"x\"", "part of words"},
		{"a slice of an array", "", "s := flat[:]\ns[0] = 2", "part of flat"},
		{"an element of an array", "", "s := fixed[1]\ns[0] = 2", "part of fixed"},
		{"a copy of an array", "", "a := fixed\na[1][0] = 2", "part of fixed"},
		{"a row", "", "row := grid[1]\nrow[0] = 2", "part of grid"},
		{"a delete", "", "g := global\ndelete(g, \"a\")", "part of global"},
		{"a copy", "", "s := words\ncopy(s, []string{\"x\"})", "part of words"},
		{"an append", "", "s := words[:1]\ns = append(s, \"x\")", "append can write beyond its end"},
		{"an append to a variable with room", "", "s := append(pool, 1)\n_ = s", "append can write beyond its end"},
		{"two steps", "", "a := grid\nb := a[0]\nc := b[:1]\nc[0] = 7", "part of grid"},
		{"a pointer", "", "p := &count\n*p = 2", "part of count"},
		{"a pointer to an element", "", "p := &grid[0][1]\n*p = 2", "part of grid"},
		{"a pointer to a field", "", "p := &start.size\n*p = 2", "part of start"},
		{"a pointer variable", "", "p := first\np.board.size = 2", "part of first"},
		{"a list of nodes", "", "for n := first; n != nil; n = n.next {\nn.board.size++\n}", "part of first"},
		{"a range variable", "", "for _, row := range grid {\nrow[0] = 1\n}", "part of grid"},
		{"a field of a range variable", "", "for _, p := range pieces {\np.steps[0] = 1\n}", "part of pieces"},
		{"a copied struct", "", "b := start\nb.cells[0] = 1", "part of start"},
		{"a copied struct with one new field", "", "b := start\nb.cells = []int{1}\nb.seen[\"a\"] = true", "part of start"},
		{"a copied struct that is assigned again", "", "b := start\nb.cells = []int{1}\nb = start\nb.cells[0] = 2", "part of start"},
		{"a copied struct whose field is set too late", "", "b := start\nm.TellAll(\"x\")\nb.cells[0] = 1\nb.cells = []int{1}", "part of start"},
		{"a field", "", "b := board{cells: grid[0]}\nb.cells[0] = 1", "part of grid"},
		{"a field without its name", "", "p := piece{\"x\", grid[0]}\np.steps[0] = 1", "part of grid"},
		{"a field that is assigned", "", "var b board\nb.cells = grid[0]\nb.cells[0] = 1", "part of grid"},
		{"a field behind a pointer", "func set(b *board) { b.cells = grid[0] }", "b := &board{}\nset(b)\nb.cells[0] = 1", "part of grid"},
		{"an element", "", "rows := [][]int{grid[0]}\nrows[0][0] = 1", "part of grid"},
		{"an element that is assigned", "", "rows := make([][]int, 2)\nrows[0] = grid[0]\nrows[0][0] = 1", "part of grid"},
		{"an element of a map", "", "rows := map[string][]int{}\nrows[\"a\"] = grid[0]\nrows[\"a\"][0] = 1", "part of grid"},
		{"an element that is appended", "", "var rows [][]int\nrows = append(rows, grid[0])\nrows[0][0] = 1", "part of grid"},
		{"elements that are appended", "", "rows := append([][]int{}, grid...)\nrows[0][0] = 1", "part of grid"},
		{"elements that are copied", "", "rows := make([][]int, 2)\ncopy(rows, grid)\nrows[0][0] = 1", "part of grid"},
		{"an array of slices", "", "rows := [2][]int{grid[0], nil}\nrows[0][0] = 1", "part of grid"},
		{"an array of slices that is assigned to", "", "var rows [2][]int\nrows[0] = grid[0]\nrows[0][0] = 1", "part of grid"},
		{"an array behind a slice", "", "var rows [2][]int\nall := rows[:]\nall[0] = grid[0]\nrows[0][0] = 1", "part of grid"},
		{"a parameter", "func set(s []string) { s[0] = \"x\" }", "set(words)", "s[0] might be a part of words"},
		{"a parameter of a parameter", "func outer(s []string) { set(s[1:]) }\n\nfunc set(s []string) { s[0] = \"x\" }", "outer(words)", "part of words"},
		{"one of many parameters", "func set(rows ...[]int) { rows[0][0] = 1 }", "set(nil, grid[1])", "part of grid"},
		{"all of many parameters", "func set(rows ...[]int) { rows[0] = nil }", "set(grid...)", "part of grid"},
		{"parameters from results", "func both() (int, []int) { return 1, grid[0] }\n\nfunc set(n int, s []int) { s[0] = n }", "set(both())", "part of grid"},
		{"a result", "func table() []string { return words }", "table()[0] = \"x\"", "part of words"},
		{"one of two results", "func table() (int, []string) { return 1, words }", "_, s := table()\ns[0] = \"x\"", "part of words"},
		{"a result with a name", "func table() (s []string) {\n\ts = words\n\treturn\n}", "table()[0] = \"x\"", "part of words"},
		{"a result that is passed on", "func table() (int, []string) { return inner() }\n\nfunc inner() (int, []string) { return 1, words }", "_, s := table()\ns[0] = \"x\"", "part of words"},
		{"a parameter that is returned", "func same(s []string) []string { return s }", "same(words)[0] = \"x\"", "part of words"},
		{"a method of a pointer", "func (b *board) set() { b.size = 1 }", "start.set()", "b.size might be a part of start"},
		{"a method of a value", "func (b board) set() { b.cells[0] = 1 }", "start.set()", "b.cells[0] might be a part of start"},
		{"a method of an element", "func (p *piece) set() { p.name = \"x\" }", "pieces[0].set()", "part of pieces"},
		{"a method that returns its receiver", "func (b *board) self() *board { return b }", "start.self().size = 1", "part of start"},
		{"a closure", "", "s := words\nset := func() { s[0] = \"x\" }\nset()", "part of words"},
		{"a parameter of a closure", "", "set := func(s []string) { s[0] = \"x\" }\nset(words)", "part of words"},
		{"a parameter of a function literal", "", "func(s []string) { s[0] = \"x\" }(words)", "part of words"},
		{"a result of a closure", "", "get := func() []string { return words }\nget()[0] = \"x\"", "part of words"},
		{"a function as an argument", "func each(f func(row []int)) {\n\tfor _, row := range grid {\n\t\tf(row)\n\t}\n}", "each(func(row []int) { row[0] = 1 })", "part of grid"},
		{"a named function as an argument", "func each(f func(row []int)) { f(grid[0]) }\n\nfunc set(row []int) { row[0] = 1 }", "each(set)", "part of grid"},
		{"a function in a table", "var acts = []func(row []int){func(row []int) { row[0] = 1 }}", "acts[0](grid[0])", "part of grid"},
		{"a pointer in a map", "", "n := byName[\"a\"]\nn.board.size = 1", "part of byName"},
		{"a pointer in a map, with ok", "", "if n, ok := byName[\"a\"]; ok {\nn.board.size = 1\n}", "part of byName"},
		{"an interface", "", "s := whole.([]int)\ns[0] = 1", "part of whole"},
		{"a type switch", "", "switch s := whole.(type) {\ncase []int:\ns[0] = 1\n}", "part of whole"},
		{"a value in an interface", "", "var x any = words\nx.([]string)[0] = \"x\"", "part of words"},
		{"a conversion", "type names []string", "s := names(words)\ns[0] = \"x\"", "part of words"},
		{"a pointer to a copy", "", "b := start\np := &b\np.cells[0] = 1", "part of start"},
		{"a pointer to a pointer", "", "var b board\np := &b\n*p = start\nb.cells[0] = 1", "part of start"},
		{"an embedded struct", "type outer struct{ board }", "o := outer{start}\no.cells[0] = 1", "part of start"},
		{"sort", "", "s := words\nsort.Strings(s)", "s might be a part of words"},
		{"sort of the variable itself", "", "sort.Strings(words)", "words is a package variable"},
		{"sort with a function", "", "sort.Slice(grid, func(i, j int) bool { return grid[i][0] < grid[j][0] })", "grid is a package variable"},
		{"sort of a converted slice", "", "sort.Sort(sort.Reverse(sort.StringSlice(words)))", "part of words"},
		{"a method of sort", "", "sort.StringSlice(words).Sort()", "Sort can change"},
		{"a list", "var queue = list.New()", "queue.PushBack(1)", "PushBack can change queue"},
		{"an element of a list", "", "l := list.New()\nl.PushBack(grid[0])\nl.Front().Value.([]int)[0] = 1", "grid is a package variable"},
		{"a builder", "var text strings.Builder", "text.WriteString(\"x\")", "WriteString can change text"},
		{"a buffer", "var text = &bytes.Buffer{}", "text.WriteString(\"x\")", "WriteString can change text"},
		{"a big number", "var total = big.NewInt(0)", "total.Add(total, big.NewInt(1))", "Add can change total"},
		{"bytes that are appended to", "var digits = make([]byte, 0, 8)", "d := strconv.AppendInt(digits, 3, 10)\n_ = d", "digits is a package variable"},
		{"a heap", `
type queue []int

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i] < q[j] }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(int)) }
func (q *queue) Pop() any          { return nil }

var all = &queue{}`, "heap.Push(all, 1)", "all is a package variable"},
		{"a function that counts", `
func counter() func() int {
	n := 0
	return func() int {
		n++
		return n
	}
}

var next = counter()`, "_ = next()", "n is a variable of a function that runs once"},
		{"a function with a map", `
func remember() func(s string) bool {
	seen := map[string]bool{}
	return func(s string) bool {
		was := seen[s]
		seen[s] = true
		return was
	}
}

var seen = remember()`, "_ = seen(\"x\")", "might be a part of seen, a variable of a function"},
		{"a function in a struct", `
func makeRule() piece2 {
	moves := []int{1}
	return piece2{apply: func() { moves[0]++ }}
}

type piece2 struct{ apply func() }

var rule = makeRule()`, "rule.apply()", "part of moves"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := problems(t, folder(t, "play.go\n"+asGame(tt.declarations, tt.statements)))
			if len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Errorf("got\n%s\nwant one with %q", strings.Join(got, "\n"), tt.want)
			}
		})
	}
}

func TestChangesOfVariablesOfMainAreRefused(t *testing.T) {
	for name, main := range map[string]string{
		"a counter": "n := 0\n\tplugin.Serve(sdk.Game{Name: \"x\", MinPlayers: 1, MaxPlayers: 1, Timeout: 1, Play: func(m *sdk.Match) error {\n\t\tn++\n\t\treturn nil\n\t}})",
		"a map":     "seen := map[string]bool{}\n\tplugin.Serve(sdk.Game{Name: \"x\", MinPlayers: 1, MaxPlayers: 1, Timeout: 1, Play: func(m *sdk.Match) error {\n\t\treturn note(seen, m.Name(0))\n\t}})",
		"a struct":  "game := sdk.Game{Name: \"x\", MinPlayers: 1, MaxPlayers: 1, Timeout: 1}\n\tlast := \"\"\n\tgame.Play = func(m *sdk.Match) error {\n\t\tlast = m.Name(0)\n\t\treturn nil\n\t}\n\t_ = last\n\tplugin.Serve(game)",
	} {
		t.Run(name, func(t *testing.T) {
			text := head + "\nfunc note(seen map[string]bool, s string) error {\n\tseen[s] = true\n\treturn nil\n}\n\nfunc main() {\n\t" + main + "\n}\n"
			got := problems(t, folder(t, "play.go\n"+text))
			if len(got) != 1 || !strings.Contains(got[0], "a variable of a function that runs once") {
				t.Errorf("got\n%s\nwant one with a variable of a function that runs once", strings.Join(got, "\n"))
			}
		})
	}
}

func TestPackageVariablesCanBeUsed(t *testing.T) {
	tests := []struct{ name, declarations, statements string }{
		{"reading", "", "_ = global[\"a\"] + grid[0][1] + len(words) + flat[1]"},
		{"a range", "", "sum := 0\nfor i, row := range grid {\nfor _, n := range row {\nsum += n * i\n}\n}"},
		{"names that only read", "", "s := words\nrow := grid[0]\n_ = s[0] + strconv.Itoa(row[0])"},
		{"a helper that reads", "func has(list []string, s string) bool {\n\tfor _, x := range list {\n\t\tif x == s {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false\n}", "_ = has(words, \"a\")"},
		{"legal answers", "", "m.Examples(func(seat int) []string { return words })"},
		{"the library reads", "", "_ = strings.Join(words, \" \") + fmt.Sprint(grid)\n_ = sort.SearchStrings(words, \"b\")"},
		{"an expression", "var form = regexp.MustCompile(\"^[a-h]$\")", "_ = form.MatchString(\"a\")\n_ = form.FindStringSubmatch(\"a\")"},
		{"a replacer", "var plain = strings.NewReplacer(\"a\", \"b\")", "_ = plain.Replace(\"a\")"},
		{"a big number", "var limit = big.NewInt(100)", "n := big.NewInt(3)\nn.Add(n, limit)\n_ = n.Cmp(limit) + limit.Sign()"},
		{"errors", "var errFull = errors.New(\"full\")\n\nfunc check() error { return errFull }", "if err := check(); err != nil {\n_ = err.Error()\n_ = errors.Is(err, errFull)\n}"},
		{"a copy of a slice", "", "s := append([]string{}, words...)\ns[0] = \"x\"\ns = append(s, \"y\")\nsort.Strings(s)"},
		{"a copy of a slice with copy", "", "s := make([]string, len(words))\ncopy(s, words)\ns[0] = \"x\""},
		{"an array is a copy", "", "a := flat\na[0] = 2"},
		{"an element is a copy", "", "n := grid[0][0]\nn++\np := pieces[0]\np.name = \"x\""},
		{"a range variable is a copy", "", "for _, p := range pieces {\np.name = \"x\"\n}"},
		{"a deep copy", "func clone(rows [][]int) [][]int {\n\tcopied := make([][]int, len(rows))\n\tfor i, row := range rows {\n\t\tcopied[i] = append([]int(nil), row...)\n\t}\n\treturn copied\n}", "rows := clone(grid)\nrows[0][0] = 2\nrows[1] = nil"},
		{"a copied struct with new fields", "", "b := start\nb.cells = append([]int(nil), start.cells...)\nb.seen = map[string]bool{}\nb.cells[0] = 1\nb.seen[\"a\"] = true\nb.size = 2"},
		{"a method that copies", "func (b board) clone() board {\n\tc := b\n\tc.cells = append([]int(nil), b.cells...)\n\tc.seen = map[string]bool{}\n\treturn c\n}", "b := start.clone()\nb.cells[0] = 1"},
		{"a method that copies and returns a pointer", "func (b *board) clone() *board {\n\tc := *b\n\tc.cells = append([]int(nil), b.cells...)\n\tc.seen = map[string]bool{}\n\treturn &c\n}", "b := start.clone()\nb.cells[0] = 1\nb.size++"},
		{"a struct of parts", "", "b := board{cells: append([]int{}, grid[0]...), size: grid[0][0]}\nb.cells[0] = 1"},
		{"a table next to a field that changes", "type state struct {\n\ttable []int\n\tcells []int\n}", "s := state{table: grid[0], cells: make([]int, 3)}\ns.cells[0] = s.table[0]"},
		{"a pointer to a table next to a field that changes", "type state struct {\n\trule *node\n\tcells []int\n}", "s := &state{rule: first}\ns.cells = append(s.cells, s.rule.board.size)\ns.rule = nil"},
		{"variables of a match", "", "seen := map[string]int{}\nfor _, w := range words {\nseen[w]++\n}\ngrid := [][]int{{1}}\ngrid[0][0] = 2"},
		{"a helper for tables and for others", "func sum(row []int) int {\n\tn := 0\n\tfor _, x := range row {\n\t\tn += x\n\t}\n\treturn n\n}", "mine := []int{1}\nmine[0] = sum(mine) + sum(grid[0])"},
		{"a table that is made by a function", "func squares() []int {\n\tlist := make([]int, 8)\n\tfor i := range list {\n\t\tlist[i] = i * i\n\t}\n\treturn list\n}\n\nvar square = squares()", "_ = square[3]"},
		{"a table that is made with a closure", "func paths() [][]int {\n\tvar list [][]int\n\tadd := func(n int) { list = append(list, []int{n}) }\n\tadd(1)\n\tadd(2)\n\treturn list\n}\n\nvar path = paths()", "_ = path[0][0]"},
		{"a table that is made of another", "func lengths(list []string) map[string]int {\n\tm := map[string]int{}\n\tfor _, s := range list {\n\t\tm[s] = len(s)\n\t}\n\treturn m\n}\n\nvar length = lengths(words)", "_ = length[\"a\"]"},
		{"a table that is sorted when it is made", "func sorted() []string {\n\tlist := []string{\"b\", \"a\"}\n\tsort.Strings(list)\n\treturn list\n}\n\nvar order = sorted()", "_ = order[0]"},
		{"functions in a table", "var moves = map[string]func(b *board){\"left\": func(b *board) { b.size-- }}", "b := &board{}\nmoves[\"left\"](b)"},
		{"a function with a table in it", "func adder(steps []int) func(n int) int {\n\treturn func(n int) int { return n + steps[0] }\n}\n\nvar add = adder(grid[0])", "_ = add(2)"},
		{"a counter of a match", "func counter() func() int {\n\tn := 0\n\treturn func() int {\n\t\tn++\n\t\treturn n\n\t}\n}", "next := counter()\n_ = next() + next()"},
		{"a list of a match", "", "l := list.New()\nfor _, row := range grid {\nl.PushBack(append([]int{}, row...))\n}\nfor e := l.Front(); e != nil; e = e.Next() {\n_ = e.Value.([]int)[0]\n}"},
		{"a heap of a match", `
type queue []int

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i] < q[j] }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(int)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}`, "q := &queue{}\nheap.Push(q, grid[0][0])\n_ = heap.Pop(q).(int)"},
		{"text", "", "var b strings.Builder\nfor _, w := range words {\nb.WriteString(w)\n}\n_ = []byte(words[0])"},
		{"another variable of that name", "", "words := []string{\"x\"}\nwords[0] = \"y\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := problems(t, folder(t, "play.go\n"+asGame(tt.declarations, tt.statements))); len(got) > 0 {
				t.Errorf("got problems\n%s\nwant none", strings.Join(got, "\n"))
			}
		})
	}
}

func TestFunctionsThatChangeArgumentsAreOnlyCalled(t *testing.T) {
	for _, tt := range []struct{ declarations, statement, want string }{
		{"", "f := sort.Strings; f(words)", "sort.Strings changes an argument, so it must be called right here, or in a function literal"},
		{"", "f := sdk.ParseJSON; _ = f(\"1\", &words)", "sdk.ParseJSON changes an argument"},
		{"var f = sort.Strings", "f(words)", "sort.Strings changes an argument"},
		{"", "f := func(list []string) { sort.Strings(list) }; f(words)", "list might be a part of words"},
		{"", "list := append([]string{}, words...); (sort.Strings)(list)", ""},
		{"", "f := sort.StringsAreSorted; _ = f(words)", ""},
	} {
		text := "play.go\n" + head + "import \"sort\"\n\nvar words = []string{\"b\", \"a\"}\n" + tt.declarations + `
func play(m *sdk.Match) error {
	_ = sort.SearchInts(nil, 1)
	` + tt.statement + `
	return nil
}
` + idleBot + tail
		got := strings.Join(problems(t, folder(t, text)), "\n")
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: got problems %q, want %q", tt.declarations, tt.statement, got, tt.want)
		}
	}
}
