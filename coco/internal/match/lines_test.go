package match

import (
	"slices"
	"strings"
	"testing"

	"colosseum/protocol"
)

func TestConnectedLineCountsAsTheOriginal(t *testing.T) {
	tests := []struct {
		name string
		info protocol.MatchInfo
		want string
	}{
		{
			"recorded", protocol.MatchInfo{Players: 2, Connected: []string{"alice"}},
			`Game has 0 spectators and 1/2 (0 bots) connected player: ["alice"]`,
		},
		{
			"a bot and a spectator", protocol.MatchInfo{Players: 3, Bots: 1, Spectators: 1, Connected: []string{"alice", "bob"}},
			`Game has 1 spectator and 3/3 (1 bot) connected players: ["alice", "bob"]`,
		},
		{
			"one of three with a bot", protocol.MatchInfo{Players: 3, Bots: 1, Connected: []string{"alice"}},
			`Game has 0 spectators and 2/3 (1 bot) connected player: ["alice"]`,
		},
		{
			"nobody", protocol.MatchInfo{Players: 1},
			`Game has 0 spectators and 0/1 (0 bots) connected players: []`,
		},
	}
	for _, tt := range tests {
		if got := connectedLine(tt.info).Error(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestOwnForfeitComesWithAdvice(t *testing.T) {
	result := &protocol.MatchResult{Players: []protocol.PlayerResult{
		{Name: "late", Ended: protocol.ForfeitTimeout},
		{Name: "loud", Ended: protocol.ForfeitIllegal},
		{Name: "fine", Ended: protocol.EndedFinished},
	}}
	for name, want := range map[string]string{"late": "flush", "loud": "anything except", "fine": "", "nobody": ""} {
		got := ""
		if text := advice(result, name); text != nil {
			got = text.Error()
		}
		if !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: got %q, want %q in it", name, got, want)
		}
	}
}

func TestMissedTicksFollowTheResultOfAPlayer(t *testing.T) {
	result := &protocol.MatchResult{Players: []protocol.PlayerResult{
		{Name: "ann", Score: 2, Rank: 1, Ended: protocol.EndedFinished, Missed: 3, Dropped: 2},
		{Name: "bob", Rank: 2, Ended: protocol.EndedFinished, Dropped: 1},
	}}
	var got []string
	for _, line := range resultLines(result) {
		got = append(got, line.Error())
	}
	want := []string{"1. ann: 2 points, finished", "   3 ticks missed, 2 lines dropped", "2. bob: 0 points, finished"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScoresAreRounded(t *testing.T) {
	result := &protocol.MatchResult{Players: []protocol.PlayerResult{{Name: "ann", Score: 2131.0 / 9, Rank: 1, Ended: protocol.EndedFinished}}}
	if got, want := resultLines(result)[0].Error(), "1. ann: 236.778 points, finished"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
