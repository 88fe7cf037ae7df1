package director

import (
	"context"

	"colosseum/host/internal/contest"
)

// Field plays the matches of contests.
type Field interface {
	// Play plays a match, and returns when its result is in the store, or when it is
	// clear that there will be none: it was aborted, or entries did not come to it,
	// which it returns by number. After an error the match is played again later. When
	// ctx ends, it stops the match, or waits for it. It is called concurrently.
	Play(ctx context.Context, m contest.Match) (absent []int, err error)
}
