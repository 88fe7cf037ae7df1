package match

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"colosseum/protocol"
)

// connectedLine counts and names the clients of a match, in the words of the
// original client.
func connectedLine(info protocol.MatchInfo) string {
	names := make([]string, len(info.Connected))
	for i, name := range info.Connected {
		names[i] = strconv.Quote(name)
	}
	return fmt.Sprintf("Game has %d %s and %d/%d (%d %s) connected %s: [%s]",
		info.Spectators, plural("spectator", info.Spectators),
		len(info.Connected)+info.Bots, info.Players,
		info.Bots, plural("bot", info.Bots),
		plural("player", len(info.Connected)),
		strings.Join(names, ", "))
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// awayLine reports that the connection of another player has broken, or is back.
func awayLine(away protocol.PlayerAway) string {
	if away.Seconds <= 0 {
		return away.Name + " is back"
	}
	return fmt.Sprintf("%s's connection is broken: waiting for at most %.0f s", away.Name, math.Ceil(away.Seconds))
}

// resultLines describes how a match ended: a line for each player, the best
// first, and the reason if there is one.
func resultLines(result *protocol.MatchResult) []string {
	players := slices.Clone(result.Players)
	slices.SortStableFunc(players, func(a, b protocol.PlayerResult) int { return a.Rank - b.Rank })
	var lines []string
	for _, p := range players {
		place := "-"
		if p.Rank > 0 {
			place = strconv.Itoa(p.Rank) + "."
		}
		score := strconv.FormatFloat(math.Round(p.Score*1000)/1000, 'f', -1, 64) // like the tables of host play
		points := "points"
		if p.Score == 1 {
			points = "point"
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s %s, %s", place, p.Name, score, points, p.Ended))
	}
	if result.Reason != "" {
		lines = append(lines, "Reason: "+result.Reason)
	}
	return lines
}

// advice returns the usual cause of a forfeit by the player of that name, or "".
func advice(result *protocol.MatchResult, name string) string {
	for _, p := range result.Players {
		if p.Name != name {
			continue
		}
		switch p.Ended {
		case protocol.ForfeitTimeout:
			return "No move came in time: does the program end each line with a line feed, and flush its output?"
		case protocol.ForfeitIllegal:
			return "A line of the program was not a legal move: does it print anything except moves on its standard output?"
		}
	}
	return ""
}
