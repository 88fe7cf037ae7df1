package player

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"

	"colosseum/protocol"
)

// Variables of the environment that describe the match to the program.
const (
	matchVariable     = "COCO_MATCH"
	gameVariable      = "COCO_GAME"
	nameVariable      = "COCO_NAME"
	timeoutVariable   = "COCO_TIMEOUT"
	bankVariable      = "COCO_BANK"
	incrementVariable = "COCO_INCREMENT"
	argsVariable      = "COCO_ARGS"
)

var variables = []string{matchVariable, gameVariable, nameVariable, timeoutVariable, bankVariable, incrementVariable, argsVariable, questionsVariable}

// Environment returns variables that describe a match to the program of the player
// with the given name. COCO_BANK and COCO_INCREMENT are there only if the match has a
// clock.
func Environment(info protocol.MatchInfo, name string) []string {
	args := []byte("{}")
	if len(info.Args) > 0 {
		args, _ = json.Marshal(info.Args) // strings can be encoded
	}
	env := []string{
		matchVariable + "=" + info.ID, gameVariable + "=" + info.Game, nameVariable + "=" + name,
		timeoutVariable + "=" + seconds(info.Timeout), argsVariable + "=" + string(args),
	}
	if c := info.Clock; c != nil {
		env = append(env, bankVariable+"="+seconds(c.Bank), incrementVariable+"="+seconds(c.Increment))
	}
	return env
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) }

// inherited returns coco's environment without the variables of another coco that has
// started this one: its pipes and its match.
func inherited() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "COCO_PIPE") || slices.Contains(variables, name)
	})
}
