package match

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"colosseum/internal/locale"
	"colosseum/protocol"
)

// connectedLine counts and names the clients of a match, in the words of the
// original client.
func connectedLine(info protocol.MatchInfo) *locale.Text {
	names := make([]string, len(info.Connected))
	for i, name := range info.Connected {
		names[i] = strconv.Quote(name)
	}
	return locale.Errorf("Game has %d %s and %d/%d (%d %s) connected %s: [%s]",
		info.Spectators, plural(info.Spectators, "spectator", "spectators"),
		len(info.Connected)+info.Bots, info.Players,
		info.Bots, plural(info.Bots, "bot", "bots"),
		plural(len(info.Connected), "player", "players"),
		strings.Join(names, ", "))
}

func plural(n int, one, more locale.Word) locale.Word {
	if n == 1 {
		return one
	}
	return more
}

// awayLine reports that the connection of another player has broken, or is back.
func awayLine(away protocol.PlayerAway) *locale.Text {
	if away.Seconds <= 0 {
		return locale.Errorf("%s is back", away.Name)
	}
	return locale.Errorf("%s's connection is broken: waiting for at most %.0f s", away.Name, math.Ceil(away.Seconds))
}

// resultLines describes how a match ended: a line for each player, the best
// first, and the reason if there is one.
func resultLines(result *protocol.MatchResult) []*locale.Text {
	players := slices.Clone(result.Players)
	slices.SortStableFunc(players, func(a, b protocol.PlayerResult) int { return a.Rank - b.Rank })
	var lines []*locale.Text
	for _, p := range players {
		place := "-"
		if p.Rank > 0 {
			place = strconv.Itoa(p.Rank) + "."
		}
		score := strconv.FormatFloat(math.Round(p.Score*1000)/1000, 'f', -1, 64) // like the tables of host play
		text := locale.Errorf("%s %s: %s points, %s", place, p.Name, score, locale.Word(p.Ended))
		if p.Score == 1 {
			text = locale.Errorf("%s %s: 1 point, %s", place, p.Name, locale.Word(p.Ended))
		}
		lines = append(lines, text)
		if p.Missed > 0 {
			lines = append(lines, locale.Errorf("   %d ticks missed, %d lines dropped", p.Missed, p.Dropped))
		}
	}
	if result.Reason != "" {
		lines = append(lines, locale.Errorf("Reason: %s", result.Reason))
	}
	return lines
}

// advice returns the usual cause of a forfeit by the player of that name, or nil.
func advice(result *protocol.MatchResult, name string) *locale.Text {
	for _, p := range result.Players {
		if p.Name != name {
			continue
		}
		switch p.Ended {
		case protocol.ForfeitTimeout:
			return locale.Errorf("No move came in time: does the program end each line with a line feed, and flush its output?")
		case protocol.ForfeitIllegal:
			return locale.Errorf("A line of the program was not a legal move: does it print anything except moves on its standard output?")
		}
	}
	return nil
}
