package serve

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/player"
	"colosseum/internal/locale"
	"colosseum/protocol"
)

// MatchEnd is how one match ended.
type MatchEnd struct {
	match.Summary
	Name    string   // of the player in the match
	Err     error    // of the match or of the program, or nil
	Stderr  []string // last lines of the program's stderr, if it failed or forfeited
	LogPath string   // of the log; empty: there is none
}

// own returns the player's result, or nil if none was received.
func (o *MatchEnd) own() *protocol.PlayerResult {
	if o.Result == nil {
		return nil
	}
	i := slices.IndexFunc(o.Result.Players, func(p protocol.PlayerResult) bool { return p.Name == o.Name })
	if i < 0 {
		return nil
	}
	return &o.Result.Players[i]
}

// Verdicts.
const (
	won       = "won"
	drawn     = "drawn"
	lost      = "lost"
	finished  = "finished" // alone: there was nobody to beat
	aborted   = "aborted"
	notPlayed = "not played"
	unknown   = "unknown" // the connection was lost, or coco has left
)

// ending returns how the match ended for the player.
func (o *MatchEnd) ending() string {
	own := o.own()
	switch {
	case o.Result != nil && o.Result.Aborted:
		return aborted
	case o.Walkover != "":
		return won
	case own == nil && !o.Begun:
		return notPlayed
	case own == nil && o.programFailed(): // coco has left the match
		return lost
	case own == nil:
		return unknown
	case own.Rank > 1:
		return lost
	case protocol.Drawn(o.Result.Players, func(p protocol.PlayerResult) (int, int) { return p.Rank, p.Team }):
		return drawn // also if all have forfeited
	case strings.HasPrefix(own.Ended, protocol.Forfeit):
		return lost
	case len(o.Result.Players) == 1:
		return finished
	default:
		return won
	}
}

// failed reports whether the program failed, or the player lost by its own doing.
func (o *MatchEnd) failed() bool {
	own := o.own()
	return o.programFailed() || own != nil && strings.HasPrefix(own.Ended, protocol.Forfeit)
}

func (o *MatchEnd) programFailed() bool {
	_, fault := errors.AsType[*player.Failed](o.Err)
	return fault
}

// complete sets the error of a match that was won without playing, or lost because the
// program had ended without a failure.
func (o *MatchEnd) complete() {
	switch own := o.own(); {
	case o.Walkover != "":
		o.Err = nil
	case o.Err == nil && o.Exit != "" && own != nil && strings.HasPrefix(own.Ended, protocol.Forfeit):
		o.Err = &player.Failed{Text: locale.Errorf("the program ended before the match did: %s", o.Exit)}
	}
}

// reason returns why the match ended, in one line.
func (o *MatchEnd) reason() string {
	switch {
	case o.Walkover != "":
		return o.Walkover
	case o.Result != nil:
		return o.Result.Reason
	case o.Err != nil:
		return o.Err.Error()
	}
	return ""
}

// opponents returns the names of the other players, and of bots if there is a result.
func (o *MatchEnd) opponents() []string {
	if o.Result == nil {
		return others(o.Info, o.Name)
	}
	var names []string
	for _, p := range o.Result.Players {
		if p.Name != o.Name {
			names = append(names, p.Name)
		}
	}
	return names
}

// others returns the players of a match except the one with that name.
func others(info protocol.MatchInfo, name string) []string {
	names := slices.Concat(info.Connected, info.Reserved)
	return slices.DeleteFunc(names, func(n string) bool { return n == name })
}

// score returns the player's points and those of the others, like 3-1; empty without a
// result.
func (o *MatchEnd) score() string {
	own := o.own()
	if own == nil {
		return ""
	}
	points := []string{number(own.Score)}
	for i := range o.Result.Players {
		if p := &o.Result.Players[i]; p != own {
			points = append(points, number(p.Score))
		}
	}
	return strings.Join(points, "-")
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
