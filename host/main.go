// Command host is the server: it keeps the lobby, runs the games, and records
// the matches. Its subcommands play, show and check without a server;
// docs/tools.md describes them.
package main

import (
	"os"

	"colosseum/host/internal/command"
)

func main() {
	os.Exit(command.Main(os.Args))
}
