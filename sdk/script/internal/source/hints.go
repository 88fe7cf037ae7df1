package source

import (
	"path"
	"regexp"
	"strings"

	"colosseum/sdk/script/symbols"
)

// hints say what to write instead, for the mistakes that beginners make most. The
// compiler's messages only say what is wrong.
var hints = []struct {
	message *regexp.Regexp
	hint    string
}{
	{regexp.MustCompile(`^no new variables on left side of :=$`), "; write = instead of :="},
	{regexp.MustCompile(`^declared and not used: `), "; use it, or remove it"},
	{regexp.MustCompile(`^cannot use (\w+) \(variable of type u?int\d*\) as (float\d+) value`), "; write $2($1)"},
	{regexp.MustCompile(`^cannot use (\w+) \(variable of type u?int\d*\) as string value`), "; write fmt.Sprint($1)"},
	{regexp.MustCompile(`^invalid operation: .*\(mismatched types (untyped )?string and (untyped )?(u?int|float)`), "; write fmt.Sprint(…) around the number"},
	{regexp.MustCompile(`^assignment mismatch: 1 variable but [\w.]+\.Ask(Line)? returns 2 values$`), "; write line, err := …, and check err"},
	{regexp.MustCompile(`^cannot range over (\S+) .*requires go1.22`), "; write for i := 0; i < $1; i++"},
	{regexp.MustCompile(`^unexpected (semicolon or newline before \{|newline, expecting \{ after .*)$`), "; put the { at the end of the line before"},
	{regexp.MustCompile(`^expected statement, found 'else'$`), "; write } else { in one line"},
	{regexp.MustCompile(`^expected '\}', found 'EOF'$`), "; a { before this is not closed"},
	{regexp.MustCompile(`^expected boolean expression, found assignment`), "; write == to compare"},
	{regexp.MustCompile(`^illegal rune literal$`), "; text is between double quotes"},
	{regexp.MustCompile(`^illegal character U\+003F '\?'$`), "; Go has no condition ? a : b: write if"},
}

// withHint adds to a message of the compiler what to write instead, if that is known.
func withHint(message string) string {
	if name, ok := strings.CutPrefix(message, "undefined: "); ok {
		return message + missing(name)
	}
	for _, h := range hints {
		if m := h.message.FindStringSubmatchIndex(message); m != nil {
			return message + string(h.message.ExpandString(nil, h.hint, message, m))
		}
	}
	return message
}

// missing returns a hint for an undefined name: a package that is not imported, or a
// function of a package of generic ones.
func missing(name string) string {
	pkg, _, selects := strings.Cut(name, ".")
	if selects && isGeneric(pkg) {
		return ": of package " + pkg + ", a script can use " + strings.Join(GenericNames()[pkg], ", ")
	}
	paths := []string{"cmp", "maps", "slices"}
	for _, p := range symbols.Packages {
		paths = append(paths, p.Path)
	}
	for _, p := range paths {
		if !selects && path.Base(p) == name {
			return "; if you mean the package, add import \"" + p + "\""
		}
	}
	return ""
}
