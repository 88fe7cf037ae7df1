//go:build unix

package main

import (
	"strings"
	"testing"
)

const (
	newRequest = `{"GameNew":{"name":"roshambo","game":"roshambo","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":null,"verification":null}}`
	newReply   = `{"GameNew":{"id":{"Ok":"8gj5mqqjtoklo"}}}`
	newRefusal = `{"GameNew":{"id":{"Err":"Cannot create game: Game not found"}}}`
)

// TestPeopleReadTheirLanguageAndProgramsEnglish runs the same commands in several
// environments.
func TestPeopleReadTheirLanguageAndProgramsEnglish(t *testing.T) {
	t.Parallel()
	const unknownIt, unknownEn = `comando "nuovo" sconosciuto`, `unknown command "nuovo"`
	const notFoundIt = "coco: impossibile creare la partita: gioco non trovato; coco list mostra i giochi disponibili\n"
	const notFoundEn = "coco: cannot create new game: Game not found; coco list shows the games there are\n"
	tests := []struct {
		name, env, args, request, reply string
		exit                            int
		stdout, stderr                  string // parts of them
	}{
		{name: "help in English", env: "LC_ALL=C", args: "--help", stdout: "COMMANDS:"},
		{name: "help in Italian", env: "LC_ALL=|LANG=it_IT.UTF-8", args: "--help", stdout: "COMANDI:"},
		{name: "help of a command in Italian", env: "LC_ALL=it_IT.UTF-8", args: "connect|--help", stdout: "-p PASSWORD"},
		{name: "help of a command of a command in Italian", env: "LC_ALL=it_IT.UTF-8", args: "contest|show|--help", stdout: "descrive un torneo"},
		{name: "LC_ALL before LANG", env: "LC_ALL=C|LANG=it_IT.UTF-8", args: "nuovo", exit: 2, stderr: unknownEn},
		{name: "LC_MESSAGES", env: "LC_ALL=|LC_MESSAGES=it|LANG=C", args: "nuovo", exit: 2, stderr: unknownIt},
		{name: "COCO_LANG before all", env: "COCO_LANG=en|LC_ALL=it_IT.UTF-8", args: "nuovo", exit: 2, stderr: unknownEn},
		{name: "a language without a file", env: "LC_ALL=ja_JP.UTF-8", args: "nuovo", exit: 2, stderr: unknownEn},
		{name: "an error of the library", env: "LC_ALL=it_IT", args: "list|--nuovo", exit: 2, stderr: "opzione sconosciuta: -nuovo (vedi coco list --help)"},
		{name: "a wrong value", env: "LC_ALL=it_IT", args: "new|dama|-n|x", exit: 2, stderr: `valore "x" non valido per l'opzione -n`},
		{name: "a refusal in Italian", env: "LC_ALL=it_IT.UTF-8", args: "new|roshambo", request: newRequest, reply: newRefusal, exit: 4, stderr: notFoundIt},
		{name: "a refusal in English", env: "LC_ALL=C", args: "new|roshambo", request: newRequest, reply: newRefusal, exit: 4, stderr: notFoundEn},
		{name: "output that a program reads", env: "LC_ALL=it_IT.UTF-8", args: "new|roshambo", request: newRequest, reply: newReply, stdout: "Created new game with id 8gj5mqqjtoklo\n"},
		{name: "output in the chosen language", env: "COCO_LANG=it", args: "new|roshambo", request: newRequest, reply: newReply, stdout: "Creata una nuova partita con id 8gj5mqqjtoklo\n"},
		{name: "JSON", env: "COCO_LANG=it", args: "list|--json", request: listRequest, reply: listReply, stdout: usageOfAll},
		{name: "names of games", env: "COCO_LANG=it", args: "list", request: listRequest, reply: listReply, stdout: "- dama\n- roshambo\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := strings.Split(tt.env, "|")
			if tt.request != "" {
				f := serve(t, func(c *client) {
					wantText(t, "request", string(c.receiveText()), tt.request)
					c.sendText(tt.reply)
					c.awaitClose()
				})
				defer f.wait()
				args = append(args, "-s", f.url)
			}
			stdout, stderr := coco(t, tt.exit, append(args, strings.Split(tt.args, "|")...)...)
			wantPart(t, "stdout", stdout, tt.stdout)
			wantPart(t, "stderr", stderr, tt.stderr)
			if tt.stderr == "" {
				wantText(t, "stderr", stderr, "")
			}
		})
	}
}

func TestHelpInItalianHasNoEnglishLine(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", "list", "lobby", "new", "connect", "history", "refeed", "serve", "challenge", "http", "mcp", "contest", "register", "login", "whoami", "logout", "load", "contest enter", "submit", "submissions", "submissions log", "submissions remove", "submissions download"} {
		args := append(strings.Fields(command), "--help")
		english, _ := coco(t, 0, args...)
		italian, _ := coco(t, 0, append([]string{"COCO_LANG=it"}, args...)...)
		same := map[string]bool{}
		for line := range strings.Lines(english) {
			same[line] = true
		}
		for line := range strings.Lines(italian) {
			if same[line] && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("coco %s --help: got the English line %q, want Italian", command, line)
			}
		}
	}
}
