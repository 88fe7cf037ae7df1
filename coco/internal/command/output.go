package command

import (
	"encoding/json"
	"os"
	"strings"

	"colosseum/internal/terminal"

	"github.com/urfave/cli/v3"
)

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print JSON"}
}

// printJSON prints a value on standard output, indented by two spaces.
func printJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// printText prints a text of the server, cleaned for a terminal, with one line
// feed at its end.
func printText(text string) error {
	_, err := os.Stdout.WriteString(terminal.Clean(strings.TrimSuffix(text, "\n")) + "\n")
	return err
}
