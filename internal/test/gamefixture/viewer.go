package gamefixture

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

//go:embed viewer.mjs
var viewerScript string

// Shown is a match that [CheckViewer] shows to the viewer of a game.
type Shown struct {
	Names   []string          `json:"names"` // by seat
	Params  map[string]string `json:"params"`
	Streams []string          `json:"streams"` // of the seats, and then of the spectators
	Ends    []string          `json:"ends"`    // why the match ended, as the viewer of each stream should know it; "" if it cannot
	Drawn   bool              `json:"drawn"`   // also check all texts, which takes longer
}

// Show returns a match of two to show. why is the text for all, except that a player who has
// retired does not receive the end of the match. If it is "" and a player has retired,
// the text is that it has.
func Show(got *gametest.Transcript, names [2]string, params map[string]string, why string) Shown {
	s := Shown{Names: names[:], Params: maps.Clone(params), Streams: slices.Concat(got.Seats, []string{got.Spectators}), Ends: []string{why, why, why}}
	if s.Params == nil {
		s.Params = map[string]string{}
	}
	for seat, r := range got.Result.Seats {
		if why == "" && r.Ended != driver.EndedFinished {
			s.Ends = []string{names[seat] + " forfeited", names[seat] + " forfeited", names[seat] + " forfeited"}
			s.Ends[seat] = ""
			break
		}
	}
	return s
}

// CheckViewer runs the game's viewer.js in Node, for each match with the streams of all
// players and of the spectators. The test fails unless each viewer gives the expected
// reason of the end, each text passed to t() is a literal with an Italian translation,
// everything shown is passed to t(), no text of the status is longer than the page
// shows, and no text on a board 375 pixels wide is smaller than 11 pixels. In the short run it
// draws at some ten places of each stream of a drawn match, and always at the end.
func CheckViewer(t testing.TB, matches []Shown) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed: not testing the viewer")
	}
	code, err := os.ReadFile("viewer.js")
	if err != nil {
		t.Fatal(err)
	}
	places := 10
	if long.Run() {
		places = 1000 // every third line of most matches
	}
	input, err := json.Marshal(map[string]any{"code": string(code), "shapes": frameShapes(t), "matches": matches, "places": places})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "--input-type=module", "--eval", viewerScript)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("the viewer failed: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	for _, fault := range lines[:len(lines)-1] {
		t.Error(fault)
	}
	t.Log(lines[len(lines)-1])
}

// frameShapes returns the script with the shapes that the frame gives to viewers.
func frameShapes(t testing.TB) string {
	t.Helper()
	for up := ".."; len(up) < 30; up = filepath.Join(up, "..") {
		code, err := os.ReadFile(filepath.Join(up, "host/internal/clients/site/frame/shapes.js"))
		if err == nil {
			return string(code)
		}
	}
	t.Fatal("the game is not in the source tree of the host, which has the shapes of viewers")
	return ""
}
