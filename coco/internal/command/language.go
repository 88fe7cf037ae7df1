package command

import (
	"fmt"
	"os"

	"colosseum/internal/locale"
	"colosseum/internal/terminal"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"
)

// languageVariable names the language of coco's texts, such as it or en. Without it, the
// variables of POSIX do.
const languageVariable = "COCO_LANG"

// metadataLanguage is the key of the language in the metadata of the root command.
const metadataLanguage = "language"

// languageOf returns the language of the user, for errors, warnings and questions.
func languageOf(cmd *cli.Command) *locale.Language {
	l, _ := cmd.Root().Metadata[metadataLanguage].(*locale.Language)
	return l
}

// outputLanguage returns the language of texts on standard output. Programs read it in
// English, as they always did, unless the user has chosen the language of coco.
func outputLanguage(cmd *cli.Command) *locale.Language {
	if os.Getenv(languageVariable) == "" && !term.IsTerminal(int(os.Stdout.Fd())) {
		return nil
	}
	return languageOf(cmd)
}

func newPrinter(cmd *cli.Command) *terminal.Printer {
	p := terminal.NewPrinter(os.Stdout)
	p.Sprintf = outputLanguage(cmd).Sprintf
	return p
}

// say prints a line on standard output.
func say(cmd *cli.Command, format string, args ...any) error {
	return printText(outputLanguage(cmd).Sprintf(format, args...))
}

// warn prints a warning on standard error, cleaned for a terminal: it can have the words of
// a server.
func warn(cmd *cli.Command, format string, args ...any) {
	l := languageOf(cmd)
	fmt.Fprintln(os.Stderr, terminal.Clean("coco: "+l.Of("warning")+": "+l.Sprintf(format, args...)))
}
