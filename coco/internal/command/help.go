package command

import (
	"strings"

	"colosseum/internal/locale"

	"github.com/urfave/cli/v3"
)

// translateHelp translates the help of coco, which the library prints. The library has
// its own texts in variables, for this purpose.
func translateHelp(app *cli.Command, l *locale.Language) {
	if l == nil {
		return
	}
	headings := strings.NewReplacer(
		"GLOBAL OPTIONS:", l.Of("GLOBAL OPTIONS:"), "OPTIONS:", l.Of("OPTIONS:"), "COMMANDS:", l.Of("COMMANDS:"), "NAME:", l.Of("NAME:"),
		"USAGE:", l.Of("USAGE:"), "DESCRIPTION:", l.Of("DESCRIPTION:"), "[global options]", l.Of("[global options]"),
		"[command [command options]]", l.Of("[command [command options]]"),
		`{{template "usageTemplate" .}}`, "{{.FullName}}{{if .VisibleFlags}} "+l.Of("[options]")+"{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}",
	)
	for _, template := range []*string{&cli.RootCommandHelpTemplate, &cli.CommandHelpTemplate, &cli.SubcommandHelpTemplate} {
		*template = headings.Replace(*template)
	}
	cli.UsageCommandHelp = l.Of("Shows a list of commands or help for one command")
	cli.ArgsUsageCommandHelp = l.Of("[command]")
	if help, ok := cli.HelpFlag.(*cli.BoolFlag); ok {
		help.Usage = l.Of("show help")
	}
	english := cli.FlagStringer
	cli.FlagStringer = func(f cli.Flag) string {
		return strings.Replace(english(f), "(default: ", l.Of("(default: "), 1)
	}
	configure := app.ConfigureShellCompletionCommand
	app.ConfigureShellCompletionCommand = func(c *cli.Command) {
		configure(c)
		translateCommand(c, l)
	}
	translateCommand(app, l)
}

func translateCommand(c *cli.Command, l *locale.Language) {
	c.Usage, c.ArgsUsage, c.Description = l.Of(c.Usage), l.Of(c.ArgsUsage), l.Of(c.Description)
	for _, f := range c.Flags {
		switch f := f.(type) {
		case *cli.BoolFlag:
			f.Usage = l.Of(f.Usage)
		case *cli.StringFlag:
			f.Usage, f.DefaultText = l.Of(f.Usage), l.Of(f.DefaultText)
		case *cli.IntFlag:
			f.Usage, f.DefaultText = l.Of(f.Usage), l.Of(f.DefaultText)
		case *cli.FloatFlag:
			f.Usage, f.DefaultText = l.Of(f.Usage), l.Of(f.DefaultText)
		case *cli.StringSliceFlag:
			f.Usage = l.Of(f.Usage)
		case *cli.IntSliceFlag:
			f.Usage = l.Of(f.Usage)
		}
	}
	for _, sub := range c.Commands {
		translateCommand(sub, l)
	}
}

// ofLibrary returns an error of the library for wrong options, so that it can be
// translated.
func ofLibrary(err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		return locale.Errorf("flag provided but not defined: %s", name)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: "); ok {
		return locale.Errorf("flag needs an argument: %s", name)
	}
	if rest, ok := strings.CutPrefix(text, "invalid value "); ok {
		if value, rest, ok := strings.Cut(rest, " for flag "); ok {
			return locale.Errorf("invalid value %s for flag %s", value, rest)
		}
	}
	return err
}
