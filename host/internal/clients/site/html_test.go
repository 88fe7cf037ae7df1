package site

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestHTMLInADescriptionIsOmitted(t *testing.T) {
	s, _ := newSite(t)
	var game gameAnswer
	if err := json.Unmarshal(get(s, "/api/games/roshambo").Body.Bytes(), &game); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "javascript:", "style="} {
		if strings.Contains(game.HTML, bad) {
			t.Errorf("got %s, want it without %s", game.HTML, bad)
		}
	}
	if !strings.Contains(game.HTML, "<h1>roshambo</h1>") || !strings.Contains(game.HTML, "<td align=\"center\">b</td>") {
		t.Errorf("got %s, want a heading and an aligned cell", game.HTML)
	}
}
