package script_test

import (
	"fmt"
	"strings"
)

// statement writes one statement.
func (w *writer) statement() {
	deep := w.indent > 5
	switch n := w.r.IntN(22); {
	case n < 3:
		typ := types[w.r.IntN(len(types))]
		w.line("text += fmt.Sprint(%s, \" \")", w.shown(typ))
	case n < 5:
		w.declare(types[w.r.IntN(len(types))])
	case n < 8:
		w.assign()
	case n < 10:
		w.part()
	case n == 10 && !deep:
		w.body("if %s", w.expr("bool", 2))
	case n == 11 && !deep:
		w.line("if %s {", w.expr("bool", 2))
		w.indent++
		w.block(3)
		w.indent--
		w.body("} else if %s", w.expr("bool", 1))
	case n == 12 && !deep:
		w.loop()
	case n == 13 && !deep:
		w.rangeLoop()
	case n == 14 && !deep:
		w.choice()
	case n == 15 && len(w.labels) > 0:
		to := w.labels[w.r.IntN(len(w.labels))]
		w.line("if %s {\n%s\t%s %s\n%[2]s}", w.expr("bool", 1), strings.Repeat("\t", w.indent), w.one("break", "continue"), to)
	case n == 16:
		if p := w.pick("point", true); p != "" {
			w.line("%s.move(%s, %s)", p, w.expr("int", 1), w.expr("string", 1))
		}
	case n == 17:
		a, b := w.pick("int", true), w.pick("int", true)
		if a != "" && b != "" && a != b {
			w.line("%s, %s = %s, %s", a, b, b, w.one(a, a+"+1", b+"-"+a))
		}
	case n == 18 && !deep:
		w.closure()
	case n == 19:
		w.lookUp()
	case n == 20 && !deep:
		w.body("")
	default:
		w.line("if len(text) > 400 {\n%s\ttext = text[:400]\n%[1]s}", strings.Repeat("\t", w.indent))
	}
}

func (w *writer) assign() {
	typ := w.one("int", "int", "uint8", "uint64", "string", "bool", "rune", "level", "[]int", "[3]int", "point", "*point", "[]point", "[2][2]int")
	v := w.pick(typ, true)
	if v == "" {
		return
	}
	switch {
	case typ == "string":
		w.line("%s = cut(%s, 0, 20)", v, w.expr(typ, 3))
	case w.isNumber(typ) && w.r.IntN(3) == 0:
		w.line("%s %s %s", v, w.one("+=", "-=", "*=", "|=", "&=", "^=", "&^="), w.expr(typ, 2))
	case w.isNumber(typ) && w.r.IntN(4) == 0:
		w.line("%s %s %s", v, w.one("<<=", ">>="), w.shift(1))
	case w.isNumber(typ) && w.r.IntN(4) == 0:
		w.line("%s%s", v, w.one("++", "--"))
	default:
		w.line("%s = %s", v, w.expr(typ, 3))
	}
}

// part assigns to a part of a variable.
func (w *writer) part() {
	op := w.one("=", "+=", "-=")
	switch w.r.IntN(12) {
	case 6:
		if v := w.pick("[]point", true); v != "" {
			w.line("if len(%s) > 0 {\n%s\t%[1]s[at(%[3]s, len(%[1]s))].%[4]s\n%[2]s}", v, strings.Repeat("\t", w.indent), w.expr("int", 1), w.one("x++", "move(n, s)", "y = b", "list = append([]int{n}, fuel)"))
		}
	case 7:
		if v := w.pick("*point", false); v != "" {
			w.line("%s.%s", v, w.one("x -= n", "move(n, s)", "name = cut(s, n, 5)", "y *= b"))
		}
	case 8:
		if v := w.pick("[][]int", true); v != "" {
			w.line("for k, row := range %s {\n%s\tif len(row) > 0 {\n%[2]s\t\trow[0] += k\n%[2]s\t\t%[1]s[k][at(n, len(row))] %[3]s %[4]s\n%[2]s\t}\n%[2]s}", v, strings.Repeat("\t", w.indent), op, w.expr("int", 1))
		}
	case 9:
		if v := w.pick("[2][2]int", true); v != "" {
			w.line("%s[at(%s, 2)][at(%s, 2)] %s %s", v, w.expr("int", 1), w.expr("int", 1), op, w.expr("int", 1))
		}
	case 10:
		w.count++
		w.line("v%d, w%[1]d := pair(%s, %s)", w.count, w.expr("point", 1), w.expr("int", 1))
		w.line("_, _ = v%d, w%[1]d", w.count)
		w.add(fmt.Sprintf("v%d", w.count), "point", false)
		w.add(fmt.Sprintf("w%d", w.count), "int", false)
	case 11:
		if v := w.pick("[]point", true); v != "" {
			w.line("if len(%s) < 4 {\n%s\t%[1]s = append(%[1]s, %[3]s)\n%[2]s}", v, strings.Repeat("\t", w.indent), w.expr("point", 1))
		}
	case 0:
		if v := w.pick("[]int", true); v != "" {
			w.line("if len(%s) > 0 {\n%s\t%[1]s[at(%[3]s, len(%[1]s))] %[4]s %[5]s\n%[2]s}", v, strings.Repeat("\t", w.indent), w.expr("int", 1), op, w.expr("int", 2))
		}
	case 1:
		if v := w.pick("[3]int", true); v != "" {
			w.line("%s[at(%s, 3)] %s %s", v, w.expr("int", 1), op, w.expr("int", 2))
		}
	case 2:
		if v := w.pick("point", true); v != "" {
			w.line("%s.%s %s %s", v, "x", op, w.expr("int", 2))
		}
	case 3:
		if v := w.pick("point", true); v != "" {
			w.line("%s.y %s %s", v, op, w.expr("uint8", 2))
		}
	case 4:
		if v := w.pick("map[string]int", true); v != "" {
			w.line("%s[%s] %s %s", v, w.expr("string", 1), op, w.expr("int", 2))
		}
	default:
		if v := w.pick("[]int", true); v != "" {
			w.line("if len(%s) < 9 {\n%s\t%[1]s = append(%[1]s, %[3]s)\n%[2]s}", v, strings.Repeat("\t", w.indent), w.expr("int", 2))
		}
	}
}

// label writes a label for every second loop, and returns its name.
func (w *writer) label() string {
	if w.r.IntN(2) == 0 {
		return ""
	}
	w.count++
	// A label can have the name of a variable.
	name := w.one(fmt.Sprintf("L%d", w.count), fmt.Sprintf("v%d", w.count-2))
	if strings.Contains(w.b.String(), "\n"+name+":") {
		name = fmt.Sprintf("L%d", w.count)
	}
	w.b.WriteString(name + ":\n")
	return name
}

func (w *writer) within(label string, write func()) {
	before := w.labels
	w.labels = append(append([]string{}, before...), label)
	write()
	w.labels = before
}

// used makes sure that a label is used.
func (w *writer) used(label string) {
	if label != "" {
		w.line("\tif %s {\n%s\t\tcontinue %s\n%[2]s\t}", w.expr("bool", 1), strings.Repeat("\t", w.indent), label)
	}
}

func (w *writer) loop() {
	label := w.label()
	w.count++
	i := fmt.Sprintf("i%d", w.count)
	w.line("for %s := 0; %[1]s < %d; %[1]s++ {", i, 1+w.r.IntN(4))
	w.scopes = append(w.scopes, []variable{{i, "int", true}})
	w.used(label)
	w.indent++
	w.within(label, func() { w.block(4) })
	w.indent--
	w.scopes = w.scopes[:len(w.scopes)-1]
	w.line("}")
}

func (w *writer) rangeLoop() {
	typ := w.one("string", "string", "[]int", "[3]int")
	over := w.expr(typ, 1)
	if typ == "string" {
		over = "cut(" + over + ", 0, 6)"
	} else if v := w.pick(typ, false); v != "" {
		over = v
	}
	label := w.label()
	w.count++
	k, v := fmt.Sprintf("k%d", w.count), fmt.Sprintf("c%d", w.count)
	value := "int"
	if typ == "string" {
		value = "rune"
	}
	scope := []variable{{k, "int", false}, {v, value, false}}
	switch w.r.IntN(4) {
	case 0:
		w.line("for %s := range %s {", k, over)
		scope = scope[:1]
	case 1:
		w.line("for _, %s := range %s {", v, over)
		scope = scope[1:]
	case 2:
		w.line("for range %s {", over)
		scope = nil
	default:
		w.line("for %s, %s := range %s {", k, v, over)
	}
	w.scopes = append(w.scopes, scope)
	for _, v := range scope {
		w.line("\t_ = %s", v.name)
	}
	w.used(label)
	w.indent++
	w.within(label, func() { w.block(4) })
	w.indent--
	w.scopes = w.scopes[:len(w.scopes)-1]
	w.line("}")
}

// choice writes a switch.
func (w *writer) choice() {
	before := w.labels
	var outer []string // a break without a label would end the switch
	for _, l := range before {
		if l != "" {
			outer = append(outer, l)
		}
	}
	w.labels = outer
	defer func() { w.labels = before }()
	kind := w.r.IntN(4)
	switch kind {
	case 0:
		w.line("switch {")
	case 1:
		w.line("switch %s {", w.expr("string", 1))
	case 2:
		w.line("switch x := any(%s).(type) {", w.typed(w.one("int", "string", "[]int", "bool"), 1))
	default:
		w.line("switch at(%s, 5) {", w.expr("int", 2))
	}
	cases, last := 1+w.r.IntN(4), w.r.IntN(6) // last is the index of the default; beyond the cases, there is none
	if kind == 2 && last != 3 {
		cases = min(cases, 3)
	}
	for i := range cases {
		switch {
		case i == last:
			w.line("default:")
		case kind == 0:
			w.line("case %s:", w.expr("bool", 2))
		case kind == 1:
			w.line("case %q, %q:", fmt.Sprint("a", i), fmt.Sprint("b\xff", i))
		case kind == 2:
			w.line("case %s:", []string{"int", "string", "bool"}[i])
		default:
			w.line("case %d, %d:", 2*i, 2*i+1)
		}
		w.indent++
		if kind == 2 {
			w.line("_ = x")
		}
		w.block(3)
		w.indent--
	}
	w.line("}")
}

// closure declares a function, and calls it as a statement or in one of its own.
func (w *writer) closure() {
	w.count++
	name := fmt.Sprintf("f%d", w.count)
	labels := w.labels
	w.labels = nil
	w.line("%s := func(a int) int {", name)
	w.scopes = append(w.scopes, []variable{{"a", "int", false}})
	w.indent++
	w.block(3)
	w.line("return %s", w.expr("int", 2))
	w.indent--
	w.scopes = w.scopes[:len(w.scopes)-1]
	w.line("}")
	w.labels = labels
	for range 1 + w.r.IntN(2) {
		w.count++
		result := fmt.Sprintf("v%d", w.count)
		w.line("%s := %s(%s)", result, name, w.expr("int", 1))
		w.line("_ = %s", result)
		w.add(result, "int", false)
	}
}

func (w *writer) lookUp() {
	m := w.pick("map[string]int", false)
	if m == "" {
		return
	}
	w.count++
	v := fmt.Sprintf("v%d", w.count)
	key := w.expr("string", 1)
	switch w.r.IntN(3) {
	case 0:
		w.line("if %s, ok := %s[%s]; ok {", v, m, key)
		w.scopes = append(w.scopes, []variable{{v, "int", false}})
		w.line("\t_ = %s", v)
		w.indent++
		w.block(2)
		w.indent--
		w.scopes = w.scopes[:len(w.scopes)-1]
		w.line("}")
	case 1:
		w.line("delete(%s, %s)", m, key)
	default:
		w.line("for _, key := range slices.Sorted(maps.Keys(%s)) {\n%s\ttext += fmt.Sprint(key, %[1]s[key], \";\")\n%[2]s}", m, strings.Repeat("\t", w.indent))
	}
}

func (w *writer) isNumber(typ string) bool {
	return typ == "int" || typ == "uint8" || typ == "uint64" || typ == "rune" || typ == "level"
}

// shift writes the count of a shift.
func (w *writer) shift(depth int) string {
	return strings.ReplaceAll(w.one("(# & 7)", "uint(at(#, 9))", "(at(#, 5) + 1)", "(at(#, 8)/2 + at(n, 3))", "(uint(at(#, 4)) * uint(at(n, 4)))"), "#", w.expr("int", depth-1))
}

// typed writes an expression that has the type by itself.
func (w *writer) typed(typ string, depth int) string {
	e := w.expr(typ, depth)
	if w.isNumber(typ) {
		return typ + "(" + e + ")"
	}
	return e
}

// shown writes an expression that package fmt prints.
func (w *writer) shown(typ string) string {
	switch e := w.typed(typ, 3); typ {
	case "string":
		return "strconv.Quote(" + e + ")"
	case "point":
		return e + ".sum()"
	case "level":
		return "int(" + e + ")"
	case "map[string]int":
		return "len(" + e + ")"
	case "*point":
		return e + ".sum()"
	case "[]point":
		return "len(slices.Insert(slices.Clone(" + e + "), 0, " + e + "...))"
	default:
		return e
	}
}

// expr writes an expression of a type. A number has a variable as its first operand, so
// that no constant overflows.
func (w *writer) expr(typ string, depth int) string {
	v := w.pick(typ, false)
	if depth <= 0 || w.r.IntN(4) == 0 {
		if v != "" && w.r.IntN(5) > 0 {
			return v
		}
		return w.literal(typ)
	}
	sub := func(typ string) string { return w.expr(typ, depth-1) }
	if w.isNumber(typ) && v == "" {
		v = w.typed(typ, 0)
		if w.r.IntN(2) == 0 {
			v = typ + "(" + w.variable("int") + ")"
		}
		return v
	}
	switch typ {
	case "int":
		switch w.r.IntN(12) {
		case 0:
			return "div(" + sub("int") + ", " + sub("int") + ")"
		case 1:
			return "len(" + sub(w.one("string", "[]int", "map[string]int")) + ")"
		case 2:
			return "int(" + w.variable(w.one("uint8", "uint64", "rune", "level")) + ")"
		case 3:
			return sub("[3]int") + "[at(" + sub("int") + ", 3)]"
		case 4:
			return sub(w.one("point", "*point")) + w.one(".x", ".sum()")
		case 5:
			return "max(" + w.typed("int", depth-1) + ", " + sub("int") + ", " + v + ")"
		case 6:
			return sub("map[string]int") + "[" + sub("string") + "]"
		case 7:
			return w.one("min", "max") + "(" + v + ", " + sub("int") + ")"
		}
		fallthrough
	case "uint8", "uint64", "rune", "level":
		switch w.r.IntN(8) {
		case 0:
			return "(" + v + w.one(" << ", " >> ") + w.shift(depth) + ")"
		case 1:
			return w.one("-", "^", "+") + v
		case 2:
			return typ + "(" + w.variable(w.one("int", "uint8", "uint64", "rune")) + ")"
		case 3:
			if typ == "level" {
				return "level(" + w.variable("int") + ").next(" + sub("int") + ")"
			}
			if typ == "uint8" {
				return "max(" + v + ", " + w.typed("uint8", depth-1) + ")"
			}
		}
		return "(" + v + w.one(" + ", " - ", " * ", " & ", " | ", " ^ ", " &^ ") + sub(typ) + ")"
	case "string":
		switch w.r.IntN(10) {
		case 0:
			return "cut(" + sub(typ) + ", " + sub("int") + ", " + sub("int") + ")"
		case 1:
			return "string([]rune(" + sub(typ) + "))"
		case 2:
			return w.one("strings.ToUpper(", "strings.TrimSpace(") + sub(typ) + ")"
		case 3:
			return "strconv.Itoa(" + sub("int") + ")"
		case 4:
			return "string([]byte(" + sub(typ) + "))"
		case 5:
			return "string(" + w.typed("rune", depth-1) + ")"
		case 6:
			return sub("point") + ".name"
		case 7:
			return "max(" + sub(typ) + ", " + sub(typ) + ")"
		}
		return "(" + sub(typ) + " + " + sub(typ) + ")"
	case "bool":
		of := w.one("int", "string", "uint8", "uint64", "rune")
		switch w.r.IntN(8) {
		case 0:
			return "!" + sub("bool")
		case 1, 2:
			return "(" + sub("bool") + w.one(" && ", " || ") + sub("bool") + ")"
		case 3:
			return "strings.HasPrefix(" + sub("string") + ", " + sub("string") + ")"
		}
		return "(" + w.variable(of) + w.one(" == ", " != ", " < ", " <= ", " > ", " >= ") + sub(of) + ")"
	case "[]int":
		switch w.r.IntN(5) {
		case 0:
			return "append([]int{" + sub("int") + "}, " + sub(typ) + "...)"
		case 1:
			return "[]int{" + sub("int") + ", " + sub("int") + "}"
		case 2:
			return "slices.Insert(slices.Clone(" + sub(typ) + "), 0, " + sub("int") + ")"
		case 3:
			return "append([]int{}, " + sub(typ) + "...)"
		}
	case "[3]int":
		return "[3]int{" + sub("int") + ", 2: " + sub("int") + "}"
	case "point":
		return "(point{x: " + sub("int") + ", name: cut(" + sub("string") + ", 0, 9), y: " + sub("uint8") + "})"
	case "*point":
		return "(&point{x: " + sub("int") + ", list: " + sub("[]int") + "})"
	case "[]point":
		return "[]point{" + sub("point") + ", {x: " + sub("int") + "}}"
	case "[][]int":
		return "[][]int{" + sub("[]int") + ", {" + sub("int") + "}}"
	case "[2][2]int":
		return "([2][2]int{{" + sub("int") + "}, {1, " + sub("int") + "}})"
	case "map[string]int":
		return "map[string]int{\"a\": " + sub("int") + ", \"b\\xff\": " + sub("int") + "}"
	}
	if v != "" {
		return v
	}
	return w.literal(typ)
}

// variable writes an expression that is not constant.
func (w *writer) variable(typ string) string {
	if v := w.pick(typ, false); v != "" {
		return v
	}
	switch typ {
	case "string":
		return "s"
	case "uint8":
		return "b"
	default:
		return typ + "(n)"
	}
}

func (w *writer) literal(typ string) string {
	switch typ {
	case "int":
		return w.one("0", "1", "2", "7", "-3", "100", "1<<20")
	case "uint8", "uint64":
		return w.one("0", "1", "5", "200", "0x7f")
	case "rune":
		return w.one("'a'", "'é'", "'0'", "66")
	case "level":
		return w.one("1", "3")
	case "string":
		return w.one(`""`, `"a"`, `"b\xff"`, `"é\xe2\x82"`, `"x y"`)
	case "bool":
		return w.one("true", "false", "(n > 3)")
	case "[]int":
		return w.one("[]int{}", "[]int{1, 2, 3}", "[]int{4}")
	case "*point":
		return "(&point{y: b})"
	case "[]point":
		return "[]point{{x: n}}"
	case "[][]int":
		return "[][]int{{1}, {}}"
	case "map[string]int":
		return w.one("map[string]int{}", `map[string]int{"a": 1}`)
	default:
		return "(" + typ + "{})"
	}
}
