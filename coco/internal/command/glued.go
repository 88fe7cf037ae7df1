package command

import (
	"strings"

	"github.com/urfave/cli/v3"
)

// separate takes short options apart that are written in one word, since the
// library knows them only one by one: -n2 becomes -n 2, and -un2 becomes
// -u -n 2. Args are those after the program's name.
func separate(app *cli.Command, args []string) []string {
	var out []string
	flags, inRoot, value := shorts(app), true, false
	for i, arg := range args {
		switch {
		case arg == "--":
			return append(out, args[i:]...)
		case value: // of the option before
			value = false
			out = append(out, arg)
		case len(arg) < 2 || arg[0] != '-':
			if c := app.Command(arg); c != nil && inRoot {
				flags, inRoot = shorts(c), false
			}
			out = append(out, arg)
		case strings.HasPrefix(arg, "--"):
			name, _, given := strings.Cut(arg[2:], "=")
			value = flags[name] && !given
			out = append(out, arg)
		default:
			var words []string
			words, value = apart(flags, arg)
			out = append(out, words...)
		}
	}
	return out
}

// apart takes one word apart, and tells whether the next one is its value. A
// word that is not understood stays as it is: the library says what is wrong.
func apart(flags map[string]bool, arg string) (words []string, value bool) {
	for rest := arg[1:]; rest != ""; {
		name := rest[:1]
		rest = rest[1:]
		takes, known := flags[name]
		switch {
		case !known || strings.HasPrefix(rest, "="): // -n=2 the library knows
			return []string{arg}, false
		case takes && rest != "":
			return append(words, "-"+name, rest), false
		case takes:
			return append(words, "-"+name), true
		}
		words = append(words, "-"+name)
	}
	return words, false
}

// shorts are the names of a command's options; true: it takes a value.
func shorts(c *cli.Command) map[string]bool {
	names := map[string]bool{"h": false, "help": false}
	for _, f := range c.Flags {
		for _, name := range f.Names() {
			_, isSwitch := f.(*cli.BoolFlag)
			names[name] = !isSwitch
		}
	}
	return names
}
