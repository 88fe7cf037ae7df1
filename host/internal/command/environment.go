package command

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v3"
)

// variable is an environment variable as the source of a flag. An empty one counts as
// not set, as the authors of scripts, of units of systemd and of compose files expect;
// the library would let it override the configuration.
type variable string

func environment(name string) cli.ValueSourceChain { return cli.NewValueSourceChain(variable(name)) }

// Lookup implements cli.ValueSource.
func (v variable) Lookup() (value string, ok bool) {
	value = os.Getenv(string(v))
	return value, value != ""
}

func (v variable) String() string   { return fmt.Sprintf("environment variable %q", string(v)) }
func (v variable) GoString() string { return fmt.Sprintf("variable(%q)", string(v)) }

// IsFromEnv and Key implement cli.EnvValueSource, for the help.
func (v variable) IsFromEnv() bool { return true }
func (v variable) Key() string     { return string(v) }
