package command

import (
	"strings"

	"github.com/urfave/cli/v3"
)

// splitShort splits short options that are written in one word, which the
// library does not support: -n2 becomes -n 2, and -un2 becomes -u -n 2. The
// program's name is not in args.
func splitShort(app *cli.Command, args []string) []string {
	var out []string
	flags, inRoot, value := optionNames(app), true, false
	for i, arg := range args {
		switch {
		case arg == "--":
			return append(out, args[i:]...)
		case value: // of the preceding option
			value = false
			out = append(out, arg)
		case len(arg) < 2 || arg[0] != '-':
			if c := app.Command(arg); c != nil && inRoot {
				flags, inRoot = optionNames(c), false
			}
			out = append(out, arg)
		case strings.HasPrefix(arg, "--"):
			name, _, given := strings.Cut(arg[2:], "=")
			value = flags[name] && !given
			out = append(out, arg)
		default:
			var words []string
			words, value = splitWord(flags, arg)
			out = append(out, words...)
		}
	}
	return out
}

// splitWord splits one word, and reports whether the next argument is its value.
// A word with an unknown option is returned as it is; the library rejects it.
func splitWord(flags map[string]bool, arg string) (words []string, value bool) {
	for rest := arg[1:]; rest != ""; {
		name := rest[:1]
		rest = rest[1:]
		takes, known := flags[name]
		switch {
		case !known || strings.HasPrefix(rest, "="): // the library supports -n=2
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

// optionNames returns the names of a command's options, long and short, with
// true for each that takes a value.
func optionNames(c *cli.Command) map[string]bool {
	names := map[string]bool{"h": false, "help": false}
	for _, f := range c.Flags {
		for _, name := range f.Names() {
			_, isSwitch := f.(*cli.BoolFlag)
			names[name] = !isSwitch
		}
	}
	return names
}
