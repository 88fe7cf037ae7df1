package command

import (
	"fmt"
	"strconv"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
)

// submissionRows returns the rows of the table of submissions, the header first.
func submissionRows(l *locale.Language, list []server.Submission) [][]string {
	rows := [][]string{headings(l, "Game", "Version", "Language", "State", "Size", "Handed in", "Reason")}
	for _, s := range list {
		rows = append(rows, []string{
			cutCell(s.Game), strconv.Itoa(s.Version), cutCell(s.Language), stateOfSubmission(l, s), size(s.Bytes), minute(s.Created), cutCell(s.Reason),
		})
	}
	return rows
}

// stateOfSubmission returns the state of a submission in a few words.
func stateOfSubmission(l *locale.Language, s server.Submission) string {
	switch {
	case s.Rests:
		return l.Of("rests")
	case s.Active:
		return l.Of("plays")
	case s.State == server.Queued && s.Position > 0:
		return l.Sprintf("queued: %d before it", s.Position-1)
	default:
		return cutCell(l.Of(s.State))
	}
}

// stateText returns the state of a submission as a line, with the reason.
func stateText(l *locale.Language, s server.Submission) string {
	text := fmt.Sprintf("%s v%d: %s", s.Game, s.Version, stateOfSubmission(l, s))
	if s.Reason == "" {
		return text
	}
	switch s.Fault {
	case server.FaultProgram:
		text += " (" + l.Of("a fault of your program") + ")"
	case server.FaultHost:
		text += " (" + l.Of("a fault of the host; your program does not have to be sent again") + ")"
	}
	return text + ": " + l.Of(s.Reason)
}

// size formats bytes.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 10<<20:
		return fmt.Sprintf("%d KiB", (bytes+1<<9)>>10)
	default:
		return fmt.Sprintf("%d MiB", (bytes+1<<19)>>20)
	}
}
