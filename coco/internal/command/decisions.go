package command

import (
	"fmt"
	"strings"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
)

// shownDecisions is how many decisions of organizers are shown, the last ones.
const shownDecisions = 5

// decisionLines describes the last decisions of organizers, a line for each.
func decisionLines(l *locale.Language, list []server.Decision) (lines []string) {
	for _, d := range list[max(0, len(list)-shownDecisions):] {
		by := d.By
		if by == "" {
			by = l.Of("the operator of the host")
		}
		line := fmt.Sprintf("%s %s: %s", minute(d.At), by, decisionText(l, &d))
		if d.Reason != "" {
			line += ": " + d.Reason
		}
		if d.UndoneBy > 0 {
			line += " (" + l.Of("no longer holds") + ")"
		}
		if d.Contest != "" {
			line = d.Contest + " " + line
		}
		lines = append(lines, line)
	}
	return lines
}

// decisionText says what was decided. A kind that is not known, of a newer host, is its name.
func decisionText(l *locale.Language, d *server.Decision) string {
	match, entries := fmt.Sprintf("%d.%d", d.Pairing, d.Leg), strings.Join(d.Entries, " – ")
	switch d.Kind {
	case "set":
		var results []string
		for i, name := range d.Entries {
			if i < len(d.Points) {
				results = append(results, name+" "+points(d.Points[i]))
			}
		}
		return l.Sprintf("match %s counts: %s", match, strings.Join(results, ", "))
	case "annul":
		return l.Sprintf("match %s is annulled: %s", match, entries)
	case "replay":
		return l.Sprintf("match %s is played again: %s", match, entries)
	case "bar":
		return l.Sprintf("%s may not play on", entries)
	case "forgive":
		return l.Sprintf("%s may play again", entries)
	case "rename":
		return l.Sprintf("%s is now called %s", d.From, d.Name)
	case "shift":
		return l.Sprintf("round %d is played from %s to %s", d.Round, minute(d.Opens), minute(d.Closes))
	case "undo":
		return l.Sprintf("decision %d no longer holds", d.Undoes)
	case "organizers":
		return l.Sprintf("organizers: %s", strings.Join(d.Players, ", "))
	}
	return d.Kind
}
