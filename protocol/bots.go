package protocol

import (
	"strconv"
	"strings"
)

// ParseBots reads the bots of a match as people write them: their number, or their levels
// with commas between them. An empty text is none.
func ParseBots(text string) (bots int, levels []string) {
	if text == "" {
		return 0, nil
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n, nil
	}
	levels = strings.Split(text, ",")
	for i := range levels {
		levels[i] = strings.TrimSpace(levels[i])
	}
	return len(levels), levels
}
