package series

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Entrant is a program or a bot that plays in a series.
type Entrant struct {
	Name    string   // in the game and in the results
	Command []string // the program and its arguments; nil: a bot of the game
	Level   string   // of a bot; empty: the value of driver.BotParam
}

// shown returns the name for people: "ServerBot$0 (strong)".
func (e *Entrant) shown() string {
	if e.Level == "" {
		return e.Name
	}
	return fmt.Sprintf("%s (%s)", e.Name, e.Level)
}

// maxName is the longest name of a player in bytes, as on a server.
const maxName = 16

// NamePrefix begins the word before a program that names it.
const NamePrefix = "name="

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Entrants returns the programs and then the bots, with different names. A program has
// the name that its first word gives it with NamePrefix, or that of its file, or of the
// script that it interprets. The first bots have the given levels.
func Entrants(programs [][]string, bots int, levels []string) ([]Entrant, error) {
	list := make([]Entrant, len(programs))
	times := map[string]int{} // a name, in lower case
	for i, command := range programs {
		given := ""
		if len(command) > 0 {
			if name, ok := strings.CutPrefix(command[0], NamePrefix); ok {
				if !validName.MatchString(name) || len(name) > maxName {
					return nil, fmt.Errorf("%s: a name has 1 to %d letters, digits, dots, hyphens and underscores", command[0], maxName)
				}
				given, command = name, command[1:]
			}
		}
		if len(command) == 0 || command[0] == "" {
			return nil, errors.New(`a program is missing: write them as -- PROGRAM ARGUMENTS -- PROGRAM ARGUMENTS`)
		}
		list[i] = Entrant{Name: given, Command: command}
		if key := strings.ToLower(given); given != "" && times[key] > 0 {
			return nil, fmt.Errorf("%s%s is there twice: give each program another name", NamePrefix, given)
		} else if given != "" {
			times[key]++
		}
	}
	found := make([]string, len(list)) // names that nobody gave
	for i, e := range list {
		if e.Name == "" {
			found[i] = nameOf(e.Command)
			times[strings.ToLower(found[i])]++
		}
	}
	last := map[string]int{}
	for i := range list {
		name := found[i]
		switch key := strings.ToLower(name); {
		case name == "":
		case times[key] == 1:
			list[i].Name = name
		default:
			for list[i].Name == "" {
				last[key]++
				suffix := fmt.Sprintf("-%d", last[key])
				numbered := name[:min(len(name), maxName-len(suffix))] + suffix
				if taken := strings.ToLower(numbered); times[taken] == 0 {
					list[i].Name = numbered
					times[taken]++
				}
			}
		}
	}
	for i := range bots {
		e := Entrant{Name: fmt.Sprintf("ServerBot$%d", i)} // as on a server
		if i < len(levels) {
			e.Level = levels[i]
		}
		list = append(list, e)
	}
	return list, nil
}
